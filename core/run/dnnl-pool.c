/* dnnl-pool.c: pooling and normalisation over neighbouring channels through oneDNN, and the pooling that it is slow at.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/dnnl.h"
#include "core/run/lanes.h"

/* Adds the padding of windows that ceil_mode lets extend past the end, which is never counted. Returns FALSE if oneDNN would count it. */
static gboolean
overhang (const PhWindow *window, PhDnnlGeometry *geometry, gboolean counts_padding)
{
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 extent = (window->kernel[i] - 1) * window->dilation[i] + 1;
      const gint64 needed = (window->out[i] - 1) * window->stride[i] + extent - window->in[i] - window->begin[i];

      if (needed > window->end[i])
        {
          if (counts_padding || needed >= extent)
            return FALSE;
          geometry->after[i] = needed;
        }
    }
  return TRUE;
}

/* Prepares pooling in the layout of the input. */
static gpointer
prepare_pool (PhKernel *kernel, dnnl_alg_kind_t algorithm)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gint64 dims[2 + PH_DNNL_SPATIAL];
  dnnl_memory_desc_t plain, any, source;
  dnnl_pooling_v2_desc_t op;
  PhDnnlGeometry geometry;
  PhWindow window;
  PhDnnl *dnnl;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  if (ph_kernel_wants (kernel, 1))
    return ph_kernel_refuse (kernel, "the indices are wanted too");
  if (ph_tensor_rank (x) < 3 || ph_tensor_rank (x) > 2 + PH_DNNL_SPATIAL
      || ph_window_init (&window, kernel->node, ph_tensor_rank (x) - 2, ph_tensor_dims (x) + 2, NULL) != NULL
      || !ph_dnnl_geometry (&window, &geometry) || !overhang (&window, &geometry, algorithm == dnnl_pooling_avg_include_padding))
    return ph_kernel_refuse (kernel, "windows or padding that oneDNN does not have");
  memcpy (dims, ph_tensor_dims (x), 2 * sizeof *dims);
  memcpy (dims + 2, window.out, window.n * sizeof *dims);
  ph_dnnl_plain (&plain, 2 + window.n, dims);
  any = ph_dnnl_any (&plain);
  dnnl = ph_dnnl_new ();
  source = ph_dnnl_add (dnnl, kernel, DNNL_ARG_SRC, 0)->orders->given;
  /* oneDNN has only its slowest loop for volumes with separate channels: put the channels last. */
  if (window.n == 3 && ph_tensor_format (x) == PH_MEMORY_PLAIN)
    dnnl_memory_desc_init_by_tag (&source, 5, source.dims, dnnl_f32, dnnl_ndhwc);
  ph_dnnl_result (dnnl, 2 + window.n, dims);
  if (dnnl_pooling_v2_forward_desc_init (&op, dnnl_forward_inference, algorithm, &source, &any, geometry.strides, geometry.kernel,
                                         geometry.dilations, geometry.before, geometry.after)
          != dnnl_success
      || !ph_dnnl_make (dnnl, &op, NULL))
    {
      g_clear_pointer (&dnnl, ph_dnnl_free);
      ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
    }
  return dnnl;
}

static gpointer
prepare_max (PhKernel *kernel)
{
  return prepare_pool (kernel, dnnl_pooling_max);
}

/* oneDNN's maximum of a number and NaN depends on the machine's instructions; and it starts from the least finite number, which exceeds
 * -infinity. Inputs with either are left to the reference. */
static gboolean
run_max (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const gboolean packed = ph_tensor_format (x) != PH_MEMORY_PLAIN;
  const float *data = packed ? ph_tensor_packed (x) : ph_tensor_data (x);
  const gsize n = packed ? ph_memory_format_count (ph_tensor_format (x), ph_tensor_rank (x), ph_tensor_dims (x))
                         : ph_tensor_count (x);

  return data != NULL && !ph_lanes ()->has_nan_or_least (data, n) && ph_dnnl_run (kernel, prepared);
}

static gpointer
prepare_average (PhKernel *kernel)
{
  return prepare_pool (kernel, ph_node_attr_int (kernel->node, "count_include_pad", 0) ? dnnl_pooling_avg_include_padding
                                                                                       : dnnl_pooling_avg_exclude_padding);
}

/* ONNX and oneDNN both divide alpha by the size; but for an even size oneDNN has the odd element at the other end. */
static gpointer
prepare_lrn (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gint64 size = ph_node_attr_int (kernel->node, "size", 0);
  dnnl_lrn_desc_t op;
  PhDnnl *dnnl;

  if (!ph_dnnl_is_float (x) || ph_tensor_rank (x) != 4)
    return ph_kernel_refuse (kernel, "no float32 image");
  if (size < 1 || size % 2 == 0)
    return ph_kernel_refuse (kernel, "of an even size oneDNN takes the odd element at the other end");
  dnnl = ph_dnnl_new ();
  ph_dnnl_add (dnnl, kernel, DNNL_ARG_SRC, 0);
  ph_dnnl_result (dnnl, 4, ph_tensor_dims (x));
  if (dnnl_lrn_forward_desc_init (&op, dnnl_forward_inference, dnnl_lrn_across_channels, &dnnl->args[0].orders->given, size,
                                  ph_node_attr_float (kernel->node, "alpha", 0.0001f),
                                  ph_node_attr_float (kernel->node, "beta", 0.75f), ph_node_attr_float (kernel->node, "bias", 1))
          != dnnl_success
      || !ph_dnnl_make (dnnl, &op, NULL))
    {
      g_clear_pointer (&dnnl, ph_dnnl_free);
      ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
    }
  return dnnl;
}

/* ── maxima of windows with gaps, or along one axis, for which oneDNN has only its slowest loop ── */

static gpointer
prepare_gaps (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const guint rank = ph_tensor_rank (x);
  PhWindow window;

  if (!ph_dnnl_is_float (x) || rank < 3 || rank > 4)
    return ph_kernel_refuse (kernel, "no float32 image or line");
  if (ph_kernel_wants (kernel, 1))
    return ph_kernel_refuse (kernel, "the indices are wanted too");
  if (ph_window_init (&window, kernel->node, rank - 2, ph_tensor_dims (x) + 2, NULL) != NULL
      || ph_window_kernel_count (&window) > G_MAXINT32)
    return ph_kernel_refuse (kernel, "windows that the reference kernel reports");
  if (window.n == 2 && window.dilation[0] == 1 && window.dilation[1] == 1)
    return ph_kernel_refuse (kernel, "oneDNN is as fast without gaps in the window");
  return g_memdup2 (&window, sizeof window);
}

/* The steps of axis @d whose elements, for the window that begins at @base, are inside the input: from @first to below @last. */
static void
steps_inside (const PhWindow *w, guint d, gint64 base, gint64 *first, gint64 *last)
{
  const gint64 step = w->dilation[d];

  *first = base < 0 ? (step - 1 - base) / step : 0;
  *last = base < w->in[d] ? MIN (w->kernel[d], (w->in[d] - base + step - 1) / step) : 0;
}

/* One row of results from a row in which each column is a maximum already. Each step of the window is one loop over the results that it is
 * inside the input for. */
static void
across (const PhWindow *w, guint d, const float *row, float *out)
{
  const gint64 stride = w->stride[d];

  ph_lanes ()->fill ((gsize) w->out[d], out, -INFINITY);
  for (gint64 k = 0; k < w->kernel[d]; k++)
    {
      const gint64 at = k * w->dilation[d] - w->begin[d];
      const gint64 first = at < 0 ? (stride - 1 - at) / stride : 0;
      const gint64 last = at < w->in[d] ? MIN (w->out[d], (w->in[d] - at + stride - 1) / stride) : 0;

      if (stride == 1 && first < last)
        ph_lanes ()->extremes ((gsize) (last - first), out + first, row + first + at, FALSE);
      else
        for (gint64 i = first; i < last; i++)
          {
            const float x = row[i * stride + at];

            out[i] = x > out[i] || isnan (x) ? x : out[i];
          }
    }
}

static gboolean
run_gaps (PhKernel *kernel, gpointer prepared)
{
  const PhWindow *w = prepared;
  PhTensor *x = kernel->inputs[0], *y;
  const gint64 *in = ph_tensor_dims (x), planes = in[0] * in[1];
  const guint wide = w->n - 1;
  const gint64 high_in = w->n == 2 ? w->in[0] : 1, high_out = w->n == 2 ? w->out[0] : 1, width = w->in[wide];
  const float *from = ph_tensor_data (x);
  g_autofree float *row = g_try_new (float, (gsize) width);
  gint64 dims[4] = { in[0], in[1], w->out[0], w->out[wide] };
  float *to;

  y = from != NULL && row != NULL ? ph_tensor_new_unset (PH_FLOAT, 2 + w->n, dims) : NULL;
  if (y == NULL)
    return FALSE;
  to = ph_tensor_writable (y);
  for (gint64 plane = 0; plane < planes; plane++, from += high_in * width)
    for (gint64 i = 0; i < high_out; i++, to += w->out[wide])
      {
        gint64 base = 0, first = 0, last = 1, step = 1;

        if (w->n == 2)
          {
            base = i * w->stride[0] - w->begin[0];
            step = w->dilation[0];
            steps_inside (w, 0, base, &first, &last);
          }
        if (last - first > 1)
          memcpy (row, from + (base + first * step) * width, (gsize) width * sizeof *row);
        for (gint64 k = first + 1; k < last; k++)
          ph_lanes ()->extremes ((gsize) width, row, from + (base + k * step) * width, FALSE);
        if (first < last)
          across (w, wide, last - first > 1 ? row : from + (base + first * step) * width, to);
        else
          ph_lanes ()->fill ((gsize) w->out[wide], to, -INFINITY);
      }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

const PhKernelRow ph_kernels_dnnl_pool[] = {
  { &ph_op_AveragePool, PH_DEVICE_CPU, "dnnl", 10, prepare_average, ph_dnnl_run, ph_dnnl_free },
  { &ph_op_LRN, PH_DEVICE_CPU, "dnnl", 10, prepare_lrn, ph_dnnl_run, ph_dnnl_free },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "dnnl", 10, prepare_max, run_max, ph_dnnl_free },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "max-pool", 20, prepare_gaps, run_gaps, g_free },
  { NULL },
};
