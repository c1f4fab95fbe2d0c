#!/usr/bin/env bash
# Installs missing prerequisites and prints what it installs: for the window (`run`), for the command alone (`serve`), for all tests
# (`test`), for all tests and compressed screenshots (`screenshots`), for packages (`package`), for packages and their tests
# (`package-test`), or for the check of advisories (`advisories`).
# Debian packages as root or with sudo; Node, Python packages and cargo programs into .tools; nothing else outside the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-run}
tools=$PWD/.tools
export PATH=$tools/bin:$PATH

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
  printf 'setup: error: %s\n' "$*" >&2
  exit 1
}

packages=(build-essential ca-certificates cmake git libssl-dev pkg-config)
[ "$purpose" = serve ] || packages+=(fonts-noto-color-emoji libwebkit2gtk-4.1-dev)
tests=
case $purpose in test | screenshots) tests=yes ;; esac
[ -z "$tests" ] || packages+=(bubblewrap chromium dbus gnome-keyring python3-venv strace universal-ctags xvfb webkit2gtk-driver xdotool)
[ "$purpose" != screenshots ] || packages+=(pngquant)
case $purpose in package | package-test)
  packages+=(dpkg-dev libfuse3-dev liblz4-dev liblzma-dev liblzo2-dev libsquashfuse-dev libzstd-dev minisign rpm squashfs-tools xz-utils zlib1g-dev)
  ;;
esac
[ "$purpose" != package-test ] || packages+=(dbus imagemagick mmdebstrap uidmap xdotool xvfb)

install_packages() {
  command -v dpkg-query >/dev/null || {
    say "this is not a Debian system; needed are: ${packages[*]}"
    return
  }
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -Wf '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "as root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >/dev/null
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${missing[@]}" >/dev/null
}

# Whether version $1 is at least $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

need_rust() {
  local wanted have
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  have=$(rustc --version 2>/dev/null | cut -d ' ' -f 2 || true)
  [ -n "$have" ] && at_least "$have" "$wanted" && return
  if [ -z "$have" ] && apt-cache show rustup >/dev/null 2>&1; then
    install_packages rustup
    say "installing the stable Rust toolchain with rustup"
    rustup default stable && return
  fi
  fail "Rust $wanted or later is needed${have:+ (this is $have)}. Install it with rustup, then run this again."
}

need_node() {
  local wanted have
  wanted=$(sed -n 's/.*"node": ">=\(.*\)".*/\1/p' ui/package.json)
  have=$(node --version 2>/dev/null | tr -d v || true)
  if [ -n "$have" ] && at_least "$have" "$wanted" && command -v npm >/dev/null; then return; fi
  command -v npm >/dev/null || install_packages npm
  local arch
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) fail "Node $wanted or later is needed; install it, then run this again" ;;
  esac
  say "installing Node 22 into .tools (this system has ${have:-none}, $wanted is needed)"
  npm install --silent --no-audit --no-fund --prefix "$tools/node" "node-linux-$arch@22.23.3" npm@10.9.9 >/dev/null
  mkdir -p "$tools/bin"
  ln -sf "../node/node_modules/node-linux-$arch/bin/node" "$tools/bin/node"
  ln -sf ../node/node_modules/.bin/npm ../node/node_modules/.bin/npx "$tools/bin/"
}

# Installs the packages of folder $1 as its lock file has them.
npm_packages() {
  local lock mark=$1/node_modules/.installed
  lock=$(cat "$1/package.json" "$1/package-lock.json" | sha256sum)
  [ "$(cat "$mark" 2>/dev/null)" = "$lock" ] && return
  say "installing the npm packages of $1"
  (cd "$1" && npm ci --no-audit --no-fund --loglevel=error >/dev/null)
  printf '%s\n' "$lock" >"$mark"
}

# The packages of Python that file $1 names, in a folder of their own.
python_packages() {
  local lock mark=$tools/python/.installed
  lock=$(sha256sum <"$1")
  [ "$(cat "$mark" 2>/dev/null)" = "$lock" ] && return
  say "installing the Python packages of $1 into .tools"
  rm -rf "$tools/python"
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet --disable-pip-version-check -r "$1"
  printf '%s\n' "$lock" >"$mark"
}

# cargo program $1 in version $2.
cargo_program() {
  [ -x "$tools/bin/$1" ] && [ "$(cat "$tools/$1.version" 2>/dev/null)" = "$2" ] && return
  say "building $1 $2 into .tools (some minutes, once)"
  CARGO_TARGET_DIR=$tools/build cargo install --quiet --locked --root "$tools" --version "=$2" --force "$1"
  printf '%s\n' "$2" >"$tools/$1.version"
}

install_packages "${packages[@]}"
need_rust
need_node
npm_packages ui
if [ -n "$tests" ]; then
  npm_packages tests
  python_packages tests/support/python/requirements.txt
fi
if [ "$purpose" = advisories ]; then
  cargo_program cargo-deny 0.20.2
  rm -rf "$tools/build"
fi
