/* graph-canvas-changes.c: what is marked as changed in the picture: how much of it, and one after another.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

static gboolean
is_node (PhGraphCanvas *self, int box)
{
  return ph_scene_box (self->scene, box)->kind == PH_BOX_NODE && ph_scene_box (self->scene, box)->n_tenants > 0;
}

void
ph_graph_canvas_count_changes (PhGraphCanvas *self, guint *added, guint *removed, guint *changed)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  *added = *removed = *changed = 0;
  self = ph_canvas_leader (self);
  if (self->scene == NULL || self->time == self->since)
    return;
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      const PhTenant *gone = NULL;
      const PhChange change = is_node (self, b) ? ph_scene_change (self->scene, b, self->since, self->time, &gone) : PH_CHANGE_NONE;

      *added += change == PH_CHANGE_ADDED;
      *changed += change == PH_CHANGE_CHANGED;
      *removed += gone != NULL;
    }
}

/* In the order of reading: from above, then from the left. */
static int
order (PhGraphCanvas *self, int a, int b)
{
  const PhRect *x = &ph_scene_box (self->scene, a)->rect, *y = &ph_scene_box (self->scene, b)->rect;

  return x->y != y->y ? (x->y < y->y ? -1 : 1) : x->x != y->x ? (x->x < y->x ? -1 : 1) : a - b;
}

gboolean
ph_graph_canvas_go_to_change (PhGraphCanvas *self, int direction)
{
  int from, best = -1, first = -1;
  guint selected;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  if (self->scene == NULL || self->time == self->since)
    return FALSE;
  selected = ph_document_get_selection (self->document);
  from = selected != 0 ? ph_scene_find (self->scene, selected, NULL) : -1;
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      if (!is_node (self, b) || ph_scene_change (self->scene, b, self->since, self->time, NULL) == PH_CHANGE_NONE)
        continue;
      if (first < 0 || direction * order (self, b, first) < 0)
        first = b;
      if (from >= 0 && direction * order (self, b, from) > 0 && (best < 0 || direction * order (self, b, best) < 0))
        best = b;
    }
  /* Past the last one it begins anew. */
  best = best >= 0 ? best : first;
  if (best < 0)
    return FALSE;
  ph_document_set_selection (self->document, ph_canvas_id_of (self, best, -1));
  return TRUE;
}
