#!/bin/sh
# layers.sh: what a folder may not include: the library knows no window and no terminal, and lower layers none above them.
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$1" || exit 1
failed=0

# folders, what their files may not include, files that are let off
forbid () {
  found=$(grep -rnE "^#include [<\"]($2)" $1 --include='*.c' --include='*.h' | grep -vE "^(${3:-none}):")
  if [ -n "$found" ]; then
    echo "$found"
    failed=1
  fi
}

# An operator is declared beside its kernel, and a node points at its operator.
forbid 'core passes layout-helper' 'gtk/|adwaita|vte/|gtksourceview/|readline/|app/|views/'
forbid 'core passes app views'     'graphviz/|gvc|cgraph'
forbid 'layout-helper'             'core/|passes/'
forbid 'core/tensor'               'core/(graph|ops|run|analyze|io|layout|document|console)|passes/'
forbid 'core/graph'                'core/(run|analyze|io|layout|document|console)|passes/'
forbid 'core/ops'                  'core/(analyze|io|layout|document|console)|passes/'
forbid 'core/run'                  'core/(analyze|layout|document|console)'
forbid 'core/prove'                'core/(analyze|layout|document|console)'
forbid 'core/analyze'              'core/(layout|document|console)'
forbid 'core/io'                   'core/(analyze|document|console)'
forbid 'core/layout'               'core/(document|console)|passes/'
forbid 'passes'                    'core/(layout|document|console)'
forbid 'core/document'             'core/console'
exit $failed
