//! Puts what the page asks first into the page.

use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use diffsan_rpc::Server;
use serde_json::{Map, Value};

/// What takes longer is asked for by the page.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(30);

/// Results that come while the window is made.
pub struct Early(Receiver<(String, Value)>);

impl Early {
    /// Begins to ask.
    pub fn ask(rpc: &Server) -> Self {
        let (sender, receiver) = mpsc::channel();
        let rpc = rpc.clone();
        tauri::async_runtime::spawn(async move { rpc.early(|name, result| drop(sender.send((name, result)))).await });
        Self(receiver)
    }

    /// A script that keeps the results that have come. They hold for the page's first load alone.
    pub fn script(&self) -> String {
        let until = Instant::now() + ANSWER_TIMEOUT;
        let mut results = Map::new();
        while let Ok((name, result)) = self.0.recv_timeout(until.saturating_duration_since(Instant::now())) {
            results.insert(name, result);
        }
        format!(
            "if (!sessionStorage.getItem('early')) {{
              sessionStorage.setItem('early', 'taken');
              Object.defineProperty(window, '__DIFFSAN_EARLY__', {{ value: {} }});
            }}",
            Value::Object(results)
        )
    }
}
