//! The facts as text for an agent: a list of entries, the most useful first.
//!
//! In: masked facts, and the added lines of the files that a prompt has. Out: entries, each of a bounded length.

use std::collections::{BTreeMap, BTreeSet};

use super::types::{Facts, Job, LineState, TestCoverage, TestFailure, ToolFinding};

/// The maximum number of failed tests, of findings of tools, and of logs of failed jobs.
const MAX_FAILURES: usize = 20;
const MAX_FINDINGS: usize = 30;
const MAX_LOGS: usize = 3;
/// The maximum number of places of a failed test.
const MAX_PLACES: usize = 3;
/// The maximum number of lines of a log, and of characters of a line.
const MAX_LOG_LINES: usize = 30;
const MAX_LINE: usize = 300;

/// Returns the facts as entries of a Markdown list. `added` has the added lines of each file of the prompt. Facts about other files are
/// left out, apart from failed tests.
pub fn agent_entries(facts: &Facts, added: &BTreeMap<String, BTreeSet<u32>>) -> Vec<String> {
    let failures = facts.failures.iter().map(failure);
    let uncovered = facts.coverage.iter().filter_map(|file| coverage(file, added.get(&file.path)?));
    let findings = facts.findings.iter().filter(|finding| is_on_added(finding, added)).map(tool_finding);
    let logs = facts.jobs.iter().filter_map(log);
    pipeline(facts)
        .into_iter()
        .chain(limited(failures, MAX_FAILURES, "failed tests"))
        .chain(uncovered)
        .chain(limited(findings, MAX_FINDINGS, "findings of tools"))
        .chain(limited(logs, MAX_LOGS, "logs of failed jobs"))
        .collect()
}

/// Returns the first entries, and one that counts the others.
fn limited(entries: impl Iterator<Item = String>, most: usize, what: &str) -> Vec<String> {
    let mut all: Vec<String> = entries.collect();
    let more = all.len().saturating_sub(most);
    all.truncate(most);
    if more > 0 {
        all.push(format!("- {more} further {what} are not listed."));
    }
    all
}

fn pipeline(facts: &Facts) -> Option<String> {
    let pipeline = facts.pipeline.as_ref()?;
    let failed: Vec<String> = facts.jobs.iter().filter(|job| is_failed(job)).map(|job| line(&job.name)).collect();
    let jobs = if failed.is_empty() { String::new() } else { format!("; failed jobs: {}", failed.join(", ")) };
    Some(format!("- Pipeline{}: {}{jobs}", stale(pipeline.stale), line(&pipeline.status)))
}

fn failure(one: &TestFailure) -> String {
    let name = [one.suite.as_str(), one.name.as_str()].join(" ");
    let places: Vec<String> =
        one.places.iter().take(MAX_PLACES).map(|place| format!("{}:{}", place.path, place.line)).collect();
    let at = if places.is_empty() { String::new() } else { format!(" at {}", places.join(", ")) };
    format!("- Failed test{}: {}{at}: {}", stale(one.stale), line(&name), line(&one.message))
}

/// Returns the added lines that no test ran, and those of which tests ran only some branches.
fn coverage(file: &TestCoverage, added: &BTreeSet<u32>) -> Option<String> {
    let of = |state| ranges(added.iter().copied().filter(|line| file.state(*line) == Some(state)));
    let (uncovered, partial) = (of(LineState::Uncovered), of(LineState::Partial));
    let parts: Vec<String> = [("added lines that no test ran", uncovered), ("partly tested lines", partial)]
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(what, lines)| format!("{what}: {lines}"))
        .collect();
    (!parts.is_empty()).then(|| format!("- {}{}: {}", file.path, stale(file.stale), parts.join("; ")))
}

/// Joins lines to ranges: `3-5, 9`.
fn ranges(lines: impl Iterator<Item = u32>) -> String {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match all.last_mut() {
            Some((_, end)) if *end + 1 == line => *end = line,
            _ => all.push((line, line)),
        }
    }
    let text = |(start, end): (u32, u32)| if start == end { start.to_string() } else { format!("{start}-{end}") };
    line(&all.into_iter().map(text).collect::<Vec<_>>().join(", "))
}

fn is_on_added(finding: &ToolFinding, added: &BTreeMap<String, BTreeSet<u32>>) -> bool {
    let (from, to) = (finding.line_start, finding.line_end.max(finding.line_start));
    added.get(&finding.path).is_some_and(|lines| lines.range(from..=to).next().is_some())
}

fn tool_finding(one: &ToolFinding) -> String {
    let source: Vec<&str> = [one.tool.as_deref(), one.rule.as_deref()].into_iter().flatten().collect();
    let source = if source.is_empty() { "a tool".to_owned() } else { line(&source.join(" ")) };
    format!("- {}:{} {source}{}: {}", one.path, one.line_start, stale(one.stale), line(&one.message))
}

fn is_failed(job: &Job) -> bool {
    job.status == "failed"
}

fn log(job: &Job) -> Option<String> {
    let log = job.log.as_ref().filter(|log| is_failed(job) && !log.text.is_empty())?;
    let lines: Vec<&str> = log.text.lines().collect();
    let shown = lines[lines.len().saturating_sub(MAX_LOG_LINES)..].iter();
    let shown: Vec<String> =
        shown.map(|line| format!("    {}", line.chars().take(MAX_LINE).collect::<String>())).collect();
    Some(format!("- The end of the log of the failed job {}:\n{}", line(&job.name), shown.join("\n")))
}

fn stale(is_stale: bool) -> &'static str {
    if is_stale { " (stale)" } else { "" }
}

/// Returns a text on one line, shortened.
fn line(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &flat[..end]),
        None => flat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{FileLine, LineRun, LogTail, Pipeline, ToolSeverity};

    fn facts() -> Facts {
        let job = |name: &str, status: &str, log: &str| Job {
            id: 1,
            name: name.to_owned(),
            stage: "test".to_owned(),
            status: status.to_owned(),
            allow_failure: false,
            web_url: None,
            log: Some(LogTail { text: log.to_owned(), shortened: false }),
        };
        let log: String = (1..=100).map(|number| format!("line {number}\n")).collect();
        let finding = |line: u32| ToolFinding {
            tool: Some("clippy".to_owned()),
            rule: Some("unwrap".to_owned()),
            message: "used\nunwrap".to_owned(),
            severity: ToolSeverity::Minor,
            path: "a.rs".to_owned(),
            line_start: line,
            line_end: line,
            stale: line == 4,
            source: 0,
        };
        Facts {
            pipeline: Some(Pipeline {
                id: 7,
                status: "failed".to_owned(),
                commit: "1".to_owned(),
                stale: true,
                web_url: None,
            }),
            jobs: vec![job("lint", "success", "fine"), job("unit", "failed", &log)],
            failures: vec![TestFailure {
                name: "adds".to_owned(),
                suite: "math".to_owned(),
                message: "x".repeat(1000),
                details: "secret details".to_owned(),
                places: vec![FileLine { path: "a.rs".to_owned(), line: 3 }],
                stale: false,
                source: 0,
            }],
            coverage: ["a.rs", "other.rs"]
                .map(|path| TestCoverage {
                    path: path.to_owned(),
                    runs: vec![
                        LineRun { start: 1, end: 4, state: LineState::Uncovered },
                        LineRun { start: 5, end: 6, state: LineState::Partial },
                        LineRun { start: 7, end: 9, state: LineState::Covered },
                    ],
                    stale: false,
                    sources: vec![0],
                })
                .into(),
            findings: vec![finding(4), finding(30)],
            ..Facts::default()
        }
    }

    #[test]
    fn entries_are_about_the_files_of_the_prompt_and_bounded() {
        let added = BTreeMap::from([("a.rs".to_owned(), BTreeSet::from([2, 3, 4, 6, 8]))]);
        let entries = agent_entries(&facts(), &added);
        assert_eq!(entries[0], "- Pipeline (stale): failed; failed jobs: unit");
        assert_eq!(entries[1], format!("- Failed test: math adds at a.rs:3: {}…", "x".repeat(MAX_LINE)));
        assert_eq!(entries[2], "- a.rs: added lines that no test ran: 2-4; partly tested lines: 6");
        assert_eq!(entries[3], "- a.rs:4 clippy unwrap (stale): used unwrap");
        let log = entries[4].strip_prefix("- The end of the log of the failed job unit:\n").expect("the log");
        assert_eq!((log.lines().count(), log.lines().next()), (MAX_LOG_LINES, Some("    line 71")));
        assert_eq!(entries.len(), 5, "{entries:?}");
    }

    #[test]
    fn entries_above_the_limit_are_counted() {
        let mut facts = facts();
        facts.failures = vec![facts.failures[0].clone(); MAX_FAILURES + 3];
        let entries = agent_entries(&facts, &BTreeMap::new());
        assert_eq!(entries.iter().filter(|entry| entry.starts_with("- Failed test:")).count(), MAX_FAILURES);
        assert!(entries.contains(&"- 3 further failed tests are not listed.".to_owned()), "{entries:?}");
    }
}
