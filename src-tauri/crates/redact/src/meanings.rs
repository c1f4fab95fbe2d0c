//! Recognises values whose key is a word with another meaning: a key of a keyboard, the pass of a compiler, the type of a value in a registry.
//!
//! In: a key and its value, or a value with the text before it and the path of its file. Out: whether the value is no secret.

use super::cursor::line_start;
use super::harmless::assigned_name;
use super::key_words::split;
use super::kinds::Pair;
use super::places::file_name;
use super::words::{WORDS, Worth};

/// The keys of a keyboard that are pressed together with others.
const MODIFIERS: &[&str] =
    &["ctrl", "control", "cmd", "command", "alt", "option", "shift", "meta", "super", "win", "mod", "cmdorctrl"];
/// The beginnings of the names of keys in the settings of Vim.
const VIM_KEYS: &[&[u8]] = &[b"<leader>", b"<localleader>", b"<c-", b"<m-", b"<s-", b"<a-", b"<d-"];
/// The beginnings of values with a type in files of the registry of Windows that are numbers.
const REGISTRY_NUMBERS: &[&[u8]] = &[b"dword:", b"qword:"];
/// The text behind the name of an object that does not exist.
const MISSING: &[&[u8]] = &[b"\" not found", b"\" does not exist", b"\" is forbidden"];
/// The word for a part of a compiler, and for a test that succeeds.
const PASS: &[u8] = b"pass";
/// The least number of words of the name of a feature that begins with the words of its key.
const MIN_WORDS: usize = 2;
/// The maximum number of flags behind a replacement.
const MAX_FLAGS: usize = 4;

impl Pair<'_> {
    /// Returns whether the word of the key has another meaning here.
    pub(super) fn has_other_meaning(&self) -> bool {
        self.is_shortcut()
            || self.is_registry_number()
            || self.is_missing_object()
            || self.is_named_after_key()
            || self.is_pattern()
            || self.is_replacement()
    }

    /// `"key": "ctrl+shift+F12"`, `let g:secrets_key = '<leader>s'`
    fn is_shortcut(&self) -> bool {
        let lower = self.value.to_ascii_lowercase();
        let is_modified = || {
            let first = lower.split(|byte| b"+-".contains(byte)).next().unwrap_or_default();
            first.len() < lower.len() && std::str::from_utf8(first).is_ok_and(|first| MODIFIERS.contains(&first))
        };
        let is_key = split(self.key()).last().is_some_and(|last| matches!(last, "key" | "keys"));
        is_key && (is_modified() || VIM_KEYS.iter().any(|start| lower.starts_with(start)))
    }

    /// `"Token"=dword:00000001`
    fn is_registry_number(&self) -> bool {
        REGISTRY_NUMBERS.iter().any(|start| self.value.starts_with(start))
    }

    /// `secret "orders-tls" not found`
    fn is_missing_object(&self) -> bool {
        let behind = &self.text[self.at + self.value.len()..];
        self.place.quoted && MISSING.iter().any(|end| behind.starts_with(end))
    }

    /// `passwordMeter: flag('password-meter-2025', true)`: a name that begins with all words of its key.
    fn is_named_after_key(&self) -> bool {
        let (key, value) = (split(self.key()), split(self.value));
        self.place.quoted
            && key.len() >= MIN_WORDS
            && value.len() > key.len()
            && self.value.contains(&b'-')
            && key.iter().zip(value.iter()).all(|(key, value)| key == value)
    }

    /// `s/pass=\S+/pass=X/g`: the pattern of a secret.
    fn is_pattern(&self) -> bool {
        const BEGINS: &[&[u8]] = &[b"\\S", b"\\w", b"\\d", b"[^", b"(.", b".*", b".+", b"(\\S", b"([^", b"(?:"];
        const SUBSTITUTIONS: &[&[u8]] = &[b"s/", b"s|", b"s#", b"s,"];
        let before = &self.text[line_start(self.text, self.at)..self.at];
        !self.place.quoted
            && BEGINS.iter().any(|begin| self.value.starts_with(begin))
            && SUBSTITUTIONS.iter().any(|start| memchr::memmem::find(before, start).is_some())
    }

    /// `s/pass=\S+/pass=X/g`: the text that replaces a secret.
    fn is_replacement(&self) -> bool {
        let Some(slash) = self.value.iter().position(|byte| *byte == b'/') else { return false };
        let flags = self.value[slash + 1..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let rest = &self.value[slash + 1 + flags..];
        let line = &self.text[line_start(self.text, self.at)..self.at];
        let name = line.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-=: ".contains(byte)).count();
        let before = &line[..line.len() - name];
        !self.place.quoted
            && before.ends_with(b"/")
            && memchr::memmem::find(before, b"s/").is_some()
            && flags <= MAX_FLAGS
            && rest.iter().all(|byte| b";'\")".contains(byte))
    }
}

/// Returns whether a value belongs to the pass of a compiler or to the result of a test, by the path of its file.
pub(super) fn is_of_build(before: &[u8], place: &str) -> bool {
    let name = file_name(place).to_ascii_lowercase();
    let is_makefile = matches!(&*name, "makefile" | "gnumakefile") || name.ends_with(".mk");
    let is_pass = place.split(['/', '\\']).any(|folder| matches!(folder, "passes" | "pass" | "transforms"));
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    is_makefile && assigned_name(before).eq_ignore_ascii_case(PASS)
        || is_pass && line.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| word.eq_ignore_ascii_case(PASS))
}

/// Returns whether a value is names with colons between them, the last of which may be inserted: `acme:last-session`, `acme:user:\\(id)`.
pub(super) fn is_path_of_names(value: &[u8]) -> bool {
    let end = [&b":\\("[..], b":${", b":#{", b":{"].iter().filter_map(|open| memchr::memmem::find(value, open)).min();
    let parts = || value[..end.unwrap_or(value.len())].split(|byte| *byte == b':');
    let is_plain = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(byte));
    let is_known = |word: &str| WORDS.is_of_names(word) || WORDS.worth(word.as_bytes()) != Worth::None;
    (end.is_some() || parts().count() > 1)
        && parts().all(|part| part.len() > 1 && is_plain(part))
        && parts().any(|part| split(part).iter().any(is_known))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn names_with_colons_and_inserted_values_are_harmless() {
        check(
            "a.swift",
            &[
                "extendToken = \"acme:session-cookie:\\(cookieName)\"",
                "extendToken = \"acme:last-session-cookie\"",
                "let token = \"⟦q8Zk02mLq9Zt4Rb7:x8Kd⟧\"",
                "let password = \"⟦acme:last-herring⟧\"",
            ],
        );
        check("a.ts", &["const cacheToken = `app:user-profile:${id}`;", "const authToken = 'app:login-page';"]);
    }

    #[test]
    fn nonces_that_an_object_keeps_are_masked() {
        check(
            "test_box.py",
            &[
                "self.nonce = bytes.fromhex(\"⟦7319f1b146a0faf0aff885fd⟧\")",
                "self._iv = bytes.fromhex(\"⟦7319f1b146a0faf0aff885fd02117c6e⟧\")",
                "nonce = bytes.fromhex(\"7319f1b146a0faf0aff885fd\")",
                "self.checksum = bytes.fromhex(\"7319f1b146a0faf0aff885fd\")",
            ],
        );
        check("a.rb", &["@nonce = unhex(\"⟦7319f1b146a0faf0aff885fd⟧\")"]);
        check("a.js", &["this.nonce = Buffer.from(\"⟦7319f1b146a0faf0aff885fd⟧\", \"hex\");"]);
    }

    #[test]
    fn keys_of_a_keyboard_are_harmless() {
        check(
            "hotkeys.json",
            &[
                "{ \"key\": \"ctrl+shift+alt+F12\", \"command\": \"toggle\" }",
                "{ \"key\": \"⟦q8Zk02mLq9Zt4Rb7x8Kd⟧\", \"command\": \"toggle\" }",
            ],
        );
        check("a.vim", &["let g:secrets_key = '<leader>gsx'", "let g:secret_key = '⟦q8Zk02mLq9Zt4Rb7x8Kd⟧'"]);
    }

    #[test]
    fn words_with_other_meanings_are_harmless() {
        check("a.reg", &["\"Token\"=dword:00000001"]);
        check("events.log", &["volume \"tls\": secret \"orders-tls-2025\" not found"]);
        check(
            "flags.ts",
            &["passwordMeter: flag('password-meter-2025-q2', true),", "password: '⟦password-meter-2025-q2x⟧',"],
        );
        check("a.pl", &["$line =~ s/pass=\\S+/pass=X/g;"]);
        check(
            "Makefile",
            &["pass: build", "\t@echo \"pass: stage1 compiled\"", "\t./run --expect-pass=allocator,scheduler"],
        );
        check("src/passes/fold.rs", &["pub const PASS: &str = \"fold\";"]);
        check("config.yaml", &["band_pass: 0.5-40Hz", "ftp_pass: ⟦0.5-40Hz⟧"]);
        check("app.log", &["DEBUG auth: commit=70f59877d314efb5f4e9044b99bc491047a80d4c build=20250511.3"]);
    }
}
