/* dnnl-conv.c: convolutions through oneDNN.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/dnnl.h"
#include "core/run/lanes.h"
#include "core/tensor/broadcast.h"

/* Describes weights, [M, C/group, k...] or, of a transposed convolution, [C, M/group, k...], as oneDNN requires: output channels first and
 * a dimension for the groups. */
static void
weights_desc (dnnl_memory_desc_t *desc, const PhTensor *weights, gint64 groups, gboolean transposed)
{
  const guint rank = ph_tensor_rank (weights);
  const gint64 *dims = ph_tensor_dims (weights);
  dnnl_dims_t sizes, strides;
  gint64 own[PH_MAX_RANK];
  guint at = 0;

  ph_strides (rank, dims, own);
  if (groups > 1)
    {
      sizes[at] = groups;
      strides[at++] = own[0] * (dims[0] / groups);
    }
  sizes[at] = transposed ? dims[1] : dims[0] / groups;
  strides[at++] = transposed ? own[1] : own[0];
  sizes[at] = transposed ? dims[0] / groups : dims[1];
  strides[at++] = transposed ? own[0] : own[1];
  for (guint i = 2; i < rank; i++)
    {
      sizes[at] = dims[i];
      strides[at++] = own[i];
    }
  dnnl_memory_desc_init_by_strides (desc, (int) at, sizes, dnnl_f32, strides);
}

typedef struct
{
  PhTensor *x, *w, *bias;
  gint64 groups, channels;
  PhWindow window;
  PhDnnlGeometry geometry;
} Shape;

static gboolean
read_shape (Shape *shape, PhKernel *kernel, gboolean transposed)
{
  guint rank;

  shape->x = ph_kernel_input (kernel, 0);
  shape->w = ph_kernel_input (kernel, 1);
  shape->bias = ph_kernel_input (kernel, 2);
  shape->groups = ph_node_attr_int (kernel->node, "group", 1);
  if (!ph_dnnl_is_float (shape->x) || !ph_dnnl_is_float (shape->w) || (shape->bias != NULL && !ph_dnnl_is_float (shape->bias)))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT) != NULL;
  rank = ph_tensor_rank (shape->x);
  if (rank < 3 || rank > 2 + PH_DNNL_SPATIAL || ph_tensor_rank (shape->w) != rank || shape->groups < 1
      || ph_tensor_dims (shape->w)[0] % shape->groups != 0)
    return ph_kernel_refuse (kernel, "not of one to three dimensions in space") != NULL;
  shape->channels = transposed ? ph_tensor_dims (shape->w)[1] * shape->groups : ph_tensor_dims (shape->w)[0];
  if (ph_tensor_dims (shape->x)[1] != (transposed ? ph_tensor_dims (shape->w)[0] : ph_tensor_dims (shape->w)[1] * shape->groups)
      || (shape->bias != NULL
          && (ph_tensor_rank (shape->bias) != 1 || (gint64) ph_tensor_count (shape->bias) != shape->channels)))
    return ph_kernel_refuse (kernel, "the numbers of channels do not fit") != NULL;
  if ((transposed ? ph_window_init_transposed : ph_window_init) (&shape->window, kernel->node, rank - 2,
                                                                 ph_tensor_dims (shape->x) + 2, ph_tensor_dims (shape->w) + 2)
          != NULL
      || !ph_dnnl_geometry (&shape->window, &shape->geometry))
    return ph_kernel_refuse (kernel, "a padding as wide as the window") != NULL;
  return TRUE;
}

static PhDnnl *
make (PhKernel *kernel, const Shape *shape, gboolean transposed)
{
  union
  {
    dnnl_convolution_desc_t forward;
    dnnl_deconvolution_desc_t backward;
  } op;
  gint64 dims[2 + PH_DNNL_SPATIAL] = { ph_tensor_dims (shape->x)[0], shape->channels };
  const PhDnnlGeometry *g = &shape->geometry;
  dnnl_memory_desc_t x, w, y, plain;
  PhDnnl *dnnl = ph_dnnl_new ();
  PhDnnlArg *weights;
  dnnl_status_t status;

  memcpy (dims + 2, shape->window.out, shape->window.n * sizeof *dims);
  x = ph_dnnl_any (&ph_dnnl_add (dnnl, kernel, DNNL_ARG_SRC, 0)->orders->given);
  weights = ph_dnnl_add (dnnl, kernel, DNNL_ARG_WEIGHTS, 1);
  weights_desc (&weights->orders->given, shape->w, shape->groups, transposed);
  weights->plain = TRUE;
  w = ph_dnnl_any (&weights->orders->given);
  if (shape->bias != NULL && !transposed) /* with a bias oneDNN takes twice as long */
    ph_dnnl_add (dnnl, kernel, DNNL_ARG_BIAS, 2);
  ph_dnnl_plain (&plain, 2 + shape->window.n, dims);
  y = ph_dnnl_any (&plain);
  if (transposed)
    status = dnnl_dilated_deconvolution_forward_desc_init (&op.backward, dnnl_forward_inference, dnnl_deconvolution_direct, &x,
                                                           &w, NULL, &y, g->strides, g->dilations, g->before, g->after);
  else
    status = dnnl_dilated_convolution_forward_desc_init (&op.forward, dnnl_forward_inference, dnnl_convolution_direct, &x, &w,
                                                         shape->bias != NULL ? &dnnl->args[2].orders->given : NULL, &y,
                                                         g->strides, g->dilations, g->before, g->after);
  ph_dnnl_result (dnnl, 2 + shape->window.n, dims);
  if (status != dnnl_success || !ph_dnnl_make (dnnl, &op, NULL))
    {
      g_clear_pointer (&dnnl, ph_dnnl_free);
      ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
    }
  else if (!dnnl->alone)
    ph_kernel_remark_threads (kernel);
  return dnnl;
}

static gpointer
prepare_conv (PhKernel *kernel)
{
  Shape shape;

  return read_shape (&shape, kernel, FALSE) ? make (kernel, &shape, FALSE) : NULL;
}

/* oneDNN has no output padding, but a smaller padding at the end is equivalent. */
static gpointer
prepare_transposed (PhKernel *kernel)
{
  Shape shape;

  if (!read_shape (&shape, kernel, TRUE))
    return NULL;
  for (guint i = 0; i < shape.window.n; i++)
    {
      const gint64 extent = (shape.window.kernel[i] - 1) * shape.window.dilation[i] + 1;

      shape.geometry.after[i] = (shape.window.in[i] - 1) * shape.window.stride[i] + extent - shape.window.begin[i]
                                - shape.window.out[i];
      if (shape.geometry.after[i] < 0)
        return ph_kernel_refuse (kernel, "an output that is padded by more than its window");
    }
  return make (kernel, &shape, TRUE);
}

#define LINE 512 /* floats of a repeated bias */

/* Adds @bias, one number for each channel, to @y in whatever order it lies. */
static gboolean
add_bias (PhTensor *y, PhTensor *bias)
{
  static const gsize blocks[PH_N_MEMORY_FORMATS]
      = { [PH_MEMORY_PLAIN] = 1, [PH_MEMORY_BLOCKED_8] = 8, [PH_MEMORY_BLOCKED_16] = 16 };
  const PhMemoryFormat order = ph_tensor_format (y);
  const gsize channels = (gsize) ph_tensor_dims (y)[1], batch = (gsize) ph_tensor_dims (y)[0];
  const gsize block = order == PH_MEMORY_CHANNELS_LAST ? channels : blocks[order]; /* channels that are adjacent */
  const gsize n_blocks = (channels + block - 1) / block, times = MAX (1, LINE / block);
  const gsize n = ph_tensor_count (y) / (batch * channels) * block;
  const float *given = ph_tensor_data (bias);
  g_autofree float *line = g_try_new0 (float, times *block);
  float *to = order == PH_MEMORY_PLAIN ? ph_tensor_writable (y) : ph_tensor_packed (y);

  if (given == NULL || line == NULL || to == NULL)
    return FALSE;
  for (gsize i = 0; i < batch * n_blocks; i++, to += n)
    {
      const gsize first = i % n_blocks * block;

      for (gsize k = 0; k < times * block; k++) /* zeros for channels that only fill up a block */
        line[k] = first + k % block < channels ? given[first + k % block] : 0;
      for (gsize at = 0; at < n; at += times * block)
        ph_lanes ()->binary[PH_LANE_ADD](MIN (times * block, n - at), to + at, to + at, line);
    }
  return TRUE;
}

static gboolean
run_transposed (PhKernel *kernel, gpointer prepared)
{
  PhTensor *bias = ph_kernel_input (kernel, 2);

  return ph_dnnl_run (kernel, prepared) && (bias == NULL || add_bias (kernel->outputs[0], bias));
}

const PhKernelRow ph_kernels_dnnl_conv[] = {
  { &ph_op_Conv, PH_DEVICE_CPU, "dnnl", 10, prepare_conv, ph_dnnl_run, ph_dnnl_free, ph_dnnl_packed_of, NULL, TRUE },
  { &ph_op_ConvTranspose, PH_DEVICE_CPU, "dnnl", 10, prepare_transposed, run_transposed, ph_dnnl_free, ph_dnnl_packed_of, NULL,
    TRUE },
  { NULL },
};
