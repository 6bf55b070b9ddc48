/* dnnl-conv-bytes.c: convolutions of bytes with zero points by oneDNN, and requantization of their sums.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/dnnl.h"
#include "core/run/lanes.h"
#include "core/tensor/broadcast.h"

/* The image is copied channels-last into a frame filled with its zero point, as unsigned bytes; weights are signed with the zero point 0. A
 * sum is then too large by the image's zero point times the sum of the weights, which is computed beforehand for each channel. Where the
 * weights have a zero point, too, it is also too large by that times the sum of the image in the window, less both times their number. */

#define MOST_TERMS 65536 /* of a sum: it fits into 32 bits; half of them if the weights have a zero point */
#define PIXELS     64    /* of one channel, at once          */

typedef struct
{
  PhTensor *x, *w, *zero_x, *zero_w;
  gint64 groups, channels;
  gboolean centred; /* all zero points of the weights as signed bytes are 0 */
  PhWindow window;
} Shape;

typedef struct
{
  PhDnnl *dnnl; /* of image, weights, sums */
  guint n;      /* dimensions in space     */
  gsize groups;
  PhWindow window;
  dnnl_dims_t dims, frame; /* of the result; of the image in its frame */
  gint32 *weight_sums;     /* per channel, of each weight less its zero point */
  gint32 *zeros;           /* (nullable) per channel: the zero points of the weights as signed bytes */
  guint weight, zero_x, zero_w;
} Convolution;

static gboolean
are_bytes (PhTensor *tensor)
{
  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_count (tensor) > 0
         && (ph_tensor_dtype (tensor) == PH_UINT8 || ph_tensor_dtype (tensor) == PH_INT8);
}

static gint32
zero_of (PhTensor *zero)
{
  return zero != NULL ? (gint32) ph_tensor_get_int (zero, 0) : 0;
}

/* Returns the zero point of @channel of the weights as signed bytes: those of unsigned ones are made by subtracting 128. */
static gint32
weight_zero (PhTensor *w, PhTensor *zero, gsize channel)
{
  const gint32 own = zero != NULL ? (gint32) ph_tensor_get_int (zero, ph_tensor_count (zero) == 1 ? 0 : channel) : 0;

  return own - (ph_tensor_dtype (w) == PH_UINT8 ? 128 : 0);
}

static gboolean
weights_are_centred (PhTensor *w, PhTensor *zero)
{
  for (gsize c = 0; c < (gsize) ph_tensor_dims (w)[0]; c++)
    if (weight_zero (w, zero, c) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
read_shape (Shape *shape, PhKernel *kernel, guint w, guint zero_x, guint zero_w)
{
  guint rank;

  shape->x = ph_kernel_input (kernel, 0);
  shape->w = ph_kernel_input (kernel, w);
  shape->zero_x = ph_kernel_input (kernel, zero_x);
  shape->zero_w = ph_kernel_input (kernel, zero_w);
  shape->groups = ph_node_attr_int (kernel->node, "group", 1);
  if (!are_bytes (shape->x) || !are_bytes (shape->w)
      || (shape->zero_x != NULL && (!are_bytes (shape->zero_x) || ph_tensor_count (shape->zero_x) != 1))
      || (shape->zero_w != NULL && (!are_bytes (shape->zero_w) || !ph_kernel_is_constant (kernel, zero_w))))
    return ph_kernel_refuse (kernel, "not bytes, or a zero point that is not known beforehand") != NULL;
  rank = ph_tensor_rank (shape->x);
  if (rank < 3 || rank > 2 + PH_DNNL_SPATIAL || ph_tensor_rank (shape->w) != rank || shape->groups < 1
      || ph_tensor_dims (shape->w)[0] % shape->groups != 0
      || ph_tensor_dims (shape->x)[1] != ph_tensor_dims (shape->w)[1] * shape->groups
      || (shape->zero_w != NULL && ph_tensor_count (shape->zero_w) != 1
          && (gint64) ph_tensor_count (shape->zero_w) != ph_tensor_dims (shape->w)[0]))
    return ph_kernel_refuse (kernel, "not of one to three dimensions in space, or channels that do not fit") != NULL;
  shape->channels = ph_tensor_dims (shape->w)[0];
  shape->centred = weights_are_centred (shape->w, shape->zero_w);
  if (ph_tensor_count (shape->w) / (gsize) shape->channels > MOST_TERMS / (shape->centred ? 1 : 2))
    return ph_kernel_refuse (kernel, "sums that may be larger than 32 bits") != NULL;
  if (ph_window_init (&shape->window, kernel->node, rank - 2, ph_tensor_dims (shape->x) + 2, ph_tensor_dims (shape->w) + 2)
      != NULL)
    return ph_kernel_refuse (kernel, "windows that do not fit") != NULL;
  for (guint i = 0; i < shape->window.n; i++)
    if (shape->window.begin[i] < 0 || shape->window.end[i] < 0 || shape->window.out[i] < 1)
      return ph_kernel_refuse (kernel, "a padding below 0") != NULL;
  return TRUE;
}

static void
free_convolution (gpointer data)
{
  Convolution *self = data;

  ph_dnnl_free (self->dnnl);
  g_free (self->weight_sums);
  g_free (self->zeros);
  g_free (self);
}

static gboolean
make (Convolution *self, PhKernel *kernel, const Shape *shape)
{
  static const dnnl_format_tag_t last[] = { dnnl_nwc, dnnl_nhwc, dnnl_ndhwc },
                                 plain[] = { dnnl_oiw, dnnl_oihw, dnnl_oidhw, dnnl_goiw, dnnl_goihw, dnnl_goidhw };
  const PhWindow *window = &shape->window;
  const gboolean grouped = shape->groups > 1;
  const int rank = 2 + (int) window->n, weight_rank = rank + grouped;
  dnnl_memory_desc_t image, weights, any, sums;
  dnnl_dims_t sizes, strides, dilations, none = { 0 };
  dnnl_convolution_desc_t op;
  guint at = 0;

  if (grouped)
    sizes[at++] = shape->groups;
  sizes[at++] = shape->channels / shape->groups;
  for (guint i = 1; i < ph_tensor_rank (shape->w); i++)
    sizes[at++] = ph_tensor_dims (shape->w)[i];
  for (guint i = 0; i < window->n; i++)
    {
      strides[i] = window->stride[i];
      dilations[i] = window->dilation[i] - 1; /* oneDNN counts the elements left out */
    }
  if (dnnl_memory_desc_init_by_tag (&weights, weight_rank, sizes, dnnl_s8, plain[window->n - 1 + (grouped ? 3 : 0)])
          != dnnl_success
      || dnnl_memory_desc_init_by_tag (&any, weight_rank, sizes, dnnl_s8, dnnl_format_tag_any) != dnnl_success
      || dnnl_memory_desc_init_by_tag (&image, rank, self->frame, dnnl_u8, last[window->n - 1]) != dnnl_success
      || dnnl_memory_desc_init_by_tag (&sums, rank, self->dims, dnnl_s32, last[window->n - 1]) != dnnl_success
      || dnnl_dilated_convolution_forward_desc_init (&op, dnnl_forward_inference, dnnl_convolution_direct, &image, &any, NULL,
                                                     &sums, strides, dilations, none, none)
             != dnnl_success)
    return FALSE;
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_SRC, 0, &image);
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_WEIGHTS, self->weight, &weights)->constant = FALSE; /* they are shifted first */
  ph_dnnl_result_as (self->dnnl, DNNL_ARG_DST, (guint) rank, self->dims, &sums);
  return ph_dnnl_make (self->dnnl, &op, NULL);
}

static gpointer
prepare (PhKernel *kernel, guint w, guint zero_x, guint zero_w)
{
  Convolution *self;
  Shape shape;

  if (!ph_dnnl_adds_in_32_bits ())
    return ph_kernel_refuse (kernel, "the processor has no products of bytes that are exact");
  if (!read_shape (&shape, kernel, w, zero_x, zero_w))
    return NULL;
  self = g_new0 (Convolution, 1);
  self->dnnl = ph_dnnl_new ();
  self->n = shape.window.n;
  self->groups = (gsize) shape.groups;
  self->window = shape.window;
  self->weight = w;
  self->zero_x = zero_x;
  self->zero_w = zero_w;
  self->dims[0] = self->frame[0] = ph_tensor_dims (shape.x)[0];
  self->dims[1] = shape.channels;
  self->frame[1] = ph_tensor_dims (shape.x)[1];
  for (guint i = 0; i < self->n; i++)
    {
      self->dims[2 + i] = shape.window.out[i];
      self->frame[2 + i] = (shape.window.out[i] - 1) * shape.window.stride[i]
                           + (shape.window.kernel[i] - 1) * shape.window.dilation[i] + 1;
    }
  if (!shape.centred)
    self->zeros = g_new (gint32, shape.channels);
  for (gsize c = 0; self->zeros != NULL && c < (gsize) shape.channels; c++)
    self->zeros[c] = weight_zero (shape.w, shape.zero_w, c);
  if (!make (self, kernel, &shape))
    {
      free_convolution (self);
      return ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
    }
  return self;
}

static gboolean
pack (Convolution *self, PhKernel *kernel)
{
  PhTensor *w = kernel->inputs[self->weight];
  const gsize count = ph_tensor_count (w), channels = (gsize) self->dims[1], each = count / channels;
  const gboolean is_weight = ph_kernel_is_constant (kernel, self->weight);
  g_autofree gint8 *copy = NULL;

  if (is_weight && self->dnnl->args[1].packed_of == w)
    return TRUE;
  copy = g_try_malloc (count);
  if (copy == NULL || !ph_tensor_copy_data (w, copy))
    return FALSE;
  if (self->weight_sums == NULL)
    self->weight_sums = g_new (gint32, channels);
  for (gsize c = 0; c < channels; c++)
    {
      gint32 sum = self->zeros != NULL ? -self->zeros[c] * (gint32) each : 0;

      for (gsize i = c * each; i < (c + 1) * each; i++)
        {
          copy[i] = ph_tensor_dtype (w) == PH_UINT8 ? (gint8) ((guint8) copy[i] ^ 0x80) : copy[i];
          sum += copy[i];
        }
      self->weight_sums[c] = sum;
    }
  return ph_dnnl_pack_bytes (&self->dnnl->args[1], is_weight ? w : NULL, copy);
}

/* Copies the image into its frame, channels last, unsigned. */
static gboolean
fill_frame (const Convolution *self, PhKernel *kernel, guint8 *frame, gsize bytes)
{
  PhTensor *x = kernel->inputs[0];
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean is_signed = ph_tensor_dtype (x) == PH_INT8;
  gint64 box[2 + PH_DNNL_SPATIAL], to[2 + PH_DNNL_SPATIAL], from[2 + PH_DNNL_SPATIAL], own[PH_MAX_RANK], offset = 0, step;
  const guint8 *data = ph_tensor_data (x);

  if (data == NULL)
    return FALSE;
  memset (frame, zero_of (ph_kernel_input (kernel, self->zero_x)) & 0xff, bytes);
  ph_strides (2 + self->n, dims, own);
  step = self->frame[1];
  for (guint i = self->n; i-- > 0;)
    {
      box[1 + i] = MIN (dims[2 + i], self->frame[2 + i] - self->window.begin[i]);
      to[1 + i] = step;
      from[1 + i] = own[2 + i];
      offset += self->window.begin[i] * step;
      step *= self->frame[2 + i];
      if (box[1 + i] <= 0)
        return FALSE;
    }
  box[0] = dims[0];
  to[0] = step;
  from[0] = own[0];
  box[1 + self->n] = dims[1];
  to[1 + self->n] = 1;
  from[1 + self->n] = own[1];
  ph_copy_strided (2 + self->n, box, frame + offset, to, data, from, 1);
  for (gsize i = 0; is_signed && i < bytes; i++)
    frame[i] ^= 0x80;
  return TRUE;
}

/* Replaces the lines along an axis of @x [outer, in, inner] by the sums of their windows on it: [outer, out, inner]. */
static void
sum_axis (const PhWindow *w, guint axis, gsize outer, gsize in, gsize inner, gint32 *x)
{
  const gsize out = (gsize) w->out[axis], stride = (gsize) w->stride[axis] * inner, dilation = (gsize) w->dilation[axis] * inner;
  gint32 *to = x;

  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < out; i++, to += inner)
      {
        const gint32 *from = x + o * in * inner + i * stride;

        for (gsize k = 0; k < inner; k++)
          to[k] = from[k];
        for (gint64 tap = 1; tap < w->kernel[axis]; tap++)
          for (gsize k = 0; k < inner; k++)
            to[k] += from[(gsize) tap * dilation + k];
      }
}

/* Computes the sums of the image in each window, for each group: channels last, too. (nullable) (transfer full) */
static gint32 *
sum_windows (const Convolution *self, const guint8 *frame, gsize bytes)
{
  const gsize each = (gsize) self->frame[1] / self->groups;
  gint32 *sums = g_try_new0 (gint32, bytes / each);
  gsize outer = bytes / (gsize) self->frame[1], inner = self->groups;

  for (gsize i = 0; sums != NULL && i < bytes / each; i++)
    for (gsize k = 0; k < each; k++)
      sums[i] += frame[i * each + k];
  for (guint axis = self->n; sums != NULL && axis-- > 0; inner *= (gsize) self->window.out[axis])
    sum_axis (&self->window, axis, outer /= (gsize) self->frame[2 + axis], (gsize) self->frame[2 + axis], inner, sums);
  return sums;
}

/* Computes the sums, channels last, and in @windows (nullable: the zero points of the weights are 0) those of the image. (nullable) (transfer
 * full) */
static PhTensor *
convolve (Convolution *self, PhKernel *kernel, gint32 **windows)
{
  g_autoptr (PhTensor) frame = NULL, sums = NULL;
  gint64 bytes = self->frame[0] * self->frame[1], count = self->dims[0] * self->dims[1];
  PhDnnlArg *args = self->dnnl->args;

  for (guint i = 0; i < self->n; i++)
    {
      bytes *= self->frame[2 + i];
      count *= self->dims[2 + i];
    }
  frame = ph_tensor_new_unset (PH_UINT8, 1, &bytes);
  sums = ph_tensor_new_unset (PH_INT32, 1, &count);
  if (frame == NULL || sums == NULL || !pack (self, kernel)
      || !fill_frame (self, kernel, ph_tensor_writable (frame), (gsize) bytes)
      || dnnl_memory_set_data_handle (args[0].to, ph_tensor_writable (frame)) != dnnl_success
      || dnnl_memory_set_data_handle (args[2].to, ph_tensor_writable (sums)) != dnnl_success
      || (self->zeros != NULL && (*windows = sum_windows (self, ph_tensor_data (frame), (gsize) bytes)) == NULL)
      || !ph_dnnl_execute (self->dnnl))
    return NULL;
  return g_steal_pointer (&sums);
}

/* The destination of the sums: the integers themselves, or requantised bytes. */
typedef struct
{
  gint32 *integers; /* (nullable) */
  guint8 *bytes;    /* (nullable) */
  double *factors, zero, low, high;
  gint32 *offsets; /* added to the sums, per channel */
  gint32 *windows; /* (nullable) of which those times a channel's zero point are subtracted */
} Result;

/* Transposes @sums, in channels-last order, to planes of channels. */
static void
write_planes (const Convolution *self, const gint32 *sums, const Result *result)
{
  const gsize channels = (gsize) self->dims[1], each = channels / self->groups;
  gsize pixels = 1;

  for (guint i = 0; i < self->n; i++)
    pixels *= (gsize) self->dims[2 + i];
  for (gsize b = 0; b < (gsize) self->dims[0]; b++, sums += pixels * channels)
    for (gsize p = 0; p < pixels; p += PIXELS)
      for (gsize c = 0; c < channels; c++)
        {
          const gsize n = MIN (PIXELS, pixels - p), at = (b * channels + c) * pixels + p;
          gint32 line[PIXELS];

          for (gsize i = 0; i < n; i++)
            line[i] = (gint32) ((guint32) sums[(p + i) * channels + c] + (guint32) result->offsets[c]);
          for (gsize i = 0; result->windows != NULL && i < n; i++)
            line[i] = (gint32) ((guint32) line[i]
                                - (guint32) self->zeros[c]
                                      * (guint32) result->windows[((b * pixels + p) + i) * self->groups + c / each]);
          if (result->bytes != NULL)
            ph_lanes ()->requantise (n, result->bytes + at, line, &result->factors[c], FALSE, result->zero, result->low,
                                     result->high);
          else
            memcpy (result->integers + at, line, n * sizeof *line);
        }
}

/* Less the zero point of the image, for each weight; and the bias. */
static gint32 *
new_offsets (const Convolution *self, PhKernel *kernel, PhTensor *bias)
{
  const gboolean is_signed = ph_tensor_dtype (kernel->inputs[0]) == PH_INT8;
  const gint32 zero = zero_of (ph_kernel_input (kernel, self->zero_x)) + (is_signed ? 128 : 0);
  gint32 *offsets = g_new (gint32, self->dims[1]);

  for (gint64 c = 0; c < self->dims[1]; c++)
    offsets[c] = (bias != NULL ? (gint32) ph_tensor_get_int (bias, (gsize) c) : 0) - zero * self->weight_sums[c];
  return offsets;
}

static gpointer
prepare_integer (PhKernel *kernel)
{
  return prepare (kernel, 1, 2, 3);
}

static gboolean
run_integer (PhKernel *kernel, gpointer prepared)
{
  Convolution *self = prepared;
  g_autofree gint32 *windows = NULL;
  g_autoptr (PhTensor) sums = convolve (self, kernel, &windows);
  g_autofree gint32 *offsets = sums != NULL ? new_offsets (self, kernel, NULL) : NULL;
  Result result = { .offsets = offsets, .windows = windows };

  if (sums == NULL)
    return FALSE;
  result.integers = ph_kernel_output_unset (kernel, 0, PH_INT32, 2 + self->n, self->dims, NULL);
  if (result.integers != NULL)
    write_planes (self, ph_tensor_data (sums), &result);
  return result.integers != NULL;
}

static gpointer
prepare_linear (PhKernel *kernel)
{
  PhTensor *sx = ph_kernel_input (kernel, 1), *w = ph_kernel_input (kernel, 3), *sw = ph_kernel_input (kernel, 4),
           *sy = ph_kernel_input (kernel, 6), *zy = ph_kernel_input (kernel, 7), *bias = ph_kernel_input (kernel, 8);

  if (!ph_dnnl_is_float (sx) || !ph_dnnl_is_float (sw) || !ph_dnnl_is_float (sy) || ph_tensor_count (sx) != 1
      || ph_tensor_count (sy) != 1 || !are_bytes (zy) || ph_tensor_count (zy) != 1 || w == NULL || ph_tensor_rank (w) < 3
      || (ph_tensor_count (sw) != 1 && (gint64) ph_tensor_count (sw) != ph_tensor_dims (w)[0])
      || (bias != NULL && (ph_tensor_dtype (bias) != PH_INT32 || (gint64) ph_tensor_count (bias) != ph_tensor_dims (w)[0])))
    return ph_kernel_refuse (kernel, "scales that are not one each, or one for each channel of the weights");
  return prepare (kernel, 3, 2, 5);
}

static gboolean
run_linear (PhKernel *kernel, gpointer prepared)
{
  Convolution *self = prepared;
  PhTensor *sw = kernel->inputs[4], *zero = kernel->inputs[7];
  const gboolean is_signed = ph_tensor_dtype (zero) == PH_INT8;
  g_autofree double *factors = g_new (double, self->dims[1]);
  g_autofree gint32 *offsets = NULL, *windows = NULL;
  g_autoptr (PhTensor) sums = NULL;
  Result result = { .factors = factors, .zero = zero_of (zero), .low = is_signed ? -128 : 0, .high = is_signed ? 127 : 255 };

  for (gsize c = 0; c < (gsize) self->dims[1]; c++)
    {
      factors[c] = ph_tensor_get (kernel->inputs[1], 0) * ph_tensor_get (sw, ph_tensor_count (sw) == 1 ? 0 : c)
                   / ph_tensor_get (kernel->inputs[6], 0);
      if (!isfinite (factors[c]))
        return FALSE;
    }
  sums = convolve (self, kernel, &windows);
  if (sums == NULL)
    return FALSE;
  result.windows = windows;
  result.offsets = offsets = new_offsets (self, kernel, ph_kernel_input (kernel, 8));
  result.bytes = ph_kernel_output_unset (kernel, 0, ph_tensor_dtype (zero), 2 + self->n, self->dims, NULL);
  if (result.bytes != NULL)
    write_planes (self, ph_tensor_data (sums), &result);
  return result.bytes != NULL;
}

static gsize
packed_convolution (gpointer prepared)
{
  const Convolution *self = prepared;

  return self->dnnl->args[1].packed_of != NULL ? ph_dnnl_packed_of (self->dnnl) : 0;
}

const PhKernelRow ph_kernels_dnnl_conv_bytes[] = {
  { &ph_op_ConvInteger, PH_DEVICE_CPU, "dnnl", 10, prepare_integer, run_integer, free_convolution, packed_convolution },
  { &ph_op_QLinearConv, PH_DEVICE_CPU, "dnnl", 10, prepare_linear, run_linear, free_convolution, packed_convolution },
  { NULL },
};
