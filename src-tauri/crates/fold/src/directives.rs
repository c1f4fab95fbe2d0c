//! Finds comments that a tool may read: compilers, linters, formatters, test runners, documentation tests. Only comments that are
//! surely for people count as plain.

use std::collections::HashSet;
use std::sync::LazyLock;

use diffsan_syntax::language::Language;
use diffsan_syntax::tokens::TokenClass;
use regex::Regex;

use crate::source::Source;

/// Marks of comments for tools, anywhere in the comment.
const MARKS: &str = r"(?xi)
    @\w | \b(eslint|prettier|tslint|jshint|jscs|istanbul|webpack\w*|biome|deno|stylelint|oxlint|rollup|vite|swc|babel|jsx|flow)\b
    | \b(c8|v8|node:coverage)\ ignore | \#__\w+__ | sourcemapping | sourceurl | language\s*=
    | \b(noqa|nosec|nosonar|nolint\w*|nosemgrep|noinspection|pylint|pyright|mypy|ruff|flake8|isort|yapf|pragma|coverage)\b
    | coding[:=] | \b(go:\w|\+build|lint:|gosec|want\ [`\x22]) | clang- | checkstyle | suppress | spotbugs | sonar
    | rubocop | sorbet | phpstan | psalm | phpcs | codecov | lcov | \b(end)?region\b | gitleaks | trufflehog | nocov | fallthrough | falls?\ through
    | safety: | rustfmt | clippy | cspell | codespell | editorconfig | vim: | vi: | -\*- | do\ not\ edit | @generated | doctest";
/// A beginning of a comment that is a word for a tool: `type:`, `fmt: off`, `eslint-disable`, `go:embed`, `#!`.
const BEGINNING: &str = r"^(?:[a-z_]+[a-z0-9_]*[:=]|[a-z]+[-:/][a-z]|[#!~@+$%&|<>=^?\\]|\{)";

pub(crate) fn find(source: &Source<'_>) -> HashSet<usize> {
    let Some(language) = source.language else { return HashSet::new() };
    let all = (0..source.tokens.len()).filter(|index| source.tokens[*index].class == TokenClass::Comment);
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for index in all {
        match runs.last_mut() {
            // Comments on adjacent lines are one text: a fence of a documentation test is only in its first and last line.
            Some(run) if run.last().is_some_and(|last| follows(source, *last, index)) => run.push(index),
            _ => runs.push(vec![index]),
        }
    }
    let c_code = language == Language::Go && source.lines.text.contains("import \"C\"");
    let is_read = |run: &Vec<usize>| c_code || run.iter().any(|index| is_read(source, language, *index));
    let mut found: HashSet<usize> = HashSet::new();
    for run in runs {
        let documentation = run.iter().any(|index| has_code(language, source.text_of(*index)));
        let output = language == Language::Go && run.iter().any(|index| is_output(source.text_of(*index)));
        if documentation || output || is_read(&run) {
            found.extend(run);
        }
    }
    found
}

fn follows(source: &Source<'_>, last: usize, index: usize) -> bool {
    let end = source.lines.line_at(source.tokens[last].range.end.saturating_sub(1));
    index == last + 1 && source.lines.line_at(source.tokens[index].range.start) <= end + 1
}

fn is_read(source: &Source<'_>, language: Language, index: usize) -> bool {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(MARKS).ok());
    static BEGIN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(BEGINNING).ok());
    let text = source.text_of(index);
    let body = text.trim_start_matches(['/', '*', '#']);
    // `//go:embed` and `//export`: a comment for people has a blank.
    let close = language == Language::Go && body.starts_with(|char: char| char.is_ascii_lowercase());
    let is_match =
        |regex: &LazyLock<Option<Regex>>, text: &str| regex.as_ref().is_none_or(|regex| regex.is_match(text));
    let first_line = source.lines.line_at(source.tokens[index].range.start);
    text.starts_with("#!")
        || text.starts_with("/*!")
        || close
        || is_match(&MARK, text)
        || is_match(&BEGIN, body.trim_start())
        || (first_line == 0 && language == Language::Php)
        || spans_code(source, index)
}

/// Returns whether a comment of several lines has code beside it. Its line breaks may end a statement.
fn spans_code(source: &Source<'_>, index: usize) -> bool {
    if !source.text_of(index).trim_end().contains('\n') {
        return false;
    }
    let (alone, next) = source.placement(index);
    !alone || next == Some(0)
}

/// Returns whether a comment may contain code that a documentation test runs.
fn has_code(language: Language, text: &str) -> bool {
    let documentation = match language {
        Language::Rust => text.starts_with("///") || text.starts_with("//!") || text.starts_with("/**"),
        _ => false,
    };
    let indented = |line: &str| line.trim_start_matches(['/', '!', '*']).starts_with("     ");
    documentation && (text.contains("```") || text.contains("~~~") || text.lines().any(indented))
        || text.contains(">>>")
}

/// Returns whether a comment is the expected output of one of Go's examples.
fn is_output(text: &str) -> bool {
    let text = text.trim_start_matches(['/', '*', ' ']).to_lowercase();
    text.starts_with("output:") || text.starts_with("unordered output:")
}
