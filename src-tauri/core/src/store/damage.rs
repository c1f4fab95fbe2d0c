//! A damaged state file: seen, put aside, and read as far as it can be.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::StoreError;
use super::open::Aside;

/// Looks at the whole file. The content of a row is not checked, only that it is one.
pub(super) fn look_through(connection: &Connection) -> Result<(), StoreError> {
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(StoreError::Damaged) }
}

/// A file that lost its beginning, while what was written last is still beside it: SQLite would take it for a new one, and remove that.
pub(super) fn refuse_lost_beginning(path: &Path) -> Result<(), StoreError> {
    let length = |path: &Path| fs::metadata(path).map(|meta| meta.len());
    let lost = length(path).is_ok_and(|length| length == 0)
        && length(&with_ending(path, "-wal")).is_ok_and(|length| length > 0);
    if lost { Err(StoreError::Damaged) } else { Ok(()) }
}

/// Puts the file aside under a dated name, and begins one with what can be read of it.
pub(super) fn begin_afresh(
    path: &Path,
    open: impl Fn(&Path) -> Result<Connection, StoreError>,
) -> Result<(Connection, Aside), StoreError> {
    let place = free_name(path);
    // The file itself comes last: beside a fresh one, what belongs to the old one would be taken for its own.
    for ending in ["-wal", "-shm", ""] {
        match fs::rename(with_ending(path, ending), with_ending(&place, ending)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    let mut fresh = open(path)?;
    let saved = save(&place, &mut fresh).unwrap_or_default();
    Ok((fresh, Aside { place, saved }))
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

/// Copies the rows that can be read, table by table: from the first on, and from the last back, up to where it is damaged.
fn save(from: &Path, to: &mut Connection) -> Result<Vec<(String, u64)>, StoreError> {
    // SQLite puts a file in order when it reads it, and may remove its log: what is kept aside stays as it was.
    let beside = tempfile::tempdir_in(from.parent().unwrap_or(Path::new(".")))?;
    let copied = beside.path().join("old.sqlite3");
    fs::copy(from, &copied)?;
    let wal = with_ending(from, "-wal");
    if wal.exists() {
        fs::copy(wal, with_ending(&copied, "-wal"))?;
    }
    // A file that is no state cannot be opened, which is the end of it.
    let old = Connection::open_with_flags(&copied, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    to.pragma_update(None, "foreign_keys", false)?;
    let transaction = to.transaction()?;
    let mut saved = Vec::new();
    for (table, columns) in tables(&transaction)? {
        let mut count = 0;
        for order in ["ASC", "DESC"] {
            count += copy(&old, &transaction, &table, &columns, order);
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
fn copy(old: &Connection, new: &Connection, table: &str, columns: &[String], order: &str) -> u64 {
    let known: Vec<&String> = columns
        .iter()
        .filter(|column| {
            let count = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
            old.query_row(count, [table, column], |row| row.get::<_, i64>(0)).is_ok_and(|count| count > 0)
        })
        .collect();
    if known.is_empty() {
        return 0;
    }
    let names = known.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let marks = vec!["?"; known.len()].join(", ");
    let Ok(mut insert) = new.prepare(&format!("INSERT OR IGNORE INTO \"{table}\" ({names}) VALUES ({marks})")) else {
        return 0;
    };
    let select = format!("SELECT {names} FROM \"{table}\" NOT INDEXED ORDER BY rowid {order}");
    let Ok(mut query) = old.prepare(&select) else { return 0 };
    let Ok(mut rows) = query.query([]) else { return 0 };
    let mut count = 0;
    while let Ok(Some(row)) = rows.next() {
        let values: Result<Vec<Value>, _> = (0..known.len()).map(|at| row.get(at)).collect();
        let Ok(values) = values else { continue };
        count += insert.execute(params_from_iter(values)).unwrap_or(0) as u64;
    }
    count
}
