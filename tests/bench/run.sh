#!/usr/bin/env bash
# Every measurement: preparation in process and as a command, the window's start, the desk beside other renderers of diffs,
# the programs' sizes.
# REPO and RANGE name a repository and range of your own for the command. DIFFSAN_BENCH_REPOS names a folder of repositories in whose
# diffs masked lines are listed and counted. DIFFSAN_BENCH_COMMENTS names a folder of recorded review comments
# (tests/fixtures/comments/README.md).
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PWD/.tools/bin:$PATH
bash tests/setup.sh test
(cd ui && npm run --silent build -- --logLevel warn)
cargo build --quiet --release
cargo build --quiet --release --package diffsan-desktop --package empty-window

cargo bench --quiet --bench prepare
cargo bench --quiet --bench redact
cargo bench --quiet --bench redact_precision
node tests/bench/leaks.mjs
cargo bench --quiet --bench room
cargo bench --quiet --package diffsan-syntax --bench symbols
cargo bench --quiet --bench merging
cargo bench --quiet --bench findings
cargo bench --quiet --bench comments
cargo bench --quiet --bench posting
cargo bench --quiet --bench history
cargo bench --quiet --bench capability
node tests/bench/command.mjs ${REPO:+"$REPO"} ${RANGE:+"$RANGE"}
node tests/bench/compare.mjs
node tests/bench/review.mjs
node tests/bench/chat.mjs
node tests/bench/sandbox.mjs
node tests/bench/window.mjs
node tests/bench/desk.mjs
node tests/bench/first.mjs
node tests/bench/serve.mjs
node tests/bench/inbox.mjs
node tests/bench/memory.mjs
node tests/bench/peers/run.mjs
node tests/bench/peers/run.mjs --window
for program in diffsan diffsan-desktop; do
  printf '%s: %.1f MB\n' "$program" "$(stat -c %s "target/release/$program" | awk '{ print $1 / 1e6 }')"
done
