//! The bundled sample repository, built from plain files with fixed names and times.
//!
//! In: `config/sample`, embedded. Out: a repository on a topic branch, with staged and unstaged changes. It is built in a
//! temporary folder and then moved to its place. A repository that was built from the same files is not rebuilt.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{IndexAddOption, Repository, RepositoryInitOptions, Signature, Time};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use sha2::{Digest, Sha256};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../../config/sample");

/// The reason why the sample could not be built.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// An error of libgit2.
    #[error(transparent)]
    Git(#[from] git2::Error),
    /// The embedded `sample.toml` is invalid.
    #[error("sample.toml: {0}")]
    Script(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    step: Vec<Step>,
    work: Work,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    folder: String,
    branch: String,
    #[serde(default)]
    remove: Vec<String>,
    message: String,
    author: String,
    time: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Work {
    staged: String,
    tree: String,
}

/// Builds the sample at a path, unless it already exists there.
pub fn build_once(path: &Path) -> Result<PathBuf, SampleError> {
    let digest = digest();
    let stamp = |root: &Path| root.join(".git/diffsan-sample");
    if fs::read_to_string(stamp(path)).is_ok_and(|built| built == digest) {
        return Ok(path.to_owned());
    }
    let beside = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(beside)?;
    let temporary = tempfile::Builder::new().prefix("sample-").tempdir_in(beside)?;
    build(temporary.path())?;
    fs::write(stamp(temporary.path()), &digest)?;
    // Replace a sample of an older program version. It holds no work that the user wants to keep.
    if path.exists() {
        fs::remove_dir_all(path)?;
    }
    fs::rename(temporary.keep(), path)?;
    Ok(path.to_owned())
}

fn digest() -> String {
    fn add(folder: &Dir<'_>, hash: &mut Sha256) {
        for file in folder.files() {
            hash.update(file.path().to_string_lossy().as_bytes());
            hash.update(file.contents());
        }
        folder.dirs().for_each(|folder| add(folder, hash));
    }
    let mut hash = Sha256::new();
    add(&FILES, &mut hash);
    hex::encode(hash.finalize())
}

fn build(root: &Path) -> Result<(), SampleError> {
    let script = FILES.get_file("sample.toml").and_then(|file| file.contents_utf8()).unwrap_or_default();
    let script: Script = toml::from_str(script).map_err(|error| SampleError::Script(error.to_string()))?;
    let first = script.step.first().map_or("main", |step| step.branch.as_str());
    // Use no templates, because the user's hooks must not run here.
    let mut options = RepositoryInitOptions::new();
    options.external_template(false).initial_head(first);
    let repo = Repository::init_opts(root, &options)?;
    let mut settings = repo.config()?;
    settings.set_bool("core.autocrlf", false)?;
    settings.set_bool("commit.gpgsign", false)?;
    for step in &script.step {
        commit(&repo, root, step)?;
    }
    apply(root, &script.work.staged)?;
    let mut index = repo.index()?;
    index.add_all(["*"], IndexAddOption::DEFAULT, None)?;
    index.write()?;
    apply(root, &script.work.tree)?;
    Ok(())
}

fn commit(repo: &Repository, root: &Path, step: &Step) -> Result<(), SampleError> {
    let parent = repo.head().ok().map(|head| head.peel_to_commit()).transpose()?;
    if let Some(parent) = &parent
        && repo.head()?.shorthand().ok() != Some(step.branch.as_str())
    {
        repo.branch(&step.branch, parent, false)?;
        repo.set_head(&format!("refs/heads/{}", step.branch))?;
    }
    for path in &step.remove {
        fs::remove_file(root.join(path))?;
    }
    apply(root, &step.folder)?;
    let mut index = repo.index()?;
    index.add_all(["*"], IndexAddOption::DEFAULT, None)?;
    index.update_all(["*"], None)?;
    index.write()?;
    let tree = repo.find_tree(index.write_tree()?)?;
    let (name, email) = step.author.trim_end_matches('>').split_once(" <").unwrap_or((&step.author, ""));
    let author = Signature::new(name, email, &Time::new(step.time, 0))?;
    let parents: Vec<_> = parent.iter().collect();
    repo.commit(Some("HEAD"), &author, &author, step.message.trim_end(), &tree, &parents)?;
    Ok(())
}

/// Writes the files of an embedded folder over the tree.
fn apply(root: &Path, name: &str) -> Result<(), SampleError> {
    let folder =
        FILES.get_dir(name).ok_or_else(|| SampleError::Script(format!("the folder `{name}` does not exist")))?;
    write(root, Path::new(name), folder)
}

fn write(root: &Path, top: &Path, folder: &Dir<'_>) -> Result<(), SampleError> {
    for file in folder.files() {
        let path = root.join(file.path().strip_prefix(top).unwrap_or(file.path()));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, file.contents())?;
    }
    folder.dirs().try_for_each(|folder| write(root, top, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_built_once_and_is_the_same_everywhere() {
        let folder = tempfile::tempdir().expect("folder");
        let heads: Vec<String> = ["a", "b"]
            .iter()
            .map(|name| {
                let root = build_once(&folder.path().join(name)).expect("built");
                let repo = Repository::open(root).expect("a repository");
                repo.head().expect("a head").peel_to_commit().expect("a commit").id().to_string()
            })
            .collect();
        assert_eq!(heads[0], heads[1]);
        let root = folder.path().join("a");
        fs::write(root.join("mine"), "kept").expect("written");
        build_once(&root).expect("there");
        assert!(root.join("mine").exists(), "a sample that is there is left alone");
        let repo = Repository::open(&root).expect("a repository");
        assert_eq!(repo.head().expect("a head").shorthand().expect("a name"), "topic/refunds");
        let status: Vec<String> = repo
            .statuses(None)
            .expect("a status")
            .iter()
            .map(|entry| format!("{:?} {}", entry.status(), entry.path().expect("a path")))
            .collect();
        expect_test::expect![[r#"
            Status(INDEX_NEW) docs/support.md
            Status(WT_NEW) mine
            Status(WT_MODIFIED) src/refunds.ts
            Status(WT_NEW) src/report.ts"#]]
        .assert_eq(&status.join("\n"));
    }
}
