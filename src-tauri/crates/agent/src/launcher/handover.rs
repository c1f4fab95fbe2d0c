//! Passes open files out of a sandbox, and the files that are saved after the run.

use std::io::{self, Read, Write};
#[cfg(target_os = "linux")]
use std::io::{IoSlice, IoSliceMut};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

#[cfg(target_os = "linux")]
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

/// The message of a launcher that is confined already, before it starts the agent.
pub(crate) const READY: &[u8; 1] = b"x";
/// The maximum number of open files.
#[cfg(target_os = "linux")]
const MAX_FILES: usize = 64;
/// The maximum length of a saved file, in bytes.
pub(crate) const MAX_SAVED_BYTES: u64 = 32 * 1024 * 1024;

/// Sends open files: listening sockets, or the file that reports connections.
#[cfg(target_os = "linux")]
pub(super) fn send(socket: &UnixStream, files: &[OwnedFd]) -> io::Result<()> {
    let files: Vec<RawFd> = files.iter().take(MAX_FILES).map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&files)];
    sendmsg::<()>(socket.as_raw_fd(), &[IoSlice::new(b"x")], &rights, MsgFlags::empty(), None)?;
    Ok(())
}

/// Receives open files. Fails where the other side closes without sending any. Blocks.
#[cfg(target_os = "linux")]
pub(crate) fn receive(socket: &UnixStream) -> io::Result<Vec<OwnedFd>> {
    let mut byte = [0];
    let mut space = nix::cmsg_space!([RawFd; MAX_FILES]);
    let mut parts = [IoSliceMut::new(&mut byte)];
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::MSG_CMSG_CLOEXEC)?;
    let mut files = Vec::new();
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(numbers) = part {
            files.extend(numbers.into_iter().map(owned));
        }
    }
    if files.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(files) }
}

/// The socket with a number that was passed to this process.
pub(super) fn inherited(number: RawFd) -> UnixStream {
    UnixStream::from(owned(number))
}

#[allow(unsafe_code, reason = "a number that this process was passed belongs to nobody else in it")]
fn owned(number: RawFd) -> OwnedFd {
    // SAFETY: the kernel, or the parent process, has just passed it, and each number is passed once.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Sends a file that is saved.
pub(super) fn send_file(socket: &mut UnixStream, index: u32, bytes: &[u8]) -> io::Result<()> {
    socket.write_all(&index.to_le_bytes())?;
    socket.write_all(&(bytes.len() as u64).to_le_bytes())?;
    socket.write_all(bytes)
}

/// Receives the files that are saved, up to the end of the sandbox: their indices and contents. Blocks.
pub(crate) fn receive_files(socket: &mut UnixStream, count: usize) -> Vec<(usize, Vec<u8>)> {
    let mut next = || -> io::Result<(usize, Vec<u8>)> {
        let (mut index, mut length) = ([0; 4], [0; 8]);
        socket.read_exact(&mut index)?;
        socket.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut bytes = Vec::new();
        if length > MAX_SAVED_BYTES || Read::take(&mut *socket, length).read_to_end(&mut bytes)? as u64 != length {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok((u32::from_le_bytes(index) as usize, bytes))
    };
    let mut files = Vec::new();
    while files.len() < count
        && let Ok(file) = next()
    {
        files.push(file);
    }
    files
}
