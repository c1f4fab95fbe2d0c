//! Content beyond the hunks of a change: lines around them, images, symbols, and which hunks were viewed.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::App;
use diffsan_change::{FileChange, Hunk, LineKind, RepoPath};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::open::{OpenChange, ShownReading};
use diffsan_review::finding::Side;
use diffsan_store::files::artifacts::now;
use diffsan_syntax::outline::{self, Symbol};

/// The maximum number of lines that one call returns.
const MAX_LINES: u32 = 2_000;
/// The maximum size of a displayed image, in bytes.
const MAX_IMAGE_BYTES: usize = 12 * 1024 * 1024;
/// The maximum size of a file whose text is rendered, in bytes.
const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// The maximum size of a file that is searched for symbols, in bytes.
const MAX_OUTLINE_BYTES: usize = 1024 * 1024;
/// The maximum number of symbols.
const MAX_SYMBOLS: usize = 5_000;

/// Lines of a file's new side.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The number of the first line, from 1.
    pub first: u32,
    /// The text of the lines, without line endings.
    pub lines: Vec<Vec<u8>>,
    /// The lines before them, for highlighting that depends on earlier lines.
    pub lead: Vec<Vec<u8>>,
    /// The number of lines in the file.
    pub total: u32,
}

/// An image.
#[derive(Clone, Debug)]
pub struct Image {
    /// The media type, such as `image/png`.
    pub media_type: &'static str,
    /// The bytes of the image.
    pub bytes: Vec<u8>,
}

/// The digests of the viewed hunks.
pub struct Viewed(HashSet<String>);

impl Viewed {
    /// Returns the indices of a file's viewed hunks; 0 for a file without hunks.
    pub fn of(&self, file: &FileChange) -> Vec<u32> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let is_viewed = |digests: &UnitDigests| digests.valid().any(|digest| self.0.contains(digest));
        (0..).zip(unit_digests(file)).filter(|(_, digests)| is_viewed(digests)).map(|(index, _)| index).collect()
    }
}

/// The digests under which a hunk, or a file without hunks, is marked as viewed.
struct UnitDigests {
    /// The digest of its changed lines, by which it is recognised when its surroundings change.
    changed: String,
    /// Whether other hunks of the file have the same changed lines, so that those do not tell which of the hunks was viewed.
    is_ambiguous: bool,
    /// The digest of all of its lines.
    whole: String,
}

impl UnitDigests {
    fn valid(&self) -> impl Iterator<Item = &String> {
        Some(&self.changed).filter(|_| !self.is_ambiguous).into_iter().chain([&self.whole])
    }
}

/// Returns the media type for a path's extension. Returns `None` if it is not an image that a browser can show.
pub fn image_type(path: &str) -> Option<&'static str> {
    let ending = path.rsplit_once('.')?.1.to_lowercase();
    Some(match ending.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

impl App {
    /// Returns lines of a file's new side that its hunks do not show, with up to `lead` lines before them. Blocks.
    pub fn context(&self, opened: &OpenChange, file: &FileChange, from: u32, to: u32, lead: usize) -> Result<Lines> {
        let missing = || {
            Error::new(ErrorCode::DiffFetchFailed, "The whole file is not available.")
                .hint("Open the change in a clone that has its commits.")
        };
        let path = file.new_path.as_ref().ok_or_else(missing)?;
        let bytes = opened.file(path, Side::New).ok_or_else(missing)?;
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let is_unchanged = |hunk: &Hunk| {
            hunk.numbered().filter_map(|line| Some((line.new?, &line.line.text))).all(|(number, text)| {
                let there = lines.get(number as usize - 1);
                there.is_some_and(|there| trimmed(there) == trimmed(text))
            })
        };
        if !file.hunks().iter().all(is_unchanged) {
            return Err(Error::new(ErrorCode::DiffFetchFailed, "The file has changed since the change was opened.")
                .hint("Reload the change (R)."));
        }
        let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let first = from.max(1);
        let last = to.min(total).min(first.saturating_add(MAX_LINES - 1));
        let owned = |from: usize, to: usize| {
            let shown = lines.get(from..to.max(from)).unwrap_or_default();
            shown.iter().map(|line| line.to_vec()).collect()
        };
        let start = (first as usize - 1).min(lines.len());
        Ok(Lines {
            first,
            lines: owned(start, (last as usize).max(start)),
            lead: owned(start.saturating_sub(lead), start),
            total,
        })
    }

    /// Returns the whole texts of a file, old and new; `None` for a side that the file does not have. Fails if a text is not available, too
    /// large or not UTF-8. Blocks.
    pub fn texts(&self, opened: &OpenChange, file: &FileChange) -> Result<(Option<String>, Option<String>)> {
        let read = |path: &Option<RepoPath>, side: Side| {
            let Some(path) = path else { return Ok(None) };
            let bytes = opened.file(path, side).ok_or_else(|| {
                Error::new(ErrorCode::DiffFetchFailed, "The whole file is not available.")
                    .hint("Open the change in a clone that has its commits.")
            })?;
            if bytes.len() > MAX_TEXT_BYTES {
                return Err(Error::new(ErrorCode::InvalidInput, "The file is larger than 1 MB."));
            }
            let text = String::from_utf8(bytes.to_vec())
                .map_err(|_| Error::new(ErrorCode::InvalidInput, "The file is not UTF-8 text."))?;
            Ok(Some(text))
        };
        Ok((read(&file.old_path, Side::Old)?, read(&file.new_path, Side::New)?))
    }

    /// Returns the image on one side of a file. Returns `None` if that side has no image. Blocks.
    pub fn image(&self, opened: &OpenChange, file: &FileChange, side: Side) -> Result<Option<Image>> {
        let path = if side == Side::New { &file.new_path } else { &file.old_path };
        let Some(path) = path else { return Ok(None) };
        let Some(media_type) = image_type(&path.to_text()) else { return Ok(None) };
        let Some(bytes) = opened.file(path, side) else { return Ok(None) };
        if bytes.len() > MAX_IMAGE_BYTES {
            let message = format!("The picture has {} MB; the limit is 12 MB.", bytes.len() >> 20);
            return Err(Error::new(ErrorCode::InvalidInput, message).hint("Open it in an image viewer."));
        }
        Ok(Some(Image { media_type, bytes: bytes.to_vec() }))
    }

    /// Returns the symbols that a change touches, each with the index of its file in display order. Blocks.
    pub fn symbols(&self, opened: &OpenChange) -> Vec<(u32, Symbol)> {
        let mut found = Vec::new();
        for (at, &index) in (0..).zip(opened.plan.order()) {
            let file = &opened.change.files[index];
            if file.hunks().is_empty() || opened.plan.ignored(index).is_some() {
                continue;
            }
            let text = file.path().to_text();
            let known = outline::is_read(&text);
            let bytes = file.new_path.as_ref().filter(|_| known).and_then(|path| opened.file(path, Side::New));
            let whole = bytes.filter(|bytes| bytes.len() <= MAX_OUTLINE_BYTES);
            let touched = touched_lines(file);
            let symbols = match &whole {
                Some(bytes) => outline::touched(&text, bytes, &touched),
                None => outline::of_sections(file),
            };
            found.extend(symbols.into_iter().map(|symbol| (at, symbol)));
            if found.len() >= MAX_SYMBOLS {
                break;
            }
        }
        found.truncate(MAX_SYMBOLS);
        found
    }

    /// Returns the folds of a change, and the order to read it in. Blocks.
    pub fn folds_and_order(&self, opened: &OpenChange) -> ShownReading {
        opened.shown_reading()
    }

    /// Returns the viewed hunks of the change's repository. Blocks.
    pub fn viewed(&self, opened: &OpenChange) -> Result<Viewed> {
        Ok(Viewed(self.store.viewed(&opened.repository_name())?))
    }

    /// Marks hunks as viewed or not viewed. A mark without a hunk means all hunks of the file. Blocks.
    pub fn set_viewed(&self, opened: &OpenChange, marks: &[(&FileChange, Option<u32>)], viewed: bool) -> Result<()> {
        let mut digests = Vec::new();
        for (file, hunk) in marks {
            let all = unit_digests(file);
            match hunk {
                None => digests.extend(all),
                Some(index) => digests.extend(all.into_iter().nth(*index as usize)),
            }
        }
        let digests: Vec<String> = match viewed {
            true => digests.iter().flat_map(UnitDigests::valid).cloned().collect(),
            false => digests.into_iter().flat_map(|one| [one.changed, one.whole]).collect(),
        };
        self.store.set_viewed(&opened.repository_name(), &digests, viewed, &now()).map_err(Error::from)
    }
}

/// Returns the new-side numbers of added lines and, for each removed line, the number of the line that follows it.
fn touched_lines(file: &FileChange) -> Vec<u32> {
    let mut touched = Vec::new();
    for hunk in file.hunks() {
        let mut next = hunk.new_start;
        for line in hunk.numbered() {
            if line.line.kind != LineKind::Context {
                touched.push(next);
            }
            next = line.new.map_or(next, |number| number + 1);
        }
    }
    touched.dedup();
    touched
}

/// Returns the digests of each hunk, or of the file if it has no hunks. They do not depend on the position of a hunk, so that a moved hunk
/// is recognised.
fn unit_digests(file: &FileChange) -> Vec<UnitDigests> {
    let path = file.path().to_text().into_owned();
    let hex = |digest: Sha256| hex::encode(&digest.finalize()[..16]);
    if file.hunks().is_empty() {
        let mut digest = Sha256::new();
        digest.update(format!("{path}\0{:?}\0{:?}\0{:?}", file.status, file.ids, file.new_mode));
        let digest = hex(digest);
        return vec![UnitDigests { changed: digest.clone(), is_ambiguous: false, whole: digest }];
    }
    let digest_of = |hunk: &Hunk, with_context: bool| {
        let mut digest = Sha256::new();
        digest.update(path.as_bytes());
        for line in hunk.lines.iter().filter(|line| with_context || line.kind != LineKind::Context) {
            digest.update(match line.kind {
                LineKind::Added => b"\0+",
                LineKind::Removed => b"\0-",
                LineKind::Context => b"\0 ",
            });
            digest.update(&line.text);
        }
        hex(digest)
    };
    let changed: Vec<String> = file.hunks().iter().map(|hunk| digest_of(hunk, false)).collect();
    let whole: Vec<String> = file.hunks().iter().map(|hunk| digest_of(hunk, true)).collect();
    let count = |all: &[String]| {
        let mut counts: HashMap<String, u32> = HashMap::new();
        all.iter().for_each(|digest| *counts.entry(digest.clone()).or_default() += 1);
        counts
    };
    let (equal_changes, equal_hunks) = (count(&changed), count(&whole));
    let mut seen: HashMap<String, u32> = HashMap::new();
    let digests = changed.into_iter().zip(whole).map(|(changed, whole)| {
        let equal = equal_hunks[&whole];
        let number = seen.entry(whole.clone()).or_default();
        *number += 1;
        // Hunks that are equal with their surroundings are numbered. Their marks end when there are more or fewer of them.
        let whole = if equal == 1 { format!("{whole}.whole") } else { format!("{whole}.{number}of{equal}") };
        UnitDigests { is_ambiguous: equal_changes[&changed] > 1, changed, whole }
    });
    digests.collect()
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
