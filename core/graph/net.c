/* net.c: the net effect of a stretch of the journal on each node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/net.h"

#include "core/graph/graph-private.h"

static void
net_node_free (gpointer data)
{
  PhNetNode *node = data;

  g_clear_pointer (&node->fields, g_array_unref);
  g_free (node);
}

static PhNetNode *
touch (GHashTable *net, const PhEdit *edit, PhId id)
{
  PhNetNode *node = g_hash_table_lookup (net, GUINT_TO_POINTER (id));

  if (node == NULL)
    {
      node = g_new0 (PhNetNode, 1);
      node->id = id;
      node->before = node->after = TRUE;
      g_hash_table_insert (net, GUINT_TO_POINTER (id), node);
    }
  node->hidden |= edit->hidden;
  return node;
}

static PhNetField *
touch_field (PhNetNode *node, const PhNetField *wish)
{
  if (node->fields == NULL)
    node->fields = g_array_new (FALSE, FALSE, sizeof (PhNetField));
  for (guint i = 0; i < node->fields->len; i++)
    {
      PhNetField *field = &g_array_index (node->fields, PhNetField, i);

      if (field->kind == wish->kind && field->index == wish->index && field->name == wish->name &&
          field->value == wish->value)
        {
          field->after = wish->after;
          field->new_attr = wish->new_attr;
          field->new_type = wish->new_type;
          return field;
        }
    }
  g_array_append_vals (node->fields, wish, 1);
  return &g_array_index (node->fields, PhNetField, node->fields->len - 1);
}

static gboolean
field_differs (const PhNetField *field)
{
  switch (field->kind)
    {
    case PH_NET_INPUT:
      return field->before != field->after;
    case PH_NET_TYPE:
      return field->old_type != field->new_type;
    case PH_NET_ATTR:
      return field->old_attr == NULL || field->new_attr == NULL
                 ? field->old_attr != field->new_attr
                 : !ph_attr_equal (field->old_attr, field->new_attr);
    default:
      g_assert_not_reached ();
    }
}

/* The node whose output @value is, though the value may be gone from the model: then an edit of the stretch made or
 * removed its node, and the type of an output of such a node tells nothing. */
static PhId
producer_of (PhModel *model, PhId id)
{
  const PhValue *value = ph_model_find_value (model, id);
  return value != NULL && value->producer != NULL ? value->producer->id : PH_NO_ID;
}

GHashTable *
ph_net_new (PhHistory *history, PhModel *model, guint first, guint end)
{
  GHashTable *net = g_hash_table_new_full (NULL, NULL, NULL, net_node_free);
  GHashTableIter iter;
  gpointer data;

  for (guint i = first; i < end; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];
      PhNetNode *node;
      PhId id;

      switch (edit->kind)
        {
        case PH_EDIT_ADD_NODE:
          /* Ids are never reused, so an addition is always the first that is heard of a node. */
          touch (net, edit, edit->id)->before = FALSE;
          break;
        case PH_EDIT_REMOVE_NODE:
          touch (net, edit, edit->id)->after = FALSE;
          break;
        case PH_EDIT_SET_INPUT:
          node = touch (net, edit, edit->id);
          touch_field (node, &(PhNetField) { .kind = PH_NET_INPUT, .index = edit->index, .before = edit->before,
                                             .after = edit->after });
          break;
        case PH_EDIT_SET_ATTR:
          node = touch (net, edit, edit->id);
          touch_field (node, &(PhNetField) { .kind = PH_NET_ATTR, .name = edit->new_name, .old_attr = edit->old_attr,
                                             .new_attr = edit->new_attr });
          break;
        case PH_EDIT_SET_TYPE:
          id = producer_of (model, edit->id);
          if (id == PH_NO_ID)
            break;
          touch_field (touch (net, edit, id), &(PhNetField) { .kind = PH_NET_TYPE, .value = edit->id,
                                                              .old_type = edit->old_type, .new_type = edit->new_type });
          break;
        case PH_EDIT_ADD_VALUE:
        case PH_EDIT_REMOVE_VALUE:
        case PH_EDIT_ADD_GRAPH:
        case PH_EDIT_REMOVE_GRAPH:
        case PH_EDIT_SET_OUTPUT:
        case PH_EDIT_RENAME:
        case PH_EDIT_MOVE_NODE:
        case PH_EDIT_SET_OPSET:
        case PH_N_EDITS:
        default:
          break;
        }
    }

  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      PhNetNode *node = data;

      for (guint i = node->fields != NULL ? node->fields->len : 0; i-- > 0; )
        if (!field_differs (&g_array_index (node->fields, PhNetField, i)))
          g_array_remove_index (node->fields, i);
      if (node->before == node->after && (!node->before || node->fields == NULL || node->fields->len == 0))
        g_hash_table_iter_remove (&iter);
    }
  return net;
}
