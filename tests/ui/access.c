/* access.c: the graph as a screen reader walks it: over the bus of assistive technologies, along the edges.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/access-bus.h"
#include "views/graph-canvas.h"

#define FLOWS_TO 10 /* ATSPI_RELATION_FLOWS_TO */
#define FOCUSED  12 /* ATSPI_STATE_FOCUSED */

static GPtrArray *
flows_to (const AccessObject *object)
{
  g_autoptr (GVariant) reply = access_call (object, ACCESSIBLE, "GetRelationSet", NULL);
  g_autoptr (GVariant) sets = g_variant_get_child_value (reply, 0);

  for (gsize i = 0; i < g_variant_n_children (sets); i++)
    {
      g_autoptr (GVariant) list = NULL;
      guint32 relation;

      g_variant_get_child (sets, i, "(u@a(so))", &relation, &list);
      if (relation == FLOWS_TO)
        return access_objects (list);
    }
  return g_ptr_array_new ();
}

/* The first object with @name below @root, depth first, which a screen reader would find the same way. */
static AccessObject *
find (const AccessObject *root, const char *name, int depth)
{
  g_autofree char *mine = access_name (root);

  if (g_str_equal (mine, name))
    {
      AccessObject *found = g_new (AccessObject, 1);
      *found = (AccessObject) { g_strdup (root->bus), g_strdup (root->path) };
      return found;
    }
  if (depth == 0)
    return NULL;
  g_autoptr (GPtrArray) children = access_children (root);
  for (guint i = 0; i < children->len; i++)
    {
      AccessObject *found = find (children->pdata[i], name, depth - 1);
      if (found)
        return found;
    }
  return NULL;
}

static AccessObject *
find_graph (void)
{
  AccessObject *graph = find (&access_root, "Graph", 40);

  g_assert_nonnull (graph);
  return graph;
}

/* The child of @graph whose name begins with that of the selected node. (transfer full) */
static AccessObject *
find_selected (const AccessObject *graph, char **name)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhId id = ph_document_get_selection (driver_document ());
  PhNode *node = ph_model_find_node (model, id);
  g_autoptr (GPtrArray) children = access_children (graph);
  g_autofree char *start = !node         ? g_strdup_printf ("Input %s, ", ph_model_find_value (model, id)->name)
                           : *node->name ? g_strdup_printf ("%s %s, ", node->op_type, node->name)
                                         : g_strdup_printf ("%s, ", node->op_type);

  for (guint i = 0; i < children->len; i++)
    {
      g_autofree char *text = access_name (children->pdata[i]);
      if (g_str_has_prefix (text, start) && access_has_state (children->pdata[i], 23 /* ATSPI_STATE_SELECTED */))
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
  AccessObject *graph;
  guint n_followed = 0;

  driver_open (path);
  gtk_widget_grab_focus (GTK_WIDGET (ph_document_view_get_canvas (ph_window_get_view (driver_window ()))));
  graph = find_graph ();
  driver_key ("Down");
  for (int step = 0; step < 6; step++)
    {
      g_autofree char *name = NULL;
      AccessObject *selected = find_selected (graph, &name);
      g_autoptr (GPtrArray) targets = flows_to (selected);
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      gboolean found = FALSE;

      g_test_message ("%s, to %u others", name, targets->len);
      g_assert_true (strstr (name, "float") != NULL || strstr (name, "int64") != NULL);
      g_assert_true (g_str_has_prefix (name, "Input ") || strstr (name, " of 26, output "));
      g_assert_true (access_has_state (selected, FOCUSED));
      for (guint i = 0; i < targets->len; i++)
        g_ptr_array_add (names, access_name (targets->pdata[i]));
      access_free (selected);
      if (targets->len == 0)
        break;
      driver_key ("Down");
      g_autofree char *now = NULL;
      access_free (find_selected (graph, &now));
      /* Where the arrow went is one of those that the relation named. */
      for (guint i = 0; i < names->len; i++)
        found |= g_str_equal (names->pdata[i], now);
      g_assert_true (found);
      n_followed++;
    }
  g_assert_cmpuint (n_followed, >=, 3);
  access_free (graph);
}

int
main (int argc, char *argv[])
{
  if (!access_open () || !driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/access/walk", test_walk);
  int status = driver_main ();
  access_close ();
  return status;
}
