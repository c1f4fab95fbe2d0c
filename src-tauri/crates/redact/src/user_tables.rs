//! Finds the passwords of tables with the names of users: `admins = { root = "…", vera = "…" }`, `users:` above lines of YAML, `[users]` above
//! lines of settings.
//!
//! In: a text and the place of a word for users. Out: spans. The values of such a table can also be roles, places or states, so all of them
//! are judged together.

use super::calls::is_chosen_word;
use super::code::is_reference;
use super::containers::{self, Range};
use super::cursor::line_start;
use super::identifiers::identifier;
use super::key_words::split;
use super::keyed::RULE;
use super::phrase::is_chosen_name;
use super::programs::is_harmless_field;
use super::prose::Prose;
use super::shapes::shape;
use super::span::Span;
use super::types::RedactionReason;
use super::values::{Bare, is_placeholder, looks_random};
use super::words::{WORDS, Worth};

/// The words of a key, or of the call around a table, by which its values are passwords.
const CERTAIN: &[&str] = &["auth", "basic", "admins", "administrators"];
/// Passwords that very many people choose and nothing else in a table is named by.
const COMMON: &[&str] = &[
    "qwerty",
    "qwerty123",
    "qwertz",
    "azerty",
    "letmein",
    "letmein1",
    "iloveyou",
    "trustno1",
    "hunter2",
    "abc123",
    "123456",
    "1234567",
    "12345678",
    "123456789",
    "111111",
    "654321",
    "passw0rd",
];
/// The number of digits behind a short word that is a password.
const MIN_DIGITS: usize = 3;
/// The length of the shortest password that is a word, in bytes.
const SHORTEST_WORD: usize = 6;

/// The kinds of values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It has the form of a password.
    Password,
    /// It is one or two words that could be a password.
    Word,
    /// It stands for a value or refers to one.
    Reference,
    Other,
}

/// Adds the passwords of the table whose key contains the word at `start..end`.
pub(super) fn find(text: &[u8], (start, end): Range, bare: Bare, prose: &Prose, spans: &mut Vec<Span>) {
    let key = identifier(text, start, end);
    if key.1 != end || bare == Bare::Text {
        return;
    }
    let entries = containers::entries(text, key, bare);
    if entries.is_empty() || !entries.iter().all(|((from, to), _)| is_user(&text[*from..*to], prose)) {
        return;
    }
    // The roles of a user stand behind the password, so that a word with a number is no role.
    let has_roles = |(from, to): Range| text[..key.0].ends_with(b"[") && text[from..to].ends_with(b",");
    let password = |value: Range| if has_roles(value) { (value.0, value.1 - 1) } else { value };
    let kind = |value: Range| {
        let (from, to) = password(value);
        match kind(&text[from..to], prose) {
            Kind::Other if has_roles(value) && text[from..to].iter().any(u8::is_ascii_digit) => Kind::Password,
            kind => kind,
        }
    };
    let has = |wanted: Kind| entries.iter().any(|(_, value)| kind(*value) == wanted);
    if has(Kind::Other) || !(has(Kind::Password) || has(Kind::Word) && (bare == Bare::Plain || is_certain(text, key))) {
        return;
    }
    spans.extend(entries.into_iter().filter(|(_, value)| kind(*value) != Kind::Reference).map(|(_, value)| {
        let (from, to) = password(value);
        Span::new(from, to, RULE.into()).because(RedactionReason::Key { word: "users".into() })
    }));
}

/// Returns whether the key of a table or the call around it says that its values are passwords.
fn is_certain(text: &[u8], key: Range) -> bool {
    let line = &text[line_start(text, key.0)..key.1];
    split(line).iter().any(|word| CERTAIN.contains(&word))
}

/// Returns whether the name of an entry is the one of a user, and not of a field or an action.
fn is_user(name: &[u8], prose: &Prose) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.@".contains(byte);
    let Ok(text) = std::str::from_utf8(name) else { return false };
    let is_known = WORDS.is_account(text) || prose.is_user(text);
    // `backup-bot` is no field, although the key of a bot can be a secret.
    let is_one_word = split(name).len() == 1;
    let is_field = |word: &str| {
        let worth = WORDS.worth(word.as_bytes());
        WORDS.is_of_names(word) || worth == Worth::Secret || is_one_word && worth == Worth::Weak
    };
    name.len() > 1
        && name.iter().all(is_part)
        && (is_known || !is_harmless_field(name) && !split(name).iter().any(is_field))
}

fn kind(value: &[u8], prose: &Prose) -> Kind {
    let Ok(text) = std::str::from_utf8(value) else { return Kind::Other };
    if is_placeholder(value) || is_reference(value) {
        return Kind::Reference;
    }
    if !prose.is_own(text) {
        return Kind::Other;
    }
    if looks_random(value) || shape(value).is_some() || COMMON.contains(&text) {
        return Kind::Password;
    }
    // `windlicht-9`
    let text = text.trim_end_matches(|char: char| char.is_ascii_digit()).trim_end_matches(['-', '_', '.']);
    let is_word = text.bytes().all(|byte| byte.is_ascii_lowercase());
    if text.len() >= SHORTEST_WORD
        && (is_word && prose.is_plain_password(text) && is_chosen_word(value)
            || !is_word && !text.contains('.') && is_chosen_name(b"password", value))
    {
        return Kind::Word;
    }
    // `doe123`
    let is_numbered = value.len() - text.len() >= MIN_DIGITS && value.len() >= SHORTEST_WORD && text.len() > 2;
    if is_word && is_numbered && !WORDS.is_of_names(text) && WORDS.worth(text.as_bytes()) == Worth::None {
        return Kind::Word;
    }
    Kind::Other
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn passwords_in_tables_of_users_are_masked() {
        check(
            "settings.toml",
            &[
                "admins = { root = \"⟦seestern⟧\", vera = \"⟦kiesel-grund⟧\" }",
                "[admins]\nroot = \"⟦seestern⟧\"\nvera = \"⟦Feder7ball⟧\"\n",
                "[users]\nalice = \"${ALICE}\"\nbob = \"⟦Feder7ball⟧\"\n",
                "users = { alice = \"admin\", bob = \"viewer\" }",
                "[users]\nalice = \"alice@host.example\"\nbob = \"bob@host.example\"\n",
                "[users]\nallow_sign_up = false\ndefault_theme = \"seestern\"\n",
            ],
        );
        check(
            "app.yml",
            &[
                "users: {alice: '⟦seestern⟧', bob: '⟦windlicht⟧'}",
                "users:\n  alice: ⟦Feder7ball⟧\n  bob: ⟦windlicht-9⟧\nnames:\n  alice: seestern\n",
                "basic_auth_users:\n  alice: ⟦seestern⟧\n",
                "users: {alice: 'Berlin', bob: 'Hamburg'}",
                "users: {alice: 'marketing', bob: 'seestern'}",
                "users: {create: 'seestern', delete: 'windlicht'}",
                "users:\n  table: seestern\n  key: windlicht\n",
            ],
        );
        check(
            "app.js",
            &[
                "const users = { alice: '⟦Feder7ball⟧', bob: '⟦seestern⟧' };",
                "app.use(basicAuth({ users: { admin: '⟦seestern⟧', vera: '⟦kiesel-grund⟧' } }));",
                "const users = { alice: 'seestern', bob: 'windlicht' };",
                "const users = { alice: 'online', bob: 'offline' };",
                "const users = { list: 'Feder7ball' };",
            ],
        );
        check(
            "shiro.ini",
            &[
                "[users]\nadmin = ⟦hunter⟧, admin\ngast = ⟦gast123⟧, viewer\n\n[roles]\nadmin = *\n",
                "[users]\nadmin = ${admin.pw}, admin\n",
                "[users]\nroot = viewer, admin\n",
            ],
        );
        check(
            "auth.go",
            &[
                "r.Group(\"/admin\", BasicAuth(Accounts{\n\t\"manu\":  \"⟦NLqs.uyt8p⟧\",\n\t\"lena\":  \"⟦O*1x5YoGu3v1⟧\",\n}))",
                "r.Group(\"/admin\", BasicAuth(Accounts{\n\t\"manu\":  \"admin\",\n\t\"lena\":  \"viewer\",\n}))",
                "list(Accounts{\n\t\"manu\":  \"Berlin\",\n\t\"lena\":  \"Hamburg\",\n})",
                "Users: map[string]string{\"john\": \"⟦doe123⟧\", \"ann\": \"⟦qwerty⟧\"},",
                "Users: map[string]string{\"john\": \"room123\", \"ann\": \"berlin\"},",
                "Rooms: map[string]string{\"john\": \"doe123\", \"ann\": \"qwerty\"},",
            ],
        );
        check(
            "a.py",
            &[
                "ADMINS = {\"alice\": \"⟦Q08m8Ge~2TU⟧\", \"backup-bot\": \"⟦exV1ChMhwpfq1mCV⟧\"}",
                "ADMINS = {\"alice\": \"Q08m8Ge~2TU\", \"session\": \"Berlin\"}",
            ],
        );
        check("users.py", &["USERS = {\"admin\": generate_password_hash(\"⟦Feder7ball⟧\")}"]);
    }
}
