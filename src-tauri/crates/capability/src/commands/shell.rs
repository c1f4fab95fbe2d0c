//! Reads a text of a shell with tree-sitter. The grammar is that of Bash, which reads most of the other shells too.
//!
//! Walks without recursion, because a tree can be as deep as its text is long.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use smol_str::SmolStr;
use tree_sitter::{Node, Parser, Tree};

use super::folders::{Folders, changes_folder};
use super::settings;
use super::step::{Input, Step, is_unknown};
use super::survey::{Survey, survey};
use super::words::{EXPRESSION, Words};
use super::{Commands, Names};

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
    pub(crate) given: &'a Names,
    /// The folder in which it starts.
    pub(crate) folder: SmolStr,
    /// The definition that it belongs to.
    pub(crate) unit: usize,
}

static NO_NAMES: Names = Names::new();

impl<'a> Text<'a> {
    /// Creates the text of a whole file.
    pub(crate) fn of_file(code: &'a str) -> Self {
        Self::new(code, Lines::From(1))
    }

    /// Creates a text with its lines.
    pub(crate) fn new(code: impl Into<Cow<'a, str>>, lines: Lines) -> Self {
        Self { code: code.into(), lines, given: &NO_NAMES, folder: SmolStr::default(), unit: 0 }
    }

    pub(super) fn line(&self, node: Node<'_>) -> u32 {
        match self.lines {
            Lines::From(first) => first.saturating_add(u32::try_from(node.start_position().row).unwrap_or(u32::MAX)),
            Lines::At(line) => line,
        }
    }

    pub(super) fn end(&self, node: Node<'_>) -> u32 {
        match self.lines {
            Lines::From(first) => first.saturating_add(u32::try_from(node.end_position().row).unwrap_or(u32::MAX)),
            Lines::At(line) => line,
        }
    }
}

/// The next thing that the reader does.
enum Visit<'t> {
    Node(Node<'t>, Context),
    /// Begins and ends a shell, whose changes of the folder are not those of the script.
    Save,
    Restore,
    /// The folder is not known from here.
    Forget,
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
        folders: Folders::new(&text.folder),
    };
    let mut stack = vec![Visit::Node(tree.root_node(), Context { unit: text.unit, input: 0 })];
    while let Some(next) = stack.pop() {
        let from = stack.len();
        match next {
            Visit::Node(node, context) => reader.visit(node, context, &mut stack),
            Visit::Save => reader.folders.save(),
            Visit::Restore => reader.folders.restore(),
            Visit::Forget => reader.folders.forget(),
        }
        stack[from..].reverse();
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
    folders: Folders,
}

impl Reader<'_> {
    fn visit<'t>(&mut self, node: Node<'t>, context: Context, stack: &mut Vec<Visit<'t>>) {
        let mut inner = context;
        match node.kind() {
            "comment" => return,
            "pipeline" => {
                let input = self.input(Input::Pipe);
                let mut cursor = node.walk();
                for (at, child) in node.named_children(&mut cursor).enumerate() {
                    let context = if at == 0 { context } else { Context { input, ..context } };
                    stack.extend([Visit::Save, Visit::Node(child, context), Visit::Restore]);
                }
                return;
            }
            "list" => return self.list(node, context, stack),
            "redirected_statement" => inner.input = self.redirected(node, context),
            "heredoc_redirect" => return self.heredoc(node, context, stack),
            "file_redirect" => self.redirect(node, context),
            "function_definition" => {
                inner.unit = self.survey.units.get(&node.id()).copied().unwrap_or(context.unit);
            }
            "command" => self.command(node, context),
            "declaration_command" | "unset_command" => self.declaration(node, context),
            "variable_assignment" => self.assignment(node, context),
            "simple_expansion" | "expansion" => self.variable(node, context),
            "command_substitution" | "process_substitution" => inner.input = 0,
            _ => {}
        }
        let is_shell =
            matches!(node.kind(), "subshell" | "command_substitution" | "process_substitution" | "function_definition");
        let is_loop = matches!(node.kind(), "for_statement" | "while_statement" | "c_style_for_statement");
        let changes =
            (is_loop || matches!(node.kind(), "if_statement" | "case_statement")) && self.survey.changes.are_in(node);
        if is_shell {
            stack.push(Visit::Save);
        }
        let is_called_elsewhere = node.kind() == "function_definition" && self.survey.changes.are_around_calls(node);
        if is_loop && changes || is_called_elsewhere {
            stack.push(Visit::Forget);
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "elif_clause" | "else_clause" if changes => stack.push(Visit::Forget),
                "case_item" if changes => {
                    stack.extend([Visit::Save, Visit::Node(child, inner), Visit::Restore]);
                    continue;
                }
                // The statement before has a shell of its own.
                "&" => {
                    let at = stack.iter().rposition(|visit| matches!(visit, Visit::Node(..))).unwrap_or(stack.len());
                    stack.insert(at, Visit::Save);
                    stack.push(Visit::Restore);
                }
                _ => {}
            }
            stack.push(Visit::Node(child, inner));
        }
        if is_shell {
            stack.push(Visit::Restore);
        }
        if changes {
            stack.push(Visit::Forget);
        }
    }

    /// Visits the statements of `a && b || c`. Those behind the first do not always run.
    fn list<'t>(&mut self, node: Node<'t>, context: Context, stack: &mut Vec<Visit<'t>>) {
        let mut parts = Vec::new();
        let mut left = node;
        while left.kind() == "list" {
            let mut cursor = left.walk();
            let children: Vec<Node<'t>> = left.named_children(&mut cursor).collect();
            let Some((first, rest)) = children.split_first() else { break };
            parts.extend(rest.iter().rev().copied());
            left = *first;
        }
        let changes = parts.iter().any(|part| self.survey.changes.are_in(*part));
        stack.push(Visit::Node(left, context));
        stack.extend(parts.into_iter().rev().map(|part| Visit::Node(part, context)));
        if changes {
            stack.push(Visit::Forget);
        }
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
    fn heredoc<'t>(&mut self, node: Node<'t>, context: Context, stack: &mut Vec<Visit<'t>>) {
        let pipe = self.input(Input::Pipe);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() == "pipeline" {
                let mut inside = child.walk();
                let commands = child.named_children(&mut inside);
                for command in commands {
                    let command = Visit::Node(command, Context { input: pipe, ..context });
                    stack.extend([Visit::Save, command, Visit::Restore]);
                }
            } else {
                stack.push(Visit::Node(child, Context { input: 0, ..context }));
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
        let folder = self.folders.current.clone();
        let functions = self.survey.functions(first, node.start_byte(), context.unit != self.text.unit);
        if changes_folder(&words) {
            self.folders.apply(&words);
        } else if !functions.units.is_empty() && self.survey.changes.are_in_functions() {
            self.folders.forget();
        }
        self.found.add_in(context.unit, Step::Command { words, input, functions, folder }, self.text.line(node));
    }

    /// Adds a declaration of variables as a command.
    fn declaration(&mut self, node: Node<'_>, context: Context) {
        let mut words: Vec<SmolStr> = node.child(0).map(|keyword| keyword.kind().into()).into_iter().collect();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let name = child.child_by_field_name("name").filter(|_| child.kind() == "variable_assignment");
            words.push(self.words.word(name.unwrap_or(child)));
        }
        self.found.add_in(context.unit, Step::command(words), self.text.line(node));
    }

    /// Adds an assignment that changes what other programs run.
    fn assignment(&mut self, node: Node<'_>, context: Context) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let value = node.child_by_field_name("value").map(|value| self.words.word(value)).unwrap_or_default();
        let name = self.words.text.get(name.byte_range()).unwrap_or_default();
        if let Some(step) = settings::set(name, &value) {
            self.found.add_in(context.unit, step, self.text.line(node));
        }
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
        if name.starts_with(EXPRESSION) || !self.survey.variables.is_of_environment(&name, self.text.given) {
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
