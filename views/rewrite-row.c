/* rewrite-row.c: one row of the list of rewrites: a breakpoint on its rule, its number, its rule, and the place of the match.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/rewrite-row.h"

#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/rewrite-effect.h"
#include "views/tooltip.h"

struct _PhRewriteRow
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkToggleButton *breakpoint;
  GtkLabel *number, *rule, *node;
  PhConsole *console;  /* (nullable) */
  PhRewriteItem *item; /* (nullable) */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (PhRewriteRow, ph_rewrite_row, GTK_TYPE_WIDGET)

static char *
tooltip_of (PhDocument *document, PhRewriteItem *item)
{
  const PhRule *rule = ph_rewrite_item_get_rule (item);
  g_autofree char *text = rule ? ph_rule_to_string (rule) : NULL;
  g_autofree char *effect = ph_rewrite_effect (document, item->step, item->number, 6);

  return g_strdup_printf ("%s%s%s%s%s", item->why, text ? "\n" : "", text ? text : "", *effect ? "\n\n" : "", effect);
}

static gboolean
on_tooltip (PhRewriteRow *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  if (!self->item || !self->console)
    return FALSE;
  g_autofree char *text = tooltip_of (ph_console_get_document (self->console), self->item);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* A rule may have its breakpoint in one pass or in all. */
static gboolean
has_break (PhRewriteRow *self)
{
  GPtrArray *breaks = ph_document_get_breaks (ph_console_get_document (self->console));
  g_autofree char *full = g_strdup_printf ("%s/%s", self->item->pass, self->item->rule);

  return g_ptr_array_find_with_equal_func (breaks, full, g_str_equal, NULL)
         || g_ptr_array_find_with_equal_func (breaks, self->item->rule, g_str_equal, NULL);
}

static void
update (PhRewriteRow *self)
{
  if (!self->item || !self->console)
    return;
  g_autofree char *number = g_strdup_printf ("%u", self->item->number);
  /* The id rather than the name, which is only known while the node exists: a row must read the same at every position. */
  g_autofree char *where = self->item->node ? g_strdup_printf ("n%u", self->item->node) : NULL;

  self->updating = TRUE;
  gtk_label_set_text (self->number, number);
  gtk_label_set_text (self->rule, self->item->rule);
  gtk_label_set_text (self->node, where ? where : "");
  gtk_toggle_button_set_active (self->breakpoint, has_break (self));
  ph_access_set_name (GTK_WIDGET (self->breakpoint), _ ("Breakpoint on %s"), self->item->rule);
  ph_access_name_row (GTK_WIDGET (self));
  self->updating = FALSE;
}

static void
on_breakpoint_toggled (PhRewriteRow *self)
{
  if (self->updating || !self->item)
    return;
  GPtrArray *breaks = ph_document_get_breaks (ph_console_get_document (self->console));
  gboolean general = g_ptr_array_find_with_equal_func (breaks, self->item->rule, g_str_equal, NULL);
  g_autofree char *line = general ? g_strdup_printf ("breakpoint %s", self->item->rule)
                                  : g_strdup_printf ("breakpoint %s/%s", self->item->pass, self->item->rule);
  ph_console_run_async (self->console, line, NULL, NULL);
}

void
ph_rewrite_row_bind (PhRewriteRow *self, PhConsole *console, PhRewriteItem *item)
{
  g_return_if_fail (PH_IS_REWRITE_ROW (self));

  if (self->item)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_set_object (&self->item, item);
  g_set_object (&self->console, console);
  if (item)
    g_signal_connect_swapped (item, "changed", G_CALLBACK (update), self);
  update (self);
}

PhRewriteItem *
ph_rewrite_row_get_item (PhRewriteRow *self)
{
  return self->item;
}

static void
ph_rewrite_row_dispose (GObject *object)
{
  PhRewriteRow *self = PH_REWRITE_ROW (object);

  if (self->item)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_clear_object (&self->item);
  g_clear_object (&self->console);
  gtk_widget_dispose_template (GTK_WIDGET (object), PH_TYPE_REWRITE_ROW);
  G_OBJECT_CLASS (ph_rewrite_row_parent_class)->dispose (object);
}

static void
ph_rewrite_row_class_init (PhRewriteRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_rewrite_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/rewrite-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, content);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, breakpoint);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, number);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, rule);
  gtk_widget_class_bind_template_child (widget_class, PhRewriteRow, node);
  gtk_widget_class_bind_template_callback (widget_class, on_breakpoint_toggled);
}

static void
ph_rewrite_row_init (PhRewriteRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_tooltip_set (GTK_WIDGET (self->breakpoint), _ ("Stop before this rule"));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
}

GtkWidget *
ph_rewrite_row_new (void)
{
  return g_object_new (PH_TYPE_REWRITE_ROW, NULL);
}
