/* conv-panels.c: convolutions of small images by many weights, as products: oneDNN reads all weights again for each image.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"
#include "core/run/product.h"
#include "core/run/run-private.h"
#include "core/tensor/blocks.h"
#include "core/tensor/transpose.h"

#define SPACE        2
#define MOST_PIXELS  16                 /* of a result: more keep the weights of a block of channels busy */
#define MANY_WEIGHTS ((gint64) 1 << 20) /* which do not stay in a processor's own cache meanwhile         */
#define MOST_ROWS    ((gsize) 256)      /* windows that are laid out at once                              */

/* A row for each window, [taps, channels], times the weights, [taps, channels, channels of the result]. */
typedef struct
{
  PhWindow window;
  gint64 dims[2 + SPACE]; /* of the result                                */
  gsize taps, channels;
  float *bias;         /* (nullable) with zeros up to a whole panel    */
  float *panels;       /* (nullable)                                   */
  PhTensor *packed_of; /* (nullable) owned                             */
} ConvPanels;

static gsize
panel_bytes (const ConvPanels *self)
{
  return ph_lanes_panels (self->taps * self->channels, (gsize) self->dims[1]) * sizeof (float);
}

static void
free_conv (gpointer data)
{
  ConvPanels *self = data;

  if (self->panels != NULL)
    ph_block_free (self->panels, panel_bytes (self));
  g_clear_pointer (&self->packed_of, ph_tensor_unref);
  g_free (self->bias);
  g_free (self);
}

static gpointer
prepare_conv (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  g_autofree ConvPanels *self = g_new0 (ConvPanels, 1);
  const gint64 *dims, *sizes;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || ph_tensor_rank (x) != 2 + SPACE || ph_tensor_rank (w) != 2 + SPACE
      || (bias != NULL && (!ph_dnnl_is_float (bias) || (gint64) ph_tensor_count (bias) != ph_tensor_dims (w)[0])))
    return ph_kernel_refuse (kernel, "not of float32 in two dimensions");
  dims = ph_tensor_dims (x);
  sizes = ph_tensor_dims (w);
  if (!ph_kernel_is_constant (kernel, 1) || ph_tensor_is_splat (w) || ph_node_attr_int (kernel->node, "group", 1) != 1
      || sizes[1] != dims[1])
    return ph_kernel_refuse (kernel, "its weights are computed, or it has groups");
  if (ph_window_init (&self->window, kernel->node, SPACE, dims + 2, sizes + 2) != NULL)
    return ph_kernel_refuse (kernel, "its windows do not fit");
  if (self->window.out[0] < 1 || self->window.out[1] < 1 || self->window.out[0] * self->window.out[1] > MOST_PIXELS || dims[0] < 1
      || (gint64) ph_tensor_count (w) < MANY_WEIGHTS)
    return ph_kernel_refuse (kernel, "its result has so many pixels, or it has so few weights, that dnnl's order is faster");
  memcpy (self->dims, (gint64[]) { dims[0], sizes[0], self->window.out[0], self->window.out[1] }, sizeof self->dims);
  self->taps = (gsize) ph_window_kernel_count (&self->window);
  self->channels = (gsize) dims[1];
  return g_steal_pointer (&self);
}

/* [oc, ic, taps] to [taps, ic, oc], in panels. */
static gboolean
pack (ConvPanels *self, PhTensor *w, PhTensor *bias)
{
  const gsize n = (gsize) self->dims[1], k = self->taps * self->channels, panel = ph_lanes ()->panel;
  g_autoptr (PhTensor) whole = ph_tensor_dup_computed (w);
  g_autofree float *part = g_try_new (float, panel *k), *turned = g_try_new (float, panel *k);

  g_clear_pointer (&self->packed_of, ph_tensor_unref);
  self->panels = self->panels != NULL ? self->panels : ph_block_new_lasting (panel_bytes (self));
  if (whole == NULL || self->panels == NULL || part == NULL || turned == NULL)
    return FALSE;
  for (gsize at = 0; at < n; at += panel)
    {
      const gsize width = MIN (panel, n - at);

      if (!ph_tensor_copy_part (whole, at * k, width * k, part))
        return FALSE;
      if (width < panel)
        memset (self->panels + at * k, 0, panel * k * sizeof *part);
      for (gsize i = 0; i < width; i++)
        ph_transpose_floats (self->channels, self->taps, part + i * k, self->taps, turned + i * k, self->channels);
      ph_transpose_floats (width, k, turned, k, self->panels + at * k, panel);
    }
  g_free (self->bias);
  self->bias = bias != NULL ? g_new0 (float, n + panel) : NULL;
  if (bias != NULL && !ph_tensor_copy_data (bias, self->bias))
    return FALSE;
  self->packed_of = ph_tensor_ref (w);
  return TRUE;
}

/* Lays out the pixels of a window; those in the padding are 0. */
static void
lay_out (const ConvPanels *self, const float *images, gsize row, float *to)
{
  const PhWindow *w = &self->window;
  const gint64 pixel = (gint64) row % (w->out[0] * w->out[1]), y = pixel / w->out[1], x = pixel % w->out[1];
  const float *image = images + row / (gsize) (w->out[0] * w->out[1]) * (gsize) (w->in[0] * w->in[1]) * self->channels;

  for (gint64 i = 0; i < w->kernel[0]; i++)
    for (gint64 j = 0; j < w->kernel[1]; j++, to += self->channels)
      {
        const gint64 v = y * w->stride[0] - w->begin[0] + i * w->dilation[0],
                     u = x * w->stride[1] - w->begin[1] + j * w->dilation[1];

        if (v < 0 || v >= w->in[0] || u < 0 || u >= w->in[1])
          memset (to, 0, self->channels * sizeof *to);
        else
          memcpy (to, image + (gsize) (v * w->in[1] + u) * self->channels, self->channels * sizeof *to);
      }
}

/* Multiplies @m windows by all weights, whose panels are shared out among the threads. */
static void
multiply (const ConvPanels *self, gsize m, const float *windows, float *out)
{
  const gsize k = self->taps * self->channels, n = (gsize) self->dims[1], panel = ph_lanes ()->panel;
  const gsize n_panels = (n + panel - 1) / panel, most = (gint64) (m * n * k) > PH_FEW_PRODUCTS ? ph_run_max_threads () : 1;
  const gsize n_threads = MIN (most, n_panels);

  if (n_threads == 1) /* even one thread costs something to ask for */
    ph_lanes ()->product (m, n, k, windows, k, self->panels, self->bias, out, n);
  else
#pragma omp parallel for schedule(static)
    for (gsize t = 0; t < n_threads; t++)
      {
        const gsize first = n_panels * t / n_threads * panel, end = MIN (n_panels * (t + 1) / n_threads * panel, n);

        ph_lanes ()->product (m, end - first, k, windows, k, self->panels + first * k,
                              self->bias != NULL ? self->bias + first : NULL, out + first, n);
      }
}

static gboolean
run_conv (PhKernel *kernel, gpointer prepared)
{
  ConvPanels *self = prepared;
  PhTensor *x = kernel->inputs[0], *bias = ph_kernel_input (kernel, 2);
  const gsize k = self->taps * self->channels, rows = (gsize) (self->dims[0] * self->dims[2] * self->dims[3]);
  g_autoptr (PhTensor) image = ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST
                                   ? ph_tensor_ref (x)
                                   : ph_tensor_new_packed_of (x, PH_MEMORY_CHANNELS_LAST);
  g_autoptr (PhTensor) windows = ph_tensor_new_unset (PH_FLOAT, 2, (gint64[]) { (gint64) MIN (rows, MOST_ROWS), (gint64) k });
  g_autoptr (PhTensor) y = NULL;

  if (image == NULL || windows == NULL || (self->packed_of != kernel->inputs[1] && !pack (self, kernel->inputs[1], bias))
      || (bias != NULL && !ph_kernel_is_constant (kernel, 2) && !ph_tensor_copy_data (bias, self->bias)))
    return FALSE;
  y = ph_tensor_new_packed (2 + SPACE, self->dims, PH_MEMORY_CHANNELS_LAST);
  for (gsize at = 0; y != NULL && at < rows; at += MOST_ROWS)
    {
      const gsize m = MIN (MOST_ROWS, rows - at);
      float *to = ph_tensor_writable (windows);

      if (g_cancellable_is_cancelled (kernel->run->options->cancellable))
        return FALSE;
      for (gsize i = 0; i < m; i++)
        lay_out (self, ph_tensor_packed (image), at + i, to + i * k);
      multiply (self, m, to, (float *) ph_tensor_packed (y) + at * (gsize) self->dims[1]);
    }
  if (y == NULL)
    return FALSE;
  ph_kernel_take (kernel, 0, g_steal_pointer (&y));
  return TRUE;
}

static gsize
packed_conv (gpointer prepared)
{
  const ConvPanels *self = prepared;

  return self->packed_of != NULL ? panel_bytes (self) : 0;
}

const PhKernelRow ph_kernels_conv_panels[] = {
  { &ph_op_Conv, PH_DEVICE_CPU, "panels", 20, prepare_conv, run_conv, free_conv, packed_conv, NULL, TRUE },
  { NULL },
};
