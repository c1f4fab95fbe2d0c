//! Finds the value of a key that is itself the value of `name` or `key`, as in Kubernetes' variables, Terraform's defaults, property lists and
//! attributes: `name: DB_PASSWORD` with `value: …` nearby, in either order.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::assign::assigned;
use super::cursor::{Cursor, Operator, Place, REACH, Values, line_start};
use super::literal::value;
use super::records;
use super::values::Bare;
use super::words::short_search;

/// Words that introduce the name of a variable or setting.
static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "constant words")]
    short_search()
        .ascii_case_insensitive(true)
        .build(["name", "key", "id", "variable", "property", "field", "setting", "param", "label", "env =", "env="])
        .expect("constant words")
});

/// The names of the value of such a variable or setting.
const VALUE_NAMES: &[&[u8]] = &[
    b"value",
    b"default",
    b"string",
    b"content",
    b"data",
    b"plaintext",
    b"val",
    b"default_value",
    b"defaultvalue",
    b"parametervalue",
    b"propertyvalue",
    b"settingvalue",
    b"secretvalue",
    b"secretstring",
    b"param-value",
];

/// Returns whether an element assigns its text to the name in its attribute. A text of an interface does not: `<string name="…">`.
fn names_a_setting(tag: &[u8]) -> bool {
    let name = tag.iter().rposition(|byte| *byte == b'<').map_or(tag, |at| &tag[at + 1..]);
    [
        &b"property "[..],
        b"prop ",
        b"stringProp ",
        b"entry ",
        b"param ",
        b"parameter ",
        b"setting ",
        b"attribute ",
        b"key ",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

/// Collects the value of a key that is itself the value of `name` or `key`, as in Kubernetes' variables, Terraform's defaults, property
/// lists and attributes: `name: DB_PASSWORD` with `value: …` nearby. Returns the number of bytes read.
pub(super) fn paired(text: &[u8], start: usize, end: usize, bare: Bare, reach: usize, values: &mut Values) -> usize {
    let line_begin = line_start(text, start).max(start.saturating_sub(60));
    if text[..start].ends_with(b"</") || !NAMES.is_match(&text[line_begin..start]) {
        return 0;
    }
    // The text of an element with a name of its own names no other element: `<string name="hint">Password</string>`.
    let element = text[line_begin..start].rsplit(|byte| *byte == b'<').next().unwrap_or_default();
    if element.starts_with(b"string name=") && element.contains(&b'>') {
        return 0;
    }
    records::value_before(text, start, values);
    if !values.is_empty() {
        return 0;
    }
    let read = value_behind(text, start, end, bare, reach, values);
    if values.is_empty() {
        value_before(text, start, bare, reach, values);
    }
    read
}

fn value_behind(text: &[u8], start: usize, end: usize, bare: Bare, reach: usize, values: &mut Values) -> usize {
    let line = line_start(text, start).max(start.saturating_sub(60));
    let in_tag = text[line..start].ends_with(b"=\"") && text[line..start].contains(&b'<');
    // `<property name="connection.password">…</property>`
    // `<string name="api_token">…</string>` is mostly a text of an interface, so its value must look like a secret.
    let is_text = text[line..start].ends_with(b"<string name=\"");
    if in_tag && text[end..].starts_with(b"\">") && (is_text || names_a_setting(&text[line..start])) {
        let mut cursor = Cursor { text, at: end + 2, reach, furthest: end };
        let place = Place { quoted: true, ..Place::default() };
        value(&mut cursor, usize::MAX, Operator::Element, place, false, values);
        values.iter_mut().for_each(|(.., place)| place.loose |= is_text);
        return cursor.furthest.max(cursor.at) - end;
    }
    let before = &text[line_start(text, start)..start];
    let in_tag = in_tag
        || memchr::memrchr(b'<', before).is_some_and(|open| {
            before[open + 1..].first().is_some_and(u8::is_ascii_alphabetic) && !before[open..].contains(&b'>')
        });
    let stop = text.len().min(end + REACH);
    let mut at = end;
    let mut lines = 0;
    while at < stop && lines < 5 {
        let rest = &text[at..stop];
        if rest[0] == b'\n' {
            lines += 1;
        }
        // The attributes of the next element belong to that element, unless its name says that it has the value.
        if rest[0] == b'>' && in_tag {
            if !text[..at].ends_with(b"/") {
                named_value(text, at, reach, values);
            }
            return at - end;
        }
        let boundary = at == end || !text[at - 1].is_ascii_alphanumeric() && !b"_-.".contains(&text[at - 1]);
        if boundary && rest[0].is_ascii_alphabetic() {
            let is_tag = at > 0 && text[at - 1] == b'<';
            let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || is_tag && **byte == b'-';
            let word = rest.iter().take_while(inside).count();
            let is_one_of = |names: &[&[u8]]| names.iter().any(|name| rest[..word].eq_ignore_ascii_case(name));
            if is_one_of(VALUE_NAMES) {
                assigned(text, at, at + word, bare, reach, values);
                if text[at - 1] == b'<' || !values.is_empty() {
                    return at - end + reach.min(REACH);
                }
            } else if is_one_of(&[b"name"]) && is_named_value(&text[at + word..stop]) {
                named_value(text, at, reach, values);
                return at - end;
            } else if lines > 0 && is_one_of(&[b"name", b"key", b"variable"]) {
                // This is another name, and the value after it belongs to that name.
                return at - end;
            }
            at += word;
        } else {
            at += 1;
        }
    }
    at - end
}

/// The end of the name of an element that has the value of the name in its element: `<stringProp name="Argument.value">`.
const NAMED_VALUE: &[u8] = b".value\">";

/// Returns whether an attribute, behind its name, is the name of an element with a value.
fn is_named_value(rest: &[u8]) -> bool {
    let tag = rest.split(|byte| *byte == b'>').next().unwrap_or_default();
    rest.get(..tag.len() + 1).is_some_and(|tag| tag.ends_with(NAMED_VALUE))
}

/// Collects the text of the next element of which the name says that it is a value.
fn named_value(text: &[u8], at: usize, reach: usize, values: &mut Values) {
    let inside = &text[at..text.len().min(at + REACH)];
    let stop = memchr::memmem::find(inside, b"</elementProp").unwrap_or(inside.len());
    let Some(name) = memchr::memmem::find(&inside[..stop], NAMED_VALUE) else { return };
    let mut cursor = Cursor { text, at: at + name + NAMED_VALUE.len(), reach, furthest: at };
    value(&mut cursor, usize::MAX, Operator::Element, Place { quoted: true, ..Place::default() }, false, values);
}

/// Collects the value that stands before its name in the same element, object or item: `<property value="…" name="password"/>`.
fn value_before(text: &[u8], start: usize, bare: Bare, reach: usize, values: &mut Values) {
    let from = start.saturating_sub(REACH / 2);
    let before = &text[from..start];
    let open =
        before.iter().rposition(|byte| b"<>{}[]".contains(byte)).filter(|open| matches!(before[*open], b'<' | b'{'));
    // Statements between the brace and the key are those of a function, and not members.
    let Some(open) = open.filter(|open| memchr::memmem::find(&before[*open..], b";\n").is_none()) else {
        return item_before(text, start, bare, reach, values);
    };
    let inside = &before[open..];
    for (at, name) in words(inside) {
        let behind = inside[at + name.len()..].trim_ascii_start();
        let assigns = matches!(behind.first(), Some(b'=' | b'"' | b'\'' | b':'));
        if assigns && VALUE_NAMES.iter().any(|value| name.eq_ignore_ascii_case(value)) {
            let at = from + open + at;
            assigned(text, at, at + name.len(), bare, reach.min(REACH), values);
            values.retain(|(.., end, _)| *end < start);
            return;
        }
    }
}

/// Collects the value on the line above its name in an item of YAML: `- value: …` above `name: DB_PASSWORD`.
fn item_before(text: &[u8], start: usize, bare: Bare, reach: usize, values: &mut Values) {
    let line = line_start(text, start);
    let Some(above) = line.checked_sub(1).map(|end| line_start(text, end)) else { return };
    let head = text[above..line].trim_ascii_start();
    let head = head.strip_prefix(b"+").unwrap_or(head).trim_ascii_start();
    let own = text[line..start].trim_ascii_start();
    let own = own.strip_prefix(b"+").unwrap_or(own).trim_ascii_start();
    let is_name = [&b"name: "[..], b"key: ", b"name: \"", b"name: '"].contains(&own);
    if let Some(rest) = head.strip_prefix(b"- value:").filter(|_| is_name) {
        let at = rest.as_ptr() as usize - text.as_ptr() as usize - 6;
        assigned(text, at, at + 5, bare, reach.min(REACH), values);
        values.retain(|(.., end, _)| *end < line);
    }
}

/// Returns the words of letters of a text, with their places.
fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_value_before_its_name_is_read() {
        check(
            "beans.xml",
            &[
                "<property value=\"⟦Bohne-Kaffee7⟧\" name=\"password\"/>",
                "<add value=\"x\" key=\"name\"/><add key=\"DbPassword\" value=\"⟦Bohne-Kaffee7⟧\"/>",
                "<add value=\"Bohne-Kaffee7\" key=\"user\"/><add key=\"DbPassword\"/>",
            ],
        );
        check("a.sql", &["UPDATE settings SET value='⟦Tief-See-4⟧' WHERE name='smtp_password';"]);
        check("a.pl", &["$ENV{PGPASSWORD} = '⟦Tief-See⟧';"]);
        check("c.xml", &["<ClearTextPassword value=\"⟦Bohne-Kaffee⟧\"/>"]);
        check("a.json", &["{\"value\": \"⟦Bohne-Kaffee7⟧\", \"name\": \"DB_PASSWORD\"}"]);
        check(
            "a.jmx",
            &[
                "<stringProp name=\"HTTPSampler.password\">⟦Bohne⟧</stringProp>",
                "<elementProp name=\"password\" elementType=\"HTTPArgument\">\n<boolProp name=\"x\">false</boolProp>\n<stringProp name=\"Argument.value\">⟦Bohne⟧</stringProp>",
                "<stringProp name=\"Argument.name\">password</stringProp>\n<stringProp name=\"Argument.value\">⟦Bohne⟧</stringProp>",
                "<stringProp name=\"Argument.name\">title</stringProp>\n<stringProp name=\"Argument.value\">Bohne</stringProp>",
            ],
        );
        check("web.xml", &["<param-name>password</param-name>\n<param-value>⟦Bohne⟧</param-value>"]);
        check("a.yaml", &["env:\n  - value: ⟦Bohne-Kaffee7⟧\n    name: DB_PASSWORD\n"]);
    }
}
