/* random.c: random models mean the same before and after every pass.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/prove/prove.h"
#include "core/run/executor.h"
#include "random-graph.h"
#include "sample.h"

/* PEEPHOLE_RANDOM_GRAPHS: how many for each pipeline (2000); PEEPHOLE_RANDOM_SEED: the first one, to see a failure again;
 * PEEPHOLE_RANDOM_FAILURES: after how many to stop (1); PEEPHOLE_RANDOM_PIPELINES: which ("O1 O2 O3"), single passes too, or
 * "each": every pass that can stand alone, "gradient": train, a gradient, O2, or "files": saved and opened again. A failing model is reduced and printed in the form of a fixture. */

/* A pipeline, and what came of it. */
typedef struct
{
  const PhPipeline *pipeline;
  gboolean done;
  guint64 failures;
  guint graphs, unusable, nodes, rewrites, bounded;
} Trial;

static GPtrArray *trials; /* owned Trial */
static Trial *tally;      /* of the pipeline that runs now */
static RandomTally made;
static RandomGradients gradients;

static gboolean
is_stablehlo (const char *pass)
{
  return g_str_equal (pass, "convert-to-stablehlo");
}

static const char *const no_passes[] = { NULL };
static const PhPipeline files = { "files", "saved, and opened again", no_passes, PH_ROUNDING };
static const PhPipeline gradient = { "gradient", "train, then the gradient of an output, then O2", no_passes, PH_ROUNDING };

static guint64
from_environment (const char *name, guint64 fallback)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : fallback;
}

/* What goes wrong with @pipeline on @before; NULL: nothing, or the model itself cannot be computed. @culprit: the pass. */
static char *
find_fault (PhModel *before, GHashTable *feeds, const PhPipeline *pipeline, guint64 seed, const char **culprit)
{
  g_autoptr (PhModel) model = ph_model_clone (before);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GPtrArray) expected = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GError) unusable = NULL;

  expected = sample_outputs (before, feeds, &unusable);
  tally->graphs++;
  tally->nodes += before->graph->n_nodes;
  if (expected == NULL)
    {
      tally->unusable++;
      g_test_message ("seed %" G_GUINT64_FORMAT " cannot be computed: %s", seed, unusable->message);
      return NULL;
    }

  if (pipeline == &gradient)
    return ph_model_draws (before) ? NULL : random_gradient_fault (before, feeds, seed, culprit, &gradients);
  if (pipeline == &files)
    return ph_model_draws (before) ? NULL : random_files_fault (before, feeds, expected, culprit, &tally->bounded);
  if (pipeline->passes[0] != NULL && is_stablehlo (pipeline->passes[0]) && random_has_complex (before))
    return NULL;
  options.allow = pipeline->allow;
  options.verify = TRUE;
  options.seed = seed % 3;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) actual = NULL;
      char *difference;

      *culprit = pipeline->passes[i];
      if (!ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error))
        return g_strdup (error->message);
      if (g_array_index (history->steps, PhStep, i).n_rewrites == 0 || is_stablehlo (pipeline->passes[i]))
        continue;
      actual = sample_outputs (model, feeds, &error);
      if (actual == NULL)
        return g_strdup (error->message);
      tally->rewrites += g_array_index (history->steps, PhStep, i).n_rewrites;
      if (ph_model_draws (before))
        continue;
      difference = random_differs (before, feeds, expected, actual, pipeline->allow, &tally->bounded);
      if (difference != NULL)
        return difference;
    }
  return NULL;
}

/* A smaller model, with the outputs of node @id turned into inputs that hold what they held (@values: by id), or without output
 * @output. */
static PhModel *
without (PhModel *model, GHashTable *values, GHashTable *feeds, PhId id, guint output)
{
  PhModel *smaller = ph_model_clone (model);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhNode *node = id != PH_NO_ID ? ph_model_find_node (smaller, id) : NULL;

  if (node != NULL)
    for (guint k = 0; k < node->outputs->len; k++)
      {
        PhValue *old = ph_node_output (node, k), *value;
        g_autofree char *name = g_strdup_printf ("in_%u_%u", id, k);

        PhTensor *tensor = g_hash_table_lookup (values, GUINT_TO_POINTER (old->id));

        if (old->type == NULL || tensor == NULL || old->n_output_uses > 0 || ph_value_n_uses (old) == 0)
          continue;
        value = ph_graph_add_input (smaller->graph, name, old->type, NULL, G_MAXUINT, NULL);
        if (value != NULL && ph_value_replace_uses (old, value, NULL))
          g_hash_table_insert (feeds, g_strdup (value->name), ph_tensor_ref (tensor));
      }
  else
    {
      for (guint i = output; i + 1 < smaller->graph->outputs->len; i++)
        ph_graph_set_output (smaller->graph, i, g_ptr_array_index (smaller->graph->outputs, i + 1), NULL);
      ph_graph_truncate_outputs (smaller->graph, smaller->graph->outputs->len - 1, NULL);
    }
  ph_pass_run (ph_pass_find ("dce"), smaller, history, NULL, NULL);
  for (guint i = smaller->graph->constants->len; i-- > 0;)
    if (ph_value_n_uses (g_ptr_array_index (smaller->graph->constants, i)) == 0)
      ph_graph_remove_value (g_ptr_array_index (smaller->graph->constants, i), NULL);
  for (guint i = smaller->graph->inputs->len; i-- > 0;)
    {
      PhValue *value = g_ptr_array_index (smaller->graph->inputs, i);

      if (ph_value_n_uses (value) == 0)
        ph_graph_remove_value (value, NULL);
    }
  return smaller;
}

/* Whether @attempt, which is given away, fails too; then it takes the place of @best. */
static gboolean
take_if_fails (PhModel **best, PhModel *attempt, GHashTable *feeds, const PhPipeline *pipeline, guint64 seed)
{
  const char *culprit;
  g_autofree char *fault = find_fault (attempt, feeds, pipeline, seed, &culprit);

  if (fault == NULL)
    {
      ph_model_free (attempt);
      return FALSE;
    }
  ph_model_free (*best);
  *best = attempt;
  return TRUE;
}

static GHashTable *
all_values (PhModel *model, GHashTable *feeds)
{
  g_autoptr (GHashTable) by_value = g_hash_table_new (NULL, NULL);
  GHashTable *results;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *value = g_ptr_array_index (model->graph->inputs, i);

      if (g_hash_table_contains (feeds, value->name))
        g_hash_table_insert (by_value, value, g_hash_table_lookup (feeds, value->name));
    }
  results = ph_run_model (model, by_value, NULL, &(PhRunOptions) { .seed = 1, .keep_all = TRUE }, NULL);
  return results != NULL ? results : g_hash_table_new (NULL, NULL);
}

static PhModel *
reduce (PhModel *model, GHashTable *feeds, const PhPipeline *pipeline, guint64 seed)
{
  PhModel *best = ph_model_clone (model);
  g_autoptr (GHashTable) values = all_values (model, feeds);
  gboolean smaller = TRUE;

  while (smaller)
    {
      smaller = FALSE;
      for (guint i = best->graph->outputs->len; i-- > 0 && best->graph->outputs->len > 1;)
        smaller = take_if_fails (&best, without (best, values, feeds, PH_NO_ID, i), feeds, pipeline, seed) || smaller;
      for (PhId id = 1; id < best->next_id; id++)
        {
          PhNode *node = ph_model_find_node (best, id);
          PhModel *attempt;

          if (node == NULL || node->graph != best->graph)
            continue;
          attempt = without (best, values, feeds, id, 0);
          if (attempt->graph->n_nodes < best->graph->n_nodes)
            smaller = take_if_fails (&best, attempt, feeds, pipeline, seed) || smaller;
          else
            ph_model_free (attempt);
        }
    }
  return best;
}

/* In the form of a fixture, with what was fed. */
static char *
describe (PhModel *model, GHashTable *feeds)
{
  GString *text = g_string_new ("");

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (model->graph->inputs, i);
      PhTensor *tensor = g_hash_table_lookup (feeds, value->name);
      g_autofree char *shown = tensor != NULL ? ph_tensor_to_string (tensor, 64) : g_strdup ("its default");

      g_string_append_printf (text, "# %s = %s\n", value->name, shown);
    }
  g_autofree char *printed = ph_onnx_text_print (model, G_MAXSIZE);

  g_string_append_printf (text, "# before\n%s", printed);
  return g_string_free (text, FALSE);
}

static void
check_graph (guint64 seed, PhModel *model, GHashTable *feeds)
{
  const PhPipeline *pipeline = tally->pipeline;
  const char *culprit = NULL;
  g_autofree char *fault = find_fault (model, feeds, pipeline, seed, &culprit);
  g_autoptr (PhModel) small = NULL;
  g_autofree char *text = NULL, *again = NULL;

  if (fault == NULL)
    return;
  small = reduce (model, feeds, pipeline, seed);
  text = describe (small, feeds);
  again = find_fault (small, feeds, pipeline, seed, &culprit);
  g_test_message ("# found at random: seed %" G_GUINT64_FORMAT ", %s, %s: %s\n%s", seed, pipeline->name, culprit,
                  again != NULL ? again : fault, text);
  tally->failures++;
}

static guint
n_registered (void)
{
  guint n;

  ph_op_list (&n);
  return n;
}

/* Which operators came up, and which never did. */
static void
report_coverage (void)
{
  guint n, seen = 0;
  const PhOp *const *ops = ph_op_list (&n);
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (made.made[i] > 0)
      seen++;
    else
      g_string_append_printf (missing, " %s (%u tries)", ops[i]->name, made.tried[i]);
  g_test_message ("%u of %u operators; not:%s", seen, n, missing->str);
}

/* Drawing a model takes as long as a pipeline does: those that may be given the same models share them. */
static void
run_trials (gboolean smooth)
{
  guint64 n = from_environment ("PEEPHOLE_RANDOM_GRAPHS", 2000), first = from_environment ("PEEPHOLE_RANDOM_SEED", 1);
  guint64 most = from_environment ("PEEPHOLE_RANDOM_FAILURES", 1);

  for (guint64 seed = first; seed < first + n; seed++)
    {
      g_autoptr (GHashTable) feeds = NULL;
      g_autoptr (PhModel) model = random_graph (seed, 5 + seed % 36, smooth, &made, &feeds);

      for (guint i = 0; i < trials->len; i++)
        {
          tally = g_ptr_array_index (trials, i);
          if ((tally->pipeline->allow >= PH_ROUNDING) == smooth && tally->failures < most)
            check_graph (seed, model, feeds);
        }
    }
  for (guint i = 0; i < trials->len; i++)
    {
      Trial *trial = g_ptr_array_index (trials, i);

      trial->done = trial->done || (trial->pipeline->allow >= PH_ROUNDING) == smooth;
    }
}

static void
test_pipeline (gconstpointer data)
{
  const Trial *trial = data;

  if (!trial->done)
    run_trials (trial->pipeline->allow >= PH_ROUNDING);
  g_test_message (
      "%u graphs, %.1f nodes and %.1f rewrites each; %u cannot be computed; %u beyond the tolerance, within the bound",
      trial->graphs, (double) trial->nodes / trial->graphs, (double) trial->rewrites / trial->graphs, trial->unusable,
      trial->bounded);
  if (trial->pipeline == &gradient)
    g_test_message (
        "%u gradients compared, %u of them by moving the model, %u refused, %u not finite; %u beyond the tolerance, within "
        "the bound",
        gradients.compared, gradients.slopes, gradients.refused, gradients.poles, gradients.bounded);
  if (trial->failures > 0)
    g_test_fail ();
}

/* A seed makes the same model again, wherever in memory it lies. */
static void
test_repeatable (void)
{
  RandomTally own = { g_new0 (guint, n_registered ()), g_new0 (guint, n_registered ()), g_string_new (NULL) };

  for (guint64 seed = 1; seed <= 60; seed++)
    {
      char *texts[2];

      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GHashTable) feeds = NULL;
          g_autoptr (PhModel) model = random_graph (seed, 5 + seed % 36, TRUE, &own, &feeds);

          texts[i] = ph_onnx_text_print (model, G_MAXSIZE);
        }
      g_assert_cmpstr (texts[0], ==, texts[1]);
      g_free (texts[0]);
      g_free (texts[1]);
    }
  g_free (own.made);
  g_free (own.tried);
  g_string_free (own.faults, TRUE);
}

static void
test_operators (void)
{
  report_coverage ();
  if (made.faults->len > 0)
    {
      g_test_message ("# operators found at fault:\n%s", made.faults->str);
      g_test_fail ();
    }
}

/* A pass alone as a pipeline, which lives as long as the test; what writes StableHLO is read back, as that does not run. */
static const PhPipeline *
pipeline_of (const PhPass *pass)
{
  PhPipeline *pipeline = g_new0 (PhPipeline, 1);
  const char **passes = g_new0 (const char *, 3);

  passes[0] = pass->name;
  if (is_stablehlo (pass->name))
    passes[1] = "convert-to-onnx";
  *pipeline = (PhPipeline) { pass->name, pass->summary, passes,
                             is_stablehlo (pass->name) ? PH_ROUNDING : ph_pass_exactness (pass) };
  return pipeline;
}

static void
add_test (const PhPipeline *pipeline)
{
  g_autofree char *path = g_strdup_printf ("/passes/random/%s", pipeline->name);
  Trial *trial = g_new0 (Trial, 1);

  trial->pipeline = pipeline;
  g_ptr_array_add (trials, trial);
  g_test_add_data_func (path, trial, test_pipeline);
}

int
main (int argc, char *argv[])
{
  const char *wanted = g_getenv ("PEEPHOLE_RANDOM_PIPELINES");
  g_auto (GStrv) names = g_strsplit (wanted != NULL ? wanted : "O1 O2 O3", " ", -1);
  guint n_ops, n_passes;
  const PhPass *const *passes = ph_pass_list (&n_passes);

  g_test_init (&argc, &argv, NULL);
  trials = g_ptr_array_new_with_free_func (g_free);
  ph_op_list (&n_ops);
  made = (RandomTally) { g_new0 (guint, n_ops), g_new0 (guint, n_ops), g_string_new (NULL) };
  for (guint i = 0; names[i] != NULL; i++)
    {
      const PhPipeline *pipeline = ph_pipeline_find (names[i]);

      if (g_str_equal (names[i], gradient.name))
        pipeline = &gradient;
      if (g_str_equal (names[i], files.name))
        pipeline = &files;
      if (pipeline != NULL)
        add_test (pipeline);
      for (guint k = 0; pipeline == NULL && k < n_passes; k++)
        if (g_str_equal (names[i], passes[k]->name)
            || (g_str_equal (names[i], "each") && !passes[k]->needs_arguments && ph_pass_exactness (passes[k]) < PH_LOSSY))
          add_test (pipeline_of (passes[k]));
    }
  g_test_add_func ("/passes/random/repeatable", test_repeatable);
  g_test_add_func ("/passes/random/operators", test_operators);
  return g_test_run ();
}
