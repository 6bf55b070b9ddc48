/* query-bar.c: asks for a query whose result colours the nodes.
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

static guint measured;

/* The SQL of what was typed: a query as it is, anything else is a value of each row of the table nodes. (transfer full) */
static char *
query_of (const char *typed)
{
  g_autofree char *text = g_strstrip (g_strdup (typed));

  if (g_ascii_strncasecmp (text, "select", 6) == 0 || g_ascii_strncasecmp (text, "with", 4) == 0)
    return g_steal_pointer (&text);
  return g_strdup_printf ("select id, %s from nodes", text);
}

/* "n42" and 42 are both node 42. */
static guint
node_of (JsonNode *cell)
{
  if (!JSON_NODE_HOLDS_VALUE (cell))
    return 0;
  if (json_node_get_value_type (cell) == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (cell);
      return (guint) g_ascii_strtoull (*text == 'n' ? text + 1 : text, NULL, 10);
    }
  return (guint) json_node_get_int (cell);
}

/* From the answer to a query: a node in the first column, a number or a name in the second. */
static PhMeasure *
measure_of (JsonObject *answer, const char *title, GError **error)
{
  JsonArray *columns = json_object_has_member (answer, "columns") ? json_object_get_array_member (answer, "columns") : NULL;
  JsonArray *rows = json_object_has_member (answer, "rows") ? json_object_get_array_member (answer, "rows") : NULL;
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  gboolean is_number = TRUE;

  if (!columns || !rows || json_array_get_length (columns) < 2)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE,
                   _ ("A query for colours has two columns: the node's id, and a number or a name"));
      return NULL;
    }
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);
      JsonNode *cell = json_array_get_element (row, 1);
      gpointer id = GUINT_TO_POINTER (node_of (json_array_get_element (row, 0)));

      if (!id || !JSON_NODE_HOLDS_VALUE (cell))
        continue;
      if (json_node_get_value_type (cell) == G_TYPE_STRING)
        {
          is_number = FALSE;
          g_hash_table_replace (names, id, json_node_dup_string (cell));
          continue;
        }
      double *number = g_new (double, 1);
      *number = json_node_get_double (cell);
      g_hash_table_replace (numbers, id, number);
      g_hash_table_replace (names, id, g_strdup_printf ("%g", *number));
    }
  if (g_hash_table_size (names) == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, _ ("The query found no nodes: its first column must be their id"));
      return NULL;
    }
  return is_number ? ph_measure_new_numbers (PH_COLOR_QUERY, title, "", g_steal_pointer (&numbers))
                   : ph_measure_new_names (PH_COLOR_QUERY, title, g_steal_pointer (&names));
}

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
  g_autoptr (PhMeasure) measure = NULL;

  if (!self->bar)
    return;
  if (reply && reply->ok)
    measure = measure_of (reply->json, gtk_editable_get_text (GTK_EDITABLE (self->entry)), &error);
  say (self, measure ? NULL : reply && reply->error ? reply->error->message : error ? error->message : NULL);
  if (measure)
    g_signal_emit (self, measured, 0, measure);
}

static void
on_activate (PhQueryBar *self)
{
  g_autofree char *line = query_of (gtk_editable_get_text (GTK_EDITABLE (self->entry)));

  if (self->console && *gtk_editable_get_text (GTK_EDITABLE (self->entry)))
    ph_console_run_async (self->console, line, NULL, on_answer, g_object_ref (self));
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
  measured = g_signal_new ("measured", PH_TYPE_QUERY_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
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
