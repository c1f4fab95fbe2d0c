//! Finds the secrets of several users or services behind one key: `passwords = {"ida": "…"}`, `passwords:` above lines of YAML, `[passwords]`
//! above lines of settings; and the items of lists of keys.
//!
//! In: a text and the range of such a key. Out: the ranges of values. At most [`MAX_BYTES`] are read behind a key.

use super::calls::is_chosen_word;
use super::code::is_reference;
use super::cursor::line_start;
use super::key_words::split;
use super::phrase::is_chosen_name;
use super::programs::is_harmless_field;
use super::values::{Bare, is_placeholder, is_prose, is_uuid, looks_random};
use super::words::{WORDS, Worth};

/// The maximum number of bytes of a container.
const MAX_BYTES: usize = 4096;
/// The maximum number of bytes between a key and the bracket of its container: a type and a sign.
const MAX_TYPE_BYTES: usize = 64;
/// The length of the shortest password in bytes.
const SHORTEST: usize = 6;

/// The ends of the names of calls that make a list, in lower case.
const LISTS: &[&[u8]] = &[b"of", b"list", b"array", b"set", b"seq", b"vector", b"tuple", b"vec!"];
/// The maximum number of items of a list that are read.
const MAX_ITEMS: usize = 40;
/// The maximum length of the call behind a string that converts it.
const MAX_CONVERSION: usize = 24;

pub(super) type Range = (usize, usize);

/// Returns the strings of the list behind a key: `apiKeys = ["…", "…"]`, `unsealKeys := []string{…}`, `API_KEYS = %w[… …]`.
fn items(text: &[u8], end: usize) -> Vec<Range> {
    let text = &text[..text.len().min(end + MAX_BYTES)];
    let mut found = Vec::new();
    let Some(mut at) = list_opening(text, end) else { return found };
    if text[..at].ends_with(b"%w[") || text[..at].ends_with(b"%w(") {
        let length = text[at..].iter().take_while(|byte| !b"])".contains(byte)).count();
        let words = text[at..at + length].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let place = |word: &[u8]| word.as_ptr() as usize - text.as_ptr() as usize;
        return words.take(MAX_ITEMS).map(|word| (place(word), place(word) + word.len())).collect();
    }
    while found.len() < MAX_ITEMS {
        at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
        let rest = &text[at..];
        if rest.starts_with(b"//") || rest.starts_with(b"#") {
            let Some(line) = memchr::memchr(b'\n', rest) else { break };
            at += line;
            continue;
        }
        let prefix = rest.iter().take(2).take_while(|byte| b"bruBRU@&".contains(byte)).count();
        let Some(item) = quoted(text, at + prefix) else { break };
        found.push(item);
        at = item.1 + 1;
        if text.get(at) == Some(&b'.') {
            let is_call = |byte: &&u8| byte.is_ascii_alphabetic() || b"._()".contains(byte);
            at += text[at..].iter().take(MAX_CONVERSION).take_while(is_call).count();
        }
    }
    found
}

/// Returns the random items of the list behind a key that names several secrets.
pub(super) fn listed(text: &[u8], (start, end): Range) -> Vec<Range> {
    let key = &text[start..end];
    let Some(one) = key.strip_suffix(b"s").or_else(|| key.strip_suffix(b"S")) else { return Vec::new() };
    if WORDS.worth(one) != Worth::Secret && !WORDS.names_a_container(key) {
        return Vec::new();
    }
    // The tokens of a chain have public addresses.
    let is_address = |value: &[u8]| split(key).len() == 1 && matches!(value.len(), 43 | 44) && is_base58(value);
    let is_secret =
        |value: &[u8]| looks_random(value) && !is_placeholder(value) && !is_reference(value) && !is_address(value);
    items(text, end).into_iter().filter(|(from, to)| is_secret(&text[*from..*to])).collect()
}

/// Returns whether a value consists of the digits of base 58.
fn is_base58(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_alphanumeric() && !b"0OIl".contains(byte))
}

/// Returns the place behind the bracket that opens the list of strings behind a key.
fn list_opening(text: &[u8], end: usize) -> Option<usize> {
    let rest = &text[end..text.len().min(end + MAX_TYPE_BYTES)];
    let (mut assigned, mut depth) = (false, 0);
    for (at, &byte) in rest.iter().enumerate() {
        let behind = &text[end + at + 1..];
        match byte {
            b'=' | b':' => assigned = true,
            b'[' | b'(' if assigned && rest[..at].ends_with(b"%w") => return Some(end + at + 1),
            b'(' if assigned && !makes_list(&rest[..at]) => return None,
            b'{' | b'[' | b'(' if assigned && begins_item(behind) => return Some(end + at + 1),
            b'[' => depth += 1,
            b']' => depth -= 1,
            // The length in a type of Rust: `[&str; 2]`.
            b';' if depth > 0 => {}
            _ if byte.is_ascii_alphanumeric() || b" \t\"'_<>,.()$*&!?%{".contains(&byte) => {}
            _ => return None,
        }
    }
    None
}

/// Returns whether a text ends with the name of a call that makes a list, or with no name.
fn makes_list(before: &[u8]) -> bool {
    let before = before.trim_ascii_end().to_ascii_lowercase();
    before.ends_with(b"=") || before.ends_with(b">") || LISTS.iter().any(|name| before.ends_with(name))
}

/// Returns whether a text begins with a string that is an item and not the name of an entry.
fn begins_item(rest: &[u8]) -> bool {
    let item = rest.trim_ascii_start();
    let prefix = item.iter().take(2).take_while(|byte| b"bruBRU@&".contains(byte)).count();
    item.get(prefix).is_some_and(|byte| b"\"'".contains(byte)) && !begins_entry(rest)
}

/// Returns the names and the values of the container behind a key.
pub(super) fn entries(text: &[u8], (start, end): Range, bare: Bare) -> Vec<(Range, Range)> {
    let stop = text.len().min(end + MAX_BYTES);
    match opening(text, start, end) {
        Some(open) => in_brackets(&text[..stop], open),
        None if bare == Bare::Code => pairs(&text[..stop], end),
        None => below(&text[..stop], start, end),
    }
}

/// Returns the secrets of the container behind a key, and its end.
pub(super) fn find(text: &[u8], (start, end): Range, bare: Bare) -> (Vec<Range>, usize) {
    let entries = entries(text, (start, end), bare);
    let key = &text[start..end];
    let singular = key.strip_suffix(b"s").or_else(|| key.strip_suffix(b"S")).unwrap_or(key);
    // `credentials` hold other things, too.
    let of_users =
        [&b"credential"[..], b"cred", b"login"].iter().any(|end| singular.to_ascii_lowercase().ends_with(end));
    let of_passwords = WORDS.names_a_password(singular);
    let read = entries.last().map_or(end, |(_, (_, to))| *to);
    let found = entries.into_iter().filter(|(name, value)| {
        let (name, value) = (&text[name.0..name.1], &text[value.0..value.1]);
        if of_users { is_of_user(name, value) } else { is_secret(name, value, of_passwords, bare) }
    });
    (found.map(|(_, value)| value).collect(), read)
}

/// Returns whether a value beside a name is the password of a user: `creds = {admin: "…"}`.
fn is_of_user(name: &[u8], value: &[u8]) -> bool {
    let is_user = name.iter().all(|byte| byte.is_ascii_lowercase() || b"@.".contains(byte)) && !is_harmless_field(name);
    is_user && (is_secret(name, value, true, Bare::Code) || is_chosen_word(value) && !is_placeholder(value))
}

/// Returns whether a value beside a name is a secret. A key that names a secret itself is judged elsewhere.
fn is_secret(name: &[u8], value: &[u8], of_passwords: bool, bare: Bare) -> bool {
    if WORDS.worth(name) != Worth::None
        || is_placeholder(value)
        || is_reference(value)
        || is_prose(value)
        || value.contains(&b' ')
        || is_uuid(value)
    {
        return false;
    }
    let made_up =
        value.len() >= SHORTEST && value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let chosen = bare == Bare::Plain && value.len() >= SHORTEST && value.iter().all(u8::is_ascii_graphic);
    looks_random(value) || of_passwords && (made_up || chosen || is_chosen_name(b"password", value))
}

/// Returns the place behind the bracket that opens the container of a key.
fn opening(text: &[u8], start: usize, end: usize) -> Option<usize> {
    let rest = &text[end..text.len().min(end + MAX_TYPE_BYTES)];
    let mut assigned = false;
    for (at, &byte) in rest.iter().enumerate() {
        match byte {
            b'=' | b':' => assigned = true,
            b'{' if assigned => return Some(end + at + 1),
            // A literal with its type: `BasicAuth(Accounts{"ida": "…"})`.
            b'{' if at == 0 && text[start].is_ascii_uppercase() && begins_entry(&text[end + 1..]) => {
                return Some(end + 1);
            }
            // `passwords = array(`, `mapOf(`; `[` of PHP.
            b'(' | b'[' if assigned && begins_entry(&text[end + at + 1..]) => return Some(end + at + 1),
            b'\n' => return None,
            b']' if text[..start].ends_with(b"[") && !assigned => return None,
            _ if byte.is_ascii_alphanumeric() || b" \t\"'_[]<>,.>()$*".contains(&byte) => {}
            _ => return None,
        }
    }
    None
}

/// Returns whether a name and a sign follow, and not the items of a list.
fn begins_entry(rest: &[u8]) -> bool {
    let (_, _, after) = match entry_name(rest, 0) {
        Some(found) => found,
        None => return false,
    };
    sign(rest, after).is_some()
}

/// Returns the names and passwords of a list of pairs: `[("tom", "…"), ("eva", "…")]`.
fn pairs(text: &[u8], start: usize) -> Vec<(Range, Range)> {
    let rest = &text[start..text.len().min(start + MAX_TYPE_BYTES)];
    let opens = rest.iter().position(|byte| b"[{(".contains(byte));
    let Some(open) = opens.filter(|open| rest[..*open].iter().any(|byte| b"=:".contains(byte))) else {
        return Vec::new();
    };
    let blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b',';
    let mut at = start + open + 1;
    let mut found = Vec::new();
    loop {
        at += text[at..].iter().take_while(blank).count();
        if !text.get(at).is_some_and(|byte| b"[{(".contains(byte)) {
            return found;
        }
        let Some(name) = quoted(text, at + 1) else { return found };
        let comma = name.1 + 1;
        let value = comma + text[comma..].iter().take_while(blank).count();
        let Some(value) = quoted(text, value).filter(|_| text.get(comma) == Some(&b',')) else { return found };
        if !text.get(value.1 + 1).is_some_and(|byte| b"]})".contains(byte)) {
            return found;
        }
        found.push((name, value));
        at = value.1 + 2;
    }
}

/// Reads the entries of a container up to its end.
fn in_brackets(text: &[u8], open: usize) -> Vec<(Range, Range)> {
    let mut entries = Vec::new();
    let mut at = open;
    loop {
        at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace() || b",+".contains(byte)).count();
        if text[at..].starts_with(b"//") || text[at..].starts_with(b"#") {
            let Some(line) = memchr::memchr(b'\n', &text[at..]) else { return entries };
            at += line;
            continue;
        }
        let Some((from, to, after)) = entry_name(text, at) else { return entries };
        let Some(value) = sign(text, after) else { return entries };
        let Some((begin, end)) = quoted(text, value) else { return entries };
        entries.push(((from, to), (begin, end)));
        at = end + 1;
    }
}

/// Returns the range of a name, between quotes or not, and the place behind it.
fn entry_name(text: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let at = at + text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if let Some((from, to)) = quoted(text, at) {
        return Some((from, to, to + 1));
    }
    let name =
        text[at..].iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.@:".contains(byte)).count();
    let name = if text[at..at + name].ends_with(b":") && name > 1 { name - 1 } else { name };
    (name > 0).then_some((at, at + name, at + name))
}

/// Returns the place behind the sign between a name and its value.
fn sign(text: &[u8], at: usize) -> Option<usize> {
    let blanks =
        |at: usize| at + text[at..].iter().take(32).take_while(|byte| **byte == b' ' || **byte == b'\t').count();
    let begun = blanks(at);
    let signs = [&b"=>"[..], b"->", b":", b"=", b"to "];
    let found = signs.iter().find(|sign| text[begun..].starts_with(sign))?;
    Some(blanks(begun + found.len()))
}

/// Returns the inside of the string at a place.
fn quoted(text: &[u8], at: usize) -> Option<Range> {
    let quote = *text.get(at).filter(|byte| b"\"'`".contains(byte))?;
    let rest = &text[at + 1..];
    let end = rest.iter().take(256).position(|byte| *byte == quote || *byte == b'\n')?;
    (rest[end] == quote).then_some((at + 1, at + 1 + end))
}

/// Reads the entries on the lines below a key: with a deeper indent (YAML), or behind a section (`[passwords]`).
fn below(text: &[u8], start: usize, end: usize) -> Vec<(Range, Range)> {
    let line = line_start(text, start);
    let head = text[line..start].strip_prefix(b"+").unwrap_or(&text[line..start]);
    let rest = memchr::memchr(b'\n', &text[end..]).map(|length| end + length);
    let Some(stop) = rest else { return Vec::new() };
    let is_section = head == b"[" && text[end..stop].trim_ascii() == b"]";
    let is_mapping = text[end..stop].trim_ascii() == b":" && head.iter().all(|byte| *byte == b' ');
    if !is_section && !is_mapping {
        return Vec::new();
    }
    let own = head.len();
    let mut entries = Vec::new();
    // The name above the items of a list.
    let mut list: Option<Range> = None;
    let mut at = stop + 1;
    for line in text[at.min(text.len())..].split(|byte| *byte == b'\n') {
        let body = line.strip_prefix(b"+").unwrap_or(line);
        let indent = body.iter().take_while(|byte| **byte == b' ').count();
        let content = body.trim_ascii();
        let begun = at;
        at += line.len() + 1;
        if content.is_empty() || content.starts_with(b"#") || content.starts_with(b";") {
            continue;
        }
        let name_at = begun + (line.len() - body.len()) + indent;
        if is_mapping && indent <= own || content.starts_with(b"[") {
            break;
        }
        if let Some(item) = content.strip_prefix(b"- ") {
            let Some(name) = list else { break };
            let start = name_at + content.len() - item.trim_ascii_start().len();
            entries.push((name, value_at(text, start, begun + line.len())));
            continue;
        }
        let Some((from, to, after)) = entry_name(text, name_at) else { break };
        let Some(value) = sign(text, after) else { break };
        let line_end = begun + line.len();
        if value >= line_end {
            list = Some((from, to));
            continue;
        }
        list = None;
        entries.push(((from, to), value_at(text, value, line_end)));
    }
    entries
}

/// Returns the range of the string or the word at a place.
fn value_at(text: &[u8], at: usize, line_end: usize) -> Range {
    quoted(text, at).unwrap_or_else(|| {
        let bare = text[at..line_end].trim_ascii_end();
        (at, at + bare.split(|byte| byte.is_ascii_whitespace()).next().map_or(0, <[u8]>::len))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_items_of_lists_of_keys_are_masked() {
        let (one, two) = ("NU9cyDHHaxCJBfHBCHWEaURrEdg55v5hobwRNNgh", "mJY+zz3J3BZQ2WqAyRrWBqgc24qp2P6oZdXwXf4H");
        check(
            "a.go",
            &[
                &format!("var unsealKeys = []string{{\n\t\"⟦{one}⟧\",\n\t\"⟦{two}⟧\",\n}}"),
                &format!("var cacheNames = []string{{\n\t\"{one}\",\n\t\"{two}\",\n}}"),
                "var apiTokens = []string{\n\t\"read-only\",\n\t\"staging\",\n}",
            ],
        );
        check("a.rs", &[&format!("const API_KEYS: [&str; 2] = [\"⟦{one}⟧\", \"⟦{two}⟧\"];")]);
        check("a.rb", &[&format!("API_KEYS = %w[⟦{one}⟧ ⟦{two}⟧].freeze")]);
        check("A.java", &[&format!("List<String> accessTokens = List.of(\"⟦{one}⟧\", // first\n  \"⟦{two}⟧\");")]);
        check("a.kt", &[&format!("val signingKeys = listOf(\n  \"⟦{one}⟧\",\n  \"⟦{two}⟧\",\n)")]);
        check("A.cs", &[&format!("string[] refreshTokens = new[] {{ \"⟦{one}⟧\", \"⟦{two}⟧\" }};")]);
        check(
            "a.py",
            &[
                &format!("API_KEYS = [\n    \"⟦{one}⟧\",\n    \"⟦{two}⟧\",\n]"),
                &format!("public_keys = [\"{one}\", \"{two}\"]"),
                "API_KEYS = [\"primary\", \"secondary\"]",
                "tokens = {\"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v\", \"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB\"}",
                "access_keys = [get(\"a\"), get(\"b\")]",
            ],
        );
    }

    #[test]
    fn the_passwords_of_several_users_are_masked() {
        check(
            "a.go",
            &[
                "var passwords = map[string]string{\n\t\"anna\":  \"⟦Hafenkran_1⟧\",\n\t\"bernd\": \"⟦leuchtturm99⟧\",\n}",
            ],
        );
        check(
            "a.py",
            &[
                "passwords = {\"anna\": \"⟦Tief-See-4⟧\", \"bernd\": \"⟦hochsee99⟧\"}",
                "tokens = {\"anna\": \"Tief-See-4\", \"KEYWORD\": \"keyword2\"}",
                "PASSWORDS = dict(ida=\"⟦Tief-See-4⟧\", udo=\"⟦hochsee99⟧\")",
                "creds = {\"admin\": \"⟦Tief-See-4⟧\"}",
                "credentials = {\"region\": \"eu-west-1\"}",
                "CREDS = [(\"lea\", \"⟦moosbeere⟧\"), (\"tom\", \"⟦Feder7ball⟧\")]",
                "names = [(\"lea\", \"moosbeere\"), (\"tom\", \"Feder7ball\")]",
                "passwords = {\"hint\": \"see the wiki\"}",
                "names = {\"anna\": \"Tief-See-4\"}",
            ],
        );
        check("a.kt", &["val passwords = mapOf(\"anna\" to \"⟦Hafenkran_1⟧\", \"bernd\" to \"⟦leuchtturm99⟧\")"]);
        check("a.php", &["$passwords = ['anna' => '⟦Hafenkran_1⟧', 'bernd' => '⟦leuchtturm99⟧'];"]);
        check("a.json", &["{\"passwords\": {\"anna\": \"⟦Hafenkran_1⟧\", \"bernd\": \"⟦leuchtturm99⟧\"}}"]);
        check(
            "a.yaml",
            &["passwords:\n  anna: ⟦Bohne-Kaffee7⟧\n  bernd: ⟦leuchtturm⟧\nnames:\n  anna: Bohne-Kaffee8\n"],
        );
        check("a.ini", &["[passwords]\nanna = ⟦Bohne-Kaffee7⟧\n[names]\nbernd = leuchtturm99\n"]);
    }
}
