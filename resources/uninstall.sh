#!/bin/sh
# uninstall.sh: takes away what `meson install` of a build put somewhere, and the folders and caches that are then empty.
# uninstall.sh BUILD
# SPDX-License-Identifier: GPL-3.0-or-later
set -e
build=${1:?usage: uninstall.sh BUILD}
log=$build/meson-logs/install-log.txt
[ -f "$log" ] || { echo "Nothing was installed from $build: $log is not there." >&2; exit 1; }

# Files first, then the folders that they leave empty, the deepest first.
folders=$(mktemp)
trap 'rm -f "$folders"' EXIT
data=
while IFS= read -r path; do
  case $path in
    '#'*|'') continue ;;
    */share/applications/*.desktop) data=${path%/applications/*} ;;
  esac
  if [ -d "$path" ] && [ ! -L "$path" ]; then echo "$path" >>"$folders"; else rm -f "$path"; fi
  dirname "$path" >>"$folders"
done <"$log"

# Each cache is made anew where others still have something in it, and goes where nobody has.
refresh () {   # folder, what is left in it when others use it, command, what the cache consists of
  [ -d "$1" ] || return 0
  if [ -n "$(find "$1" $2 2>/dev/null | head -1)" ]; then
    $3 "$1" >/dev/null 2>&1 || true
  else
    ( cd "$1" && rm -rf $4 )
    echo "$1" >>"$folders"
  fi
}
if [ -n "$data" ]; then
  refresh "$data/icons/hicolor" '-type f ! -name icon-theme.cache ! -name index.theme' 'gtk-update-icon-cache -q -t -f' icon-theme.cache
  refresh "$data/applications" '-name *.desktop' 'update-desktop-database -q' mimeinfo.cache
  refresh "$data/mime" '-path */packages/*.xml' update-mime-database \
    'aliases generic-icons globs globs2 icons magic mime.cache subclasses treemagic types version XMLnamespaces application audio font image inode message model multipart text video x-content'
fi

# Never more than is empty, and not what a prefix has from the beginning.
prefix=${data%/share}
sort -u -r "$folders" | while IFS= read -r folder; do
  while [ "$(dirname "$folder")" != "$prefix" ] && [ "$folder" != "$data/man" ] && rmdir "$folder" 2>/dev/null; do
    folder=$(dirname "$folder")
  done
done
rm -f "$log"
