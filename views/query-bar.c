/* query-bar.c: an entry for a query whose result colours the nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/query-bar.h"

#include <glib/gi18n.h>

struct _PhQueryBar
{
  GtkWidget parent_instance;
  GtkSearchBar *bar;
  GtkEntry *entry;
  GtkLabel *message;
  PhConsole *console; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PhQueryBar, ph_query_bar, GTK_TYPE_WIDGET)

static void
say (PhQueryBar *self, const char *problem)
{
  gtk_label_set_text (self->message, problem ? problem : "");
  gtk_widget_set_visible (GTK_WIDGET (self->message), problem != NULL);
  if (problem)
    gtk_widget_add_css_class (GTK_WIDGET (self->entry), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->entry), "error");
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhQueryBar) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (source), result, &error);

  if (self->bar)
    say (self, reply && reply->error ? reply->error->message : error ? error->message : NULL);
}

static void
on_activate (PhQueryBar *self)
{
  g_autofree char *quoted = g_shell_quote (gtk_editable_get_text (GTK_EDITABLE (self->entry)));
  g_autofree char *line = g_strconcat ("view color query ", quoted, NULL);

  if (self->console && *gtk_editable_get_text (GTK_EDITABLE (self->entry)))
    ph_console_run_async (self->console, line, on_answer, g_object_ref (self));
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhQueryBar *self)
{
  if (key != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  gtk_search_bar_set_search_mode (self->bar, FALSE);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-graph", NULL);
  return GDK_EVENT_STOP;
}

void
ph_query_bar_open (PhQueryBar *self)
{
  g_return_if_fail (PH_IS_QUERY_BAR (self));
  gtk_search_bar_set_search_mode (self->bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

void
ph_query_bar_set_console (PhQueryBar *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_QUERY_BAR (self));
  g_set_object (&self->console, console);
}

static void
ph_query_bar_dispose (GObject *object)
{
  g_clear_object (&PH_QUERY_BAR (object)->console);
  gtk_widget_dispose_template (GTK_WIDGET (object), PH_TYPE_QUERY_BAR);
  G_OBJECT_CLASS (ph_query_bar_parent_class)->dispose (object);
}

static void
ph_query_bar_class_init (PhQueryBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_query_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/query-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PhQueryBar, bar);
  gtk_widget_class_bind_template_child (widget_class, PhQueryBar, entry);
  gtk_widget_class_bind_template_child (widget_class, PhQueryBar, message);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
}

static void
ph_query_bar_init (PhQueryBar *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->entry), keys);
}
