//! The JSON of GitLab's objects.

use serde_json::{Value, json};

use super::server_version::ServerVersion;
use super::state::{Draft, Issue, MergeRequest, Note, Project, State, Thread, Version, first_time};
use super::{diff, markdown};

/// Returns a time, which is that of the first version if there is none.
fn time(at: &str) -> &str {
    if at.is_empty() { first_time() } else { at }
}

/// Returns a merge request of a list, which lacks what only a single one has.
pub(super) fn listed(state: &State, project: &Project, request: &MergeRequest) -> Value {
    let mut json = merge_request(state, project, request);
    if let Some(fields) = json.as_object_mut() {
        fields.retain(|name, _| !["head_pipeline", "changes_count", "diff_refs"].contains(&name.as_str()));
    }
    json
}

/// Returns a user.
pub(super) fn user(state: &State, id: u64) -> Value {
    json!({ "id": id, "username": state.username(id), "state": "active" })
}

/// Returns a user as GraphQL does.
pub(super) fn graphql_user(state: &State, id: u64) -> Value {
    json!({ "id": format!("gid://gitlab/User/{id}"), "username": state.username(id) })
}

/// Returns a merge request.
pub(super) fn merge_request(state: &State, project: &Project, request: &MergeRequest) -> Value {
    let version = request.versions.last();
    let refs =
        |version: &Version| json!({ "base_sha": version.base, "start_sha": version.start, "head_sha": version.head });
    let title = if request.title.is_empty() { format!("Merge {}", request.source) } else { request.title.clone() };
    let description = if request.description.is_empty() { "What it is for." } else { &request.description };
    let users = |ids: &[u64]| ids.iter().map(|id| user(state, *id)).collect::<Vec<_>>();
    let ended = |name: &str| (request.state == name).then(|| time(&request.updated_at));
    let pipeline = match request.pipeline.as_str() {
        "" => {
            let own = state.pipelines.iter().rev().filter(|one| one.iid == request.iid);
            let mut own = own.filter(|_| state.projects.first().is_some_and(|first| first.id == project.id));
            own.next().map(|one| one.status.clone())
        }
        status => Some(status.to_owned()),
    };
    let count = if request.changes_count.is_empty() { "3" } else { &request.changes_count };
    let mut json = json!({
        "id": request.id, "iid": request.iid, "project_id": project.id, "source_project_id": project.id,
        "title": title, "description": description, "state": request.state,
        "source_branch": request.source, "target_branch": request.target, "draft": request.draft,
        "author": { "id": request.author(), "username": state.username(request.author()) },
        "reviewers": request.reviewers.iter().map(|(id, _)| user(state, *id)).collect::<Vec<_>>(), "assignees": users(&request.assignees), "labels": request.labels, "has_conflicts": request.conflicts,
        "created_at": request.versions.first().map(|version| time(&version.at)),
        "merged_at": ended("merged"), "closed_at": ended("closed"),
        "head_pipeline": pipeline.map(|status| json!({ "status": status })), "sha": version.map(|version| &version.head),
        "diff_refs": version.map(refs), "changes_count": count, "merge_status": "can_be_merged",
        "merge_when_pipeline_succeeds": request.auto_merge, "discussion_locked": null,
        "updated_at": time(&request.updated_at),
        "web_url": format!("http://gitlab.test/{}/-/merge_requests/{}", project.path, request.iid),
        "references": { "full": format!("{}!{}", project.path, request.iid) },
    });
    if state.version.has_detailed_merge_status() {
        let status = if request.merge_status.is_empty() { "something_new" } else { &request.merge_status };
        json["detailed_merge_status"] = json!(status);
    }
    json
}

/// Returns an issue. One of another tracker has only its id and title.
pub(super) fn issue(project: &Project, issue: &Issue) -> Value {
    if issue.iid == 0 {
        return json!({ "id": "TRACKER-1", "title": issue.title });
    }
    json!({
        "id": 9000 + issue.iid, "iid": issue.iid, "project_id": project.id, "title": issue.title,
        "description": (!issue.description.is_empty()).then_some(&issue.description), "state": "opened",
        "confidential": issue.confidential, "labels": [], "assignees": [], "issue_type": "issue",
        "web_url": format!("http://gitlab.test/{}/-/issues/{}", project.path, issue.iid),
        "references": {
            "short": format!("#{}", issue.iid), "relative": format!("#{}", issue.iid),
            "full": format!("{}#{}", project.path, issue.iid),
        },
    })
}

/// Returns a version of the diff.
pub(super) fn version(request: &MergeRequest, version: &Version) -> Value {
    json!({
        "id": version.id, "head_commit_sha": version.head, "base_commit_sha": version.base,
        "start_commit_sha": version.start, "merge_request_id": request.id, "state": "collected", "real_size": "3",
        "created_at": time(&version.at),
    })
}

/// Returns the commits of a version.
pub(super) fn commits(project: &Project, version: &Version) -> Vec<Value> {
    let range = format!("{}..{}", version.base, version.head);
    let log = diff::run(&project.repository, &["log", "--format=%H%x00%B%x01", &range]);
    let text = String::from_utf8_lossy(&log).into_owned();
    let json = |entry: &str| -> Option<Value> {
        let (id, message) = entry.trim_start().split_once('\0')?;
        Some(json!({ "id": id, "message": message, "title": message.lines().next() }))
    };
    text.split('\u{1}').filter_map(json).collect()
}

/// Returns a file of a diff. `unified` adds the two lines with the paths.
pub(super) fn file(server: ServerVersion, file: &diff::File, size: diff::Size, unified: bool) -> Value {
    let paths: String = file
        .header
        .iter()
        .filter(|line| line.starts_with("--- ") || line.starts_with("+++ "))
        .fold(String::new(), |paths, line| paths + line + "\n");
    let (old_mode, new_mode) = file.modes();
    let mut json = json!({
        "old_path": file.path(false), "new_path": file.path(true), "a_mode": old_mode, "b_mode": new_mode,
        "diff": if unified { paths + &file.body } else { file.body.clone() },
        "new_file": file.is("new file mode"), "renamed_file": file.is("rename from"),
        "deleted_file": file.is("deleted file mode"),
    });
    if server.has_generated_file() {
        json["generated_file"] = json!(false);
    }
    if server.has_size_flags() {
        json["collapsed"] = json!(size == diff::Size::Collapsed);
        json["too_large"] = json!(size == diff::Size::TooLarge);
    }
    if size != diff::Size::Whole {
        json["diff"] = json!("");
    }
    json
}

/// Returns a note.
pub(super) fn note(state: &State, request: &MergeRequest, note: &Note) -> Value {
    let mut json = json!({
        "id": note.id, "type": note.kind, "body": note.body, "system": note.system,
        "author": { "id": note.author, "username": state.username(note.author) },
        "created_at": time(&note.at), "updated_at": time(&note.at),
        "noteable_id": request.id, "noteable_type": "MergeRequest", "noteable_iid": request.iid,
        "resolvable": note.kind.is_some(), "internal": false, "confidential": false, "commands_changes": {},
    });
    if note.kind.is_some() {
        json["resolved"] = json!(note.resolved);
    }
    if let Some(position) = &note.position {
        json["position"] = json!(position);
        json["suggestions"] = json!(suggestions(note));
    }
    json
}

/// Returns the applicable suggestions: those of a note on a line of the head.
fn suggestions(note: &Note) -> Vec<Value> {
    let Some(position) = note.position.as_ref().filter(|position| position.position_type == "text") else {
        return Vec::new();
    };
    let Some(line) = position.new_line else { return Vec::new() };
    let found = markdown::effects_of(&note.body).suggestions;
    let told = found.into_iter().map(|one| {
        let (from, to) = (line.saturating_sub(one.above).max(1), line + one.below);
        json!({ "from_line": from, "to_line": to, "to_content": one.content })
    });
    told.collect()
}

pub(super) fn thread(state: &State, request: &MergeRequest, thread: &Thread) -> Value {
    let notes: Vec<Value> = thread.notes.iter().map(|one| note(state, request, one)).collect();
    json!({ "id": thread.id, "individual_note": thread.individual, "notes": notes })
}

pub(super) fn draft(request: &MergeRequest, draft: &Draft, code: Option<&String>) -> Value {
    json!({
        "id": draft.id, "author_id": draft.author, "merge_request_id": request.id, "note": draft.note,
        "resolve_discussion": draft.resolve, "discussion_id": draft.reply_to, "line_code": code,
        "position": draft.position.clone().unwrap_or_default(),
    })
}
