//! The intent of the authors: title, description, commit messages, and the issues that a change closes.
//!
//! In: these texts, masked, and a budget. Out: one text for the fence of a prompt, and a note about the parts that do not fit. Nothing of
//! them can end the fence or is invisible to a person who reads them on the server.

use std::borrow::Cow;

/// An issue that a merge request closes, masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentIssue {
    /// The reference: `#12`, or `group/project#12` of another project.
    pub reference: String,
    /// The title.
    pub title: String,
    /// The description, as Markdown; may be empty.
    pub description: String,
}

/// The texts of the authors, masked.
#[derive(Clone, Debug, Default)]
pub struct IntentSource<'a> {
    /// The title of the merge request; may be empty.
    pub title: &'a str,
    /// The description of the merge request, as Markdown; may be empty.
    pub description: &'a str,
    /// The issues that it closes.
    pub issues: &'a [IntentIssue],
    /// The number of issues that are left out because they are confidential.
    pub confidential: usize,
    /// The commit messages, oldest first.
    pub messages: &'a [String],
}

/// The texts of the authors for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentText {
    /// The texts, which belong inside of a fence. Empty if there are none, or none fits.
    pub text: String,
    /// The parts that are left out, as a sentence. Empty if there are none. It contains no text of the authors.
    pub left_out: String,
}

/// The beginning and end of a fence, as text of the authors could imitate it.
const FENCES: [char; 2] = ['<', '>'];
/// The number of signs of a fence.
const FENCE_SIGNS: usize = 3;

/// Joins the texts, at most `max_chars` characters; 0 means no limit. A part that does not fit is left out as a whole: first come the title,
/// the description and the issues, then the commit messages, oldest first.
pub fn intent_text(source: &IntentSource<'_>, max_chars: u64) -> IntentText {
    let mut fitting = Fitting { left: if max_chars == 0 { u64::MAX } else { max_chars }, ..Fitting::default() };
    let title = one_line(source.title);
    if !title.is_empty() {
        fitting.add(&format!("Title: {title}"), "the title");
    }
    let description = readable(source.description);
    if !description.is_empty() {
        fitting.add(&format!("Description:\n\n{description}"), "the description");
    }
    let mut issues = 0;
    for issue in source.issues {
        let text = format!(
            "Issue {}: {}\n\n{}",
            one_line(&issue.reference),
            one_line(&issue.title),
            readable(&issue.description)
        );
        issues += usize::from(!fitting.take(text.trim_end()));
    }
    fitting.leave_out(issues, "issue");
    let messages: Vec<String> =
        source.messages.iter().map(|message| readable(message)).filter(|message| !message.is_empty()).collect();
    let mut left = 0;
    for (at, message) in messages.iter().enumerate() {
        let heading = if at == 0 { "Commit messages:\n\n" } else { "" };
        left += usize::from(!fitting.take(&format!("{heading}{message}")));
    }
    fitting.leave_out(left, "commit message");
    let mut notes = Vec::new();
    if !fitting.left_out.is_empty() {
        notes.push(format!("Left out, because it does not fit: {}.", fitting.left_out.join(", ")));
    }
    match source.confidential {
        0 => {}
        1 => notes.push("One confidential issue is not shown.".to_owned()),
        many => notes.push(format!("{many} confidential issues are not shown.")),
    }
    IntentText { text: fitting.parts.join("\n\n"), left_out: notes.join(" ") }
}

/// The parts that fit, and the names of the others.
#[derive(Default)]
struct Fitting {
    left: u64,
    parts: Vec<String>,
    left_out: Vec<String>,
}

impl Fitting {
    /// Adds a part if it fits. Returns whether it does.
    fn take(&mut self, part: &str) -> bool {
        let chars = part.chars().count() as u64 + 2;
        let Some(rest) = self.left.checked_sub(chars) else { return false };
        self.left = rest;
        self.parts.push(part.to_owned());
        true
    }

    fn add(&mut self, part: &str, name: &str) {
        if !self.take(part) {
            self.left_out.push(format!("{name} ({} characters)", part.chars().count()));
        }
    }

    fn leave_out(&mut self, count: usize, name: &str) {
        match count {
            0 => {}
            1 => self.left_out.push(format!("one {name}")),
            many => self.left_out.push(format!("{many} {name}s")),
        }
    }
}

fn one_line(text: &str) -> String {
    readable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text as a person reads it on the server: without comments and without invisible characters, and with no line of three signs that
/// begins or ends a fence.
pub fn readable(text: &str) -> String {
    let text: String = text.replace("\r\n", "\n").chars().filter_map(visible).collect();
    let text = without_comments(&text);
    apart(text.trim()).into_owned()
}

/// Returns a character in the form that is shown. `None` if it has no shape.
fn visible(char: char) -> Option<char> {
    match char {
        '\n' | '\t' => Some(char),
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        _ if char.is_control() => None,
        // Signs that look like those of a fence.
        '\u{ff1c}' | '\u{fe64}' | '\u{2039}' => Some('<'),
        '\u{ff1e}' | '\u{fe65}' | '\u{203a}' => Some('>'),
        _ => (!is_invisible(char)).then_some(char),
    }
}

/// Returns whether a character is not drawn, or changes the direction of others.
fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Removes HTML comments, which the server does not show. One that has no end hides the rest. What is left never contains the beginning of
/// one, also where removing a comment joins its parts.
fn without_comments(text: &str) -> Cow<'_, str> {
    const BEGIN: &str = "<!--";
    const END: &str = "-->";
    if !text.contains(BEGIN) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        out.push(char);
        rest = &rest[char.len_utf8()..];
        if out.ends_with(BEGIN) {
            out.truncate(out.len() - BEGIN.len());
            rest = rest.find(END).map_or("", |end| &rest[end + END.len()..]);
        }
    }
    Cow::Owned(out)
}

/// Separates the signs of everything that looks like the beginning or the end of a fence.
fn apart(text: &str) -> Cow<'_, str> {
    if !FENCES.iter().any(|sign| text.contains(&sign.to_string().repeat(FENCE_SIGNS))) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if !FENCES.contains(&char) {
            out.push(char);
            continue;
        }
        let mut count = 1;
        while chars.next_if_eq(&char).is_some() {
            count += 1;
        }
        let sign = char.to_string();
        let separator = if count >= FENCE_SIGNS { " " } else { "" };
        out += &vec![sign; count].join(separator);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(description: &str) -> IntentIssue {
        IntentIssue { reference: "#7".to_owned(), title: "Crash".to_owned(), description: description.to_owned() }
    }

    #[test]
    fn the_parts_are_named() {
        let messages = ["Fix the crash\n".to_owned(), "  \n".to_owned(), "Add a test".to_owned()];
        let source = IntentSource {
            title: "Fix\nthe crash",
            description: "It crashed.",
            issues: &[issue("Steps: start it.")],
            confidential: 0,
            messages: &messages,
        };
        let all = intent_text(&source, 0);
        assert_eq!(all.left_out, "");
        expect_test::expect![[r#"
            Title: Fix the crash

            Description:

            It crashed.

            Issue #7: Crash

            Steps: start it.

            Commit messages:

            Fix the crash

            Add a test"#]]
        .assert_eq(&all.text);
        assert_eq!(intent_text(&IntentSource::default(), 10), IntentText::default());
    }

    #[test]
    fn a_part_over_the_limit_is_left_out_as_a_whole_and_counted() {
        let messages: Vec<String> = (0..5).map(|number| format!("Commit {number} {}", "x".repeat(60))).collect();
        let source = IntentSource {
            title: "Fix",
            description: &"long ".repeat(100),
            issues: &[issue("short"), issue(&"long ".repeat(100))],
            confidential: 2,
            messages: &messages,
        };
        let some = intent_text(&source, 220);
        assert!(some.text.chars().count() <= 220, "{}", some.text);
        assert!(!some.text.contains("long"), "{}", some.text);
        assert!(some.text.contains("Commit 1") && !some.text.contains("Commit 2"), "{}", some.text);
        assert_eq!(
            some.left_out,
            "Left out, because it does not fit: the description (513 characters), one issue, 3 commit messages. \
             2 confidential issues are not shown."
        );
    }

    #[test]
    fn text_that_a_person_does_not_see_is_removed() {
        assert_eq!(readable("a<!-- hidden -->b<!-- x\ny --> c <!-- no end"), "ab c");
        assert_eq!(readable("<!-<!-- x -->- y --> z"), "z");
        assert_eq!(readable("a\u{200b}\u{e0041}b\u{202e}c\u{1b}[2J\0"), "abc[2J");
        assert_eq!(readable("a\u{2028}b\rc\r\nd"), "a\nb\nc\nd");
    }

    #[test]
    fn nothing_looks_like_a_fence() {
        assert_eq!(readable("<<<M\n>>>M >> a << b"), "< < <M\n> > >M >> a << b");
        assert_eq!(readable(">\u{200b}>>M"), "> > >M");
        assert_eq!(readable("＞＞＞M"), "> > >M");
    }
}
