//! The parts of a repository that need the user's trust: settings that an untrusted repository may not set, its own prompts and
//! tables, and files that configure or control an agent that is started inside the repository.
//!
//! Trust applies to exactly these parts, by their digest. Every change needs a new consent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A setting of the repository that needs trust.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedSetting {
    /// The key, such as `agent.codex_command`.
    pub key: String,
    /// The requested value.
    pub value: serde_json::Value,
}

/// A file of the repository that needs trust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedFile {
    /// The path in the repository.
    pub path: String,
    /// The SHA-256 of the content, or a description if the content cannot be digested.
    pub sha256: String,
}

impl RequestedFile {
    /// Creates an entry for a file with this content.
    pub fn new(path: &str, content: &[u8]) -> Self {
        Self { path: path.to_owned(), sha256: digest(content) }
    }
}

/// The effect that a setting or a file can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingEffect {
    /// Starts programs with the user's permissions.
    Runs,
    /// Sends the change to an address that it names.
    Sends,
    /// May send or store secrets unmasked.
    Unmasks,
    /// Has files read in addition to the change.
    Reads,
    /// Changes the agent's instructions, and so the findings.
    Leads,
    /// Changes how reviews are done and posted.
    Behaves,
}

impl SettingEffect {
    /// Returns the effect of a setting.
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

    /// Returns a description for the user.
    pub fn words(self) -> &'static str {
        match self {
            Self::Runs => "starts programs on this machine with your permissions",
            Self::Sends => "selects the agent and the server that the change is sent to",
            Self::Unmasks => "changes which texts are masked as secrets",
            Self::Reads => "adds a file to the prompt",
            Self::Leads => "changes the instructions for the agent",
            Self::Behaves => "changes how reviews run",
        }
    }
}

/// All parts of a repository that need trust.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrustRequest {
    /// The requested settings.
    pub settings: Vec<RequestedSetting>,
    /// Prompts, snippets, skills and capability tables of the repository.
    pub files: Vec<RequestedFile>,
    /// Files that configure agents or make them run something, if an agent would be started inside the repository (`agent.room =
    /// "repository"`).
    pub room: Vec<RequestedFile>,
    /// Whether an agent would be started inside the repository.
    pub starts_inside: bool,
    /// Files of the repository that its settings name: programs that would run, texts that would be sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<RequestedFile>,
}

impl TrustRequest {
    /// Returns whether nothing needs trust.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.files.is_empty() && self.room.is_empty() && !self.starts_inside
    }

    /// Returns the digest that identifies exactly this request.
    pub fn digest(&self) -> serde_json::Result<String> {
        Ok(digest(&serde_json::to_vec(self)?))
    }
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_the_request_changes_its_digest() {
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
        let digests: std::collections::BTreeSet<String> = [&base, &other, &more, &edited, &inside, &names, &renamed]
            .iter()
            .map(|wants| wants.digest().expect("serialisable"))
            .collect();
        assert_eq!(digests.len(), 7);
        assert_eq!(base.clone().digest().ok(), base.digest().ok());
        assert!(TrustRequest::default().is_empty() && !inside.is_empty());
    }

    #[test]
    fn effects_of_settings_are_named() {
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
