#!/usr/bin/env bash
# Checks that the history has the review of review.sh. Usage: history.sh PROGRAM
set -euo pipefail
cd "$HOME"
"$1" history --json >history.json
grep -q sample history.json || {
  cat history.json
  exit 1
}
