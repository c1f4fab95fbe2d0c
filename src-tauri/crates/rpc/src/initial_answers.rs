//! The answers to the first calls of a page, computed before the page makes them. This saves round trips to the core
//! while the web view starts.

use serde_json::{Value, json};

use super::Server;

impl Server {
    /// Makes the first calls of a page in the page's order. Passes each result to `tell` under its method and
    /// parameters as soon as it is ready. The page itself makes a call whose result it does not find.
    pub async fn early(&self, tell: impl Fn(String, Value)) {
        let ask = async |method: &str, params: Value| {
            let mut request = json!({ "jsonrpc": "2.0", "id": 0, "method": method });
            let mut name = method.to_owned();
            if !params.is_null() {
                name = format!("{name} {params}");
                request["params"] = params;
            }
            let answer: Value = serde_json::from_str(&self.call(request.to_string(), |_| ()).await).ok()?;
            let result = answer.get("result")?;
            tell(name, result.clone());
            Some(result.clone())
        };
        let Some(info) = ask("app.info", Value::Null).await else { return };
        let desk = ask("state.get", json!({ "key": "desk" })).await;
        // The last place as the page saved it: `{"last": {"repo": …, "target": …}}`.
        let desk: Value =
            desk.and_then(|entry| serde_json::from_str(entry.get("value")?.as_str()?).ok()).unwrap_or_default();
        let (start, last) = (&info["start_repo"], &desk["last"]);
        let path = if start.is_null() { &last["repo"] } else { start };
        if path.as_str().is_none_or(str::is_empty) {
            return;
        }
        let Some(repo) = ask("repo.open", json!({ "path": path })).await else { return };
        let same = *path == last["repo"];
        let known = [&info["start_target"], if same { &last["target"] } else { &Value::Null }];
        let known = known.into_iter().find(|target| !target.is_null()).map(|target| (path, target));
        let (repo, target) = known.unwrap_or((&repo["path"], &repo["suggested"]));
        if !target.is_null() {
            ask("change.open", json!({ "repo": repo, "target": target, "since": null, "review_id": null })).await;
        }
    }
}
