/* scene-lines.c: tests of lines: as many as a node has inputs, each with an arrow of its own that points into the box, and
 * none of them another when its value is the same.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include <glib/gstdio.h>

#include "core/analyze/recording.h"
#include "core/draw/draw-private.h"
#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/scene/scene-read.h"
#include "tests/unit/scene-sample.h"

#define SAME  1.0f  /* points: arrows that are nearer are one     */
#define FEW   12    /* inputs, up to which each arrow is seen     */
#define STEEP 0.05f /* how far a line at least comes from outside */

static PhModel *
read_text (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-lines-XXXXXX", NULL), *path = g_build_filename (folder, "a.onnxtxt", NULL);
  g_autoptr (GError) error = NULL;
  PhModel *model;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  model = ph_io_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  return model;
}

static int
edge_between (PhScene *scene, PhId from, PhId to)
{
  guint n;
  const int *edges = ph_scene_edges_to (scene, ph_scene_find (scene, to, NULL), &n);

  for (guint i = 0; i < n; i++)
    if (ph_scene_edge (scene, edges[i])->source == ph_scene_find (scene, from, NULL))
      return edges[i];
  g_assert_not_reached ();
}

static PhId
maker (PhModel *model, const char *name)
{
  const PhValue *value = ph_model_find_value_named (model, name);

  return value->producer != NULL ? value->producer->id : value->id;
}

/* A square is two lines, until another value comes in; two outputs of one node are two as well. */
static void
test_times (void)
{
  g_autoptr (PhModel) model = read_text ("<ir_version: 8, opset_import: [\"\" : 18]>\n"
                                         "f (float[4] x, float[4] z) => (float[2] p, float[24] c)\n{\n  s = Mul (x, x)\n"
                                         "  a, b = Split <axis = 0, num_outputs = 2> (s)\n  p = Add (a, b)\n"
                                         "  c = Concat <axis = 0> (s, s, s, s, s, z)\n}\n");
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GError) error = NULL;
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED };
  const PhId x = maker (model, "x"), s = maker (model, "s"), z = maker (model, "z");

  ph_history_begin_step (history, model, "test");
  ph_history_begin_rewrite (history, "test", s, "test");
  g_assert_true (ph_node_set_input (ph_model_find_node (model, s), 1, ph_model_find_value_named (model, "z"), &error));
  g_assert_true (ph_history_end_rewrite (history));
  ph_history_end_step (history, model, 0);
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ph_scene_edge_lines (scene, edge_between (scene, x, s), 0, NULL), ==, 2);
  g_assert_cmpuint (ph_scene_edge_lines (scene, edge_between (scene, x, s), 1, NULL), ==, 1);
  g_assert_cmpuint (ph_scene_edge_most_lines (scene, edge_between (scene, x, s)), ==, 2);
  g_assert_cmpuint (ph_scene_edge_lines (scene, edge_between (scene, z, s), 1, NULL), ==, 1);
  g_assert_cmpuint (ph_scene_edge_lines (scene, edge_between (scene, maker (model, "a"), maker (model, "p")), 0, NULL), ==, 2);
  g_assert_cmpuint (ph_scene_edge_lines (scene, edge_between (scene, s, maker (model, "c")), 0, NULL), ==, 5);
  g_assert_cmpuint (ph_scene_edge_lines (scene, edge_between (scene, z, maker (model, "c")), 0, NULL), ==, 1);
}

/* Where an arrow's tip is, and whence it comes. */
static void
tip_of (PhScene *scene, guint index, PhPoint *tip, PhPoint *before)
{
  const PhSceneEdge *edge = ph_scene_edge (scene, index);
  const PhPoint *p = ph_scene_points (scene, edge);
  int i = edge->n_points - 1;

  *tip = p[i];
  do
    *before = p[--i];
  while (i > 0 && hypotf (tip->x - before->x, tip->y - before->y) < 0.1f);
}

/* From a long way on the same line: they are drawn as one that forks. */
static gboolean
are_one (PhScene *scene, guint a, guint b)
{
  const PhSceneEdge *x = ph_scene_edge (scene, a), *y = ph_scene_edge (scene, b);
  const PhPoint p = ph_scene_points (scene, x)[x->n_points - 4], q = ph_scene_points (scene, y)[y->n_points - 4];

  return hypotf (p.x - q.x, p.y - q.y) < SAME;
}

static void
check_arrows (PhScene *scene, const char *name)
{
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhRect *rect = &ph_scene_box (scene, b)->rect;
      guint n;
      const int *edges = ph_scene_edges_to (scene, b, &n);

      for (guint i = 0; i < n && n <= FEW && !ph_scene_box (scene, b)->open; i++)
        {
          PhPoint tip, before, other, unused;

          if (ph_scene_edge (scene, edges[i])->n_points < 4)
            continue;
          tip_of (scene, edges[i], &tip, &before);
          if (fabsf (tip.y - rect->y) < 1)
            g_assert_cmpfloat (before.y, <, tip.y + STEEP);
          else if (fabsf (tip.y - rect->y - rect->height) < 1)
            g_assert_cmpfloat (before.y, >, tip.y - STEEP);
          for (guint k = 0; k < i; k++)
            {
              if (ph_scene_edge (scene, edges[k])->n_points < 4)
                continue;
              tip_of (scene, edges[k], &other, &unused);
              if (hypotf (tip.x - other.x, tip.y - other.y) < SAME && !are_one (scene, edges[i], edges[k]))
                g_error ("%s: two arrows end at %g, %g", name, tip.x, tip.y);
            }
        }
    }
}

/* Whoever draws, as they are and with their gradients. */
static void
test_arrows (void)
{
  static const char *const names[] = { "seed", "attention", "inception", "mlp", "tour", "gemm-bias-relu", "cse", "conv-bn-relu" };
  static const PhLayoutEngine engines[] = { PH_LAYOUT_LAYERED, PH_LAYOUT_DOT, PH_LAYOUT_BEST };

  for (guint i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (engines) * 2; i++)
    {
      g_autofree char *path = scene_example (names[i / 6]);
      g_autoptr (GError) error = NULL;
      PhModel *model = ph_io_open (path, NULL, NULL, &error);
      const PhSceneOptions options = { .engine = engines[i / 2 % 3], .seconds = 20 };
      g_autoptr (PhScene) scene = NULL;

      g_assert_no_error (error);
      if (i % 2 == 1)
        {
          g_autoptr (PhHistory) history = ph_history_new ();
          const char *arguments[2] = { ((PhValue *) model->graph->outputs->pdata[0])->name, NULL };
          PhPassOptions of_output = PH_PASS_OPTIONS_DEFAULT;

          of_output.arguments = arguments;
          ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
          ph_pass_run (ph_pass_find ("autodiff"), model, history, &of_output, NULL);
        }
      scene = ph_scene_new (model, NULL, &options, NULL, &error);
      g_assert_no_error (error);
      check_arrows (scene, names[i / 6]);
    }
}

/* Lines beside each other keep their distance, and start and end at their boxes, from whatever side. */
static void
test_beside (void)
{
  g_autoptr (PhModel) model = read_text ("<ir_version: 8, opset_import: [\"\" : 17]>\nf (float[3] x) => (float[3] y)\n"
                                         "{\n  s = Mul (x, x)\n  y = Sub (s, s)\n}\n");

  for (int across = 0; across < 2; across++)
    {
      g_autoptr (GError) error = NULL;
      const PhSceneOptions options = { .engine = PH_LAYOUT_DOT, .across = across };
      g_autoptr (PhScene) scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
      g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (PhPoint)),
                         second = g_array_new (FALSE, FALSE, sizeof (PhPoint));

      g_assert_no_error (error);
      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        {
          const guint n = ph_scene_edge_lines (scene, e, 0, NULL);

          ph_draw_line_of (scene, e, 0, n, first);
          ph_draw_line_of (scene, e, 1, n, second);
          for (guint i = 0; i < first->len && n == 2; i++)
            {
              const PhPoint p = g_array_index (first, PhPoint, i), q = g_array_index (second, PhPoint, i);

              g_assert_cmpfloat_with_epsilon (hypotf (p.x - q.x, p.y - q.y), PH_LINES_GAP, 0.1);
              g_assert_cmpfloat (across ? p.y : p.x, <, across ? q.y : q.x);
            }
        }
    }
}

/* How far @at is from the border of @card, whose ends are half circles where it is a pill, else quarters of small ones. */
static float
off_border (const PhRect *card, gboolean pill, PhPoint at)
{
  const float radius = pill ? card->height / 2 : 7;
  const float x = fabsf (at.x - card->x - card->width / 2) - card->width / 2 + radius,
              y = fabsf (at.y - card->y - card->height / 2) - card->height / 2 + radius;

  return fabsf (hypotf (MAX (x, 0), MAX (y, 0)) + MIN (MAX (x, y), 0) - radius);
}

/* At each position each line meets the border of the boxes that are there then, however much smaller than their places they are. */
static void
test_meet (void)
{
  static const char *const names[] = { "seed", "inception", "tour", "attention" };
  float most = 0;
  guint n = 0;

  for (guint i = 0; i < 3 * G_N_ELEMENTS (names); i++)
    {
      static const PhLayoutEngine engines[] = { PH_LAYOUT_LAYERED, PH_LAYOUT_DOT };
      g_autofree char *path = scene_example (names[i / 3]);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
      g_autoptr (PhHistory) history = ph_history_new ();
      const PhSceneOptions options = { .engine = engines[i % 3 % 2], .across = i % 3 == 2 };
      g_autoptr (PhScene) scene = NULL;

      g_assert_no_error (error);
      scene_run_pipeline (model, history, "O3");
      scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
      g_assert_no_error (error);
      for (int time = 0; time <= ph_scene_end (scene); time++)
        for (guint e = 0; e < ph_scene_n_edges (scene); e++)
          {
            const PhSceneEdge *edge = ph_scene_edge (scene, e);
            const PhPoint *p = ph_scene_points (scene, edge);

            for (int end = 0; end < 2 && edge->n_points >= 4 && ph_scene_edge_at (scene, e, time); end++)
              {
                const int box = end == 0 ? edge->from : edge->to, last = edge->n_points - 1;
                const PhBoxKind kind = ph_scene_box (scene, box)->kind;
                const PhRect card = ph_scene_card (scene, box, time, time);
                const PhPoint at = end == 0 ? ph_draw_end_of (scene, box, p[0], p[1], time, time)
                                            : ph_draw_end_of (scene, box, p[last], p[last - 1], time, time);

                if (ph_scene_box (scene, box)->n_tenants == 0 || ph_scene_box (scene, box)->open)
                  continue;
                most = MAX (most, off_border (&card, kind == PH_BOX_INPUT || kind == PH_BOX_OUTPUT, at));
                n++;
              }
          }
    }
  g_test_message ("%u ends, at most %.2f points from a border", n, most);
  g_assert_cmpuint (n, >, 1000);
  g_assert_cmpfloat (most, <, 1.5);
}

/* The blocks of a network stand below each other in the picture of its history, too: not each a little further aside. */
static void
test_aside (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR") != NULL ? g_getenv ("PEEPHOLE_DATA_DIR") : "",
                                            "models/light_inception_v1.onnx", NULL);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PhScene) whole = NULL, alone = NULL;
  g_autoptr (PhModel) model = NULL;
  const PhSceneOptions options = { .seconds = 20 };

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the model is not there: set PEEPHOLE_DATA_DIR to a folder with models/light_inception_v1.onnx");
      return;
    }
  model = ph_io_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  alone = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error));
  scene_run_pipeline (model, history, "O3");
  whole = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  g_test_message ("%.0f wide, the file alone %.0f", ph_scene_width (whole), ph_scene_width (alone));
  g_assert_cmpfloat (ph_scene_width (whole), <, 1.7 * ph_scene_width (alone));
}

/* A node that reads two equal constants, of which one goes, reads the same as before; another constant is a change. */
static void
test_equal (void)
{
  g_autoptr (PhModel) model = read_text (
      "<ir_version: 8, opset_import: [\"\" : 17]>\nf (float[1, 2, 3] x) => (float[1, 2, 3] y)\n"
      "<float[2] scale = {1, 1}, float[2] b = {0, 0}, float[2] mean = {0, 0}, float[2] var = {1, 1}>\n"
      "{\n  y = BatchNormalization (x, scale, b, mean, var)\n}\n");
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GError) error = NULL;
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED };
  static const struct
  {
    guint input;
    const char *value;
  } sets[] = { { 4, "scale" }, { 2, "mean" }, { 1, "mean" } };
  const PhId y = maker (model, "y");

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      ph_history_begin_step (history, model, "test");
      ph_history_begin_rewrite (history, "test", y, "test");
      g_assert_true (ph_node_set_input (ph_model_find_node (model, y), sets[i].input,
                                        ph_model_find_value_named (model, sets[i].value), &error));
      g_assert_true (ph_history_end_rewrite (history));
      ph_history_end_step (history, model, 0);
    }
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  const int box = ph_scene_find (scene, y, NULL);
  g_assert_cmpint (ph_scene_change (scene, box, 0, 1, NULL), ==, PH_CHANGE_NONE);
  g_assert_cmpint (ph_scene_change (scene, box, 0, 2, NULL), ==, PH_CHANGE_NONE);
  g_assert_cmpint (ph_scene_change (scene, box, 2, 3, NULL), ==, PH_CHANGE_CHANGED);
}

/* A line that a fusion left behind runs through the places of what was fused, straight down, not around them. */
static void
test_left_behind (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "linear-selu-xla", NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) recorded = NULL, history = ph_history_new ();
  g_autoptr (PhModel) model = ph_recording_open (folder, &recorded, problems, NULL, &error);
  g_autoptr (PhScene) scene = NULL;
  guint n = 0;

  g_assert_no_error (error);
  ph_history_append (history, recorded);
  ph_history_go (history, model, (PhPosition) { history->steps->len, 0 }, &error);
  g_assert_no_error (error);
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhTenant *tenant = ph_scene_edge_at (scene, e, ph_scene_end (scene)) && edge->to >= 0
                                   ? ph_scene_tenant (scene, edge->to, ph_scene_end (scene))
                                   : NULL;
      const PhPoint *points = ph_scene_points (scene, edge);

      if (tenant == NULL || !tenant->has_inside)
        continue;
      for (guint i = 0; i < edge->n_points; i++)
        g_assert_cmpfloat (fabsf (points[i].x - points[0].x), <, 2);
      n++;
    }
  g_assert_cmpuint (n, ==, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scene-lines/meet", test_meet);
  g_test_add_func ("/scene-lines/aside", test_aside);
  g_test_add_func ("/scene-lines/times", test_times);
  g_test_add_func ("/scene-lines/arrows", test_arrows);
  g_test_add_func ("/scene-lines/beside", test_beside);
  g_test_add_func ("/scene-lines/equal", test_equal);
  g_test_add_func ("/scene-lines/left-behind", test_left_behind);
  return g_test_run ();
}
