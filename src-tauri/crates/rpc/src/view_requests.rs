//! Converts merge requests, post plans and tokens to wire types.

use std::collections::HashSet;

use super::registry::Fault;
use super::wire::{
    InterruptedPosting, Lands, NoteView, PieceView, PlanView, RequestItem, RequestView, ThreadView, TokenView,
};
use diffsan_app::post::{Planned, ThreadStatus, thread_statuses};
use diffsan_app::{App, ListedRequest, TokenCheck};
use diffsan_change::Target;
use diffsan_forge::gitlab::Landing;
use diffsan_forge::gitlab::{Approvals, Discussion};
use diffsan_forge::post_plan::{PlannedItem, marks};
use diffsan_pipeline::open::{FetchedRequest, OpenChange, TokenPlace, said};
use diffsan_review::finding::Side;
use diffsan_review::rounds::CodeStatus;
use diffsan_store::secrets::SecretPlace;

pub(super) fn item(ListedRequest { target, relation, request }: ListedRequest) -> RequestItem {
    RequestItem {
        target,
        relation: relation.map(str::to_owned),
        iid: request.iid,
        title: request.title,
        author: request.author.map(|author| author.username),
        source_branch: request.source_branch,
        target_branch: request.target_branch,
        updated_at: request.updated_at,
    }
}

pub(super) fn request(
    app: &App,
    opened: &OpenChange,
    moved: bool,
    approvals: Option<&Approvals>,
) -> Result<RequestView, Fault> {
    let request = diffsan_app::post::request_of(opened)?;
    let Target::MergeRequest { base, iid, .. } = &opened.target else { return Err(Fault::UnknownChange) };
    let interrupted = app.interrupted_posting(&opened.target)?.map(|posting| InterruptedPosting {
        begun_at: posting.begun_at,
        review_id: posting.review_id,
        pieces: u32::try_from(posting.items.len()).unwrap_or(u32::MAX),
        landed: u32::try_from(posting.items.iter().filter(|item| item.state == "landed").count()).unwrap_or(u32::MAX),
    });
    let latest = app.latest_review(opened)?;
    let statuses = thread_statuses(opened, latest.as_ref().map(|kept| &kept.output));
    let discussions = request.threads.get().unwrap_or_default();
    let keys: HashSet<&str> =
        latest.iter().flat_map(|kept| &kept.output.findings).map(|finding| finding.key.as_str()).collect();
    Ok(RequestView {
        base: base.clone(),
        iid: *iid,
        title: request.title.clone(),
        state: request.state.clone(),
        author: request.author.clone(),
        source_branch: request.source_branch.clone(),
        target_branch: request.target_branch.clone(),
        web_url: request.web_url.clone(),
        me: request.me.as_ref().map(|me| me.username.clone()),
        head: request.refs.head_sha.clone(),
        moved,
        approved: approvals.map(|approvals| approvals.user_has_approved),
        note: request.commits.as_ref().map(|why| {
            format!("Its commits could not be fetched into this clone ({why}), so whole files are not at hand.")
        }),
        threads: discussions
            .iter()
            .filter_map(|discussion| thread(opened, request, discussion, statuses.get(&discussion.id), &keys))
            .collect(),
        interrupted,
    })
}

/// Converts a thread that people wrote. Returns `None` for a thread that has only system notes.
fn thread(
    opened: &OpenChange,
    request: &FetchedRequest,
    discussion: &Discussion,
    status: Option<&ThreadStatus>,
    keys: &HashSet<&str>,
) -> Option<ThreadView> {
    let notes: Vec<_> = discussion.notes.iter().filter(|note| !note.system).collect();
    let first = notes.first()?;
    let text = |name: &str| first.position.as_ref()?[name].as_str().map(str::to_owned);
    let number = |name: &str| first.position.as_ref()?[name].as_u64().and_then(|line| u32::try_from(line).ok());
    let path = text("new_path").or_else(|| text("old_path"));
    let current = text("head_sha").as_deref() == Some(request.refs.head_sha.as_str());
    let (side, line) = match (number("new_line"), number("old_line")) {
        (Some(line), _) => (Side::New, Some(line)),
        (None, line) => (Side::Old, line),
    };
    let file = path.as_deref().and_then(|path| {
        let is = |index: usize| {
            let file = &opened.change.files[index];
            file.path().to_text() == path || file.old_path.as_ref().is_some_and(|old| old.to_text() == path)
        };
        opened.plan.order().iter().position(|&index| is(index)).and_then(|at| u32::try_from(at).ok())
    });
    let me = request.me.as_ref().map(|me| me.id);
    let mine = first.author.as_ref().map(|author| author.id) == me && me.is_some();
    let marked = marks::read(&first.body, &request.markers).findings;
    Some(ThreadView {
        id: discussion.id.clone(),
        file,
        path,
        side,
        // The current line of the code, if it is known.
        line: match status.map(|status| status.code) {
            _ if current => line,
            Some(CodeStatus::Moved { line }) => line,
            Some(CodeStatus::Unchanged) => line,
            _ => None,
        },
        outdated: first.position.is_some() && !current,
        resolvable: first.resolvable,
        resolved: first.resolved == Some(true),
        own: mine && !marked.is_empty(),
        finding: marked.into_iter().find(|key| mine && keys.contains(key.as_str())),
        code_status: status.map(|status| status.code),
        offered: status.is_some_and(|status| status.offered),
        notes: notes
            .iter()
            .map(|note| NoteView {
                id: note.id,
                author: note.author.as_ref().map(|author| author.username.clone()).unwrap_or_default(),
                body: said(&note.body),
                created_at: note.created_at.clone(),
            })
            .collect(),
    })
}

pub(super) fn plan(plan_id: String, planned: &Planned) -> PlanView {
    let plan = &planned.plan;
    let there = |key: &str| planned.there.contains(key);
    let piece = |item: &PlannedItem, lands: Lands| PieceView {
        key: item.key.clone(),
        finding: Some(item.key.clone()),
        title: item.title.clone(),
        severity: item.severity.clone(),
        place: item.place.clone(),
        lands,
        body: without_marks(&item.body),
        suggestion: item.suggestion,
        replaced: item.replaced.clone(),
        notes: item.notes.clone(),
        there: there(&item.key),
    };
    let lands = |item: &PlannedItem| match &item.landing {
        Landing::Line { position } if position.line_range.is_some() => Lands::Range,
        Landing::Line { .. } => Lands::Inline,
        Landing::File { .. } => Lands::File,
        Landing::Summary => Lands::InSummary,
    };
    let mut pieces: Vec<PieceView> = plan.items.iter().map(|item| piece(item, lands(item))).collect();
    if let Some(summary) = &plan.summary {
        pieces.extend(summary.folded.iter().map(|item| piece(item, Lands::InSummary)));
        pieces.push(PieceView {
            key: "summary".to_owned(),
            finding: None,
            title: "Summary".to_owned(),
            severity: String::new(),
            place: String::new(),
            lands: if summary.replaces.is_some() { Lands::Replaced } else { Lands::Summary },
            body: without_marks(&summary.body(&[], &planned.markers)),
            suggestion: false,
            replaced: Vec::new(),
            notes: Vec::new(),
            there: there(&summary.key),
        });
    }
    PlanView { plan_id, pieces }
}

/// Removes the markers at the end, which only diffsan reads.
fn without_marks(body: &str) -> String {
    let lines: Vec<&str> = body.lines().filter(|line| !line.starts_with("<!-- diffsan:")).collect();
    lines.join("\n").trim_end().to_owned()
}

pub(super) fn token(found: TokenCheck) -> TokenView {
    TokenView {
        username: found.username,
        scopes: found.scopes,
        expires_at: found.expires_at,
        can_post: found.can_post,
        place: match found.place {
            TokenPlace::Variable(name) => name,
            TokenPlace::Kept(SecretPlace::Keyring) => "the keyring".to_owned(),
            TokenPlace::Kept(SecretPlace::Session) => "this session".to_owned(),
        },
    }
}
