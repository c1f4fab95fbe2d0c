//! Ctrl-C, a polite kill and a closed terminal end what the command does, and nothing of it is left behind.

use diffsan_app::Signals;
use tokio_util::sync::CancellationToken;

use crate::output;

/// They cancel it, from now on.
pub fn cancels(cancel: &CancellationToken) {
    let (mut signals, cancel) = (Signals::listen(), cancel.clone());
    tokio::spawn(async move {
        signals.next().await;
        if !cancel.is_cancelled() {
            output::progress("stopping …");
        }
        cancel.cancel();
    });
}
