//! The pipeline of a merge request in GitLab CI, read from the predefined variables.

use diffsan_config::{Layer, Origin, parse_layer};
use diffsan_pipeline::error::{Error, ErrorCode, Result};

/// The merge request of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// The address of the merge request.
    pub merge_request: String,
    /// The address of the GitLab server, including its base path.
    base: String,
    /// The file with the runner's certificates, if it has any.
    ca_file: Option<String>,
}

impl Pipeline {
    /// Reads the pipeline from the variables.
    pub fn find(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let get = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let missing = |what: &str| {
            Error::new(ErrorCode::ConfigParseError, format!("This is not a merge request pipeline: {what} is not set."))
                .hint(
                    "Run the job with `rules: - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"`; in other \
                 pipelines, name the merge request with --mr.",
                )
        };
        let iid = get("CI_MERGE_REQUEST_IID").ok_or_else(|| missing("CI_MERGE_REQUEST_IID"))?;
        let project = get("CI_MERGE_REQUEST_PROJECT_PATH")
            .or_else(|| get("CI_PROJECT_PATH"))
            .ok_or_else(|| missing("CI_MERGE_REQUEST_PROJECT_PATH"))?;
        // The address of the API includes the base path of the GitLab server. The server's address is the fallback.
        let base = get("CI_API_V4_URL")
            .and_then(|url| url.trim_end_matches('/').strip_suffix("/api/v4").map(str::to_owned))
            .or_else(|| get("CI_SERVER_URL"))
            .ok_or_else(|| missing("CI_API_V4_URL"))?;
        Ok(Self {
            merge_request: format!("{base}/{project}/-/merge_requests/{iid}"),
            base,
            ca_file: get("CI_SERVER_TLS_CA_FILE"),
        })
    }

    /// Returns the settings that follow from the pipeline: the token is for this GitLab server.
    pub fn layers(&self) -> Result<Vec<Layer>> {
        let mut text = format!("gitlab.base_url = {:?}\n", self.base);
        if let Some(file) = &self.ca_file {
            text += &format!("gitlab.ca_file = {file:?}\n");
        }
        let layer = parse_layer(Origin::Environment, &text)
            .map_err(|error| Error::new(ErrorCode::ConfigParseError, error.to_string()))?;
        Ok(vec![layer])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_read_from_its_variables() {
        let all = [
            ("CI_API_V4_URL", "https://h/tools/api/v4"),
            ("CI_SERVER_URL", "https://h"),
            ("CI_PROJECT_PATH", "fork/project"),
            ("CI_MERGE_REQUEST_PROJECT_PATH", "group/project"),
            ("CI_MERGE_REQUEST_IID", "7"),
        ];
        let find = |name: &str| all.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let pipeline = Pipeline::find(find).expect("a pipeline");
        assert_eq!(pipeline.merge_request, "https://h/tools/group/project/-/merge_requests/7");
        let error = Pipeline::find(|name| find(name).filter(|_| name != "CI_MERGE_REQUEST_IID")).expect_err("none");
        assert!(error.message.contains("CI_MERGE_REQUEST_IID"), "{error}");
    }
}
