//! Narrows what a rule found to the secret in it: the password of an address, the values of cookies, the body of a key. Hosts, names and
//! prefixes beside it stay readable.
//!
//! In: a text and spans. Out: spans inside them. A part that was masked before ends up in no span, so masking twice changes nothing.

use super::span::Span;
use super::types::RedactionReason;
use super::values::{JENKINS, is_placeholder, is_uuid, looks_random};
use super::{blocks, cookies, harmless, keyed};

/// The texts that may stand before a secret in its value and are no part of it.
const PREFIXES: &[&[u8]] = &[
    b"base64:",
    b"hex:",
    b"pass:",
    b"plain:",
    b"{noop}",
    b"{cleartext}",
    b"Bearer ",
    b"Basic ",
    b"Token ",
    b"FlyV1 ",
    b"Api-Key ",
    b"ApiKey ",
    b"OAuth ",
];
/// The names of the rules whose findings are addresses with a password.
const ADDRESSES: &[&str] = &["connection-string", "-uri", "-url", "mongodb", "postgres", "database"];
/// The maximum length in bytes of a word in the path of an address.
const LONGEST_PART: usize = 12;
/// The maximum length of the name of a parameter in bytes.
const MAX_NAME: usize = 20;
/// The maximum number of bytes between the name of a header and its value, with the name, and of the name of a cookie.
const MAX_HEADER: usize = 20;
const MAX_COOKIE_NAME: usize = 40;
/// The name of the header with credentials, the maximum length of its scheme and the length of the shortest credentials, in bytes.
const AUTHORIZATION: &[u8] = b"authorization";
const MAX_SCHEME: usize = 20;
const MIN_CREDENTIALS: usize = 12;
/// The start of what was masked before.
const MASKED: &[u8] = b"[REDACTED";
/// The parameter of a token of Azure that is secret.
const SIGNATURE: &[u8] = b"sig=";

/// Narrows all spans of a text.
pub(super) fn narrow(text: &[u8], spans: Vec<Span>) -> Vec<Span> {
    let mut narrowed = Vec::with_capacity(spans.len());
    for span in spans {
        if span.rule == cookies::RULE {
            cookies(text, &span, &mut narrowed);
            continue;
        }
        let is_address = ADDRESSES.iter().any(|name| span.rule.contains(name));
        let range = if is_address { password(text, span.start, span.end) } else { (span.start, span.end) };
        let range = if span.rule == keyed::RULE { range } else { path(text, range.0, range.1) };
        let range = if span.rule.contains("webhook") { numbered(text, range.0, range.1) } else { range };
        let listed = span.rule == harmless::CONNECTION
            && text[..range.1].ends_with(b",")
            && text.get(range.1).is_some_and(u8::is_ascii_whitespace);
        let range = (range.0, range.1 - usize::from(listed));
        let is_value = span.rule == keyed::RULE || span.rule == harmless::CONNECTION;
        let range = if is_value { signature(text, range.0, range.1) } else { range };
        let range = if is_value { range } else { without_prefix(text, range) };
        let range = if span.rule == keyed::RULE { cookie(text, range) } else { range };
        let range = if names_a_webhook(&span) { webhook(text, range) } else { range };
        let range =
            if span.rule == keyed::RULE || span.rule == harmless::HEADER { without_scheme(text, range) } else { range };
        let range = if is_value || span.rule == cookies::RULE { range } else { without_name(text, range) };
        let range = if is_value { bare(text, range.0, range.1) } else { range };
        if range.0 < range.1 {
            narrowed.push(Span { start: range.0, end: range.1, ..span });
        }
    }
    narrowed
}

/// `services`, `webhookb2`
fn is_path_word(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    letters > 0 && part.len() - letters < 2 && part[letters..].iter().all(u8::is_ascii_digit)
        || part.iter().all(u8::is_ascii_digit)
}

/// Returns the range of a part of a path without the number of an account before it and the slash behind it.
fn numbered(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let found = &text[start..end];
    let digits = found.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let skipped = if digits > 0 && found.get(digits) == Some(&b'/') { digits + 1 } else { 0 };
    let stop = end - usize::from(found.ends_with(b"/"));
    if start + skipped < stop { (start + skipped, stop) } else { (start, end) }
}

/// Returns the range of the path of an address without a user, from the first part of it that is not a word: `/hooks/catch/` is readable.
fn path(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let found = &text[start..end];
    let (mark, slash): (&[u8], &[u8]) =
        if memchr::memmem::find(found, b":\\/\\/").is_some() { (b":\\/\\/", b"\\/") } else { (b"://", b"/") };
    let Some(scheme) = memchr::memmem::find(found, mark) else { return (start, end) };
    let mut at = scheme + mark.len();
    let Some(host) = memchr::memmem::find(&found[at..], slash) else { return (start, end) };
    if !found.starts_with(b"http") || found[at..at + host].contains(&b'@') {
        return (start, end);
    }
    at += host + slash.len();
    while let Some(part) = memchr::memmem::find(&found[at..], slash)
        && part <= LONGEST_PART
        && is_path_word(&found[at..at + part])
    {
        at += part + slash.len();
    }
    let stop = end - usize::from(found.ends_with(b"/"));
    if start + at < stop { (start + at, stop) } else { (start, end) }
}

/// Returns the password of an address, or all of it if it has none.
fn password(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let found = &text[start..end];
    let Some(scheme) = memchr::memmem::find(found, b"://") else { return (start, end) };
    let from = scheme + 3;
    let authority = found[from..].iter().position(|byte| b"/?#".contains(byte)).map_or(found.len(), |at| from + at);
    let Some(at) = memchr::memrchr(b'@', &found[from..authority]).map(|at| from + at) else { return (start, end) };
    match memchr::memchr(b':', &found[from..at]) {
        Some(colon) => (start + from + colon + 1, start + at),
        None => (start, end),
    }
}

/// Returns the range of the signature in a token of Azure, whose other parameters say what it permits: `sv=2022-11-02&sp=r&sig=…`.
fn signature(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let mut at = start;
    let mut found = None;
    let mut has_version = false;
    for parameter in text[start..end].split(|byte| b"?&".contains(byte)) {
        has_version |= parameter.starts_with(b"sv=20");
        if parameter.starts_with(SIGNATURE) {
            found = Some((at + SIGNATURE.len(), at + parameter.len()));
        }
        at += parameter.len() + 1;
    }
    found.filter(|(from, to)| has_version && from < to).unwrap_or((start, end))
}

/// Returns a value without the text before it that says what it is.
fn without_prefix(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let value = &text[start..end];
    let prefix = PREFIXES.iter().find(|prefix| value.len() > prefix.len() + 3 && value.starts_with(prefix));
    (start + prefix.map_or(0, |prefix| prefix.len()), end)
}

/// Returns whether a value was found by its key, which names a webhook.
fn names_a_webhook(span: &Span) -> bool {
    let RedactionReason::Key { word } = &span.reason else { return false };
    span.rule == keyed::RULE && word.to_ascii_lowercase().ends_with("hook")
}

/// Returns the range of the path of the address of a webhook from its first part that is not a word, if it certainly has the secret: a part
/// of it is random.
fn webhook(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let (from, to) = path(text, start, end);
    let (from, to) = numbered(text, from, to);
    let is_random = |part: &[u8]| looks_random(part) || is_uuid(part) || part.starts_with(MASKED);
    let is_certain = from > start && text[from..to].split(|byte| *byte == b'/').any(is_random);
    if is_certain { (from, to) } else { (start, end) }
}

/// Returns the credentials of the header `Authorization` without the scheme before them: `Splunk …`.
fn without_scheme(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let before = &text[start.saturating_sub(MAX_HEADER)..start];
    let name = before.iter().rposition(|byte| !b": =\"'\\".contains(byte)).map_or(&[][..], |at| &before[..=at]);
    let is_header = name.len() >= AUTHORIZATION.len()
        && name[name.len() - AUTHORIZATION.len()..].eq_ignore_ascii_case(AUTHORIZATION);
    let value = &text[start..end];
    let Some(scheme) = memchr::memchr(b' ', value).filter(|_| is_header) else { return (start, end) };
    let credentials = &value[scheme + 1..];
    let is_scheme = |scheme: &[u8]| {
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.len() <= MAX_SCHEME
            && scheme.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
    };
    let is_token = credentials.len() >= MIN_CREDENTIALS
        && credentials.iter().any(u8::is_ascii_digit)
        && credentials.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'=');
    if is_scheme(&value[..scheme]) && (is_token || credentials.starts_with(MASKED)) {
        (start + scheme + 1, end)
    } else {
        (start, end)
    }
}

/// Returns the value of the first cookie of a header that was read as a key: `set-cookie: connect.sid=…`.
fn cookie(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let value = &text[start..end];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let name = value.iter().take(MAX_COOKIE_NAME).take_while(is_name).count();
    let has_value = name > 0 && value.get(name) == Some(&b'=') && value.len() > name + 1 + cookies::SHORTEST;
    if has_value && follows_header(&text[start.saturating_sub(MAX_HEADER)..start]) {
        (start + name + 1, end)
    } else {
        (start, end)
    }
}

/// Returns whether a text ends with the name of the header of cookies and a colon: `Set-Cookie: `, `"cookie": ["`. Other keys with this word
/// have secrets of any form.
fn follows_header(before: &[u8]) -> bool {
    let lower = before.to_ascii_lowercase();
    let mut signs = lower.iter().rev().take_while(|byte| b": \"'[\\".contains(byte));
    let has_colon = signs.any(|byte| *byte == b':');
    let end = lower.iter().rposition(|byte| !b": \"'[\\".contains(byte)).map_or(0, |at| at + 1);
    let head = lower[..end].strip_suffix(b"cookie");
    has_colon
        && head.is_some_and(|head| {
            head.ends_with(b"set-") || head.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        })
}

/// Returns a random value without the name of its parameter: `appid=…`.
fn without_name(text: &[u8], (start, end): (usize, usize)) -> (usize, usize) {
    let found = &text[start..end];
    let name = found.iter().take(MAX_NAME).take_while(|byte| byte.is_ascii_lowercase() || **byte == b'_').count();
    let is_named = name > 2 && found.get(name) == Some(&b'=') && looks_random(&found[name + 1..]);
    if is_named { (start + name + 1, end) } else { (start, end) }
}

/// Returns the part of a value that is the secret: without a prefix, quotes or braces around it, or the first and last lines of a key.
fn bare(text: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    for _ in 0..2 {
        let value = &text[start..end];
        let blanks = value.len() - value.trim_ascii_start().len();
        (start, end) = (start + blanks, start + value.trim_ascii_end().len().max(blanks));
        let value = &text[start..end];
        if let Some(prefix) = PREFIXES.iter().find(|prefix| value.len() > prefix.len() + 3 && value.starts_with(prefix))
        {
            start += prefix.len();
        }
        let value = &text[start..end];
        let is_enclosed = value.len() > 4
            && matches!((value[0], value[value.len() - 1]), (b'\'', b'\'') | (b'"', b'"') | (b'{', b'}'));
        // The braces of Jenkins are a part of the value.
        if is_enclosed && !value[1..].starts_with(JENKINS.as_bytes()) {
            (start, end) = (start + 1, end - 1);
        }
        // A raw string of C++: `R"(…)"`.
        if text[..start].ends_with(b"R\"") && value.len() > 4 && value[0] == b'(' && value[value.len() - 1] == b')' {
            (start, end) = (start + 1, end - 1);
        }
        // An anchor of YAML.
        if value.starts_with(b"&")
            && let Some(blank) = memchr::memchr(b' ', value)
            && value[1..blank].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
        {
            start += blank + 1;
        }
    }
    if text[start..end].starts_with(b"-----BEGIN") { blocks::body(text, start, end) } else { (start, end) }
}

/// Adds the values of the cookies of a header that can be secrets.
fn cookies(text: &[u8], span: &Span, narrowed: &mut Vec<Span>) {
    let mut at = span.start;
    for cookie in text[span.start..span.end].split(|byte| *byte == b';') {
        let name = memchr::memchr(b'=', cookie).map_or(0, |sign| sign + 1);
        let blanks = cookie[name..].len() - cookie[name..].trim_ascii_start().len();
        let (from, to) = (at + name + blanks, at + name + cookie[name..].trim_ascii_end().len());
        let is_secret = (name > 0 || !cookies::is_cookie_attribute(cookie))
            && cookies::is_cookie(&cookie[..name.saturating_sub(1)], &cookie[name..]);
        if from < to && is_secret && !is_placeholder(&text[from..to]) {
            narrowed.push(Span { start: from, end: to, ..span.clone() });
        }
        at += cookie.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_parameters_beside_a_signature_stay_readable() {
        let signature = "q8Zk02mLq9Zt4Rb7x8Kd02mLq9Zt4Rb7aBcD%3D";
        check(
            "a.env",
            &[
                &format!("SAS_TOKEN=?sv=2022-11-02&ss=b&sp=rl&se=2025-01-01T00:00:00Z&sig=⟦{signature}⟧"),
                &format!("SAS_TOKEN=\"sv=2022-11-02&sig=⟦{signature}⟧&se=2025-01-01\""),
                &format!("SAS_URL=https://shop.blob.core.windows.net/box?sv=2022-11-02&sp=rl&sig=⟦{signature}⟧"),
                "DB_PASSWORD=⟦a&sig=q8Zk02mL⟧",
            ],
        );
        check("a.py", &[&format!("sas_token = \"sv=2022-11-02&ss=b&sp=rl&sig=⟦{signature}⟧\"")]);
    }

    #[test]
    fn names_of_cookies_and_kinds_of_tokens_stay_readable() {
        let value = "s%3AI3O2yneI8gK0SnkUKu_oXe9hnVJ48UoU.IniXlUkYH6jRvmcyXCxSj0bGvQ2BnrbBUY2dyFRq2Yy";
        check(
            "a.md",
            &[
                &format!("    set-cookie: connect.sid=⟦{value}⟧; Path=/; HttpOnly"),
                "COOKIE_KEY=\"⟦k3y=9sdf8sd7fQ⟧\"",
                "erlang_cookie: \"⟦k3y=9sdf8sd7fQ⟧\"",
                "curl -H \"Authorization: Api-Key ⟦AQVNCEE0WzstgERpsVz4b5Oe6yZqVvscjtgL⟧\" https://host.example",
                "curl -H \"Authorization: Acme-Key ⟦7kq_AQVNCEE0WzstgERpsVz4b5Oe⟧\" https://host.example",
                "curl -H \"Authorization: Acme ⟦0b9c8d7e-6f5a-4132-8190-a7b6c5d4e3f2⟧\" https://host.example",
                "curl -H \"Authorization: ⟦Feld Weg Hain 7⟧\" https://host.example",
            ],
        );
    }

    #[test]
    fn the_address_of_a_webhook_stays_readable_up_to_its_secret() {
        check(
            "a.env",
            &[
                "WEBHOOK=https://chat.firma.example/hooks/⟦t8jmLilp3miNV87QD/Z7MeOkcf0azWQ24wUq1nZFElcf⟧",
                "DEPLOY_WEBHOOK=https://ci.firma.example/api/webhooks/118421337491/⟦q8Zk02mLq9Zt4Rb7x8Kd02mL⟧",
                "WEBHOOK=https://chat.firma.example/hooks/sommer/feld",
            ],
        );
    }

    #[test]
    fn hosts_names_and_prefixes_stay_readable() {
        check(
            "a.env",
            &[
                "MONGO=mongodb+srv://kino:⟦Eck-Stein-7⟧@cluster0.ab1cd.mongodb.net/kino?retryWrites=true",
                "APP_KEY=base64:⟦q8Zk02mLq9Zt4Rb7x8Kd02mLq9Zt4Rb7x8Kd02mLq9Y=⟧",
                "URL=https://api.openweathermap.org/data/2.5/weather?q=x&appid=⟦0b9c8d7e6f5a41328190a7b6c5d4e3f2⟧",
                "PGPASSWORD='⟦Eck-Stein⟧'",
            ],
        );
        check("a.yaml", &["password: &pw ⟦Eck-Stein⟧"]);
        check(
            "a.ini",
            &[
                "[x]\nkey_id = ⟦AKIASVYLRSZKUYIGCF2V⟧\nsecret = ⟦wJalrXUtnFEMIxK7MDENGxbPxRfiCYzEXzMPLEKq⟧\n",
                "key_id = ⟦AKIASVYLRSZKUYIGCF2V⟧",
            ],
        );
        check(
            "a.txt",
            &[
                "Cookie: JSESSIONID=⟦9f8a7c6d5e4f⟧; lang=de; remember_me=⟦q8Zk02mLq9Zt⟧",
                "jdbc:sqlserver://h:1433;user=u;password={⟦Eck;Stein⟧};encrypt=true",
            ],
        );
        check("a.json", &["{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA7bqEXAMPLEkeybody0123456789\\n-----END PRIVATE KEY-----\\n\"}".replace("\\nMII", "\\n⟦MII").replace("789\\n", "789⟧\\n").as_str()]);
        check(
            "etc/shadow.bak",
            &[
                "root:⟦$6$abcdefgh$0123456789012345678901234567890123456789⟧:18858:0:99999:7:::\ndaemon:*:18858:0:99999:7:::\n",
            ],
        );
        check(
            "a.sh",
            &[
                "mount -o username=u,password=⟦Eck-Stein⟧,uid=33 //h/s /m",
                "helm upgrade x --set auth.password=⟦Eck-Stein⟧,replicas=2",
            ],
        );
        check("b.c", &["const char *password = R\"(⟦Tief-See⟧)\";"]);
        check("a.c", &["git clone https://oauth2:⟦Eck-Stein⟧@gitlab.com/x/y.git"]);
    }
}
