//! Snippets: messages that a button puts into the input.
//!
//! In: the text of a `prompt-snippets.json`. Out: the snippets that are whole, and a notice for each that is not. A snippet never
//! becomes part of a prompt by itself: only what the reviewer sends does.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How much of a message stands in for a missing tooltip, in characters.
const TOOLTIP: usize = 50;
/// The longest name by which a snippet is called in a terminal.
const NAME_WORDS: usize = 3;
/// More than anybody reads.
const MAX_SNIPPETS: usize = 200;

/// A snippet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// What stands on its button.
    pub icon: String,
    /// What it is for.
    pub tooltip: String,
    /// The text.
    pub message: String,
}

impl Snippet {
    /// By what it is called in a terminal: its tooltip's first words.
    pub fn name(&self) -> String {
        let words = self.tooltip.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.take(NAME_WORDS).map(str::to_lowercase).collect();
        words.join("-")
    }
}

/// The snippets of a file, and what is wrong with those that were skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippets {
    /// In the file's order.
    pub snippets: Vec<Snippet>,
    /// For people, one for each that was skipped.
    pub notices: Vec<String>,
}

/// Reads a file. One that is no JSON, or has no list, is refused; a snippet that is not whole is skipped with a notice.
pub fn read(text: &str) -> Result<Snippets, String> {
    // Some editors begin a file with a mark.
    let file: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    let list = file["snippets"].as_array().ok_or("there is no list `snippets`")?;
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
        return Err("it is no object".to_owned());
    }
    let text = |key: &str| match entry.get(key) {
        None | Some(Value::Null) => Err(format!("`{key}` is missing")),
        Some(Value::String(text)) if text.trim().is_empty() => Err(format!("`{key}` is empty")),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` is no text")),
    };
    let (icon, message) = (text("icon")?, text("message")?);
    let tooltip = text("tooltip").unwrap_or_else(|_| message.chars().take(TOOLTIP).collect());
    Ok(Snippet { icon, tooltip, message })
}

/// The file that holds these snippets.
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

/// The snippet of that name, or whose name alone begins so.
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
    fn what_is_not_whole_is_skipped_with_a_notice() {
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
                "snippet 5 was skipped: `message` is no text",
                "snippet 6 was skipped: `icon` is empty",
                "snippet 7 was skipped: it is no object",
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
    fn what_is_written_reads_back() {
        let snippets = vec![
            Snippet { icon: "✂️".into(), tooltip: "Continue".into(), message: "Go on.\n\"There\"".into() },
            Snippet { icon: "B".into(), tooltip: "é".repeat(50), message: "é".repeat(60) },
        ];
        let text = write(&snippets);
        assert_eq!(text.matches("tooltip").count(), 1);
        assert_eq!(read(&text).expect("readable").snippets, snippets);
    }

    #[test]
    fn a_name_is_found_by_its_beginning_if_that_is_one_alone() {
        let of = |tooltip: &str| Snippet { icon: "i".into(), tooltip: tooltip.into(), message: tooltip.into() };
        let all = [of("Full review"), of("Security review"), of("Security")];
        assert_eq!(named(&all, "full"), Some(&all[0]));
        assert_eq!(named(&all, "security"), Some(&all[2]));
        assert_eq!(named(&all, "sec"), None);
        assert_eq!(named(&all, ""), None);
    }
}
