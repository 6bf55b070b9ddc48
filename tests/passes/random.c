/* random.c: random models mean the same before and after every pass.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/verify.h"
#include "core/io/io.h"
#include "random-graph.h"
#include "sample.h"

/* PEEPHOLE_RANDOM_GRAPHS: how many (2000); PEEPHOLE_RANDOM_SEED: the first one, to see a failure again. A failing model is
 * reduced and printed in the form of a fixture. */

static struct { guint graphs, unusable, nodes, rewrites; } tally;

static guint64
from_environment (const char *name, guint64 fallback)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : fallback;
}

/* What goes wrong with @pipeline on @before; NULL: nothing, or the model itself cannot be computed. @culprit: the pass. */
static char *
find_fault (PhModel *before, const PhPipeline *pipeline, guint64 seed, const char **culprit)
{
  g_autoptr(PhModel) model = ph_model_clone (before);
  g_autoptr(PhHistory) history = ph_history_new ();
  /* Moderate numbers where rounding is allowed: overflow would be a difference. */
  SampleRange moderate = { -2, 2 };
  g_autoptr(GHashTable) ranges = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr(GHashTable) feeds = NULL;
  g_autoptr(GPtrArray) expected = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr(GError) unusable = NULL;

  for (guint i = 0; i < before->graph->inputs->len; i++)
    if (pipeline->allow >= PH_ROUNDING && ph_value_is_output (g_ptr_array_index (before->graph->inputs, i)) == FALSE)
      {
        const PhValue *value = g_ptr_array_index (before->graph->inputs, i);

        if (ph_dtype_is_float (value->type->dtype))
          g_hash_table_insert (ranges, (gpointer) value->name, &moderate);
      }
  feeds = sample_feeds (before, pipeline->allow, ranges, seed);
  expected = sample_outputs (before, feeds, &unusable);
  tally.graphs++;
  tally.nodes += before->graph->n_nodes;
  if (expected == NULL)
    {
      tally.unusable++;
      g_test_message ("seed %" G_GUINT64_FORMAT " cannot be computed: %s", seed, unusable->message);
      return NULL;
    }

  options.allow = pipeline->allow;
  options.verify = TRUE;
  options.seed = seed % 3;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) actual = NULL;
      char *difference;

      *culprit = pipeline->passes[i];
      if (!ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error))
        return g_strdup (error->message);
      if (g_array_index (history->steps, PhStep, i).n_rewrites == 0)
        continue;
      actual = sample_outputs (model, feeds, &error);
      if (actual == NULL)
        return g_strdup (error->message);
      tally.rewrites += g_array_index (history->steps, PhStep, i).n_rewrites;
      difference = sample_compare (expected, actual, pipeline->allow);
      if (difference != NULL)
        return difference;
    }
  return NULL;
}

/* A model that fails like @model, with the output of node @id turned into an input, or without output @output. */
static PhModel *
without (PhModel *model, PhId id, guint output)
{
  PhModel *smaller = ph_model_clone (model);
  g_autoptr(PhHistory) history = ph_history_new ();
  PhNode *node = id != PH_NO_ID ? ph_model_find_node (smaller, id) : NULL;

  if (node != NULL)
    for (guint k = 0; k < node->outputs->len; k++)
      {
        PhValue *old = ph_node_output (node, k), *value;
        g_autofree char *name = g_strdup_printf ("in_%u_%u", id, k);

        if (old->type == NULL || old->n_output_uses > 0 || ph_value_n_uses (old) == 0)
          continue;
        value = ph_graph_add_input (smaller->graph, name, old->type, NULL, G_MAXUINT, NULL);
        if (value != NULL)
          ph_value_replace_uses (old, value, NULL);
      }
  else
    {
      for (guint i = output; i + 1 < smaller->graph->outputs->len; i++)
        ph_graph_set_output (smaller->graph, i, g_ptr_array_index (smaller->graph->outputs, i + 1), NULL);
      ph_graph_truncate_outputs (smaller->graph, smaller->graph->outputs->len - 1, NULL);
    }
  ph_pass_run (ph_pass_find ("dce"), smaller, history, NULL, NULL);
  for (guint i = smaller->graph->inputs->len; i-- > 0; )
    {
      PhValue *value = g_ptr_array_index (smaller->graph->inputs, i);

      if (ph_value_n_uses (value) == 0)
        ph_graph_remove_value (value, NULL);
    }
  return smaller;
}

static gboolean
still_fails (PhModel *model, const PhPipeline *pipeline, guint64 seed)
{
  const char *culprit;
  g_autofree char *fault = find_fault (model, pipeline, seed, &culprit);

  return fault != NULL;
}

static PhModel *
reduce (PhModel *model, const PhPipeline *pipeline, guint64 seed)
{
  PhModel *best = ph_model_clone (model);
  gboolean smaller = TRUE;

  while (smaller)
    {
      smaller = FALSE;
      for (guint i = best->graph->outputs->len; i-- > 0 && best->graph->outputs->len > 1; )
        {
          PhModel *attempt = without (best, PH_NO_ID, i);

          if (still_fails (attempt, pipeline, seed))
            {
              ph_model_free (best);
              best = attempt;
              smaller = TRUE;
            }
          else
            ph_model_free (attempt);
        }
      for (PhId id = 1; id < best->next_id; id++)
        {
          PhNode *node = ph_model_find_node (best, id);
          PhModel *attempt;

          if (node == NULL || node->graph != best->graph)
            continue;
          attempt = without (best, id, 0);
          if (attempt->graph->n_nodes < best->graph->n_nodes && still_fails (attempt, pipeline, seed))
            {
              ph_model_free (best);
              best = attempt;
              smaller = TRUE;
            }
          else
            ph_model_free (attempt);
        }
    }
  return best;
}

static void
check_graph (guint64 seed, const PhPipeline *pipeline)
{
  g_autoptr(PhModel) model = random_graph (seed, 5 + seed % 36, pipeline->allow >= PH_ROUNDING);
  const char *culprit = NULL;
  g_autofree char *fault = find_fault (model, pipeline, seed, &culprit);
  g_autoptr(PhModel) small = NULL;
  g_autofree char *text = NULL, *again = NULL;

  if (fault == NULL)
    return;
  small = reduce (model, pipeline, seed);
  text = ph_onnx_text_print (small, G_MAXSIZE);
  again = find_fault (small, pipeline, seed, &culprit);
  g_test_message ("# found at random: seed %" G_GUINT64_FORMAT ", %s, %s: %s\n# before\n%s", seed, pipeline->name, culprit,
                  again != NULL ? again : fault, text);
  g_test_fail ();
}

static void
test_pipeline (gconstpointer data)
{
  const PhPipeline *pipeline = data;
  guint64 n = from_environment ("PEEPHOLE_RANDOM_GRAPHS", 2000), first = from_environment ("PEEPHOLE_RANDOM_SEED", 1);

  /* A third of the graphs for each of three pipelines. */
  for (guint64 seed = first; seed < first + (n + 2) / 3 && !g_test_failed (); seed++)
    check_graph (seed, pipeline);
  g_test_message ("%u graphs, %.1f nodes and %.1f rewrites each; %u cannot be computed", tally.graphs,
                  (double) tally.nodes / tally.graphs, (double) tally.rewrites / tally.graphs, tally.unusable);
}

int
main (int argc, char *argv[])
{
  static const char *const names[] = { "O1", "O2", "O3" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strdup_printf ("/passes/random/%s", names[i]);

      g_test_add_data_func (path, ph_pipeline_find (names[i]), test_pipeline);
    }
  return g_test_run ();
}
