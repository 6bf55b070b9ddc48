/* convert-aten-shape.c: PyTorch's operators that move elements, create tensors or query sizes, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

/* ── shapes ── */

static gboolean
view (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l), *param = strcmp (op, "reshape") == 0 ? "shape" : "size";
  PhValue *x = ph_aten_operand (l), *other = ph_aten_tensor (l, 1), *shape;
  gint64 known[PH_MAX_RANK];
  guint n = PH_MAX_RANK;
  gboolean zero = FALSE;

  if (x == NULL)
    return FALSE;
  if (g_str_has_suffix (op, "_as"))
    shape = other != NULL ? ph_aten_shape_part (l, other, 0, G_MAXINT64) : NULL;
  else
    {
      if (ph_aten_dtype (l, param) != PH_UNDEFINED && ph_node_attr (l->node, param)->kind == PH_ATTR_STRING)
        return ph_convert_stay (l, "it reinterprets the bits as another element type");
      shape = ph_aten_sizes (l, param, -1);
      if (ph_aten_ints (l, param, known, &n))
        for (guint i = 0; i < n; i++)
          zero = zero || known[i] == 0;
    }
  if (shape == NULL)
    return FALSE;
  out[0] = PH_BUILD_WITH (l->b, Reshape, zero ? PH_ATTRS (ph_attr_new_int ("allowzero", 1)) : NULL, x, shape);
  return TRUE;
}

/* Reshapes to the sizes before @start, then @between, then the sizes after @end. */
static PhValue *
replace_dims (PhConvert *l, PhValue *x, gint64 start, gint64 end, PhValue *between)
{
  PhValue *parts[3];
  guint n = 0;
  const int rank = ph_value_rank (x);

  if (start > 0)
    parts[n++] = ph_aten_shape_part (l, x, 0, start);
  parts[n++] = between;
  if (rank < 0 || end + 1 < rank)
    parts[n++] = ph_aten_shape_part (l, x, end + 1, G_MAXINT64);
  return PH_BUILD (l->b, Reshape, x, ph_aten_concat (l, parts, n, 0));
}

static gboolean
flatten (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  gint64 start = ph_aten_int (l, "start_dim", 0), end = ph_aten_int (l, "end_dim", -1), all = -1;
  const int rank = x != NULL ? ph_value_rank (x) : -1;

  if (x == NULL)
    return FALSE;
  if (rank >= 0 && rank <= 1)
    {
      out[0] = rank == 1 ? x : ph_convert_reshape (l, x, (gint64[]) { 1 }, 1);
      return TRUE;
    }
  if (start == 0 && end == -1)
    out[0] = PH_BUILD (l->b, Reshape, x, ph_convert_ints_value (l, &all, 1));
  else if (start == 1 && (end == -1 || end == rank - 1))
    out[0] = PH_BUILD_WITH (l->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", 1)), x);
  else
    {
      start = ph_aten_axis (l, x, start);
      end = ph_aten_axis (l, x, end);
      if (start < 0 || end < start)
        return ph_convert_stay (l, "the dimensions that it joins are not known");
      out[0] = replace_dims (l, x, start, end, ph_convert_ints_value (l, &all, 1));
    }
  return TRUE;
}

static gboolean
unflatten (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *sizes = x != NULL ? ph_aten_sizes (l, "sizes", -1) : NULL;
  const int axis = x != NULL ? ph_aten_axis (l, x, ph_aten_int (l, "dim", 0)) : -1;

  if (sizes == NULL || axis < 0)
    return FALSE;
  out[0] = replace_dims (l, x, axis, axis, sizes);
  return TRUE;
}

static gboolean
squeeze (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 dims[PH_MAX_RANK], axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK, kept = 0;

  if (x == NULL)
    return FALSE;
  if (rank < 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  if (!ph_aten_ints (l, "dim", dims, &n))
    {
      if (ph_aten_has (l, "dim"))
        return ph_convert_stay (l, "its dim is not a known number");
      for (n = 0; n < (guint) rank; n++)
        dims[n] = n;
    }
  for (guint i = 0; i < n; i++)
    {
      const gint64 axis = dims[i] < 0 ? dims[i] + rank : dims[i];

      if (axis < 0 || axis >= rank)
        continue;
      if (ph_value_dim (x, (int) axis) < 0)
        return ph_convert_stay (l, "whether the dimension is one is not known");
      if (ph_value_dim (x, (int) axis) == 1)
        axes[kept++] = axis;
    }
  out[0] = kept > 0 ? PH_BUILD (l->b, Squeeze, x, ph_convert_ints_value (l, axes, kept)) : x;
  return TRUE;
}

static gboolean
unsqueeze (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_aten_int (l, "dim", 0);
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, &axis, 1));
  return TRUE;
}

/* Converts permute, transpose, t, numpy_T and movedim. */
static gboolean
permute (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_operand (l);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 perm[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (x == NULL)
    return FALSE;
  if (strcmp (op, "movedim") == 0)
    {
      gint64 from[PH_MAX_RANK], to[PH_MAX_RANK], place[PH_MAX_RANK];
      guint m = PH_MAX_RANK, next = 0;

      n = PH_MAX_RANK;
      if (rank < 0 || !ph_aten_ints (l, "source", from, &n) || !ph_aten_ints (l, "destination", to, &m) || n != m)
        return ph_convert_stay (l, "the order of its dimensions is not known");
      for (int i = 0; i < rank; i++)
        place[i] = -1;
      for (guint i = 0; i < n; i++)
        {
          const int a = ph_aten_axis (l, x, from[i]), b = ph_aten_axis (l, x, to[i]);

          if (a < 0 || b < 0)
            return FALSE;
          place[b] = a;
        }
      for (int i = 0; i < rank; i++)
        {
          gboolean taken = TRUE;

          if (place[i] >= 0)
            {
              perm[i] = place[i];
              continue;
            }
          for (; taken; next++)
            {
              taken = FALSE;
              for (int k = 0; k < rank; k++)
                taken = taken || place[k] == (gint64) next;
              if (!taken)
                break;
            }
          perm[i] = next++;
        }
      n = (guint) rank;
    }
  else if (strcmp (op, "permute") == 0)
    {
      if (!ph_aten_ints (l, "dims", perm, &n) || (rank >= 0 && n != (guint) rank))
        return ph_convert_stay (l, "its dims are not known, or their number is not the rank of its operand");
      for (guint i = 0; i < n; i++)
        perm[i] += perm[i] < 0 ? n : 0;
    }
  else if (rank < 0 && strcmp (op, "t") != 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  else
    {
      n = rank < 0 ? 2 : (guint) rank;
      for (guint i = 0; i < n; i++)
        perm[i] = strcmp (op, "numpy_T") == 0 ? n - 1 - i : i;
      if ((strcmp (op, "t") == 0 && n == 2) || (strcmp (op, "mT") == 0 && n >= 2))
        {
          perm[n - 2] = n - 1;
          perm[n - 1] = n - 2;
        }
      else if (strcmp (op, "t") != 0 && strcmp (op, "numpy_T") != 0 && n > 0)
        {
          const int a = ph_aten_axis (l, x, ph_aten_int (l, "dim0", 0)), b = ph_aten_axis (l, x, ph_aten_int (l, "dim1", 0));

          if (a < 0 || b < 0)
            return FALSE;
          perm[a] = b;
          perm[b] = a;
        }
    }
  for (guint i = 0; i < n; i++)
    if (perm[i] < 0 || perm[i] >= (gint64) n)
      return ph_convert_stay (l, "its operand has no such dimension");
  out[0] = ph_convert_transpose (l, x, perm, n);
  return TRUE;
}

static gboolean
expand (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *other = ph_aten_tensor (l, 1), *sizes;

  if (x == NULL)
    return FALSE;
  sizes = g_str_has_suffix (ph_aten_name (l), "_as") ? other != NULL ? ph_aten_shape_part (l, other, 0, G_MAXINT64) : NULL
                                                     : ph_aten_sizes (l, "size", 1);
  if (sizes == NULL)
    return ph_convert_stay (l, "the shape is not known");
  out[0] = PH_BUILD (l->b, Expand, x, sizes);
  return TRUE;
}

static gboolean
repeat (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l),
          *times = x != NULL ? ph_aten_sizes (l, strcmp (ph_aten_name (l), "tile") == 0 ? "dims" : "repeats", -1) : NULL;
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 axes[PH_MAX_RANK], n;

  if (times == NULL)
    return FALSE;
  n = ph_value_dim (times, 0);
  if (rank > 0 && n >= 0 && n < rank && strcmp (ph_aten_name (l), "tile") == 0) /* the first dimensions are not repeated */
    {
      gint64 ones[PH_MAX_RANK];

      for (int i = 0; i < rank; i++)
        ones[i] = 1;
      times = ph_aten_concat (l, PH_VALUES_ (ph_convert_ints_value (l, ones, (gsize) (rank - n)), times), 2, 0);
      n = rank;
    }
  if (rank < 0 || n < rank || n > PH_MAX_RANK)
    return ph_convert_stay (l, "the rank of its operand is not known, or it exceeds the number of repeats");
  for (gint64 i = 0; i < n - rank; i++)
    axes[i] = i;
  if (n > rank)
    x = PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, axes, (gsize) (n - rank)));
  out[0] = PH_BUILD (l->b, Tile, x, times);
  return TRUE;
}

/* ── joining and cutting ── */

static gboolean
split (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l), *param = strcmp (op, "split_with_sizes") == 0  ? "split_sizes"
                                              : g_str_has_suffix (op, "chunk") != 0 ? "chunks"
                                              : strcmp (op, "tensor_split") == 0    ? "sections"
                                                                                    : "split_size";
  const gboolean list = ph_aten_wants_list (l);
  PhValue *x = ph_aten_operand (l), *parts[64];
  gint64 sizes[G_N_ELEMENTS (parts)], axis = ph_aten_int (l, "dim", 0), from = 0;
  const gint64 length = x != NULL ? ph_value_dim (x, (int) (axis < 0 && ph_value_rank (x) > 0 ? axis + ph_value_rank (x) : axis))
                                  : -1;
  guint n = G_N_ELEMENTS (sizes);

  if (x == NULL || !ph_aten_ints (l, param, sizes, &n) || n == 0)
    return ph_convert_stay (l, "its sizes are not known");
  if (l->n_out > G_N_ELEMENTS (sizes))
    return ph_convert_stay (l, "it has more than %u parts", (guint) G_N_ELEMENTS (sizes));
  if (strcmp (op, "tensor_split") == 0
      && (n > 1 || (ph_node_attr (l->node, param) != NULL && ph_node_attr (l->node, param)->kind == PH_ATTR_INTS)))
    {
      if (length < 0 || n + 1 > G_N_ELEMENTS (sizes)) /* positions, of which those that come after a larger one give nothing */
        return ph_convert_stay (l, "the size of the dimension is not known");
      for (guint i = 0; i <= n; i++)
        {
          const gint64 to = i == n ? length : CLAMP (sizes[i] < 0 ? sizes[i] + length : sizes[i], 0, length);

          parts[i] = ph_aten_slice (l, x, axis, from, MAX (from, to));
          from = to;
        }
      return ph_aten_give_parts (l, parts, n + 1, out);
    }
  if (strcmp (op, "tensor_split") == 0)
    {
      const gint64 sections = sizes[0];

      if (n != 1 || sections < 1 || sections > (gint64) G_N_ELEMENTS (sizes) || length < 0)
        return ph_convert_stay (l, "the positions at which it is split are not known");
      for (n = 0; n < (guint) sections; n++)
        sizes[n] = length / sections + (n < (guint) (length % sections));
    }
  else if (n == 1 && strcmp (op, "split_with_sizes") != 0
           && (ph_node_attr (l->node, param) == NULL || ph_node_attr (l->node, param)->kind == PH_ATTR_INT))
    {
      gint64 each = sizes[0], count;

      if ((list || g_str_has_suffix (op, "chunk")) && length < 0)
        return ph_convert_stay (l, "the size of the dimension is not known");
      if (g_str_has_suffix (op, "chunk"))
        each = sizes[0] > 0 ? (length + sizes[0] - 1) / sizes[0] : 0;
      if (each <= 0)
        return ph_convert_stay (l, "the size of its parts is not positive");
      count = list ? (length + each - 1) / each : l->n_out;
      if (count > (gint64) G_N_ELEMENTS (sizes))
        return ph_convert_stay (l, "it has more than %u parts", (guint) G_N_ELEMENTS (sizes));
      for (n = 0; n < count; n++)
        sizes[n] = each;
    }
  for (guint i = 0; i < n && (list || i < l->n_out); i++)
    {
      parts[i] = ph_aten_slice (l, x, axis, from, axis < 0 || length < 0 || from + sizes[i] < length ? from + sizes[i] : length);
      from += sizes[i];
    }
  return ph_aten_give_parts (l, parts, n, out);
}

static gboolean
unbind (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *parts[64];
  gint64 axis = ph_aten_int (l, "dim", 0), n;

  if (x == NULL)
    return FALSE;
  n = ph_aten_wants_list (l) ? ph_value_dim (x, (int) (axis < 0 && ph_value_rank (x) > 0 ? axis + ph_value_rank (x) : axis))
                             : l->n_out;
  if (n < 0 || n > (gint64) G_N_ELEMENTS (parts))
    return ph_convert_stay (l, "the size of the dimension is not known, or above %u", (guint) G_N_ELEMENTS (parts));
  for (gint64 i = 0; i < n; i++)
    parts[i] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x,
                              ph_build_scalar (l->b, PH_INT64, (double) i));
  return ph_aten_give_parts (l, parts, (guint) n, out);
}

/* A part of a list of tensors. */
static gboolean
list_part (PhConvert *l, PhValue *list, PhValue **out)
{
  const gint64 n = list->producer->inputs->len, step = ph_aten_int (l, "step", 1);
  gint64 start = ph_aten_int (l, "start", step < 0 ? n : 0), end = ph_aten_int (l, "end", step < 0 ? -1 - n : n);
  g_autofree PhValue **parts = g_new0 (PhValue *, (gsize) n + 1);
  guint count = 0;

  if (l->stays != NULL || step == 0 || ABS (step) > G_MAXINT32)
    return ph_convert_stay (l, "its bounds are not known");
  start = CLAMP (start < 0 ? start + n : start, step < 0 ? -1 : 0, n - (step < 0));
  end = CLAMP (end < 0 ? end + n : end, step < 0 ? -1 : 0, n - (step < 0));
  for (gint64 i = start; step < 0 ? i > end : i < end; i += step)
    parts[count++] = list->producer->inputs->pdata[i];
  return (out[0] = ph_aten_new_list (l, parts, count)) != NULL;
}

static gboolean
slice (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_aten_int (l, "dim", 0);
  PhValue *x = ph_aten_operand (l), *start, *end;

  if (x == NULL)
    return FALSE;
  if (ph_aten_is_tensors (x) && l->n_out == 1 && x->producer->inputs->len > 0 && x->producer->inputs->pdata[0] != NULL
      && ph_value_rank (x->producer->inputs->pdata[0]) > 0)
    return list_part (l, x, out);
  start = ph_aten_one (l, "start", 0);
  if (strcmp (ph_aten_name (l), "narrow") == 0)
    end = PH_BUILD (l->b, Add, start, ph_aten_one (l, "length", 0));
  else
    end = ph_aten_one (l, "end", G_MAXINT64);
  if (strcmp (ph_aten_name (l), "narrow") == 0 && ph_aten_computed (l, "start") == NULL && ph_aten_computed (l, "length") == NULL)
    {
      const gint64 first = ph_aten_int (l, "start", 0), last = first + ph_aten_int (l, "length", 0);

      out[0] = ph_aten_slice (l, x, axis, first, first < 0 && last >= 0 ? G_MAXINT64 : last);
    }
  else
    out[0] = PH_BUILD (l->b, Slice, x, start, end, ph_convert_ints_value (l, &axis, 1), ph_aten_one (l, "step", 1));
  for (guint i = l->n_out; l->n_out > 1 && i-- > 0;) /* of a list that is unpacked */
    out[i] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), out[0],
                            ph_build_scalar (l->b, PH_INT64, (double) i));
  return TRUE;
}

static gboolean
select_ (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_aten_int (l, "dim", 0);
  PhValue *x = ph_aten_operand (l), *index = ph_aten_computed (l, "index");

  if (x == NULL)
    return FALSE;
  if (index == NULL)
    index = ph_build_scalar (l->b, PH_INT64, (double) ph_aten_int (l, "index", 0));
  else
    index = ph_convert_reshape (l, ph_convert_cast (l, index, PH_INT64), NULL, 0);
  out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
  return TRUE;
}

/* ── borders and order ── */

/* The widths of padding as ONNX has them, all starts before all ends; PyTorch lists both of the last dimension first. NULL: not known. */
static PhValue *
pad_widths (PhConvert *l, const char *name, guint rank)
{
  gint64 given[2 * PH_MAX_RANK], pads[2 * PH_MAX_RANK] = { 0 }, order[2 * PH_MAX_RANK];
  guint n = G_N_ELEMENTS (given);
  const PhValue *computed = ph_aten_computed (l, name);
  PhValue *widths;

  if (ph_aten_ints (l, name, given, &n) && n % 2 == 0 && n / 2 <= rank)
    {
      for (guint i = 0; i < n / 2; i++)
        {
          pads[rank - 1 - i] = given[2 * i];
          pads[2 * rank - 1 - i] = given[2 * i + 1];
        }
      return ph_convert_ints_value (l, pads, 2 * (gsize) rank);
    }
  n = computed != NULL && computed->producer != NULL && ph_aten_is_list (computed->producer) ? computed->producer->inputs->len
                                                                                             : 0;
  widths = n > 0 && n % 2 == 0 && n / 2 <= rank ? ph_aten_sizes (l, name, -1) : NULL;
  if (widths == NULL)
    {
      ph_convert_stay (l, "the width of the padding is not known");
      return NULL;
    }
  for (guint i = 0; i < rank; i++)
    for (guint end = 0; end < 2; end++)
      order[end * rank + rank - 1 - i] = i < n / 2 ? 2 * i + end : n; /* behind them is a zero */
  return PH_BUILD (l->b, Gather, ph_aten_concat (l, (PhValue *[]) { widths, ph_convert_ints_value (l, pads, 1) }, 2, 0),
                   ph_convert_ints_value (l, order, 2 * (gsize) rank));
}

static gboolean
pad (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l), *mode = ph_node_attr_string (l->node, "mode", "constant"), *onnx;
  PhValue *x = ph_aten_operand (l), *widths;
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  PhAtenArg value;

  if (x == NULL || rank < 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  widths = pad_widths (l, strcmp (op, "pad") == 0 || strcmp (op, "constant_pad_nd") == 0 ? "pad" : "padding", (guint) rank);
  if (widths == NULL)
    return FALSE;
  if (g_str_has_prefix (op, "reflection"))
    mode = "reflect";
  else if (g_str_has_prefix (op, "replication"))
    mode = "replicate";
  onnx = strcmp (mode, "replicate") == 0 ? "edge" : strcmp (mode, "circular") == 0 ? "wrap" : mode;
  if (strcmp (onnx, "constant") == 0 && ph_aten_arg (l, 1, "value", &value))
    out[0] = PH_BUILD (l->b, Pad, x, widths, ph_aten_as (l, &value, ph_convert_dtype (x), x));
  else
    out[0] = PH_BUILD_WITH (l->b, Pad, PH_ATTRS (ph_attr_new_string ("mode", onnx)), x, widths);
  return TRUE;
}

static gboolean
flip (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (x == NULL || !ph_aten_ints (l, "dims", axes, &n))
    return ph_convert_stay (l, "its dims are not known");
  out[0] = ph_convert_reverse (l, x, axes, n);
  return TRUE;
}

static gboolean
roll (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *whole;
  gint64 shifts[PH_MAX_RANK], axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK, m = PH_MAX_RANK;

  if (x == NULL || !ph_aten_ints (l, "shifts", shifts, &n) || (!ph_aten_ints (l, "dims", axes, &m) && ph_aten_has (l, "dims")))
    return ph_convert_stay (l, "its shifts and dims are not known");
  whole = x;
  if (m == 0 && n == 1) /* of all elements in order */
    {
      x = ph_convert_reshape (l, x, (gint64[]) { -1 }, 1);
      axes[m++] = 0;
    }
  if (n != m)
    return ph_convert_stay (l, "it does not have a shift for each dimension");
  for (guint i = 0; i < n && x != NULL; i++)
    {
      const int axis = ph_aten_axis (l, x, axes[i]);
      const gint64 size = axis >= 0 ? ph_value_dim (x, axis) : -1;
      gint64 shift;

      if (size < 0)
        return ph_convert_stay (l, "the size of the dimension is not known");
      if (size == 0 || (shift = (shifts[i] % size + size) % size) == 0)
        continue;
      x = ph_aten_concat (
          l, PH_VALUES_ (ph_aten_slice (l, x, axis, size - shift, size), ph_aten_slice (l, x, axis, 0, size - shift)), 2, axis);
    }
  out[0] = ph_value_rank (whole) != ph_value_rank (x) ? PH_BUILD (l->b, Reshape, x, ph_aten_shape_part (l, whole, 0, G_MAXINT64))
                                                      : x;
  return x != NULL;
}

static gboolean
triangle (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  out[0] = PH_BUILD_WITH (l->b, Trilu, PH_ATTRS (ph_attr_new_int ("upper", strcmp (ph_aten_name (l), "triu") == 0)), x,
                          ph_convert_reshape (l, ph_aten_one (l, "diagonal", 0), NULL, 0));
  return TRUE;
}

static const char same_numbers[] = "Both return the same elements in another order or shape.";
static const char dims[] = "In both, a negative dimension counts from the end.";

/* clang-format off */
const PhConvertRule ph_convert_aten_shape[] = {
  { "aten:view", view, "Reshape", same_numbers }, { "aten:reshape", view, "Reshape", same_numbers }, { "aten:_unsafe_view", view, "Reshape", same_numbers }, { "aten:_reshape_alias", view, "Reshape", same_numbers },
  { "aten:view_as", view, "Reshape to the Shape of the other", same_numbers }, { "aten:reshape_as", view, "Reshape to the Shape of the other", same_numbers },
  { "aten:flatten", flatten, "Flatten, or Reshape", "ONNX's Flatten always gives two dimensions." }, { "aten:unflatten", unflatten, "Reshape", same_numbers },
  { "aten:squeeze", squeeze, "Squeeze", "PyTorch only removes the dimension if its size is one." }, { "aten:unsqueeze", unsqueeze, "Unsqueeze", dims },
  { "aten:permute", permute, "Transpose", dims }, { "aten:transpose", permute, "Transpose", "ONNX's Transpose lists the order of all dimensions." },
  { "aten:swapaxes", permute, "Transpose", "ONNX's Transpose lists the order of all dimensions." }, { "aten:swapdims", permute, "Transpose", "ONNX's Transpose lists the order of all dimensions." },
  { "aten:t", permute, "Transpose", dims }, { "aten:numpy_T", permute, "Transpose", dims }, { "aten:mT", permute, "Transpose", dims },
  { "aten:movedim", permute, "Transpose", "ONNX's Transpose lists the order of all dimensions." },
  { "aten:broadcast_to", expand, "Expand", "In PyTorch -1 keeps a size; in ONNX's Expand a 1 does." },
  { "aten:expand", expand, "Expand", "In PyTorch -1 keeps a size; in ONNX's Expand a 1 does." }, { "aten:expand_as", expand, "Expand to the Shape of the other", same_numbers },
  { "aten:repeat", repeat, "Tile", "PyTorch adds leading dimensions first." }, { "aten:tile", repeat, "Tile", "PyTorch adds leading dimensions first." },
  { "aten:split", split, "Slices", "The parts are slices along one dimension; the last one may be smaller." }, { "aten:split_with_sizes", split, "Slices", dims }, { "aten:chunk", split, "Slices", "The parts are slices along one dimension; the last one may be smaller." },
  { "aten:unsafe_chunk", split, "Slices", "The parts are slices along one dimension; the last one may be smaller." }, { "aten:unsafe_split", split, "Slices", "The parts are slices along one dimension; the last one may be smaller." },
  { "aten:tensor_split", split, "Slices", "If the size is not divisible, the first parts get one element more." },
  { "aten:unbind", unbind, "Gathers", "A single index removes its dimension." },
  { "aten:slice", slice, "Slice", "In both, an end past the last element is clamped." }, { "aten:narrow", slice, "Slice", dims },
  { "aten:select", select_, "Gather", "A single index removes its dimension." },
  { "aten:constant_pad_nd", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." }, { "aten:pad", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." },
  { "aten:reflection_pad1d", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." }, { "aten:reflection_pad2d", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." },
  { "aten:replication_pad1d", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." }, { "aten:replication_pad2d", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." },
  { "aten:reflection_pad3d", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." }, { "aten:replication_pad3d", pad, "Pad", "PyTorch lists the padding from the last dimension on; ONNX lists all starts and then all ends." },
  { "aten:flip", flip, "Slice with steps of -1", dims }, { "aten:roll", roll, "Concat of two Slices", "ONNX has no identical operator, so it is composed of others." },
  { "aten:tril", triangle, "Trilu", same_numbers }, { "aten:triu", triangle, "Trilu", same_numbers },
  { NULL }
};
/* clang-format on */
