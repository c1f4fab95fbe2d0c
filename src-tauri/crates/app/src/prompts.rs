//! The prompt files and snippets in force, and the user's own copies of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::App;
use diffsan_pipeline::error::{Error, ErrorCode, Result};
use diffsan_prepare::prompt::snippets::{self, Snippet, Snippets};
use diffsan_store::files::artifacts::RunRecord;
use diffsan_store::files::prompts::{self, PromptFile, PromptFiles, SNIPPETS};
use diffsan_store::files::sent::{SentPrompt, sent_prompts};

/// Which run's prompts are asked for.
#[derive(Clone, Copy, Debug)]
pub enum SentBy<'a> {
    /// That of a review.
    Review(&'a str),
    /// One that gave no review.
    Run(&'a str),
}

/// What a run sent.
pub struct Sent {
    /// Its folder.
    pub folder: PathBuf,
    /// What it says of itself.
    pub record: RunRecord,
    /// Its prompts.
    pub prompts: Vec<SentPrompt>,
    /// The text of the one that was asked for; empty where nothing was sent.
    pub text: String,
}

impl App {
    /// What a run sent, and the text of one of its prompts, from 0. Blocking.
    pub fn sent(&self, run: SentBy<'_>, prompt: usize) -> Result<Sent> {
        let folder = match run {
            SentBy::Review(id) => PathBuf::from(self.stored(id)?.run_dir),
            SentBy::Run(id) => self.places.runs().join(Path::new(id).file_name().unwrap_or_default()),
        };
        let gone = || {
            Error::new(ErrorCode::NotFound, "What was sent is not there any more.")
                .hint("The folder of its run was removed. `Next` shows what a review would send now.")
        };
        // A review of the reviewer's own findings alone has no run.
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

    /// Where prompt files are looked for: first in the repository of the change that was used last, where it is trusted.
    pub fn prompt_files(&self) -> PromptFiles {
        match self.at_hand() {
            Some(opened) => opened.trust.prompts(&self.places),
            None => PromptFiles::new(BTreeMap::new(), &self.places.config),
        }
    }

    /// The prompt files in force; those that are optional and not there are left out. Blocking.
    pub fn prompts_in_force(&self) -> Result<Vec<PromptFile>> {
        let files = self.prompt_files();
        let skills = prompts::skill_files(&files);
        let names = prompts::NAMES.iter().copied().chain(skills.iter().map(String::as_str));
        let found = names.filter_map(|name| files.load(name).transpose());
        found.collect::<std::result::Result<_, _>>().map_err(Error::from)
    }

    /// Keeps the user's own text of a prompt file; none goes back to the built-in one. Blocking.
    pub fn keep_prompt(&self, name: &str, text: Option<&str>) -> Result<()> {
        prompts::keep_own(&self.places.config, name, text).map_err(Error::from)
    }

    /// The snippets in force, and their file; none if they are built in. Blocking.
    pub fn snippets(&self) -> (Snippets, Option<PathBuf>) {
        prompts::load_snippets(&self.prompt_files())
    }

    /// Keeps the user's own snippets; none goes back to the built-in ones. Blocking.
    pub fn keep_snippets(&self, own: Option<&[Snippet]>) -> Result<()> {
        if let Some(wrong) =
            own.into_iter().flatten().position(|one| one.icon.trim().is_empty() || one.message.trim().is_empty())
        {
            return Err(Error::new(
                ErrorCode::InvalidInput,
                format!("Snippet {} has no icon or no message.", wrong + 1),
            )
            .hint("Give it both, or remove it."));
        }
        let text = own.map(snippets::write);
        self.keep_prompt(SNIPPETS, text.as_deref())
    }

    /// Takes the snippets of a file's text as the user's own. Blocking.
    pub fn import_snippets(&self, text: &str) -> Result<Snippets> {
        let refused = |message: String| {
            Error::new(ErrorCode::InvalidInput, format!("No snippets were taken: {message}."))
                .hint(r#"The file's form is { "snippets": [{ "icon": "…", "tooltip": "…", "message": "…" }] }."#)
        };
        let read = snippets::read(text).map_err(refused)?;
        if read.snippets.is_empty() {
            return Err(refused(read.notices.first().cloned().unwrap_or_else(|| "the list is empty".to_owned())));
        }
        self.keep_snippets(Some(&read.snippets))?;
        Ok(read)
    }
}
