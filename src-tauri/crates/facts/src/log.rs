//! The end of a job's log as plain text: without escape sequences, GitLab's section marks and overwritten lines.

use super::types::LogTail;

/// The maximum number of lines of the end of a log.
pub const MAX_LOG_LINES: usize = 200;
/// The maximum size of the end of a log, in bytes.
pub const MAX_LOG_BYTES: usize = 32_000;

/// Returns the end of a log.
pub fn log_tail(bytes: &[u8]) -> LogTail {
    // Escape sequences take room, so a longer part is read than is shown.
    let from = bytes.len().saturating_sub(8 * MAX_LOG_BYTES);
    let text = String::from_utf8_lossy(&bytes[from..]);
    let mut lines: Vec<String> = text.split('\n').map(plain).collect();
    if from > 0 && !lines.is_empty() {
        // The first line is a part of one.
        lines.remove(0);
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let (mut size, mut kept) = (0, 0);
    for line in lines.iter().rev() {
        size += line.len() + 1;
        if size > MAX_LOG_BYTES || kept >= MAX_LOG_LINES {
            break;
        }
        kept += 1;
    }
    let shortened = from > 0 || kept < lines.len();
    LogTail { text: lines[lines.len() - kept..].join("\n"), shortened }
}

/// Returns a line as a terminal would show it at the end: a carriage return overwrites the text before it.
fn plain(line: &str) -> String {
    let line = without_escapes(line.trim_end_matches('\r'));
    let shown = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
    let shown = match shown.strip_prefix("section_start:").or_else(|| shown.strip_prefix("section_end:")) {
        Some(_) => "",
        None => shown,
    };
    shown.chars().filter(|char| !char.is_control() || *char == '\t').collect::<String>().trim_end().to_owned()
}

/// Removes the escape sequences of terminals.
fn without_escapes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            out.push(char);
            continue;
        }
        match chars.next() {
            // A control sequence ends with a letter or one of a few signs.
            Some('[') => while chars.next().is_some_and(|char| !('@'..='~').contains(&char)) {},
            // A command of the operating system ends with a bell or the string terminator.
            Some(']') => {
                while let Some(char) = chars.next() {
                    if char == '\u{7}' || (char == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_shown_as_its_terminal_showed_it_at_the_end() {
        let log = "section_start:1700000000:step_script\r\u{1b}[0K\u{1b}[0;m$ make test\u{1b}[0;m\r\n\
                   10%\r50%\rdone\r\n\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}\n\u{1b}[31;1mERROR: Job failed\u{1b}[0;m\n\n";
        assert_eq!(
            log_tail(log.as_bytes()),
            LogTail { text: "$ make test\ndone\nlink\nERROR: Job failed".to_owned(), shortened: false }
        );
    }

    #[test]
    fn the_end_of_a_log_is_bounded() {
        let log: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
        let tail = log_tail(log.as_bytes());
        assert!(tail.shortened && tail.text.ends_with("line 99999"));
        assert_eq!(tail.text.lines().count(), MAX_LOG_LINES);
        let long = log_tail("x".repeat(1_000_000).as_bytes());
        assert!(long.shortened && long.text.len() <= MAX_LOG_BYTES, "{}", long.text.len());
        assert_eq!(log_tail(b""), LogTail::default());
        assert_eq!(log_tail(b"\x1b["), LogTail::default());
    }
}
