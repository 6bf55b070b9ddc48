/* history-panel.c: the left panel: pipeline and steps, and the rewrites of the present step. Selecting a row goes to its position.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/history-private.h"
#include "views/step-row.h"

#include <glib/gi18n.h>

#include "views/access-names.h"

G_DEFINE_FINAL_TYPE (PhHistoryPanel, ph_history_panel, GTK_TYPE_WIDGET)

void
ph_history_run (PhHistoryPanel *self, const char *format, ...)
{
  va_list arguments;

  if (!self->console)
    return;
  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  ph_console_run_async (self->console, line, NULL, NULL);
}

static guint
row_of_position (PhHistoryPanel *self)
{
  PhPosition at = ph_document_get_position (self->document);
  guint done = at.step + (at.rewrite > 0);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->items)); i++)
    {
      g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      if (done == 0 ? item->kind == PH_STEP_ITEM_FILE : item->kind == PH_STEP_ITEM_STEP && item->step == done - 1)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

/* Replaces only rows that represent something else now, so that scrolling and keyboard focus stay. */
static void
update_rows (PhHistoryPanel *self)
{
  g_autoptr (GPtrArray) wanted = self->document
                                     ? ph_step_items_of (self->document, gtk_toggle_button_get_active (self->changed_only))
                                     : g_ptr_array_new ();
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items)), same = 0;

  while (same < n && same < wanted->len)
    {
      g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), same);
      if (!ph_step_item_same_row (item, wanted->pdata[same]))
        break;
      ph_step_item_become (item, wanted->pdata[same]);
      same++;
    }
  if (same == n && same == wanted->len)
    return;
  ph_history_stop_scrolling (self);
  g_list_store_splice (self->items, same, n - same, wanted->pdata + same, wanted->len - same);
}

/* Returns TRUE if the row is visible. Scrolling to a row would lay out the whole list again even then, which is frequent while stepping. */
static gboolean
is_in_sight (PhHistoryPanel *self, guint row)
{
  g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), row);
  graphene_rect_t bounds;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->steps)); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *content = gtk_widget_get_first_child (child);

      if (content && PH_IS_STEP_ROW (content) && ph_step_row_get_item (PH_STEP_ROW (content)) == item)
        return gtk_widget_get_mapped (child) && gtk_widget_compute_bounds (child, GTK_WIDGET (self->steps_scroller), &bounds)
               && bounds.origin.y >= 0
               && bounds.origin.y + bounds.size.height <= (float) gtk_widget_get_height (GTK_WIDGET (self->steps_scroller));
    }
  return FALSE;
}

static void
update_steps (PhHistoryPanel *self)
{
  self->updating = TRUE;
  update_rows (self);
  if (self->document && ph_document_get_history (self->document))
    {
      guint row = row_of_position (self);
      gtk_single_selection_set_selected (self->step_selection, row);
      if (row != GTK_INVALID_LIST_POSITION && self->focus_entry < 0 && !is_in_sight (self, row))
        gtk_widget_activate_action (GTK_WIDGET (self->steps), "list.scroll-to-item", "u", row);
    }
  ph_history_update_verdicts (self);
  self->updating = FALSE;
}

static void
update_rewrites (PhHistoryPanel *self, gboolean steps_changed)
{
  ph_in_pause_cancel (&self->pause);
  self->updating = TRUE;
  ph_history_show_rewrites (self, steps_changed);
  self->updating = FALSE;
}

static void
update_panel (PhHistoryPanel *self, gboolean steps_changed)
{
  update_steps (self);
  update_rewrites (self, steps_changed);
  ph_history_focus_pending (self);
}

static gboolean
follow_rewrites (gpointer data)
{
  update_rewrites (data, FALSE);
  return G_SOURCE_REMOVE;
}

static void
follow_position (gpointer data)
{
  PhHistoryPanel *self = data;

  update_steps (self);
  ph_history_focus_pending (self);
  ph_in_pause (GTK_WIDGET (self), &self->pause, follow_rewrites);
}

/* The picture answers first: the rows follow after its frame. */
static void
on_position_changed (PhHistoryPanel *self)
{
  ph_after_frame (GTK_WIDGET (self), &self->follow, follow_position);
}

static void
on_steps_changed (PhHistoryPanel *self)
{
  update_panel (self, TRUE);
}

/* Updates the text of rows only, without a new layout. */
static void
on_verdicts_changed (PhHistoryPanel *self)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->items)); i++)
    {
      g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      ph_step_item_become (item, item);
    }
  ph_history_update_verdicts (self);
}

static void
on_changed_only (PhHistoryPanel *self)
{
  update_panel (self, FALSE);
}

static void
on_pipeline_changed (PhHistoryPanel *self)
{
  ph_history_update_pipeline (self);
  update_panel (self, TRUE);
}

void
ph_history_panel_set_console (PhHistoryPanel *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_HISTORY_PANEL (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  self->updating = TRUE;
  g_list_store_remove_all (self->items);
  self->updating = FALSE;
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console ? ph_console_get_document (console) : NULL));
  if (self->document)
    {
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_pipeline_changed), self);
      g_signal_connect_swapped (self->document, "pipeline-changed", G_CALLBACK (on_pipeline_changed), self);
      g_signal_connect_swapped (self->document, "history-changed", G_CALLBACK (on_steps_changed), self);
      g_signal_connect_swapped (self->document, "position-changed", G_CALLBACK (on_position_changed), self);
      g_signal_connect_swapped (self->document, "since-changed", G_CALLBACK (on_position_changed), self);
      g_signal_connect_swapped (self->document, "verdicts-changed", G_CALLBACK (on_verdicts_changed), self);
    }
  on_pipeline_changed (self);
}

static void
ph_history_panel_dispose (GObject *object)
{
  PhHistoryPanel *self = PH_HISTORY_PANEL (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  self->updating = TRUE;
  if (self->focus_tick)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->steps), self->focus_tick);
  self->focus_tick = 0;
  ph_after_frame_cancel (GTK_WIDGET (self), &self->follow);
  ph_in_pause_cancel (&self->pause);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_HISTORY_PANEL);
  g_clear_object (&self->step_selection);
  g_clear_object (&self->rewrite_selection);
  g_clear_object (&self->rewrite_rows);
  g_clear_object (&self->rewrite_list);
  g_clear_object (&self->items);
  g_clear_object (&self->menu_rewrite);
  g_clear_object (&self->actions);
  g_clear_object (&self->document);
  g_clear_object (&self->console);
  G_OBJECT_CLASS (ph_history_panel_parent_class)->dispose (object);
}

static void
ph_history_panel_class_init (PhHistoryPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_history_panel_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/history-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, content);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, pipeline_button);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, pipeline_name);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, breaks_button);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, breaks_box);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, changed_only);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, steps_scroller);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, steps);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_stack);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_filter);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_search);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_search_bar);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_title);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_count);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_empty);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, verify_switch);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, verify_text);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, hunt_button);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, detail);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, detail_why);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, detail_rule);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, detail_effect);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, detail_class);
  gtk_widget_class_bind_template_callback (widget_class, on_changed_only);
}

static void
ph_history_panel_init (PhHistoryPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_access_set_name (GTK_WIDGET (self), "%s", _ ("Pipeline"));
  self->shown_step = G_MAXUINT;
  self->menu_entry = self->focus_entry = -1;
  ph_history_install_actions (self);
  ph_history_make_steps (self);
  ph_history_make_rewrites (self);
  ph_history_make_verdicts (self);
}
