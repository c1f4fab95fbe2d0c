//! The use cases of diffsan: opening repositories and changes, reviewing, deciding, posting. The window, the browser
//! and the command all use this crate.

mod agents;
mod budget;
mod carry_over;
mod changes;
mod chats;
mod content;
mod data;
mod editor;
mod exports;
mod findings;
mod history;
mod history_page;
mod inbox;
mod launch;
mod line_history;
mod navigation;
mod opinions;
mod overview;
mod pipeline_facts;
mod posting;
mod prompts;
mod requests;
mod reviews;
mod rounds;
mod runs;
mod saved_review;
mod secrets;
mod settings;
mod signals;
mod stacks;
mod target_args;
mod track_record;
mod trust;
mod versions;
mod work;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use diffsan_change::Target;
use diffsan_chat::Chats;
use diffsan_config::{Config, Layer};
use diffsan_forge::gitlab::KnownVersions;
use diffsan_git::Repo;
use diffsan_pipeline::error::{Error, ErrorCode, Result, no_random_numbers};
use diffsan_pipeline::open::{GitlabAccess, OpenChange};
use diffsan_redact::Redactor;
use diffsan_store::Store;
use diffsan_store::files::artifacts::now;
use diffsan_store::files::places::{Places, installation_key, make_private_folder, random_key};
use diffsan_store::files::private::remove_abandoned_folders;
use diffsan_store::files::{sample, settings as settings_file};
use diffsan_store::secrets::Secrets;
use diffsan_sync::Inbox;

pub use agents::{KnownAgent, KnownAgents, LastCheck};
pub use budget::{Budget, BudgetChoice, BudgetOption};
pub use changes::{ChangeHandle, ChangeRequest, ReviewScope};
pub use chats::ConversationView;
pub use content::{Image, Lines, Viewed, image_type};
pub use data::{DataKind, RemovedData, SavedData};
pub use exports::Document;
pub use findings::{FindingEdit, NewFinding, find_finding};
pub use history::{EntryKind, Reopened};
pub use history_page::{HistoryItem, HistoryParams, HistoryView, InterruptedItem, InterruptedRun};
pub use launch::{Launch, LaunchRequest};
pub use line_history::{LineChangeView, LineHistoryView};
pub use navigation::{
    FoundDefinition, FoundReferences, NameOnLine, NamePlace, NamesOnLine, ShownPlace, ShownUsage, SymbolsState,
};
pub use opinions::OpinionPreview;
pub use overview::{FileOwners, Overview, OverviewCommit};
pub use posting::{Posting, ShownPlan};
pub use prompts::{RawAnswer, Sent, SentBy};
pub use requests::ListedRequest;
pub use reviews::{ReviewOutcome, StartedReview};
pub use rounds::Rounds;
pub use runs::{FeedEvent, FollowedRuns, LiveRun, ReviewEvent, RunEnd, RunFailure, RunLine, RunUsage};
pub use saved_review::SavedReview;
pub use secrets::{SavedSecret, TokenCheck};
pub use settings::{PageSetting, SettingsNow, setting, setting_of_text};
pub use signals::{Signals, StopRequest, stopped};
pub use stacks::MovedFindings;
pub use target_args::TargetArgs;
pub use trust::TrustedRepository;

/// The maximum number of changes that stay open. Older ones are opened again when they are needed.
const OPEN_CHANGES: usize = 8;

/// The entry of the store with the versions of GitLab servers.
const GITLAB_VERSIONS: &str = "gitlab.versions";

/// The options of a start of the program.
#[derive(Clone, Debug, Default)]
pub struct AppOptions {
    /// The data folder, if it is not the default one.
    pub data_dir: Option<PathBuf>,
    /// The configuration folder, if it is not the default one.
    pub config_dir: Option<PathBuf>,
    /// The repository to show first.
    pub start_repo: Option<PathBuf>,
    /// Whether to show the bundled sample first, if no repository is named.
    pub start_sample: bool,
    /// The change to show first.
    pub start_target: Option<Target>,
    /// Settings of this start, which override the user's.
    pub layers: Vec<Layer>,
    /// Whether the repository's own settings may set everything, as in its pipeline, where they come from the target
    /// side.
    pub trusted: bool,
}

/// Ends the agents of diffsan processes that were killed, and removes their private folders, in the background.
fn remove_abandoned(private: PathBuf) {
    let remove = move || {
        diffsan_agent::end_abandoned_agents();
        remove_abandoned_folders(&private);
    };
    // Without a thread, the next start does it.
    let _ = std::thread::Builder::new().name("remove-abandoned".to_owned()).spawn(remove);
}

/// The application. It holds everything that use cases share.
pub struct App {
    options: AppOptions,
    places: Places,
    key: [u8; 32],
    store: Arc<Store>,
    pub(crate) secrets: Arc<Secrets>,
    gitlab_versions: KnownVersions,
    changes: Mutex<Vec<(String, Arc<OpenChange>)>>,
    plans: Mutex<Vec<(String, Arc<ShownPlan>)>>,
    work: work::Work,
    runs: runs::Runs,
    pub(crate) chats: Chats,
    launches: launch::Launches,
    symbol_trees: navigation::SymbolTrees,
    comparisons: versions::Comparisons,
    inbox: Arc<Inbox>,
}

impl App {
    /// Creates the data folder and opens the state file.
    pub fn start(mut options: AppOptions) -> Result<Arc<Self>> {
        let places = Places::find(options.data_dir.take(), options.config_dir.take()).ok_or_else(|| {
            Error::new(ErrorCode::ConfigParseError, "There is no home folder for settings and reviews.")
                .hint("Set DIFFSAN_DATA_DIR and DIFFSAN_CONFIG_DIR.")
        })?;
        let folder_error = |error: std::io::Error| {
            let message = format!("The data folder {} cannot be used: {error}.", places.data.display());
            Error::new(ErrorCode::IoFailed, message).hint("Make it writable, or set DIFFSAN_DATA_DIR.")
        };
        if let Err(error) = make_private_folder(&places.data)
            && !places.data.is_dir()
        {
            return Err(folder_error(error));
        }
        // If nothing can be written, the existing data can still be read.
        let key = installation_key(&places.data).or_else(|_| random_key()).map_err(folder_error)?;
        let store = Arc::new(Store::open(&places.store())?);
        let gitlab_versions = saved_versions(&store)?;
        let secrets = Arc::default();
        let inbox = Arc::new(Inbox::new(Arc::clone(&store)));
        let app = Self {
            options,
            places,
            key,
            store,
            secrets,
            gitlab_versions,
            changes: Mutex::default(),
            plans: Mutex::default(),
            work: work::Work::default(),
            runs: runs::Runs::default(),
            chats: Chats::default(),
            launches: launch::Launches::default(),
            symbol_trees: navigation::SymbolTrees::default(),
            comparisons: versions::Comparisons::default(),
            inbox,
        };
        app.load_secret_names()?;
        remove_abandoned(app.places.private());
        Ok(Arc::new(app))
    }

    /// Creates an application that reads the user's settings and saves nothing. It creates no folder and opens no state
    /// file.
    pub fn reading(options: AppOptions) -> Result<Arc<Self>> {
        let places = Places::find(None, None).ok_or_else(|| {
            Error::new(ErrorCode::ConfigParseError, "There is no home folder to read settings from.")
                .hint("Set DIFFSAN_DATA_DIR and DIFFSAN_CONFIG_DIR.")
        })?;
        let app = Self::in_memory()?;
        let key = diffsan_store::files::places::random_key().map_err(no_random_numbers)?;
        let app =
            Arc::into_inner(app).ok_or_else(|| Error::new(ErrorCode::Internal, "The program could not be started."))?;
        Ok(Arc::new(Self { options, places, key, ..app }))
    }

    /// Creates an application that saves nothing. Its folders are never created.
    pub fn in_memory() -> Result<Arc<Self>> {
        let nowhere = PathBuf::from("nowhere");
        let store = Arc::new(Store::in_memory()?);
        Ok(Arc::new(Self {
            options: AppOptions::default(),
            places: Places { data: nowhere.clone(), config: nowhere },
            key: [0; 32],
            inbox: Arc::new(Inbox::new(Arc::clone(&store))),
            store,
            secrets: Arc::default(),
            gitlab_versions: KnownVersions::default(),
            changes: Mutex::default(),
            plans: Mutex::default(),
            work: work::Work::default(),
            runs: runs::Runs::default(),
            chats: Chats::default(),
            launches: launch::Launches::default(),
            symbol_trees: navigation::SymbolTrees::default(),
            comparisons: versions::Comparisons::default(),
        }))
    }

    /// Returns messages for the user about the state file since it was opened; usually none.
    pub fn start_notices(&self) -> Vec<String> {
        let opening = self.store.opening();
        let mut notices = Vec::new();
        if let Some(aside) = &opening.aside {
            let kinds = [("review", "reviews"), ("decision", "decisions"), ("conversation", "conversations")];
            let saved: Vec<String> = kinds
                .iter()
                .map(|(table, many)| (aside.saved_of(table), table, many))
                .filter(|(count, ..)| *count > 0)
                .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
                .collect();
            let place = aside.place.display();
            let saved = match (saved.is_empty(), opening.read_only) {
                (true, false) => "None of its data could be recovered, so diffsan starts with no data".to_owned(),
                (true, true) => "None of its data can be read".to_owned(),
                (false, false) => format!("Recovered: {}", saved.join(", ")),
                (false, true) => format!("Readable: {}", saved.join(", ")),
            };
            let what = match opening.read_only {
                false => format!("was damaged and was moved to {place}"),
                true => format!("{place} is damaged and was not moved"),
            };
            notices.push(format!("The state file {what}. {saved}; every review is also in its run folder."));
        }
        let folder = self.places.data.display();
        if opening.full {
            notices.push(format!(
                "The disk of the data folder {folder} is full. You can read reviews, decisions and conversations, \
                 but nothing new is saved. Free some disk space, then start diffsan again."
            ));
        } else if opening.read_only {
            notices.push(format!(
                "The data folder {folder} is read-only. You can read reviews, decisions and conversations, but \
                 nothing new is saved."
            ));
        }
        notices
    }

    /// Whether this session cannot save anything.
    pub fn is_read_only(&self) -> bool {
        self.store.opening().read_only
    }

    /// Returns the options of this start.
    pub fn options(&self) -> &AppOptions {
        &self.options
    }

    /// Returns a value that the interface saved under `key`. Blocks.
    pub fn page_state(&self, key: &str) -> Result<Option<String>> {
        self.store.state(key).map_err(Error::from)
    }

    /// Saves a value of the interface, or removes it. Blocks.
    pub fn set_page_state(&self, key: &str, value: Option<&str>) -> Result<()> {
        self.store.set_state(key, value).map_err(Error::from)
    }

    /// Returns the store, for the application crates above this one.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns the folders of the application.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Opens a repository and adds it to the recent ones. Blocks.
    pub fn open_repository(&self, path: &Path) -> Result<Repo> {
        let repo = Repo::open(path)?;
        // A full or read-only disk must not prevent showing a change. Errors are reported where data is important.
        let _ = self.store.repository_opened(&repo.root().display().to_string(), &now());
        Ok(repo)
    }

    /// Returns the bundled sample repository, and builds it if it does not exist. Blocks.
    pub fn sample_repository(&self) -> Result<PathBuf> {
        sample::build_once(&self.places.sample())
            .map_err(|error| Error::new(ErrorCode::IoFailed, "The bundled sample could not be built.").cause(error))
    }

    /// Returns whether a repository is the bundled sample. Blocks.
    pub fn is_sample(&self, root: &Path) -> bool {
        let sample = self.places.sample().canonicalize();
        sample.is_ok_and(|sample| root.canonicalize().is_ok_and(|root| root == sample))
    }

    /// Returns the repositories that were opened before and still exist, latest first. Blocks.
    pub fn recent_repositories(&self) -> Result<Vec<PathBuf>> {
        let paths = self.store.recent_repositories(20)?;
        Ok(paths.into_iter().map(PathBuf::from).filter(|path| path.is_dir()).collect())
    }

    /// Returns a redactor with the user's patterns, for texts that belong to no change. Blocks.
    pub fn redactor(&self) -> Result<Redactor> {
        Redactor::new(&self.user_config()?.redaction, self.key).map_err(Error::from)
    }

    /// Returns the user's settings, for use without a repository. Blocks.
    pub fn user_config(&self) -> Result<Config> {
        let settings = settings_file::load(&self.places.settings(), None, self.options.layers.clone(), false)?;
        Ok(settings.config)
    }

    /// Returns the access to GitLab servers by the user's settings. A repository cannot change where a token is sent.
    /// Blocks.
    pub fn gitlab(&self) -> Result<GitlabAccess> {
        Ok(GitlabAccess {
            config: self.user_config()?.gitlab,
            secrets: Arc::clone(&self.secrets),
            installation: self.key,
            versions: self.gitlab_versions.clone(),
        })
    }

    fn lock_changes(&self) -> MutexGuard<'_, Vec<(String, Arc<OpenChange>)>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a token for new work. [`Self::end`] cancels it.
    pub fn cancellation(&self) -> CancellationToken {
        self.work.token()
    }
}

/// Returns the known versions of GitLab servers, which are saved in the store.
fn saved_versions(store: &Arc<Store>) -> Result<KnownVersions> {
    let text = store.state(GITLAB_VERSIONS)?.unwrap_or_default();
    let store = Arc::clone(store);
    // A version that cannot be saved is read again after the next start.
    Ok(KnownVersions::saved(&text, move |text| drop(store.set_state(GITLAB_VERSIONS, Some(text)))))
}
