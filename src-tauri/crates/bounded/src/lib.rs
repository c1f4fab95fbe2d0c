//! Reads content from outside diffsan with limits: files of a repository, answers of servers and programs, standard input.
//!
//! In: a path or a stream, and the maximum number of bytes. Out: the content, or an error that says why it was not read. Reading never
//! waits for a named pipe, a socket or a device, not even behind a symbolic link, and never holds more than the limit in memory. The error
//! does not name the file; the caller adds the name.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The limit of a settings file, a list of prompts or a policy.
pub const MAX_SETTINGS_BYTES: u64 = 4 << 20;
/// The limit of one text for people or for an agent.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;
/// The limit of a patch or a stored review, from a file or standard input.
pub const MAX_PATCH_BYTES: u64 = 256 << 20;
/// The limit of one file of a change.
pub const MAX_FILE_BYTES: u64 = 100 << 20;

/// Reads a regular file of at most `max` bytes. Fails on a larger file and on anything that is not a regular file.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let (file, about) = open(path, true)?;
    check_size(about.len(), max)?;
    read_file(file, &about, max)
}

/// Reads a regular file of at most `max` bytes, which must be UTF-8.
pub fn read_to_string(path: &Path, max: u64) -> io::Result<String> {
    text(read(path, max)?)
}

/// Reads a stream of at most `max` bytes to its end.
pub fn read_stream(stream: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    read_into(stream, &mut content, max)?;
    Ok(content)
}

/// Reads a stream of at most `max` bytes to its end, which must be UTF-8.
pub fn read_stream_to_string(stream: impl Read, max: u64) -> io::Result<String> {
    text(read_stream(stream, max)?)
}

/// Reads a line of at most `max` bytes and removes its line end. Returns `None` at the end of the stream.
pub fn read_line(stream: &mut impl BufRead, max: u64) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    stream.take(max.saturating_add(1)).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() as u64 > max {
        return Err(line_too_long(max));
    }
    let end = line.strip_suffix(b"\n").map_or(line.len(), |line| line.strip_suffix(b"\r").unwrap_or(line).len());
    line.truncate(end);
    text(line).map(Some)
}

/// Opens a regular file without blocking. With `follow_link`, a symbolic link to a regular file is opened too.
pub fn open(path: &Path, follow_link: bool) -> io::Result<(File, Metadata)> {
    // A plain open would wait for the writer of a named pipe or for a terminal, and can trigger an action of a device.
    let before = if follow_link { std::fs::metadata(path)? } else { std::fs::symlink_metadata(path)? };
    check_kind(&before)?;
    let file = open_now(path, follow_link)?;
    // The path may have been replaced since the check.
    let about = file.metadata()?;
    check_kind(&about)?;
    Ok((file, about))
}

/// Reads an open file of at most `max` bytes. `about` provides the expected size.
pub fn read_file(file: File, about: &Metadata, max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::with_capacity(usize::try_from(about.len().min(max)).unwrap_or_default().saturating_add(1));
    read_into(file, &mut content, max)?;
    Ok(content)
}

fn read_into(stream: impl Read, content: &mut Vec<u8>, max: u64) -> io::Result<()> {
    // One extra byte distinguishes a stream that ends at the limit from one that continues.
    stream.take(max.saturating_add(1)).read_to_end(content)?;
    if content.len() as u64 > max { Err(too_large(format!("it has more than {}", size_text(max)))) } else { Ok(()) }
}

fn text(content: Vec<u8>) -> io::Result<String> {
    String::from_utf8(content).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Fails if a file is larger than `max` bytes.
pub fn check_size(size: u64, max: u64) -> io::Result<()> {
    if size <= max {
        return Ok(());
    }
    Err(too_large(format!("it has {}; the limit is {}", size_text(size), size_text(max))))
}

/// Returns the error for a line of a stream that has more than `max` bytes.
pub fn line_too_long(max: u64) -> io::Error {
    too_large(format!("a line has more than {}", size_text(max)))
}

fn too_large(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// Fails if the metadata is not that of a regular file. The error names the kind of file.
pub fn check_kind(about: &Metadata) -> io::Result<()> {
    match kind_name(about) {
        None => Ok(()),
        Some(name) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {name}, not a regular file"))),
    }
}

/// Returns the name of a file kind, or `None` for a regular file.
pub(crate) fn kind_name(about: &Metadata) -> Option<&'static str> {
    let kind = about.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    if kind.is_symlink() {
        return Some("a symbolic link");
    }
    Some(special_name(kind))
}

#[cfg(unix)]
fn special_name(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn special_name(_: std::fs::FileType) -> &'static str {
    "a device"
}

#[cfg(unix)]
fn open_now(path: &Path, follow_link: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;
    let flags = if follow_link { flags } else { flags | libc::O_NOFOLLOW };
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_now(path: &Path, _: bool) -> io::Result<File> {
    File::open(path)
}

/// Formats a size for people: `20.0 GB`.
pub fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_read_to_its_bound_and_no_further() {
        assert_eq!(read_stream(&b"abc"[..], 3).expect("read"), b"abc");
        let mut lines = &b"one\r\n\ntwo"[..];
        let mut next = || read_line(&mut lines, 5).expect("read");
        assert_eq!(
            [next(), next(), next(), next()],
            [Some("one".into()), Some(String::new()), Some("two".into()), None]
        );
        assert!(read_line(&mut io::BufReader::new(io::repeat(0)), 1_000).is_err());
        let error = read_stream(io::repeat(0), 1_000).expect_err("it never ends");
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (io::ErrorKind::FileTooLarge, "it has more than 1.0 kB")
        );
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").expect("written");
        std::os::unix::fs::symlink("file", path("link")).expect("linked");
        std::os::unix::fs::symlink("/dev/zero", path("zero")).expect("linked");
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).expect("a socket");
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().expect("mkfifo");
        assert!(made.success());
        let message = |name: &str, max| read(&path(name), max).map_err(|error| error.to_string());
        assert_eq!(message("file", 4), Ok(b"text".to_vec()));
        assert_eq!(message("link", 4), Ok(b"text".to_vec()));
        let refused = |name: &str, words_of: &str| assert_eq!(message(name, 3), Err(words_of.to_owned()));
        refused("file", "it has 4 bytes; the limit is 3 bytes");
        refused("pipe", "it is a named pipe, not a regular file");
        refused("zero", "it is a device, not a regular file");
        refused("socket", "it is a socket, not a regular file");
        refused(".", "it is a folder, not a regular file");
    }
}
