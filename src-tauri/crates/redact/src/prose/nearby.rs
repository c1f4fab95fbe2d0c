//! Finds the name of a user, a host or a network near the name of a password: on the same line, or in labels on the lines around; and
//! passwords beside the name of a user that no word introduces.
//!
//! In: a text and the place of a word in it. Out: whether there is such a name, or spans.

use super::value::{ends_clause, ends_line, value, word};
use super::{Bare, Line, Look, Prose, Span, line_around};

/// The number of lines before and behind a line that are read.
const LINES_BEFORE: usize = 3;
const LINES_BEHIND: usize = 2;
/// The maximum number of bytes of a line that are read.
const MAX_LINE: usize = 200;

/// Returns a line without the marks of a list, a quotation or a comment.
fn without_marks(line: &str) -> &str {
    let line = line.trim_start_matches(|char: char| char.is_whitespace() || "-*+>#|•/".contains(char));
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")).unwrap_or(line).trim_start_matches(['*', ' '])
}

/// Returns the label and the value of a line: `- **User:** tom`.
fn label_and_value(line: &str) -> Option<(String, &str)> {
    let line = without_marks(line);
    let colon = line.find([':', '：'])?;
    let label = line[..colon].trim_matches(['*', '_', ' ', '`', '\u{a0}']).to_lowercase();
    let value = line[colon..].trim_start_matches([':', '：', '*', '_', ' ', '\t', '\u{a0}']);
    Some((label, value.trim_end_matches(['*', '_', ' ', '\r', '\\'])))
}

impl Prose {
    /// Returns whether the line with the range `from..to`, or a line around it, names a user, a host or a network.
    pub(super) fn is_beside_user(&self, text: &[u8], from: usize, before: &str, to: usize) -> bool {
        let words = before.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        let names = |word: &str| self.user_labels.contains(word) || self.place_labels.contains(word);
        if words.map(str::to_lowercase).any(|word| names(&word)) || before.contains("://") {
            return true;
        }
        let above = text[from.saturating_sub(LINES_BEFORE * MAX_LINE)..from]
            .rsplit(|byte| *byte == b'\n')
            .skip(1)
            .take(LINES_BEFORE);
        let below = text[to..text.len().min(to + LINES_BEHIND * MAX_LINE)]
            .split(|byte| *byte == b'\n')
            .skip(1)
            .take(LINES_BEHIND);
        above.chain(below).any(|line| self.names_a_user_or_place(&line[..line.len().min(MAX_LINE)]))
    }

    /// Returns whether a line is a label with the name of a user, or with the address of a host.
    fn names_a_user_or_place(&self, line: &[u8]) -> bool {
        let Ok(line) = std::str::from_utf8(line) else { return false };
        let Some((label, value)) = label_and_value(line) else { return false };
        let name = value.trim_matches(['`', '"', '\'', '<', '>']);
        let is_one_word = word(name) == Some(name);
        let is_user = self.user_labels.contains(&label)
            && is_one_word
            && name.starts_with(char::is_alphanumeric)
            && (self.users.contains(&name.to_lowercase()) || self.is_own(name));
        is_user || self.place_labels.contains(&label) && is_one_word && name.contains(['.', ':'])
    }

    /// Returns the ends of the names of users with the slash between them and a password.
    pub(in super::super) fn users_with_slash(&self) -> impl Iterator<Item = String> {
        let ends = |word: &String| [" / ", "` / `", "** / **", "\" / \""].map(|slash| format!("{word}{slash}"));
        self.accounts.iter().chain(&self.domains).flat_map(ends)
    }

    /// Adds the password behind the name of a user and the slash that ends at `end`, which no word introduces:
    /// `http://10.0.0.1:8080  admin / …`.
    pub(in super::super) fn find_beside_user(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        bare: Bare,
        spans: &mut Vec<Span>,
    ) {
        if bare != Bare::Text {
            return;
        }
        let (from, to) = line_around(text, start, end);
        let Ok(line) = std::str::from_utf8(&text[from..to]) else { return };
        let Some(slash) = line[..end - from].rfind(" / ") else { return };
        let head = &line[..slash];
        let name = head.rsplit(|char: char| char.is_whitespace() || "(|,:".contains(char)).next().unwrap_or(head);
        let before = &head[..head.len() - name.len()];
        let user = name.trim_matches(['`', '"', '*']);
        let is_address = user.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        if !is_address && !self.accounts.iter().any(|account| user.eq_ignore_ascii_case(account)) {
            return;
        }
        let line = Line { before, rest: line.trim_end(), at: from, is_document: true, text, range: (from, to) };
        let Some(found) = value(line.rest, slash + " / ".len()) else { return };
        // The addresses of a host or a page are before the user.
        let has_place = before.contains("://")
            || before
                .split(|char: char| !char.is_ascii_digit() && char != '.')
                .any(|part| part.matches('.').count() == 3);
        let look = if has_place { Look::Beside } else { Look::MadeUp };
        let is_mixed = found.text.contains(|char: char| char.is_uppercase() || "!#$%&*+?~^=@".contains(char));
        let ended = ends_line(line.rest, found) || ends_clause(line.rest, found);
        if ended && (has_place || is_address || is_mixed) && self.is_secret(found, look, &line) {
            spans.push(line.span(found, user));
        }
    }
}
