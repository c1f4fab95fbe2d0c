#!/usr/bin/env bash
# Checks how an installed package fits into the system: manual pages, completions, desktop entry, icon, MIME type, URL scheme.
set -euo pipefail
page=$(zcat /usr/share/man/man1/diffsan-review.1.gz)
grep -q -- '--agent\|\\-\\-agent' <<<"$page"
[ "$(find /usr/share/man/man1 -name 'diffsan*.1.gz' | wc -l)" -gt 15 ]
# The script is sourced as the shell does it, so that the function can complete a word.
completed=$(bash -c 'source /usr/share/bash-completion/completions/diffsan; COMP_WORDS=(diffsan rev) COMP_CWORD=1; _diffsan diffsan rev diffsan; printf "%s\n" "${COMPREPLY[@]}"')
grep -qx review <<<"$completed"
test -s /usr/share/fish/vendor_completions.d/diffsan.fish
test -s /usr/share/zsh/vendor-completions/_diffsan -o -s /usr/share/zsh/site-functions/_diffsan
desktop-file-validate /usr/share/applications/dev.diffsan.desk.desktop
for size in 32x32 128x128 256x256; do test -s "/usr/share/icons/hicolor/$size/apps/diffsan.png"; done
test -s /usr/share/icons/hicolor/scalable/apps/diffsan.svg
grep -q dev.diffsan.desk.desktop <<<"$(gio mime x-scheme-handler/diffsan)"
printf -- '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n' >"$HOME/change.patch"
grep -q text/x-patch <<<"$(gio info -a standard::content-type "$HOME/change.patch")"
grep -q dev.diffsan.desk.desktop <<<"$(gio mime text/x-patch)"
test -s /usr/share/doc/diffsan/licences.txt.gz -a -s /usr/share/doc/diffsan/copyright -a -s /usr/share/doc/diffsan/changelog.gz
