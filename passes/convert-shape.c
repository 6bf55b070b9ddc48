/* convert-shape.c: operators of StableHLO, HLO and jaxprs that move elements, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <string.h>

/* Puts the operand's dimensions at their places in the result, with 1 elsewhere. */
static PhValue *
place (PhConvert *l, PhValue *x, const gint64 *at, gsize n_at, guint rank)
{
  const guint n = ph_convert_rank (x);
  gint64 perm[PH_MAX_RANK], sorted[PH_MAX_RANK], axes[PH_MAX_RANK];
  guint m = 0;
  gboolean used[PH_MAX_RANK] = { FALSE };

  if (n_at != n || rank > PH_MAX_RANK)
    {
      ph_convert_stay (l, "its dimensions do not fit its operand");
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    perm[i] = i;
  for (guint i = 0; i < n; i++) /* by where they go */
    for (guint k = i + 1; k < n; k++)
      if (at[perm[k]] < at[perm[i]])
        {
          const gint64 t = perm[i];

          perm[i] = perm[k];
          perm[k] = t;
        }
  for (guint i = 0; i < n; i++)
    {
      sorted[i] = at[perm[i]];
      if (sorted[i] < 0 || sorted[i] >= rank)
        {
          ph_convert_stay (l, "one of its dimensions is outside the result");
          return NULL;
        }
      used[sorted[i]] = TRUE;
    }
  x = ph_convert_transpose (l, x, perm, n);
  for (guint i = 0; i < rank; i++)
    if (!used[i])
      axes[m++] = i;
  if (m == 0)
    return x;
  if (n == 0)
    {
      gint64 ones[PH_MAX_RANK];

      for (guint i = 0; i < rank; i++)
        ones[i] = 1;
      return ph_convert_reshape (l, x, ones, rank);
    }
  return PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, axes, m));
}

static gboolean
broadcast_in_dim (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];
  gsize n;
  const gint64 *at = ph_convert_ints (l, "broadcast_dimensions", &n);
  const PhType *type = ph_convert_type (l, 0);
  PhValue *x;

  if (!ph_convert_out_dims (l, 0, dims))
    return FALSE;
  x = place (l, l->in[0], at, n, type->rank);
  if (x == NULL)
    return FALSE;
  *out = ph_convert_expand (l, x, dims, type->rank);
  return TRUE;
}

static gboolean
dynamic_broadcast_in_dim (PhConvert *l, PhValue **out)
{
  gsize n;
  const gint64 *at = ph_convert_ints (l, "broadcast_dimensions", &n);
  const gint64 rank = ph_value_dim (l->in[1], 0);
  PhValue *x;

  if (rank < 0 || rank > PH_MAX_RANK)
    return ph_convert_stay (l, "the rank of its result is not known");
  x = place (l, l->in[0], at, n, (guint) rank);
  if (x == NULL)
    return FALSE;
  *out = PH_BUILD (l->b, Expand, x, ph_convert_cast (l, l->in[1], PH_INT64));
  return TRUE;
}

/* In HLO, broadcast has a list of dimensions. */
static gboolean
broadcast (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];
  gsize n;

  if (ph_convert_ints (l, "broadcast_dimensions", &n) != NULL)
    return broadcast_in_dim (l, out);
  if (!ph_convert_out_dims (l, 0, dims))
    return FALSE;
  *out = ph_convert_expand (l, l->in[0], dims, ph_convert_type (l, 0)->rank);
  return TRUE;
}

static gboolean
reshape (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];

  if (!ph_convert_out_dims (l, 0, dims))
    return FALSE;
  *out = ph_convert_reshape (l, l->in[0], dims, ph_convert_type (l, 0)->rank);
  return TRUE;
}

PH_CONVERT_TO (dynamic_reshape, PH_BUILD_WITH (l->b, Reshape, PH_ATTRS (ph_attr_new_int ("allowzero", 1)), l->in[0],
                                               ph_convert_cast (l, l->in[1], PH_INT64)))

static gboolean
transpose (PhConvert *l, PhValue **out)
{
  gsize n;
  const gint64 *perm = ph_convert_ints (l, "permutation", &n);

  if (n != ph_convert_rank (l->in[0]))
    return ph_convert_stay (l, "its permutation does not fit its operand");
  *out = ph_convert_transpose (l, l->in[0], perm, (guint) n);
  return TRUE;
}

static gboolean
reverse (PhConvert *l, PhValue **out)
{
  gsize n;
  const gint64 *axes = ph_convert_ints (l, "dimensions", &n);

  *out = ph_convert_reverse (l, l->in[0], axes, n);
  return TRUE;
}

static gboolean
slice (PhConvert *l, PhValue **out)
{
  gsize n, m, k;
  const gint64 *starts = ph_convert_ints (l, "start_indices", &n), *ends = ph_convert_ints (l, "limit_indices", &m),
               *steps = ph_convert_ints (l, "strides", &k);

  if (n != ph_convert_rank (l->in[0]) || m != n || (k != 0 && k != n))
    return ph_convert_stay (l, "its bounds do not fit its operand");
  *out = ph_convert_slice (l, l->in[0], starts, ends, k == n ? steps : NULL, (guint) n);
  return TRUE;
}

/* Returns the start indices, operands from @first on (scalars, or one list), clamped so that @sizes fit. */
static PhValue *
clamped_starts (PhConvert *l, guint first, const gint64 *dims, const gint64 *sizes, guint rank)
{
  g_autofree PhValue **parts = g_new0 (PhValue *, rank + 1);
  gint64 most[PH_MAX_RANK];
  PhValue *starts;
  const gint64 one = 1;

  if (rank == 0)
    return NULL;
  for (guint i = 0; i < rank; i++)
    most[i] = dims[i] - sizes[i];
  if (l->n_in == first + 1 && ph_convert_rank (l->in[first]) == 1)
    starts = ph_convert_cast (l, l->in[first], PH_INT64);
  else
    {
      if (l->n_in < first + rank)
        return NULL;
      for (guint i = 0; i < rank; i++)
        parts[i] = ph_convert_reshape (l, ph_convert_cast (l, l->in[first + i], PH_INT64), &one, 1);
      starts = rank == 1 ? parts[0] : ph_build_node (l->b, &ph_op_Concat, parts, rank, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
    }
  return PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, starts, ph_convert_number (l, PH_INT64, 0)),
                   ph_convert_ints_value (l, most, rank));
}

/* Whether @sizes are those of some rows of a tensor, and of all that is in them. */
static gboolean
are_rows (const gint64 *dims, const gint64 *sizes, guint rank)
{
  return rank > 0 && sizes[0] > 0 && sizes[0] < dims[0] && memcmp (dims + 1, sizes + 1, (rank - 1) * sizeof *dims) == 0;
}

/* Returns the place of the first row: the start indices from operand @first on, or in it, are clamped, and but the first can only be 0. */
static PhValue *
first_row (PhConvert *l, guint first, const gint64 *dims, const gint64 *sizes)
{
  PhValue *start = l->n_in > first ? ph_convert_cast (l, l->in[first], PH_INT64) : NULL;

  if (start != NULL && ph_convert_rank (start) == 1 && l->n_in == first + 1)
    start = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), start, ph_convert_number (l, PH_INT64, 0));
  return PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, start, ph_convert_number (l, PH_INT64, 0)),
                   ph_convert_number (l, PH_INT64, (double) (dims[0] - sizes[0])));
}

static PhValue *
rows (PhConvert *l, const gint64 *dims, const gint64 *sizes)
{
  const gint64 one = 1, zero = 0;
  PhValue *start = ph_convert_reshape (l, first_row (l, 1, dims, sizes), &one, 1);

  if (sizes[0] == 1)
    return PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), l->in[0], start);
  return PH_BUILD (l->b, Slice, l->in[0], start, PH_BUILD (l->b, Add, start, ph_convert_ints_value (l, sizes, 1)),
                   ph_convert_ints_value (l, &zero, 1));
}

static PhValue *
with_rows (PhConvert *l, const gint64 *dims, const gint64 *sizes)
{
  const gint64 two[] = { 1, 1 };
  PhValue *start = ph_convert_reshape (l, first_row (l, 2, dims, sizes), two, 2);

  if (sizes[0] > 1)
    start = PH_BUILD (l->b, Add, start, ph_convert_iota (l, sizes[0], 0, 2));
  return PH_BUILD (l->b, ScatterND, l->in[0], start, l->in[1]);
}

static gboolean
dynamic_slice (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  gint64 dims[PH_MAX_RANK];
  gsize n;
  const gint64 *sizes = ph_convert_ints (l, "slice_sizes", &n);
  PhValue *starts;

  if (!ph_convert_dims (l, l->in[0], dims))
    return FALSE;
  if (n != rank)
    return ph_convert_stay (l, "its sizes do not fit its operand");
  if (are_rows (dims, sizes, rank))
    return (*out = rows (l, dims, sizes)) != NULL;
  starts = clamped_starts (l, 1, dims, sizes, rank);
  *out = starts == NULL
             ? l->in[0]
             : PH_BUILD (l->b, Slice, l->in[0], starts, PH_BUILD (l->b, Add, starts, ph_convert_ints_value (l, sizes, rank)));
  return TRUE;
}

static gboolean
real_dynamic_slice (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  gint64 axes[PH_MAX_RANK];

  if (l->n_in != 4)
    return ph_convert_stay (l, "it does not have four operands");
  for (guint i = 0; i < rank; i++)
    axes[i] = i;
  *out = PH_BUILD (l->b, Slice, l->in[0], ph_convert_cast (l, l->in[1], PH_INT64), ph_convert_cast (l, l->in[2], PH_INT64),
                   ph_convert_ints_value (l, axes, rank), ph_convert_cast (l, l->in[3], PH_INT64));
  return TRUE;
}

/* Scatters the update: the index of each element in the flat operand is the start's plus its own. */
static gboolean
dynamic_update_slice (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  gint64 dims[PH_MAX_RANK], sizes[PH_MAX_RANK], count = 1, stride = 1;
  const gint64 flat = -1;
  PhValue *starts, *place_of = NULL, *result;

  if (!ph_convert_dims (l, l->in[0], dims) || !ph_convert_dims (l, l->in[1], sizes))
    return FALSE;
  if (ph_convert_rank (l->in[1]) != rank)
    return ph_convert_stay (l, "its update has another rank than its operand");
  for (guint i = 0; i < rank; i++)
    count *= sizes[i];
  if (count > 0 && are_rows (dims, sizes, rank))
    return (*out = with_rows (l, dims, sizes)) != NULL;
  starts = clamped_starts (l, 2, dims, sizes, rank);
  if (starts == NULL || memcmp (dims, sizes, rank * sizeof *dims) == 0)
    {
      *out = l->in[1];
      return TRUE;
    }
  if (count == 0)
    {
      *out = l->in[0];
      return TRUE;
    }
  for (guint i = rank; i-- > 0;)
    {
      PhValue *at = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), starts,
                                   ph_convert_number (l, PH_INT64, i));

      at = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Add, ph_convert_iota (l, sizes[i], i, rank), at),
                     ph_convert_number (l, PH_INT64, (double) stride));
      place_of = place_of != NULL ? PH_BUILD (l->b, Add, place_of, at) : at;
      stride *= dims[i];
    }
  result = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                          ph_convert_reshape (l, l->in[0], &flat, 1), ph_convert_reshape (l, place_of, &flat, 1),
                          ph_convert_reshape (l, l->in[1], &flat, 1));
  *out = ph_convert_reshape (l, result, dims, rank);
  return TRUE;
}

static gboolean
pad (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  gsize n, m, k;
  const gint64 *low = ph_convert_ints (l, "edge_padding_low", &n), *high = ph_convert_ints (l, "edge_padding_high", &m),
               *interior = ph_convert_ints (l, "interior_padding", &k);

  if (n != rank || m != rank || (k != 0 && k != rank))
    return ph_convert_stay (l, "its padding does not fit its operand");
  *out = ph_convert_pad (l, l->in[0], l->in[1], low, high, k == rank ? interior : NULL, rank);
  return *out != NULL;
}

static gboolean
dynamic_pad (PhConvert *l, PhValue **out)
{
  g_autofree gint64 *interior = NULL;
  const gint64 none[PH_MAX_RANK] = { 0 };
  gboolean between = FALSE;
  gsize n = 0;
  PhValue *x = l->in[0], *low, *high;

  if (l->n_in != 5 || !ph_value_ints (l->in[4], &interior, &n) || n > PH_MAX_RANK)
    return ph_convert_stay (l, "its interior padding is computed at run time");
  for (gsize i = 0; i < n; i++)
    between = between || interior[i] != 0;
  if (between) /* first, since the edges are those of what is spread */
    x = ph_convert_pad (l, x, l->in[1], none, none, interior, (guint) n);
  low = ph_convert_cast (l, l->in[2], PH_INT64);
  high = ph_convert_cast (l, l->in[3], PH_INT64);
  *out = PH_BUILD (l->b, Pad, x, PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), low, high), l->in[1]);
  return TRUE;
}

PH_CONVERT_TO (concatenate, l->n_in == 1
                                ? l->in[0]
                                : ph_build_node (l->b, &ph_op_Concat, l->in, l->n_in,
                                                 PH_ATTRS (ph_attr_new_int ("axis", ph_convert_int (l, "dimension", 0))), 1))

static gboolean
iota (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_convert_int (l, "iota_dimension", 0);
  const PhType *type = ph_convert_type (l, 0);
  gint64 dims[PH_MAX_RANK];

  if (!ph_convert_out_dims (l, 0, dims))
    return FALSE;
  if (axis < 0 || axis >= type->rank || type->dtype == PH_COMPLEX64 || type->dtype == PH_COMPLEX128)
    return ph_convert_stay (l, "its dimension or type does not fit");
  *out = ph_convert_expand (l, ph_convert_cast (l, ph_convert_iota (l, dims[axis], (guint) axis, type->rank), type->dtype), dims,
                            type->rank);
  return TRUE;
}

static gboolean
dynamic_iota (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_convert_int (l, "iota_dimension", 0), rank = ph_value_dim (l->in[0], 0);
  const PhType *type = ph_convert_type (l, 0);
  gint64 axes[PH_MAX_RANK];
  guint m = 0;
  PhValue *shape, *range, *size;

  if (type == NULL || rank < 1 || rank > PH_MAX_RANK || axis < 0 || axis >= rank)
    return ph_convert_stay (l, "the rank of its result is not known");
  shape = ph_convert_cast (l, l->in[0], PH_INT64);
  size = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), shape,
                        ph_convert_number (l, PH_INT64, (double) axis));
  range = PH_BUILD (l->b, Range, ph_convert_number (l, PH_INT64, 0), size, ph_convert_number (l, PH_INT64, 1));
  for (gint64 i = 0; i < rank; i++)
    if (i != axis)
      axes[m++] = i;
  if (m > 0)
    range = PH_BUILD (l->b, Unsqueeze, range, ph_convert_ints_value (l, axes, m));
  *out = PH_BUILD (l->b, Expand, ph_convert_cast (l, range, type->dtype), shape);
  return TRUE;
}

static gboolean
get_dimension_size (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  PhValue *shape = PH_BUILD (l->b, Shape, l->in[0]);

  *out = ph_convert_cast (l,
                          PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), shape,
                                         ph_convert_number (l, PH_INT64, (double) ph_convert_int (l, "dimension", 0))),
                          type != NULL ? type->dtype : PH_INT32);
  return TRUE;
}

static gboolean
constant (PhConvert *l, PhValue **out)
{
  const PhAttr *value = ph_node_attr (l->node, "value");
  const PhType *type = ph_convert_type (l, 0);

  if (value != NULL && value->kind == PH_ATTR_TENSOR)
    *out = ph_build_tensor (l->b, ph_tensor_ref (value->tensor));
  else if (value != NULL && value->kind == PH_ATTR_INT && type != NULL)
    *out = ph_convert_number (l, type->dtype, (double) value->i);
  else if (value != NULL && value->kind == PH_ATTR_FLOAT && type != NULL)
    *out = ph_convert_number (l, type->dtype, value->f);
  else
    return ph_convert_stay (l, "its values were left out of the file");
  return TRUE;
}

static gboolean
constant_like (PhConvert *l, PhValue **out)
{
  const PhAttr *value = ph_node_attr (l->node, "value");

  if (value == NULL || (value->kind != PH_ATTR_FLOAT && value->kind != PH_ATTR_INT))
    return ph_convert_stay (l, "its value is not a number");
  *out = PH_BUILD (l->b, Expand, ph_convert_like (l, l->in[0], value->kind == PH_ATTR_INT ? (double) value->i : value->f),
                   PH_BUILD (l->b, Shape, l->in[0]));
  return TRUE;
}

/* clang-format off */
const PhConvertRule ph_convert_shape[] = {
  { "constant", constant, "a constant", "In ONNX a constant is an initializer, which needs no node." },
  { "constant_like", constant_like, "Expand of a number", "The result has the shape of the other operand." },
  { "broadcast_in_dim", broadcast_in_dim, "Unsqueeze and Expand", "ONNX aligns dimensions at the end; StableHLO maps each one explicitly." },
  { "dynamic_broadcast_in_dim", dynamic_broadcast_in_dim, "Unsqueeze and Expand", "In both, the shape is an operand." },
  { "broadcast", broadcast, "its Expand", "The new dimensions are the leading ones." },
  { "reshape", reshape, "its Reshape", "In ONNX the shape is an operand." },
  { "dynamic_reshape", dynamic_reshape, "its Reshape", "In both, the shape is an operand." },
  { "transpose", transpose, "its Transpose", "Both compute the same function." },
  { "reverse", reverse, "Slice with step -1", "A Slice in ONNX can have a step of -1." },
  { "slice", slice, "its Slice", "In ONNX the bounds are operands." },
  { "dynamic_slice", dynamic_slice, "Slice from where Min and Max put it", "StableHLO clamps a start index that is out of range." },
  { "real_dynamic_slice", real_dynamic_slice, "its Slice", "In both, the bounds are operands." },
  { "dynamic_update_slice", dynamic_update_slice, "ScatterElements at computed places", "ONNX has no operator that overwrites a slice." },
  { "pad", pad, "Pad, between elements by way of a dimension of its own", "ONNX pads only at the edges, not between elements." },
  { "dynamic_pad", dynamic_pad, "its Pad", "In both, the padding is an operand." },
  { "concatenate", concatenate, "its Concat", "Both compute the same function." },
  { "iota", iota, "a constant, and Expand", "The elements count along one dimension." },
  { "dynamic_iota", dynamic_iota, "Range and Expand", "The elements count along one dimension." },
  { "get_dimension_size", get_dimension_size, "Shape and Gather", "ONNX's Shape returns all sizes in one tensor." },
  { NULL }
};
/* clang-format on */
