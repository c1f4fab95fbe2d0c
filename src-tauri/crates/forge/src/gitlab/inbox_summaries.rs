//! Reads the changed lines and approvals of all merge requests that concern the user with a few GraphQL requests. REST has no lines, and
//! needs a request for the approvals of each merge request.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::client::{Client, MAX_PAGES};
use super::error::GitlabError;

/// The lists of the user, which are read together.
const LISTS: [&str; 3] = ["reviewRequestedMergeRequests", "assignedMergeRequests", "authoredMergeRequests"];

/// The parts of a summary that a server's schema has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryFields {
    /// Whether it has the changed lines and who approved. Without them, there is no summary.
    pub basic: bool,
    /// Whether it has the number of missing approvals, which editions without approval rules lack.
    pub approvals_left: bool,
}

/// The changed lines and approvals of a merge request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSummary {
    /// The path of the project.
    pub project: String,
    /// The number in the project.
    pub iid: u64,
    /// The numbers of added and removed lines, if GitLab has computed them.
    pub lines: Option<[u64; 2]>,
    /// The user names of those who approved.
    pub approved_by: Vec<String>,
    /// The number of missing approvals, if the schema has it.
    pub approvals_left: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Connection {
    nodes: Vec<Node>,
    page_info: PageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    /// A text in GraphQL.
    iid: String,
    project: Project,
    diff_stats_summary: Option<Lines>,
    approved_by: Users,
    #[serde(default)]
    approvals_left: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project {
    full_path: String,
}

#[derive(Deserialize)]
struct Lines {
    additions: u64,
    deletions: u64,
}

#[derive(Deserialize)]
struct Users {
    nodes: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    username: String,
}

impl Client {
    /// Returns the parts of a summary that the server's schema has.
    pub async fn summary_fields(&self) -> Result<SummaryFields, GitlabError> {
        let query = "query { __type(name: \"MergeRequest\") { fields { name } } }";
        let data = self.query(query, &json!({})).await?;
        let fields = data["__type"]["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        let has = |name: &str| fields.iter().any(|field| field["name"] == name);
        Ok(SummaryFields { basic: has("diffStatsSummary") && has("approvedBy"), approvals_left: has("approvalsLeft") })
    }

    /// Returns the summaries of all open merge requests in the lists of the user.
    pub async fn inbox_summaries(&self, fields: SummaryFields) -> Result<Vec<RequestSummary>, GitlabError> {
        let mut open: Vec<(&str, Option<String>)> = LISTS.iter().map(|list| (*list, None)).collect();
        let mut found: Vec<RequestSummary> = Vec::new();
        for _ in 0..MAX_PAGES {
            let data = self.query(&document(fields, &open), &json!({})).await?;
            let mut next = Vec::new();
            for (list, _) in open {
                let connection: Connection = serde_json::from_value(data["currentUser"][list].clone())
                    .map_err(|error| GitlabError::Unreadable(error.to_string()))?;
                found.extend(connection.nodes.into_iter().filter_map(summary));
                if let (true, Some(cursor)) = (connection.page_info.has_next_page, connection.page_info.end_cursor) {
                    next.push((list, Some(cursor)));
                }
            }
            if next.is_empty() {
                return Ok(found);
            }
            open = next;
        }
        Err(GitlabError::Unreadable("the list has too many pages".to_owned()))
    }

    /// Executes a GraphQL query. GitLab reports its failures with the status 200.
    async fn query(&self, query: &str, variables: &Value) -> Result<Value, GitlabError> {
        let body = json!({ "query": query, "variables": variables });
        let mut answer: Value = self.write(reqwest::Method::POST, "../graphql", &body).await?;
        match answer["errors"].as_array().and_then(|errors| errors.first()) {
            None => Ok(answer["data"].take()),
            Some(error) => {
                let message = error["message"].as_str().unwrap_or("GitLab gave no reason").to_owned();
                Err(GitlabError::Refused { status: 200, message })
            }
        }
    }
}

/// Returns the query for the next page of each list.
fn document(fields: SummaryFields, open: &[(&str, Option<String>)]) -> String {
    let left = if fields.approvals_left { " approvalsLeft" } else { "" };
    let list = |(name, after): &(&str, Option<String>)| {
        // A cursor is a text of the server, so it is quoted as JSON, whose strings are also strings of GraphQL.
        let after = after.as_ref().map(|cursor| format!(", after: {}", Value::from(cursor.as_str())));
        format!(
            "{name}(state: opened, first: 100{}) {{ nodes {{ iid project {{ fullPath }} diffStatsSummary {{ additions deletions }} \
             approvedBy {{ nodes {{ username }} }}{left} }} pageInfo {{ hasNextPage endCursor }} }}",
            after.unwrap_or_default()
        )
    };
    format!("query {{ currentUser {{ {} }} }}", open.iter().map(list).collect::<Vec<_>>().join(" "))
}

fn summary(node: Node) -> Option<RequestSummary> {
    Some(RequestSummary {
        project: node.project.full_path,
        iid: node.iid.parse().ok()?,
        lines: node.diff_stats_summary.map(|lines| [lines.additions, lines.deletions]),
        approved_by: node.approved_by.nodes.into_iter().map(|user| user.username).collect(),
        approvals_left: node.approvals_left,
    })
}
