//! Masks a change: contents, paths, sections and messages. Files, hunks, lines and line numbers stay the same.

use std::cell::LazyCell;
use std::sync::Arc;
use std::thread;

use bytes::Bytes;

use super::Session;
use super::patch::{self, PATH, Part};
use super::places;
use super::replaced::{Replaced, Replacements};
use super::session::{Form, line_number};
use super::span::Span;
use super::types::Redacted;
use diffsan_change::{Body, Change, FileChange, RepoPath, parallel};

/// The place of a commit message in reports.
const MESSAGE: &str = "commit message";
/// The number of bytes of changed lines from which files are searched on several cores.
const MIN_PARALLEL: usize = 256 * 1024;

/// The secrets of a text, before they are numbered.
#[derive(Default)]
struct Found {
    /// Empty if it contains no secret.
    text: Vec<u8>,
    spans: Vec<Span>,
}

/// The secrets of a file, before they are numbered.
struct FoundInFile {
    /// Those of the lines of its hunks.
    lines: Found,
    /// Those of lines below others that they do not follow in the diff: the section of their hunk, the line above a replaced part.
    below: Vec<FoundBelow>,
}

/// The secrets of a line, a line feed and the lines below it.
struct FoundBelow {
    found: Found,
    /// The length of the first line and the line feed.
    above: usize,
    /// The begin of the other lines in the text of the file's lines.
    start: usize,
}

impl Session {
    /// Masks the secrets of a change without changing its shape. Every text is read twice, so that a secret that a later file reveals is
    /// also masked in earlier files.
    pub fn change(&mut self, change: &Change) -> Redacted<Change> {
        if !self.redactor.enabled {
            return Redacted::vouch(change.clone());
        }
        let threads = threads_for(change);
        let (files, messages) = (&change.files, &change.messages);
        // Read everything before masking anything: a later file may reveal a secret of an earlier one. Secrets are numbered in order,
        // so they are found on all cores first.
        let in_files = parallel::each(files.len(), threads, |at| self.find_in_file(&files[at]));
        let in_messages =
            parallel::each(messages.len(), threads, |at| self.find_in_text(MESSAGE, messages[at].clone().into_bytes()));
        let found: Vec<Vec<Span>> = in_files.into_iter().map(|found| self.learn_from(found)).collect();
        let messages: Vec<Vec<Span>> = in_messages.into_iter().map(|found| self.learn_all(found)).collect();
        let clear = parallel::each(files.len(), threads, |at| found[at].is_empty() && self.is_file_clear(&files[at]));
        let known = self.known_secrets();
        let files = files.iter().zip(found).zip(clear).map(|((file, found), is_clear)| {
            // Masking a file can reveal a secret of which a later file has a copy.
            if is_clear && self.known_secrets() == known { file.clone() } else { self.file(file, found) }
        });
        let files = files.collect();
        let messages = change.messages.iter().zip(messages).map(|(text, found)| {
            let masked = self.cover(MESSAGE, text.as_bytes(), found, &line_number, Form::Numbered);
            masked.map_or_else(|| text.clone(), |masked| String::from_utf8_lossy(&masked).into_owned())
        });
        let messages = messages.collect();
        Redacted::vouch(Change { files, base: change.base.clone(), head: change.head.clone(), messages })
    }

    /// Returns whether a file in whose lines no secret was found has none in its paths and sections, and no copy of one.
    fn is_file_clear(&self, file: &FileChange) -> bool {
        let place = file.path().to_text();
        let (place, path) = ((&*place, places::kind(&place)), (PATH, places::kind(PATH)));
        let mut paths = [&file.old_path, &file.new_path].into_iter().flatten();
        // Several hunks of a function have the same section.
        let mut sections: Vec<&[u8]> = file.hunks().iter().map(|hunk| &*hunk.section).collect();
        sections.dedup();
        paths.all(|text| self.is_clear(path, text.as_bytes()))
            && sections.iter().all(|section| self.is_clear(place, section))
            && !(self.knows_copies() && self.has_copy(&lines_of(file)))
    }

    fn find_in_file(&self, file: &FileChange) -> FoundInFile {
        let place = file.path().to_text();
        let text = lines_of(file);
        let mut below = Vec::new();
        let mut replacements = Replacements::new(&text);
        let mut start = 0;
        for hunk in file.hunks() {
            let mut end = start;
            replacements.hunk();
            for line in hunk.lines.iter() {
                replacements.line(line.kind, end, end + line.text.len());
                end += line.text.len() + 1;
            }
            // The key of the first lines can be the last line before them: `@@ -5,3 +5,3 @@ password:`.
            if hunk.section.trim_ascii_end().last().is_some_and(|byte| b":=|(\"'`".contains(byte)) {
                let lines = &text[start..end.min(text.len())];
                let first = lines.split_inclusive(|byte| *byte == b'\n').take(3).map(<[u8]>::len).sum();
                let found = self.find_in_text(&place, [&*hunk.section, b"\n", &lines[..first]].concat());
                below.push(FoundBelow { found, above: hunk.section.len() + 1, start });
            }
            start = end;
        }
        below.extend(self.find_replaced(&place, replacements));
        below.retain(|lines| !lines.found.spans.is_empty());
        FoundInFile { lines: self.find_in_text(&place, text), below }
    }

    /// Finds the secrets of the lines that replace others.
    fn find_replaced(&self, place: &str, replacements: Replacements<'_>) -> Vec<FoundBelow> {
        let found = |replaced: Replaced| {
            let Replaced { text, above, start } = replaced;
            let mut found = self.find_in_text(place, text);
            // A secret that is found without the line above is judged with all lines before it.
            if !found.spans.is_empty() {
                let alone = self.find(place, &found.text[above..]);
                found.spans.retain(|span| {
                    alone.iter().all(|own| span.end <= own.start + above || own.end + above <= span.start)
                });
            }
            FoundBelow { found, above, start }
        };
        replacements.into_found().into_iter().map(found).collect()
    }

    fn find_in_text(&self, place: &str, text: Vec<u8>) -> Found {
        let spans = self.find(place, &text);
        if spans.is_empty() { Found::default() } else { Found { text, spans } }
    }

    /// Numbers the secrets of a file and remembers them. Returns those of its lines.
    fn learn_from(&mut self, found: FoundInFile) -> Vec<Span> {
        let mut all = self.learn_all(found.lines);
        for FoundBelow { found, above, start } in found.below {
            for span in self.learn_all(found) {
                let Some(from) = span.start.checked_sub(above) else { continue };
                let (from, to) = (start + from, start + span.end - above);
                if all.iter().all(|other| to <= other.start || other.end <= from) {
                    let at = all.partition_point(|other| other.start < from);
                    all.insert(at, Span { start: from, end: to, ..span });
                }
            }
        }
        all
    }

    fn learn_all(&mut self, found: Found) -> Vec<Span> {
        let Found { text, mut spans } = found;
        self.learn_spans(&text, &mut spans);
        spans
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
        match self.mask(PATH, path.as_bytes(), &|_| None, Form::Numbered) {
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
        let found: Vec<Vec<Span>> = parts
            .iter()
            .map(|part| {
                let (place, content) = (path(part), content(part));
                let below = self.find_replaced(&place, part.replacements(text, &content));
                let lines = self.find_in_text(&place, content);
                self.learn_from(FoundInFile { lines, below })
            })
            .collect();
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

/// Returns the number of threads that search a change.
fn threads_for(change: &Change) -> usize {
    let lines = change.files.iter().flat_map(FileChange::hunks).flat_map(|hunk| hunk.lines.iter());
    let bytes: usize = lines.map(|line| line.text.len()).sum();
    if bytes < MIN_PARALLEL { 1 } else { thread::available_parallelism().map_or(1, usize::from) }
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
