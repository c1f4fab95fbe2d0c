//! Recognises calls around a value: `String::from("…")`, `new Secret('…')`. A call that fetches its value from elsewhere has the name of a
//! value as its argument.
//!
//! In: a cursor before a call. Out: whether the call was skipped.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::cursor::Cursor;
use super::words::short_search;

/// Parts of the names of functions that take a name and return the value from elsewhere, and of words about messages. Their arguments are
/// not secrets.
static FETCHES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "constant words")]
    short_search()
        .ascii_case_insensitive(true)
        .build([
            "get",
            "env",
            "fetch",
            "lookup",
            "find",
            "load",
            "read",
            "input",
            "prompt",
            "translate",
            "i18n",
            "param",
            "arg",
            "option",
            "config",
            "ref",
            "field",
            "column",
            "require",
            "include",
            "import",
            "select",
            "label",
            "valid",
            "match",
            "test",
            "error",
            "log",
            "print",
            "exist",
            "has",
            "path",
            "open",
            "file",
            "url",
            "check",
            "expect",
            "assert",
            "attr",
            "pick",
            "resolve",
            "name",
            "key",
            "title",
            "text",
            "length",
            "len",
            "type",
            "query",
            "split",
            "setting",
            "replace",
            "askfor",
            "generate",
            "random",
            "relationship",
            "symbol",
            "context",
            "inject",
            "provide",
            "watch",
            "emit",
        ])
        .expect("constant words")
});

/// The short names of such functions.
const SHORT_FETCHES: &[&[u8]] = &[b"is", b"t", b"_", b"l", b"tr", b"for", b"ask", b"credentials"];

/// The labels of the first argument of a call that only changes the form of the value.
const LABELS: &[&[u8]] = &[b"base64Encoded: ", b"base64: ", b"hex: ", b"hexString: ", b"string: ", b"stringLiteral: "];

/// Skips a call around the value: `String::from("…")`, `new Secret('…')`. A call that fetches its value from elsewhere is not skipped.
///
/// Returns whether a call with a name of its own was skipped.
pub(super) fn call(cursor: &mut Cursor<'_>) -> bool {
    // PowerShell: `ConvertTo-SecureString -String "…"`.
    if cursor.rest().starts_with(b"(ConvertTo-SecureString ") {
        cursor.at += 1;
    }
    if cursor.take(b"ConvertTo-SecureString ") {
        cursor.take(b"-String ");
    }
    let from = cursor.at;
    let mut called_any = false;
    for _ in 0..3 {
        let begun = cursor.at;
        for word in [&b"new "[..], b"await ", b"return ", b"&"] {
            cursor.take(word);
        }
        // PowerShell: `[Convert]::FromBase64String("…")`.
        let class = cursor.rest().first() == Some(&b'[');
        let name = cursor
            .rest()
            .iter()
            .take(60)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:!".contains(byte) || class && b"[]".contains(byte))
            .count();
        let called = &cursor.text[cursor.at..cursor.at + name];
        cursor.at += name;
        // `Base64.getDecoder().decode("…")`
        if name > 7 && called[name - 7..].eq_ignore_ascii_case(b"decoder") && cursor.take(b"().") {
            continue;
        }

        // JavaScript: String.raw`…`. Scala: raw"…".
        if matches!(cursor.peek(), Some(b'`' | b'"')) && called.ends_with(b"raw") {
            break;
        }
        // C++: `std::string{"…"}`.
        let braces = cursor.rest().starts_with(b"{\"") && memchr::memmem::find(called, b"::").is_some();
        if name == 0 || cursor.peek() != Some(b'(') && !braces || fetches(called) {
            cursor.at = begun;
            break;
        }
        cursor.at += 1;
        called_any = true;
        cursor.space();
        // Swift: `Data(base64Encoded: "…")`.
        let _labelled = LABELS.iter().any(|label| cursor.take(label));
    }
    // Erlang: `<<"…">>`.
    cursor.take(b"<<");
    // Strings may have prefixes: b"…", r"…", f"…", @"…", and those of Objective-C and Swift.
    let prefix = cursor.rest().iter().take(5).take_while(|byte| b"brufRBUFLcCNE8@$#&*".contains(byte)).count();
    // Verilog: `8'hFF`.
    let prefix = if cursor.peek() == Some(b'8') { 0 } else { prefix };
    if cursor.rest().get(prefix).is_some_and(|byte| b"\"'`".contains(byte)) {
        cursor.at += prefix;
    } else if !matches!(cursor.peek(), Some(b'"' | b'\'' | b'`' | b'\\')) {
        cursor.at = from;
        return false;
    }
    called_any
}

/// The names of encodings of bytes.
const ENCODINGS: &[&[u8]] = &[b"hex", b"base64", b"base64url", b"utf8", b"utf-8", b"ascii", b"latin1", b"binary"];

/// Returns whether the last argument of a call, behind its comma, is the name of an encoding: `, "hex")`.
pub(super) fn names_an_encoding(rest: &[u8]) -> bool {
    let argument = rest[1..].trim_ascii_start();
    let Some((quote @ (b'"' | b'\''), inside)) = argument.split_first() else { return false };
    memchr::memchr(*quote, &inside[..inside.len().min(12)]).is_some_and(|end| {
        ENCODINGS.iter().any(|name| inside[..end].eq_ignore_ascii_case(name))
            && matches!(inside[end + 1..].trim_ascii_start().first(), Some(b')' | b','))
    })
}

/// Returns whether a function takes a name and returns the value from elsewhere.
pub(super) fn fetches(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| matches!(byte, b'.' | b':')).next().unwrap_or(name);
    !is_encoding(name, last)
        && (SHORT_FETCHES.iter().any(|word| last.eq_ignore_ascii_case(word)) || FETCHES.is_match(last))
}

/// Returns whether a function returns the bytes of a text in an encoding: `Encoding.UTF8.GetBytes`.
fn is_encoding(name: &[u8], last: &[u8]) -> bool {
    last.eq_ignore_ascii_case(b"getbytes") && memchr::memmem::find(name, b"Encoding").is_some()
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_bytes_of_a_text_are_its_value() {
        check(
            "a.cs",
            &[
                "var key = Encoding.UTF8.GetBytes(\"⟦c1xZvDjuW7iP-sLiBgzFGoDjjrXiLaS9vskZPMg24K2a⟧\");",
                "var key = Encoding.UTF8.GetBytes(\"payload of a message\");",
                "var key = settings.GetBytes(\"c1xZvDjuW7iP-sLiBgzFGoDjjrXiLaS9vskZPMg24K2a\");",
            ],
        );
    }
}
