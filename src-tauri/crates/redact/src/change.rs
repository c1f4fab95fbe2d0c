//! Masks a change: contents, paths, sections and messages. Files, hunks, lines and line numbers stay the same.

use std::cell::LazyCell;
use std::sync::Arc;

use bytes::Bytes;

use super::Session;
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
        self.discover(&place, &lines_of(file))
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

    /// Masks a diff in text form. The first character of each line is not part of its content, and each file is read according to its own
    /// path.
    pub fn diff_text(&mut self, place: &str, patch: &str) -> Redacted<String> {
        let lines: Vec<&[u8]> = patch.split('\n').map(str::as_bytes).collect();
        let parts = parts(place, &lines);
        let bare = |from: usize, to: usize| {
            let lines: Vec<&[u8]> = lines[from..to].iter().map(|line| &line[prefix(line)..]).collect();
            lines.join(&b'\n')
        };
        let found: Vec<Vec<Span>> =
            parts.iter().map(|(place, from, to)| self.discover(place, &bare(*from, *to))).collect();
        let mut out: Vec<u8> = Vec::with_capacity(patch.len());
        for ((place, from, to), found) in parts.iter().zip(found) {
            let text = bare(*from, *to);
            let masked = self.cover(place, &text, found, &line_number, Form::Numbered).unwrap_or(text);
            for (line, masked) in lines[*from..*to].iter().zip(masked.split(|byte| *byte == b'\n')) {
                out.extend_from_slice(&line[..prefix(line)]);
                out.extend_from_slice(masked);
                out.push(b'\n');
            }
        }
        out.pop();
        Redacted::vouch(String::from_utf8_lossy(&out).into_owned())
    }
}

/// Returns the files of a patch: path, first line and end line.
fn parts(place: &str, lines: &[&[u8]]) -> Vec<(String, usize, usize)> {
    let mut parts: Vec<(String, usize, usize)> = Vec::new();
    let mut current = (place.to_owned(), 0);
    for (index, line) in lines.iter().enumerate() {
        let starts = line.starts_with(b"diff --git ")
            || line.starts_with(b"--- ")
                && lines.get(index + 1).is_some_and(|next| next.starts_with(b"+++ "))
                && !lines[current.1].starts_with(b"diff --git ");
        if starts && index > current.1 {
            let (place, from) = std::mem::replace(&mut current, (place.to_owned(), index));
            parts.push((place, from, index));
        }
        for side in [&b"--- a/"[..], b"+++ b/"] {
            if let Some(path) = line.strip_prefix(side) {
                current.0 = String::from_utf8_lossy(path.trim_ascii_end()).into_owned();
            }
        }
    }
    parts.push((current.0, current.1, lines.len()));
    parts
}

fn prefix(line: &[u8]) -> usize {
    let header = [&b"+++ "[..], b"--- ", b"@@", b"diff "].iter().any(|start| line.starts_with(start));
    usize::from(!header && matches!(line.first(), Some(b'+' | b'-' | b' ')))
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
