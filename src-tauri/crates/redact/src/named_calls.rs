//! Finds the strings of source code that only a password can be, in lines that name a password or a login: among the arguments of calls
//! (`loginAs(page, "editor", "…")`), and anywhere on the line (`assert "…" == settings.password`).
//!
//! In: a text and the place of a word. Out: spans. The more the place of a string says, the less must it look like a password.

use super::arguments::{arguments, strings};
use super::calls::{RULE, is_chosen_word};
use super::code::is_reference;
use super::cursor::{REACH, line_start};
use super::key_words::split;
use super::shapes::{Shape, has_digit_in_word, shape};
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, is_prose};
use super::words::{WORDS, Worth};

/// The maximum number of letters of a name behind a word.
const MAX_REST: usize = 40;
/// The last words of names of functions that check a password.
const CHECKS: &[&str] = &["valid", "correct", "matches", "ok", "right"];
/// The lengths of a string in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=40;

/// Adds the passwords in the call, and if the word names the field of a password, in the line of the word at `start..end`. A
/// line is read once: `read` is the end of the last one.
pub(super) fn find(text: &[u8], (start, end): (usize, usize), is_field: bool, read: &mut usize, spans: &mut Vec<Span>) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let rest = text[end..].iter().take(MAX_REST).take_while(|byte| is_part(byte)).count();
    let before = text[..start].iter().rev().take(MAX_REST).take_while(|byte| is_part(byte)).count();
    let name = &text[start - before..end + rest];
    let open = end + rest + usize::from(matches!(text.get(end + rest), Some(b'?' | b'!')));
    let mut add = |from: usize, to: usize| {
        spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument));
    };
    if text.get(open) == Some(&b'(') {
        in_call(text, name, open + 1).into_iter().for_each(|(from, to)| add(from, to));
    }
    if is_field && start >= *read {
        on_line(text, start, end, read).into_iter().for_each(|(from, to)| add(from, to));
    }
}

/// Returns the passwords among the arguments of a call whose name has a word of a login or a password.
fn in_call(text: &[u8], name: &[u8], open: usize) -> Vec<(usize, usize)> {
    let name = split(name);
    let Some(last) = name.last() else { return Vec::new() };
    // `loginUrl(…)`, `verifyPasswordField(…)`
    let is_described = !CHECKS.contains(&last) && WORDS.worth(format!("password_{last}").as_bytes()) == Worth::None;
    // `password("…")` has an entry of its own.
    if is_described || name.len() < 2 && WORDS.worth(last.as_bytes()) == Worth::Secret {
        return Vec::new();
    }
    let takes_password =
        name.iter().any(|word| word == "authenticate" || WORDS.worth(word.as_bytes()) == Worth::Secret);
    let mut found = Vec::new();
    for (index, (from, to)) in arguments(text, open, false).into_iter().enumerate() {
        let [(from, to)] = strings(text, from, to)[..] else { continue };
        let value = &text[from..to];
        let has_shape = (takes_password || index > 0) && shape(value).is_some();
        if (has_shape || can_only_be_a_password(value)) && !is_placeholder(value) && !is_prose(value) {
            found.push((from, to));
        }
    }
    found
}

/// Returns the strings on the line of a name of a password that only a password can be.
fn on_line(text: &[u8], start: usize, end: usize, read: &mut usize) -> Vec<(usize, usize)> {
    let from = line_start(text, start);
    let reach = text.len().min(end + REACH);
    let to = memchr::memchr(b'\n', &text[end..reach]).map_or(reach, |length| end + length);
    *read = to;
    let mut found = Vec::new();
    let mut at = from;
    while let Some(open) = memchr::memchr2(b'"', b'\'', &text[at..to]).map(|open| at + open) {
        let Some(length) = memchr::memchr(text[open], &text[open + 1..to]) else { break };
        let (begun, ended) = (open + 1, open + 1 + length);
        let value = &text[begun..ended];
        let is_key = text[ended + 1..to].trim_ascii_start().starts_with(b":") || is_subscript(&text[from..open]);
        let is_told = can_only_be_a_password(value)
            || is_compared(&text[ended + 1..start.max(ended + 1)]) && is_chosen_word(value);
        if LENGTHS.contains(&length) && !is_key && is_told && !is_placeholder(value) && !is_reference(value) {
            found.push((begun, ended));
        }
        at = ended + 1;
    }
    found
}

/// Returns whether a string is compared with the name behind a text: `"…" == settings.password`.
fn is_compared(between: &[u8]) -> bool {
    let between = between.trim_ascii_start();
    let name = [&b"==="[..], b"!==", b"==", b"!="].iter().find_map(|sign| between.strip_prefix(*sign));
    name.is_some_and(|name| {
        name.trim_ascii_start().iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.$->:".contains(byte))
    })
}

/// Returns whether a string begins behind a text as the key of an entry: `row["…"]`.
fn is_subscript(before: &[u8]) -> bool {
    matches!(before, [.., byte, b'['] if byte.is_ascii_alphanumeric() || b"_])".contains(byte))
}

/// Returns whether a string is neither a word nor a name with a number.
fn can_only_be_a_password(value: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_!?#*+&@$%^~".contains(byte) || !byte.is_ascii();
    // `password4j`
    let is_name = || value.split(|byte| !byte.is_ascii_alphabetic()).any(|word| WORDS.worth(word) != Worth::None);
    shape(value) == Some(Shape::Mixed)
        || value.iter().all(is_plain) && std::str::from_utf8(value).is_ok_and(has_digit_in_word) && !is_name()
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn passwords_of_calls_that_tell_about_a_login_are_masked() {
        check(
            "tests/login.spec.ts",
            &[
                "await loginAs(page, 'editor', '⟦N4chtigall!⟧');",
                "await helper.signInWith('jane', '⟦Fichtenzapf3n⟧')",
                "expect(await user.isPasswordValid('⟦Kirschb4um⟧')).toBe(true)",
                "await page.getByLabel('Kennwort').fill('⟦Löw3nzahn⟧');",
                "cy.get('#pass').type(\"⟦kirschgarten⟧\", { log: false });",
                "cy.get('input[name=password]').type('⟦Kirschgarten⟧{enter}')",
                "fireEvent.change(pwField, { target: { value: '⟦kirschgarten⟧' } })",
                "cy.get('#password-hint').type('kirschgarten'); cy.get('#bypass').type('kirschgarten')",
                "cy.get('#pwd').type('⟦Schlüss3lblume⟧{enter}');",
                "await page.getByLabel('Contraseña').fill('⟦Pingü1no⟧');",
                "await page.getByLabel('Street').fill('Hauptstr4sse');",
                "loginUrl('Seite2b'); verifyPasswordField('Id_Feld2'); login('Benutzer2')",
                "test('login fails in Chrome90', async () => {})",
                "passport.authenticate('oauth2'); loginWith('google2'); goToLogin('Home2')",
            ],
        );
        check(
            "tests/test_login.py",
            &[
                "assert \"⟦Zaunk0nig⟧\" == settings.password",
                "monkeypatch.setattr('getpass.getpassword', lambda _: '⟦Kohlm3ise⟧')",
                "fireEvent.change(passwordInput, { target: { value: '⟦Kohlm3ise⟧' } });",
                "check('⟦hunt3r-Fish⟧', is_password=True)",
                "user, pw = 'alice', '⟦Gartenh4us⟧'",
                "x('eb8bfcef-6c5f-4e3d-ae2d-afb78ed91882', y.password)",
                "assert 'Zaunk0nig' == settings.name",
                "assert 'min. 8 signs' == errors.password; t('password.h1nts'), x['passw0rd_hint'] = PASSWORD",
                "{'Kohlm3ise': password}; import('password4j')",
            ],
        );
        check(
            "spec/a_spec.rb",
            &[
                "let(:password) { \"⟦herbstlaub⟧\" }",
                "let(:password_field) { \"herbstlaub\" }",
                "fill_in :password, with: \"⟦herbstlaub⟧\"",
                "allow(ENV).to receive(:fetch).with(\"DB_PASSWORD\").and_return(\"⟦herbstlaub⟧\")",
                "allow(x).to receive(:name).and_return(\"herbstlaub\")",
                "expect(config.password).to eq(\"⟦Kohlm3ise7⟧\")",
            ],
        );
        check(
            "a.feature",
            &[
                "And I fill \"Password\" with \"⟦herbstlaub⟧\"",
                "Given I am logged in as \"anna\" with \"⟦herbstlaub⟧\"",
                "And I fill \"Name\" with \"herbstlaub\"",
            ],
        );
        check("a.robot", &["Input Text    id=password    ⟦herbstlaub⟧", "Input Text    id=name    herbstlaub"]);
        check(
            "a_test.rb",
            &["expect(user.authenticate(\"⟦Feldlerch3⟧\")).to be", "user.valid_password?('⟦Feldlerch3⟧')"],
        );
        check("A.kt", &["rule.onNodeWithText(\"Password\").performTextInput(\"⟦Goldamm3r⟧\")"]);
        check(
            "a.py",
            &[
                "password_field.send_keys(\"⟦Buchf1nk⟧\")",
                "pw.send_keys(\"⟦Buchf1nk⟧\")",
                "name.send_keys(\"Buchf1nk\")",
                "check_password_page(\"Seite32\")",
            ],
        );
    }
}
