//! The requests of one connection that wait for their answers, so that each can be cancelled by its id, and all when the
//! connection closes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

/// The requests of one connection that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Asks {
    /// The tokens of all requests are its children.
    parent: CancellationToken,
    begun: Arc<Mutex<Begun>>,
}

/// By id, each with its serial number: a page that was loaded anew counts its ids from the start again.
#[derive(Debug, Default)]
struct Begun {
    waiting: HashMap<u64, (u64, CancellationToken)>,
    last: u64,
}

/// One request, as its method sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// Ends the work when the answer is wanted no more.
    pub(super) cancel: CancellationToken,
    all: Asks,
    /// Its id and its serial number.
    named: Option<(u64, u64)>,
}

impl Asks {
    /// No requests yet.
    pub(super) fn new(parent: CancellationToken) -> Self {
        Self { parent, begun: Arc::default() }
    }

    /// No requests yet, of a connection with ids of its own.
    pub(super) fn of_another_connection(&self) -> Self {
        Self::new(self.parent.clone())
    }

    /// Notes a request, which can be cancelled if its id is a number, until what is given back is dropped.
    pub(super) fn begin(&self, request: &str) -> Waiting {
        #[derive(Deserialize)]
        struct Named {
            id: u64,
        }
        let cancel = self.parent.child_token();
        let named = serde_json::from_str(request).ok().map(|Named { id }| {
            let mut begun = self.lock();
            begun.last += 1;
            let serial = begun.last;
            begun.waiting.insert(id, (serial, cancel.clone()));
            (id, serial)
        });
        Waiting(Ask { cancel, all: self.clone(), named })
    }

    /// Cancels a request. False if it does not wait any more.
    fn cancel(&self, id: u64) -> bool {
        let waiting = self.lock().waiting.get(&id).cloned();
        waiting.inspect(|(_, cancel)| cancel.cancel()).is_some()
    }

    /// Cancels them all: nobody is there to hear the answers.
    pub(super) fn cancel_all(&self) {
        self.lock().waiting.drain().for_each(|(_, (_, cancel))| cancel.cancel());
    }

    fn lock(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ask {
    /// Cancels another request of the same connection. False if it does not wait any more.
    pub(super) fn cancel_other(&self, id: u64) -> bool {
        self.all.cancel(id)
    }
}

/// A request that waits for its answer.
pub(super) struct Waiting(pub(super) Ask);

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some((id, serial)) = self.0.named else { return };
        let mut begun = self.0.all.lock();
        // A later request may have the id by now.
        if begun.waiting.get(&id).is_some_and(|(now, _)| *now == serial) {
            begun.waiting.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_an_earlier_page_ends_without_the_later_one_of_its_id() {
        let asks = Asks::default();
        let old = asks.begin(r#"{"id":1}"#);
        asks.cancel_all();
        assert!(old.0.cancel.is_cancelled());
        let new = asks.begin(r#"{"id":1}"#);
        drop(old);
        assert!(!new.0.cancel.is_cancelled());
        assert!(asks.cancel(1) && new.0.cancel.is_cancelled(), "it can still be cancelled");
        drop(new);
        assert!(!asks.cancel(1), "it waits no more");
    }
}
