#!/usr/bin/env bash
# Every check and every test. Goes on after a suite that fails, and lists at the end which ran and how each closed.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.tools/bin:$PATH
# A pipeline builds once, from nothing. Data for a second build would only cost time and gigabytes.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

bash tests/setup.sh test || exit 1

logs=target/suites
rm -rf "$logs"
mkdir -p "$logs"
rows=()
failed=0

# suite NAME CLOSING COMMAND...: CLOSING is a pattern of the line in which the command's own runner sums up.
suite() {
  local name=$1 closing=$2 log from=$SECONDS result line
  log=$logs/${name// /-}.log
  shift 2
  printf '\n== %s: %s\n' "$name" "$*"
  if "$@" 2>&1 | tee "$log"; then result=ok; else
    result=FAILED
    failed=$((failed + 1))
  fi
  line=$(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E "$closing" | tail -n 3 | sed 's/^ *//' | paste -sd ' ')
  rows+=("$(printf '%-6s %4d s  %-16s %s' "$result" $((SECONDS - from)) "$name" "$line")")
}

# The command, the window and the tests are built as one set of packages: cargo chooses the features of shared packages by the set, and
# would compile half of them again for another one.
members=(--workspace --exclude diffsan-fuzz)
programs() { cargo build "${members[@]}" --bins --tests --benches; }

# Clippy compiles our crates, so that they are read once. `cargo clippy` would read them, and all packages from the registry, once more.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver
lints() {
  if grep -E -A 15 '^(warning|error)' "$logs/programs.log"; then return 1; fi
  grep -qE '^ *Finished' "$logs/programs.log" && echo 'no warnings'
}

rust_tests() {
  if command -v cargo-nextest >/dev/null; then cargo nextest run "${members[@]}" --no-fail-fast; else cargo test "${members[@]}" --no-fail-fast; fi
}

show_fuzzing() { cat "$logs/fuzzing-output.log" && return "$fuzzed"; }

in_ui() { (cd ui && npm run --silent "$@"); }

suite 'rustfmt' '^$' cargo fmt --all --check
suite 'ui lint' 'use Prettier' in_ui lint
suite 'ui types' 'svelte-check found' in_ui check
suite 'ui units' 'Tests ' in_ui test
suite 'ui contract' 'up to date' in_ui types:check
suite 'ui build' 'built in' in_ui build
suite 'licences' 'up to date|packages are allowed' node tests/dependencies.mjs
suite 'licence texts' 'up to date' node tests/licences.mjs --check
suite 'programs' 'Finished' programs
suite 'clippy' 'no warnings' lints
suite 'rust tests' 'Summary|^test result' rust_tests

# The suites below wait more than they compute. Fuzzing runs at the same time, and gets the processor time that they leave.
set -m
chrt --idle 0 bash tests/fuzz/run.sh 60 >"$logs/fuzzing-output.log" 2>&1 &
fuzzing=$!
set +m
trap 'kill -- -$fuzzing 2>/dev/null' EXIT

suite 'browser' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/browser.test.mjs
suite 'desk' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/desk.test.mjs
suite 'triage' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/triage.test.mjs
suite 'second opinions' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/opinions.test.mjs
suite 'layout' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/layout.test.mjs
suite 'trust in a review' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/evidence.test.mjs
suite 'running reviews' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/runs.test.mjs
suite 'reading' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/reading.test.mjs
suite 'navigation' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/navigation.test.mjs
suite 'versions' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/versions.test.mjs
suite 'coming back' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/coming-back.test.mjs
suite 'folding' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/folding.test.mjs
suite 'rendered files' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/rendered.test.mjs
suite 'inbox' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/inbox.test.mjs
suite 'facts of the pipeline' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/facts.test.mjs
suite 'conversation' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/chat.test.mjs
suite 'history' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/history.test.mjs
suite 'merge requests in a browser' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/gitlab.test.mjs
suite 'settings in a browser' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/settings.test.mjs
suite 'hardening' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/hardening.test.mjs
suite 'accessibility' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/accessibility.test.mjs
suite 'pictures' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/screenshots.test.mjs
suite 'real window' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/window.test.mjs
suite 'window behaviour' '^.{1,3} (tests|pass|fail) ' node --test --test-reporter=spec tests/e2e/window-behaviour.test.mjs
wait "$fuzzing"
fuzzed=$?
suite 'fuzzing' '^fuzz(ed|ing failed)' show_fuzzing

printf '\n== suites\n'
printf '%s\n' "${rows[@]}"
[ "$failed" = 0 ] || {
  printf '\n== failures\n'
  grep -hE -A 25 '^ +(FAIL|TIMEOUT|SIGABRT) |panicked at|^ *✖ |AssertionError|^error' "$logs"/*.log | cut -c 1-400 | tail -n 150
  printf '\n%s failed\n' "$failed" >&2
  exit 1
}

# `make release` accepts only a commit that passed.
[ -n "$(git status --porcelain 2>/dev/null)" ] || git rev-parse HEAD >target/tested-commit
