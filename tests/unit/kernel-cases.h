/* kernel-cases.h: small graphs, each of which some kernels have to take.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/tensor/tensor.h"
#include "passes/pass.h"

/* A graph, and the kernels that have to take one of its nodes. */
typedef struct
{
  const char *name, *inputs, *constants, *body, *takers, *pipeline;
} Case;

#define IMAGE "float[2,16,9,8] x, float[16,16,3,3] w"
#define LAST  "c = Conv <pads = [1, 1, 1, 1]> (x, w) " /* after it the channels lie last, or in blocks */

/* clang-format off */
static const Case cases[] = {
  { "conv", "float[2,3,9,8] x, float[4,3,3,3] w, float[4] b", "", "y = Conv (x, w, b)", "dnnl" },
  { "conv-transpose", "float[1,3,5,4] x, float[3,2,3,3] w", "", "y = ConvTranspose (x, w)", "dnnl" },
  { "conv-weights", "float[3,4,9,8] x, float[5,4,7,6] w", "", "y = Conv (x, w)", "weights" },
  { "conv-weights-strided", "float[3,4,13,12] x, float[5,4,6,6] w", "", "y = Conv <dilations = [2, 2], pads = [0, 0, 0, 1]> (x, w)", "weights" },
  { "conv-weights-padded", "float[2,3,9,9] x, float[4,3,9,9] w", "", "y = Conv <pads = [1, 1, 1, 1]> (x, w)", "weights" },
  { "conv-transpose-turned", "float[2,6,5,7] x, float[6,2,3,2] w, float[2] b", "", "y = ConvTranspose <pads = [1, 0, 0, 1], dilations = [1, 2]> (x, w, b)", "turned" },
  { "conv-transpose-line", "float[2,6,15] x, float[6,1,4] w", "", "y = ConvTranspose (x, w)", "turned" },
  { "conv-transpose-phases", "float[2,6,5,7] x, float[6,3,4,6] w, float[3] b", "", "y = ConvTranspose <pads = [1, 2, 2, 1], strides = [2, 3], output_padding = [1, 0]> (x, w, b)", "turned" },
  { "conv-transpose-phases-line", "float[2,6,15] x, float[6,1,8] w", "", "y = ConvTranspose <strides = [4], pads = [2, 3]> (x, w)", "turned" },
  { "conv-transpose-phases-volume", "float[2,4,3,4,5] x, float[4,2,2,4,3] w", "", "y = ConvTranspose <strides = [2, 2, 1], pads = [0, 1, 1, 1, 0, 0]> (x, w)", "turned" },
  { "conv-transpose-ends", "float[2,6,5,7] x, float[6,3,3,5] w, float[3] b", "", "y = ConvTranspose <pads = [1, 1, 1, 1], strides = [2, 2], output_padding = [1, 0]> (x, w, b)", "turned" },
  { "conv-transpose-ends-line", "float[2,6,15] x, float[6,1,5] w", "", "y = ConvTranspose <strides = [3], pads = [1, 2]> (x, w)", "turned" },
  { "conv-transpose-ends-volume", "float[2,4,3,4,5] x, float[4,2,3,4,1] w, float[2] b", "", "y = ConvTranspose <strides = [2, 3, 1], pads = [0, 1, 0, 1, 0, 0]> (x, w, b)", "turned" },
  { "conv-transpose-bias", "float[2,16,9,8] x, float[16,24,3,3] w, float[24] b", "", "y = ConvTranspose <strides = [2, 2]> (x, w, b)", "dnnl" },
  { "conv-transpose-bias-group", "float[2,32,9,8] x, float[32,17,3,3] w, float[34] b", "", "y = ConvTranspose <strides = [2, 2], group = 2> (x, w, b)", "dnnl" },
  { "conv-transpose-bias-volume", "float[2,16,3,4,5] x, float[16,20,3,3,3] w, float[20] b", "", "y = ConvTranspose <strides = [2, 2, 2], pads = [1, 1, 1, 1, 1, 1]> (x, w, b)", "dnnl" },
  { "conv-transpose-bias-kept", "float[1,32,9,8] x, float[32,40,3,3] v, float[40] b", "",
    "c = MaxPool <kernel_shape = [2, 2]> (x) d = ConvTranspose <strides = [2, 2], output_padding = [1, 1]> (c, v, b) y = AveragePool <kernel_shape = [2, 2]> (d)", "dnnl" },
  { "conv-transpose-apart", "float[2,6,5,7] x, float[6,20,1,2] w, float[20] b", "", "y = ConvTranspose <strides = [2, 3], output_padding = [1, 1]> (x, w, b)", "turned" },
  { "conv-transpose-apart-mixed", "float[2,6,5,7] x, float[6,3,4,1] w", "", "y = ConvTranspose <strides = [2, 2], output_padding = [0, 1], pads = [1, 0, 1, 0]> (x, w)", "turned" },
  { "conv-transpose-fused", "float[2,16,9,8] x, float[16,19,3,3] w", "", "c = ConvTranspose <strides = [2, 2]> (x, w) y = Tanh (c)", NULL, "O2" },
  { "conv-transpose-tiles", "float[2,2,9,8] x, float[2,2,1,1] w", "float[2,3,2,2] v = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3}",
    "c = Conv (x, w) y = ConvTranspose <strides = [2, 2]> (c, v)", "dnnl" },
  { "max-pool", "float[2,3,9,8] x", "", "y = MaxPool <kernel_shape = [3, 2]> (x)", "dnnl" },
  { "max-pool-gaps", "float[2,3,9,8] x", "",
    "a = MaxPool <kernel_shape = [3, 2], dilations = [2, 3], pads = [3, 2, 1, 2]> (x) b = MaxPool <kernel_shape = [2, 3], dilations = [1, 2], strides = [2, 3], ceil_mode = 1> (x) "
    "s = Constant <value_ints = [-1]> () c = Reshape (a, s) d = Reshape (b, s) y = Concat <axis = 0> (c, d)", "max-pool" },
  { "max-pool-line", "float[2,3,19] x", "",
    "a = MaxPool <kernel_shape = [3], pads = [1, 2]> (x) b = MaxPool <kernel_shape = [4], strides = [3], dilations = [2], pads = [3, 0]> (x) y = Concat <axis = 2> (a, b)", "max-pool" },
  { "max-pool-places", "float[2,3,9,8] x", "", "v, i = MaxPool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 2, 1], dilations = [2, 1]> (x) j = Cast <to = 1> (i) "
    "y = Concat <axis = 1> (v, j)", "places" },
  { "max-pool-last", IMAGE, "", LAST "y = MaxPool <kernel_shape = [3, 2], strides = [2, 2]> (c)", "dnnl" },
  { "average-pool-last", IMAGE, "", LAST "y = AveragePool <kernel_shape = [3, 2], pads = [1, 0, 1, 0]> (c)", "dnnl" },
  { "global-average-pool-last", IMAGE, "", LAST "y = GlobalAveragePool (c)", "rows" },
  { "lrn", "float[2,19,5,4] x", "", "y = LRN <size = 5> (x)", "dnnl" },
  { "gemm", "float[5,7] x, float[7,3] w, float[3] b", "", "y = Gemm <alpha = 0.5, beta = 2.0> (x, w, b)", "dnnl panels" },
  { "gemm-full", "float[5,7] x, float[7,3] w, float[5,3] b", "", "y = Gemm <alpha = 0.5, beta = 2.0> (x, w, b)", "dnnl panels" },
  { "gemm-one", "float[5,7] x, float[7,3] w, float[1] b", "", "y = Gemm <transA = 0> (x, w, b)", "dnnl panels" },
  { "gemm-transposed", "float[5,7] x, float[3,7] w, float[5,1] b", "", "y = Gemm <transB = 1> (x, w, b)", "dnnl panels" },
  { "matmul", "float[2,3,13,33] x, float[33,101] w", "", "y = MatMul (x, w)", "dnnl panels" },
  { "matmul-batched", "float[2,1,5,7] x, float[3,7,2] w", "", "y = MatMul (x, w)", "dnnl panels" },
  { "softmax", "float[3,5,37] x", "", "y = Softmax (x)", "rows" },
  { "layer-normalization", "float[3,5,37] x, float[37] s, float[37] b", "", "y = LayerNormalization (x, s, b)", "rows" },
  { "layer-normalization-special", "float[6,1,5] x, float[5] s", "", "y = LayerNormalization <epsilon = 0.0> (x, s)", "rows" },
  { "group-normalization-special", "float[6,4,2] x, float[4] s, float[4] b", "", "y = GroupNormalization <num_groups = 2> (x, s, b)", "rows" },
  { "rms-normalization-special", "float[6,1,5] x, float[5] s", "", "y = RMSNormalization (x, s)", "rows" },
  { "instance-norm-special", "float[6,2,3,1] x, float[2] s, float[2] b", "", "y = InstanceNormalization (x, s, b)", "rows" },
  { "rms-normalization", "float[3,5,37] x, float[37] s", "", "y = RMSNormalization (x, s)", "rows" },
  { "batch-normalization", "float[2,5,7,3] x, float[5] s, float[5] b, float[5] m, float[5] v", "", "q = Mul (v, v) y = BatchNormalization (x, s, b, m, q)", "rows" },
  { "batch-normalization-last", IMAGE ", float[16] s, float[16] b, float[16] m, float[16] v", "",
    LAST "q = Mul (v, v) y = BatchNormalization (c, s, b, m, q)", "rows" },
  { "concat-last", IMAGE, "", LAST "d = Relu (c) y = Concat <axis = 1> (c, d)", "rows" },
  { "concat", "float[3,5,7] x, float[3,2,7] w", "", "y = Concat <axis = 1> (x, w)", "rows" },
  { "split-last", IMAGE, "", LAST "d, y = Split <axis = 1, num_outputs = 2> (c)", NULL },
  { "resize-nearest", "float[1,3,4,5] x", "float[4] s = {1, 1, 2, 3}",
    "y = Resize <coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , s)", "rows" },
  { "resize-nearest-sizes", IMAGE, "int64[4] n = {2, 16, 18, 13}, int64[4] m = {2, 16, 5, 26}", LAST
    "d = Resize <coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (c, , , n) "
    "y = Resize <coordinate_transformation_mode = \"align_corners\", nearest_mode = \"ceil\"> (d, , , m)", "rows" },
  { "resize-nearest-height", "float[2,3,5,7] x", "float[4] s = {1, 1, 2.5, 1}", "y = Resize (x, , s)", "rows" },
  { "where", "float[3,5] x, bool[5] c, float[1] z", "", "y = Where (c, x, z)", "chain" },
  { "clip", "float[3,5,37] x", "float low = {-0.5}, float high = {0.5}", "y = Clip (x, low, high)", "chain" },
  { "binary", "float[3,5,37] a, float[37] b, float[5,1] c, float d, float[3,5,37] e", "",
    "f = Add (a, b) g = Sub (f, c) h = Mul (g, d) i = Div (h, e) j = Max (i, b) y = Min (j, c)", "chain" },
  { "unary", "float[3,5,37] x", "",
    "a = Abs (x) b = Sqrt (a) c = Neg (b) d = Exp (c) e = Reciprocal (d) f = Erf (e) g = Tanh (x) h = Sigmoid (g) i = Relu (x) j = LeakyRelu (x) "
    "k = HardSigmoid (x) l = HardSwish (x) m = Gelu (x) n = Swish (x) o = Add (f, h) p = Add (i, j) q = Add (k, l) r = Add (m, n) s = Add (o, p) "
    "t = Add (q, r) y = Add (s, t)", "chain" },
  { "unary-more", "float[3,5,37] x", "float lo = {2}, float three = {3}, float odd = {3.5}",
    "a = Elu <alpha = 1.5> (x) b = Celu <alpha = 0.7> (x) c = Selu (x) d = Softplus (x) e = Softsign (x) f = Mish (x) g = ThresholdedRelu <alpha = 0.3> (x) "
    "h = Shrink <lambd = 0.4, bias = 0.2> (x) i = Sign (x) j = Ceil (x) k = Floor (x) l = Round (x) m = Sin (x) n = Cos (x) o = Pow (x, lo) p = Abs (x) q = Log (p) t = Pow (x, three) "
    "r = Pow (p, odd) s = PRelu (x, q) y = Concat <axis = 0> (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q, r, s, t)", "chain" },
  { "unary-arcs", "float[3,5,37] x", "", "a = Sin (x) b = Asin (a) c = Acos (a) d = Atan (x) y = Concat <axis = 0> (b, c, d)", "chain" },
  { "binary-last", IMAGE ", float[1,16,1,1] b, float[8] d", "", LAST "e = Add (c, b) f = Mul (e, d) y = Add (f, c)", "chain" },
  { "fused", IMAGE ", float[1,16,1,1] b", "", LAST "e = Add (c, b) y = Relu (e)", "dnnl chain", "O2" },
  { "fused-rows", IMAGE ", float[2,16,9,8] r", "int64[2] s = {2, -1}", LAST "e = Add (r, c) f = Relu (e) y = Reshape (f, s)", "dnnl chain", "O2" },
  { "fused-rows-kept", IMAGE ", float[2,16,9,8] r", "", LAST "e = Add (r, c) f = Relu (e) y = MaxPool <kernel_shape = [2, 2]> (f)", "dnnl chain", "O2" },
  { "fused-rows-odd", "float[2,3,9,8] x, float[5,3,3,3] w, float[2,5,7,6] r", "", "c = Conv (x, w) e = Add (r, c) f = Relu (e) y = MaxPool <kernel_shape = [2, 2]> (f)", "dnnl chain", "O2" },
  { "attention", "float[2,7,3,4] q, float[2,9,3,4] k, float[2,9,3,5] v", "float s = {0.5}",
    "a = Transpose <perm = [0, 2, 1, 3]> (q) b = Transpose <perm = [0, 2, 3, 1]> (k) c = Transpose <perm = [0, 2, 1, 3]> (v) d = MatMul (a, b) e = Mul (d, s) "
    "f = Softmax <axis = -1> (e) g = MatMul (f, c) y = Transpose <perm = [0, 2, 1, 3]> (g)", "attention", "O3" },
  { "attention-masked", "float[2,7,3,4] q, float[2,7,3,4] k, float[2,7,3,4] v, bool[1,1,7,7] m", "float s = {0.5}, float low = {-1000.0}",
    "a = Transpose <perm = [0, 2, 1, 3]> (q) b = Transpose <perm = [0, 2, 3, 1]> (k) c = Transpose <perm = [0, 2, 1, 3]> (v) d = MatMul (a, b) e = Mul (d, s) "
    "h = Where (m, e, low) f = Softmax <axis = -1> (h) y = MatMul (f, c)", "attention", "O3" },
  { "attention-plain", "float[3,7,4] q, float[3,4,9] k, float[3,9,5] v, float[7,9] m", "float s = {0.5}",
    "d = MatMul (q, k) e = Mul (d, s) h = Add (e, m) f = Softmax <axis = -1> (h) y = MatMul (f, v)", "attention", "O3" },
  { "attention-rows", "float[2,3,5,7,6] q, float[2,3,5,7,6] k, float[2,3,4,7,6] v", "float s = {0.5}",
    "a = Transpose <perm = [0, 3, 1, 4, 2]> (q) b = Transpose <perm = [0, 3, 1, 2, 4]> (k) c = Transpose <perm = [0, 3, 1, 4, 2]> (v) d = MatMul (a, b) "
    "e = Mul (d, s) f = Softmax <axis = -1> (e) g = MatMul (f, c) y = Transpose <perm = [0, 2, 4, 1, 3]> (g)", "attention", "O3" },
  { "attention-columns", "float[2,3,5,7,6] q, float[2,3,5,7,6] k, float[2,3,4,7,6] v", "float s = {0.5}",
    "a = Transpose <perm = [0, 4, 1, 3, 2]> (q) b = Transpose <perm = [0, 4, 1, 2, 3]> (k) c = Transpose <perm = [0, 4, 1, 3, 2]> (v) d = MatMul (a, b) "
    "e = Mul (d, s) f = Softmax <axis = -1> (e) g = MatMul (f, c) y = Transpose <perm = [0, 2, 4, 3, 1]> (g)", "attention", "O3" },
  { "attention-one-key", "float[2,3,7,4] q, float[1,1,4,9] k, float[2,1,9,5] v", "",
    "d = MatMul (q, k) f = Softmax <axis = -1> (d) y = MatMul (f, v)", "attention", "O3" },
  { "attention-blocks", "float[1,2,301,4] q, float[1,2,4,150] k, float[1,2,150,3] v, float[1,1,1,150] m", "float s = {0.5}",
    "d = MatMul (q, k) e = Mul (d, s) h = Add (e, m) f = Softmax <axis = -1> (h) y = MatMul (f, v)", "attention", "O3" },
  { "attention-many-products", "float[1,4,130,32] q, float[1,4,32,150] k, float[1,4,150,32] v, float[130,150] m", "float s = {0.5}",
    "d = MatMul (q, k) e = Mul (d, s) h = Add (e, m) f = Softmax <axis = -1> (h) y = MatMul (f, v)", "attention", "O3" },
  { "softmax-over-sum", "float[3,5,37] x, float[37] b", "", "a = Add (x, b) y = Softmax (a)", "rows" },
  { "normalization-over-sum", "float[3,5,37] x, float[37] b", "", "a = Add (x, b) y = LayerNormalization (a, b)", "rows" },
  { "attention-terms-of-each-head", "float[2,4,130,32] q, float[2,4,32,150] k, float[2,4,150,32] v, bool[2,1,1,150] m, float[4,130,150] t", "float low = {-1000.0}",
    "d = MatMul (q, k) e = Add (d, t) h = Where (m, e, low) f = Softmax <axis = -1> (h) y = MatMul (f, v)", "attention", "O3" },
  { "attention-blocks-apart", "float[1,4,2,301] q, float[1,4,2,150] k, float[1,3,2,150] v", "float s = {0.5}",
    "a = Transpose <perm = [0, 2, 3, 1]> (q) b = Transpose <perm = [0, 2, 1, 3]> (k) c = Transpose <perm = [0, 2, 3, 1]> (v) d = MatMul (a, b) e = Mul (d, s) "
    "f = Softmax <axis = -1> (e) g = MatMul (f, c) y = Transpose <perm = [0, 3, 1, 2]> (g)", "attention", "O3" },
  { "attention-heads-apart", "float[1,3,200,4] q, float[1,3,4,150] k, float[1,3,150,3] v, float[200,150] m", "",
    "d = MatMul (q, k) h = Add (d, m) f = Softmax <axis = -1> (h) y = MatMul (f, v)", "attention", "O3" },
  { "attention-one-mask-a-head", "float[1,3,200,4] q, float[1,3,4,150] k, float[1,3,150,3] v, float[3,1,150] m", "",
    "d = MatMul (q, k) h = Add (d, m) f = Softmax <axis = -1> (h) y = MatMul (f, v)", "attention", "O3" },
  { "reduce-rows", "float[3,5,137] x", "int64[1] a = {2}", "b = ReduceMean (x, a) c = ReduceSum (x, a) d = ReduceMax (x, a) e = ReduceMin (x, a) "
    "f = ReduceL1 (x, a) g = ReduceL2 (x, a) h = ReduceSumSquare (x, a) y = Concat <axis = 2> (b, c, d, e, f, g, h)", "rows" },
  { "reduce-columns", "float[3,50,7,5] x", "int64[2] a = {1,2}", "b = ReduceMean (x, a) c = ReduceSum (x, a) d = ReduceMax (x, a) e = ReduceMin (x, a) "
    "f = ReduceL1 (x, a) g = ReduceL2 (x, a) h = ReduceSumSquare (x, a) y = Concat <axis = 2> (b, c, d, e, f, g, h)", "rows" },
  { "pad-last", IMAGE, "int64[8] p = {0, 0, 1, 2, 0, 0, 3, 0}, float v = {2}", LAST
    "a = Pad (c, p, v) b = Pad <mode = \"reflect\"> (a, p) d = Pad <mode = \"edge\"> (b, p) y = Pad <mode = \"wrap\"> (d, p)", "rows" },
  { "pad-plain", "float[2,3,4,5,6] x", "int64[10] p = {0, 0, 0, 1, 2, 0, 0, 2, 0, 3}", "a = Pad (x, p) y = Pad <mode = \"reflect\"> (a, p)", "rows" },
  { "pad-blocks", "float[2,19,9,8] x, float[19,1,3,3] w", "int64[8] p = {0, 0, 0, 2, 0, 0, 1, 0}, float v = {2}",
    "c = Conv <group = 19, pads = [1, 1, 1, 1]> (x, w) a = Pad (c, p) y = Pad (a, p, v)", "rows" },
  { "global-max-pool", "float[2,3,9,8] x", "", "y = GlobalMaxPool (x)", "rows" },
  { "global-max-pool-last", IMAGE, "", LAST "y = GlobalMaxPool (c)", "rows" },
  { "arg-rows", "float[7,45] x", "float four = {4}", "t = Mul (x, four) r = Round (t) a = ArgMax <axis = 1> (r) b = ArgMin <axis = -1, select_last_index = 1> (r) "
    "n = Sqrt (r) d = ArgMax <axis = 1, select_last_index = 1> (n) y = Concat <axis = 1> (a, b, d)", "rows" },
  { "arg-columns", "float[3,11,37] x", "float four = {4}", "t = Mul (x, four) r = Round (t) a = ArgMax <axis = 1> (r) b = ArgMin <axis = 1, select_last_index = 1> (r) "
    "n = Sqrt (r) d = ArgMin <axis = 1> (n) y = Concat <axis = 1> (a, b, d)", "rows" },
  { "arg-channels-last", IMAGE, "", LAST "y = ArgMax <axis = 1, keepdims = 0> (c)", "rows" },
  { "reduce-few", "float[5,37,12] x", "int64[1] a = {2}", "b = ReduceMin (x, a) c = ReduceMax (x, a) y = Add (b, c)", "rows" },
  { "reduce-last-columns", IMAGE, "int64[1] a = {3}", LAST "y = ReduceMax <keepdims = 0> (c, a)", "rows" },
  { "reduce-last-lines", IMAGE, "int64[1] a = {2}", LAST "b = ReduceMean (c, a) d = ReduceMax (c, a) y = Sub (d, b)", "rows" },
  { "reduce-last-one-channel", "float[2,1,9,8] x, float[1,1,3,3] w", "int64[2] a = {1, 3}", LAST "y = ReduceSum <keepdims = 0> (c, a)", "rows" },
  { "reduce-last-one-image", "float[1,16,9,8] x, float[16,16,3,3] w", "int64[2] a = {0, 3}", LAST "y = ReduceSum <keepdims = 0> (c, a)", NULL },
  { "instance-norm", "float[2,5,9,8] x, float[5] s, float[5] b", "", "y = InstanceNormalization (x, s, b)", "rows" },
  { "lp-norm", "float[5,7,37] x", "float none = {0}", "z = Mul (x, none) a = LpNormalization (x) b = LpNormalization <axis = 1, p = 1> (x) c = LpNormalization <axis = 0> (x) "
    "d = LpNormalization <p = 1> (x) e = LpNormalization <axis = 1> (z) y = Concat <axis = 0> (a, b, c, d, e)", "rows" },
  { "group-norm", "float[2,6,9,8] x, float[6] s, float[6] b", "", "y = GroupNormalization <num_groups = 3> (x, s, b)", "rows" },
  { "log-softmax", "float[3,7,45] x", "", "y = LogSoftmax (x)", "rows" },
  { "log-softmax-apart", "float[3,600,37] x", "", "y = LogSoftmax <axis = 1> (x)", "rows" },
  { "reduce-pixels", IMAGE, "int64[2] a = {2, -1}", LAST "b = ReduceMax (c, a) d = ReduceMean (c, a) e = ReduceMin <keepdims = 0> (c, a) f = Add (b, d) g = Squeeze (f) "
    "y = Add (g, e)", "rows" },
  { "softmax-apart", "float[3,45,37] x", "", "y = Softmax <axis = 1> (x)", "rows" },
  { "reduce-all", "float[3,50,7] x", "", "y = ReduceMean <keepdims = 0> (x)", "rows" },
  { "reduce-channels", "float[3,4,5,6] x", "int64[3] a = {0, 2, 3}", "y = ReduceSum <keepdims = 0> (x, a)", "rows" },
  { "reduce-channels-mean", "float[2,1,4,5,6] x", "int64[2] a = {0, -1}", "y = ReduceMean (x, a)", "rows" },
  { "reduce-channels-norm", "float[3,7,5] x", "int64[2] a = {2, 0}", "y = ReduceL2 (x, a)", "rows" },
  { "resize-linear", "float[2,3,5,7] x", "float[4] s = {1, 1, 2, 3}",
    "y = Resize <mode = \"linear\", coordinate_transformation_mode = \"align_corners\"> (x, , s)", "taps" },
  { "resize-linear-last", IMAGE, "int64[4] n = {2, 16, 13, 5}", LAST "y = Resize <mode = \"linear\"> (c, , , n)", NULL },
  { "resize-cubic", "float[1,2,9,6] x", "float[4] s = {1, 1, 0.5, 1.5}", "y = Resize <mode = \"cubic\", antialias = 1> (x, , s)", "taps" },
  { "global-average-pool-plain", "float[2,3,9,8] x", "", "y = GlobalAveragePool (x)", "rows" },
  { "global-average-pool-blocks", "float[2,32,9,8] x, float[32,1,3,3] w", "", "c = Conv <group = 32, pads = [1, 1, 1, 1]> (x, w) y = GlobalAveragePool (c)", "rows" },
  { "max-pool-bytes", "float[2,3,9,21] x", "float s = {0.02}, uint8 z = {128}",
    "q = QuantizeLinear (x, s, z) m = MaxPool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 1, 1, 0]> (q) y = DequantizeLinear (m, s, z)", "bytes" },
  { "max-pool-signed", "float[2,3,9,40] x", "float s = {0.02}, int8 z = {-3}",
    "q = QuantizeLinear (x, s, z) m = MaxPool <kernel_shape = [2, 3], strides = [1, 2], ceil_mode = 1> (q) y = DequantizeLinear (m, s, z)", "bytes" },
  /* No sum is half-way between two bytes: there it matters how often it was rounded before. */
  { "fused-bytes", "float[1,8,9,9] x", "float s = {0.05}, float v = {0.0713}, uint8 z = {120}, int8[6,8,1,1] k = {-50, -13, 24, -40, -3, 34, -30, 7, 44, -20, 17, -47, -10, 27, -37, 0, 37, -27, 10, 47, -17, 20, -44, -7, 30, -34, 3, 40, -24, 13, 50, -14, 23, -41, -4, 33, -31, 6, 43, -21, 16, -48, -11, 26, -38, -1, 36, -28}, float[6] t = {0.01, 0.02, 0.03, 0.01, 0.02, 0.005}, int8[6] u = {0, 0, 0, 0, 0, 0}",
    "q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) w = DequantizeLinear <axis = 0> (k, t, u) c = Conv (d, w) r = Relu (c) p = QuantizeLinear (r, v, z) "
    "y = DequantizeLinear (p, v, z)", NULL, "O3" },
  { "quantize", "float[3,90] x", "float s = {0.02}, uint8 z = {128}", "y = QuantizeLinear (x, s, z)", "bytes" },
  { "quantize-axis", "float[2,3,37] x", "float[3] s = {0.02, 0.3, 0.001}, int8[3] z = {0, -5, 7}", "y = QuantizeLinear <axis = 1> (x, s, z)", "bytes" },
  { "quantize-dynamic", "float[3,90] x", "", "q, s, z = DynamicQuantizeLinear (x) y = DequantizeLinear (q, s, z)", "bytes" },
  { "dequantize-axis", "float[2,3,37] x", "float[3] s = {0.02, 0.3, 0.001}, int8[3] z = {0, -5, 7}",
    "q = QuantizeLinear <axis = 1> (x, s, z) y = DequantizeLinear <axis = 1> (q, s, z)", "bytes" },
  { "product-bytes", "uint8[2,5,300] a, int8[300,33] b", "uint8 za = {1}, int8 zb = {-1}", "y = MatMulInteger (a, b, za, zb)", NULL },
  { "product-bytes-unsigned", "int8[5,300] a, uint8[300,33] b", "uint8 zb = {1}", "y = MatMulInteger (a, b, , zb)", NULL },
  { "product-quantized", "float[5,300] u, float[300,33] v",
    "float s = {0.02}, float t = {3.5}, uint8 z = {128}, int8 w = {3}",
    "a = QuantizeLinear (u, s, z) b = QuantizeLinear (v, s, w) y = QLinearMatMul (a, s, z, b, s, w, t, z)", NULL },
  { "product-dequantized", "uint8[5,300] a, int8[300,33] b", "float s = {0.02}, float t = {0.013}, uint8 z = {128}, float u = {1.7}",
    "c = DequantizeLinear (a, s, z) d = DequantizeLinear (b, t) p = MatMul (c, d) y = QuantizeLinear (p, u, z)", NULL, "O2" },
  { "conv-dequantized", "uint8[2,5,9,8] a, int8[6,5,3,3] b", "float s = {0.02}, float t = {0.013}, uint8 z = {128}, float u = {0.7}",
    "c = DequantizeLinear (a, s, z) d = DequantizeLinear (b, t) p = Conv <pads = [1, 0, 2, 1]> (c, d) q = Relu (p) y = QuantizeLinear (q, u, z)",
    NULL, "O2" },
  { "conv-integer", "uint8[2,5,9,8] x, int8[6,5,3,3] w", "uint8 z = {7}", "y = ConvInteger <pads = [1, 0, 2, 1], strides = [2, 1]> (x, w, z)", NULL },
  { "conv-integer-signed", "int8[1,6,11] x, int8[4,3,3] w", "int8 z = {-5}", "y = ConvInteger <group = 2, dilations = [2], pads = [1, 3]> (x, w, z)", NULL },
  { "conv-integer-off-centre", "uint8[1,3,5,5] x, uint8[4,3,3,3] w", "uint8 z = {7}", "y = ConvInteger (x, w, z, z)", NULL },
  { "conv-quantized", "float[2,16,19,8] u, float[18,16,3,3] v, int32[18] b",
    "float s = {0.02}, float t = {0.9}, uint8 z = {120}, uint8 w = {128}, int8 zy = {-3}",
    "a = QuantizeLinear (u, s, z) f = QuantizeLinear (v, s, w) y = QLinearConv <pads = [1, 1, 1, 1]> (a, s, z, f, s, w, t, zy, b)", NULL },
  { "conv-quantized-channels", "float[1,6,9,8] u, float[6,1,3,3] v",
    "float s = {0.02}, float[6] sw = {0.01, 0.02, 0.03, 0.04, 0.05, 0.01}, float t = {0.2}, int8 z = {3}, int8[6] zw = {0, 0, 0, 0, 0, 0}, uint8 zy = {100}",
    "a = QuantizeLinear (u, s, z) f = QuantizeLinear <axis = 0> (v, sw, zw) y = QLinearConv <group = 6> (a, s, z, f, sw, zw, t, zy)", NULL },
  { "conv-line", "float[2,5,137] x, float[5,1,4] w, float[5] b", "", "y = Conv <group = 5, pads = [2, 5], dilations = [3]> (x, w, b)", "lines" },
  { "conv-line-short", "float[2,3,6] x, float[6,1,9] w", "", "a = Conv <group = 3, pads = [9, 4]> (x, w) b = Conv <group = 3, dilations = [2], pads = [11, 17]> (x, w) y = Concat <axis = 2> (a, b)", "lines" },
  { "conv-line-cut", "float[2,4,45] x, float[4,1,3] w", "", "y = Conv <group = 4, pads = [-2, -1]> (x, w)", "lines" },
  { "conv-depthwise", "float[2,19,5,6,7] x, float[19,1,3,2,3] w, float[19] b", "", "y = Conv <group = 19, pads = [1, 0, 2, 1, 1, 0], strides = [1, 2, 1], dilations = [2, 1, 1]> (x, w, b)", "depthwise" },
  { "max-pool-volume", "float[2,5,7,8,9] x", "", "y = MaxPool <kernel_shape = [3, 2, 2], strides = [2, 1, 2], pads = [1, 0, 0, 1, 1, 0]> (x)", "dnnl" },
  { "average-pool-volume", "float[2,19,7,8,9] x", "", "y = AveragePool <kernel_shape = [3, 2, 2], pads = [1, 0, 0, 1, 1, 0]> (x)", "dnnl" },
  { "half-elementwise", "float[3,5,37] x, float[5,37] w", "", "a = Cast <to = 10> (x) b = Cast <to = 10> (w) c = Add (a, b) d = Mul (c, b) e = Sub (d, a) "
    "f = Div (e, b) g = Relu (f) y = Cast <to = 1> (g)", "half" },
  { "half-brain", "float[3,5,37] x, float[5,37] w", "", "a = Cast <to = 16> (x) b = Cast <to = 16> (w) c = Add (a, b) d = Mul (c, b) e = Sub (d, a) "
    "f = Div (e, b) g = Relu (f) y = Cast <to = 1> (g)", "half" },
  /* sums of small integers are exact in floats */
  { "half-product", "float[3,5,37] x, float[37,40] w", "", "p = Round (x) q = Round (w) a = Cast <to = 10> (p) b = Cast <to = 10> (q) c = MatMul (a, b) "
    "y = Cast <to = 1> (c)", "half" },
  { "half-gemm", "float[5,37] x, float[40,37] w, float[40] v", "", "p = Round (x) q = Round (w) r = Round (v) a = Cast <to = 16> (p) b = Cast <to = 16> (q) "
    "d = Cast <to = 16> (r) c = Gemm <transB = 1> (a, b, d) y = Cast <to = 1> (c)", "half" },
  { "half-conv", "float[2,3,9,8] x, float[6,3,3,3] w, float[6,4,2,2] v", "", "p = Round (x) q = Round (w) r = Round (v) a = Cast <to = 10> (p) b = Cast <to = 10> (q) "
    "d = Cast <to = 10> (r) c = Conv <pads = [1, 1, 1, 1]> (a, b) e = ConvTranspose (c, d) y = Cast <to = 1> (e)", "half" },
  { "half-fused", IMAGE ", float[2,16,9,8] u", "",
    "p = Round (x) q = Round (w) r = Round (u) a = Cast <to = 10> (p) b = Cast <to = 10> (q) c = Cast <to = 10> (r) d = Conv <pads = [1, 1, 1, 1]> (a, b) "
    "e = Add (d, c) f = Relu (e) g = Relu (d) h = MaxPool <kernel_shape = [2, 2], pads = [1, 1, 0, 0]> (f) i = Sub (h, g) y = Cast <to = 1> (i)", NULL, "O3" },
  { "half-pool", "float[2,16,9,8] x", "", "p = Round (x) a = Cast <to = 10> (p) b = MaxPool <kernel_shape = [3, 2]> (a) c = AveragePool <kernel_shape = [3, 3]> (b) "
    "d = GlobalAveragePool (b) e = Add (c, d) y = Cast <to = 1> (e)", "half" },
  { "einsum", "float[7,33] x, float[33,40] w", "", "y = Einsum <equation = \"ij,jk->ik\"> (x, w)", "products" },
  { "einsum-across", "float[2,5,3,8] x, float[2,9,3,8] w", "", "y = Einsum <equation = \"bqhd,bkhd->bhqk\"> (x, w)", "products" },
  { "einsum-back", "float[2,3,5,9] x, float[2,9,3,8] w", "", "y = Einsum <equation = \"bhqk,bkhd->bqhd\"> (x, w)", "products" },
  { "einsum-right-first", "float[6,33] x, float[33,41] w", "", "y = Einsum <equation = \"ij,jk->ki\"> (x, w)", "products" },
  { "einsum-dots", "float[2,1,6,7] x, float[4,7,5] w", "", "y = Einsum <equation = \"...ij,...jk->...ik\"> (x, w)", "products" },
  { "einsum-outer", "float[6] x, float[7] w", "", "y = Einsum <equation = \"i,j->ij\"> (x, w)", "products" },
  { "einsum-outer-batch", "float[3,6] x, float[7,3] w", "", "y = Einsum <equation = \"bi,jb->jbi\"> (x, w)", "products" },
  { "einsum-elementwise", "float[6,5] x, float[5,6] w", "", "y = Einsum <equation = \"ij,ji->ij\"> (x, w)", "products" },
  { "einsum-dot", "float[6,50] x, float[50,6] w", "", "y = Einsum <equation = \"ij,ji->i\"> (x, w)", "products" },
  { "einsum-two-sums", "float[6,5,9] x, float[9,8,5] w", "", "y = Einsum <equation = \"iab,bja->ij\"> (x, w)", "products" },
  { "einsum-diagonal", "float[5,5,7] x, float[7,20] w", "", "y = Einsum <equation = \"iij,jk->ik\"> (x, w)", "products" },
  { "einsum-factors", "float[2,5,3,8] x, float[2,3,8,6] w, float[2,5,3] z, float[1,1] u", "", "y = Einsum <equation = \"bthd,bhde,bth,bh->bthe\"> (x, w, z, u)", "products" },
  { "einsum-transposed", "float[5,6,7] x", "", "y = Einsum <equation = \"ijk->kji\"> (x)", "products" },
  { "einsum-sum", "float[5,6,7] x", "", "y = Einsum <equation = \"ijk->j\"> (x)", "products" },
  { "einsum-trace", "float[6,6] x", "", "y = Einsum <equation = \"ii\"> (x)", "products" },
  { "einsum-lone-letter", "float[6,5] x, float[7] w", "", "y = Einsum <equation = \"ij,k->ik\"> (x, w)", NULL },
  { "einsum-three", "float[6,5] x, float[5,7] v, float[7,4] w", "", "y = Einsum <equation = \"ij,jk,kl->il\"> (x, v, w)", "pairs" },
  { "einsum-four", "float[2,6,5] x, float[5,7] v, float[7,2,4] w, float[2,4] u", "", "y = Einsum <equation = \"bij,jk,kbl,bl->lbi\"> (x, v, w, u)", "pairs" },
  { "rnn", "float[5,3,7] x, float[1,6,7] w, float[1,6,6] r, float[1,12] b", "", "y, h = RNN (x, w, r, b)", "panels" },
  { "rnn-relu", "float[70,3,7] x, float[1,6,7] w, float[1,6,6] r, float[1,3,6] h0", "float s = {0.1}",
    "v = Mul (r, s) y, h = RNN <activations = [\"Relu\"], direction = \"reverse\", clip = 0.7> (x, w, v, , , h0)", "panels" },
  { "gru", "float[5,3,7] x, float[1,18,7] w, float[1,18,6] r, float[1,36] b", "", "y, h = GRU (x, w, r, b)", "panels" },
  { "gru-after", "float[3,70,7] x, float[2,18,7] w, float[2,18,6] r, float[2,36] b, float[3,2,6] h0", "",
    "y, h = GRU <direction = \"bidirectional\", linear_before_reset = 1, layout = 1> (x, w, r, b, , h0)", "panels" },
  { "gru-state", "float[5,3,7] x, float[1,18,7] w, float[1,18,6] r", "", "a, y = GRU <direction = \"reverse\"> (x, w, r)", "panels" },
  { "lstm", "float[70,3,7] x, float[1,24,7] w, float[1,24,6] r, float[1,48] b", "", "y, h, c = LSTM (x, w, r, b)", "panels" },
  { "lstm-peepholes", "float[3,5,7] x, float[2,24,7] w, float[2,24,6] r, float[2,48] b, float[3,2,6] h0, float[3,2,6] c0, float[2,18] p", "",
    "a, h, y = LSTM <direction = \"bidirectional\", layout = 1> (x, w, r, b, , h0, c0, p)", "panels" },
  { "lstm-coupled", "float[5,3,7] x, float[1,24,7] w, float[1,24,6] r", "",
    "a, y = LSTM <input_forget = 1, clip = 0.5, activations = [\"HardSigmoid\", \"LeakyRelu\", \"Tanh\"]> (x, w, r)", "panels" },
  { "lstm-lengths", "float[5,3,7] x, float[1,24,7] w, float[1,24,6] r", "int32[3] n = {5, 2, 0}", "y, h, c = LSTM (x, w, r, , n)", "panels" },
  { "gru-lengths", "float[5,3,7] x, float[2,18,7] w, float[2,18,6] r, float[2,3,6] h0", "int32[3] n = {0, 3, 2}",
    "a, y = GRU <direction = \"bidirectional\"> (x, w, r, , n, h0)", "panels" },
  { "fused-elementwise", "float[3,5,37] x, float[37] b", "", "a = Add (x, b) c = Sigmoid (a) d = Mul (a, c) y = Tanh (d)", "chain", "O3" },
};
/* clang-format on */

static PhModel *
read_case (const Case *c)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 24]> g (%s) => (y) %s%s%s { %s }", c->inputs,
                                           *c->constants != '\0' ? "<" : "", c->constants, *c->constants != '\0' ? ">" : "",
                                           c->body);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, c->name, &error);

  g_assert_no_error (error);
  if (c->pipeline != NULL)
    {
      const PhPipeline *pipeline = ph_pipeline_find (c->pipeline);
      g_autoptr (PhHistory) history = ph_history_new ();
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      options.allow = PH_ROUNDING;
      for (guint i = 0; pipeline->passes[i] != NULL; i++)
        {
          ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error);
          g_assert_no_error (error);
        }
    }
  return model;
}

/* Without AVX-512 oneDNN's sums of bytes are not exact, and no convolution leaves the channels last. */
static inline gboolean
wants_newer_processor (const char *name)
{
  static const char *const rows[] = { "MatMulInteger bytes", "QLinearMatMul bytes", "fused bytes",
                                      "fused dnnl",          "ConvInteger dnnl",    "QLinearConv dnnl",
                                      "Split rows",          "ConvTranspose tiles", NULL };

#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx512vnni") && g_getenv ("ONEDNN_MAX_CPU_ISA") == NULL)
    return FALSE;
#endif
  return g_strv_contains (rows, name);
}

/* Those of halves are what half-floats asks for, those of tables and weights that are large what run-memory and dnnl do. */
static inline gboolean
is_asked_for_elsewhere (const char *name)
{
  return g_str_has_suffix (name, " half") || g_str_equal (name, "Gather file") || g_str_equal (name, "Conv panels");
}

/* The first output. */
static PhTensor *
run (PhModel *model, GHashTable *feeds, const PhRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) results = ph_run_model (model, feeds, NULL, options, &error);

  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id)));
}
