//! The words of a shell without their quotes. A part that only a run of the script knows is one character.

use smol_str::SmolStr;
use tree_sitter::Node;

use super::step::{OWN_FOLDER, ROOT, SPLIT, UNKNOWN};
use super::variables::Variables;

/// The programs that are shells whose scripts are read.
pub(crate) const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "ksh"];
/// Stands for an expression of a service in the text of a script: `${{ matrix.os }}`.
pub(crate) const EXPRESSION: &str = "_EXPRESSION_OF_A_SERVICE_";
/// The same for an expression that can be several words with options.
pub(crate) const LIST_EXPRESSION: &str = "_EXPRESSION_OF_A_SERVICE_OPTIONS";
/// The file that a command reads the output of another one from: `<(curl x)`.
pub(crate) const STREAM_OF_COMMAND: &str = "/dev/fd/\0";
/// The maximum nesting of the parts of a word.
const MAX_DEPTH: usize = 16;
/// The maximum size in bytes of a word. A longer one is not known.
const MAX_WORD_BYTES: usize = 65_536;
/// Variables of services with the root of the repository.
const ROOTS: &[&str] = &["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];

/// Reads words of a text.
pub(crate) struct Words<'a> {
    pub(crate) text: &'a str,
    pub(crate) variables: &'a Variables,
}

impl Words<'_> {
    /// Returns the word of a node.
    pub(crate) fn word(&self, node: Node<'_>) -> SmolStr {
        let mut word = String::new();
        self.append(node, false, MAX_DEPTH, &mut word);
        if word.contains(EXPRESSION) {
            for written in [format!("${{{EXPRESSION}}}"), format!("${{{LIST_EXPRESSION}}}"), format!("${EXPRESSION}")] {
                word = word.replace(&written, "\0");
            }
        }
        if word.len() > MAX_WORD_BYTES { SmolStr::new("\0") } else { SmolStr::new(word) }
    }

    fn append(&self, node: Node<'_>, quoted: bool, depth: usize, word: &mut String) {
        let Some(depth) = depth.checked_sub(1) else { return word.push(UNKNOWN) };
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        match node.kind() {
            "raw_string" => word.push_str(text.trim_start_matches('\'').trim_end_matches('\'')),
            "ansi_c_string" if text.contains('\\') => word.push(UNKNOWN),
            "ansi_c_string" => word.push_str(text.trim_start_matches('$').trim_matches('\'')),
            "string" | "translated_string" | "heredoc_body" => self.parts(node, true, depth, word),
            "command_name" | "concatenation" => self.parts(node, quoted, depth, word),
            "simple_expansion" | "expansion" => match self.expanded(node, text) {
                Some(value) => word.push_str(&value),
                None => word.push(if is_list(text, quoted) { SPLIT } else { UNKNOWN }),
            },
            "command_substitution" => match substituted(text) {
                Some(place) => word.push(place),
                None => word.push(UNKNOWN),
            },
            // The output of a command as a file.
            "process_substitution" => word.push_str(STREAM_OF_COMMAND),
            "arithmetic_expansion" | "array" => word.push(UNKNOWN),
            _ if node.named_child_count() > 0 => word.push(UNKNOWN),
            _ if quoted => push_quoted(text, word),
            _ => push_plain(text, word),
        }
    }

    /// Appends the parts of a node and the text between them.
    fn parts(&self, node: Node<'_>, quoted: bool, depth: usize, word: &mut String) {
        let mut at = node.start_byte();
        let mut cursor = node.walk();
        let between = |from: usize, to: usize, word: &mut String| {
            let text = self.text.get(from..to).unwrap_or_default();
            if quoted { push_quoted(text, word) } else { push_plain(text, word) }
        };
        for child in node.children(&mut cursor) {
            if word.len() > MAX_WORD_BYTES {
                return;
            }
            between(at, child.start_byte(), word);
            at = child.end_byte();
            let is_quote = matches!(child.kind(), "\"" | "$\"" | "``") && node.kind() != "concatenation";
            if !is_quote {
                self.append(child, quoted, depth, word);
            }
        }
        between(at, node.end_byte(), word);
    }

    /// Returns the value of an expansion, if the text shows it.
    fn expanded(&self, node: Node<'_>, text: &str) -> Option<SmolStr> {
        let name = text.strip_prefix('$')?;
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        match name {
            "BASH_SOURCE%/*" | "BASH_SOURCE[0]%/*" | "0%/*" | "0:h" | "0:A:h" | "GITHUB_ACTION_PATH" => {
                return Some(OWN_FOLDER.to_string().into());
            }
            _ if ROOTS.contains(&name) => return Some(ROOT.to_string().into()),
            _ => {}
        }
        self.variables.value(name, node.start_byte()).cloned()
    }
}

/// Returns whether an expansion can be several words with options among them: all arguments, an array, or `$CURL_OPTIONS` without quotes.
fn is_list(text: &str, quoted: bool) -> bool {
    let name = text.trim_start_matches(['$', '{']).trim_end_matches('}');
    name.starts_with(['@', '*']) || name.contains("[@]") || name.contains("[*]") || !quoted && names_list(name)
}

/// Returns whether the name of a variable says that its value is a list of options.
pub(crate) fn names_list(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["opt", "arg", "flag", "param"].iter().any(|part| name.contains(part))
}

/// Appends a text outside of quotes.
fn push_plain(text: &str, word: &mut String) {
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => word.push(escaped),
            },
            char => word.push(char),
        }
    }
}

/// Appends a text inside of double quotes.
fn push_quoted(text: &str, word: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('\n')) => _ = chars.next(),
            ('\\', Some(escaped @ ('"' | '\\' | '$' | '`'))) => {
                word.push(*escaped);
                chars.next();
            }
            (char, _) => word.push(char),
        }
    }
}

/// Returns the place that a substitution stands for: the folder of the script, or the root of the repository.
fn substituted(text: &str) -> Option<char> {
    if text.len() > 200 {
        return None;
    }
    let words: Vec<&str> = text
        .split(|char: char| !(char.is_alphanumeric() || "_-".contains(char)))
        .filter(|word| !word.is_empty())
        .collect();
    if words == ["git", "rev-parse", "--show-toplevel"] {
        return Some(ROOT);
    }
    let known = [
        "cd",
        "pwd",
        "dirname",
        "readlink",
        "realpath",
        "BASH_SOURCE",
        "0",
        "-",
        "--",
        "-P",
        "-f",
        "-e",
        "-m",
        "dev",
        "null",
        "2",
        "1",
    ];
    let is_folder = words.contains(&"dirname")
        && (words.contains(&"BASH_SOURCE") || text.contains("$0"))
        && !text.contains("..")
        && words.iter().all(|word| known.contains(word));
    is_folder.then_some(OWN_FOLDER)
}

/// Returns whether a word can be the name of a variable.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && word.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Returns a text of a shell in which variables stand for the parts that are not known.
pub(crate) fn in_shell(code: &str) -> String {
    let mut text = String::with_capacity(code.len());
    for char in code.chars() {
        match char {
            UNKNOWN => text.extend(["${", EXPRESSION, "}"]),
            SPLIT => text.extend(["${", LIST_EXPRESSION, "}"]),
            OWN_FOLDER => text.push_str("${BASH_SOURCE%/*}"),
            char => text.push(char),
        }
    }
    text
}
