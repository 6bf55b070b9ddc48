/* scene.c: tests of the picture of a whole history, and of what is added to it later.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>

#include "core/draw/paint.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/scene/scene-read.h"
#include "tests/bench/transformer.h"
#include "tests/share.h"
#include "tests/unit/scene-sample.h"

typedef struct
{
  float x, y;
} Middle;

/* At every position each node of the graph is in the scene, in one place, which never changes, and its inputs reach it. @gradient: in the
 * middle of it the first output is differentiated. */
static void
check_history (const char *path, gboolean grouped, PhLayoutEngine engine, const char *pipeline, gboolean gradient)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GHashTable) places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  const PhSceneOptions options = { .engine = engine, .by_scope = grouped, .open_all = 100000, .seconds = 20 };
  PhPosition at = { 0, 0 };
  guint n_checked = 0;

  g_assert_no_error (error);
  if (gradient)
    {
      const char *arguments[2] = { ((PhValue *) model->graph->outputs->pdata[0])->name, NULL };
      PhPassOptions of_output = PH_PASS_OPTIONS_DEFAULT;

      of_output.arguments = arguments;
      ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
      ph_pass_run (ph_pass_find ("autodiff"), model, history, &of_output, NULL);
    }
  scene_run_pipeline (model, history, pipeline);
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ph_scene_end (scene), ==, history->rewrites->len);

  g_assert_true (ph_history_go (history, model, at, &error));
  for (;;)
    {
      const int time = ph_scene_time (history, at);
      const PhPosition next = ph_history_next (history, at, history->rewrites->len < 400);
      g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

      PH_FOREACH_NODE (node, model->graph)
        {
          int pill, box = ph_scene_find (scene, node->id, &pill);
          Middle *known = g_hash_table_lookup (places, GUINT_TO_POINTER (node->id));
          PhRect rect;

          g_assert_cmpint (box, >=, 0);
          rect = pill >= 0 ? ph_scene_pill (scene, pill)->rect : ph_scene_card (scene, box, time, time);
          if (pill < 0)
            {
              const PhTenant *tenant = ph_scene_tenant (scene, box, time);

              g_assert_nonnull (tenant);
              g_assert_cmpuint (tenant->id, ==, node->id);
              g_assert_true (g_hash_table_add (taken, GINT_TO_POINTER (box + 1)));
              g_assert_cmpstr (ph_scene_face (scene, tenant, time)->title, ==, node->op_type);
            }
          if (known == NULL)
            {
              known = g_new (Middle, 1);
              *known = (Middle) { rect.x + rect.width / 2, rect.y + rect.height / 2 };
              g_hash_table_insert (places, GUINT_TO_POINTER (node->id), known);
            }
          g_assert_cmpfloat_with_epsilon (known->x, rect.x + rect.width / 2, 0.01);
          g_assert_cmpfloat_with_epsilon (known->y, rect.y + rect.height / 2, 0.01);
          for (guint i = 0; i < node->inputs->len && pill < 0 && !grouped; i++)
            {
              const PhValue *value = node->inputs->pdata[i];
              guint n_edges = 0;
              const int *edges = ph_scene_edges_to (scene, box, &n_edges);
              const PhSceneBox *in = ph_scene_box (scene, box);
              gboolean reached = value == NULL || value->tensor != NULL;

              for (guint k = 0; k < n_edges && !reached; k++)
                reached = ph_scene_edge_at (scene, edges[k], time);
              for (guint p = in->first_pill; p < in->first_pill + in->n_pills && !reached; p++)
                reached = ph_scene_pill (scene, p)->born <= time && time < ph_scene_pill (scene, p)->died;
              g_assert_true (reached);
            }
          n_checked++;
        }
      if (ph_position_compare (next, at) == 0)
        break;
      at = next;
      g_assert_true (ph_history_go (history, model, at, &error));
    }
  g_test_message ("%s: %u steps, %u rewrites, %u boxes, %u checks", path, history->steps->len, history->rewrites->len,
                  ph_scene_n_boxes (scene), n_checked);
}

static gboolean
middle_of (PhScene *scene, PhId id, Middle *middle)
{
  int pill, box = ph_scene_find (scene, id, &pill);
  PhRect rect;

  if (box < 0)
    return FALSE;
  rect = pill >= 0 ? ph_scene_pill (scene, pill)->rect : ph_scene_box (scene, box)->rect;
  *middle = (Middle) { rect.x + rect.width / 2, rect.y + rect.height / 2 };
  return TRUE;
}

/* Nothing that @before has and @after has too has moved; nothing new stands on what was there. Returns how many stayed. */
static guint
check_kept (PhScene *before, PhScene *after, PhId last)
{
  guint n_kept = 0;

  for (PhId id = 1; id < last; id++)
    {
      Middle a, b;

      if (!middle_of (before, id, &a) || !middle_of (after, id, &b))
        continue;
      g_assert_cmpfloat_with_epsilon (a.x, b.x, 0.01);
      g_assert_cmpfloat_with_epsilon (a.y, b.y, 0.01);
      n_kept++;
    }
  for (guint i = 0; i < ph_scene_n_boxes (after); i++)
    for (guint k = i + 1; k < ph_scene_n_boxes (after); k++)
      {
        const PhSceneBox *x = ph_scene_box (after, i), *y = ph_scene_box (after, k);

        if (!x->shown || !y->shown || x->parent != y->parent)
          continue;
        g_assert_true (x->rect.x + x->rect.width <= y->rect.x + 3 || y->rect.x + y->rect.width <= x->rect.x + 3
                       || x->rect.y + x->rect.height <= y->rect.y + 3 || y->rect.y + y->rect.height <= x->rect.y + 3);
      }
  return n_kept;
}

/* Steps that come after the picture was made: a gradient, passes by hand, others in the place of some that were taken back. */
static void
check_appended (const char *path, gboolean grouped, guint open_all, gboolean across)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED, .by_scope = grouped, .open_all = open_all, .across = across };
  g_autoptr (PhScene) first = NULL, second = NULL, third = NULL, fourth = NULL;
  PhPassOptions with_output = PH_PASS_OPTIONS_DEFAULT;
  const char *arguments[2] = {
    NULL,
  };
  guint kept[3];

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
  scene_run_pipeline (model, history, "O1");
  first = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);

  arguments[0] = ((PhValue *) model->graph->outputs->pdata[0])->name;
  with_output.arguments = arguments;
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &with_output, NULL);
  options.previous = first;
  second = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  kept[0] = check_kept (first, second, model->next_id);

  scene_run_pipeline (model, history, "O3");
  options.previous = second;
  third = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  kept[1] = check_kept (second, third, model->next_id);

  g_assert_true (ph_history_go (history, model, (PhPosition) { history->steps->len / 2, 0 }, &error));
  scene_run_pipeline (model, history, "O2");
  options.previous = third;
  fourth = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  kept[2] = check_kept (third, fourth, model->next_id);
  g_assert_cmpuint (kept[0], >, 0);
  g_assert_cmpuint (kept[1], >=, kept[0]);
  g_test_message ("%s: %u, %u, %u stayed; %.0fx%.0f, then %.0fx%.0f, then %.0fx%.0f, then %.0fx%.0f", path, kept[0], kept[1],
                  kept[2], ph_scene_width (first), ph_scene_height (first), ph_scene_width (second), ph_scene_height (second),
                  ph_scene_width (third), ph_scene_height (third), ph_scene_width (fourth), ph_scene_height (fourth));
}

/* NULL: the test is skipped. */
static char *
model_path (const char *name)
{
  const char *folder = g_getenv ("PEEPHOLE_DATA_DIR");
  g_autofree char *file = g_strconcat (name, ".onnx", NULL);
  g_autofree char *path = folder != NULL ? g_build_filename (folder, "models", file, NULL) : NULL;

  if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("the model is not there: set PEEPHOLE_DATA_DIR to a folder whose models/ has it");
  return NULL;
}

static void
test_appended (void)
{
  static const char *const names[] = { "seed", "linear-selu", "conv-bn-relu", "inception", "cse", "tour", "attention" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if (!test_share_takes (i))
        continue;
      g_autofree char *path = scene_example (names[i]);

      for (int across = 0; across <= (i % 3 == 0); across++)
        {
          check_appended (path, FALSE, 0, across);
          check_appended (path, TRUE, 1000, across);
        }
    }
}

static void
test_appended_models (void)
{
  static const char *const names[] = { "light_squeezenet", "light_inception_v1", "bert6_tiny", "gpt12_tiny" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if (!test_share_takes (i))
        continue;
      g_autofree char *path = model_path (names[i]);

      if (path == NULL)
        return;
      check_appended (path, FALSE, 0, FALSE);
    }
}

/* With all groups closed, and with many of them open. */
static void
test_appended_groups (void)
{
  static const char *const names[] = { "light_squeezenet", "light_inception_v1", "light_resnet50", "gpt12_tiny" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if (!test_share_takes (i))
        continue;
      g_autofree char *path = model_path (names[i]);

      if (path == NULL)
        return;
      check_appended (path, TRUE, 30, FALSE);
      check_appended (path, TRUE, 300, FALSE);
    }
}

/* Whoever draws: each edge of the examples leads to the right, and over no box. */
static void
test_across (void)
{
  static const char *const names[] = { "seed", "attention", "inception", "mlp", "tour", "gemm-bias-relu" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = scene_example (names[i / 2]);
      g_autoptr (GError) error = NULL;
      const PhSceneOptions options = { .engine = i % 2 == 0 ? PH_LAYOUT_LAYERED : PH_LAYOUT_BEST, .across = TRUE };
      g_autoptr (PhScene) scene = ph_scene_new (ph_io_open (path, NULL, NULL, &error), NULL, &options, NULL, &error);
      PhCrossings crossings;
      guint over;

      g_assert_no_error (error);
      g_assert_true (ph_scene_is_across (scene));
      ph_scene_count_faults (scene, 0, &crossings, &over);
      g_assert_cmpuint (over, ==, 0);
      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        {
          const PhRect *from = &ph_scene_box (scene, ph_scene_edge (scene, e)->from)->rect,
                       *to = &ph_scene_box (scene, ph_scene_edge (scene, e)->to)->rect;

          g_assert_cmpfloat (from->x + from->width, <=, to->x + 0.01);
        }
    }
}

static void
test_examples (void)
{
  static const char *const names[] = { "seed", "linear-selu", "conv-bn-relu", "inception",
                                       "cse",  "tour",        "attention",    "loop-branch" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = scene_example (names[i]);

      check_history (path, FALSE, PH_LAYOUT_LAYERED, "O2", FALSE);
      check_history (path, TRUE, PH_LAYOUT_LAYERED, "O2", FALSE);
      check_history (path, i % 2 == 0, PH_LAYOUT_BEST, "O3", FALSE);
      check_history (path, FALSE, i % 2 == 0 ? PH_LAYOUT_BEST : PH_LAYOUT_DOT, "O1", TRUE);
    }
}

static void
test_models (void)
{
  static const char *const names[] = { "light_resnet50", "ch_PP-OCRv4_det_infer", "bert6_tiny", "loop_if" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if (!test_share_takes (i))
        continue;
      g_autofree char *path = model_path (names[i]);

      if (path == NULL)
        return;
      check_history (path, i == 2, PH_LAYOUT_LAYERED, "O2", FALSE);
      check_history (path, FALSE, PH_LAYOUT_BEST, "O3", i == 3);
    }
}

/* The gradient of the examples as a whole: whoever draws it, no line runs over a box, and none from one half to the other; what the
 * backward half reads of the forward one is a pill with its name. dot draws it, in rows. */
static void
test_gradient (void)
{
  static const char *const names[] = { "seed", "linear-selu", "conv-bn-relu", "inception", "attention" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (int k = 0; k < 2; k++)
      {
        static const PhLayoutEngine engines[2] = { PH_LAYOUT_BEST, PH_LAYOUT_LAYERED };
        g_autofree char *path = scene_example (names[i]);
        g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, NULL);
        g_autoptr (PhHistory) history = ph_history_new ();
        const PhSceneOptions options = { .engine = engines[k] };
        PhPassOptions with_output = PH_PASS_OPTIONS_DEFAULT;
        const char *arguments[2] = { ((PhValue *) model->graph->outputs->pdata[0])->name, NULL };
        g_autoptr (PhScene) scene = NULL;
        PhLayoutJudgement own, dot;
        PhCrossings crossings;
        guint over, n_named = 0;

        with_output.arguments = arguments;
        with_output.allow = PH_ROUNDING;
        ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
        g_assert_true (ph_pass_run (ph_pass_find ("autodiff"), model, history, &with_output, NULL));
        scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, NULL);
        ph_scene_count_faults (scene, 0, &crossings, &over);
        g_test_message ("%s: drawn by %s, %" G_GUINT64_FORMAT " crossings", names[i],
                        ph_layout_engine_name (ph_scene_drawn_by (scene, NULL)), crossings.n);
        g_assert_cmpuint (over, ==, 0);
        g_assert_cmpint (ph_scene_drawn_by (scene, NULL), ==, k == 0 ? PH_LAYOUT_DOT : PH_LAYOUT_LAYERED);
        ph_scene_judgements (scene, &own, &dot);
        g_assert_cmpuint (k == 0 ? dot.off_row : 0, ==, 0);
        for (guint e = 0; e < ph_scene_n_edges (scene); e++)
          {
            const PhSceneEdge *edge = ph_scene_edge (scene, e);

            g_assert_true (ph_scene_box (scene, edge->from)->backward || !ph_scene_box (scene, edge->to)->backward);
          }
        for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
          for (guint p = 0; p < ph_scene_box (scene, b)->n_pills; p++)
            {
              const PhPill *pill = ph_scene_pill (scene, ph_scene_box (scene, b)->first_pill + p);

              n_named += pill->is_link && strcmp (ph_scene_pill_face (scene, pill)->title, "x2") == 0;
            }
        if (i == 0)
          g_assert_cmpuint (n_named, ==, 2); /* the derivative of x1 * x2 by x1, and cos x2 */
      }
}

/* Open groups of the gradient are entered from below and left above, as all in them runs; no line runs over a box of theirs. */
static void
test_gradient_groups (void)
{
  static const guint sizes[] = { 40, 160, 400 };
  guint n_borders = 0;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++)
    {
      const PhSceneOptions options
          = { .engine = i % 2 == 0 ? PH_LAYOUT_BEST : PH_LAYOUT_LAYERED, .by_scope = TRUE, .open = PH_OPEN_ALL };
      g_autoptr (PhModel) model = ph_bench_transformer (sizes[i / 2], FALSE, i % 2 == 0);
      g_autoptr (PhHistory) history = ph_history_new ();
      PhPassOptions with_output = PH_PASS_OPTIONS_DEFAULT;
      const char *arguments[2] = { ((PhValue *) model->graph->outputs->pdata[0])->name, NULL };
      g_autoptr (PhScene) scene = NULL;
      g_autoptr (GError) error = NULL;
      PhCrossings crossings;
      guint over;

      with_output.arguments = arguments;
      with_output.allow = PH_ROUNDING;
      ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
      g_assert_true (ph_pass_run (ph_pass_find ("autodiff"), model, history, &with_output, NULL));
      scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
      g_assert_no_error (error);
      ph_scene_count_faults (scene, 0, &crossings, &over);
      g_assert_cmpuint (over, ==, 0);
      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        {
          const PhSceneEdge *edge = ph_scene_edge (scene, e);
          const PhSceneBox *from = ph_scene_box (scene, edge->from), *to = ph_scene_box (scene, edge->to);
          const PhPoint *points = ph_scene_points (scene, edge);

          if (!from->backward || !to->backward || edge->n_points < 4)
            continue;
          for (guint p = 0; p < edge->n_points && from->parent >= 0 && from->parent == edge->to; p += 3)
            g_assert_true (points[p].x > to->rect.x - 1 && points[p].x < to->rect.x + to->rect.width + 1);
          n_borders += from->open || to->open;
          if (from->open) /* as one that comes in, or went out */
            g_assert_cmpfloat (fabsf (points[0].y - from->rect.y - (to->parent == edge->from ? from->rect.height : 0)), <, 2);
          if (to->open)
            g_assert_cmpfloat (
                fabsf (points[edge->n_points - 1].y - to->rect.y - (from->parent == edge->to ? 0 : to->rect.height)), <, 2);
        }
    }
  g_assert_cmpuint (n_borders, >, 50);
}

/* A long chain of groups fills a screen, closed and open: 40 blocks one below the other would be a thread that nobody can read. */
static void
test_columns (void)
{
  /* All closed; all open, also where they are few. */
  static const guint sizes[][2] = { { 2000, 0 }, { 2000, 100000 }, { 100, 100000 }, { 160, 100000 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED, .by_scope = TRUE, .open_all = sizes[i][1] };
      g_autoptr (GError) error = NULL;
      g_autoptr (PhScene) scene = ph_scene_new (ph_bench_transformer (sizes[i][0], FALSE, TRUE), NULL, &options, NULL, &error);

      g_assert_no_error (error);
      g_test_message ("%g x %g", ph_scene_width (scene), ph_scene_height (scene));
      g_assert_cmpfloat (ph_scene_width (scene) / ph_scene_height (scene), >, 0.4);
      g_assert_cmpfloat (ph_scene_width (scene) / ph_scene_height (scene), <, 5);
      for (guint a = 0; a < ph_scene_n_boxes (scene); a++)
        for (guint b = 0; b < a && ph_scene_box (scene, a)->shown; b++)
          if (ph_scene_box (scene, b)->shown && ph_scene_box (scene, a)->parent == ph_scene_box (scene, b)->parent)
            g_assert_false (ph_rect_touches (&ph_scene_box (scene, a)->rect, &ph_scene_box (scene, b)->rect));
    }
}

static PhScene *
grouped_scene (PhOpenGroups open, GHashTable *opened, GHashTable *closed)
{
  const PhSceneOptions options
      = { .engine = PH_LAYOUT_LAYERED, .by_scope = TRUE, .open_all = 250, .open = open, .opened = opened, .closed = closed };
  g_autoptr (GError) error = NULL;
  PhScene *scene = ph_scene_new (ph_bench_transformer (600, FALSE, TRUE), NULL, &options, NULL, &error);

  g_assert_no_error (error);
  return scene;
}

/* What is opened or closed by name changes nothing for other groups; all and none leave nothing to size. */
static void
test_named_groups (void)
{
  g_autoptr (PhScene) fit = grouped_scene (PH_OPEN_FIT, NULL, NULL);
  g_autoptr (GHashTable) opened = g_hash_table_new (g_str_hash, g_str_equal), closed = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (PhScene) every = grouped_scene (PH_OPEN_ALL, NULL, NULL), none = grouped_scene (PH_OPEN_NONE, NULL, NULL),
                      named = NULL;
  guint n_open = 0, n_others = 0;
  int shut = -1;

  for (guint b = 0; b < ph_scene_n_boxes (fit); b++)
    {
      const PhSceneBox *box = ph_scene_box (fit, b);
      int up = (int) b;

      while (up >= 0 && up != shut)
        up = ph_scene_box (fit, up)->parent;

      if (box->kind != PH_BOX_GROUP)
        continue;
      g_assert_true (ph_scene_box (every, b)->open);
      g_assert_false (ph_scene_box (none, b)->open);
      n_open += box->open;
      if (box->open && g_hash_table_size (closed) == 0)
        {
          g_hash_table_add (closed, (gpointer) box->path);
          shut = (int) b;
        }
      else if (box->shown && !box->open && up != shut && g_hash_table_size (opened) == 0)
        g_hash_table_add (opened, (gpointer) box->path);
    }
  g_test_message ("%u groups are open, %u named", n_open, g_hash_table_size (opened));
  g_assert_cmpuint (n_open, >, 1);
  g_assert_cmpuint (g_hash_table_size (opened), ==, 1);
  named = grouped_scene (PH_OPEN_FIT, opened, closed);
  for (guint b = 0; b < ph_scene_n_boxes (fit); b++)
    {
      const PhSceneBox *before = ph_scene_box (fit, b), *after = ph_scene_box (named, b);

      if (before->kind != PH_BOX_GROUP)
        continue;
      if (g_hash_table_contains (opened, before->path))
        g_assert_true (after->open);
      else if (g_hash_table_contains (closed, before->path))
        g_assert_false (after->open);
      else if (after->shown && before->shown)
        {
          g_assert_cmpint (after->open, ==, before->open);
          n_others++;
        }
    }
  g_assert_cmpuint (n_others, >, 1);
}

/* What comes to a phi from the end of its loop is a line that leads up, at each position at which it is there. */
static void
test_links (void)
{
  static const char text[] = "define i32 @sum(i32 %n) {\nentry:\n  br label %loop\nloop:\n"
                             "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %acc = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
                             "  %more = add i32 %acc, %i\n  %next = add i32 %more, 1\n  %done = icmp eq i32 %next, %n\n"
                             "  br i1 %done, label %exit, label %loop\nexit:\n  ret i32 %next\n}\n";
  static const PhLayoutEngine engines[] = { PH_LAYOUT_LAYERED, PH_LAYOUT_BEST };

  for (guint k = 0; k < G_N_ELEMENTS (engines); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("llvm"), bytes, "sum.ll", NULL, &error);
      const PhSceneOptions options = { .engine = engines[k] };
      g_autoptr (PhScene) scene = NULL;
      guint n_up = 0;

      g_assert_no_error (error);
      scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
      g_assert_no_error (error);
      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        {
          const PhSceneEdge *edge = ph_scene_edge (scene, e);
          const PhPoint *points = ph_scene_points (scene, edge);
          const PhNode *to = ph_model_find_node (
              model, ph_scene_box (scene, edge->to)->n_tenants > 0 ? ph_scene_tenant (scene, edge->to, 0)->id : 0);

          g_assert_cmpuint (edge->n_points, >=, 4);
          if (points[0].y < points[edge->n_points - 1].y)
            continue;
          g_assert_nonnull (to);
          g_assert_cmpstr (to->op_type, ==, "phi");
          n_up++;
        }
      g_assert_cmpuint (n_up, ==, 2);
    }
}

int
main (int argc, char *argv[])
{
  g_autofree char *helper = NULL;

  g_test_init (&argc, &argv, NULL);
  helper = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "layout-helper", "peephole-layout", NULL);
  g_setenv ("PEEPHOLE_LAYOUT", helper, TRUE);
  g_test_add_func ("/scene/examples", test_examples);
  g_test_add_func ("/scene/across", test_across);
  g_test_add_func ("/scene/models", test_models);
  g_test_add_func ("/scene/columns", test_columns);
  g_test_add_func ("/scene/appended", test_appended);
  g_test_add_func ("/scene/appended-models", test_appended_models);
  g_test_add_func ("/scene/appended-groups", test_appended_groups);
  g_test_add_func ("/scene/gradient", test_gradient);
  g_test_add_func ("/scene/gradient-groups", test_gradient_groups);
  g_test_add_func ("/scene/links", test_links);
  g_test_add_func ("/scene/named-groups", test_named_groups);
  return g_test_run ();
}
