/* problems-pane.c: problems of the open model. Clicking one that quotes a node's name selects the node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/problems-pane.h"

#include "views/access-names.h"
#include "views/list-drag.h"

struct _PhProblemsPane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkListView *list;
  GtkStringList *strings;
  PhDocument *document; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PhProblemsPane, ph_problems_pane, GTK_TYPE_WIDGET)

static void
update (PhProblemsPane *self)
{
  GPtrArray *problems = self->document ? ph_document_get_problems (self->document) : NULL;
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();

  for (guint i = 0; problems && i < problems->len; i++)
    g_ptr_array_add (lines, problems->pdata[i]);
  g_ptr_array_add (lines, NULL);
  gtk_string_list_splice (self->strings, 0, g_list_model_get_n_items (G_LIST_MODEL (self->strings)),
                          (const char *const *) lines->pdata);
  gtk_stack_set_visible_child_name (self->content, lines->len > 1 ? "list" : "empty");
}

static void
on_activate (PhProblemsPane *self, guint position)
{
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;
  g_autoptr (GtkStringObject) item = g_list_model_get_item (G_LIST_MODEL (self->strings), position);
  g_auto (GStrv) parts = g_strsplit (gtk_string_object_get_string (item), "'", -1);

  for (guint i = 1; model && parts[i]; i += 2)
    {
      PhNode *node = ph_model_find_node_named (model, parts[i]);
      if (node)
        {
          ph_document_set_selection (self->document, node->id);
          return;
        }
    }
}

void
ph_problems_pane_set_console (PhProblemsPane *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_PROBLEMS_PANE (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, (console ? ph_console_get_document (console) : NULL));
  if (self->document)
    {
      g_signal_connect_swapped (self->document, "problems-changed", G_CALLBACK (update), self);
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (update), self);
    }
  update (self);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), gtk_string_object_get_string (gtk_list_item_get_item (item)));
  ph_access_name_row (gtk_list_item_get_child (item));
}

static void
ph_problems_pane_dispose (GObject *object)
{
  PhProblemsPane *self = PH_PROBLEMS_PANE (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_PROBLEMS_PANE);
  g_clear_object (&self->strings);
  G_OBJECT_CLASS (ph_problems_pane_parent_class)->dispose (object);
}

static void
ph_problems_pane_class_init (PhProblemsPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_problems_pane_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/problems-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhProblemsPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhProblemsPane, list);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
}

static void
ph_problems_pane_init (PhProblemsPane *self)
{
  self->strings = gtk_string_list_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));

  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  gtk_list_view_set_factory (self->list, factory);
  ph_list_lies_still (self->list);
  ph_access_tab_leaves (GTK_WIDGET (self->list));
  GtkSelectionModel *selection = GTK_SELECTION_MODEL (gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->strings))));
  gtk_list_view_set_model (self->list, selection);
  g_object_unref (selection);
}
