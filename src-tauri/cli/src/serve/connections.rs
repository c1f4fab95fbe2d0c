//! Accepts connections and bounds their number, their idle time and the size of their headers. Knows nothing about pages; the
//! guard says which connections are authenticated.
//!
//! Every local program can connect, so connections that are not authenticated must not keep out a page: the oldest of
//! them is closed when there are too many.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The time in which the headers of a request must arrive. It begins with the connection, or with the end of the previous
/// request, so idle connections end after it, too.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// The time in which a connection must authenticate.
const AUTHENTICATION_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a request's headers.
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// The maximum number of connections.
const MAX_CONNECTIONS: usize = 512;
/// The time to wait after a connection could not be accepted, usually because there are too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The maximum number of open files that is asked for. macOS refuses more, and some programs that inherit the limit
/// are slow with a very large one.
#[cfg(unix)]
const MAX_FILES: nix::libc::rlim_t = 10_240;

/// The open connections.
struct Connections {
    max: usize,
    /// The connections by number, oldest first. Those that are not authenticated have a token, which closes them.
    open: Mutex<BTreeMap<u64, Option<CancellationToken>>>,
}

/// The place of one connection. Requests carry it as an extension.
pub(super) struct Connection {
    number: u64,
    closed: CancellationToken,
    all: Arc<Connections>,
}

impl Connections {
    fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, open: Mutex::default() })
    }

    /// Adds a connection, in place of the oldest one that is not authenticated if there are too many. Returns `None` if
    /// all are authenticated.
    fn add(self: &Arc<Self>, number: u64) -> Option<Connection> {
        if self.lock().len() >= self.max && !self.close_oldest() {
            return None;
        }
        let closed = CancellationToken::new();
        self.lock().insert(number, Some(closed.clone()));
        Some(Connection { number, closed, all: Arc::clone(self) })
    }

    /// Closes the oldest connection that is not authenticated. Returns whether there was one.
    fn close_oldest(&self) -> bool {
        let mut open = self.lock();
        let oldest = open.iter().find(|(_, closed)| closed.is_some()).map(|(&number, _)| number);
        let closed = oldest.and_then(|number| open.remove(&number)).flatten();
        closed.inspect(CancellationToken::cancel).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Option<CancellationToken>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Keeps the connection open: it belongs to a page.
    pub(super) fn authenticate(&self) {
        // A connection that is being closed is not in the list any more.
        if let Some(closed) = self.all.lock().get_mut(&self.number) {
            *closed = None;
        }
    }

    fn is_authenticated(&self) -> bool {
        self.all.lock().get(&self.number).is_some_and(Option::is_none)
    }

    /// Completes when the connection must be closed.
    async fn closed(&self) {
        let in_time = tokio::time::timeout(AUTHENTICATION_TIMEOUT, self.closed.cancelled()).await;
        if in_time.is_err() && self.is_authenticated() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.lock().remove(&self.number);
    }
}

/// Serves all connections of a listener, at most `max` at the same time.
pub(super) async fn serve(listener: TcpListener, router: Router, max: usize) -> Infallible {
    let connections = Connections::new(max);
    let router = TowerToHyperService::new(router);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_header_size(MAX_HEADER_BYTES);
    for number in 0.. {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                Err(_) => {
                    connections.close_oldest();
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        };
        let Some(connection) = connections.add(number).map(Arc::new) else { continue };
        // Answers are written at once, even if this fails.
        let _ = stream.set_nodelay(true);
        let (router, place) = (router.clone(), Arc::clone(&connection));
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Arc::clone(&place));
            router.call(request)
        });
        let served = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            tokio::select! {
                // A failed connection concerns only its client.
                _ = served => {}
                () = connection.closed() => {}
            }
        });
    }
    std::future::pending().await
}

/// Returns the maximum number of connections. Half of the files that the process may open stay for its work. Raises the
/// limit of open files as far as allowed.
#[cfg(unix)]
pub(super) fn max_connections() -> usize {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return MAX_CONNECTIONS };
    let wanted = hard.min(MAX_FILES);
    let files = if soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft };
    usize::try_from(files / 2).map_or(MAX_CONNECTIONS, |half| half.min(MAX_CONNECTIONS))
}

/// Returns the maximum number of connections.
#[cfg(not(unix))]
pub(super) fn max_connections() -> usize {
    MAX_CONNECTIONS
}
