//! The body of a note before it is parsed, and the parser's options.

use std::sync::LazyLock;

use comrak::Options;
use regex::Regex;

/// Characters of references that a backslash escapes. GitLab renders each escaped one as an element of its own.
const REFERENCE_CHARACTERS: &str = "$%#&@!~^:";

/// The body of a note as GitLab's filters see it.
pub(super) struct Source {
    /// The text without carriage returns. Quick actions are removed from its lines.
    pub(super) text: String,
    /// The text after the filters that run before the parser.
    pub(super) markdown: String,
    /// Whether the text begins with front matter.
    pub(super) front_matter: bool,
}

impl Source {
    pub(super) fn new(body: &str) -> Self {
        let text = body.replace('\r', "");
        let without_mark = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let found = FRONT_MATTER.iter().find_map(|(pattern, language)| {
            let found = pattern.captures(without_mark)?;
            let named = found.get(1).map(|named| named.as_str()).filter(|named| !named.is_empty());
            let content = found.get(2).map_or("", |content| content.as_str());
            let end = found.get(0)?.end();
            Some(format!("```{}\n{content}\n```\n\n{}", named.unwrap_or(language), &without_mark[end..]))
        });
        let front_matter = found.is_some();
        let markdown = found.unwrap_or_else(|| without_mark.to_owned());
        Self { text, markdown, front_matter }
    }
}

/// Front matter becomes a code block before the text is parsed, which shifts all following lines.
static FRONT_MATTER: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [("---", "yaml"), (r"\+\+\+", "toml"), (";;;", "json")]
        .map(|(mark, language)| {
            let space = r"[ \t\r\n\f\v]*";
            let pattern = format!(
                r"(?ms)\A(?:[^\r\n]*coding:[^\r\n]*)?{space}^{mark}[ \t]*(\S*){space}^(.*?){space}^{mark}{space}"
            );
            (Regex::new(&pattern).expect("a pattern"), language)
        })
        .into()
});

/// Returns whether an escaped character becomes an element of its own.
pub(super) fn is_reference_character(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| REFERENCE_CHARACTERS.contains(first)) && characters.next().is_none()
}

/// Returns the options with which GitLab parses and renders.
pub(super) fn options() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.alerts = true;
    extension.autolink = true;
    extension.cjk_friendly_emphasis = true;
    extension.description_lists = true;
    extension.footnotes = true;
    extension.math_code = true;
    extension.math_dollars = true;
    extension.multiline_block_quotes = true;
    extension.strikethrough = true;
    extension.table = true;
    extension.tasklist = true;
    extension.wikilinks_title_before_pipe = true;
    options.parse.escaped_char_spans = true;
    options.parse.relaxed_autolinks = true;
    options.parse.relaxed_tasklist_matching = true;
    options.parse.tasklist_in_table = true;
    options.render.escaped_char_spans = true;
    options.render.full_info_string = true;
    options.render.github_pre_lang = true;
    options.render.sourcepos = true;
    options.render.r#unsafe = true;
    options
}
