/* legit.c: steps that rules make are never called different: of every fixture, of the bundled examples through O3, and of the
 * models of the data folder.
 *   legit                      once each; small models, through O3
 *   legit --seeds 3 --whole    with three seeds, and every model
 *   legit --only NAME          sources whose name has this in it, with each proof
 *   legit --pipeline O1        another one than O3
 *   legit --random 1000 --first 70000, legit --models FOLDER
 *                              of models that neither the fixtures nor the data folder have
 *   legit --foreign            and all of them as one change by another program
 *   legit --rules              the verdicts of each rule, on the models of the data folder alone
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/prove/prove.h"
#include "core/prove/prover.h"
#include "foreign.h"
#include "oracle.h"
#include "sources.h"

#define SMALL 3e8 /* operations of a model */

static int seeds = 1, n_random, first_random;
static gboolean whole, by_rule, foreign;
static char *only, *pipeline_name = "O3", *other_models;
static GHashTable *of_rule; /* "pass/rule" -> guint[6]: rewrites by verdict */

static guint n_steps, n_accused, of_verdict[16];

static void
note_rules (PhProver *prover, PhHistory *history)
{
  for (guint s = 0; s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);

      for (guint r = step->first_rewrite; r < step->first_rewrite + step->n_rewrites; r++)
        {
          char *name = g_strdup_printf ("%s/%s", step->pass, g_array_index (history->rewrites, PhRewrite, r).rule);
          guint *numbers = g_hash_table_lookup (of_rule, name);

          if (numbers == NULL)
            g_hash_table_insert (of_rule, g_strdup (name), numbers = g_new0 (guint, (PH_VERDICT_DIFFERENT + 1)));
          numbers[ph_prover_verdict_of (prover, r)]++;
          g_free (name);
        }
    }
}

static void
print_rules (void)
{
  static const PhVerdict columns[] = { PH_VERDICT_PROVED,  PH_VERDICT_SAME, PH_VERDICT_CLOSE,
                                       PH_VERDICT_NOTHING, PH_VERDICT_NONE, PH_VERDICT_DIFFERENT };
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (of_rule), (GCompareFunc) strcmp);
  guint sums[(PH_VERDICT_DIFFERENT + 1)] = { 0 }, all = 0;

  g_print ("%-52s", "rule");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    g_print (" %13s", ph_verdict_name (columns[i]));
  for (GList *at = names; at != NULL; at = at->next)
    {
      const guint *numbers = g_hash_table_lookup (of_rule, at->data);

      g_print ("\n%-52s", (char *) at->data);
      for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
        {
          g_print (" %13u", numbers[columns[i]]);
          sums[columns[i]] += numbers[columns[i]];
          all += numbers[columns[i]];
        }
    }
  g_print ("\n%-52s", "all");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    g_print (" %13u", sums[columns[i]]);
  g_print ("\nproved %.1f %%\n", all > 0 ? 100.0 * sums[PH_VERDICT_PROVED] / all : 0);
}

static void
prove_steps (const char *name, PhModel *model, PhHistory *history, GHashTable *feeds)
{
  for (int seed = 1; seed <= seeds; seed++)
    {
      g_autoptr (PhProver) prover = ph_prover_new (ph_model_clone (model), ph_history_snapshot (history), feeds, (guint64) seed);

      for (guint s = 0; s < history->steps->len; s++)
        {
          const PhStep *step = &g_array_index (history->steps, PhStep, s);
          g_autoptr (PhProof) proof = NULL;
          g_autoptr (GError) error = NULL;

          if (step->n_rewrites == 0)
            continue;
          proof = ph_prover_compare (prover, (PhPosition) { s, 0 }, (PhPosition) { s + 1, 0 }, NULL, &error);
          g_assert_no_error (error);
          n_steps++;
          of_verdict[MIN (proof->verdict, G_N_ELEMENTS (of_verdict) - 1)]++;
          if (only != NULL)
            g_print ("%s %s: %s: %s\n", name, step->pass, ph_verdict_name (proof->verdict), proof->sentence);
          /* What lossy steps come to in a whole model is for its owner to judge. */
          if (proof->verdict == PH_VERDICT_DIFFERENT && (proof->exactness != PH_LOSSY || proof->n_different > 0))
            {
              n_accused++;
              g_print ("accused: %s, step %u %s, seed %d: %s\n", name, s + 1, step->pass, seed,
                       proof->first_difference != NULL ? proof->first_difference : proof->sentence);
            }
        }
      if (seed == 1)
        note_rules (prover, history);
    }
}

static void
try_source (const Source *source)
{
  PhPassOptions pass_options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  if (source->pass == NULL)
    return;
  model = source_parse (source, source->before);
  if (model == NULL || ph_model_draws (model))
    return;
  pass_options.allow = source->allow;
  pass_options.arguments = (const char *const *) source->arguments;
  ph_pass_run (source->pass, model, history, &pass_options, &error);
  if (error == NULL)
    prove_steps (source->name, model, history, NULL);
}

/* The same results, made by who knows whom. */
static void
prove_as_foreign (const char *name, PhModel *before, PhModel *after)
{
  for (int seed = 1; seed <= seeds; seed++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhProof) proof = prove_foreign (before, after, (guint64) seed, &error);

      if (proof == NULL) /* a body that cannot be written, or took too long */
        continue;
      n_steps++;
      of_verdict[MIN (proof->verdict, G_N_ELEMENTS (of_verdict) - 1)]++;
      if (proof->verdict != PH_VERDICT_DIFFERENT)
        continue;
      n_accused++;
      g_print ("accused: %s, as another program's, seed %d: %s; %s\n", name, seed, proof->sentence,
               proof->first_difference != NULL ? proof->first_difference : "");
    }
}

/* Each pass of the pipeline is a step. */
static void
try_model (const char *name, PhModel *model)
{
  const PhPipeline *pipeline = ph_pipeline_find (pipeline_name);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) before = NULL;

  if (ph_model_draws (model))
    return;
  if (ph_model_opset (model, "") < PH_OPSET_NEWEST && !ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, NULL, NULL))
    return;
  before = foreign ? ph_model_clone (model) : NULL;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      PhPassOptions pass_options = PH_PASS_OPTIONS_DEFAULT;
      g_autoptr (GError) error = NULL;

      pass_options.allow = pipeline->allow;
      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &pass_options, &error);
      g_assert_no_error (error);
    }
  prove_steps (name, model, history, NULL);
  if (foreign)
    prove_as_foreign (name, before, model);
}

/* Passes that no pipeline has, each alone. */
static void
try_other_passes (const Source *source)
{
  const PhPipeline *pipeline = ph_pipeline_find (pipeline_name);
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    {
      PhPassOptions pass_options = PH_PASS_OPTIONS_DEFAULT;
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = NULL;

      if (g_strv_contains (pipeline->passes, passes[i]->name) || g_str_equal (passes[i]->group, "foreign"))
        continue;
      model = source_model (source);
      if (model == NULL || ph_model_draws (model))
        return;
      pass_options.allow = PH_LOSSY;
      /* One that needs arguments, or a model of another kind, says so. */
      if (ph_pass_run (passes[i], model, history, &pass_options, &error))
        prove_steps (source->name, model, history, NULL);
    }
}

static gboolean
is_small (PhModel *model)
{
  double flops = 0;

  PH_FOREACH_NODE (node, model->graph)
    {
      const gint64 known = ph_node_flops (node);

      flops += known >= 0 ? (double) known : 1e7;
    }
  return flops <= SMALL && model->graph->n_nodes <= 1000;
}

static void
try_folder (const char *folder)
{
  const char *data = g_getenv ("PEEPHOLE_DATA_DIR"), *file;
  g_autofree char *path = g_build_filename (data != NULL ? data : "", folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  if (dir == NULL)
    g_print ("skipped: there is no %s\n", folder);
  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *full = g_build_filename (path, file, NULL);
      g_autoptr (PhModel) model = NULL;

      if (!g_str_has_suffix (file, ".onnx") || (only != NULL && strstr (file, only) == NULL))
        continue;
      model = ph_io_open (full, NULL, NULL, NULL);
      if (model != NULL && (whole || only != NULL || is_small (model)))
        try_model (file, model);
    }
}

static void
try_gradients (void)
{
  const char *data = g_getenv ("PEEPHOLE_DATA_DIR"), *file;
  g_autofree char *path = g_build_filename (data != NULL ? data : "", "gradients", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *full = g_build_filename (path, file, "model.onnx", NULL);
      g_autoptr (PhModel) model = only == NULL || strstr (file, only) != NULL ? ph_io_open (full, NULL, NULL, NULL) : NULL;

      if (model != NULL)
        try_model (file, model);
    }
}

/* Models that neither the fixtures nor the data folder have. */
static void
try_others (GPtrArray *sources)
{
  for (guint i = 0; i < sources->len; i++)
    {
      const Source *source = sources->pdata[i];
      g_autoptr (PhModel) model = source_model (source);

      if (model != NULL && (only == NULL || strstr (source->name, only) != NULL))
        try_model (source->name, model);
    }
  g_ptr_array_unref (sources);
}

static const GOptionEntry options[] = {
  { "random", 0, 0, G_OPTION_ARG_INT, &n_random, "of so many random models alone", "N" },
  { "first", 0, 0, G_OPTION_ARG_INT, &first_random, "the first of them", "N" },
  { "models", 0, 0, G_OPTION_ARG_FILENAME, &other_models, "of the models in this folder alone", "FOLDER" },
  { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "how many", "N" },
  { "whole", 0, 0, G_OPTION_ARG_NONE, &whole, "large models too", NULL },
  { "pipeline", 0, 0, G_OPTION_ARG_STRING, &pipeline_name, "which one", "NAME" },
  { "foreign", 0, 0, G_OPTION_ARG_NONE, &foreign, "all steps once more, as one change by another program", NULL },
  { "rules", 0, 0, G_OPTION_ARG_NONE, &by_rule, "the verdicts of each rule, on the models of the data folder alone", NULL },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "what has this in its name", "TEXT" },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

int
main (int argc, char *argv[])
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) sources = NULL;
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  sources = n_random > 0 || other_models != NULL ? g_ptr_array_new () : sources_all ();
  of_rule = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < sources->len && !by_rule; i++)
    {
      const Source *source = sources->pdata[i];

      if (only != NULL && strstr (source->name, only) == NULL)
        continue;
      try_source (source);
      if (source->pass == NULL && source->n_passes == 0)
        {
          g_autoptr (PhModel) model = source_model (source);

          try_model (source->name, model);
          try_other_passes (source);
        }
    }
  whole |= by_rule;
  if (n_random > 0)
    try_others (sources_random ((guint) n_random, (guint64) MAX (first_random, 1)));
  else if (other_models != NULL)
    try_others (sources_in (other_models));
  else
    {
      try_folder ("models");
      try_gradients ();
    }
  if (by_rule)
    print_rules ();
  for (guint i = 0; i < G_N_ELEMENTS (of_verdict); i++)
    if (of_verdict[i] > 0)
      g_print ("%s %u, ", ph_verdict_name (i), of_verdict[i]);
  g_print ("steps %u, accused %u\n", n_steps, n_accused);
  g_hash_table_unref (of_rule);
  return n_accused > 0 || n_steps == 0;
}
