/* field-product.c: the matrix product over the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-tensor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Numbers are below 2^31, so four products fit into 64 bits, and after that halves of 32 bits of up to 2^32 sums. */
typedef struct
{
  guint64 low, high;
} Sum;

static inline void
add_product (Sum *sum, guint32 a, guint32 b)
{
  const guint64 product = (guint64) a * b;

  sum->low += (guint32) product;
  sum->high += product >> 32;
}

static Sum
dot_plain (gsize n, const guint32 *a, const guint32 *b)
{
  Sum sum = { 0, 0 };

  for (gsize i = 0; i < n; i++)
    add_product (&sum, a[i], b[i]);
  return sum;
}

#if defined(__x86_64__)
#define WIDEN(at_) _mm256_cvtepu32_epi64 (_mm_loadu_si128 ((const __m128i *) (at_)))

__attribute__ ((target ("avx2"))) static Sum
dot_avx2 (gsize n, const guint32 *a, const guint32 *b)
{
  const __m256i mask = _mm256_set1_epi64x (G_MAXUINT32);
  __m256i low = _mm256_setzero_si256 (), high = _mm256_setzero_si256 ();
  gsize i = 0;
  guint64 lows[4], highs[4];
  Sum sum = { 0, 0 };

  for (; i + 16 <= n; i += 16)
    {
      __m256i four = _mm256_mul_epu32 (WIDEN (a + i), WIDEN (b + i));

      four = _mm256_add_epi64 (four, _mm256_mul_epu32 (WIDEN (a + i + 4), WIDEN (b + i + 4)));
      four = _mm256_add_epi64 (four, _mm256_mul_epu32 (WIDEN (a + i + 8), WIDEN (b + i + 8)));
      four = _mm256_add_epi64 (four, _mm256_mul_epu32 (WIDEN (a + i + 12), WIDEN (b + i + 12)));
      low = _mm256_add_epi64 (low, _mm256_and_si256 (four, mask));
      high = _mm256_add_epi64 (high, _mm256_srli_epi64 (four, 32));
    }
  _mm256_storeu_si256 ((__m256i *) lows, low);
  _mm256_storeu_si256 ((__m256i *) highs, high);
  for (guint lane = 0; lane < 4; lane++)
    {
      sum.low += lows[lane];
      sum.high += highs[lane];
    }
  for (; i < n; i++)
    add_product (&sum, a[i], b[i]);
  return sum;
}
#endif

typedef Sum (*Dot) (gsize n, const guint32 *a, const guint32 *b);

static Dot
dot_of_processor (void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx2"))
    return dot_avx2;
#endif
  return dot_plain;
}

/* So many rows and columns fit into the processor's nearest cache. */
#define TILE 16

void
ph_field_product (gsize m, gsize n, gsize k, const guint32 *a, const guint32 *b, guint32 *c, guint32 modulus)
{
  const Dot dot = dot_of_processor ();
  const guint64 step = (G_GUINT64_CONSTANT (1) << 32) % modulus;
  g_autofree guint32 *columns = g_new (guint32, n * k + 1);

  for (gsize tile_l = 0; tile_l < k; tile_l += TILE)
    for (gsize tile_j = 0; tile_j < n; tile_j += TILE)
      for (gsize l = tile_l; l < MIN (tile_l + TILE, k); l++)
        for (gsize j = tile_j; j < MIN (tile_j + TILE, n); j++)
          columns[j * k + l] = b[l * n + j];
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++)
      {
        const Sum sum = dot (k, a + i * k, columns + j * k);

        c[i * n + j] = (guint32) ((sum.low + sum.high % modulus * step) % modulus);
      }
}
