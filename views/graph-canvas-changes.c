/* graph-canvas-changes.c: the changes marked in the picture: their number, and stepping through them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/graph-canvas-view.h"

#include <math.h>

#define EDGE 0.05 /* of the window, kept free around the target */

static gboolean
is_node (PhGraphCanvas *self, int box)
{
  return ph_scene_box (self->shown.scene, box)->kind == PH_BOX_NODE && ph_scene_box (self->shown.scene, box)->n_tenants > 0;
}

void
ph_graph_canvas_count_changes (PhGraphCanvas *self, guint *added, guint *removed, guint *changed)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  *added = *removed = *changed = 0;
  self = ph_canvas_leader (self);
  if (self->shown.scene == NULL || self->time == self->since)
    return;
  for (guint b = 0; b < ph_scene_n_boxes (self->shown.scene); b++)
    {
      const PhTenant *gone = NULL;
      const PhChange change = is_node (self, b) ? ph_scene_change (self->shown.scene, b, self->since, self->time, &gone)
                                                : PH_CHANGE_NONE;

      *added += change == PH_CHANGE_ADDED;
      *changed += change == PH_CHANGE_CHANGED;
      *removed += gone != NULL;
    }
}

/* In reading order: from the top, then from the left. */
static int
order (PhGraphCanvas *self, int a, int b)
{
  const PhRect *x = &ph_scene_box (self->shown.scene, a)->rect, *y = &ph_scene_box (self->shown.scene, b)->rect;

  return x->y != y->y ? (x->y < y->y ? -1 : 1) : x->x != y->x ? (x->x < y->x ? -1 : 1) : a - b;
}

gboolean
ph_graph_canvas_go_to_change (PhGraphCanvas *self, int direction)
{
  int from, best = -1, first = -1;
  guint selected;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  self = ph_canvas_leader (self);
  if (self->shown.scene == NULL || self->time == self->since)
    return FALSE;
  selected = ph_document_get_selection (self->document);
  from = selected != 0 ? ph_scene_find (self->shown.scene, selected, NULL) : -1;
  for (guint b = 0; b < ph_scene_n_boxes (self->shown.scene); b++)
    {
      if (!is_node (self, b) || ph_scene_change (self->shown.scene, b, self->since, self->time, NULL) == PH_CHANGE_NONE)
        continue;
      if (first < 0 || direction * order (self, b, first) < 0)
        first = b;
      if (from >= 0 && direction * order (self, b, from) > 0 && (best < 0 || direction * order (self, b, best) < 0))
        best = b;
    }
  /* After the last one it wraps around. */
  best = best >= 0 ? best : first;
  if (best < 0)
    return FALSE;
  ph_document_set_selection (self->document, ph_canvas_id_of (self, best, -1));
  ph_canvas_uncover (self);
  return TRUE;
}

/* ── changes out of sight ───────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  int box;
  guint n;
} Marked;

/* Returns all marked boxes and the number of nodes in each; cached until the appearance changes, since each scroll event needs it. */
static GArray *
marked (PhGraphCanvas *self)
{
  if (self->marked != NULL)
    return self->marked;
  self->marked = g_array_new (FALSE, FALSE, sizeof (Marked));
  for (guint b = 0; b < ph_scene_n_boxes (self->shown.scene) && self->time != self->since; b++)
    {
      const PhSceneBox *box = ph_scene_box (self->shown.scene, b);
      Marked mark = { (int) b, 0 };
      guint added = 0, removed = 0, changed = 0;

      if (!box->shown || box->open)
        continue;
      if (box->kind == PH_BOX_GROUP)
        ph_scene_count_changes (self->shown.scene, b, self->since, self->time, &added, &removed, &changed);
      else if (is_node (self, b))
        changed = ph_scene_change (self->shown.scene, b, self->since, self->time, NULL) != PH_CHANGE_NONE;
      mark.n = added + removed + changed;
      if (mark.n > 0)
        g_array_append_val (self->marked, mark);
    }
  return self->marked;
}

/* Returns how far @rect is outside the window, in points, and at which side; 0 if it is at least partly visible. */
static double
distance (PhGraphCanvas *self, const PhRect *rect, GtkDirectionType *side)
{
  const PhRect seen = ph_viewport_seen (ph_canvas_viewport (self));
  const double dx = MAX (seen.x - rect->x - rect->width, rect->x - seen.x - seen.width);
  const double dy = MAX (seen.y - rect->y - rect->height, rect->y - seen.y - seen.height);

  *side = dy >= dx ? (rect->y > seen.y ? GTK_DIR_DOWN : GTK_DIR_UP) : rect->x > seen.x ? GTK_DIR_RIGHT : GTK_DIR_LEFT;
  return hypot (MAX (dx, 0), MAX (dy, 0));
}

/* Finds the nearest mark, or NULL. @far: its distance, 0 if it is at least partly visible. */
static const Marked *
nearest (PhGraphCanvas *self, GtkDirectionType *where, double *far)
{
  GArray *marks = marked (self);
  const Marked *best = NULL;

  *far = INFINITY;
  for (guint i = 0; i<marks->len && * far> 0; i++)
    {
      const Marked *mark = &g_array_index (marks, Marked, i);
      GtkDirectionType side;
      const double away = distance (self, &ph_scene_box (self->shown.scene, mark->box)->rect, &side);

      if (away >= *far)
        continue;
      *far = away;
      best = mark;
      *where = side;
    }
  return best;
}

guint
ph_graph_canvas_find_unseen (PhGraphCanvas *self, GtkDirectionType *where)
{
  GtkDirectionType side;
  double far;
  guint n = 0;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), 0);
  if (self->shown.scene == NULL || nearest (self, where, &far) == NULL || far <= 0)
    return 0;
  for (guint i = 0; i < self->marked->len; i++)
    {
      const Marked *mark = &g_array_index (self->marked, Marked, i);

      distance (self, &ph_scene_box (self->shown.scene, mark->box)->rect, &side);
      if (side == *where)
        n += mark->n;
    }
  return n;
}

/* Returns @rect extended to other marked boxes as far as it fits in @width x @height points. */
static PhRect
with_others (PhGraphCanvas *self, PhRect rect, double width, double height)
{
  for (guint i = 0; i < self->marked->len; i++)
    {
      const PhRect *other = &ph_scene_box (self->shown.scene, g_array_index (self->marked, Marked, i).box)->rect;
      const double x = MIN (rect.x, other->x), y = MIN (rect.y, other->y);
      const PhRect both = { x, y, MAX (rect.x + rect.width, other->x + other->width) - x,
                            MAX (rect.y + rect.height, other->y + other->height) - y };

      if (both.width <= width && both.height <= height)
        rect = both;
    }
  return rect;
}

static void
go_to (PhGraphCanvas *self, const Marked *mark)
{
  const PhViewport *viewport = ph_canvas_viewport (self);
  const PhRect seen = ph_viewport_seen (viewport);
  const PhRect rect = with_others (self, ph_scene_box (self->shown.scene, mark->box)->rect, (1 - 2 * EDGE) * seen.width,
                                   (1 - 2 * EDGE) * seen.height);

  ph_canvas_move (self, ph_viewport_center (viewport, &rect, viewport->at.zoom), TRUE);
}

void
ph_graph_canvas_show_unseen (PhGraphCanvas *self)
{
  GtkDirectionType where;
  const Marked *mark;
  double far;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  mark = self->shown.scene != NULL ? nearest (self, &where, &far) : NULL;
  if (mark != NULL && far > 0)
    go_to (self, mark);
}

/* Returns TRUE if the whole of @rect is visible, not just a part at the border. */
static gboolean
is_seen_whole (PhGraphCanvas *self, const PhRect *rect)
{
  const PhRect seen = ph_viewport_seen (ph_canvas_viewport (self));

  return rect->x >= seen.x && rect->y >= seen.y && rect->x + rect->width <= seen.x + seen.width
         && rect->y + rect->height <= seen.y + seen.height;
}

static gboolean
sees_whole_one (PhGraphCanvas *self)
{
  for (guint i = 0; i < self->marked->len; i++)
    if (is_seen_whole (self, &ph_scene_box (self->shown.scene, g_array_index (self->marked, Marked, i).box)->rect))
      return TRUE;
  return FALSE;
}

/* Returns FALSE if the marked boxes do not fit into one window without its edges. */
static gboolean
bounds_of_all (PhGraphCanvas *self, PhRect *bounds)
{
  const PhRect first = ph_scene_box (self->shown.scene, g_array_index (self->marked, Marked, 0).box)->rect;
  const PhRect seen = ph_viewport_seen (ph_canvas_viewport (self));

  *bounds = with_others (self, first, INFINITY, INFINITY);
  return bounds->width <= (1 - 2 * EDGE) * seen.width && bounds->height <= (1 - 2 * EDGE) * seen.height;
}

/* Scrolls as little as needed to have all of @bounds in the window. */
static void
shift_to (PhGraphCanvas *self, const PhRect *bounds)
{
  const PhRect seen = ph_viewport_seen (ph_canvas_viewport (self));
  const double w = seen.width, h = seen.height;
  const PhView at = self->viewport.at;

  ph_canvas_move (self,
                  (PhView) { CLAMP (at.x, bounds->x + bounds->width - (1 - EDGE) * w, bounds->x - EDGE * w),
                             CLAMP (at.y, bounds->y + bounds->height - (1 - EDGE) * h, bounds->y - EDGE * h), at.zoom },
                  TRUE);
}

gboolean
ph_graph_canvas_follow (PhGraphCanvas *self)
{
  GtkDirectionType side;
  const Marked *mark;
  PhRect selected, bounds;
  gboolean fits;
  double far;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  if (!self->stepped || (ph_canvas_selection_rect (self, &selected) && distance (self, &selected, &side) <= 0))
    return FALSE;
  self->stepped = FALSE;
  mark = self->shown.scene != NULL ? nearest (self, &side, &far) : NULL;
  if (mark == NULL)
    return FALSE;
  fits = bounds_of_all (self, &bounds);
  if (fits ? is_seen_whole (self, &bounds) : sees_whole_one (self))
    return FALSE;
  if (fits && far <= 0)
    shift_to (self, &bounds);
  else
    go_to (self, mark);
  return TRUE;
}
