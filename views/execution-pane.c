/* execution-pane.c: the numbered list of nodes in the order of the run, with their results as they arrive.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/execution-pane.h"

#include <glib/gi18n.h>

#include "core/document/adjoint.h"
#include "views/access-names.h"
#include "views/list-drag.h"

#define INDENT 14 /* points, of the nodes in a body */

struct _PhExecutionPane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkListView *list;
  GtkStringList *rows; /* one for each event; their texts are computed when a row becomes visible */
  GHashTable *bound;   /* set of GtkListItem: rows that are on the screen */
  PhConsole *console;  /* (nullable) */
  PhExecution *shown;  /* (nullable) the document's execution that the rows show */
  gboolean following;  /* the selected row follows the run */
};

G_DEFINE_FINAL_TYPE (PhExecutionPane, ph_execution_pane, GTK_TYPE_WIDGET)

static PhExecution *
get_execution (PhExecutionPane *self, guint *at)
{
  *at = 0;
  return self->console ? ph_document_get_execution (ph_console_get_document (self->console), at) : NULL;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

/* Returns "v3 = Sin (x2)", as in the text of the graph. (transfer full) */
static char *
describe (PhModel *model, const PhExecutionEvent *event)
{
  const PhNode *node = model ? ph_model_find_node (model, event->node) : NULL;
  GString *text = g_string_new (NULL);

  if (node && node->outputs->len > 0 && *((PhValue *) node->outputs->pdata[0])->name)
    g_string_append_printf (text, "%s = ", ((PhValue *) node->outputs->pdata[0])->name);
  g_string_append (text, event->op_type);
  for (guint i = 0; node && i < node->inputs->len; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? " (" : ", ",
                            node->inputs->pdata[i] ? ((PhValue *) node->inputs->pdata[i])->name : "");
  if (node && node->inputs->len > 0)
    g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static void
fill_row (PhExecutionPane *self, GtkListItem *item)
{
  guint at;
  PhExecution *execution = get_execution (self, &at);
  const guint row = gtk_list_item_get_position (item);

  if (!execution || row >= execution->events->len)
    return;
  const PhExecutionEvent *event = execution->events->pdata[row];
  GtkWidget *box = gtk_list_item_get_child (item), *number = gtk_widget_get_first_child (box),
            *text = gtk_widget_get_next_sibling (number), *result = gtk_widget_get_next_sibling (text),
            *turn = gtk_widget_get_last_child (box);
  const gboolean done = row < at;
  const guint turn_number = ph_execution_turn (execution, row, ph_document_get_model (ph_console_get_document (self->console)));
  const PhTensor *tensor = done && event->n_outputs > 0 ? event->tensors[0] : NULL;
  g_autofree char *digits = g_strdup_printf ("%u", row + 1);
  g_autofree char *value = tensor ? ph_adjoint_text (event->tensors[0], ph_type_of_tensor (event->tensors[0])) : NULL;
  g_autofree char *line = describe (ph_document_get_model (ph_console_get_document (self->console)), event);
  g_autofree char *equals = value ? g_strconcat ("= ", value, NULL) : g_strdup ("");
  g_autofree char *turns = turn_number > 0 ? g_strdup_printf (_ ("turn %u"), turn_number) : g_strdup ("");

  gtk_label_set_text (GTK_LABEL (number), digits);
  gtk_label_set_text (GTK_LABEL (text), line);
  gtk_label_set_text (GTK_LABEL (result), equals);
  gtk_label_set_text (GTK_LABEL (turn), turns);
  gtk_widget_set_margin_start (text, INDENT * (int) MIN (event->depth, 8));
  if (done)
    gtk_widget_remove_css_class (text, "dim-label");
  else
    gtk_widget_add_css_class (text, "dim-label");
  ph_access_name_row (box);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *number = gtk_label_new (NULL), *text = gtk_label_new (NULL),
            *result = gtk_label_new (NULL), *turn = gtk_label_new (NULL);

  gtk_label_set_width_chars (GTK_LABEL (number), 3);
  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_widget_add_css_class (number, "dim-label");
  gtk_widget_add_css_class (number, "numeric");
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_add_css_class (text, "monospace");
  gtk_label_set_ellipsize (GTK_LABEL (result), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (result), 24);
  gtk_label_set_width_chars (GTK_LABEL (result), 9);
  gtk_label_set_xalign (GTK_LABEL (result), 0);
  gtk_widget_add_css_class (result, "monospace");
  gtk_widget_add_css_class (turn, "dim-label");
  gtk_widget_add_css_class (turn, "caption");
  gtk_box_append (GTK_BOX (box), number);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), result);
  gtk_box_append (GTK_BOX (box), turn);
  gtk_list_item_set_child (item, box);
}

static void
on_bind (PhExecutionPane *self, GtkListItem *item)
{
  g_hash_table_add (self->bound, item);
  fill_row (self, item);
}

static void
on_unbind (PhExecutionPane *self, GtkListItem *item)
{
  g_hash_table_remove (self->bound, item);
}

/* Goes to the point at which this row has just run. */
static void
on_row_selected (PhExecutionPane *self, GParamSpec *pspec, GtkSingleSelection *selection)
{
  const guint row = gtk_single_selection_get_selected (selection);
  guint at;

  if (self->following || row == GTK_INVALID_LIST_POSITION || !get_execution (self, &at) || row + 1 == at)
    return;
  g_autofree char *line = row + 1 > at ? g_strdup_printf ("exec next %u", row + 1 - at)
                                       : g_strdup_printf ("exec back %u", at - row - 1);
  ph_console_run_async (self->console, line, NULL, NULL);
}

/* --- the run ------------------------------------------------------------------------------------------------------- */

static void
update (PhExecutionPane *self)
{
  GtkSingleSelection *selection = GTK_SINGLE_SELECTION (gtk_list_view_get_model (self->list));
  const guint n_before = g_list_model_get_n_items (G_LIST_MODEL (self->rows));
  guint at;
  PhExecution *execution = get_execution (self, &at);
  GHashTableIter iter;
  gpointer item;

  self->following = TRUE;
  if (execution != self->shown || (execution && execution->events->len != n_before))
    {
      const guint n = execution ? execution->events->len : 0;
      g_autofree const char **texts = g_new0 (const char *, n + 1);

      for (guint i = 0; i < n; i++)
        texts[i] = "";
      self->shown = execution;
      gtk_string_list_splice (self->rows, 0, n_before, texts);
    }
  gtk_stack_set_visible_child_name (self->content, execution ? "list" : "message");
  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    fill_row (self, item);
  gtk_single_selection_set_selected (selection, execution && at > 0 ? at - 1 : GTK_INVALID_LIST_POSITION);
  if (execution && at > 0)
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", at - 1);
  self->following = FALSE;
}

static void
on_start (PhExecutionPane *self)
{
  if (self->console && ph_document_is_open (ph_console_get_document (self->console)))
    ph_console_run_async (self->console, "exec start", NULL, NULL);
}

void
ph_execution_pane_set_console (PhExecutionPane *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_EXECUTION_PANE (self));

  if (self->console)
    g_signal_handlers_disconnect_by_data (ph_console_get_document (self->console), self);
  g_set_object (&self->console, console);
  if (console)
    g_signal_connect_swapped (ph_console_get_document (console), "execution-changed", G_CALLBACK (update), self);
  update (self);
}

static GtkWidget *
message_new (PhExecutionPane *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8),
            *label = gtk_label_new (_ ("The nodes in the order in which they run, with what each makes")),
            *button = gtk_button_new_with_mnemonic (_ ("_Run Node by Node"));

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_margin_start (box, 12);
  gtk_widget_set_margin_end (box, 12);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), button);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_start), self);
  return box;
}

static void
ph_execution_pane_dispose (GObject *object)
{
  PhExecutionPane *self = PH_EXECUTION_PANE (object);

  if (self->console)
    g_signal_handlers_disconnect_by_data (ph_console_get_document (self->console), self);
  g_clear_object (&self->console);
  g_clear_pointer ((GtkWidget **) &self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (ph_execution_pane_parent_class)->dispose (object);
}

static void
ph_execution_pane_finalize (GObject *object)
{
  PhExecutionPane *self = PH_EXECUTION_PANE (object);

  g_object_unref (self->rows);
  g_hash_table_unref (self->bound);
  G_OBJECT_CLASS (ph_execution_pane_parent_class)->finalize (object);
}

static void
ph_execution_pane_class_init (PhExecutionPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_execution_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = ph_execution_pane_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
ph_execution_pane_init (PhExecutionPane *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *heading = gtk_label_new (_ ("Execution")),
            *scroller = gtk_scrolled_window_new ();
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkSingleSelection *selection;

  self->bound = g_hash_table_new (NULL, NULL);
  self->rows = gtk_string_list_new (NULL);
  selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->rows)));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, G_CONNECT_SWAPPED);
  self->list = GTK_LIST_VIEW (gtk_list_view_new (GTK_SELECTION_MODEL (selection), factory));
  g_signal_connect_object (selection, "notify::selected", G_CALLBACK (on_row_selected), self, G_CONNECT_SWAPPED);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "trace");
  ph_list_lies_still (self->list);
  ph_access_tab_leaves (GTK_WIDGET (self->list));
  ph_access_set_name (GTK_WIDGET (self->list), "%s", _ ("Execution"));
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_widget_set_margin_start (heading, 12);
  gtk_widget_set_margin_top (heading, 6);
  gtk_widget_add_css_class (heading, "caption-heading");
  gtk_widget_add_css_class (heading, "dim-label");
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_box_append (GTK_BOX (box), heading);
  gtk_box_append (GTK_BOX (box), scroller);
  self->content = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->content, message_new (self), "message");
  gtk_stack_add_named (self->content, box, "list");
  gtk_widget_set_parent (GTK_WIDGET (self->content), GTK_WIDGET (self));
}
