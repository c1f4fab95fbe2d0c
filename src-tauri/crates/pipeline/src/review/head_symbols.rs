//! The symbols and texts of the head that decide the claims of findings.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::placing::ClaimCheck;
use super::search::{self, FilesByName};
use crate::navigation::{Effort, SymbolTree};
use crate::open::OpenChange;
use diffsan_anchor::{Head, claimed_names, names_symbols};
use diffsan_review::finding::{AgentFinding, Side};

/// The maximum duration of reading the symbols of a head. A longer one is abandoned, and no claim is decided.
const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// The symbols of the head, and the files that contain the names of claims.
pub(super) struct HeadSymbols<'a> {
    opened: &'a OpenChange,
    tree: SymbolTree,
    names: Vec<String>,
    /// Searched when the first claim needs it.
    files: OnceLock<Option<FilesByName>>,
}

impl<'a> HeadSymbols<'a> {
    /// Reads the symbols of the head if a finding needs them. Returns `None` if none does, or if the head is not known. Blocks.
    pub fn read(opened: &'a OpenChange, check: ClaimCheck, findings: &[&AgentFinding]) -> Option<Self> {
        let names = claimed_names(findings.iter().copied());
        if names.is_empty() && !findings.iter().any(|finding| names_symbols(finding)) {
            return None;
        }
        opened.tree.as_ref()?;
        let started = Instant::now();
        let stop = || started.elapsed() > READ_TIMEOUT;
        let tree = SymbolTree::build(opened, Side::New, check.cache, None, (Effort::Full, &stop)).ok()?;
        Some(Self { opened, tree, names, files: OnceLock::new() })
    }

    /// Calls a function with the head as claims see it.
    pub fn with_head<T>(&self, ask: impl FnOnce(&Head<'_>) -> T) -> T {
        let text = |path: &str| String::from_utf8(self.tree.text(path)?).ok().map(Arc::from);
        let files_with = |name: &str| {
            let files = self.files.get_or_init(|| search::files_with(self.opened, &self.names));
            let found: Option<&BTreeMap<_, _>> = files.as_ref();
            found?.get(name).map(|paths| paths.iter().cloned().collect())
        };
        self.tree.navigate(|navigator| ask(&Head::new(navigator, &text, &files_with)))
    }
}
