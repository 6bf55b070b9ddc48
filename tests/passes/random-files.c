/* random-files.c: random models are what they were after they were saved and opened again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>

#include "core/graph/edit.h"
#include "core/graph/history.h"
#include "core/io/hlo/terms.h"
#include "core/io/infer.h"
#include "core/io/io.h"
#include "random-graph.h"
#include "sample.h"

static gboolean
is_complex (const PhValue *value)
{
  return ph_value_dtype (value) == PH_COMPLEX64 || ph_value_dtype (value) == PH_COMPLEX128;
}

gboolean
random_has_complex (PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    if (is_complex (model->graph->inputs->pdata[i]))
      return TRUE;
  for (guint i = 0; i < nodes->len; i++)
    for (guint k = 0; k < ((PhNode *) nodes->pdata[i])->outputs->len; k++)
      if (is_complex (ph_node_output (nodes->pdata[i], k)))
        return TRUE;
  return FALSE;
}

static gboolean
run (const char *pass, PhModel *model, GError **error)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = PH_ROUNDING;
  return ph_pass_run (ph_pass_find (pass), model, history, &options, error);
}

/* The shape of each input is that of what it is fed. */
static gboolean
fix_shapes (PhModel *model, GHashTable *feeds)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR
          || !ph_value_set_type (
              input, ph_type_static (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor)), NULL))
        return FALSE;
    }
  ph_io_infer (model, NULL);
  return TRUE;
}

/* The inputs of @again are those of @before in order; their names may be others. */
static GHashTable *
feeds_of (PhModel *again, PhModel *before, GHashTable *feeds)
{
  GHashTable *own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < MIN (again->graph->inputs->len, before->graph->inputs->len); i++)
    {
      PhTensor *tensor = g_hash_table_lookup (feeds, ((PhValue *) before->graph->inputs->pdata[i])->name);

      if (tensor != NULL)
        g_hash_table_insert (own, g_strdup (((PhValue *) again->graph->inputs->pdata[i])->name), ph_tensor_ref (tensor));
    }
  return own;
}

/* Opens @path, and compares. (nullable): what differs. */
static char *
reopened_fault (const char *path, PhModel *before, GHashTable *feeds, GPtrArray *expected, PhExactness exactness, guint *bounded)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) again = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (GHashTable) own = NULL;
  g_autoptr (GPtrArray) actual = NULL;

  if (again == NULL || (exactness == PH_ROUNDING && !run ("convert-to-onnx", again, &error)))
    return g_strdup (error->message);
  own = feeds_of (again, before, feeds);
  actual = sample_outputs (again, own, &error);
  return actual != NULL ? random_differs (before, feeds, expected, actual, exactness, bounded) : g_strdup (error->message);
}

char *
random_files_fault (PhModel *before, GHashTable *feeds, GPtrArray *expected, const char **culprit, guint *bounded)
{
  static const char *const endings[] = { "onnx", "onnxtxt", "mlir", "hlo" };
  char *fault = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (endings) && fault == NULL; i++)
    {
      const gboolean lowered = i >= 2;
      g_autofree char *folder = g_dir_make_tmp ("peephole-random-XXXXXX", NULL),
                      *path = g_strdup_printf ("%s/m.%s", folder, endings[i]);
      g_autoptr (PhModel) model = ph_model_clone (before);
      g_autoptr (GError) error = NULL;

      *culprit = endings[i];
      if (lowered
          && (random_has_complex (before) || !fix_shapes (model, feeds) || !run ("convert-to-stablehlo", model, NULL)
              || !ph_terms_check (model, NULL)))
        {
          g_rmdir (folder);
          continue;
        }
      if (!ph_io_save (model, path, NULL, &error))
        fault = g_strdup (error->message);
      else
        fault = reopened_fault (path, before, feeds, expected, lowered ? PH_ROUNDING : PH_EXACT, bounded);
      g_remove (path);
      g_rmdir (folder);
    }
  return fault;
}
