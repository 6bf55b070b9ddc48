/* graph-canvas-pair.c: two canvases as before and after, with a common scene, view and style.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-pair.h"
#include "core/scene/scene.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/graph-canvas-view.h"

PhGraphCanvas *
ph_canvas_leader (PhGraphCanvas *self)
{
  return self->side == PH_SIDE_BEFORE && self->other != NULL ? self->other : self;
}

void
ph_canvas_share_scene (PhGraphCanvas *self)
{
  PhGraphCanvas *before = self->side == PH_SIDE_AFTER ? self->other : NULL;

  if (before == NULL || before->shown.scene == self->shown.scene)
    return;
  ph_canvas_morph_stop (before);
  g_clear_pointer (&before->shown.scene, ph_scene_unref);
  before->shown.scene = self->shown.scene != NULL ? ph_scene_ref (self->shown.scene) : NULL;
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
      ph_canvas_share_scene (after);
      ph_canvas_share_view (after);
    }
  /* A compact picture has one position only. */
  if (ph_canvas_wanted (after)->compact)
    ph_canvas_ask_layout (after);
}
