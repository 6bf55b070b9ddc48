/* gradients.c: gradients of whole nets against those that PyTorch computed: NET/model.onnx, and in NET/test_data_set_N/ the
 * inputs, the cotangent of the first output, and grad_K.pb, each named after what it is the gradient by.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>

#include "core/io/io.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "core/tensor/compare.h"
#include "passes/pass.h"

static char *data_dir;

static PhTensor *
load (const char *folder, const char *kind, guint k, char **name)
{
  g_autofree char *file = g_strdup_printf ("%s_%u.pb", kind, k), *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) error = NULL;
  PhTensor *tensor;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  tensor = ph_tensor_load (path, NULL, name, &error);
  g_assert_no_error (error);
  return tensor;
}

/* The passes @names on @model, each a step of @history. */
static void
run_passes (PhModel *model, PhHistory *history, const char *const *names)
{
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.verify = TRUE;
  for (; *names != NULL; names++)
    {
      ph_pass_run (ph_pass_find (*names), model, history, &options, &error);
      g_assert_no_error (error);
    }
}

static void
check_net (const char *folder, const char *const *before, const char *const *after)
{
  static const char *const upgrade[] = { "upgrade-opset", NULL };
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *data = g_build_filename (folder, "test_data_set_0", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GHashTable) results = NULL;
  g_autofree char *cotangent = NULL, *ready = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  PhTensor *tensor;
  char *name = NULL;
  guint n_inputs;

  g_assert_no_error (error);
  n_inputs = model->graph->inputs->len;
  run_passes (model, history, upgrade);
  run_passes (model, history, before);

  g_ptr_array_add (arguments, g_strdup (((PhValue *) model->graph->outputs->pdata[0])->name));
  cotangent = g_strdup_printf ("grad_%s", (char *) arguments->pdata[0]);
  for (guint k = 0; (tensor = load (data, "grad", k, &name)) != NULL; k++)
    {
      g_ptr_array_add (expected, tensor);
      g_ptr_array_add (arguments, g_steal_pointer (&name));
    }
  g_ptr_array_add (arguments, NULL);
  options.verify = TRUE;
  options.arguments = (const char *const *) arguments->pdata;
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  run_passes (model, history, after);
  g_assert_true (ph_model_verify (model, &error));

  for (guint k = 0; k < n_inputs && (tensor = load (data, "input", k, NULL)) != NULL; k++)
    g_hash_table_insert (feeds, model->graph->inputs->pdata[k], tensor);
  g_hash_table_insert (feeds, ph_model_find_value_named (model, cotangent), load (data, "cotangent", 0, NULL));
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);

  for (guint k = 0; k < expected->len; k++)
    {
      g_autofree char *output = g_strdup_printf ("grad_%s", (char *) arguments->pdata[1 + k]);
      PhValue *value = ph_model_find_value_named (model, output);
      PhTensor *actual = value != NULL ? g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)) : NULL;
      g_auto (PhComparison) comparison = { 0 };

      g_autoptr (PhTensor) scalar = NULL;

      g_assert_nonnull (actual);
      /* Scalars are stored as tensors of one element. */
      if (ph_tensor_rank (actual) == 0)
        actual = scalar = ph_tensor_reshaped (actual, ph_tensor_rank (expected->pdata[k]), ph_tensor_dims (expected->pdata[k]));
      comparison = ph_tensor_compare (actual, expected->pdata[k], (PhTolerance) { 1e-3, 1e-5 });
      if (!comparison.close)
        g_test_message ("%s: %s: %s (max abs error %g)", folder, output, comparison.why, comparison.max_abs_error);
      g_assert_true (comparison.close);
    }
}

/* Before the gradient, after it, or both: the pipelines that come with Peephole. */
typedef struct
{
  const char *name, *before, *after;
} Manner;

/* clang-format off */
static const Manner manners[] = {
  { "plain", "none", "none" },
  { "O1-before", "O1", "none" }, { "O2-before", "O2", "none" }, { "O3-before", "O3", "none" }, { "train-before", "train", "none" },
  { "O1-after", "none", "O1" }, { "O2-after", "none", "O2" }, { "O3-after", "none", "O3" }, { "train-after", "none", "train" },
  { "train-O2", "train", "O2" },
};
/* clang-format on */

typedef struct
{
  char *folder;
  const Manner *manner;
} Case;

static void
case_free (gpointer data)
{
  g_free (((Case *) data)->folder);
  g_free (data);
}

static void
test_net (gconstpointer data)
{
  const Case *row = data;

  check_net (row->folder, ph_pipeline_find (row->manner->before)->passes, ph_pipeline_find (row->manner->after)->passes);
}

int
main (int argc, char *argv[])
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  data_dir = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR") != NULL ? g_getenv ("PEEPHOLE_DATA_DIR") : ".", "gradients", NULL);
  dir = g_dir_open (data_dir, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      for (guint i = 0; i < G_N_ELEMENTS (manners); i++)
        {
          g_autofree char *path = g_strdup_printf ("/gradients/%s/%s", name, manners[i].name);
          Case *row = g_new (Case, 1);

          *row = (Case) { g_build_filename (data_dir, name, NULL), &manners[i] };
          g_test_add_data_func_full (path, row, test_net, case_free);
        }
    }
  if (dir == NULL)
    g_print ("# %s is not there: no gradients of nets were compared\n", data_dir);
  return g_test_run ();
}
