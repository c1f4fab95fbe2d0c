//! One WebSocket: JSON-RPC requests in, answers and notifications out. It does not know the methods.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::{Message, WebSocket};
use diffsan_rpc::{Answer, Server};
use futures::{SinkExt, StreamExt};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;

use super::connections::Connection;

/// The maximum size of a request. The largest request is a pasted patch.
pub(super) const REQUEST_LIMIT: usize = 64 * 1024 * 1024;
/// The number of unread bytes at which a client is disconnected. A single larger answer is sent.
const MAX_UNREAD_BYTES: usize = 128 * 1024 * 1024;

/// The texts for one client that are not written yet.
#[derive(Clone)]
struct Outbox {
    sender: UnboundedSender<Answer>,
    unread: Arc<AtomicUsize>,
    /// Cancelled when the client has too many unread bytes.
    full: CancellationToken,
}

impl Outbox {
    fn new() -> (Self, UnboundedReceiver<Answer>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender, unread: Arc::default(), full: CancellationToken::new() }, receiver)
    }

    fn send(&self, answer: Answer) {
        let unread = self.unread.fetch_add(answer.text.len(), Ordering::Relaxed);
        if unread > 0 && unread + answer.text.len() > MAX_UNREAD_BYTES {
            self.full.cancel();
        }
        if !self.full.is_cancelled() {
            // The client may be gone.
            let _ = self.sender.send(answer);
        }
    }
}

/// Serves one browser tab. Requests are answered concurrently, and notifications are sent between the answers. Closing
/// the tab cancels its pending requests.
pub(super) async fn talk(socket: WebSocket, rpc: Server, connection: Arc<Connection>) {
    let (mut writer, mut reader) = socket.split();
    let (outbox, mut outgoing) = Outbox::new();
    let unread = Arc::clone(&outbox.unread);
    let write = tokio::spawn(async move {
        while let Some(Answer { text, turn }) = outgoing.recv().await {
            let bytes = text.len();
            if writer.send(Message::Text(text.into())).await.is_err() {
                break;
            }
            unread.fetch_sub(bytes, Ordering::Relaxed);
            // The next call of this client can begin.
            drop(turn);
        }
    });
    while let Some(Some(Ok(message))) = outbox.full.run_until_cancelled(reader.next()).await {
        let Message::Text(request) = message else { continue };
        let (notifications, answers) = (outbox.clone(), outbox.clone());
        let response = rpc.call(request.as_str().to_owned(), move |text| notifications.send(text.into()));
        tokio::spawn(async move { answers.send(response.await) });
    }
    rpc.close();
    write.abort();
    drop(connection);
}
