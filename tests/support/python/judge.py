"""The fake GitLab, judged by a client that is not ours: python-gitlab reads and writes as its documentation says."""

import hashlib
import sys

import gitlab
import requests

url, token, project_path, ca, version = sys.argv[1:6]
major, minor = (int(number) for number in version.split("."))


def since(*wanted):
    """Returns whether the server has a feature that came with a version."""
    return (major, minor) >= wanted


def refused(status, words, call):
    """Calls a function, which must fail with a status and with some words."""
    try:
        call()
    except gitlab.GitlabError as error:
        assert error.response_code == status and words in str(error), error
    else:
        raise AssertionError(f"{status} {words}: the request was accepted")


gl = gitlab.Gitlab(url, private_token=token, ssl_verify=ca or True, retry_transient_errors=False)
gl.auth()
assert gl.user.username == "reviewer", gl.user
assert gl.version()[0].startswith(f"{version}."), gl.version()
if since(15, 2):
    assert gl.http_get("/metadata")["version"] == gl.version()[0]
else:
    refused(404, "404 Not Found", lambda: gl.http_get("/metadata"))
if since(15, 5):
    assert gl.personal_access_tokens.get("self").scopes == ["api"]
else:
    refused(404, "404 Not Found", lambda: gl.personal_access_tokens.get("self"))

project = gl.projects.get(project_path)
assert project.id == 42 and project.path_with_namespace == project_path
by_number = gl.projects.get(42)
mr = by_number.mergerequests.get(7)
assert mr.diff_refs["head_sha"] == mr.sha
newest = mr.diffs.list(get_all=True)[0]  # versions
assert newest.head_commit_sha == mr.sha

# The lists over all projects, by page and by keyset, with the filters of people and states.
asked = {"scope": "all", "state": "opened", "get_all": True}
listed = gl.mergerequests.list(reviewer_username="reviewer", **asked)
assert [(one.iid, one.project_id) for one in listed] == [(7, 42)], listed
assert listed[0].references["full"] == f"{project_path}!7" and listed[0].sha == mr.sha
assert not hasattr(listed[0], "head_pipeline") and not hasattr(listed[0], "diff_refs")
assert gl.mergerequests.list(author_username="reviewer", **asked) == []
assert gl.mergerequests.list(assignee_username="reviewer", **asked) == []
assert gl.mergerequests.list(scope="all", state="merged", get_all=True) == []
paged = list(gl.mergerequests.list(reviewer_username="reviewer", scope="all", iterator=True, per_page=1))
assert [one.iid for one in paged] == [7]
refused(400, "order_by", lambda: gl.mergerequests.list(order_by="nothing", **asked))

changed = {change["new_path"]: change for change in mr.changes()["changes"]}
assert changed["a.rs"]["diff"].startswith("@@"), changed
assert ("generated_file" in changed["a.rs"]) == since(16, 9)
whole = mr.diffs.get(newest.id)
assert whole.commits[0]["id"] == mr.sha and [diff["new_path"] for diff in whole.diffs] == list(changed)
assert ("detailed_merge_status" in mr.attributes) == since(15, 6)
if since(15, 7):
    assert [diff["new_path"] for diff in gl.http_list(f"{mr.manager.path}/7/diffs", iterator=True)] == list(changed)
else:
    refused(404, "404 Not Found", lambda: gl.http_get(f"{mr.manager.path}/7/diffs"))
if since(17, 9):
    assert gl.http_get(f"{mr.manager.path}/7/raw_diffs", raw=True).text.startswith("diff --git ")
else:
    refused(404, "404 Not Found", lambda: gl.http_get(f"{mr.manager.path}/7/raw_diffs"))

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

# Files, and ranges with and without the numbers of their ends.
on_file = {key: value for key, value in position.items() if key != "new_line"} | {"position_type": "file"}
if since(16, 4):
    thread = mr.discussions.create({"body": "on the file", "position": on_file})
    assert thread.attributes["notes"][0]["position"]["position_type"] == "file"
else:
    words = "position[position_type] does not have a valid value"
    refused(400, words, lambda: mr.discussions.create({"body": "on the file", "position": on_file}))
path = hashlib.sha1(b"c.rs").hexdigest()
in_renamed = position | {"old_path": "b.rs", "new_path": "c.rs", "old_line": 3, "new_line": 3}


def ranged(**first):
    """Returns the position of two lines. The last line is unchanged."""
    first = {"line_code": f"{path}_2_2"} | first
    return in_renamed | {"line_range": {"start": first, "end": {"line_code": f"{path}_3_3"}}}


codes, nulls, numbers = ranged(), ranged(type=None), ranged(old_line=2, new_line=2)
numbers["line_range"]["end"] |= {"old_line": 3, "new_line": 3}
thread = mr.discussions.create({"body": "lines", "position": codes})
stored = thread.attributes["notes"][0]["position"]
assert stored["new_line"] == 3 and stored["line_range"]["start"]["line_code"] == f"{path}_2_2"
for later in (nulls, numbers):
    if since(17, 8):
        mr.discussions.create({"body": "lines", "position": later})
    else:
        refused(400, "must be a valid json schema", lambda: mr.discussions.create({"body": "lines", "position": later}))

# Drafts: only their author sees them, and they become public together.
if since(15, 10):
    draft = mr.draft_notes.create({"note": "a draft", "position": position})
    assert draft.line_code and len(mr.draft_notes.list(get_all=True)) == 1
    nowhere = mr.draft_notes.create({"note": "lost", "position": {**position, "new_line": 99}})
    assert nowhere.line_code is None
    mr.draft_notes.create({"note": "draft lines", "position": codes})
    if since(18, 6):
        draft = mr.draft_notes.create({"note": "draft numbers", "position": numbers})
        assert draft.position["line_range"]["start"]["new_line"] == 2
    else:
        wrong = {"note": "draft numbers", "position": numbers}
        refused(400, "must be a valid json schema", lambda: mr.draft_notes.create(wrong))
    mr.draft_notes.bulk_publish()
    assert mr.draft_notes.list(get_all=True) == []
    bodies = [note["body"] for one in mr.discussions.list(get_all=True) for note in one.attributes["notes"]]
    assert "a draft" in bodies and "draft lines" in bodies
    assert ("draft numbers" in bodies) == since(18, 6)
    assert "lost" not in bodies, "a draft without a line vanishes"
else:
    refused(404, "404 Not Found", lambda: mr.draft_notes.create({"note": "a draft", "position": position}))
    refused(404, "404 Not Found", lambda: mr.draft_notes.bulk_publish())


def reviewer_state():
    """Returns the state of the only reviewer."""
    return mr.reviewer_details.list(get_all=True)[0].state


mr.approve(sha=mr.sha)
approvals = mr.approvals.get()
assert approvals.approved and approvals.approved_by[0]["user"]["username"] == "reviewer"
assert reviewer_state() == ("approved" if since(17, 0) else "reviewed")
refused(409, "SHA does not match HEAD", lambda: mr.approve(sha="0" * 40))
mr.unapprove()
refused(404, "404 Not Found", mr.unapprove)
mutation = f'''mutation {{ mergeRequestRequestChanges(input: {{ projectPath: "{project_path}", iid: "7" }}) {{ errors }} }}'''
body = {"query": mutation}
answer = requests.post(f"{url}/api/graphql", json=body, headers={"PRIVATE-TOKEN": token}, verify=ca or True, timeout=60)
assert answer.status_code == 200
if since(17, 0):
    assert answer.json() == {"data": {"mergeRequestRequestChanges": {"errors": []}}}, answer.json()
    assert reviewer_state() == "requested_changes"
else:
    assert "doesn't exist on type 'Mutation'" in answer.json()["errors"][0]["message"], answer.json()
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
