//! Answers in GitLab's wording.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

/// Returns JSON with a status.
pub(super) fn status(code: u16, body: &Value) -> Response {
    let code = StatusCode::from_u16(code).expect("a status");
    let text = body.to_string();
    let etag = format!("W/\"{}\"", hex::encode(Sha1::digest(text.as_bytes())));
    let response = (code, [(header::CONTENT_TYPE, "application/json")], text).into_response();
    if code == StatusCode::OK { with(response, "etag", &etag) } else { response }
}

pub(super) fn ok(body: &Value) -> Response {
    status(200, body)
}

pub(super) fn created(body: &Value) -> Response {
    status(201, body)
}

pub(super) fn nothing() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

pub(super) fn message(code: u16, text: &str) -> Response {
    status(code, &json!({ "message": text }))
}

pub(super) fn error(code: u16, text: &str) -> Response {
    status(code, &json!({ "error": text }))
}

pub(super) fn not_found() -> Response {
    error(404, "404 Not Found")
}

/// Returns a failure of a proxy before the application, in HTML or plain text.
pub(super) fn raw(code: u16, kind: &'static str, text: &str) -> Response {
    let code = StatusCode::from_u16(code).expect("a status");
    (code, [(header::CONTENT_TYPE, kind)], text.to_owned()).into_response()
}

/// Returns an answer whose connection breaks before its end.
pub(super) fn cut() -> Response {
    let pieces = futures::stream::iter([Ok("{\"id\":"), Err(std::io::Error::other("cut"))]);
    let mut response = Response::new(Body::from_stream(pieces));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

pub(super) fn with(mut response: Response, name: &'static str, value: &str) -> Response {
    let value = HeaderValue::from_str(value).expect("a header's value");
    response.headers_mut().insert(HeaderName::from_static(name), value);
    response
}

/// Returns one page of a list. `hidden` items are removed from the page afterwards.
pub(super) fn page(
    items: &[Value],
    query: &[(String, String)],
    url: &str,
    gitlab_com: bool,
    hidden: impl Fn(&Value) -> bool,
) -> Response {
    let number = |name: &str, usual: usize| {
        query.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.parse().ok()).unwrap_or(usual).max(1)
    };
    let (page, per_page) = (number("page", 1), number("per_page", 20).min(100));
    let pages = items.len().div_ceil(per_page).max(1);
    let from = items.len().min((page - 1) * per_page);
    let shown: Vec<&Value> =
        items[from..items.len().min(from + per_page)].iter().filter(|item| !hidden(item)).collect();
    let next = if page < pages { (page + 1).to_string() } else { String::new() };
    let mut response = ok(&json!(shown));
    let link = |page: usize, rel: &str| format!("<{url}?page={page}&per_page={per_page}>; rel=\"{rel}\"");
    let mut links = vec![link(1, "first")];
    if page < pages {
        links.push(link(page + 1, "next"));
    }
    if !gitlab_com {
        links.push(link(pages, "last"));
        response = with(response, "x-total", &items.len().to_string());
        response = with(response, "x-total-pages", &pages.to_string());
    }
    response = with(response, "x-page", &page.to_string());
    response = with(response, "x-per-page", &per_page.to_string());
    response = with(response, "x-next-page", &next);
    with(response, "link", &links.join(", "))
}
