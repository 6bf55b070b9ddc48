/* graph-pane-part.c: showing only a part of the graph: around a node, the paths between two, what a step touched.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-pane-private.h"

#include <glib/gi18n.h>

/* Which part is shown, or what is still to be said of the one that is asked for. */
void
ph_graph_pane_update_part (PhGraphPane *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhNode *from = model && self->path_from ? ph_model_find_node (model, self->path_from) : NULL;
  guint id, steps;

  self->path_from = from ? self->path_from : PH_NO_ID;
  if (from)
    {
      g_autofree char *text = g_strdup_printf (_ ("Paths from n%u %s: select where they lead, then press P"), from->id,
                                               from->op_type);
      gtk_label_set_text (self->part_title, text);
    }
  else if (ph_graph_canvas_get_part (self->canvas))
    gtk_label_set_text (self->part_title, ph_graph_canvas_get_part (self->canvas));
  gtk_widget_set_visible (self->part_steps, !from && ph_graph_canvas_get_neighbourhood (self->canvas, &id, &steps));
  gtk_revealer_set_reveal_child (self->part_bar, from || ph_graph_canvas_is_partial (self->canvas));
}

static void
part_all (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;

  if (self->path_from)
    self->path_from = PH_NO_ID;
  else
    ph_graph_canvas_show_all (self->canvas);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  ph_graph_pane_queue_labels (self);
}

static void
part_touched (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;

  if (!ph_graph_canvas_show_touched (self->canvas))
    gtk_widget_error_bell (GTK_WIDGET (self));
}

/* "part-around": as far as the last time; "part-wider", "part-narrower": a step more of it, or less. */
static void
part_around (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;
  const char *name = g_action_get_name (G_ACTION (action));
  int change = g_str_equal (name, "part-wider") ? 1 : g_str_equal (name, "part-narrower") ? -1 : 0;
  guint id, steps, selected = ph_document_get_selection (self->document);
  gboolean shown = ph_graph_canvas_get_neighbourhood (self->canvas, &id, &steps);

  if (!shown || change == 0)
    {
      id = selected;
      steps = shown ? steps : 2;
    }
  else
    steps = (guint) MAX (1, (int) steps + change);
  if (!ph_graph_canvas_show_neighbourhood (self->canvas, id, steps))
    gtk_widget_error_bell (GTK_WIDGET (self));
}

/* The first time it says from where, the second time where to. */
void
ph_graph_pane_ask_paths (PhGraphPane *self)
{
  guint from = self->path_from, selected = ph_document_get_selection (self->document);

  if (from == PH_NO_ID)
    self->path_from = selected;
  else if (selected != from && selected != PH_NO_ID)
    {
      self->path_from = PH_NO_ID;
      if (!ph_graph_canvas_show_paths (self->canvas, from, selected))
        {
          g_autofree char *line = g_strdup_printf ("paths n%u n%u", from, selected);
          ph_console_run_async (self->console, line, NULL, NULL, NULL);
        }
    }
  if (self->path_from == PH_NO_ID && from == PH_NO_ID)
    gtk_widget_error_bell (GTK_WIDGET (self));
  ph_graph_pane_queue_labels (self);
}

static void
part_paths (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ph_graph_pane_ask_paths (data);
}

guint
ph_graph_pane_get_path_start (PhGraphPane *self)
{
  return self->path_from;
}

gboolean
ph_graph_pane_stop_asking (PhGraphPane *self)
{
  if (self->path_from == PH_NO_ID)
    return FALSE;
  self->path_from = PH_NO_ID;
  ph_graph_pane_queue_labels (self);
  return TRUE;
}

void
ph_graph_pane_add_part_actions (PhGraphPane *self)
{
  /* clang-format off */
  static const GActionEntry entries[] = {
    { "part-around", part_around }, { "part-wider", part_around }, { "part-narrower", part_around },
    { "part-paths", part_paths }, { "part-touched", part_touched }, { "part-all", part_all },
  };
  /* clang-format on */

  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
}
