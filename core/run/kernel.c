/* kernel.c: the interface of an operator's kernel: its inputs, outputs and attributes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/facts.h"
#include "core/ops/op-list.h"
#include "core/run/kernels.h"
#include "core/run/run-private.h"
#include "core/splitmix.h"

PhTensor *
ph_kernel_input (PhKernel *kernel, guint i)
{
  return i < kernel->n_inputs ? kernel->inputs[i] : NULL;
}

gboolean
ph_kernel_wants (PhKernel *kernel, guint output)
{
  const PhValue *value = ph_node_output (kernel->node, output);

  if (value == NULL || output >= kernel->n_outputs)
    return FALSE;
  return kernel->run->want_all || ph_value_n_uses (value) > 0
         || (kernel->run->wanted != NULL && g_hash_table_contains (kernel->run->wanted, value));
}

/* Returns FALSE for an element type that the schema forbids, or that does not exist: attributes may ask for any number. */
static gboolean
may_be (PhKernel *kernel, guint output, PhDType dtype)
{
  const PhOp *op = kernel->node->op;
  const guint n = op != NULL ? ph_op_n_outputs (op) : 0;
  const PhOpArg *arg = n > 0 ? &op->outputs[MIN (output, n - 1)] : NULL;

  return dtype > PH_UNDEFINED && dtype < PH_N_DTYPES
         && (arg == NULL || arg->types == 0 || (arg->types & (G_GUINT64_CONSTANT (1) << dtype)) != 0
             || (kernel->run->options->in_double && dtype == PH_DOUBLE && (arg->types & PH_FLOATS) != 0));
}

/* Returns FALSE with an error if output @i, whose type does not fix its size, is larger than made-up inputs may make it. */
gboolean
ph_kernel_may_make (PhKernel *kernel, guint i, guint rank, const gint64 *dims, GError **error)
{
  const gsize most = kernel->run->options->most_elements;
  const PhType *type = i < kernel->node->outputs->len ? ph_node_output (kernel->node, i)->type : NULL;
  double count = 1;

  for (guint k = 0; k < rank; k++)
    count *= (double) dims[k];
  if (most == 0 || count <= (double) most || (type != NULL && ph_type_is_static (type)))
    return TRUE;
  return ph_kernel_exceed (kernel, error,
                           "output %u has more than %" G_GSIZE_FORMAT
                           " elements on inputs that were made up: feed inputs on which it "
                           "has fewer",
                           i, most);
}

static gpointer
make_output (PhKernel *kernel, guint i, PhDType dtype, guint rank, const gint64 *dims, gboolean zeroed, GError **error)
{
  PhTensor *tensor;

  if (!may_be (kernel, i, dtype))
    {
      ph_kernel_fail (kernel, error, "output %u cannot be of element type %s", i,
                      dtype < PH_N_DTYPES ? ph_dtype_name (dtype) : "unknown");
      return NULL;
    }
  if (!ph_kernel_may_make (kernel, i, rank, dims, error))
    return NULL;
  tensor = zeroed ? ph_tensor_new (dtype, rank, dims) : ph_tensor_new_unset (dtype, rank, dims);
  if (tensor == NULL)
    {
      g_autofree char *why = ph_tensor_why_not (dtype, rank, dims);

      ph_kernel_exceed (kernel, error, "output %u is too large for memory: %s", i, why);
      return NULL;
    }
  if (i < kernel->n_outputs)
    ph_kernel_take (kernel, i, tensor);
  else /* the node has no such output, but the kernel writes it: it is freed after the kernel */
    {
      if (kernel->run->spare == NULL)
        kernel->run->spare = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
      g_ptr_array_add (kernel->run->spare, tensor);
    }
  return ph_tensor_writable (tensor);
}

gpointer
ph_kernel_output (PhKernel *kernel, guint i, PhDType dtype, guint rank, const gint64 *dims, GError **error)
{
  return make_output (kernel, i, dtype, rank, dims, TRUE, error);
}

gpointer
ph_kernel_output_unset (PhKernel *kernel, guint i, PhDType dtype, guint rank, const gint64 *dims, GError **error)
{
  return make_output (kernel, i, dtype, rank, dims, FALSE, error);
}

void
ph_kernel_take (PhKernel *kernel, guint i, PhTensor *tensor)
{
  if (i < kernel->n_outputs)
    {
      g_clear_pointer (&kernel->outputs[i], ph_tensor_unref);
      kernel->outputs[i] = tensor;
    }
  else if (tensor != NULL)
    ph_tensor_unref (tensor);
}

gboolean
ph_kernel_body (PhKernel *kernel, const char *attr, PhTensor *const *inputs, guint n_inputs, PhTensor **outputs, guint n_outputs,
                GError **error)
{
  PhGraph *body = ph_node_graph (kernel->node, attr);
  g_autofree char *label = NULL;

  if (body == NULL)
    return ph_kernel_fail (kernel, error, "has no body '%s'", attr);
  label = ph_node_label (kernel->node);
  return ph_run_graph (kernel->run, body, inputs, n_inputs, outputs, n_outputs, label, error);
}

gboolean
ph_kernel_turn (PhKernel *kernel, GError **error)
{
  const guint most = kernel->run->options->most_turns;

  if (most > 0 && ++kernel->run->turns > most)
    return ph_kernel_exceed (kernel, error, "takes more than %u turns on inputs that were made up: feed inputs on which it ends",
                             most);
  return !ph_kernel_cancelled (kernel, error);
}

gboolean
ph_kernel_cancelled (PhKernel *kernel, GError **error)
{
  if (!g_cancellable_is_cancelled (kernel->run->options->cancellable))
    return FALSE;
  g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The computation was cancelled");
  return TRUE;
}

static guint64
mix (guint64 x)
{
  return ph_splitmix (&x);
}

/* The seed depends on the node and on how often it ran, not on other nodes, so a pass that does not touch a random operator does not change
 * its numbers. */
guint64
ph_kernel_seed (PhKernel *kernel)
{
  GHashTable *draws = kernel->run->draws != NULL ? kernel->run->draws : (kernel->run->draws = g_hash_table_new (NULL, NULL));
  const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (draws, kernel->node));

  g_hash_table_insert (draws, (gpointer) kernel->node, GUINT_TO_POINTER (n + 1));
  return mix (mix (kernel->run->options->seed) + mix (kernel->node->id) + n);
}

gboolean
ph_kernel_fail (PhKernel *kernel, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ph_node_fail_valist (kernel->node, error, PH_ERROR_UNSUPPORTED, format, args);
  va_end (args);
  return FALSE;
}

gboolean
ph_kernel_exceed (PhKernel *kernel, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ph_node_fail_valist (kernel->node, error, PH_ERROR_LIMIT, format, args);
  va_end (args);
  return FALSE;
}

gboolean
ph_kernel_pass_on (PhKernel *kernel, GError **error, const GError *problem)
{
  if (problem == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  return ph_node_fail (kernel->node, error,
                       g_error_matches (problem, PH_ERROR, PH_ERROR_LIMIT) ? PH_ERROR_LIMIT : PH_ERROR_UNSUPPORTED, "%s",
                       problem->message);
}

gboolean
ph_kernel_is_read_in_rows (const PhKernel *kernel)
{
  static const PhOp *const ops[] = { &ph_op_Reshape,   &ph_op_Flatten, &ph_op_Transpose, &ph_op_Squeeze,
                                     &ph_op_Unsqueeze, &ph_op_MatMul,  &ph_op_Gemm,      NULL };
  const PhValue *value = ph_node_output (kernel->node, 0);

  for (guint i = 0; value != NULL && i < value->uses->len; i++)
    {
      const PhNode *user = g_array_index (value->uses, PhUse, i).node;

      if (user->op == NULL ? !g_str_equal (user->op_type, ph_op_Attention.name) : !ph_op_is_any (user->op, ops))
        return FALSE;
    }
  return TRUE;
}
