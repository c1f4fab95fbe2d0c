//! The JSON-RPC 2.0 methods and their wire types: the only interface of the core to the page.
//!
//! The same methods serve the window (in process, without a port) and the browser (over a WebSocket). `rpc.discover`
//! returns their OpenRPC description, from which the interface's types are generated.

pub mod schemas;

#[cfg_attr(not(test), expect(dead_code, reason = "programs contain the generated document"))]
mod description;
mod initial_answers;
mod methods;
mod pending;
mod registry;

use std::collections::HashMap;
use std::sync::Arc;

use jsonrpsee::Methods;
use jsonrpsee::types::{ErrorCode, ErrorObjectOwned};
use serde_json::Value;

use diffsan_app::App;
use diffsan_updater::Updater;
use methods::Built;
use pending::{Cancelled, Head};
use registry::Kind;

pub use pending::Turn;

/// The number of notifications that can wait for a slow reader before the run waits for it.
const BUFFERED: usize = 256;

/// The methods for one connection. Clones share the connection's pending requests.
#[derive(Clone)]
pub struct Server {
    methods: Methods,
    kinds: Arc<HashMap<&'static str, Kind>>,
    asks: pending::Asks,
}

/// The answer to a request, or a notification.
#[derive(Debug)]
pub struct Answer {
    /// The JSON text.
    pub text: String,
    /// The request's turn. A server that drops it only after the text was read bounds the number of unread answers.
    pub turn: Option<Turn>,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self { text, turn: None }
    }
}

impl Server {
    /// Creates the methods over `app`, for pages in a browser.
    pub fn new(app: Arc<App>) -> Self {
        let updater = Updater::of_browser(Arc::clone(&app));
        Self::of_window(app, &updater)
    }

    /// Creates the methods over `app`, for a window that can update itself.
    pub fn of_window(app: Arc<App>, updater: &Arc<Updater>) -> Self {
        let asks = pending::Asks::new(app.cancellation());
        let Built { module, kinds, .. } = methods::build(app, updater);
        Self { methods: module.into(), kinds: Arc::new(kinds), asks }
    }

    /// Returns the same methods for another connection, which numbers its requests separately.
    #[must_use]
    pub fn connect(&self) -> Self {
        Self { asks: self.asks.of_another_connection(), ..self.clone() }
    }

    /// Cancels the pending requests of this connection and ends its subscriptions. Called when the connection has closed.
    pub fn close(&self) {
        self.asks.cancel_all();
    }

    /// Answers one request. The notifications of a subscription that the request starts go to `notify` from another
    /// task, and usually begin before the answer is ready. The request can be cancelled as soon as this function
    /// returns, even before the future is first polled.
    pub fn call(
        &self,
        request: String,
        notify: impl Fn(String) + Send + Sync + 'static,
    ) -> impl Future<Output = Answer> + Send + 'static {
        let head: Option<Head> = serde_json::from_str(&request).ok();
        let kind = head.as_ref().and_then(|head| self.kinds.get(head.method.as_str()).copied());
        let id = head.map_or(Value::Null, |head| head.id);
        let pending = self.asks.begin(id.as_u64(), request.len(), kind);
        let mut methods = self.methods.clone();
        async move {
            let Some(pending) = pending else { return failure(&id, ErrorCode::ServerIsBusy.into()) };
            let turn = match pending.turn(kind).await {
                Ok(turn) => turn,
                Err(Cancelled) => return failure(&id, registry::cancelled()),
            };
            methods.extensions_mut().insert(pending.ask.clone());
            let Ok((response, mut notifications)) = methods.raw_json_request(&request, BUFFERED).await else {
                return failure(&Value::Null, ErrorCode::ParseError.into());
            };
            let (closed, room) = pending.into_subscription();
            // The subscription ends when its receiver is dropped.
            tokio::spawn(closed.run_until_cancelled_owned(async move {
                while let Some(text) = notifications.recv().await {
                    notify(String::from(Box::<str>::from(text)));
                }
                drop(room);
            }));
            Answer { text: String::from(Box::<str>::from(response)), turn }
        }
    }
}

fn failure(id: &Value, error: ErrorObjectOwned) -> Answer {
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into()
}
