//! Finds the name of a user, a host or a network near the name of a password: on the same line, or in labels on the lines around; and
//! passwords beside the name of a user that no word introduces.
//!
//! In: a text and the place of a word in it. Out: whether there is such a name, or spans.

use super::below::speech;
use super::line::{Line, line_around};
use super::value::{Apart, Value, ends_clause, ends_line, value, word};
use super::{Bare, Look, Prose, Span, in_remark};
use crate::cursor::line_start;
use crate::shapes::{Shape, shape};
use crate::words::WORDS;

/// The slash between a user and a password.
const SLASH: &str = " / ";
/// The text between both in bold letters.
const BOLD: &str = "** and **";
/// The number of lines before and behind a line that are read.
const LINES_BEFORE: usize = 3;
const LINES_BEHIND: usize = 2;
/// The names of users that are no programs with versions.
const PEOPLE: &[&str] = &["admin", "administrator", "root", "guest", "demo"];
/// The maximum number of bytes of a line that are read.
const MAX_LINE: usize = 200;

/// Returns a line without the marks of a list, a quotation or a comment.
pub(super) fn without_marks(line: &str) -> &str {
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
        if self.names_a_user_in(before) || before.contains("://") {
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

    /// Returns whether the line with the range `from..to`, or one above it, names a network.
    pub(super) fn is_near_network(&self, text: &[u8], from: usize, to: usize) -> bool {
        let mut start = from;
        for _ in 0..LINES_BEFORE {
            let Some(end) = start.checked_sub(1) else { break };
            let begin = line_start(text, end);
            if text[begin..end].trim_ascii().is_empty() {
                break;
            }
            start = begin;
        }
        self.networks.iter().any(|name| memchr::memmem::find(&text[start..to], name.as_bytes()).is_some())
    }

    /// Returns whether a text has a word for a user, a host or a network.
    pub(super) fn names_a_user_in(&self, text: &str) -> bool {
        let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        let names = |word: &str| WORDS.names_a_user(word) || self.place_labels.contains(word);
        words.map(str::to_lowercase).any(|word| names(&word))
    }

    /// Returns whether a text ends with a label of a user and one of the usual names of users: `user: admin, `.
    pub(super) fn follows_user(&self, before: &str) -> bool {
        let before = before.trim_end_matches([',', ';', '/', '|', '(', ' ']);
        let Some((label, user)) = before.rsplit_once([':', '=']) else { return false };
        let label = label.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or(label);
        let user = user.trim_matches([' ', '`', '"', '\'']);
        WORDS.names_a_user(&label.to_lowercase()) && self.users.contains(&user.to_lowercase())
    }

    /// Returns whether a text ends with a word for a user and the name of one: `with user ops and the `.
    pub(super) fn follows_name_of_user(&self, before: &str) -> bool {
        let mut words = before
            .split_whitespace()
            .rev()
            .map(|word| word.trim_matches([',', ';', ':', '(', '`', '"', '\'', '*']))
            .skip_while(|word| word.is_empty() || self.joins.contains(&word.to_lowercase()));
        let Some(name) = words.next() else { return false };
        let Some(label) = words.find(|word| !self.verbs.contains(*word)) else { return false };
        let label = label.to_lowercase();
        // `user ops and the password …`, `log in as ops with password …`
        (WORDS.names_a_user(&label) || self.as_words.contains(&label))
            && !WORDS.names_a_user(name)
            && (self.users.contains(name)
                || is_address(name)
                || is_name(name) && self.is_own(name) && !WORDS.is_of_names(name) && !WORDS.is_of_sentences(name))
    }

    /// Returns whether a line is a label with the name of a user, or with the address of a host.
    fn names_a_user_or_place(&self, line: &[u8]) -> bool {
        let Ok(line) = std::str::from_utf8(line) else { return false };
        let Some((label, value)) = label_and_value(line) else { return false };
        let name = value.trim_matches(['`', '"', '\'', '<', '>']);
        let is_one_word = word(name) == Some(name);
        let last = label.rsplit(' ').next().unwrap_or(&label);
        let is_user = (WORDS.names_a_user(&label) || WORDS.names_a_user(last))
            && is_one_word
            && name.starts_with(char::is_alphanumeric)
            && (self.users.contains(&name.to_lowercase()) || self.is_own(name));
        is_user || self.place_labels.contains(&label) && is_one_word && name.contains(['.', ':'])
    }

    /// Returns the signs between the name of a user and a password, with the names before those that also have other uses.
    pub(in super::super) fn users_with_sign(&self) -> impl Iterator<Item = String> {
        let attached = |word: &String| [format!("{word}/"), format!("{word}:")];
        [SLASH, BOLD].map(str::to_owned).into_iter().chain(WORDS.accounts().iter().flat_map(attached))
    }

    /// Adds the password behind the name of a user and the sign that ends at `end`, which no word introduces:
    /// `http://10.0.0.1:8080  admin / …`, `grafana admin/…`.
    pub(in super::super) fn find_beside_user(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        bare: Bare,
        spans: &mut Vec<Span>,
    ) {
        // In a comment, the password must have a digit.
        let has_digit =
            || text[end..].iter().take(MAX_LINE).take_while(|byte| !byte.is_ascii_whitespace()).any(u8::is_ascii_digit);
        if bare != Bare::Text && !(has_digit() && in_remark(text, start)) {
            return;
        }
        let (from, to) = line_around(text, start, end);
        let Ok(head) = std::str::from_utf8(&text[from..end]) else { return };
        let Ok(rest) = std::str::from_utf8(&text[end..to]) else { return };
        let is_document = bare == Bare::Text;
        let line = Line { name: head, before: head, rest: rest.trim_end(), is_document, text, range: (from, to) };
        if let Some(head) = head.strip_suffix(BOLD) {
            spans.extend(self.in_bold(&line, head).map(|value| line.span(value, head)));
            return;
        }
        if !head.ends_with(SLASH) {
            spans.extend(self.attached(&line).map(|value| line.span(value, head)));
            return;
        }
        let head = &head[..head.len() - SLASH.len()];
        let name = head.rsplit(|char: char| char.is_whitespace() || "(|,:".contains(char)).next().unwrap_or(head);
        let before = &head[..head.len() - name.len()];
        let user = name.trim_matches(['`', '"', '*']);
        let Some(found) = value(line.rest, 0) else { return };
        let is_address = is_address(user);
        let is_known = is_address || WORDS.is_account(user);
        // The addresses of a host or a page are before the user.
        let has_place = before.contains("://")
            || before
                .split(|char: char| !char.is_ascii_digit() && char != '.')
                .any(|part| part.matches('.').count() == 3);
        let is_mixed = found.text.contains(|char: char| char.is_uppercase() || "!#$%&*+?~^=@".contains(char));
        let ended = ends_line(line.rest, found) || ends_clause(line.rest, found);
        let is_told = || is_document && !found.text.contains('/') && is_only_said(text, from, head, user);
        if shape(found.text.as_bytes()) > Some(Shape::Words) && ends_line(line.rest, found) && is_told() {
            spans.extend(self.is_secret(found, Look::MadeUp, &line).then(|| line.span(found, user)));
            return;
        }
        if self.is_connected(before) && is_name(user) && !WORDS.is_of_names(user) && self.is_told_with(&line, found) {
            spans.push(line.span(found, user));
            return;
        }
        let look = match is_known && is_document && ended {
            true if has_place => Look::Beside,
            true if is_address || is_mixed => Look::MadeUp,
            _ if is_known || is_name(user) => Look::Strong,
            _ => return,
        };
        if self.is_secret(found, look, &line) {
            spans.push(line.span(found, user));
        }
    }

    /// Returns the password in bold letters behind a user in bold letters, which ends a text: `use **guest** and **…**`.
    fn in_bold<'a>(&self, line: &Line<'a>, head: &str) -> Option<Value<'a>> {
        let (before, user) = head.rsplit_once("**").filter(|_| line.is_document)?;
        let verb = before.split_whitespace().next_back()?.to_lowercase();
        let end = line.rest.find("**")?;
        let found = Value { text: &line.rest[..end], end: end + 2, apart: Apart::Bold };
        let is_known = self.users.contains(user) || WORDS.is_account(user) || WORDS.names_a_user(user);
        let look = if is_known { Look::Capitalized } else { Look::MadeUp };
        let is_told = is_known || shape(found.text.as_bytes()) == Some(Shape::Mixed);
        let is_entered = self.with.contains(&verb) || self.enters.contains(&verb);
        (is_entered && is_told && is_name(user) && self.is_secret(found, look, line)).then_some(found)
    }

    /// Returns whether a text ends with a verb of a program that logs in and a preposition: `the worker runs with`.
    fn is_connected(&self, before: &str) -> bool {
        let mut words = before.split_whitespace().rev();
        // `runs with`, `logs in with`
        words.next().is_some_and(|word| self.with.contains(word))
            && words.take(2).any(|verb| self.connects.iter().any(|start| verb.starts_with(start.as_str())))
    }

    /// Returns whether a value behind a slash is made up with a sign and a digit, and its clause ends or says until when it holds.
    fn is_told_with(&self, line: &Line<'_>, found: Value<'_>) -> bool {
        let next = word(line.rest[found.end..].trim_start()).unwrap_or_default();
        let ended = ends_line(line.rest, found) || ends_clause(line.rest, found) || self.after.contains(next);
        let has_sign = found.text.contains(|char| "!#$%&*+?~^=".contains(char));
        ended && has_sign && self.is_secret(found, Look::MadeUp, line)
    }

    /// Returns the password that is attached to the name of a user before it: `root:…`.
    fn attached<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let user = line.before.trim_end_matches(['/', ':']);
        let before = user.trim_end_matches(char::is_alphanumeric);
        let found = word(line.rest)?;
        let found = found.trim_end_matches(['.', ',', ';', ')', '`', '"', '\'']);
        let value = Value { text: found, end: found.len(), apart: Apart::Not };
        let begins = before.is_empty() || before.ends_with([' ', '\t', '(', '`', '"', '\'', '*']);
        // `reachable with guest/…`, but not `with postgres:15-alpine2`
        let digits = found.bytes().filter(u8::is_ascii_digit).count();
        let is_used = || {
            let previous = before.trim_end_matches(['`', '"', '\'', '*']).trim_end().rsplit(' ').next();
            line.is_document
                && digits > 1
                // The home of the administrator.
                && !line.before.ends_with("root/")
                && PEOPLE.contains(&&user[before.len()..])
                && previous.is_some_and(|word| self.with.contains(&word.to_lowercase()))
        };
        let look = if is_used() { Look::MadeUp } else { Look::Strong };
        (begins && self.is_secret(value, look, line)).then_some(value)
    }
}

/// Returns whether a speaker of a conversation says a user and a password only: `[10:03] eva: demo / …`. The line has a time or a name in
/// brackets, or answers a question above it.
fn is_only_said(text: &[u8], from: usize, head: &str, user: &str) -> bool {
    let above = text[..from.saturating_sub(1)].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let above = &above[..above.len().min(MAX_LINE)];
    let is_conversation = head.starts_with(['[', '<'])
        || head.starts_with(|char: char| char.is_ascii_digit())
        || std::str::from_utf8(above).is_ok_and(|above| speech(above).is_some_and(|said| said.ends_with('?')));
    is_conversation && is_name(user) && speech(head) == Some(user)
}

/// Returns whether a text is the address of a mailbox.
pub(super) fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// Returns whether a text can be the name of a user: `ops`, `svc_mail`.
fn is_name(user: &str) -> bool {
    user.starts_with(char::is_lowercase) && user.chars().all(|char| char.is_alphanumeric() || "_-.".contains(char))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn speakers_say_a_user_and_a_password() {
        check(
            "chat.txt",
            &[
                "[10:02] tom: which login for the stage?\n[10:03] eva: demo / ⟦Kiesgrube7⟧",
                "tom: which login?\neva: demo / ⟦Kiesgrube7⟧",
                "eva: přihlášení: demo / ⟦Kiesgrube7⟧",
                "CI: test / Ubuntu22",
                "[10:03] eva: docs / Kapitel2 / Absatz3",
                "tom: which one?\neva: demo / staging",
            ],
        );
    }
}
