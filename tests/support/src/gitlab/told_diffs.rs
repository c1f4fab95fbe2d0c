//! The commits and files of a merge request as JSON.

use serde_json::{Value, json};

use super::diff;
use super::state::{MergeRequest, Project, State};

pub(super) fn commits(project: &Project, request: &MergeRequest) -> Vec<Value> {
    let Some(version) = request.versions.last() else { return Vec::new() };
    let range = format!("{}..{}", version.base, version.head);
    let log = diff::run(&project.repository, &["log", "--format=%H%x00%B%x01", &range]);
    let text = String::from_utf8_lossy(&log).into_owned();
    let told = |entry: &str| -> Option<Value> {
        let (id, message) = entry.trim_start().split_once('\0')?;
        Some(json!({ "id": id, "message": message, "title": message.lines().next() }))
    };
    text.split('\u{1}').filter_map(told).collect()
}

pub(super) fn diffs(state: &State, project: &Project, request: &MergeRequest) -> Vec<Value> {
    let Some(version) = request.versions.last() else { return Vec::new() };
    let patch = diff::of_version(&project.repository, version);
    let told = |file: diff::File| {
        let mut told = json!({
            "old_path": file.path(false), "new_path": file.path(true), "a_mode": "100644", "b_mode": "100644", "diff": file.body,
            "new_file": file.is("new file mode"), "renamed_file": file.is("rename from"), "deleted_file": file.is("deleted file mode"),
        });
        if !state.switches.old {
            told["generated_file"] = json!(false);
            told["collapsed"] = json!(false);
            told["too_large"] = json!(false);
        }
        told
    };
    diff::files(&patch).into_iter().map(told).collect()
}
