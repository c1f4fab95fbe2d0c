//! Fetches the commits of a merge request into refs of diffsan's own, without touching branches, index or work tree.
//!
//! Credentials come from the user: the SSH agent, the credential helper of their own settings (never of the repository's, which
//! could name a program), or the token for its own server. No setting of the repository is used.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use git2::{AutotagOption, Config, Cred, CredentialType, FetchOptions, RemoteCallbacks, RemoteRedirect, Repository};
use tokio_util::sync::CancellationToken;

use super::Repo;
use super::http::{self, CredentialLookup, HttpFetch, ServerToken};

/// The maximum number of requests for credentials. A server that asks more often accepts none.
const MAX_ATTEMPTS: u32 = 4;

/// The depth that stands for the whole history, also for servers.
const UNSHALLOW: i32 = i32::MAX;

/// A ref to fetch, with its server and credentials.
pub struct FetchRequest<'a> {
    /// The repository's address after git's own rewriting. It is not rewritten again.
    pub url: &'a str,
    /// The ref to fetch, or the full id of a commit.
    pub from: &'a str,
    /// The token, used only for its own server.
    pub token: Option<ServerToken>,
    /// The lookup for other credentials.
    pub helper: CredentialLookup,
    /// Certificates that are trusted in addition to the system's.
    pub ca: Option<&'a Path>,
    /// Whether the commits that a shallow clone does not have are fetched, too.
    pub whole_history: bool,
}

/// The protocol of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Http,
    /// SSH, or git's own protocol, which has no credentials.
    Other,
}

impl Protocol {
    /// Returns the protocol of an address, or `None` for local addresses and remote helpers.
    fn of(url: &str) -> Option<Self> {
        match url.split_once("://") {
            Some(("http" | "https", _)) => Some(Self::Http),
            Some(("ssh" | "git+ssh" | "ssh+git" | "git", _)) => Some(Self::Other),
            Some(_) => None,
            None => (url.contains(':') && !url.contains("::")).then_some(Self::Other),
        }
    }
}

impl Repo {
    /// Fetches a ref into `refs/diffsan/…`, a commit into `refs/diffsan/commits/ID`, until it is cancelled. Blocks, and must not be called from an asynchronous task. The
    /// error is a message for the user.
    pub fn fetch_into_private(&self, request: &FetchRequest<'_>, given_up: &CancellationToken) -> Result<(), String> {
        let protocol = Protocol::of(request.url).ok_or("diffsan does not fetch from this kind of address")?;
        let http = match protocol {
            Protocol::Http => {
                let (token, helper) = (request.token.clone(), Arc::clone(&request.helper));
                Some(Arc::new(HttpFetch::new(request.url, token, helper, request.ca, given_up.clone())?))
            }
            Protocol::Other => None,
        };
        let git = without_settings(&self.git).map_err(|error| error.message().to_owned())?;
        // libgit2 truncates this file although it is configured not to.
        let last = git.path().join("FETCH_HEAD");
        let before = diffsan_bounded::read(&last, diffsan_bounded::MAX_PATCH_BYTES).ok();
        let fetched = http::during(http.clone(), || fetch(&git, request, given_up));
        // Restoring FETCH_HEAD is optional, so errors are ignored.
        let _ = match before {
            Some(before) => std::fs::write(&last, before),
            None => std::fs::remove_file(&last),
        };
        fetched.map_err(|error| http.and_then(|http| http.failure()).unwrap_or_else(|| error.message().to_owned()))
    }
}

/// Opens the repository again without any settings, neither its own nor the user's: nothing rewrites an address, sets a proxy or
/// allows redirects.
fn without_settings(git: &Repository) -> Result<Repository, git2::Error> {
    let alone = Repository::open_bare(git.path())?;
    alone.set_config(&Config::new()?)?;
    Ok(alone)
}

fn fetch(git: &Repository, request: &FetchRequest<'_>, given_up: &CancellationToken) -> Result<(), git2::Error> {
    let attempts = Cell::new(0);
    let mut callbacks = RemoteCallbacks::new();
    // Only for SSH. Over HTTP, [`super::http`] attaches credentials.
    callbacks.credentials(|_, user, allowed| {
        attempts.set(attempts.get() + 1);
        let user = user.unwrap_or("git");
        match allowed {
            _ if attempts.get() > MAX_ATTEMPTS => {}
            _ if allowed.contains(CredentialType::USERNAME) => return Cred::username(user),
            _ if allowed.contains(CredentialType::SSH_KEY) => return Cred::ssh_key_from_agent(user),
            _ => {}
        }
        Err(git2::Error::from_str("the server accepts none of the keys of your SSH agent"))
    });
    callbacks.sideband_progress(|_| !given_up.is_cancelled());
    callbacks.transfer_progress(|_| !given_up.is_cancelled());
    let mut options = FetchOptions::new();
    options
        .remote_callbacks(callbacks)
        .follow_redirects(RemoteRedirect::None)
        .download_tags(AutotagOption::None)
        .update_fetchhead(false);
    if request.whole_history && git.is_shallow() {
        options.depth(UNSHALLOW);
    }
    let from = request.from;
    let to = from.strip_prefix("refs/").map_or_else(|| format!("commits/{from}"), str::to_owned);
    git.remote_anonymous(request.url)?.fetch(&[format!("+{from}:refs/diffsan/{to}")], Some(&mut options), None)
}
