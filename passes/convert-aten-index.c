/* convert-aten-index.c: PyTorch's operators that take or put elements by indices or masks, in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

static gboolean
masked (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *mask = ph_aten_tensor (l, 1), *shape;

  if (x == NULL || mask == NULL)
    return ph_convert_stay (l, "it has no mask");
  shape = PH_BUILD (l->b, Shape, PH_BUILD (l->b, Where, mask, x, x));
  out[0] = PH_BUILD (
      l->b, Compress, PH_BUILD (l->b, Expand, x, shape),
      PH_BUILD (l->b, Reshape, PH_BUILD (l->b, Expand, mask, shape), ph_convert_ints_value (l, (gint64[]) { -1 }, 1)));
  return TRUE;
}

static gboolean
gather (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1);
  const gint64 axis = ph_aten_int (l, "dim", 0), one = 1;

  if (x == NULL || index == NULL)
    return ph_convert_stay (l, "it has no indices");
  if (strcmp (op, "gather") == 0)
    out[0] = PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
  else if (strcmp (op, "embedding") == 0)
    out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), x, index);
  else
    {
      if (ph_value_rank (index) == 0)
        index = ph_convert_reshape (l, index, &one, 1);
      out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
    }
  return TRUE;
}

/* ── x[i, j] ── */

/* The indexed tensor, with the indexed dimensions in front, and the indices as one tensor for GatherND. */
typedef struct
{
  PhValue *x, *at;
  gint64 back[PH_MAX_RANK]; /* brings the dimensions of the indices' shape to their place */
  guint n_back;
  gint64 undo[PH_MAX_RANK]; /* brings @x's dimensions back                                */
  guint used;
} PhIndexed;

/* x[mask] is x[nonzero (mask)]: one list of places for each dimension of the mask. */
static guint
expand_masks (PhConvert *l, guint first, PhValue **indices, guint *dims)
{
  const guint n = ph_aten_n_tensors (l);
  guint used = 0, at = 0;

  for (guint i = first; i < n; i++)
    {
      PhValue *index = ph_aten_tensor (l, i);
      const int rank = index != NULL ? ph_value_rank (index) : 0;

      if (index != NULL && (ph_convert_dtype (index) == PH_BOOL || ph_convert_dtype (index) == PH_UINT8))
        {
          PhValue *places = PH_BUILD (l->b, NonZero, index);

          if (rank < 1 || used + (guint) rank > PH_MAX_RANK)
            return G_MAXUINT;
          for (int k = 0; k < rank; k++)
            {
              dims[used] = at++;
              indices[used++] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), places,
                                               ph_build_scalar (l->b, PH_INT64, k));
            }
          continue;
        }
      if (index != NULL)
        {
          if (!ph_dtype_is_integer (ph_convert_dtype (index)) || used == PH_MAX_RANK)
            return G_MAXUINT;
          dims[used] = at;
          indices[used++] = ph_convert_cast (l, index, PH_INT64);
        }
      at++;
    }
  return used;
}

static gboolean
read_index (PhConvert *l, PhValue *x, guint first, PhIndexed *to)
{
  PhValue *indices[PH_MAX_RANK], *parts[PH_MAX_RANK], *shape;
  guint dims[PH_MAX_RANK], rest = 0;
  const guint used = expand_masks (l, first, indices, dims);
  const int rank = ph_value_rank (x);
  gint64 perm[PH_MAX_RANK], last = -1;
  gboolean front = TRUE, together = TRUE;

  if (used == G_MAXUINT || used == 0)
    return ph_convert_stay (l, "its indices are neither integers nor masks");
  for (guint i = 0; i < used; i++)
    {
      front = front && dims[i] == i;
      together = together && dims[i] == dims[0] + i;
    }
  if (!front && rank < 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  shape = indices[0];
  for (guint i = 1; i < used; i++)
    shape = PH_BUILD (l->b, Add, shape, indices[i]);
  *to = (PhIndexed) { .x = x, .used = used };
  if (!front)
    {
      const int wide = ph_value_rank (shape);

      for (guint i = 0; i < used; i++)
        perm[i] = dims[i];
      for (int i = 0; i < rank; i++)
        {
          gboolean taken = FALSE;

          for (guint k = 0; k < used; k++)
            taken = taken || dims[k] == (guint) i;
          if (!taken)
            perm[used + rest++] = i;
        }
      for (int i = 0; i < rank; i++)
        to->undo[perm[i]] = i;
      to->x = ph_convert_transpose (l, x, perm, (guint) rank);
      /* Adjacent indices leave their result in their place; otherwise it comes first. */
      if (together && (wide < 0 || wide + (int) rest > PH_MAX_RANK))
        return ph_convert_stay (l, "the rank of its indices is not known");
      for (guint i = 0; together && i < (guint) wide + rest; i++)
        to->back[i] = i < dims[0]                  ? (gint64) (i + (guint) wide)
                      : i < dims[0] + (guint) wide ? (gint64) (i - dims[0])
                                                   : (gint64) i;
      to->n_back = together ? (guint) wide + rest : 0;
    }
  if (used == 1)
    to->at = PH_BUILD (l->b, Unsqueeze, shape, ph_convert_ints_value (l, &last, 1));
  else
    {
      shape = ph_aten_shape_part (l, shape, 0, G_MAXINT64);
      for (guint i = 0; i < used; i++)
        parts[i] = PH_BUILD (l->b, Unsqueeze, PH_BUILD (l->b, Expand, indices[i], shape), ph_convert_ints_value (l, &last, 1));
      to->at = ph_aten_concat (l, parts, used, -1);
    }
  return to->at != NULL && to->x != NULL;
}

static gboolean
index_ (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *only = NULL;
  const guint n = ph_aten_n_tensors (l);
  guint used = 0, at = 0;
  PhIndexed indexed;

  if (x == NULL || n < 2 || n - 1 > PH_MAX_RANK)
    return ph_convert_stay (l, "it has no indices");
  for (guint i = 1; i < n; i++)
    if (ph_aten_tensor (l, i) != NULL)
      {
        only = ph_aten_tensor (l, i);
        used++;
        at = i - 1;
      }
  if (used == 1 && ph_dtype_is_integer (ph_convert_dtype (only)) && ph_convert_dtype (only) != PH_UINT8)
    {
      out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", at)), x, only);
      return TRUE;
    }
  if (!read_index (l, x, 1, &indexed))
    return FALSE;
  out[0] = PH_BUILD (l->b, GatherND, indexed.x, indexed.at);
  if (indexed.n_back > 0 && out[0] != NULL)
    out[0] = ph_convert_transpose (l, out[0], indexed.back, indexed.n_back);
  return TRUE;
}

/* x[i, j] = values, or += */
static gboolean
index_put (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *values, *only = ph_aten_tensor (l, 1), *shape;
  const guint n = ph_aten_n_tensors (l);
  const gint64 add = ph_aten_int (l, "accumulate", 0);
  PhIndexed indexed;

  if (x == NULL || n < 3)
    return ph_convert_stay (l, "it has no indices");
  values = ph_aten_tensor (l, n - 1);
  if (values == NULL || ph_convert_dtype (x) == PH_UNDEFINED)
    return ph_convert_stay (l, "the type of the value that it writes is not known");
  values = ph_convert_cast (l, values, ph_convert_dtype (x));
  /* Puts one number wherever the mask is true. */
  if (n == 3 && only != NULL && ph_convert_dtype (only) == PH_BOOL && ph_value_rank (values) == 0
      && ph_value_rank (x) >= ph_value_rank (only) && ph_value_rank (only) > 0)
    {
      gint64 axes[PH_MAX_RANK];
      const int more = ph_value_rank (x) - ph_value_rank (only);

      for (int i = 0; i < more; i++)
        axes[i] = ph_value_rank (only) + i;
      if (more > 0)
        only = PH_BUILD (l->b, Unsqueeze, only, ph_convert_ints_value (l, axes, (gsize) more));
      out[0] = PH_BUILD (l->b, Where, only, add != 0 ? PH_BUILD (l->b, Add, x, values) : values, x);
      return TRUE;
    }
  l->n_in--; /* the last one is no index */
  if (!read_index (l, x, 1, &indexed))
    {
      l->n_in++;
      return FALSE;
    }
  l->n_in++;
  /* The shape of the indexed result, then in the order of the index operands. */
  shape = PH_BUILD (l->b, Shape, PH_BUILD (l->b, GatherND, indexed.x, indexed.at));
  if (indexed.n_back > 0)
    {
      gint64 forth[PH_MAX_RANK];

      for (guint i = 0; i < indexed.n_back; i++)
        forth[indexed.back[i]] = i;
      shape = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), shape,
                             ph_convert_ints_value (l, indexed.back, indexed.n_back));
      values = ph_convert_transpose (l, PH_BUILD (l->b, Expand, values, shape), forth, indexed.n_back);
    }
  else
    values = PH_BUILD (l->b, Expand, values, shape);
  out[0] = PH_BUILD_WITH (l->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", add != 0 ? "add" : "none")), indexed.x,
                          indexed.at, values);
  if (out[0] != NULL && indexed.x != x)
    out[0] = ph_convert_transpose (l, out[0], indexed.undo, (guint) ph_value_rank (x));
  return TRUE;
}

/* Rows of one dimension: index_add, index_copy, index_fill. */
static gboolean
index_rows (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1), *shape;
  const int axis = x != NULL ? ph_aten_axis (l, x, ph_aten_int (l, "dim", 0)) : -1;
  const double alpha = ph_aten_number (l, "alpha", 1);
  const gint64 one = 1;
  PhAtenArg arg;
  PhValue *source;
  gint64 dims[PH_MAX_RANK];

  if (axis < 0 || index == NULL || !ph_aten_arg (l, 2, strcmp (op, "index_fill") == 0 ? "value" : "source", &arg))
    return ph_convert_stay (l, "it does not have three operands");
  if (ph_value_rank (index) == 0)
    index = ph_convert_reshape (l, index, &one, 1);
  source = ph_aten_as (l, &arg, ph_convert_dtype (x), x);
  if (alpha != 1 && source != NULL)
    source = PH_BUILD (l->b, Mul, source, ph_convert_like (l, source, alpha));
  shape = PH_BUILD (l->b, Shape, PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index));
  source = PH_BUILD (l->b, Expand, source, shape);
  for (int i = 0; i < ph_value_rank (x); i++)
    dims[i] = i == axis ? -1 : 1;
  index = PH_BUILD (l->b, Expand, ph_convert_reshape (l, ph_convert_cast (l, index, PH_INT64), dims, (guint) ph_value_rank (x)),
                    shape);
  out[0] = PH_BUILD_WITH (
      l->b, ScatterElements,
      PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("reduction", strcmp (op, "index_add") == 0 ? "add" : "none")),
      x, index, source);
  return TRUE;
}

/* Writes @part to every step-th element between two that may be computed. */
static gboolean
put_steps (PhConvert *l, PhValue *x, PhValue *part, PhValue **out)
{
  const int axis = ph_aten_axis (l, x, ph_aten_int (l, "dim", 0)), rank = ph_value_rank (x);
  gint64 dims[PH_MAX_RANK];
  const gint64 zero = 0;
  PhValue *size, *index;

  if (axis < 0 || rank < 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis ? -1 : 1;
  size = ph_convert_reshape (l, ph_aten_shape_part (l, x, axis, axis + 1), NULL, 0);
  index = PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), size, ph_build_scalar (l->b, PH_INT64, 1));
  index = PH_BUILD (l->b, Slice, index, ph_aten_one (l, "start", 0), ph_aten_one (l, "end", G_MAXINT64),
                    ph_convert_ints_value (l, &zero, 1), ph_aten_one (l, "step", 1));
  index = index != NULL ? ph_convert_reshape (l, index, dims, (guint) rank) : NULL;
  part = ph_convert_cast (l, part, ph_convert_dtype (x));
  out[0] = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), x,
                          PH_BUILD (l->b, Expand, index, PH_BUILD (l->b, Shape, part)), part);
  return TRUE;
}

/* Writes at a computed index of select_scatter: only there the part is chosen. */
static gboolean
put_at (PhConvert *l, PhValue *x, PhValue *part, PhValue **out)
{
  const int rank = ph_value_rank (x), axis = ph_aten_axis (l, x, ph_aten_int (l, "dim", 0));
  PhValue *size, *places, *index, *here;
  gint64 shape[PH_MAX_RANK];
  const gint64 at = axis;

  if (rank < 1 || axis < 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 0; i < rank; i++)
    shape[i] = i == axis ? -1 : 1;
  size = ph_convert_reshape (l, ph_aten_shape_part (l, x, axis, axis + 1), NULL, 0);
  places = PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), size, ph_build_scalar (l->b, PH_INT64, 1));
  index = ph_convert_cast (l, ph_aten_one (l, "index", 0), PH_INT64);
  here = PH_BUILD (l->b, Or, PH_BUILD (l->b, Equal, places, index), /* a negative one counts from the end */
                   PH_BUILD (l->b, Equal, places, PH_BUILD (l->b, Add, index, size)));
  part = PH_BUILD (l->b, Unsqueeze, part, ph_convert_ints_value (l, &at, 1));
  out[0] = PH_BUILD (l->b, Where, ph_convert_reshape (l, here, shape, (guint) rank),
                     ph_convert_cast (l, part, ph_convert_dtype (x)), x);
  return TRUE;
}

/* Whether a slice takes every element from a known one to a known one that is not before it. */
static gboolean
is_plain_part (PhConvert *l, const PhValue *x)
{
  static const char *const names[] = { "start", "end", "step" };
  const int axis = ph_value_rank (x) < 0 ? -1 : ph_aten_axis (l, x, ph_aten_int (l, "dim", 0));
  const gint64 size = axis >= 0 ? ph_value_dim (x, axis) : -1;
  gint64 start, end;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (ph_aten_computed (l, names[i]) != NULL && ph_value_constant (ph_aten_computed (l, names[i])) == NULL)
      return FALSE;
  start = ph_aten_int (l, "start", 0);
  end = ph_aten_int (l, "end", G_MAXINT64);
  if (start == 0 || end == G_MAXINT64 || size < 0)
    return ph_aten_int (l, "step", 1) == 1 && (start == 0 || end == G_MAXINT64 || ((start < 0) == (end < 0) && start <= end));
  start = start < 0 ? start + size : start;
  end = end < 0 ? end + size : end;
  return ph_aten_int (l, "step", 1) == 1 && MIN (start, size) <= end;
}

/* Writes a part through select () or slice (): concatenates it with the elements around it. */
static gboolean
put_part (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *part = ph_aten_tensor (l, 1), *index = ph_aten_computed (l, "index");
  const gint64 axis = ph_aten_int (l, "dim", 0);
  gint64 start, end;
  PhValue *parts[3];
  guint n = 0;

  if (x == NULL || part == NULL)
    return ph_convert_stay (l, "it has no operand");
  if (index != NULL && ph_value_constant (index) == NULL && ph_convert_dtype (x) != PH_UNDEFINED)
    return put_at (l, x, part, out);
  if (strcmp (ph_aten_name (l), "slice_scatter") == 0 && !is_plain_part (l, x))
    return put_steps (l, x, part, out);
  if (strcmp (ph_aten_name (l), "select_scatter") == 0)
    {
      start = ph_aten_int (l, "index", 0);
      end = start == -1 ? G_MAXINT64 : start + 1;
      part = PH_BUILD (l->b, Unsqueeze, part, ph_convert_ints_value (l, &axis, 1));
    }
  else
    {
      start = ph_aten_int (l, "start", 0);
      end = ph_aten_int (l, "end", G_MAXINT64);
    }
  if (start != 0)
    parts[n++] = ph_aten_slice (l, x, axis, 0, start);
  parts[n++] = ph_convert_dtype (x) != PH_UNDEFINED ? ph_convert_cast (l, part, ph_convert_dtype (x)) : part;
  if (end < G_MAXINT64 && (end < 0 || ph_value_dim (x, (int) axis) != end))
    parts[n++] = ph_aten_slice (l, x, axis, end, G_MAXINT64);
  out[0] = ph_aten_concat (l, parts, n, axis);
  return TRUE;
}

/* ── scatter ── */

static const char *
scatter_reduction (PhConvert *l)
{
  static const struct
  {
    const char *torch, *onnx;
  } names[] = { { "sum", "add" },  { "add", "add" },  { "prod", "mul" }, { "multiply", "mul" },
                { "amax", "max" }, { "amin", "min" }, { "", "none" } };
  const char *given = strcmp (ph_aten_name (l), "scatter_add") == 0 ? "add" : ph_node_attr_string (l->node, "reduce", "");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i].torch, given) == 0)
      return names[i].onnx;
  return NULL;
}

/* The mean of what comes to each place; where nothing does, @x stays. With @alone the old elements do not count. */
static PhValue *
scatter_mean (PhConvert *l, PhValue *x, PhValue *index, PhValue *src, gint64 axis, gboolean alone)
{
  PhValue *zeros = PH_BUILD (l->b, Expand, ph_convert_like (l, x, 0), ph_aten_shape_part (l, x, 0, G_MAXINT64)), *sum, *count,
          *mean;
  const gboolean whole = ph_dtype_is_integer (ph_convert_dtype (x));

  sum = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("reduction", "add")),
                       alone ? zeros : x, index, src);
  count = PH_BUILD_WITH (l->b, ScatterElements,
                         PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("reduction", "add")), zeros, index,
                         PH_BUILD (l->b, Expand, ph_convert_like (l, x, 1), ph_aten_shape_part (l, index, 0, G_MAXINT64)));
  mean = alone ? PH_BUILD (l->b, Max, count, ph_convert_like (l, x, 1)) : PH_BUILD (l->b, Add, count, ph_convert_like (l, x, 1));
  if (whole) /* rounded down */
    {
      PhValue *quotient = PH_BUILD (l->b, Div, sum, mean),
              *above = PH_BUILD (l->b, Less, sum, PH_BUILD (l->b, Mul, quotient, mean));

      mean = PH_BUILD (l->b, Sub, quotient, ph_convert_cast (l, above, ph_convert_dtype (x)));
    }
  else
    mean = PH_BUILD (l->b, Div, sum, mean);
  return alone ? PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, count, ph_convert_like (l, x, 0)), x, mean) : mean;
}

static gboolean
scatter (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1), *src, *into = x;
  const gint64 axis = ph_aten_int (l, "dim", 0);
  const char *kind = scatter_reduction (l);
  const gboolean alone = ph_aten_int (l, "include_self", 1) == 0;
  PhAtenArg arg;

  if (x == NULL || index == NULL || (!ph_aten_arg (l, 2, "src", &arg) && !ph_aten_arg (l, 2, "value", &arg)))
    return ph_convert_stay (l, "it has no operand");
  if (kind == NULL && strcmp (ph_node_attr_string (l->node, "reduce", ""), "mean") != 0)
    return ph_convert_stay (l, "ONNX has no scatter with this reduction");
  src = ph_aten_as (l, &arg, ph_convert_dtype (x), x);
  if (arg.value == NULL || ph_value_rank (arg.value) == 0)
    src = PH_BUILD (l->b, Expand, src, ph_aten_shape_part (l, index, 0, G_MAXINT64));
  else
    {
      gboolean same = ph_value_rank (index) >= 0;
      gint64 axes[PH_MAX_RANK], zeros[PH_MAX_RANK] = { 0 };

      for (int i = 0; i < ph_value_rank (index); i++)
        {
          axes[i] = i;
          same = same && ph_value_dim (index, i) >= 0 && ph_value_dim (src, i) == ph_value_dim (index, i);
        }
      /* Only the part of @src that the indices cover is used. */
      if (!same && ph_value_rank (index) < 0)
        return ph_convert_stay (l, "the rank of its indices is not known");
      if (!same)
        src = PH_BUILD (l->b, Slice, src, ph_convert_ints_value (l, zeros, (gsize) ph_value_rank (index)),
                        ph_aten_shape_part (l, index, 0, G_MAXINT64),
                        ph_convert_ints_value (l, axes, (gsize) ph_value_rank (index)));
    }
  if (kind == NULL)
    return (out[0] = scatter_mean (l, x, index, src, axis, alone)) != NULL;
  if (alone
      && strcmp (kind, "none")
             != 0) /* the old elements do not count: start from the neutral element wherever something is reduced */
    {
      const double nothing = strcmp (kind, "add") == 0   ? 0
                             : strcmp (kind, "mul") == 0 ? 1
                             : strcmp (kind, "max") == 0 ? -(double) INFINITY
                                                         : (double) INFINITY;

      if (!isfinite (nothing) && !ph_dtype_is_float (ph_convert_dtype (x)))
        return ph_convert_stay (l, "integers have no infinity to initialise the reduction with");
      into = PH_BUILD_WITH (
          l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index,
          PH_BUILD (l->b, Expand, ph_convert_like (l, x, nothing), ph_aten_shape_part (l, index, 0, G_MAXINT64)));
    }
  out[0] = PH_BUILD_WITH (l->b, ScatterElements,
                          PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("reduction", kind)), into, index, src);
  return TRUE;
}

/* Of the flattened tensor. */
static gboolean
take (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *at = ph_aten_tensor (l, 1);
  const gint64 all = -1;

  if (x == NULL || at == NULL)
    return ph_convert_stay (l, "its operands are not known");
  out[0] = PH_BUILD (l->b, Gather, ph_convert_reshape (l, x, &all, 1), at);
  return TRUE;
}

/* A row for each element, with a one at its number. */
static gboolean
bincount (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *most, *rows;
  const gint64 least = ph_aten_int (l, "minlength", 0), first = 0;

  if (x == NULL || ph_aten_tensor (l, 1) != NULL)
    return ph_convert_stay (l, "it adds weights");
  x = ph_convert_cast (l, x, PH_INT64);
  most = PH_BUILD (l->b, Add, PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), x),
                   ph_build_scalar (l->b, PH_INT64, 1));
  rows = PH_BUILD (l->b, OneHot, x, PH_BUILD (l->b, Max, most, ph_build_scalar (l->b, PH_INT64, (double) least)),
                   ph_convert_ints_value (l, (gint64[]) { 0, 1 }, 2));
  out[0] = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), rows,
                          ph_convert_ints_value (l, &first, 1));
  return TRUE;
}

static const char dims[] = "In both, a negative dimension counts from the end.";

/* clang-format off */
const PhConvertRule ph_convert_aten_index[] = {
  { "aten:select_scatter", put_part, "Concat of the parts before and after it", "Writing through a view updates the tensor, so the result is the tensor with that part replaced." },
  { "aten:slice_scatter", put_part, "Concat of the parts before and after it", "Writing through a view updates the tensor, so the result is the tensor with that part replaced." },
  { "aten:gather", gather, "GatherElements", dims }, { "aten:embedding", gather, "Gather", "The indices select rows of a table." }, { "aten:index_select", gather, "Gather", dims },
  { "aten:index", index_, "Gather or GatherND", "PyTorch broadcasts the index tensors against each other first, and GatherND needs one tensor of indices." },
  { "aten:take", take, "Gather of a Reshape", "The indices count through the flattened tensor." }, { "aten:bincount", bincount, "ReduceSum of OneHot", "The count of a number is the sum of its column in the one-hot rows." },
  { "aten:masked_select", masked, "Compress", "Both return the selected elements in order." },
  { "aten:scatter", scatter, "ScatterElements", dims }, { "aten:scatter_add", scatter, "ScatterElements that adds", dims },
  { "aten:scatter_reduce", scatter, "ScatterElements with a reduction", dims },
  { "aten:index_put", index_put, "ScatterND, or Where", "The written value is broadcast to the shape that the indices select." }, { "aten:_index_put_impl", index_put, "ScatterND, or Where", "The written value is broadcast to the shape that the indices select." },
  { "aten:_unsafe_index_put", index_put, "ScatterND, or Where", "The written value is broadcast to the shape that the indices select." }, { "aten:_unsafe_index", index_, "Gather or GatherND", "PyTorch broadcasts the index tensors against each other first, and GatherND needs one tensor of indices." },
  { "aten:index_add", index_rows, "ScatterElements that adds", dims }, { "aten:index_copy", index_rows, "ScatterElements", dims }, { "aten:index_fill", index_rows, "ScatterElements", dims },
  { NULL }
};
/* clang-format on */
