/* random-graph.c: seeded random models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-graph.h"

#include <math.h>

#include "core/ops/builder.h"
#include "passes/rule.h"

/* Values are drawn from a pool; each kind of operator takes what it can use and says FALSE where nothing fits. Whether
 * shapes go together is left to inference: what it refuses is taken back. */
typedef struct
{
  GRand     *rand;
  PhModel   *model;
  GPtrArray *pool;              /* (element-type PhValue) */
  PhBuilder  b;
  gboolean   smooth;
  guint      depth;             /* of bodies */
} Gen;

#define PICK(gen_, ...) pick_op (gen_, (const PhOp *const[]) { __VA_ARGS__ }, sizeof ((const PhOp *[]) { __VA_ARGS__ }) / sizeof (PhOp *))

static int
below (Gen *gen, int n)
{
  return n > 0 ? g_rand_int_range (gen->rand, 0, n) : 0;
}

static const PhOp *
pick_op (Gen *gen, const PhOp *const *ops, guint n)
{
  return ops[below (gen, n)];
}

static PhValue *
any (Gen *gen)
{
  /* Younger values more often, so that graphs grow deep. */
  guint n = gen->pool->len, i = below (gen, 2) ? n - 1 - below (gen, MIN (n, 4)) : (guint) below (gen, n);

  return g_ptr_array_index (gen->pool, i);
}

static PhValue *
any_of (Gen *gen, gboolean (*fits) (const PhValue *value))
{
  for (guint i = 0; i < 8; i++)
    {
      PhValue *value = any (gen);

      if (fits (value))
        return value;
    }
  return NULL;
}

static gboolean is_float (const PhValue *v)   { return ph_value_is_float (v); }
static gboolean is_float32 (const PhValue *v) { return ph_value_dtype (v) == PH_FLOAT; }
static gboolean is_number (const PhValue *v)  { return ph_value_is_float (v) || ph_dtype_is_integer (ph_value_dtype (v)); }
static gboolean is_signed (const PhValue *v)  { return is_number (v) && ph_dtype_is_signed (ph_value_dtype (v)); }
static gboolean is_bool (const PhValue *v)    { return ph_value_dtype (v) == PH_BOOL; }
static gboolean is_ranked (const PhValue *v)  { return ph_value_rank (v) > 0; }
static gboolean is_image (const PhValue *v)
{
  return ph_value_dtype (v) == PH_FLOAT && ph_value_rank (v) == 4 && ph_value_dim (v, 1) > 0 && ph_value_dim (v, 2) >= 3 &&
         ph_value_dim (v, 3) >= 3;
}
static gboolean is_matrix (const PhValue *v)
{
  return ph_value_dtype (v) == PH_FLOAT && ph_value_rank (v) >= 2 && ph_value_dim (v, -1) > 0;
}

static gboolean
keep (Gen *gen, PhValue *value)
{
  if (value == NULL)
    return FALSE;
  if (value->type == NULL || value->type->kind != PH_KIND_TENSOR || !value->type->has_rank || value->type->rank > 5)
    return FALSE;
  if (ph_value_is_static (value) && ph_type_count (value->type) > 4096)
    return FALSE;
  g_ptr_array_add (gen->pool, value);
  return TRUE;
}

static PhTensor *
random_tensor (Gen *gen, PhDType dtype, guint rank, const gint64 *dims)
{
  static const double nice[] = { 0, 1, -1, 2, 0.5 };
  gboolean same = below (gen, 3) == 0;
  double value = nice[below (gen, G_N_ELEMENTS (nice))];
  PhTensor *tensor = ph_tensor_new (dtype, rank, dims);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      gpointer data = ph_tensor_writable (tensor);

      if (dtype == PH_BOOL)
        ph_dtype_store_int (dtype, data, i, same ? value != 0 : below (gen, 2));
      else if (ph_dtype_is_integer (dtype))
        ph_dtype_store_int (dtype, data, i, same ? fabs (floor (value)) : below (gen, 4));
      else
        ph_dtype_store (dtype, data, i, same ? value : g_rand_double_range (gen->rand, -1.5, 1.5));
    }
  return tensor;
}

/* A constant that goes with @like under broadcasting: some of its last dimensions, some of them 1, sometimes one more. */
static PhValue *
constant_like (Gen *gen, const PhValue *like)
{
  int rank = ph_value_rank (like), own = below (gen, rank + 1);
  gint64 dims[PH_MAX_RANK];

  for (int i = 0; i < own; i++)
    {
      gint64 size = ph_value_dim (like, rank - own + i);

      dims[i] = size < 0 || below (gen, 3) == 0 ? 1 : size;
    }
  if (below (gen, 12) == 0 && rank < 4)
    {
      memmove (&dims[1], &dims[0], own * sizeof *dims);
      dims[0] = 1 + below (gen, 2);
      own++;
    }
  return ph_build_tensor (&gen->b, random_tensor (gen, ph_value_dtype (like), own, dims));
}

static gboolean
unary (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);
  const PhOp *op = PICK (gen, &ph_op_Relu, &ph_op_Neg, &ph_op_Abs, &ph_op_Sigmoid, &ph_op_Tanh, &ph_op_Identity, &ph_op_LeakyRelu,
                         &ph_op_HardSigmoid, &ph_op_Softplus, &ph_op_Erf, &ph_op_Elu, &ph_op_Relu, &ph_op_Identity, &ph_op_Neg,
                         &ph_op_Dropout, &ph_op_Sin, &ph_op_Cos, &ph_op_HardSwish, &ph_op_Softsign);

  return x != NULL && keep (gen, ph_build_node (&gen->b, op, &x, 1, NULL, 1));
}

static gboolean
unary_other (Gen *gen)
{
  PhValue *x = any_of (gen, is_signed);

  if (x != NULL && below (gen, 2))
    return keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Neg, &ph_op_Abs), &x, 1, NULL, 1));
  x = any_of (gen, is_bool);
  return x != NULL && keep (gen, PH_BUILD (&gen->b, Not, x));
}

static gboolean
jump (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);

  return x != NULL && !gen->smooth &&
         keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Floor, &ph_op_Ceil, &ph_op_Round, &ph_op_Sign), &x, 1, NULL, 1));
}

/* Two of one element type, or one and a constant. */
static gboolean
operands (Gen *gen, gboolean (*fits) (const PhValue *value), PhValue **pair)
{
  pair[0] = any_of (gen, fits);
  if (pair[0] == NULL)
    return FALSE;
  if (below (gen, 3) == 0)
    pair[1] = constant_like (gen, pair[0]);
  else
    for (guint i = 0; i < 8 && pair[1] == NULL; i++)
      {
        PhValue *value = any (gen);
        const PhType *types[] = { pair[0]->type, value->type };

        if (ph_value_dtype (value) == ph_value_dtype (pair[0]) && ph_type_broadcast (value->type->dtype, types, 2) != NULL &&
            ph_value_is_static (value) == ph_value_is_static (pair[0]))
          pair[1] = value;
      }
  if (pair[1] != NULL && below (gen, 2))
    {
      PhValue *first = pair[0];

      pair[0] = pair[1];
      pair[1] = first;
    }
  return pair[1] != NULL;
}

static gboolean
binary (Gen *gen)
{
  PhValue *pair[2] = { NULL };

  return operands (gen, is_number, pair) &&
         keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Add, &ph_op_Sub, &ph_op_Mul, &ph_op_Max, &ph_op_Min, &ph_op_Sum,
                                                  &ph_op_Add, &ph_op_Mul), pair, 2, NULL, 1));
}

/* Divisors are constants away from zero: near it rounding errors grow without bound. */
static gboolean
divide (Gen *gen)
{
  PhValue *x = any_of (gen, is_float), *c;
  static const double divisors[] = { 1, 2, -1, 0.5, 3, 6, 1.4142135623730951 };

  if (x == NULL)
    return FALSE;
  c = ph_build_scalar (&gen->b, ph_value_dtype (x), divisors[below (gen, G_N_ELEMENTS (divisors))]);
  return keep (gen, PH_BUILD (&gen->b, Div, x, c));
}

static gboolean
power (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);

  return x != NULL && keep (gen, PH_BUILD (&gen->b, Pow, x, ph_build_scalar (&gen->b, ph_value_dtype (x), 1 + below (gen, 2))));
}

static gboolean
logic (Gen *gen)
{
  PhValue *pair[2] = { NULL };

  return operands (gen, is_bool, pair) &&
         keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_And, &ph_op_Or, &ph_op_Xor), pair, 2, NULL, 1));
}

static gboolean
compare (Gen *gen)
{
  PhValue *pair[2] = { NULL };

  return !gen->smooth && operands (gen, is_number, pair) &&
         keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Less, &ph_op_Greater, &ph_op_Equal, &ph_op_LessOrEqual), pair, 2, NULL, 1));
}

static gboolean
choose (Gen *gen)
{
  PhValue *pair[2] = { NULL }, *condition = any_of (gen, is_bool);

  if (!operands (gen, is_number, pair))
    return FALSE;
  if (condition == NULL || below (gen, 3) == 0)
    condition = ph_build_tensor (&gen->b, random_tensor (gen, PH_BOOL, 0, NULL));
  const PhType *types[] = { condition->type, pair[0]->type, pair[1]->type };

  if (ph_type_broadcast (PH_FLOAT, types, 3) == NULL || (!ph_value_is_static (condition) && ph_value_is_static (pair[0])))
    return FALSE;
  return keep (gen, PH_BUILD (&gen->b, Where, condition, pair[0], pair[1]));
}

static gboolean
cast (Gen *gen)
{
  static const PhDType to[] = { PH_FLOAT, PH_DOUBLE, PH_FLOAT, PH_INT32, PH_INT64, PH_UINT8, PH_BOOL, PH_FLOAT16 };
  PhValue *x = any (gen);
  PhDType dtype = to[below (gen, G_N_ELEMENTS (to))];

  /* Out of range, a cast to an integer is whatever the machine does; half precision overflows early. */
  if (ph_value_is_float (x) && !ph_dtype_is_float (dtype))
    return FALSE;
  if (gen->smooth && (dtype == PH_FLOAT16 || ph_value_dtype (x) == PH_FLOAT16))
    return FALSE;
  return keep (gen, PH_BUILD_WITH (&gen->b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), x));
}

static gboolean
transpose (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);
  gint64 perm[PH_MAX_RANK];
  int rank;

  if (x == NULL)
    return FALSE;
  rank = ph_value_rank (x);
  for (int i = 0; i < rank; i++)
    perm[i] = i;
  for (int i = rank; i > 1; i--)
    {
      int k = below (gen, i);
      gint64 last = perm[i - 1];

      perm[i - 1] = perm[k];
      perm[k] = last;
    }
  return keep (gen, PH_BUILD_WITH (&gen->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), x));
}

static gboolean
reshape (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);
  gint64 target[PH_MAX_RANK];
  int rank, n = 0;

  if (x == NULL)
    return FALSE;
  rank = ph_value_rank (x);
  /* Copies, joins neighbours, or leaves one dimension to be computed. */
  for (int i = 0; i < rank; i++)
    {
      gint64 size = ph_value_dim (x, i);

      if (size < 0)
        {
          target[n] = i == n ? 0 : -1;
          n++;
        }
      else if (n > 0 && target[n - 1] > 0 && below (gen, 3) == 0)
        target[n - 1] *= size;
      else
        {
          target[n] = size == 0 && i != n ? 1 : size;
          n++;
        }
      if (below (gen, 6) == 0)
        target[n++] = 1;
    }
  return keep (gen, PH_BUILD (&gen->b, Reshape, x, ph_build_ints (&gen->b, target, n)));
}

static gboolean
squeeze (Gen *gen)
{
  PhValue *x = any (gen);
  gint64 axis = below (gen, ph_value_rank (x) + 1);

  if (below (gen, 2))
    return keep (gen, PH_BUILD (&gen->b, Unsqueeze, x, ph_build_ints (&gen->b, &axis, 1)));
  if (ph_value_rank (x) == 0 || ph_value_dim (x, axis) != 1)
    return FALSE;
  if (below (gen, 2))
    axis -= ph_value_rank (x);
  return keep (gen, PH_BUILD (&gen->b, Squeeze, x, ph_build_ints (&gen->b, &axis, 1)));
}

static gboolean
flatten (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);

  return x != NULL && keep (gen, PH_BUILD_WITH (&gen->b, Flatten,
                                                PH_ATTRS (ph_attr_new_int ("axis", below (gen, ph_value_rank (x) + 1))), x));
}

static gboolean
concat (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked), *inputs[3] = { x };
  guint n = 1, wanted = 1 + below (gen, 3);
  int axis;

  if (x == NULL)
    return FALSE;
  axis = below (gen, ph_value_rank (x));
  for (guint tries = 0; tries < 10 && n < wanted; tries++)
    {
      PhValue *y = any (gen);
      gboolean fits = ph_value_dtype (y) == ph_value_dtype (x) && ph_value_rank (y) == ph_value_rank (x);

      for (int i = 0; fits && i < ph_value_rank (x); i++)
        fits = i == axis || ph_dim_equal (x->type->dims[i], y->type->dims[i]);
      if (fits)
        inputs[n++] = y;
    }
  return keep (gen, ph_build_node (&gen->b, &ph_op_Concat, inputs, n, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1));
}

static gboolean
split (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked), *y;
  int axis;

  if (x == NULL)
    return FALSE;
  axis = below (gen, ph_value_rank (x));
  if (ph_value_dim (x, axis) < 2)
    return FALSE;
  gint64 sizes[] = { 1, ph_value_dim (x, axis) - 1 };
  PhValue *inputs[] = { x, ph_build_ints (&gen->b, sizes, 2) };

  y = ph_build_node (&gen->b, &ph_op_Split, inputs, 2, PH_ATTRS (ph_attr_new_int ("axis", axis)), 2);
  return y != NULL && keep (gen, y) && keep (gen, ph_node_output (y->producer, 1));
}

static gboolean
slice (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);
  gint64 axis, start, end, step;

  if (x == NULL)
    return FALSE;
  axis = below (gen, ph_value_rank (x));
  start = below (gen, 3) - 1;
  end = below (gen, 2) ? G_MAXINT64 : 1 + below (gen, 5);
  step = below (gen, 5) == 0 ? 2 : 1;
  if (below (gen, 8) == 0)
    {
      start = -1;
      end = G_MININT64;
      step = -1;
    }
  if (start == -1 && step > 0 && below (gen, 2))
    start = 0;
  return keep (gen, PH_BUILD (&gen->b, Slice, x, ph_build_ints (&gen->b, &start, 1), ph_build_ints (&gen->b, &end, 1),
                              ph_build_ints (&gen->b, &axis, 1), ph_build_ints (&gen->b, &step, 1)));
}

static gboolean
pad (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);
  gint64 pads[2 * PH_MAX_RANK];
  int rank;

  if (x == NULL || (rank = ph_value_rank (x)) == 0)
    return FALSE;
  for (int i = 0; i < 2 * rank; i++)
    pads[i] = i % rank >= rank - 2 ? below (gen, 2) : 0;
  if (below (gen, 4) == 0)
    pads[2 * rank - 1] = ph_value_dim (x, -1) > 2 ? -1 : 0;
  return keep (gen, PH_BUILD (&gen->b, Pad, x, ph_build_ints (&gen->b, pads, 2 * rank)));
}

static gboolean
expand (Gen *gen)
{
  PhValue *x = any (gen);
  gint64 dims[PH_MAX_RANK];
  int rank = ph_value_rank (x);

  for (int i = 0; i < rank; i++)
    dims[i] = ph_value_dim (x, i) == 1 && below (gen, 2) ? 1 + below (gen, 3) : 1;
  return keep (gen, below (gen, 2) ? PH_BUILD (&gen->b, Expand, x, ph_build_ints (&gen->b, dims, rank))
                                   : PH_BUILD (&gen->b, Tile, x, ph_build_ints (&gen->b, dims, rank)));
}

static gboolean
gather (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);
  gint64 indices[3], size;
  int axis, n = 1 + below (gen, 3);

  if (x == NULL)
    return FALSE;
  axis = below (gen, ph_value_rank (x));
  size = ph_value_dim (x, axis);
  if (size < 1)
    return FALSE;
  indices[0] = below (gen, size);
  for (int i = 1; i < n; i++)
    indices[i] = below (gen, 2) && indices[i - 1] + 1 < size ? indices[i - 1] + 1 : below (gen, size) - (below (gen, 4) == 0 ? size : 0);
  PhValue *index = below (gen, 4) == 0 ? ph_build_scalar (&gen->b, PH_INT64, indices[0]) : ph_build_ints (&gen->b, indices, n);

  return keep (gen, PH_BUILD_WITH (&gen->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index));
}

/* What exporters write around a Reshape. */
static gboolean
shape_arithmetic (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked), *parts[2], *shape;
  gint64 zero = 0, rest = -1;

  if (x == NULL || ph_value_dim (x, 0) == 0 || (ph_value_is_static (x) && ph_type_count (x->type) == 0))
    return FALSE;
  shape = PH_BUILD (&gen->b, Shape, x);
  parts[0] = PH_BUILD (&gen->b, Gather, shape, ph_build_ints (&gen->b, &zero, 1));
  parts[1] = ph_build_ints (&gen->b, &rest, 1);
  shape = ph_build_node (&gen->b, &ph_op_Concat, parts, 2, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
  return keep (gen, PH_BUILD (&gen->b, Reshape, x, shape));
}

static gboolean
reduce (Gen *gen)
{
  PhValue *x = any_of (gen, is_float32);
  gint64 axis;

  if (x == NULL || ph_value_rank (x) == 0)
    return FALSE;
  axis = below (gen, ph_value_rank (x));
  if (ph_value_dim (x, axis) == 0)
    return FALSE;
  if (below (gen, 2))
    axis -= ph_value_rank (x);
  PhValue *inputs[] = { x, ph_build_ints (&gen->b, &axis, 1) };

  return keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_ReduceSum, &ph_op_ReduceMean, &ph_op_ReduceMax, &ph_op_ReduceMin,
                                                  &ph_op_ReduceL1),
                                   inputs, 2, PH_ATTRS (ph_attr_new_int ("keepdims", below (gen, 2))), 1));
}

static gboolean
softmax (Gen *gen)
{
  PhValue *x = any_of (gen, is_matrix);

  return x != NULL && keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Softmax, &ph_op_LogSoftmax), &x, 1,
                                                PH_ATTRS (ph_attr_new_int ("axis", below (gen, 2) - 1)), 1));
}

static gboolean
matmul (Gen *gen)
{
  PhValue *x = any_of (gen, is_matrix), *y;

  if (x == NULL)
    return FALSE;
  gint64 dims[] = { ph_value_dim (x, -1), 1 + below (gen, 4) };
  PhValue *w = ph_build_tensor (&gen->b, random_tensor (gen, PH_FLOAT, 2, dims));

  if (ph_value_rank (x) == 2 && below (gen, 3) == 0)
    y = PH_BUILD_WITH (&gen->b, Gemm, PH_ATTRS (ph_attr_new_float ("alpha", 0.5f)), x, w);
  else
    y = PH_BUILD (&gen->b, MatMul, x, w);
  if (y != NULL && below (gen, 2))
    {
      y = PH_BUILD (&gen->b, Add, y, constant_like (gen, y));
      if (y != NULL && below (gen, 2))
        y = PH_BUILD (&gen->b, Relu, y);
    }
  return keep (gen, y);
}

static gboolean
convolution (Gen *gen)
{
  PhValue *x = any_of (gen, is_image), *y;
  gint64 kernel[] = { 1 + below (gen, 3), 1 + below (gen, 3) }, pads[] = { below (gen, 2), 0, 0, below (gen, 2) };
  gint64 n, channels;

  if (x == NULL)
    return FALSE;
  n = 1 + below (gen, 3);
  channels = ph_value_dim (x, 1);
  gint64 dims[] = { n, channels, kernel[0], kernel[1] };
  PhValue *w = ph_build_tensor (&gen->b, random_tensor (gen, PH_FLOAT, 4, dims));

  y = PH_BUILD_WITH (&gen->b, Conv, PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, 2), ph_attr_new_ints ("pads", pads, 4)), x, w);
  if (y != NULL && below (gen, 2))
    {
      PhValue *inputs[5] = { y };

      for (guint i = 1; i < 5; i++)
        {
          PhTensor *t = random_tensor (gen, PH_FLOAT, 1, &n);

          for (gint64 k = 0; i == 4 && k < n; k++)
            ph_dtype_store (PH_FLOAT, ph_tensor_writable (t), k, 0.5 + fabs (ph_tensor_get (t, k)));
          inputs[i] = ph_build_tensor (&gen->b, t);
        }
      y = ph_build_node (&gen->b, &ph_op_BatchNormalization, inputs, 5, NULL, 1);
    }
  if (y != NULL && below (gen, 2))
    y = ph_build_node (&gen->b, PICK (gen, &ph_op_Relu, &ph_op_HardSwish, &ph_op_Sigmoid), &y, 1, NULL, 1);
  return keep (gen, y);
}

static gboolean
pool (Gen *gen)
{
  PhValue *x = any_of (gen, is_image);
  gint64 kernel[] = { 1 + below (gen, 2), 2 };

  if (x == NULL)
    return FALSE;
  if (below (gen, 3) == 0)
    return keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_GlobalAveragePool, &ph_op_GlobalMaxPool), &x, 1, NULL, 1));
  return keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_MaxPool, &ph_op_AveragePool), &x, 1,
                                   PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, 2)), 1));
}

/* What fusions look for, with small mutations. */
static gboolean
composite (Gen *gen)
{
  PhBuilder *b = &gen->b;
  PhValue *x = any_of (gen, is_matrix), *d, *v, *w;
  gint64 axis = below (gen, 8) ? -1 : 0;
  double half = below (gen, 6) ? 0.5 : 0.75, root = below (gen, 6) ? M_SQRT2 : 1.42;

#define S(number_) ph_build_scalar (b, PH_FLOAT, number_)
  if (x == NULL)
    return FALSE;
  switch (below (gen, 5))
    {
    case 0:
      d = PH_BUILD (b, Sub, x, PH_BUILD_WITH (b, ReduceMean, PH_ATTRS (ph_attr_new_int ("keepdims", below (gen, 8) != 0)), x,
                                              ph_build_ints (b, &axis, 1)));
      v = PH_BUILD (b, ReduceMean, PH_BUILD (b, Pow, d, S (2)), ph_build_ints (b, &axis, 1));
      d = PH_BUILD (b, Div, d, PH_BUILD (b, Sqrt, PH_BUILD (b, Add, v, S (0.01))));
      w = d != NULL ? constant_like (gen, d) : NULL;
      d = PH_BUILD (b, Mul, d, w);
      return keep (gen, d) && keep (gen, PH_BUILD (b, Add, d, constant_like (gen, d)));
    case 1:
      v = PH_BUILD (b, Add, PH_BUILD (b, Erf, PH_BUILD (b, Div, x, S (root))), S (1));
      return keep (gen, PH_BUILD (b, Mul, PH_BUILD (b, Mul, v, x), S (half)));
    case 2:
      return keep (gen, PH_BUILD (b, Mul, PH_BUILD (b, Sigmoid, x), x));
    case 3:
      v = PH_BUILD (b, Clip, PH_BUILD (b, Add, x, S (3)), S (0), S (6));
      return keep (gen, PH_BUILD (b, Div, PH_BUILD (b, Mul, x, v), S (below (gen, 6) ? 6 : 5)));
    default:
      v = PH_BUILD (b, Mul, PH_BUILD (b, MatMul, x, x->type->rank == 2 ? PH_BUILD (b, Transpose, x) : x), S (0.25));
      v = PH_BUILD (b, Softmax, v);
      return keep (gen, PH_BUILD (b, MatMul, v, x));
    }
#undef S
}

static gboolean add_node (Gen *gen);

/* Both branches give something of x's type. */
static gboolean
branch (Gen *gen)
{
  PhValue *x = any_of (gen, is_float32), *condition = any_of (gen, is_bool);
  PhNode *owner;
  static const char *const attrs[] = { "then_branch", "else_branch" };

  if (x == NULL || gen->depth > 0)
    return FALSE;
  if (condition == NULL || ph_value_rank (condition) != 0)
    condition = ph_build_tensor (&gen->b, random_tensor (gen, PH_BOOL, 0, NULL));
  owner = ph_graph_add_node (gen->b.graph, &(PhNodeSpec) { .op = &ph_op_If, .inputs = &condition, .n_inputs = 1, .n_outputs = 1,
                                                           .output_types = &x->type }, &gen->b.error);
  if (owner == NULL)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      PhGraph *body = ph_node_add_graph (owner, attrs[i], attrs[i], &gen->b.error);
      PhBuilder outer = gen->b;
      PhValue *z = x;

      if (body == NULL)
        return FALSE;
      gen->b.graph = body;
      gen->b.before = NULL;
      for (int k = 1 + below (gen, 3); k > 0; k--)
        {
          const PhOp *op = PICK (gen, &ph_op_Relu, &ph_op_Tanh, &ph_op_Neg, &ph_op_Identity, &ph_op_Abs);

          if (below (gen, 2))
            z = PH_BUILD (&gen->b, Add, z, x);
          z = ph_build_node (&gen->b, op, &z, 1, NULL, 1);
        }
      if (z != NULL)
        ph_graph_set_output (body, 0, z, &gen->b.error);
      outer.error = gen->b.error;
      gen->b = outer;
    }
  return gen->b.error == NULL && keep (gen, ph_node_output (owner, 0));
}

/* A state that changes from turn to turn, a few turns or as many as nobody says. */
static gboolean
loop (Gen *gen)
{
  PhValue *x = any_of (gen, is_float32), *inputs[3], *inside[3], *z, *goes_on;
  gint64 turns = below (gen, 4);
  PhNode *owner;
  PhGraph *body;
  PhBuilder outer;

  if (x == NULL || gen->depth > 0)
    return FALSE;
  inputs[0] = ph_build_scalar (&gen->b, PH_INT64, turns);
  inputs[1] = below (gen, 2) ? NULL : ph_build_scalar (&gen->b, PH_BOOL, 1);
  inputs[2] = x;
  owner = ph_graph_add_node (gen->b.graph, &(PhNodeSpec) { .op = &ph_op_Loop, .inputs = inputs, .n_inputs = 3, .n_outputs = 1,
                                                           .output_types = &x->type }, &gen->b.error);
  if (owner == NULL || (body = ph_node_add_graph (owner, "body", "body", &gen->b.error)) == NULL)
    return FALSE;
  inside[0] = ph_graph_add_input (body, ph_model_unique_name (gen->model, "i"), ph_type_tensor (PH_INT64, 0, NULL), NULL, G_MAXUINT, NULL);
  inside[1] = ph_graph_add_input (body, ph_model_unique_name (gen->model, "c"), ph_type_tensor (PH_BOOL, 0, NULL), NULL, G_MAXUINT, NULL);
  inside[2] = ph_graph_add_input (body, ph_model_unique_name (gen->model, "s"), x->type, NULL, G_MAXUINT, NULL);
  outer = gen->b;
  gen->b.graph = body;
  goes_on = PH_BUILD (&gen->b, Identity, inside[1]);
  z = below (gen, 2) ? PH_BUILD (&gen->b, Mul, inside[2], PH_BUILD (&gen->b, Sigmoid, x)) : PH_BUILD (&gen->b, Tanh, inside[2]);
  if (below (gen, 2))
    z = PH_BUILD (&gen->b, Add, z, PH_BUILD_WITH (&gen->b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT)), inside[0]));
  if (below (gen, 6) == 0)
    z = PH_BUILD (&gen->b, Identity, inside[2]);
  if (z != NULL && goes_on != NULL)
    {
      ph_graph_set_output (body, 0, goes_on, &gen->b.error);
      ph_graph_set_output (body, 1, z, &gen->b.error);
    }
  outer.error = gen->b.error;
  gen->b = outer;
  return gen->b.error == NULL && keep (gen, ph_node_output (owner, 0));
}

static gboolean (*const kinds[]) (Gen *gen) = {
  unary, unary, unary, unary_other, jump, binary, binary, binary, binary, divide, power, logic, compare, choose, cast, transpose,
  transpose, reshape, reshape, squeeze, flatten, concat, split, slice, pad, expand, gather, shape_arithmetic, reduce, softmax, matmul,
  matmul, convolution, convolution, pool, composite, composite, branch, loop,
};

static gboolean
add_node (Gen *gen)
{
  PhGraph *graph = gen->model->graph;
  PhNode *last = graph->last;

  if (kinds[below (gen, G_N_ELEMENTS (kinds))] (gen) && gen->b.error == NULL)
    return TRUE;
  /* What did not work out is dead code, or goes. */
  if (gen->b.error != NULL)
    {
      g_clear_error (&gen->b.error);
      while (graph->last != last && ph_graph_remove_node (graph->last, NULL))
        ;
    }
  return FALSE;
}

static void
add_input (Gen *gen, guint i)
{
  static const PhDType types[] = { PH_FLOAT, PH_FLOAT, PH_FLOAT, PH_DOUBLE, PH_INT64, PH_INT32, PH_BOOL, PH_FLOAT16, PH_UINT8 };
  static const gint64 sizes[] = { 1, 2, 3, 4, 2, 3, 0 };
  g_autofree char *name = g_strdup_printf ("x%u", i);
  PhDType dtype = types[i < 2 ? 0 : below (gen, G_N_ELEMENTS (types))];
  guint rank = i == 0 ? 2 : i == 1 ? 4 : below (gen, 5);
  gboolean symbolic = below (gen, 4) == 0;
  PhDim dims[8];

  if (gen->smooth && dtype == PH_FLOAT16)
    dtype = PH_FLOAT;
  for (guint k = 0; k < rank; k++)
    dims[k] = PH_DIM (i == 1 && k > 0 ? 3 + below (gen, 2) : sizes[below (gen, i < 2 ? 6 : G_N_ELEMENTS (sizes))]);
  if (symbolic && rank > 0)
    dims[0] = ph_dim_symbol ("N");
  g_ptr_array_add (gen->pool, ph_graph_add_input (gen->model->graph, name, ph_type_tensor (dtype, rank, dims), NULL, G_MAXUINT,
                                                  &gen->b.error));
}

PhModel *
random_graph (guint64 seed, guint n_nodes, gboolean smooth)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) seed);
  g_autoptr(GPtrArray) pool = g_ptr_array_new ();
  PhModel *model = ph_model_new ();
  Gen gen = { .rand = rand, .model = model, .pool = pool, .smooth = smooth, .b.graph = model->graph };
  guint n_outputs = 0, n_inputs = 2 + below (&gen, 3);

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  model->ir_version = 10;
  for (guint i = 0; i < n_inputs; i++)
    add_input (&gen, i);
  g_assert_no_error (gen.b.error);
  for (guint tries = 0; model->graph->n_nodes < n_nodes && tries < 10 * n_nodes; tries++)
    add_node (&gen);

  for (guint i = 0; i < pool->len; i++)
    {
      PhValue *value = g_ptr_array_index (pool, i);

      if (value->producer != NULL && (value->uses->len == 0 || below (&gen, 12) == 0) &&
          ph_model_find_value (model, value->id) == value)
        ph_graph_set_output (model->graph, n_outputs++, value, NULL);
    }
  return model;
}
