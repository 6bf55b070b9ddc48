/* export.c: a scene as a file: SVG, PDF, PNG, DOT.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/draw/dot.h"
#include "core/draw/draw-private.h"
#include "core/draw/export.h"
#include "core/replace.h"
#include "core/scene/scene.h"

#define NOTES      60.0f /* points at the right of a diff */
#define MANY_NODES 5000  /* from this many on groups are drawn closed */
#define MOST_BOXES 1500  /* then opened automatically                */
#define LEGEND_PAD 20.0
#define MAX_PIXELS 12000 /* of a picture's side       */
#define MAX_PAGE   14000 /* of a PDF's, in points     */

/* Writes a file completely or not at all: on a full disk the old contents remain. */
static gboolean
write_whole (const char *path, const void *data, gsize length, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *name = NULL;

  if (ph_replace_contents (path, data, length, &local))
    return TRUE;
  name = g_filename_display_name (path);
  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be written: %s. What was there before is untouched", name,
               local->message);
  return FALSE;
}

static gboolean
save_dot (PhScene *scene, const char *path, int time, int since, GHashTable *values, GError **error)
{
  g_autofree char *text = ph_dot_print (scene, time, since, values);

  return write_whole (path, text, strlen (text), error);
}

static cairo_status_t
append (void *bytes, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* ── a picture ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static double
picture_width (const PhPicture *picture)
{
  return MAX (picture->options.clip.width, picture->legend && picture->options.paint != NULL ? 400 : 1);
}

static double
legend_height (const PhPicture *picture, PhInk *ink)
{
  double width, height;

  if (!picture->legend || picture->options.paint == NULL)
    return 0;
  ph_paint_legend_size (picture->options.paint, ink, picture_width (picture) - 2 * LEGEND_PAD, &width, &height);
  return height + 1.5 * LEGEND_PAD;
}

void
ph_picture_size (const PhPicture *picture, PhInk *ink, double *width, double *height)
{
  *width = picture_width (picture);
  *height = MAX (picture->options.clip.height, 1) + legend_height (picture, ink);
}

/* Draws the picture, with the legend of its colours below. */
void
ph_picture_draw (const PhPicture *picture, cairo_t *cr, PhInk *ink, double scale)
{
  PhDrawOptions options = picture->options;
  const double legend = legend_height (picture, ink);

  options.scale = scale;
  options.clip.width = picture_width (picture);
  options.clip.height = MAX (options.clip.height, 1);
  cairo_save (cr);
  cairo_rectangle (cr, 0, 0, options.clip.width, options.clip.height);
  cairo_clip (cr);
  cairo_translate (cr, -options.clip.x, -options.clip.y);
  ph_scene_draw (picture->scene, cr, ink, &options);
  if (picture->diff != NULL)
    ph_scene_draw_notes (picture->scene, cr, ink, &options, picture->diff);
  cairo_restore (cr);
  if (legend == 0)
    return;
  cairo_save (cr);
  cairo_translate (cr, 0, options.clip.height);
  cairo_rectangle (cr, 0, 0, options.clip.width, legend);
  ph_set_color (cr, ph_theme_background (options.theme));
  cairo_fill (cr);
  cairo_translate (cr, LEGEND_PAD, LEGEND_PAD / 2);
  ph_paint_draw_legend (options.paint, cr, ink, options.theme, options.clip.width - 2 * LEGEND_PAD);
  cairo_restore (cr);
}

gboolean
ph_picture_save (const PhPicture *picture, const char *path, double scale, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhInk) ink = ph_ink_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface = NULL;
  cairo_status_t status;
  cairo_t *cr;
  double width, height, detail = 1;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (g_str_has_suffix (path, ".dot"))
    return save_dot (picture->scene, path, picture->options.time, picture->options.since, picture->options.values, error);
  ph_picture_size (picture, ink, &width, &height);
  if (g_str_has_suffix (path, ".svg"))
    {
      surface = cairo_svg_surface_create_for_stream (append, bytes, width, height);
      cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
      scale = 1;
    }
  else if (g_str_has_suffix (path, ".pdf"))
    {
      scale = MIN (1, MAX_PAGE / MAX (width, height));
      surface = cairo_pdf_surface_create_for_stream (append, bytes, width * scale, height * scale);
    }
  else if (g_str_has_suffix (path, ".png"))
    {
      scale = detail = MIN (scale, MAX_PIXELS / MAX (width, height));
      surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, ceil (width * scale), ceil (height * scale));
    }
  else
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s: a picture is written as .svg, .pdf, .png or .dot", path);
      return FALSE;
    }

  cr = cairo_create (surface);
  /* The last pixels are only in part of the picture. */
  ph_set_color (cr, ph_theme_background (picture->options.theme));
  if (!picture->options.transparent)
    cairo_paint (cr);
  cairo_scale (cr, scale, scale);
  ph_picture_draw (picture, cr, ink, detail);
  cairo_destroy (cr);
  status = g_str_has_suffix (path, ".png") && !g_cancellable_is_cancelled (cancellable)
               ? cairo_surface_write_to_png_stream (surface, append, bytes)
               : CAIRO_STATUS_SUCCESS;
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: the picture cannot be drawn: %s", path, cairo_status_to_string (status));
      return FALSE;
    }
  return write_whole (path, bytes->data, bytes->len, error);
}

gboolean
ph_scene_save (PhScene *scene, const char *path, int time, int since, PhTheme theme, PhPaint *paint, GError **error)
{
  const PhPicture picture = { scene,
                              { .theme = theme,
                                .time = time,
                                .since = since,
                                .clip = { 0, 0, ph_scene_width (scene), ph_scene_height (scene) },
                                .paint = paint },
                              NULL,
                              TRUE };

  return ph_picture_save (&picture, path, 1.5, NULL, error);
}

gboolean
ph_render_is_grouped (PhModel *model)
{
  return ph_model_n_nodes (model, TRUE) > MANY_NODES || ph_scene_has_blocks (model);
}

PhSceneOptions
ph_render_scene_options (PhModel *model)
{
  const gboolean grouped = ph_render_is_grouped (model);

  return (PhSceneOptions) { .by_scope = grouped, .open_all = grouped ? MOST_BOXES : PH_SCENE_OPEN_BOXES, .seconds = 10 };
}

gboolean
ph_render_file (PhModel *model, PhHistory *history, const PhRenderOptions *options, PhRenderFacts *facts, const char *path,
                GCancellable *cancellable, GError **error)
{
  const int time = history != NULL ? ph_scene_time (history, options->to) : 0;
  const int since = history != NULL ? ph_scene_time (history, options->from) : 0;
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (PhPaint) paint = NULL;
  g_autoptr (PhDiff) diff = NULL;

  scene = ph_scene_new_of (ph_record_new (model, history, options->inside, cancellable), &options->scene, cancellable, error);
  if (scene == NULL)
    return FALSE;
  if (facts != NULL)
    {
      facts->drawn_by = ph_scene_drawn_by (scene, &facts->ms);
      ph_scene_count_faults (scene, time, &facts->crossings, &facts->over);
    }
  if (options->measure != NULL)
    paint = ph_paint_new (scene, time, options->measure);
  if (history != NULL && time != since)
    diff = ph_diff_new (history, model, options->from, options->to);

  /* Names of replaced nodes are written beside their boxes. */
  const float width = ph_scene_width (scene) + (diff != NULL ? NOTES : 0);
  const PhDrawOptions look = { .time = time,
                               .since = since,
                               .clip = { 0, 0, width, ph_scene_height (scene) },
                               .values = options->values,
                               .paint = paint,
                               .edge_width = options->edge_width };
  const PhPicture picture = { scene, look, diff, !options->hide_legend };

  return ph_picture_save (&picture, path, 1.5, cancellable, error);
}
