#!/usr/bin/env bash
# Builds the packages of the current commit twice and compares them: in folders of different length, with another user, home folder, time
# zone, language, umask, number of jobs, and at another time. Prints the sums of both and fails if they differ.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -z "$(git status --porcelain)" ] || {
  printf 'reproduce: the work tree has changes that are not committed; the last commit is built\n' >&2
}
bash tests/setup.sh package
origin=$PWD
base=$(realpath -m "${REPRODUCE_DIR:-target/reproduce}")
rm -rf "$base"
mkdir -p "$base"
first=$base/a
second=$base/another/folder/with/a/longer/name

checkout() {
  mkdir -p "$(dirname "$1")"
  git clone --quiet --no-hardlinks "$origin" "$1"
  [ ! -d .tools ] || ln -s "$origin/.tools" "$1/.tools"
}

# Uses the downloaded packages of cargo, and extracts them into a folder of its own.
other_cargo_home() {
  mkdir -p "$1/registry"
  cp -a "${CARGO_HOME:-$HOME/.cargo}"/registry/{cache,index} "$1/registry/"
  for file in config.toml config; do
    [ ! -e "${CARGO_HOME:-$HOME/.cargo}/$file" ] || cp "${CARGO_HOME:-$HOME/.cargo}/$file" "$1/"
  done
  [ ! -e "$HOME/.npmrc" ] || cp "$HOME/.npmrc" "$1/../"
}

checkout "$first"
printf 'reproduce: first build, in %s\n' "$first" >&2
(cd "$first" && JOBS=$(nproc) bash src-tauri/packaging/package.sh)

checkout "$second"
home=$base/home
mkdir -p "$home"
other_cargo_home "$home/.cargo"
settings=(HOME="$home" CARGO_HOME="$home/.cargo" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" USER=other LOGNAME=other TZ=Asia/Kathmandu LANG=tr_TR.UTF-8 JOBS=1)
as_user=()
# Another user needs to read the toolchain, and to own the folders of its build.
if [ "$(id -u)" = 0 ] && setpriv --reuid 12345 --regid 12345 --clear-groups test -x "$(command -v cargo)" 2>/dev/null &&
  setpriv --reuid 12345 --regid 12345 --clear-groups test -r "$base" 2>/dev/null; then
  chown -R 12345:12345 "$base/another" "$home"
  as_user=(setpriv --reuid 12345 --regid 12345 --clear-groups)
else
  printf 'reproduce: the toolchain belongs to one user, so the second build has the same user in a user namespace\n' >&2
  # Make sets the group of its processes, so it needs to be one of the namespace.
  as_user=(unshare --user --map-user=12345 --map-group=12345)
fi
printf 'reproduce: second build, in %s\n' "$second" >&2
(cd "$second" && umask 077 && "${as_user[@]}" env "${settings[@]}" bash src-tauri/packaging/package.sh)

sums() { (cd "$1" && find target/packages target/package-build/release/diffsan target/package-build/release/diffsan-desktop -type f -print0 | sort -z | xargs -0 sha256sum); }
sums "$first" >"$base/first.sums"
sums "$second" >"$base/second.sums"
diff "$base/first.sums" "$base/second.sums" || {
  printf 'reproduce: the builds differ\n' >&2
  exit 1
}
cat "$base/first.sums"
printf 'reproduce: both builds are equal\n'
