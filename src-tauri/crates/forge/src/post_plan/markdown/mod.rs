//! Makes untrusted Markdown inert for GitLab.
//!
//! In: text from a model, a repository or a user. Out: Markdown that GitLab only renders: no quick action, mention, reference,
//! include, image, foreign HTML or suggestion.
//!
//! GitLab's own parser reads the text into a [`document`] whose types cannot express anything active. The document is written
//! back, and the result is checked twice: [`check`] finds nothing active in it, and reading it again gives the same document. A
//! part that fails either check is shown as code. [`check`] also proves the finished note, after all parts were joined.

mod check;
mod document;
mod inlines;
mod read;
mod reference;
mod write;

pub use check::{Note, check};
pub(super) use write::{code_block, code_span, html_text};

use document::{Block, Inline};

/// Returns Markdown of several blocks as inert Markdown.
pub fn neutral(text: &str) -> String {
    let blocks = read::blocks(text);
    let written = write::blocks(&blocks);
    if faithful(&written, &blocks) {
        return write::unmarked(written);
    }
    let parts: Vec<String> = blocks.iter().map(single).collect();
    let joined = write::unmarked(parts.join("\n\n"));
    if check(&Note::text(&joined)).is_ok() { joined } else { code_block("", &read::plain(text)) }
}

/// Returns Markdown of one line as inert Markdown that may follow other text on its line.
pub fn neutral_line(text: &str) -> String {
    let inlines = read::line(text);
    let literal = || vec![Inline::Text(read::one_line(text))];
    let candidates = [inlines.clone(), write::flattened(&inlines), inlines::split_references(&literal())];
    for candidate in candidates {
        let written = write::line(&candidate);
        let note = format!("x {written}");
        if check(&Note::text(&note)).is_ok() && read::line(&written) == candidate {
            return write::unmarked(written);
        }
    }
    code_span(text)
}

/// Writes one block: with its formatting if both checks pass, or else without it, or else as code.
fn single(block: &Block) -> String {
    for candidate in [block.clone(), write::flattened_block(block)] {
        let written = write::blocks(std::slice::from_ref(&candidate));
        if faithful(&written, std::slice::from_ref(&candidate)) {
            return written;
        }
    }
    code_block("", &write::blocks(std::slice::from_ref(block)))
}

/// Returns whether the written text is inert and reads back as the same blocks.
fn faithful(written: &str, blocks: &[Block]) -> bool {
    check(&Note::text(written)).is_ok() && read::blocks(written) == blocks
}

#[cfg(test)]
mod tests;
