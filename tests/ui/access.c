/* access.c: the graph as a screen reader walks it: over the bus of assistive technologies, along the edges.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/driver.h"
#include "views/graph-canvas.h"

#define ACCESSIBLE "org.a11y.atspi.Accessible"
#define FLOWS_TO 10              /* ATSPI_RELATION_FLOWS_TO */
#define FOCUSED  12              /* ATSPI_STATE_FOCUSED */

typedef struct { char *bus, *path; } Object;

static GDBusConnection *access_bus;

static void
object_free (Object *object)
{
  g_free (object->bus);
  g_free (object->path);
  g_free (object);
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  *(GVariant **) data = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (error)
    g_error ("%s", error->message);
}

static gboolean
has_reply (gpointer data)
{
  return *(GVariant **) data != NULL;
}

/* The window answers in this very loop. */
static GVariant *
call (const Object *object, const char *interface, const char *method, GVariant *arguments)
{
  GVariant *reply = NULL;

  g_dbus_connection_call (access_bus, object->bus, object->path, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, 10000,
                          NULL, on_reply, &reply);
  driver_wait (has_reply, &reply, 15, method);
  return reply;
}

static char *
name_of (const Object *object)
{
  g_autoptr (GVariant) reply = call (object, "org.freedesktop.DBus.Properties", "Get", g_variant_new ("(ss)", ACCESSIBLE, "Name"));
  g_autoptr (GVariant) value = NULL;

  g_variant_get (reply, "(v)", &value);
  return g_variant_dup_string (value, NULL);
}

static gboolean
has_state (const Object *object, guint state)
{
  g_autoptr (GVariant) reply = call (object, ACCESSIBLE, "GetState", NULL);
  g_autoptr (GVariant) words = g_variant_get_child_value (reply, 0);
  guint32 word;

  g_variant_get_child (words, state / 32, "u", &word);
  return (word >> state % 32 & 1) != 0;
}

static GPtrArray *
objects_of (GVariant *list)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func ((GDestroyNotify) object_free);
  GVariantIter iter;
  char *bus, *path;

  g_variant_iter_init (&iter, list);
  while (g_variant_iter_next (&iter, "(so)", &bus, &path))
    {
      Object *object = g_new (Object, 1);
      *object = (Object) { bus, path };
      g_ptr_array_add (objects, object);
    }
  return objects;
}

static GPtrArray *
children_of (const Object *object)
{
  g_autoptr (GVariant) reply = call (object, ACCESSIBLE, "GetChildren", NULL);
  g_autoptr (GVariant) list = g_variant_get_child_value (reply, 0);

  return objects_of (list);
}

static GPtrArray *
flows_to (const Object *object)
{
  g_autoptr (GVariant) reply = call (object, ACCESSIBLE, "GetRelationSet", NULL);
  g_autoptr (GVariant) sets = g_variant_get_child_value (reply, 0);

  for (gsize i = 0; i < g_variant_n_children (sets); i++)
    {
      g_autoptr (GVariant) list = NULL;
      guint32 relation;

      g_variant_get_child (sets, i, "(u@a(so))", &relation, &list);
      if (relation == FLOWS_TO)
        return objects_of (list);
    }
  return g_ptr_array_new ();
}

/* The first object with @name below @root, depth first, which a screen reader would find the same way. */
static Object *
find (const Object *root, const char *name, int depth)
{
  g_autofree char *mine = name_of (root);

  if (g_str_equal (mine, name))
    {
      Object *found = g_new (Object, 1);
      *found = (Object) { g_strdup (root->bus), g_strdup (root->path) };
      return found;
    }
  if (depth == 0)
    return NULL;
  g_autoptr (GPtrArray) children = children_of (root);
  for (guint i = 0; i < children->len; i++)
    {
      Object *found = find (children->pdata[i], name, depth - 1);
      if (found)
        return found;
    }
  return NULL;
}

static Object *
find_graph (void)
{
  Object root = { (char *) "org.a11y.atspi.Registry", (char *) "/org/a11y/atspi/accessible/root" };
  Object *graph = find (&root, "Graph", 40);

  g_assert_nonnull (graph);
  return graph;
}

/* The child of @graph whose name begins with that of the selected node. (transfer full) */
static Object *
find_selected (const Object *graph, char **name)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhId id = ph_document_get_selection (driver_document ());
  PhNode *node = ph_model_find_node (model, id);
  g_autoptr (GPtrArray) children = children_of (graph);
  g_autofree char *start = !node ? g_strdup_printf ("Input %s, ", ph_model_find_value (model, id)->name)
                           : *node->name ? g_strdup_printf ("%s %s, ", node->op_type, node->name)
                                         : g_strdup_printf ("%s, ", node->op_type);

  for (guint i = 0; i < children->len; i++)
    {
      g_autofree char *text = name_of (children->pdata[i]);
      if (g_str_has_prefix (text, start) && has_state (children->pdata[i], 23 /* ATSPI_STATE_SELECTED */))
        {
          *name = g_steal_pointer (&text);
          return g_ptr_array_steal_index (children, i);
        }
    }
  g_error ("no child of the graph is called %s", start);
}

static void
test_walk (void)
{
  g_autofree char *path = driver_example ("attention");
  Object *graph;
  guint n_followed = 0;

  driver_open (path);
  gtk_widget_grab_focus (GTK_WIDGET (ph_document_view_get_canvas (ph_window_get_view (driver_window ()))));
  graph = find_graph ();
  driver_key ("Down");
  for (int step = 0; step < 6; step++)
    {
      g_autofree char *name = NULL;
      Object *selected = find_selected (graph, &name);
      g_autoptr (GPtrArray) targets = flows_to (selected);
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      gboolean found = FALSE;

      g_test_message ("%s, to %u others", name, targets->len);
      g_assert_nonnull (strstr (name, "float"));
      g_assert_true (g_str_has_prefix (name, "Input ") || strstr (name, " of 26, output "));
      g_assert_true (has_state (selected, FOCUSED));
      for (guint i = 0; i < targets->len; i++)
        g_ptr_array_add (names, name_of (targets->pdata[i]));
      object_free (selected);
      if (targets->len == 0)
        break;
      driver_key ("Down");
      g_autofree char *now = NULL;
      object_free (find_selected (graph, &now));
      /* Where the arrow went is one of those that the relation named. */
      for (guint i = 0; i < names->len; i++)
        found |= g_str_equal (names->pdata[i], now);
      g_assert_true (found);
      n_followed++;
    }
  g_assert_cmpuint (n_followed, >=, 3);
  object_free (graph);
}

/* FALSE: there is no such bus here. */
static gboolean
open_access_bus (void)
{
  g_autoptr (GDBusConnection) session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GVariant) reply = NULL;
  const char *address;

  if (session)
    reply = g_dbus_connection_call_sync (session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", NULL, NULL,
                                         G_DBUS_CALL_FLAGS_NONE, 10000, NULL, NULL);
  if (!reply)
    return FALSE;
  g_variant_get (reply, "(&s)", &address);
  access_bus = g_dbus_connection_new_for_address_sync (address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                       | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, NULL);
  return access_bus != NULL;
}

int
main (int argc, char *argv[])
{
  g_setenv ("GTK_A11Y", "atspi", TRUE);
  if (!open_access_bus ())
    {
      g_print ("1..0 # SKIP no bus for assistive technologies: run this below dbus-run-session, with at-spi2-core installed\n");
      return 0;
    }
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/access/walk", test_walk);
  int status = driver_main ();
  g_object_unref (access_bus);
  return status;
}
