/* history-steps.c: the list of passes in the left panel: its rows, and their response to pointer and keyboard.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/history-private.h"
#include "views/list-drag.h"
#include "views/step-row.h"

#define SCROLL_EDGE  28 /* pixels from an edge within which a dragged row scrolls the list */
#define FOCUS_FRAMES 30 /* after which a row that is not there gets no keyboard */

static void
on_step_selected (PhHistoryPanel *self)
{
  PhStepItem *item = gtk_single_selection_get_selected_item (self->step_selection);

  if (self->updating || !self->console || !item || item->kind == PH_STEP_ITEM_ENTRY)
    return;
  PhPosition at = ph_document_get_position (self->document);
  guint step = item->kind == PH_STEP_ITEM_FILE ? 0 : item->step + 1;
  if (at.step != step || at.rewrite != 0)
    ph_history_run (self, "goto %u", step);
}

/* Runs up to a pass that has not run, on Enter or a double click. The row with the focus need not be the selected one. */
static void
on_step_activated (PhHistoryPanel *self, guint position)
{
  g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), position);

  if (item && item->kind == PH_STEP_ITEM_ENTRY)
    ph_history_run (self, "run --to %d", item->entry + 1);
  else if (item && gtk_single_selection_get_selected (self->step_selection) != position)
    ph_history_run (self, "goto %u", item->kind == PH_STEP_ITEM_FILE ? 0 : item->step + 1);
}

/* --- the keyboard -------------------------------------------------------------------------------------------------- */

static PhStepRow *
row_below (GtkWidget *widget)
{
  while (widget && !PH_IS_STEP_ROW (widget))
    widget = gtk_widget_get_first_child (widget);
  return widget ? PH_STEP_ROW (widget) : NULL;
}

/* Returns the row with the focus, around which a list draws a ring, else the selected one. */
static PhStepRow *
focused_row (PhHistoryPanel *self)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));

  return focus && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->steps)) ? row_below (focus) : NULL;
}

static void
move_entry (PhHistoryPanel *self, int entry, int by)
{
  GArray *entries = ph_document_get_entries (self->document);

  if (entry + by < 0 || entry + by >= (int) entries->len)
    {
      gtk_widget_error_bell (GTK_WIDGET (self));
      return;
    }
  self->focus_entry = entry + by;
  ph_history_run (self, "pass move %d %d", entry + 1, entry + by + 1);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhHistoryPanel *self)
{
  PhStepRow *row = focused_row (self);
  PhStepItem *item = row ? ph_step_row_get_item (row) : NULL;
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask ();

  if (!item || !self->console)
    return GDK_EVENT_PROPAGATE;
  if (key == GDK_KEY_Menu)
    {
      ph_history_show_step_menu (self, GTK_WIDGET (row), item->entry, item->kind == PH_STEP_ITEM_STEP ? (int) item->step : -1, 24,
                                 gtk_widget_get_height (GTK_WIDGET (row)));
      return GDK_EVENT_STOP;
    }
  if (item->entry < 0)
    return GDK_EVENT_PROPAGATE;
  /* Pressed again before the first move is done: it is where it will be then. */
  if (modifiers == GDK_ALT_MASK && (key == GDK_KEY_Up || key == GDK_KEY_Down))
    move_entry (self, self->focus_entry >= 0 ? self->focus_entry : item->entry, key == GDK_KEY_Up ? -1 : 1);
  else if (modifiers == 0 && key == GDK_KEY_space)
    {
      const PhPipelineEntry *entry = &g_array_index (ph_document_get_entries (self->document), PhPipelineEntry, item->entry);
      self->focus_entry = item->entry;
      ph_history_run (self, "pass %s %d", entry->enabled ? "off" : "on", item->entry + 1);
    }
  else if (modifiers == 0 && key == GDK_KEY_b)
    ph_history_run (self, "breakpoint %d", item->entry + 1);
  else if (modifiers == 0 && key == GDK_KEY_Delete)
    ph_history_run (self, "pass remove %d", item->entry + 1);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static gboolean
try_focus (PhHistoryPanel *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->steps)); child;
       child = gtk_widget_get_next_sibling (child))
    {
      PhStepRow *row = row_below (child);
      PhStepItem *item = row ? ph_step_row_get_item (row) : NULL;
      if (item && item->entry == self->focus_entry && gtk_widget_get_mapped (child))
        return gtk_widget_grab_focus (child);
    }
  return FALSE;
}

/* A row that is scrolled to exists after a frame or two, however long these take. */
static gboolean
focus_row (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhHistoryPanel *self = data;

  if (self->focus_entry >= 0 && !try_focus (self) && ++self->focus_tries < FOCUS_FRAMES)
    return G_SOURCE_CONTINUE;
  self->focus_entry = -1;
  self->focus_tick = 0;
  return G_SOURCE_REMOVE;
}

/* The entry that was moved or switched has the keyboard again. */
void
ph_history_focus_pending (PhHistoryPanel *self)
{
  if (self->focus_entry < 0)
    return;
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->items)); i++)
    {
      g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      if (item->entry == self->focus_entry)
        gtk_widget_activate_action (GTK_WIDGET (self->steps), "list.scroll-to-item", "u", i);
    }
  self->focus_tries = 0;
  if (try_focus (self))
    self->focus_entry = -1;
  else if (!self->focus_tick)
    self->focus_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self->steps), focus_row, self, NULL);
}

/* --- the pointer --------------------------------------------------------------------------------------------------- */

static void
on_right_click (GtkGestureClick *gesture, int n, double x, double y, PhHistoryPanel *self)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  PhStepItem *item = ph_step_row_get_item (PH_STEP_ROW (row));

  if (!item || !self->console)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  ph_history_show_step_menu (self, row, item->entry, item->kind == PH_STEP_ITEM_STEP ? (int) item->step : -1, x, y);
}

static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, GtkWidget *row)
{
  PhStepItem *item = ph_step_row_get_item (PH_STEP_ROW (row));

  if (!item || item->entry < 0)
    return NULL;
  g_autoptr (GdkPaintable) icon = gtk_widget_paintable_new (row);
  gtk_drag_source_set_icon (source, icon, (int) x, (int) y);
  return gdk_content_provider_new_typed (G_TYPE_UINT, (guint) item->entry);
}

/* Returns TRUE if the dragged row would land below this one rather than above. */
static gboolean
is_lower_half (GtkWidget *row, double y)
{
  return y > gtk_widget_get_height (row) / 2.0;
}

static GdkDragAction
on_row_motion (GtkDropTarget *target, double x, double y, PhHistoryPanel *self)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (target));
  PhStepItem *item = ph_step_row_get_item (PH_STEP_ROW (row));

  if (!item || item->entry < 0)
    return 0;
  ph_step_row_set_drop (PH_STEP_ROW (row), is_lower_half (row, y) ? 1 : -1);
  return GDK_ACTION_MOVE;
}

static void
on_row_leave (GtkDropTarget *target)
{
  ph_step_row_set_drop (PH_STEP_ROW (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (target))), 0);
}

static gboolean
on_row_drop (GtkDropTarget *target, const GValue *value, double x, double y, PhHistoryPanel *self)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (target));
  PhStepItem *item = ph_step_row_get_item (PH_STEP_ROW (row));
  GArray *entries = self->document ? ph_document_get_entries (self->document) : NULL;
  guint from = g_value_get_uint (value);

  ph_step_row_set_drop (PH_STEP_ROW (row), 0);
  ph_history_stop_scrolling (self);
  if (!item || item->entry < 0 || !entries || from >= entries->len)
    return FALSE;
  /* The index after removing the dragged row, which moves up the rows below it. */
  guint gap = (guint) item->entry + is_lower_half (row, y), to = gap > from ? gap - 1 : gap;
  if (to == from)
    return FALSE;
  self->focus_entry = (int) to;
  ph_history_run (self, "pass move %u %u", from + 1, to + 1);
  return TRUE;
}

static gboolean
scroll (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhHistoryPanel *self = data;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->steps_scroller);

  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + self->scroll_speed);
  return G_SOURCE_CONTINUE;
}

/* In GTK 4.8 a drop emits no "leave". */
void
ph_history_stop_scrolling (PhHistoryPanel *self)
{
  if (self->scroll_tick)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->steps_scroller), self->scroll_tick);
  self->scroll_tick = 0;
}

/* Scrolls the list while a row is dragged near an edge, faster the nearer it is. */
static void
on_drag_over (GtkDropControllerMotion *motion, double x, double y, PhHistoryPanel *self)
{
  double height = gtk_widget_get_height (GTK_WIDGET (self->steps_scroller));

  self->scroll_speed = y < SCROLL_EDGE ? (y - SCROLL_EDGE) / 3 : y > height - SCROLL_EDGE ? (y - height + SCROLL_EDGE) / 3 : 0;
  if (self->scroll_speed == 0)
    ph_history_stop_scrolling (self);
  else if (!self->scroll_tick)
    self->scroll_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self->steps_scroller), scroll, self, NULL);
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  GtkWidget *row = ph_step_row_new ();
  GtkDragSource *drag = gtk_drag_source_new ();
  GtkDropTarget *drop = gtk_drop_target_new (G_TYPE_UINT, GDK_ACTION_MOVE);

  gtk_drag_source_set_actions (drag, GDK_ACTION_MOVE);
  g_signal_connect (drag, "prepare", G_CALLBACK (on_drag_prepare), row);
  gtk_widget_add_controller (row, GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (drop, "motion", G_CALLBACK (on_row_motion), self);
  g_signal_connect (drop, "leave", G_CALLBACK (on_row_leave), self);
  g_signal_connect (drop, "drop", G_CALLBACK (on_row_drop), self);
  gtk_widget_add_controller (row, GTK_EVENT_CONTROLLER (drop));
  ph_context_menu_on_secondary (row, G_CALLBACK (on_right_click), self);
  gtk_list_item_set_child (list_item, row);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  ph_step_row_bind (PH_STEP_ROW (gtk_list_item_get_child (list_item)), self->console, gtk_list_item_get_item (list_item));
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *list_item)
{
  ph_step_row_bind (PH_STEP_ROW (gtk_list_item_get_child (list_item)), NULL, NULL);
}

void
ph_history_make_steps (PhHistoryPanel *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *motion = gtk_drop_controller_motion_new ();

  self->items = g_list_store_new (PH_TYPE_STEP_ITEM);
  self->step_selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->items)));
  gtk_single_selection_set_autoselect (self->step_selection, FALSE);
  gtk_single_selection_set_can_unselect (self->step_selection, TRUE);
  g_signal_connect_swapped (self->step_selection, "notify::selected", G_CALLBACK (on_step_selected), self);
  g_signal_connect_swapped (self->steps, "activate", G_CALLBACK (on_step_activated), self);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_list_view_set_factory (self->steps, factory);
  ph_list_lies_still (self->steps);
  gtk_list_view_set_model (self->steps, GTK_SELECTION_MODEL (self->step_selection));

  /* Handles keys before the list, which would use Space and Alt with an arrow to select. */
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->steps), keys);
  ph_access_tab_leaves (GTK_WIDGET (self->steps));
  g_signal_connect (motion, "motion", G_CALLBACK (on_drag_over), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (ph_history_stop_scrolling), self);
  gtk_widget_add_controller (GTK_WIDGET (self->steps_scroller), motion);
}
