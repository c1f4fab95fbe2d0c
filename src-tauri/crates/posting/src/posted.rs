//! Finds the comments that are already posted, by their markers in the comments of the token's user.

use std::collections::{HashMap, HashSet};

use diffsan_forge::gitlab::{Client, Discussion, GitlabError, Person};
use diffsan_forge::post_plan::{MarkerKeys, PostPlan, marks};

/// The comments of a plan that are already posted.
#[derive(Debug, Default)]
pub(super) struct PostedComments {
    /// The note numbers of comments and of summaries, by the keys of the findings in them.
    pub(super) items: HashMap<String, u64>,
    /// The keys of the findings that have a comment of their own.
    pub(super) commented: HashSet<String>,
    /// The summary, if it is posted.
    pub(super) summary: Option<PostedSummary>,
    /// The summary of another review, which the planned one replaces.
    pub(super) replaced: Option<PostedSummary>,
    /// The notes that are posted twice and that nobody answered.
    pub(super) copies: Vec<u64>,
}

/// A posted summary.
#[derive(Debug)]
pub(super) struct PostedSummary {
    pub(super) note: u64,
    /// The keys of the findings inside it.
    pub(super) carries: HashSet<String>,
}

/// Lists the comments of the merge request that belong to the plan.
pub(super) async fn look(
    client: &Client,
    project: &str,
    iid: u64,
    me: &Person,
    plan: &PostPlan,
    keys: &MarkerKeys,
) -> Result<PostedComments, GitlabError> {
    let discussions = client.discussions(project, iid).await?;
    Ok(sort(&discussions, me, plan, keys))
}

fn sort(discussions: &[Discussion], me: &Person, plan: &PostPlan, keys: &MarkerKeys) -> PostedComments {
    let planned: HashSet<&str> = plan.items.iter().map(|item| item.key.as_str()).collect();
    let review = plan.summary.as_ref().map(|summary| summary.key.as_str());
    let mut found = PostedComments::default();
    let mut notes: Vec<(u64, bool, marks::Marks)> = Vec::new();
    for discussion in discussions {
        let alone = discussion.notes.len() == 1;
        let own = discussion
            .notes
            .iter()
            .filter(|note| !note.system && note.author.as_ref().is_some_and(|one| one.id == me.id));
        notes.extend(own.map(|note| (note.id, alone, marks::read(&note.body, keys))));
    }
    // Of several copies, the first one stays.
    notes.sort_by_key(|(id, ..)| *id);
    for (id, alone, marks) in notes {
        if let Some(key) = &marks.review {
            let is_replaced = plan.summary.as_ref().is_some_and(|summary| summary.supersedes(id, &marks));
            let is_same = Some(key.as_str()) == review;
            // Findings inside an earlier summary are posted, too, unless that summary is about to be replaced.
            for key in marks.findings.iter().filter(|_| !is_replaced) {
                found.items.entry(key.clone()).or_insert(id);
            }
            let summary = PostedSummary { note: id, carries: marks.findings.into_iter().collect() };
            match &found.summary {
                _ if is_replaced => found.replaced = Some(summary),
                None if is_same => found.summary = Some(summary),
                // A summary with other findings is not a copy.
                Some(first) if is_same && alone && summary.carries.is_subset(&first.carries) => found.copies.push(id),
                _ => {}
            }
            continue;
        }
        for key in marks.findings {
            found.items.entry(key.clone()).or_insert(id);
            // A comment is a copy only of another comment, never of a finding inside a summary.
            let wanted = planned.contains(key.as_str());
            if !found.commented.insert(key) && alone && wanted {
                found.copies.push(id);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use diffsan_forge::gitlab::{DiffRefs, Landing};
    use diffsan_forge::post_plan::{PlannedItem, PlannedSummary};
    use serde_json::json;

    #[test]
    fn a_comment_is_a_copy_of_another_comment_and_never_of_a_summary() {
        let item = PlannedItem {
            key: "k".into(),
            title: String::new(),
            severity: "high".into(),
            place: String::new(),
            landing: Landing::Summary,
            body: String::new(),
            suggestion: false,
            replaced: Vec::new(),
            notes: Vec::new(),
        };
        let summary = PlannedSummary {
            key: "r".into(),
            replaces: None,
            head: String::new(),
            folded: Vec::new(),
            kept: Vec::new(),
            tail: String::new(),
            marks: String::new(),
        };
        let plan = PostPlan { refs: DiffRefs::default(), items: vec![item], summary: Some(summary) };
        let me = Person { id: 1, username: "me".into() };
        let thread = |id: u64, author: u64, body: &str| -> Discussion {
            let note = json!({ "id": id, "body": body, "author": { "id": author, "username": "x" } });
            serde_json::from_value(json!({ "id": id.to_string(), "notes": [note] })).expect("a thread")
        };
        let keys = MarkerKeys::new(&[b"key"], "https://gitlab.example.com", 1, 7);
        let finding = keys.seal(&marks::finding_mark("k"));
        let carries = keys.seal(&format!("{}\n<!-- diffsan:review:other -->", marks::finding_mark("k")));
        let (first, second) = (thread(2, 1, &format!("a\n\n{finding}")), thread(3, 1, &format!("b\n\n{finding}")));
        let found = sort(&[thread(1, 1, &carries), first.clone()], &me, &plan, &keys);
        assert_eq!(found.copies, Vec::<u64>::new());
        let found = sort(&[second, thread(9, 2, &finding), first, thread(1, 1, &carries)], &me, &plan, &keys);
        assert_eq!(found.copies, [3], "the later one, and nobody else's");
    }
}
