/* pair.c: a region as two small models of the same interface.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/pair.h"
#include "core/ops/copy.h"
#include "core/prove/decisions.h"
#include "core/prove/rows.h"
#include "core/prove/samples/sizes.h"
#include "core/run/run-private.h"

typedef struct
{
  GHashTable *ids;
  PhModel *to;
  GHashTable *map;
  GError **error;
} Copying;

static void
note (GHashTable *ids, const PhValue *copy, PhId id)
{
  g_hash_table_insert (ids, GUINT_TO_POINTER (copy->id), GUINT_TO_POINTER (id));
}

static PhValue *
copy_constant (Copying *copying, PhValue *value, PhTensor *tensor)
{
  PhValue *copy = ph_graph_add_constant (copying->to->graph, value->name, tensor, copying->error);

  if (copy != NULL)
    {
      g_hash_table_insert (copying->map, value, copy);
      note (copying->ids, copy, value->id);
    }
  return copy;
}

/* Constants are copied when the first node that reads them is. */
static gboolean
copy_constants_of (Copying *copying, PhNode *node, const PhNode *owner)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);

      if (value != NULL && value->tensor != NULL && !g_hash_table_contains (copying->map, value)
          && (owner == NULL || value->graph == owner->graph || !ph_graph_is_inside (value->graph, owner->graph))
          && copy_constant (copying, value, value->tensor) == NULL)
        return FALSE;
    }
  for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
    {
      PhGraph *body = node->graphs->pdata[g];

      PH_FOREACH_NODE (inner, body)
        if (!copy_constants_of (copying, inner, owner != NULL ? owner : node))
          return FALSE;
      for (guint i = 0; i < body->outputs->len; i++)
        {
          PhValue *value = body->outputs->pdata[i];

          if (value->tensor != NULL && !g_hash_table_contains (copying->map, value) && !ph_graph_is_inside (value->graph, body)
              && copy_constant (copying, value, value->tensor) == NULL)
            return FALSE;
        }
    }
  return TRUE;
}

void
ph_model_copy_opsets (PhModel *from, PhModel *to)
{
  GHashTableIter iter;
  gpointer domain, version;

  g_hash_table_iter_init (&iter, from->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    ph_model_set_opset (to, domain, GPOINTER_TO_INT (version));
  to->ir_version = from->ir_version;
}

/* Returns the more specific type of a value before and after. */
static const PhType *
better_type (const PhValue *value, const PhValue *twin)
{
  const PhType *type = value != NULL ? value->type : NULL, *other = twin != NULL ? twin->type : NULL;

  return type == NULL || (other != NULL && other->kind == type->kind && !type->has_rank && other->has_rank) ? other : type;
}

static PhModel *
copy_side (PhPair *pair, PhModel *from, PhModel *other, GPtrArray *nodes, gboolean after, GError **error)
{
  g_autoptr (PhModel) to = ph_model_new ();
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  GHashTable *ids = pair->ids[after];
  Copying copying = { ids, to, map, error };
  const int opset = ph_model_opset (from, "");

  ph_model_copy_opsets (from, to);
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      const PhId id = g_array_index (pair->inputs, PhId, i);
      PhValue *value = ph_model_find_value (from, id), *twin = ph_model_find_value (other, id), *copy;
      const PhType *type = better_type (value, twin);

      if (!after)
        g_ptr_array_add (pair->types, (gpointer) type);
      /* An upgrade may require types with a rank. */
      if (type != NULL && type->kind == PH_KIND_TENSOR && type->dtype != PH_UNDEFINED && opset >= PH_OPSET_NEWEST)
        type = ph_type_unranked (type->dtype);
      copy = ph_graph_add_input (to->graph, ph_model_unique_name (to, value != NULL ? value->name : twin->name), type, NULL,
                                 G_MAXUINT, error);
      if (copy == NULL)
        return NULL;
      if (value != NULL)
        g_hash_table_insert (map, value, copy);
      note (ids, copy, id);
    }
  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i], *copy;

      if (node->outputs->len == 0)
        continue;
      if (!copy_constants_of (&copying, node, NULL))
        return NULL;
      copy = ph_copy_node (node, to->graph, NULL, map, error);
      if (copy == NULL)
        return NULL;
      for (guint k = 0; k < node->outputs->len; k++)
        note (ids, copy->outputs->pdata[k], ((PhValue *) node->outputs->pdata[k])->id);
    }
  for (guint i = 0; i < pair->outputs->len; i++)
    {
      const PhBorderPair *border = &g_array_index (pair->outputs, PhBorderPair, i);
      PhValue *value = ph_model_find_value (from, after ? border->after : border->before);
      PhValue *copy = value != NULL ? g_hash_table_lookup (map, value) : NULL;

      if (value != NULL && copy == NULL && value->tensor != NULL)
        copy = copy_constant (&copying, value, value->tensor);
      if (value == NULL || (copy == NULL && (error == NULL || *error == NULL)))
        g_set_error_literal (error, PH_ERROR, PH_ERROR_INVALID, "a value at the border of the change is not there");
      if (copy == NULL || !ph_graph_set_output (to->graph, i, copy, error))
        return NULL;
    }
  if (!ph_model_copy_called (to, from, error))
    return NULL;
  if (opset > 0 && opset < PH_OPSET_NEWEST)
    {
      g_autoptr (PhModel) upgraded = ph_run_upgraded_clone (to, NULL, NULL, error);

      return g_steal_pointer (&upgraded);
    }
  return g_steal_pointer (&to);
}

PhPair *
ph_pair_new (const PhRegion *region, PhModel *before, PhModel *after, GError **error)
{
  g_autoptr (PhPair) pair = g_new0 (PhPair, 1);

  pair->inputs = g_array_ref (region->inputs);
  pair->outputs = g_array_ref (region->outputs);
  pair->types = g_ptr_array_new ();
  if (ph_model_opset (before, "") >= PH_OPSET_NEWEST && ph_model_opset (after, "") >= PH_OPSET_NEWEST)
    pair->rows = ph_rows_of (region);
  ph_rows_least (region, &pair->batch, &pair->image);
  pair->ids[0] = g_hash_table_new (NULL, NULL);
  pair->ids[1] = g_hash_table_new (NULL, NULL);
  pair->before = copy_side (pair, before, after, region->before, FALSE, error);
  pair->after = pair->before != NULL ? copy_side (pair, after, before, region->after, TRUE, error) : NULL;
  if (pair->after == NULL)
    return NULL;
  pair->decides_by_size = ph_sizes_are_open (pair) && ph_region_decides_by_size (region);
  return g_steal_pointer (&pair);
}

void
ph_pair_free (PhPair *pair)
{
  g_clear_pointer (&pair->before, ph_model_free);
  g_clear_pointer (&pair->after, ph_model_free);
  g_array_unref (pair->inputs);
  g_array_unref (pair->outputs);
  g_ptr_array_unref (pair->types);
  g_hash_table_unref (pair->ids[0]);
  g_hash_table_unref (pair->ids[1]);
  g_free (pair);
}

GPtrArray *
ph_model_list_unknown (PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      g_autofree char *name = NULL;

      if (node->op != NULL || ph_node_is_fused (node) || ph_model_find_function (model, node->domain, node->op_type) != NULL)
        continue;
      name = *node->domain != '\0' ? g_strdup_printf ("%s.%s", node->domain, node->op_type) : g_strdup (node->op_type);
      if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&name));
    }
  return names;
}

gboolean
ph_model_is_known (PhModel *model)
{
  g_autoptr (GPtrArray) unknown = ph_model_list_unknown (model);

  return unknown->len == 0;
}
