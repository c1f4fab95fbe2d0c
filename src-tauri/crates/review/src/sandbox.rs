//! The receipt of an agent's run: the mechanism that confined it, what was allowed, and what was refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mechanism that confines an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxMechanism {
    /// None: the agent has the permissions of the user.
    #[default]
    None,
    /// Namespaces of Linux, created by bubblewrap.
    Bubblewrap,
    /// Landlock and seccomp of Linux, without namespaces.
    Landlock,
    /// The sandbox of macOS, created by `sandbox-exec`.
    Seatbelt,
}

impl SandboxMechanism {
    /// The one of two mechanisms that restricts less.
    fn weaker(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => Self::None,
            (Self::Seatbelt, _) | (_, Self::Seatbelt) => Self::Seatbelt,
            (Self::Landlock, _) | (_, Self::Landlock) => Self::Landlock,
            (Self::Bubblewrap, Self::Bubblewrap) => Self::Bubblewrap,
        }
    }
}

/// How an agent was confined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SandboxReceipt {
    /// The mechanism.
    pub mechanism: SandboxMechanism,
    /// Why there was no mechanism, or not the preferred one.
    pub reason: Option<String>,
    /// What the mechanism does not restrict.
    pub not_covered: Vec<String>,
    /// The files and folders outside of the system's that the agent could read.
    pub readable: Vec<String>,
    /// The folders that the agent could write to. They were in memory and are gone.
    pub writable: Vec<String>,
    /// The files that were saved after the run.
    pub saved: Vec<String>,
    /// The hosts that the agent could reach.
    pub hosts: Vec<String>,
    /// The hosts that the agent asked for.
    pub connections: Vec<SandboxConnection>,
    /// The limit that ended the run.
    pub exceeded: Option<String>,
}

impl SandboxReceipt {
    /// Adds the receipt of another process of the same agent.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.mechanism = self.mechanism.weaker(other.mechanism);
        self.reason = self.reason.or(other.reason);
        self.exceeded = self.exceeded.or(other.exceeded);
        for connection in other.connections {
            let same =
                |known: &&mut SandboxConnection| (&known.host, known.allowed) == (&connection.host, connection.allowed);
            match self.connections.iter_mut().find(same) {
                Some(known) => {
                    known.count += connection.count;
                    known.sent += connection.sent;
                    known.received += connection.received;
                }
                None => self.connections.push(connection),
            }
        }
        let lists = [
            (&mut self.not_covered, other.not_covered),
            (&mut self.readable, other.readable),
            (&mut self.writable, other.writable),
            (&mut self.saved, other.saved),
            (&mut self.hosts, other.hosts),
        ];
        for (own, more) in lists {
            own.extend(more);
            own.sort();
            own.dedup();
        }
        self
    }

    /// The refused hosts.
    pub fn refused(&self) -> impl Iterator<Item = &str> {
        self.connections.iter().filter(|one| !one.allowed).map(|one| one.host.as_str())
    }

    /// The receipt in a few words.
    pub fn summary(&self) -> String {
        let mut words = match (self.mechanism, &self.reason) {
            (SandboxMechanism::Bubblewrap, _) => "bubblewrap".to_owned(),
            (SandboxMechanism::Landlock, Some(reason)) => format!("Landlock and seccomp, {reason}"),
            (SandboxMechanism::Landlock, None) => "Landlock and seccomp".to_owned(),
            (SandboxMechanism::Seatbelt, _) => "sandbox-exec".to_owned(),
            (SandboxMechanism::None, Some(reason)) => format!("none, {reason}"),
            (SandboxMechanism::None, None) => "none".to_owned(),
        };
        let refused: Vec<&str> = self.refused().collect();
        if !refused.is_empty() {
            words += &format!("; refused: {}", refused.join(", "));
        }
        words
    }
}

/// The connections of an agent to one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SandboxConnection {
    /// The name with the port.
    pub host: String,
    /// Whether the host was allowed.
    pub allowed: bool,
    /// The number of connections.
    pub count: u64,
    /// The bytes that the agent sent.
    pub sent: u64,
    /// The bytes that the agent received.
    pub received: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_of_several_processes_are_added() {
        let connection =
            |host: &str, allowed| SandboxConnection { host: host.into(), allowed, count: 1, sent: 2, received: 3 };
        let receipt = |mechanism, hosts: &[(&str, bool)]| SandboxReceipt {
            mechanism,
            connections: hosts.iter().map(|(host, allowed)| connection(host, *allowed)).collect(),
            ..SandboxReceipt::default()
        };
        let one = receipt(SandboxMechanism::Bubblewrap, &[("a:443", true), ("b:443", false)]);
        assert_eq!(one.summary(), "bubblewrap; refused: b:443");
        let two = one.clone().plus(receipt(SandboxMechanism::Bubblewrap, &[("b:443", false), ("c:443", false)]));
        assert_eq!(two.connections[1].count, 2);
        assert_eq!(two.summary(), "bubblewrap; refused: b:443, c:443");
        let reason = Some("bubblewrap is not installed".to_owned());
        let none = SandboxReceipt { reason, ..SandboxReceipt::default() };
        let reason = none.reason.clone();
        let landlock = SandboxReceipt { reason, mechanism: SandboxMechanism::Landlock, ..SandboxReceipt::default() };
        assert_eq!(
            landlock.plus(one.clone()).summary(),
            "Landlock and seccomp, bubblewrap is not installed; refused: b:443"
        );
        assert_eq!(one.plus(none).summary(), "none, bubblewrap is not installed; refused: b:443");
    }
}
