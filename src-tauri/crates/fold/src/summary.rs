//! Finds the hunks without a visible changed line.

use std::collections::BTreeMap;

use diffsan_change::{Change, LineKind};

use crate::types::Fold;

/// The hunks whose changed lines are all folded, by the indices of file and hunk, with the indices of their folds in order.
pub type FoldedHunks = BTreeMap<(usize, usize), Vec<usize>>;

/// Returns the hunks of a change whose changed lines are all in folds.
pub fn folded_hunks(change: &Change, folds: &[Fold]) -> FoldedHunks {
    let mut found: BTreeMap<(usize, usize), (usize, Vec<usize>)> = BTreeMap::new();
    for (index, fold) in folds.iter().enumerate() {
        for span in &fold.spans {
            let (lines, of) = found.entry((span.file, span.hunk)).or_default();
            *lines += span.end - span.start;
            if !of.contains(&index) {
                of.push(index);
            }
        }
    }
    let changed = |file: usize, hunk: usize| {
        let hunk = change.files.get(file).and_then(|file| file.hunks().get(hunk));
        hunk.map(|hunk| hunk.lines.iter().filter(|line| line.kind != LineKind::Context).count())
    };
    found
        .into_iter()
        .filter(|((file, hunk), (lines, _))| changed(*file, *hunk) == Some(*lines))
        .map(|(at, (_, of))| (at, of))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::diff::change_of;
    use crate::{FileTexts, Sources, folds};

    #[test]
    fn a_hunk_with_one_visible_line_is_not_folded() {
        let noise = ["fn a() {\n  b();\n}\n", "fn a() {\n    b();\n}\n"];
        let lines: String = (0..20).map(|at| format!("const C{at}: u8 = {at};\n")).collect();
        let text = |side: usize, value: u8| format!("{}{lines}fn c() -> u8 {{\n    {value}\n}}\n", noise[side]);
        let (old, new) = (text(0, 1), text(1, 2));
        let side = |text: &str| vec![("a.rs".to_owned(), text.to_owned())];
        let change = change_of(&side(&old), &side(&new));
        let texts = [FileTexts { old: Some(&old), new: Some(&new) }];
        let found = folds(&change, &Sources::new(&change, &texts));
        assert_eq!(change.files[0].hunks().len(), 2);
        assert_eq!(folded_hunks(&change, &found), BTreeMap::from([((0, 0), vec![0])]));
    }
}
