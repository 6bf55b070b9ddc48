/* product-bytes.c: products of matrices of bytes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/bytes.h"
#include "core/run/chain.h"
#include "core/run/lanes.h"

/* The left factor is multiplied as unsigned bytes and the right one as signed ones: the other kind is shifted by 128, and so is its zero point.
 * What the zero points make of the sums is subtracted afterwards: sum (a - za) (b - zb) = sum a b - za (sum b - k zb) - zb sum a. */

#define NONE PH_NO_INPUT

/* Where the operands are among the inputs; the scales and the zero point of the result, too. */
typedef struct
{
  guint a, scale_a, zero_a, b, scale_b, zero_b, scale_y, zero_y;
} Inputs;

static const Inputs of_integer = { 0, NONE, 2, 1, NONE, 3, NONE, NONE }, of_linear = { 0, 1, 2, 3, 4, 5, 6, 7 };

typedef struct
{
  Inputs inputs;
  PhDType dtype;         /* of the result */
  gint64 batch, m, k, n; /* with one right matrix for all rows of a, one product of all rows */
  guint rank;            /* of the result */
  gint64 dims[PH_MAX_RANK];
  PhDnnl *dnnl;     /* of left, right, result */
  gint32 *sums;     /* of the right factor's columns, as signed bytes: [batch, n] */
  gboolean is_body; /* of a fused node: dequantization, the product, what follows it, quantization */
  PhChain *chain;   /* (nullable) what follows it */
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
  return zero == NULL || (ph_are_bytes (zero) && (ph_tensor_count (zero) == 1 || (gint64) ph_tensor_count (zero) == n));
}

static gint32
zero_at (PhTensor *zero, gsize i)
{
  return ph_byte_at (zero, zero != NULL && ph_tensor_count (zero) == 1 ? 0 : i);
}

/* Returns the bytes of @tensor as those of @dtype; @copy: owns them if they had to be shifted, or are of a weight, which need not stay in
 * memory. (nullable) */
static gconstpointer
bytes_as (PhDType dtype, PhTensor *tensor, gboolean is_weight, guint8 **copy)
{
  const gboolean shifts = ph_tensor_dtype (tensor) != dtype;
  const gsize n = ph_tensor_count (tensor);

  if (!shifts && !is_weight)
    return ph_tensor_data (tensor);
  *copy = g_try_malloc (n);
  if (*copy == NULL || !ph_tensor_copy_data (tensor, *copy))
    return NULL;
  for (gsize i = 0; shifts && i < n; i++)
    (*copy)[i] ^= 0x80;
  return *copy;
}

static void
free_product (gpointer data)
{
  Product *self = data;

  ph_dnnl_free (self->dnnl);
  g_clear_pointer (&self->chain, ph_chain_free);
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
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_SRC, self->inputs.a, &left);
  ph_dnnl_add_as (self->dnnl, kernel, DNNL_ARG_WEIGHTS, self->inputs.b, &right)->constant = FALSE; /* it is shifted first */
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
  self->inputs = *inputs;
  self->dnnl = ph_dnnl_new ();
  if (!ph_are_bytes (a) || !ph_are_bytes (b) || !find_sizes (self, a, b)
      || !is_zero_point (ph_kernel_input (kernel, inputs->zero_a), 1)
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
  PhTensor *b = kernel->inputs[self->inputs.b];
  const gboolean is_weight = ph_kernel_is_constant (kernel, self->inputs.b);
  const gsize n = (gsize) self->n, lines = (gsize) (self->batch * self->k);
  g_autofree guint8 *copy = NULL;
  const gint8 *bytes;

  if (is_weight && self->dnnl->args[1].packed_of == b)
    return TRUE;
  bytes = bytes_as (PH_INT8, b, is_weight, &copy);
  if (bytes == NULL || !ph_dnnl_pack_bytes (&self->dnnl->args[1], is_weight ? b : NULL, (gpointer) bytes))
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
  PhTensor *zero_b = ph_kernel_input (kernel, self->inputs.zero_b);
  const gint32 zero_a = zero_at (ph_kernel_input (kernel, self->inputs.zero_a), 0)
                        + (ph_tensor_dtype (kernel->inputs[self->inputs.a]) == PH_INT8 ? 128 : 0);
  const gsize n = (gsize) self->n, k = (gsize) self->k;
  g_autofree gint32 *less = g_new (gint32, n), *zeros = g_new (gint32, n);
  gboolean is_centred = TRUE;

  for (gsize j = 0; j < n; j++)
    {
      zeros[j] = zero_at (zero_b, j) - (ph_tensor_dtype (kernel->inputs[self->inputs.b]) == PH_UINT8 ? 128 : 0);
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
  const guint8 *left = bytes_as (PH_UINT8, kernel->inputs[self->inputs.a], FALSE, &copy);
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

/* One scale, or one for each column of @of. (nullable) */
static gboolean
is_scale (PhTensor *scale, PhTensor *of)
{
  const guint rank = of != NULL ? ph_tensor_rank (of) : 0;

  return ph_dnnl_is_float (scale)
         && (ph_tensor_count (scale) == 1 || (rank >= 2 && (gint64) ph_tensor_count (scale) == ph_tensor_dims (of)[rank - 1]));
}

static gpointer
prepare_qlinear_matmul (PhKernel *kernel)
{
  PhTensor *zero = ph_kernel_input (kernel, of_linear.zero_y);
  Product *self;

  if (!is_scale (ph_kernel_input (kernel, of_linear.scale_a), NULL)
      || !is_scale (ph_kernel_input (kernel, of_linear.scale_y), NULL)
      || !is_scale (ph_kernel_input (kernel, of_linear.scale_b), ph_kernel_input (kernel, of_linear.b)))
    return ph_kernel_refuse (kernel, "its scales are not one float32 each, or one for each column of the right matrix");
  if (!ph_are_bytes (zero) || ph_tensor_count (zero) != 1)
    return ph_kernel_refuse (kernel, "the zero point of the result is not one byte");
  self = prepare_product (kernel, &of_linear);
  if (self != NULL)
    self->dtype = ph_tensor_dtype (zero);
  return self;
}

/* What the sums are to be multiplied by, one or one for each column. FALSE: a number that is none is left to the operators themselves. */
static gboolean
find_factors (const Product *self, PhKernel *kernel, double *factors, gsize n)
{
  const double left = ph_tensor_get (kernel->inputs[self->inputs.scale_a], 0),
               below = self->inputs.scale_y != NONE && self->chain == NULL
                           ? ph_tensor_get (kernel->inputs[self->inputs.scale_y], 0)
                           : 1;
  gboolean finite = TRUE;

  for (gsize i = 0; i < n; i++)
    {
      factors[i] = left * ph_tensor_get (kernel->inputs[self->inputs.scale_b], i) / below;
      finite = finite && isfinite (factors[i]);
    }
  return finite || !self->is_body;
}

/* The product in floats, with what follows it. (nullable) (transfer full) */
static PhTensor *
to_floats (Product *self, PhKernel *kernel, PhTensor *sums, const double *factors, gsize n)
{
  const gsize count = ph_tensor_count (sums), line = n == 1 ? count : n;
  PhTensor *y = ph_tensor_new_unset (PH_FLOAT, self->rank, self->dims);

  for (gsize at = 0; y != NULL && at < count; at += line)
    ph_lanes ()->scale_sums (line, (float *) ph_tensor_writable (y) + at, (const gint32 *) ph_tensor_data (sums) + at, factors,
                             n > 1, 0);
  if (y == NULL || self->chain == NULL)
    return y;
  y = ph_chain_run (self->chain, kernel, y);
  if (ph_dnnl_is_float (y) && ph_tensor_format (y) == PH_MEMORY_PLAIN)
    return y;
  g_clear_pointer (&y, ph_tensor_unref);
  return NULL;
}

static gboolean
run_scaled (PhKernel *kernel, gpointer prepared)
{
  Product *self = prepared;
  PhTensor *zero = ph_kernel_input (kernel, self->inputs.zero_y);
  const float low = self->dtype == PH_INT8 ? -128 : 0, high = low + 255;
  const gsize n = ph_tensor_count (kernel->inputs[self->inputs.scale_b]);
  g_autoptr (PhTensor) sums = ph_tensor_new_unset (PH_INT32, self->rank, self->dims), y = NULL;
  g_autofree double *factors = g_new (double, n);
  guint8 *out;

  if (sums == NULL || !find_factors (self, kernel, factors, n) || !multiply (self, kernel, ph_tensor_writable (sums)))
    return FALSE;
  if (self->dtype == PH_FLOAT || self->chain != NULL)
    {
      y = to_floats (self, kernel, sums, factors, n);
      if (y == NULL)
        return FALSE;
      if (self->dtype == PH_FLOAT)
        {
          ph_kernel_take (kernel, 0, g_steal_pointer (&y));
          return TRUE;
        }
      out = ph_kernel_output_unset (kernel, 0, self->dtype, ph_tensor_rank (y), ph_tensor_dims (y), NULL);
      if (out != NULL)
        ph_lanes ()->quantise (ph_tensor_count (y), out, ph_tensor_data (y),
                               (float) ph_tensor_get (kernel->inputs[self->inputs.scale_y], 0), (float) zero_at (zero, 0), low,
                               high);
      return out != NULL;
    }
  out = ph_kernel_output_unset (kernel, 0, self->dtype, self->rank, self->dims, NULL);
  for (gsize at = 0, line = n == 1 ? ph_tensor_count (sums) : n; out != NULL && at < ph_tensor_count (sums); at += line)
    ph_lanes ()->requantise (line, out + at, (const gint32 *) ph_tensor_data (sums) + at, factors, n > 1, zero_at (zero, 0), low,
                             high);
  return out != NULL;
}

/* ── in fused nodes ── */

#define MOST_TERMS 32768 /* of a sum, which fits into 32 bits then */

static gpointer
prepare_body (PhKernel *kernel)
{
  Inputs inputs = { NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE };
  PhBytesBody body;
  Product *self;

  if (!ph_bytes_body_read (&body, kernel, &ph_op_MatMul)
      || !ph_bytes_operand_read (kernel, ph_node_input (body.head, 0), 0, &inputs.a, &inputs.scale_a, &inputs.zero_a)
      || !ph_bytes_operand_read (kernel, ph_node_input (body.head, 1), -1, &inputs.b, &inputs.scale_b, &inputs.zero_b)
      || !is_scale (ph_kernel_input (kernel, inputs.scale_a), NULL)
      || !is_scale (ph_kernel_input (kernel, inputs.scale_b), ph_kernel_input (kernel, inputs.b)))
    return ph_kernel_refuse (kernel, "no product of two dequantized matrices");
  inputs.scale_y = body.scale;
  inputs.zero_y = body.zero;
  self = prepare_product (kernel, &inputs);
  if (self == NULL)
    return NULL;
  self->is_body = TRUE;
  self->dtype = body.dtype;
  if (body.n_after > 0)
    self->chain = ph_chain_new (kernel, body.after, body.n_after, body.graph->inputs, ph_node_output (body.head, 0));
  if (self->k <= MOST_TERMS && (body.n_after == 0 || self->chain != NULL))
    return self;
  free_product (self);
  return ph_kernel_refuse (kernel, "sums that are too long, or operators after the product that have no loop");
}

static gsize
packed_product (gpointer prepared)
{
  const Product *self = prepared;

  return self->dnnl->args[1].packed_of != NULL ? ph_dnnl_packed_of (self->dnnl) : 0;
}

const PhKernelRow ph_kernels_product_bytes[] = {
  { &ph_op_MatMulInteger, PH_DEVICE_CPU, "bytes", 10, prepare_matmul_integer, run_matmul_integer, free_product, packed_product,
    NULL, TRUE },
  { &ph_op_QLinearMatMul, PH_DEVICE_CPU, "bytes", 10, prepare_qlinear_matmul, run_scaled, free_product, packed_product, NULL,
    TRUE },
  { NULL, PH_DEVICE_CPU, "bytes", 11, prepare_body, run_scaled, free_product, packed_product, NULL, TRUE },
  { NULL },
};
