//! `prepare`, `prompt`, `agents`, `schema`, `completions`.

use diffsan_test_support::repo::TestRepo;

use crate::support::Installation;

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/a.rs", "fn a() {}\n");
    repo.write("README.md", "# x\n");
    repo.write("package-lock.json", "{}\n");
    repo.commit("base");
    repo
}

fn change(repo: &TestRepo) {
    repo.write("src/a.rs", "fn a() {}\nfn b() { let token = \"zq9-geheim-1\"; }\n");
    repo.write("README.md", "# y\n");
    repo.write("package-lock.json", "{\"a\":1}\n");
    repo.write("new.py", "print(1)\n");
}

#[test]
fn every_target_gives_its_change() {
    let repo = repo();
    change(&repo);
    let files = |args: &[&str]| -> Vec<String> {
        let args: Vec<&str> =
            ["prepare", "--json", "--set", "prepare.ignore_generated=false"].iter().chain(args).copied().collect();
        let ran = Installation::new().run(repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let prepared = ran.json();
        let files = prepared["coverage"]["files"].as_array().expect("files").clone();
        files.iter().map(|file| file["path"].as_str().expect("a path").to_owned()).collect()
    };
    assert_eq!(files(&["--unstaged"]), ["README.md", "package-lock.json", "src/a.rs"]);
    assert_eq!(files(&["--all"]), ["README.md", "new.py", "package-lock.json", "src/a.rs"]);
    assert_eq!(files(&["--tracked"]), ["README.md", "package-lock.json", "src/a.rs"]);
    assert_eq!(files(&["--staged"]), Vec::<String>::new());
    repo.git(["checkout", "-q", "-b", "topic"]);
    repo.git(["add", "-A"]);
    assert_eq!(files(&["--staged"]).len(), 4);
    repo.commit("topic");
    repo.git(["checkout", "-q", "main"]);
    repo.write("other", "x\n");
    repo.commit("meanwhile");
    repo.git(["checkout", "-q", "topic"]);
    assert_eq!(files(&["--commit", "HEAD"]).len(), 4);
    assert_eq!(files(&["--range", "main...topic"]).len(), 4);
    assert_eq!(files(&["--range", "main..topic"]).len(), 5);
    assert_eq!(files(&["--branch"]).len(), 4);
    assert_eq!(files(&[]).len(), 4, "a clean topic branch is what there is to review");
    let patch = repo.git(["diff", "main...topic"]);
    let ran = Installation::new().run_with(repo.path(), &["prepare", "--patch", "-", "--json"], patch.as_slice());
    assert_eq!(ran.json()["coverage"]["files"].as_array().map(Vec::len), Some(4), "{ran:?}");
}

#[test]
fn folded_hunks_are_listed_and_can_be_sent() {
    let repo = TestRepo::new();
    repo.write("a.js", "function a() {\n  b();\n}\n");
    repo.write("b.js", "const limit = 1;\n");
    repo.commit("base");
    repo.write("a.js", "function a() {\n    b();\n}\n");
    repo.write("b.js", "const limit = 2;\n");
    let run = |args: &[&str]| {
        let args: Vec<&str> = ["prepare", "--unstaged"].iter().chain(args).copied().collect();
        let ran = Installation::new().run(repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    };
    let prepared = run(&["--json"]).json();
    assert!(!prepared["diff"].as_str().expect("a diff").contains("a.js"), "{prepared}");
    assert_eq!(prepared["folded"][0]["reasons"], serde_json::json!(["whitespace"]));
    assert_eq!(prepared["coverage"]["files"][0]["state"], "folded");
    let said = run(&[]).stderr;
    assert!(said.contains("folded: a.js @@ -1,3 +1,3 @@: 2 changed lines: only whitespace"), "{said}");
    let whole = run(&["--json", "--set", "prepare.leave_out_folded=false"]).json();
    assert_eq!(whole["folded"], serde_json::json!([]));
    assert!(whole["diff"].as_str().expect("a diff").contains("+    b();"), "{whole}");
}

#[test]
fn ignored_cut_and_masked_parts_are_listed() {
    let repo = repo();
    change(&repo);
    let ran = Installation::new().run(repo.path(), &["prepare"]);
    assert!(ran.stdout.contains("[REDACTED:keyed-value:1]") && !ran.stdout.contains("geheim"), "{ran:?}");
    assert!(ran.stdout.find("src/a.rs") < ran.stdout.find("README.md"), "source comes before documents");
    assert!(ran.stderr.contains("ignored: package-lock.json"), "{ran:?}");
    assert!(ran.stderr.contains("masked: src/a.rs: 1 value at 1 place (keyed-value)"), "{ran:?}");
    assert!(ran.stderr.contains("  src/a.rs:2: keyed-value: its key contains"), "{ran:?}");
    let ran = Installation::new().run(repo.path(), &["prepare", "--set", "limits.max_files=1"]);
    assert!(ran.stderr.contains("cut: README.md"), "{ran:?}");
}

#[test]
fn long_reports_are_summarised_by_reason_and_folder() {
    let repo = repo();
    for at in 0..40 {
        repo.write(format!("src/part{at}.rs"), format!("fn part_{at}() {{}}\n"));
        repo.write(format!("lib/key{at}.rs"), format!("const PASSWORD: &str = \"zq9-geheim-{at}\";\n"));
    }
    repo.git(["add", "-A"]);
    let run = |args: &[&str]| {
        let args: Vec<&str> = ["prepare", "--staged"].iter().chain(args).copied().collect();
        let ran = Installation::new().run(repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    };
    let said = run(&["--set", "limits.max_files=50"]).stderr;
    assert!(said.contains("cut: 30 in ") && said.contains("(whole file)"), "{said}");
    assert!(said.contains("cut: 30 in all; --verbose or --json lists them"), "{said}");
    assert!(said.contains("masked: 40 places in all"), "{said}");
    assert!(said.lines().count() < 40, "{said}");
    let said = run(&["--set", "limits.max_files=50", "--verbose"]).stderr;
    assert_eq!(said.lines().filter(|line| line.starts_with("cut: ")).count(), 30, "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("  lib/key")).count(), 40, "{said}");
    let parts = ["--set", "limits.strategy=split", "--set", "limits.max_diff_tokens=1500"];
    let said = run(&parts).stderr;
    let part = said.lines().find(|line| line.starts_with("part 1 of ")).expect("a part");
    assert!(part.contains(" files: ") && !part.contains(".rs"), "{said}");
    let said = run(&[&parts[..], &["--verbose"]].concat()).stderr;
    assert!(said.lines().any(|line| line.starts_with("part 1 of ") && line.contains(".rs")), "{said}");
}

#[test]
fn the_fingerprint_does_not_depend_on_git_settings() {
    let repo = repo();
    change(&repo);
    let fingerprint = || {
        let ran = Installation::new().run(repo.path(), &["prepare", "--unstaged", "--json"]);
        ran.json()["fingerprint"]["value"].as_str().expect("hex").to_owned()
    };
    let before = fingerprint();
    for (key, value) in
        [("diff.context", "9"), ("diff.noprefix", "true"), ("diff.algorithm", "histogram"), ("core.abbrev", "20")]
    {
        repo.git(["config", key, value]);
    }
    assert_eq!(fingerprint(), before);
    repo.write("README.md", "# z\n");
    assert_ne!(fingerprint(), before);
}

#[test]
fn the_prompt_is_exact_and_can_be_overridden() {
    let repo = repo();
    change(&repo);
    let installation = Installation::new();
    let ran =
        installation.run(repo.path(), &["prompt", "--agent", "cursor", "--json", "--instructions", "Mind the gap."]);
    let prompt = ran.json();
    let text = prompt["text"].as_str().expect("text");
    for part in ["You are diffsan", "Return ONLY a JSON object", "Mind the gap.", "## rust", "+fn b()"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("geheim"));
    assert!(prompt["tokens"].as_u64().expect("a number") > 100);
    std::fs::create_dir_all(installation.config().join("prompts")).expect("a folder");
    std::fs::write(installation.config().join("prompts/review.md"), "MINE {{ diff }}").expect("written");
    let ran = installation.run(repo.path(), &["prompt"]);
    assert!(ran.stdout.starts_with("MINE diff --git"), "{ran:?}");
    std::fs::write(installation.config().join("prompts/review.md"), "a\n{{ nothing }}").expect("written");
    let ran = installation.run(repo.path(), &["prompt"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("review.md: line 2"), "{ran:?}");
    let ran = installation.run(repo.path(), &["prompt", "system"]);
    assert!(ran.stdout.starts_with("You are diffsan"), "{ran:?}");
}

#[test]
fn agents_schemas_and_completions_are_printed() {
    let repo = repo();
    let installation = Installation::new();
    let agents = installation.run(repo.path(), &["agents", "--json"]).json();
    assert_eq!(agents["default"], "capability");
    assert_eq!(agents["agents"][0]["name"], "codex");
    for name in ["agent-output", "agent-output-strict", "review", "config", "openrpc"] {
        let schema = installation.run(repo.path(), &["schema", name]).json();
        assert!(schema.is_object(), "{name}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(installation.run(repo.path(), &["completions", shell]).stdout.contains("diffsan"), "{shell}");
    }
}

#[test]
fn the_enclosing_function_is_sent_where_the_budget_has_room() {
    let repo = TestRepo::new();
    let body = |last: &str| {
        let lines: String = (1..=20).map(|line| format!("    let x{line} = {line};\n")).collect();
        format!("fn before() {{}}\n\nfn long() {{\n{lines}    {last}\n}}\n\nfn after() {{}}\n")
    };
    repo.write("a.rs", body("old()"));
    repo.commit("base");
    repo.write("a.rs", body("new()"));
    let prepared = |more: &[&str]| {
        let args: Vec<&str> = ["prepare", "--json"].iter().chain(more).copied().collect();
        Installation::new().run(repo.path(), &args).json()
    };
    let plain = prepared(&[]);
    let diff = |value: &serde_json::Value| value["diff"].as_str().expect("a diff").to_owned();
    assert!(!diff(&plain).contains("let x1 = 1;"));
    let whole = prepared(&["--set", "limits.context=function"]);
    assert!(diff(&whole).contains("@@ -3,25 +3,25 @@\n fn long() {\n     let x1 = 1;"), "{}", diff(&whole));
    assert!(!diff(&whole).contains("fn before"));
    assert_eq!(whole["fingerprint"], plain["fingerprint"], "what is shown around a change is not the change");
    let tight = prepared(&["--set", "limits.context=function", "--set", "limits.max_diff_chars=300"]);
    assert_eq!(diff(&tight), diff(&plain), "no room for more");
    let ten = prepared(&["--set", "limits.context_lines=10"]);
    assert!(diff(&ten).contains("let x11 = 11;") && !diff(&ten).contains("let x10 = 10;"), "{}", diff(&ten));
    let none = prepared(&["--set", "limits.context_lines=0"]);
    assert!(diff(&none).contains("@@ -24 +24 @@"), "{}", diff(&none));
}
