/* work.c: what a proof costs, counted in nodes and evaluations, not in seconds.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/prove/prove.h"
#include "core/prove/prover.h"
#include "passes/run.h"

#include <string.h>

/* Runs the passes, compares each step, and copies what that cost. */
static PhProofWork
work_of (const char *text, const char *const *passes, PhVerdict expected, guint *n_rewrites)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "work", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;

  g_assert_no_error (error);
  for (guint i = 0; passes[i] != NULL; i++)
    {
      ph_pass_run (ph_pass_find (passes[i]), model, history, NULL, &error);
      g_assert_no_error (error);
    }
  *n_rewrites = history->rewrites->len;
  prover = ph_prover_new (model, g_steal_pointer (&history), NULL, 1);
  for (guint s = 0; passes[s] != NULL; s++)
    {
      g_autoptr (PhProof) proof = ph_prover_compare (prover, (PhPosition) { s, 0 }, (PhPosition) { s + 1, 0 }, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (ph_verdict_name (proof->verdict), ==, ph_verdict_name (expected));
    }
  return *ph_prover_get_work (prover);
}

/* f (f (f (x))): all rewrites but the first few are equal, and none needs a run of its own. */
static void
test_chain (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23]>\nchain (float[4,4] x) => (float[4,4] y) {\n");
  const guint n = 3000;
  guint n_rewrites;
  PhProofWork work;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *in = i == 0 ? g_strdup ("x") : g_strdup_printf ("v%u", i - 1),
                      *out = i + 1 == n ? g_strdup ("y") : g_strdup_printf ("v%u", i);

      g_string_append_printf (text, "  %s = Relu (%s)\n", out, in);
    }
  g_string_append (text, "}\n");
  work = work_of (text->str, (const char *const[]) { "algebraic", NULL }, PH_VERDICT_PROVED, &n_rewrites);
  g_assert_cmpuint (n_rewrites, ==, n - 1);
  g_assert_cmpuint (work.n_captures, ==, 0);
  g_assert_cmpuint (work.n_tried, <=, 4);
  g_assert_cmpuint (work.n_known + work.n_same_nodes, >=, n - 5);
  g_assert_cmpuint (work.n_nodes, <=, n + 500);
  g_assert_cmpuint (work.n_field_nodes, <=, 1000);
}

/* A fused body is its region, a merged node the one that stays: nothing is computed but the small model as a whole, on a set or two. */
static void
test_structure (void)
{
  const char *text
      = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
        "tails (float[64,64] x, float[64,64] z) => (float[64,64] y) {\n"
        "  a = Mul (x, z)\n  b = Mul (z, x)\n  c = Add (a, b)\n  d = Sigmoid (c)\n  e = Tanh (d)\n  y = Sub (e, x)\n}\n";
  guint n_rewrites;
  const PhProofWork work = work_of (text, (const char *const[]) { "cse", "fuse-elementwise", NULL }, PH_VERDICT_PROVED,
                                    &n_rewrites);

  g_assert_cmpuint (n_rewrites, >=, 2);
  g_assert_cmpuint (work.n_same_nodes, ==, n_rewrites);
  g_assert_cmpuint (work.n_tried, ==, 0);
  g_assert_cmpuint (work.n_captures, <=, 2);
  g_assert_cmpuint (work.n_field_nodes, ==, 0);
  g_assert_cmpuint (work.n_nodes, <=, 2 * 7 * 10);
}

/* Three convolutions with weights: batch normalisation is folded into each. */
static char *
convolutions (guint n, guint channels, guint more)
{
  GString *text = g_string_new (NULL);
  GString *nodes = g_string_new ("");

  g_string_printf (text, "<ir_version: 8, opset_import: [\"\" : 23]>\nnet (float[1,%u,40,40] x) => (float[1,%u,40,40] y)\n<",
                   channels, channels + n * more);
  for (guint i = 0; i < n; i++)
    {
      const guint from = channels + i * more, to = from + more;
      g_autofree char *in = i == 0 ? g_strdup ("x") : g_strdup_printf ("v%u", i - 1),
                      *out = i + 1 == n ? g_strdup ("y") : g_strdup_printf ("v%u", i);

      g_string_append_printf (text, "%sfloat[%u,%u,3,3] w%u = {", i > 0 ? ", " : "", to, from, i);
      for (guint k = 0; k < to * from * 9; k++)
        g_string_append_printf (text, "%s%d.%03u", k > 0 ? ", " : "", (k * 7919 + i) % 3 == 0 ? -0 : 0,
                                (k * 7919 + i * 31) % 997);
      g_string_append (text, "}");
      for (guint p = 0; p < 4; p++)
        {
          g_string_append_printf (text, ", float[%u] p%u_%u = {", to, i, p);
          for (guint k = 0; k < to; k++)
            g_string_append_printf (text, "%s1.%03u", k > 0 ? ", " : "", (k * 613 + p * 17 + i) % 991);
          g_string_append (text, "}");
        }
      g_string_append_printf (
          nodes, "  c%u = Conv <pads = [1,1,1,1]> (%s, w%u)\n  %s = BatchNormalization (c%u, p%u_0, p%u_1, p%u_2, p%u_3)\n", i,
          in, i, out, i, i, i, i, i);
    }
  g_string_append_printf (text, ">\n{\n%s}\n", nodes->str);
  g_string_free (nodes, TRUE);
  return g_string_free (text, FALSE);
}

/* A step costs less than half a run of the model, which need not be run for what is proved of any numbers; what its weights are is
 * found once. */
static void
test_step (void)
{
  const guint n = 12;
  g_autofree char *text = convolutions (n, 24, 0);
  const double run = 2.0 * n * 24 * 24 * 9 * 40 * 40;
  guint n_rewrites;
  const PhProofWork work = work_of (text, (const char *const[]) { "fuse-conv-bn", NULL }, PH_VERDICT_PROVED, &n_rewrites);

  g_assert_cmpuint (n_rewrites, ==, n);
  g_assert_cmpuint (work.n_captures, ==, 0);
  g_assert_cmpfloat (work.flops, <=, run / 2);
  g_assert_cmpuint (work.n_images, <=, 8 * n);
  /* One form: of the others nothing is computed again. */
  g_assert_cmpuint (work.n_forms, ==, n - 1);
  g_assert_cmpuint (work.n_nodes, <=, 20);
  g_assert_cmpuint (work.n_field_nodes, <=, 200);
  /* Channels are as they are, images just large enough. */
  g_assert_cmpfloat (work.field_work, <=, 2e6);
}

/* What holds for any weights says nothing of weights that vanish when a rule multiplies them. */
static void
test_vanishing (void)
{
  GString *text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\n"
                                "net (float[1,72,4,4] x) => (float[1,72,4,4] y) <float[72] zero = {");
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  g_autoptr (PhProof) proof = NULL;
  PhModel *model;

  for (guint i = 0; i < 72; i++)
    g_string_append_printf (text, "%s0", i > 0 ? ", " : "");
  g_string_append (text, "}");
  for (guint n = 0; n < 4; n++)
    {
      g_string_append_printf (text, ", float[72] one%u = {", n);
      for (guint i = 0; i < 72; i++)
        g_string_append_printf (text, "%s%u.5%s", i > 0 ? ", " : "", i + n + 1, n == 3 ? "e-35" : "");
      g_string_append_printf (text, "}, float[72,72,1,1] w%u = {", n);
      for (guint i = 0; i < 72 * 72; i++)
        g_string_append_printf (text, "%s%u.25%s", i > 0 ? ", " : "", (i * 31 + n) % 97 + 1, n == 3 ? "e-25" : "");
      g_string_append (text, "}");
      g_string_append_printf (nodes, "  c%u = Conv (%s%.0u, w%u)\n  %s%.0u = BatchNormalization (c%u, one%u, zero, zero, one0)\n",
                              n, n == 0 ? "x" : "b", n == 0 ? 0 : n - 1, n, n == 3 ? "y" : "b", n == 3 ? 0 : n, n, n);
    }
  g_string_append_printf (text, ">\n{\n%s}\n", nodes->str);
  whole = g_string_free (text, FALSE);
  model = ph_onnx_text_read (whole, -1, "vanishing", &error);
  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("fuse-conv-bn"), model, history, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (history->rewrites->len, ==, 4);
  prover = ph_prover_new (model, g_steal_pointer (&history), NULL, 1);
  proof = ph_prover_compare (prover, (PhPosition) { 0, 0 }, (PhPosition) { 1, 0 }, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ph_prover_get_work (prover)->n_forms, >=, 2);
  g_assert_cmpuint (proof->n_proved, ==, 3);
  g_assert_cmpstr (ph_verdict_name (ph_prover_verdict_of (prover, 3)), ==, "different");
}

/* Few channels show what many do. */
static void
test_channels (void)
{
  g_autofree char *text = convolutions (2, 80, 0);
  guint n_rewrites;
  const PhProofWork work = work_of (text, (const char *const[]) { "fuse-conv-bn", NULL }, PH_VERDICT_PROVED, &n_rewrites);

  g_assert_cmpuint (n_rewrites, ==, 2);
  /* Of all of them it would be 1.5e7. */
  g_assert_cmpfloat (work.field_work, <=, 2e6);
}

/* And of another number of them it is the same form. */
static void
test_growing (void)
{
  const guint n = 5;
  g_autofree char *text = convolutions (n, 20, 4);
  guint n_rewrites;
  const PhProofWork work = work_of (text, (const char *const[]) { "fuse-conv-bn", NULL }, PH_VERDICT_PROVED, &n_rewrites);

  g_assert_cmpuint (n_rewrites, ==, n);
  g_assert_cmpuint (work.n_forms, ==, n - 1);
}

/* Convolutions of one input that become one: joined along their channels, whose numbers differ from layer to layer. */
static void
test_joined (void)
{
  const guint n = 4;
  GString *text = g_string_new (NULL), *head = g_string_new (NULL);
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autofree char *whole = NULL;
  guint from = 70, n_rewrites;
  PhProofWork work;

  for (guint i = 0; i < n; i++)
    {
      const guint to[3] = { 60 + i, 40 + 3 * i, 30 + 7 * i };

      for (guint k = 0; k < 3; k++)
        {
          g_string_append_printf (head, "%sfloat[%u,%u,1,1] w%u_%u = {", i + k > 0 ? ", " : "", to[k], from, i, k);
          for (guint e = 0; e < to[k] * from; e++)
            g_string_append_printf (head, "%s0.%03u", e > 0 ? ", " : "", (e * 7919 + i * 31 + k) % 997);
          g_string_append (head, "}");
          g_string_append_printf (nodes, "  c%u_%u = Conv (%s%.0u, w%u_%u)\n", i, k, i == 0 ? "x" : "j", i, i, k);
        }
      g_string_append_printf (nodes, "  %s%.0u = Concat <axis = 1> (c%u_0, c%u_1, c%u_2)\n", i + 1 == n ? "y" : "j",
                              i + 1 == n ? 0 : i + 1, i, i, i);
      from = to[0] + to[1] + to[2];
    }
  g_string_printf (text,
                   "<ir_version: 8, opset_import: [\"\" : 23]>\nnet (float[1,70,9,9] x) => (float[1,%u,9,9] y)\n<%s>\n{\n%s}\n",
                   from, head->str, nodes->str);
  g_string_free (head, TRUE);
  whole = g_string_free (text, FALSE);
  work = work_of (whole, (const char *const[]) { "fuse-horizontal", NULL }, PH_VERDICT_PROVED, &n_rewrites);
  g_assert_cmpuint (n_rewrites, ==, n);
  g_assert_cmpuint (work.n_forms, ==, n - 1);
  g_assert_cmpuint (work.n_nodes, <=, 40);
  /* Of all channels it would be 5e7. */
  g_assert_cmpfloat (work.field_work, <=, 1e6);
}

/* Weights that are one number repeated are proved as one number: nothing is run, not even once, for what flows there. */
static void
test_splats (void)
{
  const char *text = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
                     "net (float[1,512,7,7] x) => (float[1,512,7,7] y) <int64[4] s = {512, 512, 3, 3}, int64[1] b = {512}>\n{\n"
                     "  w = ConstantOfShape <value = float[1] {0.1}> (s)\n  v = ConstantOfShape <value = float[1] {0.3}> (b)\n"
                     "  a = Conv <pads = [1,1,1,1]> (x, w, v)\n  u = ConstantOfShape <value = float[1] {0.2}> (s)\n"
                     "  y = Conv <pads = [1,1,1,1]> (a, u, v)\n}\n";
  guint n_rewrites;
  const PhProofWork work = work_of (text, (const char *const[]) { "fold-constants", NULL }, PH_VERDICT_PROVED, &n_rewrites);

  g_assert_cmpuint (n_rewrites, ==, 3);
  g_assert_cmpuint (work.n_same_nodes, ==, 3);
  g_assert_cmpuint (work.n_nodes, ==, 0);
  g_assert_cmpuint (work.n_images, ==, 0);
  g_assert_cmpfloat (work.flops + work.field_work, ==, 0);
}

/* What depends on constants alone is folded by the kernels that compute a run, whose last bit is not always that of the reference kernels. */
static void
test_folds (void)
{
  static const char *const ops[] = { "Exp",
                                     "Erf",
                                     "Softplus",
                                     "Softmax <axis = -1>",
                                     "LogSoftmax <axis = 1>",
                                     "Gelu <approximate = \"tanh\">",
                                     "Sigmoid",
                                     "Mish",
                                     "Tanh",
                                     "ReduceSum",
                                     "ReduceL2",
                                     "Gelu" };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\n"
                                               "net (float[3,40] x) => (float[3,40] y) <float[3,40] c = {");
      guint n_rewrites;

      for (guint k = 0; k < 120; k++)
        g_string_append_printf (text, "%s%d.%03u", k > 0 ? ", " : "", (int) (k % 5) - 2, (k * 613) % 991);
      g_string_append_printf (text, "}>\n{\n  e = %s (c)\n  y = Mul (x, e)\n}\n", ops[i]);
      work_of (text->str, (const char *const[]) { "fold-constants", NULL }, PH_VERDICT_PROVED, &n_rewrites);
      g_assert_cmpuint (n_rewrites, ==, 1);
    }
}

/* Each rewrite is proved; what float16 rounds in the folds adds up in the whole model to what it rounded in the run before. */
static void
test_folds_add_up (void)
{
  g_autoptr (GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\n"
                                           "net (float16[2,8] x) => (float16[2,8] y, float16[2,8] z) <float16[2,8] c = {");
  guint n_rewrites;

  for (guint k = 0; k < 16; k++)
    g_string_append_printf (text, "%s%d.%03u", k > 0 ? ", " : "", (int) (k % 3) - 1, (k * 613) % 991);
  g_string_append (text, "}>\n{\n  a = Exp (c)\n  b = Mul (a, a)\n  d = Sigmoid (b)\n  z = Div (d, b)\n  y = Mul (x, z)\n}\n");
  work_of (text->str, (const char *const[]) { "fold-constants", NULL }, PH_VERDICT_PROVED, &n_rewrites);
  g_assert_cmpuint (n_rewrites, ==, 4);
}

/* Rows of a layer normalisation do not see each other: of a thousand a few are tried. */
static void
test_rows (void)
{
  GString *text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\n"
                                "norms (float[1,4000,64] x) => (float[1,4000,64] y) <int64[1] axes = {-1}, float e = {0.00001}");
  g_autofree char *whole = NULL;
  guint n_rewrites;
  const guint n = 5;
  PhProofWork work;

  for (guint i = 0; i < n; i++)
    for (guint p = 0; p < 2; p++)
      {
        g_string_append_printf (text, ", float[64] %c%u = {", p == 0 ? 'g' : 'h', i);
        for (guint k = 0; k < 64; k++)
          g_string_append_printf (text, "%s1.%03u", k > 0 ? ", " : "", (k * 613 + p * 17 + i * 7) % 991);
        g_string_append (text, "}");
      }
  g_string_append (text, ">\n{\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (
        text,
        "  m%u = ReduceMean (%s%.0u, axes)\n  d%u = Sub (%s%.0u, m%u)\n  q%u = Mul (d%u, d%u)\n"
        "  v%u = ReduceMean (q%u, axes)\n  w%u = Add (v%u, e)\n  s%u = Sqrt (w%u)\n  n%u = Div (d%u, s%u)\n  k%u = Mul (n%u, g%u)\n  %s%.0u = Add (k%u, h%u)\n",
        i, i == 0 ? "x" : "o", i, i, i == 0 ? "x" : "o", i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i,
        i + 1 == n ? "y" : "o", i + 1 == n ? 0 : i + 1, i, i);
  g_string_append (text, "}\n");
  whole = g_string_free (text, FALSE);
  work = work_of (whole, (const char *const[]) { "fuse-layer-norm", NULL }, PH_VERDICT_PROVED, &n_rewrites);
  g_assert_cmpuint (n_rewrites, >=, n);
  g_assert_cmpuint (work.n_captures, ==, 0);
  g_assert_cmpuint (work.n_forms, >=, n_rewrites - 4);
  g_assert_cmpfloat (work.field_work, <=, 1e6);
  /* Less than half a run. */
  g_assert_cmpfloat (work.flops, <=, n * 9.0 * 4000 * 64 / 2);
}

/* Of small images nothing is left after two pools, and the mean of nothing is NaN: the whole model is tried at sizes that leave something. */
static void
test_sizes (void)
{
  const char *text
      = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
        "pools (float[N,2,H] x) => (float[N,2,1] y) {\n"
        "  a = MaxPool <kernel_shape = [3], strides = [2]> (x)\n  b = MaxPool <kernel_shape = [3], strides = [2]> (a)\n"
        "  c = GlobalAveragePool (b)\n  d = Relu (c)\n  y = Relu (d)\n}\n";
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "sizes", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  g_autoptr (PhProof) proof = NULL;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("algebraic"), model, history, NULL, &error);
  g_assert_no_error (error);
  prover = ph_prover_new (model, g_steal_pointer (&history), NULL, 1);
  ph_prover_set_whole (prover, TRUE);
  proof = ph_prover_compare (prover, (PhPosition) { 0, 0 }, (PhPosition) { 1, 0 }, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (proof->n_rewrites, ==, 1);
  g_assert_cmpuint (proof->n_whole, >, 2);
  g_assert_nonnull (strstr (proof->sentence, "the whole model agrees"));
}

/* In the body the rank is not known, so the If is tried as a whole for each rewrite: not at one size after the other for each length that
 * something there is cut at. */
static void
test_far (void)
{
  const char *text
      = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
        "gated (bool c, float[N,2] x, float[128,128] w, int64[K] s) => (float[A,B] y)\n"
        "<int64[1] z = {0}, int64[1] a = {300}, int64[1] b = {500}, int64[1] d = {700}> {\n"
        "  y = If (c) <then_branch = then () => (float[P,Q] q) {\n"
        "      p = Slice (x, z, a, z)  u = Slice (p, z, b, z)  v = Slice (u, z, d, z)\n"
        "      h = Shape <start = 0, end = 1> (x)  i = Less (h, a)  j = Cast <to = 1> (i)\n"
        "      m = MatMul (w, w)  g = Add (m, j)  f = ReduceMean <keepdims = 0> (g)  k = Add (v, f)  l = Reshape (k, s)\n"
        "      r = Relu (l)  t = Relu (r)  o = Relu (t)  q = Relu (o) },\n"
        "    else_branch = other () => (float[R,S] e) { e = Identity (x) }>\n}\n";
  guint n_rewrites;
  const PhProofWork work = work_of (text, (const char *const[]) { "algebraic", NULL }, PH_VERDICT_SAME, &n_rewrites);

  g_assert_cmpuint (n_rewrites, ==, 3);
  g_assert_cmpfloat (work.flops, <=, n_rewrites * 30.0 * 2 * 128 * 128 * 128);
}

/* A product of an open number of rows computes with each of its weights: a model that is asked for as a whole is run on few inputs then. */
static void
test_open_rows (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
        "rows (float[N,1024] x, float[1024,8] v) => (float[N,8] y)\n<int64[2] s = {1024, 1024}, int64[2] t = {1024, 1}> {\n"
        "  a = ConstantOfShape <value = float[1] {0.001}> (s)\n  b = ConstantOfShape <value = float[1] {0.5}> (t)\n"
        "  c = Mul (a, b)\n"
        "  d = MatMul (x, c)  e = MatMul (d, c)  f = MatMul (e, c)  g = MatMul (f, c)  h = MatMul (g, c)\n"
        "  i = MatMul (h, c)  j = MatMul (i, v)  k = Relu (j)  y = Relu (k)\n}\n";
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "rows", &error);
  PhHistory *history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  g_autoptr (PhProof) proof = NULL;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("fold-constants"), model, history, NULL, &error);
  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("algebraic"), model, history, NULL, &error);
  g_assert_no_error (error);
  prover = ph_prover_new (model, history, NULL, 1);
  ph_prover_set_whole (prover, TRUE);
  proof = ph_prover_compare (prover, (PhPosition) { 1, 0 }, (PhPosition) { 2, 0 }, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (proof->n_rewrites, ==, 1);
  g_assert_cmpuint (proof->n_whole, >=, 1);
  g_assert_cmpuint (proof->n_whole, <=, 6);
}

/* A comparison that is stopped says what it knew by then; one in a hurry evaluates nothing exactly. */
static void
test_cut_short (void)
{
  g_autofree char *text = convolutions (3, 8, 0);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "short", &error);
  PhHistory *history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  g_autoptr (PhProof) none = NULL, proof = NULL, again = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  PhRunOptions options = { .cancellable = cancellable };
  const PhPosition from = { 0, 0 }, to = { 1, 0 };
  guint n_unknown;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("fuse-conv-bn"), model, history, NULL, &error);
  g_assert_no_error (error);
  prover = ph_prover_new (model, history, NULL, 1);
  ph_prover_set_hurried (prover, TRUE);
  g_cancellable_cancel (cancellable);
  g_assert_null (ph_prover_compare (prover, from, to, &options, NULL));
  none = ph_prover_compare_known (prover, from, to, &n_unknown);
  g_assert_cmpuint (n_unknown, ==, 3);
  g_assert_cmpuint (none->n_rewrites, ==, 0);
  g_cancellable_reset (cancellable);
  proof = ph_prover_compare (prover, from, to, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (proof->n_rewrites, ==, 3);
  g_assert_cmpuint (proof->n_different, ==, 0);
  g_assert_cmpfloat (ph_prover_get_work (prover)->field_work, ==, 0);
  again = ph_prover_compare_known (prover, from, to, &n_unknown);
  g_assert_cmpuint (n_unknown, ==, 0);
  g_assert_cmpuint (again->n_rewrites, ==, 3);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/proof/cost/chain", test_chain);
  g_test_add_func ("/proof/cost/structure", test_structure);
  g_test_add_func ("/proof/cost/step", test_step);
  g_test_add_func ("/proof/cost/vanishing", test_vanishing);
  g_test_add_func ("/proof/cost/channels", test_channels);
  g_test_add_func ("/proof/cost/growing", test_growing);
  g_test_add_func ("/proof/cost/joined", test_joined);
  g_test_add_func ("/proof/cost/splats", test_splats);
  g_test_add_func ("/proof/folds", test_folds);
  g_test_add_func ("/proof/folds/add-up", test_folds_add_up);
  g_test_add_func ("/proof/cost/rows", test_rows);
  g_test_add_func ("/proof/cost/sizes", test_sizes);
  g_test_add_func ("/proof/cost/far", test_far);
  g_test_add_func ("/proof/cost/open-rows", test_open_rows);
  g_test_add_func ("/proof/cost/cut-short", test_cut_short);
  return g_test_run ();
}
