//! Reads the corpus of findings in `tests/fixtures/findings`: its changes, from plain files and from bundles of public repositories, and
//! its records.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use diffsan_anchor::{Files, Head, place_all};
use diffsan_change::{Change, parse_patch};
use diffsan_review::finding::{AgentFinding, Finding, Side};
use diffsan_syntax::language::Language;
use diffsan_syntax::resolve::{Navigator, SymbolIndex};
use diffsan_syntax::symbols::{self, FileSymbols};
use serde_json::Value;

pub type Texts = BTreeMap<String, Arc<str>>;

/// One part of the corpus: a folder with records, and the changes that they are about.
pub struct Corpus {
    /// The folder with `findings.jsonl`, `relocations.jsonl` and `changes.jsonl`.
    pub folder: PathBuf,
    /// The folder with the changes as plain files.
    files: PathBuf,
    states: BTreeMap<String, State>,
    later: BTreeMap<(String, String), State>,
}

impl Corpus {
    /// Returns the changes that were written for the corpus, and those of this repository.
    pub fn written() -> Self {
        Self::at(root())
    }

    /// Returns the changes of public repositories, whose files are in bundles. `name` is that of a folder for them.
    pub fn public(name: &str) -> Self {
        let (folder, files) = (root().join("public"), work(name));
        expand(&folder, &files);
        let mut corpus = Self::at(folder);
        corpus.files = files;
        corpus
    }

    fn at(folder: PathBuf) -> Self {
        Self { files: folder.clone(), folder, states: BTreeMap::new(), later: BTreeMap::new() }
    }

    /// Returns the records of a file.
    pub fn rows(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.join(name)).expect("a file of the corpus");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Returns a change.
    pub fn state(&mut self, id: &str) -> &State {
        let folder = self.files.join("changes").join(id);
        let new = || State::new(id, texts(&folder.join("base")), texts(&folder.join("head")));
        self.states.entry(id.to_owned()).or_insert_with(new)
    }

    /// Returns a change and its state after a push, which the corpus stores as the files that differ.
    pub fn pushed(&mut self, id: &str, push: &str) -> (&State, &State) {
        let known = (id.to_owned(), push.to_owned());
        if !self.later.contains_key(&known) {
            let removed = self.removed(id, push);
            let folder = self.folder.join("changes").join(id).join("later").join(push);
            let state = self.state(id);
            let (mut base, mut head) = (state.base.clone(), state.head.clone());
            head.retain(|path, _| !removed.contains(path));
            head.extend(texts(&folder.join("head")));
            base.extend(texts(&folder.join("base")));
            self.later.insert(known.clone(), State::new(&format!("{id}-{push}"), base, head));
        }
        (&self.states[id], &self.later[&known])
    }

    fn removed(&self, id: &str, push: &str) -> Vec<String> {
        let changes = self.rows("changes.jsonl");
        let change = changes.iter().find(|change| change["id"] == id).expect("a change");
        let pushes = change["later"].as_array().expect("pushes");
        let removed = &pushes.iter().find(|one| one["name"] == push).expect("a push")["removed"];
        removed.as_array().expect("paths").iter().filter_map(|path| path.as_str().map(str::to_owned)).collect()
    }
}

fn root() -> PathBuf {
    let folders =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("tests/fixtures/findings"));
    folders.into_iter().find(|folder| folder.is_dir()).expect("the folder of the corpus")
}

fn work(name: &str) -> PathBuf {
    let process = std::process::id().to_string();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings").join(process).join(name)
}

impl Drop for Corpus {
    fn drop(&mut self) {
        if self.files != self.folder {
            let _ = std::fs::remove_dir_all(&self.files);
        }
    }
}

/// Writes the files of all bundles of a folder to `changes/BRANCH/{base,head}`.
fn expand(bundles: &Path, target: &Path) {
    let git = |folder: &Path, arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(folder).output().expect("git");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let _ = std::fs::remove_dir_all(target);
    std::fs::create_dir_all(target).expect("a folder");
    let entries = std::fs::read_dir(bundles).expect("the folder of bundles").flatten().map(|entry| entry.path());
    for bundle in entries.filter(|path| path.extension().is_some_and(|end| end == "bundle")) {
        let clone = target.join("clone.git");
        let _ = std::fs::remove_dir_all(&clone);
        let (from, to) = (bundle.display().to_string(), clone.display().to_string());
        git(target, &["clone", "--bare", "--quiet", &from, &to]);
        for branch in git(&clone, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]).lines() {
            for (side, revision) in [("base", format!("{branch}^")), ("head", branch.to_owned())] {
                let folder = target.join("changes").join(branch).join(side);
                std::fs::create_dir_all(&folder).expect("a folder");
                let tree = folder.display().to_string();
                git(&clone, &["--work-tree", &tree, "checkout", "--quiet", "--force", &revision, "--", "."]);
            }
        }
    }
}

fn read(root: &Path, folder: &Path, texts: &mut Texts) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            read(root, &path, texts);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            texts.insert(path.strip_prefix(root).expect("inside").display().to_string(), text.into());
        }
    }
}

fn texts(folder: &Path) -> Texts {
    let mut texts = Texts::new();
    read(folder, folder, &mut texts);
    texts
}

/// One state of a change: its files on both sides, and the difference that git finds.
pub struct State {
    pub base: Texts,
    pub head: Texts,
    pub change: Change,
    pub files: Files,
    symbols: OnceLock<(SymbolIndex, Symbols)>,
}

impl State {
    fn new(name: &str, base: Texts, head: Texts) -> Self {
        let folder = work(name);
        let _ = std::fs::remove_dir_all(&folder);
        let mut files = Files::default();
        for (side, label, texts) in [(Side::Old, "base", &base), (Side::New, "head", &head)] {
            std::fs::create_dir_all(folder.join(label)).expect("a folder");
            for (path, text) in texts {
                files.insert(path, side, text);
                let path = folder.join(label).join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, text.as_bytes()).expect("a file");
            }
        }
        let diff = ["diff", "--no-index", "--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/"];
        let output = Command::new("git").args(diff).args(["base", "head"]).current_dir(&folder).output().expect("git");
        let patch = String::from_utf8(output.stdout).expect("UTF-8");
        let header = |line: &str| ["diff --git ", "--- ", "+++ "].iter().any(|start| line.starts_with(start));
        let lines = patch.split_inclusive('\n').map(|line| match header(line) {
            true => ["a/base/", "a/head/", "b/base/", "b/head/"]
                .iter()
                .fold(line.to_owned(), |line, prefix| line.replace(prefix, &prefix[..2])),
            false if line.starts_with("rename ") => line.replace(" base/", " ").replace(" head/", " "),
            false => line.to_owned(),
        });
        let change = parse_patch(Bytes::from(lines.collect::<String>())).expect("a patch");
        let _ = std::fs::remove_dir_all(&folder);
        Self { base, head, change, files, symbols: OnceLock::new() }
    }

    /// Places a finding of the corpus.
    pub fn placed(&self, finding: &Value) -> Finding {
        let finding: AgentFinding = serde_json::from_value(finding.clone()).expect("a finding");
        place_all(vec![finding], "agent", &self.change, &self.files, None).remove(0)
    }

    /// Places findings of the corpus and checks their claims against the head.
    pub fn checked(&self, findings: &[Value]) -> Vec<Finding> {
        let read = |finding: &Value| -> AgentFinding { serde_json::from_value(finding.clone()).expect("a finding") };
        let findings = findings.iter().map(read).collect();
        let (index, symbols) = self.symbols.get_or_init(|| symbols_of(&self.head));
        let load = |path: &str| symbols.get(path).cloned();
        let text = |path: &str| self.head.get(path).cloned();
        let files_with = |word: &str| {
            let has =
                |text: &str| text.split(|char: char| !char.is_alphanumeric() && char != '_').any(|one| one == word);
            Some(self.head.iter().filter(|(_, text)| has(text)).map(|(path, _)| path.clone()).collect())
        };
        let head = Head::new(Navigator::new(index, &load), &text, &files_with);
        place_all(findings, "agent", &self.change, &self.files, Some(&head))
    }

    /// Returns the statements about the head that its compilers and linters refute: that a name which it uses is undefined, and that an
    /// import is unused. By path and line.
    pub fn refuted_statements(&self) -> Vec<(String, u32, String)> {
        let (_, symbols) = self.symbols.get_or_init(|| symbols_of(&self.head));
        let mut all = BTreeMap::new();
        for (path, symbols) in symbols {
            let imports = symbols.imports.iter().filter(|one| !one.all && !symbols.name(one.local).is_empty());
            for one in imports {
                let statement = format!("The import `{}` is unused.", symbols.name(one.local));
                all.entry((path.clone(), statement)).or_insert(one.at.line);
            }
            for one in &symbols.references {
                let statement = format!("`{}` is undefined.", symbols.name(one.name));
                all.entry((path.clone(), statement)).or_insert(one.at.line);
            }
        }
        all.into_iter().map(|((path, statement), line)| (path, line, statement)).collect()
    }
}

type Symbols = BTreeMap<String, Arc<FileSymbols>>;

/// Reads the symbols of all files.
fn symbols_of(texts: &Texts) -> (SymbolIndex, Symbols) {
    let (mut index, mut all) = (SymbolIndex::new(), Symbols::new());
    for (path, text) in texts {
        let read = match Language::of(path) {
            Some(language) => symbols::read(language, text.as_bytes()),
            None => symbols::read_manifest(path, text),
        };
        if let Some(symbols) = read {
            index.insert(path, path, &symbols);
            all.insert(path.clone(), Arc::new(symbols));
        }
    }
    (index, all)
}
