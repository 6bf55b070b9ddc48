/* microsoft-quant.c: operators of com.microsoft on quantised tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft.h"

#include "core/ops/support.h"

#define BYTES (PH_T (INT8) | PH_T (UINT8))

/* Dequantizes input @i with the scale and the zero point that follow it. */
static PhValue *
real (PhExpand *x, guint i)
{
  return PH_BUILD_WITH (x->b, DequantizeLinear, PH_ATTRS (ph_attr_new_int ("axis", -1)), ph_expand_in (x, i),
                        ph_expand_in (x, i + 1), ph_expand_in (x, i + 2));
}

/* Quantizes @value with input @i as scale and input @i + 1 as zero point; without a zero point, to the type @like. */
static PhValue *
narrow (PhExpand *x, PhValue *value, guint i, PhDType like)
{
  PhValue *zero = ph_expand_in (x, i + 1);

  return PH_BUILD (x->b, QuantizeLinear, value, ph_expand_in (x, i), zero != NULL ? zero : ph_build_scalar (x->b, like, 0));
}

/* ── of two operands ── */

PH_EXPAND_TO (expand_qlinear_add, narrow (x, PH_BUILD (x->b, Add, real (x, 0), real (x, 3)), 6, ph_expand_dtype (x, 0)))

PH_EXPAND_TO (expand_qlinear_mul, narrow (x, PH_BUILD (x->b, Mul, real (x, 0), real (x, 3)), 6, ph_expand_dtype (x, 0)))

/* clang-format off */
#define Q_BINARY(name_, function_, doc_)                                                                               \
  const PhOp ph_op_Ms##name_ = {                                                                                       \
    PH_MS (#name_), PH_SPELT_OUT (function_), .flags = PH_OP_NO_GRADIENT, .family = PH_FAMILY_ARITHMETIC, .doc = doc_, \
    .inputs = { { "A", 'T', BYTES }, { "A_scale", 0, PH_T (FLOAT) }, { "A_zero_point", 'T', BYTES, PH_ARG_OPTIONAL },  \
                { "B", 'T', BYTES }, { "B_scale", 0, PH_T (FLOAT) }, { "B_zero_point", 'T', BYTES, PH_ARG_OPTIONAL },  \
                { "C_scale", 0, PH_T (FLOAT) }, { "C_zero_point", 'T', BYTES, PH_ARG_OPTIONAL } },                     \
    .outputs = { { "C", 'T', BYTES } },                                                                                \
  }
/* clang-format on */

Q_BINARY (QLinearAdd, expand_qlinear_add, "Sum of quantised tensors, itself quantised.");
Q_BINARY (QLinearMul, expand_qlinear_mul, "Elementwise product of quantised tensors, itself quantised.");

/* ── of one ── */

PH_EXPAND_TO (expand_qlinear_sigmoid, narrow (x, PH_BUILD (x->b, Sigmoid, real (x, 0)), 3, ph_expand_dtype (x, 0)))

static gboolean
expand_qlinear_leaky_relu (PhExpand *x, GError **error)
{
  g_autofree PhAttr **attrs = ph_ms_attrs (x, NULL);

  x->out[0] = narrow (x, PH_BUILD_WITH (x->b, LeakyRelu, attrs, real (x, 0)), 3, ph_expand_dtype (x, 0));
  return TRUE;
}

static gboolean
expand_qlinear_softmax (PhExpand *x, GError **error)
{
  const int rank = ph_expand_rank (x, 0);
  gint64 axis = ph_node_attr_int (x->node, "axis", -1);
  const gboolean flat = ph_node_attr_int (x->node, "opset", 13) < 13;
  PhValue *value = real (x, 0), *y = value;

  if (flat && rank < 0)
    return ph_expand_fail (x, error, "the rank of its input is not known");
  if (flat)
    y = PH_BUILD_WITH (x->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", axis < 0 ? axis + rank : axis)), y);
  y = PH_BUILD_WITH (x->b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", flat ? 1 : axis)), y);
  if (flat)
    y = PH_BUILD (x->b, Reshape, y, PH_BUILD (x->b, Shape, value));
  x->out[0] = narrow (x, y, 3, ph_expand_dtype (x, 0));
  return TRUE;
}

static PhValue *
moved (PhExpand *x, PhValue *value, gboolean to_front)
{
  const int rank = ph_expand_rank (x, 0);
  gint64 perm[PH_MAX_RANK];

  for (int i = 0; i < rank; i++)
    perm[i] = i == 0 ? 0 : to_front ? (i == 1 ? rank - 1 : i - 1) : (i == rank - 1 ? 1 : i + 1);
  return ph_ms_transpose (x->b, value, perm, rank);
}

static gboolean
expand_qlinear_pool (PhExpand *x, GError **error)
{
  static const char *const but[] = { "channels_last", NULL };
  const gboolean last = ph_node_attr_int (x->node, "channels_last", 0) != 0;
  PhValue *value = real (x, 0);

  if (last && ph_expand_rank (x, 0) < 3)
    return ph_expand_fail (x, error, "the rank of its input is not known");
  if (last)
    value = moved (x, value, TRUE);
  if (g_str_equal (x->node->op_type, "QLinearGlobalAveragePool"))
    value = PH_BUILD (x->b, GlobalAveragePool, value);
  else
    {
      g_autofree PhAttr **attrs = ph_ms_attrs (x, but);

      value = PH_BUILD_WITH (x->b, AveragePool, attrs, value);
    }
  if (last)
    value = moved (x, value, FALSE);
  x->out[0] = narrow (x, value, 3, ph_expand_dtype (x, 0));
  return TRUE;
}

/* clang-format off */
#define Q_UNARY_ARGS                                                                                                   \
  .flags = PH_OP_NO_GRADIENT,                                                                                          \
  .inputs = { { "X", 'T', BYTES }, { "x_scale", 0, PH_T (FLOAT) }, { "x_zero_point", 'T', BYTES, PH_ARG_OPTIONAL },    \
              { "y_scale", 0, PH_T (FLOAT) }, { "y_zero_point", 'T', BYTES, PH_ARG_OPTIONAL } },                       \
  .outputs = { { "Y", 'T', BYTES } }

const PhOp ph_op_MsQLinearSigmoid = {
  PH_MS ("QLinearSigmoid"), PH_SPELT_OUT (expand_qlinear_sigmoid), Q_UNARY_ARGS,
  .family = PH_FAMILY_ACTIVATION,
  .doc = "Sigmoid of a quantised tensor, itself quantised.",
};

const PhOp ph_op_MsQLinearLeakyRelu = {
  PH_MS ("QLinearLeakyRelu"), PH_SPELT_OUT (expand_qlinear_leaky_relu), Q_UNARY_ARGS,
  .family = PH_FAMILY_ACTIVATION,
  .doc = "LeakyRelu of a quantised tensor, itself quantised.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "0.01" } },
};

const PhOp ph_op_MsQLinearSoftmax = {
  PH_MS ("QLinearSoftmax"), PH_SPELT_OUT (expand_qlinear_softmax), Q_UNARY_ARGS,
  .family = PH_FAMILY_ACTIVATION,
  .doc = "Softmax of a quantised tensor, itself quantised.",
  .attrs = { { "axis", PH_ATTR_INT, "-1" }, { "opset", PH_ATTR_INT, .required = TRUE } },
};

const PhOp ph_op_MsQLinearGlobalAveragePool = {
  PH_MS ("QLinearGlobalAveragePool"), PH_SPELT_OUT (expand_qlinear_pool), Q_UNARY_ARGS,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "Mean of each channel of a quantised tensor, itself quantised.",
  .attrs = { { "channels_last", PH_ATTR_INT, "0" } },
};

const PhOp ph_op_MsQLinearAveragePool = {
  PH_MS ("QLinearAveragePool"), PH_SPELT_OUT (expand_qlinear_pool), Q_UNARY_ARGS,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "Mean of each window of a quantised tensor, itself quantised.",
  .attrs = { PH_AUTO_PAD, { "ceil_mode", PH_ATTR_INT, "0" }, { "count_include_pad", PH_ATTR_INT, "0" },
             { "kernel_shape", PH_ATTR_INTS, .required = TRUE }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS },
             { "channels_last", PH_ATTR_INT, "0" } },
};
/* clang-format on */

/* ── of several ── */

static gboolean
expand_qlinear_concat (PhExpand *x, GError **error)
{
  const guint n = x->n_in >= 2 ? (x->n_in - 2) / 3 : 0;
  g_autofree PhValue **parts = g_new0 (PhValue *, n + 1);
  g_autofree PhAttr **attrs = NULL;

  if (n == 0 || x->n_in != 2 + 3 * n)
    return ph_expand_fail (x, error, "after two inputs it needs a tensor, its scale and its zero point, again and again");
  for (guint i = 0; i < n; i++)
    parts[i] = real (x, 2 + 3 * i);
  attrs = ph_ms_attrs (x, NULL);
  x->out[0] = narrow (x, ph_build_node (x->b, &ph_op_Concat, parts, n, attrs, 1), 0, ph_expand_dtype (x, 1));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsQLinearConcat = {
  PH_MS ("QLinearConcat"), PH_SPELT_OUT (expand_qlinear_concat), .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Quantised tensors side by side, each brought to the scale of the result.",
  .inputs = { { "Y_scale", 0, PH_T (FLOAT) }, { "Y_zero_point", 0, BYTES }, { "inputs", 0, BYTES | PH_T (FLOAT), PH_ARG_VARIADIC } },
  .outputs = { { "Y", 0, BYTES } }, .attrs = { { "axis", PH_ATTR_INT, .required = TRUE } },
};
/* clang-format on */

PH_EXPAND_TO (expand_qlinear_where,
              narrow (x, PH_BUILD (x->b, Where, ph_expand_in (x, 0), real (x, 1), real (x, 4)), 7, ph_expand_dtype (x, 1)))

/* clang-format off */
const PhOp ph_op_MsQLinearWhere = {
  PH_MS ("QLinearWhere"), PH_SPELT_OUT (expand_qlinear_where), .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Elements of one or the other quantised tensor, brought to the scale of the result.",
  .inputs = { { "condition", 0, PH_T (BOOL) }, { "X", 'T', BYTES }, { "x_scale", 0, PH_T (FLOAT) }, { "x_zero_point", 'T', BYTES },
              { "Y", 'T', BYTES }, { "y_scale", 0, PH_T (FLOAT) }, { "y_zero_point", 'T', BYTES }, { "z_scale", 0, PH_T (FLOAT) },
              { "z_zero_point", 'T', BYTES } },
  .outputs = { { "Z", 'T', BYTES } },
};
/* clang-format on */

/* ── products ── */

/* Multiplies @product, of integers, by two scales and adds a bias. */
static PhValue *
scaled (PhExpand *x, PhValue *product, PhValue *a_scale, PhValue *b_scale, PhValue *bias)
{
  PhValue *y = ph_ms_cast (x->b, product, a_scale != NULL && a_scale->type != NULL ? a_scale->type->dtype : PH_FLOAT);

  y = PH_BUILD (x->b, Mul, y, PH_BUILD (x->b, Mul, a_scale, b_scale));
  return bias != NULL ? PH_BUILD (x->b, Add, y, bias) : y;
}

static gboolean
expand_matmul_integer_to_float (PhExpand *x, GError **error)
{
  PhValue *y = PH_BUILD (x->b, MatMulInteger, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 4), ph_expand_in (x, 5));

  x->out[0] = scaled (x, y, ph_expand_in (x, 2), ph_expand_in (x, 3), ph_expand_in (x, 6));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsMatMulIntegerToFloat = {
  PH_MS ("MatMulIntegerToFloat"), PH_SPELT_OUT (expand_matmul_integer_to_float),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc = "Product of matrices of narrow integers, times their scales, plus a bias.",
  .inputs = { { "A", 'A', BYTES }, { "B", 'B', BYTES }, { "a_scale", 'T', PH_FLOATS }, { "b_scale", 'T', PH_FLOATS },
              { "a_zero_point", 'A', BYTES, PH_ARG_OPTIONAL }, { "b_zero_point", 'B', BYTES, PH_ARG_OPTIONAL },
              { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
};
/* clang-format on */

static gboolean
expand_dynamic_quantize_matmul (PhExpand *x, GError **error)
{
  PhValue *a = ph_expand_in (x, 0), *y;

  a = ph_build_node (x->b, &ph_op_DynamicQuantizeLinear, &a, 1, NULL, 3);
  if (a == NULL)
    return FALSE;
  y = PH_BUILD (x->b, MatMulInteger, a, ph_expand_in (x, 1), ph_node_output (a->producer, 2), ph_expand_in (x, 3));
  x->out[0] = scaled (x, y, ph_node_output (a->producer, 1), ph_expand_in (x, 2), ph_expand_in (x, 4));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsDynamicQuantizeMatMul = {
  PH_MS ("DynamicQuantizeMatMul"), PH_SPELT_OUT (expand_dynamic_quantize_matmul),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc = "Product of a matrix, quantised by its own range, and a matrix of narrow integers.",
  .inputs = { { "A", 'T', PH_T (FLOAT) }, { "B", 'B', BYTES }, { "b_scale", 'T', PH_T (FLOAT) },
              { "b_zero_point", 'B', BYTES, PH_ARG_OPTIONAL }, { "bias", 'T', PH_T (FLOAT), PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_T (FLOAT) } },
};
/* clang-format on */

static PhValue *
swapped (PhExpand *x, guint i, const char *attr)
{
  return ph_node_attr_int (x->node, attr, 0) != 0 ? ph_ms_transpose (x->b, ph_expand_in (x, i), (gint64[]) { 1, 0 }, 2)
                                                  : ph_expand_in (x, i);
}

static gboolean
expand_qgemm (PhExpand *x, GError **error)
{
  const float alpha = ph_node_attr_float (x->node, "alpha", 1);
  PhValue *y = PH_BUILD (x->b, MatMulInteger, swapped (x, 0, "transA"), swapped (x, 3, "transB"), ph_expand_in (x, 2),
                         ph_expand_in (x, 5));
  PhValue *a_scale = ph_expand_in (x, 1);

  if (ph_expand_in (x, 6) != NULL)
    y = PH_BUILD (x->b, Add, y, ph_expand_in (x, 6));
  if (alpha != 1)
    a_scale = PH_BUILD (x->b, Mul, a_scale, ph_ms_number (x->b, a_scale, alpha));
  y = scaled (x, y, a_scale, ph_expand_in (x, 4), NULL);
  x->out[0] = ph_expand_in (x, 7) != NULL ? narrow (x, y, 7, ph_expand_dtype (x, 0)) : y;
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsQGemm = {
  PH_MS ("QGemm"), PH_SPELT_OUT (expand_qgemm),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc = "Gemm of matrices of narrow integers; quantised again where the result has a scale.",
  .inputs = { { "A", 'A', BYTES }, { "a_scale", 'T', PH_T (FLOAT) }, { "a_zero_point", 'A', BYTES }, { "B", 'B', BYTES },
              { "b_scale", 'T', PH_T (FLOAT) }, { "b_zero_point", 'B', BYTES }, { "C", 0, PH_T (INT32), PH_ARG_OPTIONAL },
              { "y_scale", 'T', PH_T (FLOAT), PH_ARG_OPTIONAL }, { "y_zero_point", 0, BYTES, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 0, BYTES | PH_T (FLOAT) } },
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" }, { "transA", PH_ATTR_INT, "0" }, { "transB", PH_ATTR_INT, "0" } },
};
/* clang-format on */

static gboolean
expand_qlinear_conv (PhExpand *x, GError **error)
{
  static const char *const but[] = { "channels_last", NULL };
  const gboolean last = ph_node_attr_int (x->node, "channels_last", 0) != 0;
  g_autofree PhAttr **attrs = NULL;
  PhValue *inputs[9];

  if (last && ph_expand_rank (x, 0) < 3)
    return ph_expand_fail (x, error, "the rank of its input is not known");
  attrs = ph_ms_attrs (x, but);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    inputs[i] = ph_expand_in (x, i);
  if (last)
    inputs[0] = moved (x, inputs[0], TRUE);
  x->out[0] = ph_build_node (x->b, &ph_op_QLinearConv, inputs, G_N_ELEMENTS (inputs), attrs, 1);
  if (last && x->out[0] != NULL)
    x->out[0] = moved (x, x->out[0], FALSE);
  return x->out[0] != NULL;
}

/* clang-format off */
const PhOp ph_op_MsQLinearConv = {
  PH_MS ("QLinearConv"), PH_SPELT_OUT (expand_qlinear_conv), .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .doc = "Convolution of quantised tensors, itself quantised, perhaps with the channels last.",
  .inputs = { { "x", 'X', BYTES }, { "x_scale", 0, PH_T (FLOAT) }, { "x_zero_point", 'X', BYTES }, { "w", 'W', BYTES },
              { "w_scale", 0, PH_T (FLOAT) }, { "w_zero_point", 'W', BYTES }, { "y_scale", 0, PH_T (FLOAT) },
              { "y_zero_point", 'Y', BYTES }, { "B", 0, PH_T (INT32), PH_ARG_OPTIONAL } },
  .outputs = { { "y", 'Y', BYTES } },
  .attrs = { PH_AUTO_PAD, { "dilations", PH_ATTR_INTS }, { "group", PH_ATTR_INT, "1" },
             { "kernel_shape", PH_ATTR_INTS }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS }, { "channels_last", PH_ATTR_INT, "0" } },
};
/* clang-format on */

/* ── to and from ── */

static gboolean
expand_quantize (PhExpand *x, GError **error)
{
  g_autofree PhAttr **attrs = ph_ms_attrs (x, NULL);

  x->out[0] = PH_BUILD_WITH (x->b, QuantizeLinear, attrs, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 2));
  return TRUE;
}

static gboolean
expand_dequantize (PhExpand *x, GError **error)
{
  g_autofree PhAttr **attrs = ph_ms_attrs (x, NULL);

  x->out[0] = PH_BUILD_WITH (x->b, DequantizeLinear, attrs, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 2));
  return TRUE;
}

#define QUANTS (BYTES | PH_T (INT16) | PH_T (UINT16) | PH_T (INT4) | PH_T (UINT4) | PH_T (INT32))

/* clang-format off */
const PhOp ph_op_MsQuantizeLinear = {
  PH_MS ("QuantizeLinear"), PH_SPELT_OUT (expand_quantize), .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_NORM, .short_name = "Quantize", .main_attrs = { "axis", "block_size" },
  .doc = "Numbers as narrow integers: by a scale, from a zero point.",
  .inputs = { { "x", 'T', PH_FLOATS }, { "y_scale", 'T', PH_FLOATS }, { "y_zero_point", 'Z', QUANTS, PH_ARG_OPTIONAL } },
  .outputs = { { "y", 'Z', QUANTS } }, .attrs = { { "axis", PH_ATTR_INT, "1" }, { "block_size", PH_ATTR_INT, "0" } },
};

const PhOp ph_op_MsDequantizeLinear = {
  PH_MS ("DequantizeLinear"), PH_SPELT_OUT (expand_dequantize),
  .family = PH_FAMILY_NORM, .short_name = "Dequantize", .main_attrs = { "axis", "block_size" },
  .doc = "The real numbers that quantised integers represent: scale * (x - zero point).",
  .inputs = { { "x", 'Z', QUANTS }, { "x_scale", 'T', PH_FLOATS }, { "x_zero_point", 'Z', QUANTS, PH_ARG_OPTIONAL } },
  .outputs = { { "y", 'T', PH_FLOATS } }, .attrs = { { "axis", PH_ATTR_INT, "1" }, { "block_size", PH_ATTR_INT, "0" } },
};
/* clang-format on */

/* ── MatMulNBits ── */

static gboolean
infer_matmul_nbits (PhInfer *infer, GError **error)
{
  const PhType *a = ph_infer_type (infer, 0);
  PhDim dims[PH_MAX_RANK];

  if (a == NULL || !a->has_rank || a->rank < 1)
    return TRUE;
  memcpy (dims, a->dims, a->rank * sizeof *dims);
  dims[a->rank - 1] = PH_DIM (ph_node_attr_int (ph_infer_node_of (infer), "N", 0));
  ph_infer_set_shape (infer, 0, a->dtype, a->rank, dims);
  return TRUE;
}

static gint64
matmul_nbits_flops (const PhNode *node)
{
  const gint64 count = ph_node_output (node, 0)->type != NULL ? ph_type_count (ph_node_output (node, 0)->type) : -1;

  return count < 0 ? -1 : 2 * count * ph_node_attr_int (node, "K", 0);
}

/* Numbers of a few bits each, the first in the low bits of a byte. */
static inline guint
bits_at (const guint8 *data, gsize i, guint bits)
{
  const gsize at = i * bits;

  return data[at / 8] >> at % 8 & ((1u << bits) - 1);
}

/* The weights are [N, blocks, bytes of a block], with a scale per block; zero points are packed by row, or numbers. */
static gboolean
matmul_nbits_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *scales = ph_kernel_input (kernel, 2),
           *zeros = ph_kernel_input (kernel, 3), *order = ph_kernel_input (kernel, 4), *bias = ph_kernel_input (kernel, 5);
  const gint64 k = ph_node_attr_int (kernel->node, "K", 0), n = ph_node_attr_int (kernel->node, "N", 0),
               bits = ph_node_attr_int (kernel->node, "bits", 4), block = ph_node_attr_int (kernel->node, "block_size", 0);
  const guint rank = ph_tensor_rank (a);
  const gboolean packed = zeros != NULL && ph_tensor_dtype (zeros) == PH_UINT8;
  gint64 dims[PH_MAX_RANK], blocks, row_bytes, m;
  g_autofree float *weight = NULL;
  PhDType dtype;
  gpointer y;

  if (k < 1 || n < 1 || block < 1 || (bits != 2 && bits != 4 && bits != 8) || block > G_MAXINT32 || k > G_MAXINT32
      || n > G_MAXINT32)
    return ph_kernel_fail (kernel, error, "K, N and block_size must be positive, and bits 2, 4 or 8");
  blocks = (k + block - 1) / block;
  row_bytes = (blocks * bits + 7) / 8;
  if (rank < 1 || ph_tensor_dims (a)[rank - 1] != k || (gint64) ph_tensor_count (w) != n * blocks * ((block * bits + 7) / 8)
      || (gint64) ph_tensor_count (scales) != n * blocks
      || (zeros != NULL && (gint64) ph_tensor_count (zeros) != (packed ? n * row_bytes : n * blocks))
      || (bias != NULL && (gint64) ph_tensor_count (bias) != n) || (order != NULL && (gint64) ph_tensor_count (order) < k))
    return ph_kernel_fail (kernel, error, "its inputs do not fit K = %d, N = %d and block_size = %d", (int) k, (int) n,
                           (int) block);
  memcpy (dims, ph_tensor_dims (a), rank * sizeof *dims);
  dims[rank - 1] = n;
  dtype = ph_tensor_dtype (a);
  y = ph_kernel_output (kernel, 0, dtype, rank, dims, error);
  weight = y != NULL ? g_try_new (float, k) : NULL;
  if (weight == NULL)
    return y != NULL && ph_kernel_exceed (kernel, error, "is too large for memory");
  m = ph_tensor_count (a) / k;
  for (gint64 j = 0; j < n; j++)
    {
      const guint8 *data = (const guint8 *) ph_tensor_data (w) + j * blocks * ((block * bits + 7) / 8);

      if (ph_kernel_cancelled (kernel, error))
        return FALSE;
      for (gint64 i = 0; i < k; i++)
        {
          const gint64 group = order != NULL ? ph_tensor_get_int (order, i) : i / block;
          double zero = 1 << (bits - 1);

          if (group < 0 || group >= blocks)
            return ph_kernel_fail (kernel, error, "g_idx names a block that is not there");
          if (packed)
            zero = bits_at ((const guint8 *) ph_tensor_data (zeros) + j * row_bytes, group, bits);
          else if (zeros != NULL)
            zero = ph_tensor_get (zeros, j * blocks + group);
          weight[i] = (bits_at (data + i / block * ((block * bits + 7) / 8), i % block, bits) - zero)
                      * ph_tensor_get (scales, j * blocks + group);
        }
      for (gint64 i = 0; i < m; i++)
        {
          double sum = bias != NULL ? ph_tensor_get (bias, j) : 0;

          for (gint64 l = 0; l < k; l++)
            sum += ph_tensor_get (a, i * k + l) * weight[l];
          ph_dtype_store (dtype, y, i * n + j, sum);
        }
    }
  return TRUE;
}

/* dA = dY W', where W is the node's product with an identity matrix. */
static gboolean
grad_matmul_nbits (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  const PhNode *node = grad->node;
  gint64 k = ph_node_attr_int (node, "K", 0), swap[2] = { 1, 0 };
  PhDType dtype = ph_grad_in (grad, 0)->type->dtype;
  g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);
  PhValue *inputs[5], *weight;
  PhTensor *eye;

  if (grad->wanted[0])
    {
      eye = ph_tensor_new (dtype, 2, (gint64[]) { k, k });
      for (gint64 i = 0; eye != NULL && i < k; i++)
        ph_dtype_store (dtype, ph_tensor_writable (eye), i * k + i, 1);
      inputs[0] = ph_build_tensor (b, eye);
      for (guint i = 1; i < 5; i++)
        inputs[i] = ph_grad_in (grad, i);
      for (guint i = 0; i < node->attrs->len; i++)
        attrs[i] = ph_attr_ref (node->attrs->pdata[i]);
      weight = ph_build_node (b, node->op, inputs, 5, attrs, 1);
      grad->dx[0] = PH_BUILD (b, MatMul, grad->dy[0],
                              PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, 2)), weight));
    }
  if (ph_grad_in (grad, 5) != NULL && grad->wanted[5])
    grad->dx[5] = grad->dy[0];
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsMatMulNBits = {
  PH_MS ("MatMulNBits"), .infer = infer_matmul_nbits, .kernel = matmul_nbits_kernel, .flops = matmul_nbits_flops,
  .grad_build = grad_matmul_nbits, .no_rule = 1 << 2 | 1 << 3,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT, .main_attrs = { "bits", "block_size", "K", "N" },
  .doc = "Product with a matrix of numbers of 2, 4 or 8 bits, which have a scale and a zero point for each block.",
  .inputs = { { "A", 'T', PH_FLOATS }, { "B", 0, PH_T (UINT8) | PH_T (INT32) }, { "scales", 0, PH_FLOATS },
              { "zero_points", 0, PH_T (UINT8) | PH_FLOATS, PH_ARG_OPTIONAL }, { "g_idx", 0, PH_T (INT32), PH_ARG_OPTIONAL },
              { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "K", PH_ATTR_INT, .required = TRUE }, { "N", PH_ATTR_INT, .required = TRUE }, { "bits", PH_ATTR_INT, "4" },
             { "block_size", PH_ATTR_INT, .required = TRUE }, { "accuracy_level", PH_ATTR_INT, "0" } },
  .grad_text = "dA = dY @ dequantized B; dbias = sum(dY)",
};
/* clang-format on */
