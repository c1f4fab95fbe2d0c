//! Reads earlier comments on a merge request: diffsan's own notes, recognised by their markers, and the threads of all users.

use std::collections::{HashMap, HashSet};

use super::change::OpenChange;
use super::request::FetchedRequest;
use diffsan_change::Fingerprint;
use diffsan_forge::gitlab::{Discussion, Note};
use diffsan_forge::post_plan::OwnNote;
use diffsan_forge::post_plan::marks::{self, EmbeddedFinding, Marks};
use diffsan_prepare::prompt::{Prior, PriorComment, PriorFinding};
use diffsan_review::finding::{AgentFinding, Anchor, AnchorState, Category, Finding, Severity, Side};

/// Returns earlier findings and comments, and the fingerprint of the latest reviewed diff.
pub fn earlier(opened: &OpenChange) -> (Option<Prior>, Option<Fingerprint>) {
    let Some(request) = opened.merge_request.as_deref() else { return (None, None) };
    let (fingerprint, prior) = read(request, &opened.settings.config.gitlab.summary_note_tag);
    ((!prior.is_empty()).then_some(prior), fingerprint)
}

/// Returns all notes of the token's user, oldest first.
pub fn own_notes(request: &FetchedRequest) -> Vec<OwnNote> {
    let discussions = request.threads.get().unwrap_or_default();
    own_comments(request, &discussions).into_iter().map(|(_, note)| note).collect()
}

/// Returns all notes of the token's user with their comments, oldest first.
fn own_comments<'a>(request: &FetchedRequest, discussions: &'a [Discussion]) -> Vec<(&'a Note, OwnNote)> {
    let Some(me) = request.me.as_ref() else { return Vec::new() };
    let own = discussions.iter().flat_map(|discussion| &discussion.notes);
    let own = own.filter(|note| !note.system && note.author.as_ref().is_some_and(|one| one.id == me.id));
    let with_marks = |note: &Note| OwnNote {
        id: note.id,
        body: note.body.clone(),
        marks: marks::read(&note.body, &request.markers),
    };
    let mut own: Vec<_> = own.map(|note| (note, with_marks(note))).collect();
    own.sort_by_key(|(note, _)| note.id);
    own
}

/// Returns the posted findings with their keys, as far as summaries and comments describe them.
pub fn posted_findings(opened: &OpenChange) -> Vec<Finding> {
    let Some(request) = opened.merge_request.as_deref() else { return Vec::new() };
    posted(request, |_| true).into_iter().map(|posted| posted_finding(posted.described, posted.side)).collect()
}

/// A posted finding.
struct Posted {
    described: EmbeddedFinding,
    side: Side,
    is_resolved: bool,
}

/// Returns the posted findings, each once: those of the summaries that `is_wanted` selects, latest first, then those that only their
/// comments describe.
fn posted(request: &FetchedRequest, is_wanted: impl Fn(&Marks) -> bool) -> Vec<Posted> {
    let discussions = request.threads.get().unwrap_or_default();
    let own = own_comments(request, &discussions);
    let mut comments: HashMap<&str, &Note> = HashMap::new();
    for (note, own) in own.iter().filter(|(_, own)| own.marks.review.is_none()) {
        for key in &own.marks.findings {
            comments.entry(key).or_insert(note);
        }
    }
    let digests =
        own.iter().rev().filter(|(_, own)| is_wanted(&own.marks)).filter_map(|(_, own)| own.marks.digest.as_ref());
    let digests = digests.flat_map(|digest| digest.findings.iter().cloned());
    // A digest has a limited number of findings, and a posting may have no summary.
    let marked = own.iter().flat_map(|(_, own)| &own.marks.findings);
    let alone = marked.filter_map(|key| Some(described(key, comments.get(key.as_str())?)));
    let mut known = HashSet::new();
    let each = digests.chain(alone).filter(|finding| known.insert(finding.finding_id.clone()));
    each.map(|mut finding| {
        let comment = comments.get(finding.finding_id.as_str());
        // GitLab moves the position of a comment along with its code, and keeps that of an outdated one.
        let place = comment.and_then(|note| Place::of(note));
        let current = place.as_ref().filter(|place| place.head == request.refs.head_sha);
        if let Some(place) = current {
            (finding.path, finding.line_range) = (place.path.clone(), place.line_range.clone());
        }
        Posted {
            described: finding,
            side: place.map_or(Side::New, |place| place.side),
            is_resolved: comment.is_some_and(|note| note.resolved == Some(true)),
        }
    })
    .collect()
}

/// The place of a comment on a line.
struct Place {
    head: String,
    path: String,
    side: Side,
    line_range: String,
}

impl Place {
    fn of(note: &Note) -> Option<Self> {
        let position = note.position.as_ref()?;
        let (side, line, path) = match position["new_line"].as_u64() {
            Some(line) => (Side::New, line, "new_path"),
            None => (Side::Old, position["old_line"].as_u64()?, "old_path"),
        };
        let name = if side == Side::New { "new_line" } else { "old_line" };
        let start = position["line_range"]["start"][name].as_u64().filter(|start| *start < line);
        Some(Self {
            head: position["head_sha"].as_str()?.to_owned(),
            path: position[path].as_str()?.to_owned(),
            side,
            line_range: start.map_or_else(|| line.to_string(), |start| format!("{start}-{line}")),
        })
    }
}

/// Returns a finding as its comment describes it: `**[category/severity]** Title`, or the beginning of its text.
fn described(key: &str, note: &Note) -> EmbeddedFinding {
    let text = visible_text(&note.body);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let headline = lines.next().unwrap_or_default();
    let (label, title) = headline.strip_prefix("**[").and_then(|rest| rest.split_once("]**")).unwrap_or(("", headline));
    let title = if title.trim().is_empty() { lines.next().unwrap_or_default() } else { title.trim() };
    let place = Place::of(note);
    let on_file = || note.position.as_ref()?["new_path"].as_str().map(str::to_owned);
    EmbeddedFinding {
        finding_id: key.to_owned(),
        severity: label.split_once('/').map(|(_, severity)| severity).unwrap_or_default().to_owned(),
        // Text from outside was escaped.
        title: title.replace('\\', ""),
        path: place.as_ref().map(|place| place.path.clone()).or_else(on_file).unwrap_or_default(),
        line_range: place.map(|place| place.line_range).unwrap_or_default(),
    }
}

fn posted_finding(posted: EmbeddedFinding, side: Side) -> Finding {
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
                side,
                line_start: start,
                line_end: end,
                in_change: false,
                notes: Vec::new(),
            },
        )
    }
}

/// Returns the markers of the posted reviews, latest first.
pub(super) fn posted_reviews(request: &FetchedRequest, tag: &str) -> impl Iterator<Item = Marks> {
    let marks = own_notes(request).into_iter().rev().map(|note| note.marks);
    marks.filter(move |marks| marks.tag.as_deref() == Some(tag))
}

/// Returns the markers of the latest posted review of an opened merge request.
fn latest_posted(opened: &OpenChange) -> Option<Marks> {
    posted_reviews(opened.merge_request.as_deref()?, &opened.settings.config.gitlab.summary_note_tag).next()
}

/// Returns the head commit whose code the latest posted review read.
pub fn last_reviewed_head(opened: &OpenChange) -> Option<String> {
    latest_posted(opened)?.reviewed_head().map(str::to_owned)
}

/// Returns the head commit on which the findings of the latest posted review are placed.
pub fn last_placed_head(opened: &OpenChange) -> Option<String> {
    latest_posted(opened)?.head
}

fn read(request: &FetchedRequest, tag: &str) -> (Option<Fingerprint>, Prior) {
    let own = own_notes(request);
    let summaries: Vec<&OwnNote> = own.iter().rev().filter(|note| marks::has_tag(&note.body, tag)).collect();
    let sealed = || summaries.iter().filter(|note| note.marks.tag.is_some());
    let latest = sealed().next().and_then(|note| note.marks.fingerprint.clone());
    let discussions = request.threads.get().unwrap_or_default();
    let prior = Prior {
        findings: posted(request, |marks| marks.tag.as_deref() == Some(tag)).into_iter().map(prior_finding).collect(),
        summaries: summaries.iter().map(|note| visible_text(&note.body)).filter(|text| !text.is_empty()).collect(),
        comments: discussions.iter().rev().flat_map(comments).collect(),
    };
    (latest, prior)
}

fn prior_finding(posted: Posted) -> PriorFinding {
    let Posted { described: finding, side: _, is_resolved } = posted;
    PriorFinding {
        key: finding.finding_id,
        line: finding.line_range.rsplit('-').next().and_then(|line| line.parse().ok()),
        path: finding.path,
        severity: finding.severity,
        title: finding.title,
        state: if is_resolved { "resolved" } else { "open" }.to_owned(),
        reason: None,
    }
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
