/* along-pane.c: the common values of two positions or two files, with their differences. Selecting a row selects its node, and vice
 * versa.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/along-pane.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/document/snapshot.h"
#include "views/access-names.h"
#include "views/error-line.h"
#include "views/list-drag.h"
#include "views/verify-cost.h"

enum
{
  NAME,
  TYPE,
  ERROR,
  LARGEST,
  PLACE,
  WAS,
  IS,
  N_COLUMNS
};

/* clang-format off */
static const struct { const char *title; int width; gboolean right, mono; } columns[N_COLUMNS] = {
  [NAME] = { N_("Value"), 0, FALSE, TRUE },
  [TYPE] = { N_("Type"), 150, FALSE, FALSE },
  [ERROR] = { N_("Error"), 70, TRUE, FALSE },
  [LARGEST] = { N_("Largest Difference"), 136, TRUE, FALSE },
  [PLACE] = { N_("At"), 90, FALSE, TRUE },
  [WAS] = { N_("Was"), 100, TRUE, TRUE },
  [IS] = { N_("Is"), 100, TRUE, TRUE },
};
/* clang-format on */

struct _PhAlongPane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkLabel *message, *summary;
  GtkButton *compare;
  GtkToggleButton *only_different;
  GtkBox *header;
  PhErrorLine *line;
  GtkListView *list;

  GtkStringList *rows;       /* one for each row; their texts are computed when a row becomes visible */
  GArray *shown;             /* (element-type guint) index of the value per row                       */
  PhConsole *console;        /* (nullable)                                                            */
  GCancellable *cancellable; /* (nullable) while values are compared                                  */
  gboolean following;        /* rows follow the picture's selection                                   */
};

G_DEFINE_FINAL_TYPE (PhAlongPane, ph_along_pane, GTK_TYPE_WIDGET)

static PhDocument *
get_document (PhAlongPane *self)
{
  return self->console ? ph_console_get_document (self->console) : NULL;
}

/* Returns the comparison of the two positions between which changes are shown. (nullable) */
static const PhAlong *
get_along (PhAlongPane *self)
{
  PhDocument *document = get_document (self);
  PhPosition from, to;
  const PhAlong *along = document && ph_document_is_open (document) ? ph_document_get_along (document, &from, &to) : NULL;

  return along && ph_position_compare (from, ph_document_get_since (document)) == 0
                 && ph_position_compare (to, ph_document_get_position (document)) == 0
             ? along
             : NULL;
}

static const PhAlongValue *
value_of_row (PhAlongPane *self, guint row)
{
  const PhAlong *along = get_along (self);
  const guint index = along && row < self->shown->len ? g_array_index (self->shown, guint, row) : G_MAXUINT;

  return along && index < along->values->len ? &g_array_index (along->values, PhAlongValue, index) : NULL;
}

static gboolean
differs (const PhAlongValue *value)
{
  return !(value->error <= PH_ALONG_ROUNDING);
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static GtkWidget *
cell_new (guint column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), columns[column].right ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, columns[column].width == 0);
  gtk_widget_set_size_request (label, columns[column].width ? columns[column].width : -1, -1);
  if (columns[column].mono)
    gtk_widget_add_css_class (label, "monospace");
  gtk_widget_add_css_class (label, "numeric");
  return label;
}

static char *
number_text (double number)
{
  return isinf (number) ? g_strdup ("∞") : g_strdup_printf ("%.2g", number);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  for (guint i = 0; i < N_COLUMNS; i++)
    gtk_box_append (GTK_BOX (box), cell_new (i));
  gtk_list_item_set_child (item, box);
}

static void
on_bind (PhAlongPane *self, GtkListItem *item)
{
  const PhAlongValue *value = value_of_row (self, gtk_list_item_get_position (item));
  GtkWidget *box = gtk_list_item_get_child (item), *cell = gtk_widget_get_first_child (box);

  if (!value)
    return;
  g_autofree char *error = number_text (value->error), *largest = number_text (value->max_abs);
  const char *texts[N_COLUMNS]
      = { value->name, value->type, error, largest, value->place, value->expected, value->why ? value->why : value->actual };
  for (guint i = 0; i < N_COLUMNS; i++, cell = gtk_widget_get_next_sibling (cell))
    {
      gtk_label_set_text (GTK_LABEL (cell), texts[i] ? texts[i] : "");
      if (differs (value))
        gtk_widget_remove_css_class (cell, "dim-label");
      else
        gtk_widget_add_css_class (cell, "dim-label");
    }
  GtkWidget *error_cell = gtk_widget_get_next_sibling (gtk_widget_get_next_sibling (gtk_widget_get_first_child (box)));
  if (differs (value))
    gtk_widget_add_css_class (error_cell, "error");
  else
    gtk_widget_remove_css_class (error_cell, "error");
  ph_access_name_row (box);
}

/* --- selection in both directions ------------------------------------------------------------------------------------- */

static guint
selected_row (PhAlongPane *self)
{
  return gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (self->list)));
}

static void
mark_bar (PhAlongPane *self)
{
  const guint row = selected_row (self);

  ph_error_line_set_selected (self->line, row < self->shown->len ? g_array_index (self->shown, guint, row) : G_MAXUINT);
}

static void
on_row_selected (PhAlongPane *self)
{
  const PhAlongValue *value = value_of_row (self, selected_row (self));
  PhDocument *document = get_document (self);

  mark_bar (self);
  if (self->following || !value || !ph_model_find_value (ph_document_get_model (document), value->value))
    return;
  self->following = TRUE;
  ph_document_show_value (document, value->value);
  self->following = FALSE;
}

static void
select_row (PhAlongPane *self, guint row)
{
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (self->list)), row);
  if (row != GTK_INVALID_LIST_POSITION)
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", row);
}

static void
follow_selection (PhAlongPane *self)
{
  PhDocument *document = get_document (self);
  const PhId node = document ? ph_document_get_selection (document) : PH_NO_ID;
  const PhAlongValue *now = value_of_row (self, selected_row (self));
  guint found = GTK_INVALID_LIST_POSITION;

  if (self->following || !get_along (self) || (now && node != PH_NO_ID && now->node == node))
    return;
  for (guint row = 0; node != PH_NO_ID && row < self->shown->len && found == GTK_INVALID_LIST_POSITION; row++)
    if (value_of_row (self, row)->node == node)
      found = row;
  self->following = TRUE;
  select_row (self, found);
  self->following = FALSE;
}

/* Values that agree have a bar too, but their row may be hidden. */
static void
on_bar_chosen (PhAlongPane *self, guint index)
{
  for (guint row = 0; row < self->shown->len; row++)
    if (g_array_index (self->shown, guint, row) == index)
      {
        select_row (self, row);
        return;
      }
}

/* --- rows ------------------------------------------------------------------------------------------------- */

static guint
fill_rows (PhAlongPane *self, const PhAlong *along)
{
  const gboolean all = !gtk_toggle_button_get_active (self->only_different);
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  guint n_differ = 0;

  g_array_set_size (self->shown, 0);
  for (guint i = 0; i < along->values->len; i++)
    {
      const gboolean differ = differs (&g_array_index (along->values, PhAlongValue, i));
      n_differ += differ;
      if (!all && !differ)
        continue;
      g_array_append_val (self->shown, i);
      g_ptr_array_add (texts, "");
    }
  g_ptr_array_add (texts, NULL);
  self->following = TRUE;
  gtk_string_list_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                          (const char *const *) texts->pdata);
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (self->list)), GTK_INVALID_LIST_POSITION);
  self->following = FALSE;
  return n_differ;
}

/* Scrolls to the first value that differs, the origin of the error. */
static void
scroll_to_first (PhAlongPane *self, const PhAlong *along)
{
  for (guint row = 0; row < self->shown->len && along->first < along->values->len; row++)
    if (g_array_index (self->shown, guint, row) == along->first)
      gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", row);
}

static void
show_table (PhAlongPane *self, const PhAlong *along)
{
  const guint n_differ = fill_rows (self, along);
  g_autofree char *bars = ph_along_line (along, 60);
  g_autofree char *counts = g_strdup_printf (ngettext ("%u of %u value differs", "%u of %u values differ", n_differ), n_differ,
                                             along->values->len);
  g_autofree char *text = along->first < along->values->len ? g_strdup_printf (
                              _ ("%s, first %s"), counts, g_array_index (along->values, PhAlongValue, along->first).name)
                                                            : g_steal_pointer (&counts);

  gtk_label_set_text (self->summary, text);
  ph_error_line_set_along (self->line, along);
  ph_access_set_name (GTK_WIDGET (self->line), "%s: %s", text, bars);
  gtk_stack_set_visible_child_name (self->content, "table");
  scroll_to_first (self, along);
  follow_selection (self);
}

static void
show_message (PhAlongPane *self, const char *text, gboolean can_compare)
{
  gtk_label_set_text (self->message, text);
  gtk_widget_set_visible (GTK_WIDGET (self->compare), can_compare);
  gtk_stack_set_visible_child_name (self->content, "message");
}

/* --- comparing ----------------------------------------------------------------------------------------------------- */

typedef struct
{
  PhSnapshot *snapshot;
  PhPosition from, to;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  ph_snapshot_free (work->snapshot);
  g_free (work);
}

static void
compare_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  PhRunOptions options = { .cancellable = cancellable };
  g_autoptr (PhModel) before = ph_model_clone (ph_snapshot_at (work->snapshot, work->from)), after = NULL;
  GError *error = NULL;

  ph_snapshot_done (work->snapshot);
  after = ph_snapshot_take (work->snapshot, work->to);
  PhAlong *along = ph_along_new (before, after, ph_snapshot_get_feeds (work->snapshot), 1, &options, &error);
  if (along)
    g_task_return_pointer (task, along, (GDestroyNotify) ph_along_free);
  else
    g_task_return_error (task, error);
}

static void
on_compared (GObject *source, GAsyncResult *result, gpointer data)
{
  PhAlongPane *self = PH_ALONG_PANE (source);
  const Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  PhAlong *along = g_task_propagate_pointer (G_TASK (result), &error);

  /* Another comparison has begun, or the document is another. */
  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    {
      g_clear_pointer (&along, ph_along_free);
      return;
    }
  g_clear_object (&self->cancellable);
  if (along)
    ph_document_take_along (get_document (self), along, work->from, work->to);
  else
    show_message (self, error->message, FALSE);
}

static void
start_comparing (PhAlongPane *self)
{
  PhDocument *document = get_document (self);
  const Work work = { ph_snapshot_new (document), ph_document_get_since (document), ph_document_get_position (document) };

  show_message (self, _ ("Comparing the values…"), FALSE);
  self->cancellable = g_cancellable_new ();

  g_autoptr (GTask) task = g_task_new (self, self->cancellable, on_compared, NULL);
  g_task_set_task_data (task, g_memdup2 (&work, sizeof work), work_free);
  g_task_run_in_thread (task, compare_in_thread);
}

/* Updates only while the pane is visible, and only on request if it takes long. */
static void
update (PhAlongPane *self)
{
  PhDocument *document = get_document (self);
  const PhAlong *along = get_along (self);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  if (!document || !ph_document_is_open (document))
    {
      show_message (self, _ ("Open a model to see its values at two positions side by side"), FALSE);
      return;
    }
  if (along)
    {
      show_table (self, along);
      return;
    }
  if (ph_position_compare (ph_document_get_since (document), ph_document_get_position (document)) == 0)
    {
      show_message (self, _ ("Step on, or compare with a file: then each value stands here with how far it is from what it was"),
                    FALSE);
      return;
    }
  g_autofree char *dear = ph_verify_cost (ph_document_get_model (document));
  if (dear)
    show_message (self, dear, TRUE);
  else
    start_comparing (self);
}

static void
on_compare (PhAlongPane *self)
{
  PhDocument *document = get_document (self);
  g_autofree char *from = ph_position_to_string (ph_document_get_since (document)),
                  *to = ph_position_to_string (ph_document_get_position (document));
  g_autofree char *line = g_strdup_printf ("along %s %s", from, to);

  ph_console_run_async (self->console, line, NULL, NULL);
}

void
ph_along_pane_set_console (PhAlongPane *self, PhConsole *console)
{
  static const char *const signals[] = { "opened",        "history-changed", "position-changed",
                                         "since-changed", "feeds-changed",   "along-changed" };

  g_return_if_fail (PH_IS_ALONG_PANE (self));

  if (self->console)
    g_signal_handlers_disconnect_by_data (get_document (self), self);
  g_set_object (&self->console, console);
  for (guint i = 0; console && i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_swapped (get_document (self), signals[i], G_CALLBACK (update), self);
  if (console)
    g_signal_connect_swapped (get_document (self), "notify::selection", G_CALLBACK (follow_selection), self);
  update (self);
}

/* --- the widget ---------------------------------------------------------------------------------------------------- */

static void
ph_along_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ph_along_pane_parent_class)->map (widget);
  update (PH_ALONG_PANE (widget));
}

static void
ph_along_pane_unmap (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ph_along_pane_parent_class)->unmap (widget);
  update (PH_ALONG_PANE (widget));
}

static void
ph_along_pane_dispose (GObject *object)
{
  PhAlongPane *self = PH_ALONG_PANE (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->console)
    g_signal_handlers_disconnect_by_data (get_document (self), self);
  g_clear_object (&self->console);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_ALONG_PANE);
  g_clear_object (&self->rows);
  g_clear_pointer (&self->shown, g_array_unref);
  G_OBJECT_CLASS (ph_along_pane_parent_class)->dispose (object);
}

static void
ph_along_pane_class_init (PhAlongPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (PH_TYPE_ERROR_LINE);
  G_OBJECT_CLASS (klass)->dispose = ph_along_pane_dispose;
  widget_class->map = ph_along_pane_map;
  widget_class->unmap = ph_along_pane_unmap;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/along-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, message);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, compare);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, summary);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, only_different);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, header);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, line);
  gtk_widget_class_bind_template_child (widget_class, PhAlongPane, list);
  gtk_widget_class_bind_template_callback (widget_class, on_compare);
  gtk_widget_class_bind_template_callback (widget_class, on_bar_chosen);
  gtk_widget_class_bind_template_callback (widget_class, update);
}

static void
ph_along_pane_init (PhAlongPane *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  GtkSingleSelection *selection;

  self->rows = gtk_string_list_new (NULL);
  self->shown = g_array_new (FALSE, FALSE, sizeof (guint));
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkWidget *title = cell_new (i);
      gtk_label_set_text (GTK_LABEL (title), _ (columns[i].title));
      gtk_widget_remove_css_class (title, "monospace");
      gtk_widget_add_css_class (title, "caption-heading");
      gtk_widget_add_css_class (title, "dim-label");
      gtk_box_append (self->header, title);
    }
  selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->rows)));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, G_CONNECT_SWAPPED);
  gtk_list_view_set_factory (self->list, factory);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
  g_signal_connect_object (selection, "notify::selected", G_CALLBACK (on_row_selected), self, G_CONNECT_SWAPPED);
  g_object_unref (selection);
  ph_access_set_name (GTK_WIDGET (self->line), "%s", _ ("Error of Each Value"));
  ph_list_lies_still (self->list);
  ph_access_tab_leaves (GTK_WIDGET (self->list));
}
