//! Opening the state file: making it, bringing it up to date, and what is done where it is damaged or may not be written.
//!
//! A damaged file is put aside and a fresh one begun with what can be read of it. A file that is locked, of a newer program or
//! unreadable is not damaged, and stays as it is. Where nothing may be written or there is no room, a copy is read: everything
//! shows, nothing is kept.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, MAIN_DB};

use super::lock::Lock;
use super::{StoreError, migrations, recovery};

/// How long SQLite waits for others.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// What came of opening it, beside the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Where a damaged file was put, and what was saved of it.
    pub aside: Option<Aside>,
    /// Whether nothing can be kept in this session.
    pub read_only: bool,
    /// Whether that is for want of room.
    pub full: bool,
}

/// A damaged state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Where it is now: aside, or where it was if nothing may be written there.
    pub place: PathBuf,
    /// What was read of it into the fresh one: table and number of rows.
    pub saved: Vec<(String, u64)>,
}

impl Aside {
    /// How many rows of a table were saved.
    pub fn saved_of(&self, table: &str) -> u64 {
        self.saved.iter().find(|(name, _)| name == table).map_or(0, |(_, count)| *count)
    }
}

/// An opened file.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) connection: Connection,
    pub(super) lock: Option<Lock>,
    pub(super) opening: Opening,
    /// The copy that is read where nothing may be written.
    pub(super) copy: Option<tempfile::TempDir>,
}

pub(super) fn open(path: &Path) -> Result<OpenFile, StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match writable(path) {
        Err(StoreError::ReadOnly) => read_only(path, false),
        Err(StoreError::Full) => read_only(path, true),
        // Where its folder may not be written, SQLite cannot make the files beside it.
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
                // Another process saw to it meanwhile.
                result => result,
            });
            match seen_to {
                // It may be one that goes on with a file that is whole again.
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
        recovery::told(&connection);
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
    // In WAL mode NORMAL may lose the last decisions when the power fails; FULL does not.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let check = check || recovery::check_is_due(connection)?;
    if check {
        recovery::check(connection)?;
    }
    migrations::run(connection)?;
    if check { recovery::checked(connection) } else { Ok(()) }
}

/// Changing the kind of journal does not wait by itself for another process that does the same.
fn patiently(mut work: impl FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
    let began = Instant::now();
    loop {
        match work() {
            Err(StoreError::Busy) if began.elapsed() < BUSY_TIMEOUT => std::thread::sleep(Duration::from_millis(10)),
            result => return result,
        }
    }
}

/// A copy of it, which is read and never written back. Where the disk is full, the copy is in memory.
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

/// A copy of a read-only file is read-only, too.
fn make_writable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // If this fails, opening the copy does and says why.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    if let Ok(meta) = fs::metadata(path) {
        let mut permissions = meta.permissions();
        permissions.set_readonly(false);
        // As above.
        let _ = fs::set_permissions(path, permissions);
    }
}
