/* freeze-inputs.c: makes inputs with a default constants.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

/* Files up to IR version 3 list every weight among the inputs, and many exporters of later ones still do (Keras to ONNX, PyTorch's
 * keep_initializers_as_inputs). A caller may override such a default, so no pass may fold it. This pass is the caller's promise not to: the
 * input becomes a constant. */

static const char why[] = "If no caller overrides the default, it is a constant, and what is computed from it can be folded.";

static gboolean
freeze (PhModel *model, PhValue *input, GError **error)
{
  const char *name = input->name;
  g_autofree char *aside = g_strconcat (name, "_default", NULL);
  PhValue *constant;

  if (!ph_value_rename (input, ph_model_unique_name (model, aside), error))
    return FALSE;
  constant = ph_graph_add_constant (input->graph, name, input->tensor, error);
  return constant != NULL && ph_value_replace_uses (input, constant, error) && ph_graph_remove_value (input, error);
}

static gboolean
freeze_inputs (PhPassRun *run, GError **error)
{
  PhModel *model = ph_pass_run_model (run);

  for (guint i = 0; i < model->graph->inputs->len;)
    {
      PhValue *input = g_ptr_array_index (model->graph->inputs, i);

      /* An output of that name has to stay one. */
      if (input->tensor == NULL || ph_value_is_output (input))
        {
          i++;
          continue;
        }
      if (!ph_pass_begin (run, "default-input", NULL, why))
        return TRUE;
      if (!ph_pass_close (run, freeze (model, input, error)))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "default-input", .matches = "input with a default", .becomes = "initializer", .why = why },
};

/* clang-format off */
const PhPass ph_pass_freeze_inputs = {
  .name = "freeze-inputs", .group = "constants", .summary = "Turns inputs that have a default value into constants",
  .elsewhere = "onnxsim and onnxruntime's remove_initializer_from_input",
  .trap = "it breaks callers that override the default, so no pipeline contains it.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = freeze_inputs,
};
/* clang-format on */
