//! Reads earlier comments on a merge request: diffsan's own notes, recognised by their markers, and the threads of all users.

use super::change::OpenChange;
use super::request::FetchedRequest;
use diffsan_change::Fingerprint;
use diffsan_forge::gitlab::Discussion;
use diffsan_forge::post_plan::marks::{self, EmbeddedDigest, EmbeddedFinding, MarkerKeys, Marks};
use diffsan_prepare::prompt::{Prior, PriorComment, PriorFinding};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Finding, Severity, Side};

/// Returns earlier findings and comments, and the fingerprint of the latest reviewed diff.
pub fn earlier(opened: &OpenChange) -> (Option<Prior>, Option<Fingerprint>) {
    let Some(request) = opened.merge_request.as_deref() else { return (None, None) };
    let (fingerprint, prior) = read(request, &opened.settings.config.gitlab.summary_note_tag);
    ((!prior.is_empty()).then_some(prior), fingerprint)
}

/// A comment of the token's user with its markers. Markers in comments of other users are ignored.
#[derive(Clone, Debug)]
pub struct OwnNote {
    /// The number of the note.
    pub id: u64,
    /// The text.
    pub body: String,
    /// The content of its markers.
    pub marks: Marks,
}

/// Returns all notes of the token's user, oldest first.
pub fn own_notes(request: &FetchedRequest) -> Vec<OwnNote> {
    let Some((me, discussions)) = request.me.as_ref().zip(request.threads.get()) else { return Vec::new() };
    let own = discussions.iter().flat_map(|discussion| &discussion.notes);
    let own = own.filter(|note| !note.system && note.author.as_ref().is_some_and(|one| one.id == me.id));
    let mut own: Vec<OwnNote> = own
        .map(|note| OwnNote { id: note.id, body: note.body.clone(), marks: marks::read(&note.body, &request.markers) })
        .collect();
    own.sort_by_key(|note| note.id);
    own
}

/// Returns the findings that the latest posted summary lists, with their keys, as far as the summary describes them.
pub fn posted_findings(opened: &OpenChange) -> Vec<Finding> {
    let Some(request) = opened.merge_request.as_deref() else { return Vec::new() };
    let digest = own_notes(request).into_iter().rev().find_map(|note| note.marks.digest);
    digest.into_iter().flat_map(|digest| digest.findings).map(posted_finding).collect()
}

fn posted_finding(posted: EmbeddedFinding) -> Finding {
    let mut lines = posted.line_range.split('-').map(|line| line.parse::<u32>().ok());
    let start = lines.next().flatten();
    let end = lines.next().flatten().or(start);
    let state = if start.is_some() { AnchorState::Unverified } else { AnchorState::File };
    Finding {
        key: posted.finding_id,
        ..Finding::new(
            AgentFinding {
                title: Some(posted.title),
                ..AgentFinding::new(
                    Severity::Info,
                    Category::Other,
                    posted.path.clone(),
                    (start.unwrap_or(0), end.unwrap_or(0)),
                )
            },
            Anchor {
                state,
                path: posted.path,
                side: Side::New,
                line_start: start,
                line_end: end,
                in_change: false,
                notes: Vec::new(),
            },
        )
    }
}

/// Returns the head of the latest posted review.
pub(super) fn latest_head(request: &FetchedRequest, tag: &str) -> Option<String> {
    own_notes(request).iter().rev().find(|note| note.marks.tag.as_deref() == Some(tag))?.marks.head.clone()
}

/// Returns the head commit of the latest posted review of an opened merge request.
pub fn last_posted_head(opened: &OpenChange) -> Option<String> {
    latest_head(opened.merge_request.as_deref()?, &opened.settings.config.gitlab.summary_note_tag)
}

fn read(request: &FetchedRequest, tag: &str) -> (Option<Fingerprint>, Prior) {
    let own = own_notes(request);
    let summaries: Vec<&OwnNote> = own.iter().rev().filter(|note| marks::has_tag(&note.body, tag)).collect();
    let sealed = || summaries.iter().filter(|note| note.marks.tag.is_some());
    let latest = sealed().next().and_then(|note| note.marks.fingerprint.clone());
    let digest = sealed().find_map(|note| note.marks.digest.clone());
    let discussions = request.threads.get().unwrap_or_default();
    let prior = Prior {
        findings: digest.iter().flat_map(|digest| findings(digest, &discussions, &request.markers)).collect(),
        summaries: summaries.iter().map(|note| visible_text(&note.body)).filter(|text| !text.is_empty()).collect(),
        comments: discussions.iter().rev().flat_map(comments).collect(),
    };
    (latest, prior)
}

/// Returns the findings of the latest review, with the state of their threads.
fn findings<'a>(
    digest: &'a EmbeddedDigest,
    discussions: &'a [Discussion],
    keys: &'a MarkerKeys,
) -> impl Iterator<Item = PriorFinding> + 'a {
    digest.findings.iter().map(move |finding| {
        let thread = discussions.iter().find(|thread| {
            thread
                .notes
                .first()
                .is_some_and(|note| marks::read(&note.body, keys).findings.contains(&finding.finding_id))
        });
        let resolved = thread.is_some_and(|thread| thread.notes.first().and_then(|note| note.resolved) == Some(true));
        PriorFinding {
            key: finding.finding_id.clone(),
            path: finding.path.clone(),
            line: finding.line_range.rsplit('-').next().and_then(|line| line.parse().ok()),
            severity: finding.severity.clone(),
            title: finding.title.clone(),
            state: if resolved { "resolved" } else { "open" }.to_owned(),
            reason: None,
        }
    })
}

/// Returns the comments of a thread on a line, by all authors.
fn comments(discussion: &Discussion) -> Vec<PriorComment> {
    let position = discussion.notes.first().and_then(|note| note.position.as_ref());
    let Some(position) = position else { return Vec::new() };
    let text = |name: &str| position[name].as_str().map(str::to_owned);
    let path = text("new_path").or_else(|| text("old_path")).unwrap_or_default();
    let line = position["new_line"].as_u64().or_else(|| position["old_line"].as_u64());
    let comments = discussion.notes.iter().filter(|note| !note.system).map(|note| PriorComment {
        path: path.clone(),
        line: line.and_then(|line| u32::try_from(line).ok()),
        body: visible_text(&note.body),
        state: if note.resolved == Some(true) { "resolved" } else { "open" }.to_owned(),
    });
    comments.collect()
}

/// Returns the visible text of a note: without markers, and without the folded parts that diffsan adds.
pub fn visible_text(body: &str) -> String {
    let before = body.split("<details><summary><strong>Metadata</strong>").next().unwrap_or_default();
    let lines = before.lines().filter(|line| {
        let line = line.trim();
        !(line.starts_with("<!-- diffsan:") || line.starts_with("<sub>") && line.ends_with("</sub>"))
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
