//! Finds secrets in a text. In: bytes and what is known of where they come from. Out: spans that do not overlap, in order.
//! It changes nothing.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::rules::{Rule, Rules, entropy};
use super::values::is_placeholder;
use super::{Redactor, blocks, keyed};

/// A secret's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: Cow<'static, str>,
}

/// How far around a keyword a rule looks in a line that has no end in sight.
const REACH: usize = 4096;

/// What stands where something was masked before.
pub(super) fn marker() -> &'static Regex {
    static CELL: OnceLock<Regex> = OnceLock::new();
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    CELL.get_or_init(|| Regex::new(r"\[REDACTED(?::[^\]\r\n]{1,80}:\d{1,9})?\]").expect("a constant pattern"))
}

/// Whether a file's values are plain text, so that an unquoted name is a value: `.env`, INI, properties, shell history.
pub(super) fn has_plain_values(place: &str) -> bool {
    let name = place.rsplit('/').next().unwrap_or(place).to_lowercase();
    const ENDS: &[&str] = &[
        ".env",
        ".ini",
        ".cfg",
        ".conf",
        ".cnf",
        ".properties",
        ".toml",
        ".yaml",
        ".yml",
        ".tfvars",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".gitconfig",
        ".dockercfg",
        "credentials",
        ".secret",
        ".secrets",
        ".sh_history",
        ".bash_history",
        ".envrc",
        ".service",
        ".pgpass",
        ".my.cnf",
        ".s3cfg",
        ".htpasswd",
        ".ovpn",
    ];
    ENDS.iter().any(|end| name.ends_with(end))
        || name.starts_with(".env")
        || name.starts_with("env.")
        || name == "dockerfile"
}

/// Finds everything.
pub(super) fn find(text: &[u8], place: &str, redactor: &Redactor) -> Vec<Span> {
    let mut spans = Vec::new();
    blocks::find(text, &mut spans);
    formats(redactor.rules, text, &mut spans);
    let plain = has_plain_values(place);
    for (offset, line) in secret_lines(text) {
        keyed::find(line, offset, plain, &mut spans);
    }
    for rule in &redactor.extra {
        matches(rule, text, 0, &mut spans);
    }
    settle(spans, text)
}

/// Lines that a secret's key might stand in.
fn secret_lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    static WORDS: OnceLock<aho_corasick::AhoCorasick> = OnceLock::new();
    #[allow(clippy::expect_used, reason = "constant words")]
    let words = WORDS.get_or_init(|| {
        aho_corasick::AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(["pass", "pwd", "pw", "secret", "token", "credential", "key", "auth", "psk"])
            .expect("constant words")
    });
    let mut next = 0;
    std::iter::from_fn(move || {
        let hit = words.find(aho_corasick::Input::new(text).range(next.min(text.len())..))?;
        let start = text[..hit.start()].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let end = text[hit.end()..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |at| hit.end() + at);
        next = end;
        Some((start, &text[start..end]))
    })
}

/// Formats, tried around their keywords.
fn formats(rules: &Rules, text: &[u8], spans: &mut Vec<Span>) {
    // Where each rule was tried last, so that a line with many keywords is read once.
    let mut tried = vec![0usize; rules.all.len()];
    for hit in rules.keywords.find_overlapping_iter(text) {
        for &index in &rules.by_keyword[hit.pattern().as_usize()] {
            if hit.start() < tried[index] {
                continue;
            }
            let from = hit.start().saturating_sub(REACH);
            let start =
                text[from..hit.start()].iter().rposition(|&byte| byte == b'\n').map_or(from, |at| from + at + 1);
            let to = (hit.end() + REACH).min(text.len());
            let end = text[hit.end()..to].iter().position(|&byte| byte == b'\n').map_or(to, |at| hit.end() + at);
            // Where the line goes on, the last part is read again with what follows it.
            tried[index] = if end == to && to < text.len() { end - REACH / 2 } else { end };
            matches(&rules.all[index], &text[start..end], start, spans);
        }
    }
}

fn matches(rule: &Rule, text: &[u8], offset: usize, spans: &mut Vec<Span>) {
    for found in rule.pattern.captures_iter(text) {
        let secret = (1..found.len()).find_map(|group| found.get(group)).or_else(|| found.get(0));
        let Some(secret) = secret.filter(|secret| !secret.is_empty()) else { continue };
        if rule.entropy > 0.0 && entropy(secret.as_bytes()) < rule.entropy {
            continue;
        }
        spans.push(Span {
            start: offset + secret.start(),
            end: offset + secret.end(),
            rule: Cow::Owned(rule.name.clone()),
        });
    }
}

/// Removes what was masked before or plainly stands for something else, and joins what overlaps: the first rule names it.
fn settle(spans: Vec<Span>, text: &[u8]) -> Vec<Span> {
    let marks: Vec<(usize, usize)> = marker().find_iter(text).map(|mark| (mark.start(), mark.end())).collect();
    let mut spans: Vec<Span> = spans.into_iter().flat_map(|span| outside(&marks, span)).collect();
    spans.retain(|span| span.rule == blocks::RULE || !is_placeholder(&text[span.start..span.end]));
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut settled: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match settled.last_mut() {
            Some(last) if span.start < last.end => {
                // A format's name says more than that a key named it.
                if last.rule == keyed::RULE && span.end >= last.end {
                    last.rule = span.rule;
                }
                last.end = last.end.max(span.end);
            }
            _ => settled.push(span),
        }
    }
    settled
}

/// The parts of a span that no mark covers; none of one that begins in a mark, which is that mark's own text.
fn outside(marks: &[(usize, usize)], span: Span) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = span.start;
    let first = marks.partition_point(|&(_, end)| end <= span.start);
    for &(from, to) in marks[first..].iter().take_while(|&&(from, _)| from < span.end) {
        if from <= span.start && span.rule != blocks::RULE {
            return Vec::new();
        }
        if start < from {
            parts.push(Span { start, end: from, rule: span.rule.clone() });
        }
        start = to;
    }
    if start < span.end {
        parts.push(Span { start, end: span.end, rule: span.rule });
    }
    parts
}
