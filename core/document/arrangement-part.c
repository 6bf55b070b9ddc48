/* arrangement-part.c: selects the nodes in a part of the picture: around a node, between two nodes, or touched by a step.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/view-private.h"

/* Adds producers and users of @node within its graph. */
static void
add_neighbours (PhNode *node, gboolean up, gboolean down, GHashTable *set, GPtrArray *added)
{
  for (guint i = 0; i < node->inputs->len && up; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      if (value == NULL)
        continue;
      if (value->producer != NULL && g_hash_table_add (set, GUINT_TO_POINTER (value->producer->id)))
        g_ptr_array_add (added, value->producer);
      else if (value->producer == NULL && value->is_input)
        g_hash_table_add (set, GUINT_TO_POINTER (value->id));
    }
  for (guint i = 0; i < node->outputs->len && down; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      for (guint u = 0; u < value->uses->len; u++)
        {
          PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, node->graph);

          if (user != NULL && g_hash_table_add (set, GUINT_TO_POINTER (user->id)))
            g_ptr_array_add (added, user);
        }
    }
}

static GHashTable *
reach (PhNode *node, gboolean up, gboolean down, guint steps)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) edge = g_ptr_array_new ();

  g_hash_table_add (set, GUINT_TO_POINTER (node->id));
  g_ptr_array_add (edge, node);
  for (guint step = 0; step < steps && edge->len > 0; step++)
    {
      GPtrArray *next = g_ptr_array_new ();

      for (guint i = 0; i < edge->len; i++)
        add_neighbours (edge->pdata[i], up, down, set, next);
      g_ptr_array_unref (edge);
      edge = next;
    }
  return set;
}

static GHashTable *
paths_between (PhNode *a, PhNode *b)
{
  g_autoptr (GHashTable) down = reach (a, FALSE, TRUE, G_MAXUINT), up = reach (b, TRUE, FALSE, G_MAXUINT);
  GHashTable *both = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, down);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (g_hash_table_contains (up, key))
      g_hash_table_add (both, key);
  return both;
}

static GHashTable *
touched (PhDocument *document)
{
  PhModel *model = ph_document_get_model (document);
  PhDiff *known = ph_document_get_diff (document);
  g_autoptr (PhDiff) own = known == NULL ? ph_diff_new (ph_document_get_history (document), model,
                                                        ph_document_get_since (document), ph_document_get_position (document))
                                         : NULL;
  const PhDiff *diff = known != NULL ? known : own;
  GHashTable *set = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) unused = g_ptr_array_new ();

  for (guint i = 0; i < diff->nodes->len; i++)
    {
      const PhNodeChange *change = diff->nodes->pdata[i];
      PhNode *node = ph_model_find_node (model, change->id);

      g_hash_table_add (set, GUINT_TO_POINTER (change->id));
      if (node != NULL)
        add_neighbours (node, TRUE, TRUE, set, unused);
    }
  return set;
}

/* @id: a node, or an input of the graph. */
static gboolean
is_there (PhModel *model, PhId id)
{
  const PhValue *value = ph_model_find_value (model, id);

  return ph_model_find_node (model, id) != NULL || (value != NULL && value->is_input);
}

gboolean
ph_arrangement_find_part (PhArrangement *arrangement, PhDocument *document, GError **error)
{
  PhModel *model = ph_document_get_model (document);
  PhNode *from = ph_model_find_node (model, arrangement->from), *to = ph_model_find_node (model, arrangement->to);
  GHashTable *keep = NULL;

  if (arrangement->part == PH_PART_AROUND && from != NULL)
    keep = reach (from, TRUE, TRUE, arrangement->steps);
  else if (arrangement->part == PH_PART_PATHS && from != NULL && to != NULL && from->graph == to->graph)
    keep = from->order <= to->order ? paths_between (from, to) : paths_between (to, from);
  else if (arrangement->part == PH_PART_TOUCHED)
    keep = touched (document);
  for (guint i = 0; keep != NULL && arrangement->also != NULL && i < arrangement->also->len; i++)
    if (is_there (model, g_array_index (arrangement->also, PhId, i)))
      g_hash_table_add (keep, GUINT_TO_POINTER (g_array_index (arrangement->also, PhId, i)));
  g_clear_pointer (&arrangement->keep, g_hash_table_unref);
  if (keep != NULL && g_hash_table_size (keep) > 0)
    {
      arrangement->keep = keep;
      return TRUE;
    }
  g_clear_pointer (&keep, g_hash_table_unref);
  if (arrangement->part == PH_PART_ALL)
    return TRUE;
  if (arrangement->part == PH_PART_TOUCHED)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "nothing was touched here: `step` goes on");
  else if (arrangement->part == PH_PART_PATHS)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no path between n%u and n%u", arrangement->from, arrangement->to);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node n%u here", arrangement->from);
  return FALSE;
}

GArray *
ph_view_users (PhModel *model, PhId id)
{
  PhNode *node = ph_model_find_node (model, id);
  g_autoptr (GHashTable) set = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) users = g_ptr_array_new ();
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  if (node != NULL)
    add_neighbours (node, FALSE, TRUE, set, users);
  for (guint i = 0; i < users->len; i++)
    g_array_append_val (ids, ((PhNode *) users->pdata[i])->id);
  return ids;
}
