//! Compares the lines of a replacement in a diff: a value in the place of a reference to a secret is that secret. A change that takes a password
//! out of code has it on its removed lines, and nothing else there may name it: `connect("root", "…")`, then `connect("root", env["DB_PASSWORD"])`.
//!
//! In: the removed and the added lines of a replacement. Out: short texts, each an assignment of the value to the name of the reference, which
//! are searched beside the diff.

use super::containers::Range;
use super::key_words::split;
use super::replaced::Replaced;
use super::words::{WORDS, Worth};
use super::wrappers::fetches;

/// The maximum length of a line and of a reference in bytes.
const MAX_LINE: usize = 400;
const MAX_REFERENCE: usize = 120;
/// The maximum number of blanks in a reference: `{{ lookup('env', 'PASSWORD') }}`.
const MAX_BLANKS: usize = 4;
/// The first words of functions that return a secret.
const GETTERS: &[&str] = &["env", "fetch", "find", "get", "load", "lookup", "read", "require", "resolve"];
/// The beginnings of references in strings and in unquoted text.
const INSERTED: &[&[u8]] = &[b"$", b"{{", b"#{", b"@{", b"%("];

/// Adds the values that replace references, and those that references replace.
pub(super) fn find(text: &[u8], removed: &[Range], added: &[Range], found: &mut Vec<Replaced>) {
    // Further lines are above or below those that belong together.
    let is_even = removed.len() == added.len();
    let from_end = removed.iter().rev().zip(added.iter().rev()).filter(|_| !is_even);
    for (old, new) in removed.iter().zip(added).chain(from_end) {
        for (value, reference) in [(*old, *new), (*new, *old)] {
            found.extend(exchange(text, value, reference));
        }
    }
}

/// Returns the value of one line to which the other line refers at the same place.
fn exchange(text: &[u8], value: Range, reference: Range) -> Option<Replaced> {
    let (line, other) = (&text[value.0..value.1], &text[reference.0..reference.1]);
    // The value is a string, or what replaces it is a reference in unquoted text. Most lines have neither.
    let may_have_both =
        memchr::memchr3(b'"', b'\'', b'`', line).is_some() || memchr::memchr3(b'$', b'{', b'%', other).is_some();
    if line.len().max(other.len()) > MAX_LINE || !may_have_both {
        return None;
    }
    let (prefix, suffix) = common(line, other);
    let (value, reference) = (&line[prefix..line.len() - suffix], &other[prefix..other.len() - suffix]);
    let quote = |byte: Option<&u8>| byte.filter(|byte| b"\"'`".contains(byte)).copied();
    let around = quote(line[..prefix].last()).filter(|open| line[line.len() - suffix..].first() == Some(open));
    let is_inserted = INSERTED.iter().any(|begin| reference.starts_with(begin));
    let is_string = match around {
        Some(quote) => is_inserted && !value.contains(&quote),
        // An apostrophe is not a quote: `don't`.
        None => value.iter().enumerate().any(|(at, byte)| {
            quote(Some(byte)).is_some() && !(*byte == b'\'' && at > 0 && value[at - 1].is_ascii_alphabetic())
        }),
    };
    let is_word = || is_inserted && around.is_none() && value.iter().all(u8::is_ascii_graphic);
    // A part of a template is a reference itself.
    let is_in_template = INSERTED.iter().any(|begin| line[..prefix].trim_ascii_end().ends_with(begin));
    // Lines that have nothing else in common are two different statements.
    let is_alone = !line[..prefix].iter().any(u8::is_ascii_alphanumeric) && quote(value.first()).is_none();
    if value.is_empty() || is_in_template || is_alone || !is_string && !is_word() {
        return None;
    }
    let name = name(reference).filter(|_| !is_mail_address(value))?;
    let quotes = usize::from(around.is_some());
    let (from, to) = (prefix - quotes, line.len() - suffix + quotes);
    let key = [name, if is_string { b" = " } else { b"=" }].concat();
    let start = line.as_ptr() as usize - text.as_ptr() as usize + from;
    Some(Replaced { above: key.len(), text: [&key, &line[from..to]].concat(), start })
}

/// Returns whether a string is a mail address, which a call can have in the place of an account.
fn is_mail_address(value: &[u8]) -> bool {
    let text = value.trim_ascii();
    let text = text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text);
    let Some(at) = memchr::memchr(b'@', text) else { return false };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
    let domain = text[at + 1..].iter().take_while(|byte| is_name(byte)).count();
    let domain = &text[at + 1..at + 1 + domain];
    at > 0 && text[..at].iter().all(is_name) && domain.contains(&b'.') && text.len() <= at + domain.len() + 2
}

/// Returns the lengths of the parts that two lines have in common, without parts of words.
fn common(one: &[u8], other: &[u8]) -> (usize, usize) {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut prefix = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    while prefix > 0 && is_word(one.get(prefix - 1)) && (is_word(one.get(prefix)) || is_word(other.get(prefix))) {
        prefix -= 1;
    }
    let rest = one.len().min(other.len()) - prefix;
    let ends = one.iter().rev().zip(other.iter().rev()).take(rest);
    let mut suffix = ends.take_while(|(one, other)| one == other).count();
    let before = |line: &[u8], suffix: usize| is_word(line[..line.len() - suffix].last());
    while suffix > 0 && is_word(one.get(one.len() - suffix)) && (before(one, suffix) || before(other, suffix)) {
        suffix -= 1;
    }
    (prefix, suffix)
}

/// Returns the name of the secret to which an expression refers.
fn name(reference: &[u8]) -> Option<&[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:()[]{}<>$\"'-?!,@%&# ".contains(byte);
    let blanks = reference.iter().filter(|byte| **byte == b' ').count();
    if reference.len() > MAX_REFERENCE || blanks > MAX_BLANKS || !reference.iter().all(is_part) {
        return None;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let words = || reference.split(|byte| !is_name(byte)).filter(|word| word.len() > 1);
    // A sentence is no reference.
    if blanks > 0 && !reference.iter().any(|byte| b"([{$".contains(byte)) {
        return None;
    }
    // A variant of a type is a name of something else: `AuthType.Password`.
    let is_type =
        |word: &[u8]| word.first().is_some_and(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_lowercase);
    let is_variant = words().count() > 1 && words().all(is_type) && !reference.contains(&b'(');
    let keeps_secrets = |word: &[u8]| fetches(word) || WORDS.worth(word) != Worth::None;
    if is_variant && !words().rev().skip(1).any(keeps_secrets) {
        return None;
    }
    // `hashPassword(…)` makes something else of it.
    let is_called = |word: &[u8]| {
        let end = word.as_ptr() as usize - reference.as_ptr() as usize + word.len();
        let parts = split(word);
        let is_getter = parts.len() == 1 || parts.iter().next().is_some_and(|first| GETTERS.contains(&first));
        reference.get(end) == Some(&b'(') && !is_getter
    };
    let last = |worth: Worth| words().rfind(|word| WORDS.worth(word) == worth && !is_called(word));
    last(Worth::Secret).or_else(|| last(Worth::Weak))
}

#[cfg(test)]
mod tests {
    use crate::replaced::tests::masked;

    #[test]
    fn values_in_the_place_of_references_are_masked() {
        let cases: &[(&str, &[&str])] = &[
            ("Main.java", &["-    System.getenv(\"KITA_PW\"));", "+    \"hunter2\");"]),
            (
                "main.py",
                &["-db = connect(\"root\", \"hunter2\")", "+db = connect(\"root\", os.environ[\"DB_PASSWORD\"])"],
            ),
            ("Form1.vb", &["-  If s = My.Settings.ServicePw Then", "+  If s = \"hunter2\" Then"]),
            ("Score.cs", &["-  Sign(score, Secrets.BoardPassword);", "+  Sign(score, \"hunter2\");"]),
            ("a.js", &["-login('eva', `hunter2`);", "+login('eva', password);"]),
            ("a.sh", &["-login eva \"$DB_PASSWORD\"", "+login eva \"hunter2\""]),
            ("a.sh", &["-login eva hunter2", "+login eva $DB_PASSWORD"]),
            ("a.rs", &["-  open(String::from(\"hunter2\"))", "+  // comment", "+  open(env::var(\"DB_PASSWORD\")?)"]),
        ];
        for (path, lines) in cases {
            let found = masked(path, lines);
            assert!(found.contains("REDACTED") && !found.contains("hunter2"), "{path}: {found}");
        }
    }

    #[test]
    fn other_replaced_values_stay_readable() {
        let cases: &[(&str, &[&str])] = &[
            ("a.ts", &["-  type: AuthType.Password,", "+  type: \"basic\","]),
            ("a.ts", &["-  title: t('settings.title'),", "+  title: \"hunter2\","]),
            ("a.py", &["-@tokens.replaced(PASSWORD)", "+@freeze(\"hunter2\")"]),
            ("a.ts", &["-  label: texts.passwordLabel,", "+  label: \"Enter it\","]),
            ("a.ts", &["-  return hashPassword(input);", "+  return \"unchanged\";"]),
            ("a.ts", &["-  connect(\"DB_PASSWORD\");", "+  connect(process.env.DB_PASSWORD);"]),
            ("a.go", &["-  open(t, \"eva@host.example\")", "+  open(t, credentials)"]),
            ("a.md", &["-Send the password to us.", "+Send \"nothing\" to us."]),
            ("a.yml", &["-  # uses the read-only token APP_TOKEN. We don't push", "+  # uses the read-only APP_TOKEN"]),
            ("a.sh", &["-login eva $DB_PASSWORD", "+login eva $DB_PASS"]),
            (
                "a.yml",
                &["-token: \"{{ vault_token }}\"", "+token: \"{{ lookup('hashi_vault', 'secret/data/api:7') }}\""],
            ),
        ];
        for (path, lines) in cases {
            let found = masked(path, lines);
            assert!(!found.contains("REDACTED"), "{path}: {found}");
        }
    }
}
