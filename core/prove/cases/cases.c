/* cases.c: runs cases as ONNX's backend tests keep them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/cases/cases-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/number.h"
#include "core/prove/prove.h"
#include "core/run/executor.h"

#define MAX_DEPTH 16

static gboolean
has_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

static void
find_below (const char *folder, guint depth, GPtrArray *cases, GCancellable *cancellable)
{
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (g_cancellable_is_cancelled (cancellable))
    return;
  if ((has_file (folder, "model.onnx") && has_file (folder, "test_data_set_0")) || ph_case_is_torch (folder))
    {
      g_ptr_array_add (cases, g_strdup (folder));
      return;
    }
  dir = depth < MAX_DEPTH ? g_dir_open (folder, 0, NULL) : NULL;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        g_ptr_array_add (folders, g_steal_pointer (&path));
      else if (ph_case_is_mlir (path))
        g_ptr_array_add (files, g_steal_pointer (&path));
    }
  g_ptr_array_sort (files, compare_names);
  g_ptr_array_extend_and_steal (cases, g_steal_pointer (&files));
  g_ptr_array_sort (folders, compare_names);
  for (guint i = 0; i < folders->len; i++)
    find_below (folders->pdata[i], depth + 1, cases, cancellable);
}

GPtrArray *
ph_case_find (const char *folder, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (g_free);

  if (g_file_test (folder, G_FILE_TEST_IS_REGULAR) && ph_case_is_mlir (folder))
    {
      g_ptr_array_add (cases, g_strdup (folder));
      return g_steal_pointer (&cases);
    }
  if (g_file_test (folder, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (
          error, PH_ERROR, PH_ERROR_NOT_FOUND,
          "%s: nothing in it says what it computes: StableHLO's tests do, with check.expect_*; `open` it to look at it, and "
          "`coverage` says what of it becomes ONNX",
          folder);
      return NULL;
    }
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: there is no such folder", folder);
      return NULL;
    }
  find_below (folder, 0, cases, cancellable);
  if (cases->len == 0)
    {
      g_set_error (
          error, PH_ERROR, PH_ERROR_NOT_FOUND,
          "%s: no case in it; a case is a folder with model.onnx and test_data_set_0, one with model.pt, input_K.npy and output_K.npy, "
          "or StableHLO text with check.expect_*",
          folder);
      return NULL;
    }
  return g_steal_pointer (&cases);
}

#define WHOLE_MODEL 50 /* nodes: from there on rounding adds up; ONNX's 1e-7 is for single operators */

/* Returns the tolerance, which data.json beside the model may override. */
static PhTolerance
tolerance_of (const char *folder, PhModel *model, const PhCaseOptions *options)
{
  PhTolerance tolerance = ph_model_n_nodes (model, TRUE) < WHOLE_MODEL ? PH_TOLERANCE_ONNX : (PhTolerance) { 1e-3, 1e-4 };
  g_autofree char *path = g_build_filename (folder, "data.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (json_parser_load_from_file (parser, path, NULL) && json_parser_get_root (parser) != NULL
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    {
      JsonObject *object = json_node_get_object (json_parser_get_root (parser));

      tolerance.rtol = json_object_get_double_member_with_default (object, "rtol", tolerance.rtol);
      tolerance.atol = json_object_get_double_member_with_default (object, "atol", tolerance.atol);
    }
  if (options->rtol >= 0)
    tolerance.rtol = options->rtol;
  if (options->atol >= 0)
    tolerance.atol = options->atol;
  return tolerance;
}

static guint
count_files (const char *folder, const char *prefix)
{
  for (guint k = 0;; k++)
    {
      g_autofree char *name = g_strdup_printf ("%s_%u.pb", prefix, k);

      if (!has_file (folder, name))
        return k;
    }
}

gboolean
ph_case_run_passes (PhModel *model, PhHistory *history, const PhCaseOptions *options, PhPassOptions *pass_options, GError **error)
{
  for (guint i = 0; i < options->n_passes; i++)
    {
      pass_options->arguments = options->arguments != NULL ? options->arguments[i] : NULL;
      if (!ph_pass_run (options->passes[i], model, history, pass_options, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_passes (PhModel *model, const PhCaseOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions pass_options = PH_PASS_OPTIONS_DEFAULT;
  const PhPass *upgrade = ph_pass_find ("upgrade-opset");
  int opset = ph_model_opset (model, "");

  pass_options.allow = options->allow;
  pass_options.cancellable = cancellable;
  pass_options.keep_opset = TRUE;
  if (options->n_passes > 0 && options->passes[0] != upgrade && upgrade != NULL && opset > 0 && opset < PH_OPSET_NEWEST
      && !ph_pass_run (upgrade, model, history, &pass_options, error))
    return FALSE;
  return ph_case_run_passes (model, history, options, &pass_options, error);
}

/* Returns the K-th input for input_K.pb: among all inputs, or, with fewer files, among those without a default. */
static PhValue *
input_of_file (PhModel *model, guint k, guint n_files)
{
  GPtrArray *inputs = model->graph->inputs;
  guint needed = 0, seen = 0;

  for (guint i = 0; i < inputs->len; i++)
    needed += ((PhValue *) inputs->pdata[i])->tensor == NULL;
  if (n_files > needed)
    return k < inputs->len ? inputs->pdata[k] : NULL;
  for (guint i = 0; i < inputs->len; i++)
    if (((PhValue *) inputs->pdata[i])->tensor == NULL && seen++ == k)
      return inputs->pdata[i];
  return NULL;
}

static gboolean
same_shape (PhTensor *a, PhTensor *b)
{
  return ph_tensor_kind (a) == PH_KIND_TENSOR && ph_tensor_kind (b) == PH_KIND_TENSOR
         && ph_tensor_dtype (a) == ph_tensor_dtype (b) && ph_tensor_rank (a) == ph_tensor_rank (b)
         && memcmp (ph_tensor_dims (a), ph_tensor_dims (b), ph_tensor_rank (a) * sizeof (gint64)) == 0;
}

static gboolean
run_set (PhModel *model, GPtrArray *outputs, const char *set, PhTolerance tolerance, const PhCaseOptions *options,
         GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GHashTable) results = NULL;
  guint n_inputs = count_files (set, "input"), n_outputs = count_files (set, "output");
  PhRunOptions run_options
      = { .cancellable = cancellable, .reference = options->reference, .kernel = options->kernel, .took = options->took };

  for (guint k = 0; k < n_inputs; k++)
    {
      g_autofree char *name = g_strdup_printf ("input_%u.pb", k), *path = g_build_filename (set, name, NULL);
      PhValue *input = input_of_file (model, k, n_inputs);
      PhTensor *tensor;

      if (input == NULL)
        continue;
      tensor = ph_tensor_load (path, input->type, NULL, error);
      if (tensor == NULL)
        return FALSE;
      g_hash_table_insert (feeds, input, tensor);
    }
  results = ph_run_model (model, feeds, NULL, &run_options, error);
  if (results == NULL)
    return FALSE;

  for (guint k = 0; k < n_outputs; k++)
    {
      g_autofree char *name = g_strdup_printf ("output_%u.pb", k), *path = g_build_filename (set, name, NULL);
      PhValue *output = k < outputs->len ? outputs->pdata[k] : NULL;
      g_autoptr (PhTensor) expected = NULL;
      PhTensor *actual = output != NULL ? g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)) : NULL;

      if (output == NULL)
        break;
      expected = ph_tensor_load (path, output->type, NULL, error);
      if (expected == NULL)
        return FALSE;
      if (actual == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "output '%s' was not computed", output->name);
          return FALSE;
        }

      /* Nobody draws the same random numbers: only their type and shape can be checked. */
      if (ph_model_draws (model) && same_shape (actual, expected))
        continue;

      g_auto (PhComparison) comparison = ph_tensor_compare (actual, expected, tolerance);
      if (!comparison.close)
        {
          g_autofree char *largest = ph_number_to_string ("%g", comparison.max_abs_error);

          g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "output '%s': %s (largest error %s, %" G_GSIZE_FORMAT " elements)",
                       output->name, comparison.why != NULL ? comparison.why : "differs", largest, comparison.n_different);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
run_onnx (const char *folder, const PhCaseOptions *options, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (PhModel) model = ph_io_open (path, NULL, cancellable, error);
  PhTolerance tolerance;

  if (model == NULL)
    return FALSE;
  tolerance = tolerance_of (folder, model, options);
  if (!run_passes (model, options, cancellable, error))
    return FALSE;
  for (guint n = 0;; n++)
    {
      g_autofree char *name = g_strdup_printf ("test_data_set_%u", n), *set = g_build_filename (folder, name, NULL);

      if (!g_file_test (set, G_FILE_TEST_IS_DIR))
        return TRUE;
      if (!run_set (model, model->graph->outputs, set, tolerance, options, cancellable, error))
        {
          g_prefix_error (error, "%s: ", name);
          return FALSE;
        }
    }
}

gboolean
ph_case_run (const char *folder, const PhCaseOptions *options, GCancellable *cancellable, GError **error)
{
  return g_str_has_suffix (folder, ".mlir") ? ph_case_run_mlir (folder, options, cancellable, error)
         : ph_case_is_torch (folder)        ? ph_case_run_torch (folder, options, cancellable, error)
                                            : run_onnx (folder, options, cancellable, error);
}
