/* inside.c: real keys and clicks into what a box holds and out again: functions, bodies of fused nodes, and the bar that says where.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "tests/ui/driver.h"
#include "views/trail-bar.h"

static char *
data_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "console", "data", name, NULL);
}

static PhNode *
find (const char *name)
{
  return ph_model_find_node_named (ph_document_get_model (driver_document ()), name);
}

static guint
depth (void)
{
  return ph_document_get_trail (driver_document ())->len;
}

static GtkWidget *
bar (void)
{
  return driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_TRAIL_BAR);
}

static gboolean
shows_it (gpointer unused)
{
  PhScene *scene = ph_graph_canvas_get_scene (driver_canvas ());

  return scene && ph_scene_inside (scene) == ph_document_get_inside (driver_document ())
         && !ph_graph_canvas_is_busy (driver_canvas ()) && !ph_console_is_running (driver_console ());
}

/* The picture is that of the inside that the document is in. */
static void
settle (guint levels)
{
  driver_settle ();
  driver_wait (shows_it, NULL, 60, "the picture of the inside");
  g_assert_cmpuint (depth (), ==, levels);
}

static void
double_click (const PhNode *node)
{
  graphene_rect_t rect;
  double x, y;

  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), node->id, &rect));
  x = rect.origin.x + rect.size.width / 2;
  y = rect.origin.y + rect.size.height / 2;
  driver_send_click (GTK_WIDGET (driver_canvas ()), x, y, 1, 2, NULL);
}

static gboolean
is_drawn (const char *name)
{
  return ph_scene_find (ph_graph_canvas_get_scene (driver_canvas ()), find (name)->id, NULL) >= 0;
}

static void
test_function (void)
{
  g_autofree char *path = data_file ("functions.onnxtxt");

  driver_open (path);
  settle (0);
  g_assert_true (is_drawn ("t"));
  double_click (find ("b"));
  settle (1);
  driver_expect_line ("enter n6");
  driver_expect_text (bar (), "local.twice");
  g_assert_true (is_drawn ("c"));
  g_assert_false (is_drawn ("t"));

  /* Enter goes into what is selected, Escape out: what was inside of is selected then. */
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  ph_document_set_selection (driver_document (), find ("c")->id);
  driver_key ("Return");
  settle (2);
  driver_expect_text (bar (), "local.scale");
  g_assert_true (is_drawn ("n"));
  driver_key ("Escape");
  settle (1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, find ("c")->id);
  driver_key ("BackSpace");
  settle (0);
  g_assert_true (is_drawn ("t"));
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, find ("b")->id);
  driver_key ("BackSpace");
  settle (0);
}

static void
test_bar (void)
{
  GtkWidget *button;

  driver_run ("enter local.twice");
  driver_run ("enter c");
  settle (2);
  button = driver_find_button (bar (), "g");
  driver_click_middle (button);
  settle (0);
  driver_run ("enter local.twice");
  driver_run ("enter c");
  settle (2);
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_key ("alt+Up");
  settle (1);
  driver_key ("alt+Up");
  settle (0);
}

/* The view of what was left is as it was. */
static void
test_view (void)
{
  double x, y, zoom, x2, y2, zoom2;

  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_key ("0");
  driver_settle ();
  ph_graph_canvas_set_view (driver_canvas (), 11, 23, 0.75);
  driver_run ("enter local.twice");
  settle (1);
  driver_run ("leave");
  settle (0);
  ph_graph_canvas_get_view (driver_canvas (), &x2, &y2, &zoom2);
  x = 11, y = 23, zoom = 0.75;
  g_assert_cmpfloat_with_epsilon (zoom, zoom2, 1e-3);
  g_assert_cmpfloat_with_epsilon (x, x2, 200); /* the selection is brought into the window */
  g_assert_cmpfloat_with_epsilon (y, y2, 200);
}

/* A fused node that a pass makes; before it was made there is nothing to be inside of. */
static void
test_fused (void)
{
  PhNode *fused = NULL;

  driver_open_example ("gemm-bias-relu", "O3");
  driver_run ("run");
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    if (ph_node_is_fused (node))
      fused = node;
  g_assert_nonnull (fused);
  settle (0);
  ph_document_set_selection (driver_document (), fused->id);
  settle (0);
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_key ("Return");
  settle (1);
  /* What lies in it is found, shown, and shown from elsewhere as well. */
  ph_document_set_selection (driver_document (), ((PhGraph *) fused->graphs->pdata[0])->first->id);
  settle (1);
  ph_document_set_selection (driver_document (), ph_document_get_model (driver_document ())->graph->first->id);
  settle (0);
  ph_document_set_selection (driver_document (), ((PhGraph *) fused->graphs->pdata[0])->first->id);
  settle (1);
  driver_run ("goto 0");
  settle (0);
}

static void
note_places (GHashTable *places)
{
  PhScene *scene = ph_graph_canvas_get_scene (driver_canvas ());

  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    {
      const int box = ph_scene_find (scene, node->id, NULL);

      g_assert_cmpint (box, >=, 0);
      g_hash_table_insert (places, GUINT_TO_POINTER (node->id), g_memdup2 (&ph_scene_box (scene, box)->rect, sizeof (PhRect)));
    }
}

/* The picture of a history that was recorded elsewhere is its own: the pipeline runs ahead from its end only, and moves nothing. */
static void
test_recorded (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "linear-selu-tvm", NULL);
  g_autoptr (GHashTable) before = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) after = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer id, place;
  guint n_same = 0;

  driver_open (path);
  driver_run ("pipeline inline-functions,cse,dce"); /* O2 has nothing to do there */
  g_assert_cmpuint (ph_document_get_n_recorded (driver_document ()), ==, 1);
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, ==, 1);
  settle (0);
  note_places (before);
  driver_key ("ctrl+F12");
  driver_key ("F10");
  settle (0);
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, >, 1);
  note_places (after);
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &id, &place))
    {
      const PhRect *then = place, *now = g_hash_table_lookup (after, id);

      if (now == NULL)
        continue;
      n_same++;
      g_assert_cmpfloat (then->x + then->width / 2, ==, now->x + now->width / 2);
      g_assert_cmpfloat (then->y + then->height / 2, ==, now->y + now->height / 2);
    }
  g_assert_cmpuint (n_same, ==, 1);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/inside/function", test_function);
  g_test_add_func ("/inside/bar", test_bar);
  g_test_add_func ("/inside/view", test_view);
  g_test_add_func ("/inside/fused", test_fused);
  g_test_add_func ("/inside/recorded", test_recorded);
  return driver_main ();
}
