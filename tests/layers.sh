#!/bin/sh
# layers.sh: which folder may use which: each only those that stand above it in one list. The library knows no window and no terminal.
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$1" || exit 1
failed=0

# core/*.c of no folder is the first: errors, names, numbers.
order='core/tensor core/graph core/ops core/opset core/io core/run core/analyze passes core/prove core/layered core/scene core/draw core/document core/script core/console views app'

forbid () {
  found=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" $1 --include='*.c' --include='*.h' --include='*.inc')
  if [ -n "$found" ]; then
    echo "$found"
    failed=1
  fi
}

below=''
for folder in $order; do
  [ -d "$folder" ] || { echo "$folder of the list is not there"; failed=1; }
  if [ -n "$below" ]; then
    forbid "$below" "$folder/"
  fi
  below="$below $folder"
done
found=$(grep -nE '^#include "(core/[a-z]+/|passes/|views/|app/)' core/*.[ch])
[ -z "$found" ] || { echo "$found"; failed=1; }
for folder in core/*/; do
  case " $order " in *" ${folder%/} "*) ;; *) echo "$folder is not in the list"; failed=1 ;; esac
done

# What all operators stand on knows none of their files.
found=$(grep -nE '^#include "core/ops/(onnx|ml|microsoft)/' core/ops/*.[ch])
[ -z "$found" ] || { echo "$found"; failed=1; }

forbid 'core passes layout-helper' 'gtk/|adwaita|vte/|gtksourceview/|readline/'
forbid 'core passes app views'     'graphviz/|gvc|cgraph'
forbid 'layout-helper'             'core/|passes/|views/|app/'
# A path from here or from above would go round the list: paths begin at the root. What is made while building has no folder.
found=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' core passes views app --include='*.c' --include='*.h' --include='*.inc' |
        grep -vE '"(core|passes|views|app)/')
[ -z "$found" ] || { echo "$found"; failed=1; }
# A function of another file is declared in its header, which the list then sees.
found=$(grep -rnE '^extern [^"]*\(' core passes views app --include='*.c' | grep -vE '__attribute__ \(\(weak\)\);$')
[ -z "$found" ] || { echo "$found"; failed=1; }
# A header that includes another is not included by it, however far round: each can be read alone, from what it stands on.
circle=$(grep -rE '^#include "' core passes views app --include='*.h' | sed -E 's/^([^:]*):#include "([^"]*)".*/\2 \1/' | tsort 2>&1 >/dev/null)
[ -z "$circle" ] || { echo "headers include each other:"; echo "$circle"; failed=1; }
# A type has one declaration: a second of its name says that two things have one name.
twice=$(grep -rhoE '^typedef (struct|enum)?[^;]*[} ](Ph[A-Za-z]+);' core passes app views --include='*.h' | grep -oE 'Ph[A-Za-z]+;$' | sort | uniq -d)
[ -z "$twice" ] || { echo "declared twice: $twice"; failed=1; }
exit $failed
