/* microsoft.c: activations, and products and convolutions with fused operators, of com.microsoft.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft.h"

#include <string.h>

PhValue *
ph_ms_number (PhBuilder *b, PhValue *like, double number)
{
  const PhDType dtype = like != NULL && like->type != NULL ? like->type->dtype : PH_FLOAT;

  return ph_build_scalar (b, dtype != PH_UNDEFINED ? dtype : PH_FLOAT, number);
}

PhValue *
ph_ms_transpose (PhBuilder *b, PhValue *value, const gint64 *perm, gsize n)
{
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, n)), value);
}

PhValue *
ph_ms_reshape (PhBuilder *b, PhValue *value, const gint64 *dims, gsize n)
{
  return PH_BUILD (b, Reshape, value, ph_build_ints (b, dims, n));
}

PhValue *
ph_ms_cast (PhBuilder *b, PhValue *value, PhDType dtype)
{
  return PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), value);
}

PhAttr **
ph_ms_attrs (PhExpand *x, const char *const *but)
{
  PhAttr **attrs = g_new0 (PhAttr *, x->node->attrs->len + 1);
  guint n = 0;

  for (guint i = 0; i < x->node->attrs->len; i++)
    {
      PhAttr *attr = x->node->attrs->pdata[i];

      if (but == NULL || !g_strv_contains (but, attr->name))
        attrs[n++] = ph_attr_ref (attr);
    }
  return attrs;
}

PhValue *
ph_ms_activate (PhExpand *x, PhValue *value, const char *name, const float *parameters, gsize n)
{
  PhBuilder *b = x->b;
  const float first = n > 0 ? parameters[0] : 0, second = n > 1 ? parameters[1] : 0;

  if (*name == '\0' || value == NULL)
    return value;
  if (g_str_equal (name, "Relu"))
    return PH_BUILD (b, Relu, value);
  if (g_str_equal (name, "Tanh"))
    return PH_BUILD (b, Tanh, value);
  if (g_str_equal (name, "Sigmoid"))
    return PH_BUILD (b, Sigmoid, value);
  if (g_str_equal (name, "Softplus"))
    return PH_BUILD (b, Softplus, value);
  if (g_str_equal (name, "Softsign"))
    return PH_BUILD (b, Softsign, value);
  if (g_str_equal (name, "Gelu"))
    return PH_BUILD (b, Gelu, value);
  if (g_str_equal (name, "HardSwish"))
    return PH_BUILD (b, HardSwish, value);
  if (g_str_equal (name, "LeakyRelu"))
    return PH_BUILD_WITH (b, LeakyRelu, PH_ATTRS (ph_attr_new_float ("alpha", n > 0 ? first : 0.01f)), value);
  if (g_str_equal (name, "Elu"))
    return PH_BUILD_WITH (b, Elu, PH_ATTRS (ph_attr_new_float ("alpha", n > 0 ? first : 1)), value);
  if (g_str_equal (name, "Selu") && n == 2)
    return PH_BUILD_WITH (b, Selu, PH_ATTRS (ph_attr_new_float ("alpha", first), ph_attr_new_float ("gamma", second)), value);
  if (g_str_equal (name, "Selu"))
    return PH_BUILD (b, Selu, value);
  if (g_str_equal (name, "ThresholdedRelu"))
    return PH_BUILD_WITH (b, ThresholdedRelu, PH_ATTRS (ph_attr_new_float ("alpha", n > 0 ? first : 1)), value);
  if (g_str_equal (name, "HardSigmoid"))
    return PH_BUILD_WITH (
        b, HardSigmoid,
        PH_ATTRS (ph_attr_new_float ("alpha", n > 0 ? first : 0.2f), ph_attr_new_float ("beta", n > 1 ? second : 0.5f)), value);
  if (g_str_equal (name, "Clip") && n == 2) /* the largest float stands for a bound that is left out */
    return PH_BUILD (b, Clip, value, first > -G_MAXFLOAT ? ph_ms_number (b, value, first) : NULL,
                     second < G_MAXFLOAT ? ph_ms_number (b, value, second) : NULL);
  if (b->error == NULL)
    ph_expand_fail (x, &b->error, "its activation '%s' is not known", name);
  return NULL;
}

/* ── activations ── */

PH_EXPAND_TO (expand_gelu, PH_BUILD (x->b, Gelu, ph_expand_in (x, 0)))

PH_EXPAND_TO (expand_bias_gelu, PH_BUILD (x->b, Gelu, PH_BUILD (x->b, Add, ph_expand_in (x, 0), ph_expand_in (x, 1))))

static gboolean
expand_fast_gelu (PhExpand *x, GError **error)
{
  PhValue *value = ph_expand_in (x, 0);

  if (ph_expand_in (x, 1) != NULL)
    value = PH_BUILD (x->b, Add, value, ph_expand_in (x, 1));
  x->out[0] = PH_BUILD_WITH (x->b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", "tanh")), value);
  return TRUE;
}

static gboolean
expand_quick_gelu (PhExpand *x, GError **error)
{
  PhValue *value = ph_expand_in (x, 0);
  const float alpha = ph_node_attr_float (x->node, "alpha", 1.702f);

  x->out[0] = PH_BUILD (x->b, Mul, value,
                        PH_BUILD (x->b, Sigmoid, PH_BUILD (x->b, Mul, value, ph_ms_number (x->b, value, alpha))));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsGelu = {
  PH_MS ("Gelu"), PH_SPELT_OUT (expand_gelu), .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH, .example = { "x[4]", "y = com.microsoft.Gelu (x)", -1, 1 },
  .doc = "Elementwise x times the chance that a normal variable is below x.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
};

const PhOp ph_op_MsBiasGelu = {
  PH_MS ("BiasGelu"), PH_SPELT_OUT (expand_bias_gelu),
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH,
  .example = { "x[2,3] b[3]", "y = com.microsoft.BiasGelu (x, b)", -1, 1 },
  .doc = "Gelu of a sum.",
  .inputs = { { "A", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS } }, .outputs = { { "C", 'T', PH_FLOATS } },
};

const PhOp ph_op_MsFastGelu = {
  PH_MS ("FastGelu"), PH_SPELT_OUT (expand_fast_gelu),
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH,
  .example = { "x[2,3] b[3]", "y = com.microsoft.FastGelu (x, b)", -1, 1 },
  .doc = "Gelu approximated by tanh, of a sum if there is a bias.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL } }, .outputs = { { "Y", 'T', PH_FLOATS } },
};

const PhOp ph_op_MsQuickGelu = {
  PH_MS ("QuickGelu"), PH_SPELT_OUT (expand_quick_gelu), .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH, .example = { "x[3]", "y = com.microsoft.QuickGelu (x)", -1, 1 },
  .doc = "Elementwise x times the sigmoid of alpha times x.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.702" } },
};
/* clang-format on */

static gboolean
expand_bias_softmax (PhExpand *x, GError **error)
{
  PhValue *data = ph_expand_in (x, 0), *bias = ph_expand_in (x, 1), *y;
  const int rank = ph_expand_rank (x, 0), rank_bias = ph_expand_rank (x, 1);
  gint64 axis = ph_node_attr_int (x->node, "axis", 1);

  if (rank < 0 || rank_bias < 0)
    return ph_expand_fail (x, error, "the ranks of its inputs are not known");
  if (axis < 0)
    axis += rank;
  /* A bias that has only the outer axes is broadcast along the axes of the softmax. */
  if (!ph_node_attr_int (x->node, "is_inner_broadcast", 1))
    while (bias != NULL && bias->type != NULL && (int) bias->type->rank < rank)
      bias = PH_BUILD (x->b, Unsqueeze, bias, ph_build_ints (x->b, (gint64[]) { bias->type->rank }, 1));
  y = PH_BUILD (x->b, Add, data, bias);
  if (axis != rank - 1)
    y = PH_BUILD_WITH (x->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", axis)), y);
  y = PH_BUILD_WITH (x->b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", -1)), y);
  x->out[0] = axis != rank - 1 ? PH_BUILD (x->b, Reshape, y, PH_BUILD (x->b, Shape, data)) : y;
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsBiasSoftmax = {
  PH_MS ("BiasSoftmax"), PH_SPELT_OUT (expand_bias_softmax),
  .family = PH_FAMILY_ACTIVATION,
  .doc = "Softmax of a sum, over the axes from one on.",
  .inputs = { { "data", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS } }, .outputs = { { "output", 'T', PH_FLOATS } },
  .attrs = { { "axis", PH_ATTR_INT, "1" }, { "is_inner_broadcast", PH_ATTR_INT, .required = TRUE } },
};
/* clang-format on */

/* ── products ── */

/* Returns an operand of FusedMatMul: with @batch its first axis moves before its last; with @last its last two are swapped. */
static PhValue *
turned (PhExpand *x, guint i, gboolean last, gboolean batch)
{
  const int rank = ph_expand_rank (x, i);
  gint64 perm[PH_MAX_RANK];

  if ((!last && !batch) || rank == 1)
    return ph_expand_in (x, i);
  if (rank < 0)
    {
      if (x->b->error == NULL)
        ph_expand_fail (x, &x->b->error, "the rank of input %u is not known", i);
      return NULL;
    }
  for (int k = 0; k < rank; k++)
    perm[k] = !batch || k == rank - 1 ? k : k == rank - 2 ? 0 : k + 1;
  if (last)
    {
      const gint64 at = perm[rank - 1];

      perm[rank - 1] = perm[rank - 2];
      perm[rank - 2] = at;
    }
  /* If B is a vector, ONNX Runtime (measured with 1.30) permutes the dimensions of A but does not move its elements. */
  if (i == 0 && last && !batch && ph_expand_rank (x, 1) == 1)
    return PH_BUILD (x->b, Reshape, ph_expand_in (x, i),
                     PH_BUILD (x->b, Gather, PH_BUILD (x->b, Shape, ph_expand_in (x, i)), ph_build_ints (x->b, perm, rank)));
  return ph_ms_transpose (x->b, ph_expand_in (x, i), perm, rank);
}

static gboolean
expand_fused_matmul (PhExpand *x, GError **error)
{
  const float alpha = ph_node_attr_float (x->node, "alpha", 1);
  PhValue *a = turned (x, 0, ph_node_attr_int (x->node, "transA", 0) != 0, ph_node_attr_int (x->node, "transBatchA", 0) != 0);
  PhValue *c = turned (x, 1, ph_node_attr_int (x->node, "transB", 0) != 0, ph_node_attr_int (x->node, "transBatchB", 0) != 0);
  PhValue *y = a != NULL && c != NULL ? PH_BUILD (x->b, MatMul, a, c) : NULL;

  x->out[0] = alpha != 1 && y != NULL ? PH_BUILD (x->b, Mul, y, ph_ms_number (x->b, y, alpha)) : y;
  return x->out[0] != NULL;
}

/* clang-format off */
#define MATMUL_ARGS                                                                                                    \
  .inputs = { { "A", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },             \
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" }, { "transA", PH_ATTR_INT, "0" }, { "transB", PH_ATTR_INT, "0" },        \
             { "transBatchA", PH_ATTR_INT, "0" }, { "transBatchB", PH_ATTR_INT, "0" } }

const PhOp ph_op_MsFusedMatMul = {
  PH_MS ("FusedMatMul"), PH_SPELT_OUT (expand_fused_matmul), MATMUL_ARGS,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .example = { "a[2,3] b[4,3]", "y = com.microsoft.FusedMatMul <alpha = 0.5, transB = 1> (a, b)", -1, 1 },
  .doc = "Product of matrices, transposed if asked for, times a number.",
};

const PhOp ph_op_MsTransposeMatMul = {
  PH_MS ("TransposeMatMul"), PH_SPELT_OUT (expand_fused_matmul), MATMUL_ARGS,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc = "Product of matrices, transposed if asked for, times a number: FusedMatMul's older name.",
};
/* clang-format on */

static gboolean
expand_gemm_fast_gelu (PhExpand *x, GError **error)
{
  PhValue *y = PH_BUILD (x->b, MatMul, ph_expand_in (x, 0), ph_expand_in (x, 1));

  if (ph_expand_in (x, 2) != NULL)
    y = PH_BUILD (x->b, Add, y, ph_expand_in (x, 2));
  x->out[0] = PH_BUILD_WITH (x->b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", "tanh")), y);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsGemmFastGelu = {
  PH_MS ("GemmFastGelu"), PH_SPELT_OUT (expand_gemm_fast_gelu),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc = "Gelu approximated by tanh, of a product of matrices with a bias.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
};
/* clang-format on */

static gboolean
expand_fused_gemm (PhExpand *x, GError **error)
{
  static const char *const but[] = { "activation", "activation_alpha", "activation_beta", "activation_gamma", NULL };
  static const char *const names[] = { "activation_alpha", "activation_beta", "activation_gamma" };
  g_autofree PhAttr **attrs = ph_ms_attrs (x, but);
  PhValue *y = PH_BUILD_WITH (x->b, Gemm, attrs, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 2));
  float parameters[G_N_ELEMENTS (names)];
  gsize n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (ph_node_attr (x->node, names[i]) != NULL)
      parameters[n++] = ph_node_attr_float (x->node, names[i], 0);
  x->out[0] = ph_ms_activate (x, y, ph_node_attr_string (x->node, "activation", ""), parameters, n);
  return x->out[0] != NULL;
}

/* clang-format off */
const PhOp ph_op_MsFusedGemm = {
  PH_MS ("FusedGemm"), PH_SPELT_OUT (expand_fused_gemm),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .example = { "a[2,3] b[3,2] c[2]", "y = com.microsoft.FusedGemm <activation = \"Tanh\", beta = 0.5> (a, b, c)", -1, 1 },
  .doc = "Gemm followed by an activation.",
  .inputs = { { "A", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS }, { "C", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" }, { "beta", PH_ATTR_FLOAT, "1.0" }, { "transA", PH_ATTR_INT, "0" },
             { "transB", PH_ATTR_INT, "0" }, { "activation", PH_ATTR_STRING, .words = PH_MS_ACTIVATIONS }, { "activation_alpha", PH_ATTR_FLOAT },
             { "activation_beta", PH_ATTR_FLOAT }, { "activation_gamma", PH_ATTR_FLOAT } },
};
/* clang-format on */

/* ── convolutions ── */

static gboolean
expand_fused_conv (PhExpand *x, GError **error)
{
  static const char *const but[] = { "activation", "activation_params", NULL };
  g_autofree PhAttr **attrs = ph_ms_attrs (x, but);
  const PhAttr *parameters = ph_node_attr (x->node, "activation_params");
  PhValue *y = PH_BUILD_WITH (x->b, Conv, attrs, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 2));

  if (ph_expand_in (x, 3) != NULL)
    y = PH_BUILD (x->b, Add, y, ph_expand_in (x, 3));
  x->out[0] = ph_ms_activate (x, y, ph_node_attr_string (x->node, "activation", ""),
                              parameters != NULL ? parameters->floats : NULL, parameters != NULL ? parameters->n : 0);
  return x->out[0] != NULL;
}

/* clang-format off */
const PhOp ph_op_MsFusedConv = {
  PH_MS ("FusedConv"), PH_SPELT_OUT (expand_fused_conv),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .example = { "x[1,2,4,4] w[3,2,3,3] b[3]", "y = com.microsoft.FusedConv <activation = \"Sigmoid\"> (x, w, b)", -1, 1 },
  .doc = "Convolution plus a tensor of its shape, followed by an activation.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "Z", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { PH_MS_CONV_ATTRS, { "activation", PH_ATTR_STRING, .words = PH_MS_ACTIVATIONS }, { "activation_params", PH_ATTR_FLOATS } },
};
/* clang-format on */

static PhValue *
channels (PhExpand *x, PhValue *value, guint rank, gboolean first)
{
  gint64 perm[PH_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    perm[i] = first ? (i == 0 ? 0 : i == 1 ? rank - 1 : i - 1) : (i == 0 ? 0 : i == rank - 1 ? 1 : i + 1);
  return ph_ms_transpose (x->b, value, perm, rank);
}

static gboolean
expand_nhwc_conv (PhExpand *x, GError **error)
{
  static const char *const but[] = { "activation", "activation_params", NULL };
  g_autofree PhAttr **attrs = NULL;
  const PhAttr *parameters = ph_node_attr (x->node, "activation_params");
  const int rank = ph_expand_rank (x, 0);
  PhValue *y;

  if (rank < 3)
    return ph_expand_fail (x, error, "the rank of its input is not known");
  attrs = ph_ms_attrs (x, but);
  y = PH_BUILD_WITH (x->b, Conv, attrs, channels (x, ph_expand_in (x, 0), rank, TRUE),
                     channels (x, ph_expand_in (x, 1), rank, TRUE), ph_expand_in (x, 2));
  y = channels (x, y, rank, FALSE);
  if (ph_expand_in (x, 3) != NULL)
    y = PH_BUILD (x->b, Add, y, ph_expand_in (x, 3));
  x->out[0] = ph_ms_activate (x, y, ph_node_attr_string (x->node, "activation", ""),
                              parameters != NULL ? parameters->floats : NULL, parameters != NULL ? parameters->n : 0);
  return x->out[0] != NULL;
}

/* clang-format off */
const PhOp ph_op_MsNhwcConv = {
  PH_MS ("NhwcConv"), PH_SPELT_OUT (expand_nhwc_conv),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .doc = "Convolution of a tensor whose channels come last, by weights whose channels come last.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } }, .attrs = { PH_MS_CONV_ATTRS },
};
/* clang-format on */

static gboolean
expand_nhwc_max_pool (PhExpand *x, GError **error)
{
  g_autofree PhAttr **attrs = NULL;
  const int rank = ph_expand_rank (x, 0);

  if (rank < 3)
    return ph_expand_fail (x, error, "the rank of its input is not known");
  attrs = ph_ms_attrs (x, NULL);
  x->out[0] = channels (x, PH_BUILD_WITH (x->b, MaxPool, attrs, channels (x, ph_expand_in (x, 0), rank, TRUE)), rank, FALSE);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsNhwcMaxPool = {
  PH_MS ("NhwcMaxPool"), PH_SPELT_OUT (expand_nhwc_max_pool), .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "The largest number of each window of narrow integers, the channels last.",
  .inputs = { { "x", 'T', PH_T (INT8) | PH_T (UINT8) } }, .outputs = { { "y", 'T', PH_T (INT8) | PH_T (UINT8) } },
  .attrs = { PH_AUTO_PAD, { "ceil_mode", PH_ATTR_INT, "0" }, { "dilations", PH_ATTR_INTS },
             { "kernel_shape", PH_ATTR_INTS, .required = TRUE }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } },
};
/* clang-format on */

static gboolean
expand_conv_transpose (PhExpand *x, GError **error)
{
  static const char *const but[] = { "pads", NULL };
  g_autofree PhAttr **attrs = NULL, **all = NULL;
  PhValue *pads = ph_expand_in (x, 2);
  PhTensor *tensor = pads != NULL ? ph_value_constant (pads) : NULL;
  g_autofree gint64 *ints = NULL;
  guint n = 0;

  if (pads != NULL && tensor == NULL)
    return ph_expand_fail (x, error, "its pads are not known before it runs");
  attrs = ph_ms_attrs (x, tensor != NULL ? but : NULL);
  while (attrs[n] != NULL)
    n++;
  all = g_new0 (PhAttr *, n + 2);
  memcpy (all, attrs, n * sizeof *attrs);
  if (tensor != NULL)
    {
      ints = g_new (gint64, ph_tensor_count (tensor));
      for (gsize i = 0; i < ph_tensor_count (tensor); i++)
        ints[i] = ph_tensor_get_int (tensor, i);
      all[n] = ph_attr_new_ints ("pads", ints, ph_tensor_count (tensor));
    }
  x->out[0] = PH_BUILD_WITH (x->b, ConvTranspose, all, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 3));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsConvTransposeWithDynamicPads = {
  PH_MS ("ConvTransposeWithDynamicPads"), PH_SPELT_OUT (expand_conv_transpose),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .doc = "Transposed convolution whose padding is an input.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "Pads", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE },
              { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { PH_MS_CONV_ATTRS, { "output_padding", PH_ATTR_INTS } },
};
/* clang-format on */
