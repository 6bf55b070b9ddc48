/* grad-forms.c: gradients in forms that are seldom met: open shapes, narrow floats, zeros, what passes took away.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/io/format.h"
#include "core/ops/infer.h"
#include "differentiate.h"

/* Where the shape of the output is open the cotangent is expanded to it, and has its rank. */
static void
test_open_attention (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (
      "<ir_version: 8, opset_import: [\"\" : 23]> f (float[N,3,2,1] q, float[N,3,1,1] k) => (float[N,3,2,1] y) {\n"
      "  y = Attention (q, k, k) }",
      "y", NULL, history);
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) slope = NULL;
  PhTensor *q = ph_tensor_new (PH_FLOAT, 4, DIMS (2, 3, 2, 1)), *k = ph_tensor_new (PH_FLOAT, 4, DIMS (2, 3, 1, 1));

  memset (ph_tensor_writable (q), 0, 12 * sizeof (float));
  memset (ph_tensor_writable (k), 0, 6 * sizeof (float));
  feed (feeds, model, "q", q);
  feed (feeds, model, "k", k);
  slope = compute (model, feeds, "grad_k");
  g_assert_cmpuint (ph_tensor_count (slope), ==, 6);
  for (guint i = 0; i < 6; i++) /* one key: it gets the sum of two queries */
    g_assert_cmpfloat_with_epsilon (ph_tensor_get (slope, i), 2, 1e-6);
}

/* Floats of a byte are handed on, but not added as they are, and nobody asks for a gradient by them. */
static void
test_narrow (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (
      "<ir_version: 10, opset_import: [\"\" : 23]> f (float8e4m3fn w, float[2] x, bool c) => (float[2] y) {\n"
      "  n = Cast <to = 17> (x) a = If (c) <then_branch = t () => (float[2] p) { p = Cast <to = 1> (n) }, else_branch = e () => (float[2] q) { q = Neg (x) }>\n"
      "  b = Cast <to = 1> (n) d = Cast <to = 1> (w) s = Add (a, b) y = Mul (s, d) }",
      "b", (const char *[]) { "x", NULL }, history);
  g_autofree char *outputs = output_names (model);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) all = NULL;
  g_autoptr (PhHistory) second = ph_history_new ();
  g_autofree char *all_outputs = NULL;

  g_assert_cmpstr (outputs, ==, "y grad_x");
  all = differentiate ("<ir_version: 10, opset_import: [\"\" : 23]> f (float8e4m3fn w, float x) => (float y) {\n"
                       "  d = Cast <to = 1> (w) y = Mul (x, d) }",
                       "y", NULL, second);
  all_outputs = output_names (all);
  g_assert_cmpstr (all_outputs, ==, "y grad_x");
}

/* A parameter that is restored has its own name again, also where a pass made something that bears it. */
static void
test_restored_name (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 8, opset_import: [\"\" : 23]> f (float[2] x) => (float[2] y)\n<float[2] const = {1, 2}, bool yes = {1}> {\n"
      "  m = Mul (x, const) z = If (yes) <then_branch = t () => (float[2] p) { p = Neg (x) }, else_branch = e () => (float[2] q) { q = Neg (m) }>\n"
      "  two = Constant <value_float = 2.0> () y = Mul (z, two) }",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhPipeline *train = ph_pipeline_find ("train");
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autofree char *outputs = NULL;
  PhValue *two;

  g_assert_no_error (error);
  for (guint i = 0; error == NULL && train->passes[i] != NULL; i++)
    ph_pass_run (ph_pass_find (train->passes[i]), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_null (ph_model_find_value_named (model, "const"));
  two = ph_model_find_value_named (model, "two");
  g_assert_true (ph_value_rename (two, "const", &error));
  options.arguments = (const char *[]) { "y", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  outputs = output_names (model);
  g_assert_cmpstr (outputs, ==, "y grad_x grad_const");
}

/* What a pass took away of a model out of another dialect is restored as it was converted, not as it came. */
static void
test_restored_converted (void)
{
  static const char text[]
      = "{ lambda ; a:f32[]. let\n    b:f32[] = sin a\n    c:f32[] = mul 1.0:f32[] b\n    d:f32[] = mul c a\n  in (d,) }\n";
  static const char *const passes[] = { "dce", "convert-to-onnx", "algebraic", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("jaxpr"), bytes, "f.jaxpr", NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autofree char *outputs = NULL;

  g_assert_no_error (error);
  for (guint i = 0; error == NULL && passes[i] != NULL; i++)
    ph_pass_run (ph_pass_find (passes[i]), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 2);
  options.arguments = (const char *[]) { "d", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  outputs = output_names (model);
  g_assert_cmpstr (outputs, ==, "d grad_a grad_literal#1");
}

/* Products with no zero, one, and two. */
static void
test_cum_prod (void)
{
  static const double rows[][4] = { { 2, 3, -1, 0.5 }, { 2, 0, 3, 4 }, { 0, 2, 0, 5 }, { 1, 2, 3, 0 } };

  for (guint form = 0; form < 4 * G_N_ELEMENTS (rows); form++)
    {
      const gboolean exclusive = form & 1, reverse = form >> 1 & 1;
      const double *x = rows[form / 4];
      g_autofree char *text = g_strdup_printf (
          "<ir_version: 10, opset_import: [\"\" : 26]> f (double[4] x) => (double[4] y) { a = Constant <value_int = 0> () "
          "p = CumProd <exclusive = %d, reverse = %d> (x, a) c = Constant <value = double[4] {1.0, 2.0, 4.0, 8.0}> () "
          "y = Mul (p, c) }",
          exclusive, reverse);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhModel) model = differentiate (text, "y", NULL, history);
      g_autoptr (GHashTable) feeds = new_feeds ();
      g_autoptr (PhTensor) slope = NULL;
      PhTensor *at = ph_tensor_new (PH_DOUBLE, 1, DIMS (4));

      memcpy (ph_tensor_writable (at), x, sizeof rows[0]);
      feed (feeds, model, "x", at);
      slope = compute (model, feeds, "grad_x");
      for (guint k = 0; k < 4; k++)
        {
          double expected = 0;

          for (guint j = 0; j < 4; j++)
            {
              const gboolean counts = reverse ? (exclusive ? k > j : k >= j) : exclusive ? k < j : k <= j;
              double product = counts ? 1 << j : 0;

              for (guint i = 0; i < 4; i++)
                if (i != k && (reverse ? (exclusive ? i > j : i >= j) : exclusive ? i < j : i <= j))
                  product *= x[i];
              expected += product;
            }
          g_assert_cmpfloat_with_epsilon (ph_tensor_get (slope, k), expected, 1e-12);
        }
    }
}

/* What is computed in a branch that is not taken, or in a loop of no turns, may have no finite slope: train leaves it there. */
static void
test_train_poles (void)
{
  static const char *const texts[] = {
    "<ir_version: 8, opset_import: [\"\" : 23]> f (float x, bool c) => (float y) { y = If (c) <then_branch = t () => (float p) { q = Sqrt (x) p = Neg (q) }, "
    "else_branch = e () => (float s) { r = Sqrt (x) u = Sub (r, r) s = Add (x, x) }> }",
    "<ir_version: 8, opset_import: [\"\" : 23]> f (float x, int64 n) => (float y) { y = Loop <body = b (int64 i, bool g, float v) => (bool h, float w) { "
    "h = Identity (g) q = Sqrt (x) w = Add (v, q) }> (n, \"\", x) }",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (texts[i], -1, "test", &error);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GHashTable) feeds = new_feeds ();
      g_autoptr (PhTensor) slope = NULL;
      const PhPipeline *train = ph_pipeline_find ("train");
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      g_assert_no_error (error);
      for (guint k = 0; error == NULL && train->passes[k] != NULL; k++)
        ph_pass_run (ph_pass_find (train->passes[k]), model, history, &options, &error);
      options.arguments = (const char *[]) { "y", NULL };
      ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
      g_assert_no_error (error);
      feed (feeds, model, "x", ph_tensor_new_scalar (PH_FLOAT, 0));
      feed (feeds, model, i == 0 ? "c" : "n", ph_tensor_new_scalar (i == 0 ? PH_BOOL : PH_INT64, 0));
      slope = compute (model, feeds, "grad_x");
      g_assert_cmpfloat (ph_tensor_get (slope, 0), ==, i == 0 ? 2 : 1);
    }
}

/* Of branches of other ranks each gets the gradient of its own. */
static void
test_ranks_of_branches (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23]> f (float[3,2] x, bool c) => (float y) <int64[1] a = {0}> { u = If (c) <then_branch = t () "
        "=> (float[1,3,2] p) { p = Unsqueeze (x, a) }, else_branch = e () => (float[3,2] q) { q = Identity (x) }> v = Unsqueeze (u, a) "
        "w = Mul (v, v) y = ReduceSum <keepdims = 0> (w) }";

  for (guint taken = 0; taken < 2; taken++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "test", &error);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GHashTable) feeds = new_feeds ();
      g_autoptr (PhTensor) slope = NULL;
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
      PhTensor *x = ph_tensor_new (PH_FLOAT, 2, (const gint64[]) { 3, 2 });

      g_assert_no_error (error);
      ph_infer_model (model, FALSE, NULL, &error);
      options.arguments = (const char *[]) { "y", NULL };
      ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
      g_assert_no_error (error);
      /* A difference of ranks as a size would be negative in the branch that is not taken: runtimes do not load that. */
      g_autoptr (GPtrArray) nodes = ph_model_nodes (model);
      for (guint i = 0; i < nodes->len; i++)
        g_assert_false (ph_node_is (nodes->pdata[i], &ph_op_Sub));
      for (guint i = 0; i < 6; i++)
        ph_dtype_store (PH_FLOAT, ph_tensor_writable (x), i, 3 - (double) i);
      feed (feeds, model, "x", x);
      feed (feeds, model, "c", ph_tensor_new_scalar (PH_BOOL, taken));
      slope = compute (model, feeds, "grad_x");
      g_assert_cmpint (ph_tensor_count (slope), ==, 6);
      for (guint i = 0; i < 6; i++)
        g_assert_cmpfloat (ph_tensor_get (slope, i), ==, 2 * (3 - (double) i));
    }
}

/* Scales and sizes that are fed give the gradient of those that are constants. */
static void
test_open_resize (void)
{
  /* clang-format off */
  static const struct { const char *attrs, *extra, *inputs, *constants; } rows[] = {
    { "mode = \"linear\"", "float[4] s", "x, \"\", s", "s = Constant <value_floats = [1.0, 1.0, 2.0, 1.5]> () " },
    { "mode = \"cubic\", cubic_coeff_a = -0.5", "float[4] s", "x, \"\", s", "s = Constant <value_floats = [1.0, 1.0, 1.4, 2.0]> () " },
    { "mode = \"linear\", antialias = 1", "float[4] s", "x, \"\", s", "s = Constant <value_floats = [1.0, 1.0, 0.7, 0.5]> () " },
    { "mode = \"linear\", coordinate_transformation_mode = \"align_corners\"", "int64[4] s", "x, \"\", \"\", s", "s = Constant <value_ints = [1, 2, 5, 3]> () " },
    { "mode = \"linear\", axes = [2, -1]", "float[2] s", "x, \"\", s", "s = Constant <value_floats = [1.6, 1.0]> () " },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      PhTensor *slopes[3] = {
        NULL,
      };

      for (guint k = 0; k < 3; k++) /* constants; fed; a batch that is open */
        {
          g_autofree char *text = g_strdup_printf (
              "<ir_version: 8, opset_import: [\"\" : 23]> f (double[%s,2,3,4] x%s%s) => (double[] y) {"
              "  %s r = Resize <%s> (%s) c = Sin (r) y = Mul (c, r) }",
              k == 2 ? "N" : "1", k == 1 ? ", " : "", k == 1 ? rows[i].extra : "", k == 1 ? "" : rows[i].constants, rows[i].attrs,
              rows[i].inputs);
          g_autoptr (PhHistory) history = ph_history_new ();
          g_autoptr (PhModel) model = differentiate (text, "y", (const char *[]) { "x", NULL }, history);
          g_autoptr (GHashTable) feeds = new_feeds ();
          PhTensor *x = ph_tensor_new (PH_DOUBLE, 4, DIMS (1, 2, 3, 4));

          for (guint n = 0; n < 24; n++)
            ((double *) ph_tensor_writable (x))[n] = sin (n * n) + 0.1 * n;
          feed (feeds, model, "x", x);
          if (k == 1)
            {
              g_autofree char *source = g_strdup_printf ("<ir_version: 8, opset_import: [\"\" : 23]> f () => (float[] s) { %s }",
                                                         rows[i].constants);
              g_autoptr (GError) error = NULL;
              g_autoptr (PhModel) settings = ph_onnx_text_read (source, -1, "settings", &error);
              g_autoptr (GHashTable) none = new_feeds ();

              g_assert_no_error (error);
              feed (feeds, model, "s", compute (settings, none, "s"));
            }
          slopes[k] = compute (model, feeds, "grad_x");
          g_assert_cmpuint (ph_tensor_count (slopes[k]), ==, 24);
        }
      for (guint n = 0; n < 24; n++)
        for (guint k = 1; k < 3; k++)
          g_assert_cmpfloat_with_epsilon (ph_tensor_get (slopes[k], n), ph_tensor_get (slopes[0], n), 1e-9);
      for (guint k = 0; k < 3; k++)
        ph_tensor_unref (slopes[k]);
    }
}

static double
work (const PhModel *model)
{
  double flops = 0;

  for (const PhNode *node = model->graph->first; node != NULL; node = node->next)
    flops += (double) MAX (ph_node_flops (node), 0);
  return flops;
}

/* A gradient of a product is two products as large, also where windows skip elements. */
static void
test_strided (void)
{
  static const char *const bodies[] = {
    "(float[1,16,28,28] x, float[32,16,1,1] w) => (float[] y) { y = Conv <strides = [2, 2]> (x, w) }",
    "(float[1,16,29,27] x, float[32,16,1,1] w) => (float[] y) { y = Conv <strides = [3, 2]> (x, w) }",
    "(float[1,16,28,28] x, float[8,16,7,7] w) => (float[] y) { y = Conv <strides = [2, 2], pads = [3, 3, 3, 3]> (x, w) }",
    "(float[1,16,28,28] x, float[8,16,3,3] w) => (float[] y) { y = Conv <strides = [2, 2], auto_pad = \"SAME_UPPER\"> (x, w) }",
    "(float[2,16,100] x, float[16,4,5] w) => (float[] y) { y = Conv <group = 4, strides = [4]> (x, w) }",
    "(float[1,16,14,14] x, float[16,8,2,2] w) => (float[] y) { y = ConvTranspose <strides = [2, 2]> (x, w) }",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *text = g_strconcat ("<ir_version: 8, opset_import: [\"\" : 22]> f ", bodies[i], NULL);
      g_autoptr (PhModel) plain = ph_onnx_text_read (text, -1, "test", NULL);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhModel) model = differentiate (text, "y", NULL, history);

      ph_infer_model (plain, FALSE, NULL, NULL);
      ph_infer_model (model, FALSE, NULL, NULL);
      if (!(work (model) <= 3.1 * work (plain)))
        g_error ("%s: forward and backward are %.3f times as much as forward", bodies[i], work (model) / work (plain));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/grad-forms/open-attention", test_open_attention);
  g_test_add_func ("/grad-forms/narrow", test_narrow);
  g_test_add_func ("/grad-forms/restored-name", test_restored_name);
  g_test_add_func ("/grad-forms/restored-converted", test_restored_converted);
  g_test_add_func ("/grad-forms/cum-prod", test_cum_prod);
  g_test_add_func ("/grad-forms/open-resize", test_open_resize);
  g_test_add_func ("/grad-forms/ranks-of-branches", test_ranks_of_branches);
  g_test_add_func ("/grad-forms/train-poles", test_train_poles);
  g_test_add_func ("/grad-forms/strided", test_strided);
  return g_test_run ();
}
