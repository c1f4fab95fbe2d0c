//! Widens or narrows the context around each change as the settings say. This is done before masking, and only as far as the budget allows,
//! so that context never displaces a change.

use bytes::Bytes;

use super::measure::{Measure, header, hunk};
use super::{Plan, planned};
use diffsan_change::{Around, Body, Change, FileChange, Status, lines_of, widen, with_context};
use diffsan_config::{Context, Limits, Strategy};

/// The number of context lines with which a change is read.
const READ: u32 = 3;

/// Gives each planned file the configured context. `read` returns the content of a file's new side, if it is available.
pub fn surround(change: &mut Change, plan: &Plan, limits: &Limits, read: impl Fn(&FileChange) -> Option<Bytes>) {
    let around = match limits.context {
        Context::Lines if limits.context_lines == READ => return,
        Context::Lines => Around::Lines(limits.context_lines),
        Context::Function => Around::Function(limits.context_lines),
    };
    let files: Vec<usize> = planned(change, plan).collect();
    if limits.context_lines < READ {
        for file in &mut change.files {
            if let Body::Text(hunks) = &mut file.body {
                *hunks = hunks.iter().flat_map(|hunk| with_context(hunk, limits.context_lines as usize)).collect();
            }
        }
    }
    let measure = Measure::new(limits);
    let size =
        |file: &FileChange| header(file, measure) + file.hunks().iter().map(|one| hunk(one, measure)).sum::<u64>();
    let mut room = match limits.strategy {
        Strategy::Split => u64::MAX,
        Strategy::Truncate => {
            let all = files.iter().map(|&file| size(&change.files[file])).fold(0, u64::saturating_add);
            measure.budget().saturating_sub(all)
        }
    };
    for index in files {
        let file = &mut change.files[index];
        if room == 0 || matches!(file.status, Status::Added | Status::Deleted) || file.hunks().is_empty() {
            continue;
        }
        let Some(wide) = read(file).and_then(|content| widen(file.hunks(), &lines_of(&content), around)) else {
            continue;
        };
        let before = size(file);
        let plain = std::mem::replace(&mut file.body, Body::Text(wide));
        match size(file).saturating_sub(before) {
            more if more <= room => room -= more,
            _ => file.body = plain,
        }
    }
}
