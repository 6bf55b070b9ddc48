/* proof.c: what the proof of each step costs, beside one run of the model and beside the pass itself.
 *   bench-proof [--pipeline O3] FILE...
 * A FILE beside test_data_set_0 is run and proved on the inputs there.
 * Times are those of the processor, in milliseconds, with one thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <omp.h>
#include <time.h>

#include "core/io/io.h"
#include "core/prove/prove.h"
#include "core/prove/prover.h"
#include "core/run/inputs.h"
#include "passes/run.h"

static char *pipeline_name = "O3";
static char **files;
static char *only;
static gboolean all;
static int turns = 3;

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec * 1e-6;
}

/* What an ONNX case has beside its model; empty where there is none: then inputs are generated, as small as they may be. */
static GHashTable *
find_feeds (PhModel *model, const char *path)
{
  GHashTable *named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  g_autofree char *folder = g_path_get_dirname (path);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      g_autofree char *file = g_strdup_printf ("%s/test_data_set_0/input_%u.pb", folder, i);
      PhTensor *tensor = ph_tensor_load (file, input->type, NULL, NULL);

      if (tensor != NULL)
        g_hash_table_insert (named, g_strdup (input->name), tensor);
    }
  return named;
}

/* The second run and those after it: the first one makes kernels and reads weights. */
static double
time_of_run (PhModel *model, GHashTable *named)
{
  g_autoptr (GHashTable) feeds = ph_inputs_find (model, named, PH_INPUTS_NORMAL, 1, NULL, NULL, NULL, NULL);
  double least = G_MAXDOUBLE;

  for (int i = 0; i <= turns && feeds != NULL; i++)
    {
      const double start = now ();
      g_autoptr (GHashTable) results = ph_run_model (model, feeds, NULL, NULL, NULL);

      if (results == NULL)
        return 0;
      least = MIN (least, now () - start);
    }
  return feeds != NULL ? least : 0;
}

static PhHistory *
run_passes (PhModel *model, GArray *times)
{
  const PhPipeline *pipeline = ph_pipeline_find (pipeline_name);
  PhHistory *history = ph_history_new ();

  for (int i = -1; i < 0 || pipeline->passes[i] != NULL; i++)
    {
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
      g_autoptr (GError) error = NULL;
      const double start = now ();
      double time;

      if (i < 0 && ph_model_opset (model, "") >= PH_OPSET_NEWEST)
        continue;
      options.allow = pipeline->allow;
      ph_pass_run (ph_pass_find (i < 0 ? "upgrade-opset" : pipeline->passes[i]), model, history, &options, &error);
      g_assert_no_error (error);
      time = now () - start;
      g_array_append_val (times, time);
    }
  return history;
}

/* What one turn found of each step. */
typedef struct
{
  double *times; /* by step */
  double sum, most;
} Turn;

static void
prove_steps (PhModel *model, PhHistory *history, GHashTable *feeds, GArray *pass_times, double run, gboolean print, Turn *turn)
{
  g_autoptr (PhProver) prover = ph_prover_new (ph_model_clone (model), ph_history_snapshot (history), feeds, 1);
  PhProofWork last = { 0 };

  turn->sum = turn->most = 0;
  for (guint s = 0; s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      g_autoptr (GError) error = NULL;
      const double begin = now ();
      g_autoptr (PhProof) proof = step->n_rewrites > 0 && (only == NULL || g_str_equal (step->pass, only))
                                      ? ph_prover_compare (prover, (PhPosition) { s, 0 }, (PhPosition) { s + 1, 0 }, NULL, &error)
                                      : NULL;
      const double time = now () - begin;
      PhProofWork work = *ph_prover_get_work (prover);

      if (proof == NULL)
        continue;
      turn->times[s] = MIN (turn->times[s], time);
      turn->sum += turn->times[s];
      turn->most = MAX (turn->most, turn->times[s]);
      if (print)
        g_print (
            "  %-22s %5u rewrites, pass %7.1f, proof %8.2f ms = %5.1f runs; captures %u, tried %u, known %u, forms %u, same %u, nodes %u, %5.0f Mflop, field %u nodes %4.0f M; %s\n",
            step->pass, step->n_rewrites, g_array_index (pass_times, double, s), turn->times[s], turn->times[s] / run,
            work.n_captures - last.n_captures, work.n_tried - last.n_tried, work.n_known - last.n_known,
            work.n_forms - last.n_forms, work.n_same_nodes - last.n_same_nodes, (guint) (work.n_nodes - last.n_nodes),
            (work.flops - last.flops) * 1e-6, (guint) (work.n_field_nodes - last.n_field_nodes),
            (work.field_work - last.field_work) * 1e-6, ph_verdict_name (proof->verdict));
      last = work;
    }
}

static void
try_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (PhHistory) history = NULL;
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GHashTable) feeds = NULL;
  g_autofree double *of_steps = NULL;
  double run;
  Turn turn = { 0 };

  g_assert_no_error (error);
  feeds = find_feeds (model, path);
  run = time_of_run (model, feeds);
  history = run_passes (model, times);
  turn.times = of_steps = g_new (double, history->steps->len + 1);
  for (guint s = 0; s < history->steps->len; s++)
    of_steps[s] = G_MAXDOUBLE;
  for (int i = 0; i < turns; i++)
    prove_steps (model, history, feeds, times, run, all && i == turns - 1, &turn);
  g_print ("%-36s run %7.2f ms, %u steps proved in %8.1f ms, the longest %7.2f ms = %5.1f runs\n", name, run, history->steps->len,
           turn.sum, turn.most, turn.most / run);
}

static const GOptionEntry options[] = {
  { "pipeline", 0, 0, G_OPTION_ARG_STRING, &pipeline_name, "which one", "NAME" },
  { "turns", 0, 0, G_OPTION_ARG_INT, &turns, "the least of so many, each with a prover that knows nothing (3)", "N" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "the steps of this pass alone", "PASS" },
  { "steps", 0, 0, G_OPTION_ARG_NONE, &all, "each step too", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL, "FILE..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

int
main (int argc, char *argv[])
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || files == NULL)
    {
      g_printerr ("%s\n", error != NULL ? error->message : "which files?");
      return 2;
    }
  omp_set_num_threads (1);
  for (guint i = 0; files[i] != NULL; i++)
    try_file (files[i]);
  g_strfreev (files);
  return 0;
}
