/* scene.c: tests of the picture of a whole history, of what is added to it later, and of its colours.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>

#include "core/io/io.h"
#include "core/draw/paint.h"
#include "core/ops/op.h"
#include "passes/pass.h"
#include "tests/bench/transformer.h"

typedef struct { float x, y; } Middle;

/* At every position each node of the graph is in the scene, in one place, which never changes, and its inputs reach it. */
static void
check_history (const char *path, gboolean grouped)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GHashTable) places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  const PhPipeline *pipeline = ph_pipeline_find ("O2");
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED, .by_scope = grouped, .open_all = 100000 };
  PhPosition at = { 0, 0 };
  guint n_checked = 0;

  g_assert_no_error (error);
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      const PhPass *pass = ph_pass_find (pipeline->passes[i]);

      if (pass != NULL && !ph_pass_run (pass, model, history, &PH_PASS_OPTIONS_DEFAULT, &error))
        {
          g_test_message ("%s: %s", pipeline->passes[i], error->message);
          g_clear_error (&error);
        }
    }
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

static void
run_pipeline (PhModel *model, PhHistory *history, const char *name)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);

  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    if (ph_pass_find (pipeline->passes[i]) != NULL)
      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
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
  const char *arguments[2] = { NULL, };
  guint kept[3];

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
  run_pipeline (model, history, "O1");
  first = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);

  arguments[0] = ((PhValue *) model->graph->outputs->pdata[0])->name;
  with_output.arguments = arguments;
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &with_output, NULL);
  options.previous = first;
  second = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  kept[0] = check_kept (first, second, model->next_id);

  run_pipeline (model, history, "O3");
  options.previous = second;
  third = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
  g_assert_no_error (error);
  kept[1] = check_kept (second, third, model->next_id);

  g_assert_true (ph_history_go (history, model, (PhPosition) { history->steps->len / 2, 0 }, &error));
  run_pipeline (model, history, "O2");
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

static char *
example_path (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnxtxt", NULL);

  return g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", file, NULL);
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
      g_autofree char *path = example_path (names[i]);

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
      g_autofree char *path = example_path (names[i / 2]);
      g_autoptr (GError) error = NULL;
      const PhSceneOptions options = { .engine = i % 2 == 0 ? PH_LAYOUT_LAYERED : PH_LAYOUT_BEST, .across = TRUE };
      g_autoptr (PhScene) scene = ph_scene_new (ph_io_open (path, NULL, NULL, &error), NULL, &options, NULL, &error);
      guint crossings, over;

      g_assert_no_error (error);
      g_assert_true (ph_scene_is_across (scene));
      ph_scene_count_faults (scene, 0, &crossings, &over);
      g_assert_cmpuint (over, ==, 0);
      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        {
          const PhRect *from = &ph_scene_box (scene, ph_scene_edge (scene, e)->from)->rect, *to = &ph_scene_box (scene, ph_scene_edge (scene, e)->to)->rect;

          g_assert_cmpfloat (from->x + from->width, <=, to->x + 0.01);
        }
    }
}

static void
test_examples (void)
{
  static const char *const names[] = { "seed", "linear-selu", "conv-bn-relu", "inception", "cse", "tour", "attention", "loop-branch" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = example_path (names[i]);

      check_history (path, FALSE);
      check_history (path, TRUE);
    }
}

static void
test_models (void)
{
  static const char *const names[] = { "light_resnet50", "ch_PP-OCRv4_det_infer", "bert6_tiny", "loop_if" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = model_path (names[i]);

      if (path == NULL)
        return;
      check_history (path, i == 2);
    }
}

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
      g_autofree char *name = g_strconcat ("picture.", endings[i], NULL), *to = g_build_filename (folder, name, NULL), *text = NULL;
      gsize length = 0;

      g_assert_true (ph_render_file (model, NULL, PH_NO_ID, (PhPosition) { 0, 0 }, (PhPosition) { 0, 0 }, NULL, values, PH_LAYOUT_BEST, FALSE, NULL, to, NULL, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (to, &text, &length, &error));
      g_assert_cmpuint (length, >, 300);
      if (i == 3)     /* for Graphviz's own tools: places, and lines from border to border */
        {
          g_assert_nonnull (strstr (text, "layout=nop2"));
          g_assert_nonnull (strstr (text, "b0 -> b2"));
          g_assert_nonnull (strstr (text, ", pos=\"e,"));
          g_assert_nonnull (strstr (text, "label=\"0.693\""));      /* what is known of a value stands on its edges */
        }
      g_remove (to);
    }
  g_assert_false (ph_render_file (model, NULL, PH_NO_ID, (PhPosition) { 0, 0 }, (PhPosition) { 0, 0 }, NULL, NULL, PH_LAYOUT_BEST, FALSE, NULL, "picture.jpg", NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_false (ph_render_file (model, NULL, PH_NO_ID, (PhPosition) { 0, 0 }, (PhPosition) { 0, 0 }, NULL, NULL, PH_LAYOUT_BEST, FALSE, NULL, "/does/not/exist/a.svg", NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_FILE);
  g_rmdir (folder);
}

/* The gradient of the examples as a whole: whoever draws it, no line runs over a box, and none from one half to the other; what the
 * backward half reads of the forward one is a pill with its name. dot draws it, in rows. */
static void
test_gradient (void)
{
  static const char *const names[] = { "seed", "linear-selu", "conv-bn-relu", "inception", "attention" };
  g_autofree char *helper = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "layout-helper", "peephole-layout", NULL);

  g_setenv ("PEEPHOLE_LAYOUT", helper, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (int k = 0; k < 2; k++)
      {
        static const PhLayoutEngine engines[2] = { PH_LAYOUT_BEST, PH_LAYOUT_LAYERED };
        g_autofree char *path = example_path (names[i]);
        g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, NULL);
        g_autoptr (PhHistory) history = ph_history_new ();
        const PhSceneOptions options = { .engine = engines[k] };
        PhPassOptions with_output = PH_PASS_OPTIONS_DEFAULT;
        const char *arguments[2] = { ((PhValue *) model->graph->outputs->pdata[0])->name, NULL };
        g_autoptr (PhScene) scene = NULL;
        PhLayoutJudgement own, dot;
        guint crossings, over, n_named = 0;

        with_output.arguments = arguments;
        with_output.allow = PH_ROUNDING;
        ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL);
        g_assert_true (ph_pass_run (ph_pass_find ("autodiff"), model, history, &with_output, NULL));
        scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, NULL);
        ph_scene_count_faults (scene, 0, &crossings, &over);
        g_test_message ("%s: drawn by %s, %u crossings", names[i], ph_layout_engine_name (ph_scene_drawn_by (scene, NULL)), crossings);
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
          g_assert_cmpuint (n_named, ==, 2);      /* the derivative of x1 * x2 by x1, and cos x2 */
      }
  g_unsetenv ("PEEPHOLE_LAYOUT");
}

/* Every node has a colour that the legend names, and the hottest is the costliest. */
/* A fused box says what its main part is like; an output the value that it has. */
static void
test_boxes (void)
{
  g_autofree char *path = example_path ("conv-bn-relu");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  PhDrawOptions options = { .scale = 1 };
  guint n_fused = 0, n_outputs = 0;

  run_pipeline (model, history, "O2");
  scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), NULL, NULL, &error);
  g_assert_no_error (error);
  options.time = options.since = ph_scene_end (scene);
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, b);
      const PhTenant *tenant = ph_scene_tenant (scene, b, options.time);

      if (tenant != NULL && ph_scene_face (scene, tenant, options.time)->n_body > 0)
        {
          g_assert_cmpstr (ph_scene_face (scene, tenant, options.time)->detail, ==, "3×3, pad 1");
          n_fused++;
        }
      if (box->kind == PH_BOX_OUTPUT)
        {
          const PhValue *y = model->graph->outputs->pdata[0];
          guint64 without;

          /* Below the middle, where no line ends. */
          options.clip = (PhRect) { box->rect.x, box->rect.y + 0.6f * box->rect.height, box->rect.width, 0.3f * box->rect.height };
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
    g_autofree char *plain = g_build_filename (g_get_tmp_dir (), "peephole-diff-plain.svg", NULL), *noted = g_build_filename (g_get_tmp_dir (), "peephole-diff-noted.svg", NULL);
    g_autofree char *before = NULL, *after = NULL;
    gsize n_before, n_after;
    const PhPosition end = { history->steps->len, 0 }, start = { 0, 0 };

    g_assert_true (ph_scene_save (scene, plain, ph_scene_end (scene), 0, PH_THEME_LIGHT, NULL, &error));
    g_assert_true (ph_render_file (model, history, PH_NO_ID, start, end, NULL, NULL, PH_LAYOUT_BEST, FALSE, NULL, noted, NULL, &error));
    g_assert_true (g_file_get_contents (plain, &before, &n_before, NULL));
    g_assert_true (g_file_get_contents (noted, &after, &n_after, NULL));
    g_assert_cmpuint (n_after, >, n_before + 1000);
    g_remove (plain);
    g_remove (noted);
  }
}

static void
test_paint (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", "conv-bn-relu.onnxtxt", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED };
  g_autoptr (PhScene) scene = NULL;

  g_assert_no_error (error);
  scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, &error);
  g_assert_no_error (error);
  for (PhColorMode mode = 0; mode < PH_N_COLOR_MODES; mode++)
    {
      g_autoptr (PhMeasure) measure = ph_measure_new_of_model (model, mode);
      g_autoptr (PhPaint) paint = measure != NULL ? ph_paint_new (scene, 0, measure) : NULL;
      g_autoptr (PhInk) ink = ph_ink_new ();
      guint n_nodes = 0, sum = 0, known = 0;
      g_autofree char *least = NULL, *most = NULL;
      double width = 0, height = 0;
      PhColorMode found = PH_N_COLOR_MODES;
      float at;

      g_assert_true (ph_color_mode_find (ph_color_mode_name (mode), &found) && found == mode);
      g_assert_true ((paint == NULL) == (mode == PH_COLOR_TIME || mode == PH_COLOR_QUERY));
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
      g_assert_cmpint (ph_paint_tick (paint, 0, &at, &least), ==, mode == PH_COLOR_COST || mode == PH_COLOR_MEMORY);
      if (least == NULL)
        g_assert_cmpuint (sum, ==, known);
      else
        {
          PhId hottest = PH_NO_ID;
          gint64 largest = -1;

          g_assert_true (ph_paint_tick (paint, 4, &at, &most) && at == 1);
          g_assert_true (g_str_has_suffix (most, mode == PH_COLOR_COST ? "FLOP" : "B"));
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
  g_autoptr (PhMeasure) by_time = ph_measure_new_numbers (PH_COLOR_TIME, "Time", "s", times);
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (PhPaint) paint = NULL;
  guint n = 0, sum = 0, count;

  g_assert_no_error (error);
  PH_FOREACH_NODE (node, model->graph)
    {
      const double time = 1e-6 * (n + 1);

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
}

/* A long chain of groups fills a screen, closed and open: 40 blocks one below the other would be a thread that nobody can read. */
static void
test_columns (void)
{
  for (guint open_all = 0; open_all <= 100000; open_all += 100000)
    {
      const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED, .by_scope = TRUE, .open_all = open_all };
      g_autoptr (GError) error = NULL;
      g_autoptr (PhScene) scene = ph_scene_new (ph_bench_transformer (2000, FALSE, TRUE), NULL, &options, NULL, &error);

      g_assert_no_error (error);
      g_test_message ("%g x %g", ph_scene_width (scene), ph_scene_height (scene));
      g_assert_cmpfloat (ph_scene_width (scene) / ph_scene_height (scene), >, 0.5);
      g_assert_cmpfloat (ph_scene_width (scene) / ph_scene_height (scene), <, 5);
      for (guint a = 0; a < ph_scene_n_boxes (scene); a++)
        for (guint b = 0; b < a && ph_scene_box (scene, a)->shown; b++)
          if (ph_scene_box (scene, b)->shown && ph_scene_box (scene, a)->parent == ph_scene_box (scene, b)->parent)
            g_assert_false (ph_rect_touches (&ph_scene_box (scene, a)->rect, &ph_scene_box (scene, b)->rect));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scene/examples", test_examples);
  g_test_add_func ("/scene/across", test_across);
  g_test_add_func ("/scene/models", test_models);
  g_test_add_func ("/scene/columns", test_columns);
  g_test_add_func ("/scene/appended", test_appended);
  g_test_add_func ("/scene/appended-models", test_appended_models);
  g_test_add_func ("/scene/appended-groups", test_appended_groups);
  g_test_add_func ("/scene/render", test_render);
  g_test_add_func ("/scene/gradient", test_gradient);
  g_test_add_func ("/scene/boxes", test_boxes);
  g_test_add_func ("/scene/paint", test_paint);
  g_test_add_func ("/scene/paint-given", test_paint_given);
  return g_test_run ();
}
