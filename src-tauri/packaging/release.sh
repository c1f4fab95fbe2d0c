#!/usr/bin/env bash
# Makes a release: packages and evidence in target/release-VERSION, signed. Refuses a state that nobody tested.
# Usage: VERSION=x.y.z src-tauri/packaging/release.sh. KEY is the secret key of minisign (default: ~/.minisign/minisign.key).
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PWD/.tools/bin:$PATH
version=${VERSION:-}
key=${KEY:-$HOME/.minisign/minisign.key}
fail() {
  printf 'release: error: %s\n' "$*" >&2
  exit 1
}

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail 'name the version, such as `make release VERSION=1.2.3`'
[ -z "$(git status --porcelain)" ] || fail 'the work tree has changes that are not committed'
stated=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
[ "$stated" = "$version" ] || fail "Cargo.toml has version $stated, not $version"
bash src-tauri/packaging/changes.sh "$version" >/dev/null || fail "CHANGELOG.md has no section \`## $version\` with text"
commit=$(git rev-parse HEAD)
[ "$(cat target/tested-commit 2>/dev/null)" = "$commit" ] || fail "\`make test\` has not passed for commit $commit"
[ -f "$key" ] || fail "there is no secret key in $key; make one with \`make release-key\`"
grep -qv '^#' config/release/keys.pub || fail 'config/release/keys.pub has no key; make one with `make release-key`'

bash tests/setup.sh package
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
folder=target/release-$version
OUTPUT=$folder bash src-tauri/packaging/package.sh
bash src-tauri/packaging/evidence.sh "$version" "$folder"
bash src-tauri/packaging/update-manifest.sh "$version" "$folder"
minisign -S -s "$key" -c 'signature of update.json' -t "diffsan $version update.json" -m "$folder/update.json"
(cd "$folder" && sha256sum -- * >"../SHA256SUMS.new" && mv ../SHA256SUMS.new SHA256SUMS)
minisign -S -s "$key" -t "diffsan $version" -m "$folder/SHA256SUMS"
target/package-build/release/diffsan verify-release "$folder"
printf 'The release is in %s. Tag it: git tag -s v%s\n' "$folder" "$version"
