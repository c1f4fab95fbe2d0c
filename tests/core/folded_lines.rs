//! The prompts of real changes without folded lines: the saved tokens, and that no changed line is lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diffsan_app::{App, AppOptions, ChangeHandle};
use diffsan_change::{LineKind, Target};
use diffsan_config::{Origin, parse_layer};
use diffsan_pipeline::open::{OpenRequest, Source};
use diffsan_prepare::Prepared;
use diffsan_prepare::tokens::count;
use diffsan_prepare::types::Coverage;
use diffsan_test_support::repo::git;

/// Returns clones of the bundles of public repositories, and the commits that are their changes.
fn changes(into: &Path) -> Vec<(PathBuf, String)> {
    let bundles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/findings/public");
    let entries = std::fs::read_dir(bundles).expect("the bundles").flatten().map(|entry| entry.path());
    let mut all = Vec::new();
    for bundle in entries.filter(|path| path.extension().is_some_and(|end| end == "bundle")) {
        let clone = into.join(bundle.file_stem().expect("a name"));
        let run = |command: &mut std::process::Command| {
            let output = command.output().expect("git");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        run(git(into).args(["clone", "--quiet", "--bare"]).arg(&bundle).arg(&clone));
        let branches = run(git(&clone).args(["for-each-ref", "--format=%(refname:short)", "refs/heads"]));
        all.extend(branches.lines().map(|branch| (clone.clone(), branch.to_owned())));
    }
    all.sort();
    all
}

fn open(app: &Arc<App>, repo: &Path, rev: &str, settings: &str) -> ChangeHandle {
    let request = OpenRequest {
        source: Source::Repository(repo.to_owned()),
        target: Target::Commit { rev: rev.to_owned() },
        overrides: vec![parse_layer(Origin::CommandLine, settings).expect("settings")],
        trusted: false,
        since: None,
        selected: None,
    };
    app.open(request).expect("a change")
}

/// Returns the tokens of a diff, with the lines that name the omitted parts.
fn tokens(prepared: &Prepared) -> u64 {
    let names: String =
        prepared.folded.iter().map(|one| format!("- {} {}: {}\n", one.path, one.hunk, one.details)).collect();
    prepared.diffs().iter().map(|diff| count(diff.as_str())).sum::<u64>() + count(&names)
}

/// Checks that every changed line of a change is either in the diff or named as folded. Returns the numbers of both.
fn check(change: &ChangeHandle, prepared: &Prepared) -> (u32, u32) {
    let (mut sent, mut folded) = (0, 0);
    for (file, covered) in change.opened.change.files.iter().zip(&prepared.coverage.files) {
        assert_eq!(file.hunks().len(), covered.hunks.len());
        for (hunk, covered) in file.hunks().iter().zip(&covered.hunks) {
            let states = covered.runs.iter().flat_map(|run| std::iter::repeat_n(run.state, run.lines as usize));
            let states: Vec<Coverage> = states.collect();
            assert_eq!(states.len(), hunk.lines.len());
            for (line, state) in hunk.lines.iter().zip(states).filter(|(line, _)| line.kind != LineKind::Context) {
                match state {
                    Coverage::Sent | Coverage::Redacted => sent += 1,
                    Coverage::Folded => folded += 1,
                    Coverage::Ignored => {}
                    Coverage::Cut => panic!("{line:?} is cut"),
                }
            }
        }
    }
    let counts = prepared.change.get().line_counts();
    assert_eq!(counts.added + counts.removed, sent, "the diff has the lines that are sent");
    assert_eq!(prepared.folded.iter().map(|one| one.lines).sum::<u32>(), folded, "every folded line is named");
    (sent, folded)
}

#[test]
fn no_changed_line_of_real_changes_is_missing_and_folds_save_tokens() {
    let data = tempfile::tempdir().expect("a folder");
    let options = AppOptions {
        data_dir: Some(data.path().join("data")),
        config_dir: Some(data.path().join("config")),
        ..AppOptions::default()
    };
    let app = App::start(options).expect("an app");
    let unlimited = "limits.max_diff_chars = 0\nlimits.max_files = 0\nlimits.max_hunks_per_file = 0\n";
    let (mut before_all, mut after_all, mut fewer) = (0, 0, 0);
    println!("{:28} {:>7} {:>7} {:>6} {:>6} {:>6}", "change", "before", "after", "saved", "sent", "folded");
    for (repo, branch) in changes(data.path()) {
        let whole = open(&app, &repo, &branch, &format!("{unlimited}prepare.leave_out_folded = false\n"));
        let change = open(&app, &repo, &branch, unlimited);
        let (before, prepared) = (tokens(&whole.opened.prepared().prepared), &change.opened.prepared().prepared);
        let (after, (sent, folded)) = (tokens(prepared), check(&change, prepared));
        let all = whole.opened.prepared().prepared.change.get().line_counts();
        assert_eq!(all.added + all.removed, sent + folded);
        println!("{branch:28} {before:7} {after:7} {:5.1}% {sent:6} {folded:6}", saved(before, after));
        // The header of a part, and the line that names a fold, cost a few tokens.
        assert!(after <= before + 40, "{branch}: {after} tokens, before {before}");
        before_all += before;
        after_all += after;
        fewer += usize::from(folded > 0);
    }
    println!("{:28} {before_all:7} {after_all:7} {:5.1}%", "all", saved(before_all, after_all));
    assert!(fewer > 0 && after_all < before_all);
}

#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn saved(before: u64, after: u64) -> f64 {
    100.0 * (before as f64 - after as f64) / before as f64
}
