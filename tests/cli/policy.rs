//! `diffsan policy` and the capability reviewer from outside: their findings, their bounds, and that they only read.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::Value;

use crate::support::{Installation, read_json};

const CALLS: &str = "import { notificationClient } from './clients/notificationClient';\n\nexport async function refund(email: string) {\n  await notificationClient.sendRefundNotice(email);\n}\n";
const SENDS: &str = "import { Resend } from 'resend';\n\nconst resend = new Resend('k');\n\nexport const notificationClient = {\n  async sendRefundNotice(email: string) {\n    return resend.emails.send({ to: email });\n  },\n};\n";

/// Creates a repository whose work tree adds a call of a wrapper that sends email.
fn shop() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/refund.ts", "export async function refund(email: string) {}\n");
    repo.write("src/clients/notificationClient.ts", SENDS);
    repo.write("package.json", "{ \"dependencies\": { \"resend\": \"^3\" } }\n");
    repo.commit("base");
    repo.write("src/refund.ts", CALLS);
    repo
}

fn evidence(finding: &Value) -> Vec<(String, u64)> {
    let places = finding["evidence"].as_array().expect("evidence").iter();
    places
        .map(|place| (place["file"].as_str().expect("a file").to_owned(), place["line"].as_u64().expect("a line")))
        .collect()
}

#[test]
fn a_contract_is_checked_through_a_wrapper() {
    let (home, repo) = (Installation::new(), shop());
    repo.write("contract.json", "[{\"modal\": \"MUST_NOT\", \"action\": \"send\", \"resource\": \"email\"}]");
    let args = ["policy", "--contract", "contract.json", "--json", "--fail-on-violation"];
    let ran = home.run(repo.path(), &args);
    assert_eq!(ran.code, 1, "{ran:?}");
    let report = ran.json();
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 1, "{findings:?}");
    let finding = &findings[0];
    assert_eq!((finding["judgment"].as_str(), finding["severity"].as_str()), (Some("violation"), Some("warning")));
    assert_eq!(finding["source"], "capability_reviewer");
    assert_eq!(
        evidence(finding),
        [("src/refund.ts".to_owned(), 4), ("src/clients/notificationClient.ts".to_owned(), 7)]
    );
    let folder = home.run_folder();
    assert_eq!(read_json(&folder, "policy.json"), report);
    assert_eq!(read_json(&folder, "run.json")["state"], "done");
}

#[test]
fn a_contract_holds_for_the_code_that_it_names() {
    let (home, repo) = (Installation::new(), shop());
    for (contract, judgment) in [
        ("Only the notification client may send email.", "no_violation"),
        ("No email, except from `src/clients/`.", "no_violation"),
        ("Only the gateway may send email.", "unknown"),
        ("The refund module must not send email.", "violation"),
    ] {
        repo.write("contract.md", contract);
        let report = home.run(repo.path(), &["policy", "--contract", "contract.md", "--json"]).json();
        assert_eq!(report["findings"][0]["judgment"], judgment, "{contract}: {report}");
    }
}

#[test]
fn a_change_with_code_that_is_not_read_can_be_refused() {
    let (home, repo) = (Installation::new(), shop());
    repo.write("contract.json", "[{\"modal\": \"MUST_NOT\", \"action\": \"send\", \"resource\": \"email\"}]");
    repo.write("deploy.ps1", "");
    repo.commit("a script");
    repo.write("src/refund.ts", "export async function refund(email: string) {\n  return email.length;\n}\n");
    repo.write("deploy.ps1", "Send-MailMessage -To a@example.org\n");
    let run = |flag| home.run(repo.path(), &["policy", "--contract", "contract.json", flag]).code;
    assert_eq!((run("--fail-on-violation"), run("--fail-on-unknown")), (0, 1));
}

#[test]
fn a_contract_that_cannot_be_read_passes_no_gate() {
    let (home, repo) = (Installation::new(), shop());
    for (name, text, expected) in [
        ("broken.toml", "effects = [\"MUST NOT send email\"\n", "the file cannot be read"),
        ("key.toml", "efects = [\"MUST NOT send email\"]\n", "`efects` is not a key of a contract"),
        ("empty.toml", "", "it has no statement"),
        ("broken.json", "[{\"modal\": ", "the file cannot be read"),
    ] {
        repo.write(name, text);
        let ran = home.run(repo.path(), &["policy", "--contract", name, "--fail-on-violation"]);
        assert!(ran.code > 1 && ran.stderr.contains(expected), "{name}: {ran:?}");
    }
    // The contract of the repository's target side. The change cannot replace it with one of its own.
    let (home, repo) = (Installation::new(), shop());
    repo.write("contracts.toml", "effects = [\"MUST NOT send email\"\n");
    repo.commit("a broken contract");
    repo.write("src/refund.ts", format!("{CALLS}// again\n"));
    repo.write("contracts.toml", "effects = [\"MAY send email\"]\n");
    let ran = home.run(repo.path(), &["policy", "--fail-on-violation"]);
    assert!(ran.code > 1 && ran.stderr.contains("contracts.toml:1 cannot be read"), "{ran:?}");
}

#[test]
fn a_secret_in_the_path_of_the_repository_is_masked_in_the_record() {
    let (home, repo) = (Installation::new(), shop());
    let token = format!("glpat-{}", "x7Kd92LmQp4RtVw8ZsBc");
    let root = repo.beside(&token);
    std::fs::rename(repo.path(), &root).expect("moved");
    let ran = home.run(&root, &["policy", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = read_json(&home.run_folder(), "run.json");
    let repository = record["repository"].as_str().expect("a path");
    assert!(repository.ends_with("[REDACTED]") && !repository.contains(&token), "{repository}");
}

#[test]
fn bounds_are_enforced_and_reported() {
    let (home, repo) = (Installation::new(), shop());
    repo.write("contract.json", "[{\"modal\": \"MUST NOT\", \"action\": \"send\", \"resource\": \"email\"}]");
    for (flag, value, bound) in [("--max-files", "1", "max_files"), ("--max-follow-depth", "0", "max_follow_depth")] {
        let ran = home.run(repo.path(), &["policy", "--contract", "contract.json", "--json", flag, value]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let report = ran.json();
        assert_eq!(report["findings"][0]["judgment"], "unknown", "{report}");
        assert!(report["findings"][0]["confidence"].as_f64().expect("a number") < 0.5);
        assert!(report["bounds"]["hit"][bound].is_string(), "{report}");
        assert!(report["findings"][0]["message"].as_str().expect("words").contains(bound));
    }
}

#[test]
fn without_a_contract_new_effects_are_reported_with_their_chain() {
    let (home, repo) = (Installation::new(), shop());
    repo.write(
        "package.json",
        "{ \"dependencies\": { \"resend\": \"^3\", \"stripe\": \"1\", \"left-pad-x\": \"1\" } }\n",
    );
    let report = home.run(repo.path(), &["policy", "--json"]).json();
    let new = report["capabilities"]["new"].as_array().expect("a list");
    assert_eq!(new.len(), 1, "{report}");
    assert_eq!((new[0]["action"].as_str(), new[0]["novelty"].as_str()), (Some("send"), Some("change")));
    assert_eq!(new[0]["chain"], "refund → notificationClient.sendRefundNotice → resend.emails.send");
    let packages = report["capabilities"]["dependencies"].as_array().expect("a list");
    let known: Vec<(&str, bool)> =
        packages.iter().map(|one| (one["package"].as_str().expect("a name"), one["effects"].is_array())).collect();
    assert_eq!(known, [("left-pad-x", false), ("stripe", true)]);
    // Nothing is new any more after a commit.
    repo.commit("done");
    repo.write("src/refund.ts", format!("// a remark\n{CALLS}"));
    let report = home.run(repo.path(), &["policy", "--json"]).json();
    assert_eq!(report["capabilities"]["new"], serde_json::json!([]), "{report}");
}

#[test]
fn a_change_does_not_lift_its_own_contract() {
    let (home, repo) = (Installation::new(), shop());
    repo.write("src/README.md", "<capabilities>\n- MUST NOT send email\n- is nice\n</capabilities>\n");
    repo.write("src/refund.ts", "export async function refund(email: string) {}\n");
    repo.commit("contract");
    repo.write("src/README.md", "<capabilities>\n- MAY send email\n</capabilities>\n");
    repo.write("src/refund.ts", CALLS);
    repo.commit("both");
    let report = home.run(repo.path(), &["policy", "--commit", "HEAD", "--json"]).json();
    assert_eq!(report["findings"][0]["judgment"], "violation", "{report}");
    assert_eq!(report["findings"][0]["contract"], "src/README.md:2");
    // A line that is no statement is not passed over.
    let last = report["findings"].as_array().and_then(|all| all.last()).expect("a finding");
    assert_eq!((last["contract"].as_str(), last["judgment"].as_str()), (Some("src/README.md:3"), Some("unknown")));
}

#[test]
fn a_gate_without_a_line_that_is_read_fails() {
    let (home, repo) = (Installation::new(), shop());
    let gate = ["policy", "--fail-on-violation", "--fail-on-unknown"];
    assert_eq!(home.run(repo.path(), &gate).code, 1);
    assert_eq!(home.run(repo.path(), &["policy", "--fail-on-violation"]).code, 0);
    repo.write("contract.md", "The shop must not delete files.\n");
    let ran = home.run(repo.path(), &[&gate[..], &["--contract", "contract.md"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn without_an_agent_the_built_in_reviewer_runs() {
    let (home, repo) = (Installation::new(), shop());
    for args in [&["review", "--agent", "capability", "--json"][..], &["review", "--json"]] {
        let ran = home.run(repo.path(), args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let review = ran.json();
        assert_eq!(review["meta"]["agent"], "capability");
        let finding = &review["findings"][0];
        assert_eq!(
            (finding["title"].as_str(), finding["verdict"].as_str()),
            (Some("Can now send email"), Some("verified"))
        );
        assert_eq!(finding["anchor"]["state"], "verified");
        assert_eq!(
            (finding["anchor"]["path"].as_str(), finding["anchor"]["line_start"].as_u64()),
            (Some("src/refund.ts"), Some(4))
        );
        let chain: Vec<&str> =
            finding["chain"].as_array().expect("a chain").iter().filter_map(|hop| hop["path"].as_str()).collect();
        assert_eq!(chain, ["src/refund.ts", "src/clients/notificationClient.ts"]);
    }
    let agents = home.run(repo.path(), &["agents", "--json"]).json();
    assert_eq!(agents["default"], "capability");
}

#[test]
fn the_built_in_reviewer_does_not_index_the_repository() {
    let (home, repo) = (Installation::new(), shop());
    let ran = home.run(repo.path(), &["review", "--agent", "capability", "--json"]);
    assert_eq!(ran.json()["findings"][0]["verdict"], "verified", "{ran:?}");
    assert_eq!(files_below(&home.data().join("symbols")), 0);
}

fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.map(|path| if path.is_dir() { files_below(&path) } else { 1 }).sum()
}

#[test]
fn a_patch_without_its_repository_is_examined_by_its_lines() {
    let (home, repo) = (Installation::new(), TestRepo::new());
    let patch = "diff --git a/tool.py b/tool.py\n--- a/tool.py\n+++ b/tool.py\n@@ -10,2 +10,4 @@ def go(path):\n     path = path.strip()\n+    import os\n+    os.remove(path)\n     return path\n";
    let ran = home.run_with(repo.path(), &["policy", "--patch", "-", "--json"], patch.as_bytes());
    let report = ran.json();
    let new = &report["capabilities"]["new"][0];
    assert_eq!((new["resource"].as_str(), new["line"].as_u64()), (Some("file"), Some(12)), "{report}");
}

#[test]
#[cfg(unix)]
fn unreadable_code_files_are_reported() {
    let (home, repo) = (Installation::new(), TestRepo::new());
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("secret.py"), "import os\ndef go():\n    os.remove('x')\n").expect("written");
    repo.write("keep.txt", "x");
    repo.commit("base");
    repo.write("app.py", "from linked import go\nfrom inner import stop\nimport big\nimport blob\nimport latin\ngo()\nstop()\nbig.run()\nblob.run()\nlatin.run()\n");
    std::os::unix::fs::symlink(outside.path().join("secret.py"), repo.path().join("linked.py")).expect("a link");
    repo.write("real/stop.py", "import shutil\ndef stop():\n    shutil.rmtree('x')\n");
    std::os::unix::fs::symlink("real/stop.py", repo.path().join("inner.py")).expect("a link");
    repo.write("big.py", format!("def run():\n    pass\n{}", "# x\n".repeat(400_000)));
    repo.write("blob.py", b"def run():\n    pass\n\0\0\0");
    repo.write("latin.py", b"# caf\xe9\nimport os\ndef run():\n    os.system('ls')\n");
    repo.git(["add", "-A"]);
    repo.commit("all");
    for target in [&["--commit", "HEAD"][..], &["--range", "HEAD~1..HEAD"]] {
        let args = [&["policy", "--json"][..], target].concat();
        let report = home.run(repo.path(), &args).json();
        let new = report["capabilities"]["new"].as_array().expect("a list");
        // A place that calls another changed file is a caller of the place there.
        let places = new.iter().flat_map(|one| {
            let callers = one["callers"].as_array().into_iter().flatten();
            std::iter::once(one).chain(callers).map(move |place| (place, &one["resource"]))
        });
        let found: BTreeSet<(&str, u64, &str)> = places
            .map(|(place, resource)| {
                (
                    place["file"].as_str().expect("text"),
                    place["line"].as_u64().expect("a line"),
                    resource.as_str().expect("text"),
                )
            })
            .collect();
        assert!(found.contains(&("app.py", 7, "file")), "the link inside is followed: {report}");
        assert!(found.contains(&("app.py", 10, "shell")), "{report}");
        assert!(
            !found.iter().any(|(file, line, _)| *file == "app.py" && *line == 6),
            "nothing outside is read: {report}"
        );
        let unreadable = report["unreadable"].as_object().expect("a table");
        assert!(unreadable["linked.py"].as_str().expect("words").contains("outside the project"), "{report}");
        assert!(unreadable["big.py"].as_str().expect("words").contains("larger"), "{report}");
    }
}

#[test]
fn code_in_utf_16_is_examined_although_git_takes_it_for_binary() {
    let (home, repo) = (Installation::new(), TestRepo::new());
    let utf16 = |text: &str| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    repo.write("mail.py", utf16("VALUE = 1\n"));
    repo.write("logo.py", [0_u8, 1, 2]);
    repo.commit("base");
    repo.write("mail.py", utf16("import smtplib\n\nsmtplib.SMTP('h').sendmail('a', 'b', 'c')\n"));
    repo.write("logo.py", [0_u8, 1, 3]);
    repo.write("contract.md", "<capabilities>\nMUST NOT send email\nMUST NOT delete files\n</capabilities>\n");
    let report = home.run(repo.path(), &["policy", "--contract", "contract.md", "--json"]).json();
    let findings = report["findings"].as_array().expect("findings");
    let judged = |at: usize| (findings[at]["judgment"].as_str(), findings[at]["message"].as_str().unwrap_or_default());
    assert_eq!(judged(0).0, Some("violation"), "{findings:?}");
    let (last, reason) = judged(findings.len() - 1);
    assert_eq!(last, Some("unknown"), "{findings:?}");
    assert!(reason.contains("logo.py was not read: it is binary"), "{reason}");
}

#[test]
fn a_script_without_an_extension_is_examined_by_its_first_line() {
    let (home, repo) = (Installation::new(), TestRepo::new());
    repo.write("bin/sweep", "#!/usr/bin/env node\nconst days = 7;\n");
    repo.write("bin/build", "#!/bin/sh\nmake\n");
    repo.commit("base");
    repo.write("bin/sweep", "#!/usr/bin/env node\nrequire('fs').unlinkSync(process.argv[2]);\n");
    repo.write("contract.md", "<capabilities>\nMUST NOT delete files\nMUST NOT send email\n</capabilities>\n");
    let judged = || {
        let report = home.run(repo.path(), &["policy", "--contract", "contract.md", "--json"]).json();
        let findings = report["findings"].as_array().expect("findings").clone();
        findings
            .into_iter()
            .map(|finding| finding["judgment"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(judged(), ["violation", "no_violation"]);
    // A shell script is not read, so nothing is certain.
    repo.write("bin/build", "#!/bin/sh\nmake all\n");
    assert_eq!(judged(), ["violation", "unknown"]);
}

#[test]
fn secrets_in_the_code_do_not_leave_with_the_evidence() {
    let (home, repo) = (Installation::new(), shop());
    let secret = "sk_live_51H8xKq2eZvKYlo2CJ9mQ7fTz";
    repo.write(
        "src/refund.ts",
        format!("import Stripe from 'stripe';\nexport const go = () => new Stripe('{secret}').charges.create({{}});\n"),
    );
    for args in [&["policy", "--json"][..], &["policy"], &["review", "--agent", "capability", "--json"]] {
        let ran = home.run(repo.path(), args);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.contains("charges.create") && !ran.stdout.contains(secret), "{}", ran.stdout);
    }
    let mut kept = 0;
    for entry in std::fs::read_dir(home.data().join("runs")).expect("runs").flatten() {
        for file in std::fs::read_dir(entry.path()).expect("files").flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            assert!(!text.contains(secret), "{}", file.path().display());
            kept += 1;
        }
    }
    assert!(kept > 3);
}

/// System calls that use the network, run a program or change a file. Some are allowed with certain arguments.
const FORBIDDEN: &[&str] = &[
    "socket",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "recvfrom",
    "recvmsg",
    "execve",
    "execveat",
    "fork",
    "vfork",
    "kill",
    "tkill",
    "ptrace",
    "mount",
    "chown",
    "fchown",
    "fchownat",
    "lchown",
    "setuid",
    "truncate",
    "ftruncate",
    "symlink",
    "symlinkat",
    "link",
    "linkat",
    "setxattr",
    "mknod",
    "mknodat",
    "utimensat",
];
/// System calls that write. They are allowed only below the run's folder.
const WRITING: &[&str] = &[
    "mkdir",
    "mkdirat",
    "unlink",
    "unlinkat",
    "rename",
    "renameat",
    "renameat2",
    "chmod",
    "fchmodat",
    "fchmodat2",
    "rmdir",
    "creat",
];

#[test]
#[cfg(target_os = "linux")]
fn system_calls_show_that_policy_only_reads() {
    let (home, repo) = (Installation::new(), shop());
    repo.write("src/evil.py", "import os\nos.system('touch /tmp/never')\n");
    repo.git(["add", "-A"]);
    repo.git(["config", "core.fsmonitor", "touch fsmonitor-ran"]);
    repo.git(["config", "diff.external", "touch external-ran"]);
    let before = snapshot(repo.path());
    let trace = home.home().join("trace");
    let run = home.data().join("runs/proof");
    let run_text = run.display().to_string();
    let inner = home.command(repo.path(), &[]);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "300", "-o"]).arg(&trace).arg(inner.get_program());
    command.args(["policy", "--staged", "--json", "--run-dir", &run_text]).current_dir(repo.path()).env_clear();
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let output = command.output().expect("strace is installed by tests/setup.sh");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["capabilities"]["new"][0]["resource"], "shell", "{report}");
    let text = std::fs::read_to_string(&trace).expect("a trace");
    let calls = text.lines().filter_map(|line| line.split_once(' ').map(|(_, call)| call.trim_start()));
    let mut wrong = Vec::new();
    let (mut executed, mut seen) = (0, 0);
    for call in calls {
        seen += 1;
        let name = call.split('(').next().unwrap_or_default();
        let own = || call.contains(&run_text);
        let opened = (name == "open" || name == "openat")
            && ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].iter().any(|flag| call.contains(flag));
        match name {
            // The start of the program itself.
            "execve" => executed += 1,
            // A socket pair inside the process, for its own signals.
            "socketpair" if !call.contains("AF_UNIX") => wrong.push(call.to_owned()),
            _ if FORBIDDEN.contains(&name) => wrong.push(call.to_owned()),
            _ if (WRITING.contains(&name) || opened) && !own() => wrong.push(call.to_owned()),
            // Creating threads is allowed, creating processes is not.
            "clone" | "clone3" if !call.contains("CLONE_THREAD") && !call.contains("resumed") => {
                wrong.push(call.to_owned())
            }
            _ => {}
        }
    }
    // Creating the parent folders of the run's folder is allowed too.
    wrong.retain(|call| {
        !call.starts_with("mkdir(")
            || !home.data().join("runs/proof").ancestors().any(|at| call.contains(&format!("\"{}\"", at.display())))
    });
    assert!(seen > 100 && executed == 1, "{seen} calls, {executed} programs");
    assert!(wrong.is_empty(), "{} calls that do more than read:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(snapshot(repo.path()), before, "the repository is as it was");
    let kept: BTreeSet<String> = std::fs::read_dir(home.data())
        .expect("the data folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(kept, BTreeSet::from(["runs".to_owned()]), "nothing but the run's folder is made");
}

/// Returns every file with its size and time.
fn snapshot(root: &Path) -> BTreeSet<(String, u64, std::time::SystemTime)> {
    let mut all = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let about = entry.metadata().expect("about it");
            if about.is_dir() {
                folders.push(entry.path());
            } else {
                all.insert((entry.path().display().to_string(), about.len(), about.modified().expect("a time")));
            }
        }
    }
    all
}

/// Starts an endpoint that always answers the same, and creates an installation that uses it.
fn with_endpoint(text: &str) -> (tokio::runtime::Runtime, ModelServer, Installation) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = runtime.block_on(ModelServer::start(serde_json::json!({ "turns": [{ "text": text }] })));
    let home = Installation::new()
        .with("DIFFSAN_AGENT__MAX_RETRIES", "0")
        .with("DIFFSAN_AGENT__NAME", "one")
        .with_titled_endpoint("one", "One", &server.url());
    (runtime, server, home)
}

#[test]
fn findings_of_agents_are_checked_against_effects() {
    let finding = |title: &str| {
        serde_json::json!({ "severity": "medium", "category": "correctness", "path": "src/refund.ts", "line_start": 4, "line_end": 4,
            "title": title, "body_markdown": title, "quote": "await notificationClient.sendRefundNotice(email);" })
    };
    for (title, verdict) in [
        ("This sends the customer an email for each retry", "verified"),
        ("The refund never sends an email", "contradicted"),
    ] {
        let said = serde_json::json!({ "summary_markdown": "One remark.", "findings": [finding(title)] });
        let (_runtime, _server, home) = with_endpoint(&said.to_string());
        let review = home.run(shop().path(), &["review", "--json"]).json();
        let found = &review["findings"][0];
        assert_eq!(found["verdict"], verdict, "{found}");
        let claims = found["claims"].as_array().expect("claims");
        let claim = claims.iter().find(|claim| claim["evidence"]["path"] == "src/clients/notificationClient.ts");
        assert_eq!(claim.expect("a claim with the end of the chain")["evidence"]["line"], 7, "{claims:?}");
    }
}

#[test]
fn a_classifier_runs_only_if_requested_and_its_invalid_answers_are_ignored() {
    let repo = shop();
    repo.write("src/refund.ts", "export function refund(mailer: any, email: string) {\n  mailer.go(email);\n}\n");
    repo.write("contract.json", "[{\"modal\": \"MUST NOT\", \"action\": \"send\", \"resource\": \"email\"}]");
    let good = serde_json::json!({ "findings": [{ "judgment": "likely_violation", "confidence": 0.7,
        "effect": { "action": "send", "resource": "email" }, "message": "A mailer mails.",
        "evidence": [{ "file": "src/refund.ts", "line": 2, "excerpt": "mailer.go(email);" }] }] });
    let args = ["policy", "--contract", "contract.json", "--json"];
    let cases = [
        ("off", good.to_string(), 1, false),
        ("on", good.to_string(), 2, true),
        ("on", "{\"findings\": [{\"judgment\": \"viol".to_owned(), 1, true),
        ("on", "I am sure that it mails.".to_owned(), 1, true),
    ];
    for (mode, answer, count, asked) in cases {
        let (_runtime, server, home) = with_endpoint(&answer);
        let home = if mode == "on" { home.with("DIFFSAN_CAPABILITY__CLASSIFIER", "true") } else { home };
        let ran = home.run(repo.path(), &args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let findings = ran.json()["findings"].as_array().expect("findings").clone();
        assert_eq!(findings.len(), count, "{answer}: {findings:?}");
        if count == 2 {
            assert_eq!(
                (findings[1]["source"].as_str(), findings[1]["confidence"].as_f64()),
                (Some("agentic_reviewer"), Some(0.7))
            );
        }
        let requests = server.requests();
        assert_eq!(!requests.is_empty(), asked, "{mode}");
        if asked {
            let text = format!("{requests:?}");
            assert!(text.contains("observed_evidence") && text.contains("contract_effects"), "{text}");
        }
    }
    // Without a reachable agent, the findings stay.
    let home = Installation::new().with("DIFFSAN_CAPABILITY__CLASSIFIER", "true");
    let ran = home.run(repo.path(), &args);
    assert_eq!((ran.code, ran.json()["findings"].as_array().map(Vec::len)), (0, Some(1)));
}
