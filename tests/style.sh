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
complain 'a function of more than 100 lines: several, each of one idea' "$(awk '
  /^{$/ { start = FNR }
  /^}$/ { if (start > 0 && FNR - start >= 100) print FILENAME ":" start ": " FNR - start + 1 " lines"; start = 0 }
  FNR == 1 { start = 0 }' $sources)"
product=$(echo "$headers" | grep -v '^tests/')
complain 'a header of more than 100 lines: it fits on a screen' "$(wc -l $product | awk '$1 > 100 && $2 != "total" { print $2 ": " $1 " lines" }')"
complain 'the first line is "/* NAME: what it is", and the licence follows' "$(awk '
  FNR == 1 { n = split (FILENAME, parts, "/"); if (index ($0, "/* " parts[n] ": ") != 1) print FILENAME; licence = 0 }
  FNR <= 25 && /^ \* SPDX-License-Identifier: (GPL-3.0-or-later|MIT)( \*\/)?$/ { licence = 1 }
  FNR == 25 && !licence { print FILENAME ": no licence" }' $sources)"
complain 'a header begins with #pragma once' "$(grep -L '^#pragma once$' $headers)"
complain 'a tab, a carriage return, or a space at the end of a line' "$(grep -nE "$(printf '\t|\r')|[[:space:]]\$" $files)"
complain 'a blank line at the end' "$(awk 'FNR == 1 && NR > 1 && last == "" { print name } { last = $0; name = FILENAME } END { if (last == "") print name }' $files)"
complain 'no end of the last line' "$([ -z "$(tail -q -c 1 $files | tr -d '\n')" ] || for file in $files; do [ -z "$(tail -c 1 "$file")" ] || echo "$file"; done)"
# A file's own header first; then, in each block, by name.
complain 'includes are not in order' "$(awk '
  FNR == 1 { before = ""; first = 1; own = FILENAME; sub (/\.c$/, ".h", own); own = "\"" own "\"" }
  /^#include / { kind = substr ($2, 1, 1)
                 if (!(first && $2 == own)) { if (before != "" && kind == of && $2 < before) print FILENAME ":" FNR ": " $2; before = $2; of = kind }
                 first = 0; next }
  { before = "" }' $sources)"
complain 'an array that frees its first element alone' "$(grep -nE '\bg_auto(free|list|slist|ptr)\b[^=;(]*(\([A-Za-z]+\))?[^=;(]*[a-z_]\[[^]]*\] *[=;,]' $files)"
complain 'g_autoptr (Type), with a space, as all calls' "$(grep -nE '\bg_auto(ptr|list|slist)?\(' $files)"
complain 'a type of one name in two headers' "$(sed -nE 's/^\} (Ph[A-Za-z0-9]+);.*/\1/p; s/^typedef struct \{.*\} (Ph[A-Za-z0-9]+);.*/\1/p' $headers | sort | uniq -d)"
complain 'a decimal comma in some languages: core/number.h' "$(grep -nE 'g_(strdup|string_append|string)_?printf \(.*%[-+ #0]*[0-9*]*(\.([1-9][0-9]*|\*))?[feg]([^a-z]|$)' \
  $(echo "$files" | grep -E '^(core|passes)/'))"
# Side by side stand as many only where all are of one kind, and names tell them apart: operators, passes, widgets, tests, pictures.
complain 'more than 60 files side by side: folders, each of one idea' "$(find .ci app core docs examples layout-helper passes po resources tests views -type f |
  sed 's|/[^/]*$||' | sort | uniq -c | grep -vE ' (core/ops/onnx|passes|views|tests/.*|docs/gallery)$' | awk '$1 > 60')"
complain 'a note to oneself' "$(grep -nwE 'TODO|FIXME|XXX|WIP|HACK' $files)"
exit $failed
