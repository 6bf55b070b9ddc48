#!/bin/sh
# operator-names.sh: what an operator is, its declaration says. Its name stands as a string elsewhere only where a name is what is meant:
# in words of a language (the expressions of the console), and of a file format (its readers and writers, and the tables that go from
# version to version or come from another system).
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$1" || exit 1
names=$(sed -n "/^ph_ops = {/,/^}/p" core/ops/meson.build | sed "s/^ *'[a-z/-]*'://" | grep -o "'[A-Z][A-Za-z0-9]*'" | tr -d "'" |
        sed 's/^Ms//' | sort -u | paste -sd'|')
# Size, Mean, Gradient and Attention are words of the window too; the proof's functions are named as in mathematics.
found=$(grep -rnE "\"($names)\"" core passes app views --include='*.c' --include='*.h' --include='*.inc' |
        grep -vE '^core/ops/(onnx|ml|microsoft|dialects)/|^core/io/|^core/opset/|^passes/convert-|^core/prove/field/' |
        grep -vE '_ \("(Size|Mean|Gradient)"\)|"Norm . Attention"|^[^:]*:[0-9]*: */?\*|^core/graph/(graph|net)\.c:[0-9]*:.*"Constant"' |
        grep -vE '^[^:]*:[0-9]*:[^"]*/\*[^*]*"')
same=$(grep -rnE "(strcmp|g_str_equal|g_strcmp0) \([^,]*op_type, \"($names)\"" passes core/analyze core/prove core/run core/layered core/scene core/draw core/document views)
if [ -n "$found$same" ]; then
  echo "an operator is named outside its declaration: compare node->op with &ph_op_NAME, or put what is meant into PhOp (core/ops/op.h)"
  echo "$found$same"
  exit 1
fi
