//! Transformations that keep the meaning of code. Each makes a head from a base, and names its lines.

use super::functions::Excerpt;
use super::lexical::{Class, classes, lines};
use super::random::Random;

/// The kind of a transformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Moved,
    MovedToFile,
    MovedIndented,
    Reindented,
    Spaced,
    Reformatted,
    Renamed,
    Imports,
    Comments,
}

impl Kind {
    pub(super) const ALL: [Self; 9] = [
        Self::Moved,
        Self::MovedToFile,
        Self::MovedIndented,
        Self::Reindented,
        Self::Spaced,
        Self::Reformatted,
        Self::Renamed,
        Self::Imports,
        Self::Comments,
    ];
}

/// A change of one or two files.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub name: String,
    pub kind: Kind,
    pub language: &'static str,
    pub base: Vec<(String, String)>,
    pub head: Vec<(String, String)>,
    /// The file and the lines (from 0) of the head in which the transformation took place.
    pub region: (usize, std::ops::Range<usize>),
    /// Lines that are added beside the transformation and must stay visible, by file and line from 0.
    pub extra: Vec<(usize, usize)>,
}

/// Makes the case of one function of an excerpt, if the transformation applies to it.
pub(super) fn case(excerpt: &Excerpt, function: usize, kind: Kind, random: &mut Random) -> Option<Case> {
    let path = excerpt.path("first");
    let base_text = excerpt.file(&excerpt.imports, &excerpt.functions);
    let language = excerpt.language;
    let before: usize = excerpt.functions[..function].iter().map(|lines| lines.len() + 1).sum();
    let start = excerpt.imports.len() + 1 + usize::from(!excerpt.wrapper.0.is_empty()) + before;
    let region = start..start + excerpt.functions[function].len();
    let made = |head: Vec<(String, String)>, base: Vec<(String, String)>, region, extra| Case {
        name: format!("{} function {function} {kind:?}", excerpt.name),
        kind,
        language,
        base,
        head,
        region,
        extra,
    };
    let one = |head: String, region: std::ops::Range<usize>| {
        (head != base_text).then(|| {
            let base = vec![(path.clone(), base_text.clone())];
            made(vec![(path.clone(), head)], base, (0, region), Vec::new())
        })
    };
    match kind {
        Kind::Moved => {
            let mut functions = excerpt.functions.clone();
            let moved = functions.remove(function);
            let to = if function == 0 { functions.len() } else { 0 };
            functions.insert(to, moved);
            let before: usize = functions[..to].iter().map(|lines| lines.len() + 1).sum();
            let start =
                start - excerpt.functions[..function].iter().map(|lines| lines.len() + 1).sum::<usize>() + before;
            let length = region.len();
            one(excerpt.file(&excerpt.imports, &functions), start..start + length)
        }
        Kind::MovedToFile | Kind::MovedIndented => {
            let deeper = kind == Kind::MovedIndented;
            let mut rest = excerpt.functions.clone();
            let moved = rest.remove(function);
            let (opening, body, closing) = target_file(excerpt, &moved, deeper)?;
            let mut lines = opening.clone();
            lines.extend(body.iter().cloned());
            lines.extend(closing.iter().cloned());
            let second = lines.join("\n") + "\n";
            let from = opening.len();
            let to = from + body.len();
            let extra = (0..from).chain(to..to + closing.len()).filter(|at| !lines[*at].trim().is_empty());
            let head = vec![(path.clone(), excerpt.file(&excerpt.imports, &rest)), (excerpt.path("second"), second)];
            let extra = extra.map(|line| (1, line)).collect();
            Some(made(head, vec![(path.clone(), base_text.clone())], (1, from..to), extra))
        }
        Kind::Reindented => {
            let classes = classes(&base_text, language);
            let all = lines(&base_text, &classes);
            let head = all.iter().enumerate().map(|(index, line)| {
                let inside = language == "python" || region.contains(&index);
                let text = line.classes.first().is_some_and(|class| *class == Class::Text);
                let indent = line.text.len() - line.text.trim_start().len();
                match inside && !text && indent > 0 {
                    true => line.text[..indent].to_owned() + line.text,
                    false => line.text.to_owned(),
                }
            });
            one(head.collect::<Vec<_>>().join("\n") + "\n", region.clone())
        }
        Kind::Spaced => one(spaced(&base_text, language, &region, random), region.clone()),
        Kind::Reformatted => {
            let (head, grown) = reformatted(&base_text, language, &region)?;
            one(head, region.start..region.end + grown)
        }
        Kind::Renamed => one(renamed(&base_text, language, &region, random)?, region.clone()),
        Kind::Imports => {
            let mut imports = excerpt.imports.clone();
            let fixed = imports.iter().take_while(|line| line.starts_with("package") || *line == "import (").count();
            let end = imports.len() - usize::from(language == "go");
            (end > fixed + 1).then_some(())?;
            imports[fixed..end].reverse();
            one(excerpt.file(&imports, &excerpt.functions), fixed..end)
        }
        Kind::Comments => one(commented(&base_text, language, &region)?, region.clone()),
    }
}

/// Returns the lines before the moved function, the function, and the lines after it.
fn target_file(excerpt: &Excerpt, moved: &[String], deeper: bool) -> Option<(Vec<String>, Vec<String>, Vec<String>)> {
    let (mut open, mut close) = (Vec::new(), Vec::new());
    let mut body = moved.to_vec();
    if excerpt.language == "go" {
        open.push("package second".to_owned());
        open.push(String::new());
    }
    if deeper {
        let (begin, end) = match excerpt.language {
            "rust" => ("mod second {", "}"),
            "python" => ("if CONDITION:", ""),
            "java" => ("class Second {", "}"),
            "typescript" => ("namespace Second {", "}"),
            "javascript" => ("if (CONDITION) {", "}"),
            _ => return None,
        };
        open.push(begin.to_owned());
        close.extend(Some(end.to_owned()).filter(|line| !line.is_empty()));
        let text = body.join("\n") + "\n";
        let classes = classes(&text, excerpt.language);
        let step = if text.contains("\n\t") { "\t" } else { "    " };
        body = lines(&text, &classes)
            .iter()
            .map(|line| {
                let text = line.classes.first().is_some_and(|class| *class == Class::Text);
                if text || line.text.is_empty() { line.text.to_owned() } else { format!("{step}{}", line.text) }
            })
            .collect();
    }
    if !excerpt.wrapper.0.is_empty() {
        open.push(excerpt.wrapper.0.replace("Excerpt", "Target"));
        close.splice(0..0, Some(excerpt.wrapper.1.clone()).filter(|line| !line.is_empty()));
    }
    Some((open, body, close))
}

/// Doubles spaces between tokens, and adds spaces at ends of lines.
fn spaced(text: &str, language: &str, region: &std::ops::Range<usize>, random: &mut Random) -> String {
    let classes = classes(text, language);
    let mut out = Vec::new();
    for (index, line) in lines(text, &classes).iter().enumerate() {
        if !region.contains(&index) || !line.is_code() || random.below(3) > 0 {
            out.push(line.text.to_owned());
            continue;
        }
        let indent = line.text.len() - line.text.trim_start().len();
        out.push(match line.text[indent..].find(" = ") {
            Some(at) => format!("{}  ={}", &line.text[..indent + at], &line.text[indent + at + 2..]),
            None if line.text.ends_with('\\') => line.text.to_owned(),
            None => format!("{}  ", line.text),
        });
    }
    out.join("\n") + "\n"
}

/// Puts the arguments of calls on lines of their own. Returns the text and the number of new lines.
fn reformatted(text: &str, language: &str, region: &std::ops::Range<usize>) -> Option<(String, usize)> {
    let classes = classes(text, language);
    let (mut out, mut grown) = (Vec::new(), 0);
    for (index, line) in lines(text, &classes).iter().enumerate() {
        let open = line.text.find('(').filter(|_| region.contains(&index) && line.is_code());
        let split = open.and_then(|open| {
            let inner = &line.text[open + 1..];
            let close = inner.find(')')?;
            let arguments = &inner[..close];
            let simple = !arguments.contains(['(', '<', '{', '[', '|']) && arguments.contains(", ");
            simple.then_some((open, arguments, &inner[close..]))
        });
        match split {
            Some((open, arguments, rest)) => {
                let indent = &line.text[..line.text.len() - line.text.trim_start().len()];
                let step = if indent.contains('\t') { "\t" } else { "    " };
                out.push(line.text[..=open].to_owned());
                let parts: Vec<&str> = arguments.split(", ").collect();
                for (at, part) in parts.iter().enumerate() {
                    let end = if at + 1 < parts.len() { "," } else { rest };
                    out.push(format!("{indent}{step}{part}{end}"));
                }
                grown += parts.len();
            }
            None => out.push(line.text.to_owned()),
        }
    }
    (grown > 0).then(|| (out.join("\n") + "\n", grown))
}

/// Words that are not names which can be renamed.
const KEYWORDS: &[&str] = &[
    "abstract",
    "async",
    "await",
    "boolean",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "double",
    "elif",
    "else",
    "except",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "from",
    "func",
    "function",
    "impl",
    "implements",
    "import",
    "instanceof",
    "interface",
    "isinstance",
    "lambda",
    "long",
    "match",
    "none",
    "null",
    "number",
    "object",
    "package",
    "pass",
    "private",
    "protected",
    "public",
    "raise",
    "range",
    "readonly",
    "return",
    "self",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "throws",
    "true",
    "type",
    "typeof",
    "undefined",
    "unsafe",
    "void",
    "where",
    "while",
    "with",
    "yield",
    "bool",
    "usize",
    "error",
    "module",
    "exports",
    "require",
    "arguments",
    "nil",
    "append",
    "some",
    "vec",
    "crate",
    "assert",
    "print",
    "list",
    "tuple",
    "dict",
    "enum",
];

/// Returns the words of a line with their byte ranges.
pub(super) fn words(line: &str) -> Vec<(usize, &str)> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '$' || char == '#';
    let (mut found, mut from) = (Vec::new(), None);
    for (at, char) in line.char_indices().chain([(line.len(), ' ')]) {
        match (from, is_word(char)) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                found.push((start, &line[start..at]));
                from = None;
            }
            _ => {}
        }
    }
    found
}

pub(super) fn is_name(word: &str) -> bool {
    word.len() >= 3
        && word.starts_with(|char: char| char.is_ascii_lowercase())
        && word.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        && !KEYWORDS.contains(&word)
}

/// Renames a local variable or parameter in the whole file.
fn renamed(text: &str, language: &str, region: &std::ops::Range<usize>, random: &mut Random) -> Option<String> {
    let classes = classes(text, language);
    let all = lines(text, &classes);
    let mut candidates: Vec<&str> = Vec::new();
    for line in all[region.clone()].iter().filter(|line| line.is_code()) {
        for (at, word) in words(line.text) {
            let before = line.text[..at].trim_end();
            let after = line.text[at + word.len()..].trim_start();
            // A name that is assigned or declared here, and not a member, a key or a function of a library.
            let local = !before.ends_with(['.', '@', ':', '{', '<']) && !after.starts_with(['(', ':', '!', '<', '}']);
            let assigned = after.starts_with("= ") || after.starts_with(":= ");
            if is_name(word) && local && assigned && !candidates.contains(&word) {
                candidates.push(word);
            }
        }
    }
    // The name must not be part of a string, a comment, a member or a key anywhere.
    candidates.retain(|name| {
        let mut count = 0;
        let fits = all.iter().all(|line| {
            words(line.text).into_iter().filter(|(_, word)| word == name).all(|(at, word)| {
                count += 1;
                let before = line.text[..at].trim_end();
                let after = line.text[at + word.len()..].trim_start();
                line.classes[at] == Class::Code
                    && !before.ends_with(['.', '{'])
                    && !before.ends_with("::")
                    && !after.starts_with([':', '}'])
                    && (!before.ends_with(',') || !after.starts_with(','))
            })
        });
        fits && count >= 2
    });
    if candidates.is_empty() {
        return None;
    }
    let name = candidates[random.below(candidates.len())];
    let fresh = if name.contains('_') { format!("{name}_now") } else { format!("{name}Now") };
    (!text.contains(&fresh)).then_some(())?;
    let out = all.iter().map(|line| {
        let mut text = line.text.to_owned();
        for (at, word) in words(line.text).into_iter().rev() {
            if word == name {
                text.replace_range(at..at + word.len(), &fresh);
            }
        }
        text
    });
    Some(out.collect::<Vec<_>>().join("\n") + "\n")
}

/// Changes words of comments that no tool reads.
fn commented(text: &str, language: &str, region: &std::ops::Range<usize>) -> Option<String> {
    let classes = classes(text, language);
    let mut changed = false;
    let all = lines(text, &classes);
    let out = all.iter().enumerate().map(|(index, line)| {
        let plain = region.contains(&index)
            && line.is_comment()
            && !line.text.contains(['`', '@', '[', ':', '<', '*'])
            && !line.text.contains("///")
            && !line.text.contains("//!")
            && line.text.len() > 20;
        changed |= plain;
        if plain { format!("{} In other words.", line.text) } else { line.text.to_owned() }
    });
    let out = out.collect::<Vec<_>>().join("\n") + "\n";
    changed.then_some(out)
}
