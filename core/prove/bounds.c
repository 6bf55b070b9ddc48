/* bounds.c: propagates intervals of values through operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/bounds.h"

#include <math.h>

#include "core/ops/op-list.h"

/* Values looked at for one answer. */
#define MOST 400

/* @known: NULL until there is an entry. */
typedef struct
{
  guint left, depth;
  GHashTable *known;
} Search;

static PhBounds bounds_of (Search *search, const PhValue *value);

static PhBounds
input_bounds (Search *search, const PhNode *node, guint input)
{
  const PhValue *value = ph_node_input (node, input);

  return value != NULL ? bounds_of (search, value) : PH_BOUNDS_NONE;
}

static PhBounds
of_tensor (PhTensor *tensor)
{
  PhBounds bounds = { INFINITY, -INFINITY };
  gsize n = ph_tensor_is_splat (tensor) ? MIN (ph_tensor_count (tensor), 1) : ph_tensor_count (tensor);
  const float *floats;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING || n == 0 || n > 4096
      || ph_tensor_dtype (tensor) == PH_COMPLEX64 || ph_tensor_dtype (tensor) == PH_COMPLEX128)
    return PH_BOUNDS_NONE;
  floats = ph_tensor_dtype (tensor) == PH_FLOAT && !ph_tensor_is_splat (tensor) ? ph_tensor_data (tensor) : NULL;
  for (gsize i = 0; i < n; i++)
    {
      const double value = floats != NULL ? floats[i] : ph_tensor_get (tensor, i);

      if (isnan (value) || (value == 0 && signbit (value)))
        return PH_BOUNDS_NONE;
      bounds.low = MIN (bounds.low, value);
      bounds.high = MAX (bounds.high, value);
    }
  return bounds;
}

static PhBounds
join (PhBounds a, PhBounds b)
{
  return (PhBounds) { MIN (a.low, b.low), MAX (a.high, b.high) };
}

/* Extends the interval by 0, the value of padding. */
static PhBounds
with_zero (PhBounds a)
{
  return join (a, (PhBounds) { 0, 0 });
}

/* Evaluates a monotonically increasing function at both ends. */
static PhBounds
rising (PhBounds x, double (*f) (double), double low, double high)
{
  return (PhBounds) { x.low <= -G_MAXDOUBLE ? low : MAX (low, f (x.low)), x.high >= G_MAXDOUBLE ? high : MIN (high, f (x.high)) };
}

static PhBounds
product (const PhNode *node, PhBounds a, PhBounds b)
{
  if (ph_node_input (node, 0) == ph_node_input (node, 1))
    return (PhBounds) { 0, G_MAXDOUBLE };
  if (a.low >= 0 && b.low >= 0)
    return (PhBounds) { a.low * b.low, MIN (a.high * b.high, G_MAXDOUBLE) };
  return PH_BOUNDS_NONE;
}

static PhBounds
sum (PhBounds a, PhBounds b)
{
  return (PhBounds) { MAX (a.low + b.low, -G_MAXDOUBLE), MIN (a.high + b.high, G_MAXDOUBLE) };
}

static PhBounds
clipped (Search *search, const PhNode *node)
{
  PhBounds x = input_bounds (search, node, 0);
  PhValue *low = ph_node_input (node, 1), *high = ph_node_input (node, 2);
  PhBounds least = low != NULL ? bounds_of (search, low) : PH_BOUNDS_NONE,
           most = high != NULL ? bounds_of (search, high) : PH_BOUNDS_NONE;

  return (PhBounds) { MAX (x.low, low != NULL ? least.low : -G_MAXDOUBLE), MIN (x.high, high != NULL ? most.high : G_MAXDOUBLE) };
}

static PhBounds
all_inputs (Search *search, const PhNode *node, PhBounds (*combine) (PhBounds, PhBounds))
{
  PhBounds bounds = input_bounds (search, node, 0);

  for (guint i = 1; i < node->inputs->len; i++)
    bounds = combine (bounds, input_bounds (search, node, i));
  return bounds;
}

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

static gboolean
is_one_of (const PhOp *op, const PhOp *const *ops)
{
  for (; *ops != NULL; ops++)
    if (op == *ops)
      return TRUE;
  return FALSE;
}

/* Operators whose output elements are elements of input 0, or lie between them. */
/* clang-format off */
static const PhOp *const moving[] = {
  &ph_op_Identity, &ph_op_Reshape, &ph_op_Transpose, &ph_op_Squeeze, &ph_op_Unsqueeze, &ph_op_Flatten, &ph_op_Slice, &ph_op_Split,
  &ph_op_Expand, &ph_op_Tile, &ph_op_Gather, &ph_op_GatherElements, &ph_op_GatherND, &ph_op_MaxPool, &ph_op_ReduceMax, &ph_op_ReduceMin,
  &ph_op_ReduceMean, &ph_op_GlobalAveragePool, &ph_op_GlobalMaxPool, &ph_op_DepthToSpace, &ph_op_SpaceToDepth, &ph_op_Dropout, &ph_op_TopK, NULL
};
/* clang-format on */
static const PhOp *const moving_and_padding[] = { &ph_op_AveragePool, NULL };
static const PhOp *const counts[] = { &ph_op_Shape, &ph_op_Size, &ph_op_NonZero, &ph_op_ArgMax, &ph_op_ArgMin, NULL };
static const PhOp *const positive[]
    = { &ph_op_Abs,      &ph_op_Relu, &ph_op_Exp, &ph_op_Sqrt, &ph_op_ReduceL1, &ph_op_ReduceL2, &ph_op_ReduceSumSquare,
        &ph_op_Softplus, NULL };
static const PhOp *const unit[] = { &ph_op_Softmax, &ph_op_HardSigmoid, NULL };

/* Returns the bounds of integer type @dtype. */
static PhBounds
of_type (PhDType dtype)
{
  const int sign = ph_dtype_is_signed (dtype) ? 1 : 0, bits = (int) ph_dtype_size (dtype) * 8 - sign;

  return (PhBounds) { sign ? -ldexp (1, bits) : 0, ldexp (1, bits) - 1 };
}

/* Returns @bounds if integers of @dtype can hold them: otherwise values wrap. */
static PhBounds
if_held (PhBounds bounds, PhDType dtype)
{
  const PhBounds all = of_type (dtype);

  return bounds.low >= all.low && bounds.high <= all.high ? bounds : PH_BOUNDS_NONE;
}

static PhBounds
cast (Search *search, const PhNode *node)
{
  const PhValue *from = ph_node_input (node, 0);
  const PhType *type = from != NULL ? from->type : NULL;
  PhBounds x = input_bounds (search, node, 0);

  if (type == NULL || type->kind != PH_KIND_TENSOR)
    return PH_BOUNDS_NONE;
  if (type->dtype == PH_BOOL)
    return (PhBounds) { 0, 1 };
  if (ph_dtype_is_integer (type->dtype) && ph_dtype_size (type->dtype) < 8)
    {
      const PhBounds all = of_type (type->dtype);

      x.low = MAX (x.low, all.low);
      x.high = MIN (x.high, all.high);
    }
  return x;
}

/* Returns the bounds of (x - zero point) * scale, with x of 8 or 16 bits. */
static PhBounds
dequantized (Search *search, const PhNode *node)
{
  const PhValue *from = ph_node_input (node, 0), *scale = ph_node_input (node, 1), *zero = ph_node_input (node, 2);
  const PhDType dtype = from != NULL && from->type != NULL ? from->type->dtype : PH_UNDEFINED;
  const PhBounds s = scale != NULL ? bounds_of (search, scale) : PH_BOUNDS_NONE,
                 z = zero != NULL ? bounds_of (search, zero) : (PhBounds) { 0, 0 };
  PhBounds x;

  if ((dtype != PH_UINT8 && dtype != PH_INT8 && dtype != PH_UINT16 && dtype != PH_INT16) || s.low < 0 || z.low <= -G_MAXDOUBLE)
    return PH_BOUNDS_NONE;
  x = input_bounds (search, node, 0);
  x.low = MAX (x.low, of_type (dtype).low) - z.high;
  x.high = MIN (x.high, of_type (dtype).high) - z.low;
  return (PhBounds) { MAX (x.low * (x.low < 0 ? s.high : s.low), -G_MAXDOUBLE),
                      MIN (x.high * (x.high < 0 ? s.low : s.high), G_MAXDOUBLE) };
}

/* Returns the bounds of an integer modulo a positive one, or of a bitwise and with one. */
static PhBounds
remainder_of (Search *search, const PhNode *node)
{
  const PhValue *by = ph_node_input (node, 1);
  const PhBounds b = input_bounds (search, node, 1);

  if (by == NULL || by->type == NULL || !ph_dtype_is_integer (by->type->dtype) || b.low < 0 || b.high >= G_MAXDOUBLE
      || (node->op == &ph_op_Mod && (b.low < 1 || ph_node_attr_int (node, "fmod", 0) != 0)))
    return PH_BOUNDS_NONE;
  return (PhBounds) { 0, node->op == &ph_op_Mod ? b.high - 1 : b.high };
}

static PhBounds
of_node (Search *search, const PhValue *value, const PhNode *node)
{
  const PhOp *op = node->op;

  if (op == NULL)
    return PH_BOUNDS_NONE;
  if (value->type != NULL && value->type->dtype == PH_BOOL)
    return (PhBounds) { 0, 1 };
  if (is_one_of (op, counts))
    return (PhBounds) { 0, G_MAXINT32 };
  if (is_one_of (op, unit))
    return (PhBounds) { 0, 1 };
  if (is_one_of (op, moving) && value->output == 0)
    return input_bounds (search, node, 0);
  if (is_one_of (op, moving_and_padding))
    return with_zero (input_bounds (search, node, 0));
  if (op == &ph_op_Cast)
    return cast (search, node);
  if (op == &ph_op_DequantizeLinear)
    return dequantized (search, node);
  if (op == &ph_op_Sigmoid)
    return rising (input_bounds (search, node, 0), sigmoid, 0, 1);
  if (op == &ph_op_Tanh)
    return rising (input_bounds (search, node, 0), tanh, -1, 1);
  if (op == &ph_op_Erf)
    return rising (input_bounds (search, node, 0), erf, -1, 1);
  if (op == &ph_op_Sin || op == &ph_op_Cos)
    return (PhBounds) { -1, 1 };
  if (op == &ph_op_Relu)
    {
      PhBounds x = input_bounds (search, node, 0);

      return (PhBounds) { MAX (x.low, 0), MAX (x.high, 0) };
    }
  if (op == &ph_op_Exp)
    return rising (input_bounds (search, node, 0), exp, 0, G_MAXDOUBLE);
  if (op == &ph_op_Sqrt)
    return rising (input_bounds (search, node, 0), sqrt, 0, G_MAXDOUBLE);
  if (is_one_of (op, positive))
    return (PhBounds) { 0, G_MAXDOUBLE };
  if (op == &ph_op_Clip)
    return clipped (search, node);
  if (op == &ph_op_Add || op == &ph_op_Sum)
    return all_inputs (search, node, sum);
  if (op == &ph_op_Mul)
    return product (node, input_bounds (search, node, 0), input_bounds (search, node, 1));
  if (op == &ph_op_Concat)
    return all_inputs (search, node, join);
  if (op == &ph_op_Where)
    return join (input_bounds (search, node, 1), input_bounds (search, node, 2));
  if (op == &ph_op_Mod || op == &ph_op_BitwiseAnd)
    return remainder_of (search, node);
  if (op == &ph_op_Min)
    {
      PhBounds a = input_bounds (search, node, 0), b = input_bounds (search, node, 1);

      return node->inputs->len == 2 ? (PhBounds) { MIN (a.low, b.low), MIN (a.high, b.high) } : PH_BOUNDS_NONE;
    }
  if (op == &ph_op_Max)
    {
      PhBounds a = input_bounds (search, node, 0), b = input_bounds (search, node, 1);

      return node->inputs->len == 2 ? (PhBounds) { MAX (a.low, b.low), MAX (a.high, b.high) } : PH_BOUNDS_NONE;
    }
  if (op == &ph_op_Div)
    {
      PhBounds a = input_bounds (search, node, 0), b = input_bounds (search, node, 1);

      return a.low >= 0 && b.low >= 0 ? (PhBounds) { 0, G_MAXDOUBLE } : PH_BOUNDS_NONE;
    }
  if (op == &ph_op_ReduceSum || op == &ph_op_CumSum)
    return input_bounds (search, node, 0).low >= 0 ? (PhBounds) { 0, G_MAXDOUBLE } : PH_BOUNDS_NONE;
  if (op == &ph_op_Pow)
    {
      PhValue *exponent = ph_node_input (node, 1);
      PhTensor *constant = exponent != NULL ? ph_value_constant (exponent) : NULL;

      return constant != NULL && ph_tensor_count (constant) == 1 && fmod (ph_tensor_get (constant, 0), 2) == 0
                 ? (PhBounds) { 0, G_MAXDOUBLE }
                 : PH_BOUNDS_NONE;
    }
  return PH_BOUNDS_NONE;
}

static PhBounds
bounds_of (Search *search, const PhValue *value)
{
  PhBounds *known = search->known != NULL ? g_hash_table_lookup (search->known, value) : NULL, found;

  if (known != NULL)
    return *known;
  if (search->left == 0)
    return PH_BOUNDS_NONE;
  search->left--;
  search->depth++;
  if (ph_value_constant (value) != NULL)
    found = of_tensor (ph_value_constant (value));
  else
    found = value->producer != NULL ? of_node (search, value, value->producer) : PH_BOUNDS_NONE;
  if (value->type != NULL && value->type->kind == PH_KIND_TENSOR && ph_dtype_is_integer (value->type->dtype))
    found = if_held (found, value->type->dtype);
  search->depth--;
  if (search->depth == 0) /* the answer */
    return found;
  if (search->known == NULL)
    search->known = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_hash_table_insert (search->known, (gpointer) value, g_memdup2 (&found, sizeof found));
  return found;
}

PhBounds
ph_value_bounds (const PhValue *value)
{
  Search search = { .left = MOST };
  PhBounds bounds = bounds_of (&search, value);

  g_clear_pointer (&search.known, g_hash_table_unref);
  return bounds;
}
