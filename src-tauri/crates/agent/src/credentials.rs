//! Gets credentials from the git credential helpers in the user's settings. Git runs as a program, because helpers are programs and
//! shell commands. Its PATH, which they inherit, contains no folder of the repository.

use std::ffi::OsString;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::SearchPath;
use super::process;
use super::protocol::{Flow, Protocol};

/// A helper may ask the user, for example to unlock a key ring.
const HELPER_TIMEOUT: Duration = Duration::from_secs(60);
/// The maximum length of the answer.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Variables by which git finds a repository, whose settings could name a helper. Git hooks set them.
const REPOSITORY_VARIABLES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_ASKPASS", "GIT_TERMINAL_PROMPT"];

/// The user name and password that `git credential fill` gives for an HTTP address. `None` where git is not installed, where no helper
/// knows the address, or where none answers in time. Git itself never prompts.
pub async fn git_credentials(url: &str, search: &SearchPath, cancel: &CancellationToken) -> Option<(String, String)> {
    let mut environment: Vec<(String, OsString)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name != "PATH" && !REPOSITORY_VARIABLES.contains(&name.as_str()))
        .collect();
    environment.push(("PATH".to_owned(), search.joined()));
    for (name, value) in [("GIT_DIR", "/dev/null"), ("GIT_ASKPASS", ""), ("GIT_TERMINAL_PROMPT", "0")] {
        environment.push((name.to_owned(), value.into()));
    }
    let command = process::Command {
        program: search.find("git")?,
        args: vec!["credential".into(), "fill".into()],
        environment,
        directory: std::env::temp_dir(),
        deadlines: process::Deadlines { start: None, silence: None, total: HELPER_TIMEOUT },
        max_output: MAX_ANSWER_BYTES,
        confinement: None,
    };
    // Git decodes the address itself, and refuses one with a line feed in it.
    let mut exchange = Exchange { question: format!("url={url}\n\n"), username: None, password: None };
    let ended = process::run(command, cancel, &mut exchange).await.ok()?;
    ended.status.filter(std::process::ExitStatus::success)?;
    exchange.username.zip(exchange.password)
}

struct Exchange {
    question: String,
    username: Option<String>,
    password: Option<String>,
}

impl Protocol for Exchange {
    fn begin(&mut self) -> (Vec<u8>, bool) {
        (self.question.as_bytes().to_vec(), false)
    }

    fn line(&mut self, line: &str, _reply: &mut Vec<u8>) -> Flow {
        match line.split_once('=') {
            Some(("username", value)) => self.username = Some(value.to_owned()),
            Some(("password", value)) => self.password = Some(value.to_owned()),
            _ => {}
        }
        Flow::Continue
    }
}
