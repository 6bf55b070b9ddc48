/* half.c: runs float16 and bfloat16 through float32 kernels: inputs are widened, which is exact, and outputs rounded once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "core/ops/op-list.h"
#include "core/run/run-private.h"
#include "core/tensor/origin.h"

#define MOST_INPUTS  8
#define MOST_OUTPUTS 3

typedef struct
{
  PhDType dtype;
  PhNodeState state;              /* of the kernel of floats                      */
  PhTensor *wide[MOST_INPUTS];    /* (nullable) owned: weights, widened once      */
  PhTensor *wide_of[MOST_INPUTS]; /* (nullable) owned: their sources              */
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

/* Cached, because in a virtual machine the query takes longer than most tensors. */
static gboolean
has_half (void)
{
  static gsize answer = 0;

  if (g_once_init_enter (&answer))
    {
      guint a, b, c, d;
      gboolean has;

      /* clang 14 has no name for F16C: bit 29. */
      __builtin_cpu_init ();
      has = __builtin_cpu_supports ("avx") && __get_cpuid (1, &a, &b, &c, &d) != 0 && (c & (1u << 29)) != 0;
      g_once_init_leave (&answer, has ? 2 : 1);
    }
  return answer == 2;
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

/* Rounds each float to the precision of @dtype. */
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
    g_set_error_literal (error, PH_ERROR, PH_ERROR_LIMIT, "a tensor does not fit into memory");
  return made;
}

/* Returns @y as @dtype. The floats are kept, rounded to the precision of @dtype, since the next kernel may read floats in this layout
 * again. @is_exact: they need no rounding. (nullable) (transfer full) */
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

static gboolean
is_half (const PhTensor *tensor)
{
  return ph_tensor_dtype (tensor) == PH_FLOAT16 || ph_tensor_dtype (tensor) == PH_BFLOAT16;
}

static gpointer
prepare_half (PhKernel *kernel)
{
  const PhOp *op = kernel->node->op;
  PhDType dtype = PH_UNDEFINED;
  Half *half;

  if (kernel->n_inputs > MOST_INPUTS || kernel->n_outputs > MOST_OUTPUTS
      || (kernel->n_outputs > 1 && op != &ph_op_GRU && op != &ph_op_LSTM && op != &ph_op_RNN && op != &ph_op_LayerNormalization))
    return ph_kernel_refuse (kernel, "too many inputs, or more than one output");
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = kernel->inputs[i];

      if (tensor == NULL)
        continue;
      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_count (tensor) == 0)
        return ph_kernel_refuse (kernel, "an input is empty");
      if (!is_half (tensor))
        continue;
      if (dtype != PH_UNDEFINED && ph_tensor_dtype (tensor) != dtype)
        return ph_kernel_refuse (kernel, "its inputs are float16 and bfloat16");
      dtype = ph_tensor_dtype (tensor);
    }
  if (dtype == PH_UNDEFINED)
    return ph_kernel_refuse (kernel, "no input is float16 or bfloat16");
  half = g_new0 (Half, 1);
  half->dtype = dtype;
  half->state.constants = kernel->state->constants;
  return half;
}

/* Returns input @i as floats; other types (a condition, axes) stay unchanged. (nullable) (transfer full) */
static PhTensor *
input_of (Half *half, PhKernel *kernel, guint i)
{
  PhTensor *tensor = kernel->inputs[i], *wide;

  if (!is_half (tensor))
    return ph_tensor_ref (tensor);
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

/* Returns TRUE if each element of the result is one of an input, up to its sign. */
static gboolean
chooses (const PhOp *op)
{
  return op == &ph_op_Relu || op == &ph_op_MaxPool || op == &ph_op_Clip || op == &ph_op_Max || op == &ph_op_Min
         || op == &ph_op_Abs || op == &ph_op_Neg || op == &ph_op_Where || op == &ph_op_ReduceMax || op == &ph_op_ReduceMin;
}

/* The mean and the deviation have a type of their own. */
static gboolean
is_statistic (PhKernel *kernel, guint output)
{
  return output > 0 && kernel->node->op == &ph_op_LayerNormalization;
}

static gboolean
run_half (PhKernel *kernel, gpointer prepared)
{
  Half *half = prepared;
  PhTensor *inputs[MOST_INPUTS] = { NULL }, *outputs[MOST_OUTPUTS] = { NULL };
  const guint n = MIN (kernel->n_inputs, MOST_INPUTS), n_outputs = MIN (kernel->n_outputs, MOST_OUTPUTS);
  PhKernel own = { kernel->node, n, n_outputs, inputs, outputs, kernel->run, &half->state, 0 };
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
      ok = ph_kernel_try (&own);
      for (guint i = 0; i < n_outputs && ok; i++)
        ok = outputs[i] == NULL || is_statistic (kernel, i)
             || (ph_tensor_kind (outputs[i]) == PH_KIND_TENSOR && ph_tensor_dtype (outputs[i]) == PH_FLOAT);
      half->state.checked = TRUE;
    }
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&inputs[i], ph_tensor_unref);
  for (guint i = 0; i < n_outputs && ok; i++)
    if (outputs[i] != NULL)
      {
        PhTensor *y = is_statistic (kernel, i) ? ph_tensor_ref (outputs[i])
                                               : rounded (outputs[i], half->dtype, chooses (kernel->node->op));

        ok = y != NULL;
        if (ok)
          ph_kernel_take (kernel, i, y);
      }
  for (guint i = 0; i < n_outputs; i++)
    {
      g_clear_pointer (&outputs[i], ph_tensor_unref);
      if (!ok)
        ph_kernel_take (kernel, i, NULL);
    }
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

/* ── Cast ── */

static gpointer
prepare_cast (PhKernel *kernel)
{
  const PhTensor *x = ph_kernel_input (kernel, 0);
  const PhDType to = (PhDType) ph_node_attr_int (kernel->node, "to", PH_UNDEFINED);
  gboolean from_half, from_float;

  if (x == NULL || ph_tensor_kind (x) != PH_KIND_TENSOR || ph_tensor_count (x) == 0)
    return ph_kernel_refuse (kernel, "an input is empty");
  from_half = is_half (x) && to == PH_FLOAT;
  from_float = ph_tensor_dtype (x) == PH_FLOAT && (to == PH_FLOAT16 || to == PH_BFLOAT16);
  return from_half || from_float ? PH_PREPARED : ph_kernel_refuse (kernel, "not between float32 and float16 or bfloat16");
}

static gboolean
run_cast (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  PhTensor *y = is_half (x) ? widened (x) : narrowed (x, (PhDType) ph_node_attr_int (kernel->node, "to", PH_UNDEFINED));

  if (y != NULL)
    ph_kernel_take (kernel, 0, y);
  return y != NULL;
}

/* The result of adding, multiplying, dividing or taking a root of one or two numbers equals that of the reference kernel, as floats are
 * precise enough. A function like Tanh, or a sum, has the error of a float, which may round to the other neighbour: at most the last bit
 * differs. */
#define ROW(op)                                                                                         \
  {                                                                                                     \
    &ph_op_##op, PH_DEVICE_CPU, "half", 5, prepare_half, run_half, free_half, packed_half, head_of_half \
  }

/* clang-format off */
const PhKernelRow ph_kernels_half[] = {
  ROW (Add), ROW (Sub), ROW (Mul), ROW (Div), ROW (Max), ROW (Min), ROW (Pow), ROW (PRelu), ROW (Where), ROW (Clip),
  ROW (Abs), ROW (Neg), ROW (Sqrt), ROW (Reciprocal), ROW (Relu), ROW (LeakyRelu), ROW (Exp), ROW (Log), ROW (Sin), ROW (Cos), ROW (Tanh),
  ROW (Sigmoid), ROW (Erf), ROW (Gelu), ROW (HardSigmoid), ROW (HardSwish), ROW (Swish), ROW (Elu), ROW (Celu), ROW (Selu), ROW (Softplus),
  ROW (Softsign), ROW (Mish), ROW (ThresholdedRelu), ROW (Asin), ROW (Acos), ROW (Atan),
  ROW (MatMul), ROW (Gemm), ROW (Einsum), ROW (Conv), ROW (ConvTranspose), ROW (GRU), ROW (LSTM), ROW (RNN),
  ROW (MaxPool), ROW (AveragePool), ROW (GlobalAveragePool), ROW (Resize), ROW (LRN),
  ROW (Softmax), ROW (LogSoftmax), ROW (LayerNormalization), ROW (RMSNormalization), ROW (GroupNormalization), ROW (InstanceNormalization),
  ROW (BatchNormalization), ROW (ReduceMean), ROW (ReduceSum), ROW (ReduceMax), ROW (ReduceMin), ROW (ReduceL1), ROW (ReduceL2),
  ROW (ReduceSumSquare),
  { &ph_op_Cast, PH_DEVICE_CPU, "half", 5, prepare_cast, run_cast, NULL },
  { NULL },
};
/* clang-format on */
