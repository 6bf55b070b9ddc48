#!/bin/sh
# style.sh: what a reader may rely on in every file: its first lines, its length, one order of includes, one spelling.
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$1" || exit 1
LC_ALL=C
export LC_ALL
failed=0

complain () {   # what is wrong, where
  [ -z "$2" ] && return
  echo "$1:"
  echo "$2"
  failed=1
}

files=$(find app core examples layout-helper passes tests views -name '*.c' -o -name '*.h' -o -name '*.inc' | sort)
headers=$(echo "$files" | grep '\.h$')
sources=$(echo "$files" | grep '\.[ch]$')

complain 'more than 600 lines: two files, each of one idea' "$(wc -l $files | awk '$1 > 600 && $2 != "total" { print $2 ": " $1 " lines" }')"
complain 'the first line is "/* NAME: what it is", and the licence follows' "$(awk '
  FNR == 1 { n = split (FILENAME, parts, "/"); if (index ($0, "/* " parts[n] ": ") != 1) print FILENAME; licence = 0 }
  FNR <= 25 && /^ \* SPDX-License-Identifier: (GPL-3.0-or-later|MIT)( \*\/)?$/ { licence = 1 }
  FNR == 25 && !licence { print FILENAME ": no licence" }' $sources)"
complain 'a header begins with #pragma once' "$(grep -L '^#pragma once$' $headers)"
complain 'a tab, a carriage return, or a space at the end of a line' "$(grep -nE "$(printf '\t|\r')|[[:space:]]\$" $files)"
complain 'a blank line at the end, or no end of the last line' "$(for file in $files; do [ -n "$(tail -n 1 "$file")" ] && [ -z "$(tail -c 1 "$file")" ] || echo "$file"; done)"
# A file's own header first; then, in each block, by name.
complain 'includes are not in order' "$(awk '
  FNR == 1 { before = ""; first = 1; own = FILENAME; sub (/\.c$/, ".h", own); own = "\"" own "\"" }
  /^#include / { kind = substr ($2, 1, 1)
                 if (!(first && $2 == own)) { if (before != "" && kind == of && $2 < before) print FILENAME ":" FNR ": " $2; before = $2; of = kind }
                 first = 0; next }
  { before = "" }' $sources)"
complain 'g_autoptr (Type), with a space, as all calls' "$(grep -nE '\bg_auto(ptr|list|slist)?\(' $files)"
complain 'a type of one name in two headers' "$(sed -nE 's/^\} (Ph[A-Za-z0-9]+);.*/\1/p; s/^typedef struct \{.*\} (Ph[A-Za-z0-9]+);.*/\1/p' $headers | sort | uniq -d)"
complain 'a decimal comma in some languages: core/number.h' "$(grep -nE 'g_(strdup|string_append|string)_?printf \(.*%[-+ #0]*[0-9*]*(\.([1-9][0-9]*|\*))?[feg]([^a-z]|$)' \
  $(echo "$files" | grep -E '^(core|passes)/'))"
complain 'a note to oneself' "$(grep -nwE 'TODO|FIXME|XXX|WIP|HACK' $files)"
exit $failed
