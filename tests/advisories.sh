#!/usr/bin/env bash
# Checks the advisories about all dependencies. Where a database cannot be reached, it reports the recorded state, and fails only if an
# exception in deny.toml has expired.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.tools/bin:$PATH
failed=0

today=$(date --utc +%F)
while read -r id date; do
  [[ $date > $today || $date == "$today" ]] || {
    printf 'advisories: the exception for %s expired on %s: look at it again (deny.toml)\n' "$id" "$date" >&2
    failed=1
  }
done < <(sed -n 's/.*id = "\([^"]*\)".*Accepted until \([0-9-]*\)\..*/\1 \2/p' deny.toml)
dated=$(grep -c 'Accepted until [0-9-]*\.' deny.toml)
all=$(grep -c 'id = "RUSTSEC' deny.toml)
[ "$dated" = "$all" ] || {
  printf 'advisories: %s of %s exceptions have no date until which they are accepted\n' $((all - dated)) "$all" >&2
  failed=1
}

output=$(cargo deny check advisories 2>&1)
status=$?
if [ $status = 0 ]; then
  printf 'Rust: no advisory but the %s accepted ones\n' "$all"
elif grep -q '^error\[' <<<"$output" || ! grep -qE 'failed to (fetch|download|clone)|unable to (fetch|update)' <<<"$output"; then
  printf '%s\n' "$output"
  failed=1
else
  printf 'Rust: the database cannot be reached. Recorded state: %s\n' "$(sed -n 's/^# Last check: //p' deny.toml)"
fi

for folder in ui tests; do
  report=$(cd "$folder" && npm audit --json 2>/dev/null)
  status=$?
  if [ $status = 0 ]; then
    printf 'npm, %s: no advisory\n' "$folder"
  elif grep -q '"auditReportVersion"' <<<"$report"; then
    (cd "$folder" && npm audit)
    failed=1
  else
    printf 'npm, %s: the database cannot be reached\n' "$folder"
  fi
done
exit $failed
