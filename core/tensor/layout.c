/* layout.c: layouts other than row-major, for the kernels of convolutions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
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
