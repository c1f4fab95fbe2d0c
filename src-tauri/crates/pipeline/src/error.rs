//! The error type of the application: a closed set of codes, a sentence for the user, and a hint.
//!
//! Adapters have error types of their own; use cases convert them to this one. The command and the interface pass every error through
//! [`redacted`], so that no displayed message contains a secret.

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use diffsan_review::failure::{ErrorCode, ErrorInfo};

use diffsan_config::{ConfigError, Origin, RedactionConfig};
use diffsan_export::UnknownFormat;
use diffsan_forge::gitlab::GitlabError;
use diffsan_git::RepoError;
use diffsan_policy::PolicyError;
use diffsan_prepare::prompt::PromptError;
use diffsan_redact::{RedactError, Redactor, Session};
use diffsan_store::StoreError;
use diffsan_store::files::prompts::PromptFileError;
use serde::Serialize;

/// The fact of an error with the full id of a commit that the repository does not have.
pub const MISSING_COMMIT: &str = "missing_commit";
/// The fact of an error with the full ids of two commits whose common commit a shallow clone does not have.
pub const MISSING_HISTORY: &str = "missing_history";

/// A failure as it is shown to the user.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind of failure.
    pub code: ErrorCode,
    /// The failure and its meaning, in one or two sentences.
    pub message: String,
    /// The suggested action for the user.
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Further facts for diagnosis (names, places, numbers), never secrets.
    pub context: serde_json::Map<String, serde_json::Value>,
    /// The text of the underlying failure.
    pub cause: Option<String>,
}

/// The result type of the pipeline and of the use cases.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates an error with its code and message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            context: serde_json::Map::new(),
            cause: None,
        }
    }

    /// Returns the commits that the repository does not have, if that is the error, and whether the commits before them are missing, too. A
    /// server may have them.
    pub fn missing_commits(&self) -> Option<(Vec<String>, bool)> {
        if let Some(commit) = self.context.get(MISSING_COMMIT).and_then(|commit| commit.as_str()) {
            return Some((vec![commit.to_owned()], false));
        }
        let commits = self.context.get(MISSING_HISTORY)?.as_array()?;
        Some((commits.iter().filter_map(|commit| Some(commit.as_str()?.to_owned())).collect(), true))
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the cause, the text of the underlying failure.
    #[must_use]
    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Marks the error as one that may not happen again on another attempt.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds a fact to the context.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.context.insert(key.to_owned(), value.into());
        self
    }

    /// Returns the suggested action: the hint, or the advice for all errors with this code.
    pub fn advice(&self) -> &str {
        self.hint.as_deref().unwrap_or(self.code.presentation().advice)
    }

    /// Returns the error in the form of `run.json`, events and JSON-RPC.
    pub fn info(&self) -> ErrorInfo {
        ErrorInfo {
            error_code: self.code,
            message: self.message.clone(),
            hint: Some(self.advice().to_owned()),
            retryable: self.retryable,
            context: self.context.clone(),
            cause: self.cause.clone(),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let (what, hint) = match error {
            StoreError::Newer { .. } => ("", "Update diffsan, or set DIFFSAN_DATA_DIR to another folder."),
            StoreError::Busy => ("", "End any diffsan that does not respond, then try again. Nothing is lost."),
            StoreError::Full => {
                ("Nothing was changed, and no saved data is lost.", "Free some disk space, then try again.")
            }
            StoreError::ReadOnly => (
                "You can read the existing data, but nothing new is saved.",
                "Make the data folder writable and free some disk space, or set DIFFSAN_DATA_DIR to another folder, \
                 then start diffsan again.",
            ),
            StoreError::Damaged => {
                ("", "Start diffsan again. It moves the damaged file aside and recovers the readable data from it.")
            }
            StoreError::DamagedInUse => (
                "",
                "Close every other diffsan, then start it again. It moves the damaged file aside and recovers the \
                 readable data from it.",
            ),
            StoreError::Unreadable(_) => {
                ("", "Check who owns the data folder, or set DIFFSAN_DATA_DIR to another folder.")
            }
            StoreError::Sqlite(_) | StoreError::Io(_) => {
                ("", "Check that the data folder is writable and that the disk is not full.")
            }
        };
        let retryable = matches!(error, StoreError::Busy | StoreError::Full);
        let code = if matches!(error, StoreError::Busy) { ErrorCode::Busy } else { ErrorCode::StoreFailed };
        let message = sentence(&error.to_string());
        let message = if what.is_empty() { message } else { format!("{message} {what}") };
        let error = Self::new(code, message).hint(hint).with("state_file", true);
        if retryable { error.retryable() } else { error }
    }
}

impl From<RepoError> for Error {
    fn from(error: RepoError) -> Self {
        let hint = match &error {
            RepoError::NotARepository { .. } => "Change to the folder of a repository, or name one with --repo.",
            RepoError::UnknownRevision { .. } => {
                "Check the name with `git branch -a`, `git tag` or `git log`. If it exists only on a remote, fetch it first."
            }
            RepoError::NoDefaultBranch => "Name a range instead, such as --range main...HEAD.",
            RepoError::Unborn => "Review staged or all local changes instead: --staged, --all.",
            RepoError::NoWorkTree { .. } => "Review a commit, a range or a branch instead.",
            RepoError::LeadsOutside { .. } => {
                "Check the place that it refers to. A repository from an archive can refer to your other folders, \
                 so that their content is sent."
            }
            RepoError::NotRead { .. } => "Remove the file, make it smaller, or replace it by a regular file.",
            RepoError::NoMergeBase { .. } => "Review a range with two dots (A..B), or fetch more history.",
            _ => "Run `git status` and `git fsck` to check that git can read the repository.",
        };
        let found = Self::new(ErrorCode::DiffFetchFailed, sentence(&error.to_string())).hint(hint);
        match error {
            RepoError::NoMergeBase { one, two, shallow: true } => found.with(MISSING_HISTORY, vec![one, two]),
            _ => found,
        }
    }
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Self {
        let message = sentence(&error.to_string());
        match error {
            PolicyError::Repo(error) => error.into(),
            PolicyError::Contract { .. } => Self::new(ErrorCode::ConfigParseError, message)
                .hint("Name a contracts.toml, a Markdown file with a <capabilities> block, or JSON."),
            PolicyError::Ended(None) => Self::new(ErrorCode::Internal, message),
            PolicyError::Ended(Some(error)) => Self::new(ErrorCode::Internal, message).cause(error),
        }
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        let what = match &error.origin {
            Origin::Environment => "Correct the variable, or unset it",
            Origin::CommandLine => "Correct the option, or leave it out",
            Origin::Default | Origin::User(_) | Origin::Repository(_) => "Correct the file",
        };
        Self::new(ErrorCode::ConfigParseError, error.to_string())
            .hint(format!("{what} (config/default.toml in the source lists every key), and try again."))
    }
}

impl From<RedactError> for Error {
    fn from(error: RedactError) -> Self {
        let hint = match &error {
            RedactError::Pattern { .. } | RedactError::Allow { .. } | RedactError::Settings(_) => {
                "Correct it in the settings: redaction.extra_patterns or redaction.allow."
            }
            RedactError::Rules { .. } | RedactError::Engine(_) => {
                "This copy of diffsan is damaged. Install diffsan again."
            }
        };
        Self::new(ErrorCode::RedactionEngineFailed, format!("{error}. Nothing was sent.")).hint(hint)
    }
}

impl From<PromptFileError> for Error {
    fn from(error: PromptFileError) -> Self {
        let (code, hint) = match &error {
            PromptFileError::Missing { .. } | PromptFileError::Unreadable { .. } => (
                ErrorCode::ConfigParseError,
                "Restore the file, or remove your own copy so that the built-in one is used.",
            ),
            PromptFileError::Unknown { .. } => (ErrorCode::InvalidInput, "Choose one of the listed prompt files."),
            PromptFileError::NotKept { .. } => {
                (ErrorCode::IoFailed, "Check that the configuration folder is writable.")
            }
        };
        Self::new(code, sentence(&error.to_string())).hint(hint)
    }
}

impl From<PromptError> for Error {
    fn from(error: PromptError) -> Self {
        Self::new(ErrorCode::ConfigParseError, format!("The prompt file {error}."))
            .hint("Correct the template, or remove your own copy so that the built-in one is used.")
    }
}

/// Converts errors of reading from GitLab. Errors of posting are converted where they occur.
impl From<GitlabError> for Error {
    fn from(error: GitlabError) -> Self {
        let (code, hint) = match &error {
            GitlabError::Unauthorized(_) => (
                ErrorCode::GitlabAuthError,
                "Create a new token with the scope api, then save it with `diffsan secret set` or set DIFFSAN_GITLAB_TOKEN.",
            ),
            GitlabError::Forbidden(_) => (
                ErrorCode::GitlabAuthError,
                "Use a token with the scope api from a user who has access to the project.",
            ),
            GitlabError::NotFound(_) => (
                ErrorCode::GitlabFetchFailed,
                "Check the address, and check that the token's user has access to the project.",
            ),
            GitlabError::Certificate(_) => (
                ErrorCode::GitlabFetchFailed,
                "If the certificate is from a private authority, set gitlab.ca_file to the authority's certificate.",
            ),
            GitlabError::Settings(_) => (ErrorCode::ConfigParseError, "Correct the address or gitlab.ca_file."),
            _ => (ErrorCode::GitlabFetchFailed, "Check the network and the proxy, then try again."),
        };
        gitlab_error(&error, code, hint)
    }
}

impl Error {
    /// Masks every text of the error.
    #[must_use]
    pub fn masked(self, session: &mut Session) -> Self {
        let Self { code, message, hint, retryable, context, cause } = self;
        let mut mask = |text: String| session.contract("error", &text).into_inner();
        let (message, hint, cause) = (mask(message), hint.map(&mut mask), cause.map(&mut mask));
        let context = match session.value("error", serde_json::Value::Object(context)).into_inner() {
            serde_json::Value::Object(context) => context,
            _ => serde_json::Map::new(),
        };
        Self { code, message, hint, retryable, context, cause }
    }
}

/// Builds the error for a failed request to GitLab.
pub fn gitlab_error(error: &GitlabError, code: ErrorCode, hint: &str) -> Error {
    Error { retryable: error.is_transient(), ..Error::new(code, sentence(&error.to_string())).hint(hint) }
}

/// Builds the error for a failure of the system's random number generator.
pub fn no_random_numbers(error: std::io::Error) -> Error {
    Error::new(ErrorCode::Internal, "The system returned no random numbers.").cause(error)
}

/// The error of a task that panicked or was aborted.
impl From<tokio::task::JoinError> for Error {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::new(ErrorCode::Internal, "An internal step ended unexpectedly.").cause(error)
    }
}

/// Returns the message with a capital letter and a full stop.
pub fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let capital: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    capital + "."
}

/// Serialises a value as JSON text for storage.
pub fn to_json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

/// Serialises a value as indented JSON text for output, with a newline at the end. Characters that have effects in a terminal are escaped.
pub fn to_pretty_json(value: &impl Serialize) -> Result<String> {
    Ok(diffsan_export::to_pretty_json(value)?)
}

/// Converts a value to JSON, so that it can be masked before it is stored.
pub fn to_json_value(value: &impl Serialize) -> Result<serde_json::Value> {
    Ok(serde_json::to_value(value)?)
}

/// The error of a value that cannot be written as JSON. Errors of reading JSON are converted where the origin of the text is known.
impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::new(ErrorCode::Internal, "A value could not be written as JSON.").cause(error)
    }
}

impl From<UnknownFormat> for Error {
    fn from(error: UnknownFormat) -> Self {
        Self::new(ErrorCode::InvalidInput, error.to_string()).hint(error.hint())
    }
}

/// Masks the texts of an error with the built-in rules only, so that this works even if the settings cannot be read.
pub fn redacted(error: Error) -> Error {
    static ENGINE: OnceLock<Option<Arc<Redactor>>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| {
        let config = RedactionConfig { enabled: true, extra_patterns: Vec::new(), allow: Vec::new() };
        Redactor::new(&config, [0; 32]).ok().map(Arc::new)
    });
    let Some(engine) = engine else { return error };
    error.masked(&mut engine.session())
}
