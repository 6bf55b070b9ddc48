/* lanes.h: loops over floats, compiled for several widths of registers; the widest that this processor has runs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Functions of one number. p: parameters of the operator. */
/* clang-format off */
typedef enum
{
  PH_LANE_COPY, PH_LANE_NEG, PH_LANE_ABS, PH_LANE_SQRT, PH_LANE_RECIPROCAL, PH_LANE_EXP, PH_LANE_TANH, PH_LANE_SIGMOID, PH_LANE_ERF,
  PH_LANE_GELU, PH_LANE_GELU_TANH, PH_LANE_RELU, PH_LANE_LEAKY_RELU /* alpha */, PH_LANE_HARD_SIGMOID /* alpha, beta */, PH_LANE_HARD_SWISH,
  PH_LANE_SWISH /* alpha */, PH_LANE_CLIP /* the least, the greatest */, PH_LANE_LOG, PH_LANE_ELU /* alpha */, PH_LANE_CELU /* alpha */,
  PH_LANE_SELU /* alpha, gamma */, PH_LANE_SOFTPLUS, PH_LANE_SOFTSIGN, PH_LANE_MISH, PH_LANE_THRESHOLDED_RELU /* alpha */,
  PH_LANE_SHRINK /* lambd, bias */, PH_LANE_SIGN, PH_LANE_CEIL, PH_LANE_FLOOR, PH_LANE_ROUND, PH_LANE_SIN, PH_LANE_COS, PH_LANE_SQUARE, PH_LANE_CUBE,
  PH_LANE_ASIN, PH_LANE_ACOS, PH_LANE_ATAN,
  PH_N_LANE_UNARY
} PhLaneUnary;

typedef enum
{
  PH_LANE_ADD, PH_LANE_SUB, PH_LANE_MUL, PH_LANE_DIV, PH_LANE_MAX, PH_LANE_MIN, PH_LANE_PRELU, PH_LANE_POW,
  PH_N_LANE_BINARY
} PhLaneBinary;
/* clang-format on */

/* What is added up of each element. */
typedef enum
{
  PH_LANE_SUM,
  PH_LANE_ABSOLUTES,
  PH_LANE_SQUARES
} PhLaneTotal;

/* A result does not depend on where in the array its element stands. */
typedef struct
{
  const char *name;
  guint panel; /* columns of b that a product takes at once                                   */
  void (*unary[PH_N_LANE_UNARY]) (gsize n, float *y, const float *x, const float *p); /* y may be x    */
  void (*binary[PH_N_LANE_BINARY]) (gsize n, float *y, const float *a, const float *b);
  void (*where) (gsize n, float *y, const guint8 *condition, const float *a, const float *b);
  void (*fill) (gsize n, float *y, float x);
  gboolean (*has_nan_or_least) (const float *x, gsize n);
  /* c[m, n] = a[m, k] b + bias; b: packed, ceil (n / panel) panels of [k, panel]; bias: (nullable) n of them, and zeros up to a
   * whole panel. lda, ldc: elements from row to row. */
  void (*product) (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *b, const float *bias, float *c, gsize ldc);
  /* y += the sum of factors[i] times row i of x */
  void (*add_rows) (gsize n, float *y, gsize n_rows, const float *factors, const float *x, gsize ldx);
  void (*dots) (gsize n_rows, gsize n, float *y, const float *a, const float *x,
                gsize ldx); /* y[i] = the sum of a times row i of x */
  void (*softmax) (gsize n, float *y, const float *x);
  /* y = (x - mean) / sqrt (variance + epsilon) scale + bias; bias: (nullable); centre: FALSE leaves the mean at 0. */
  void (*normalise) (gsize n, float *y, const float *x, const float *scale, const float *bias, float epsilon, gboolean centre);
  void (*accumulate) (gsize n, double *y, const float *x); /* y += x */
  double (*total) (gsize n, const float *x, PhLaneTotal what);
  void (*totals) (gsize n, double *y, const float *x, PhLaneTotal what); /* y += what of x, elementwise */
  /* The greatest or least, where a NaN is both, and of zeros the first; the same elementwise, of y and x. */
  float (*extreme) (gsize n, const float *x, gboolean least);
  void (*extreme_rows) (gsize rows, gsize n, float *y, const float *x, gboolean least); /* of each row of @n */
  /* Sets @best to @x and @at to @place where @x is beyond @best, or NaN and @best is not, or with @last equal. */
  void (*places) (gsize n, float *best, gint32 *at, const float *x, gint32 place, gboolean least, gboolean last);
  void (*extremes) (gsize n, float *y, const float *x, gboolean least);
  /* Bytes, of numbers from @low to @high (which are those of an unsigned or of a signed byte): x / scale, halves to even, + zero; of NaN 0. */
  void (*quantise) (gsize n, guint8 *y, const float *x, float scale, float zero, float low, float high);
  void (*requantise) (gsize n, guint8 *y, const gint32 *x, const double *factors, gboolean each, double zero, double low,
                      double high);
  void (*scale_sums) (gsize n, float *y, const gint32 *x, const double *factors, gboolean each, double offset);
  void (*dequantise) (gsize n, float *y, const guint8 *x, gboolean is_signed, float scale, gint32 zero);
  void (*accumulate_bytes) (gsize n, gint32 *y, const gint8 *x); /* y += x            */
  void (*subtract_multiples) (gsize n, gint32 *y, const gint32 *x, const gint32 *z,
                              gint32 factor); /* y -= x + z factor; z: (nullable) */
  void (*quantise_each) (gsize n, guint8 *y, const float *x, const float *scales, const float *zeros, float low, float high);
  void (*dequantise_each) (gsize n, float *y, const guint8 *x, gboolean is_signed, const float *scales, const float *zeros);
  void (*add_scaled) (gsize n, float *y, const float *x, float factor); /* y += x factor */
  /* y = start + the sum of x[k] weights[k], elementwise. @start: (nullable) */
  void (*weigh) (gsize n, float *y, const float *start, gsize n_taps, const float *const *x, const float *const *weights);
  /* y[i] = start + the sum of x[i + k dilation] weights[k] */
  void (*correlate) (gsize n, float *y, float start, const float *x, gsize n_taps, const float *weights, gsize dilation);
  /* y = y times a factor, rounded once: factors[i], or the first one for all */
  void (*multiply_wide) (gsize n, float *y, const double *factors, gboolean each);
  /* y = x s + b: with scale[i] and shift[i], or the first ones for all */
  void (*affine) (gsize n, float *y, const float *x, const float *scale, const float *shift, gboolean each);
} PhLanes;

const PhLanes *ph_lanes (void);

/* Of @n floats, in double: their mean (0 unless @centre), and 1 / sqrt (the mean of their squares from it + epsilon). */
void ph_lanes_moments (gsize n, const float *x, double epsilon, gboolean centre, double *mean, double *inverse);

/* @b [k, n] (or its transposed, [n, k]) as a product wants it; @out has ph_lanes_panels (k, n) elements. @ldb: from row to row. */
gsize ph_lanes_panels (gsize k, gsize n); /* ceil (n / panel) * panel * k */
void ph_lanes_pack (const float *b, gsize k, gsize n, gsize ldb, gboolean transposed, float *out);

G_END_DECLS
