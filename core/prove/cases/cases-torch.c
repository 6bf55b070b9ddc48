/* cases-torch.c: runs cases in folders with PyTorch's model.pt, its inputs (input_K.npy) and its outputs (output_K.npy).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/number.h"
#include "core/prove/cases/cases-private.h"
#include "core/run/executor.h"
#include "core/tensor/parts.h"

/* Finds the model under its possible names, which include FX code. */
static char *
find_model (const char *folder)
{
  static const char *const names[] = { "model.pt", "model.pt2", "model.py", "model.txt" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  return NULL;
}

static char *
array_path (const char *folder, const char *kind, guint k)
{
  g_autofree char *name = g_strdup_printf ("%s_%u.npy", kind, k);

  return g_build_filename (folder, name, NULL);
}

gboolean
ph_case_is_torch (const char *folder)
{
  g_autofree char *model = find_model (folder), *output = array_path (folder, "output", 0);

  return model != NULL && g_file_test (output, G_FILE_TEST_EXISTS);
}

/* Arrays in the order of the inputs: with them their types are known. */
static gboolean
read_inputs (PhModel *model, const char *folder, GHashTable *feeds, GError **error)
{
  for (guint k = 0; k < model->graph->inputs->len; k++)
    {
      PhValue *input = model->graph->inputs->pdata[k];
      g_autofree char *path = array_path (folder, "input", k);
      PhTensor *tensor;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FILE, "input '%s' has no %s", input->name, path);
          return FALSE;
        }
      tensor = ph_tensor_load (path, NULL, NULL, error);
      if (tensor == NULL)
        return FALSE;
      g_hash_table_insert (feeds, GUINT_TO_POINTER (input->id), tensor);
      if (!ph_value_set_type (input, ph_type_of_tensor (tensor), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
compare (PhModel *model, const char *folder, GHashTable *results, PhTolerance tolerance, GError **error)
{
  guint k;

  for (k = 0;; k++)
    {
      g_autofree char *path = array_path (folder, "output", k);
      PhValue *output = k < model->graph->outputs->len ? model->graph->outputs->pdata[k] : NULL;
      PhTensor *actual = output != NULL ? g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)) : NULL;
      g_autoptr (PhTensor) expected = NULL;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        break;
      if (actual == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "the model has no output %u, or it was not computed", k);
          return FALSE;
        }
      if ((expected = ph_tensor_load (path, NULL, NULL, error)) == NULL)
        return FALSE;
      if (ph_tensor_kind (actual) == PH_KIND_TENSOR && ph_tensor_rank (actual) == ph_tensor_rank (expected) + 1)
        {
          PhTensor *parts = ph_tensor_parts (expected);

          ph_tensor_unref (expected);
          expected = parts;
        }
      /* A Python float has no precise element type. */
      if (ph_tensor_kind (actual) == PH_KIND_TENSOR && ph_tensor_rank (actual) == 0 && ph_tensor_rank (expected) == 0
          && ph_tensor_dtype (actual) == PH_DOUBLE && ph_tensor_dtype (expected) == PH_FLOAT)
        {
          PhTensor *wide = ph_tensor_cast (expected, PH_DOUBLE);

          ph_tensor_unref (expected);
          expected = wide;
        }
      {
        g_auto (PhComparison) comparison = ph_tensor_compare (actual, expected, tolerance);

        if (!comparison.close)
          {
            g_autofree char *largest = ph_number_to_string ("%g", comparison.max_abs_error);

            g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "output '%s': %s (largest error %s, %" G_GSIZE_FORMAT " elements)",
                         output->name, comparison.why != NULL ? comparison.why : "differs", largest, comparison.n_different);
            return FALSE;
          }
      }
    }
  if (k != model->graph->outputs->len)
    g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "the model gives %u outputs, the case has %u", model->graph->outputs->len, k);
  return k == model->graph->outputs->len;
}

/* Opens the model with as many inputs as there are arrays: a parameter that has a default is one of them only where it is asked for. */
static PhModel *
open_model (const char *path, const char *folder, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhModel) model = ph_io_open (path, NULL, cancellable, error);
  guint n = 0;

  for (gboolean more = TRUE; more; n += more)
    {
      g_autofree char *array = array_path (folder, "input", n);

      more = g_file_test (array, G_FILE_TEST_EXISTS);
    }
  if (model != NULL && n > model->graph->inputs->len)
    {
      g_autofree char *with = g_strdup_printf ("%s/%u", path, n);
      PhModel *other = ph_io_open (with, NULL, cancellable, NULL);

      if (other != NULL)
        {
          ph_model_free (model);
          model = other;
        }
    }
  return g_steal_pointer (&model);
}

gboolean
ph_case_run_torch (const char *folder, const PhCaseOptions *options, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = find_model (folder), *stays = NULL, *spare = NULL;
  g_autoptr (PhModel) model = open_model (path, folder, cancellable, error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), feeds = NULL,
                         results = NULL;
  g_autoptr (GHashTable) named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  PhPassOptions pass_options = PH_PASS_OPTIONS_DEFAULT;
  PhRunOptions run_options
      = { .cancellable = cancellable, .reference = options->reference, .kernel = options->kernel, .took = options->took };
  PhTolerance tolerance = { options->rtol >= 0 ? options->rtol : 1e-3, options->atol >= 0 ? options->atol : 1e-5 };
  g_autoptr (GError) reason = NULL;

  if (model == NULL || !read_inputs (model, folder, known, error))
    return FALSE;
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      g_hash_table_insert (named, g_strdup (input->name), g_hash_table_lookup (known, GUINT_TO_POINTER (input->id)));
    }
  pass_options.cancellable = cancellable;
  if (!ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &pass_options, error))
    return FALSE;
  stays = ph_case_what_stays (model);
  if (*stays != '\0')
    {
      const char *note = history->steps->len > 0 ? g_array_index (history->steps, PhStep, 0).note : NULL;

      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "%s stays%s%s", stays, note != NULL ? ": " : "", note != NULL ? note : "");
      return FALSE;
    }
  pass_options.allow = options->allow;
  if (!ph_case_run_passes (model, history, options, &pass_options, error))
    return FALSE;
  feeds = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (known, GUINT_TO_POINTER (input->id));

      if (tensor == NULL && (tensor = g_hash_table_lookup (named, input->name)) != NULL) /* of complex numbers */
        {
          PhTensor *parts = ph_tensor_parts (tensor);

          g_ptr_array_add (own, parts);
          tensor = parts;
        }
      if (tensor != NULL)
        g_hash_table_insert (feeds, input, tensor);
    }
  results = ph_run_model (model, feeds, NULL, &run_options, error);
  if (results == NULL)
    return FALSE;
  if (compare (model, folder, results, tolerance, error))
    return TRUE;
  spare = array_path (folder, "input", model->graph->inputs->len);
  if (g_file_test (spare, G_FILE_TEST_EXISTS))
    g_prefix_error (error, "the model takes %u inputs, so %s is not used (a parameter whose default is None is left out): ",
                    model->graph->inputs->len, spare);
  return FALSE;
}
