//! The answers to the first calls of a page, computed before the page makes them. This saves round trips to the core
//! while the web view starts.
//!
//! The page saves a list of its next first calls. This module does not know the page's other saved state.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;

/// The key of the page's entry with its first calls, which is a JSON list of [`Call`].
const FIRST_CALLS: &str = "first_calls";

/// A call that the page makes at its start.
#[derive(Deserialize)]
struct Call {
    method: String,
    #[serde(default)]
    params: Value,
}

impl Call {
    fn new(method: &str, params: Value) -> Self {
        Self { method: method.to_owned(), params }
    }

    /// Whether the call names another repository than this one.
    fn is_for_another(&self, repo: &Value) -> bool {
        ["path", "repo"].iter().any(|field| self.params.get(field).is_some_and(|named| named != repo))
    }
}

impl Server {
    /// Makes the first calls of a page in the page's order. Passes each result to `notify` under its method and
    /// parameters as soon as it is ready. The page itself makes a call whose result it does not find.
    pub async fn initial_answers(&self, notify: impl Fn(String, Value)) {
        let ask = async |call: &Call| {
            let result = self.result_of(call).await?;
            let name =
                if call.params.is_null() { call.method.clone() } else { format!("{} {}", call.method, call.params) };
            notify(name, result.clone());
            Some(result)
        };
        let Some(info) = ask(&Call::new("app.info", Value::Null)).await else { return };
        let (start, start_target) = (&info["start_repo"], &info["start_target"]);
        let (mut repo, mut change) = (None, None);
        for call in self.saved_calls().await {
            // A repository and a target of the command line replace the saved ones.
            let is_change = call.method == "change.open";
            if !start.is_null() && (call.is_for_another(start) || is_change && !start_target.is_null()) {
                continue;
            }
            let result = ask(&call).await;
            match call.method.as_str() {
                "repo.open" => repo = result,
                "change.open" => change = result,
                _ => {}
            }
        }
        if start.is_null() || change.is_some() {
            return;
        }
        if repo.is_none() {
            repo = ask(&Call::new("repo.open", json!({ "path": start }))).await;
        }
        let Some(repo) = repo else { return };
        let (path, target) =
            if start_target.is_null() { (&repo["path"], &repo["suggested"]) } else { (start, start_target) };
        if !target.is_null() {
            let params = json!({ "repo": path, "target": target, "since": null, "review_id": null });
            ask(&Call::new("change.open", params)).await;
        }
    }

    /// Returns the result of a call. None if it fails.
    async fn result_of(&self, call: &Call) -> Option<Value> {
        let mut request = json!({ "jsonrpc": "2.0", "id": 0, "method": call.method });
        if !call.params.is_null() {
            request["params"] = call.params.clone();
        }
        let answer: Value = serde_json::from_str(&self.call(request.to_string(), |_| ()).await.text).ok()?;
        answer.get("result").cloned()
    }

    /// Returns the calls that the page saved. Empty before its first start, and for a list in another format.
    async fn saved_calls(&self) -> Vec<Call> {
        let entry = self.result_of(&Call::new("state.get", json!({ "key": FIRST_CALLS }))).await;
        let saved = entry.as_ref().and_then(|entry| entry.get("value")?.as_str());
        saved.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}
