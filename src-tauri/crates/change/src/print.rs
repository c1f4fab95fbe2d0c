//! Prints a change as a patch: the inverse of parsing, equal to the output of `git diff` (full prefixes, no colours,
//! `core.quotePath` off). It prints the whole change and omits nothing.

use super::{Body, Change, FileChange, Hunk, LineKind, Status};

/// Prints the whole change as a patch.
pub fn print_change(change: &Change) -> Vec<u8> {
    let mut out = Vec::new();
    for file in &change.files {
        print_file(file, &mut out);
    }
    out
}

/// Prints one file of a patch: its headers and its hunks.
pub fn print_file(file: &FileChange, out: &mut Vec<u8>) {
    print_headers(file, Headers::All, out);
    match &file.body {
        Body::Binary(Some(literal)) => {
            out.extend_from_slice(literal);
            if !literal.ends_with(b"\n") {
                out.push(b'\n');
            }
        }
        Body::Binary(None) => {
            out.extend_from_slice(b"Binary files ");
            side_name(file, true, out);
            out.extend_from_slice(b" and ");
            side_name(file, false, out);
            out.extend_from_slice(b" differ\n");
        }
        Body::Text(hunks) => {
            for hunk in hunks {
                print_hunk_header(hunk, true, out);
                print_lines(hunk, out);
            }
        }
        Body::Unread(_) => {}
    }
}

/// The headers of a file that are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Headers {
    /// All headers.
    All,
    /// All headers except the object ids.
    WithoutIds,
    /// Neither the object ids nor the similarity, which depend on the program and settings that made the patch.
    Unmeasured,
}

/// Prints everything before a file's content.
pub fn print_headers(file: &FileChange, headers: Headers, out: &mut Vec<u8>) {
    let old = file.old_path.as_ref().unwrap_or(file.path());
    let new = file.path();
    if file.status == Status::Unmerged && file.hunks().is_empty() {
        out.extend_from_slice(b"* Unmerged path ");
        out.extend_from_slice(&new.quoted(""));
        out.push(b'\n');
        return;
    }
    out.extend_from_slice(b"diff --git ");
    out.extend_from_slice(&old.quoted("a/"));
    out.push(b' ');
    out.extend_from_slice(&new.quoted("b/"));
    out.push(b'\n');
    print_extended_headers(file, headers, out);
    if !file.hunks().is_empty() {
        out.extend_from_slice(b"--- ");
        header_name(file, true, out);
        out.extend_from_slice(b"\n+++ ");
        header_name(file, false, out);
        out.push(b'\n');
    }
}

fn print_extended_headers(file: &FileChange, headers: Headers, out: &mut Vec<u8>) {
    let mut line = |text: String| {
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
    };
    match (file.status, file.old_mode, file.new_mode) {
        (Status::Added, _, Some(mode)) => line(format!("new file mode {mode:06o}")),
        (Status::Deleted, Some(mode), _) => line(format!("deleted file mode {mode:06o}")),
        (_, Some(old), Some(new)) if old != new => {
            line(format!("old mode {old:06o}"));
            line(format!("new mode {new:06o}"));
        }
        _ => {}
    }
    if matches!(file.status, Status::Renamed | Status::Copied) {
        if let Some(similarity) = file.similarity.filter(|_| headers != Headers::Unmeasured) {
            line(format!("similarity index {similarity}%"));
        }
        let verb = if file.status == Status::Renamed { "rename" } else { "copy" };
        for (way, path) in [("from", &file.old_path), ("to", &file.new_path)] {
            if let Some(path) = path {
                out.extend_from_slice(format!("{verb} {way} ").as_bytes());
                out.extend_from_slice(&path.quoted(""));
                out.push(b'\n');
            }
        }
    }
    // Git prints no equal ids. A strange patch can have them, and the fingerprint of a binary file contains them.
    if let Some((old, new)) = file.ids.as_ref().filter(|_| headers == Headers::All)
        && (old != new || matches!(file.body, Body::Binary(_)))
    {
        out.extend_from_slice(format!("index {old}..{new}").as_bytes());
        if let (Some(old), Some(new)) = (file.old_mode, file.new_mode)
            && old == new
        {
            out.extend_from_slice(format!(" {old:06o}").as_bytes());
        }
        out.push(b'\n');
    }
}

fn side_name(file: &FileChange, old: bool, out: &mut Vec<u8>) {
    let absent = if old { Status::Added } else { Status::Deleted };
    let path = if old { &file.old_path } else { &file.new_path };
    match path {
        Some(path) if file.status != absent => {
            out.extend_from_slice(&path.quoted(if old { "a/" } else { "b/" }));
        }
        _ => out.extend_from_slice(b"/dev/null"),
    }
}

/// Prints a name like [`side_name`]. Git ends a `---`/`+++` name that contains a space with a tab, so that its end is clear.
fn header_name(file: &FileChange, old: bool, out: &mut Vec<u8>) {
    let start = out.len();
    side_name(file, old, out);
    if out[start..].contains(&b' ') {
        out.push(b'\t');
    }
}

/// Prints a hunk's `@@` line, with or without the section after the second `@@`.
pub fn print_hunk_header(hunk: &Hunk, section: bool, out: &mut Vec<u8>) {
    let range = |start: u32, lines: u32| match lines {
        1 => start.to_string(),
        _ => format!("{start},{lines}"),
    };
    out.extend_from_slice(
        format!("@@ -{} +{} @@", range(hunk.old_start, hunk.old_lines), range(hunk.new_start, hunk.new_lines))
            .as_bytes(),
    );
    if section && !hunk.section.is_empty() {
        out.push(b' ');
        out.extend_from_slice(&hunk.section);
    }
    out.push(b'\n');
}

/// Prints a hunk's lines with their prefixes.
pub(crate) fn print_lines(hunk: &Hunk, out: &mut Vec<u8>) {
    for line in hunk.lines.iter() {
        out.push(match line.kind {
            LineKind::Context => b' ',
            LineKind::Added => b'+',
            LineKind::Removed => b'-',
        });
        out.extend_from_slice(&line.text);
        out.push(b'\n');
        if !line.newline {
            out.extend_from_slice(b"\\ No newline at end of file\n");
        }
    }
}
