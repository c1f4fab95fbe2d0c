//! Splits a change into batches. Each is within the budget, and related files are together.
//!
//! In: the masked change, the files to send and the limits. Out: the lines of each hunk for each batch. Every line of these files is in
//! exactly one batch. The same input leads to the same batches on every machine.

use std::collections::HashMap;
use std::ops::Range;

use super::measure::{Measure, header, hunk, lines_that_fit};
use super::related::groups;
use super::{limit_of, part_of, without_body};
use diffsan_change::{Body, Change, FileChange};
use diffsan_config::Limits;

/// A range of lines of one hunk.
struct Piece {
    hunk: usize,
    lines: Range<usize>,
}

/// The part of one file in a batch. A file without lines has no pieces.
struct Share {
    file: usize,
    pieces: Vec<Piece>,
}

/// Distributes files among batches and returns the change of each batch.
pub(super) fn batches(masked: &Change, files: &[usize], limits: &Limits, measure: Measure) -> Vec<Change> {
    let empty = Room { size: measure.budget(), files: limit_of(limits.max_files) };
    let mut filling = Filling { masked, measure, empty, room: empty, full: Vec::new(), open: Vec::new() };
    let sizes: HashMap<usize, u64> = files.iter().map(|&file| (file, filling.size(file))).collect();
    for group in groups(masked, files) {
        let size = group.iter().map(|file| sizes[file]).fold(0, u64::saturating_add);
        // A group that does not fit starts a new batch, and continues in the next one where necessary.
        if size > filling.room.size || group.len() > filling.room.files {
            filling.close();
        }
        for file in group {
            filling.add(file, sizes[&file]);
        }
    }
    filling.close();
    filling.full.iter().map(|shares| change(masked, shares)).collect()
}

/// The remaining room in a batch.
#[derive(Clone, Copy)]
struct Room {
    size: u64,
    files: usize,
}

struct Filling<'a> {
    masked: &'a Change,
    measure: Measure,
    empty: Room,
    room: Room,
    full: Vec<Vec<Share>>,
    open: Vec<Share>,
}

impl<'a> Filling<'a> {
    fn file(&self, file: usize) -> &'a FileChange {
        &self.masked.files[file]
    }

    fn size(&self, file: usize) -> u64 {
        let hunks: u64 = self.file(file).hunks().iter().map(|one| hunk(one, self.measure)).sum();
        header(self.file(file), self.measure) + hunks
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.full.push(std::mem::take(&mut self.open));
        }
        self.room = self.empty;
    }

    fn add(&mut self, file: usize, size: u64) {
        if size > self.room.size || self.room.files == 0 {
            self.close();
        }
        let head = header(self.file(file), self.measure);
        self.begin(file, head);
        for (index, one) in self.file(file).hunks().iter().enumerate() {
            let cost = hunk(one, self.measure);
            if cost > self.room.size && cost.saturating_add(head) <= self.empty.size {
                self.turn(file, head);
            }
            let mut from = 0;
            while from < one.lines.len() {
                let (fitting, cost) = lines_that_fit(one, from, self.room.size, self.measure);
                if fitting == 0 && !self.is_fresh() {
                    self.turn(file, head);
                    continue;
                }
                // A line is never split, even if it is larger than a batch.
                let lines = from..from + fitting.max(1);
                from = lines.end;
                self.room.size = self.room.size.saturating_sub(cost);
                if let Some(share) = self.open.last_mut() {
                    share.pieces.push(Piece { hunk: index, lines });
                }
            }
        }
    }

    fn begin(&mut self, file: usize, head: u64) {
        self.open.push(Share { file, pieces: Vec::new() });
        self.room.size = self.room.size.saturating_sub(head);
        self.room.files = self.room.files.saturating_sub(1);
    }

    /// Returns whether the open batch contains nothing but the headers of one file.
    fn is_fresh(&self) -> bool {
        matches!(&self.open[..], [only] if only.pieces.is_empty())
    }

    /// Continues the file in the next batch.
    fn turn(&mut self, file: usize, head: u64) {
        if self.is_fresh() {
            return;
        }
        // Remove headers without hunks from this batch. The file gets them again in the next one.
        if self.open.last().is_some_and(|share| share.pieces.is_empty()) {
            self.open.pop();
        }
        self.close();
        self.begin(file, head);
    }
}

fn change(masked: &Change, shares: &[Share]) -> Change {
    let file = |share: &Share| {
        let file = &masked.files[share.file];
        let body = match &file.body {
            Body::Text(hunks) => {
                let part = |piece: &Piece| part_of(&hunks[piece.hunk], piece.lines.clone());
                Body::Text(share.pieces.iter().map(part).collect())
            }
            other => other.clone(),
        };
        FileChange { body, ..without_body(file) }
    };
    Change {
        files: shares.iter().map(file).collect(),
        base: masked.base.clone(),
        head: masked.head.clone(),
        messages: masked.messages.clone(),
    }
}
