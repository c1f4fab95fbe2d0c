use super::*;
use crate::finding::{Category, Severity};

fn finding(path: &str, body: &str, quote: Option<&str>) -> AgentFinding {
    AgentFinding {
        finding_id: None,
        severity: Severity::Low,
        category: Category::Correctness,
        path: path.into(),
        line_start: 1,
        line_end: 1,
        title: None,
        body_markdown: body.into(),
        side: None,
        quote: quote.map(str::to_owned),
        confidence: None,
        suggested_patch: None,
    }
}

/// Checks a finding in the first file of the code against the lines of the code.
fn check_in(body: &str, quote: Option<&str>, code: &[(&str, u32, &str)]) -> (Verdict, Vec<Claim>) {
    let path = code.first().map_or("a.ts", |(path, _, _)| *path);
    let finding = finding(path, body, quote);
    let state = if quote.is_some() { AnchorState::Verified } else { AnchorState::Unverified };
    let anchor = Anchor {
        state,
        path: path.into(),
        side: Side::New,
        line_start: Some(1),
        line_end: Some(1),
        in_change: true,
        notes: Vec::new(),
    };
    let mut places = Occurrences::new();
    for symbol in symbols(std::iter::once(&finding)) {
        let found = code.iter().filter(|(_, _, text)| text.contains(&symbol));
        let found =
            found.map(|(path, line, text)| Evidence { path: (*path).into(), line: *line, text: (*text).into() });
        let found = found.collect();
        places.insert(symbol, found);
    }
    check(&finding, &anchor, &places, true)
}

fn checked(body: &str, code: &[(&str, u32, &str)]) -> (Verdict, Option<u32>) {
    let (_, claims) = check_in(body, None, code);
    claims
        .first()
        .map_or((Verdict::Unchecked, None), |claim| (claim.verdict, claim.evidence.as_ref().map(|place| place.line)))
}

const DEFINE: (&str, u32, &str) = ("a.rs", 1, "fn refund(order: Order) {");

#[test]
fn the_absence_of_calls_proves_nothing() {
    let prose = ("docs/release.md", 3, "Call refund before the release.");
    assert_eq!(checked("`refund` is never called.", &[DEFINE, prose]).0, Verdict::Unchecked, "it may be a command");
    assert_eq!(checked("`refund` is never called.", &[]).0, Verdict::Unchecked);
}

#[test]
fn a_call_contradicts_never_called() {
    let import = ("b.rs", 1, "use crate::a::refund;");
    let call = ("b.rs", 9, "    refund(order);");
    assert_eq!(checked("`refund()` is never called.", &[DEFINE, import, call]), (Verdict::Contradicted, Some(9)));
    for text in ["    let refund = a::refund(order);", "    return a::refund();"] {
        assert_eq!(
            checked("`refund` is never called.", &[DEFINE, ("b.rs", 9, text)]),
            (Verdict::Contradicted, Some(9)),
            "{text}"
        );
    }
    for other in [
        ("b.rs", 9, "    manifest.refund(order);"),
        ("b.rs", 9, "    log(\"refund(order)\");"),
        ("b.rs", 9, "  // refund(order) comes later"),
        ("b.rs", 9, "    call refund(order) later"),
        ("b.py", 9, "    refund(order)"),
        ("tests/b.rs", 9, "    a::refund(order);"),
        ("a.rs", 3, "    refund(order.rest);"),
        ("b.rs", 9, "fn refund(other: Other) {"),
    ] {
        assert_eq!(checked("`refund` is never called.", &[DEFINE, import, other]).0, Verdict::Unchecked, "{other:?}");
    }
    assert_eq!(checked("`refund` is never called.", &[DEFINE, call]).0, Verdict::Unchecked, "without an import");
    let push = [("a.rs", 5, "    pub fn push(&mut self) {"), ("b.rs", 9, "    manifest.push(1);")];
    assert_eq!(checked("`ReviewQueue::push` is never called.", &push).0, Verdict::Unchecked);
}

#[test]
fn prose_and_imports_of_other_files_do_not_contradict_unused() {
    let local = ("a.rs", 4, "    let result = run();");
    let prose = ("docs/release.md", 9, "Check the result of the build.");
    assert_eq!(checked("The local variable `result` is unused.", &[local, prose]), (Verdict::Verified, Some(4)));
    let import = ("a.py", 1, "from models import Order");
    let other = ("b.py", 1, "from models import Order");
    assert_eq!(checked("Unused import `Order`.", &[import]), (Verdict::Verified, Some(1)));
    assert_eq!(checked("Unused import `Order`.", &[import, other]).0, Verdict::Unchecked);
    let trait_ = ("a.rs", 1, "use std::io::Order;");
    assert_eq!(checked("Unused import `Order`.", &[trait_]).0, Verdict::Unchecked, "a trait is used without its name");
    assert_eq!(checked("`Order` is imported but never used.", &[import]), (Verdict::Verified, Some(1)));
}

#[test]
fn a_type_in_a_signature_of_its_file_contradicts_unused() {
    let define = ("a.ts", 1, "export interface Outcome {");
    let unused = "The type `Outcome` is never used.";
    assert_eq!(checked(unused, &[define, ("a.ts", 9, "): Promise<Outcome> {")]), (Verdict::Contradicted, Some(9)));
    for other in [
        ("b.ts", 9, "): Promise<Outcome> {"),
        ("a.ts", 9, "): Promise<OutcomeList> {"),
        ("a.ts", 3, "  next: Outcome;"),
        ("a.ts", 9, "const text = 'a: Outcome';"),
        ("a.ts", 9, "// Returns: Outcome"),
        ("a.ts", 9, "export type Outcome = string;"),
    ] {
        assert_eq!(checked(unused, &[define, other]).0, Verdict::Unchecked, "{other:?}");
    }
}

#[test]
fn only_an_import_that_binds_the_name_contradicts_not_imported() {
    for (path, text) in [
        ("a.go", "\t\"bytes\""),
        ("a.py", "import bytes"),
        ("a.py", "from x import y as bytes"),
        ("a.rs", "use std::bytes;"),
        ("a.ts", "import { a, type bytes } from './b';"),
        ("a.java", "import java.util.bytes;"),
    ] {
        let found = checked("`bytes` is not imported.", &[(path, 3, text), (path, 9, "x(bytes)")]);
        assert_eq!(found, (Verdict::Contradicted, Some(3)), "{text}");
    }
    for (path, text) in [
        ("a.py", "import bytes as b"),
        ("a.py", "from bytes import x"),
        ("a.ts", "import { bytes as b } from './b';"),
        ("a.ts", "export { bytes } from './b';"),
        ("a.rs", "use bytes::Buf;"),
        ("a.go", "\t\"example.com/bytes\""),
    ] {
        assert_eq!(checked("`bytes` is not imported.", &[(path, 3, text)]).0, Verdict::Unchecked, "{text}");
    }
    let elsewhere = [("a.py", 9, "total(x)"), ("b.py", 1, "from m import total")];
    assert_eq!(checked("Missing import for `total`.", &elsewhere).0, Verdict::Unchecked);
}

#[test]
fn undefined_is_contradicted_at_the_top_level_only() {
    let outside = [("a.py", 3, "def total(items):")];
    assert_eq!(checked("`total` is undefined.", &outside), (Verdict::Contradicted, Some(3)));
    let inside = [("a.py", 3, "    def total(items):"), ("a.py", 9, "total(x)")];
    assert_eq!(checked("`total` is undefined.", &inside).0, Verdict::Unchecked);
    let value = [("a.ts", 3, "const total = read();")];
    assert_eq!(checked("`total` is undefined.", &value).0, Verdict::Unchecked, "a value, not a definition");
}

#[test]
fn a_function_that_the_head_only_calls_is_undefined() {
    let call = ("a.rs", 3, "    start();");
    assert_eq!(checked("`start` is undefined.", &[call]), (Verdict::Verified, Some(3)));
    for other in [
        ("b.rs", 1, "fn start() {}"),
        ("b.rs", 1, "use crate::c::start;"),
        ("b.rs", 1, "    let start = || 1;"),
        ("b.c", 1, "void start() {}"),
    ] {
        assert_eq!(checked("`start` is undefined.", &[call, other]).0, Verdict::Unchecked, "{other:?}");
    }
    assert_eq!(
        checked("`start` is undefined.", &[("a.py", 3, "    start()")]).0,
        Verdict::Unchecked,
        "it may be built in"
    );
}

#[test]
fn claims_with_a_scope_or_condition_are_left_alone() {
    let call = ("b.rs", 9, "    refund(order);");
    for body in [
        "`refund` is never called by the tests.",
        "`refund` is unused in this file.",
        "`refund` is never called if the item is empty.",
        "Make sure that `refund` is not called twice.",
        "`refund` is not unused.",
        "`refund` could be unused.",
        "Is `refund` unused after this change?",
        "`refund` seems to be unused.",
        "In the error path `refund` is never called.",
        "On Windows, `refund` is not defined.",
        "`refund` is never called anywhere else.",
        "`refund` is never called, except by the scheduler.",
    ] {
        for code in [&[DEFINE][..], &[DEFINE, call][..]] {
            let (verdict, claims) = check_in(body, Some("fn refund"), code);
            assert_eq!(verdict, Verdict::Unchecked, "{body}");
            let others = claims.iter().filter(|claim| claim.claim != "the quoted code is there");
            let decided =
                others.filter(|claim| !claim.claim.ends_with("is there") && claim.verdict != Verdict::Unchecked);
            assert_eq!(decided.count(), 0, "{body}: {claims:?}");
        }
    }
}

#[test]
fn a_quote_or_name_does_not_verify_a_claim() {
    let use_ = [("a.rs", 1, "fn refund(order: Order) {"), ("b.rs", 2, "hook(refund);")];
    assert_eq!(check_in("`refund` is unused.", Some("fn refund"), &use_).0, Verdict::Unchecked);
    assert_eq!(check_in("The import is never used, see `refund`.", Some("fn refund"), &use_).0, Verdict::Unchecked);
    assert_eq!(check_in("`refund` divides by zero.", Some("fn refund"), &use_).0, Verdict::Verified);
    assert_eq!(check_in("`refund` divides by zero.", None, &use_).0, Verdict::Unchecked);
}

#[test]
fn existing_names_are_listed_and_others_are_not() {
    let code = [("b.ts", 4, "class Mailer {")];
    let (_, claims) = check_in("Use `Mailer` and `makeMailer` here.\n```\n`Other`\n```", None, &code);
    let claims: Vec<_> = claims.into_iter().map(|one| (one.claim, one.verdict)).collect();
    assert_eq!(claims, [("`Mailer` is there".to_owned(), Verdict::Verified)]);
}
