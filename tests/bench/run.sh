#!/usr/bin/env bash
# The measurements as one table: what, size, ours, a peer or limit, the goal, and the last runs. The details are in target/bench.
# FULL=1 adds the slow ones: large inputs, the peers, and betterleaks. Otherwise it takes less than ten minutes after the build.
# DIFFSAN_BENCH_REPOS names a folder of clones of real repositories: ranges of their histories of about 10 MB and 100 MB are prepared, and
# in their diffs masked lines are listed and counted. Without it, generated histories are prepared (tests/bench/histories.mjs).
# DIFFSAN_BENCH_COMMENTS names a folder of recorded review comments (tests/fixtures/comments/README.md).
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PWD/.tools/bin:$PATH
bash tests/setup.sh test
(cd ui && npm run --silent build -- --logLevel warn)
cargo build --quiet --release
cargo build --quiet --release --package diffsan-desktop --package empty-window
cargo bench --quiet --bench benchmarks --no-run

logs=target/bench
rm -rf "$logs"
mkdir -p "$logs"
export DIFFSAN_BENCH_ROWS=$PWD/$logs/rows.jsonl
failed=0

# measure NAME COMMAND...: keeps the output, and goes on after a failure.
measure() {
  local name=$1 from=$SECONDS
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    printf '%4d s  %s\n' $((SECONDS - from)) "$name" >&2
  else
    printf '%4d s  %s FAILED, see %s\n' $((SECONDS - from)) "$name" "$logs/$name.log" >&2
    failed=$((failed + 1))
  fi
}

for name in prepare redact room merging findings comments posting history capability symbols; do
  measure "$name" cargo bench --quiet --bench benchmarks -- "$name"
done
for name in command tokens compare review sandbox window desk serve inbox; do
  measure "$name" node "tests/bench/$name.mjs"
done
if [ -n "${DIFFSAN_BENCH_REPOS:-}" ]; then measure redact_precision cargo bench --quiet --bench benchmarks -- redact_precision; fi
if [ -n "${FULL:-}" ]; then
  for name in leaks chat first memory; do
    measure "$name" node "tests/bench/$name.mjs"
  done
  measure peers node tests/bench/peers/run.mjs
  measure peers-in-window node tests/bench/peers/run.mjs --window
fi
for program in diffsan diffsan-desktop; do
  printf '{"what":"size of the program","size":"%s","ours":%s,"unit":"MB"}\n' "$program" \
    "$(stat -c %s "target/release/$program" | awk '{ print $1 / 1e6 }')" >>"$DIFFSAN_BENCH_ROWS"
done
node tests/bench/table.mjs "$DIFFSAN_BENCH_ROWS" tests/bench/runs.jsonl
[ "$failed" = 0 ] || { echo "$failed benchmarks failed" >&2 && exit 1; }
