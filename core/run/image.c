/* image.c: kernels for images in channels-last or row-major order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/onnx/resize.h"
#include "core/ops/op-list.h"
#include "core/run/lanes.h"

/* Returns TRUE for a float image of rank 4. One in blocks of channels, as oneDNN leaves it on older processors, is read row by row. */
static gboolean
is_image (const PhTensor *x)
{
  return ph_dnnl_is_float (x) && ph_tensor_rank (x) == 4 && !ph_tensor_is_splat (x);
}

static gboolean
is_last (const PhTensor *x)
{
  return ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST;
}

static const float *
pixels_of (PhTensor *x)
{
  return is_last (x) ? ph_tensor_packed (x) : ph_tensor_data (x);
}

static PhTensor *
new_image (const gint64 *dims, gboolean last)
{
  return last ? ph_tensor_new_packed (4, dims, PH_MEMORY_CHANNELS_LAST) : ph_tensor_new_unset (PH_FLOAT, 4, dims);
}

static float *
writable (PhTensor *y)
{
  return is_last (y) ? ph_tensor_packed (y) : ph_tensor_writable (y);
}

/* ── Resize ── */

/* @taps: of the height, of the width. */
typedef struct
{
  PhTaps taps[2];
  gint64 times; /* nearest: each pixel of a row occurs so often; 0: it varies */
} Weighed;

static void
free_weighed (gpointer data)
{
  Weighed *weighed = data;

  ph_taps_clear (&weighed->taps[0]);
  ph_taps_clear (&weighed->taps[1]);
  g_free (weighed);
}

static gpointer
prepare_taps (PhKernel *kernel, gboolean is_nearest)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *scales = ph_kernel_input (kernel, 2), *sizes = ph_kernel_input (kernel, 3);
  PhTaps taps[PH_MAX_RANK];
  gboolean fits;

  if (!is_image (x) || (scales != NULL && !ph_kernel_is_constant (kernel, 2))
      || (sizes != NULL && !ph_kernel_is_constant (kernel, 3))
      || g_str_equal (ph_node_attr_string (kernel->node, "mode", "nearest"), "nearest") != is_nearest
      || !ph_resize_taps (kernel->node, x, scales, sizes, taps))
    return ph_kernel_refuse (kernel, "no float32 image, or its scales and sizes are no constants, or it is cropped");
  fits = taps[0].index == NULL && taps[1].index == NULL && (is_nearest || (taps[2].index != NULL && taps[3].index != NULL));
  if (fits)
    return g_memdup2 (&(Weighed) { .taps = { taps[2], taps[3] } }, sizeof (Weighed));
  for (guint i = 0; i < 4; i++)
    ph_taps_clear (&taps[i]);
  return ph_kernel_refuse (kernel, "not height and width alone are resized");
}

/* The nearest pixel */

static gpointer
prepare_nearest (PhKernel *kernel)
{
  Weighed *weighed = prepare_taps (kernel, TRUE);
  const PhTaps *wide;

  if (weighed == NULL)
    return NULL;
  wide = &weighed->taps[1];
  weighed->times = wide->index == NULL ? 1 : wide->in > 0 && wide->out % wide->in == 0 ? wide->out / wide->in : 0;
  for (gint64 i = 0; wide->index != NULL && weighed->times > 0 && i < wide->out; i++)
    if (wide->index[i] != i / weighed->times)
      weighed->times = 0;
  return weighed;
}

/* Repeats each of @n pixels of @size floats @times. */
static void
repeat_row (const float *in, float *out, gint64 n, gsize size, gint64 times)
{
  if (size == 1 && times == 2)
    for (gint64 i = 0; i < n; i++)
      out[2 * i] = out[2 * i + 1] = in[i];
  else
    for (gint64 i = 0; i < n; i++)
      for (gint64 k = 0; k < times; k++)
        memcpy (out + (gsize) (i * times + k) * size, in + (gsize) i * size, size * sizeof *out);
}

static void
pick_pixels (const PhTaps *taps, const float *in, float *out, gsize size)
{
  for (gint64 i = 0; i < taps->out; i++)
    if (size == 1)
      out[i] = in[taps->index[i]];
    else
      memcpy (out + (gsize) i * size, in + (gsize) taps->index[i] * size, size * sizeof *out);
}

static gboolean
run_nearest (PhKernel *kernel, gpointer prepared)
{
  const Weighed *weighed = prepared;
  const PhTaps *rows = &weighed->taps[0];
  PhTensor *x = kernel->inputs[0], *y;
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean last = is_last (x);
  const gsize size = last ? (gsize) dims[1] : 1;
  const gint64 planes = last ? dims[0] : dims[0] * dims[1], high = rows->index != NULL ? rows->out : dims[2],
               wide = weighed->taps[1].index != NULL ? weighed->taps[1].out : dims[3];
  const gsize n = (gsize) wide * size;
  const float *in = pixels_of (x);
  float *out;

  y = in != NULL ? new_image ((gint64[]) { dims[0], dims[1], high, wide }, last) : NULL;
  if (y == NULL)
    return FALSE;
  out = writable (y);
  for (gint64 plane = 0; plane < planes; plane++, in += (gsize) (dims[2] * dims[3]) * size)
    for (gint64 i = 0; i < high; i++, out += n)
      {
        const gint64 row = rows->index != NULL ? rows->index[i] : i;

        if (i > 0 && rows->index != NULL && rows->index[i - 1] == row)
          memcpy (out, out - n, n * sizeof *out);
        else if (weighed->times > 0)
          repeat_row (in + (gsize) (row * dims[3]) * size, out, dims[3], size, weighed->times);
        else
          pick_pixels (&weighed->taps[1], in + (gsize) (row * dims[3]) * size, out, size);
      }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

/* Pixels weighed */

static gpointer
prepare_weighed (PhKernel *kernel)
{
  return prepare_taps (kernel, FALSE);
}

/* Resamples one row of single floats of two neighbours each, only one of which may count. */
static void
weigh_pairs (const PhTaps *taps, const float *in, float *out)
{
  const gint64 *index = taps->index;
  const double *weight = taps->weight;

  for (gint64 i = 0; i < taps->out; i++, index += 2, weight += 2)
    if (weight[0] != 0 && weight[1] != 0)
      out[i] = (float) weight[0] * in[index[0]] + (float) weight[1] * in[index[1]];
    else
      out[i] = weight[0] != 0 ? (float) weight[0] * in[index[0]] : weight[1] != 0 ? (float) weight[1] * in[index[1]] : 0;
}

static void
weigh_floats (const PhTaps *taps, const float *in, float *out)
{
  const gint64 *index = taps->index;
  const double *weight = taps->weight;
  const guint n = taps->n;

  for (gint64 i = 0; i < taps->out; i++, index += n, weight += n)
    {
      float sum = 0;

      for (guint t = 0; t < n; t++)
        if (weight[t] != 0)
          sum += (float) weight[t] * in[index[t]];
      out[i] = sum;
    }
}

/* Makes result @i of what @in has in groups of @size floats, its pixels or rows: their weighted sum. */
static void
weigh_group (const PhTaps *taps, gint64 i, const float *in, gsize size, float *out)
{
  ph_lanes ()->fill (size, out, 0);
  for (guint t = 0; t < taps->n; t++)
    if (taps->weight[i * taps->n + t] != 0)
      ph_lanes ()->add_scaled (size, out, in + (gsize) taps->index[i * taps->n + t] * size,
                               (float) taps->weight[i * taps->n + t]);
}

/* Resamples one row of pixels of @size floats. */
static void
weigh_row (const PhTaps *taps, const float *in, float *out, gsize size)
{
  for (gint64 i = 0; size > 1 && i < taps->out; i++)
    weigh_group (taps, i, in, size, out + (gsize) i * size);
  if (size > 1)
    return;
  if (taps->n == 2)
    weigh_pairs (taps, in, out);
  else
    weigh_floats (taps, in, out);
}

/* Returns row @i of the plane @in, resampled along its width. It is cached in one of @n rows of @rows; @held has the rows' numbers. */
static const float *
weighed_row (const PhTaps *wide, const float *in, gsize size, gint64 i, gint64 n, float *rows, gint64 *held)
{
  float *row = rows + (gsize) (i % n) * (gsize) wide->out * size;

  if (held[i % n] != i)
    weigh_row (wide, in + (gsize) i * (gsize) wide->in * size, row, size);
  held[i % n] = i;
  return row;
}

static gboolean
run_weighed (PhKernel *kernel, gpointer prepared)
{
  const PhTaps *high = &((const Weighed *) prepared)->taps[0], *wide = &((const Weighed *) prepared)->taps[1];
  PhTensor *x = kernel->inputs[0], *y;
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean last = is_last (x);
  const gsize size = last ? (gsize) dims[1] : 1, to = (gsize) wide->out * size;
  const gboolean fewer = high->out <= high->in; /* fewer rows are resampled if they are added up first */
  const gint64 planes = last ? dims[0] : dims[0] * dims[1], n = MIN (high->in, high->n); /* neighbours: one place for each */
  g_autofree float *rows = g_try_new (float, fewer ? (gsize) wide->in *size : (gsize) n *to);
  g_autofree gint64 *held = g_new (gint64, n);
  const float *in = pixels_of (x);
  float *out;

  y = in != NULL && rows != NULL ? new_image ((gint64[]) { dims[0], dims[1], high->out, wide->out }, last) : NULL;
  if (y == NULL)
    return FALSE;
  out = writable (y);
  for (gint64 plane = 0; plane < planes; plane++, in += (gsize) (high->in * wide->in) * size)
    {
      memset (held, -1, (gsize) n * sizeof *held);
      for (gint64 row = 0; row < high->out; row++, out += to)
        {
          if (fewer)
            {
              weigh_group (high, row, in, (gsize) wide->in * size, rows);
              weigh_row (wide, rows, out, size);
              continue;
            }
          ph_lanes ()->fill (to, out, 0);
          for (guint t = 0; t < high->n; t++)
            if (high->weight[row * high->n + t] != 0)
              ph_lanes ()->add_scaled (to, out, weighed_row (wide, in, size, high->index[row * high->n + t], n, rows, held),
                                       (float) high->weight[row * high->n + t]);
        }
    }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

/* ── normalisation by given statistics ── */

static gpointer
prepare_batch_norm (PhKernel *kernel)
{
  if (!is_image (ph_kernel_input (kernel, 0)) || ph_node_attr_int (kernel->node, "training_mode", 0) != 0
      || kernel->n_outputs != 1)
    return ph_kernel_refuse (kernel, "no float32 image, or the statistics are computed here");
  for (guint i = 1; i < 5; i++)
    if (!ph_dnnl_is_float (ph_kernel_input (kernel, i)) || ph_tensor_rank (kernel->inputs[i]) != 1
        || ph_tensor_dims (kernel->inputs[i])[0] != ph_tensor_dims (kernel->inputs[0])[1])
      return ph_kernel_refuse (kernel, "the statistics are not float32 of one channel each");
  return PH_PREPARED;
}

static gboolean
run_batch_norm (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *y;
  const gint64 *dims = ph_tensor_dims (x);
  const gsize channels = (gsize) dims[1], pixels = (gsize) (dims[2] * dims[3]);
  const double epsilon = ph_node_attr_float (kernel->node, "epsilon", 1e-5f);
  g_autofree float *scale = g_new (float, channels), *shift = g_new (float, channels);
  const float *in = pixels_of (x);
  float *out;

  y = in != NULL ? new_image (dims, is_last (x)) : NULL;
  if (y == NULL)
    return FALSE;
  out = writable (y);
  for (gsize c = 0; c < channels; c++)
    {
      const double factor = ph_tensor_get (kernel->inputs[1], c) / sqrt (ph_tensor_get (kernel->inputs[4], c) + epsilon);

      scale[c] = (float) factor;
      shift[c] = (float) (ph_tensor_get (kernel->inputs[2], c) - ph_tensor_get (kernel->inputs[3], c) * factor);
    }
  if (is_last (x))
    for (gsize p = 0; p < (gsize) dims[0] * pixels; p++)
      ph_lanes ()->affine (channels, out + p * channels, in + p * channels, scale, shift, TRUE);
  else
    for (gsize c = 0; c < (gsize) dims[0] * channels; c++)
      ph_lanes ()->affine (pixels, out + c * pixels, in + c * pixels, &scale[c % channels], &shift[c % channels], FALSE);
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

/* ── a transposed convolution whose windows do not overlap: a product for each row, whose parts are then placed ── */

typedef struct
{
  gint64 high, wide;   /* of the window                                                */
  PhTensor *packed_of; /* (nullable) owned: the weights that @panels was made from      */
  float *panels;       /* (nullable)                                                   */
} Tiles;

static void
free_tiles (gpointer data)
{
  Tiles *tiles = data;

  free (tiles->panels);
  g_clear_pointer (&tiles->packed_of, ph_tensor_unref);
  g_free (tiles);
}

static gsize
packed_tiles (gpointer data)
{
  const Tiles *tiles = data;

  return tiles->packed_of != NULL ? ph_tensor_bytes (tiles->packed_of) : 0;
}

static gpointer
prepare_tiles (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  PhWindow window;
  Tiles *tiles;

  if (!is_image (x) || !is_last (x) || !ph_dnnl_is_float (w) || ph_tensor_rank (w) != 4 || !ph_kernel_is_constant (kernel, 1)
      || ph_node_attr_int (kernel->node, "group", 1) != 1 || ph_tensor_dims (w)[0] != ph_tensor_dims (x)[1]
      || (bias != NULL && (!ph_dnnl_is_float (bias) || (gint64) ph_tensor_count (bias) != ph_tensor_dims (w)[1]))
      || ph_window_init_transposed (&window, kernel->node, 2, ph_tensor_dims (x) + 2, ph_tensor_dims (w) + 2) != NULL)
    return ph_kernel_refuse (kernel, "no float32 image with its channels last, constant weights and one group");
  for (guint i = 0; i < 2; i++)
    if (window.kernel[i] != window.stride[i] || window.dilation[i] != 1 || window.begin[i] != 0
        || window.out[i] != window.in[i] * window.stride[i])
      return ph_kernel_refuse (kernel, "the windows overlap, are dilated or padded");
  tiles = g_new0 (Tiles, 1);
  tiles->high = window.kernel[0];
  tiles->wide = window.kernel[1];
  return tiles;
}

/* [ic, oc, kh, kw] to [ic, (kh, kw, oc)], in panels. */
static gboolean
pack_tiles (Tiles *tiles, PhTensor *w)
{
  const gsize in = (gsize) ph_tensor_dims (w)[0], channels = (gsize) ph_tensor_dims (w)[1],
              area = (gsize) (tiles->high * tiles->wide);
  const gsize n = channels * area;
  const float *data;
  g_autofree float *rows = g_try_new (float, in *n), *once = NULL;
  gpointer room = NULL;

  if (ph_tensor_is_in_memory (w))
    data = ph_tensor_data (w);
  else
    data = (once = g_try_malloc (ph_tensor_bytes (w))) != NULL && ph_tensor_copy_data (w, once) ? once : NULL;
  if (data == NULL || rows == NULL || posix_memalign (&room, 64, ph_lanes_panels (in, n) * sizeof (float)) != 0)
    return FALSE;
  for (gsize i = 0; i < in; i++)
    for (gsize c = 0; c < channels; c++)
      for (gsize k = 0; k < area; k++)
        rows[i * n + k * channels + c] = data[(i * channels + c) * area + k];
  ph_lanes_pack (rows, in, n, n, FALSE, room);
  free (tiles->panels);
  tiles->panels = room;
  g_clear_pointer (&tiles->packed_of, ph_tensor_unref);
  tiles->packed_of = ph_tensor_ref (w);
  return TRUE;
}

static gboolean
run_tiles (PhKernel *kernel, gpointer prepared)
{
  Tiles *tiles = prepared;
  PhTensor *x = kernel->inputs[0], *w = kernel->inputs[1], *bias = ph_kernel_input (kernel, 2), *y;
  const gint64 *dims = ph_tensor_dims (x);
  const gsize in = (gsize) dims[1], channels = (gsize) ph_tensor_dims (w)[1], part = (gsize) tiles->wide * channels;
  const gsize n = (gsize) tiles->high * part, columns = ph_lanes_panels (1, n);
  const gsize width = (gsize) dims[3];
  g_autofree float *offsets = g_new0 (float, columns), *row = g_try_new (float, width *n);
  const float *pixels = ph_tensor_packed (x);
  float *out;

  if (row == NULL || (tiles->packed_of != w && !pack_tiles (tiles, w)))
    return FALSE;
  for (gsize i = 0; bias != NULL && i < n; i++)
    offsets[i] = (float) ph_tensor_get (bias, i % channels);
  y = new_image ((gint64[]) { dims[0], (gint64) channels, dims[2] * tiles->high, dims[3] * tiles->wide }, channels > 1);
  if (y == NULL)
    return FALSE;
  out = writable (y);
  for (gint64 r = 0; r < dims[0] * dims[2]; r++, pixels += width * in)
    {
      ph_lanes ()->product (width, n, in, pixels, in, tiles->panels, bias != NULL ? offsets : NULL, row, n);
      for (gint64 i = 0; i < tiles->high; i++, out += width * part)
        for (gsize p = 0; p < width; p++)
          memcpy (out + p * part, row + p * n + (gsize) i * part, part * sizeof *out);
    }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

/* ── maximum of each window, and its position ── */

typedef struct
{
  gsize taps, places, plane; /* of a window; windows, and elements, of an image of one channel */
  gint64 dims[2 + PH_DNNL_SPATIAL];
  gint32 offsets[]; /* the taps of each window; one outside the image repeats the first inside */
} Places;

static gpointer
prepare_places (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhWindow w;
  Places *places;
  gsize taps, n;

  if (!ph_dnnl_is_float (x) || ph_tensor_rank (x) < 3 || ph_tensor_rank (x) > 2 + PH_DNNL_SPATIAL
      || ph_node_attr_int (kernel->node, "storage_order", 0) != 0
      || ph_window_init (&w, kernel->node, ph_tensor_rank (x) - 2, ph_tensor_dims (x) + 2, NULL) != NULL)
    return ph_kernel_refuse (kernel, "no float32 image, or places are counted by columns");
  taps = (gsize) ph_window_kernel_count (&w);
  n = (gsize) ph_dims_product (w.out, 0, w.n);
  if (taps > 4096 || n > (1 << 22) / taps || ph_dims_product (w.in, 0, w.n) > G_MAXINT32)
    return ph_kernel_refuse (kernel, "a table of its windows would be too large");
  places = g_malloc0 (sizeof *places + n * taps * sizeof *places->offsets);
  places->taps = taps;
  places->places = n;
  places->plane = (gsize) ph_dims_product (w.in, 0, w.n);
  memcpy (places->dims, ph_tensor_dims (x), 2 * sizeof *places->dims);
  memcpy (places->dims + 2, w.out, w.n * sizeof *places->dims);
  for (gsize i = 0; i < n; i++)
    {
      gint32 *offsets = places->offsets + i * taps;
      gsize inside = 0;

      for (gsize k = 0; k < taps; k++)
        {
          gint64 place = (gint64) i, tap = (gint64) k, offset = 0, step = 1;
          gboolean is_inside = TRUE;

          for (guint d = w.n; d-- > 0; place /= w.out[d], tap /= w.kernel[d], step *= w.in[d])
            {
              const gint64 at = place % w.out[d] * w.stride[d] - w.begin[d] + tap % w.kernel[d] * w.dilation[d];

              is_inside = is_inside && at >= 0 && at < w.in[d];
              offset += at * step;
            }
          if (is_inside)
            offsets[inside++] = (gint32) offset;
        }
      if (inside == 0)
        {
          g_free (places);
          return ph_kernel_refuse (kernel, "a window lies in its padding alone");
        }
      for (gsize k = inside; k < taps; k++)
        offsets[k] = offsets[0];
    }
  return places;
}

/* Picks the first of equal elements, and NaN before all numbers. */
static gboolean
run_places (PhKernel *kernel, gpointer prepared)
{
  const Places *places = prepared;
  const guint rank = ph_tensor_rank (kernel->inputs[0]);
  const gsize planes = (gsize) (places->dims[0] * places->dims[1]);
  const float *in = ph_tensor_data (kernel->inputs[0]);
  float *out = in != NULL ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, rank, places->dims, NULL) : NULL;
  gint64 *where = out != NULL && kernel->n_outputs > 1 ? ph_kernel_output_unset (kernel, 1, PH_INT64, rank, places->dims, NULL)
                                                       : NULL;

  if (out == NULL || (kernel->n_outputs > 1 && where == NULL))
    return FALSE;
  for (gsize p = 0; p < planes; p++, in += places->plane)
    {
      const gint32 *offsets = places->offsets;

      for (gsize i = 0; i < places->places; i++, offsets += places->taps)
        {
          float best = in[offsets[0]];
          gint32 at = offsets[0];

          for (gsize k = 1; k < places->taps; k++)
            {
              const float x = in[offsets[k]];
              const gboolean better = (x > best) | ((x != x) & (best == best));

              best = better ? x : best;
              at = better ? offsets[k] : at;
            }
          *out++ = best;
          if (where != NULL)
            *where++ = (gint64) (p * places->plane) + at;
        }
    }
  return TRUE;
}

const PhKernelRow ph_kernels_image[] = {
  { &ph_op_BatchNormalization, PH_DEVICE_CPU, "rows", 10, prepare_batch_norm, run_batch_norm, NULL },
  { &ph_op_ConvTranspose, PH_DEVICE_CPU, "tiles", 20, prepare_tiles, run_tiles, free_tiles, packed_tiles, NULL, TRUE },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "places", 9, prepare_places, run_places, g_free },
  { &ph_op_Resize, PH_DEVICE_CPU, "rows", 10, prepare_nearest, run_nearest, free_weighed },
  { &ph_op_Resize, PH_DEVICE_CPU, "taps", 9, prepare_weighed, run_weighed, free_weighed },
  { NULL },
};
