//! Tokens: the ways to send one, and the requests that it permits.

use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use base64::Engine as _;
use serde_json::json;

use super::reply;
use super::state::{State, Token};

/// Returns the token and the way in which it was sent.
pub(super) fn token(headers: &HeaderMap, uri: &Uri) -> Option<(String, &'static str)> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    if let Some(token) = header("private-token") {
        return Some((token, "header"));
    }
    if let Some(token) = header("job-token") {
        return Some((token, "job"));
    }
    if let Some(authorization) = header("authorization") {
        if let Some(token) = authorization.strip_prefix("Bearer ") {
            return Some((token.to_owned(), "bearer"));
        }
        let basic = authorization.strip_prefix("Basic ")?;
        let text = base64::engine::general_purpose::STANDARD.decode(basic).ok()?;
        let text = String::from_utf8(text).ok()?;
        return Some((text.split_once(':')?.1.to_owned(), "basic"));
    }
    let query = uri.query()?;
    let found = query.split('&').find_map(|pair| pair.strip_prefix("private_token="))?;
    Some((found.to_owned(), "query"))
}

/// Returns the known token, or the answer for one that does not permit the request. `path` is the path after `/api/v4/`.
pub(super) fn authorise(
    state: &State,
    method: &str,
    path: &str,
    token: Option<&(String, &'static str)>,
) -> Result<Token, Response> {
    let Some((text, how)) = token else { return Err(reply::message(401, "401 Unauthorized")) };
    let Some(known) = state.tokens.get(text).cloned() else {
        return Err(match *how {
            "bearer" => invalid("Bad Access Token."),
            _ => reply::message(401, "401 Unauthorized"),
        });
    };
    if known.expired {
        return Err(invalid("Token is expired. You can either do re-authorization or token refresh."));
    }
    if known.revoked {
        return Err(invalid("Token was revoked. You have to re-authorize from the user."));
    }
    let reading = matches!(method, "GET" | "HEAD");
    let has = |scope: &str| known.scopes.iter().any(|own| own == scope);
    let about_itself = ["user", "metadata", "version", "personal_access_tokens/self"].contains(&path);
    let enough = has("api")
        || has("read_api") && reading
        || has("read_user") && about_itself
        || path == "personal_access_tokens/self";
    if !enough {
        let text = json!({ "error": "insufficient_scope", "scope": "api read_api",
            "error_description": "The request requires higher privileges than provided by the access token." });
        return Err(reply::status(403, &text));
    }
    if known.stranger && path.starts_with("projects/") {
        return Err(reply::message(404, "404 Project Not Found"));
    }
    let more = ["approve", "unapprove"].iter().any(|end| path.ends_with(end))
        || method == "PUT" && path.contains("/discussions/");
    if known.guest && more {
        return Err(reply::message(403, "403 Forbidden"));
    }
    Ok(known)
}

fn invalid(description: &str) -> Response {
    let body = json!({ "error": "invalid_token", "error_description": description });
    reply::with(
        reply::status(401, &body),
        "www-authenticate",
        "Bearer realm=\"Protected by OAuth 2.0\", error=\"invalid_token\"",
    )
}
