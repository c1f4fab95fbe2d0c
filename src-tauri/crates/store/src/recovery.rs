//! Recovery of a damaged state file: detection, moving it aside, and copying every row that can be read to a new file.
//!
//! A damaged log is not detected: SQLite ignores a log from its first damaged frame on.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params, params_from_iter};

use super::StoreError;
use super::open::Aside;

/// The name of the new file while it is filled.
const NEW: &str = "new.sqlite3";
/// The key under which a new file records the damaged file and the copied rows.
const TAKEN_OVER: &str = "store.taken-over";
/// The key of the time of the last check of the whole file, in seconds since 1970.
const CHECKED: &str = "store.checked";
/// The interval between two checks of the whole file, in seconds.
const CHECK_INTERVAL: i64 = 24 * 60 * 60;

/// Returns whether the whole file should be checked: it was not checked recently, or damage was found since.
pub(super) fn check_is_due(connection: &Connection) -> Result<bool, StoreError> {
    let there = "SELECT count(*) FROM sqlite_schema WHERE name = 'state'";
    if connection.query_row(there, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(true);
    }
    let lately = "SELECT count(*) FROM state WHERE key = ?1 AND unixepoch() - value BETWEEN 0 AND ?2";
    Ok(connection.query_row(lately, params![CHECKED, CHECK_INTERVAL], |row| row.get::<_, i64>(0))? == 0)
}

/// Checks the structure of the whole file, not the content of its rows.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    let result: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if result == "ok" { Ok(()) } else { Err(StoreError::Damaged) }
}

/// Records that the whole file was checked.
pub(super) fn checked(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("INSERT OR REPLACE INTO state (key, value) VALUES (?1, unixepoch())", [CHECKED])?;
    Ok(())
}

/// Makes a check due at the next start.
pub(super) fn require_check(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("DELETE FROM state WHERE key = ?1", [CHECKED])?;
    Ok(())
}

/// Returns an error for an empty file whose log still has data. SQLite would treat it as new and delete the log.
pub(super) fn refuse_lost_beginning(path: &Path) -> Result<(), StoreError> {
    let length = |path: &Path| fs::metadata(path).map(|meta| meta.len());
    let lost = length(path).is_ok_and(|length| length == 0)
        && length(&with_ending(path, "-wal")).is_ok_and(|length| length > 0);
    if lost { Err(StoreError::Damaged) } else { Ok(()) }
}

/// Moves a damaged file aside under a dated name and creates a new file with its readable rows.
///
/// The process may end at any time. Until the new file is complete, the old one stays in its place and the next start copies it
/// again. After that, the next start only moves both files to their places.
pub(super) fn begin_afresh(
    path: &Path,
    open: impl Fn(&Path) -> Result<Connection, StoreError>,
) -> Result<Connection, StoreError> {
    let (whole, folder) = (finished(path), path.with_extension("taking-over"));
    let filled = if whole.exists() { Ok(()) } else { take_over(path, &folder, &open) };
    if filled.is_ok() && !whole.exists() {
        fs::rename(folder.join(NEW), &whole)?;
        sync_folder(path);
    }
    // A process that ended after the rename left the folder, too. The next recovery removes leftovers.
    let _ = fs::remove_dir_all(&folder);
    filled?;
    let place = {
        let connection = Connection::open(&whole)?;
        let place = taken_over(&connection, path)?.map_or_else(|| free_name(path), |aside| aside.place);
        connection.close().map_err(|(_, error)| error)?;
        place
    };
    // Move the database file last: beside a new database, SQLite would take the old log for the new one's log.
    for ending in ["-wal", "-shm", ""] {
        match fs::rename(with_ending(path, ending), with_ending(&place, ending)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    fs::rename(&whole, path)?;
    sync_folder(path);
    open(path)
}

/// Returns the path of the complete new file until it is moved to its place.
pub(super) fn finished(path: &Path) -> PathBuf {
    path.with_extension("taken-over")
}

/// Returns the path that the state should be read from.
pub(super) fn standing(path: &Path) -> PathBuf {
    let whole = finished(path);
    if whole.exists() { whole } else { path.to_owned() }
}

/// Fills a new file in its own folder. Leftovers of an earlier attempt are removed.
fn take_over(
    path: &Path,
    folder: &Path,
    open: impl Fn(&Path) -> Result<Connection, StoreError>,
) -> Result<(), StoreError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => make_private(folder)?,
    }
    let mut new = open(&folder.join(NEW))?;
    // No other process reads the file yet. Without a log it needs half the space.
    new.pragma_update(None, "journal_mode", "DELETE")?;
    let saved = save(path, &folder.join("old.sqlite3"), &mut new)?;
    let place = free_name(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let report = serde_json::json!({ "place": place, "saved": saved }).to_string();
    new.execute("INSERT OR REPLACE INTO state (key, value) VALUES (?1, ?2)", [TAKEN_OVER, &report])?;
    new.close().map_err(|(_, error)| error)?;
    File::open(folder.join(NEW))?.sync_all()?;
    Ok(())
}

/// Creates a folder that only its owner can access.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns the recovery that this file came from, until it is reported to the user.
pub(super) fn taken_over(connection: &Connection, path: &Path) -> Result<Option<Aside>, StoreError> {
    #[derive(serde::Deserialize)]
    struct Report {
        place: String,
        saved: Vec<(String, u64)>,
    }
    let report: Option<String> =
        connection.query_row("SELECT value FROM state WHERE key = ?1", [TAKEN_OVER], |row| row.get(0)).optional()?;
    let report = report.and_then(|report| serde_json::from_str::<Report>(&report).ok());
    Ok(report.map(|report| Aside { place: path.with_file_name(report.place), saved: report.saved }))
}

/// Records that the recovery was reported.
pub(super) fn mark_reported(connection: &Connection) {
    // If this fails, the user sees the report once more.
    let _ = connection.execute("DELETE FROM state WHERE key = ?1", [TAKEN_OVER]);
}

/// Syncs the folder of `path`, so that a rename in it survives a power failure.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    // Some file systems cannot sync a folder.
    let _ = path.parent().map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
    #[cfg(not(unix))]
    let _ = path;
}

/// Returns an unused name such as `diffsan.damaged-20261121-184003.sqlite3`.
fn free_name(path: &Path) -> PathBuf {
    let stamp = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = |again: String| path.with_file_name(format!("{stem}.damaged-{stamp}{again}.sqlite3"));
    let names = std::iter::once(name(String::new())).chain((2..1000).map(|count| name(format!("-{count}"))));
    let mut names = names.filter(|name| !name.exists());
    names.next().unwrap_or_else(|| name("-more".to_owned()))
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Converts an error that damage can cause to `None`. Other errors, such as a full disk or a missing permission, are returned.
fn as_far_as_it_goes<T>(result: rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match StoreError::from(error) {
            StoreError::Damaged | StoreError::Sqlite(_) => Ok(None),
            error => Err(error),
        },
    }
}

/// Copies the readable rows of each table: forwards from the first row and backwards from the last, each up to the damage.
fn save(from: &Path, copied: &Path, to: &mut Connection) -> Result<Vec<(String, u64)>, StoreError> {
    // Work on a copy, because SQLite repairs a file when it reads it and may remove its log. The original stays unchanged.
    for ending in ["", "-wal"] {
        match fs::copy(with_ending(from, ending), with_ending(copied, ending)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    let old = Connection::open_with_flags(copied, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let schema = old.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    // If the schema cannot be read, the file is not a state file and nothing can be saved.
    if as_far_as_it_goes(schema)?.is_none() {
        return Ok(Vec::new());
    }
    to.pragma_update(None, "foreign_keys", false)?;
    let transaction = to.transaction()?;
    let mut saved = Vec::new();
    for (table, columns) in tables(&transaction)? {
        let mut count = 0;
        for order in ["ASC", "DESC"] {
            count += copy(&old, &transaction, &table, &columns, order)?;
        }
        saved.push((table, count));
    }
    // Remove rows that refer to a lost row. They are still in the old file.
    let orphans: Vec<(String, i64)> = {
        let mut query = transaction.prepare("SELECT \"table\", rowid FROM pragma_foreign_key_check")?;
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (table, row) in orphans {
        let gone = transaction.execute(&format!("DELETE FROM \"{table}\" WHERE rowid = ?1"), [row])?;
        if let Some((_, count)) = saved.iter_mut().find(|(name, _)| *name == table) {
            *count = count.saturating_sub(gone as u64);
        }
    }
    super::migrations::assign_finding_keys(&transaction)?;
    transaction.commit()?;
    to.pragma_update(None, "foreign_keys", true)?;
    Ok(saved)
}

/// Returns the tables that hold primary data, with their columns. Triggers fill the derived tables.
fn tables(connection: &Connection) -> Result<Vec<(String, Vec<String>)>, StoreError> {
    let mut query = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'found%'
         AND name <> 'brief' ORDER BY rowid",
    )?;
    let names: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut tables = Vec::new();
    for name in names {
        let mut query = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns = query.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        tables.push((name, columns));
    }
    Ok(tables)
}

/// Copies rows until one cannot be read. Returns the number of copied rows; existing rows stay unchanged.
fn copy(old: &Connection, new: &Connection, table: &str, columns: &[String], order: &str) -> Result<u64, StoreError> {
    let has = |column: &str| -> Result<bool, StoreError> {
        let count = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
        let count = old.query_row(count, [table, column], |row| row.get::<_, i64>(0));
        Ok(as_far_as_it_goes(count)?.is_some_and(|count| count > 0))
    };
    let (mut known, mut read) = (Vec::new(), Vec::new());
    for column in columns {
        // The file may have an earlier version.
        let earlier = if column == "finding_key" { "finding_id" } else { column };
        for name in [column.as_str(), earlier] {
            if has(name)? {
                known.push(format!("\"{column}\""));
                read.push(format!("\"{name}\""));
                break;
            }
        }
    }
    if known.is_empty() {
        return Ok(0);
    }
    let (names, marks) = (known.join(", "), vec!["?"; known.len()].join(", "));
    let mut insert = new.prepare(&format!("INSERT OR IGNORE INTO \"{table}\" ({names}) VALUES ({marks})"))?;
    let select = format!("SELECT {} FROM \"{table}\" NOT INDEXED ORDER BY rowid {order}", read.join(", "));
    let Some(mut query) = as_far_as_it_goes(old.prepare(&select))? else { return Ok(0) };
    let Some(mut rows) = as_far_as_it_goes(query.query([]))? else { return Ok(0) };
    let mut count = 0;
    while let Some(Some(row)) = as_far_as_it_goes(rows.next())? {
        let values: Result<Vec<Value>, _> = (0..known.len()).map(|at| row.get(at)).collect();
        let Ok(values) = values else { continue };
        count += as_far_as_it_goes(insert.execute(params_from_iter(values)))?.unwrap_or(0) as u64;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::migrations::file_of_version;

    #[test]
    fn decisions_of_an_earlier_version_are_taken_over_with_their_findings() {
        let folder = tempfile::tempdir().expect("a folder");
        let (old, state) = (folder.path().join("old.sqlite3"), folder.path().join("diffsan.sqlite3"));
        file_of_version(&old, 7);
        drop(Store::open(&state).expect("made"));
        let mut new = Connection::open(&state).expect("opened");
        let saved = save(&old, &folder.path().join("copy.sqlite3"), &mut new).expect("saved");
        assert!(saved.contains(&("decision".to_owned(), 2)) && saved.contains(&("fix".to_owned(), 2)), "{saved:?}");
        drop(new);
        let store = Store::open(&state).expect("opened");
        let output = store.review("a").expect("read").expect("there").output;
        let decisions = store.decisions("a").expect("read");
        assert!(decisions.iter().any(|one| output.contains(&format!("\"key\":\"{}\"", one.finding_key))), "{output}");
    }
}
