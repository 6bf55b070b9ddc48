/* mutate.c: damages bytes at random.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate.h"

#include <string.h>

void
fuzz_mutate (GRand *rand, GByteArray *bytes)
{
  static const guint8 nasty[] = { 0x00, 0xff, 0x7f, 0x80, 0x01, '<', '>', '{', '"', '[', '-', 0x0a, 0x3a, 0x2a };
  guint n = (guint) g_rand_int_range (rand, 1, g_rand_boolean (rand) ? 2 : 6);

  for (guint i = 0; i < n && bytes->len > 4; i++)
    {
      guint at = (guint) g_rand_int_range (rand, 0, (gint32) bytes->len), length = (guint) g_rand_int_range (rand, 1, 32);

      length = MIN (length, bytes->len - at);
      switch (g_rand_int_range (rand, 0, 6))
        {
        case 0:
          bytes->data[at] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8));
          break;
        case 1:
          bytes->data[at] = nasty[g_rand_int_range (rand, 0, G_N_ELEMENTS (nasty))];
          break;
        case 2:
          g_byte_array_remove_range (bytes, at, length);
          break;
        case 3:
          {
            g_autofree guint8 *copy = g_memdup2 (bytes->data + at, length);
            g_byte_array_append (bytes, copy, length);
            break;
          }
        case 4:
          memmove (bytes->data + at, bytes->data + g_rand_int_range (rand, 0, (gint32) (bytes->len - length + 1)), length);
          break;
        default:
          bytes->data[at] = (guint8) g_rand_int_range (rand, 0, 256);
        }
    }
}
