//! Cursor, played by a stand-in: envelopes, repair, and processes that do not end.

use std::time::{Duration, Instant};

use diffsan_test_support::repo::TestRepo;
use diffsan_test_support::stand_in::{StandIn, envelope, error_envelope};

use crate::support::{Installation, Ran, answer, read};

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.rs", "one\n");
    repo.commit("base");
    repo.write("a.rs", "two\n");
    repo
}

fn review(installation: &Installation) -> Ran {
    installation.run(repo().path(), &["review", "--agent", "cursor", "--json"])
}

fn installed(stand_in: &StandIn) -> Installation {
    Installation::new().with_stand_in(stand_in)
}

#[test]
fn envelopes_are_read_in_any_output() {
    let good = answer("a.rs", 1, "two");
    for (output, read_as) in [
        (envelope(&good), "strict"),
        (format!("Loading rules…\n{}", envelope(&good)), "strict"),
        (envelope(&format!("I looked at the {{code}}.\n{good}\nHope that helps!")), "recovered"),
        (envelope(&format!("```json\n{good}\n```")), "fenced"),
        (format!("{good}\n"), "strict"),
    ] {
        let stand_in = StandIn::new().plays(1, &output, "", 0);
        let ran = review(&installed(&stand_in));
        assert_eq!(ran.code, 0, "{output}: {ran:?}");
        let review = ran.json();
        assert_eq!(review["findings"][0]["anchor"]["state"], "verified", "{output}");
        assert_eq!(review["meta"]["read_as"], read_as, "{output}");
        assert_eq!(stand_in.given("argv", 1), "--print\n--output-format\njson\n--trust\n");
        assert!(stand_in.given("stdin", 1).contains("Return ONLY a JSON object"));
    }
}

#[test]
fn an_invalid_answer_is_repaired() {
    let stand_in = StandIn::new().plays(1, &envelope("{\"findings\":[{}]}"), "", 0).plays(
        2,
        &envelope(&answer("a.rs", 1, "two")),
        "",
        0,
    );
    let installation = installed(&stand_in);
    let ran = review(&installation);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["meta"]["attempts"], 2);
    let repair = stand_in.given("stdin", 2);
    for part in ["findings.0.line_start: field required", "{\"findings\":[{}]}", "Return ONLY corrected JSON"] {
        assert!(repair.contains(part), "{part}: {repair}");
    }
    let run = installation.run_folder();
    assert!(read(&run, "agent.raw.attempt1.txt").contains("findings") && run.join("agent.raw.attempt2.txt").exists());
}

#[test]
fn all_invalid_attempts_are_saved() {
    let stand_in = (1..=3).fold(StandIn::new(), |stand_in, attempt| stand_in.plays(attempt, &envelope("no"), "", 0));
    let installation = installed(&stand_in);
    let ran = review(&installation);
    assert_eq!((ran.code, stand_in.attempts()), (6, 3), "{ran:?}");
    assert_eq!(ran.json()["error"]["error_code"], "AGENT_OUTPUT_INVALID");
    assert!(installation.run_folder().join("agent.raw.attempt3.txt").exists());
}

#[test]
fn errors_and_sign_in_banners_are_no_answers() {
    for (output, stderr, exit, words) in [
        (error_envelope("You've hit your usage limit"), "", 0, "is exhausted"),
        ("Press any key to sign in...\n".to_owned(), "", 1, "not signed in"),
        (String::new(), "Error: Cannot use this model: unknown model x", 1, "does not know the selected model"),
        (String::new(), "", 0, "without an answer"),
    ] {
        let stand_in = StandIn::new().plays(1, &output, stderr, exit);
        let ran = review(&installed(&stand_in));
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
}

#[test]
fn a_key_goes_as_an_argument_and_is_never_recorded() {
    let stand_in = StandIn::new().plays(1, &envelope(&answer("a.rs", 1, "two")), "", 0);
    let installation = installed(&stand_in).with("CURSOR_API_KEY", "key-4711").with("SOME_OTHER_SECRET", "x");
    assert_eq!(review(&installation).code, 0);
    assert!(stand_in.given("argv", 1).contains("--api-key\nkey-4711\n"));
    let environment = stand_in.given("environment", 1);
    assert!(!environment.contains("SOME_OTHER_SECRET") && !environment.contains("CURSOR_API_KEY"), "{environment}");
    assert!(!read(&installation.run_folder(), "agent.run.json").contains("key-4711"));
}

/// Returns whether a process exists and is not a zombie.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[test]
fn a_program_that_ignores_signals_or_forks_away_is_ended() {
    let forks = "setsid sh -c 'echo $$ > \"$0/forked\"; trap \"\" INT TERM; sleep 300' \"$dir\" & sleep 1; trap '' INT TERM; sleep 300";
    let stand_in = StandIn::new().behaves(1, forks);
    let installation = installed(&stand_in).with("DIFFSAN_AGENT__TOTAL_TIMEOUT_SECONDS", "2");
    let started = Instant::now();
    let ran = review(&installation);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("did not finish within 2 s"), "{ran:?}");
    assert!(started.elapsed() < Duration::from_secs(30));
    let forked = std::fs::read_to_string(stand_in.folder().join("forked")).expect("it forked");
    assert!(!lives(&forked), "a process that left its session survived");
}

#[test]
fn a_child_that_outlives_a_good_answer_is_ended_too() {
    let stand_in = StandIn::new().behaves(1, "setsid sleep 300 & echo $! > \"$dir/forked\"").plays(
        1,
        &envelope(&answer("a.rs", 1, "two")),
        "",
        0,
    );
    let installation = installed(&stand_in);
    assert_eq!(review(&installation).code, 0);
    let forked = std::fs::read_to_string(stand_in.folder().join("forked")).expect("it forked");
    assert!(!lives(&forked), "a process that left its session survived");
}

#[test]
fn a_flood_is_stopped() {
    let stand_in = StandIn::new().behaves(1, "yes 'a line that says nothing at all'");
    let ran = review(&installed(&stand_in));
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(format!("{ran:?}").contains("32 MiB"), "{ran:?}");
}
