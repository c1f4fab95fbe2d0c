//! Compares a change with the parts of it that were sent.
//!
//! The parts are cut from the change with other hunks: a hunk may be split over several prompts, or be cut at a limit. So the changed
//! lines are compared, by side and number.

use std::collections::{BTreeSet, HashMap};

use diffsan_change::{Change, FileChange, Hunk, LineKind, NumberedLine};

use super::{FileReading, HunkReading};

/// A changed line of a file: whether it is on the new side, and its number.
type ChangedLine = (bool, u32);

/// Returns the delivery of each file of `change`. `parts` are the sent parts, in the order of their prompts. Paths are those of `change`,
/// which must be masked like the parts.
pub fn delivered(change: &Change, parts: &[&Change]) -> Vec<FileReading> {
    let mut sent: HashMap<Vec<u8>, HashMap<ChangedLine, BTreeSet<u32>>> = HashMap::new();
    let mut files: HashMap<Vec<u8>, BTreeSet<u32>> = HashMap::new();
    for (prompt, part) in (1..).zip(parts) {
        for file in &part.files {
            let path = file.path().as_bytes().to_vec();
            files.entry(path.clone()).or_default().insert(prompt);
            let lines = sent.entry(path).or_default();
            for line in file.hunks().iter().flat_map(changed) {
                lines.entry(line).or_default().insert(prompt);
            }
        }
    }
    change.files.iter().map(|file| file_reading(file, &sent, &files)).collect()
}

fn file_reading(
    file: &FileChange,
    sent: &HashMap<Vec<u8>, HashMap<ChangedLine, BTreeSet<u32>>>,
    files: &HashMap<Vec<u8>, BTreeSet<u32>>,
) -> FileReading {
    let path = file.path();
    let lines = sent.get(path.as_bytes());
    let hunk_reading = |hunk: &Hunk| {
        let mut reading =
            HunkReading { old_start: hunk.old_start, new_start: hunk.new_start, ..HunkReading::default() };
        let mut prompts = BTreeSet::new();
        for line in changed(hunk) {
            reading.changed += 1;
            if let Some(of_line) = lines.and_then(|lines| lines.get(&line)) {
                reading.delivered += 1;
                prompts.extend(of_line);
            }
        }
        reading.prompts = prompts.into_iter().collect();
        reading
    };
    FileReading {
        path: path.to_text().into_owned(),
        prompts: files.get(path.as_bytes()).into_iter().flatten().copied().collect(),
        hunks: file.hunks().iter().map(hunk_reading).collect(),
    }
}

/// Returns the changed lines of a hunk.
fn changed(hunk: &Hunk) -> impl Iterator<Item = ChangedLine> {
    hunk.numbered().filter_map(|NumberedLine { old, new, line }| match line.kind {
        LineKind::Added => new.map(|number| (true, number)),
        LineKind::Removed => old.map(|number| (false, number)),
        LineKind::Context => None,
    })
}

#[cfg(test)]
mod tests {
    use diffsan_change::{Body, parse_patch, some_lines};

    use super::*;

    const PATCH: &str = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+and a half\n three\n\
                         @@ -10,2 +11,2 @@\n-ten\n+TEN\n eleven\n\
                         diff --git a/b.rs b/b.rs\n--- a/b.rs\n+++ b/b.rs\n@@ -5 +5 @@\n-five\n+FIVE\n\
                         diff --git a/c.rs b/d.rs\nsimilarity index 100%\nrename from c.rs\nrename to d.rs\n";

    fn change() -> Change {
        parse_patch(PATCH.into()).expect("a patch")
    }

    /// Returns the files `wanted` with the selected lines of their hunks.
    fn part(wanted: &[(&str, &[std::ops::Range<usize>])]) -> Change {
        let mut part = change();
        part.files.retain(|file| wanted.iter().any(|(path, _)| file.path().to_text() == *path));
        for file in &mut part.files {
            let (_, ranges) = wanted.iter().find(|(path, _)| file.path().to_text() == *path).expect("wanted");
            let hunks = file.hunks().iter().zip(*ranges).filter(|(_, range)| !range.is_empty());
            file.body = Body::Text(hunks.map(|(hunk, range)| some_lines(hunk, range.clone())).collect());
        }
        part
    }

    #[test]
    fn each_hunk_has_its_prompts_and_its_delivered_lines() {
        let first = part(&[("a.rs", &[0..3, 0..0])]);
        let second = part(&[("a.rs", &[3..5, 0..3]), ("d.rs", &[])]);
        let files = delivered(&change(), &[&first, &second]);
        let hunks = |file: &FileReading| -> Vec<(u32, u32, Vec<u32>)> {
            file.hunks.iter().map(|hunk| (hunk.delivered, hunk.changed, hunk.prompts.clone())).collect()
        };
        assert_eq!(files[0].prompts, [1, 2]);
        assert_eq!(hunks(&files[0]), [(3, 3, vec![1, 2]), (2, 2, vec![2])]);
        assert_eq!(hunks(&files[1]), [(0, 2, vec![])], "b.rs was not sent");
        assert_eq!((files[2].path.as_str(), files[2].prompts.as_slice()), ("d.rs", &[2][..]), "a rename without lines");
    }

    #[test]
    fn a_cut_hunk_is_not_delivered() {
        let files = delivered(&change(), &[&part(&[("a.rs", &[0..2, 0..3])])]);
        assert_eq!((files[0].hunks[0].delivered, files[0].hunks[0].changed), (1, 3));
        assert!(!files[0].hunks[0].is_delivered() && files[0].hunks[1].is_delivered());
    }
}
