//! Writing. Nothing here is ever repeated: whoever writes looks for what landed before writing again.

use reqwest::Method;
use serde_json::{Value, json};

use super::Position;
use super::client::Client;
use super::error::GitlabError;
use super::types::{Discussion, Draft, Note};

impl Client {
    /// Posts a plain comment.
    pub async fn post_note(&self, project: &str, iid: u64, body: &str) -> Result<Note, GitlabError> {
        let body = json!({ "body": body });
        self.write(Method::POST, &Self::request(project, iid, "notes"), &body).await
    }

    /// Replaces the text of a plain comment.
    pub async fn edit_note(&self, project: &str, iid: u64, note: u64, body: &str) -> Result<Note, GitlabError> {
        let body = json!({ "body": body });
        self.write(Method::PUT, &Self::request(project, iid, &format!("notes/{note}")), &body).await
    }

    /// Posts a thread at a place.
    pub async fn post_discussion(
        &self,
        project: &str,
        iid: u64,
        body: &str,
        position: &Position,
    ) -> Result<Discussion, GitlabError> {
        let body = json!({ "body": body, "position": position });
        self.write(Method::POST, &Self::request(project, iid, "discussions"), &body).await
    }

    /// Takes a comment back; one that is gone already is well.
    pub async fn delete_note(&self, project: &str, iid: u64, note: u64) -> Result<(), GitlabError> {
        self.delete(&Self::request(project, iid, &format!("notes/{note}"))).await
    }

    /// Answers in a thread.
    pub async fn reply(&self, project: &str, iid: u64, discussion: &str, body: &str) -> Result<Note, GitlabError> {
        let path = Self::request(project, iid, &format!("discussions/{discussion}/notes"));
        self.write(Method::POST, &path, &json!({ "body": body })).await
    }

    /// Resolves a thread, or opens it again.
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

    /// Approves what the head is: GitLab refuses where it moved on.
    pub async fn approve(&self, project: &str, iid: u64, head: &str) -> Result<(), GitlabError> {
        let _: Value =
            self.write(Method::POST, &Self::request(project, iid, "approve"), &json!({ "sha": head })).await?;
        Ok(())
    }

    /// Takes the approval back.
    pub async fn unapprove(&self, project: &str, iid: u64) -> Result<(), GitlabError> {
        let _: Value = self.write(Method::POST, &Self::request(project, iid, "unapprove"), &json!({})).await?;
        Ok(())
    }

    /// A comment that nobody else sees yet.
    pub async fn draft(&self, project: &str, iid: u64, body: &str, position: &Position) -> Result<Draft, GitlabError> {
        let body = json!({ "note": body, "position": position });
        self.write(Method::POST, &Self::request(project, iid, "draft_notes"), &body).await
    }

    /// Takes a draft back; one that is gone already is well.
    pub async fn delete_draft(&self, project: &str, iid: u64, draft: u64) -> Result<(), GitlabError> {
        self.delete(&Self::request(project, iid, &format!("draft_notes/{draft}"))).await
    }

    /// Publishes one draft.
    pub async fn publish_draft(&self, project: &str, iid: u64, draft: u64) -> Result<(), GitlabError> {
        let path = Self::request(project, iid, &format!("draft_notes/{draft}/publish"));
        let _: Value = self.write(Method::PUT, &path, &json!({})).await?;
        Ok(())
    }

    /// Publishes every draft of the token's user, with a summary where the version knows that.
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
