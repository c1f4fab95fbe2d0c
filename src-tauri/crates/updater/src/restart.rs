//! The restart with the new version, and the way back. It runs in the process of the old version, after its window and its core have
//! ended, so nothing is saved any more while the files are exchanged.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use diffsan_store::files::places::Places;
use diffsan_store::{copy_state, restore_state};
use diffsan_update::{Location, Replaceable, start_and_wait};

use crate::record::{Record, UpdateFolder};

/// The time limit for a new version to show its page.
const START_TIMEOUT: Duration = Duration::from_secs(90);

/// The end of a restart.
#[derive(Debug, PartialEq, Eq)]
pub enum Restarted {
    /// The new version runs.
    New,
    /// The old version is in place and is to be started. It shows the reason.
    Old(PathBuf),
    /// No update was requested.
    Nothing,
}

/// Does the work of the supervisor: [`restart`] in the folders of this process. Blocks.
pub fn supervise(arguments: &[OsString]) -> Restarted {
    let places = Places::find(None, None);
    places.map_or(Restarted::Nothing, |places| restart(&places, arguments, START_TIMEOUT))
}

/// Ends what a killed restart began, and removes what a killed download left. Called at the start of the window, before its state is
/// opened. Blocks.
pub fn recover_at_start() {
    if let Some(places) = Places::find(None, None) {
        recover(&places, Location::of_this_process().replaceable().ok().as_ref(), super::VERSION);
    }
}

/// Exchanges the files, starts the new version, and waits until it has started. Otherwise puts the old file and the state back. Blocks.
fn restart(places: &Places, arguments: &[OsString], limit: Duration) -> Restarted {
    let folder = UpdateFolder::of(places);
    // Without the lock, another process does the same.
    let Ok(Some(_lock)) = folder.lock() else { return Restarted::Nothing };
    let Some(mut record) = folder.read() else { return Restarted::Nothing };
    let target = Replaceable::new(record.target.clone());
    let failure = exchange(places, &folder, &mut record, &target).and_then(|()| {
        let mut command = Command::new(target.path());
        // They describe the mounted files of the old version.
        for name in ["APPIMAGE", "APPDIR", "ARGV0", "OWD"] {
            command.env_remove(name);
        }
        start_and_wait(command.args(arguments), &folder.started(), limit).map_err(|error| error.to_string())
    });
    match failure {
        Ok(()) => {
            target.remove_previous();
            folder.remove();
            Restarted::New
        }
        Err(reason) => {
            let message = format!("Version {} could not be installed: {reason}.", record.to);
            go_back(places, &folder, &record, &message);
            Restarted::Old(record.target)
        }
    }
}

fn exchange(places: &Places, folder: &UpdateFolder, record: &mut Record, target: &Replaceable) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    target.check_verified(record.size, &record.sha256).map_err(|error| text(&error))?;
    // A file of an update that nobody ended must not be taken for the old version.
    target.remove_previous();
    copy_state(&places.store(), &folder.state_copy()).map_err(|error| text(&error))?;
    record.exchanged = true;
    folder.write(record).map_err(|error| text(&error))?;
    target.exchange().map_err(|error| text(&error))
}

/// Puts the old file and the state back, and saves a message for the old version.
fn go_back(places: &Places, folder: &UpdateFolder, record: &Record, message: &str) {
    let mut message = format!("{message} Version {} runs again, and nothing is lost.", record.from);
    let target = Replaceable::new(record.target.clone());
    let mut complete = true;
    if record.exchanged {
        // Before the exchange, the old file is still in place, and no previous one exists.
        if target.previous().exists()
            && let Err(error) = target.restore()
        {
            message = format!(
                "{message} The old version could not be put back ({error}); it is {}.",
                target.previous().display()
            );
            complete = false;
        }
        if let Err(error) = restore_state(&places.store(), &folder.state_copy()) {
            let copy = folder.state_copy();
            message =
                format!("{message} The state file could not be restored ({error}); its copy is {}.", copy.display());
            complete = false;
        }
    }
    // The window shows the message. Without it, the old version runs all the same.
    let _ = folder.set_outcome(Some(&message));
    if complete {
        target.remove_previous();
        target.remove_downloads();
        folder.remove();
    }
}

fn recover(places: &Places, replaceable: Option<&Replaceable>, version: &str) {
    let folder = UpdateFolder::of(places);
    if folder.exists() {
        // The process that has the lock waits for this start.
        let Ok(Some(_lock)) = folder.lock() else { return };
        match folder.read() {
            // The new version. It ends the update when its page is shown.
            Some(record) if record.to == version => return,
            Some(record) if record.from == version => {
                let message = format!("The update to version {} was interrupted.", record.to);
                go_back(places, &folder, &record, &message);
            }
            // Another version was put in place by hand.
            _ => folder.remove(),
        }
    }
    if let Some(replaceable) = replaceable {
        replaceable.remove_downloads();
    }
}

/// Says that this version has started. If the process that waited for it was killed, ends the update here. Blocks.
pub(crate) fn started(places: &Places, version: &str) -> std::io::Result<()> {
    let folder = UpdateFolder::of(places);
    if !folder.exists() {
        return Ok(());
    }
    let named = std::env::var_os(diffsan_update::STARTED_VARIABLE).map(PathBuf::from);
    folder.say_started(named.as_deref())?;
    if let Some(_lock) = folder.lock()?
        && let Some(record) = folder.read().filter(|record| record.to == version)
    {
        Replaceable::new(record.target).remove_previous();
        folder.remove();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
