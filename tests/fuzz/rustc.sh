#!/bin/sh
# Compiles a crate of this repository with the counters that libFuzzer reads. Cargo calls it as RUSTC_WORKSPACE_WRAPPER, so that other
# crates are compiled once for tests and fuzz targets. The flags are those of `cargo fuzz`, and work with the stable compiler. Debug
# assertions stay on. A build script runs without libFuzzer, so it has no counters. Clippy compiles the targets themselves, which no other
# build reads.
case " $* " in *' --crate-name build_script_'*) exec "$@" ;; esac
[ "$CARGO_PKG_NAME" != diffsan-fuzz ] || set -- clippy-driver "$@" -Dwarnings
exec "$@" --cfg fuzzing -Copt-level=1 -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares
