//! The pending requests of one connection: each can be cancelled by its id, and all are cancelled when the connection
//! closes. Its subscriptions end then, too. The number of requests is limited, and so is the number that run at the same
//! time, so that the queued ones can still be cancelled.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::registry::Kind;

/// The maximum size of a connection's pending requests.
const MAX_PENDING_BYTES: usize = 128 * 1024 * 1024;
/// The size that a small request or a subscription counts as. So 1,024 of them can be pending.
const MIN_REQUEST_BYTES: usize = 128 * 1024;
/// The number of a connection's requests that run at the same time on this machine.
const MAX_RUNNING: usize = 16;
/// The number of a connection's requests that wait at the same time for agents and servers.
const MAX_WAITING: usize = 64;

/// The pending requests of one connection.
#[derive(Clone, Debug)]
pub(super) struct Asks {
    /// The parent of the tokens of all connections.
    parent: CancellationToken,
    /// The number of the connection.
    connection: u64,
    /// The number of connections so far.
    connections: Arc<AtomicU64>,
    begun: Arc<Mutex<Begun>>,
    /// The bytes that pending requests may still have.
    room: Arc<Semaphore>,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// The pending requests by id, each with a serial number. The serial number is needed because a reloaded page starts
/// its ids from the beginning again.
#[derive(Debug)]
struct Begun {
    by_id: HashMap<u64, (u64, CancellationToken)>,
    last: u64,
    /// The parent of the tokens of all requests. Cancelled when the connection closes. A reloaded page gets a new token.
    connected: CancellationToken,
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

/// The permission to run. The next request of the connection gets it when this is dropped.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "dropping it has an effect")] OwnedSemaphorePermit);

/// The head of a request.
#[derive(Deserialize)]
pub(super) struct Head {
    #[serde(default)]
    pub(super) id: Value,
    pub(super) method: String,
}

impl Default for Asks {
    fn default() -> Self {
        Self::new(CancellationToken::new())
    }
}

impl Asks {
    /// Creates an empty list of requests.
    pub(super) fn new(parent: CancellationToken) -> Self {
        Self::numbered(parent, 0, Arc::default())
    }

    /// Creates an empty list of requests for another connection, which numbers its requests separately.
    pub(super) fn of_another_connection(&self) -> Self {
        let number = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        Self::numbered(self.parent.clone(), number, Arc::clone(&self.connections))
    }

    fn numbered(parent: CancellationToken, connection: u64, connections: Arc<AtomicU64>) -> Self {
        let begun = Begun { by_id: HashMap::new(), last: 0, connected: parent.child_token() };
        Self {
            parent,
            connection,
            connections,
            begun: Arc::new(Mutex::new(begun)),
            room: Arc::new(Semaphore::new(MAX_PENDING_BYTES)),
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }

    /// Registers a request until the returned value is dropped. The request can be cancelled by its id if that is a
    /// number. Returns `None` if too many requests are pending.
    pub(super) fn begin(&self, id: Option<u64>, bytes: usize, kind: Option<Kind>) -> Option<Pending> {
        let bytes = match kind {
            Some(Kind::Urgent) => 0,
            _ => u32::try_from(bytes.clamp(MIN_REQUEST_BYTES, MAX_PENDING_BYTES)).unwrap_or(u32::MAX),
        };
        let room = Arc::clone(&self.room).try_acquire_many_owned(bytes).ok()?;
        let mut begun = self.lock();
        let (cancel, closed) = (begun.connected.child_token(), begun.connected.clone());
        let named = id.map(|id| {
            begun.last += 1;
            let serial = begun.last;
            begun.by_id.insert(id, (serial, cancel.clone()));
            (id, serial)
        });
        drop(begun);
        Some(Pending { ask: Ask { cancel, all: self.clone(), named }, closed, room: Some(room) })
    }

    /// Cancels a request. Returns `false` if it is not pending any more.
    fn cancel(&self, id: u64) -> bool {
        let pending = self.lock().by_id.get(&id).cloned();
        pending.inspect(|(_, cancel)| cancel.cancel()).is_some()
    }

    /// Cancels all requests and ends all subscriptions, because nobody receives their answers any more.
    pub(super) fn cancel_all(&self) {
        let mut begun = self.lock();
        begun.by_id.clear();
        std::mem::replace(&mut begun.connected, self.parent.child_token()).cancel();
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
pub(super) struct Pending {
    pub(super) ask: Ask,
    /// Cancelled when the connection closes.
    pub(super) closed: CancellationToken,
    room: Option<OwnedSemaphorePermit>,
}

impl Pending {
    /// Waits until the request may run. Fails if it was cancelled before and saves nothing: a page loses nothing that it
    /// saved just before it was closed.
    pub(super) async fn turn(&self, kind: Option<Kind>) -> Result<Option<Turn>, Cancelled> {
        let (turns, saves) = match kind {
            Some(Kind::Local { saves }) => (&self.ask.all.running, saves),
            Some(Kind::Remote { saves }) => (&self.ask.all.waiting, saves),
            Some(Kind::Urgent) | None => return Ok(None),
        };
        let turn = Arc::clone(turns).acquire_owned();
        if saves {
            return Ok(turn.await.ok().map(Turn));
        }
        let turn = self.ask.cancel.run_until_cancelled(turn).await.ok_or(Cancelled)?;
        if self.ask.cancel.is_cancelled() { Err(Cancelled) } else { Ok(turn.ok().map(Turn)) }
    }

    /// Ends the request, but not its subscription, which counts as a request until the returned value is dropped.
    pub(super) fn into_subscription(mut self) -> (CancellationToken, Option<OwnedSemaphorePermit>) {
        (self.closed.clone(), self.room.take())
    }
}

/// The request was cancelled before it began.
pub(super) struct Cancelled;

impl Drop for Pending {
    fn drop(&mut self) {
        let Some((id, serial)) = self.ask.named else { return };
        let mut begun = self.ask.all.lock();
        // A later request may have the same id by now.
        if begun.by_id.get(&id).is_some_and(|(now, _)| *now == serial) {
            begun.by_id.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_request_of_an_earlier_page_ends_without_the_later_one_of_its_id() {
        let asks = Asks::default();
        let old = asks.begin(Some(1), 0, None).expect("room");
        asks.cancel_all();
        assert!(old.ask.cancel.is_cancelled());
        let new = asks.begin(Some(1), 0, None).expect("room");
        drop(old);
        assert!(!new.ask.cancel.is_cancelled());
        assert!(asks.cancel(1) && new.ask.cancel.is_cancelled(), "it can still be cancelled");
        drop(new);
        assert!(!asks.cancel(1), "it waits no more");
    }

    #[test]
    fn requests_of_equal_ids_are_all_cancelled() {
        let asks = Asks::default();
        let same = [asks.begin(Some(1), 0, None), asks.begin(Some(1), 0, None), asks.begin(None, 0, None)]
            .map(|one| one.expect("room"));
        asks.cancel_all();
        assert!(same.iter().all(|one| one.ask.cancel.is_cancelled()));
    }

    #[test]
    fn a_large_request_counts_by_its_size() {
        let asks = Asks::default();
        let large = asks.begin(Some(1), MAX_PENDING_BYTES, None).expect("room");
        assert!(asks.begin(Some(2), 1, None).is_none());
        assert!(asks.begin(Some(3), 1, Some(Kind::Urgent)).is_some());
        drop(large);
        assert!(asks.begin(Some(2), usize::MAX, None).is_some());
    }
}
