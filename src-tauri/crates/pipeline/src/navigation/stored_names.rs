//! The stored form of the names of a repository's files: the numbers of all files in one block, so that it is read without parsing.

use super::symbol_store::NamesByKey;
use diffsan_syntax::symbols::FileNames;
use serde::{Deserialize, Serialize};

/// The names of a file: the number of its names and of its packages, which follow each other in the block.
#[derive(Serialize, Deserialize)]
struct Stored<'k> {
    key: &'k str,
    /// `None` for a file that has no symbols. The last value says whether the names are exact.
    counts: Option<(u32, u32, bool)>,
}

/// Returns the stored form.
pub(super) fn encode(all: &NamesByKey) -> Vec<u8> {
    let mut files = Vec::with_capacity(all.len());
    let mut block: Vec<u8> = Vec::new();
    for (key, names) in all {
        let counts = names.as_ref().map(|names| {
            let (own, packages) = names.parts();
            block.extend(own.iter().chain(packages).flat_map(|number| number.to_le_bytes()));
            (count(own), count(packages), names.is_exact())
        });
        files.push(Stored { key, counts });
    }
    let head = postcard::to_stdvec(&files).unwrap_or_default();
    let length = u32::try_from(head.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes()[..], &head, &block].concat()
}

/// Reads the stored form. Returns `None` if it is damaged.
pub(super) fn decode(bytes: &[u8]) -> Option<NamesByKey> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (head, mut block) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let files: Vec<Stored<'_>> = postcard::from_bytes(head).ok()?;
    let mut all = NamesByKey::with_capacity(files.len());
    for Stored { key, counts } in files {
        let names = match counts {
            Some((own, packages, exact)) => {
                Some(FileNames::from_parts(exact, take(&mut block, own)?, take(&mut block, packages)?))
            }
            None => None,
        };
        all.insert(key.to_owned(), names);
    }
    Some(all)
}

fn take(block: &mut &[u8], count: u32) -> Option<Vec<u32>> {
    let (own, rest) = block.split_at_checked(count as usize * 4)?;
    *block = rest;
    Some(own.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect())
}

fn count(numbers: &[u32]) -> u32 {
    u32::try_from(numbers.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_syntax::language::Language;

    #[test]
    fn names_are_read_back() {
        let mut all = NamesByKey::new();
        let names = |text: &str| Some(FileNames::of_text(Language::Java, text.as_bytes()));
        all.insert("1.Java".into(), names("package a.b; class Sender { void send() {} }"));
        all.insert("2.Java".into(), names(""));
        all.insert("3.Java".into(), None);
        let stored = encode(&all);
        assert_eq!(decode(&stored), Some(all));
        assert_eq!(decode(&stored[..stored.len() - 1]), None);
        assert_eq!(decode(&[]), None);
    }
}
