//! Shows untrusted text in places where some characters have effects.

use std::borrow::Cow;

/// Returns whether a character is invisible or changes the direction of writing, so that text looks different from its content.
pub(super) fn is_hidden(char: char) -> bool {
    matches!(
        char,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Returns whether a character has no effect in a terminal.
fn is_harmless(char: char) -> bool {
    matches!(char, '\n' | '\t') || !(char.is_control() || is_hidden(char))
}

/// The number of bytes that are looked at together.
const CHUNK: usize = 64;

/// Returns the place of the first byte that is not printable ASCII, a line feed or a tab.
fn first_special(bytes: &[u8]) -> Option<usize> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    // Without an exit from the loop over a chunk, its bytes are compared at once.
    let is_all_plain = |chunk: &&[u8]| chunk.iter().fold(0, |special, byte| special | u8::from(!is_plain(byte))) == 0;
    let at = CHUNK * bytes.chunks_exact(CHUNK).take_while(is_all_plain).count();
    bytes.get(at..)?.iter().position(|byte| !is_plain(byte)).map(|special| at + special)
}

/// Returns whether all characters are harmless. Printable ASCII, which is most text, is not decoded.
fn is_all_harmless(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = first_special(rest.as_bytes()) {
        rest = &rest[at..];
        let mut chars = rest.chars();
        if chars.next().is_some_and(|char| !is_harmless(char)) {
            return false;
        }
        rest = chars.as_str();
    }
    true
}

/// Prepares text for a terminal. Characters that move the cursor, write the clipboard or hide text are shown by number, as in `<U+001B>`.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if is_all_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        // Both kinds of line ends are harmless.
        if is_harmless(char) || (char == '\r' && rest.peek() == Some(&'\n')) {
            out.push(char);
        } else {
            out.push_str(&format!("<U+{:04X}>", u32::from(char)));
        }
    }
    Cow::Owned(out)
}

/// Escapes the characters of serialised JSON that [`for_terminal`] would show by number. They can be only in strings, whose values stay the
/// same.
pub(super) fn escaped_json(json: &str) -> Cow<'_, str> {
    if is_all_harmless(json) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    for char in json.chars() {
        if is_harmless(char) {
            out.push(char);
        } else {
            let mut units = [0; 2];
            char.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_has_the_same_values_and_no_effects() {
        let value = serde_json::json!({
            "\u{202e}key": "\u{9b}2J\u{7f}\u{85}\u{2028}\u{2066}\u{feff}\u{e0041}\u{1b}\t",
            "plain": "Ä 漢 👩\u{200d}💻 \\u009b",
        });
        let text = serde_json::to_string_pretty(&value).expect("JSON");
        let escaped = escaped_json(&text);
        assert_eq!(for_terminal(&escaped), escaped);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON"), value);
        assert!(escaped.contains("\\u202ekey") && escaped.contains("\\udb40\\udc41"), "{escaped}");
    }

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
