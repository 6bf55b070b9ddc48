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

# LLVM's opt, of a version that knows the pointers of the examples.
has_opt ()
{
  for version in $(seq 14 30); do command -v "opt-$version" >/dev/null && return; done
  opt --version 2>/dev/null | grep -qE 'LLVM version (1[4-9]|[2-9][0-9])'
}

# Lines of code that begin with "peep resources/...", each in an empty folder.
grep -hE '^    peep resources/' docs/manual.md README.md CONTRIBUTING.md | sed 's/ *#.*//' >"${TMPDIR:-/tmp}/lines.$$"
while read -r line; do
  case $line in
  *"'llvm "*) has_opt || { echo "not tried, there is no opt of LLVM 14 or later (Debian: llvm-19): $line"; continue; } ;;
  esac
  folder=$(mktemp -d)
  said=$(cd "$folder" && sh -c "$(echo "$line" | sed "s|^peep resources/|'$peep' '$1'/resources/|")" 2>&1 </dev/null) ||
    { echo "the manual's line fails: $line"; echo "$said"; failed=1; }
  rm -rf "$folder"
done <"${TMPDIR:-/tmp}/lines.$$"
rm "${TMPDIR:-/tmp}/lines.$$"
exit $failed
