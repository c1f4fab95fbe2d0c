//! Errors of GitLab and of the connection, distinguished by how they can be resolved.

use serde_json::Value;

/// An error of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitlabError {
    /// The base URL or the certificate file cannot be used.
    #[error("{0}")]
    Settings(String),
    /// The token is missing, unknown, expired or revoked.
    #[error("GitLab does not accept the token: {0}")]
    Unauthorized(String),
    /// The token or its owner lacks the permission.
    #[error("GitLab does not allow this: {0}")]
    Forbidden(String),
    /// The resource does not exist, or is not visible for this token.
    #[error("GitLab did not find it, or the token has no access: {0}")]
    NotFound(String),
    /// The line cannot be commented.
    #[error("GitLab rejected the line: {0}")]
    Position(String),
    /// This version of GitLab does not accept the position in this form.
    #[error("GitLab rejected the form of the position: {0}")]
    PositionForm(String),
    /// GitLab refused the request.
    #[error("GitLab rejected the request ({status}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The message of GitLab.
        message: String,
    },
    /// There were too many requests. The value is the wait in seconds, if GitLab reports it.
    #[error("GitLab received too many requests")]
    Limited(Option<u64>),
    /// Another request is changing the same object. Nothing was written.
    #[error("GitLab is busy with this merge request")]
    Busy,
    /// The server failed. A write may have succeeded nevertheless.
    #[error("GitLab failed ({0})")]
    Failed(u16),
    /// The connection broke. A write may have succeeded nevertheless.
    #[error("the connection to GitLab was lost: {0}")]
    Broken(String),
    /// The user stopped before there was an answer. A write may have succeeded nevertheless.
    #[error("GitLab had not answered yet when it was stopped")]
    Stopped,
    /// The server cannot be reached. Nothing was written.
    #[error("GitLab cannot be reached: {0}")]
    Unreachable(String),
    /// The certificate of the server is not trusted. A retry does not help.
    #[error("the certificate of the GitLab server is not trusted: {0}")]
    Certificate(String),
    /// The answer has an unexpected form.
    #[error("GitLab's answer cannot be read: {0}")]
    Unreadable(String),
}

impl GitlabError {
    /// Returns whether a write with this error may have succeeded.
    pub fn may_have_landed(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Broken(_) | Self::Unreadable(_) | Self::Stopped)
    }

    /// Returns whether a retry of a read may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Limited(_) | Self::Busy | Self::Failed(_) | Self::Broken(_) | Self::Unreachable(_))
    }

    /// Creates an error from an answer without success.
    pub(super) fn of(status: u16, retry_after: Option<u64>, body: &str) -> Self {
        let message = message(body);
        match status {
            401 => Self::Unauthorized(message),
            403 => Self::Forbidden(message),
            404 | 410 => Self::NotFound(message),
            429 => Self::Limited(retry_after),
            409 if message.contains("lock") => Self::Busy,
            400 if message.contains("must be a valid json schema") => Self::PositionForm(message),
            // Before 16.4, a comment cannot be about a file.
            400 if message.contains("position_type") => Self::Position(message),
            400 if ["line_code", "must be a valid line code", "is incomplete"]
                .iter()
                .any(|part| message.contains(part)) =>
            {
                Self::Position(message)
            }
            500.. => Self::Failed(status),
            _ => Self::Refused { status, message },
        }
    }
}

/// Returns GitLab's message: `message` (a text, or fields with texts), or `error` and `error_description`. Proxies answer in HTML.
fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        let plain = if body.trim_start().starts_with('<') { "an error page" } else { body.trim() };
        return plain.chars().take(200).collect();
    };
    let text = match (&value["message"], &value["error"], &value["error_description"]) {
        (Value::String(text), ..) => text.clone(),
        (fields @ (Value::Object(_) | Value::Array(_)), ..) => fields.to_string(),
        (_, Value::String(text), Value::String(more)) => format!("{text}: {more}"),
        (_, Value::String(text), _) => text.clone(),
        _ => "GitLab gave no reason".to_owned(),
    };
    text.chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_recognised_in_every_form_of_answer() {
        let line = r#"{"message":"400 Bad request - Note {:line_code=\u003e[\"can't be blank\", \"must be a valid line code\"]}"}"#;
        assert!(matches!(GitlabError::of(400, None, line), GitlabError::Position(_)));
        let scope = r#"{"error":"insufficient_scope","error_description":"more privileges","scope":"api"}"#;
        assert_eq!(
            GitlabError::of(403, None, scope),
            GitlabError::Forbidden("insufficient_scope: more privileges".into())
        );
        let fields = r#"{"message":{"base":["Thread to reply to cannot be found"]}}"#;
        let refused = GitlabError::of(400, None, fields);
        assert!(
            matches!(&refused, GitlabError::Refused { message, .. } if message.contains("cannot be found")),
            "{refused:?}"
        );
        assert_eq!(GitlabError::of(502, None, "<html>"), GitlabError::Failed(502));
        assert_eq!(GitlabError::of(429, Some(7), "Retry later\n"), GitlabError::Limited(Some(7)));
    }
}
