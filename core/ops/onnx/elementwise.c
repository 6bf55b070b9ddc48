/* elementwise.c: kernels and schemas of operators that work element by element, with broadcasting.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"

#include <string.h>

/* Conversion */

/* clang-format off */
#define CONVERT(to_, from_)                                                                                            \
  {                                                                                                                    \
    to_ *restrict out = y;                                                                                             \
    const from_ *in = x;                                                                                               \
    for (gsize i = 0; i < n; i++)                                                                                      \
      out[i] = (to_) in[i];                                                                                            \
    return;                                                                                                            \
  }
/* clang-format on */
/* Conversions without a rounding or range question, between the types that loops work in and the common others. */
#define PAIR(to_, to_type_, from_, from_type_) \
  if (to == PH_##to_ && from == PH_##from_)    \
  CONVERT (to_type_, from_type_)

/* From one kind of integer to all: the upper bits are dropped, or the sign is repeated. */
#define TO_INTEGERS(from_, from_type_)      \
  PAIR (INT64, gint64, from_, from_type_)   \
  PAIR (INT32, gint32, from_, from_type_)   \
  PAIR (INT16, gint16, from_, from_type_)   \
  PAIR (INT8, gint8, from_, from_type_)     \
  PAIR (UINT64, guint64, from_, from_type_) \
  PAIR (UINT32, guint32, from_, from_type_) \
  PAIR (UINT16, guint16, from_, from_type_) \
  PAIR (UINT8, guint8, from_, from_type_)

/* Converts floats to integers: truncates numbers between @least_ and @most_, and leaves others to ph_dtype_store(). */
#define CUT(to_, to_type_, least_, most_)              \
  if (to == PH_##to_ && from == PH_FLOAT)              \
    {                                                  \
      for (gsize i = 0; i < n; i++)                    \
        {                                              \
          const float value = ((const float *) x)[i];  \
                                                       \
          if (value >= least_ && value <= most_)       \
            ((to_type_ *) y)[i] = (to_type_) value;    \
          else                                         \
            ph_dtype_store (to, y, i, (double) value); \
        }                                              \
      return;                                          \
    }

static void
convert (PhDType to, gpointer y, PhDType from, gconstpointer x, gsize n)
{
  CUT (INT64, gint64, -9e18f, 9e18f)
  CUT (INT32, gint32, -2e9f, 2e9f)
  CUT (UINT8, guint8, 0, 255)
  CUT (INT8, gint8, -128, 127)
  PAIR (DOUBLE, double, FLOAT, float)
  PAIR (FLOAT, float, DOUBLE, double)
  PAIR (FLOAT, float, INT64, gint64)
  PAIR (FLOAT, float, INT32, gint32)
  PAIR (FLOAT, float, UINT8, guint8)
  PAIR (FLOAT, float, INT8, gint8)
  PAIR (FLOAT, float, BOOL, guint8)
  PAIR (DOUBLE, double, INT64, gint64)
  PAIR (DOUBLE, double, INT32, gint32)
  TO_INTEGERS (INT64, gint64)
  TO_INTEGERS (INT32, gint32)
  TO_INTEGERS (INT16, gint16)
  TO_INTEGERS (INT8, gint8)
  TO_INTEGERS (UINT64, guint64)
  TO_INTEGERS (UINT32, guint32)
  TO_INTEGERS (UINT16, guint16)
  TO_INTEGERS (UINT8, guint8)
  TO_INTEGERS (BOOL, guint8)

  if (to == PH_BOOL && from == PH_FLOAT)
    for (gsize i = 0; i < n; i++)
      ((guint8 *) y)[i] = ((const float *) x)[i] != 0;
  else if (to == PH_FLOAT && from == PH_FLOAT16)
    for (gsize i = 0; i < n; i++)
      ((float *) y)[i] = ph_half_to_float (((const guint16 *) x)[i]);
  else if (to == PH_FLOAT16 && from == PH_FLOAT)
    for (gsize i = 0; i < n; i++)
      ((guint16 *) y)[i] = ph_half_from_float (((const float *) x)[i]);
  else if ((ph_dtype_is_integer (from) || from == PH_BOOL) && (ph_dtype_is_integer (to) || to == PH_BOOL))
    for (gsize i = 0; i < n; i++)
      ph_dtype_store_int (to, y, i, ph_dtype_load_int (from, x, i));
  else
    for (gsize i = 0; i < n; i++)
      ph_dtype_store (to, y, i, ph_dtype_load (from, x, i));
}

PhTensor *
ph_convert (PhTensor *tensor, PhDType dtype)
{
  PhDType from = ph_tensor_dtype (tensor);

  if (!ph_tensor_is_splat (tensor) && !ph_tensor_bring (tensor, NULL))
    return NULL;
  if (from == dtype || ph_tensor_is_splat (tensor))
    {
      g_autoptr (PhTensor) same = from == dtype ? ph_tensor_ref (tensor) : ph_tensor_cast (tensor, dtype);

      /* Another element type needs the elements. */
      return same != NULL && ph_tensor_bring (same, NULL) ? g_steal_pointer (&same) : NULL;
    }

  PhTensor *result = ph_tensor_new_unset (dtype, ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  if (result != NULL)
    convert (dtype, ph_tensor_writable (result), from, ph_tensor_data (tensor), ph_tensor_count (tensor));
  return result;
}

/* The loop */

/* Returns the loop for @dtype and the element type that the loop computes in. */
static PhLoop
loop_for (const PhLoops *loops, PhDType dtype, PhDType *works_in)
{
  gboolean integer = ph_dtype_is_integer (dtype), is_signed = ph_dtype_is_signed (dtype);

  if (loops->own != NULL && dtype == loops->own_type)
    return *works_in = dtype, loops->own;
  if (dtype == PH_BOOL && loops->u8 != NULL)
    return *works_in = PH_BOOL, loops->u8;
  if (integer && !is_signed && loops->u64 != NULL)
    return *works_in = PH_UINT64, loops->u64;
  if ((integer || dtype == PH_BOOL) && loops->i64 != NULL)
    return *works_in = integer && !is_signed ? PH_UINT64 : PH_INT64, loops->i64;
  if (ph_dtype_is_float (dtype) && dtype != PH_DOUBLE && loops->f32 != NULL)
    return *works_in = PH_FLOAT, loops->f32;
  if ((ph_dtype_is_float (dtype) || integer) && loops->f64 != NULL)
    return *works_in = PH_DOUBLE, loops->f64;
  return NULL;
}

/* Walks the rows of the result: inner dimensions that every operand traverses with one stride form one row. */
static void
run_rows (PhLoop loop, guint rank, const gint64 *dims, PhTensor *result, PhTensor *const operands[2], gsize item_out,
          gsize item_in, const double *p)
{
  gint64 outer[PH_MAX_RANK], stride[2][PH_MAX_RANK],
      at[PH_MAX_RANK] = {
        0,
      };
  gsize offset[2] = { 0, 0 }, inner = 1, inner_stride[2] = { 1, 1 };
  const char *in[2];
  char *out = ph_tensor_writable (result);
  gsize count = ph_tensor_count (result);
  guint n_outer = 0;

  if (count == 0)
    return;

  for (int k = 0; k < 2; k++)
    {
      guint own = ph_tensor_rank (operands[k]);
      const gint64 *own_dims = ph_tensor_dims (operands[k]);
      gint64 step = 1;

      in[k] = ph_tensor_data (operands[k]);
      for (guint i = rank; i > 0; i--)
        {
          gint64 size = i + own > rank ? own_dims[i - 1 + own - rank] : 1;

          stride[k][i - 1] = size == 1 ? 0 : step;
          step *= size;
        }
    }

  /* Fold dimensions together from the inside: dims that are 1 vanish, and two join where both operands agree. */
  guint folded = 0;
  gint64 f_dim[PH_MAX_RANK], f_stride[2][PH_MAX_RANK];

  for (guint i = rank; i > 0; i--)
    {
      gint64 size = dims[i - 1];

      if (size == 1)
        continue;
      if (folded > 0)
        {
          gint64 last = f_dim[folded - 1];
          gboolean joins = TRUE;

          for (int k = 0; k < 2; k++)
            joins &= stride[k][i - 1] == f_stride[k][folded - 1] * last;
          if (joins)
            {
              f_dim[folded - 1] *= size;
              continue;
            }
        }
      f_dim[folded] = size;
      f_stride[0][folded] = stride[0][i - 1];
      f_stride[1][folded] = stride[1][i - 1];
      folded++;
    }
  if (folded > 0)
    {
      inner = f_dim[0];
      inner_stride[0] = f_stride[0][0];
      inner_stride[1] = f_stride[1][0];
      for (guint i = folded - 1; i > 0; i--)
        {
          outer[n_outer] = f_dim[i];
          stride[0][n_outer] = f_stride[0][i];
          stride[1][n_outer] = f_stride[1][i];
          n_outer++;
        }
    }

  for (gsize done = 0;;)
    {
      loop (inner, out + done * item_out, in[0] + offset[0] * item_in, inner_stride[0], in[1] + offset[1] * item_in,
            inner_stride[1], p);
      done += inner;
      if (done >= count)
        return;
      for (guint i = n_outer; i > 0; i--)
        {
          offset[0] += stride[0][i - 1];
          offset[1] += stride[1][i - 1];
          if (++at[i - 1] < outer[i - 1])
            break;
          offset[0] -= stride[0][i - 1] * outer[i - 1];
          offset[1] -= stride[1][i - 1] * outer[i - 1];
          at[i - 1] = 0;
        }
    }
}

/* Returns the element of a splat as a scalar: f(splat) is a splat. */
static PhTensor *
first_element (PhTensor *tensor)
{
  g_autoptr (PhTensor) one = ph_tensor_new (ph_tensor_dtype (tensor), 0, NULL);

  memcpy (ph_tensor_writable (one), ph_tensor_data (tensor), ph_dtype_size (ph_tensor_dtype (tensor)));
  return g_steal_pointer (&one);
}

static PhTensor *
single (PhTensor *splat)
{
  PhDType dtype = ph_tensor_dtype (splat);
  PhTensor *one;

  if (ph_tensor_count (splat) == 1)
    return first_element (splat);
  one = ph_tensor_new (dtype, 0, NULL);
  if (ph_dtype_is_integer (dtype) || dtype == PH_BOOL)
    ph_dtype_store_int (dtype, ph_tensor_writable (one), 0, ph_tensor_get_int (splat, 0));
  else
    ph_dtype_store (dtype, ph_tensor_writable (one), 0, ph_tensor_get (splat, 0));
  return one;
}

#define PART 1024 /* elements that stay in the fastest cache while they are converted, computed and converted back */

/* Elements @first to @first + @n of @tensor, in @room where they have to be converted. */
static gconstpointer
part_of (PhTensor *tensor, PhDType works_in, gsize first, gsize n, gpointer room)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  const char *data = (const char *) ph_tensor_data (tensor) + first * ph_dtype_size (dtype);

  if (dtype == works_in)
    return data;
  convert (works_in, room, dtype, data, n);
  return room;
}

/* Returns TRUE if @tensor is read element by element, or is one element for all of @result. */
static gboolean
is_plain (PhTensor *tensor, PhTensor *result)
{
  const gsize count = ph_tensor_count (tensor);

  return !ph_tensor_is_splat (tensor) && (count == 1 || count == ph_tensor_count (result));
}

/* Computes @result, whose elements become those of @loop_result, a part at a time: another element type needs no tensor of its own. */
static void
run_parts (PhLoop loop, PhTensor *result, PhTensor *a, PhTensor *b, PhDType works_in, PhDType loop_result, const double *p)
{
  const PhDType dtype = ph_tensor_dtype (result);
  const gsize count = ph_tensor_count (result), stride_a = ph_tensor_count (a) > 1,
              stride_b = b != NULL && ph_tensor_count (b) > 1;
  guint64 rooms[3][PART];
  char *out = ph_tensor_writable (result);

  for (gsize first = 0, n; first < count; first += n)
    {
      const gboolean direct = dtype == loop_result;
      char *to = out + first * ph_dtype_size (dtype);

      n = MIN (PART, count - first);
      loop (n, direct ? to : (gpointer) rooms[2], part_of (a, works_in, first * stride_a, stride_a ? n : 1, rooms[0]), stride_a,
            b != NULL ? part_of (b, works_in, first * stride_b, stride_b ? n : 1, rooms[1]) : NULL, stride_b, p);
      if (!direct)
        convert (dtype, to, loop_result, rooms[2], n);
    }
}

static PhTensor *
memory_error (GError **error)
{
  g_set_error_literal (error, PH_ERROR, PH_ERROR_LIMIT, "the result is too large for memory");
  return NULL;
}

PhTensor *
ph_elementwise (const PhLoops *loops, PhTensor *a, PhTensor *b, const double *p, GError **error)
{
  PhDType dtype = ph_tensor_dtype (a), works_in, result_dtype, loop_result;
  PhLoop loop = loop_for (loops, dtype, &works_in);
  gint64 dims[PH_MAX_RANK];
  guint rank;

  if (loop == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_LIMIT, "there is no kernel for %s", ph_dtype_name (dtype));
      return NULL;
    }
  if (b == NULL)
    {
      rank = ph_tensor_rank (a);
      memcpy (dims, ph_tensor_dims (a), rank * sizeof *dims);
    }
  else if (!ph_broadcast_dims (ph_tensor_rank (a), ph_tensor_dims (a), ph_tensor_rank (b), ph_tensor_dims (b), &rank, dims))
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_TYPE, "the shapes of its inputs cannot be broadcast together");
      return NULL;
    }
  result_dtype = loops->result != PH_UNDEFINED ? loops->result : dtype;
  loop_result = loops->result != PH_UNDEFINED ? loops->result : works_in;

  /* A repeated element is computed once. */
  if ((ph_tensor_is_splat (a) || ph_tensor_count (a) == 1) && ph_tensor_count (a) > 0
      && (b == NULL || ((ph_tensor_is_splat (b) || ph_tensor_count (b) == 1) && ph_tensor_count (b) > 0))
      && (ph_tensor_is_splat (a) || (b != NULL && ph_tensor_is_splat (b))))
    {
      g_autoptr (PhTensor) one_a = single (a), one_b = b != NULL ? single (b) : NULL;
      g_autoptr (PhTensor) one = ph_elementwise (loops, one_a, one_b, p, error);

      return one != NULL ? ph_tensor_new_splat (result_dtype, rank, dims, ph_tensor_data (one)) : NULL;
    }

  if ((dtype != works_in || result_dtype != loop_result) && (b == NULL || ph_tensor_dtype (b) == dtype))
    {
      g_autoptr (PhTensor) plain = ph_tensor_new_unset (result_dtype, rank, dims);

      if (plain == NULL)
        return memory_error (error);
      if (is_plain (a, plain) && (b == NULL || is_plain (b, plain)))
        {
          run_parts (loop, plain, a, b, works_in, loop_result, p);
          return g_steal_pointer (&plain);
        }
    }

  g_autoptr (PhTensor) wide_a = ph_convert (a, works_in), wide_b = b != NULL ? ph_convert (b, works_in) : NULL;
  g_autoptr (PhTensor) result = ph_tensor_new_unset (loop_result, rank, dims);

  if (wide_a == NULL || result == NULL || (b != NULL && wide_b == NULL))
    return memory_error (error);
  if (b == NULL)
    loop (ph_tensor_count (result), ph_tensor_writable (result), ph_tensor_data (wide_a), 1, NULL, 0, p);
  else
    run_rows (loop, rank, dims, result, (PhTensor *[]) { wide_a, wide_b }, ph_dtype_size (loop_result), ph_dtype_size (works_in),
              p);

  PhTensor *narrow = ph_convert (result, result_dtype);

  return narrow != NULL ? narrow : memory_error (error);
}

gboolean
ph_elementwise_kernel (PhKernel *kernel, const PhLoops *loops, const double *p, GError **error)
{
  g_autoptr (GError) problem = NULL;
  PhTensor *result = ph_elementwise (loops, ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 1), p, &problem);

  if (result == NULL)
    return ph_kernel_pass_on (kernel, error, problem);
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

/* Contents */

void
ph_infer_dims_map (PhInfer *infer, PhDim (*map) (PhDim a, PhDim b))
{
  const PhDim *a, *b;
  int n_a = ph_infer_dims (infer, 0, &a), n_b = n_a >= 0 ? ph_infer_dims (infer, 1, &b) : -1;
  int n = MAX (n_a, n_b);

  if (n_a < 0 || n_b < 0 || (n_a != n_b && n_a != 1 && n_b != 1))
    return;
  if (n_a == 0 || n_b == 0)
    n = 0;

  g_autofree PhDim *dims = g_new (PhDim, n + 1);

  for (int i = 0; i < n; i++)
    dims[i] = map (a[n_a == 1 ? 0 : i], b[n_b == 1 ? 0 : i]);
  ph_infer_set_dims (infer, 0, dims, n);
}
