//! Finds which added files came from which removed ones, with git's algorithm (`diffcore-rename`): first equal content, then an
//! equal and unique file name with very similar content, then the best of all remaining pairs.

use std::collections::HashMap;

use git2::Oid;

use super::list::{Entry, Origin, Side};
use super::similarity::{MAX_SCORE, Spans, worth_comparing};
use diffsan_change::parallel;

/// Git's limit for the slow step: at most this number squared of pairs.
const LIMIT: usize = 1000;
/// The number of candidate sources that are kept for each target.
const CANDIDATES: usize = 4;
/// The maximum number of equal sources that are compared for each target.
const EQUAL_SOURCES: usize = 100;
/// The number of targets whose spans are in memory at the same time.
const TARGETS_AT_ONCE: usize = 256;

/// The content that renames are found by. Each file is read at most once.
pub(super) trait Contents {
    /// Returns the object id of one side of an entry.
    fn id(&mut self, entry: &Entry) -> Option<Oid>;
    /// Returns the size of the content in bytes.
    fn size(&mut self, entry: &Entry) -> Option<u64>;
    /// Returns the spans of the contents of entries, in their order.
    fn spans(&mut self, entries: &[&Entry]) -> Vec<Option<Spans>>;
}

struct Search<'a> {
    entries: &'a [Entry],
    /// Indices of removed entries that may be sources, in order.
    sources: Vec<usize>,
    /// Indices of added entries.
    targets: Vec<usize>,
    /// The source and score of each target.
    found: HashMap<usize, (usize, u32)>,
    used: Vec<bool>,
    /// A number for the file name of each entry, equal for equal names.
    names: Vec<usize>,
    /// The size of each entry that was needed, `Some(None)` if it cannot be read.
    sizes: Vec<Option<Option<u64>>>,
    /// The spans of each entry that are needed. Those of a file that cannot be read are empty.
    spans: Vec<Option<Spans>>,
}

/// Joins removed and added entries to renamed ones. `threshold` is the minimum percentage of equal content.
pub(super) fn find(entries: Vec<Entry>, threshold: u8, contents: &mut impl Contents) -> Vec<Entry> {
    let candidates = |added: bool| {
        let fits = move |entry: &Entry| !entry.unmerged && !entry.retyped && entry.new.is_some() == added;
        let one_sided = |entry: &Entry| entry.old.is_some() != entry.new.is_some();
        let indices = entries.iter().enumerate().filter(|(_, entry)| one_sided(entry) && fits(entry));
        indices.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let (sources, targets) = (candidates(false), candidates(true));
    if sources.is_empty() || targets.is_empty() {
        return entries;
    }
    let minimum = f64::from(threshold) * MAX_SCORE / 100.0;
    let mut known = HashMap::new();
    let names = entries.iter().enumerate().map(|(index, entry)| *known.entry(name(&entry.path)).or_insert(index));
    let mut search = Search {
        entries: &entries,
        sources,
        targets,
        found: HashMap::new(),
        used: vec![false; entries.len()],
        names: names.collect(),
        sizes: vec![None; entries.len()],
        spans: vec![None; entries.len()],
    };
    search.equal(contents);
    if threshold < 100 {
        search.drop_used();
        // If only the name suggests a rename, the required score is halfway between the minimum and equality.
        search.equal_names(minimum + f64::floor(0.5 * (MAX_SCORE - minimum)), contents);
        search.drop_used();
        search.similar(minimum, contents);
    }
    let (found, used) = (search.found, search.used);
    join(entries, &found, &used)
}

impl Search<'_> {
    fn drop_used(&mut self) {
        let used = &self.used;
        self.sources.retain(|&source| !used[source]);
    }

    fn record(&mut self, target: usize, source: usize, score: u32) {
        self.found.insert(target, (source, score));
        self.used[source] = true;
    }

    fn same_name(&self, one: usize, two: usize) -> bool {
        self.names[one] == self.names[two]
    }

    fn equal(&mut self, contents: &mut impl Contents) {
        let mut by_id: HashMap<Oid, Vec<usize>> = HashMap::new();
        for &source in &self.sources {
            if let Some(id) = contents.id(&self.entries[source]) {
                by_id.entry(id).or_default().push(source);
            }
        }
        for target in self.targets.clone() {
            let Some(sources) = contents.id(&self.entries[target]).and_then(|id| by_id.get(&id)) else { continue };
            let best = self.best_equal(target, sources);
            if let Some(source) = best {
                self.record(target, source, MAX_SCORE as u32);
            }
        }
    }

    /// Returns the first unused source with the target's name, or else the first unused one.
    fn best_equal(&self, target: usize, sources: &[usize]) -> Option<usize> {
        let mut best = None;
        let mut looked_at = 0;
        for &source in sources {
            let (old, new) = (self.entries[source].old?, self.entries[target].new?);
            if !(old.is_regular() && new.is_regular()) && old.mode != new.mode || self.used[source] {
                continue;
            }
            if self.same_name(source, target) {
                return Some(source);
            }
            best = best.or(Some(source));
            looked_at += 1;
            if looked_at == EQUAL_SOURCES {
                break;
            }
        }
        best
    }

    fn equal_names(&mut self, minimum: f64, contents: &mut impl Contents) {
        let unique = |indices: &[usize]| {
            let mut names: HashMap<usize, Option<usize>> = HashMap::new();
            for &index in indices {
                names.entry(self.names[index]).and_modify(|known| *known = None).or_insert(Some(index));
            }
            names
        };
        let (sources, targets) = (unique(&self.sources), unique(&self.open_targets()));
        let target_of = |source: &usize| {
            let name = &self.names[*source];
            let (Some(Some(_)), Some(Some(target))) = (sources.get(name), targets.get(name)) else { return None };
            Some((*source, *target))
        };
        let pairs: Vec<(usize, usize)> = self.sources.iter().filter_map(target_of).collect();
        for pairs in pairs.chunks(TARGETS_AT_ONCE) {
            self.load(pairs.iter().copied(), minimum, contents);
            for &(source, target) in pairs {
                let score = self.score(source, target, minimum);
                if f64::from(score) >= minimum {
                    self.record(target, source, score);
                }
                self.spans[target] = None;
            }
        }
    }

    fn open_targets(&self) -> Vec<usize> {
        self.targets.iter().copied().filter(|target| !self.found.contains_key(target)).collect()
    }

    fn similar(&mut self, minimum: f64, contents: &mut impl Contents) {
        let targets = self.open_targets();
        if targets.len().saturating_mul(self.sources.len()) > LIMIT * LIMIT {
            return;
        }
        let sources = self.sources.clone();
        let mut matrix: Vec<Pair> = Vec::new();
        for targets in targets.chunks(TARGETS_AT_ONCE) {
            let pairs = targets.iter().flat_map(|&target| sources.iter().map(move |&source| (source, target)));
            self.load(pairs, minimum, contents);
            let threads = parallel::threads_for(targets.len());
            let best = parallel::each(targets.len(), threads, |at| self.best_sources(targets[at], minimum));
            matrix.extend(best.into_iter().flatten());
            targets.iter().for_each(|&target| self.spans[target] = None);
        }
        matrix.sort_by(Pair::better_first);
        for pair in matrix {
            if f64::from(pair.score) >= minimum && !self.found.contains_key(&pair.target) && !self.used[pair.source] {
                self.record(pair.target, pair.source, pair.score);
            }
        }
    }

    fn best_sources(&self, target: usize, minimum: f64) -> Vec<Pair> {
        let mut best = Vec::with_capacity(CANDIDATES);
        for &source in &self.sources {
            let score = self.score(source, target, minimum);
            keep_better(&mut best, Pair { score, same_name: self.same_name(source, target), source, target });
        }
        best
    }

    /// Reads the sizes of pairs of sources and targets, and the spans of those that are compared.
    fn load(
        &mut self,
        pairs: impl Iterator<Item = (usize, usize)> + Clone,
        minimum: f64,
        contents: &mut impl Contents,
    ) {
        let mut wanted = vec![false; self.entries.len()];
        pairs.clone().for_each(|(source, target)| (wanted[source], wanted[target]) = (true, true));
        for index in (0..wanted.len()).filter(|&index| wanted[index]) {
            self.sizes[index].get_or_insert_with(|| contents.size(&self.entries[index]));
        }
        wanted.fill(false);
        for (source, target) in pairs {
            if self.is_compared(source, target, minimum) {
                (wanted[source], wanted[target]) = (true, true);
            }
        }
        let missing: Vec<usize> =
            (0..wanted.len()).filter(|&index| wanted[index] && self.spans[index].is_none()).collect();
        let entries: Vec<&Entry> = missing.iter().map(|&index| &self.entries[index]).collect();
        for (index, spans) in missing.into_iter().zip(contents.spans(&entries)) {
            self.spans[index] = Some(spans.unwrap_or_default());
        }
    }

    fn is_compared(&self, source: usize, target: usize, minimum: f64) -> bool {
        let is_regular = |side: &Option<Side>| side.is_some_and(|side| side.is_regular());
        let sizes = self.sizes[source].flatten().zip(self.sizes[target].flatten());
        sizes.is_some_and(|(old, new)| worth_comparing(old, new, minimum))
            && is_regular(&self.entries[source].old)
            && is_regular(&self.entries[target].new)
    }

    /// Returns the score of a pair that is loaded.
    fn score(&self, source: usize, target: usize, minimum: f64) -> u32 {
        match (&self.spans[source], &self.spans[target]) {
            (Some(old), Some(new)) if self.is_compared(source, target, minimum) => old.score(new, minimum),
            _ => 0,
        }
    }
}

/// A possible rename.
struct Pair {
    score: u32,
    same_name: bool,
    source: usize,
    target: usize,
}

impl Pair {
    fn better_first(one: &Self, two: &Self) -> std::cmp::Ordering {
        two.score.cmp(&one.score).then(two.same_name.cmp(&one.same_name))
    }
}

/// Keeps the best candidates in their original slots, as git does: for equal candidates, the order of the slots decides.
fn keep_better(best: &mut Vec<Pair>, pair: Pair) {
    if best.len() < CANDIDATES {
        best.push(pair);
        return;
    }
    let mut worst = 0;
    for at in 1..best.len() {
        if Pair::better_first(&best[at], &best[worst]).is_gt() {
            worst = at;
        }
    }
    if Pair::better_first(&best[worst], &pair).is_gt() {
        best[worst] = pair;
    }
}

fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}

fn join(mut entries: Vec<Entry>, found: &HashMap<usize, (usize, u32)>, used: &[bool]) -> Vec<Entry> {
    for (&target, &(source, score)) in found {
        let similarity = (f64::from(score) * 100.0 / MAX_SCORE) as u8;
        let origin = Origin { path: entries[source].path.clone(), similarity };
        let old = entries[source].old;
        entries[target].old = old;
        entries[target].from = Some(origin);
    }
    let mut index = 0;
    entries.retain(|_| {
        index += 1;
        !used[index - 1]
    });
    entries
}
