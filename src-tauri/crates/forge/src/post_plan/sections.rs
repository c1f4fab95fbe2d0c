//! Reads the findings that a posted summary contains, so that a new text of the summary keeps them as they are.

use super::marks::{CodeFence, OwnNote, split};

/// A finding as a posted summary shows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The finding's key.
    pub(super) key: String,
    /// The place, for display.
    pub(super) place: String,
    /// The name of the severity.
    pub(super) severity: String,
    /// The text.
    pub(super) body: String,
}

/// Returns the findings of a summary. The result is empty if its text does not have one section for each of its keys.
pub(super) fn sections(note: &OwnNote) -> Vec<Section> {
    let mut fence = CodeFence::default();
    let mut found: Vec<(String, String, Vec<&str>)> = Vec::new();
    let mut inside = false;
    for line in split(&note.body).0.lines() {
        let outside = fence.is_outside(line);
        if !inside
            && outside
            && let Some((severity, place)) = heading(line)
        {
            inside = true;
            found.push((severity, place, Vec::new()));
        } else if outside && line == "</details>" {
            inside = false;
        } else if inside && let Some((_, _, lines)) = found.last_mut() {
            lines.push(line);
        }
    }
    let keys = &note.marks.findings;
    if keys.len() != found.len() {
        return Vec::new();
    }
    let section = |(key, (severity, place, lines)): (&String, (String, String, Vec<&str>))| Section {
        key: key.clone(),
        place,
        severity,
        body: lines.join("\n").trim().to_owned(),
    };
    keys.iter().zip(found).map(section).collect()
}

/// Returns the severity and the place in the first line of a section.
fn heading(line: &str) -> Option<(String, String)> {
    let (severity, place) = line.strip_prefix("<details><summary>")?.split_once(" · <code>")?;
    let place = place.strip_suffix("</code></summary>")?;
    // Word joiners were inserted.
    let place = place
        .replace('\u{2060}', "")
        .replace("&quot;", "\"")
        .replace("&gt;", ">")
        .replace("&lt;", "<")
        .replace("&amp;", "&");
    Some((severity.to_owned(), place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_plan::body::folded;
    use crate::post_plan::marks::Marks;

    fn note(keys: &[&str], text: String) -> OwnNote {
        let findings = keys.iter().map(|key| (*key).to_owned()).collect();
        OwnNote { id: 1, body: text, marks: Marks { findings, ..Marks::default() } }
    }

    #[test]
    fn sections_are_read_back() {
        let code = "Text\n\n```\n</details>\n<details><summary>low · <code>x</code></summary>\n```";
        let parts = [
            "Summary\n\n<details><summary>Truncation</summary>\n\nmuch\n\n</details>".to_owned(),
            folded("a <b> & \"c\".rs:3", "high", code),
            folded("b.rs", "low", "Other"),
            "<details><summary><strong>Metadata</strong></summary>\n\n- x\n\n</details>\n\n<!-- diffsan:review:r -->"
                .to_owned(),
        ];
        let read = sections(&note(&["k1", "k2"], parts.join("\n\n")));
        let read: Vec<_> = read.iter().map(|one| [&*one.key, &*one.severity, &*one.place, &*one.body]).collect();
        assert_eq!(read, [["k1", "high", "a <b> & \"c\".rs:3", code], ["k2", "low", "b.rs", "Other"]]);
        assert_eq!(sections(&note(&["k1"], parts.join("\n\n"))), [], "one section too many");
    }
}
