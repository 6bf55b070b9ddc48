/* runner.c: compares a model computed here with the same model computed by an external program.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/runner.h"

#include <glib/gstdio.h>

#include "core/graph/edit.h"
#include "core/io/child.h"
#include "core/io/io.h"
#include "core/opset/opset.h"
#include "core/run/inputs.h"

/* ── the folder ── */

static char *
path_in (const char *folder, const char *kind, guint k)
{
  g_autofree char *name = g_strdup_printf ("%s_%u.pb", kind, k);

  return g_build_filename (folder, name, NULL);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_unlink (path) != 0)
        remove_folder (path);
    }
  g_rmdir (folder);
}

/* Writes the case, without inputs that keep their default. */
static gboolean
write_case (PhModel *model, GHashTable *given, const char *folder, gsize *size, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  GError *own = NULL;
  int opset;
  GStatBuf status;
  g_autoptr (PhModel) file = ph_model_at_opset (model, 0, &opset, NULL, &own);

  if (own != NULL)
    {
      g_propagate_error (error, own);
      return FALSE;
    }
  if (!ph_io_save (file != NULL ? file : model, path, cancellable, error))
    return FALSE;
  *size = g_stat (path, &status) == 0 ? (gsize) status.st_size : 0;
  for (guint i = 0, k = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (given, input);
      g_autofree char *input_path = path_in (folder, "input", k);

      k += tensor != NULL;
      if (tensor != NULL && !ph_tensor_save (tensor, input->name, input_path, error))
        return FALSE;
    }
  return TRUE;
}

static GHashTable *
read_outputs (const char *program, PhModel *model, const char *folder, GError **error)
{
  g_autoptr (GHashTable) results = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *output = model->graph->outputs->pdata[i];
      g_autofree char *path = path_in (folder, "output", i);
      PhTensor *tensor;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "%s wrote no output_%u.pb, which is for '%s'", program, i, output->name);
          return NULL;
        }
      tensor = ph_tensor_load (path, output->type, NULL, error);
      if (tensor == NULL)
        {
          g_prefix_error (error, "%s: output_%u.pb: ", program, i);
          return NULL;
        }
      g_hash_table_insert (results, GUINT_TO_POINTER (output->id), tensor);
    }
  return g_steal_pointer (&results);
}

/* Runs `PROGRAM FOLDER`. FOLDER holds model.onnx at the file's opset, and input_K.pb for each input, in order; the program writes
 * output_K.pb for each output there. It has the limits of a foreign pass (passes/external.h). @given: PhValue -> PhTensor. Returns PhId ->
 * PhTensor (owned) of the outputs, or NULL if the program failed or left no outputs. For a worker. */
static GHashTable *
run_program (const char *program, PhModel *model, GHashTable *given, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-runner-XXXXXX", error), *line = g_strconcat (program, " \"$1\"", NULL);
  const char *const command[] = { "sh", "-c", line, "sh", folder, NULL };
  g_autoptr (GBytes) said = NULL;
  GHashTable *results = NULL;
  gsize size;

  if (folder == NULL)
    return NULL;
  if (write_case (model, given, folder, &size, cancellable, error))
    said = ph_child_run (command, NULL, NULL, size, program, cancellable, error);
  if (said != NULL)
    results = read_outputs (program, model, folder, error);
  remove_folder (folder);
  return results;
}

/* ── which of the two ── */

const char *
ph_runner_verdict_name (PhRunnerVerdict verdict)
{
  static const char *const names[] = { "agrees", "pass", "kernel", "both", "flickers" };

  return names[verdict];
}

void
ph_runner_report_free (PhRunnerReport *report)
{
  g_free (report->output);
  g_free (report->place);
  g_free (report->expected);
  g_free (report->actual);
  g_free (report->sentence);
  g_free (report);
}

/* Returns the tensors given to @before, keyed by the inputs of @after. */
static GHashTable *
given_to (PhModel *after, PhModel *before, GHashTable *given)
{
  GHashTable *own = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GHashTable) named = ph_feeds_copy (NULL);
  GHashTableIter iter;
  gpointer value, tensor;

  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    g_hash_table_insert (named, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
  ph_inputs_join (named, before, after, 1);
  for (guint i = 0; i < after->graph->inputs->len; i++)
    if ((tensor = g_hash_table_lookup (named, ((PhValue *) after->graph->inputs->pdata[i])->name)) != NULL)
      g_hash_table_insert (own, after->graph->inputs->pdata[i], ph_tensor_ref (tensor));
  return own;
}

static void
take_place (PhRunnerReport *report, PhFault *fault)
{
  if (fault == NULL || report->output != NULL)
    return;
  report->output = g_steal_pointer (&fault->output);
  report->place = g_steal_pointer (&fault->place);
  report->expected = g_steal_pointer (&fault->expected);
  report->actual = g_steal_pointer (&fault->actual);
}

static char *
sentence_of (const PhRunnerReport *report)
{
  switch (report->verdict)
    {
    case PH_RUNNER_AGREES: return g_strdup ("here and there, before and after: all agree");
    case PH_RUNNER_PASS: return g_strdup ("the pass is wrong: before and after differ here, and the program agrees with both");
    case PH_RUNNER_BOTH:
      return g_strdup ("the pass is wrong, for before and after differ here, and so is the program, which computes otherwise");
    case PH_RUNNER_FLICKERS:
      return g_strdup ("the program flickers: the same model on the same inputs gave something else the second time");
    default:
      return g_strdup (
          report->before && report->after ? "the program computes both otherwise than here: its kernels are wrong, not the pass"
          : report->after                 ? "the program's kernel is wrong on what the pass made; here before and after are equal"
                          : "the program's kernel is wrong on the model before the pass; here before and after are equal");
    }
}

typedef struct
{
  GHashTable *here, *there, *again;
} Results;

static void
results_clear (Results *results)
{
  g_clear_pointer (&results->here, g_hash_table_unref);
  g_clear_pointer (&results->there, g_hash_table_unref);
  g_clear_pointer (&results->again, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Results, results_clear)

PhRunnerReport *
ph_runner_judge (const char *program, PhModel *before, PhModel *after, GHashTable *named, guint64 seed, GCancellable *cancellable,
                 GError **error)
{
  PhRunOptions options = { .cancellable = cancellable };
  g_auto (Results) was = { NULL }, is = { NULL };
  g_autoptr (GHashTable) both = ph_feeds_copy (named), given = NULL, given_after = NULL;
  g_autoptr (PhFault) pass = NULL, there_before = NULL, there_after = NULL, flicker = NULL;
  g_autoptr (PhRunnerReport) report = g_new0 (PhRunnerReport, 1);

  ph_inputs_join (both, before, after, seed);
  given = ph_inputs_find (before, both, PH_INPUTS_NORMAL, seed, NULL, &options, &was.here, error);
  if (given == NULL)
    return NULL;
  given_after = given_to (after, before, given);
  if ((is.here = ph_run_model (after, given_after, NULL, &options, error)) == NULL
      || (was.there = run_program (program, before, given, cancellable, error)) == NULL
      || (is.there = run_program (program, after, given_after, cancellable, error)) == NULL
      || (is.again = run_program (program, after, given_after, cancellable, error)) == NULL)
    return NULL;
  pass = ph_fault_of_results (before, after, was.here, is.here);
  there_before = ph_fault_of_results (before, before, was.here, was.there);
  there_after = ph_fault_of_results (after, after, is.here, is.there);
  flicker = ph_fault_of_results (after, after, is.there, is.again);
  report->before = there_before != NULL;
  report->after = there_after != NULL;
  report->verdict = flicker != NULL                   ? PH_RUNNER_FLICKERS
                    : pass != NULL                    ? (report->before || report->after ? PH_RUNNER_BOTH : PH_RUNNER_PASS)
                    : report->before || report->after ? PH_RUNNER_KERNEL
                                                      : PH_RUNNER_AGREES;
  take_place (report, flicker);
  take_place (report, pass);
  take_place (report, there_after);
  take_place (report, there_before);
  report->sentence = sentence_of (report);
  return g_steal_pointer (&report);
}

/* ── the fault ── */

static void
take_witness (PhFault *fault, GHashTable *given)
{
  GHashTableIter iter;
  gpointer value, tensor;

  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    g_hash_table_insert (fault->witness, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
}

PhFault *
ph_runner_fault (const char *program, PhModel *before, PhModel *after, GHashTable *feeds, GCancellable *cancellable)
{
  PhRunOptions options = { .cancellable = cancellable };
  g_autoptr (GHashTable) both = ph_feeds_copy (feeds), given = NULL, given_after = NULL, was = NULL, is = NULL;
  g_autoptr (GError) why = NULL;
  PhFault *fault;

  ph_inputs_join (both, before, after, 1);
  given = ph_inputs_find (before, both, PH_INPUTS_NORMAL, 1, NULL, &options, NULL, NULL);
  was = given != NULL ? run_program (program, before, given, cancellable, NULL) : NULL;
  if (was == NULL)
    return NULL;
  given_after = given_to (after, before, given);
  is = run_program (program, after, given_after, cancellable, &why);
  if (g_cancellable_is_cancelled (cancellable))
    return NULL;
  fault = is != NULL ? ph_fault_of_results (before, after, was, is) : ph_fault_new (PH_FAULT_ERROR, why->message);
  if (fault != NULL)
    take_witness (fault, given);
  return fault;
}

/* ── every value ── */

/* The relative difference between two float32 computations that is explained by rounding in another order. */
#define FLOAT_ROUNDING 1e-4

/* Makes every value with a known tensor type an output. */
static gboolean
show_all (PhModel *model, GError **error)
{
  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        PhValue *value = ph_node_output (node, i);

        if (*value->name != '\0' && value->type != NULL && !ph_value_is_output (value) && ph_value_n_uses (value) > 0
            && !ph_graph_set_output (model->graph, model->graph->outputs->len, value, error))
          return FALSE;
      }
  return TRUE;
}

PhAlong *
ph_runner_along (const char *program, PhModel *model, GHashTable *named, guint64 seed, GCancellable *cancellable, GError **error)
{
  PhRunOptions options = { .cancellable = cancellable };
  g_autoptr (PhModel) shown = ph_model_clone (model);
  g_autoptr (GHashTable) here = NULL, there = NULL, given = NULL;

  if (!show_all (shown, error))
    return NULL;
  given = ph_inputs_find (shown, named, PH_INPUTS_NORMAL, seed, NULL, &options, &here, error);
  there = given != NULL ? run_program (program, shown, given, cancellable, error) : NULL;
  return there != NULL ? ph_along_of_results (shown, here, there, FLOAT_ROUNDING) : NULL;
}
