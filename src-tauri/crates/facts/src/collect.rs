//! Collects reports to the facts about a change.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::frames::frames;
use super::paths::{Mapped, Origin, Tree, map};
use super::report::{MAX_FAILURES, MeasuredFile, RawFailure, RawFinding, Report, ReportError, TestReport, add_line};
use super::types::{
    FactSource, Facts, FileLine, LineRun, LineState, SourceKind, TestCounts, TestCoverage, TestFailure, ToolFinding,
};

/// The maximum number of findings of tools.
const MAX_TOOL_FINDINGS: usize = 2_000;
/// The maximum number of notes about ambiguous paths.
const MAX_NOTES: usize = 20;
/// The maximum number of lines that a failed test names.
const MAX_PLACES: usize = 8;

/// A report and its origin.
pub struct ReportSource<'a> {
    /// The name of the source for people.
    pub name: String,
    /// The format.
    pub kind: SourceKind,
    /// The commit that it is about, if that is known.
    pub commit: Option<String>,
    /// Whether the whole report is about another state than the head.
    pub stale: bool,
    /// The place of the report.
    pub origin: Origin,
    /// Returns whether a file of the head is newer than the report.
    pub is_newer: &'a dyn Fn(&str) -> bool,
}

/// The measured lines of a file, and the indices of their sources.
type MergedLines = (BTreeMap<u32, LineState>, BTreeSet<u32>);

/// Collects the facts about a change.
pub struct Collector<'a> {
    tree: &'a Tree<'a>,
    changed: HashSet<String>,
    facts: Facts,
    /// The measured lines by path and by whether the report is stale.
    lines: BTreeMap<(String, bool), MergedLines>,
    ambiguous: BTreeSet<String>,
}

impl<'a> Collector<'a> {
    /// Begins to collect facts about the files `changed` of a head with the files of `tree`.
    pub fn new(tree: &'a Tree<'a>, changed: impl IntoIterator<Item = String>) -> Self {
        Self {
            tree,
            changed: changed.into_iter().collect(),
            facts: Facts::default(),
            lines: BTreeMap::new(),
            ambiguous: BTreeSet::new(),
        }
    }

    /// The facts so far, to set the pipeline and its jobs.
    pub fn facts(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// Adds a source that could not be read.
    pub fn add_problem(&mut self, name: String, problem: String) {
        let source = FactSource { name, kind: SourceKind::Unknown, commit: None, stale: false, problem: Some(problem) };
        self.facts.sources.push(source);
    }

    /// Adds a report, or the reason why it could not be read.
    pub fn add(&mut self, source: ReportSource<'_>, report: Result<Report, ReportError>) {
        let index = u32::try_from(self.facts.sources.len()).unwrap_or(u32::MAX);
        let ReportSource { name, kind, commit, stale, origin, is_newer } = source;
        let problem = report.as_ref().err().map(ToString::to_string);
        self.facts.sources.push(FactSource { name, kind, commit, stale, problem });
        let adding = Adding { index, stale, origin, is_newer };
        match report {
            Ok(Report::Tests(report)) => self.add_tests(&adding, report),
            Ok(Report::Coverage(files)) => self.add_coverage(&adding, files),
            Ok(Report::Findings(findings)) => self.add_findings(&adding, findings),
            Err(_) => {}
        }
    }

    fn add_tests(&mut self, adding: &Adding<'_>, report: TestReport) {
        let TestCounts { passed, failed, skipped } = self.facts.tests.unwrap_or_default();
        self.facts.tests = Some(TestCounts {
            passed: passed.saturating_add(report.counts.passed),
            failed: failed.saturating_add(report.counts.failed),
            skipped: skipped.saturating_add(report.counts.skipped),
        });
        let named: Vec<Vec<(String, u32)>> = report.failures.iter().map(named_lines).collect();
        let names: Vec<Vec<String>> = named.iter().flatten().map(|(path, _)| vec![path.clone()]).collect();
        let mut mapped = map(self.tree, &adding.origin, &names).into_iter();
        for (failure, lines) in report.failures.into_iter().zip(named) {
            let mut places: Vec<FileLine> = Vec::new();
            for (path, line) in lines {
                match mapped.next() {
                    Some(Mapped::One(path)) => {
                        let place = FileLine { path, line };
                        if !places.contains(&place) && places.len() < MAX_PLACES {
                            places.push(place);
                        }
                    }
                    Some(Mapped::Ambiguous(fits)) => self.note_ambiguous(&path, &fits),
                    _ => {}
                }
            }
            own_file_first(&mut places, &failure);
            if self.facts.failures.len() < MAX_FAILURES {
                self.facts.failures.push(TestFailure {
                    name: failure.name,
                    suite: failure.suite,
                    message: failure.message,
                    details: failure.details,
                    stale: adding.stale || places.iter().any(|place| (adding.is_newer)(&place.path)),
                    places,
                    source: adding.index,
                });
            }
        }
    }

    fn add_coverage(&mut self, adding: &Adding<'_>, files: Vec<MeasuredFile>) {
        let (names, lines): (Vec<_>, Vec<_>) = files.into_iter().map(|file| (file.names, file.lines)).unzip();
        for ((mapped, lines), names) in map(self.tree, &adding.origin, &names).into_iter().zip(lines).zip(names) {
            match mapped {
                Mapped::One(path) if self.changed.contains(&path) => {
                    let stale = adding.stale || (adding.is_newer)(&path);
                    let known = self.lines.entry((path, stale)).or_default();
                    for (line, state) in lines {
                        add_line(&mut known.0, line, state);
                    }
                    known.1.insert(adding.index);
                }
                Mapped::Ambiguous(fits) if fits.iter().any(|path| self.changed.contains(path)) => {
                    self.note_ambiguous(names.first().map_or("", String::as_str), &fits);
                }
                _ => {}
            }
        }
    }

    fn add_findings(&mut self, adding: &Adding<'_>, findings: Vec<RawFinding>) {
        let names: Vec<Vec<String>> = findings.iter().map(|finding| vec![finding.path.clone()]).collect();
        let mut left_out = 0;
        for (finding, mapped) in findings.into_iter().zip(map(self.tree, &adding.origin, &names)) {
            match mapped {
                Mapped::One(path) if self.changed.contains(&path) => {
                    if self.facts.findings.len() >= MAX_TOOL_FINDINGS {
                        left_out += 1;
                        continue;
                    }
                    let RawFinding { tool, rule, message, severity, path: _, line_start, line_end } = finding;
                    let stale = adding.stale || (adding.is_newer)(&path);
                    let source = adding.index;
                    let shown =
                        ToolFinding { tool, rule, message, severity, path, line_start, line_end, stale, source };
                    self.facts.findings.push(shown);
                }
                Mapped::Ambiguous(fits) if fits.iter().any(|path| self.changed.contains(path)) => {
                    self.note_ambiguous(&finding.path, &fits);
                }
                _ => {}
            }
        }
        if left_out > 0 {
            self.facts.notes.push(format!("{left_out} more findings of tools are left out"));
        }
    }

    fn note_ambiguous(&mut self, path: &str, fits: &[String]) {
        let shown = fits.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if fits.len() > 4 { ", …" } else { "" };
        self.ambiguous.insert(format!("a report names {path}, which may be any of {shown}{more}"));
    }

    /// Returns the facts. A current report about a file replaces stale ones.
    pub fn finish(mut self) -> Facts {
        let current: HashSet<String> =
            self.lines.keys().filter(|(_, stale)| !stale).map(|(path, _)| path.clone()).collect();
        for ((path, stale), (lines, sources)) in self.lines {
            if stale && current.contains(&path) {
                continue;
            }
            let sources = sources.into_iter().collect();
            self.facts.coverage.push(TestCoverage { path, runs: runs(&lines), stale, sources });
        }
        self.facts.findings.sort_by(|a, b| {
            let key = |one: &ToolFinding| (one.path.clone(), one.line_start, one.line_end);
            key(a).cmp(&key(b)).then_with(|| a.rule.cmp(&b.rule)).then_with(|| a.message.cmp(&b.message))
        });
        // Several reports of one pipeline often have the same finding.
        self.facts.findings.dedup_by(|a, b| {
            (&a.path, a.line_start, a.line_end, &a.rule, &a.message)
                == (&b.path, b.line_start, b.line_end, &b.rule, &b.message)
        });
        let more = self.ambiguous.len().saturating_sub(MAX_NOTES);
        self.facts.notes.extend(self.ambiguous.into_iter().take(MAX_NOTES));
        if more > 0 {
            self.facts.notes.push(format!("{more} more paths of reports fit several files"));
        }
        self.facts
    }
}

/// The source whose report is added.
struct Adding<'a> {
    index: u32,
    stale: bool,
    origin: Origin,
    is_newer: &'a dyn Fn(&str) -> bool,
}

/// Returns the lines that a failure names: those of the report itself, then those of its trace.
fn named_lines(failure: &RawFailure) -> Vec<(String, u32)> {
    let own = failure.file.clone().zip(failure.line);
    let text = format!("{}\n{}", failure.details, failure.message);
    own.into_iter().chain(frames(&text).into_iter().map(|frame| (frame.path, frame.line))).collect()
}

/// Moves the line of the test's own file to the front. The class of a test is the path of its file in several languages.
fn own_file_first(places: &mut [FileLine], failure: &RawFailure) {
    let class = failure.suite.replace(['.', ':', '\\'], "/");
    let file = failure.file.as_deref().map(|file| file.replace('\\', "/"));
    let is_own = |place: &FileLine| {
        let stem = place.path.rsplit_once('.').map_or(place.path.as_str(), |(stem, _)| stem);
        let of_class = !stem.is_empty() && format!("/{class}/").contains(&format!("/{stem}/"));
        let of_file = file.as_deref().is_some_and(|file| {
            let file = file.trim_start_matches("./");
            file == place.path
                || file.ends_with(&format!("/{}", place.path))
                || place.path.ends_with(&format!("/{file}"))
        });
        of_class || of_file || failure.suite == place.path || place.path.ends_with(&format!("/{}", failure.suite))
    };
    if let Some(at) = places.iter().position(is_own) {
        places[..=at].rotate_right(1);
    }
}

fn runs(lines: &BTreeMap<u32, LineState>) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    for (&line, &state) in lines {
        match runs.last_mut() {
            Some(run) if run.state == state && run.end.checked_add(1) == Some(line) => run.end = line,
            _ => runs.push(LineRun { start: line, end: line, state }),
        }
    }
    runs
}
