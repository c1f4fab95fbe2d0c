//! Repositories whose parts lead outside: work trees, `.git` files, shared folders, borrowed objects, links, included settings.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use diffsan_change::{Target, print_change};
use diffsan_git::{LocalCounts, ReadOptions, Repo, RepoError};
use diffsan_test_support::repo::{TestRepo, git};

const ALL: Target = Target::All { untracked: true };

/// A repository with one commit, and beside it a folder `home` with a private key and a private repository.
struct Case {
    repo: TestRepo,
    home: PathBuf,
}

impl Case {
    fn new() -> Self {
        let repo = TestRepo::new();
        repo.write("a", "a\n");
        repo.commit("one");
        let home = repo.beside("home");
        fs::create_dir_all(home.join(".ssh")).expect("a folder");
        fs::write(home.join(".ssh/id_ed25519"), "PRIVATE KEY\n").expect("a file");
        let private = home.join("private");
        fs::create_dir(&private).expect("a folder");
        run(&private, &["init", "-q", "-b", "main"]);
        fs::write(private.join("secret"), "PRIVATE CODE\n").expect("a file");
        run(&private, &["add", "."]);
        run(&private, &["commit", "-q", "-m", "private"]);
        Self { repo, home }
    }

    fn git_folder(&self) -> PathBuf {
        self.repo.path().join(".git")
    }

    fn private(&self) -> PathBuf {
        self.home.join("private/.git")
    }

    /// Checks that nothing outside is read, and that the error names the part that leads outside and the remedy.
    #[track_caller]
    fn is_refused(&self, path: &Path, named: &str) {
        match Repo::open(path).err() {
            Some(error @ RepoError::LeadsOutside { .. }) => {
                let words = error.to_string();
                assert!(words.contains(named) && words.contains("safe.directory"), "{words}");
                assert!(!words.contains("PRIVATE"), "{words}");
            }
            other => panic!("it must be refused: {other:?}"),
        }
    }

    #[track_caller]
    fn is_opened(&self, path: &Path) -> Repo {
        let repo = Repo::open(path).expect("a repository");
        assert_eq!(repo.notice(), None);
        repo
    }
}

fn run(folder: &Path, arguments: &[&str]) {
    let output = git(folder).args(arguments).output().expect("git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn text(repo: &Repo, target: &Target) -> String {
    let change = repo.change(target, &ReadOptions::default()).expect("a change");
    String::from_utf8_lossy(&print_change(&change)).into_owned()
}

#[test]
fn a_work_tree_that_does_not_have_the_repository_does_not_count() {
    let case = Case::new();
    let root = case.repo.path().canonicalize().expect("a path");
    let home = case.home.canonicalize().expect("a path");
    for named in
        [home.to_string_lossy().into_owned(), "../../home".into(), "../..".into(), "/".into(), "..//../home/".into()]
    {
        case.repo.git(["config", "core.worktree", &named]);
        for path in [root.clone(), root.join(".git")] {
            let repo = Repo::open(&path).expect("a repository");
            assert_eq!(repo.root(), root.join(".git"), "{named}");
            assert!(repo.notice().is_some_and(|notice| notice.contains("opened without a work tree")), "{named}");
            let error = repo.change(&ALL, &ReadOptions::default()).expect_err("no local changes");
            assert!(error.to_string().contains("opened without a work tree"), "{error}");
            assert_eq!(repo.local_counts().expect("counts"), LocalCounts::default());
            assert!(text(&repo, &Target::Commit { rev: "HEAD".into() }).contains("+a"), "commits can be read");
        }
    }
    // The repository's own folder may be named.
    for named in ["..", root.to_str().expect("text")] {
        case.repo.git(["config", "core.worktree", named]);
        assert_eq!(case.is_opened(&root).root(), root);
    }
}

#[test]
fn a_work_tree_is_named_by_no_other_settings_file_either() {
    let case = Case::new();
    case.repo.git(["config", "extensions.worktreeConfig", "true"]);
    case.repo.git(["config", "--worktree", "core.worktree", "../../home"]);
    assert!(Repo::open(case.repo.path()).expect("a repository").notice().is_some());
    case.repo.git(["config", "--worktree", "--unset", "core.worktree"]);
    fs::write(case.repo.path().join("settings"), "[core]\n\tworktree = ../../home\n").expect("a file");
    case.repo.git(["config", "include.path", "../settings"]);
    assert!(Repo::open(case.repo.path()).expect("a repository").notice().is_some());
}

#[test]
fn a_repository_inside_another_ones_files_has_no_work_tree() {
    let case = Case::new();
    run(case.repo.path(), &["init", "-q", "--bare", "inner"]);
    run(&case.repo.path().join("inner"), &["config", "core.bare", "false"]);
    for named in ["../../home", "..", "."] {
        run(&case.repo.path().join("inner"), &["config", "core.worktree", named]);
        let repo = Repo::open(&case.repo.path().join("inner")).expect("a repository");
        assert!(repo.notice().is_some(), "{named}");
    }
}

#[test]
fn linked_work_trees_and_submodules_are_opened() {
    let case = Case::new();
    let linked = case.repo.beside("linked");
    case.repo.git(["worktree", "add", "-q", "-b", "other", linked.to_str().expect("text")]);
    fs::write(linked.join("b"), "b\n").expect("a file");
    assert!(text(&case.is_opened(&linked), &ALL).contains("+b"));
    let own = case.git_folder().join("worktrees/linked");
    assert_eq!(case.is_opened(&own).root(), linked.canonicalize().expect("a path"), "by its own folder");
    // Relative links, as newer versions of git write them.
    fs::write(own.join("gitdir"), "../../../../linked/.git\n").expect("a file");
    fs::write(linked.join(".git"), "gitdir: ../work/.git/worktrees/linked\n").expect("a file");
    case.is_opened(&linked);
    let super_repo = TestRepo::new();
    super_repo.git(["submodule", "--quiet", "add", &format!("file://{}", case.repo.path().display()), "sub"]);
    super_repo.commit("with a submodule");
    let sub = super_repo.path().join("sub");
    fs::write(sub.join("a"), "changed\n").expect("a file");
    assert!(text(&case.is_opened(&sub), &ALL).contains("+changed"));
    assert!(text(&case.is_opened(super_repo.path()), &Target::Unstaged).contains("-dirty"));
    let modules = super_repo.path().join(".git/modules/sub");
    assert_eq!(case.is_opened(&modules).root(), sub.canonicalize().expect("a path"));
}

#[test]
fn a_git_file_that_leads_to_another_repository_is_refused() {
    let case = Case::new();
    let folder = case.repo.beside("unpacked");
    fs::create_dir(&folder).expect("a folder");
    let private = case.private();
    fs::write(folder.join(".git"), format!("gitdir: {}\n", private.display())).expect("a file");
    case.is_refused(&folder, "does not refer back to it");
    fs::write(folder.join(".git"), "gitdir: ../home/private/.git\n").expect("a file");
    case.is_refused(&folder, "does not refer back to it");
    fs::remove_file(folder.join(".git")).expect("removed");
    symlink(&private, folder.join(".git")).expect("a link");
    case.is_refused(&folder, "does not refer back to it");
    // A linked work tree of another folder.
    run(&case.home.join("private"), &["worktree", "add", "-q", "-b", "other", "../linked"]);
    fs::remove_file(folder.join(".git")).expect("removed");
    fs::write(folder.join(".git"), format!("gitdir: {}\n", private.join("worktrees/linked").display()))
        .expect("a file");
    case.is_refused(&folder, "does not refer back to it");
    // The git folder has another name than `.git`, but is in the folder of its work tree.
    let separate = case.repo.beside("separate");
    run(
        case.repo.path(),
        &["init", "-q", "--separate-git-dir", separate.join("git").to_str().expect("text"), "../separate"],
    );
    case.is_opened(&separate);
}

#[test]
fn a_shared_folder_of_another_repository_is_refused() {
    let case = Case::new();
    fs::write(case.git_folder().join("commondir"), "../../home/private/.git\n").expect("a file");
    case.is_refused(case.repo.path(), "`commondir`");
    let own = case.repo.path().join("x/worktrees/y");
    fs::create_dir_all(&own).expect("a folder");
    fs::write(own.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    fs::write(own.join("commondir"), case.private().to_str().expect("text")).expect("a file");
    let folder = case.repo.beside("unpacked");
    fs::create_dir(&folder).expect("a folder");
    fs::write(own.join("gitdir"), folder.join(".git").to_str().expect("text")).expect("a file");
    fs::write(folder.join(".git"), format!("gitdir: {}\n", own.display())).expect("a file");
    case.is_refused(&folder, "`commondir`");
}

#[test]
fn objects_are_borrowed_from_inside_only() {
    let case = Case::new();
    let file = case.git_folder().join("objects/info/alternates");
    let private = case.private().join("objects");
    for line in [
        private.to_string_lossy().into_owned(),
        "../../../home/private/.git/objects".into(),
        format!("# none\n\n{}", private.display()),
        format!("./pack\r{}\r", private.display()),
    ] {
        fs::write(&file, format!("{line}\n")).expect("a file");
        case.is_refused(case.repo.path(), "uses the objects");
    }
    // Objects are borrowed through a folder of the repository itself.
    let inner = case.git_folder().join("more/objects/info");
    fs::create_dir_all(&inner).expect("a folder");
    fs::write(&file, "../more/objects\n").expect("a file");
    case.is_opened(case.repo.path());
    fs::write(inner.join("alternates"), format!("{}\n", private.display())).expect("a file");
    case.is_refused(case.repo.path(), "uses the objects");
    let shared = case.repo.beside("shared");
    run(case.repo.path(), &["clone", "-q", "--shared", ".", shared.to_str().expect("text")]);
    case.is_refused(&shared, "uses the objects");
}

#[test]
fn links_out_of_the_repository_are_refused() {
    let links = [
        ("objects", "objects"),
        ("refs", "refs"),
        ("packed-refs", "HEAD"),
        ("HEAD", "HEAD"),
        ("index", "index"),
        ("config", "config"),
        ("FETCH_HEAD", "HEAD"),
        ("info/exclude", "info/exclude"),
        ("objects/aa", "objects"),
        ("objects/pack", "objects/pack"),
        ("objects/pack/pack-x.pack", "HEAD"),
        ("refs/heads/other", "HEAD"),
        ("refs/diffsan", "refs"),
    ];
    for (name, target) in links {
        let case = Case::new();
        let link = case.git_folder().join(name);
        let aside = case.git_folder().join("aside");
        if link.symlink_metadata().is_ok() {
            fs::rename(&link, aside).expect("moved");
        }
        symlink(case.private().join(target), &link).expect("a link");
        case.is_refused(case.repo.path(), "is a link to");
    }
    // Links inside of the repository, and links that nothing follows.
    let case = Case::new();
    fs::rename(case.git_folder().join("objects"), case.git_folder().join("store")).expect("moved");
    symlink("store", case.git_folder().join("objects")).expect("a link");
    symlink(&case.home, case.git_folder().join("lfs")).expect("a link");
    fs::remove_dir_all(case.git_folder().join("hooks")).expect("removed");
    symlink(&case.home, case.git_folder().join("hooks")).expect("a link");
    case.is_opened(case.repo.path());
}

#[test]
fn settings_are_included_from_the_repository_and_its_folder_only() {
    let case = Case::new();
    let key = case.home.join(".ssh/id_ed25519");
    // Git itself fails on such settings.
    let config = case.git_folder().join("config");
    let plain = fs::read_to_string(&config).expect("settings");
    for path in [key.to_str().expect("text"), "../../home/.ssh/id_ed25519", "~/.ssh/id_ed25519"] {
        for section in ["[include]", "[includeIf \"gitdir:/\"]", "[INCLUDEIF \"onbranch:none\"]"] {
            fs::write(&config, format!("{plain}{section}\n\tpath = {path}\n")).expect("written");
            case.is_refused(case.repo.path(), "includes");
        }
    }
    fs::write(&config, plain).expect("written");
    case.repo.write("settings", "[core]\n\tautocrlf = false\n");
    case.repo.git(["config", "include.path", "../settings"]);
    case.repo.git(["config", "--add", "include.path", "not-there"]);
    case.is_opened(case.repo.path());
    case.repo.write("settings", format!("[include]\n\tpath = {}\n", key.display()));
    case.is_refused(case.repo.path(), "includes");
    case.repo.remove("settings");
    symlink(&key, case.repo.path().join("settings")).expect("a link");
    case.is_refused(case.repo.path(), "includes");
}

#[test]
fn patterns_are_read_from_the_repository_and_its_folder_only() {
    for name in ["core.excludesFile", "core.attributesFile"] {
        let case = Case::new();
        case.repo.git(["config", name, case.home.join(".ssh/id_ed25519").to_str().expect("text")]);
        case.is_refused(case.repo.path(), &name.to_ascii_lowercase());
        let own = case.repo.path().join("patterns");
        fs::write(&own, "*.o\n").expect("a file");
        case.repo.git(["config", name, own.to_str().expect("text")]);
        case.is_opened(case.repo.path());
    }
}

#[test]
fn a_submodule_that_leads_outside_is_not_looked_into() {
    let case = Case::new();
    let super_repo = TestRepo::new();
    super_repo.git(["submodule", "--quiet", "add", &format!("file://{}", case.repo.path().display()), "sub"]);
    super_repo.commit("with a submodule");
    let config = super_repo.path().join(".git/modules/sub/config");
    let text = fs::read_to_string(&config).expect("settings");
    fs::write(&config, text.replace("../../../sub", case.home.to_str().expect("text"))).expect("written");
    let error = Repo::open(super_repo.path()).expect("a repository").change(&ALL, &ReadOptions::default());
    assert!(matches!(error, Err(RepoError::LeadsOutside { .. })), "{:?}", error.err());
    let private = case.private();
    fs::write(super_repo.path().join("sub/.git"), format!("gitdir: {}\n", private.display())).expect("written");
    let error = Repo::open(super_repo.path()).expect("a repository").change(&ALL, &ReadOptions::default());
    assert!(matches!(error, Err(RepoError::LeadsOutside { .. })), "{:?}", error.err());
}
