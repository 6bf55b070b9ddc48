/* scatter.c: ScatterElements, ScatterND, TensorScatter: updates written, or added, at indices.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

typedef enum
{
  REDUCE_NONE,
  REDUCE_ADD,
  REDUCE_MUL,
  REDUCE_MAX,
  REDUCE_MIN
} Reduction;

#define REDUCTIONS "none|add|mul|max|min" /* in this order */

static Reduction
reduction_of (const PhNode *node)
{
  return ph_node_attr_word (node, "reduction");
}

#define COMBINE(a, b) \
  (reduction == REDUCE_ADD ? (a) + (b) : reduction == REDUCE_MUL ? (a) * (b) : reduction == REDUCE_MAX ? MAX (a, b) : MIN (a, b))

static void
combine (Reduction reduction, PhDType dtype, gpointer to, gsize i, gconstpointer from, gsize j)
{
  if (reduction == REDUCE_NONE)
    ph_move (to, i, from, j, ph_dtype_size (dtype));
  else if (dtype == PH_FLOAT)
    {
      float a = ((float *) to)[i], b = ((const float *) from)[j];

      ((float *) to)[i] = COMBINE (a, b);
    }
  else if (ph_dtype_is_float (dtype))
    {
      double a = ph_dtype_load (dtype, to, i), b = ph_dtype_load (dtype, from, j);

      ph_dtype_store (dtype, to, i, COMBINE (a, b));
    }
  else if (dtype == PH_UINT64)
    {
      guint64 a = ((guint64 *) to)[i], b = ((const guint64 *) from)[j];

      ((guint64 *) to)[i] = COMBINE (a, b);
    }
  else
    {
      /* Unsigned arithmetic wraps without being undefined; comparison needs the sign. */
      gint64 a = ph_dtype_load_int (dtype, to, i), b = ph_dtype_load_int (dtype, from, j);

      if (reduction == REDUCE_ADD || reduction == REDUCE_MUL)
        ph_dtype_store_int (dtype, to, i, reduction == REDUCE_ADD ? (guint64) a + (guint64) b : (guint64) a * (guint64) b);
      else
        ph_dtype_store_int (dtype, to, i, reduction == REDUCE_MAX ? MAX (a, b) : MIN (a, b));
    }
}

/* Makes output 0 a copy of input 0. */
static gpointer
copy_of_data (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gpointer to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), ph_tensor_rank (x), ph_tensor_dims (x), error);

  if (to != NULL && ph_tensor_bytes (x) > 0)
    memcpy (to, ph_tensor_data (x), ph_tensor_bytes (x));
  return to;
}

static gboolean
may_reduce (PhKernel *kernel, Reduction reduction, GError **error)
{
  PhDType dtype = ph_tensor_dtype (ph_kernel_input (kernel, 0));

  if (ph_kernel_input (kernel, 2) == NULL || ph_tensor_dtype (ph_kernel_input (kernel, 2)) != dtype)
    return ph_kernel_fail (kernel, error, "updates must have the element type of data");
  if (reduction != REDUCE_NONE && !ph_dtype_is_float (dtype) && !ph_dtype_is_integer (dtype))
    return ph_kernel_fail (kernel, error, "elements of type %s cannot be reduced", ph_dtype_name (dtype));
  return TRUE;
}

static gboolean
infer_scatter (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0), *indices = ph_infer_type (infer, 1), *updates = ph_infer_type (infer, 2);

  if (ph_node_is (ph_infer_node_of (infer), &ph_op_ScatterElements) && type != NULL && type->has_rank
      && ((indices != NULL && indices->has_rank && indices->rank != type->rank)
          || (updates != NULL && updates->has_rank && updates->rank != type->rank)))
    return ph_infer_fail (infer, error, "data, indices and updates must have the same rank");
  return ph_infer_same_as_input (infer, error);
}

/* The parameters common to all lines of updates along the last axis. */
typedef struct
{
  Reduction reduction;
  PhDType dtype, index_dtype;
  gint64 size, along; /* of the axis that is indexed, and its stride      */
  gint64 step;        /* of @to for each update, apart from the index     */
} Line;

/* Scatters floats, the most frequent type, without a call per element. */
static gboolean
scatter_floats (const Line *line, gsize n, float *to, const gint64 *picked, const float *from, gint64 *wrong)
{
  const gint64 size = line->size, along = line->along, step = line->step;
  const gboolean adds = line->reduction == REDUCE_ADD;

  for (gsize k = 0; k < n; k++, to += step)
    {
      const gint64 at = picked[k] < 0 ? picked[k] + size : picked[k];
      float *place;

      if (at < 0 || at >= size)
        return *wrong = picked[k], FALSE;
      place = to + at * along;
      *place = adds ? *place + from[k] : from[k];
    }
  return TRUE;
}

/* Scatters updates @i to @i + @n. Returns FALSE if index @wrong is out of range. */
static gboolean
scatter_line (const Line *line, gsize n, gpointer to, gint64 offset, gconstpointer picked, gconstpointer from, gsize i,
              gint64 *wrong)
{
  if (line->dtype == PH_FLOAT && line->index_dtype == PH_INT64 && line->reduction <= REDUCE_ADD)
    return scatter_floats (line, n, (float *) to + offset, (const gint64 *) picked + i, (const float *) from + i, wrong);
  for (gsize k = 0; k < n; k++, i++, offset += line->step)
    {
      const gint64 at = ph_dtype_load_int (line->index_dtype, picked, i);

      if (at < -line->size || at >= line->size)
        return *wrong = at, FALSE;
      combine (line->reduction, line->dtype, to, (gsize) (offset + (at < 0 ? at + line->size : at) * line->along), from, i);
    }
  return TRUE;
}

static gboolean
run_scatter_elements (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1), *updates = ph_kernel_input (kernel, 2);
  Reduction reduction = reduction_of (kernel->node);
  PhDType dtype = ph_tensor_dtype (x), index_dtype = ph_tensor_dtype (indices);
  const gint64 *dims = ph_tensor_dims (indices), *x_dims = ph_tensor_dims (x);
  guint rank = ph_tensor_rank (x), axis;
  gint64 strides[PH_MAX_RANK], along, step, line, wrong;
  gconstpointer from, picked;
  gpointer to;
  gsize i = 0;
  PhWalk walk;

  if (!may_reduce (kernel, reduction, error))
    return FALSE;
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis) || ph_tensor_rank (indices) != rank
      || ph_tensor_rank (updates) != rank || memcmp (dims, ph_tensor_dims (updates), rank * sizeof (gint64)) != 0)
    return ph_kernel_fail (kernel, error, "indices and updates must have one shape, of data's rank %u", rank);
  for (guint k = 0; k < rank; k++)
    if (k != axis && dims[k] > x_dims[k])
      return ph_kernel_fail (kernel, error, "indices are larger than data on axis %u", k);
  to = copy_of_data (kernel, error);
  if (to == NULL)
    return FALSE;
  if (ph_tensor_count (indices) > 0)
    {
      from = ph_tensor_data (updates);
      picked = ph_tensor_data (indices);
      ph_strides (rank, x_dims, strides);
      along = strides[axis];
      strides[axis] = 0;
      step = strides[rank - 1];
      line = dims[rank - 1];
      ph_walk_init (&walk, rank - 1, dims);
      ph_walk_add_strided (&walk, strides);
      do
        {
          if (!scatter_line (&(Line) { reduction, dtype, index_dtype, x_dims[axis], along, step }, (gsize) line, to,
                             walk.offset[0], picked, from, i, &wrong))
            return ph_kernel_own_strings (kernel, 0),
                   ph_kernel_fail (kernel, error,
                                   "index %" G_GINT64_FORMAT " is outside the %" G_GINT64_FORMAT " elements of axis %u", wrong,
                                   x_dims[axis], axis);
          i += (gsize) line;
        }
      while (ph_walk_next (&walk));
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* Reads @value at the positions of the updates. */
static PhValue *
read_places (PhGrad *grad, PhValue *value)
{
  if (ph_node_is (grad->node, &ph_op_ScatterND))
    return PH_BUILD (grad->b, GatherND, value, ph_grad_in (grad, 1));
  return PH_BUILD_WITH (grad->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", ph_node_attr_int (grad->node, "axis", 0))),
                        value, ph_grad_in (grad, 1));
}

static PhValue *
write_places (PhGrad *grad, PhValue *data, PhValue *updates, const char *reduction)
{
  if (ph_node_is (grad->node, &ph_op_ScatterND))
    return PH_BUILD_WITH (grad->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", reduction)), data, ph_grad_in (grad, 1),
                          updates);
  return PH_BUILD_WITH (
      grad->b, ScatterElements,
      PH_ATTRS (ph_attr_new_int ("axis", ph_node_attr_int (grad->node, "axis", 0)), ph_attr_new_string ("reduction", reduction)),
      data, ph_grad_in (grad, 1), updates);
}

static PhValue *
as_number (PhGrad *grad, PhValue *condition)
{
  return PH_BUILD_WITH (grad->b, Cast, PH_ATTRS (ph_attr_new_int ("to", grad->dy[0]->type->dtype)), condition);
}

/* Gradient of a scatter by max or min: all elements equal to the extreme share it evenly. */
static gboolean
grad_scatter_most (PhGrad *grad)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *u = ph_grad_in (grad, 2), *y = ph_grad_out (grad, 0);
  PhValue *is_x = as_number (grad, PH_BUILD (b, Equal, x, y)),
          *is_u = as_number (grad, PH_BUILD (b, Equal, u, read_places (grad, y)));
  PhValue *count = PH_BUILD (b, Max, write_places (grad, is_x, is_u, "add"), ph_grad_like (grad, x, 1));
  PhValue *share = PH_BUILD (b, Div, grad->dy[0], count);

  grad->dx[0] = PH_BUILD (b, Mul, share, is_x);
  grad->dx[2] = PH_BUILD (b, Mul, read_places (grad, share), is_u);
  return TRUE;
}

/* The gradient for one factor: dY times the product divided by the factor; if the factor is the only zero, times the product of the others;
 * if there are more zeros, 0. */
static PhValue *
other_factors (PhGrad *grad, PhValue *factor, PhValue *all, PhValue *of_others, PhValue *n_zeros)
{
  PhBuilder *b = grad->b;
  PhValue *zero = ph_grad_like (grad, factor, 0), *one = ph_grad_like (grad, factor, 1),
          *is_zero = PH_BUILD (b, Equal, factor, zero);
  PhValue *alone = PH_BUILD (b, Where, PH_BUILD (b, Equal, n_zeros, one), of_others, zero);

  return PH_BUILD (b, Where, is_zero, alone, PH_BUILD (b, Div, all, PH_BUILD (b, Where, is_zero, one, factor)));
}

static gboolean
grad_scatter_mul (PhGrad *grad)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *u = ph_grad_in (grad, 2), *zero = ph_grad_like (grad, x, 0),
          *one = ph_grad_like (grad, x, 1);
  PhValue *x_is_zero = PH_BUILD (b, Equal, x, zero), *u_is_zero = PH_BUILD (b, Equal, u, zero);
  PhValue *n_zeros = write_places (grad, as_number (grad, x_is_zero), as_number (grad, u_is_zero), "add");
  PhValue *others = PH_BUILD (
      b, Mul, grad->dy[0],
      write_places (grad, PH_BUILD (b, Where, x_is_zero, one, x), PH_BUILD (b, Where, u_is_zero, one, u), "mul"));
  PhValue *all = PH_BUILD (b, Mul, grad->dy[0], ph_grad_out (grad, 0));

  grad->dx[0] = other_factors (grad, x, all, others, n_zeros);
  grad->dx[2] = other_factors (grad, u, read_places (grad, all), read_places (grad, others), read_places (grad, n_zeros));
  return TRUE;
}

static gboolean
grad_scatter_elements (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  Reduction reduction = reduction_of (grad->node);
  gint64 axis = ph_node_attr_int (grad->node, "axis", 0);
  PhValue *indices = ph_grad_in (grad, 1), *updates = ph_grad_in (grad, 2), *dy = grad->dy[0];

  if (reduction > REDUCE_ADD)
    return reduction == REDUCE_MUL ? grad_scatter_mul (grad) : grad_scatter_most (grad);
  if (grad->wanted[2])
    grad->dx[2] = PH_BUILD_WITH (b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), dy, indices);
  if (grad->wanted[0] && reduction == REDUCE_ADD)
    grad->dx[0] = dy;
  else if (grad->wanted[0])
    grad->dx[0] = PH_BUILD_WITH (b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), dy, indices,
                                 ph_grad_zeros_like (grad, updates));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ScatterElements = {
  .name = "ScatterElements", .since = 18,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "axis", "reduction" },
  .example = { "x[3,2] u[2,2]", "i = Constant <value = int64[2,2] {0, 2, 1, 0}> () y = ScatterElements (x, i, u)", -1, 1 },
  .doc = "Writes (or adds, ...) each update at its own place, with the coordinate on one axis replaced by the index.",
  .inputs = { { "data", 'T', PH_ANY }, { "indices", 0, PH_INDICES, PH_ARG_INDEX }, { "updates", 'T', PH_ANY } },
  .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "0" }, { "reduction", PH_ATTR_STRING, "\"none\"", .words = REDUCTIONS } },
  .infer = infer_scatter, .kernel = run_scatter_elements, .grad_build = grad_scatter_elements, .no_grad = 1 << 1,
  .grad_text = "ddata = dY, zero at indices; dupdates = dY at indices",
};
/* clang-format on */

static gboolean
run_scatter_nd (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1), *updates = ph_kernel_input (kernel, 2);
  Reduction reduction = reduction_of (kernel->node);
  PhDType dtype = ph_tensor_dtype (x);
  guint rank = ph_tensor_rank (x), i_rank = ph_tensor_rank (indices);
  const gint64 *dims = ph_tensor_dims (x), *i_dims = ph_tensor_dims (indices);
  gint64 tuple = i_rank > 0 ? i_dims[i_rank - 1] : 0, n_tuples, inner;
  gsize size = ph_dtype_size (dtype), n_picked;
  g_autofree gint64 *picked = NULL;
  gconstpointer from;
  gpointer to;

  if (!may_reduce (kernel, reduction, error))
    return FALSE;
  if (i_rank == 0 || tuple > rank)
    return ph_kernel_fail (kernel, error, "index tuples of %" G_GINT64_FORMAT " do not fit data of rank %u", tuple, rank);
  n_tuples = ph_dims_product (i_dims, 0, i_rank - 1);
  inner = ph_dims_product (dims, tuple, rank);
  if (ph_tensor_rank (updates) != i_rank - 1 + rank - tuple
      || memcmp (ph_tensor_dims (updates), i_dims, (i_rank - 1) * sizeof (gint64)) != 0
      || memcmp (ph_tensor_dims (updates) + i_rank - 1, dims + tuple, (rank - tuple) * sizeof (gint64)) != 0)
    return ph_kernel_fail (kernel, error,
                           "updates must have the shape of the indices, without their last dimension, and then that of a "
                           "slice of data");
  to = copy_of_data (kernel, error);
  if (to == NULL)
    return FALSE;
  picked = ph_kernel_ints (kernel, 1, &n_picked);
  from = ph_tensor_data (updates);
  for (gint64 k = 0; k < n_tuples; k++)
    {
      gint64 at = 0;

      for (gint64 t = 0; t < tuple; t++)
        {
          gint64 index = picked[k * tuple + t];

          if (index < -dims[t] || index >= dims[t])
            return ph_kernel_own_strings (kernel, 0),
                   ph_kernel_fail (kernel, error,
                                   "index %" G_GINT64_FORMAT " is outside the %" G_GINT64_FORMAT
                                   " elements of axis %" G_GINT64_FORMAT,
                                   index, dims[t], t);
          at = at * dims[t] + (index < 0 ? index + dims[t] : index);
        }
      if (reduction == REDUCE_NONE && inner > 0)
        memcpy ((char *) to + at * inner * size, (const char *) from + k * inner * size, inner * size);
      else
        for (gint64 i = 0; i < inner; i++)
          combine (reduction, dtype, to, at * inner + i, from, k * inner + i);
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_scatter_nd (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  Reduction reduction = reduction_of (grad->node);
  PhValue *indices = ph_grad_in (grad, 1), *updates = ph_grad_in (grad, 2), *dy = grad->dy[0];

  if (reduction > REDUCE_ADD)
    return reduction == REDUCE_MUL ? grad_scatter_mul (grad) : grad_scatter_most (grad);
  if (grad->wanted[2])
    grad->dx[2] = PH_BUILD (b, GatherND, dy, indices);
  if (grad->wanted[0])
    grad->dx[0] = reduction == REDUCE_ADD ? dy : PH_BUILD (b, ScatterND, dy, indices, ph_grad_zeros_like (grad, updates));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ScatterND = {
  .name = "ScatterND", .since = 18,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "reduction" },
  .example = { "x[4,2] u[2,2]", "i = Constant <value = int64[2,1] {3, 1}> () y = ScatterND (x, i, u)", -1, 1 },
  .doc = "Writes (or adds, ...) slices at the places that tuples of indices name.",
  .inputs = { { "data", 'T', PH_ANY }, { "indices", 0, PH_T (INT64), PH_ARG_INDEX }, { "updates", 'T', PH_ANY } },
  .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "reduction", PH_ATTR_STRING, "\"none\"", .words = REDUCTIONS } },
  .infer = infer_scatter, .kernel = run_scatter_nd, .grad_build = grad_scatter_nd, .no_grad = 1 << 1,
  .grad_text = "ddata = dY, zero at indices; dupdates = dY at indices",
};
/* clang-format on */

/* ── TensorScatter: the cache of a decoder ── */

static gboolean
run_tensor_scatter (PhKernel *kernel, GError **error)
{
  PhTensor *cache = ph_kernel_input (kernel, 0), *update = ph_kernel_input (kernel, 1);
  gboolean circular = g_str_equal (ph_node_attr_string (kernel->node, "mode", "linear"), "circular");
  guint rank = ph_tensor_rank (cache), axis;
  const gint64 *dims = ph_tensor_dims (cache), *new_dims = ph_tensor_dims (update);
  gsize size = ph_dtype_size (ph_tensor_dtype (cache)), n_starts, inner;
  g_autofree gint64 *starts = NULL;
  gint64 outer, length;
  const char *from;
  char *to;

  if (ph_tensor_rank (update) != rank || !ph_axis (ph_node_attr_int (kernel->node, "axis", -2), rank, &axis) || axis == 0
      || ph_tensor_dtype (update) != ph_tensor_dtype (cache))
    return ph_kernel_fail (kernel, error, "cache and update must have the same rank and type, and axis must not be the batch");
  for (guint i = 0; i < rank; i++)
    if (i != axis && dims[i] != new_dims[i])
      return ph_kernel_fail (kernel, error, "cache and update differ on axis %u", i);
  starts = ph_kernel_ints (kernel, 2, &n_starts);
  if (starts != NULL && (gint64) n_starts != dims[0])
    return ph_kernel_fail (kernel, error, "%zu write indices for a batch of %" G_GINT64_FORMAT, n_starts, dims[0]);
  to = copy_of_data (kernel, error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (update);
  length = new_dims[axis];
  outer = ph_dims_product (dims, 1, axis);
  inner = ph_dims_product (dims, axis + 1, rank) * size;
  for (gint64 n = 0; n < dims[0]; n++)
    for (gint64 i = 0; i < length; i++)
      {
        gint64 at = (starts != NULL ? starts[n] : 0) + i;

        if (circular && dims[axis] > 0)
          at = ((at % dims[axis]) + dims[axis]) % dims[axis];
        if (at < 0 || at >= dims[axis])
          return ph_kernel_own_strings (kernel, 0),
                 ph_kernel_fail (kernel, error, "position %" G_GINT64_FORMAT " is outside the cache's %" G_GINT64_FORMAT, at,
                                 dims[axis]);
        for (gint64 k = 0; k < outer; k++)
          memcpy (to + ((n * outer + k) * dims[axis] + at) * inner, from + ((n * outer + k) * length + i) * inner, inner);
      }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* TensorScatter applied to the positions of the update gives the source of each element; the number of positions marks elements of the
 * cache that stay. */
static gboolean
grad_tensor_scatter (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *cache = ph_grad_in (grad, 0), *update = ph_grad_in (grad, 1), *dy = grad->dy[0];
  PhValue *flat = ph_build_ints (b, (gint64[]) { -1 }, 1), *one = ph_build_scalar (b, PH_INT64, 1),
          *n = ph_grad_size (grad, update);
  PhValue *inputs[3] = { NULL, NULL, ph_grad_in (grad, 2) }, *from, *stays, *sums;
  gint64 axis = ph_node_attr_int (grad->node, "axis", -2);
  const char *mode = ph_node_attr_string (grad->node, "mode", "linear");

  inputs[0] = PH_BUILD (b, Expand, n, ph_grad_shape (grad, cache));
  inputs[1] = ph_grad_reshape_like (grad, PH_BUILD (b, Range, ph_build_scalar (b, PH_INT64, 0), n, one), update);
  from = ph_build_node (b, &ph_op_TensorScatter, inputs, 3,
                        PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("mode", mode)), 1);
  stays = PH_BUILD (b, Equal, from, n);
  if (grad->wanted[0])
    grad->dx[0] = PH_BUILD (b, Where, stays, dy, ph_grad_like (grad, cache, 0));
  if (grad->wanted[1])
    {
      PhValue *length = PH_BUILD (b, Reshape, n, flat), *more = PH_BUILD (b, Add, length, one);

      sums = PH_BUILD (b, Expand, ph_grad_like (grad, update, 0), more);
      sums = PH_BUILD_WITH (b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_string ("reduction", "add")),
                            sums, PH_BUILD (b, Reshape, from, flat), PH_BUILD (b, Reshape, dy, flat));
      sums = PH_BUILD (b, Slice, sums, ph_build_ints (b, (gint64[]) { 0 }, 1), length);
      grad->dx[1] = ph_grad_reshape_like (grad, sums, update);
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_TensorScatter = {
  .name = "TensorScatter", .since = 24,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Writes new entries into a cache along its sequence axis, each batch at its own position.",
  .inputs = { { "past_cache", 'T', PH_ANY }, { "update", 'T', PH_ANY }, { "write_indices", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
  .outputs = { { "present_cache", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "-2" }, { "mode", PH_ATTR_STRING, "\"linear\"", .words = "linear|circular" } },
  .infer = ph_infer_same_as_input, .kernel = run_tensor_scatter, .grad_build = grad_tensor_scatter, .no_grad = 1 << 2,
  .grad_text = "dpast_cache = dY, zero where written; dupdate = dY where written",
};
/* clang-format on */
