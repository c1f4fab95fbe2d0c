//! The diff of a merge request as GitLab computes it, and the lines that can be commented. Independent of diffsan's own parser.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use sha1::{Digest, Sha1};

use super::state::{Position, Version};

/// Cached output of git. It never changes, because all commits are named by their full ids.
static KNOWN: LazyLock<Mutex<HashMap<Vec<String>, Vec<u8>>>> = LazyLock::new(Mutex::default);

/// Runs git with arguments that name commits only by their full ids. Caches the output.
fn run_once(repository: &Path, args: &[&str]) -> Vec<u8> {
    let key: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).chain([repository.display().to_string()]).collect();
    if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    let printed = run(repository, args);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key, printed.clone());
    printed
}

/// Runs git in a bare repository.
pub(super) fn run(repository: &Path, args: &[&str]) -> Vec<u8> {
    let ran = Command::new("git").arg("--git-dir").arg(repository).args(args).output().expect("git");
    ran.stdout
}

/// Returns the numbers of added and removed lines between two commits.
pub(super) fn line_counts(repository: &Path, base: &str, head: &str) -> (u64, u64) {
    let text = String::from_utf8_lossy(&run(repository, &["diff", "--numstat", base, head])).into_owned();
    let number = |field: Option<&str>| field.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    text.lines().fold((0, 0), |(added, removed), line| {
        let mut fields = line.split('\t');
        (added + number(fields.next()), removed + number(fields.next()))
    })
}

/// Commits a new text of a file to a branch of a bare repository, with a temporary work tree.
pub(super) fn commit(repository: &Path, branch: &str, path: &str, text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let git = |args: &[&str]| {
        let ran = Command::new("git")
            .current_dir(folder.path())
            .args(["-c", "user.name=Author", "-c", "user.email=author@example.com"])
            .args(args)
            .output()
            .expect("git");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    git(&["clone", "-q", "-b", branch, &repository.display().to_string(), "."]);
    std::fs::write(folder.path().join(path), text).expect("written");
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "More"]);
    git(&["push", "-q", "origin", branch]);
}

pub(super) fn rev(repository: &Path, name: &str) -> String {
    text(&run(repository, &["rev-parse", "--verify", "-q", &format!("{name}^{{commit}}")]))
}

pub(super) fn merge_base(repository: &Path, one: &str, two: &str) -> String {
    text(&run(repository, &["merge-base", one, two]))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// Returns the range `start...head`, or `start..head` where `start` is the base.
fn range(start: &str, base: &str, head: &str) -> String {
    if start == base { format!("{start}..{head}") } else { format!("{start}...{head}") }
}

/// Returns the patch between two commits, for some paths or for all.
pub(super) fn patch(repository: &Path, version: (&str, &str, &str), context: &str, paths: &[&str]) -> Vec<u8> {
    let (base, start, head) = version;
    let range = range(start, base, head);
    let context = format!("-U{context}");
    let mut args = vec![
        "-c",
        "core.quotePath=true",
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        &context,
        "--find-renames=30%",
        "--full-index",
        &range,
    ];
    args.push("--");
    args.extend(paths);
    run_once(repository, &args)
}

/// One file of a patch: the lines of its header, and its lines with their old and new numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) header: Vec<String>,
    pub(super) body: String,
    pub(super) lines: Vec<(Option<u32>, Option<u32>)>,
    /// The line counters of both sides at each line.
    pub(super) counters: Vec<(u32, u32)>,
}

/// The size of a file's patch, compared with the server's limit (§5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Whole,
    Collapsed,
    TooLarge,
}

impl File {
    /// Returns how the size of the patch compares with a limit in bytes.
    pub(super) fn size(&self, limit: Option<usize>) -> Size {
        match limit {
            Some(limit) if self.body.len() > limit => Size::TooLarge,
            Some(limit) if self.body.len() > limit / 10 => Size::Collapsed,
            _ => Size::Whole,
        }
    }

    pub(super) fn is(&self, start: &str) -> bool {
        self.header.iter().any(|line| line.starts_with(start))
    }

    /// Returns the modes before and after the change. `0` stands for a file that does not exist.
    pub(super) fn modes(&self) -> (String, String) {
        let find = |start: &str| self.header.iter().find_map(|line| line.strip_prefix(start)).map(str::to_owned);
        let unchanged = || find("index ").and_then(|line| Some(line.split_once(' ')?.1.to_owned()));
        let both = unchanged().unwrap_or_else(|| "100644".into());
        if let Some(mode) = find("new file mode ") {
            return ("0".into(), mode);
        }
        if let Some(mode) = find("deleted file mode ") {
            return (mode, "0".into());
        }
        (find("old mode ").unwrap_or_else(|| both.clone()), find("new mode ").unwrap_or(both))
    }

    /// Returns the path on a side.
    pub(super) fn path(&self, new: bool) -> String {
        let find = |start: &str| self.header.iter().find_map(|line| line.strip_prefix(start)).map(str::to_owned);
        let (plain, rename) = if new { ("+++ ", "rename to ") } else { ("--- ", "rename from ") };
        let clean = |path: String| {
            let path = path.trim_end_matches('\t').to_owned();
            let path = unquote(&path);
            path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).map_or(path.clone(), str::to_owned)
        };
        if let Some(path) = find(rename) {
            return unquote(&path);
        }
        match find(plain).filter(|path| path != "/dev/null").map(clean) {
            Some(path) => path,
            None => {
                // A file without hunks, or with one empty side, has its path only on the other side.
                let other = find(if new { "--- " } else { "+++ " }).filter(|path| path != "/dev/null").map(clean);
                other.unwrap_or_else(|| {
                    let first = self.header[0].strip_prefix("diff --git ").unwrap_or_default();
                    let half = first.len() / 2;
                    unquote(&first[half + 1..]).trim_start_matches("b/").to_owned()
                })
            }
        }
    }
}

/// Decodes git's quoting of paths.
fn unquote(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return path.to_owned() };
    let bytes = inner.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let rest = &inner[at + 1..];
        if let Some(byte) = rest.get(..3).and_then(|octal| u8::from_str_radix(octal, 8).ok()) {
            out.push(byte);
            at += 4;
        } else {
            out.push(match bytes[at + 1] {
                b'n' => b'\n',
                b't' => b'\t',
                other => other,
            });
            at += 2;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Parses a patch into files.
pub(super) fn files(patch: &[u8]) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let (mut old, mut new) = (0, 0);
    // The number of lines that the hunk still has on each side.
    let (mut old_left, mut new_left) = (0, 0);
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let inside = old_left > 0 || new_left > 0;
        if !inside && text.starts_with("diff --git ") {
            files.push(File::default());
        }
        let Some(file) = files.last_mut() else { continue };
        if !inside && text.starts_with("@@ ") {
            let numbers: Vec<u32> = text
                .split([' ', ',', '-', '+', '@'])
                .filter(|part| !part.is_empty())
                .map_while(|part| part.parse().ok())
                .collect();
            let parts: Vec<&str> = text.split(' ').collect();
            let count = |part: &str| part.split_once(',').map_or(1, |(_, count)| count.parse().unwrap_or(1));
            (old_left, new_left) = (count(parts[1]), count(parts[2]));
            old = numbers[0];
            new = parts[2].trim_start_matches('+').split(',').next().and_then(|start| start.parse().ok()).unwrap_or(0);
            file.body.push_str(&text);
            continue;
        }
        if !inside && !text.starts_with('\\') {
            file.header.push(text.trim_end_matches('\n').to_owned());
            continue;
        }
        file.body.push_str(&text);
        if text.starts_with(['+', '-', ' ']) {
            file.counters.push((old, new));
        }
        match text.as_bytes()[0] {
            b'+' => {
                file.lines.push((None, Some(new)));
                new += 1;
                new_left -= 1;
            }
            b'-' => {
                file.lines.push((Some(old), None));
                old += 1;
                old_left -= 1;
            }
            b' ' => {
                file.lines.push((Some(old), Some(new)));
                old += 1;
                new += 1;
                old_left -= 1;
                new_left -= 1;
            }
            _ => {}
        }
    }
    files
}

/// The reason for which a position is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    LineCode,
    Incomplete,
    UnknownCommit,
}

/// Returns the line code of a position, if its line can be commented. A file whose patch exceeds `limit` has no lines; one that is
/// collapsed has all (§7.1).
pub(super) fn resolve(repository: &Path, position: &Position, limit: Option<usize>) -> Result<String, Refused> {
    let exists = |sha: &str| sha.len() == 40 && !run_once(repository, &["cat-file", "-t", sha]).is_empty();
    if ![&position.base_sha, &position.start_sha, &position.head_sha].into_iter().all(|sha| exists(sha)) {
        return Err(Refused::UnknownCommit);
    }
    let shas = (position.base_sha.as_str(), position.start_sha.as_str(), position.head_sha.as_str());
    let paths: Vec<&str> = [&position.old_path, &position.new_path].into_iter().flatten().map(String::as_str).collect();
    let few = files(&patch(repository, shas, "3", &paths));
    let Some(file) = few.first() else { return Err(Refused::LineCode) };
    let pair = (position.old_line, position.new_line);
    if pair == (None, None) {
        return Err(Refused::Incomplete);
    }
    if file.lines.is_empty() || file.size(limit) == Size::TooLarge {
        return Err(Refused::LineCode);
    }
    let whole = file.is("new file mode") || file.is("deleted file mode");
    let all = files(&patch(repository, shas, "1000000", &paths));
    let searched = if whole { Some(file) } else { all.first() };
    let at = searched.and_then(|file| Some((file, file.lines.iter().position(|line| *line == pair)?)));
    let Some((file, at)) = at else { return Err(Refused::LineCode) };
    let path = position.new_path.as_ref().or(position.old_path.as_ref()).cloned().unwrap_or_default();
    let digest = hex::encode(Sha1::digest(path));
    // A side without the line has the current counter, or 0 for an added or deleted file.
    let (old, new) = file.counters[at];
    let (old, new) = if file.is("new file mode") {
        (0, new)
    } else if file.is("deleted file mode") {
        (old, 0)
    } else {
        (old, new)
    };
    Ok(format!("{digest}_{old}_{new}"))
}

/// Returns whether an accepted line is not part of the merge request's own diff. This happens for a renamed file if only its new
/// path was sent: every line then looks added.
pub(super) fn trips_the_hook(repository: &Path, position: &Position, version: &Version) -> bool {
    let Some(new_path) = &position.new_path else { return false };
    let whole = files(&of_version(repository, version));
    let Some(file) = whole.iter().find(|file| file.path(true) == *new_path && file.is("rename from")) else {
        return false;
    };
    let pair = (position.old_line, position.new_line);
    let wrong_path = position.old_path.as_ref().is_none_or(|old| *old != file.path(false));
    wrong_path && position.old_line.is_none() && !file.lines.contains(&pair)
}

/// Returns the position in the current version, if its line still exists.
pub(super) fn traced(repository: &Path, position: &Position, version: &Version) -> Option<Position> {
    let path = position.new_path.as_deref()?;
    let line = position.new_line?;
    let before = run_once(repository, &["show", &format!("{}:{path}", position.head_sha)]);
    let moved =
        run_once(repository, &["diff", "--no-ext-diff", "-U1000000", &position.head_sha, &version.head, "--", path]);
    let now = match files(&moved).first() {
        None if !before.is_empty() => line,
        None => return None,
        Some(file) => file.lines.iter().find_map(|(old, new)| (*old == Some(line)).then_some(*new)).flatten()?,
    };
    let shas = (version.base.as_str(), version.start.as_str(), version.head.as_str());
    let all = files(&patch(repository, shas, "1000000", &[path]));
    let pair = all.first()?.lines.iter().find(|(_, new)| *new == Some(now)).copied()?;
    Some(Position {
        base_sha: version.base.clone(),
        start_sha: version.start.clone(),
        head_sha: version.head.clone(),
        old_line: pair.0,
        new_line: pair.1,
        line_range: None,
        ..position.clone()
    })
}

/// Returns the patch of a version.
pub(super) fn of_version(repository: &Path, version: &Version) -> Vec<u8> {
    patch(repository, (&version.base, &version.start, &version.head), "3", &[])
}
