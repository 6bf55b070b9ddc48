/* bytes.c: quantized tensors of 8 bits: quantization, dequantization, products, and the greatest of windows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"

#define NOT_BYTES "not bytes, with a scale and a zero point for all of them or for each place on the axis"

static gboolean
is_byte (PhDType dtype)
{
  return dtype == PH_UINT8 || dtype == PH_INT8;
}

static gboolean
are_bytes (PhTensor *tensor)
{
  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && is_byte (ph_tensor_dtype (tensor));
}

static gint32
byte_at (PhTensor *tensor, gsize i)
{
  const guint8 *bytes = tensor != NULL ? ph_tensor_data (tensor) : NULL;

  return bytes == NULL ? 0 : ph_tensor_dtype (tensor) == PH_INT8 ? (gint8) bytes[i] : bytes[i];
}

/* ── to bytes and from them ── */

/* Finds how many scales @x has, and how many consecutive elements share one (@inner). Returns FALSE if the scales are arranged in another
 * way. */
static gboolean
find_grain (PhKernel *kernel, PhTensor *x, gsize *n, gsize *inner)
{
  PhTensor *scale = ph_kernel_input (kernel, 1), *zero = ph_kernel_input (kernel, 2);
  guint axis;

  if (!ph_dnnl_is_float (scale) || (zero != NULL && ph_tensor_count (zero) != ph_tensor_count (scale))
      || ph_node_attr_int (kernel->node, "block_size", 0) != 0 || ph_tensor_rank (scale) > 1)
    return FALSE;
  *n = ph_tensor_count (scale);
  *inner = ph_tensor_count (x);
  if (*n == 1)
    return TRUE;
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 1), ph_tensor_rank (x), &axis) || *n != (gsize) ph_tensor_dims (x)[axis])
    return FALSE;
  *inner = (gsize) ph_dims_product (ph_tensor_dims (x), axis + 1, ph_tensor_rank (x));
  return TRUE;
}

#define SHORT  32  /* lines of a scale up to here are done together */
#define PERIOD 256 /* elements at least, unless there are fewer     */

/* Lines shorter than registers need: the scale and the zero point of each of @period elements, after which they come again. */
typedef struct
{
  gsize period;
  float *scales, *zeros;
} Spread;

static void
spread_clear (Spread *spread)
{
  g_free (spread->scales);
  g_free (spread->zeros);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Spread, spread_clear)

/* Returns FALSE if the lines are long enough, or memory is short. */
static gboolean
spread_init (Spread *spread, const float *scales, PhTensor *zero, gsize n, gsize inner, gsize count)
{
  if (n == 1 || inner > SHORT || count == 0)
    return FALSE;
  spread->period = MIN (n * inner * (1 + PERIOD / (n * inner)), count);
  spread->scales = g_try_new (float, spread->period);
  spread->zeros = g_try_new (float, spread->period);
  for (gsize i = 0; spread->scales != NULL && spread->zeros != NULL && i < spread->period; i++)
    {
      spread->scales[i] = scales[i / inner % n];
      spread->zeros[i] = (float) byte_at (zero, i / inner % n);
    }
  return spread->scales != NULL && spread->zeros != NULL;
}

static gpointer
prepare_quantise (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *zero = ph_kernel_input (kernel, 2);
  const PhDType dtype = (PhDType) ph_node_attr_int (kernel->node, "output_dtype", 0);
  gsize n, inner;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  return (zero != NULL ? are_bytes (zero) : dtype == PH_UNDEFINED || is_byte (dtype))
                 && (ph_node_attr_int (kernel->node, "precision", 0) == 0
                     || ph_node_attr_int (kernel->node, "precision", 0) == PH_FLOAT)
                 && find_grain (kernel, x, &n, &inner)
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, NOT_BYTES);
}

static gboolean
run_quantise (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *zero = ph_kernel_input (kernel, 2);
  const PhDType wanted = (PhDType) ph_node_attr_int (kernel->node, "output_dtype", 0);
  const PhDType dtype = zero != NULL ? ph_tensor_dtype (zero) : wanted != PH_UNDEFINED ? wanted : PH_UINT8;
  const float *in = ph_tensor_data (x), *scales = ph_tensor_data (kernel->inputs[1]);
  const float low = dtype == PH_INT8 ? -128 : 0, high = dtype == PH_INT8 ? 127 : 255;
  const gsize count = ph_tensor_count (x);
  g_auto (Spread) spread = { 0 };
  gsize n, inner;
  guint8 *out;

  if (in == NULL || scales == NULL || !find_grain (kernel, x, &n, &inner))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  if (out != NULL && spread_init (&spread, scales, zero, n, inner, count))
    for (gsize at = 0; at < count; at += spread.period)
      ph_lanes ()->quantise_each (MIN (spread.period, count - at), out + at, in + at, spread.scales, spread.zeros, low, high);
  else
    for (gsize at = 0, s = 0; out != NULL && at < count; at += inner, s = s + 1 < n ? s + 1 : 0)
      ph_lanes ()->quantise (inner, out + at, in + at, scales[s], (float) byte_at (zero, s), low, high);
  return out != NULL;
}

static gpointer
prepare_dequantise (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const PhDType dtype = (PhDType) ph_node_attr_int (kernel->node, "output_dtype", 0);
  gsize n, inner;

  return are_bytes (x) && ph_tensor_count (x) > 0 && (dtype == PH_UNDEFINED || dtype == PH_FLOAT)
                 && find_grain (kernel, x, &n, &inner)
                 && (ph_kernel_input (kernel, 2) == NULL || are_bytes (ph_kernel_input (kernel, 2)))
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, NOT_BYTES);
}

static gboolean
run_dequantise (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *zero = ph_kernel_input (kernel, 2);
  const gboolean is_signed = ph_tensor_dtype (x) == PH_INT8;
  const guint8 *in = ph_tensor_data (x);
  const float *scales = ph_tensor_data (kernel->inputs[1]);
  const gsize count = ph_tensor_count (x);
  g_auto (Spread) spread = { 0 };
  gsize n, inner;
  float *out;

  if (in == NULL || scales == NULL || !find_grain (kernel, x, &n, &inner))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, PH_FLOAT, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  if (out != NULL && spread_init (&spread, scales, zero, n, inner, count))
    for (gsize at = 0; at < count; at += spread.period)
      ph_lanes ()->dequantise_each (MIN (spread.period, count - at), out + at, in + at, is_signed, spread.scales, spread.zeros);
  else
    for (gsize at = 0, s = 0; out != NULL && at < count; at += inner, s = s + 1 < n ? s + 1 : 0)
      ph_lanes ()->dequantise (inner, out + at, in + at, is_signed, scales[s], byte_at (zero, s));
  return out != NULL;
}

static gpointer
prepare_dynamic (PhKernel *kernel)
{
  return ph_dnnl_is_float (ph_kernel_input (kernel, 0)) ? PH_PREPARED : ph_kernel_refuse (kernel, PH_NOT_FLOAT);
}

static gboolean
run_dynamic (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const gsize n = ph_tensor_count (x);
  const float *in = ph_tensor_data (x);
  const float least = in != NULL ? ph_lanes ()->extreme (n, in, TRUE) : NAN,
              greatest = in != NULL ? ph_lanes ()->extreme (n, in, FALSE) : NAN;
  const float low = MIN (least, 0), high = MAX (greatest, 0);
  const float scale = (float) ((double) (float) ((double) high - low) / 255);
  guint8 *out, *zero;
  float *out_scale;

  if (!isfinite (least) || !isfinite (greatest) || scale == 0 || !isfinite (scale))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, PH_UINT8, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  out_scale = ph_kernel_output_unset (kernel, 1, PH_FLOAT, 0, NULL, NULL);
  zero = ph_kernel_output_unset (kernel, 2, PH_UINT8, 0, NULL, NULL);
  if (out == NULL || out_scale == NULL || zero == NULL)
    return FALSE;
  *out_scale = scale;
  *zero = (guint8) rint (CLAMP ((double) (float) (-(double) low / (double) scale), 0, 255));
  ph_lanes ()->quantise (n, out, in, scale, *zero, 0, 255);
  return TRUE;
}

/* ── products ── */

/* The left factor is multiplied as unsigned bytes and the right one as signed ones: the other kind is shifted by 128, and so is its zero point.
 * What the zero points make of the sums is subtracted afterwards: sum (a - za) (b - zb) = sum a b - za (sum b - k zb) - zb sum a. */

/* Where the operands are among the inputs. */
typedef struct
{
  guint a, zero_a, b, zero_b;
} Inputs;

static const Inputs of_integer = { 0, 2, 1, 3 }, of_linear = { 0, 2, 3, 5 };

typedef struct
{
  const Inputs *inputs;
  gint64 batch, m, k, n; /* with one right matrix for all rows of a, one product of all rows */
  guint rank;            /* of the result */
  gint64 dims[PH_MAX_RANK];
  PhDnnl *dnnl; /* of left, right, result */
  gint32 *sums; /* of the right factor's columns, as signed bytes: [batch, n] */
} Product;

/* Elsewhere than on these processors products of bytes saturate at 16 bits, and also where oneDNN is told to do without what they have
 * (ONEDNN_MAX_CPU_ISA). */
gboolean
ph_dnnl_adds_in_32_bits (void)
{
#ifdef __x86_64__
  return ((guint) dnnl_get_effective_cpu_isa () & dnnl_cpu_isa_avx512_core_vnni) == dnnl_cpu_isa_avx512_core_vnni;
#else
  return FALSE;
#endif
}

/* (nullable) @zero: one for all, or one for each of @n columns. */
static gboolean
is_zero_point (PhTensor *zero, gint64 n)
{
  return zero == NULL || (are_bytes (zero) && (ph_tensor_count (zero) == 1 || (gint64) ph_tensor_count (zero) == n));
}

static gint32
zero_at (PhTensor *zero, gsize i)
{
  return byte_at (zero, zero != NULL && ph_tensor_count (zero) == 1 ? 0 : i);
}

/* Returns the bytes of @tensor as those of @dtype; @copy: owns them if they had to be shifted. (nullable) */
static gconstpointer
bytes_as (PhDType dtype, PhTensor *tensor, guint8 **copy)
{
  const guint8 *in = ph_tensor_data (tensor);
  const gsize n = ph_tensor_count (tensor);

  if (in == NULL || ph_tensor_dtype (tensor) == dtype)
    return in;
  *copy = g_try_malloc (n);
  for (gsize i = 0; *copy != NULL && i < n; i++)
    (*copy)[i] = in[i] ^ 0x80;
  return *copy;
}

static void
free_product (gpointer data)
{
  Product *self = data;

  ph_dnnl_free (self->dnnl);
  g_free (self->sums);
  g_free (self);
}

static gboolean
make_product (Product *self, PhKernel *kernel)
{
  const int rank = self->batch > 1 ? 3 : 2;
  const dnnl_format_tag_t plain = rank == 3 ? dnnl_abc : dnnl_ab;
  const dnnl_dims_t a = { self->batch, self->m, self->k }, b = { self->batch, self->k, self->n },
                    c = { self->batch, self->m, self->n };
  dnnl_memory_desc_t left, right, any, result;
  dnnl_matmul_desc_t op;

  if (dnnl_memory_desc_init_by_tag (&left, rank, a + 3 - rank, dnnl_u8, plain) != dnnl_success
      || dnnl_memory_desc_init_by_tag (&right, rank, b + 3 - rank, dnnl_s8, plain) != dnnl_success
      || dnnl_memory_desc_init_by_tag (&any, rank, b + 3 - rank, dnnl_s8, dnnl_format_tag_any) != dnnl_success
      || dnnl_memory_desc_init_by_tag (&result, rank, c + 3 - rank, dnnl_s32, plain) != dnnl_success
      || dnnl_matmul_desc_init (&op, &left, &any, NULL, &result) != dnnl_success)
    return FALSE;
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_SRC, self->inputs->a, &left);
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_WEIGHTS, self->inputs->b, &right)->constant = FALSE; /* it is shifted first */
  ph_dnnl_result_as (self->dnnl, DNNL_ARG_DST, (guint) rank, c + 3 - rank, &result);
  return ph_dnnl_make (self->dnnl, &op, NULL);
}

/* Returns FALSE if the factors are empty, or not a stack of rows and one matrix, or two stacks of as many matrices. */
static gboolean
find_sizes (Product *self, PhTensor *a, PhTensor *b)
{
  const guint rank = ph_tensor_rank (a), right = ph_tensor_rank (b);
  const gint64 *dims = ph_tensor_dims (a), *own = ph_tensor_dims (b);

  if (rank < 2 || right < 2 || ph_tensor_count (a) == 0 || ph_tensor_count (b) == 0 || dims[rank - 1] != own[right - 2]
      || (right > 2 && (right != rank || memcmp (dims, own, (rank - 2) * sizeof *dims) != 0)))
    return FALSE;
  self->k = own[right - 2];
  self->n = own[right - 1];
  self->batch = ph_dims_product (own, 0, right - 2);
  self->m = (gint64) ph_tensor_count (a) / self->k / self->batch;
  self->rank = rank;
  memcpy (self->dims, dims, rank * sizeof *dims);
  self->dims[rank - 1] = self->n;
  return TRUE;
}

static gpointer
prepare_product (PhKernel *kernel, const Inputs *inputs)
{
  PhTensor *a = ph_kernel_input (kernel, inputs->a), *b = ph_kernel_input (kernel, inputs->b);
  Product *self;

  if (!ph_dnnl_adds_in_32_bits ())
    return ph_kernel_refuse (kernel, "the processor has no products of bytes that are exact");
  self = g_new0 (Product, 1);
  self->inputs = inputs;
  self->dnnl = ph_dnnl_new ();
  if (!are_bytes (a) || !are_bytes (b) || !find_sizes (self, a, b) || !is_zero_point (ph_kernel_input (kernel, inputs->zero_a), 1)
      || !is_zero_point (ph_kernel_input (kernel, inputs->zero_b), self->n))
    ph_kernel_refuse (kernel, "not matrices of bytes with a zero point for all, or for each column of the right one");
  else if (!make_product (self, kernel))
    ph_kernel_refuse (kernel, PH_NO_PRIMITIVE);
  else
    return self;
  free_product (self);
  return NULL;
}

static gboolean
pack (Product *self, PhKernel *kernel)
{
  PhTensor *b = kernel->inputs[self->inputs->b];
  const gboolean is_weight = ph_kernel_is_constant (kernel, self->inputs->b);
  const gsize n = (gsize) self->n, lines = (gsize) (self->batch * self->k);
  g_autofree guint8 *copy = NULL;
  const gint8 *bytes;

  if (is_weight && self->dnnl->args[1].packed_of == b)
    return TRUE;
  bytes = bytes_as (PH_INT8, b, &copy);
  if (!ph_dnnl_pack_bytes (&self->dnnl->args[1], is_weight ? b : NULL, (gpointer) bytes))
    return FALSE;
  g_free (self->sums);
  self->sums = g_new0 (gint32, (gsize) self->batch * n);
  for (gsize l = 0; l < lines; l++)
    ph_lanes ()->accumulate_bytes (n, self->sums + l / (gsize) self->k * n, bytes + l * n);
  return TRUE;
}

/* @left: the left factor as unsigned bytes. */
static void
subtract_zeros (const Product *self, PhKernel *kernel, const guint8 *left, gint32 *c)
{
  PhTensor *zero_b = ph_kernel_input (kernel, self->inputs->zero_b);
  const gint32 zero_a = zero_at (ph_kernel_input (kernel, self->inputs->zero_a), 0)
                        + (ph_tensor_dtype (kernel->inputs[self->inputs->a]) == PH_INT8 ? 128 : 0);
  const gsize n = (gsize) self->n, k = (gsize) self->k;
  g_autofree gint32 *less = g_new (gint32, n), *zeros = g_new (gint32, n);
  gboolean is_centred = TRUE;

  for (gsize j = 0; j < n; j++)
    {
      zeros[j] = zero_at (zero_b, j) - (ph_tensor_dtype (kernel->inputs[self->inputs->b]) == PH_UINT8 ? 128 : 0);
      is_centred = is_centred && zeros[j] == 0;
    }
  for (gsize i = 0; i < (gsize) (self->batch * self->m) && (zero_a != 0 || !is_centred); i++, left += k, c += n)
    {
      guint32 sum = 0;

      for (gsize j = 0; i % (gsize) self->m == 0 && j < n; j++)
        less[j] = (gint32) ((guint32) zero_a
                            * ((guint32) self->sums[i / (gsize) self->m * n + j] - (guint32) zeros[j] * (guint32) k));
      for (gsize l = 0; !is_centred && l < k; l++)
        sum += left[l];
      ph_lanes ()->subtract_multiples (n, c, less, is_centred ? NULL : zeros, (gint32) sum);
    }
}

/* Computes the sums into @c. */
static gboolean
multiply (Product *self, PhKernel *kernel, gint32 *c)
{
  g_autofree guint8 *copy = NULL;
  const guint8 *left = bytes_as (PH_UINT8, kernel->inputs[self->inputs->a], &copy);
  PhDnnlArg *args = self->dnnl->args;

  if (c == NULL || left == NULL || !pack (self, kernel)
      || dnnl_memory_set_data_handle (args[0].to, (gpointer) left) != dnnl_success
      || dnnl_memory_set_data_handle (args[2].to, c) != dnnl_success || !ph_dnnl_execute (self->dnnl))
    return FALSE;
  subtract_zeros (self, kernel, left, c);
  return TRUE;
}

static gpointer
prepare_matmul_integer (PhKernel *kernel)
{
  return prepare_product (kernel, &of_integer);
}

static gboolean
run_matmul_integer (PhKernel *kernel, gpointer prepared)
{
  Product *self = prepared;
  g_autoptr (PhTensor) y = ph_tensor_new_unset (PH_INT32, self->rank, self->dims);

  if (y == NULL || !multiply (self, kernel, ph_tensor_writable (y)))
    return FALSE;
  ph_kernel_take (kernel, 0, g_steal_pointer (&y));
  return TRUE;
}

static gpointer
prepare_qlinear_matmul (PhKernel *kernel)
{
  PhTensor *scale = ph_kernel_input (kernel, 4), *b = ph_kernel_input (kernel, 3), *zero = ph_kernel_input (kernel, 7);

  for (guint i = 1; i < 7; i += i == 1 ? 3 : 2)
    if (!ph_dnnl_is_float (ph_kernel_input (kernel, i))
        || (ph_tensor_count (kernel->inputs[i]) != 1
            && (i != 4 || b == NULL || ph_tensor_rank (b) < 2
                || (gint64) ph_tensor_count (scale) != ph_tensor_dims (b)[ph_tensor_rank (b) - 1])))
      return ph_kernel_refuse (kernel, "its scales are not one float32 each, or one for each column of the right matrix");
  if (!are_bytes (zero) || ph_tensor_count (zero) != 1)
    return ph_kernel_refuse (kernel, "the zero point of the result is not one byte");
  return prepare_product (kernel, &of_linear);
}

static gboolean
run_qlinear_matmul (PhKernel *kernel, gpointer prepared)
{
  Product *self = prepared;
  PhTensor *scale = kernel->inputs[4], *zero = kernel->inputs[7];
  const gboolean is_signed = ph_tensor_dtype (zero) == PH_INT8;
  const gsize n_scales = ph_tensor_count (scale), line = n_scales == 1 ? (gsize) (self->batch * self->m * self->n) : n_scales;
  g_autoptr (PhTensor) sums = ph_tensor_new_unset (PH_INT32, self->rank, self->dims);
  g_autofree double *factors = g_new (double, n_scales);
  guint8 *out;

  if (sums == NULL || !multiply (self, kernel, ph_tensor_writable (sums)))
    return FALSE;
  out = ph_kernel_output_unset (kernel, 0, ph_tensor_dtype (zero), self->rank, self->dims, NULL);
  for (gsize i = 0; i < n_scales; i++)
    factors[i] = ph_tensor_get (kernel->inputs[1], 0) * ph_tensor_get (scale, i) / ph_tensor_get (kernel->inputs[6], 0);
  for (gsize at = 0; out != NULL && at < ph_tensor_count (sums); at += line)
    ph_lanes ()->requantise (line, out + at, (const gint32 *) ph_tensor_data (sums) + at, factors, n_scales > 1,
                             zero_at (zero, 0), is_signed ? -128 : 0, is_signed ? 127 : 255);
  return out != NULL;
}

static gsize
packed_product (gpointer prepared)
{
  const Product *self = prepared;

  return self->dnnl->args[1].packed_of != NULL ? ph_dnnl_packed_of (self->dnnl) : 0;
}

/* ── the greatest of windows ── */

static gpointer
prepare_max (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhWindow window;

  if (!are_bytes (x) || ph_tensor_rank (x) != 4 || ph_tensor_count (x) == 0 || ph_kernel_wants (kernel, 1))
    return ph_kernel_refuse (kernel, "no image of bytes, or the indices are wanted too");
  if (ph_window_init (&window, kernel->node, 2, ph_tensor_dims (x) + 2, NULL) != NULL)
    return ph_kernel_refuse (kernel, "windows that do not fit");
  for (guint i = 0; i < 2; i++)
    if (window.dilation[i] != 1 || window.begin[i] < 0 || window.begin[i] >= window.kernel[i] || window.out[i] < 1
        || (window.out[i] - 1) * window.stride[i] - window.begin[i] >= window.in[i])
      return ph_kernel_refuse (kernel, "windows that are dilated, or lie in the padding alone");
  return g_memdup2 (&window, sizeof window);
}

typedef guint8 Sixteen __attribute__ ((vector_size (16), aligned (1), may_alias));

/* Replaces @y by the maximum of @x and @y, unsigned bytes. */
static void
take_greater (gsize n, guint8 *y, const guint8 *x)
{
  gsize i = 0;

  for (; i + 16 <= n; i += 16)
    {
      const Sixteen a = *(const Sixteen *) (gconstpointer) (y + i), b = *(const Sixteen *) (gconstpointer) (x + i);
      const Sixteen first = (Sixteen) (a > b);

      *(Sixteen *) (gpointer) (y + i) = (a & first) | (b & ~first);
    }
  for (; i < n; i++)
    y[i] = MAX (y[i], x[i]);
}

/* Computes one row of the result: the maximum of each column in @column, then of the columns of each window. @flip turns signed bytes into
 * unsigned ones of the same order. */
static void
max_row (const PhWindow *w, const guint8 *in, gint64 row, guint8 flip, guint8 *column, guint8 *turned, guint8 *out)
{
  const gint64 first = MAX (row * w->stride[0] - w->begin[0], 0);
  const gint64 end = MIN (row * w->stride[0] - w->begin[0] + w->kernel[0], w->in[0]);
  const gsize wide = (gsize) w->in[1];

  memset (column, 0, wide);
  for (gint64 i = first; i < end; i++)
    {
      const guint8 *line = in + (gsize) i * wide;

      for (gsize k = 0; flip != 0 && k < wide; k++)
        turned[k] = line[k] ^ flip;
      take_greater (wide, column, flip != 0 ? turned : line);
    }
  for (gint64 i = 0; i < w->out[1]; i++)
    {
      const gint64 from = MAX (i * w->stride[1] - w->begin[1], 0),
                   to = MIN (i * w->stride[1] - w->begin[1] + w->kernel[1], w->in[1]);
      guint8 greatest = 0;

      for (gint64 k = from; k < to; k++)
        greatest = MAX (greatest, column[k]);
      out[i] = greatest ^ flip;
    }
}

static gboolean
run_max (PhKernel *kernel, gpointer prepared)
{
  const PhWindow *w = prepared;
  PhTensor *x = kernel->inputs[0];
  const gint64 *dims = ph_tensor_dims (x);
  const guint8 flip = ph_tensor_dtype (x) == PH_INT8 ? 0x80 : 0, *in = ph_tensor_data (x);
  g_autofree guint8 *room = g_malloc (2 * (gsize) w->in[1]);
  guint8 *out = in != NULL ? ph_kernel_output_unset (kernel, 0, ph_tensor_dtype (x), 4,
                                                     (gint64[]) { dims[0], dims[1], w->out[0], w->out[1] }, NULL)
                           : NULL;

  for (gint64 plane = 0; out != NULL && plane < dims[0] * dims[1]; plane++, in += dims[2] * dims[3])
    for (gint64 row = 0; row < w->out[0]; row++, out += w->out[1])
      max_row (w, in, row, flip, room, room + w->in[1], out);
  return out != NULL;
}

const PhKernelRow ph_kernels_bytes[] = {
  { &ph_op_DequantizeLinear, PH_DEVICE_CPU, "bytes", 10, prepare_dequantise, run_dequantise, NULL },
  { &ph_op_DynamicQuantizeLinear, PH_DEVICE_CPU, "bytes", 10, prepare_dynamic, run_dynamic, NULL },
  { &ph_op_MatMulInteger, PH_DEVICE_CPU, "bytes", 10, prepare_matmul_integer, run_matmul_integer, free_product, packed_product },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "bytes", 10, prepare_max, run_max, g_free },
  { &ph_op_QLinearMatMul, PH_DEVICE_CPU, "bytes", 10, prepare_qlinear_matmul, run_qlinear_matmul, free_product, packed_product },
  { &ph_op_QuantizeLinear, PH_DEVICE_CPU, "bytes", 10, prepare_quantise, run_quantise, NULL },
  { NULL },
};
