//! The zip file of a bundle. Equal files give equal bytes: the entries are sorted, and have a fixed time and fixed permissions.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::error::Tampering;

/// The maximum size in bytes of a bundle.
pub const MAX_BUNDLE_BYTES: u64 = 256 << 20;
/// The maximum size in bytes of one file of a bundle, and of all together.
const MAX_FILE_BYTES: u64 = 256 << 20;
const MAX_SUM_BYTES: u64 = 512 << 20;
/// The maximum number of files.
const MAX_FILES: usize = 10_000;
/// The maximum length in bytes of a name.
const MAX_NAME_BYTES: usize = 400;
/// The size in bytes of the end of a zip file, without its comment, and its first bytes.
const END_BYTES: usize = 22;
const END_MARK: &[u8] = b"PK\x05\x06";

/// The files of a bundle by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Writes files and a comment as a zip file.
pub fn write(files: &Files, comment: &str) -> Result<Vec<u8>, ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(6))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    for (name, bytes) in files {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    zip.set_comment(comment)?;
    Ok(zip.finish()?.into_inner())
}

/// Reads the files and the comment of a zip file. Nothing is trusted: names, sizes, and the bytes between the entries are checked.
pub fn read(bytes: &[u8]) -> Result<(Files, String), Tampering> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| Tampering::Truncated(error.to_string()))?;
    let comment = String::from_utf8_lossy(zip.comment()).into_owned();
    check_ends(bytes, &zip)?;
    if zip.has_duplicate_names() {
        return Err(Tampering::Duplicate(duplicate(bytes).unwrap_or_else(|| "a file".to_owned())));
    }
    if zip.len() > MAX_FILES {
        return Err(too_large("the bundle", format!("at most {MAX_FILES} files are allowed")));
    }
    let mut files = Files::new();
    let mut left = MAX_SUM_BYTES;
    for index in 0..zip.len() {
        let entry = zip.by_index_data(index).map_err(|error| Tampering::Truncated(error.to_string()))?;
        let raw = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let named = std::str::from_utf8(entry.name_raw()).ok().filter(|name| is_allowed(name));
        let name = named.ok_or_else(|| Tampering::Name(shown(&raw)))?.to_owned();
        if entry.is_dir() || entry.is_symlink() {
            return Err(Tampering::NotFile(name));
        }
        let limit = MAX_FILE_BYTES.min(left);
        if entry.size() > limit {
            return Err(too_large(&name, format!("{} bytes, {limit} are allowed", entry.size())));
        }
        let content = content(&mut zip, index, &name, limit)?;
        left -= content.len() as u64;
        files.insert(name, content);
    }
    zip.validate_header_consistency().map_err(|error| Tampering::Hidden(error.to_string()))?;
    Ok((files, comment))
}

fn content(zip: &mut ZipArchive<Cursor<&[u8]>>, index: usize, name: &str, limit: u64) -> Result<Vec<u8>, Tampering> {
    let changed = || Tampering::Changed(name.to_owned());
    let mut file = zip.by_index(index).map_err(|_| changed())?;
    let declared = file.size();
    let mut content = Vec::new();
    // The declared size may be wrong, so that the content is limited too.
    file.by_ref().take(limit + 1).read_to_end(&mut content).map_err(|_| changed())?;
    if content.len() as u64 > limit {
        return Err(too_large(name, format!("more than {limit} bytes")));
    }
    if content.len() as u64 != declared {
        return Err(changed());
    }
    Ok(content)
}

/// Checks that the zip file begins and ends with the bytes.
fn check_ends(bytes: &[u8], zip: &ZipArchive<Cursor<&[u8]>>) -> Result<(), Tampering> {
    let hidden = |place: &str| Err(Tampering::Hidden(format!("there are bytes {place}")));
    if zip.offset() != 0 {
        return hidden("before the first file");
    }
    let end = bytes.len().checked_sub(END_BYTES + zip.comment().len());
    if !end.is_some_and(|end| bytes[end..].starts_with(END_MARK) && bytes.ends_with(zip.comment())) {
        return hidden("behind the last file");
    }
    Ok(())
}

/// Returns the first name that is in a zip file twice.
fn duplicate(mut bytes: &[u8]) -> Option<String> {
    let mut known = BTreeSet::new();
    for _ in 0..MAX_FILES {
        let entry = zip::read::read_zipfile_from_stream(&mut bytes).ok()??;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        if !known.insert(name.clone()) {
            return Some(shown(&name));
        }
    }
    None
}

/// Returns whether a name is a relative path without special parts, as diffsan writes them on every system.
pub(crate) fn is_allowed(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.ends_with([' ', '.']);
    let is_plain = |char: char| !char.is_control() && !matches!(char, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    name.len() <= MAX_NAME_BYTES && name.chars().all(is_plain) && name.split('/').all(is_part)
}

fn shown(name: &str) -> String {
    name.chars().take(MAX_NAME_BYTES).flat_map(char::escape_default).collect()
}

fn too_large(file: &str, limit: String) -> Tampering {
    Tampering::TooLarge { file: file.to_owned(), limit }
}
