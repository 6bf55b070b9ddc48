#!/bin/sh
# manual.sh: the manual pages are read by man without a warning, in the poorest of locales, and have what they should.
# manual.sh PEEP.1 PEEPHOLE.1
# SPDX-License-Identifier: GPL-3.0-or-later
command -v man >/dev/null || { echo "there is no man: install man-db"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for page in "$1" "$2"; do
  LC_ALL=C MANPAGER=cat MANWIDTH=100 man --warnings -l "$page" >"$folder/$(basename "$page")" 2>"$folder/said" || { echo "man does not format $page here: $(cat "$folder/said") (Debian's containers have man back after unminimize)"; exit 77; }
  [ ! -s "$folder/said" ] || { echo "$page:"; cat "$folder/said"; exit 1; }
done
expect () {   # page, what
  grep -q -e "$2" "$folder/$1" || { echo "$1 has no $2"; exit 1; }
}
for page in peep.1 peephole.1; do
  for what in --help --version ^OPTIONS ^FILES ^ENVIRONMENT; do expect $page "$what"; done
done
expect peephole.1 'session.ini'
expect peephole.1 'PEEPHOLE_LAYOUT'
