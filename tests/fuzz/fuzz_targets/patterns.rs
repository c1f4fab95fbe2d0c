//! A repository with any `.gitattributes` and `.gitignore` can be read, in bounded time. Any glob of the settings is compiled or refused.
#![no_main]
#![allow(clippy::expect_used, missing_docs, reason = "a fuzz target fails by panicking")]

use std::sync::LazyLock;

use diffsan_change::Target;
use diffsan_config::{PrepareConfig, resolve};
use diffsan_git::{ReadOptions, Repo};
use diffsan_test_support::repo::TestRepo;
use libfuzzer_sys::fuzz_target;

static SETTINGS: LazyLock<PrepareConfig> =
    LazyLock::new(|| resolve(Vec::new(), false).expect("defaults").config.prepare);

thread_local! {
    static REPO: TestRepo = {
        let repo = TestRepo::new();
        for path in ["a.rs", "src/main.py", "src/deep/er/b.txt", "vendor/c.js", "dist/[x].min.js"] {
            repo.write(path, "one\n");
        }
        repo.commit("base");
        for path in ["a.rs", "src/main.py", "src/deep/er/b.txt", "vendor/c.js", "new.txt", "dist/[x].min.js"] {
            repo.write(path, "two\r\n");
        }
        repo
    };
}

fuzz_target!(|data: &[u8]| REPO.with(|repo| read(repo, data)));

fn read(files: &TestRepo, data: &[u8]) {
    let (attributes, ignores) = data.split_at(data.iter().position(|byte| *byte == 0).unwrap_or(data.len()));
    files.write(".gitattributes", attributes);
    files.write(".gitignore", ignores);
    files.write("src/.gitattributes", ignores);
    let mut settings = SETTINGS.clone();
    settings.ignore_globs = String::from_utf8_lossy(ignores).lines().map(str::to_owned).collect();
    let repo = Repo::open(files.path()).expect("opened");
    for target in [Target::Unstaged, Target::All { untracked: true }] {
        // What cannot be read is refused.
        let Ok(change) = repo.change(&target, &ReadOptions::default()) else { continue };
        let Ok(attributes) = repo.attributes(&target, &change) else { continue };
        let _ = diffsan_prepare::plan(&change, &attributes, &settings);
    }
}
