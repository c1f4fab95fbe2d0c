//! Reads reports of real programs, and hostile ones.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use diffsan_facts::{Collector, Facts, LineState, Origin, ReportSource, Tree, gitlab_test_report, parse};
use expect_test::{Expect, expect};
use proptest::prelude::*;

const TREE: &[&str] = &[
    "shop/__init__.py",
    "shop/cart.py",
    "tests/test_cart.py",
    "web/src/price.js",
    "web/test/price.test.js",
    "web/vt/sum.mjs",
    "web/vt/sum.test.mjs",
    "web/m.test.cjs",
    "web/n.test.mjs",
    "crates/store/src/lib.rs",
    "crates/api/src/main.rs",
];

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../../../tests/fixtures/reports/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a report")
}

/// Returns the facts of a report in a folder, where every file is part of the change.
fn facts(folder: &str, bytes: &[u8]) -> Facts {
    let tree = Tree::new(|| TREE.iter().map(|path| (*path).to_owned()).collect());
    let mut collector = Collector::new(&tree, TREE.iter().map(|path| (*path).to_owned()));
    let (kind, report) = parse(bytes);
    let source = ReportSource {
        name: "report".to_owned(),
        kind,
        commit: None,
        stale: false,
        origin: Origin { folder: Some(folder.to_owned()), roots: Vec::new() },
        is_newer: &|_| false,
    };
    collector.add(source, report);
    collector.finish()
}

fn shown(facts: &Facts) -> String {
    let mut out = Vec::new();
    for source in &facts.sources {
        out.push(format!(
            "{:?}{}",
            source.kind,
            source.problem.as_ref().map_or(String::new(), |why| format!(": {why}"))
        ));
    }
    if let Some(tests) = facts.tests {
        out.push(format!("{} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped));
    }
    for failure in &facts.failures {
        let places: Vec<String> = failure.places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
        let message = failure.message.lines().next().unwrap_or_default();
        out.push(format!("{} | {} | {message} | {}", failure.suite, failure.name, places.join(" ")));
    }
    for file in &facts.coverage {
        let run = |run: &diffsan_facts::LineRun| {
            let sign = match run.state {
                LineState::Covered => '+',
                LineState::Partial => '~',
                LineState::Uncovered => '-',
            };
            format!("{sign}{}-{}", run.start, run.end)
        };
        out.push(format!("{}: {}", file.path, file.runs.iter().map(run).collect::<Vec<_>>().join(" ")));
    }
    for finding in &facts.findings {
        let name = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let (tool, rule) = (name(&finding.tool), name(&finding.rule));
        let (path, start, end) = (&finding.path, finding.line_start, finding.line_end);
        out.push(format!("{path}:{start}-{end} {tool} {rule} {:?} {}", finding.severity, finding.message));
    }
    out.extend(facts.notes.iter().map(|note| format!("note: {note}")));
    out.join("\n")
}

fn check(folder: &str, name: &str, expected: Expect) {
    expected.assert_eq(&shown(&facts(folder, &fixture(name))));
}

#[test]
fn pytest_names_the_line_of_the_test_and_those_of_the_trace() {
    check(
        "",
        "pytest.xml",
        expect![[r#"
        Junit
        1 passed, 5 failed, 1 skipped
        tests.test_cart | test_discount | AssertionError: discount & <tax> | tests/test_cart.py:10
        tests.test_cart | test_refund_rejects[None] | ValueError: no order | tests/test_cart.py:16 shop/cart.py:16
        tests.test_cart | test_refund_rejects[order1] | ValueError: no order | tests/test_cart.py:16 shop/cart.py:16
        tests.test_cart | test_broken_fixture | failed on setup with "RuntimeError: no database" | tests/test_cart.py:26
        tests.test_cart.TestCart | test_add | assert [(1, 1)] == [(1, 2)] | tests/test_cart.py:36"#]],
    );
}

#[test]
fn javascript_runners_name_the_line_of_the_test() {
    check(
        "web",
        "jest.xml",
        expect![[r#"
        Junit
        1 passed, 1 failed, 1 skipped
        price with a rate | price with a rate | Error: expect(received).toBe(expected) // Object.is equality | web/test/price.test.js:8"#]],
    );
    check(
        "web",
        "vitest.xml",
        expect![[r#"
        Junit
        1 passed, 2 failed, 0 skipped
        vt/sum.test.mjs | sum > fails <here> | expected 3 to be 4 // Object.is equality | web/vt/sum.test.mjs:7
        vt/sum.test.mjs | sum > throws | boom & more | web/vt/sum.test.mjs:10"#]],
    );
    check(
        "web",
        "mocha.xml",
        expect![[r#"
        Junit
        1 passed, 1 failed, 0 skipped
        fails | mocha fails | Expected values to be strictly equal:  1 !== 2 | web/m.test.cjs:2"#]],
    );
    check(
        "web",
        "node-test.xml",
        expect![[r#"
        Junit
        1 passed, 1 failed, 0 skipped
        test | fails | 1 == 2 | web/n.test.mjs:2"#]],
    );
}

#[test]
fn nextest_names_the_line_of_the_panic() {
    check(
        "crates/store/target/nextest/ci",
        "nextest.xml",
        expect![[r#"
        Junit
        1 passed, 1 failed, 0 skipped
        fixture-shop | tests::fails | thread 'tests::fails' (14191) panicked at src/lib.rs:16:9 | crates/store/src/lib.rs:16 crates/store/src/lib.rs:15"#]],
    );
}

#[test]
fn coverage_of_python_is_the_same_in_both_formats() {
    check(
        "",
        "coverage-py.xml",
        expect![[r#"
        Cobertura
        shop/__init__.py: 
        shop/cart.py: +2-2 +5-8 +10-11 +14-14 ~15-15 +16-16 -17-17 +20-22 +24-26"#]],
    );
    check(
        "",
        "coverage-py.lcov",
        expect![[r#"
        Lcov
        shop/__init__.py: 
        shop/cart.py: +2-2 +5-8 +10-11 +14-14 ~15-15 +16-16 -17-17 +20-22 +24-26"#]],
    );
}

#[test]
fn coverage_of_javascript_is_mapped_below_the_folder_of_the_package() {
    check(
        "web/coverage",
        "istanbul.lcov",
        expect![[r#"
        Lcov
        web/src/price.js: +2-3 +5-6 -10-10 +13-13"#]],
    );
    check(
        "reports",
        "istanbul-cobertura.xml",
        expect![[r#"
        Cobertura
        web/src/price.js: +2-3 +5-6 -10-10 +13-13"#]],
    );
    check(
        "web/coverage",
        "vitest-v8.lcov",
        expect![[r#"
        Lcov
        web/vt/sum.mjs: +1-4 -5-6"#]],
    );
    check(
        "",
        "vitest-v8-cobertura.xml",
        expect![[r#"
        Cobertura
        web/vt/sum.mjs: +1-4 -5-6"#]],
    );
    check(
        "web",
        "c8.lcov",
        expect![[r#"
        Lcov
        web/src/price.js: +1-1 ~2-2 -3-4 +5-8 -9-11 +12-13"#]],
    );
}

#[test]
fn findings_of_linters_are_at_their_lines() {
    check(
        "",
        "ruff-codequality.json",
        expect![[r#"
        CodeQuality
        shop/__init__.py:1-1 - D104 Major D104: Missing docstring in public package
        shop/cart.py:2-2 - F401 Major F401: `os` imported but unused
        shop/cart.py:5-5 - D103 Major D103: Missing docstring in public function
        shop/cart.py:14-14 - D103 Major D103: Missing docstring in public function
        shop/cart.py:20-20 - D101 Major D101: Missing docstring in public class
        shop/cart.py:21-21 - D107 Major D107: Missing docstring in `__init__`
        shop/cart.py:24-24 - D102 Major D102: Missing docstring in public method"#]],
    );
    check(
        "",
        "ruff.sarif",
        expect![[r#"
        Sarif
        shop/cart.py:2-2 ruff F401 Critical `os` imported but unused
        tests/test_cart.py:6-6 ruff S101 Critical Use of `assert` detected
        tests/test_cart.py:10-10 ruff S101 Critical Use of `assert` detected
        tests/test_cart.py:21-21 ruff S101 Critical Use of `assert` detected
        tests/test_cart.py:30-30 ruff S101 Critical Use of `assert` detected
        tests/test_cart.py:36-36 ruff S101 Critical Use of `assert` detected"#]],
    );
    check(
        "",
        "eslint-codequality.json",
        expect![[r#"
        CodeQuality
        web/src/price.js:13-13 - no-undef Minor 'module' is not defined.
        web/test/price.test.js:1-1 - no-undef Minor 'require' is not defined.
        web/test/price.test.js:3-3 - no-undef Minor 'describe' is not defined.
        web/test/price.test.js:4-4 - no-undef Minor 'test' is not defined.
        web/test/price.test.js:5-5 - no-undef Minor 'expect' is not defined.
        web/test/price.test.js:7-7 - no-undef Minor 'test' is not defined.
        web/test/price.test.js:8-8 - no-undef Minor 'expect' is not defined.
        web/test/price.test.js:10-10 - no-undef Minor 'test' is not defined."#]],
    );
    check(
        "",
        "eslint.sarif",
        expect![[r#"
        Sarif
        web/src/price.js:13-13 ESLint no-undef Major 'module' is not defined.
        web/test/price.test.js:1-1 ESLint no-undef Major 'require' is not defined.
        web/test/price.test.js:3-3 ESLint no-undef Major 'describe' is not defined.
        web/test/price.test.js:4-4 ESLint no-undef Major 'test' is not defined.
        web/test/price.test.js:5-5 ESLint no-undef Major 'expect' is not defined.
        web/test/price.test.js:7-7 ESLint no-undef Major 'test' is not defined.
        web/test/price.test.js:8-8 ESLint no-undef Major 'expect' is not defined.
        web/test/price.test.js:10-10 ESLint no-undef Major 'test' is not defined."#]],
    );
}

#[test]
fn the_test_report_of_gitlab_is_read() {
    let answer = serde_json::json!({
        "success_count": 3, "failed_count": 1, "error_count": 0, "skipped_count": 1,
        "test_suites": [{ "name": "unit", "test_cases": [
            { "status": "success", "name": "ok" },
            { "status": "failed", "name": "adds", "classname": "tests.test_cart",
              "system_output": "E assert 1 == 2\n\ntests/test_cart.py:7: AssertionError", "stack_trace": null },
        ] }],
    });
    let tree = Tree::new(|| TREE.iter().map(|path| (*path).to_owned()).collect());
    let mut collector = Collector::new(&tree, []);
    let source = ReportSource {
        name: "pipeline 1".to_owned(),
        kind: diffsan_facts::SourceKind::GitlabTests,
        commit: None,
        stale: true,
        origin: Origin::default(),
        is_newer: &|_| false,
    };
    collector.add(source, gitlab_test_report(answer.to_string().as_bytes()));
    let facts = collector.finish();
    assert!(facts.failures[0].stale);
    expect![[r#"
        GitlabTests
        3 passed, 1 failed, 1 skipped
        tests.test_cart | adds | E assert 1 == 2 | tests/test_cart.py:7"#]]
    .assert_eq(&shown(&facts));
}

#[test]
fn a_broken_or_hostile_report_has_a_reason() {
    let nested = format!("<testsuites>{}", "<a>".repeat(1_000));
    let bomb = "<!DOCTYPE a [<!ENTITY x \"y\"><!ENTITY z SYSTEM \"file:///etc/passwd\">]>\
        <testsuite name=\"s\"><testcase name=\"&x;&z;\"><failure message=\"&z;\">&x; &z; &#0; &lt;</failure></testcase></testsuite>";
    let clover = "<coverage clover=\"3\"><project><metrics/></project></coverage>";
    for (text, expected) in [
        ("", expect!["Unknown: it is not a JUnit, Cobertura, LCOV, code quality or SARIF report"]),
        (
            "<html><body></body></html>",
            expect!["Unknown: it is not a JUnit, Cobertura, LCOV, code quality or SARIF report"],
        ),
        (
            "<testsuite><testcase></testsuite>",
            expect![
                "Junit: it is not valid XML: ill-formed document: expected `</testcase>`, but `</testsuite>` was found"
            ],
        ),
        ("<testsuite><testcase>", expect!["Junit: it is not valid XML: it ends inside an element"]),
        (&nested, expect!["Junit: it has more than 200 nested elements"]),
        (
            bomb,
            expect![[r#"
            Junit
            0 passed, 1 failed, 0 skipped
            s | &x;&z; | &z; | "#]],
        ),
        (clover, expect!["Cobertura: it is not a JUnit, Cobertura, LCOV, code quality or SARIF report"]),
        (
            "[{\"location\":",
            expect!["CodeQuality: it is not valid code quality JSON: EOF while parsing a value at line 1 column 13"],
        ),
        (
            "[1]",
            expect![
                "CodeQuality: it is not valid code quality JSON: invalid type: integer `1`, expected struct Issue at line 1 column 2"
            ],
        ),
        (
            "{\"runs\": 1}",
            expect!["Sarif: it is not valid SARIF: invalid type: integer `1`, expected a sequence at line 1 column 10"],
        ),
        (
            "TN:\nSF:shop/cart.py\nDA:x,1\nDA:0,1\nDA:4294967296,1\nDA:3,-1\nDA:7\nBRDA:3\nDA:9,2,abc\n",
            expect![[r#"
            Lcov
            shop/cart.py: -3-3 +9-9"#]],
        ),
    ] {
        expected.assert_eq(&shown(&facts("", text.as_bytes())));
    }
    assert!(shown(&facts("", b"<testsuite>\xff</testsuite>")).contains("not UTF-8"));
}

proptest! {
    /// A report of any bytes ends without a panic.
    #[test]
    fn any_bytes_are_read(start in prop::sample::select(vec!["", "<coverage>", "<testsuite><testcase>", "TN:\nSF:a\n", "[", "{"]),
                          bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut all = start.as_bytes().to_vec();
        all.extend(bytes);
        let _ = facts("", &all);
    }
}
