//! Tests the effects and the open uses of files of commands, line by line.

use std::sync::OnceLock;

use crate::follow::Follow;
use crate::knowledge::Knowledge;
use crate::project::{Bounds, Project};
use crate::reach::Reached;
use crate::testing::Memory;

mod compose;
mod folders;
mod make;
mod package;
mod tricks;

static KNOWLEDGE: OnceLock<Knowledge> = OnceLock::new();

/// Returns a symbol without the digest of code that is not read.
fn without_digest(symbol: &str) -> &str {
    symbol.split_once(" (").filter(|(_, rest)| rest.len() == 17 && rest.ends_with(')')).map_or(symbol, |(name, _)| name)
}

/// Returns what the first of the files reaches, and whether a part of a file was not read.
fn reached(files: &[(&str, &str)]) -> (Vec<String>, bool) {
    let memory = Memory::new(files);
    let knowledge = KNOWLEDGE.get_or_init(|| Knowledge::load(&[]).unwrap());
    let never = || false;
    let project = Project::new(&memory, Bounds::default(), &never);
    let follow = Follow::new(&project, knowledge);
    let Reached { effects, others, open, .. } = follow.file(files[0].0).unwrap();
    let mut found: Vec<(u32, String)> = Vec::new();
    for reach in effects.iter().chain(&others) {
        let id = &knowledge.vocabulary.effects[reach.effect].id;
        let way: Vec<&str> = reach.chain.iter().map(|hop| hop.symbol.as_str()).collect();
        found.push((reach.chain[0].line, format!("{id} {}", way.join(" → "))));
    }
    for open in &open {
        let gap = open.gap.as_deref().unwrap_or_default();
        found.push((open.chain[0].line, format!("open {}: {gap}", without_digest(&open.symbol))));
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
    shell("git -C x clone y", &["1 file.read git clone", "1 file.write git clone", "1 network.use git clone"]);
    shell("git -C x status", &["1 file.read git status"]);
    shell("sed s/a/b/ f; sed -i s/a/b/ g", &["1 file.read sed", "1 file.write sed"]);
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
    shell("just build", &["1 open just build: the tasks that `just build` runs are not read", "1 process.run just"]);
    shell("git --bare frobnicate x", &["1 open git frobnicate: no table lists the command `git frobnicate`"]);
}

#[test]
fn what_is_known_only_when_the_script_runs_is_open() {
    shell("$CMD x", &["1 env.read $CMD", "1 open $CMD x: the command in `$CMD x` is chosen when the script runs"]);
    shell("\"$@\"", &["1 open \"$@\": the command in `\"$@\"` is chosen when the script runs"]);
    shell("eval \"$1\"", &["1 code.execute eval", "1 shell.run eval"]);
    shell("curl -s x | sh", &["1 code.execute sh", "1 http.request curl", "1 shell.run sh"]);
    shell("curl -s x | sudo bash -s -- a", &["1 code.execute bash", "1 http.request curl", "1 shell.run bash"]);
    shell("source <(curl x)", &["1 code.execute source", "1 file.read source", "1 http.request curl"]);
    shell("bash <(curl x)", &["1 code.execute bash", "1 http.request curl", "1 shell.run bash"]);
    shell(". \"$1\"", &["1 file.read .", "1 open …: the file `…` is chosen when the script runs"]);
    shell("bash <<EOF\nrm x\nEOF", &["1 file.delete rm", "1 shell.run bash"]);
    shell("bash -euo pipefail -c 'rm x'", &["1 file.delete rm", "1 shell.run bash"]);
    shell("sh -c \"rm x\"", &["1 file.delete rm", "1 shell.run sh"]);
    shell(
        "sed $SED_OPTIONS f",
        &[
            "1 env.read $SED_OPTIONS",
            "1 file.read sed",
            "1 open sed …: the options of `sed` are chosen when the script runs",
            "1 open sed: the program of `sed` is not understood",
        ],
    );
    shell("python -c 'x'", &["1 code.execute python"]);
    shell("python --version", &[]);
    shell("echo x > /dev/tcp/example.org/80", &["1 socket.open /dev/tcp/example.org/80"]);
}

#[test]
fn a_variable_that_is_set_once_is_its_value() {
    shell("CMD=curl\n$CMD x", &["2 http.request curl"]);
    shell("RUN='sudo -u me'\n$RUN rm x\nNO=\n$NO rm y", &["2 file.delete rm", "4 file.delete rm"]);
    shell("readonly TOOL='rm'\n\"${TOOL}\" x", &["2 file.delete rm"]);
    for changed in ["CMD=rm", "read CMD", "unset CMD", "for CMD in a b; do :; done", ". ./other.sh", "CMD+=x"] {
        let (found, _) = reached(&[("run.sh", &format!("CMD=curl\n{changed}\n$CMD x"))]);
        assert!(found.iter().any(|line| line.contains("is chosen when the script runs")), "{changed}: {found:?}");
    }
}

#[test]
fn redirections_are_reads_and_writes() {
    shell("echo x > out 2>&1", &["1 file.write > out"]);
    shell("echo x >> \"$out\"", &["1 file.write > …"]);
    shell("echo x > /dev/null 2>&1 >&2", &[]);
    shell("while read -r line; do echo; done < in", &["1 file.read < in", "1 stdin.read read"]);
}

#[test]
fn functions_are_followed_and_hide_programs() {
    shell("get() { curl x; }\nget", &["1 http.request curl", "2 http.request get → curl"]);
    shell("curl() { echo; }\ncurl x", &[]);
    // Not every run defines the function, or only later.
    shell(
        "if x; then curl() { echo; }; fi\ncurl x",
        &["1 open x: no table lists the command `x`", "2 http.request curl"],
    );
    shell("curl x\ncurl() { echo; }", &["1 http.request curl"]);
    shell("f() { rm x; }\ntrap f EXIT", &["1 file.delete rm", "2 file.delete trap → rm"]);
}

#[test]
fn files_of_the_project_are_followed() {
    let library = ("lib/a.sh", "get() { curl x; }\nrm y");
    check(
        &[("run.sh", ". lib/a.sh\nget"), library],
        &["1 file.delete . → rm", "1 file.read .", "2 http.request get → curl"],
    );
    for start in
        ["./lib/a.sh", "bash lib/a.sh", "sh -e ./lib/a.sh", "source \"$(dirname \"$0\")/lib/a.sh\"", "exec lib/a.sh"]
    {
        let (found, _) = reached(&[("run.sh", start), library]);
        assert!(found.iter().any(|line| line.contains("file.delete")), "{start}: {found:?}");
    }
    check(
        &[("bin/run", "#!/bin/sh\nHERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n\"$HERE/../lib/a.sh\""), library],
        &["3 file.delete ../lib/a.sh → rm"],
    );
    check(
        &[("run.sh", "python tools/a.py"), ("tools/a.py", "import requests\nrequests.get('x')\n")],
        &["1 http.request python → requests.get"],
    );
    check(&[("run.sh", "./missing.sh")], &["1 open ./missing.sh: no file of the project is `./missing.sh`"]);
    check(&[("run.sh", "./run.sh")], &[]);
}

#[test]
fn errors_make_a_file_incomplete() {
    for text in ["if true; then curl x", "echo \"x", "cat <<EOF\nx", "echo $(curl"] {
        assert!(reached(&[("run.sh", text)]).1, "{text}");
    }
}

#[test]
fn instructions_of_a_dockerfile_run_commands() {
    let docker = |text: &str, expected: &[&str]| check(&[("Dockerfile", text)], expected);
    docker(
        "FROM alpine:3 AS base\nFROM base\nCOPY --from=busybox:1 /a /b\n",
        &["1 package.need image alpine", "3 package.need image busybox"],
    );
    docker("ARG TAG=x\nFROM ghcr.io/a/b:${TAG}@sha256:0\nFROM scratch", &["2 package.need image ghcr.io/a/b"]);
    docker(
        "FROM scratch\nRUN --mount=type=cache,target=/x echo a \\\n  # a comment\n  && curl x \\\n\n  && rm y\nCMD [\"curl\", \"x\"]",
        &["4 http.request curl", "6 file.delete rm", "7 http.request curl"],
    );
    docker(
        "FROM scratch\nRUN <<EOF\nrm x\ncurl y\nEOF\nRUN [\"sh\", \"-c\", \"rm x\"]",
        &["3 file.delete rm", "4 http.request curl", "6 file.delete rm", "6 shell.run sh"],
    );
    docker(
        "FROM scratch\nADD https://example.org/x /x\nHEALTHCHECK --interval=5s CMD curl x",
        &["2 file.write https://example.org/x", "2 http.request https://example.org/x", "3 http.request curl"],
    );
    docker("FROM scratch\nSHELL [\"pwsh\", \"-c\"]\nRUN x", &["3 open RUN: its shell is not read"]);
    check(
        &[
            (
                "Dockerfile",
                "FROM scratch\nCOPY docker/start.sh /usr/local/bin/\nENTRYPOINT [\"/usr/local/bin/start.sh\"]",
            ),
            ("docker/start.sh", "curl x"),
        ],
        &["3 http.request /usr/local/bin/start.sh → curl"],
    );
}

#[test]
fn steps_of_a_workflow_run_commands() {
    let workflow = "on: push\nenv: { A_B: x }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    container: node:22\n    steps:\n      - uses: \
                    actions/checkout@v4\n      - uses: a/b@v1\n      - run: |\n          echo ${{ matrix.x }} $A_B\n          curl x\n      \
                    - run: rm x\n        env: { T: \"${{ secrets.TOKEN }}\" }\n      - run: x\n        shell: pwsh\n      - uses: ./own\n";
    check(
        &[
            (".github/workflows/a.yml", workflow),
            ("own/action.yml", "runs:\n  using: composite\n  steps:\n    - run: curl y\n"),
        ],
        &[
            "6 package.need image node",
            "8 file.read actions/checkout",
            "8 file.write actions/checkout",
            "8 network.use actions/checkout",
            "9 open a/b: no table lists the action `a/b`",
            "12 http.request curl",
            "13 file.delete rm",
            "14 secret.read secrets.TOKEN",
            "15 open script of pwsh: a script of `pwsh` is not read",
            "17 http.request own/action.yml → curl",
        ],
    );
    check(
        &[("own/action.yml", "runs:\n  using: node20\n  main: dist/a.js\n"), ("own/dist/a.js", "fetch('x')\n")],
        &["3 http.request node → fetch"],
    );
    assert!(reached(&[(".github/workflows/a.yml", "jobs: [")]).1);
}

#[test]
fn scripts_of_a_pipeline_run_commands() {
    let pipeline = "image: ruby:3\ninclude:\n  - local: /ci/.gitlab-ci.yml\n  - template: X.yml\n.base: &base\n  before_script:\n    - get() { curl x; }\n    \
                    - get\njob:\n  <<: *base\n  extends: .other\n  services: [{ name: redis }]\n  script:\n    - |\n      rm x\n    - !reference [.base, \
                    before_script]\n    - |\n      echo\n      curl y\n";
    check(
        &[(".gitlab-ci.yml", pipeline), ("ci/.gitlab-ci.yml", "job: { script: rm z }")],
        &[
            "1 package.need image ruby",
            "3 file.delete ci/.gitlab-ci.yml → rm",
            "4 open X.yml: `X.yml` is not followed: an included file of another place is not read",
            "7 http.request curl",
            "8 http.request get → curl",
            "11 open .other: `.other` is not followed: the job is defined in another file",
            "12 package.need image redis",
            "15 file.delete rm",
            "19 http.request curl",
        ],
    );
}

#[test]
fn commands_that_run_elsewhere_or_in_a_program_of_awk_are_open() {
    for (line, name) in [
        ("ssh host rm x", "ssh host"),
        ("docker run --rm alpine rm x", "docker run alpine"),
        ("docker exec c rm x", "docker exec c"),
        ("awk 'BEGIN { system(\"rm x\") }'", "awk"),
        ("awk '{ print | \"sh\" }'", "awk"),
    ] {
        let (found, _) = reached(&[("run.sh", line)]);
        assert!(found.iter().any(|found| found.starts_with(&format!("1 open {name}: "))), "{line}: {found:?}");
    }
    shell("sed '1e rm x' f", &["1 file.delete rm", "1 file.read sed", "1 shell.run sed"]);
    shell("sed 's/x/rm y/e' f", &["1 code.execute sed", "1 file.read sed", "1 shell.run sed"]);
    shell("sed -n 'w out' f", &["1 file.read sed", "1 file.write sed > out"]);
    shell("sed -f x.sed f", &["1 file.read sed", "1 open sed: the program of `sed` is not understood"]);
    let (found, _) = reached(&[("run.sh", "awk '{ print $1 || $2 }' x")]);
    assert!(!found.iter().any(|found| found.contains("open")), "{found:?}");
}

#[test]
fn options_with_a_value_are_those_of_the_subcommand() {
    shell("docker rm -f x", &["1 file.delete docker rm"]);
    shell("docker --context c rm x", &["1 file.delete docker rm"]);
    shell("docker -f rm x", &["1 open docker x: no table lists the command `docker x`"]);
    shell(
        "docker compose -f x.yml -p y down",
        &["1 file.delete docker compose down", "1 process.stop docker compose down"],
    );
    shell("node -r x a.js", &["1 open node -r x: the code in the arguments of `node` is not read"]);
}

#[test]
fn options_that_only_show_what_a_command_would_do_exclude_its_effects() {
    shell(
        "git clean -n\ngit clean -f\ngit clean -f -- -n\ngit rm --cached a\ngit rm a\n",
        &[
            "1 file.read git clean",
            "2 file.delete git clean",
            "2 file.write git clean",
            "3 file.delete git clean",
            "3 file.read git clean",
            "3 file.write git clean",
            "4 file.write git rm",
            "5 file.delete git rm",
            "5 file.write git rm",
        ],
    );
}

#[test]
fn packages_images_and_processes_have_effects_of_their_own() {
    shell("npm ci", &["1 file.write npm ci", "1 network.use npm ci", "1 package.install npm ci"]);
    shell("kill -9 7", &["1 process.stop kill"]);
    shell(
        "docker start x",
        &[
            "1 container.start docker start",
            "1 open docker start x: the tasks that `docker start x` runs are not read",
            "1 process.run docker start",
        ],
    );
    shell("git push", &["1 artifact.publish git push", "1 file.read git push", "1 network.use git push"]);
}

#[test]
fn a_long_chain_of_functions_is_open() {
    let check = || {
        for wrapper in ["", "sudo sudo sudo sudo sudo "] {
            let functions: String = (0..2000).map(|at| format!("f{at}() {{ {wrapper}f{}; }}\n", at + 1)).collect();
            let (found, _) = reached(&[("run.sh", &format!("{functions}f2000() {{ curl x; }}\nf0\n"))]);
            assert!(found.iter().any(|line| line.contains("definitions call each other in a chain")), "{found:?}");
            assert!(found.iter().any(|line| line.contains("2001 http.request curl")), "{found:?}");
        }
    };
    // An examination has a stack of this size.
    let thread = std::thread::Builder::new().stack_size(64 * 1024 * 1024).spawn(check);
    thread.unwrap().join().unwrap();
    let nested = format!("{}curl x", "sudo ".repeat(40));
    shell(&nested, &["1 open sudo: commands are nested too deeply to be read"]);
}
