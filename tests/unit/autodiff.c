/* autodiff.c: gradients of small graphs in ONNX text, against the textbook or against central differences.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/graph/verify.h"
#include "core/io/io.h"
#include "core/run/executor.h"
#include "passes/pass.h"

static PhModel *
differentiate (const char *text, const char *output, const char *const *by, PhHistory *history)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) arguments = g_ptr_array_new ();
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  options.verify = TRUE;
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, &error);
  g_assert_no_error (error);
  g_ptr_array_add (arguments, (gpointer) output);
  for (; by != NULL && *by != NULL; by++)
    g_ptr_array_add (arguments, (gpointer) *by);
  g_ptr_array_add (arguments, NULL);
  options.arguments = (const char *const *) arguments->pdata;
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  return model;
}

static void
feed (GHashTable *feeds, PhModel *model, const char *name, PhTensor *tensor)
{
  g_hash_table_insert (feeds, ph_model_find_value_named (model, name), tensor);
}

static GHashTable *
new_feeds (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
}

/* (transfer full) */
static PhTensor *
compute (PhModel *model, GHashTable *feeds, const char *name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr(GHashTable) results = NULL;
  PhValue *value = ph_model_find_value_named (model, name);

  g_assert_nonnull (value);
  g_ptr_array_add (wanted, value);
  results = ph_run_model (model, feeds, wanted, NULL, &error);
  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)));
}

/* x1 = 2, x2 = 5 is the example of Baydin et al., "Automatic differentiation in machine learning: a survey" (2018). */
static void
test_textbook (void)
{
  g_autoptr(PhHistory) history = ph_history_new ();
  g_autoptr(PhModel) model = differentiate (
      "<ir_version: 8, opset_import: [\"\" : 17]> seed (double x1, double x2) => (double y) {\n"
      "  a = Log(x1)\n  b = Mul(x1, x2)\n  c = Add(a, b)\n  d = Sin(x2)\n  y = Sub(c, d)\n}\n",
      "y", NULL, history);
  g_autoptr(GHashTable) feeds = new_feeds ();
  g_autoptr(PhTensor) y = NULL, dx1 = NULL, dx2 = NULL;

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
  g_autoptr(PhHistory) history = ph_history_new ();
  g_autoptr(PhModel) model = differentiate (text, output, by, history);
  g_autoptr(GHashTable) feeds = new_feeds ();
  g_autoptr(GRand) random = g_rand_new_with_seed (7);
  g_autoptr(PhTensor) y = NULL;
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
      g_autoptr(PhTensor) gradient = compute (model, feeds, name);
      PhTensor *at = g_hash_table_lookup (feeds, ph_model_find_value_named (model, *by));
      double *data = (double *) ph_tensor_data (at);

      g_assert_true (ph_tensor_count (gradient) == ph_tensor_count (at) &&
                     ph_tensor_rank (gradient) == ph_tensor_rank (at));
      for (gsize k = 0; k < ph_tensor_count (at); k++)
        {
          double keep = data[k], difference = 0;
          g_autoptr(PhTensor) up = NULL, down = NULL;

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

#define DIMS(...) ((const gint64[]) { __VA_ARGS__ })

static void
test_broadcast_static (void)
{
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 18]> g (double[2,3] x, double[3] w, double[2,1] v) => (double[2,3] y)\n"
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
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 18]> g (double[2] x, double[2] w) => (double[2] y) {\n"
                     "  n = Constant<value_int = 4>()\n"
                     "  last, all = Loop (n, \"\", x) <body = b (int64 i, bool c, double[2] s) => (bool go, double[2] t, double[2] q)\n"
                     "    { go = Identity(c)  u = Mul(s, w)  t = Sin(u)  q = Mul(t, s) }>\n"
                     "  zero = Constant<value_ints = [0]>()  sum = ReduceSum<keepdims = 0>(all, zero)\n"
                     "  y = Add(sum, last) }",
                     "y", (const char *[]) { "x", "w", NULL }, (const char *[]) { "x", "w", NULL },
                     (const gint64 *[]) { DIMS (2), DIMS (2) }, (const guint[]) { 1, 1 });
}

static void
test_scan (void)
{
  check_numerically ("<ir_version: 8, opset_import: [\"\" : 18]> g (double[2] h, double[3,2] x, double[2] w) => (double[3,2] y) {\n"
                     "  last, all = Scan <num_scan_inputs = 1, body = b (double[2] s, double[2] e) => (double[2] t, double[2] q)\n"
                     "    { u = Mul(s, w)  a = Add(u, e)  t = Tanh(a)  q = Mul(t, e) }> (h, x)\n"
                     "  y = Add(all, last) }",
                     "y", (const char *[]) { "h", "x", "w", NULL }, (const char *[]) { "h", "x", "w", NULL },
                     (const gint64 *[]) { DIMS (2), DIMS (3, 2), DIMS (2) }, (const guint[]) { 1, 2, 1 });
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
  return g_test_run ();
}
