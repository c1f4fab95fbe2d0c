//! Checks whether a suggested patch applies to the head exactly. A patch that does not is not a fix and remains text.

use crate::damage;
use crate::files::{Files, SideLines};
use diffsan_review::finding::{Anchor, Edit, Fix, PatchFormat, Side, SuggestedPatch};

/// The beginning of the marks for secrets. A patch that adds or replaces one would write it into the code.
const MARK: &str = "[REDACTED";

/// Returns the patch as edits of the file, or the reason why it does not apply.
pub(super) fn check(patch: &SuggestedPatch, anchor: &Anchor, files: &Files) -> Result<Fix, String> {
    let unknown = || "the text of the file is not available".to_owned();
    let lines = files.get(&anchor.path, Side::New).filter(|lines| lines.complete()).ok_or_else(unknown)?;
    let edits = match patch.format {
        PatchFormat::Replacement => vec![replacement(&patch.content, anchor, lines)?],
        PatchFormat::UnifiedDiff => hunks(&patch.content, lines)?,
    };
    for edit in &edits {
        let goes = (edit.line_start..edit.line_start + edit.lines).filter_map(|number| lines.lines.get(&number));
        if edit.text.contains(MARK) || goes.into_iter().any(|line| line.contains(MARK)) {
            return Err("it changes a masked secret".to_owned());
        }
    }
    let changes = edits.iter().any(|edit| {
        let goes: String = (edit.line_start..edit.line_start + edit.lines)
            .filter_map(|number| lines.lines.get(&number))
            .map(|line| format!("{line}\n"))
            .collect();
        goes != edit.text
    });
    if changes { Ok(Fix { path: anchor.path.clone(), edits }) } else { Err("it changes nothing".to_owned()) }
}

fn replacement(content: &str, anchor: &Anchor, lines: &SideLines) -> Result<Edit, String> {
    let place = anchor.line_start.zip(anchor.line_end).filter(|_| anchor.side == Side::New);
    let (start, end) = place.ok_or_else(|| "it replaces lines that are not in the file".to_owned())?;
    if end > lines.last() {
        return Err("it replaces lines that are not in the file".to_owned());
    }
    let text = content.replace("\r\n", "\n");
    let line_at = |number: u32| lines.lines.get(&number).map_or("", |line| line.trim());
    // The fence of a Markdown file is a part of the lines.
    let replaces_fence = line_at(start).starts_with("```") || line_at(start).starts_with("~~~");
    let text = damage::unfenced(&text).filter(|_| !replaces_fence).unwrap_or(text);
    check_text(&text, (start, end), lines)?;
    let text = if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" };
    Ok(Edit { line_start: start, lines: end - start + 1, text })
}

/// The minimum length of a line whose repetition is not a coincidence, unlike that of a brace.
const MIN_REPEATED: usize = 4;

/// The minimum length of a line that is significant where it is once in the file.
const MIN_DISTINCT: usize = 8;

/// Returns whether a replacement contains a line that is once in the file, near the replaced lines but not one of them. It was meant for
/// other lines or for more of them.
pub(super) fn repeats_neighbours(content: &str, (start, end): (u32, u32), lines: &SideLines) -> bool {
    let text = content.replace("\r\n", "\n");
    let text = damage::unfenced(&text).unwrap_or(text);
    let length = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(end.saturating_sub(start) + 1);
    let near = |number: u32| {
        (start.saturating_sub(length)..=end.saturating_add(length)).contains(&number)
            && !(start..=end).contains(&number)
    };
    text.lines().map(str::trim).filter(|line| line.len() >= MIN_DISTINCT).any(|line| {
        let mut same = lines.lines.iter().filter(|(_, other)| other.trim() == line).map(|(number, _)| *number);
        matches!((same.next(), same.next()), (Some(only), None) if near(only))
    })
}

/// Refuses a replacement with line numbers or diff signs, one that leaves lines out, and one that repeats a line next to the replaced ones.
fn check_text(text: &str, (start, end): (u32, u32), lines: &SideLines) -> Result<(), String> {
    let line_at = |number: u32| lines.lines.get(&number).map_or("", |line| line.trim());
    let (first, last) = (text.lines().next().unwrap_or("").trim(), text.lines().next_back().unwrap_or("").trim());
    let repeats =
        |line: &str, neighbour: &str, own: &str| line.len() >= MIN_REPEATED && line == neighbour && line != own;
    if start > 1 && repeats(first, line_at(start - 1), line_at(start))
        || repeats(last, line_at(end.saturating_add(1)), line_at(end))
    {
        return Err("it repeats a line next to those that it replaces".to_owned());
    }
    if repeats_neighbours(text, (start, end), lines) {
        return Err("it repeats lines next to those that it replaces".to_owned());
    }
    let several = text.lines().filter(|line| !line.trim().is_empty()).count() > 1;
    let is_signed = text.lines().all(|line| line.is_empty() || line.starts_with(['+', '-', ' ']))
        && text.lines().any(|line| line.starts_with('+'))
        && !line_at(start).starts_with('+');
    if is_signed || several && damage::without_numbers(text).is_some() {
        return Err("it contains line numbers or diff signs".to_owned());
    }
    let own: Vec<&str> = (start..=end).map(line_at).collect();
    if text.lines().any(|line| damage::leaves_lines_out(line) && !own.contains(&line.trim())) {
        return Err("it leaves lines out".to_owned());
    }
    Ok(())
}

/// Reads the hunks of a patch. Each is placed where all its old lines match: at its number, or at the only other place.
fn hunks(patch: &str, lines: &SideLines) -> Result<Vec<Edit>, String> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut rest = patch.lines().peekable();
    let mut files = 0;
    while let Some(line) = rest.next() {
        if line.starts_with("+++ ") {
            files += 1;
        }
        let Some(header) = line.strip_prefix("@@") else { continue };
        let number = header
            .split_once('-')
            .and_then(|(_, rest)| rest.split(|char: char| !char.is_ascii_digit()).next()?.parse::<u32>().ok());
        let mut left = counts(header).unwrap_or_default();
        let mut body = Vec::new();
        // A removed line can look like the header of the next file: `--- a/x` removes `-- a/x`. The counts of the hunk tell.
        while let Some(line) = rest.next_if(|line| {
            let ended = left == (0, 0);
            !(line.starts_with("@@") || line.starts_with("diff ") || ended && line.starts_with("--- a/"))
        }) {
            left.0 = left.0.saturating_sub(u32::from(!line.starts_with(['+', '\\'])));
            left.1 = left.1.saturating_sub(u32::from(!line.starts_with(['-', '\\'])));
            if !line.starts_with('\\') {
                body.push(line);
            }
        }
        while body.last().is_some_and(|line| line.is_empty()) {
            body.pop();
        }
        edits.push(place(&body, number, lines)?);
    }
    if files > 1 {
        return Err("it changes several files".to_owned());
    }
    if edits.is_empty() {
        return Err("it has no hunk".to_owned());
    }
    edits.sort_by_key(|edit| edit.line_start);
    let apart = edits.windows(2).all(|pair| pair[0].line_start + pair[0].lines <= pair[1].line_start);
    if apart { Ok(edits) } else { Err("its hunks overlap".to_owned()) }
}

/// Returns the numbers of old and new lines of a hunk from its header: ` -12,3 +12,4 @@`.
fn counts(header: &str) -> Option<(u32, u32)> {
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => range.parse::<u32>().ok().map(|_| 1),
    };
    let mut ranges = header.split_whitespace();
    let old = count(ranges.next()?.strip_prefix('-')?)?;
    Some((old, count(ranges.next()?.strip_prefix('+')?)?))
}

fn place(body: &[&str], number: Option<u32>, lines: &SideLines) -> Result<Edit, String> {
    let text = |line: &str| line.get(1..).unwrap_or_default().trim_end_matches('\r').to_owned();
    let old: Vec<String> = body.iter().filter(|line| !line.starts_with('+')).map(|line| text(line)).collect();
    if old.is_empty() {
        return Err("a hunk contains no line of the file".to_owned());
    }
    let matches = |start: u32| {
        (0..).zip(&old).all(|(offset, wanted)| {
            // A hunk header can contain any number.
            let line = start.checked_add(offset).and_then(|number| lines.lines.get(&number));
            line.is_some_and(|line| line == wanted)
        })
    };
    let start = match number.filter(|number| matches(*number)) {
        Some(number) => number,
        None => {
            let mut places = lines.lines.keys().copied().filter(|start| matches(*start));
            match (places.next(), places.next()) {
                (Some(only), None) => only,
                (Some(_), Some(_)) => return Err("its place is not certain".to_owned()),
                (None, _) => return Err("its lines are not in the file".to_owned()),
            }
        }
    };
    // Keep only the changed lines; the lines around them stay as they are.
    let context = |line: &&&str| line.starts_with(' ') || line.is_empty();
    let before = body.iter().take_while(context).count();
    let after = if before == body.len() { 0 } else { body.iter().rev().take_while(context).count() };
    let middle = &body[before..body.len() - after];
    let gone = middle.iter().filter(|line| !line.starts_with('+')).count();
    let comes = middle.iter().filter(|line| !line.starts_with('-'));
    let text = comes.map(|line| text(line) + "\n").collect();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Edit { line_start: start + count(before), lines: count(gone), text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_review::finding::AnchorState;

    const FILE: &str = "one\ntwo\nthree\nfour\ntwo\n";

    fn checked(
        format: PatchFormat,
        content: &str,
        lines: Option<(u32, u32)>,
    ) -> Result<Vec<(u32, u32, String)>, String> {
        let mut files = Files::default();
        files.insert("a", Side::New, FILE);
        let anchor = Anchor {
            state: AnchorState::Verified,
            path: "a".into(),
            side: Side::New,
            line_start: lines.map(|lines| lines.0),
            line_end: lines.map(|lines| lines.1),
            in_change: true,
            notes: Vec::new(),
        };
        let fix = check(&SuggestedPatch { format, content: content.to_owned() }, &anchor, &files)?;
        Ok(fix.edits.into_iter().map(|edit| (edit.line_start, edit.lines, edit.text)).collect())
    }

    #[test]
    fn replacements_take_the_place_of_their_lines() {
        let edit = |content, lines| checked(PatchFormat::Replacement, content, Some(lines));
        assert_eq!(edit("2\n3", (2, 3)), Ok(vec![(2, 2, "2\n3\n".into())]));
        assert_eq!(edit("", (2, 3)), Ok(vec![(2, 2, String::new())]));
        assert_eq!(edit("two", (2, 2)), Err("it changes nothing".into()));
        assert_eq!(edit("x", (5, 6)), Err("it replaces lines that are not in the file".into()));
        assert_eq!(edit("[REDACTED:a:1]", (2, 2)), Err("it changes a masked secret".into()));
    }

    #[test]
    fn hunks_apply_where_their_lines_are() {
        let patch = |content| checked(PatchFormat::UnifiedDiff, content, None);
        assert_eq!(
            patch("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"),
            Ok(vec![(2, 1, "2\n".into())])
        );
        // A hunk with a wrong number is accepted if only one place matches.
        assert_eq!(patch("@@ -40,2 +40,3 @@\n three\n+new\n four\n"), Ok(vec![(4, 0, "new\n".into())]));
        assert_eq!(patch("@@ -9 +9 @@\n-two\n+2\n"), Err("its place is not certain".into()));
        assert_eq!(patch("@@ -1 +1 @@\n-other\n+2\n"), Err("its lines are not in the file".into()));
        assert_eq!(patch("@@ -4294967295,2 +1 @@\n-other\n-line\n+2\n"), Err("its lines are not in the file".into()));
        assert_eq!(patch("nothing"), Err("it has no hunk".into()));
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_belongs_to_its_hunk() {
        let mut files = Files::default();
        files.insert("a", Side::New, "select 1;\n-- a/b is old\nselect 2;\n");
        let anchor = Anchor {
            state: AnchorState::File,
            path: "a".into(),
            side: Side::New,
            line_start: None,
            line_end: None,
            in_change: true,
            notes: Vec::new(),
        };
        let content = "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n-select 1;\n+select 0;\n--- a/b is old\n select 2;\n";
        let fix = check(&SuggestedPatch { format: PatchFormat::UnifiedDiff, content: content.into() }, &anchor, &files);
        let edits = fix.expect("a fix").edits;
        assert_eq!(edits.iter().map(|edit| (edit.line_start, edit.lines)).collect::<Vec<_>>(), [(1, 2)]);
    }
}
