//! Shows untrusted text in places where some characters have effects.

use std::borrow::Cow;

/// Returns whether a character is invisible or changes the direction of writing, so that text looks different from its content.
pub(super) fn is_hidden(char: char) -> bool {
    matches!(char, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Prepares text for a terminal. Characters that move the cursor, write the clipboard or hide text are shown by number, as in `<U+001B>`.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    // Both kinds of line ends are harmless.
    let harmless = |char: char| matches!(char, '\n' | '\t') || !(char.is_control() || is_hidden(char));
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        if harmless(char) || (char == '\r' && rest.peek() == Some(&'\n')) {
            out.push(char);
        } else {
            out.push_str(&format!("<U+{:04X}>", u32::from(char)));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_characters_are_shown_by_number() {
        for (text, shown) in [
            ("a\n\tb\r\nÄ 漢 👩\u{200d}💻", "a\n\tb\r\nÄ 漢 👩\u{200d}💻"),
            ("\u{1b}]52;c;aGk=\u{7}", "<U+001B>]52;c;aGk=<U+0007>"),
            ("good\rbad", "good<U+000D>bad"),
            ("\r", "<U+000D>"),
            ("\u{9b}2J\u{7f}\u{0}", "<U+009B>2J<U+007F><U+0000>"),
            ("\u{202e}\u{2069}\u{200b}\u{2060}\u{feff}", "<U+202E><U+2069><U+200B><U+2060><U+FEFF>"),
        ] {
            assert_eq!(for_terminal(text), shown);
        }
    }
}
