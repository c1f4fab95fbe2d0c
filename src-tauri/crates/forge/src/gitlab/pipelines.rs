//! Reads pipelines: their jobs, test reports, logs and artifacts.

use serde::Deserialize;
use serde_json::Value;

use super::client::{Client, Held, encoded};
use super::error::GitlabError;

/// The maximum size of a test report or an artifact, in bytes.
const MAX_REPORT_BYTES: usize = 32 * 1024 * 1024;

/// A pipeline of a merge request.
#[derive(Clone, Debug, Deserialize)]
pub struct PipelineInfo {
    /// The ID.
    pub id: u64,
    /// The commit that it ran for. For a pipeline of the merged result, this is a merge commit.
    pub sha: String,
    /// `success`, `failed`, `running`, ….
    pub status: String,
    /// The address of its page.
    #[serde(default)]
    pub web_url: Option<String>,
    /// The project that it ran in. For a fork, this may be the fork.
    #[serde(default)]
    pub project_id: Option<u64>,
}

/// A job of a pipeline.
#[derive(Clone, Debug, Deserialize)]
pub struct PipelineJob {
    /// The ID.
    pub id: u64,
    /// The name.
    pub name: String,
    /// The stage.
    #[serde(default)]
    pub stage: String,
    /// `success`, `failed`, `running`, ….
    pub status: String,
    /// Whether the pipeline may succeed if the job fails.
    #[serde(default)]
    pub allow_failure: bool,
    /// The address of its page.
    #[serde(default)]
    pub web_url: Option<String>,
    /// The archive of its artifacts.
    #[serde(default)]
    artifacts_file: Option<Value>,
}

impl PipelineJob {
    /// Returns whether it has an archive of artifacts.
    pub fn has_archive(&self) -> bool {
        self.artifacts_file.as_ref().is_some_and(|file| !file.is_null())
    }
}

impl Client {
    /// Returns the latest pipelines of a merge request, newest first.
    pub async fn pipelines(&self, project: &str, iid: u64) -> Result<Vec<PipelineInfo>, GitlabError> {
        self.get(&Self::request(project, iid, "pipelines?page=1&per_page=20")).await
    }

    /// Returns the jobs of a pipeline.
    pub async fn jobs(&self, project: &str, pipeline: u64) -> Result<Vec<PipelineJob>, GitlabError> {
        self.list(&Self::project(project, &format!("pipelines/{pipeline}/jobs"))).await
    }

    /// Returns the test report of a pipeline, as JSON text.
    pub async fn test_report(&self, project: &str, pipeline: u64) -> Result<Vec<u8>, GitlabError> {
        let path = Self::project(project, &format!("pipelines/{pipeline}/test_report"));
        Ok(self.read_held(&path, Held::Whole(MAX_REPORT_BYTES)).await?.body)
    }

    /// Returns the end of the log of a job: at least `bytes`, if it has as many.
    pub async fn log_end(&self, project: &str, job: u64, bytes: usize) -> Result<Vec<u8>, GitlabError> {
        Ok(self.read_held(&Self::project(project, &format!("jobs/{job}/trace")), Held::End(bytes)).await?.body)
    }

    /// Returns a file of the artifacts of a job, or `None` if there is none.
    pub async fn artifact(&self, project: &str, job: u64, path: &str) -> Result<Option<Vec<u8>>, GitlabError> {
        let name: Vec<String> = path.split('/').map(encoded).collect();
        let path = Self::project(project, &format!("jobs/{job}/artifacts/{}", name.join("/")));
        match self.read_held(&path, Held::Whole(MAX_REPORT_BYTES)).await {
            Ok(answer) => Ok(Some(answer.body)),
            Err(GitlabError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the parents of a commit.
    pub async fn parents(&self, project: &str, commit: &str) -> Result<Vec<String>, GitlabError> {
        let commit: Value =
            self.get(&Self::project(project, &format!("repository/commits/{}", encoded(commit)))).await?;
        let parents = commit["parent_ids"].as_array().into_iter().flatten();
        Ok(parents.filter_map(|id| id.as_str().map(str::to_owned)).collect())
    }
}
