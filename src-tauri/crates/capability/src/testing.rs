//! Files in memory, for tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::project::{Content, Files};

pub(crate) struct Memory {
    paths: BTreeSet<String>,
    texts: BTreeMap<String, String>,
}

impl Memory {
    pub(crate) fn new<'t>(files: impl IntoIterator<Item = &'t (&'t str, &'t str)>) -> Self {
        let texts: BTreeMap<String, String> =
            files.into_iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { paths: texts.keys().cloned().collect(), texts }
    }
}

impl Files for Memory {
    fn paths(&self) -> &BTreeSet<String> {
        &self.paths
    }

    fn read(&self, path: &str) -> Content {
        self.texts.get(path).map_or(Content::Unreadable("it is missing"), |text| Content::Text(text.clone()))
    }
}
