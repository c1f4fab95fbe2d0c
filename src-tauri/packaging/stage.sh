#!/usr/bin/env bash
# Puts the files of a package into an empty folder, as they are on a system.
# Usage: src-tauri/packaging/stage.sh PROGRAMS FOLDER: PROGRAMS has diffsan and diffsan-desktop.
set -euo pipefail
cd "$(dirname "$0")/../.."
programs=$1
root=$2
share=$root/usr/share
umask 022

rm -rf "$root"
install -D -m 755 -t "$root/usr/bin" "$programs/diffsan" "$programs/diffsan-desktop"
"$programs/diffsan" manual "$share"
gzip -9 -n "$share"/man/man1/*.1

mkdir -p "$share/applications"
sed -e 's/{{exec}}/diffsan-desktop/' -e 's/{{icon}}/diffsan/' src-tauri/diffsan.desktop >"$share/applications/dev.diffsan.desk.desktop"
icons=$share/icons/hicolor
install -D -m 644 icons/32x32.png "$icons/32x32/apps/diffsan.png"
install -D -m 644 icons/128x128.png "$icons/128x128/apps/diffsan.png"
install -D -m 644 icons/128x128@2x.png "$icons/256x256/apps/diffsan.png"
install -D -m 644 icons/icon.svg "$icons/scalable/apps/diffsan.svg"
install -D -m 644 src-tauri/packaging/diffsan.xml "$share/mime/packages/diffsan.xml"

doc=$share/doc/diffsan
install -D -m 644 -t "$doc" src-tauri/packaging/copyright LICENSE-MIT LICENSE-APACHE
gzip -9 -n <CHANGELOG.md >"$doc/changelog.gz"
gzip -9 -n <ui/public/licences.txt >"$doc/licences.txt.gz"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
