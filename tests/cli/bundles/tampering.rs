//! Bundles that somebody changed, and bundles of later versions.

use std::collections::BTreeMap;

use diffsan_bundle::{comment, read_archive, write_archive};
use serde_json::{Value, json};

use super::{Case, one};
use crate::support::read_json;

pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Writes files as a bundle, with a comment that fits their manifest.
pub(super) fn packed(files: &Files) -> Vec<u8> {
    write_archive(files, &comment(&files["manifest.json"])).expect("an archive")
}

/// Changes the manifest.
pub(super) fn with_manifest(files: &mut Files, change: impl FnOnce(&mut Value)) {
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
    record["format"] = json!(3);
    std::fs::write(run.join("placing.json"), record.to_string()).expect("written");
    let ran = case.run(&["bundle", "last", "--output", "c.zip"]);
    assert!(ran.code == 2 && ran.stderr.contains("later version"), "{ran:?}");
}
