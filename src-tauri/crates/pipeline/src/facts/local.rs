//! Reports on this machine. A report in the repository is about the files as they were when it was written.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::names::{MAX_FILES, expand};
use crate::open::OpenChange;
use diffsan_change::{RepoPath, Target};
use diffsan_facts::{Collector, Origin, ReportSource, parse};
use diffsan_review::finding::Side;

/// The maximum size of a report, in bytes.
const MAX_REPORT_BYTES: u64 = 64 << 20;

/// Adds reports that the user names. They count as reports about the head.
pub(super) fn add_named(collector: &mut Collector<'_>, opened: &OpenChange, named: &[PathBuf]) {
    for path in named {
        let name = path.display().to_string();
        match diffsan_bounded::read(path, MAX_REPORT_BYTES) {
            Ok(bytes) => {
                let folder = opened.root.as_deref().and_then(|root| inside(root, path));
                let (kind, report) = parse(&bytes);
                let origin = Origin { folder, roots: roots(opened) };
                let source = ReportSource { name, kind, commit: None, stale: false, origin, is_newer: &|_| false };
                collector.add(source, report);
            }
            Err(error) => collector.add_problem(name, error.to_string()),
        }
    }
}

/// Adds the reports in the repository that the settings name.
pub(super) fn add_found(collector: &mut Collector<'_>, opened: &OpenChange) {
    // A patch may belong to any state of its repository.
    let (Some(root), Some(_)) = (&opened.root, &opened.tree) else { return };
    let newer = Newer { opened, root, known: RefCell::default() };
    let mut read = 0;
    for pattern in &opened.settings.config.facts.files {
        let files = match expand(root, pattern) {
            Ok(files) => files,
            Err(problem) => {
                collector.add_problem(format!("facts.files: {pattern}"), problem.to_owned());
                continue;
            }
        };
        for file in files {
            read += 1;
            if read > MAX_FILES {
                collector.facts().notes.push(format!("more than {MAX_FILES} reports; the rest is not read"));
                return;
            }
            add_file(collector, opened, &newer, &file);
        }
    }
}

fn add_file(collector: &mut Collector<'_>, opened: &OpenChange, newer: &Newer<'_>, file: &str) {
    let known = collector.facts().sources.iter().any(|source| source.name == file);
    if known {
        return;
    }
    let path = newer.root.join(file);
    let content = diffsan_bounded::open(&path, false).and_then(|(open, about)| {
        diffsan_bounded::check_size(about.len(), MAX_REPORT_BYTES)?;
        let written = about.modified()?;
        Ok((diffsan_bounded::read_file(open, &about, MAX_REPORT_BYTES)?, written))
    });
    match content {
        Ok((bytes, written)) => {
            let (kind, report) = parse(&bytes);
            // The names are guesses, so another file with such a name is no problem.
            if matches!(report, Err(diffsan_facts::ReportError::UnknownFormat)) {
                return;
            }
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let source = ReportSource {
                name: file.to_owned(),
                kind,
                commit: None,
                stale: false,
                origin: Origin { folder: Some(folder), roots: roots(opened) },
                is_newer: &|path| newer.than(written, path),
            };
            collector.add(source, report);
        }
        Err(error) => collector.add_problem(file.to_owned(), error.to_string()),
    }
}

/// Compares files of the head with the time of a report.
struct Newer<'a> {
    opened: &'a OpenChange,
    root: &'a Path,
    /// The times at which files of the work tree were written, for those with the content of the head.
    known: RefCell<HashMap<String, Option<SystemTime>>>,
}

impl Newer<'_> {
    /// Returns whether the head's version of a file is not the one that a report of this time is about.
    fn than(&self, report: SystemTime, path: &str) -> bool {
        let mut known = self.known.borrow_mut();
        let written = known.entry(path.to_owned()).or_insert_with(|| self.written(path));
        written.is_none_or(|written| written > report)
    }

    fn written(&self, path: &str) -> Option<SystemTime> {
        let (file, about) = diffsan_bounded::open(&self.root.join(path), false).ok()?;
        let written = about.modified().ok()?;
        if matches!(self.opened.tree, Some(Target::Unstaged | Target::All { .. })) {
            return Some(written);
        }
        let work = diffsan_bounded::read_file(file, &about, diffsan_bounded::MAX_TEXT_BYTES).ok()?;
        let head = self.opened.file(&RepoPath::from(path), Side::New)?;
        (same_text(&work, &head)).then_some(written)
    }
}

/// Returns whether two files have the same lines. Line ends may differ between the work tree and a commit.
fn same_text(one: &[u8], other: &[u8]) -> bool {
    let plain = |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>();
    one == other || plain(one) == plain(other)
}

fn roots(opened: &OpenChange) -> Vec<String> {
    let root = opened.root.as_deref().map(|root| root.display().to_string().replace('\\', "/"));
    root.into_iter().collect()
}

/// Returns the folder of a file relative to the repository, if the file lies inside.
fn inside(root: &Path, path: &Path) -> Option<String> {
    let whole = std::path::absolute(path).ok()?;
    let whole = whole.canonicalize().unwrap_or(whole);
    let folder = whole.parent()?.strip_prefix(root).ok()?;
    Some(folder.to_str()?.replace('\\', "/"))
}
