"""OpenVINO's common transformations as a pass: peep model.onnx -c "hunt exec 'python3 openvino.py' --out found"

OPENVINO_SKIP="moc,constant-folding,fused-names-cleanup" leaves out parts of them, which is how `hunt` finds the guilty one. What comes out is OpenVINO's own
form, which `peep` (or the program that PEEPHOLE_PEEP names) converts back.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import subprocess
import sys
import tempfile

sys.path = [folder for folder in sys.path if os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))]   # it has the name of this file
import openvino
from openvino._offline_transformations import apply_fused_names_cleanup, apply_moc_transformations
from openvino.passes import ConstantFolding, Manager

skip = set(os.environ.get("OPENVINO_SKIP", "").split(","))
with tempfile.TemporaryDirectory(prefix="peephole-") as folder:
    given, xml, result = (os.path.join(folder, name) for name in ("in.onnx", "out.xml", "out.onnx"))
    with open(given, "wb") as file:
        file.write(sys.stdin.buffer.read())
    model = openvino.Core().read_model(given)
    if "moc" not in skip:
        apply_moc_transformations(model, cf=False)
    if "constant-folding" not in skip:
        manager = Manager()
        manager.register_pass(ConstantFolding())
        manager.run_passes(model)
    if "fused-names-cleanup" not in skip:
        apply_fused_names_cleanup(model)
    openvino.serialize(model, xml, os.path.join(folder, "out.bin"))
    peep = os.environ.get("PEEPHOLE_PEEP", "peep")
    subprocess.run([peep, xml, "-c", "run convert-to-onnx", "-c", f"save {result}"], check=True, stdout=sys.stderr)
    with open(result, "rb") as file:
        sys.stdout.buffer.write(file.read())
