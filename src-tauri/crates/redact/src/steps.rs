//! Finds the passwords in the steps of a test in Gherkin: `And I enter "…" into the password field`, `When I log in as "tom" with "…"`.
//!
//! In: the text of a file and its name. Out: spans. Only strings in quotes are read; tables are read by [`super::tables`].

use super::calls::RULE;
use super::prose::Prose;
use super::span::Span;
use super::tables::is_password;
use super::types::RedactionReason;
use super::words::{WORDS, Worth};

/// The extension of files with steps.
pub(super) const EXTENSION: &str = ".feature";

/// The words between the name of a password and its value.
const BETWEEN: &[&str] = &["is", "to", "of", "as", "with", "the", "a", "be", "equals"];
/// The words between a value and the name of its field.
const INTO: &[&str] = &["into", "in", "as", "for"];
/// The words between a user and a password.
const AND: &[&str] = &["and", "with", "password", "/", ","];
/// The first words of a login.
const LOGINS: &[&str] = &[
    "log",
    "logs",
    "logged",
    "login",
    "logging",
    "sign",
    "signs",
    "signed",
    "signin",
    "authenticate",
    "authenticates",
];
/// The maximum number of words between a value and the name of its field.
const MAX_WORDS: usize = 4;

/// A string of a step with the words before it.
struct Argument<'a> {
    before: &'a str,
    value: &'a str,
}

/// Adds the passwords of the steps of a file.
pub(super) fn find(text: &[u8], place: &str, prose: &Prose, spans: &mut Vec<Span>) {
    if !place.ends_with(EXTENSION) {
        return;
    }
    let lines = text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    for step in lines.filter(|line| line.contains(['"', '\''])) {
        for value in passwords(step).into_iter().filter(|value| is_password(value.as_bytes(), prose)) {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            spans.push(Span::new(start, start + value.len(), RULE.into()).because(RedactionReason::CallArgument));
        }
    }
}

/// Returns the strings of a step that its words call passwords.
fn passwords(step: &str) -> Vec<&str> {
    let (arguments, end) = arguments(step);
    let first = words(arguments.first().map_or("", |argument| argument.before));
    let is_login = first.iter().any(|word| LOGINS.contains(&word.as_str()));
    let mut found = Vec::new();
    for (index, Argument { before, value }) in arguments.iter().enumerate() {
        let next = arguments.get(index + 1);
        let behind = words(next.map_or(end, |next| next.before));
        let before = words(before);
        let named = before.iter().rev().find(|word| !BETWEEN.contains(&word.as_str()));
        let is_behind_name = named.is_some_and(|word| names_a_password(word));
        let is_before_name = behind.first().is_some_and(|word| INTO.contains(&word.as_str()))
            && (behind.iter().take(MAX_WORDS).any(|word| names_a_password(word))
                || next.is_some_and(|next| behind.len() <= MAX_WORDS && names_a_password(next.value)));
        let is_behind_user = is_login && index == 1 && before.iter().all(|word| AND.contains(&word.as_str()));
        if is_behind_name || is_before_name || is_behind_user {
            found.push(*value);
        }
    }
    found
}

/// Returns the strings of a step, and the words behind the last one.
fn arguments(step: &str) -> (Vec<Argument<'_>>, &str) {
    let mut found = Vec::new();
    let mut rest = step;
    while let Some(open) = rest.find(['"', '\'']) {
        let quote = &rest[open..=open];
        let inside = &rest[open + 1..];
        // An apostrophe is not a quote.
        let Some(length) = inside.find(quote).filter(|_| !rest[..open].ends_with(char::is_alphanumeric)) else { break };
        found.push(Argument { before: &rest[..open], value: &inside[..length] });
        rest = &inside[length + 1..];
    }
    (found, rest)
}

fn words(text: &str) -> Vec<String> {
    let is_part = |char: char| char.is_alphanumeric() || "-_/,".contains(char);
    text.split(|char| !is_part(char)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn names_a_password(word: &str) -> bool {
    WORDS.names_a_password(word.as_bytes()) && WORDS.worth(word.as_bytes()) != Worth::None
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn passwords_of_steps_are_masked() {
        check(
            "features/login.feature",
            &[
                "And I enter \"⟦kirschgarten⟧\" into the password field",
                "And I type \"⟦kirschgarten⟧\" in the \"password\" field",
                "Given a user \"tom\" with the password \"⟦kirschgarten⟧\" exists",
                "When I login with \"tom\" and \"⟦kirschgarten⟧\"",
                "When the user logs in with 'tom' and '⟦kirschgarten⟧'",
                "And I enter \"kirschgarten\" into the name field",
                "And I enter \"<password>\" into the password field",
                "Then I should see \"Invalid\" in the password field",
                "And I select \"kirschgarten\" from \"Password type\"",
                "When I send \"tom\" and \"kirschgarten\"",
                "Then the user's password isn't \"required\"",
            ],
        );
    }
}
