//! An opened change: read from its source, with its settings. It is prepared at the first use.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread;
use std::time::Instant;

use bytes::Bytes;

use super::patch::read_patch;
use super::prepared::PreparedChange;
use super::reading::Reading;
use super::request::{FetchedDiff, FetchedRequest, OpenRequest, Source};
use super::reviewed_since::{AuthorEdits, EarlierReviews, author_edits};
use super::trust::{Trust, settings_of};
use crate::error::{Error, ErrorCode, Result, to_json_value};
use crate::navigation::SignatureSearch;
use diffsan_agent::SearchPath;
use diffsan_change::parallel::joined;
use diffsan_change::{Change, Fingerprint, Target};
use diffsan_config::{AllowedSecret, Layer, PrepareConfig, Resolved};
use diffsan_facts::Facts;
use diffsan_fold::Fold;
use diffsan_git::{ReadOptions, Repo};
use diffsan_policy::ChangeFiles;
use diffsan_prepare::Plan;
use diffsan_redact::{Redactor, Session, types::Redacted};
use diffsan_review::finding::Side;
use diffsan_store::files::places::Places;
use diffsan_store::{AllowedValue, Store};
use diffsan_syntax::scip::ScipIndex;

/// The maximum size in bytes of a file whose context is widened. A larger one has the context of its patch.
const MAX_WIDENED_BYTES: usize = 8 * 1024 * 1024;

/// An opened change.
pub struct OpenChange {
    /// The repository's root, if there is one.
    pub root: Option<PathBuf>,
    /// The target to which stored data belongs. A current branch is replaced by its name; see [`Self::requested_target`].
    pub target: Target,
    /// The target in the repository. `None` for a patch, and for a merge request whose commits are not available.
    pub tree: Option<Target>,
    /// The merge request, if the change is one.
    pub merge_request: Option<Box<FetchedRequest>>,
    /// The files without masking, which only the user sees.
    pub change: Arc<Change>,
    /// The files that are sent, their order, and the files that are not sent.
    pub plan: Plan,
    /// The fingerprint of the raw diff.
    pub fingerprint: Fingerprint,
    /// The settings for the change.
    pub settings: Resolved,
    /// The requested settings of its repository, and whether they are trusted.
    pub trust: Trust,
    /// The time to read it, in milliseconds.
    pub fetch_ms: u64,
    /// The values that the user declared harmless in this repository.
    pub allowed: Vec<AllowedValue>,
    /// The commit after which changes are sent, if not all are.
    pub since: Option<String>,
    /// The author's edits since that commit.
    pub edits: Option<AuthorEdits>,
    /// The review that is shown with it, if it is not the latest.
    pinned: Mutex<Option<String>>,
    /// The facts of its pipeline and of reports, masked, as last collected.
    facts: RwLock<Option<Arc<Facts>>>,
    /// The folders from which no program is run.
    excluded: Vec<PathBuf>,
    /// The target for storage, masked.
    written_target: serde_json::Value,
    request: OpenRequest,
    pub(super) redactor: Arc<Redactor>,
    pub(super) prepared: OnceLock<PreparedChange>,
    pub(super) reading: OnceLock<Reading>,
    pub(super) folds: OnceLock<Vec<Fold>>,
    /// The folds in the files that the limits of the settings allow, and perhaps others.
    pub(super) allowed_folds: OnceLock<Vec<Fold>>,
    /// The SCIP index in the repository's root, if it has one.
    pub(crate) scip: OnceLock<Option<Arc<ScipIndex>>>,
    /// The changed signatures with unchanged callers, as far as prompts needed them. `None` if a side cannot be read.
    pub(crate) signatures: OnceLock<Option<Mutex<SignatureSearch>>>,
}

impl OpenChange {
    /// Reads a change. Blocks.
    pub fn open(places: &Places, store: &Store, key: [u8; 32], request: OpenRequest) -> Result<Self> {
        let started = Instant::now();
        // The rules take milliseconds to build, so that is begun before the settings for them are known. An error is found below.
        thread::spawn(diffsan_redact::build_rules);
        let mut merge_request = None;
        let (repo, diff) = match &request.source {
            Source::Repository(path) => (Some(Repo::open(path)?), None),
            Source::MergeRequest(fetched, path) => {
                merge_request = Some(fetched.clone());
                // The repository belongs to the merge request only if it contains the commits.
                let refs = &fetched.refs;
                let repo = path.as_ref().and_then(|path| Repo::open(path).ok());
                let repo = repo.filter(|repo| repo.has_commit(&refs.base_sha) && repo.has_commit(&refs.head_sha));
                (repo, Some(fetched.diff.clone()))
            }
            Source::Patch(bytes, path) => {
                // A patch is readable without a repository. With one, settings and whole files are available.
                let repo = path.as_ref().and_then(|path| Repo::open(path).ok());
                (repo, Some(FetchedDiff::Patch(bytes.clone())))
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
        let root = repo.as_ref().map(|repo| repo.root().to_owned());
        let allowed = match &root {
            Some(root) => store.allowed_secrets(&root.display().to_string())?,
            None => Vec::new(),
        };
        let mut redaction = settings.config.redaction.clone();
        redaction.allow.extend(
            allowed.iter().map(|one| AllowedSecret { value: Some(one.value.clone()), ..AllowedSecret::default() }),
        );
        let (change, redactor) = thread::scope(|scope| {
            let redactor = scope.spawn(|| Redactor::new(&redaction, key));
            let change = match (&repo, diff) {
                (_, Some(FetchedDiff::Local(change))) => Ok(Arc::unwrap_or_clone(change)),
                (_, Some(FetchedDiff::Patch(bytes))) => read_patch(bytes, &request.target),
                (Some(repo), None) => repo.change(&target, &ReadOptions::default()).map_err(Error::from),
                (None, None) => Ok(Change::default()),
            };
            (change, joined(redactor))
        });
        let (mut change, redactor) = (change?, Arc::new(redactor?));
        if let Some(fetched) = &merge_request {
            change.base = Some(fetched.refs.base_sha.clone());
            change.head = Some(fetched.refs.head_sha.clone());
            change.messages.clone_from(&fetched.messages);
        }
        let config = &settings.config;
        let (fingerprint, plan) = thread::scope(|scope| {
            let fingerprint = scope.spawn(|| diffsan_change::fingerprint(&change));
            let plan = plan_of(repo.as_ref(), tree.as_ref(), &change, &config.prepare);
            (joined(fingerprint), plan)
        });
        let mut plan = plan?;
        let excluded = excluded_folders(places, &request.source);
        let written_target = redactor.session().value("target", to_json_value(&target)?).into_inner();
        let at_hand = repo.as_ref().filter(|_| tree.is_some());
        let edits = match &request.since {
            Some(since) => {
                let earlier = EarlierReviews {
                    store,
                    home: &review_home(merge_request.is_some(), root.as_deref()),
                    target: &written_target.to_string(),
                    request: merge_request.as_deref(),
                    tag: &config.gitlab.summary_note_tag,
                };
                let edits = author_edits(&change, at_hand, since, &earlier)?;
                plan.leave_out(edits.known_hunks(&change), &edits.since);
                Some(edits)
            }
            None => None,
        };
        if let Some(selected) = &request.selected {
            let selected: HashSet<&str> = selected.iter().map(String::as_str).collect();
            plan.select(|file| selected.contains(&*change.files[file].path().to_text()));
        }
        diffsan_prepare::surround(&mut change, &plan, &config.limits, |file| {
            let content = repo.as_ref()?.new_side(tree.as_ref()?, file.new_path.as_ref()?);
            content.ok().flatten().filter(|content| content.len() <= MAX_WIDENED_BYTES)
        });
        Ok(Self {
            root,
            allowed,
            since: request.since.clone(),
            edits,
            pinned: Mutex::default(),
            facts: RwLock::default(),
            excluded,
            written_target,
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
            redactor,
            prepared: OnceLock::new(),
            reading: OnceLock::new(),
            folds: OnceLock::new(),
            allowed_folds: OnceLock::new(),
            scip: OnceLock::new(),
            signatures: OnceLock::new(),
        })
    }

    /// Returns where programs are searched while this change is open. Nothing inside its repository is run. Blocks.
    pub fn search_path(&self) -> SearchPath {
        SearchPath::of_this_process().outside(&self.excluded)
    }

    /// Returns the folders from which no program is run: those of its repository, and the rooms.
    pub fn excluded_folders(&self) -> &[PathBuf] {
        &self.excluded
    }

    /// Returns the requested target. For the current branch, it follows whichever branch is checked out.
    pub fn requested_target(&self) -> &Target {
        &self.request.target
    }

    /// Shows the change with another review than the latest; `None` ends this.
    pub fn pin(&self, review: Option<String>) {
        *self.pinned.lock().unwrap_or_else(PoisonError::into_inner) = review;
    }

    /// Returns the review that is shown with it, if it is not the latest.
    pub fn pinned(&self) -> Option<String> {
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the facts as last collected; `None` if they were not collected.
    pub fn facts(&self) -> Option<Arc<Facts>> {
        self.facts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the facts by newly collected ones, which must be masked.
    pub(crate) fn set_facts(&self, facts: Arc<Facts>) {
        *self.facts.write().unwrap_or_else(PoisonError::into_inner) = Some(facts);
    }

    /// Opens the current state of the change, with `over` as an additional layer of settings. Blocks.
    pub fn again(&self, places: &Places, store: &Store, key: [u8; 32], over: Option<Layer>) -> Result<Self> {
        let mut request = self.request.clone();
        request.overrides.extend(over);
        Self::open(places, store, key, request)
    }

    /// Returns its current settings, because files may have been edited since it was opened. Blocks.
    pub fn settings_now(&self, places: &Places, store: &Store) -> Result<(Resolved, Trust)> {
        let repo = self.root.as_ref().and_then(|root| Repo::open(root).ok());
        settings_of(places, store, repo.as_ref(), &self.request, self.tree.as_ref())
    }

    /// Returns the redaction engine of this change.
    pub fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }

    /// Returns the change with the place of the files of its sides.
    pub(crate) fn files(&self) -> ChangeFiles<'_> {
        ChangeFiles { root: self.root.as_deref(), target: self.tree.as_ref(), change: &self.change }
    }

    /// Returns a new redaction session, for texts of a run that was not prepared yet.
    pub fn fresh_session(&self) -> Session {
        self.redactor.session()
    }

    /// Returns a whole file of one side, if a repository contains it. Blocks. Opens the repository again, because libgit2's handles cannot
    /// be shared between threads.
    pub fn file(&self, path: &diffsan_change::RepoPath, side: Side) -> Option<Bytes> {
        let repo = Repo::open(self.root.as_ref()?).ok()?;
        let read = match side {
            Side::New => repo.new_side(self.tree.as_ref()?, path),
            Side::Old => repo.old_side(self.tree.as_ref()?, path),
        };
        read.ok().flatten()
    }

    /// Returns a text file of the target side; for local changes, of the last commit. Blocks.
    pub fn target_side(&self, path: &str) -> Option<String> {
        let repo = Repo::open(self.root.as_ref()?).ok()?;
        let rev = self.tree.as_ref().and_then(|tree| repo.base_rev(tree)).unwrap_or_else(|| "HEAD".to_owned());
        let bytes = repo.read_at(&rev, path).ok().flatten().filter(|bytes| bytes.len() <= 1_000_000)?;
        String::from_utf8(bytes).ok()
    }

    /// Returns the target for storage, masked, because the name of a branch or a file may contain a secret.
    pub fn written_target(&self) -> &serde_json::Value {
        &self.written_target
    }

    /// Returns the path of the repository for storage, masked.
    pub fn written_root(&self) -> Option<String> {
        self.root.as_ref().map(|root| self.written("repository", &root.display().to_string()))
    }

    /// Returns a text for a run folder, masked.
    pub(crate) fn written(&self, what: &str, text: &str) -> String {
        self.fresh_session().contract(what, text).into_inner()
    }

    /// Returns the title for storage, masked.
    pub fn written_title(&self) -> Redacted<String> {
        self.fresh_session().contract("target", &self.title())
    }

    /// Returns whether the head of the change is checked out. Blocks.
    pub fn is_checked_out(&self) -> bool {
        let repo = self.root.as_ref().and_then(|root| Repo::open(root).ok());
        let head = repo.and_then(|repo| repo.head_id());
        head.is_some() && head == self.change.head
    }

    /// Returns the title without masking, for the user only.
    pub fn title(&self) -> String {
        self.target.title()
    }

    /// Returns the repository under which reviews are stored. It is empty for a merge request, which is the same with and without a clone.
    pub fn review_home(&self) -> String {
        review_home(self.merge_request.is_some(), self.root.as_deref())
    }

    /// Returns the key of the change for reviews. It is equal for each state of the change and each page that shows it.
    pub fn review_key(&self) -> String {
        review_key(&self.review_home(), &self.written_target.to_string())
    }

    /// Returns the repository's path as the store names it; empty for a patch without a repository.
    pub fn repository_name(&self) -> String {
        review_home(false, self.root.as_deref())
    }
}

fn review_home(is_merge_request: bool, root: Option<&Path>) -> String {
    root.filter(|_| !is_merge_request).map(|root| root.display().to_string()).unwrap_or_default()
}

/// Returns the key of a change from its repository and target as the store names them.
pub fn review_key(review_home: &str, target: &str) -> String {
    format!("{review_home}\n{target}")
}

/// Returns the folders from which no program is run: those of the repository that a change is read from, even if it does not contain the
/// change's commits, and the rooms, which contain copies of its files.
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

/// Plans which files of a change are sent. Blocks.
fn plan_of(repo: Option<&Repo>, tree: Option<&Target>, change: &Change, config: &PrepareConfig) -> Result<Plan> {
    // A patch may belong to any state of its repository, so today's attributes of the repository are not applied to it.
    let attributes = match (repo, tree) {
        (Some(repo), Some(tree)) => repo.attributes(tree, change)?,
        _ => diffsan_change::Attributes::default(),
    };
    diffsan_prepare::plan(change, &attributes, config).map_err(|error| {
        Error::new(ErrorCode::ConfigParseError, error.to_string()).hint("Correct the glob in the [prepare] section.")
    })
}
