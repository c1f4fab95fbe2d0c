//! Snippets: prepared messages that a button inserts into the input.
//!
//! In: the text of a `prompt-snippets.json`. Out: the valid snippets, and a notice for each invalid one. A snippet is never added to a
//! prompt by itself, only as part of a message that the user sends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The number of characters of the message that replace a missing tooltip.
const TOOLTIP: usize = 50;
/// The maximum number of words in the name of a snippet, by which a terminal calls it.
const NAME_WORDS: usize = 3;
/// The maximum number of snippets of a file.
const MAX_SNIPPETS: usize = 200;

/// A prepared message, and its button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snippet {
    /// The label of the button.
    pub icon: String,
    /// The purpose of the snippet.
    pub tooltip: String,
    /// The text that is inserted.
    pub message: String,
}

impl Snippet {
    /// Sets an empty tooltip to the beginning of the message.
    #[must_use]
    pub fn with_tooltip(mut self) -> Self {
        if self.tooltip.trim().is_empty() {
            self.tooltip = self.message.chars().take(TOOLTIP).collect();
        }
        self
    }

    /// Returns the name for terminals: the first words of the tooltip.
    pub fn name(&self) -> String {
        let words = self.tooltip.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.take(NAME_WORDS).map(str::to_lowercase).collect();
        words.join("-")
    }
}

/// The valid snippets of a file, and notices about the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippets {
    /// The snippets, in the file's order.
    pub snippets: Vec<Snippet>,
    /// The notices for the user, one for each skipped snippet.
    pub notices: Vec<String>,
}

/// Reads a file. Fails if it is not JSON or has no list. Skips an invalid snippet with a notice.
pub fn read(text: &str) -> Result<Snippets, String> {
    // Some editors write a byte order mark.
    let file: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    let list = file["snippets"].as_array().ok_or("the list `snippets` is missing")?;
    let mut read = Snippets::default();
    if list.len() > MAX_SNIPPETS {
        read.notices.push(format!("{} snippets; the first {MAX_SNIPPETS} are shown", list.len()));
    }
    for (at, entry) in list.iter().take(MAX_SNIPPETS).enumerate() {
        match snippet(entry) {
            Ok(snippet) => read.snippets.push(snippet),
            Err(missing) => read.notices.push(format!("snippet {} was skipped: {missing}", at + 1)),
        }
    }
    Ok(read)
}

fn snippet(entry: &Value) -> Result<Snippet, String> {
    if !entry.is_object() {
        return Err("it is not an object".to_owned());
    }
    let text = |key: &str| match entry.get(key) {
        None | Some(Value::Null) => Err(format!("`{key}` is missing")),
        Some(Value::String(text)) if text.trim().is_empty() => Err(format!("`{key}` is empty")),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` is not a text")),
    };
    let (icon, message) = (text("icon")?, text("message")?);
    let tooltip = text("tooltip").unwrap_or_else(|_| message.chars().take(TOOLTIP).collect());
    Ok(Snippet { icon, tooltip, message })
}

/// Returns the content of a file with these snippets.
pub fn write(snippets: &[Snippet]) -> String {
    let entries: Vec<Value> = snippets
        .iter()
        .map(|snippet| {
            let mut entry = json!({ "icon": snippet.icon, "message": snippet.message });
            if snippet.tooltip != snippet.message.chars().take(TOOLTIP).collect::<String>() {
                entry["tooltip"] = snippet.tooltip.clone().into();
            }
            entry
        })
        .collect();
    format!("{:#}\n", json!({ "snippets": entries }))
}

/// Returns the snippet with this name, or the only one whose name begins with it.
pub fn named<'a>(snippets: &'a [Snippet], name: &str) -> Option<&'a Snippet> {
    let wanted = name.to_lowercase();
    if let Some(same) = snippets.iter().find(|snippet| snippet.name() == wanted) {
        return Some(same);
    }
    let mut begin = snippets.iter().filter(|snippet| snippet.name().starts_with(&wanted) && !wanted.is_empty());
    begin.next().filter(|_| begin.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_snippets_are_skipped_with_a_notice() {
        let text = r#"{"snippets": [
            {"icon": "A", "tooltip": "One two three four", "message": "first"},
            {"icon": "B", "message": "0123456789012345678901234567890123456789012345678901234567890"},
            {"message": "no icon"}, {"icon": "C"}, {"icon": "D", "message": 5}, {"icon": " ", "message": "x"}, 7]}"#;
        let read = read(text).expect("readable");
        assert_eq!(read.snippets.len(), 2);
        assert_eq!(read.snippets[0].name(), "one-two-three");
        assert_eq!(read.snippets[1].tooltip, "01234567890123456789012345678901234567890123456789");
        assert_eq!(
            read.notices,
            [
                "snippet 3 was skipped: `icon` is missing",
                "snippet 4 was skipped: `message` is missing",
                "snippet 5 was skipped: `message` is not a text",
                "snippet 6 was skipped: `icon` is empty",
                "snippet 7 was skipped: it is not an object",
            ]
        );
    }

    #[test]
    fn a_file_without_a_list_is_refused() {
        for text in ["", "[]", "{}", r#"{"snippets": {}}"#, "{\"snippets\": ["] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn written_snippets_are_read_back() {
        let snippets = vec![
            Snippet { icon: "✂️".into(), tooltip: "Continue".into(), message: "Go on.\n\"There\"".into() },
            Snippet { icon: "B".into(), tooltip: "é".repeat(50), message: "é".repeat(60) },
        ];
        let text = write(&snippets);
        assert_eq!(text.matches("tooltip").count(), 1);
        assert_eq!(read(&text).expect("readable").snippets, snippets);
    }

    #[test]
    fn a_snippet_is_found_by_an_unambiguous_prefix() {
        let of = |tooltip: &str| Snippet { icon: "i".into(), tooltip: tooltip.into(), message: tooltip.into() };
        let all = [of("Full review"), of("Security review"), of("Security")];
        assert_eq!(named(&all, "full"), Some(&all[0]));
        assert_eq!(named(&all, "security"), Some(&all[2]));
        assert_eq!(named(&all, "sec"), None);
        assert_eq!(named(&all, ""), None);
    }
}
