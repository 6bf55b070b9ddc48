/* access-bus.c: what assistive technologies see of the window, over their bus.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/access-bus.h"

const AccessObject access_root = { (char *) "org.a11y.atspi.Registry", (char *) "/org/a11y/atspi/accessible/root" };

static GDBusConnection *access_bus;

void
access_free (AccessObject *object)
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
GVariant *
access_call (const AccessObject *object, const char *interface, const char *method, GVariant *arguments)
{
  GVariant *reply = NULL;

  g_dbus_connection_call (access_bus, object->bus, object->path, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE,
                          10000, NULL, on_reply, &reply);
  driver_wait (has_reply, &reply, 15, method);
  return reply;
}

char *
access_name (const AccessObject *object)
{
  g_autoptr (GVariant) reply = access_call (object, "org.freedesktop.DBus.Properties", "Get",
                                            g_variant_new ("(ss)", ACCESSIBLE, "Name"));
  g_autoptr (GVariant) value = NULL;

  g_variant_get (reply, "(v)", &value);
  return g_variant_dup_string (value, NULL);
}

char *
access_role (const AccessObject *object)
{
  g_autoptr (GVariant) reply = access_call (object, ACCESSIBLE, "GetRoleName", NULL);
  char *role;

  g_variant_get (reply, "(s)", &role);
  return role;
}

gboolean
access_has_state (const AccessObject *object, guint state)
{
  g_autoptr (GVariant) reply = access_call (object, ACCESSIBLE, "GetState", NULL);
  g_autoptr (GVariant) words = g_variant_get_child_value (reply, 0);
  guint32 word;

  g_variant_get_child (words, state / 32, "u", &word);
  return (word >> state % 32 & 1) != 0;
}

GPtrArray *
access_objects (GVariant *list)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func ((GDestroyNotify) access_free);
  GVariantIter iter;
  char *bus, *path;

  g_variant_iter_init (&iter, list);
  while (g_variant_iter_next (&iter, "(so)", &bus, &path))
    {
      AccessObject *object = g_new (AccessObject, 1);
      *object = (AccessObject) { bus, path };
      g_ptr_array_add (objects, object);
    }
  return objects;
}

GPtrArray *
access_children (const AccessObject *object)
{
  g_autoptr (GVariant) reply = access_call (object, ACCESSIBLE, "GetChildren", NULL);
  g_autoptr (GVariant) list = g_variant_get_child_value (reply, 0);

  return access_objects (list);
}

/* --- a whole tree ---------------------------------------------------------------------------------------------------- */

typedef enum
{
  NAME,
  ROLE,
  STATES,
  CHILDREN
} Asked;
typedef struct
{
  AccessNode *node;
  Asked what;
} Question;

static guint n_asked;
static void ask (AccessNode *node);

static AccessNode *
node_new (const AccessObject *object)
{
  AccessNode *node = g_new0 (AccessNode, 1);

  node->object = g_new (AccessObject, 1);
  *node->object = (AccessObject) { g_strdup (object->bus), g_strdup (object->path) };
  node->children = g_ptr_array_new_with_free_func ((GDestroyNotify) access_node_free);
  return node;
}

void
access_node_free (AccessNode *node)
{
  access_free (node->object);
  g_free (node->name);
  g_free (node->role);
  g_ptr_array_unref (node->children);
  g_free (node);
}

static void
take_answer (AccessNode *node, Asked what, GVariant *reply)
{
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GPtrArray) children = NULL;
  guint32 word;

  switch (what)
    {
    case NAME:
      g_variant_get (reply, "(v)", &value);
      node->name = g_variant_dup_string (value, NULL);
      break;
    case ROLE: g_variant_get (reply, "(s)", &node->role); break;
    case STATES:
      value = g_variant_get_child_value (reply, 0);
      for (guint i = 0; i < 2 && i < g_variant_n_children (value); i++)
        {
          g_variant_get_child (value, i, "u", &word);
          node->states |= (guint64) word << 32 * i;
        }
      break;
    default:
      value = g_variant_get_child_value (reply, 0);
      children = access_objects (value);
      for (guint i = 0; i < children->len; i++)
        {
          AccessNode *child = node_new (children->pdata[i]);
          g_ptr_array_add (node->children, child);
          ask (child);
        }
    }
}

/* A row or a note may go while it is asked: then it is as if it had gone before. */
static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Question *question = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);

  n_asked--;
  if (reply)
    take_answer (question->node, question->what, reply);
  else if (!g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT)
           && !g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD))
    g_error ("%s", error->message);
}

static void
ask (AccessNode *node)
{
  /* clang-format off */
  static const struct { const char *interface, *method; } calls[] = {
    [NAME] = { "org.freedesktop.DBus.Properties", "Get" }, [ROLE] = { ACCESSIBLE, "GetRoleName" },
    [STATES] = { ACCESSIBLE, "GetState" }, [CHILDREN] = { ACCESSIBLE, "GetChildren" },
  };
  /* clang-format on */

  for (Asked what = NAME; what <= CHILDREN; what++)
    {
      Question *question = g_new (Question, 1);
      *question = (Question) { node, what };
      n_asked++;
      g_dbus_connection_call (access_bus, node->object->bus, node->object->path, calls[what].interface, calls[what].method,
                              what == NAME ? g_variant_new ("(ss)", ACCESSIBLE, "Name") : NULL, NULL, G_DBUS_CALL_FLAGS_NONE,
                              60000, NULL, on_answer, question);
    }
}

static gboolean
is_answered (gpointer data)
{
  return n_asked == 0;
}

AccessNode *
access_read (const AccessObject *object)
{
  AccessNode *node = node_new (object);

  ask (node);
  driver_wait (is_answered, NULL, 60, "all on the bus was read");
  return node;
}

gboolean
access_open (void)
{
  g_autoptr (GDBusConnection) session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GVariant) reply = NULL;
  const char *address;

  g_setenv ("GTK_A11Y", "atspi", TRUE);
  if (session)
    reply = g_dbus_connection_call_sync (session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", NULL, NULL,
                                         G_DBUS_CALL_FLAGS_NONE, 10000, NULL, NULL);
  if (reply)
    {
      g_variant_get (reply, "(&s)", &address);
      access_bus = g_dbus_connection_new_for_address_sync (
          address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL,
          NULL);
    }
  if (!access_bus)
    g_print ("1..0 # SKIP no bus for assistive technologies: run this below dbus-run-session, with at-spi2-core installed\n");
  return access_bus != NULL;
}

void
access_close (void)
{
  g_clear_object (&access_bus);
}
