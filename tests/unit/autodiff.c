/* autodiff.c: gradients of small graphs in ONNX text, against the textbook or against central differences.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "differentiate.h"

/* x1 = 2, x2 = 5 is the example of Baydin et al., "Automatic differentiation in machine learning: a survey" (2018). */
static void
test_textbook (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (
      "<ir_version: 8, opset_import: [\"\" : 17]> seed (double x1, double x2) => (double y) {\n"
      "  a = Log(x1)\n  b = Mul(x1, x2)\n  c = Add(a, b)\n  d = Sin(x2)\n  y = Sub(c, d)\n}\n",
      "y", NULL, history);
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) y = NULL, dx1 = NULL, dx2 = NULL;

  feed (feeds, model, "x1", ph_tensor_new_scalar (PH_DOUBLE, 2));
  feed (feeds, model, "x2", ph_tensor_new_scalar (PH_DOUBLE, 5));
  feed (feeds, model, "grad_y", ph_tensor_new_scalar (PH_DOUBLE, 1));
  y = compute (model, feeds, "y");
  dx1 = compute (model, feeds, "grad_x1");
  dx2 = compute (model, feeds, "grad_x2");
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (y, 0), log (2) + 10 - sin (5), 1e-12);
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (dx1, 0), 5.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (dx2, 0), 2 - cos (5), 1e-12);

  /* Each backward node knows the forward node that it differentiates. */
  PH_FOREACH_NODE (node, model->graph)
    if (node->role == PH_ROLE_BACKWARD)
      g_assert_cmpstr (node->domain, ==, "");
  for (guint i = 0; i < history->rewrites->len; i++)
    g_assert_cmpstr (g_array_index (history->rewrites, PhRewrite, i).rule, !=, "");
}

/* Central differences of sum(y * cotangent) by every element of @by, in double. */
static void
check_numerically (const char *text, const char *output, const char *const *by, const char *const *inputs,
                   const gint64 *const *dims, const guint *ranks)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (text, output, by, history);
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (PhTensor) y = NULL;
  g_autofree char *seed = g_strdup_printf ("grad_%s", output);
  PhTensor *cotangent;
  const double step = 1e-6;

  for (guint i = 0; inputs[i] != NULL; i++)
    {
      PhTensor *tensor = ph_tensor_new (PH_DOUBLE, ranks[i], dims[i]);
      double *data = ph_tensor_writable (tensor);

      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        data[k] = g_rand_double_range (random, 0.3, 1.7);
      feed (feeds, model, inputs[i], tensor);
    }
  y = compute (model, feeds, output);
  cotangent = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (y), ph_tensor_dims (y));
  for (gsize k = 0; k < ph_tensor_count (y); k++)
    ((double *) ph_tensor_writable (cotangent))[k] = g_rand_double_range (random, -1, 1);
  feed (feeds, model, seed, cotangent);

  for (; *by != NULL; by++)
    {
      g_autofree char *name = g_strdup_printf ("grad_%s", *by);
      g_autoptr (PhTensor) gradient = compute (model, feeds, name);
      PhTensor *at = g_hash_table_lookup (feeds, ph_model_find_value_named (model, *by));
      double *data = (double *) ph_tensor_data (at);

      g_assert_true (ph_tensor_count (gradient) == ph_tensor_count (at) && ph_tensor_rank (gradient) == ph_tensor_rank (at));
      for (gsize k = 0; k < ph_tensor_count (at); k++)
        {
          double keep = data[k], difference = 0;
          g_autoptr (PhTensor) up = NULL, down = NULL;

          data[k] = keep + step;
          up = compute (model, feeds, output);
          data[k] = keep - step;
          down = compute (model, feeds, output);
          data[k] = keep;
          for (gsize n = 0; n < ph_tensor_count (up); n++)
            difference += (ph_tensor_get (up, n) - ph_tensor_get (down, n)) * ph_tensor_get (cotangent, n);
          g_assert_cmpfloat_with_epsilon (ph_tensor_get (gradient, k), difference / (2 * step), 1e-6);
        }
    }
}

static void
test_broadcast_static (void)
{
  check_numerically (
      "<ir_version: 8, opset_import: [\"\" : 18]> g (double[2,3] x, double[3] w, double[2,1] v) => (double[2,3] y)\n"
      "{ a = Mul(x, w)  b = Div(a, v)  y = Sub(b, w) }",
      "y", (const char *[]) { "x", "w", "v", NULL }, (const char *[]) { "x", "w", "v", NULL },
      (const gint64 *[]) { DIMS (2, 3), DIMS (3), DIMS (2, 1) }, (const guint[]) { 2, 1, 2 });
}

static void
test_broadcast_symbolic (void)
{
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 18]> g (double[n,m] x, double[k] w) => (double[a,b] y)\n"
                     "{ a = Mul(x, w)  y = Add(a, x) }",
                     "y", (const char *[]) { "x", "w", NULL }, (const char *[]) { "x", "w", NULL },
                     (const gint64 *[]) { DIMS (2, 3), DIMS (1) }, (const guint[]) { 2, 1 });
}

static void
test_if (void)
{
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 18]> g (double[3] x, double[3] w) => (double[3] y) {\n"
                     "  s = ReduceSum<keepdims = 0>(x)  zero = Constant<value = double {0.0}>()  c = Greater(s, zero)\n"
                     "  r = If (c) <then_branch = t () => (double[3] u) { u = Mul(x, w) },\n"
                     "              else_branch = e () => (double[3] v) { v = Exp(x) }>\n"
                     "  y = Mul(r, x) }",
                     "y", (const char *[]) { "x", "w", NULL }, (const char *[]) { "x", "w", NULL },
                     (const gint64 *[]) { DIMS (3), DIMS (3) }, (const guint[]) { 1, 1 });
}

static void
test_loop (void)
{
  check_numerically (
      "<ir_version: 8, opset_import: [\"\" : 18]> g (double[2] x, double[2] w) => (double[2] y) {\n"
      "  n = Constant<value_int = 4>()\n"
      "  last, all = Loop (n, \"\", x) <body = b (int64 i, bool c, double[2] s) => (bool go, double[2] t, double[2] q)\n"
      "    { go = Identity(c)  u = Mul(s, w)  t = Sin(u)  q = Mul(t, s) }>\n"
      "  zero = Constant<value_ints = [0]>()  sum = ReduceSum<keepdims = 0>(all, zero)\n"
      "  y = Add(sum, last) }",
      "y", (const char *[]) { "x", "w", NULL }, (const char *[]) { "x", "w", NULL }, (const gint64 *[]) { DIMS (2), DIMS (2) },
      (const guint[]) { 1, 1 });
}

static void
test_scan (void)
{
  check_numerically (
      "<ir_version: 8, opset_import: [\"\" : 18]> g (double[2] h, double[3,2] x, double[2] w) => (double[3,2] y) {\n"
      "  last, all = Scan <num_scan_inputs = 1, body = b (double[2] s, double[2] e) => (double[2] t, double[2] q)\n"
      "    { u = Mul(s, w)  a = Add(u, e)  t = Tanh(a)  q = Mul(t, e) }> (h, x)\n"
      "  y = Add(all, last) }",
      "y", (const char *[]) { "h", "x", "w", NULL }, (const char *[]) { "h", "x", "w", NULL },
      (const gint64 *[]) { DIMS (2), DIMS (3, 2), DIMS (2) }, (const guint[]) { 1, 2, 1 });
}

/* What is scanned, and read as a whole in the body too: the slice's gradient once, and the whole's once. */
static void
test_scan_captured (void)
{
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 18]> g (double[2] h, double[3,2] x) => (double[3,2] y) {\n"
                     "  last, y = Scan <num_scan_inputs = 1, body = b (double[2] s, double[2] e) => (double[2] t, double[2] q)\n"
                     "    { k = Constant <value_ints = [0]> ()  m = ReduceMean <keepdims = 0> (x, k)  a = Sin(e)\n"
                     "      t = Mul(s, m)  q = Add(a, t) }> (h, x) }",
                     "y", (const char *[]) { "h", "x", NULL }, (const char *[]) { "h", "x", NULL },
                     (const gint64 *[]) { DIMS (2), DIMS (3, 2) }, (const guint[]) { 1, 2 });
}

/* A body inside a body sees what lies outside of both: the Loop of If in the issue gave w the gradient 0. */
static void
test_nested (void)
{
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 21]> g (double[3] x, double[3] w) => (double[3] y)\n"
                     "<int64 n = {3}, bool t = {1}, bool c = {1}> {\n"
                     "  y = Loop (n, t, x) <body = b (int64 i, bool ci, double[3] s) => (bool co, double[3] so) {\n"
                     "    co = Identity (ci)\n"
                     "    so = If (c) <then_branch = th () => (double[3] p) { p = Mul (s, w) },\n"
                     "                 else_branch = el () => (double[3] q) { q = Sin (s) }>\n  }>\n}",
                     "y", (const char *[]) { "x", "w", NULL }, (const char *[]) { "x", "w", NULL },
                     (const gint64 *[]) { DIMS (3), DIMS (3) }, (const guint[]) { 1, 1 });
  check_numerically (
      "<ir_version: 8, opset_import: [\"\" : 21]> g (double[3,2] x, double[2] w, double[2] h) => (double[3,2] y)\n"
      "<bool c = {0}> {\n"
      "  l, y = Scan (h, x) <num_scan_inputs = 1, body = b (double[2] s, double[2] e) => (double[2] so, double[2] o) {\n"
      "    r = If (c) <then_branch = th () => (double[2] p) { p = Mul (s, w) },\n"
      "      else_branch = el () => (double[2] q) { u = If (c) <then_branch = a () => (double[2] m) { m = Neg (s) },\n"
      "        else_branch = d () => (double[2] k) { v = Mul (e, w) k = Add (v, s) }> q = Sin (u) }>\n"
      "    so = Identity (r)  o = Mul (r, e)\n  }>\n}",
      "y", (const char *[]) { "x", "w", "h", NULL }, (const char *[]) { "x", "w", "h", NULL },
      (const gint64 *[]) { DIMS (3, 2), DIMS (2), DIMS (2) }, (const guint[]) { 2, 1, 1 });
}

static void
test_twice (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate ("<ir_version: 8, opset_import: [\"\" : 21]> f (float x) => (float a, float b)\n"
                                             "{ a = Sin (x)  b = Mul (x, x) }",
                                             "a", NULL, history);
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) first = NULL, second = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *names = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.arguments = (const char *[]) { "b", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  names = output_names (model);
  g_assert_cmpstr (names, ==, "a b grad_x grad_x_1");
  feed (feeds, model, "x", ph_tensor_new_scalar (PH_FLOAT, 3));
  /* Neither cotangent is fed: ones are their defaults. */
  first = compute (model, feeds, "grad_x");
  second = compute (model, feeds, "grad_x_1");
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (first, 0), cos (3), 1e-6);
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (second, 0), 6, 1e-6);
}

/* Ones stand in the file; where the shape is open a single one is expanded, and what is fed has the shape of the output. */
static void
test_cotangent (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (
      "<ir_version: 8, opset_import: [\"\" : 21]> f (float[n] x) => (float[n] y) { y = Mul (x, x) }", "y", NULL, history);
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) ones = NULL, fed = NULL;
  PhTensor *x = ph_tensor_new (PH_FLOAT, 1, DIMS (2)), *dy = ph_tensor_new (PH_FLOAT, 1, DIMS (2));

  g_assert_nonnull (ph_model_find_value_named (model, "grad_y")->tensor);
  ((float *) ph_tensor_writable (x))[0] = 1;
  ((float *) ph_tensor_writable (x))[1] = 2;
  ((float *) ph_tensor_writable (dy))[0] = 3;
  ((float *) ph_tensor_writable (dy))[1] = 5;
  feed (feeds, model, "x", x);
  ones = compute (model, feeds, "grad_x");
  g_assert_cmpfloat (ph_tensor_get (ones, 0), ==, 2);
  g_assert_cmpfloat (ph_tensor_get (ones, 1), ==, 4);
  feed (feeds, model, "grad_y", dy);
  fed = compute (model, feeds, "grad_x");
  g_assert_cmpfloat (ph_tensor_get (fed, 0), ==, 6);
  g_assert_cmpfloat (ph_tensor_get (fed, 1), ==, 20);
}

/* What has no rule is refused, by the name of the node and the input; never taken for zero. */
static void
test_refused (void)
{
  /* clang-format off */
  static const struct { const char *body, *by, *says; } rows[] = {
    { "d = Concat <axis = 0> (x, x) s = SequenceConstruct (x, d) y = SequenceAt (s, n)", "x", "SequenceAt has no gradient by its input 0" },
    { "u = com.example.Custom (x) y = Mul (u, x)", "x", "Custom has no gradient: the operator is not known" },
    { "f = ai.onnx.ml.SVMRegressor <coefficients = [1.0, 1.0, 1.0], rho = [0.0]> (x) y = Identity (f)", "x", "SVMRegressor has no gradient" },
    { "z = Constant <value_floats = [2.0]> () k = Mul (w, z) y = Resize (x, \"\", k)", "w", "Resize has no gradient by its input 2 'scales'" },
    { "t = Constant <value = bool {1}> () r = ReduceMean <keepdims = 0> (w) y = Dropout (x, r, t)", "w",
      "Dropout has no gradient by its input 1 'ratio'" },
    { "c = Constant <value = bool {1}> () d = Concat <axis = 0> (x, x) s = SequenceConstruct (x, d) y = If (c) <then_branch = a () => (float[] p) { "
      "p = SequenceAt (s, n) }, else_branch = b () => (float[] q) { q = Neg (x) }>", "x", "If has no gradient" },
    { "y, v = LinearAttention <q_num_heads = 1, kv_num_heads = 1, update_rule = \"linear\"> (\"\", x, x)", "x", "its input 0 'query' is missing" },
    { "q = Constant <value = int8[2,2] {1, 2, 3, 4}> () m = Constant <value_ints = [2, 2]> () c = Expand (w, m) "
      "y = DequantizeLinear <block_size = 3> (q, c)", "w", "or known blocks" }, /* of two places each axis has one block of three */
    { "m = Constant <value_ints = [1, 1, 3]> () r = Reshape (x, m) y = LpPool <kernel_shape = [2], p = 0> (r)", "x", "p is 0, which is no norm" },
    { "y = Attention <q_num_heads = 1, kv_num_heads = 1> (\"\", x, x)", "x", "its input 0 'Q' is missing" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "<ir_version: 10, opset_import: [\"\" : 23, \"ai.onnx.ml\" : 3, \"com.example\" : 1]> "
          "f (float[3] x, float[1] w, int64 n) => (float[] y) { %s }",
          rows[i].body);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "test", &error);
      g_autoptr (PhHistory) history = ph_history_new ();
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      g_assert_no_error (error);
      options.arguments = (const char *[]) { "y", rows[i].by, NULL };
      g_assert_false (ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error));
      g_assert_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED);
      if (strstr (error->message, rows[i].says) == NULL)
        g_error ("%s: '%s' does not say '%s'", rows[i].body, error->message, rows[i].says);
      if (strstr (error->message, "differentiate by") == NULL && strstr (error->message, "leave it out") == NULL)
        g_error ("%s: '%s' does not say what to do", rows[i].body, error->message);
    }
}

/* The outputs of the model @text once its constants were folded and the gradient of y was appended. */
static char *
outputs_after_folding (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("fold-constants"), model, history, &options, &error);
  g_assert_no_error (error);
  options.arguments = (const char *[]) { "y", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  return output_names (model);
}

/* By default the parameters are what the file came with, without settings and without what passes made. */
static void
test_parameters (void)
{
  g_autofree char *names = outputs_after_folding (
      "<ir_version: 8, opset_import: [\"\" : 23]> f (float[2] x) => (float[3] y)\n"
      "<float[2] w = {1, 2}, float[1] k = {1.5}, float[2] u = {3, 4}> {\n"
      "  c = Constant <value_floats = [2.0, 3.0]> ()  d = Mul (c, c)  v = Mul (u, d)  a = Mul (x, w)  b = Mul (a, v)\n"
      "  y = Resize (b, \"\", k)\n}");

  g_assert_cmpstr (names, ==, "y grad_x grad_w grad_u"); /* u was folded, and is restored */
}

/* What is folded elsewhere takes no gradient from a weight whose operator is yet to be spelt out. */
static void
test_folded_elsewhere (void)
{
  g_autofree char *names = outputs_after_folding (
      "<ir_version: 8, opset_import: [\"\" : 23, \"com.microsoft\" : 1]> f (float[2,3] x) => (float[1,3] y, bool l)\n"
      "<float[3] w = {1, 2, 3}, float a = {1}, float b = {2}, int64[1] axis = {0}, float ratio = {0.5}> {\n"
      "  g = com.microsoft.BiasGelu (x, w)  d = com.microsoft.BiasDropout (g, w, \"\", ratio)  y = ReduceMean (d, axis)  l = Less (a, b)\n}");

  g_assert_cmpstr (names, ==, "y l grad_x grad_w grad_a grad_b");
}

/* The pipeline train merges no equal weights and folds none, and yet computes what depends on none. */
static void
test_train (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 8, opset_import: [\"\" : 23]> f (float[2] x) => (float[2] y)\n"
      "<float[2] g1 = {1, 1}, float[2] g2 = {1, 1}, float[1,2] h = {0, 1}> {\n"
      "  a = Mul (x, g1)  s = Sin (a)  c = Constant <value_ints = [2]> ()  i = Identity (c)  r = Reshape (h, i)  t = Neg (r)\n"
      "  b = Add (s, t)  y = Mul (b, g2)\n}",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhPipeline *train = ph_pipeline_find ("train");
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) g1 = NULL, g2 = NULL, h = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  PhTensor *x = ph_tensor_new (PH_FLOAT, 1, DIMS (2));

  g_assert_no_error (error);
  for (guint i = 0; train->passes[i] != NULL; i++)
    {
      ph_pass_run (ph_pass_find (train->passes[i]), model, history, &options, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpuint (model->graph->n_nodes, ==, 6); /* without the Constant and the Identity */
  options.arguments = (const char *[]) { "y", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  ((float *) ph_tensor_writable (x))[0] = 1;
  ((float *) ph_tensor_writable (x))[1] = 2;
  feed (feeds, model, "x", x);
  g1 = compute (model, feeds, "grad_g1");
  g2 = compute (model, feeds, "grad_g2");
  h = compute (model, feeds, "grad_h");
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (g1, 1), 2 * cos (2), 1e-6);
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (g2, 1), sin (2) - 1, 1e-6);
  g_assert_cmpfloat (ph_tensor_get (h, 0), ==, -1);
}

/* After O2 the weights of the convolution, of the norm and of both twins are others; the gradients are of those that came. */
static void
test_restored (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 18]> f (float[1,2,3,3] x) => (float[1,2,3,3] y)\n"
        "<float[2,2,1,1] w = {1, -2, 3, 0.5}, float[2] g = {0.5, 2}, float[2] b = {0.25, -1}, float[2] m = {0.1, 0.2}, float[2] v = {1.5, 0.5},\n"
        " float[1,2,1,1] t1 = {0.5, 0.75}, float[1,2,1,1] t2 = {0.5, 0.75}> {\n"
        "  c = Conv (x, w)  n = BatchNormalization (c, g, b, m, v)  s = Sin (n)  u = Mul (s, t1)  e = Exp (u)  y = Mul (e, t2)\n}";
  static const char *const names[] = { "x", "w", "g", "b", "t1", "t2", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) history = ph_history_new (), plain_history = ph_history_new ();
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "test", &error),
                      plain = differentiate (text, "y", names, plain_history);
  const PhPipeline *o2 = ph_pipeline_find ("O2");
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autofree char *outputs = NULL;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, &error);
  options.allow = o2->allow;
  for (guint i = 0; error == NULL && o2->passes[i] != NULL; i++)
    ph_pass_run (ph_pass_find (o2->passes[i]), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_null (ph_model_find_value_named (model, "g"));
  g_ptr_array_add (arguments, (gpointer) "y");
  for (guint i = 0; names[i] != NULL; i++)
    g_ptr_array_add (arguments, (gpointer) names[i]);
  g_ptr_array_add (arguments, NULL);
  options.arguments = (const char *const *) arguments->pdata;
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  outputs = output_names (model);
  g_assert_cmpstr (outputs, ==, "y grad_x grad_w grad_g grad_b grad_t1 grad_t2");
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("grad_%s", names[i]);
      g_autoptr (PhTensor) a = NULL, b = NULL;
      PhModel *const models[] = { model, plain };

      for (guint k = 0; k < 2; k++)
        {
          g_autoptr (GHashTable) feeds = new_feeds ();
          PhTensor *x = ph_tensor_new (PH_FLOAT, 4, DIMS (1, 2, 3, 3));

          for (guint n = 0; n < 18; n++)
            ((float *) ph_tensor_writable (x))[n] = n * 0.1f - 0.7f;
          feed (feeds, models[k], "x", x);
          *(k == 0 ? &a : &b) = compute (models[k], feeds, name);
        }
      for (gsize n = 0; n < ph_tensor_count (b); n++)
        g_assert_cmpfloat_with_epsilon (ph_tensor_get (a, n), ph_tensor_get (b, n), 1e-4);
    }
}

/* A weight that equals a number of the formulas is not read by them: alpha is 0.5, and so is @half, whose gradient is the sum of @z. */
static void
test_equal_number (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (
      "<ir_version: 8, opset_import: [\"\" : 21, \"com.microsoft\" : 1]> f (float[2,2] x, float[2,2] z) => (float[2,2] y)\n"
      "<float half = {0.5}> { p = com.microsoft.FusedMatMul <alpha = 0.5> (x, z)  s = Mul (z, half)  y = Add (p, s) }",
      "y", NULL, history);
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) slope = NULL;
  PhTensor *x = ph_tensor_new (PH_FLOAT, 2, DIMS (2, 2)), *z = ph_tensor_new (PH_FLOAT, 2, DIMS (2, 2));

  for (guint i = 0; i < 4; i++)
    {
      ((float *) ph_tensor_writable (x))[i] = i + 1;
      ((float *) ph_tensor_writable (z))[i] = 2 * i + 1;
    }
  feed (feeds, model, "x", x);
  feed (feeds, model, "z", z);
  slope = compute (model, feeds, "grad_half");
  g_assert_cmpfloat (ph_tensor_get (slope, 0), ==, 16);
}

/* The same of a weight that comes back: dce removed it, and its gradient is 0. It is the value that it was, not a new one. */
static void
test_equal_number_restored (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 8, opset_import: [\"\" : 23, \"com.microsoft\" : 1]> f (float[2,2] x, float[2,2] z) => (float[2,2] y)\n"
      "<float half = {0.5}> { y = com.microsoft.FusedMatMul <alpha = 0.5> (x, z)  s = Mul (z, half) }",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) slope = NULL;
  const PhValue *half;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  PhId id;

  g_assert_no_error (error);
  id = ph_model_find_value_named (model, "half")->id;
  ph_pass_run (ph_pass_find ("dce"), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_null (ph_model_find_value_named (model, "half"));
  options.arguments = (const char *[]) { "y", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  half = ph_model_find_value_named (model, "half");
  g_assert_cmpuint (half->id, ==, id);
  feed (feeds, model, "x", ph_tensor_new_splat (PH_FLOAT, 2, DIMS (2, 2), &(const float) { 3 }));
  feed (feeds, model, "z", ph_tensor_new_splat (PH_FLOAT, 2, DIMS (2, 2), &(const float) { 5 }));
  slope = compute (model, feeds, "grad_half");
  g_assert_cmpfloat (ph_tensor_get (slope, 0), ==, 0);
}

/* The output of a restored model may be a Dropout, which is replaced by one that shows its mask. */
static void
test_restored_dropout (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 8, opset_import: [\"\" : 23]> f (float[2] x) => (float[2] y) <float half = {0.5}> {\n"
      "  s = Mul (x, half)  r = Constant <value = float {0.25}> ()  t = Constant <value = bool {0}> ()  a = Add (x, x)\n"
      "  y = Dropout (a, r, t) }",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) slope = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("dce"), model, history, &options, &error);
  g_assert_no_error (error);
  options.arguments = (const char *[]) { "y", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  feed (feeds, model, "x", ph_tensor_new_splat (PH_FLOAT, 1, DIMS (2), &(const float) { 3 }));
  slope = compute (model, feeds, "grad_x");
  g_assert_cmpfloat (ph_tensor_get (slope, 1), ==, 2);
}

/* An input that was fixed before the model was upgraded comes back, and is not taken for a constant that the upgrade of the original makes. */
static void
test_restored_before_upgrade (void)
{
  static const char *const passes[] = { "fix-inputs", "fold-constants", "upgrade-opset" };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 8, opset_import: [\"\" : 11]> f (float[2,2] x, float[2,2] w = {1, 2, 3, 4}) => (float[2] y)\n"
      "<float[2,2] half = {5, 6, 7, 8}> { v = Mul (w, half)  p = Mul (x, v)  y = ReduceSum <axes = [0], keepdims = 0> (p) }",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) slope = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      ph_pass_run (ph_pass_find (passes[i]), model, history, &options, &error);
      g_assert_no_error (error);
    }
  options.arguments = (const char *[]) { "y", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  feed (feeds, model, "x", ph_tensor_new_splat (PH_FLOAT, 2, DIMS (2, 2), &(const float) { 3 }));
  slope = compute (model, feeds, "grad_half");
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (ph_tensor_get (slope, i), ==, 3 * (i + 1)); /* x times w */
}

/* A cotangent that nobody feeds can be fixed, and then nothing multiplies by one. */
static void
test_fixed_cotangent (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = differentiate (
      "<ir_version: 8, opset_import: [\"\" : 21]> f (float x) => (float y) { y = Sin (x) }", "y", NULL, history);
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) feeds = new_feeds ();
  g_autoptr (PhTensor) slope = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_cmpuint (model->graph->n_nodes, ==, 3);
  ph_pass_run (ph_pass_find ("fix-inputs"), model, history, &options, &error);
  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("algebraic"), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 2);
  g_assert_cmpuint (model->graph->inputs->len, ==, 1);
  feed (feeds, model, "x", ph_tensor_new_scalar (PH_FLOAT, 3));
  slope = compute (model, feeds, "grad_x");
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (slope, 0), cos (3), 1e-6);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/autodiff/textbook", test_textbook);
  g_test_add_func ("/autodiff/broadcast-static", test_broadcast_static);
  g_test_add_func ("/autodiff/broadcast-symbolic", test_broadcast_symbolic);
  g_test_add_func ("/autodiff/if", test_if);
  g_test_add_func ("/autodiff/loop", test_loop);
  g_test_add_func ("/autodiff/scan", test_scan);
  g_test_add_func ("/autodiff/scan-captured", test_scan_captured);
  g_test_add_func ("/autodiff/nested", test_nested);
  g_test_add_func ("/autodiff/twice", test_twice);
  g_test_add_func ("/autodiff/cotangent", test_cotangent);
  g_test_add_func ("/autodiff/refused", test_refused);
  g_test_add_func ("/autodiff/parameters", test_parameters);
  g_test_add_func ("/autodiff/train", test_train);
  g_test_add_func ("/autodiff/restored", test_restored);
  g_test_add_func ("/autodiff/folded-elsewhere", test_folded_elsewhere);
  g_test_add_func ("/autodiff/equal-number", test_equal_number);
  g_test_add_func ("/autodiff/equal-number-restored", test_equal_number_restored);
  g_test_add_func ("/autodiff/restored-dropout", test_restored_dropout);
  g_test_add_func ("/autodiff/restored-before-upgrade", test_restored_before_upgrade);
  g_test_add_func ("/autodiff/fixed-cotangent", test_fixed_cotangent);
  return g_test_run ();
}
