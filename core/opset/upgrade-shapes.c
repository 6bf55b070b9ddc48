/* upgrade-shapes.c: operators that used to reshape their operands.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

/* axis: the dimension of the first operand that matches the second's first dimension. */
void
ph_upgrade_legacy_broadcast (PhUpgrade *u)
{
  PhValue *a = ph_node_input (u->node, 0), *b = ph_node_input (u->node, 1);
  gint64 axis = ph_node_attr_int (u->node, "axis", G_MAXINT64);
  gboolean broadcast = ph_node_attr_int (u->node, "broadcast", 0) != 0;

  ph_upgrade_set_attr (u, "axis", NULL);
  ph_upgrade_set_attr (u, "broadcast", NULL);
  if (!broadcast || axis == G_MAXINT64 || b == NULL)
    return;

  int rank_a = ph_value_rank (a), rank_b = ph_value_rank (b);
  g_autofree gint64 *axes = NULL;
  int missing;

  if (rank_a < 0 || rank_b < 0)
    {
      ph_upgrade_refuse (u, "broadcasting along axis %d needs the ranks of its inputs, which are unknown", (int) axis);
      return;
    }
  if (axis < 0)
    axis += rank_a;
  missing = rank_a - (int) axis - rank_b;
  if (missing <= 0)
    return;

  axes = g_new (gint64, missing);
  for (int i = 0; i < missing; i++)
    axes[i] = rank_b + i;
  u->b.name = b->name;
  b = PH_BUILD (&u->b, Unsqueeze, b, ph_build_ints (&u->b, axes, missing));
  if (b != NULL)
    ph_node_set_input (u->node, 1, b, &u->b.error);
}

/* A slope per channel had no other dimensions. */
void
ph_upgrade_prelu_slope (PhUpgrade *u)
{
  PhValue *slope = ph_node_input (u->node, 1);
  int rank = ph_value_rank (ph_node_input (u->node, 0));
  gint64 axes[PH_MAX_RANK];

  if (ph_value_rank (slope) != 1 || rank <= 2 || slope->type->dims[0].size == 1)
    return;
  for (int i = 0; i < rank - 2; i++)
    axes[i] = i + 1;
  u->b.name = slope->name;
  slope = PH_BUILD (&u->b, Unsqueeze, slope, ph_build_ints (&u->b, axes, rank - 2));
  if (slope != NULL)
    ph_node_set_input (u->node, 1, slope, &u->b.error);
}

/* Before opset 13 the input was flattened to a matrix at the axis; since then a single axis is normalized. */
void
ph_upgrade_softmax_matrix (PhUpgrade *u)
{
  PhValue *x = ph_node_input (u->node, 0), *y, *shape;
  const PhType *type = x->type;
  gint64 axis = ph_node_attr_int (u->node, "axis", 1);
  int rank = ph_value_rank (x);
  gboolean trailing_ones = rank >= 0;
  const PhOp *op = u->node->op;
  gint64 dims[PH_MAX_RANK];

  if (axis < 0 && rank < 0)
    {
      ph_upgrade_refuse (u, "its axis counts from the end and the rank of its input is unknown");
      return;
    }
  if (axis < 0)
    axis += rank;
  for (int i = (int) axis + 1; i < rank; i++)
    trailing_ones &= type->dims[i].size == 1;
  if (trailing_ones && axis < rank)
    {
      ph_upgrade_set_attr (u, "axis", ph_attr_new_int ("axis", axis == rank - 1 ? -1 : axis));
      return;
    }

  y = PH_BUILD_WITH (&u->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", axis)), x);
  y = ph_build_node (&u->b, op, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", 1)), 1);
  if (type != NULL && ph_type_is_static (type))
    {
      for (int i = 0; i < rank; i++)
        dims[i] = type->dims[i].size;
      shape = ph_build_ints (&u->b, dims, rank);
    }
  else
    shape = PH_BUILD (&u->b, Shape, x);
  /* A 0 means length 0 rather than a copied dimension; a copied one is 0 as well. */
  ph_upgrade_replace (u, PH_BUILD (&u->b, Reshape, y, shape));
}

/* A scale per group became a scale per channel. */
void
ph_upgrade_group_normalization (PhUpgrade *u)
{
  PhValue *x = ph_node_input (u->node, 0);
  gint64 groups = ph_node_attr_int (u->node, "num_groups", 0);

  if (ph_value_rank (x) < 2 || x->type->dims[1].size < 0 || groups <= 0)
    {
      ph_upgrade_refuse (u, "its number of channels is unknown");
      return;
    }
  for (guint i = 1; i < 3; i++)
    {
      PhValue *value = ph_node_input (u->node, i);
      gint64 column[] = { groups, 1 }, grid[] = { groups, x->type->dims[1].size / groups }, flat[] = { -1 };

      if (value == NULL)
        continue;
      u->b.name = value->name;
      value = PH_BUILD (&u->b, Reshape, value, ph_build_ints (&u->b, column, 2));
      value = PH_BUILD (&u->b, Expand, value, ph_build_ints (&u->b, grid, 2));
      value = PH_BUILD (&u->b, Reshape, value, ph_build_ints (&u->b, flat, 1));
      if (value != NULL)
        ph_node_set_input (u->node, i, value, &u->b.error);
    }
}
