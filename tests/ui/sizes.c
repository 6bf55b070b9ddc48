/* sizes.c: small windows and large text: what does not fit is folded away and comes back, nothing is cut off, and a button's text can
 * be read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/fit-bin.h"
#include "views/history-panel.h"
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

static gboolean
wanted (const char *action)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (driver_window ()), action);

  return g_variant_get_boolean (state);
}

static void
test_small (void)
{
  GtkWidget *inspector = find (PH_TYPE_INSPECTOR), *pipeline = find (PH_TYPE_HISTORY_PANEL), *bottom = find (PH_TYPE_BOTTOM_PANE);

  driver_open_example ("attention", "propagate-shapes,dce,cse");
  driver_run ("goto 2");
  resize (1024, 600);
  g_assert_true (gtk_widget_get_mapped (inspector) && gtk_widget_get_mapped (pipeline) && gtk_widget_get_mapped (bottom));
  resize (800, 600);
  g_assert_true (!gtk_widget_get_mapped (inspector) && gtk_widget_get_mapped (pipeline));
  g_assert_false (wanted ("show-inspector"));
  /* What one asks for is there, and something else makes room. */
  driver_key ("shift+F9");
  driver_wait (fits, GINT_TO_POINTER (800), 20, "there is room for the inspector");
  g_assert_true (gtk_widget_get_mapped (inspector) && !gtk_widget_get_mapped (pipeline));
  resize (470, 600);
  g_assert_false (gtk_widget_get_mapped (inspector) || gtk_widget_get_mapped (pipeline));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (driver_canvas ())));
  /* As wide as a telephone: a panel that is asked for takes the place of the picture, and gives it back. */
  resize (370, 600);             /* with the 5 pixels that a border has on each side */
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
  g_assert_true (gtk_widget_get_mapped (pipeline) && wanted ("show-pipeline"));
  driver_key ("shift+F9");
  g_assert_true (gtk_widget_get_mapped (inspector) && wanted ("show-inspector"));
  g_assert_false (gtk_widget_get_mapped (bottom));
  driver_key ("ctrl+F9");
}

static void
test_bars (void)
{
  resize (560, 600);
  driver_key ("ctrl+f");
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.color-query", NULL);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.form-text", NULL);
  resize (560, 600);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.form-side", NULL);
  resize (560, 600);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.form-overlay", NULL);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.color-kind", NULL);
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

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/sizes/small", test_small);
  g_test_add_func ("/sizes/bars", test_bars);
  g_test_add_func ("/sizes/large-text", test_large_text);
  return driver_main ();
}
