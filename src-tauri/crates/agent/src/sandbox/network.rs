//! The only way out of a sandbox: a proxy for HTTP, and addresses on this machine that the agent is configured with.
//!
//! In: listening sockets that belong to the sandbox's network or that its connections lead to, and the allowed hosts. This process accepts
//! their connections, so nothing of the network outside is visible inside, not even a name server. Names and bytes are recorded, other content is not read.

use std::io;
use std::net::TcpListener as StdListener;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::hosts::HostRule;
use super::receipt::Recorder;
use super::upstream::Upstream;

/// The maximum length of a request's head, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The time limit for the head of a request, and for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of connections at a time.
const MAX_CONNECTIONS: usize = 256;

/// The network of one sandbox. Dropping it closes all connections.
pub(crate) struct Network(#[allow(dead_code, reason = "its tasks end when it is dropped")] JoinSet<()>);

/// The state that the tasks of a network share.
struct Shared {
    hosts: Vec<HostRule>,
    upstream: Upstream,
    recorder: Recorder,
    free: Arc<Semaphore>,
}

impl Network {
    /// Serves the sockets of a sandbox, each for an address on this machine with that port, or for the proxy.
    pub(super) fn start(
        listeners: Vec<(StdListener, Option<u16>)>,
        hosts: Vec<HostRule>,
        recorder: Recorder,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            hosts,
            upstream: Upstream::of_this_process(),
            recorder,
            free: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        });
        let mut tasks = JoinSet::new();
        for (listener, local_port) in listeners {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            tasks.spawn(serve(listener, local_port, Arc::clone(&shared)));
        }
        Ok(Self(tasks))
    }
}

async fn serve(listener: TcpListener, local_port: Option<u16>, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&shared.free).acquire_owned().await else { return };
        let client = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((client, _)) = client else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // The agent sees the end of a failed connection.
            let _ = match local_port {
                Some(port) => shared.forward(client, port).await,
                None => shared.proxy(client).await,
            };
            drop(place);
        });
    }
}

impl Shared {
    /// Connects to the address on this machine with that port.
    async fn forward(&self, mut client: TcpStream, port: u16) -> io::Result<()> {
        let Some(rule) = self.hosts.iter().find(|rule| rule.local_port() == Some(port)) else { return Ok(()) };
        let place = rule.to_string();
        self.recorder.connection(&place, true, (1, 0, 0));
        let (host, port) = rule.address();
        let mut server = connect(TcpStream::connect((host, port))).await?;
        self.copy(&place, &mut client, &mut server).await
    }

    /// Answers one request of a proxy's client.
    async fn proxy(&self, mut client: TcpStream) -> io::Result<()> {
        let (head, rest) = connect(read_head(&mut client)).await?;
        let Some(request) = ProxyRequest::parse(&head) else {
            return refuse(&mut client, "400 Bad Request", "This is not a request to a proxy.").await;
        };
        let place = format!("{}:{}", request.host, request.port);
        if !self.hosts.iter().any(|rule| rule.allows(&request.host, request.port)) {
            self.recorder.connection(&place, false, (1, 0, 0));
            let reason = format!("diffsan does not allow this agent to connect to {place}.");
            return refuse(&mut client, "403 Forbidden", &reason).await;
        }
        self.recorder.connection(&place, true, (1, 0, 0));
        let connecting = self.upstream.connect(&request.host, request.port, request.tunnel);
        let mut server = match connect(connecting).await {
            Ok(server) => server,
            Err(error) => {
                return refuse(&mut client, "502 Bad Gateway", &format!("{place} cannot be reached: {error}.")).await;
            }
        };
        if request.tunnel {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        } else {
            server.write_all(&request.forwarded(self.upstream.authorization(&request.host, false))).await?;
        }
        server.write_all(&rest).await?;
        self.copy(&place, &mut client, &mut server).await
    }

    async fn copy(&self, place: &str, client: &mut TcpStream, server: &mut TcpStream) -> io::Result<()> {
        let mut client = Counted { stream: client, place, recorder: &self.recorder };
        copy_bidirectional(&mut client, server).await.map(drop)
    }
}

/// Records the bytes of a connection as they pass.
struct Counted<'a> {
    stream: &'a mut TcpStream,
    place: &'a str,
    recorder: &'a Recorder,
}

impl AsyncRead for Counted<'_> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = std::pin::Pin::new(&mut *self.stream).poll_read(context, buffer);
        self.recorder.connection(self.place, true, (0, (buffer.filled().len() - before) as u64, 0));
        result
    }
}

impl AsyncWrite for Counted<'_> {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        bytes: &[u8],
    ) -> std::task::Poll<io::Result<usize>> {
        let result = std::pin::Pin::new(&mut *self.stream).poll_write(context, bytes);
        if let std::task::Poll::Ready(Ok(count)) = result {
            self.recorder.connection(self.place, true, (0, 0, count as u64));
        }
        result
    }

    fn poll_flush(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut *self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut *self.stream).poll_shutdown(context)
    }
}

/// The head of a request to a proxy.
struct ProxyRequest {
    host: String,
    port: u16,
    /// Whether it asks for a tunnel, which carries TLS.
    tunnel: bool,
    method: String,
    /// The whole address, for another proxy.
    address: String,
    /// The path with the query.
    path: String,
    headers: Vec<String>,
}

impl ProxyRequest {
    fn parse(head: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, address) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        if method == "CONNECT" {
            let (host, port) = address.rsplit_once(':')?;
            let (host, port) = (host.to_owned(), port.parse().ok()?);
            return Some(Self { host, port, tunnel: true, method, address, path: String::new(), headers });
        }
        let url = reqwest::Url::parse(&address).ok().filter(|url| url.scheme() == "http")?;
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let (host, port) = (url.host_str()?.to_owned(), url.port_or_known_default()?);
        Some(Self { host, port, tunnel: false, method, address, path, headers })
    }

    /// The request as it is sent to the server, or with its whole address and the proxy's key to another proxy.
    fn forwarded(&self, upstream: Option<Option<String>>) -> Vec<u8> {
        let target = if upstream.is_some() { &self.address } else { &self.path };
        let mut text = format!("{} {target} HTTP/1.1\r\n", self.method);
        let own = ["proxy-", "connection:"];
        for header in &self.headers {
            if !own.iter().any(|own| header.to_lowercase().starts_with(own)) {
                text.push_str(&format!("{header}\r\n"));
            }
        }
        if let Some(Some(key)) = upstream {
            text.push_str(&format!("Proxy-Authorization: {key}\r\n"));
        }
        // The next request may be for another host.
        text.push_str("Connection: close\r\n\r\n");
        text.into_bytes()
    }
}

/// Reads to the end of a head. Returns the head and the bytes after it.
pub(super) async fn read_head(stream: &mut TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = memchr::memmem::find(&bytes, END) {
            let rest = bytes.split_off(end + END.len());
            return Ok((bytes, rest));
        }
        if bytes.len() > MAX_HEAD_BYTES {
            return Err(io::Error::other("the head is too long"));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

async fn refuse(client: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let length = reason.len() + 1;
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{reason}\n"
    );
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}

async fn connect<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    tokio::time::timeout(CONNECT_TIMEOUT, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
