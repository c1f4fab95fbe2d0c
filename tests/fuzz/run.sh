#!/usr/bin/env bash
# Builds the fuzz targets and runs each for SECONDS (60), one per processor at the same time. An input that fails is saved in
# target/fuzz; run the target with its path to repeat it.
#   bash tests/fuzz/run.sh [SECONDS [TARGET...]]
set -uo pipefail
cd "$(dirname "$0")/../.."
# A call opens the editor that this names.
export VISUAL=true
seconds=${1:-60}
shift
targets=("$@")
[ $# -gt 0 ] || for file in tests/fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done

echo "building ${#targets[@]} targets"
# From the set of packages that tests/check.sh builds, so that cargo chooses the same features and compiles no other package again.
bins=("${targets[@]/#/--bin=fuzz-}")
RUSTC_WORKSPACE_WRAPPER=$PWD/tests/fuzz/rustc.sh cargo build --quiet --workspace --exclude empty-window "${bins[@]}" || exit 1
programs=${CARGO_TARGET_DIR:-target}/debug
out=${CARGO_TARGET_DIR:-target}/fuzz

# Runs one target. New inputs go to target/fuzz, and are used again by the next run.
fuzz() {
  local log=$out/$1.log result
  mkdir -p "$out/corpus/$1" "tests/fuzz/corpus/$1"
  "$programs/fuzz-$1" "$out/corpus/$1" "tests/fuzz/corpus/$1" -max_total_time="$seconds" -len_control=0 -timeout=60 -rss_limit_mb=4096 \
    -artifact_prefix="$out/$1-" >"$log" 2>&1
  result=$?
  printf '%-10s %s\n' "$1" "$(grep -E '^Done|^methods with a result' "$log" | paste -sd ' ')"
  [ $result = 0 ] || { printf '%s failed:\n' "$1" && grep -vE '^#|^INFO' "$log" | tail -n 40; }
  return $result
}

export -f fuzz
export seconds programs out
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I TARGET bash -c 'fuzz TARGET' || { echo 'fuzzing failed' && exit 1; }
echo "fuzzed ${#targets[@]} targets, $seconds seconds each"
