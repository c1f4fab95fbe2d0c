//! The files that a program reports as opened, by its own events.
//!
//! In: events. Out: paths as the agent wrote them. A report is not proof: an agent can report anything.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::read::{at, first, has_values};
use diffsan_config::OpenRule;

/// The maximum number of reports of one question. Further ones are ignored.
const MAX_REPORTS: usize = 50_000;
/// The maximum length of a reported path in bytes. Longer ones are ignored.
const MAX_PATH_BYTES: usize = 4096;

/// The calls that open files, with their paths.
#[derive(Debug, Default)]
pub(super) struct ReportedFiles(BTreeMap<String, BTreeSet<String>>);

impl ReportedFiles {
    /// Applies every rule that matches an event.
    pub(super) fn event(&mut self, rules: &[OpenRule], event: &Value) {
        for rule in rules.iter().filter(|rule| has_values(event, &rule.when)) {
            let items = match rule.each.as_str() {
                "" => std::slice::from_ref(event),
                each => at(event, each).and_then(Value::as_array).map_or(&[][..], Vec::as_slice),
            };
            for item in items.iter().filter(|item| has_values(item, &rule.item)) {
                let id = at(item, &rule.id).and_then(Value::as_str);
                match (rule.failed, first(item, &rule.path)) {
                    (true, _) => self.failed(id.unwrap_or_default()),
                    (false, Some(path)) => self.opened(id.unwrap_or(&path), &path),
                    (false, None) => {}
                }
            }
        }
    }

    /// Adds a file that a call opens.
    pub(super) fn opened(&mut self, call: &str, path: &str) {
        if self.0.len() < MAX_REPORTS && !path.is_empty() && path.len() <= MAX_PATH_BYTES {
            self.0.entry(call.to_owned()).or_default().insert(path.to_owned());
        }
    }

    /// Removes the files of a call that failed.
    pub(super) fn failed(&mut self, call: &str) {
        self.0.remove(call);
    }

    /// Takes the paths.
    pub(super) fn take(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.0).into_values().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use diffsan_config::{AGENTS, AgentSpec};

    fn reported(agent: &str, events: &[Value]) -> Vec<String> {
        let entries: toml::Table = toml::from_str(AGENTS).expect("the entries");
        let spec: AgentSpec = entries["agents"][agent].clone().try_into().expect("an entry");
        let mut files = ReportedFiles::default();
        events.iter().for_each(|event| files.event(&spec.opens, event));
        files.take().into_iter().collect()
    }

    #[test]
    fn claude_reports_every_read_and_takes_back_failed_ones() {
        let read = |id: &str, path: &str| json!({ "type": "tool_use", "name": "Read", "id": id, "input": { "file_path": path } });
        let search = json!({ "type": "tool_use", "name": "Grep", "id": "3", "input": { "path": "/room" } });
        let calls = [read("1", "/room/a.rs"), read("2", "/room/none.rs"), search];
        let failed = json!({ "type": "tool_result", "tool_use_id": "2", "is_error": true });
        let events = [
            json!({ "type": "assistant", "message": { "content": calls } }),
            json!({ "type": "user", "message": { "content": [failed] } }),
        ];
        assert_eq!(reported("claude", &events), ["/room/a.rs"]);
    }

    #[test]
    fn gemini_and_opencode_report_files_by_their_own_names() {
        let gemini = |id: &str, path: &str| json!({ "type": "tool_use", "tool_name": "read_file", "tool_id": id, "parameters": { "file_path": path } });
        let failed = json!({ "type": "tool_result", "tool_id": "2", "status": "error" });
        assert_eq!(reported("gemini", &[gemini("1", "a.rs"), gemini("2", "b.rs"), failed]), ["a.rs"]);
        let opencode = |path: &str, status: &str| json!({ "type": "tool_use", "part": { "tool": "read", "callID": path, "state": { "status": status, "input": { "filePath": path } } } });
        assert_eq!(
            reported("opencode", &[opencode("/room/a.rs", "completed"), opencode("/x", "error")]),
            ["/room/a.rs"]
        );
    }

    #[test]
    fn reports_are_bounded() {
        let mut files = ReportedFiles::default();
        (0..MAX_REPORTS + 10).for_each(|call| files.opened(&call.to_string(), &call.to_string()));
        files.opened("long", &"x".repeat(MAX_PATH_BYTES + 1));
        assert_eq!(files.take().len(), MAX_REPORTS);
    }
}
