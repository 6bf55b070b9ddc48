/* index-pairs.c: x[i, j] with arrays i and j: the elements x[i[0], j[0]], x[i[1], j[1]], ...
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-emit.h"
#include "core/script/script-index.h"

static gboolean
is_advanced (const PhScriptIndex *index)
{
  return index->kind == PH_SCRIPT_INDEX_ARRAY || index->kind == PH_SCRIPT_INDEX_PICK;
}

gboolean
ph_script_is_scattered (GArray *indices)
{
  guint first = G_MAXUINT, last = 0, n = 0;

  for (guint i = 0; i < indices->len; i++)
    if (is_advanced (&g_array_index (indices, PhScriptIndex, i)))
      {
        first = MIN (first, i);
        last = i;
        n++;
      }
  return n > 0 && last - first + 1 != n;
}

/* Returns zeros of the shape to which all indices broadcast. */
static PhScriptValue *
meeting_zeros (PhScriptMachine *machine, GPtrArray *parts, GError **error)
{
  g_autoptr (PhScriptValue) zeros = NULL;

  for (guint i = 0; i < parts->len; i++)
    {
      g_autoptr (PhScriptValue) none = PH_EMIT (machine, Sub, error, parts->pdata[i], parts->pdata[i]);
      PhScriptValue *both;

      if (none == NULL)
        return NULL;
      both = zeros == NULL ? ph_script_value_ref (none) : PH_EMIT (machine, Add, error, zeros, none);
      if (both == NULL)
        return NULL;
      if (zeros != NULL)
        ph_script_value_unref (zeros);
      zeros = both;
    }
  return g_steal_pointer (&zeros);
}

/* Joins the indices of each element in a last dimension, as GatherND requires. @rank: that of the other dimensions. */
static PhScriptValue *
join_indices (PhScriptMachine *machine, GPtrArray *parts, int *rank, GError **error)
{
  g_autoptr (PhScriptValue) zeros = meeting_zeros (machine, parts, error), last = ph_script_ints ((gint64[]) { -1 }, 1);
  g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  PhScriptValue *joined;

  if (zeros == NULL)
    return NULL;
  *rank = ph_script_rank (zeros);
  for (guint i = 0; i < parts->len; i++)
    {
      g_autoptr (PhScriptValue) wide = PH_EMIT (machine, Add, error, parts->pdata[i], zeros);
      PhScriptValue *column = wide != NULL ? PH_EMIT (machine, Unsqueeze, error, wide, last) : NULL;

      if (column == NULL)
        return NULL;
      g_ptr_array_add (columns, column);
    }
  return ph_script_emit (machine, &ph_op_Concat, (PhScriptValue *const *) columns->pdata, columns->len,
                         PH_ATTRS (ph_attr_new_int ("axis", -1)), &joined, 1, error)
             ? joined
             : NULL;
}

static PhScriptValue *
transpose (PhScriptMachine *machine, PhScriptValue *x, const gint64 *perm, guint n, GError **error)
{
  return PH_EMIT_WITH (machine, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, n)), error, x);
}

PhScriptValue *
ph_script_take_pairs (PhScriptMachine *machine, const PhPy *at, PhScriptValue *x, GArray *indices, GError **error)
{
  const int rank = ph_script_rank (x);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  g_autoptr (PhScriptValue) front = NULL, places = NULL, taken = NULL;
  gint64 perm[PH_MAX_RANK], back[PH_MAX_RANK * 2];
  guint n = 0, first = 0, n_back = 0;
  int met = 0;

  for (guint i = 0; i < indices->len; i++)
    if (g_array_index (indices, PhScriptIndex, i).kind == PH_SCRIPT_INDEX_NEW_AXIS)
      return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "None cannot be used beside several arrays of indices");
  if (rank < 0)
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "the rank of what the arrays pick from is not known");
  /* The dimensions that the arrays pick from come first, */
  for (guint i = 0; i < indices->len; i++)
    {
      const PhScriptIndex *index = &g_array_index (indices, PhScriptIndex, i);
      PhScriptValue *part;

      if (!is_advanced (index))
        continue;
      if ((part = ph_script_cast (machine, index->parts[0], PH_INT64, error)) == NULL)
        return NULL;
      g_ptr_array_add (parts, part);
      first = n == 0 ? i : first;
      perm[n++] = i;
    }
  for (guint i = 0, k = n; i < (guint) rank; i++)
    if (i >= indices->len || !is_advanced (&g_array_index (indices, PhScriptIndex, i)))
      perm[k++] = i;
  if ((front = transpose (machine, x, perm, (guint) rank, error)) == NULL
      || (places = join_indices (machine, parts, &met, error)) == NULL
      || (taken = PH_EMIT (machine, GatherND, error, front, places)) == NULL)
    return NULL;
  if (ph_script_is_scattered (indices) || first == 0 || met < 0)
    return g_steal_pointer (&taken);
  /* The picked elements take the position of the first index. */
  for (guint i = 0; i < first; i++)
    back[n_back++] = met + i;
  for (int i = 0; i < met; i++)
    back[n_back++] = i;
  for (guint i = first; i < (guint) rank - n; i++)
    back[n_back++] = met + i;
  return transpose (machine, taken, back, n_back, error);
}
