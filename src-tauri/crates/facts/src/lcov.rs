//! LCOV, as lcov, istanbul, c8, cargo-llvm-cov, coverage.py and others write it.

use super::report::{MAX_FILES, MAX_LINES, MeasuredFile, ReportError, add_line};
use super::types::LineState;

/// Returns whether a text begins as an LCOV file does.
pub(crate) fn is_lcov(start: &[u8]) -> bool {
    start.starts_with(b"TN:") || start.starts_with(b"SF:")
}

/// Reads a report. Lines that are not understood are ignored, as every program adds its own.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<MeasuredFile>, ReportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut files: Vec<MeasuredFile> = Vec::new();
    let (mut open, mut measured) = (false, 0);
    let mut missed: Vec<u32> = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.trim().split_once(':') else {
            if line.trim() == "end_of_record" {
                mark_branches(files.last_mut(), &mut missed);
                open = false;
            }
            continue;
        };
        match key {
            "SF" => {
                if files.len() >= MAX_FILES {
                    return Err(ReportError::TooMuch(format!("{MAX_FILES} files")));
                }
                mark_branches(files.last_mut(), &mut missed);
                files.push(MeasuredFile { names: vec![value.to_owned()], ..MeasuredFile::default() });
                open = true;
            }
            "DA" | "BRDA" if open => {
                measured += 1;
                if measured > MAX_LINES {
                    return Err(ReportError::TooMuch(format!("{MAX_LINES} lines")));
                }
                match (key, file_line(value), files.last_mut()) {
                    ("DA", Some((line, state)), Some(file)) => add_line(&mut file.lines, line, state),
                    ("BRDA", ..) => missed.extend(missed_branch(value)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    mark_branches(files.last_mut(), &mut missed);
    Ok(files)
}

/// Marks covered lines with a branch that did not run.
fn mark_branches(file: Option<&mut MeasuredFile>, missed: &mut Vec<u32>) {
    let missed = std::mem::take(missed);
    let Some(file) = file else { return };
    for line in missed {
        if let Some(state) = file.lines.get_mut(&line).filter(|state| **state == LineState::Covered) {
            *state = LineState::Partial;
        }
    }
}

/// Reads `line,count` or `line,count,checksum`.
fn file_line(value: &str) -> Option<(u32, LineState)> {
    let mut parts = value.split(',');
    let line = parts.next()?.trim().parse().ok().filter(|line| *line > 0)?;
    let count = parts.next()?.trim();
    let ran = !count.starts_with('-') && count.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    Some((line, if ran { LineState::Covered } else { LineState::Uncovered }))
}

/// Returns the line of `line,block,branch,count` if the branch did not run. `-` means that the block did not run at all.
fn missed_branch(value: &str) -> Option<u32> {
    let (line, rest) = value.split_once(',')?;
    let count = rest.rsplit(',').next()?.trim();
    (count == "0").then(|| line.trim().parse().ok())?
}
