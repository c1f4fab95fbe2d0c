//! Highlights lines of code: spans with a few class names, whose colours the interface's theme defines.
//!
//! In: a path and adjacent lines. Out: for each line `[length, class, …]` in UTF-16 units. A hunk is parsed from its own first
//! line, so a comment that starts above it is not recognised.
//!
//! There are two parsers. tree-sitter has grammars for the languages of the outline only, and is 15 to 30 times faster: 2,000 lines of
//! JavaScript take 0.1 s, with Sublime's definitions 2 to 3 s and 30 MB more. Sublime's definitions cover all other languages.

mod trees;

use std::str::FromStr;
use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::language::Language;

/// The class names, by index.
pub const CLASSES: &[&str] = &[
    "",
    "keyword",
    "string",
    "comment",
    "number",
    "function",
    "type",
    "constant",
    "variable",
    "operator",
    "punctuation",
    "tag",
    "attribute",
    "heading",
    "escape",
];

/// Returns the class names as owned strings.
pub fn class_names() -> Vec<String> {
    CLASSES.iter().map(|class| (*class).to_owned()).collect()
}

/// The maximum length of a highlighted line, in bytes. Minified code would take seconds.
const LINE_LIMIT: usize = 2000;

/// Scope prefixes and their classes. The longest matching prefix wins.
const RULES: &[(&str, &str)] = &[
    ("comment", "comment"),
    ("punctuation.definition.comment", "comment"),
    ("string", "string"),
    ("punctuation.definition.string", "string"),
    ("constant.character.escape", "escape"),
    ("constant.numeric", "number"),
    ("constant.language", "constant"),
    ("constant", "constant"),
    ("support.constant", "constant"),
    ("keyword", "keyword"),
    ("keyword.operator", "operator"),
    ("storage", "keyword"),
    ("storage.type.function", "keyword"),
    ("entity.name.function", "function"),
    ("support.function", "function"),
    ("variable.function", "function"),
    ("meta.function-call entity.name", "function"),
    ("entity.name.type", "type"),
    ("entity.name.class", "type"),
    ("entity.name.struct", "type"),
    ("entity.name.enum", "type"),
    ("entity.name.trait", "type"),
    ("entity.name.impl", "type"),
    ("entity.name.namespace", "type"),
    ("entity.other.inherited-class", "type"),
    ("support.type", "type"),
    ("support.class", "type"),
    ("entity.name.tag", "tag"),
    ("entity.other.attribute-name", "attribute"),
    ("variable.annotation", "attribute"),
    ("meta.annotation", "attribute"),
    ("variable.language", "constant"),
    ("variable.parameter", "variable"),
    ("variable.other.member", "variable"),
    ("support.type.property-name", "attribute"),
    ("meta.mapping.key string", "attribute"),
    ("punctuation", "punctuation"),
    ("markup.heading", "heading"),
    ("entity.name.section", "heading"),
    ("markup.bold", "keyword"),
    ("markup.italic", "variable"),
    ("markup.raw", "string"),
    ("markup.underline.link", "string"),
    ("markup.inserted", "string"),
    ("markup.deleted", "keyword"),
];

fn class(name: &str) -> Option<u32> {
    CLASSES.iter().position(|class| *class == name).and_then(|at| u32::try_from(at).ok())
}

struct Grammars {
    set: SyntaxSet,
    rules: Vec<(Vec<Scope>, u32)>,
}

fn grammars() -> &'static Grammars {
    static GRAMMARS: OnceLock<Grammars> = OnceLock::new();
    GRAMMARS.get_or_init(|| {
        let rules = RULES
            .iter()
            .filter_map(|(scopes, name)| Some((ScopeStack::from_str(scopes).ok()?.scopes, class(name)?)))
            .collect();
        Grammars { set: two_face::syntax::extra_no_newlines(), rules }
    })
}

impl Grammars {
    fn syntax(&self, path: &str, first_line: &str) -> Option<&SyntaxReference> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        self.set
            .find_syntax_by_extension(name)
            .or_else(|| self.set.find_syntax_by_extension(extension?))
            .or_else(|| self.set.find_syntax_by_first_line(first_line))
    }

    fn class(&self, stack: &ScopeStack) -> u32 {
        // The innermost scope decides. A rule with two scopes also requires the outer one in an enclosing scope.
        for (depth, scope) in stack.scopes.iter().enumerate().rev() {
            let fits = |(scopes, _): &&(Vec<Scope>, u32)| match scopes.as_slice() {
                [one] => one.is_prefix_of(*scope),
                [outer, inner] => {
                    inner.is_prefix_of(*scope) && stack.scopes[..depth].iter().any(|around| outer.is_prefix_of(*around))
                }
                _ => false,
            };
            let weight = |(scopes, _): &&(Vec<Scope>, u32)| scopes.iter().map(|scope| scope.len()).sum::<u32>();
            if let Some((_, class)) = self.rules.iter().filter(fits).max_by_key(weight) {
                return *class;
            }
        }
        0
    }
}

/// Returns whether files with this path can be highlighted.
pub fn is_known(path: &str) -> bool {
    Language::of(path).is_some() || grammars().syntax(path, "").is_some()
}

/// Highlights adjacent lines of one side of a file. Unknown languages give empty lines.
pub fn highlight<'a>(path: &str, lines: impl Iterator<Item = &'a str>) -> Vec<Vec<u32>> {
    let lines: Vec<&str> = lines.collect();
    if let Some(painted) = trees::paint(path, &lines) {
        return painted;
    }
    let grammars = grammars();
    let Some(syntax) = grammars.syntax(path, lines.first().copied().unwrap_or_default()) else {
        return lines.iter().map(|_| Vec::new()).collect();
    };
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    lines
        .into_iter()
        .map(|line| {
            if line.len() > LINE_LIMIT {
                return Vec::new();
            }
            let Ok(output) = state.parse_line(line, &grammars.set) else { return Vec::new() };
            spans(line, &output, &mut stack, grammars)
        })
        .collect()
}

fn spans(
    line: &str,
    ops: &[(usize, syntect::parsing::ScopeStackOp)],
    stack: &mut ScopeStack,
    grammars: &Grammars,
) -> Vec<u32> {
    let mut spans: Vec<u32> = Vec::new();
    let mut push = |text: &str, class: u32| {
        let length = u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        if length > 0 {
            add(&mut spans, length, class);
        }
    };
    let mut at = 0;
    for (end, op) in ops {
        let end = (*end).min(line.len());
        push(line.get(at..end).unwrap_or_default(), grammars.class(stack));
        at = at.max(end);
        if stack.apply(op).is_err() {
            break;
        }
    }
    push(line.get(at..).unwrap_or_default(), grammars.class(stack));
    unless_plain(spans)
}

/// Appends a span, or extends the last one if it has the same class.
fn add(spans: &mut Vec<u32>, length: u32, class: u32) {
    match spans.as_mut_slice() {
        [.., last_length, last_class] if *last_class == class => *last_length += length,
        _ => spans.extend([length, class]),
    }
}

/// Returns no spans for a line without any class.
fn unless_plain(spans: Vec<u32>) -> Vec<u32> {
    if spans.len() == 2 && spans[1] == 0 { Vec::new() } else { spans }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, text: &str) -> String {
        let all = highlight(path, text.lines());
        let coloured: Vec<String> = text.lines().zip(&all).map(|(line, spans)| words(line, spans)).collect();
        coloured.join("\n")
    }

    fn words(line: &str, spans: &[u32]) -> String {
        if spans.is_empty() {
            return line.to_owned();
        }
        let units: Vec<u16> = line.encode_utf16().collect();
        let mut at = 0;
        spans
            .chunks(2)
            .map(|span| {
                let (length, class) = (span[0] as usize, CLASSES[span[1] as usize]);
                let text = String::from_utf16_lossy(&units[at..at + length]);
                at += length;
                if class.is_empty() { text } else { format!("<{class}:{text}>") }
            })
            .collect()
    }

    #[test]
    fn code_gets_classes() {
        expect_test::expect![[r#"<keyword:let> name = <string:"ü𝄞">; <comment:// why>"#]]
            .assert_eq(&named("a.rs", "let name = \"ü𝄞\"; // why").replace("<punctuation:;>", ";"));
        assert!(named("a.ts", "const a: string = 1").starts_with("<keyword:const>"));
        assert!(named("a.py", "def f(): return None").starts_with("<keyword:def>"));
    }

    #[test]
    fn languages_of_both_kinds_are_coloured() {
        let code = [
            ("a.py", "@cached\ndef total(items): return sum(items, 2.5)  # all"),
            ("a.ts", "export async function f(a: Map<string, number>): Promise<void> { a.get(`x${1}`); }"),
            ("a.tsx", "const a = <div className=\"x\">{total}</div>;"),
            ("a.js", "const { a } = require('b'); // c"),
            ("a.go", "func (s *Store) Get(key string) (int, error) { return 1, nil }"),
            ("a.rs", "    /// Says.\n    pub fn say(&self) -> Option<u8> { println!(\"a\\n{}\", MAX); }"),
            ("A.java", "public final class A { private int a = 0x1F; @Override void b() { c(\"d\"); } }"),
            ("a.rb", "def total(items) = items.sum { |one| one.price * 2 } # all"),
            ("a.php", "    return $this->total('a', 12); // all"),
            ("a.css", "a:hover { color: red; }"),
            ("a.toml", "name = \"a\" # b"),
        ];
        let coloured: Vec<String> = code.iter().map(|(path, text)| format!("{path}: {}", named(path, text))).collect();
        expect_test::expect![[r#"
            a.py: <function:@cached>
            <keyword:def> <function:total>(items): <keyword:return> <function:sum>(items, <number:2.5>)  <comment:# all>
            a.ts: <keyword:export> <keyword:async> <keyword:function> <function:f><punctuation:(>a: <type:Map><punctuation:<><type:string><punctuation:,> <type:number><punctuation:>)>: <type:Promise><punctuation:<><type:void><punctuation:>> <punctuation:{> a<punctuation:.><function:get><punctuation:(><string:`x><punctuation:${><number:1><punctuation:}><string:`><punctuation:);> <punctuation:}>
            a.tsx: <keyword:const> a <operator:=> <punctuation:<><tag:div> <attribute:className><operator:=><string:"x"><punctuation:>{>total<punctuation:}</><tag:div><punctuation:>;>
            a.js: <keyword:const> <punctuation:{> a <punctuation:}> <operator:=> <function:require><punctuation:(><string:'b'><punctuation:);> <comment:// c>
            a.go: <keyword:func> (s <operator:*><type:Store>) <function:Get>(key <type:string>) (<type:int>, <type:error>) { <keyword:return> <number:1>, <constant:nil> }
            a.rs:     <comment:/// Says.>
                <keyword:pub> <keyword:fn> <function:say><punctuation:(><operator:&><constant:self><punctuation:)> -> <type:Option><punctuation:<><type:u8><punctuation:>> <punctuation:{> <function:println!><punctuation:(><string:"a><escape:\n><string:{}"><punctuation:,> <type:MAX><punctuation:);> <punctuation:}>
            A.java: <keyword:public> <keyword:final> <keyword:class> <type:A> { <keyword:private> <type:int> a = <number:0x1F>; <operator:@><attribute:Override> <type:void> <function:b>() { <function:c>(<string:"d">); } }
            a.rb: <keyword:def> <function:total><punctuation:(>items<punctuation:)> <operator:=> items<punctuation:.><function:sum> <punctuation:{> |one| one<punctuation:.><function:price> * <number:2> <punctuation:}> <comment:# all>
            a.php:     <keyword:return> <operator:$><constant:this>-><function:total>(<string:'a'>, <number:12>); <comment:// all>
            a.css: <tag:a><punctuation::>hover <punctuation:{> <attribute:color><punctuation::> <constant:red><punctuation:;> <punctuation:}>
            a.toml: <tag:name> <punctuation:=> <string:"a"> <comment:# b>"#]].assert_eq(&coloured.join("\n"));
    }

    #[test]
    fn files_without_a_grammar_are_not_highlighted() {
        assert_eq!(highlight("a.unknown", ["let a"].into_iter()), vec![Vec::<u32>::new()]);
        assert!(is_known("a.tsx") && is_known("Dockerfile") && is_known("x/Makefile") && !is_known("a.unknown"));
    }
}
