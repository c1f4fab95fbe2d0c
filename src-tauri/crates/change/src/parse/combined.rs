//! Parses a combined diff (`diff --cc`, of a merge or a conflict) as the change against the first parent, from the column of that
//! parent. Changes against other parents only are not part of it.

use super::lines::{Lines, trim};
use super::{Fault, header};
use crate::{Body, FileChange, Hunk, Line, LineKind, Status};

/// Parses a file that starts with `diff --cc` or `diff --combined`.
pub(super) fn file(lines: &mut Lines) -> Result<FileChange, Fault> {
    let first = lines.next().unwrap_or_default();
    let crlf = first.ends_with(b"\r");
    let path = [&b"diff --cc "[..], b"diff --combined "].iter().find_map(|prefix| first.strip_prefix(*prefix));
    let path = header::name(path.unwrap_or_default());
    let mut file = FileChange {
        old_path: Some(path.clone()),
        new_path: Some(path),
        status: Status::Modified,
        old_mode: None,
        new_mode: None,
        ids: None,
        similarity: None,
        body: Body::Text(Vec::new()),
    };
    while lines.peek().is_some_and(|line| take(&mut file, trim(line))) {
        lines.skip();
    }
    let mut hunks = Vec::new();
    while lines.peek().is_some_and(|line| line.starts_with(b"@@@")) {
        match hunk(lines, crlf) {
            Ok(hunk) => hunks.extend(hunk),
            Err(fault) => {
                let message = format!("{} (in {})", fault.message, file.path());
                file.body = Body::Text(hunks);
                return Err(Fault {
                    message,
                    file: Some(Box::new(file)).filter(|file| !file.hunks().is_empty()),
                    ..fault
                });
            }
        }
    }
    if !file.is_binary() {
        file.body = Body::Text(hunks);
    }
    Ok(file)
}

/// Parses one header line. Returns `false` if it is not a header line.
fn take(file: &mut FileChange, line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    if let Some(ids) = text.strip_prefix("index ") {
        file.ids = ids.split_once("..").and_then(|(old, new)| {
            header::ids(old.split(',').next().unwrap_or_default(), new.split(' ').next().unwrap_or_default())
        });
    } else if let Some(modes) = text.strip_prefix("mode ") {
        if let Some((old, new)) = modes.split_once("..") {
            file.old_mode = old.split(',').next().and_then(|mode| header::mode(mode.as_bytes()));
            file.new_mode = header::mode(new.as_bytes());
        }
    } else if let Some(modes) = text.strip_prefix("deleted file mode ") {
        file.status = Status::Deleted;
        file.new_path = None;
        file.old_mode = modes.split(',').next().and_then(|mode| header::mode(mode.as_bytes()));
    } else if let Some(mode) = text.strip_prefix("new file mode ") {
        file.status = Status::Added;
        file.old_path = None;
        file.new_mode = header::mode(mode.as_bytes());
    } else if text.starts_with("Binary files ") && text.ends_with(" differ") {
        file.body = Body::Binary(None);
    } else {
        return text.starts_with("--- ") || text.starts_with("+++ ");
    }
    true
}

/// Parses a hunk. Returns `None` if nothing in it changed against the first parent.
fn hunk(lines: &mut Lines, crlf: bool) -> Result<Option<Hunk>, Fault> {
    let number = lines.number();
    let text = lines.next().unwrap_or_default();
    let (mut left, section) = ranges(&text).ok_or_else(|| Fault::new(number, "malformed header of a combined hunk"))?;
    let parents = left.len() - 1;
    let ((old_start, old_lines), (new_start, new_lines)) = (left[0], left[parents]);
    let mut read = Vec::new();
    while left.iter().any(|&(_, count)| count > 0) {
        let at = lines.number();
        let wrong =
            || Fault::new(at, format!("this line does not belong in the combined hunk that starts at line {number}"));
        let line = lines.next().ok_or_else(|| {
            Fault::new(
                at.saturating_sub(1).max(1),
                format!("the patch ends inside the hunk that starts at line {number}"),
            )
        })?;
        let line = if crlf && line.ends_with(b"\r") { line.slice(..line.len() - 1) } else { line };
        if line.starts_with(b"\\") {
            no_newline(&mut read);
            continue;
        }
        let columns = line.get(..parents).ok_or_else(wrong)?;
        if !columns.iter().all(|column| b" +-".contains(column)) {
            return Err(wrong());
        }
        let lost = columns.contains(&b'-');
        for (column, (_, count)) in columns.iter().zip(&mut left) {
            let has = if lost { *column == b'-' } else { *column == b' ' };
            *count = count.checked_sub(u32::from(has)).ok_or_else(wrong)?;
        }
        left[parents].1 = left[parents].1.checked_sub(u32::from(!lost)).ok_or_else(wrong)?;
        let kind = match (lost, columns[0]) {
            (true, b'-') => Some(LineKind::Removed),
            (true, _) => None,
            (false, b'+') => Some(LineKind::Added),
            (false, _) => Some(LineKind::Context),
        };
        read.push((kind, Line { kind: kind.unwrap_or(LineKind::Context), text: line.slice(parents..), newline: true }));
    }
    if lines.peek().is_some_and(|line| line.starts_with(b"\\")) {
        lines.skip();
        no_newline(&mut read);
    }
    let kept: Vec<Line> = read.into_iter().filter_map(|(kind, line)| kind.map(|_| line)).collect();
    let section = text.slice(section..text.len() - usize::from(crlf && text.ends_with(b"\r")));
    Ok(kept.iter().any(|line| line.kind != LineKind::Context).then_some(Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        section,
        lines: kept.into(),
    }))
}

fn no_newline(read: &mut [(Option<LineKind>, Line)]) {
    if let Some((_, line)) = read.last_mut() {
        line.newline = false;
    }
}

/// Parses the ranges of all parents and of the result, and the offset of the section.
fn ranges(line: &[u8]) -> Option<(Vec<(u32, u32)>, usize)> {
    let ats = line.iter().take_while(|&&byte| byte == b'@').count();
    let mut rest = line[ats..].strip_prefix(b" ")?;
    let mut ranges = Vec::new();
    for _ in 0..ats {
        let sign = if ranges.len() + 1 == ats { b"+" } else { b"-" };
        rest = rest.strip_prefix(sign)?;
        ranges.push(header::range(&mut rest)?);
        rest = rest.strip_prefix(b" ")?;
    }
    rest = rest.strip_prefix(&line[..ats])?;
    rest = rest.strip_prefix(b" ").unwrap_or(rest);
    (ats >= 3).then_some((ranges, line.len() - rest.len()))
}
