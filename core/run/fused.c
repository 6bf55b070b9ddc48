/* fused.c: kernels of fused nodes: an operator followed by a chain of elementwise ones, or such a chain alone.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include "core/ops/op-list.h"
#include "core/run/chain.h"
#include "core/run/run-private.h"

#define MOST_NODES 32

typedef struct
{
  PhNode *head; /* (nullable) NULL: only elementwise operators                       */
  guint n_inputs;
  guint inputs[16];  /* fused node's input per input of the head; G_MAXUINT: none         */
  PhNodeState state; /* of the head                                                       */
  PhChain *chain;    /* (nullable) the operators after the head                           */
} Fused;

static void
free_fused (gpointer data)
{
  Fused *fused = data;

  ph_node_state_clear (&fused->state);
  g_clear_pointer (&fused->chain, ph_chain_free);
  g_free (fused);
}

/* Reads the head, all of whose inputs must be inputs of the body. */
static gboolean
read_head (Fused *fused, PhKernel *kernel, PhNode *head, GPtrArray *outside)
{
  if (head->outputs->len != 1 || head->op == NULL || head->op->kernel == NULL || head->inputs->len > G_N_ELEMENTS (fused->inputs)
      || head->graphs != NULL || (head->op->flags & PH_OP_RANDOM) != 0)
    return FALSE;
  fused->head = head;
  fused->state.wish = ph_kernel_wish (head);
  fused->n_inputs = head->inputs->len;
  for (guint i = 0; i < fused->n_inputs; i++)
    {
      fused->inputs[i] = G_MAXUINT;
      if (head->inputs->pdata[i] == NULL)
        continue;
      if (!g_ptr_array_find (outside, head->inputs->pdata[i], &fused->inputs[i]) || fused->inputs[i] >= kernel->n_inputs)
        return FALSE;
      if (ph_kernel_is_constant (kernel, fused->inputs[i]))
        fused->state.constants |= G_GUINT64_CONSTANT (1) << i;
    }
  return TRUE;
}

/* Returns TRUE if @value is float or its type is unknown. */
static gboolean
may_be_float (const PhValue *value)
{
  return value->type == NULL || (value->type->kind == PH_KIND_TENSOR && value->type->dtype == PH_FLOAT);
}

static gpointer
prepare_fused (PhKernel *kernel)
{
  PhGraph *body = kernel->node->graphs->pdata[0];
  PhNode *nodes[MOST_NODES];
  guint n = 0, first = 0;
  const PhValue *head = NULL;
  Fused *fused;

  if (kernel->n_outputs != 1 || body->outputs->len != 1 || body->n_nodes > MOST_NODES || kernel->run->options->in_double
      || body->first == NULL)
    return ph_kernel_refuse (kernel, "more than one output, or too many nodes");
  PH_FOREACH_NODE (node, body)
    nodes[n++] = node;
  if (body->outputs->pdata[0] != nodes[n - 1]->outputs->pdata[0])
    return ph_kernel_refuse (kernel, "the last node does not make its output");
  if (!may_be_float (nodes[0]->outputs->pdata[0]) && n > 1) /* known before its first node has run */
    return ph_kernel_refuse (kernel, "what follows the first node is not of float32");
  fused = g_new0 (Fused, 1);
  if (!ph_chain_takes (nodes[0]) && !read_head (fused, kernel, nodes[0], body->inputs))
    {
      g_clear_pointer (&fused, free_fused);
      ph_kernel_refuse (kernel, "its first node does not read inputs alone, or makes more than one output");
    }
  if (fused != NULL && fused->head != NULL)
    {
      first = 1;
      head = nodes[0]->outputs->pdata[0];
    }
  if (fused != NULL && first < n)
    {
      fused->chain = ph_chain_new (kernel, nodes + first, n - first, body->inputs, head);
      if (fused->chain == NULL)
        g_clear_pointer (&fused, free_fused);
    }
  return fused;
}

static gboolean
run_head (Fused *fused, PhKernel *kernel)
{
  PhTensor *inputs[G_N_ELEMENTS (fused->inputs)];
  PhKernel own = { fused->head, fused->n_inputs, 1, inputs, kernel->outputs, kernel->run, &fused->state, 0 };

  for (guint i = 0; i < fused->n_inputs; i++)
    inputs[i] = fused->inputs[i] != G_MAXUINT ? kernel->inputs[fused->inputs[i]] : NULL;
  return ph_run_kernel (kernel->run, &own, NULL);
}

static gboolean
run_fused (PhKernel *kernel, gpointer prepared)
{
  Fused *fused = prepared;
  PhTensor *y = NULL;

  if (fused->head != NULL)
    {
      if (!run_head (fused, kernel))
        return FALSE;
      if (fused->chain == NULL)
        return TRUE;
      y = g_steal_pointer (&kernel->outputs[0]);
      /* A kernel may return a shared tensor, or another element type. */
      if (!ph_dnnl_is_float (y) || !ph_tensor_is_sole (y)
          || (ph_tensor_format (y) != PH_MEMORY_PLAIN && ph_tensor_writable (y) != NULL))
        {
          g_clear_pointer (&y, ph_tensor_unref);
          return FALSE;
        }
    }
  y = ph_chain_run (fused->chain, kernel, y);
  if (y != NULL)
    ph_kernel_take (kernel, 0, y);
  return y != NULL;
}

static gsize
packed_fused (gpointer prepared)
{
  const Fused *fused = prepared;

  return ph_node_state_packed (&fused->state);
}

static const PhNodeState *
head_of_fused (gpointer prepared)
{
  const Fused *fused = prepared;

  return fused->head != NULL ? &fused->state : NULL;
}

const PhKernelRow ph_kernels_fused[] = {
  { NULL, PH_DEVICE_CPU, "chain", 10, prepare_fused, run_fused, free_fused, packed_fused, head_of_fused, TRUE },
  { NULL },
};
