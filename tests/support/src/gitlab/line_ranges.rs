//! `line_range` of a position: the conversion of its parameters, and the JSON schema (fact sheet, §16).

use axum::response::Response;
use serde_json::{Map, Value};

use super::reply;
use super::server_version::ServerVersion;

/// Converts the parameters to their declared types. `lines_are_text` says whether `old_line` and `new_line` are declared as text.
pub(super) fn convert(range: &Value, lines_are_text: bool) -> Result<Value, Response> {
    let invalid = |name: &str| reply::error(400, &format!("position[line_range]{name} is invalid"));
    let Value::Object(range) = range else { return Err(invalid("")) };
    let mut converted = Map::new();
    for (side, end) in range {
        let Value::Object(end) = end else {
            // Unknown parameters and null are not converted.
            if ["start", "end"].contains(&side.as_str()) && !end.is_null() {
                return Err(invalid(&format!("[{side}]")));
            }
            converted.insert(side.clone(), end.clone());
            continue;
        };
        let mut fields = Map::new();
        for (name, value) in end {
            let value = match (name.as_str(), value) {
                ("old_line" | "new_line", Value::Number(number)) if lines_are_text => Value::String(number.to_string()),
                ("line_code" | "type", Value::Number(number)) => Value::String(number.to_string()),
                ("old_line" | "new_line", Value::String(text)) if !lines_are_text => match text.parse::<i64>() {
                    Ok(number) => Value::from(number),
                    Err(_) if text.is_empty() => Value::Null,
                    Err(_) => return Err(invalid(&format!("[{side}][{name}]"))),
                },
                ("line_code" | "type" | "old_line" | "new_line", Value::Object(_) | Value::Array(_)) => {
                    return Err(invalid(&format!("[{side}][{name}]")));
                }
                _ => value.clone(),
            };
            fields.insert(name.clone(), value);
        }
        converted.insert(side.clone(), Value::Object(fields));
    }
    Ok(Value::Object(converted))
}

/// Returns whether a converted range is valid in a version.
pub(super) fn is_valid(range: &Value, version: ServerVersion) -> bool {
    let short_text = |value: &Value| value.as_str().is_some_and(|text| text.chars().count() <= 100);
    let field = |(name, value): (&String, &Value)| match name.as_str() {
        "line_code" => short_text(value),
        "type" => short_text(value) || value.is_null() && version.has_lines_in_ranges(),
        "old_line" | "new_line" => version.has_lines_in_ranges() && (value.is_i64() || value.is_null()),
        _ => false,
    };
    let end = |(name, value): (&String, &Value)| {
        ["start", "end"].contains(&name.as_str()) && value.as_object().is_some_and(|end| end.iter().all(field))
    };
    range.as_object().is_some_and(|range| range.iter().all(end))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ServerVersion, convert, is_valid};

    /// Returns the versions that take `range` as both ends of a range, first in a discussion, then in a draft.
    fn taken(end: &Value) -> (Vec<String>, Vec<String>) {
        let range = json!({ "start": end, "end": end });
        let takes = |version: &ServerVersion, text: bool| is_valid(&convert(&range, text).unwrap(), *version);
        let names = |draft: bool| {
            let tested = ServerVersion::TESTED.iter();
            let taking = tested.filter(|version| takes(version, draft && !version.has_lines_in_draft_ranges()));
            taking.map(ToString::to_string).collect()
        };
        (names(false), names(true))
    }

    #[test]
    fn each_version_takes_its_own_fields() {
        let all = ["15.0", "16.0", "17.7", "18.5", "18.6", "19.2"];
        let check = |end: Value, discussions: &[&str], drafts: &[&str]| {
            let (of_discussions, of_drafts) = taken(&end);
            assert_eq!(
                (of_discussions.as_slice(), of_drafts.as_slice()),
                (&*owned(discussions), &*owned(drafts)),
                "{end}"
            );
        };
        check(json!({ "line_code": "a_1_1", "type": "new" }), &all, &all);
        check(json!({ "line_code": "a_1_1" }), &all, &all);
        check(json!({ "line_code": "a_1_1", "type": null }), &all[3..], &all[3..]);
        check(json!({ "line_code": "a_1_1", "type": "new", "new_line": 1 }), &all[3..], &all[4..]);
        check(json!({ "line_code": "a_1_1", "type": "new", "old_line": null, "new_line": 1 }), &all[3..], &all[4..]);
        check(json!({ "line_code": "a_1_1", "type": "new", "new_line": "1" }), &all[3..], &all[4..]);
        check(json!({ "line_code": null, "type": "new" }), &[], &[]);
        check(json!({ "line_code": "a_1_1", "side": "new" }), &[], &[]);
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn other_types_are_refused_before_the_schema() {
        assert!(convert(&json!([1]), false).is_err());
        assert!(convert(&json!({ "start": 1 }), false).is_err());
        assert!(convert(&json!({ "start": { "old_line": "one" } }), false).is_err());
        assert!(convert(&json!({ "start": { "old_line": "one" } }), true).is_ok());
        assert!(!is_valid(&json!({ "start": null }), ServerVersion::NEWEST));
        assert!(!is_valid(&json!({ "middle": {} }), ServerVersion::NEWEST));
    }
}
