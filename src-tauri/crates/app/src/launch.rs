//! Parses the arguments of a start of the program, of a second start, and links. Arguments are never executed. A link
//! only opens a change, and an unknown place in a link is shown to the reviewer first.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Parser;
use tokio::sync::Notify;
use url::Url;

use super::App;
use super::target_args::{TargetArgs, parse_range};
use diffsan_change::Target;
use diffsan_forge::gitlab::Reference;
use diffsan_git::Repo;
use diffsan_pipeline::error::{Error, ErrorCode, Result, sentence};
use diffsan_pipeline::open::merge_request_target;

/// The maximum length of a link, in bytes.
const LONGEST_LINK: usize = 2048;
/// The maximum number of launches that wait for the interface.
const WAITING: usize = 16;

/// The parsed arguments of a start, or a parsed link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The repository to open.
    pub repo: Option<PathBuf>,
    /// The change to open.
    pub target: Option<Target>,
    /// Whether to open the bundled sample.
    pub sample: bool,
    /// Whether it comes from a link.
    pub link: bool,
}

/// A launch for the interface.
#[derive(Clone, Debug)]
pub enum LaunchRequest {
    /// A change or repository is shown.
    Show {
        /// The parsed arguments.
        launch: Launch,
        /// Whether to ask the user first, because a link names an unknown place.
        ask: bool,
    },
    /// The arguments are not valid.
    Wrong(Error),
}

/// The arguments of the window.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Arguments {
    #[command(flatten)]
    target: TargetArgs,
    #[arg(long)]
    repo: Option<PathBuf>,
    #[arg(long)]
    sample: bool,
    places: Vec<OsString>,
}

#[derive(Default)]
pub(super) struct Launches {
    waiting: Mutex<VecDeque<LaunchRequest>>,
    more: Notify,
}

impl Launch {
    /// Parses the arguments of the program. Relative paths are relative to `folder`, in which it was started.
    pub fn read(arguments: &[OsString], folder: &Path) -> Result<Self> {
        if let Some(link) =
            arguments.iter().map(|word| word.to_string_lossy()).find(|word| word.starts_with("diffsan:"))
        {
            return Self::link(&link);
        }
        // Older versions of macOS pass the number of the process (`-psn_…`).
        let arguments = arguments.iter().filter(|word| !word.to_string_lossy().starts_with("-psn_"));
        let arguments = Arguments::try_parse_from(arguments).map_err(|error| {
            let message = error.to_string();
            let first = message.lines().next().unwrap_or_default();
            Error::new(ErrorCode::InvalidInput, sentence(first.trim_start_matches("error: "))).hint(USAGE)
        })?;
        let repo = arguments.repo.map(|path| folder.join(path));
        let target = match arguments.target.target(repo.as_deref().unwrap_or(folder))? {
            Some(Target::Patch { path, partial }) => {
                Some(Target::Patch { path: absolute(&folder.join(path)), partial })
            }
            target => target,
        };
        let mut launch = Self { repo, target, sample: arguments.sample, link: false };
        for place in &arguments.places {
            launch.place(place, folder)?;
        }
        let needs_repo = launch.target.as_ref().is_some_and(|target| !matches!(target, Target::Patch { .. }));
        if launch.repo.is_none() && needs_repo {
            launch.repo = Some(folder.to_owned());
        }
        launch.repo = launch.repo.map(|path| std::path::absolute(&path).unwrap_or(path));
        Ok(launch)
    }

    /// Completes the arguments of a start by an alias of git. git runs it in the top-level folder of the repository, `top`, and names the
    /// folder in which it was called by `prefix` (`GIT_PREFIX`). The repository is the one of the call, unless the arguments name another,
    /// and files are relative to the folder of the call.
    pub fn complete_for_git(arguments: &[OsString], top: &Path, prefix: &Path) -> Vec<OsString> {
        let called_in = top.join(prefix);
        let complete = |word: &OsString| {
            let path = called_in.join(word);
            let is_file = !word.to_string_lossy().starts_with('-') && path.is_file();
            if is_file { path.into_os_string() } else { word.clone() }
        };
        let mut complete: Vec<OsString> = arguments.iter().map(complete).collect();
        let names_repo = |word: &OsString| {
            let word = word.to_string_lossy();
            word == "--repo" || word == "--sample" || word.starts_with("--repo=") || word.starts_with("diffsan:")
        };
        if !complete.iter().any(names_repo) {
            complete.splice(0..0, ["--repo".into(), top.into()]);
        }
        complete
    }

    fn aim(&mut self, target: Target) -> Result<()> {
        if self.target.replace(target).is_some() {
            return Err(Error::new(ErrorCode::InvalidInput, "Only one change can be opened at the start.").hint(USAGE));
        }
        Ok(())
    }

    /// Parses an argument without an option: a folder, a patch, or two revisions.
    fn place(&mut self, place: &OsStr, folder: &Path) -> Result<()> {
        let text = place.to_string_lossy();
        // File managers pass the address of a file.
        let file = Url::parse(&text).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
        let path = file.unwrap_or_else(|| folder.join(place));
        if path.is_file() {
            return self.aim(Target::Patch { path: absolute(&path), partial: false });
        }
        if !path.exists()
            && let Some(target) = Target::range(&text)
        {
            return self.aim(target);
        }
        self.repo = Some(path);
        Ok(())
    }

    /// Parses `diffsan://open?repo=…&range=…` and `diffsan://open?mr=…`. Rejects every other link.
    fn link(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            Error::new(ErrorCode::InvalidInput, format!("A diffsan:// link was not opened: {why}."))
                .hint("Links are diffsan://open?mr=ADDRESS or diffsan://open?repo=FOLDER with range, commit, branch, staged, unstaged or all.")
        };
        if text.len() > LONGEST_LINK || text.chars().any(char::is_control) {
            return Err(wrong("it is too long or contains invisible characters"));
        }
        let url = Url::parse(text).map_err(|_| wrong("it is not valid"))?;
        let plain =
            url.username().is_empty() && url.password().is_none() && url.port().is_none() && url.fragment().is_none();
        if url.host_str() != Some("open") || !matches!(url.path(), "" | "/") || !plain {
            return Err(wrong("its action is not supported"));
        }
        let mut launch = Self { link: true, ..Self::default() };
        for (key, value) in url.query_pairs() {
            let value = value.into_owned();
            if value.chars().any(char::is_control) || value.starts_with('-') {
                return Err(wrong("it contains a value that is not valid"));
            }
            let target = match key.as_ref() {
                "repo" if launch.repo.is_none() => {
                    launch.repo =
                        Some(local_folder(&value).ok_or_else(|| wrong("it does not name a folder of this machine"))?);
                    continue;
                }
                "mr" => {
                    let address = Reference::parse(&value).filter(|named| named.base.is_some());
                    address.ok_or_else(|| wrong("it does not contain the address of a merge request"))?;
                    merge_request_target(&value, None)?
                }
                "range" => parse_range(&value)?,
                "commit" if !value.is_empty() => Target::Commit { rev: value },
                "branch" => Target::Branch { name: Some(value).filter(|name| !name.is_empty()), base: None },
                "staged" => Target::Staged,
                "unstaged" => Target::Unstaged,
                "all" => Target::All { untracked: true },
                _ => return Err(wrong("it contains an unknown part")),
            };
            launch.aim(target).map_err(|_| wrong("it names more than one change"))?;
        }
        let is_request = matches!(launch.target, Some(Target::MergeRequest { .. }));
        if launch.repo.is_none() && !is_request {
            return Err(wrong("it names neither a folder nor a merge request"));
        }
        Ok(launch)
    }
}

const USAGE: &str = "Start it with a folder, a patch or A..B, and --staged, --unstaged, --all, --commit REV, --range A..B, --branch [NAME], \
    --patch FILE, --mr ADDRESS or --sample.";

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Returns an existing local folder. Rejects network shares, because accessing one would reveal the user's identity to
/// its server.
fn local_folder(text: &str) -> Option<PathBuf> {
    let path = PathBuf::from(text);
    let share = text.starts_with("\\\\") || text.starts_with("//");
    (path.is_absolute() && !share && path.is_dir()).then_some(path)
}

impl App {
    /// Parses the arguments of a start, or a link, and queues the result for the interface. Blocks.
    pub fn launched(&self, words: &[OsString], folder: &Path) {
        let news = match Launch::read(words, folder).and_then(|launch| self.judged(launch)) {
            Ok(news) => news,
            Err(error) => LaunchRequest::Wrong(error),
        };
        let mut waiting = self.launches.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < WAITING {
            waiting.push_back(news);
        }
        self.launches.more.notify_one();
    }

    /// Returns the next launch. Waits until there is one.
    pub async fn next_launch(&self) -> LaunchRequest {
        loop {
            let next = self.launches.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match next {
                Some(news) => return news,
                None => self.launches.more.notified().await,
            }
        }
    }

    fn judged(&self, mut launch: Launch) -> Result<LaunchRequest> {
        if !launch.link {
            return Ok(LaunchRequest::Show { launch, ask: false });
        }
        let recent = self.recent_repositories()?;
        let mut known = true;
        if let Some(path) = &launch.repo {
            // The path may be a link or an indirect path, so compare the canonical path with those of the recent
            // repositories.
            let real = path.canonicalize().ok();
            known &= recent.iter().any(|one| one.canonicalize().ok() == real && real.is_some());
        }
        if let Some(target @ Target::MergeRequest { base, .. }) = &launch.target {
            if launch.repo.is_none() {
                launch.repo = recent.iter().find(|path| is_clone(path, target)).cloned();
            }
            let named = self.store.secret_names()?;
            let token = named.iter().any(|name| name == base || name.starts_with(&format!("{base}#")));
            known &= token || launch.repo.as_ref().is_some_and(|path| is_clone(path, target));
        }
        Ok(LaunchRequest::Show { launch, ask: !known })
    }

    /// Returns the recent repository that has the project of a merge request as a remote. Blocks.
    pub fn clone_of(&self, target: &Target) -> Result<Option<PathBuf>> {
        Ok(self.recent_repositories()?.into_iter().find(|path| is_clone(path, target)))
    }
}

/// Whether one of the repository's remotes is the project of a merge request.
fn is_clone(path: &Path, target: &Target) -> bool {
    let Target::MergeRequest { base, project, .. } = target else { return false };
    let urls = Repo::open(path).map(|repo| repo.remote_urls()).unwrap_or_default();
    urls.iter().filter_map(|url| Reference::of_remote(url)).any(|(at, of)| at == *base && of == *project)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str], folder: &Path) -> Result<Launch> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Launch::read(&words, folder)
    }

    #[test]
    fn arguments_name_a_repository_and_a_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        std::fs::create_dir(here.join("repo")).expect("a folder");
        std::fs::write(here.join("a.patch"), "x").expect("a file");
        let show = |words: &[&str]| read(words, here).expect("a launch");
        assert_eq!(show(&[]), Launch::default());
        assert_eq!(show(&["--sample"]), Launch { sample: true, ..Launch::default() });
        assert_eq!(show(&["repo"]).repo, Some(here.join("repo")));
        assert_eq!(show(&["repo", "--staged"]).target, Some(Target::Staged));
        assert_eq!(show(&["--staged"]).repo, Some(here.to_owned()));
        assert_eq!(show(&["main...HEAD"]).target, Target::range("main...HEAD"));
        assert_eq!(show(&["--range", "a..b"]).target, Target::range("a..b"));
        assert_eq!(show(&["--branch=topic"]).target, Some(Target::Branch { name: Some("topic".into()), base: None }));
        let patch = show(&["a.patch"]);
        assert!(
            matches!(&patch.target, Some(Target::Patch { path, .. }) if *path == here.join("a.patch").display().to_string())
        );
        assert_eq!(patch.repo, None);
        let address = Url::from_file_path(here.join("a.patch")).expect("an address");
        assert_eq!(show(&[address.as_str()]), patch);
        let request = show(&["--mr", "https://gitlab.example.com/g/p/-/merge_requests/7"]).target;
        assert!(matches!(request, Some(Target::MergeRequest { iid: 7, .. })));
        for wrong in [&["--staged", "--all"][..], &["--commit"], &["--nonsense"], &["--range", "x"]] {
            assert!(read(wrong, here).expect_err("refused").hint.is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn an_alias_of_git_opens_the_repository_in_which_it_is_called() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a path");
        git2::Repository::init(&top).expect("a repository");
        let inside = top.join("inside");
        std::fs::create_dir(&inside).expect("a folder");
        std::fs::write(inside.join("a.patch"), "x").expect("a file");
        let called_in = |folder: &Path, arguments: &[&str]| {
            let alias = r#"alias.diffsan=!printf '%s\n' "$PWD" "$GIT_PREFIX""#;
            let output = std::process::Command::new("git").args(["-c", alias, "diffsan"]).current_dir(folder).output();
            let text = String::from_utf8(output.expect("git").stdout).expect("text");
            let (at, prefix) = text.split_once('\n').expect("two lines");
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            let complete = Launch::complete_for_git(&arguments, Path::new(at), Path::new(prefix.trim_end()));
            Launch::read(&complete, Path::new("/elsewhere")).expect("a launch")
        };
        for folder in [&top, &inside] {
            assert_eq!(called_in(folder, &[]), Launch { repo: Some(top.clone()), ..Launch::default() });
            assert_eq!(called_in(folder, &["--staged"]).repo, Some(top.clone()));
            let range = called_in(folder, &["main...HEAD"]);
            assert_eq!((range.repo, range.target), (Some(top.clone()), Target::range("main...HEAD")));
            assert_eq!(called_in(folder, &["--repo", "/other"]).repo, Some(PathBuf::from("/other")));
            assert_eq!(called_in(folder, &["--sample"]), Launch { sample: true, ..Launch::default() });
        }
        let patch = called_in(&inside, &["a.patch"]).target;
        let path = inside.join("a.patch").display().to_string();
        assert_eq!(patch, Some(Target::Patch { path, partial: false }));
    }

    #[test]
    fn links_can_only_open_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let name = here.display().to_string();
        let link = read(&[&format!("diffsan://open?repo={name}&range=main...HEAD")], here).expect("a launch");
        assert!(link.link);
        assert_eq!((link.repo, link.target), (Some(here.to_owned()), Target::range("main...HEAD")));
        let link = read(&["diffsan://open?mr=https%3A%2F%2Fgitlab.example.com%2Fg%2Fp%2F-%2Fmerge_requests%2F7"], here);
        assert!(matches!(link.expect("a launch").target, Some(Target::MergeRequest { iid: 7, .. })));
        for hostile in [
            "diffsan://review?repo=/".to_owned(),
            "diffsan://open".to_owned(),
            "diffsan://open?".to_owned(),
            "diffsan:open?repo=/".to_owned(),
            "diffsan://open/post?repo=/".to_owned(),
            "diffsan://open:1/?repo=/".to_owned(),
            "diffsan://me@open?repo=/".to_owned(),
            "diffsan://open?repo=relative".to_owned(),
            "diffsan://open?repo=//server/share".to_owned(),
            "diffsan://open?repo=%5C%5Cserver%5Cshare".to_owned(),
            "diffsan://open?repo=/nowhere/at/all".to_owned(),
            "diffsan://open?repo=/etc/passwd".to_owned(),
            format!("diffsan://open?repo={name}&repo=/"),
            format!("diffsan://open?repo={name}&post=1"),
            format!("diffsan://open?repo={name}&agent=codex"),
            format!("diffsan://open?repo={name}&patch=/etc/passwd"),
            format!("diffsan://open?repo={name}&staged&all"),
            format!("diffsan://open?repo={name}&commit=--output=x"),
            format!("diffsan://open?repo={name}&commit="),
            format!("diffsan://open?repo={name}&range=a..b..c"),
            format!("diffsan://open?repo={name}%00"),
            format!("diffsan://open?repo={name}&branch=a%0Ab"),
            format!("diffsan://open?repo={name}#x"),
            format!("diffsan://open?repo={name}&branch={}", "x".repeat(3000)),
            "diffsan://open?mr=7".to_owned(),
            "diffsan://open?mr=group/project!7".to_owned(),
            "diffsan://open?mr=javascript:alert(1)".to_owned(),
            "diffsan://open?mr=file:///g/p/-/merge_requests/7".to_owned(),
            "diffsan://open?mr=https://gitlab.com@evil.example/g/p/-/merge_requests/7".to_owned(),
        ] {
            assert!(read(&[&hostile], here).is_err(), "{hostile}");
        }
    }

    #[test]
    fn a_link_to_an_unknown_place_needs_confirmation() {
        let folder = tempfile::tempdir().expect("a folder");
        git2::Repository::init(folder.path()).expect("a repository");
        let app = App::in_memory().expect("a program");
        let asks = |link: &str| {
            app.launched(&[OsString::from(link)], Path::new("/"));
            let news = app.launches.waiting.lock().expect("a lock").pop_front();
            matches!(news, Some(LaunchRequest::Show { ask: true, .. }))
        };
        let repo = format!("diffsan://open?repo={}", folder.path().display());
        assert!(asks(&repo));
        app.open_repository(folder.path()).expect("it opens");
        assert!(!asks(&repo), "it was opened before");
        let request = "diffsan://open?mr=https://gitlab.example.com/g/p/-/merge_requests/7";
        assert!(asks(request));
        let git = git2::Repository::open(folder.path()).expect("a repository");
        git.remote("origin", "git@gitlab.example.com:g/p.git").expect("a remote");
        assert!(!asks(request), "a repository of it was opened before");
        assert!(asks("diffsan://open?mr=https://gitlab.example.com/g/other/-/merge_requests/7"));
        assert!(asks(&format!("{request}&repo=/")), "the folder is another one");
    }
}
