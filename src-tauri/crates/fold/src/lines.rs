//! The lines of a text.

/// A text and where its lines begin.
pub(crate) struct Lines<'a> {
    pub(crate) text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        Self { text, starts }
    }

    /// Returns the number of lines.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - usize::from(self.text.is_empty() || self.text.ends_with('\n'))
    }

    /// Returns the byte at which a line begins, or the end of the text. Lines are numbered from 0.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns a line without its line feed.
    pub(crate) fn line(&self, line: usize) -> &'a str {
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        self.starts.get(line).and_then(|start| self.text.get(*start..end.max(*start))).unwrap_or_default()
    }

    /// Returns the line of a byte.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }
}
