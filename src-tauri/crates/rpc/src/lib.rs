//! The only face of the core: JSON-RPC 2.0 methods and their wire types.
//!
//! One module serves the window (in process, no port) and the browser (over a WebSocket). `rpc.discover` describes it, and
//! the interface's types are generated from that description.

pub mod schemas;

mod chat;
mod desk;
mod desktop;
mod exports;
mod history;
mod initial_answers;
mod methods;
mod pages;
mod pending;
mod prompts;
mod registry;
mod requests;
mod settings;
mod view;
mod view_requests;
pub mod wire;

use std::sync::Arc;

use jsonrpsee::Methods;

use diffsan_app::App;

pub use history::history;
pub use methods::build;

/// Notifications that may wait for a slow reader before the run waits for it.
const BUFFERED: usize = 256;

/// The methods, ready to be called by one connection; clones are of the same one.
#[derive(Clone)]
pub struct Server {
    methods: Methods,
    asks: pending::Asks,
}

impl Server {
    /// The methods over a program.
    pub fn new(app: Arc<App>) -> Self {
        let asks = pending::Asks::new(app.cancellation());
        Self { methods: methods::build(app).0.into(), asks }
    }

    /// The same methods for another connection, whose requests have ids of their own.
    #[must_use]
    pub fn connect(&self) -> Self {
        Self { methods: self.methods.clone(), asks: self.asks.of_another_connection() }
    }

    /// Cancels what the connection still waits for: it is gone.
    pub fn close(&self) {
        self.asks.cancel_all();
    }

    /// Answers one request. Notifications of a subscription that it starts go to `notify`, from another task, and usually
    /// begin before the answer is there. It can be cancelled from now on, also before it is first polled.
    pub fn call(
        &self,
        request: String,
        notify: impl Fn(String) + Send + Sync + 'static,
    ) -> impl Future<Output = String> + Send + 'static {
        let waiting = self.asks.begin(&request);
        let mut methods = self.methods.clone();
        methods.extensions_mut().insert(waiting.0.clone());
        async move {
            let answered = methods.raw_json_request(&request, BUFFERED).await;
            drop(waiting);
            match answered {
                Ok((response, mut notifications)) => {
                    tokio::spawn(async move {
                        while let Some(text) = notifications.recv().await {
                            notify(String::from(Box::<str>::from(text)));
                        }
                    });
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

/// The OpenRPC document.
pub fn openrpc() -> serde_json::Value {
    methods::describe()
}
