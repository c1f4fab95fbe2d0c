//! Masks a change: contents, paths, sections and messages. Files, hunks, lines and line numbers stay the same.

use std::cell::LazyCell;
use std::sync::Arc;

use bytes::Bytes;

use super::Session;
use super::patch::{self, Part};
use super::session::{Form, line_number};
use super::span::Span;
use super::types::Redacted;
use diffsan_change::{Body, Change, FileChange, RepoPath};

/// The place of a commit message in reports.
const MESSAGE: &str = "commit message";

impl Session {
    /// Masks the secrets of a change without changing its shape. Every text is read twice, so that a secret that a later file reveals is
    /// also masked in earlier files.
    pub fn change(&mut self, change: &Change) -> Redacted<Change> {
        if !self.redactor.enabled {
            return Redacted::vouch(change.clone());
        }
        // Read everything before masking anything: a later file may reveal a secret of an earlier one.
        let found: Vec<Vec<Span>> = change.files.iter().map(|file| self.learn_from(file)).collect();
        let messages: Vec<Vec<Span>> =
            change.messages.iter().map(|text| self.discover(MESSAGE, text.as_bytes())).collect();
        let files = change.files.iter().zip(found).map(|(file, found)| self.file(file, found)).collect();
        let messages = change.messages.iter().zip(messages).map(|(text, found)| {
            let masked = self.cover(MESSAGE, text.as_bytes(), found, &line_number, Form::Numbered);
            masked.map_or_else(|| text.clone(), |masked| String::from_utf8_lossy(&masked).into_owned())
        });
        let messages = messages.collect();
        Redacted::vouch(Change { files, base: change.base.clone(), head: change.head.clone(), messages })
    }

    fn learn_from(&mut self, file: &FileChange) -> Vec<Span> {
        let place = file.path().to_text().into_owned();
        let text = lines_of(file);
        let mut found = self.discover(&place, &text);
        let mut start = 0;
        for hunk in file.hunks() {
            let end = start + hunk.lines.iter().map(|line| line.text.len() + 1).sum::<usize>();
            self.below_section(&place, &hunk.section, &text[start..end.min(text.len())], start, &mut found);
            start = end;
        }
        found
    }

    /// Adds the secrets in the first lines of a hunk whose key is the last line before it: `@@ -5,3 +5,3 @@ password:`.
    fn below_section(&mut self, place: &str, section: &[u8], lines: &[u8], start: usize, found: &mut Vec<Span>) {
        if !section.trim_ascii_end().last().is_some_and(|byte| b":=|(\"'`".contains(byte)) {
            return;
        }
        let first = lines.split_inclusive(|byte| *byte == b'\n').take(3).map(<[u8]>::len).sum();
        let text = [section, b"\n", &lines[..first]].concat();
        for span in self.discover(place, &text) {
            let Some(from) = span.start.checked_sub(section.len() + 1) else { continue };
            let (from, to) = (start + from, start + span.end - section.len() - 1);
            if found.iter().all(|other| to <= other.start || other.end <= from) {
                let at = found.partition_point(|other| other.start < from);
                found.insert(at, Span { start: from, end: to, ..span });
            }
        }
    }

    fn file(&mut self, file: &FileChange, found: Vec<Span>) -> FileChange {
        let mut masked = file.clone();
        masked.old_path = file.old_path.as_ref().map(|path| self.path(path));
        masked.new_path = file.new_path.as_ref().map(|path| self.path(path));
        let place = masked.path().to_text().into_owned();
        let Body::Text(hunks) = &mut masked.body else { return masked };
        let numbers: LazyCell<Vec<Option<u32>>, _> = LazyCell::new(|| {
            file.hunks().iter().flat_map(|hunk| hunk.numbered()).map(|line| line.new.or(line.old)).collect()
        });
        let number = |index: usize| numbers.get(index).copied().flatten();
        if let Some(text) = self.cover(&place, &lines_of(file), found, &number, Form::Numbered) {
            let mut lines = text.split(|byte| *byte == b'\n');
            for hunk in hunks.iter_mut() {
                let texts: Vec<&[u8]> = lines.by_ref().take(hunk.lines.len()).collect();
                // Lines without secrets continue to share memory with the change.
                if hunk.lines.iter().zip(&texts).all(|(line, text)| line.text == *text) {
                    continue;
                }
                for (line, text) in Arc::make_mut(&mut hunk.lines).iter_mut().zip(texts) {
                    if line.text != text {
                        line.text = Bytes::copy_from_slice(text);
                    }
                }
            }
        }
        for hunk in hunks {
            if let Some(text) = self.mask(&place, &hunk.section, &|_| Some(hunk.new_start), Form::Numbered) {
                hunk.section = Bytes::from(text);
            }
        }
        masked
    }

    /// Masks the secrets in a path. A mark contains no `/`, so it stays within one component.
    fn path(&mut self, path: &RepoPath) -> RepoPath {
        match self.mask("path", path.as_bytes(), &|_| None, Form::Numbered) {
            Some(masked) => RepoPath::new(masked),
            None => path.clone(),
        }
    }

    /// Masks a diff in text form. Each file is read according to its own path, the text before the first one according to `place`.
    pub fn diff_text(&mut self, place: &str, patch: &str) -> Redacted<String> {
        let parts = patch::parts(patch.as_bytes(), true);
        let masked = self.mask_parts(place, patch.as_bytes(), &parts, Form::Numbered);
        Redacted::vouch(masked.map_or_else(|| patch.to_owned(), |masked| String::from_utf8_lossy(&masked).into_owned()))
    }

    /// Masks the parts of a text. Returns `None` if nothing is masked. All parts are read before one is masked, because a later part may
    /// reveal a secret of an earlier one.
    pub(super) fn mask_parts(&mut self, place: &str, text: &[u8], parts: &[Part], form: Form) -> Option<Vec<u8>> {
        if !self.redactor.enabled {
            return None;
        }
        let path = |part: &Part| part.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(place).to_owned();
        let content = |part: &Part| {
            let lines: Vec<&[u8]> = part.lines.iter().map(|line| &text[line.content..line.end]).collect();
            lines.join(&b'\n')
        };
        let found: Vec<Vec<Span>> = parts.iter().map(|part| self.discover(&path(part), &content(part))).collect();
        let mut out: Vec<u8> = Vec::with_capacity(text.len());
        let mut changed = false;
        for (part, found) in parts.iter().zip(found) {
            let whole = content(part);
            let number = |index: usize| part.lines.get(index).and_then(|line| line.number);
            let masked = self.cover(&path(part), &whole, found, &number, form);
            changed |= masked.is_some();
            let masked = masked.unwrap_or(whole);
            for (line, masked) in part.lines.iter().zip(masked.split(|byte| *byte == b'\n')) {
                out.extend_from_slice(&text[line.start..line.content]);
                out.extend_from_slice(masked);
                out.push(b'\n');
            }
        }
        out.pop();
        changed.then_some(out)
    }
}

/// Returns all lines of a file's hunks, separated by line feeds.
fn lines_of(file: &FileChange) -> Vec<u8> {
    let mut text = Vec::with_capacity(
        file.hunks().iter().flat_map(|hunk| hunk.lines.iter()).map(|line| line.text.len() + 1).sum(),
    );
    for (index, line) in file.hunks().iter().flat_map(|hunk| hunk.lines.iter()).enumerate() {
        if index > 0 {
            text.push(b'\n');
        }
        text.extend_from_slice(&line.text);
    }
    text
}
