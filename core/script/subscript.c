/* subscript.c: x[1, 2:4], x[::-1], x[i], x[x > 2], and the same on the left of an assignment.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"
#include "core/script/script-index.h"
#include "core/script/script-operate.h"

static void
index_clear (gpointer data)
{
  PhScriptIndex *index = data;

  for (guint i = 0; i < 3; i++)
    ph_script_value_unref (index->parts[i]);
}

/* Reads an integer, a number that the graph computes, or a tensor of one. */
static PhScriptValue *
whole_number (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, GError **error)
{
  if (value->number != NULL && value->number->kind == PH_SCRIPT_INT)
    return ph_script_value_ref (value->number);
  if (value->kind == PH_SCRIPT_INT
      || (value->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) == 0 && ph_dtype_is_integer (ph_script_dtype (value))))
    return ph_script_value_ref (value);
  return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "an index is an integer, not %s", ph_script_kind_name (value));
}

static gboolean
read_slice (PhScriptMachine *machine, const PhPy *py, PhScriptIndex *index, GError **error)
{
  for (guint i = 0; i < 3; i++)
    if (py->items[i] != NULL)
      {
        g_autoptr (PhScriptValue) value = ph_script_evaluate (machine, py->items[i], error);

        if (value == NULL)
          return FALSE;
        if (value->kind != PH_SCRIPT_NONE && (index->parts[i] = whole_number (machine, py->items[i], value, error)) == NULL)
          return FALSE;
      }
  if (index->parts[2] != NULL && index->parts[2]->kind == PH_SCRIPT_INT && index->parts[2]->i == 0)
    return ph_script_fail (machine, py, error, PH_ERROR_TYPE, "the step of a slice must not be 0") != NULL;
  return TRUE;
}

static gboolean
read_index (PhScriptMachine *machine, const PhPy *py, PhScriptIndex *index, GError **error)
{
  PhScriptValue *value;

  *index = (PhScriptIndex) { .at = py };
  if (py->kind == PH_PY_SLICE)
    return read_slice (machine, py, index, error);
  if (py->kind == PH_PY_CONSTANT && g_str_equal (py->text, "..."))
    {
      index->kind = PH_SCRIPT_INDEX_REST;
      return TRUE;
    }
  value = ph_script_evaluate (machine, py, error);
  /* [True, False] is a mask, whatever the other indices are. */
  if (value != NULL && ph_script_is_list (value) && (value->kind == PH_SCRIPT_TENSOR || value->n > 0))
    {
      g_autoptr (PhScriptValue) list = value;

      value = list->kind == PH_SCRIPT_TUPLE       ? ph_script_as_array (machine, list, error)
              : ph_script_dtype (list) == PH_BOOL ? ph_script_strong (machine, list, error)
                                                  : ph_script_value_ref (list);
    }
  if (value == NULL)
    return FALSE;
  if (value->kind == PH_SCRIPT_NONE)
    index->kind = PH_SCRIPT_INDEX_NEW_AXIS;
  else if (value->kind == PH_SCRIPT_TENSOR && ph_script_dtype (value) == PH_BOOL && ph_script_rank (value) != 0)
    index->kind = PH_SCRIPT_INDEX_MASK;
  else if (value->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) > 0 && ph_dtype_is_integer (ph_script_dtype (value)))
    index->kind = PH_SCRIPT_INDEX_ARRAY;
  else
    {
      PhScriptValue *number = whole_number (machine, py, value, error);

      ph_script_value_unref (value);
      if (number == NULL)
        return FALSE;
      index->kind = PH_SCRIPT_INDEX_PICK;
      value = number;
    }
  index->parts[0] = value;
  return TRUE;
}

/* Reads the indices of a SUBSCRIPT, expanding "..." to one for each dimension. (transfer full) (nullable) */
static GArray *
read_indices (PhScriptMachine *machine, const PhPy *at, int rank, GError **error)
{
  const PhPy *py = at->items[1];
  const gboolean several = py->kind == PH_PY_TUPLE;
  const guint n = several ? py->n : 1;
  g_autoptr (GArray) indices = g_array_new (FALSE, TRUE, sizeof (PhScriptIndex));
  guint used = 0, rest = G_MAXUINT;

  g_array_set_clear_func (indices, index_clear);
  for (guint i = 0; i < n; i++)
    {
      PhScriptIndex index;
      const gboolean ok = read_index (machine, several ? py->items[i] : py, &index, error);

      g_array_append_val (indices, index);
      if (!ok)
        return NULL;
      if (index.kind == PH_SCRIPT_INDEX_REST && rest != G_MAXUINT)
        return ph_script_fail (machine, at, error, PH_ERROR_PARSE, "'...' stands once");
      if (index.kind == PH_SCRIPT_INDEX_REST)
        rest = i;
      else if (index.kind != PH_SCRIPT_INDEX_NEW_AXIS)
        used += index.kind == PH_SCRIPT_INDEX_MASK ? (guint) MAX (0, ph_script_rank (index.parts[0])) : 1;
    }
  if (rank >= 0 && used > (guint) rank)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%u indices for a tensor of %d dimensions", used, rank);
  if (rest != G_MAXUINT)
    {
      const PhScriptIndex all = { .kind = PH_SCRIPT_INDEX_SLICE, .at = at };

      if (rank < 0)
        return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "'...' of a tensor whose rank is not known");
      g_array_remove_index (indices, rest);
      for (guint i = used; i < (guint) rank; i++)
        g_array_insert_val (indices, rest, all);
    }
  return g_steal_pointer (&indices);
}

/* ── slices ── */

/* Normalizes the bounds of a slice of @size elements like Python. */
static void
adjust (gint64 size, gint64 *start, gint64 *stop, gint64 *step)
{
  gint64 n;

  if (*start < 0)
    *start = MAX (*start + size, *step < 0 ? -1 : 0);
  else
    *start = MIN (*start, *step < 0 ? size - 1 : size);
  if (*stop < 0)
    *stop = MAX (*stop + size, *step < 0 ? -1 : 0);
  else
    *stop = MIN (*stop, *step < 0 ? size - 1 : size);
  n = *step > 0 ? (*stop > *start ? (*stop - *start - 1) / *step + 1 : 0)
                : (*stop < *start ? (*start - *stop - 1) / -*step + 1 : 0);
  if (n == 0)
    {
      *start = *stop = 0;
      *step = 1;
    }
  else if (*stop < 0)
    *stop = G_MININT64;
}

static PhScriptValue *
bound (PhScriptMachine *machine, PhScriptValue *part, gint64 fallback, GError **error)
{
  g_autoptr (PhScriptValue) number = NULL, shape = NULL;

  if (part == NULL || part->kind == PH_SCRIPT_INT)
    return ph_script_ints ((gint64[]) { part != NULL ? part->i : fallback }, 1);
  number = ph_script_cast (machine, part, PH_INT64, error);
  shape = ph_script_ints ((gint64[]) { 1 }, 1);
  return number != NULL ? PH_EMIT (machine, Reshape, error, number, shape) : NULL;
}

static PhScriptValue *
emit_slice (PhScriptMachine *machine, PhScriptValue *x, const PhScriptIndex *index, gint64 axis, GError **error)
{
  g_autoptr (PhScriptValue) start = NULL, stop = NULL, step = NULL, axes = ph_script_ints (&axis, 1);
  const PhScriptValue *const *parts = (const PhScriptValue *const *) index->parts;
  const gboolean backwards = parts[2] != NULL && parts[2]->kind == PH_SCRIPT_INT && parts[2]->i < 0;
  const gint64 size = ph_script_dim (x, (guint) axis);

  if (parts[2] != NULL && parts[2]->kind != PH_SCRIPT_INT && (parts[0] == NULL || parts[1] == NULL))
    return ph_script_fail (machine, index->at, error, PH_ERROR_UNSUPPORTED,
                           "where the graph computes the step of a slice both bounds are wanted");
  if (size >= 0 && (parts[0] == NULL || parts[0]->kind == PH_SCRIPT_INT) && (parts[1] == NULL || parts[1]->kind == PH_SCRIPT_INT)
      && (parts[2] == NULL || parts[2]->kind == PH_SCRIPT_INT))
    {
      gint64 by = parts[2] != NULL ? parts[2]->i : 1, from = parts[0] != NULL ? parts[0]->i : backwards ? G_MAXINT64 : 0;
      gint64 to = parts[1] != NULL ? parts[1]->i : backwards ? G_MININT64 + size : G_MAXINT64;

      ph_script_decide (machine, index->at, size);
      by = MAX (by, -G_MAXINT64);
      adjust (size, &from, &to, &by);
      if (from == 0 && to == size && by == 1)
        return ph_script_value_ref (x);
      start = ph_script_ints (&from, 1);
      stop = ph_script_ints (&to, 1);
      step = ph_script_ints (&by, 1);
    }
  else
    {
      start = bound (machine, index->parts[0], backwards ? G_MAXINT64 : 0, error);
      stop = start != NULL ? bound (machine, index->parts[1], backwards ? G_MININT64 : G_MAXINT64, error) : NULL;
      step = stop != NULL ? bound (machine, index->parts[2], 1, error) : NULL;
    }
  return step != NULL ? PH_EMIT (machine, Slice, error, x, start, stop, axes, step) : NULL;
}

/* ── reading ── */

static PhScriptValue *
emit_gather (PhScriptMachine *machine, PhScriptValue *x, PhScriptValue *index, gint64 axis, GError **error)
{
  return PH_EMIT_WITH (machine, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), error, x, index);
}

static PhScriptValue *
emit_mask (PhScriptMachine *machine, PhScriptValue *x, PhScriptValue *mask, GError **error)
{
  g_autoptr (PhScriptValue) places = NULL, pairs = NULL;

  if (ph_script_rank (mask) == 1)
    return PH_EMIT_WITH (machine, Compress, PH_ATTRS (ph_attr_new_int ("axis", 0)), error, x, mask);
  places = PH_EMIT (machine, NonZero, error, mask);
  pairs = places != NULL
              ? PH_EMIT_WITH (machine, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 1, 0 }, 2)), error, places)
              : NULL;
  return pairs != NULL ? PH_EMIT (machine, GatherND, error, x, pairs) : NULL;
}

static gboolean
check_mask (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, PhScriptValue *mask, guint axis, GError **error)
{
  const int rank = ph_script_rank (mask);

  for (int i = 0; i < rank; i++)
    {
      const gint64 a = ph_script_dim (x, axis + (guint) i), b = ph_script_dim (mask, (guint) i);

      if (a >= 0 && b >= 0 && a != b)
        {
          ph_script_fail (machine, at, error, PH_ERROR_TYPE,
                          "the mask has %" G_GINT64_FORMAT
                          " elements along dimension %d, what it picks from has %" G_GINT64_FORMAT,
                          b, (int) axis + i, a);
          return FALSE;
        }
    }
  return rank >= 0 || ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "the rank of the mask is not known") != NULL;
}

/* Replaces masks beside other indices by the indices of their true elements. */
static gboolean
masks_to_arrays (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, GArray *indices, GError **error)
{
  guint axis = 0;

  for (guint i = 0; i < indices->len; i++)
    {
      PhScriptIndex *index = &g_array_index (indices, PhScriptIndex, i);
      g_autoptr (PhScriptValue) places = NULL;

      if (index->kind == PH_SCRIPT_INDEX_MASK)
        {
          g_autoptr (PhScriptValue) line = ph_script_ints ((gint64[]) { -1 }, 1);

          if (ph_script_rank (index->parts[0]) != 1)
            return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                                   "a mask of several dimensions must be the only index: x[mask][...]")
                   != NULL;
          if (!check_mask (machine, at, x, index->parts[0], axis, error)
              || (places = PH_EMIT (machine, NonZero, error, index->parts[0])) == NULL)
            return FALSE;
          ph_script_value_unref (index->parts[0]);
          index->kind = PH_SCRIPT_INDEX_ARRAY;
          if ((index->parts[0] = PH_EMIT (machine, Reshape, error, places, line)) == NULL)
            return FALSE;
        }
      axis += index->kind != PH_SCRIPT_INDEX_NEW_AXIS;
    }
  return TRUE;
}

static PhScriptValue *
take (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, GArray *indices, GError **error)
{
  /* The items of a list of integers are integers; at the prompt it is a tensor of floats. */
  const gboolean list = of->weak && !machine->frame->typed && ph_dtype_is_integer (ph_script_dtype (of));
  g_autoptr (PhScriptValue) x = list ? ph_script_cast (machine, of, PH_INT64, error) : ph_script_strong (machine, of, error);
  g_autoptr (GArray) fresh = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 axis = 0, out = 0;
  guint n_arrays = 0, n_picks = 0;
  gboolean view = TRUE;

  if (x == NULL)
    return NULL;
  if (indices->len == 1 && g_array_index (indices, PhScriptIndex, 0).kind == PH_SCRIPT_INDEX_MASK)
    {
      PhScriptValue *mask = g_array_index (indices, PhScriptIndex, 0).parts[0];

      return check_mask (machine, at, x, mask, 0, error) ? emit_mask (machine, x, mask, error) : NULL;
    }
  if (!masks_to_arrays (machine, at, x, indices, error))
    return NULL;
  for (guint i = 0; i < indices->len; i++)
    {
      const PhScriptIndex *index = &g_array_index (indices, PhScriptIndex, i);

      if (index->kind == PH_SCRIPT_INDEX_NEW_AXIS)
        g_array_append_val (fresh, out);
      n_arrays += index->kind == PH_SCRIPT_INDEX_ARRAY;
      n_picks += index->kind == PH_SCRIPT_INDEX_PICK;
      out += index->kind == PH_SCRIPT_INDEX_ARRAY ? ph_script_rank (index->parts[0]) : index->kind != PH_SCRIPT_INDEX_PICK;
      axis += index->kind != PH_SCRIPT_INDEX_NEW_AXIS;
      if (index->kind == PH_SCRIPT_INDEX_SLICE && (index->parts[0] != NULL || index->parts[1] != NULL || index->parts[2] != NULL))
        {
          PhScriptValue *part = emit_slice (machine, x, index, axis - 1, error);

          if (part == NULL)
            return NULL;
          ph_script_value_unref (x);
          x = part;
        }
    }
  if (n_arrays > 1 || (n_arrays == 1 && n_picks > 0 && ph_script_is_scattered (indices)))
    return ph_script_take_pairs (machine, at, x, indices, error);
  for (guint i = indices->len; i-- > 0;)
    {
      const PhScriptIndex *index = &g_array_index (indices, PhScriptIndex, i);

      axis -= index->kind != PH_SCRIPT_INDEX_NEW_AXIS;
      if (index->kind == PH_SCRIPT_INDEX_PICK || index->kind == PH_SCRIPT_INDEX_ARRAY)
        {
          PhScriptValue *part = emit_gather (machine, x, index->parts[0], axis, error);

          if (part == NULL)
            return NULL;
          view = view && index->kind == PH_SCRIPT_INDEX_PICK;
          ph_script_value_unref (x);
          x = part;
        }
    }
  if (fresh->len > 0)
    {
      g_autoptr (PhScriptValue) axes = ph_script_ints ((gint64 *) (gpointer) fresh->data, fresh->len);
      PhScriptValue *part = PH_EMIT (machine, Unsqueeze, error, x, axes);

      if (part == NULL)
        return NULL;
      ph_script_value_unref (x);
      x = part;
    }
  /* As in numpy, a slice shares its elements with the array. */
  if (view && ph_script_rank (x) != 0 && x != of)
    x->memory = of->memory;
  return g_steal_pointer (&x);
}

/* Takes items of a tuple, for which the index must be known numbers. */
static PhScriptValue *
take_items (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, const PhScriptIndex *index, GError **error)
{
  const gint64 n = of->n;
  PhScriptValue *result = NULL;

  if (index->kind == PH_SCRIPT_INDEX_PICK && index->parts[0]->kind == PH_SCRIPT_INT)
    {
      const gint64 i = index->parts[0]->i < 0 ? index->parts[0]->i + n : index->parts[0]->i;

      result = i >= 0 && i < n
                   ? ph_script_value_ref (of->items[i])
                   : ph_script_fail (machine, at, error, PH_ERROR_TYPE,
                                     "there is no item %" G_GINT64_FORMAT " in %" G_GINT64_FORMAT, index->parts[0]->i, n);
    }
  else if (index->kind == PH_SCRIPT_INDEX_SLICE)
    {
      gint64 bounds[3] = { 0, G_MAXINT64, 1 };
      g_autoptr (GPtrArray) items = g_ptr_array_new ();
      gboolean known = TRUE;

      if (index->parts[2] != NULL && index->parts[2]->kind == PH_SCRIPT_INT && index->parts[2]->i < 0)
        {
          bounds[0] = G_MAXINT64;
          bounds[1] = G_MININT64 + n;
        }
      for (guint i = 0; i < 3; i++)
        if (index->parts[i] != NULL)
          {
            known = known && index->parts[i]->kind == PH_SCRIPT_INT;
            bounds[i] = index->parts[i]->i;
          }
      adjust (n, &bounds[0], &bounds[1], &bounds[2]);
      if (known)
        for (gint64 i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > MAX (bounds[1], -1); i += bounds[2])
          g_ptr_array_add (items, of->items[i]);
      if (known)
        result = of->list ? ph_script_list_again (machine, at, of, items, error)
                          : ph_script_tuple ((PhScriptValue *const *) items->pdata, items->len, FALSE);
    }
  if (result == NULL && (error == NULL || *error == NULL))
    ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                    "%s has items with numbers that are known: a graph cannot look one up", ph_script_kind_name (of));
  return result;
}

/* Returns TRUE for a number, or a slice between numbers. */
static gboolean
is_known (const PhScriptIndex *index)
{
  for (guint i = 0; i < G_N_ELEMENTS (index->parts); i++)
    if (index->parts[i] != NULL && index->parts[i]->kind != PH_SCRIPT_INT)
      return FALSE;
  return index->kind == PH_SCRIPT_INDEX_SLICE || (index->kind == PH_SCRIPT_INDEX_PICK && index->parts[0] != NULL);
}

PhScriptValue *
ph_script_subscript (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, GError **error)
{
  const PhPy *outer = machine->at;
  g_autoptr (GArray) indices = NULL;
  g_autoptr (PhScriptValue) list = NULL;
  PhScriptValue *result;

  if (of->kind == PH_SCRIPT_TUPLE)
    {
      PhScriptIndex index = { 0 };

      result = read_index (machine, at->items[1], &index, error) ? take_items (machine, at, of, &index, error) : NULL;
      index_clear (&index);
      return result;
    }
  if (of->kind != PH_SCRIPT_TENSOR)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%s has no elements", ph_script_kind_name (of));
  indices = read_indices (machine, at, ph_script_rank (of), error);
  if (indices == NULL)
    return NULL;
  if (ph_script_is_list (of) && indices->len == 1 && is_known (&g_array_index (indices, PhScriptIndex, 0))
      && (list = ph_script_list_as_tuple (machine, of)) != NULL)
    return take_items (machine, at, list, &g_array_index (indices, PhScriptIndex, 0), error);
  machine->at = at;
  result = take (machine, at, of, indices, error);
  machine->at = outer;
  return result;
}

PhScriptValue *
ph_script_row (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, PhScriptValue *index, GError **error)
{
  const PhPy *outer = machine->at;
  PhScriptValue *row;

  machine->at = at;
  row = emit_gather (machine, of, index, 0, error);
  machine->at = outer;
  if (row != NULL && ph_script_rank (row) != 0)
    row->memory = of->memory;
  return row;
}

/* ── writing ── */

/* x[mask] = one value for each element, or row, that the mask picks. */
static PhScriptValue *
scatter_mask (PhScriptMachine *machine, PhScriptValue *x, PhScriptValue *mask, PhScriptValue *value, GError **error)
{
  g_autoptr (PhScriptValue) cast = NULL, pairs = NULL, places = PH_EMIT (machine, NonZero, error, mask);

  if (places == NULL
      || (pairs = PH_EMIT_WITH (machine, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 1, 0 }, 2)), error, places))
             == NULL
      || (cast = ph_script_cast (machine, value, ph_script_dtype (x), error)) == NULL)
    return NULL;
  return PH_EMIT (machine, ScatterND, error, x, pairs, cast);
}

static PhScriptValue *
store_mask (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, PhScriptValue *mask, PhScriptValue *value, GError **error)
{
  const int rank = ph_script_rank (x), rank_mask = ph_script_rank (mask);
  g_autoptr (PhScriptValue) wide = ph_script_value_ref (mask), cast = NULL;
  gint64 axes[PH_MAX_RANK];

  if (!check_mask (machine, at, x, mask, 0, error))
    return NULL;
  if (ph_script_rank (value) != 0)
    return scatter_mask (machine, x, mask, value, error);
  for (int i = rank_mask; i < rank; i++)
    axes[i - rank_mask] = i;
  if (rank > rank_mask)
    {
      g_autoptr (PhScriptValue) list = ph_script_ints (axes, (guint) (rank - rank_mask));
      PhScriptValue *more = PH_EMIT (machine, Unsqueeze, error, mask, list);

      if (more == NULL)
        return NULL;
      ph_script_value_unref (wide);
      wide = more;
    }
  cast = ph_script_cast (machine, value, ph_script_dtype (x), error);
  return cast != NULL ? PH_EMIT (machine, Where, error, wide, cast, x) : NULL;
}

/* Returns 0, 1, 2, ... in the shape of @x. */
static PhScriptValue *
number_elements (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, PhScriptValue *shape, GError **error)
{
  const PhType *type = ph_script_type (x);
  g_autoptr (PhScriptValue) size = NULL, row = NULL, zero = ph_script_tensor (ph_tensor_new_scalar (PH_INT64, 0)),
                            one = ph_script_tensor (ph_tensor_new_scalar (PH_INT64, 1));
  gint64 dims[PH_MAX_RANK], n;
  PhTensor *count;

  if (type == NULL || !ph_type_is_static (type))
    return (size = PH_EMIT (machine, Size, error, x)) == NULL || (row = PH_EMIT (machine, Range, error, zero, size, one)) == NULL
               ? NULL
               : PH_EMIT (machine, Reshape, error, row, shape);
  n = ph_type_count (type);
  ph_script_decide (machine, at, n); /* a trace keeps it, whatever size x[x > 0] has */
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  count = ph_tensor_new (PH_INT64, type->rank, dims);
  if (count == NULL)
    return ph_script_fail (machine, at, error, PH_ERROR_FAILED, "this is too large for memory");
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) ph_tensor_writable (count))[i] = i;
  return ph_script_tensor (count);
}

/* Returns the shape of @x as a tensor. */
static PhScriptValue *
whole_shape (PhScriptMachine *machine, PhScriptValue *x, GError **error)
{
  const PhType *type = ph_script_type (x);
  gint64 dims[PH_MAX_RANK];

  if (type == NULL || !ph_type_is_static (type))
    return PH_EMIT (machine, Shape, error, x);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_script_ints (dims, type->rank);
}

/* Stores elements at the places that the indices pick, found by indexing the numbers of all elements. */
static PhScriptValue *
store_elements (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, GArray *indices, PhScriptValue *value, GError **error)
{
  g_autoptr (PhScriptValue) numbers = NULL, places = NULL, cast = NULL, shape = NULL, flat = NULL, line = NULL, wide = NULL,
                            flat_places = NULL, flat_values = NULL;
  g_autoptr (PhScriptValue) stored = NULL, whole = whole_shape (machine, x, error);

  line = ph_script_ints ((gint64[]) { -1 }, 1);
  if (whole == NULL || (numbers = number_elements (machine, at, x, whole, error)) == NULL
      || (places = take (machine, at, numbers, indices, error)) == NULL
      || (cast = ph_script_cast (machine, value, ph_script_dtype (x), error)) == NULL
      || (shape = PH_EMIT (machine, Shape, error, places)) == NULL
      || (wide = PH_EMIT (machine, Expand, error, cast, shape)) == NULL
      || (flat = PH_EMIT (machine, Reshape, error, x, line)) == NULL
      || (flat_places = PH_EMIT (machine, Reshape, error, places, line)) == NULL
      || (flat_values = PH_EMIT (machine, Reshape, error, wide, line)) == NULL
      || (stored = PH_EMIT (machine, ScatterElements, error, flat, flat_places, flat_values)) == NULL)
    return NULL;
  return PH_EMIT (machine, Reshape, error, stored, whole);
}

PhScriptValue *
ph_script_store (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, PhScriptValue *value, GError **error)
{
  const PhPy *outer = machine->at;
  g_autoptr (GArray) indices = NULL;
  g_autoptr (PhScriptValue) strong = NULL;
  PhScriptValue *result = NULL;

  if (of->kind != PH_SCRIPT_TENSOR && !ph_script_is_list (of))
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "%s cannot be written to", ph_script_kind_name (of));
  indices = read_indices (machine, at, of->kind == PH_SCRIPT_TENSOR ? ph_script_rank (of) : -1, error);
  if (indices == NULL)
    return NULL;
  if (ph_script_is_list (of))
    {
      const PhScriptIndex *only = &g_array_index (indices, PhScriptIndex, 0);

      return indices->len == 1 && only->kind == PH_SCRIPT_INDEX_PICK
                 ? ph_script_list_store (machine, at, of, only->parts[0], value, error)
                 : ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                                   "of a list one item is set at a time: write array([...])");
    }
  machine->at = at;
  strong = ph_script_strong (machine, of, error);
  if (strong != NULL && (value->kind == PH_SCRIPT_TENSOR || ph_script_is_number (value)))
    {
      PhScriptIndex *first = &g_array_index (indices, PhScriptIndex, 0);

      if (indices->len == 1 && first->kind == PH_SCRIPT_INDEX_MASK)
        result = store_mask (machine, at, strong, first->parts[0], value, error);
      else
        result = store_elements (machine, at, strong, indices, value, error);
    }
  else if (strong != NULL)
    ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%s cannot be an element", ph_script_kind_name (value));
  machine->at = outer;
  return result;
}
