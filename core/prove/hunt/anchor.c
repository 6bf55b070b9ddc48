/* anchor.c: chooses growing parts of a model in which to search for a pass's fault.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/anchor.h"

#include <string.h>

#include "core/analyze/region-private.h"
#include "core/graph/function.h"
#include "core/ops/op-list.h"

/* Parts do not grow beyond so many nodes. */
#define MOST 150
/* A constant that more nodes read is a common one: it ties nothing together. */
#define COMMON     12
#define LEAST_NAME 4

static void
add_node (GHashTable *set, PhModel *model, PhNode *node)
{
  PhNode *at = node != NULL ? ph_node_ancestor_in (node, model->graph) : NULL;

  if (at != NULL)
    g_hash_table_add (set, at);
}

static void
add_readers (GHashTable *set, PhModel *model, const PhValue *value)
{
  for (guint u = 0; u < value->uses->len; u++)
    add_node (set, model, g_array_index (value->uses, PhUse, u).node);
}

typedef struct
{
  GHashTable *set;
  PhModel *model;
} Growing;

/* Grows from a node to the producer of @value, or to its other users. */
static void
grow_read (PhValue *value, gpointer data)
{
  Growing *growing = data;

  if (value->producer != NULL && !ph_node_is (value->producer, &ph_op_Constant))
    add_node (growing->set, growing->model, value->producer);
  else if (ph_value_constant (value) != NULL && value->uses->len <= COMMON)
    add_readers (growing->set, growing->model, value);
}

static GHashTable *
copy_of (GHashTable *set)
{
  GHashTable *copy = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer node;

  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    g_hash_table_add (copy, node);
  return copy;
}

/* Returns the set with the neighbours of its nodes. */
static GHashTable *
grown (PhModel *model, GHashTable *set)
{
  GHashTable *copy = copy_of (set);
  Growing growing = { copy, model };
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &data, NULL))
    {
      PhNode *node = data;

      ph_each_read (node, grow_read, &growing);
      for (guint k = 0; k < node->outputs->len; k++)
        add_readers (copy, model, node->outputs->pdata[k]);
    }
  return copy;
}

static GPtrArray *
anchors_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
}

/* Takes @set. */
static void
add_anchor (GPtrArray *anchors, GHashTable *set)
{
  const GHashTable *last = anchors->len > 0 ? anchors->pdata[anchors->len - 1] : NULL;

  if (g_hash_table_size (set) == 0 || (last != NULL && g_hash_table_size ((GHashTable *) last) == g_hash_table_size (set)))
    g_hash_table_unref (set);
  else
    g_ptr_array_add (anchors, set);
}

/* Adds sets grown by neighbours while they are a small part of the model. */
static void
add_growing (GPtrArray *anchors, PhModel *model, guint rounds)
{
  for (guint i = 0; i < rounds && anchors->len > 0; i++)
    {
      GHashTable *last = anchors->pdata[anchors->len - 1], *next;

      if (g_hash_table_size (last) > MOST)
        return;
      next = grown (model, last);
      if (g_hash_table_size (next) > MOST && i > 0)
        {
          g_hash_table_unref (next);
          return;
        }
      add_anchor (anchors, next);
    }
}

/* ── a rewrite ── */

/* Adds @id, or the node of @model that it replaced in an earlier rewrite of the step. */
static void
add_original (GHashTable *set, PhModel *model, PhHistory *history, guint first, guint end, PhId id, guint depth)
{
  PhNode *node = ph_model_find_node (model, id);

  if (node != NULL)
    {
      add_node (set, model, node);
      return;
    }
  for (guint r = first; r < end && depth > 0; r++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, r);
      gboolean here = FALSE;

      for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits && !here; i++)
        here = ((PhEdit *) history->edits->pdata[i])->kind == PH_EDIT_ADD_NODE && ((PhEdit *) history->edits->pdata[i])->id == id;
      for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits && here; i++)
        if (((PhEdit *) history->edits->pdata[i])->kind == PH_EDIT_REMOVE_NODE)
          add_original (set, model, history, first, r, ((PhEdit *) history->edits->pdata[i])->id, depth - 1);
      if (here)
        return;
    }
}

static guint
first_of_step (PhHistory *history, guint index)
{
  for (guint s = history->steps->len; s-- > 0;)
    if (g_array_index (history->steps, PhStep, s).first_rewrite <= index)
      return g_array_index (history->steps, PhStep, s).first_rewrite;
  return 0;
}

/* A value that the rewrite read or made, and that is in @model too. */
static void
add_shared (PhValue *value, gpointer data)
{
  Growing *growing = data;
  PhValue *here = ph_model_find_value (growing->model, value->id);

  if (here != NULL && ph_value_constant (here) != NULL && here->uses->len <= COMMON)
    add_readers (growing->set, growing->model, here);
}

GPtrArray *
ph_anchors_of_rewrite (PhModel *model, PhModel *after, PhHistory *history, guint index)
{
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, index);
  const guint first = first_of_step (history, index);
  GPtrArray *anchors = anchors_new ();
  GHashTable *set = g_hash_table_new (NULL, NULL), *wider;
  Growing growing;

  for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_REMOVE_NODE || edit->kind == PH_EDIT_SET_INPUT || edit->kind == PH_EDIT_SET_ATTR)
        add_original (set, model, history, first, index, edit->id, 8);
    }
  add_anchor (anchors, set);
  if (anchors->len == 0)
    return anchors;
  wider = copy_of (set);
  growing = (Growing) { wider, model };
  for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];
      PhNode *is = edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_SET_INPUT ? ph_model_find_node (after, edit->id)
                                                                                     : NULL;

      if (is != NULL)
        ph_each_read (is, add_shared, &growing);
    }
  add_anchor (anchors, wider);
  add_growing (anchors, model, 4);
  return anchors;
}

/* ── names ── */

GPtrArray *
ph_anchors_of_message (PhModel *model, const char *message)
{
  GPtrArray *anchors = anchors_new ();
  GHashTable *set = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, model->graph)
    {
      gboolean named = strlen (node->name) >= LEAST_NAME && strstr (message, node->name) != NULL;

      for (guint k = 0; k < node->outputs->len && !named; k++)
        named = strlen (ph_node_output (node, k)->name) >= LEAST_NAME && strstr (message, ph_node_output (node, k)->name) != NULL;
      if (named)
        g_hash_table_add (set, node);
    }
  add_anchor (anchors, set);
  add_growing (anchors, model, 4);
  return anchors;
}

GPtrArray *
ph_anchors_of_value (PhModel *model, const char *name)
{
  PhValue *value = ph_model_find_value_named (model, name);
  GPtrArray *anchors = anchors_new ();
  GHashTable *set = g_hash_table_new (NULL, NULL);

  if (value != NULL)
    add_node (set, model, value->producer);
  add_anchor (anchors, set);
  add_growing (anchors, model, 5);
  return anchors;
}

GPtrArray *
ph_anchors_of_calls (PhModel *model)
{
  GPtrArray *anchors = anchors_new ();
  GHashTable *set = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) functions = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, model->graph)
    if (ph_node_function (node) != NULL && g_hash_table_add (functions, ph_node_function (node)))
      g_hash_table_add (set, node);
  add_anchor (anchors, set);
  return anchors;
}

GPtrArray *
ph_anchors_of_all (PhModel *model)
{
  GPtrArray *anchors = anchors_new ();
  GHashTable *set = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, model->graph)
    g_hash_table_add (set, node);
  add_anchor (anchors, set);
  return anchors;
}
