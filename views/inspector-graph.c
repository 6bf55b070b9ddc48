/* inspector-graph.c: the inspector's page of the whole graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "core/ops/op.h"
#include "views/inspector-private.h"

typedef struct { GHashTable *ops; gint64 flops; gboolean flops_known; guint n_edges; } Totals;

static void
add_up (PhGraph *graph, Totals *totals)
{
  PH_FOREACH_NODE (node, graph)
    {
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (totals->ops, node->op_type));
      gint64 flops = ph_node_flops (node);
      g_hash_table_insert (totals->ops, (gpointer) node->op_type, GUINT_TO_POINTER (n + 1));
      if (flops >= 0)
        totals->flops += flops;
      else
        totals->flops_known = FALSE;
      for (guint i = 0; i < node->inputs->len; i++)
        totals->n_edges += node->inputs->pdata[i] != NULL && ph_node_input (node, i)->producer != NULL;
      if (node->op && node->graphs)
        for (guint i = 0; i < node->graphs->len; i++)
          add_up (node->graphs->pdata[i], totals);
    }
}

static int
most_first (gconstpointer a, gconstpointer b, gpointer ops)
{
  guint na = GPOINTER_TO_UINT (g_hash_table_lookup (ops, *(char **) a)), nb = GPOINTER_TO_UINT (g_hash_table_lookup (ops, *(char **) b));
  return na != nb ? (na < nb) - (na > nb) : g_strcmp0 (*(char **) a, *(char **) b);
}

static void
add_values (PhInspector *self, GPtrArray *values, const char *title)
{
  if (values->len == 0)
    return;
  GtkListBox *section = ph_inspector_add_section (self, title);
  guint shown = 0, defaults = 0;
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];
      /* Weights that an old file also lists as inputs would bury the real ones. */
      if (value->is_input && value->tensor)
        defaults++;
      else if (shown++ < 100)
        ph_inspector_add_value_row (section, "", value);
    }
  if (defaults)
    {
      g_autofree char *text = g_strdup_printf (_("and %u with a default"), defaults);
      ph_inspector_add_row (section, "", text);
    }
}

void
ph_inspector_fill_graph (PhInspector *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhGraph *graph = model->graph;
  g_autoptr (GHashTable) ops = g_hash_table_new (NULL, NULL);
  Totals totals = { ops, 0, TRUE, 0 };
  gint64 weights = 0;

  add_up (graph, &totals);
  GPtrArray *with_tensors[] = { graph->constants, graph->inputs };
  for (guint k = 0; k < G_N_ELEMENTS (with_tensors); k++)
    for (guint i = 0; i < with_tensors[k]->len; i++)
      {
        const PhValue *value = with_tensors[k]->pdata[i];
        if (value->tensor)
          weights += (gint64) ph_tensor_bytes (value->tensor);
      }

  gtk_label_set_text (self->title, *graph->name ? graph->name : _("Graph"));
  GtkListBox *section = ph_inspector_add_section (self, NULL);
  g_autofree char *nodes = g_strdup_printf ("%u", ph_model_n_nodes (model, TRUE));
  g_autofree char *edges = g_strdup_printf ("%u", totals.n_edges);
  g_autofree char *opset = g_strdup_printf ("%d", ph_model_opset (model, ""));
  g_autofree char *weights_text = ph_bytes_text (weights);
  g_autofree char *flops = ph_count_text ((double) totals.flops);
  g_autofree char *flops_text = totals.flops_known ? g_strdup (flops) : g_strdup_printf (_("at least %s"), flops);
  ph_inspector_add_row (section, _("Nodes"), nodes);
  ph_inspector_add_row (section, _("Edges"), edges);
  ph_inspector_add_row (section, _("Weights"), weights_text);
  ph_inspector_add_row (section, _("Operations"), flops_text);
  ph_inspector_add_row (section, _("Opset"), opset);
  add_values (self, graph->inputs, _("Inputs"));
  add_values (self, graph->outputs, _("Outputs"));

  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, ops);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort_with_data (names, most_first, ops);
  section = ph_inspector_add_section (self, _("Operators"));
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *count = g_strdup_printf ("%u", GPOINTER_TO_UINT (g_hash_table_lookup (ops, names->pdata[i])));
      ph_inspector_add_row (section, names->pdata[i], count);
    }
}
