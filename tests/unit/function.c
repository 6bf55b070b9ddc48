/* function.c: properties of functions of the model: made at random, cloned, saved, read again, taken back and inlined, they
 * stay what they are and compute the same.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/become.h"
#include "core/graph/edit.h"
#include "core/graph/history.h"
#include "core/io/io.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "passes/pass.h"

#include <string.h>

/* ── made at random ── */

static PhNode *
add (PhGraph *graph, GRand *random, const char *op, const char *domain, PhValue **inputs, guint n, PhAttr *attr)
{
  g_autoptr (GError) error = NULL;
  const PhWhere *where = g_rand_boolean (random)
                             ? ph_where_new ("net.py", (guint) g_rand_int_range (random, 1, 90), 0, FALSE, NULL)
                             : NULL;
  const gboolean backward = graph->last != NULL && g_rand_int_range (random, 0, 4) == 0;
  PhNode *node = ph_graph_add_node (graph,
                                    &(PhNodeSpec) { .op_type = op,
                                                    .domain = domain,
                                                    .inputs = inputs,
                                                    .n_inputs = n,
                                                    .n_outputs = 1,
                                                    .attrs = &attr,
                                                    .n_attrs = attr != NULL,
                                                    .role = backward ? PH_ROLE_BACKWARD : PH_ROLE_FORWARD,
                                                    .partner = backward ? graph->last->id : PH_NO_ID,
                                                    .device = g_rand_int_range (random, 0, 4) == 0 ? "gpu" : NULL,
                                                    .where = where },
                                    &error);

  g_assert_no_error (error);
  return node;
}

static PhValue *
pick (GPtrArray *values, GRand *random)
{
  return values->pdata[g_rand_int_range (random, 0, (gint32) values->len)];
}

/* A few nodes in @graph, calls of what @model has so far among them. */
static void
fill (PhModel *model, PhGraph *graph, GRand *random)
{
  static const char *const ops[] = { "Add", "Mul", "Sub" };
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  const guint known = model->functions->len - (graph->function != NULL); /* what it calls stands before it */
  PhNode *last = NULL;

  for (guint i = 0; i < 2; i++)
    g_ptr_array_add (values, ph_graph_add_input (graph, i == 0 ? "x" : "w",
                                                 graph->function != NULL ? NULL : ph_type_static (PH_FLOAT, 1, (gint64[]) { 3 }),
                                                 NULL, G_MAXUINT, NULL));
  if (g_rand_boolean (random))
    {
      g_autoptr (PhTensor) tensor = ph_tensor_new_floats ((const float[]) { 1.5f, -2, (float) g_rand_double (random) }, 3);

      g_ptr_array_add (values, ph_graph_add_constant (graph, "c", tensor, NULL));
    }
  for (int n = g_rand_int_range (random, 2, 6); n > 0; n--)
    {
      PhValue *inputs[2] = { pick (values, random), pick (values, random) };
      const int what = g_rand_int_range (random, 0, 4);
      g_autoptr (PhAttr) attr = NULL;
      PhNode *node;

      if (what == 0 && known > 0)
        {
          const PhFunction *called = model->functions->pdata[g_rand_int_range (random, 0, (gint32) known)];

          attr = graph->function != NULL ? ph_attr_new_ref ("alpha", "alpha", PH_ATTR_FLOAT) : ph_attr_new_float ("alpha", 0.25f);
          node = add (graph, random, called->name, called->domain, inputs, 2, attr);
        }
      else if (what == 1 && graph->function != NULL)
        {
          attr = ph_attr_new_ref ("value_float", g_rand_boolean (random) ? "alpha" : "beta", PH_ATTR_FLOAT);
          node = add (graph, random, "Constant", "", NULL, 0, attr);
          inputs[1] = node->outputs->pdata[0];
          node = add (graph, random, "Mul", "", inputs, 2, NULL);
        }
      else
        node = add (graph, random, ops[g_rand_int_range (random, 0, 3)], "", inputs, 2, NULL);
      if (last != NULL && g_rand_int_range (random, 0, 4) == 0)
        ph_node_add_control (node, last, NULL);
      last = node;
      g_ptr_array_add (values, node->outputs->pdata[0]);
    }
  ph_graph_set_output (graph, 0, values->pdata[values->len - 1], NULL);
  if (graph->function == NULL)
    ph_value_set_type (graph->outputs->pdata[0], ph_type_static (PH_FLOAT, 1, (gint64[]) { 3 }), NULL);
}

static PhModel *
random_model (guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  PhModel *model = ph_model_new ();
  g_autoptr (PhAttr) beta = ph_attr_new_float ("beta", -0.5f);

  ph_model_set_opset (model, "", 23);
  ph_model_set_opset (model, "local", 1);
  for (int i = 0, n = g_rand_int_range (random, 1, 4); i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("f%d", i);
      PhFunction *function = ph_model_add_function (model,
                                                    &(PhFunctionSpec) { .name = name,
                                                                        .domain = "local",
                                                                        .parameters = (const char *const[]) { "alpha" },
                                                                        .n_parameters = 1,
                                                                        .defaults = &beta,
                                                                        .n_defaults = 1 },
                                                    NULL);

      fill (model, function->graph, random);
    }
  fill (model, model->graph, random);
  return model;
}

static PhTensor *
compute (PhModel *model)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GError) error = NULL;
  const PhValue *output = model->graph->outputs->pdata[0];

  for (guint i = 0; i < model->graph->inputs->len; i++)
    g_hash_table_insert (feeds, model->graph->inputs->pdata[i],
                         ph_tensor_new_floats (i == 0 ? (const float[]) { 0.5f, -3, 2 } : (const float[]) { 1, 7, -0.25f }, 3));
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)));
}

static void
assert_same (PhModel *a, PhModel *b)
{
  g_autofree char *x = ph_onnx_text_print (a, G_MAXSIZE), *y = ph_onnx_text_print (b, G_MAXSIZE);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (x, ==, y);
  g_assert_cmpuint (a->functions->len, ==, b->functions->len);
  for (guint i = 0; i < a->functions->len; i++)
    g_assert_true (ph_function_equal (a->functions->pdata[i], b->functions->pdata[i]));
  g_assert_true (ph_model_verify (b, &error));
}

static void
test_random (void)
{
  for (guint32 seed = 1; seed <= 80; seed++)
    {
      g_autoptr (PhModel) model = random_model (seed), clone = ph_model_clone (model), text = NULL, binary = NULL, inlined = NULL;
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autofree char *printed = ph_onnx_text_print (model, G_MAXSIZE);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (PhTensor) before = compute (model), again = NULL, after = NULL;

      g_assert_true (ph_model_verify (model, &error));
      assert_same (model, clone);

      text = ph_onnx_text_read (printed, -1, "text", &error);
      g_assert_no_error (error);
      assert_same (model, text);

      bytes = ph_onnx_write (model, &error);
      g_assert_no_error (error);
      binary = ph_onnx_read (bytes, "binary", NULL, &error);
      g_assert_no_error (error);
      assert_same (model, binary);
      again = compute (binary);
      g_assert_true (ph_tensor_equal (before, again));

      inlined = ph_model_clone (model);
      g_assert_true (ph_pass_run (ph_pass_find ("inline-functions"), inlined, history, NULL, &error));
      PH_FOREACH_NODE (node, inlined->graph)
        g_assert_true (ph_node_function (node) == NULL || ph_node_is_tied (node));
      after = compute (inlined);
      g_assert_true (ph_tensor_equal (before, after));
      g_assert_true (ph_history_go (history, inlined, (PhPosition) { 0, 0 }, &error));
      assert_same (model, inlined);
    }
}

/* A function that another model has otherwise is changed where it is, and back again. */
static void
test_becomes (void)
{
  for (guint32 seed = 1; seed <= 60; seed++)
    {
      g_autoptr (PhModel) model = random_model (seed), target = random_model (seed), before = ph_model_clone (model);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (GError) error = NULL;
      PhFunction *changed = target->functions->pdata[g_rand_int_range (random, 0, (gint32) target->functions->len)];
      PhValue *result = changed->graph->outputs->pdata[0];
      PhNode *neg = add (changed->graph, random, "Neg", "", &result, 1, NULL);

      g_assert_true (ph_graph_set_output (changed->graph, 0, neg->outputs->pdata[0], &error));
      ph_history_begin_step (history, model, "compare");
      ph_history_begin_rewrite (history, "compare", PH_NO_ID, NULL);
      g_assert_true (ph_model_become (model, target, NULL, &error));
      g_assert_no_error (error);
      ph_history_end_rewrite (history);
      ph_history_end_step (history, model, 0);
      g_assert_true (ph_model_verify (model, &error));
      for (guint i = 0; i < model->functions->len; i++)
        g_assert_true (ph_function_equal (model->functions->pdata[i], target->functions->pdata[i]));
      g_assert_true (ph_history_go (history, model, (PhPosition) { 0, 0 }, &error));
      assert_same (before, model);
    }
}

/* ── edits ── */

static void
test_edits (void)
{
  for (guint32 seed = 1; seed <= 40; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) model = random_model (seed), before = ph_model_clone (model);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhAttr) beta = ph_attr_new_float ("beta", 4);
      g_autoptr (GError) error = NULL;
      g_autofree char *name = g_strdup_printf ("g%u", seed);
      PhFunction *function, *first = model->functions->pdata[0];

      ph_history_begin_step (history, model, "test");
      ph_history_begin_rewrite (history, "test", PH_NO_ID, NULL);
      function = ph_model_add_function (
          model, &(PhFunctionSpec) { .name = name, .domain = "local", .defaults = &beta, .n_defaults = 1 }, &error);
      g_assert_no_error (error);
      fill (model, function->graph, random);
      g_assert_true (ph_node_set_attr (first->graph->first, "changed", beta, &error));
      g_assert_true (ph_value_rename (first->graph->inputs->pdata[0], "renamed", &error));
      ph_history_end_rewrite (history);
      ph_history_end_step (history, model, 0);
      g_assert_true (ph_model_verify (model, &error));
      g_assert_false (ph_function_equal (first, before->functions->pdata[0]));
      g_assert_null (ph_model_find_function (before, "local", name));

      g_assert_true (ph_history_go (history, model, (PhPosition) { 0, 0 }, &error));
      assert_same (before, model);
      g_assert_true (ph_history_go (history, model, (PhPosition) { 1, 0 }, &error));
      g_assert_true (ph_model_verify (model, &error));
      function = ph_model_find_function (model, "local", name);
      g_assert_nonnull (function);
      g_assert_true (ph_model_remove_function (function, &error));
      g_assert_null (ph_model_find_function (model, "local", name));
      g_assert_true (ph_model_verify (model, &error));
    }
}

static void
test_refusals (void)
{
  g_autoptr (PhModel) model = random_model (3);
  g_autoptr (GError) error = NULL;
  PhFunction *function = model->functions->pdata[0];
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  PhNode *call = add (model->graph, random, "f0", "local", (PhValue *[]) { model->graph->inputs->pdata[0] }, 1, NULL);

  g_assert_null (ph_model_add_function (model, &(PhFunctionSpec) { .name = "f0", .domain = "local" }, &error));
  g_assert_nonnull (strstr (error->message, "local.f0"));
  g_clear_error (&error);
  g_assert_false (ph_model_remove_function (function, &error));
  g_assert_nonnull (strstr (error->message, "calls it"));
  g_clear_error (&error);
  g_assert_false (ph_node_set_input (call, 0, function->graph->inputs->pdata[0], &error)); /* of another root */
  g_clear_error (&error);
  g_assert_null (ph_graph_add_node (
      function->graph,
      &(PhNodeSpec) { .op_type = "Neg", .inputs = (PhValue **) model->graph->inputs->pdata, .n_inputs = 1, .n_outputs = 1 },
      &error));
}

/* A calls B, B calls A: shown and listed, and nothing runs it. */
static void
test_recursion (void)
{
  static const char *const text
      = "<ir_version: 8, opset_import: [\"\" : 17, \"l\" : 1]>\n"
        "g (float[2] x) => (float[2] y) { t = l.a (x) y = l.once (t) }\n"
        "<domain: \"l\", opset_import: [\"\" : 17]>\nonce (x) => (y) { y = Neg (x) }\n"
        "<domain: \"l\", opset_import: [\"\" : 17, \"l\" : 1]>\na (x) => (y) { y = l.b (x) }\n"
        "<domain: \"l\", opset_import: [\"\" : 17, \"l\" : 1]>\nb (x) => (y) { t = Neg (x) y = l.a (t) }\n";
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "recursion", &error), binary = NULL;
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL);
  g_autoptr (PhTensor) x = ph_tensor_new_floats ((const float[]) { 1, 2 }, 2);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhStep *step;

  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  g_assert_false (ph_model_check_functions (model, &error));
  g_assert_nonnull (strstr (error->message, "calls itself"));
  g_clear_error (&error);
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], x);
  g_assert_null (ph_run_model (model, feeds, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "calls itself"));
  g_clear_error (&error);
  bytes = ph_onnx_write (model, &error);
  binary = ph_onnx_read (bytes, "recursion", problems, &error);
  g_assert_no_error (error);
  assert_same (model, binary);
  g_assert_cmpuint (problems->len, ==, 2);
  g_assert_nonnull (strstr (problems->pdata[0], "l.a calls itself"));

  g_assert_true (ph_pass_run (ph_pass_find ("inline-functions"), model, history, NULL, &error));
  step = &g_array_index (history->steps, PhStep, 0);
  g_assert_cmpuint (step->n_rewrites, ==, 1);
  g_assert_cmpstr (step->note, ==, "n3 a stays: its function calls itself, so inlining it would not end");
}

/* Types, documentation and bodies of a function stay. */
static void
test_kept (void)
{
  static const char *const text
      = "<ir_version: 10, opset_import: [\"\" : 21, \"l\" : 1]>\n"
        "g (float[2] x, bool b) => (float[2] y) { y = l.pick <bias = 2.0> (b, x) }\n"
        "<domain: \"l\", opset_import: [\"\" : 21], doc_string: \"either\">\n"
        "pick <bias> (b, x) => (y) <bool b, float[N] x, float[N] n> {\n"
        "  n = Neg (x)\n"
        "  y = If (b) <then_branch = t () => (float[N] u) { k = Constant <value_float : float = @bias> () u = Add (n, k) },\n"
        "              else_branch = e () => (float[N] v) { v = Identity (x) }>\n"
        "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "kept", &error), again = NULL, instance = NULL;
  const PhWhere *call = ph_where_new ("net.py", 7, 0, FALSE, NULL);
  g_autoptr (GBytes) bytes = NULL;
  const PhFunction *function;
  const PhNode *constant;

  g_assert_no_error (error);
  function = model->functions->pdata[0];
  g_assert_cmpuint (function->graph->n_nodes, ==, 2);
  g_assert_nonnull (ph_graph_find_value_named (function->graph, "n")->type);
  g_assert_cmpint (((PhValue *) function->graph->inputs->pdata[0])->type->dtype, ==, PH_BOOL);
  bytes = ph_onnx_write (model, &error);
  again = ph_onnx_read (bytes, "kept", NULL, &error);
  g_assert_no_error (error);
  assert_same (model, again);
  ((PhNode *) model->graph->first)->where = call;
  ((PhNode *) function->graph->first)->where = ph_where_new ("layer.py", 3, 0, FALSE, NULL);
  instance = ph_function_instance (function, model->graph->first, &error);
  g_assert_no_error (error);
  /* A place in the function, called from the one of the call. */
  g_assert_nonnull (instance->graph->first->where);
  g_assert_true (instance->graph->first->where->outer == model->graph->first->where);
  constant = ph_node_graph (instance->graph->last, "then_branch")->first;
  g_assert_cmpfloat (ph_node_attr_float (constant, "value_float", 0), ==, 2);
  g_assert_true (ph_model_verify (instance, &error));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/function/random", test_random);
  g_test_add_func ("/function/becomes", test_becomes);
  g_test_add_func ("/function/edits", test_edits);
  g_test_add_func ("/function/refusals", test_refusals);
  g_test_add_func ("/function/recursion", test_recursion);
  g_test_add_func ("/function/kept", test_kept);
  return g_test_run ();
}
