//! Connects an agent that has no network of its own.
//!
//! In: reports of the kernel about each `connect`, `bind` and `listen` of the agent. This process copies the address, decides, and makes the
//! call itself with the agent's socket. So the agent cannot change the address after the decision, and needs no permission of its own.
//! Its processes can connect to each other on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{Backlog, SockaddrIn, SockaddrIn6, UnixAddr, bind, connect, getsockname, listen};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

use super::receipt::Recorder;

// The requests of a report file: linux/seccomp.h.
nix::ioctl_readwrite!(receive_report, b'!', 0, libc::seccomp_notif);
nix::ioctl_readwrite!(send_answer, b'!', 1, libc::seccomp_notif_resp);
nix::ioctl_write_ptr!(is_valid, b'!', 2, u64);

/// The addresses that an agent can connect to.
#[derive(Debug)]
pub(super) struct Routes {
    /// Ports of this machine as the agent knows them, and the ports on which this process listens instead.
    pub(super) ports: BTreeMap<u16, u16>,
    /// Sockets in the file system.
    pub(super) sockets: Vec<PathBuf>,
    /// Ports of this machine on which the agent listens itself.
    pub(super) own: BTreeSet<u16>,
}

/// The address that an agent wants to connect to.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Internet(SocketAddr),
    Unix(PathBuf),
}

/// Answers the reports on a thread of its own, until the agent's last process has ended.
pub(super) fn supervise(reports: OwnedFd, mut routes: Routes, recorder: Recorder) -> io::Result<()> {
    let name = "connect-agent".to_owned();
    let work = move || {
        while let Some(report) = next(&reports) {
            let error = answer(&reports, &report, &mut routes, &recorder).err().map_or(0, |error| -(error as i32));
            let mut response = libc::seccomp_notif_resp { id: report.id, val: 0, error, flags: 0 };
            // SAFETY: the kernel reads a structure of this type. The process may have ended.
            #[allow(unsafe_code, reason = "there is no safe function for it")]
            let _ = unsafe { send_answer(reports.as_raw_fd(), &raw mut response) };
        }
    };
    std::thread::Builder::new().name(name).spawn(work).map(drop)
}

/// Waits for a report; `None` at the end of the agent.
fn next(reports: &OwnedFd) -> Option<libc::seccomp_notif> {
    loop {
        let mut files = [PollFd::new(reports.as_fd(), PollFlags::POLLIN)];
        match poll(&mut files, PollTimeout::NONE) {
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(_) => return None,
        }
        let events = files[0].revents().unwrap_or(PollFlags::POLLERR);
        if !events.contains(PollFlags::POLLIN) {
            return None;
        }
        let mut report = no_report();
        // SAFETY: the kernel writes a structure of this type, which has to be zero before.
        #[allow(unsafe_code, reason = "there is no safe function for it")]
        let received = unsafe { receive_report(reports.as_raw_fd(), &raw mut report) };
        match received {
            Ok(_) => return Some(report),
            // The process ended, or was interrupted.
            Err(Errno::ENOENT | Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
}

fn no_report() -> libc::seccomp_notif {
    let data = libc::seccomp_data { nr: 0, arch: 0, instruction_pointer: 0, args: [0; 6] };
    libc::seccomp_notif { id: 0, pid: 0, flags: 0, data }
}

/// Makes the call of a report if its address is allowed.
fn answer(
    reports: &OwnedFd,
    report: &libc::seccomp_notif,
    routes: &mut Routes,
    recorder: &Recorder,
) -> Result<(), Errno> {
    let [number, address, length, ..] = report.data.args;
    let call = libc::c_long::from(report.data.nr);
    let wanted = (call != libc::SYS_listen).then(|| read_address(report.pid, address, length)).transpose()?;
    let socket = take_socket(report.pid, number)?;
    // The process may have ended meanwhile, and another one have its id.
    // SAFETY: the kernel reads a number.
    #[allow(unsafe_code, reason = "there is no safe function for it")]
    unsafe { is_valid(reports.as_raw_fd(), &raw const report.id) }?;
    let Some(wanted) = wanted else { return listen_on(&socket) };
    if call == libc::SYS_bind {
        return routes.bind(&socket, &wanted);
    }
    match &wanted {
        Wanted::Internet(address) => match routes.port(address) {
            Some(port) => connect_to_port(&socket, address, port),
            None => {
                recorder.connection(&address.to_string(), false, (1, 0, 0));
                Err(Errno::ECONNREFUSED)
            }
        },
        Wanted::Unix(path) if routes.sockets.contains(path) => {
            connect(socket.as_raw_fd(), &UnixAddr::new(path.as_path())?)
        }
        Wanted::Unix(_) => Err(Errno::EACCES),
    }
}

impl Routes {
    /// The port on which this process listens for an address.
    fn port(&self, address: &SocketAddr) -> Option<u16> {
        let ip = match address.ip() {
            IpAddr::V6(ip) => ip.to_ipv4_mapped().map_or(IpAddr::V6(ip), IpAddr::V4),
            ip @ IpAddr::V4(_) => ip,
        };
        let own = self.own.get(&address.port());
        self.ports.get(&address.port()).or(own).copied().filter(|_| ip.is_loopback())
    }

    /// Gives a socket a free port of this machine.
    fn bind(&mut self, socket: &OwnedFd, wanted: &Wanted) -> Result<(), Errno> {
        let Wanted::Internet(SocketAddr::V4(address)) = wanted else { return Err(Errno::EACCES) };
        if !address.ip().is_loopback() {
            return Err(Errno::EACCES);
        }
        if address.port() != 0 {
            // A port that another program shares would lead to that program.
            return Err(Errno::EADDRINUSE);
        }
        bind(socket.as_raw_fd(), &SockaddrIn::from(*address))?;
        self.own.insert(getsockname::<SockaddrIn>(socket.as_raw_fd())?.port());
        Ok(())
    }
}

/// Lets a socket listen. Without an address it would listen on all of them.
fn listen_on(socket: &OwnedFd) -> Result<(), Errno> {
    let address = getsockname::<SockaddrIn>(socket.as_raw_fd())?;
    if address.ip().is_loopback() { listen(socket, Backlog::MAXCONN) } else { Err(Errno::EACCES) }
}

/// Connects a socket to a port of this machine. A socket of the newer protocol reaches it by a mapped address.
fn connect_to_port(socket: &OwnedFd, wanted: &SocketAddr, port: u16) -> Result<(), Errno> {
    if wanted.is_ipv4() {
        return connect(socket.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)));
    }
    let mapped = Ipv4Addr::LOCALHOST.to_ipv6_mapped();
    connect(socket.as_raw_fd(), &SockaddrIn6::from(SocketAddrV6::new(mapped, port, 0, 0)))
}

/// Copies an address out of the memory of a process.
fn read_address(process: u32, address: u64, length: u64) -> Result<Wanted, Errno> {
    let mut bytes = [0; size_of::<libc::sockaddr_un>()];
    // The kernel takes it as 32 bits.
    let length = usize::try_from(length & u64::from(u32::MAX)).map_err(|_| Errno::EINVAL)?.min(bytes.len());
    let base = usize::try_from(address).map_err(|_| Errno::EFAULT)?;
    let process = Pid::from_raw(i32::try_from(process).map_err(|_| Errno::ESRCH)?);
    let place = [RemoteIoVec { base, len: length }];
    let count = process_vm_readv(process, &mut [IoSliceMut::new(&mut bytes[..length])], &place)?;
    parse_address(&bytes[..count.min(length)]).ok_or(Errno::EACCES)
}

/// Reads an address of the kernel: the family, and for the Internet, port and address.
fn parse_address(bytes: &[u8]) -> Option<Wanted> {
    let family = i32::from(u16::from_ne_bytes(bytes.first_chunk().copied()?));
    let port = || Some(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?));
    match family {
        libc::AF_INET => {
            let ip: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            Some(Wanted::Internet((ip, port()?).into()))
        }
        libc::AF_INET6 => {
            let ip: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            Some(Wanted::Internet((ip, port()?).into()))
        }
        libc::AF_UNIX => {
            let path = bytes.get(2..)?;
            let end = path.iter().position(|&byte| byte == 0).unwrap_or(path.len());
            Some(Wanted::Unix(Path::new(std::ffi::OsStr::from_bytes(&path[..end])).to_owned()))
        }
        _ => None,
    }
}

/// Opens a socket of a process in this one.
#[allow(unsafe_code, reason = "there is no safe function for it")]
fn take_socket(process: u32, number: u64) -> Result<OwnedFd, Errno> {
    // The report names a thread.
    let flags = libc::PIDFD_THREAD;
    // SAFETY: the call takes numbers.
    let process = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, process, flags) })?;
    // SAFETY: the kernel has just created it for this process.
    let process = unsafe { OwnedFd::from_raw_fd(RawFd::try_from(process).map_err(|_| Errno::EBADF)?) };
    let number = RawFd::try_from(number & u64::from(u32::MAX)).map_err(|_| Errno::EBADF)?;
    // SAFETY: the call takes numbers.
    let socket = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), number, 0) })?;
    // SAFETY: as above.
    Ok(unsafe { OwnedFd::from_raw_fd(RawFd::try_from(socket).map_err(|_| Errno::EBADF)?) })
}
