/* slice.c: Slice, Pad, CenterCropPad: cut boxes out of a tensor, or extend it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

/* ── Slice ── */

/* Clamps as numpy does. Returns the number of elements. */
static gint64
slice_range (gint64 dim, gint64 *start, gint64 *end, gint64 step)
{
  gint64 low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;

  if (*start < 0)
    *start += dim;
  if (*end < 0)
    *end += dim;
  *start = CLAMP (*start, step > 0 ? 0 : MIN (0, high), high);
  *end = CLAMP (*end, low, high);
  if (step > 0)
    return *end > *start ? (*end - *start - 1) / step + 1 : 0;
  return *start > *end ? (*start - *end - 1) / -step + 1 : 0;
}

/* Returns the size of a slice of @dim. Symbolic bounds are assumed to be inside the tensor, as in every model that runs. But a slice of the
 * last three may find fewer, so a constant size follows from constants only. */
static PhDim
slice_dim (PhDim dim, const gint64 *start, PhDim start_dim, const gint64 *end, PhDim end_dim, const gint64 *step)
{
  PhDim from, to;

  if (start != NULL && end != NULL && step != NULL && *step != 0)
    {
      gint64 s = *start, e = *end, k = MAX (*step, -G_MAXINT64);

      if (ph_dim_known (dim))
        return PH_DIM (slice_range (dim.size, &s, &e, k));
      if (k == -1 && s == -1 && e <= -G_MAXINT32)
        return dim;
    }
  if (step == NULL || *step != 1)
    return PH_DIM_UNKNOWN;
  if (start != NULL && *start < 0 && end != NULL && (*end < 0 || *end >= G_MAXINT32))
    return PH_DIM_UNKNOWN;
  if (start != NULL)
    from = *start >= 0 ? PH_DIM (*start) : ph_dim_sub (dim, PH_DIM (-MAX (*start, -G_MAXINT32)));
  else
    from = start_dim;
  if (end != NULL && *end >= G_MAXINT32)
    to = dim;
  else if (end != NULL && *end < 0)
    to = ph_dim_sub (dim, PH_DIM (-MAX (*end, -G_MAXINT32)));
  else if (end != NULL && !(start != NULL && *start == 0 && ph_dim_known (dim)) && !ph_dim_known (dim))
    return PH_DIM_UNKNOWN; /* min (end, dim) */
  else
    to = end != NULL ? PH_DIM (*end) : end_dim;
  return ph_dim_sub (to, from);
}

/* Returns element @i of @dims as a number, or NULL if it is none. */
static const gint64 *
number_of (const PhDim *dims, int n, gsize i, gint64 *number)
{
  return dims != NULL && (int) i < n && ph_dim_get_int (dims[i], number) ? number : NULL;
}

static gboolean
infer_slice (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0), *starts_type = ph_infer_type (infer, 1);
  const PhDim *starts = NULL, *ends = NULL, *steps = NULL, *held;
  g_autofree gint64 *axes = NULL;
  guint normal[PH_MAX_RANK];
  PhDim dims[PH_MAX_RANK];
  gint64 one = 1, start, end, step;
  int n_starts, n_ends, n_steps, n_held;
  guint64 mask;
  gsize n = 0;

  if (type == NULL)
    return TRUE;
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  n_starts = ph_infer_dims (infer, 1, &starts);
  n_ends = ph_infer_dims (infer, 2, &ends);
  n_steps = ph_infer_dims (infer, 4, &steps);
  if (!ph_infer_has (infer, 3))
    {
      n = MAX (0, MAX (n_starts, n_ends));
      if (n == 0 && starts_type != NULL && ph_type_count (starts_type) > 0)
        n = ph_type_count (starts_type);
      if (n_starts < 0 && n_ends < 0 && (starts_type == NULL || ph_type_count (starts_type) < 0))
        n = type->rank; /* the number of axes is unknown and may be all */
      if (n > type->rank)
        return ph_infer_fail (infer, error, "there are %zu starts or ends for the %u axes", n, type->rank);
      axes = g_new (gint64, n + 1);
      for (gsize i = 0; i < n; i++)
        axes[i] = i;
    }
  else if (!ph_infer_ints (infer, 3, &axes, &n))
    {
      for (guint i = 0; i < type->rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
      return TRUE;
    }
  if ((n_starts >= 0 && (gsize) n_starts != n) || (n_ends >= 0 && (gsize) n_ends != n) || (n_steps >= 0 && (gsize) n_steps != n)
      || !ph_axes (axes, n, type->rank, normal, &mask))
    return ph_infer_fail (
        infer, error, "starts, ends, axes and steps must have one element for each axis of the %u that is sliced", type->rank);
  for (gsize i = 0; i < n; i++)
    {
      const gint64 *by = ph_infer_has (infer, 4) ? number_of (steps, n_steps, i, &step) : &one;

      if (by != NULL && *by == 0)
        return ph_infer_fail (infer, error, "step %zu is 0", i);
      dims[normal[i]] = slice_dim (dims[normal[i]], number_of (starts, n_starts, i, &start),
                                   n_starts >= 0 ? starts[i] : PH_DIM_UNKNOWN, number_of (ends, n_ends, i, &end),
                                   n_ends >= 0 ? ends[i] : PH_DIM_UNKNOWN, by);
    }
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);

  n_held = type->rank <= 2 ? ph_infer_elements (infer, 0, &held) : -1;
  step = 1;
  if (n == 1 && n_held >= 0 && n_held <= PH_MAX_RANK && number_of (starts, n_starts, 0, &start) != NULL
      && number_of (ends, n_ends, 0, &end) != NULL && (!ph_infer_has (infer, 4) || number_of (steps, n_steps, 0, &step) != NULL)
      && (type->rank == 1 || (type->rank == 2 && ph_dim_known (type->dims[1]) && type->dims[1].size > 0)))
    {
      const gint64 columns = type->rank == 2 ? type->dims[1].size : 1, rows = n_held / columns;
      const gboolean of_rows = normal[0] == 0;
      const gint64 count = slice_range (of_rows ? rows : columns, &start, &end, MAX (step, -G_MAXINT64));
      guint n_kept = 0;

      for (gint64 i = 0; i < (of_rows ? count : rows); i++)
        for (gint64 k = 0; k < (of_rows ? columns : count); k++)
          dims[n_kept++] = held[of_rows ? (start + i * step) * columns + k : i * columns + start + k * step];
      ph_infer_set_dims (infer, 0, dims, n_kept);
    }
  return TRUE;
}

static gboolean
run_slice (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  g_autofree gint64 *starts = NULL, *ends = NULL, *axes = NULL, *steps = NULL;
  gsize n, n_ends, n_axes, n_steps, size = ph_dtype_size (ph_tensor_dtype (x));
  guint rank = ph_tensor_rank (x), normal[PH_MAX_RANK];
  gint64 dims[PH_MAX_RANK], from[PH_MAX_RANK], to[PH_MAX_RANK], first = 0;
  guint64 mask;
  gpointer data;

  starts = ph_kernel_ints (kernel, 1, &n);
  ends = ph_kernel_ints (kernel, 2, &n_ends);
  axes = ph_kernel_ints (kernel, 3, &n_axes);
  steps = ph_kernel_ints (kernel, 4, &n_steps);
  if (axes == NULL)
    {
      axes = g_new (gint64, n + 1);
      for (gsize i = 0; i < n; i++)
        axes[i] = i;
      n_axes = n;
    }
  if (n_ends != n || n_axes != n || (steps != NULL && n_steps != n) || !ph_axes (axes, n, rank, normal, &mask))
    return ph_kernel_fail (kernel, error,
                           "starts, ends, axes and steps must have one element for each axis of the %u that is sliced", rank);
  memcpy (dims, ph_tensor_dims (x), rank * sizeof (gint64));
  ph_strides (rank, dims, from);
  for (gsize i = 0; i < n; i++)
    {
      gint64 step = steps != NULL ? MAX (steps[i], -G_MAXINT64) : 1, start = starts[i], end = ends[i];
      guint axis = normal[i];

      if (step == 0)
        return ph_kernel_fail (kernel, error, "step %zu is 0", i);
      dims[axis] = slice_range (dims[axis], &start, &end, step);
      if (dims[axis] > 0)
        first += start * from[axis];
      from[axis] = dims[axis] > 1 ? from[axis] * step : 0;
    }
  data = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (data == NULL)
    return FALSE;
  if (ph_dims_product (dims, 0, rank) > 0)
    {
      ph_strides (rank, dims, to);
      ph_copy_strided (rank, dims, data, to, (const char *) ph_tensor_data (x) + first * (gint64) size, from, size);
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* The gradient of a slice with steps of 1 and known sizes is a pad; that of any other is a scatter. */
static gboolean
grad_slice (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *s = ph_grad_in (grad, 1), *e = ph_grad_in (grad, 2), *a = ph_grad_in (grad, 3),
          *k = ph_grad_in (grad, 4);
  PhTensor *starts = s != NULL ? ph_value_constant (s) : NULL, *ends = e != NULL ? ph_value_constant (e) : NULL;
  PhTensor *axes = a != NULL ? ph_value_constant (a) : NULL, *steps = k != NULL ? ph_value_constant (k) : NULL;
  const PhType *type = x->type;
  gint64 pads[2 * PH_MAX_RANK] = { 0 };

  if (starts == NULL || ends == NULL || (a != NULL && axes == NULL) || (k != NULL && steps == NULL) || type == NULL
      || !type->has_rank)
    return ph_grad_moved (grad, 0);
  for (gsize i = 0; i < ph_tensor_count (starts); i++)
    {
      gint64 start = ph_tensor_get_int (starts, i), end = ph_tensor_get_int (ends, i);
      guint axis;

      if (!ph_axis (axes != NULL ? ph_tensor_get_int (axes, i) : (gint64) i, type->rank, &axis)
          || !ph_dim_known (type->dims[axis]) || (steps != NULL && ph_tensor_get_int (steps, i) != 1))
        return ph_grad_moved (grad, 0);
      if (slice_range (type->dims[axis].size, &start, &end, 1) == 0)
        return ph_grad_moved (grad, 0);
      pads[axis] = start;
      pads[type->rank + axis] = type->dims[axis].size - end;
    }
  grad->dx[0] = PH_BUILD (b, Pad, grad->dy[0], ph_build_ints (b, pads, 2 * type->rank));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Slice = {
  .name = "Slice", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Cuts out a box: from start up to, but without, end, in steps, along the given axes.",
  .inputs = { { "data", 'T', PH_ANY }, { "starts", 'I', PH_INDICES, PH_ARG_SHAPE }, { "ends", 'I', PH_INDICES, PH_ARG_SHAPE },
              { "axes", 'I', PH_INDICES, PH_ARG_OPTIONAL | PH_ARG_SHAPE }, { "steps", 'I', PH_INDICES, PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', PH_ANY } },
  .infer = infer_slice, .kernel = run_slice, .grad_build = grad_slice, .no_grad = 0x1e,
  .grad_text = "ddata = dY put into zeros",
};
/* clang-format on */

/* ── Pad ── */

/* Spreads @n pads (begins, then ends) over the axes. */
static gboolean
pad_amounts (const gint64 *pads, gsize n_pads, const gint64 *axes, gsize n_axes, guint rank, gint64 *begin, gint64 *end)
{
  gsize n = axes != NULL ? n_axes : rank;
  guint normal[PH_MAX_RANK];
  guint64 mask;

  if (n_pads != 2 * n || (axes != NULL && !ph_axes (axes, n, rank, normal, &mask)))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    begin[i] = end[i] = 0;
  for (gsize i = 0; i < n; i++)
    {
      /* No axis is longer; sums of larger numbers would overflow. */
      const gint64 most = G_GINT64_CONSTANT (1) << 40;

      begin[axes != NULL ? normal[i] : i] = CLAMP (pads[i], -most, most);
      end[axes != NULL ? normal[i] : i] = CLAMP (pads[n + i], -most, most);
    }
  return TRUE;
}

static gboolean
infer_pad (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  g_autofree gint64 *pads = NULL, *axes = NULL;
  gint64 begin[PH_MAX_RANK], end[PH_MAX_RANK];
  PhDim dims[PH_MAX_RANK];
  gsize n_pads, n_axes = 0;
  const gint64 n_constants = ph_infer_type (infer, 2) != NULL ? ph_type_count (ph_infer_type (infer, 2)) : -1;

  if (n_constants >= 0 && n_constants != 1)
    return ph_infer_fail (infer, error, "constant_value has %" G_GINT64_FORMAT " elements, must have one", n_constants);
  if (type == NULL)
    return TRUE;
  if (!ph_infer_ints (infer, 1, &pads, &n_pads) || (ph_infer_has (infer, 3) && !ph_infer_ints (infer, 3, &axes, &n_axes)))
    {
      for (guint i = 0; i < type->rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
      return TRUE;
    }
  if (!pad_amounts (pads, n_pads, axes, n_axes, type->rank, begin, end))
    return ph_infer_fail (infer, error, "%zu pads for an input of rank %u; there must be two for each axis", n_pads, type->rank);
  for (guint i = 0; i < type->rank; i++)
    {
      const gint64 both = begin[i] + end[i];
      PhDim sum = PH_DIM (ABS (both));

      dims[i] = both >= 0 ? ph_dim_add (type->dims[i], sum) : ph_dim_sub (type->dims[i], sum);
      if (ph_dim_known (type->dims[i]) && both < 0 && type->dims[i].size < -both)
        return ph_infer_fail (infer, error, "axis %u has fewer elements than its pads take away", i);
    }
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  return TRUE;
}

gint64
ph_pad_source (gint64 at, gint64 dim, char mode)
{
  gint64 period;

  if (at >= 0 && at < dim)
    return at;
  switch (mode)
    {
    case 'e': return CLAMP (at, 0, dim - 1);
    case 'w': return ((at % dim) + dim) % dim;
    case 'r':
      period = MAX (1, 2 * (dim - 1));
      at = ((at % period) + period) % period;
      return at < dim ? at : period - at;
    default: return -1;
    }
}

static gboolean
run_pad (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *value = ph_kernel_input (kernel, 2);
  char mode = ph_node_attr_string (kernel->node, "mode", "constant")[0];
  g_autofree gint64 *pads = NULL, *axes = NULL;
  gint64 begin[PH_MAX_RANK], end[PH_MAX_RANK], dims[PH_MAX_RANK], *maps[PH_MAX_RANK] = { NULL };
  guint rank = ph_tensor_rank (x);
  gsize n_pads, n_axes;
  gpointer data;

  pads = ph_kernel_ints (kernel, 1, &n_pads);
  axes = ph_kernel_ints (kernel, 3, &n_axes);
  if (!pad_amounts (pads, n_pads, axes, n_axes, rank, begin, end))
    return ph_kernel_fail (kernel, error, "%zu pads for an input of rank %u; there must be two for each axis", n_pads, rank);
  if (value != NULL && (ph_tensor_count (value) != 1 || ph_tensor_dtype (value) != ph_tensor_dtype (x)))
    return ph_kernel_fail (kernel, error, "constant_value must be one element of the input's type");
  for (guint i = 0; i < rank; i++)
    {
      gint64 dim = ph_tensor_dims (x)[i];

      if (ABS (begin[i]) > G_MAXINT32 || ABS (end[i]) > G_MAXINT32 || dim + begin[i] + end[i] < 0)
        return ph_kernel_fail (kernel, error, "the pads of axis %u do not fit its %" G_GINT64_FORMAT " elements", i, dim);
      dims[i] = dim + begin[i] + end[i];
      if (dim == 0 && dims[i] > 0 && mode != 'c')
        return ph_kernel_fail (kernel, error, "axis %u is empty: there is nothing to pad it with", i);
    }
  data = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (data == NULL || ph_dims_product (dims, 0, rank) == 0) /* the other axes may be of any size then */
    return data != NULL;
  for (guint i = 0; i < rank; i++)
    if (begin[i] != 0 || end[i] != 0)
      {
        maps[i] = g_new (gint64, dims[i] + 1);
        for (gint64 k = 0; k < dims[i]; k++)
          maps[i][k] = ph_pad_source (k - begin[i], ph_tensor_dims (x)[i], mode);
      }
  ph_copy_mapped (rank, dims, data, ph_tensor_dims (x), ph_tensor_data (x), maps, value != NULL ? ph_tensor_data (value) : NULL,
                  ph_dtype_size (ph_tensor_dtype (x)));
  for (guint i = 0; i < rank; i++)
    g_free (maps[i]);
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* For constant padding the gradient is dY without the pads. The other modes copy elements, so their gradients are added at the sources. */
static gboolean
grad_pad (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *pads = ph_grad_in (grad, 1), *axes = ph_grad_in (grad, 3), *inside;

  if (!g_str_equal (ph_node_attr_string (grad->node, "mode", "constant"), "constant"))
    {
      const gboolean has_constant = ph_grad_in (grad, 2) != NULL;

      if (has_constant) /* the constant is not read there */
        grad->zero[2] = TRUE;
      return ph_grad_moved (grad, has_constant ? 2 : 0);
    }
  if (!grad->wanted[0] && !grad->wanted[2])
    return TRUE;
  pads = PH_BUILD (b, Neg, pads);
  inside = axes != NULL ? PH_BUILD (b, Pad, grad->dy[0], pads, NULL, axes) : PH_BUILD (b, Pad, grad->dy[0], pads);
  grad->dx[0] = inside;
  /* The constant's gradient is the sum over the padded positions. */
  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    {
      PhValue *again = ph_grad_in (grad, 1);

      again = axes != NULL ? PH_BUILD (b, Pad, inside, again, NULL, axes) : PH_BUILD (b, Pad, inside, again);
      grad->dx[2] = PH_BUILD (b, Sub, grad->dy[0], again);
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Pad = {
  .name = "Pad", .since = 23, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "mode" },
  .example = { "x[2,3]", "p = Constant <value_ints = [1, 0, 0, 2]> () y = Pad (x, p)", -1, 1 },
  .doc = "Puts elements around a tensor: a constant, its edge, its mirror image, or itself again. Negative pads cut off.",
  .inputs = { { "data", 'T', PH_ANY }, { "pads", 0, PH_T (INT64), PH_ARG_SHAPE }, { "constant_value", 'T', PH_ANY, PH_ARG_OPTIONAL },
              { "axes", 0, PH_INDICES, PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "mode", PH_ATTR_STRING, "\"constant\"", .words = "constant|reflect|edge|wrap" } },
  .infer = infer_pad, .kernel = run_pad, .grad_build = grad_pad, .no_grad = 1 << 1 | 1 << 3,
  .grad_text = "ddata = Slice(dY) (reflected and repeated elements added up); dconstant_value = sum(dY over the padding)",
};
/* clang-format on */

/* ── CenterCropPad ── */

static gboolean
infer_center_crop_pad (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  guint axes[PH_MAX_RANK];
  PhDim dims[PH_MAX_RANK];
  const PhDim *shape;
  gsize n;
  int n_shape;

  if (type == NULL)
    return TRUE;
  if (!ph_node_axes_or_all (ph_infer_node_of (infer), type->rank, axes, &n))
    return ph_infer_fail (infer, error, "an axis is outside the input's rank %u or named twice", type->rank);
  n_shape = ph_infer_dims (infer, 1, &shape);
  if (n_shape >= 0 && (gsize) n_shape != n)
    return ph_infer_fail (infer, error, "the shape has %d elements for %zu axes", n_shape, n);
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  for (gsize i = 0; i < n; i++)
    dims[axes[i]] = n_shape >= 0 ? shape[i] : PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  return TRUE;
}

static gboolean
run_center_crop_pad (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (x), axes[PH_MAX_RANK];
  gint64 dims[PH_MAX_RANK], *maps[PH_MAX_RANK] = { NULL };
  g_autofree gint64 *shape = NULL;
  gsize n, n_shape;
  gpointer data;

  shape = ph_kernel_ints (kernel, 1, &n_shape);
  if (!ph_node_axes_or_all (kernel->node, rank, axes, &n) || n != n_shape)
    return ph_kernel_fail (kernel, error, "axes and shape do not fit an input of rank %u", rank);
  memcpy (dims, ph_tensor_dims (x), rank * sizeof (gint64));
  for (gsize i = 0; i < n; i++)
    {
      if (shape[i] < 0)
        return ph_kernel_fail (kernel, error, "dimension %zu of the shape is negative", i);
      dims[axes[i]] = shape[i];
    }
  data = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (data == NULL || ph_dims_product (dims, 0, rank) == 0)
    return data != NULL;
  for (guint i = 0; i < rank; i++)
    {
      gint64 dim = ph_tensor_dims (x)[i];
      gint64 skip = dims[i] < dim ? (dim - dims[i]) / 2 : -((dims[i] - dim) / 2);

      if (dims[i] == dim)
        continue;
      maps[i] = g_new (gint64, dims[i] + 1);
      for (gint64 k = 0; k < dims[i]; k++)
        maps[i][k] = k + skip >= 0 && k + skip < dim ? k + skip : -1;
    }
  ph_copy_mapped (rank, dims, data, ph_tensor_dims (x), ph_tensor_data (x), maps, NULL, ph_dtype_size (ph_tensor_dtype (x)));
  for (guint i = 0; i < rank; i++)
    g_free (maps[i]);
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* The gradient of cropping is padding about the same centre, and vice versa. */
static gboolean
grad_center_crop_pad (PhGrad *grad, GError **error)
{
  PhValue *shape = ph_grad_shape (grad, ph_grad_in (grad, 0));
  gsize n;
  const gint64 *axes = ph_node_attr_ints (grad->node, "axes", &n);

  if (axes == NULL)
    grad->dx[0] = PH_BUILD (grad->b, CenterCropPad, grad->dy[0], shape);
  else
    grad->dx[0] = PH_BUILD_WITH (grad->b, CenterCropPad, PH_ATTRS (ph_attr_new_ints ("axes", axes, n)), grad->dy[0],
                                 PH_BUILD (grad->b, Gather, shape, ph_build_ints (grad->b, axes, n)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_CenterCropPad = {
  .name = "CenterCropPad", .since = 18, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[4,3]", "s = Constant <value_ints = [2, 5]> () y = CenterCropPad (x, s)", -1, 1 },
  .doc = "Crops or zero-pads about the centre to the given shape.",
  .inputs = { { "input_data", 'T', PH_ANY }, { "shape", 0, PH_INDICES, PH_ARG_SHAPE } }, .outputs = { { "output_data", 'T', PH_ANY } },
  .attrs = { { "axes", PH_ATTR_INTS } },
  .infer = infer_center_crop_pad, .kernel = run_center_crop_pad, .grad_build = grad_center_crop_pad, .no_grad = 1 << 1,
  .grad_text = "dinput_data = dY padded and cropped back",
};
/* clang-format on */
