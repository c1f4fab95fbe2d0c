//! Lists all settings with their metadata, for display and editing.
//!
//! In: the merged settings. Out: one entry for each key, in the order of the schema. Agents are listed by name.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::check::{self, follow, key_name};
use super::layers::json_of;
use super::{AGENTS, Config, DEFAULTS, Origin, Resolved};

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SettingKind {
    /// A boolean.
    Switch,
    /// An integer.
    Number {
        /// The minimum.
        least: Option<i64>,
        /// The maximum.
        most: Option<i64>,
    },
    /// A text.
    Text,
    /// One of a few texts, each with its description.
    Choice {
        /// The texts to choose from.
        options: Vec<SettingChoice>,
    },
    /// A list of texts.
    Texts,
    /// Another value, edited as TOML.
    Other,
}

/// One option of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingChoice {
    /// The value.
    pub value: String,
    /// The description; empty if the value explains itself.
    pub about: String,
}

/// A setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The description.
    pub about: String,
    /// The kind of the value.
    pub kind: SettingKind,
    /// The current value.
    pub value: Json,
    /// The default. `None` for an agent that is not built in.
    pub default: Option<Json>,
    /// The origin of the value. `None` if it is the default.
    pub origin: Option<Origin>,
    /// The value in the user's own file.
    pub own: Option<Json>,
}

/// Returns all settings.
pub fn entries(resolved: &Resolved) -> serde_json::Result<Vec<Entry>> {
    let config = serde_json::to_value(&resolved.config)?;
    let mut defaults: Map<String, Json> = Map::new();
    for text in [DEFAULTS, AGENTS] {
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        defaults.extend(table.iter().map(|(key, value)| (key.clone(), json_of(value))));
    }
    let defaults = whole(&Json::Object(defaults), &config);
    let mut found = Vec::new();
    collect(&config, Some(&defaults), check::schema(), &mut Vec::new(), resolved, &mut found);
    Ok(found)
}

/// Returns the defaults, with the missing defaults of each agent added.
fn whole(defaults: &Json, config: &Json) -> Json {
    serde_json::from_value::<Config>(defaults.clone())
        .ok()
        .and_then(|config| serde_json::to_value(config).ok())
        .unwrap_or_else(|| config.clone())
}

fn collect(
    value: &Json,
    default: Option<&Json>,
    node: &Json,
    path: &mut Vec<String>,
    resolved: &Resolved,
    found: &mut Vec<Entry>,
) {
    let node_ = follow(node);
    let properties = node_.get("properties").and_then(Json::as_object);
    let each = node_.get("additionalProperties").filter(|each| follow(each).get("properties").is_some());
    if let (Some(inner), true) = (value.as_object(), properties.is_some() || each.is_some()) {
        // Use the order of the schema. Tables with free names have their own order.
        let names: Vec<&String> = match properties {
            Some(properties) => properties.keys().filter(|key| inner.contains_key(*key)).collect(),
            None => inner.keys().collect(),
        };
        for name in names {
            let child = properties.and_then(|properties| properties.get(name)).or(each);
            let (Some(child), Some(value)) = (child, inner.get(name)) else { continue };
            path.push(name.clone());
            collect(value, default.and_then(|default| default.get(name)), child, path, resolved, found);
            path.pop();
        }
        return;
    }
    let key = key_name(path);
    let own = resolved.values_of(path).into_iter().find(|(origin, _)| matches!(origin, Origin::User(_)));
    let origin = resolved.origin(&key).cloned().or_else(|| {
        // For a table that is set in parts, the origin with the highest precedence counts.
        let inside = resolved
            .origins
            .iter()
            .filter(|(known, _)| known.strip_prefix(&key).is_some_and(|rest| rest.starts_with('.')));
        inside.map(|(_, origin)| origin).max_by_key(|origin| rank(origin)).cloned()
    });
    let about = node.get("description").or_else(|| node_.get("description")).and_then(Json::as_str).unwrap_or_default();
    found.push(Entry {
        about: about.to_owned(),
        kind: kind(node_),
        value: value.clone(),
        default: default.cloned(),
        origin,
        own: own.and_then(|(_, value)| serde_json::to_value(value).ok()),
        key,
    });
}

fn rank(origin: &Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::User(_) => 1,
        Origin::Repository(_) => 2,
        Origin::Environment => 3,
        Origin::CommandLine => 4,
    }
}

fn kind(node: &Json) -> SettingKind {
    if let Some(choices) = check::choices(node) {
        let options = node.get("oneOf").and_then(Json::as_array);
        let about = |name: &str| {
            let mut options = options.into_iter().flatten();
            let option = options.find(|option| option.get("const").and_then(Json::as_str) == Some(name));
            option.and_then(|option| option.get("description")?.as_str()).unwrap_or_default().to_owned()
        };
        let options = choices.into_iter().map(|name| SettingChoice { value: name.to_owned(), about: about(name) });
        return SettingKind::Choice { options: options.collect() };
    }
    let texts = || node.get("items").map(follow).and_then(|items| items.get("type")?.as_str()) == Some("string");
    match node.get("type").and_then(Json::as_str) {
        Some("boolean") => SettingKind::Switch,
        Some("integer") => {
            let (least, most) = check::range(node);
            SettingKind::Number { least, most }
        }
        Some("string") => SettingKind::Text,
        Some("array") if texts() => SettingKind::Texts,
        _ => SettingKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layer, environment_layer, parse_layer, resolve};

    fn entries_of(layers: Vec<Layer>) -> Vec<Entry> {
        entries(&resolve(layers, false).expect("valid")).expect("serialisable")
    }

    #[test]
    fn every_key_is_listed_once_with_description_and_default() {
        let found = entries_of(Vec::new());
        let keys: std::collections::BTreeSet<&str> = found.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys.len(), found.len());
        for entry in &found {
            assert!(!entry.about.is_empty(), "{} says nothing", entry.key);
            assert_eq!(Some(&entry.value), entry.default.as_ref(), "{}", entry.key);
        }
        let room = found.iter().find(|entry| entry.key == "agent.room").expect("there");
        assert!(
            matches!(&room.kind, SettingKind::Choice { options } if options.len() == 3 && !options[0].about.is_empty())
        );
        let files = found.iter().find(|entry| entry.key == "limits.max_files").expect("there");
        assert_eq!(files.kind, SettingKind::Number { least: Some(0), most: Some(u32::MAX.into()) });
    }

    #[test]
    fn own_and_overriding_values_are_listed_separately() {
        let user = parse_layer(Origin::User("c".into()), "limits.max_files = 5\n[agents.mine]\nset = { A = 'b' }")
            .expect("read");
        let variables = [("DIFFSAN_LIMITS__MAX_FILES".to_owned(), "7".to_owned())];
        let found = entries_of(vec![user, environment_layer(variables.into_iter()).expect("read")]);
        let get = |key: &str| found.iter().find(|entry| entry.key == key).expect("there");
        let files = get("limits.max_files");
        assert_eq!((&files.value, &files.own, &files.origin), (&7.into(), &Some(5.into()), &Some(Origin::Environment)));
        let set = get("agents.mine.set");
        assert_eq!((set.default.is_none(), &set.origin), (true, &Some(Origin::User("c".into()))));
    }
}
