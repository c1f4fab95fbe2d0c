//! Matches the findings of two reviews: the surest pairs first, each finding at most once.
//!
//! The certainty of a pair depends on four facts: same code, same headline, near lines, same category. The combinations are visited from
//! the surest down. After a combination was visited, no two remaining findings are a surer pair. Therefore it is enough to take the first
//! remaining finding of the candidates: those with the same code, headline, category and file, with near lines, or with common rare words.
//! No list of all pairs is built.

use std::collections::HashMap;

use crate::finding::{Category, Finding};
use crate::merge::headline::Headline;
use crate::merge::near::{List, Nearby, Range, is_near, overlaps, range};
use crate::merge::words::{Numbers, Words, quoted};

/// The minimum similarity of two findings on the same code or lines.
const SAME_MEANING: f64 = 0.34;
/// The minimum similarity of two findings elsewhere in the same file.
const MOVED_MEANING: f64 = 0.6;
/// The maximum number of pairs that are compared, which takes some seconds. Only thousands of nearly equal findings have more pairs.
const MAX_COMPARISONS: u64 = 100_000_000;

/// The facts that two findings have in common.
#[derive(Clone, Copy)]
struct Level {
    code: bool,
    title: bool,
    here: bool,
    category: bool,
}

impl Level {
    const fn new(code: bool, title: bool, here: bool, category: bool) -> Self {
        Self { code, title, here, category }
    }

    fn score(self) -> u32 {
        1 + 8 * u32::from(self.code) + 4 * u32::from(self.title) + 2 * u32::from(self.here) + u32::from(self.category)
    }
}

/// All combinations of a pair, the surest first. The same code always counts as the same place.
const LEVELS: [Level; 11] = [
    Level::new(true, true, true, true),
    Level::new(true, true, true, false),
    Level::new(true, false, true, true),
    Level::new(true, false, true, false),
    Level::new(false, true, true, true),
    Level::new(false, true, true, false),
    Level::new(false, true, false, true),
    Level::new(false, true, false, false),
    Level::new(false, false, true, true),
    Level::new(false, false, true, false),
    Level::new(false, false, false, true),
];

/// The places at which a later finding can be an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceRule {
    /// Every place.
    Anywhere,
    /// Nothing is known of its code but the text: near its lines, or where its code or quote is.
    Unknown,
    /// Its code is at its lines. The same code at other lines is other code.
    AtLines,
    /// Its code was edited or removed: near the lines that replaced it, or in another file with its code or quote.
    Replaced,
}

impl PlaceRule {
    /// Returns whether a finding that says the same can be the earlier one.
    pub(super) fn allows(self, known: &Finding, found: &Finding) -> bool {
        let mut numbers = Numbers::default();
        self.allows_features(&Features::of(known, self, &mut numbers), &Features::of(found, self, &mut numbers))
    }

    fn allows_features(self, known: &Features, found: &Features) -> bool {
        let (same_file, near) = (known.path == found.path, is_near(known.range, found.range));
        match self {
            Self::Anywhere => true,
            Self::Unknown => near || has_same_code(known, found),
            Self::AtLines => same_file && (overlaps(known.range, found.range) || near && !has_same_code(known, found)),
            Self::Replaced => {
                if same_file {
                    near
                } else {
                    has_same_code(known, found)
                }
            }
        }
    }
}

/// Returns the matching findings of two reviews as indices into both, each at most once, the surest pairs first.
pub fn match_findings(earlier: &[Finding], later: &[Finding]) -> Vec<(usize, usize)> {
    let earlier: Vec<_> = earlier.iter().map(|finding| (finding, PlaceRule::Anywhere)).collect();
    bounded_match(&earlier, &later.iter().collect::<Vec<_>>()).0
}

/// Like [`match_findings`], with the places at which each earlier finding can be; also returns whether everything was compared.
pub(super) fn bounded_match(earlier: &[(&Finding, PlaceRule)], later: &[&Finding]) -> (Vec<(usize, usize)>, bool) {
    let mut numbers = Numbers::default();
    let before: Vec<Features> = earlier.iter().map(|(known, rule)| Features::of(known, *rule, &mut numbers)).collect();
    let after: Vec<Features> =
        later.iter().map(|found| Features::of(found, PlaceRule::Anywhere, &mut numbers)).collect();
    let mut search = Search {
        after: &after,
        used: vec![false; after.len()],
        asked: vec![0; after.len()],
        question: 0,
        left: MAX_COMPARISONS,
    };
    let mut open: Vec<usize> = (0..before.len()).collect();
    let mut found = Vec::new();
    for level in LEVELS {
        let mut index = Index::new(level, &search, &before, &open);
        open.retain(|&a| match index.find(&before[a], &mut search) {
            Some(b) => {
                search.used[b] = true;
                found.push((a, b));
                false
            }
            None => true,
        });
    }
    (found, search.left > 0)
}

/// The features by which a finding is compared, computed once.
struct Features {
    path: u32,
    code: Option<u32>,
    quote: Option<u32>,
    title: Option<u32>,
    category: Category,
    built_in: bool,
    range: Range,
    words: Words,
    headline: Headline,
    rule: PlaceRule,
}

impl Features {
    fn of(finding: &Finding, rule: PlaceRule, numbers: &mut Numbers) -> Self {
        let title = finding.as_found().title.as_deref().map(str::to_lowercase);
        Self {
            path: numbers.of(&finding.anchor.path),
            code: numbers.of_optional(finding.code.as_deref()),
            quote: numbers.of_optional(quoted(finding).as_deref()),
            title: numbers.of_optional(title.as_deref()),
            category: finding.as_found().category,
            built_in: crate::merge::is_built_in(finding),
            range: range(finding),
            words: Words::of(finding, numbers),
            headline: Headline::of(finding),
            rule,
        }
    }
}

fn is_same(one: Option<u32>, other: Option<u32>) -> bool {
    one.is_some() && one == other
}

fn has_same_code(a: &Features, b: &Features) -> bool {
    is_same(a.code, b.code) || is_same(a.quote, b.quote)
}

/// Returns how certain it is that an earlier and a later finding are the same; 0 if they are not.
fn sameness(a: &Features, b: &Features) -> u32 {
    if !a.rule.allows_features(a, b) {
        return 0;
    }
    let level = Level {
        code: has_same_code(a, b),
        title: is_same(a.title, b.title),
        here: false,
        category: a.category == b.category,
    };
    let level = Level { here: level.code || is_near(a.range, b.range), ..level };
    let same_file = a.path == b.path;
    let alike = |least: f64| a.words.may_be_alike(&b.words, least) && a.words.likeness(&b.words) >= least;
    if !same_file && (!level.code || !alike(MOVED_MEANING)) || a.headline.is_opposite(&b.headline) {
        return 0;
    }
    let is_same = match () {
        // The capability reviewer separates findings on purpose, even if their sentences are similar.
        () if a.built_in && b.built_in => level.title,
        () if level.here => level.title || alike(SAME_MEANING),
        () => level.title || level.category && alike(MOVED_MEANING),
    };
    if is_same { level.score() } else { 0 }
}

/// The remaining findings of the later review.
struct Search<'a> {
    after: &'a [Features],
    used: Vec<bool>,
    /// The question in which each finding was last visited, because it may be in several lists.
    asked: Vec<usize>,
    question: usize,
    left: u64,
}

impl Search<'_> {
    /// Searches a list for the first remaining finding that makes a pair with this score. `best` is the first one so far.
    fn first(&mut self, list: &mut List, a: &Features, score: u32, best: &mut Option<usize>) {
        let Self { after, used, asked, question, left } = self;
        let found = list.first(used, best.unwrap_or(usize::MAX), &mut |b| {
            let Some(rest) = left.checked_sub(1) else { return false };
            *left = rest;
            std::mem::replace(&mut asked[b], *question) != *question && sameness(a, &after[b]) == score
        });
        *best = found.or(*best);
    }
}

/// The file, headline and category, as far as a pair must share them.
type Key = (Option<u32>, Option<u32>, Option<Category>);

/// The key of a list of later findings.
#[derive(PartialEq, Eq, Hash)]
enum IndexKey {
    Code(u32),
    Quote(u32),
    Title,
    /// A word of the finding.
    Word(u32),
    /// One of the finding's rarest words.
    RareWord(u32),
}

/// The remaining later findings, by the features that an earlier finding must have for a pair of one level.
struct Index {
    level: Level,
    lists: HashMap<(Key, IndexKey), List>,
    lines: HashMap<Key, Nearby>,
    /// The number of findings that contain each word.
    counts: HashMap<u32, u32>,
}

impl Index {
    fn new(level: Level, search: &Search<'_>, before: &[Features], open: &[usize]) -> Self {
        let mut index = Self { level, lists: HashMap::new(), lines: HashMap::new(), counts: HashMap::new() };
        let by_words = !(level.code || level.here || level.title);
        let left = (0..search.after.len()).filter(|&b| !search.used[b]);
        if by_words {
            let all = left.clone().map(|b| &search.after[b]).chain(open.iter().map(|&a| &before[a]));
            all.flat_map(|one| one.words.iter()).for_each(|word| *index.counts.entry(word).or_default() += 1);
        }
        for b in left {
            let of_b = &search.after[b];
            let Some(key) = index.key(of_b) else { continue };
            if level.here && !level.code {
                index.lines.entry(key).or_default().list(of_b.range).add(b);
                continue;
            }
            let mut ways = Vec::new();
            if level.code {
                ways.extend(of_b.code.map(IndexKey::Code));
                ways.extend(of_b.quote.map(IndexKey::Quote));
            } else if level.title {
                ways.push(IndexKey::Title);
            } else {
                ways.extend(of_b.words.iter().map(IndexKey::Word));
                ways.extend(index.rarest(&of_b.words).into_iter().map(IndexKey::RareWord));
            }
            ways.into_iter().for_each(|way| index.lists.entry((key, way)).or_default().add(b));
        }
        index
    }

    /// Returns the key of a finding, or `None` if it lacks a feature that the pair must share.
    fn key(&self, one: &Features) -> Option<Key> {
        if self.level.title && one.title.is_none() {
            return None;
        }
        // The same code may be in another file.
        let path = (!self.level.code).then_some(one.path);
        Some((path, one.title.filter(|_| self.level.title), self.level.category.then_some(one.category)))
    }

    /// Returns the first remaining later finding that makes a pair of this level.
    fn find(&mut self, a: &Features, search: &mut Search<'_>) -> Option<usize> {
        let key = self.key(a)?;
        let (score, mut best) = (self.level.score(), None);
        search.question += 1;
        if self.level.here && !self.level.code {
            let nearby = self.lines.get_mut(&key)?;
            nearby.each(a.range, &mut |list| search.first(list, a, score, &mut best));
            return best;
        }
        let mut ways = Vec::new();
        if self.level.code {
            ways.extend(a.code.map(IndexKey::Code));
            ways.extend(a.quote.map(IndexKey::Quote));
        } else if self.level.title {
            ways.push(IndexKey::Title);
        } else {
            // Two sets with enough common words share one of the rarest words of the smaller set.
            ways.extend(self.rarest(&a.words).into_iter().map(IndexKey::Word));
            ways.extend(a.words.iter().map(IndexKey::RareWord));
        }
        for way in ways {
            if let Some(list) = self.lists.get_mut(&(key, way)) {
                search.first(list, a, score, &mut best);
            }
        }
        best
    }

    /// Returns as many of the rarest words as needed, so that a set of the same size with enough common words contains one of them.
    fn rarest(&self, words: &Words) -> Vec<u32> {
        let mut all: Vec<u32> = words.iter().collect();
        all.sort_unstable_by_key(|word| (self.counts.get(word).copied().unwrap_or_default(), *word));
        let enough = (1..=all.len()).find(|&common| common as f64 / all.len() as f64 >= MOVED_MEANING);
        all.truncate(all.len() + 1 - enough.unwrap_or(1).min(all.len() + 1));
        all
    }
}
