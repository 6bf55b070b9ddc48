#!/bin/sh
# installed.sh: the example pass, built by a user against what meson installs, by pkg-config alone, and run by the installed peep.
# installed.sh BUILD SOURCE CC
set -e
build=$1 source=$2 cc=${3:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR="$folder/root" meson install -C "$build" --no-rebuild --quiet > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

# As it would be at its place: only the prefix differs while it is staged.
mkdir "$folder/pc"
sed "s#^prefix=#prefix=$folder/root#" "$(find "$folder/root" -name peephole.pc)" > "$folder/pc/peephole.pc"
cd "$folder"
$cc -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers -shared -fPIC "$source/examples/pass/double-not.c" \
  -o double-not.so $(PKG_CONFIG_PATH="$folder/pc" pkg-config --cflags --libs peephole)

libs=$(dirname "$(find "$folder/root" -name 'libpeephole.so')")
peep=$(find "$folder/root" -path '*bin/peep')
LD_LIBRARY_PATH="$libs:$LD_LIBRARY_PATH" PEEPHOLE_PEEP="$peep" "$peep" "$source/tests/console/data/signs.onnxtxt" \
  -c 'load-pass ./double-not.so' -c 'run double-not' -c verify > out 2>&1 || { cat out; exit 1; }
grep -q 'double-not *1' out && grep -q same out || { cat out; exit 1; }
# What a reader needs is there; and all of it goes again, without a trace.
for file in LICENSE manual.md examples/pass/double-not.c examples/pass/exec-pass.sh examples/pass/signs.onnxtxt; do
  [ -s "$(find "$folder/root" -path "*/share/doc/peephole/$file")" ] || { echo "not installed: $file"; exit 1; }
done
# What an installation that is not staged makes besides.
data=$(dirname "$(find "$folder/root" -path '*share/applications')")
for make in "gtk-update-icon-cache -q -t -f $data/icons/hicolor" "update-desktop-database -q $data/applications" "update-mime-database $data/mime"; do
  $make 2>/dev/null || true
done
"$source/resources/uninstall.sh" "$build"
left=$(find "$folder/root" ! -type d)
[ -z "$left" ] || { echo "make uninstall leaves"; echo "$left"; exit 1; }

echo "ok: built with pkg-config --cflags --libs peephole, loaded, run"
