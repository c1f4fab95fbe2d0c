//! The system calls of an agent that is confined without namespaces, as seccomp filters of the kernel.
//!
//! A refused call fails with `EPERM`. Two groups fail otherwise: calls that have an older form fail as unknown, so that programs use that
//! form, and changes of a file's permissions, owner and times report success without an effect. Landlock does not restrict these, and
//! programs that set them on their own files must not fail.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use nix::libc;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter};
use seccompiler::{SeccompRule, apply_filter};

/// The calls whose older form is filtered by its arguments.
const UNKNOWN: &[i64] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// The calls that report success and do nothing.
const IGNORED: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
const OPEN_TREE_ATTR: i64 = 467;

/// The calls that are refused with any arguments.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_ioprio_set,
    libc::SYS_setpriority,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Parts of the kernel with a history of errors, and those that are for administrators.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    // The user's keys, and memory and queues that processes of a user share.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// The calls that are refused for other processes: their first argument is not 0.
const OWN_PROCESS_ONLY: &[i64] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
];

/// The calls that diffsan makes for the agent, with addresses that it has checked. Landlock does not restrict hosts, nor a socket that
/// listens without an address.
const REPORTED: [i64; 3] = [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];

/// Flags of `clone` that create namespaces.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// Requests of `ioctl` that write to a terminal, or change attributes of a file that is only open for reading.
const REQUESTS: [u64; 4] = [0x5412, 0x541c, 0x4008_6602, 0x401c_5820];
/// The bits of a socket's type that are no flags.
const SOCKET_TYPE: u64 = 0xf;

/// Restricts this thread, and all that it starts, for ever. Returns the file that reports the calls in [`REPORTED`].
pub(super) fn restrict(with_unix_sockets: bool) -> io::Result<OwnedFd> {
    let every = |calls: &[i64]| calls.iter().map(|&call| (call, Vec::new())).collect();
    let errno = |code: i32| SeccompAction::Errno(code.cast_unsigned());
    for (rules, action) in [
        (every(UNKNOWN), errno(libc::ENOSYS)),
        (every(IGNORED), errno(0)),
        (refused(with_unix_sockets).map_err(io::Error::other)?, errno(libc::EPERM)),
    ] {
        apply_filter(&program(rules, action).map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    report_connections()
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    action: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()
}

/// The refused calls, each with the arguments that it is refused for.
fn refused(with_unix_sockets: bool) -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    let mut refuse = |call: i64, conditions: &[(u8, SeccompCmpOp, u64)]| -> Result<(), seccompiler::BackendError> {
        let conditions = conditions
            .iter()
            .map(|(index, operator, value)| {
                SeccompCondition::new(*index, SeccompCmpArgLen::Dword, operator.clone(), *value)
            })
            .collect::<Result<_, _>>()?;
        rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
        Ok(())
    };
    for &call in OWN_PROCESS_ONLY {
        refuse(call, &[(0, Ne, 0)])?;
    }
    for flag in NAMESPACES.map(|flag| u64::from(flag.cast_unsigned())) {
        refuse(libc::SYS_clone, &[(0, MaskedEq(flag), flag)])?;
    }
    for request in REQUESTS {
        refuse(libc::SYS_ioctl, &[(1, Eq, request)])?;
    }
    let number = |value: i32| u64::from(value.cast_unsigned());
    // Only streams: TCP, and with an entry that names sockets, those of this machine.
    let mut families = vec![(0, Ne, number(libc::AF_INET)), (0, Ne, number(libc::AF_INET6))];
    if with_unix_sockets {
        families.push((0, Ne, number(libc::AF_UNIX)));
    }
    refuse(libc::SYS_socket, &families)?;
    refuse(libc::SYS_socket, &[(2, Ne, 0), (2, Ne, number(libc::IPPROTO_TCP))])?;
    for kind in (0..=SOCKET_TYPE).filter(|&kind| kind != number(libc::SOCK_STREAM)) {
        refuse(libc::SYS_socket, &[(1, MaskedEq(SOCKET_TYPE), kind)])?;
    }
    // A pair that is not connected can send to any socket.
    refuse(libc::SYS_socketpair, &[(0, Ne, number(libc::AF_UNIX))])?;
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW].map(number) {
        refuse(libc::SYS_socketpair, &[(1, MaskedEq(SOCKET_TYPE), kind)])?;
    }
    // These connect without `connect`.
    let flag = number(libc::MSG_FASTOPEN);
    for (call, index) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        refuse(call, &[(index, MaskedEq(flag), flag)])?;
    }
    let option = number(libc::TCP_FASTOPEN_CONNECT);
    refuse(libc::SYS_setsockopt, &[(1, Eq, number(libc::IPPROTO_TCP)), (2, Eq, option)])?;
    Ok(rules)
}

/// Adds a filter that asks another process about each call in [`REPORTED`]. It refuses also the numbers of x32, which the other filters do not know.
#[allow(unsafe_code, reason = "there is no safe function for it")]
fn report_connections() -> io::Result<OwnedFd> {
    const FIRST_X32: u32 = 0x4000_0000;
    let operation = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let answer = |value: u32| operation(libc::BPF_RET | libc::BPF_K, value, 0, 0);
    let mut filter = vec![
        operation(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        operation(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, FIRST_X32, 0, 1),
        answer(libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
    ];
    for call in REPORTED {
        let call = u32::try_from(call).map_err(io::Error::other)?;
        filter.push(operation(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call, 0, 1));
        filter.push(answer(libc::SECCOMP_RET_USER_NOTIF));
    }
    filter.push(answer(libc::SECCOMP_RET_ALLOW));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel reads the program, which lives longer than the call.
    let file = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    let file = RawFd::try_from(file).map_err(io::Error::other)?;
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just created it for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(file) })
}
