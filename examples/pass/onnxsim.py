"""onnxsim as a pass: peep model.onnx -c "hunt exec 'python3 onnxsim.py' --out found"

ONNXSIM_SKIP="constant-folding,shape-inference,optimization" leaves out parts of it, which is how `hunt` finds the guilty one.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

sys.path = [folder for folder in sys.path if os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]   # it has the name of this file
import onnx
import onnxsim

skip = set(os.environ.get("ONNXSIM_SKIP", "").split(","))
model, good = onnxsim.simplify(onnx.load(sys.stdin.buffer), skip_constant_folding="constant-folding" in skip,
                               skip_shape_inference="shape-inference" in skip, perform_optimization="optimization" not in skip)
sys.stdout.buffer.write(model.SerializeToString())
