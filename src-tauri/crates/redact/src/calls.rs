//! Finds the passwords among the arguments of known functions: `setPassword("…")`, `login(user, "…")`. The functions are data
//! (`config/redaction/commands.toml`).

use serde::Deserialize;

use super::literal::{MAX_VALUE_BYTES, line_start};
use super::span::Span;
use super::types::RedactionReason;
use super::values::{is_placeholder, is_prose, looks_random};

const RULE: &str = "call-argument";

/// The maximum number of arguments that are read.
const MAX_ARGUMENTS: usize = 12;

/// Functions, and the position of their secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    names: Vec<String>,
    secret: i32,
    #[serde(default)]
    least: usize,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    about: String,
}

impl Call {
    /// Returns the keywords of the functions: their names in both notations, with the parenthesis.
    pub(super) fn keywords(&self) -> impl Iterator<Item = String> {
        self.names.iter().flat_map(|name| {
            let name = name.trim_start_matches('*');
            let joined = name.replace('_', "");
            let both = if joined == name { vec![joined] } else { vec![joined, name.to_owned()] };
            // Ruby, Perl and Visual Basic: `basic_auth 'me', '…'`.
            both.into_iter().flat_map(|name| ["(", " '", " \""].map(|open| format!("{name}{open}")))
        })
    }

    /// Adds the secret of the call whose name and parenthesis, or first quote, are at `start..end`.
    pub(super) fn find(&self, text: &[u8], start: usize, end: usize, spans: &mut Vec<Span>) {
        let inside = start > 0 && (text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_');
        let bare = text[end - 1] != b'(';
        let (name, end) = if bare { (end - 2, end - 1) } else { (end - 1, end) };
        if inside && !self.may_be_an_end(&text[start..name]) {
            return;
        }
        let arguments = arguments(text, end, bare);
        if arguments.len() < self.least.max(1) {
            return;
        }
        let index = if self.secret < 0 { arguments.len() - 1 } else { self.secret as usize - 1 };
        let Some(&(from, to)) = arguments.get(index) else { return };
        if !self.about.is_empty() {
            let before = text[line_start(text, from)..from].to_ascii_lowercase();
            if memchr::memmem::find(&before, self.about.as_bytes()).is_none() {
                return;
            }
        }
        for (from, to) in strings(text, from, to) {
            let value = &text[from..to];
            let harmless = value.len() < 3
                || is_placeholder(value)
                || is_prose(value)
                || self.strict && !looks_like_password(value);
            if !harmless {
                spans.push(Span::new(from, to, RULE.into()).because(RedactionReason::CallArgument));
            }
        }
    }

    /// Returns whether a name may be the end of a longer one.
    fn may_be_an_end(&self, name: &[u8]) -> bool {
        let name = String::from_utf8_lossy(name).to_lowercase().replace('_', "");
        self.names.iter().any(|known| {
            known.strip_prefix('*').is_some_and(|known| known.replace('_', "") == name) || known.starts_with('.')
        })
    }
}

/// Returns whether a string is random, or more than a word and neither a path, a selector nor a template.
fn looks_like_password(value: &[u8]) -> bool {
    let made_up = value.iter().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*?+~".contains(byte));
    let odd = value.iter().any(|byte| byte.is_ascii_whitespace() || b"/<>(){}[]\\=,;:".contains(byte));
    let marked = matches!(value.first(), Some(b'#' | b'.' | b'@' | b'%' | b'$' | b'*' | b'?' | b'&' | b'-'));
    value.len() >= 6 && made_up && !odd && !marked || value.len() >= 24 && !marked && looks_random(value)
}

/// Returns the ranges of the arguments that begin at `from`. The list is empty if the call does not end. A `bare` call has no parentheses
/// and ends with its line.
fn arguments(text: &[u8], from: usize, bare: bool) -> Vec<(usize, usize)> {
    let stop = text.len().min(from + MAX_VALUE_BYTES);
    let mut found = Vec::new();
    let (mut at, mut begun, mut depth) = (from, from, 0);
    while at < stop && found.len() < MAX_ARGUMENTS {
        match text[at] {
            quote @ (b'"' | b'\'' | b'`') => match string_end(text, at, stop, quote) {
                Some(end) => at = end,
                None => return Vec::new(),
            },
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 && !bare => {
                if !text[begun..at].trim_ascii().is_empty() {
                    found.push((begun, at));
                }
                return found;
            }
            b'\n' if bare && depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push((begun, at));
                begun = at + 1;
            }
            b';' => return Vec::new(),
            _ => {}
        }
        at += 1;
    }
    if !bare {
        return Vec::new();
    }
    found.push((begun, at));
    found
}

/// Returns the place of the quote that ends a string.
fn string_end(text: &[u8], open: usize, stop: usize, quote: u8) -> Option<usize> {
    let mut at = open + 1;
    while at < stop {
        match text[at] {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return None,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the insides of the strings of an argument that begins with one, up to its first call.
fn strings(text: &[u8], from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = from + text[from..to].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let named = text[at..to].iter().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    // `with: "…"` in Ruby and Swift, `password="…"` in Python; a prefix of a string is not a name.
    if named > 0 && text[at + named..to].first().is_some_and(|byte| b":=".contains(byte)) {
        at += named + 1;
    }
    at += text[at..to].iter().take_while(|byte| byte.is_ascii_whitespace() || b"@bruNL&".contains(byte)).count();
    if text[at..to].starts_with(b"Some(") {
        at += 5;
    }
    while at < to {
        let Some(&quote) = text.get(at).filter(|byte| b"\"'`".contains(byte)) else { break };
        let Some(end) = string_end(text, at, to, quote) else { break };
        found.push((at + 1, end));
        let rest = text[end + 1..to].trim_ascii_start();
        let Some(joined) = rest.strip_prefix(b"+").or_else(|| rest.strip_prefix(b" .")) else { break };
        at = to - joined.trim_ascii_start().len();
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn passwords_among_arguments_are_masked() {
        check(
            "a.java",
            &[
                "user.setPassword(\"⟦einfach⟧\");",
                "builder.withPassword(\"⟦einfach⟧\").build();",
                "DriverManager.getConnection(\"jdbc:mysql://h/db\", \"root\", \"⟦einfach⟧\");",
                "login('me@x.org', '⟦geheim77⟧'+'⟦lion88⟧')",
                "client.login(\"me@example.org\", \"⟦geheim77⟧\")",
                "requests.get(url, auth=HTTPBasicAuth('me', '⟦einfach⟧'))",
                "mysqli_connect('localhost', 'root', '⟦einfach⟧', 'db');",
                "new PDO('mysql:host=x;dbname=y', 'root', '⟦einfach⟧');",
                "new NetworkCredential(\"me\", \"⟦einfach⟧\")",
                "new PasswordAuthentication(\"me\", \"⟦einfach⟧\".toCharArray())",
                "crypto.createHmac('sha256', '⟦geheim77⟧')",
                "jwt.sign({ id: user.id }, '⟦geheim77⟧', { expiresIn: '1h' })",
                "User.objects.create_user('bob', 'bob@x.org', '⟦geheim77⟧')",
                "await page.fill('#password', '⟦geheim77⟧')",
                "await page.fill('#name', 'version77')",
                "login(user, form.password)",
                "router.login('user', '/account/2')",
                "user.setPassword(\"${password}\"); user.setPassword(null); setPassword(encode(x))",
                "connect(\"host\", \"port1\")",
                "input.type(\"text1234\")",
                "client.get(url).basic_auth(\"ops\", Some(\"⟦geheim77⟧\"))",
            ],
        );
        check("a.rb", &["User.create_user 'bob', '⟦geheim77⟧'", "login 'bob', 'the form'"]);
    }
}
