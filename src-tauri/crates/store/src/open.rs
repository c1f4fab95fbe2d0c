//! Opens the state file: creates and migrates it, and handles damaged and read-only files.
//!
//! A damaged file is moved aside, and its readable rows are copied to a new file. A file that is locked, written by a newer
//! program or unreadable is not treated as damaged and stays unchanged. If the file cannot be written or there is no room, a copy
//! is read: everything is shown, nothing is saved.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, MAIN_DB};

use super::lock::Lock;
use super::{StoreError, migrations, recovery};

/// The time for which SQLite waits for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The result of opening the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The damaged file and the rows that were saved from it.
    pub aside: Option<Aside>,
    /// Whether nothing can be saved in this session.
    pub read_only: bool,
    /// Whether the session is read-only because there is no room.
    pub full: bool,
}

/// A damaged state file that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The path of the damaged file: the new one, or the original one if the folder cannot be written.
    pub place: PathBuf,
    /// The rows that were copied to the new file: table and number of rows.
    pub saved: Vec<(String, u64)>,
}

impl Aside {
    /// Returns the number of rows of a table that were saved.
    pub fn saved_of(&self, table: &str) -> u64 {
        self.saved.iter().find(|(name, _)| name == table).map_or(0, |(_, count)| *count)
    }
}

/// An opened state file.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) connection: Connection,
    pub(super) lock: Option<Lock>,
    pub(super) opening: Opening,
    /// The copy that is read if the original cannot be written.
    pub(super) copy: Option<tempfile::TempDir>,
}

pub(super) fn open(path: &Path) -> Result<OpenFile, StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match writable(path) {
        Err(StoreError::ReadOnly) => read_only(path, false),
        Err(StoreError::Full) => read_only(path, true),
        // If the folder cannot be written, SQLite cannot create the files beside the database.
        Err(StoreError::Unreadable(_)) if path.is_file() && File::open(path).is_ok() => read_only(path, false),
        result => result,
    }
}

fn writable(path: &Path) -> Result<OpenFile, StoreError> {
    let lock = Lock::shared(path)?;
    let connection = match sound(path, false) {
        Err(StoreError::Damaged) => {
            let seen_to = lock.alone(|| match sound(path, true) {
                Err(StoreError::Damaged) => recovery::begin_afresh(path, |path| ready(path, true)),
                // Another process recovered the file in the meantime.
                result => result,
            });
            match seen_to {
                // The other process may use a file that is already recovered.
                Err(StoreError::DamagedInUse) if path.exists() => match ready(path, true) {
                    Err(StoreError::Damaged) => return Err(StoreError::DamagedInUse),
                    result => result?,
                },
                result => result?,
            }
        }
        result => result?,
    };
    let aside = recovery::taken_over(&connection, path)?;
    if aside.is_some() {
        recovery::mark_reported(&connection);
    }
    let opening = Opening { aside, ..Opening::default() };
    Ok(OpenFile { connection, lock: Some(lock), opening, copy: None })
}

/// Opens a file whose recovery was not interrupted.
fn sound(path: &Path, check: bool) -> Result<Connection, StoreError> {
    if recovery::finished(path).exists() { Err(StoreError::Damaged) } else { ready(path, check) }
}

fn ready(path: &Path, check: bool) -> Result<Connection, StoreError> {
    recovery::refuse_lost_beginning(path)?;
    let mut connection = Connection::open(path)?;
    if connection.is_readonly(MAIN_DB)? {
        return Err(StoreError::ReadOnly);
    }
    set_up(&mut connection, check)?;
    Ok(connection)
}

pub(super) fn set_up(connection: &mut Connection, check: bool) -> Result<(), StoreError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    patiently(|| Ok(connection.pragma_update(None, "journal_mode", "WAL")?))?;
    // In WAL mode, NORMAL may lose the last decisions on a power failure; FULL does not.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let check = check || recovery::check_is_due(connection)?;
    if check {
        recovery::check(connection)?;
    }
    migrations::run(connection)?;
    if check { recovery::checked(connection) } else { Ok(()) }
}

/// Retries while the file is busy. SQLite does not wait by itself when two processes change the journal mode.
fn patiently(mut work: impl FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
    let began = Instant::now();
    loop {
        match work() {
            Err(StoreError::Busy) if began.elapsed() < BUSY_TIMEOUT => std::thread::sleep(Duration::from_millis(10)),
            result => return result,
        }
    }
}

/// Opens a copy of the file, which is read and never written back. If the temporary folder is full, the copy is made in `/dev/shm`.
fn read_only(path: &Path, full: bool) -> Result<OpenFile, StoreError> {
    for place in [std::env::temp_dir(), PathBuf::from("/dev/shm")].iter().filter(|place| place.is_dir()) {
        let copy = tempfile::tempdir_in(place).map_err(StoreError::from);
        match copy.and_then(|copy| read_copy(path, copy)) {
            Err(StoreError::Full) => {}
            Ok(mut open) => {
                open.opening.full = full;
                return Ok(open);
            }
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Full)
}

fn read_copy(path: &Path, copy: tempfile::TempDir) -> Result<OpenFile, StoreError> {
    let to = copy.path().join(path.file_name().unwrap_or_default());
    let from = recovery::standing(path);
    for ending in ["", "-wal"] {
        let (from, to) = (recovery::with_ending(&from, ending), recovery::with_ending(&to, ending));
        if from.exists() {
            fs::copy(&from, &to).map_err(|error| match StoreError::from(error) {
                StoreError::Full => StoreError::Full,
                error => StoreError::Unreadable(format!("{}: {error}", from.display())),
            })?;
            make_writable(&to);
        }
    }
    let connection = match sound(&to, true) {
        Err(StoreError::Damaged) => recovery::begin_afresh(&to, |path| ready(path, true))?,
        result => result?,
    };
    let aside = recovery::taken_over(&connection, &to)?.map(|aside| Aside { place: path.to_owned(), ..aside });
    connection.pragma_update(None, "query_only", true)?;
    let opening = Opening { aside, read_only: true, full: false };
    Ok(OpenFile { connection, lock: None, opening, copy: Some(copy) })
}

/// Makes the copy of a read-only file writable, because it is read-only as well.
fn make_writable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // If this fails, opening the copy fails too and reports the cause.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    if let Ok(meta) = fs::metadata(path) {
        let mut permissions = meta.permissions();
        permissions.set_readonly(false);
        // If this fails, opening the copy reports the cause.
        let _ = fs::set_permissions(path, permissions);
    }
}
