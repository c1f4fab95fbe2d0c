//! What a repository wants that takes the reviewer's trust: settings beyond what anybody's repository may set, prompts and
//! tables of its own, and the files that run or lead an agent which is started inside it.
//!
//! Trust is given to exactly this, by its digest: whatever changes in it is asked for again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A setting of the repository's that only a trusted one may make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedSetting {
    /// The key, such as `agent.codex_command`.
    pub key: String,
    /// The value that it is to have.
    pub value: serde_json::Value,
}

/// A file of the repository's that counts only where it is trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedFile {
    /// Its path in the repository.
    pub path: String,
    /// Of its content; in words, where it has none that can be digested.
    pub sha256: String,
}

impl RequestedFile {
    /// A file with its content.
    pub fn new(path: &str, content: &[u8]) -> Self {
        Self { path: path.to_owned(), sha256: digest(content) }
    }
}

/// What a setting or a file could do to the reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingEffect {
    /// Programs are started, with the reviewer's rights.
    Runs,
    /// The change goes to an address that it names.
    Sends,
    /// Secrets may be sent unmasked, or kept so.
    Unmasks,
    /// Files beside the change are read.
    Reads,
    /// What an agent is told, and so what a review finds.
    Leads,
    /// How a review is done and posted.
    Behaves,
}

impl SettingEffect {
    /// What a key is about.
    pub fn of(key: &str) -> Self {
        let starts =
            |prefixes: &[&str]| prefixes.iter().any(|prefix| key == *prefix || key.starts_with(&format!("{prefix}.")));
        let ends = |names: &[&str]| names.iter().any(|name| key.ends_with(name));
        if starts(&["agents"]) {
            return if ends(&[".url", ".api", ".model"]) {
                Self::Sends
            } else if ends(&[".title", ".install", ".sign_in"]) {
                Self::Behaves
            } else {
                Self::Runs
            };
        }
        if starts(&["agent.codex_command", "agent.cursor_command", "agent.room", "agent.user_config"]) {
            Self::Runs
        } else if starts(&[
            "agent.name",
            "agent.fallback",
            "agent.model",
            "agent.proxy_url",
            "gitlab",
            "capability.classifier",
        ]) {
            Self::Sends
        } else if starts(&["redaction", "artifacts"]) {
            Self::Unmasks
        } else if starts(&["prompt.instructions_file"]) {
            Self::Reads
        } else if starts(&["prompt"]) {
            Self::Leads
        } else {
            Self::Behaves
        }
    }

    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Runs => "starts programs on this machine, with your rights",
            Self::Sends => "chooses who is asked and where the change is sent",
            Self::Unmasks => "changes what counts as a secret, or keeps texts unmasked",
            Self::Reads => "has a file read into the prompt",
            Self::Leads => "changes what the agent is told",
            Self::Behaves => "changes how reviews are done",
        }
    }
}

/// Everything that a repository wants of its reviewer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrustRequest {
    /// Settings.
    pub settings: Vec<RequestedSetting>,
    /// Prompts, snippets, skills and capability tables of its own.
    pub files: Vec<RequestedFile>,
    /// Where an agent is to be started inside the repository (`agent.room = "repository"`): the files there that lead agents or
    /// make them run something.
    pub room: Vec<RequestedFile>,
    /// Whether an agent is to be started inside it.
    pub starts_inside: bool,
    /// Files in the repository that its settings name: programs that would run, texts that would be sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<RequestedFile>,
}

impl TrustRequest {
    /// Whether there is nothing to trust.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.files.is_empty() && self.room.is_empty() && !self.starts_inside
    }

    /// Names exactly this: equal digests, equal wishes.
    pub fn digest(&self) -> String {
        digest(&serde_json::to_vec(self).unwrap_or_default())
    }
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_what_is_wanted_is_another_wish() {
        let wanted = |key: &str, value: serde_json::Value| RequestedSetting { key: key.into(), value };
        let base = TrustRequest { settings: vec![wanted("agent.name", "x".into())], ..TrustRequest::default() };
        let mut other = base.clone();
        other.settings[0].value = "y".into();
        let more = TrustRequest { files: vec![RequestedFile::new("config/prompts/system.md", b"s")], ..base.clone() };
        let edited = TrustRequest { files: vec![RequestedFile::new("config/prompts/system.md", b"t")], ..base.clone() };
        let inside = TrustRequest { starts_inside: true, ..base.clone() };
        let named =
            |content: &[u8]| TrustRequest { named: vec![RequestedFile::new("run.sh", content)], ..base.clone() };
        let (names, renamed) = (named(b"a"), named(b"b"));
        let digests: std::collections::BTreeSet<String> =
            [&base, &other, &more, &edited, &inside, &names, &renamed].iter().map(|wants| wants.digest()).collect();
        assert_eq!(digests.len(), 7);
        assert_eq!(base.clone().digest(), base.digest());
        assert!(TrustRequest::default().is_empty() && !inside.is_empty());
    }

    #[test]
    fn what_runs_or_sends_is_said_so() {
        for (key, meaning) in [
            ("agents.x.command", SettingEffect::Runs),
            ("agents.x.set.PATH", SettingEffect::Runs),
            ("agents.x.url", SettingEffect::Sends),
            ("agent.codex_command", SettingEffect::Runs),
            ("agent.proxy_url", SettingEffect::Sends),
            ("gitlab.ca_file", SettingEffect::Sends),
            ("redaction.enabled", SettingEffect::Unmasks),
            ("prompt.instructions_file", SettingEffect::Reads),
            ("skip.skip_on_auto_merge", SettingEffect::Behaves),
        ] {
            assert_eq!(SettingEffect::of(key), meaning, "{key}");
        }
    }
}
