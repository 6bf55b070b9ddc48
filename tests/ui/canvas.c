/* canvas.c: the picture under pointer, touchpad and fingers, and on its way from one layout to another.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/scene/scene.h"
#include "tests/ui/driver.h"
#include "views/change-pill.h"
#include "views/graph-canvas.h"

static PhGraphCanvas *
canvas (void)
{
  return ph_document_view_get_canvas (ph_window_get_view (driver_window ()));
}

static void
open_example (const char *name)
{
  g_autofree char *path = driver_example (name);

  driver_open (path);
  g_assert_true (driver_last_ok ());
}

static void
run (const char *line)
{
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  g_assert_true (driver_last_ok ());
}

static gboolean
is_still (gpointer data)
{
  return !ph_graph_canvas_is_busy (canvas ());
}

static void
wait_still (void)
{
  driver_wait (is_still, NULL, 20, "the picture comes to rest");
}

/* The controller of @type that the canvas has. */
static GtkEventController *
controller (GType type)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (GTK_WIDGET (canvas ()));

  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (GtkEventController) at = g_list_model_get_item (all, i);
      if (G_TYPE_CHECK_INSTANCE_TYPE (at, type))
        return at;
    }
  g_assert_not_reached ();
}

static PhId
some_node (void)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhNode *middle = NULL;
  guint n = 0;

  PH_FOREACH_NODE (node, model->graph)
    {
      graphene_rect_t rect;
      if (ph_graph_canvas_node_rect (canvas (), node->id, &rect) && rect.origin.x > 30 && rect.origin.y > 30 && n++ < 4)
        middle = node;
    }
  g_assert_nonnull (middle);
  return middle->id;
}

/* --- from layout to layout ------------------------------------------------------------------------------------------- */

static void
test_compact (void)
{
  PhId id;
  graphene_rect_t before, after;

  open_example ("attention");
  run ("pipeline O2");
  run ("run");
  wait_still ();
  id = some_node ();
  ph_document_set_selection (driver_document (), id);
  wait_still ();
  driver_pause (0.3);
  ph_graph_canvas_zoom_to (canvas (), 1.1); /* so that the picture is nobody's choice but the reader's */
  driver_pause (0.4);
  g_assert_true (ph_graph_canvas_node_rect (canvas (), id, &before));

  for (int on = 1; on >= 0; on--)
    {
      driver_look (on ? "view compact on" : "view compact off");
      wait_still ();
      g_assert_true (ph_graph_canvas_node_rect (canvas (), id, &after));
      g_assert_cmpfloat_with_epsilon (before.origin.x + before.size.width / 2, after.origin.x + after.size.width / 2, 1);
      g_assert_cmpfloat_with_epsilon (before.origin.y + before.size.height / 2, after.origin.y + after.size.height / 2, 1);
    }

  /* Something happens meanwhile: nothing of the old picture may be left over. */
  driver_look ("view compact on");
  run ("goto 1");
  driver_look ("view compact off");
  driver_pause (0.05);
  ph_graph_canvas_zoom_in (canvas ());
  open_example ("seed");
  wait_still ();
}

/* --- what is looked for ---------------------------------------------------------------------------------------------- */

/* What is selected beyond the window comes into its middle third; what is seen stays where it is. */
static void
test_lands (void)
{
  const double height = gtk_widget_get_height (GTK_WIDGET (canvas ())), width = gtk_widget_get_width (GTK_WIDGET (canvas ()));
  graphene_rect_t rect;
  PhId last = PH_NO_ID;
  double x, y, zoom, x2, y2;

  open_example ("tour");
  wait_still ();
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    last = node->id;
  ph_graph_canvas_set_view (canvas (), 0, 0, 1);
  wait_still ();
  g_assert_true (ph_graph_canvas_node_rect (canvas (), last, &rect));
  g_assert_cmpfloat (rect.origin.y, >, height);
  ph_document_set_selection (driver_document (), last);
  driver_pause (0.4);
  wait_still ();
  g_assert_true (ph_graph_canvas_node_rect (canvas (), last, &rect));
  g_assert_cmpfloat (rect.origin.y, >=, (height - rect.size.height) / 3 - 1);
  g_assert_cmpfloat (rect.origin.y, <=, 2 * (height - rect.size.height) / 3 + 1);
  g_assert_cmpfloat (rect.origin.x, >=, (width - rect.size.width) / 3 - 1);
  g_assert_cmpfloat (rect.origin.x, <=, 2 * (width - rect.size.width) / 3 + 1);
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  ph_document_set_selection (driver_document (), some_node ());
  driver_pause (0.4);
  wait_still ();
  ph_graph_canvas_get_view (canvas (), &x2, &y2, &zoom);
  g_assert_cmpfloat (x, ==, x2);
  g_assert_cmpfloat (y, ==, y2);
}

/* --- a run that is walked through ------------------------------------------------------------------------------------- */

static gboolean
has_run (gpointer n)
{
  guint at;

  return ph_document_get_execution (driver_document (), &at) != NULL && at == GPOINTER_TO_UINT (n);
}

static void
test_execution (void)
{
  guint at;

  open_example ("seed");
  wait_still ();
  run ("feed x1 2");
  run ("feed x2 5");
  run ("exec");
  g_assert_true (has_run (GUINT_TO_POINTER (0)));
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  for (guint n = 1; n <= 3; n++)
    {
      driver_key ("period");
      driver_wait (has_run, GUINT_TO_POINTER (n), 20, "the next node ran");
    }
  driver_key ("comma");
  driver_wait (has_run, GUINT_TO_POINTER (2), 20, "a node is taken back");
  driver_settle ();
  {
    const PhExecution *execution = ph_document_get_execution (driver_document (), NULL);
    const PhExecutionEvent *last = execution->events->pdata[1], *next = execution->events->pdata[2];

    g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, last->node);
    g_assert_nonnull (ph_document_get_value (driver_document (), last->values[0]));
    g_assert_null (ph_document_get_value (driver_document (), next->values[0]));
  }
  /* Other inputs are another run. */
  run ("feed x1 3");
  g_assert_null (ph_document_get_execution (driver_document (), &at));
  g_assert_cmpuint (at, ==, 0);
  driver_key ("comma");
  driver_settle ();
  g_assert_null (ph_document_get_execution (driver_document (), NULL));
  /* The key begins it anew. */
  driver_key ("period");
  driver_expect_line ("exec next");
  g_assert_nonnull (ph_document_get_execution (driver_document (), &at));
  g_assert_cmpuint (at, ==, 1);
}

static gboolean
is_fed (gpointer text)
{
  PhTensor *tensor = g_hash_table_lookup (ph_document_get_feeds (driver_document ()), "x1");
  g_autofree char *is = tensor ? ph_tensor_to_string (tensor, 4) : NULL;

  return g_strcmp0 (is, text) == 0;
}

static gboolean
is_typing (gpointer data)
{
  return GTK_IS_TEXT (gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (canvas ()))));
}

/* Two clicks on an input, and its value is typed there; what is none is said and can be mended. */
static void
test_typed (void)
{
  const PhValue *x1;
  graphene_rect_t rect;

  open_example ("seed");
  wait_still ();
  x1 = ph_document_get_model (driver_document ())->graph->inputs->pdata[0];
  g_assert_true (ph_graph_canvas_node_rect (canvas (), x1->id, &rect));
  driver_send_click (GTK_WIDGET (canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 1, 2,
                     NULL);
  driver_wait (is_typing, NULL, 20, "the input asks for its value");
  driver_type ("2x");
  driver_key ("Return");
  driver_settle ();
  g_assert_cmpuint (g_hash_table_size (ph_document_get_feeds (driver_document ())), ==, 0);
  driver_key ("BackSpace");
  driver_key ("Return");
  driver_wait (is_fed, (gpointer) "float {2}", 20, "the input has its value");
  driver_settle ();
  g_assert_true (gtk_widget_has_focus (GTK_WIDGET (canvas ())));
}

/* --- groups ---------------------------------------------------------------------------------------------------------- */

/* A chain of @n nodes. (transfer full) */
static char *
chain_file (guint n)
{
  static const char *const ops[] = { "Relu", "Neg", "Abs", "Sigmoid", "Tanh" };
  g_autoptr (GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 17]>\nchain (float[4] x) => (float[4] y)\n{\n");
  g_autofree char *name = g_strdup_printf ("peephole-chain-%u-%u.onnxtxt", n, (guint) g_random_int ());
  char *path = g_build_filename (g_get_tmp_dir (), name, NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *from = i == 0 ? g_strdup ("x") : g_strdup_printf ("v%u", i - 1);
      g_autofree char *to = i + 1 == n ? g_strdup ("y") : g_strdup_printf ("v%u", i);

      g_string_append_printf (text, "%s = %s (%s)\n", to, ops[(i * 3 + i / 5) % G_N_ELEMENTS (ops)], from);
    }
  g_string_append (text, "}\n");
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
  return path;
}

static gboolean
is_grouped (void)
{
  return driver_is_on (PH_VIEW_GROUP);
}

/* Where the picture has what shows node @id. */
static void
place_of (PhId id, double *x, double *y)
{
  graphene_rect_t rect;
  double left, top, zoom;

  g_assert_true (ph_graph_canvas_node_rect (canvas (), id, &rect));
  ph_graph_canvas_get_view (canvas (), &left, &top, &zoom);
  *x = left + (rect.origin.x + rect.size.width / 2) / zoom;
  *y = top + (rect.origin.y + rect.size.height / 2) / zoom;
}

/* Many boxes open as groups in columns, all of them in the window; few open as they are and stay so as they become many. */
static void
test_many (void)
{
  g_autofree char *many = chain_file (200), *few = chain_file (64);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (double));
  const int width = gtk_widget_get_width (GTK_WIDGET (canvas ())), height = gtk_widget_get_height (GTK_WIDGET (canvas ()));

  driver_open (many);
  wait_still ();
  g_assert_true (is_grouped ());
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    {
      graphene_rect_t rect;
      double place[3] = { node->id };

      g_assert_true (ph_graph_canvas_node_rect (canvas (), node->id, &rect));
      g_assert_cmpfloat (rect.origin.x, >=, 0);
      g_assert_cmpfloat (rect.origin.y, >=, 0);
      g_assert_cmpfloat (rect.origin.x + rect.size.width, <=, width);
      g_assert_cmpfloat (rect.origin.y + rect.size.height, <=, height);
      place_of (node->id, &place[1], &place[2]);
      g_array_append_vals (places, place, 3);
    }
  g_assert_cmpuint (places->len, ==, 600);

  /* Nothing of it moves when a gradient comes. */
  run ("goto 1");
  run ("grad y");
  wait_still ();
  g_assert_true (is_grouped ());
  for (guint i = 0; i < places->len; i += 3)
    {
      double x, y;

      place_of ((PhId) g_array_index (places, double, i), &x, &y);
      g_assert_cmpfloat_with_epsilon (x, g_array_index (places, double, i + 1), 0.5);
      g_assert_cmpfloat_with_epsilon (y, g_array_index (places, double, i + 2), 0.5);
    }

  driver_open (few);
  wait_still ();
  g_assert_false (is_grouped ());
  run ("goto 1");
  run ("grad y");
  wait_still ();
  g_assert_false (is_grouped ());
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), >, 150);
  driver_activate ("view.group");
  wait_still ();
  g_assert_true (is_grouped ());
  driver_activate ("view.group");
  wait_still ();
  g_assert_false (is_grouped ());
  g_remove (many);
  g_remove (few);
}

/* --- hands ----------------------------------------------------------------------------------------------------------- */

static void
test_drag (void)
{
  double x, y, zoom, x2, y2, zoom2;

  open_example ("attention");
  wait_still ();
  ph_document_set_selection (driver_document (), some_node ());
  driver_pause (0.4);
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  driver_drag (GTK_WIDGET (canvas ()), 70, 330, 130, 290, 1);
  ph_graph_canvas_get_view (canvas (), &x2, &y2, &zoom2);
  g_assert_cmpfloat_with_epsilon (x2, x - 60 / zoom, 1);
  g_assert_cmpfloat_with_epsilon (y2, y + 40 / zoom, 1);
  g_assert_cmpfloat (zoom2, ==, zoom);
  /* Scrolled, not clicked: what was selected still is; a click beside everything ends that. */
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, PH_NO_ID);
  driver_click (GTK_WIDGET (canvas ()), 60, 6, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, PH_NO_ID);
}

static void
test_wheel (void)
{
  double x, y, zoom, x2, y2, zoom2;

  open_example ("attention");
  wait_still ();
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  driver_scroll (GTK_WIDGET (canvas ()), 200, 150, -2, NULL);
  driver_pause (0.5);
  ph_graph_canvas_get_view (canvas (), &x2, &y2, &zoom2);
  g_assert_cmpfloat_with_epsilon (zoom2, zoom * 1.25 * 1.25, 0.02);
  /* What is under the pointer stays there. */
  g_assert_cmpfloat_with_epsilon (x + 200 / zoom, x2 + 200 / zoom2, 1);
  g_assert_cmpfloat_with_epsilon (y + 150 / zoom, y2 + 150 / zoom2, 1);
}

static void
test_pinch (void)
{
  GtkEventController *pinch = controller (GTK_TYPE_GESTURE_ZOOM);
  const double width = gtk_widget_get_width (GTK_WIDGET (canvas ())), height = gtk_widget_get_height (GTK_WIDGET (canvas ()));
  double x, y, zoom, x2, y2, zoom2;

  open_example ("attention");
  wait_still ();
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  g_signal_emit_by_name (pinch, "begin", NULL);
  g_signal_emit_by_name (pinch, "scale-changed", 1.3);
  g_signal_emit_by_name (pinch, "scale-changed", 1.6);
  g_signal_emit_by_name (pinch, "end", NULL);
  ph_graph_canvas_get_view (canvas (), &x2, &y2, &zoom2);
  g_assert_cmpfloat_with_epsilon (zoom2, 1.6 * zoom, 1e-6);
  g_assert_cmpfloat_with_epsilon (x + width / 2 / zoom, x2 + width / 2 / zoom2, 0.5);
  g_assert_cmpfloat_with_epsilon (y + height / 2 / zoom, y2 + height / 2 / zoom2, 0.5);
}

/* The way after the fingers have left: the speed over the friction, and then it stands still. */
static void
test_kinetic (void)
{
  static const struct
  {
    const char *signal;
    gboolean swipe;
  } ways[] = { { "decelerate", FALSE }, { "swipe", TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      double x, y, zoom, x2, y2, x3, y3;

      open_example ("attention");
      wait_still ();
      ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
      g_signal_emit_by_name (controller (ways[i].swipe ? GTK_TYPE_GESTURE_SWIPE : GTK_TYPE_EVENT_CONTROLLER_SCROLL),
                             ways[i].signal, ways[i].swipe ? -120.0 : 120.0, ways[i].swipe ? -400.0 : 400.0);
      driver_pause (1.6);
      ph_graph_canvas_get_view (canvas (), &x2, &y2, &zoom);
      g_assert_cmpfloat_with_epsilon (x2 - x, 120 / 4.0 / zoom, 6 / zoom);
      g_assert_cmpfloat_with_epsilon (y2 - y, 400 / 4.0 / zoom, 10 / zoom);
      driver_pause (0.2);
      ph_graph_canvas_get_view (canvas (), &x3, &y3, &zoom);
      g_assert_true (x3 == x2 && y3 == y2);
    }
}

/* --- what a step changed out of sight -------------------------------------------------------------------------------- */

static gboolean
is_pill_shown (gpointer data)
{
  GtkWidget *pill = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_CHANGE_PILL);
  GtkWidget *button = driver_find (pill, GTK_TYPE_BUTTON);

  return gtk_widget_get_can_target (pill) == GPOINTER_TO_INT (data) && (!data || gtk_widget_get_mapped (button));
}

static void
test_unseen (void)
{
  GtkDirectionType where;
  GtkWidget *button;
  double x, y, zoom;

  open_example ("attention");
  run ("pipeline O2");
  run ("run");
  run ("goto 6"); /* propagate-shapes removes some and changes some */
  wait_still ();
  ph_graph_canvas_zoom_to (canvas (), 4);
  driver_pause (0.4);
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  /* Just above all of it, then below. */
  ph_graph_canvas_set_view (canvas (), x, -0.7 * gtk_widget_get_height (GTK_WIDGET (canvas ())) / zoom, zoom);
  g_assert_cmpuint (ph_graph_canvas_find_unseen (canvas (), &where), >, 0);
  g_assert_cmpint (where, ==, GTK_DIR_DOWN);
  ph_graph_canvas_set_view (canvas (), x, ph_scene_height (ph_graph_canvas_get_scene (canvas ())) - 20, zoom);
  g_assert_cmpuint (ph_graph_canvas_find_unseen (canvas (), &where), >, 0);
  g_assert_cmpint (where, ==, GTK_DIR_UP);

  driver_wait (is_pill_shown, GINT_TO_POINTER (TRUE), 5, "the pill says where the changes are");
  button = driver_find (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_CHANGE_PILL), GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_grab_focus (button));
  driver_pause (0.3);
  driver_click_middle (button);
  driver_wait (is_pill_shown, GINT_TO_POINTER (FALSE), 5, "the pill goes when a change is seen");
  g_assert_true (gtk_widget_is_focus (GTK_WIDGET (canvas ())));

  /* Nothing changed, nothing is said. */
  run ("goto 0");
  ph_graph_canvas_set_view (canvas (), x, ph_scene_height (ph_graph_canvas_get_scene (canvas ())) - 20, zoom);
  g_assert_cmpuint (ph_graph_canvas_find_unseen (canvas (), &where), ==, 0);
}

static gboolean
is_unseen (gpointer data)
{
  GtkDirectionType where;

  return (ph_graph_canvas_find_unseen (canvas (), &where) > 0) == GPOINTER_TO_INT (data);
}

/* With the keys, as one steps; the change is at the lower end, the window at the upper. */
static void
test_follow (void)
{
  double x, y, zoom, y_now, y_half;

  open_example ("attention");
  run ("pipeline O2");
  run ("run");
  run ("goto 5");
  wait_still ();
  ph_graph_canvas_set_view (canvas (), 0, -100, 3);
  driver_pause (0.5);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  driver_key ("F10");
  driver_wait (is_unseen, GINT_TO_POINTER (FALSE), 5, "the view goes to what the step changed");
  wait_still ();

  /* A sliver of it at the lower border is not enough. */
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  for (y_half = y; !is_unseen (GINT_TO_POINTER (TRUE)); y_half -= 4)
    ph_graph_canvas_set_view (canvas (), x, y_half, zoom);
  run ("goto 5");
  ph_graph_canvas_set_view (canvas (), x, y_half += 16, zoom);
  driver_pause (0.5);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  driver_key ("F10");
  driver_pause (0.5);
  wait_still ();
  ph_graph_canvas_get_view (canvas (), &x, &y_now, &zoom);
  g_assert_cmpfloat (y_now, >, y_half);

  /* Back, and with a selected node in view it keeps its place. */
  run ("goto 5");
  ph_graph_canvas_set_view (canvas (), 0, -100, 3);
  ph_document_set_selection (driver_document (), ph_document_get_model (driver_document ())->graph->first->id);
  driver_pause (0.5);
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  driver_key ("F10");
  driver_pause (1);
  ph_graph_canvas_get_view (canvas (), &x, &y_now, &zoom);
  g_assert_cmpfloat (y, ==, y_now);

  /* Switched off, it says so instead. */
  run ("goto 5");
  ph_document_set_selection (driver_document (), 0);
  driver_activate ("view.follow");
  ph_graph_canvas_set_view (canvas (), 0, -100, 3);
  driver_pause (0.5);
  driver_key ("F10");
  driver_wait (is_pill_shown, GINT_TO_POINTER (TRUE), 5, "the pill says where the changes are");
  g_assert_true (is_unseen (GINT_TO_POINTER (TRUE)));
  driver_activate ("view.follow");
}

/* What goes into one window is seen whole; the view moves no further than that takes. */
static void
test_follow_all (void)
{
  PhNode *gelu = NULL;
  graphene_rect_t rect;
  double x, y, zoom;

  open_example ("tour");
  run ("pipeline upgrade-opset fuse-gelu");
  run ("run");
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    if (strcmp (node->op_type, "Gelu") == 0)
      gelu = node;
  g_assert_nonnull (gelu);
  const PhId id = gelu->id;
  wait_still ();
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  ph_graph_canvas_set_view (canvas (), x, y, 0.5);
  driver_pause (0.3);
  g_assert_true (ph_graph_canvas_node_rect (canvas (), id, &rect));
  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  /* Its upper half is outside. */
  y += (rect.origin.y + rect.size.height / 2) / zoom;
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  driver_key ("shift+F10");
  wait_still ();
  ph_graph_canvas_set_view (canvas (), x, y, zoom);
  driver_pause (0.5);
  driver_key ("F10");
  driver_pause (0.5);
  wait_still ();
  g_assert_true (ph_graph_canvas_node_rect (canvas (), id, &rect));
  g_assert_cmpfloat (rect.origin.y, >=, 0);
}

int
main (int argc, char *argv[])
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/canvas/compact", test_compact);
  g_test_add_func ("/canvas/lands", test_lands);
  g_test_add_func ("/canvas/execution", test_execution);
  g_test_add_func ("/canvas/typed", test_typed);
  g_test_add_func ("/canvas/many", test_many);
  g_test_add_func ("/canvas/drag", test_drag);
  g_test_add_func ("/canvas/wheel", test_wheel);
  g_test_add_func ("/canvas/pinch", test_pinch);
  g_test_add_func ("/canvas/kinetic", test_kinetic);
  g_test_add_func ("/canvas/unseen", test_unseen);
  g_test_add_func ("/canvas/follow", test_follow);
  g_test_add_func ("/canvas/follow-all", test_follow_all);
  return driver_main ();
}
