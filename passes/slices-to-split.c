/* slices-to-split.c: replaces adjacent Slices by one Split.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*   x   x   x             x
 *   |   |   |             |
 *  0:2 2:4 4:6    =>    Split 2, 2, 2        They start at 0, follow each other without a gap, and end where the axis does. */

typedef struct
{
  PhNode *node;
  gint64 from, to;
} Part;

static gboolean
one_int (const PhValue *value, gint64 *number)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ph_value_ints (value, &values, &n) || n != 1)
    return FALSE;
  *number = values[0];
  return TRUE;
}

/* Reads a forward slice of one axis of known size that is not empty. */
static gboolean
read_part (PhNode *node, int *axis, Part *part)
{
  const PhValue *x = ph_node_input (node, 0);
  gint64 own = 0, step = 1, size;

  if (node->op != &ph_op_Slice || !one_int (ph_node_input (node, 1), &part->from) || !one_int (ph_node_input (node, 2), &part->to)
      || (ph_node_input (node, 3) != NULL && !one_int (ph_node_input (node, 3), &own))
      || (ph_node_input (node, 4) != NULL && !one_int (ph_node_input (node, 4), &step)) || step != 1)
    return FALSE;
  *axis = ph_axis_of (own, ph_value_rank (x));
  size = ph_value_dim (x, (int) own);
  if (*axis < 0 || size < 0)
    return FALSE;
  part->node = node;
  part->from = CLAMP (part->from < 0 ? part->from + size : part->from, 0, size);
  part->to = CLAMP (part->to < 0 ? part->to + size : part->to, 0, size);
  return part->from < part->to;
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;

  return (x->from > y->from) - (x->from < y->from);
}

/* Returns all slices of the value that @node slices, in order; NULL if they are no partition. (transfer full) (element-type Part) */
static GArray *
find_parts (PhNode *node, int *axis)
{
  PhValue *x = ph_node_input (node, 0);
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  gint64 at = 0;
  Part part;

  if (x == NULL || !read_part (node, axis, &part) || x->uses->len > 64)
    return NULL;
  for (guint u = 0; u < x->uses->len; u++)
    {
      PhNode *user = g_array_index (x->uses, PhUse, u).node;
      int other;

      if (user->graph == node->graph && !ph_node_is_tied (user) && ph_node_input (user, 0) == x && read_part (user, &other, &part)
          && other == *axis)
        g_array_append_val (parts, part);
    }
  g_array_sort (parts, by_start);
  for (guint i = 0; i < parts->len; i++)
    {
      if (g_array_index (parts, Part, i).from != at)
        return NULL;
      at = g_array_index (parts, Part, i).to;
    }
  return parts->len >= 2 && at == ph_value_dim (x, *axis) ? g_steal_pointer (&parts) : NULL;
}

static gboolean
are_parts (PhMatch *match)
{
  int axis;
  g_autoptr (GArray) parts = find_parts (match->root, &axis);

  return parts != NULL;
}

static gboolean
split (PhMatch *match, PhBuilder *b)
{
  int axis;
  g_autoptr (GArray) parts = find_parts (match->root, &axis);
  g_autofree gint64 *sizes = g_new (gint64, parts->len);
  PhValue *inputs[2] = { ph_node_input (match->root, 0) }, *first;
  PhNode *earliest = match->root;

  for (guint i = 0; i < parts->len; i++)
    {
      Part *part = &g_array_index (parts, Part, i);

      sizes[i] = part->to - part->from;
      if (part->node->order < earliest->order)
        earliest = part->node;
    }
  b->before = earliest;
  b->name = ph_node_output (g_array_index (parts, Part, 0).node, 0)->name;
  inputs[1] = ph_build_ints (b, sizes, parts->len);
  first = ph_build_node (b, &ph_op_Split, inputs, 2, PH_ATTRS (ph_attr_new_int ("axis", axis)), parts->len);
  for (guint i = 0; first != NULL && i < parts->len; i++)
    {
      PhValue *value = ph_node_output (first->producer, i);

      if (!ph_node_replace_all (g_array_index (parts, Part, i).node, &value, b))
        return FALSE;
    }
  return first != NULL;
}

static const PhRule rules[] = {
  { "slices-to-split", .root = &ph_op_Slice, .when = are_parts, .apply = split, .matches = "Slice(x, 0, a), Slice(x, a, end)",
    .becomes = "Split(x)", .why = "The slices cover x along one axis without gap or overlap, so one Split produces them all." },
};

/* clang-format off */
const PhPass ph_pass_slices_to_split = {
  .name = "slices-to-split", .group = "simplify", .summary = "Replaces adjacent slices that cover a tensor by one Split",
  .elsewhere = "ONNX Runtime GatherSliceToSplitFusion",
  .trap = "slices that overlap or leave a gap are not a Split.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
