//! Reads a note with an independent CommonMark parser, in place of cmark, which GitLab used before comrak.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::document::{Source, is_reference_character};
use super::effects::NoteEffects;
use super::quick_actions;
use super::references::{scan, scan_address};
use super::tree::{self, HtmlPiece, html_pieces};

/// An address in text, with any scheme. Punctuation at its end belongs to the sentence.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z][A-Za-z0-9+.-]+://[^\s>]*[^\s>?!.,:]").expect("a pattern"));

/// Returns the effects of a note in this reading: of the note itself, and of the note with `>>>` blocks converted to quotes by a
/// filter.
pub(super) fn read(source: &Source, base: &str) -> NoteEffects {
    let mut found = parsed(&source.markdown, source, base);
    if let Some(quoted) = with_quotes(&source.markdown) {
        found.add(parsed(&quoted, source, base));
    }
    found
}

fn parsed(markdown: &str, source: &Source, base: &str) -> NoteEffects {
    let extensions = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut reader =
        Reader { base, found: NoteEffects::default(), piece: String::new(), links: 0, code: None, html: None };
    let mut paragraphs = Vec::new();
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(markdown, extensions).into_offset_iter() {
        match &event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::Paragraph) {
                    paragraphs.push(lines(markdown, &range));
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
        let escaped = range.start > 0 && markdown.as_bytes().get(range.start - 1) == Some(&b'\\');
        reader.event(event, escaped);
    }
    reader.finish_piece();
    reader.found.executed = quick_actions::read_paragraphs(&source.text, &paragraphs);
    reader.found
}

fn lines(text: &str, range: &std::ops::Range<usize>) -> RangeInclusive<usize> {
    let count = |part: &str| part.bytes().filter(|byte| *byte == b'\n').count();
    let start = 1 + count(&text[..range.start]);
    start..=start + count(text[range.clone()].trim_end_matches('\n'))
}

struct Reader<'b> {
    base: &'b str,
    found: NoteEffects,
    piece: String,
    links: usize,
    /// The language and the text so far of the open code block.
    code: Option<(String, String)>,
    /// The text so far of the open HTML block.
    html: Option<String>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, escaped: bool) {
        match event {
            Event::Text(text) => self.text(&text, escaped),
            Event::SoftBreak => self.text("\n", false),
            Event::Html(text) => match &mut self.html {
                Some(html) => html.push_str(&text),
                None => self.tags(&text),
            },
            Event::InlineHtml(text) => {
                self.finish_piece();
                self.tags(&text);
            }
            Event::Start(tag) => {
                self.finish_piece();
                self.open(tag);
            }
            Event::End(tag) => {
                self.finish_piece();
                self.close(tag);
            }
            _ => self.finish_piece(),
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => self.code = Some((info.into_string(), String::new())),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.code = Some((String::new(), String::new())),
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::Link { dest_url, .. } => {
                scan_address(&dest_url, self.base, &mut self.found);
                self.links += 1;
            }
            Tag::Image { dest_url, .. } => {
                self.found.images.push(dest_url.into_string());
                self.links += 1;
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                if let Some((info, content)) = self.code.take() {
                    tree::code_block(&info, &content, &mut self.found);
                }
            }
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    self.tags(&html);
                }
            }
            TagEnd::Link | TagEnd::Image => self.links -= 1,
            _ => {}
        }
    }

    fn text(&mut self, text: &str, escaped: bool) {
        if let Some((_, content)) = &mut self.code {
            content.push_str(text);
            return;
        }
        if self.links > 0 {
            return;
        }
        let first = text.chars().next().map_or(0, char::len_utf8);
        if escaped && is_reference_character(&text[..first]) {
            self.finish_piece();
            self.piece.push_str(&text[..first]);
            self.finish_piece();
            self.piece.push_str(&text[first..]);
        } else {
            self.piece.push_str(text);
        }
    }

    fn tags(&mut self, html: &str) {
        html_pieces(html, |piece| match piece {
            HtmlPiece::Tag(tag) => self.found.html.push(tag.to_owned()),
            HtmlPiece::Text(text) => scan(text, self.base, &mut self.found),
        });
    }

    fn finish_piece(&mut self) {
        if self.piece.is_empty() {
            return;
        }
        let piece = std::mem::take(&mut self.piece);
        tree::lines(&piece, &mut self.found);
        // A filter turned addresses into links before references were searched.
        let mut rest = piece.as_str();
        while let Some(address) = ADDRESS.find(rest) {
            scan(&rest[..address.start()], self.base, &mut self.found);
            scan_address(address.as_str(), self.base, &mut self.found);
            rest = &rest[address.end()..];
        }
        scan(rest, self.base, &mut self.found);
    }
}

/// Returns the text with the lines between two `>>>` lines quoted, or `None` without such lines. Ignores only lines in fences of
/// three backticks, like the filter.
fn with_quotes(markdown: &str) -> Option<String> {
    let lines: Vec<&str> = markdown.split('\n').collect();
    let mut quoted: Vec<String> = Vec::with_capacity(lines.len());
    let (mut at, mut any, mut fenced) = (0, false, false);
    while let Some(line) = lines.get(at) {
        fenced ^= line.starts_with("```");
        let opens = is_mark(line) && !fenced && (at == 0 || lines[at - 1].is_empty());
        let mut behind = if opens { at + 1..lines.len() } else { 0..0 };
        match behind.find(|at| is_mark(lines[*at]) && lines.get(at + 1).is_none_or(|next| next.is_empty())) {
            Some(end) => {
                any = true;
                quoted.push(String::new());
                quoted.extend(lines[at + 1..end].iter().map(|line| format!("> {line}")));
                quoted.push(String::new());
                at = end + 1;
            }
            None => {
                quoted.push((*line).to_owned());
                at += 1;
            }
        }
    }
    any.then(|| quoted.join("\n"))
}

fn is_mark(line: &str) -> bool {
    line.trim_matches(' ') == ">>>"
}
