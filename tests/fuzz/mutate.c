/* mutate.c: tries what random damage makes of good input.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate.h"

#include <string.h>

static void
mutate (GRand *rand, GByteArray *bytes)
{
  static const guint8 nasty[] = { 0x00, 0xff, 0x7f, 0x80, 0x01, '<', '>', '{', '"', '[', '-', 0x0a, 0x3a, 0x2a };
  guint n = (guint) g_rand_int_range (rand, 1, g_rand_boolean (rand) ? 2 : 6);

  for (guint i = 0; i < n && bytes->len > 4; i++)
    {
      guint at = (guint) g_rand_int_range (rand, 0, (gint32) bytes->len), length = (guint) g_rand_int_range (rand, 1, 32);

      length = MIN (length, bytes->len - at);
      switch (g_rand_int_range (rand, 0, 6))
        {
        case 0: bytes->data[at] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8)); break;
        case 1: bytes->data[at] = nasty[g_rand_int_range (rand, 0, G_N_ELEMENTS (nasty))]; break;
        case 2: g_byte_array_remove_range (bytes, at, length); break;
        case 3:
          {
            g_autofree guint8 *copy = g_memdup2 (bytes->data + at, length);
            g_byte_array_append (bytes, copy, length);
            break;
          }
        case 4:
          memmove (bytes->data + at, bytes->data + g_rand_int_range (rand, 0, (gint32) (bytes->len - length + 1)), length);
          break;
        default: bytes->data[at] = (guint8) g_rand_int_range (rand, 0, 256);
        }
    }
}

void
fuzz_run (GPtrArray *seeds, FuzzTry try)
{
  const char *seconds = g_getenv ("PEEPHOLE_FUZZ_SECONDS"), *seed = g_getenv ("PEEPHOLE_FUZZ_SEED");
  gint64 end = g_get_monotonic_time () + (seconds != NULL ? g_ascii_strtoll (seconds, NULL, 10) : 3) * G_USEC_PER_SEC;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed != NULL ? (guint32) g_ascii_strtoull (seed, NULL, 10) : 23);
  guint n = 0, good = 0;

  for (guint i = 0; i < seeds->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (seeds->pdata[i], &size);

      if (!try (data, size))
        g_error ("seed %u of %" G_GSIZE_FORMAT " bytes is refused", i, size);
    }
  while (n < 200000 && g_get_monotonic_time () < end)
    {
      GBytes *original = seeds->pdata[g_rand_int_range (rand, 0, (gint32) seeds->len)];
      g_autoptr (GByteArray) bytes = g_byte_array_new ();

      g_byte_array_append (bytes, g_bytes_get_data (original, NULL), (guint) g_bytes_get_size (original));
      mutate (rand, bytes);
      good += try (bytes->data, bytes->len);
      n++;
    }
  g_test_message ("%u inputs, %u of them good", n, good);
}
