"""The fake GitLab, judged by a client that is not ours: python-gitlab reads and writes as its documentation says."""

import sys

import gitlab

url, token, project_path, ca = sys.argv[1:5]
gl = gitlab.Gitlab(url, private_token=token, ssl_verify=ca or True, retry_transient_errors=False)
gl.auth()
assert gl.user.username == "reviewer", gl.user
assert gl.version()[0].startswith("19.2."), gl.version()
assert gl.personal_access_tokens.get("self").scopes == ["api"]

project = gl.projects.get(project_path)
assert project.id == 42 and project.path_with_namespace == project_path
by_number = gl.projects.get(42)
mr = by_number.mergerequests.get(7)
assert mr.diff_refs["head_sha"] == mr.sha
newest = mr.diffs.list(get_all=True)[0]  # versions
assert newest.head_commit_sha == mr.sha

changed = {change["new_path"]: change for change in mr.changes()["changes"]}
assert changed["a.rs"]["diff"].startswith("@@"), changed

# Plain comments: paged to their end, stored without carriage returns.
for number in range(45):
    mr.notes.create({"body": f"note {number}\r\nsecond line  "})
notes = mr.notes.list(get_all=True, per_page=10)
assert len(notes) == 45 and "\r" not in notes[0].body and not notes[0].body.endswith(" ")
assert len(list(mr.notes.list(iterator=True, per_page=7))) == 45
note = mr.notes.get(notes[0].id)
note.body = "edited"
note.save()
assert mr.notes.get(note.id).body == "edited"
note.delete()
assert len(mr.notes.list(get_all=True)) == 44
try:
    mr.notes.create({"body": "   "})
    raise AssertionError("a blank note was taken")
except gitlab.GitlabCreateError as error:
    assert error.response_code == 400 and "can't be blank" in str(error), error

# A thread on a line, and one on a line that is not there.
refs = mr.diff_refs
position = {
    "position_type": "text",
    "base_sha": refs["base_sha"],
    "start_sha": refs["start_sha"],
    "head_sha": refs["head_sha"],
    "old_path": "a.rs",
    "new_path": "a.rs",
    "new_line": 2,
}
thread = mr.discussions.create({"body": "here", "position": position})
first = thread.attributes["notes"][0]
assert first["type"] == "DiffNote" and first["position"]["new_line"] == 2 and len(thread.id) == 40
for wrong in ({"new_line": 99}, {"old_line": 2, "new_line": 2}):
    try:
        mr.discussions.create({"body": "nowhere", "position": {**position, **wrong}})
        raise AssertionError(f"{wrong} was taken")
    except gitlab.GitlabCreateError as error:
        assert error.response_code == 400 and "must be a valid line code" in str(error), error
try:
    mr.discussions.create({"body": "x", "position": {"position_type": "text"}})
    raise AssertionError("a position without commits was taken")
except gitlab.GitlabCreateError as error:
    assert "position[base_sha] is missing" in str(error), error
reply = thread.notes.create({"body": "an answer"})
thread = mr.discussions.get(thread.id)
assert [note["body"] for note in thread.attributes["notes"]] == ["here", "an answer"]
thread.resolved = True
thread.save()
assert mr.discussions.get(thread.id).attributes["notes"][0]["resolved"] is True

# Drafts: seen by their author alone, public together.
draft = mr.draft_notes.create({"note": "a draft", "position": position})
assert draft.line_code and len(mr.draft_notes.list(get_all=True)) == 1
nowhere = mr.draft_notes.create({"note": "lost", "position": {**position, "new_line": 99}})
assert nowhere.line_code is None
mr.draft_notes.bulk_publish()
assert mr.draft_notes.list(get_all=True) == []
bodies = [note["body"] for one in mr.discussions.list(get_all=True) for note in one.attributes["notes"]]
assert "a draft" in bodies and "lost" not in bodies, "what cannot be anchored vanishes"

mr.approve(sha=mr.sha)
try:
    mr.approve(sha="0" * 40)
    raise AssertionError("a stale head was approved")
except gitlab.GitlabMRApprovalError as error:
    assert error.response_code in (401, 409), error
mr.unapprove()
mr.notes.get(notes[1].id).awardemojis.create({"name": "thumbsup"})

for wrong, code in ((("group/none",), 404), ((99,), 404)):
    try:
        project.mergerequests.get(*wrong) if isinstance(wrong[0], int) else gl.projects.get(*wrong)
        raise AssertionError(f"{wrong} was found")
    except gitlab.GitlabGetError as error:
        assert error.response_code == code, error
try:
    gitlab.Gitlab(url, private_token="nobody", ssl_verify=ca or True).auth()
    raise AssertionError("an unknown token was taken")
except gitlab.GitlabAuthenticationError as error:
    assert error.response_code == 401, error
print("judged")
