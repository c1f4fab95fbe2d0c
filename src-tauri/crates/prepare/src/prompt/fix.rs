//! Fix blocks: edits that an agent proposes in an answer.
//!
//! In: an answer in Markdown, and the text of a file. Out: each block's file, old and new text, or the reason why it is not valid; the file
//! with a fix applied. Nothing is written here, and a fix that does not fit exactly once is refused.

use diffsan_change::WorkPath;
use diffsan_redact::TOKEN;

const OLD: &str = "<<<<<<< OLD";
const DIVIDE: &str = "=======";
const NEW: &str = ">>>>>>> NEW";

/// A proposed edit of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixBlock {
    /// The path of the file as the agent wrote it.
    pub path: String,
    /// The text to replace; empty to create the file.
    pub old: String,
    /// The new text.
    pub new: String,
}

/// A fix block and its lines in the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBlock {
    /// The line of its fence, from 0.
    pub line: usize,
    /// The number of lines, including the fences.
    pub lines: usize,
    /// The proposed edit, or the reason why the block is not valid.
    pub block: Result<FixBlock, String>,
}

/// Returns every fix block of an answer, in order.
pub fn find(answer: &str) -> Vec<FoundBlock> {
    let lines: Vec<&str> = answer.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((ticks, info)) = fence(lines[at]) else {
            at += 1;
            continue;
        };
        let inner = at + 1;
        let close = (inner..lines.len()).find(|&line| {
            let text = lines[line].trim();
            text.len() >= ticks && text.bytes().all(|byte| byte == b'`')
        });
        let end = close.unwrap_or(lines.len());
        if let Some(path) =
            info.strip_prefix("fix").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            let block = match close {
                Some(_) => parse(path.trim(), &lines[inner..end]),
                None => Err("the block does not end: its closing fence is missing".to_owned()),
            };
            found.push(FoundBlock { line: at, lines: (end + 1).min(lines.len()) - at, block });
        }
        at = end + 1;
    }
    found
}

/// Returns the number of ticks and the info string of a line that opens a fence.
fn fence(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    if line.len() - text.len() > 3 {
        return None;
    }
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let info = text[ticks..].trim();
    (ticks >= 3 && !info.contains('`')).then_some((ticks, info))
}

fn parse(path: &str, lines: &[&str]) -> Result<FixBlock, String> {
    let path = path.trim_matches(['`', '"']);
    if path.is_empty() {
        return Err("the file name is missing after `fix`".to_owned());
    }
    WorkPath::parse(path).map_err(|refusal| refusal.to_string())?;
    let at = |mark: &str| -> Vec<usize> {
        lines.iter().enumerate().filter(|(_, line)| line.trim_end() == mark).map(|(at, _)| at).collect()
    };
    let one = |mark: &str| match at(mark)[..] {
        [one] => Ok(one),
        [] => Err(format!("the line `{mark}` is missing")),
        _ => Err(format!("the line `{mark}` is there more than once")),
    };
    let (old, new) = (one(OLD)?, one(NEW)?);
    let divides: Vec<usize> = at(DIVIDE).into_iter().filter(|at| (old..new).contains(at)).collect();
    let divide = match divides[..] {
        [one] => one,
        [] => return Err(format!("the line `{DIVIDE}` between old and new text is missing")),
        _ => return Err(format!("the line `{DIVIDE}` is there more than once, so the separator is ambiguous")),
    };
    if old > new {
        return Err(format!("`{NEW}` is before `{OLD}`"));
    }
    if lines[..old].iter().chain(&lines[new + 1..]).any(|line| !line.trim().is_empty()) {
        return Err(format!("there is text outside `{OLD}` and `{NEW}`"));
    }
    // The line ends are those of the file; a carriage return that is left over is not part of a line.
    let text =
        |lines: &[&str]| lines.iter().map(|line| format!("{}\n", line.trim_end_matches('\r'))).collect::<String>();
    let block =
        FixBlock { path: path.to_owned(), old: text(&lines[old + 1..divide]), new: text(&lines[divide + 1..new]) };
    let mark = TOKEN.trim_end_matches(']');
    if block.old.contains(mark) || block.new.contains(mark) {
        return Err("it contains a masked secret: applying it would overwrite the real value".to_owned());
    }
    if block.old == block.new {
        return Err("the old and the new text are the same".to_owned());
    }
    Ok(block)
}

/// Returns the file with the fix applied. `content` is `None` if the file does not exist.
pub fn apply(block: &FixBlock, content: Option<&str>) -> Result<String, String> {
    let path = &block.path;
    let Some(content) = content else {
        return if block.old.is_empty() { Ok(block.new.clone()) } else { Err(format!("there is no file {path}")) };
    };
    if block.old.is_empty() {
        return Err(format!("{path} already exists; a block without old text creates a new file"));
    }
    // Agents write lines that end in \n. The file keeps its own line ends.
    let crlf = content.contains("\r\n") && !content.replace("\r\n", "").contains('\n');
    let own = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    let (old, mut new) = (own(&block.old), own(&block.new));
    let mut places = places(content, &old);
    let mut length = old.len();
    if places.is_empty() {
        // The last line of a file may have no line end.
        let bare = old.trim_end_matches(['\r', '\n']);
        let start = content.len().saturating_sub(bare.len());
        if content.ends_with(bare) && (start == 0 || content[..start].ends_with('\n')) {
            places = vec![start];
            length = bare.len();
            new = new.trim_end_matches(['\r', '\n']).to_owned();
        }
    }
    match places[..] {
        [at] => Ok(format!("{}{new}{}", &content[..at], &content[at + length..])),
        [] => Err(format!("the current version of {path} does not contain the old text")),
        _ => Err(format!("{path} contains the old text {} times; it must contain it exactly once", places.len())),
    }
}

/// Returns the places where `text` begins at the start of a line.
fn places(content: &str, text: &str) -> Vec<usize> {
    let begins = |at: &usize| *at == 0 || content.as_bytes()[at - 1] == b'\n';
    let mut found = Vec::new();
    let mut from = 0;
    // Overlapping places count too.
    while let Some(at) = content[from..].find(text).map(|at| at + from) {
        if begins(&at) {
            found.push(at);
        }
        from = at + content[at..].chars().next().map_or(1, char::len_utf8);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(answer: &str) -> Result<FixBlock, String> {
        let mut found = find(answer);
        assert_eq!(found.len(), 1, "{answer}");
        found.remove(0).block
    }

    fn block(old: &str, new: &str) -> FixBlock {
        FixBlock { path: "a.rs".into(), old: old.into(), new: new.into() }
    }

    #[test]
    fn a_carriage_return_that_is_left_over_is_not_part_of_a_line() {
        let found = one("```fix a.rs\r\n<<<<<<< OLD\r\nx\r\r\n=======\r\ny\r\n>>>>>>> NEW\r\n```\r\n");
        let found = found.expect("a block");
        assert_eq!(found, block("x\n", "y\n"));
        assert_eq!(apply(&found, Some("x\r\nz\r\n")).expect("applied"), "y\r\nz\r\n");
    }

    #[test]
    fn blocks_are_read_also_with_fences_in_them() {
        let answer = "Do this:\n\n```fix src/a.rs\n<<<<<<< OLD\n  one\n=======\n  two\n>>>>>>> NEW\n```\n\n```rust\nfix\n```\n\
                      ````fix b.md\n<<<<<<< OLD\n=======\n```sh\nx\n```\n>>>>>>> NEW\n````\n";
        let found = find(answer);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].lines), (2, 7));
        let first = found[0].block.clone().expect("a block");
        assert_eq!((first.path.as_str(), first.old.as_str(), first.new.as_str()), ("src/a.rs", "  one\n", "  two\n"));
        assert_eq!(found[1].block.clone().expect("a block").new, "```sh\nx\n```\n");
    }

    #[test]
    fn a_malformed_block_has_a_reason() {
        let of = |inside: &str| one(&format!("```fix a.rs\n{inside}```\n")).expect_err("malformed");
        assert_eq!(of("x\n"), "the line `<<<<<<< OLD` is missing");
        assert_eq!(of("<<<<<<< OLD\na\n>>>>>>> NEW\n"), "the line `=======` between old and new text is missing");
        assert_eq!(of("<<<<<<< OLD\na\n=======\na\n>>>>>>> NEW\n"), "the old and the new text are the same");
        assert!(of("<<<<<<< OLD\na\n=======\nb\n=======\n>>>>>>> NEW\n").contains("more than once"));
        assert!(of("<<<<<<< OLD\nk = [REDACTED:x:1]\n=======\nb\n>>>>>>> NEW\n").contains("masked secret"));
        assert!(of("so:\n<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW\n").contains("text outside"));
        let inside = "<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW\n";
        for path in ["", "/etc/passwd", "../x", "a/../../x", ".git/config", ".GIT/config", "git~1/config", "a//b"] {
            assert!(one(&format!("```fix {path}\n{inside}```")).is_err(), "{path}");
        }
        assert!(one(&format!("```fix a\n{inside}")).expect_err("open").contains("does not end"));
    }

    #[test]
    fn a_fix_applies_if_its_old_text_occurs_exactly_once() {
        assert_eq!(apply(&block("b\n", "x\ny\n"), Some("a\nb\nc\n")), Ok("a\nx\ny\nc\n".into()));
        assert_eq!(apply(&block("b\n", ""), Some("a\nb\nc\n")), Ok("a\nc\n".into()));
        assert!(apply(&block("b\n", "x\n"), Some("b\na\nb\n")).expect_err("twice").contains("2 times"));
        assert!(apply(&block("b\n", "x\n"), Some("ab\n")).expect_err("inside a line").contains("does not contain"));
        assert!(apply(&block("a\na\n", "x\n"), Some("a\na\na\n")).expect_err("overlapping").contains("2 times"));
    }

    #[test]
    fn line_endings_of_the_file_are_preserved() {
        assert_eq!(apply(&block("b\n", "x\ny\n"), Some("a\r\nb\r\n")), Ok("a\r\nx\r\ny\r\n".into()));
        assert_eq!(apply(&block("b\n", "x\n"), Some("a\nb")), Ok("a\nx".into()));
    }

    #[test]
    fn a_block_without_old_text_creates_a_file() {
        assert_eq!(apply(&block("", "x\n"), None), Ok("x\n".into()));
        assert!(apply(&block("", "x\n"), Some("y\n")).is_err());
        assert!(apply(&block("y\n", "x\n"), None).is_err());
    }
}
