//! Converts untrusted Markdown to HTML that is only text: tags are escaped, images are replaced by their text, and links lead only to the
//! web and send no referrer.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::visible::is_hidden;

/// The maximum length of a Markdown text in bytes. A longer text is shown without conversion.
const MAX_TEXT_BYTES: usize = 400_000;

/// Escapes text for HTML, also inside quotes. Invisible characters, and those that change the direction of writing, are shown by number.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(char),
            char if is_hidden(char) => out.push_str(&format!("&lt;U+{:04X}&gt;", u32::from(char))),
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}

/// Returns the HTML of a Markdown text.
pub(super) fn prose(text: &str) -> String {
    if text.len() > MAX_TEXT_BYTES {
        return format!("<pre>{}</pre>", escape(text));
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut out = String::new();
    // For each open link, whether it was left out, so that its end is left out too.
    let mut dead = Vec::new();
    let mut in_head = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let live = is_web(&dest_url);
                dead.push(!live);
                if live {
                    out += &format!(
                        "<a href=\"{}\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">",
                        escape(&dest_url)
                    );
                }
            }
            Event::End(TagEnd::Link) => out += if dead.pop() == Some(false) { "</a>" } else { "" },
            Event::Start(Tag::TableHead) => {
                in_head = true;
                out += "<thead><tr>";
            }
            Event::End(TagEnd::TableHead) => {
                in_head = false;
                out += "</tr></thead><tbody>";
            }
            Event::Start(Tag::TableCell) => out += if in_head { "<th>" } else { "<td>" },
            Event::End(TagEnd::TableCell) => out += if in_head { "</th>" } else { "</td>" },
            Event::Start(tag) => out += &opened(&tag),
            Event::End(tag) => out += &closed(tag),
            Event::Code(text) => out += &format!("<code>{}</code>", escape(&text)),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => out += &escape(&text),
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out += "<br>",
            Event::Rule => out += "<hr>",
            Event::TaskListMarker(done) => out += if done { "☑ " } else { "☐ " },
            _ => {}
        }
    }
    out
}

fn is_web(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    (lower.starts_with("https://") || lower.starts_with("http://")) && !address.contains(char::is_control)
}

/// Returns the level of a heading. Headings of a text are below those of the page.
fn level(level: HeadingLevel) -> usize {
    (level as usize + 3).min(6)
}

fn opened(tag: &Tag<'_>) -> String {
    match tag {
        Tag::Paragraph => "<p>".into(),
        Tag::Heading { level: of, .. } => format!("<h{}>", level(*of)),
        Tag::BlockQuote(_) => "<blockquote>".into(),
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => "<pre><code>".into(),
        Tag::List(Some(start)) => format!("<ol start=\"{start}\">"),
        Tag::List(None) => "<ul>".into(),
        Tag::Item => "<li>".into(),
        Tag::Table(_) => "<table>".into(),
        Tag::TableRow => "<tr>".into(),
        Tag::Emphasis | Tag::Image { .. } => "<em>".into(),
        Tag::Strong => "<strong>".into(),
        Tag::Strikethrough => "<s>".into(),
        _ => String::new(),
    }
}

fn closed(tag: TagEnd) -> String {
    match tag {
        TagEnd::Paragraph => "</p>\n".into(),
        TagEnd::Heading(of) => format!("</h{}>\n", level(of)),
        TagEnd::BlockQuote(_) => "</blockquote>\n".into(),
        TagEnd::CodeBlock => "</code></pre>\n".into(),
        TagEnd::List(true) => "</ol>\n".into(),
        TagEnd::List(false) => "</ul>\n".into(),
        TagEnd::Item => "</li>\n".into(),
        TagEnd::Table => "</tbody></table>\n".into(),
        TagEnd::TableRow => "</tr>".into(),
        TagEnd::Emphasis | TagEnd::Image => "</em>".into(),
        TagEnd::Strong => "</strong>".into(),
        TagEnd::Strikethrough => "</s>".into(),
        _ => String::new(),
    }
}
