//! Interprets a finished note as GitLab does: the commands that it executes, the users that it notifies, and the objects that it
//! refers to and shows.
//!
//! In: the Markdown body of a note. Out: its effects. The module knows only GitLab's rules (restated from its source:
//! `lib/gitlab/quick_actions/extractor.rb`, `lib/banzai/`). It must not know how diffsan makes a note safe.
//!
//! Versions of GitLab interpret the same text differently. A note is therefore read several times, and every effect of every
//! reading counts:
//! - today's engine, which is comrak, as a tree without raw HTML;
//! - the HTML that comrak renders, parsed like a browser does, so that raw HTML can open and close elements;
//! - the regular expressions that extracted quick actions before GitLab 17;
//! - an independent CommonMark parser in place of cmark, which GitLab used before comrak.

mod document;
mod effects;
mod older;
mod quick_actions;
mod references;
mod rendered;
mod tree;
mod visible;

pub use effects::{ActiveBlock, Marker, NoteEffects, Reference, ReferenceKind, Suggestion};
pub use quick_actions::COMMANDS;
pub use visible::{Visible, VisibleCode, visible};

use comrak::{Arena, parse_document};
use document::Source;

/// The address of the GitLab that [`effects_of`] assumes. Links to it are references.
pub const HOST: &str = "https://gitlab.example.com";

/// Returns the effects of a note on a GitLab at [`HOST`].
pub fn effects_of(body: &str) -> NoteEffects {
    effects_on(HOST, body)
}

/// Returns the effects of a note on a GitLab at `base` (scheme, host, port and path prefix, without a trailing slash).
pub fn effects_on(base: &str, body: &str) -> NoteEffects {
    let source = Source::new(body);
    let arena = Arena::new();
    let root = parse_document(&arena, &source.markdown, &document::options());
    let paragraphs = tree::outer_paragraphs(root);
    let mut effects = tree::read(root, &source, base);
    effects.executed = quick_actions::read_paragraphs(&source.text, &paragraphs);
    effects.add(rendered::read(root, &source, base));
    effects.add(older::read(&source, base));
    effects.add(quick_actions::read_everywhere(&source.text));
    effects.markers = effects::markers(&source.text, &effects.html);
    effects.html.retain(|tag| !effects::is_marker(tag));
    effects.stored = quick_actions::stored(&source.text, &paragraphs);
    effects
}

#[cfg(test)]
mod tests;
