/* parts.c: only a part of the graph, and the menu of a node, by key and pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/scene/scene-read.h"
#include "tests/ui/driver.h"
#include "views/graph-canvas-draw.h"
#include "views/inspector.h"

static PhGraphCanvas *
canvas (void)
{
  return ph_document_view_get_canvas (ph_window_get_view (driver_window ()));
}

static PhGraphPane *
pane (void)
{
  return ph_document_view_get_pane (ph_window_get_view (driver_window ()));
}

static void
run (const char *line)
{
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  if (!driver_last_ok ())
    g_error ("%s: %s", line, driver_last_text ());
}

static void
start (void)
{
  g_autofree char *path = driver_example ("attention");

  driver_open (path);
  g_assert_true (driver_last_ok ());
  run ("pipeline dce,cse");
  run ("goto 0");
  ph_graph_canvas_fit (canvas ());
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  driver_settle ();
}

static guint
n_shown (void)
{
  PhScene *scene = ph_graph_canvas_get_scene (canvas ());
  guint n = 0;

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    n += ph_scene_box (scene, b)->kind == PH_BOX_NODE;
  return n;
}

/* The first and the last node in the order of computation. */
static PhNode *
end_node (gboolean last)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhNode *best = NULL;

  for (guint i = 1; i < model->nodes->len; i++)
    {
      PhNode *node = model->nodes->pdata[i];
      if (node && (!best || (node->order > best->order) == last))
        best = node;
    }
  return best;
}

static GtkWidget *
open_menu (void)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (pane ())); child; child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER_MENU (child) && gtk_widget_get_mapped (child))
      return child;
  return NULL;
}

static gboolean
menu_is_open (gpointer data)
{
  return (open_menu () != NULL) == GPOINTER_TO_INT (data);
}

static void
select_node (const PhNode *node)
{
  g_autofree char *line = g_strdup_printf ("select-node n%u", node->id);

  run (line);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  driver_settle ();
}

static void
test_around (void)
{
  guint id, steps, whole, two;
  PhNode *first = (start (), end_node (FALSE));

  whole = n_shown ();
  select_node (first);
  driver_key ("n");
  g_assert_true (ph_graph_canvas_get_neighbourhood (canvas (), &id, &steps));
  g_assert_cmpuint (id, ==, first->id);
  g_assert_cmpuint (steps, ==, 2);
  two = n_shown ();
  g_assert_cmpuint (two, <, whole);
  driver_key ("n");
  g_assert_true (ph_graph_canvas_get_neighbourhood (canvas (), &id, &steps));
  g_assert_cmpuint (steps, ==, 3);
  g_assert_cmpuint (n_shown (), >, two);
  driver_key ("shift+n");
  driver_key ("shift+n");
  g_assert_true (ph_graph_canvas_get_neighbourhood (canvas (), &id, &steps));
  g_assert_cmpuint (steps, ==, 1);
  g_assert_cmpuint (n_shown (), <, two);
  driver_key ("shift+n");
  g_assert_true (ph_graph_canvas_get_neighbourhood (canvas (), &id, &steps));
  g_assert_cmpuint (steps, ==, 1);
  driver_key ("Escape");
  g_assert_false (ph_graph_canvas_is_partial (canvas ()));
  g_assert_cmpuint (n_shown (), ==, whole);
}

static void
test_paths (void)
{
  PhNode *first = (start (), end_node (FALSE)), *last = end_node (TRUE);
  guint whole = n_shown ();

  select_node (first);
  driver_key ("p");
  g_assert_cmpuint (ph_graph_pane_get_path_start (pane ()), ==, first->id);
  driver_key ("Escape");
  g_assert_cmpuint (ph_graph_pane_get_path_start (pane ()), ==, 0);
  driver_key ("p");
  select_node (last);
  driver_key ("p");
  g_assert_cmpuint (ph_graph_pane_get_path_start (pane ()), ==, 0);
  g_assert_true (ph_graph_canvas_is_partial (canvas ()));
  g_assert_cmpuint (n_shown (), <, whole);
  g_assert_nonnull (strstr (ph_graph_canvas_get_part (canvas ()), "All paths"));
  driver_key ("a");
  g_assert_false (ph_graph_canvas_is_partial (canvas ()));
}

/* By the right button: the menu is of the node below the pointer, and its items are reached by their letters. */
static void
test_menu (void)
{
  PhNode *first = (start (), end_node (FALSE));
  graphene_rect_t rect;
  guint id, steps;

  run ("select-node");
  g_assert_true (ph_graph_canvas_node_rect (canvas (), first->id, &rect));
  driver_click (GTK_WIDGET (canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 3);
  driver_wait (menu_is_open, GINT_TO_POINTER (TRUE), 5, "the menu opens");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, first->id);
  driver_key ("Return");
  driver_wait (menu_is_open, GINT_TO_POINTER (FALSE), 5, "the menu closes");
  driver_settle ();
  g_assert_true (ph_graph_canvas_get_neighbourhood (canvas (), &id, &steps));
  g_assert_cmpuint (id, ==, first->id);
  driver_key ("Escape");
  g_assert_false (ph_graph_canvas_is_partial (canvas ()));

  /* By the Menu key, and its letter. */
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  driver_key ("Menu");
  driver_wait (menu_is_open, GINT_TO_POINTER (TRUE), 5, "the menu opens");
  driver_key ("b");
  driver_wait (menu_is_open, GINT_TO_POINTER (FALSE), 5, "the menu closes");
  driver_settle ();
  g_autofree char *line = g_strdup_printf ("breakpoint n%u", first->id);
  g_assert_cmpstr (driver_last_line (), ==, line);
}

/* Returns the label of a menu's item. */
static GtkWidget *
find_item (GtkWidget *root, const char *text)
{
  GtkWidget *found = GTK_IS_LABEL (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text) ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child && !found; child = gtk_widget_get_next_sibling (child))
    found = find_item (child, text);
  return found;
}

static void
choose_of_input (const char *item)
{
  const PhId id = ((PhValue *) ph_document_get_model (driver_document ())->graph->inputs->pdata[0])->id;
  graphene_rect_t rect;

  g_assert_true (ph_graph_canvas_node_rect (canvas (), id, &rect));
  driver_click (GTK_WIDGET (canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 3);
  driver_wait (menu_is_open, GINT_TO_POINTER (TRUE), 5, "the menu opens");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, id);
  GtkWidget *label = find_item (open_menu (), item);
  g_assert_nonnull (label);
  driver_click_middle (label);
  driver_wait (menu_is_open, GINT_TO_POINTER (FALSE), 5, "the menu closes");
  driver_settle ();
}

/* An input's menu asks for the size of its open dimension, and for its value. */
static void
test_input_menu (void)
{
  driver_open_example ("mlp", "none");
  ph_graph_canvas_fit (canvas ());
  driver_settle ();
  choose_of_input ("Fix a Dimension…");
  driver_type ("2\n");
  driver_expect_line ("run bind-dimensions batch=2");
  ph_graph_canvas_fit (canvas ());
  driver_settle ();
  choose_of_input ("Type Its Value…");
  driver_type ("[[1, 2, 3, 4], [5, 6, 7, 8]]\n");
  PhTensor *fed = g_hash_table_lookup (ph_document_get_feeds (driver_document ()), "x");
  g_assert_nonnull (fed);
  g_assert_cmpfloat (ph_tensor_get (fed, 7), ==, 8);
}

static guint
color_mode (void)
{
  guint mode;

  mode = ph_view_state_get (ph_document_get_view (driver_document ()), PH_VIEW_COLOR);
  return mode;
}

static gboolean
is_by_time (gpointer data)
{
  return color_mode () == PH_COLOR_TIME;
}

static gboolean
has_label (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) && strstr (gtk_label_get_text (GTK_LABEL (root)), text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    if (has_label (child, text))
      return TRUE;
  return FALSE;
}

static gboolean
inspector_says (gpointer text)
{
  return has_label (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_INSPECTOR), text);
}

/* From the palette: what is not measured is measured first; then the colours, their legend and the inspector have it. */
static void
test_time (void)
{
  start ();
  g_assert_null (ph_document_get_profile (driver_document ()));
  run ("select-node");
  driver_wait (inspector_says, (gpointer) "not measured", 5, "the inspector offers to measure");
  driver_key ("ctrl+k");
  driver_type ("Colour by Time\n");
  driver_wait (is_by_time, NULL, 20, "the picture is coloured by time");
  driver_settle ();
  g_assert_nonnull (ph_document_get_profile (driver_document ()));
  g_assert_nonnull (ph_graph_canvas_get_paint (canvas ()));
  g_assert_true (g_str_has_prefix (ph_paint_title (ph_graph_canvas_get_paint (canvas ())), "Time"));
  select_node (end_node (TRUE));
  driver_wait (inspector_says, (gpointer) "of the whole", 5, "the inspector says how long the node took");
  /* Known by now: another choice, and time again, measure nothing. */
  guint lines = driver_n_lines ();
  driver_activate ("view.color::kind");
  driver_settle ();
  driver_activate ("view.color::time");
  driver_settle ();
  g_assert_true (is_by_time (NULL));
  g_assert_cmpuint (driver_n_lines (), ==, lines + 2);
  g_assert_cmpstr (driver_last_line (), ==, "view color time");
  driver_activate ("view.color::kind");
}

/* What is given up leaves the picture, and how it is arranged. No main loop runs between beginning and giving up. */
static void
test_given_up (void)
{
  static const char *const actions[] = { "view.compact", "view.group", "view.open::all", "view.part::around" };

  start ();
  ph_document_set_selection (driver_document (), end_node (FALSE)->id);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      PhScene *before = ph_graph_canvas_get_scene (canvas ());
      driver_activate (actions[i]);
      g_assert_true (ph_graph_canvas_is_busy (canvas ()));
      ph_graph_canvas_cancel_layout (canvas ());
      driver_settle ();
      g_assert_false (driver_is_on (PH_VIEW_COMPACT) || driver_is_on (PH_VIEW_GROUP));
      g_assert_false (ph_graph_canvas_is_partial (canvas ()));
      g_assert_true (ph_graph_canvas_get_scene (canvas ()) == before);
      g_assert_null (ph_document_view_get_banner (ph_window_get_view (driver_window ())));
    }

  /* From one part on the way to a wider one: the first stays. */
  driver_key ("n");
  const guint n = n_shown ();
  g_autofree char *part = g_strdup (ph_graph_canvas_get_part (canvas ()));
  driver_activate ("view.part::wider");
  ph_graph_canvas_cancel_layout (canvas ());
  driver_settle ();
  g_assert_cmpstr (ph_graph_canvas_get_part (canvas ()), ==, part);
  g_assert_cmpuint (n_shown (), ==, n);
  /* The whole comes back as it was, without being laid out again. */
  driver_activate ("view.part::all");
  g_assert_null (ph_graph_canvas_get_part (canvas ()));
  g_assert_cmpuint (n_shown (), >, n);
}

/* What a neighbourhood leaves out is drawn where it was cut, and a click shows it too. */
static void
test_beyond (void)
{
  PhId cut = PH_NO_ID;
  graphene_rect_t rect;
  guint n = 0;

  start ();
  ph_document_set_selection (driver_document (), end_node (FALSE)->id);
  driver_activate ("view.part::around");
  driver_settle ();
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    if (cut == PH_NO_ID && (n = ph_graph_canvas_get_beyond (canvas (), node->id, &rect)) > 0)
      cut = node->id;
  g_assert_cmpuint (cut, !=, PH_NO_ID);
  ph_graph_canvas_get_beyond (canvas (), cut, &rect);
  n = ph_graph_canvas_get_beyond (canvas (), cut, &rect);

  const guint before = n_shown ();
  driver_click (GTK_WIDGET (canvas ()), rect.origin.x + rect.size.width * 0.6, rect.origin.y + rect.size.height / 2, 1);
  g_assert_cmpuint (n_shown (), ==, before + n);
  g_assert_cmpuint (ph_graph_canvas_get_beyond (canvas (), cut, &rect), ==, 0);
  g_assert_nonnull (strstr (ph_graph_canvas_get_part (canvas ()), "and more"));
  /* The keys go on from the node in the middle. */
  driver_key ("n");
  g_assert_null (strstr (ph_graph_canvas_get_part (canvas ()), "and more"));
  driver_key ("a");
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    g_assert_cmpuint (ph_graph_canvas_get_beyond (canvas (), node->id, &rect), ==, 0);
}

/* Pixels that @box's mark has of its own colour, at @scale. */
static guint
stop_pixels (int box, double scale)
{
  const PhDrawOptions options = { .theme = PH_THEME_LIGHT, .scale = scale };
  const PhRect card = ph_scene_card (ph_graph_canvas_get_scene (canvas ()), box, 0, 0);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 40, 40);
  cairo_t *cr = cairo_create (surface);
  guint n = 0;

  cairo_translate (cr, 20, 20);
  cairo_scale (cr, scale, scale);
  cairo_translate (cr, -card.x, -card.y - card.height);
  ph_scene_draw_stop (ph_graph_canvas_get_scene (canvas ()), cr, box, &options);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 40; x++)
      {
        const guint32 pixel = ((const guint32 *) (gpointer) (cairo_image_surface_get_data (surface)
                                                             + y * cairo_image_surface_get_stride (surface)))[x];
        n += (pixel >> 16 & 0xff) > 150 && (pixel & 0xff) < 90;
      }
  cairo_surface_destroy (surface);
  return n;
}

/* A breakpoint is marked in the picture, however small it is. */
static void
test_stop (void)
{
  PhNode *node = (start (), end_node (FALSE));
  g_autofree char *name = g_strdup_printf ("n%u", node->id);
  int box;

  ph_document_set_selection (driver_document (), node->id);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  g_assert_false (ph_canvas_has_marks (canvas ()));
  driver_key ("F7");
  g_assert_true (ph_canvas_has_marks (canvas ()));
  box = ph_canvas_stop_box (canvas (), name);
  g_assert_cmpint (box, ==, ph_scene_find (ph_graph_canvas_get_scene (canvas ()), node->id, NULL));
  g_assert_cmpint (ph_canvas_stop_box (canvas (), "dce/dead-node"), ==, -1);
  g_assert_cmpint (ph_canvas_stop_box (canvas (), "n99999"), ==, -1);
  g_assert_cmpuint (stop_pixels (box, 1.5), >, 200);
  g_assert_cmpuint (stop_pixels (box, 0.4), >, 20);
  g_assert_cmpuint (stop_pixels (box, 0.05), >, 20);
  driver_key ("F7");
  g_assert_false (ph_canvas_has_marks (canvas ()));
}

static void
on_layout_started (PhGraphCanvas *shown)
{
  ph_graph_canvas_cancel_layout (shown);
}

static void
test_none (void)
{
  PhDocumentView *view = ph_window_get_view (driver_window ());

  driver_run ("close");
  gulong handler = g_signal_connect (canvas (), "layout-started", G_CALLBACK (on_layout_started), NULL);
  g_autofree char *path = driver_example ("attention");
  driver_run ("open %s", path);
  g_signal_handler_disconnect (canvas (), handler);
  g_assert_true (ph_document_is_open (driver_document ()));
  g_assert_null (ph_graph_canvas_get_scene (canvas ()));
  g_assert_nonnull (ph_document_view_get_banner (view));
  driver_click_middle (driver_find_named (GTK_WIDGET (view), "banner_button"));
  g_assert_nonnull (ph_graph_canvas_get_scene (canvas ()));
  g_assert_null (ph_document_view_get_banner (view));
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/parts/around", test_around);
  g_test_add_func ("/parts/paths", test_paths);
  g_test_add_func ("/parts/menu", test_menu);
  g_test_add_func ("/parts/input-menu", test_input_menu);
  g_test_add_func ("/parts/time", test_time);
  g_test_add_func ("/parts/given-up", test_given_up);
  g_test_add_func ("/parts/beyond", test_beyond);
  g_test_add_func ("/parts/stop", test_stop);
  g_test_add_func ("/parts/none", test_none);
  return driver_main ();
}
