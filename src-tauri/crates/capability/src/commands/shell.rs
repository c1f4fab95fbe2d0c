//! Reads a text of a shell with tree-sitter. The grammar is that of Bash, which reads most of the other shells too.
//!
//! Walks without recursion, because a tree can be as deep as its text is long.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;
use tree_sitter::{Node, Parser, Tree};

use super::step::{Functions, Input, Step, is_unknown};
use super::variables::Variables;
use super::words::Words;
use super::{Commands, Names};
use crate::facts::UnitKind;

/// Commands that set the variables that their arguments name.
const SETTERS: &[&str] = &["read", "mapfile", "readarray", "getopts", "printf", "let"];
/// Commands that run another text in the shell of the script.
const LOADERS: &[&str] = &["source", ".", "eval"];
/// Files that stand for streams of the script.
const STREAMS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero"];

/// The lines of the file that a text comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lines {
    /// The text begins in this line, and has the lines of the file.
    From(u32),
    /// All of the text is in this line.
    At(u32),
}

/// A text of a shell in a file.
pub(crate) struct Text<'a> {
    pub(crate) code: Cow<'a, str>,
    pub(crate) lines: Lines,
    /// The variables that the file gives to the script.
    pub(crate) given: Names,
}

impl<'a> Text<'a> {
    /// Creates the text of a whole file.
    pub(crate) fn of_file(code: &'a str) -> Self {
        Self::new(code, Lines::From(1))
    }

    /// Creates a text with its lines.
    pub(crate) fn new(code: impl Into<Cow<'a, str>>, lines: Lines) -> Self {
        Self { code: code.into(), lines, given: Names::new() }
    }

    fn line(&self, node: Node<'_>) -> u32 {
        match self.lines {
            Lines::From(first) => first.saturating_add(u32::try_from(node.start_position().row).unwrap_or(u32::MAX)),
            Lines::At(line) => line,
        }
    }

    fn end(&self, node: Node<'_>) -> u32 {
        match self.lines {
            Lines::From(first) => first.saturating_add(u32::try_from(node.end_position().row).unwrap_or(u32::MAX)),
            Lines::At(line) => line,
        }
    }
}

/// A function of the text.
struct Function {
    unit: usize,
    /// Whether every run of the script defines it.
    always: bool,
    end: usize,
}

/// The result of a first walk over a text.
#[derive(Default)]
struct Survey {
    variables: Variables,
    functions: HashMap<SmolStr, Vec<Function>>,
    /// The units of the nodes that define functions.
    units: HashMap<usize, usize>,
    /// Whether the script removes functions.
    removes: bool,
}

/// The state in which a node is visited.
#[derive(Clone, Copy)]
struct Context {
    unit: usize,
    /// The index of the source of the standard input.
    input: usize,
}

fn parse(code: &str) -> Option<Tree> {
    thread_local!(static PARSER: RefCell<Parser> = RefCell::new(Parser::new()));
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&diffsan_grammars::bash::language()).ok()?;
        parser.parse(code, None)
    })
}

/// Adds the steps of a text.
pub(crate) fn read(found: &mut Commands, text: &Text<'_>) {
    let code =
        if text.code.contains('\r') { Cow::Owned(text.code.replace('\r', " ")) } else { Cow::Borrowed(&*text.code) };
    let Some(tree) = parse(&code) else {
        found.hides_code = true;
        return;
    };
    let survey = survey(found, text, &code, &tree);
    let mut reader = Reader {
        found,
        text,
        words: survey.variables.words(&code),
        survey: &survey,
        inputs: vec![(Input::Inherited, Vec::new())],
        variables: BTreeSet::new(),
    };
    let mut stack = vec![(tree.root_node(), Context { unit: 0, input: 0 })];
    while let Some((node, context)) = stack.pop() {
        let from = stack.len();
        reader.visit(node, context, &mut stack);
        stack[from..].reverse();
    }
}

/// Finds the variables and functions of a text.
fn survey(found: &mut Commands, text: &Text<'_>, code: &str, tree: &Tree) -> Survey {
    let mut survey = Survey::default();
    let plain = Variables::default();
    let words = plain.words(code);
    let mut stack = vec![(tree.root_node(), true)];
    while let Some((node, always)) = stack.pop() {
        found.hides_code |= node.is_error() || node.is_missing();
        let mut inner = always && matches!(node.kind(), "program" | "declaration_command" | "variable_assignments");
        match node.kind() {
            "variable_assignment" => survey.variables.assign(node, code, always),
            "for_statement" => {
                if let Some(name) = node.child_by_field_name("variable") {
                    survey.variables.set(code.get(name.byte_range()).unwrap_or_default());
                }
            }
            "command" => {
                inner = false;
                survey.command(node, &words);
            }
            "declaration_command" | "unset_command" => survey.declaration(node, &words),
            "function_definition" => {
                let name = node.child_by_field_name("name").map(|name| words.word(name)).unwrap_or_default();
                let unit = found.define(&name, UnitKind::Function, (text.line(node), text.end(node)), 0);
                survey.units.insert(node.id(), unit);
                let function = Function { unit, always, end: node.end_byte() };
                survey.functions.entry(name).or_default().push(function);
            }
            _ => {}
        }
        let mut cursor = node.walk();
        let from = stack.len();
        stack.extend(node.children(&mut cursor).map(|child| (child, inner)));
        stack[from..].reverse();
    }
    survey.find_constants(code, tree);
    survey
}

impl Survey {
    fn command(&mut self, node: Node<'_>, words: &Words<'_>) {
        let name = node.child_by_field_name("name").map(|name| words.word(name)).unwrap_or_default();
        let sets = SETTERS.contains(&name.as_str());
        if LOADERS.contains(&name.as_str()) {
            self.variables.load_others();
        }
        let mut cursor = node.walk();
        for argument in node.children_by_field_name("argument", &mut cursor) {
            self.variables.mention(&words.word(argument), sets);
        }
    }

    fn declaration(&mut self, node: Node<'_>, words: &Words<'_>) {
        let keyword = node.child(0).map(|keyword| keyword.kind());
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_name" => self.variables.mention(&words.word(child), keyword != Some("export")),
                "word" if keyword == Some("unset") && words.word(child) == "-f" => self.removes = true,
                _ => {}
            }
        }
    }

    fn find_constants(&mut self, code: &str, tree: &Tree) {
        let root = tree.root_node();
        self.variables.find_constants(|known, start, end| {
            let node = root.descendant_for_byte_range(start, end)?;
            (node.byte_range() == (start..end)).then(|| known.words(code).word(node))
        });
    }

    /// Returns the functions that a command at an offset runs. In a function, all are defined.
    fn functions(&self, name: &str, at: usize, unit: usize) -> Functions {
        let Some(all) = self.functions.get(name) else { return Functions::default() };
        let certain = !self.removes && all.iter().any(|one| one.always && (unit != 0 || one.end <= at));
        Functions { units: all.iter().map(|one| one.unit).collect(), certain }
    }
}

struct Reader<'a> {
    found: &'a mut Commands,
    text: &'a Text<'a>,
    words: Words<'a>,
    survey: &'a Survey,
    /// The sources of standard input, and the arguments that stand behind the redirection.
    inputs: Vec<(Input, Vec<SmolStr>)>,
    /// The variables of the environment that were read, by unit.
    variables: BTreeSet<(usize, SmolStr)>,
}

impl Reader<'_> {
    fn visit<'t>(&mut self, node: Node<'t>, context: Context, stack: &mut Vec<(Node<'t>, Context)>) {
        let mut inner = context;
        match node.kind() {
            "comment" => return,
            "pipeline" => {
                let input = self.input(Input::Pipe);
                let mut cursor = node.walk();
                for (at, child) in node.named_children(&mut cursor).enumerate() {
                    stack.push((child, if at == 0 { context } else { Context { input, ..context } }));
                }
                return;
            }
            "redirected_statement" => inner.input = self.redirected(node, context),
            "heredoc_redirect" => return self.heredoc(node, context, stack),
            "file_redirect" => self.redirect(node, context),
            "function_definition" => inner.unit = self.survey.units.get(&node.id()).copied().unwrap_or(context.unit),
            "command" => self.command(node, context),
            "declaration_command" | "unset_command" => self.declaration(node, context),
            "simple_expansion" | "expansion" => self.variable(node, context),
            "command_substitution" | "process_substitution" => inner.input = 0,
            _ => {}
        }
        let mut cursor = node.walk();
        stack.extend(node.children(&mut cursor).map(|child| (child, inner)));
    }

    fn input(&mut self, input: Input) -> usize {
        self.inputs.push((input, Vec::new()));
        self.inputs.len() - 1
    }

    /// Returns the index of the standard input that redirections give to a statement.
    fn redirected(&mut self, node: Node<'_>, context: Context) -> usize {
        let mut input = None;
        let mut arguments = Vec::new();
        let mut cursor = node.walk();
        for redirect in node.named_children(&mut cursor) {
            let mut inside = redirect.walk();
            match redirect.kind() {
                "heredoc_redirect" => {
                    let body = redirect.named_children(&mut inside).find(|child| child.kind() == "heredoc_body");
                    input = body.map(|body| Input::Text(self.words.word(body)));
                    let mut inside = redirect.walk();
                    arguments.extend(
                        redirect.children_by_field_name("argument", &mut inside).map(|one| self.words.word(one)),
                    );
                }
                "herestring_redirect" => {
                    let word = redirect.named_children(&mut inside).last();
                    input = word.map(|word| Input::Text(self.words.word(word)));
                }
                "file_redirect" if operator(redirect) == "<" => {
                    let name = redirect.child_by_field_name("destination");
                    input = name.map(|name| Input::File(self.words.word(name)));
                }
                _ => {}
            }
        }
        if input.is_none() && arguments.is_empty() {
            return context.input;
        }
        self.inputs.push((input.unwrap_or(Input::Inherited), arguments));
        self.inputs.len() - 1
    }

    /// Visits the parts of a here document. The commands behind its mark read the output of the one before.
    fn heredoc<'t>(&mut self, node: Node<'t>, context: Context, stack: &mut Vec<(Node<'t>, Context)>) {
        let pipe = self.input(Input::Pipe);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() == "pipeline" {
                let mut inside = child.walk();
                let commands = child.named_children(&mut inside);
                stack.extend(commands.map(|command| (command, Context { input: pipe, ..context })));
            } else {
                stack.push((child, Context { input: 0, ..context }));
            }
        }
    }

    /// Adds a redirection to or from a file.
    fn redirect(&mut self, node: Node<'_>, context: Context) {
        let Some(destination) = node.child_by_field_name("destination") else { return };
        if destination.kind() == "process_substitution" {
            return;
        }
        let path = self.words.word(destination);
        let operator = operator(node);
        let is_stream = path.chars().all(|char| char.is_ascii_digit() || char == '-') || path.starts_with("/dev/fd/");
        if path.is_empty() || STREAMS.contains(&path.as_str()) || operator.contains('&') && is_stream {
            return;
        }
        let step = if operator.starts_with('<') { Step::Read(path) } else { Step::Write(path) };
        self.found.add_in(context.unit, step, self.text.line(node));
    }

    fn command(&mut self, node: Node<'_>, context: Context) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let mut words = vec![self.words.word(name)];
        // A variable without quotes can have the words of a command, or none.
        let is_quoted = name.named_child(0).is_some_and(|child| child.kind().contains("string"));
        if !is_quoted
            && !is_unknown(&words[0])
            && self.words.text.get(name.byte_range()).is_some_and(|text| text.contains('$'))
        {
            words = words[0].split_whitespace().map(SmolStr::new).collect();
        }
        let mut cursor = node.walk();
        words.extend(node.children_by_field_name("argument", &mut cursor).map(|argument| self.words.word(argument)));
        let (mut input, behind) = self.inputs.get(context.input).cloned().unwrap_or((Input::Inherited, Vec::new()));
        words.extend(behind);
        let mut cursor = node.walk();
        for redirect in node.children_by_field_name("redirect", &mut cursor) {
            let word = redirect.named_child(redirect.named_child_count().saturating_sub(1) as u32);
            match (redirect.kind(), word) {
                ("herestring_redirect", Some(word)) => input = Input::Text(self.words.word(word)),
                ("file_redirect", Some(word)) if operator(redirect) == "<" => {
                    input = Input::File(self.words.word(word))
                }
                _ => {}
            }
        }
        let Some(first) = words.first() else { return };
        let functions = self.survey.functions(first, node.start_byte(), context.unit);
        self.found.add_in(context.unit, Step::Command { words, input, functions }, self.text.line(node));
    }

    /// Adds a declaration of variables as a command.
    fn declaration(&mut self, node: Node<'_>, context: Context) {
        let mut words: Vec<SmolStr> = node.child(0).map(|keyword| keyword.kind().into()).into_iter().collect();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let name = child.child_by_field_name("name").filter(|_| child.kind() == "variable_assignment");
            words.push(self.words.word(name.unwrap_or(child)));
        }
        let step = Step::Command { words, input: Input::Inherited, functions: Functions::default() };
        self.found.add_in(context.unit, step, self.text.line(node));
    }

    /// Adds a read of a variable of the environment, once for each function.
    fn variable(&mut self, node: Node<'_>, context: Context) {
        let mut cursor = node.walk();
        let Some(name) = node.named_children(&mut cursor).next() else { return };
        let name = name.child_by_field_name("name").unwrap_or(name);
        if name.kind() != "variable_name" {
            return;
        }
        let name = SmolStr::new(self.words.text.get(name.byte_range()).unwrap_or_default());
        if name == super::words::EXPRESSION || !self.survey.variables.is_of_environment(&name, &self.text.given) {
            return;
        }
        if self.variables.insert((context.unit, name.clone())) {
            self.found.add_in(context.unit, Step::Variable(name), self.text.line(node));
        }
    }
}

/// Returns the operator of a redirection.
fn operator<'t>(redirect: Node<'t>) -> &'t str {
    let mut cursor = redirect.walk();
    let token = redirect.children(&mut cursor).find(|child| !child.is_named());
    token.map_or("", |token| token.kind())
}
