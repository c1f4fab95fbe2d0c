//! Finds the value that a program takes when a variable or setting is not set: `env.TOKEN || "…"`, `getenv("TOKEN") or "…"`,
//! `env::var("TOKEN").unwrap_or("…")`, `${TOKEN:-…}`.

use super::cursor::{Cursor, Place, REACH, Values};
use super::wrappers::fetches;

/// Operators between a value that may be missing and the value that replaces it.
const OPERATORS: &[&[u8]] = &[b"|| ", b"?? ", b"?: ", b"? ", b"or ", b"||", b"??", b"?:", b"{ "];
/// The mark before the second value of a condition: `isTest ? load() : "…"`.
const ELSE: &[u8] = b": ";

/// Methods whose argument replaces a missing value.
const METHODS: &[&[u8]] = &[
    b"unwrap_or_else",
    b"unwrap_or",
    b"or_else",
    b"orElseGet",
    b"orElse",
    b"getOrElse",
    b"ifEmpty",
    b"ifBlank",
    b"value_or",
];

/// The start of a closure, up to its value.
const CLOSURES: &[&[u8]] = &[b"|_| ", b"|_|", b"() => ", b"()=>", b"() -> ", b"_ => ", b"{ "];

/// Moves to the second argument of a function that looks up the value of a name, which is the value if there is none:
/// `os.getenv("NAME", "…")`. Returns whether it is a string.
pub(super) fn argument(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    // Dart
    let constant = if rest.starts_with(b"const ") { b"const ".len() } else { 0 };
    let rest = &rest[constant..];
    let name = rest.iter().take(60).take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte)).count();
    if name == 0 || rest.get(name) != Some(&b'(') || !fetches(&rest[..name]) {
        return false;
    }
    let Some(quote @ (b'"' | b'\'')) = rest.get(name + 1) else { return false };
    let inside = &rest[name + 2..rest.len().min(name + 2 + REACH)];
    let Some(end) = memchr::memchr(*quote, inside) else { return false };
    let mut there = Cursor { at: cursor.at + constant + name + 3 + end, ..*cursor };
    if !there.take(b",") {
        return false;
    }
    there.space();
    let _named = [&b"default="[..], b"default: ", b"defaultValue: ", b"fallback="].iter().any(|name| there.take(name));
    if !matches!(there.peek(), Some(b'"' | b'\'')) {
        return false;
    }
    cursor.at = there.at;
    true
}

/// Skips an operator or the call of a method, also on the next line, if a string follows it. Returns whether one was skipped.
pub(super) fn follows(cursor: &mut Cursor<'_>) -> bool {
    let from = cursor.at;
    let space = cursor.rest().iter().take(80).take_while(|byte| byte.is_ascii_whitespace()).count();
    cursor.at += space;
    if operator(cursor) {
        return true;
    }
    cursor.at = from;
    false
}

fn operator(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    if !matches!(rest.first(), Some(b'.' | b'|' | b'?' | b'o' | b'{')) {
        return false;
    }
    let called = rest.strip_prefix(b".").and_then(|name| {
        METHODS.iter().find(|method| name.starts_with(method) && name.get(method.len()) == Some(&b'('))
    });
    if let Some(method) = called {
        cursor.at += method.len() + 2;
        let _closure = CLOSURES.iter().any(|closure| cursor.take(closure));
    } else if !OPERATORS.iter().any(|operator| cursor.take(operator)) {
        return false;
    }
    cursor.space();
    matches!(cursor.peek(), Some(b'"' | b'\'' | b'`'))
}

/// Moves from the start of an expression to the string that it falls back to, if it has one on the same line.
/// `without` is a part of the text that has no such operator. It grows, so that the text is searched once and not for every key.
pub(super) fn skip_to(cursor: &mut Cursor<'_>, without: &mut (usize, usize)) {
    let line = cursor.line_within(REACH);
    if !has_operator(cursor, cursor.at + line.len(), without) {
        return;
    }
    // The string may begin on the next line.
    let near = &cursor.rest()[..cursor.rest().len().min(line.len() + REACH)];
    if memchr::memchr3(b'"', b'\'', b'`', near).is_none() {
        return;
    }
    let mut depth = 0i32;
    let mut quote = None;
    let mut asks = false;
    for (at, &byte) in line.iter().enumerate() {
        let outside = depth == 0 && quote.is_none();
        asks |= outside && line[at..].starts_with(b" ? ");
        if asks && outside && line[at..].starts_with(ELSE) {
            let there = cursor.at + at + ELSE.len();
            if cursor.text.get(there).is_some_and(|byte| b"\"'`".contains(byte)) {
                cursor.at = there;
                return;
            }
        }
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => continue,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth -= 1,
            (None, b';' | b',') if depth == 0 => return,
            _ => {}
        }
        if depth < 0 {
            return;
        }
        let begins = byte == b'.' || at > 0 && matches!(line[at - 1], b' ' | b')' | b']');
        if depth == 0 && quote.is_none() && begins {
            let mut there = Cursor { at: cursor.at + at, ..*cursor };
            if operator(&mut there) {
                cursor.at = there.at;
                return;
            }
        }
    }
}

/// Returns whether the text between the cursor and `end` has an operator at a place where one can be.
fn has_operator(cursor: &Cursor<'_>, end: usize, without: &mut (usize, usize)) -> bool {
    let (text, from) = (cursor.text, cursor.at);
    let known = without.0 <= from && from <= without.1;
    let mut at = if known { without.1 } else { from };
    let is_operator = |at: usize| {
        let begins = text[at] == b'.' || at > 0 && matches!(text[at - 1], b' ' | b')' | b']');
        text[at..].starts_with(b"? ") || begins && operator(&mut Cursor { at, ..*cursor })
    };
    while at < end && !is_operator(at) {
        at += 1;
    }
    *without = (if known { without.0 } else { from }, at);
    at < end
}

/// Returns whether a key is the name of a variable of the environment.
pub(super) fn is_variable(key: &[u8]) -> bool {
    let name = key.rsplit(|byte| *byte == b'.').next().unwrap_or(key);
    name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// Reads the value in `${KEY:-value}`, `${KEY-value}`, `${KEY:=value}` (shell) and `${key:value}` (Spring). Returns whether the key is in such braces.
pub(super) fn in_braces(text: &[u8], start: usize, cursor: &mut Cursor<'_>, values: &mut Values) -> bool {
    if start < 2 || &text[start - 2..start] != b"${" || !matches!(cursor.peek(), Some(b':' | b'-')) {
        return false;
    }
    cursor.take(b":");
    if !cursor.take(b"-") {
        cursor.take(b"=");
    }
    if matches!(cursor.peek(), Some(b'?' | b'+')) {
        return true;
    }
    let line = cursor.line();
    let mut depth = 0;
    let close = line.iter().take(REACH).position(|byte| {
        depth += i32::from(*byte == b'{') - i32::from(*byte == b'}');
        depth < 0
    });
    let Some(close) = close else { return true };
    let inside = &line[..close];
    // `${password:0:3}` is a part of a variable.
    if inside.iter().all(|byte| byte.is_ascii_digit() || b":- ".contains(byte)) {
        return true;
    }
    let quote = inside.first().filter(|byte| b"\"'".contains(byte));
    let bare = quote.and_then(|quote| inside[1..].strip_suffix(&[*quote]));
    let from = cursor.at + usize::from(bare.is_some());
    let end = from + bare.unwrap_or(inside).len();
    if from < end {
        values.push((from, end, Place { quoted: true, ..Place::default() }));
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn both_values_of_a_condition_are_read() {
        check(
            "a.js",
            &[
                "const token = isProd ? getToken() : \"⟦q8Zk02mLq9Zt4Rb7⟧\";",
                "const password = dev ? \"⟦0live_Branch2⟧\" : env.PW;",
                "const config = { apiKey: __DEV__ ? \"⟦q8Zk02mLq9Zt4Rb7⟧\" : Config.KEY };",
                "const type = password ? \"text\" : \"password\";",
                "const password = shown ? getPassword() : \"\";",
                "e.token?e.token:n(r)}e.secret=f(x)",
            ],
        );
    }

    #[test]
    fn references_to_credentials_of_a_build_server_are_harmless() {
        check(
            "Jenkinsfile",
            &[
                "DOCKER_CREDS = credentials('dockerhub-login2')",
                "PASSWORD = credentials('db-prod-creds7')",
                "PASSWORD = decrypt('⟦db-Prod-creds7⟧')",
            ],
        );
    }

    #[test]
    fn keys_are_read_through_the_calls_that_decode_them() {
        check(
            "a.js",
            &[
                "const key = Buffer.from(\"⟦7f3a9c01d2e4b6f8a0c2e4f60718293a⟧\", \"hex\");",
                "const signingKey = Buffer.from(\n  '⟦7f3a9c01d2e4b6f8a0c2e4f60718293a⟧',\n  'hex'\n)",
                "const iv = Buffer.from(\"7f3a9c01d2e4b6f8a0c2e4f60718293a\", \"hex\");",
                "const publicKey = Buffer.from(\"7f3a9c01d2e4b6f8a0c2e4f60718293a\", \"hex\");",
                "const key = f(\"7f3a9c01d2e4b6f8a0c2e4f60718293a\", \"name\");",
            ],
        );
        check("A.java", &["byte[] secretKey = Base64.getDecoder().decode(\"⟦q8Zk02mLq9Zt4Rb7q8Zk0g==⟧\");"]);
        check("a.go", &["var signingKey, _ = hex.DecodeString(\"⟦7f3a9c01d2e4b6f8a0c2e4f60718293a⟧\")"]);
    }

    #[test]
    fn shared_variables_and_tokens_of_sessions_are_masked_if_they_are_made_up() {
        check("a.env", &["APP_SHARED=⟦kirschgarten7x⟧", "BUILD_SHARED=ON", "LIB_SHARED=libs"]);
        check(
            "a.http",
            &[
                "X-CSRF-Token: ⟦q8Zk02mLq9Zt4Rb7⟧",
                "X-Session-Id: ⟦q8Zk02mLq9Zt4Rb7⟧",
                "X-CSRF-Token: fetch",
                "X-CSRF-Enabled: q8Zk02mLq9Zt4Rb7",
            ],
        );
        check("a.har", &["{ \"name\": \"X-CSRF-Token\", \"value\": \"⟦q8Zk02mLq9Zt4Rb7⟧\" }"]);
    }

    #[test]
    fn the_value_for_a_missing_one_is_masked() {
        check(
            "a.ts",
            &[
                "const t = process.env.API_TOKEN || '⟦qWx7-pl9Zk⟧';",
                "const t = process.env.JWT_SECRET ?? \"⟦geheimnis⟧\";",
                "const t = config.secret || '⟦geheim-77⟧';",
                "password = os.environ.get('X') or '⟦einfach⟧'",
                "password = os.getenv(\"X\", \"⟦einfach-77⟧\")",
                "password = config.get(\"database\", \"field\")",
                "token = ENV['API_TOKEN'] || '⟦einfach⟧'",
                "$password = getenv('X') ?: '⟦einfach⟧';",
                "let t = env::var(\"API_TOKEN\").unwrap_or_else(|_| \"⟦einfach⟧\".to_string());",
                "let t = env::var(\"API_TOKEN\")\n    .unwrap_or(\"⟦einfach⟧\");",
                "@Value(\"${app.secret:⟦einfach⟧}\")",
                "let t = user.token || guest.token;",
                "const label = error.token || 'Unknown user';",
                "${password:0:3} ${TOKEN:?must be set} ${SECRET:-$OTHER} ${TOKEN:-${OTHER}}",
            ],
        );
        check(
            "settings.py",
            &["KEY = config(\"API_KEY\", default=\"⟦einfach77x⟧\")", "KEY = config(\"API_KEY\", cast=str)"],
        );
        check("run.sh", &["DB=${DB_PASSWORD-⟦einfach⟧}"]);
        check("run.sh", &["DB=${DB_PASSWORD:-⟦einfach⟧}", "DB=${DB_PASSWORD:='⟦ganz einfach⟧'}"]);
    }
}
