//! The part of a change that is sent by the user's choice, its cost, and the overview of a change.

use diffsan_app::{BudgetChoice, ChangeHandle, ChangeRequest, ReviewScope};
use diffsan_change::Target;
use diffsan_config::Limits;
use tokio_util::sync::CancellationToken;

use crate::desk::{Desk, lines};

/// A repository with files that exceed the limits, and their owners.
fn large() -> Desk {
    let desk = Desk::new();
    desk.repo.write("CODEOWNERS", "* @all\n[Docs]\n*.md @writers\n");
    desk.repo.commit("Add owners");
    desk.repo.git(["checkout", "-q", "-b", "topic"]);
    for name in ["one.rs", "two.rs", "three.md"] {
        desk.repo.write(name, lines(&[]));
    }
    desk.repo.commit("Add three files\n\nWith a body.");
    desk
}

async fn open_scoped(desk: &Desk, scope: Option<ReviewScope>) -> ChangeHandle {
    let target = Target::Commit { rev: "HEAD".to_owned() };
    let repo = Some(desk.repo.path().to_owned());
    desk.app
        .open_change(ChangeRequest { scope, ..ChangeRequest::new(repo, target) }, &CancellationToken::new())
        .await
        .expect("opened")
}

#[tokio::test]
async fn a_change_over_the_limits_has_a_cost_for_each_way() {
    let desk = large();
    let plain = open_scoped(&desk, None).await;
    let limits = Limits { max_files: 1, ..plain.opened.settings.config.limits.clone() };
    let over = open_scoped(&desk, Some(ReviewScope { limits: Some(limits), files: None })).await;
    assert_eq!(over.opened.prepared().prepared.truncation.final_files, 1);
    let budget = desk.app.budget(&over.opened, 10_000, Some("gpt-5.1-codex")).expect("a budget");
    assert_eq!(budget.lines, 240);
    let told: Vec<_> = budget.options.iter().map(|option| (option.choice, option.prompts, option.lines)).collect();
    assert_eq!(told, [(BudgetChoice::Split, 3, 240), (BudgetChoice::Whole, 1, 240), (BudgetChoice::Truncate, 1, 80),]);
    assert!(budget.options[0].tokens > budget.options[1].tokens, "every prompt has instructions");
    assert!(budget.options[0].cost_usd > budget.options[1].cost_usd);
    for (option, prompts) in budget.options.into_iter().zip([3, 1, 1]) {
        let chosen = open_scoped(&desk, Some(ReviewScope { limits: Some(option.limits), files: None })).await;
        assert_eq!(chosen.opened.prepared().prepared.diffs().len(), prompts);
        assert_eq!(chosen.opened.fingerprint, over.opened.fingerprint);
    }
}

#[tokio::test]
async fn only_selected_files_are_sent() {
    let desk = large();
    let scope = ReviewScope { limits: None, files: Some(vec!["two.rs".to_owned()]) };
    let handle = open_scoped(&desk, Some(scope)).await;
    let sent = &handle.opened.prepared().prepared;
    assert_eq!(sent.change.get().files.len(), 1);
    assert!(sent.diff.as_str().contains("two.rs"));
    assert_eq!(sent.ignored.len(), 2);
    let plain = open_scoped(&desk, None).await;
    assert_eq!(handle.opened.plan.order(), plain.opened.plan.order());
}

#[tokio::test]
async fn a_commit_has_its_message_and_owners() {
    let desk = large();
    let handle = open_scoped(&desk, None).await;
    let overview = desk.app.overview(&handle.opened).expect("an overview");
    assert_eq!(overview.commits.len(), 1);
    assert_eq!(overview.commits[0].message, "Add three files\n\nWith a body.");
    assert!(overview.commits[0].author.is_some());
    let owners = desk.app.owners(&handle.opened);
    assert_eq!(owners.source.as_deref(), Some("CODEOWNERS"));
    let names = handle.opened.plan.order().iter().map(|&index| handle.opened.change.files[index].path().to_text());
    let owned: Vec<_> = names.zip(&owners.files).map(|(name, owners)| format!("{name} {}", owners.join(" "))).collect();
    assert_eq!(owned, ["one.rs @all", "two.rs @all", "three.md @all @writers"]);
    assert!(desk.app.overview(&desk.open().opened).expect("an overview").commits.is_empty());
}
