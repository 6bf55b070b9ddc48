/* scale.c: a pipeline takes time in proportion to the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <time.h>

#include "core/ops/builder.h"
#include "core/ops/verify.h"
#include "core/tensor/origin.h"
#include "passes/pass.h"

/* Blocks of what passes act upon: identities, shape arithmetic, common subexpressions, constants, a residual. */
static PhValue *
add_block (PhBuilder *b, PhValue *x, PhValue *weight)
{
  gint64 first[] = { 0 };
  PhValue *shape = PH_BUILD (b, Shape, x);
  PhValue *rows = PH_BUILD (b, Gather, shape, ph_build_ints (b, first, 1));
  gint64 columns[] = { -1 };
  PhValue *target = PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), rows, ph_build_ints (b, columns, 1));
  PhValue *y = PH_BUILD (b, Reshape, x, target);
  PhValue *left = PH_BUILD (b, Relu, PH_BUILD (b, Mul, y, ph_build_scalar (b, PH_FLOAT, 1)));
  PhValue *right = PH_BUILD (b, Relu, PH_BUILD (b, Identity, y));
  PhValue *sum = PH_BUILD (b, Add, left, PH_BUILD (b, Neg, PH_BUILD (b, Tanh, right)));
  PhValue *gemm = PH_BUILD (b, MatMul, sum, weight);

  return PH_BUILD (b, Add, PH_BUILD (b, Relu, gemm), x);
}

static PhModel *
make_model (guint n)
{
  PhModel *model = ph_model_new ();
  PhBuilder b = { .graph = model->graph };
  gint64 dims[] = { 2, 4 }, square[] = { 4, 4 };
  g_autoptr (PhTensor) weight = ph_tensor_new (PH_FLOAT, 2, square);
  PhValue *x, *w;
  GError *error = NULL;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  x = ph_graph_add_input (model->graph, "x", ph_type_static (PH_FLOAT, 2, dims), NULL, G_MAXUINT, &error);
  w = ph_graph_add_constant (model->graph, "w", weight, &error);
  while (model->graph->n_nodes < n)
    {
      b.name = NULL;
      x = add_block (&b, x, w);
    }
  g_assert_true (ph_builder_finish (&b, &error));
  ph_graph_set_output (model->graph, 0, x, &error);
  g_assert_no_error (error);
  return model;
}

/* Milliseconds of processor time: a busy machine shall not fail the test. */
static double
now (void)
{
  return clock () * 1000.0 / CLOCKS_PER_SEC;
}

/* For all passes of @pipeline. */
static double
run_pipeline (guint n, const char *name)
{
  g_autoptr (PhModel) model = make_model (n);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhPipeline *pipeline = ph_pipeline_find (name);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  double start = now (), ms;
  guint before = model->graph->n_nodes;

  options.allow = pipeline->allow;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;

      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error);
      g_assert_no_error (error);
      if (g_test_verbose ())
        g_test_message ("%-24s %8.1f ms", pipeline->passes[i], g_array_index (history->steps, PhStep, i).ms);
    }
  ms = now () - start;
  g_test_message ("%s: %u nodes became %u in %.0f ms, %u rewrites", name, before, model->graph->n_nodes, ms,
                  history->rewrites->len);
  return ms;
}

/* Ten times the nodes may take ten times as long, and as long again for a busy machine: a quadratic pass takes a hundred. */
static void
test_proportional (void)
{
  guint n = g_test_thorough () ? 10000 : 2000;
  double small = run_pipeline (n, "O2"), large = run_pipeline (10 * n, "O2");

  g_assert_cmpfloat (large, <, 40 * small + 100);
}

/* Conv (x, w) * s, of 8 x 8 filters. */
static PhModel *
scaled_convolution (gboolean splat)
{
  PhModel *model = ph_model_new ();
  PhBuilder b = { .graph = model->graph };
  const gint64 dims[] = { 8, 8, 3, 3 }, channels[] = { 1, 8, 1, 1 };
  const float two = 2, three = 3;
  PhTensor *weights = splat ? ph_tensor_new_splat (PH_FLOAT, 4, dims, &three) : ph_tensor_new (PH_FLOAT, 4, dims);
  PhValue *x, *y;

  for (guint i = 0; !splat && i < ph_tensor_count (weights); i++)
    ((float *) ph_tensor_writable (weights))[i] = (float) i;
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  x = ph_graph_add_input (model->graph, "x", ph_type_static (PH_FLOAT, 4, (gint64[]) { 1, 8, 9, 9 }), NULL, G_MAXUINT, &b.error);
  y = PH_BUILD (&b, Conv, x, ph_build_tensor (&b, weights));
  y = PH_BUILD (&b, Mul, y, ph_build_tensor (&b, ph_tensor_new_splat (PH_FLOAT, 4, channels, &two)));
  g_assert_true (ph_builder_finish (&b, NULL));
  ph_graph_set_output (model->graph, 0, y, NULL);
  return model;
}

/* A pass, and the counts of its step, compute none of the weights that it changes; who looks at them finds them. */
static void
test_deferred (void)
{
  for (int splat = 0; splat < 2; splat++)
    {
      g_autoptr (PhModel) model = scaled_convolution (splat);
      g_autoptr (PhHistory) history = ph_history_new ();
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
      g_autoptr (GError) error = NULL;
      PhTensor *weights;

      options.allow = PH_ROUNDING;
      ph_pass_run (ph_pass_find ("fuse-conv-affine"), model, history, &options, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (model->graph->n_nodes, ==, 1);
      weights = ph_value_constant (ph_node_input (model->graph->first, 1));
      g_assert_cmpint (ph_tensor_is_splat (weights), ==, splat);
      g_assert_cmpint (ph_tensor_is_deferred (weights), ==, !splat);
      g_assert_cmpfloat (ph_tensor_get (weights, 5), ==, splat ? 6 : 10);
      g_assert_false (ph_tensor_is_deferred (weights));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/scale/deferred", test_deferred);
  g_test_add_func ("/passes/scale/proportional", test_proportional);
  return g_test_run ();
}
