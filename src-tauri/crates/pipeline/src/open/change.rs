//! A change, opened: read from its source, with its configuration, and prepared when first asked for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use bytes::Bytes;

use super::trust::{Trust, settings_of};
use crate::error::{Error, ErrorCode, Result};
use diffsan_agent::SearchPath;
use diffsan_change::Fingerprint;
use diffsan_change::{Body, Change, FileChange, Status, Target};
use diffsan_config::{AllowedSecret, Layer, Limits, Resolved};
use diffsan_forge::gitlab::DiffRefs;
use diffsan_forge::gitlab::{Discussion, Person};
use diffsan_forge::post_plan::MarkerKeys;
use diffsan_git::{ReadOptions, Repo};
use diffsan_prepare::Prepared;
use diffsan_redact::{Redactor, Session, types::Redacted, types::RedactionReport};
use diffsan_review::finding::Side;
use diffsan_store::files::places::Places;
use diffsan_store::{AllowedValue, Store};

/// A file larger than this, in bytes, is shown with the surroundings that its patch has.
const MAX_WIDENED_BYTES: usize = 8 * 1024 * 1024;

/// Where a change is read from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A repository (any path inside it).
    Repository(PathBuf),
    /// A patch's bytes, and the repository that it may belong to.
    Patch(Bytes, Option<PathBuf>),
    /// A merge request as its GitLab gave it, and a repository that may have its commits.
    MergeRequest(Box<FetchedRequest>, Option<PathBuf>),
}

/// What is to be opened.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// Where it is read from.
    pub source: Source,
    /// Which change.
    pub target: Target,
    /// Flags or choices that override the configuration.
    pub overrides: Vec<Layer>,
    /// A commit whose review is known: only what changed since is sent. `last` is the head of the latest review that was posted.
    pub since: Option<String>,
    /// Whether the repository's file may set everything: it is from the side that the change goes to.
    pub trusted: bool,
}

/// A merge request as its GitLab gave it.
#[derive(Clone, Debug)]
pub struct FetchedRequest {
    /// What its diff is made of.
    pub refs: DiffRefs,
    /// Its diff.
    pub patch: Bytes,
    /// The messages of its commits, oldest first.
    pub messages: Vec<String>,
    /// Its headline.
    pub title: String,
    /// Whether it merges by itself when it can; none where that is not known.
    pub auto_merge: Option<bool>,
    /// Its page.
    pub web_url: Option<String>,
    /// `opened`, `closed`, `merged`, `locked`.
    pub state: String,
    /// The branch that is merged.
    pub source_branch: String,
    /// The branch that it goes into.
    pub target_branch: String,
    /// Who made it.
    pub author: Option<String>,
    /// Whose token reads.
    pub me: Option<Person>,
    /// The repository's settings as the side has them that it goes to, where no clone tells them.
    pub settings: Option<String>,
    /// Why its commits could not be brought into the clone, if that was tried and failed.
    pub commits: Option<String>,
    /// The keys that seal diffsan's markers in its comments.
    pub markers: MarkerKeys,
    /// Its threads and comments, which may be read again while it is open.
    pub threads: Threads,
}

/// The threads of a merge request as they were read last; none where they could not be read.
#[derive(Clone, Debug, Default)]
pub struct Threads(Arc<RwLock<Option<Arc<Vec<Discussion>>>>>);

impl Threads {
    /// What was read last.
    pub fn get(&self) -> Option<Arc<Vec<Discussion>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps what was read now.
    pub fn set(&self, discussions: Vec<Discussion>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(discussions));
    }
}

impl FetchedRequest {
    /// The same change in a repository that has its commits.
    fn range(&self) -> Target {
        Target::Range { base: self.refs.base_sha.clone(), head: self.refs.head_sha.clone(), merge_base: false }
    }
}

/// An opened change.
pub struct OpenChange {
    /// The repository's root, if there is one.
    pub root: Option<PathBuf>,
    /// Which change: what is kept of it belongs to this. The current branch is named; see [`Self::wish`].
    pub target: Target,
    /// The same as its repository has it: none of a patch, and of a merge request whose commits are not there.
    pub tree: Option<Target>,
    /// The merge request that it is, if it is one.
    pub merge_request: Option<Box<FetchedRequest>>,
    /// Its files, with nothing masked: for the reviewer's own eyes.
    pub change: Arc<Change>,
    /// Which files are sent, in which order, and which are not.
    pub plan: diffsan_prepare::Plan,
    /// Of the raw diff.
    pub fingerprint: Fingerprint,
    /// The settings for it.
    pub settings: Resolved,
    /// What its repository wants beyond that, and whether it is trusted.
    pub trust: Trust,
    /// How long reading took, in milliseconds.
    pub fetch_ms: u64,
    /// What the reviewer said is no secret in this repository.
    pub allowed: Vec<AllowedValue>,
    /// The commit since which it is sent, if not all of it is.
    pub since: Option<String>,
    /// The review that is looked at with it, where that is not the latest.
    pinned: Mutex<Option<String>>,
    /// Folders from which no program is run.
    excluded: Vec<PathBuf>,
    request: OpenRequest,
    redactor: Arc<Redactor>,
    prepared: OnceLock<PreparedChange>,
}

/// What may be sent of a change.
pub struct PreparedChange {
    /// The whole change, masked.
    pub masked: Redacted<Change>,
    /// The part that fits.
    pub prepared: Prepared,
    /// What was masked.
    pub redaction: RedactionReport,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
    session: Session,
}

impl PreparedChange {
    /// A redaction session that knows this change's secrets: the same secret gets the same number.
    pub fn session(&self) -> Session {
        self.session.clone()
    }
}

impl OpenChange {
    /// Reads a change. Blocking.
    pub fn open(places: &Places, store: &Store, key: [u8; 32], request: OpenRequest) -> Result<Self> {
        let started = Instant::now();
        let mut merge_request = None;
        let (repo, patch) = match &request.source {
            Source::Repository(path) => (Some(Repo::open(path)?), None),
            Source::MergeRequest(fetched, path) => {
                merge_request = Some(fetched.clone());
                // Only a repository that has its commits is its own.
                let refs = &fetched.refs;
                let repo = path.as_ref().and_then(|path| Repo::open(path).ok());
                let repo = repo.filter(|repo| repo.has_commit(&refs.base_sha) && repo.has_commit(&refs.head_sha));
                (repo, Some(fetched.patch.clone()))
            }
            Source::Patch(bytes, path) => {
                // A patch is readable without its repository; one that is there adds settings and whole files.
                let repo = path.as_ref().and_then(|path| Repo::open(path).ok());
                (repo, Some(bytes.clone()))
            }
        };
        let target = match &repo {
            Some(repo) => repo.named(&request.target),
            None => request.target.clone(),
        };
        let tree = match (&merge_request, &target) {
            (None, Target::Patch { .. }) => None,
            (None, target) => Some(target.clone()),
            (Some(fetched), _) => repo.is_some().then(|| fetched.range()),
        };
        let (settings, trust) = settings_of(places, store, repo.as_ref(), &request, tree.as_ref())?;
        let mut change = match (&repo, patch) {
            (_, Some(bytes)) => read_patch(bytes, &request.target)?,
            (Some(repo), None) => repo.change(&target, &ReadOptions::default())?,
            (None, None) => Change::default(),
        };
        if let Some(fetched) = &merge_request {
            change.base = Some(fetched.refs.base_sha.clone());
            change.head = Some(fetched.refs.head_sha.clone());
            change.messages.clone_from(&fetched.messages);
        }
        // A patch may be of any state of its repository: what that one says of paths today is no part of it.
        let attributes = match (&repo, &tree) {
            (Some(repo), Some(tree)) => repo.attributes(tree, &change)?,
            _ => diffsan_change::Attributes::default(),
        };
        let config = &settings.config;
        let mut plan = diffsan_prepare::plan(&change, &attributes, &config.prepare).map_err(|error| {
            Error::new(ErrorCode::ConfigParseError, error.to_string())
                .hint("Correct the glob in the [prepare] section.")
        })?;
        if let Some(since) = &request.since {
            let at_hand = repo.as_ref().filter(|_| tree.is_some());
            let (known, named) =
                super::reviewed_since::known_hunks(&change, at_hand, merge_request.as_deref(), since, &config.gitlab)?;
            plan.leave_out(known, &named);
        }
        let fingerprint = diffsan_change::fingerprint(&change);
        diffsan_prepare::surround(&mut change, &plan, &config.limits, |file| {
            let content = repo.as_ref()?.new_side(tree.as_ref()?, file.new_path.as_ref()?);
            content.ok().flatten().filter(|content| content.len() <= MAX_WIDENED_BYTES)
        });
        let excluded = excluded_folders(places, &request.source);
        let root = repo.map(|repo| repo.root().to_owned());
        let allowed = match &root {
            Some(root) => store.allowed_secrets(&root.display().to_string())?,
            None => Vec::new(),
        };
        let mut redaction = config.redaction.clone();
        redaction.allow.extend(
            allowed.iter().map(|one| AllowedSecret { value: Some(one.value.clone()), ..AllowedSecret::default() }),
        );
        let redactor = Redactor::new(&redaction, key)?;
        Ok(Self {
            root,
            allowed,
            since: request.since.clone(),
            pinned: Mutex::default(),
            excluded,
            fingerprint,
            target,
            request,
            tree,
            merge_request,
            change: Arc::new(change),
            plan,
            settings,
            trust,
            fetch_ms: millis(started),
            redactor: Arc::new(redactor),
            prepared: OnceLock::new(),
        })
    }

    /// Masks and cuts the change, once. Blocking.
    pub fn prepared(&self) -> &PreparedChange {
        self.prepared.get_or_init(|| {
            let started = Instant::now();
            let mut session = self.redactor.session();
            let masked = session.change(&self.change);
            let prepared = diffsan_prepare::prepare(&self.change, &self.plan, &masked, &self.settings.config.limits);
            PreparedChange { redaction: session.report(), masked, prepared, milliseconds: millis(started), session }
        })
    }

    /// Where programs are looked for while this change is open: nothing of its repository is run. Blocks.
    pub fn search_path(&self) -> SearchPath {
        SearchPath::of_this_process().outside(&self.excluded)
    }

    /// The folders from which no program is run: those of its repository, and the rooms.
    pub fn excluded_folders(&self) -> &[PathBuf] {
        &self.excluded
    }

    /// Which change was asked for: the current branch stays whichever is checked out.
    pub fn wish(&self) -> &Target {
        &self.request.target
    }

    /// Looks at it with another review than its latest; none ends that.
    pub fn pin(&self, review: Option<String>) {
        *self.pinned.lock().unwrap_or_else(PoisonError::into_inner) = review;
    }

    /// The review that it is looked at with, where that is not the latest.
    pub fn pinned(&self) -> Option<String> {
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same change as it is now, with other settings over those it has. Blocking.
    pub fn again(&self, places: &Places, store: &Store, key: [u8; 32], over: Option<Layer>) -> Result<Self> {
        let mut request = self.request.clone();
        request.overrides.extend(over);
        Self::open(places, store, key, request)
    }

    /// The settings for it as they are now: files may have been edited since it was opened. Blocking.
    pub fn settings_now(&self, places: &Places, store: &Store) -> Result<(Resolved, Trust)> {
        let repo = self.root.as_ref().and_then(|root| Repo::open(root).ok());
        settings_of(places, store, repo.as_ref(), &self.request, self.tree.as_ref())
    }

    /// What would be sent of it with other limits; those that change what it is (`context`) take opening it again. Blocking.
    pub fn prepared_with(&self, limits: &Limits) -> Prepared {
        diffsan_prepare::prepare(&self.change, &self.plan, &self.prepared().masked, limits)
    }

    /// The redaction engine of this change.
    pub fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }

    /// A redaction session for texts of a run that got no further than opening.
    pub fn fresh_session(&self) -> Session {
        self.redactor.session()
    }

    /// A whole file of one side, if there is a repository that has it. Blocking; opens the repository anew, because
    /// libgit2's handles stay on their thread.
    pub fn file(&self, path: &diffsan_change::RepoPath, side: Side) -> Option<Bytes> {
        let repo = Repo::open(self.root.as_ref()?).ok()?;
        let read = match side {
            Side::New => repo.new_side(self.tree.as_ref()?, path),
            Side::Old => repo.old_side(self.tree.as_ref()?, path),
        };
        read.ok().flatten()
    }

    /// A text file as the side has it that the change goes to; of local changes, as the last commit has it. Blocking.
    pub fn target_side(&self, path: &str) -> Option<String> {
        let repo = Repo::open(self.root.as_ref()?).ok()?;
        let rev = self.tree.as_ref().and_then(|tree| repo.base_rev(tree)).unwrap_or_else(|| "HEAD".to_owned());
        let bytes = repo.read_at(&rev, path).ok().flatten().filter(|bytes| bytes.len() <= 1_000_000)?;
        String::from_utf8(bytes).ok()
    }

    /// Which change, as it is written down: the name of a branch or a file may hold a secret.
    pub fn written_target(&self) -> serde_json::Value {
        let target = serde_json::to_value(&self.target).unwrap_or_default();
        self.fresh_session().value("target", target).into_inner()
    }

    /// Where the repository is, as it is written down.
    pub fn written_root(&self) -> Option<String> {
        self.root.as_ref().map(|root| self.written("repository", &root.display().to_string()))
    }

    /// A text that a run's folder keeps.
    pub(crate) fn written(&self, what: &str, text: &str) -> String {
        self.fresh_session().contract(what, text).into_inner()
    }

    /// The title, as it is written down.
    pub fn written_title(&self) -> Redacted<String> {
        self.fresh_session().contract("target", &self.title())
    }

    /// Whether what is checked out is the change's new side. Blocking.
    pub fn is_checked_out(&self) -> bool {
        let repo = self.root.as_ref().and_then(|root| Repo::open(root).ok());
        let head = repo.and_then(|repo| repo.head_id());
        head.is_some() && head == self.change.head
    }

    /// For the reviewer's own eyes.
    pub fn title(&self) -> String {
        self.target.title()
    }

    /// Under which repository its reviews are kept: a merge request is the same with and without a clone.
    pub fn review_home(&self) -> String {
        if self.merge_request.is_some() { String::new() } else { self.repository_name() }
    }

    /// The repository's path as the store names it; empty for a patch without one.
    pub fn repository_name(&self) -> String {
        self.root.as_deref().map(|root| root.display().to_string()).unwrap_or_default()
    }
}

/// The folders from which no program is run: those of the repository that a change is read from, also where that does not have the
/// change's commits, and the rooms, which hold copies of its files.
pub fn excluded_folders(places: &Places, source: &Source) -> Vec<PathBuf> {
    let path = match source {
        Source::Repository(path) => Some(path),
        Source::Patch(_, path) | Source::MergeRequest(_, path) => path.as_ref(),
    };
    let repo = path.and_then(|path| Repo::open(path).ok());
    let mut folders = repo.map(|repo| repo.folders()).unwrap_or_default();
    folders.push(places.rooms());
    folders
}

/// Returns the milliseconds since `started`.
pub fn millis(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Reads a patch; of one that breaks off what stands before, if that is wanted, with the rest named as unread.
fn read_patch(bytes: Bytes, target: &Target) -> Result<Change> {
    let partial = matches!(target, Target::Patch { partial: true, .. });
    match diffsan_change::parse_patch(bytes) {
        Ok(change) => Ok(change),
        Err(error) if partial && !error.readable.files.is_empty() => {
            let mut change = *error.readable;
            change.files.push(FileChange {
                old_path: None,
                new_path: Some("the rest of the patch".into()),
                status: Status::Modified,
                old_mode: None,
                new_mode: None,
                ids: None,
                similarity: None,
                body: Body::Unread(format!("it cannot be read: line {}: {}", error.line, error.message)),
            });
            Ok(change)
        }
        Err(error) => Err(patch_error(&error, target)),
    }
}

fn patch_error(error: &diffsan_change::PatchError, target: &Target) -> Error {
    let name = match target {
        Target::Patch { path, .. } if path != "-" => format!("The patch {path}"),
        _ => "The patch".to_owned(),
    };
    let message = format!("{name} cannot be read: line {}: {}.", error.line, error.message);
    let again = "Make it anew with `git diff`, `git format-patch` or `diff -u`";
    let hint = match error.readable.files.len() {
        0 => format!("{again}."),
        1 => format!("{again}; or review the one file that can be read (--partial)."),
        files => format!("{again}; or review the {files} files that can be read (--partial)."),
    };
    Error::new(ErrorCode::DiffParseFailed, message)
        .hint(hint)
        .with("line", error.line)
        .with("readable_files", error.readable.files.len())
}

/// A patch's bytes. Blocking.
pub fn read_patch_file(path: &Path) -> Result<Bytes> {
    let bytes = diffsan_bounded::read(path, diffsan_bounded::MAX_PATCH_BYTES).map_err(|error| {
        Error::new(ErrorCode::DiffFetchFailed, format!("The patch {} cannot be read: {error}.", path.display()))
            .hint("Check the path; `-` reads standard input.")
    })?;
    Ok(Bytes::from(bytes))
}
