/* graph-canvas-parts.c: describes the part of the graph that is shown, and extends it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"

static const char *
name_of (PhGraphCanvas *self, PhId id)
{
  const PhNode *node = ph_model_find_node (ph_document_get_model (self->document), id);

  return node != NULL ? node->op_type : "";
}

void
ph_canvas_update_part (PhGraphCanvas *self)
{
  const PhArrangement *part = ph_canvas_wanted (self);

  g_clear_pointer (&self->part_title, g_free);
  if (part->keep == NULL || !ph_document_is_open (self->document))
    return;
  if (part->part == PH_PART_TOUCHED)
    self->part_title = g_strdup (_ ("Only what this step touched, with its neighbours"));
  else if (part->part == PH_PART_PATHS)
    self->part_title = g_strdup_printf (_ ("All paths from n%u %s to n%u %s"), part->from, name_of (self, part->from), part->to,
                                        name_of (self, part->to));
  else
    self->part_title = g_strdup_printf (
        part->also != NULL ? ngettext ("%u step around n%u %s, and more", "%u steps around n%u %s, and more", part->steps)
                           : ngettext ("%u step around n%u %s", "%u steps around n%u %s", part->steps),
        part->steps, part->from, name_of (self, part->from));
}

gboolean
ph_graph_canvas_show_beyond (PhGraphCanvas *self, guint id)
{
  const PhArrangement *wanted;
  const GHashTable *before;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  wanted = ph_canvas_wanted (self);
  before = wanted->keep;
  if (wanted->part == PH_PART_AROUND)
    ph_canvas_say (self, "view part beyond n%u", id);
  return ph_canvas_wanted (self)->keep != before;
}

gboolean
ph_graph_canvas_get_neighbourhood (PhGraphCanvas *self, guint *id, guint *steps)
{
  const PhArrangement *wanted;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  wanted = ph_canvas_wanted (self);
  *id = wanted->from;
  *steps = wanted->steps;
  return wanted->part == PH_PART_AROUND;
}

gboolean
ph_graph_canvas_is_partial (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  return ph_canvas_wanted (self)->keep != NULL;
}

const char *
ph_graph_canvas_get_part (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return ph_canvas_leader (self)->part_title;
}
