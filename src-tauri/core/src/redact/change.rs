//! Masks a change: contents, paths, sections and messages. Files, hunks, lines and numbers stay as they are.

use std::sync::Arc;

use bytes::Bytes;

use super::Session;
use super::session::Form;
use super::types::Redacted;
use crate::change::{Body, Change, FileChange, RepoPath};

impl Session {
    /// The change with its secrets masked, equal in shape. Everything is read twice: a secret that a later file gives away
    /// is masked in the earlier ones too.
    pub fn change(&mut self, change: &Change) -> Redacted<Change> {
        if !self.redactor.enabled {
            return Redacted::vouch(change.clone());
        }
        for file in &change.files {
            self.learn_from(file);
        }
        let files = change.files.iter().map(|file| self.file(file)).collect();
        let messages = change.messages.iter().map(|text| self.text("commit message", text).into_inner()).collect();
        Redacted::vouch(Change { files, base: change.base.clone(), head: change.head.clone(), messages })
    }

    fn learn_from(&mut self, file: &FileChange) {
        let place = file.path().to_text().into_owned();
        let lines: Vec<&[u8]> =
            file.hunks().iter().flat_map(|hunk| hunk.lines.iter()).map(|line| &line.text[..]).collect();
        let text = lines.join(&b'\n');
        for span in super::engine::find(&text, &place, &self.redactor) {
            self.learn(&text[span.start..span.end], &span.rule);
        }
    }

    fn file(&mut self, file: &FileChange) -> FileChange {
        let mut masked = file.clone();
        masked.old_path = file.old_path.as_ref().map(|path| self.path(path));
        masked.new_path = file.new_path.as_ref().map(|path| self.path(path));
        let place = masked.path().to_text().into_owned();
        let Body::Text(hunks) = &mut masked.body else { return masked };
        let numbers: Vec<Option<u32>> =
            hunks.iter().flat_map(|hunk| hunk.numbered()).map(|line| line.new.or(line.old)).collect();
        let lines: Vec<Bytes> = hunks.iter().flat_map(|hunk| hunk.lines.iter()).map(|line| line.text.clone()).collect();
        let texts: Vec<&[u8]> = lines.iter().map(|line| &line[..]).collect();
        let number = |index: usize| numbers.get(index).copied().flatten();
        let mut found = self.mask_lines(&place, &texts, number, Form::Numbered).into_iter();
        for hunk in hunks.iter_mut() {
            let texts: Vec<Option<Vec<u8>>> = found.by_ref().take(hunk.lines.len()).collect();
            // Where nothing was found, the lines stay shared with the change.
            if texts.iter().all(Option::is_none) {
                continue;
            }
            for (line, text) in Arc::make_mut(&mut hunk.lines).iter_mut().zip(texts) {
                if let Some(text) = text {
                    line.text = Bytes::from(text);
                }
            }
        }
        for hunk in hunks {
            let section = [&hunk.section[..]];
            if let Some(Some(text)) = self.mask_lines(&place, &section, |_| Some(hunk.new_start), Form::Numbered).pop()
            {
                hunk.section = Bytes::from(text);
            }
        }
        masked
    }

    /// A path whose name holds a secret. The mark is one component: it has no `/`.
    fn path(&mut self, path: &RepoPath) -> RepoPath {
        let whole = [path.as_bytes()];
        match self.mask_lines("path", &whole, |_| None, Form::Numbered).pop() {
            Some(Some(masked)) => RepoPath::new(masked),
            _ => path.clone(),
        }
    }
}
