/* attention.c: the kernel of fused attention nodes: softmax (f (q k)) v, including transpositions and masks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <stdlib.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/chain.h"
#include "core/run/lanes.h"
#include "core/run/run-private.h"
#include "core/tensor/broadcast.h"

#define RANK       4 /* batch, heads, rows, columns                              */
#define MOST_NODES 32
#define MOST_WORK  ((gint64) 16 << 20) /* multiplications for one head: above, oneDNN's threads pay */

/* An input of the node as an operand of a product: its transpositions are strides. */
typedef struct
{
  guint input;
  gint64 dims[RANK], strides[RANK];
} View;

typedef struct
{
  View q, k, v;   /* k: as the product takes it, [head size, length] at the end              */
  PhChain *chain; /* (nullable) operations on the scores before the softmax                   */
  gint64 scores[RANK];
  gint64 out[RANK];   /* dims of the result, row-major                                            */
  gint64 steps[RANK]; /* in elements, along batch, heads, rows and columns                        */
  guint rank;         /* of the operands and the result: 3 or 4; with 3 the batch is 1            */
  float *panels;      /* of one head                                                              */
} Attention;

static void
free_attention (gpointer data)
{
  Attention *self = data;

  g_clear_pointer (&self->chain, ph_chain_free);
  free (self->panels);
  g_free (self);
}

/* ── the parts of a body ── */

typedef struct
{
  PhNode *q, *k, *v;                         /* (nullable) transpositions                                                */
  PhNode *scores, *softmax, *product, *last; /* @last: (nullable) the result's transposition          */
  PhNode *between[MOST_NODES];
  guint n_between;
} Parts;

static PhNode *
transposition (const PhNode *product, guint input)
{
  PhValue *value = ph_node_input (product, input);

  return value != NULL && value->producer != NULL && value->producer->op == &ph_op_Transpose
                 && value->producer->graph == product->graph
             ? value->producer
             : NULL;
}

static PhNode *
only_user (const PhValue *value)
{
  return value->uses->len == 1 && value->n_output_uses == 0 ? g_array_index (value->uses, PhUse, 0).node : NULL;
}

/* Finds the parts of an attention in @body. Returns FALSE if it has another form. */
static gboolean
find_parts (Parts *parts, PhGraph *body)
{
  guint known = 3;

  memset (parts, 0, sizeof *parts);
  PH_FOREACH_NODE (node, body)
    if (node->op == &ph_op_Softmax)
      {
        if (parts->softmax != NULL)
          return FALSE;
        parts->softmax = node;
      }
  if (parts->softmax == NULL || body->n_nodes > MOST_NODES || body->outputs->len != 1)
    return FALSE;
  parts->product = only_user (parts->softmax->outputs->pdata[0]);
  if (parts->product == NULL || parts->product->op != &ph_op_MatMul
      || ph_node_input (parts->product, 0) != parts->softmax->outputs->pdata[0])
    return FALSE;
  if (body->outputs->pdata[0] != parts->product->outputs->pdata[0])
    {
      parts->last = only_user (parts->product->outputs->pdata[0]);
      if (parts->last == NULL || parts->last->op != &ph_op_Transpose || body->outputs->pdata[0] != parts->last->outputs->pdata[0])
        return FALSE;
    }
  PH_FOREACH_NODE (node, body)
    if (node->op == &ph_op_MatMul && node != parts->product)
      {
        if (parts->scores != NULL)
          return FALSE;
        parts->scores = node;
      }
  if (parts->scores == NULL)
    return FALSE;
  parts->q = transposition (parts->scores, 0);
  parts->k = transposition (parts->scores, 1);
  parts->v = transposition (parts->product, 1);
  known += (parts->q != NULL) + (parts->k != NULL && parts->k != parts->q)
           + (parts->v != NULL && parts->v != parts->k && parts->v != parts->q) + (parts->last != NULL);
  PH_FOREACH_NODE (node, body)
    if (ph_chain_takes (node))
      parts->between[parts->n_between++] = node;
  return known + parts->n_between == body->n_nodes
         && ph_node_input (parts->softmax, 0)
                == (parts->n_between > 0 ? parts->between[parts->n_between - 1] : parts->scores)->outputs->pdata[0];
}

/* ── shapes ── */

/* Reads @node's permutation; without a node it is the identity. Returns FALSE if @node has no valid one. */
static gboolean
read_perm (const PhNode *node, guint rank, guint *perm)
{
  gsize n = 0;
  const gint64 *ints = node != NULL ? ph_node_attr_ints (node, "perm", &n) : NULL;

  for (guint i = 0; i < rank; i++)
    {
      if (node != NULL && (ints == NULL || n != rank || ints[i] < 0 || ints[i] >= rank))
        return FALSE;
      perm[i] = node != NULL ? (guint) ints[i] : i;
    }
  return TRUE;
}

static gboolean
make_view (View *view, guint *rank, PhKernel *kernel, GPtrArray *outside, PhNode *transposed, const PhNode *product, guint input)
{
  PhValue *value = ph_node_input (transposed != NULL ? transposed : product, transposed != NULL ? 0 : input);
  gint64 strides[PH_MAX_RANK];
  guint perm[RANK], missing;
  PhTensor *x;

  if (!g_ptr_array_find (outside, value, &view->input) || view->input >= kernel->n_inputs)
    return FALSE;
  x = kernel->inputs[view->input];
  if (!ph_dnnl_is_float (x) || ph_tensor_format (x) != PH_MEMORY_PLAIN || ph_tensor_rank (x) < 3 || ph_tensor_rank (x) > RANK
      || (*rank != 0 && *rank != ph_tensor_rank (x)) || !read_perm (transposed, ph_tensor_rank (x), perm))
    return FALSE;
  *rank = ph_tensor_rank (x);
  missing = RANK - *rank;
  ph_strides (*rank, ph_tensor_dims (x), strides);
  view->dims[0] = 1;
  view->strides[0] = 0;
  for (guint i = 0; i < *rank; i++)
    {
      view->dims[missing + i] = ph_tensor_dims (x)[perm[i]];
      view->strides[missing + i] = strides[perm[i]];
    }
  return TRUE;
}

/* Checks that the sizes of the products match, and determines the strides of the result. Returns FALSE if they do not. */
static gboolean
fit (Attention *self, const PhNode *last)
{
  const guint missing = RANK - self->rank;
  gint64 made[RANK], strides[RANK];
  guint perm[RANK];

  for (guint i = 0; i < 2; i++)
    if (self->q.dims[i] != self->k.dims[i] || self->q.dims[i] != self->v.dims[i])
      return FALSE;
  if (self->q.dims[3] != self->k.dims[2] || self->k.dims[3] != self->v.dims[2] || self->q.strides[3] != 1
      || self->v.strides[3] != 1 || (self->k.strides[2] != 1 && self->k.strides[3] != 1) || !read_perm (last, self->rank, perm))
    return FALSE;
  memcpy (self->scores, self->q.dims, sizeof self->scores);
  self->scores[3] = self->k.dims[3];
  memcpy (made, self->q.dims, sizeof made);
  made[3] = self->v.dims[3];
  for (guint i = 0; i < self->rank; i++)
    self->out[i] = made[missing + perm[i]];
  ph_strides (self->rank, self->out, strides);
  self->steps[0] = 0;
  for (guint i = 0; i < self->rank; i++)
    self->steps[missing + perm[i]] = strides[i];
  return self->steps[3] == 1;
}

static gpointer
prepare_attention (PhKernel *kernel)
{
  PhGraph *body = kernel->node->graphs->pdata[0];
  const gsize panel = ph_lanes ()->panel;
  Attention *self;
  gpointer room = NULL;
  Parts parts;
  gint64 work;
  gsize size;

  if (kernel->n_outputs != 1 || kernel->run->options->in_double || !find_parts (&parts, body))
    return ph_kernel_refuse (kernel, "its body is not two products around a softmax");
  self = g_new0 (Attention, 1);
  if (!make_view (&self->q, &self->rank, kernel, body->inputs, parts.q, parts.scores, 0)
      || !make_view (&self->k, &self->rank, kernel, body->inputs, parts.k, parts.scores, 1)
      || !make_view (&self->v, &self->rank, kernel, body->inputs, parts.v, parts.product, 1) || !fit (self, parts.last)
      || (ph_node_attr_int (parts.softmax, "axis", -1) != -1
          && ph_node_attr_int (parts.softmax, "axis", -1) != (gint64) self->rank - 1))
    {
      free_attention (self);
      return ph_kernel_refuse (kernel, "query, key and value are not float32 of one rank and as many heads, or lie apart");
    }
  work = self->scores[2] * self->scores[3] * MAX (self->q.dims[3], self->v.dims[3]);
  size = (gsize) MAX ((self->scores[3] + (gint64) panel - 1) / (gint64) panel * self->q.dims[3],
                      (self->v.dims[3] + (gint64) panel - 1) / (gint64) panel * self->scores[3])
         * panel;
  if (work > MOST_WORK || posix_memalign (&room, 64, MAX (size, 16) * sizeof (float)) != 0)
    {
      free_attention (self);
      return ph_kernel_refuse (kernel, "so long a sequence is faster in the blocks and threads of dnnl");
    }
  self->panels = room;
  if (parts.n_between > 0)
    {
      self->chain = ph_chain_new (kernel, parts.between, parts.n_between, body->inputs, parts.scores->outputs->pdata[0]);
      if (self->chain == NULL)
        g_clear_pointer (&self, free_attention);
    }
  return self;
}

/* ── computing ── */

static gint64
place (const gint64 *strides, gint64 batch, gint64 head)
{
  return batch * strides[0] + head * strides[1];
}

static void
multiply_scores (Attention *self, const float *q, const float *k, float *out)
{
  const PhLanes *lanes = ph_lanes ();
  const gint64 m = self->scores[2], n = self->scores[3], size = self->q.dims[3];

  for (gint64 b = 0; b < self->scores[0]; b++)
    for (gint64 h = 0; h < self->scores[1]; h++, out += m * n)
      {
        const gboolean across = self->k.strides[3] != 1;

        ph_lanes_pack (k + place (self->k.strides, b, h), (gsize) size, (gsize) n, (gsize) self->k.strides[across ? 3 : 2],
                       across, self->panels);
        lanes->product ((gsize) m, (gsize) n, (gsize) size, q + place (self->q.strides, b, h), (gsize) self->q.strides[2],
                        self->panels, NULL, out, (gsize) n);
      }
}

static void
multiply_values (Attention *self, const float *scores, const float *v, float *out)
{
  const PhLanes *lanes = ph_lanes ();
  const gint64 m = self->scores[2], length = self->scores[3], n = self->v.dims[3];

  for (gint64 b = 0; b < self->scores[0]; b++)
    for (gint64 h = 0; h < self->scores[1]; h++, scores += m * length)
      {
        ph_lanes_pack (v + place (self->v.strides, b, h), (gsize) length, (gsize) n, (gsize) self->v.strides[2], FALSE,
                       self->panels);
        lanes->product ((gsize) m, (gsize) n, (gsize) length, scores, (gsize) length, self->panels, NULL,
                        out + place (self->steps, b, h), (gsize) self->steps[2]);
      }
}

static gboolean
run_attention (PhKernel *kernel, gpointer prepared)
{
  Attention *self = prepared;
  const guint missing = RANK - self->rank;
  const float *q = ph_tensor_data (kernel->inputs[self->q.input]), *k = ph_tensor_data (kernel->inputs[self->k.input]);
  const float *v = ph_tensor_data (kernel->inputs[self->v.input]);
  const gsize rows = (gsize) (self->scores[0] * self->scores[1] * self->scores[2]), length = (gsize) self->scores[3];
  PhTensor *scores = q != NULL && k != NULL && v != NULL ? ph_tensor_new_unset (PH_FLOAT, self->rank, self->scores + missing)
                                                         : NULL;
  float *lines, *out;

  if (scores == NULL)
    return FALSE;
  multiply_scores (self, q, k, ph_tensor_writable (scores));
  if (self->chain != NULL)
    scores = ph_chain_run (self->chain, kernel, scores);
  if (scores == NULL)
    return FALSE;
  lines = ph_tensor_writable (scores);
  for (gsize i = 0; i < rows; i++)
    ph_lanes ()->softmax (length, lines + i * length, lines + i * length);
  out = ph_kernel_output_unset (kernel, 0, PH_FLOAT, self->rank, self->out, NULL);
  if (out != NULL)
    multiply_values (self, lines, v, out);
  ph_tensor_unref (scores);
  return out != NULL;
}

const PhKernelRow ph_kernels_attention[] = {
  { NULL, PH_DEVICE_CPU, "attention", 20, prepare_attention, run_attention, free_attention, NULL, NULL, TRUE },
  { NULL },
};
