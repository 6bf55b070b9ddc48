/* opset.c: tests that what upgrade-opset makes is brought back to the file's own opset, and that rewrites stand aside.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/opset/opset.h"
#include "sample.h"

#include "each-file.h"

static PhModel *
parse (const char *text, int opset)
{
  g_autofree char *whole = *text == '<' ? g_strdup (text)
                                        : g_strdup_printf ("<ir_version: 8, opset_import: [\"\" : %d]>\n%s", opset, text);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (whole, -1, "t.onnxtxt", &error);

  g_assert_no_error (error);
  return model;
}

static PhModel *
upgraded (PhModel *model)
{
  PhModel *clone = ph_model_clone (model);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GError) error = NULL;

  options.keep_opset = TRUE;
  ph_pass_run (ph_pass_find ("upgrade-opset"), clone, history, &options, &error);
  g_assert_no_error (error);
  return clone;
}

static void
assert_has_all (PhGraph *graph, int opset)
{
  PH_FOREACH_NODE (node, graph)
    {
      g_autofree char *why = NULL;

      if (!ph_opset_has (node, opset, &why))
        g_error ("%s at opset %d: %s", node->op_type, opset, why);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        assert_has_all (node->graphs->pdata[i], opset);
    }
}

static void
assert_same_values (PhModel *a, PhModel *b)
{
  for (guint64 seed = 1; seed < 3; seed++)
    {
      g_autoptr (GHashTable) feeds = sample_feeds (a, PH_EXACT, NULL, seed);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) before = sample_outputs (a, feeds, &error), after = NULL;
      g_autofree char *difference = NULL;

      g_clear_error (&error);
      if (before == NULL)
        return; /* what needs inputs of its own: its fixture has them */
      after = sample_outputs (b, feeds, &error);
      g_assert_no_error (error);
      difference = sample_compare (before, after, PH_EXACT);
      g_assert_cmpstr (difference, ==, NULL);
    }
}

/* A model that is said to be in the form of an opset is not changed by being lowered to it. */
static void
assert_forms (PhModel *model)
{
  for (int opset = 1; opset <= PH_OPSET_NEWEST; opset++)
    {
      g_autoptr (PhModel) older = NULL, same = NULL;
      g_autofree char *text = NULL, *expected = NULL;

      if (!ph_model_is_in_form (model, opset))
        continue;
      same = ph_model_clone (model);
      ph_model_set_opset (same, "", opset);
      ph_model_set_opset (same, PH_FILE_OPSET, 0);
      older = ph_model_lowered (model, opset, NULL, NULL, NULL);
      g_assert_nonnull (older);
      text = ph_onnx_text_print (older, G_MAXSIZE);
      expected = ph_onnx_text_print (same, G_MAXSIZE);
      g_assert_cmpstr (text, ==, expected);
    }
}

/* These were not what they are called now in a way that no older form says. */
static const char *const no_way_back[] = { "scan-batch", "group-normalization", "group-normalization-not", NULL };

static void
test_there_and_back (gconstpointer path)
{
  g_autofree char *text = NULL, *name = g_path_get_basename (path), *stem = g_strndup (name, strcspn (name, ".")), *why = NULL,
                  *before = NULL;
  g_autoptr (PhModel) model = NULL, newest = NULL, back = NULL;
  g_autoptr (GError) error = NULL;
  char *start, *end;
  int opset, own;

  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  start = strstr (text, "# before\n") + strlen ("# before\n");
  end = strstr (start, "# after\n");
  before = end != NULL ? g_strndup (start, end - start) : g_strdup (start);
  model = parse (before, PH_OPSET_NEWEST);
  own = ph_model_opset (model, "");
  newest = upgraded (model);
  assert_forms (newest);
  g_assert_cmpint (ph_model_file_opset (newest), ==, own);
  back = ph_model_at_opset (newest, 0, &opset, &why, &error);
  g_assert_no_error (error);
  if (back == NULL)
    back = ph_model_clone (newest);
  if (g_strv_contains (no_way_back, stem))
    {
      g_assert_cmpint (opset, >=, own);
      g_assert_true (opset == own || why != NULL);
    }
  else
    {
      g_assert_cmpstr (why, ==, NULL);
      g_assert_cmpint (opset, ==, own);
    }
  g_assert_cmpint (ph_model_opset (back, ""), ==, opset);
  assert_has_all (back->graph, opset);
  assert_same_values (model, back);
}

typedef struct
{
  const char *name, *body;
  int opset, reaches;
} Lowered;

/* What is in the newest form, to what it can be lowered, and no further. */
/* clang-format off */
static const Lowered lowered[] = {
  { "relu", "g (float[2,3] x) => (float[2,3] y) { y = Relu (x) }", 7, 0 },
  { "relu-int8", "g (int8[2,3] x) => (int8[2,3] y) { y = Relu (x) }", 13, 14 },
  { "clip-int8-open", "g (int8[3] x) => (int8[3] y) { y = Clip (x) }", 9, 12 },
  { "element-of-tensor", "g (float[4] x) => (float[4] y) { y = OptionalGetElement (x) }", 17, 18 },
  { "gelu", "g (float[2,3] x) => (float[2,3] y) { y = Gelu (x) }", 19, 20 },
  { "layer-norm", "g (float[2,3] x, float[3] s) => (float[2,3] y) { y = LayerNormalization (x, s) }", 16, 17 },
  { "squeeze", "g (float[2,1] x) => (float[2] y) <int64[1] a = {1}> { y = Squeeze (x, a) }", 1, 0 },
  { "squeeze-computed", "g (float[2,1] x, int64[1] a) => (float[N] y) { y = Squeeze (x, a) }", 12, 13 },
  { "squeeze-negative", "g (float[2,1] x) => (float[2] y) <int64[1] a = {-1}> { y = Squeeze (x, a) }", 7, 0 },
  { "unsqueeze", "g (float[2] x) => (float[2,1] y) <int64[1] a = {-1}> { y = Unsqueeze (x, a) }", 7, 0 },
  { "reduce-all", "g (float[2,3] x) => (float[1,1] y) { y = ReduceMean (x) }", 7, 0 },
  { "reduce-none", "g (float[2,3] x) => (float[2,3] y) { y = ReduceMean <noop_with_empty_axes = 1> (x) }", 17, 18 },
  { "softmax-last", "g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }", 7, 0 },
  { "softmax-middle", "g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = 1> (x) }", 9, 0 },
  { "log-softmax-first", "g (float[2,3] x) => (float[2,3] y) { y = LogSoftmax <axis = 0> (x) }", 7, 0 },
  { "clip", "g (float[4] x) => (float[4] y) <float a = {-0.5}, float b = {0.5}> { y = Clip (x, a, b) }", 7, 0 },
  { "clip-computed", "g (float[4] x, float a) => (float[4] y) { y = Clip (x, a) }", 10, 11 },
  { "slice", "g (float[4] x) => (float[2] y) <int64[1] a = {1}, int64[1] b = {3}> { y = Slice (x, a, b) }", 7, 0 },
  { "slice-step", "g (float[4] x) => (float[2] y) <int64[1] a = {0}, int64[1] b = {4}, int64[1] k = {0}, int64[1] s = {2}> { y = Slice (x, a, b, k, s) }", 9, 10 },
  { "pad", "g (float[4] x) => (float[6] y) <int64[2] p = {1, 1}, float v = {2}> { y = Pad (x, p, v) }", 7, 0 },
  { "pad-axes", "g (float[4,2] x) => (float[4,4] y) <int64[2] p = {1, 1}, int64[1] a = {1}> { y = Pad (x, p, \"\", a) }", 7, 0 },
  { "pad-wrap", "g (float[4] x) => (float[6] y) <int64[2] p = {1, 1}> { y = Pad <mode = \"wrap\"> (x, p) }", 18, 19 },
  { "split", "g (float[4] x) => (float[1] y, float[3] z) <int64[2] s = {1, 3}> { y, z = Split (x, s) }", 7, 0 },
  { "split-equal", "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split <num_outputs = 2> (x) }", 7, 0 },
  { "split-unequal", "g (float[5] x) => (float[3] y, float[2] z) { y, z = Split <num_outputs = 2> (x) }", 17, 18 },
  { "topk", "g (float[5] x) => (float[2] y, int64[2] i) <int64[1] k = {2}> { y, i = TopK (x, k) }", 7, 0 },
  { "topk-smallest", "g (float[5] x) => (float[2] y, int64[2] i) <int64[1] k = {2}> { y, i = TopK <largest = 0> (x, k) }", 10, 11 },
  { "gemm", "g (float[2,3] x, float[3,4] w) => (float[2,4] y) { y = Gemm (x, w) }", 10, 0 },
  { "gemm-scaled", "g (float[2,3] x, float[3,4] w) => (float[2,4] y) { y = Gemm <alpha = 2.0> (x, w) }", 10, 11 },
  { "shape-range", "g (float[2,3,4] x) => (int64[1] y) { y = Shape <start = 1, end = 2> (x) }", 9, 0 },
  { "scatter", "g (float[4] x, float[1] u) => (float[4] y) <int64[1] i = {2}> { y = ScatterElements (x, i, u) }", 9, 0 },
  { "scatter-max", "g (float[4] x, float[1] u) => (float[4] y) <int64[1] i = {2}> { y = ScatterElements <reduction = \"max\"> (x, i, u) }", 17, 18 },
  { "gather-negative", "g (float[4] x) => (float[1] y) <int64[1] i = {-1}> { y = Gather (x, i) }", 7, 0 },
  { "resize", "g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1, 1, 2, 2}> { y = Resize <coordinate_transformation_mode = \"asymmetric\", "
    "nearest_mode = \"floor\"> (x, \"\", s) }", 7, 0 },
  { "resize-half", "g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1, 1, 2, 2}> { y = Resize (x, \"\", s) }", 10, 11 },
  { "constant", "g () => (float y) { y = Constant <value_float = 1.5> () }", 9, 0 },
  { "pow-types", "g (float[2] x, int32 e) => (float[2] y) { y = Pow (x, e) }", 11, 12 },
  { "add-broadcast", "g (float[2,3,4] x, float[3,1] b) => (float[2,3,4] y) <float[3,1] c = {1, 2, 3}> { y = Add (x, c) }", 6, 0 },
  { "max-broadcast", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Max (x, b) }", 7, 8 },
  { "quantize-channel", "g (float[2,2] x, float[2] s) => (uint8[2,2] y) { y = QuantizeLinear (x, s) }", 12, 13 },
  { "dropout", "g (float[2] x) => (float[2] y) <float r = {0.25}> { y, m = Dropout (x, r) }", 7, 0 },
  { "cast", "g (float[2] x) => (int32[2] y) { y = Cast <to = 6> (x) }", 1, 0 },
  { "tile", "g (float[2,2] x) => (float[2,6] y) <int64[2] r = {1, 3}> { y = Tile (x, r) }", 1, 0 },
  { "swish", "g (float[2] x) => (float[2] y) { y = Swish (x) }", 23, 24 },
};
/* clang-format on */

static void
test_lowered (gconstpointer data)
{
  const Lowered *row = data;
  g_autoptr (PhModel) model = parse (row->body, PH_OPSET_NEWEST), file = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *expected = NULL;
  int opset;

  assert_forms (model);
  file = ph_model_at_opset (model, row->opset, &opset, NULL, &error);
  if (row->reaches > 0)
    {
      expected = g_strdup_printf ("*at opset %d*needs opset %d: *", row->opset, row->reaches);
      g_assert_null (file);
      g_assert_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED);
      if (!g_pattern_match_simple (expected, error->message))
        g_error ("'%s' is not '%s'", error->message, expected);
      g_clear_error (&error);
      file = ph_model_at_opset (model, row->reaches, &opset, NULL, &error);
    }
  g_assert_no_error (error);
  g_assert_nonnull (file);
  g_assert_cmpint (ph_model_opset (file, ""), ==, opset);
  assert_has_all (file->graph, opset);
  /* What was written means the same when it is read. */
  text = ph_onnx_text_print (file, G_MAXSIZE);
  again = parse (text, 0);
  assert_same_values (model, again);
}

/* At the lowest opset that has all that a pass made. */
static void
test_raised (void)
{
  g_autoptr (PhModel) model = parse (
      "g (float[2,3] x) => (float[2] y) { h = HardSwish (x) y = ReduceMean <axes = [1], keepdims = 0> (h) }", 13);
  g_autoptr (PhModel) newest = upgraded (model), file = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  int opset;

  g_assert_true (ph_model_is_in_form (newest, PH_OPSET_NEWEST) && ph_model_is_in_form (newest, 18));
  g_assert_false (ph_model_is_in_form (newest, 17)); /* its axes are an input */
  file = ph_model_at_opset (newest, 0, &opset, &why, &error);
  g_assert_no_error (error);
  g_assert_cmpint (opset, ==, 14);
  g_assert_true (g_pattern_match_simple ("*HardSwish*needs opset 14*", why));
  g_assert_nonnull (ph_node_attr (file->graph->last, "axes"));
}

/* A run that must not raise the opset leaves what would; a pass with a function is taken back whole. */
static void
test_stands_aside (void)
{
  static const char *body
      = "g (float[2,3] x) => (float[2,3] y) <float a = {0.16666667}, float b = {0.5}, float c = {0}, float d = {1}> {\n"
        "s = HardSigmoid <alpha = 0.16666667> (x)\n y = Mul (x, s)\n }";
  g_autoptr (PhModel) model = parse (body, 13), newest = upgraded (model);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GError) error = NULL;

  options.max_opset = 13;
  options.allow = PH_LOSSY;
  g_assert_true (ph_pass_run (ph_pass_find ("fuse-swish"), newest, history, &options, &error));
  g_assert_cmpuint (g_array_index (history->steps, PhStep, 0).n_rewrites, ==, 0);
  g_assert_true (g_pattern_match_simple ("fuse-swish/* is skipped: HardSwish *", g_array_index (history->steps, PhStep, 0).note));
  options.max_opset = 14;
  g_assert_true (ph_pass_run (ph_pass_find ("fuse-swish"), newest, history, &options, &error));
  g_assert_cmpuint (g_array_index (history->steps, PhStep, 1).n_rewrites, ==, 1);
  g_assert_null (g_array_index (history->steps, PhStep, 1).note);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_each_file ("upgrade-opset", test_there_and_back);
  for (gsize i = 0; i < G_N_ELEMENTS (lowered); i++)
    {
      g_autofree char *path = g_strconcat ("/opset/lowered/", lowered[i].name, NULL);

      g_test_add_data_func (path, &lowered[i], test_lowered);
    }
  g_test_add_func ("/opset/raised", test_raised);
  g_test_add_func ("/opset/stands-aside", test_stands_aside);
  return g_test_run ();
}
