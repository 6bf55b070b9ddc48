/* fill.c: operators that repeat elements or make a tensor from a shape.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <math.h>

/* Returns a type with the dimensions that input @input holds; NULL if not even their number is known. */
static const PhType *
shape_held_by (PhInfer *infer, guint input, PhDType dtype)
{
  const PhType *type = ph_infer_type (infer, input);
  const PhDim *held;
  PhDim dims[PH_MAX_RANK];
  int n = ph_infer_dims (infer, input, &held);

  if (n > PH_MAX_RANK)
    return NULL;
  if (n >= 0)
    return ph_type_tensor (dtype, n, held);
  if (type == NULL || !type->has_rank || type->rank != 1 || !ph_dim_known (type->dims[0]) || type->dims[0].size > PH_MAX_RANK)
    return NULL;
  for (gint64 i = 0; i < type->dims[0].size; i++)
    dims[i] = PH_DIM_UNKNOWN;
  return ph_type_tensor (dtype, type->dims[0].size, dims);
}

/* ── Expand, Tile ── */

static gboolean
infer_expand (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0), *shape, *result;

  if (type == NULL)
    return TRUE;
  shape = shape_held_by (infer, 1, type->dtype);
  if (shape == NULL || !type->has_rank)
    {
      ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
      return TRUE;
    }
  result = ph_type_broadcast (type->dtype, (const PhType *[]) { type, shape }, 2);
  if (result == NULL)
    return ph_infer_fail (infer, error, "the input and the shape asked for cannot be broadcast together");
  ph_infer_set (infer, 0, result);
  return TRUE;
}

static gboolean
run_expand (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  g_autofree gint64 *shape = NULL;
  gint64 dims[PH_MAX_RANK], from[PH_MAX_RANK] = { 0 }, own[PH_MAX_RANK], to[PH_MAX_RANK];
  guint rank, x_rank = ph_tensor_rank (x);
  gpointer data;
  gsize n;

  shape = ph_kernel_ints (kernel, 1, &n);
  for (gsize i = 0; i < n; i++)
    if (shape[i] < 0)
      return ph_kernel_fail (kernel, error, "dimension %zu of the shape is negative", i);
  if (n > PH_MAX_RANK || !ph_broadcast_dims (x_rank, ph_tensor_dims (x), n, shape, &rank, dims))
    return ph_kernel_fail (kernel, error, "the input and the shape asked for cannot be broadcast together");
  if (ph_tensor_count (x) == 1 && ph_tensor_dtype (x) != PH_STRING)
    {
      PhTensor *splat = ph_tensor_new_splat (ph_tensor_dtype (x), rank, dims, ph_tensor_data (x));

      if (splat == NULL)
        return ph_kernel_exceed (kernel, error, "the output is too large for memory");
      ph_kernel_take (kernel, 0, splat);
      return TRUE;
    }
  data = ph_tensor_dtype (x) == PH_STRING ? ph_kernel_output (kernel, 0, PH_STRING, rank, dims, error)
                                          : ph_kernel_output_unset (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (data == NULL)
    return FALSE;
  ph_strides (rank, dims, to);
  ph_strides (x_rank, ph_tensor_dims (x), own);
  for (guint i = 0; i < x_rank; i++)
    from[rank - x_rank + i] = ph_tensor_dims (x)[i] == 1 ? 0 : own[i];
  ph_copy_strided (rank, dims, data, to, ph_tensor_data (x), from, ph_dtype_size (ph_tensor_dtype (x)));
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_expand (PhGrad *grad, GError **error)
{
  grad->dx[0] = ph_grad_reduce_to (grad->b, grad->dy[0], ph_grad_in (grad, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Expand = {
  .name = "Expand", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[3,1]", "s = Constant <value_ints = [2, 1, 4]> () y = Expand (x, s)", -1, 1 },
  .doc = "Broadcasts the input to the shape asked for (or, where the input is larger, to its own).",
  .inputs = { { "input", 'T', PH_ANY }, { "shape", 0, PH_T (INT64), PH_ARG_SHAPE } }, .outputs = { { "output", 'T', PH_ANY } },
  .infer = infer_expand, .kernel = run_expand, .grad_build = grad_expand, .no_grad = 1 << 1,
  .grad_text = "dinput = sum(dY) over what was expanded",
};
/* clang-format on */

static gboolean
infer_tile (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[PH_MAX_RANK];
  const PhDim *repeats;
  int n;

  if (type == NULL)
    return TRUE;
  n = ph_infer_dims (infer, 1, &repeats);
  if (n >= 0 && (guint) n != type->rank)
    return ph_infer_fail (infer, error, "%d repeats for an input of rank %u", n, type->rank);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = n >= 0 ? ph_dim_mul (type->dims[i], repeats[i]) : PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  return TRUE;
}

static gboolean
run_tile (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gint64 *from = ph_tensor_dims (x);
  guint rank = ph_tensor_rank (x);
  g_autofree gint64 *repeats = NULL;
  gint64 dims[PH_MAX_RANK], *maps[PH_MAX_RANK] = { NULL };
  gpointer data;
  gsize n;

  repeats = ph_kernel_ints (kernel, 1, &n);
  if (n != rank)
    return ph_kernel_fail (kernel, error, "%zu repeats for an input of rank %u", n, rank);
  for (guint i = 0; i < rank; i++)
    {
      if (repeats[i] < 0)
        return ph_kernel_fail (kernel, error, "axis %u cannot be repeated %" G_GINT64_FORMAT " times", i, repeats[i]);
      if (from[i] > 0 && repeats[i] > G_MAXINT32 / from[i])
        return ph_kernel_exceed (kernel, error, "axis %u repeated %" G_GINT64_FORMAT " times is too large for memory", i,
                                 repeats[i]);
      dims[i] = from[i] * repeats[i];
    }
  data = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (data == NULL || ph_dims_product (dims, 0, rank) == 0) /* the other axes may be of any size then */
    return data != NULL;
  for (guint i = 0; i < rank; i++)
    if (repeats[i] != 1)
      {
        maps[i] = g_new (gint64, dims[i] + 1);
        for (gint64 j = 0; j < dims[i]; j++)
          maps[i][j] = j % from[i];
      }
  ph_copy_mapped (rank, dims, data, from, ph_tensor_data (x), maps, NULL, ph_dtype_size (ph_tensor_dtype (x)));
  for (guint i = 0; i < rank; i++)
    g_free (maps[i]);
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_tile (PhGrad *grad, GError **error)
{
  return ph_grad_moved (grad, 0);
}

/* clang-format off */
const PhOp ph_op_Tile = {
  .name = "Tile", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[2,3]", "r = Constant <value_ints = [2, 3]> () y = Tile (x, r)", -1, 1 },
  .doc = "Repeats the input along each axis.",
  .inputs = { { "input", 'T', PH_ANY }, { "repeats", 0, PH_T (INT64), PH_ARG_SHAPE } }, .outputs = { { "output", 'T', PH_ANY } },
  .infer = infer_tile, .kernel = run_tile, .grad_build = grad_tile, .no_grad = 1 << 1,
  .grad_text = "dinput = sum(dY) over the copies",
};
/* clang-format on */

/* ── ConstantOfShape, EyeLike, Range ── */

static PhTensor *
fill_value (const PhNode *node)
{
  PhAttr *attr = ph_node_attr (node, "value");

  return attr != NULL ? attr->tensor : NULL;
}

static gboolean
infer_constant_of_shape (PhInfer *infer, GError **error)
{
  PhTensor *value = fill_value (ph_infer_node_of (infer));
  PhDType dtype = value != NULL ? ph_tensor_dtype (value) : PH_FLOAT;
  const PhType *type = shape_held_by (infer, 0, dtype);

  if (value != NULL && ph_tensor_count (value) != 1)
    return ph_infer_fail (infer, error, "attribute value has %zu elements, must have one", ph_tensor_count (value));
  ph_infer_set (infer, 0, type != NULL ? type : ph_type_unranked (dtype));
  if (type != NULL && type->rank <= 1 && value != NULL && ph_dtype_is_integer (dtype))
    {
      gint64 n = ph_type_count (type), held = ph_tensor_get_int (value, 0);

      if (n >= 0 && n <= PH_MAX_RANK && held >= 0)
        {
          PhDim dims[PH_MAX_RANK];

          for (gint64 i = 0; i < n; i++)
            dims[i] = PH_DIM (held);
          ph_infer_set_dims (infer, 0, dims, n);
        }
    }
  return TRUE;
}

static gboolean
run_constant_of_shape (PhKernel *kernel, GError **error)
{
  PhTensor *value = fill_value (kernel->node), *result;
  g_autofree gint64 *dims = NULL;
  float zero = 0;
  gsize n;

  dims = ph_kernel_ints (kernel, 0, &n);
  if (n > PH_MAX_RANK)
    return ph_kernel_exceed (kernel, error, "the shape has %zu dimensions, more than %d", n, PH_MAX_RANK);
  for (gsize i = 0; i < n; i++)
    if (dims[i] < 0)
      return ph_kernel_fail (kernel, error, "dimension %zu of the shape is negative", i);
  result = ph_tensor_new_splat (value != NULL ? ph_tensor_dtype (value) : PH_FLOAT, n, dims,
                                value != NULL ? ph_tensor_data (value) : &zero);
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the output is too large for memory");
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ConstantOfShape = {
  .name = "ConstantOfShape", .since = 23, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_CONSTANT,
  .doc = "A tensor of the given shape with one value everywhere, 0 unless said otherwise.",
  .inputs = { { "input", 0, PH_T (INT64), PH_ARG_SHAPE } }, .outputs = { { "output", 0, PH_ANY } },
  .attrs = { { "value", PH_ATTR_TENSOR } },
  .infer = infer_constant_of_shape, .kernel = run_constant_of_shape, .no_grad = 1 << 0,
};
/* clang-format on */

static PhDType
eye_dtype (const PhNode *node, PhDType input)
{
  return ph_node_attr_int (node, "dtype", input);
}

static gboolean
infer_eye (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type == NULL)
    return TRUE;
  if (type->has_rank && type->rank != 2)
    return ph_infer_fail (infer, error, "the input has rank %u, must be a matrix", type->rank);
  ph_infer_set (infer, 0, ph_type_with_dtype (type, eye_dtype (ph_infer_node_of (infer), type->dtype)));
  return TRUE;
}

static gboolean
run_eye (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = eye_dtype (kernel->node, ph_tensor_dtype (x));
  gint64 k = ph_node_attr_int (kernel->node, "k", 0);
  const gint64 *dims = ph_tensor_dims (x);
  gpointer data;

  if (ph_tensor_rank (x) != 2 || ph_dtype_size (dtype) == 0 || dtype == PH_STRING)
    return ph_kernel_fail (kernel, error, "the input must be a matrix of numbers");
  data = ph_kernel_output (kernel, 0, dtype, 2, dims, error);
  if (data == NULL)
    return FALSE;
  for (gint64 i = MAX (0, k < 0 ? -k : 0); i < dims[0] && k < dims[1] && i + k < dims[1]; i++)
    ph_dtype_store (dtype, data, i * dims[1] + i + k, 1);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_EyeLike = {
  .name = "EyeLike", .since = 22, .flags = PH_OP_SHAPE_ONLY | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "A matrix of the input's shape with ones on one diagonal and zeros elsewhere.",
  .inputs = { { "input", 0, PH_ANY } }, .outputs = { { "output", 0, PH_NUMBERS | PH_T (BOOL) } },
  .attrs = { { "dtype", PH_ATTR_INT }, { "k", PH_ATTR_INT, "0" } },
  .infer = infer_eye, .kernel = run_eye, .no_grad = 1 << 0,
};
/* clang-format on */

static gboolean
infer_range (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  PhTensor *start = ph_infer_constant (infer, 0), *limit = ph_infer_constant (infer, 1), *delta = ph_infer_constant (infer, 2);
  const PhDim *from, *to;
  PhDim n = PH_DIM_UNKNOWN;

  if (type == NULL)
    return TRUE;
  if (start != NULL && limit != NULL && delta != NULL)
    {
      if (ph_tensor_count (start) != 1 || ph_tensor_count (limit) != 1 || ph_tensor_count (delta) != 1
          || ph_tensor_get (delta, 0) == 0)
        return ph_infer_fail (infer, error, "start, limit and delta must be scalars and delta must not be 0");
      n = PH_DIM (MAX (0, ceil ((ph_tensor_get (limit, 0) - ph_tensor_get (start, 0)) / ph_tensor_get (delta, 0))));
    }
  else if (delta != NULL && ph_tensor_count (delta) == 1 && ph_tensor_get (delta, 0) == 1 && ph_infer_dims (infer, 0, &from) == 1
           && ph_infer_dims (infer, 1, &to) == 1)
    n = ph_dim_sub (to[0], from[0]);
  ph_infer_set_shape (infer, 0, type->dtype, 1, &n);
  return TRUE;
}

static gboolean
run_range (PhKernel *kernel, GError **error)
{
  PhTensor *start = ph_kernel_input (kernel, 0), *limit = ph_kernel_input (kernel, 1), *delta = ph_kernel_input (kernel, 2);
  PhDType dtype = ph_tensor_dtype (start);
  double from, step, count;
  gint64 n;
  gpointer data;

  if (ph_tensor_count (start) != 1 || ph_tensor_count (limit) != 1 || ph_tensor_count (delta) != 1
      || ph_tensor_get (delta, 0) == 0)
    return ph_kernel_fail (kernel, error, "start, limit and delta must be scalars and delta must not be 0");
  from = ph_tensor_get (start, 0);
  step = ph_tensor_get (delta, 0);
  count = ceil ((ph_tensor_get (limit, 0) - from) / step);
  if (!(count < 1e15))
    return ph_kernel_fail (kernel, error, "the range is too long");
  n = MAX (count, 0);
  data = ph_kernel_output (kernel, 0, dtype, 1, &n, error);
  if (data == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (ph_dtype_is_integer (dtype))
      ph_dtype_store_int (dtype, data, i, ph_tensor_get_int (start, 0) + i * ph_tensor_get_int (delta, 0));
    else
      ph_dtype_store (dtype, data, i, from + i * step);
  return TRUE;
}

/* y[i] = start + i * delta, so each gradient is a sum over i; the operands may have the shape [1]. */
static gboolean
grad_range (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *steps, *dy = grad->dy[0];

  if (grad->wanted[0])
    grad->dx[0] = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), dy);
  if (!grad->wanted[2])
    return TRUE;
  steps = PH_BUILD (b, Div, PH_BUILD (b, Sub, ph_grad_out (grad, 0), ph_grad_in (grad, 0)), ph_grad_in (grad, 2));
  if (steps != NULL && steps->type != NULL && steps->type->has_rank && steps->type->rank > 1)
    steps = PH_BUILD (b, Reshape, steps, ph_build_ints (b, (gint64[]) { -1 }, 1));
  grad->dx[2] = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), PH_BUILD (b, Mul, dy, steps));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Range = {
  .name = "Range", .since = 11,
  .family = PH_FAMILY_CONSTANT,
  .example = { "a b", "n = Constant <value = double {0.0}> () s = Mul (a, b) m = Range (n, s, a) y = ReduceSum <keepdims = 0> (m)", 0.7, 0.9 },
  .doc = "The numbers from start up to, but without, limit in steps of delta.",
  .inputs = { { "start", 'T', PH_NUMBERS, PH_ARG_SHAPE }, { "limit", 'T', PH_NUMBERS, PH_ARG_SHAPE }, { "delta", 'T', PH_NUMBERS, PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', PH_NUMBERS } },
  .infer = infer_range, .kernel = run_range, .no_grad = 1 << 1,
  .grad_build = grad_range,
  .grad_text = "dstart = sum(dY); ddelta = sum(dY * [0, 1, 2, ...])",
};
/* clang-format on */
