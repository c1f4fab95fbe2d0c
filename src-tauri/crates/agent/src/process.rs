//! Starts the programs of agents: own session, private environment, deadlines, bounded output, and no process that remains.
//!
//! In: a command line and a protocol. Out: how the program ended and the end of its standard error; standard output goes to
//! the protocol line by line. An error never contains an environment value, an argument or output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::launcher::{self, Task};
use super::limits;
use super::lines::{LineBuffer, OutputTooLong};
use super::process_tree::{ProcessTree, Signal, TAG, new_tag};
use super::protocol::{Flow, Protocol, SessionCommand, Waiting};
use super::sandbox::{self, Confinement, Mechanism, RunningSandbox};

/// The size of the end of standard error that is kept.
const MAX_STDERR_BYTES: usize = 64 * 1024;
/// The time for a program to react to a signal before the next one.
const SIGNAL_INTERVAL: Duration = Duration::from_secs(2);
/// The time for a program to exit after its last line.
const EXIT_TIMEOUT: Duration = Duration::from_secs(3);
/// The time for which an idle program is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// The time for reading the rest of standard error after the end of the program.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);

/// A program to start.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Its whole environment.
    pub(crate) environment: Vec<(String, OsString)>,
    /// Its working directory.
    pub(crate) directory: PathBuf,
    pub(crate) deadlines: Deadlines,
    /// The maximum length of its whole output, in bytes. [`super::lines::MAX_LINE_BYTES`] limits each line.
    pub(crate) max_output: usize,
    /// The confinement of an agent; `None` for a program of the user's own.
    pub(crate) confinement: Option<Confinement>,
}

/// The deadlines of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadlines {
    /// Until the first output. `None` for programs that write nothing before their answer.
    pub(crate) start: Option<Duration>,
    /// Between two outputs.
    pub(crate) silence: Option<Duration>,
    /// For the whole request.
    pub(crate) total: Duration,
}

/// The end of a program.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit status; `None` if it was ended after its last line.
    pub(crate) status: Option<ExitStatus>,
    /// The end of its standard error.
    pub(crate) stderr: String,
}

/// The reason why a program has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    #[error("could not be started: {0}")]
    Spawn(std::io::Error),
    #[error("there is no sandbox: {0}")]
    NoSandbox(String),
    #[error("it was stopped because it exceeded a limit: {0}")]
    Limit(String),
    #[error("{0}")]
    Timeout(String),
    #[error("stopped by the user")]
    Cancelled,
    #[error(transparent)]
    OutputTooLong(#[from] OutputTooLong),
    #[error("communication with it failed: {0}")]
    Io(std::io::Error),
}

enum Output {
    Line(String),
    /// Standard error, or an incomplete line.
    Activity,
    TooLong(OutputTooLong),
}

/// The commands that run in this process, also those that nobody waits for any more.
static RUNNING: LazyLock<TaskTracker> = LazyLock::new(TaskTracker::new);

/// Waits until no command runs. It stops none.
pub async fn none_runs() {
    RUNNING.close();
    RUNNING.wait().await;
}

/// Runs a command to its end.
pub(crate) async fn run(
    command: Command,
    cancel: &CancellationToken,
    protocol: &mut dyn Protocol,
) -> Result<Ended, ProcessError> {
    let (_sender, mut none) = mpsc::unbounded_channel();
    run_session(command, cancel, protocol, &mut none).await
}

/// Runs a command to its end. Passes session commands to the protocol meanwhile.
pub(crate) async fn run_session(
    command: Command,
    cancel: &CancellationToken,
    protocol: &mut dyn Protocol,
    commands: &mut mpsc::UnboundedReceiver<SessionCommand>,
) -> Result<Ended, ProcessError> {
    if cancel.is_cancelled() {
        return Err(ProcessError::Cancelled);
    }
    // Declared first, so that it is dropped after the process tree.
    let _running = RUNNING.token();
    let Started { mut child, tree, sandbox, measured } = start(&command).await?;

    let (sender, mut output) = mpsc::channel(256);
    let (input, bytes) = mpsc::unbounded_channel();
    let writer = tokio::spawn(write_input(child.stdin().take(), bytes));
    let reader = tokio::spawn(read_lines(child.stdout().take(), sender.clone(), LineBuffer::new(command.max_output)));
    let stderr = tokio::spawn(read_tail(child.stderr().take(), sender));

    let mut exchange = Exchange::begin(protocol, input, command.deadlines);
    let result = tokio::select! {
        result = exchange.run(child.as_mut(), &mut output, commands, cancel) => result,
        limit = exceeded_limit(&command, tree.leader(), measured) => Err(ProcessError::Limit(limit)),
    };
    let status = exchange.status;
    if status.is_none() && result.is_err() {
        exchange.cancel(&mut output).await;
    }
    drop(exchange);
    writer.abort();
    if status.is_none() {
        terminate(child.as_mut(), &tree).await;
    }
    tree.kill().await;
    if let Some(sandbox) = sandbox {
        sandbox.end().await;
    }
    reader.abort();
    let stderr = tokio::time::timeout(STDERR_TIMEOUT, stderr).await;
    let stderr = stderr.ok().and_then(Result::ok).unwrap_or_default();
    result.map(|()| Ended { status, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// A started command.
struct Started {
    child: Box<dyn ChildWrapper>,
    tree: ProcessTree,
    sandbox: Option<RunningSandbox>,
    /// Folders whose size is limited.
    measured: Vec<PathBuf>,
}

/// Starts a command: in a sandbox where there is one, through a launcher where this program is one.
async fn start(command: &Command) -> Result<Started, ProcessError> {
    if let Some(confinement) = &command.confinement {
        let mut reasons = Vec::new();
        for mechanism in &confinement.mechanisms {
            let started = match mechanism {
                Ok(mechanism) => start_sandboxed(command, confinement, mechanism).await,
                Err(reason) => Err(reason.clone()),
            };
            match started {
                Ok(started) => return Ok(started),
                Err(reason) => reasons.push(reason),
            }
            let reason = reasons.join("; ");
            confinement.recorder.update(|receipt| receipt.reason = Some(reason));
        }
        let reason = reasons.join("; ");
        if confinement.required {
            return Err(ProcessError::NoSandbox(reason));
        }
    }
    let tag = new_tag();
    let task = Task::Guard { parent: std::process::id().cast_signed(), keeps_signals: false };
    let launched = launcher::command_line(&task, &command.program, &command.args);
    let is_launched = launched.is_some();
    let (program, args) = launched.unwrap_or_else(|| (command.program.clone(), command.args.clone()));
    let start = Start { program, args, environment: &command.environment, directory: &command.directory, socket: None };
    let child = spawn(start, &tag).map_err(ProcessError::Spawn)?;
    // From here on no process survives, also where this future is dropped.
    let tree = ProcessTree::new(child.id(), is_launched, tag, RUNNING.clone());
    Ok(Started { child, tree, sandbox: None, measured: Vec::new() })
}

/// Starts a command in a sandbox. Returns the reason if the sandbox cannot be created; nothing of the agent has run then.
async fn start_sandboxed(
    command: &Command,
    Confinement { plan, recorder, .. }: &Confinement,
    mechanism: &Mechanism,
) -> Result<Started, String> {
    let tag = new_tag();
    let (own, passed) = std::os::unix::net::UnixStream::pair().map_err(|error| error.to_string())?;
    let (plan, listeners) = sandbox::prepare(plan, mechanism).map_err(|error| error.to_string())?;
    let (program, args) =
        plan.command_line(mechanism, command, &passed).ok_or("this program cannot start sandboxes")?;
    let environment = plan.environment(mechanism);
    let start = Start { program, args, environment: &environment, directory: Path::new("/"), socket: Some(passed) };
    let mut child = spawn(start, &tag).map_err(|error| error.to_string())?;
    // From here on no process survives, also where this future is dropped.
    let tree = ProcessTree::new(child.id(), true, tag, RUNNING.clone());
    match RunningSandbox::new(own, &plan, (mechanism, listeners), recorder).await {
        Ok(sandbox) => Ok(Started { child, tree, sandbox: Some(sandbox), measured: plan.measured(mechanism) }),
        Err(error) => {
            let (sender, _output) = mpsc::channel(1);
            let stderr = tokio::time::timeout(STDERR_TIMEOUT, read_tail(child.stderr().take(), sender)).await;
            tree.kill().await;
            let stderr = String::from_utf8_lossy(&stderr.unwrap_or_default()).trim().to_owned();
            let reason =
                stderr.lines().last().map(|line| line.rsplit_once(launcher::FAILED).map_or(line, |(_, reason)| reason));
            Err(reason.map_or_else(|| error.to_string(), str::to_owned))
        }
    }
}

/// Waits until a confined agent exceeds a limit, and returns which one.
async fn exceeded_limit(command: &Command, leader: Option<i32>, folders: Vec<PathBuf>) -> String {
    let Some((confinement, leader)) = command.confinement.as_ref().zip(leader) else {
        return std::future::pending().await;
    };
    let exceeded = limits::exceeded(leader, folders, confinement.limits).await;
    confinement.recorder.update(|receipt| receipt.exceeded = Some(exceeded.clone()));
    exceeded
}

/// The parameters of a process's start.
struct Start<'a> {
    program: PathBuf,
    args: Vec<OsString>,
    environment: &'a [(String, OsString)],
    directory: &'a Path,
    /// A socket that the process inherits.
    socket: Option<std::os::unix::net::UnixStream>,
}

fn spawn(start: Start<'_>, tag: &str) -> std::io::Result<Box<dyn ChildWrapper>> {
    let Start { program, args, environment, directory, socket } = start;
    let mut wrapped = CommandWrap::with_new(program, |process| {
        process
            .args(args)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .env(TAG, tag)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    wrapped.wrap(ProcessSession);
    let runtime = tokio::runtime::Handle::current();
    let spawn = move || {
        let _runtime = runtime.enter();
        if let Some(socket) = &socket {
            // On this thread, so that no other agent inherits it. It is closed before the next job.
            fcntl(socket, FcntlArg::F_SETFD(FdFlag::empty()))?;
        }
        let child = wrapped.spawn();
        drop(socket);
        child
    };
    // The wrapper only creates the session. Waiting for the group happens here, with a bound.
    Ok(on_starting_thread(spawn)?.into_inner())
}

/// Runs a short function on one thread that lives as long as this process. The kernel sends a launcher the signal of its parent's death
/// when the thread ends that started it, and threads of the runtime can end.
fn on_starting_thread<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    type Job = Box<dyn FnOnce() + Send>;
    static STARTING: LazyLock<std::sync::mpsc::Sender<Job>> = LazyLock::new(|| {
        let (sender, jobs) = std::sync::mpsc::channel::<Job>();
        // Without a thread, nothing receives the jobs, and every start fails.
        let _ = std::thread::Builder::new()
            .name("start-agents".to_owned())
            .spawn(move || jobs.iter().for_each(|job| job()));
        sender
    });
    let (sender, result) = std::sync::mpsc::channel();
    let no_thread = || std::io::Error::other("no thread can be created");
    // The receiver waits below.
    let job = Box::new(move || drop(sender.send(work())));
    STARTING.send(job).map_err(|_| no_thread())?;
    result.recv().map_err(|_| no_thread())?
}

/// The exchange of one protocol with one program.
struct Exchange<'a> {
    protocol: &'a mut dyn Protocol,
    /// `None` closes the program's input.
    input: Option<mpsc::UnboundedSender<Vec<u8>>>,
    deadlines: Deadlines,
    started: Instant,
    last_output: Option<Instant>,
    /// The time of its last line, or of its end.
    finished: Option<Instant>,
    status: Option<ExitStatus>,
}

impl<'a> Exchange<'a> {
    fn begin(
        protocol: &'a mut dyn Protocol,
        input: mpsc::UnboundedSender<Vec<u8>>,
        deadlines: Deadlines,
    ) -> Exchange<'a> {
        let (first, keep_open) = protocol.begin();
        // The writer ends early where the program closes its input.
        let _ = input.send(first);
        let input = keep_open.then_some(input);
        Self { protocol, input, deadlines, started: Instant::now(), last_output: None, finished: None, status: None }
    }

    async fn run(
        &mut self,
        child: &mut dyn ChildWrapper,
        output: &mut mpsc::Receiver<Output>,
        commands: &mut mpsc::UnboundedReceiver<SessionCommand>,
        cancel: &CancellationToken,
    ) -> Result<(), ProcessError> {
        let mut open = true;
        while open || self.status.is_none() {
            let deadline = self.deadline();
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ProcessError::Cancelled),
                one = output.recv(), if open => match one {
                    Some(Output::Line(line)) => {
                        self.last_output = Some(Instant::now());
                        self.step(|protocol, reply| protocol.line(&line, reply));
                    }
                    Some(Output::Activity) => self.last_output = Some(Instant::now()),
                    Some(Output::TooLong(error)) => return Err(error.into()),
                    None => open = false,
                },
                Some(command) = commands.recv(), if self.finished.is_none() => {
                    self.step(|protocol, reply| protocol.command(command, reply));
                }
                done = child.wait(), if self.status.is_none() => {
                    self.status = Some(done.map_err(ProcessError::Io)?);
                    // A process that it leaves behind may keep the pipes open.
                    self.finished.get_or_insert_with(Instant::now);
                }
                () = tokio::time::sleep_until(deadline.at.into()) => {
                    return deadline.message.map_or(Ok(()), |message| Err(ProcessError::Timeout(message)));
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, step: impl FnOnce(&mut dyn Protocol, &mut Vec<u8>) -> Flow) {
        let mut reply = Vec::new();
        let flow = step(self.protocol, &mut reply);
        if let Some(input) = self.input.as_ref().filter(|_| !reply.is_empty()) {
            // The writer ends early where the program closes its input.
            let _ = input.send(reply);
        }
        if flow == Flow::Finished {
            self.finished.get_or_insert_with(Instant::now);
            self.input = None;
        }
    }

    fn deadline(&mut self) -> Deadline {
        if let Some(finished) = self.finished {
            return Deadline { at: finished + EXIT_TIMEOUT, message: None };
        }
        let asked = match self.protocol.waiting() {
            Waiting::SinceStart => self.started,
            Waiting::Since(asked) => asked,
            Waiting::Idle(since) => return Deadline { at: since + IDLE_TIMEOUT, message: None },
        };
        let deadline = |from: Instant, span: Duration, what: &str| Deadline {
            at: from + span,
            message: Some(format!("{what} within {} s", span.as_secs())),
        };
        let Deadlines { start, silence, total } = self.deadlines;
        let total = deadline(asked, total, "it did not finish");
        let quiet = match self.last_output {
            None => start.map(|span| deadline(asked, span, "it did not respond")),
            Some(last) => silence.map(|span| deadline(last.max(asked), span, "it stalled: it sent nothing more")),
        };
        match quiet {
            Some(quiet) if quiet.at < total.at => quiet,
            _ => total,
        }
    }

    /// Asks the program to stop by its protocol, and waits a little for its last line: it ends the commands that it started.
    async fn cancel(&mut self, output: &mut mpsc::Receiver<Output>) {
        let request = self.protocol.cancel();
        let Some(input) = self.input.as_ref().filter(|_| !request.is_empty()) else { return };
        if input.send(request).is_err() {
            return;
        }
        let last_line = async {
            while let Some(one) = output.recv().await {
                if let Output::Line(line) = one
                    && self.protocol.line(&line, &mut Vec::new()) == Flow::Finished
                {
                    return;
                }
            }
        };
        // A program that does not stop gets signals.
        let _ = tokio::time::timeout(SIGNAL_INTERVAL, last_line).await;
    }
}

struct Deadline {
    at: Instant,
    /// `None` where the run ends well at that time.
    message: Option<String>,
}

/// Interrupts, terminates and kills, until the program ends.
async fn terminate(child: &mut dyn ChildWrapper, tree: &ProcessTree) {
    for signal in [Signal::Interrupt, Signal::Terminate, Signal::Kill] {
        tree.signal(signal).await;
        if tokio::time::timeout(SIGNAL_INTERVAL, child.wait()).await.is_ok() {
            return;
        }
    }
}

async fn write_input(pipe: Option<ChildStdin>, mut bytes: mpsc::UnboundedReceiver<Vec<u8>>) {
    let Some(mut pipe) = pipe else { return };
    while let Some(bytes) = bytes.recv().await {
        // A program that does not read its input fails by itself, with a better reason than a broken pipe.
        if pipe.write_all(&bytes).await.is_err() || pipe.flush().await.is_err() {
            return;
        }
    }
}

async fn read_lines(pipe: Option<ChildStdout>, sender: mpsc::Sender<Output>, mut lines: LineBuffer) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        if let Err(error) = lines.push(&buffer[..count]) {
            // Nobody waits for it where the run has ended.
            let _ = sender.send(Output::TooLong(error)).await;
            return;
        }
        while let Some(line) = lines.next_line() {
            if sender.send(Output::Line(line)).await.is_err() {
                return;
            }
        }
        if lines.has_rest() {
            // Where the channel is full, lines show that the program is alive.
            let _ = sender.try_send(Output::Activity);
        }
    }
    if let Some(line) = lines.rest() {
        // The receiver is gone where the run has ended.
        let _ = sender.send(Output::Line(line)).await;
    }
}

/// Reads standard error to its end, and returns the last [`MAX_STDERR_BYTES`].
async fn read_tail(pipe: Option<ChildStderr>, sender: mpsc::Sender<Output>) -> Vec<u8> {
    let mut tail = Vec::new();
    let Some(mut pipe) = pipe else { return tail };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        tail.extend_from_slice(&buffer[..count]);
        if tail.len() > 2 * MAX_STDERR_BYTES {
            tail.drain(..tail.len() - MAX_STDERR_BYTES);
        }
        // Where the channel is full, lines show that the program is alive.
        let _ = sender.try_send(Output::Activity);
    }
    tail.drain(..tail.len().saturating_sub(MAX_STDERR_BYTES));
    tail
}

#[cfg(test)]
mod tests;
