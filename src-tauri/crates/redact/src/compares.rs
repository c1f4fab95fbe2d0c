//! Finds the string with which a password is compared by a function: `strcmp(password, "…")`, `hmac.compare_digest(given, "…")`,
//! `"…".equals(password)`, `assert_eq!(password, "…")`. The functions are data (`config/redaction/commands.toml`).
//!
//! In: a text, and the ranges of the name and the arguments of a call. Out: the ranges of strings that can be passwords.

use super::arguments::strings;
use super::calls::{is_chosen_word, looks_like_password};
use super::cursor::line_start;
use super::key_words::split;
use super::phrase::is_chosen_name;
use super::shapes::{Shape, shape};
use super::values::{is_placeholder, is_prose, looks_random};
use super::words::{WORDS, Worth};

/// Verbs before `access` in the names of functions that let somebody in, and the maximum number of bytes behind a call that are read for one.
const GRANTS: &[&str] = &["grant", "give", "allow", "permit"];
const MAX_REST: usize = 80;

/// The name of a password where the function alone says that one is compared.
const PASSWORD: &[u8] = b"password";

/// Returns the strings among the arguments, and the one before the name, that are compared with something whose name is the one of a secret.
/// With `certain`, the function compares secrets only.
pub(super) fn find(text: &[u8], name: usize, arguments: &[(usize, usize)], certain: bool) -> Vec<(usize, usize)> {
    let mut compared: Vec<(usize, usize)> = Vec::new();
    let mut key: Option<&[u8]> = certain.then_some(PASSWORD);
    for &(from, to) in arguments {
        match strings(text, from, to).as_slice() {
            [] => key = key.or_else(|| secret_name(&text[from..to])),
            found => compared.extend(found),
        }
    }
    compared.extend(receiver(text, name));
    let Some(key) = key else {
        let end = arguments.last().map_or(name, |&(_, to)| to);
        compared.retain(|&(from, to)| shape(&text[from..to]) > Some(Shape::Words));
        return if !compared.is_empty() && grants_access(text, end) { compared } else { Vec::new() };
    };
    // Tests compare made-up tokens.
    let is_password = WORDS.names_a_password(key);
    let is_secret = |&(from, to): &(usize, usize)| {
        let value = &text[from..to];
        if !is_password && !looks_random(value) {
            return false;
        }
        let is_chosen = || is_chosen_name(key, value) || is_password && is_chosen_word(value);
        !is_placeholder(value) && !is_prose(value) && (looks_like_password(value) || is_chosen())
    };
    compared.into_iter().filter(is_secret).collect()
}

/// Returns the name of a secret in an expression: `user.getPassword()`.
fn secret_name(expression: &[u8]) -> Option<&[u8]> {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    expression.split(|byte| !inside(byte)).find(|name| name.len() > 1 && WORDS.worth(name) == Worth::Secret)
}

/// Returns whether the rest of a line lets somebody in, if what was compared before it is equal: `== 0) grant_access(session);`.
fn grants_access(text: &[u8], from: usize) -> bool {
    let rest = &text[from..text.len().min(from + MAX_REST)];
    let rest = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let words = split(rest);
    let mut pairs = words.iter().zip(words.iter().skip(1));
    pairs.any(|(verb, noun)| GRANTS.contains(&verb) && noun == "access")
        || words.iter().any(|word| word == "authenticated")
}

/// Returns the string before the name of a method.
fn receiver(text: &[u8], name: usize) -> Option<(usize, usize)> {
    let line = line_start(text, name);
    let before = text[line..name].strip_suffix(b"\"")?;
    let open = memchr::memrchr(b'"', before)?;
    Some((line + open + 1, line + before.len()))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn strings_that_are_compared_with_passwords_are_masked() {
        check(
            "a.c",
            &[
                "if (strcmp(password, \"⟦Tief-See-4⟧\") == 0)",
                "if (strcmp(\"⟦Tief-See-4⟧\", user->password) == 0)",
                "if (!wcscmp(pwd, L\"⟦Tief-See-4⟧\"))",
                "if (strcmp(name, \"Tief-See-4\") == 0)",
                "if (strcmp(input, \"⟦Samtpfeffer3991⟧\") == 0) grant_access(session);",
                "if (strcmp(input, \"⟦Samtpfeffer3991⟧\") == 0) user->authenticated = 1;",
                "if (strcmp(input, \"Samtpfeffer3991\") == 0) open_page(session);",
                "if (strcmp(input, \"admin_panel\") == 0) grant_access(session);",
                "if (strcmp(password, \"none\") == 0)",
            ],
        );
        check(
            "a.py",
            &[
                "if hmac.compare_digest(x, \"⟦Tief-See-4⟧\"):",
                "if secrets.compare_digest(given.encode(), b\"⟦Tief-See-4⟧\"):",
                "if hmac.compare_digest(x, digest):",
            ],
        );
        check(
            "A.java",
            &[
                "if (\"⟦Tief-See-4⟧\".equals(password)) {",
                "if (Objects.equals(password, \"⟦Tief-See-4⟧\")) {",
                "if (\"Tief-See-4\".equals(name)) {",
            ],
        );
        check("a.rs", &["assert_eq!(password, \"⟦Tief-See-4⟧\");", "assert_eq!(name, \"Tief-See-4\");"]);
        check(
            "a.go",
            &[
                "assert.Equal(t, \"tok-123\", common.UserToken(nil, u))",
                "if subtle.ConstantTimeCompare([]byte(x), []byte(\"⟦Tief-See-4⟧\")) == 1 {",
            ],
        );
        check("a.js", &["if (timingSafeEqual(Buffer.from(pw), Buffer.from('⟦Tief-See-4⟧'))) {}"]);
        check(
            "test_a.py",
            &[
                "self.assertEqual(cfg.password, \"⟦kirschgarten⟧\")",
                "assert \"⟦kirschgarten⟧\" == cfg.password",
                "if pw == \"⟦kirschgarten⟧\":",
                "if request.form['password'] == '⟦kirschgarten⟧':",
                "if password == \"expired\" or grant_type == \"password\" and x == \"kirschgarten\":",
                "assert \"kirschgarten\" == cfg.name",
            ],
        );
        check("a.php", &["if (hash_equals('⟦Tief-See-4⟧', $_POST['pw'])) {"]);
    }
}
