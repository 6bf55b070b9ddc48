/* grad-nets.c: gradients of small nets, before and after the pipelines, against central differences in double.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/io/io.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "passes/pass.h"

/* All numbers are doubles; inputs and initializers are drawn anew. @by: the inputs that are differentiated by, beside all
 * initializers. The loss is y. */
typedef struct
{
  const char *name, *text;
} Net;

/* clang-format off */
static const Net nets[] = {
  { "gru",
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[3,2,2] x) => (double[1,3] y)\n"
    "<double[1,6,2] w, double[1,6,2] r, double[1,12] b, double[2,3] h, double[3] c> {\n"
    "  all, last = GRU <hidden_size = 2, linear_before_reset = 1> (x, w, r, b)  a = Constant <value_ints = [0]> ()\n"
    "  l = Squeeze (last, a)  g = Gemm (l, h, c)  p = LogSoftmax (g)  y = ReduceSum <keepdims = 1> (p, a)  }" },
  { "lstm-unrolled",     /* the weights are shared by both steps, the first of which starts from zeros */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[2,3] x1, double[2,3] x2) => (double[2,2] y)\n"
    "<double[5,8] w, double[8] b> {\n"
    "  h0 = Constant <value = double[2,2] {0, 0, 0, 0}> ()  n = Constant <value_ints = [2, 2, 2, 2]> ()\n"
    "  j1 = Concat <axis = 1> (x1, h0)  g1 = Gemm (j1, w, b)  i1, f1, o1, c1 = Split <axis = 1> (g1, n)\n"
    "  si1 = Sigmoid (i1)  tc1 = Tanh (c1)  s1 = Mul (si1, tc1)  so1 = Sigmoid (o1)  ts1 = Tanh (s1)  h1 = Mul (so1, ts1)\n"
    "  j2 = Concat <axis = 1> (x2, h1)  g2 = Gemm (j2, w, b)  i2, f2, o2, c2 = Split <axis = 1> (g2, n)\n"
    "  si2 = Sigmoid (i2)  tc2 = Tanh (c2)  sf2 = Sigmoid (f2)  k2 = Mul (sf2, s1)  m2 = Mul (si2, tc2)  s2 = Add (k2, m2)\n"
    "  so2 = Sigmoid (o2)  ts2 = Tanh (s2)  y = Mul (so2, ts2)\n}" },
  { "attention",         /* a causal mask from Trilu, two layer norms whose weights are equal */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[1,3,4] x) => (double[1,3,4] y)\n"
    "<double[4,12] w, double[12] b, double[4,4] o, double[4] g1, double[4] b1, double[4] g2, double[4] b2, double[3,4] pos> {\n"
    "  e = Add (x, pos)  n1 = LayerNormalization (e, g1, b1)  t = MatMul (n1, w)  u = Add (t, b)  s3 = Constant <value_ints = [4, 4, 4]> ()\n"
    "  q, k, v = Split <axis = 2> (u, s3)  hs = Constant <value_ints = [1, 3, 2, 2]> ()\n"
    "  q1 = Reshape (q, hs)  q2 = Transpose <perm = [0, 2, 1, 3]> (q1)  k1 = Reshape (k, hs)  k2 = Transpose <perm = [0, 2, 3, 1]> (k1)\n"
    "  v1 = Reshape (v, hs)  v2 = Transpose <perm = [0, 2, 1, 3]> (v1)  sc = MatMul (q2, k2)  d = Constant <value = double {1.5}> ()\n"
    "  sd = Div (sc, d)  ones = Constant <value = double[3,3] {1, 1, 1, 1, 1, 1, 1, 1, 1}> ()  tri = Trilu <upper = 0> (ones)\n"
    "  zero = Constant <value = double {0}> ()  is = Equal (tri, zero)  low = Constant <value = double {-1e30}> ()\n"
    "  m = Where (is, low, sd)  p = Softmax (m)  a = MatMul (p, v2)  at = Transpose <perm = [0, 2, 1, 3]> (a)\n"
    "  fs = Constant <value_ints = [0, 0, 4]> ()  f = Reshape (at, fs)  fo = MatMul (f, o)  r = Add (e, fo)\n"
    "  n2 = LayerNormalization (r, g2, b2)  y = Gelu (n2)\n}" },
  { "group-conv-bn",     /* in training; the running statistics go on to the loss as well */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[2,4,5,4] x) => (double[2,2] y)\n"
    "<double[4,2,3,1] w, double[4] g, double[4] b, double[4] m, double[4] v, double[2,4,1,1] d, double[2] e> {\n"
    "  c = Conv <group = 2, strides = [2, 1], pads = [1, 0, 1, 0]> (x, w)\n"
    "  n, rm, rv = BatchNormalization <training_mode = 1, epsilon = 0.01> (c, g, b, m, v)  h = HardSwish (n)\n"
    "  k = Conv <strides = [2, 2]> (h, d, e)  a = GlobalAveragePool (k)  f = Flatten (a)  sm = ReduceMean <keepdims = 0> (rm)\n"
    "  z = ReduceSum <keepdims = 0> (rv)  s = Mul (sm, z)  y = Add (f, s)\n}" },
  { "unet",
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[1,1,4,4] x) => (double[1,1,4,4] y)\n"
    "<double[2,1,3,3] w1, double[2] b1, double[2,2,3,3] w2, double[2] s2, double[2] t2, double[2] m2, double[2] v2, double[2,2,2,2] wt,\n"
    " double[1,4,1,1] w3, double[1] b3> {\n"
    "  a = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)  ar = LeakyRelu <alpha = 0.1> (a)  p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (ar)\n"
    "  c = Conv <pads = [1, 1, 1, 1]> (p, w2)  n = BatchNormalization (c, s2, t2, m2, v2)  r = Softplus (n)\n"
    "  k = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> ()  u = Resize <mode = \"nearest\"> (r, \"\", k)\n"
    "  z = Constant <value_ints = [1, 2, 4, 4]> ()  l = Resize <mode = \"linear\"> (p, \"\", \"\", z)\n"
    "  t = ConvTranspose <strides = [2, 2]> (r, wt)  v = Add (l, t)  q = Mul (u, v)\n"
    "  j = Concat <axis = 1> (q, ar)  y = Conv (j, w3, b3)\n}" },
  { "embedding-loss",
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[3,2] x) => (double y)\n"
    "<double[5,2] table, double[4,2] pos, double[2,4] w, double[4] b, double[4] cw> {\n"
    "  i = Constant <value = int64[3,2] {0, 4, 4, 1, 2, -1}> ()  e = Gather (table, i)  z = Constant <value_ints = [1]> ()\n"
    "  r0 = Constant <value_ints = [1]> ()  r1 = Constant <value_ints = [2]> ()  pr = Slice (pos, r0, r1)\n"
    "  m = ReduceMean <keepdims = 0> (e, z)  h = Add (m, x)  hp = Add (h, pr)  g = Gemm (hp, w, b)\n"
    "  t = Constant <value_ints = [1, 3, 0]> ()  y, lp = SoftmaxCrossEntropyLoss (g, t, cw)\n}" },
  { "pool-columns",      /* whose indices count columns first */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[1,2,4,4] x) => (double[1,2,2,2] y)\n<double[2] w, double[2,1] k> {\n"
    "  m0, i = MaxPool <kernel_shape = [2, 2], strides = [2, 2], storage_order = 1> (x)  m = Mul (m0, w)  f = Cast <to = 11> (i)  n = Mul (m, f)  y = Mul (n, k)\n}" },
  { "cubic-border",      /* places beyond the border, which a cubic curve sees as they are */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[1,1,4,5] x) => (double[1,1,1,3] y)\n<double[1,1,4,1] w, double[1] k> {\n"
    "  v = Mul (x, w)  g = Constant <value = double[1,1,3,2] {-1.15, 0.3, 0.4, 1.2, 0.13, -0.57}> ()\n"
    "  s = GridSample <mode = \"cubic\", padding_mode = \"border\"> (v, g)  y = Mul (s, k)\n}" },
  { "loop-grows",        /* a state that is longer after each turn, which PyTorch declares as it is in the first one */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[3,2] x) => (double y)\n<double[2,2] w, double[2] k0> {\n"
    "  n = Constant <value = int64 {3}> ()  t = Constant <value = bool {1}> ()  e = Constant <value = double[0,2] {}> ()\n"
    "  z = Constant <value = double[1,2] {0, 0}> ()\n"
    "  f, h = Loop (n, t, e, z) <body = b (int64 i, bool c, double[0,2] o, double[1,2] s) => (bool d, double[1,2] p, double[1,2] u) {\n"
    "    a = Constant <value_ints = [0]> ()  r = Gather (x, i)  k = Unsqueeze (r, a)  m = MatMul (s, w)  g = Add (m, k)  u = Tanh (g)\n"
    "    p = Concat <axis = 0> (o, u)  d = Identity (c)\n  }>\n"
    "  q0 = Mul (f, f)  q = Mul (q0, k0)  y = ReduceSum <keepdims = 0> (q)\n}" },
  { "loop",              /* state, a scanned output, captures; the number of turns is an initializer */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[3] x) => (double[3] y)\n"
    "<double[3] w, double[3] v, double[1] k> {\n"
    "  n = Constant <value_int = 4> ()  c = Constant <value = bool {1}> ()\n"
    "  f, all = Loop (n, c, x) <body = b (int64 i, bool ci, double[3] s) => (bool co, double[3] so, double[3] sc) {\n"
    "    co = Identity (ci)  a = Mul (s, w)  so = Sin (a)  d = Cast <to = 11> (i)  e = Mul (so, d)  sc = Mul (e, v) }>\n"
    "  z = Constant <value_ints = [0]> ()  m = ReduceMean <keepdims = 0> (all, z)  p = Mul (m, k)  y = Add (p, f)\n}" },
  { "growing-state",     /* another shape in each turn, beside one that has always the same */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[2] x) => (double y)\n"
    "<double[2] w, double[1,3] h> {\n"
    "  n = Constant <value_int = 3> ()  c = Constant <value = bool {1}> ()\n"
    "  f, p, all = Loop (n, c, x, w) <body = b (int64 i, bool ci, double[K] s, double[2] q) => (bool co, double[L] so, double[2] r, double sc) {\n"
    "    co = Identity (ci)  t = Sin (s)  so = Concat <axis = 0> (t, q)  r = Mul (q, w)  m = Mul (so, so)  sc = ReduceSum <keepdims = 0> (m) }>\n"
    "  u = Mul (f, f)  v = ReduceSum <keepdims = 0> (u)  a = ReduceSum <keepdims = 0> (all)  d = Mul (v, a)  pp = ReduceSum <keepdims = 0> (p)\n"
    "  l = Constant <value = double[2,1] {0.5, -0.25}> ()\n"
    "  g, o = Scan (h, l) <num_scan_inputs = 1, body = k (double[M,N] s, double[1] e) => (double[O,P] z, double[1] e2) {\n"
    "    tr = Transpose (s)  ad = Add (tr, s)  z = Tanh (ad)  e2 = Mul (e, e) }>\n"
    "  gg = ReduceSum <keepdims = 0> (g)  y0 = Add (d, pp)  y = Mul (y0, gg)\n}" },
  { "if-in-scan",
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[4,2] x) => (double[4,2] y)\n"
    "<double[2] w, double[2] v, double[2] h> {\n"
    "  l, y = Scan (h, x) <num_scan_inputs = 1, body = b (double[2] s, double[2] e) => (double[2] so, double[2] o) {\n"
    "    t = ReduceSum <keepdims = 0> (e)  z = Constant <value = double {0.95}> ()  c = Greater (t, z)\n"
    "    r = If (c) <then_branch = th () => (double[2] p) { p = Mul (s, w) },\n"
    "                else_branch = el () => (double[2] q) { u = Add (e, v) q = Tanh (u) }>\n"
    "    so = Add (r, e)  o = Mul (r, s) }>\n}" },
  { "branches-of-two-shapes",
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[4] x) => (double y)\n"
    "<double[4] w, double[1] k> {\n"
    "  s = ReduceSum <keepdims = 0> (x)  z = Constant <value = double {100}> ()  c = Greater (s, z)  d = Not (c)\n"
    "  a = If (c) <then_branch = t () => (double[4] p) { p = Mul (x, w) },\n"
    "              else_branch = e () => (double[2] q) { u = Mul (x, w)  i = Constant <value_ints = [1, 3]> ()  g = Gather (u, i)  q = Sin (g) }>\n"
    "  b = If (d) <then_branch = t2 () => (double[4] p2) { p2 = Sin (w) },\n"
    "              else_branch = e2 () => (double[2] q2) { i2 = Constant <value_ints = [0, 2]> ()  q2 = Gather (w, i2) }>\n"
    "  m = ReduceProd <keepdims = 0> (a)  n = ReduceSum <keepdims = 0> (b)  e = Mul (m, n)  h = Mul (e, k)\n"
    "  y = ReduceSum <keepdims = 0> (h)\n}" },
  { "functions",         /* of the model's own: one calls another, one has a branch inside */
    "<ir_version: 9, opset_import: [\"\" : 22, \"my\" : 1]> net (double[3] x) => (double[3] y)\n"
    "<double[3] w, double[3] v> {\n"
    "  u = Mul (v, w)  a = my.act (x, u)  b, k = my.outer (a, v, w)  z = Mul (b, k)  y = my.act (z, u)\n}\n"
    "<domain: \"my\", opset_import: [\"\" : 22]> act (p, q) => (r) { m = Mul (p, q) r = Tanh (m) }\n"
    "<domain: \"my\", opset_import: [\"\" : 22, \"my\" : 1]> outer (p, q, s) => (r, t) { a = my.act (q, p)  f = Constant <value = bool {1}> ()\n"
    "  r = If (f) <then_branch = yes () => (double[3] e) { e = Add (a, p) }, else_branch = no () => (double[3] g) { g = Neg (q) }>  t = Mul (a, s) }" },
  { "list-in-a-loop",    /* as TorchScript's exporter writes one that is appended to */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[3,2] x) => (double[3,2] y)\n"
    "<double[2,2] w, double[2] h, double[2] k> {\n"
    "  e = SequenceEmpty <dtype = 11> ()  l = SequenceInsert (e, k)  n = Constant <value_int = 3> ()  t = Constant <value = bool {1}> ()\n"
    "  f, s = Loop (n, t, h, l) <body = b (int64 i, bool c, double[2] v, seq(double[2]) q) => (bool d, double[2] u, seq(double[2]) r) {\n"
    "    d = Identity (t)  g = Gather (x, i)  m = MatMul (v, w)  a = Add (m, g)  u = Tanh (a)  o = Mul (u, g)  r = SequenceInsert (q, o) }>\n"
    "  z = ConcatFromSequence <axis = 0, new_axis = 1> (s)  i0 = Constant <value_int = 1> ()  p = SequenceAt (s, i0)  b0 = Constant <value_ints = [1]> ()\n"
    "  b1 = Constant <value_ints = [9]> ()  zz = Slice (z, b0, b1)  pf = Mul (p, f)  j = Constant <value_ints = [0]> ()  first = Gather (z, j)  pq = Mul (pf, first)\n"
    "  y = Mul (zz, pq)\n}" },
  { "twins",
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[2] x) => (double[2] y)\n"
    "<double[2] g1 = {1, 1}, double[2] g2 = {1, 1}, double[2,2] a = {1, 2, 3, 4}, double[2,2] b = {1, 2, 3, 4}> {\n"
    "  m = Mul (x, g1)  s = Sin (m)  p = MatMul (a, b)  q = MatMul (s, p)  k = MatMul (s, a)  r = Add (q, k)  y = Mul (r, g2)\n}" },
  { "spectrum",          /* strided, padded, moved about: what index maps and slices are for */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[1,4,2,3] x) => (double[2,3] y)\n"
    "<double[1,2,4,6] w, double[2] lo, double[3,6] m> {\n"
    "  d = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)  p = Constant <value_ints = [0, 1, 0, 0, 0, 0, 0, 0]> ()\n"
    "  e = Pad <mode = \"edge\"> (d, p)  f = Mul (e, w)  t = Transpose <perm = [0, 2, 1, 3]> (f)\n"
    "  s = Constant <value_ints = [-1]> ()  b = Constant <value_ints = [-9]> ()  ax = Constant <value_ints = [1]> ()  st = Constant <value_ints = [-2]> ()\n"
    "  c = Slice (t, s, b, ax, st)  q = ReduceLogSumExp <keepdims = 0> (c, ax)  sh = Constant <value_ints = [2, 6]> ()\n"
    "  r = Reshape (q, sh)  u = Einsum <equation = \"bi,ji->bj\"> (r, m)  ls = Constant <value_ints = [2, 1]> ()  l2 = Reshape (lo, ls)\n"
    "  y = Max (u, l2)\n}" },
  { "bodies-in-bodies",  /* weights from every level, one of them shared by all; states and outputs that nobody reads */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[2,2] x) => (double[2,2] y)\n"
    "<double[2,2] w, double[2] b, double[2,2] u> {\n"
    "  n = Constant <value_int = 3> ()  t = Constant <value = bool {1}> ()  o = Mul (x, w)\n"
    "  f, unread, s = Loop <body = outer (int64 i, bool c, double[2,2] h, double[2,2] g) => (bool d, double[2,2] k, double[2,2] l, double[2,2] m) {\n"
    "    d = Identity (c)  one = Constant <value_int = 1> ()  odd = Mod (i, two)  two = Constant <value_int = 2> ()  is = Equal (odd, one)\n"
    "    k = If (is) <then_branch = a () => (double[2,2] p) {\n"
    "      q, r = Loop <body = inner (int64 j, bool e, double[2,2] v) => (bool z, double[2,2] aa, double[2,2] ab) {\n"
    "        z = Identity (e)  ac = MatMul (v, w)  ad = Add (ac, b)  aa = Tanh (ad)  ab = Mul (aa, h)  }> (two, \"\", h)\n"
    "      ae = Constant <value_ints = [0]> ()  af = ReduceSum <keepdims = 0> (r, ae)  p = Add (q, af)\n"
    "    }, else_branch = bb () => (double[2,2] ba) {\n"
    "      bc, bd = Scan <num_scan_inputs = 1, scan_input_directions = [1], body = row (double[2] be, double[2] bf) => (double[2] bg, double[2] bh) {\n"
    "        bi = Mul (be, bf)  bg = Sin (bi)  bh = MatMul (bg, u)  }> (b, h)\n"
    "      bj = Mul (bd, w)  ba = Add (bj, o)  }>\n"
    "    l = Add (g, k)  m = Cos (k)  }> (n, t, x, o)\n"
    "  ax = Constant <value_ints = [0]> ()  z0 = ReduceProd <keepdims = 0> (s, ax)  z1 = MatMul (f, w)  y = Add (z0, z1)\n}" },
  { "integer-paths",     /* shapes that are computed, indices from data, counts and masks */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[3,4] x) => (double[2,6] y)\n"
    "<double[5,4] table, double[4] s, double[2] pair> {\n"
    "  sh = Shape (x)  z = Constant <value_ints = [0]> ()  n = Gather (sh, z)  m = Constant <value_ints = [-1]> ()  to = Concat <axis = 0> (m, n)\n"
    "  r = Reshape (x, to)  rt = Transpose (r)  k = Constant <value_ints = [2]> ()  v, i = TopK <axis = 1> (rt, k)\n"
    "  am = ArgMax <axis = 1, keepdims = 0> (x)  row = Gather (table, am)  a = Mul (row, s)  gx = Greater (a, x)  w = Where (gx, a, x)\n"
    "  ge = GatherElements <axis = 1> (w, i)  d = Constant <value_int = 4> ()  oh = OneHot (am, d, pair)  p = Mul (oh, w)\n"
    "  nz = NonZero (gx)  nt = Transpose (nz)  gn = GatherND (p, nt)  total = ReduceSum <keepdims = 0> (gn)  c = Concat <axis = 1> (ge, v, oh)\n"
    "  ca = Constant <value_int = 1> ()  cs = CumSum <reverse = 1> (c, ca)  two = Constant <value_ints = [4, 6]> ()  cr = Reshape (cs, two)\n"
    "  st = Constant <value_ints = [1]> ()  en = Constant <value_ints = [3]> ()  sl = Slice (cr, st, en, z)  y = Mul (sl, total)\n}" },
  { "empty-parts",       /* axes of no elements beside others */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[2,3] x) => (double[2,4] y)\n"
    "<double[3,3] w, double[3] b> {\n"
    "  l = Constant <value_ints = [0, 2, 1]> ()  e, h, t = Split <axis = 1> (x, l)  wm = MatMul (x, w)  we, wh, wt = Split <axis = 1> (wm, l)\n"
    "  z = Constant <value_ints = [0]> ()  ss = Constant <value_ints = [3]> ()  se = Constant <value_ints = [3]> ()  bs = Slice (b, ss, se, z)\n"
    "  ex = Exp (e)  j = Concat <axis = 1> (ex, h, we, wt)  one = Constant <value_ints = [1]> ()  q = ReduceSum (we, one)  bq = ReduceSum <keepdims = 1> (bs, z)\n"
    "  et = Transpose (e)  mm = MatMul (ex, et)  mz = ReduceMean <keepdims = 0> (mm)  a = Add (j, q)  c = Add (a, bq)  g = Concat <axis = 1> (c, t)  y = Add (g, mz)\n}" },
  { "scattered",         /* experts: rows picked, worked on and put back */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[4,2] x) => (double[4,2] y)\n"
    "<double[2,2] w1, double[2,2] w2, double[2] gate, double[4,2] base> {\n"
    "  g = MatMul (x, gate)  p = Softmax <axis = 0> (g)  k = Constant <value_ints = [2]> ()  v, i = TopK <axis = 0> (p, k)  a = Constant <value_ints = [1]> ()\n"
    "  r = Gather (x, i)  m = MatMul (r, w1)  h = Softplus (m)  o = MatMul (h, w2)  vc = Unsqueeze (v, a)  s = Mul (o, vc)  ic = Unsqueeze (i, a)\n"
    "  d = ScatterND <reduction = \"add\"> (base, ic, s)  f = ScatterND <reduction = \"mul\"> (d, ic, h)  c = Constant <value = int64[1,2] {3, 0}> ()\n"
    "  t = Constant <value = double[1,2] {0.5, 0.7}> ()  e = ScatterElements <axis = 0> (f, c, t)  y = Mul (e, x)\n}" },
  { "spatial",           /* sampled, cropped, normalised by place and channel */
    "<ir_version: 8, opset_import: [\"\" : 22]> net (double[1,4,3,3] x) => (double[1,1,4,4] y)\n"
    "<double[4] g, double[4] b, double[1,2,3] theta, double[1,4,1,1] k, double[2] s, double[2] t, double[1,1] q> {\n"
    "  n = GroupNormalization <num_groups = 2, epsilon = 0.1> (x, g, b)  z = Constant <value_ints = [1, 4, 4, 4]> ()  c = Resize <mode = \"cubic\"> (n, \"\", \"\", z)\n"
    "  az = Constant <value_ints = [1, 1, 4, 4]> ()  grid0 = AffineGrid (theta, az)  f = Constant <value = double {0.3}> ()  grid = Mul (grid0, f)\n"
    "  gs = GridSample <padding_mode = \"border\", align_corners = 1> (c, grid)  l = LRN <size = 3, alpha = 0.2> (gs)  h = Split <axis = 1, num_outputs = 2> (l)\n"
    "  i = InstanceNormalization <epsilon = 0.1> (h, s, t)  p = Constant <value_ints = [0, 0, 1, 0, 0, 0, 0, 1]> ()  pd = Pad <mode = \"reflect\"> (l, p)\n"
    "  lp = LpPool <kernel_shape = [2, 2]> (pd)  cv = Conv (lp, k)  mi = ReduceMean <keepdims = 1> (i)  m = MatMul (cv, id)  id = Constant <value = double[4,4] "
    "{1, 0.5, 0, 0, 0, 1, 0.5, 0, 0, 0, 1, 0.5, 0.5, 0, 0, 1}> ()  w = Mul (m, q)  y = Add (w, mi)\n}" },
  { "products",          /* determinants, diagonals, running products */
    "<ir_version: 8, opset_import: [\"\" : 26]> net (double[2,3,3] x) => (double[3] y)\n"
    "<double[3,3] w, double[3] b> {\n"
    "  m = MatMul (x, w)  i = Constant <value = double[3,3] {3, 0, 0, 0, 3, 0, 0, 0, 3}> ()  r = Add (m, i)  d = Det (r)  t = Einsum <equation = \"bii->b\"> (m)\n"
    "  e = Einsum <equation = \"bij,jk,bik->i\"> (x, w, m)  a = Constant <value_int = 0> ()  c = CumProd <exclusive = 1> (e, a)  l = Log (d)  p = Mul (l, t)\n"
    "  s = ReduceLogSumExp <keepdims = 1> (p)  v = Pow (b, s)  y = Add (c, v)\n}" },
};
/* clang-format on */

/* Pipelines before and after the gradient. */
/* clang-format off */
static const struct { const char *before, *after; } manners[] = {
  { "none", "none" }, { "none", "O1" }, { "none", "O2" }, { "none", "O3" }, { "O1", "none" }, { "O2", "none" }, { "O3", "none" },
  { "train", "none" }, { "train", "O2" }, { "O2", "O2" },
};
/* clang-format on */

/* Text takes no initializer without values: each "double[..] name" between < and > behind the inputs gets some. */
static char *
fill_initializers (const char *text, GRand *random)
{
  const char *from = strchr (strchr (text, ')'), '<'), *end = strstr (from, "> {\n");
  GString *out = g_string_new_len (text, from - text);

  for (const char *p = from; p < end;)
    {
      gint64 count = 1;
      const char *next = strstr (p + 1, "double");

      next = next != NULL && next < end ? next : end;
      if (g_str_has_prefix (p, "double") && memchr (p, '=', next - p) == NULL)
        {
          const char *close = strchr (p, ']'), *last;

          for (const char *d = p + strlen ("double["); d < close;
               d = strchr (d, ',') != NULL && strchr (d, ',') < close ? strchr (d, ',') + 1 : close)
            count *= g_ascii_strtoll (d, NULL, 10);
          for (last = next; last > close && !g_ascii_isalnum (last[-1]); last--)
            ;
          g_string_append_len (out, p, last - p);
          g_string_append (out, " = {");
          for (gint64 i = 0; i < count; i++)
            g_string_append_printf (out, "%s%.6f", i > 0 ? ", " : "", g_rand_double_range (random, 0.2, 1.2));
          g_string_append_printf (out, "}%.*s", (int) (next - last), last);
        }
      else
        g_string_append_len (out, p, next - p);
      p = next;
    }
  g_string_append (out, end);
  return g_string_free (out, FALSE);
}

static void
run_pipeline (PhModel *model, PhHistory *history, const char *name)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GError) error = NULL;

  options.verify = TRUE;
  options.allow = pipeline->allow;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error);
      g_assert_no_error (error);
    }
}

static PhModel *
read_model (const char *text, PhHistory *history)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "net", &error);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, &error);
  g_assert_no_error (error);
  return model;
}

/* (transfer full): value @name of @model; @feeds by name. */
static PhTensor *
compute (PhModel *model, GHashTable *feeds, const char *name)
{
  g_autoptr (GHashTable) by_value = g_hash_table_new (NULL, NULL), results = NULL;
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  PhValue *value = ph_model_find_value_named (model, name);
  GHashTableIter iter;
  gpointer key, tensor;

  if (value == NULL)
    g_error ("there is no value '%s'", name);
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &key, &tensor))
    if (ph_model_find_value_named (model, key) != NULL)
      g_hash_table_insert (by_value, ph_model_find_value_named (model, key), tensor);
  g_ptr_array_add (wanted, value);
  results = ph_run_model (model, by_value, wanted, &(PhRunOptions) { .reference = TRUE, .seed = 1 }, &error);
  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)));
}

static double
loss (PhModel *model, GHashTable *feeds, PhTensor *cotangent)
{
  g_autoptr (PhTensor) y = compute (model, feeds, "y");
  double sum = 0;

  for (gsize i = 0; i < ph_tensor_count (y); i++)
    sum += ph_tensor_get (y, i) * ph_tensor_get (cotangent, i);
  return sum;
}

static PhTensor *
random_like (const PhType *type, GRand *random, double low, double high)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  g_assert_true (ph_type_is_static (type) && type->dtype == PH_DOUBLE);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  tensor = ph_tensor_new (PH_DOUBLE, type->rank, dims);
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ((double *) ph_tensor_writable (tensor))[i] = g_rand_double_range (random, low, high);
  return tensor;
}

/* d loss / d @at, by central differences; @at is what the model reads. */
static double *
differences (PhModel *model, GHashTable *feeds, PhTensor *at, PhTensor *cotangent)
{
  const double step = 1e-6;
  double *data = (double *) ph_tensor_data (at), *slope = g_new (double, ph_tensor_count (at) + 1);

  for (gsize k = 0; k < ph_tensor_count (at); k++)
    {
      double keep = data[k], up;

      data[k] = keep + step;
      up = loss (model, feeds, cotangent);
      data[k] = keep - step;
      slope[k] = (up - loss (model, feeds, cotangent)) / (2 * step);
      data[k] = keep;
    }
  return slope;
}

static void
check_manner (const Net *net, const char *text, guint m, GHashTable *feeds, GPtrArray *names, GPtrArray *slopes)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = read_model (text, history);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  run_pipeline (model, history, manners[m].before);
  g_ptr_array_add (arguments, (gpointer) "y");
  g_ptr_array_extend (arguments, names, NULL, NULL);
  g_ptr_array_add (arguments, NULL);
  options.verify = TRUE;
  options.arguments = (const char *const *) arguments->pdata;
  if (!ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error))
    g_error ("%s after %s: %s", net->name, manners[m].before, error->message);
  run_pipeline (model, history, manners[m].after);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("grad_%s", (char *) names->pdata[i]);
      g_autoptr (PhTensor) gradient = compute (model, feeds, name);
      const double *slope = slopes->pdata[i];

      for (gsize k = 0; k < ph_tensor_count (gradient); k++)
        if (!(fabs (ph_tensor_get (gradient, k) - slope[k]) <= 1e-6 + 1e-5 * fabs (slope[k])))
          g_error ("%s, %s before, %s after: %s[%" G_GSIZE_FORMAT "] is %.10g, central differences give %.10g", net->name,
                   manners[m].before, manners[m].after, name, k, ph_tensor_get (gradient, k), slope[k]);
    }
}

static void
test_net (gconstpointer data)
{
  const Net *net = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autofree char *text = fill_initializers (net->text, random);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = read_model (text, history);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new (), slopes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhTensor) y = NULL;
  PhTensor *cotangent;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];

      g_hash_table_insert (feeds, (gpointer) input->name, random_like (input->type, random, 0.1, 0.9));
      g_ptr_array_add (names, (gpointer) input->name);
    }
  y = compute (model, feeds, "y");
  cotangent = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (y), ph_tensor_dims (y));
  for (gsize i = 0; i < ph_tensor_count (cotangent); i++)
    ((double *) ph_tensor_writable (cotangent))[i] = g_rand_double_range (random, -1, 1);
  g_hash_table_insert (feeds, (gpointer) "grad_y", cotangent);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (slopes, differences (model, feeds, g_hash_table_lookup (feeds, names->pdata[i]), cotangent));
  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhValue *value = model->graph->constants->pdata[i];

      if (ph_tensor_dtype (value->tensor) != PH_DOUBLE || strstr (net->text, value->name) == NULL)
        continue;
      g_ptr_array_add (names, (gpointer) value->name);
      g_ptr_array_add (slopes, differences (model, feeds, value->tensor, cotangent));
    }
  g_assert_cmpuint (names->len, >, 2);
  for (guint m = 0; m < G_N_ELEMENTS (manners); m++)
    check_manner (net, text, m, feeds, names, slopes);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path = g_strdup_printf ("/grad-nets/%s", nets[i].name);

      g_test_add_data_func (path, &nets[i], test_net);
    }
  return g_test_run ();
}
