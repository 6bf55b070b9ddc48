/* dnnl-conv-weights.c: runs the gradient of a convolution's weights, a convolution with batch and channels exchanged, through oneDNN's
 * primitive for it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/run-private.h"
#include "core/tensor/broadcast.h"

/* ── the gradient of weights ──
 * dW[m, c, i] = sum over n, p of x[n, c, i dilation + p stride - pad] dy[n, m, p] is a Conv of x with dy as weights, with the first two
 * axes of operands and result exchanged: the window has the size of dy, and there are as many positions as W has elements. */

/* Describes a tensor with its first two axes exchanged. */
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

/* Returns TRUE if the window is much larger than the result, where an ordinary convolution is slow. */
static gboolean
is_gradient_of_weights (PhKernel *kernel, PhWindow *window)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1);
  gint64 places = 1, taps = 1;
  guint rank;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || ph_kernel_is_constant (kernel, 1) || ph_kernel_input (kernel, 2) != NULL
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
    return ph_kernel_refuse (kernel, "no floats with a window much larger than what it makes");
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

const PhKernelRow ph_kernels_dnnl_conv_weights[] = {
  { &ph_op_Conv, PH_DEVICE_CPU, "weights", 20, prepare_weights, run_weights, ph_dnnl_free, NULL, NULL, TRUE },
  { NULL },
};
