//! What files of commands do, as the lines with an effect or an open use.

use std::collections::{BTreeMap, BTreeSet};

use crate::follow::Follow;
use crate::knowledge::Knowledge;
use crate::project::{Bounds, Content, Files, Project};
use crate::reach::Reached;

struct Memory {
    paths: BTreeSet<String>,
    texts: BTreeMap<String, String>,
}

impl Files for Memory {
    fn paths(&self) -> &BTreeSet<String> {
        &self.paths
    }

    fn read(&self, path: &str) -> Content {
        self.texts.get(path).map_or(Content::Unreadable("it is missing"), |text| Content::Text(text.clone()))
    }
}

/// Returns what the first of the files reaches, and whether a part of a file was not read.
fn reached(files: &[(&str, &str)]) -> (Vec<String>, bool) {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let memory = Memory { paths: texts.keys().cloned().collect(), texts };
    let knowledge = Knowledge::load(&[]).unwrap();
    let never = || false;
    let project = Project::new(&memory, Bounds::default(), &never);
    let follow = Follow::new(&project, &knowledge);
    let Reached { effects, others, open, .. } = follow.file(files[0].0).unwrap();
    let mut found: Vec<(u32, String)> = Vec::new();
    for reach in effects.iter().chain(&others) {
        let id = &knowledge.vocabulary.effects[reach.effect].id;
        let way: Vec<&str> = reach.chain.iter().map(|hop| hop.symbol.as_str()).collect();
        found.push((reach.chain[0].line, format!("{id} {}", way.join(" → "))));
    }
    for open in &open {
        let gap = open.gap.as_deref().unwrap_or_default();
        found.push((open.chain[0].line, format!("open {}: {gap}", open.symbol)));
    }
    found.sort();
    let found = found.into_iter().map(|(line, text)| format!("{line} {text}")).collect();
    (found, !project.unreadable().is_empty())
}

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let (found, is_incomplete) = reached(files);
    assert_eq!(found, expected, "{files:?}");
    assert!(!is_incomplete, "{files:?} is not read completely");
}

/// Checks a script of a shell.
fn shell(text: &str, expected: &[&str]) {
    check(&[("run.sh", text)], expected);
}

#[test]
fn the_commands_of_a_script_have_their_effects() {
    shell("#!/bin/sh\nset -e\ncurl -fsS https://example.org\n", &["3 http.request curl"]);
    shell("git -C x clone y", &["1 file.write git clone", "1 network.use git clone"]);
    shell("git status", &[]);
    shell("sed s/a/b/ f; sed -i s/a/b/ g", &["1 file.read sed", "1 file.read sed", "1 file.write sed"]);
    shell("/usr/bin/curl x", &["1 http.request curl"]);
    shell("'cu'\"rl\" x\nc\\url y", &["1 http.request curl", "2 http.request curl"]);
}

#[test]
fn commands_in_every_construct_count() {
    for text in [
        "echo \"$(curl x)\"",
        "echo `curl x`",
        "true | curl x",
        "if true; then curl x; fi",
        "while true; do curl x; done",
        "for f in *; do curl x; done",
        "case x in a) curl x ;; esac",
        "(curl x)",
        "{ curl x; }",
        "true && curl x",
        "! curl x",
        "curl x &",
        "X=$(curl x)",
        "export X=\"$(curl x)\"",
        "cat <<EOF\n$(curl x)\nEOF",
        "trap 'curl x' EXIT",
        "eval 'curl x'",
        "sudo -u me curl x",
        "env A=b timeout 5 curl x",
        "echo x | xargs curl",
        "echo ${A:-$(curl x)}",
        "[ -n \"$(curl x)\" ]",
        "[[ -n $(curl x) ]]",
        "diff <(curl x) y",
        "A=b curl x",
        "set -o pipefail; true || exec curl x",
    ] {
        let (found, is_incomplete) = reached(&[("run.sh", text)]);
        assert!(found.iter().any(|line| line.contains("http.request curl")) && !is_incomplete, "{text}: {found:?}");
    }
}

#[test]
fn a_command_that_no_table_lists_is_open() {
    shell("frobnicate --now", &["1 open frobnicate: no table lists the command `frobnicate`"]);
    shell("make build", &["1 open make build: the tasks that `make build` runs are not read", "1 process.run make"]);
    shell("git frobnicate", &[]);
}
