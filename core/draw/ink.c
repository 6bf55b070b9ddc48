/* ink.c: text that is shaped once and kept, and round corners.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"

#include <math.h>
#include <pango/pangocairo.h>

#define MAX_LAYOUTS   4000
#define MAX_STAMPS    4000
#define MAX_STAMPED   2.5  /* pixels a point: larger text is placed well enough without */
#define LEAST_SQUEEZE 0.85 /* the least squeeze that is not noticed */
#define PHASES        4    /* places that a stamp can have within a pixel               */

/* A text as coverage of pixels, rendered on demand for each phase. */
typedef struct
{
  cairo_surface_t *phases[PHASES];
} Stamp;

struct _PhInk
{
  PangoContext *context;
  PangoFontDescription *fonts[PH_N_INKS];
  GHashTable *layouts[PH_N_INKS]; /* text -> PangoLayout */
  GHashTable *stamps;             /* PangoLayout -> Stamp, all at @stamp_scale */
  double stamp_scale;             /* pixels a point */
};

static void
stamp_free (gpointer data)
{
  Stamp *stamp = data;

  for (int i = 0; i < PHASES; i++)
    g_clear_pointer (&stamp->phases[i], cairo_surface_destroy);
  g_free (stamp);
}

PhInk *
ph_ink_new (void)
{
  static const double sizes[PH_N_INKS] = { PH_FACE_TITLE_SIZE, PH_FACE_TEXT_SIZE, 19 };
  PhInk *ink = g_new0 (PhInk, 1);
  cairo_font_options_t *options = cairo_font_options_create ();

  ink->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (ink->context, options);
  pango_cairo_context_set_resolution (ink->context, 96);
  pango_context_set_round_glyph_positions (ink->context, FALSE);
  cairo_font_options_destroy (options);
  ink->stamps = g_hash_table_new_full (NULL, NULL, g_object_unref, stamp_free);
  for (int kind = 0; kind < PH_N_INKS; kind++)
    {
      ink->fonts[kind] = pango_font_description_from_string (PH_FACE_FONT);
      pango_font_description_set_absolute_size (ink->fonts[kind], sizes[kind] * PANGO_SCALE);
      pango_font_description_set_weight (ink->fonts[kind], kind == PH_INK_TEXT ? PANGO_WEIGHT_NORMAL : PANGO_WEIGHT_BOLD);
      ink->layouts[kind] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
    }
  return ink;
}

void
ph_ink_free (PhInk *ink)
{
  for (int kind = 0; kind < PH_N_INKS; kind++)
    {
      g_hash_table_unref (ink->layouts[kind]);
      pango_font_description_free (ink->fonts[kind]);
    }
  g_hash_table_unref (ink->stamps);
  g_object_unref (ink->context);
  g_free (ink);
}

static PangoLayout *
ink_layout (PhInk *ink, PhInkKind kind, const char *text)
{
  PangoLayout *layout = g_hash_table_lookup (ink->layouts[kind], text);

  if (layout == NULL)
    {
      if (g_hash_table_size (ink->layouts[kind]) > MAX_LAYOUTS)
        g_hash_table_remove_all (ink->layouts[kind]);
      layout = pango_layout_new (ink->context);
      pango_layout_set_font_description (layout, ink->fonts[kind]);
      pango_layout_set_text (layout, text, -1);
      g_hash_table_insert (ink->layouts[kind], g_strdup (text), layout);
    }
  return layout;
}

void
ph_ink_size (PhInk *ink, PhInkKind kind, const char *text, double *width, double *height)
{
  int w, h;

  pango_layout_get_size (ink_layout (ink, kind, text), &w, &h);
  *width = w / (double) PANGO_SCALE;
  *height = h / (double) PANGO_SCALE;
}

/* Returns the distance of the baseline from the stamp's upper edge, in pixels. */
static double
stamp_baseline (PangoLayout *layout, double scale)
{
  return ceil (pango_layout_get_baseline (layout) * scale / PANGO_SCALE) + 1;
}

static cairo_surface_t *
make_stamp (PangoLayout *layout, double scale, int phase)
{
  PangoRectangle ink, logical;
  cairo_surface_t *surface;
  cairo_t *cr;

  pango_layout_get_pixel_extents (layout, &ink, &logical);
  surface = cairo_image_surface_create (CAIRO_FORMAT_A8, (int) ceil ((ink.x + ink.width + 2) * scale) + 2,
                                        (int) ceil ((ink.y + ink.height + 2) * scale) + 3);
  cr = cairo_create (surface);
  cairo_translate (cr, 1 + phase / (double) PHASES,
                   stamp_baseline (layout, scale) - pango_layout_get_baseline (layout) * scale / PANGO_SCALE);
  cairo_scale (cr, scale, scale);
  pango_cairo_layout_path (cr, layout);
  cairo_fill (cr);
  cairo_destroy (cr);
  return surface;
}

/* Draws text as a cached stamp of filled outlines. On pixel surfaces cairo positions glyphs at whole pixels, which spaces small text
 * unevenly; outlines are exact but slow to fill, so they are filled once. Returns FALSE where that does not apply: in a file for other
 * programs text stays text. */
static gboolean
stamp (cairo_t *cr, PhInk *ink, PangoLayout *layout, double x, double y)
{
  cairo_surface_t *target = cairo_get_group_target (cr), *surface;
  double device_x, device_y;
  cairo_matrix_t matrix;
  Stamp *at;
  int phase;

  cairo_get_matrix (cr, &matrix);
  cairo_surface_get_device_scale (target, &device_x, &device_y);
  if (cairo_surface_get_type (target) != CAIRO_SURFACE_TYPE_IMAGE || device_x != 1 || device_y != 1 || matrix.xx > MAX_STAMPED
      || matrix.xx != matrix.yy || matrix.xy != 0 || matrix.yx != 0)
    return FALSE;
  if (ink->stamp_scale != matrix.xx || g_hash_table_size (ink->stamps) > MAX_STAMPS)
    g_hash_table_remove_all (ink->stamps);
  ink->stamp_scale = matrix.xx;
  at = g_hash_table_lookup (ink->stamps, layout);
  if (at == NULL)
    {
      at = g_new0 (Stamp, 1);
      g_hash_table_insert (ink->stamps, g_object_ref (layout), at);
    }
  cairo_user_to_device (cr, &x, &y);
  phase = (int) floor ((x - floor (x)) * PHASES);
  surface = at->phases[phase];
  if (surface == NULL)
    surface = at->phases[phase] = make_stamp (layout, matrix.xx, phase);
  cairo_identity_matrix (cr);
  cairo_mask_surface (cr, surface, floor (x) - 1,
                      round (y + pango_layout_get_baseline (layout) * matrix.xx / PANGO_SCALE)
                          - stamp_baseline (layout, matrix.xx));
  cairo_set_matrix (cr, &matrix);
  return TRUE;
}

double
ph_ink_show (cairo_t *cr, PhInk *ink, PhInkKind kind, const char *text, double x, double y, double at, double room)
{
  PangoLayout *layout = ink_layout (ink, kind, text);
  int width, height;
  double squeeze = 1;

  pango_layout_get_size (layout, &width, &height);
  if (room > 0 && width > room * PANGO_SCALE)
    squeeze = room * PANGO_SCALE / width;
  x -= at * squeeze * width / PANGO_SCALE;
  y -= squeeze * height / 2.0 / PANGO_SCALE;
  if (squeeze < 1 || !stamp (cr, ink, layout, x, y))
    {
      cairo_save (cr);
      cairo_translate (cr, x, y);
      cairo_scale (cr, squeeze, squeeze);
      cairo_move_to (cr, 0, 0);
      pango_cairo_show_layout (cr, layout);
      cairo_restore (cr);
    }
  return squeeze * width / PANGO_SCALE;
}

double
ph_ink_show_short (cairo_t *cr, PhInk *ink, PhInkKind kind, const char *text, double x, double y, double at, double room)
{
  const glong n = g_utf8_strlen (text, -1);
  double width, height;
  glong keep;

  ph_ink_size (ink, kind, text, &width, &height);
  keep = (glong) (n * room / LEAST_SQUEEZE / MAX (width, 1)) - 1;
  if (keep >= n - 1 || keep < 4)
    return ph_ink_show (cr, ink, kind, text, x, y, at, room);

  /* The part before a colon is the name; the rest only describes it. */
  const char *colon = strstr (text, ": ");
  const glong name = colon != NULL ? g_utf8_pointer_to_offset (text, colon) : 0;

  if (name > 0 && name <= keep)
    {
      g_autofree char *whole = g_utf8_substring (text, 0, name + 2 < keep ? keep : name);
      g_autofree char *cut = name + 2 < keep ? g_strconcat (whole, "…", NULL) : g_steal_pointer (&whole);

      return ph_ink_show (cr, ink, kind, cut, x, y, at, room);
    }

  g_autofree char *head = g_utf8_substring (text, 0, (keep + 1) / 2), *tail = g_utf8_substring (text, n - keep / 2, n);
  g_autofree char *shorter = g_strconcat (g_strchomp (head), "…", g_strchug (tail), NULL);

  return ph_ink_show (cr, ink, kind, shorter, x, y, at, room);
}

void
ph_ink_round (cairo_t *cr, const PhRect *rect, double radius)
{
  const double x = rect->x, y = rect->y, r = MIN (radius, MIN (rect->width, rect->height) / 2);

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + rect->width - r, y + r, r, -G_PI / 2, 0);
  cairo_arc (cr, x + rect->width - r, y + rect->height - r, r, 0, G_PI / 2);
  cairo_arc (cr, x + r, y + rect->height - r, r, G_PI / 2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path (cr);
}
