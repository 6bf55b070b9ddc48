/* sizes.c: small windows and large text: what does not fit is folded away and comes back, nothing is cut off, and a button's text can
 * be read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <vte/vte.h>

#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/fit-bin.h"
#include "views/history-panel.h"
#include "views/history-slider.h"
#include "views/inspector.h"

static GtkWidget *
find (GType type)
{
  return driver_find (GTK_WIDGET (driver_window ()), type);
}

static gboolean
fits (gpointer data)
{
  GtkWidget *bin = find (PH_TYPE_FIT_BIN);

  return gdk_surface_get_width (gtk_native_get_surface (GTK_NATIVE (driver_window ()))) == GPOINTER_TO_INT (data)
         && gtk_widget_get_width (gtk_widget_get_first_child (bin)) == gtk_widget_get_width (bin);
}

/* The text of a button may be shortened, but not to three dots. */
static void
check_labels (GtkWidget *widget, gboolean in_button)
{
  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_child_visible (widget))
    return;
  in_button |= GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget);
  if (GTK_IS_LABEL (widget) && in_button && *gtk_label_get_text (GTK_LABEL (widget))
      && pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    {
      int width;
      pango_layout_get_pixel_size (gtk_label_get_layout (GTK_LABEL (widget)), &width, NULL);
      if (width < 24)
        g_error ("of the button '%s' nothing is left in %d pixels", gtk_label_get_text (GTK_LABEL (widget)), width);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    check_labels (child, in_button);
}

static void
resize (int width, int height)
{
  driver_resize (width, height);
  g_autofree char *what = g_strdup_printf ("all of the window fits into %d x %d", width, height);
  driver_wait (fits, GINT_TO_POINTER (width), 20, what);
  driver_settle ();
  g_assert_cmpint (gdk_surface_get_height (gtk_native_get_surface (GTK_NATIVE (driver_window ()))), ==, height);
  check_labels (GTK_WIDGET (driver_window ()), FALSE);
}

/* What is answered to a key is as wide as the console is now. */
static void
check_answer (void)
{
  const long columns = vte_terminal_get_column_count (VTE_TERMINAL (find (VTE_TYPE_TERMINAL)));
  g_autoptr (GRegex) colours = g_regex_new ("\033\\[[0-9;]*m", 0, 0, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  driver_key ("ctrl+F12");
  driver_key ("shift+F10");
  driver_key ("F10");
  text = g_regex_replace_literal (colours, driver_last_text (), -1, 0, "", 0, NULL);
  lines = g_strsplit (text, "\n", -1);
  g_assert_nonnull (lines[0]);
  for (guint i = 0; lines[i] != NULL; i++)
    g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, columns);
}

static void
test_small (void)
{
  GtkWidget *inspector = find (PH_TYPE_INSPECTOR), *pipeline = find (PH_TYPE_HISTORY_PANEL), *bottom = find (PH_TYPE_BOTTOM_PANE);

  driver_open_example ("attention", "propagate-shapes,dce,cse");
  driver_run ("goto 2");
  resize (1024, 600);
  g_assert_true (gtk_widget_get_mapped (inspector) && gtk_widget_get_mapped (pipeline) && gtk_widget_get_mapped (bottom));
  const int width = gtk_widget_get_width (pipeline);
  resize (800, 600);
  g_assert_true (!gtk_widget_get_mapped (inspector) && gtk_widget_get_mapped (pipeline));
  g_assert_false (driver_is_on (PH_VIEW_INSPECTOR));
  /* What the pipeline gave up for the inspector it has again. */
  g_assert_cmpint (gtk_widget_get_width (pipeline), ==, width);
  check_answer ();
  /* What one asks for is there, and something else makes room. */
  driver_key ("shift+F9");
  driver_wait (fits, GINT_TO_POINTER (800), 20, "there is room for the inspector");
  g_assert_true (gtk_widget_get_mapped (inspector) && !gtk_widget_get_mapped (pipeline));
  resize (470, 600);
  g_assert_false (gtk_widget_get_mapped (inspector) || gtk_widget_get_mapped (pipeline));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  /* As wide as a telephone: a panel that is asked for takes the place of the picture, and gives it back. */
  resize (370, 600); /* with the 5 pixels that a border has on each side */
  g_assert_false (gtk_widget_get_mapped (inspector) || gtk_widget_get_mapped (pipeline));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  driver_key ("F9");
  driver_wait (fits, GINT_TO_POINTER (370), 20, "there is room for the pipeline");
  g_assert_true (gtk_widget_get_mapped (pipeline) && !gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  g_assert_cmpint (gtk_widget_get_width (pipeline), >=, 355);
  check_labels (GTK_WIDGET (driver_window ()), FALSE);
  driver_key ("shift+F9");
  driver_wait (fits, GINT_TO_POINTER (370), 20, "there is room for the inspector");
  g_assert_true (gtk_widget_get_mapped (inspector) && !gtk_widget_get_mapped (pipeline));
  driver_key ("shift+F9");
  driver_wait (fits, GINT_TO_POINTER (370), 20, "the picture is back");
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  driver_key ("F9");
  driver_key ("ctrl+F12");
  driver_wait (fits, GINT_TO_POINTER (370), 20, "the picture is back");
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())) && !gtk_widget_get_mapped (pipeline));
  g_assert_false (gtk_widget_get_mapped (inspector) || gtk_widget_get_mapped (pipeline));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  /* Hidden by hand, it stays so. */
  driver_key ("ctrl+F9");
  resize (1180, 760);
  g_assert_true (gtk_widget_get_mapped (pipeline) && driver_is_on (PH_VIEW_PIPELINE));
  driver_key ("shift+F9");
  g_assert_true (gtk_widget_get_mapped (inspector) && driver_is_on (PH_VIEW_INSPECTOR));
  g_assert_false (gtk_widget_get_mapped (bottom));
  driver_key ("ctrl+F9");
}

static void
test_bars (void)
{
  resize (560, 600);
  driver_key ("ctrl+f");
  driver_activate ("view.color::query");
  driver_activate ("view.form::text");
  resize (560, 600);
  driver_activate ("view.form::side");
  resize (560, 600);
  driver_activate ("view.form::overlay");
  driver_activate ("view.color::kind");
  driver_key ("Escape");
}

static void
test_large_text (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  int before;

  g_object_get (settings, "gtk-xft-dpi", &before, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * before, NULL);
  resize (1180, 760);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  resize (1024, 600);
  g_object_set (settings, "gtk-xft-dpi", before, NULL);
  resize (1180, 760);
  g_assert_true (gtk_widget_get_mapped (find (PH_TYPE_INSPECTOR)));
}

static float
left_of (GtkWidget *widget)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (widget, GTK_WIDGET (driver_window ()), &bounds));
  return bounds.origin.x;
}

/* Where one reads from right to left: panels, buttons and the line of the history go that way, the picture does not. */
static void
test_right_to_left (void)
{
  GtkWidget *slider = find (PH_TYPE_HISTORY_SLIDER);
  GtkWidget *back = driver_find_named (GTK_WIDGET (driver_window ()), "back_button");
  GtkWidget *last = driver_find_named (GTK_WIDGET (driver_window ()), "last_button");
  PhNode *a = NULL, *b = NULL;
  graphene_rect_t rect_a, rect_b;

  resize (1180, 760);
  driver_run ("goto 0");
  ph_graph_canvas_fit (driver_canvas ());
  driver_settle ();
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    {
      graphene_rect_t rect;
      if (!ph_graph_canvas_node_rect (driver_canvas (), node->id, &rect))
        continue;
      if (!a)
        a = node;
      else if (!b && ph_graph_canvas_node_rect (driver_canvas (), a->id, &rect_a)
               && (rect.origin.x > rect_a.origin.x + rect_a.size.width || rect.origin.x + rect.size.width < rect_a.origin.x))
        b = node;
    }
  g_assert_true (b && ph_graph_canvas_node_rect (driver_canvas (), b->id, &rect_b));
  const float beside = rect_b.origin.x - rect_a.origin.x;
  g_assert_cmpfloat (left_of (find (PH_TYPE_HISTORY_PANEL)), <, left_of (GTK_WIDGET (driver_canvas ())));
  g_assert_cmpfloat (left_of (back), <, left_of (last));

  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  driver_settle ();
  g_assert_cmpfloat (left_of (find (PH_TYPE_HISTORY_PANEL)), >, left_of (GTK_WIDGET (driver_canvas ())));
  g_assert_cmpfloat (left_of (find (PH_TYPE_INSPECTOR)), <, left_of (GTK_WIDGET (driver_canvas ())));
  g_assert_cmpfloat (left_of (back), >, left_of (last));
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), a->id, &rect_a)
                 && ph_graph_canvas_node_rect (driver_canvas (), b->id, &rect_b));
  g_assert_cmpfloat_with_epsilon (rect_b.origin.x - rect_a.origin.x, beside, 1);
  /* The end is at the left. */
  driver_click (slider, 12, gtk_widget_get_height (slider) / 2.0, 1);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==,
                    ph_document_get_history (driver_document ())->steps->len);
  resize (800, 600);
  resize (1180, 760);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  driver_settle ();
  g_assert_cmpfloat (left_of (find (PH_TYPE_HISTORY_PANEL)), <, left_of (GTK_WIDGET (driver_canvas ())));
}

/* A long chain of blocks becomes columns, of which all begin at the top: it opens where the input is, not in the middle. */
static void
test_opens_at_input (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 17]>\nblocks (float[4] x) => (float[4] y)\n{\n  v0 = Identity (x)\n");
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "peephole-blocks.onnxtxt", NULL);
  graphene_rect_t rect;
  guint v = 0;

  for (guint block = 0; block < 24; block++)
    for (guint i = 0; i < 8; i++, v++)
      g_string_append_printf (text, "  [\"block%u/node%u\"] v%u = %s (v%u)\n", block, i, v + 1, i % 2 == 0 ? "Relu" : "Sigmoid",
                              v);
  g_string_append_printf (text, "  y = Identity (v%u)\n}\n", v);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  driver_open_example ("seed", "none");
  driver_resize (860, 600);
  driver_open (path);
  g_assert_true (ph_graph_canvas_node_rect (
      driver_canvas (), ph_model_find_value_named (ph_document_get_model (driver_document ()), "x")->id, &rect));
  g_assert_cmpfloat (rect.origin.x, >=, 0);
  g_assert_cmpfloat (rect.origin.y, >=, 0);
  g_assert_cmpfloat (rect.origin.x + rect.size.width, <=, (float) gtk_widget_get_width (GTK_WIDGET (driver_canvas ())));
  driver_resize (1280, 800);
  g_remove (path);
}

static void
check_quarter (GtkWidget *bottom)
{
  const int height = gtk_widget_get_height (gtk_widget_get_ancestor (bottom, GTK_TYPE_PANED));

  g_assert_cmpint (abs (4 * gtk_widget_get_height (bottom) - height), <, 40); /* the edge has a width */
}

/* The bottom pane has a quarter of the window's height, until its edge is dragged. What it has at least would hide that on a small screen. */
static void
test_share (void)
{
  GtkWidget *bottom = find (PH_TYPE_BOTTOM_PANE);
  GtkPaned *paned = GTK_PANED (gtk_widget_get_ancestor (bottom, GTK_TYPE_PANED));
  int least, height;

  gtk_widget_get_size_request (bottom, NULL, &least);
  gtk_widget_set_size_request (bottom, -1, 80);
  driver_open_example ("seed", "none");
  resize (1180, 700);
  check_quarter (bottom);
  resize (1180, 790);
  check_quarter (bottom);
  resize (1180, 700);
  check_quarter (bottom);
  height = gtk_widget_get_height (bottom) + 60;
  gtk_paned_set_position (paned, gtk_paned_get_position (paned) - 60);
  driver_settle ();
  resize (1180, 790);
  g_assert_cmpint (gtk_widget_get_height (bottom), ==, height);
  gtk_widget_set_size_request (bottom, -1, least);
  driver_resize (1280, 800);
}

/* A graph without anything in it says so; one that has an input or a node is drawn. */
static void
test_nothing (void)
{
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "nothing.onnxtxt", NULL);
  GtkWidget *hint;

  g_assert_true (g_file_set_contents (path, "<ir_version: 8, opset_import: [\"\" : 17]>\nnothing () => () {\n}\n", -1, NULL));
  driver_open (path);
  for (hint = GTK_WIDGET (driver_canvas ()); hint && !ADW_IS_STATUS_PAGE (hint);)
    hint = gtk_widget_get_next_sibling (hint);
  g_assert_true (hint && gtk_widget_get_mapped (hint));
  driver_open_example ("seed", "none");
  g_assert_false (gtk_widget_get_mapped (hint));
  driver_expect_text (find (PH_TYPE_HISTORY_PANEL), "choose a pipeline above");
  g_remove (path);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/sizes/small", test_small);
  g_test_add_func ("/sizes/bars", test_bars);
  g_test_add_func ("/sizes/large-text", test_large_text);
  g_test_add_func ("/sizes/right-to-left", test_right_to_left);
  g_test_add_func ("/sizes/opens-at-input", test_opens_at_input);
  g_test_add_func ("/sizes/share", test_share);
  g_test_add_func ("/sizes/nothing", test_nothing);
  return driver_main ();
}
