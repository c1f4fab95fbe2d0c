//! What became of the lines that a remark speaks of, since it was made: found by the code, never by a line's number alone.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

/// What became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They stand where they stood.
    Untouched,
    /// They stand elsewhere in the file; where they begin now.
    Moved(u32),
    /// They were edited.
    Edited,
    /// They are not there any more.
    Gone,
}

/// How many lines around them tell an edit from a removal.
const AROUND: usize = 3;

/// Compares. `before` and `after` are the whole file at both times; none where it is not there. Lines count from 1.
pub fn fate(before: &str, after: Option<&str>, start: u32, end: u32) -> Fate {
    let Some(after) = after else { return Fate::Gone };
    let (old, new) = (lines(before), lines(after));
    let (from, to) = (start as usize - 1, (end as usize).min(old.len()));
    let Some(wanted) = old.get(from..to).filter(|wanted| !wanted.is_empty()) else { return Fate::Gone };
    if new.get(from..to) == Some(wanted) && !ambiguous(&new, wanted) {
        return Fate::Untouched;
    }
    let places: Vec<usize> = find(&new, wanted);
    // Of several, the one whose surroundings are most alike: a bare `}` stands everywhere.
    let best =
        places.into_iter().max_by_key(|&at| (alike(&old, from, to, &new, at), std::cmp::Reverse(at.abs_diff(from))));
    match best {
        Some(at) if at == from => Fate::Untouched,
        Some(at) if wanted.iter().any(|line| line.len() > 3) || alike(&old, from, to, &new, at) > 0 => {
            Fate::Moved(u32::try_from(at + 1).unwrap_or(u32::MAX))
        }
        _ if removed(&old, from, to, &new) => Fate::Gone,
        _ => Fate::Edited,
    }
}

/// Lines of code as a digest: how many, and of what. Blanks at the ends of lines do not count.
pub fn code_mark(lines: &[&str]) -> String {
    let mut digest = Sha256::new();
    for line in lines {
        digest.update(line.trim_end().as_bytes());
        digest.update(b"\n");
    }
    format!("{}:{}", lines.len(), hex::encode(&digest.finalize()[..8]))
}

/// The digests of all runs of lines of a file, by how many lines they have: made once for all findings of the file.
#[derive(Default)]
pub struct Standing {
    by_count: HashMap<usize, HashSet<String>>,
}

impl Standing {
    /// Returns whether lines with such a digest stand somewhere in the file, which must be the same text each time.
    pub fn has(&mut self, mark: &str, text: &str) -> bool {
        let Some(count) = count(mark) else { return false };
        let marks = self.by_count.entry(count).or_insert_with(|| {
            let lines: Vec<&str> = text.lines().collect();
            lines.windows(count).map(code_mark).collect()
        });
        marks.contains(mark)
    }
}

fn count(mark: &str) -> Option<usize> {
    mark.split(':').next().and_then(|count| count.parse::<usize>().ok()).filter(|count| *count > 0)
}

/// Whether such lines stand somewhere in a file.
pub fn stands(mark: &str, text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    count(mark).is_some_and(|count| lines.windows(count).any(|window| code_mark(window) == mark))
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn find(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    lines.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect()
}

fn ambiguous(lines: &[&str], wanted: &[&str]) -> bool {
    find(lines, wanted).len() > 1
}

/// How many of the lines around are the same.
fn alike(old: &[&str], from: usize, to: usize, new: &[&str], at: usize) -> usize {
    let length = to - from;
    let above = (1..=AROUND)
        .filter(|by| from.checked_sub(*by).zip(at.checked_sub(*by)).is_some_and(|(a, b)| old.get(a) == new.get(b)));
    let below = (0..AROUND).filter(|by| old.get(to + by).zip(new.get(at + length + by)).is_some_and(|(a, b)| a == b));
    above.count() + below.count()
}

/// Whether what stood around them stands together now.
fn removed(old: &[&str], from: usize, to: usize, new: &[&str]) -> bool {
    let above = old[..from].iter().rev().find(|line| !line.is_empty());
    let below = old[to..].iter().find(|line| !line.is_empty());
    let rest: Vec<&&str> = new.iter().filter(|line| !line.is_empty()).collect();
    match (above, below) {
        (Some(above), Some(below)) => rest.windows(2).any(|pair| pair[0] == above && pair[1] == below),
        (Some(above), None) => rest.last() == Some(&above),
        (None, Some(below)) => rest.first() == Some(&below),
        (None, None) => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n}\n";

    #[test]
    fn the_code_says_what_became_of_a_remark() {
        let became = |after: &str, start, end| fate(BEFORE, Some(after), start, end);
        assert_eq!(became(BEFORE, 3, 3), Fate::Untouched);
        assert_eq!(became(&format!("use x;\n{BEFORE}"), 3, 3), Fate::Moved(4));
        assert_eq!(became(&BEFORE.replace("two();", "two(1);"), 3, 3), Fate::Edited);
        assert_eq!(became(&BEFORE.replace("    two();\n", ""), 3, 3), Fate::Gone);
        assert_eq!(became(&BEFORE.replace("one();", "1();"), 2, 3), Fate::Edited, "a part of it");
        assert_eq!(fate(BEFORE, None, 3, 3), Fate::Gone);
        // The same line stands twice: its surroundings tell which is which.
        assert_eq!(became(BEFORE, 8, 8), Fate::Untouched);
        assert_eq!(became(&format!("use x;\n{BEFORE}"), 8, 8), Fate::Moved(9));
        assert_eq!(became("", 3, 3), Fate::Edited);
    }

    #[test]
    fn code_is_known_again_wherever_it_stands() {
        let mark = code_mark(&["    one();", "    two();"]);
        assert!(stands(&mark, BEFORE) && stands(&mark, &format!("x\n{}", BEFORE.replace("();\n", "();  \n"))));
        assert!(!stands(&mark, &BEFORE.replace("two", "2")) && !stands("x", BEFORE) && !stands("0:", BEFORE));
    }
}
