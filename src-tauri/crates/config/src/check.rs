//! Validates settings against the schema. Unknown keys, wrong types and values out of range are reported with their key and the
//! allowed values.
//!
//! In: the table of one layer (partial, except for list entries). Out: nothing, or the first error with its path.

use std::sync::LazyLock;

use serde_json::Value as Json;
use toml::{Table, Value};

static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    let committed = include_str!("../../../../config/schema/config.json");
    #[allow(clippy::expect_used, reason = "a test generates the file")]
    serde_json::from_str(committed).expect("committed JSON")
});

/// The maximum length of a wrong value in a message, in characters.
const TOLD: usize = 60;

/// Returns the JSON Schema of the settings.
pub fn schema() -> &'static Json {
    &SCHEMA
}

/// An error with its path: the keys from the top, where `[2]` is an entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) path: Vec<String>,
    pub(super) message: String,
}

/// Returns the schema of a key, with references resolved, or `None` if the key does not exist.
pub fn schema_of(path: &[String]) -> Option<&'static Json> {
    path.iter().try_fold(follow(&SCHEMA), |node, key| {
        let known = node.get("properties").and_then(|properties| properties.get(key));
        known.or_else(|| node.get("additionalProperties").filter(|each| each.is_object())).map(follow)
    })
}

/// Formats a key as it is written: `agents."my.model".url`.
pub fn key_name(path: &[String]) -> String {
    let mut name = String::new();
    for key in path {
        if key.starts_with('[') {
            name += key;
            continue;
        }
        if !name.is_empty() {
            name.push('.');
        }
        let bare = !key.is_empty() && key.chars().all(|char| char.is_ascii_alphanumeric() || "-_".contains(char));
        if bare { name += key } else { name += &format!("{key:?}") }
    }
    name
}

/// Parses a written key into its parts. Returns `None` if it is not a valid key.
pub fn key_path(text: &str) -> Option<Vec<String>> {
    let mut table =
        format!("{text} = 0").parse::<Table>().ok().filter(|table| table.len() == 1 && !text.contains('\n'))?;
    let mut path = Vec::new();
    loop {
        let (key, value) = std::mem::take(&mut table).into_iter().next()?;
        path.push(key);
        match value {
            Value::Table(inner) => table = inner,
            _ => return Some(path),
        }
    }
}

/// Validates a table.
pub(super) fn check(table: &Table) -> Result<(), Fault> {
    check_table(table, follow(&SCHEMA), &mut Vec::new(), false)
}

fn check_table(table: &Table, node: &Json, path: &mut Vec<String>, whole: bool) -> Result<(), Fault> {
    let properties = node.get("properties").and_then(Json::as_object);
    let each = node.get("additionalProperties").filter(|each| each.is_object());
    for (key, value) in table {
        path.push(key.clone());
        match (properties.and_then(|known| known.get(key)).or(each), properties) {
            (Some(child), _) => check_value(value, follow(child), path, whole)?,
            (None, Some(known)) if node.get("additionalProperties") != Some(&Json::Bool(true)) => {
                return Err(unknown(path, known.keys()));
            }
            (None, _) => {}
        }
        path.pop();
    }
    let missing = node.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    match missing.filter(|_| whole).find(|key| !table.contains_key(*key)) {
        Some(key) => Err(fault(path, format!("`{}` has no `{key}`", key_name(path)))),
        None => Ok(()),
    }
}

fn check_value(value: &Value, node: &Json, path: &mut Vec<String>, whole: bool) -> Result<(), Fault> {
    if let Some(options) = node.get("anyOf").and_then(Json::as_array) {
        // Use the alternative that the type of the value matches. If none matches, the message lists all.
        let mut alike = options.iter().map(follow).filter(|option| is_kind(value, option)).peekable();
        if alike.peek().is_none() {
            return Err(wrong(value, node, path));
        }
        let before = path.len();
        let mut last = Ok(());
        for option in alike {
            path.truncate(before);
            last = check_value(value, option, path, whole);
            if last.is_ok() {
                return last;
            }
        }
        return last;
    }
    if !is_kind(value, node) || !in_range(value, node) {
        return Err(wrong(value, node, path));
    }
    match value {
        Value::Table(table) => check_table(table, node, path, whole),
        Value::Array(values) => {
            let Some(items) = node.get("items").map(follow) else { return Ok(()) };
            for (index, value) in values.iter().enumerate() {
                path.push(format!("[{index}]"));
                check_value(value, items, path, true)?;
                path.pop();
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_kind(value: &Value, node: &Json) -> bool {
    let kinds: Vec<&str> = match node.get("type") {
        Some(Json::String(kind)) => vec![kind],
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect(),
        _ if node.get("oneOf").is_some() || node.get("enum").is_some() => vec!["string"],
        _ => return true,
    };
    kinds.into_iter().any(|kind| match kind {
        "string" => value.is_str(),
        "integer" => value.is_integer(),
        "number" => value.is_integer() || value.is_float(),
        "boolean" => value.is_bool(),
        "array" => value.is_array(),
        "object" => value.is_table(),
        _ => false,
    })
}

fn in_range(value: &Value, node: &Json) -> bool {
    match value {
        Value::Integer(number) => {
            let (least, most) = range(node);
            least.is_none_or(|least| *number >= least) && most.is_none_or(|most| *number <= most)
        }
        Value::String(text) => choices(node).is_none_or(|choices| choices.contains(&text.as_str())),
        _ => true,
    }
}

pub(super) fn range(node: &Json) -> (Option<i64>, Option<i64>) {
    let bound =
        |name: &str| node.get(name).and_then(|bound| bound.as_i64().or(bound.as_f64().map(|bound| bound as i64)));
    let format = node.get("format").and_then(Json::as_str);
    let most = bound("maximum").or_else(|| (format == Some("uint32")).then_some(i64::from(u32::MAX)));
    (bound("minimum"), most)
}

/// Returns the allowed values of a choice.
pub(super) fn choices(node: &Json) -> Option<Vec<&str>> {
    if let Some(names) = node.get("enum").and_then(Json::as_array) {
        return Some(names.iter().filter_map(Json::as_str).collect());
    }
    let options = node.get("oneOf").and_then(Json::as_array)?;
    let names = options.iter().flat_map(|option| {
        let one = option.get("const").and_then(Json::as_str);
        let several = option.get("enum").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        one.into_iter().chain(several)
    });
    Some(names.collect())
}

/// Returns the keys of all sections, with their section.
pub(super) fn keys() -> impl Iterator<Item = (&'static String, &'static String)> {
    let sections = SCHEMA.get("properties").and_then(Json::as_object).into_iter().flatten();
    sections.flat_map(|(section, node)| {
        let inner = follow(node).get("properties").and_then(Json::as_object);
        inner.into_iter().flatten().map(move |(key, _)| (section, key))
    })
}

/// Returns the most similar keys of other sections, because a section header is easily forgotten.
fn elsewhere(key: &str) -> Option<String> {
    let alike = |name: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &key.to_lowercase());
    let mut near: Vec<_> = keys().map(|(section, name)| (alike(name), section, name)).collect();
    let least = near.iter().map(|(distance, ..)| *distance).min()?;
    near.retain(|(distance, _, name)| *distance == least && (least == 0 || (least <= 2 && name.len() > 4)));
    let names: Vec<String> = near.iter().map(|(_, section, name)| format!("{section}.{name}")).collect();
    Some(names.join("` or `")).filter(|names| !names.is_empty())
}

fn unknown<'a>(path: &[String], known: impl Iterator<Item = &'a String>) -> Fault {
    let known: Vec<&String> = known.collect();
    let (key, before) = path.split_last().map_or(("", path), |(key, before)| (key.as_str(), before));
    let whole = |name: &str| key_name(&[before, &[name.to_owned()]].concat());
    let suggestion = nearest(key, known.iter().map(|name| name.as_str())).map(whole);
    let message = match suggestion.or_else(|| elsewhere(key)) {
        Some(name) => format!("unknown key `{}`; did you mean `{name}`?", key_name(path)),
        None => {
            let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
            format!("unknown key `{}`; the keys of this section are: {}", key_name(path), known.join(", "))
        }
    };
    fault(path, message)
}

/// Returns the most similar name.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let alike = |name: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &word.to_lowercase());
    let found = known.map(|name| (alike(name), name)).min();
    found
        .filter(|(distance, name)| *distance <= if name.len() <= 4 { 1 } else { 2.max(name.len() / 3) })
        .map(|(_, name)| name)
}

fn wrong(value: &Value, node: &Json, path: &[String]) -> Fault {
    let suggestion = match (value, choices(node)) {
        (Value::String(text), Some(choices)) => nearest(text, choices.into_iter()),
        _ => None,
    };
    let hint = suggestion.map(|name| format!("; did you mean \"{name}\"?")).unwrap_or_default();
    fault(path, format!("`{}` must be {}, not {}{hint}", key_name(path), allowed(node), type_and_value(value)))
}

fn fault(path: &[String], message: String) -> Fault {
    Fault { path: path.to_vec(), message }
}

/// Describes the allowed values.
fn allowed(node: &Json) -> String {
    if let Some(choices) = choices(node) {
        let names: Vec<String> = choices.iter().map(|name| format!("\"{name}\"")).collect();
        return format!("one of {}", names.join(", "));
    }
    if let Some(options) = node.get("anyOf").and_then(Json::as_array) {
        let words: Vec<String> = options.iter().map(follow).filter(|option| !is_null(option)).map(allowed).collect();
        return words.join(" or ");
    }
    let kind = match node.get("type") {
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Json::as_str),
    };
    match kind {
        Some("string") => "text in quotes".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => match range(node) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number of {least} or more"),
            (None, Some(most)) => format!("a whole number of at most {most}"),
            (None, None) => "a whole number".to_owned(),
        },
        Some("number") => "a number".to_owned(),
        Some("array") => match node.get("items").map(follow).map(allowed) {
            Some(items) if items == "text in quotes" => "a list of texts in quotes".to_owned(),
            _ => "a list".to_owned(),
        },
        Some("object") => "a table".to_owned(),
        _ => "another type".to_owned(),
    }
}

fn is_null(node: &&Json) -> bool {
    node.get("type").and_then(Json::as_str) == Some("null")
}

fn type_and_value(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Datetime(_) => "a date".to_owned(),
        value => {
            let text = value.to_string();
            let short: String = text.chars().take(TOLD).collect();
            if short.len() < text.len() { short + "…" } else { short }
        }
    }
}

pub(super) fn follow(node: &Json) -> &Json {
    let reference = node.get("$ref").and_then(Json::as_str);
    reference.and_then(|reference| SCHEMA.pointer(reference.trim_start_matches('#'))).unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> String {
        check(&text.parse().expect("TOML")).map_or_else(|fault| fault.message, |()| "fine".to_owned())
    }

    #[test]
    fn unknown_keys_are_reported_with_a_suggestion_at_every_level() {
        for (text, expected) in [
            ("limit.max_files = 1", "unknown key `limit`; did you mean `limits`?"),
            ("limits.Max_Files = 1", "unknown key `limits.Max_Files`; did you mean `limits.max_files`?"),
            ("agents.mine.progams = []", "unknown key `agents.mine.progams`; did you mean `agents.mine.programs`?"),
            (
                "agents.mine.chat.speeks = 'acp'",
                "unknown key `agents.mine.chat.speeks`; did you mean `agents.mine.chat.speaks`?",
            ),
            (
                "agents.\"a.b\".read = [{ answr = ['x'] }]",
                "unknown key `agents.\"a.b\".read[0].answr`; did you mean `agents.\"a.b\".read[0].answer`?",
            ),
            ("max_files = 3", "unknown key `max_files`; did you mean `limits.max_files` or `capability.max_files`?"),
            ("max_diff_char = 3", "unknown key `max_diff_char`; did you mean `limits.max_diff_chars`?"),
            ("limits.verbosity = 'low'", "unknown key `limits.verbosity`; did you mean `prompt.verbosity`?"),
            (
                "skip.nonsense = 1",
                "unknown key `skip.nonsense`; the keys of this section are: skip_on_auto_merge, skip_on_same_fingerprint",
            ),
            (
                "redaction.extra_patterns = [{ name = 'n', pattrn = 'p' }]",
                "unknown key `redaction.extra_patterns[0].pattrn`; did you mean `redaction.extra_patterns[0].pattern`?",
            ),
        ] {
            assert_eq!(checked(text), expected, "{text}");
        }
    }

    #[test]
    fn wrong_values_are_reported_with_the_allowed_ones() {
        for (text, expected) in [
            ("limits.max_files = 'x'", "`limits.max_files` must be a whole number from 0 to 4294967295, not \"x\""),
            ("limits.max_files = -1", "`limits.max_files` must be a whole number from 0 to 4294967295, not -1"),
            ("limits = 3", "`limits` must be a table, not 3"),
            (
                "agent.room = 'redact'",
                "`agent.room` must be one of \"redacted\", \"diff-only\", \"repository\", not \"redact\"; did you mean \"redacted\"?",
            ),
            (
                "prompt.verbosity = 'loud'",
                "`prompt.verbosity` must be one of \"low\", \"medium\", \"high\", not \"loud\"",
            ),
            ("agent.user_config = 'yes'", "`agent.user_config` must be true or false, not \"yes\""),
            ("prepare.ignore_globs = 'a'", "`prepare.ignore_globs` must be a list of texts in quotes, not \"a\""),
            ("prepare.ignore_globs = ['a', 1]", "`prepare.ignore_globs[1]` must be text in quotes, not 1"),
            ("agents.x.args = [[1]]", "`agents.x.args[0][0]` must be text in quotes, not 1"),
            ("redaction.extra_patterns = [{ name = 'n' }]", "`redaction.extra_patterns[0]` has no `pattern`"),
            (
                "agent.start_timeout_seconds = 0",
                "`agent.start_timeout_seconds` must be a whole number from 1 to 86400, not 0",
            ),
            ("agents.x.command_flags = [{ names = ['-m'] }]", "fine"),
            ("agents.x.read = [{ when = { type = 'result', n = 1 } }]", "fine"),
        ] {
            assert_eq!(checked(text), expected, "{text}");
        }
    }

    #[test]
    fn the_built_in_settings_are_valid() {
        for text in [super::super::DEFAULTS, super::super::AGENTS] {
            assert_eq!(checked(text), "fine");
        }
    }

    #[test]
    fn keys_are_written_and_read_back() {
        for key in ["limits.max_files", "agents.\"my.model\".url", "agents.x.set.A-B_c"] {
            assert_eq!(key_name(&key_path(key).expect("a key")), key);
        }
        for bad in ["", "a b", "a = 1\nb", "a.", "a = {}, b"] {
            assert_eq!(key_path(bad), None, "{bad}");
        }
    }
}
