//! Examines a change of the corpus in a real repository.

use diffsan_capability::knowledge::Knowledge;
use diffsan_capability::project::Bounds;
use diffsan_change::Target;
use diffsan_pipeline::open::{OpenChange, OpenRequest, Source};
use diffsan_pipeline::policy::examine;
use diffsan_policy::{Ask, Mode};
use diffsan_store::Store;
use diffsan_store::files::places::Places;
use diffsan_test_support::repo::TestRepo;

use super::{Case, Outcome, Step, contracts};

/// Commits both sides of a case to a repository and examines the second commit as `diffsan policy` does.
pub(super) fn examined(case: &Case, knowledge: &Knowledge) -> Outcome {
    let repo = TestRepo::new();
    for (steps, message) in [(&case.before, "before"), (&case.change, "change")] {
        for step in steps {
            match step {
                Step::Write(path, content) => repo.write(path, content),
                Step::Remove(path) => repo.remove(path),
            }
        }
        repo.commit(message);
    }
    let nowhere = repo.beside("nowhere");
    let places = Places { data: nowhere.clone(), config: nowhere };
    let store = Store::in_memory().expect("a store");
    let request = OpenRequest {
        source: Source::Repository(repo.path().to_owned()),
        target: Target::Commit { rev: "HEAD".to_owned() },
        overrides: Vec::new(),
        trusted: false,
        since: None,
        selected: None,
    };
    let opened = OpenChange::open(&places, &store, [7; 32], request).expect("a change");
    let config = &opened.settings.config.capability;
    let bounds = Bounds {
        max_files: config.review_max_files,
        max_follow_depth: config.max_follow_depth,
        max_search_results: config.max_search_results,
        max_runtime_seconds: 0,
    };
    let ask = Ask { bounds, contracts: Some(contracts(case, knowledge)), mode: Mode::Compare, stored_facts: None };
    let examined = examine(&opened, knowledge, &ask, &|| false).expect("an examination");
    Outcome { diff: examined.diff, findings: examined.findings }
}
