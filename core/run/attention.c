/* attention.c: the kernel of fused attention nodes: softmax (f (q k)) v, including transpositions and masks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <stdlib.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/chain.h"
#include "core/run/lanes.h"
#include "core/run/product.h"
#include "core/run/run-private.h"
#include "core/tensor/broadcast.h"
#include "core/tensor/transpose.h"

#define RANK       8 /* of the operands, at most */
#define MOST_NODES 32
#define BLOCK      32768 /* scores that stay in the cache until they are multiplied         */
#define FEW_SCORES 65536 /* of all heads: so few stay in the cache together                 */

/* An input of the node as an operand of a product, or the result as what a product makes: transpositions are strides. */
typedef struct
{
  guint input;
  gint64 dims[RANK], strides[RANK]; /* of the tensor, in the order of the product                    */
  gboolean is_copied;               /* neither rows nor columns are adjacent: a copy is made or read */
  gint64 steps[RANK];               /* of the tensor or its copy; 0 before rows and columns: repeats */
  gint64 rows, columns, row_step, column_step;
} View;

/* What one thread works with. */
typedef struct
{
  PhChain *chain;       /* (nullable) operations on the scores before the softmax                              */
  float *keys, *values; /* of one head, in panels                                                              */
  float *scores;        /* of one block; of all heads, unless these are apart                                  */
  float *line;          /* room for a matrix that lies apart                                                   */
} Worker;

typedef struct
{
  View q, k, v, out; /* k: as the product takes it, [head size, length]                              */
  guint rank;
  gint64 scores[RANK], dims[RANK]; /* dims: of the result */
  gsize heads;
  gboolean apart; /* each head's scores are used up before the next one's are computed        */
  gint64 block;   /* rows of scores at a time                                                 */
  guint n_workers;
  Worker *workers;
} Attention;

static void
free_attention (gpointer data)
{
  Attention *self = data;

  for (guint i = 0; i < self->n_workers; i++)
    {
      g_clear_pointer (&self->workers[i].chain, ph_chain_free);
      free (self->workers[i].keys);
    }
  g_free (self->workers);
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

/* Determines the steps of @view, whose dimensions and strides are known. */
static void
set_steps (View *view, guint rank)
{
  view->rows = view->dims[rank - 2];
  view->columns = view->dims[rank - 1];
  view->is_copied = view->rows > 1 && view->columns > 1 && view->strides[rank - 2] != 1 && view->strides[rank - 1] != 1;
  if (view->is_copied)
    ph_strides (rank, view->dims, view->steps);
  else
    memcpy (view->steps, view->strides, sizeof view->steps);
  view->row_step = view->rows > 1 ? view->steps[rank - 2] : 1;
  view->column_step = view->columns > 1 ? view->steps[rank - 1] : 1;
  for (guint i = 0; i + 2 < rank; i++)
    if (view->dims[i] == 1)
      view->steps[i] = 0;
}

static gboolean
make_view (View *view, guint *rank, PhKernel *kernel, GPtrArray *outside, PhNode *transposed, const PhNode *product, guint input)
{
  PhValue *value = ph_node_input (transposed != NULL ? transposed : product, transposed != NULL ? 0 : input);
  gint64 strides[RANK];
  guint perm[RANK], n;
  PhTensor *x;

  if (!g_ptr_array_find (outside, value, &view->input) || view->input >= kernel->n_inputs)
    return FALSE;
  x = kernel->inputs[view->input];
  n = ph_dnnl_is_float (x) ? ph_tensor_rank (x) : 0;
  if (n < 3 || n > RANK || (*rank != 0 && *rank != n) || !read_perm (transposed, n, perm))
    return FALSE;
  *rank = n;
  ph_strides (n, ph_tensor_dims (x), strides);
  for (guint i = 0; i < n; i++)
    {
      view->dims[i] = ph_tensor_dims (x)[perm[i]];
      view->strides[i] = strides[perm[i]];
      if (view->dims[i] < 1)
        return FALSE;
    }
  set_steps (view, n);
  return TRUE;
}

/* Checks that the sizes of the products match, and determines the shape of the result and its strides. Returns FALSE if they do not. */
static gboolean
fit (Attention *self, const PhNode *last)
{
  const guint n = self->rank;
  const View *views[] = { &self->q, &self->k, &self->v };
  gint64 *made = self->out.dims, strides[RANK];
  guint perm[RANK];

  for (guint i = 0; i + 2 < n; i++)
    {
      made[i] = MAX (self->q.dims[i], self->k.dims[i]); /* all heads have their own scores */
      for (guint k = 0; k < G_N_ELEMENTS (views); k++)
        if (views[k]->dims[i] != 1 && views[k]->dims[i] != made[i])
          return FALSE;
    }
  if (self->q.columns != self->k.rows || self->k.columns != self->v.rows || !read_perm (last, n, perm))
    return FALSE;
  made[n - 2] = self->q.rows;
  made[n - 1] = self->v.columns;
  memcpy (self->scores, made, sizeof self->scores);
  self->scores[n - 1] = self->k.columns;
  self->heads = (gsize) ph_dims_product (self->scores, 0, n - 2);
  for (guint i = 0; i < n; i++)
    self->dims[i] = made[perm[i]];
  ph_strides (n, self->dims, strides);
  for (guint i = 0; i < n; i++)
    self->out.strides[perm[i]] = strides[i];
  set_steps (&self->out, n);
  return TRUE;
}

/* Determines how many rows of scores are computed at a time. */
static void
choose_block (Attention *self)
{
  const gint64 m = self->q.rows, length = self->k.columns;

  self->apart = self->heads * (gsize) (m * length) > FEW_SCORES;
  self->block = m;
  if (self->apart && m * length > BLOCK)
    {
      const gint64 blocks = MIN ((m * length + BLOCK - 1) / BLOCK, (m + 7) / 8);

      self->block = (m + blocks - 1) / blocks;
    }
}

static gboolean
make_room (const Attention *self, Worker *worker)
{
  const gsize keys = ph_lanes_panels ((gsize) self->k.rows, (gsize) self->k.columns),
              values = ph_lanes_panels ((gsize) self->v.rows, (gsize) self->v.columns);
  const gsize line = (gsize) (self->block * MAX (self->q.columns, self->out.columns));
  const gsize scores = (self->apart ? 1 : self->heads) * (gsize) (self->block * self->k.columns);
  gpointer room = NULL;

  if (posix_memalign (&room, 64, MAX (keys + values + line + scores, 16) * sizeof (float)) != 0)
    return FALSE;
  worker->keys = room;
  worker->values = worker->keys + keys;
  worker->scores = worker->values + values; /* a whole number of lines of the cache from the start */
  worker->line = worker->scores + scores;
  return TRUE;
}

/* Makes what threads work with. Returns FALSE if an operation on the scores has no loop, or without memory. */
static gboolean
make_workers (Attention *self, PhKernel *kernel, const Parts *parts)
{
  const PhGraph *body = kernel->node->graphs->pdata[0];
  const gint64 work = (gint64) self->heads * self->q.rows * self->k.columns * (self->q.columns + self->v.columns);
  const guint most = self->apart && work > PH_FEW_PRODUCTS ? (guint) MIN ((gsize) ph_run_max_threads (), self->heads) : 1;

  self->workers = g_new0 (Worker, most);
  while (self->n_workers < most)
    {
      Worker *worker = &self->workers[self->n_workers++];

      if (parts->n_between > 0)
        worker->chain = ph_chain_new (kernel, parts->between, parts->n_between, body->inputs, parts->scores->outputs->pdata[0]);
      if (parts->n_between > 0 && worker->chain == NULL)
        return FALSE;
      if (!make_room (self, worker))
        return ph_kernel_refuse (kernel, "there is no memory for its panels") != NULL;
    }
  return TRUE;
}

static gpointer
prepare_attention (PhKernel *kernel)
{
  PhGraph *body = kernel->node->graphs->pdata[0];
  Attention *self;
  Parts parts;

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
      return ph_kernel_refuse (kernel, "query, key and value are not float32 of one rank whose sizes match");
    }
  choose_block (self);
  if (!make_workers (self, kernel, &parts))
    {
      free_attention (self);
      return NULL;
    }
  return self;
}

/* ── computing ── */

/* Returns where the matrix of head @head begins. */
static gint64
place (const Attention *self, const View *view, gsize head)
{
  gint64 at = 0;

  for (guint i = self->rank - 2; i-- > 0; head /= (gsize) self->scores[i])
    at += (gint64) (head % (gsize) self->scores[i]) * view->steps[i];
  return at;
}

static void
pack (const View *view, const float *from, float *out)
{
  const gboolean across = view->column_step != 1;

  ph_lanes_pack (from, (gsize) view->rows, (gsize) view->columns, (gsize) (across ? view->column_step : view->row_step), across,
                 out);
}

/* Multiplies @n rows of scores from @first on by the packed values. */
static void
multiply_values (const Attention *self, const Worker *worker, gint64 first, gint64 n, const float *scores, float *out)
{
  const View *view = &self->out;
  const gboolean direct = view->column_step == 1;
  float *to = out + first * view->row_step;

  ph_lanes ()->product ((gsize) n, (gsize) view->columns, (gsize) self->v.rows, scores, (gsize) self->v.rows, worker->values,
                        NULL, direct ? to : worker->line, (gsize) (direct ? view->row_step : view->columns));
  if (!direct)
    ph_transpose_floats ((gsize) n, (gsize) view->columns, worker->line, (gsize) view->columns, to, (gsize) view->column_step);
}

/* Computes the scores of @n rows from @first on. */
static void
multiply_scores (const Attention *self, const Worker *worker, gint64 first, gint64 n, const float *q, float *out)
{
  const View *view = &self->q;
  const gboolean direct = view->column_step == 1;

  q += first * view->row_step;
  if (!direct)
    ph_transpose_floats ((gsize) view->columns, (gsize) n, q, (gsize) view->column_step, worker->line, (gsize) view->columns);
  ph_lanes ()->product ((gsize) n, (gsize) self->k.columns, (gsize) self->k.rows, direct ? q : worker->line,
                        (gsize) (direct ? view->row_step : view->columns), worker->keys, NULL, out, (gsize) self->k.columns);
}

/* Turns @n scores, from the @first of all on, into weights. */
static gboolean
weigh (const Attention *self, const Worker *worker, PhKernel *kernel, gsize first, gsize n)
{
  const gsize length = (gsize) self->k.columns;

  if (worker->chain != NULL && !ph_chain_run_part (worker->chain, kernel, self->rank, self->scores, first, n, worker->scores))
    return FALSE;
  for (gsize i = 0; i < n; i += length)
    ph_lanes ()->softmax (length, worker->scores + i, worker->scores + i);
  return TRUE;
}

/* The elements of the operands, and where the result goes. */
typedef struct
{
  const float *q, *k, *v;
  float *out;
} Elements;

/* All scores, then their softmax, then the products with the values. */
static gboolean
run_together (const Attention *self, PhKernel *kernel, const Elements *at)
{
  const Worker *worker = &self->workers[0];
  const gint64 m = self->q.rows;
  const gsize size = (gsize) (m * self->k.columns);

  for (gsize head = 0; head < self->heads; head++)
    {
      pack (&self->k, at->k + place (self, &self->k, head), worker->keys);
      multiply_scores (self, worker, 0, m, at->q + place (self, &self->q, head), worker->scores + head * size);
    }
  if (!weigh (self, worker, kernel, 0, self->heads * size))
    return FALSE;
  for (gsize head = 0; head < self->heads; head++)
    {
      pack (&self->v, at->v + place (self, &self->v, head), worker->values);
      multiply_values (self, worker, 0, m, worker->scores + head * size, at->out + place (self, &self->out, head));
    }
  return TRUE;
}

/* Computes the heads from @first to before @end, a block of scores after the other; the last block overlaps the one before, so that all
 * are of one shape. */
static gboolean
run_heads (const Attention *self, const Worker *worker, PhKernel *kernel, const Elements *at, gsize first, gsize end)
{
  const gint64 m = self->q.rows;
  const gsize length = (gsize) self->k.columns;

  for (gsize head = first; head < end; head++)
    {
      if (g_cancellable_is_cancelled (kernel->run->options->cancellable))
        return FALSE;
      pack (&self->k, at->k + place (self, &self->k, head), worker->keys);
      pack (&self->v, at->v + place (self, &self->v, head), worker->values);
      for (gint64 next = 0; next < m; next += self->block)
        {
          const gint64 row = MIN (next, m - self->block);

          multiply_scores (self, worker, row, self->block, at->q + place (self, &self->q, head), worker->scores);
          if (!weigh (self, worker, kernel, (head * (gsize) m + (gsize) row) * length, (gsize) self->block * length))
            return FALSE;
          multiply_values (self, worker, row, self->block, worker->scores, at->out + place (self, &self->out, head));
        }
    }
  return TRUE;
}

/* Each thread computes whole heads, so the result does not depend on their number. */
static gboolean
run_apart (const Attention *self, PhKernel *kernel, const Elements *at)
{
  const gsize n = self->n_workers;
  int failed = 0;

  if (n == 1)
    return run_heads (self, &self->workers[0], kernel, at, 0, self->heads);
#pragma omp parallel for schedule(static) reduction(+ : failed)
  for (gsize i = 0; i < n; i++)
    failed += !run_heads (self, &self->workers[i], kernel, at, self->heads * i / n, self->heads * (i + 1) / n);
  return failed == 0;
}

/* Returns the elements of an operand, copied to @copy if they lie apart. (nullable) */
static const float *
elements_of (const Attention *self, const PhKernel *kernel, const View *view, PhTensor **copy)
{
  const float *from = ph_tensor_data (kernel->inputs[view->input]);
  float *to;

  if (from == NULL || !view->is_copied)
    return from;
  *copy = ph_tensor_new_unset (PH_FLOAT, self->rank, view->dims);
  to = *copy != NULL ? ph_tensor_writable (*copy) : NULL;
  if (to != NULL)
    ph_copy_strided (self->rank, view->dims, to, view->steps, from, view->strides, sizeof *to);
  return to;
}

static gboolean
run_attention (PhKernel *kernel, gpointer prepared)
{
  const Attention *self = prepared;
  g_autoptr (PhTensor) q_copy = NULL, k_copy = NULL, v_copy = NULL, made = NULL;
  Elements at = { elements_of (self, kernel, &self->q, &q_copy), elements_of (self, kernel, &self->k, &k_copy),
                  elements_of (self, kernel, &self->v, &v_copy), NULL };
  float *out = at.q != NULL && at.k != NULL && at.v != NULL
                   ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, self->rank, self->dims, NULL)
                   : NULL;

  made = out != NULL && self->out.is_copied ? ph_tensor_new_unset (PH_FLOAT, self->rank, self->out.dims) : NULL;
  at.out = made != NULL ? ph_tensor_writable (made) : self->out.is_copied ? NULL : out;
  if (at.out == NULL || !(self->apart ? run_apart : run_together) (self, kernel, &at))
    {
      ph_kernel_take (kernel, 0, NULL);
      return FALSE;
    }
  if (made != NULL)
    ph_copy_strided (self->rank, self->out.dims, out, self->out.strides, at.out, self->out.steps, sizeof *out);
  return TRUE;
}

const PhKernelRow ph_kernels_attention[] = {
  { NULL, PH_DEVICE_CPU, "attention", 20, prepare_attention, run_attention, free_attention, NULL, NULL, TRUE },
  { NULL },
};
