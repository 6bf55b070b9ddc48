/* graph-canvas-pointer.c: handles mouse, touchpad and fingers, and finds the item under the pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/graph-canvas-view.h"

#include <glib/gi18n.h>

#include <math.h>

static void
pick (PhGraphCanvas *self, double px, double py, int *box, int *pill, int *edge)
{
  const PhPoint at = ph_viewport_to_picture (&self->viewport, px, py);

  *box = *pill = *edge = -1;
  if (self->shown.scene == NULL)
    return;
  /* Each side of a pair shows one position only. */
  const int since = self->side == PH_SIDE_BOTH ? self->since : self->time;

  *box = ph_scene_pick (self->shown.scene, at.x, at.y, since, self->time, pill);
  if (*box < 0 || ph_scene_box (self->shown.scene, *box)->open)
    {
      if (self->viewport.at.zoom > 0.08)
        *edge = ph_scene_pick_edge (self->shown.scene, at.x, at.y, 6 / self->viewport.at.zoom, since, self->time);
      if (*edge >= 0)
        *box = -1;
    }
}

static void
on_motion (PhGraphCanvas *self, double x, double y)
{
  int box, pill, edge;
  guint n;

  self->pointer.x = x;
  self->pointer.y = y;
  pick (self, x, y, &box, &pill, &edge);
  const PhId on = ph_canvas_pick_beyond (self, x, y, &n);
  if (on != self->hover.beyond)
    {
      self->hover.beyond = on;
      gtk_widget_set_cursor_from_name (GTK_WIDGET (self), on != PH_NO_ID ? "pointer" : NULL);
      gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
      gtk_widget_queue_draw (GTK_WIDGET (self));
    }
  if (on != PH_NO_ID)
    box = pill = edge = -1;
  if (box == self->hover.box && pill == self->hover.pill && edge == self->hover.edge)
    return;
  self->hover.box = box;
  self->hover.pill = pill;
  self->hover.edge = edge;
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (PhGraphCanvas *self)
{
  if (self->hover.beyond != PH_NO_ID)
    gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
  self->hover = PH_HOVER_NOTHING;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

PhId
ph_canvas_id_of (PhGraphCanvas *self, int box, int pill)
{
  const PhTenant *tenant, *gone;

  if (pill >= 0)
    return ph_scene_pill (self->shown.scene, pill)->id;
  if (box < 0 || ph_scene_box (self->shown.scene, box)->n_tenants == 0)
    return PH_NO_ID;
  tenant = ph_scene_tenant (self->shown.scene, box, self->time);
  ph_scene_change (self->shown.scene, box, self->since, self->time, &gone);
  return tenant != NULL ? tenant->id : gone != NULL ? gone->id : PH_NO_ID;
}

guint
ph_graph_canvas_pick_node (PhGraphCanvas *self, double x, double y, int *group)
{
  int box, pill, edge;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), PH_NO_ID);
  *group = -1;
  if (self->shown.scene == NULL || self->document == NULL)
    return PH_NO_ID;
  pick (self, x, y, &box, &pill, &edge);
  if (box >= 0 && pill < 0 && ph_scene_box (self->shown.scene, box)->can_open)
    *group = box;
  return ph_canvas_id_of (self, box, pill);
}

static void
on_pressed (PhGraphCanvas *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  int box, pill, edge;
  guint n;
  PhId id;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->pointer.press_clears = FALSE;
  if (self->shown.scene == NULL || self->document == NULL)
    return;
  id = ph_canvas_pick_beyond (self, x, y, &n);
  if (id != PH_NO_ID)
    {
      if (n_press == 1)
        ph_graph_canvas_show_beyond (self, id);
      return;
    }
  pick (self, x, y, &box, &pill, &edge);
  id = ph_canvas_id_of (self, box, pill);
  if (n_press == 2 && box >= 0 && pill < 0 && ph_scene_box (self->shown.scene, box)->can_open)
    ph_graph_canvas_toggle_group (self, box);
  else if (n_press == 2 && pill < 0 && ph_canvas_ask_inside (self, box))
    return;
  else if (n_press == 2 && id != PH_NO_ID)
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_NODE_ACTIVATED], 0, id);
  else if (n_press == 1 && edge >= 0)
    {
      /* A click on an edge selects its further end. */
      const PhSceneEdge *at = ph_scene_edge (self->shown.scene, edge);
      const PhRect *from = &ph_scene_box (self->shown.scene, at->from)->rect,
                   *to = &ph_scene_box (self->shown.scene, at->to)->rect;
      const PhPoint press = ph_viewport_to_picture (&self->viewport, x, y);
      const gboolean to_user = hypot (from->x + from->width / 2 - press.x, from->y + from->height - press.y)
                               < hypot (to->x + to->width / 2 - press.x, to->y - press.y);

      id = ph_canvas_id_of (self, to_user ? at->to : at->from, -1);
      if (id != PH_NO_ID)
        ph_document_set_selection (self->document, id);
    }
  else if (n_press == 1 && id == PH_NO_ID)
    self->pointer.press_clears = TRUE;
  else if (n_press == 1)
    {
      /* A click on the far end of a cut edge selects that node, which may first have to be shown. */
      if (pill >= 0 && ph_scene_pill (self->shown.scene, pill)->is_link)
        {
          if (ph_canvas_wanted (self)->part == PH_PART_AROUND)
            ph_canvas_say (self, "view part +n%u", id);
        }
      ph_document_set_selection (self->document, id);
    }
}

static void
on_drag_begin (PhGraphCanvas *self)
{
  ph_canvas_stop_animation (self);
  self->pointer.drag_x = self->viewport.at.x;
  self->pointer.drag_y = self->viewport.at.y;
}

static void
on_drag_update (PhGraphCanvas *self, double dx, double dy)
{
  const double zoom = self->viewport.at.zoom;

  if (hypot (dx, dy) < 3 && self->viewport.at.x == self->pointer.drag_x && self->viewport.at.y == self->pointer.drag_y)
    return;
  self->pointer.press_clears = FALSE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
  ph_canvas_move (self, (PhView) { self->pointer.drag_x - dx / zoom, self->pointer.drag_y - dy / zoom, zoom }, FALSE);
}

static void
on_drag_end (PhGraphCanvas *self)
{
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
  if (self->pointer.press_clears && self->document != NULL)
    ph_document_set_selection (self->document, PH_NO_ID);
  self->pointer.press_clears = FALSE;
}

/* Continues a swipe with its velocity, in pixels a second. */
static void
on_swipe (PhGraphCanvas *self, double x, double y)
{
  ph_canvas_glide (self, -x, -y);
}

/* Returns the pixels of one unit of scrolling, or 0 if a wheel counts in notches. */
static double
scroll_unit (GtkEventControllerScroll *controller)
{
  GdkDevice *device = gtk_event_controller_get_current_event_device (GTK_EVENT_CONTROLLER (controller));
  const GdkInputSource source = device != NULL ? gdk_device_get_source (device) : GDK_SOURCE_MOUSE;

  if (gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE)
    return 1;
  /* On X11, touchpads report notches too. */
  return source == GDK_SOURCE_TOUCHPAD || source == GDK_SOURCE_TRACKPOINT ? 40 : 0;
}

/* Handles scrolling: a wheel zooms around the pointer, Shift+wheel scrolls; a touchpad scrolls, Ctrl+touchpad zooms. */
static gboolean
on_scroll (PhGraphCanvas *self, double dx, double dy, GtkEventControllerScroll *controller)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  const PhView at = self->viewport.at;
  double unit = scroll_unit (controller);

  if ((state & GDK_CONTROL_MASK) != 0 || (unit == 0 && (state & GDK_SHIFT_MASK) == 0))
    {
      ph_canvas_zoom_at (self, self->pointer.x, self->pointer.y,
                         unit > 0 ? pow (1.01, -dy * unit) : pow (PH_CANVAS_STEP_ZOOM, -dy), unit == 0);
      return GDK_EVENT_STOP;
    }
  if (unit == 0)
    {
      unit = 80;
      if (dx == 0)
        {
          dx = dy;
          dy = 0;
        }
    }
  ph_canvas_move (self, (PhView) { at.x + dx * unit / at.zoom, at.y + dy * unit / at.zoom, at.zoom }, FALSE);
  return GDK_EVENT_STOP;
}

/* The fingers left a touchpad while they moved; units a second. */
static void
on_decelerate (PhGraphCanvas *self, double x, double y, GtkEventControllerScroll *controller)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  const double unit = MAX (scroll_unit (controller), 1);

  if ((state & GDK_CONTROL_MASK) == 0)
    ph_canvas_glide (self, x * unit, y * unit);
}

static void
pinch_center (PhGraphCanvas *self, GtkGesture *gesture, double *x, double *y)
{
  if (!gtk_gesture_is_recognized (gesture) || !gtk_gesture_get_bounding_box_center (gesture, x, y))
    {
      *x = ph_canvas_width (self) / 2;
      *y = ph_canvas_height (self) / 2;
    }
}

/* During a pinch, the point of the picture between two fingers stays there. */
static void
on_pinch_begin (PhGraphCanvas *self, GdkEventSequence *sequence, GtkGesture *gesture)
{
  double x, y;

  ph_canvas_stop_animation (self);
  gtk_gesture_set_state (self->pointer.drag, GTK_EVENT_SEQUENCE_DENIED);
  pinch_center (self, gesture, &x, &y);
  self->pointer.pinch_zoom = self->viewport.at.zoom;
  self->pointer.pinched = ph_viewport_to_picture (&self->viewport, x, y);
}

static void
on_pinch (PhGraphCanvas *self, double scale, GtkGesture *gesture)
{
  const double zoom = ph_viewport_clamp_zoom (ph_canvas_viewport (self), self->pointer.pinch_zoom * scale);
  double x, y;

  pinch_center (self, gesture, &x, &y);
  ph_canvas_move (self, (PhView) { self->pointer.pinched.x - x / zoom, self->pointer.pinched.y - y / zoom, zoom }, FALSE);
}

static void
add_nodes (GString *text, PhDiff *diff, const char *word, const GArray *ids)
{
  for (guint i = 0; ids != NULL && i < MIN (ids->len, 6); i++)
    {
      const PhNodeChange *other = g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (g_array_index (ids, PhId, i)));

      g_string_append_printf (text, "%s n%u %s", i == 0 ? word : ",", other->id, other->label);
    }
  if (ids != NULL && ids->len > 6)
    g_string_append_printf (text, _ (" and %u more"), ids->len - 6);
}

static void
append_short (GString *text, const char *value)
{
  const glong most = 60;

  if (value != NULL && g_utf8_strlen (value, -1) > most)
    g_string_append_printf (text, "%.*s…", (int) (g_utf8_offset_to_pointer (value, most) - value), value);
  else if (value != NULL)
    g_string_append (text, value);
}

/* Adds the changes of node @id: the nodes it replaced, those that replaced it, and its changed fields. */
static void
add_change (PhGraphCanvas *self, PhId id, GString *text)
{
  PhDiff *diff = self->since != self->time ? ph_document_get_diff (self->document) : NULL;
  const PhNodeChange *change = diff != NULL ? g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (id)) : NULL;

  if (change == NULL)
    return;
  if (change->change == PH_CHANGE_ADDED)
    {
      g_string_append_printf (text, "\n\n+ %s", _ ("Added"));
      add_nodes (text, diff, _ (" for"), change->fused_from);
    }
  else if (change->change == PH_CHANGE_REMOVED)
    {
      g_string_append_printf (text, "\n\n− %s", _ ("Removed"));
      add_nodes (text, diff, _ (", now"), change->fused_into);
    }
  else
    g_string_append_printf (text, "\n\n~ %s", _ ("Changed"));
  for (guint i = 0; change->fields != NULL && i < change->fields->len; i++)
    {
      const PhFieldChange *field = &g_array_index (change->fields, PhFieldChange, i);

      if (i == 8)
        {
          g_string_append_printf (text, _ ("\nand %u more"), change->fields->len - 8);
          break;
        }
      g_string_append_printf (text, "\n%s: ", field->field);
      append_short (text, field->before);
      g_string_append (text, " → ");
      append_short (text, field->after);
    }
}

static gboolean
on_tooltip (PhGraphCanvas *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int box, pill, edge;
  guint n;

  if (self->shown.scene == NULL || keyboard)
    return FALSE;
  pick (self, x, y, &box, &pill, &edge);
  if (ph_canvas_pick_beyond (self, x, y, &n) != PH_NO_ID)
    g_string_printf (text,
                     ngettext ("It feeds %u more node, which is not shown. Click to show it.",
                               "It feeds %u more nodes, which are not shown. Click to show them.", n),
                     n);
  else if (edge >= 0)
    {
      const PhId value = ph_scene_edge_value (self->shown.scene, edge, self->time);
      const PhValue *at = value != PH_NO_ID ? ph_model_find_value (ph_document_get_model (self->document), value) : NULL;
      const char *type = value != PH_NO_ID ? ph_scene_value_type (self->shown.scene, value) : NULL;

      if (at == NULL && type == NULL)
        return FALSE;
      g_string_printf (text, "%s%s%s", at != NULL ? at->name : "", type != NULL ? "\n" : "", type != NULL ? type : "");
    }
  else if (pill >= 0)
    {
      const PhFace *face = ph_scene_pill_face (self->shown.scene, ph_scene_pill (self->shown.scene, pill));

      g_string_printf (text, "%s%s%s", face->title, face->name != NULL ? "\n" : "", face->name != NULL ? face->name : "");
    }
  else if (box >= 0 && !ph_scene_box (self->shown.scene, box)->open)
    {
      const PhSceneBox *at = ph_scene_box (self->shown.scene, box);
      const PhTenant *tenant = at->n_tenants > 0 ? ph_scene_tenant (self->shown.scene, box, self->time) : NULL;

      if (at->kind == PH_BOX_GROUP)
        {
          g_autofree char *inside = ph_scene_group_text (self->shown.scene, box, self->time);
          g_string_printf (text, "%s\n%s", at->path, inside);
        }
      else if (tenant != NULL)
        {
          const PhFace *face = ph_scene_face (self->shown.scene, tenant, self->time);

          /* Once an input is selected, and its value typed, what it feeds is looked at. */
          if (at->kind == PH_BOX_INPUT && tenant->id == ph_document_get_selection (self->document))
            return FALSE;
          if (tenant->id != PH_NO_ID && at->kind == PH_BOX_NODE)
            g_string_printf (text, "n%u %s", tenant->id, face->title);
          else
            g_string_printf (text, "%s%s%s", face->title, face->shape != NULL ? ": " : "",
                             face->shape != NULL ? face->shape : "");
          if (at->kind == PH_BOX_INPUT && !at->backward)
            g_string_append_printf (text, "\n%s", _ ("Two clicks, or Enter, to type its value"));
          if (face->name != NULL && at->kind == PH_BOX_NODE)
            g_string_append_printf (text, "\n%s", face->name);
          add_change (self, tenant->id, text);
        }
      else if (at->n_tenants > 0)
        {
          const PhTenant *gone = ph_scene_tenant (self->shown.scene, box, self->since);

          if (gone != NULL)
            {
              g_string_printf (text, "n%u %s", gone->id, ph_scene_face (self->shown.scene, gone, self->since)->title);
              add_change (self, gone->id, text);
            }
        }
      /* At a small zoom the box itself shows no text. */
      if (text->len == 0)
        return FALSE;
    }
  if (text->len == 0)
    return FALSE;
  gtk_tooltip_set_text (tooltip, text->str);
  return TRUE;
}

void
ph_canvas_init_pointer (PhGraphCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *controller;
  GtkGesture *gesture;

  gtk_widget_set_has_tooltip (widget, TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  controller = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (controller, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (controller, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, controller);
  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES | GTK_EVENT_CONTROLLER_SCROLL_KINETIC);
  g_signal_connect_swapped (controller, "scroll-begin", G_CALLBACK (ph_canvas_stop_animation), self);
  g_signal_connect_swapped (controller, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect_swapped (controller, "decelerate", G_CALLBACK (on_decelerate), self);
  gtk_widget_add_controller (widget, controller);
  gesture = gtk_gesture_click_new ();
  g_signal_connect_swapped (gesture, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
  gesture = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), 0);
  g_signal_connect_swapped (gesture, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect_swapped (gesture, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect_swapped (gesture, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
  self->pointer.drag = gesture;
  gesture = gtk_gesture_swipe_new ();
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (gesture), TRUE);
  g_signal_connect_swapped (gesture, "swipe", G_CALLBACK (on_swipe), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
  gesture = gtk_gesture_zoom_new ();
  g_signal_connect_swapped (gesture, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect_swapped (gesture, "scale-changed", G_CALLBACK (on_pinch), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
}
