//! The one place that starts foreign programs: own session, private environment, deadlines, bounded output, and
//! nothing left behind.
//!
//! In: a command line, and who talks with it. Out: how it ended and the end of its standard error; standard output goes to
//! the talk line by line. It must never put an environment value, an argument or output into an error.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use std::process::Stdio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::process_tree;

/// Every process of a run carries this variable, so that one that left its session is still found.
pub(super) const TAG: &str = "DIFFSAN_RUN_TAG";
/// How much of the end of standard error is kept.
const MAX_STDERR_BYTES: usize = 64 * 1024;
/// A longer line, or more output altogether, ends the run.
pub const OUTPUT_LIMIT: usize = 32 * 1024 * 1024;
/// How long each rung of the cancel ladder waits for the next.
const SIGNAL_INTERVAL: Duration = Duration::from_secs(2);
/// How long a program may go on after its last word.
const EXIT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a program that nobody waits for is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// What to start.
#[derive(Debug)]
pub struct Command {
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(String, OsString)>,
    /// Where it runs.
    pub directory: PathBuf,
    /// When it is given up.
    pub deadlines: Deadlines,
    /// How much it may write altogether, in bytes. A single line may never be longer than [`OUTPUT_LIMIT`].
    pub most_output: usize,
}

/// When a run is given up.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// Without any output since the start; none for programs that say nothing before their answer.
    pub start: Option<Duration>,
    /// Without any output since the last.
    pub silence: Option<Duration>,
    /// Altogether.
    pub total: Duration,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit, or none if it was ended after its last word.
    pub status: Option<ExitStatus>,
    /// The end of its standard error.
    pub stderr: String,
}

/// Why it has no result.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// It could not be started.
    #[error("could not be started: {0}")]
    Spawn(std::io::Error),
    /// It was given up.
    #[error("{0}")]
    Timeout(String),
    /// The user stopped it.
    #[error("stopped by the user")]
    Cancelled,
    /// It wrote more than anybody reads.
    #[error("it wrote more than {} MiB", OUTPUT_LIMIT / 1024 / 1024)]
    Flood,
    /// The pipes to it failed.
    #[error("talking to it failed: {0}")]
    Io(std::io::Error),
}

/// Whether the program still has something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// More lines.
    More,
    /// That was its last word.
    Nothing,
}

/// One side of a talk with a program.
pub trait Talk: Send {
    /// What it reads first, and whether more may follow.
    fn begin(&mut self) -> (Vec<u8>, bool);
    /// Takes one line; what is to be said to it goes into `reply`.
    fn line(&mut self, line: &str, reply: &mut Vec<u8>) -> Expect;
    /// The program's own way to be stopped, if it has one.
    fn cancel(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// Rings when this side has something to say of its own accord.
    fn bell(&self) -> Option<Arc<Notify>> {
        None
    }
    /// What it has to say, after the bell rang.
    fn woken(&mut self, _reply: &mut Vec<u8>) -> Expect {
        Expect::More
    }
    /// Whether anybody waits for the program.
    fn waiting(&self) -> Waiting {
        Waiting::FromTheStart
    }
}

/// Whether anybody waits for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// From its start to its end.
    FromTheStart,
    /// Since it was asked something.
    Since(Instant),
    /// Nobody, since then: it is let go after a while.
    Nobody(Instant),
}

enum Output {
    Line(String),
    SignOfLife,
    Flood,
}

/// The commands that run in this process, also those that nobody waits for any more.
static RUNNING: LazyLock<TaskTracker> = LazyLock::new(TaskTracker::new);

/// Resolves once no command runs. It stops none.
pub async fn none_runs() {
    RUNNING.close();
    RUNNING.wait().await;
}

/// Runs a command to its end.
pub async fn run(command: Command, cancel: &CancellationToken, talk: &mut dyn Talk) -> Result<Ended, ProcessError> {
    if cancel.is_cancelled() {
        return Err(ProcessError::Cancelled);
    }
    // Until nothing of it is left: given back behind the session.
    let _running = RUNNING.token();
    let tag = process_tree::new_tag();
    let deadlines = command.deadlines;
    let mut child = spawn(&command, &tag).map_err(ProcessError::Spawn)?;
    // From here on, whatever happens (an error, a dropped future), nothing of the session survives.
    let session = process_tree::Session::new(child.id(), tag);

    let (sender, mut lines) = mpsc::channel(256);
    let (mut say, said) = mpsc::unbounded_channel();
    let writer = tokio::spawn(write(child.stdin().take(), said));
    let (first, goes_on) = talk.begin();
    let _ = say.send(first);
    if !goes_on {
        say = hang_up();
    }
    let stdout = child.stdout().take();
    let reader = tokio::spawn(read_lines(stdout, sender.clone(), command.most_output));
    let bell = talk.bell();
    let stderr = tokio::spawn(read_tail(child.stderr().take(), sender));

    let started = Instant::now();
    let mut last_sign: Option<Instant> = None;
    let mut ended_at: Option<Instant> = None;
    let mut open = true;
    let mut status = None;
    let result = loop {
        if status.is_some() && !open {
            break Ok(());
        }
        let due = next_deadline(started, last_sign, ended_at, deadlines, talk.waiting());
        tokio::select! {
            biased;
            () = cancel.cancelled() => break Err(ProcessError::Cancelled),
            line = lines.recv(), if open => match line {
                Some(Output::Line(line)) => {
                    last_sign = Some(Instant::now());
                    let mut reply = Vec::new();
                    let expect = talk.line(&line, &mut reply);
                    if !reply.is_empty() {
                        let _ = say.send(reply);
                    }
                    if expect == Expect::Nothing {
                        ended_at.get_or_insert_with(Instant::now);
                        say = hang_up();
                    }
                }
                Some(Output::SignOfLife) => last_sign = Some(Instant::now()),
                Some(Output::Flood) => break Err(ProcessError::Flood),
                None => open = false,
            },
            () = rung(bell.as_deref()), if ended_at.is_none() => {
                let mut reply = Vec::new();
                let expect = talk.woken(&mut reply);
                if !reply.is_empty() {
                    let _ = say.send(reply);
                }
                if expect == Expect::Nothing {
                    ended_at.get_or_insert_with(Instant::now);
                    say = hang_up();
                }
            }
            done = child.wait(), if status.is_none() => match done {
                Ok(done) => {
                    status = Some(done);
                    // A process that it left behind may hold the pipes open for ever.
                    ended_at.get_or_insert_with(Instant::now);
                }
                Err(error) => break Err(ProcessError::Io(error)),
            },
            () = tokio::time::sleep_until(due.at.into()) => match due.message {
                Some(message) => break Err(ProcessError::Timeout(message)),
                None => break Ok(()),
            },
        }
    };
    if status.is_none() && result.is_err() {
        stop_politely(talk, &say, &mut lines).await;
    }
    drop(say);
    writer.abort();
    if status.is_none() {
        climb_down(child.as_mut(), &session).await;
    }
    session.end();
    reader.abort();
    let stderr = tokio::time::timeout(Duration::from_secs(1), stderr).await;
    let stderr = stderr.ok().and_then(Result::ok).unwrap_or_default();
    result.map(|()| Ended { status, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// A sender that nobody listens to, so that the other end is closed.
fn hang_up() -> mpsc::UnboundedSender<Vec<u8>> {
    mpsc::unbounded_channel().0
}

async fn write(pipe: Option<tokio::process::ChildStdin>, mut said: mpsc::UnboundedReceiver<Vec<u8>>) {
    let Some(mut pipe) = pipe else { return };
    while let Some(bytes) = said.recv().await {
        // A program that does not read its input fails by itself, with a better reason than a broken pipe.
        if pipe.write_all(&bytes).await.is_err() || pipe.flush().await.is_err() {
            return;
        }
    }
}

/// Asks the program to stop in its own way, and waits a little for its last word: it ends the commands that it started.
async fn stop_politely(talk: &mut dyn Talk, say: &mpsc::UnboundedSender<Vec<u8>>, lines: &mut mpsc::Receiver<Output>) {
    let words = talk.cancel();
    if words.is_empty() || say.send(words).is_err() {
        return;
    }
    let _ = tokio::time::timeout(SIGNAL_INTERVAL, async {
        while let Some(output) = lines.recv().await {
            if let Output::Line(line) = output
                && talk.line(&line, &mut Vec::new()) == Expect::Nothing
            {
                return;
            }
        }
    })
    .await;
}

fn spawn(command: &Command, tag: &str) -> std::io::Result<Box<dyn ChildWrapper>> {
    let mut wrapped = CommandWrap::with_new(&command.program, |process| {
        process
            .args(&command.args)
            .env_clear()
            .envs(command.environment.iter().map(|(name, value)| (name, value)))
            .env(TAG, tag)
            .current_dir(&command.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    // Only the session is wanted of the wrapper: waiting for the group is done here, with a bound.
    Ok(wrapped.wrap(ProcessSession).spawn()?.into_inner())
}

struct Due {
    at: Instant,
    /// None where the end is fine.
    message: Option<String>,
}

/// Waits for the bell; for ever where there is none.
async fn rung(bell: Option<&Notify>) {
    match bell {
        Some(bell) => bell.notified().await,
        None => std::future::pending().await,
    }
}

fn next_deadline(
    started: Instant,
    last: Option<Instant>,
    ended: Option<Instant>,
    deadlines: Deadlines,
    waiting: Waiting,
) -> Due {
    if let Some(ended) = ended {
        return Due { at: ended + EXIT_TIMEOUT, message: None };
    }
    let asked = match waiting {
        Waiting::FromTheStart => started,
        Waiting::Since(asked) => asked,
        Waiting::Nobody(since) => return Due { at: since + IDLE_TIMEOUT, message: None },
    };
    let due = |from: Instant, span: Duration, what: &str| Due {
        at: from + span,
        message: Some(format!("{what} within {} s", span.as_secs())),
    };
    let total = due(asked, deadlines.total, "it did not finish");
    let quiet = match last {
        None => deadlines.start.map(|span| due(asked, span, "it gave no sign of life")),
        Some(last) => deadlines.silence.map(|span| due(last.max(asked), span, "it stalled: nothing more came")),
    };
    match quiet {
        Some(quiet) if quiet.at < total.at => quiet,
        _ => total,
    }
}

/// Interrupt, terminate, kill: each rung gets its time, and the ladder ends as soon as the program does.
async fn climb_down(child: &mut dyn ChildWrapper, session: &process_tree::Session) {
    for signal in [process_tree::Signal::Interrupt, process_tree::Signal::Terminate, process_tree::Signal::Kill] {
        session.signal(signal);
        if tokio::time::timeout(SIGNAL_INTERVAL, child.wait()).await.is_ok() {
            return;
        }
    }
}

/// Splits on `\n` only (Codex writes raw U+2028), bounded.
async fn read_lines(pipe: Option<tokio::process::ChildStdout>, sender: mpsc::Sender<Output>, most: usize) {
    let Some(mut pipe) = pipe else { return };
    let mut pending: Vec<u8> = Vec::new();
    let mut total = 0;
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count) = pipe.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        total += count;
        if total > most || pending.len() > OUTPUT_LIMIT {
            let _ = sender.send(Output::Flood).await;
            return;
        }
        let mut rest = &buffer[..count];
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            pending.extend_from_slice(&rest[..end]);
            let line = String::from_utf8_lossy(&std::mem::take(&mut pending)).into_owned();
            rest = &rest[end + 1..];
            if sender.send(Output::Line(line)).await.is_err() {
                return;
            }
        }
        if !rest.is_empty() {
            pending.extend_from_slice(rest);
            let _ = sender.try_send(Output::SignOfLife);
        }
    }
    if !pending.is_empty() {
        let _ = sender.send(Output::Line(String::from_utf8_lossy(&pending).into_owned())).await;
    }
}

async fn read_tail(pipe: Option<tokio::process::ChildStderr>, sender: mpsc::Sender<Output>) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(mut pipe) = pipe else { return kept };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count) = pipe.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        kept.extend_from_slice(&buffer[..count]);
        if kept.len() > 2 * MAX_STDERR_BYTES {
            kept.drain(..kept.len() - MAX_STDERR_BYTES);
        }
        let _ = sender.try_send(Output::SignOfLife);
    }
    let surplus = kept.len().saturating_sub(MAX_STDERR_BYTES);
    kept.drain(..surplus);
    kept
}
