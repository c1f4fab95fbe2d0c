//! Parses one file of a patch. Its headers give paths, modes and status, its hunks the lines.

use super::lines::{Lines, trim};
use super::{Fault, header, hunk};
use crate::{Body, FileChange, RepoPath, Status};

/// The content of git's extended headers.
#[derive(Default)]
struct Headers {
    status: Option<Status>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    from: Option<RepoPath>,
    to: Option<RepoPath>,
    similarity: Option<u8>,
    ids: Option<(String, String)>,
}

impl Headers {
    /// Parses one line. Returns `false` if it is not an extended header.
    fn take(&mut self, line: &[u8]) -> bool {
        let after = |prefix: &str| line.strip_prefix(prefix.as_bytes());
        if let Some(text) = after("old mode ") {
            self.old_mode = header::mode(text);
        } else if let Some(text) = after("new mode ") {
            self.new_mode = header::mode(text);
        } else if let Some(text) = after("new file mode ") {
            self.status = Some(Status::Added);
            self.new_mode = header::mode(text);
        } else if let Some(text) = after("deleted file mode ") {
            self.status = Some(Status::Deleted);
            self.old_mode = header::mode(text);
        } else if let Some(text) = after("rename from ") {
            self.status = Some(Status::Renamed);
            self.from = Some(header::name(text));
        } else if let Some(text) = after("copy from ") {
            self.status = Some(Status::Copied);
            self.from = Some(header::name(text));
        } else if let Some(text) = after("rename to ").or_else(|| after("copy to ")) {
            self.to = Some(header::name(text));
        } else if let Some(text) = after("similarity index ") {
            let text = trim(text).strip_suffix(b"%").unwrap_or(text);
            self.similarity = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        } else if let Some(text) = after("index ") {
            self.index(trim(text));
        } else {
            return line.starts_with(b"dissimilarity index ");
        }
        true
    }

    fn index(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let (ids, mode) = text.split_once(' ').map_or((&*text, None), |(ids, mode)| (ids, Some(mode)));
        self.ids = ids.split_once("..").and_then(|(old, new)| header::ids(old, new));
        if let Some(mode) = mode.and_then(|mode| header::mode(mode.as_bytes())) {
            (self.old_mode, self.new_mode) = (self.old_mode.or(Some(mode)), self.new_mode.or(Some(mode)));
        }
    }
}

/// Parses a file that starts with `diff --git`.
pub(super) fn git(lines: &mut Lines) -> Result<FileChange, Fault> {
    let start = lines.number();
    let first = lines.next().unwrap_or_default();
    let mut headers = Headers::default();
    while lines.peek().is_some_and(|line| headers.take(line)) {
        lines.skip();
    }
    let sides = names(lines);
    let both = header::git_names(&first);
    let status = headers.status.unwrap_or(match &sides {
        Some((_, (None, _))) => Status::Added,
        Some((_, (_, None))) => Status::Deleted,
        _ => Status::Modified,
    });
    let (old_path, new_path) = match (headers.from.take(), headers.to.take(), both, sides.as_ref()) {
        (Some(from), Some(to), ..) => (Some(from), Some(to)),
        (_, _, Some(path), _) => (Some(path.clone()), Some(path)),
        (_, _, None, Some((_, sides))) => sides.clone(),
        _ => return Err(Fault::new(start, "the two file names of this `diff --git` line are ambiguous")),
    };
    // Damaged headers may contradict the names. A side without a name is absent.
    let status = match (&old_path, &new_path) {
        (None, _) => Status::Added,
        (_, None) => Status::Deleted,
        _ => status,
    };
    let mut file = FileChange {
        old_path: old_path.filter(|_| status != Status::Added),
        new_path: new_path.filter(|_| status != Status::Deleted),
        status,
        old_mode: headers.old_mode,
        new_mode: headers.new_mode,
        ids: headers.ids,
        similarity: headers.similarity,
        body: Body::Text(Vec::new()),
    };
    let crlf = first.ends_with(b"\r");
    match lines.peek() {
        Some(line) if line.starts_with(b"GIT binary patch") => file.body = Body::Binary(Some(literal(lines))),
        Some(line) if line.starts_with(b"Binary files ") && trim(line).ends_with(b" differ") => {
            lines.skip();
            file.body = Body::Binary(None);
        }
        Some(line) if sides.is_some() || line.starts_with(b"@@ -") => file = with_hunks(lines, file, crlf)?,
        _ => {}
    }
    if file.status == Status::Modified && file.hunks().is_empty() && file.old_path != file.new_path {
        // `---` and `+++` are printed with hunks only. Without them, the headers of a rename give the two names.
        file.status = Status::Renamed;
    }
    Ok(file)
}

/// Parses a file that starts with `---` and `+++`.
pub(super) fn plain(lines: &mut Lines) -> Result<FileChange, Fault> {
    let crlf = lines.peek().is_some_and(|line| line.ends_with(b"\r"));
    let number = lines.number();
    let (absent, (old_path, new_path)) = names(lines).unwrap_or_default();
    let (old_path, new_path) = (old_path.filter(|_| !absent.0), new_path.filter(|_| !absent.1));
    let (old_path, new_path, status) = match (old_path, new_path) {
        (None, None) => return Err(Fault::new(number, "the file has no name on either side")),
        (None, new) => (None, new, Status::Added),
        (old, None) => (old, None, Status::Deleted),
        // `x.orig` and `x` are one file, named by the new side: a plain diff has no renames.
        (_, Some(new)) => (Some(new.clone()), Some(new), Status::Modified),
    };
    let file = FileChange {
        old_path,
        new_path,
        status,
        old_mode: None,
        new_mode: None,
        ids: None,
        similarity: None,
        body: Body::Text(Vec::new()),
    };
    with_hunks(lines, file, crlf)
}

type Names = (Option<RepoPath>, Option<RepoPath>);

/// Parses the `---` and `+++` lines, if they are here. Returns which sides have the epoch as their time, and the paths.
fn names(lines: &mut Lines) -> Option<((bool, bool), Names)> {
    let old = header::side(lines.peek()?.strip_prefix(b"--- ")?);
    let new = header::side(lines.peek_at(1)?.strip_prefix(b"+++ ")?);
    lines.skip();
    lines.skip();
    let stripped = header::strip_prefixes(old.name.as_deref(), new.name.as_deref());
    let paths = stripped.unwrap_or_else(|| {
        let (old, new) = (old.name, new.name);
        // `before/x` and `after/x` are the same file in two folders.
        let behind = |name: &[u8]| memchr::memchr(b'/', name).map(|at| name[at + 1..].to_vec());
        if let (Some(old), Some(new)) = (&old, &new)
            && old != new
            && let (Some(old), Some(new)) = (behind(old), behind(new))
            && old == new
        {
            return (Some(RepoPath::new(old)), Some(RepoPath::new(new)));
        }
        (old.map(RepoPath::new), new.map(RepoPath::new))
    });
    Some(((old.epoch, new.epoch), paths))
}

fn with_hunks(lines: &mut Lines, mut file: FileChange, crlf: bool) -> Result<FileChange, Fault> {
    let mut hunks = Vec::new();
    let result = hunk::all(lines, crlf, &mut hunks);
    file.body = Body::Text(hunks);
    match result {
        Ok(()) => Ok(file),
        Err(fault) => Err(Fault {
            message: format!("{} (in {})", fault.message, file.path()),
            file: Some(Box::new(file)).filter(|file| !file.hunks().is_empty()),
            ..fault
        }),
    }
}

/// Parses a literal binary patch, up to the empty line that ends its last part.
fn literal(lines: &mut Lines) -> bytes::Bytes {
    let mark = lines.mark();
    lines.skip();
    while lines.peek().is_some_and(|line| line.starts_with(b"literal ") || line.starts_with(b"delta ")) {
        while lines.peek().is_some_and(|line| !trim(line).is_empty()) {
            lines.skip();
        }
        lines.skip();
    }
    lines.since(mark)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::{Status, fingerprint, parse_patch, print_change};

    #[test]
    fn a_side_without_a_name_is_absent_whatever_the_headers_say() {
        let added = "--- /dev/null\n+++ b/z\n@@ -0,0 +1 @@\n+new\n";
        let deleted = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
        for (header, rest, status) in [
            ("rename from x", added, Status::Added),
            ("copy from x", added, Status::Added),
            ("deleted file mode 100644", added, Status::Added),
            ("new file mode 100644", deleted, Status::Deleted),
        ] {
            let change = parse_patch(Bytes::from(format!("diff --git a/x b/y\n{header}\n{rest}"))).expect("a patch");
            assert_eq!(change.files[0].status, status, "{header}");
            let again = parse_patch(Bytes::from(print_change(&change))).expect("a patch");
            assert_eq!(fingerprint(&again), fingerprint(&change), "{header}");
        }
    }

    #[test]
    fn two_names_without_hunks_can_be_printed_and_parsed_again() {
        let patch = "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/y\n";
        let change = parse_patch(Bytes::from(patch)).expect("a patch");
        assert_eq!(change.files[0].status, Status::Renamed);
        assert_eq!(parse_patch(Bytes::from(print_change(&change))).expect("a patch"), change);
        let with_hunks = format!("{patch}@@ -1 +1 @@\n-one\n+two\n");
        let change = parse_patch(Bytes::from(with_hunks)).expect("a patch");
        assert_eq!(change.files[0].status, Status::Modified);
        assert_eq!(parse_patch(Bytes::from(print_change(&change))).expect("a patch"), change);
    }

    #[test]
    fn a_binary_file_whose_ids_are_equal_keeps_them_when_it_is_printed() {
        for content in ["GIT binary patch\nliteral 3\nKcmZQzWCj2L2ml2D\n\n", "Binary files a/x and b/x differ\n"] {
            let patch = format!("diff --git a/x b/x\nindex 1592e5c..1592e5c 100644\n{content}");
            let change = parse_patch(Bytes::from(patch)).expect("a patch");
            let again = parse_patch(Bytes::from(print_change(&change))).expect("a patch");
            assert_eq!(fingerprint(&again), fingerprint(&change), "{content}");
        }
    }
}
