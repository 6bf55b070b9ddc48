/* stablehlo-linear.c: products, convolutions and norms of ONNX in StableHLO.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/stablehlo.h"

static PhValue *
dot (PhConvert *l, PhValue *a, PhValue *b, guint batch, gint64 left, gint64 right)
{
  gint64 axes[PH_MAX_RANK], dims[PH_MAX_RANK];
  guint n = 0;

  if (a == NULL || b == NULL)
    return NULL;
  if (batch > a->type->rank || batch > b->type->rank || a->type->rank + b->type->rank - batch > PH_MAX_RANK)
    {
      ph_convert_stay (l, "its operands have too many or too few dimensions");
      return NULL;
    }
  for (guint i = 0; i < batch; i++)
    {
      axes[i] = i;
      dims[n++] = a->type->dims[i].size;
    }
  for (guint i = batch; i < a->type->rank; i++)
    if ((gint64) i != left)
      dims[n++] = a->type->dims[i].size;
  for (guint i = batch; i < b->type->rank; i++)
    if ((gint64) i != right)
      dims[n++] = b->type->dims[i].size;
  return ph_stable_node (l, "dot_general", ph_type_static (a->type->dtype, n, dims), PH_VALUES_ (a, b), 2,
                         PH_ATTRS (ph_attr_new_ints ("lhs_batching_dimensions", axes, batch),
                                   ph_attr_new_ints ("rhs_batching_dimensions", axes, batch),
                                   ph_attr_new_ints ("lhs_contracting_dimensions", &left, 1),
                                   ph_attr_new_ints ("rhs_contracting_dimensions", &right, 1)));
}

/* dot_general does not broadcast, so both operands get the batch of the result. */
static gboolean
mat_mul (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_stable_in (l, 0), *b = ph_stable_in (l, 1);
  const guint ra = ph_convert_rank (a), rb = ph_convert_rank (b);
  gint64 result[PH_MAX_RANK], left[PH_MAX_RANK], right[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, result);
  const guint batch = rank > 2 || (rank == 2 && (ra == 1 || rb == 1)) || (rank == 1 && (ra > 2 || rb > 2)) ? MAX (ra, rb) - 2 : 0;

  if (ra == 0 || rb == 0)
    return ph_convert_stay (l, "an operand is a scalar");
  if (batch > 0 && rb > 2 && ra <= 2) /* the matrix is the same for each of the batch */
    {
      memcpy (left, result, batch * sizeof *left);
      for (guint i = 0; i < ra; i++)
        left[batch + i] = a->type->dims[i].size;
      a = ph_stable_expand (l, a, left, batch + ra);
    }
  else if (batch > 0 && ra > 2 && rb > 2)
    {
      memcpy (left, result, batch * sizeof *left);
      memcpy (right, result, batch * sizeof *right);
      for (guint i = 0; i < 2; i++)
        {
          left[batch + i] = a->type->dims[ra - 2 + i].size;
          right[batch + i] = b->type->dims[rb - 2 + i].size;
        }
      a = ph_stable_expand (l, a, left, batch + 2);
      b = ph_stable_expand (l, b, right, batch + 2);
    }
  else if (batch > 0) /* weights: no batch is needed */
    {
      out[0] = dot (l, a, b, 0, ra - 1, rb > 1 ? (gint64) rb - 2 : 0);
      return out[0] != NULL;
    }
  if (a == NULL || b == NULL)
    return FALSE;
  out[0] = dot (l, a, b, batch, (gint64) ph_convert_rank (a) - 1,
                ph_convert_rank (b) - batch > 1 ? (gint64) ph_convert_rank (b) - 2 : (gint64) batch);
  out[0] = ph_stable_reshape (l, out[0], result, rank);
  return out[0] != NULL;
}

static gboolean
gemm (PhConvert *l, PhValue **out)
{
  const gboolean ta = ph_node_attr_int (l->node, "transA", 0) != 0, tb = ph_node_attr_int (l->node, "transB", 0) != 0;
  const float alpha = ph_node_attr_float (l->node, "alpha", 1), beta = ph_node_attr_float (l->node, "beta", 1);
  const gint64 swap[] = { 1, 0 };
  PhValue *y = dot (l, ta ? ph_stable_transpose (l, ph_stable_in (l, 0), swap) : ph_stable_in (l, 0), ph_stable_in (l, 1), 0, 1,
                    tb ? 1 : 0),
          *c = ph_stable_in (l, 2);
  gint64 dims[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, dims);

  if (alpha != 1)
    y = ph_stable_binary (l, "multiply", y, ph_stable_like (l, y, (double) alpha));
  if (c != NULL)
    {
      c = ph_stable_expand (l, c, dims, rank);
      y = ph_stable_binary (l, "add", y,
                            beta != 1 ? ph_stable_binary (l, "multiply", c, ph_stable_like (l, c, (double) beta)) : c);
    }
  out[0] = y;
  return y != NULL;
}

/* Reads a list of @n, or @fallback for each. */
static void
read_ints (PhConvert *l, const char *name, gint64 *to, guint n, gint64 fallback)
{
  gsize count;
  const gint64 *ints = ph_node_attr_ints (l->node, name, &count);

  for (guint i = 0; i < n; i++)
    to[i] = ints != NULL && i < count ? ints[i] : fallback;
}

/* (nullable) */
static const gint64 *
given_pads (PhConvert *l, gsize *n)
{
  const gint64 *pads = ph_node_attr_ints (l->node, "pads", n);

  return strcmp (ph_node_attr_string (l->node, "auto_pad", "NOTSET"), "NOTSET") == 0 ? pads : NULL;
}

/* Reads the padding before and after each axis: explicit, or as auto_pad implies for the size of the result. */
static void
read_pads (PhConvert *l, const gint64 *in, const gint64 *out, const gint64 *kernel, const gint64 *stride, const gint64 *dilation,
           guint n, gint64 *pads)
{
  const char *automatic = ph_node_attr_string (l->node, "auto_pad", "NOTSET");
  gsize count;
  const gint64 *ints = given_pads (l, &count);

  for (guint i = 0; i < n; i++)
    {
      const gint64 reach = (kernel[i] - 1) * dilation[i] + 1, all = MAX ((out[i] - 1) * stride[i] + reach - in[i], 0);

      pads[2 * i] = strcmp (automatic, "SAME_UPPER") == 0   ? all / 2
                    : strcmp (automatic, "SAME_LOWER") == 0 ? all - all / 2
                    : ints != NULL && count == 2 * n        ? ints[i]
                                                            : 0;
      pads[2 * i + 1] = (out[i] - 1) * stride[i] + reach - in[i] - pads[2 * i]; /* negative if elements are left over */
    }
}

static PhAttr *
list (const char *name, const gint64 *values, guint n)
{
  return ph_attr_new_ints (name, values, n);
}

static PhValue *
with_bias (PhConvert *l, PhValue *y, PhValue *bias)
{
  gint64 dims[PH_MAX_RANK], map[] = { 1 };
  const guint rank = y != NULL ? ph_stable_dims (y, dims) : 0;

  return bias != NULL && y != NULL ? ph_stable_binary (l, "add", y, ph_stable_spread (l, bias, dims, rank, map)) : y;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gboolean transposed = l->node->op == &ph_op_ConvTranspose;
  PhValue *x = ph_stable_in (l, 0), *w = ph_stable_in (l, 1), *y;
  gint64 in[PH_MAX_RANK], size[PH_MAX_RANK], result[PH_MAX_RANK], stride[PH_MAX_RANK], dilation[PH_MAX_RANK],
      pads[2 * PH_MAX_RANK], spatial[PH_MAX_RANK], one[PH_MAX_RANK];
  const gint64 group = ph_node_attr_int (l->node, "group", 1);
  const guint rank = ph_stable_dims (x, in), n = rank - 2;
  PhAttr *attrs[20] = { NULL };
  guint m = 0;

  if (rank < 3 || ph_stable_dims (w, size) != rank || ph_stable_out_dims (l, 0, result) != rank)
    return ph_convert_stay (l, "it has no image");
  if (transposed && group != 1)
    return ph_convert_stay (l, "it is a transposed convolution in groups");
  read_ints (l, "strides", stride, n, 1);
  read_ints (l, "dilations", dilation, n, 1);
  for (guint i = 0; i < n; i++)
    {
      spatial[i] = i + 2;
      one[i] = 1;
    }
  if (transposed) /* the filters turned round, over the image with gaps */
    {
      gsize count;
      const gint64 *given = ph_node_attr_ints (l->node, "pads", &count);

      if (strcmp (ph_node_attr_string (l->node, "auto_pad", "NOTSET"), "NOTSET") != 0
          || ph_node_attr (l->node, "output_shape") != NULL)
        return ph_convert_stay (l, "its padding depends on the size of its result");
      for (guint i = 0; i < n; i++)
        {
          const gint64 reach = (size[i + 2] - 1) * dilation[i];

          pads[2 * i] = reach - (given != NULL && count == 2 * n ? given[i] : 0);
          pads[2 * i + 1] = result[i + 2] - 1 + reach - (in[i + 2] - 1) * stride[i] - pads[2 * i];
        }
      w = ph_stable_node (l, "reverse", w->type, &w, 1, PH_ATTRS (list ("dimensions", spatial, n)));
    }
  else
    read_pads (l, in + 2, result + 2, size + 2, stride, dilation, n, pads);
  attrs[m++] = list ("window_strides", transposed ? one : stride, n);
  attrs[m++] = list ("padding", pads, 2 * n);
  attrs[m++] = list ("lhs_dilation", transposed ? stride : one, n);
  attrs[m++] = list ("rhs_dilation", dilation, n);
  attrs[m++] = ph_attr_new_int ("input_batch_dimension", 0);
  attrs[m++] = ph_attr_new_int ("input_feature_dimension", 1);
  attrs[m++] = list ("input_spatial_dimensions", spatial, n);
  attrs[m++] = ph_attr_new_int ("kernel_output_feature_dimension", transposed ? 1 : 0);
  attrs[m++] = ph_attr_new_int ("kernel_input_feature_dimension", transposed ? 0 : 1);
  attrs[m++] = list ("kernel_spatial_dimensions", spatial, n);
  attrs[m++] = ph_attr_new_int ("output_batch_dimension", 0);
  attrs[m++] = ph_attr_new_int ("output_feature_dimension", 1);
  attrs[m++] = list ("output_spatial_dimensions", spatial, n);
  attrs[m++] = ph_attr_new_int ("feature_group_count", group);
  attrs[m++] = ph_attr_new_int ("batch_group_count", 1);
  y = ph_stable_node (l, "convolution", ph_node_output (l->node, 0)->type, PH_VALUES_ (x, w), 2, attrs);
  if (ph_stable_in (l, 2) != NULL && ph_stable_in (l, 2)->type->rank != 1)
    return ph_convert_stay (l, "its bias is not one number for each channel");
  out[0] = with_bias (l, y, ph_stable_in (l, 2));
  return out[0] != NULL;
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const gboolean max = l->node->op == &ph_op_MaxPool;
  PhValue *x = ph_stable_in (l, 0), *count;
  gint64 in[PH_MAX_RANK], result[PH_MAX_RANK], kernel[PH_MAX_RANK], stride[PH_MAX_RANK], dilation[PH_MAX_RANK],
      pads[2 * PH_MAX_RANK] = { 0 };
  const guint rank = ph_stable_dims (x, in);
  gint64 low[PH_MAX_RANK] = { 0 }, high[PH_MAX_RANK] = { 0 }, inner[2 * PH_MAX_RANK];
  gsize n;
  const gint64 *given = given_pads (l, &n);

  if (rank < 3 || ph_stable_out_dims (l, 0, result) != rank || !ph_dtype_is_float (x->type->dtype))
    return ph_convert_stay (l, "its operand is not an image of floats");
  for (guint i = 1; i < l->node->outputs->len; i++)
    if (ph_value_n_uses (ph_node_output (l->node, i)) > 0)
      return ph_convert_stay (l, "the indices of the largest elements are used");
  for (guint i = 0; i < 2; i++)
    kernel[i] = stride[i] = dilation[i] = 1;
  read_ints (l, "kernel_shape", kernel + 2, rank - 2, 1);
  read_ints (l, "strides", stride + 2, rank - 2, 1);
  read_ints (l, "dilations", dilation + 2, rank - 2, 1);
  read_pads (l, in + 2, result + 2, kernel + 2, stride + 2, dilation + 2, rank - 2, pads + 4);
  out[0] = ph_stable_windows (l, max ? "maximum" : "add", x, max ? -(double) INFINITY : 0, kernel, stride, dilation, pads,
                              result);
  if (max)
    return out[0] != NULL;
  /* The number of elements of each window: those of the image, or of the explicit padding as well. */
  count = ph_stable_like (l, x, 1);
  memcpy (inner, pads, sizeof inner);
  if (ph_node_attr_int (l->node, "count_include_pad", 0) != 0)
    {
      for (guint i = 2; i < rank; i++)
        {
          low[i] = pads[2 * i];
          high[i] = given != NULL && n == 2 * (rank - 2) ? given[rank - 2 + i - 2] : MAX (pads[2 * i + 1], 0);
          inner[2 * i] = 0;
          inner[2 * i + 1] = pads[2 * i + 1] - high[i];
        }
      count = ph_stable_pad (l, count, ph_build_scalar (l->b, x->type->dtype, 1), low, high);
    }
  count = ph_stable_windows (l, "add", count, 0, kernel, stride, dilation, inner, result);
  /* A window may be padding alone. */
  out[0] = ph_stable_binary (l, "divide", out[0], ph_stable_binary (l, "maximum", count, ph_stable_like (l, count, 1)));
  return out[0] != NULL;
}

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0), *each[4], *y;
  gint64 dims[PH_MAX_RANK], map[] = { 1 };
  const guint rank = ph_stable_dims (x, dims);
  const double epsilon = (double) ph_node_attr_float (l->node, "epsilon", 1e-5f);

  if (ph_node_attr_int (l->node, "training_mode", 0) != 0 || rank < 2)
    return ph_convert_stay (l, "it computes the mean and variance of the batch");
  for (guint i = 0; i < 4; i++)
    each[i] = ph_stable_spread (l, ph_stable_convert (l, ph_stable_in (l, i + 1), x->type->dtype), dims, rank, map);
  y = ph_stable_binary (l, "subtract", x, each[2]);
  y = ph_stable_binary (l, "divide", y,
                        ph_stable_unary (l, "sqrt", ph_stable_binary (l, "add", each[3], ph_stable_like (l, each[3], epsilon))));
  out[0] = ph_stable_binary (l, "add", ph_stable_binary (l, "multiply", y, each[0]), each[1]);
  return out[0] != NULL;
}

/* Broadcasts one number, or one per element of an axis, to the shape of @x. (nullable) */
static PhValue *
along_axis (PhConvert *l, PhValue *value, const PhValue *x)
{
  gint64 dims[PH_MAX_RANK], map[1];
  const guint rank = ph_stable_dims (x, dims);

  map[0] = ph_axis_of (ph_node_attr_int (l->node, "axis", 1), (int) rank);
  if (value != NULL && value->type->rank == 1 && value->type->dims[0].size == 1)
    value = ph_stable_reshape (l, value, NULL, 0);
  if (value == NULL || value->type->rank > 1 || (value->type->rank == 1 && map[0] < 0))
    return NULL;
  return ph_stable_spread (l, value, dims, rank, map);
}

static gboolean
quantize (PhConvert *l, PhValue **out)
{
  static const struct
  {
    PhDType dtype;
    double low, high;
  } ranges[] = { { PH_UINT8, 0, 255 }, { PH_INT8, -128, 127 }, { PH_UINT16, 0, 65535 }, { PH_INT16, -32768, 32767 } };
  const gboolean into = l->node->op == &ph_op_QuantizeLinear;
  PhValue *x = ph_stable_in (l, 0), *scale = ph_stable_in (l, 1), *zero = ph_stable_in (l, 2), *y;
  const PhDType number = scale->type->dtype, stored = into ? ph_node_output (l->node, 0)->type->dtype : x->type->dtype;

  if (ph_node_attr_int (l->node, "block_size", 0) != 0
      || number != (into ? x->type->dtype : ph_node_output (l->node, 0)->type->dtype) || !ph_dtype_is_float (number)
      || !ph_dtype_is_integer (stored))
    return ph_convert_stay (l, "it quantises in blocks, from a type other than its scale's, or to one other than integers");
  scale = along_axis (l, scale, x);
  zero = ph_stable_convert (l, along_axis (l, zero != NULL ? zero : ph_build_scalar (l->b, number, 0), x), number);
  if (scale == NULL || zero == NULL)
    return ph_convert_stay (l, "its scale does not vary along one axis only");
  if (!into)
    {
      out[0] = ph_stable_binary (l, "multiply", ph_stable_binary (l, "subtract", ph_stable_convert (l, x, number), zero), scale);
      return out[0] != NULL;
    }
  y = ph_stable_binary (l, "add", ph_stable_unary (l, "round_nearest_even", ph_stable_binary (l, "divide", x, scale)), zero);
  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].dtype == stored)
      out[0] = ph_stable_convert (l,
                                  ph_stable_binary (l, "minimum",
                                                    ph_stable_binary (l, "maximum", y, ph_stable_like (l, y, ranges[i].low)),
                                                    ph_stable_like (l, y, ranges[i].high)),
                                  stored);
  return out[0] != NULL || ph_convert_stay (l, "it quantises to %s", ph_dtype_name (stored));
}

/* clang-format off */
const PhLowerRule ph_stable_linear[] = {
  { &ph_op_QuantizeLinear, quantize, "divide, round, add, clamp, convert", "Quantisation divides by the scale, rounds, adds the zero point and saturates." },
  { &ph_op_DequantizeLinear, quantize, "convert, subtract, multiply", "Dequantisation subtracts the zero point and multiplies by the scale." },
  { &ph_op_MatMul, mat_mul, "dot_general", "dot_general needs equal batch dimensions, so the batch that ONNX broadcasts is written out." },
  { &ph_op_Gemm, gemm, "dot_general, multiply, add", "Gemm is a scaled matrix product plus a scaled bias." },
  { &ph_op_Conv, conv, "convolution", "Both compute the same sums; StableHLO names the role of each axis." },
  { &ph_op_ConvTranspose, conv, "convolution with lhs_dilation", "A transposed convolution is a convolution of the dilated image with the flipped filters." },
  { &ph_op_MaxPool, pool, "reduce_window", "Max pooling is the maximum of each window." },
  { &ph_op_AveragePool, pool, "reduce_window, divide", "Average pooling is the sum of each window divided by its number of elements." },
  { &ph_op_BatchNormalization, batch_norm, "subtract, divide, multiply, add", "With known mean and variance, batch normalisation is elementwise arithmetic." },
  { NULL }
};
/* clang-format on */
