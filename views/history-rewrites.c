/* history-rewrites.c: the rewrites of the present step in the left panel, and the reason of the selected one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>

#include "views/access-names.h"
#include "views/history-private.h"
#include "views/list-drag.h"
#include "views/rewrite-effect.h"
#include "views/rewrite-row.h"
#include "views/step-verdict.h"
#include "views/tooltip.h"

#define N_EFFECTS 6 /* lines */

/* Returns the step that the position is after, or in. G_MAXUINT: the file. */
static guint
present_step (PhHistoryPanel *self)
{
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;

  if (!history)
    return G_MAXUINT;
  PhPosition at = ph_document_get_position (self->document);
  guint step = at.rewrite > 0 ? at.step : at.step > 0 ? at.step - 1 : G_MAXUINT;
  return step < history->steps->len ? step : G_MAXUINT;
}

/* Returns a summary of the shown step's pass, and how to see more. (transfer full) */
static char *
describe_step (PhHistoryPanel *self)
{
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;
  const PhStep *step = history && self->shown_step < history->steps->len
                           ? &g_array_index (history->steps, PhStep, self->shown_step)
                           : NULL;
  g_autofree char *name = step ? g_strndup (step->pass, strcspn (step->pass, " ")) : NULL;
  const PhPass *pass = name ? ph_pass_find (name) : NULL;
  const char *how = _ ("Choose a rewrite to see what it did and why it is right.");

  return pass && pass->summary ? g_strdup_printf ("%s.\n%s", pass->summary, how) : g_strdup (how);
}

/* Shows the details of the selected rewrite, or of the only one. */
static void
show_detail (PhHistoryPanel *self)
{
  const guint total = ph_rewrite_list_get_total (self->rewrite_list);
  PhRewriteItem *selected = gtk_single_selection_get_selected_item (self->rewrite_selection);
  g_autoptr (PhRewriteItem) item = selected     ? g_object_ref (selected)
                                   : total == 1 ? g_list_model_get_item (G_LIST_MODEL (self->rewrite_list), 0)
                                                : NULL;
  const PhRule *rule = item ? ph_rewrite_item_get_rule (item) : NULL;
  g_autofree char *text = rule ? ph_rule_to_string (rule) : NULL, *general = item ? NULL : describe_step (self);

  gtk_widget_set_visible (self->detail, total > 0);
  gtk_label_set_text (self->detail_why, !item ? general : item->why ? item->why : "");
  if (!item)
    {
      GtkWidget *rest[] = { GTK_WIDGET (self->detail_rule), GTK_WIDGET (self->detail_effect), GTK_WIDGET (self->detail_class) };
      for (guint i = 0; i < G_N_ELEMENTS (rest); i++)
        gtk_widget_set_visible (rest[i], FALSE);
      return;
    }
  gtk_label_set_text (self->detail_rule, text ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->detail_rule), text != NULL);
  g_autofree char *effect = ph_rewrite_effect (self->document, item->step, item->number, N_EFFECTS);
  gtk_label_set_text (self->detail_effect, effect);
  ph_tooltip_set (GTK_WIDGET (self->detail_effect), *effect ? effect : NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->detail_effect), *effect != '\0');
  gtk_label_set_text (self->detail_class, rule ? ph_exactness_text (rule->exactness) : "");
  gtk_widget_set_visible (GTK_WIDGET (self->detail_class), rule != NULL);
}

static void
show_count (PhHistoryPanel *self)
{
  guint total = ph_rewrite_list_get_total (self->rewrite_list), n = g_list_model_get_n_items (G_LIST_MODEL (self->rewrite_list));
  g_autofree char *text = total == 0   ? g_strdup ("")
                          : n == total ? g_strdup_printf ("%'u", total)
                                       : g_strdup_printf (_ ("%'u of %'u"), n, total);

  gtk_label_set_text (self->rewrites_count, text);
  if (total > 0 && n == 0)
    gtk_label_set_text (self->rewrites_empty, _ ("No rewrite has this in its rule, its reason or its node."));
  gtk_stack_set_visible_child_name (self->rewrites_stack, n > 0 ? "list" : "empty");
}

void
ph_history_show_rewrites (PhHistoryPanel *self, gboolean steps_changed)
{
  guint step = present_step (self);
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;

  if (step != self->shown_step || steps_changed)
    {
      ph_rewrite_list_show (self->rewrite_list, self->document, step);
      self->shown_step = step;
    }
  else
    ph_rewrite_list_touch (self->rewrite_list);
  const PhStep *shown = step == G_MAXUINT ? NULL : &g_array_index (history->steps, PhStep, step);
  g_autofree char *title = shown ? g_strdup_printf (_ ("Rewrites of %s"), shown->pass) : g_strdup (_ ("Rewrites"));
  const char *idle = history && history->steps->len == 0 ? ph_document_get_idle (self->document) : NULL;
  g_autofree char *nothing = idle ? g_strdup_printf (_ ("Nothing to run: %s."), idle) : NULL;
  gtk_label_set_text (self->rewrites_title, title);
  gtk_label_set_text (self->rewrites_empty,
                      !history                  ? _ ("Open a model to see what passes do to it.")
                      : shown && shown->failure ? shown->failure
                      : shown                   ? _ ("This pass found nothing to do.")
                      : nothing                 ? nothing
                      : ph_document_get_entries (self->document)->len == 0 && history->steps->len == 0
                          ? _ ("No passes are chosen: choose a pipeline above.")
                          : _ ("Step forward (F10) to run a pass, or into it (F11) to see its first rewrite."));
  gtk_widget_set_sensitive (GTK_WIDGET (self->rewrites_search), shown && shown->n_rewrites > 0);
  show_count (self);
  guint in, rewrite = history ? ph_document_get_rewrite (self->document, &in) : 0;
  guint row = ph_rewrite_list_find (self->rewrite_list, rewrite);
  if (row != GTK_INVALID_LIST_POSITION)
    ph_growing_list_reach (self->rewrite_rows, row);
  gtk_single_selection_set_selected (self->rewrite_selection, row);
  /* A clicked row is under the pointer and stays there. */
  if (row != GTK_INVALID_LIST_POSITION && row != self->chosen_row)
    gtk_widget_activate_action (GTK_WIDGET (self->rewrites), "list.scroll-to-item", "u", row);
  self->chosen_row = GTK_INVALID_LIST_POSITION;
  show_detail (self);
}

static void
go_to_rewrite (PhHistoryPanel *self, guint row)
{
  g_autoptr (PhRewriteItem) item = g_list_model_get_item (G_LIST_MODEL (self->rewrite_list), row);
  PhPosition at = ph_document_get_position (self->document);

  if (!item || self->shown_step == G_MAXUINT)
    return;
  PhHistory *history = ph_document_get_history (self->document);
  gboolean last = item->number == g_array_index (history->steps, PhStep, self->shown_step).n_rewrites;
  guint step = last ? self->shown_step + 1 : self->shown_step, rewrite = last ? 0 : item->number;
  /* While a line waits or runs, the position is not final; and for the last rewrite, the whole step may be shown. */
  if (at.step == step && at.rewrite == rewrite && !last && !ph_console_is_running (self->console))
    return;
  ph_history_run (self, "goto %u.%u", self->shown_step + 1, item->number);
}

static void
on_selected (PhHistoryPanel *self)
{
  guint row = gtk_single_selection_get_selected (self->rewrite_selection);

  show_detail (self);
  if (!self->updating && self->console && row != GTK_INVALID_LIST_POSITION)
    {
      self->chosen_row = row;
      go_to_rewrite (self, row);
    }
}

static void
on_activated (PhHistoryPanel *self, guint row)
{
  g_autoptr (PhRewriteItem) item = g_list_model_get_item (G_LIST_MODEL (self->rewrite_list), row);
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;

  if (item && model && ph_model_find_node (model, item->node))
    ph_document_set_selection (self->document, item->node);
}

static void
on_filter_changed (PhHistoryPanel *self)
{
  self->updating = TRUE;
  ph_rewrite_list_filter (self->rewrite_list, gtk_editable_get_text (GTK_EDITABLE (self->rewrites_filter)));
  self->updating = FALSE;
  ph_history_show_rewrites (self, FALSE);
}

static void
on_search_toggled (PhHistoryPanel *self)
{
  if (gtk_toggle_button_get_active (self->rewrites_search))
    gtk_widget_grab_focus (GTK_WIDGET (self->rewrites_filter));
  else
    gtk_editable_set_text (GTK_EDITABLE (self->rewrites_filter), "");
}

static void
on_stop_search (PhHistoryPanel *self)
{
  gtk_toggle_button_set_active (self->rewrites_search, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->rewrites));
}

static PhRewriteItem *
focused_item (PhHistoryPanel *self, GtkWidget **row)
{
  GtkWidget *widget = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));

  while (widget && !PH_IS_REWRITE_ROW (widget))
    widget = gtk_widget_get_first_child (widget);
  *row = widget;
  return widget ? ph_rewrite_row_get_item (PH_REWRITE_ROW (widget)) : NULL;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhHistoryPanel *self)
{
  GtkWidget *row;
  PhRewriteItem *item = focused_item (self, &row);

  /* The end is that of the whole list, not of the rows that are given so far. */
  if (key == GDK_KEY_End || key == GDK_KEY_KP_End || key == GDK_KEY_Page_Down || key == GDK_KEY_KP_Page_Down)
    ph_growing_list_reach (self->rewrite_rows, G_MAXUINT - 1);
  if (!item || !self->console || (state & gtk_accelerator_get_default_mod_mask ()) != 0)
    return GDK_EVENT_PROPAGATE;
  if (key == GDK_KEY_Menu)
    ph_history_show_rewrite_menu (self, row, item, 24, gtk_widget_get_height (row));
  else if (key == GDK_KEY_b)
    ph_history_run (self, "breakpoint %s/%s", item->pass, item->rule);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static void
on_right_click (GtkGestureClick *gesture, int n, double x, double y, PhHistoryPanel *self)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  PhRewriteItem *item = ph_rewrite_row_get_item (PH_REWRITE_ROW (row));

  if (!item || !self->console)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  ph_history_show_rewrite_menu (self, row, item, x, y);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  GtkWidget *row = ph_rewrite_row_new ();

  ph_context_menu_on_secondary (row, G_CALLBACK (on_right_click), self);
  gtk_list_item_set_child (list_item, row);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  ph_rewrite_row_bind (PH_REWRITE_ROW (gtk_list_item_get_child (list_item)), self->console, gtk_list_item_get_item (list_item));
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *list_item)
{
  ph_rewrite_row_bind (PH_REWRITE_ROW (gtk_list_item_get_child (list_item)), NULL, NULL);
}

void
ph_history_make_rewrites (PhHistoryPanel *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->chosen_row = GTK_INVALID_LIST_POSITION;
  self->rewrite_list = ph_rewrite_list_new ();
  self->rewrite_rows = ph_growing_list_new (G_LIST_MODEL (self->rewrite_list));
  self->rewrite_selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->rewrite_rows)));
  gtk_single_selection_set_autoselect (self->rewrite_selection, FALSE);
  gtk_single_selection_set_can_unselect (self->rewrite_selection, TRUE);
  g_signal_connect_swapped (self->rewrite_selection, "notify::selected", G_CALLBACK (on_selected), self);
  ph_access_tab_leaves (GTK_WIDGET (self->rewrites));
  g_signal_connect_swapped (self->rewrites, "activate", G_CALLBACK (on_activated), self);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_list_view_set_factory (self->rewrites, factory);
  ph_list_lies_still (self->rewrites);
  gtk_list_view_set_model (self->rewrites, GTK_SELECTION_MODEL (self->rewrite_selection));

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->rewrites), keys);

  g_object_bind_property (self->rewrites_search, "active", self->rewrites_search_bar, "reveal-child", G_BINDING_SYNC_CREATE);
  g_signal_connect_swapped (self->rewrites_search, "toggled", G_CALLBACK (on_search_toggled), self);
  g_signal_connect_swapped (self->rewrites_filter, "search-changed", G_CALLBACK (on_filter_changed), self);
  g_signal_connect_swapped (self->rewrites_filter, "stop-search", G_CALLBACK (on_stop_search), self);
}
