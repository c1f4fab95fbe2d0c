//! JUnit XML, in the forms that pytest, jest, vitest, mocha, Node, nextest, gotestsum, Surefire and others write.

use super::report::{
    MAX_DETAILS_BYTES, MAX_FAILURES, MAX_MESSAGE_BYTES, RawFailure, ReportError, TestReport, boundary, shortened,
};
use super::xml::{Element, Node, XmlReader};

/// Reads a report.
pub(crate) fn read(text: &str) -> Result<TestReport, ReportError> {
    let mut reader = XmlReader::new(text);
    let mut report = TestReport::default();
    let mut suites: Vec<Element> = Vec::new();
    let mut case: Option<Case> = None;
    while let Some(node) = reader.next()? {
        match node {
            Node::Start(element) => match (element.name.as_str(), &mut case) {
                ("testsuite" | "testsuites", None) => suites.push(element),
                ("testcase", None) => case = Some(Case::new(element)),
                (name @ ("failure" | "error" | "skipped"), Some(case)) => case.begin(name, &element),
                (_, Some(case)) => case.depth += 1,
                _ => {}
            },
            Node::Text(text) => {
                if let Some(case) = &mut case {
                    case.add_text(&text);
                }
            }
            Node::End(name) => match (name.as_str(), &mut case) {
                ("testsuite" | "testsuites", None) => drop(suites.pop()),
                ("testcase", Some(_)) => {
                    if let Some(done) = case.take() {
                        done.end(&suites, &mut report);
                    }
                }
                ("failure" | "error" | "skipped", Some(case)) => case.inside = false,
                (_, Some(case)) => case.depth = case.depth.saturating_sub(1),
                _ => {}
            },
        }
    }
    Ok(report)
}

/// A test while it is read.
struct Case {
    element: Element,
    failed: bool,
    skipped: bool,
    message: String,
    details: String,
    /// Whether the reader is inside a failure.
    inside: bool,
    /// The number of other open elements, such as the output of the test.
    depth: usize,
}

impl Case {
    fn new(element: Element) -> Self {
        let (message, details) = (String::new(), String::new());
        Self { element, failed: false, skipped: false, message, details, inside: false, depth: 0 }
    }

    fn begin(&mut self, name: &str, element: &Element) {
        if name == "skipped" {
            self.skipped = true;
            return;
        }
        // A test can fail again while it is cleaned up. The first failure has the reason.
        if !self.failed {
            self.message = element.text("message");
        }
        self.inside = !self.failed;
        self.failed = true;
    }

    fn add_text(&mut self, text: &str) {
        let room = MAX_DETAILS_BYTES.saturating_sub(self.details.len());
        if self.inside && self.depth == 0 && room > 0 {
            self.details.push_str(&text[..boundary(text, room)]);
        }
    }

    fn end(self, suites: &[Element], report: &mut TestReport) {
        let counts = &mut report.counts;
        match (self.failed, self.skipped) {
            (true, _) => counts.failed = counts.failed.saturating_add(1),
            (false, true) => counts.skipped = counts.skipped.saturating_add(1),
            (false, false) => counts.passed = counts.passed.saturating_add(1),
        }
        if !self.failed || report.failures.len() >= MAX_FAILURES {
            return;
        }
        let suite = suites.last();
        let class = self.element.get("classname").filter(|class| !class.is_empty());
        let file = self.element.get("file").or_else(|| suite?.get("file")).filter(|file| !file.is_empty());
        let details = self.details.trim_matches(['\n', '\r']).trim_end();
        let message = match self.message.trim() {
            "" => details.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default(),
            message => message,
        };
        report.failures.push(RawFailure {
            name: shortened(&self.element.text("name"), MAX_MESSAGE_BYTES),
            suite: shortened(class.or_else(|| suite?.get("name")).unwrap_or_default(), MAX_MESSAGE_BYTES),
            message: shortened(message, MAX_MESSAGE_BYTES),
            details: details.to_owned(),
            file: file.map(str::to_owned),
            line: self.element.number("line"),
        });
    }
}
