//! The only face of the core: JSON-RPC 2.0 methods and their wire types.
//!
//! One module serves the window (in process, no port) and the browser (over a WebSocket). `rpc.discover` describes it, and
//! the interface's types are generated from that description.

mod chat;
mod desk;
mod desktop;
mod early;
mod exports;
mod history;
mod methods;
mod pages;
mod prompts;
mod requests;
mod settings;
mod table;
mod view;
mod view_requests;
pub mod wire;

use std::sync::Arc;

use jsonrpsee::RpcModule;

use crate::app::App;

pub use history::history;
pub use methods::build;

/// Notifications that may wait for a slow reader before the run waits for it.
const BUFFERED: usize = 256;

/// The methods, ready to be called.
#[derive(Clone)]
pub struct Server {
    module: Arc<RpcModule<Arc<App>>>,
}

impl Server {
    /// The methods over a program.
    pub fn new(app: Arc<App>) -> Self {
        Self { module: Arc::new(methods::build(app).0) }
    }

    /// Answers one request. Notifications of a subscription that it starts go to `notify`, from another task, and usually
    /// begin before the answer is there.
    pub async fn call(&self, request: &str, notify: impl Fn(String) + Send + Sync + 'static) -> String {
        match self.module.raw_json_request(request, BUFFERED).await {
            Ok((response, mut notifications)) => {
                tokio::spawn(async move {
                    while let Some(text) = notifications.recv().await {
                        notify(String::from(Box::<str>::from(text)));
                    }
                });
                String::from(Box::<str>::from(response))
            }
            Err(_) => r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The request is not JSON-RPC."}}"#
                .to_owned(),
        }
    }
}

/// The OpenRPC document.
pub fn openrpc() -> serde_json::Value {
    methods::describe()
}
