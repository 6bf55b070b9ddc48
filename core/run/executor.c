/* executor.c: computes nodes and graphs on tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/run-private.h"

#include <string.h>

#include "core/io/io.h"
#include "core/ops/expand.h"
#include "core/ops/infer.h"
#include "core/ops/op-list.h"
#include "core/run/double.h"
#include "core/run/elements.h"
#include "core/run/kernels.h"

#define MAX_DEPTH 64 /* of bodies in bodies, of functions that call functions */

void
ph_run_init (PhRun *run, const PhRunOptions *options)
{
  static const PhRunOptions defaults = { 0 };

  memset (run, 0, sizeof *run);
  run->options = options != NULL ? options : &defaults;
}

void
ph_run_clear (PhRun *run)
{
  g_clear_pointer (&run->program, ph_program_free);
  g_clear_pointer (&run->wide, g_hash_table_unref);
  g_clear_pointer (&run->sources, g_hash_table_unref);
  g_clear_pointer (&run->draws, g_hash_table_unref);
  g_clear_pointer (&run->spare, g_ptr_array_unref);
}

void
ph_run_push (PhRun *run, PhFrame *frame, PhProgram *program, const PhCode *code)
{
  frame->parent = run->frame;
  frame->program = program;
  frame->code = code;
  frame->values = g_new0 (PhTensor *, code->slots->values->len + 1);
  run->frame = frame;
}

void
ph_run_pop (PhRun *run)
{
  PhFrame *frame = run->frame;

  for (guint i = 0; i < frame->code->slots->values->len; i++)
    if (frame->values[i] != NULL)
      ph_tensor_unref (frame->values[i]);
  g_free (frame->values);
  run->frame = frame->parent;
}

void
ph_frame_set (PhFrame *frame, const PhValue *value, PhTensor *tensor)
{
  const guint slot = GPOINTER_TO_UINT (g_hash_table_lookup (frame->code->slots->by_value, value));

  if (slot > 0 && frame->values[slot - 1] == NULL)
    frame->values[slot - 1] = tensor;
  else
    ph_tensor_unref (tensor);
}

static PhTensor *
lookup (PhRun *run, const PhValue *value)
{
  if (value->tensor != NULL && !value->is_input)
    return value->tensor;
  for (PhFrame *frame = run->frame; frame != NULL; frame = frame->parent)
    if (frame->code->graph == value->graph)
      {
        const guint slot = GPOINTER_TO_UINT (g_hash_table_lookup (frame->code->slots->by_value, value));
        PhTensor *tensor = slot > 0 ? frame->values[slot - 1] : NULL;

        return tensor != NULL ? tensor : value->tensor;
      }
  return ph_value_constant (value);
}

PhTensor *
ph_run_lookup (PhRun *run, const PhValue *value)
{
  PhTensor *tensor = lookup (run, value);

  return run->options->in_double ? ph_run_widen_constant (run, tensor) : tensor;
}

static PhTensor *
fetch (PhRun *run, const PhNode *node, guint input, const PhTaskInput *source)
{
  const PhFrame *frame = run->frame;
  PhTensor *tensor;

  if (source->value == NULL)
    return NULL;
  if (source->constant != NULL)
    tensor = source->constant;
  else
    {
      for (guint i = 0; i < source->up && frame != NULL; i++)
        frame = frame->parent;
      if (frame == NULL || frame->code->graph != source->value->graph) /* a node that runs outside of its graph */
        return ph_run_lookup (run, source->value);
      tensor = frame->values[source->slot];
      if (tensor == NULL)
        tensor = source->value->tensor;
    }
  return run->options->in_double && !ph_run_stays_narrow (node, input, tensor) ? ph_run_widen_constant (run, tensor) : tensor;
}

/* Returns the program that keeps the state of @graph's nodes. Functions and expansions have models of their own. */
static PhProgram *
program_of (PhRun *run, const PhGraph *graph)
{
  PhModel *model = graph->model;

  for (PhFrame *frame = run->frame; frame != NULL; frame = frame->parent)
    if (frame->code->graph->model == model)
      return frame->program;
  if (run->frame == NULL)
    {
      if (run->program == NULL)
        run->program = ph_program_new ();
      return run->program;
    }
  if (model->program == NULL)
    ph_program_give (model, ph_program_new ());
  return model->program;
}

/* Infers the types in a function from those of its call: in double, a cast rounds to declared types. */
static void
declare_parameters (PhModel *model, const PhNode *call)
{
  for (guint i = 0; i < MIN (call->inputs->len, model->graph->inputs->len); i++)
    {
      PhValue *parameter = model->graph->inputs->pdata[i];
      const PhValue *value = ph_node_input (call, i);

      if (parameter->type == NULL && value != NULL && value->type != NULL)
        ph_value_set_type (parameter, value->type, NULL);
    }
  ph_infer_model (model, FALSE, NULL, NULL);
}

/* Returns the graph of a model-local function, made for this call and kept for the next run. */
static PhModel *
function_model (PhRun *run, const PhNode *node, const PhFunction *function, GError **error)
{
  PhProgram *program = program_of (run, node->graph);
  PhModel *model = g_hash_table_lookup (program->functions, node);
  int opset;

  if (model != NULL)
    return model;
  model = ph_io_open_function (function, node, error);
  if (model == NULL)
    return NULL;
  opset = ph_model_opset (model, "");
  if (opset > 0 && opset < PH_OPSET_NEWEST)
    {
      g_autoptr (PhModel) old = model;

      model = ph_run_upgraded_clone (old, run->options, NULL, error);
    }
  if (model != NULL && run->options->in_double)
    declare_parameters (model, node);
  if (model != NULL)
    g_hash_table_insert (program->functions, (gpointer) node, model);
  return model;
}

/* Checks actual types against the schema, on which kernels rely, since a model may leave types open. */
static gboolean
check_schema (PhKernel *kernel, GError **error)
{
  const PhOp *op = kernel->node->op;
  PhDType groups[128] = {
    PH_UNDEFINED,
  };
  const guint n = ph_op_n_inputs (op, NULL, NULL);

  if (!ph_op_check (op, kernel->node, error))
    return FALSE;
  for (guint i = 0; i < MAX (kernel->n_inputs, n); i++)
    {
      const PhOpArg *arg = ph_op_input (op, i);
      PhTensor *tensor = ph_kernel_input (kernel, i);
      PhDType *group;

      if (arg == NULL || tensor == NULL)
        {
          if (arg != NULL && !(arg->flags & PH_ARG_OPTIONAL) && (!(arg->flags & PH_ARG_VARIADIC) || i < kernel->n_inputs))
            return ph_kernel_fail (kernel, error, "input %u '%s' is missing", i, arg->name);
          continue;
        }
      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
        {
          if ((op->flags & PH_OP_ANY_KIND) && arg->types == PH_ANY)
            continue;
          return ph_kernel_fail (kernel, error, "input %u '%s' must be a tensor", i, arg->name);
        }
      group = &groups[(guint8) arg->group & 127];
      if ((arg->types != 0 && !(arg->types & (G_GUINT64_CONSTANT (1) << ph_tensor_dtype (tensor)))
           && !(kernel->run->options->in_double && ph_tensor_dtype (tensor) == PH_DOUBLE && (arg->types & PH_FLOATS)))
          || (arg->group != '\0' && *group != PH_UNDEFINED && !ph_run_dtype_fits (kernel->run, *group, ph_tensor_dtype (tensor))))
        return ph_kernel_fail (kernel, error, "input %u '%s' is %s, which it cannot be here", i, arg->name,
                               ph_dtype_name (ph_tensor_dtype (tensor)));
      *group = ph_tensor_dtype (tensor);
    }
  return TRUE;
}

static gboolean
check_outputs (PhKernel *kernel, GError **error)
{
  for (guint i = 0; i < kernel->n_outputs; i++)
    {
      const PhValue *value = ph_node_output (kernel->node, i);
      const PhTensor *tensor = kernel->outputs[i];

      if (tensor == NULL && ph_kernel_wants (kernel, i) && !kernel->run->want_all)
        return ph_kernel_fail (kernel, error, "output %u '%s' was not computed: its kernel does not make it", i, value->name);
      if (tensor != NULL && value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR
          && value->type->dtype != PH_UNDEFINED
          && (ph_tensor_kind (tensor) != PH_KIND_TENSOR
              || !ph_run_dtype_fits (kernel->run, value->type->dtype, ph_tensor_dtype (tensor))))
        return ph_kernel_fail (kernel, error, "output %u '%s' is %s, but the graph says %s", i, value->name,
                               ph_dtype_name (ph_tensor_dtype (tensor)), ph_dtype_name (value->type->dtype));
    }
  return TRUE;
}

/* For an operator that is expanded: a model for these types. Small integers are often shapes, on which the expansion depends. */
#define MAX_SHAPE 64

static gboolean
is_shape (PhTensor *tensor)
{
  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_integer (ph_tensor_dtype (tensor))
         && ph_tensor_rank (tensor) <= 1 && ph_tensor_count (tensor) <= MAX_SHAPE;
}

/* Returns the type of input @i; in a run in double, the declared one. */
static const PhType *
declared_type (const PhKernel *kernel, guint i)
{
  PhTensor *tensor = kernel->inputs[i];
  const PhType *type = ph_type_of_tensor (tensor);

  return kernel->run->options->in_double && ph_tensor_kind (tensor) == PH_KIND_TENSOR
             ? ph_type_with_dtype (type, ph_run_declared (kernel->node, i, tensor))
             : type;
}

static gboolean
fits_expansion (const PhKernel *kernel, const PhExpansion *expansion)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    if (kernel->inputs[i] != NULL
        && (expansion->input_of[i] < 0
            || ((PhValue *) expansion->model->graph->inputs->pdata[expansion->input_of[i]])->type != declared_type (kernel, i)))
      return FALSE;
  return TRUE;
}

static gboolean
run_expansion (PhRun *run, PhKernel *kernel, GError **error)
{
  PhProgram *program = program_of (run, kernel->node->graph);
  PhExpansion *expansion = g_hash_table_lookup (program->expansions, kernel->node);
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, kernel->n_inputs + 1),
                      **outputs = g_new0 (PhTensor *, kernel->n_outputs + 1);
  g_autofree char *label = ph_node_label (kernel->node);
  const PhGraph *graph;
  gboolean ok;

  if (expansion == NULL || !fits_expansion (kernel, expansion))
    {
      g_autofree const PhType **types = g_new0 (const PhType *, kernel->n_inputs + 1);
      g_autofree PhTensor **constants = g_new0 (PhTensor *, kernel->n_inputs + 1);

      for (guint i = 0; i < kernel->n_inputs; i++)
        if (kernel->inputs[i] != NULL)
          {
            types[i] = declared_type (kernel, i);
            constants[i] = is_shape (kernel->inputs[i]) ? kernel->inputs[i] : NULL;
          }
      g_hash_table_remove (program->expansions, kernel->node); /* frees the older one with its compiled program */
      expansion = ph_expansion_new (kernel->node, types, constants, error);
      if (expansion == NULL)
        return FALSE;
      g_hash_table_insert (program->expansions, (gpointer) kernel->node, expansion);
    }
  graph = expansion->model->graph;
  for (guint i = 0; i < kernel->n_inputs; i++)
    if (expansion->input_of[i] >= 0)
      inputs[expansion->input_of[i]] = kernel->inputs[i];
  run->spelt++;
  ok = ph_run_graph (run, expansion->model->graph, inputs, graph->inputs->len, outputs, graph->outputs->len, label, error);
  run->spelt--;
  if (!ok)
    return FALSE;
  for (guint i = 0; i < kernel->n_outputs; i++)
    if (expansion->output_of[i] >= 0)
      kernel->outputs[i] = outputs[expansion->output_of[i]];
  return check_outputs (kernel, error);
}

static gboolean
run_reference (PhKernel *kernel, GError **error)
{
  PhRun *run = kernel->run;
  const guint n_spare = run->spare != NULL ? run->spare->len : 0;
  const gboolean ok = ph_kernel_bring_all (kernel, error) && kernel->node->op->kernel (kernel, error);

  if (run->spare != NULL)
    g_ptr_array_set_size (run->spare, n_spare);
  return ok;
}

/* Runs the graph of a fused node without a kernel, or of a function's call. */
static gboolean
run_inside (PhRun *run, PhKernel *kernel, PhGraph *graph, GError **error)
{
  g_autofree char *label = ph_node_label (kernel->node);

  return ph_run_graph (run, graph, kernel->inputs, kernel->n_inputs, kernel->outputs, kernel->n_outputs, label, error);
}

static gboolean
run_as_is (PhRun *run, PhKernel *kernel, GError **error)
{
  const PhNode *node = kernel->node;
  PhNodeState *state = kernel->state;
  const gboolean known = ph_node_state_fits (state, kernel) && state->checked;
  const gboolean is_fused = node->op == NULL && ph_node_is_fused (node);
  const PhFunction *function;
  gboolean ok;

  state->ran = NULL;
  if (ph_kernel_cancelled (kernel, error) || !ph_kernel_check_inputs (kernel, error))
    return FALSE;
  if (!run->options->reference && (is_fused || known) && ph_kernel_try (kernel))
    {
      state->checked = TRUE;
      return TRUE;
    }
  if (is_fused)
    {
      ok = run_inside (run, kernel, node->graphs->pdata[0], error);
      state->checked = ok;
      return ok;
    }
  function = ph_node_function (node);
  if (function != NULL)
    {
      PhModel *model = function_model (run, node, function, error);

      return model != NULL && run_inside (run, kernel, model->graph, error);
    }
  if (node->op == NULL)
    return ph_kernel_fail (kernel, error, "is an operator that Peephole does not know, so it cannot be executed");
  if (!ph_op_executable (node->op))
    return ph_kernel_exceed (kernel, error, "has no kernel, so it cannot be executed");
  if (!known && !check_schema (kernel, error))
    return FALSE;
  if (node->op->kernel == NULL)
    return run_expansion (run, kernel, error);
  ok = ((!known && !run->options->reference && ph_kernel_try (kernel))
        || (!ph_kernel_cancelled (kernel, error) && run_reference (kernel, error)))
       && check_outputs (kernel, error);
  state->checked = ok && !run->options->reference;
  if (!ok && error != NULL && *error == NULL)
    ph_kernel_fail (kernel, error, "failed");
  return ok;
}

gboolean
ph_run_kernel (PhRun *run, PhKernel *kernel, GError **error)
{
  return run->options->in_double ? ph_run_kernel_in_double (run, kernel, run_as_is, error) : run_as_is (run, kernel, error);
}

/* Returns the model of the whole run: functions have models of their own. */
static PhModel *
root_model (const PhRun *run)
{
  const PhFrame *frame = run->frame;

  while (frame->parent != NULL)
    frame = frame->parent;
  return frame->code->graph->model;
}

#define FEW 16 /* inputs or outputs */

static gboolean
run_step (PhRun *run, PhTask *step, GError **error)
{
  PhNode *node = step->node;
  const guint n_inputs = step->n_inputs, n_outputs = step->n_outputs;
  PhTensor *few[2 * FEW] = { NULL };
  g_autofree PhTensor **many = n_inputs > FEW || n_outputs > FEW ? g_new0 (PhTensor *, n_inputs + n_outputs + 1) : NULL;
  PhTensor **inputs = many != NULL ? many : few, **outputs = many != NULL ? many + n_inputs : few + FEW;
  PhKernel kernel = { node, n_inputs, n_outputs, inputs, outputs, run, &step->state, 0 };
  PhProfile *profile = run->model == node->graph->model ? run->options->profile : NULL; /* not inside functions */
  g_autoptr (GPtrArray) copies = NULL;
  gint64 start = 0;
  gboolean ok;

  if (!(run->depth == 0 && run->options->keep_all))
    kernel.dying = step->dying;
  for (guint i = 0; i < n_inputs; i++)
    inputs[i] = fetch (run, node, i, &step->inputs[i]);
  if (run->options->passing && !ph_kernel_copy_inputs (&kernel, &copies, error))
    return FALSE;
  if (run->options->study != NULL && node->graph->model == root_model (run))
    ph_kernel_study_begin (run->options->study, &kernel);
  if (profile != NULL)
    start = ph_profile_now ();
  ok = ph_run_kernel (run, &kernel, error);
  if (profile != NULL && ok)
    ph_profile_add (profile, &kernel, ph_profile_now () - start);
  if (run->options->study != NULL && ok && node->graph->model == root_model (run))
    ph_kernel_study_end (run->options->study, &kernel);
  if (ok && run->options->ran != NULL && node->graph->model == root_model (run))
    run->options->ran (node, outputs, run->options->ran_data);
  for (guint i = 0; i < n_outputs; i++)
    if (outputs[i] != NULL && ok && run->frame->values[step->outputs[i]] == NULL)
      run->frame->values[step->outputs[i]] = outputs[i];
    else if (outputs[i] != NULL)
      ph_tensor_unref (outputs[i]);
  return ok;
}

gboolean
ph_run_code (PhRun *run, PhCode *code, GError **error)
{
  const gboolean outermost = run->depth == 0;

  for (guint i = 0; i < code->n_steps; i++)
    {
      PhTask *step = &code->steps[i];

      if (!ph_run_lasting (run, step))
        {
          if (!run_step (run, step, error))
            return FALSE;
          ph_run_keep_lasting (run, step);
        }
      for (guint k = 0; k < step->n_release && !(outermost && run->options->keep_all); k++)
        g_clear_pointer (&run->frame->values[step->release[k]], ph_tensor_unref);
      if (outermost && run->options->progress != NULL)
        run->options->progress (++run->done, run->total, run->options->progress_data);
    }
  return TRUE;
}

gboolean
ph_run_graph (PhRun *run, PhGraph *graph, PhTensor *const *inputs, guint n_inputs, PhTensor **outputs, guint n_outputs,
              const char *label, GError **error)
{
  PhProgram *program;
  PhCode *code;
  gboolean ok;
  PhFrame frame;

  if (run->depth >= MAX_DEPTH)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_LIMIT, "%s: more than %d graphs inside each other", label, MAX_DEPTH);
      return FALSE;
    }
  if (n_inputs > graph->inputs->len || n_outputs > graph->outputs->len)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_INVALID, "%s: its body '%s' has %u inputs and %u outputs, but %u and %u are needed",
                   label, graph->name, graph->inputs->len, graph->outputs->len, n_inputs, n_outputs);
      return FALSE;
    }
  program = program_of (run, graph);
  code = ph_program_body (program, graph);

  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = NULL;
  run->depth++;
  ph_run_push (run, &frame, program, code);
  for (guint i = 0; i < n_inputs; i++) /* the first slots are those of the inputs */
    if (inputs[i] != NULL)
      frame.values[i] = ph_tensor_ref (inputs[i]);
  if (run->options->entered != NULL && graph->model == root_model (run))
    run->options->entered (graph, inputs, n_inputs, run->options->ran_data);
  ok = ph_run_code (run, code, error);
  for (guint i = 0; i < n_outputs && ok; i++)
    {
      const PhValue *value = graph->outputs->pdata[i];
      PhTensor *tensor = ph_run_lookup (run, value);

      if (tensor != NULL)
        outputs[i] = ph_tensor_ref (tensor);
      else
        {
          g_set_error (error, PH_ERROR, PH_ERROR_INVALID, "%s: output '%s' of its body has no value", label, value->name);
          ok = FALSE;
        }
    }
  for (guint i = 0; i < n_outputs && !ok; i++)
    g_clear_pointer (&outputs[i], ph_tensor_unref);
  ph_run_pop (run);
  run->depth--;
  return ok;
}

gboolean
ph_run_node (const PhNode *node, PhTensor *const *inputs, PhTensor **outputs, const PhRunOptions *options, GError **error)
{
  PhNodeState state = { .wish = ph_kernel_wish (node) };
  PhKernel kernel = { node, node->inputs->len, node->outputs->len, (PhTensor **) inputs, outputs, NULL, &state, 0 };
  gboolean ok;
  int threads;
  PhRun run;

  for (guint i = 0; i < kernel.n_outputs; i++)
    outputs[i] = NULL;
  for (guint i = 0; i < MIN (kernel.n_inputs, 64); i++)
    if (inputs[i] != NULL && ph_value_constant (ph_node_input (node, i)) == inputs[i])
      state.constants |= G_GUINT64_CONSTANT (1) << i;
  ph_run_init (&run, options);
  run.want_all = TRUE;
  kernel.run = &run;
  threads = ph_run_take_threads (ph_node_flops (node) <= PH_FEW_FLOPS);
  ok = ph_run_kernel (&run, &kernel, error);
  ph_run_pop_threads (threads);
  if (!ok)
    for (guint i = 0; i < kernel.n_outputs; i++)
      g_clear_pointer (&outputs[i], ph_tensor_unref);
  ph_node_state_clear (&state);
  ph_run_clear (&run);
  return ok;
}
