//! Collects the receipt of a running agent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diffsan_review::sandbox::{SandboxConnection, SandboxReceipt};

/// The maximum number of hosts that a receipt lists.
const MAX_HOSTS: usize = 100;

/// The receipt of a running agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Record>>);

#[derive(Debug, Default)]
struct Record {
    receipt: SandboxReceipt,
    connections: BTreeMap<(String, bool), SandboxConnection>,
}

impl Recorder {
    pub(crate) fn receipt(&self) -> SandboxReceipt {
        let record = self.lock();
        SandboxReceipt { connections: record.connections.values().cloned().collect(), ..record.receipt.clone() }
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut SandboxReceipt)) {
        change(&mut self.lock().receipt);
    }

    /// Adds to the connections of a host. Of very many hosts, only the first ones are recorded by name.
    pub(super) fn connection(&self, host: &str, allowed: bool, (count, sent, received): (u64, u64, u64)) {
        let connections = &mut self.lock().connections;
        let mut key = (host.to_owned(), allowed);
        if connections.len() >= MAX_HOSTS && !connections.contains_key(&key) {
            key.0 = "other hosts".to_owned();
        }
        let known = connections.entry(key).or_insert_with_key(|(host, _)| SandboxConnection {
            host: host.clone(),
            allowed,
            ..SandboxConnection::default()
        });
        known.count += count;
        known.sent += sent;
        known.received += received;
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
