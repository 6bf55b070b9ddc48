/* logic.c: comparisons, booleans, bits, and choosing between two tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"

#include <string.h>

#define BOOLEANS (PH_T (BOOL))

/* Comparisons: the loops of unsigned numbers are their own, all others read as they are. */
#define COMPARE_KERNEL(name_, expression_)                   \
  PH_BINARY_LOOP (name_##_f32, float, guint8, expression_)   \
  PH_BINARY_LOOP (name_##_f64, double, guint8, expression_)  \
  PH_BINARY_LOOP (name_##_i64, gint64, guint8, expression_)  \
  PH_BINARY_LOOP (name_##_u64, guint64, guint8, expression_) \
  PH_BINARY_LOOP (name_##_u8, guint8, guint8, expression_)   \
  PH_KERNEL (name_, name_##_f32, name_##_f64, name_##_i64, name_##_u64, name_##_u8, PH_BOOL)

COMPARE_KERNEL (equal_numbers, x == z)
COMPARE_KERNEL (greater, x > z)
COMPARE_KERNEL (less, x < z)
COMPARE_KERNEL (greater_or_equal, x >= z)
COMPARE_KERNEL (less_or_equal, x <= z)

static gboolean
equal_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1);
  gint64 dims[PH_MAX_RANK];
  guint rank;
  guint8 *out;
  PhWalk walk;

  if (ph_tensor_dtype (a) != PH_STRING)
    return equal_numbers_kernel (kernel, error);
  if (!ph_broadcast_dims (ph_tensor_rank (a), ph_tensor_dims (a), ph_tensor_rank (b), ph_tensor_dims (b), &rank, dims))
    return ph_kernel_fail (kernel, error, "the shapes of its inputs cannot be broadcast together");
  out = ph_kernel_output (kernel, 0, PH_BOOL, rank, dims, error);
  if (out == NULL)
    return FALSE;
  ph_walk_init (&walk, rank, dims);
  ph_walk_add (&walk, ph_tensor_rank (a), ph_tensor_dims (a));
  ph_walk_add (&walk, ph_tensor_rank (b), ph_tensor_dims (b));
  for (gsize i = 0; i < walk.count; i++, ph_walk_next (&walk))
    out[i] = strcmp (ph_tensor_get_string (a, walk.offset[0]), ph_tensor_get_string (b, walk.offset[1])) == 0;
  return TRUE;
}

/* Compares dimensions. A symbolic one is never negative: "batch" is not -1. */
static PhDim
dim_equal (PhDim a, PhDim b)
{
  gint64 x, z;
  gboolean known_a = ph_dim_get_int (a, &x), known_b = ph_dim_get_int (b, &z);

  if (known_a && known_b)
    return PH_DIM (x == z);
  if (ph_dim_equal (a, b))
    return PH_DIM (1);

  const char *name = known_a ? b.symbol : known_b ? a.symbol : NULL;

  if (name != NULL && (known_a ? x : z) < 0 && strpbrk (name, "+-*/( ") == NULL)
    return PH_DIM (0);
  return PH_DIM_UNKNOWN;
}

static gboolean
infer_equal (PhInfer *infer, GError **error)
{
  if (!ph_infer_compare (infer, error))
    return FALSE;
  ph_infer_dims_map (infer, dim_equal);
  return TRUE;
}

/* clang-format off */
#define COMPARISON(since_, kernel_, infer_, types_)                                                                    \
  .since = since_, .inputs = { { "A", 'T', types_ }, { "B", 'T', types_ } }, .outputs = { { "C", 0, BOOLEANS } },      \
  .infer = infer_, .kernel = kernel_##_kernel

const PhOp ph_op_Equal = {
  "Equal", COMPARISON (19, equal, infer_equal, PH_NUMBERS | BOOLEANS | PH_T (STRING)),
  .flags = PH_OP_ELEMENTWISE | PH_OP_COMMUTATIVE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc   = "Elementwise a = b; NaN equals nothing.",
  .symbol = "==",
};

const PhOp ph_op_Greater = {
  "Greater", COMPARISON (13, greater, ph_infer_compare, PH_NUMBERS), .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise a > b.",
  .symbol = ">",
};

const PhOp ph_op_Less = {
  "Less", COMPARISON (13, less, ph_infer_compare, PH_NUMBERS), .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise a < b.",
  .symbol = "<",
};

const PhOp ph_op_GreaterOrEqual = {
  "GreaterOrEqual", COMPARISON (16, greater_or_equal, ph_infer_compare, PH_NUMBERS),
  .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc   = "Elementwise a >= b.",
  .symbol = ">=",
};

const PhOp ph_op_LessOrEqual = {
  "LessOrEqual", COMPARISON (16, less_or_equal, ph_infer_compare, PH_NUMBERS),
  .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc   = "Elementwise a <= b.",
  .symbol = "<=",
};
/* clang-format on */

/* Booleans are one byte, but a careless file may hold other bytes than 0 and 1. */
PH_BINARY_LOOP (and_u8, guint8, guint8, x != 0 && z != 0)
PH_BINARY_LOOP (or_u8, guint8, guint8, x != 0 || z != 0)
PH_BINARY_LOOP (xor_u8, guint8, guint8, (x != 0) != (z != 0))
PH_UNARY_LOOP (not_u8, guint8, guint8, x == 0)
PH_KERNEL (and, .u8 = and_u8)
PH_KERNEL (or, .u8 = or_u8)
PH_KERNEL (xor, .u8 = xor_u8)
PH_KERNEL (not, .u8 = not_u8)

#define BOOLEAN_FLAGS .flags = PH_OP_ELEMENTWISE | PH_OP_COMMUTATIVE | PH_OP_NO_GRADIENT

const PhOp ph_op_And = {
  "And", .since = 7, PH_BINARY (and, BOOLEANS), BOOLEAN_FLAGS, .family = PH_FAMILY_ARITHMETIC, .doc = "Elementwise a and b."
};
const PhOp ph_op_Or
    = { "Or", .since = 7, PH_BINARY (or, BOOLEANS), BOOLEAN_FLAGS, .family = PH_FAMILY_ARITHMETIC, .doc = "Elementwise a or b." };
const PhOp ph_op_Xor = {
  "Xor", .since = 7, PH_BINARY (xor, BOOLEANS), BOOLEAN_FLAGS, .family = PH_FAMILY_ARITHMETIC, .doc = "Elementwise either a or b."
};
/* clang-format off */
const PhOp ph_op_Not = {
  "Not", .since = 1, PH_UNARY (not, BOOLEANS), .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise not x.",
};
/* clang-format on */

PH_BINARY_LOOP (bitwise_and_u64, guint64, guint64, x &z)
PH_BINARY_LOOP (bitwise_or_u64, guint64, guint64, x | z)
PH_BINARY_LOOP (bitwise_xor_u64, guint64, guint64, x ^ z)
PH_UNARY_LOOP (bitwise_not_u64, guint64, guint64, ~x)
PH_KERNEL (bitwise_and, .i64 = bitwise_and_u64, .u64 = bitwise_and_u64)
PH_KERNEL (bitwise_or, .i64 = bitwise_or_u64, .u64 = bitwise_or_u64)
PH_KERNEL (bitwise_xor, .i64 = bitwise_xor_u64, .u64 = bitwise_xor_u64)
PH_KERNEL (bitwise_not, .i64 = bitwise_not_u64, .u64 = bitwise_not_u64)

/* clang-format off */
const PhOp ph_op_BitwiseAnd = {
  "BitwiseAnd", .since = 18, PH_BINARY (bitwise_and, PH_INTEGERS), BOOLEAN_FLAGS,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise a and b, bit by bit.",
};

const PhOp ph_op_BitwiseOr = {
  "BitwiseOr", .since = 18, PH_BINARY (bitwise_or, PH_INTEGERS), BOOLEAN_FLAGS,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise a or b, bit by bit.",
};

const PhOp ph_op_BitwiseXor = {
  "BitwiseXor", .since = 18, PH_BINARY (bitwise_xor, PH_INTEGERS), BOOLEAN_FLAGS,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise either a or b, bit by bit.",
};

const PhOp ph_op_BitwiseNot = {
  "BitwiseNot", .since = 18, PH_UNARY (bitwise_not, PH_INTEGERS), .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise complement, bit by bit.",
};
/* clang-format on */

/* Each width has loops of its own: to convert bytes would take longer than to shift them. */
#define SHIFT_LOOPS(bits_)                                                                          \
  PH_BINARY_LOOP (shift_left_##bits_, guint##bits_, guint##bits_, z < bits_ ? (guint64) x << z : 0) \
  PH_BINARY_LOOP (shift_right_##bits_, guint##bits_, guint##bits_, z < bits_ ? x >> z : 0)

SHIFT_LOOPS (8)
SHIFT_LOOPS (16)
SHIFT_LOOPS (32)
SHIFT_LOOPS (64)

static gboolean
bit_shift_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoop loops[][2] = { [PH_UINT8] = { shift_left_8, shift_right_8 },
                                     [PH_UINT16] = { shift_left_16, shift_right_16 },
                                     [PH_UINT32] = { shift_left_32, shift_right_32 },
                                     [PH_UINT64] = { shift_left_64, shift_right_64 } };
  const PhDType dtype = ph_tensor_dtype (ph_kernel_input (kernel, 0));
  const gboolean is_right = ph_node_attr_string (kernel->node, "direction", "")[0] != 'L';
  const PhLoops own = { .own_type = dtype, .own = dtype < G_N_ELEMENTS (loops) ? loops[dtype][is_right] : NULL };

  return ph_elementwise_kernel (kernel, &own, NULL, error);
}

/* clang-format off */
const PhOp ph_op_BitShift = {
  "BitShift", .since = 11, PH_BINARY (bit_shift, PH_UNSIGNED), .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc   = "Elementwise shift of a by b bits, to the left or to the right.",
  .attrs = { { "direction", PH_ATTR_STRING, NULL, TRUE, "LEFT|RIGHT" } },
};
/* clang-format on */

static gboolean
infer_test (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, PH_BOOL));
  return TRUE;
}

PH_UNARY_LOOP (is_nan_f32, float, guint8, isnan (x))
PH_UNARY_LOOP (is_nan_f64, double, guint8, isnan (x))
PH_KERNEL (is_nan, is_nan_f32, is_nan_f64, .result = PH_BOOL)

PH_UNARY_LOOP (is_inf_f32, float, guint8, isinf (x) && (x > 0 ? p[0] : p[1]) != 0)
PH_UNARY_LOOP (is_inf_f64, double, guint8, isinf (x) && (x > 0 ? p[0] : p[1]) != 0)

static gboolean
is_inf_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoops loops = { is_inf_f32, is_inf_f64, .result = PH_BOOL };
  double p[] = { ph_node_attr_int (kernel->node, "detect_positive", 1), ph_node_attr_int (kernel->node, "detect_negative", 1) };

  return ph_elementwise_kernel (kernel, &loops, p, error);
}

#define FLOAT8S (PH_T (FLOAT8E4M3FN) | PH_T (FLOAT8E4M3FNUZ) | PH_T (FLOAT8E5M2) | PH_T (FLOAT8E5M2FNUZ))

/* clang-format off */
const PhOp ph_op_IsNaN = {
  "IsNaN", .since = 20, .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc    = "Elementwise, whether x is not a number.",
  .inputs = { { "X", 'T', PH_FLOATS | FLOAT8S } }, .outputs = { { "Y", 0, BOOLEANS } },
  .infer  = infer_test, .kernel = is_nan_kernel,
};

const PhOp ph_op_IsInf = {
  "IsInf", .since = 20, .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc    = "Elementwise, whether x is infinite, of a sign that is looked for.",
  .inputs = { { "X", 'T', PH_FLOATS | FLOAT8S } }, .outputs = { { "Y", 0, BOOLEANS } },
  .attrs  = { { "detect_positive", PH_ATTR_INT, "1" }, { "detect_negative", PH_ATTR_INT, "1" } },
  .infer  = infer_test, .kernel = is_inf_kernel,
};
/* clang-format on */

/* ── Where ── */

static gboolean
infer_where (PhInfer *infer, GError **error)
{
  const PhType *types[3] = { ph_infer_type (infer, 0), ph_infer_type (infer, 1), ph_infer_type (infer, 2) }, *common;
  const PhType *typed = types[1] != NULL ? types[1] : types[2];
  const PhDim *dims[3];
  int n[3], longest = 0;

  if (typed == NULL)
    return TRUE;
  for (int i = 0; i < 3; i++)
    if (types[i] == NULL || !types[i]->has_rank)
      {
        ph_infer_set (infer, 0, ph_type_unranked (typed->dtype));
        return TRUE;
      }
  common = ph_type_broadcast (typed->dtype, types, 3);
  if (common == NULL)
    {
      g_autofree char *a = ph_type_to_string (types[0]), *b = ph_type_to_string (types[1]), *c = ph_type_to_string (types[2]);

      return ph_infer_fail (infer, error, "the shapes of its inputs cannot be broadcast together: %s, %s, %s", a, b, c);
    }
  ph_infer_set (infer, 0, common);

  if (common->rank > 1)
    return TRUE;
  for (int i = 0; i < 3; i++)
    {
      n[i] = ph_infer_dims (infer, i, &dims[i]);
      if (n[i] < 0 || (n[i] > 1 && longest > 1 && n[i] != longest))
        return TRUE;
      longest = MAX (longest, n[i]);
    }
  if (n[0] == 0 || n[1] == 0 || n[2] == 0)
    longest = 0;

  g_autofree PhDim *out = g_new (PhDim, longest + 1);

  for (int i = 0; i < longest; i++)
    {
      gint64 chosen;
      PhDim yes = n[1] > 0 ? dims[1][n[1] == 1 ? 0 : i] : PH_DIM_UNKNOWN;
      PhDim no = n[2] > 0 ? dims[2][n[2] == 1 ? 0 : i] : PH_DIM_UNKNOWN;

      if (n[0] > 0 && ph_dim_get_int (dims[0][n[0] == 1 ? 0 : i], &chosen))
        out[i] = chosen ? yes : no;
      else
        out[i] = ph_dim_equal (yes, no) ? yes : PH_DIM_UNKNOWN;
    }
  ph_infer_set_dims (infer, 0, out, longest);
  return TRUE;
}

/* clang-format off */
#define CHOOSE(type_)                                                                                                  \
  {                                                                                                                    \
    type_ *to = out;                                                                                                   \
    const type_ *yes = ph_tensor_data (in[1]), *no = ph_tensor_data (in[2]);                                           \
    for (gsize i = 0; plain && i < walk.count; i++)                                                                    \
      to[i] = condition[i & step[0]] ? yes[i & step[1]] : no[i & step[2]];                                             \
    for (gsize i = 0; !plain && i < walk.count; i++, ph_walk_next (&walk))                                             \
      to[i] = condition[walk.offset[0]] ? yes[walk.offset[1]] : no[walk.offset[2]];                                    \
  }
/* clang-format on */

static gboolean
where_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *in[3] = { ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 1), ph_kernel_input (kernel, 2) };
  PhDType dtype = ph_tensor_dtype (in[1]);
  gint64 dims[PH_MAX_RANK];
  guint rank = 0;
  const guint8 *condition;
  gboolean plain = TRUE;
  gsize step[3];
  PhWalk walk;
  gpointer out;

  for (int i = 0; i < 3; i++)
    {
      gint64 so_far[PH_MAX_RANK];

      memcpy (so_far, dims, rank * sizeof *dims);
      if (!ph_broadcast_dims (rank, so_far, ph_tensor_rank (in[i]), ph_tensor_dims (in[i]), &rank, dims))
        return ph_kernel_fail (kernel, error, "the shapes of its inputs cannot be broadcast together");
    }

  out = ph_kernel_output (kernel, 0, dtype, rank, dims, error);
  if (out == NULL)
    return FALSE;
  condition = ph_tensor_data (in[0]);
  ph_walk_init (&walk, rank, dims);
  for (int i = 0; i < 3; i++)
    {
      ph_walk_add (&walk, ph_tensor_rank (in[i]), ph_tensor_dims (in[i]));
      /* Most operands have the full shape or are scalars, for which no walk is needed. */
      step[i] = ph_tensor_count (in[i]) == 1 ? 0 : G_MAXSIZE;
      plain &= ph_tensor_count (in[i]) == 1 || ph_tensor_count (in[i]) == walk.count;
    }

  if (dtype == PH_STRING)
    for (gsize i = 0; i < walk.count; i++, ph_walk_next (&walk))
      ph_tensor_set_string (kernel->outputs[0], i,
                            condition[walk.offset[0]] ? ph_tensor_get_string (in[1], walk.offset[1])
                                                      : ph_tensor_get_string (in[2], walk.offset[2]));
  else
    switch (ph_dtype_size (dtype))
      {
      case 1: CHOOSE (guint8) break;
      case 2: CHOOSE (guint16) break;
      case 4: CHOOSE (guint32) break;
      case 8: CHOOSE (guint64) break;
      default: CHOOSE (double _Complex) break;
      }
  return TRUE;
}

/* The gradient uses a mask rather than a product with 0 or 1, so that a NaN or infinity in the branch not taken stays out of it. */
/* clang-format off */
const PhOp ph_op_Where = {
  "Where", .since = 16, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[3]", "c = Greater (a, b) y = Where (c, a, b)", -1, 1 },
  .doc     = "Elementwise: x where the condition holds, else y; with broadcasting.",
  .inputs  = { { "condition", 0, BOOLEANS }, { "X", 'T', PH_ANY }, { "Y", 'T', PH_ANY } },
  .outputs = { { "output", 'T', PH_ANY } },
  .infer   = infer_where, .kernel = where_kernel, .no_grad = 1 << 0,
  .grad    = { NULL, P (Where, A, DY, NUM (0)), P (Where, A, NUM (0), DY) },
  .symbol = "where",
};
/* clang-format on */
