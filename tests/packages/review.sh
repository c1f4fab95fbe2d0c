#!/usr/bin/env bash
# Reviews the bundled sample with the capability reviewer, and checks that it finds something. Usage: review.sh PROGRAM
set -euo pipefail
cd "$HOME"
program=$(command -v "$1")
data=$HOME/.local/share/diffsan
if [ ! -d "$data/sample" ]; then
  # The sample is unpacked when the interface shows it.
  "$program" serve --sample >served 2>&1 &
  served=$!
  for _ in $(seq 200); do
    [ ! -e "$data/sample/.git/diffsan-sample" ] || break
    sleep 0.1
  done
  kill "$served"
  wait "$served" || true
fi
cd "$data/sample"
"$program" --version
"$program" review --branch --agent capability --format json >"$HOME/review.json"
grep -q '"category"' "$HOME/review.json" || {
  cat "$HOME/review.json"
  exit 1
}
