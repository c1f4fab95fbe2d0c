//! Places and follows the comments of a set as the program does, and counts the results. `tests/fixtures/comments/README.md` describes sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use diffsan_app::{App, AppOptions};
use diffsan_change::{Hunk, Target};
use diffsan_pipeline::open::{OpenChange, OpenRequest, Source};
use diffsan_pipeline::review::{ClaimCheck, lines_at, place_answers, relocate};
use diffsan_review::ReviewMeta;
use diffsan_review::finding::{AgentFinding, AnchorState, Finding, Side, Verdict};
use diffsan_review::rounds::CodeStatus;
use serde::Deserialize;
use serde_json::json;

/// The error of wrong line numbers, in lines.
const SHIFT: u32 = 7;

/// A recorded comment.
#[derive(Deserialize)]
struct Comment {
    id: String,
    repository: PathBuf,
    base: String,
    head: String,
    path: String,
    side: Side,
    line_start: u32,
    line_end: u32,
    quote: Option<String>,
    body: String,
    claim: Option<bool>,
    #[serde(default)]
    later: Vec<Later>,
}

/// The change after a push.
#[derive(Deserialize)]
struct Later {
    name: String,
    base: String,
    head: String,
    place: Option<Place>,
}

#[derive(Deserialize)]
struct Place {
    path: String,
    line_start: u32,
    line_end: u32,
}

/// The results of one kind.
#[derive(Clone, Default)]
pub struct Count {
    /// All comments of the kind.
    pub all: usize,
    /// Those at exactly their lines; claims with the right verdict.
    pub right: usize,
    /// Those at other lines that are called certain; claims with the wrong verdict.
    pub wrong: usize,
    examples: Vec<String>,
}

impl Count {
    fn add(&mut self, right: bool, wrong: bool, example: impl FnOnce() -> String) {
        self.all += 1;
        self.right += usize::from(right);
        self.wrong += usize::from(wrong);
        if !right {
            self.examples.push(example());
        }
    }
}

/// The results of a set.
#[derive(Default)]
pub struct Measured {
    pub comments: usize,
    /// Comments on lines that the change does not contain.
    pub not_commentable: usize,
    /// By form: `recorded`, `no numbers`, `wrong numbers`.
    pub placed: BTreeMap<&'static str, Count>,
    /// By push.
    pub followed: BTreeMap<String, Count>,
    /// The claims whose truth is known.
    pub claims: Count,
    /// All claims, and those that were checked.
    pub stated: usize,
    pub checked: usize,
}

impl Measured {
    pub fn print(&self, title: &str, examples: usize) {
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        println!("{title}: {} comments, {} of them on lines outside the change", self.comments, self.not_commentable);
        let row = |name: &str, count: &Count| {
            println!(
                "  {name:<32} {:>5} {:>7.2} % exact {:>4} wrong",
                count.all,
                share(count.right, count.all),
                count.wrong
            );
            count.examples.iter().take(examples).for_each(|example| println!("    {example}"));
        };
        self.placed.iter().for_each(|(form, count)| row(&format!("placed, {form}"), count));
        self.followed.iter().for_each(|(push, count)| row(&format!("followed, {push}"), count));
        println!("  claims: {} of {} checked ({:.2} %)", self.checked, self.stated, share(self.checked, self.stated));
        if self.claims.all > 0 {
            row("verdicts on known claims", &self.claims);
        }
    }
}

/// The opened changes of a set.
struct Set {
    app: Arc<App>,
    folder: PathBuf,
    work: tempfile::TempDir,
    opened: BTreeMap<(PathBuf, String, String), Arc<OpenChange>>,
}

/// Measures the set in a folder.
pub fn measure(folder: &Path) -> Measured {
    let work = tempfile::tempdir().expect("a folder");
    let (data, config) = (work.path().join("data"), work.path().join("config"));
    let options = AppOptions { data_dir: Some(data), config_dir: Some(config), ..AppOptions::default() };
    let app = App::start(options).expect("the application");
    let mut set = Set { app, folder: folder.to_owned(), work, opened: BTreeMap::new() };
    let text = std::fs::read_to_string(folder.join("comments.jsonl")).expect("comments.jsonl");
    let mut measured = Measured::default();
    for (line, number) in text.lines().zip(1..) {
        let comment: Comment = serde_json::from_str(line).unwrap_or_else(|error| panic!("line {number}: {error}"));
        set.add(&comment, &mut measured);
    }
    measured
}

impl Set {
    fn open(&mut self, repository: &Path, base: &str, head: &str) -> Arc<OpenChange> {
        let known = (repository.to_owned(), base.to_owned(), head.to_owned());
        if let Some(opened) = self.opened.get(&known) {
            return Arc::clone(opened);
        }
        let path = self.folder.join(repository);
        let folder = if path.is_dir() { path } else { self.cloned(&path) };
        let request = OpenRequest {
            source: Source::Repository(folder),
            target: Target::Range { base: base.to_owned(), head: head.to_owned(), merge_base: false },
            overrides: Vec::new(),
            since: None,
            trusted: false,
            selected: None,
        };
        let opened = self.app.open(request).unwrap_or_else(|error| panic!("{base}..{head}: {error}")).opened;
        self.opened.insert(known, Arc::clone(&opened));
        opened
    }

    fn cloned(&self, bundle: &Path) -> PathBuf {
        let clone = self.work.path().join(bundle.file_name().expect("a name")).with_extension("git");
        if !clone.exists() {
            let cloned = Command::new("git")
                .args(["-c", "init.defaultBranch=main", "clone", "-q", "--bare"])
                .arg(bundle)
                .arg(&clone)
                .status();
            assert!(cloned.expect("git").success(), "{}", bundle.display());
        }
        clone
    }

    fn add(&mut self, comment: &Comment, measured: &mut Measured) {
        measured.comments += 1;
        let opened = self.open(&comment.repository, &comment.base, &comment.head);
        if !is_commentable(comment, &opened) {
            measured.not_commentable += 1;
            return;
        }
        let recorded = finding(comment, &opened);
        let placed = place(&opened, recorded.clone(), Some(ClaimCheck::default()));
        count_place(comment, "recorded", &placed, measured);
        count_claims(comment, &placed, measured);
        let no_numbers = AgentFinding { line_start: 0, line_end: 0, ..recorded.clone() };
        count_place(comment, "no numbers", &place(&opened, no_numbers, None), measured);
        let (start, end) = (recorded.line_start + SHIFT, recorded.line_end + SHIFT);
        let wrong_numbers = AgentFinding { line_start: start, line_end: end, ..recorded };
        count_place(comment, "wrong numbers", &place(&opened, wrong_numbers, None), measured);
        for later in &comment.later {
            let now = self.open(&comment.repository, &later.base, &later.head);
            let meta = meta(&opened);
            let mut session = now.prepared().session();
            let moved = relocate(&now, Some(&meta), std::slice::from_ref(&placed), &mut session).remove(0);
            let is_sure = matches!(moved.status, CodeStatus::Unchanged | CodeStatus::Moved { .. });
            let is_there = later.place.as_ref().is_some_and(|place| {
                let path = side_path(&now, &moved.finding);
                (path == place.path)
                    && is_at(&moved.finding, &moved.finding.anchor.path, (place.line_start, place.line_end))
                    && moved.finding.anchor.side == comment.side
            });
            let right = if later.place.is_some() { is_there && is_sure } else { !is_sure };
            let count = measured.followed.entry(later.name.clone()).or_default();
            count.add(right, is_sure && !is_there, || {
                format!("{}: {:?} {:?}", comment.id, moved.status, moved.finding.anchor)
            });
        }
    }
}

/// Returns whether a forge accepts a comment on the lines: the change contains the last one.
fn is_commentable(comment: &Comment, opened: &OpenChange) -> bool {
    let path = |file: &diffsan_change::FileChange| {
        let path = if comment.side == Side::Old { &file.old_path } else { &file.new_path };
        path.as_ref().is_some_and(|path| path.to_text() == comment.path)
    };
    let file = opened.change.files.iter().find(|file| path(file));
    let mut lines = file.into_iter().flat_map(|file| file.hunks()).flat_map(Hunk::numbered);
    lines.any(|line| (if comment.side == Side::Old { line.old } else { line.new }) == Some(comment.line_end))
}

/// Returns the path of a finding's file on its side. An anchor has the current path on both sides.
fn side_path(opened: &OpenChange, finding: &Finding) -> String {
    let anchor = &finding.anchor;
    let mut files = opened.change.files.iter().filter(|_| anchor.side == Side::Old);
    let file = files.find(|file| file.path().to_text() == anchor.path);
    let old = file.and_then(|file| file.old_path.as_ref());
    old.map_or_else(|| anchor.path.clone(), |path| path.to_text().into_owned())
}

fn finding(comment: &Comment, opened: &OpenChange) -> AgentFinding {
    let mut session = opened.prepared().session();
    let lines = comment.line_start..=comment.line_end;
    let quote = comment.quote.clone().or_else(|| lines_at(opened, &comment.path, comment.side, lines, &mut session));
    let value = json!({
        "severity": "low", "category": "other", "path": comment.path, "line_start": comment.line_start, "line_end": comment.line_end,
        "side": comment.side, "quote": quote, "body_markdown": comment.body,
    });
    serde_json::from_value(value).expect("a finding")
}

fn place(opened: &OpenChange, finding: AgentFinding, check: Option<ClaimCheck>) -> Finding {
    let mut session = opened.prepared().session();
    place_answers(opened, vec![("reviewer".to_owned(), vec![finding])], check, &mut session).remove(0)
}

fn is_at(finding: &Finding, path: &str, (start, end): (u32, u32)) -> bool {
    let anchor = &finding.anchor;
    anchor.path == path && (anchor.line_start, anchor.line_end) == (Some(start), Some(end))
}

fn count_place(comment: &Comment, form: &'static str, placed: &Finding, measured: &mut Measured) {
    let anchor = &placed.anchor;
    let right = is_at(placed, &comment.path, (comment.line_start, comment.line_end)) && anchor.side == comment.side;
    let is_sure = matches!(anchor.state, AnchorState::Verified | AnchorState::Moved);
    let count = measured.placed.entry(form).or_default();
    count.add(right, is_sure && !right, || format!("{}: {anchor:?}", comment.id));
}

fn count_claims(comment: &Comment, placed: &Finding, measured: &mut Measured) {
    // The other claims are about the quote and about the names in the text.
    let stated: Vec<_> = placed.claims.iter().filter(|claim| !claim.claim.ends_with(" is there")).collect();
    measured.stated += stated.len();
    measured.checked += stated.iter().filter(|claim| claim.verdict != Verdict::Unchecked).count();
    if let Some(truth) = comment.claim {
        let expected = if truth { Verdict::Verified } else { Verdict::Contradicted };
        let verdict = placed.verdict;
        let wrong = verdict != expected && verdict != Verdict::Unchecked;
        measured.claims.add(verdict == expected, wrong, || format!("{}: {verdict:?} {:?}", comment.id, placed.claims));
    }
}

/// Returns the facts of an earlier review that following needs: its commits.
fn meta(opened: &OpenChange) -> ReviewMeta {
    let value = json!({
        "fingerprint": opened.fingerprint, "agent": "reviewer", "model": null, "token_usage": null, "truncated": false,
        "timings": { "fetch_ms": 0, "prepare_ms": 0, "agent_ms": 0, "total_ms": 0 }, "redaction_found": false,
        "base_sha": opened.change.base, "head_sha": opened.change.head, "coverage": "", "attempts": 1, "batches": 1, "read_as": "strict",
    });
    serde_json::from_value(value).expect("facts")
}
