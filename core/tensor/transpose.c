/* transpose.c: transposes matrices of 32-bit words.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/transpose.h"

#define TILE 16 /* words of a cache line: a loaded line is used up before it is evicted */

typedef guint32 Four __attribute__ ((vector_size (16), aligned (4), may_alias));

static inline Four
load (const guint32 *from)
{
  return *(const Four *) from;
}

static inline void
store (guint32 *to, Four four)
{
  *(Four *) to = four;
}

static inline void
four_by_four (const guint32 *from, gsize from_step, guint32 *to, gsize to_step)
{
  const Four a = load (from), b = load (from + from_step), c = load (from + 2 * from_step), d = load (from + 3 * from_step);
  const Four ab = __builtin_shufflevector (a, b, 0, 4, 1, 5), cd = __builtin_shufflevector (c, d, 0, 4, 1, 5);
  const Four ba = __builtin_shufflevector (a, b, 2, 6, 3, 7), dc = __builtin_shufflevector (c, d, 2, 6, 3, 7);

  store (to, __builtin_shufflevector (ab, cd, 0, 1, 4, 5));
  store (to + to_step, __builtin_shufflevector (ab, cd, 2, 3, 6, 7));
  store (to + 2 * to_step, __builtin_shufflevector (ba, dc, 0, 1, 4, 5));
  store (to + 3 * to_step, __builtin_shufflevector (ba, dc, 2, 3, 6, 7));
}

static void
tile (gsize rows, gsize columns, const guint32 *from, gsize from_step, guint32 *to, gsize to_step)
{
  const gsize whole_rows = rows & ~(gsize) 3, whole_columns = columns & ~(gsize) 3;

  for (gsize c = 0; c < whole_columns; c += 4)
    for (gsize r = 0; r < whole_rows; r += 4)
      four_by_four (from + r * from_step + c, from_step, to + c * to_step + r, to_step);
  for (gsize c = 0; c < columns; c++)
    for (gsize r = c < whole_columns ? whole_rows : 0; r < rows; r++)
      to[c * to_step + r] = from[r * from_step + c];
}

void
ph_transpose_words (gsize rows, gsize columns, const guint32 *from, gsize from_step, guint32 *to, gsize to_step)
{
  for (gsize r = 0; r < rows; r += TILE)
    for (gsize c = 0; c < columns; c += TILE)
      tile (MIN (TILE, rows - r), MIN (TILE, columns - c), from + r * from_step + c, from_step, to + c * to_step + r, to_step);
}
