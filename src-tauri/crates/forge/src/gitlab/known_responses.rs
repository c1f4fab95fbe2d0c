//! Conditional requests: the answers that are known, and reading with them.
//!
//! GitLab gives every answer a tag. A request that names the tag gets the status 304 and no body if the answer is still the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::StatusCode;
use reqwest::header::{DATE, ETAG};
use serde::de::DeserializeOwned;

use super::client::{Client, Held, MAX_ANSWER_BYTES, MAX_PAGES, Sending, decoded, next_page};
use super::error::GitlabError;

/// The maximum size of an answer that is remembered, in bytes.
const MAX_KNOWN_BYTES: usize = 1024 * 1024;

/// An answer that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownResponse {
    /// The tag of the answer.
    pub etag: String,
    /// The number of the next page of a list.
    pub next: Option<u64>,
    /// The JSON of the answer.
    pub body: String,
}

/// The known answers of one server to one user, by path. Copies share their entries.
#[derive(Clone, Debug, Default)]
pub struct KnownResponses(Arc<Mutex<Responses>>);

#[derive(Debug, Default)]
struct Responses {
    known: BTreeMap<String, KnownResponse>,
    /// The paths whose answers are new since they were last taken.
    changed: BTreeSet<String>,
    /// The time of the server, as its last answer reports it.
    date: Option<String>,
}

impl KnownResponses {
    /// Creates the list from saved answers.
    pub fn saved(known: impl IntoIterator<Item = (String, KnownResponse)>) -> Self {
        let known = known.into_iter().collect();
        Self(Arc::new(Mutex::new(Responses { known, ..Responses::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Responses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answers that are new since the last call, with their paths.
    pub fn take_changed(&self) -> Vec<(String, KnownResponse)> {
        let mut responses = self.lock();
        let changed = std::mem::take(&mut responses.changed);
        changed.into_iter().filter_map(|path| responses.known.get(&path).cloned().map(|known| (path, known))).collect()
    }

    /// Returns the time of the server, in the form of the header `Date`.
    pub fn server_date(&self) -> Option<String> {
        self.lock().date.clone()
    }
}

impl Client {
    /// Reads a resource. Sends the tag of the known answer, if there is one.
    pub(super) async fn get_known<T: DeserializeOwned>(
        &self,
        path: &str,
        responses: &KnownResponses,
    ) -> Result<T, GitlabError> {
        self.page_known(path, responses).await.map(|(value, _)| value)
    }

    /// Reads all pages of a list like [`Self::get_known`].
    pub(super) async fn list_known<T: DeserializeOwned>(
        &self,
        path: &str,
        responses: &KnownResponses,
    ) -> Result<Vec<T>, GitlabError> {
        let sign = if path.contains('?') { '&' } else { '?' };
        let (mut all, mut page) = (Vec::new(), 1u64);
        for _ in 0..MAX_PAGES {
            let (items, next): (Vec<T>, _) =
                self.page_known(&format!("{path}{sign}page={page}&per_page=100"), responses).await?;
            all.extend(items);
            match next {
                Some(next) if next > page => page = next,
                _ => return Ok(all),
            }
        }
        Err(GitlabError::Unreadable("the list has too many pages".to_owned()))
    }

    async fn page_known<T: DeserializeOwned>(
        &self,
        path: &str,
        responses: &KnownResponses,
    ) -> Result<(T, Option<u64>), GitlabError> {
        let known = responses.lock().known.get(path).cloned();
        let etag = known.as_ref().map(|known| known.etag.as_str());
        let sending = Sending { body: None, etag, held: Held::Whole(MAX_ANSWER_BYTES) };
        let answer = self.read_sending(path, sending).await?;
        let header = |name| answer.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if let Some(date) = header(DATE) {
            responses.lock().date = Some(date);
        }
        if let (StatusCode::NOT_MODIFIED, Some(known)) = (answer.status, known) {
            return Ok((decoded(known.body.as_bytes())?, known.next));
        }
        let (value, next) = (decoded(&answer.body)?, next_page(&answer.headers));
        let body = String::from_utf8(answer.body).ok().filter(|body| body.len() <= MAX_KNOWN_BYTES);
        let mut responses = responses.lock();
        if let (Some(etag), Some(body)) = (header(ETAG), body) {
            responses.known.insert(path.to_owned(), KnownResponse { etag, next, body });
            responses.changed.insert(path.to_owned());
        }
        Ok((value, next))
    }
}
