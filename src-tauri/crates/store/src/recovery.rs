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

/// The new file while it is filled.
const NEW: &str = "new.sqlite3";
/// The key under which a new file tells what it was made of.
const TAKEN_OVER: &str = "store.taken-over";
/// The key of the time of the last check of the whole file, in seconds since 1970.
const CHECKED: &str = "store.checked";
/// The whole file is checked once in so many seconds.
const CHECK_INTERVAL: i64 = 24 * 60 * 60;

/// Returns whether the whole file should be checked: it was not checked lately, or damage was found since.
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
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(StoreError::Damaged) }
}

/// Notes that the whole file was checked.
pub(super) fn checked(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("INSERT OR REPLACE INTO state (key, value) VALUES (?1, unixepoch())", [CHECKED])?;
    Ok(())
}

/// Makes a check due at the next start.
pub(super) fn require_check(connection: &Connection) -> Result<(), StoreError> {
    connection.execute("DELETE FROM state WHERE key = ?1", [CHECKED])?;
    Ok(())
}

/// A file that lost its beginning, while what was written last is still beside it: SQLite would take it for a new one, and remove that.
pub(super) fn refuse_lost_beginning(path: &Path) -> Result<(), StoreError> {
    let length = |path: &Path| fs::metadata(path).map(|meta| meta.len());
    let lost = length(path).is_ok_and(|length| length == 0)
        && length(&with_ending(path, "-wal")).is_ok_and(|length| length > 0);
    if lost { Err(StoreError::Damaged) } else { Ok(()) }
}

/// Begins a file with what can be read of this one, which is put aside under a dated name.
///
/// Whatever ends the process: until the new file is whole, the old one stays where it is, to be taken over once more; from then on
/// the next start only puts both in their places.
pub(super) fn begin_afresh(
    path: &Path,
    open: impl Fn(&Path) -> Result<Connection, StoreError>,
) -> Result<Connection, StoreError> {
    let whole = finished(path);
    if !whole.exists() {
        let folder = path.with_extension("taking-over");
        let filled = take_over(path, &folder, &open);
        if filled.is_ok() {
            fs::rename(folder.join(NEW), &whole)?;
            sync_folder(path);
        }
        // The next recovery removes what is left.
        let _ = fs::remove_dir_all(&folder);
        filled?;
    }
    let place = {
        let connection = Connection::open(&whole)?;
        let place = taken_over(&connection, path)?.map_or_else(|| free_name(path), |aside| aside.place);
        connection.close().map_err(|(_, error)| error)?;
        place
    };
    // The file itself comes last: beside a fresh one, what belongs to the old one would be taken for its own.
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

/// The new file once it is whole, until it is in its place.
pub(super) fn finished(path: &Path) -> PathBuf {
    path.with_extension("taken-over")
}

/// Where the state is to be read from.
pub(super) fn standing(path: &Path) -> PathBuf {
    let whole = finished(path);
    if whole.exists() { whole } else { path.to_owned() }
}

/// Fills a new file in a folder of its own. What an attempt before left there goes.
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
    // Nobody else reads it yet; without a log it needs half the room.
    new.pragma_update(None, "journal_mode", "DELETE")?;
    let saved = save(path, &folder.join("old.sqlite3"), &mut new)?;
    let place = free_name(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let told = serde_json::json!({ "place": place, "saved": saved }).to_string();
    new.execute("INSERT OR REPLACE INTO state (key, value) VALUES (?1, ?2)", [TAKEN_OVER, &told])?;
    new.close().map_err(|(_, error)| error)?;
    File::open(folder.join(NEW))?.sync_all()?;
    Ok(())
}

/// A new folder that only its owner may enter.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What was taken over into this file, while nobody was told.
pub(super) fn taken_over(connection: &Connection, path: &Path) -> Result<Option<Aside>, StoreError> {
    #[derive(serde::Deserialize)]
    struct Told {
        place: String,
        saved: Vec<(String, u64)>,
    }
    let told: Option<String> =
        connection.query_row("SELECT value FROM state WHERE key = ?1", [TAKEN_OVER], |row| row.get(0)).optional()?;
    let told = told.and_then(|told| serde_json::from_str::<Told>(&told).ok());
    Ok(told.map(|told| Aside { place: path.with_file_name(told.place), saved: told.saved }))
}

/// It is told once.
pub(super) fn told(connection: &Connection) {
    // If this fails, the user is told once more.
    let _ = connection.execute("DELETE FROM state WHERE key = ?1", [TAKEN_OVER]);
}

/// What was renamed in it stays so when the power fails.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    // Some file systems cannot sync a folder.
    let _ = path.parent().map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
    #[cfg(not(unix))]
    let _ = path;
}

/// `diffsan.damaged-20261121-184003.sqlite3`.
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

/// What is damaged reads as nothing; that there is no room or no permission is another matter, and ends the work.
fn as_far_as_it_goes<T>(result: rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match StoreError::from(error) {
            StoreError::Damaged | StoreError::Sqlite(_) => Ok(None),
            error => Err(error),
        },
    }
}

/// Copies the rows that can be read, table by table: from the first on, and from the last back, up to where it is damaged.
fn save(from: &Path, copied: &Path, to: &mut Connection) -> Result<Vec<(String, u64)>, StoreError> {
    // SQLite puts a file in order when it reads it, and may remove its log: what is kept aside stays as it was.
    for ending in ["", "-wal"] {
        match fs::copy(with_ending(from, ending), with_ending(copied, ending)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    let old = Connection::open_with_flags(copied, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let schema = old.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    // A file that is no state cannot be read, which is the end of it.
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
    // What belongs to a row that was lost says nothing any more; it stands in the old file.
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

/// The tables that hold what is kept; what is made from them makes itself.
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

/// Copies until a row cannot be read. Rows that are there already stay.
fn copy(old: &Connection, new: &Connection, table: &str, columns: &[String], order: &str) -> Result<u64, StoreError> {
    let has = |column: &str| -> Result<bool, StoreError> {
        let count = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
        let count = old.query_row(count, [table, column], |row| row.get::<_, i64>(0));
        Ok(as_far_as_it_goes(count)?.is_some_and(|count| count > 0))
    };
    let (mut known, mut read) = (Vec::new(), Vec::new());
    for column in columns {
        // The file may be of an earlier version.
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
