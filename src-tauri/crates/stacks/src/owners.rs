//! Finds the layer that introduced the lines of a finding, so that it is posted there, once.

use std::collections::HashMap;

use diffsan_change::{Change, RepoPath, Target};
use diffsan_git::{ChangeCommit, Repo, VersionCommits, VersionLine};
use diffsan_pipeline::error::Result;
use diffsan_review::finding::{Finding, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::layers::{Layer, Stack};

/// The lower layer that introduced the lines of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerOfFinding {
    /// The target that opens the layer.
    pub target: Target,
    /// The name of the layer: the number of the merge request as `!7`, or the branch.
    pub name: String,
    /// The title of the layer.
    pub title: String,
}

/// Returns the lower layer that each finding belongs to, by its key. A finding on lines of the opened layer, or on lines that are older
/// than the stack, has none. `trunk` is the full id of the commit where the lowest layer starts, `head` that of the opened one. Blocks.
pub fn layers_of_findings(
    repo: &Repo,
    stack: &Stack,
    (trunk, head): (&str, &str),
    change: &Change,
    findings: &[Finding],
) -> Result<HashMap<String, LayerOfFinding>> {
    let below: Vec<&Layer> = stack.layers.iter().take_while(|layer| !layer.current).collect();
    if below.is_empty() || !repo.has_commit(trunk) || !repo.has_commit(head) {
        return Ok(HashMap::new());
    }
    let version = VersionCommits { base: Some(trunk.to_owned()), head: head.to_owned() };
    let placed: Vec<(&Finding, VersionLine)> =
        findings.iter().filter_map(|finding| Some((finding, line_of(change, finding)?))).collect();
    let lines: Vec<VersionLine> = placed.iter().map(|(_, line)| line.clone()).collect();
    let commits = repo.commits_of_lines(&version, &lines)?;
    let own = repo.version_commits(&version)?;
    let mut owners = Owners { repo, trunk, below: &below, own: &own, known: HashMap::new() };
    let mut found = HashMap::new();
    for ((finding, _), commit) in placed.into_iter().zip(commits) {
        if let Some(layer) = commit.and_then(|commit| owners.of(&commit.commit)) {
            found.insert(finding.key.clone(), layer);
        }
    }
    Ok(found)
}

/// Returns the line of the head that a finding is on. A removed line was removed by the opened layer.
fn line_of(change: &Change, finding: &Finding) -> Option<VersionLine> {
    let anchor = &finding.anchor;
    let line = anchor.line_end.filter(|_| anchor.side == Side::New)?;
    let is = |path: &Option<RepoPath>| path.as_ref().is_some_and(|path| path.to_text() == anchor.path);
    let file = change.files.iter().find(|file| is(&file.new_path));
    let path = file.and_then(|file| file.new_path.clone()).unwrap_or_else(|| RepoPath::from(anchor.path.as_str()));
    Some(VersionLine { path, new: true, line })
}

/// The lower layers, and which of them has each commit.
struct Owners<'a> {
    repo: &'a Repo,
    trunk: &'a str,
    below: &'a [&'a Layer],
    /// The commits of the opened layer and of those below it.
    own: &'a [ChangeCommit],
    known: HashMap<String, Option<LayerOfFinding>>,
}

impl Owners<'_> {
    /// Returns the lowest layer that has a commit.
    fn of(&mut self, commit: &str) -> Option<LayerOfFinding> {
        if let Some(known) = self.known.get(commit) {
            return known.clone();
        }
        let layer = self.below.iter().find(|layer| self.has(layer, commit)).map(|layer| LayerOfFinding {
            target: layer.target.clone(),
            name: layer.iid.map_or_else(|| layer.source.clone(), |iid| format!("!{iid}")),
            title: layer.title.clone(),
        });
        self.known.insert(commit.to_owned(), layer.clone());
        layer
    }

    /// Returns whether a layer has a commit, or after a rebase of that layer the same one.
    fn has(&self, layer: &Layer, commit: &str) -> bool {
        let Some(head) = layer.head.as_deref().filter(|head| self.repo.has_commit(head)) else { return false };
        if self.repo.contains(head, commit) == Some(true) {
            return true;
        }
        let Some(known) = self.own.iter().find(|one| one.id == commit) else { return false };
        let version = VersionCommits { base: Some(self.trunk.to_owned()), head: head.to_owned() };
        let same =
            |one: &ChangeCommit| one.author == known.author && one.time == known.time && subject(one) == subject(known);
        self.repo.version_commits(&version).is_ok_and(|commits| commits.iter().any(same))
    }
}

fn subject(commit: &ChangeCommit) -> &str {
    commit.message.lines().next().unwrap_or_default()
}
