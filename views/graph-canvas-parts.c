/* graph-canvas-parts.c: only a part of the graph: around a node, between two nodes, what a step touched.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

#include <glib/gi18n.h>

/* Adds what feeds @node and what it feeds, in the node's own graph. */
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

/* Takes both. */
static gboolean
show_part (PhGraphCanvas *self, GHashTable *keep, char *part)
{
  if (keep != NULL && g_hash_table_size (keep) == 0)
    {
      g_hash_table_unref (keep);
      g_free (part);
      return FALSE;
    }
  g_free (self->part);
  self->part = part;
  self->part_node = PH_NO_ID;
  g_clear_pointer (&self->keep, g_hash_table_unref);
  self->keep = keep;
  self->fitted = TRUE;
  if (keep != NULL || !ph_canvas_bring_back (self))
    ph_canvas_ask_layout (self);
  return TRUE;
}

static PhNode *
find_node (PhGraphCanvas *self, guint id)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;

  return model != NULL ? ph_model_find_node (model, id) : NULL;
}

gboolean
ph_graph_canvas_show_neighbourhood (PhGraphCanvas *self, guint id, guint steps)
{
  PhNode *node;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  node = find_node (self, id);
  if (node == NULL)
    return FALSE;
  show_part (
      self, reach (node, TRUE, TRUE, steps),
      g_strdup_printf (ngettext ("%u step around n%u %s", "%u steps around n%u %s", steps), steps, node->id, node->op_type));
  self->part_node = id;
  self->part_steps = steps;
  return TRUE;
}

/* Takes @more: what the neighbourhood is to have too. */
static gboolean
widen (PhGraphCanvas *self, GHashTable *more)
{
  const PhId around = self->part_node;
  const PhNode *middle = find_node (self, around);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->keep);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (more, key);
  if (g_hash_table_size (more) == g_hash_table_size (self->keep))
    {
      g_hash_table_unref (more);
      return FALSE;
    }
  show_part (self, more,
             middle != NULL ? g_strdup_printf (
                 ngettext ("%u step around n%u %s, and more", "%u steps around n%u %s, and more", self->part_steps),
                 self->part_steps, middle->id, middle->op_type)
                            : g_strdup (self->part));
  self->part_node = around;
  return TRUE;
}

gboolean
ph_graph_canvas_show_beyond (PhGraphCanvas *self, guint id)
{
  PhNode *node;
  GHashTable *more;
  g_autoptr (GPtrArray) unused = g_ptr_array_new ();

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  node = find_node (self, id);
  if (node == NULL || self->keep == NULL || self->part_node == PH_NO_ID)
    return FALSE;
  more = g_hash_table_new (NULL, NULL);
  add_neighbours (node, FALSE, TRUE, more, unused);
  return widen (self, more);
}

gboolean
ph_canvas_show_too (PhGraphCanvas *self, PhId id)
{
  GHashTable *more;

  self = ph_canvas_leader (self);
  if (self->keep == NULL || self->part_node == PH_NO_ID)
    return FALSE;
  more = g_hash_table_new (NULL, NULL);
  g_hash_table_add (more, GUINT_TO_POINTER (id));
  return widen (self, more);
}

gboolean
ph_graph_canvas_get_neighbourhood (PhGraphCanvas *self, guint *id, guint *steps)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  *id = self->part_node;
  *steps = self->part_steps;
  return self->keep != NULL && self->part_node != PH_NO_ID;
}

gboolean
ph_graph_canvas_show_paths (PhGraphCanvas *self, guint from, guint to)
{
  PhNode *a, *b;
  g_autoptr (GHashTable) down = NULL, up = NULL;
  GHashTable *both;
  GHashTableIter iter;
  gpointer key;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  a = find_node (self, from);
  b = find_node (self, to);
  if (a == NULL || b == NULL || a->graph != b->graph)
    return FALSE;
  if (a->order > b->order)
    {
      PhNode *swap = a;

      a = b;
      b = swap;
    }
  down = reach (a, FALSE, TRUE, G_MAXUINT);
  up = reach (b, TRUE, FALSE, G_MAXUINT);
  both = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, down);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (g_hash_table_contains (up, key))
      g_hash_table_add (both, key);
  return show_part (self, both, g_strdup_printf (_ ("All paths from n%u %s to n%u %s"), a->id, a->op_type, b->id, b->op_type));
}

gboolean
ph_graph_canvas_show_touched (PhGraphCanvas *self)
{
  GHashTable *set;
  g_autoptr (GPtrArray) unused = g_ptr_array_new ();

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  if (self->scene == NULL)
    return FALSE;
  set = g_hash_table_new (NULL, NULL);
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      const PhTenant *gone = NULL, *now;

      if (ph_scene_box (self->scene, b)->n_tenants == 0
          || ph_scene_change (self->scene, b, self->since, self->time, &gone) == PH_CHANGE_NONE)
        continue;
      now = ph_scene_tenant (self->scene, b, self->time);
      if (gone != NULL)
        g_hash_table_add (set, GUINT_TO_POINTER (gone->id));
      if (now != NULL)
        {
          PhNode *node = find_node (self, now->id);

          g_hash_table_add (set, GUINT_TO_POINTER (now->id));
          if (node != NULL)
            add_neighbours (node, TRUE, TRUE, set, unused);
        }
    }
  return show_part (self, set, g_strdup (_ ("Only what this step touched, with its neighbours")));
}

void
ph_graph_canvas_show_all (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  /* On the way to the first part the whole is still shown. */
  if (self->keep != NULL && self->layout != NULL && self->scene != NULL && self->shown.keep == NULL)
    ph_graph_canvas_cancel_layout (self);
  if (self->keep != NULL)
    show_part (self, NULL, NULL);
}

gboolean
ph_graph_canvas_is_partial (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  return self->keep != NULL;
}

const char *
ph_graph_canvas_get_part (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  self = ph_canvas_leader (self);
  return self->keep != NULL ? self->part : NULL;
}
