#!/usr/bin/env bash
# Makes a key pair that signs releases. The secret key stays with its maintainer, behind a password; the public key is committed.
set -euo pipefail
cd "$(dirname "$0")/../.."
key=${KEY:-$HOME/.minisign/minisign.key}
mkdir -p "$(dirname "$key")"
chmod 700 "$(dirname "$key")"
minisign -G -s "$key" -p "$key.pub"
tail -n 1 "$key.pub" >>config/release/keys.pub
printf 'Commit config/release/keys.pub. Keep a copy of %s in a safe place.\n' "$key"
