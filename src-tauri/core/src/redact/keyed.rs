//! Values whose key names a secret: `password = "…"`, `"api_key": "…"`, `--token …`, `<secret>…</secret>`. The value goes
//! whatever it looks like, unless it is plainly no secret: a placeholder, a reference, a type, a call.

use std::sync::OnceLock;

use regex::bytes::Regex;

use super::engine::Span;
use super::values::{is_code, is_placeholder};

/// The rule's name in reports and markers.
pub(super) const RULE: &str = "keyed-value";

/// Words that a secret's key has, lower case; two words must follow each other.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passwort",
    "pwd",
    "pass",
    "passphrase",
    "passcode",
    "pw",
    "secret",
    "secrets",
    "token",
    "credential",
    "credentials",
    "apikey",
    "authtoken",
    "accesskey",
    "secretkey",
    "privatekey",
    "clientsecret",
    "accesstoken",
    "dbpassword",
    "userpassword",
    "appsecret",
    "sharedsecret",
    "authkey",
    "mypassword",
    "userpass",
    "dbpass",
    "psk",
];
const SECRET_PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("encryption", "key"),
    ("signing", "key"),
    ("signature", "key"),
    ("account", "key"),
    ("master", "key"),
    ("shared", "key"),
    ("auth", "key"),
    ("service", "key"),
    ("storage", "key"),
    ("jwt", "key"),
    ("session", "key"),
    ("cookie", "key"),
    ("crypt", "key"),
    ("cipher", "key"),
    ("hmac", "key"),
    ("app", "key"),
    ("license", "key"),
    ("consumer", "key"),
    ("deploy", "key"),
    ("webhook", "key"),
    ("aes", "key"),
    ("basic", "auth"),
];
/// A key that ends so names something about a secret, not the secret.
const HARMLESS_ENDS: &[&str] = &[
    "count",
    "counts",
    "length",
    "len",
    "size",
    "type",
    "name",
    "names",
    "url",
    "uri",
    "path",
    "file",
    "filename",
    "dir",
    "id",
    "ids",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "timeout",
    "policy",
    "field",
    "label",
    "placeholder",
    "required",
    "enabled",
    "disabled",
    "regex",
    "pattern",
    "prompt",
    "limit",
    "max",
    "min",
    "header",
    "env",
    "var",
    "variable",
    "hint",
    "help",
    "message",
    "error",
    "status",
    "endpoint",
    "host",
    "port",
    "version",
    "age",
    "date",
    "time",
    "at",
    "in",
    "index",
    "input",
    "form",
    "reset",
    "changed",
    "strength",
    "validator",
    "provider",
    "manager",
    "service",
    "store",
    "class",
    "ref",
    "arn",
    "kind",
    "scope",
    "scopes",
    "algorithm",
    "format",
    "page",
    "link",
    "button",
    "title",
    "text",
    "description",
    "usage",
    "budget",
    "usd",
    "cost",
];

fn assignment() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        // key, then what closes it, an optional type, and what assigns.
        build(concat!(
            r#"([A-Za-z0-9_.\-$]{2,80})\\?["'`]?\]?\)?\s{0,8}(?::\s{0,3}&?(?:'static )?[A-Za-z][A-Za-z0-9_<>\[\]?]{0,40}\s{0,3}=|"#,
            r#":=|=>|={1,3}|:|,\s{0,3}value\s{0,3}[:=])\s{0,8}"#
        ))
    })
}

fn flag() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| build(r#"(?:^|\s)--?([A-Za-z][A-Za-z0-9\-_]{2,60})[ =]"#))
}

fn element() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        build(concat!(
            r#"<([A-Za-z][A-Za-z0-9_.\-]{1,60})(?:\s[^<>]{0,200})?>([^<>\r\n]{1,400})</|"#,
            r#"(?:key|name)\s{0,2}=\s{0,2}["']([^"']{2,80})["']\s{1,8}value\s{0,2}=\s{0,2}["']([^"'\r\n]{1,400})["']"#
        ))
    })
}

#[allow(clippy::expect_used, reason = "constant patterns; a test compiles them")]
fn build(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Whether a key names a secret.
pub(super) fn names_a_secret(key: &[u8]) -> bool {
    let key = String::from_utf8_lossy(key);
    let words = words(&key);
    let Some(last) = words.last() else { return false };
    if words.len() > 1 && HARMLESS_ENDS.contains(&last.as_str()) {
        return false;
    }
    if words.iter().any(|word| ["public", "max", "min", "num", "total", "no", "csrf", "count"].contains(&word.as_str()))
    {
        return false;
    }
    words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()))
        || words.windows(2).any(|pair| SECRET_PAIRS.contains(&(pair[0].as_str(), pair[1].as_str())))
        || last == "auth" && words.len() == 1
}

/// `dbPassword`, `DB_PASSWORD` and `db.password` are the words `db` and `password`.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for char in key.chars() {
        let starts = char.is_uppercase() && before.is_lowercase();
        if (!char.is_alphanumeric() || starts) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    // A number behind a word (`password2`) does not change what it names.
    for word in &mut words {
        let bare = word.trim_end_matches(|char: char| char.is_ascii_digit());
        if !bare.is_empty() {
            word.truncate(bare.len());
        }
    }
    words
}

/// Finds keyed values in one line. `offset` is where the line starts in the text.
pub(super) fn find(line: &[u8], offset: usize, plain_values: bool, spans: &mut Vec<Span>) {
    let mut add = |start: usize, end: usize| {
        if start < end {
            spans.push(Span { start: offset + start, end: offset + end, rule: RULE.into() });
        }
    };
    for found in assignment().captures_iter(line) {
        let (Some(whole), Some(key)) = (found.get(0), found.get(1)) else { continue };
        // `DB_PASSWORD=hunter2`: variables are assigned without blanks, and their values are plain wherever they stand.
        let variable = whole.as_bytes().ends_with(b"=")
            && whole.end() == key.end() + 1
            && key.as_bytes().iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
        if names_a_secret(key.as_bytes())
            && let Some((start, end)) = value(line, whole.end(), plain_values || variable)
        {
            add(start, end);
        }
    }
    for found in flag().captures_iter(line) {
        let (Some(whole), Some(key)) = (found.get(0), found.get(1)) else { continue };
        if names_a_secret(key.as_bytes())
            && let Some((start, end)) = value(line, whole.end(), true)
        {
            add(start, end);
        }
    }
    for found in element().captures_iter(line) {
        let pair = found.get(1).zip(found.get(2)).or_else(|| found.get(3).zip(found.get(4)));
        if let Some((key, value)) = pair
            && names_a_secret(key.as_bytes())
            && !is_placeholder(value.as_bytes())
        {
            add(value.start(), value.end());
        }
    }
}

/// The value that starts at a place: what stands between quotes, or up to where an unquoted one ends.
fn value(line: &[u8], at: usize, plain_values: bool) -> Option<(usize, usize)> {
    let rest = &line[at..];
    // Prefixes of strings: b"…", r"…", f"…", @"…", and what calls wrap around one.
    let prefix = rest.iter().take(3).take_while(|byte| b"brufRBUFL@$#&".contains(byte)).count();
    let quoted_at = if rest.get(prefix).is_some_and(|byte| b"\"'`".contains(byte)) { Some(prefix) } else { None };
    if let Some(prefix) = quoted_at {
        let quote = rest[prefix];
        let mut start = prefix + 1;
        // Triple quotes, and escaped quotes of a string inside a string.
        while rest.get(start) == Some(&quote) && start < prefix + 3 {
            start += 1;
        }
        if start == prefix + 2 {
            return None;
        }
        let mut end = start;
        while end < rest.len() && rest[end] != quote {
            end += if rest[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(rest.len());
        let value = &rest[start..end];
        return (!is_placeholder(value) && !is_prose(value)).then_some((at + start, at + end));
    }
    if rest.starts_with(b"\\\"") {
        let end = rest[2..].iter().position(|&byte| byte == b'\\' || byte == b'"').map_or(rest.len(), |end| end + 2);
        let value = &rest[2..end];
        return (!is_placeholder(value)).then_some((at + 2, at + end));
    }
    let end =
        rest.iter().position(|&byte| byte.is_ascii_whitespace() || b",;\"'`<>|".contains(&byte)).unwrap_or(rest.len());
    let mut value = &rest[..end];
    while value.last().is_some_and(|byte| b")}]".contains(byte)) && !plain_values {
        value = &value[..value.len() - 1];
    }
    let harmless = is_placeholder(value) || is_code(value, plain_values);
    (!harmless && value.len() >= 3).then_some((at, at + value.len()))
}

/// A sentence is no secret: what a label or a message says about one.
fn is_prose(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| {
        word.trim_matches(|char: char| char.is_ascii_punctuation())
            .chars()
            .all(|char| char.is_alphabetic() || char == '\'' || char == '-')
    };
    words.len() >= 3 && words.iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let mut spans = Vec::new();
        find(line.as_bytes(), 0, false, &mut spans);
        spans.dedup();
        spans.iter().map(|span| line[span.start..span.end].to_owned()).collect()
    }

    #[test]
    fn values_of_secret_keys_are_found_whatever_they_look_like() {
        for (line, value) in [
            (r#"password = "hunter2""#, "hunter2"),
            (r#"  "apiKey": "abc-123","#, "abc-123"),
            ("DB_PASSWORD=hunter2", "hunter2"),
            ("db_password: 'p@ss word'", "p@ss word"),
            ("const dbPassword: string = 'x1y2'", "x1y2"),
            (r#"let token: &str = "t0ken";"#, "t0ken"),
            ("run --token s3cr3t --verbose", "s3cr3t"),
            ("run --client-secret=s3cr3t", "s3cr3t"),
            ("<password>geheim1</password>", "geheim1"),
            (r#"<add key="ApiSecret" value="geheim1" />"#, "geheim1"),
            (r#"config["secret"] = "geheim1""#, "geheim1"),
            (r#"password2 => 'geheim1',"#, "geheim1"),
            (r#"'{\"password\": \"geheim1\"}'"#, "geheim1"),
        ] {
            assert_eq!(found(line), [value], "{line}");
        }
    }

    #[test]
    fn what_is_plainly_no_secret_stays() {
        for line in [
            "password: string",
            "password = getPassword()",
            "token = request.headers.token",
            "password = os.environ[\"PASSWORD\"]",
            "password: ${DB_PASSWORD}",
            "password = \"changeme\"",
            "api_key: <your-api-key>",
            "token = None",
            "max_tokens = 4096",
            "token_count: 17",
            "const tokenType = 'bearer'",
            "passwordLabel = \"Enter your password\"",
            "error: \"The password must not be empty\"",
            "public_key = \"abc\"",
            "secret_name: db-credentials",
            "password=\"\"",
            "let password = args.password;",
            "self.token = token",
        ] {
            assert_eq!(found(line), Vec::<String>::new(), "{line}");
        }
    }
}
