#!/usr/bin/env bash
# Writes the evidence of a release into its folder: bills of materials, licences and the section of the changelog.
# Usage: src-tauri/packaging/evidence.sh VERSION FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PWD/.tools/bin:$PATH
version=$1
folder=$2
node src-tauri/packaging/bill-of-materials.mjs rust "$version" >"$folder/diffsan-rust.cdx.json"
node src-tauri/packaging/bill-of-materials.mjs javascript "$version" >"$folder/diffsan-javascript.cdx.json"
cp ui/public/licences.txt "$folder/licences.txt"
bash src-tauri/packaging/changes.sh "$version" >"$folder/CHANGELOG.md"
