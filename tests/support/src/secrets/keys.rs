//! Private keys: complete, cut, in string literals, indented, and in the lines of a diff.

use super::notations::as_diff;
use super::{Case, Random};

const KINDS: &[&str] = &[
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
];

fn lines(random: &mut Random) -> Vec<String> {
    let mut lines: Vec<String> = (0..8 + random.below(16)).map(|_| random.base64(64)).collect();
    let last = 20 + random.below(40);
    lines.push(random.base64(last) + "==");
    lines
}

/// Returns the cases.
pub(super) fn cases() -> Vec<Case> {
    let mut random = Random::new(0x5eed_0003);
    let mut cases = Vec::new();
    for round in 0..20 {
        for (index, kind) in KINDS.iter().enumerate() {
            let body = lines(&mut random);
            let block = format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----", body.join("\n"));
            let indented =
                |by: &str| block.split('\n').map(|line| format!("{by}{line}")).collect::<Vec<_>>().join("\n");
            let (notation, path, text) = match (round + index) % 9 {
                0 => ("file", "deploy/id_key", block.clone()),
                1 => ("yaml", "secret.yaml", format!("tls:\n  key: |\n{}\n  port: 1", indented("    "))),
                2 => (
                    "json",
                    "sa.json",
                    format!("{{\"private_key\": \"{}\\n\", \"type\": \"x\"}}", block.replace('\n', "\\n")),
                ),
                3 => ("string", "a.go", format!("const key = `{block}`")),
                4 => (
                    "joined",
                    "A.java",
                    block.split('\n').map(|line| format!("    \"{line}\\n\" +")).collect::<Vec<_>>().join("\n")
                        + "\n    \"\";",
                ),
                5 => ("remark", "a.py", indented("# ")),
                6 => (
                    "cut-end",
                    "key.pem",
                    block.rsplit_once('\n').map_or_else(String::new, |(head, _)| head.to_owned()),
                ),
                7 => (
                    "cut-begin",
                    "key.pem",
                    block.split_once('\n').map_or_else(String::new, |(_, tail)| tail.to_owned()),
                ),
                _ => ("crlf", "key.pem", block.replace('\n', "\r\n")),
            };
            let text = as_diff(path, &text, &mut random);
            cases.push(Case {
                class: format!("key: {kind}"),
                notation: notation.to_owned(),
                path: path.to_owned(),
                diff: true,
                text,
                secrets: body,
            });
        }
    }
    // A diff changes the middle of the key. The lines of both sides must be masked.
    for _ in 0..30 {
        let body = lines(&mut random);
        let other = random.base64(64);
        let mut text =
            String::from("diff --git a/k b/k\n--- a/k\n+++ b/k\n@@ -1,9 +1,9 @@\n -----BEGIN RSA PRIVATE KEY-----\n");
        for (index, line) in body.iter().enumerate() {
            if index == 2 {
                text += &format!("-{other}\n+{line}\n");
            } else {
                text += &format!(" {line}\n");
            }
        }
        text += " -----END RSA PRIVATE KEY-----\n";
        let secrets = body.into_iter().chain([other]).collect();
        cases.push(Case {
            class: "key: changed".to_owned(),
            notation: "both sides".to_owned(),
            path: "k".to_owned(),
            diff: true,
            text,
            secrets,
        });
    }
    cases
}
