/* inspector-graph.c: the inspector's page of the whole graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gi18n.h>

#include "core/analyze/totals.h"
#include "core/io/choose.h"
#include "core/ops/dialect.h"
#include "core/scene/short-type.h"
#include "views/inspector-private.h"

/* Sums over all nodes, computed a slice at a time. The model cannot change meanwhile: any change refills the page. */
typedef struct
{
  PhInspector *inspector; /* lives longer                                        */
  PhModel *model;
  PhTotals sum;
  gint64 weights; /* bytes, without those of Constant nodes              */
  GtkLabel *edges, *operations, *weights_label;
  GtkListBox *section; /* of the operators                                    */
} Totals;

#define N_SLOWEST    6
#define MOST_MODULES 100
#define SLICE_US     3000
#define N_NODES      64 /* between two checks of the time */

static void
totals_free (gpointer data)
{
  Totals *totals = data;

  ph_totals_clear (&totals->sum);
  g_free (totals);
}

static int
most_first (gconstpointer a, gconstpointer b, gpointer totals)
{
  const gsize na = ph_totals_of_op (totals, *(char **) a), nb = ph_totals_of_op (totals, *(char **) b);

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
        ph_inspector_add_value_row (self, section, "", value);
    }
  if (defaults)
    {
      g_autofree char *text = g_strdup_printf (_ ("and %u with a default"), defaults);
      ph_inspector_add_row (section, "", text);
    }
}

static gboolean
has_open_input (const PhModel *model)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      if (input->type == NULL || (input->type->kind == PH_KIND_TENSOR && ph_type_count (input->type) < 0))
        return TRUE;
    }
  return FALSE;
}

static void
show_totals (Totals *totals)
{
  const PhTotals *sum = &totals->sum;
  g_autofree char *edges = g_strdup_printf ("%'" G_GINT64_FORMAT, sum->edges), *flops = ph_count_text ((double) sum->flops);
  g_autofree char *flops_text = sum->unknown == 0                ? g_strdup (flops)
                                : sum->flops > 0                 ? g_strdup_printf (_ ("at least %s"), flops)
                                : has_open_input (totals->model) ? g_strdup (_ ("depends on the sizes"))
                                                                 : g_strdup (_ ("unknown"));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, sum->ops);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);

  g_autofree char *weights = ph_bytes_text (totals->weights + sum->bytes);
  gtk_label_set_text (totals->weights_label, weights);
  gtk_label_set_text (totals->edges, edges);
  gtk_label_set_text (totals->operations, flops_text);
  g_ptr_array_sort_with_data (names, most_first, (gpointer) sum);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *count = g_strdup_printf ("%'" G_GSIZE_FORMAT, ph_totals_of_op (sum, names->pdata[i]));
      ph_inspector_add_search (totals->section, names->pdata[i], count, names->pdata[i]);
    }
}

static gboolean
add_slice (gpointer data)
{
  Totals *totals = data;
  gint64 end = g_get_monotonic_time () + SLICE_US;

  while (ph_totals_add (&totals->sum, totals->model, N_NODES))
    if (g_get_monotonic_time () > end)
      return G_SOURCE_CONTINUE;
  show_totals (totals);
  totals->inspector->totals_source = 0;
  return G_SOURCE_REMOVE;
}

/* A small graph is finished at once, without a flicker. */
static void
start_totals (PhInspector *self, Totals *totals)
{
  if (add_slice (totals) == G_SOURCE_REMOVE)
    totals_free (totals);
  else
    self->totals_source = g_timeout_add_full (G_PRIORITY_DEFAULT, 8, add_slice, totals, totals_free);
}

/* Explains the letters in the types of this panel. */
static void
add_dimensions (PhInspector *self)
{
  GtkListBox *section = self->dimensions->len ? ph_inspector_add_section (self, _ ("Dimensions")) : NULL;

  for (guint i = 0; i < self->dimensions->len; i++)
    {
      g_autofree char *letter = ph_dimension_letter (i);
      ph_inspector_add_row (section, letter, self->dimensions->pdata[i]);
    }
}

/* Lists the slowest nodes, if measured; not those in a body, whose time is included in their owner's. */
static void
add_slowest (PhInspector *self)
{
  PhProfile *profile = ph_document_get_profile (self->document);
  PhModel *model = ph_document_get_model (self->document);
  GtkListBox *section = ph_inspector_add_section (self, _ ("Time"));
  guint n, shown = 0;

  if (!profile)
    {
      ph_inspector_add_line (section, _ ("Whole run"), _ ("not measured"), "profile --random 1", 0);
      return;
    }
  const PhNodeTime *times = ph_profile_times (profile, &n);
  g_autofree char *whole = ph_seconds_text ((double) ph_profile_total (profile) / 1e9);
  ph_inspector_add_line (section, _ ("Whole run"), whole, "profile --random 1", 0);
  for (guint i = 0; i < n && shown < N_SLOWEST; i++)
    {
      const PhNode *node = times[i].inside ? NULL : ph_model_find_node (model, times[i].node);
      if (!node)
        continue;
      g_autofree char *took = ph_seconds_text ((double) times[i].ns / 1e9);
      g_autofree char *name = g_strdup_printf ("%s n%u", node->op_type, node->id);
      ph_inspector_add_link (section, name, took, PH_LINK_NODE, node->id);
      shown++;
    }
}

/* Lists the modules of the file; a click opens one in the place of this. */
static void
add_modules (PhInspector *self)
{
  GPtrArray *parts = ph_document_get_parts (self->document);
  GtkListBox *section = parts ? ph_inspector_add_section (self, _ ("In the File")) : NULL;

  for (guint i = 0; parts && i < parts->len; i++)
    {
      g_autofree char *whole = ph_io_display_name (parts->pdata[i]), *quoted = g_shell_quote (parts->pdata[i]);
      g_autofree char *line = g_strconcat ("open ", quoted, NULL);
      const char *slash = strchr (whole, '/'), *name = slash ? slash + 1 : whole;

      if (g_strcmp0 (parts->pdata[i], ph_document_get_path (self->document)) == 0)
        ph_inspector_add_row (section, name, _ ("shown"));
      else if (i < MOST_MODULES)
        ph_inspector_add_line (section, name, "", line, 0);
    }
  if (parts && parts->len > MOST_MODULES)
    {
      g_autofree char *text = g_strdup_printf (_ ("%u in all"), parts->len);
      ph_inspector_add_row (section, "", text);
    }
}

void
ph_inspector_fill_graph (PhInspector *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhGraph *graph = model->graph;
  Totals *totals = g_new0 (Totals, 1);

  GPtrArray *with_tensors[] = { graph->constants, graph->inputs };
  for (guint k = 0; k < G_N_ELEMENTS (with_tensors); k++)
    for (guint i = 0; i < with_tensors[k]->len; i++)
      {
        const PhValue *value = with_tensors[k]->pdata[i];
        if (value->tensor)
          totals->weights += (gint64) ph_tensor_bytes (value->tensor);
      }

  gtk_label_set_text (self->title, *graph->name ? graph->name : _ ("Graph"));
  gtk_label_set_text (self->badge, *graph->name ? _ ("graph") : "");
  GtkListBox *section = ph_inspector_add_section (self, NULL);
  g_autofree char *nodes = g_strdup_printf ("%'u", ph_model_n_nodes (model, TRUE));
  const int file = ph_model_file_opset (model), form = ph_model_opset (model, "");
  g_autofree char *opset = file == form ? g_strdup_printf ("%d", form)
                                        : g_strdup_printf (_ ("%d, operators in the form of %d"), file, form);
  const char *dialect = ph_dialect_name_foreign (model);
  totals->inspector = self;
  totals->model = model;
  ph_totals_init (&totals->sum);
  ph_inspector_add_row (section, _ ("Nodes"), nodes);
  totals->edges = ph_inspector_add_row (section, _ ("Edges"), "…");
  totals->weights_label = ph_inspector_add_row (section, _ ("Weights"), "…");
  totals->operations = ph_inspector_add_row (section, _ ("Operations"), "…");
  if (dialect != NULL)
    ph_inspector_add_row (section, _ ("Dialect"), dialect);
  else if (form > 0)
    ph_inspector_add_row (section, _ ("Opset"), opset);
  add_modules (self);
  add_values (self, graph->inputs, _ ("Inputs"));
  add_values (self, graph->outputs, _ ("Outputs"));
  add_dimensions (self);
  add_slowest (self);
  totals->section = ph_inspector_add_section (self, _ ("Operators"));
  start_totals (self, totals);
}
