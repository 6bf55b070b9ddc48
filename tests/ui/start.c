/* start.c: the start page: examples are pictures, and open by a click or a key.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/driver.h"
#include "views/start-page.h"
#include "views/thumbnail.h"

static void
collect (GtkWidget *root, GType type, GPtrArray *into)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (root, type))
    g_ptr_array_add (into, root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    collect (child, type, into);
}

/* (element-type GtkPicture) those of examples */
static GPtrArray *
pictures (void)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  GPtrArray *ours = g_ptr_array_new ();

  collect (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_START_PAGE), GTK_TYPE_PICTURE, all);
  for (guint i = 0; i < all->len; i++)
    if (gtk_widget_has_css_class (gtk_widget_get_ancestor (all->pdata[i], GTK_TYPE_BUTTON), "example"))
      g_ptr_array_add (ours, all->pdata[i]);
  return ours;
}

static gboolean
all_drawn (gpointer unused)
{
  g_autoptr (GPtrArray) shown = pictures ();

  for (guint i = 0; i < shown->len; i++)
    if (gtk_picture_get_paintable (shown->pdata[i]) == NULL)
      return FALSE;
  return shown->len > 0;
}

static gboolean
is_open (gpointer unused)
{
  return ph_document_is_open (driver_document ());
}

static void
test_pictures (void)
{
  g_autoptr (GPtrArray) shown = NULL;

  driver_wait (all_drawn, NULL, 60, "a picture of each example");
  shown = pictures ();
  g_assert_cmpuint (shown->len, >=, 10);
  for (guint i = 0; i < shown->len; i++)
    {
      GdkPaintable *paintable = gtk_picture_get_paintable (shown->pdata[i]);

      g_assert_cmpint (gdk_paintable_get_intrinsic_width (paintable), ==, PH_THUMBNAIL_WIDTH);
      g_assert_cmpint (gtk_widget_get_width (shown->pdata[i]), <, 2 * PH_THUMBNAIL_WIDTH);
    }
}

/* Drawn anew in dark, in the same place. */
static void
test_dark (void)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  g_autoptr (GPtrArray) shown = pictures ();
  g_autoptr (GdkPaintable) before = g_object_ref (gtk_picture_get_paintable (shown->pdata[0]));

  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  while (gtk_picture_get_paintable (shown->pdata[0]) == before)
    g_main_context_iteration (NULL, TRUE);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
  driver_settle ();
}

static void
test_click (void)
{
  g_autoptr (GPtrArray) shown = pictures ();

  driver_click_middle (shown->pdata[1]);
  driver_wait (is_open, NULL, 60, "the example");
  driver_settle ();
  g_assert_true (g_str_has_suffix (ph_document_get_path (driver_document ()), "seed.onnxtxt"));
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/start/pictures", test_pictures);
  g_test_add_func ("/start/dark", test_dark);
  g_test_add_func ("/start/click", test_click);
  return driver_main ();
}
