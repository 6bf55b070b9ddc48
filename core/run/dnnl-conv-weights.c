/* dnnl-conv-weights.c: convolutions as gradients have them, by the primitives that are made for those: the gradient of weights is a
 * convolution whose batch and channels have changed places, and a transposed convolution is one with its weights turned round.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/run-private.h"
#include "core/tensor/broadcast.h"

/* ── the gradient of weights ──
 * dW[m, c, i] = sum over n, p of x[n, c, i dilation + p stride - pad] dy[n, m, p] is what Conv makes of x and dy with their first two axes
 * exchanged, and its own: a window as large as dy, moved to as many places as W has elements. */

/* Rows and columns of a tensor whose first two axes are exchanged. */
static void
exchanged (dnnl_memory_desc_t *desc, guint rank, const gint64 *dims)
{
  dnnl_dims_t sizes, strides;
  gint64 own[PH_MAX_RANK];

  ph_strides (rank, dims, own);
  for (guint i = 0; i < rank; i++)
    {
      const guint of = i < 2 ? 1 - i : i;

      sizes[i] = dims[of];
      strides[i] = own[of];
    }
  dnnl_memory_desc_init_by_strides (desc, (int) rank, sizes, dnnl_f32, strides);
}

/* Whether the window is much larger than the result, which is where an ordinary convolution is slow. */
static gboolean
is_gradient_of_weights (PhKernel *kernel, PhWindow *window)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1);
  gint64 places = 1, taps = 1;
  guint rank;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || ph_kernel_is_constant (kernel, 1) || ph_kernel_input (kernel, 2) != NULL
      || ph_tensor_format (x) != PH_MEMORY_PLAIN || ph_tensor_format (w) != PH_MEMORY_PLAIN
      || ph_node_attr_int (kernel->node, "group", 1) != 1)
    return FALSE;
  rank = ph_tensor_rank (x);
  if (rank < 3 || rank > 2 + PH_DNNL_SPATIAL || ph_tensor_rank (w) != rank || ph_tensor_dims (x)[1] != ph_tensor_dims (w)[1]
      || ph_window_init (window, kernel->node, rank - 2, ph_tensor_dims (x) + 2, ph_tensor_dims (w) + 2) != NULL)
    return FALSE;
  for (guint i = 0; i < window->n; i++)
    {
      if (window->begin[i] < 0 || window->end[i] < 0 || window->out[i] < 1
          || window->begin[i] >= window->out[i] * window->stride[i])
        return FALSE;
      places *= window->out[i];
      taps *= window->kernel[i];
    }
  return taps >= 4 * places;
}

static gpointer
prepare_weights (PhKernel *kernel)
{
  dnnl_memory_desc_t x, w, y, given;
  dnnl_convolution_desc_t forward, backward;
  dnnl_primitive_desc_t hint = NULL;
  dnnl_dims_t strides, dilations, before, after;
  gint64 dims[2 + PH_DNNL_SPATIAL];
  PhWindow window;
  gboolean ok;
  int threads;
  PhDnnl *dnnl;
  guint rank;

  if (!is_gradient_of_weights (kernel, &window))
    return ph_kernel_refuse (kernel, "no row-major floats with a window much larger than what it makes");
  rank = 2 + window.n;
  for (guint i = 0; i < window.n; i++)
    {
      const gint64 extent = (window.out[i] - 1) * window.stride[i] + 1;

      strides[i] = window.dilation[i];
      dilations[i] = window.stride[i] - 1; /* oneDNN counts the elements left out */
      before[i] = window.begin[i];
      after[i] = MAX (0, (window.kernel[i] - 1) * strides[i] + extent - window.in[i] - window.begin[i]);
      if ((window.in[i] + before[i] + after[i] - extent) / strides[i] + 1 != window.kernel[i])
        return ph_kernel_refuse (kernel, "padding that no convolution has whose weights these are");
    }
  dims[0] = ph_tensor_dims (kernel->inputs[0])[0];
  dims[1] = ph_tensor_dims (kernel->inputs[1])[0];
  memcpy (dims + 2, window.out, window.n * sizeof *dims);
  dnnl = ph_dnnl_new ();
  exchanged (&given, rank, ph_tensor_dims (kernel->inputs[0]));
  ph_dnnl_add_as (dnnl, kernel, DNNL_ARG_SRC, 0, &given);
  x = ph_dnnl_any (&given);
  exchanged (&given, rank, ph_tensor_dims (kernel->inputs[1]));
  ph_dnnl_add_as (dnnl, kernel, DNNL_ARG_DIFF_DST, 1, &given);
  y = ph_dnnl_any (&given);
  exchanged (&given, rank, dims);
  ph_dnnl_result_as (dnnl, DNNL_ARG_DIFF_WEIGHTS, rank, dims, &given);
  w = ph_dnnl_any (&given);
  threads = ph_run_push_threads (1); /* several would add up their parts, which rounds otherwise */
  ok = dnnl_dilated_convolution_forward_desc_init (&forward, dnnl_forward_training, dnnl_convolution_direct, &x, &w, NULL, &y,
                                                   strides, dilations, before, after)
           == dnnl_success
       && dnnl_dilated_convolution_backward_weights_desc_init (&backward, dnnl_convolution_direct, &x, &w, NULL, &y, strides,
                                                               dilations, before, after)
              == dnnl_success
       && dnnl_primitive_desc_create (&hint, &forward, NULL, ph_dnnl_engine (), NULL) == dnnl_success
       && ph_dnnl_make (dnnl, &backward, hint);
  ph_run_pop_threads (threads);
  if (hint != NULL)
    dnnl_primitive_desc_destroy (hint);
  if (ok)
    return dnnl;
  ph_dnnl_free (dnnl);
  return ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
}

static gboolean
run_weights (PhKernel *kernel, gpointer prepared)
{
  const int threads = ph_run_push_threads (1);
  const gboolean ok = ph_dnnl_run (kernel, prepared);

  ph_run_pop_threads (threads);
  return ok;
}

/* ── a transposed convolution of stride 1 ── */

#define FEW_CHANNELS 16 /* oneDNN has no fast primitive of its own that makes fewer */

typedef struct
{
  PhDnnl *dnnl;
  PhTensor *turned;    /* (nullable) owned: the weights turned round, outputs first */
  PhTensor *turned_of; /* (nullable) owned                                          */
} Turned;

static void
free_turned (gpointer data)
{
  Turned *self = data;

  g_clear_pointer (&self->dnnl, ph_dnnl_free);
  g_clear_pointer (&self->turned, ph_tensor_unref);
  g_clear_pointer (&self->turned_of, ph_tensor_unref);
  g_free (self);
}

/* [in, out, k...] to [out, in, k...], each window from its end. (nullable) (transfer full) */
static PhTensor *
turn_round (PhTensor *w)
{
  const guint rank = ph_tensor_rank (w);
  const gint64 *of = ph_tensor_dims (w);
  gint64 dims[PH_MAX_RANK], own[PH_MAX_RANK], from[PH_MAX_RANK], to[PH_MAX_RANK], start = 0;
  const gboolean is_there = ph_tensor_is_in_memory (w) || ph_tensor_is_splat (w);
  g_autofree float *once = is_there ? NULL : g_try_new (float, ph_tensor_count (w));
  const float *data = is_there ? ph_tensor_data (w) : once != NULL && ph_tensor_copy_data (w, once) ? once : NULL;
  PhTensor *turned;

  for (guint i = 0; i < rank; i++)
    dims[i] = of[i < 2 ? 1 - i : i];
  turned = data != NULL ? ph_tensor_new_unset (PH_FLOAT, rank, dims) : NULL;
  if (turned == NULL)
    return NULL;
  ph_strides (rank, of, own);
  ph_strides (rank, dims, to);
  for (guint i = 0; i < rank; i++)
    {
      from[i] = i < 2 ? own[1 - i] : -own[i];
      start += i < 2 ? 0 : (dims[i] - 1) * own[i];
    }
  ph_copy_strided (rank, dims, ph_tensor_writable (turned), to, data + start, from, sizeof (float));
  return turned;
}

static PhTensor *
turned_weights (Turned *self, PhKernel *kernel)
{
  PhTensor *w = kernel->inputs[1];

  if (self->turned_of == w && ph_kernel_is_constant (kernel, 1))
    return self->turned;
  g_clear_pointer (&self->turned, ph_tensor_unref);
  g_clear_pointer (&self->turned_of, ph_tensor_unref);
  self->turned = turn_round (w);
  self->turned_of = self->turned != NULL ? ph_tensor_ref (w) : NULL;
  return self->turned;
}

/* FALSE: oneDNN's own primitive is as fast, or the convolution would have padding below 0. */
static gboolean
turned_geometry (PhKernel *kernel, PhDnnlGeometry *geometry, PhWindow *window)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  guint rank;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || (bias != NULL && !ph_dnnl_is_float (bias))
      || ph_node_attr_int (kernel->node, "group", 1) != 1)
    return FALSE;
  rank = ph_tensor_rank (x);
  if (rank < 3 || rank > 2 + PH_DNNL_SPATIAL || ph_tensor_rank (w) != rank || ph_tensor_dims (x)[1] != ph_tensor_dims (w)[0]
      || ph_tensor_dims (w)[1] >= FEW_CHANNELS
      || (bias != NULL && (ph_tensor_rank (bias) != 1 || ph_tensor_dims (bias)[0] != ph_tensor_dims (w)[1]))
      || ph_window_init_transposed (window, kernel->node, rank - 2, ph_tensor_dims (x) + 2, ph_tensor_dims (w) + 2) != NULL)
    return FALSE;
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 extent = (window->kernel[i] - 1) * window->dilation[i] + 1;

      geometry->strides[i] = 1;
      geometry->dilations[i] = window->dilation[i] - 1;
      geometry->before[i] = extent - 1 - window->begin[i];
      geometry->after[i] = window->out[i] - window->in[i] + extent - 1 - geometry->before[i];
      if (window->stride[i] != 1 || window->begin[i] < 0 || geometry->before[i] < 0 || geometry->after[i] < 0
          || geometry->after[i] >= extent || window->out[i] < 1)
        return FALSE;
    }
  return TRUE;
}

static gpointer
prepare_turned (PhKernel *kernel)
{
  dnnl_memory_desc_t x, w, y, plain;
  dnnl_convolution_desc_t op;
  gint64 dims[2 + PH_DNNL_SPATIAL];
  const gint64 *of;
  PhDnnlGeometry g;
  PhWindow window;
  PhDnnl *dnnl;
  guint rank;

  if (!turned_geometry (kernel, &g, &window))
    return ph_kernel_refuse (kernel, "not of stride 1 and one group, to few channels");
  rank = 2 + window.n;
  of = ph_tensor_dims (kernel->inputs[1]);
  for (guint i = 0; i < rank; i++)
    dims[i] = of[i < 2 ? 1 - i : i];
  dnnl = ph_dnnl_new ();
  x = ph_dnnl_any (&ph_dnnl_add (dnnl, kernel, DNNL_ARG_SRC, 0)->given);
  ph_dnnl_plain (&plain, rank, dims);
  ph_dnnl_add_as (dnnl, kernel, DNNL_ARG_WEIGHTS, 1, &plain);
  w = ph_dnnl_any (&plain);
  if (ph_kernel_input (kernel, 2) != NULL)
    ph_dnnl_add (dnnl, kernel, DNNL_ARG_BIAS, 2);
  dims[0] = ph_tensor_dims (kernel->inputs[0])[0];
  dims[1] = of[1];
  memcpy (dims + 2, window.out, window.n * sizeof *dims);
  ph_dnnl_plain (&plain, rank, dims);
  y = ph_dnnl_any (&plain);
  ph_dnnl_result (dnnl, rank, dims);
  if (dnnl_dilated_convolution_forward_desc_init (&op, dnnl_forward_inference, dnnl_convolution_direct, &x, &w,
                                                  dnnl->n > 3 ? &dnnl->args[2].given : NULL, &y, g.strides, g.dilations, g.before,
                                                  g.after)
          != dnnl_success
      || !ph_dnnl_make (dnnl, &op, NULL))
    {
      ph_dnnl_free (dnnl);
      return ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
    }
  return g_memdup2 (&(Turned) { .dnnl = dnnl }, sizeof (Turned));
}

static gboolean
run_turned (PhKernel *kernel, gpointer prepared)
{
  Turned *self = prepared;
  PhTensor *inputs[3] = { kernel->inputs[0], turned_weights (self, kernel), ph_kernel_input (kernel, 2) };
  PhKernel own = *kernel;

  own.inputs = inputs;
  return inputs[1] != NULL && ph_dnnl_run (&own, self->dnnl);
}

static gsize
packed_turned (gpointer prepared)
{
  const Turned *self = prepared;

  return ph_dnnl_packed_of (self->dnnl) + (self->turned != NULL ? ph_tensor_bytes (self->turned) : 0);
}

const PhKernelRow ph_kernels_dnnl_conv_weights[] = {
  { &ph_op_Conv, PH_DEVICE_CPU, "weights", 20, prepare_weights, run_weights, ph_dnnl_free, NULL, NULL, TRUE },
  { &ph_op_ConvTranspose, PH_DEVICE_CPU, "turned", 15, prepare_turned, run_turned, free_turned, packed_turned, NULL, TRUE },
  { NULL },
};
