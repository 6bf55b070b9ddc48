/* kernels.c: each kernel that is registered, forced to run what it takes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/console/console.h"
#include "core/document/snapshot.h"
#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/candidates.h"
#include "core/run/double.h"
#include "core/run/inputs.h"
#include "core/run/kernels.h"
#include "core/run/lanes.h"
#include "core/run/profile.h"
#include "core/run/program.h"
#include "core/tensor/broadcast.h"
#include "core/tensor/compare.h"
#include "tests/unit/kernel-cases.h"

/* Operator -> the names of the kernels that took it, each behind a space. */
static GHashTable *taken;

static void
note_takers (PhModel *model, GHashTable *feeds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhProfile) profile = ph_profile_model (model, feeds, 1, NULL, &error);
  const GArray *candidates;

  g_assert_no_error (error);
  candidates = ph_profile_candidates (profile);
  for (guint i = 0; i < candidates->len; i++)
    {
      const PhCandidate *candidate = &g_array_index (candidates, PhCandidate, i);
      const PhNode *node = ph_model_find_node (model, candidate->node);
      g_autofree char *name = g_strdup_printf ("%s %s", node->op != NULL ? node->op->name : "fused", candidate->name);

      g_assert_nonnull (candidate->why);
      g_assert_true (candidate->takes || strstr (candidate->why, "does not take it: ") != NULL);
      if (candidate->takes)
        g_hash_table_add (taken, g_steal_pointer (&name));
    }
}

static gboolean
is_named (const char *names, const char *name)
{
  g_auto (GStrv) list = g_strsplit (names != NULL ? names : "", " ", -1);

  return g_strv_contains ((const char *const *) list, name);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (PhModel) model = read_case (c);

  for (guint seed = 1; seed < 6; seed++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
      g_autoptr (PhTensor) expected = NULL;

      g_assert_no_error (error);
      expected = run (model, feeds, &(PhRunOptions) { .reference = TRUE });
      for (const char *const *name = ph_kernel_names (); *name != NULL; name++)
        {
          guint took = 0;
          g_autoptr (PhTensor) y = run (model, feeds, &(PhRunOptions) { .kernel = *name, .took = &took });
          g_auto (PhComparison) comparison = ph_tensor_compare (y, expected, (PhTolerance) { 1e-4, 2e-5 });

          if (!comparison.close)
            g_test_message ("%s: %s: %s", c->name, *name, comparison.why);
          g_assert_true (comparison.close);
          if (is_named (c->takers, *name))
            g_assert_cmpuint (took, >, 0);
        }
      note_takers (model, feeds);
    }
}

/* Where numbers are large, tiny, infinite and none: as the reference kernel computes it. Returns how many nodes @kernel took. */
static guint
check_special (PhModel *model, const char *kernel)
{
  guint n_taken = 0;

  for (PhInputsKind kind = PH_INPUTS_WIDE; kind <= PH_INPUTS_SPECIAL; kind++)
    for (guint seed = 1; seed < 4; seed++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, kind, seed, 4, 1, NULL, &error);
        g_autoptr (PhTensor) expected = run (model, feeds, &(PhRunOptions) { .reference = TRUE });
        g_autoptr (PhTensor) y = run (model, feeds, &(PhRunOptions) { .kernel = kernel, .took = &n_taken });
        g_auto (PhComparison) comparison = ph_tensor_compare (y, expected, (PhTolerance) { 1e-5, 1e-7 });

        if (!comparison.close)
          g_test_message ("%s, kind %d, seed %u: %s", model->graph->name, (int) kind, seed, comparison.why);
        g_assert_true (comparison.close);
      }
  return n_taken;
}

/* Elementwise operators alone, and normalisations, whose squares may be beyond a float. */
static void
test_special (void)
{
  guint n, n_tested = 0;
  const PhOp *const *ops = ph_op_list (&n);

  for (guint i = 0; i < n; i++)
    {
      const PhKernelRow *const *row = ph_kernel_rows (ops[i]);
      g_autoptr (PhModel) model = NULL;
      g_autofree char *body = NULL;
      guint least;

      if (row == NULL || strcmp ((*row)->name, "chain") != 0 || (ops[i]->inputs[0].types & PH_T (FLOAT)) == 0)
        continue;
      ph_op_n_inputs (ops[i], &least, NULL);
      body = g_strdup_printf ("y = %s (a%s)", ops[i]->name,
                              least > 1 || ops[i] == &ph_op_Max || ops[i] == &ph_op_Min ? ", b" : "");
      model = read_case (&(Case) { ops[i]->name, "float[3,5,37] a, float[37] b", "", body });
      n_tested += check_special (model, "chain");
    }
  g_assert_cmpuint (n_tested, >, 9 * 35);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (g_str_has_suffix (cases[i].name, "-special"))
      {
        g_autoptr (PhModel) model = read_case (&cases[i]);
        check_special (model, "rows");
      }
}

/* Elements that are moved or read in one way where their type allows it, and in another where it does not: the same. */
static void
test_ways (void)
{
  static const struct
  {
    const char *name, *body;
  } ways[] = {
    { "gather",
      "h = Cast <to = 6> (i) a = GatherElements <axis = 2> (x, i) b = GatherElements <axis = 2> (x, h) y = Sub (a, b)" },
    { "gather-inner",
      "h = Cast <to = 6> (i) a = GatherElements <axis = 0> (x, i) b = GatherElements <axis = 0> (x, h) y = Sub (a, b)" },
    { "gather-middle",
      "h = Cast <to = 6> (i) w = Cast <to = 11> (x) a = GatherElements <axis = 1> (w, i) b = GatherElements <axis = 1> (w, h) "
      "c = Sub (a, b) y = Cast <to = 1> (c)" },
    { "unpool",
      "u = MaxPool <kernel_shape = [2], strides = [2]> (x) v, p = MaxPool <kernel_shape = [2], strides = [2]> (x) w = Cast <to = 11> (v) "
      "a = MaxUnpool <kernel_shape = [2], strides = [2]> (v, p) b = MaxUnpool <kernel_shape = [2], strides = [2]> (w, p) "
      "c = Cast <to = 1> (b) y = Sub (a, c)" },
    { "cast-bool",
      "r = Round (x) u = Sub (r, r) v = Div (u, r) z = Concat <axis = 0> (r, v) w = Cast <to = 11> (z) c = Cast <to = 9> (z) "
      "d = Cast <to = 9> (w) a = Cast <to = 1> (c) b = Cast <to = 1> (d) y = Sub (a, b)" },
    { "max-roi-pool",
      "s = Constant <value_ints = [1, 12, 2, 2]> () q = Reshape (x, s) w = Cast <to = 11> (q) "
      "r = Constant <value = float[3,5] {0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 9, 9}> () rw = Cast <to = 11> (r) "
      "a = MaxRoiPool <pooled_shape = [2, 3]> (q, r) b = MaxRoiPool <pooled_shape = [2, 3]> (w, rw) c = Cast <to = 1> (b) y = Sub (a, c)" },
    { "roi-align",
      "s = Constant <value_ints = [1, 2, 4, 6]> () q = Reshape (x, s) w = Cast <to = 11> (q) "
      "r = Constant <value = float[2,4] {0.0, 0.5, 4.5, 3.0, 1.0, -1.0, 9.0, 2.5}> () rw = Cast <to = 11> (r) n = Constant <value_ints = [0, 0]> () "
      "a = RoiAlign <output_height = 3, output_width = 2> (q, r, n) b = RoiAlign <output_height = 3, output_width = 2> (w, rw, n) "
      "c = Cast <to = 1> (b) d = Sub (a, c) e = RoiAlign <output_height = 20, output_width = 30, mode = \"max\"> (q, r, n) "
      "f = RoiAlign <output_height = 20, output_width = 30, mode = \"max\"> (w, rw, n) g = Cast <to = 1> (f) j = Sub (e, g) "
      "flat = Constant <value_ints = [-1]> () k = Reshape (d, flat) l = Reshape (j, flat) y = Concat <axis = 0> (k, l)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      const Case c = { ways[i].name, "float[2,3,8] x",
                       "int64[2,3,8] i = {0, 1, -1, 1, 0, -2, 1, 1, 0, 0, -1, 1, 1, -2, 0, 1, 0, 1, 0, -1, 1, 0, 1, 0, "
                       "1, 0, 1, -1, -2, 0, 1, 0, 1, 1, 0, 0, -1, 1, 0, 1, 0, 0, 1, 0, 1, 1, -1, 0}",
                       ways[i].body };
      g_autoptr (PhModel) model = read_case (&c);
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, i + 1, 4, 1, NULL, &error);
      g_autoptr (PhTensor) y = NULL;

      g_assert_no_error (error);
      y = run (model, feeds, NULL);
      g_assert_cmpuint (ph_tensor_count (y), >, 0);
      for (gsize k = 0; k < ph_tensor_count (y); k++)
        g_assert_cmpfloat (ph_tensor_get (y, k), ==, 0);
    }
}

/* Weights of zero that a kernel adds make no NaN of infinities, in its first run and later. */
static void
test_infinite (void)
{
  static const Case c
      = { "infinite", "float[1,4,5,7] x, float[4,3,3,3] w", "float zero = {0}, float one = {1}, float most = {2.7}",
          "h = Div (one, zero) l = Greater (x, most) z = Where (l, h, x) y = ConvTranspose <strides = [2, 2]> (z, w)" };
  g_autoptr (PhModel) model = read_case (&c);

  for (guint seed = 1; seed < 9; seed++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
      g_autoptr (PhTensor) y = run (model, feeds, NULL), expected = run (model, feeds, &(PhRunOptions) { .reference = TRUE });
      g_auto (PhComparison) comparison = ph_tensor_compare (y, expected, (PhTolerance) { 1e-4, 2e-5 });

      g_assert_no_error (error);
      g_assert_cmpstr (comparison.why, ==, NULL);
    }
}

/* What is forced on nodes and operators holds for a model and its clones, and is let go of. */
static void
test_wishes (void)
{
  static const Case matmul = { "wishes", "float[4,5] x, float[5,6] w, float[6,7] v", "", "a = MatMul (x, w) y = MatMul (a, v)" };
  g_autoptr (PhModel) model = read_case (&matmul), clone = NULL;
  g_autoptr (GHashTable) feeds = NULL, cloned = g_hash_table_new (NULL, NULL),
                         wishes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhProfile) profile = NULL, of_clone = NULL, without = NULL;
  g_autofree char *id = g_strdup_printf ("n%u", model->graph->first->id);
  const PhId first = model->graph->first->id, last = model->graph->last->id;

  feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, 1, 4, 1, NULL, &error);
  g_assert_no_error (error);
  g_hash_table_insert (wishes, (gpointer) "MatMul", (gpointer) PH_KERNEL_REFERENCE);
  g_hash_table_insert (wishes, id, (gpointer) "dnnl");
  ph_model_set_kernels (model, wishes);
  profile = ph_profile_model (model, feeds, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ph_profile_find (profile, first)->kernel, ==, "dnnl");
  g_assert_cmpstr (ph_profile_find (profile, last)->kernel, ==, PH_KERNEL_REFERENCE);
  clone = ph_model_clone (model);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    g_hash_table_insert (cloned, clone->graph->inputs->pdata[i], g_hash_table_lookup (feeds, model->graph->inputs->pdata[i]));
  of_clone = ph_profile_model (clone, cloned, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ph_profile_find (of_clone, first)->kernel, ==, "dnnl");
  ph_model_set_kernels (model, NULL);
  without = ph_profile_model (model, feeds, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ph_profile_find (without, first)->kernel, ==, "panels");
}

static void
say (PhConsole *console, const char *line)
{
  g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);

  g_assert_no_error (reply->error);
}

/* What is run at a position again is not compiled again, until the graph or a wish is another. */
static void
test_kept (void)
{
  static const Case matmul = { "kept", "float[4,5] x, float[5,6] w, float[6,7] v", "",
                               "a = MatMul (x, w) b = Identity (a) y = MatMul (b, v)" };
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  PhModel *last = NULL;
  g_autoptr (GError) error = NULL;

  ph_document_take_model (document, read_case (&matmul), NULL, NULL);
  for (guint i = 0; i < 6; i++)
    {
      g_autoptr (PhSnapshot) snapshot = NULL;
      g_autoptr (GHashTable) feeds = NULL;
      g_autoptr (PhTensor) y = NULL;
      PhModel *model;

      if (i == 2)
        say (console, "set kernel MatMul dnnl");
      if (i == 4)
        {
          say (console, "pipeline eliminate-identity");
          say (console, "run");
        }
      snapshot = ph_snapshot_new (document);
      model = ph_snapshot_lend (snapshot, ph_document_get_position (document));
      g_assert_true (last == NULL || model == last);
      g_assert_cmpint (model->program != NULL, ==, i % 2);
      g_assert_cmpuint (model->graph->n_nodes, ==, i < 4 ? 3 : 2);
      g_assert_cmpstr (ph_kernel_wish (model->graph->first), ==, i < 2 ? NULL : "dnnl");
      feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, 1, 4, 1, NULL, &error);
      g_assert_no_error (error);
      y = run (model, feeds, NULL);
      last = model;
      ph_snapshot_return (snapshot);
    }
}

/* The cases above take every row of the tables. */
static void
test_rows (void)
{
  guint n_missing = 0;
  guint n;
  const PhOp *const *ops = ph_op_list (&n);

  for (guint i = 0; i <= n; i++)
    for (const PhKernelRow *const *row = ph_kernel_rows (i < n ? ops[i] : NULL); row != NULL && *row != NULL; row++)
      {
        g_autofree char *name = g_strdup_printf ("%s %s", i < n ? ops[i]->name : "fused", (*row)->name);

        if (g_hash_table_contains (taken, name) || wants_newer_processor (name) || is_asked_for_elsewhere (name))
          continue;
        n_missing++;
        g_test_message ("no case is taken by the kernel: %s", name);
      }
  g_assert_cmpuint (n_missing, ==, 0);
}

/* Reference kernels with a special path for float32: their general path, which runs on doubles, must give the same results. */
static const Case narrow[] = {
  { "grid-zeros", "float[2,3,5,6] x, float[2,4,7,2] g", "float two = {2}", "h = Mul (g, two) y = GridSample (x, h)" },
  { "grid-border", "float[2,3,5,6] x, float[2,4,7,2] g", "float two = {2}",
    "h = Mul (g, two) y = GridSample <padding_mode = \"border\", align_corners = 1> (x, h)" },
  { "grid-far", "float[1,1,3,4] x, float[1,1,1,2] g", "float[1,1,5,1] k = {1e30, -1e30, inf, -inf, nan}",
    "h = Mul (g, k) y = GridSample <padding_mode = \"border\"> (x, h)" },
  { "top-few", "float[9,40] x", "int64[1] k = {7}, float four = {4}", "t = Mul (x, four) r = Round (t) y, i = TopK (r, k)" },
  { "top-few-index", "float[9,40] x", "int64[1] k = {7}, float four = {4}",
    "t = Mul (x, four) r = Round (t) v, y = TopK <largest = 0> (r, k)" },
  { "top-many", "float[2,900,3] x", "int64[1] k = {100}, float four = {4}",
    "t = Mul (x, four) r = Round (t) v, y = TopK <axis = 1> (r, k)" },
  { "top-all", "float[2,900] x", "int64[1] k = {900}, float ten = {10}",
    "t = Mul (x, ten) r = Round (t) v, y = TopK <largest = 0> (r, k)" },
  { "top-nan", "float[30] x", "int64[1] k = {20}", "s = Sqrt (x) y, i = TopK (s, k)" },
};

static void
test_wide (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (narrow); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_case (&narrow[i]);
      g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, 1, 4, 1, NULL, &error);
      g_autoptr (PhTensor) y = NULL, own = NULL, wide = NULL;

      g_assert_no_error (error);
      y = run (model, feeds, NULL);
      own = ph_run_widen (y);
      wide = run (model, feeds, &(PhRunOptions) { .in_double = TRUE });
      g_auto (PhComparison) comparison = ph_tensor_compare (own, wide, (PhTolerance) { 1e-5, 1e-6 });

      if (!comparison.close)
        g_test_message ("%s: %s", narrow[i].name, comparison.why);
      g_assert_true (comparison.close);
    }
}

/* All orders of four dimensions, there and back, in tiles of which the last are not whole. */
static void
test_transposed (void)
{
  static gint32 from[3 * 18 * 2 * 21], to[G_N_ELEMENTS (from)], back[G_N_ELEMENTS (from)];
  const gint64 dims[] = { 3, 18, 2, 21 };
  gint64 own[4], sizes[4], strides[4], rows[4];

  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    from[i] = (gint32) i;
  ph_strides (4, dims, own);
  for (guint code = 0; code < 256; code++)
    {
      const guint of[] = { code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 };

      if ((1u << of[0] | 1u << of[1] | 1u << of[2] | 1u << of[3]) != 15)
        continue;
      for (guint i = 0; i < 4; i++)
        {
          sizes[i] = dims[of[i]];
          strides[i] = own[of[i]];
        }
      ph_strides (4, sizes, rows);
      ph_copy_strided (4, sizes, to, rows, from, strides, sizeof *to);
      for (gint64 k = 0; k < (gint64) G_N_ELEMENTS (to); k++)
        {
          gint64 at = 0;

          for (guint i = 0; i < 4; i++)
            at += k / rows[i] % sizes[i] * strides[i];
          g_assert_cmpint (to[k], ==, from[at]);
        }
      ph_copy_strided (4, sizes, back, strides, to, rows, sizeof *to);
      g_assert_cmpmem (back, sizeof back, from, sizeof from);
    }
}

static gboolean
is_one_number (float a, float b)
{
  return a == b || (isnan (a) && isnan (b));
}

/* More numbers than a small table has places, zeros of both signs and NaN among them: they are told apart by what they are, in order, and
 * counted where they first are. */
static void
test_unique (void)
{
  static const char *const texts[] = { "Unique (x)", "Unique <sorted = 0> (x)", "Unique <axis = 0> (x)" };
  float elements[4000];

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    elements[i] = i % 97 == 5 ? NAN : (float) (i * 7919 % 701) - 350;
  elements[11] = -0.f;
  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]>\n"
                                               "g (float[4000] x) => (float[n] y, int64[n] i, int64[4000] v, int64[n] c) {\n"
                                               "y, i, v, c = %s }\n",
                                               texts[t]);
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "text", NULL);
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
      g_autoptr (GHashTable) results = NULL;
      gconstpointer out[4];
      const gint64 *firsts, *places, *counts;
      const float *y;
      gint64 n = 0;

      g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ph_tensor_new_floats (elements, G_N_ELEMENTS (elements)));
      results = ph_run_model (model, feeds, NULL, NULL, NULL);
      for (guint k = 0; k < 4; k++)
        {
          const PhValue *value = model->graph->outputs->pdata[k];
          PhTensor *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));

          out[k] = ph_tensor_data (tensor);
          n = k == 0 ? (gint64) ph_tensor_count (tensor) : n;
        }
      y = out[0], firsts = out[1], places = out[2], counts = out[3];
      g_assert_cmpint (n, ==, 702);
      for (gint64 i = 0; i < n; i++)
        {
          gint64 count = 0;

          g_assert_true (is_one_number (y[i], elements[firsts[i]]));
          for (gint64 k = 0; k < (gint64) G_N_ELEMENTS (elements); k++)
            {
              const gboolean equal = is_one_number (elements[k], y[i]);

              g_assert_true (!equal || (k >= firsts[i] && places[k] == i));
              count += equal;
            }
          g_assert_cmpint (counts[i], ==, count);
          g_assert_true (i == 0 || (t == 1 ? firsts[i] > firsts[i - 1] : isnan (y[i]) || y[i] > y[i - 1]));
        }
    }
}

/* Angles near all multiples of a quarter of pi, where digits cancel, and beyond those that have a loop. */
static void
test_angles (void)
{
  const PhLanes *lanes = ph_lanes ();

  for (gint32 i = -12000; i <= 12000; i++)
    {
      float x[3] = { (float) (i * (G_PI / 4)) }, y[G_N_ELEMENTS (x)], z[G_N_ELEMENTS (x)];

      x[1] = nextafterf (x[0], INFINITY);
      x[2] = x[0] + 0.3f;
      lanes->unary[PH_LANE_SIN](G_N_ELEMENTS (x), y, x, NULL);
      lanes->unary[PH_LANE_COS](G_N_ELEMENTS (x), z, x, NULL);
      for (guint k = 0; k < G_N_ELEMENTS (x); k++)
        {
          const double s = sin ((double) x[k]), c = cos ((double) x[k]);

          g_assert_cmpfloat (fabs (y[k] - s), <=, 3e-7 * fabs (s));
          g_assert_cmpfloat (fabs (z[k] - c), <=, 3e-7 * fabs (c));
          g_assert_cmpint (signbit (y[k]) != 0, ==, signbit (s) != 0);
        }
    }
  for (gint32 i = 0; i < 4; i++)
    {
      const float x = (const float[]) { -0.f, 0, INFINITY, NAN }[i];
      float y, z;

      lanes->unary[PH_LANE_SIN](1, &y, &x, NULL);
      lanes->unary[PH_LANE_COS](1, &z, &x, NULL);
      g_assert_true (i < 2 ? y == 0 && z == 1 && signbit (y) == signbit (x) : isnan (y) && isnan (z));
    }
}

/* Arcs over their whole domain, past the switches between their two forms, and at its ends. */
static void
test_arcs (void)
{
  static const float ends[] = { -0.f, 0, 1, -1, 0.5f, -0.5f, 1.5f, -1e30f, INFINITY, -INFINITY, NAN, 1e-30f };
  double (*const functions[]) (double) = { asin, acos, atan };
  static const guint lane[] = { PH_LANE_ASIN, PH_LANE_ACOS, PH_LANE_ATAN };

  for (guint f = 0; f < G_N_ELEMENTS (lane); f++)
    for (gint32 i = -(gint32) G_N_ELEMENTS (ends); i <= 40000; i++)
      {
        const float x = i < 0 ? ends[-1 - i] : (float) (i - 20000) / (f < 2 ? 20000 : 5000);
        const double expected = functions[f]((double) x);
        float y;

        ph_lanes ()->unary[lane[f]](1, &y, &x, NULL);
        g_assert_true (isnan (expected) ? isnan (y) : fabs (y - expected) <= 3e-7 * fabs (expected));
        g_assert_true (isnan (y) || (signbit (y) != 0) == (signbit (expected) != 0));
      }
}

/* Shifts of each width by less, as much and more than it, of all bits to the left and back. */
static void
test_shifts (void)
{
  static const PhDType types[] = { PH_UINT8, PH_UINT16, PH_UINT32, PH_UINT64 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      const gint64 bits = 8 << t;
      g_autofree char *inputs = g_strdup_printf ("uint%d[70] x, uint%d[70] s", (int) bits, (int) bits);
      g_autoptr (PhModel) model = read_case (&(Case) {
          "shift", inputs, "", "a = BitShift <direction = \"LEFT\"> (x, s) y = BitShift <direction = \"RIGHT\"> (a, s)" });
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
      PhTensor *x = ph_tensor_new (types[t], 1, (gint64[]) { 70 }), *s = ph_tensor_new (types[t], 1, (gint64[]) { 70 });
      g_autoptr (PhTensor) y = NULL;

      for (gint64 i = 0; i < 70; i++)
        {
          ph_dtype_store_int (types[t], ph_tensor_writable (x), (gsize) i, -1);
          ph_dtype_store_int (types[t], ph_tensor_writable (s), (gsize) i, i);
        }
      g_hash_table_insert (feeds, model->graph->inputs->pdata[0], x);
      g_hash_table_insert (feeds, model->graph->inputs->pdata[1], s);
      y = run (model, feeds, NULL);
      for (gint64 i = 0; i < 70; i++)
        g_assert_cmphex ((guint64) ph_tensor_get_int (y, (gsize) i), ==, i < bits ? G_MAXUINT64 >> (64 - bits + i) : 0);
    }
}

/* Rows of L U in reverse, where the diagonal of L is ones: the determinant is the product of the diagonal of U, with a sign. */
static void
test_determinant (void)
{
  for (guint n = 1; n <= 21; n++)
    {
      g_autofree char *inputs = g_strdup_printf ("float[2,%u,%u] x", n, n);
      g_autoptr (PhModel) model = read_case (&(Case) { "det", inputs, "", "y = Det (x)" });
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
      PhTensor *x = ph_tensor_new (PH_FLOAT, 3, (gint64[]) { 2, n, n });
      float *a = ph_tensor_writable (x);
      g_autoptr (PhTensor) y = NULL;
      double det = n * (n - 1) / 2 % 2 == 0 ? 1 : -1;

      for (guint k = 0; k < n; k++)
        det *= k % 3 - 1.5;
      for (guint i = 0; i < n * n; i++)
        {
          const guint row = n - 1 - i / n, column = i % n;

          a[i] = 0;
          for (guint k = 0; k <= MIN (row, column); k++)
            a[i] += (row == k ? 1 : (row * 5 + k) % 3 - 1.f) * (column == k ? k % 3 - 1.5f : (k * 7 + column) % 4 - 1.f);
          a[n * n + i] = i / n == n - 1 ? a[i % n] : a[i]; /* its last row is its first */
        }
      g_hash_table_insert (feeds, model->graph->inputs->pdata[0], x);
      y = run (model, feeds, NULL);
      g_assert_cmpfloat_with_epsilon (ph_tensor_get (y, 0), det, 1e-5 * fabs (det));
      if (n > 1)
        g_assert_cmpfloat_with_epsilon (ph_tensor_get (y, 1), 0, 1e-5 * fabs (det));
    }
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  ph_tensor_set_poison (TRUE); /* what a kernel does not write shows */
  taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/kernels/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/kernels/arcs", test_arcs);
  g_test_add_func ("/kernels/determinant", test_determinant);
  g_test_add_func ("/kernels/shifts", test_shifts);
  g_test_add_func ("/kernels/unique", test_unique);
  g_test_add_func ("/kernels/special", test_special);
  g_test_add_func ("/kernels/ways", test_ways);
  g_test_add_func ("/kernels/infinite", test_infinite);
  g_test_add_func ("/kernels/wishes", test_wishes);
  g_test_add_func ("/kernels/kept", test_kept);
  g_test_add_func ("/kernels/rows", test_rows);
  g_test_add_func ("/kernels/wide", test_wide);
  g_test_add_func ("/kernels/transposed", test_transposed);
  g_test_add_func ("/kernels/angles", test_angles);
  status = g_test_run ();
  g_hash_table_unref (taken);
  return status;
}
