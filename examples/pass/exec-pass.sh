#!/bin/sh
# exec-pass.sh: any program can be a pass: the model comes on the standard input as ONNX, and goes to the standard output.
#
#   peep model.onnx -c "run exec 'sh exec-pass.sh'" -c diff
#
# This one is peep itself; with onnx for Python it would read onnx.load (sys.stdin.buffer) and write likewise.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/in.onnx"
"${PEEP:-peep}" "$folder/in.onnx" -c 'run cse dce' -c "save $folder/out.onnx" > /dev/null
cat "$folder/out.onnx"
