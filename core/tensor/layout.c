/* layout.c: layouts other than row-major, for the kernels of convolutions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/tensor/tensor-private.h"
#include "core/tensor/transpose.h"

const char *
ph_memory_format_name (PhMemoryFormat layout)
{
  static const char *const names[PH_N_MEMORY_FORMATS] = { "plain", "channels last", "blocks of 8 channels",
                                                          "blocks of 16 channels" };

  return names[layout];
}

static gint64
block_of (PhMemoryFormat layout)
{
  return layout == PH_MEMORY_BLOCKED_8 ? 8 : layout == PH_MEMORY_BLOCKED_16 ? 16 : 1;
}

gsize
ph_memory_format_count (PhMemoryFormat layout, guint rank, const gint64 *dims)
{
  const gint64 block = block_of (layout);
  gsize count = 1;

  for (guint i = 0; i < rank; i++)
    count *= (gsize) (i == 1 ? (dims[i] + block - 1) / block * block : dims[i]);
  return count;
}

guint
ph_memory_format_walk (PhMemoryFormat layout, guint rank, const gint64 *dims, gint64 *walk, guint *of, gint64 *step)
{
  const gint64 block = block_of (layout);
  guint n = 0;

#define DIM(of_, size_, step_) \
  do                           \
    {                          \
      walk[n] = (size_);       \
      of[n] = (of_);           \
      step[n++] = (step_);     \
    }                          \
  while (0)
  for (guint i = 0; i < rank; i++)
    if (i != 1 || layout == PH_MEMORY_PLAIN)
      DIM (i, dims[i], 1);
    else if (block > 1)
      DIM (1, dims[1] / block, block);
  if (layout == PH_MEMORY_CHANNELS_LAST)
    DIM (1, dims[1], 1);
  else if (block > 1)
    DIM (1, block, 1);
#undef DIM
  return n;
}

void
ph_tensor_unpack (const PhTensor *tensor, float *out)
{
  const gint64 batch = tensor->dims[0], channels = tensor->dims[1],
               block = tensor->layout == PH_MEMORY_CHANNELS_LAST ? channels : block_of (tensor->layout);
  const gint64 blocks = block > 0 ? (channels + block - 1) / block : 0;
  gint64 pixels = 1;

  for (guint i = 2; i < tensor->rank; i++)
    pixels *= tensor->dims[i];
  for (gint64 n = 0; n < batch; n++)
    for (gint64 b = 0; b < blocks; b++)
      {
        const guint32 *from = (const guint32 *) tensor->packed + (n * blocks + b) * pixels * block;
        guint32 *to = (guint32 *) out + (n * channels + b * block) * pixels;
        const gint64 width = MIN (block, channels - b * block);

        ph_transpose_words ((gsize) pixels, (gsize) width, from, (gsize) block, to, (gsize) pixels);
      }
}

PhTensor *
ph_tensor_new_packed_of (PhTensor *tensor, PhMemoryFormat layout)
{
  const gint64 *dims = ph_tensor_dims (tensor);
  const gsize channels = (gsize) dims[1], block = layout == PH_MEMORY_CHANNELS_LAST ? channels : (gsize) block_of (layout);
  const guint32 *from = ph_tensor_data (tensor);
  PhTensor *made = from != NULL ? ph_tensor_new_packed (ph_tensor_rank (tensor), dims, layout) : NULL;
  guint32 *to = made != NULL ? ph_tensor_packed (made) : NULL;
  gsize pixels = 1;

  if (to == NULL)
    {
      g_clear_pointer (&made, ph_tensor_unref);
      return NULL;
    }
  for (guint i = 2; i < ph_tensor_rank (tensor); i++)
    pixels *= (gsize) dims[i];
  for (gint64 n = 0; n < dims[0]; n++)
    for (gsize c = 0; c < channels; c += block)
      {
        const gsize width = MIN (block, channels - c);

        if (width < block)
          memset (to, 0, pixels * block * sizeof *to);
        ph_transpose_words (width, pixels, from, pixels, to, block);
        from += width * pixels;
        to += block * pixels;
      }
  return made;
}

PhTensor *
ph_tensor_in_rows (PhTensor *tensor)
{
  PhTensor *plain = ph_tensor_new_unset (PH_FLOAT, ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  if (plain == NULL || !ph_tensor_copy_data (tensor, ph_tensor_writable (plain)))
    {
      g_clear_pointer (&plain, ph_tensor_unref);
      return tensor;
    }
  ph_tensor_unref (tensor);
  return plain;
}
