//! `verify-release` on release folders that the test makes and signs, and `manual`.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use minisign::KeyPair;
use serde_json::json;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::{Installation, Ran};

/// A folder with a made-up release of version 1.2.3, and the key that signs it.
struct Release {
    folder: TempDir,
    keys: KeyPair,
}

impl Release {
    fn new() -> Self {
        let keys = KeyPair::generate_unencrypted_keypair().expect("a key pair");
        let release = Self { folder: tempfile::tempdir().expect("a folder"), keys };
        release.write("diffsan_1.2.3_amd64.deb", "a package");
        release.write("diffsan-1.2.3-1.x86_64.rpm", "another package");
        release.write("diffsan-1.2.3-x86_64.AppImage", "a window");
        release.write("CHANGELOG.md", "## 1.2.3 – 2026-11-26\n\n- New.\n");
        release.write("licences.txt", "@scope/page 2.0.0  MIT\nserde 1.0.0  MIT OR Apache-2.0\n\nThe texts.\n");
        release.write("diffsan-rust.cdx.json", &bill("1.2.3", "serde", "1.0.0"));
        release.write("diffsan-javascript.cdx.json", &bill("1.2.3", "@scope/page", "2.0.0"));
        release.write_manifest("1.2.3", "diffsan 1.2.3 update.json");
        release.sign("diffsan 1.2.3");
        release
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("a file");
    }

    /// Writes the list of sums of all files, and its signature.
    fn sign(&self, comment: &str) {
        let entries = fs::read_dir(self.path()).expect("the folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
        names.retain(|name| !name.starts_with("SHA256SUMS"));
        names.sort();
        let line = |name: &String| {
            let digest = Sha256::digest(fs::read(self.path().join(name)).expect("a file"));
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{digest}  {name}\n")
        };
        self.sign_list(&names.iter().map(line).collect::<String>(), comment);
    }

    /// Writes the manifest for windows with the script that `make release` uses, and signs it.
    fn write_manifest(&self, version: &str, comment: &str) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/update-manifest.sh");
        let ran = Command::new("bash").arg(script).arg(version).arg(self.path()).output().expect("bash");
        assert!(ran.status.success(), "{ran:?}");
        self.sign_manifest(comment);
    }

    fn sign_manifest(&self, comment: &str) {
        let text = Cursor::new(fs::read(self.path().join("update.json")).expect("a file"));
        let signature = minisign::sign(None, &self.keys.sk, text, Some(comment), Some("signature of update.json"));
        self.write("update.json.minisig", &signature.expect("a signature").into_string());
    }

    fn sign_list(&self, list: &str, comment: &str) {
        let signature =
            minisign::sign(None, &self.keys.sk, Cursor::new(list), Some(comment), None).expect("a signature");
        self.write("SHA256SUMS", list);
        self.write("SHA256SUMS.minisig", &signature.into_string());
    }

    /// Runs the command with the public key of the release.
    fn verify(&self) -> Ran {
        let key = tempfile::NamedTempFile::new().expect("a file");
        fs::write(&key, self.keys.pk.to_box().expect("a key").into_string()).expect("a file");
        let installation = Installation::new();
        let key = key.path().to_str().expect("a path").to_owned();
        installation.run(self.path(), &["verify-release", ".", "--key", &key, "--json"])
    }
}

fn bill(version: &str, name: &str, its: &str) -> String {
    json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6",
        "metadata": { "component": { "name": "diffsan", "version": version } },
        "components": [{ "type": "library", "name": name, "version": its }],
    })
    .to_string()
}

#[test]
fn a_complete_release_is_verified() {
    let release = Release::new();
    let report = release.verify().json();
    assert_eq!(report["version"], "1.2.3");
    assert_eq!(report["files"].as_array().map(Vec::len), Some(9));
    assert_eq!(report["components"], json!([["diffsan-rust.cdx.json", 1], ["diffsan-javascript.cdx.json", 1]]));
}

/// Changes a release, and expects a refusal with a text.
#[track_caller]
fn refused(change: impl FnOnce(&Release), text: &str) {
    let release = Release::new();
    change(&release);
    let ran = release.verify();
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains(text), "{text}: {ran:?}");
}

#[test]
fn a_changed_missing_or_added_file_is_refused() {
    refused(
        |release| release.write("diffsan_1.2.3_amd64.deb", "a packagf"),
        "diffsan_1.2.3_amd64.deb does not have the sum",
    );
    refused(|release| release.write("diffsan_1.2.3_amd64.deb", ""), "does not have the sum");
    refused(|release| fs::remove_file(release.path().join("licences.txt")).expect("a file"), "licences.txt is listed");
    refused(|release| release.write("install.sh", "rm -rf ~"), "install.sh is not listed");
}

#[test]
fn a_changed_list_or_signature_is_refused() {
    let change = |name: &'static str, at: usize| {
        move |release: &Release| {
            let path = release.path().join(name);
            let mut bytes = fs::read(&path).expect("a file");
            let byte = bytes.get_mut(at).expect("a byte");
            *byte = if *byte == b'0' { b'1' } else { b'0' };
            fs::write(path, bytes).expect("a file");
        }
    };
    refused(change("SHA256SUMS", 0), "is not a signature of SHA256SUMS");
    let release = Release::new();
    let signature = fs::read_to_string(release.path().join("SHA256SUMS.minisig")).expect("a file");
    // Any byte after the first comment, which is not signed.
    let start = signature.find('\n').expect("a line") + 1;
    for at in (start..signature.len()).filter(|at| signature.as_bytes()[*at] != b'\n').step_by(7) {
        let release = Release::new();
        change("SHA256SUMS.minisig", at)(&release);
        let ran = release.verify();
        assert_eq!(ran.code, 2, "byte {at}: {ran:?}");
    }
}

#[test]
fn a_release_signed_by_another_key_is_refused() {
    let (release, other) = (Release::new(), Release::new());
    for name in ["SHA256SUMS", "SHA256SUMS.minisig"] {
        fs::copy(other.path().join(name), release.path().join(name)).expect("a file");
    }
    let ran = release.verify();
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("by any of the 1 trusted keys"), "{ran:?}");
}

#[test]
fn a_list_that_names_other_folders_is_refused() {
    let sum = "0".repeat(64);
    for list in
        [format!("{sum}  ../secret\n"), format!("{sum}  /etc/passwd\n"), format!("{sum} name\n"), "x  y\n".to_owned()]
    {
        refused(|release| release.sign_list(&list, "diffsan 1.2.3"), "line 1 of SHA256SUMS");
    }
}

#[test]
fn evidence_for_another_version_is_refused() {
    let again = |name: &'static str, text: String| {
        move |release: &Release| {
            release.write(name, &text);
            release.sign("diffsan 1.2.3");
        }
    };
    refused(|release| release.sign("diffsan 1.2.4"), "the release is 1.2.4");
    refused(|release| release.sign("something else"), "does not name a version");
    refused(again("diffsan-rust.cdx.json", bill("1.2.2", "serde", "1.0.0")), "is for version 1.2.2");
    refused(again("diffsan-rust.cdx.json", "{}".to_owned()), "is not a bill of materials");
    refused(
        again("diffsan-rust.cdx.json", bill("1.2.3", "unknown", "1.0.0")),
        "unknown 1.0.0 is in a bill of materials",
    );
    refused(again("CHANGELOG.md", "## Unreleased\n\n- New.\n".to_owned()), "CHANGELOG.md is for version");
    refused(again("diffsan_1.1.0_amd64.deb", "an old package".to_owned()), "diffsan_1.1.0_amd64.deb is for version");
}

#[test]
fn a_manifest_that_does_not_fit_the_release_is_refused() {
    let expires = Release::new().verify().json()["update_expires"].clone();
    assert!(expires.as_str().is_some_and(|time| time.ends_with('Z')), "{expires}");
    let change = |from: &'static str, to: &'static str| {
        move |release: &Release| {
            let text = fs::read_to_string(release.path().join("update.json")).expect("a file");
            assert!(text.contains(from), "{text}");
            release.write("update.json", &text.replace(from, to));
            release.sign_manifest("diffsan 1.2.3 update.json");
            release.sign("diffsan 1.2.3");
        }
    };
    refused(change("\"size\": 8", "\"size\": 9"), "update.json does not describe diffsan-1.2.3-x86_64.AppImage");
    refused(change("\"sha256\": \"", "\"sha256\": \"0"), "is not a SHA-256 sum");
    refused(change("x86_64.AppImage", "x86.AppImage"), "update.json does not describe diffsan-1.2.3-x86.AppImage");
    refused(change("\"version\": \"1.2.3\"", "\"version\": \"1.2.4\""), "another file or version");
    refused(
        |release| {
            release.write_manifest("1.2.4", "diffsan 1.2.4 update.json");
            release.sign("diffsan 1.2.3");
        },
        "update.json is for version 1.2.4",
    );
    refused(
        |release| {
            release.sign_manifest("diffsan 1.2.3");
            release.sign("diffsan 1.2.3");
        },
        "another file or version",
    );
    refused(
        |release| {
            fs::remove_file(release.path().join("update.json")).expect("a file");
            release.sign("diffsan 1.2.3");
        },
        "the release has no update.json",
    );
}

#[test]
fn manual_pages_and_completions_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = Installation::new().run(folder.path(), &["manual", "share"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join("share").join(name)).expect("a file");
    for name in ["diffsan.1", "diffsan-review.1", "diffsan-verify-release.1", "diffsan-inbox-queue.1"] {
        assert!(read(&format!("man/man1/{name}")).contains(".SH NAME"), "{name}");
    }
    assert!(!folder.path().join("share/man/man1/diffsan-manual.1").exists(), "it is for packages only");
    assert!(read("bash-completion/completions/diffsan").contains("complete -F _diffsan"));
    assert!(read("zsh/site-functions/_diffsan").starts_with("#compdef diffsan"));
    assert!(read("fish/vendor_completions.d/diffsan.fish").contains("complete -c diffsan"));
}
