#!/usr/bin/env bash
# Builds an AppImage of staged files. The window uses the system's WebKitGTK.
# Usage: src-tauri/packaging/appimage.sh STAGED WORK OUTPUT, with LEVEL of the compression from 1 to 9.
set -euo pipefail
cd "$(dirname "$0")/../.."
staged=$1
work=$2
output=$3

rm -rf "$work"
mkdir -p "$work"
sed 's/sqfs_usage(argv\[0\], true, true)/sqfs_usage(argv[0], true)/' src-tauri/packaging/appimage/runtime.c >"$work/runtime.c"
mkdir -p "$work/include/squashfuse"
cp src-tauri/packaging/appimage/fuseprivate.h "$work/include/squashfuse/"
# The libraries call functions that glibc can only find when the program runs, such as names of users. The runtime does not reach them.
(
  cd "$work"
  gcc -std=gnu99 -Os -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 '-DGIT_COMMIT="caf24f9"' -ffile-prefix-map="$PWD"=. \
    -Iinclude $(pkg-config --cflags fuse3) -ffunction-sections -fdata-sections -w \
    -fPIE -static-pie -Wl,--gc-sections -Wl,--no-warnings -Wl,--build-id=none -T "$OLDPWD/src-tauri/packaging/appimage/data_sections.ld" \
    runtime.c -lsquashfuse_ll -lsquashfuse -lzstd -lz -llzma -llz4 -llzo2 -lfuse3 -lpthread -ldl -o runtime
  strip runtime
)
# The mark of an AppImage of type 2, in bytes that the format of programs leaves free.
printf 'AI\002' | dd of="$work/runtime" bs=1 seek=8 conv=notrunc status=none

app=$work/AppDir
cp -a "$staged" "$app"
cp src-tauri/packaging/appimage/AppRun "$app/"
cp "$app/usr/share/applications/dev.diffsan.desk.desktop" "$app/"
cp "$app/usr/share/icons/hicolor/256x256/apps/diffsan.png" "$app/"
ln -s diffsan.png "$app/.DirIcon"
find "$app" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
mksquashfs "$app" "$work/files.squashfs" -noappend -root-owned -comp zstd -Xcompression-level $((LEVEL * 2 + 1)) -b 1M -no-xattrs -quiet -no-progress
cat "$work/runtime" "$work/files.squashfs" >"$output"
chmod 755 "$output"
