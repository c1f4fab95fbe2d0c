//! The list of sums: parsing, and checking the files of a folder against it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{ReleaseError, SIGNATURE, SUMS};

/// Parses the list: a sum in hexadecimal for each name.
pub fn parse(list: &str) -> Result<BTreeMap<String, String>, ReleaseError> {
    let mut files = BTreeMap::new();
    for (index, line) in list.lines().enumerate() {
        let fault = || ReleaseError::SumsFormat { line: index + 1 };
        let (sum, name) = line.split_once("  ").ok_or_else(fault)?;
        let is_sum = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+~-".contains(&byte));
        if !is_sum || !is_name || name.is_empty() || name.starts_with('.') {
            return Err(fault());
        }
        if files.insert(name.to_owned(), sum.to_owned()).is_some() {
            return Err(fault());
        }
    }
    Ok(files)
}

/// Checks that a folder has exactly the listed files, with their sums.
pub fn check(folder: &Path, files: &BTreeMap<String, String>) -> Result<(), ReleaseError> {
    let unreadable = |error| ReleaseError::Unreadable { path: folder.to_owned(), error };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        names.push(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    if let Some(name) =
        names.iter().find(|name| ![SUMS, SIGNATURE].contains(&name.as_str()) && !files.contains_key(*name))
    {
        return Err(ReleaseError::Unlisted { name: name.clone() });
    }
    for (name, sum) in files {
        if names.binary_search(name).is_err() {
            return Err(ReleaseError::Missing { name: name.clone() });
        }
        let path = folder.join(name);
        let found = sum_of(&path).map_err(|error| ReleaseError::Unreadable { path, error })?;
        if found != *sum {
            return Err(ReleaseError::Sum { name: name.clone() });
        }
    }
    Ok(())
}

/// Returns the sum of a regular file, in hexadecimal.
fn sum_of(path: &Path) -> std::io::Result<String> {
    let (mut file, _) = diffsan_bounded::open(path, false)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            length => digest.update(buffer.get(..length).unwrap_or_default()),
        }
    }
}
