/* random-kinds.c: what models are often made of, for random ones: operators on what fits them, and what fusions look for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-gen.h"

#include <math.h>

#define PICK(gen_, ...) \
  pick_op (gen_, (const PhOp *const[]) { __VA_ARGS__ }, sizeof ((const PhOp *[]) { __VA_ARGS__ }) / sizeof (PhOp *))

static const PhOp *
pick_op (Gen *gen, const PhOp *const *ops, guint n)
{
  return ops[gen_below (gen, n)];
}

static PhValue *
any_of (Gen *gen, gboolean (*fits) (const PhValue *value))
{
  for (guint i = 0; i < 8; i++)
    {
      PhValue *value = gen_any (gen);

      if (fits (value))
        return value;
    }
  return NULL;
}

static gboolean
is_float (const PhValue *v)
{
  return ph_value_is_float (v);
}
static gboolean
is_float32 (const PhValue *v)
{
  return ph_value_dtype (v) == PH_FLOAT;
}
static gboolean
is_number (const PhValue *v)
{
  return ph_value_is_float (v) || ph_dtype_is_integer (ph_value_dtype (v));
}
static gboolean
is_signed (const PhValue *v)
{
  return is_number (v) && ph_dtype_is_signed (ph_value_dtype (v));
}
static gboolean
is_bool (const PhValue *v)
{
  return ph_value_dtype (v) == PH_BOOL;
}
static gboolean
is_ranked (const PhValue *v)
{
  return ph_value_rank (v) > 0;
}
static gboolean
is_image (const PhValue *v)
{
  return ph_value_dtype (v) == PH_FLOAT && ph_value_rank (v) == 4 && ph_value_dim (v, 1) > 0 && ph_value_dim (v, 2) >= 3
         && ph_value_dim (v, 3) >= 3;
}
static gboolean
is_matrix (const PhValue *v)
{
  return ph_value_dtype (v) == PH_FLOAT && ph_value_rank (v) >= 2 && ph_value_dim (v, -1) > 0;
}

static gboolean
unary (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);
  const PhOp *op = PICK (gen, &ph_op_Relu, &ph_op_Neg, &ph_op_Abs, &ph_op_Sigmoid, &ph_op_Tanh, &ph_op_Identity, &ph_op_LeakyRelu,
                         &ph_op_HardSigmoid, &ph_op_Softplus, &ph_op_Erf, &ph_op_Elu, &ph_op_Relu, &ph_op_Identity, &ph_op_Neg,
                         &ph_op_Dropout, &ph_op_Sin, &ph_op_Cos, &ph_op_HardSwish, &ph_op_Softsign);

  return x != NULL && gen_keep (gen, ph_build_node (&gen->b, op, &x, 1, NULL, 1));
}

static gboolean
unary_other (Gen *gen)
{
  PhValue *x = any_of (gen, is_signed);

  if (x != NULL && gen_below (gen, 2))
    return gen_keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Neg, &ph_op_Abs), &x, 1, NULL, 1));
  x = any_of (gen, is_bool);
  return x != NULL && gen_keep (gen, PH_BUILD (&gen->b, Not, x));
}

static gboolean
jump (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);

  return x != NULL && !gen->smooth
         && gen_keep (gen,
                      ph_build_node (&gen->b, PICK (gen, &ph_op_Floor, &ph_op_Ceil, &ph_op_Round, &ph_op_Sign), &x, 1, NULL, 1));
}

/* Two of one element type, or one and a constant. */
static gboolean
operands (Gen *gen, gboolean (*fits) (const PhValue *value), PhValue **pair)
{
  pair[0] = any_of (gen, fits);
  if (pair[0] == NULL)
    return FALSE;
  if (gen_below (gen, 3) == 0)
    pair[1] = gen_constant_like (gen, pair[0]);
  else
    for (guint i = 0; i < 8 && pair[1] == NULL; i++)
      {
        PhValue *value = gen_any (gen);
        const PhType *types[] = { pair[0]->type, value->type };

        if (ph_value_dtype (value) == ph_value_dtype (pair[0]) && ph_type_broadcast (value->type->dtype, types, 2) != NULL
            && ph_value_is_static (value) == ph_value_is_static (pair[0]))
          pair[1] = value;
      }
  if (pair[1] != NULL && gen_below (gen, 2))
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

  return operands (gen, is_number, pair)
         && gen_keep (gen, ph_build_node (&gen->b,
                                          PICK (gen, &ph_op_Add, &ph_op_Sub, &ph_op_Mul, &ph_op_Max, &ph_op_Min, &ph_op_Sum,
                                                &ph_op_Add, &ph_op_Mul),
                                          pair, 2, NULL, 1));
}

/* Divisors are constants away from zero: near it rounding errors grow without bound. */
static gboolean
divide (Gen *gen)
{
  PhValue *x = any_of (gen, is_float), *c;
  static const double divisors[] = { 1, 2, -1, 0.5, 3, 6, 1.4142135623730951 };

  if (x == NULL)
    return FALSE;
  c = ph_build_scalar (&gen->b, ph_value_dtype (x), divisors[gen_below (gen, G_N_ELEMENTS (divisors))]);
  return gen_keep (gen, PH_BUILD (&gen->b, Div, x, c));
}

static gboolean
power (Gen *gen)
{
  PhValue *x = any_of (gen, is_float);

  return x != NULL
         && gen_keep (gen, PH_BUILD (&gen->b, Pow, x, ph_build_scalar (&gen->b, ph_value_dtype (x), 1 + gen_below (gen, 2))));
}

static gboolean
logic (Gen *gen)
{
  PhValue *pair[2] = { NULL };

  return operands (gen, is_bool, pair)
         && gen_keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_And, &ph_op_Or, &ph_op_Xor), pair, 2, NULL, 1));
}

static gboolean
compare (Gen *gen)
{
  PhValue *pair[2] = { NULL };

  return !gen->smooth && operands (gen, is_number, pair)
         && gen_keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Less, &ph_op_Greater, &ph_op_Equal, &ph_op_LessOrEqual),
                                          pair, 2, NULL, 1));
}

static gboolean
choose (Gen *gen)
{
  PhValue *pair[2] = { NULL }, *condition = any_of (gen, is_bool);

  if (!operands (gen, is_number, pair))
    return FALSE;
  if (condition == NULL || gen_below (gen, 3) == 0)
    condition = ph_build_tensor (&gen->b, gen_tensor (gen, PH_BOOL, 0, NULL));
  const PhType *types[] = { condition->type, pair[0]->type, pair[1]->type };

  if (ph_type_broadcast (PH_FLOAT, types, 3) == NULL || (!ph_value_is_static (condition) && ph_value_is_static (pair[0])))
    return FALSE;
  return gen_keep (gen, PH_BUILD (&gen->b, Where, condition, pair[0], pair[1]));
}

static gboolean
cast (Gen *gen)
{
  static const PhDType to[] = { PH_FLOAT, PH_DOUBLE, PH_FLOAT, PH_INT32, PH_INT64, PH_UINT8, PH_BOOL, PH_FLOAT16 };
  PhValue *x = gen_any (gen);
  PhDType dtype = to[gen_below (gen, G_N_ELEMENTS (to))];

  /* Out of range, a cast to an integer is whatever the machine does; half precision overflows early. */
  if (ph_value_is_float (x) && !ph_dtype_is_float (dtype))
    return FALSE;
  if (gen->smooth && (dtype == PH_FLOAT16 || ph_value_dtype (x) == PH_FLOAT16))
    return FALSE;
  return gen_keep (gen, PH_BUILD_WITH (&gen->b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), x));
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
      int k = gen_below (gen, i);
      gint64 last = perm[i - 1];

      perm[i - 1] = perm[k];
      perm[k] = last;
    }
  return gen_keep (gen, PH_BUILD_WITH (&gen->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), x));
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
      else if (n > 0 && target[n - 1] > 0 && gen_below (gen, 3) == 0)
        target[n - 1] *= size;
      else
        {
          target[n] = size == 0 && i != n ? 1 : size;
          n++;
        }
      if (gen_below (gen, 6) == 0)
        target[n++] = 1;
    }
  return gen_keep (gen, PH_BUILD (&gen->b, Reshape, x, ph_build_ints (&gen->b, target, n)));
}

static gboolean
squeeze (Gen *gen)
{
  PhValue *x = gen_any (gen);
  gint64 axis = gen_below (gen, ph_value_rank (x) + 1);

  if (gen_below (gen, 2))
    return gen_keep (gen, PH_BUILD (&gen->b, Unsqueeze, x, ph_build_ints (&gen->b, &axis, 1)));
  if (ph_value_rank (x) == 0 || ph_value_dim (x, axis) != 1)
    return FALSE;
  if (gen_below (gen, 2))
    axis -= ph_value_rank (x);
  return gen_keep (gen, PH_BUILD (&gen->b, Squeeze, x, ph_build_ints (&gen->b, &axis, 1)));
}

static gboolean
flatten (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);

  return x != NULL
         && gen_keep (gen, PH_BUILD_WITH (&gen->b, Flatten,
                                          PH_ATTRS (ph_attr_new_int ("axis", gen_below (gen, ph_value_rank (x) + 1))), x));
}

static gboolean
concat (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked), *inputs[3] = { x };
  guint n = 1, wanted = 1 + gen_below (gen, 3);
  int axis;

  if (x == NULL)
    return FALSE;
  axis = gen_below (gen, ph_value_rank (x));
  for (guint tries = 0; tries < 10 && n < wanted; tries++)
    {
      PhValue *y = gen_any (gen);
      gboolean fits = ph_value_dtype (y) == ph_value_dtype (x) && ph_value_rank (y) == ph_value_rank (x);

      for (int i = 0; fits && i < ph_value_rank (x); i++)
        fits = i == axis || ph_dim_equal (x->type->dims[i], y->type->dims[i]);
      if (fits)
        inputs[n++] = y;
    }
  return gen_keep (gen, ph_build_node (&gen->b, &ph_op_Concat, inputs, n, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1));
}

static gboolean
split (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked), *y;
  int axis;

  if (x == NULL)
    return FALSE;
  axis = gen_below (gen, ph_value_rank (x));
  if (ph_value_dim (x, axis) < 2)
    return FALSE;
  gint64 sizes[] = { 1, ph_value_dim (x, axis) - 1 };
  PhValue *inputs[] = { x, ph_build_ints (&gen->b, sizes, 2) };

  y = ph_build_node (&gen->b, &ph_op_Split, inputs, 2, PH_ATTRS (ph_attr_new_int ("axis", axis)), 2);
  return y != NULL && gen_keep (gen, y) && gen_keep (gen, ph_node_output (y->producer, 1));
}

static gboolean
slice (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);
  gint64 axis, start, end, step;

  if (x == NULL)
    return FALSE;
  axis = gen_below (gen, ph_value_rank (x));
  start = gen_below (gen, 3) - 1;
  end = gen_below (gen, 2) ? G_MAXINT64 : 1 + gen_below (gen, 5);
  step = gen_below (gen, 5) == 0 ? 2 : 1;
  if (gen_below (gen, 8) == 0)
    {
      start = -1;
      end = G_MININT64;
      step = -1;
    }
  if (start == -1 && step > 0 && gen_below (gen, 2))
    start = 0;
  return gen_keep (gen, PH_BUILD (&gen->b, Slice, x, ph_build_ints (&gen->b, &start, 1), ph_build_ints (&gen->b, &end, 1),
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
    pads[i] = i % rank >= rank - 2 ? gen_below (gen, 2) : 0;
  if (gen_below (gen, 4) == 0)
    pads[2 * rank - 1] = ph_value_dim (x, -1) > 2 ? -1 : 0;
  return gen_keep (gen, PH_BUILD (&gen->b, Pad, x, ph_build_ints (&gen->b, pads, 2 * rank)));
}

static gboolean
expand (Gen *gen)
{
  PhValue *x = gen_any (gen);
  gint64 dims[PH_MAX_RANK];
  int rank = ph_value_rank (x);

  for (int i = 0; i < rank; i++)
    dims[i] = ph_value_dim (x, i) == 1 && gen_below (gen, 2) ? 1 + gen_below (gen, 3) : 1;
  return gen_keep (gen, gen_below (gen, 2) ? PH_BUILD (&gen->b, Expand, x, ph_build_ints (&gen->b, dims, rank))
                                           : PH_BUILD (&gen->b, Tile, x, ph_build_ints (&gen->b, dims, rank)));
}

static gboolean
gather (Gen *gen)
{
  PhValue *x = any_of (gen, is_ranked);
  gint64 indices[3], size;
  int axis, n = 1 + gen_below (gen, 3);

  if (x == NULL)
    return FALSE;
  axis = gen_below (gen, ph_value_rank (x));
  size = ph_value_dim (x, axis);
  if (size < 1)
    return FALSE;
  indices[0] = gen_below (gen, size);
  for (int i = 1; i < n; i++)
    indices[i] = gen_below (gen, 2) && indices[i - 1] + 1 < size ? indices[i - 1] + 1
                                                                 : gen_below (gen, size) - (gen_below (gen, 4) == 0 ? size : 0);
  PhValue *index = gen_below (gen, 4) == 0 ? ph_build_scalar (&gen->b, PH_INT64, indices[0])
                                           : ph_build_ints (&gen->b, indices, n);

  return gen_keep (gen, PH_BUILD_WITH (&gen->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index));
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
  return gen_keep (gen, PH_BUILD (&gen->b, Reshape, x, shape));
}

static gboolean
reduce (Gen *gen)
{
  PhValue *x = any_of (gen, is_float32);
  gint64 axis;

  if (x == NULL || ph_value_rank (x) == 0)
    return FALSE;
  axis = gen_below (gen, ph_value_rank (x));
  if (ph_value_dim (x, axis) == 0)
    return FALSE;
  if (gen_below (gen, 2))
    axis -= ph_value_rank (x);
  PhValue *inputs[] = { x, ph_build_ints (&gen->b, &axis, 1) };

  return gen_keep (
      gen, ph_build_node (&gen->b,
                          PICK (gen, &ph_op_ReduceSum, &ph_op_ReduceMean, &ph_op_ReduceMax, &ph_op_ReduceMin, &ph_op_ReduceL1),
                          inputs, 2, PH_ATTRS (ph_attr_new_int ("keepdims", gen_below (gen, 2))), 1));
}

static gboolean
softmax (Gen *gen)
{
  PhValue *x = any_of (gen, is_matrix);

  return x != NULL
         && gen_keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_Softmax, &ph_op_LogSoftmax), &x, 1,
                                          PH_ATTRS (ph_attr_new_int ("axis", gen_below (gen, 2) - 1)), 1));
}

static gboolean
matmul (Gen *gen)
{
  PhValue *x = any_of (gen, is_matrix), *y;

  if (x == NULL)
    return FALSE;
  gint64 dims[] = { ph_value_dim (x, -1), 1 + gen_below (gen, 4) };
  PhValue *w = ph_build_tensor (&gen->b, gen_tensor (gen, PH_FLOAT, 2, dims));

  if (ph_value_rank (x) == 2 && gen_below (gen, 3) == 0)
    y = PH_BUILD_WITH (&gen->b, Gemm, PH_ATTRS (ph_attr_new_float ("alpha", 0.5f)), x, w);
  else
    y = PH_BUILD (&gen->b, MatMul, x, w);
  if (y != NULL && gen_below (gen, 2))
    {
      y = PH_BUILD (&gen->b, Add, y, gen_constant_like (gen, y));
      if (y != NULL && gen_below (gen, 2))
        y = PH_BUILD (&gen->b, Relu, y);
    }
  return gen_keep (gen, y);
}

static gboolean
convolution (Gen *gen)
{
  PhValue *x = any_of (gen, is_image), *y;
  gint64 kernel[] = { 1 + gen_below (gen, 3), 1 + gen_below (gen, 3) }, pads[] = { gen_below (gen, 2), 0, 0, gen_below (gen, 2) };
  gint64 n, channels;

  if (x == NULL)
    return FALSE;
  n = 1 + gen_below (gen, 3);
  channels = ph_value_dim (x, 1);
  gint64 dims[] = { n, channels, kernel[0], kernel[1] };
  PhValue *w = ph_build_tensor (&gen->b, gen_tensor (gen, PH_FLOAT, 4, dims));

  y = PH_BUILD_WITH (&gen->b, Conv, PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, 2), ph_attr_new_ints ("pads", pads, 4)),
                     x, w);
  if (y != NULL && gen_below (gen, 2))
    {
      PhValue *inputs[5] = { y };

      for (guint i = 1; i < 5; i++)
        {
          PhTensor *t = gen_tensor (gen, PH_FLOAT, 1, &n);

          for (gint64 k = 0; i == 4 && k < n; k++)
            ph_dtype_store (PH_FLOAT, ph_tensor_writable (t), k, 0.5 + fabs (ph_tensor_get (t, k)));
          inputs[i] = ph_build_tensor (&gen->b, t);
        }
      y = ph_build_node (&gen->b, &ph_op_BatchNormalization, inputs, 5, NULL, 1);
    }
  if (y != NULL && gen_below (gen, 2))
    y = ph_build_node (&gen->b, PICK (gen, &ph_op_Relu, &ph_op_HardSwish, &ph_op_Sigmoid), &y, 1, NULL, 1);
  return gen_keep (gen, y);
}

static gboolean
pool (Gen *gen)
{
  PhValue *x = any_of (gen, is_image);
  gint64 kernel[] = { 1 + gen_below (gen, 2), 2 };

  if (x == NULL)
    return FALSE;
  if (gen_below (gen, 3) == 0)
    return gen_keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_GlobalAveragePool, &ph_op_GlobalMaxPool), &x, 1, NULL, 1));
  return gen_keep (gen, ph_build_node (&gen->b, PICK (gen, &ph_op_MaxPool, &ph_op_AveragePool), &x, 1,
                                       PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, 2)), 1));
}

/* What fusions look for, with small mutations. */
static gboolean
composite (Gen *gen)
{
  PhBuilder *b = &gen->b;
  PhValue *x = any_of (gen, is_matrix), *d, *v, *w;
  gint64 axis = gen_below (gen, 8) ? -1 : 0;
  double half = gen_below (gen, 6) ? 0.5 : 0.75, root = gen_below (gen, 6) ? M_SQRT2 : 1.42;

#define S(number_) ph_build_scalar (b, PH_FLOAT, number_)
  if (x == NULL)
    return FALSE;
  switch (gen_below (gen, 5))
    {
    case 0:
      d = PH_BUILD (b, Sub, x,
                    PH_BUILD_WITH (b, ReduceMean, PH_ATTRS (ph_attr_new_int ("keepdims", gen_below (gen, 8) != 0)), x,
                                   ph_build_ints (b, &axis, 1)));
      v = PH_BUILD (b, ReduceMean, PH_BUILD (b, Pow, d, S (2)), ph_build_ints (b, &axis, 1));
      d = PH_BUILD (b, Div, d, PH_BUILD (b, Sqrt, PH_BUILD (b, Add, v, S (0.01))));
      w = d != NULL ? gen_constant_like (gen, d) : NULL;
      d = PH_BUILD (b, Mul, d, w);
      return gen_keep (gen, d) && gen_keep (gen, PH_BUILD (b, Add, d, gen_constant_like (gen, d)));
    case 1:
      v = PH_BUILD (b, Add, PH_BUILD (b, Erf, PH_BUILD (b, Div, x, S (root))), S (1));
      return gen_keep (gen, PH_BUILD (b, Mul, PH_BUILD (b, Mul, v, x), S (half)));
    case 2: return gen_keep (gen, PH_BUILD (b, Mul, PH_BUILD (b, Sigmoid, x), x));
    case 3:
      v = PH_BUILD (b, Clip, PH_BUILD (b, Add, x, S (3)), S (0), S (6));
      return gen_keep (gen, PH_BUILD (b, Div, PH_BUILD (b, Mul, x, v), S (gen_below (gen, 6) ? 6 : 5)));
    default:
      v = PH_BUILD (b, Mul, PH_BUILD (b, MatMul, x, x->type->rank == 2 ? PH_BUILD (b, Transpose, x) : x), S (0.25));
      v = PH_BUILD (b, Softmax, v);
      return gen_keep (gen, PH_BUILD (b, MatMul, v, x));
    }
#undef S
}

/* clang-format off */
static gboolean (*const kinds[]) (Gen *gen) = {
  unary, unary, unary, unary_other, jump, binary, binary, binary, binary, divide, power, logic, compare, choose, cast, transpose,
  transpose, reshape, reshape, squeeze, flatten, concat, split, slice, pad, expand, gather, shape_arithmetic, reduce, softmax, matmul,
  matmul, convolution, convolution, pool, composite, composite,
};
/* clang-format on */

gboolean
gen_kind (Gen *gen)
{
  return kinds[gen_below (gen, G_N_ELEMENTS (kinds))](gen);
}
