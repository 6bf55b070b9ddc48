/* movement.c: Transpose, Concat, Split, ReverseSequence and Trilu, which move or drop elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

/* ── Transpose ── */

static gboolean
permutation (const PhNode *node, guint rank, guint *perm)
{
  gsize n;
  const gint64 *given = ph_node_attr_ints (node, "perm", &n);
  guint64 mask;

  if (given != NULL)
    return n == rank && ph_axes (given, n, rank, perm, &mask);
  for (guint i = 0; i < rank; i++)
    perm[i] = rank - 1 - i;
  return TRUE;
}

static gboolean
infer_transpose (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[PH_MAX_RANK];
  guint perm[PH_MAX_RANK];
  const PhDim *held;
  int n;

  if (type == NULL)
    return TRUE;
  if (!permutation (ph_infer_node_of (infer), type->rank, perm))
    return ph_infer_fail (infer, error, "perm is not a permutation of the %u axes of the input", type->rank);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[perm[i]];
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);

  n = type->rank <= 2 ? ph_infer_elements (infer, 0, &held) : -1;
  if (n > 0 && n <= PH_MAX_RANK && type->rank == 2 && perm[0] == 1 && ph_dim_known (type->dims[1]) && type->dims[1].size > 0)
    {
      const int columns = type->dims[1].size, rows = n / columns;

      for (int i = 0; i < n; i++)
        dims[i] = held[i % rows * columns + i / rows];
      ph_infer_set_dims (infer, 0, dims, n);
    }
  else if (n >= 0 && (type->rank < 2 || perm[0] == 0))
    ph_infer_set_dims (infer, 0, held, n);
  return TRUE;
}

static gboolean
run_transpose (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (x), perm[PH_MAX_RANK];
  gint64 dims[PH_MAX_RANK], own[PH_MAX_RANK], from[PH_MAX_RANK], to[PH_MAX_RANK];
  gpointer data;

  if (!permutation (kernel->node, rank, perm))
    return ph_kernel_fail (kernel, error, "perm is not a permutation of the %u axes of the input", rank);
  ph_strides (rank, ph_tensor_dims (x), own);
  for (guint i = 0; i < rank; i++)
    {
      dims[i] = ph_tensor_dims (x)[perm[i]];
      from[i] = own[perm[i]];
    }
  data = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (data == NULL)
    return FALSE;
  ph_strides (rank, dims, to);
  ph_copy_strided (rank, dims, data, to, ph_tensor_data (x), from, ph_dtype_size (ph_tensor_dtype (x)));
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_transpose (PhGrad *grad, GError **error)
{
  gsize n;
  const gint64 *perm = ph_node_attr_ints (grad->node, "perm", &n);
  gint64 inverse[PH_MAX_RANK];

  if (perm == NULL)
    {
      grad->dx[0] = PH_BUILD (grad->b, Transpose, grad->dy[0]);
      return TRUE;
    }
  for (gsize i = 0; i < n && i < PH_MAX_RANK; i++)
    inverse[perm[i] < 0 ? perm[i] + (gint64) n : perm[i]] = i;
  grad->dx[0] = PH_BUILD_WITH (grad->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", inverse, n)), grad->dy[0]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Transpose = {
  .name = "Transpose", .since = 23, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "perm" },
  .example = { "x[2,3,4]", "y = Transpose <perm = [2, 0, 1]> (x)", -1, 1 },
  .doc = "Permutes the axes; without perm, reverses them.",
  .inputs = { { "data", 'T', PH_ANY } }, .outputs = { { "transposed", 'T', PH_ANY } },
  .attrs = { { "perm", PH_ATTR_INTS } },
  .infer = infer_transpose, .kernel = run_transpose, .grad_build = grad_transpose,
  .grad_text = "ddata = Transpose(dY), the axes put back",
};
/* clang-format on */

/* ── Concat ── */

static gboolean
infer_concat (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *first = ph_infer_type (infer, 0);
  PhDim dims[PH_MAX_RANK], sum = PH_DIM (0);
  gboolean complete = TRUE;
  guint rank = 0, axis = 0;
  PhDType dtype = PH_UNDEFINED;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhType *type = ph_infer_type (infer, i);

      if (type == NULL || !type->has_rank)
        {
          complete = FALSE;
          continue;
        }
      if (dtype == PH_UNDEFINED)
        {
          dtype = type->dtype;
          rank = type->rank;
          if (!ph_axis (ph_node_attr_int (node, "axis", 0), rank, &axis))
            return ph_infer_fail (infer, error, "axis %" G_GINT64_FORMAT " is outside rank %u",
                                  ph_node_attr_int (node, "axis", 0), rank);
          memcpy (dims, type->dims, rank * sizeof (PhDim));
        }
      if (type->rank != rank)
        return ph_infer_fail (infer, error, "input %u has rank %u, others have %u", i, type->rank, rank);
      sum = ph_dim_add (sum, type->dims[axis]);
      for (guint k = 0; k < rank; k++)
        if (k != axis && !ph_dim_merge (dims[k], type->dims[k], &dims[k]))
          return ph_infer_fail (infer, error,
                                "input %u has %" G_GINT64_FORMAT " elements on axis %u, others have %" G_GINT64_FORMAT, i,
                                type->dims[k].size, k, dims[k].size);
    }
  if (dtype == PH_UNDEFINED)
    {
      if (first != NULL)
        ph_infer_set (infer, 0, ph_type_unranked (first->dtype));
      return TRUE;
    }
  dims[axis] = complete ? sum : PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 0, dtype, rank, dims);

  if (rank == 1 && complete && ph_dim_known (sum) && sum.size <= PH_MAX_RANK)
    {
      PhDim held[PH_MAX_RANK];
      guint at = 0, n_known = 0;

      for (guint i = 0; i < node->inputs->len; i++)
        {
          gint64 length = ph_infer_type (infer, i)->dims[0].size;
          const PhDim *part;
          gboolean known = ph_infer_dims (infer, i, &part) == length;

          for (gint64 k = 0; k < length; k++)
            held[at++] = known ? part[k] : PH_DIM_UNKNOWN;
          n_known += known;
        }
      if (n_known > 0)
        ph_infer_set_dims (infer, 0, held, at);
    }
  return TRUE;
}

static gboolean
run_concat (PhKernel *kernel, GError **error)
{
  PhTensor *first = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (first), axis;
  gsize size = ph_dtype_size (ph_tensor_dtype (first)), inner;
  gint64 dims[PH_MAX_RANK], outer;
  char *data;

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis))
    return ph_kernel_fail (kernel, error, "axis %" G_GINT64_FORMAT " is outside rank %u",
                           ph_node_attr_int (kernel->node, "axis", 0), rank);
  memcpy (dims, ph_tensor_dims (first), rank * sizeof (gint64));
  for (guint i = 1; i < kernel->n_inputs; i++)
    {
      PhTensor *part = ph_kernel_input (kernel, i);

      if (part == NULL || ph_tensor_rank (part) != rank || ph_tensor_dtype (part) != ph_tensor_dtype (first))
        return ph_kernel_fail (kernel, error, "input %u has another rank or element type than input 0", i);
      for (guint k = 0; k < rank; k++)
        if (k == axis)
          dims[k] += ph_tensor_dims (part)[k];
        else if (dims[k] != ph_tensor_dims (part)[k])
          return ph_kernel_fail (kernel, error, "input %u has another size than input 0 on axis %u", i, k);
    }
  data = ph_kernel_output (kernel, 0, ph_tensor_dtype (first), rank, dims, error);
  if (data == NULL)
    return FALSE;
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank) * size;
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *part = ph_kernel_input (kernel, i);
      gsize chunk = ph_tensor_dims (part)[axis] * inner;
      const char *from = ph_tensor_data (part);

      for (gint64 k = 0; k < outer && chunk > 0; k++)
        memcpy (data + k * dims[axis] * inner, from + k * chunk, chunk);
      data += chunk;
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* Each input gets its slice of dY. */
static gboolean
grad_concat (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  gint64 axis = ph_node_attr_int (grad->node, "axis", 0);
  PhValue *axes = ph_build_ints (b, &axis, 1), *start = ph_build_ints (b, (gint64[]) { 0 }, 1);

  for (guint i = 0; i < grad->node->inputs->len; i++)
    {
      PhValue *part = ph_grad_in (grad, i);
      const PhType *type = part->type;
      guint normal;
      PhValue *length, *end;

      if (type != NULL && type->has_rank && ph_axis (axis, type->rank, &normal) && ph_dim_known (type->dims[normal]))
        length = ph_build_ints (b, &type->dims[normal].size, 1);
      else
        length = PH_BUILD (b, Gather, PH_BUILD (b, Shape, part), axes);
      /* Known sizes add up to constants. */
      if (ph_value_constant (start) != NULL && length != NULL && ph_value_constant (length) != NULL)
        {
          gint64 sum = ph_tensor_get_int (ph_value_constant (start), 0) + ph_tensor_get_int (ph_value_constant (length), 0);
          end = ph_build_ints (b, &sum, 1);
        }
      else
        end = PH_BUILD (b, Add, start, length);
      if (grad->wanted[i])
        grad->dx[i] = PH_BUILD (b, Slice, grad->dy[0], start, end, axes);
      start = end;
      if (start == NULL)
        return TRUE; /* the builder keeps the error */
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Concat = {
  .name = "Concat", .since = 13, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT, .motif = PH_MOTIF_CONCAT,
  .main_attrs = { "axis" },
  .example = { "a[2,1] b[2,3] c[2,2]", "y = Concat <axis = -1> (a, b, c)", -1, 1 },
  .doc = "Joins tensors along one axis.",
  .inputs = { { "inputs", 'T', PH_ANY, PH_ARG_VARIADIC } }, .outputs = { { "concat_result", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, NULL, TRUE } },
  .infer = infer_concat, .kernel = run_concat, .grad_build = grad_concat,
  .grad_text = "dX = Slice(dY) where X stands",
};
/* clang-format on */

/* ── Split ── */

static gboolean
infer_split (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_type (infer, 0);
  guint n = node->outputs->len, axis;
  g_autofree gint64 *given = NULL;
  PhDim dims[PH_MAX_RANK], whole;
  gint64 parts = ph_node_attr_int (node, "num_outputs", n), chunk = 0;
  gsize n_given;

  if (type == NULL)
    return TRUE;
  if (!type->has_rank)
    {
      for (guint i = 0; i < n; i++)
        ph_infer_set (infer, i, ph_type_unranked (type->dtype));
      return TRUE;
    }
  if (!ph_axis (ph_node_attr_int (node, "axis", 0), type->rank, &axis))
    return ph_infer_fail (infer, error, "axis is outside the input's rank %u", type->rank);
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  whole = dims[axis];
  if (ph_infer_ints (infer, 1, &given, &n_given) && n_given != n)
    return ph_infer_fail (infer, error, "%zu sizes for %u outputs", n_given, n);
  if (parts <= 0)
    return ph_infer_fail (infer, error, "num_outputs is %" G_GINT64_FORMAT, parts);
  if (ph_dim_known (whole))
    chunk = whole.size / parts + (whole.size % parts != 0);
  for (guint i = 0; i < n; i++)
    {
      if (given != NULL)
        dims[axis] = PH_DIM (given[i]);
      else if (ph_infer_has (infer, 1))
        dims[axis] = PH_DIM_UNKNOWN;
      else if (ph_dim_known (whole))
        dims[axis] = PH_DIM (CLAMP (whole.size - (gint64) i * chunk, 0, chunk));
      else
        dims[axis] = parts == 1 ? whole : PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, i, type->dtype, type->rank, dims);
    }
  return TRUE;
}

static gboolean
run_split (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (x), axis, n = kernel->n_outputs;
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), inner, n_given;
  gint64 dims[PH_MAX_RANK], outer, whole, at = 0, chunk, parts = ph_node_attr_int (kernel->node, "num_outputs", n);
  g_autofree gint64 *given = NULL;
  const char *from = ph_tensor_data (x);

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis) || parts <= 0)
    return ph_kernel_fail (kernel, error, "axis is outside the input's rank %u, or there are no outputs", rank);
  memcpy (dims, ph_tensor_dims (x), rank * sizeof (gint64));
  whole = dims[axis];
  chunk = whole / parts + (whole % parts != 0);
  given = ph_kernel_ints (kernel, 1, &n_given);
  if (given != NULL && n_given != n)
    return ph_kernel_fail (kernel, error, "%zu sizes for %u outputs", n_given, n);
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank) * size;
  for (guint i = 0; i < n; i++)
    {
      gint64 length = given != NULL ? given[i] : CLAMP (whole - (gint64) i * chunk, 0, chunk);

      if (length < 0 || length > whole - at)
        return ph_kernel_fail (kernel, error, "the sizes are more than the %" G_GINT64_FORMAT " elements of axis %u", whole,
                               axis);
      if (ph_kernel_wants (kernel, i))
        {
          char *to;

          dims[axis] = length;
          to = ph_kernel_output (kernel, i, ph_tensor_dtype (x), rank, dims, error);
          if (to == NULL)
            return FALSE;
          for (gint64 k = 0; k < outer && length > 0; k++)
            memcpy (to + k * length * inner, from + (k * whole + at) * inner, length * inner);
          ph_kernel_own_strings (kernel, i);
        }
      at += length;
    }
  if (given != NULL && at != whole)
    return ph_kernel_fail (kernel, error, "the sizes add up to %" G_GINT64_FORMAT ", axis %u has %" G_GINT64_FORMAT, at, axis,
                           whole);
  return TRUE;
}

static gboolean
grad_split (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  guint n = grad->node->outputs->len;
  g_autofree PhValue **parts = g_new0 (PhValue *, n + 1);
  gint64 axis = ph_node_attr_int (grad->node, "axis", 0), one = 1;

  for (guint i = 0; i < n; i++)
    parts[i] = grad->dy[i] != NULL ? grad->dy[i] : ph_grad_zeros_like (grad, ph_grad_out (grad, i));
#define JOIN(n_) ph_build_node (b, &ph_op_Concat, parts, n_, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1)
  if (ph_grad_in (grad, 1) == NULL && ph_node_attr_int (grad->node, "num_outputs", n) > n) /* the last parts have no output */
    {
      PhValue *taken = n > 1 ? JOIN (n) : parts[0], *x = ph_grad_in (grad, 0);
      PhValue *start = PH_BUILD (b, Gather, ph_grad_shape (grad, taken), ph_build_ints (b, &axis, 1));
      PhValue *end = PH_BUILD (b, Gather, ph_grad_shape (grad, x), ph_build_ints (b, &axis, 1));

      parts[n++] = PH_BUILD (b, Slice, ph_grad_zeros_like (grad, x), start, end, ph_build_ints (b, &axis, 1),
                             ph_build_ints (b, &one, 1));
    }
  grad->dx[0] = JOIN (n);
#undef JOIN
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Split = {
  .name = "Split", .since = 18, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "axis", "num_outputs" },
  .example = { "x[2,6]", "s = Constant <value_ints = [2, 1, 3]> () u, v, w = Split <axis = 1> (x, s) y = Mul (u, v)", -1, 1 },
  .doc = "Cuts a tensor along one axis into parts of the given sizes, or into equal ones.",
  .inputs = { { "input", 'T', PH_ANY }, { "split", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "outputs", 'T', PH_ANY, PH_ARG_VARIADIC } },
  .attrs = { { "axis", PH_ATTR_INT, "0" }, { "num_outputs", PH_ATTR_INT } },
  .infer = infer_split, .kernel = run_split, .grad_build = grad_split, .no_grad = 1 << 1,
  .grad_text = "dinput = Concat(the gradients of the parts)",
};
/* clang-format on */

/* ── ReverseSequence, Trilu ── */

static gboolean
run_reverse_sequence (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gint64 time = ph_node_attr_int (kernel->node, "time_axis", 0), batch = ph_node_attr_int (kernel->node, "batch_axis", 1);
  const gint64 *dims = ph_tensor_dims (x);
  guint rank = ph_tensor_rank (x);
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), n;
  g_autofree gint64 *lengths = NULL;
  gint64 inner, *strides = (gint64[PH_MAX_RANK]) { 0 };
  const char *from = ph_tensor_data (x);
  char *to;

  if (rank < 2 || time + batch != 1 || time * batch != 0)
    return ph_kernel_fail (kernel, error, "time_axis and batch_axis must be 0 and 1 of an input of rank 2 or more");
  lengths = ph_kernel_ints (kernel, 1, &n);
  if ((gint64) n != dims[batch])
    return ph_kernel_fail (kernel, error, "%zu lengths for a batch of %" G_GINT64_FORMAT, n, dims[batch]);
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (to == NULL)
    return FALSE;
  ph_strides (rank, dims, strides);
  inner = ph_dims_product (dims, 2, rank) * size;
  for (gint64 k = 0; k < dims[batch]; k++)
    {
      if (lengths[k] < 0 || lengths[k] > dims[time])
        return ph_kernel_own_strings (kernel, 0),
               ph_kernel_fail (kernel, error, "length %" G_GINT64_FORMAT " is outside the time axis", lengths[k]);
      for (gint64 t = 0; t < dims[time]; t++)
        {
          gint64 s = t < lengths[k] ? lengths[k] - 1 - t : t;

          memcpy (to + (k * strides[batch] + t * strides[time]) * size, from + (k * strides[batch] + s * strides[time]) * size,
                  inner);
        }
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* The permutation is its own inverse. */
static gboolean
grad_reverse_sequence (PhGrad *grad, GError **error)
{
  gint64 time = ph_node_attr_int (grad->node, "time_axis", 0), batch = ph_node_attr_int (grad->node, "batch_axis", 1);

  grad->dx[0] = PH_BUILD_WITH (grad->b, ReverseSequence,
                               PH_ATTRS (ph_attr_new_int ("time_axis", time), ph_attr_new_int ("batch_axis", batch)), grad->dy[0],
                               ph_grad_in (grad, 1));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ReverseSequence = {
  .name = "ReverseSequence", .since = 10, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[4,2]", "l = Constant <value_ints = [3, 2]> () y = ReverseSequence (x, l)", -1, 1 },
  .doc = "Reverses the first sequence_lens[i] steps of sequence i of a batch.",
  .inputs = { { "input", 'T', PH_ANY }, { "sequence_lens", 0, PH_T (INT64) } }, .outputs = { { "Y", 'T', PH_ANY } },
  .attrs = { { "batch_axis", PH_ATTR_INT, "1" }, { "time_axis", PH_ATTR_INT, "0" } },
  .infer = ph_infer_same_as_input, .kernel = run_reverse_sequence, .grad_build = grad_reverse_sequence, .no_grad = 1 << 1,
  .grad_text = "dinput = ReverseSequence(dY)",
};
/* clang-format on */

static gboolean
run_trilu (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gboolean upper = ph_node_attr_int (kernel->node, "upper", 1) != 0;
  const gint64 *dims = ph_tensor_dims (x);
  guint rank = ph_tensor_rank (x);
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), n;
  g_autofree gint64 *given = ph_kernel_ints (kernel, 1, &n);
  gint64 k = given != NULL && n > 0 ? given[0] : 0, rows, columns, matrices;
  const char *from = ph_tensor_data (x);
  char *to;

  if (rank < 2)
    return ph_kernel_fail (kernel, error, "the input has rank %u, must be 2 or more", rank);
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (to == NULL)
    return FALSE;
  rows = dims[rank - 2];
  columns = dims[rank - 1];
  k = CLAMP (k, -rows, columns);
  matrices = ph_dims_product (dims, 0, rank - 2);
  for (gint64 m = 0; m < matrices * rows; m++)
    {
      gint64 row = m % rows;
      gint64 first = upper ? CLAMP (row + k, 0, columns) : 0;
      gint64 last = upper ? columns : CLAMP (row + k + 1, 0, columns);

      memcpy (to + (m * columns + first) * size, from + (m * columns + first) * size, (last - first) * size);
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
grad_trilu (PhGrad *grad, GError **error)
{
  PhValue *inputs[] = { grad->dy[0], ph_grad_in (grad, 1) };

  grad->dx[0] = ph_build_node (grad->b, &ph_op_Trilu, inputs, inputs[1] != NULL ? 2 : 1,
                               PH_ATTRS (ph_attr_new_int ("upper", ph_node_attr_int (grad->node, "upper", 1))), 1);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Trilu = {
  .name = "Trilu", .since = 14,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[3,4]", "k = Constant <value_int = 1> () y = Trilu (x, k)", -1, 1 },
  .doc = "Keeps the upper or lower triangle of each matrix, counted from diagonal k; zeros elsewhere.",
  .inputs = { { "input", 'T', PH_ANY }, { "k", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "upper", PH_ATTR_INT, "1" } },
  .infer = ph_infer_same_as_input, .kernel = run_trilu, .grad_build = grad_trilu, .no_grad = 1 << 1,
  .grad_text = "dinput = Trilu(dY)",
};
/* clang-format on */
