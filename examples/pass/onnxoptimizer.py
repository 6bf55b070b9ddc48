"""onnxoptimizer as a pass: peep model.onnx -c "hunt exec 'python3 onnxoptimizer.py' --out found"

ONNXOPTIMIZER_SKIP="fuse_qkv,eliminate_nop_pad" leaves out passes by name, which is how `hunt` finds the guilty one.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

sys.path = [folder for folder in sys.path if os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]   # it has the name of this file
import onnx
import onnxoptimizer

skip = set(filter(None, os.environ.get("ONNXOPTIMIZER_SKIP", "").split(",")))
names = [name for name in onnxoptimizer.get_fuse_and_elimination_passes() if name not in skip]
model = onnxoptimizer.optimize(onnx.load(sys.stdin.buffer), names, fixed_point=True)
sys.stdout.buffer.write(model.SerializeToString())
