#!/usr/bin/env bash
# Builds the interface and both programs for packages, so that the result does not depend on the folder, the user or the time.
# Usage: src-tauri/packaging/build.sh FOLDER: the programs are written to FOLDER/release.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$(realpath -m "$1")
export PATH=$PWD/.tools/bin:$PATH
export LC_ALL=C.UTF-8 TZ=UTC
umask 022

(cd ui && npm run --silent build -- --logLevel warn)

# Names of folders are part of messages in programs. They are replaced by the same short names everywhere.
sources=$(realpath "${CARGO_HOME:-$HOME/.cargo}")
toolchain=$(rustc --print sysroot)
map=()
for pair in "$PWD=/diffsan" "$target=/target" "$sources/registry/src=/packages" "$sources=/cargo" "$toolchain/lib/rustlib/src/rust=/rust"; do
  map+=("--remap-path-prefix=$pair")
  export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$pair" CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$pair"
done
CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${map[@]}" | sed 's/\x1f$//')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export CARGO_ENCODED_RUSTFLAGS SOURCE_DATE_EPOCH
unset RUSTFLAGS
CARGO_TARGET_DIR=$target cargo build --release --locked ${JOBS:+--jobs "$JOBS"} --package diffsan --package diffsan-desktop
