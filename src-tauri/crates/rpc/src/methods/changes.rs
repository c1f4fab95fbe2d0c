//! Opens changes, and returns their files, pictures and definitions.

use std::path::PathBuf;

use base64::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::{HunkPage, file_at, first_page};
use super::merge_requests::{RequestView, opened_request};
use super::program::Done;
use super::reviews::{CurrentReview, ReviewView, current_review};
use super::trust::{TrustView, trust_view};
use crate::registry::{Fault, Table, opened};
use diffsan_app::{App, ChangeHandle, ChangeRequest, InterruptedRun, ReviewScope, Viewed, image_type};
use diffsan_change::{FileChange, Status, Target};
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::OpenChange;
use diffsan_prepare::types::IgnoreReason;
use diffsan_review::finding::Side;
use diffsan_syntax::outline::Symbol;

/// Asks for an image.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ImageParams {
    /// The opened change.
    pub change_id: String,
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The side of the change.
    pub side: Side,
}

/// An image.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImageView {
    /// The image as a `data:` address. None if that side has no image.
    pub data: Option<String>,
    /// The size in bytes.
    pub bytes: u64,
}

/// A definition that the change touches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolView {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// The definition.
    #[serde(flatten)]
    pub symbol: Symbol,
}

/// The definitions that a change touches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolsView {
    /// The definitions, in the order of the files.
    pub symbols: Vec<SymbolView>,
}

/// A hunk, or a whole file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewedMark {
    /// Index into `ChangeView.files`.
    pub file: u32,
    /// Index of the hunk. All hunks of the file if absent.
    #[serde(default)]
    pub hunk: Option<u32>,
}

/// Marks hunks or files as viewed or not viewed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ViewedParams {
    /// The opened change.
    pub change_id: String,
    /// The hunks and files.
    pub marks: Vec<ViewedMark>,
    /// Whether they are marked as viewed or as not viewed.
    pub viewed: bool,
}

/// Whether a change differs from the opened one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MovedView {
    /// Whether it differs.
    pub moved: bool,
}

/// A patch without a file, such as a pasted one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PatchParams {
    /// The name of the patch.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The place where a patch was saved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PatchView {
    /// The path of its file.
    pub path: String,
}

/// Identifies a change of a repository.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ChangeParams {
    /// The repository's path.
    pub repo: String,
    /// The change.
    pub target: Target,
    /// A commit that was already reviewed: only the changes since then are sent.
    #[serde(default)]
    pub since: Option<String>,
    /// The review to show with the change. The latest one if absent.
    #[serde(default)]
    pub review_id: Option<String>,
    /// The part of the change that is sent. As the settings say if absent.
    #[serde(default)]
    pub scope: Option<ReviewScope>,
    /// Whether a merge request is read from its server, also if the inbox has fetched it.
    #[serde(default)]
    pub current: bool,
}

/// An opened change. `change.hunks` returns its lines.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeView {
    /// The id of the opened change, for later calls.
    pub change_id: String,
    /// The title for display.
    pub title: String,
    /// The target under which the change is saved. It names the current branch explicitly, so that it stays the same
    /// when another branch is checked out.
    pub target: Target,
    /// Identifies the change in the events of `review.follow`. It is equal for each state of the change.
    pub review_key: String,
    /// The SHA-256 of the raw diff. Equal content has an equal value.
    pub fingerprint: String,
    /// The abbreviated base commit.
    pub base: Option<String>,
    /// The abbreviated head commit.
    pub head: Option<String>,
    /// The number of added lines.
    pub added: u32,
    /// The number of removed lines.
    pub removed: u32,
    /// The files, ordered by their importance for a reviewer.
    pub files: Vec<FileView>,
    /// Whether whole files can be shown, which needs a repository that contains them.
    pub whole_files: bool,
    /// The first hunks, so that the diff appears at once. `change.hunks` returns more.
    pub first: HunkPage,
    /// The latest saved review of this change.
    pub review: Option<ReviewView>,
    /// Facts about the merge request, if the change is one.
    pub request: Option<RequestView>,
    /// The interrupted runs of this change (the program ended or the machine stopped), latest first.
    pub interrupted: Vec<InterruptedRun>,
    /// The requests of the repository that need trust. None if there are none.
    pub trust: Option<TrustView>,
}

/// A file of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileView {
    /// The current path; for a deleted file, the old path.
    pub path: String,
    /// The previous path, if it differs.
    pub old_path: Option<String>,
    /// `added`, `deleted`, `modified`, `renamed`, `copied`, `type_changed`, `unmerged`.
    pub status: String,
    /// Notes for display: `mode 100644 → 100755`, `symlink`, `submodule a1b2 → c3d4`, `binary`, `92% similar`; often
    /// empty.
    pub notes: Vec<String>,
    /// The number of added lines.
    pub added: u32,
    /// The number of removed lines.
    pub removed: u32,
    /// The number of hunks.
    pub hunks: u32,
    /// The number of lines in all hunks.
    pub lines: u32,
    /// Whether the file has no lines because its content is binary.
    pub binary: bool,
    /// Why the file is not sent to an agent, if it is not.
    pub ignored: Option<String>,
    /// Whether the file is an image that can be shown.
    pub image: bool,
    /// The indices of the hunks that the reviewer has viewed, in this round or an earlier one; 0 for a file without
    /// hunks.
    pub viewed: Vec<u32>,
}

/// Identifies an opened change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ChangeIdParams {
    /// The opened change.
    pub change_id: String,
}

pub(super) fn register(table: &mut Table) {
    table.async_query("change.open", "Opens a change", |app, params: ChangeParams, ask| async move {
        let repo = Some(params.repo).filter(|path| !path.is_empty()).map(PathBuf::from);
        let ChangeParams { target, since, scope, current, .. } = params;
        let request = ChangeRequest { repo, target, since, scope, current };
        let handle = app.open_change(request, &ask.cancel).await?;
        handle.opened.pin(params.review_id);
        Ok(blocking(move || change_view(&app, &handle)).await?)
    });
    table.query("change.image", "Returns the image on one side of a file", |app, params: ImageParams| {
        let handle = opened(app, &params.change_id)?;
        let image = app.image(&handle.opened, file_at(&handle, params.file)?, params.side)?;
        let data = image.as_ref().map(|image| {
            format!(
                "data:{};base64,{}",
                image.media_type,
                base64::engine::general_purpose::STANDARD.encode(&image.bytes)
            )
        });
        Ok(ImageView { data, bytes: image.map_or(0, |image| image.bytes.len() as u64) })
    });
    table.query("change.symbols", "Returns the definitions that a change touches", |app, params: ChangeIdParams| {
        let handle = opened(app, &params.change_id)?;
        let symbols = app.symbols(&handle.opened).into_iter().map(|(file, symbol)| SymbolView { file, symbol });
        Ok(SymbolsView { symbols: symbols.collect() })
    });
    table.async_query(
        "change.reading",
        "Returns the lines without a new meaning, and a reading order",
        |app, params: ChangeIdParams, _| async move {
            let handle = opened(&app, &params.change_id)?;
            Ok(blocking(move || Ok(app.folds_and_order(&handle.opened))).await?)
        },
    );
    table.query("change.overview", "Returns the description and the commits", |app, params: ChangeIdParams| {
        Ok(app.overview(&opened(app, &params.change_id)?.opened)?)
    });
    table.query("change.owners", "Returns the owners of the files", |app, params: ChangeIdParams| {
        Ok(app.owners(&opened(app, &params.change_id)?.opened))
    });
    table.method("change.viewed", "Marks hunks or files as viewed", |app, params: ViewedParams| {
        let handle = opened(app, &params.change_id)?;
        let marks = params.marks.iter().map(|mark| Ok((file_at(&handle, mark.file)?, mark.hunk)));
        let marks = marks.collect::<Result<Vec<_>, Fault>>()?;
        app.set_viewed(&handle.opened, &marks, params.viewed)?;
        Ok(Done {})
    });
    table.query(
        "change.has_changed",
        "Returns whether a change differs from the opened one",
        |app, params: ChangeIdParams| {
            let handle = app.change(&params.change_id).ok_or(Fault::UnknownChange)?;
            Ok(MovedView { moved: app.has_moved(&handle.opened)? })
        },
    );
    table.method("patch.save", "Saves a patch that has no file", |app, params: PatchParams| {
        let path = app.save_patch(&params.name, &params.text)?;
        Ok(PatchView { path: path.display().to_string() })
    });
}

pub(super) fn change_view(app: &App, handle: &ChangeHandle) -> Result<ChangeView> {
    let opened = &handle.opened;
    let counts = opened.change.line_counts();
    let CurrentReview { review, interrupted } = current_review(app, opened)?;
    let viewed = app.viewed(opened)?;
    let short = |id: &Option<String>| id.as_ref().map(|id| id.chars().take(10).collect());
    Ok(ChangeView {
        change_id: handle.id.clone(),
        title: opened.title(),
        target: opened.target.clone(),
        review_key: opened.review_key(),
        fingerprint: opened.fingerprint.value.clone(),
        base: short(&opened.change.base),
        head: short(&opened.change.head),
        added: counts.added,
        removed: counts.removed,
        files: opened.plan.order().iter().map(|&index| file_view(opened, index, &viewed)).collect(),
        whole_files: opened.root.is_some() && opened.tree.is_some(),
        first: first_page(opened),
        review,
        request: opened_request(app, handle),
        trust: trust_view(&opened.trust, &mut opened.fresh_session()),
        interrupted,
    })
}

fn file_view(opened: &OpenChange, index: usize, viewed: &Viewed) -> FileView {
    let file = &opened.change.files[index];
    let path = file.path().to_text().into_owned();
    let counts = file.line_counts();
    let old_path = file.old_path.as_ref().filter(|old| *old != file.path()).map(|old| old.to_text().into_owned());
    FileView {
        old_path,
        status: status_name(file.status).to_owned(),
        notes: notes(file),
        added: counts.added,
        removed: counts.removed,
        hunks: u32::try_from(file.hunks().len()).unwrap_or(u32::MAX),
        lines: file.hunks().iter().map(|hunk| u32::try_from(hunk.lines.len()).unwrap_or(u32::MAX)).sum(),
        binary: file.is_binary(),
        // A file that the user did not select is not sent, but it is read like the others.
        ignored: opened
            .plan
            .ignored(index)
            .filter(|ignored| ignored.reason != IgnoreReason::NotSelected)
            .map(|ignored| ignored.details.clone()),
        image: image_type(&path).is_some() && (file.is_binary() || path.to_lowercase().ends_with(".svg")),
        viewed: viewed.of(file),
        path,
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified => "modified",
        Status::Renamed => "renamed",
        Status::Copied => "copied",
        Status::TypeChanged => "type_changed",
        Status::Unmerged => "unmerged",
    }
}

fn notes(file: &FileChange) -> Vec<String> {
    let mut notes = Vec::new();
    let kind = |mode: Option<u32>| match mode {
        Some(0o120_000) => Some("symlink"),
        Some(0o160_000) => Some("submodule"),
        _ => None,
    };
    notes.extend(kind(file.new_mode.or(file.old_mode)).map(str::to_owned));
    if let (Some(old), Some(new)) = (file.old_mode, file.new_mode)
        && old != new
    {
        notes.push(format!("mode {old:06o} → {new:06o}"));
    }
    if file.is_binary() {
        notes.push("binary".to_owned());
    }
    if let Some(similarity) = file.similarity {
        notes.push(format!("{similarity}% similar"));
    }
    if file.status == Status::Unmerged {
        notes.push("in conflict".to_owned());
    }
    notes
}
