//! The reasons for a missing answer of an agent. Programs report HTTP statuses and reasons in free text only, so the kind is
//! found in the text.

/// The reason for a missing answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The user stopped it.
    Cancelled,
    /// A deadline passed; the text says which one.
    Timeout(String),
    /// The agent or its provider failed.
    Failed {
        /// The kind.
        kind: FailureKind,
        /// The message of the agent or provider, not masked.
        message: String,
        /// The wait that the provider asks for, in seconds.
        retry_after: Option<u64>,
    },
}

impl Failure {
    /// A failure of a known kind.
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::Failed { kind, message: message.into(), retry_after: None }
    }

    /// A failure whose kind is found in its message.
    pub(crate) fn classified(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(classify(&message), message)
    }
}

/// The kinds of failures that a user can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Not signed in, or a key that is refused.
    NotSignedIn,
    /// Too many requests for now.
    RateLimited,
    /// The plan or the balance is used up.
    Quota,
    /// The prompt does not fit the model.
    ContextTooLong,
    /// No such model, or not for this account.
    BadModel,
    /// The provider cannot be reached.
    Unreachable,
    /// The provider itself failed or is overloaded.
    ProviderFailed,
    /// The program stopped waiting for the prompt: some read their standard input for half a second only.
    PromptNotRead,
    /// The answer is empty or incomplete.
    NoAnswer,
    /// The settings demand a sandbox, and there is none.
    NoSandbox,
    /// The program used too much memory or too many processes.
    LimitExceeded,
    /// Anything else.
    Other,
}

impl FailureKind {
    /// Whether the same request may succeed a little later.
    pub fn is_temporary(self) -> bool {
        matches!(self, Self::RateLimited | Self::ProviderFailed | Self::Unreachable | Self::PromptNotRead)
    }
}

/// Finds the kind of a failure in its message.
pub(crate) fn classify(message: &str) -> FailureKind {
    let text = message.to_lowercase();
    // A status is a word of its own; the same digits inside a port or an identifier mean nothing.
    let apart = |at: usize, word: &str| {
        let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = text.as_bytes();
        let number = word.as_bytes()[0].is_ascii_digit();
        !number || !(digit(at.checked_sub(1).and_then(|at| bytes.get(at))) || digit(bytes.get(at + 3)))
    };
    let has = |words: &[&str]| words.iter().any(|word| text.match_indices(word).any(|(at, _)| apart(at, word)));
    if has(&[
        "context length",
        "context window",
        "context_length",
        "prompt is too long",
        "maximum context",
        "input is too long",
    ]) {
        FailureKind::ContextTooLong
    } else if has(&[
        "insufficient_quota",
        "exceeded your current quota",
        "billing",
        "usage limit",
        "credit balance",
        "payment required",
    ]) {
        FailureKind::Quota
    } else if has(&["429", "rate limit", "rate_limit", "too many requests", "wait and try again later"]) {
        FailureKind::RateLimited
    } else if has(&["quota"]) {
        FailureKind::Quota
    } else if has(&[
        "401",
        "403 forbidden",
        "unauthorized",
        "authentication",
        "not logged in",
        "not signed in",
        "sign in",
        "invalid api key",
        "invalid_api_key",
        "incorrect api key",
        "api key",
        "please log in",
        "login required",
    ]) {
        FailureKind::NotSignedIn
    } else if has(&[
        "model_not_found",
        "does not exist",
        "unknown model",
        "model not found",
        "unsupported model",
        "404 not found",
    ]) {
        FailureKind::BadModel
    } else if has(&[
        "500",
        "502",
        "503",
        "504",
        "529",
        "overloaded",
        "internal server error",
        "high demand",
        "bad gateway",
        "service unavailable",
    ]) {
        FailureKind::ProviderFailed
    } else if has(&[
        "connection refused",
        "dns error",
        "network",
        "unreachable",
        "error sending request",
        "timed out",
        "econnrefused",
        "could not resolve",
        "stream disconnected",
        "connection reset",
        "connection closed",
        "could not connect",
        "fetch failed",
        "terminated",
        "socket",
        "unable to connect",
    ]) {
        FailureKind::Unreachable
    } else if has(&["no input provided via stdin"]) {
        FailureKind::PromptNotRead
    } else {
        FailureKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_agents_are_classified() {
        for (text, kind) in [
            ("exceeded retry limit, last status: 429 Too Many Requests", FailureKind::RateLimited),
            (
                "Ripgrep is not available.\nNo input provided via stdin. Input can be provided by piping data",
                FailureKind::PromptNotRead,
            ),
            ("unexpected status 401 Unauthorized: Missing bearer", FailureKind::NotSignedIn),
            ("Press any key to sign in...", FailureKind::NotSignedIn),
            (
                "Please wait and try again later. To increase your limits, request a quota increase",
                FailureKind::RateLimited,
            ),
            ("You've hit your usage limit.", FailureKind::Quota),
            ("This model's maximum context length is 128000 tokens", FailureKind::ContextTooLong),
            ("The model `x` does not exist or you do not have access", FailureKind::BadModel),
            ("stream disconnected before completion: error sending request", FailureKind::Unreachable),
            ("error sending request for url (http://127.0.0.1:42917/v1/responses)", FailureKind::Unreachable),
            ("stream disconnected in 019a4014-2b5a-7b71 (127.0.0.1:34014)", FailureKind::Unreachable),
            ("segmentation fault", FailureKind::Other),
        ] {
            assert_eq!(classify(text), kind, "{text}");
        }
    }
}
