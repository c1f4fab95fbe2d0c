//! Prepares the room of a run: the head's files, masked, without the files that configure agents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorCode, Result};
use crate::open::OpenChange;
use crate::open::TrustState;
use diffsan_agent::Agent;
use diffsan_agent::room::{self, RoomFacts, RoomFile};
use diffsan_change::{RepoPath, Target};
use diffsan_config::Room;
use diffsan_git::Repo;
use diffsan_redact::Session;
use diffsan_store::files::places::Places;

/// The place where agents read files, and facts about its content.
pub struct PreparedRoom {
    place: Place,
    /// Facts about the room's content.
    pub facts: RoomFacts,
}

impl PreparedRoom {
    /// Returns the folder with the files.
    pub fn folder(&self) -> PathBuf {
        match &self.place {
            Place::Room(room) => room.files(),
            Place::Repository(root) => root.clone(),
        }
    }
}

enum Place {
    Room(Box<room::Room>),
    /// The work tree of the repository.
    Repository(PathBuf),
}

/// Returns the repository itself as the room. Fails unless it is trusted and contains the change's files. Blocks.
fn inside_repository(opened: &OpenChange) -> Result<PreparedRoom> {
    let refused = |message: &str, hint: &str| Error::new(ErrorCode::ConfigUntrusted, message).hint(hint);
    let otherwise = "Leave agent.room at \"redacted\": the agent then reads the same files without secrets.";
    let Some(root) = opened.root.as_ref().filter(|_| opened.tree.is_some()) else {
        return Err(refused(
            "There is no repository for the agent to run in (agent.room = \"repository\").",
            otherwise,
        ));
    };
    if !opened.trust.is_given() {
        let message = match opened.trust.state {
            TrustState::Changed => {
                "The repository's settings have changed since you trusted it, so no agent may run in it (agent.room \
                 = \"repository\")."
            }
            _ => "The repository is not trusted, so no agent may run in it (agent.room = \"repository\").",
        };
        let hint = format!(
            "Check the repository's settings and trust it (`diffsan config trust`, or in the settings). Or: {otherwise}"
        );
        return Err(refused(message, &hint));
    }
    let local = matches!(opened.tree, Some(Target::Unstaged | Target::Staged | Target::All { .. }));
    if !local && !opened.is_checked_out() {
        return Err(refused(
            "The change is not checked out, so an agent in the repository would read other files (agent.room = \"repository\").",
            &format!("Check out the change. Or: {otherwise}"),
        ));
    }
    Ok(PreparedRoom { place: Place::Repository(root.clone()), facts: RoomFacts::default() })
}

/// The source of a file's content.
pub(super) enum Content {
    Object(String),
    WorkTree(Vec<u8>),
}

/// Returns the folder in which an agent would read files, if any. Creates nothing.
pub fn expected_room(places: &Places, opened: &OpenChange, agent: &Agent) -> Option<PathBuf> {
    let room = opened.settings.config.agent.room;
    let known = opened.tree.is_some();
    let root = opened.root.as_ref().filter(|_| room != Room::DiffOnly && known && agent.spec.reads_files)?;
    if room == Room::Repository {
        return opened.trust.is_given().then(|| root.clone());
    }
    Some(places.rooms().join(room_name(root)).join("0").join("files"))
}

/// Returns the folder in which a room contains copies of the files that configure agents. Returns `None` if the agent
/// gets no room.
pub fn copies_folder(opened: &OpenChange) -> Option<&'static str> {
    (opened.settings.config.agent.room == Room::Redacted).then_some(room::COPIES)
}

fn room_name(root: &Path) -> String {
    digest(root.as_os_str().as_encoded_bytes())[..16].to_owned()
}

/// Prepares the room of an agent, as the settings want it. Returns `None` for an agent that gets no files. Blocks.
pub fn room_of(places: &Places, opened: &OpenChange, agent: &Agent, session: Session) -> Result<Option<PreparedRoom>> {
    match opened.settings.config.agent.room {
        _ if !agent.spec.reads_files => Ok(None),
        Room::DiffOnly => Ok(None),
        Room::Repository => inside_repository(opened).map(Some),
        Room::Redacted => prepare_room(places, opened, session),
    }
}

/// Creates the room, or updates the one of an earlier run. Returns `None` if the head's files are not known. Blocks.
pub fn prepare_room(places: &Places, opened: &OpenChange, session: Session) -> Result<Option<PreparedRoom>> {
    let (Some(root), Some(tree)) = (&opened.root, &opened.tree) else { return Ok(None) };
    let repo = Repo::open(root)?;
    let contents = contents(&repo, opened, tree)?;
    let mut session = session;
    let files: Vec<RoomFile> = contents
        .iter()
        // A file name may contain a secret too.
        .filter(|(path, _)| session.contract("path", path).as_str() == path.as_str())
        .map(|(path, content)| RoomFile {
            path: path.clone(),
            id: match content {
                Content::Object(id) => id.clone(),
                Content::WorkTree(bytes) => digest(bytes),
            },
        })
        .collect();
    let room = room::Room::open(&places.rooms(), &room_name(root)).map_err(room_error)?;
    // Secrets of this change are also masked in the files that remain from an earlier run.
    let mut known = session.clone();
    let knows = known.knows_secrets();
    let again = knows.then_some(|path: &str, bytes: &[u8]| known.room_file_again(path, bytes));
    let read = |file: &RoomFile, largest: u64| {
        let object;
        let bytes: &[u8] = match contents.get(&file.path)? {
            Content::Object(id) => {
                object = repo.object(id, largest)?;
                &object
            }
            Content::WorkTree(bytes) if bytes.len() as u64 <= largest => bytes,
            Content::WorkTree(_) => return None,
        };
        (!is_binary(bytes)).then(|| session.room_file(&file.path, bytes))
    };
    let facts = room.update(&opened.redactor().version(), &files, read, again).map_err(room_error)?;
    Ok(Some(PreparedRoom { place: Place::Room(Box::new(room)), facts }))
}

/// Returns every file of the new side: the files that git tracks, with the changes of the work tree.
pub(super) fn contents(repo: &Repo, opened: &OpenChange, tree: &Target) -> Result<BTreeMap<String, Content>> {
    let tracked = repo.tracked_files(tree)?;
    let mut contents: BTreeMap<String, Content> =
        tracked.into_iter().map(|file| (file.path, Content::Object(file.id))).collect();
    if !matches!(tree, Target::Unstaged | Target::All { .. }) {
        return Ok(contents);
    }
    let text = |path: &RepoPath| std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned);
    for file in &opened.change.files {
        if let Some(old) = file.old_path.as_ref().filter(|_| file.old_path != file.new_path).and_then(text) {
            contents.remove(&old);
        }
        let Some(new) = &file.new_path else { continue };
        let Some(name) = text(new) else { continue };
        match repo.new_side(tree, new)? {
            Some(bytes) => contents.insert(name, Content::WorkTree(bytes.to_vec())),
            None => contents.remove(&name),
        };
    }
    Ok(contents)
}

/// Returns whether content is binary, by git's rule: a zero among the first bytes.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn room_error(error: room::RoomError) -> Error {
    Error::new(ErrorCode::AgentExecFailed, format!("{error}. Nothing was sent."))
        .hint("Free some disk space for the data folder, or review without a room (agent.room = \"diff-only\").")
}
