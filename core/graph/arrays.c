/* arrays.c: inputs, outputs and uses: arrays that mostly have one or two elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

#include <string.h>

void
ph_uses_init (PhUses *uses, guint size)
{
  uses->len = 0;
  uses->size = MAX (size, G_N_ELEMENTS (uses->few));
  uses->data = uses->size > G_N_ELEMENTS (uses->few) ? g_new (PhUse, uses->size) : uses->few;
}

void
ph_values_init (PhValues *values, guint size)
{
  values->len = 0;
  values->size = MAX (size, G_N_ELEMENTS (values->few));
  values->pdata = values->size > G_N_ELEMENTS (values->few) ? g_new (gpointer, values->size) : values->few;
}

void
ph_node_init_inputs (PhNode *node, guint size)
{
  ph_values_init (node->inputs, size);
  node->use_at = size > G_N_ELEMENTS (node->few_use_at) ? g_new (guint, size) : node->few_use_at;
}

GArray *
ph_value_copy_uses (const PhValue *value)
{
  GArray *copy = g_array_sized_new (FALSE, FALSE, sizeof (PhUse), value->uses->len);

  return g_array_append_vals (copy, value->uses->data, value->uses->len);
}

gboolean
ph_values_find (const PhValues *values, gconstpointer value)
{
  for (guint i = 0; i < values->len; i++)
    if (values->pdata[i] == value)
      return TRUE;
  return FALSE;
}

void
ph_values_clear (PhValues *values)
{
  if (values->pdata != values->few)
    g_free (values->pdata);
}

void
ph_node_grow_inputs (PhNode *node)
{
  PhValues *inputs = node->inputs;
  const gboolean in_place = inputs->pdata == inputs->few;

  inputs->size *= 2;
  inputs->pdata = g_renew (gpointer, in_place ? NULL : inputs->pdata, inputs->size);
  node->use_at = g_renew (guint, in_place ? NULL : node->use_at, inputs->size);
  if (in_place)
    {
      memcpy (inputs->pdata, inputs->few, sizeof inputs->few);
      memcpy (node->use_at, node->few_use_at, sizeof node->few_use_at);
    }
}

void
ph_value_add_use (PhValue *value, PhNode *node, guint index)
{
  PhUse use = { node, index };

  if (value == NULL)
    return;
  if (value->uses->len == value->uses->size)
    {
      const gboolean in_place = value->uses->data == value->uses->few;

      value->uses->size *= 2;
      value->uses->data = g_renew (PhUse, in_place ? NULL : value->uses->data, value->uses->size);
      if (in_place)
        memcpy (value->uses->data, value->uses->few, sizeof value->uses->few);
    }
  node->use_at[index] = value->uses->len;
  value->uses->data[value->uses->len++] = use;
}

/* Removes a use in constant time, since a mask may have many users: the last use takes its place. */
void
ph_value_drop_use (PhValue *value, PhNode *node, guint index)
{
  guint at;

  if (value == NULL)
    return;
  at = node->use_at[index];
  value->uses->data[at] = value->uses->data[--value->uses->len];
  if (at < value->uses->len)
    {
      const PhUse *moved = &g_array_index (value->uses, PhUse, at);
      moved->node->use_at[moved->index] = at;
    }
}
