//! Git's HTTP protocol for fetching, over diffsan's own HTTP client. In: an address, a token with its server. Out: the two
//! exchanges that libgit2 requests.
//!
//! libgit2's own client is not used. It follows redirects to another port of the same host even when configured to follow none,
//! it keeps the credentials of the first server for the second one, and it reads the repository's settings. Here one parser reads
//! the address, one function attaches credentials, and no redirect leaves the server. A repository's settings are never read.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream, Transport};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

/// The maximum number of requests for one exchange, including redirects and authentication attempts.
const MAX_REQUESTS: usize = 8;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const REFS: &str = "/info/refs";
/// GitLab accepts a token as the password of any user name.
const TOKEN_USER: &str = "oauth2";

/// A token and the only server that may receive it.
#[derive(Clone)]
pub struct ServerToken {
    /// Scheme, host and port, as [`server_of`] returns them.
    pub origin: String,
    /// The token's text.
    pub secret: String,
}

/// Returns the scheme, host and port of an address, which identify the server of a token. Returns `None` if the scheme is not HTTP.
pub fn server_of(url: &str) -> Option<String> {
    let parsed = Url::parse(url).ok().filter(|parsed| ["http", "https"].contains(&parsed.scheme()))?;
    Some(parsed.origin().ascii_serialization())
}

/// Looks up the user name and password that the user's credential helper has for an address. Called on the thread that fetches.
pub type CredentialLookup = Arc<dyn Fn(&str) -> Option<(String, String)> + Send + Sync>;

/// Credentials that have not been tried yet.
enum Credentials {
    /// The user name and password of the address itself.
    Address(String, String),
    /// The token, for its own server.
    Token(ServerToken),
    /// The credentials that the user's credential helper has for the address.
    Helper,
}

struct State {
    /// The repository's address, without user name and password.
    base: Url,
    untried: Vec<Credentials>,
    current: Option<(String, String)>,
    failure: Option<String>,
}

/// A fetch over HTTP.
pub(super) struct HttpFetch {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    helper: CredentialLookup,
    given_up: CancellationToken,
    state: Mutex<State>,
}

impl HttpFetch {
    /// Prepares a fetch of the repository at `url`. `ca` has certificates that are trusted in addition to the system's.
    pub(super) fn new(
        url: &str,
        token: Option<ServerToken>,
        helper: CredentialLookup,
        ca: Option<&Path>,
        given_up: CancellationToken,
    ) -> Result<Self, String> {
        let mut base = Url::parse(url).map_err(|error| format!("the remote's address cannot be read: {error}"))?;
        // The last entry is tried first.
        let mut untried = vec![Credentials::Helper];
        untried.extend(token.map(Credentials::Token));
        untried.extend(own_credentials(&base));
        let no_address = |()| "the remote's address has no server name".to_owned();
        base.set_username("").and_then(|()| base.set_password(None)).map_err(no_address)?;
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        base.set_query(None);
        base.set_fragment(None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let state = State { base, untried, current: None, failure: None };
        Ok(Self { runtime, client: client(ca)?, helper, given_up, state: Mutex::new(state) })
    }

    /// Returns why the last exchange failed. libgit2 keeps only a part of the message.
    pub(super) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks until the work is done or the fetch is cancelled.
    fn wait<T>(&self, work: impl Future<Output = Result<T, reqwest::Error>>) -> Result<T, String> {
        let done = self.runtime.block_on(self.given_up.run_until_cancelled(work));
        match done {
            None => Err("it was stopped".to_owned()),
            Some(done) => done.map_err(|error| message_of(&error)),
        }
    }

    /// Sends a request, with credentials if the server demands them, until it is answered.
    fn exchange(&self, service: Service, body: &[u8]) -> Result<Response, String> {
        for _ in 0..MAX_REQUESTS {
            let response = self.send(service, body)?;
            match response.status() {
                StatusCode::OK => return expected(service, response),
                StatusCode::UNAUTHORIZED => self.authenticate(&response)?,
                status if status.is_redirection() => self.follow(service, &response)?,
                status => return Err(format!("the server answers {status}")),
            }
        }
        Err("the server redirected or asked for credentials too many times".to_owned())
    }

    fn send(&self, service: Service, body: &[u8]) -> Result<Response, String> {
        let (base, credentials) = {
            let state = self.state();
            (state.base.clone(), state.current.clone())
        };
        let address = |end: &str| {
            let mut url = base.clone();
            url.set_path(&format!("{}{end}", base.path()));
            url
        };
        let mut request = match service {
            Service::UploadPackLs => {
                let mut url = address(REFS);
                url.set_query(Some("service=git-upload-pack"));
                self.client.get(url)
            }
            Service::UploadPack => self
                .client
                .post(address("/git-upload-pack"))
                .header(CONTENT_TYPE, "application/x-git-upload-pack-request")
                .body(body.to_vec()),
            Service::ReceivePackLs | Service::ReceivePack => return Err("diffsan does not push".to_owned()),
        };
        if let Some((user, password)) = credentials {
            request = request.basic_auth(user, Some(password));
        }
        self.wait(async { request.header(ACCEPT, answer_type(service)).send().await })
    }

    /// Selects the next credentials that may be sent to this server.
    fn authenticate(&self, response: &Response) -> Result<(), String> {
        let mut offered = response.headers().get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        if !offered.any(|value| value.trim_start().to_ascii_lowercase().starts_with("basic")) {
            return Err("the server does not accept a user name and password".to_owned());
        }
        let mut state = self.state();
        let server = state.base.origin().ascii_serialization();
        while let Some(next) = state.untried.pop() {
            let found = match next {
                Credentials::Address(user, password) => Some((user, password)),
                Credentials::Token(token) => (token.origin == server).then(|| (TOKEN_USER.to_owned(), token.secret)),
                // The user name of the address is not passed to the helper.
                Credentials::Helper => (self.helper)(state.base.as_str()),
            };
            if found.is_some() {
                state.current = found;
                return Ok(());
            }
        }
        Err(match state.current {
            Some(_) => format!("{server} does not accept your credentials"),
            None => format!(
                "{server} asks for credentials, but there is no stored token for it and git's credential helper has none"
            ),
        })
    }

    /// Follows a redirect to another path of the same server, which GitLab uses for renamed projects. A redirect to another
    /// server is refused, because that server would receive credentials that are not meant for it.
    fn follow(&self, service: Service, response: &Response) -> Result<(), String> {
        let mut state = self.state();
        let asked = response.url();
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).and_then(|to| asked.join(to).ok());
        let to = to.ok_or("the server redirects without an address")?;
        let (from, onto) = (state.base.origin(), to.origin());
        if onto != from {
            return Err(format!(
                "{} redirects to another server, {}, and diffsan does not follow such redirects; if the other \
                 server is correct, run: git remote set-url <name> <its address>",
                from.ascii_serialization(),
                onto.ascii_serialization()
            ));
        }
        // Only the first request of a fetch may be redirected, as in git's default.
        match to.path().strip_suffix(REFS) {
            Some(path) if service == Service::UploadPackLs => {
                let path = path.to_owned();
                state.base.set_path(&path);
                Ok(())
            }
            _ => Err(format!("the server redirects to {}, which is not a repository", to.path())),
        }
    }
}

/// Creates a client that adds no credentials and follows no redirects by itself.
fn client(ca: Option<&Path>) -> Result<reqwest::Client, String> {
    // Another part of the program may have installed a provider before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        // Servers use git's protocol only for user agents that start with `git`.
        .user_agent(concat!("git/2.0 (diffsan ", env!("CARGO_PKG_VERSION"), ")"))
        .connect_timeout(CONNECT_TIMEOUT)
        .referer(false)
        .redirect(reqwest::redirect::Policy::none());
    if let Some(path) = ca {
        let place = path.display();
        let pem = std::fs::read(path).map_err(|error| format!("{place}: {error}"))?;
        let certificates = reqwest::Certificate::from_pem_bundle(&pem)
            .map_err(|_| format!("{place}: it has no certificate in PEM form"))?;
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(|error| message_of(&error))
}

/// Returns the user name and password of an address, or `None` if it has no password.
fn own_credentials(url: &Url) -> Option<Credentials> {
    let plain = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().ok().map(String::from);
    Some(Credentials::Address(plain(url.username())?, plain(url.password()?)?))
}

fn answer_type(service: Service) -> &'static str {
    match service {
        Service::UploadPackLs => "application/x-git-upload-pack-advertisement",
        _ => "application/x-git-upload-pack-result",
    }
}

fn expected(service: Service, response: Response) -> Result<Response, String> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind == answer_type(service) {
        return Ok(response);
    }
    Err("the server does not speak git's protocol; check the remote's address".to_owned())
}

/// Returns the message of an error, without its address.
fn message_of(error: &reqwest::Error) -> String {
    let sources = std::iter::successors(std::error::Error::source(error), |error| error.source());
    sources.last().map_or_else(|| "the connection ended early".to_owned(), ToString::to_string)
}

thread_local! {
    /// The fetch of this thread. libgit2 creates a transport on the thread that fetches, and passes no other data to it.
    static CURRENT: RefCell<Option<Arc<HttpFetch>>> = const { RefCell::new(None) };
}

/// Runs `work` with a fetch that libgit2's transports on this thread use.
pub(super) fn during<T>(fetch: Option<Arc<HttpFetch>>, work: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            CURRENT.set(None);
        }
    }
    CURRENT.set(fetch);
    let _reset = Reset;
    work()
}

/// Replaces libgit2's HTTP client with this one. Outside of [`during`], HTTP requests fail.
#[allow(unsafe_code, reason = "only an unsafe function registers a transport with libgit2")]
pub(super) fn register() {
    for scheme in ["http", "https"] {
        let factory = |remote: &git2::Remote<'_>| {
            let fetch = CURRENT.with_borrow(Clone::clone);
            let fetch = fetch.ok_or_else(|| git2::Error::from_str("no fetch over HTTP is running"))?;
            Transport::smart(remote, true, Subtransport(fetch))
        };
        // SAFETY: the list of transports is global and unsynchronised. This runs once, before the first repository is opened, and so
        // before any transport is made.
        // It fails only if the scheme is registered already.
        let _ = unsafe { git2::transport::register(scheme, factory) };
    }
}

struct Subtransport(Arc<HttpFetch>);

impl SmartSubtransport for Subtransport {
    fn action(&self, _: &str, service: Service) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let fetch = Arc::clone(&self.0);
        Ok(Box::new(Stream { fetch, service, body: Vec::new(), response: None, chunk: Bytes::new() }))
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

/// One exchange: libgit2 writes the whole request, then reads the answer.
struct Stream {
    fetch: Arc<HttpFetch>,
    service: Service,
    body: Vec<u8>,
    response: Option<Response>,
    chunk: Bytes,
}

impl Stream {
    fn next_chunk(&mut self) -> Result<Option<Bytes>, String> {
        let response = match &mut self.response {
            Some(response) => response,
            none => none.insert(self.fetch.exchange(self.service, &self.body)?),
        };
        self.fetch.wait(response.chunk())
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.body.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.next_chunk() {
                Ok(Some(chunk)) => self.chunk = chunk,
                Ok(None) => return Ok(0),
                Err(why) => {
                    self.fetch.state().failure = Some(why.clone());
                    return Err(io::Error::other(why));
                }
            }
        }
        let count = buffer.len().min(self.chunk.len());
        buffer[..count].copy_from_slice(&self.chunk.split_to(count));
        Ok(count)
    }
}
