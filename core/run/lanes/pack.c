/* pack.c: matrices in panels, as the loops over floats multiply by them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/run/lanes.h"
#include "core/run/product.h"
#include "core/tensor/origin.h"
#include "core/tensor/tensor.h"
#include "core/tensor/transpose.h"

/* Packs @rows rows of a matrix of @n columns, of which @b is the first; it is row @first of the @k that a panel has. */
static void
pack_rows (const float *b, gsize first, gsize rows, gsize k, gsize n, gsize ldb, float *out)
{
  const gsize panel = ph_lanes ()->panel;

  for (gsize at = 0; at < n; at += panel, out += panel * k)
    {
      const gsize width = MIN (panel, n - at);
      float *to = out + first * panel;

      for (gsize i = 0; i < rows; i++, to += panel)
        {
          memcpy (to, b + i * ldb + at, width * sizeof *to);
          memset (to + width, 0, (panel - width) * sizeof *to);
        }
    }
}

/* The same of a transposed matrix: @b has @n rows of @k. */
static void
pack_columns (const float *b, gsize k, gsize n, gsize ldb, float *out)
{
  const gsize panel = ph_lanes ()->panel;

  for (gsize at = 0; at < n; at += panel, out += panel * k)
    {
      const gsize width = MIN (panel, n - at);

      if (width < panel)
        memset (out, 0, panel * k * sizeof *out);
      ph_transpose_floats (width, k, b + at * ldb, ldb, out, panel);
    }
}

gsize
ph_lanes_panels (gsize k, gsize n)
{
  const gsize panel = ph_lanes ()->panel;

  return (n + panel - 1) / panel * panel * k;
}

void
ph_lanes_pack (const float *b, gsize k, gsize n, gsize ldb, gboolean transposed, float *out)
{
  if (transposed)
    pack_columns (b, k, n, ldb, out);
  else
    pack_rows (b, 0, k, k, n, ldb, out);
}

#define PART ((gsize) 1 << 18) /* elements that are read from a file at once */

gboolean
ph_product_pack (PhTensor *b, gsize first, gsize k, gsize n, gboolean transposed, float *panels)
{
  g_autoptr (PhTensor) whole = ph_tensor_dup_computed (b);
  const gsize panel = ph_lanes ()->panel, length = MAX (transposed ? k : n, 1), lines = transposed ? n : k;
  const gsize most = transposed ? MAX (PART / length / panel, 1) * panel : MAX (PART / length, 1);
  g_autofree float *part = NULL;

  if (whole == NULL)
    return FALSE;
  if (ph_tensor_is_in_memory (whole))
    {
      const float *data = ph_tensor_data (whole);

      if (data != NULL)
        ph_lanes_pack (data + first, k, n, length, transposed, panels);
      return data != NULL;
    }
  part = g_try_new (float, MIN (most, lines) * length);
  for (gsize at = 0; at < lines; at += most)
    {
      const gsize some = MIN (most, lines - at);

      if (part == NULL || !ph_tensor_copy_part (whole, first + at * length, some * length, part))
        return FALSE;
      if (transposed)
        pack_columns (part, k, some, length, panels + at * k);
      else
        pack_rows (part, at, some, k, n, length, panels);
    }
  return TRUE;
}
