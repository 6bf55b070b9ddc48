#!/bin/sh
# manual.sh: docs/manual.md names every command, and what it and README.md show of bundled examples runs.
# manual.sh SOURCE PEEP
# SPDX-License-Identifier: GPL-3.0-or-later
peep=$(realpath "$2")
cd "$1" || exit 1
failed=0
"$peep" --json -c help | grep -o '"name": "[^"]*"' | cut -d '"' -f 4 >"${TMPDIR:-/tmp}/commands.$$"
[ -s "${TMPDIR:-/tmp}/commands.$$" ] || { echo "help lists no commands"; failed=1; }
while read -r command; do
  grep -qE "\`$command[\` ]" docs/manual.md || { echo "docs/manual.md says nothing of the command '$command'"; failed=1; }
done <"${TMPDIR:-/tmp}/commands.$$"
rm "${TMPDIR:-/tmp}/commands.$$"

# Lines of code that begin with "peep resources/...", each in an empty folder.
grep -hE '^    peep resources/' docs/manual.md README.md CONTRIBUTING.md | sed 's/ *#.*//' >"${TMPDIR:-/tmp}/lines.$$"
while read -r line; do
  case $line in
  *"'llvm "*) command -v opt >/dev/null || command -v opt-19 >/dev/null || { echo "not tried, there is no opt (Debian: llvm-19): $line"; continue; } ;;
  esac
  folder=$(mktemp -d)
  said=$(cd "$folder" && sh -c "$(echo "$line" | sed "s|^peep resources/|'$peep' '$1'/resources/|")" 2>&1 </dev/null) ||
    { echo "the manual's line fails: $line"; echo "$said"; failed=1; }
  rm -rf "$folder"
done <"${TMPDIR:-/tmp}/lines.$$"
rm "${TMPDIR:-/tmp}/lines.$$"
exit $failed
