/* arithmetic.c: sums, products, quotients, powers, least and greatest.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"

/* Integers wrap around: they are added and multiplied as unsigned numbers, where C defines that. */
#define NUMBERS_KERNEL(name_, real_, integer_)             \
  PH_BINARY_LOOP (name_##_f32, float, float, real_)        \
  PH_BINARY_LOOP (name_##_f64, double, double, real_)      \
  PH_BINARY_LOOP (name_##_u64, guint64, guint64, integer_) \
  PH_KERNEL (name_, name_##_f32, name_##_f64, name_##_u64, name_##_u64)

NUMBERS_KERNEL (add, x + z, x + z)
NUMBERS_KERNEL (sub, x - z, x - z)
NUMBERS_KERNEL (mul, x *z, x *z)

/* Divides integers towards zero; division by zero gives 0, as in numpy. */
static inline gint64
divide (gint64 x, gint64 z)
{
  return z == 0 ? 0 : z == -1 ? (gint64) (0 - (guint64) x) : x / z;
}

PH_BINARY_LOOP (div_i32, gint32, gint32, ph_divide_i32 (x, z))
PH_BINARY_LOOP (div_f32, float, float, x / z)
PH_BINARY_LOOP (div_f64, double, double, x / z)
PH_BINARY_LOOP (div_i64, gint64, gint64, divide (x, z))
PH_BINARY_LOOP (div_u64, guint64, guint64, z == 0 ? 0 : x / z)
PH_KERNEL (div, div_f32, div_f64, div_i64, div_u64, .own_type = PH_INT32, .own = div_i32)

PH_UNARY_LOOP (neg_f32, float, float, -x)
PH_UNARY_LOOP (neg_f64, double, double, -x)
PH_UNARY_LOOP (neg_u64, guint64, guint64, 0 - x)
PH_KERNEL (neg, neg_f32, neg_f64, neg_u64, neg_u64)

/* Symbolic contents */

typedef gboolean (*Exact) (gint64 x, gint64 z, gint64 *result);

static gboolean
exact_add (gint64 x, gint64 z, gint64 *result)
{
  return !__builtin_add_overflow (x, z, result);
}

static gboolean
exact_sub (gint64 x, gint64 z, gint64 *result)
{
  return !__builtin_sub_overflow (x, z, result);
}

static gboolean
exact_mul (gint64 x, gint64 z, gint64 *result)
{
  return !__builtin_mul_overflow (x, z, result);
}

static gboolean
exact_div (gint64 x, gint64 z, gint64 *result)
{
  *result = divide (x, z);
  return z != 0;
}

static PhDim
combine (PhDim a, PhDim b, Exact exact, PhDim (*symbolic) (PhDim, PhDim))
{
  gint64 x, z, result;
  gboolean known_a = ph_dim_get_int (a, &x), known_b = ph_dim_get_int (b, &z);

  if (known_a && known_b)
    return exact (x, z, &result) ? ph_dim_from_int (result) : PH_DIM_UNKNOWN;
  return symbolic (a, b);
}

static PhDim
dim_add (PhDim a, PhDim b)
{
  gint64 number;

  if (ph_dim_get_int (b, &number) && number < 0 && number > G_MININT64)
    return combine (a, PH_DIM (-number), exact_sub, ph_dim_sub);
  if (ph_dim_get_int (a, &number) && number < 0 && number > G_MININT64)
    return combine (b, PH_DIM (-number), exact_sub, ph_dim_sub);
  return combine (a, b, exact_add, ph_dim_add);
}

static PhDim
dim_sub (PhDim a, PhDim b)
{
  gint64 number;

  if (ph_dim_get_int (b, &number) && number < 0 && number > G_MININT64)
    return combine (a, PH_DIM (-number), exact_add, ph_dim_add);
  return combine (a, b, exact_sub, ph_dim_sub);
}

static PhDim
dim_mul (PhDim a, PhDim b)
{
  return combine (a, b, exact_mul, ph_dim_mul);
}

static PhDim
dim_div (PhDim a, PhDim b)
{
  return combine (a, b, exact_div, ph_dim_div);
}

/* clang-format off */
#define INFER_WITH_CONTENTS(name_)                                                                                     \
  static gboolean infer_##name_ (PhInfer *infer, GError **error)                                                       \
  {                                                                                                                    \
    if (!ph_infer_broadcast (infer, error))                                                                            \
      return FALSE;                                                                                                    \
    ph_infer_dims_map (infer, dim_##name_);                                                                            \
    return TRUE;                                                                                                       \
  }
/* clang-format on */

INFER_WITH_CONTENTS (add)
INFER_WITH_CONTENTS (sub)
INFER_WITH_CONTENTS (mul)
INFER_WITH_CONTENTS (div)

static gboolean
infer_neg (PhInfer *infer, GError **error)
{
  const PhDim *dims;
  int n = ph_infer_dims (infer, 0, &dims);
  g_autofree PhDim *negative = n > 0 ? g_new (PhDim, n) : NULL;

  for (int i = 0; i < n; i++)
    negative[i] = dim_sub (PH_DIM (0), dims[i]);
  ph_infer_set (infer, 0, ph_infer_type (infer, 0));
  if (n > 0)
    ph_infer_set_dims (infer, 0, negative, n);
  return TRUE;
}

/* clang-format off */
#define ARITHMETIC(kernel_)                                                                                            \
  .inputs = { { "A", 'T', PH_NUMBERS }, { "B", 'T', PH_NUMBERS } }, .outputs = { { "C", 'T', PH_NUMBERS } },           \
  .infer = infer_##kernel_, .kernel = kernel_##_kernel

const PhOp ph_op_Add = {
  "Add", .since = 14, ARITHMETIC (add), .flags = PH_OP_ELEMENTWISE | PH_OP_COMMUTATIVE,
  .family = PH_FAMILY_ARITHMETIC, .motif = PH_MOTIF_SUM, .example = { "a[2,3] b[3]", "y = Add (a, b)", -1, 1 },
  .doc  = "Elementwise sum, with broadcasting.",
  .grad = { DY, DY },
  .symbol = "+",
};

const PhOp ph_op_Sub = {
  "Sub", .since = 14, ARITHMETIC (sub), .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,1,3] b[4,1]", "y = Sub (a, b)", -1, 1 },
  .doc  = "Elementwise difference, with broadcasting.",
  .grad = { DY, P (Neg, DY) },
  .symbol = "-",
};

const PhOp ph_op_Mul = {
  "Mul", .since = 14, ARITHMETIC (mul), .flags = PH_OP_ELEMENTWISE | PH_OP_COMMUTATIVE,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[2,1]", "y = Mul (a, b)", -1, 1 },
  .doc  = "Elementwise product, with broadcasting.",
  .grad = { P (Mul, DY, B), P (Mul, DY, A) },
  .symbol = "*",
};

const PhOp ph_op_Div = {
  "Div", .since = 14, ARITHMETIC (div), .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[3]", "y = Div (a, b)", 0.5, 2 },
  .doc  = "Elementwise quotient, with broadcasting; integers are divided towards zero.",
  .grad = { P (Div, DY, B), P (Neg, P (Div, P (Mul, DY, OUT), B)) },
  .symbol = "/",
};

const PhOp ph_op_Neg = {
  "Neg", .since = 13, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Neg (x)", -1, 1 },
  .doc  = "Elementwise negative.",
  .inputs = { { "X", 'T', PH_FLOATS | PH_SIGNED } }, .outputs = { { "Y", 'T', PH_FLOATS | PH_SIGNED } },
  .infer = infer_neg, .kernel = neg_kernel,
  .grad = { P (Neg, DY) },
  .symbol = "-",
};
/* clang-format on */
