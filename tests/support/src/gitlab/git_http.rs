//! Serves repositories over HTTP with git's own server program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use axum::body::Body;
use axum::http::{HeaderMap, Method, Response as HttpResponse, StatusCode};
use axum::response::Response;

/// Answers requests such as `/group/project.git/info/refs`.
pub(super) fn answer(
    root: &Path,
    method: &Method,
    path: &str,
    query: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Response {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        // GitLab sends the commits of all versions of a merge request, also those of no branch.
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "uploadpack.allowAnySHA1InWant")
        .env("GIT_CONFIG_VALUE_0", "true")
        .env("REQUEST_METHOD", method.as_str())
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git");
    let mut input = child.stdin.take().expect("a pipe");
    let bytes = body.to_vec();
    let writer = std::thread::spawn(move || drop(input.write_all(&bytes)));
    let output = child.wait_with_output().expect("git").stdout;
    let _ = writer.join();
    let end = output.windows(4).position(|four| four == b"\r\n\r\n").map_or(output.len(), |at| at + 4);
    let mut response = HttpResponse::builder();
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        match line.split_once(": ") {
            Some(("Status", status)) => {
                let code = status.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or(500);
                response = response.status(StatusCode::from_u16(code).expect("a status"));
            }
            Some((name, value)) => response = response.header(name, value),
            None => {}
        }
    }
    response.body(Body::from(output[end..].to_vec())).expect("a response")
}
