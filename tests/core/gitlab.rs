//! Positions and text against GitLab's own rules, as the fake restates them from GitLab's source.

use diffsan_change::{Status, Target};
use diffsan_forge::gitlab::{DiffRefs, Landing, landing};
use diffsan_git::{ReadOptions, Repo};
use diffsan_review::finding::{Anchor, AnchorState, Side};
use diffsan_test_support::gitlab::{self, Position};
use diffsan_test_support::history::{Dice, line};
use diffsan_test_support::repo::TestRepo;

fn text(dice: &mut Dice, most: usize) -> Vec<Vec<u8>> {
    (0..3 + dice.roll(most)).map(|_| line(dice)).collect()
}

fn write(repo: &TestRepo, path: &str, lines: &[Vec<u8>]) {
    repo.write(path, lines.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect::<Vec<u8>>());
}

/// Removes, inserts and replaces random lines.
fn edit(dice: &mut Dice, lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for one in lines {
        match dice.roll(20) {
            0 => {}
            1 => out.push(line(dice)),
            2 => {
                out.push(one.clone());
                out.push(line(dice));
            }
            _ => out.push(one.clone()),
        }
    }
    out
}

#[test]
fn every_line_that_can_be_commented_is_taken_and_none_lands_on_another() {
    let mut dice = Dice::new(5);
    let (mut asked, mut on_lines, mut on_files) = (0, 0, 0);
    // Each round changes six files. `DIFFSAN_ROUNDS=500` runs more rounds for measurements.
    let rounds = std::env::var("DIFFSAN_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    for _ in 0..rounds {
        let repo = TestRepo::new();
        let mut files = Vec::new();
        for index in 0..6 {
            let lines = text(&mut dice, 120);
            write(&repo, &format!("src/f{index}.rs"), &lines);
            files.push(lines);
        }
        repo.commit("base");
        repo.git(["checkout", "-q", "-b", "topic"]);
        for (index, lines) in files.iter().enumerate() {
            let path = format!("src/f{index}.rs");
            let after = edit(&mut dice, lines);
            match dice.roll(6) {
                0 => {
                    repo.git(["rm", "-q", &path]);
                }
                1 => {
                    repo.git(["rm", "-q", &path]);
                    write(&repo, &format!("moved/größe {index}.rs"), &after);
                }
                2 => write(&repo, &format!("new/n{index}.rs"), &text(&mut dice, 30)),
                _ => write(&repo, &path, &after),
            }
        }
        repo.commit("topic");
        // The target branch moves on, so that start and base differ.
        repo.git(["checkout", "-q", "main"]);
        write(&repo, "elsewhere.rs", &text(&mut dice, 5));
        repo.commit("elsewhere");
        let said = |args: &[&str]| String::from_utf8_lossy(&repo.git(args)).trim().to_owned();
        let rev = |name: &str| said(&["rev-parse", name]);
        let base = said(&["merge-base", "main", "topic"]);
        let refs = DiffRefs { base_sha: base.clone(), start_sha: rev("main"), head_sha: rev("topic") };
        let target = Target::Range { base, head: "topic".into(), merge_base: false };
        let options = ReadOptions { renames: 30, ..ReadOptions::default() };
        let change = Repo::open(repo.path()).expect("a repository").change(&target, &options).expect("a change");
        let bare = repo.path().join(".git");
        for file in &change.files {
            for side in [Side::New, Side::Old] {
                let path = if side == Side::New { &file.new_path } else { &file.old_path };
                let Some(path) = path else { continue };
                let rev = if side == Side::New { &refs.head_sha } else { &refs.base_sha };
                let all = repo.git(["show", &format!("{rev}:{}", path.to_text())]);
                let count = all.split(|byte| *byte == b'\n').count() - 1;
                for _ in 0..30 {
                    let number = u32::try_from(1 + dice.roll(count)).expect("small");
                    let start = number.saturating_sub(u32::try_from(dice.roll(3)).expect("small")).max(1);
                    let anchor = Anchor {
                        state: AnchorState::Verified,
                        path: path.to_text().into_owned(),
                        side,
                        line_start: Some(start),
                        line_end: Some(number),
                        in_change: false,
                        notes: Vec::new(),
                    };
                    asked += 1;
                    match landing(Some(file), &anchor, &refs) {
                        Landing::Line { position } => {
                            on_lines += 1;
                            let sent: Position =
                                serde_json::from_value(serde_json::to_value(&*position).expect("JSON"))
                                    .expect("a position");
                            assert!(gitlab::takes(&bare, &sent), "{sent:?}");
                            // The position is on the intended line, on its own side.
                            let shown = if side == Side::New { sent.new_line } else { sent.old_line };
                            assert_eq!(shown, Some(number), "{sent:?}");
                        }
                        Landing::File { .. } => {
                            on_files += 1;
                            // Only a rename without an edit has no lines that GitLab knows.
                            assert!(file.hunks().is_empty() && file.status == Status::Renamed, "{anchor:?}");
                        }
                        Landing::Summary => panic!("{anchor:?}"),
                    }
                }
            }
        }
    }
    println!("{asked} places: {on_lines} on their lines, {on_files} on files that have none");
    assert!(on_lines > 1000, "{on_lines}");
}
