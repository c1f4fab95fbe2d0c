#!/usr/bin/env bash
# Reviews the bundled sample with the capability reviewer, and checks that it finds something. Usage: review.sh PROGRAM
set -euo pipefail
cd "$HOME"
program=$(command -v "$1")
case $program in /*) ;; *) program=$PWD/$program ;; esac
if [ ! -d sample ]; then
  git init -q -b main sample
  git -C sample config user.name Reviewer
  git -C sample config user.email reviewer@example.org
  cp -r /shared/sample/base/. sample/
  git -C sample add . && git -C sample commit -qm 'Take orders'
  git -C sample checkout -q -b topic/refunds
  cp -r /shared/sample/change/. sample/
  git -C sample add . && git -C sample commit -qm 'Refund orders'
fi
cd sample
"$program" --version
"$program" review --branch --agent capability --format json >"$HOME/review.json"
grep -q '"severity"' "$HOME/review.json" || {
  cat "$HOME/review.json"
  exit 1
}
