//! Filters a stream of any length in constant memory. Whole lines pass through as they arrive; key blocks are held until they end.

use super::Session;

/// The number of bytes that are collected before they pass, so that related lines are seen together.
const WINDOW: usize = 256 * 1024;
/// The maximum number of bytes held, however long a line or a key block is.
const LIMIT: usize = 4 * 1024 * 1024;

/// A key block and a file of a diff begin and end with a line that is shorter than this, in bytes.
const LONGEST_MARK: usize = 160;

/// The number of bytes that are read at once, however few bytes each push adds to a text that cannot be cut yet.
const STEP: usize = 16 * 1024;

/// Masks a stream.
pub struct StreamFilter {
    session: Session,
    held: Vec<u8>,
    marks: Marks,
}

impl StreamFilter {
    /// Creates a filter for a session.
    pub fn new(session: Session) -> Self {
        Self { session, held: Vec::new(), marks: Marks::default() }
    }

    /// Takes bytes and returns the masked bytes that are ready.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::new();
        while self.held.len() >= WINDOW {
            if !self.marks.is_due(self.held.len()) {
                break;
            }
            self.marks.read(&self.held);
            let Some(cut) = self.cut() else { break };
            let ready: Vec<u8> = self.held.drain(..cut).collect();
            self.marks.cut(cut);
            out.extend(self.mask(&ready));
        }
        out
    }

    /// Returns the masked rest and the session with its report.
    pub fn finish(mut self) -> (Vec<u8>, Session) {
        let held = std::mem::take(&mut self.held);
        let rest = self.mask(&held);
        (rest, self.session)
    }

    fn mask(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.session.bytes("standard input", bytes).into_inner()
    }

    /// Returns the place where the held text can be cut: behind a line, outside of a key block.
    fn cut(&self) -> Option<usize> {
        // A file of a diff is read as a whole, by its path.
        let file = self.marks.file;
        if file.is_some() || self.held.starts_with(b"diff --git ") && self.held.len() < LIMIT {
            return file;
        }
        match self.marks.line() {
            Some(cut) => Some(cut),
            None if self.held.len() < LIMIT => None,
            // A line that is too long is cut at a blank, or at the limit.
            None => Some(self.held[..LIMIT].iter().rposition(u8::is_ascii_whitespace).map_or(LIMIT, |at| at + 1)),
        }
    }
}

/// The places of the held text where it can be cut. Each byte is read once, however often text is added.
#[derive(Default)]
struct Marks {
    /// The number of bytes that were read.
    read: usize,
    /// The start of the last file of a diff, if it is not the start of the text.
    file: Option<usize>,
    /// The end of the last line.
    line_end: Option<usize>,
    /// The end of the last line before the last key block, if that block is open.
    open: Option<Option<usize>>,
}

impl Marks {
    /// Reads what was added to the held text. Returns the number of bytes that were looked through.
    fn read(&mut self, held: &[u8]) -> usize {
        // A mark may have begun in the part that was read before.
        let from = self.read.saturating_sub(LONGEST_MARK);
        let added = &held[from..];
        let line_end = |text: &[u8]| memchr::memrchr(b'\n', text).map(|at| from + at + 1);
        // Searching from the end is many times slower.
        if let Some(at) = memchr::memmem::find_iter(added, b"\ndiff --git ").last() {
            self.file = Some(from + at + 1);
        }
        if let Some((at, opens)) = super::blocks::last_edge(added) {
            self.open = opens.then(|| {
                line_end(&added[..at]).or(self.line_end.filter(|end| *end <= from + at)).or(self.open.flatten())
            });
        }
        self.line_end = line_end(added).or(self.line_end);
        self.read = held.len();
        added.len()
    }

    /// Returns whether enough was added to a held text of this length to read it.
    fn is_due(&self, length: usize) -> bool {
        length >= self.read + STEP || length >= LIMIT
    }

    /// Returns the end of the last line outside of an open key block.
    fn line(&self) -> Option<usize> {
        self.open.unwrap_or(self.line_end)
    }

    /// Removes the part before a cut.
    fn cut(&mut self, cut: usize) {
        let after = |end: Option<usize>| end.and_then(|end| end.checked_sub(cut)).filter(|end| *end > 0);
        // The last file begins at the cut, if the text was cut at a file.
        self.file = after(self.file);
        self.line_end = after(self.line_end);
        self.open = self.open.map(after);
        self.read -= cut;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_cannot_be_cut_is_looked_through_once() {
        for size in [20, 4096, 100_000] {
            let (mut held, mut marks, mut looked) = (b"diff --git a/x b/x\n".to_vec(), Marks::default(), 0);
            while held.len() < LIMIT / 2 {
                held.resize(held.len() + size, b'x');
                if marks.is_due(held.len()) {
                    looked += marks.read(&held);
                }
            }
            assert!(looked < held.len() + held.len() / 10, "{size}: {looked} of {}", held.len());
        }
    }

    #[test]
    fn marks_are_found_in_parts_of_any_size() {
        let open = format!("a\n-----BEGIN RSA {} KEY-----\nMIIEpAIBAAKCAQEA\n", "PRIVATE");
        let closed = format!("{open}-----END RSA {} KEY-----\nb\n", "PRIVATE");
        let file = format!("{closed}diff --git a/x b/x\nc\n");
        for size in 1..40 {
            let marks = |text: &str| {
                let (mut held, mut marks) = (Vec::new(), Marks::default());
                for part in text.as_bytes().chunks(size) {
                    held.extend_from_slice(part);
                    marks.read(&held);
                }
                marks
            };
            assert_eq!(marks(&open).line(), Some(2), "{size}");
            assert_eq!(marks(&closed).line(), Some(closed.len()), "{size}");
            let mut last = marks(&file);
            assert_eq!(last.file, Some(closed.len()), "{size}");
            last.cut(closed.len());
            assert_eq!((last.file, last.line()), (None, Some(file.len() - closed.len())), "{size}");
        }
    }
}
