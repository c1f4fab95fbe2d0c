//! The versions of servers: read once a day, and again if an answer contradicts them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::ServerVersion;

/// The time for which a version is valid. A server may be updated.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The time in which a version that could not be read is not requested again.
const MAX_UNREADABLE_AGE: Duration = Duration::from_secs(5 * 60);

/// Saves the versions as a text.
type Save = Box<dyn Fn(&str) + Send + Sync>;

/// The versions of servers, by the address of their API. Copies share their entries.
#[derive(Clone, Default)]
pub struct KnownVersions(Arc<Shared>);

#[derive(Default)]
struct Shared {
    entries: Mutex<BTreeMap<String, Entry>>,
    save: Option<Save>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    /// The version, or `None` if the server does not tell it.
    version: Option<ServerVersion>,
    /// The time of the answer, in seconds since 1970.
    learned_at: u64,
}

impl Entry {
    fn is_valid(&self) -> bool {
        let max_age = if self.version.is_some() { MAX_AGE } else { MAX_UNREADABLE_AGE };
        // A time in the future comes from a wrong clock.
        now().checked_sub(self.learned_at).is_some_and(|age| age < max_age.as_secs())
    }
}

impl KnownVersions {
    /// Creates the list from a saved text. A text that cannot be read is ignored. Calls `save` with the text after each change.
    pub fn saved(text: &str, save: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let entries = serde_json::from_str(text).unwrap_or_default();
        Self(Arc::new(Shared { entries: Mutex::new(entries), save: Some(Box::new(save)) }))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the version of a server; `Some(None)` if the server does not tell it, and `None` if it must be requested.
    pub(super) fn get(&self, server: &Url) -> Option<Option<ServerVersion>> {
        self.lock().get(server.as_str()).filter(|entry| entry.is_valid()).map(|entry| entry.version)
    }

    /// Records the answer of a server.
    pub(super) fn learn(&self, server: &Url, version: Option<ServerVersion>) {
        self.change(|entries| {
            entries.insert(server.as_str().to_owned(), Entry { version, learned_at: now() });
        });
    }

    /// Removes a version that an answer of the server contradicts.
    pub(super) fn forget(&self, server: &Url) {
        self.change(|entries| entries.retain(|known, entry| known != server.as_str() || entry.version.is_none()));
    }

    /// Changes the entries, and saves the valid versions.
    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Entry>)) {
        let mut entries = self.lock();
        change(&mut entries);
        entries.retain(|_, entry| entry.is_valid());
        let versions: BTreeMap<_, _> = entries.iter().filter(|(_, entry)| entry.version.is_some()).collect();
        // Such a map can always be written.
        if let (Some(save), Ok(text)) = (&self.0.save, serde_json::to_string(&versions)) {
            save(&text);
        }
    }
}

impl fmt::Debug for KnownVersions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("KnownVersions").field(&*self.lock()).finish()
    }
}

/// Returns the current time, in seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Url {
        Url::parse("https://gitlab.example.com/api/v4/").expect("an address")
    }

    fn text_of(version: Option<&str>, age: u64) -> String {
        let entry = Entry { version: version.map(|text| text.parse().expect("a version")), learned_at: now() - age };
        serde_json::to_string(&BTreeMap::from([(server().as_str(), entry)])).expect("JSON")
    }

    #[test]
    fn a_version_is_valid_for_a_day_and_a_missing_one_for_minutes() {
        let day = 24 * 60 * 60;
        let version = || Some("17.7".parse().expect("a version"));
        let check = |version: Option<&str>, age: u64, expected: Option<Option<ServerVersion>>| {
            let known = KnownVersions::saved(&text_of(version, age), |_| ());
            assert_eq!(known.get(&server()), expected, "{version:?} after {age} s");
        };
        check(Some("17.7"), 0, Some(version()));
        check(Some("17.7"), day - 60, Some(version()));
        check(Some("17.7"), day, None);
        check(None, 60, Some(None));
        check(None, 3600, None);
        let future = text_of(Some("17.7"), 0).replace(&now().to_string(), &(now() + 99).to_string());
        assert_eq!(KnownVersions::saved(&future, |_| ()).get(&server()), None);
        assert_eq!(KnownVersions::saved("not JSON", |_| ()).get(&server()), None);
    }

    #[test]
    fn only_versions_are_saved() {
        let saved = Arc::new(Mutex::new(String::new()));
        let target = Arc::clone(&saved);
        let known = KnownVersions::saved("", move |text| text.clone_into(&mut target.lock().expect("a text")));
        let read = || KnownVersions::saved(&saved.lock().expect("a text"), |_| ()).get(&server());
        known.learn(&server(), None);
        assert_eq!((known.get(&server()), read()), (Some(None), None));
        known.forget(&server());
        assert_eq!(known.get(&server()), Some(None), "nothing contradicts a missing version");
        let version = Some("18.5".parse().expect("a version"));
        known.learn(&server(), version);
        assert_eq!((known.get(&server()), read()), (Some(version), Some(version)));
        known.forget(&server());
        assert_eq!((known.get(&server()), read()), (None, None));
    }
}
