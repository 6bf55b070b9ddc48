"""ONNX Runtime as a runner: peep model.onnx -c 'pipeline O2' -c run -c "verify --runner 'python3 onnxruntime.py'"

Is given a folder with model.onnx and input_K.pb, one for each input, in order, and leaves output_K.pb there. The session runs without
optimisations of its own, so that what differs is a kernel's: ORT_LEVEL=all switches them on.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

sys.path = [folder for folder in sys.path if os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]   # it has the name of this file
import onnx
import onnxruntime
from onnx import numpy_helper

folder = sys.argv[1]
options = onnxruntime.SessionOptions()
if os.environ.get("ORT_LEVEL") != "all":
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
feeds = {}
for k, value in enumerate(session.get_inputs()):
    path = os.path.join(folder, f"input_{k}.pb")
    if os.path.exists(path):
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        feeds[value.name] = numpy_helper.to_array(tensor)
for k, (value, array) in enumerate(zip(session.get_outputs(), session.run(None, feeds))):
    with open(os.path.join(folder, f"output_{k}.pb"), "wb") as file:
        file.write(numpy_helper.from_array(array, value.name).SerializeToString())
