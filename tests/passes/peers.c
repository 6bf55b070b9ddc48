/* peers.c: what other optimisers got wrong: every pass alone, and every pipeline, has to leave the results as they are.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/tensor/compare.h"
#include "each-file.h"
#include "passes/pass.h"
#include "sample.h"

/* tests/passes/peers/NAME.onnxtxt: what went wrong, in words, and
 *   # feed: INPUT NUMBERS
 *   # expect: OUTPUT NUMBERS     (optional) what is right; without it, what the model gave before */

static PhModel *
read_model (const char *text, const char *path)
{
  g_autofree char *whole = NULL;
  g_autoptr (GError) error = NULL;
  const char *body = strstr (text, "\ng (");
  PhModel *model;

  g_assert_nonnull (body);
  whole = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>%s", PH_OPSET_NEWEST, body);
  model = ph_onnx_text_read (whole, -1, path, &error);
  g_assert_no_error (error);
  ph_infer_model (model, TRUE, NULL, &error);
  g_assert_no_error (error);
  return model;
}

static PhTensor *
read_numbers (char **words, PhDType dtype, guint rank, const gint64 *dims)
{
  PhTensor *tensor = ph_tensor_new (dtype, rank, dims);

  g_assert_cmpuint (g_strv_length (words), ==, ph_tensor_count (tensor));
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ph_dtype_store (dtype, ph_tensor_writable (tensor), i, g_ascii_strtod (words[i], NULL));
  return tensor;
}

static GHashTable *
read_feeds (PhModel *model, char **lines)
{
  GHashTable *feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);

  for (; *lines != NULL; lines++)
    if (g_str_has_prefix (*lines, "# feed: "))
      {
        g_auto (GStrv) words = g_strsplit (*lines + strlen ("# feed: "), " ", -1);
        const PhValue *value = ph_model_find_value_named (model, words[0]);
        gint64 dims[PH_MAX_RANK];

        for (guint i = 0; i < value->type->rank; i++)
          dims[i] = value->type->dims[i].size;
        g_hash_table_insert (feeds, g_strdup (words[0]), read_numbers (words + 1, value->type->dtype, value->type->rank, dims));
      }
  return feeds;
}

/* The model's own kernels give what is written down. */
static void
check_expected (PhModel *model, GPtrArray *outputs, char **lines, const char *path)
{
  for (; *lines != NULL; lines++)
    if (g_str_has_prefix (*lines, "# expect: "))
      {
        g_auto (GStrv) words = g_strsplit (*lines + strlen ("# expect: "), " ", -1);

        for (guint i = 0; i < outputs->len; i++)
          if (g_str_equal (((PhValue *) model->graph->outputs->pdata[i])->name, words[0]))
            {
              PhTensor *actual = outputs->pdata[i];
              g_autoptr (PhTensor) wanted = read_numbers (words + 1, ph_tensor_dtype (actual), ph_tensor_rank (actual),
                                                          ph_tensor_dims (actual));
              g_auto (PhComparison) result = ph_tensor_compare (actual, wanted, (PhTolerance) { 1e-6, 1e-6 });

              if (!result.close)
                g_error ("%s: %s: %s", path, words[0], result.why);
            }
      }
}

/* Signs of zero and NaN count, whatever the class says: that is what went wrong elsewhere. */
static void
check_same (GPtrArray *before, GPtrArray *after, const char *path, const char *name)
{
  for (guint i = 0; i < before->len; i++)
    {
      g_auto (PhComparison) result = ph_tensor_compare (after->pdata[i], before->pdata[i], (PhTolerance) { 1e-5, 1e-5 });

      if (!result.close)
        g_error ("%s: %s: output %u: %s", path, name, i, result.why);
    }
}

static void
run_passes (PhModel *model, const PhPass *const *passes, guint n, PhExactness allow)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = allow;
  options.verify = TRUE;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;

      ph_pass_run (passes[i], model, history, &options, &error);
      g_assert_no_error (error);
    }
}

static void
test_peer (gconstpointer data)
{
  const char *path = data;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GHashTable) feeds = NULL;
  g_autoptr (GPtrArray) before = NULL;
  guint n_passes, n_pipelines;
  const PhPass *const *passes = ph_pass_list (&n_passes);
  const PhPipeline *pipelines = ph_pipeline_list (&n_pipelines);

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  model = read_model (text, path);
  lines = g_strsplit (text, "\n", -1);
  feeds = read_feeds (model, lines);
  before = sample_outputs (model, feeds, &error);
  g_assert_no_error (error);
  check_expected (model, before, lines, path);

  for (guint i = 0; i < n_passes; i++)
    if (!passes[i]->needs_arguments)
      {
        g_autoptr (PhModel) other = ph_model_clone (model);
        g_autoptr (GPtrArray) after = NULL;

        run_passes (other, (const PhPass *const[]) { passes[i], ph_pass_find ("convert-to-onnx") }, 2, PH_ROUNDING);
        after = sample_outputs (other, feeds, &error);
        g_assert_no_error (error);
        check_same (before, after, path, passes[i]->name);
      }
  for (guint i = 0; i < n_pipelines; i++)
    {
      g_autoptr (PhModel) other = ph_model_clone (model);
      g_autoptr (GPtrArray) after = NULL, list = g_ptr_array_new ();

      for (guint k = 0; pipelines[i].passes[k] != NULL; k++)
        g_ptr_array_add (list, (gpointer) ph_pass_find (pipelines[i].passes[k]));
      run_passes (other, (const PhPass *const *) list->pdata, list->len, pipelines[i].allow);
      after = sample_outputs (other, feeds, &error);
      g_assert_no_error (error);
      check_same (before, after, path, pipelines[i].name);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  test_each_file ("peers", test_peer);
  return g_test_run ();
}
