#!/usr/bin/env bash
# Tests releases and updates of the window, with a key and version numbers of its own in a clone of the current commit:
# `make release` refuses what it must not release, makes two signed releases, `verify-release` accepts them and no changed file,
# and the AppImage of the first one updates itself to the second, but not to a release that does not start.
# It takes as long as two builds of packages. The clone, with what was built, stays in target/release-test for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
origin=$PWD
export PATH=$origin/.tools/bin:$PATH
base=$(realpath -m target/release-test)
clone=$base/source
old=0.9.1
new=0.9.2
broken=0.9.3
export KEY=$base/test.key
# A build without link-time optimisation, for those who only change the scripts: LTO=off.
[ -z "${LTO:-}" ] || export CARGO_PROFILE_RELEASE_LTO=$LTO CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16

passed=0
step() { printf 'ok  %s\n' "$1" && passed=$((passed + 1)); }
fail() { printf 'FAILED  %s\n' "$1" && exit 1; }
release() { (cd "$clone" && VERSION=$1 bash src-tauri/packaging/release.sh) >"$base/release.log" 2>&1; }
# refuses REASON VERSION
refuses() {
  if release "$2"; then fail "a release was made: $1"; fi
  grep -q "$1" "$base/release.log" || { cat "$base/release.log" && fail "the reason is not: $1"; }
  step "refused: $1"
}
git_in() { git -C "$clone" -c user.name=Tester -c user.email=tester@example.org "$@"; }
tested() { mkdir -p "$clone/target" && git_in rev-parse HEAD >"$clone/target/tested-commit"; }

commit() { git_in commit --quiet --all --message "$1"; }
# Sets the version of Cargo.toml.
number() {
  sed -i '/^\[workspace.package\]/,/^\[/s/^version = ".*"/version = "'"$1"'"/' "$clone/Cargo.toml"
  (cd "$clone" && cargo update --workspace --quiet --offline)
}
# Names the section of the next release in the changelog.
section() { sed -i "0,/^## .*/s//## $1/" "$clone/CHANGELOG.md"; }

# Changes the byte in the middle of a file.
flip() {
  local at=$(($(stat -c %s "$1") / 2))
  local byte=x
  [ "$(tail -c "+$((at + 1))" "$1" | head -c 1)" != x ] || byte=y
  printf %s "$byte" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

bash tests/setup.sh test
bash tests/setup.sh package
mkdir -p "$base"
if [ -d "$clone" ]; then
  git -C "$clone" fetch --quiet "$origin" HEAD && git -C "$clone" checkout --quiet --force --detach FETCH_HEAD
else
  git clone --quiet --no-hardlinks "$origin" "$clone" && git -C "$clone" checkout --quiet --detach
fi
rm -rf "$clone"/target/release-* "$clone/target/tested-commit" "$KEY" "$KEY.pub"
[ -e "$clone/.tools" ] || [ ! -d .tools ] || ln -s "$origin/.tools" "$clone/.tools"

refuses 'name the version' next
refuses 'Cargo.toml has version' $old
number $old && commit 'Set the version'
refuses 'has no section' $old
section $old && commit 'Name the section'
refuses 'has not passed' $old
tested
refuses 'there is no secret key' $old
minisign -G -W -s "$KEY" -p "$KEY.pub" >/dev/null
refuses 'keys.pub has no key' $old
tail -n 1 "$KEY.pub" >>"$clone/config/release/keys.pub"
refuses 'not committed' $old
commit 'Trust the key of the test'
refuses 'has not passed' $old
for one in $old $new; do
  [ "$one" = $old ] || { number "$one" && section "$one" && commit 'Set the next version'; }
  tested
  release "$one" || { tail -n 30 "$base/release.log" && fail "release $one"; }
  step "release $one"
done

command=$clone/target/package-build/release/diffsan
folder=$clone/target/release-$new
for file in "$folder"/*; do
  cp "$file" "$base/kept"
  flip "$file"
  if "$command" verify-release "$folder" >/dev/null 2>&1; then fail "a changed $(basename "$file") is accepted"; fi
  cp "$base/kept" "$file"
done
touch "$folder/another"
if "$command" verify-release "$folder" >/dev/null 2>&1; then fail 'another file is accepted'; fi
rm "$base/kept" "$folder/another"
"$command" verify-release "$folder" || fail 'the release is refused'
step 'verify-release refuses each changed file, and another one'

# A signed release whose program ends at once.
folder=$clone/target/release-$broken
mkdir -p "$folder"
printf '#!/bin/sh\nexit 1\n' >"$folder/diffsan-$broken-$(uname -m).AppImage"
bash src-tauri/packaging/update-manifest.sh $broken "$folder"
minisign -S -s "$KEY" -c 'signature of update.json' -t "diffsan $broken update.json" -m "$folder/update.json" >/dev/null

RELEASES=$clone/target OLD=$old NEW=$new BROKEN=$broken node --test --test-reporter=spec tests/releases/window.test.mjs
printf '%d steps passed, and the update of the window\n' $passed
