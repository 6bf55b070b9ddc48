/* autodiff.c: the backward graph, by reverse-mode differentiation.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/autodiff.h"
#include "core/ops/copy.h"
#include "core/ops/expand.h"
#include "core/ops/grad.h"
#include "core/ops/infer.h"
#include "core/ops/parameter.h"

#include <string.h>

/*        x ──► Mul ──► Sin ──► y                 grad_y
 *        w ──┘                                     │
 *                                                  ▼
 *   each node, last first, propagates the       Mul(grad_y, Cos(..)) ──► Mul(.., w) ──► grad_x
 *   gradient of its output to its inputs                            └──► Mul(.., x) ──► grad_w
 *
 * Arguments: the value to differentiate, then the values with respect to which to differentiate (default: all float inputs and
 * all float initializers of the loaded model). The model gets a new input grad_OUTPUT, the cotangent, with ones as its default,
 * and a new output grad_NAME for each of these values. Names in use get a number. The result is plain ONNX. */

/* Returns "dA = Mul(dY, B), dB = Mul(dY, A)", from the gradient's templates or its declared text. */
static char *
explain (const PhNode *node)
{
  GString *why = g_string_new (NULL);

  if (node->op == NULL)
    return g_string_free (why, FALSE);
  for (guint i = 0; i < PH_MAX_ARGS && node->op->inputs[i].name != NULL; i++)
    if (node->op->grad[i] != NULL)
      {
        g_string_append_printf (why, "%sd%s = ", why->len > 0 ? ", " : "", node->op->inputs[i].name);
        ph_pattern_print (node->op->grad[i], node->op, why);
      }
  if (why->len == 0 && node->op->grad_text != NULL)
    g_string_append (why, node->op->grad_text);
  if (why->len > 0)
    g_string_prepend (why, "By the chain rule, with dY the gradient of its output: ");
  else
    g_string_printf (why, "By the chain rule, %s passes the gradient of its output on to its inputs.", node->op_type);
  return g_string_free (why, FALSE);
}

static gboolean
begin_node (PhNode *node, gpointer data)
{
  g_autofree char *why = explain (node), *rule = g_strdup_printf ("grad-%s", node->op_type);

  return ph_pass_begin (data, rule, node, why);
}

static void
end_node (PhNode *node, gpointer data)
{
  ph_pass_end (data);
}

static void
hand_on (PhNode *node, PhValue *of, guint input, PhValue *gradient, gpointer data)
{
  const PhPassOptions *options = ph_pass_run_options (data);

  if (options->contribution != NULL)
    options->contribution (node, of, input, gradient, options->contribution_data);
}

static PhValue *
find_value (PhModel *model, const char *verb, const char *name, GError **error)
{
  PhValue *value = ph_model_find_value_named (model, name);

  if (value == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s: there is no value named '%s' at this position", verb, name);
  else if (value->graph != model->graph)
    g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s: '%s' lies inside a body; name a value of the main graph", verb,
                 name);
  else if (!ph_value_has_gradient (value))
    {
      g_autofree char *type = ph_type_to_string (value->type);
      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "%s: '%s' is %s; only floating-point tensors have gradients", verb, name,
                   type);
    }
  else
    return value;
  return NULL;
}

/* Returns TRUE if only backward nodes use @value: it belongs to an earlier gradient, such as its cotangent. */
static gboolean
is_of_gradient (const PhValue *value)
{
  for (guint i = 0; i < value->uses->len; i++)
    if (g_array_index (value->uses, PhUse, i).node->role != PH_ROLE_BACKWARD)
      return FALSE;
  return value->uses->len > 0;
}

/* Returns the values with respect to which to differentiate. (transfer container) (nullable) */
static GPtrArray *
find_sources (PhPassRun *run, const char *verb, const char *const *names, gboolean parameters, GError **error)
{
  PhModel *model = run->model;
  const GPtrArray *inputs = model->graph->inputs, *constants = model->graph->constants;
  g_autoptr (GPtrArray) sources = g_ptr_array_new ();

  for (guint i = 0; names[i] != NULL; i++)
    {
      PhValue *value = find_value (model, verb, names[i], error);
      if (value == NULL)
        return NULL;
      g_ptr_array_add (sources, value);
    }
  if (names[0] != NULL)
    return g_steal_pointer (&sources);
  for (guint i = 0; i < inputs->len; i++)
    if (ph_value_has_gradient (inputs->pdata[i]) && !is_of_gradient (inputs->pdata[i]))
      g_ptr_array_add (sources, inputs->pdata[i]);
  for (guint i = 0; (parameters || sources->len == 0) && i < constants->len; i++)
    {
      PhValue *value = constants->pdata[i];

      if (ph_value_is_parameter (value) && !is_of_gradient (value) && !ph_value_is_setting (value))
        g_ptr_array_add (sources, value);
    }
  return g_steal_pointer (&sources);
}

gboolean
ph_autodiff_claim_name (PhModel *model, PhValue *value, const char *name, PhId first_of_run, GError **error)
{
  PhValue *taken = ph_model_find_value_named (model, name);

  if (taken == value)
    return TRUE;
  if (taken != NULL && (taken->id < first_of_run || taken->producer == NULL || ph_value_is_output (taken)))
    return (g_str_has_prefix (value->name, name) && value->name[strlen (name)] == '_')
           || ph_value_rename (value, ph_model_unique_name (model, name), error);
  return (taken == NULL || ph_value_rename (taken, ph_model_unique_name (model, name), error))
         && ph_value_rename (value, name, error);
}

/* Appends the gradient of @source as a separate graph output. */
static gboolean
append_output (PhModel *model, PhTape *tape, PhValue *source, PhId first_of_run, GError **error)
{
  g_autofree char *name = g_strdup_printf ("grad_%s", source->name);
  PhBuilder builder = { .graph = model->graph,
                        .name = name,
                        .role = PH_ROLE_BACKWARD,
                        .partner = source->producer != NULL ? source->producer->id : PH_NO_ID };
  PhValue *gradient = ph_tape_gradient (tape, &builder, source);

  if (gradient == NULL && builder.error == NULL)
    gradient = ph_build_zeros_like (&builder, source);
  /* A value that already is part of the interface keeps its name. */
  if (gradient != NULL && (gradient->producer == NULL || ph_value_is_output (gradient)))
    gradient = PH_BUILD (&builder, Identity, gradient);
  if (!ph_builder_finish (&builder, error) || !ph_autodiff_claim_name (model, gradient, name, first_of_run, error))
    return FALSE;
  return ph_graph_set_output (model->graph, model->graph->outputs->len, gradient, error);
}

/* Ones in the shape of @output. */
static PhTensor *
ones_like (const PhType *type)
{
  gint64 dims[PH_MAX_RANK];
  g_autoptr (PhTensor) one = ph_tensor_new_scalar (type->dtype, 1);

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_tensor_new_splat (type->dtype, type->rank, dims, ph_tensor_data (one));
}

/* If the shape is open, the default is a scalar 1 that is expanded. */
PhValue *
ph_autodiff_add_seed (PhModel *model, PhValue *like, const char *prefix, const char *of, PhRole role, GError **error)
{
  g_autofree char *wanted = g_strconcat (prefix, of, NULL);
  const char *name = ph_model_unique_name (model, wanted);
  gboolean known = ph_type_is_static (like->type);
  g_autoptr (PhTensor) ones = known ? ones_like (like->type) : ph_tensor_new_scalar (like->type->dtype, 1);
  PhBuilder builder = { .graph = model->graph,
                        .name = name,
                        .role = role,
                        .partner = like->producer != NULL ? like->producer->id : PH_NO_ID,
                        .before = role == PH_ROLE_FORWARD ? model->graph->first : NULL };
  PhValue *seed = ph_graph_add_input (model->graph, name, known ? like->type : ph_type_unranked (like->type->dtype), ones,
                                      G_MAXUINT, error);

  if (seed == NULL || known)
    return seed;
  if (like->producer != NULL && builder.before != NULL)
    builder.before = like->producer->next;
  seed = PH_BUILD (&builder, Expand, seed, PH_BUILD (&builder, Shape, like));
  return ph_builder_finish (&builder, error) ? seed : NULL;
}

/* Inlines fused nodes: their gradient is that of the operators they replaced. */
static gboolean
open_fused (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) fused = g_ptr_array_new ();

  g_autoptr (GPtrArray) all = ph_model_nodes (run->model);

  for (guint i = 0; i < all->len; i++)
    if (ph_node_is_fused (all->pdata[i]))
      g_ptr_array_add (fused, all->pdata[i]);
  for (guint i = 0; i < fused->len; i++)
    {
      if (!ph_pass_begin (run, "open-fused", fused->pdata[i],
                          "The gradient of a fused kernel is the gradient of the operators that it replaced."))
        return TRUE;
      if (!ph_pass_close (run, ph_graph_inline_node (fused->pdata[i], error)))
        return FALSE;
    }
  return TRUE;
}

/* Adds the mask to the outputs of a Dropout in training, since its gradient needs to know what was dropped. */
static gboolean
show_masks (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) all = ph_model_nodes (run->model);

  for (guint i = 0; i < all->len; i++)
    {
      PhNode *node = all->pdata[i], *copy;
      /* clang-format off */
      PhNodeSpec spec = {
        .op = node->op, .op_type = node->op_type, .domain = node->domain, .name = node->name,
        .inputs = (PhValue **) node->inputs->pdata, .n_inputs = node->inputs->len, .n_outputs = 2,
        .attrs = (PhAttr *const *) node->attrs->pdata, .n_attrs = node->attrs->len, .before = node, .role = node->role,
        .partner = node->partner, .device = node->device
      };
      /* clang-format on */

      if (!ph_node_is (node, &ph_op_Dropout) || node->outputs->len > 1 || ph_node_input (node, 2) == NULL)
        continue;
      if (!ph_pass_begin (run, "show-mask", node,
                          "In training the gradient passes only where nothing was dropped, so the mask becomes an output."))
        return TRUE;
      copy = ph_graph_add_node (node->graph, &spec, error);
      if (!ph_pass_close (run, copy != NULL && ph_infer_one (copy, error)
                                   && ph_value_replace_uses (ph_node_output (node, 0), ph_node_output (copy, 0), error)
                                   && ph_graph_remove_node (node, error)))
        return FALSE;
    }
  return TRUE;
}

/* Expands operators defined by others: their gradient is that of their definition. */
static gboolean
open_expanded (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), all = ph_model_nodes (run->model);

  for (guint i = 0; i < all->len; i++)
    {
      const PhNode *node = all->pdata[i];

      if (node->op != NULL && node->op->expand != NULL && !ph_op_differentiable (node->op)
          && !(node->op->flags & PH_OP_NO_GRADIENT))
        g_ptr_array_add (nodes, all->pdata[i]);
    }
  for (guint i = 0; i < nodes->len; i++)
    {
      if (!ph_pass_begin (run, "spell-out", nodes->pdata[i], "Its gradient is the gradient of the operators that define it."))
        return TRUE;
      if (!ph_pass_close (run, ph_expand_in_place (nodes->pdata[i], error) && ph_graph_remove_node (nodes->pdata[i], error)))
        return FALSE;
    }
  return TRUE;
}

/* Reads @output through a lasting Identity if its producer will be replaced: a call, a reader of a list, or a Dropout without its mask. */
static gboolean
hold (PhPassRun *run, PhValue **output, GError **error)
{
  const PhNode *node = (*output)->producer;
  PhBuilder b = { .graph = (*output)->graph, .name = (*output)->name };

  if (node == NULL
      || (node->op != NULL && node->op->expand == NULL && !ph_node_is (node, &ph_op_SequenceAt)
          && !ph_node_is (node, &ph_op_ConcatFromSequence) && !ph_node_is (node, &ph_op_Dropout)))
    return TRUE;
  if (!ph_pass_begin (run, "hold-output", NULL,
                      "The node of the output will be expanded, so an Identity marks where the gradient begins."))
    return TRUE;
  *output = PH_BUILD (&b, Identity, *output);
  return ph_pass_close (run, ph_builder_finish (&b, error));
}

gboolean
ph_autodiff_prepare (PhPassRun *run, const char *verb, gboolean parameters, PhValue **output, GPtrArray **sources, GError **error)
{
  PhModel *model = ph_pass_run_model (run);
  const char *const *arguments = ph_pass_run_options (run)->arguments;
  g_autoptr (GPtrArray) by = g_ptr_array_new ();

  if (arguments == NULL || arguments[0] == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s needs the name of a value: %s OUTPUT [NAME...]", verb, verb);
      return FALSE;
    }
  if (ph_model_opset (model, "") < PH_OPSET_NEWEST)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "%s: the model is at opset %d, gradients are declared at %d: run upgrade-opset first", verb,
                   ph_model_opset (model, ""), PH_OPSET_NEWEST);
      return FALSE;
    }
  if (!ph_autodiff_restore (run, arguments[0], arguments + 1, output, by, error))
    return FALSE;
  if (*output != NULL && !hold (run, output, error))
    return FALSE;
  /* Calls and fused nodes first: the output may be one of theirs. */
  if (!ph_pass_find ("inline-functions")->run (run, error) || (*output == NULL && !open_fused (run, error))
      || !open_expanded (run, error) || !ph_autodiff_open_sequences (run, error) || !show_masks (run, error))
    return FALSE;
  /* Which of the restored ones are settings is known once their operators are spelt out. */
  for (guint i = by->len; arguments[1] == NULL && i-- > 0;)
    if (!((const PhValue *) by->pdata[i])->is_input && ph_value_is_setting (by->pdata[i]))
      g_ptr_array_remove_index (by, i);
  if (*output == NULL)
    {
      g_ptr_array_unref (g_steal_pointer (&by));
      *output = find_value (model, verb, arguments[0], error);
      if (*output == NULL || (by = find_sources (run, verb, arguments + 1, parameters, error)) == NULL)
        return FALSE;
    }
  if (by->len == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "%s: the model has no float input or initializer to differentiate by: name a value", verb);
      return FALSE;
    }
  *sources = g_steal_pointer (&by);
  return TRUE;
}

static gboolean
run_autodiff (PhPassRun *run, GError **error)
{
  PhModel *model = ph_pass_run_model (run);
  PhTapeHooks hooks = { begin_node, end_node, hand_on, run };
  PhBuilder builder = { .graph = model->graph, .role = PH_ROLE_BACKWARD };
  g_autoptr (PhTape) tape = NULL;
  g_autoptr (GPtrArray) sources = NULL;
  PhValue *output, *seed;
  PhId first_of_run;
  gboolean ok = TRUE;

  if (!ph_autodiff_prepare (run, "autodiff", TRUE, &output, &sources, error))
    return FALSE;
  first_of_run = model->next_id;
  if (!ph_pass_begin (run, "seed", output->producer,
                      "The gradient of the output by itself, the cotangent, is a new input: "
                      "1 for a scalar loss, and ones where it is not fed."))
    return TRUE;
  seed = ph_autodiff_add_seed (model, output, "grad_", ph_pass_run_options (run)->arguments[0], PH_ROLE_BACKWARD, error);
  if (!ph_pass_close (run, seed != NULL))
    return FALSE;

  tape = ph_tape_new (model->graph);
  for (guint i = 0; i < sources->len; i++)
    ph_tape_watch (tape, sources->pdata[i]);
  hand_on (NULL, output, 0, seed, run);
  ph_tape_seed (tape, output, seed);
  if (!ph_tape_run (tape, &builder, &hooks, error))
    return FALSE;

  if (!ph_pass_begin (run, "outputs", NULL, "The gradients that reach each input and initializer are summed into a new output."))
    return TRUE;
  for (guint i = 0; i < sources->len && ok; i++)
    ok = append_output (model, tape, sources->pdata[i], first_of_run, error);
  return ph_pass_close (run, ok);
}

/* clang-format off */
const PhPass ph_pass_autodiff = {
  .name            = "autodiff",
  .group           = "autodiff",
  .keeps_values    = TRUE,
  .summary         = "Builds the backward graph of a value beside the forward graph, in plain ONNX",
  .elsewhere = "reverse mode: Linnainmaa 1970; JAX, PyTorch autograd, ONNX Runtime training",
  .trap = "gradients of operands that were broadcast are summed; ONNX Runtime's backward graph needs ONNX Runtime, "
          "this one is plain ONNX.",
  .run             = run_autodiff,
  .exactness       = PH_EXACT,
  .needs_arguments = TRUE,
};
/* clang-format on */
