//! `diffsan serve`: serves the interface to a browser on this machine.
//!
//! The address contains a one-time token, which the server exchanges for a cookie. A redirect removes the token, valid or not, from the
//! browser's history. At most one token is valid at a time; another one is printed when a browser without a cookie asks for the page and the last
//! token was used. Requests with neither are refused.
//! The headers `Host` and `Origin` are checked, so that neither another site nor a foreign name that resolves to this
//! machine can access the server. `connections` limits connections, `socket` unread answers, and `diffsan_rpc` pending calls.

mod connections;
mod socket;

use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Router};
use diffsan_app::{AppOptions, stopped};
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_pipeline::random_id;
use diffsan_rpc::Server;
use diffsan_store::files::places::random_word;
use flate2::read::GzDecoder;
use include_dir::{Dir, include_dir};

use self::connections::Connection;
use self::socket::{REQUEST_LIMIT, talk};
use crate::args::ServeArgs;
use crate::output;

/// The files of the interface, each compressed with gzip.
static INTERFACE: Dir<'static> = include_dir!("$OUT_DIR/interface");

/// The content security policy of the page. It is the same as in the window (`tauri.conf.json` adds Tauri's connection
/// to the core). It contains no `unsafe-` source: styles are set through the style object, which no policy forbids, and
/// HTML from text is created only by the two named policies.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
    object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types svelte-trusted-html dompurify";
/// The permissions policy of the page, which needs nothing but the clipboard.
const PERMISSIONS: &str =
    "camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// The page for a browser that is not signed in.
const REFUSED_PAGE: &str = include_str!("serve/refused.html");
/// Its style sheet. It is served to everybody, because the policy allows no style inside the page.
const REFUSED_STYLE: &str = include_str!("serve/refused.css");

#[derive(Clone)]
struct Shared {
    rpc: Server,
    port: u16,
    /// The token of the printed address. `None` if it was used.
    token: Arc<Mutex<Option<String>>>,
    /// The value of the cookie that a browser gets for a token.
    session: Arc<str>,
}

/// Serves until a signal stops it.
pub async fn run(args: ServeArgs) -> Result<ExitCode> {
    if INTERFACE.get_file("index.html").is_none() {
        return Err(Error::new(ErrorCode::Internal, "This build has no interface: ui/dist was empty at build time.")
            .hint("Run `npm ci && npm run build` in ui, or `make run`, and build again."));
    }
    let max = connections::max_connections();
    let options = AppOptions { start_repo: args.repo, start_sample: args.sample, ..AppOptions::default() };
    let app = output::start(options)?;
    let cannot = |error: std::io::Error| {
        Error::new(ErrorCode::IoFailed, format!("Port {} cannot be used: {error}.", args.port))
            .hint("Choose another port with --port, or leave --port out to use a free one.")
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener = tokio::net::TcpListener::bind(address).await.map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let token = random_id(24)?;
    let shared = Shared {
        rpc: Server::new(Arc::clone(&app)),
        port,
        token: Arc::new(Mutex::new(Some(token.clone()))),
        session: random_id(24)?.into(),
    };
    let router = Router::new()
        .route("/rpc", any(upgrade))
        .fallback(page)
        .layer(axum::middleware::from_fn_with_state(shared.clone(), guard))
        .layer(axum::middleware::from_fn(strict))
        .with_state(shared);
    output::result(&format!("http://127.0.0.1:{port}/?token={token}\n"), None)?;
    output::say("Open the address in a browser on this machine. It works once. Press Ctrl-C to stop.");
    tokio::select! {
        never = connections::serve(listener, router, max) => match never {},
        () = stopped() => {}
    }
    app.end().await;
    Ok(ExitCode::SUCCESS)
}

#[derive(serde::Deserialize)]
struct Ticket {
    token: Option<String>,
}

/// Allows requests with the cookie or an unused token. Refuses other hosts and origins.
async fn guard(
    State(shared): State<Shared>,
    Extension(connection): Extension<Arc<Connection>>,
    Query(ticket): Query<Ticket>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    if !is_for_us(&request, shared.port) {
        return refuse(StatusCode::FORBIDDEN, "This address is only for a browser on this machine.");
    }
    if request.uri().path() == "/refused.css" {
        return ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], REFUSED_STYLE).into_response();
    }
    let is_page = headers.get(header::ACCEPT).is_some_and(|kinds| kinds.as_bytes().starts_with(b"text/html"));
    if let Some(token) = ticket.token {
        let mut valid = shared.token.lock().unwrap_or_else(PoisonError::into_inner);
        let used = valid.take_if(|valid| same(valid, &token)).is_some();
        if used || has_session(headers, &shared) {
            connection.authenticate();
            let cookie = format!("diffsan_{}={}; HttpOnly; SameSite=Strict; Path=/", shared.port, shared.session);
            return (StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)])
                .into_response();
        }
        if is_page {
            return (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
        }
    }
    if !has_session(headers, &shared) {
        if !is_page {
            return refuse(StatusCode::UNAUTHORIZED, "The token is missing or was already used.");
        }
        offer_address(&shared);
        let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        return (StatusCode::UNAUTHORIZED, kind, REFUSED_PAGE).into_response();
    }
    connection.authenticate();
    next.run(request).await
}

/// Prints a new address for a browser that is not signed in, if the last address was used.
fn offer_address(shared: &Shared) {
    let mut token = shared.token.lock().unwrap_or_else(PoisonError::into_inner);
    if token.is_none()
        && let Ok(fresh) = random_word(24)
    {
        output::say(&format!(
            "A browser asked for access. To allow it, open this address in it: http://127.0.0.1:{}/?token={fresh}",
            shared.port
        ));
        *token = Some(fresh);
    }
}

/// Adds the security headers to every answer, including refusals.
async fn strict(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}

fn refuse(status: StatusCode, sentence: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], sentence).into_response()
}

/// Whether the request names this server, in one way only: by one `Host`, and by nothing else that disagrees. A page sends
/// its origin when it opens a WebSocket. A typed address sends none.
fn is_for_us(request: &Request, port: u16) -> bool {
    let (headers, target) = (request.headers(), request.uri());
    let Some(host) = only(headers, header::HOST) else { return false };
    let ours = host == format!("127.0.0.1:{port}") || host == format!("localhost:{port}");
    let same_target = target.authority().is_none_or(|authority| authority == host);
    let same_origin = match only(headers, header::ORIGIN) {
        Some(origin) => origin.strip_prefix("http://") == Some(host),
        None => !headers.contains_key(header::ORIGIN) && !headers.contains_key(header::UPGRADE),
    };
    ours && same_target && same_origin
}

/// Returns the value of a header that occurs once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

fn has_session(headers: &HeaderMap, shared: &Shared) -> bool {
    let name = format!("diffsan_{}=", shared.port);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix(name.as_str()))
        .any(|value| same(value, &shared.session))
}

/// Compares in a time that does not depend on the position of the first difference.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

async fn page(uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some(file) = INTERFACE.get_file(path) else {
        return refuse(StatusCode::NOT_FOUND, "The page does not exist.");
    };
    let mut bytes = Vec::new();
    if GzDecoder::new(file.contents()).read_to_end(&mut bytes).is_err() {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "The page is damaged. Install diffsan again.");
    }
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" => "application/json",
        _ => "application/octet-stream",
    };
    ([(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response()
}

async fn upgrade(
    State(shared): State<Shared>,
    Extension(connection): Extension<Arc<Connection>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let rpc = shared.rpc.connect();
    upgrade.max_message_size(REQUEST_LIMIT).on_upgrade(move |socket| talk(socket, rpc, connection))
}
