/* graph-pane-color.c: what the colours of the boxes say: the menu's choice, the measured times, the legend.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-pane-private.h"

#include <glib/gi18n.h>

static void
show_legend (PhGraphPane *self, gboolean show)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "legend");

  gtk_widget_set_visible (self->legend, show);
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (show));
}

static void
change_legend (GSimpleAction *action, GVariant *value, gpointer data)
{
  show_legend (data, g_variant_get_boolean (value));
}

/* What another position has, or another file, was not measured: most nodes here have to be known. */
static gboolean
is_measured (PhGraphPane *self)
{
  PhProfile *profile = ph_document_get_profile (self->document);
  PhModel *model = ph_document_get_model (self->document);
  guint n = 0, known = 0;

  if (!profile || !model)
    return FALSE;
  PH_FOREACH_NODE (node, model->graph)
    {
      n++;
      known += ph_profile_find (profile, node->id) != NULL;
    }
  return known * 2 >= n;
}

static void
show_measured (PhGraphPane *self, PhColorMode mode)
{
  PhMeasure *measure = ph_measure_new_of_profile (ph_document_get_profile (self->document), mode);

  self->color_wanted = PH_COLOR_FAMILY;
  ph_graph_canvas_set_measure (self->canvas, mode, measure);
  ph_measure_unref (measure);
}

void
ph_graph_pane_on_profile (PhGraphPane *self)
{
  guint mode;

  g_object_get (self->canvas, "color-mode", &mode, NULL);
  if (self->color_wanted != PH_COLOR_FAMILY)
    mode = self->color_wanted;
  if (ph_document_get_profile (self->document) && ph_color_mode_is_measured (mode))
    show_measured (self, mode);
  else if (ph_color_mode_is_measured (mode) && self->color_wanted == PH_COLOR_FAMILY) /* it holds no more */
    ph_graph_canvas_set_color_mode (self->canvas, PH_COLOR_FAMILY);
}

/* Relative, of the worst output of each node that both positions have. */
static PhMeasure *
measure_error (const PhAlong *along, PhPosition from, PhPosition to)
{
  g_autofree char *first = ph_position_to_string (from), *last = ph_position_to_string (to);
  g_autofree char *title = g_strdup_printf (_ ("Difference of the values, %s → %s"), first, last);
  GHashTable *numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (guint i = 0; i < along->values->len; i++)
    {
      const PhAlongValue *value = &g_array_index (along->values, PhAlongValue, i);
      const double error = value->error <= PH_ALONG_ROUNDING ? 0 : MIN (value->error, 1);
      double *known = g_hash_table_lookup (numbers, GUINT_TO_POINTER (value->node));

      if (known)
        *known = MAX (*known, error);
      else
        g_hash_table_insert (numbers, GUINT_TO_POINTER (value->node), g_memdup2 (&error, sizeof error));
    }
  return ph_measure_new_numbers (PH_COLOR_ERROR, title, NULL, numbers);
}

static void
show_error (PhGraphPane *self, const PhAlong *along)
{
  PhMeasure *measure = measure_error (along, ph_document_get_since (self->document), ph_document_get_position (self->document));

  self->error_wanted = FALSE;
  ph_graph_canvas_set_measure (self->canvas, PH_COLOR_ERROR, measure);
  ph_measure_unref (measure);
}

/* (nullable) What is known of the two positions between which changes are shown. */
static const PhAlong *
find_along (PhGraphPane *self)
{
  PhPosition from, to;
  const PhAlong *along = ph_document_get_along (self->document, &from, &to);

  return along && ph_position_compare (from, ph_document_get_since (self->document)) == 0
                 && ph_position_compare (to, ph_document_get_position (self->document)) == 0
             ? along
             : NULL;
}

static void
ask_error (PhGraphPane *self)
{
  g_autofree char *from = ph_position_to_string (ph_document_get_since (self->document)),
                  *to = ph_position_to_string (ph_document_get_position (self->document));
  g_autofree char *line = g_strdup_printf ("along %s %s", from, to);

  self->error_wanted = TRUE;
  ph_console_run_async (self->console, line, NULL, NULL, NULL);
}

void
ph_graph_pane_on_along (PhGraphPane *self)
{
  const PhAlong *along = find_along (self);
  guint mode;

  g_object_get (self->canvas, "color-mode", &mode, NULL);
  if (along && (self->error_wanted || mode == PH_COLOR_ERROR))
    show_error (self, along);
}

static void
change_color (GSimpleAction *action, GVariant *value, gpointer data)
{
  PhGraphPane *self = data;
  PhColorMode mode;

  if (!ph_color_mode_find (g_variant_get_string (value, NULL), &mode))
    return;
  self->color_wanted = ph_color_mode_is_measured (mode) && !is_measured (self) ? mode : PH_COLOR_FAMILY;
  self->error_wanted = FALSE;
  if (mode == PH_COLOR_QUERY)
    ph_query_bar_open (self->query_bar);
  else if (self->color_wanted != PH_COLOR_FAMILY)
    ph_console_run_async (self->console, "profile --random 1", NULL, NULL, NULL);
  else if (ph_color_mode_is_measured (mode))
    show_measured (self, mode);
  else if (mode == PH_COLOR_ERROR && find_along (self))
    show_error (self, find_along (self));
  else if (mode == PH_COLOR_ERROR)
    ask_error (self);
  else
    ph_graph_canvas_set_color_mode (self->canvas, mode);
}

/* Whoever set it: the menu says it, and colours that do not speak for themselves come with their legend. */
static void
on_color_mode (PhGraphPane *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "color");
  guint mode;

  g_object_get (self->canvas, "color-mode", &mode, NULL);
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (ph_color_mode_name ((PhColorMode) mode)));
  show_legend (self, mode != PH_COLOR_FAMILY);
}

static void
on_measured (PhGraphPane *self, PhMeasure *measure)
{
  ph_graph_canvas_set_measure (self->canvas, PH_COLOR_QUERY, measure);
}

void
ph_graph_pane_add_color_actions (PhGraphPane *self)
{
  static const GActionEntry entries[] = { { "color", NULL, "s", "'kind'", change_color },
                                          { "legend", NULL, NULL, "false", change_legend } };

  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect_swapped (self->canvas, "notify::color-mode", G_CALLBACK (on_color_mode), self);
  g_signal_connect_swapped (self->query_bar, "measured", G_CALLBACK (on_measured), self);
}
