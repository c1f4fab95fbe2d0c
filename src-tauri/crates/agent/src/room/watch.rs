//! Observes which files below a folder are opened while an agent runs.
//!
//! In: a folder. Out: the paths of the files that any process opened in it. Only a room is observed: nobody but its agent uses it. Linux
//! reports accesses (inotify), also those of a process in other namespaces. Other systems offer nothing without the rights of an
//! administrator.

use std::collections::BTreeSet;
use std::path::Path;

/// The observation of a folder, which ends when this is dropped.
#[derive(Debug)]
pub struct RoomWatch(system::Watch);

impl RoomWatch {
    /// Begins to observe a folder with all of its folders. Returns the reason if that is not possible. Blocks.
    pub fn start(root: &Path) -> Result<Self, String> {
        system::Watch::start(root).map(Self)
    }

    /// Ends the observation. Returns the opened files, as paths below the folder with `/` between names, or the reason why the list is not
    /// complete. Blocks for a moment.
    pub fn stop(self) -> Result<BTreeSet<String>, String> {
        self.0.stop()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{BTreeSet, HashMap};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::thread::JoinHandle;

    use ignore::WalkBuilder;
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

    /// An observation with its thread, which empties the queue of the system before it is full.
    #[derive(Debug)]
    pub(super) struct Watch {
        /// The thread ends when this is closed.
        stop: UnixStream,
        thread: JoinHandle<Result<BTreeSet<String>, String>>,
    }

    impl Watch {
        pub(super) fn start(root: &Path) -> Result<Self, String> {
            let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK).map_err(refused)?;
            let flags = AddWatchFlags::IN_OPEN | AddWatchFlags::IN_ONLYDIR | AddWatchFlags::IN_DONT_FOLLOW;
            let walk = WalkBuilder::new(root).standard_filters(false).follow_links(false).build();
            let mut folders = HashMap::new();
            for entry in walk {
                let entry = entry.map_err(|error| error.to_string())?;
                if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    let watch = inotify.add_watch(entry.path(), flags).map_err(refused)?;
                    let folder = entry.path().strip_prefix(root).unwrap_or(entry.path());
                    folders.insert(watch, folder.to_string_lossy().into_owned());
                }
            }
            let (stop, stopped) = UnixStream::pair().map_err(|error| error.to_string())?;
            let thread = std::thread::Builder::new().name("room-watch".to_owned());
            let thread =
                thread.spawn(move || collect(&inotify, &folders, &stopped)).map_err(|error| error.to_string())?;
            Ok(Self { stop, thread })
        }

        pub(super) fn stop(self) -> Result<BTreeSet<String>, String> {
            drop(self.stop);
            self.thread.join().unwrap_or_else(|_| Err("the observation failed".to_owned()))
        }
    }

    fn refused(error: Errno) -> String {
        match error {
            Errno::ENOSPC | Errno::EMFILE => "the system allows no further observations of folders".to_owned(),
            error => error.desc().to_owned(),
        }
    }

    /// Collects the opened files until the other end of `stopped` is closed.
    fn collect(
        inotify: &Inotify,
        folders: &HashMap<WatchDescriptor, String>,
        stopped: &UnixStream,
    ) -> Result<BTreeSet<String>, String> {
        let mut opened = BTreeSet::new();
        loop {
            let mut waiting =
                [PollFd::new(inotify.as_fd(), PollFlags::POLLIN), PollFd::new(stopped.as_fd(), PollFlags::POLLIN)];
            match poll(&mut waiting, PollTimeout::NONE) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.desc().to_owned()),
            }
            // The system queues an access before the call of the program returns. So after the end of the agent, one pass reads all.
            let ends = waiting[1].revents().is_some_and(|events| !events.is_empty());
            read_all(inotify, folders, &mut opened)?;
            if ends {
                return Ok(opened);
            }
        }
    }

    fn read_all(
        inotify: &Inotify,
        folders: &HashMap<WatchDescriptor, String>,
        opened: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        loop {
            let events = match inotify.read_events() {
                Ok(events) => events,
                Err(Errno::EAGAIN) => return Ok(()),
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.desc().to_owned()),
            };
            for event in events {
                if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
                    return Err("too many files were opened at the same time".to_owned());
                }
                if event.mask.contains(AddWatchFlags::IN_ISDIR) {
                    continue;
                }
                let (Some(folder), Some(name)) = (folders.get(&event.wd), event.name) else { continue };
                let name = name.to_string_lossy();
                opened.insert(if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") });
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Other systems have no such interface.
    #[derive(Debug)]
    pub(super) enum Watch {}

    impl Watch {
        pub(super) fn start(_root: &Path) -> Result<Self, String> {
            Err("this system does not report accesses to files".to_owned())
        }

        pub(super) fn stop(self) -> Result<BTreeSet<String>, String> {
            match self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn every_opened_file_is_listed_and_no_other() {
        let room = tempfile::tempdir().expect("a folder");
        for folder in ["", "src/", "src/deep/", ".hidden/"] {
            std::fs::create_dir_all(room.path().join(folder)).expect("a folder");
            for name in ["a.rs", "b.rs", "c.rs"] {
                std::fs::write(room.path().join(format!("{folder}{name}")), "x").expect("written");
            }
        }
        let watch = RoomWatch::start(room.path()).expect("observed");
        let read = |path: &str| std::fs::read(room.path().join(path)).expect("read");
        for path in ["a.rs", "src/deep/b.rs", ".hidden/c.rs", "a.rs"] {
            read(path);
        }
        // Neither the names of a folder nor the facts about a file are its content.
        std::fs::read_dir(room.path().join("src")).expect("listed").flatten().for_each(|entry| drop(entry.metadata()));
        let opened: Vec<String> = watch.stop().expect("complete").into_iter().collect();
        assert_eq!(opened, [".hidden/c.rs", "a.rs", "src/deep/b.rs"]);
    }

    #[test]
    fn accesses_of_other_processes_are_seen_during_thousands_of_accesses() {
        let room = tempfile::tempdir().expect("a folder");
        for number in 0..3000 {
            std::fs::write(room.path().join(format!("{number}.txt")), "x").expect("written");
        }
        let watch = RoomWatch::start(room.path()).expect("observed");
        let search = "for turn in 1 2 3 4 5 6 7 8; do cat *.txt > /dev/null; done";
        let ended = std::process::Command::new("sh").args(["-c", search]).current_dir(room.path()).status();
        assert!(ended.expect("ran").success());
        assert_eq!(watch.stop().expect("complete").len(), 3000);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_a_reason() {
        assert!(RoomWatch::start(Path::new("/nonexistent/room")).is_err());
    }
}
