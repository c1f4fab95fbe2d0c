#!/usr/bin/env bash
# Builds the packages of this system into target/packages, or into OUTPUT.
# Linux: .deb, .rpm, AppImage, the command as a tarball, and the sources. macOS and Windows: the bundles of src-tauri/tauri.conf.json.
# PROGRAMS=folder packs programs that exist. The tests of packages need PACKAGE_VERSION=x.y.z, another version, and LEVEL=1, which
# compresses less and faster.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PWD/.tools/bin:$PATH
output=$(realpath -m "${OUTPUT:-target/packages}")
work=$(realpath -m "${WORK:-target/packaging}")
version=${PACKAGE_VERSION:-$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)}

if [ "$(uname -s)" != Linux ]; then
  bash tests/setup.sh run
  (cd ui && npm run --silent build -- --logLevel warn)
  (cd src-tauri && npx --yes @tauri-apps/cli@2 build)
  exit
fi

[ -n "${PROGRAMS:-}" ] || bash tests/setup.sh package
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
machine=$(uname -m)
export LEVEL=${LEVEL:-9}
if [ -z "${PROGRAMS:-}" ]; then
  bash src-tauri/packaging/build.sh target/package-build
  PROGRAMS=target/package-build/release
fi
rm -rf "$output" "$work"
mkdir -p "$output" "$work"
staged=$work/staged
bash src-tauri/packaging/stage.sh "$PROGRAMS" "$staged"

same_time() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

deb() {
  local root=$work/deb size needed
  cp -a "$staged" "$root"
  mkdir -p "$root/usr/share/zsh/vendor-completions" "$root/DEBIAN" "$work/debian"
  mv "$root/usr/share/zsh/site-functions/_diffsan" "$root/usr/share/zsh/vendor-completions/"
  rmdir "$root/usr/share/zsh/site-functions"
  printf 'Source: diffsan\n\nPackage: diffsan\nArchitecture: any\n' >"$work/debian/control"
  needed=$(cd "$work" && dpkg-shlibdeps -O deb/usr/bin/diffsan deb/usr/bin/diffsan-desktop 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
  size=$(find "$root/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
  cat >"$root/DEBIAN/control" <<END
Package: diffsan
Version: ${version/-/\~}
Architecture: $(dpkg --print-architecture)
Maintainer: the authors of diffsan <packages@diffsan.invalid>
Installed-Size: $size
Depends: $needed
Recommends: bubblewrap, xdg-utils
Section: vcs
Priority: optional
Description: Review code changes with an AI agent, safely
 diffsan takes a change from git, a patch or a GitLab merge request, masks
 secrets, sends the rest to an agent, and checks every finding against the code.
 It has a window and a command, and a reviewer that works offline.
END
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  same_time "$root"
  dpkg-deb --root-owner-group -Zxz "-z$LEVEL" --build "$root" "$output/diffsan_${version}_$(dpkg --print-architecture).deb" >/dev/null
}

rpm_package() {
  rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "staged $staged" --define "package_version ${version/-/\~}" \
    --define "_buildhost reproducible" --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
    --define "_binary_payload w$((LEVEL * 2 + 1)).zstdio" --define "_rpmdir $work/rpm/out" src-tauri/packaging/diffsan.spec
  mv "$work/rpm/out/$machine"/*.rpm "$output/"
}

tarball() {
  local name=diffsan-$version-linux-$machine root
  root=$work/tarball/$name
  mkdir -p "$root/bin" "$root/share"
  cp -a "$staged/usr/bin/diffsan" "$root/bin/"
  cp -a "$staged/usr/share"/{man,bash-completion,fish,zsh} "$root/share/"
  cp LICENSE-MIT LICENSE-APACHE "$root/"
  cp ui/public/licences.txt "$root/licences.txt"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work/tarball" -c "$name" | xz "-$LEVEL" -T1 >"$output/$name.tar.xz"
}

# The sources with the built interface, so that `cargo install` needs no npm.
source_archive() {
  local name=diffsan-$version-source
  mkdir -p "$work/source"
  git archive --prefix="$name/" HEAD | tar -x -C "$work/source"
  cp -r ui/dist "$work/source/$name/ui/"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -C "$work/source" -c "$name" |
    xz "-$LEVEL" -T1 >"$output/$name.tar.xz"
}

deb
rpm_package
bash src-tauri/packaging/appimage.sh "$staged" "$work/appimage" "$output/diffsan-$version-$machine.AppImage"
tarball
source_archive
(cd "$output" && for file in *; do printf '%5.1f MB  %s\n' "$(stat -c %s "$file" | awk '{ print $1 / 1e6 }')" "$file"; done)
for program in diffsan diffsan-desktop; do
  printf '%5.1f MB  %s\n' "$(stat -c %s "$PROGRAMS/$program" | awk '{ print $1 / 1e6 }')" "$program"
done
