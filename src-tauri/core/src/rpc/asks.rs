//! The requests of one connection that wait for their answers, so that each can be cancelled by its id, and all when the
//! connection closes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

/// The requests of one connection that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Asks(Arc<Mutex<HashMap<u64, CancellationToken>>>);

/// One request, as its method sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// Ends the work when the answer is wanted no more.
    pub(super) cancel: CancellationToken,
    all: Asks,
    id: Option<u64>,
}

impl Asks {
    /// Notes a request, which can be cancelled if its id is a number, until what is given back is dropped.
    pub(super) fn begin(&self, request: &str) -> Waiting {
        #[derive(Deserialize)]
        struct Named {
            id: u64,
        }
        let id = serde_json::from_str(request).ok().map(|named: Named| named.id);
        let ask = Ask { cancel: CancellationToken::new(), all: self.clone(), id };
        if let Some(id) = id {
            self.lock().insert(id, ask.cancel.clone());
        }
        Waiting(ask)
    }

    /// Cancels a request. False if it does not wait any more.
    fn cancel(&self, id: u64) -> bool {
        let waiting = self.lock().get(&id).cloned();
        waiting.inspect(CancellationToken::cancel).is_some()
    }

    /// Cancels them all: nobody is there to hear the answers.
    pub(super) fn cancel_all(&self) {
        self.lock().drain().for_each(|(_, cancel)| cancel.cancel());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        if let Some(id) = self.0.id {
            self.0.all.lock().remove(&id);
        }
    }
}
