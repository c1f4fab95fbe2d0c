#!/usr/bin/env bash
# Tests the packages of `make package` in clean roots of Debian: install, manual page, completions, a review of the sample by the
# capability reviewer, the window, a diffsan:// link, an upgrade with data, removal without leftovers.
# Usage: tests/packages.sh [KIND...]: deb, rpm, appimage, tarball; all of them by default.
set -uo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || exec unshare --user --map-root-user --map-auto "$0" "$@"
packages=$(realpath "${PACKAGES:-target/packages}")
work=$(realpath -m target/package-test)
base=$(realpath -m "${ROOT_TAR:-target/package-roots/base.tar}")
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(deb rpm appimage tarball)
failed=0
passed=0

# A clean root with the tools that a desktop has, kept between runs. It comes from the package sources of this system.
make_base() {
  [ -s "$base" ] && return
  printf 'packages: making a clean root (some minutes, once)\n' >&2
  mkdir -p "$(dirname "$base")"
  local codename options=() file
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  for file in /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || options+=("--aptopt=$file"); done
  local sources=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources) existing=()
  for file in "${sources[@]}"; do [ ! -e "$file" ] || existing+=("$file"); done
  mmdebstrap --quiet --format=tar --variant=apt --skip=cleanup/apt/lists "${options[@]}" \
    --include=ca-certificates,dbus,desktop-file-utils,fonts-dejavu-core,fuse3,git,libglib2.0-bin,rpm,shared-mime-info,xdg-utils,xz-utils \
    "$codename" "$base.part" "${existing[@]}" && mv "$base.part" "$base"
}

new_root() {
  rm -rf "$1" && mkdir -p "$1" && tar -xpf "$base" -C "$1" --exclude='./dev/*' || return
  cp -L /etc/resolv.conf "$1/etc/resolv.conf"
  mkdir -p "$1/packages" "$1/old" "$1/tests" "$1/shared"
  chroot "$1" useradd --create-home reviewer
  chmod 1777 "$1/shared"
  cp -r config/sample "$1/shared/sample"
}

# inside ROOT USER COMMAND...: runs a command in a root, in namespaces of its own. Nothing that it starts survives it.
inside() {
  unshare --mount --pid --fork --kill-child bash -c '
    root=$1 user=$2 display=$3 packages=$4 old=$5 tests=$6
    shift 6
    mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc" || exit
    mount -t tmpfs tmp "$root/tmp" && chmod 1777 "$root/tmp" && mkdir -p "$root/tmp/.X11-unix"
    mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
    mount --bind "$packages" "$root/packages"
    [ ! -d "$old" ] || mount --bind "$old" "$root/old"
    mount --bind "$tests" "$root/tests"
    home=$([ "$user" = root ] && printf /root || printf "/home/%s" "$user")
    exec env -i HOME="$home" USER="$user" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 DISPLAY="$display" GDK_BACKEND=x11 \
      NO_AT_BRIDGE=1 LIBGL_ALWAYS_SOFTWARE=1 WEBKIT_DISABLE_DMABUF_RENDERER=1 chroot --userspec="$user" "$root" sh -c '\''cd "$HOME" && exec "$@"'\'' inside "$@"
  ' inside "$1" "$2" "$display" "$packages" "$work/old" "$PWD/tests/packages" "${@:3}"
}

# check NAME COMMAND...
check() {
  local name=$1 output from=$SECONDS
  shift
  if output=$("$@" 2>&1); then
    printf 'ok      %3d s  %s\n' $((SECONDS - from)) "$name"
    passed=$((passed + 1))
  else
    printf 'FAILED  %3d s  %s\n%s\n' $((SECONDS - from)) "$name" "$(tail -n 40 <<<"$output")"
    failed=$((failed + 1))
  fi
}

# All files of a root, except data of people and of the package managers.
files() {
  (cd "$1" && find . -xdev \( -path ./home -o -path ./root -o -path ./proc -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./packages \
    -o -path ./old -o -path ./tests -o -path ./shared -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/rpm \
    -o -path ./usr/lib/sysimage \) -prune -o -print | grep -vE '/(mimeinfo|icon-theme)\.cache$|/usr/share/mime/' | sort)
}
same_files() { diff "$work/$1.before" <(files "$2"); }

# Waits until the display has a window with a title that matches a pattern.
window() { timeout 90 env DISPLAY="$display" xdotool search --sync --onlyvisible --name "$1" >/dev/null; }

# A picture of the display has more than an empty page.
painted() {
  local picture=$work/pictures/$1.png colours
  for _ in $(seq 30); do
    DISPLAY=$display import -window root "$picture" && colours=$(identify -format %k "$picture")
    [ "${colours:-0}" -gt 200 ] && return
    sleep 1
  done
  printf 'only %s colours\n' "$colours"
  return 1
}

# The window asks before it opens a repository from a link that it has never opened. Its question dims the rest, so most of the
# picture `$1-sample` changes. The answer is given by key.
asks() {
  local changed
  for _ in $(seq 60); do
    sleep 1
    DISPLAY=$display import -window root "$work/pictures/$1-question.png" || continue
    changed=$(compare -metric AE "$work/pictures/$1-sample.png" "$work/pictures/$1-question.png" null: 2>&1)
    changed=$(printf %.0f "$changed")
    [ "$changed" -gt 600000 ] || continue
    sleep 1
    DISPLAY=$display xdotool key Tab Return
    return
  done
  printf 'only %s pixels changed\n' "$changed"
  return 1
}

# desktop KIND ROOT PROGRAM: the window of a program opens the sample, and a link opens another repository in it.
desktop() {
  local kind=$1 root=$2 session
  inside "$root" reviewer bash /tests/desktop.sh "$3" "$4" >"$work/$kind.desktop.log" 2>&1 &
  session=$!
  check "$kind: the window opens the sample" window 'topic/refunds – sample – diffsan$'
  check "$kind: the window is painted" painted "$kind-sample"
  touch "$root/shared/open-link"
  check "$kind: a diffsan:// link asks for its repository" asks "$kind"
  check "$kind: a diffsan:// link opens its repository" window 'linked – diffsan$'
  check "$kind: the window of the link is painted" painted "$kind-link"
  touch "$root/shared/end"
  wait "$session"
  check "$kind: the window ends by itself" test -e "$root/shared/ended"
}

test_deb() {
  local root=$work/deb new old
  new=$(basename "$packages"/diffsan_*.deb)
  old=$(basename "$work"/old/diffsan_*.deb)
  new_root "$root" || return
  # The dependencies stay when the package goes, so they are installed first.
  check 'deb: the dependencies are installed' inside "$root" root bash -c "apt-get update -q && apt-get install -yq --no-install-recommends \$(dpkg-deb -f /packages/$new Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')"
  files "$root" >"$work/deb.before"
  check 'deb: an older version is installed' inside "$root" root apt-get install -yq --no-install-recommends "/old/$old"
  check 'deb: the older version reviews the sample' inside "$root" reviewer bash /tests/review.sh diffsan
  check 'deb: it is upgraded' inside "$root" root apt-get install -yq --no-install-recommends "/packages/$new"
  check 'deb: the data of the older version are there' inside "$root" reviewer bash /tests/history.sh diffsan
  check 'deb: the new version reviews the sample' inside "$root" reviewer bash /tests/review.sh diffsan
  check 'deb: manual page, completions, desktop entry' inside "$root" reviewer bash /tests/integration.sh
  desktop deb "$root" diffsan-desktop 'gio open'
  check 'deb: it is removed' inside "$root" root apt-get purge -yq diffsan
  check 'deb: nothing is left' same_files deb "$root"
  cp "$root/etc/resolv.conf" "$work/resolv.conf"
}

# Debian has no packages of RPM, so the dependencies are installed by apt, and the names of libraries are checked one by one.
test_rpm() {
  local root=$work/rpm new old
  new=$(basename "$packages"/*.rpm)
  old=$(basename "$work"/old/*.rpm)
  new_root "$root" || return
  check 'rpm: libraries are installed' inside "$root" root bash -c 'apt-get update -q && apt-get install -yq --no-install-recommends libwebkit2gtk-4.1-0'
  files "$root" >"$work/rpm.before"
  check 'rpm: every required library exists' inside "$root" root bash -c "rpm -qpR /packages/$new | sed -n 's/^\(lib[^(]*\|ld-[^(]*\)(.*/\1/p' | sort -u | while read -r name; do ldconfig -p | grep -qF \"\$name \" || { echo \"missing: \$name\"; exit 1; }; done"
  check 'rpm: an older version is installed' inside "$root" root rpm -i --nodeps "/old/$old"
  check 'rpm: the older version reviews the sample' inside "$root" reviewer bash /tests/review.sh diffsan
  check 'rpm: it is upgraded' inside "$root" root rpm -U --nodeps "/packages/$new"
  check 'rpm: the data of the older version are there' inside "$root" reviewer bash /tests/history.sh diffsan
  # Systems with RPM run these after each installation.
  check 'rpm: caches are updated' inside "$root" root bash -c 'update-desktop-database && update-mime-database /usr/share/mime'
  check 'rpm: manual page, completions, desktop entry' inside "$root" reviewer bash /tests/integration.sh
  desktop rpm "$root" diffsan-desktop 'gio open'
  check 'rpm: it is removed' inside "$root" root rpm -e diffsan
  check 'rpm: nothing is left' same_files rpm "$root"
}

test_appimage() {
  local root=$work/appimage new image
  new=$(basename "$packages"/*.AppImage)
  image=/home/reviewer/$new
  new_root "$root" || return
  check 'appimage: it is copied' inside "$root" reviewer cp "/packages/$new" "/old/$(basename "$work"/old/*.AppImage)" /home/reviewer/
  check 'appimage: a link with the name of the command starts the command' inside "$root" reviewer bash -c "mkdir -p bin && ln -s '$image' bin/diffsan && APPIMAGE_EXTRACT_AND_RUN=1 bin/diffsan --version"
  check 'appimage: without WebKitGTK it names the package and serves the page' inside "$root" reviewer bash -c "APPIMAGE_EXTRACT_AND_RUN=1 timeout 20 '$image' --sample >out 2>&1; grep -q libwebkit2gtk-4.1-0 out && grep -q http://127.0.0.1 out"
  check 'appimage: WebKitGTK is installed' inside "$root" root bash -c 'apt-get update -q && apt-get install -yq --no-install-recommends libwebkit2gtk-4.1-0'
  check 'appimage: the older version reviews the sample' inside "$root" reviewer bash -c "ln -sf /home/reviewer/diffsan-0.0.1*.AppImage bin/diffsan; APPIMAGE_EXTRACT_AND_RUN=1 bash /tests/review.sh bin/diffsan"
  check 'appimage: the data of the older version are there' inside "$root" reviewer bash -c "ln -sf '$image' bin/diffsan; APPIMAGE_EXTRACT_AND_RUN=1 bash /tests/history.sh bin/diffsan"
  if inside "$root" reviewer test -w /dev/fuse || [ "$(id -u)" = 0 ]; then
    check 'appimage: it mounts itself' inside "$root" root bash -c "cd /root && mkdir -p bin && ln -sf '$image' bin/diffsan && bin/diffsan --version"
  fi
  desktop appimage "$root" "$image --appimage-extract-and-run" "$image --appimage-extract-and-run"
  check 'appimage: it is removed' inside "$root" reviewer bash -c 'rm *.AppImage && ! ls -d /tmp/appimage_extracted_* 2>/dev/null'
}

test_tarball() {
  local root=$work/tarball new name
  new=$(basename "$packages"/*-linux-*.tar.xz)
  name=${new%.tar.xz}
  new_root "$root" || return
  check 'tarball: it is extracted' inside "$root" reviewer tar -xf "/packages/$new"
  check 'tarball: it reviews the sample' inside "$root" reviewer bash /tests/review.sh "/home/reviewer/$name/bin/diffsan"
  check 'tarball: the command needs no library of a desktop' inside "$root" reviewer bash -c "test -x $name/bin/diffsan && ! ldd $name/bin/diffsan | grep -E 'not found|gtk|webkit|X11'"
  check 'tarball: it has manual pages and completions' inside "$root" reviewer bash -c "zcat $name/share/man/man1/diffsan.1.gz | grep -q diffsan && test -s $name/share/bash-completion/completions/diffsan -a -s $name/share/zsh/site-functions/_diffsan -a -s $name/share/fish/vendor_completions.d/diffsan.fish"
}

make_base || exit 1
rm -rf "$work"
mkdir -p "$work/pictures"
# The same programs as packages of an older version.
PROGRAMS=${PROGRAMS:-target/package-build/release} PACKAGE_VERSION=0.0.1 LEVEL=1 OUTPUT=$work/old WORK=$work/packaging bash src-tauri/packaging/package.sh >/dev/null || exit 1

exec 3<>"$work/display"
Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp -noreset -ac >/dev/null 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null' EXIT
until [ -s "$work/display" ]; do sleep 0.2; done
display=:$(cat "$work/display")

for kind in "${kinds[@]}"; do
  "test_$kind"
  chmod -R u+w "$work/$kind" 2>/dev/null && rm -rf "${work:?}/$kind"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
