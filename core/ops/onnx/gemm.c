/* gemm.c: the matrix product in double, used for products and convolutions in float64.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/linear.h"

#include <string.h>

/* Each element of c adds its k products in order, whatever the sizes and blocks, so a part of a product equals the whole bit for bit. */

#define LANES   8         /* doubles of a vector                                           */
#define DEPTH   256       /* rows of b at a time: a panel stays in the first-level cache   */
#define COLUMNS 128       /* columns of b at a time, packed; a multiple of every width     */
#define AHEAD   16        /* rows of b that are fetched before they are packed              */
#define ROWS    12        /* of the largest tile                                           */
#define SMALL   (1 << 18) /* products that are not worth a second thread                   */

typedef double Vector __attribute__ ((vector_size (LANES * sizeof (double)), aligned (sizeof (double)), may_alias));

/* c[rows, vectors * LANES] += a[depth, rows]' b[depth, vectors * LANES], both packed. */
/* clang-format off */
#define TILE(name_, rows_, vectors_, ...)                                                                              \
  __VA_ARGS__ static void name_ (gsize depth, const double *a, const double *b, double *c, gsize stride)               \
  {                                                                                                                    \
    Vector sum[rows_][vectors_];                                                                                       \
    for (guint r = 0; r < rows_; r++)                                                                                  \
      for (guint v = 0; v < vectors_; v++)                                                                             \
        sum[r][v] = *(const Vector *) (c + r * stride + v * LANES);                                                    \
    for (gsize l = 0; l < depth; l++, a += rows_, b += vectors_ * LANES)                                               \
      {                                                                                                                \
        _Pragma ("GCC unroll 16") for (guint r = 0; r < rows_; r++)                                                    \
          _Pragma ("GCC unroll 2") for (guint v = 0; v < vectors_; v++)                                                \
            sum[r][v] += a[r] * *(const Vector *) (b + v * LANES);                                                     \
      }                                                                                                                \
    for (guint r = 0; r < rows_; r++)                                                                                  \
      for (guint v = 0; v < vectors_; v++)                                                                             \
        *(Vector *) (c + r * stride + v * LANES) = sum[r][v];                                                          \
  }
/* clang-format on */

typedef void (*Tile) (gsize depth, const double *a, const double *b, double *c, gsize stride);
typedef struct
{
  gsize rows, width;
  Tile tile, row;
} Tiles; /* @tile: of @rows rows; @row: of one */

TILE (tile_plain, 4, 1)
TILE (row_plain, 1, 1)
static const Tiles plain = { 4, LANES, tile_plain, row_plain };

#if defined(__x86_64__)
TILE (tile_avx2, 6, 1, __attribute__ ((target ("avx2,fma"))))
TILE (row_avx2, 1, 1, __attribute__ ((target ("avx2,fma"))))
TILE (tile_avx512, ROWS, 2, __attribute__ ((target ("avx512f"))))
TILE (row_avx512, 1, 2, __attribute__ ((target ("avx512f"))))
static const Tiles avx2 = { 6, LANES, tile_avx2, row_avx2 }, avx512 = { ROWS, 2 * LANES, tile_avx512, row_avx512 };
#endif

static const Tiles *
tiles_of_processor (void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx512f"))
    return &avx512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return &avx2;
#endif
  return &plain;
}

/* The right matrix, or a part of it: one of the two. */
typedef struct
{
  const double *doubles;
  const float *floats;
  gsize stride;
} Right;

/* Columns of b as panels of @width columns, zeros past the last. */
static void
pack (gsize width, gsize depth, gsize n, const Right *b, gsize at, double *panels)
{
  for (gsize l = 0; l < depth; l++, at += b->stride)
    for (gsize j = 0; j < n; j += width)
      {
        const gsize some = MIN (width, n - j), ahead = at + j + AHEAD * b->stride;
        double *to = panels + j * depth + l * width;

        /* Rows lie pages apart, where the processor does not foresee them. */
        __builtin_prefetch (b->floats != NULL ? (gconstpointer) (b->floats + ahead) : b->doubles + ahead);
        if (b->floats == NULL)
          memcpy (to, b->doubles + at + j, some * sizeof (double));
        for (gsize c = 0; b->floats != NULL && c < some; c++)
          to[c] = (double) b->floats[at + j + c];
        memset (to + some, 0, (width - some) * sizeof (double));
      }
}

/* c[rows, n] += a[depth, rows]' panels, @a packed, for @rows that one tile has. */
static void
multiply_rows (const Tiles *tiles, gsize rows, gsize n, gsize depth, const double *a, const double *panels, double *c,
               gsize stride)
{
  const Tile tile = rows > 1 ? tiles->tile : tiles->row;
  double edge[ROWS][2 * LANES];

  for (gsize j = 0; j < n; j += tiles->width)
    {
      const gsize some = MIN (tiles->width, n - j);

      if (some == tiles->width)
        {
          tile (depth, a, panels + j * depth, c + j, stride);
          continue;
        }
      memset (edge, 0, sizeof edge);
      for (gsize r = 0; r < rows; r++)
        memcpy (edge[r], c + r * stride + j, some * sizeof (double));
      tile (depth, a, panels + j * depth, edge[0], G_N_ELEMENTS (edge[0]));
      for (gsize r = 0; r < rows; r++)
        memcpy (c + r * stride + j, edge[r], some * sizeof (double));
    }
}

/* @n columns, at most COLUMNS, of c += a b; of b those from @column. */
static void
multiply_columns (const Tiles *tiles, gsize m, gsize n, gsize k, const double *a, gsize stride_a, const Right *b, gsize column,
                  double *c, gsize stride_c)
{
  double panels[COLUMNS * DEPTH], packed[ROWS * DEPTH];

  for (gsize from = 0; from < k; from += DEPTH)
    {
      const gsize depth = MIN (DEPTH, k - from);

      pack (tiles->width, depth, n, b, from * b->stride + column, panels);
      for (gsize i = 0, rows; i < m; i += rows)
        {
          const double *first = a + i * stride_a + from;

          rows = m - i >= tiles->rows ? tiles->rows : 1;
          for (gsize l = 0; l < depth; l++)
            for (gsize r = 0; r < rows; r++)
              packed[l * rows + r] = first[r * stride_a + l];
          multiply_rows (tiles, rows, n, depth, packed, panels, c + i * stride_c, stride_c);
        }
    }
}

static void
add_product (gsize m, gsize n, gsize k, const double *a, gsize stride_a, const Right *b, double *c, gsize stride_c)
{
  const Tiles *tiles = tiles_of_processor ();
  const gsize blocks = (n + COLUMNS - 1) / COLUMNS;
  /* A product of few columns is divided by its rows as well. */
  const gsize rows = blocks >= 4 || m < 4 * tiles->rows ? MAX (m, 1) : (m / 4 / tiles->rows + 1) * tiles->rows;
  const gsize parts = blocks * ((m + rows - 1) / rows);

#pragma omp parallel for schedule(dynamic) if (parts > 1 && m * n > SMALL / MAX(k, 1))
  for (gsize part = 0; part < parts; part++)
    {
      const gsize j = part % blocks * COLUMNS, i = part / blocks * rows;

      multiply_columns (tiles, MIN (rows, m - i), MIN (COLUMNS, n - j), k, a + i * stride_a, stride_a, b, j, c + i * stride_c + j,
                        stride_c);
    }
}

void
ph_gemm_f64_add (gsize m, gsize n, gsize k, const double *a, gsize stride_a, const double *b, gsize stride_b, double *c,
                 gsize stride_c)
{
  add_product (m, n, k, a, stride_a, &(Right) { b, NULL, stride_b }, c, stride_c);
}

void
ph_gemm_f64 (gsize m, gsize n, gsize k, const double *a, const double *b, double *c)
{
  memset (c, 0, m * n * sizeof *c);
  ph_gemm_f64_add (m, n, k, a, k, b, n, c, n);
}

void
ph_gemm_f64_by_f32 (gsize m, gsize n, gsize k, const double *a, const float *b, double *c)
{
  memset (c, 0, m * n * sizeof *c);
  add_product (m, n, k, a, k, &(Right) { NULL, b, n }, c, n);
}
