/* mutants.c: mutation testing of the proof. A mutant is a model with one small mistake that evaluation tells from the original;
 * as a step of a history, the proof must call it different, and never proved.
 *   mutants                    a sample; fails below 99.5 %
 *   mutants --count 5000       more of them
 *   mutants --replay NAME:SEED one of them, with both models and the proof
 *   mutants --models FOLDER    of the models in a folder
 *   mutants --random N         of so many random models, of others with another --sample
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/prove/prove.h"
#include "foreign.h"
#include "mutate.h"
#include "oracle.h"
#include "sources.h"

#define LEAST_SCORE 99.5 /* percent */

static int count = 400, sample = 1, n_random;
static char *replay, *only, *folder;

/* ── one mutant ── */

typedef struct
{
  guint tried, mutants, found, proved;
  GHashTable *of_kind;  /* kind -> guint[2]: mutants, found                */
  GPtrArray *survivors; /* (element-type utf8)                             */
} Score;

static void
note (Score *score, const char *kind, gboolean found)
{
  guint *numbers = g_hash_table_lookup (score->of_kind, kind);

  if (numbers == NULL)
    g_hash_table_insert (score->of_kind, (gpointer) kind, numbers = g_new0 (guint, 2));
  numbers[0]++;
  numbers[1] += found;
  score->mutants++;
  score->found += found;
}

/* FALSE: nothing that counts came of this seed. */
static gboolean
try_seed (const Source *source, PhModel *model, Oracle *oracle, guint64 at, Score *score)
{
  g_autoptr (PhModel) mutant = ph_model_clone (model);
  g_autofree char *told = NULL;
  g_autoptr (PhProof) proof = NULL;
  g_autoptr (GError) error = NULL;
  Mutation mutation;
  gboolean found;

  score->tried++;
  if (!mutate (mutant, ((guint64) g_str_hash (source->name) << 32) + at, &mutation))
    return FALSE;
  told = oracle_tell (oracle, mutant);
  if (replay != NULL)
    {
      g_autofree char *before = ph_onnx_text_print (model, 64), *after = ph_onnx_text_print (mutant, 64);

      g_print ("%s\n%s\n%s\n%s\n", before, after, mutation.what, told != NULL ? told : "nothing tells it from the original");
    }
  if (told != NULL)
    proof = prove_foreign (model, mutant, 1, &error);
  if (proof == NULL)
    {
      if (error != NULL && replay != NULL)
        g_print ("%s\n", error->message);
      g_free (mutation.what);
      return FALSE;
    }
  found = proof->verdict == PH_VERDICT_DIFFERENT;
  if (replay != NULL)
    g_print ("%s: %s\n%s\n", ph_verdict_name (proof->verdict), proof->sentence,
             proof->first_difference != NULL ? proof->first_difference : "");
  note (score, mutation.kind, found);
  if (proof->verdict == PH_VERDICT_PROVED)
    score->proved++;
  if (!found)
    g_ptr_array_add (score->survivors, g_strdup_printf ("%s:%" G_GUINT64_FORMAT "  %s: %s (%s)", source->name, at,
                                                        ph_verdict_name (proof->verdict), mutation.what, told));
  g_free (mutation.what);
  return TRUE;
}

static void
try_source (const Source *source, guint n, guint64 first, Score *score)
{
  g_autoptr (PhModel) model = source_model (source);
  g_autoptr (Oracle) oracle = model != NULL && !ph_model_draws (model) ? oracle_new (model, source->ranges) : NULL;

  if (oracle == NULL)
    return;
  for (guint i = 0, made = 0; made < n && i < 8 * n + 8; i++)
    made += try_seed (source, model, oracle, first + i, score);
}

static const Source *
source_named (GPtrArray *sources, const char *name)
{
  for (guint i = 0; i < sources->len; i++)
    if (g_str_equal (((Source *) sources->pdata[i])->name, name))
      return sources->pdata[i];
  g_printerr ("there is no source '%s'\n", name);
  exit (2);
}

static const GOptionEntry options[] = {
  { "count", 0, 0, G_OPTION_ARG_INT, &count, "how many mutants", "N" },
  { "sample", 0, 0, G_OPTION_ARG_INT, &sample, "which sample", "N" },
  { "replay", 0, 0, G_OPTION_ARG_STRING, &replay, "one mutant, in full", "NAME:SEED" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "sources whose name has this in it", "TEXT" },
  { "random", 0, 0, G_OPTION_ARG_INT, &n_random, "of so many random models", "N" },
  { "models", 0, 0, G_OPTION_ARG_FILENAME, &folder, "of the models in this folder", "FOLDER" },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

int
main (int argc, char *argv[])
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) sources = NULL, chosen = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  Score score = { 0 };
  GHashTableIter iter;
  gpointer kind, numbers;
  double percent;

  g_test_init (&argc, &argv, NULL);
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  score.of_kind = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  score.survivors = g_ptr_array_new_with_free_func (g_free);
  ph_tensor_set_budget (256 << 20);
  sources = n_random > 0     ? sources_random ((guint) n_random, (guint64) sample * 100000)
            : folder != NULL ? sources_in (folder)
                             : sources_all ();
  if (replay != NULL)
    {
      const char *colon = g_strrstr (replay, ":");
      g_autofree char *name = g_strndup (replay, colon != NULL ? (gsize) (colon - replay) : strlen (replay));

      try_source (source_named (sources, name), 1, g_ascii_strtoull (colon != NULL ? colon + 1 : "1", NULL, 10), &score);
    }
  for (guint i = 0; i < sources->len && replay == NULL; i++)
    if (only == NULL || strstr (((Source *) sources->pdata[i])->name, only) != NULL)
      g_ptr_array_add (chosen, sources->pdata[i]);
  /* All sources as often as each other; of a small sample only some. */
  for (guint i = 0, stride = MAX (chosen->len / (guint) MAX (count, 1), 1); i < chosen->len && (int) score.mutants < count;
       i += stride)
    {
      const guint left = (chosen->len - i + stride - 1) / stride;

      try_source (chosen->pdata[i], ((guint) count - score.mutants + left - 1) / left, (guint64) sample * 100000, &score);
    }
  for (guint i = 0; i < score.survivors->len; i++)
    g_print ("survives: %s\n", (char *) score.survivors->pdata[i]);
  g_hash_table_iter_init (&iter, score.of_kind);
  while (g_hash_table_iter_next (&iter, &kind, &numbers))
    g_print ("%-16s %4u of %4u\n", (char *) kind, ((guint *) numbers)[1], ((guint *) numbers)[0]);
  percent = score.mutants > 0 ? 100.0 * score.found / score.mutants : 0;
  g_print ("mutants %u, found %u, %.2f %%, proved %u\n", score.mutants, score.found, percent, score.proved);
  g_hash_table_unref (score.of_kind);
  g_ptr_array_unref (score.survivors);
  return replay == NULL && (percent < LEAST_SCORE || score.proved > 0);
}
