/* lasting.c: results that depend on weights only and are the same in every run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/run-private.h"

#include "core/graph/edit.h"
#include "core/ops/builder.h"
#include "core/run/double.h"
#include "core/tensor/origin.h"

/* A larger result is computed again when its elements are read, since its user keeps a copy in a layout of its own. */
#define LARGE_WEIGHT 4096

static PhTensor *
compute_again (const PhTensor *tensor, GError **error)
{
  static const PhRunOptions options = { .passing = TRUE };
  PhModel *model = ph_tensor_get_origin (tensor);
  const PhValue *output = model->graph->outputs->pdata[0];
  g_autoptr (GHashTable) results = ph_run_model (model, NULL, NULL, &options, error);

  ph_model_drop_program (model);
  return results != NULL ? ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (output->id))) : NULL;
}

/* Returns the output of @step as a tensor that is computed when read. (nullable) (transfer full) */
static PhTensor *
new_deferred (PhRun *run, const PhTask *step)
{
  const PhNode *node = step->node;
  const PhType *type = ph_node_output (node, 0)->type;
  g_autofree PhValue **inputs = g_new0 (PhValue *, step->n_inputs + 1);
  g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);
  g_autoptr (PhModel) model = NULL;
  gint64 dims[PH_MAX_RANK];
  PhBuilder b = { NULL };

  if (type == NULL || !ph_type_is_static (type) || ph_type_count (type) < LARGE_WEIGHT)
    return NULL;
  model = ph_model_new ();
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  b.graph = model->graph;
  for (guint i = 0; i < step->n_inputs; i++)
    {
      PhTensor *tensor = step->inputs[i].value != NULL ? ph_run_lookup (run, step->inputs[i].value) : NULL;

      if (tensor != NULL && b.error == NULL)
        inputs[i] = ph_graph_add_constant (model->graph, ph_model_unique_name (model, "c"), tensor, &b.error);
      else if (step->inputs[i].value != NULL)
        return NULL;
    }
  for (guint i = 0; i < node->attrs->len; i++)
    attrs[i] = ph_attr_ref (node->attrs->pdata[i]);
  ph_graph_set_output (model->graph, 0, ph_build_node (&b, node->op, inputs, step->n_inputs, attrs, 1), &b.error);
  if (!ph_builder_finish (&b, NULL))
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_tensor_new_deferred (type->dtype, type->rank, dims, g_steal_pointer (&model), compute_again,
                                 (GDestroyNotify) ph_model_free);
}

/* Returns FALSE for runs that need more than the model's outputs by the usual kernels: they compute everything. */
static gboolean
is_usual (const PhRunOptions *options)
{
  return !options->reference && !options->in_double && !options->passing && !options->keep_all && options->kernel == NULL
         && options->study == NULL;
}

/* Returns TRUE if @step moves a large weight, for runs in double as for others. */
static gboolean
is_moved_weight (const PhRun *run, const PhTask *step)
{
  const guint n = step->n_inputs;

  return run->options->again && !run->options->keep_all && n > 0 && n < 64 && ph_run_only_moves (step->node)
         && step->state.constants == (G_GUINT64_CONSTANT (1) << n) - 1
         && ph_run_stays_narrow (step->node, 0, step->inputs[0].constant);
}

gboolean
ph_run_lasting (PhRun *run, PhTask *step)
{
  if (step->made != NULL && is_moved_weight (run, step))
    {
      run->frame->values[step->outputs[0]] = ph_tensor_ref (step->made);
      return TRUE;
    }
  if (!step->is_lasting || !is_usual (run->options))
    return FALSE;
  if (step->made == NULL)
    step->made = new_deferred (run, step);
  if (step->made == NULL)
    return FALSE;
  run->frame->values[step->outputs[0]] = ph_tensor_ref (step->made);
  return TRUE;
}

void
ph_run_keep_lasting (PhRun *run, PhTask *step)
{
  PhTensor *tensor = run->frame->values[step->outputs[0]];

  if (step->made == NULL && tensor != NULL && ((step->is_lasting && is_usual (run->options)) || is_moved_weight (run, step)))
    step->made = ph_tensor_ref (tensor);
}
