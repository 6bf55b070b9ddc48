/* control.c: edges of order, and places in programs: they survive clones and files, order what runs, and count as uses.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/become.h"
#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/op-list.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "passes/pass.h"

static PhModel *
read_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "t.onnxtxt", &error);

  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  return model;
}

static PhNode *
maker_of (PhModel *model, const char *name)
{
  return ph_model_find_value_named (model, name)->producer;
}

/* "b after a" of every node, by names of values. */
static char *
edges_of (PhModel *model)
{
  GString *text = g_string_new (NULL);

  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; node->control != NULL && i < node->control->len; i++)
      g_string_append_printf (text, "%s after %s; ", ph_node_output (node, 0)->name,
                              ph_node_output (node->control->pdata[i], 0)->name);
  return g_string_free (text, FALSE);
}

#define HEAD "<ir_version: 10, opset_import: [\"\" : 23]> g (float[4] x) => (float[4] y) { "

static void
test_saved (void)
{
  g_autoptr (PhModel) model = read_text (
      HEAD "b = Neg <peephole_after = [\"a\"]> (x) a = Exp <peephole_where = [\"net.py:7:3\", \"main.py:40\"]> (x) "
           "c = Relu (b) y = Add (b, x) }");
  g_autoptr (PhModel) clone = ph_model_clone (model), again = NULL, other = NULL;
  g_autofree char *edges = edges_of (model), *cloned = edges_of (clone), *text = ph_onnx_text_print (model, 16), *second = NULL,
                  *read = NULL, *where = NULL;
  g_autoptr (GBytes) bytes = ph_onnx_write (model, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (edges, ==, "b after a; ");
  g_assert_cmpstr (cloned, ==, edges);
  g_assert_true (ph_model_verify (clone, &error));
  g_assert_true (maker_of (model, "a")->order < maker_of (model, "b")->order); /* though the file has b first */
  again = read_text (text);
  second = ph_onnx_text_print (again, 16);
  g_assert_cmpstr (second, ==, text);
  other = ph_onnx_read (bytes, "t.onnx", NULL, &error);
  g_assert_no_error (error);
  read = edges_of (other);
  g_assert_cmpstr (read, ==, edges);
  g_assert_cmpuint (maker_of (other, "b")->attrs->len, ==, 0); /* metadata: no runtime stumbles over it */
  where = ph_where_to_string (maker_of (other, "a")->where, TRUE);
  g_assert_cmpstr (where, ==, "net.py:7:3, in main.py:40");
  g_assert_true (maker_of (other, "a")->where == maker_of (model, "a")->where);
}

static void
test_refused (void)
{
  g_autoptr (PhModel) model = read_text (HEAD "a = Exp (x) b = Neg (a) y = Relu (b) }");
  g_autoptr (GError) error = NULL;

  g_assert_false (ph_node_add_control (maker_of (model, "a"), maker_of (model, "b"), &error));
  g_assert_nonnull (strstr (error->message, "cycle"));
  g_clear_error (&error);
  g_assert_false (ph_node_add_control (maker_of (model, "a"), maker_of (model, "a"), &error));
  g_clear_error (&error);
  g_assert_false (ph_node_remove_control (maker_of (model, "a"), maker_of (model, "b"), &error));
  g_clear_error (&error);
  /* Through an edge of order as well as through a value. */
  g_assert_true (ph_node_add_control (maker_of (model, "y"), maker_of (model, "a"), &error));
  g_assert_true (ph_model_verify (model, &error));
}

static void
run (PhModel *model, PhHistory *history, const char *pass)
{
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.verify = TRUE;
  ph_pass_run (ph_pass_find (pass), model, history, &options, &error);
  g_assert_no_error (error);
}

/* What others follow is not dead, and is not the same as what nothing follows. */
static void
test_counts_as_use (void)
{
  g_autoptr (PhModel) model = read_text (
      HEAD "dead = Exp (x) a = Neg (x) b = Neg (x) c = Relu <peephole_after = [\"dead\", \"b\"]> (a) y = Add (c, b) }");
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  run (model, history, "dce");
  run (model, history, "cse");
  g_assert_nonnull (ph_model_find_value_named (model, "dead"));
  g_assert_nonnull (ph_model_find_value_named (model, "a"));
  g_assert_nonnull (ph_model_find_value_named (model, "b"));
  g_assert_false (ph_graph_remove_node (maker_of (model, "dead"), &error));
  g_assert_nonnull (strstr (error->message, "is to run after it"));
  g_clear_error (&error);
  g_assert_true (ph_node_remove_control (maker_of (model, "c"), maker_of (model, "dead"), &error));
  g_assert_true (ph_node_remove_control (maker_of (model, "c"), maker_of (model, "b"), &error));
  run (model, history, "dce");
  run (model, history, "cse");
  g_assert_null (ph_model_find_value_named (model, "dead"));
  g_assert_null (maker_of (model, "c")->control);
}

/* What a rewrite makes comes from where that came from which it replaces. */
static void
test_inherited (void)
{
  g_autoptr (PhModel) model = read_text (
      HEAD "a = Sigmoid <peephole_where = [\"net.py:7\"]> (x) y = Mul <peephole_where = [\"net.py:9\"]> (x, a) }");
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autofree char *where = NULL;

  run (model, history, "fuse-swish");
  g_assert_cmpuint (model->graph->n_nodes, ==, 1);
  where = ph_where_to_string (model->graph->first->where, TRUE);
  g_assert_true (g_str_has_prefix (where, "net.py:"));
}

/* Random graphs with random edges of order: a refused edge changes nothing, files keep them, O2 keeps the results. */
static void
test_random (void)
{
  static const char *const ops[] = { "Neg", "Exp", "Relu", "Identity", "Abs", "Sigmoid" };
  const PhPipeline *pipeline = ph_pipeline_find ("O2");

  for (guint seed = 0; seed < 60; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (GString) text = g_string_new (HEAD);
      g_autoptr (PhModel) model = NULL, again = NULL, before = NULL;
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
      g_autoptr (GHashTable) old_feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
      g_autoptr (GHashTable) expected = NULL, got = NULL;
      g_autofree char *edges = NULL, *read = NULL, *start = NULL, *end = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (PhTensor) x = ph_tensor_new (PH_FLOAT, 1, (gint64[]) { 4 });
      guint n_edges = 0;

      for (gsize k = 0; k < 4; k++)
        ((float *) ph_tensor_writable (x))[k] = (float) k / 4 - 0.3f;
      for (guint i = 0; i < 12; i++)
        {
          g_autofree char *a = i == 0 ? g_strdup ("x") : g_strdup_printf ("v%d", g_rand_int_range (random, 0, (gint32) i));
          g_autofree char *b = i == 0 ? g_strdup ("x") : g_strdup_printf ("v%d", g_rand_int_range (random, 0, (gint32) i));

          if (g_rand_boolean (random))
            g_string_append_printf (text, "v%u = Add (%s, %s) ", i, a, b);
          else
            g_string_append_printf (text, "v%u = %s (%s) ", i, ops[g_rand_int_range (random, 0, G_N_ELEMENTS (ops))], a);
        }
      g_string_append (text, "y = Tanh (v11) }");
      model = read_text (text->str);
      for (guint tries = 0; tries < 10; tries++)
        {
          g_autofree char *one = g_strdup_printf ("v%d", g_rand_int_range (random, 0, 12)),
                          *two = g_strdup_printf ("v%d", g_rand_int_range (random, 0, 12));
          g_autofree char *unchanged = ph_onnx_text_print (model, 16), *printed = NULL;

          if (ph_node_add_control (maker_of (model, one), maker_of (model, two), NULL))
            n_edges++;
          else
            {
              printed = ph_onnx_text_print (model, 16);
              g_assert_cmpstr (printed, ==, unchanged);
            }
          g_assert_true (ph_model_verify (model, &error));
        }
      g_assert_cmpuint (n_edges, >, 0);
      edges = edges_of (model);
      start = ph_onnx_text_print (model, 16);
      again = read_text (start);
      read = edges_of (again);
      g_assert_cmpstr (read, ==, edges);
      before = ph_model_clone (model);
      for (guint i = 0; pipeline->passes[i] != NULL; i++)
        run (model, history, pipeline->passes[i]);
      g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ph_tensor_ref (x));
      g_hash_table_insert (old_feeds, before->graph->inputs->pdata[0], ph_tensor_ref (x));
      got = ph_run_model (model, feeds, NULL, NULL, &error);
      g_assert_no_error (error);
      expected = ph_run_model (before, old_feeds, NULL, NULL, &error);
      g_assert_no_error (error);
      for (gsize k = 0; k < 4; k++)
        {
          PhTensor *a = g_hash_table_lookup (got, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id));
          PhTensor *b = g_hash_table_lookup (expected, GUINT_TO_POINTER (((PhValue *) before->graph->outputs->pdata[0])->id));

          g_assert_cmpfloat_with_epsilon (ph_tensor_get (a, k), ph_tensor_get (b, k), 1e-5);
        }
      g_assert_true (ph_history_go (history, model, (PhPosition) { 0, 0 }, &error));
      end = ph_onnx_text_print (model, 16);
      g_assert_cmpstr (end, ==, start);
    }
}

static int
compare_texts (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* In one order, whatever that of the nodes is. */
static char *
sorted_edges (PhModel *model)
{
  g_autofree char *text = edges_of (model);
  g_auto (GStrv) edges = g_strsplit (text, "; ", -1);

  qsort (edges, g_strv_length (edges), sizeof *edges, compare_texts);
  return g_strjoinv ("; ", edges);
}

static guint
count_edges (const char *edges)
{
  guint n = 0;

  for (; *edges != '\0'; edges++)
    n += *edges == ';';
  return n;
}

/* A model of which another one is made, with other edges and other operators, has exactly those edges, and back again. */
static void
test_becomes (void)
{
  for (guint32 seed = 1; seed <= 60; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      PhModel *models[2];
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autofree char *start = NULL, *end = NULL, *ours = NULL, *theirs = NULL;
      g_autoptr (GError) error = NULL;

      for (guint m = 0; m < 2; m++)
        {
          g_autoptr (GString) text = g_string_new (
              "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[4] x) => (float[4] y) { ");

          for (guint i = 0; i < 8; i++)
            {
              g_autofree char *a = i == 0 ? g_strdup ("x") : g_strdup_printf ("v%d", g_rand_int_range (random, 0, (gint32) i));

              g_string_append_printf (text, "v%u = %s (%s) ", i, seed % 2 && g_rand_int_range (random, 0, 3) == 0 ? "Neg" : "Abs",
                                      a);
            }
          g_string_append (text, "y = Tanh (v7) }");
          models[m] = read_text (text->str);
          for (guint tries = 0; tries < 12; tries++)
            {
              g_autofree char *one = g_strdup_printf ("v%d", g_rand_int_range (random, 0, 8)),
                              *two = g_strdup_printf ("v%d", g_rand_int_range (random, 0, 8));

              ph_node_add_control (maker_of (models[m], one), maker_of (models[m], two), NULL);
            }
        }
      start = ph_onnx_text_print (models[0], 16);
      theirs = sorted_edges (models[1]);
      ph_history_begin_step (history, models[0], "compare");
      ph_history_begin_rewrite (history, "compare", PH_NO_ID, NULL);
      g_assert_true (ph_model_become (models[0], models[1], NULL, &error));
      g_assert_no_error (error);
      ph_history_end_rewrite (history);
      ph_history_end_step (history, models[0], 0);
      g_assert_true (ph_model_verify (models[0], &error));
      ours = sorted_edges (models[0]);
      /* A node that is recognised keeps its name, so that the names are the same only where all are. */
      if (seed % 2 == 0)
        g_assert_cmpstr (ours, ==, theirs);
      else
        g_assert_cmpuint (count_edges (ours), ==, count_edges (theirs));
      g_assert_true (ph_history_go (history, models[0], (PhPosition) { 0, 0 }, &error));
      end = ph_onnx_text_print (models[0], 16);
      g_assert_cmpstr (end, ==, start);
      ph_model_free (models[0]);
      ph_model_free (models[1]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/control/saved", test_saved);
  g_test_add_func ("/control/refused", test_refused);
  g_test_add_func ("/control/counts-as-use", test_counts_as_use);
  g_test_add_func ("/control/inherited", test_inherited);
  g_test_add_func ("/control/random", test_random);
  g_test_add_func ("/control/becomes", test_becomes);
  return g_test_run ();
}
