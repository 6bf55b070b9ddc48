#!/bin/sh
# Who draws which picture, and both pictures beside each other, as tables in Markdown: crossings (x), lines over boxes (over), forward boxes
# whose gradient is not in their row (off row), size in points, milliseconds.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: who-draws.sh BENCH-LAYOUT [FOLDER]
#   the bundled examples, the models of FOLDER/models/*.onnx and the nets of FOLDER/gradients/*/model.onnx: each as it is, with its
#   gradient, and the models grouped too. "no gradient": the first output has none.
set -eu
bench=$1 data=${2:-}
examples=$(dirname "$0")/../../resources/examples

table ()
{
  printf '\n%s\n\n' "$1"; shift
  "$bench" -t "$@" || printf '(stopped: see the message above)\n'
}

# The nets all have one file name; a link says which is which.
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT INT TERM
for net in ${data:+"$data"/gradients/*/model.onnx}; do
  [ ! -f "$net" ] || ln -s "$net" "$links/$(basename "$(dirname "$net")").onnx"
done

table 'Examples' "$examples"/*.onnxtxt "$examples"/*.hlo "$examples"/*.graph "$examples"/*.jaxpr "$examples"/*.mlir "$examples"/*.pbtxt "$examples"/*.ll
table 'Examples, with gradient' --gradient "$examples"/*.onnxtxt
[ -n "$data" ] || { echo '(no folder of models was given: only the examples)'; exit 0; }
table 'Models, flat' "$data"/models/*.onnx
table 'Models, grouped' --grouped --open-all 0 "$data"/models/*.onnx
table 'Models, with gradient' --gradient "$data"/models/*.onnx
table 'Models, grouped, with gradient' --grouped --open-all 0 --gradient "$data"/models/*.onnx
table 'Nets' "$links"/*.onnx
table 'Nets, with gradient' --gradient "$links"/*.onnx
