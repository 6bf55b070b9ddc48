/* part.c: the changed part of a main graph, identified by names.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/part.h"

#include <string.h>

#include "core/error.h"
#include "core/intern.h"

void
ph_named_clear (PhNamed *named)
{
  g_clear_pointer (&named->nodes, g_hash_table_unref);
  g_clear_pointer (&named->values, g_hash_table_unref);
  g_clear_pointer (&named->blocks, g_hash_table_unref);
}

/* Returns the last part of a name: add.5 of "jit(f)/dense/add.5". */
static const char *
own_name (const PhNode *node)
{
  const char *slash = strrchr (node->name, '/');

  return slash != NULL ? ph_intern (slash + 1) : node->name;
}

static const char *
name_in (const GPtrArray *names, guint index, const PhNode *node)
{
  return names == NULL ? own_name (node) : index < names->len ? names->pdata[index] : "";
}

/* @match: (nullable) NULL: both have the same ids. */
static int
by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;

  return x->order < y->order ? -1 : x->order > y->order;
}

GPtrArray *
ph_match_loose (const PhMatching *match, const PhGraph *graph)
{
  GPtrArray *loose = g_ptr_array_new ();

  if (graph == match->partial)
    {
      g_ptr_array_extend (loose, match->loose, NULL, NULL);
      g_ptr_array_sort (loose, by_order);
      return loose;
    }
  PH_FOREACH_NODE (node, graph)
    g_ptr_array_add (loose, node);
  return loose;
}

static void
learn (PhNamed *named, const PhGraph *target, const GPtrArray *names, const PhMatching *match)
{
  const GPtrArray *lists[] = { target->inputs, target->constants };
  guint n = 0;

  PH_FOREACH_NODE (node, target)
    {
      const PhNode *ours = match != NULL ? ph_match_node (match, node) : node;
      const char *name = name_in (names, n++, node);

      if (ours != NULL && *name != '\0')
        g_hash_table_insert (named->nodes, (gpointer) name, GUINT_TO_POINTER (ours->id));
    }
  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; i < lists[k]->len; i++)
      {
        const PhValue *value = lists[k]->pdata[i], *ours = match != NULL ? ph_match_value (match, value) : value;

        if (ours != NULL)
          g_hash_table_insert (named->values, (gpointer) value->name, GUINT_TO_POINTER (ours->id));
      }
}

static void
forget_all (PhNamed *named)
{
  ph_named_clear (named);
  named->nodes = g_hash_table_new (NULL, NULL);
  named->values = g_hash_table_new (NULL, NULL);
}

void
ph_named_learn (PhNamed *named, const PhGraph *graph, const GPtrArray *names)
{
  forget_all (named);
  learn (named, graph, names, NULL);
}

void
ph_named_follow (const PhNamedPart *part, const PhMatching *match, const PhGraph *target)
{
  PhNamed *named = part->named;

  if (part->whole)
    forget_all (named);
  for (guint i = 0; !part->whole && i < part->gone->len; i++)
    {
      g_hash_table_remove (named->nodes, part->gone->pdata[i]);
      g_hash_table_remove (named->values, part->gone->pdata[i]);
    }
  learn (named, target, part->names, match);
}

PhNode *
ph_named_node (const PhNamed *named, PhModel *model, const char *name)
{
  gpointer id;

  return g_hash_table_lookup_extended (named->nodes, name, NULL, &id) ? ph_model_find_node (model, GPOINTER_TO_UINT (id)) : NULL;
}

static PhValue *
named_value (const PhMatching *match, const PhNamed *named, const char *name)
{
  gpointer id;

  return g_hash_table_lookup_extended (named->values, name, NULL, &id) ? ph_model_find_value (match->model, GPOINTER_TO_UINT (id))
                                                                       : NULL;
}

static gboolean
match_told (const PhNamedPart *part, PhMatching *match, const PhGraph *graph, const PhGraph *target, GHashTable *told,
            GHashTable *standing)
{
  guint index = 0, n_standing = 0;

  PH_FOREACH_NODE (of_target, target)
    {
      const char *name = name_in (part->names, index++, of_target);
      PhNode *node;

      if (!g_hash_table_contains (told, name))
        continue;
      node = ph_named_node (part->named, match->model, name);
      if (node == NULL || node->graph != graph || node->outputs->len != of_target->outputs->len)
        return FALSE;
      ph_match_set (match, node, of_target, PH_MATCH_NAME);
      if (g_hash_table_lookup (told, name) == part && g_hash_table_add (standing, of_target))
        n_standing++;
    }
  for (guint i = 0; !part->owned && i < target->constants->len; i++)
    {
      PhValue *of_target = target->constants->pdata[i], *value;

      if (!g_hash_table_contains (told, of_target->name))
        continue;
      value = named_value (match, part->named, of_target->name);
      if (value == NULL || value->graph != graph)
        return FALSE;
      ph_match_set_value (match, value, of_target);
    }
  return n_standing == part->standing->len;
}

gboolean
ph_part_match (const PhNamedPart *part, PhMatching *match, const PhGraph *graph, const PhGraph *target, GHashTable *standing,
               GHashTable *gone, GError **error)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);

  ph_match_keep (match, graph);
  for (guint i = 0; i < part->gone->len; i++)
    {
      PhNode *node = ph_named_node (part->named, match->model, part->gone->pdata[i]);
      PhValue *value = !part->owned ? named_value (match, part->named, part->gone->pdata[i]) : NULL;

      if (node != NULL)
        ph_match_release (match, node);
      if (value != NULL)
        g_hash_table_add (gone, value);
    }
  for (PhId id = part->loose_from; id != PH_NO_ID && id < match->model->next_id; id++)
    {
      PhNode *node = ph_model_find_node (match->model, id);

      if (node != NULL && node->graph == graph)
        ph_match_release (match, node);
    }
  for (guint i = 0; i < part->same->len; i++)
    g_hash_table_add (told, part->same->pdata[i]);
  for (guint i = 0; i < part->standing->len; i++)
    g_hash_table_insert (told, part->standing->pdata[i], (gpointer) part);
  if (match_told (part, match, graph, target, told, standing))
    return TRUE;
  g_set_error_literal (error, PH_ERROR, PH_ERROR_INVALID, "what a part of the dump speaks of is not in the model");
  return FALSE;
}
