//! Snippets on the command line.

use crate::support::Installation;

#[test]
fn built_in_snippets_are_listed_until_others_are_imported() {
    let installation = Installation::new();
    let listed = installation.run(installation.home(), &["prompt", "snippets", "--json"]).json();
    assert_eq!(listed["place"], "built in");
    assert_eq!(listed["snippets"].as_array().expect("a list").len(), 11);
    assert_eq!(listed["snippets"][7]["name"], "full-review");

    let own =
        r#"{"snippets": [{"icon": "✂️", "message": "Your last edit was truncated, please continue."}, {"icon": "x"}]}"#;
    let ran =
        installation.run_with(installation.home(), &["prompt", "snippets", "--import", "-", "--json"], own.as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
    let listed = ran.json();
    assert_eq!(listed["snippets"][0]["tooltip"], "Your last edit was truncated, please continue.");
    assert!(listed["place"].as_str().expect("a place").ends_with("config/prompts/prompt-snippets.json"));
    assert!(ran.stderr.is_empty(), "what was skipped is not kept: {}", ran.stderr);
}

#[test]
fn a_file_without_snippets_is_refused_and_changes_nothing() {
    let installation = Installation::new();
    for text in ["{", "{}", r#"{"snippets": []}"#, r#"{"snippets": [{"icon": "x"}]}"#] {
        let ran = installation.run_with(installation.home(), &["prompt", "snippets", "--import", "-"], text.as_bytes());
        assert_eq!(ran.code, 2, "{text}: {ran:?}");
        assert!(ran.stderr.contains("No snippets were imported"), "{}", ran.stderr);
    }
    assert!(installation.run(installation.home(), &["prompt", "snippets"]).stdout.starts_with("built in"));
}
