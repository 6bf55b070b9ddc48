/* history-slider.c: the history as a track with two handles: the base of the diff, and the position of the model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/history-slider.h"

#include <glib/gi18n.h>
#include <math.h>

#include "views/history-track.h"
#include "views/slider-handle.h"
#include "views/style-color.h"

#define MARGIN       12 /* left and right of the line                                    */
#define HEIGHT       34
#define LINE_Y       22
#define HANDLE       16
#define BAR          12    /* the height of the step that changed most                      */
#define SLOW         40000 /* µs: a position that takes longer to reach is not gone to while dragging */
#define REWRITE_ROOM 4.0   /* least pixels between rewrites for a drag to stop at each */

/* clang-format off */
typedef enum { END_SINCE, END_NOW, N_ENDS } End;
/* clang-format on */

struct _PhHistorySlider
{
  GtkWidget parent_instance;
  PhConsole *console;   /* (nullable) */
  PhDocument *document; /* (nullable) */
  PhHistoryTrack track;
  guint most; /* changes in the step with most */
  GtkWidget *handles[N_ENDS];
  PhPosition shown[N_ENDS]; /* the positions when last updated */
  int dragged;              /* an End, -1: none                             */
  gboolean live;            /* the document follows the drag                */
  PhPosition start, wanted; /* where the drag began, and where it is        */
  gboolean start_has_since;
  guint tick;
  double pointer_x;
};

G_DEFINE_FINAL_TYPE (PhHistorySlider, ph_history_slider, GTK_TYPE_WIDGET)

static PhHistory *
the_history (PhHistorySlider *self)
{
  return self->document ? ph_document_get_history (self->document) : NULL;
}

/* Returns the position of an end: while it is dragged, that of the pointer, even if the document is too slow to follow. */
static PhPosition
position_of (PhHistorySlider *self, End end)
{
  if (self->dragged == (int) end)
    return self->wanted;
  return end == END_NOW ? ph_document_get_position (self->document) : ph_document_get_since (self->document);
}

/* --- places ---------------------------------------------------------------------------------------------------------- */

static gboolean
is_mirrored (PhHistorySlider *self)
{
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

static double
room (PhHistorySlider *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * MARGIN, 1);
}

static double
x_of_place (PhHistorySlider *self, double place)
{
  const double seen = self->track.to - self->track.from;
  const double x = MARGIN + (seen > 0 ? (place - self->track.from) / seen : 0) * room (self);

  return is_mirrored (self) ? gtk_widget_get_width (GTK_WIDGET (self)) - x : x;
}

static double
place_of_x (PhHistorySlider *self, double x)
{
  const double seen = self->track.to - self->track.from;

  if (is_mirrored (self))
    x = gtk_widget_get_width (GTK_WIDGET (self)) - x;
  return self->track.from + (x - MARGIN) / room (self) * seen;
}

double
ph_history_slider_get_x (PhHistorySlider *self, PhPosition position)
{
  g_return_val_if_fail (PH_IS_HISTORY_SLIDER (self), 0);
  return x_of_place (self, ph_history_track_place (&self->track, the_history (self), position));
}

/* Returns the pixels between two rewrites of the step. */
static double
rewrite_room (PhHistorySlider *self, guint step)
{
  const double seen = self->track.to - self->track.from;
  const guint n = g_array_index (the_history (self)->steps, PhStep, step).n_rewrites;

  return seen > 0 && n > 0 ? (self->track.ends[step + 1] - self->track.ends[step]) / n / seen * room (self) : 0;
}

static PhPosition
position_at (PhHistorySlider *self, double x, gboolean by_rewrite)
{
  const double place = place_of_x (self, x);

  if (self->track.n_steps > 0 && !by_rewrite)
    by_rewrite = rewrite_room (self, ph_history_track_step (&self->track, place)) >= REWRITE_ROOM;
  return ph_history_track_find (&self->track, the_history (self), place, by_rewrite);
}

/* --- moving ---------------------------------------------------------------------------------------------------------- */

/* Scrolls the track when a handle moved by keys leaves the visible part. Nothing moves under a pointer that zooms or drags. */
static void
keep_in_view (PhHistorySlider *self, End end, PhPosition at)
{
  const double place = ph_history_track_place (&self->track, the_history (self), at), seen = self->track.to - self->track.from;
  const gboolean moved = ph_position_compare (at, self->shown[end]) != 0;

  self->shown[end] = at;
  if (!moved || !gtk_widget_has_focus (self->handles[end]) || self->dragged >= 0)
    return;
  if (place < self->track.from)
    ph_history_track_pan (&self->track, place - self->track.from - 0.1 * seen);
  else if (place > self->track.to)
    ph_history_track_pan (&self->track, place - self->track.to + 0.1 * seen);
}

static void
update_handles (PhHistorySlider *self)
{
  PhHistory *history = the_history (self);

  for (int end = 0; end < N_ENDS && history; end++)
    {
      const PhPosition at = position_of (self, (End) end);
      g_autofree char *text = ph_history_describe (history, at, FALSE);
      keep_in_view (self, (End) end, at);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->handles[end]), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                      GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, (double) history->steps->len,
                                      GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double) at.step + (at.rewrite > 0 ? 0.5 : 0),
                                      GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
    }
  if (self->document)
    {
      if (ph_document_has_since (self->document) || self->dragged == END_SINCE)
        gtk_widget_add_css_class (self->handles[END_SINCE], "set");
      else
        gtk_widget_remove_css_class (self->handles[END_SINCE], "set");
    }
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
send (PhHistorySlider *self, End end, PhPosition to)
{
  g_autofree char *text = ph_position_to_string (to);
  g_autofree char *line = g_strdup_printf ("%s %s", end == END_NOW ? "goto" : "compare", text);

  ph_console_run_async (self->console, line, NULL, NULL);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhHistorySlider *self)
{
  GtkWidget *handle = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));
  const End end = handle == self->handles[END_NOW] ? END_NOW : END_SINCE;
  const gboolean by_rewrite = (state & GDK_SHIFT_MASK) != 0;
  PhHistory *history = the_history (self);

  if (!history || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;

  PhPosition at = position_of (self, end), to = at;
  gboolean forward = is_mirrored (self) ? key == GDK_KEY_Left || key == GDK_KEY_KP_Left
                                        : key == GDK_KEY_Right || key == GDK_KEY_KP_Right;

  switch (key)
    {
    case GDK_KEY_Left:
    case GDK_KEY_Right:
    case GDK_KEY_KP_Left:
    case GDK_KEY_KP_Right:
      to = by_rewrite ? (forward ? ph_history_next (history, at, TRUE) : ph_history_previous (history, at, TRUE))
                      : ph_history_track_next_changed (history, at, forward);
      break;
    case GDK_KEY_Page_Up:
    case GDK_KEY_Page_Down:
      for (int i = 0; i < 5; i++)
        to = ph_history_track_next_changed (history, to, key == GDK_KEY_Page_Up);
      break;
    case GDK_KEY_Home: to = (PhPosition) { 0, 0 }; break;
    case GDK_KEY_End: to = (PhPosition) { history->steps->len, 0 }; break;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      ph_history_track_zoom (&self->track, ph_history_track_place (&self->track, history, at),
                             key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract ? 0.5 : 2);
      update_handles (self);
      return GDK_EVENT_STOP;
    case GDK_KEY_Delete:
    case GDK_KEY_BackSpace:
    case GDK_KEY_Escape:
      if (!ph_document_has_since (self->document))
        return GDK_EVENT_PROPAGATE;
      ph_console_run_async (self->console, "compare", NULL, NULL);
      return GDK_EVENT_STOP;
    default: return GDK_EVENT_PROPAGATE;
    }
  if (ph_position_compare (at, to) != 0)
    send (self, end, to);
  return GDK_EVENT_STOP;
}

/* At most once per frame. */
static gboolean
follow (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhHistorySlider *self = PH_HISTORY_SLIDER (widget);
  gint64 start = g_get_monotonic_time ();

  self->tick = 0;
  if (self->dragged < 0 || !self->live || ph_document_get_busy (self->document))
    return G_SOURCE_REMOVE;
  if (self->dragged == END_NOW)
    ph_document_go (self->document, self->wanted, NULL);
  else
    ph_document_set_since (self->document, &self->wanted);
  if (g_get_monotonic_time () - start > SLOW)
    self->live = FALSE;
  return G_SOURCE_REMOVE;
}

static void
drag_to (PhHistorySlider *self, double x, gboolean by_rewrite)
{
  const PhPosition at = position_at (self, x, by_rewrite);

  if (ph_position_compare (at, self->wanted) == 0)
    return;
  self->wanted = at;
  if (self->live && self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), follow, NULL, NULL);
  update_handles (self);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
}

static gboolean
shift_held (gpointer gesture)
{
  return (gtk_event_controller_get_current_event_state (gesture) & GDK_SHIFT_MASK) != 0;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, PhHistorySlider *self)
{
  double distance[N_ENDS];

  if (!the_history (self) || self->track.n_steps == 0)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  for (int end = 0; end < N_ENDS; end++)
    distance[end] = fabs (ph_history_slider_get_x (self, position_of (self, (End) end)) - x);
  /* A press on a handle drags it; elsewhere the position moves there, or with the second button the start of the changes. */
  End end = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture)) == GDK_BUTTON_SECONDARY ? END_SINCE : END_NOW;
  if (MIN (distance[0], distance[1]) <= HANDLE * 0.75)
    end = distance[END_SINCE] < distance[END_NOW] ? END_SINCE : END_NOW;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  self->start = self->wanted = position_of (self, end);
  self->start_has_since = ph_document_has_since (self->document);
  self->dragged = (int) end;
  self->live = TRUE;
  gtk_widget_grab_focus (self->handles[end]);
  if (distance[end] > HANDLE * 0.75)
    drag_to (self, x, shift_held (gesture));
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, PhHistorySlider *self)
{
  double x, y;

  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (self->dragged >= 0 && fabs (dx) > 2)
    drag_to (self, x + dx, shift_held (gesture));
}

/* Repeats the drag's result as a command, so that the console can replay it. */
static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, PhHistorySlider *self)
{
  const int end = self->dragged;

  if (end < 0)
    return;
  if (self->tick)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  self->dragged = -1;
  if (ph_position_compare (self->wanted, self->start) != 0)
    send (self, (End) end, self->wanted);
  else if (end == END_SINCE && !self->start_has_since)
    ph_document_set_since (self->document, NULL);
  update_handles (self);
}

/* Remembers the pointer's position, which a scroll event lacks. */
static void
on_motion (PhHistorySlider *self, double x, double y)
{
  self->pointer_x = x;
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, PhHistorySlider *self)
{
  const double seen = self->track.to - self->track.from;

  if (self->track.n_steps == 0)
    return GDK_EVENT_PROPAGATE;
  if (shift_held (controller) || fabs (dx) > fabs (dy))
    ph_history_track_pan (&self->track, (fabs (dx) > fabs (dy) ? dx : dy) * seen * 0.1 * (is_mirrored (self) ? -1 : 1));
  else
    ph_history_track_zoom (&self->track, CLAMP (place_of_x (self, self->pointer_x), self->track.from, self->track.to),
                           pow (1.3, -dy));
  update_handles (self);
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
  return GDK_EVENT_STOP;
}

static gboolean
on_tooltip (PhHistorySlider *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  PhHistory *history = the_history (self);

  if (!history || keyboard || self->track.n_steps == 0)
    return FALSE;
  PhPosition at = self->dragged >= 0 ? self->wanted : position_at (self, x, FALSE);
  for (int end = 0; end < N_ENDS && self->dragged < 0; end++)
    if (fabs (ph_history_slider_get_x (self, position_of (self, (End) end)) - x) <= HANDLE / 2)
      at = position_of (self, (End) end);
  g_autofree char *text = ph_history_describe (history, at, TRUE);
  gtk_tooltip_set_text (tooltip, text);
  gtk_tooltip_set_tip_area (tooltip, &(GdkRectangle) { x - 2, 0, 4, HEIGHT });
  return TRUE;
}

/* --- drawing --------------------------------------------------------------------------------------------------------- */

static void
bar (GtkSnapshot *snapshot, const GdkRGBA *color, double from, double to, double y, double height)
{
  gtk_snapshot_append_color (snapshot, color,
                             &GRAPHENE_RECT_INIT ((float) MIN (from, to), (float) y, (float) fabs (to - from), (float) height));
}

/* Draws a bar over each step, as high as it changed much; a dot for steps without effect. Of several at one pixel, the highest stays. */
static void
draw_steps (PhHistorySlider *self, GtkSnapshot *snapshot, double low, double high)
{
  const GdkRGBA plain = ph_style_color (GTK_WIDGET (self), NULL, 0.4), pale = ph_style_color (GTK_WIDGET (self), NULL, 0.25),
                inside = ph_style_color (GTK_WIDGET (self), "accent_color", 0.9),
                wrong = ph_style_color (GTK_WIDGET (self), "ph_removed", 1);
  GArray *steps = the_history (self)->steps;
  double column = -1, highest = 0;

  for (guint s = ph_history_track_step (&self->track, self->track.from); s < steps->len && self->track.ends[s] <= self->track.to;
       s++)
    {
      const PhStep *step = &g_array_index (steps, PhStep, s);
      const double a = x_of_place (self, self->track.ends[s]), b = x_of_place (self, self->track.ends[s + 1]);
      const double middle = floor ((a + b) / 2), width = CLAMP (fabs (b - a) - 2, 1, 5);
      const guint changes = MAX (step->n_added + step->n_removed + step->n_changed, step->n_rewrites);
      const gboolean bad = step->verdict == PH_VERDICT_DIFFERENT;
      const double height = ph_step_changed (step) ? 3 + (BAR - 3) * log2 (1 + changes) / log2 (1 + MAX (self->most, 1)) : 2;

      if (middle < MARGIN - 1 || middle > gtk_widget_get_width (GTK_WIDGET (self)) - MARGIN + 1
          || (middle == column && height <= highest))
        continue;
      highest = height;
      column = middle;
      bar (snapshot,
           bad                                                                           ? &wrong
           : !ph_step_changed (step)                                                     ? &pale
           : low <= self->track.ends[s] + 1e-9 && self->track.ends[s + 1] <= high + 1e-9 ? &inside
                                                                                         : &plain,
           middle - floor (width / 2), middle - floor (width / 2) + width, LINE_Y - 5 - height, height);
    }
}

static void
draw_rewrites (PhHistorySlider *self, GtkSnapshot *snapshot)
{
  const GdkRGBA color = ph_style_color (GTK_WIDGET (self), NULL, 0.45);
  GArray *steps = the_history (self)->steps;

  for (guint s = ph_history_track_step (&self->track, self->track.from); s < steps->len && self->track.ends[s] <= self->track.to;
       s++)
    {
      const guint n = g_array_index (steps, PhStep, s).n_rewrites;
      const double length = self->track.ends[s + 1] - self->track.ends[s];

      if (n < 2 || rewrite_room (self, s) < REWRITE_ROOM)
        continue;
      for (guint r = (guint) MAX (0, (self->track.from - self->track.ends[s]) / length * n); r < n; r++)
        {
          const double place = self->track.ends[s] + length * r / n, x = floor (x_of_place (self, place));

          if (place > self->track.to)
            break;
          if (place >= self->track.from && r > 0)
            bar (snapshot, &color, x, x + 1, LINE_Y + 4, 4);
        }
    }
}

static void
ph_history_slider_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhHistorySlider *self = PH_HISTORY_SLIDER (widget);
  const int width = gtk_widget_get_width (widget);
  const GdkRGBA line = ph_style_color (GTK_WIDGET (self), NULL, 0.15),
                range = ph_style_color (GTK_WIDGET (self), "accent_bg_color", 1),
                frame = ph_style_color (GTK_WIDGET (self), NULL, 0.35);
  PhHistory *history = the_history (self);
  GskRoundedRect shape;

  gsk_rounded_rect_init_from_rect (&shape, &GRAPHENE_RECT_INIT (MARGIN - 4, LINE_Y - 2, (float) (width - 2 * MARGIN + 8), 4), 2);
  gtk_snapshot_push_rounded_clip (snapshot, &shape);
  gtk_snapshot_append_color (snapshot, &line, &shape.bounds);
  if (history && self->track.n_steps > 0)
    {
      double a = ph_history_slider_get_x (self, position_of (self, END_SINCE));
      double b = ph_history_slider_get_x (self, position_of (self, END_NOW));
      bar (snapshot, &range, CLAMP (a, 0, width), CLAMP (b, 0, width), LINE_Y - 2, 4);
    }
  gtk_snapshot_pop (snapshot);
  if (history && self->track.n_steps > 0)
    {
      double a = ph_history_track_place (&self->track, history, position_of (self, END_SINCE));
      double b = ph_history_track_place (&self->track, history, position_of (self, END_NOW));
      const double length = ph_history_track_length (&self->track);

      draw_steps (self, snapshot, MIN (a, b), MAX (a, b));
      draw_rewrites (self, snapshot);
      /* Enlarged: which part of the whole this is. */
      if (self->track.to - self->track.from < length - 1e-9)
        bar (snapshot, &frame, MARGIN + self->track.from / length * room (self),
             MAX (MARGIN + self->track.to / length * room (self), MARGIN + self->track.from / length * room (self) + 3),
             HEIGHT - 3, 2);
      for (int end = 0; end < N_ENDS; end++)
        gtk_widget_snapshot_child (widget, self->handles[end], snapshot);
    }
}

static void
ph_history_slider_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 60 : HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 360 : HEIGHT;
}

static void
ph_history_slider_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PhHistorySlider *self = PH_HISTORY_SLIDER (widget);

  for (int end = 0; end < N_ENDS; end++)
    {
      const double x = self->document && the_history (self) ? ph_history_slider_get_x (self, position_of (self, (End) end))
                                                            : -HANDLE;
      const gboolean seen = x >= MARGIN - 1 && x <= width - MARGIN + 1 && self->track.n_steps > 0;
      int least;

      gtk_widget_set_child_visible (self->handles[end], seen);
      gtk_widget_measure (self->handles[end], GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      if (seen)
        gtk_widget_size_allocate (self->handles[end],
                                  &(GtkAllocation) { (int) (x - HANDLE / 2), LINE_Y - HANDLE / 2, MAX (HANDLE, least), HANDLE },
                                  -1);
    }
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

static void
on_history (PhHistorySlider *self)
{
  PhHistory *history = the_history (self);

  ph_history_track_read (&self->track, history);
  self->most = 1;
  for (guint s = 0; history && s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      self->most = MAX (self->most, MAX (step->n_added + step->n_removed + step->n_changed, step->n_rewrites));
    }
  gtk_widget_set_sensitive (GTK_WIDGET (self), self->track.n_steps > 0);
  update_handles (self);
}

void
ph_history_slider_set_console (PhHistorySlider *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_HISTORY_SLIDER (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console ? ph_console_get_document (console) : NULL));
  self->dragged = -1;
  if (self->document)
    {
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_history), self);
      g_signal_connect_swapped (self->document, "history-changed", G_CALLBACK (on_history), self);
      g_signal_connect_swapped (self->document, "verdicts-changed", G_CALLBACK (update_handles), self);
      g_signal_connect_swapped (self->document, "position-changed", G_CALLBACK (update_handles), self);
      g_signal_connect_swapped (self->document, "since-changed", G_CALLBACK (update_handles), self);
    }
  on_history (self);
}

static void
ph_history_slider_dispose (GObject *object)
{
  PhHistorySlider *self = PH_HISTORY_SLIDER (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_object (&self->console);
  for (int end = 0; end < N_ENDS; end++)
    g_clear_pointer (&self->handles[end], gtk_widget_unparent);
  ph_history_track_clear (&self->track);
  G_OBJECT_CLASS (ph_history_slider_parent_class)->dispose (object);
}

static void
ph_history_slider_class_init (PhHistorySliderClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_history_slider_dispose;
  widget_class->snapshot = ph_history_slider_snapshot;
  widget_class->measure = ph_history_slider_measure;
  widget_class->size_allocate = ph_history_slider_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "historyslider");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
ph_history_slider_init (PhHistorySlider *self)
{
  /* clang-format off */
  static const struct { const char *class, *label; } ends[N_ENDS] = {
    [END_SINCE] = { "since", N_("Changes are counted from") }, [END_NOW] = { "now", N_("Position in the history") } };
  /* clang-format on */

  self->dragged = -1;
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  for (int end = 0; end < N_ENDS; end++)
    {
      GtkEventController *keys = gtk_event_controller_key_new ();

      self->handles[end] = ph_slider_handle_new (ends[end].class, _ (ends[end].label));
      gtk_widget_set_parent (self->handles[end], GTK_WIDGET (self));
      g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
      gtk_widget_add_controller (self->handles[end], keys);
    }

  GtkGesture *drag = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (on_motion), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
}
