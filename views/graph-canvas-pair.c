/* graph-canvas-pair.c: two canvases as before and after: one scene, one view, one look.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

PhGraphCanvas *
ph_canvas_leader (PhGraphCanvas *self)
{
  return self->side == PH_SIDE_BEFORE && self->other != NULL ? self->other : self;
}

void
ph_canvas_share_scene (PhGraphCanvas *self)
{
  PhGraphCanvas *before = self->side == PH_SIDE_AFTER ? self->other : NULL;

  if (before == NULL || before->scene == self->scene)
    return;
  ph_canvas_morph_stop (before);
  g_clear_pointer (&before->scene, ph_scene_unref);
  before->scene = self->scene != NULL ? ph_scene_ref (self->scene) : NULL;
  before->hover = PH_HOVER_NOTHING;
  before->first = FALSE;
  ph_canvas_update_times (before);
  ph_canvas_update_look (before);
  ph_canvas_share_view (self);
}

void
ph_canvas_share_view (PhGraphCanvas *self)
{
  if (self->other == NULL || self->following)
    return;
  self->other->following = TRUE;
  ph_canvas_stop_animation (self->other);
  self->other->fitted = FALSE;
  ph_canvas_set_view (self->other, self->viewport.at);
  self->other->following = FALSE;
}

void
ph_canvas_share_look (PhGraphCanvas *self)
{
  PhGraphCanvas *other = self->other;

  if (other == NULL || self->following)
    return;
  other->following = TRUE;
  ph_graph_canvas_set_show_diff (other, self->show_diff);
  ph_graph_canvas_set_edge_width (other, self->edge_width);
  ph_graph_canvas_set_show_values (other, self->show_values);
  if (other->color_mode != self->color_mode || other->measure != self->measure)
    ph_graph_canvas_set_measure (other, self->color_mode, self->measure);
  other->following = FALSE;
}

static void
set_side (PhGraphCanvas *self, PhSide side, PhGraphCanvas *other)
{
  ph_canvas_morph_stop (self);
  self->side = side;
  self->other = other;
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
}

void
ph_canvas_part (PhGraphCanvas *self)
{
  if (self->other != NULL)
    set_side (self->other, PH_SIDE_BOTH, NULL);
  self->side = PH_SIDE_BOTH;
  self->other = NULL;
}

void
ph_graph_canvas_pair (PhGraphCanvas *after, PhGraphCanvas *before)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (after) && (before == NULL || PH_IS_GRAPH_CANVAS (before)) && before != after);
  g_return_if_fail (before == NULL || before->other == NULL || before->other == after);
  if (after->other == before)
    return;
  ph_canvas_part (after);
  set_side (after, before != NULL ? PH_SIDE_AFTER : PH_SIDE_BOTH, before);
  if (before != NULL)
    {
      set_side (before, PH_SIDE_BEFORE, after);
      ph_graph_canvas_set_document (before, after->document);
      ph_canvas_share_look (after);
      ph_canvas_share_scene (after);
      ph_canvas_share_view (after);
    }
  /* A compact picture has one position only. */
  if (after->compact)
    ph_canvas_ask_layout (after);
}
