/* export.c: a scene as a file: SVG, PDF, PNG, DOT.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/io/dot.h"
#include "core/layout/draw.h"

#define MAX_PIXELS 12000       /* of a picture's side */

static gboolean
save_dot (PhScene *scene, const char *path, int time, int since, GError **error)
{
  g_autofree char *text = ph_dot_print (scene, time, since);

  return g_file_set_contents (path, text, -1, error);
}

gboolean
ph_scene_save (PhScene *scene, const char *path, int time, int since, PhTheme theme, GError **error)
{
  const double width = MAX (ph_scene_width (scene), 1), height = MAX (ph_scene_height (scene), 1);
  PhDrawOptions options = { theme, time, since, 2.0, { 0, 0, width, height }, PH_COLOR_FAMILY, NULL, FALSE, FALSE, FALSE };
  g_autoptr(PhInk) ink = NULL;
  cairo_surface_t *surface = NULL;
  cairo_status_t status;
  cairo_t *cr;

  if (g_str_has_suffix (path, ".dot"))
    return save_dot (scene, path, time, since, error);
  if (g_str_has_suffix (path, ".svg"))
    {
      surface = cairo_svg_surface_create (path, width, height);
      cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
    }
  else if (g_str_has_suffix (path, ".pdf"))
    /* PDF has a largest page. */
    surface = cairo_pdf_surface_create (path, width * MIN (1, 14000 / MAX (width, height)), height * MIN (1, 14000 / MAX (width, height)));
  else if (g_str_has_suffix (path, ".png"))
    {
      options.scale = MIN (1.5, MAX_PIXELS / MAX (width, height));
      surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, ceil (width * options.scale), ceil (height * options.scale));
    }
  else
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s: a picture is written as .svg, .pdf, .png or .dot", path);
      return FALSE;
    }

  cr = cairo_create (surface);
  ink = ph_ink_new ();
  if (g_str_has_suffix (path, ".png"))
    cairo_scale (cr, options.scale, options.scale);
  else if (g_str_has_suffix (path, ".pdf"))
    cairo_scale (cr, MIN (1, 14000 / MAX (width, height)), MIN (1, 14000 / MAX (width, height)));
  else
    options.scale = 1;
  if (g_str_has_suffix (path, ".pdf"))
    options.scale = 1;
  ph_scene_draw (scene, cr, ink, &options);
  cairo_destroy (cr);
  status = g_str_has_suffix (path, ".png") ? cairo_surface_write_to_png (surface, path) : CAIRO_STATUS_SUCCESS;
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s cannot be written: %s", path, cairo_status_to_string (status));
      return FALSE;
    }
  return TRUE;
}

gboolean
ph_render_file (PhModel *model, PhHistory *history, PhPosition from, PhPosition to, const char *path, GCancellable *cancellable,
                GError **error)
{
  const guint n_nodes = ph_model_n_nodes (model, TRUE);
  const PhSceneOptions options = { .by_scope = n_nodes > 5000, .open_all = n_nodes > 5000 ? 1500 : 0, .seconds = 10 };
  g_autoptr(PhScene) scene = NULL;

  scene = ph_scene_new (ph_model_clone (model), history != NULL ? ph_history_snapshot (history) : NULL, &options, cancellable, error);
  if (scene == NULL)
    return FALSE;
  return ph_scene_save (scene, path, history != NULL ? ph_scene_time (history, to) : 0, history != NULL ? ph_scene_time (history, from) : 0,
                        PH_THEME_LIGHT, error);
}
