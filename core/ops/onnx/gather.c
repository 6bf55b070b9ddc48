/* gather.c: Gather and its relatives: elements picked by indices.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

/* ── Gather ── */

static gboolean
infer_gather (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0), *indices = ph_infer_type (infer, 1);
  g_autofree gint64 *picked = NULL;
  PhDim dims[2 * PH_MAX_RANK];
  const PhDim *held;
  guint axis, n = 0;
  gsize n_picked;
  int n_held;

  if (type == NULL)
    return TRUE;
  if (!ph_axis (ph_node_attr_int (ph_infer_node_of (infer), "axis", 0), type->rank, &axis))
    return ph_infer_fail (infer, error, "axis is outside the input's rank %u", type->rank);
  if (indices == NULL || !indices->has_rank)
    {
      ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
      return TRUE;
    }
  if (type->rank + indices->rank - 1 > PH_MAX_RANK)
    return ph_infer_fail (infer, error, "the output would have more than %d dimensions", PH_MAX_RANK);
  for (guint i = 0; i < axis; i++)
    dims[n++] = type->dims[i];
  for (guint i = 0; i < indices->rank; i++)
    dims[n++] = indices->dims[i];
  for (guint i = axis + 1; i < type->rank; i++)
    dims[n++] = type->dims[i];
  ph_infer_set_shape (infer, 0, type->dtype, n, dims);

  n_held = ph_infer_dims (infer, 0, &held);
  if (n_held >= 0 && type->rank == 1 && indices->rank <= 1 && ph_infer_ints (infer, 1, &picked, &n_picked)
      && n_picked <= PH_MAX_RANK)
    {
      for (gsize i = 0; i < n_picked; i++)
        {
          gint64 at = picked[i] < 0 ? picked[i] + n_held : picked[i];

          if (at < 0 || at >= n_held)
            return ph_infer_fail (infer, error, "index %" G_GINT64_FORMAT " is outside the %d elements", picked[i], n_held);
          dims[i] = held[at];
        }
      ph_infer_set_dims (infer, 0, dims, n_picked);
    }
  return TRUE;
}

static gboolean
run_gather (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1);
  const gint64 *from_dims = ph_tensor_dims (x);
  guint rank = ph_tensor_rank (x), axis, n = 0;
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), n_picked, inner;
  g_autofree gint64 *picked = NULL;
  gint64 dims[2 * PH_MAX_RANK], outer;
  const char *from;
  char *to;

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis) || rank + ph_tensor_rank (indices) - 1 > PH_MAX_RANK)
    return ph_kernel_fail (kernel, error, "axis is outside the input's rank %u", rank);
  for (guint i = 0; i < axis; i++)
    dims[n++] = from_dims[i];
  for (guint i = 0; i < ph_tensor_rank (indices); i++)
    dims[n++] = ph_tensor_dims (indices)[i];
  for (guint i = axis + 1; i < rank; i++)
    dims[n++] = from_dims[i];
  picked = ph_kernel_ints (kernel, 1, &n_picked);
  for (gsize i = 0; i < n_picked; i++)
    {
      gint64 at = picked[i] < 0 ? picked[i] + from_dims[axis] : picked[i];

      if (at < 0 || at >= from_dims[axis])
        return ph_kernel_fail (kernel, error,
                               "index %" G_GINT64_FORMAT " is outside the %" G_GINT64_FORMAT " elements of axis %u", picked[i],
                               from_dims[axis], axis);
      picked[i] = at;
    }
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), n, dims, error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (x);
  outer = ph_dims_product (from_dims, 0, axis);
  inner = ph_dims_product (from_dims, axis + 1, rank) * size;
  if (inner > 0)
    for (gint64 k = 0; k < outer; k++)
      for (gsize i = 0; i < n_picked; i++, to += inner)
        memcpy (to, from + (k * from_dims[axis] + picked[i]) * inner, inner);
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* Adds the slices of dY at the places that they were gathered from. With the gathered axis moved to the front, one ScatterND does it. */
static gboolean
grad_gather (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *indices = ph_grad_in (grad, 1), *dy = grad->dy[0], *shape, *zeros, *rows;
  guint axis, q;
  gint64 there[PH_MAX_RANK], back[PH_MAX_RANK], out[2 * PH_MAX_RANK];
  float zero = 0;

  if (x->type == NULL || !x->type->has_rank || indices->type == NULL || !indices->type->has_rank
      || !ph_axis (ph_node_attr_int (grad->node, "axis", 0), x->type->rank, &axis))
    return ph_grad_moved (grad, 0);
  rows = PH_BUILD (b, Unsqueeze, ph_build_as (b, indices, PH_INT64), ph_build_ints (b, (gint64[]) { -1 }, 1));
  if (axis == 0)
    {
      zeros = ph_grad_zeros_like (grad, x);
      grad->dx[0] = PH_BUILD_WITH (b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", "add")), zeros, rows, dy);
      return TRUE;
    }
  q = indices->type->rank;
  for (guint i = 0; i < x->type->rank; i++) /* axis first, the others after it */
    there[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
  for (guint i = 0; i < x->type->rank; i++)
    back[there[i]] = i;
  for (guint i = 0; i < x->type->rank + q - 1; i++)
    out[i] = i < q ? axis + i : i < q + axis ? i - q : i;
  dy = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", out, x->type->rank + q - 1)), dy);
  shape = PH_BUILD (b, Gather, ph_grad_shape (grad, x), ph_build_ints (b, there, x->type->rank));
  zeros = PH_BUILD (b, Expand, ph_grad_like (grad, x, zero), shape);
  grad->dx[0] = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", back, x->type->rank)),
                               PH_BUILD_WITH (b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", "add")), zeros, rows, dy));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Gather = {
  .name = "Gather", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "axis" },
  .example = { "x[4,3]", "i = Constant <value = int64[2,2] {0, -1, 3, 0}> () y = Gather (x, i)", -1, 1 },
  .doc = "Picks slices along one axis by their indices; negative ones count from the end.",
  .inputs = { { "data", 'T', PH_ANY }, { "indices", 0, PH_INDICES, PH_ARG_INDEX } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "0" } },
  .infer = infer_gather, .kernel = run_gather, .grad_build = grad_gather, .no_grad = 1 << 1,
  .grad_text = "ddata = dY added into zeros at indices",
};
/* clang-format on */

/* ── GatherElements ── */

static gboolean
infer_gather_elements (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0), *indices = ph_infer_type (infer, 1);
  guint axis;

  if (type == NULL)
    return TRUE;
  if (indices == NULL)
    {
      ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
      return TRUE;
    }
  if (type->has_rank && indices->has_rank
      && (type->rank != indices->rank || !ph_axis (ph_node_attr_int (ph_infer_node_of (infer), "axis", 0), type->rank, &axis)))
    return ph_infer_fail (infer, error, "data has rank %u, indices %u; they must agree and axis lie inside", type->rank,
                          indices->rank);
  ph_infer_set (infer, 0, ph_type_with_dtype (indices, type->dtype));
  return TRUE;
}

/* One line of the result: element i is that at @from + i @step + @along times its index. Returns how many indices are inside @length. */
/* clang-format off */
#define PICK_LINE(name_, type_)                                                                                             \
  static gsize name_ (type_ *to, const type_ *from, const gint64 *at, gsize n, gint64 step, gint64 along, gint64 length)    \
  {                                                                                                                         \
    gsize i;                                                                                                                \
    for (i = 0; i < n; i++)                                                                                                 \
      {                                                                                                                     \
        const gint64 k = at[i] < 0 ? at[i] + length : at[i];                                                                \
        if ((guint64) k >= (guint64) length)                                                                                \
          break;                                                                                                            \
        to[i] = from[(gint64) i * step + k * along];                                                                        \
      }                                                                                                                     \
    return i;                                                                                                               \
  }
/* clang-format on */

PICK_LINE (pick_words, guint32)
PICK_LINE (pick_longs, guint64)

/* Gathers line by line what has 4 or 8 bytes. Returns FALSE for others, or at an index that is outside. */
static gboolean
gather_lines (PhTensor *x, PhTensor *indices, guint axis, const gint64 *strides, gpointer to)
{
  const guint last = ph_tensor_rank (x) - 1;
  const gint64 *dims = ph_tensor_dims (indices), length = ph_tensor_dims (x)[axis];
  const gint64 step = last == axis ? 0 : strides[last], along = strides[axis];
  const gsize n = (gsize) dims[last], size = ph_dtype_size (ph_tensor_dtype (x));
  const gint64 *at = ph_tensor_data (indices);
  const char *from = ph_tensor_data (x);
  char *out = to;
  gint64 steps[PH_MAX_RANK];
  PhWalk walk;

  if (ph_tensor_dtype (x) == PH_STRING || ph_tensor_dtype (indices) != PH_INT64 || (size != 4 && size != 8))
    return FALSE;
  memcpy (steps, strides, (last + 1) * sizeof *steps);
  steps[axis] = 0;
  ph_walk_init (&walk, last, dims); /* all axes but the last one */
  ph_walk_add_strided (&walk, steps);
  do
    {
      const char *line = from + walk.offset[0] * (gint64) size;
      const gsize done = size == 8 ? pick_longs ((guint64 *) out, (const guint64 *) line, at, n, step, along, length)
                                   : pick_words ((guint32 *) out, (const guint32 *) line, at, n, step, along, length);

      if (done < n)
        return FALSE;
      out += n * size;
      at += n;
    }
  while (ph_walk_next (&walk));
  return TRUE;
}

static gboolean
run_gather_elements (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1);
  const gint64 *dims = ph_tensor_dims (indices), *from_dims = ph_tensor_dims (x);
  guint rank = ph_tensor_rank (x), axis;
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), i = 0;
  gint64 strides[PH_MAX_RANK], along;
  gconstpointer from, picked;
  gpointer to;
  PhWalk walk;

  if (ph_tensor_rank (indices) != rank || !ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis))
    return ph_kernel_fail (kernel, error, "data has rank %u, indices %u; they must agree and axis lie inside", rank,
                           ph_tensor_rank (indices));
  for (guint k = 0; k < rank; k++)
    if (k != axis && dims[k] > from_dims[k])
      return ph_kernel_fail (kernel, error, "indices are larger than data on axis %u", k);
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (to == NULL)
    return FALSE;
  if (ph_tensor_count (indices) == 0)
    return TRUE;
  from = ph_tensor_data (x);
  picked = ph_tensor_data (indices);
  ph_strides (rank, from_dims, strides);
  if (gather_lines (x, indices, axis, strides, to))
    return TRUE;
  along = strides[axis];
  strides[axis] = 0;
  ph_walk_init (&walk, rank, dims);
  ph_walk_add_strided (&walk, strides);
  do
    {
      gint64 at = ph_dtype_load_int (ph_tensor_dtype (indices), picked, i);

      if (at < 0)
        at += from_dims[axis];
      if (at < 0 || at >= from_dims[axis])
        return ph_kernel_own_strings (kernel, 0),
               ph_kernel_fail (kernel, error,
                               "index %" G_GINT64_FORMAT " is outside the %" G_GINT64_FORMAT " elements of axis %u", at,
                               from_dims[axis], axis);
      ph_move (to, i++, from, walk.offset[0] + at * along, size);
    }
  while (ph_walk_next (&walk));
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_gather_elements (PhGrad *grad, GError **error)
{
  gint64 axis = ph_node_attr_int (grad->node, "axis", 0);

  grad->dx[0] = PH_BUILD_WITH (grad->b, ScatterElements,
                               PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("reduction", "add")),
                               ph_grad_zeros_like (grad, ph_grad_in (grad, 0)), ph_grad_in (grad, 1), grad->dy[0]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_GatherElements = {
  .name = "GatherElements", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "axis" },
  .example = { "x[2,3]", "i = Constant <value = int64[2,2] {0, 2, -1, 2}> () y = GatherElements <axis = 1> (x, i)", -1, 1 },
  .doc = "Picks one element for each index; the index replaces the coordinate on one axis.",
  .inputs = { { "data", 'T', PH_ANY }, { "indices", 0, PH_INDICES, PH_ARG_INDEX } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "0" } },
  .infer = infer_gather_elements, .kernel = run_gather_elements, .grad_build = grad_gather_elements, .no_grad = 1 << 1,
  .grad_text = "ddata = dY added into zeros at indices",
};
/* clang-format on */

/* ── GatherND ── */

static gboolean
infer_gather_nd (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0), *indices = ph_infer_type (infer, 1);
  gint64 batch = ph_node_attr_int (ph_infer_node_of (infer), "batch_dims", 0), tuple;
  PhDim dims[2 * PH_MAX_RANK];
  guint n = 0;

  if (type == NULL)
    return TRUE;
  if (indices == NULL || !indices->has_rank || indices->rank == 0 || !ph_dim_known (indices->dims[indices->rank - 1]))
    {
      ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
      return TRUE;
    }
  tuple = indices->dims[indices->rank - 1].size;
  if (batch < 0 || batch >= MIN (type->rank, indices->rank) || tuple + batch > type->rank
      || indices->rank - 1 + type->rank - tuple - batch > PH_MAX_RANK)
    return ph_infer_fail (infer, error, "index tuples of %" G_GINT64_FORMAT " do not fit data of rank %u", tuple, type->rank);
  for (guint i = 0; i < indices->rank - 1; i++)
    dims[n++] = indices->dims[i];
  for (guint i = batch + tuple; i < type->rank; i++)
    dims[n++] = type->dims[i];
  ph_infer_set_shape (infer, 0, type->dtype, n, dims);
  return TRUE;
}

static gboolean
run_gather_nd (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1);
  guint rank = ph_tensor_rank (x), i_rank = ph_tensor_rank (indices), n = 0;
  gint64 batch = ph_node_attr_int (kernel->node, "batch_dims", 0), tuple, per_batch, n_tuples, batch_size;
  const gint64 *from_dims = ph_tensor_dims (x), *i_dims = ph_tensor_dims (indices);
  gsize inner, size = ph_dtype_size (ph_tensor_dtype (x)), n_picked;
  g_autofree gint64 *picked = NULL;
  gint64 dims[2 * PH_MAX_RANK];
  const char *from;
  char *to;

  tuple = i_rank > 0 ? i_dims[i_rank - 1] : 0;
  if (batch < 0 || i_rank == 0 || batch >= MIN (rank, i_rank) || tuple + batch > rank
      || i_rank - 1 + rank - tuple - batch > PH_MAX_RANK)
    return ph_kernel_fail (kernel, error, "index tuples of %" G_GINT64_FORMAT " do not fit data of rank %u", tuple, rank);
  for (guint i = 0; i < i_rank - 1; i++)
    {
      if (i < batch && i_dims[i] != from_dims[i])
        return ph_kernel_fail (kernel, error, "batch dimension %u differs between data and indices", i);
      dims[n++] = i_dims[i];
    }
  for (guint i = batch + tuple; i < rank; i++)
    dims[n++] = from_dims[i];
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), n, dims, error);
  if (to == NULL)
    return FALSE;
  picked = ph_kernel_ints (kernel, 1, &n_picked);
  from = ph_tensor_data (x);
  inner = ph_dims_product (from_dims, batch + tuple, rank) * size;
  batch_size = ph_dims_product (from_dims, batch, rank) * size;
  n_tuples = ph_dims_product (i_dims, 0, i_rank - 1);
  per_batch = MAX (1, ph_dims_product (i_dims, batch, i_rank - 1));
  for (gint64 k = 0; k < n_tuples; k++, to += inner)
    {
      gint64 at = 0;

      for (gint64 t = 0; t < tuple; t++)
        {
          gint64 dim = from_dims[batch + t], index = picked[k * tuple + t];

          if (index < -dim || index >= dim)
            return ph_kernel_own_strings (kernel, 0),
                   ph_kernel_fail (kernel, error,
                                   "index %" G_GINT64_FORMAT " is outside the %" G_GINT64_FORMAT
                                   " elements of axis %" G_GINT64_FORMAT,
                                   index, dim, batch + t);
          at = at * dim + (index < 0 ? index + dim : index);
        }
      memcpy (to, from + k / per_batch * batch_size + at * inner, inner);
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_gather_nd (PhGrad *grad, GError **error)
{
  if (ph_node_attr_int (grad->node, "batch_dims", 0) != 0)
    return ph_grad_moved (grad, 0);
  grad->dx[0] = PH_BUILD_WITH (grad->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", "add")),
                               ph_grad_zeros_like (grad, ph_grad_in (grad, 0)), ph_grad_in (grad, 1), grad->dy[0]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_GatherND = {
  .name = "GatherND", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[2,3,2]", "i = Constant <value = int64[3,2] {0, 2, 1, 0, 1, 0}> () y = GatherND (x, i)", -1, 1 },
  .doc = "Picks slices by tuples of indices, which are the last axis of the indices.",
  .inputs = { { "data", 'T', PH_ANY }, { "indices", 0, PH_T (INT64), PH_ARG_INDEX } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "batch_dims", PH_ATTR_INT, "0" } },
  .infer = infer_gather_nd, .kernel = run_gather_nd, .grad_build = grad_gather_nd, .no_grad = 1 << 1,
  .grad_text = "ddata = dY added into zeros at indices",
};
/* clang-format on */

/* ── Compress ── */

gboolean
ph_infer_picked (PhInfer *infer, PhDim *size, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  PhAttr *axis = ph_node_attr (ph_infer_node_of (infer), "axis");
  PhDim dims[PH_MAX_RANK] = { PH_DIM_UNKNOWN };
  guint normal;

  if (type == NULL)
    return TRUE;
  if (axis == NULL)
    ph_infer_set_shape (infer, 0, type->dtype, 1, dims);
  else if (!type->has_rank)
    ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
  else if (!ph_axis (axis->i, type->rank, &normal))
    return ph_infer_fail (infer, error, "axis %" G_GINT64_FORMAT " is outside the input's rank %u", axis->i, type->rank);
  else
    {
      memcpy (dims, type->dims, type->rank * sizeof (PhDim));
      *size = dims[normal];
      dims[normal] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
    }
  return TRUE;
}

static gboolean
infer_compress (PhInfer *infer, GError **error)
{
  PhDim size;

  return ph_infer_picked (infer, &size, error);
}

static gboolean
run_compress (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *condition = ph_kernel_input (kernel, 1);
  PhAttr *given = ph_node_attr (kernel->node, "axis");
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), inner;
  guint rank = given != NULL ? ph_tensor_rank (x) : 1, axis = 0;
  gint64 dims[PH_MAX_RANK], count = ph_tensor_count (x), whole, length, outer;
  const guint8 *keep = ph_tensor_data (condition);
  const char *from = ph_tensor_data (x);
  char *to;

  if (given != NULL && !ph_axis (given->i, rank, &axis))
    return ph_kernel_fail (kernel, error, "axis %" G_GINT64_FORMAT " is outside the input's rank %u", given->i, rank);
  memcpy (dims, given != NULL ? ph_tensor_dims (x) : &count, rank * sizeof (gint64));
  whole = dims[axis];
  length = MIN (whole, (gint64) ph_tensor_count (condition));
  dims[axis] = 0;
  for (gint64 i = 0; i < length; i++)
    dims[axis] += keep[i] != 0;
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (to == NULL)
    return FALSE;
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank) * size;
  for (gint64 k = 0; k < outer; k++)
    for (gint64 i = 0; i < length; i++)
      if (keep[i])
        {
          memcpy (to, from + (k * whole + i) * inner, inner);
          to += inner;
        }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_compress (PhGrad *grad, GError **error)
{
  return ph_grad_moved (grad, 0);
}

/* clang-format off */
const PhOp ph_op_Compress = {
  .name = "Compress", .since = 11, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[3,2]", "c = Constant <value = bool[3] {1, 0, 1}> () y = Compress <axis = 0> (x, c)", -1, 1 },
  .doc = "Keeps the slices (without axis: the elements) whose condition is true.",
  .inputs = { { "input", 'T', PH_ANY }, { "condition", 0, PH_T (BOOL) } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT } },
  .infer = infer_compress, .kernel = run_compress, .grad_build = grad_compress, .no_grad = 1 << 1,
  .grad_text = "dinput = dY put into zeros where condition holds",
};
/* clang-format on */

/* ── OneHot ── */

static gboolean
infer_one_hot (PhInfer *infer, GError **error)
{
  const PhType *indices = ph_infer_type (infer, 0), *values = ph_infer_type (infer, 2);
  gint64 axis = ph_node_attr_int (ph_infer_node_of (infer), "axis", -1);
  PhDim dims[PH_MAX_RANK + 1], depth = PH_DIM_UNKNOWN;
  const PhDim *held;
  guint normal;
  PhTensor *constant;

  if (values == NULL)
    return TRUE;
  if (indices == NULL || !indices->has_rank || indices->rank >= PH_MAX_RANK)
    {
      ph_infer_set (infer, 0, ph_type_unranked (values->dtype));
      return TRUE;
    }
  if (!ph_axis (axis, indices->rank + 1, &normal))
    return ph_infer_fail (infer, error, "axis %" G_GINT64_FORMAT " is outside the output's rank %u", axis, indices->rank + 1);
  constant = ph_infer_constant (infer, 1);
  if (constant != NULL && ph_tensor_count (constant) == 1)
    depth = PH_DIM (MAX (0, ph_tensor_get_int (constant, 0)));
  else if (ph_infer_dims (infer, 1, &held) == 1)
    depth = held[0];
  for (guint i = 0; i <= indices->rank; i++)
    dims[i] = i < normal ? indices->dims[i] : i == normal ? depth : indices->dims[i - 1];
  ph_infer_set_shape (infer, 0, values->dtype, indices->rank + 1, dims);
  return TRUE;
}

static gboolean
run_one_hot (PhKernel *kernel, GError **error)
{
  PhTensor *indices = ph_kernel_input (kernel, 0), *depth = ph_kernel_input (kernel, 1), *values = ph_kernel_input (kernel, 2);
  gsize size = ph_dtype_size (ph_tensor_dtype (values)), count = ph_tensor_count (indices);
  guint rank = ph_tensor_rank (indices) + 1, axis;
  gint64 dims[PH_MAX_RANK + 1], n, inner;
  gconstpointer from;
  gpointer to;

  if (rank > PH_MAX_RANK || !ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis))
    return ph_kernel_fail (kernel, error, "axis is outside the output's rank %u", rank);
  if (ph_tensor_count (depth) != 1 || ph_tensor_count (values) != 2 || (n = ph_tensor_get_int (depth, 0)) < 0)
    return ph_kernel_fail (kernel, error, "depth must be one number of 0 or more, and values a pair");
  for (guint i = 0; i < rank; i++)
    dims[i] = i < axis ? ph_tensor_dims (indices)[i] : i == axis ? n : ph_tensor_dims (indices)[i - 1];
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (values), rank, dims, error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (values);
  inner = ph_dims_product (dims, axis + 1, rank);
  for (gsize i = 0; i < count * n; i++)
    ph_move (to, i, from, 0, size);
  for (gsize i = 0; i < count; i++)
    {
      gint64 hot = ph_tensor_get_int (indices, i);

      if (hot < 0)
        hot += n;
      if (hot >= 0 && hot < n)
        ph_move (to, (i / inner * n + hot) * inner + i % inner, from, 1, size);
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* The gradient of the on value is the sum of dY where the output is on; that of the off value is the rest of the sum. */
static gboolean
grad_one_hot (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  const PhType *type = ph_grad_in (grad, 2)->type;
  PhTensor *pair = ph_tensor_new (type->dtype, 1, (gint64[]) { 2 });
  gint64 one = 1, axis = ph_node_attr_int (grad->node, "axis", -1);
  PhValue *hot, *sums[2], *parts[2];

  ph_dtype_store (type->dtype, ph_tensor_writable (pair), 1, 1);
  hot = PH_BUILD_WITH (b, OneHot, PH_ATTRS (ph_attr_new_int ("axis", axis)), ph_grad_in (grad, 0), ph_grad_in (grad, 1),
                       ph_build_tensor (b, pair));
  sums[0] = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), grad->dy[0]);
  sums[1] = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), PH_BUILD (b, Mul, grad->dy[0], hot));
  parts[0] = PH_BUILD (b, Reshape, PH_BUILD (b, Sub, sums[0], sums[1]), ph_build_ints (b, &one, 1));
  parts[1] = PH_BUILD (b, Reshape, sums[1], ph_build_ints (b, &one, 1));
  grad->dx[2] = ph_build_node (b, &ph_op_Concat, parts, 2, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_OneHot = {
  .name = "OneHot", .since = 11,
  .family = PH_FAMILY_MOVEMENT, .main_attrs = { "axis" },
  .doc = "For each index a vector of depth elements: the on value at the index, the off value elsewhere.",
  .inputs = { { "indices", 0, PH_NUMBERS, PH_ARG_INDEX }, { "depth", 0, PH_NUMBERS, PH_ARG_SHAPE }, { "values", 'T', PH_ANY } },
  .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "-1" } },
  .infer = infer_one_hot, .kernel = run_one_hot, .grad_build = grad_one_hot, .no_grad = 0x3,
  .grad_text = "dvalues = [sum(dY off the index), sum(dY at the index)]",
};
/* clang-format on */
