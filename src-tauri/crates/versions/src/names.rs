//! Finds versions by their names: a range, a commit, a number in the list of known versions, or the last review.

use diffsan_change::Target;
use diffsan_git::{Repo, VersionCommits, VersionSize};
use diffsan_pipeline::error::{Error, ErrorCode, MISSING_COMMIT, Result};
use diffsan_pipeline::open::OpenChange;
use diffsan_store::Store;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The number of reviews among which the latest one with a commit is searched.
const MAX_REVIEWS: u32 = 20;
/// The number of bytes of the digest that names a change in a ref.
const KEY_BYTES: usize = 8;

/// A version of an opened change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionItem {
    /// The number in the list, from 1. `v3` names the third version.
    pub number: u32,
    /// The full id of the commit where it starts. None for an empty tree.
    pub base: Option<String>,
    /// The full id of the commit where it ends.
    pub head: String,
    /// Where it was seen first.
    pub origin: VersionOrigin,
    /// The time at which diffsan first opened or reviewed it, RFC 3339.
    pub time: Option<String>,
    /// The number of its commits and files. None if the repository does not have its commits.
    pub size: Option<VersionSize>,
    /// Whether the latest review is of this version.
    pub reviewed: bool,
    /// Whether it is the opened one.
    pub current: bool,
}

/// Where a version was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionOrigin {
    /// diffsan opened it.
    Opened,
    /// It was reviewed.
    Reviewed,
    /// The server lists it.
    Server,
}

/// Returns the version that a text names: `A..B` with the commits of B that are not in A, or one revision, which starts where it
/// leaves the default branch. Blocks.
pub fn named(repo: &Repo, text: &str) -> Result<VersionCommits> {
    let version = match Target::range(text) {
        Some(Target::Range { base, head, .. }) => repo.version(&[&base], &head)?,
        _ => {
            let default = repo.default_branch().ok_or(diffsan_git::RepoError::NoDefaultBranch)?;
            repo.version(&[&default], text)?
        }
    };
    Ok(version)
}

/// Opens the repository of an opened change again.
pub fn repository(opened: &OpenChange) -> Result<Repo> {
    let missing = || {
        Error::new(ErrorCode::DiffFetchFailed, "The commits of the change are not available.")
            .hint("Open the change in a clone that has its commits.")
    };
    Ok(Repo::open(opened.root.as_deref().ok_or_else(missing)?)?)
}

/// Returns the commits of an opened change.
pub fn opened_version(opened: &OpenChange) -> Result<VersionCommits> {
    match (&opened.tree, &opened.change.head) {
        (Some(_), Some(head)) => Ok(VersionCommits { base: opened.change.base.clone(), head: head.clone() }),
        (None, _) => Err(Error::new(ErrorCode::DiffFetchFailed, "The commits of the change are not available.")
            .hint("Open the change in a clone that has its commits.")),
        (_, None) => Err(Error::new(ErrorCode::InvalidInput, "Local changes have no versions.")
            .hint("Commit them, and compare the branch.")),
    }
}

/// Records the commits of an opened branch or merge request, so that a later force push does not lose them. A repository that
/// cannot be written is left as it is. Blocks.
pub fn record(opened: &OpenChange) {
    if !matches!(opened.target, Target::Branch { .. } | Target::MergeRequest { .. }) {
        return;
    }
    let (Some(root), Ok(version)) = (&opened.root, opened_version(opened)) else { return };
    if let Ok(repo) = Repo::open(root) {
        // The list of versions is a convenience; opening a change must not depend on it.
        let _ = repo.record_head(&key(opened), &version, Timestamp::now().as_second());
    }
}

/// Returns the part of a ref's name that stands for a change.
fn key(opened: &OpenChange) -> String {
    let digest = Sha256::digest(opened.written_target().to_string().as_bytes());
    hex::encode(&digest[..KEY_BYTES])
}

/// Returns the known versions of an opened change: those that diffsan opened or reviewed, and those of the server, oldest first. Blocks.
pub fn list(repo: &Repo, store: &Store, opened: &OpenChange, server: &[VersionCommits]) -> Result<Vec<VersionItem>> {
    let mut items = known(repo, store, opened, server)?;
    for item in &mut items {
        let version = VersionCommits { base: item.base.clone(), head: item.head.clone() };
        item.size = repo.version_size(&version);
    }
    Ok(items)
}

/// Returns the known versions without their sizes, which a name does not need.
fn known(repo: &Repo, store: &Store, opened: &OpenChange, server: &[VersionCommits]) -> Result<Vec<VersionItem>> {
    let current = opened_version(opened)?;
    let reviewed = reviewed_version(repo, store, opened)?;
    let mut found: Vec<(Option<i64>, VersionOrigin, VersionCommits)> =
        server.iter().map(|version| (None, VersionOrigin::Server, version.clone())).collect();
    let seen = repo.seen_heads(&key(opened))?;
    found.extend(seen.into_iter().map(|seen| (Some(seen.time), VersionOrigin::Opened, seen.version)));
    if let Some(reviewed) = reviewed.as_ref().filter(|reviewed| found.iter().all(|known| known.2.head != reviewed.head))
    {
        found.insert(0, (None, VersionOrigin::Reviewed, reviewed.clone()));
    }
    let mut items: Vec<VersionItem> = Vec::new();
    for (time, origin, version) in found {
        let time = time.and_then(|time| Timestamp::from_second(time).ok()).map(|time| time.to_string());
        if let Some(known) = items.iter_mut().find(|known| known.head == version.head && known.base == version.base) {
            known.time = known.time.take().or(time);
            continue;
        }
        items.push(VersionItem {
            number: u32::try_from(items.len() + 1).unwrap_or(u32::MAX),
            reviewed: reviewed.as_ref().is_some_and(|reviewed| reviewed.head == version.head),
            current: version == current,
            size: None,
            base: version.base,
            head: version.head,
            origin,
            time,
        });
    }
    Ok(items)
}

/// Returns the number of a version in the list that a text such as `v3` names.
pub fn number(text: &str) -> Option<u32> {
    text.strip_prefix('v')?.parse().ok()
}

/// Returns the version of an opened change that a text names: `last` for the latest review, `v3` for a number in the list, a commit,
/// or the full ids of a base and a head as `BASE..HEAD`. Blocks.
pub fn since(
    repo: &Repo,
    store: &Store,
    opened: &OpenChange,
    server: &[VersionCommits],
    text: &str,
) -> Result<VersionCommits> {
    if text == "last" {
        let reviewed = reviewed_version(repo, store, opened)?.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, "No review of this change is saved or posted yet.")
                .hint("Show the whole change, without --since.")
        })?;
        return present(repo, reviewed, text);
    }
    if let Some(version) = VersionCommits::of_ids(text) {
        return present(repo, version, text);
    }
    if let Some(number) = number(text) {
        let versions = known(repo, store, opened, server)?;
        let count = versions.len();
        let item = versions.into_iter().find(|version| version.number == number);
        let item = item.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("There is no version {number}; {count} are known."))
                .hint("`diffsan compare --versions` lists them.")
        })?;
        return present(repo, VersionCommits { base: item.base, head: item.head }, text);
    }
    version_of_head(repo, opened, server, text)
}

fn is_full_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the latest reviewed version: of the latest saved review with a commit, or of the latest posted one. The repository may
/// have lost its commits.
fn reviewed_version(repo: &Repo, store: &Store, opened: &OpenChange) -> Result<Option<VersionCommits>> {
    let target = opened.written_target().to_string();
    for stored in store.reviews_of_change(&opened.review_home(), &target, MAX_REVIEWS)? {
        let Ok(output) = serde_json::from_str::<serde_json::Value>(&stored.output) else { continue };
        // Findings may be placed on later commits than the reviewed ones.
        let meta = output.pointer("/meta/reviewed").unwrap_or(&output["meta"]);
        let id = |name: &str| meta[name].as_str().map(str::to_owned);
        if let Some(head) = id("head_sha") {
            return Ok(Some(VersionCommits { base: id("base_sha"), head }));
        }
    }
    match diffsan_pipeline::open::last_reviewed_head(opened) {
        Some(head) if repo.has_commit(&head) => version_of_head(repo, opened, &[], &head).map(Some),
        lost => Ok(lost.map(|head| VersionCommits { base: None, head })),
    }
}

/// Returns the version that ends at a commit: the known one, or the one that starts where it leaves the target branch.
fn version_of_head(repo: &Repo, opened: &OpenChange, server: &[VersionCommits], head: &str) -> Result<VersionCommits> {
    let current = opened_version(opened)?;
    let seen = repo.seen_heads(&key(opened))?.into_iter().map(|seen| seen.version);
    let mut known = seen.chain(server.iter().cloned()).chain([current.clone()]);
    if let Some(known) = known.find(|known| head.len() >= 7 && known.head.starts_with(head)) {
        return present(repo, known, head);
    }
    if is_full_id(head) && !repo.has_commit(head) {
        return present(repo, VersionCommits { base: None, head: head.to_owned() }, head);
    }
    let branch = match (&opened.target, &opened.merge_request) {
        (Target::Branch { base, .. }, _) => base.clone().or_else(|| repo.default_branch()),
        (_, Some(request)) => Some(format!("origin/{}", request.target_branch)),
        _ => None,
    };
    let targets: Vec<&str> = branch.as_deref().into_iter().chain(current.base.as_deref()).collect();
    repo.version(&targets, head).map_err(|error| missing(error.into(), head))
}

/// Returns the version if the repository has its commits.
fn present(repo: &Repo, version: VersionCommits, name: &str) -> Result<VersionCommits> {
    let absent = version.ids().find(|id| !repo.has_commit(id)).cloned();
    match absent {
        None => Ok(version),
        Some(id) => {
            let message = format!("The repository does not have the commit {id} any more.");
            Err(missing(Error::new(ErrorCode::DiffFetchFailed, message).with(MISSING_COMMIT, id), name))
        }
    }
}

/// Returns the error for a version that cannot be shown.
pub(crate) fn missing(error: Error, name: &str) -> Error {
    let name = name.split("..").last().filter(|head| is_full_id(head)).map_or(name, |head| &head[..10]);
    let message = format!("The version {name} cannot be shown. {}", error.message);
    Error { message, ..error }.hint("Fetch the commit, or show the whole change.")
}
