//! The lock on the use of the state file. Every process holds a shared lock beside the file, so that a damaged file is moved
//! aside only while no other process writes it. SQLite's own locks protect everything else.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::StoreError;

/// The time for other processes to release a damaged file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A file lock. The system releases it with the process, however the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Acquires the shared lock. Blocks.
    pub(super) fn shared(state: &Path) -> Result<Self, StoreError> {
        let file = File::options().create(true).truncate(false).write(true).read(true).open(beside(state))?;
        file.lock_shared()?;
        Ok(Self { file })
    }

    /// Runs `work` with the exclusive lock, then returns to the shared lock.
    pub(super) fn alone<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let began = Instant::now();
        // Release the shared lock first: two processes that both keep it would wait for each other forever.
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
