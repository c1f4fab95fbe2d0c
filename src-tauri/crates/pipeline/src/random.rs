//! Creates random identifiers.

use crate::error::{Result, no_random_numbers};
use diffsan_store::files::places::random_word;

/// Creates a random id of hexadecimal digits, two for each byte.
pub fn random_id(bytes: usize) -> Result<String> {
    random_word(bytes).map_err(no_random_numbers)
}

/// Creates the marker that surrounds text of others in a prompt. Its author cannot guess it, and so cannot end the text early.
pub fn random_marker() -> Result<String> {
    Ok(format!("untrusted-{}", random_id(6)?))
}
