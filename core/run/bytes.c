/* bytes.c: quantized tensors of 8 bits: quantization, dequantization, and the greatest of windows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/bytes.h"
#include "core/run/lanes.h"

#define NOT_BYTES "not bytes, with a scale and a zero point for all of them or for each place on the axis"

/* ── to bytes and from them ── */

/* Finds how many scales @x has, and how many consecutive elements share one (@inner). Returns FALSE if the scales are arranged in another
 * way. */
static gboolean
find_grain (PhKernel *kernel, PhTensor *x, gsize *n, gsize *inner)
{
  PhTensor *scale = ph_kernel_input (kernel, 1), *zero = ph_kernel_input (kernel, 2);
  guint axis;

  if (!ph_dnnl_is_float (scale) || (zero != NULL && ph_tensor_count (zero) != ph_tensor_count (scale))
      || ph_node_attr_int (kernel->node, "block_size", 0) != 0 || ph_tensor_rank (scale) > 1)
    return FALSE;
  *n = ph_tensor_count (scale);
  *inner = ph_tensor_count (x);
  if (*n == 1)
    return TRUE;
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 1), ph_tensor_rank (x), &axis) || *n != (gsize) ph_tensor_dims (x)[axis])
    return FALSE;
  *inner = (gsize) ph_dims_product (ph_tensor_dims (x), axis + 1, ph_tensor_rank (x));
  return TRUE;
}

#define SHORT  32  /* lines of a scale up to here are done together */
#define PERIOD 256 /* elements at least, unless there are fewer     */

/* Lines shorter than registers need: the scale and the zero point of each of @period elements, after which they come again. */
typedef struct
{
  gsize period;
  float *scales, *zeros;
} Spread;

static void
spread_clear (Spread *spread)
{
  g_free (spread->scales);
  g_free (spread->zeros);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Spread, spread_clear)

/* Returns FALSE if the lines are long enough, or memory is short. */
static gboolean
spread_init (Spread *spread, const float *scales, PhTensor *zero, gsize n, gsize inner, gsize count)
{
  if (n == 1 || inner > SHORT || count == 0)
    return FALSE;
  spread->period = MIN (n * inner * (1 + PERIOD / (n * inner)), count);
  spread->scales = g_try_new (float, spread->period);
  spread->zeros = g_try_new (float, spread->period);
  for (gsize i = 0; spread->scales != NULL && spread->zeros != NULL && i < spread->period; i++)
    {
      spread->scales[i] = scales[i / inner % n];
      spread->zeros[i] = (float) ph_byte_at (zero, i / inner % n);
    }
  return spread->scales != NULL && spread->zeros != NULL;
}

static gpointer
prepare_quantise (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *zero = ph_kernel_input (kernel, 2);
  const PhDType dtype = (PhDType) ph_node_attr_int (kernel->node, "output_dtype", 0);
  gsize n, inner;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  return (zero != NULL ? ph_are_bytes (zero) : dtype == PH_UNDEFINED || ph_is_byte (dtype))
                 && (ph_node_attr_int (kernel->node, "precision", 0) == 0
                     || ph_node_attr_int (kernel->node, "precision", 0) == PH_FLOAT)
                 && find_grain (kernel, x, &n, &inner)
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, NOT_BYTES);
}

static gboolean
run_quantise (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *zero = ph_kernel_input (kernel, 2);
  const PhDType wanted = (PhDType) ph_node_attr_int (kernel->node, "output_dtype", 0);
  const PhDType dtype = zero != NULL ? ph_tensor_dtype (zero) : wanted != PH_UNDEFINED ? wanted : PH_UINT8;
  const float *in = ph_tensor_data (x), *scales = ph_tensor_data (kernel->inputs[1]);
  const float low = dtype == PH_INT8 ? -128 : 0, high = dtype == PH_INT8 ? 127 : 255;
  const gsize count = ph_tensor_count (x);
  g_auto (Spread) spread = { 0 };
  gsize n, inner;
  guint8 *out;

  if (in == NULL || scales == NULL || !find_grain (kernel, x, &n, &inner))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  if (out != NULL && spread_init (&spread, scales, zero, n, inner, count))
    for (gsize at = 0; at < count; at += spread.period)
      ph_lanes ()->quantise_each (MIN (spread.period, count - at), out + at, in + at, spread.scales, spread.zeros, low, high);
  else
    for (gsize at = 0, s = 0; out != NULL && at < count; at += inner, s = s + 1 < n ? s + 1 : 0)
      ph_lanes ()->quantise (inner, out + at, in + at, scales[s], (float) ph_byte_at (zero, s), low, high);
  return out != NULL;
}

static gpointer
prepare_dequantise (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const PhDType dtype = (PhDType) ph_node_attr_int (kernel->node, "output_dtype", 0);
  gsize n, inner;

  return ph_are_bytes (x) && ph_tensor_count (x) > 0 && (dtype == PH_UNDEFINED || dtype == PH_FLOAT)
                 && find_grain (kernel, x, &n, &inner)
                 && (ph_kernel_input (kernel, 2) == NULL || ph_are_bytes (ph_kernel_input (kernel, 2)))
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, NOT_BYTES);
}

static gboolean
run_dequantise (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *zero = ph_kernel_input (kernel, 2);
  const gboolean is_signed = ph_tensor_dtype (x) == PH_INT8;
  const guint8 *in = ph_tensor_data (x);
  const float *scales = ph_tensor_data (kernel->inputs[1]);
  const gsize count = ph_tensor_count (x);
  g_auto (Spread) spread = { 0 };
  gsize n, inner;
  float *out;

  if (in == NULL || scales == NULL || !find_grain (kernel, x, &n, &inner))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, PH_FLOAT, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  if (out != NULL && spread_init (&spread, scales, zero, n, inner, count))
    for (gsize at = 0; at < count; at += spread.period)
      ph_lanes ()->dequantise_each (MIN (spread.period, count - at), out + at, in + at, is_signed, spread.scales, spread.zeros);
  else
    for (gsize at = 0, s = 0; out != NULL && at < count; at += inner, s = s + 1 < n ? s + 1 : 0)
      ph_lanes ()->dequantise (inner, out + at, in + at, is_signed, scales[s], ph_byte_at (zero, s));
  return out != NULL;
}

static gpointer
prepare_dynamic (PhKernel *kernel)
{
  return ph_dnnl_is_float (ph_kernel_input (kernel, 0)) ? PH_PREPARED : ph_kernel_refuse (kernel, PH_NOT_FLOAT);
}

static gboolean
run_dynamic (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const gsize n = ph_tensor_count (x);
  const float *in = ph_tensor_data (x);
  const float least = in != NULL ? ph_lanes ()->extreme (n, in, TRUE) : NAN,
              greatest = in != NULL ? ph_lanes ()->extreme (n, in, FALSE) : NAN;
  const float low = MIN (least, 0), high = MAX (greatest, 0);
  const float scale = (float) ((double) (float) ((double) high - low) / 255);
  guint8 *out, *zero;
  float *out_scale;

  if (!isfinite (least) || !isfinite (greatest) || scale == 0 || !isfinite (scale))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, PH_UINT8, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  out_scale = ph_kernel_output_unset (kernel, 1, PH_FLOAT, 0, NULL, NULL);
  zero = ph_kernel_output_unset (kernel, 2, PH_UINT8, 0, NULL, NULL);
  if (out == NULL || out_scale == NULL || zero == NULL)
    return FALSE;
  *out_scale = scale;
  *zero = (guint8) rint (CLAMP ((double) (float) (-(double) low / (double) scale), 0, 255));
  ph_lanes ()->quantise (n, out, in, scale, *zero, 0, 255);
  return TRUE;
}

/* ── the greatest of windows ── */

static gpointer
prepare_max (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhWindow window;

  if (!ph_are_bytes (x) || ph_tensor_rank (x) != 4 || ph_tensor_count (x) == 0 || ph_kernel_wants (kernel, 1))
    return ph_kernel_refuse (kernel, "no image of bytes, or the indices are wanted too");
  if (ph_window_init (&window, kernel->node, 2, ph_tensor_dims (x) + 2, NULL) != NULL)
    return ph_kernel_refuse (kernel, "windows that do not fit");
  for (guint i = 0; i < 2; i++)
    if (window.dilation[i] != 1 || window.begin[i] < 0 || window.begin[i] >= window.kernel[i] || window.out[i] < 1
        || (window.out[i] - 1) * window.stride[i] - window.begin[i] >= window.in[i])
      return ph_kernel_refuse (kernel, "windows that are dilated, or lie in the padding alone");
  return g_memdup2 (&window, sizeof window);
}

typedef guint8 Sixteen __attribute__ ((vector_size (16), aligned (1), may_alias));

/* Replaces @y by the maximum of @x and @y, unsigned bytes. */
static void
take_greater (gsize n, guint8 *y, const guint8 *x)
{
  gsize i = 0;

  for (; i + 16 <= n; i += 16)
    {
      const Sixteen a = *(const Sixteen *) (gconstpointer) (y + i), b = *(const Sixteen *) (gconstpointer) (x + i);
      const Sixteen first = (Sixteen) (a > b);

      *(Sixteen *) (gpointer) (y + i) = (a & first) | (b & ~first);
    }
  for (; i < n; i++)
    y[i] = MAX (y[i], x[i]);
}

/* Computes one row of the result: the maximum of each column in @column, then of the columns of each window. @flip turns signed bytes into
 * unsigned ones of the same order. */
static void
max_row (const PhWindow *w, const guint8 *in, gint64 row, guint8 flip, guint8 *column, guint8 *turned, guint8 *out)
{
  const gint64 first = MAX (row * w->stride[0] - w->begin[0], 0);
  const gint64 end = MIN (row * w->stride[0] - w->begin[0] + w->kernel[0], w->in[0]);
  const gsize wide = (gsize) w->in[1];

  memset (column, 0, wide);
  for (gint64 i = first; i < end; i++)
    {
      const guint8 *line = in + (gsize) i * wide;

      for (gsize k = 0; flip != 0 && k < wide; k++)
        turned[k] = line[k] ^ flip;
      take_greater (wide, column, flip != 0 ? turned : line);
    }
  for (gint64 i = 0; i < w->out[1]; i++)
    {
      const gint64 from = MAX (i * w->stride[1] - w->begin[1], 0),
                   to = MIN (i * w->stride[1] - w->begin[1] + w->kernel[1], w->in[1]);
      guint8 greatest = 0;

      for (gint64 k = from; k < to; k++)
        greatest = MAX (greatest, column[k]);
      out[i] = greatest ^ flip;
    }
}

static gboolean
run_max (PhKernel *kernel, gpointer prepared)
{
  const PhWindow *w = prepared;
  PhTensor *x = kernel->inputs[0];
  const gint64 *dims = ph_tensor_dims (x);
  const guint8 flip = ph_tensor_dtype (x) == PH_INT8 ? 0x80 : 0, *in = ph_tensor_data (x);
  g_autofree guint8 *room = g_malloc (2 * (gsize) w->in[1]);
  guint8 *out = in != NULL ? ph_kernel_output_unset (kernel, 0, ph_tensor_dtype (x), 4,
                                                     (gint64[]) { dims[0], dims[1], w->out[0], w->out[1] }, NULL)
                           : NULL;

  for (gint64 plane = 0; out != NULL && plane < dims[0] * dims[1]; plane++, in += dims[2] * dims[3])
    for (gint64 row = 0; row < w->out[0]; row++, out += w->out[1])
      max_row (w, in, row, flip, room, room + w->in[1], out);
  return out != NULL;
}

const PhKernelRow ph_kernels_bytes[] = {
  { &ph_op_DequantizeLinear, PH_DEVICE_CPU, "bytes", 10, prepare_dequantise, run_dequantise, NULL },
  { &ph_op_DynamicQuantizeLinear, PH_DEVICE_CPU, "bytes", 10, prepare_dynamic, run_dynamic, NULL },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "bytes", 10, prepare_max, run_max, g_free },
  { &ph_op_QuantizeLinear, PH_DEVICE_CPU, "bytes", 10, prepare_quantise, run_quantise, NULL },
  { NULL },
};
