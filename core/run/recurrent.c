/* recurrent.c: RNN, GRU and LSTM of floats: products of all rows of a step at once, and loops over the gates.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <stdlib.h>
#include <string.h>

#include "core/ops/onnx/rnn.h"
#include "core/ops/op-list.h"
#include "core/run/lanes.h"
#include "core/run/product.h"

#define ROWS 64 /* of inputs that are multiplied by their weights at once */

typedef struct
{
  PhLaneUnary lane;
  float p[2];
} Activation;

/* The weights of one direction. */
typedef struct
{
  float *inputs, *states,
      *candidate;         /* panels of W, of R; candidate: of R for the gate h of a GRU that resets before its product */
  float *bias, *own_bias; /* added to the products with W; to that of the gate h with R */
} Weights;

typedef struct
{
  PhRecurrent cell;
  Activation f[6];
  Weights weights[2];
  gsize bytes;            /* of all panels                               */
  PhTensor *packed_of[3]; /* (nullable) owned: W, R, B                   */
} Recurrent;

static void
forget_weights (Recurrent *recurrent)
{
  for (guint d = 0; d < 2; d++)
    {
      Weights *weights = &recurrent->weights[d];

      free (weights->inputs);
      free (weights->states);
      free (weights->candidate);
      g_free (weights->bias);
      *weights = (Weights) { NULL };
    }
  recurrent->bytes = 0;
  for (guint i = 0; i < G_N_ELEMENTS (recurrent->packed_of); i++)
    g_clear_pointer (&recurrent->packed_of[i], ph_tensor_unref);
}

static void
free_recurrent (gpointer data)
{
  forget_weights (data);
  g_free (data);
}

static gboolean
has_dims (PhTensor *tensor, guint rank, gint64 a, gint64 b, gint64 c)
{
  const gint64 dims[3] = { a, b, c };

  return tensor == NULL
         || (ph_dnnl_is_float (tensor) && ph_tensor_rank (tensor) == rank
             && memcmp (ph_tensor_dims (tensor), dims, rank * sizeof *dims) == 0);
}

static gboolean
read_sizes (PhKernel *kernel, PhRecurrent *cell)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *r = ph_kernel_input (kernel, 2);
  gint64 rows, states[2];

  if (!ph_dnnl_is_float (x) || ph_tensor_rank (x) != 3 || !ph_dnnl_is_float (w) || !ph_dnnl_is_float (r)
      || ph_tensor_rank (r) != 3)
    return FALSE;
  cell->steps = ph_tensor_dims (x)[cell->batch_first ? 1 : 0];
  cell->batch = ph_tensor_dims (x)[cell->batch_first ? 0 : 1];
  cell->input = ph_tensor_dims (x)[2];
  cell->hidden = ph_tensor_dims (r)[2];
  rows = cell->gates * cell->hidden;
  states[cell->batch_first ? 1 : 0] = cell->directions;
  states[cell->batch_first ? 0 : 1] = cell->batch;
  return ph_node_attr_int (kernel->node, "hidden_size", cell->hidden) == cell->hidden
         && has_dims (w, 3, cell->directions, rows, cell->input) && has_dims (r, 3, cell->directions, rows, cell->hidden)
         && has_dims (ph_kernel_input (kernel, 3), 2, cell->directions, 2 * rows, 0)
         && has_dims (ph_kernel_input (kernel, 5), 3, states[0], states[1], cell->hidden)
         && (cell->kind != 'L'
             || (has_dims (ph_kernel_input (kernel, 6), 3, states[0], states[1], cell->hidden)
                 && has_dims (ph_kernel_input (kernel, 7), 2, cell->directions, 3 * cell->hidden, 0)));
}

static gboolean
read_activation (const PhRecurrentActivation *from, Activation *to)
{
  static const struct
  {
    const PhOp *op;
    PhLaneUnary lane;
  } lanes[] = { { &ph_op_Relu, PH_LANE_RELU },
                { &ph_op_Tanh, PH_LANE_TANH },
                { &ph_op_Sigmoid, PH_LANE_SIGMOID },
                { &ph_op_LeakyRelu, PH_LANE_LEAKY_RELU },
                { &ph_op_HardSigmoid, PH_LANE_HARD_SIGMOID } };

  for (guint i = 0; i < G_N_ELEMENTS (lanes); i++)
    if (g_str_equal (lanes[i].op->name, from->name))
      {
        *to = (Activation) { lanes[i].lane, { (float) from->alpha, (float) from->beta } };
        return TRUE;
      }
  return FALSE;
}

static gpointer
prepare_recurrent (PhKernel *kernel)
{
  g_autofree Recurrent *recurrent = g_new0 (Recurrent, 1);
  PhRecurrent *cell = &recurrent->cell;

  if (ph_recurrent_init (cell, kernel->node) != NULL || !read_sizes (kernel, cell))
    return ph_kernel_refuse (kernel, "not all float32, or of shapes that do not fit");
  for (guint i = 0; i < cell->per_direction * cell->directions; i++)
    if (!read_activation (&cell->f[i], &recurrent->f[i]))
      return ph_kernel_refuse (kernel, "an activation that has no loop over floats");
  return g_steal_pointer (&recurrent);
}

/* Returns the rows of [n, k] that begin at element @first of @from as the right factor of a product. (nullable) */
static float *
new_panels (Recurrent *recurrent, PhTensor *from, gsize first, gsize n, gsize k)
{
  const gsize size = ph_lanes_panels (k, n) * sizeof (float);
  gpointer panels = NULL;

  if (posix_memalign (&panels, 64, size) != 0)
    return NULL;
  if (!ph_product_pack (from, first, k, n, TRUE, panels))
    {
      free (panels);
      return NULL;
    }
  recurrent->bytes += size;
  return panels;
}

static gboolean
pack_weights (Recurrent *recurrent, PhKernel *kernel)
{
  const PhRecurrent *cell = &recurrent->cell;
  const gsize n = (gsize) cell->hidden, rows = cell->gates * n, input = (gsize) cell->input, panel = ph_lanes ()->panel;
  PhTensor *tensors[3] = { kernel->inputs[1], kernel->inputs[2], ph_kernel_input (kernel, 3) };
  const gboolean splits = cell->kind == 'G' && !cell->linear_before_reset;
  const float *b;

  if (recurrent->weights[0].inputs != NULL && ph_kernel_is_constant (kernel, 1) && ph_kernel_is_constant (kernel, 2)
      && (tensors[2] == NULL || ph_kernel_is_constant (kernel, 3)) && tensors[0] == recurrent->packed_of[0]
      && tensors[1] == recurrent->packed_of[1] && tensors[2] == recurrent->packed_of[2])
    return TRUE;
  forget_weights (recurrent);
  b = tensors[2] != NULL ? ph_tensor_data (tensors[2]) : NULL;
  if (tensors[2] != NULL && b == NULL)
    return FALSE;
  for (gsize d = 0; d < (gsize) cell->directions; d++)
    {
      Weights *weights = &recurrent->weights[d];

      weights->inputs = new_panels (recurrent, tensors[0], d * rows * input, rows, input);
      weights->states = new_panels (recurrent, tensors[1], d * rows * n, splits ? 2 * n : rows, n);
      weights->candidate = splits ? new_panels (recurrent, tensors[1], d * rows * n + 2 * n * n, n, n) : NULL;
      weights->bias = g_new0 (float, rows + n + 2 * panel); /* products read whole panels */
      weights->own_bias = weights->bias + rows + panel;
      if (weights->inputs == NULL || weights->states == NULL || (splits && weights->candidate == NULL))
        return FALSE;
      for (gsize i = 0; b != NULL && i < rows; i++)
        {
          const float own = b[(2 * d + 1) * rows + i];
          const gboolean apart = cell->kind == 'G' && cell->linear_before_reset && i >= 2 * n;

          weights->bias[i] = b[2 * d * rows + i] + (apart ? 0 : own);
          if (apart)
            weights->own_bias[i - 2 * n] = own;
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    recurrent->packed_of[i] = tensors[i] != NULL ? ph_tensor_ref (tensors[i]) : NULL;
  return TRUE;
}

/* ── one step ── */

/* The state of one direction: @h and @c are [batch, hidden] and change in place; @gates: [batch, rows], initially the products with W;
 * @own: scratch of the same size, and more for one row. */
typedef struct
{
  const Recurrent *recurrent;
  const Weights *weights;
  const Activation *f;
  const float *peepholes; /* (nullable) */
  gsize batch, n, rows;
  float *h, *c, *gates, *own;
} Step;

static void
clip (const Step *step, gsize n, float *x)
{
  const float most = (float) step->recurrent->cell.clip;

  for (gsize i = 0; most > 0 && i < n; i++)
    x[i] = CLAMP (x[i], -most, most);
}

static void
activate (const Step *step, const Activation *f, gsize n, float *x)
{
  clip (step, n, x);
  ph_lanes ()->unary[f->lane](n, x, x, f->p);
}

static void
add (gsize n, float *to, const float *x)
{
  ph_lanes ()->binary[PH_LANE_ADD](n, to, to, x);
}

static void
multiply (gsize n, float *to, const float *a, const float *b)
{
  ph_lanes ()->binary[PH_LANE_MUL](n, to, a, b);
}

static void
step_plain (const Step *step)
{
  const gsize n = step->n, all = step->batch * n;

  ph_lanes ()->product (step->batch, n, n, step->h, n, step->weights->states, NULL, step->own, n);
  add (all, step->gates, step->own);
  activate (step, &step->f[0], all, step->gates);
  memcpy (step->h, step->gates, all * sizeof (float));
}

/* Gates z, r, h. */
static void
step_gru (const Step *step)
{
  const gsize n = step->n, rows = step->rows;
  const gboolean after = step->recurrent->cell.linear_before_reset;
  const gsize width = after ? rows : 2 * n;
  float *reset = step->own + step->batch * rows; /* [batch, n] */

  ph_lanes ()->product (step->batch, width, n, step->h, n, step->weights->states, NULL, step->own, width);
  for (gsize b = 0; b < step->batch; b++)
    {
      float *gates = step->gates + b * rows, *own = step->own + b * width;

      add (2 * n, gates, own);
      activate (step, &step->f[0], 2 * n, gates);
      if (after)
        {
          add (n, own + 2 * n, step->weights->own_bias);
          multiply (n, own + 2 * n, own + 2 * n, gates + n);
          add (n, gates + 2 * n, own + 2 * n);
        }
      else
        multiply (n, reset + b * n, gates + n, step->h + b * n);
    }
  if (!after)
    ph_lanes ()->product (step->batch, n, n, reset, n, step->weights->candidate, NULL, step->own, n);
  for (gsize b = 0; b < step->batch; b++)
    {
      float *gates = step->gates + b * rows, *candidate = gates + 2 * n, *h = step->h + b * n;

      if (!after)
        add (n, candidate, step->own + b * n);
      activate (step, &step->f[1], n, candidate);
      for (gsize i = 0; i < n; i++)
        h[i] = (1 - gates[i]) * candidate[i] + gates[i] * h[i];
    }
}

/* Gates i, o, f, c. */
static void
step_lstm (const Step *step)
{
  const gsize n = step->n, rows = step->rows;
  const float *p = step->peepholes;

  ph_lanes ()->product (step->batch, rows, n, step->h, n, step->weights->states, NULL, step->own, rows);
  add (step->batch * rows, step->gates, step->own);
  for (gsize b = 0; b < step->batch; b++)
    {
      float *in = step->gates + b * rows, *out = in + n, *forget = in + 2 * n, *candidate = in + 3 * n;
      float *h = step->h + b * n, *c = step->c + b * n;

      for (gsize i = 0; p != NULL && i < n; i++)
        {
          in[i] += p[i] * c[i];
          forget[i] += p[2 * n + i] * c[i];
        }
      activate (step, &step->f[0], n, in);
      if (!step->recurrent->cell.coupled)
        activate (step, &step->f[0], n, forget);
      else
        for (gsize i = 0; i < n; i++)
          forget[i] = 1 - in[i];
      activate (step, &step->f[1], n, candidate);
      for (gsize i = 0; i < n; i++)
        c[i] = forget[i] * c[i] + in[i] * candidate[i];
      for (gsize i = 0; p != NULL && i < n; i++)
        out[i] += p[n + i] * c[i];
      activate (step, &step->f[0], n, out);
      ph_lanes ()->unary[step->f[2].lane](n, h, c, step->f[2].p);
      multiply (n, h, h, out);
    }
}

/* ── all steps ── */

/* Computes the products of W with the inputs of @n_steps from step @first on, in sequence order: [steps, batch, rows]. */
static void
multiply_inputs (const Recurrent *recurrent, const Weights *weights, const float *x, gsize first, gsize n_steps, float *out)
{
  const PhRecurrent *cell = &recurrent->cell;
  const gsize batch = (gsize) cell->batch, input = (gsize) cell->input, rows = cell->gates * (gsize) cell->hidden;

  if (!cell->batch_first)
    ph_lanes ()->product (n_steps * batch, rows, input, x + first * batch * input, input, weights->inputs, weights->bias, out,
                          rows);
  else
    for (gsize i = 0; i < n_steps; i++)
      ph_lanes ()->product (batch, rows, input, x + (first + i) * input, (gsize) cell->steps * input, weights->inputs,
                            weights->bias, out + i * batch * rows, rows);
}

/* Copies the state of direction @d, [batch, hidden], from or to the tensor of all directions. */
static void
copy_state (const PhRecurrent *cell, gsize d, float *all, float *state, gboolean out)
{
  const gsize n = (gsize) cell->hidden;

  for (gsize b = 0; b < (gsize) cell->batch; b++)
    {
      float *at = all + (cell->batch_first ? b * (gsize) cell->directions + d : d * (gsize) cell->batch + b) * n;

      memcpy (out ? at : state + b * n, out ? state + b * n : at, n * sizeof *at);
    }
}

/* Handles sequences of different lengths: those that ended before step @t, or have not begun in the reverse direction, keep their states.
 * Only rows up to the last active one are computed, since sequences are mostly sorted by length. */
typedef struct
{
  const gint64 *lengths; /* (nullable) one for each row                 */
  gsize longest;         /* the greatest, at most the steps             */
  float *kept;           /* room for both states                        */
} Lengths;

static gboolean
is_over (const Lengths *lengths, gsize row, gsize t)
{
  return lengths->lengths != NULL && lengths->lengths[row] <= (gint64) t;
}

static void
one_step (const Recurrent *recurrent, Step *step, const Lengths *lengths, gsize t)
{
  const gsize n = step->n, all = (gsize) recurrent->cell.batch;

  step->batch = all;
  while (step->batch > 0 && is_over (lengths, step->batch - 1, t))
    step->batch--;
  if (lengths->lengths != NULL)
    memcpy (lengths->kept, step->h, 2 * all * n * sizeof (float)); /* c follows h */
  if (recurrent->cell.kind == 'R')
    step_plain (step);
  else if (recurrent->cell.kind == 'G')
    step_gru (step);
  else
    step_lstm (step);
  for (gsize b = 0; b < step->batch; b++)
    if (is_over (lengths, b, t))
      {
        memcpy (step->h + b * n, lengths->kept + b * n, n * sizeof (float));
        memcpy (step->c + b * n, lengths->kept + (all + b) * n, n * sizeof (float));
      }
}

/* (nullable) @y */
static void
run_direction (const Recurrent *recurrent, Step *step, const Lengths *lengths, gsize d, const float *x, float *products,
               gsize block, float *y)
{
  const PhRecurrent *cell = &recurrent->cell;
  const gboolean reverse = cell->reverse || d == 1;
  const gsize steps = (gsize) cell->steps, batch = (gsize) cell->batch, n = step->n, directions = (gsize) cell->directions;

#define RESULT(t, b) (y + (cell->batch_first ? ((b) *steps + (t)) * directions + d : ((t) *directions + d) * batch + (b)) * n)
  for (gsize t = lengths->longest; y != NULL && t < steps; t++)
    for (gsize b = 0; b < batch; b++)
      memset (RESULT (t, b), 0, n * sizeof *y);
  for (gsize done = 0; done < lengths->longest; done += block)
    {
      const gsize now = MIN (block, lengths->longest - done), first = reverse ? lengths->longest - done - now : done;

      multiply_inputs (recurrent, step->weights, x, first, now, products);
      for (gsize i = 0; i < now; i++)
        {
          const gsize t = reverse ? first + now - 1 - i : first + i;

          step->gates = products + (t - first) * batch * step->rows;
          one_step (recurrent, step, lengths, t);
          for (gsize b = 0; y != NULL && b < batch; b++)
            if (is_over (lengths, b, t))
              memset (RESULT (t, b), 0, n * sizeof *y);
            else
              memcpy (RESULT (t, b), step->h + b * n, n * sizeof *y);
        }
    }
#undef RESULT
}

static gboolean
run_recurrent (PhKernel *kernel, gpointer prepared)
{
  Recurrent *recurrent = prepared;
  const PhRecurrent *cell = &recurrent->cell;
  const gsize n = (gsize) cell->hidden, batch = (gsize) cell->batch, rows = cell->gates * n, all = batch * n;
  const gsize block = MIN (MAX (ROWS / MAX (batch, 1), 1), (gsize) cell->steps);
  PhTensor *h0 = ph_kernel_input (kernel, 5), *c0 = cell->kind == 'L' ? ph_kernel_input (kernel, 6) : NULL,
           *p = cell->kind == 'L' ? ph_kernel_input (kernel, 7) : NULL;
  g_autofree float *products = g_try_new (float, block *batch *rows), *own = g_try_new (float, batch *rows + all),
                   *states = g_new0 (float, 2 * all);
  gsize n_lengths = 0;
  g_autofree gint64 *given = ph_kernel_ints (kernel, 4, &n_lengths);
  g_autofree float *kept = given != NULL ? g_try_new (float, 2 * all) : NULL;
  Lengths lengths = { given, (gsize) cell->steps, kept };
  gint64 y_dims[4], h_dims[3];
  float *outputs[3] = { NULL };

  if (ph_kernel_input (kernel, 4) != NULL
      && (kept == NULL || n_lengths != batch || ph_tensor_rank (ph_kernel_input (kernel, 4)) != 1))
    return FALSE;
  if (given != NULL)
    lengths.longest = 0;
  for (gsize b = 0; b < n_lengths; b++)
    lengths.longest = MAX (lengths.longest, (gsize) CLAMP (given[b], 0, cell->steps));
  y_dims[cell->batch_first ? 1 : 0] = cell->steps;
  y_dims[cell->batch_first ? 0 : 2] = h_dims[cell->batch_first ? 0 : 1] = cell->batch;
  y_dims[cell->batch_first ? 2 : 1] = h_dims[cell->batch_first ? 1 : 0] = cell->directions;
  y_dims[3] = h_dims[2] = cell->hidden;
  if (products == NULL || own == NULL || !pack_weights (recurrent, kernel) || ph_tensor_data (kernel->inputs[0]) == NULL
      || (h0 != NULL && ph_tensor_data (h0) == NULL) || (c0 != NULL && ph_tensor_data (c0) == NULL)
      || (p != NULL && ph_tensor_data (p) == NULL))
    return FALSE;
  for (guint i = 0; i < (cell->kind == 'L' ? 3 : 2); i++)
    {
      if (!ph_kernel_wants (kernel, i))
        continue;
      outputs[i] = ph_kernel_output_unset (kernel, i, PH_FLOAT, i == 0 ? 4 : 3, i == 0 ? y_dims : h_dims, NULL);
      if (outputs[i] == NULL)
        {
          while (i-- > 0)
            ph_kernel_take (kernel, i, NULL);
          return FALSE;
        }
    }
  for (gsize d = 0; d < (gsize) cell->directions; d++)
    {
      Step step = { recurrent,
                    &recurrent->weights[d],
                    &recurrent->f[d * cell->per_direction],
                    NULL,
                    batch,
                    n,
                    rows,
                    states,
                    states + all,
                    NULL,
                    own };

      if (p != NULL)
        step.peepholes = (const float *) ph_tensor_data (p) + d * 3 * n;
      memset (states, 0, 2 * all * sizeof *states);
      if (h0 != NULL)
        copy_state (cell, d, (float *) ph_tensor_data (h0), step.h, FALSE);
      if (c0 != NULL)
        copy_state (cell, d, (float *) ph_tensor_data (c0), step.c, FALSE);
      run_direction (recurrent, &step, &lengths, d, ph_tensor_data (kernel->inputs[0]), products, block, outputs[0]);
      if (outputs[1] != NULL)
        copy_state (cell, d, outputs[1], step.h, TRUE);
      if (outputs[2] != NULL)
        copy_state (cell, d, outputs[2], step.c, TRUE);
    }
  return TRUE;
}

static gsize
packed_recurrent (gpointer prepared)
{
  return ((const Recurrent *) prepared)->bytes;
}

const PhKernelRow ph_kernels_recurrent[] = {
  { &ph_op_GRU, PH_DEVICE_CPU, "panels", 10, prepare_recurrent, run_recurrent, free_recurrent, packed_recurrent, NULL, TRUE },
  { &ph_op_LSTM, PH_DEVICE_CPU, "panels", 10, prepare_recurrent, run_recurrent, free_recurrent, packed_recurrent, NULL, TRUE },
  { &ph_op_RNN, PH_DEVICE_CPU, "panels", 10, prepare_recurrent, run_recurrent, free_recurrent, packed_recurrent, NULL, TRUE },
  { NULL },
};
