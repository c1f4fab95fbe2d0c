//! Writes a fix as a suggestion that GitLab can apply, if it would apply exactly (`lib/gitlab/diff/suggestions_parser.rb`,
//! `app/models/suggestion.rb`): relative to the line of the comment, with at most 100 lines above and below, and only the last
//! line's end is preserved.

use diffsan_review::finding::Fix;

/// The maximum number of lines above and below the comment's line. GitLab silently cuts more.
const REACH: u32 = 100;

/// A suggestion block, and the lines that it replaces.
#[derive(Debug)]
pub struct Suggestion {
    pub block: String,
    pub replaced: Vec<String>,
}

/// Returns the suggestion, or the reason why there can be none. `head` is the whole file, and `line` the comment's line in it.
pub fn suggestion(fix: &Fix, line: u32, head: &str) -> Result<Suggestion, &'static str> {
    let lines: Vec<&str> = head.split_inclusive('\n').collect();
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    if line == 0 || line > count {
        return Err("the line is not in the file");
    }
    // A review from a file may contain any numbers.
    let mut next = 1;
    for edit in &fix.edits {
        let after = edit.line_start.checked_add(edit.lines).filter(|after| *after <= count.saturating_add(1));
        next = after.filter(|_| edit.line_start >= next).ok_or("its lines are not in the file")?;
    }
    let (mut start, mut end) = (line, line);
    for edit in &fix.edits {
        // A pure insertion also replaces the line after it with itself, or the last line if it is at the end of the file.
        let from = edit.line_start.min(count);
        start = start.min(from);
        end = end.max((edit.line_start + edit.lines).saturating_sub(1).max(from).min(count));
    }
    if line - start > REACH || end - line > REACH {
        return Err("it covers more lines than a GitLab suggestion can");
    }
    let mut text = String::new();
    let mut at = start;
    let push = |text: &mut String, number: u32| {
        if let Some(line) = lines.get(number as usize - 1) {
            text.push_str(line.trim_end_matches(['\n', '\r']));
            text.push('\n');
        }
    };
    for edit in &fix.edits {
        while at < edit.line_start && at <= end {
            push(&mut text, at);
            at += 1;
        }
        text.push_str(&edit.text);
        at += edit.lines;
    }
    while at <= end {
        push(&mut text, at);
        at += 1;
    }
    let goes = &lines[start as usize - 1..end as usize];
    let many = text.lines().count() > 1;
    if many && goes.iter().any(|line| line.ends_with("\r\n")) {
        return Err("the file has CRLF line endings, which GitLab would mix with LF");
    }
    if text.contains('\r') {
        return Err("it contains carriage returns, which GitLab deletes");
    }
    // An empty block deletes the lines. Versions of GitLab differ in how they read a block that consists of empty lines or ends with one.
    if !text.is_empty() && text.lines().last().is_none_or(|line| line.trim().is_empty()) {
        return Err("it ends with an empty line, which GitLab may delete");
    }
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    Ok(Suggestion {
        block: format!("{fence}suggestion:-{}+{}\n{text}{fence}", line - start, end - line),
        replaced: goes.iter().map(|line| line.trim_end_matches(['\n', '\r']).to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_review::finding::Edit;

    fn fix(edits: &[(u32, u32, &str)]) -> Fix {
        let edit = |(line_start, lines, text): &(u32, u32, &str)| Edit {
            line_start: *line_start,
            lines: *lines,
            text: (*text).to_owned(),
        };
        Fix { path: "a".into(), edits: edits.iter().map(edit).collect() }
    }

    const HEAD: &str = "one\ntwo\nthree\nfour\nfive\n";

    #[test]
    fn lines_are_counted_from_the_comment() {
        let made = |edits: &[(u32, u32, &str)], line| suggestion(&fix(edits), line, HEAD);
        let block = |edits: &[(u32, u32, &str)], line| made(edits, line).map(|made| made.block);
        assert_eq!(
            made(&[(2, 3, "2\n3\n")], 3).map(|made| made.replaced),
            Ok(["two", "three", "four"].map(Into::into).into())
        );
        assert_eq!(block(&[(2, 1, "2\n")], 2).as_deref(), Ok("```suggestion:-0+0\n2\n```"));
        assert_eq!(block(&[(2, 3, "2\n3\n")], 3).as_deref(), Ok("```suggestion:-1+1\n2\n3\n```"));
        assert_eq!(
            block(&[(4, 1, "4\n")], 2).as_deref(),
            Ok("```suggestion:-0+2\ntwo\nthree\n4\n```"),
            "up to the line"
        );
        assert_eq!(
            block(&[(1, 1, "1\n"), (4, 1, "4\n")], 3).as_deref(),
            Ok("```suggestion:-2+1\n1\ntwo\nthree\n4\n```")
        );
        assert_eq!(block(&[(3, 0, "new\n")], 3).as_deref(), Ok("```suggestion:-0+0\nnew\nthree\n```"), "put in");
        assert_eq!(block(&[(6, 0, "six\n")], 5).as_deref(), Ok("```suggestion:-0+0\nfive\nsix\n```"), "put behind all");
        assert_eq!(block(&[(2, 2, "")], 3).as_deref(), Ok("```suggestion:-1+0\n```"), "taken out");
        assert_eq!(block(&[(2, 1, "```\n")], 2).as_deref(), Ok("````suggestion:-0+0\n```\n````"));
    }

    #[test]
    fn changes_that_gitlab_would_alter_are_not_suggested() {
        assert!(suggestion(&fix(&[(1, 1, "a\nb\n")]), 1, "x\r\ny\r\n").is_err());
        assert_eq!(
            suggestion(&fix(&[(1, 1, "a\n")]), 1, "x\r\ny\r\n").map(|made| made.block).as_deref(),
            Ok("```suggestion:-0+0\na\n```")
        );
        assert!(suggestion(&fix(&[(2, 1, "\n")]), 2, HEAD).is_err());
        let long: String = (0..300).map(|line| format!("{line}\n")).collect();
        assert!(suggestion(&fix(&[(5, 150, "x\n")]), 154, &long).is_err());
        assert!(suggestion(&fix(&[(5, 1, "x\n")]), 301, &long).is_err());
    }

    #[test]
    fn edits_that_do_not_fit_the_file_are_refused() {
        const MAX: u32 = u32::MAX;
        for edits in [
            &[(0, 1, "x\n")][..],
            &[(0, 0, "x\n")],
            &[(MAX, 1, "x\n")],
            &[(1, MAX, "x\n")],
            &[(MAX, MAX, "x\n")],
            &[(5, 2, "x\n")],
            &[(4, 1, "z\n"), (1, 1, "y\n")],
            &[(1, 3, "z\n"), (2, 3, "y\n")],
        ] {
            assert_eq!(suggestion(&fix(edits), 3, HEAD).err(), Some("its lines are not in the file"), "{edits:?}");
        }
    }
}
