/* fix-inputs.c: makes inputs with a default constants.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

/*   grad_y = 1 (may be fed) ──► Mul ──► ...        grad_y = 1 (constant) ──► Mul ──► ...      then algebraic drops the Mul
 *
 * Arguments: the inputs; default: all that have a default value. */

static const char why[] = "The input is never fed, so it has its default value in every run.";

static gboolean
fix (PhPassRun *run, PhValue *input, GError **error)
{
  PhModel *model = run->model;
  const char *name = input->name;
  PhValue *constant;

  if (!ph_pass_begin (run, "default-to-constant", NULL, why))
    return TRUE;
  constant = ph_graph_add_constant (model->graph, ph_model_unique_name (model, name), input->tensor, error);
  return ph_pass_close (run, constant != NULL && (ph_value_n_uses (input) == 0 || ph_value_replace_uses (input, constant, error))
                                 && ph_graph_remove_value (input, error)
                                 && (ph_model_find_value_named (model, name) != NULL || ph_value_rename (constant, name, error)));
}

static gboolean
run_fix_inputs (PhPassRun *run, GError **error)
{
  const char *const *names = run->options->arguments;
  const gboolean all = names == NULL || names[0] == NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

  for (guint i = 0; !all && names[i] != NULL; i++)
    {
      PhValue *input = ph_model_find_value_named (run->model, names[i]);

      if (input == NULL || !input->is_input || input->graph != run->model->graph || input->tensor == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "fix-inputs: '%s' is not an input with a default", names[i]);
          return FALSE;
        }
      g_ptr_array_add (inputs, input);
    }
  for (guint i = 0; all && i < run->model->graph->inputs->len; i++)
    {
      PhValue *input = run->model->graph->inputs->pdata[i];

      if (input->tensor != NULL && !ph_value_is_output (input))
        g_ptr_array_add (inputs, input);
    }
  for (guint i = 0; i < inputs->len && !run->stopped; i++)
    if (!fix (run, inputs->pdata[i], error))
      return FALSE;
  return TRUE;
}

static const PhRule rules[] = {
  { "default-to-constant", .matches = "input = default", .becomes = "initializer", .why = why },
};

/* clang-format off */
const PhPass ph_pass_fix_inputs = {
  .name = "fix-inputs", .group = "constants", .summary = "Turns inputs that have a default into constants, such as a cotangent of ones",
  .elsewhere = "ONNX Runtime's remove_initializer_from_input.py",
  .trap = "a fixed input can no longer be fed; until it is fixed, nothing that depends on it may be folded.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = run_fix_inputs,
};
/* clang-format on */
