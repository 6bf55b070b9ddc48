/* graph-canvas-keys.c: the keyboard on the picture: walking along the edges, and the keys of the canvas.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/graph-canvas-view.h"

#include <math.h>

/* Returns the next box along the edges of @box, forwards or backwards, the straightest first. */
static int
next_along (PhGraphCanvas *self, int box, gboolean forwards)
{
  guint n;
  const int *edges = forwards ? ph_scene_edges_from (self->shown.scene, box, &n) : ph_scene_edges_to (self->shown.scene, box, &n);
  const PhRect *from = &ph_scene_box (self->shown.scene, box)->rect;
  double least = INFINITY;
  int best = -1;

  for (guint i = 0; i < n; i++)
    {
      const PhSceneEdge *edge = ph_scene_edge (self->shown.scene, edges[i]);
      const int other = forwards ? edge->to : edge->from;
      const PhRect *to = &ph_scene_box (self->shown.scene, other)->rect;
      const double distance = fabs (to->x + to->width / 2 - from->x - from->width / 2) + 0.5 * fabs (to->y - from->y);

      if (ph_scene_edge_at (self->shown.scene, edges[i], self->time) && distance < least)
        {
          least = distance;
          best = other;
        }
    }
  return best;
}

static int
next_beside (PhGraphCanvas *self, int box, gboolean right)
{
  const PhRect *from = &ph_scene_box (self->shown.scene, box)->rect;
  const PhRect row = { right ? from->x + from->width : 0, from->y, right ? ph_scene_width (self->shown.scene) : from->x,
                       from->height };
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
  double least = INFINITY;
  int best = -1;

  ph_scene_boxes_in (self->shown.scene, &row, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int at = g_array_index (near, int, i);
      const PhSceneBox *other = ph_scene_box (self->shown.scene, at);
      const double distance = right ? other->rect.x - from->x : from->x - other->rect.x;

      if (at != box && !other->open && distance > 0 && distance < least
          && (other->kind == PH_BOX_GROUP || ph_scene_tenant (self->shown.scene, at, self->time) != NULL))
        {
          least = distance;
          best = at;
        }
    }
  return best;
}

/* Returns the node of @box, or some node inside a closed group. */
static PhId
representative (PhGraphCanvas *self, int box)
{
  const PhId id = ph_canvas_id_of (self, box, -1);

  if (id != PH_NO_ID || ph_scene_box (self->shown.scene, box)->kind != PH_BOX_GROUP)
    return id;
  for (guint b = 0; b < ph_scene_n_boxes (self->shown.scene); b++)
    {
      int up = b;

      while (up >= 0 && up != box)
        up = ph_scene_box (self->shown.scene, up)->parent;
      if (up == box && ph_scene_box (self->shown.scene, b)->n_tenants > 0 && ph_canvas_id_of (self, b, -1) != PH_NO_ID)
        return ph_canvas_id_of (self, b, -1);
    }
  return PH_NO_ID;
}

/* Moves the selection along an edge: forwards to a user, backwards to a producer, or to the neighbour at a side. */
static void
walk (PhGraphCanvas *self, GtkDirectionType direction)
{
  guint id;
  int box;
  PhId next;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->shown.scene == NULL || self->document == NULL)
    return;
  id = ph_document_get_selection (self->document);
  box = id != 0 ? ph_scene_find (self->shown.scene, id, NULL) : -1;
  if (box < 0)
    {
      /* Without a selection: the first box in the window. */
      g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
      const PhRect window = ph_viewport_seen (ph_canvas_viewport (self));

      ph_scene_boxes_in (self->shown.scene, &window, near);
      for (guint i = 0; i < near->len; i++)
        {
          const int at = g_array_index (near, int, i);

          if (!ph_scene_box (self->shown.scene, at)->open && representative (self, at) != PH_NO_ID
              && (box < 0 || ph_scene_box (self->shown.scene, at)->rect.y < ph_scene_box (self->shown.scene, box)->rect.y))
            box = at;
        }
    }
  else
    box = direction == GTK_DIR_DOWN ? next_along (self, box, TRUE)
          : direction == GTK_DIR_UP ? next_along (self, box, FALSE)
                                    : next_beside (self, box, direction == GTK_DIR_RIGHT);
  next = box >= 0 ? representative (self, box) : PH_NO_ID;
  if (next == PH_NO_ID)
    return;
  ph_document_set_selection (self->document, next);
  ph_canvas_focus_selection (self);
}

/* Shows the surroundings of the selection; repeated, one step more or less of them. */
static void
show_around (PhGraphCanvas *self, int change)
{
  guint id, steps, selected = self->document != NULL ? ph_document_get_selection (self->document) : 0;

  if (!ph_graph_canvas_get_neighbourhood (self, &id, &steps) || (change > 0 && id != selected && selected != 0))
    {
      if (selected != 0)
        ph_canvas_say (self, "view part around n%u 2", selected);
    }
  else if (change > 0 || steps > 1)
    ph_canvas_say (self, "view part %s", change > 0 ? "wider" : "narrower");
}

static void
toggle (PhGraphCanvas *self, PhViewField field)
{
  ph_canvas_say (self, "view %s %s", ph_view_row (field)->name, ph_canvas_is_on (self, field) ? "off" : "on");
}

/* Returns FALSE if the key does not scroll. */
static gboolean
scroll (PhGraphCanvas *self, guint key)
{
  const PhView aim = ph_viewport_aim (&self->viewport);
  const double step = 90 / self->viewport.at.zoom;
  const double dx = key == GDK_KEY_Right ? step : key == GDK_KEY_Left ? -step : 0;
  const double dy = key == GDK_KEY_Down ? step : key == GDK_KEY_Up ? -step : 0;

  if (dx == 0 && dy == 0)
    return FALSE;
  ph_canvas_move (self, (PhView) { aim.x + dx, aim.y + dy, aim.zoom }, TRUE);
  return TRUE;
}

/* Moves to another node, place or scale. Returns FALSE for other keys. */
static gboolean
move_by_key (PhGraphCanvas *self, guint key)
{
  const PhView at = self->viewport.at;

  switch (key)
    {
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down: walk (self, GTK_DIR_DOWN); break;
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up: walk (self, GTK_DIR_UP); break;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left: walk (self, GTK_DIR_LEFT); break;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right: walk (self, GTK_DIR_RIGHT); break;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add: ph_graph_canvas_zoom_in (self); break;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract: ph_graph_canvas_zoom_out (self); break;
    case GDK_KEY_Page_Down:
    case GDK_KEY_Page_Up:
      ph_canvas_move (
          self, (PhView) { at.x, at.y + (key == GDK_KEY_Page_Down ? 0.8 : -0.8) * ph_canvas_height (self) / at.zoom, at.zoom },
          TRUE);
      break;
    case GDK_KEY_Home: ph_canvas_move (self, (PhView) { at.x, 0, at.zoom }, TRUE); break;
    case GDK_KEY_End:
      if (self->shown.scene != NULL)
        ph_canvas_move (self, (PhView) { at.x, ph_scene_height (self->shown.scene) - ph_canvas_height (self) / at.zoom, at.zoom },
                        TRUE);
      break;
    default: return FALSE;
    }
  return TRUE;
}

/* Changes a setting of the view. Returns FALSE for other keys. */
static gboolean
set_by_key (PhGraphCanvas *self, guint key)
{
  switch (key)
    {
    case GDK_KEY_0:
    case GDK_KEY_KP_0: ph_canvas_say (self, "view zoom normal"); break;
    case GDK_KEY_f: ph_canvas_say (self, "view zoom fit"); break;
    case GDK_KEY_F: ph_canvas_say (self, "view zoom selection"); break;
    case GDK_KEY_d: toggle (self, PH_VIEW_DIFF); break;
    case GDK_KEY_c: toggle (self, PH_VIEW_COMPACT); break;
    case GDK_KEY_g:
      if (self->document != NULL && ph_document_is_open (self->document))
        toggle (self, PH_VIEW_GROUP);
      break;
    case GDK_KEY_t: ph_canvas_say (self, "view part touched"); break;
    case GDK_KEY_a: ph_canvas_say (self, "view part all"); break;
    case GDK_KEY_n: show_around (self, 1); break;
    case GDK_KEY_N: show_around (self, -1); break;
    default: return FALSE;
    }
  return TRUE;
}

/* Leaves the part shown, then clears the selection. Returns FALSE if there was neither. */
static gboolean
let_go (PhGraphCanvas *self)
{
  const PhId selected = self->document != NULL ? ph_document_get_selection (self->document) : PH_NO_ID;

  if (ph_graph_canvas_is_partial (self))
    {
      ph_canvas_say (self, "view part all");
      return TRUE;
    }
  /* The selected node is outside the picture: leave that first. */
  if (self->document != NULL && (self->shown.scene == NULL || ph_scene_find (self->shown.scene, selected, NULL) < 0)
      && ph_canvas_ask_outside (self))
    return TRUE;
  if (selected == PH_NO_ID)
    return FALSE;
  ph_document_set_selection (self->document, PH_NO_ID);
  return TRUE;
}

/* Opens the selected box, enters it, or activates the node. Returns FALSE if none is selected. */
static gboolean
open_selected (PhGraphCanvas *self)
{
  const PhId id = self->document != NULL ? ph_document_get_selection (self->document) : PH_NO_ID;
  const int box = id != PH_NO_ID && self->shown.scene != NULL ? ph_scene_find (self->shown.scene, id, NULL) : -1;

  if (box < 0)
    return FALSE;
  if (ph_scene_box (self->shown.scene, box)->can_open)
    ph_graph_canvas_toggle_group (self, box);
  else if (!ph_canvas_ask_inside (self, box))
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_NODE_ACTIVATED], 0, id);
  return TRUE;
}

static gboolean
on_key (PhGraphCanvas *self, guint key, guint code, GdkModifierType state)
{
  const GdkModifierType held = state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK);
  gboolean done;

  if (held == GDK_ALT_MASK && (key == GDK_KEY_Up || key == GDK_KEY_KP_Up))
    return ph_canvas_ask_outside (self) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
  if ((held & ~GDK_SHIFT_MASK) != 0)
    return GDK_EVENT_PROPAGATE;
  if (held == GDK_SHIFT_MASK && scroll (self, key))
    return GDK_EVENT_STOP;
  switch (key)
    {
    case GDK_KEY_BackSpace: done = ph_canvas_ask_outside (self); break;
    case GDK_KEY_Escape: done = let_go (self); break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space: done = open_selected (self); break;
    default: done = move_by_key (self, key) || set_by_key (self, key);
    }
  return done ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

void
ph_canvas_init_keys (PhGraphCanvas *self)
{
  GtkEventController *controller;

  controller = gtk_event_controller_key_new ();
  g_signal_connect_swapped (controller, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}
