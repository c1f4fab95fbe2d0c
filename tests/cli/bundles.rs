//! Sealed runs: bundles, their replay on another machine, every kind of tampering, and signatures.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use diffsan_bundle::{comment, read_archive, write_archive};
use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::secrets::Random;
use diffsan_test_support::stand_in::{StandIn, envelope, error_envelope};
use serde_json::{Value, json};

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

type Files = BTreeMap<String, Vec<u8>>;

/// Writes files as a bundle, with a comment that fits their manifest.
fn packed(files: &Files) -> Vec<u8> {
    write_archive(files, &comment(&files["manifest.json"])).expect("an archive")
}

/// Changes the manifest.
fn with_manifest(files: &mut Files, change: impl FnOnce(&mut Value)) {
    let mut manifest = serde_json::from_slice(&files["manifest.json"]).expect("JSON");
    change(&mut manifest);
    files.insert("manifest.json".to_owned(), serde_json::to_vec(&manifest).expect("JSON"));
}

/// Replaces bytes everywhere by as many others.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let (mut out, mut at) = (bytes.to_vec(), 0);
    while let Some(next) = out[at..].windows(from.len()).position(|window| window == from.as_bytes()) {
        out[at + next..at + next + from.len()].copy_from_slice(to.as_bytes());
        at += next + from.len();
    }
    assert!(at > 0, "{from} is there");
    out
}

/// Returns the position of the nth header with this signature that names a file.
fn header(bytes: &[u8], signature: &[u8], name_at: usize, name: &str) -> usize {
    let is_header =
        |at: &usize| bytes[*at..].starts_with(signature) && bytes[*at + name_at..].starts_with(name.as_bytes());
    (0..bytes.len() - name_at).find(is_header).expect("a header")
}

/// The central header of a file: its signature and the offset of the name.
const CENTRAL: (&[u8], usize) = (b"PK\x01\x02", 46);
/// The local header of a file.
const LOCAL: (&[u8], usize) = (b"PK\x03\x04", 30);

/// Sets the declared size of a file in both headers.
fn with_size(bytes: &[u8], name: &str, size: u32) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for ((signature, name_at), size_at) in [(CENTRAL, 24), (LOCAL, 22)] {
        let at = header(&out, signature, name_at, name) + size_at;
        out[at..at + 4].copy_from_slice(&size.to_le_bytes());
    }
    out
}

#[test]
fn every_kind_of_tampering_is_named() {
    let case = Case::reviewed(&[&one()]);
    let whole = std::fs::read(case.sealed("a.zip", &[])).expect("a bundle");
    let (files, written) = read_archive(&whole).expect("an archive");
    let edited = |change: &dyn Fn(&mut Files)| {
        let mut files = files.clone();
        change(&mut files);
        packed(&files)
    };
    let flipped = |name: &str| {
        let mut out = whole.clone();
        let at = header(&out, LOCAL.0, LOCAL.1, name) + LOCAL.1 + name.len() + 10;
        out[at] ^= 0x20;
        out
    };
    let table: Vec<(&str, &str, &str, Vec<u8>)> = vec![
        (
            "a changed file",
            "changed",
            "answer.json",
            edited(&|files| files.get_mut("answer.json").expect("a file")[20] ^= 1),
        ),
        ("a byte of the packed data", "changed", "prompt.txt", flipped("prompt.txt")),
        (
            "a longer file",
            "changed",
            "events.jsonl",
            edited(&|files| files.get_mut("events.jsonl").expect("a file").push(b'\n')),
        ),
        ("a missing file", "missing", "redaction.json", edited(&|files| drop(files.remove("redaction.json")))),
        (
            "an additional file",
            "added",
            "more.txt",
            edited(&|files| drop(files.insert("more.txt".into(), b"x".to_vec()))),
        ),
        (
            "a renamed file",
            "renamed",
            "prompt.txt",
            edited(&|files| {
                let content = files.remove("prompt.txt").expect("a file");
                files.insert("prompt.old.txt".into(), content);
            }),
        ),
        ("a cut file", "truncated", "", whole[..whole.len() - 40].to_vec()),
        ("the first half", "truncated", "", whole[..whole.len() / 2].to_vec()),
        ("no zip file", "truncated", "", b"PK\x03\x04 this is no zip file".to_vec()),
        ("bytes before", "hidden_data", "", [b"#!/bin/sh\n".as_slice(), &whole].concat()),
        ("bytes behind", "hidden_data", "", [&whole, b"more".as_slice()].concat()),
        ("a changed manifest", "manifest_changed", "manifest.json", {
            let mut files = files.clone();
            with_manifest(&mut files, |manifest| manifest["run_id"] = json!("another"));
            write_archive(&files, &written).expect("an archive")
        }),
        ("no manifest", "no_manifest", "manifest.json", {
            let mut files = files.clone();
            files.remove("manifest.json");
            write_archive(&files, &written).expect("an archive")
        }),
        (
            "a manifest of another form",
            "bad_manifest",
            "manifest.json",
            edited(&|files| {
                with_manifest(files, |manifest| drop(manifest.as_object_mut().expect("an object").remove("files")));
            }),
        ),
        (
            "a manifest that names a file outside",
            "name",
            "../outside",
            edited(&|files| {
                with_manifest(files, |manifest| manifest["files"][0]["path"] = json!("../outside"));
            }),
        ),
        ("a name that leads out", "name", "../prompt.", replaced(&whole, "prompt.txt", "../prompt.")),
        ("an absolute name", "name", "/rompt.txt", replaced(&whole, "prompt.txt", "/rompt.txt")),
        ("a name with a backslash", "name", r"..\\mpt.txt", replaced(&whole, "prompt.txt", r"..\mpt.txt")),
        (
            "a name twice",
            "duplicate",
            "answer.json",
            replaced(
                &edited(&|files| {
                    drop(files.insert("answer.jsoN".into(), b"{}".to_vec()));
                }),
                "answer.jsoN",
                "answer.json",
            ),
        ),
        ("a link", "not_a_file", "prompt.txt", {
            let mut out = whole.clone();
            let at = header(&out, CENTRAL.0, CENTRAL.1, "prompt.txt") + 38;
            out[at..at + 4].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
            out
        }),
        ("a file that claims to be huge", "too_large", "prompt.txt", with_size(&whole, "prompt.txt", u32::MAX - 1)),
        ("a file that is larger than it claims", "changed", "prompt.txt", with_size(&whole, "prompt.txt", 10)),
    ];
    for (what, kind, file, bytes) in table {
        let path = case.path("tampered.zip");
        std::fs::write(&path, bytes).expect("written");
        let (found, named) = case.refused(&path, &[]);
        assert_eq!(found, kind, "{what}");
        assert_eq!(named, file, "{what}");
    }
    assert_eq!(case.replay(&case.path("a.zip"), &[]).code, 0, "the bundle itself is valid");
}

#[test]
fn thousands_of_files_and_bundles_of_later_versions_are_refused() {
    let case = Case::reviewed(&[&one()]);
    let (files, _) = read_archive(&std::fs::read(case.sealed("a.zip", &[])).expect("a bundle")).expect("an archive");
    let path = case.path("b.zip");
    let mut many = files.clone();
    many.extend((0..10_001).map(|number| (format!("more/{number}"), Vec::new())));
    std::fs::write(&path, packed(&many)).expect("written");
    assert_eq!(case.refused(&path, &[]).0, "too_large");

    let mut newer = files.clone();
    with_manifest(&mut newer, |manifest| {
        manifest["format"] = json!(2);
        manifest["unknown"] = json!(true);
    });
    std::fs::write(&path, packed(&newer)).expect("written");
    let ran = case.replay(&path, &[]);
    assert!(ran.code == 2 && ran.stderr.contains("later version") && ran.stderr.contains("Update diffsan"), "{ran:?}");

    // A record of a later version in a bundle of this one.
    let run = case.installation.run_folder();
    let mut record = read_json(&run, "placing.json");
    record["format"] = json!(2);
    std::fs::write(run.join("placing.json"), record.to_string()).expect("written");
    let ran = case.run(&["bundle", "last", "--output", "c.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("later version"), "{ran:?}");
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
