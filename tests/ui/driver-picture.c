/* driver-picture.c: the screen as a file, for people to look at.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver-private.h"

#include <X11/Xutil.h>
#include <cairo.h>

/* What the X server shows, popovers and menus too. */
static cairo_surface_t *
grab (void)
{
  const int width = DisplayWidth (driver_display, DefaultScreen (driver_display)),
            height = DisplayHeight (driver_display, DefaultScreen (driver_display));
  XImage *image = XGetImage (driver_display, DefaultRootWindow (driver_display), 0, 0, (guint) width, (guint) height, AllPlanes,
                             ZPixmap);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint32 *pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (surface);
  const int stride = cairo_image_surface_get_stride (surface) / (int) sizeof *pixels;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      pixels[y * stride + x] = (guint32) XGetPixel (image, x, y);
  cairo_surface_mark_dirty (surface);
  XDestroyImage (image);
  return surface;
}

void
driver_picture (const char *name)
{
  const char *folder = g_getenv ("PEEPHOLE_UI_PICTURES");

  if (!folder)
    return;
  driver_settle ();
  driver_pause (0.8);

  g_autofree char *file = g_strconcat (name, ".png", NULL), *path = g_build_filename (folder, file, NULL);
  cairo_surface_t *surface = grab ();
  g_assert_cmpint (g_mkdir_with_parents (folder, 0777), ==, 0);
  if (cairo_surface_write_to_png (surface, path) != CAIRO_STATUS_SUCCESS)
    g_error ("%s cannot be written", path);
  cairo_surface_destroy (surface);
}
