//! Finds where a quote leaves code out.

/// A part of a quote between two omissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The text.
    pub text: String,
    /// Whether it may begin on the line on which the part before it ends.
    pub same_line: bool,
}

/// Returns whether a line only stands for lines that were left out.
pub(super) fn is_omission(line: &str) -> bool {
    let bare = line.trim().trim_start_matches(['/', '#', '*', '-', ' ']).trim_matches(['[', ']', '(', ')', ' ']);
    matches!(bare, "..." | "…") || leaves_lines_out(line)
}

/// Returns whether a line stands for lines that were left out: dots alone or before words, behind a comment sign or in brackets.
pub(crate) fn leaves_lines_out(line: &str) -> bool {
    let bare = line.trim().trim_end_matches("*/").trim_end_matches("-->");
    let bare = bare.trim_start_matches("<!--").trim_start_matches(['/', '#', '*', '-', ' ']);
    let is_remark = bare.len() < line.trim().len();
    let bare = bare.trim_matches(['[', ']', '(', ')', '{', '}', ' ']);
    let Some(rest) = bare.strip_prefix("...").or_else(|| bare.strip_prefix('…')) else { return false };
    is_remark && (rest.is_empty() || rest.starts_with(' ')) || bare == "…"
}

/// Splits a text where code was left out: at lines of dots, and at dots inside of lines.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let mut parts = vec![Part { text: String::new(), same_line: false }];
    for line in text.lines() {
        if is_omission(line) {
            parts.push(Part { text: String::new(), same_line: false });
            continue;
        }
        for (at, piece) in line.replace("...", "…").split('…').enumerate() {
            if at > 0 {
                parts.push(Part { text: String::new(), same_line: true });
            }
            if let Some(last) = parts.last_mut() {
                last.text.push_str(piece);
            }
        }
        if let Some(last) = parts.last_mut() {
            last.text.push('\n');
        }
    }
    parts.retain(|part| !part.text.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_where_code_was_left_out() {
        let split = |text: &str| parts(text).into_iter().map(|part| (part.text, part.same_line)).collect::<Vec<_>>();
        assert_eq!(split("a\n// ...\nb"), [("a\n".into(), false), ("b\n".into(), false)]);
        assert_eq!(split("call(a, ...\n}"), [("call(a, ".into(), false), ("\n}\n".into(), true)]);
        assert_eq!(split("call(a … d)"), [("call(a ".into(), false), (" d)\n".into(), true)]);
        assert_eq!(split("a\nb"), [("a\nb\n".into(), false)]);
    }
}
