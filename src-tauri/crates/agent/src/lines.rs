//! Splits output into lines, up to a limit. The process layer and event streams over HTTP share it.

/// The maximum length of one line, and of an HTTP body, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// The output exceeds its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it wrote more than {} MiB", MAX_LINE_BYTES / 1024 / 1024)]
pub(crate) struct OutputTooLong;

/// Collects chunks and returns lines. A line ends at `\n` only, because Codex writes U+2028 unescaped.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    pending: Vec<u8>,
    /// The offset of the next line.
    start: usize,
    /// Up to here there is no further end of a line.
    searched: usize,
    total: usize,
    max_total: usize,
}

impl LineBuffer {
    pub(crate) fn new(max_total: usize) -> Self {
        Self { pending: Vec::new(), start: 0, searched: 0, total: 0, max_total }
    }

    /// Adds a chunk. Call [`Self::next_line`] until it returns `None` before the next one.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<(), OutputTooLong> {
        self.pending.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.total += chunk.len();
        if self.total > self.max_total || self.pending.len() > MAX_LINE_BYTES {
            return Err(OutputTooLong);
        }
        self.pending.extend_from_slice(chunk);
        Ok(())
    }

    /// The next complete line, without its end.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        let Some(length) = memchr::memchr(b'\n', &self.pending[self.searched..]) else {
            self.searched = self.pending.len();
            return None;
        };
        let end = self.searched + length;
        let line = String::from_utf8_lossy(&self.pending[self.start..end]).into_owned();
        (self.start, self.searched) = (end + 1, end + 1);
        Some(line)
    }

    /// Whether an incomplete line is pending.
    pub(crate) fn has_rest(&self) -> bool {
        self.start < self.pending.len()
    }

    /// The last line, where the output does not end with `\n`.
    pub(crate) fn rest(self) -> Option<String> {
        self.has_rest().then(|| String::from_utf8_lossy(&self.pending[self.start..]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&str]) -> Vec<String> {
        let mut buffer = LineBuffer::new(100);
        let mut lines = Vec::new();
        for chunk in chunks {
            buffer.push(chunk.as_bytes()).expect("short");
            lines.extend(std::iter::from_fn(|| buffer.next_line()));
        }
        lines.extend(buffer.rest());
        lines
    }

    #[test]
    fn lines_do_not_depend_on_chunks() {
        assert_eq!(split(&["a\nb\u{2028}c\r\n\nd"]), ["a", "b\u{2028}c\r", "", "d"]);
        assert_eq!(split(&["a", "\nb\u{2028}", "c\r\n\n", "", "d"]), ["a", "b\u{2028}c\r", "", "d"]);
        assert_eq!(split(&["a\n"]), ["a"]);
    }

    #[test]
    fn output_over_the_limit_is_refused() {
        let mut buffer = LineBuffer::new(5);
        assert_eq!(buffer.push(b"ab\nc"), Ok(()));
        assert_eq!(buffer.next_line().as_deref(), Some("ab"));
        assert_eq!(buffer.push(b"de"), Err(OutputTooLong));
    }
}
