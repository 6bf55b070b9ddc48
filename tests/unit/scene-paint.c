/* scene-paint.c: tests of what is drawn of a picture: files, the words on boxes, colours and their legend.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>

#include "core/draw/export.h"
#include "core/draw/paint.h"
#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/run/inputs.h"
#include "core/run/profile.h"
#include "core/scene/scene-read.h"
#include "tests/unit/scene-sample.h"

static void
test_render (void)
{
  static const char *const endings[] = { "svg", "pdf", "png", "dot" };
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", "seed.onnxtxt", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autofree char *folder = NULL;
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);

  g_assert_no_error (error);
  g_hash_table_insert (values, GUINT_TO_POINTER (((PhValue *) model->graph->first->outputs->pdata[0])->id), "0.693");
  folder = g_dir_make_tmp ("peephole-scene-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *name = g_strconcat ("picture.", endings[i], NULL), *to = g_build_filename (folder, name, NULL),
                      *text = NULL;
      gsize length = 0;

      g_assert_true (ph_render_file (model, NULL, &(PhRenderOptions) { .values = values }, NULL, to, NULL, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (to, &text, &length, &error));
      g_assert_cmpuint (length, >, 300);
      if (i == 2) /* the background reaches the last pixel */
        {
          cairo_surface_t *image = cairo_image_surface_create_from_png (to);
          const guint8 *pixel = cairo_image_surface_get_data (image) + 4 * (cairo_image_surface_get_width (image) - 1);

          g_assert_cmpuint (pixel[0], >, 240);
          cairo_surface_destroy (image);
        }
      if (i == 3) /* for Graphviz's own tools: places, and lines from border to border */
        {
          g_assert_nonnull (strstr (text, "layout=nop2"));
          g_assert_nonnull (strstr (text, "b0 -> b2"));
          g_assert_nonnull (strstr (text, ", pos=\"e,"));
          g_assert_nonnull (strstr (text, "label=\"0.693\"")); /* what is known of a value stands on its edges */
        }
      g_remove (to);
    }
  g_assert_false (ph_render_file (model, NULL, &(PhRenderOptions) { 0 }, NULL, "picture.jpg", NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_false (ph_render_file (model, NULL, &(PhRenderOptions) { 0 }, NULL, "/does/not/exist/a.svg", NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_FILE);
  g_rmdir (folder);
}

/* A short line has no room for a label: it is seen from end to end. */
static void
test_short_lines (void)
{
  g_autofree char *path = scene_example ("seed");
  g_autoptr (GError) error = NULL;
  const PhSceneOptions scene_options = { .engine = PH_LAYOUT_LAYERED };
  g_autoptr (PhScene) scene = ph_scene_new (ph_io_open (path, NULL, NULL, &error), NULL, &scene_options, NULL, &error);
  g_autoptr (PhInk) ink = ph_ink_new ();
  const double scale = 1.5;
  PhDrawOptions options = { .scale = scale, .clip = { 0, 0, ph_scene_width (scene), ph_scene_height (scene) } };
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (ph_scene_width (scene) * scale),
                                                         (int) (ph_scene_height (scene) * scale));
  cairo_t *cr = cairo_create (surface);
  guint n_short = 0;

  cairo_scale (cr, scale, scale);
  ph_scene_draw (scene, cr, ink, &options);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhPoint *p = ph_scene_points (scene, edge), *end = p + edge->n_points - 1;

      if (edge->n_points != 4 || fabsf (p->x - end->x) > 0.5f || fabsf (end->y - p->y) > 40)
        continue;
      for (double part = 0.42; part < 0.6; part += 0.04)
        {
          const int x = (int) (p->x * scale), y = (int) ((p->y + part * (end->y - p->y)) * scale);
          const guint8 *at = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface) + 4 * x;

          g_assert_cmpuint (MIN (at[0], MIN (at[-4], at[4])), <, 200);
        }
      n_short++;
    }
  g_assert_cmpuint (n_short, >=, 2);
  cairo_surface_destroy (surface);
}

/* Draws the notes of @diff alone, and says where they are. */
static PhRect
draw_notes (PhScene *scene, PhInk *ink, const PhDrawOptions *options, const PhDiff *diff)
{
  cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (surface);
  double x, y, width, height;

  ph_scene_draw_notes (scene, cr, ink, options, diff);
  cairo_destroy (cr);
  cairo_recording_surface_ink_extents (surface, &x, &y, &width, &height);
  cairo_surface_destroy (surface);
  return (PhRect) { x, y, width, height };
}

/* What a changed node says of itself hides the end of no line, and is not cut off where the node can be seen. */
static void
test_notes (void)
{
  g_autofree char *path = scene_example ("cse");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhSceneOptions scene_options = { .engine = PH_LAYOUT_LAYERED };
  g_autoptr (PhInk) ink = ph_ink_new ();
  g_autoptr (PhScene) scene = NULL;
  PhDrawOptions options = { .scale = 1 };
  PhRect note, card = { 0 };
  PhDiff *diff;

  g_assert_true (ph_pass_run (ph_pass_find ("cse"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error));
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &scene_options, NULL, &error);
  g_assert_no_error (error);
  diff = ph_diff_new (history, model, (PhPosition) { 0, 0 }, (PhPosition) { 1, 0 });
  options.time = ph_scene_end (scene);
  options.clip = (PhRect) { 0, 0, ph_scene_width (scene), ph_scene_height (scene) };
  note = draw_notes (scene, ink, &options, diff); /* of one node */
  g_assert_cmpfloat (note.width, >, 40);
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhPoint tip = ph_scene_points (scene, edge)[edge->n_points - 1];

      g_assert_false (note.x < tip.x && tip.x < note.x + note.width && note.y < tip.y - 8 && tip.y - 8 < note.y + note.height);
    }
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhTenant *tenant = ph_scene_box (scene, b)->n_tenants > 0 ? ph_scene_tenant (scene, b, options.time) : NULL;
      const PhNodeChange *change = tenant != NULL ? g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (tenant->id)) : NULL;

      if (change != NULL && change->change == PH_CHANGE_CHANGED)
        card = ph_scene_card (scene, b, options.time, options.since);
    }
  g_assert_cmpfloat (card.width, >, 0);
  for (int side = 0; side < 4; side++)
    {
      const float left = side & 1 ? 300 : 1, right = side & 1 ? 1 : 300, top = side & 2 ? 300 : 1, bottom = side & 2 ? 1 : 300;

      options.clip = (PhRect) { card.x - left, card.y - top, card.width + left + right, card.height + top + bottom };
      note = draw_notes (scene, ink, &options, diff);
      g_assert_cmpfloat (note.x, >=, options.clip.x - 1);
      g_assert_cmpfloat (note.y, >=, options.clip.y - 1);
      g_assert_cmpfloat (note.x + note.width, <=, options.clip.x + options.clip.width + 1);
      g_assert_cmpfloat (note.y + note.height, <=, options.clip.y + options.clip.height + 1);
    }
  ph_diff_free (diff);
}

/* A fused box says what its main part is like; an output the value that it has. */
static void
test_boxes (void)
{
  g_autofree char *path = scene_example ("conv-bn-relu");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  PhDrawOptions options = { .scale = 1 };
  guint n_fused = 0, n_outputs = 0;

  scene_run_pipeline (model, history, "O2");
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), NULL, NULL, &error);
  g_assert_no_error (error);
  options.time = options.since = ph_scene_end (scene);
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, b);
      const PhTenant *tenant = ph_scene_tenant (scene, b, options.time), *first = ph_scene_tenant (scene, b, 0);

      /* What stood in the place of the fused node has no inside, and no sign of one. */
      g_assert_false (first != NULL && first->has_inside);
      if (tenant != NULL && ph_scene_face (scene, tenant, options.time)->n_body > 0)
        {
          g_assert_true (tenant->has_inside);
          g_assert_cmpstr (ph_scene_face (scene, tenant, options.time)->detail, ==, "3×3, pad 1");
          n_fused++;
        }
      if (box->kind == PH_BOX_OUTPUT)
        {
          const PhValue *y = model->graph->outputs->pdata[0];
          guint64 without;

          /* Below the middle, where no line ends. */
          options.clip = (PhRect) { box->rect.x, box->rect.y + 0.6f * box->rect.height, box->rect.width,
                                    0.3f * box->rect.height };
          options.values = values;
          without = ph_scene_look_hash (scene, &options);
          g_hash_table_insert (values, GUINT_TO_POINTER (y->id), (gpointer) "11.652");
          g_assert_cmpuint (ph_scene_look_hash (scene, &options), !=, without);
          n_outputs++;
        }
    }
  g_assert_cmpuint (n_fused, ==, 1);
  g_assert_cmpuint (n_outputs, ==, 1);

  /* A diff in a file says what was replaced and fused, as the window does. */
  {
    g_autofree char *plain = g_build_filename (g_get_tmp_dir (), "peephole-diff-plain.svg", NULL),
                    *noted = g_build_filename (g_get_tmp_dir (), "peephole-diff-noted.svg", NULL);
    g_autofree char *before = NULL, *after = NULL;
    gsize n_before, n_after;
    const PhPosition end = { history->steps->len, 0 }, start = { 0, 0 };

    g_assert_true (ph_scene_save (scene, plain, ph_scene_end (scene), 0, PH_THEME_LIGHT, NULL, &error));
    g_assert_true (ph_render_file (model, history, &(PhRenderOptions) { .from = start, .to = end }, NULL, noted, NULL, &error));
    g_assert_true (g_file_get_contents (plain, &before, &n_before, NULL));
    g_assert_true (g_file_get_contents (noted, &after, &n_after, NULL));
    g_assert_cmpuint (n_after, >, n_before + 1000);
    g_remove (plain);
    g_remove (noted);
  }
}

/* Every node has a colour that the legend names, and the hottest is the costliest. */
static void
test_paint (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", "conv-bn-relu.onnxtxt",
                                            NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED };
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GHashTable) feeds = NULL;
  g_autoptr (PhProfile) profile = NULL;

  g_assert_no_error (error);
  feeds = ph_inputs_find (model, NULL, PH_INPUTS_NORMAL, 1, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  profile = ph_profile_model (model, feeds, 1, NULL, &error);
  g_assert_no_error (error);
  scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
  g_assert_no_error (error);
  for (PhColorMode mode = 0; mode < PH_N_COLOR_MODES; mode++)
    {
      g_autoptr (PhMeasure) measure = ph_color_mode_is_measured (mode) ? ph_measure_new_of_profile (profile, mode)
                                                                       : ph_measure_new_of_model (model, mode);
      const gboolean numbers = mode == PH_COLOR_COST || mode == PH_COLOR_MEMORY || mode == PH_COLOR_TIME || mode == PH_COLOR_ROOF;
      g_autoptr (PhPaint) paint = measure != NULL ? ph_paint_new (scene, 0, measure) : NULL;
      g_autoptr (PhInk) ink = ph_ink_new ();
      guint n_nodes = 0, sum = 0, known = 0;
      g_autofree char *least = NULL, *most = NULL;
      double width = 0, height = 0;
      PhColorMode found = PH_N_COLOR_MODES;
      float at;

      g_assert_true (ph_color_mode_find (ph_color_mode_name (mode), &found) && found == mode);
      g_assert_true ((paint == NULL) == (ph_color_mode_is_given (mode) && !ph_color_mode_is_measured (mode)));
      if (paint == NULL)
        continue;
      for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
        if (ph_scene_box (scene, b)->kind == PH_BOX_NODE && ph_scene_tenant (scene, b, 0) != NULL)
          {
            n_nodes++;
            known += ph_paint_knows (paint, b);
          }
      for (guint i = 0; i < ph_paint_n_entries (paint); i++)
        {
          guint count = 0;

          ph_paint_entry (paint, i, PH_THEME_LIGHT, NULL, &count);
          sum += count;
        }
      g_assert_cmpuint (known + ph_paint_n_unknown (paint), ==, n_nodes);
      g_assert_cmpint (ph_paint_tick (paint, 0, &at, &least), ==, numbers);
      if (ph_color_mode_is_measured (mode))
        g_assert_cmpuint (known, ==, n_nodes);
      if (least == NULL)
        g_assert_cmpuint (sum, ==, known);
      else
        {
          PhId hottest = PH_NO_ID;
          gint64 largest = -1;

          g_assert_true (ph_paint_tick (paint, 4, &at, &most) && at == 1);
          g_assert_true (g_str_has_suffix (most, mode == PH_COLOR_COST     ? "FLOP"
                                                 : mode == PH_COLOR_MEMORY ? "B"
                                                 : mode == PH_COLOR_TIME   ? "s"
                                                                           : ""));
          PH_FOREACH_NODE (node, model->graph)
            if (mode == PH_COLOR_COST && ph_node_flops (node) > largest)
              {
                largest = ph_node_flops (node);
                hottest = node->id;
              }
          if (mode == PH_COLOR_COST)
            {
              const PhColor color = ph_paint_color (paint, ph_scene_find (scene, hottest, NULL), PH_THEME_LIGHT);
              const PhColor hot = ph_heat_color (1, PH_THEME_LIGHT);

              g_assert_cmpmem (&color, sizeof color, &hot, sizeof hot);
            }
        }
      ph_paint_legend_size (paint, ink, 300, &width, &height);
      g_assert_cmpfloat (width, <=, 330);
      g_assert_cmpfloat (height, >, 20);
    }
}

/* More names than there are colours share one entry; scales of units. */
static void
test_paint_given (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", "inception.onnxtxt", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED };
  GHashTable *names = g_hash_table_new_full (NULL, NULL, NULL, g_free), *times = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (PhMeasure) by_name = ph_measure_new_names (PH_COLOR_QUERY, "Queue", names);
  /* What is as good as a whole is called that. */
  GHashTable *shares = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (PhMeasure) by_share = ph_measure_new_numbers (PH_COLOR_ROOF, NULL, NULL, shares);
  g_autoptr (PhMeasure) by_time = ph_measure_new_numbers (PH_COLOR_TIME, "Time", "s", times);
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (PhPaint) paint = NULL;
  guint n = 0, sum = 0, count;

  g_assert_no_error (error);
  PH_FOREACH_NODE (node, model->graph)
    {
      const double time = 1e-6 * (n + 1), share = 0.9999;

      g_hash_table_insert (shares, GUINT_TO_POINTER (node->id), g_memdup2 (&share, sizeof share));
      g_hash_table_insert (names, GUINT_TO_POINTER (node->id), g_strdup_printf ("q%u", n));
      g_hash_table_insert (times, GUINT_TO_POINTER (node->id), g_memdup2 (&time, sizeof time));
      n++;
    }
  g_assert_cmpuint (n, >, 8);
  scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
  g_assert_no_error (error);
  paint = ph_paint_new (scene, 0, by_name);
  g_assert_cmpstr (ph_paint_title (paint), ==, "Queue");
  g_assert_cmpuint (ph_paint_n_entries (paint), ==, 8);
  g_assert_true (g_str_has_suffix (ph_paint_entry (paint, 7, PH_THEME_DARK, NULL, &count), " others"));
  for (guint i = 0; i < 8; i++, sum += count)
    ph_paint_entry (paint, i, PH_THEME_DARK, NULL, &count);
  g_assert_cmpuint (sum + ph_paint_n_unknown (paint), <=, n);
  ph_paint_unref (paint);
  paint = ph_paint_new (scene, 0, by_time);
  {
    g_autofree char *label = NULL;
    float at;

    g_assert_true (ph_paint_tick (paint, 4, &at, &label));
    g_assert_true (g_str_has_suffix (label, " µs"));
  }
  ph_paint_unref (paint);
  paint = ph_paint_new (scene, 0, by_share);
  for (guint i = 0; i < 5; i++)
    {
      static const char *const labels[] = { "0", "0.25", "0.5", "0.75", "1" };
      g_autofree char *label = NULL;
      float at;

      g_assert_true (ph_paint_tick (paint, i, &at, &label));
      g_assert_cmpstr (label, ==, labels[i]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scene-paint/render", test_render);
  g_test_add_func ("/scene-paint/short-lines", test_short_lines);
  g_test_add_func ("/scene-paint/notes", test_notes);
  g_test_add_func ("/scene-paint/boxes", test_boxes);
  g_test_add_func ("/scene-paint/paint", test_paint);
  g_test_add_func ("/scene-paint/paint-given", test_paint_given);
  return g_test_run ();
}
