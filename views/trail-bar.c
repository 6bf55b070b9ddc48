/* trail-bar.c: the path into the shown subgraph, as buttons that lead out again; hidden for the whole model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/trail-bar.h"

#include <glib/gi18n.h>

struct _PhTrailBar
{
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkBox *parts;
  PhDocument *document; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PhTrailBar, ph_trail_bar, GTK_TYPE_WIDGET)

static guint leave_signal;

static void
on_clicked (PhTrailBar *self, GtkButton *button)
{
  g_signal_emit (self, leave_signal, 0, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "levels")));
}

/* @levels: the distance to the shown graph, outwards; 0: the shown one. */
static void
add_part (PhTrailBar *self, const char *text, guint levels)
{
  GtkWidget *button = levels > 0 ? gtk_button_new_with_label (text) : NULL;
  GtkWidget *label = button ? gtk_button_get_child (GTK_BUTTON (button)) : gtk_label_new (text);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  gtk_widget_set_tooltip_text (label, text);
  if (!button)
    {
      gtk_widget_add_css_class (label, "current");
      gtk_box_append (self->parts, label);
      return;
    }
  gtk_widget_add_css_class (button, "flat");
  g_object_set_data (G_OBJECT (button), "levels", GUINT_TO_POINTER (levels));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_clicked), self);
  gtk_box_append (self->parts, button);
  label = gtk_label_new ("/");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_accessible_update_state (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  gtk_box_append (self->parts, label);
}

static void
update (PhTrailBar *self)
{
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;
  guint n = self->document ? ph_document_get_trail (self->document)->len : 0;
  GtkWidget *child;

  if (!self->revealer)
    return;
  gtk_revealer_set_reveal_child (self->revealer, model && n > 0);
  /* The text stays while the bar slides away. */
  if (!model || n == 0)
    return;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->parts))))
    gtk_box_remove (self->parts, child);
  add_part (self, *model->graph->name ? model->graph->name : _ ("Graph"), n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = ph_document_trail_text (self->document, i);
      add_part (self, text, n - 1 - i);
    }
}

static void
on_back (PhTrailBar *self)
{
  g_signal_emit (self, leave_signal, 0, 1);
}

void
ph_trail_bar_set_document (PhTrailBar *self, PhDocument *document)
{
  g_return_if_fail (PH_IS_TRAIL_BAR (self));
  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document)
    {
      g_signal_connect_swapped (document, "opened", G_CALLBACK (update), self);
      g_signal_connect_swapped (document, "inside-changed", G_CALLBACK (update), self);
    }
  update (self);
}

static void
ph_trail_bar_dispose (GObject *object)
{
  PhTrailBar *self = PH_TRAIL_BAR (object);

  ph_trail_bar_set_document (self, NULL);
  g_clear_pointer ((GtkWidget **) &self->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (ph_trail_bar_parent_class)->dispose (object);
}

static void
ph_trail_bar_class_init (PhTrailBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_trail_bar_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
  leave_signal = g_signal_new ("leave", PH_TYPE_TRAIL_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
ph_trail_bar_init (PhTrailBar *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *back = gtk_button_new_from_icon_name ("go-up-symbolic");

  gtk_widget_add_css_class (box, "trail-bar");
  gtk_widget_add_css_class (back, "flat");
  gtk_widget_set_tooltip_text (back, _ ("Go out (Esc)"));
  g_signal_connect_swapped (back, "clicked", G_CALLBACK (on_back), self);
  gtk_box_append (GTK_BOX (box), back);
  self->parts = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Path"), -1);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->parts));
  self->revealer = GTK_REVEALER (gtk_revealer_new ());
  gtk_revealer_set_child (self->revealer, box);
  gtk_widget_set_parent (GTK_WIDGET (self->revealer), GTK_WIDGET (self));
}
