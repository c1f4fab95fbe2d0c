//! Reads the value behind the verb of a sentence about a password, and the old and the new value behind a verb of change.
//!
//! In: a line with the name of a password. Out: values.

use super::line::Line;
use super::look::Look;
use super::value::{Apart, Value, blanks, ends_clause, is_made_up, is_odd, value, word};
use super::{MAX_WORDS, Prose};
use crate::shapes::{Shape, shape};

/// The maximum number of words between a condition and the name of a password.
const MAX_BEFORE_CONDITION: usize = 3;
/// The maximum number of words between the name of a password and its verb if the value is more than a word.
const MAX_WORDS_BEFORE_VERB: usize = 16;

/// Returns the article or preposition that a word begins with, without its last vowel: `dell'utente`.
fn elided(word: &str) -> &str {
    word.split(['\'', '’']).next().unwrap_or(word)
}

impl Prose {
    /// Returns whether a word tells the value of a password by its name, or in languages whose adjectives are not known.
    fn is_verb_of(&self, name: &str, word: &str) -> bool {
        self.verbs_before_made_up.contains(word) || self.verbs_of.contains(&(name.to_owned(), word.to_owned()))
    }

    /// Returns the old and the new value: `password from … to …`, `password was changed from … to …`.
    pub(super) fn changed<'a>(&self, line: &Line<'a>, from: usize) -> Vec<Value<'a>> {
        let is_change = |text: &str| self.is_change(&text.to_lowercase());
        let rest = line.rest;
        // `replaced the password … with …`
        if is_change(line.before)
            && let Some(both) = self.replacing.iter().find_map(|word| self.old_and_new(line, from, word))
        {
            return self.passwords_of(both, line);
        }
        let mut at = from;
        for count in 0..MAX_WORDS {
            let Some(word) = word(&rest[at..]).filter(|word| !word.ends_with(['.', ',', ';', ':', ')'])) else { break };
            let lower = word.to_lowercase();
            let next = at + word.len() + blanks(&rest[at + word.len()..]);
            for to in self.from.iter().filter(|(from, _)| *from == lower).map(|(_, to)| to) {
                if (is_change(line.before) || is_change(&rest[from..]))
                    && let Some([old, new]) = self.old_and_new(line, next, to)
                {
                    return self.passwords_of([old, new], line);
                }
            }
            // `password hashing from …`: something else changed.
            let goes_on = [&self.links, &self.verbs, &self.with].iter().any(|words| words.contains(&lower));
            if count == 0 && !goes_on && !is_change(&lower) {
                break;
            }
            at = next;
        }
        Vec::new()
    }

    fn passwords_of<'a>(&self, values: [Value<'a>; 2], line: &Line<'_>) -> Vec<Value<'a>> {
        let looks = [Look::Word, Look::Beside];
        values.into_iter().filter(|value| looks.iter().any(|look| self.is_secret(*value, *look, line))).collect()
    }

    /// Returns two values with a word between them, of which one certainly is a password, and not a method or a type.
    fn old_and_new<'a>(&self, line: &Line<'a>, at: usize, to: &str) -> Option<[Value<'a>; 2]> {
        let old = value(line.rest, at).filter(|old| !self.after.contains(&old.text.to_lowercase()))?;
        let next = old.end + blanks(&line.rest[old.end..]);
        let new = line.rest[next..].strip_prefix(to).filter(|new| new.starts_with(' '))?;
        let new = value(line.rest, line.rest.len() - new.len())?;
        let shows = |value: Value<'_>, look: Look| self.is_secret(value, look, line);
        let are_passwords = shows(old, Look::MadeUp)
            || shows(new, Look::MadeUp)
            || shows(old, Look::NoAdjective) && shows(new, Look::NoAdjective);
        let next = word(line.rest[new.end..].trim_start()).unwrap_or_default();
        let ended = ends_clause(line.rest, new) || self.is_change(&next.to_lowercase());
        (ended && are_passwords).then_some([old, new])
    }

    /// Returns the value behind a verb: `password for the server is …`, `password to …`.
    pub(super) fn behind_verb<'a>(&self, line: &Line<'a>, from: usize) -> Option<Value<'a>> {
        let words = || line.before.split_whitespace().rev().take(MAX_BEFORE_CONDITION);
        // A condition is in the same clause: `log in as tom, the password is …`.
        let mut clause = words().take_while(|word| !word.ends_with(','));
        if clause.any(|word| self.conditions.contains(&word.to_lowercase())) {
            return None;
        }
        let name = line.name.to_lowercase();
        let is_bound = self.inflected.contains(&name);
        let mut at = from;
        // `we changed the password everywhere to …`
        let is_changed = words().any(|word| self.is_change(&word.to_lowercase()));
        let mut changes = false;
        let mut is_interrupted = false;
        let mut is_unlinked = false;
        for count in 0..MAX_WORDS_BEFORE_VERB {
            // `password (of the demo server) is …`
            if line.rest[at..].starts_with('(') {
                at += line.rest[at..].find(')')? + 1;
                at += blanks(&line.rest[at..]);
            }
            let word = word(&line.rest[at..])?;
            let lower = word.trim_end_matches(':').to_lowercase();
            let next = at + word.len() + blanks(&line.rest[at + word.len()..]);
            let is_foreign = self.is_verb_of(&name, &lower);
            let is_verb = is_foreign || self.verbs.contains(&lower);
            let may_tell = is_verb || (count == 0 || changes || is_changed) && self.to.contains(&lower);
            if may_tell && let Some(value) = value(line.rest, self.skip_adverbs(line.rest, next)) {
                let look = match value.apart {
                    _ if is_interrupted || is_unlinked || count >= MAX_WORDS => Look::MadeUp,
                    Apart::Not if is_foreign || is_bound && count > 0 => Look::MadeUp,
                    Apart::Quoted | Apart::Bold => Look::Word,
                    Apart::Not if line.is_document && self.literal_verbs.contains(&lower) => Look::Beside,
                    Apart::Not if is_verb && self.ends_statement(line, value) => Look::NoAdjective,
                    Apart::Not if is_verb => Look::Capitalized,
                    Apart::Not => Look::MadeUp,
                };
                let is_shaped = || line.is_document && shape(value.text.as_bytes()) > Some(Shape::Words);
                let next = self::word(line.rest[value.end..].trim_start()).unwrap_or_default();
                let goes_on = self.after.contains(next.trim_end_matches('.'));
                let is_apart = line.is_document && value.apart != Apart::Not && is_made_up(value.text);
                let is_told = look == Look::NoAdjective || goes_on || is_apart || ends_clause(line.rest, value);
                // One word before the verb is what the sentence is about: `password policy is …`.
                let is_certain =
                    !is_unlinked || count > 2 && (shape(value.text.as_bytes()).is_some() || is_odd(value.text));
                if is_certain && (is_told || is_shaped()) && self.is_secret(value, look, line) {
                    return Some(value);
                }
            }
            // `has been reset to …`
            changes = self.is_change(&lower);
            let goes_on = |word: &str| self.is_change(word) || self.with.contains(word);
            if is_verb && !self::word(&line.rest[next..]).is_some_and(|word| goes_on(&word.to_lowercase())) {
                return None;
            }
            // `password policy is …`: the policy is told.
            let is_linked = count > 0
                || is_verb
                || is_bound
                || self.links_of_more_languages.contains(elided(&lower))
                || [&self.links, &self.adverbs, &self.with, &self.after].iter().any(|words| words.contains(&lower));
            // `password of the server, by the way, is …`
            is_interrupted |= line.is_document && word.ends_with(',');
            // `the password that IT gave us is …`
            is_unlinked |= !is_linked;
            if is_unlinked && !line.is_document
                || word.ends_with(['.', ';', ':', '!', '?', '(', ')'])
                || !is_interrupted && word.ends_with(',')
            {
                return None;
            }
            at = next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn sentences_in_many_languages_tell_a_password() {
        check(
            "a.md",
            &[
                "La password di amministratore è ⟦Collina88verde⟧.",
                "La password dell'utente di prova è ⟦Collina88verde⟧.",
                "Heslo je ⟦Kopec88zeleny⟧.",
                "Heslo k testovacímu serveru je ⟦Kopec88zeleny⟧.",
                "Heslo správce je teď ⟦kopec_88⟧.",
                "Hasło do serwera to ⟦Wzgorze88⟧.",
                "пароль теперь ⟦Kholm88zeleny⟧",
                "Пароль от базы — ⟦Kholm88zeleny⟧",
                "Пароль сменили на ⟦Kholm88zeleny⟧",
                "Le mot de passe est désormais ⟦Colline88verte⟧",
                "La contraseña del servidor es ⟦Colina88verde⟧.",
                "A senha do servidor é ⟦Colina88verde⟧.",
                "Het wachtwoord van de server is ⟦Heuvel88groen⟧.",
                "Lösenordet till servern är ⟦Kulle88gron⟧.",
                "Parola şimdi ⟦Tepe88yesil⟧",
                "Sunucunun şifresi ⟦Tepe88yesil⟧",
                "Parola serverului este ⟦Deal88verde⟧.",
                "A jelszó most ⟦Domb88zold⟧",
                "Salasana on nyt ⟦Kukkula88⟧",
            ],
        );
        check("a.py", &["# La password di amministratore è ⟦Collina88verde⟧", "# heslo je ⟦Kopec88zeleny⟧"]);
    }

    #[test]
    fn sentences_in_many_languages_describe_a_password() {
        check(
            "a.md",
            &[
                "La password di amministratore è gestita da Vault.",
                "Heslo uživatele je šifrováno pomocí bcrypt2.",
                "Heslo je bezpečnější než PIN.",
                "Пароль теперь проверяется на сервере.",
                "Пароль пользователя — строка длиной не менее 8 символов.",
                "Hasło do serwera to jedyny sekret.",
                "Lösenordet är krypterat.",
                "Lösenordet är obligatoriskt.",
                "Şifre şimdi sıfırlandı.",
                "Salasana on vaihdettava.",
                "The password is sometimes a problem.",
                "The password for admin to login is required.",
            ],
        );
    }
}
