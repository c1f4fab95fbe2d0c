//! The JSON-RPC 2.0 methods and their wire types: the only interface of the core to the page.
//!
//! The same methods serve the window (in process, without a port) and the browser (over a WebSocket). `rpc.discover`
//! returns their OpenRPC description, from which the interface's types are generated.

pub mod schemas;

mod initial_answers;
mod methods;
mod pending;
mod registry;

use std::sync::Arc;

use jsonrpsee::Methods;

use diffsan_app::App;

pub use methods::build;

/// The number of notifications that can wait for a slow reader before the run waits for it.
const BUFFERED: usize = 256;

/// The methods for one connection. Clones share the connection's pending requests.
#[derive(Clone)]
pub struct Server {
    methods: Methods,
    asks: pending::Asks,
}

impl Server {
    /// Creates the methods over `app`.
    pub fn new(app: Arc<App>) -> Self {
        let asks = pending::Asks::new(app.cancellation());
        Self { methods: methods::build(app).0.into(), asks }
    }

    /// Returns the same methods for another connection, which numbers its requests separately.
    #[must_use]
    pub fn connect(&self) -> Self {
        Self { methods: self.methods.clone(), asks: self.asks.of_another_connection() }
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
    ) -> impl Future<Output = String> + Send + 'static {
        let waiting = self.asks.begin(&request);
        let closed = self.asks.until_closed();
        let mut methods = self.methods.clone();
        methods.extensions_mut().insert(waiting.0.clone());
        async move {
            let answered = methods.raw_json_request(&request, BUFFERED).await;
            drop(waiting);
            match answered {
                Ok((response, mut notifications)) => {
                    // The subscription ends when its receiver is dropped.
                    tokio::spawn(closed.run_until_cancelled_owned(async move {
                        while let Some(text) = notifications.recv().await {
                            notify(String::from(Box::<str>::from(text)));
                        }
                    }));
                    String::from(Box::<str>::from(response))
                }
                Err(_) => {
                    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The request is not JSON-RPC."}}"#
                        .to_owned()
                }
            }
        }
    }
}

/// Returns the OpenRPC document.
pub fn openrpc() -> serde_json::Value {
    methods::describe()
}
