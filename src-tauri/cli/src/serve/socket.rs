//! One WebSocket: JSON-RPC requests in, answers and notifications out. It does not know the methods.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use diffsan_rpc::{Answer, Server};
use futures::{SinkExt, StreamExt};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;

use super::connections::Connection;

/// The maximum size of a request. The largest request is a pasted patch.
pub(super) const REQUEST_LIMIT: usize = 64 * 1024 * 1024;
/// The number of unread bytes at which a client that reads nothing is disconnected.
const MAX_UNREAD_BYTES: usize = 128 * 1024 * 1024;
/// The time in which such a client must read at least one message.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The texts for one client that are not written yet.
#[derive(Clone)]
struct Outbox {
    sender: UnboundedSender<Answer>,
    progress: Arc<Progress>,
    /// Cancelled when the client has too many unread bytes and reads nothing.
    full: CancellationToken,
}

/// The progress of a client's reading.
#[derive(Default)]
struct Progress {
    unread_bytes: AtomicUsize,
    /// The number of messages that were written.
    written: AtomicUsize,
    /// Whether a task waits for progress.
    watched: AtomicBool,
}

impl Progress {
    /// Waits until the client has read enough, and returns `false`, or has read nothing for the timeout, and returns `true`.
    async fn stalled(&self) -> bool {
        loop {
            let before = self.written.load(Ordering::Relaxed);
            tokio::time::sleep(STALL_TIMEOUT).await;
            if self.unread_bytes.load(Ordering::Relaxed) <= MAX_UNREAD_BYTES {
                self.watched.store(false, Ordering::Relaxed);
                return false;
            }
            if self.written.load(Ordering::Relaxed) == before {
                return true;
            }
        }
    }
}

impl Outbox {
    fn new() -> (Self, UnboundedReceiver<Answer>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender, progress: Arc::default(), full: CancellationToken::new() }, receiver)
    }

    fn send(&self, answer: Answer) {
        let bytes = answer.text.len();
        let unread = self.progress.unread_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if unread > MAX_UNREAD_BYTES && !self.progress.watched.swap(true, Ordering::Relaxed) {
            let (progress, full) = (Arc::clone(&self.progress), self.full.clone());
            tokio::spawn(async move {
                if progress.stalled().await {
                    full.cancel();
                }
            });
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
    let progress = Arc::clone(&outbox.progress);
    let write = tokio::spawn(async move {
        while let Some(Answer { text, turn }) = outgoing.recv().await {
            let bytes = text.len();
            if writer.send(Message::Text(text.into())).await.is_err() {
                break;
            }
            progress.unread_bytes.fetch_sub(bytes, Ordering::Relaxed);
            progress.written.fetch_add(1, Ordering::Relaxed);
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
