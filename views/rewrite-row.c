/* rewrite-row.c: one row of the list of rewrites: its number, its rule, where it matched; the sentence as a tooltip.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/rewrite-row.h"

struct _PhRewriteRow
{
  GtkWidget  parent_instance;
  GtkWidget *content;
  GtkLabel  *number, *rule, *node;
};

G_DEFINE_FINAL_TYPE (PhRewriteRow, ph_rewrite_row, GTK_TYPE_WIDGET)

void
ph_rewrite_row_bind (PhRewriteRow *self, PhDocument *document, PhRewriteItem *item)
{
  g_autofree char *number = g_strdup_printf ("%u", item->number);
  PhModel *model = document ? ph_document_get_model (document) : NULL;
  PhNode *node = model && item->node ? ph_model_find_node (model, item->node) : NULL;
  g_autofree char *where = !item->node ? NULL
                           : node && *node->name ? g_strdup (node->name) : g_strdup_printf ("n%u", item->node);

  g_return_if_fail (PH_IS_REWRITE_ROW (self));
  gtk_label_set_text (self->number, number);
  gtk_label_set_text (self->rule, item->rule);
  gtk_label_set_text (self->node, where ? where : "");
  gtk_widget_set_tooltip_text (self->content, item->why);
}

static void
ph_rewrite_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PH_TYPE_REWRITE_ROW);
  G_OBJECT_CLASS (ph_rewrite_row_parent_class)->dispose (object);
}

static void
ph_rewrite_row_class_init (PhRewriteRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_rewrite_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/rewrite-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, content);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, number);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, rule);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, node);
}

static void
ph_rewrite_row_init (PhRewriteRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
ph_rewrite_row_new (void)
{
  return g_object_new (PH_TYPE_REWRITE_ROW, NULL);
}
