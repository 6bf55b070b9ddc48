/* depthwise.c: depthwise convolutions in three dimensions and in one, for which oneDNN has only slow kernels.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"
#include "core/run/run-private.h"
#include "core/tensor/transpose.h"

#define SPACE     3
#define MOST_TAPS 512

/* The channels are the innermost dimension of the input, the weights and the result, and all of them are computed together. */
typedef struct
{
  PhWindow window;
  gsize batch, channels, in, taps; /* @in: pixels of an image; @taps: of a window */
  gint64 dims[2 + SPACE];          /* of the result                               */
  float *weights;                  /* (nullable) [taps, channels]                 */
  PhTensor *weights_of;            /* (nullable) owned                            */
} Depthwise;

static void
free_depthwise (gpointer data)
{
  Depthwise *self = data;

  g_free (self->weights);
  g_clear_pointer (&self->weights_of, ph_tensor_unref);
  g_free (self);
}

static gpointer
prepare_depthwise (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  g_autofree Depthwise *self = g_new0 (Depthwise, 1);
  const gint64 *dims;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || ph_tensor_rank (x) != 2 + SPACE || ph_tensor_rank (w) != 2 + SPACE
      || (bias != NULL && (!ph_dnnl_is_float (bias) || ph_tensor_rank (bias) != 1)))
    return ph_kernel_refuse (kernel, "not of float32 in three dimensions");
  dims = ph_tensor_dims (x);
  if (dims[1] < 4 || ph_node_attr_int (kernel->node, "group", 1) != dims[1] || ph_tensor_dims (w)[0] != dims[1]
      || ph_tensor_dims (w)[1] != 1 || (bias != NULL && (gint64) ph_tensor_count (bias) != dims[1]))
    return ph_kernel_refuse (kernel, "its channels are few, or not each a group of its own");
  if (ph_window_init (&self->window, kernel->node, SPACE, dims + 2, ph_tensor_dims (w) + 2) != NULL
      || ph_window_kernel_count (&self->window) > MOST_TAPS)
    return ph_kernel_refuse (kernel, "its windows are too large");
  for (guint i = 0; i < SPACE; i++)
    if (self->window.out[i] < 1)
      return ph_kernel_refuse (kernel, "it makes nothing");
  self->batch = (gsize) dims[0];
  self->channels = (gsize) dims[1];
  self->in = (gsize) ph_dims_product (dims, 2, 2 + SPACE);
  self->taps = (gsize) ph_window_kernel_count (&self->window);
  memcpy (self->dims, dims, 2 * sizeof *dims);
  memcpy (self->dims + 2, self->window.out, SPACE * sizeof *dims);
  return g_steal_pointer (&self);
}

static gboolean
bring_weights (Depthwise *self, PhTensor *w)
{
  g_autofree float *from = NULL;

  if (self->weights_of == w)
    return TRUE;
  from = g_try_new (float, self->taps * self->channels);
  if (self->weights == NULL)
    self->weights = g_try_new (float, self->taps * self->channels);
  if (from == NULL || self->weights == NULL || !ph_tensor_copy_data (w, from))
    return FALSE;
  ph_transpose_floats (self->channels, self->taps, from, self->taps, self->weights, self->channels);
  g_clear_pointer (&self->weights_of, ph_tensor_unref);
  self->weights_of = ph_tensor_ref (w);
  return TRUE;
}

/* Finds the pixels that the window at @place reads, with their weights, without those in the padding. */
static gsize
read_window (const Depthwise *self, const gint64 *place, const float *image, const float **x, const float **weights)
{
  const PhWindow *w = &self->window;
  gsize n = 0, tap = 0;
  gint64 at[SPACE];

  for (gint64 a = 0; a < w->kernel[0]; a++)
    for (gint64 b = 0; b < w->kernel[1]; b++)
      for (gint64 c = 0; c < w->kernel[2]; c++, tap++)
        {
          at[0] = place[0] * w->stride[0] - w->begin[0] + a * w->dilation[0];
          at[1] = place[1] * w->stride[1] - w->begin[1] + b * w->dilation[1];
          at[2] = place[2] * w->stride[2] - w->begin[2] + c * w->dilation[2];
          if (at[0] < 0 || at[0] >= w->in[0] || at[1] < 0 || at[1] >= w->in[1] || at[2] < 0 || at[2] >= w->in[2])
            continue;
          x[n] = image + (gsize) ((at[0] * w->in[1] + at[1]) * w->in[2] + at[2]) * self->channels;
          weights[n++] = self->weights + tap * self->channels;
        }
  return n;
}

static void
convolve (const Depthwise *self, const float *image, const float *bias, float *out)
{
  const float *x[MOST_TAPS], *weights[MOST_TAPS];
  gint64 place[SPACE];

  for (place[0] = 0; place[0] < self->window.out[0]; place[0]++)
    for (place[1] = 0; place[1] < self->window.out[1]; place[1]++)
      for (place[2] = 0; place[2] < self->window.out[2]; place[2]++, out += self->channels)
        ph_lanes ()->weigh (self->channels, out, bias, read_window (self, place, image, x, weights), x, weights);
}

static gboolean
run_depthwise (PhKernel *kernel, gpointer prepared)
{
  Depthwise *self = prepared;
  PhTensor *x = kernel->inputs[0], *bias = ph_kernel_input (kernel, 2), *y;
  const gboolean is_last = ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST;
  const gsize image = self->channels * self->in, out = self->channels * (gsize) ph_dims_product (self->dims, 2, 2 + SPACE);
  const float *from = is_last ? ph_tensor_packed (x) : ph_tensor_data (x), *start = bias != NULL ? ph_tensor_data (bias) : NULL;
  g_autofree float *turned = is_last ? NULL : g_try_new (float, image);

  if (from == NULL || (!is_last && turned == NULL) || (bias != NULL && start == NULL) || !bring_weights (self, kernel->inputs[1]))
    return FALSE;
  y = ph_tensor_new_packed (2 + SPACE, self->dims, PH_MEMORY_CHANNELS_LAST);
  if (y == NULL)
    return FALSE;
  for (gsize b = 0; b < self->batch; b++)
    {
      if (!is_last)
        ph_transpose_floats (self->channels, self->in, from + b * image, self->in, turned, self->channels);
      convolve (self, is_last ? from + b * image : turned, start, (float *) ph_tensor_packed (y) + b * out);
    }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

static gsize
packed_depthwise (gpointer prepared)
{
  const Depthwise *self = prepared;

  return self->weights_of != NULL ? self->taps * self->channels * sizeof (float) : 0;
}

/* ── in one dimension ── */

static gpointer
prepare_line (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  PhWindow window;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || ph_tensor_rank (x) != 3 || ph_tensor_rank (w) != 3
      || (bias != NULL && (!ph_dnnl_is_float (bias) || ph_tensor_count (bias) != (gsize) ph_tensor_dims (w)[0])))
    return ph_kernel_refuse (kernel, "not of float32 in one dimension");
  if (ph_node_attr_int (kernel->node, "group", 1) != ph_tensor_dims (x)[1] || ph_tensor_dims (w)[1] != 1
      || ph_tensor_dims (w)[0] % ph_tensor_dims (x)[1] != 0)
    return ph_kernel_refuse (kernel, "its channels are not each a group of its own");
  if (ph_window_init (&window, kernel->node, 1, ph_tensor_dims (x) + 2, ph_tensor_dims (w) + 2) != NULL || window.stride[0] != 1)
    return ph_kernel_refuse (kernel, "windows that do not fit, or have a stride");
  return g_memdup2 (&window, sizeof window);
}

/* Convolves one channel, in a copy with its padding: that counts, too, where a weight is infinite. */
static gboolean
convolve_line (const PhWindow *w, const float *x, const float *weights, float start, float *y)
{
  const gint64 room = w->out[0] + (w->kernel[0] - 1) * w->dilation[0], before = MAX (w->begin[0], 0), cut = MAX (-w->begin[0], 0);
  const gint64 n = MIN (w->in[0] - cut, room - before);
  g_autofree float *padded = g_try_new0 (float, room);

  if (padded != NULL && n > 0)
    memcpy (padded + before, x + cut, (gsize) n * sizeof *x);
  if (padded != NULL)
    ph_lanes ()->correlate ((gsize) w->out[0], y, start, padded, (gsize) w->kernel[0], weights, (gsize) w->dilation[0]);
  return padded != NULL;
}

#define FEW 65536 /* multiplications that other threads would not make faster */

static gboolean
run_line (PhKernel *kernel, gpointer prepared)
{
  const PhWindow *window = prepared;
  PhTensor *bias = ph_kernel_input (kernel, 2);
  const float *x = ph_tensor_data (kernel->inputs[0]), *start = bias != NULL ? ph_tensor_data (bias) : NULL;
  g_autofree float *w = g_try_new (float, ph_tensor_count (kernel->inputs[1])); /* they need not be in memory */
  const gint64 *dims = ph_tensor_dims (kernel->inputs[0]), channels = ph_tensor_dims (kernel->inputs[1])[0];
  const gint64 in = window->in[0], out = window->out[0], taps = window->kernel[0], lines = dims[0] * channels;
  float *y = x != NULL && (bias == NULL || start != NULL) && w != NULL && ph_tensor_copy_data (kernel->inputs[1], w)
                 ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, 3, (gint64[]) { dims[0], channels, out }, NULL)
                 : NULL;
  int failed = 0;

#pragma omp parallel for schedule(static) reduction(+ : failed) if (lines * out * taps > FEW && ph_run_max_threads() > 1)
  for (gint64 i = 0; i < (y != NULL ? lines : 0); i++)
    {
      const gint64 channel = i % channels, own = i / channels * dims[1] + channel / (channels / dims[1]);

      failed += !convolve_line (window, x + own * in, w + channel * taps, start != NULL ? start[channel] : 0, y + i * out);
    }
  if (failed > 0)
    ph_kernel_take (kernel, 0, NULL);
  return y != NULL && failed == 0;
}

const PhKernelRow ph_kernels_depthwise[] = {
  { &ph_op_Conv, PH_DEVICE_CPU, "lines", 15, prepare_line, run_line, g_free, NULL, NULL, TRUE },
  { &ph_op_Conv, PH_DEVICE_CPU, "depthwise", 15, prepare_depthwise, run_depthwise, free_depthwise, packed_depthwise, NULL, TRUE },
  { NULL },
};
