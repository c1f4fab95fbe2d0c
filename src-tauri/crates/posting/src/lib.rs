//! Posts a plan: every item is posted exactly once, whatever happens meanwhile.
//!
//! The input is a plan and a GitLab client, the output is the result of each item with its address. Each round first
//! lists the comments that exist, which it recognises by their markers, and then sends only the missing ones. A final
//! listing ends the posting. So after a kill, a lost connection, an error after the write or a second click, nothing is
//! missing and nothing is posted twice: the next round finds the posted comments. The journal records each request
//! before it is sent. The verdict comes last, after every comment is posted.

mod delivery;
mod drafts;
mod planning;
mod posted;
mod rounds;
mod send;
mod types;
mod verdict;

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use tokio_util::sync::CancellationToken;

use diffsan_config::PostingWay;
use diffsan_forge::gitlab::{Client, GitlabError, MergeRequest, Person, ServerVersion};
use diffsan_forge::post_plan::{MarkerKeys, PostPlan};
use diffsan_pipeline::error::{Error, ErrorCode, Result, gitlab_error, to_json};
use diffsan_review::rounds::short_digest;
use diffsan_store::files::artifacts::now;
use diffsan_store::files::places::make_private_folder;
use diffsan_store::{PostingPlace, Store, StoredPostingItem};

pub use delivery::DeliveryMethod;
pub use planning::request_of;
pub use planning::{
    FindingElsewhere, PlanOptions, Planned, has_moved, plan_posting, plan_verdict, read_review, relocate_review,
};
use posted::{PostedComments, look};
pub use rounds::{ThreadStatus, thread_statuses};
use types::PostingProgress;
pub use types::{ItemResult, ItemState, PostEvent, PostOutcome};
pub use verdict::{PostVerdict, VerdictResult, VerdictState, VerdictStatus};

/// The maximum number of rounds that send missing items.
const ROUNDS: u32 = 6;
/// The maximum number of simultaneous requests.
const AT_ONCE: usize = 5;
/// The maximum time to wait for another posting to the same merge request.
const OTHER_POSTING_TIMEOUT: Duration = Duration::from_secs(120);
/// The key of the verdict in the journal, beside the keys of the comments.
pub const VERDICT: &str = "verdict";
/// The time after a stop in which requests that were sent may still be answered.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximum wait before a round.
const LONGEST_WAIT: Duration = Duration::from_secs(90);

/// The input of a posting.
pub struct PostRequest<'a> {
    /// The GitLab client of the user who becomes the author of the comments.
    pub client: &'a Client,
    /// The address of the GitLab server.
    pub host: &'a str,
    /// The path of the project.
    pub project: &'a str,
    /// The number of the merge request.
    pub iid: u64,
    /// The plan that was shown.
    pub plan: &'a PostPlan,
    /// The keys that seal the markers of this merge request.
    pub markers: &'a MarkerKeys,
    /// The id of the posted review, if the review is saved.
    pub review_id: Option<&'a str>,
    /// The way in which comments become public.
    pub mode: PostingWay,
    /// Whether a finding whose line GitLab rejects is posted to its file or in the summary without asking.
    pub degrade: bool,
    /// The verdict to give after the comments.
    pub verdict: PostVerdict,
}

/// The environment of a posting: journal, locks, cancellation and events.
pub struct PostingContext<'a> {
    /// The store, which contains the journal.
    pub store: &'a Store,
    /// The folder for lock files.
    pub locks: &'a Path,
    /// Stops the posting between two requests.
    pub cancel: &'a CancellationToken,
    /// Receives the events.
    pub notify: &'a (dyn Fn(PostEvent) + Send + Sync),
    /// The first wait between two rounds. Each further wait is twice as long.
    pub pause: Duration,
}

/// A running posting.
struct Posting<'a> {
    request: &'a PostRequest<'a>,
    context: &'a PostingContext<'a>,
    journal: i64,
    board: PostingProgress,
    me: Person,
    /// The version of the server, if it is known.
    version: Option<ServerVersion>,
    /// The waits before the following rounds.
    waits: ExponentialBackoff,
    /// The numbers of the drafts that this posting created.
    created: HashSet<u64>,
}

/// Posts the items of the plan that are not posted yet. After a stop, no request is waited for longer than [`STOP_TIMEOUT`].
pub async fn post(request: &PostRequest<'_>, context: &PostingContext<'_>) -> Result<PostOutcome> {
    let stop = CancellationToken::new();
    let client = request.client.clone().with_stop(stop.clone());
    let request = PostRequest { client: &client, ..*request };
    let mut posting = pin!(post_until_stopped(&request, context));
    let stopping = async {
        context.cancel.cancelled().await;
        tokio::time::sleep(STOP_TIMEOUT).await;
    };
    tokio::select! {
        outcome = &mut posting => return outcome,
        () = stopping => stop.cancel(),
    }
    // Its requests end now. It still records the result of each item.
    posting.await
}

async fn post_until_stopped(request: &PostRequest<'_>, context: &PostingContext<'_>) -> Result<PostOutcome> {
    let _lock = lock(request, context).await?;
    let version = request.client.version().await;
    let (me, token) = tokio::join!(request.client.user(), request.client.token());
    let me = me.map_err(posting_error)?;
    // Check the scopes before anything is written.
    if let Ok(Some(token)) = token
        && !token.scopes.is_empty()
        && !token.scopes.iter().any(|scope| scope == "api")
    {
        let message = format!("The token cannot post: its scopes are {}.", token.scopes.join(", "));
        return Err(Error::new(ErrorCode::GitlabAuthError, message)
            .hint("Create a token with the scope api, then save it with `diffsan secret set`.")
            .with("host", request.host));
    }
    let merge_request = current(request).await?;
    if request.verdict != PostVerdict::Comment {
        let status =
            VerdictStatus::read(request.client, request.project, &merge_request, &me).await.map_err(posting_error)?;
        status.check(request.verdict)?;
    }
    let place = PostingPlace { host: request.host, project: request.project, iid: request.iid };
    let plan = to_json(request.plan)?;
    let journal = context.store.begin_posting(place, request.review_id, &plan, &now())?;
    let board = PostingProgress::new(request.plan, merge_request.web_url.clone());
    let waits = ExponentialBuilder::new()
        .with_min_delay(context.pause)
        .with_max_delay(LONGEST_WAIT)
        .without_max_times()
        .with_jitter()
        .build();
    let mut posting = Posting { request, context, journal, board, me, version, waits, created: HashSet::new() };
    let delivery = posting.run().await;
    let verdict = if delivery.is_ok() { posting.give_verdict().await } else { None };
    // The posting has ended, so it is not recorded as interrupted, whatever its result is.
    let ended = context.store.end_posting(journal, &now());
    // The comments are posted even if this cannot be recorded. The next posting finds them by their markers.
    let journal_error = ended.err().map(|error| Error::from(error).info());
    Ok(PostOutcome { journal_error, ..posting.board.outcome(delivery?, verdict) })
}

impl Posting<'_> {
    async fn run(&mut self) -> Result<DeliveryMethod> {
        let (client, project, iid) = (self.request.client, self.request.project, self.request.iid);
        let mut delivery = DeliveryMethod::unknown();
        for round in 0..=ROUNDS {
            self.step("Checking for comments that are already posted");
            let landed = match look(client, project, iid, &self.me, self.request.plan, self.request.markers).await {
                Ok(landed) => landed,
                Err(error) if round == 0 => return Err(posting_error(error)),
                Err(error) => {
                    self.board.stop(&posting_error(error));
                    return Ok(delivery);
                }
            };
            self.found(&landed, round == 0);
            self.clear_copies(&landed).await;
            let missing = self.board.missing();
            let summary = self.board.summary_missing(self.request.plan, &landed);
            if missing.is_empty() && !summary || self.board.stopped() || round == ROUNDS {
                break;
            }
            if round == 0 {
                delivery = self.choose_delivery(&missing).await;
                let words = delivery.reason.clone();
                self.step(&words);
            } else {
                self.wait("Some comments were not posted").await;
                // The head may have moved between two rounds. Nothing is posted to a state that nobody reviewed.
                if let Err(error) = current(self.request).await {
                    self.board.stop(&error);
                    break;
                }
            }
            if self.context.cancel.is_cancelled() {
                self.board.stop(&stopped());
                break;
            }
            if missing.is_empty() {
                self.send_summary(&landed).await;
            } else if delivery.drafts {
                self.send_as_drafts(&missing, &delivery, &landed).await;
            } else {
                self.send_discussions(&missing.iter().collect::<Vec<_>>()).await;
            }
        }
        // Remove drafts that must not be published any more, such as those of comments that are already public.
        self.own_drafts().await;
        Ok(delivery)
    }

    /// Waits before a round, if something failed temporarily.
    async fn wait(&mut self, failure: &str) {
        let Some(asked) = self.board.take_wait() else { return };
        let own = self.waits.next().unwrap_or(LONGEST_WAIT);
        let wait = asked.unwrap_or(own).max(own).min(LONGEST_WAIT);
        self.step(&format!("{failure}; retrying in {} s", wait.as_secs_f64().ceil()));
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = self.context.cancel.cancelled() => {}
        }
    }

    /// Records the comments that a listing found, in the progress and in the journal.
    fn found(&mut self, landed: &PostedComments, first: bool) {
        for (key, note) in self.board.settle(self.request.plan, landed, first) {
            self.journal(&key, "landed", Some(note), None);
            self.notify_item(&key);
        }
    }

    /// Deletes comments that were posted twice and that nobody answered. Causes are a late write, or another machine
    /// that posted at the same time.
    async fn clear_copies(&mut self, landed: &PostedComments) {
        for note in &landed.copies {
            // The next posting finds a copy that cannot be deleted now.
            let _ = self.request.client.delete_note(self.request.project, self.request.iid, *note).await;
        }
    }

    fn step(&self, message: &str) {
        (self.context.notify)(PostEvent::Step { message: message.to_owned() });
    }

    /// Reports which comment of a step is next, if there is one.
    fn progress(&self, doing: &str, done: usize, all: usize) {
        if done < all {
            let message = format!("{doing} {} of {all} comments", done + 1);
            (self.context.notify)(PostEvent::Progress { message });
        }
    }

    /// Records in the journal that an item is about to be sent, and reports it.
    fn sending(&self, key: &str) {
        self.journal(key, "sending", None, None);
        self.notify_item_as(key, ItemState::Sending);
    }

    /// Reports a temporary state of an item. The stored state does not change.
    fn notify_item_as(&self, key: &str, state: ItemState) {
        if let Some(item) = self.board.get(key) {
            (self.context.notify)(PostEvent::Item { item: Box::new(ItemResult { state, ..item.clone() }) });
        }
    }

    fn notify_item(&self, key: &str) {
        if let Some(item) = self.board.get(key) {
            (self.context.notify)(PostEvent::Item { item: Box::new(item.clone()) });
        }
    }

    /// Writes to the journal. An error must not stop a started posting, because the markers contain the same
    /// information.
    fn journal(&self, key: &str, state: &str, note: Option<u64>, detail: Option<String>) {
        let item = StoredPostingItem { key: key.to_owned(), state: state.to_owned(), note, detail };
        // Without the entry, the markers tell the next posting that the comment exists.
        let _ = self.context.store.save_posting_item(self.journal, &item, &now());
    }
}

/// Returns the merge request if the plan is still valid for it.
async fn current(request: &PostRequest<'_>) -> Result<MergeRequest> {
    let found = request.client.merge_request(request.project, request.iid).await.map_err(posting_error)?;
    let refs = found.diff_refs.clone().unwrap_or_default();
    let planned = &request.plan.refs;
    if refs.head_sha == planned.head_sha && refs.base_sha == planned.base_sha {
        return Ok(found);
    }
    let short = |sha: &str| sha.chars().take(10).collect::<String>();
    let message = if refs.head_sha.is_empty() {
        "GitLab is still computing the diff of this merge request. Nothing more was posted.".to_owned()
    } else {
        format!(
            "The merge request has changed: the review is of {}, but the head is now {}. Nothing more was posted.",
            short(&planned.head_sha),
            short(&refs.head_sha)
        )
    };
    Err(Error::new(ErrorCode::GitlabHeadMoved, message)
        .hint("Place the findings on the new head, or review the new commits.")
        .with("planned_head", planned.head_sha.clone())
        .with("current_head", refs.head_sha))
}

fn stopped() -> Error {
    Error::new(ErrorCode::Cancelled, "The posting was stopped.").hint("Post again: comments are never posted twice.")
}

/// Locks the merge request, so that only one process with this data folder posts to it at a time. The lock is held
/// until the file is dropped.
async fn lock(request: &PostRequest<'_>, context: &PostingContext<'_>) -> Result<File> {
    let refused = |error: std::io::Error| {
        Error::new(ErrorCode::IoFailed, format!("The lock file for the posting cannot be created: {error}."))
            .hint("Check that the data folder is writable.")
    };
    make_private_folder(context.locks).map_err(refused)?;
    // The digest keeps the name short: a path of a project may be longer than the name of a file.
    let name = short_digest([request.host, request.project, &request.iid.to_string()]);
    let file = File::create(context.locks.join(format!("{name}.lock"))).map_err(refused)?;
    let begun = std::time::Instant::now();
    let mut notified = false;
    while file.try_lock().is_err() {
        if !notified {
            notified = true;
            (context.notify)(PostEvent::Step { message: "Waiting for another posting to this merge request".into() });
        }
        if context.cancel.is_cancelled() {
            return Err(stopped());
        }
        if begun.elapsed() > OTHER_POSTING_TIMEOUT {
            return Err(Error::new(ErrorCode::Busy, "Another posting to this merge request is still running.")
                .hint("Wait until it has ended, then post again. Comments are never posted twice."));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(file)
}

/// Converts an error of the GitLab client, with a hint.
pub fn posting_error(error: GitlabError) -> Error {
    let (code, hint) = match &error {
        GitlabError::Unauthorized(_) => (
            ErrorCode::GitlabAuthError,
            "Create a new token with the scope api, save it with `diffsan secret set`, then post again. Comments \
             are never posted twice.",
        ),
        GitlabError::Forbidden(_) => (
            ErrorCode::GitlabAuthError,
            "Posting needs a token with the scope api from a user who may comment. The discussion may also be \
             locked, or the project archived.",
        ),
        GitlabError::NotFound(_) => (
            ErrorCode::GitlabPostFailed,
            "Check that the merge request exists and that the token's user has access to it.",
        ),
        GitlabError::Position(_) => (ErrorCode::GitlabPositionInvalid, "Post it on the file or in the summary."),
        GitlabError::Settings(_) => (ErrorCode::ConfigParseError, "Correct the address."),
        GitlabError::Stopped => return stopped(),
        _ => (ErrorCode::GitlabPostFailed, "Post again: only the missing comments are sent."),
    };
    gitlab_error(&error, code, hint)
}
