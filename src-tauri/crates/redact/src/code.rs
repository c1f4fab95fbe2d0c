//! Recognises values that are code, or the name of something: calls, paths of names, files, addresses, versions and identifiers. Such a
//! value says where a secret is, or what it is called, and is not the secret.
//!
//! In: a value. Out: whether its form is one of these. The key and the file are not known here.

use super::values::{is_mixed, looks_random};

/// The maximum length of a word in bytes. A longer run of letters is data.
const LONGEST_WORD: usize = 24;
/// The maximum length of a name of several words in bytes.
const LONGEST_NAME: usize = 64;
/// The maximum number of digits in a row that belong to a name, such as a year.
const MAX_DIGITS: usize = 5;

/// Returns whether a value is the name of something or a reference to it, in any place: a path of names, a file, an address without
/// credentials.
pub(super) fn is_reference(value: &[u8]) -> bool {
    // Each of these has a sign, and most values have none.
    if value.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim();
    is_name_path(text) || is_file(text) || is_url(text) || is_pattern(text) || is_command(text) || is_translated(text)
}

/// Returns whether an unquoted value is a call or a style function: `getenv(NAME)`, `var(--colour)`.
pub(super) fn is_call(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim().trim_end_matches([';', ',', '?', '!']);
    let Some((name, rest)) = text.split_once('(') else { return false };
    let Some(inside) = rest.strip_suffix(')') else { return false };
    let mut depth = 0i32;
    let closed = inside.chars().all(|char| {
        depth += i32::from(char == '(') - i32::from(char == ')');
        depth >= 0
    });
    // `(&(user=%n)(class=person))` has no name.
    let named = is_plain_name(name) || name.is_empty() && inside.starts_with(['&', '|', '(', '!']);
    closed && depth == 0 && named
}

/// Returns the number of capitals behind a small letter: 1 in `accessToken`.
pub(super) fn humps(value: &[u8]) -> usize {
    value.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count()
}

/// Returns whether a value is an identifier of several words without digits: `lastProject`, `access_token`, `my-cache`, `_session`.
pub(super) fn is_name(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim_start_matches(['!', ':', '@', '&', '*']);
    if text.len() < 3 || !text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_-.".contains(&byte)) {
        return false;
    }
    let separated = text.contains(['_', '-', '.']);
    (humps(text.as_bytes()) > 0 || separated) && is_wordy(text)
}

/// Returns whether a value is a name of at least so many words: `lite-e2e-rust-binaries`.
pub(super) fn is_long_name(value: &[u8], min_words: usize) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        && text.split(['_', '-', '.']).filter(|word| word.bytes().filter(u8::is_ascii_alphabetic).count() > 1).count()
            >= min_words
        && is_wordy(text)
}

/// Returns whether a value is an identifier of several words that begin with a capital, also with digits: `Saml2Authentication`.
fn is_humped(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
        && value.windows(2).any(|two| !two[0].is_ascii_uppercase() && two[1].is_ascii_uppercase())
        && is_wordy(text)
}

/// Returns whether a value can be a name, a reference, or a constant of source code, so that an equal text elsewhere is no copy of a secret.
pub(super) fn is_public(value: &[u8]) -> bool {
    if value.iter().all(u8::is_ascii_alphanumeric) {
        return is_name(value) || is_humped(value);
    }
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim();
    is_reference(value)
        || is_call(value)
        || is_name(value)
        || is_humped(value)
        || is_version(text)
        || is_address(text)
        || is_constant(text)
        || is_coordinates(text)
}

/// Returns whether every run of letters and digits of a text is a word or a short number.
pub(super) fn is_wordy(text: &str) -> bool {
    text.split(|char: char| !char.is_ascii_alphanumeric()).all(is_word)
}

fn is_word(word: &str) -> bool {
    let bytes = word.as_bytes();
    // `sha512`, `e2e`, `x86`, `edwards25519`: digits are in one place.
    let changes = bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    if changes > 2 {
        return false;
    }
    let humps = bytes.chunk_by(|before, after| !(before.is_ascii_lowercase() && after.is_ascii_uppercase()));
    if humps.map(<[u8]>::len).max().is_some_and(|longest| longest > LONGEST_WORD) || word.len() > LONGEST_NAME {
        return false;
    }
    if bytes.iter().all(u8::is_ascii_digit) {
        return bytes.len() <= MAX_DIGITS;
    }
    if word.split(|char: char| !char.is_ascii_digit()).any(|digits| digits.len() > MAX_DIGITS) {
        return false;
    }
    word.split(|char: char| char.is_ascii_digit()).all(|letters| letters.len() < 4 || is_spelled(letters.as_bytes()))
}

/// Returns whether letters are written like words: with vowels, and with capitals only at the begin of each word or in all of it.
fn is_spelled(letters: &[u8]) -> bool {
    let vowels = letters.iter().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    if vowels * 8 < letters.len() && letters.len() > 5 {
        return false;
    }
    let upper = letters.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    if upper == 0 || upper == letters.len() {
        return true;
    }
    // Random letters have short words, and words without a vowel.
    let voiced = letters
        .chunk_by(|before, after| !(before.is_ascii_lowercase() && after.is_ascii_uppercase()))
        .all(|word| word.len() > 1 && word.iter().any(|byte| b"aeiouyAEIOUY".contains(byte)));
    voiced && letters.len() * 2 >= (humps(letters) + 1) * 7 && upper * 5 <= letters.len() * 2 && !is_mixed(letters)
}

/// `name`, `module.name`, `--colour`, `Namespace::name`.
fn is_plain_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|char: char| char.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:$".contains(&byte))
        && is_wordy(text)
}

/// `secret::Namespace::BuildKind`, also with the end of the expression around it.
fn is_name_path(text: &str) -> bool {
    if !text.as_bytes().windows(2).any(|two| two == b"::") {
        return false;
    }
    let text = text.trim_end_matches([';', ',', '?', ')', ']', '}']);
    let text = text.split_once("::<").map_or(text, |(name, _)| name);
    text.contains("::") && text.split("::").all(|part| part.is_empty() || is_plain_name(part) && !part.contains(':'))
}

/// The ends of the names of archives.
const ARCHIVES: &[&str] = &[".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".zip", ".deb", ".rpm"];

/// `/etc/ssl/private.key`, `../a/b`, `${FOLDER}/key.pem`, `secrets%2fkey`.
fn is_file(text: &str) -> bool {
    if memchr::memchr3(b'/', b'%', b'$', text.as_bytes()).is_none() {
        return false;
    }
    // The name of a file with a variable: `app-$VERSION.tar.gz`.
    if text.contains('$') && ARCHIVES.iter().any(|end| text.ends_with(end)) {
        return true;
    }
    let text = text.replace("%2f", "/").replace("%2F", "/");
    if !text.contains('/')
        || text.contains("://")
        || text.contains(|char: char| char.is_whitespace() || "=&;'\"".contains(char))
    {
        return false;
    }
    let roots = ["/", "./", "../", "~/", "$", "{{"].iter().any(|root| text.starts_with(root));
    let last = text.rsplit('/').next().unwrap_or_default();
    let extension = last.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    });
    let allowed = |char: char| char.is_ascii_alphanumeric() || "/._-+@${}*%~<>:()".contains(char);
    (roots || extension || text.matches('/').count() > 1) && text.chars().all(allowed) && is_wordy(&text)
}

/// A program and the files that it is given: `node scripts/make-token.js`.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(|program| program.bytes().all(|byte| byte.is_ascii_lowercase()))
        && words.clone().count() > 0
        && words.all(|word| is_file(word) && !word.starts_with('$'))
}

/// A text of an interface by its key, in a template: `$t('login.password')`.
fn is_translated(text: &str) -> bool {
    ["$t(", "$tc(", "t(", "i18n.t("].iter().any(|call| text.starts_with(call)) && text.ends_with(')')
}

/// A URL without a password, whose path consists of words.
fn is_url(text: &str) -> bool {
    let text = text.trim_end_matches([')', '>', ',', '.']);
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    !rest.contains(['@', '=']) && is_wordy(rest)
}

/// `name@host.example`
pub(super) fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
            && is_wordy(part)
    };
    name.len() > 1
        && part(name)
        && part(host)
        && host.contains('.')
        && host.ends_with(|char: char| char.is_ascii_alphabetic())
}

/// Returns whether a value is a version number with at least two parts, also with the versions that it was resolved with:
/// `7.5`, `^2.1.0`, `5.1.1(@types/node@26.1.1)`.
pub(super) fn is_release(value: &[u8]) -> bool {
    if !value.contains(&b'.') {
        return false;
    }
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim();
    let text = text.strip_prefix("npm:").unwrap_or(text).trim_start_matches(['^', '~', '=', '>', '<', ' ']);
    let number = text.split('(').next().unwrap_or_default();
    let mut parts = number.split('.');
    let digits = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let resolved = text[number.len()..].split_terminator(')').all(|with| {
        with.strip_prefix('(').is_some_and(|with| with.rsplit_once('@').is_some_and(|(name, _)| !name.is_empty()))
    });
    resolved && (2..=4).contains(&number.split('.').count()) && parts.all(digits)
}

/// Returns whether a value is a name in source code that has numbers: a constant (`FACTOR_X509`), of a migration (`0002_add_token`), of a class in a module
/// (`auth.hashers.MD5Hasher`), or of at least four words (`rule-0-path-0-basic-auth`).
pub(super) fn is_numbered_name(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let identifier = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_constant(text) {
        return true;
    }
    let migration = text.split_once('_').is_some_and(|(number, name)| {
        number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit()) && identifier(name) && {
            let word = name.split('_').next().unwrap_or_default();
            word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) && is_wordy(word)
        }
    });
    let path = text.split('.').count() > 2
        && text.split('.').all(|part| part.starts_with(|char: char| char.is_ascii_alphabetic()) && identifier(part))
        && is_wordy(text);
    migration || path || is_long_name(value, 4)
}

/// `v1.2.3`, `1.2.3-beta.1`, `3.2.0+incompatible`
fn is_version(text: &str) -> bool {
    let text = text.trim_start_matches(['v', '^', '~', '=', '>', '<']);
    text.starts_with(|char: char| char.is_ascii_digit())
        && text.contains('.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
        && text.split('.').next().is_some_and(|first| first.bytes().all(|byte| byte.is_ascii_digit()))
        && !looks_random(text.as_bytes())
}

/// `SHA512-CRYPT`, `API_KEY_2`: a constant of several words in capitals.
fn is_constant(text: &str) -> bool {
    let words: Vec<&str> = text.split(['_', '-']).collect();
    words.len() > 1
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
        && words.iter().any(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase()))
        && is_wordy(text)
}

/// `group.example:artifact:1.2.3:goal`, `sha1:6`: names and versions with colons between them.
fn is_coordinates(text: &str) -> bool {
    text.contains(':')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte))
        && text.split(':').all(|part| !part.is_empty() && is_wordy(part))
}

/// A regular expression: `([^&\s]+)`.
fn is_pattern(text: &str) -> bool {
    // Every mark has one of these, and most values have none.
    let signs = |byte: u8| matches!(byte, b'\\' | b'[' | b'(' | b'*' | b'+' | b']' | b'$');
    if !text.bytes().any(signs) {
        return false;
    }
    if text.starts_with('^') && text.ends_with('$') && text.contains([']', ')']) {
        return true;
    }
    let mut marks: Option<&[u8]> = None;
    text.as_bytes().windows(2).filter(|two| PATTERN_MARKS.contains(two)).any(|two| *marks.get_or_insert(two) != two)
}

/// Parts of regular expressions. A value with two different ones is a pattern.
const PATTERN_MARKS: &[&[u8]] =
    &[b"[^", b"(?", b"\\s", b"\\w", b"\\d", b".*", b".+", b"]+", b"]*", b"]?", b")$", b"]{"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(test: fn(&[u8]) -> bool, yes: &[&str], no: &[&str]) {
        for value in yes {
            assert!(test(value.as_bytes()), "{value}");
        }
        for value in no {
            assert!(!test(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn references_are_recognised_in_any_place() {
        check(
            is_reference,
            &[
                "secret::Namespace::BuildKind)?",
                "crate::config::KEY;",
                "/etc/letsencrypt/live/${DOMAIN}/privkey.pem",
                "${TLS_PATH}/fallback_key",
                "%2fetc%2fpasswd",
                "b/docs/tutorial/security/oauth2-jwt.md",
                "v1.0.0/go.mod",
                "v3.2.2+incompatible/go.mod",
                "https://www.postfix.org/postconf.5.html#smtp_sasl_password_maps",
                "([^\\u0026\\s]+)",
            ],
            &[
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "https://user:secret@host/",
                "https://hooks.example/T00/B00/x8Kd02mLq9Zt4Rb7",
                "Summer1999!",
                "aB3/dE5",
                "hunter2",
            ],
        );
    }

    #[test]
    fn calls_and_style_functions_are_recognised() {
        check(
            is_call,
            &["var(--fill-pop-bg)", "getenv(NAME);", "Secret::new(a(b))?", "(&(userID=%n)(objectClass=Person))"],
            &["hunter(2", "pa)ss(word", "9x(a)", "secret"],
        );
    }

    #[test]
    fn names_are_recognised() {
        check(
            is_name,
            &[
                "lastProject",
                "aiOpenAIKey",
                "gitbutler_access_token",
                "rack.session",
                "_session",
                "bar-secret-foo",
                "!real_csrf_token",
            ],
            &["hunter", "summer-dragon5", "geheim", "qWpZkVbNmXrT", "9f86d081", "Portal Gun"],
        );
    }

    #[test]
    fn version_numbers_are_recognised() {
        check(
            is_release,
            &["7.5", "^2.1.0", "26.1.2", "5.1.1(@types/node@26.1.1)", "5.1.1(@types/node@26.1.1)(a@1.0)"],
            &["7", "123456", "5.1.1(geheim)", "19991231.5", "1.2.x3", "7.5-geheim"],
        );
    }

    #[test]
    fn names_with_numbers_are_recognised() {
        check(
            is_numbered_name,
            &[
                "0002_auto_20160226_1747",
                "0003_tokenproxy",
                "django.contrib.auth.hashers.MD5PasswordHasher",
                "default-ingress-with-basicauth-rule-0-path-0-retry",
            ],
            &["1234_x8", "hunter-2-go", "a1.b2", "Summer.1999", "geheim-77"],
        );
        check(is_name, &["s.isImmediatePropagationStopped"], &[]);
    }

    #[test]
    fn texts_that_also_occur_elsewhere_are_no_copies() {
        check(
            is_public,
            &["SHA512-CRYPT", "user1@localhost.localdomain", "v1.17.13", "io.spring.javaformat:plugin:0.0.31:validate"],
            &["zq9-Geheim-77", "JBSWY3DPEHPK3PXP", "hunter2-geheim", "P@ssw0rd.example"],
        );
    }
}
