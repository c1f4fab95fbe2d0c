//! The names of a file as sorted hashes: small enough to be held for every file of a tree, so that a search reads only files that can
//! matter.
//!
//! In: the text of a file, or its symbols once they are read. Out: whether the file can have a name. The answer is never wrongly "no" for a
//! name that the file writes, or that it imports.

use std::sync::Arc;

use super::{FileSymbols, Kind, Use};
use crate::language::Language;

/// The number of low bits of an entry that say how the file can have the name.
const FLAGS: u32 = 3;

/// The entry of packages for a file whose package its text does not say plainly.
const ANY_PACKAGE: u32 = 0;

/// A way in which a file has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameUse {
    /// It defines the name.
    Define = 1,
    /// It refers to the name or imports it.
    Mention = 2,
    /// It calls the name, or imports it under another name.
    Call = 4,
}

/// A name to look for. It is the longest word of the name, because the words of a text are known before its symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameKey(Option<u32>);

impl NameKey {
    /// Returns the key of a name. A name without a word, such as an operator, is in every file.
    pub fn of(name: &str) -> Self {
        let mut longest: &[u8] = &[];
        words(name.as_bytes(), |word, _| {
            if word.len() > longest.len() {
                longest = word;
            }
        });
        Self((!longest.is_empty()).then(|| hash(longest)))
    }
}

/// The names of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNames {
    exact: bool,
    /// Hashes of names with their uses in the low bits, sorted, each name once.
    names: Arc<[u32]>,
    /// Hashes of the packages that the file can declare.
    packages: Arc<[u32]>,
}

impl FileNames {
    /// Returns every word of a text. Each can be any name.
    pub fn of_text(language: Language, text: &[u8]) -> Self {
        let mut found = Found::default();
        let mut packages = Vec::new();
        let declares = declares_packages(language);
        if language.is_script() {
            // `import name from "module"` imports this name without its word.
            found.add(hash(b"default"), NameUse::Mention as u32 | NameUse::Call as u32);
        }
        words(text, |word, at| {
            // Nothing is defined behind the dot of a member in Java.
            let member = language == Language::Java && at > 0 && text[at - 1] == b'.' && !text[..at].ends_with(b"..");
            let uses = NameUse::Mention as u32 | NameUse::Call as u32;
            found.add(hash(word), if member { uses } else { uses | NameUse::Define as u32 });
            if declares && matches!(word, b"package" | b"namespace") {
                packages.push(package_after(&text[at + word.len()..]));
            }
        });
        Self::from_parts(false, found.sorted(), packages)
    }

    /// Returns the names of symbols.
    pub fn of_symbols(symbols: &FileSymbols) -> Self {
        let mut uses = vec![0; symbols.names.len()];
        let mut set = |name: u32, flags: u32| {
            if let Some(known) = uses.get_mut(name as usize) {
                *known |= flags;
            }
        };
        for one in symbols.definitions.iter().filter(|one| one.kind != Kind::Extension) {
            set(one.name, NameUse::Define as u32);
        }
        for one in &symbols.references {
            let call = matches!(one.kind, Use::Call | Use::Macro);
            set(one.name, NameUse::Mention as u32 | if call { NameUse::Call as u32 } else { 0 });
        }
        for one in &symbols.imports {
            set(one.local, NameUse::Mention as u32);
            if let Some(name) = one.name {
                let renamed = name != one.local;
                set(name, NameUse::Mention as u32 | if renamed { NameUse::Call as u32 } else { 0 });
            }
        }
        let mut found = Found::default();
        for (name, uses) in symbols.names.iter().zip(uses).filter(|(_, uses)| *uses != 0) {
            if let NameKey(Some(hash)) = NameKey::of(name) {
                found.add(hash, uses);
            }
        }
        let package = symbols.package.map(|package| package_hash(symbols.name(package)));
        Self::from_parts(true, found.sorted(), package.into_iter().collect())
    }

    /// Returns names that were stored by their parts.
    pub fn from_parts(exact: bool, names: Vec<u32>, mut packages: Vec<u32>) -> Self {
        packages.sort_unstable();
        packages.dedup();
        Self { exact, names: names.into(), packages: packages.into() }
    }

    /// Returns the hashes of the names and those of the packages.
    pub fn parts(&self) -> (&[u32], &[u32]) {
        (&self.names, &self.packages)
    }

    /// Returns whether the names are those of the symbols, and not only words.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns whether the file can have a name in some way.
    pub fn can(&self, name: NameKey, wanted: NameUse) -> bool {
        let Some(hash) = name.0 else { return true };
        let at = self.names.partition_point(|entry| entry >> FLAGS < hash);
        self.names.get(at).is_some_and(|entry| entry >> FLAGS == hash && entry & wanted as u32 != 0)
    }

    /// Returns the hashes of the packages that the file can declare. [`any_package`] stands for all.
    pub(crate) fn packages(&self) -> &[u32] {
        &self.packages
    }
}

/// Returns the entry of a file that can declare any package.
pub(crate) fn any_package() -> u32 {
    ANY_PACKAGE
}

/// Returns the hash of a package's name.
pub(crate) fn package_hash(name: &str) -> u32 {
    hash(name.as_bytes()).max(ANY_PACKAGE + 1)
}

/// Hashes with their uses. A small table recognises most repeated ones; no entry is zero.
struct Found {
    all: Vec<u32>,
    recent: Box<[u32; 4096]>,
}

impl Default for Found {
    fn default() -> Self {
        Self { all: Vec::new(), recent: Box::new([0; 4096]) }
    }
}

impl Found {
    fn add(&mut self, hash: u32, uses: u32) {
        let entry = hash << FLAGS | uses;
        let recent = &mut self.recent[hash as usize % 4096];
        if *recent != entry {
            *recent = entry;
            self.all.push(entry);
        }
    }

    fn sorted(mut self) -> Vec<u32> {
        self.all.sort_unstable();
        self.all.dedup_by(|next, kept| {
            let same = *next >> FLAGS == *kept >> FLAGS;
            if same {
                *kept |= *next;
            }
            same
        });
        self.all
    }
}

/// Returns a hash that leaves room for the flags. It is stored, so it never changes.
fn hash(word: &[u8]) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for chunk in word.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    (hash >> (32 + FLAGS)) as u32
}

/// Calls a function with each word and its place. A word has letters, digits and `_` of ASCII, and no digit at its start.
fn words<'t>(text: &'t [u8], mut each: impl FnMut(&'t [u8], usize)) {
    let mut at = 0;
    while at < text.len() {
        if !IN_WORD[text[at] as usize] {
            at += 1;
            continue;
        }
        let start = at;
        while at < text.len() && IN_WORD[text[at] as usize] {
            at += 1;
        }
        if !text[start].is_ascii_digit() {
            each(&text[start..at], start);
        }
    }
}

static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        table[byte] = value.is_ascii_alphanumeric() || value == b'_';
        byte += 1;
    }
    table
};

fn declares_packages(language: Language) -> bool {
    matches!(language, Language::Java | Language::Kotlin | Language::CSharp | Language::Php)
}

/// Returns the hash of the package's name that stands behind its keyword.
fn package_after(text: &[u8]) -> u32 {
    let text = text.trim_ascii_start();
    let part = |byte: &u8| IN_WORD[*byte as usize] || !byte.is_ascii() || matches!(byte, b'.' | b'\\' | b'`');
    let name = &text[..text.iter().take_while(|byte| part(byte)).count()];
    // A comment or a space inside the name belongs to its text.
    let rest = text[name.len()..].trim_ascii_start();
    let split = rest.starts_with(b".") || rest.starts_with(b"\\") || rest.starts_with(b"/") || name.ends_with(b".");
    match std::str::from_utf8(name) {
        Ok(name) if !split => package_hash(&name.replace('\\', ".")),
        _ => ANY_PACKAGE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::read;

    fn text(language: Language, text: &str) -> FileNames {
        FileNames::of_text(language, text.as_bytes())
    }

    #[test]
    fn the_words_of_a_text_are_found() {
        let names = text(Language::Java, "package a.b; class Sender { void send(String... to) { log.write(2); } }");
        let can = |name: &str, wanted| names.can(NameKey::of(name), wanted);
        assert!(can("send", NameUse::Define) && can("send", NameUse::Call) && can("to", NameUse::Define));
        assert!(can("write", NameUse::Call) && !can("write", NameUse::Define));
        assert!(!can("sen", NameUse::Mention) && !can("Send", NameUse::Mention));
        assert!(can("+", NameUse::Define), "an operator has no word");
        assert_eq!(names.packages(), [package_hash("a.b")]);
    }

    #[test]
    fn a_package_with_a_comment_in_its_name_can_be_any() {
        for code in ["package a /* x */ . b;", "package /* x */ a.b;", "package a. b;"] {
            assert!(text(Language::Java, code).packages().contains(&any_package()), "{code}");
        }
        let names = text(Language::Php, "<?php\nnamespace A\\B;\n");
        assert_eq!(names.packages(), [package_hash("A.B")]);
    }

    #[test]
    fn a_default_import_is_a_mention_without_its_word() {
        let code = "import send from './api';\nsend();\n";
        let exact = FileNames::of_symbols(&read(Language::TypeScript, code.as_bytes()).expect("read"));
        for names in [text(Language::TypeScript, code), exact] {
            assert!(names.can(NameKey::of("default"), NameUse::Call), "{names:?}");
        }
    }

    #[test]
    fn symbols_say_more_than_words() {
        let code = "import { send as post } from './api';\nfunction run(x) { post(x); return x.size; }\n";
        let names = FileNames::of_symbols(&read(Language::TypeScript, code.as_bytes()).expect("read"));
        let can = |name: &str, wanted| names.can(NameKey::of(name), wanted);
        assert!(can("run", NameUse::Define) && !can("run", NameUse::Mention));
        assert!(can("post", NameUse::Call) && can("send", NameUse::Call));
        assert!(can("size", NameUse::Mention) && !can("size", NameUse::Call));
        assert!(!can("function", NameUse::Mention));
    }
}
