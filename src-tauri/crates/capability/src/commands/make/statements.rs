//! Splits a makefile into statements: rules with their recipes, variables, and included files.

use std::borrow::Cow;
use std::collections::HashMap;

/// The maximum nesting of the parentheses of a reference.
const MAX_DEPTH: usize = 64;
/// Words before an assignment.
const MODIFIERS: &[&str] = &["export", "override", "private", "unexport"];

/// A rule with its recipe.
#[derive(Debug, Default)]
pub(super) struct Rule<'t> {
    pub(super) targets: &'t str,
    pub(super) prerequisites: &'t str,
    /// The lines of the recipe, each with its number. A continued line is one.
    pub(super) recipe: Vec<(&'t str, u32)>,
    /// The last line.
    pub(super) end: u32,
    pub(super) is_conditional: bool,
}

/// A part of a makefile.
#[derive(Debug)]
pub(super) enum Statement<'t> {
    Rule(Rule<'t>),
    /// The names of included files.
    Include(&'t str),
    /// A text of which the result is a part of the makefile.
    Expand(&'t str),
    /// A text of which the result is a value.
    Value(&'t str),
    /// A command whose output is the value of a variable.
    Shell(&'t str),
    /// A statement that is not read.
    Unread(&'t str),
}

/// The assignments of a variable.
#[derive(Debug, Default)]
pub(super) struct Variable<'t> {
    /// The value, joined from those that are added to the first.
    pub(super) value: Cow<'t, str>,
    pub(super) count: usize,
    /// Whether a condition, a target or another makefile can set another value.
    pub(super) varies: bool,
}

/// The statements of a makefile.
#[derive(Debug, Default)]
pub(super) struct Statements<'t> {
    pub(super) all: Vec<(u32, Statement<'t>)>,
    pub(super) variables: HashMap<&'t str, Variable<'t>>,
    /// The values of `SHELL`, and of the options that it gets.
    pub(super) shells: Vec<&'t str>,
    pub(super) shell_options: Vec<&'t str>,
    /// The start and the end of the names of variables that are made when make runs: `X_$(Y)`.
    made_names: Vec<(&'t str, &'t str)>,
    /// The value of `.DEFAULT_GOAL`.
    pub(super) goal: Option<(u32, &'t str)>,
    pub(super) hides_code: bool,
    /// The number of conditions around the next line.
    conditions: usize,
    /// The index of the rule that lines of a recipe belong to.
    rule: Option<usize>,
}

/// Returns the statements of a text.
pub(super) fn read(text: &str) -> Statements<'_> {
    let mut found = Statements::default();
    let mut lines = LogicalLines { text, at: 0, line: 1 };
    let mut prefix = '\t';
    while let Some((text, line)) = lines.next() {
        let end = lines.line.saturating_sub(1).max(line);
        if let Some(recipe) = text.strip_prefix(prefix)
            && found.add_recipe(recipe, line, end)
        {
            continue;
        }
        let text = without_comment(text).trim();
        let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        if let Some(name) = text.strip_prefix(".RECIPEPREFIX") {
            let value = name.trim_start_matches([' ', '\t', ':', '=', '?']);
            prefix = value.chars().next().unwrap_or('\t');
        } else if word == "define" || MODIFIERS.contains(&word) && rest.trim_start().starts_with("define ") {
            let head = text.split_once("define").map_or("", |(_, head)| head);
            found.define(head, line, &mut lines);
        } else {
            found.statement(text, line, end);
        }
    }
    found.hides_code |= found.conditions > 0;
    let made = std::mem::take(&mut found.made_names);
    for (name, variable) in &mut found.variables {
        variable.varies |= made.iter().any(|(start, end)| name.starts_with(start) && name.ends_with(end));
    }
    found
}

/// The lines of a text, in which a backslash at the end continues a line.
struct LogicalLines<'t> {
    text: &'t str,
    at: usize,
    /// The number of the next line.
    line: u32,
}

impl<'t> LogicalLines<'t> {
    fn next_physical(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        self.at += end + 1;
        self.line = self.line.saturating_add(1);
        Some(&rest[..end])
    }

    fn next(&mut self) -> Option<(&'t str, u32)> {
        let (start, line) = (self.at, self.line);
        let mut last = self.next_physical()?;
        while is_continued(last) {
            let Some(next) = self.next_physical() else { break };
            last = next;
        }
        let end = self.at.saturating_sub(1).min(self.text.len());
        Some((self.text[start..end].trim_end_matches(['\r', '\n']), line))
    }
}

fn is_continued(line: &str) -> bool {
    let line = line.trim_end_matches('\r');
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

/// Returns a line up to its comment, which begins outside of references.
fn without_comment(line: &str) -> &str {
    let mut at = 0;
    while let Some(byte) = line.as_bytes().get(at) {
        match byte {
            b'$' => at = after_reference(line, at),
            b'\\' => at += 2,
            b'#' => return &line[..at],
            _ => at += 1,
        }
    }
    line
}

/// The sign between the parts of a statement.
#[derive(Debug, PartialEq, Eq)]
enum Sign {
    /// The sign of an assignment without its `=`.
    Assign(&'static str),
    Colon,
}

/// Finds the first sign outside of references: its start, its end and its kind.
fn sign(text: &str) -> Option<(usize, usize, Sign)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'$' => at = after_reference(text, at) - 1,
            b'=' => {
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                let (start, kind) = match before {
                    Some(b'?') => (at - 1, "?"),
                    Some(b'+') => (at - 1, "+"),
                    Some(b'!') => (at - 1, "!"),
                    _ => (at, ""),
                };
                return Some((start, at + 1, Sign::Assign(kind)));
            }
            b':' => {
                let colons = text[at..].len() - text[at..].trim_start_matches(':').len();
                if bytes.get(at + colons) == Some(&b'=') {
                    return Some((at, at + colons + 1, Sign::Assign(":")));
                }
                return Some((at, at + colons.min(2), Sign::Colon));
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the offset behind the reference that begins with the `$` at an offset: `$(x)`, `$x`.
pub(super) fn after_reference(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let close = match bytes.get(at + 1) {
        Some(b'(') => b')',
        Some(b'{') => b'}',
        Some(byte) if byte.is_ascii() => return at + 2,
        _ => return at + 1,
    };
    let open = bytes[at + 1];
    let mut depth = 0;
    for (offset, byte) in bytes.iter().enumerate().skip(at + 1) {
        depth += usize::from(*byte == open);
        if *byte == close {
            depth -= 1;
            if depth == 0 {
                return offset + 1;
            }
        }
        if depth > MAX_DEPTH {
            break;
        }
    }
    text.len()
}

/// Returns the offset of a character outside of references.
fn find_outside(text: &str, wanted: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'$' => at = after_reference(text, at),
            byte if *byte == wanted => return Some(at),
            _ => at += 1,
        }
    }
    None
}

impl<'t> Statements<'t> {
    /// Adds a line to the recipe of the last rule. Returns `false` if there is none.
    fn add_recipe(&mut self, text: &'t str, line: u32, end: u32) -> bool {
        let Some((_, Statement::Rule(rule))) = self.rule.and_then(|at| self.all.get_mut(at)) else { return false };
        rule.recipe.push((text, line));
        rule.end = end;
        true
    }

    fn add(&mut self, line: u32, statement: Statement<'t>) {
        self.all.push((line, statement));
    }

    /// Reads a statement that is no line of a recipe.
    fn statement(&mut self, text: &'t str, line: u32, end: u32) {
        let (word, rest) = text.split_once([' ', '\t', '(']).unwrap_or((text, ""));
        match word {
            "" => {}
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                self.conditions += 1;
                self.add(line, Statement::Value(rest));
            }
            "else" => self.add(line, Statement::Value(rest)),
            "endif" => {
                self.hides_code |= self.conditions == 0;
                self.conditions = self.conditions.saturating_sub(1);
            }
            "include" | "-include" | "sinclude" => {
                self.rule = None;
                self.add(line, Statement::Include(rest));
            }
            "load" | "-load" => self.add(line, Statement::Unread(text)),
            "vpath" => {}
            "undefine" => self.variable(rest.trim()).varies = true,
            "endef" => self.hides_code = true,
            // Directives of other kinds of make.
            _ if text.starts_with('!') || is_of_bsd(word) => self.add(line, Statement::Unread(text)),
            _ => self.assignment_or_rule(text, line, end),
        }
    }

    fn variable(&mut self, name: &'t str) -> &mut Variable<'t> {
        self.variables.entry(name).or_default()
    }

    fn assignment_or_rule(&mut self, text: &'t str, line: u32, end: u32) {
        match sign(text) {
            Some((start, after, Sign::Assign(kind))) => {
                self.rule = None;
                self.assign((&text[..start], kind, text[after..].trim_start()), line, false);
            }
            Some((start, after, Sign::Colon)) => self.rule_of((&text[..start], &text[after..]), line, end),
            // `export X`
            None if MODIFIERS.contains(&text.split_whitespace().next().unwrap_or_default()) => {}
            None if text.starts_with('$') => {
                self.rule = None;
                self.add(line, Statement::Expand(text));
            }
            None => self.add(line, Statement::Unread(text)),
        }
    }

    /// Records an assignment. That of a target holds only there.
    fn assign(&mut self, (name, kind, value): (&'t str, &str, &'t str), line: u32, of_target: bool) {
        let mut name = name.trim();
        while let Some((_, rest)) = name.split_once([' ', '\t']).filter(|(word, _)| MODIFIERS.contains(word)) {
            name = rest.trim_start();
        }
        match name {
            "SHELL" => self.shells.push(value),
            ".SHELLFLAGS" => self.shell_options.push(value),
            // An option can be a text of make.
            "MAKEFLAGS" | "GNUMAKEFLAGS" => self.hides_code |= value.contains("eval"),
            ".DEFAULT_GOAL" => self.goal = Some((line, value)),
            _ => {}
        }
        if let Some((start, end)) = name.find('$').zip(name.rfind([')', '}'])) {
            self.made_names.push((&name[..start], &name[end.max(start) + 1..]));
        } else if name.contains('$') {
            self.made_names.push(("", ""));
        }
        let varies = of_target || self.conditions > 0 || kind == "!" || name.contains('$');
        let variable = self.variables.entry(name).or_default();
        variable.varies |= varies;
        match kind {
            "+" if !variable.value.is_empty() => {
                let joined = format!("{} {value}", variable.value);
                variable.value = Cow::Owned(joined);
            }
            // A value that is there stays.
            "?" if variable.count > 0 => variable.varies = true,
            _ => {
                variable.count += usize::from(kind != "+" || variable.count == 0);
                variable.value = Cow::Borrowed(value);
            }
        }
        self.add(line, if kind == "!" { Statement::Shell(value) } else { Statement::Value(value) });
    }

    /// Reads a variable of several lines, up to its end.
    fn define(&mut self, head: &'t str, line: u32, lines: &mut LogicalLines<'t>) {
        self.rule = None;
        let start = lines.at.min(lines.text.len());
        let mut depth = 1;
        let mut end = start;
        while let Some(text) = lines.next_physical() {
            let word = text.split_whitespace().next().unwrap_or_default();
            depth += usize::from(word == "define");
            if word == "endef" {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            end = lines.at.saturating_sub(1).min(lines.text.len());
        }
        self.hides_code |= depth > 0;
        let (name, kind) = match sign(head) {
            Some((start, _, Sign::Assign(kind))) => (&head[..start], kind),
            _ => (head, ""),
        };
        self.assign((name, kind, &lines.text[start..end.max(start)]), line, false);
    }

    fn rule_of(&mut self, (targets, rest): (&'t str, &'t str), line: u32, end: u32) {
        let targets = targets.trim_end().trim_end_matches('&');
        let (mut prerequisites, recipe) = match find_outside(rest, b';') {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        match sign(prerequisites) {
            Some((start, after, Sign::Assign(kind))) => {
                self.rule = None;
                return self.assign((&prerequisites[..start], kind, rest[after..].trim_start()), line, true);
            }
            // The pattern of the targets stands before those of the prerequisites.
            Some((_, after, Sign::Colon)) => prerequisites = &prerequisites[after..],
            None => {}
        }
        self.rule = Some(self.all.len());
        let recipe = recipe.map(|text| (text, line)).into_iter().collect();
        let is_conditional = self.conditions > 0;
        self.add(line, Statement::Rule(Rule { targets, prerequisites, recipe, end, is_conditional }));
    }
}

/// Returns whether a word is a directive of BSD's make.
fn is_of_bsd(word: &str) -> bool {
    [
        ".if",
        ".ifdef",
        ".ifndef",
        ".ifmake",
        ".elif",
        ".else",
        ".endif",
        ".for",
        ".endfor",
        ".include",
        ".sinclude",
        ".-include",
        ".dinclude",
        ".undef",
        ".error",
        ".export",
    ]
    .contains(&word)
}
