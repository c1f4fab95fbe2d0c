//! Reads the lines of standard input as they arrive. Each line has a maximum length.

use std::io;

use diffsan_bounded::{MAX_TEXT_BYTES, line_too_long};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader, Stdin};

/// The lines of a stream.
pub struct Lines<R = BufReader<Stdin>> {
    stream: R,
    /// The beginning of the next line. It is a field, so that `next` can be cancelled and called again.
    begun: Vec<u8>,
    max: u64,
}

impl Lines {
    /// Reads standard input.
    pub fn of_standard_input() -> Self {
        Self::new(BufReader::new(tokio::io::stdin()), MAX_TEXT_BYTES)
    }
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    fn new(stream: R, max: u64) -> Self {
        Self { stream, begun: Vec::new(), max }
    }

    /// Returns the next line without its line end. Returns `None` at the end of the stream.
    pub async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let came = self.stream.fill_buf().await?;
            if came.is_empty() && self.begun.is_empty() {
                return Ok(None);
            }
            let end = came.iter().position(|&byte| byte == b'\n');
            let is_last = came.is_empty() || end.is_some();
            self.begun.extend_from_slice(&came[..end.unwrap_or(came.len())]);
            let taken = end.map_or(came.len(), |end| end + 1);
            self.stream.consume(taken);
            if self.begun.len() as u64 > self.max {
                return Err(line_too_long(self.max));
            }
            if is_last {
                let mut line = std::mem::take(&mut self.begun);
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                let text = String::from_utf8(line);
                return text.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_split_and_bounded() {
        let mut lines = Lines::new(&b"one\r\n\ntwo"[..], 5);
        for expected in [Some("one"), Some(""), Some("two"), None] {
            assert_eq!(lines.next().await.expect("read").as_deref(), expected);
        }
        let mut endless = Lines::new(BufReader::new(tokio::io::repeat(0)), 1_000);
        assert_eq!(endless.next().await.expect_err("it never ends").to_string(), "a line has more than 1.0 kB");
    }
}
