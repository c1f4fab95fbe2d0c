//! Joins lines of a diff that are next to each other in the new file, but not in the diff: the line above a replaced part, and the lines that
//! replace it. The line above can be the key of their value. The removed lines can also name it (`exchanged.rs`).
//!
//! In: the lines of a diff in their order. Out: short texts that are searched beside the diff.

use super::containers::Range;
use super::exchanged;
use super::words::{WORDS, Worth};
use diffsan_change::LineKind;

/// The maximum number of lines of a replacement that are read.
const MAX_LINES: usize = 3;
/// The maximum length of a line above in bytes.
const MAX_ABOVE: usize = 200;
/// The signs at the end of a line above which the value of a key can stand: `password:`, `<password>`, `expect "Password:"`, `and the pw?`.
const ENDS: &[u8] = b":=|(\"'`>,?";

/// The maximum number of removed and of added lines that are compared.
const MAX_COMPARED: usize = 16;

/// A text to search: a key, such as the line above with its line feed, and lines or a part of a line that can be its value.
pub(super) struct Replaced {
    pub(super) text: Vec<u8>,
    /// The length of the key.
    pub(super) above: usize,
    /// The offset of the value in the text of all lines.
    pub(super) start: usize,
}

/// Collects the replaced parts of a diff.
#[derive(Default)]
pub(super) struct Replacements<'a> {
    /// The text of all lines of the diff, without their signs.
    text: &'a [u8],
    /// The last line that is in the new file, and whether removed lines follow it.
    above: Option<(usize, usize)>,
    is_removed: bool,
    /// The number of lines of the current replacement.
    count: usize,
    removed: Vec<Range>,
    added: Vec<Range>,
    found: Vec<Replaced>,
}

impl<'a> Replacements<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, ..Self::default() }
    }

    /// Begins a hunk. Its first line follows no other line.
    pub(super) fn hunk(&mut self) {
        self.compare();
        (self.above, self.is_removed, self.count) = (None, false, 0);
    }

    /// Reads the next line, which is at `start..end` of the text.
    pub(super) fn line(&mut self, kind: LineKind, start: usize, end: usize) {
        match kind {
            LineKind::Removed => {
                if !self.added.is_empty() {
                    self.compare();
                }
                self.removed.push((start, end));
                self.is_removed = true;
                self.count = 0;
                return;
            }
            LineKind::Added => {
                if !self.removed.is_empty() {
                    self.added.push((start, end));
                }
                if self.is_removed || self.count > 0 {
                    self.added(start, end);
                }
            }
            LineKind::Context => {
                self.compare();
                self.count = 0;
            }
        }
        self.is_removed = false;
        self.above = Some((start, end));
    }

    fn added(&mut self, start: usize, end: usize) {
        if self.is_removed {
            let Some((from, to)) = self.above else { return };
            let above = &self.text[from..to];
            let is_open = above.trim_ascii_end().last().is_some_and(|last| ENDS.contains(last));
            // Kubernetes: `- name: PASSWORD` above `value: …`.
            let is_named = || {
                memchr::memmem::find(above, b"name: ").is_some()
                    && self.text[start..end].trim_ascii_start().starts_with(b"value:")
            };
            if above.len() > MAX_ABOVE || !is_open && !is_named() || !names_a_secret(above) {
                return;
            }
            let text = [above, b"\n", &self.text[start..end]].concat();
            self.found.push(Replaced { text, above: above.len() + 1, start });
        } else if let Some(last) = self.found.last_mut() {
            last.text.push(b'\n');
            last.text.extend_from_slice(&self.text[start..end]);
        }
        self.count = (self.count + 1) % MAX_LINES;
    }

    /// Compares the lines of the replacement that ends here.
    fn compare(&mut self) {
        if !self.added.is_empty() && self.removed.len().max(self.added.len()) <= MAX_COMPARED {
            exchanged::find(self.text, &self.removed, &self.added, &mut self.found);
        }
        self.removed.clear();
        self.added.clear();
    }

    pub(super) fn into_found(mut self) -> Vec<Replaced> {
        self.compare();
        self.found
    }
}

/// Returns whether a word of a line names a secret. Most lines have none, and need no search.
fn names_a_secret(line: &[u8]) -> bool {
    line.split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"_-".contains(byte))
        .any(|word| word.len() > 1 && WORDS.worth(word) != Worth::None)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::Redactor;
    use diffsan_config::RedactionConfig;
    use std::sync::Arc;

    /// Masks the diff of a file whose hunk has these lines.
    pub(crate) fn masked(path: &str, lines: &[&str]) -> String {
        let count = |side: char| lines.iter().filter(|line| line.starts_with([side, ' '])).count();
        let head = format!(
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,{} +1,{} @@\n",
            count('-'),
            count('+')
        );
        let config = RedactionConfig { enabled: true, extra_patterns: Vec::new(), allow: Vec::new() };
        let mut session = Arc::new(Redactor::new(&config, [7; 32]).expect("an engine")).session();
        let diff = format!("{head}{}\n", lines.join("\n"));
        session.diff_text("a diff", &diff).into_inner()[head.len()..].to_owned()
    }

    #[test]
    fn a_value_that_replaces_another_one_below_its_key_is_masked() {
        let cases: &[(&str, &[&str])] = &[
            ("a.plist", &[" <key>AccountPassword</key>", "-<string></string>", "+<string>Kl1ngel-am-Tor</string>"]),
            ("unattend.xml", &[" <AdministratorPassword>", "-  <Value></Value>", "+  <Value>Kl1ngel-am-Tor</Value>"]),
            ("a.exp", &[" expect \"Password:\"", "-send \"$env(PW)\\r\"", "+send \"Kl1ngel-am-Tor\\r\""]),
            ("a.yml", &[" password:", "-  ${PASSWORD}", "-", "+  Kl1ngel-am-Tor"]),
            (
                "a.yml",
                &[
                    " - name: ROOT_PASSWORD",
                    "-  valueFrom: {secretKeyRef: {name: a, key: b}}",
                    "+  value: Kl1ngel-am-Tor",
                ],
            ),
            ("a.txt", &[" [10:03] eva: and the pw?", "-[10:04] ida: soon", "+[10:04] ida: Kl1ngel-am-Tor"]),
        ];
        for (path, lines) in cases {
            let found = masked(path, lines);
            assert!(found.contains("REDACTED") && !found.contains("Kl1ngel"), "{path}: {found}");
        }
        let other = masked("a.yml", &[" title:", "-  old", "+  Kl1ngel-am-Tor"]);
        assert!(!other.contains("REDACTED"), "{other}");
        // The next line belongs to no key.
        let other =
            masked("a.yml", &[" password:", "-  ${PASSWORD}", "+  ${OTHER}", " ", "-name: a", "+name: Kl1ngel-am-Tor"]);
        assert!(!other.contains("REDACTED"), "{other}");
    }
}
