/* match-blocks.c: which block of a function is which, and what their labels and the names of registers are after they were counted anew.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/match.h"
#include "core/intern.h"
#include "core/ops/dialect.h"

typedef struct
{
  const char *theirs, *ours; /* interned */
  guint n;                   /* nodes that are in both, and WITNESS for each that leads to both */
} Pair;

#define WITNESS 3 /* an instruction may look like one of another block, the ends of blocks seldom do */

gboolean
ph_match_has_blocks (const PhGraph *graph)
{
  return graph->first != NULL && ph_dialect_has_blocks (graph->first);
}

static const char *
label_of (const PhNode *node)
{
  g_autofree char *label = ph_node_block (node);

  return ph_intern (label);
}

static void
count_pair (GArray *pairs, const char *theirs, const char *ours, guint weight)
{
  for (guint i = pairs->len; i-- > 0;) /* nodes of one block come one after the other */
    {
      Pair *pair = &g_array_index (pairs, Pair, i);

      if (pair->theirs == theirs && pair->ours == ours)
        {
          pair->n += weight;
          return;
        }
    }
  g_array_append_vals (pairs, &(Pair) { theirs, ours, weight }, 1);
}

/* Where both branch, each to as many blocks. @theirs, @ours: (nullable) */
static void
count_labels (GArray *pairs, const PhAttr *theirs, const PhAttr *ours)
{
  if (theirs == NULL || ours == NULL || theirs->kind != PH_ATTR_STRINGS || ours->kind != PH_ATTR_STRINGS || theirs->n != ours->n)
    return;
  for (gsize i = 0; i < ours->n; i++)
    {
      g_autofree char *label = ph_attr_dup_string (theirs, i), *other = ph_attr_dup_string (ours, i);

      count_pair (pairs, ph_intern (label), ph_intern (other), WITNESS);
    }
}

/* The surest first; where they are as many, blocks of one label. */
static int
by_weight (gconstpointer a, gconstpointer b)
{
  const Pair *x = a, *y = b;

  if (x->n != y->n)
    return x->n > y->n ? -1 : 1;
  return (x->theirs == x->ours) > (y->theirs == y->ours) ? -1 : (x->theirs == x->ours) < (y->theirs == y->ours);
}

/* Gives the blocks of @target that are none of the model's labels that nothing in @taken has. */
static void
name_new_blocks (GHashTable *blocks, GHashTable *taken, const PhGraph *target)
{
  PH_FOREACH_NODE (node, target)
    {
      const char *label = label_of (node), *own = label;

      if (g_hash_table_contains (blocks, label))
        continue;
      for (guint i = 1; g_hash_table_contains (taken, own); i++)
        {
          g_autofree char *other = g_strdup_printf ("%s.%u", label, i);

          own = ph_intern (other);
        }
      g_hash_table_insert (blocks, (gpointer) label, (gpointer) own);
      g_hash_table_add (taken, (gpointer) own);
    }
}

/* A constant of such a function is of the one operand that reads it; its name only counts. */
static void
match_owned (PhMatching *match, const PhGraph *target)
{
  for (guint i = 0; i < target->constants->len; i++)
    ph_match_set_value (match, NULL, target->constants->pdata[i]);
  PH_FOREACH_NODE (node, target)
    {
      const PhNode *ours = ph_match_node (match, node);

      for (guint i = 0; ours != NULL && i < MIN (ours->inputs->len, node->inputs->len); i++)
        {
          PhValue *value = ours->inputs->pdata[i], *theirs = node->inputs->pdata[i];

          if (value != NULL && theirs != NULL && value->tensor != NULL && theirs->tensor != NULL && value->producer == NULL
              && theirs->producer == NULL && ph_tensor_equal (value->tensor, theirs->tensor))
            ph_match_set_value (match, value, theirs);
        }
    }
}

static void
take_apart (PhMatching *match, const PhNode *node, const PhNode *of_target)
{
  guint8 *how = &match->how->data[node->id];

  match->n[*how]--;
  *how = PH_MATCH_NONE;
  match->ours->pdata[of_target->id] = NULL;
  for (guint i = 0; i < of_target->outputs->len; i++)
    ph_match_set_value (match, NULL, of_target->outputs->pdata[i]);
}

gboolean
ph_match_may_be_of_block (const PhMatching *match, const PhNode *node, const PhNode *of_target)
{
  const char *now = g_hash_table_lookup (match->blocks, label_of (of_target)), *before = label_of (node);

  return now == NULL || now == before || !g_hash_table_contains (match->lasting, before);
}

GHashTable *
ph_match_blocks (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GArray) pairs = NULL;
  g_autoptr (GHashTable) lasting = NULL, taken = NULL;
  GHashTable *blocks;

  if (!ph_match_has_blocks (target))
    return NULL;
  pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  lasting = g_hash_table_new (NULL, NULL);
  taken = g_hash_table_new (NULL, NULL);
  blocks = g_hash_table_new (NULL, NULL);
  PH_FOREACH_NODE (node, target)
    {
      const PhNode *ours = ph_match_node (match, node);

      if (ours != NULL)
        {
          count_pair (pairs, label_of (node), label_of (ours), 1);
          count_labels (pairs, ph_node_attr (node, PH_TARGETS_ATTR), ph_node_attr (ours, PH_TARGETS_ATTR));
        }
    }
  g_array_sort (pairs, by_weight);
  for (guint i = 0; i < pairs->len; i++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, i);

      if (g_hash_table_contains (blocks, pair->theirs) || g_hash_table_contains (lasting, pair->ours))
        continue;
      g_hash_table_insert (blocks, (gpointer) pair->theirs, (gpointer) pair->ours);
      g_hash_table_add (lasting, (gpointer) pair->ours);
    }
  PH_FOREACH_NODE (node, graph)
    {
      g_autofree char *scope = ph_node_scope (node);

      g_hash_table_add (taken, (gpointer) label_of (node));
      g_hash_table_add (taken, (gpointer) ph_intern (scope));
    }
  match->blocks = blocks;
  match->lasting = lasting;
  PH_FOREACH_NODE (node, target)
    {
      PhNode *ours = ph_match_node (match, node);

      if (ours != NULL && !ph_match_may_be_of_block (match, ours, node))
        take_apart (match, ours, node);
    }
  match_owned (match, target);
  ph_match_rest (match, graph, target); /* those of one block that look alike */
  match->blocks = match->lasting = NULL;
  name_new_blocks (blocks, taken, target);
  match_owned (match, target);
  return blocks;
}

char *
ph_match_block (GHashTable *blocks, const PhNode *of_target)
{
  const char *label = label_of (of_target), *ours = g_hash_table_lookup (blocks, label);

  return g_strdup (ours != NULL ? ours : label);
}

static const char *
translated (GHashTable *blocks, const char *label)
{
  const char *ours = g_hash_table_lookup (blocks, ph_intern (label));

  return ours != NULL ? ours : label;
}

static void
free_bytes (gpointer bytes)
{
  g_bytes_unref (bytes);
}

PhAttr *
ph_match_labels (GHashTable *blocks, PhAttr *attr)
{
  g_autoptr (GPtrArray) labels = NULL;

  if (attr->kind != PH_ATTR_STRINGS || (strcmp (attr->name, PH_TARGETS_ATTR) != 0 && strcmp (attr->name, PH_INCOMING_ATTR) != 0))
    return ph_attr_ref (attr);
  labels = g_ptr_array_new_with_free_func (free_bytes);
  for (gsize i = 0; i < attr->n; i++)
    {
      g_autofree char *label = ph_attr_dup_string (attr, i);
      const char *ours = translated (blocks, label);

      g_ptr_array_add (labels, g_bytes_new (ours, strlen (ours)));
    }
  return ph_attr_new_strings (attr->name, (GBytes *const *) labels->pdata, labels->len);
}

PhAttr *
ph_match_links (const PhMatching *match, GHashTable *blocks, PhAttr *attr, const PhGraph *target,
                const PhValue *(*find) (const char *name, gpointer data), gpointer data)
{
  g_autoptr (GPtrArray) links = g_ptr_array_new_with_free_func (free_bytes);

  if (attr->kind != PH_ATTR_STRINGS)
    return ph_attr_ref (attr);
  for (gsize i = 0; i < attr->n; i++)
    {
      g_autofree char *text = ph_attr_dup_string (attr, i), *link = NULL;
      char *from = strstr (text, " from ");
      const PhValue *theirs, *ours;

      if (from != NULL)
        *from = '\0';
      theirs = ph_graph_find_value_named (target, text);
      ours = theirs != NULL ? ph_match_value (match, theirs) : find != NULL ? find (text, data) : NULL;
      link = g_strconcat (ours != NULL ? ours->name : text, from != NULL ? " from " : NULL,
                          from != NULL ? translated (blocks, from + strlen (" from ")) : NULL, NULL);
      g_ptr_array_add (links, g_bytes_new (link, strlen (link)));
    }
  return ph_attr_new_strings (attr->name, (GBytes *const *) links->pdata, links->len);
}
