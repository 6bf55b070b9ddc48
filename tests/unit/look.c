/* look.c: tests that a tile which is said to look as before does so, to the last pixel.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/draw/paint.h"
#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/scene/scene.h"
#include "passes/pass.h"

#define GRID 4
#define SIDE 160 /* pixels of a tile */

typedef struct
{
  guint64 hash;
  cairo_surface_t *picture;
} Tile;

static cairo_surface_t *
draw (PhScene *scene, PhInk *ink, const PhDrawOptions *options)
{
  cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_RGB24, SIDE, SIDE);
  cairo_t *cr = cairo_create (picture);

  cairo_scale (cr, options->scale, options->scale);
  cairo_translate (cr, -options->clip.x, -options->clip.y);
  ph_scene_draw (scene, cr, ink, options);
  cairo_destroy (cr);
  cairo_surface_flush (picture);
  return picture;
}

static PhScene *
scene_of (const char *name, gboolean grouped)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhPipeline *pipeline = ph_pipeline_find ("O2");
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED, .by_scope = grouped };
  PhScene *scene;

  g_assert_no_error (error);
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      const PhPass *pass = ph_pass_find (pipeline->passes[i]);

      if (pass != NULL)
        ph_pass_run (pass, model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
    }
  scene = ph_scene_new (g_steal_pointer (&model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  return scene;
}

/* Goes back through all rewrites without a diff and forth with one, with the picture cut into tiles, as the canvas does. */
static void
check (const char *name, gboolean grouped, double scale)
{
  g_autoptr (PhScene) scene = scene_of (name, grouped);
  g_autoptr (PhInk) ink = ph_ink_new ();
  Tile tiles[GRID * GRID] = { 0 };
  guint n_same = 0, n_other = 0;

  g_assert_cmpint (ph_scene_end (scene), >, 1);
  for (int at = -ph_scene_end (scene); at <= ph_scene_end (scene); at++)
    for (int i = 0; i < GRID * GRID; i++)
      {
        PhDrawOptions options = { .time = ABS (at), .since = at < 0 ? ABS (at) : MAX (at - 1, 0), .scale = scale };
        cairo_surface_t *picture;
        guint64 hash;

        options.clip = (PhRect) { ph_scene_width (scene) / 2 + (i % GRID - GRID / 2) * SIDE / scale, i / GRID * SIDE / scale,
                                  SIDE / scale, SIDE / scale };
        hash = ph_scene_look_hash (scene, &options);
        picture = draw (scene, ink, &options);
        if (tiles[i].picture != NULL && tiles[i].hash == hash)
          {
            n_same++;
            g_assert_cmpmem (cairo_image_surface_get_data (picture), SIDE * cairo_image_surface_get_stride (picture),
                             cairo_image_surface_get_data (tiles[i].picture), SIDE * cairo_image_surface_get_stride (picture));
          }
        else
          n_other++;
        g_clear_pointer (&tiles[i].picture, cairo_surface_destroy);
        tiles[i] = (Tile) { hash, picture };
      }
  for (int i = 0; i < GRID * GRID; i++)
    cairo_surface_destroy (tiles[i].picture);
  g_test_message ("%s: %u tiles as before, %u others", name, n_same, n_other);
  g_assert_cmpuint (n_same, >, n_other / 8);
  g_assert_cmpuint (n_other, >, GRID * GRID);
}

static void
test_near (void)
{
  check ("attention.onnxtxt", FALSE, 0.8);
  check ("inception.onnxtxt", FALSE, 1.4);
}

static void
test_far (void)
{
  check ("attention.onnxtxt", FALSE, 0.12);
  check ("inception.onnxtxt", FALSE, 0.3);
}

static void
test_groups (void)
{
  check ("attention.onnxtxt", TRUE, 0.8);
  check ("conv-bn-relu.onnxtxt", TRUE, 0.8);
}

/* All that is written in the picture can be read: on boxes, plates and the background, also where they are pale. */
static void
test_contrast (void)
{
  const PhColor white = { 1, 1, 1, 1 };

  for (PhTheme theme = PH_THEME_LIGHT; theme <= PH_THEME_HIGH_CONTRAST_DARK; theme++)
    {
      const PhColor background = ph_theme_background (theme);

      for (PhFamily family = 0; family < PH_N_FAMILIES; family++)
        {
          const PhColor full = ph_family_color (family, theme);

          g_assert_cmpfloat (ph_contrast (white, full), >=, PH_CONTRAST);
          for (int part = 0; part <= 10; part++)
            {
              const double t = part / 10.0;
              const PhColor pale = { background.red + t * (full.red - background.red),
                                     background.green + t * (full.green - background.green),
                                     background.blue + t * (full.blue - background.blue), 1 };
              const PhColor inks[] = { white, full, pale, ph_theme_text (theme), ph_theme_accent (theme) };

              for (guint i = 0; i < G_N_ELEMENTS (inks); i++)
                g_assert_cmpfloat (ph_contrast (ph_readable (inks[i], pale), pale), >=, PH_CONTRAST);
            }
        }
      for (int i = 0; i <= 20; i++)
        g_assert_cmpfloat (ph_contrast (white, ph_heat_color (i / 20.0f, theme)), >=, PH_CONTRAST);
      for (guint name = 0; name < 8; name++)
        g_assert_cmpfloat (ph_contrast (white, ph_name_color (name, theme)), >=, PH_CONTRAST);
      g_assert_cmpfloat (ph_contrast (white, ph_none_color (theme)), >=, PH_CONTRAST);
      for (PhChange change = PH_CHANGE_NONE; change <= PH_CHANGE_CHANGED; change++)
        g_assert_cmpfloat (ph_contrast (ph_theme_change (theme, change), background), >=, PH_CONTRAST);
    }
  /* What is read already stays as it is. */
  g_assert_cmpfloat (ph_readable (white, ph_theme_background (PH_THEME_DARK)).green, ==, 1);
}

/* The counts of a step are read too: the colours of the last sheet that Adwaita loads, on the bar where they stand. */
static void
test_sheets (void)
{
  static const char *const sheets[][4] = { [PH_THEME_LIGHT] = { "style" },
                                           [PH_THEME_DARK] = { "style", "style-dark" },
                                           [PH_THEME_HIGH_CONTRAST] = { "style", "style-hc" },
                                           [PH_THEME_HIGH_CONTRAST_DARK] = { "style", "style-dark", "style-hc",
                                                                             "style-hc-dark" } };
  static const char *const names[] = { "ph_added", "ph_removed", "ph_changed" };
  const PhColor light = { 0xeb / 255.0, 0xeb / 255.0, 0xeb / 255.0, 1 }, dark = { 0x30 / 255.0, 0x30 / 255.0, 0x30 / 255.0, 1 };

  for (PhTheme theme = PH_THEME_LIGHT; theme <= PH_THEME_HIGH_CONTRAST_DARK; theme++)
    for (guint n = 0; n < G_N_ELEMENTS (names); n++)
      {
        const gboolean is_dark = theme == PH_THEME_DARK || theme == PH_THEME_HIGH_CONTRAST_DARK;
        g_autofree char *start = g_strdup_printf ("@define-color %s #", names[n]);
        guint rgb = 0;

        for (guint i = 0; i < G_N_ELEMENTS (sheets[theme]) && sheets[theme][i]; i++)
          {
            g_autofree char *name = g_strconcat (sheets[theme][i], ".css", NULL);
            g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "resources", name, NULL), *text = NULL;

            g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
            const char *found = strstr (text, start);
            if (found)
              rgb = (guint) g_ascii_strtoull (found + strlen (start), NULL, 16);
          }
        const PhColor color = { (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, 1 };
        g_assert_cmpfloat (ph_contrast (color, is_dark ? dark : light), >=, PH_CONTRAST);
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/look/contrast", test_contrast);
  g_test_add_func ("/look/sheets", test_sheets);
  g_test_add_func ("/look/near", test_near);
  g_test_add_func ("/look/far", test_far);
  g_test_add_func ("/look/groups", test_groups);
  return g_test_run ();
}
