//! The prompt files and snippets in effect, and the user's copies of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::App;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_prepare::prompt::snippets::{self, Snippet, Snippets};
use diffsan_store::files::artifacts::RunRecord;
use diffsan_store::files::prompts::{self, PromptFile, PromptFiles, SNIPPETS};
use diffsan_store::files::sent::{SentPrompt, raw_answers, sent_prompts};

/// The answer of an agent as it wrote it, masked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RawAnswer {
    /// The agent's name.
    pub agent: String,
    /// The number of the batch, from 1.
    pub part: u32,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The text.
    pub text: String,
}

/// Selects the run whose prompts are read.
#[derive(Clone, Copy, Debug)]
pub enum SentBy<'a> {
    /// The run of a review.
    Review(&'a str),
    /// A run without a review.
    Run(&'a str),
}

/// The prompts that a run sent.
pub struct Sent {
    /// The run folder.
    pub folder: PathBuf,
    /// The record of the run.
    pub record: RunRecord,
    /// The prompts.
    pub prompts: Vec<SentPrompt>,
    /// The text of the requested prompt; empty if nothing was sent.
    pub text: String,
}

impl App {
    /// Returns the prompts that a run sent, with the text of the prompt at index `prompt`. Blocks.
    pub fn sent(&self, run: SentBy<'_>, prompt: usize) -> Result<Sent> {
        let folder = self.folder_of(run)?;
        let gone = || {
            Error::new(ErrorCode::NotFound, "The sent prompt no longer exists.")
                .hint("Its run folder was removed. `Next` shows the prompt of the next review.")
        };
        // A review with only findings that the reviewer wrote has no run.
        if folder.as_os_str().is_empty() {
            return Err(gone());
        }
        let record = RunRecord::read(&folder).ok_or_else(gone)?;
        let prompts = sent_prompts(&folder).map_err(|error| gone().cause(error))?;
        let text = match prompts.get(prompt) {
            Some(one) => fs::read_to_string(&one.path).map_err(|error| gone().cause(error))?,
            None if prompts.is_empty() => String::new(),
            None => return Err(Error::new(ErrorCode::NotFound, format!("The run sent no prompt {}.", prompt + 1))),
        };
        Ok(Sent { folder, record, prompts, text })
    }

    /// Returns the answers of a run as the agents wrote them. Blocks.
    pub fn raw_answers(&self, run: SentBy<'_>) -> Result<Vec<RawAnswer>> {
        let folder = self.folder_of(run)?;
        let gone = |error: std::io::Error| {
            Error::new(ErrorCode::NotFound, "The answer no longer exists.")
                .hint("Its run folder was removed.")
                .cause(error)
        };
        let agent = RunRecord::read(&folder).and_then(|record| record.agent).unwrap_or_default();
        let read = |one: SentPrompt| {
            let text = diffsan_bounded::read_to_string(&one.path, diffsan_bounded::MAX_PATCH_BYTES).map_err(gone)?;
            let agent = one.agent.unwrap_or_else(|| agent.clone());
            Ok(RawAnswer { agent, part: one.part, attempt: one.attempt, text })
        };
        raw_answers(&folder).map_err(gone)?.into_iter().map(read).collect()
    }

    fn folder_of(&self, run: SentBy<'_>) -> Result<PathBuf> {
        Ok(match run {
            SentBy::Review(id) => PathBuf::from(self.stored(id)?.run_dir),
            SentBy::Run(id) => self.places.runs().join(Path::new(id).file_name().unwrap_or_default()),
        })
    }

    /// Returns the places of prompt files. The repository of the change that was used last comes first, if it is
    /// trusted.
    pub fn prompt_files(&self) -> PromptFiles {
        match self.at_hand() {
            Some(opened) => opened.trust.prompts(&self.places),
            None => PromptFiles::new(BTreeMap::new(), &self.places.config),
        }
    }

    /// Returns the prompt files in effect. Leaves out optional files that do not exist. Blocks.
    pub fn prompts_in_force(&self) -> Result<Vec<PromptFile>> {
        let files = self.prompt_files();
        let skills = prompts::skill_files(&files);
        let names = prompts::NAMES.iter().copied().chain(skills.iter().map(String::as_str));
        let found = names.filter_map(|name| files.load(name).transpose());
        found.collect::<std::result::Result<_, _>>().map_err(Error::from)
    }

    /// Saves the user's text of a prompt file. `None` restores the built-in one. Blocks.
    pub fn save_prompt(&self, name: &str, text: Option<&str>) -> Result<()> {
        prompts::save_own(&self.places.config, name, text).map_err(Error::from)
    }

    /// Returns the snippets in effect and their file, which is `None` if they are built in. Blocks.
    pub fn snippets(&self) -> (Snippets, Option<PathBuf>) {
        prompts::load_snippets(&self.prompt_files())
    }

    /// Saves the user's snippets. `None` restores the built-in ones. Blocks.
    pub fn save_snippets(&self, own: Option<Vec<Snippet>>) -> Result<()> {
        if let Some(wrong) =
            own.iter().flatten().position(|one| one.icon.trim().is_empty() || one.message.trim().is_empty())
        {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                format!("Snippet {} has no icon or no message.", wrong + 1),
            )
            .hint("Give it both, or remove it."));
        }
        let text = own.map(|own| snippets::write(&own.into_iter().map(Snippet::with_tooltip).collect::<Vec<_>>()));
        self.save_prompt(SNIPPETS, text.as_deref())
    }

    /// Imports the user's snippets from the text of a file. Blocks.
    pub fn import_snippets(&self, text: &str) -> Result<Snippets> {
        let refused = |message: String| {
            Error::new(ErrorCode::InvalidInput, format!("No snippets were imported: {message}."))
                .hint(r#"The expected format is { "snippets": [{ "icon": "…", "tooltip": "…", "message": "…" }] }."#)
        };
        let read = snippets::read(text).map_err(refused)?;
        if read.snippets.is_empty() {
            return Err(refused(read.notices.first().cloned().unwrap_or_else(|| "the list is empty".to_owned())));
        }
        self.save_snippets(Some(read.snippets.clone()))?;
        Ok(read)
    }
}
