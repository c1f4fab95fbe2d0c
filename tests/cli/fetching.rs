//! Fetching the commits of a merge request: the credentials that each server gets, whatever the repository's settings and the
//! servers say.

use std::os::unix::fs::PermissionsExt;

use diffsan_test_support::gitlab::{FakeGitlab, GitRedirect, PROJECT, TOKEN};
use diffsan_test_support::repo::TestRepo;

use crate::support::{Installation, Ran};

/// A GitLab with merge request 7, a second server that must not be contacted, and a clone without the commits of the merge request.
struct Case {
    installation: Installation,
    clone: TestRepo,
    gitlab: FakeGitlab,
    other: FakeGitlab,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    fn new() -> Self {
        let origin = origin();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let serve = || runtime.block_on(FakeGitlab::start(&origin.path().join(".git")));
        let (gitlab, other) = (serve(), serve());
        for server in [&gitlab, &other] {
            server.merge_request(7, "topic", "main");
        }
        // The second server knows no token, so it asks for one.
        other.with(|state| state.tokens.clear());
        let clone = clone(&origin, &format!("{}/{PROJECT}.git", address(&gitlab)));
        let installation =
            Installation::new().with("DIFFSAN_GITLAB_TOKEN", TOKEN).with("DIFFSAN_GITLAB__BASE_URL", address(&gitlab));
        Self { installation, clone, gitlab, other, _runtime: runtime }
    }

    fn fetch(&self) -> Ran {
        let url = format!("{}/{PROJECT}/-/merge_requests/7", address(&self.gitlab));
        let ran = self.installation.run(self.clone.path(), &["prepare", "--mr", &url, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    }

    fn has_commits(&self) -> bool {
        let head = &self.gitlab.look(7).versions[0].head;
        self.clone.try_git(["cat-file", "-e", head], b"").is_ok()
    }

    #[track_caller]
    fn other_was_given_nothing(&self) {
        let given: Vec<_> = authorizations(&self.other);
        assert!(given.iter().all(String::is_empty), "another server was sent {given:?}");
    }
}

/// Returns a server's address with a host name in place of a number, as remotes have it.
fn address(server: &FakeGitlab) -> String {
    server.url().replace("127.0.0.1", "localhost")
}

fn origin() -> TestRepo {
    let origin = TestRepo::new();
    origin.write("a.rs", "fn main() {}\n");
    origin.commit("base");
    origin.git(["checkout", "-q", "-b", "topic"]);
    origin.write("a.rs", "fn main() {\n    start();\n}\n");
    origin.commit("topic");
    origin.git(["checkout", "-q", "main"]);
    origin
}

fn clone(origin: &TestRepo, url: &str) -> TestRepo {
    let clone = TestRepo::clone_of(origin, &["--single-branch", "--branch", "main"]);
    clone.git(["remote", "set-url", "origin", url]);
    clone
}

fn authorizations(server: &FakeGitlab) -> Vec<String> {
    server.git_requests().into_iter().map(|request| request.authorization).collect()
}

fn redirect(from: &str, to: String, after_authentication: bool) -> GitRedirect {
    GitRedirect { from: from.to_owned(), to, after_authentication }
}

#[test]
fn the_token_is_sent_to_its_own_server_when_that_asks() {
    let case = Case::new();
    let ran = case.fetch();
    assert!(case.has_commits(), "{}", ran.stderr);
    let given = authorizations(&case.gitlab);
    assert_eq!(given[..2], [String::new(), format!("oauth2:{TOKEN}")], "{given:?}");
}

#[test]
fn chained_rewritings_of_the_repository_send_the_token_nowhere_else() {
    let case = Case::new();
    let (honest, other) = (address(&case.gitlab), address(&case.other));
    case.clone.git(["remote", "set-url", "origin", &format!("zzz:{PROJECT}.git")]);
    case.clone.git(["config", &format!("url.{honest}/.insteadOf"), "zzz:"]);
    case.clone.git(["config", &format!("url.{other}/.insteadOf"), &format!("{honest}/")]);
    let ran = case.fetch();
    case.other_was_given_nothing();
    assert!(case.other.git_requests().is_empty(), "the address is not rewritten twice");
    assert!(case.has_commits(), "{}", ran.stderr);
}

#[test]
fn no_setting_of_the_repository_takes_part_in_a_fetch() {
    let case = Case::new();
    let (honest, other) = (address(&case.gitlab), address(&case.other));
    let leak = case.clone.beside("helper-was-run");
    let helper = format!("!echo run > '{}'; echo username=a; echo password=b; #", leak.display());
    let settings = [
        ("http.proxy".to_owned(), other.clone()),
        (format!("http.{honest}.proxy"), other.clone()),
        (format!("http.{honest}/.proxy"), other.clone()),
        (format!("http.{honest}/{PROJECT}.git.proxy"), other.clone()),
        ("remote.origin.proxy".to_owned(), other.clone()),
        (format!("url.{other}/.pushInsteadOf"), format!("{honest}/")),
        ("http.extraHeader".to_owned(), "Authorization: Basic bm86bm8=".to_owned()),
        ("http.followRedirects".to_owned(), "true".to_owned()),
        ("http.sslVerify".to_owned(), "false".to_owned()),
        ("credential.helper".to_owned(), helper),
        ("core.sshCommand".to_owned(), format!("touch '{}'; false", leak.display())),
        ("protocol.allow".to_owned(), "never".to_owned()),
    ];
    for (key, value) in settings {
        case.clone.git(["config", &key, &value]);
        let ran = case.fetch();
        case.other_was_given_nothing();
        assert!(case.other.git_requests().is_empty(), "{key}");
        assert!(case.has_commits(), "{key}: {}", ran.stderr);
        case.clone.git(["config", "--unset-all", &key]);
        let refs = case.clone.git(["for-each-ref", "--format=%(refname)", "refs/diffsan"]);
        String::from_utf8_lossy(&refs).lines().for_each(|name| drop(case.clone.git(["update-ref", "-d", name])));
        case.clone.git(["reflog", "expire", "--expire=now", "--all"]);
        case.clone.git(["gc", "-q", "--prune=now"]);
        assert!(!case.has_commits(), "the next setting needs a clone without the commits");
    }
    case.clone.git(["config", "extensions.worktreeConfig", "true"]);
    case.clone.git(["config", "--worktree", "http.proxy", &other]);
    case.fetch();
    assert!(case.has_commits() && case.other.git_requests().is_empty(), "config.worktree");
    assert!(!leak.exists(), "a program that the repository names was run");
}

#[test]
fn a_redirect_to_another_port_is_not_followed() {
    let case = Case::new();
    let place = format!("/{PROJECT}.git");
    case.gitlab.redirect_git(redirect(&place, format!("{}{place}", address(&case.other)), false));
    let ran = case.fetch();
    case.other_was_given_nothing();
    assert!(case.other.git_requests().is_empty() && !case.has_commits());
    assert!(ran.stderr.contains("redirects to") && ran.stderr.contains(&address(&case.other)), "{}", ran.stderr);
    assert!(ran.stderr.contains("git remote set-url"), "it says what to do: {}", ran.stderr);
}

#[test]
fn a_redirect_after_authentication_takes_no_token_along() {
    let case = Case::new();
    let place = format!("/{PROJECT}.git");
    for path in ["/info/refs", "/git-upload-pack"] {
        let from = format!("{place}{path}");
        case.gitlab.with(|state| state.git_redirects.clear());
        case.gitlab.redirect_git(redirect(&from, format!("{}{from}", address(&case.other)), true));
        case.fetch();
        case.other_was_given_nothing();
        assert!(case.other.git_requests().is_empty() && !case.has_commits(), "{path}");
    }
}

#[test]
fn a_redirect_on_the_same_server_is_followed() {
    let case = Case::new();
    let repository = case.gitlab.repository();
    let root = repository.ancestors().nth(3).expect("the server's folder");
    std::os::unix::fs::symlink(&repository, root.join("moved.git")).expect("a link");
    case.gitlab.redirect_git(redirect(&format!("/{PROJECT}.git"), "/moved.git".to_owned(), false));
    let ran = case.fetch();
    assert!(case.has_commits(), "{}", ran.stderr);
    assert!(authorizations(&case.gitlab).contains(&format!("oauth2:{TOKEN}")));
}

/// Adds a credential helper to the user's settings that answers every request and records it.
fn with_helper(case: &Case) -> std::path::PathBuf {
    let asked = case.installation.home().join("asked");
    let script = format!("!cat >> '{}'; echo username=me; echo password=of-the-user; #", asked.display());
    let config = format!("[credential]\n\thelper = \"{script}\"\n");
    std::fs::write(case.installation.home().join(".gitconfig"), config).expect("written");
    asked
}

#[test]
fn the_users_credential_helper_is_asked_for_the_server_of_the_remote() {
    let case = Case::new();
    // The remote has another port than the GitLab of the token.
    let place = format!("{}/{PROJECT}.git", address(&case.other));
    case.clone.git(["remote", "set-url", "origin", &place]);
    let known = case.gitlab.with(|state| state.tokens[TOKEN].clone());
    case.other.with(|state| state.tokens.insert("of-the-user".into(), known));
    let asked = with_helper(&case);
    let ran = case.fetch();
    assert!(case.has_commits(), "{}", ran.stderr);
    let given = authorizations(&case.other);
    assert!(given.iter().all(|one| one.is_empty() || one == "me:of-the-user"), "{given:?}");
    let asked = std::fs::read_to_string(asked).expect("it was asked");
    let host = address(&case.other).replace("http://", "");
    assert!(asked.contains(&format!("host={host}")), "{asked}");
    assert!(case.gitlab.git_requests().is_empty());
}

#[test]
fn no_program_of_the_repository_is_run_to_look_credentials_up() {
    let mut case = Case::new();
    let place = format!("{}/{PROJECT}.git", address(&case.other));
    case.clone.git(["remote", "set-url", "origin", &place]);
    let known = case.gitlab.with(|state| state.tokens[TOKEN].clone());
    case.other.with(|state| state.tokens.insert("of-the-user".into(), known));
    let asked = with_helper(&case);
    // The user's helper starts `cat` by name.
    let bin = case.clone.path().join("node_modules/.bin");
    let mark = case.clone.beside("mark");
    std::fs::create_dir_all(&bin).expect("folders");
    for name in ["git", "sh", "cat"] {
        let program = bin.join(name);
        std::fs::write(&program, format!("#!/bin/sh\necho {name} >> {}\n", mark.display())).expect("a program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }
    case.installation = case.installation.with_path(&bin);
    let ran = case.fetch();
    assert_eq!(std::fs::read_to_string(mark).unwrap_or_default(), "", "programs of the repository ran");
    assert!(asked.exists() && case.has_commits(), "{}", ran.stderr);
}

#[test]
fn the_users_credentials_follow_no_redirect() {
    let case = Case::new();
    let place = format!("/{PROJECT}.git");
    case.clone.git(["remote", "set-url", "origin", &format!("{}{place}", address(&case.other))]);
    case.other.redirect_git(redirect(&place, format!("{}{place}", address(&case.gitlab)), false));
    let asked = with_helper(&case);
    case.fetch();
    assert!(case.gitlab.git_requests().is_empty() && !asked.exists());
    case.other_was_given_nothing();
}

#[test]
fn a_name_in_the_address_asks_the_helper_for_no_other_server() {
    let case = Case::new();
    let place = format!("{}/{PROJECT}.git", address(&case.other)).replace("://", "://x%0ahost=gitlab.example%0a@");
    // Git itself refuses to store such an address.
    let config = case.clone.path().join(".git/config");
    let text = std::fs::read_to_string(&config).expect("a config");
    let old = format!("{}/{PROJECT}.git", address(&case.gitlab));
    std::fs::write(&config, text.replace(&old, &place)).expect("written");
    let asked = with_helper(&case);
    case.fetch();
    let asked = std::fs::read_to_string(asked).unwrap_or_default();
    assert!(!asked.contains("gitlab.example"), "{asked}");
}

#[test]
fn a_private_authority_is_trusted_for_fetching_too() {
    let origin = origin();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let gitlab = runtime.block_on(FakeGitlab::start_with_private_ca(&origin.path().join(".git")));
    gitlab.merge_request(7, "topic", "main");
    let clone = clone(&origin, &format!("{}/{PROJECT}.git", gitlab.url()));
    let installation = Installation::new()
        .with("DIFFSAN_GITLAB_TOKEN", TOKEN)
        .with("DIFFSAN_GITLAB__BASE_URL", gitlab.url())
        .with("DIFFSAN_GITLAB__CA_FILE", gitlab.ca_file());
    let url = format!("{}/{PROJECT}/-/merge_requests/7", gitlab.url());
    let ran = installation.run(clone.path(), &["prepare", "--mr", &url, "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let head = &gitlab.look(7).versions[0].head;
    assert!(clone.try_git(["cat-file", "-e", head], b"").is_ok(), "{}", ran.stderr);
}
