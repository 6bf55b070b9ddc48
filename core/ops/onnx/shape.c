/* shape.c: operators that read or change shapes, or make a tensor from a shape.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

/* ── Shape, Size ── */

static void
shape_range (const PhNode *node, guint rank, guint *start, guint *end)
{
  gint64 s = ph_node_attr_int (node, "start", 0), e = ph_node_attr_int (node, "end", G_MAXINT64);

  s = CLAMP (s < 0 ? s + rank : s, 0, (gint64) rank);
  e = CLAMP (e < 0 ? e + rank : e, 0, (gint64) rank);
  *start = s;
  *end = MAX (s, e);
}

static gboolean
infer_shape (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  PhDim length = PH_DIM_UNKNOWN;
  guint start, end;

  if (type == NULL || !type->has_rank)
    {
      ph_infer_set_shape (infer, 0, PH_INT64, 1, &length);
      return TRUE;
    }
  shape_range (ph_infer_node_of (infer), type->rank, &start, &end);
  length = PH_DIM (end - start);
  ph_infer_set_shape (infer, 0, PH_INT64, 1, &length);
  ph_infer_set_dims (infer, 0, type->dims + start, end - start);
  return TRUE;
}

static gboolean
run_shape (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint start, end;

  shape_range (kernel->node, ph_tensor_rank (x), &start, &end);
  ph_kernel_take (kernel, 0, ph_tensor_new_int64s (ph_tensor_dims (x) + start, end - start));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Shape = {
  .name = "Shape", .since = 23, .flags = PH_OP_SHAPE_ONLY | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The shape of a tensor, or a part of it, as integers.",
  .inputs = { { "data", 'T', PH_ANY } }, .outputs = { { "shape", 0, PH_T (INT64), PH_ARG_SHAPE } },
  .attrs = { { "start", PH_ATTR_INT, "0" }, { "end", PH_ATTR_INT } },
  .infer = infer_shape, .kernel = run_shape,
};
/* clang-format on */

static gboolean
infer_size (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  ph_infer_set_shape (infer, 0, PH_INT64, 0, NULL);
  if (type != NULL && type->has_rank)
    {
      PhDim size = PH_DIM (1);

      for (guint i = 0; i < type->rank; i++)
        size = ph_dim_mul (size, type->dims[i]);
      ph_infer_set_dims (infer, 0, &size, 1);
    }
  return TRUE;
}

static gboolean
run_size (PhKernel *kernel, GError **error)
{
  gint64 *size = ph_kernel_output (kernel, 0, PH_INT64, 0, NULL, error);

  if (size == NULL)
    return FALSE;
  *size = ph_tensor_count (ph_kernel_input (kernel, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Size = {
  .name = "Size", .since = 23, .flags = PH_OP_SHAPE_ONLY | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The number of elements of a tensor.",
  .inputs = { { "data", 'T', PH_ANY } }, .outputs = { { "size", 0, PH_T (INT64) } },
  .infer = infer_size, .kernel = run_size,
};
/* clang-format on */

/* ── Reshape and its special cases ── */

/* Only the shape changes, so the contents remain known as dimensions. */
static void
keep_dims (PhInfer *infer, guint rank)
{
  const PhDim *dims;
  int n = ph_infer_elements (infer, 0, &dims);

  if (n >= 0 && rank <= 2)
    ph_infer_set_dims (infer, 0, dims, n);
}

static gboolean
infer_reshape (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0), *shape = ph_infer_type (infer, 1);
  gboolean zero = ph_node_attr_int (ph_infer_node_of (infer), "allowzero", 0) != 0;
  PhDim dims[PH_MAX_RANK], total = PH_DIM (1), rest = PH_DIM (1);
  const PhDim *wanted;
  int n, unknown = -1, n_unknown = 0;

  if (type == NULL)
    return TRUE;
  n = ph_infer_dims (infer, 1, &wanted);
  if (n < 0)
    {
      if (shape == NULL || !shape->has_rank || shape->rank != 1 || !ph_dim_known (shape->dims[0])
          || shape->dims[0].size > PH_MAX_RANK)
        {
          ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
          return TRUE;
        }
      n = shape->dims[0].size;
      for (int i = 0; i < n; i++)
        dims[i] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, type->dtype, n, dims);
      return TRUE;
    }
  if (n > PH_MAX_RANK)
    return ph_infer_fail (infer, error, "the new shape has %d dimensions, more than %d", n, PH_MAX_RANK);

  for (int i = 0; i < n; i++)
    {
      gint64 number;

      dims[i] = wanted[i];
      if (ph_dim_get_int (wanted[i], &number) && number < 0)
        {
          if (number < -1)
            return ph_infer_fail (infer, error, "dimension %d of the new shape is %" G_GINT64_FORMAT, i, number);
          dims[i] = PH_DIM_UNKNOWN;
        }
      if (ph_dim_known (dims[i]) && dims[i].size == 0 && !zero)
        dims[i] = type->has_rank && (guint) i < type->rank ? type->dims[i] : PH_DIM_UNKNOWN;
      /* An unknown element is -1 or a number; in both cases the number of elements determines it. */
      if (!ph_dim_known (dims[i]) && dims[i].symbol == NULL)
        {
          unknown = i;
          n_unknown++;
        }
      else
        rest = ph_dim_mul (rest, dims[i]);
    }
  if (type->has_rank)
    {
      for (guint i = 0; i < type->rank; i++)
        total = ph_dim_mul (total, type->dims[i]);
      if (n_unknown == 1 && !(ph_dim_known (rest) && rest.size == 0))
        {
          if (ph_dim_known (total) && ph_dim_known (rest) && total.size % rest.size != 0)
            return ph_infer_fail (infer, error,
                                  "%" G_GINT64_FORMAT " elements do not fit a shape of multiples of %" G_GINT64_FORMAT,
                                  total.size, rest.size);
          dims[unknown] = ph_dim_div (total, rest);
        }
      if (n_unknown == 0 && ph_dim_known (total) && ph_dim_known (rest) && total.size != rest.size)
        return ph_infer_fail (infer, error, "%" G_GINT64_FORMAT " elements cannot take a shape of %" G_GINT64_FORMAT, total.size,
                              rest.size);
    }
  ph_infer_set_shape (infer, 0, type->dtype, n, dims);
  keep_dims (infer, n);
  return TRUE;
}

/* Makes output 0 input 0 with the shape @dims. */
static gboolean
take_reshaped (PhKernel *kernel, guint rank, const gint64 *dims, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);

  if (ph_dims_product (dims, 0, rank) != (gint64) ph_tensor_count (x))
    return ph_kernel_fail (kernel, error, "%zu elements cannot take a shape of %" G_GINT64_FORMAT, ph_tensor_count (x),
                           ph_dims_product (dims, 0, rank));
  ph_kernel_take (kernel, 0, ph_tensor_reshaped (x, rank, dims));
  return TRUE;
}

static gboolean
run_reshape (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gboolean zero = ph_node_attr_int (kernel->node, "allowzero", 0) != 0;
  gint64 dims[PH_MAX_RANK], rest = 1, own = 1, others = 1;
  g_autofree gint64 *wanted = NULL;
  guint64 copied = 0;
  int free_at = -1;
  gsize n;

  wanted = ph_kernel_ints (kernel, 1, &n);
  if (n > PH_MAX_RANK)
    return ph_kernel_exceed (kernel, error, "the new shape has %zu dimensions, more than %d", n, PH_MAX_RANK);
  for (gsize i = 0; i < n; i++)
    {
      dims[i] = wanted[i];
      if (wanted[i] == 0 && !zero)
        {
          if (i >= ph_tensor_rank (x))
            return ph_kernel_fail (kernel, error, "dimension %zu is to be copied, but the input has rank %u", i,
                                   ph_tensor_rank (x));
          dims[i] = ph_tensor_dims (x)[i];
          copied |= G_GUINT64_CONSTANT (1) << i;
        }
      if (dims[i] == -1 && free_at < 0)
        free_at = i;
      else if (dims[i] < 0)
        return ph_kernel_fail (kernel, error, "dimension %zu of the new shape is %" G_GINT64_FORMAT, i, dims[i]);
      else if (dims[i] != 0 && rest > G_MAXINT64 / dims[i])
        return ph_kernel_fail (kernel, error, "the new shape is too large");
      else
        rest *= dims[i];
    }
  /* Without elements any number would fit: derive it from the dimensions that are not copied, so that it also holds for other sizes. */
  for (guint i = 0; rest == 0 && i < MAX (n, ph_tensor_rank (x)); i++)
    if (!(copied >> i & 1))
      {
        own *= i < ph_tensor_rank (x) ? ph_tensor_dims (x)[i] : 1;
        others *= i < n && (int) i != free_at ? dims[i] : 1;
      }
  if (free_at >= 0)
    dims[free_at] = rest != 0 ? (gint64) ph_tensor_count (x) / rest : others != 0 ? own / others : 0;
  return take_reshaped (kernel, n, dims, error);
}

/* Reshapes the gradient to the input's shape; used by all of these operators. */
static gboolean
grad_reshape (PhGrad *grad, GError **error)
{
  grad->dx[0] = ph_grad_reshape_like (grad, grad->dy[0], ph_grad_in (grad, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Reshape = {
  .name = "Reshape", .since = 23, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[2,6]", "s = Constant <value_ints = [3, -1]> () y = Reshape (x, s)", -1, 1 },
  .doc = "The same elements in the same order under another shape; 0 copies a dimension, -1 takes what is left.",
  .inputs = { { "data", 'T', PH_ANY }, { "shape", 0, PH_T (INT64), PH_ARG_SHAPE } }, .outputs = { { "reshaped", 'T', PH_ANY } },
  .attrs = { { "allowzero", PH_ATTR_INT, "0" } },
  .infer = infer_reshape, .kernel = run_reshape, .grad_build = grad_reshape, .no_grad = 1 << 1,
  .grad_text = "ddata = Reshape(dY) like data",
};
/* clang-format on */

static gboolean
flatten_axis (const PhNode *node, guint rank, guint *axis)
{
  gint64 given = ph_node_attr_int (node, "axis", 1);

  *axis = given < 0 ? given + rank : given;
  return given >= -(gint64) rank && given <= (gint64) rank;
}

static gboolean
infer_flatten (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  PhDim dims[2] = { PH_DIM (1), PH_DIM (1) };
  guint axis;

  if (type == NULL)
    return TRUE;
  if (!type->has_rank)
    dims[0] = dims[1] = PH_DIM_UNKNOWN;
  else if (!flatten_axis (ph_infer_node_of (infer), type->rank, &axis))
    return ph_infer_fail (infer, error, "axis is outside the input's rank %u", type->rank);
  else
    for (guint i = 0; i < type->rank; i++)
      dims[i >= axis] = ph_dim_mul (dims[i >= axis], type->dims[i]);
  ph_infer_set_shape (infer, 0, type->dtype, 2, dims);
  return TRUE;
}

static gboolean
run_flatten (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint axis, rank = ph_tensor_rank (x);

  if (!flatten_axis (kernel->node, rank, &axis))
    return ph_kernel_fail (kernel, error, "axis is outside the input's rank %u", rank);
  return take_reshaped (
      kernel, 2, (gint64[]) { ph_dims_product (ph_tensor_dims (x), 0, axis), ph_dims_product (ph_tensor_dims (x), axis, rank) },
      error);
}

/* clang-format off */
const PhOp ph_op_Flatten = {
  .name = "Flatten", .since = 23, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT, .main_attrs = { "axis" }, .example = { "x[2,3,2]", "y = Flatten <axis = 2> (x)", -1, 1 },
  .doc = "A matrix: the dimensions before the axis become its rows, the others its columns.",
  .inputs = { { "input", 'T', PH_ANY } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "1" } },
  .infer = infer_flatten, .kernel = run_flatten, .grad_build = grad_reshape,
  .grad_text = "dinput = Reshape(dY) like input",
};
/* clang-format on */

static gboolean
infer_squeeze (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  g_autofree gint64 *axes = NULL;
  guint normal[PH_MAX_RANK], rank = 0;
  PhDim dims[PH_MAX_RANK];
  guint64 mask = 0;
  gsize n;

  if (type == NULL)
    return TRUE;
  if (ph_infer_has (infer, 1))
    {
      if (!ph_infer_ints (infer, 1, &axes, &n))
        {
          ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
          return TRUE;
        }
      if (!ph_axes (axes, n, type->rank, normal, &mask))
        return ph_infer_fail (infer, error, "an axis is outside the input's rank %u or named twice", type->rank);
    }
  for (guint i = 0; i < type->rank; i++)
    if (mask != 0 || ph_infer_has (infer, 1))
      {
        if (!(mask >> i & 1))
          dims[rank++] = type->dims[i];
        else if (ph_dim_known (type->dims[i]) && type->dims[i].size != 1)
          return ph_infer_fail (infer, error, "axis %u has %" G_GINT64_FORMAT " elements and cannot be squeezed", i,
                                type->dims[i].size);
      }
    else if (!ph_dim_known (type->dims[i]))
      {
        ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
        return TRUE;
      }
    else if (type->dims[i].size != 1)
      dims[rank++] = type->dims[i];
  ph_infer_set_shape (infer, 0, type->dtype, rank, dims);
  keep_dims (infer, rank);
  return TRUE;
}

static gboolean
run_squeeze (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gint64 *from = ph_tensor_dims (x);
  gint64 dims[PH_MAX_RANK];
  guint normal[PH_MAX_RANK], rank = 0;
  g_autofree gint64 *axes = NULL;
  guint64 mask;
  gsize n;

  axes = ph_kernel_ints (kernel, 1, &n);
  if (!ph_axes (axes, n, ph_tensor_rank (x), normal, &mask))
    return ph_kernel_fail (kernel, error, "an axis is outside the input's rank %u or named twice", ph_tensor_rank (x));
  for (guint i = 0; i < ph_tensor_rank (x); i++)
    if (axes != NULL ? !(mask >> i & 1) : from[i] != 1)
      dims[rank++] = from[i];
  return take_reshaped (kernel, rank, dims, error);
}

/* clang-format off */
const PhOp ph_op_Squeeze = {
  .name = "Squeeze", .since = 23, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[1,3,1]", "a = Constant <value_ints = [0]> () y = Squeeze (x, a)", -1, 1 },
  .doc = "Removes dimensions of size 1: those named, or all.",
  .inputs = { { "data", 'T', PH_ANY }, { "axes", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "squeezed", 'T', PH_ANY } },
  .infer = infer_squeeze, .kernel = run_squeeze, .grad_build = grad_reshape, .no_grad = 1 << 1,
  .grad_text = "ddata = Reshape(dY) like data",
};
/* clang-format on */

static gboolean
infer_unsqueeze (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0), *axes_type = ph_infer_type (infer, 1);
  g_autofree gint64 *axes = NULL;
  guint normal[PH_MAX_RANK], rank, from = 0;
  PhDim dims[PH_MAX_RANK];
  guint64 mask;
  gsize n;

  if (type == NULL)
    return TRUE;
  if (!ph_infer_ints (infer, 1, &axes, &n))
    {
      if (axes_type == NULL || ph_type_count (axes_type) < 0 || ph_type_count (axes_type) + type->rank > PH_MAX_RANK)
        {
          ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
          return TRUE;
        }
      rank = type->rank + ph_type_count (axes_type);
      for (guint i = 0; i < rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, type->dtype, rank, dims);
      return TRUE;
    }
  if (type->rank + n > PH_MAX_RANK || !ph_axes (axes, n, rank = type->rank + n, normal, &mask))
    return ph_infer_fail (infer, error, "an axis is outside the output's rank %zu or named twice", type->rank + n);
  for (guint i = 0; i < rank; i++)
    dims[i] = mask >> i & 1 ? PH_DIM (1) : type->dims[from++];
  ph_infer_set_shape (infer, 0, type->dtype, rank, dims);
  keep_dims (infer, rank);
  return TRUE;
}

static gboolean
run_unsqueeze (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gint64 dims[PH_MAX_RANK];
  guint normal[PH_MAX_RANK], from = 0;
  g_autofree gint64 *axes = NULL;
  guint64 mask;
  gsize n, rank;

  axes = ph_kernel_ints (kernel, 1, &n);
  rank = ph_tensor_rank (x) + n;
  if (rank > PH_MAX_RANK || !ph_axes (axes, n, rank, normal, &mask))
    return ph_kernel_fail (kernel, error, "an axis is outside the output's rank %zu or named twice", rank);
  for (guint i = 0; i < rank; i++)
    dims[i] = mask >> i & 1 ? 1 : ph_tensor_dims (x)[from++];
  return take_reshaped (kernel, rank, dims, error);
}

/* clang-format off */
const PhOp ph_op_Unsqueeze = {
  .name = "Unsqueeze", .since = 23, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[2,3]", "a = Constant <value_ints = [0, -1]> () y = Unsqueeze (x, a)", -1, 1 },
  .doc = "Inserts dimensions of size 1 at the given places of the output.",
  .inputs = { { "data", 'T', PH_ANY }, { "axes", 0, PH_T (INT64), PH_ARG_SHAPE } },
  .outputs = { { "expanded", 'T', PH_ANY } },
  .infer = infer_unsqueeze, .kernel = run_unsqueeze, .grad_build = grad_reshape, .no_grad = 1 << 1,
  .grad_text = "ddata = Reshape(dY) like data",
};
/* clang-format on */
