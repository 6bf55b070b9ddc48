/* half.c: float16 and bfloat16 by the kernels of floats: what comes in is widened, which is exact, and what comes out is rounded once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "core/ops/op-list.h"
#include "core/run/dnnl.h"
#include "core/run/run-private.h"
#include "core/tensor/origin.h"

#define MOST_INPUTS 8

typedef struct
{
  PhDType dtype;
  PhNodeState state;              /* of the kernel of floats                      */
  PhTensor *wide[MOST_INPUTS];    /* (nullable) owned: weights, widened once      */
  PhTensor *wide_of[MOST_INPUTS]; /* (nullable) owned: what those are made of     */
} Half;

/* ── elements ── */

#ifdef __x86_64__
__attribute__ ((target ("avx,f16c"))) static gsize
widen_by_8 (gsize n, float *to, const guint16 *from)
{
  gsize i = 0;

  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps (to + i, _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i *) (gconstpointer) (from + i))));
  return i;
}

__attribute__ ((target ("avx,f16c"))) static gsize
narrow_by_8 (gsize n, guint16 *to, const float *from)
{
  gsize i = 0;

  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128 ((__m128i *) (gpointer) (to + i), _mm256_cvtps_ph (_mm256_loadu_ps (from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}

__attribute__ ((target ("avx,f16c"))) static gsize
round_by_8 (gsize n, float *y)
{
  gsize i = 0;

  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps (y + i, _mm256_cvtph_ps (_mm256_cvtps_ph (_mm256_loadu_ps (y + i), _MM_FROUND_TO_NEAREST_INT)));
  return i;
}

static gboolean
has_half (void)
{
  guint a, b, c, d;

  /* clang 14 has no name for F16C: bit 29. */
  __builtin_cpu_init ();
  return __builtin_cpu_supports ("avx") && __get_cpuid (1, &a, &b, &c, &d) != 0 && (c & (1u << 29)) != 0;
}
#else
#define widen_by_8(n, to, from)  ((gsize) 0)
#define narrow_by_8(n, to, from) ((gsize) 0)
#define round_by_8(n, y)         ((gsize) 0)
#define has_half()               FALSE
#endif

static void
widen (PhDType dtype, gsize n, float *to, const guint16 *from)
{
  gsize i = dtype == PH_FLOAT16 && has_half () ? widen_by_8 (n, to, from) : 0;

  if (dtype == PH_BFLOAT16)
    for (; i < n; i++)
      {
        const guint32 bits = (guint32) from[i] << 16;

        memcpy (&to[i], &bits, sizeof bits);
      }
  for (; i < n; i++)
    to[i] = (float) ph_dtype_load (dtype, from, i);
}

static void
narrow (PhDType dtype, gsize n, guint16 *to, const float *from)
{
  gsize i = dtype == PH_FLOAT16 && has_half () ? narrow_by_8 (n, to, from) : 0;

  for (; dtype == PH_BFLOAT16 && i < n; i++)
    {
      guint32 bits;

      memcpy (&bits, &from[i], sizeof bits);
      if ((bits & 0x7fffffff) > 0x7f800000) /* NaN stays one */
        to[i] = (guint16) (bits >> 16 | 0x40);
      else
        to[i] = (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* halves to even */
    }
  for (; i < n; i++)
    ph_dtype_store (dtype, to, i, from[i]);
}

/* Each float becomes the nearest that @dtype has. */
static void
round_to (PhDType dtype, gsize n, float *y)
{
  gsize i = dtype == PH_FLOAT16 && has_half () ? round_by_8 (n, y) : 0;

  for (; i < n; i++)
    {
      guint16 half;

      narrow (dtype, 1, &half, &y[i]);
      widen (dtype, 1, &y[i], &half);
    }
}

/* (nullable) (transfer full) */
static PhTensor *
widened (PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  const guint16 *from;
  PhTensor *wide;

  if (ph_tensor_get_wide (tensor) != NULL)
    return ph_tensor_ref (ph_tensor_get_wide (tensor));
  if (ph_tensor_is_splat (tensor))
    return ph_tensor_cast (tensor, PH_FLOAT);
  from = ph_tensor_data (tensor);
  wide = from != NULL ? ph_tensor_new_unset (PH_FLOAT, ph_tensor_rank (tensor), ph_tensor_dims (tensor)) : NULL;
  if (wide != NULL)
    widen (dtype, ph_tensor_count (tensor), ph_tensor_writable (wide), from);
  return wide;
}

static PhTensor *
narrowed (PhTensor *tensor, PhDType dtype)
{
  const float *from = ph_tensor_data (tensor);
  PhTensor *half = from != NULL ? ph_tensor_new_unset (dtype, ph_tensor_rank (tensor), ph_tensor_dims (tensor)) : NULL;

  if (half != NULL)
    narrow (dtype, ph_tensor_count (tensor), ph_tensor_writable (half), from);
  return half;
}

static PhTensor *
narrow_now (const PhTensor *half, GError **error)
{
  PhTensor *made = narrowed (ph_tensor_get_wide (half), ph_tensor_dtype (half));

  if (made == NULL)
    g_set_error_literal (error, PH_ERROR, PH_ERROR_FAILED, "a tensor does not fit into memory");
  return made;
}

/* @y as @dtype. Whoever reads it next may want floats again, in the order in which they lie: they stay what they are, but for the bits that
 * @dtype has not. @is_exact: none of them has such bits. (nullable) (transfer full) */
static PhTensor *
rounded (PhTensor *y, PhDType dtype, gboolean is_exact)
{
  const PhMemoryFormat format = ph_tensor_format (y);
  float *elements;

  if (!ph_tensor_is_sole (y))
    return narrowed (y, dtype);
  if (format != PH_MEMORY_PLAIN && ph_tensor_is_in_memory (y)) /* in both orders */
    return narrowed (y, dtype);
  elements = format == PH_MEMORY_PLAIN ? ph_tensor_writable (y) : ph_tensor_packed (y);
  if (elements == NULL)
    return NULL;
  if (!is_exact)
    round_to (dtype,
              format == PH_MEMORY_PLAIN ? ph_tensor_count (y)
                                        : ph_memory_format_count (format, ph_tensor_rank (y), ph_tensor_dims (y)),
              elements);
  return ph_tensor_new_narrowed (dtype, ph_tensor_ref (y), narrow_now);
}

/* ── the kernel ── */

static void
free_half (gpointer data)
{
  Half *half = data;

  ph_node_state_clear (&half->state);
  for (guint i = 0; i < MOST_INPUTS; i++)
    {
      g_clear_pointer (&half->wide[i], ph_tensor_unref);
      g_clear_pointer (&half->wide_of[i], ph_tensor_unref);
    }
  g_free (half);
}

static gpointer
prepare_half (PhKernel *kernel)
{
  PhDType dtype = PH_UNDEFINED;
  Half *half;

  if (kernel->n_inputs > MOST_INPUTS || kernel->n_outputs != 1)
    return ph_kernel_refuse (kernel, "too many inputs, or more than one output");
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = kernel->inputs[i];

      if (tensor == NULL)
        continue;
      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_count (tensor) == 0
          || (dtype != PH_UNDEFINED && ph_tensor_dtype (tensor) != dtype))
        return ph_kernel_refuse (kernel, "its inputs are of several element types, or empty");
      dtype = ph_tensor_dtype (tensor);
    }
  if (dtype != PH_FLOAT16 && dtype != PH_BFLOAT16)
    return ph_kernel_refuse (kernel, "the inputs are not all float16 or bfloat16");
  half = g_new0 (Half, 1);
  half->dtype = dtype;
  half->state.constants = kernel->state->constants;
  return half;
}

/* Input @i as floats. (nullable) (transfer full) */
static PhTensor *
input_of (Half *half, PhKernel *kernel, guint i)
{
  PhTensor *tensor = kernel->inputs[i], *wide;

  if (ph_kernel_is_constant (kernel, i) && half->wide_of[i] == tensor)
    return ph_tensor_ref (half->wide[i]);
  wide = widened (tensor);
  if (wide == NULL || !ph_kernel_is_constant (kernel, i))
    return wide;
  g_clear_pointer (&half->wide[i], ph_tensor_unref);
  g_clear_pointer (&half->wide_of[i], ph_tensor_unref);
  half->wide[i] = ph_tensor_ref (wide);
  half->wide_of[i] = ph_tensor_ref (tensor);
  return wide;
}

static gboolean
run_half (PhKernel *kernel, gpointer prepared)
{
  Half *half = prepared;
  PhTensor *inputs[MOST_INPUTS] = { NULL }, *output = NULL;
  const guint n = MIN (kernel->n_inputs, MOST_INPUTS);
  PhKernel own = { kernel->node, n, 1, inputs, &output, kernel->run, &half->state, 0 };
  gboolean ok = TRUE;

  for (guint i = 0; i < n && ok; i++)
    if (kernel->inputs[i] != NULL)
      {
        inputs[i] = input_of (half, kernel, i);
        ok = inputs[i] != NULL;
        if (ok && !ph_kernel_is_constant (kernel, i))
          own.dying |= G_GUINT64_CONSTANT (1) << i;
      }
  if (ok)
    {
      half->state.checked = ph_node_state_fits (&half->state, &own) && half->state.checked;
      ok = ph_kernel_try (&own) && output != NULL && ph_tensor_kind (output) == PH_KIND_TENSOR
           && ph_tensor_dtype (output) == PH_FLOAT;
      half->state.checked = TRUE;
    }
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&inputs[i], ph_tensor_unref);
  if (ok)
    {
      const gboolean is_exact = kernel->node->op == &ph_op_Relu || kernel->node->op == &ph_op_MaxPool;
      PhTensor *y = rounded (output, half->dtype, is_exact);

      ok = y != NULL;
      if (ok)
        ph_kernel_take (kernel, 0, y);
    }
  g_clear_pointer (&output, ph_tensor_unref);
  return ok;
}

static gsize
packed_half (gpointer prepared)
{
  const Half *half = prepared;
  gsize bytes = ph_node_state_packed (&half->state);

  for (guint i = 0; i < MOST_INPUTS; i++)
    bytes += half->wide[i] != NULL && !ph_tensor_is_splat (half->wide[i]) ? ph_tensor_bytes (half->wide[i]) : 0;
  return bytes;
}

static const PhNodeState *
head_of_half (gpointer prepared)
{
  const Half *half = prepared;

  return &half->state;
}

/* Of two numbers the result is that of the reference kernel to the bit: floats are wide enough for that. Functions like Tanh stay with the
 * reference kernel: an error of a float may round to the other neighbour. */
#define ROW(op)                                                                                         \
  {                                                                                                     \
    &ph_op_##op, PH_DEVICE_CPU, "half", 5, prepare_half, run_half, free_half, packed_half, head_of_half \
  }

const PhKernelRow ph_kernels_half[] = {
  ROW (Add),
  ROW (Sub),
  ROW (Mul),
  ROW (Div),
  ROW (MatMul),
  ROW (Gemm),
  ROW (Conv),
  ROW (ConvTranspose),
  ROW (MaxPool),
  ROW (AveragePool),
  ROW (GlobalAveragePool),
  ROW (Relu),
  { NULL },
};
