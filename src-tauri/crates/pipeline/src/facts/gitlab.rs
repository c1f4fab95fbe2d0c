//! Reads the pipeline of a merge request from GitLab: jobs, failed tests, the ends of logs, and reports among the artifacts.

use std::path::Path;

use crate::blocking;
use crate::open::{GitlabAccess, OpenChange};
use diffsan_facts::{
    Collector, Job, MAX_LOG_BYTES, Origin, Pipeline, ReportSource, SourceKind, gitlab_test_report, log_tail, parse,
};
use diffsan_forge::gitlab::{Client, GitlabError, PipelineInfo, PipelineJob};

/// The maximum number of jobs that are listed.
const MAX_JOBS: usize = 200;
/// The maximum number of failed jobs whose logs are read.
const MAX_LOGS: usize = 5;
/// The maximum number of requests for artifacts.
const MAX_ARTIFACTS: usize = 60;
/// The size of the end of a log that is read, in bytes. Escape sequences are removed from it.
const LOG_BYTES: usize = 8 * MAX_LOG_BYTES;
/// The folder in which runners of GitLab put a project, unless they are configured otherwise.
const BUILDS: &str = "/builds";

/// The reports of a pipeline as GitLab returned them.
pub(super) struct PipelineReports {
    pipeline: Option<Pipeline>,
    jobs: Vec<Job>,
    /// Whether the lines of its reports may differ from those of the head.
    other_lines: bool,
    project: String,
    tests: Option<Result<Vec<u8>, String>>,
    /// The job and path of each artifact, with its content.
    artifacts: Vec<(String, String, Vec<u8>)>,
    problems: Vec<(String, String)>,
    notes: Vec<String>,
}

/// Reads the pipeline of the head, or the latest one if there is none. An error says why nothing could be read.
pub(super) async fn read(
    opened: &OpenChange,
    access: GitlabAccess,
    base: &str,
    project: &str,
    iid: u64,
) -> Result<PipelineReports, String> {
    let host = base.to_owned();
    let client = blocking(move || access.client(&host)).await.map_err(|error| error.message)?;
    let head = opened.change.head.clone().unwrap_or_default();
    let mut reports = PipelineReports {
        pipeline: None,
        jobs: Vec::new(),
        other_lines: false,
        project: project.to_owned(),
        tests: None,
        artifacts: Vec::new(),
        problems: Vec::new(),
        notes: Vec::new(),
    };
    let pipelines = client.pipelines(project, iid).await.map_err(|error| error.to_string())?;
    let Some((found, relation)) = choose(&client, project, &pipelines, &head).await else {
        reports.notes.push("the merge request has no pipeline".to_owned());
        return Ok(reports);
    };
    // The pipeline of a fork runs in the fork.
    let runs_in = found.project_id.map_or_else(|| project.to_owned(), |id| id.to_string());
    reports.other_lines = relation != Relation::Head;
    match relation {
        Relation::Head => {}
        Relation::MergedResult => reports.notes.push(
            "the pipeline ran for the head merged into the target branch, so the lines of its reports may differ"
                .into(),
        ),
        Relation::Other => {
            let short = |id: &str| id.chars().take(10).collect::<String>();
            reports.notes.push(format!("the head has no pipeline; the latest one ran for {}", short(&found.sha)));
        }
    }
    reports.pipeline = Some(Pipeline {
        id: found.id,
        status: found.status.clone(),
        commit: found.sha.clone(),
        stale: relation == Relation::Other,
        web_url: found.web_url.clone(),
    });
    let (jobs, tests) = tokio::join!(client.jobs(&runs_in, found.id), client.test_report(&runs_in, found.id));
    reports.tests = Some(tests.map_err(|error| error.to_string()));
    match jobs {
        Ok(jobs) => reports.read_jobs(&client, &runs_in, jobs, &opened.settings.config.facts.artifacts).await,
        Err(error) => reports.problems.push(("jobs".to_owned(), error.to_string())),
    }
    Ok(reports)
}

/// The relation of a pipeline to the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Head,
    /// It ran for a commit that merges the head into the target branch.
    MergedResult,
    Other,
}

/// Returns the pipeline of the head, or else the latest one.
async fn choose(
    client: &Client,
    project: &str,
    pipelines: &[PipelineInfo],
    head: &str,
) -> Option<(PipelineInfo, Relation)> {
    if let Some(exact) = pipelines.iter().find(|one| one.sha == head) {
        return Some((exact.clone(), Relation::Head));
    }
    let latest = pipelines.first()?;
    let parents = client.parents(project, &latest.sha).await.unwrap_or_default();
    let merged = parents.len() > 1 && parents.iter().any(|parent| parent == head);
    Some((latest.clone(), if merged { Relation::MergedResult } else { Relation::Other }))
}

impl PipelineReports {
    async fn read_jobs(&mut self, client: &Client, project: &str, jobs: Vec<PipelineJob>, paths: &[String]) {
        if jobs.len() > MAX_JOBS {
            self.notes.push(format!("the pipeline has {} jobs; {MAX_JOBS} are listed", jobs.len()));
        }
        let failed = jobs.iter().filter(|job| job.status == "failed");
        // Jobs that may fail come last.
        let mut logged: Vec<&PipelineJob> = failed.collect();
        logged.sort_by_key(|job| job.allow_failure);
        logged.truncate(MAX_LOGS);
        let logs = futures::future::join_all(logged.iter().map(|job| client.log_end(project, job.id, LOG_BYTES))).await;
        let mut ends: Vec<(u64, Result<Vec<u8>, GitlabError>)> = logged.iter().map(|job| job.id).zip(logs).collect();
        for job in jobs.iter().take(MAX_JOBS) {
            let at = ends.iter().position(|(id, _)| *id == job.id);
            let log = match at.map(|at| ends.swap_remove(at).1) {
                Some(Ok(bytes)) => Some(log_tail(&bytes)).filter(|log| !log.text.is_empty()),
                Some(Err(error)) => {
                    self.problems.push((format!("log of {}", job.name), error.to_string()));
                    None
                }
                None => None,
            };
            self.jobs.push(Job {
                id: job.id,
                name: job.name.clone(),
                stage: job.stage.clone(),
                status: job.status.clone(),
                allow_failure: job.allow_failure,
                web_url: job.web_url.clone(),
                log,
            });
        }
        self.read_artifacts(client, project, &jobs, paths).await;
    }

    async fn read_artifacts(&mut self, client: &Client, project: &str, jobs: &[PipelineJob], paths: &[String]) {
        let with_archive = jobs.iter().filter(|job| job.has_archive());
        let wanted: Vec<(&PipelineJob, &String)> = with_archive
            .flat_map(|job| paths.iter().map(move |path| (job, path)))
            .filter(|(_, path)| is_plain(path))
            .collect();
        if wanted.len() > MAX_ARTIFACTS {
            self.notes
                .push(format!("the artifacts of some jobs are not searched for reports ({MAX_ARTIFACTS} requests)"));
        }
        // One job at a time, so that a server is not flooded.
        for chunk in wanted[..wanted.len().min(MAX_ARTIFACTS)].chunks(paths.len().clamp(1, 8)) {
            let read = chunk.iter().map(|(job, path)| client.artifact(project, job.id, path));
            for ((job, path), read) in chunk.iter().zip(futures::future::join_all(read).await) {
                match read {
                    Ok(Some(bytes)) => self.artifacts.push((job.name.clone(), (*path).clone(), bytes)),
                    Ok(None) => {}
                    Err(error) => {
                        self.problems.push((format!("artifacts of {}", job.name), error.to_string()));
                        return;
                    }
                }
            }
        }
    }

    /// Adds the reports to the facts.
    pub(super) fn add_to(self, collector: &mut Collector<'_>, opened: &OpenChange) {
        let commit = self.pipeline.as_ref().map(|pipeline| pipeline.commit.clone());
        let id = self.pipeline.as_ref().map(|pipeline| pipeline.id).unwrap_or_default();
        let mut roots = vec![format!("{BUILDS}/{}", self.project)];
        roots.extend(opened.root.as_deref().and_then(Path::to_str).map(str::to_owned));
        let facts = collector.facts();
        facts.pipeline = self.pipeline;
        facts.jobs = self.jobs;
        facts.notes.extend(self.notes);
        let stale = self.other_lines;
        let source = |name: String, kind, folder: Option<String>| ReportSource {
            name,
            kind,
            commit: commit.clone(),
            stale,
            origin: Origin { folder, roots: roots.clone() },
            is_newer: &|_| false,
        };
        match self.tests {
            Some(Ok(bytes)) => {
                let name = format!("tests of pipeline {id}");
                collector.add(source(name, SourceKind::GitlabTests, Some(String::new())), gitlab_test_report(&bytes));
            }
            Some(Err(problem)) => collector.add_problem(format!("tests of pipeline {id}"), problem),
            None => {}
        }
        for (job, path, bytes) in self.artifacts {
            let (kind, report) = parse(&bytes);
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            collector.add(source(format!("{job}: {path}"), kind, Some(folder)), report);
        }
        for (name, problem) in self.problems {
            collector.add_problem(name, problem);
        }
    }
}

/// Returns whether a path names one file inside the artifacts.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && !path.contains('*') && path.split('/').all(|part| part != "..")
}
