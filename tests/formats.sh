#!/bin/sh
# formats.sh: the formats stand in one list, core/io/formats: the manual's table is made of it, and nothing else names patterns or types.
# SPDX-License-Identifier: GPL-3.0-or-later
peep=$(realpath "$2")
cd "$1" || exit 1
failed=0
others=$(grep -rnE '"\*\.|application/x-|text/x-' core passes app views resources --include='*.c' --include='*.h' --include='*.in' --include='*.xml' |
         grep -vE '^core/io/format(s/|.h:)|script_patterns\[\]|^views/(export-dialog|inspector-value)')
if [ -n "$others" ]; then
  echo "a list of formats beside core/io/formats:"
  echo "$others"
  failed=1
fi
table=$("$peep" --help-formats manual)
if ! awk '/^\| format \|/, /^$/' docs/manual.md | sed '/^$/d' | diff - /dev/fd/3 3<<END
$table
END
then
  echo "docs/manual.md: the table of formats is not that of peep --help-formats manual"
  failed=1
fi
exit $failed
