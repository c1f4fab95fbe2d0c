//! Who uses the state file: every process holds a shared lock beside it, so that a damaged file is only put aside when nobody
//! else writes it. SQLite's own locks see to everything else.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::StoreError;

/// How long others may take to let go of a damaged file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A lock that ends with the process, whatever becomes of it.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes its share.
    pub(super) fn shared(state: &Path) -> Result<Self, StoreError> {
        let file = File::options().create(true).truncate(false).write(true).read(true).open(beside(state))?;
        file.lock_shared()?;
        Ok(Self { file })
    }

    /// Runs `work` while nobody else uses the state file, and goes back to sharing it.
    pub(super) fn alone<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let began = Instant::now();
        // The share is given up first: of two that wait, one would never see the other go.
        self.file.unlock()?;
        let done = loop {
            match self.file.try_lock() {
                Ok(()) => break work(),
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(30));
                }
                Err(TryLockError::WouldBlock) => break Err(StoreError::DamagedInUse),
                Err(TryLockError::Error(error)) => break Err(error.into()),
            }
        };
        self.file.lock_shared()?;
        done
    }
}

fn beside(state: &Path) -> PathBuf {
    let mut name = state.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}
