/* roofline.c: the picture of the last profile: empty before it, then one dot a node, which selects its node, by the pointer and by keys.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/roofline-pane.h"

static PhRooflinePane *
pane (void)
{
  return PH_ROOFLINE_PANE (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_ROOFLINE_PANE));
}

static GtkWidget *
chart (void)
{
  return driver_find_named (GTK_WIDGET (pane ()), "chart");
}

static guint
n_dots (void)
{
  guint n = 0;
  double x, y;
  PhId node;

  while (ph_roofline_pane_get_dot (pane (), n, &node, &x, &y))
    n++;
  return n;
}

static gboolean
has_chart (gpointer unused)
{
  return gtk_widget_get_mapped (chart ()) && n_dots () > 0;
}

static gboolean
is_empty (gpointer unused)
{
  return !gtk_widget_get_mapped (chart ()) && driver_has_text (GTK_WIDGET (pane ()), "No Profile Yet");
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  for (const char *at = strstr (text, part); at != NULL; at = strstr (at + 1, part))
    n++;
  return n;
}

/* The files and the window have the same dots. */
static void
test_chart (void)
{
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "roof.svg", NULL), *svg = NULL;
  GtkWidget *bottom = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_BOTTOM_PANE);
  double x, y;
  PhId node, second;

  driver_open_example ("attention", NULL);
  /* Its tab is the one before that of the problems. */
  driver_click_middle (gtk_widget_get_prev_sibling (gtk_widget_get_last_child (driver_find (bottom, GTK_TYPE_STACK_SWITCHER))));
  g_assert_cmpstr (driver_last_line (), ==, "view page roofline");
  driver_wait (is_empty, NULL, 20, "there is no profile");
  driver_picture ("roofline-1-empty");
  driver_run ("profile --random 1 --runs 2 --roofline '%s'", path);
  driver_wait (has_chart, NULL, 20, "the profile is drawn");
  g_assert_true (g_file_get_contents (path, &svg, NULL, NULL));
  g_assert_cmpuint (n_dots (), >, 3);
  g_assert_cmpuint (count (svg, "<title>"), ==, n_dots () + 1);
  g_assert_nonnull (strstr (svg, "GB/s, a copy"));
  g_assert_nonnull (strstr (svg, " nodes without a dot"));
  g_assert_cmpuint (count (svg, "nan") + count (svg, "inf\""), ==, 0);

  /* The last one is above the others. */
  g_assert_true (ph_roofline_pane_get_dot (pane (), n_dots () - 1, &node, &x, &y));
  driver_click (chart (), x, y, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node);
  g_autofree char *line = g_strdup_printf ("select-node n%u", node);
  driver_run ("history");
  g_assert_nonnull (strstr (driver_last_text (), line));
  driver_move (chart (), x + 1, y);
  driver_pause (1);
  driver_picture ("roofline-2-chart");
  gtk_widget_grab_focus (chart ());
  driver_key ("Home");
  g_assert_true (ph_roofline_pane_get_dot (pane (), 0, &node, &x, &y));
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node);
  driver_key ("Right");
  g_assert_true (ph_roofline_pane_get_dot (pane (), 1, &second, &x, &y));
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, second);
  driver_key ("Left");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node);
  driver_key ("End");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, node);
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_FORCE_DARK);
  driver_settle ();
  driver_picture ("roofline-3-dark");
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_DEFAULT);

  /* Another kernel makes what was measured untrue, another file belongs to no profile. */
  driver_run ("set kernel n%u reference", node);
  driver_wait (is_empty, NULL, 20, "the profile is gone");
  driver_run ("profile --random 1 --runs 2");
  driver_wait (has_chart, NULL, 20, "the new profile is drawn");
  driver_open_example ("mlp", NULL);
  driver_wait (is_empty, NULL, 20, "no profile of the other file");
}

/* The button of the empty page measures, and the picture stands where it was. */
static void
test_button (void)
{
  driver_open_example ("mlp", NULL);
  ph_window_show_bottom (driver_window (), "roofline");
  driver_settle ();
  driver_click_middle (driver_find_button (GTK_WIDGET (pane ()), "_Profile"));
  driver_wait (has_chart, NULL, 60, "the profile is drawn");
  g_assert_cmpstr (driver_last_line (), ==, "profile --random 1");
  driver_picture ("roofline-4-button");
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/roofline/chart", test_chart);
  g_test_add_func ("/roofline/button", test_button);
  return driver_main ();
}
