/* dnnl-conv-turned.c: computes a transposed convolution as a convolution with flipped weights.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"
#include "core/tensor/broadcast.h"

/* With stride s, output o receives inputs q - j through weights p + s j, where q and p are quotient and remainder of o + padding by s. So
 * each of the s phases p is a convolution with every s-th weight, in reverse. One convolution computes all phases of a pixel as its
 * channels (phases of the height first, then of the width, then channels), and each row is gathered from them. A window smaller than its
 * stride leaves phases without a weight, which only get the bias. Other windows that are no multiple of their stride get weights of zero at
 * their ends: these would turn infinities into NaN, so what is not finite is left to the reference kernel. */

#define FEW_CHANNELS 16 /* oneDNN has no fast primitive of its own for fewer */

typedef struct
{
  PhDnnl *dnnl;
  PhTensor *turned;                                        /* (nullable) owned: the weights turned round, outputs first       */
  PhTensor *bias;                                          /* (nullable) owned: of all phases                                 */
  PhTensor *turned_of;                                     /* (nullable) owned                                                */
  gint64 phases;                                           /* that have weights                                               */
  gboolean spreads;                                        /* a stride is more than 1                                         */
  gboolean pads;                                           /* some weights are zeros at the ends of windows                   */
  guint n;                                                 /* spatial dimensions      */
  gint64 stride[PH_DNNL_SPATIAL], filled[PH_DNNL_SPATIAL]; /* filled: phases that have weights, the first ones */
  gint64 taps[PH_DNNL_SPATIAL];                            /* of a phase              */
  gint64 skip[PH_DNNL_SPATIAL], dims[2 + PH_DNNL_SPATIAL]; /* phases before the first output; of the result */
} Turned;

static void
free_turned (gpointer data)
{
  Turned *self = data;

  g_clear_pointer (&self->dnnl, ph_dnnl_free);
  g_clear_pointer (&self->turned, ph_tensor_unref);
  g_clear_pointer (&self->bias, ph_tensor_unref);
  g_clear_pointer (&self->turned_of, ph_tensor_unref);
  g_free (self);
}

/* Splits the number @phase into a phase per dimension, @at. */
static void
phase_at (const Turned *self, gint64 phase, gint64 *at)
{
  for (guint i = self->n; i-- > 0; phase /= self->filled[i])
    at[i] = phase % self->filled[i];
}

static void
turned_dims (const Turned *self, const PhTensor *w, gint64 *dims)
{
  dims[0] = ph_tensor_dims (w)[1] * self->phases;
  dims[1] = ph_tensor_dims (w)[0];
  memcpy (dims + 2, self->taps, self->n * sizeof *dims);
}

/* Returns the elements of @w, @data, with zeros behind each window up to a multiple of the strides, and sets @dims to the new shape.
 * (nullable) (transfer full) */
static float *
pad_windows (const Turned *self, PhTensor *w, const float *data, gint64 *dims)
{
  const guint rank = 2 + self->n;
  gint64 from[PH_MAX_RANK], to[PH_MAX_RANK];
  float *padded;

  memcpy (dims, ph_tensor_dims (w), rank * sizeof *dims);
  for (guint i = 0; i < self->n; i++)
    dims[2 + i] = self->taps[i] * self->filled[i];
  padded = g_try_new0 (float, ph_dims_product (dims, 0, rank));
  ph_strides (rank, ph_tensor_dims (w), from);
  ph_strides (rank, dims, to);
  if (padded != NULL)
    ph_copy_strided (rank, ph_tensor_dims (w), padded, to, data, from, sizeof (float));
  return padded;
}

/* [in, out, k...] to [phases out, in, taps...]. (nullable) (transfer full) */
static PhTensor *
turn_round (const Turned *self, PhTensor *w)
{
  const guint rank = 2 + self->n;
  const gint64 outputs = ph_tensor_dims (w)[1];
  gint64 dims[PH_MAX_RANK], own[PH_MAX_RANK], from[PH_MAX_RANK], to[PH_MAX_RANK], at[PH_DNNL_SPATIAL];
  const gboolean is_there = ph_tensor_is_in_memory (w) || ph_tensor_is_splat (w);
  g_autofree float *once = is_there ? NULL : g_try_new (float, ph_tensor_count (w));
  const float *data = is_there ? ph_tensor_data (w) : once != NULL && ph_tensor_copy_data (w, once) ? once : NULL;
  g_autofree float *padded = self->pads && data != NULL ? pad_windows (self, w, data, dims) : NULL;
  PhTensor *turned;

  if (self->pads)
    data = padded;
  ph_strides (rank, padded != NULL ? dims : ph_tensor_dims (w), own);
  turned_dims (self, w, dims);
  turned = data != NULL ? ph_tensor_new_unset (PH_FLOAT, rank, dims) : NULL;
  if (turned == NULL)
    return NULL;
  ph_strides (rank, dims, to);
  dims[0] = outputs;
  from[0] = own[1];
  from[1] = own[0];
  for (gint64 phase = 0; phase < self->phases; phase++)
    {
      gint64 start = 0;

      phase_at (self, phase, at);
      for (guint i = 0; i < self->n; i++)
        {
          from[2 + i] = -own[2 + i] * self->stride[i];
          start += (at[i] + (self->taps[i] - 1) * self->stride[i]) * own[2 + i];
        }
      ph_copy_strided (rank, dims, (float *) ph_tensor_writable (turned) + phase * outputs * to[0], to, data + start, from,
                       sizeof (float));
    }
  return turned;
}

/* Repeats the bias for each phase. (nullable) (transfer full) */
static PhTensor *
repeat_bias (const Turned *self, PhTensor *bias)
{
  const gsize n = ph_tensor_count (bias);
  PhTensor *repeated = ph_tensor_new_unset (PH_FLOAT, 1, (gint64[]) { (gint64) n * self->phases });

  for (gsize i = 0; repeated != NULL && i < n * (gsize) self->phases; i++)
    ((float *) ph_tensor_writable (repeated))[i] = (float) ph_tensor_get (bias, i % n);
  return repeated;
}

static gboolean
turn_weights (Turned *self, PhKernel *kernel)
{
  PhTensor *w = kernel->inputs[1], *bias = ph_kernel_input (kernel, 2);

  if (self->turned_of != w || !ph_kernel_is_constant (kernel, 1))
    {
      g_clear_pointer (&self->turned, ph_tensor_unref);
      g_clear_pointer (&self->turned_of, ph_tensor_unref);
      self->turned = turn_round (self, w);
      self->turned_of = self->turned != NULL ? ph_tensor_ref (w) : NULL;
    }
  if (bias != NULL && (self->bias == NULL || !ph_kernel_is_constant (kernel, 2)))
    {
      g_clear_pointer (&self->bias, ph_tensor_unref);
      self->bias = self->spreads ? repeat_bias (self, bias) : ph_tensor_ref (bias);
    }
  return self->turned != NULL && (bias == NULL || self->bias != NULL);
}

/* Returns FALSE if oneDNN's own primitive is as fast, or if the convolution would need negative padding. */
static gboolean
turned_geometry (PhKernel *kernel, Turned *self, PhDnnlGeometry *geometry, gint64 *dims)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  gboolean is_apart = FALSE;
  PhWindow window;
  guint rank;

  if (!ph_dnnl_is_float (x) || !ph_dnnl_is_float (w) || (bias != NULL && !ph_dnnl_is_float (bias))
      || ph_node_attr_int (kernel->node, "group", 1) != 1)
    return FALSE;
  rank = ph_tensor_rank (x);
  if (rank < 3 || rank > 2 + PH_DNNL_SPATIAL || ph_tensor_rank (w) != rank || ph_tensor_dims (x)[1] != ph_tensor_dims (w)[0]
      || (bias != NULL && (ph_tensor_rank (bias) != 1 || ph_tensor_dims (bias)[0] != ph_tensor_dims (w)[1]))
      || ph_window_init_transposed (&window, kernel->node, rank - 2, ph_tensor_dims (x) + 2, ph_tensor_dims (w) + 2) != NULL)
    return FALSE;
  self->n = window.n;
  self->phases = 1;
  dims[0] = self->dims[0] = ph_tensor_dims (x)[0];
  self->dims[1] = ph_tensor_dims (w)[1];
  for (guint i = 0; i < window.n; i++)
    {
      const gint64 stride = window.stride[i], filled = MIN (window.kernel[i], stride),
                   taps = (window.kernel[i] + filled - 1) / filled;
      const gint64 extent = (taps - 1) * window.dilation[i] + 1;
      const gint64 first = window.begin[i] / stride, last = (window.out[i] - 1 + window.begin[i]) / stride;

      if ((stride > 1 && window.dilation[i] > 1) || window.begin[i] < 0 || window.out[i] < 1)
        return FALSE;
      geometry->strides[i] = 1;
      geometry->dilations[i] = window.dilation[i] - 1;
      geometry->before[i] = extent - 1 - first;
      geometry->after[i] = last - window.in[i] + extent - first - geometry->before[i];
      if (geometry->before[i] < 0 || geometry->after[i] < 0 || geometry->after[i] >= extent)
        return FALSE;
      self->stride[i] = stride;
      self->filled[i] = filled;
      self->spreads = self->spreads || stride > 1;
      is_apart = is_apart || filled < stride;
      self->pads = self->pads || window.kernel[i] % filled != 0;
      self->taps[i] = taps;
      self->skip[i] = window.begin[i] - first * stride;
      self->dims[2 + i] = window.out[i];
      self->phases *= filled;
      dims[2 + i] = last - first + 1;
    }
  dims[1] = self->dims[1] * self->phases;
  return self->dims[1] < FEW_CHANNELS || is_apart; /* oneDNN's own primitive has no outputs beyond the last window */
}

static gpointer
prepare_turned (PhKernel *kernel)
{
  static const dnnl_format_tag_t channels_last[] = { dnnl_nwc, dnnl_nhwc, dnnl_ndhwc };
  dnnl_memory_desc_t x, w, bias, y, plain;
  dnnl_convolution_desc_t op;
  gint64 dims[2 + PH_DNNL_SPATIAL], of_weights[2 + PH_DNNL_SPATIAL];
  g_autofree Turned *self = g_new0 (Turned, 1);
  const gboolean has_bias = ph_kernel_input (kernel, 2) != NULL;
  PhDnnlGeometry g;
  PhDnnl *dnnl;

  if (!turned_geometry (kernel, self, &g, dims))
    return ph_kernel_refuse (kernel, "not of one group to few channels, or its windows are no multiple of their stride");
  turned_dims (self, kernel->inputs[1], of_weights);
  dnnl = ph_dnnl_new ();
  x = ph_dnnl_any (&ph_dnnl_add (dnnl, kernel, DNNL_ARG_SRC, 0)->orders->given);
  ph_dnnl_plain (&plain, 2 + self->n, of_weights);
  ph_dnnl_add_as (dnnl, kernel, DNNL_ARG_WEIGHTS, 1, &plain);
  w = ph_dnnl_any (&plain);
  ph_dnnl_plain (&bias, 1, dims + 1);
  if (has_bias)
    ph_dnnl_add_as (dnnl, kernel, DNNL_ARG_BIAS, 2, &bias);
  ph_dnnl_plain (&plain, 2 + self->n, dims);
  y = ph_dnnl_any (&plain);
  if (self->spreads)
    dnnl_memory_desc_init_by_tag (&y, plain.ndims, plain.dims, dnnl_f32, channels_last[self->n - 1]);
  ph_dnnl_result (dnnl, 2 + self->n, dims);
  if (dnnl_dilated_convolution_forward_desc_init (&op, dnnl_forward_inference, dnnl_convolution_direct, &x, &w,
                                                  has_bias ? &bias : NULL, &y, g.strides, g.dilations, g.before, g.after)
          != dnnl_success
      || !ph_dnnl_make (dnnl, &op, NULL) || (self->spreads && dnnl->layout != PH_MEMORY_CHANNELS_LAST))
    {
      ph_dnnl_free (dnnl);
      return ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
    }
  if (!dnnl->alone)
    ph_kernel_remark_threads (kernel);
  self->dnnl = dnnl;
  return g_steal_pointer (&self);
}

/* Fills the pixels that no weight reaches. */
static void
fill_pixels (const Turned *self, gint64 n, float *to)
{
  const gsize channels = (gsize) self->dims[1];

  for (gint64 i = 0; i < n; i++, to += channels)
    if (self->bias != NULL)
      memcpy (to, ph_tensor_data (self->bias), channels * sizeof *to);
    else
      memset (to, 0, channels * sizeof *to);
}

/* A row of the result. @from: the pixels of that row, at the phases of the other dimensions. */
static void
spread_row (const Turned *self, const float *from, gsize pixel, float *to)
{
  const guint last = self->n - 1;
  const gint64 channels = self->dims[1], stride = self->stride[last], filled = self->filled[last], n = self->dims[2 + last];
  gint64 phase = self->skip[last];

  for (gint64 at = 0, part; at < n; at += part)
    {
      part = MIN ((phase < filled ? filled : stride) - phase, n - at);
      if (phase < filled)
        memcpy (to + at * channels, from + phase * channels, (gsize) (part * channels) * sizeof *to);
      else
        fill_pixels (self, part, to + at * channels);
      phase += part;
      if (phase == stride)
        {
          phase = 0;
          from += pixel;
        }
    }
}

/* Moves the phases, which are channels, to pixels of their own. */
static PhTensor *
spread (const Turned *self, PhTensor *z)
{
  const gint64 *in = ph_tensor_dims (z), *out = self->dims;
  const guint last = self->n - 1;
  const gsize pixel = (gsize) in[1];
  PhTensor *y = ph_tensor_new_packed (2 + self->n, out, PH_MEMORY_CHANNELS_LAST);
  const float *from = ph_tensor_packed (z);
  const gint64 rows = out[0] * ph_dims_product (out, 2, 2 + last);
  float *to;

  if (y == NULL)
    return NULL;
  to = ph_tensor_packed (y);
  for (gint64 r = 0; r < rows; r++, to += out[2 + last] * out[1])
    {
      gint64 at[PH_DNNL_SPATIAL], line = r, phase = 0;
      gboolean is_filled = TRUE;

      for (guint i = last; i-- > 0; line /= out[2 + i])
        at[i] = line % out[2 + i] + self->skip[i];
      for (guint i = 0; i < last; i++) /* all dimensions except the last */
        {
          line = line * in[2 + i] + at[i] / self->stride[i];
          phase = phase * self->filled[i] + at[i] % self->stride[i];
          is_filled = is_filled && at[i] % self->stride[i] < self->filled[i];
        }
      if (is_filled)
        spread_row (self, from + (gsize) (line * in[2 + last]) * pixel + (gsize) (phase * self->filled[last] * out[1]), pixel,
                    to);
      else
        fill_pixels (self, out[2 + last], to);
    }
  return y;
}

static gboolean
is_finite (PhTensor *x)
{
  const float *in = ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST ? ph_tensor_packed (x) : ph_tensor_data (x);

  return in != NULL && isfinite (ph_lanes ()->total (ph_tensor_count (x), in, PH_LANE_ABSOLUTES));
}

static gboolean
run_turned (PhKernel *kernel, gpointer prepared)
{
  Turned *self = prepared;
  PhTensor *inputs[3], *z = NULL, *y;
  PhKernel own = *kernel;

  if ((self->pads && !is_finite (kernel->inputs[0])) || !turn_weights (self, kernel))
    return FALSE;
  inputs[0] = kernel->inputs[0];
  inputs[1] = self->turned;
  inputs[2] = self->bias;
  own.inputs = inputs;
  if (!self->spreads)
    return ph_dnnl_run (&own, self->dnnl);
  own.outputs = &z;
  own.n_outputs = 1;
  y = ph_dnnl_run (&own, self->dnnl) ? spread (self, z) : NULL;
  g_clear_pointer (&z, ph_tensor_unref);
  if (y != NULL)
    ph_kernel_take (kernel, 0, y);
  return y != NULL;
}

static gsize
packed_turned (gpointer prepared)
{
  const Turned *self = prepared;

  return ph_dnnl_packed_of (self->dnnl) + (self->turned != NULL ? ph_tensor_bytes (self->turned) : 0);
}

const PhKernelRow ph_kernels_dnnl_conv_turned[] = {
  { &ph_op_ConvTranspose, PH_DEVICE_CPU, "turned", 15, prepare_turned, run_turned, free_turned, packed_turned, NULL, TRUE },
  { NULL },
};
