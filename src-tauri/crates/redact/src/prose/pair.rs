//! Finds the password behind the name of a user that a word about a login introduces: `Login: guest / …`, "log in with **admin** / **…**".
//!
//! In: a line with such a word. Out: a value.

use super::line::Line;
use super::look::Look;
use super::value::{Apart, Value, blanks, ends_clause, value, word};
use super::{MAX_WORDS, Prose};
use crate::shapes::{Shape, shape};
use crate::words::WORDS;

impl Prose {
    /// Returns the password behind the name of a user and a slash: `Login: guest / …`.
    pub(super) fn pair<'a>(&self, line: &Line<'a>) -> Option<Value<'a>> {
        let rest = line.rest;
        let label = line.name.to_lowercase();
        // `**Login:** …` and `**Login**: …`
        let mut at = rest.len() - rest.trim_start_matches('*').len();
        at += blanks(&rest[at..]);
        let has_sign = rest[at..].starts_with([':', '=']);
        let mut follows_label = has_sign || label.ends_with(':');
        // `Username / password: …`
        let names_both = label.contains('/');
        // `Log in as …`, `Log in with …`, `test account …`
        let last = label.split(' ').skip(1).last();
        let has_user = last.is_some_and(|last| self.as_words.contains(last) || WORDS.names_a_user(last));
        let is_used = has_user || last.is_some_and(|last| self.with.contains(last));
        // `the service account, svc_cron / …`
        at += usize::from(has_sign || rest[at..].starts_with(", "));
        at += if rest[at..].starts_with("** ") { 2 } else { 0 };
        let mut is_with = false;
        for _ in 0..MAX_WORDS {
            let user = value(rest, at)?;
            let behind = user.end + blanks(&rest[user.end..]);
            // `Log in at https://host with …`
            let is_preposition =
                !is_used && user.apart == Apart::Not && self.with.contains(user.text) && label.contains(' ');
            if user.text.contains("://") || is_preposition {
                is_with |= is_preposition;
                at = behind;
                continue;
            }
            let slash = rest[behind..].starts_with("/ ") || user.apart != Apart::Not && rest[behind..].starts_with('/');
            if slash {
                return value(rest, behind + 1).filter(|value| {
                    let look = match user.apart == Apart::Quoted && value.apart == Apart::Quoted {
                        true if follows_label || is_used => Look::Word,
                        true if is_with => Look::Beside,
                        _ if names_both && follows_label
                            || (follows_label || is_used) && line.ends_sentence(*value) =>
                        {
                            Look::Beside
                        }
                        _ => Look::MadeUp,
                    };
                    self.is_pair(user, *value, look, line)
                });
            }
            // `sign in as me@example.org with …`
            let next = word(&rest[behind..]).unwrap_or_default();
            if is_used && self.with.contains(next) {
                // A word behind `as` can also be a role: `connected as analyst with …`.
                let is_user = user.apart != Apart::Not || user.text.contains('@');
                let least = if is_user { Shape::Words } else { Shape::Numbered };
                return value(rest, behind + next.len())
                    .filter(|value| shape(value.text.as_bytes()) > Some(least))
                    .filter(|value| self.is_pair(user, *value, Look::MadeUp, line));
            }
            if user.apart != Apart::Not
                || user.text.ends_with(['!', '?'])
                || rest[user.end..].starts_with(['.', ';', ')'])
            {
                return None;
            }
            if let Some((name, password)) =
                user.text.split_once(['/', ':']).filter(|(_, password)| !password.is_empty())
            {
                // `credentials ops:…`
                let is_first = line.rest[..at].trim().is_empty();
                let is_pair =
                    (follows_label || is_used || is_first) && !name.contains('.') && !password.contains(['/', ':']);
                let password = Value { text: password, ..user };
                let is_known = self.users.contains(name) || WORDS.is_account(name);
                let look = if (is_known || names_both && follows_label) && line.ends_sentence(password) {
                    Look::Beside
                } else {
                    Look::MadeUp
                };
                return (is_pair && self.is_pair(Value { text: name, ..user }, password, look, line))
                    .then_some(password);
            }
            // `The credentials are ops / …`
            follows_label = user.text.ends_with(':') || self.verbs.contains(user.text);
            at = behind;
        }
        None
    }

    /// Returns whether a value is the password of a user. The look is what the words before them ask for.
    fn is_pair(&self, user: Value<'_>, password: Value<'_>, look: Look, line: &Line<'_>) -> bool {
        let name = user.text.to_lowercase();
        // `Component1 / Component2`: users have small letters.
        let is_name = user.text.starts_with(|char: char| !char.is_uppercase())
            && !user.text.is_empty()
            && !self.passwords.contains(&name)
            && self.is_own(&name) | self.users.contains(&name)
            && user.text.chars().all(|char| char.is_alphanumeric() || "_-.@+\\".contains(char));
        let look = match self.users.contains(&name) {
            true if line.is_document => look.max(Look::Beside),
            true => look.max(Look::Capitalized),
            false => look,
        };
        let ended = password.apart != Apart::Not || ends_clause(line.rest, password);
        is_name && ended && self.is_secret(password, look, line)
    }
}
