//! Puts the answers to the page's first calls into the page.

use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use diffsan_rpc::Server;
use serde_json::{Map, Value};

/// The maximum time to wait for answers. The page requests the missing ones itself.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(30);

/// Results that arrive while the window is created.
pub struct InitialAnswers(Receiver<(String, Value)>);

impl InitialAnswers {
    /// Starts the calls.
    pub fn request(rpc: &Server) -> Self {
        let (sender, receiver) = mpsc::channel();
        let rpc = rpc.clone();
        tauri::async_runtime::spawn(async move {
            rpc.initial_answers(|name, result| drop(sender.send((name, result)))).await
        });
        Self(receiver)
    }

    /// Returns a script that stores the results so far. They are used only for the page's first load.
    pub fn script(&self) -> String {
        let until = Instant::now() + ANSWER_TIMEOUT;
        let mut results = Map::new();
        while let Ok((name, result)) = self.0.recv_timeout(until.saturating_duration_since(Instant::now())) {
            results.insert(name, result);
        }
        format!(
            "if (!sessionStorage.getItem('initial-answers')) {{
              sessionStorage.setItem('initial-answers', 'taken');
              Object.defineProperty(window, '__DIFFSAN_INITIAL_ANSWERS__', {{ value: {} }});
            }}",
            Value::Object(results)
        )
    }
}
