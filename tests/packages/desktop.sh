#!/usr/bin/env bash
# Opens the window with the sample, then a link to another repository, in one session. Usage: desktop.sh PROGRAM OPENER
# Steps wait for files in /shared, which the caller creates.
set -euo pipefail
cd "$HOME"
export XDG_RUNTIME_DIR=/tmp/runtime
mkdir -p -m 700 "$XDG_RUNTIME_DIR"
git init -q -b main linked
cd linked
git config user.name Reviewer
git config user.email reviewer@example.org
printf 'one\n' >file.txt
git add . && git commit -qm 'Add a file'
printf 'two\n' >file.txt
cd "$HOME"
export PROGRAM=$1 OPENER=$2
dbus-run-session -- bash -c '
  $PROGRAM --sample &
  window=$!
  until [ -e /shared/open-link ]; do sleep 0.2; done
  $OPENER "diffsan://open?repo=$HOME/linked&unstaged" &
  until [ -e /shared/end ]; do sleep 0.2; done
  for process in /proc/[0-9]*; do
    [ "$(cat "$process/comm" 2>/dev/null)" != diffsan-desktop ] || kill "${process#/proc/}"
  done
  wait "$window" || true
  touch /shared/ended
'
