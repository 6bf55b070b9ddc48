// ONNX Runtime as a runner, of Node: peep model.onnx -c 'pipeline O2' -c run -c "verify --runner 'node onnxruntime.js'"
// Is given a folder with model.onnx and input_K.pb, one for each input, in order, and leaves output_K.pb there. The session runs without optimisations
// of its own, so that what differs is a kernel's: ORT_LEVEL=all switches them on. Needs `npm install onnxruntime-node`.
// SPDX-License-Identifier: GPL-3.0-or-later
const fs = require('fs'), path = require('path');
const ort = require(process.env.ORT_NODE || 'onnxruntime-node');

const types = { float32: 1, uint8: 2, int8: 3, uint16: 4, int16: 5, int32: 6, int64: 7, string: 8, bool: 9, float16: 10, float64: 11, uint32: 12, uint64: 13 };
const arrays = { float32: Float32Array, uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
                 bool: Uint8Array, float16: Uint16Array, float64: Float64Array, uint32: Uint32Array, uint64: BigUint64Array };

// A TensorProto has its sizes in field 1, its element type in 2, strings in 6 and the bytes of all others in 9.
function readTensor(bytes) {
  let at = 0, type, raw = Buffer.alloc(0);
  const dims = [], strings = [];
  const varint = () => { let n = 0n, shift = 0n, byte; do { byte = bytes[at++]; n |= BigInt(byte & 127) << shift; shift += 7n; } while (byte & 128); return Number(n); };
  while (at < bytes.length) {
    const tag = varint(), field = tag >> 3, number = (tag & 7) === 0 ? varint() : 0, length = (tag & 7) === 2 ? varint() : 0, end = at + length;
    if ((tag & 7) !== 0 && (tag & 7) !== 2)
      throw new Error(`field ${field} of the tensor is not read here`);
    if (field === 1 && length === 0) dims.push(number);
    else if (field === 1) while (at < end) dims.push(varint());
    else if (field === 2) type = Object.keys(types).find(name => types[name] === number);
    else if (field === 6) strings.push(bytes.toString('utf8', at, end));
    else if (field === 9) raw = bytes.subarray(at, end);
    else if (field === 4 || field === 5 || field === 7 || field === 10 || field === 11) throw new Error('the tensor has no raw_data');
    at = end > at ? end : at;
  }
  if (type === undefined)
    throw new Error('an element type that JavaScript has no array for');
  return new ort.Tensor(type, type === 'string' ? strings : new arrays[type](new Uint8Array(raw).buffer), dims);
}

function writeTensor(tensor) {
  const varint = n => { const out = []; for (n = BigInt(n); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128); return Buffer.from([...out, Number(n)]); };
  const bytes = (field, data) => [varint(field << 3 | 2), varint(data.length), data];
  return Buffer.concat([...tensor.dims.flatMap(n => [varint(1 << 3), varint(n)]), varint(2 << 3), varint(types[tensor.type]),
                        ...(tensor.type === 'string' ? tensor.data.flatMap(text => bytes(6, Buffer.from(text)))
                                                     : bytes(9, Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength)))]);
}

(async () => {
  const folder = process.argv[2], feeds = {};
  const session = await ort.InferenceSession.create(path.join(folder, 'model.onnx'),
                                                    { graphOptimizationLevel: process.env.ORT_LEVEL || 'disabled', logSeverityLevel: 4 });
  session.inputNames.forEach((name, k) => {
    const file = path.join(folder, `input_${k}.pb`);
    if (fs.existsSync(file))
      feeds[name] = readTensor(fs.readFileSync(file));
  });
  const results = await session.run(feeds);
  session.outputNames.forEach((name, k) => fs.writeFileSync(path.join(folder, `output_${k}.pb`), writeTensor(results[name])));
})().catch(error => { process.stderr.write(`${error.message}\n`); process.exit(1); });
