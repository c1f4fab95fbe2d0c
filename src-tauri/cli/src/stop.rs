//! Stops the command on Ctrl-C, `SIGTERM` and a closed terminal, so that no program of it remains.

use diffsan_app::Signals;
use diffsan_pipeline::error::ErrorCode;
use tokio_util::sync::CancellationToken;

use crate::output;

/// Cancels `cancel` at the first such signal from now on. The second ends the program at once; its agents end with it.
pub fn cancels(cancel: &CancellationToken) {
    let (mut signals, cancel) = (Signals::listen(), cancel.clone());
    tokio::spawn(async move {
        signals.next().await;
        if !cancel.is_cancelled() {
            output::progress("stopping … (a second signal ends it at once)");
        }
        cancel.cancel();
        signals.next().await;
        std::process::exit(ErrorCode::Cancelled.presentation().exit_code.into());
    });
}
