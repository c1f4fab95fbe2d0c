//! The pending requests of one connection: each can be cancelled by its id, and all are cancelled when the connection
//! closes. Its subscriptions end then, too.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

/// The pending requests of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Asks {
    /// The parent of the tokens of all requests.
    parent: CancellationToken,
    /// The number of the connection.
    connection: u64,
    /// The number of connections so far.
    connections: Arc<AtomicU64>,
    begun: Arc<Mutex<Begun>>,
}

/// The pending requests by id, each with a serial number. The serial number is needed because a reloaded page starts
/// its ids from the beginning again.
#[derive(Debug, Default)]
struct Begun {
    waiting: HashMap<u64, (u64, CancellationToken)>,
    last: u64,
    /// Cancelled when the connection closes. A reloaded page gets a new token.
    subscriptions: CancellationToken,
}

/// One request, as its method sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// Cancelled when the answer is not wanted any more.
    pub(super) cancel: CancellationToken,
    all: Asks,
    /// The request's id and serial number. `None` if the id is not a number.
    named: Option<(u64, u64)>,
}

impl Asks {
    /// Creates an empty list of requests.
    pub(super) fn new(parent: CancellationToken) -> Self {
        Self { parent, ..Self::default() }
    }

    /// Creates an empty list of requests for another connection, which numbers its requests separately.
    pub(super) fn of_another_connection(&self) -> Self {
        Self {
            parent: self.parent.clone(),
            connection: self.connections.fetch_add(1, Ordering::Relaxed) + 1,
            connections: Arc::clone(&self.connections),
            begun: Arc::default(),
        }
    }

    /// Registers a request until the returned value is dropped. The request can be cancelled by its id if that is a
    /// number.
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

    /// Cancels a request. Returns `false` if it is not pending any more.
    fn cancel(&self, id: u64) -> bool {
        let waiting = self.lock().waiting.get(&id).cloned();
        waiting.inspect(|(_, cancel)| cancel.cancel()).is_some()
    }

    /// Cancels all requests and ends all subscriptions, because nobody receives their answers any more.
    pub(super) fn cancel_all(&self) {
        let mut begun = self.lock();
        begun.waiting.drain().for_each(|(_, (_, cancel))| cancel.cancel());
        std::mem::take(&mut begun.subscriptions).cancel();
    }

    /// Returns a token that is cancelled when the connection closes.
    pub(super) fn until_closed(&self) -> CancellationToken {
        self.lock().subscriptions.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ask {
    /// Cancels another request of the same connection. Returns `false` if it is not pending any more.
    pub(super) fn cancel_other(&self, id: u64) -> bool {
        self.all.cancel(id)
    }

    /// Returns the number of the connection.
    pub(super) fn connection(&self) -> u64 {
        self.all.connection
    }
}

/// A pending request. Dropping it removes it from the list.
pub(super) struct Waiting(pub(super) Ask);

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some((id, serial)) = self.0.named else { return };
        let mut begun = self.0.all.lock();
        // A later request may have the same id by now.
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
