//! Sealed runs: bundles, their replay on another machine, every kind of tampering, and signatures.

mod tampering;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use diffsan_bundle::read_archive;
use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::secrets::Random;
use diffsan_test_support::stand_in::{StandIn, envelope, error_envelope};
use serde_json::{Value, json};

use self::tampering::{Files, packed, with_manifest};
use crate::support::{Installation, Ran, answer, read, read_json};

/// A reviewed change with its installation.
struct Case {
    installation: Installation,
    repo: TestRepo,
    stand_in: StandIn,
    files: tempfile::TempDir,
}

impl Case {
    /// Reviews a change. The agent gives these answers, one at each start.
    fn reviewed(answers: &[&str]) -> Self {
        let case = Self::new(answers.iter().map(|answer| envelope(answer)));
        let ran = case.run(&["review", "--agent", "cursor"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        case
    }

    fn new(outputs: impl Iterator<Item = String>) -> Self {
        let mut stand_in = StandIn::new();
        for (output, attempt) in outputs.zip(1..) {
            stand_in = stand_in.plays(attempt, &output, "", 0);
        }
        let repo = TestRepo::new();
        repo.write("a.rs", "fn main() {\n    let n = 3;\n}\n");
        repo.commit("base");
        repo.write("a.rs", "fn main() {\n    for i in 0..3 - 1 {}\n    start();\n}\n");
        let installation = Installation::new().with_stand_in(&stand_in).with("DIFFSAN_AGENT__MAX_RETRIES", "0");
        Self { installation, repo, stand_in, files: tempfile::tempdir().expect("a folder") }
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.installation.run(self.repo.path(), args)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// Seals the last run and returns the path of the bundle.
    fn sealed(&self, name: &str, more: &[&str]) -> PathBuf {
        let path = self.path(name);
        let text = path.display().to_string();
        let ran = self.run(&[&["bundle", "last", "--output", &text], more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        path
    }

    fn replay(&self, bundle: &Path, more: &[&str]) -> Ran {
        let text = bundle.display().to_string();
        self.run(&[&["replay", &text, "--json"], more].concat())
    }

    /// Replays a bundle that must be refused, and returns the kind of tampering and the file.
    fn refused(&self, bundle: &Path, more: &[&str]) -> (String, String) {
        let ran = self.replay(bundle, more);
        assert_eq!(ran.code, 2, "{ran:?}");
        let error = &ran.json()["error"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let file = text(&error["context"]["file"]);
        assert!(text(&error["message"]).contains(&file), "the message names the file: {error}");
        (text(&error["context"]["tampering"]), file)
    }
}

fn one() -> String {
    answer("a.rs", 2, "0..3 - 1")
}

/// An answer with a finding of [`one`] in other words, and another finding.
fn two() -> String {
    json!({ "summary_markdown": "Mostly fine.", "findings": [
        { "severity": "medium", "category": "correctness", "path": "a.rs", "line_start": 2, "line_end": 2,
          "title": "Off by one in the loop", "body_markdown": "The last one is missed here.", "quote": "0..3 - 1" },
        { "severity": "medium", "category": "correctness", "path": "a.rs", "line_start": 3, "line_end": 3,
          "title": "`start` is undefined", "body_markdown": "`start` is undefined.", "quote": "start();" },
    ] })
    .to_string()
}

#[test]
fn a_sealed_run_gives_the_same_review_on_another_machine() {
    let case = Case::reviewed(&[&two()]);
    let bundle = case.sealed("a.zip", &[]);
    let recorded = read(&case.installation.run_folder(), "review.json");
    assert!(recorded.contains("`start` is not defined"), "a claim that the repository decides: {recorded}");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let copy = elsewhere.path().join("renamed bundle.zip");
    std::fs::copy(bundle, &copy).expect("a copy");
    drop(case);
    let other =
        Installation::new().with("TZ", "Pacific/Kiritimati").with("LC_ALL", "tr_TR.UTF-8").with("LANG", "tr_TR.UTF-8");
    let ran = other.run(elsewhere.path(), &["replay", &copy.display().to_string(), "--json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, recorded.as_str()), "{}", ran.stderr);
    let text = other.run(elsewhere.path(), &["replay", &copy.display().to_string()]);
    assert!(
        text.stdout.contains("MEDIUM a.rs:3 verified correctness") && text.stderr.contains("not signed"),
        "{text:?}"
    );
    let markdown = other.run(elsewhere.path(), &["replay", &copy.display().to_string(), "--format", "markdown"]);
    assert!(markdown.stdout.contains("`start` is undefined"), "{markdown:?}");
}

#[test]
fn sealing_a_run_twice_gives_the_same_bytes() {
    let case = Case::reviewed(&[&one()]);
    let folder = case.installation.run_folder();
    let first = std::fs::read(case.sealed("a.zip", &[])).expect("a bundle");
    let id = folder.file_name().expect("a name").to_string_lossy().into_owned();
    for name in ["last", &id, &folder.display().to_string()] {
        let path = case.path("b.zip").display().to_string();
        let ran = case
            .installation
            .command(case.repo.path(), &["bundle", name, "--output", &path])
            .env("TZ", "Asia/Tokyo")
            .output();
        assert!(ran.expect("ran").status.success(), "{name}");
        assert!(std::fs::read(&path).expect("a bundle") == first, "{name}");
    }
    let missing = case.run(&["bundle", "20200101000000-abc", "--output", "x.zip"]);
    assert!(missing.code == 2 && missing.stderr.contains("There is no run"), "{missing:?}");
}

#[test]
fn a_file_that_the_run_did_not_write_is_not_sealed() {
    let case = Case::new([envelope(&one())].into_iter());
    let folder = case.path("artifacts");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("notes.txt"), "private").expect("written");
    let text = folder.display().to_string();
    let ran = case.run(&["review", "--agent", "cursor", "--run-dir", &text, "--set", "artifacts.raw_diff=true"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let path = case.path("a.zip").display().to_string();
    assert_eq!(case.run(&["bundle", &text, "--output", &path]).code, 0);
    let (files, _) = read_archive(&std::fs::read(path).expect("a bundle")).expect("an archive");
    assert!(!files.contains_key("notes.txt"), "a file of the user");
    assert!(!files.contains_key("diff.raw.patch") && folder.join("diff.raw.patch").exists(), "it is not masked");
    for name in
        ["prompt.txt", "agent.raw.txt", "events.jsonl", "diff.prepared.patch", "redaction.json", "settings.json"]
    {
        assert!(files.contains_key(name), "{name}");
    }
    let manifest: Value = serde_json::from_slice(&files["manifest.json"]).expect("JSON");
    assert_eq!(manifest["versions"]["sealed"], env!("CARGO_PKG_VERSION"));
    assert!(manifest["versions"]["redaction"].is_string(), "{manifest}");
}

#[test]
fn a_review_that_the_record_does_not_give_is_not_sealed() {
    let case = Case::reviewed(&[&one()]);
    let run = case.installation.run_folder();
    let original = read(&run, "review.json");
    std::fs::write(run.join("review.json"), original.replace("\"high\"", "\"low\"")).expect("written");
    let ran = case.run(&["bundle", "last", "--output", "c.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("findings.0.severity"), "{ran:?}");
    std::fs::write(run.join("review.json"), original).expect("written");
    std::fs::remove_file(run.join("events.jsonl")).expect("removed");
    let ran = case.run(&["bundle", "last", "--output", "c.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("events.jsonl of the run cannot be sealed"), "{ran:?}");
}

/// Creates an SSH key, and returns its path and its public part.
fn key(folder: &Path, name: &str) -> (String, String) {
    let path = folder.join(name);
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]).arg(&path).status();
    assert!(made.expect("ssh-keygen").success());
    (path.display().to_string(), std::fs::read_to_string(folder.join(format!("{name}.pub"))).expect("a key"))
}

#[test]
fn signatures_are_checked() {
    let case = Case::reviewed(&[&one()]);
    let ((mine, public), (_, other)) = (key(case.files.path(), "mine"), key(case.files.path(), "other"));
    let allowed = |name: &str, text: String| {
        std::fs::write(case.path(name), text).expect("written");
        case.path(name).display().to_string()
    };
    let known = allowed("known", format!("me@example.org {public}"));
    let unknown = allowed("unknown", format!("you@example.org {other}"));
    let for_git = allowed("git", format!("me@example.org namespaces=\"git\" {public}"));
    let signed = case.sealed("a.zip", &["--sign", &mine]);
    let ran = case.replay(&signed, &["--allowed-signers", &known]);
    assert!(ran.code == 0 && ran.stderr.contains("signed by me@example.org"), "{ran:?}");
    let ran = case.replay(&signed, &[]);
    assert!(ran.code == 0 && ran.stderr.contains("ED25519 SHA256:"), "{ran:?}");
    for file in [&unknown, &for_git] {
        assert_eq!(case.refused(&signed, &["--allowed-signers", file]).0, "unknown_signer");
    }
    let missing = case.replay(&signed, &["--allowed-signers", "/nowhere"]);
    assert!(missing.code == 2 && missing.stderr.contains("does not exist"), "{missing:?}");
    let unsigned = case.sealed("b.zip", &[]);
    assert_eq!(case.refused(&unsigned, &["--allowed-signers", &known]).0, "unsigned");

    // Another program checks the signature.
    let (files, _) = read_archive(&std::fs::read(&signed).expect("a bundle")).expect("an archive");
    std::fs::write(case.path("sig"), &files["manifest.json.sig"]).expect("written");
    let args = ["-Y", "verify", "-n", "diffsan-bundle", "-I", "me@example.org", "-f", &known, "-s"];
    let mut check =
        Command::new("ssh-keygen").args(args).arg(case.path("sig")).stdin(Stdio::piped()).spawn().expect("started");
    check.stdin.take().expect("a pipe").write_all(&files["manifest.json"]).expect("written");
    assert!(check.wait().expect("ended").success());

    // A manifest that was changed together with its comment.
    let refused = |change: &dyn Fn(&mut Files)| {
        let mut files = files.clone();
        change(&mut files);
        std::fs::write(case.path("c.zip"), packed(&files)).expect("written");
        let with = case.refused(&case.path("c.zip"), &["--allowed-signers", &known]);
        assert_eq!(with, case.refused(&case.path("c.zip"), &[]));
        with
    };
    let wrong = ("wrong_signature".to_owned(), "manifest.json.sig".to_owned());
    assert_eq!(refused(&|files| with_manifest(files, |manifest| manifest["run_id"] = json!("another"))), wrong);
    assert_eq!(refused(&|files| drop(files.insert("manifest.json.sig".into(), b"no signature".to_vec()))), wrong);
    let of_git = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", "git", "-f", &mine])
        .arg({
            std::fs::write(case.path("manifest"), &files["manifest.json"]).expect("written");
            case.path("manifest")
        })
        .status();
    assert!(of_git.expect("ssh-keygen").success());
    let other_purpose = std::fs::read(case.path("manifest.sig")).expect("a signature");
    assert_eq!(refused(&|files| drop(files.insert("manifest.json.sig".into(), other_purpose.clone()))), wrong);

    let no_key = case.run(&["bundle", "last", "--output", "d.zip", "--sign", "/nowhere"]);
    assert!(no_key.code == 2 && no_key.stderr.contains("cannot be signed"), "{no_key:?}");
    assert!(!case.repo.path().join("d.zip").exists(), "no bundle without the signature");
}

#[test]
fn no_secret_is_in_a_bundle_and_masked_answers_are_replayed() {
    let mut random = Random::new(7);
    let mut token = |prefix: &str, length| format!("{prefix}{}", random.alnum(length));
    let (in_code, in_answer, in_quote) = (token("ghp_", 36), token("glpat-", 20), token("sk_live_", 24));
    let (in_name, in_error) = (token("ghp_", 36), token("glpat-", 20));
    let reply = json!({ "summary_markdown": format!("The token {in_answer} is in \"the code\"."), "findings": [
        { "severity": "high", "category": "security", "path": "a.rs", "line_start": 2, "line_end": 2, "title": format!("Token {in_code}"),
          "body_markdown": format!("```\nlet token = \"{in_code}\";\npassword = \"{in_quote}\"\n```"),
          "quote": format!("let token = \"{in_code}\";") },
        { "severity": "low", "category": "security", "path": "a.rs", "line_start": 3, "line_end": 3, "title": "A password",
          "body_markdown": "In the code.", "quote": format!("let password = \"{in_quote}\";"), "finding_id": in_name },
        { "severity": "blocker", "category": "security", "path": "a.rs", "line_start": 3, "line_end": 3, "title": in_answer,
          "body_markdown": "It cannot be read." },
    ] });
    let mut case = Case::new(std::iter::repeat_n(envelope(&reply.to_string()), 3));
    for attempt in 1..=3 {
        case.stand_in = case.stand_in.plays(attempt, &envelope(&reply.to_string()), &format!("warning: {in_error}"), 0);
    }
    case.repo.write(
        "a.rs",
        format!("fn main() {{\n    let token = \"{in_code}\";\n    let password = \"{in_quote}\";\n}}\n"),
    );
    let ran = case.run(&["review", "--agent", "cursor", "--set", "artifacts.raw_diff=true"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let bundle = case.sealed("a.zip", &[]);
    let bytes = std::fs::read(&bundle).expect("a bundle");
    let (files, _) = read_archive(&bytes).expect("an archive");
    for secret in [in_code, in_answer, in_quote, in_name, in_error] {
        for (name, content) in
            files.iter().map(|(name, content)| (name.as_str(), content)).chain([("the zip file", &bytes)])
        {
            let leaks = content.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!leaks, "{secret} is in {name}");
        }
    }
    let run = case.installation.run_folder();
    let recorded = read(&run, "review.json");
    assert!(recorded.contains("[REDACTED]"), "{recorded}");
    let ran = case.replay(&bundle, &[]);
    assert_eq!((ran.code, ran.stdout), (0, recorded), "{}", ran.stderr);
    // The masking of the whole output changes its findings, so the answer that was masked field by field is recorded.
    assert_eq!(read_json(&run, "placing.json")["answers"][0]["form"], "accepted");
}

#[test]
fn keys_of_findings_are_not_masked_in_run_folders() {
    // The keys of some of these look like secrets to the redaction.
    let finding = |number: usize| {
        json!({ "severity": "low", "category": "other", "path": "a.rs", "line_start": 2, "line_end": 2,
        "title": format!("Remark {number} about {number}"), "body_markdown": format!("Text {number}.") })
    };
    let findings: Vec<Value> = (0..40).map(finding).collect();
    let case = Case::reviewed(&[&json!({ "summary_markdown": "s", "findings": findings }).to_string()]);
    let review = read_json(&case.installation.run_folder(), "review.json");
    for finding in review["findings"].as_array().expect("findings") {
        let (key, code) = (finding["key"].as_str().expect("a key"), finding["code"].as_str().unwrap_or_default());
        assert!(diffsan_review::rounds::is_key(key), "{key}");
        assert!(!code.contains("REDACTED"), "{code}");
    }
}

/// Changes `run.json` of a run.
fn with_record(run: &Path, change: impl FnOnce(&mut Value)) {
    let mut record = read_json(run, "run.json");
    change(&mut record);
    std::fs::write(run.join("run.json"), record.to_string()).expect("written");
}

#[test]
fn a_run_without_a_result_is_not_sealed() {
    let failed = Case::new([error_envelope("no")].into_iter());
    assert_ne!(failed.run(&["review", "--agent", "cursor"]).code, 0);
    let ran = failed.run(&["bundle", "last", "--output", "a.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("failed, so it has no review to seal"), "{ran:?}");

    let case = Case::reviewed(&[&one()]);
    let run = case.installation.run_folder();
    with_record(&run, |record| record["state"] = json!("running"));
    let ran = case.run(&["bundle", "last", "--output", "a.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("was cut off"), "{ran:?}");

    // A run of an earlier version.
    with_record(&run, |record| {
        record["state"] = json!("done");
        record.as_object_mut().expect("an object").remove("files");
    });
    let ran = case.run(&["bundle", "last", "--output", "a.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("earlier version"), "{ran:?}");
    assert!(!case.repo.path().join("a.zip").exists());
}

#[test]
fn a_clock_that_ran_backwards_changes_nothing() {
    let case = Case::reviewed(&[&one()]);
    let run = case.installation.run_folder();
    with_record(&run, |record| record["finished_at"] = json!("1999-12-31T23:59:59.000Z"));
    let mut events: Vec<String> = read(&run, "events.jsonl").lines().map(str::to_owned).collect();
    events.reverse();
    std::fs::write(run.join("events.jsonl"), events.join("\n") + "\n").expect("written");
    let bundle = case.sealed("a.zip", &[]);
    let ran = case.replay(&bundle, &[]);
    assert_eq!((ran.code, ran.stdout), (0, read(&run, "review.json")), "{}", ran.stderr);
}

#[test]
fn another_agent_is_asked_the_same_prompt_and_compared() {
    let case = Case::reviewed(&[&one(), &two()]);
    let bundle = case.sealed("a.zip", &[]);
    let ran = case.replay(&bundle, &["--agent", "cursor"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(case.stand_in.given("stdin", 1), case.stand_in.given("stdin", 2), "the same prompt");
    let comparison = ran.json();
    let titles =
        |list: &Value| list.as_array().expect("findings").iter().map(|one| one["title"].clone()).collect::<Vec<_>>();
    assert_eq!(comparison["same"].as_array().map(Vec::len), Some(1), "{comparison}");
    assert_eq!(comparison["same"][0]["other"]["title"], "Off by one in the loop");
    assert_eq!(titles(&comparison["only_other"]), [json!("`start` is undefined")]);
    assert_eq!(titles(&comparison["only_sealed"]), Vec::<Value>::new());
    assert_eq!(comparison["only_other"][0]["anchor"]["state"], "verified");
    let unknown = case.replay(&bundle, &["--agent", "nobody"]);
    assert!(unknown.code == 3 && unknown.stderr.contains("no agent named"), "{unknown:?}");
    let built_in = case.replay(&bundle, &["--agent", "capability"]);
    assert!(built_in.code == 2 && built_in.stderr.contains("answers no prompts"), "{built_in:?}");
}

#[test]
fn a_review_of_several_parts_is_replayed() {
    let case = Case::new([one(), answer("b.rs", 2, "0..3 - 1")].iter().map(|answer| envelope(answer)));
    case.repo.write("b.rs", "fn main() {\n    let n = 3;\n}\n");
    case.repo.git(["add", "b.rs"]);
    case.repo.git(["commit", "-q", "-m", "b"]);
    case.repo.write("b.rs", "fn main() {\n    for i in 0..3 - 1 {}\n}\n");
    let split = ["--set", "limits.strategy=split", "--set", "limits.max_diff_chars=150"];
    let ran = case.run(&[&["review", "--agent", "cursor"], &split[..]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let run = case.installation.run_folder();
    let review = read_json(&run, "review.json");
    assert_eq!((review["meta"]["batches"].clone(), review["findings"].as_array().map(Vec::len)), (json!(2), Some(2)));
    assert!(review["summary_markdown"].as_str().expect("text").contains("**Part 2 of 2.** It works."), "{review}");
    let ran = case.replay(&case.sealed("a.zip", &[]), &[]);
    assert_eq!((ran.code, ran.stdout), (0, read(&run, "review.json")), "{}", ran.stderr);
}

#[test]
fn a_review_of_the_capability_reviewer_is_replayed() {
    let case = Case::new(std::iter::empty());
    let ran = case.run(&["review", "--agent", "capability"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let bundle = case.sealed("a.zip", &[]);
    let ran = case.replay(&bundle, &[]);
    assert_eq!((ran.code, ran.stdout), (0, read(&case.installation.run_folder(), "review.json")), "{}", ran.stderr);
    let ran = case.replay(&bundle, &["--agent", "cursor"]);
    assert!(ran.code == 2 && ran.stderr.contains("sent no prompt"), "{ran:?}");
}
