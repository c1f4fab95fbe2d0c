//! The calls of the functions that findings are in, from the symbols of the head.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use diffsan_pipeline::navigation::{SymbolStore, SymbolTree};
use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::{Finding, Side};
use diffsan_store::files::places::Places;
use diffsan_store::files::symbol_cache::SymbolCache;
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::Navigator;
use diffsan_syntax::symbols::READER_VERSION;

/// The maximum duration of reading the symbols. After a longer one, the prompt has no callers.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of callers of one function.
const MAX_CALLERS: usize = 12;

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The name of the function around it; empty at the top of a file.
    pub within: String,
    /// Whether it can call nothing else.
    pub certain: bool,
}

/// The functions that findings are in and their calls, by the key of the finding.
#[derive(Clone, Debug, Default)]
pub struct Callers(BTreeMap<String, (String, Vec<Caller>)>);

impl Callers {
    /// Reads the calls. Blocks.
    pub fn read(opened: &OpenChange, places: &Places, findings: &[Finding]) -> Self {
        let is_code =
            |finding: &&Finding| finding.anchor.side == Side::New && Language::of(&finding.anchor.path).is_some();
        let wanted: Vec<&Finding> = findings.iter().filter(is_code).collect();
        if wanted.is_empty() || opened.tree.is_none() {
            return Self::default();
        }
        let started = Instant::now();
        let stop = || started.elapsed() > READ_TIMEOUT;
        let cache = places.data.is_dir().then(|| SymbolCache::open(&places.symbols(), READER_VERSION)).flatten();
        let store = SymbolStore::new(cache, opened.root.as_deref());
        let Ok(mut tree) = SymbolTree::open(opened, Side::New, &store) else { return Self::default() };
        let languages = wanted.iter().filter_map(|finding| Language::of(&finding.anchor.path)).collect();
        if tree.read_names(&languages, None, &stop).is_err() {
            return Self::default();
        }
        let found =
            |finding: &Finding| Some((finding.key.clone(), tree.navigate(|navigator| calls(navigator, finding))?));
        let callers = wanted.into_iter().filter_map(found).collect();
        SymbolTree::save_names(&[&tree]);
        Self(callers)
    }

    /// Returns the name of the function that a finding is in, and its calls. `None` if there are none.
    pub fn of(&self, key: &str) -> Option<(&str, &[Caller])> {
        self.0.get(key).map(|(name, calls)| (name.as_str(), calls.as_slice()))
    }
}

/// Returns the innermost function around a finding that is called, with its calls.
fn calls(navigator: Navigator<'_>, finding: &Finding) -> Option<(String, Vec<Caller>)> {
    let anchor = &finding.anchor;
    let line = anchor.line_start?;
    let symbols = navigator.symbols(&anchor.path)?;
    let mut around: Vec<_> =
        symbols.definitions.iter().filter(|one| one.at.line <= line && line <= one.last_line).collect();
    around.sort_by_key(|one| one.last_line - one.at.line);
    around.into_iter().find_map(|one| {
        let found = navigator.callers(&anchor.path, one.at.line, one.at.column).ok()?;
        let calls: Vec<Caller> = found
            .usages
            .into_iter()
            .take(MAX_CALLERS)
            .map(|usage| Caller { path: usage.path, line: usage.line, within: usage.within, certain: usage.certain })
            .collect();
        (!calls.is_empty()).then(|| (symbols.path_of(one).join("."), calls))
    })
}
