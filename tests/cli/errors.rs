//! Failures are reported with their meaning and a next step.

use diffsan_test_support::repo::TestRepo;

use crate::support::Installation;

/// Runs a command and returns its exit code and standard error.
fn told(repo: &TestRepo, args: &[&str]) -> (i32, String) {
    let ran = Installation::new().run(repo.path(), args);
    (ran.code, ran.stderr)
}

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.rs", "one\n");
    repo.commit("base");
    repo
}

#[test]
fn not_a_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = Installation::new().run(folder.path(), &["review"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("is not inside a git repository") && ran.stderr.contains("hint: "), "{ran:?}");
}

#[test]
fn an_unknown_revision_is_reported_with_the_nearest_name() {
    let (code, stderr) = told(&repo(), &["prepare", "--range", "maim..HEAD"]);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("Unknown revision `maim`; did you mean `main`?"), "{stderr}");
}

#[test]
fn an_empty_change_is_no_error() {
    let ran = Installation::new().run(repo().path(), &["review", "--unstaged"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("There is no change to review. (NO_DIFF)"), "{ran:?}");
    let ran = Installation::new().run(repo().path(), &["review", "--unstaged", "--json"]);
    assert_eq!(ran.json()["skipped"]["reason"], "NO_DIFF");
}

#[test]
fn a_change_of_ignored_files_is_no_pass_and_names_them() {
    let repo = repo();
    let vendored = "import os\n\ndef run(c):\n    os.system(c)\n";
    for number in 1..=7 {
        repo.write(format!("vendor/{number}.py"), vendored);
    }
    repo.git(["add", "-A"]);
    let installation = Installation::new();
    for agent in [&["--agent", "capability"][..], &["--agent", "codex"], &[]] {
        let run = |more: &[&str]| installation.run(repo.path(), &[&["review", "--staged"], agent, more].concat());
        let gate = run(&["--fail-on", "low"]);
        assert_eq!(gate.code, 10, "{gate:?}");
        for part in ["0 of 7 files", "vendor/1.py (", "and 2 more", "(NOTHING_SENT)", "does not pass --fail-on"] {
            assert!(gate.stderr.contains(part), "{part}: {gate:?}");
        }
        let ran = run(&["--json"]);
        let skipped = &ran.json()["skipped"];
        assert_eq!((ran.code, skipped["reason"].as_str()), (0, Some("NOTHING_SENT")));
        assert_eq!(skipped["ignored"].as_array().map(Vec::len), Some(7), "{ran:?}");
    }
    let prepared = installation.run(repo.path(), &["prepare", "--staged", "--json"]);
    assert_eq!(prepared.json()["skip"], "NOTHING_SENT");
}

#[test]
fn a_change_over_the_limits_is_no_pass() {
    let repo = repo();
    repo.write("a.rs", "two\n");
    let args = ["review", "--unstaged", "--agent", "codex", "--set", "limits.max_diff_chars=1", "--fail-on", "low"];
    let ran = Installation::new().run(repo.path(), &args);
    assert!(ran.code == 10 && ran.stderr.contains("a.rs (+1 −1 lines; over max_diff_chars (1))"), "{ran:?}");
}

#[test]
fn contracts_apply_to_a_change_of_generated_code() {
    let repo = repo();
    repo.write("contracts.toml", "effects = [\"MUST NOT run shell commands\"]\n");
    repo.commit("a contract");
    repo.write("b.py", "import os\n\ndef run(c):\n    os.system(c)\n");
    repo.write(".gitattributes", "*.py linguist-generated\n.gitattributes linguist-generated\n");
    repo.git(["add", "-A"]);
    let args = ["review", "--staged", "--agent", "capability", "--fail-on", "low"];
    let ran = Installation::new().run(repo.path(), &args);
    assert!(ran.code == 1 && ran.stdout.contains("b.py"), "{ran:?}");
    assert!(ran.stdout.contains("Examined 1 of 1 code files") && !ran.stdout.contains("has no code"), "{ran:?}");
}

#[test]
fn without_an_agent_the_error_lists_searched_programs_and_installation() {
    let repo = repo();
    repo.write("a.rs", "two\n");
    let (code, stderr) = told(&repo, &["review", "--agent", "codex"]);
    assert_eq!(code, 5, "{stderr}");
    for part in ["searched for codex", "npm install -g @openai/codex", "looked in: /usr/bin"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    // Without a named agent, the capability reviewer reviews and says why.
    let (code, stderr) = told(&repo, &["review"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("No agent is installed") && stderr.contains("diffsan agents"), "{stderr}");
    let ran = Installation::new().run(repo.path(), &["review", "--json", "--agent", "codx"]);
    assert_eq!((ran.code, ran.json()["error"]["error_code"].as_str()), (3, Some("CONFIG_PARSE_ERROR")));
    assert!(ran.stderr.contains("codex, claude, cursor"), "{ran:?}");
}

#[test]
fn an_invalid_patch_is_reported_with_its_line() {
    let patch = b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n";
    let ran = Installation::new().run_with(repo().path(), &["prepare", "--patch", "-"], patch);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("line 5") || ran.stderr.contains("line 6"), "{ran:?}");
    let (code, stderr) = told(&repo(), &["prepare", "--patch", "nowhere.patch"]);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("nowhere.patch cannot be read"), "{stderr}");
}

#[test]
fn an_invalid_setting_is_reported_with_its_place() {
    let installation = Installation::new();
    std::fs::write(installation.config().join("config.toml"), "[limits]\nmax_fils = 3\n").expect("written");
    let ran = installation.run(repo().path(), &["prepare"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("did you mean `limits.max_files`?"), "{ran:?}");
    let (code, stderr) = told(&repo(), &["prepare", "--set", "limits.max_files=lots"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("the command line: `limits.max_files` must be a whole number"), "{stderr}");
}

#[test]
fn a_bad_pattern_stops_everything_before_anything_is_sent() {
    let installation = Installation::new();
    let text = "[redaction]\nextra_patterns = [{ name = 'ours', pattern = '(' }]\n";
    std::fs::write(installation.config().join("config.toml"), text).expect("written");
    let ran = installation.run(repo().path(), &["review"]);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(ran.stderr.contains("`ours`") && ran.stderr.contains("Nothing was sent"), "{ran:?}");
}

#[test]
fn a_repository_that_nobody_trusts_cannot_name_a_command() {
    let repo = repo();
    repo.write(".diffsan.toml", "[agent]\ncodex_command = ['touch', 'pwned']\n[limits]\nmax_files = 1\n");
    repo.write("a.rs", "two\n");
    let (code, stderr) = told(&repo, &["review", "--all", "--agent", "codex"]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("sets agent.codex_command, which only a trusted repository may"), "{stderr}");
    assert!(!repo.path().join("pwned").exists());
}

#[test]
fn usage_is_two() {
    assert_eq!(told(&repo(), &["review", "--nonsense"]).0, 2);
    assert_eq!(told(&repo(), &["review", "--range", "a"]).0, 2);
}

#[test]
fn the_valid_part_of_a_truncated_patch_is_offered() {
    let repo = TestRepo::new();
    for name in ["a.rs", "b.rs", "c.rs"] {
        repo.write(name, "one\ntwo\nthree\n");
    }
    repo.commit("base");
    for name in ["a.rs", "b.rs", "c.rs"] {
        repo.write(name, "one\nTWO\nthree\n");
    }
    let patch = repo.text(["diff"]);
    let broken = &patch[..patch.find("c.rs b/c.rs").expect("the third file") + 70];
    repo.write("broken.patch", broken);
    let run = |more: &[&str]| {
        let args: Vec<&str> = ["prepare", "--patch", "broken.patch"].iter().chain(more).copied().collect();
        Installation::new().run(repo.path(), &args)
    };
    let refused = run(&[]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.contains("line ") && refused.stderr.contains("--partial"), "{refused:?}");
    let partial = run(&["--partial", "--json"]);
    assert_eq!(partial.code, 0, "{partial:?}");
    let prepared = partial.json();
    assert!(prepared["diff"].as_str().is_some_and(|diff| diff.contains("b/a.rs") && diff.contains("b/b.rs")));
    let ignored = prepared["ignored"].as_array().expect("ignored");
    assert!(ignored.iter().any(|file| file["reason"] == "unreadable" && file["path"] == "the rest of the patch"));
}

#[test]
fn config_lists_the_settings_that_the_page_has_saved() {
    let installation = Installation::new();
    let folder = installation.config();
    let config = |args: &[&str]| installation.run(&folder, &[&["config"], args].concat());
    let listed = || {
        let ran = config(&["look.", "keys.", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let settings = ran.json()["settings"].as_array().expect("settings").clone();
        let text = |one: &serde_json::Value| {
            let origin = one["origin"].as_str().expect("an origin").split(" (").next().expect("its name");
            format!("{} = {}, {origin}", one["key"].as_str().expect("a key"), one["value"])
        };
        settings.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(listed(), Vec::<String>::new(), "no page has started");
    let state = rusqlite::Connection::open(installation.data().join("diffsan.sqlite3")).expect("opened");
    let save = |text: &str| {
        let insert = "INSERT INTO state (key, value) VALUES ('settings', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        state.execute(insert, [text]).expect("saved");
    };
    // The command does not know the names: the page may have any settings.
    save(
        r#"[{"key":"look.colour","value":"dark","is_default":false},{"key":"look.size","value":1,"is_default":true},
            {"key":"keys.history","value":"Mod+j","is_default":false}]"#,
    );
    assert_eq!(
        listed(),
        ["look.colour = \"dark\", the window", "look.size = 1, default", "keys.history = \"Mod+j\", the window"]
    );
    let ran = config(&[]);
    let line = ran.stdout.lines().find(|line| line.starts_with("look.colour")).expect("among all");
    assert!(line.contains("# the window (") && ran.stdout.contains("limits.max_files"), "{line}");
    let ran = config(&["set", "look.colour", "light"]);
    assert!(ran.code == 2 && ran.stderr.contains("can only be changed in the window"), "{ran:?}");
    for other in [r#"{"of":"another version"}"#, "[7]", "no JSON", ""] {
        save(other);
        assert_eq!(listed(), Vec::<String>::new(), "{other}");
    }
}

#[test]
fn every_setting_has_its_origin() {
    let repo = TestRepo::new();
    repo.write(".diffsan.toml", "[limits]\nmax_files = 7\n[agent]\ncodex_command = ['evil']\n");
    repo.commit("base");
    let installation = Installation::new().with("DIFFSAN_LIMITS__CONTEXT_LINES", "9");
    std::fs::write(installation.config().join("config.toml"), "[prompt]\nverbosity = 'high'\n").expect("written");
    let ran = installation.run(repo.path(), &["config", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.json();
    let origin = |key: &str| {
        let settings = told["settings"].as_array().expect("settings");
        let one = settings.iter().find(|one| one["key"] == key).unwrap_or_else(|| panic!("{key}"));
        (one["value"].to_string(), one["origin"].as_str().expect("text").rsplit('/').next().expect("text").to_owned())
    };
    assert_eq!(origin("limits.max_files"), ("7".into(), ".diffsan.toml".into()));
    assert_eq!(origin("limits.context_lines"), ("9".into(), "the environment".into()));
    assert_eq!(origin("prompt.verbosity"), ("\"high\"".into(), "config.toml".into()));
    assert_eq!(origin("limits.max_diff_chars"), ("200000".into(), "default".into()));
    assert_eq!(origin("agent.codex_command").0, "[]");
    assert_eq!(told["refused"], serde_json::json!(["agent.codex_command"]));
    let ran = installation.run(repo.path(), &["config", "limits"]);
    assert!(
        ran.stdout.lines().all(|line| line.starts_with("limits.")) && ran.stdout.contains("limits.max_files = 7"),
        "{ran:?}"
    );
}
