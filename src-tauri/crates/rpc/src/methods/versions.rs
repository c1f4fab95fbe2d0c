//! The versions of a change, and the author's edits since one of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::{Table, opened};
use diffsan_app::App;
use diffsan_forge::gitlab::Discussion;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, ErrorCode};
use diffsan_pipeline::open::OpenChange;
use diffsan_review::finding::Side;
use diffsan_versions::{
    CommitRow, ComparedFile, ComparedRemark, Comparison, HiddenLines, Remark, RemarkKind, Verdict, VersionItem,
    VersionRange,
};

/// The maximum number of lines after which a page ends.
const MAX_PAGE_LINES: usize = 5000;

/// Identifies an opened change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct VersionsParams {
    /// The opened change.
    pub change_id: String,
}

/// The known versions of a change, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VersionsView {
    /// The versions.
    pub versions: Vec<VersionItem>,
}

/// Asks for the edits since a version.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SinceParams {
    /// The opened change.
    pub change_id: String,
    /// The version: `last` for the last review, `v3` for the third known version, a commit, or the full ids of its base and its head
    /// as `BASE..HEAD`. Numbers can change when a version is added, ids do not.
    pub since: String,
    /// The later version, named in the same way. The opened one if absent.
    #[serde(default)]
    pub until: Option<String>,
    /// The number of files to skip: those of earlier pages.
    #[serde(default)]
    pub from: u32,
}

/// The edits of the author since a version. Files are sent in pages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SinceView {
    /// The earlier version.
    pub old: VersionRange,
    /// The later version.
    pub new: VersionRange,
    /// The result in one word.
    pub verdict: Verdict,
    /// The result in a sentence.
    pub summary: String,
    /// The number of files with edits.
    pub file_count: u32,
    /// The files of this page. A page ends after 5,000 lines, and has at least one file.
    pub files: Vec<ComparedFile>,
    /// The number of files to skip for the next page. None at the end.
    pub next: Option<u32>,
    /// The lines and files that are not shown.
    pub hidden: HiddenLines,
    /// The commits of both versions. Only in the first page.
    pub commits: Vec<CommitRow>,
    /// The findings of the last review and the threads whose lines the earlier version has. Only in the first page.
    pub remarks: Vec<ComparedRemark>,
}

pub(super) fn register(table: &mut Table) {
    table.async_query("change.versions", "Returns the known versions of a change", |app, params, _| async move {
        let params: VersionsParams = params;
        let handle = opened(&app, &params.change_id)?;
        Ok(VersionsView { versions: app.versions(&handle.opened).await? })
    });
    table.async_query(
        "change.since",
        "Returns the author's edits since a version, without those of the target branch",
        |app, params, ask| async move {
            let params: SinceParams = params;
            let handle = opened(&app, &params.change_id)?;
            let comparing = ask.cancel.run_until_cancelled(app.known_comparison(&handle, params.since, params.until));
            let stopped = || Error::new(ErrorCode::Cancelled, "Comparing the versions was cancelled.");
            let comparison = comparing.await.unwrap_or_else(|| Err(stopped()))?;
            Ok(blocking(move || Ok(page(&app, &handle.opened, &comparison, params.from))).await?)
        },
    );
}

/// Returns the files of a page, and the number of files to skip for the next one. A page ends after [`MAX_PAGE_LINES`] lines, and has
/// at least one file.
pub(super) fn page_of(files: &[ComparedFile], from: u32) -> (Vec<ComparedFile>, Option<u32>) {
    let rest = files.get(from as usize..).unwrap_or_default();
    let mut lines = 0;
    let mut fits = |file: &&ComparedFile| {
        let fits = lines < MAX_PAGE_LINES;
        lines += file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>() + 1;
        fits
    };
    let page: Vec<ComparedFile> = rest.iter().take_while(|file| fits(file)).cloned().collect();
    let next = from.saturating_add(count(page.len()));
    let more = page.len() < rest.len();
    (page, more.then_some(next))
}

pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn page(app: &App, opened: &OpenChange, comparison: &Comparison, from: u32) -> SinceView {
    let (files, next) = page_of(&comparison.files, from);
    SinceView {
        old: comparison.old.clone(),
        new: comparison.new.clone(),
        verdict: comparison.verdict,
        summary: comparison.summary.clone(),
        file_count: count(comparison.files.len()),
        next,
        files,
        hidden: comparison.hidden,
        commits: if from == 0 { comparison.commits.clone().unwrap_or_default() } else { Vec::new() },
        remarks: if from == 0 { remarks(app, opened, comparison) } else { Vec::new() },
    }
}

/// Returns the earlier findings and threads of a comparison. Without the commits that they were written for, there are none.
fn remarks(app: &App, opened: &OpenChange, comparison: &Comparison) -> Vec<ComparedRemark> {
    let Ok(repo) = diffsan_versions::repository(opened) else { return Vec::new() };
    let review = app.latest_review(opened).ok().flatten();
    let mut found = Vec::new();
    if let Some((saved, head)) = review.as_ref().and_then(|saved| Some((saved, saved.output.meta.head_sha.as_ref()?))) {
        let on_head = saved.output.findings.iter().filter(|finding| finding.anchor.side == Side::New);
        found.extend(on_head.filter_map(|finding| {
            let lines = finding.anchor.line_start.zip(finding.anchor.line_end)?;
            let (id, path) = (finding.key.clone(), finding.anchor.path.clone());
            Some(Remark { kind: RemarkKind::Finding, id, commit: head.clone(), path, lines })
        }));
    }
    let threads = opened.merge_request.as_ref().and_then(|request| request.threads.get());
    found.extend(threads.iter().flat_map(|threads| threads.iter()).filter_map(thread));
    diffsan_versions::remarks(&repo, comparison, &found)
}

/// Returns a thread with the lines that it is about. `None` for a general comment, and for one about a removed line.
fn thread(discussion: &Discussion) -> Option<Remark> {
    let position = discussion.notes.iter().find(|note| !note.system)?.position.as_ref()?;
    let text = |name: &str| position[name].as_str().map(str::to_owned);
    let number = |value: &serde_json::Value| value.as_u64().and_then(|line| u32::try_from(line).ok());
    let end = number(&position["new_line"])?;
    let start = number(&position["line_range"]["start"]["new_line"]).unwrap_or(end).min(end);
    Some(Remark {
        kind: RemarkKind::Thread,
        id: discussion.id.clone(),
        commit: text("head_sha")?,
        path: text("new_path")?,
        lines: (start, end),
    })
}
