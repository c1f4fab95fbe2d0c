//! The scripted model server as a program: `model-server [PORT]`. A script is set with `POST /__script`.
#![allow(clippy::print_stdout, reason = "its address is its output")]

use diffsan_test_support::model_server::ModelServer;

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let server = ModelServer::start_on(port, serde_json::json!({ "turns": [] })).await;
    println!("listening on http://127.0.0.1:{}", server.port());
    // Standard input ends when the parent process ends. Then this program ends too.
    let _ = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await;
}
