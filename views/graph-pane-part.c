/* graph-pane-part.c: shows a part of the graph: around a node, the paths between two, or the nodes touched by a step.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-pane-private.h"

#include <glib/gi18n.h>

/* Shows the title of the part, or the missing argument of the one requested. */
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

/* Shows the neighbourhood with the last number of steps; wider and narrower start with two. */
static void
show_around (PhGraphPane *self)
{
  guint id, steps, selected = ph_document_get_selection (self->document);
  gboolean shown = ph_graph_canvas_get_neighbourhood (self->canvas, &id, &steps);
  g_autofree char *line = g_strdup_printf ("view part around n%u %u", selected, shown ? steps : 2);

  if (selected)
    ph_graph_pane_say (self, line);
  else
    gtk_widget_error_bell (GTK_WIDGET (self));
}

gboolean
ph_graph_pane_ask_part (PhGraphPane *self, const char *word)
{
  guint id, steps;
  gboolean shown = ph_graph_canvas_get_neighbourhood (self->canvas, &id, &steps), asked = self->path_from != PH_NO_ID;

  if (g_str_equal (word, "all"))
    {
      self->path_from = PH_NO_ID;
      gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
      ph_graph_pane_queue_labels (self);
      return asked;
    }
  if (g_str_equal (word, "paths"))
    ph_graph_pane_ask_paths (self);
  else if (g_str_equal (word, "around") || (!shown && !g_str_equal (word, "touched")))
    show_around (self);
  else
    return FALSE;
  return TRUE;
}

/* Takes the selected node as the start on the first call, and as the end on the second. */
void
ph_graph_pane_ask_paths (PhGraphPane *self)
{
  guint from = self->path_from, selected = ph_document_get_selection (self->document);

  if (from == PH_NO_ID)
    self->path_from = selected;
  else if (selected != from && selected != PH_NO_ID)
    {
      self->path_from = PH_NO_ID;
      g_autofree char *line = g_strdup_printf ("view part paths n%u n%u", from, selected);
      ph_graph_pane_say (self, line);
    }
  if (self->path_from == PH_NO_ID && from == PH_NO_ID)
    gtk_widget_error_bell (GTK_WIDGET (self));
  ph_graph_pane_queue_labels (self);
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
