//! Runs blocking work from async functions.

use crate::error::Result;

/// Runs a blocking function on a thread for blocking work.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await?
}
