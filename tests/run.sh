#!/usr/bin/env bash
# Builds diffsan and opens it: on REPO, else on this checkout where it has changes, else on the bundled sample.
# Without a display it serves the same interface to a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.tools/bin:$PATH
display=${DISPLAY:-}${WAYLAND_DISPLAY:-}
if [ -n "$display" ]; then bash tests/setup.sh run; else bash tests/setup.sh serve; fi

dist=ui/dist/index.html
if [ ! -e "$dist" ] || [ -n "$(find ui/src ui/public ui/index.html ui/package.json ui/vite.config.ts -newer "$dist" -print -quit)" ]; then
  (cd ui && npm run --silent build -- --logLevel warn)
fi

if [ -n "${REPO:-}" ]; then
  repo=$REPO
elif [ -n "$(git status --porcelain 2>/dev/null)" ]; then
  repo=$PWD
else
  repo=
fi

# The first build takes some minutes, and shows how far it is.
build() {
  if [ -x "target/local/$1" ]; then
    cargo build --quiet --profile local --package "$1"
  else
    echo "Building diffsan (some minutes, once)" >&2
    cargo build --profile local --package "$1"
  fi
}

if [ -n "$display" ]; then
  build diffsan-desktop
  exec target/local/diffsan-desktop "${repo:---sample}"
fi
echo "There is no display: serving the interface on this machine instead." >&2
build diffsan
if [ -n "$repo" ]; then exec target/local/diffsan serve --repo "$repo"; fi
exec target/local/diffsan serve --sample
