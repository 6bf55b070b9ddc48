/* plan.c: determines the nodes to run, their order, and when each tensor can be freed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/run-private.h"

/* Adds the values of @graph that @node reads, in its bodies too. */
static void
collect_reads (const PhNode *node, const PhGraph *graph, GPtrArray *reads)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = node->inputs->pdata[i];

      if (value != NULL && value->graph == graph)
        g_ptr_array_add (reads, value);
    }
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      PH_FOREACH_NODE (inner, body)
        collect_reads (inner, graph, reads);
      for (guint k = 0; k < body->outputs->len; k++)
        {
          PhValue *value = body->outputs->pdata[k];

          if (value->graph == graph)
            g_ptr_array_add (reads, value);
        }
    }
}

static gboolean
any_needed (const PhNode *node, GHashTable *needed)
{
  for (guint i = 0; i < node->outputs->len; i++)
    if (g_hash_table_contains (needed, node->outputs->pdata[i]))
      return TRUE;
  return FALSE;
}

/* Since the list is in topological order, one walk from its end finds all needed nodes, and meets the last user of a value before the
 * others. */
PhPlan *
ph_plan_new (PhGraph *graph, GPtrArray *wanted, GHashTable *given)
{
  g_autoptr (GHashTable) needed = g_hash_table_new (NULL, NULL), kept = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) reads = g_ptr_array_new (), releases = g_ptr_array_new ();
  PhPlan *plan = g_new0 (PhPlan, 1);
  guint n;

  for (guint i = 0; i < wanted->len; i++)
    {
      g_hash_table_add (kept, wanted->pdata[i]);
      g_hash_table_add (needed, wanted->pdata[i]);
    }
  plan->nodes = g_ptr_array_new ();
  for (PhNode *node = graph->last; node != NULL; node = node->prev)
    {
      GPtrArray *release = NULL;

      if (!any_needed (node, needed))
        continue;
      if (given != NULL)
        {
          gboolean all = TRUE;

          for (guint i = 0; i < node->outputs->len; i++)
            all = all
                  && (g_hash_table_contains (given, node->outputs->pdata[i])
                      || !g_hash_table_contains (needed, node->outputs->pdata[i]));
          if (all)
            continue;
        }
      g_ptr_array_set_size (reads, 0);
      collect_reads (node, graph, reads);
      for (guint i = 0; i < node->outputs->len; i++) /* unused outputs are freed immediately */
        if (!g_hash_table_contains (needed, node->outputs->pdata[i]))
          g_ptr_array_add (reads, node->outputs->pdata[i]);
      for (guint i = 0; i < reads->len; i++)
        if (g_hash_table_add (needed, reads->pdata[i]) && !g_hash_table_contains (kept, reads->pdata[i]))
          {
            release = release != NULL ? release : g_ptr_array_new ();
            g_ptr_array_add (release, reads->pdata[i]);
          }
      g_ptr_array_add (plan->nodes, node);
      g_ptr_array_add (releases, release);
    }

  n = plan->nodes->len;
  plan->release = g_new (GPtrArray *, n);
  for (guint i = 0; i < n; i++)
    plan->release[i] = releases->pdata[n - 1 - i];
  for (guint i = 0; i < n / 2; i++)
    {
      gpointer other = plan->nodes->pdata[i];

      plan->nodes->pdata[i] = plan->nodes->pdata[n - 1 - i];
      plan->nodes->pdata[n - 1 - i] = other;
    }
  return plan;
}

void
ph_plan_free (PhPlan *plan)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    if (plan->release[i] != NULL)
      g_ptr_array_unref (plan->release[i]);
  g_free (plan->release);
  g_ptr_array_unref (plan->nodes);
  g_free (plan);
}

#define FEW_ELEMENTS 4000000 /* of constants and inputs, if open sizes leave the flops unknown */

gboolean
ph_code_is_small (const PhCode *code, GHashTable *given)
{
  gint64 flops = 0;
  gsize elements = 0;
  GHashTableIter iter;
  gpointer tensor;

  if (given != NULL)
    {
      g_hash_table_iter_init (&iter, given);
      while (g_hash_table_iter_next (&iter, NULL, &tensor))
        elements += ph_tensor_count (tensor);
    }
  for (guint i = 0; i < code->n_steps; i++)
    {
      const PhNode *node = code->steps[i].node;

      flops += MAX (ph_node_flops (node), 0);
      for (guint k = 0; k < node->inputs->len; k++)
        {
          const PhValue *value = ph_node_input (node, k);

          elements += value != NULL && value->tensor != NULL ? ph_tensor_count (value->tensor) : 0;
        }
      if (flops > PH_FEW_FLOPS || elements > FEW_ELEMENTS)
        return FALSE;
    }
  return TRUE;
}
