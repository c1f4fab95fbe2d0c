//! A server whose answers a test chooses, byte by byte.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// An answer to a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A whole file.
    File(Vec<u8>),
    /// A file without an announced length, which ends with the connection.
    Unannounced(Vec<u8>),
    /// A file with another announced length.
    Announced(u64, Vec<u8>),
    /// Bytes until the reader goes away.
    Endless,
    /// The beginning of a file of this length, and then nothing.
    Hangs(u64, Vec<u8>),
    /// A file of this length, one byte now and then, until the reader goes away.
    Slow(u64),
    /// A file whose rest is sent when a path exists.
    Waits(Vec<u8>, std::path::PathBuf),
    /// No answer at all.
    Silent,
    /// A redirect.
    Redirect(String),
    /// Another status.
    Status(u16),
}

/// A running server. It ends with the process.
pub struct FileServer {
    /// The address of its root, without a slash at the end.
    pub address: String,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
}

impl FileServer {
    /// Starts a server that knows no path.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let answers: Arc<Mutex<HashMap<String, Answer>>> = Arc::default();
        let known = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let known = Arc::clone(&known);
                std::thread::spawn(move || answer(stream, &known));
            }
        });
        Self { address, answers }
    }

    /// Sets the answer to requests of a path.
    pub fn set(&self, path: &str, answer: Answer) {
        self.answers.lock().expect("the answers").insert(path.to_owned(), answer);
    }
}

/// Answers one request. An error means that the reader has gone away.
fn answer(mut stream: TcpStream, known: &Mutex<HashMap<String, Answer>>) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    let Some(Ok(first)) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
    let answer = known.lock().expect("the answers").get(&path).cloned().unwrap_or(Answer::Status(404));
    let _ = send(&mut stream, answer);
    let _ = stream.shutdown(Shutdown::Both);
}

fn send(stream: &mut TcpStream, answer: Answer) -> std::io::Result<()> {
    let head = |stream: &mut TcpStream, length: Option<u64>| {
        let length = length.map(|length| format!("content-length: {length}\r\n")).unwrap_or_default();
        stream.write_all(format!("HTTP/1.1 200 OK\r\n{length}connection: close\r\n\r\n").as_bytes())
    };
    // Returns when the reader goes away.
    let wait = |stream: &TcpStream| stream.peek(&mut [0]).map(drop);
    match answer {
        Answer::File(bytes) => {
            head(stream, Some(bytes.len() as u64))?;
            stream.write_all(&bytes)
        }
        Answer::Unannounced(bytes) => {
            head(stream, None)?;
            stream.write_all(&bytes)
        }
        Answer::Announced(length, bytes) => {
            head(stream, Some(length))?;
            stream.write_all(&bytes)
        }
        Answer::Endless => {
            head(stream, None)?;
            loop {
                stream.write_all(&[0; 1 << 12])?;
            }
        }
        Answer::Hangs(length, bytes) => {
            head(stream, Some(length))?;
            stream.write_all(&bytes)?;
            wait(stream)
        }
        Answer::Slow(length) => {
            head(stream, Some(length))?;
            loop {
                stream.write_all(&[0])?;
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        Answer::Waits(bytes, path) => {
            head(stream, Some(bytes.len() as u64))?;
            let (first, rest) = bytes.split_at(1000);
            stream.write_all(first)?;
            while !path.exists() {
                std::thread::yield_now();
            }
            stream.write_all(rest)
        }
        Answer::Silent => wait(stream),
        Answer::Redirect(to) => {
            let head =
                format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(head.as_bytes())
        }
        Answer::Status(status) => {
            let head = format!("HTTP/1.1 {status} Status\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(head.as_bytes())
        }
    }
}
