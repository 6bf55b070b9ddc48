/* dnnl-pool.c: pooling and normalisation over neighbouring channels through oneDNN.
 * SPDX-License-Identifier: GPL-3.0-or-later */
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

const PhKernelRow ph_kernels_dnnl_pool[] = {
  { &ph_op_AveragePool, PH_DEVICE_CPU, "dnnl", 10, prepare_average, ph_dnnl_run, ph_dnnl_free },
  { &ph_op_LRN, PH_DEVICE_CPU, "dnnl", 10, prepare_lrn, ph_dnnl_run, ph_dnnl_free },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "dnnl", 10, prepare_max, run_max, ph_dnnl_free },
  { NULL },
};
