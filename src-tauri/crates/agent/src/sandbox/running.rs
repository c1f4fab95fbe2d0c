//! A sandbox while an agent runs in it: its network, and the files that are saved at its end.

use std::borrow::Cow;
#[cfg(target_os = "linux")]
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener};
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Mechanism;
#[cfg(target_os = "linux")]
use super::connections::{self, Routes};
use super::network::Network;
use super::plan::SandboxPlan;
use super::receipt::Recorder;
use crate::launcher::handover;

/// The time limit for the creation of a sandbox.
const CREATION_TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for the saved files after the end.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// A listening socket, and the port of this machine that it stands for; `None` for the proxy.
pub(crate) type Listener = (TcpListener, Option<u16>);

/// Opens the sockets that must exist before the sandbox, and returns the plan with their ports.
pub(crate) fn prepare<'a>(
    plan: &'a SandboxPlan,
    mechanism: &Mechanism,
) -> io::Result<(Cow<'a, SandboxPlan>, Vec<Listener>)> {
    if !matches!(mechanism, Mechanism::Seatbelt(_)) {
        return Ok((Cow::Borrowed(plan), Vec::new()));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let plan = plan.clone().with_proxy_port(listener.local_addr()?.port());
    Ok((Cow::Owned(plan), vec![(listener, None)]))
}

/// A sandbox in which an agent runs.
pub(crate) struct RunningSandbox {
    _network: Network,
    files: tokio::task::JoinHandle<Vec<(usize, Vec<u8>)>>,
    /// A launcher without a parent that watches over it ends when this is closed.
    _socket: UnixStream,
    saves: Vec<PathBuf>,
    recorder: Recorder,
}

impl RunningSandbox {
    /// Waits until the sandbox is created, and serves its network.
    pub(crate) async fn new(
        socket: UnixStream,
        plan: &SandboxPlan,
        (mechanism, prepared): (&Mechanism, Vec<Listener>),
        recorder: &Recorder,
    ) -> io::Result<Self> {
        let is_confined = matches!(mechanism, Mechanism::Seatbelt(_));
        let created = tokio::task::spawn_blocking(move || {
            socket.set_read_timeout(Some(CREATION_TIMEOUT))?;
            let files = if is_confined { ready(&socket)? } else { received(&socket)? };
            socket.set_read_timeout(None)?;
            Ok::<_, io::Error>((socket, files))
        });
        let (mut socket, files) = created.await.map_err(io::Error::other)??;
        let listeners = if is_confined { prepared } else { listeners(files, plan, mechanism, recorder)? };
        let network = Network::start(listeners, plan.hosts.clone(), recorder.clone())?;
        recorder.update(|receipt| plan.describe(mechanism, receipt));
        let saves = plan.saves.clone();
        let own = socket.try_clone()?;
        let count = saves.len();
        // It ends with the sandbox.
        let files = tokio::task::spawn_blocking(move || handover::receive_files(&mut socket, count));
        Ok(Self { _network: network, files, _socket: own, saves, recorder: recorder.clone() })
    }

    /// Saves the files of a sandbox that has ended.
    pub(crate) async fn end(self) {
        let Self { files, saves, recorder, .. } = self;
        // All processes have ended, so the socket is closed. If it is not, the user's files stay as they are.
        let files = tokio::time::timeout(END_TIMEOUT, files).await;
        let files = files.ok().and_then(Result::ok).unwrap_or_default();
        let save = move || {
            for (index, bytes) in files {
                let Some(path) = saves.get(index) else { continue };
                let is_answer = path.file_name().is_some_and(|name| name == crate::ANSWER_FILE);
                match save(path, &bytes) {
                    Ok(false) => {}
                    Ok(true) if is_answer => {}
                    Ok(true) => recorder.update(|receipt| receipt.saved.push(path.display().to_string())),
                    Err(error) => {
                        let text = format!("{}: not saved, {error}", path.display());
                        recorder.update(|receipt| receipt.saved.push(text));
                    }
                }
            }
        };
        // As above.
        let _ = tokio::task::spawn_blocking(save).await;
    }
}

/// The values that a launcher passes out of a sandbox.
#[cfg(target_os = "linux")]
type Received = Vec<OwnedFd>;
#[cfg(not(target_os = "linux"))]
type Received = ();

/// Waits for a launcher that is confined already.
fn ready(mut socket: &UnixStream) -> io::Result<Received> {
    socket.read_exact(&mut [0; handover::READY.len()])?;
    Ok(Received::default())
}

#[cfg(target_os = "linux")]
fn received(socket: &UnixStream) -> io::Result<Received> {
    handover::receive(socket)
}

#[cfg(not(target_os = "linux"))]
fn received(_socket: &UnixStream) -> io::Result<Received> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The sockets on which diffsan answers, from the files that a launcher has passed.
#[cfg(target_os = "linux")]
fn listeners(
    files: Received,
    plan: &SandboxPlan,
    mechanism: &Mechanism,
    recorder: &Recorder,
) -> io::Result<Vec<Listener>> {
    if matches!(mechanism, Mechanism::Bubblewrap(_)) {
        return of_sandbox(files, &plan.local_ports);
    }
    let (listeners, routes) = outside(plan)?;
    let reports = files.into_iter().next().ok_or(io::ErrorKind::UnexpectedEof)?;
    connections::supervise(reports, routes, recorder.clone())?;
    Ok(listeners)
}

#[cfg(not(target_os = "linux"))]
fn listeners((): Received, _: &SandboxPlan, _: &Mechanism, _: &Recorder) -> io::Result<Vec<Listener>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The sockets that listen in the sandbox's own network.
#[cfg(target_os = "linux")]
fn of_sandbox(files: Vec<OwnedFd>, local_ports: &[u16]) -> io::Result<Vec<Listener>> {
    let listener = |file| {
        let listener = TcpListener::from(file);
        let port = listener.local_addr()?.port();
        Ok((listener, local_ports.contains(&port).then_some(port)))
    };
    files.into_iter().map(listener).collect()
}

/// Sockets of this process, each on a free port, and the routes from the addresses that the agent knows to them.
#[cfg(target_os = "linux")]
fn outside(plan: &SandboxPlan) -> io::Result<(Vec<Listener>, Routes)> {
    let mut listeners = Vec::new();
    let mut routes =
        Routes { ports: BTreeMap::new(), sockets: plan.sockets().map(Path::to_owned).collect(), own: BTreeSet::new() };
    for local_port in std::iter::once(None).chain(plan.local_ports.iter().copied().map(Some)) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        routes.ports.insert(local_port.unwrap_or(plan.proxy_port), listener.local_addr()?.port());
        listeners.push((listener, local_port));
    }
    Ok((listeners, routes))
}

/// Replaces a file by another content, and returns whether it is another one. The file keeps its permissions; a new one is private.
fn save(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if bytes.is_empty() || std::fs::read(&real).is_ok_and(|known| known == bytes) {
        return Ok(false);
    }
    let folder = real.parent().ok_or(io::ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    if let Ok(about) = std::fs::metadata(&real) {
        file.as_file().set_permissions(about.permissions())?;
    }
    io::Write::write_all(&mut file, bytes)?;
    file.persist(&real)?;
    Ok(true)
}
