//! A change in several batches, each within the budget, with related files together.
//!
//! In: the masked change, the files to be sent and the limits. Out: which lines of which hunks go into which batch: every
//! line of every one of these files into exactly one. The same input gives the same batches on every machine.

use std::collections::HashMap;
use std::ops::Range;

use super::measure::{Measure, header, hunk, lines_that_fit};
use super::related::groups;
use super::{limit_of, part_of, without_body};
use diffsan_change::{Body, Change, FileChange};
use diffsan_config::Limits;

/// Lines of one hunk.
struct Piece {
    hunk: usize,
    lines: Range<usize>,
}

/// What a batch has of one file; no pieces of a file without lines.
struct Share {
    file: usize,
    pieces: Vec<Piece>,
}

/// Shares files among batches, and gives what each batch sends.
pub(super) fn batches(masked: &Change, files: &[usize], limits: &Limits, measure: Measure) -> Vec<Change> {
    let empty = Room { size: measure.budget(), files: limit_of(limits.max_files) };
    let mut filling = Filling { masked, measure, empty, room: empty, full: Vec::new(), open: Vec::new() };
    let sizes: HashMap<usize, u64> = files.iter().map(|&file| (file, filling.size(file))).collect();
    for group in groups(masked, files) {
        let size = group.iter().map(|file| sizes[file]).fold(0, u64::saturating_add);
        // A group that does not fit begins a batch of its own, and goes on in the next where it must.
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

/// Room that is left in a batch.
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
                // A line is never torn, even one that no batch has room for.
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

    /// Whether the open batch has nothing yet but a file's headers.
    fn is_fresh(&self) -> bool {
        matches!(&self.open[..], [only] if only.pieces.is_empty())
    }

    /// The file goes on in the next batch.
    fn turn(&mut self, file: usize, head: u64) {
        if self.is_fresh() {
            return;
        }
        // Headers alone are left out of this batch, unless they are all that there is of the file.
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
