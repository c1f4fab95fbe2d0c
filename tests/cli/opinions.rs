//! Second opinions of scripted agents: some refute what is right, defend what is wrong, answer nothing or change their minds.

use diffsan_test_support::model_server::ModelServer;
use diffsan_test_support::repo::TestRepo;
use serde_json::{Value, json};

use crate::support::{Installation, read, read_json};

const SECRET: &str = "geheim-4711-x";

struct Case {
    installation: Installation,
    repo: TestRepo,
    reviewer: ModelServer,
    sceptic: ModelServer,
    _runtime: tokio::runtime::Runtime,
}

impl Case {
    /// Creates a case with two endpoints: `one` reviews, and `two` gives second opinions.
    fn new(opinions: &[Value]) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let review = says(&json!({ "summary_markdown": "Two problems.", "findings": findings() }).to_string());
        let start = |turns: &[Value]| runtime.block_on(ModelServer::start(json!({ "turns": turns })));
        let (reviewer, sceptic) = (start(&vec![review; 9]), start(opinions));
        let mut installation = Installation::new().with("DIFFSAN_AGENT__MAX_RETRIES", "0");
        for (name, title, server) in [("one", "Reviewer", &reviewer), ("two", "Sceptic", &sceptic)] {
            installation = installation.with_titled_endpoint(name, title, &server.url());
        }
        let installation = installation.with("DIFFSAN_REVIEW__VERIFY_AGENT", "two");
        let repo = TestRepo::new();
        repo.write("cart.py", "def total(items):\n    return 0\n");
        repo.write(
            "shop.py",
            format!("from cart import total\n\ndef pay(items):\n    password = \"{SECRET}\"; total(items)\n"),
        );
        repo.commit("base");
        repo.write("cart.py", CART);
        Self { installation, repo, reviewer, sceptic, _runtime: runtime }
    }

    /// Reviews the change, and returns the review.
    fn review(&self, more: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    fn run(&self, more: &[&str]) -> crate::support::Ran {
        let args = [&["review", "--agent", "one"], more].concat();
        self.installation.run(self.repo.path(), &args)
    }

    /// Returns the text of the prompt with this index that the second agent got.
    fn prompt(&self, index: usize) -> String {
        let requests = self.sceptic.requests();
        requests[index].body["messages"][0]["content"].as_str().expect("a prompt").to_owned()
    }
}

const CART: &str = "def total(items):\n    if not items:\n        return 0\n    return sum(items) / len(items)\n";

fn says(text: &str) -> Value {
    json!({ "text": text, "usage": { "input": 100, "output": 10, "cached": 0 } })
}

/// A right finding of high severity, and a wrong one of medium severity.
fn findings() -> Value {
    let one = |severity: &str, line: u32, title: &str, quote: &str| {
        json!({ "severity": severity, "category": "correctness", "path": "cart.py", "line_start": line, "line_end": line,
                "title": title, "body_markdown": format!("{title}."), "quote": quote })
    };
    json!([
        one("high", 4, "The total is an average", "return sum(items) / len(items)"),
        one("medium", 4, "An empty list divides by zero", "len(items)"),
    ])
}

/// Returns the keys of the findings of a review: the right one, and the wrong one.
fn keys(review: &Value) -> [String; 2] {
    [0, 1].map(|at| review["findings"][at]["key"].as_str().expect("a key").to_owned())
}

fn opinion(key: &str, verdict: &str, line: u32, quote: &str) -> Value {
    json!({ "finding": key, "verdict": verdict, "reason": format!("It {verdict}."),
            "evidence": [{ "path": "cart.py", "line_start": line, "line_end": line, "quote": quote }] })
}

fn opinions(all: &[Value]) -> Value {
    says(&json!({ "opinions": all }).to_string())
}

/// Returns the verdicts of a review with the answered ones, in the order of the findings.
fn verdicts(review: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = review["second_opinion"]["opinions"].as_array().cloned().unwrap_or_default();
    let of = |key: &String| all.iter().find(|one| one["finding"] == **key);
    keys(review).iter().filter_map(of).map(|one| (text(&one["verdict"]), text(&one["answered"]))).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
}

/// Returns the keys that the findings of the case have.
fn known_keys() -> [String; 2] {
    keys(&Case::new(&[]).review(&[]))
}

const GUARD: (u32, &str) = (2, "if not items:");
const AVERAGE: (u32, &str) = (4, "return sum(items) / len(items)");

#[test]
fn a_verdict_needs_code_that_is_there() {
    let [right, wrong] = known_keys();
    let answer = opinions(&[
        opinion(&right, "holds", AVERAGE.0, AVERAGE.1),
        opinion(&wrong, "refuted", 99, GUARD.1),
        opinion("0000000000000000", "refuted", GUARD.0, GUARD.1),
    ]);
    let case = Case::new(&[answer]);
    let review = case.review(&["--verify", "all"]);
    assert_eq!(verdicts(&review), pairs(&[("holds", "holds"), ("refuted", "refuted")]));
    assert_eq!(review["findings"].as_array().expect("findings").len(), 2, "nothing is removed");
    let given = &review["second_opinion"];
    assert_eq!(given["opinions"].as_array().expect("opinions").len(), 2, "one on another finding is ignored");
    assert_eq!(given["opinions"][1]["evidence"][0]["line_start"], 2, "it is at its real line");
    assert_eq!(given["token_usage"], json!({ "input": 100, "cached_input": 0, "output": 10 }));
    let invented = [
        opinion(&right, "refuted", 4, "return sum(items)  # checked"),
        json!({ "finding": wrong, "verdict": "holds", "reason": "I am sure.", "evidence": [] }),
    ];
    let case = Case::new(&[opinions(&invented)]);
    assert_eq!(verdicts(&case.review(&["--verify", "all"])), pairs(&[("unsure", "refuted"), ("unsure", "holds")]));
}

#[test]
fn an_agent_that_refutes_what_is_right_and_defends_what_is_wrong_removes_nothing() {
    let [right, wrong] = known_keys();
    let answer =
        opinions(&[opinion(&right, "refuted", GUARD.0, GUARD.1), opinion(&wrong, "holds", AVERAGE.0, AVERAGE.1)]);
    let case = Case::new(&[answer]);
    let review = case.review(&["--verify", "all"]);
    assert_eq!(verdicts(&review), pairs(&[("refuted", "refuted"), ("holds", "holds")]));
    let titles: Vec<_> = review["findings"].as_array().expect("findings").iter().map(|one| &one["title"]).collect();
    assert_eq!(titles, ["The total is an average", "An empty list divides by zero"]);
    assert_eq!(review["findings"][0]["severity"], "high");
    case.installation.assert_replayed(case.repo.path());
}

#[test]
fn an_empty_or_invalid_answer_leaves_the_review_as_it_is_and_says_so() {
    let case = Case::new(&[opinions(&[])]);
    let review = case.review(&["--verify", "all"]);
    assert_eq!((verdicts(&review).len(), &review["second_opinion"]["unanswered"]), (0, &json!(2)));
    let case = Case::new(&vec![says(""); 5]);
    let review = case.review(&["--verify", "all"]);
    let given = &review["second_opinion"];
    assert!(given["error"].as_str().is_some_and(|error| error.contains("Sceptic")), "{given}");
    assert_eq!((verdicts(&review).len(), &given["unanswered"]), (0, &json!(2)));
    let text = Case::new(&vec![json!({ "status": 401, "error": "bad key" }); 3]).run(&["--verify", "all"]);
    assert_eq!(text.code, 0, "the review is there: {text:?}");
    assert!(
        text.stdout.contains("warning: There is no second opinion on some findings. Sceptic is not signed in"),
        "{text:?}"
    );
}

#[test]
fn an_agent_that_contradicts_itself_is_unsure() {
    let [right, _] = known_keys();
    let answer =
        opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1), opinion(&right, "refuted", AVERAGE.0, AVERAGE.1)]);
    let review = Case::new(&[answer]).review(&["--verify", "high"]);
    assert_eq!(verdicts(&review), pairs(&[("unsure", "unsure")]));
    assert_eq!(review["second_opinion"]["opinions"][0]["reason"], "It holds. / It refuted.");
}

#[test]
fn an_invalid_answer_is_repaired() {
    let [right, _] = known_keys();
    let broken = says(&json!({ "opinions": [{ "finding": right, "verdict": "maybe" }] }).to_string());
    let good = opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1)]);
    let case = Case::new(&[broken, good]);
    let review = case.review(&["--verify", "high", "--set", "agents.two.structured=false"]);
    assert_eq!(verdicts(&review), pairs(&[("holds", "holds")]));
    let repair = case.prompt(1);
    assert!(repair.contains("opinions.0.verdict: expected one of holds, refuted, unsure"), "{repair}");
}

#[test]
fn the_prompt_has_the_claim_the_code_its_callers_and_the_checks_masked() {
    let case = Case::new(&[opinions(&[])]);
    let finding = json!({ "severity": "high", "category": "correctness", "path": "cart.py", "line_start": 1, "line_end": 1,
        "title": "`total` is never called", "body_markdown": "`total` is never called.", "quote": "def total(items):" });
    let answer = says(&json!({ "summary_markdown": "x", "findings": [finding] }).to_string());
    case.reviewer.play(json!({ "turns": [answer] }));
    let review = case.review(&["--verify", "high"]);
    let key = review["findings"][0]["key"].as_str().expect("a key");
    let prompt = case.prompt(0);
    let (_, fenced) = prompt.split_once(&format!("## Finding {key}\n\n<<<untrusted-")).expect("the finding is fenced");
    let (inside, _) = fenced.split_once("\n>>>untrusted-").expect("the fence ends");
    for text in [
        "Place: cart.py, line 1 after the change",
        "`total` is never called.",
        "Checks without a model:",
        "- `total` is never called: contradicted at shop.py:4:",
        "     4      return sum(items) / len(items)",
        "+    return sum(items) / len(items)",
        "Calls of `total`:\n- shop.py:4 in `pay`: password = \"[REDACTED:",
    ] {
        assert!(inside.contains(text), "{text}:\n{inside}");
    }
    assert!(!prompt.contains(SECRET) && prompt.contains("Be sceptical"), "{prompt}");
}

#[test]
fn the_severity_and_the_limits_decide_which_findings_are_sent() {
    let [right, _] = known_keys();
    let high = opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1)]);
    let case = Case::new(std::slice::from_ref(&high));
    let review = case.review(&["--verify", "high"]);
    assert!(case.prompt(0).contains("The total is an average") && !case.prompt(0).contains("divides by zero"));
    assert_eq!(review["second_opinion"]["unanswered"], 0);

    let case = Case::new(std::slice::from_ref(&high));
    let more = ["--verify", "all", "--set", "review.max_verify_chars=10", "--set", "review.max_verify_prompts=1"];
    let review = case.review(&more);
    assert_eq!(case.sceptic.requests().len(), 1);
    assert_eq!((&review["second_opinion"]["left_out"], verdicts(&review).len()), (&json!(1), 1));

    let case = Case::new(&[high, opinions(&[])]);
    let review = case.review(&["--verify", "all", "--set", "review.max_verify_chars=10"]);
    assert_eq!((case.sceptic.requests().len(), &review["second_opinion"]["left_out"]), (2, &json!(0)));

    let case = Case::new(&[]);
    assert!(case.review(&["--verify", "off"])["second_opinion"].is_null());
    assert!(case.review(&["--anyway"])["second_opinion"].is_null(), "it is off by default");
    assert!(case.sceptic.requests().is_empty());
}

#[test]
fn without_an_agent_of_its_own_the_reviewer_is_asked() {
    let mut case = Case::new(&[]);
    case.installation =
        case.installation.without("DIFFSAN_REVIEW__VERIFY_AGENT").with("DIFFSAN_REVIEW__VERIFY", "high");
    let [right, _] = known_keys();
    let review = says(&json!({ "summary_markdown": "x", "findings": findings() }).to_string());
    let answer = opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1)]);
    case.reviewer.play(json!({ "turns": [review, answer] }));
    let review = case.review(&[]);
    assert_eq!(review["second_opinion"]["opinions"][0]["agent"], "one");
    assert!(case.sceptic.requests().is_empty());
}

#[test]
fn a_refutation_is_remembered_with_its_code_and_told_to_later_rounds() {
    let [right, wrong] = known_keys();
    let first =
        opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1), opinion(&wrong, "refuted", GUARD.0, GUARD.1)]);
    // The second answer is asked for only about the finding that was not refuted.
    let second = opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1)]);
    let case = Case::new(&[first, second]);
    case.review(&["--verify", "all"]);
    let again = case.review(&["--verify", "all"]);
    let sent = case.reviewer.requests()[1].body.to_string();
    assert!(
        sent.contains("finding, refuted by a second opinion (It refuted.): cart.py:4 [medium] An empty list"),
        "{sent}"
    );
    assert!(!case.prompt(1).contains("divides by zero"), "it is not asked again");
    assert_eq!(verdicts(&again), pairs(&[("holds", "holds"), ("refuted", "refuted")]));
    let remembered: Vec<_> = again["second_opinion"]["opinions"]
        .as_array()
        .expect("opinions")
        .iter()
        .filter(|one| one["remembered"] == true)
        .map(|one| one["finding"].as_str().expect("a key").to_owned())
        .collect();
    assert_eq!(remembered, [wrong]);

    // The code changes: the refutation says nothing about it.
    case.repo.write("cart.py", "def total(items):\n    return sum(items) // len(items)\n");
    let changed = case.review(&[]);
    let sent = case.reviewer.requests()[2].body.to_string();
    assert!(!sent.contains("refuted by a second opinion ("), "{sent}");
    assert!(changed["second_opinion"].is_null(), "{changed}");

    // The code is back.
    case.repo.write("cart.py", CART);
    case.review(&[]);
    let sent = case.reviewer.requests()[3].body.to_string();
    assert!(sent.contains("refuted by a second opinion (It refuted.)"), "{sent}");
}

#[test]
fn an_opinion_is_shown_in_the_terminal_and_in_exports_and_saved_in_the_run_folder() {
    let [right, wrong] = known_keys();
    let answer =
        opinions(&[opinion(&right, "holds", AVERAGE.0, AVERAGE.1), opinion(&wrong, "refuted", GUARD.0, GUARD.1)]);
    let shown = |format: &str| {
        let case = Case::new(std::slice::from_ref(&answer));
        let ran = case.run(&["--verify", "all", "--format", format]);
        assert_eq!(ran.code, 0, "{ran:?}");
        (case, ran.stdout)
    };
    let (case, text) = shown("text");
    assert!(text.contains("  second opinion: refuted (two): It refuted.\n    cart.py:2  if not items:\n"), "{text}");
    let run = case.installation.run_folder();
    assert!(read(&run, "second-opinion/prompt.txt").contains("Be sceptical"));
    assert!(read(&run, "second-opinion/agent.raw.attempt1.txt").contains("opinions"));
    assert_eq!(read_json(&run, "review.json")["second_opinion"]["opinions"][1]["verdict"], "refuted");
    assert!(read(&run, "events.jsonl").contains("\"opinions.checked\""));
    let markdown = shown("markdown").1;
    assert!(markdown.contains("second opinion: refuted"), "{markdown}");
    assert!(markdown.contains("**Second opinion of two:** refuted. It refuted. (`cart.py:2`)"), "{markdown}");
    let html = shown("html").1;
    assert!(html.contains("Second opinion of two (refuted): It refuted.<br><code>cart.py:2</code>"), "{html}");
    assert!(shown("sarif").1.contains("\"secondOpinion\""));
}
