//! Text of a model as a comment that does nothing but be read: no quick action runs, nobody is notified, nothing is referred to,
//! no HTML and no picture is shown, no suggestion can be applied that was not checked. Code stays as it is.
//!
//! Rules from GitLab's source: a quick action is a line with `/` and a command in its first column, outside of code; older versions
//! know only fences of backticks. A mention or reference is found in rendered text, so escapes do not help: it becomes code.

use std::sync::LazyLock;

use regex::Regex;

/// Tags that only fold text.
const HARMLESS: &[&str] = &["<details>", "</details>", "<summary>", "</summary>", "<br>"];

/// What GitLab takes for a mention or a reference: `@user`, `group/project#12`, `!34`, `%milestone`, `~label`, `&5`, `$6`, commits.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "a constant pattern")]
    Regex::new(
        r#"(?x)
        [\w.\-/]*@[\w.\-/]+
        | [\w.\-/]*[\#!]\d+[+s]?
        | [\w.\-/]*[%~](?:"[^"\n]*"|[\w:\-]+)
        | [\w.\-/]*[&$]\d+
        | \[(?:vulnerability|feature_flag|issue|epic|work_item|contact|wiki_page|cadence|iteration)[:|][^\]\n]*\]
        | \b[0-9a-f]{7,40}\b(?:\.\.\.?[0-9a-f]{7,40}\b)?
        "#,
    )
    .expect("a constant pattern")
});

/// The text as it may be posted.
pub fn neutral(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out: Vec<String> = Vec::new();
    let mut open = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match fence(line) {
            Some((indent, char, length, info)) => {
                let mut body: Vec<&str> = Vec::new();
                let mut rest = lines.clone();
                for inner in rest.by_ref() {
                    let closes = fence(inner)
                        .is_some_and(|(_, other, count, info)| other == char && count >= length && info.is_empty());
                    if closes {
                        break;
                    }
                    body.push(inner);
                }
                // One that never ends is closed here: what follows it would be read in two ways.
                lines = rest;
                code_block(&mut out, indent, info, &body);
            }
            None => out.push(prose(line, &mut open)),
        }
    }
    let mut text = out.join("\n").trim_end().to_owned();
    // What stays folded would fold what follows it, too.
    for _ in 0..open {
        text.push_str("\n\n</details>");
    }
    text
}

/// Indent, character, length and info string of a line that opens or closes a block of code.
fn fence(line: &str) -> Option<(usize, char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    let indent = line.len() - bare.len();
    let char = bare.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let length = bare.chars().take_while(|other| *other == char).count();
    let info = bare[length..].trim();
    (indent < 4 && length >= 3 && !(char == '`' && info.contains('`'))).then_some((indent, char, length, info))
}

/// A block of code between backticks that no line inside can close.
fn code_block(out: &mut Vec<String>, indent: usize, info: &str, body: &[&str]) {
    let longest = body.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let ticks = "`".repeat(3.max(longest + 1));
    // A suggestion is made by diffsan alone, where it applies; other words would include or draw something.
    let language: String = info.chars().take_while(|char| char.is_alphanumeric() || "+-_#.".contains(*char)).collect();
    let active = ["suggestion", "mermaid", "math", "plantuml", "json:table"]
        .iter()
        .any(|word| language.to_lowercase().starts_with(word));
    let language = if active { "text" } else { language.as_str() };
    let pad = " ".repeat(indent);
    out.push(format!("{pad}{ticks}{language}"));
    out.extend(body.iter().map(|line| (*line).to_owned()));
    out.push(format!("{pad}{ticks}"));
}

pub(super) fn longest_run(line: &str) -> usize {
    line.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// A line outside of blocks of code. `open` counts what it folds and unfolds.
fn prose(line: &str, open: &mut usize) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = line;
    // Code between backticks that ends on its line stays; all else is text.
    // Two pieces of code that touch would be one.
    let add = |out: &mut String, piece: &str| {
        if out.ends_with('`') && piece.starts_with('`') {
            out.push(' ');
        }
        out.push_str(piece);
    };
    while let Some(at) = rest.find('`') {
        let count = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        let body = &rest[at + count..];
        add(&mut out, &words(&rest[..at], open));
        // Older versions take three at the begin of a line for a block, whatever stands behind them.
        let like_fence = count >= 3 && rest[..at].trim().is_empty() && out.trim().is_empty();
        match code_end(body, count).filter(|_| !like_fence) {
            Some(end) => {
                add(&mut out, &rest[at..at + count + end + count]);
                rest = &body[end + count..];
            }
            None => {
                // It closes nothing here, and must open nothing with a later line.
                out += &"&#96;".repeat(count);
                rest = body;
            }
        }
    }
    add(&mut out, &words(rest, open));
    let first = out.trim_start().chars().next();
    if out.starts_with('/') || first == Some(':') && out.trim_start().starts_with("::") {
        out.insert(0, '\\');
    }
    out
}

/// Where the run of as many backticks begins that ends a piece of code.
fn code_end(text: &str, count: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        if run == count {
            return Some(start);
        }
        at = start + run;
    }
    None
}

/// Text between pieces of code.
fn words(text: &str, open: &mut usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for found in REFERENCE.find_iter(text) {
        out += &plain(&text[at..found.start()], open);
        if out.ends_with('`') {
            out.push(' ');
        }
        out += &format!("`{}`", found.as_str());
        at = found.end();
    }
    out += &plain(&text[at..], open);
    out
}

/// Without HTML and pictures.
fn plain(text: &str, open: &mut usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '!', '[']) {
        out += &rest[..at];
        let here = &rest[at..];
        if let Some(tag) = HARMLESS.iter().find(|tag| here.starts_with(**tag)) {
            match *tag {
                "<details>" => *open += 1,
                "</details>" if *open == 0 => {
                    rest = &here[tag.len()..];
                    continue;
                }
                "</details>" => *open -= 1,
                _ => {}
            }
            out += tag;
            rest = &here[tag.len()..];
            continue;
        }
        if here.starts_with('<') || here.starts_with("![") || here.starts_with("[[_TOC") {
            out.push('\\');
        }
        out += &here[..1];
        rest = &here[1..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_actions_do_not_begin_their_line() {
        assert_eq!(neutral("/approve\n /merge\ntext /close"), "\\/approve\n /merge\ntext /close");
        assert_eq!(neutral("```\n/approve\n```"), "```\n/approve\n```");
        assert_eq!(neutral("~~~\n/approve\n~~~"), "```\n/approve\n```", "older versions know backticks alone");
        assert_eq!(neutral("```rust\n/approve"), "```rust\n/approve\n```", "an open block is closed");
        assert_eq!(neutral("\r/approve"), "\n\\/approve");
    }

    #[test]
    fn nobody_is_notified_and_nothing_is_referred_to() {
        assert_eq!(neutral("ask @alice, see #12 and a/b!34"), "ask `@alice`, see `#12` and `a/b!34`");
        assert_eq!(neutral("`@bob` stays"), "`@bob` stays");
        assert_eq!(neutral("`x`@bob`y`"), "`x` `@bob` `y`");
        assert_eq!(neutral("~bug %\"v 1\" 0123abcdef"), "`~bug` `%\"v 1\"` `0123abcdef`");
        assert_eq!(neutral("50 % of 10 users"), "50 % of 10 users");
    }

    #[test]
    fn html_pictures_and_suggestions_are_text() {
        assert_eq!(neutral("<img src=x> ![a](http://x/y.png)"), "\\<img src=x> \\![a](http://x/y.png)");
        assert_eq!(
            neutral("<details><summary>More</summary>\n\nx\n\n</details>"),
            "<details><summary>More</summary>\n\nx\n\n</details>"
        );
        assert_eq!(neutral("<details>\nx `</details>`"), "<details>\nx `</details>`\n\n</details>");
        assert_eq!(neutral("a</details>b"), "ab");
        assert_eq!(neutral("```suggestion:-0+3\nx\n```"), "```text\nx\n```");
        assert_eq!(neutral("[link](https://a.b/c)"), "[link](https://a.b/c)");
    }

    #[test]
    fn code_stays_and_cannot_be_left() {
        let code = "````md\n```\n@alice <b> #1\n```\n````";
        assert_eq!(neutral(code), code);
        assert_eq!(neutral("```a```/approve"), "&#96;&#96;&#96;a&#96;&#96;&#96;/approve");
        assert_eq!(neutral("a `x` b ``y ` z`` c ` d"), "a `x` b ``y ` z`` c &#96; d");
    }
}
