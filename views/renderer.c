/* renderer.c: reduces the cost of GTK's frames where the CPU draws them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/renderer.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef GDK_WINDOWING_X11
#include <cairo-xlib.h>
#include <gdk/x11/gdkx.h>
#endif

#define KEEP (64 << 20) /* bytes: larger pieces go back to the system at once */

static gboolean
has_graphics_card (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/dev/dri", 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, "renderD"))
      return TRUE;
  return g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS) || g_file_test ("/dev/dxg", G_FILE_TEST_EXISTS);
}

void
ph_renderer_choose (void)
{
  if (!has_graphics_card ())
    g_setenv ("GSK_RENDERER", "cairo", FALSE);
}

#ifdef GDK_WINDOWING_X11
/* cairo frees the memory shared with the display when no part of it is in use. So a part of a frame's size is reserved and never written
 * to. */
static void
hold (GdkSurface *surface)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  Display *display = gdk_x11_display_get_xdisplay (gdk_surface_get_display (surface));
  const Window window = gdk_x11_surface_get_xid (surface);
  G_GNUC_END_IGNORE_DEPRECATIONS
  const int scale = gdk_surface_get_scale_factor (surface);
  const int width = gdk_surface_get_width (surface) * scale, height = gdk_surface_get_height (surface) * scale;
  cairo_surface_t *held = g_object_get_data (G_OBJECT (surface), "ph-held-memory"), *target;

  if (width < 1 || height < 1
      || (held != NULL && cairo_image_surface_get_width (held) * cairo_image_surface_get_height (held) >= width * height))
    return;
  target = cairo_xlib_surface_create (display, window, DefaultVisual (display, DefaultScreen (display)), width, height);
  held = cairo_surface_create_similar_image (target, CAIRO_FORMAT_ARGB32, width, height);
  cairo_surface_destroy (target);
  g_object_set_data_full (G_OBJECT (surface), "ph-held-memory", held, (GDestroyNotify) cairo_surface_destroy);
}
#endif

void
ph_renderer_keep_memory (GtkWidget *widget)
{
#ifdef __GLIBC__
  static gboolean kept;

  if (!kept)
    {
      mallopt (M_MMAP_THRESHOLD, KEEP / 2);
      mallopt (M_TRIM_THRESHOLD, KEEP);
      kept = TRUE;
    }
#endif
#ifdef GDK_WINDOWING_X11
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface = gtk_native_get_surface (native);

  if (GDK_IS_X11_SURFACE (surface) && GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (native))
      && g_object_get_data (G_OBJECT (surface), "ph-held-memory") == NULL)
    {
      g_signal_connect (surface, "layout", G_CALLBACK (hold), NULL);
      hold (surface);
    }
#endif
}
