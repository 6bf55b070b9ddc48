/* history-panel.c: the left panel: pipeline and steps, and the rewrites of the present step. Selecting a row goes there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/history-panel.h"

#include <glib/gi18n.h>

#include "views/rewrite-row.h"
#include "views/step-row.h"

struct _PhHistoryPanel
{
  GtkWidget           parent_instance;
  GtkWidget          *content;
  GtkDropDown        *pipelines;
  GtkToggleButton    *changed_only;
  GtkListView        *steps, *rewrites;
  GtkStack           *rewrites_stack;
  GtkLabel           *rewrites_title, *rewrites_count, *rewrites_empty;

  GListStore         *items;            /* (element-type PhStepItem)                       */
  GtkSingleSelection *step_selection;
  PhRewriteList      *rewrite_list;
  GtkSingleSelection *rewrite_selection;
  PhConsole          *console;          /* (nullable)                                      */
  PhDocument         *document;         /* (nullable) the console's                        */
  guint               shown_step;       /* whose rewrites are listed; G_MAXUINT: none      */
  gboolean            updating;         /* selections move because of the document         */
};

G_DEFINE_FINAL_TYPE (PhHistoryPanel, ph_history_panel, GTK_TYPE_WIDGET)

static void G_GNUC_PRINTF (2, 3)
run (PhHistoryPanel *self, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  ph_console_run_async (self->console, line, NULL, NULL, NULL);
}

/* --- showing the document ------------------------------------------------------------------------------------------ */

/* The step that the position is after, or in. G_MAXUINT: the file. */
static guint
present_step (PhHistoryPanel *self)
{
  PhPosition at = ph_document_get_position (self->document);
  return at.rewrite > 0 ? at.step : at.step > 0 ? at.step - 1 : G_MAXUINT;
}

static void
show_rewrites (PhHistoryPanel *self, gboolean steps_changed)
{
  guint step = self->document && ph_document_get_history (self->document) ? present_step (self) : G_MAXUINT;
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;

  if (history && step != G_MAXUINT && step >= history->steps->len)
    step = G_MAXUINT;
  if (step != self->shown_step || steps_changed)
    {
      ph_rewrite_list_show (self->rewrite_list, self->document, step);
      self->shown_step = step;
    }
  const PhStep *shown = step == G_MAXUINT ? NULL : &g_array_index (history->steps, PhStep, step);
  guint n = shown ? shown->n_rewrites : 0;
  g_autofree char *count = n ? g_strdup_printf ("%u", n) : g_strdup ("");
  g_autofree char *title = shown ? g_strdup_printf (_("Rewrites of %s"), shown->pass) : g_strdup (_("Rewrites"));
  gtk_label_set_text (self->rewrites_title, title);
  gtk_label_set_text (self->rewrites_count, count);
  gtk_label_set_text (self->rewrites_empty, !history ? _("Open a model to see what passes do to it.")
                                            : shown ? _("This pass found nothing to do.")
                                                    : _("Step forward (F10) to run a pass, or into it (F11) to see its first rewrite."));
  gtk_stack_set_visible_child_name (self->rewrites_stack, n ? "list" : "empty");
  if (n)
    {
      guint rewrite = ph_document_get_position (self->document).rewrite;
      guint row = rewrite > 0 ? rewrite - 1 : n - 1;
      gtk_single_selection_set_selected (self->rewrite_selection, rewrite > 0 ? row : GTK_INVALID_LIST_POSITION);
      if (rewrite > 0)
        gtk_widget_activate_action (GTK_WIDGET (self->rewrites), "list.scroll-to-item", "u", row);
    }
}

static guint
row_of_position (PhHistoryPanel *self)
{
  guint step = present_step (self);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->items)); i++)
    {
      g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      if (step == G_MAXUINT ? item->kind == PH_STEP_ITEM_FILE : item->kind == PH_STEP_ITEM_STEP && item->step == step)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

/* Replaces rows only where they stand for something else now, so that scrolling and keyboard focus stay. */
static void
update_rows (PhHistoryPanel *self)
{
  g_autoptr (GPtrArray) wanted = self->document ? ph_step_items_of (self->document, gtk_toggle_button_get_active (self->changed_only)) : g_ptr_array_new ();
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items)), same = 0;

  while (same < n && same < wanted->len)
    {
      g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), same);
      if (!ph_step_item_equal (item, wanted->pdata[same]))
        break;
      ph_step_item_changed (item);
      same++;
    }
  if (same < n || same < wanted->len)
    g_list_store_splice (self->items, same, n - same, wanted->pdata + same, wanted->len - same);
}

static void
update (PhHistoryPanel *self, gboolean steps_changed)
{
  self->updating = TRUE;
  update_rows (self);
  if (self->document && ph_document_get_history (self->document))
    {
      guint row = row_of_position (self);
      gtk_single_selection_set_selected (self->step_selection, row);
      if (row != GTK_INVALID_LIST_POSITION)
        gtk_widget_activate_action (GTK_WIDGET (self->steps), "list.scroll-to-item", "u", row);
    }
  show_rewrites (self, steps_changed);
  self->updating = FALSE;
}

static void
on_position_changed (PhHistoryPanel *self)
{
  update (self, FALSE);
}

static void
on_steps_changed (PhHistoryPanel *self)
{
  update (self, TRUE);
}

static void
on_changed_only (PhHistoryPanel *self)
{
  update (self, FALSE);
}

static void
on_pipeline_changed (PhHistoryPanel *self)
{
  guint n, selected = GTK_INVALID_LIST_POSITION;
  const PhPipeline *pipelines = ph_pipeline_list (&n);
  const char *name = self->document ? ph_document_get_pipeline (self->document) : NULL;

  for (guint i = 0; i < n; i++)
    if (name && g_str_equal (pipelines[i].name, name))
      selected = i;
  self->updating = TRUE;
  gtk_drop_down_set_selected (self->pipelines, selected);
  self->updating = FALSE;
  update (self, TRUE);
}

/* --- what the user does -------------------------------------------------------------------------------------------- */

static void
on_pipeline_selected (PhHistoryPanel *self)
{
  guint n, selected = gtk_drop_down_get_selected (self->pipelines);
  const PhPipeline *pipelines = ph_pipeline_list (&n);

  if (!self->updating && self->console && selected < n
      && g_strcmp0 (ph_document_get_pipeline (self->document), pipelines[selected].name) != 0)
    run (self, "pipeline %s", pipelines[selected].name);
}

static void
on_step_selected (PhHistoryPanel *self)
{
  PhStepItem *item = gtk_single_selection_get_selected_item (self->step_selection);

  if (self->updating || !self->console || !item || item->kind == PH_STEP_ITEM_ENTRY)
    return;
  PhPosition at = ph_document_get_position (self->document);
  guint step = item->kind == PH_STEP_ITEM_FILE ? 0 : item->step + 1;
  if (at.step != step || at.rewrite != 0)
    run (self, "goto %u", step);
}

/* Enter or a double click on a pass that has not run runs up to it. */
static void
on_step_activated (PhHistoryPanel *self, guint position)
{
  g_autoptr (PhStepItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), position);

  if (!self->console || !item || item->kind != PH_STEP_ITEM_ENTRY)
    return;
  GArray *entries = ph_document_get_entries (self->document);
  g_autoptr (GString) line = g_string_new ("run");
  for (guint i = ph_document_next_entry (self->document); i <= (guint) item->entry && i < entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, i);
      if (entry->enabled)
        g_string_append_printf (line, " %s", entry->pass->name);
    }
  run (self, "%s", line->str);
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
  if (at.step == step && at.rewrite == rewrite)
    return;
  if (last)
    run (self, "goto %u", step);
  else
    run (self, "goto %u.%u", self->shown_step + 1, rewrite);
}

static void
on_rewrite_selected (PhHistoryPanel *self)
{
  guint row = gtk_single_selection_get_selected (self->rewrite_selection);

  if (!self->updating && self->console && row != GTK_INVALID_LIST_POSITION)
    go_to_rewrite (self, row);
}

static void
on_rewrite_activated (PhHistoryPanel *self, guint row)
{
  g_autoptr (PhRewriteItem) item = g_list_model_get_item (G_LIST_MODEL (self->rewrite_list), row);
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;

  if (item && model && ph_model_find_node (model, item->node))
    ph_document_set_selection (self->document, item->node);
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

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

static gboolean
on_row_drop (GtkDropTarget *target, const GValue *value, double x, double y, PhHistoryPanel *self)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (target));
  PhStepItem *item = ph_step_row_get_item (PH_STEP_ROW (row));
  GArray *entries = self->document ? ph_document_get_entries (self->document) : NULL;
  guint from = g_value_get_uint (value);

  if (!item || item->entry < 0 || !entries || from >= entries->len || from == (guint) item->entry)
    return FALSE;
  run (self, "pass move %u %u", from + 1, (guint) item->entry + 1);
  return TRUE;
}

static void
on_step_setup (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  GtkWidget *row = ph_step_row_new ();
  GtkDragSource *drag = gtk_drag_source_new ();
  GtkDropTarget *drop = gtk_drop_target_new (G_TYPE_UINT, GDK_ACTION_MOVE);

  gtk_drag_source_set_actions (drag, GDK_ACTION_MOVE);
  g_signal_connect (drag, "prepare", G_CALLBACK (on_drag_prepare), row);
  gtk_widget_add_controller (row, GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (drop, "drop", G_CALLBACK (on_row_drop), self);
  gtk_widget_add_controller (row, GTK_EVENT_CONTROLLER (drop));
  gtk_list_item_set_child (list_item, row);
}

static void
on_step_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  ph_step_row_bind (PH_STEP_ROW (gtk_list_item_get_child (list_item)), self->console, gtk_list_item_get_item (list_item));
}

static void
on_step_unbind (GtkSignalListItemFactory *factory, GtkListItem *list_item)
{
  ph_step_row_bind (PH_STEP_ROW (gtk_list_item_get_child (list_item)), NULL, NULL);
}

static void
on_rewrite_setup (GtkSignalListItemFactory *factory, GtkListItem *list_item)
{
  gtk_list_item_set_child (list_item, ph_rewrite_row_new ());
}

static void
on_rewrite_bind (GtkSignalListItemFactory *factory, GtkListItem *list_item, PhHistoryPanel *self)
{
  ph_rewrite_row_bind (PH_REWRITE_ROW (gtk_list_item_get_child (list_item)), self->document, gtk_list_item_get_item (list_item));
}

/* --- object -------------------------------------------------------------------------------------------------------- */

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
      g_signal_connect_swapped (self->document, "verdicts-changed", G_CALLBACK (on_position_changed), self);
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
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_HISTORY_PANEL);
  g_clear_object (&self->step_selection);
  g_clear_object (&self->rewrite_selection);
  g_clear_object (&self->rewrite_list);
  g_clear_object (&self->items);
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
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/history-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, content);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, pipelines);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, changed_only);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, steps);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_stack);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_title);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_count);
  gtk_widget_class_bind_template_child (widget_class, PhHistoryPanel, rewrites_empty);
  gtk_widget_class_bind_template_callback (widget_class, on_pipeline_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_changed_only);
  gtk_widget_class_bind_template_callback (widget_class, on_step_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_rewrite_activated);
}

static void
make_steps (PhHistoryPanel *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->items = g_list_store_new (PH_TYPE_STEP_ITEM);
  self->step_selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->items)));
  gtk_single_selection_set_autoselect (self->step_selection, FALSE);
  gtk_single_selection_set_can_unselect (self->step_selection, TRUE);
  g_signal_connect_swapped (self->step_selection, "notify::selected", G_CALLBACK (on_step_selected), self);
  g_signal_connect (factory, "setup", G_CALLBACK (on_step_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_step_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_step_unbind), NULL);
  gtk_list_view_set_factory (self->steps, factory);
  gtk_list_view_set_model (self->steps, GTK_SELECTION_MODEL (self->step_selection));
}

static void
make_rewrites (PhHistoryPanel *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->rewrite_list = ph_rewrite_list_new ();
  self->rewrite_selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->rewrite_list)));
  gtk_single_selection_set_autoselect (self->rewrite_selection, FALSE);
  gtk_single_selection_set_can_unselect (self->rewrite_selection, TRUE);
  g_signal_connect_swapped (self->rewrite_selection, "notify::selected", G_CALLBACK (on_rewrite_selected), self);
  g_signal_connect (factory, "setup", G_CALLBACK (on_rewrite_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_rewrite_bind), self);
  gtk_list_view_set_factory (self->rewrites, factory);
  gtk_list_view_set_model (self->rewrites, GTK_SELECTION_MODEL (self->rewrite_selection));
}

static void
ph_history_panel_init (PhHistoryPanel *self)
{
  guint n;
  const PhPipeline *pipelines = ph_pipeline_list (&n);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  self->shown_step = G_MAXUINT;
  self->updating = TRUE;
  for (guint i = 0; i < n; i++)
    gtk_string_list_append (names, pipelines[i].name);
  gtk_drop_down_set_model (self->pipelines, G_LIST_MODEL (names));
  self->updating = FALSE;
  make_steps (self);
  make_rewrites (self);
}
