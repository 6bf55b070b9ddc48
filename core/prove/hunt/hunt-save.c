/* hunt-save.c: saves the result of a hunt as an ONNX case that anybody can run, and reads it again to confirm it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>

#include "core/io/io.h"
#include "core/opset/opset.h"
#include "core/prove/hunt/hunt.h"
#include "core/prove/prover-private.h"

#define REDUCED "reduced.onnx"
#define CASE    "model.onnx"
#define AFTER   "after.onnx"
#define WITNESS "test_data_set_0"

/* Saves @model at the opset of its original file. */
static gboolean
save_model (PhModel *model, const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  GError *own = NULL;
  int opset;
  g_autoptr (PhModel) file = ph_model_at_opset (model, 0, &opset, NULL, &own);

  if (own != NULL)
    {
      g_propagate_error (error, own);
      return FALSE;
    }
  return ph_io_save (file != NULL ? file : model, path, NULL, error);
}

static gboolean
save_tensor (PhTensor *tensor, const char *name, const char *folder, const char *kind, guint k, GError **error)
{
  g_autofree char *file = g_strdup_printf ("%s_%u.pb", kind, k), *path = g_build_filename (folder, file, NULL);

  return ph_tensor_save (tensor, name, path, error);
}

/* An older witness may have more files. */
static void
clear_witness (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if ((g_str_has_prefix (name, "input_") || g_str_has_prefix (name, "output_")) && g_str_has_suffix (name, ".pb"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        g_unlink (path);
      }
}

static gboolean
save_witness (PhModel *model, GHashTable *witness, const char *folder, GCancellable *cancellable, GError **error)
{
  PhRunOptions options = { .cancellable = cancellable };
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
  guint k = 0;

  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: the folder cannot be made", folder);
      return FALSE;
    }
  clear_witness (folder);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (witness, input->name);

      if (tensor == NULL && input->tensor != NULL)
        continue;
      if (tensor == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "the reduced model has no value for its input '%s'", input->name);
          return FALSE;
        }
      g_hash_table_insert (feeds, input, tensor);
      if (!save_tensor (tensor, input->name, folder, "input", k++, error))
        return FALSE;
    }
  results = ph_run_model (model, feeds, NULL, &options, error);
  if (results == NULL)
    return FALSE;
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *output = model->graph->outputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (output->id));

      if (tensor != NULL && !save_tensor (tensor, output->name, folder, "output", i, error))
        return FALSE;
    }
  return TRUE;
}

PhModel *
ph_hunt_open_model (const char *path, GCancellable *cancellable)
{
  g_autoptr (PhModel) model = ph_io_open (path, NULL, cancellable, NULL);
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.keep_opset = TRUE;
  if (model != NULL && ph_model_opset (model, "") < PH_OPSET_NEWEST && ph_model_opset (model, "") > 0
      && !ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, NULL))
    return NULL;
  if (model != NULL)
    model->journal = NULL;
  return g_steal_pointer (&model);
}

GHashTable *
ph_hunt_load_feeds (PhModel *model, const char *folder)
{
  GHashTable *feeds = ph_prove_new_feeds ();
  guint k = 0;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      g_autofree char *file = g_strdup_printf ("input_%u.pb", k), *path = g_build_filename (folder, file, NULL);
      PhTensor *tensor = ph_tensor_load (path, input->type, NULL, NULL);

      if (tensor == NULL)
        continue;
      g_hash_table_insert (feeds, g_strdup (input->name), tensor);
      k++;
    }
  return feeds;
}

static gboolean
shows_again (const PhHunt *hunt, const PhHuntStage *stage, const PhHuntOptions *options, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, REDUCED, NULL), *set = g_build_filename (folder, WITNESS, NULL);
  g_autofree char *other = g_build_filename (folder, AFTER, NULL);
  g_autoptr (PhModel) model = ph_hunt_open_model (path, options->cancellable), after = NULL;
  g_autoptr (GHashTable) feeds = model != NULL ? ph_hunt_load_feeds (model, set) : NULL;
  g_autoptr (PhFault) fault = NULL;
  /* clang-format off */
  PhFaultPass pass = {
    .pass = stage->pass, .arguments = stage->arguments, .allow = options->allow, .folder = options->folder,
    .rules_off = options->rules_off, .limit = G_MAXUINT, .seed = options->seed, .runner = options->runner,
    .closely = hunt->reduced->fault->in_double, .cancellable = options->cancellable
  };
  /* clang-format on */

  if (model == NULL)
    return FALSE;
  if (!stage->only_once)
    fault = ph_fault_find (&pass, model, feeds, FALSE, NULL);
  else if ((after = ph_hunt_open_model (other, options->cancellable)) != NULL)
    fault = ph_fault_compare (model, after, feeds, hunt->reduced->fault->in_double, options->cancellable);
  return fault != NULL && fault->kind == hunt->kind;
}

gboolean
ph_hunt_save (const PhHunt *hunt, const PhHuntStage *stage, const PhHuntOptions *options, const char *folder, PhHuntFiles *files,
              GError **error)
{
  const PhReduced *reduced = hunt->reduced;
  g_autofree char *set = g_build_filename (folder, WITNESS, NULL);

  *files = (PhHuntFiles) { NULL };
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: the folder cannot be made", folder);
      return FALSE;
    }
  if (reduced == NULL)
    return TRUE;
  if (!save_model (reduced->model, folder, REDUCED, error) || !save_model (reduced->model, folder, CASE, error)
      || !save_witness (reduced->model, reduced->fault->witness, set, options->cancellable, error))
    return FALSE;
  files->reduced = REDUCED;
  files->witness = WITNESS;
  if (reduced->fault->after != NULL && save_model (reduced->fault->after, folder, AFTER, NULL))
    files->after = AFTER;
  files->shown_again = !hunt->stopped && shows_again (hunt, stage, options, folder);
  return TRUE;
}
