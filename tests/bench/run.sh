#!/bin/sh
# Inference of each model after none, O1, O2 and O3, and by ONNX Runtime where ORT_TIME names a script that times it (BENCHMARKS.md).
# usage: run.sh FOLDER_OF_MODELS BENCH_RUN [RUNS] [PIPELINE...]
set -eu
models=$1 bench=$2 runs=${3:-9}
shift; shift; [ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- none O1 O2 O3
export OMP_NUM_THREADS=1
for row in light_resnet50:1,3,224,224 light_inception_v1:1,3,224,224 light_squeezenet:1,3,224,224 \
           ch_PP-OCRv4_det_infer:1,3,640,640 gpt12_tiny:1,32 bert6_tiny:1,32; do
  name=${row%%:*} sizes=${row#*:} file=$models/${row%%:*}.onnx
  [ -f "$file" ] || { echo "$name: not in $models"; continue; }
  printf '%-22s' "$name"
  if [ -n "${ORT_TIME:-}" ]; then
    case $name in
      ch_*) free="p2o.DynamicDimension.0=1 p2o.DynamicDimension.1=640 p2o.DynamicDimension.2=640" ;;
      *) free="batch=1 length=32" ;;
    esac
    # shellcheck disable=SC2086
    node "$ORT_TIME" run "$file" 1 "$runs" $free | sed 's/.*median_ms":\([0-9.]*\).*/ort \1/' | tr '\n' ' '
  fi
  for pipeline in "$@"; do
    "$bench" "$file" "$pipeline" "$runs" "$sizes" | sed 's/.*median_ms": \([0-9.]*\), "min_ms": \([0-9.]*\).*sum": \(.*\)}/'"$pipeline"' \1 (\2; \3)/' | tr '\n' ' '
  done
  echo
done
