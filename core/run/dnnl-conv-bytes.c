/* dnnl-conv-bytes.c: convolutions of bytes with zero points by oneDNN, and requantization of their sums.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/bytes.h"
#include "core/run/chain.h"
#include "core/run/dnnl.h"
#include "core/run/lanes.h"
#include "core/tensor/broadcast.h"

/* The image is copied channels-last into a frame filled with its zero point, as unsigned bytes; weights are signed with the zero point 0. A
 * sum is then too large by the image's zero point times the sum of the weights, which is computed beforehand for each channel. Where the
 * weights have a zero point, too, it is also too large by that times the sum of the image in the window, less both times their number. */

#define MOST_TERMS 65536 /* of a sum: it fits into 32 bits; half of them if the weights have a zero point */
#define PIXELS     64    /* of one channel, at once          */

/* Where the operands are among the inputs, and the node that has the attributes. */
typedef struct
{
  const PhNode *node;
  guint x, zero_x, w, zero_w;
} Places;

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
  Places at;
  /* of a fused node: */
  guint scale_x, scale_w, bias, scale_bias, zero_bias;
  PhBytesBody body;
  PhChain *chain;  /* (nullable) what follows the convolution  */
  gboolean is_cut; /* by Relu alone, before it is quantized     */
} Convolution;

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
read_shape (Shape *shape, PhKernel *kernel, const Places *at)
{
  guint rank;

  shape->x = ph_kernel_input (kernel, at->x);
  shape->w = ph_kernel_input (kernel, at->w);
  shape->zero_x = ph_kernel_input (kernel, at->zero_x);
  shape->zero_w = ph_kernel_input (kernel, at->zero_w);
  shape->groups = ph_node_attr_int (at->node, "group", 1);
  if (!ph_are_bytes (shape->x) || !ph_are_bytes (shape->w) || ph_tensor_count (shape->x) == 0 || ph_tensor_count (shape->w) == 0
      || (shape->zero_x != NULL && (!ph_are_bytes (shape->zero_x) || ph_tensor_count (shape->zero_x) != 1))
      || (shape->zero_w != NULL && (!ph_are_bytes (shape->zero_w) || !ph_kernel_is_constant (kernel, at->zero_w))))
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
  if (ph_window_init (&shape->window, at->node, rank - 2, ph_tensor_dims (shape->x) + 2, ph_tensor_dims (shape->w) + 2) != NULL)
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
  g_clear_pointer (&self->chain, ph_chain_free);
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
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_SRC, self->at.x, &image);
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_WEIGHTS, self->at.w, &weights)->constant = FALSE; /* they are shifted first */
  ph_dnnl_result_as (self->dnnl, DNNL_ARG_DST, (guint) rank, self->dims, &sums);
  return ph_dnnl_make (self->dnnl, &op, NULL);
}

static gpointer
prepare (PhKernel *kernel, const Places *at)
{
  Convolution *self;
  Shape shape;

  if (!ph_dnnl_adds_in_32_bits ())
    return ph_kernel_refuse (kernel, "the processor has no products of bytes that are exact");
  if (!read_shape (&shape, kernel, at))
    return NULL;
  self = g_new0 (Convolution, 1);
  self->dnnl = ph_dnnl_new ();
  self->n = shape.window.n;
  self->groups = (gsize) shape.groups;
  self->window = shape.window;
  self->at = *at;
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
  PhTensor *w = kernel->inputs[self->at.w];
  const gsize count = ph_tensor_count (w), channels = (gsize) self->dims[1], each = count / channels;
  const gboolean is_weight = ph_kernel_is_constant (kernel, self->at.w);
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
  PhTensor *x = kernel->inputs[self->at.x];
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean is_signed = ph_tensor_dtype (x) == PH_INT8;
  gint64 box[2 + PH_DNNL_SPATIAL], to[2 + PH_DNNL_SPATIAL], from[2 + PH_DNNL_SPATIAL], own[PH_MAX_RANK], offset = 0, step;
  const guint8 *data = ph_tensor_data (x);

  if (data == NULL)
    return FALSE;
  memset (frame, ph_byte_at (ph_kernel_input (kernel, self->at.zero_x), 0) & 0xff, bytes);
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

/* The destination of the sums: the integers themselves, requantised bytes, or floats, which are quantised where bytes are wanted. */
typedef struct
{
  gint32 *integers;                          /* (nullable) */
  guint8 *bytes;                             /* (nullable) */
  float *floats;                             /* (nullable) */
  double *factors, *biases, zero, low, high; /* @biases: (nullable) in floats, which are made then */
  float scale;
  gint32 *offsets; /* added to the sums, per channel */
  gint32 *windows; /* (nullable) of which those times a channel's zero point are subtracted */
} Result;

static void
write_floats (const Result *result, const gint32 *line, gsize n, gsize channel, gsize at)
{
  float room[PIXELS], *floats = result->floats != NULL ? result->floats + at : room;

  ph_lanes ()->scale_sums (n, floats, line, &result->factors[channel], FALSE, result->biases[channel]);
  if (result->bytes != NULL)
    ph_lanes ()->quantise (n, result->bytes + at, floats, result->scale, (float) result->zero, (float) result->low,
                           (float) result->high);
}

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
          if (result->biases != NULL)
            write_floats (result, line, n, c, at);
          else if (result->bytes != NULL)
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
  const gboolean is_signed = ph_tensor_dtype (kernel->inputs[self->at.x]) == PH_INT8;
  const gint32 zero = ph_byte_at (ph_kernel_input (kernel, self->at.zero_x), 0) + (is_signed ? 128 : 0);
  gint32 *offsets = g_new (gint32, self->dims[1]);

  for (gint64 c = 0; c < self->dims[1]; c++)
    offsets[c] = (bias != NULL ? (gint32) ph_tensor_get_int (bias, (gsize) c) : 0) - zero * self->weight_sums[c];
  return offsets;
}

/* One number for all @n channels, or one for each. (nullable) none is needed */
static gboolean
is_of_channels (PhTensor *tensor, gint64 n)
{
  return tensor == NULL || ph_tensor_count (tensor) == 1 || (gint64) ph_tensor_count (tensor) == n;
}

static double
of_channel (PhTensor *tensor, gint64 channel)
{
  return tensor != NULL ? ph_tensor_get (tensor, ph_tensor_count (tensor) == 1 ? 0 : (gsize) channel) : 0;
}

static gpointer
prepare_integer (PhKernel *kernel)
{
  return prepare (kernel, &(Places) { kernel->node, 0, 2, 1, 3 });
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
      || ph_tensor_count (sy) != 1 || !ph_are_bytes (zy) || ph_tensor_count (zy) != 1 || w == NULL || ph_tensor_rank (w) < 3
      || !is_of_channels (sw, ph_tensor_dims (w)[0])
      || (bias != NULL && (ph_tensor_dtype (bias) != PH_INT32 || (gint64) ph_tensor_count (bias) != ph_tensor_dims (w)[0])))
    return ph_kernel_refuse (kernel, "scales that are not one each, or one for each channel of the weights");
  return prepare (kernel, &(Places) { kernel->node, 0, 2, 3, 5 });
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
  Result result
      = { .factors = factors, .zero = ph_byte_at (zero, 0), .low = is_signed ? -128 : 0, .high = is_signed ? 127 : 255 };

  for (gsize c = 0; c < (gsize) self->dims[1]; c++)
    {
      factors[c] = ph_tensor_get (kernel->inputs[1], 0) * of_channel (sw, (gint64) c) / ph_tensor_get (kernel->inputs[6], 0);
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

/* ── in fused nodes ── */

/* Floats for each channel, or integers with a scale. */
static gboolean
read_bias (Convolution *self, PhKernel *kernel, const PhValue *value)
{
  PhTensor *bias;

  self->bias = self->scale_bias = self->zero_bias = PH_NO_INPUT;
  if (value != NULL && value->producer == NULL && !g_ptr_array_find (self->body.graph->inputs, value, &self->bias))
    return FALSE;
  if (value != NULL && value->producer != NULL
      && !ph_bytes_operand_read (kernel, value, 0, &self->bias, &self->scale_bias, &self->zero_bias))
    return FALSE;
  bias = ph_kernel_input (kernel, self->bias);
  return (value == NULL || (bias != NULL && (self->scale_bias != PH_NO_INPUT || ph_dnnl_is_float (bias))))
         && is_of_channels (bias, self->dims[1]) && is_of_channels (ph_kernel_input (kernel, self->scale_bias), self->dims[1])
         && is_of_channels (ph_kernel_input (kernel, self->zero_bias), self->dims[1]);
}

static gpointer
prepare_body (PhKernel *kernel)
{
  Places at;
  PhBytesBody body;
  Convolution *self;
  guint scale_x, scale_w;

  if (!ph_bytes_body_read (&body, kernel, &ph_op_Conv)
      || !ph_bytes_operand_read (kernel, ph_node_input (body.head, 0), 0, &at.x, &scale_x, &at.zero_x)
      || ph_tensor_count (ph_kernel_input (kernel, scale_x)) != 1
      || !ph_bytes_operand_read (kernel, ph_node_input (body.head, 1), 0, &at.w, &scale_w, &at.zero_w))
    return ph_kernel_refuse (kernel, "no convolution of a dequantized image and weights");
  at.node = body.head;
  self = prepare (kernel, &at);
  if (self == NULL)
    return NULL;
  self->body = body;
  self->scale_x = scale_x;
  self->scale_w = scale_w;
  self->is_cut = body.n_after == 1 && body.after[0]->op == &ph_op_Relu && body.dtype != PH_FLOAT;
  if (body.n_after > 0 && !self->is_cut)
    self->chain = ph_chain_new (kernel, body.after, body.n_after, body.graph->inputs, ph_node_output (body.head, 0));
  if (self->groups == 1 && read_bias (self, kernel, ph_node_input (body.head, 2))
      && is_of_channels (ph_kernel_input (kernel, scale_w), self->dims[1])
      && (body.n_after == 0 || self->is_cut || self->chain != NULL))
    return self;
  free_convolution (self);
  return ph_kernel_refuse (kernel, "groups, another bias than one for each channel, or operators after it that have no loop");
}

/* FALSE: a number that is none is left to the operators themselves. */
static gboolean
find_factors (const Convolution *self, PhKernel *kernel, Result *result)
{
  PhTensor *bias = ph_kernel_input (kernel, self->bias), *scale = ph_kernel_input (kernel, self->scale_bias),
           *zero = ph_kernel_input (kernel, self->zero_bias);
  const double factor = ph_tensor_get (kernel->inputs[self->scale_x], 0);
  gboolean finite = TRUE;

  for (gint64 c = 0; c < self->dims[1]; c++)
    {
      result->factors[c] = factor * of_channel (kernel->inputs[self->scale_w], c);
      result->biases[c] = scale != NULL ? (of_channel (bias, c) - of_channel (zero, c)) * of_channel (scale, c)
                                        : of_channel (bias, c);
      finite = finite && isfinite (result->factors[c]) && isfinite (result->biases[c]);
    }
  result->scale = self->body.scale != PH_NO_INPUT ? (float) ph_tensor_get (kernel->inputs[self->body.scale], 0) : 1;
  result->zero = ph_byte_at (ph_kernel_input (kernel, self->body.zero), 0);
  result->low = self->body.dtype == PH_INT8 ? -128 : 0;
  result->high = result->low + 255;
  if (self->is_cut) /* Relu: the zero point is the byte of 0 */
    result->low = MAX (result->low, result->zero);
  return finite && isfinite (result->scale) && result->scale > 0;
}

static gboolean
run_body (PhKernel *kernel, gpointer prepared)
{
  Convolution *self = prepared;
  const gboolean is_float = self->body.dtype == PH_FLOAT;
  g_autofree double *factors = g_new (double, self->dims[1]), *biases = g_new (double, self->dims[1]);
  g_autofree gint32 *offsets = NULL, *windows = NULL;
  g_autoptr (PhTensor) sums = NULL, y = NULL;
  Result result = { .factors = factors, .biases = biases };

  if (!find_factors (self, kernel, &result))
    return FALSE;
  sums = convolve (self, kernel, &windows);
  if (sums == NULL)
    return FALSE;
  result.windows = windows;
  result.offsets = offsets = new_offsets (self, kernel, NULL);
  if (is_float || self->chain != NULL)
    {
      y = ph_tensor_new_unset (PH_FLOAT, 2 + self->n, self->dims);
      result.floats = y != NULL ? ph_tensor_writable (y) : NULL;
    }
  else
    result.bytes = ph_kernel_output_unset (kernel, 0, self->body.dtype, 2 + self->n, self->dims, NULL);
  if (result.floats == NULL && result.bytes == NULL)
    return FALSE;
  write_planes (self, ph_tensor_data (sums), &result);
  if (self->chain != NULL)
    {
      y = ph_chain_run (self->chain, kernel, g_steal_pointer (&y));
      if (!ph_dnnl_is_float (y) || ph_tensor_format (y) != PH_MEMORY_PLAIN)
        return FALSE;
    }
  if (is_float)
    ph_kernel_take (kernel, 0, g_steal_pointer (&y));
  else if (self->chain != NULL)
    {
      result.bytes = ph_kernel_output_unset (kernel, 0, self->body.dtype, ph_tensor_rank (y), ph_tensor_dims (y), NULL);
      if (result.bytes == NULL)
        return FALSE;
      ph_lanes ()->quantise (ph_tensor_count (y), result.bytes, ph_tensor_data (y), result.scale, (float) result.zero,
                             (float) result.low, (float) result.high);
    }
  return TRUE;
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
  { NULL, PH_DEVICE_CPU, "dnnl", 11, prepare_body, run_body, free_convolution, packed_convolution, NULL, TRUE },
  { NULL },
};
