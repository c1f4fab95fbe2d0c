#!/usr/bin/env bash
# Prints the section of a version from CHANGELOG.md. Fails if there is none, or if it has no text.
set -euo pipefail
cd "$(dirname "$0")/../.."
section=$(awk -v version="$1" '/^## / { inside = ($2 == version) } inside' CHANGELOG.md)
[ "$(grep -c . <<<"$section")" -gt 1 ] && printf '%s\n' "$section"
