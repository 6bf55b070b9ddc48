/* quantize.c: quantization with scale and zero point, and products of quantized tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/onnx/elementwise.h"
#include "core/ops/onnx/linear.h"
#include "core/ops/onnx/window.h"

#define FLOAT8S (PH_T (FLOAT8E4M3FN) | PH_T (FLOAT8E4M3FNUZ) | PH_T (FLOAT8E5M2) | PH_T (FLOAT8E5M2FNUZ))
#define NARROW                                                                                                         \
  (PH_T (INT8) | PH_T (UINT8) | PH_T (INT16) | PH_T (UINT16) | PH_T (INT4) | PH_T (UINT4) | PH_T (INT2) | PH_T (UINT2) \
   | PH_T (FLOAT4E2M1) | FLOAT8S)
#define BYTES (PH_T (INT8) | PH_T (UINT8))

/* The scale of element i of a tensor: one for all, one per position on an axis, or one per block on it. */
typedef struct
{
  gsize n, inner, size, block, scales_on_axis;
} Granularity;

static gboolean
granularity (PhKernel *kernel, PhTensor *x, PhTensor *scale, PhTensor *zero, Granularity *grain, GError **error)
{
  guint rank = ph_tensor_rank (x), axis;
  gint64 block = ph_node_attr_int (kernel->node, "block_size", 0);
  const gint64 *dims = ph_tensor_dims (x), *blocks = ph_tensor_dims (scale);

  *grain = (Granularity) { .n = ph_tensor_count (scale) };
  if (zero != NULL && ph_tensor_count (zero) != grain->n)
    return ph_kernel_fail (kernel, error,
                           "has %" G_GSIZE_FORMAT " scales and %" G_GSIZE_FORMAT " zero points: it needs as many of both",
                           grain->n, ph_tensor_count (zero));
  if (grain->n == 1 && ph_tensor_rank (scale) <= 1)
    return TRUE;
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 1), rank, &axis))
    return ph_kernel_fail (kernel, error, "its axis is outside of rank %u", rank);
  grain->inner = ph_dims_product (dims, axis + 1, rank);
  grain->size = dims[axis];
  grain->block = block;
  if (block > 0 && ph_tensor_rank (scale) == rank)
    {
      for (guint i = 0; i < rank; i++)
        if (i != axis ? blocks[i] != dims[i] : blocks[i] > dims[i] || block > G_MAXINT32 || blocks[i] * block < dims[i])
          return ph_kernel_fail (kernel, error, "its scales do not cover axis %u in blocks of %" G_GINT64_FORMAT, i, block);
      grain->scales_on_axis = blocks[axis];
    }
  else if (grain->n != (gsize) dims[axis] || ph_tensor_rank (scale) != 1)
    return ph_kernel_fail (kernel, error, "has %" G_GSIZE_FORMAT " scales for %" G_GINT64_FORMAT " places on axis %u", grain->n,
                           dims[axis], axis);
  return TRUE;
}

static inline gsize
scale_index (const Granularity *grain, gsize i)
{
  gsize inner, along, outer;

  if (grain->inner == 0 && grain->size == 0)
    return 0;
  inner = i % grain->inner;
  along = i / grain->inner % grain->size;
  outer = i / grain->inner / grain->size;
  if (grain->scales_on_axis == 0)
    return along;
  return (outer * grain->scales_on_axis + along / grain->block) * grain->inner + inner;
}

static void
range_of (PhDType dtype, double *low, double *high)
{
  int bits = dtype == PH_INT4 || dtype == PH_UINT4 ? 4 : dtype == PH_INT2 || dtype == PH_UINT2 ? 2 : ph_dtype_size (dtype) * 8;

  if (ph_dtype_is_float (dtype))
    *low = -INFINITY, *high = INFINITY;
  else if (ph_dtype_is_signed (dtype))
    *low = -ldexp (1, bits - 1), *high = ldexp (1, bits - 1) - 1;
  else
    *low = 0, *high = ldexp (1, bits) - 1;
}

/* Rounds halves to even, without a call; what is too large for that is beyond any range of integers here. */
static inline double
round_to_even (double x)
{
  return fabs (x) < 0x1p51 ? x + 0x1.8p52 - 0x1.8p52 : x;
}

/* An element of the types that are dequantised most often is loaded without a call. */
static inline double
number_at (PhDType dtype, gconstpointer data, gsize i)
{
  return dtype == PH_INT32    ? ((const gint32 *) data)[i]
         : dtype == PH_UINT16 ? ((const guint16 *) data)[i]
         : dtype == PH_INT16  ? ((const gint16 *) data)[i]
         : dtype == PH_FLOAT  ? ((const float *) data)[i]
                              : ph_dtype_load (dtype, data, i);
}

/* Returns the elements of @tensor (nullable: @n zeros) as doubles. (nullable) */
static double *
new_doubles (PhTensor *tensor, gsize n)
{
  double *out = g_try_new0 (double, n + 1);

  for (gsize i = 0; tensor != NULL && out != NULL && i < n; i++)
    out[i] = ph_tensor_get (tensor, i);
  return out;
}

/* Stores a whole number from @low to @high: the range of @dtype. */
static inline void
store_whole (PhDType dtype, gpointer out, gsize i, double value, double zero_point, double low, double high)
{
  const double whole = round_to_even (value) + zero_point;
  const gint64 inside = isnan (whole) ? 0 : (gint64) CLAMP (whole, low, high);

  if (dtype == PH_INT16 || dtype == PH_UINT16)
    ((guint16 *) out)[i] = (guint16) inside;
  else
    ph_dtype_store_int (dtype, out, i, inside);
}

/* Quantizes with saturation; halves are rounded to even before the zero point is added. */
static void
store_quantized (PhDType dtype, gpointer out, gsize i, double value, double zero_point, gboolean saturate)
{
  double low, high;

  if (ph_dtype_is_float (dtype))
    {
      if (saturate || dtype == PH_FLOAT4E2M1)
        ph_dtype_store (dtype, out, i, value + zero_point);
      else
        ((guint8 *) out)[i] = ph_float8_from_double (dtype, value + zero_point, FALSE);
      return;
    }
  range_of (dtype, &low, &high);
  store_whole (dtype, out, i, value, zero_point, low, high);
}

static PhDType
quantized_dtype (const PhNode *node, PhDType zero_point)
{
  return zero_point != PH_UNDEFINED                        ? zero_point
         : ph_node_attr_int (node, "output_dtype", 0) != 0 ? ph_node_attr_int (node, "output_dtype", 0)
                                                           : PH_UINT8;
}

static gboolean
quantize_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *scale = ph_kernel_input (kernel, 1), *zero = ph_kernel_input (kernel, 2);
  PhDType dtype = quantized_dtype (kernel->node, zero != NULL ? ph_tensor_dtype (zero) : PH_UNDEFINED);
  PhDType precision = ph_node_attr_int (kernel->node, "precision", 0);
  gboolean saturate = ph_node_attr_int (kernel->node, "saturate", 1) != 0, is_whole = !ph_dtype_is_float (dtype), single;
  const PhDType x_type = ph_tensor_dtype (x), scale_type = ph_tensor_dtype (scale);
  g_autofree double *scales = NULL, *zeros = NULL;
  gconstpointer in = ph_tensor_data (x);
  double low, high;
  Granularity grain;
  gpointer out;

  if (!granularity (kernel, x, scale, zero, &grain, error))
    return FALSE;
  out = ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), error);
  scales = new_doubles (scale, grain.n);
  zeros = new_doubles (zero, grain.n);
  if (out == NULL || scales == NULL || zeros == NULL)
    return out != NULL && ph_kernel_exceed (kernel, error, "its scales do not fit into memory");
  range_of (dtype, &low, &high);
  single = precision == PH_FLOAT || (precision == 0 && scale_type != PH_DOUBLE);
  for (gsize i = 0, n = ph_tensor_count (x); i < n; i++)
    {
      const gsize s = grain.n == 1 ? 0 : scale_index (&grain, i);
      double value = number_at (x_type, in, i) / scales[s];

      if (scale_type == PH_FLOAT16 && x_type == PH_FLOAT16 && precision == 0)
        value = ph_half_to_float (ph_half_from_float ((float) value));
      else if (single)
        value = (float) value;
      if (is_whole)
        store_whole (dtype, out, i, value, zeros[s], low, high);
      else
        store_quantized (dtype, out, i, value, zeros[s], saturate);
    }
  return TRUE;
}

static gboolean
dequantize_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *scale = ph_kernel_input (kernel, 1), *zero = ph_kernel_input (kernel, 2);
  PhDType wanted = ph_node_attr_int (kernel->node, "output_dtype", 0), dtype = wanted != 0 ? wanted : ph_tensor_dtype (scale),
          x_type = ph_tensor_dtype (x);
  g_autofree double *scales = NULL, *zeros = NULL;
  gconstpointer in = ph_tensor_data (x);
  Granularity grain;
  gpointer out;

  if (!granularity (kernel, x, scale, zero, &grain, error))
    return FALSE;
  out = ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), error);
  scales = new_doubles (scale, grain.n);
  zeros = new_doubles (zero, grain.n);
  if (out == NULL || scales == NULL || zeros == NULL)
    return out != NULL && ph_kernel_exceed (kernel, error, "its scales do not fit into memory");
  for (gsize i = 0, n = ph_tensor_count (x); i < n; i++)
    {
      const gsize s = grain.n == 1 ? 0 : scale_index (&grain, i);
      const double value = (number_at (x_type, in, i) - zeros[s]) * scales[s];

      if (dtype == PH_FLOAT)
        ((float *) out)[i] = (float) value;
      else
        ph_dtype_store (dtype, out, i, value);
    }
  return TRUE;
}

static gboolean
infer_quantize (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_type (infer, 0), *zero = ph_infer_type (infer, 2);
  PhDType dtype;

  if (ph_infer_has (infer, 2) && zero == NULL)
    return TRUE;
  dtype = quantized_dtype (ph_infer_node_of (infer), zero != NULL ? zero->dtype : PH_UNDEFINED);
  ph_infer_set (infer, 0, x != NULL ? ph_type_with_dtype (x, dtype) : ph_type_unranked (dtype));
  return TRUE;
}

static gboolean
infer_dequantize (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_type (infer, 0), *scale = ph_infer_type (infer, 1);
  PhDType dtype = ph_node_attr_int (ph_infer_node_of (infer), "output_dtype", 0);

  if (dtype == PH_UNDEFINED && scale != NULL)
    dtype = scale->dtype;
  if (dtype != PH_UNDEFINED)
    ph_infer_set (infer, 0, x != NULL ? ph_type_with_dtype (x, dtype) : ph_type_unranked (dtype));
  return TRUE;
}

#define SCALES (PH_FLOATS | PH_T (INT32) | PH_T (FLOAT8E8M0))

/* clang-format off */
const PhOp ph_op_QuantizeLinear = {
  "QuantizeLinear", .since = 25, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_NORM, .short_name = "Quantize", .main_attrs = { "axis", "block_size" },
  .doc     = "Each element by its scale, rounded, plus a zero point, cut to the range of a narrow type.",
  .inputs  = { { "x", 0, PH_FLOATS | PH_T (INT32) }, { "y_scale", 0, SCALES }, { "y_zero_point", 'Z', NARROW, PH_ARG_OPTIONAL } },
  .outputs = { { "y", 'Z', NARROW } },
  .attrs   = { { "axis", PH_ATTR_INT, "1" }, { "saturate", PH_ATTR_INT, "1" }, { "block_size", PH_ATTR_INT, "0" },
               { "output_dtype", PH_ATTR_INT, "0" }, { "precision", PH_ATTR_INT, "0" } },
  .infer   = infer_quantize, .kernel = quantize_kernel,
};
/* clang-format on */

/* Adds up blocks of @block elements of @value, shaped as @type, along @axis; the last one may be shorter. */
static PhValue *
sum_blocks (PhBuilder *b, PhValue *value, const PhType *type, guint axis, gint64 block)
{
  const gint64 n = type->dims[axis].size, n_blocks = (n + block - 1) / block, behind = axis + 1;
  gint64 dims[PH_MAX_RANK + 1], pads[2 * PH_MAX_RANK] = { 0 };

  for (guint i = 0; i < type->rank; i++)
    dims[i + (i > axis)] = type->dims[i].size;
  dims[axis] = n_blocks;
  dims[axis + 1] = block;
  if ((pads[type->rank + axis] = n_blocks * block - n) > 0)
    value = PH_BUILD (b, Pad, value, ph_build_ints (b, pads, 2 * type->rank));
  return PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                        PH_BUILD (b, Reshape, value, ph_build_ints (b, dims, type->rank + 1)), ph_build_ints (b, &behind, 1));
}

/* dscale = sum of dY (x - zero point) over the elements that share a scale. */
static gboolean
grad_dequantize (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  const PhType *type = ph_grad_in (grad, 0)->type, *scales = ph_grad_in (grad, 1)->type;
  const gint64 given = ph_node_attr_int (grad->node, "axis", 1), block = ph_node_attr_int (grad->node, "block_size", 0);
  const PhDType dtype = grad->dy[0]->type->dtype;
  gint64 behind[PH_MAX_RANK];
  guint axis = 0, n = 0;
  PhValue *ones, *sum;

  if (scales == NULL || !scales->has_rank
      || (scales->rank > 0 && (type == NULL || !type->has_rank || !ph_axis (given, type->rank, &axis)))
      || (block > 0 ? scales->rank == 0 || !ph_type_is_static (type) || type->rank >= PH_MAX_RANK || scales->rank != type->rank
                          || scales->dims[axis].size != (type->dims[axis].size + block - 1) / block
                    : scales->rank > 1))
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient by the scale needs known ranks, and one scale, one for each index, or known blocks");
  ones = PH_BUILD (b, Expand, ph_build_scalar (b, dtype, 1), PH_BUILD (b, Shape, ph_grad_in (grad, 1)));
  sum = PH_BUILD_WITH (b, DequantizeLinear, PH_ATTRS (ph_attr_new_int ("axis", given), ph_attr_new_int ("block_size", block)),
                       ph_grad_in (grad, 0), ones, ph_grad_in (grad, 2));
  sum = PH_BUILD (b, Mul, grad->dy[0], sum);
  for (guint i = axis + 1; scales->rank == 1 && block == 0 && i < type->rank; i++)
    behind[n++] = i;
  if (block > 0)
    sum = sum_blocks (b, sum, type, axis, block);
  else if (n > 0) /* the engine sums the axes in front */
    sum = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), sum, ph_build_ints (b, behind, n));
  grad->dx[1] = dtype == scales->dtype ? sum : PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", scales->dtype)), sum);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_DequantizeLinear = {
  "DequantizeLinear", .since = 25, .no_rule = 1 << 0, .grad_build = grad_dequantize,
  .family = PH_FAMILY_NORM, .short_name = "Dequantize", .main_attrs = { "axis", "block_size" },
  .doc     = "Each element less its zero point, times its scale.",
  .inputs  = { { "x", 'Z', NARROW | PH_T (INT32) }, { "x_scale", 0, PH_FLOATS | PH_T (FLOAT8E8M0) },
               { "x_zero_point", 'Z', NARROW | PH_T (INT32), PH_ARG_OPTIONAL } },
  .outputs = { { "y", 0, PH_FLOATS } },
  .attrs   = { { "axis", PH_ATTR_INT, "1" }, { "block_size", PH_ATTR_INT, "0" }, { "output_dtype", PH_ATTR_INT, "0" } },
  .infer   = infer_dequantize, .kernel = dequantize_kernel,
  .grad_text = "dx_scale = sum(dY * (x - x_zero_point)); dx_zero_point = -sum(dY) * x_scale",
};
/* clang-format on */

/* ── products ── Integers minus their zero points are multiplied in double, which is exact for narrow types. */

/* Returns FALSE with @error if one of @inputs (bit i: input i, a scale or zero point) is empty. */
static gboolean
have_elements (PhKernel *kernel, guint64 inputs, GError **error)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = ph_kernel_input (kernel, i);

      if ((inputs >> i & 1) && tensor != NULL && ph_tensor_count (tensor) == 0)
        return ph_kernel_fail (kernel, error, "input %u '%s' is empty", i, kernel->node->op->inputs[i].name);
    }
  return TRUE;
}

/* @axis_of_many: the axis (from the right: 1 last, 2 last but one; 0: the first) of a vector of zero points. */
static PhTensor *
centred (PhTensor *tensor, PhTensor *zero, int axis_of_many)
{
  PhTensor *result = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
  guint rank = ph_tensor_rank (tensor), axis = axis_of_many == 0 ? 0 : MAX ((int) rank - axis_of_many, 0);
  gsize inner = ph_dims_product (ph_tensor_dims (tensor), axis + 1, rank), many = zero != NULL ? ph_tensor_count (zero) : 1;
  double *out;

  if (result == NULL)
    return NULL;
  out = ph_tensor_writable (result);
  for (gsize i = 0, n = ph_tensor_count (tensor); i < n; i++)
    out[i] = ph_tensor_get (tensor, i) - (zero == NULL ? 0 : ph_tensor_get (zero, many == 1 ? 0 : i / inner % many));
  return result;
}

static gboolean
matmul_integer_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) a = NULL, b = NULL;
  g_autoptr (GError) problem = NULL;
  PhTensor *product;

  if (!have_elements (kernel, 1 << 2 | 1 << 3, error))
    return FALSE;
  a = centred (ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 2), 2);
  b = centred (ph_kernel_input (kernel, 1), ph_kernel_input (kernel, 3), 1);
  product = a != NULL && b != NULL ? ph_matmul (kernel, a, b, &problem) : NULL;
  if (product == NULL)
    return ph_kernel_pass_on (kernel, error, problem);
  return ph_kernel_take_as (kernel, 0, product, PH_INT32, error);
}

static gboolean
infer_matmul_integer (PhInfer *infer, GError **error)
{
  return ph_infer_product (infer, PH_INT32, 1, error);
}

/* clang-format off */
const PhOp ph_op_MatMulInteger = {
  "MatMulInteger", .since = 10, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc     = "Matrix product of narrow integers less their zero points, in 32 bits.",
  .inputs  = { { "A", 'A', BYTES }, { "B", 'B', BYTES }, { "a_zero_point", 'A', BYTES, PH_ARG_OPTIONAL },
               { "b_zero_point", 'B', BYTES, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 0, PH_T (INT32) } },
  .infer   = infer_matmul_integer, .kernel = matmul_integer_kernel, .flops = ph_matmul_flops,
};
/* clang-format on */

/* result * (scale of a) * (scale of b) / (scale of y), quantized. b may have a scale per element of @axis of the result. */
static gboolean
requantize (PhKernel *kernel, PhTensor *product, guint scale_a, guint scale_b, guint scale_y, guint zero_y, guint axis,
            GError **error)
{
  PhTensor *sa = ph_kernel_input (kernel, scale_a), *sb = ph_kernel_input (kernel, scale_b);
  PhTensor *sy = ph_kernel_input (kernel, scale_y), *zy = ph_kernel_input (kernel, zero_y);
  guint rank = ph_tensor_rank (product);
  const gint64 *dims = ph_tensor_dims (product);
  gsize inner = axis < rank ? ph_dims_product (dims, axis + 1, rank) : 1;
  gsize row = rank >= 2 ? ph_dims_product (dims, rank - 1, rank) : 1;
  PhDType dtype = ph_tensor_dtype (zy);
  gpointer out = ph_kernel_output (kernel, 0, dtype, rank, dims, error);

  if (out == NULL)
    return FALSE;
  for (gsize i = 0, n = ph_tensor_count (product); i < n; i++)
    {
      gsize many_a = ph_tensor_count (sa), many_b = ph_tensor_count (sb), many_y = ph_tensor_count (sy),
            many_z = ph_tensor_count (zy);
      double a = ph_tensor_get (sa, many_a == 1 ? 0 : i / row % many_a);
      double b = ph_tensor_get (sb, many_b == 1 ? 0 : i / inner % many_b);
      double y = ph_tensor_get (sy, many_y == 1 ? 0 : i / row % many_y);
      double z = ph_tensor_get (zy, many_z == 1 ? 0 : i / row % many_z);

      store_quantized (dtype, out, i, ph_tensor_get (product, i) * (a * b / y), z, TRUE);
    }
  return TRUE;
}

#define EIGHT_BITS (BYTES | FLOAT8S)
#define ALL_SCALES (1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7) /* of both QLinear operators */

static gboolean
qlinear_matmul_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) a = NULL, b = NULL, product = NULL;
  g_autoptr (GError) problem = NULL;

  if (!have_elements (kernel, ALL_SCALES, error))
    return FALSE;
  a = centred (ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 2), 2);
  b = centred (ph_kernel_input (kernel, 3), ph_kernel_input (kernel, 5), 1);
  product = a != NULL && b != NULL ? ph_matmul (kernel, a, b, &problem) : NULL;
  if (product == NULL)
    return ph_kernel_pass_on (kernel, error, problem);
  return requantize (kernel, product, 1, 4, 6, 7, ph_tensor_rank (product) - 1, error);
}

static gboolean
infer_qlinear_matmul (PhInfer *infer, GError **error)
{
  const PhType *zero = ph_infer_type (infer, 7);

  return zero == NULL || ph_infer_product (infer, zero->dtype, 3, error);
}

/* clang-format off */
const PhOp ph_op_QLinearMatMul = {
  "QLinearMatMul", .since = 21, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .doc     = "Matrix product of quantised tensors, itself quantised.",
  .inputs  = { { "a", 'A', EIGHT_BITS }, { "a_scale", 'S', PH_FLOATS }, { "a_zero_point", 'A', EIGHT_BITS },
               { "b", 'B', EIGHT_BITS }, { "b_scale", 'S', PH_FLOATS }, { "b_zero_point", 'B', EIGHT_BITS },
               { "y_scale", 'S', PH_FLOATS }, { "y_zero_point", 'Y', EIGHT_BITS } },
  .outputs = { { "y", 'Y', EIGHT_BITS } },
  .infer   = infer_qlinear_matmul, .kernel = qlinear_matmul_kernel, .flops = ph_matmul_flops,
};
/* clang-format on */

/* Convolutions: the node has all attributes of a Conv, so Conv's own kernel runs it on the centred tensors. */

static PhTensor *
convolve (PhKernel *kernel, PhTensor *x, PhTensor *weight, PhTensor *bias, GError **error)
{
  g_autoptr (PhTensor) wide_bias = bias != NULL ? ph_convert (bias, PH_DOUBLE) : NULL;
  PhTensor *inputs[3] = { x, weight, wide_bias }, *result = NULL;
  PhKernel conv = *kernel;

  if (x == NULL || weight == NULL)
    {
      ph_kernel_exceed (kernel, error, "the operands are too large for memory");
      return NULL;
    }
  conv.inputs = inputs;
  conv.n_inputs = 3;
  conv.outputs = &result;
  conv.n_outputs = 1;
  if (!ph_op_Conv.kernel (&conv, error))
    g_clear_pointer (&result, ph_tensor_unref);
  return result;
}

static gboolean
conv_integer_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) x = NULL, weight = NULL;
  PhTensor *result;

  if (!have_elements (kernel, 1 << 2 | 1 << 3, error))
    return FALSE;
  x = centred (ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 2), 0);
  weight = centred (ph_kernel_input (kernel, 1), ph_kernel_input (kernel, 3), 0);
  result = convolve (kernel, x, weight, NULL, error);
  return result != NULL && ph_kernel_take_as (kernel, 0, result, PH_INT32, error);
}

static gboolean
qlinear_conv_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) x = NULL, weight = NULL, result = NULL;

  if (!have_elements (kernel, ALL_SCALES, error))
    return FALSE;
  x = centred (ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 2), 0);
  weight = centred (ph_kernel_input (kernel, 3), ph_kernel_input (kernel, 5), 0);
  result = convolve (kernel, x, weight, ph_kernel_input (kernel, 8), error);
  return result != NULL && requantize (kernel, result, 1, 4, 6, 7, 1, error);
}

static gboolean
infer_quantized_conv (PhInfer *infer, guint weight_index, PhDType dtype, GError **error)
{
  const PhType *x = ph_infer_type (infer, 0), *weight = ph_infer_type (infer, weight_index);
  gint64 kernel[PH_WINDOW_MAX];

  if (x == NULL || weight == NULL || !x->has_rank || !weight->has_rank)
    {
      ph_infer_set (infer, 0, ph_type_unranked (dtype));
      return TRUE;
    }
  if (x->rank < 3 || x->rank > 2 + PH_WINDOW_MAX || weight->rank != x->rank)
    return ph_infer_fail (infer, error, "input and weight have the ranks %u and %u, must have the same one, 3 to %d", x->rank,
                          weight->rank, 2 + PH_WINDOW_MAX);
  for (guint i = 2; i < weight->rank; i++)
    if (!ph_dim_known (weight->dims[i]))
      {
        ph_infer_set (infer, 0, ph_type_unranked (dtype));
        return TRUE;
      }
    else
      kernel[i - 2] = weight->dims[i].size;
  return ph_infer_window (infer, ph_type_with_dtype (x, dtype), weight->dims[0], kernel, error);
}

static gboolean
infer_conv_integer (PhInfer *infer, GError **error)
{
  return infer_quantized_conv (infer, 1, PH_INT32, error);
}

static gboolean
infer_qlinear_conv (PhInfer *infer, GError **error)
{
  const PhType *zero = ph_infer_type (infer, 7);

  return zero == NULL || infer_quantized_conv (infer, 3, zero->dtype, error);
}

static gint64
conv_flops (const PhNode *node, guint weight_index)
{
  const PhType *weight = ph_node_input (node, weight_index)->type, *out = ph_node_output (node, 0)->type;
  gint64 weights = weight != NULL ? ph_type_count (weight) : -1, count = out != NULL ? ph_type_count (out) : -1;

  if (weights < 0 || count < 0 || weight->rank == 0 || weight->dims[0].size == 0)
    return -1;
  return 2 * count * (weights / weight->dims[0].size);
}

static gint64
conv_integer_flops (const PhNode *node)
{
  return conv_flops (node, 1);
}

static gint64
qlinear_conv_flops (const PhNode *node)
{
  return conv_flops (node, 3);
}

/* clang-format off */
#define CONV_ATTRS                                                                                                     \
  .attrs = { PH_AUTO_PAD, { "dilations", PH_ATTR_INTS }, { "group", PH_ATTR_INT, "1" }, \
             { "kernel_shape", PH_ATTR_INTS }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } }

const PhOp ph_op_ConvInteger = {
  "ConvInteger", .since = 10, .flags = PH_OP_NO_GRADIENT, CONV_ATTRS,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .doc     = "Convolution of narrow integers less their zero points, in 32 bits.",
  .inputs  = { { "x", 'X', BYTES }, { "w", 'W', BYTES }, { "x_zero_point", 'X', BYTES, PH_ARG_OPTIONAL },
               { "w_zero_point", 'W', BYTES, PH_ARG_OPTIONAL } },
  .outputs = { { "y", 0, PH_T (INT32) } },
  .infer   = infer_conv_integer, .kernel = conv_integer_kernel, .flops = conv_integer_flops,
};

const PhOp ph_op_QLinearConv = {
  "QLinearConv", .since = 10, .flags = PH_OP_NO_GRADIENT | PH_OP_IN_DOUBLE, CONV_ATTRS,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .doc     = "Convolution of quantised tensors, itself quantised.",
  .inputs  = { { "x", 'X', BYTES }, { "x_scale", 0, PH_T (FLOAT) }, { "x_zero_point", 'X', BYTES },
               { "w", 'W', BYTES }, { "w_scale", 0, PH_T (FLOAT) }, { "w_zero_point", 'W', BYTES },
               { "y_scale", 0, PH_T (FLOAT) }, { "y_zero_point", 'Y', BYTES }, { "B", 0, PH_T (INT32), PH_ARG_OPTIONAL } },
  .outputs = { { "y", 'Y', BYTES } },
  .infer   = infer_qlinear_conv, .kernel = qlinear_conv_kernel, .flops = qlinear_conv_flops,
};
/* clang-format on */
