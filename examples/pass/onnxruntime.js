// onnxruntime.js LEVEL: ONNX Runtime's graph optimizer as a pass: peep model.onnx -c "hunt exec 'node onnxruntime.js basic' --out found"
// LEVEL: basic, extended or all. ORT_DISABLE="A;B" leaves out optimizers by name, which is how `hunt` finds the guilty one. Needs `npm install onnxruntime-node`.
// SPDX-License-Identifier: GPL-3.0-or-later
const fs = require('fs'), os = require('os'), path = require('path');
const ort = require(process.env.ORT_NODE || 'onnxruntime-node');

(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peephole-'));
  const out = path.join(folder, 'out.onnx');
  const options = { graphOptimizationLevel: process.argv[2] || 'basic', optimizedModelFilePath: out, logSeverityLevel: 4 };
  if (process.env.ORT_DISABLE)
    options.extra = { optimization: { disable_specified_optimizers: process.env.ORT_DISABLE } };
  try {
    await ort.InferenceSession.create(fs.readFileSync(0), options);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
  }
  const written = fs.existsSync(out);
  if (written)
    fs.writeSync(1, fs.readFileSync(out));
  fs.rmSync(folder, { recursive: true });
  process.exit(written ? 0 : 3);
})();
