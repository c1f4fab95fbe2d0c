//! Filters a stream of any length in constant memory. Whole lines pass through as they arrive; key blocks are held until they end.

use super::Session;

/// The number of bytes that are collected before they pass, so that related lines are seen together.
const WINDOW: usize = 256 * 1024;
/// The maximum number of bytes held, however long a line or a key block is.
const LIMIT: usize = 4 * 1024 * 1024;

/// Masks a stream.
pub struct StreamFilter {
    session: Session,
    held: Vec<u8>,
}

impl StreamFilter {
    /// Creates a filter for a session.
    pub fn new(session: Session) -> Self {
        Self { session, held: Vec::new() }
    }

    /// Takes bytes and returns the masked bytes that are ready.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::new();
        while self.held.len() >= WINDOW {
            let Some(cut) = self.cut() else { break };
            let ready: Vec<u8> = self.held.drain(..cut).collect();
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
        let file = memchr::memmem::rfind(&self.held, b"\ndiff --git ").map(|at| at + 1);
        if file.is_some() || self.held.starts_with(b"diff --git ") && self.held.len() < LIMIT {
            return file;
        }
        let open = super::blocks::open_block(&self.held);
        let most = open.unwrap_or(self.held.len());
        let line_end = self.held[..most].iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
        match line_end {
            Some(cut) if cut > 0 => Some(cut),
            _ if self.held.len() < LIMIT => None,
            // A line that is too long is cut at a blank, or at the limit.
            _ => Some(self.held[..LIMIT].iter().rposition(u8::is_ascii_whitespace).map_or(LIMIT, |at| at + 1)),
        }
    }
}
