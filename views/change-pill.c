/* change-pill.c: scrolls to the changes of a step if none is visible, or shows a button that does.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/change-pill.h"

#include <glib/gi18n.h>

#include "views/after-frame.h"

struct _PhChangePill
{
  GtkWidget parent_instance;
  PhGraphCanvas *canvas; /* owned */
  GtkButton *button;
  GtkRevealer *revealer; /* fades */
  PhPause pause;
};

G_DEFINE_FINAL_TYPE (PhChangePill, ph_change_pill, GTK_TYPE_WIDGET)

static char *
text_of (guint n, GtkDirectionType where)
{
  switch (where)
    {
    case GTK_DIR_UP: return g_strdup_printf (ngettext ("%u change above ↑", "%u changes above ↑", n), n);
    case GTK_DIR_LEFT: return g_strdup_printf (ngettext ("← %u change on the left", "← %u changes on the left", n), n);
    case GTK_DIR_RIGHT: return g_strdup_printf (ngettext ("%u change on the right →", "%u changes on the right →", n), n);
    default: return g_strdup_printf (ngettext ("%u change below ↓", "%u changes below ↓", n), n);
    }
}

static gboolean
is_followed (PhChangePill *self)
{
  PhDocument *document = ph_graph_canvas_get_document (self->canvas);

  return document != NULL && ph_view_state_is_on (ph_document_get_view (document), PH_VIEW_FOLLOW);
}

static gboolean
update (gpointer data)
{
  PhChangePill *self = data;
  GtkDirectionType where = GTK_DIR_DOWN;
  const guint n = is_followed (self) && ph_graph_canvas_follow (self->canvas)
                      ? 0
                      : ph_graph_canvas_find_unseen (self->canvas, &where);
  g_autofree char *text = n > 0 ? text_of (n, where) : NULL;

  if (n > 0)
    {
      gtk_button_set_label (self->button, text);
      gtk_widget_set_halign (GTK_WIDGET (self), where == GTK_DIR_LEFT    ? GTK_ALIGN_START
                                                : where == GTK_DIR_RIGHT ? GTK_ALIGN_END
                                                                         : GTK_ALIGN_CENTER);
      gtk_widget_set_valign (GTK_WIDGET (self), where == GTK_DIR_UP     ? GTK_ALIGN_START
                                                : where == GTK_DIR_DOWN ? GTK_ALIGN_END
                                                                        : GTK_ALIGN_CENTER);
    }
  gtk_widget_set_can_target (GTK_WIDGET (self), n > 0);
  gtk_revealer_set_reveal_child (self->revealer, n > 0);
  return G_SOURCE_REMOVE;
}

/* Waits while the picture moves, since the place would change. */
static void
queue_update (PhChangePill *self)
{
  ph_in_pause (GTK_WIDGET (self), &self->pause, update);
}

/* Moves the focus to the picture. */
static void
on_clicked (PhChangePill *self)
{
  ph_graph_canvas_show_unseen (self->canvas);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static void
ph_change_pill_dispose (GObject *object)
{
  PhChangePill *self = PH_CHANGE_PILL (object);

  ph_in_pause_cancel (&self->pause);
  if (self->canvas != NULL)
    g_signal_handlers_disconnect_by_data (self->canvas, self);
  g_clear_object (&self->canvas);
  g_clear_pointer ((GtkWidget **) &self->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (ph_change_pill_parent_class)->dispose (object);
}

static void
ph_change_pill_class_init (PhChangePillClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ph_change_pill_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_css_name (widget_class, "changepill");
}

static void
ph_change_pill_init (PhChangePill *self)
{
  GtkWidget *button = gtk_button_new (), *revealer = gtk_revealer_new ();

  self->button = GTK_BUTTON (button);
  self->revealer = GTK_REVEALER (revealer);
  gtk_widget_add_css_class (button, "pill");
  gtk_widget_add_css_class (button, "osd");
  gtk_widget_set_tooltip_text (button, _ ("Go there (F8 selects one change after another)"));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_clicked), self);
  gtk_revealer_set_transition_type (self->revealer, GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
  gtk_revealer_set_child (self->revealer, button);
  gtk_widget_set_parent (revealer, GTK_WIDGET (self));
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

GtkWidget *
ph_change_pill_new (PhGraphCanvas *canvas)
{
  PhChangePill *self = g_object_new (PH_TYPE_CHANGE_PILL, NULL);

  self->canvas = g_object_ref (canvas);
  g_signal_connect_swapped (canvas, "view-changed", G_CALLBACK (queue_update), self);
  g_signal_connect_swapped (canvas, "look-changed", G_CALLBACK (queue_update), self);
  return GTK_WIDGET (self);
}
