/* pad.c: pads images in whatever memory format they have.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"

#define SPACE 3 /* spatial axes; images with fewer get leading axes of size 1 */

/* A pixel is a run of adjacent floats: all channels if channels-last, a block of channels, or one float. */
typedef struct
{
  gint64 in[SPACE], out[SPACE];
  gint64 *from[SPACE]; /* (owned) input position of each output position; -1: the constant */
  gint64 first, last;  /* output columns [first, last) hold the input's columns           */
  gsize size;          /* floats per pixel                                                */
} Border;

static void
border_clear (Border *border)
{
  for (guint d = 0; d < SPACE; d++)
    g_free (border->from[d]);
}

static gpointer
prepare_pad (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *value = ph_kernel_input (kernel, 2);
  const guint rank = ph_tensor_rank (x);

  if (!ph_dnnl_is_float (x) || rank < 3 || rank > 2 + SPACE
      || (value != NULL && (!ph_dnnl_is_float (value) || ph_tensor_count (value) != 1)))
    return ph_kernel_refuse (kernel, "only float32 images");
  return ph_kernel_input (kernel, 3) == NULL ? PH_PREPARED : ph_kernel_refuse (kernel, "the axes are an input");
}

/* Returns FALSE if other axes are padded, a pad is negative, or the inputs are wrong, which the reference kernel reports. */
static gboolean
find_border (PhKernel *kernel, Border *border, gint64 *dims)
{
  PhTensor *x = kernel->inputs[0];
  const guint rank = ph_tensor_rank (x), n = rank - 2;
  const char mode = ph_node_attr_string (kernel->node, "mode", "constant")[0];
  gsize n_pads = 0;
  g_autofree gint64 *pads = ph_kernel_ints (kernel, 1, &n_pads);

  if (n_pads != 2 * rank || pads[0] != 0 || pads[1] != 0 || pads[rank] != 0 || pads[rank + 1] != 0)
    return FALSE;
  memcpy (dims, ph_tensor_dims (x), rank * sizeof *dims);
  for (guint d = 0; d < SPACE; d++)
    {
      const guint axis = d + rank - SPACE;
      const gboolean there = d >= SPACE - n;
      const gint64 before = there ? pads[axis] : 0, after = there ? pads[rank + axis] : 0;

      border->in[d] = there ? dims[axis] : 1;
      if (before < 0 || after < 0 || before > G_MAXINT32 || after > G_MAXINT32 || border->in[d] == 0)
        return FALSE;
      border->out[d] = border->in[d] + before + after;
      if (there)
        dims[axis] = border->out[d];
      border->from[d] = g_new (gint64, border->out[d]);
      for (gint64 k = 0; k < border->out[d]; k++)
        border->from[d][k] = ph_pad_source (k - before, border->in[d], mode);
      border->first = before;
      border->last = before + border->in[d];
    }
  return TRUE;
}

/* Fills columns @first to @last - 1 of a row outside the input. */
static void
pad_row (const Border *border, const float *in, float *out, gint64 first, gint64 last, float value)
{
  const gsize size = border->size;

  if (first < last && border->from[2][first] < 0)
    ph_lanes ()->fill ((gsize) (last - first) * size, out + (gsize) first * size, value);
  else
    for (gint64 x = first; x < last; x++)
      memcpy (out + (gsize) x * size, in + (gsize) border->from[2][x] * size, size * sizeof *out);
}

/* Pads one image of adjacent pixels. */
static void
pad_image (const Border *border, const float *in, float *out, float value)
{
  const gint64 columns = border->out[2];
  const gsize size = border->size;

  for (gint64 z = 0; z < border->out[0]; z++)
    for (gint64 y = 0; y < border->out[1]; y++, out += (gsize) columns * size)
      {
        const gint64 plane = border->from[0][z], row = border->from[1][y];
        const float *own = in + (gsize) ((plane * border->in[1] + row) * border->in[2]) * size;

        if (plane < 0 || row < 0)
          {
            ph_lanes ()->fill ((gsize) columns * size, out, value);
            continue;
          }
        pad_row (border, own, out, 0, border->first, value);
        memcpy (out + (gsize) border->first * size, own, (gsize) border->in[2] * size * sizeof *out);
        pad_row (border, own, out, border->last, columns, value);
      }
}

static gboolean
run_pad (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *value = ph_kernel_input (kernel, 2), *y = NULL;
  const guint rank = ph_tensor_rank (x);
  const PhMemoryFormat format = ph_tensor_format (x);
  const float constant = value != NULL ? (float) ph_tensor_get (value, 0) : 0;
  const gint64 *sizes = ph_tensor_dims (x);
  gint64 dims[PH_MAX_RANK];
  Border border = { .size = 1 };
  const float *in;
  float *out;
  gsize images;

  if (ph_tensor_count (x) == 0 || !find_border (kernel, &border, dims)
      || (in = format == PH_MEMORY_PLAIN ? ph_tensor_data (x) : ph_tensor_packed (x)) == NULL)
    {
      border_clear (&border);
      return FALSE;
    }
  if (format != PH_MEMORY_PLAIN)
    border.size = format == PH_MEMORY_CHANNELS_LAST ? (gsize) sizes[1] : format == PH_MEMORY_BLOCKED_8 ? 8 : 16;
  images = ph_memory_format_count (format, rank, sizes) / (border.size * (gsize) (border.in[0] * border.in[1] * border.in[2]));
  /* The padding of the last block of channels must stay zero. */
  if (format == PH_MEMORY_PLAIN || format == PH_MEMORY_CHANNELS_LAST || constant == 0 || (gsize) sizes[1] % border.size == 0)
    y = format == PH_MEMORY_PLAIN ? ph_tensor_new_unset (PH_FLOAT, rank, dims) : ph_tensor_new_packed (rank, dims, format);
  out = y == NULL ? NULL : format == PH_MEMORY_PLAIN ? ph_tensor_writable (y) : ph_tensor_packed (y);
  for (gsize i = 0; out != NULL && i < images; i++)
    {
      pad_image (&border, in, out, constant);
      in += border.size * (gsize) (border.in[0] * border.in[1] * border.in[2]);
      out += border.size * (gsize) (border.out[0] * border.out[1] * border.out[2]);
    }
  border_clear (&border);
  if (y != NULL)
    ph_kernel_take (kernel, 0, y);
  return y != NULL;
}

const PhKernelRow ph_kernels_pad[] = {
  { &ph_op_Pad, PH_DEVICE_CPU, "rows", 10, prepare_pad, run_pad, NULL },
  { NULL },
};
