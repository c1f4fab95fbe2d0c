//! Write requests. They are never retried; the caller checks which writes succeeded before it writes again.

use reqwest::Method;
use serde_json::{Value, json};

use super::client::Client;
use super::error::GitlabError;
use super::types::{Discussion, Draft, Note};
use super::{Position, RangeForm};

impl Client {
    /// Posts a comment without a position.
    pub async fn post_note(&self, project: &str, iid: u64, body: &str) -> Result<Note, GitlabError> {
        let body = json!({ "body": body });
        self.write(Method::POST, &Self::request(project, iid, "notes"), &body).await
    }

    /// Replaces the text of a comment.
    pub async fn edit_note(&self, project: &str, iid: u64, note: u64, body: &str) -> Result<Note, GitlabError> {
        let body = json!({ "body": body });
        self.write(Method::PUT, &Self::request(project, iid, &format!("notes/{note}")), &body).await
    }

    /// Starts a thread at a position.
    pub async fn post_discussion(
        &self,
        project: &str,
        iid: u64,
        body: &str,
        position: &Position,
        form: RangeForm,
    ) -> Result<Discussion, GitlabError> {
        let body = json!({ "body": body, "position": position.to_json(form) });
        self.write(Method::POST, &Self::request(project, iid, "discussions"), &body).await
    }

    /// Deletes a comment. Succeeds if the comment no longer exists.
    pub async fn delete_note(&self, project: &str, iid: u64, note: u64) -> Result<(), GitlabError> {
        self.delete(&Self::request(project, iid, &format!("notes/{note}"))).await
    }

    /// Posts a reply to a thread.
    pub async fn reply(&self, project: &str, iid: u64, discussion: &str, body: &str) -> Result<Note, GitlabError> {
        let path = Self::request(project, iid, &format!("discussions/{discussion}/notes"));
        self.write(Method::POST, &path, &json!({ "body": body })).await
    }

    /// Resolves or reopens a thread.
    pub async fn resolve(
        &self,
        project: &str,
        iid: u64,
        discussion: &str,
        resolved: bool,
    ) -> Result<Discussion, GitlabError> {
        let path = Self::request(project, iid, &format!("discussions/{discussion}"));
        self.write(Method::PUT, &path, &json!({ "resolved": resolved })).await
    }

    /// Approves a merge request at this head. GitLab refuses if the head has changed.
    pub async fn approve(&self, project: &str, iid: u64, head: &str) -> Result<(), GitlabError> {
        let _: Value =
            self.write(Method::POST, &Self::request(project, iid, "approve"), &json!({ "sha": head })).await?;
        Ok(())
    }

    /// Withdraws the approval.
    pub async fn unapprove(&self, project: &str, iid: u64) -> Result<(), GitlabError> {
        let _: Value = self.write(Method::POST, &Self::request(project, iid, "unapprove"), &json!({})).await?;
        Ok(())
    }

    /// Requests changes. Only an assigned reviewer can do that; for others, GitLab fails but adds a system note.
    pub async fn request_changes(&self, project: &str, iid: u64) -> Result<(), GitlabError> {
        let mutation = "mutation($input: MergeRequestRequestChangesInput!) { \
                        mergeRequestRequestChanges(input: $input) { errors } }";
        // The number of a merge request is text in GraphQL.
        let input = json!({ "projectPath": project, "iid": iid.to_string() });
        self.mutate(mutation, &json!({ "input": input })).await
    }

    /// Creates a draft, which only its author sees.
    pub async fn draft(
        &self,
        project: &str,
        iid: u64,
        body: &str,
        position: &Position,
        form: RangeForm,
    ) -> Result<Draft, GitlabError> {
        let body = json!({ "note": body, "position": position.to_json(form) });
        self.write(Method::POST, &Self::request(project, iid, "draft_notes"), &body).await
    }

    /// Deletes a draft. Succeeds if the draft no longer exists.
    pub async fn delete_draft(&self, project: &str, iid: u64, draft: u64) -> Result<(), GitlabError> {
        self.delete(&Self::request(project, iid, &format!("draft_notes/{draft}"))).await
    }

    /// Publishes one draft.
    pub async fn publish_draft(&self, project: &str, iid: u64, draft: u64) -> Result<(), GitlabError> {
        let path = Self::request(project, iid, &format!("draft_notes/{draft}/publish"));
        let _: Value = self.write(Method::PUT, &path, &json!({})).await?;
        Ok(())
    }

    /// Publishes all drafts of the token's user, with a summary if the version of GitLab supports that.
    pub async fn publish_all(&self, project: &str, iid: u64, summary: Option<&str>) -> Result<(), GitlabError> {
        let body = summary.map_or_else(|| json!({}), |summary| json!({ "note": summary }));
        let path = Self::request(project, iid, "draft_notes/bulk_publish");
        let _: Value = self.write(Method::POST, &path, &body).await?;
        Ok(())
    }

    async fn delete(&self, path: &str) -> Result<(), GitlabError> {
        match self.write::<Value>(Method::DELETE, path, &Value::Null).await {
            Ok(_) | Err(GitlabError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
