#!/usr/bin/env bash
# Writes update.json, by which windows update themselves: the version, its times, and size and sum of each AppImage in the folder.
# VALID_DAYS (180) is the time until windows refuse it. `make release` signs it.
# Usage: src-tauri/packaging/update-manifest.sh VERSION FOLDER
set -euo pipefail
version=$1
folder=$2
time_in() { date -u --date="now $1 days" +%Y-%m-%dT%H:%M:%SZ; }

files=
for path in "$folder"/*.AppImage; do
  [ -f "$path" ] || continue
  name=$(basename "$path")
  machine=${name##*-}
  files+="${files:+,}
    \"${machine%.AppImage}-linux\": { \"address\": \"$name\", \"size\": $(stat -c %s "$path"), \"sha256\": \"$(sha256sum <"$path" | cut -d ' ' -f 1)\" }"
done
cat >"$folder/update.json" <<END
{
  "format": 1,
  "version": "$version",
  "released": "$(time_in 0)",
  "expires": "$(time_in "${VALID_DAYS:-180}")",
  "files": {$files
  }
}
END
