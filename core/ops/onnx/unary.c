/* unary.c: functions of one real number.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"

PH_REAL_KERNEL (exp, exp (x))
PH_REAL_KERNEL (log, log (x))
PH_REAL_KERNEL (sqrt, sqrt (x))
PH_REAL_KERNEL (reciprocal, 1 / x)
PH_REAL_KERNEL (sin, sin (x))
PH_REAL_KERNEL (cos, cos (x))
PH_REAL_KERNEL (tan, tan (x))
PH_REAL_KERNEL (asin, asin (x))
PH_REAL_KERNEL (acos, acos (x))
PH_REAL_KERNEL (atan, atan (x))
PH_REAL_KERNEL (sinh, sinh (x))
PH_REAL_KERNEL (cosh, cosh (x))
PH_REAL_KERNEL (tanh, tanh (x))
PH_REAL_KERNEL (asinh, asinh (x))
PH_REAL_KERNEL (acosh, acosh (x))
PH_REAL_KERNEL (atanh, atanh (x))
PH_REAL_KERNEL (erf, erf (x))
PH_REAL_KERNEL (ceil, ceil (x))
PH_REAL_KERNEL (floor, floor (x))
PH_REAL_KERNEL (round, rint (x)) /* halves to even: the mode that a program starts in */

PH_REAL_LOOPS (abs, fabs (x))
PH_UNARY_LOOP (abs_i64, gint64, guint64, x < 0 ? 0 - (guint64) x : (guint64) x)
PH_UNARY_LOOP (abs_u64, guint64, guint64, x)
PH_KERNEL (abs, abs_f32, abs_f64, abs_i64, abs_u64)

PH_REAL_LOOPS (sign, x > 0 ? 1 : x < 0 ? -1 : x + 0) /* of NaN: NaN; of -0: 0, as in other runtimes */
PH_UNARY_LOOP (sign_i64, gint64, gint64, (x > 0) - (x < 0))
PH_UNARY_LOOP (sign_u64, guint64, guint64, x > 0)
PH_KERNEL (sign, sign_f32, sign_f64, sign_i64, sign_u64)

#define ELEMENTWISE(since_, kernel_) .since = since_, .flags = PH_OP_ELEMENTWISE, PH_UNARY (kernel_, PH_FLOATS)
#define STEPS(since_, kernel_, types_) \
  .since = since_, .flags = PH_OP_ELEMENTWISE | PH_OP_NO_GRADIENT | PH_OP_IDEMPOTENT, PH_UNARY (kernel_, types_)
#define SQUARE(x_) P (Mul, x_, x_)

/* clang-format off */
const PhOp ph_op_Exp = {
  "Exp", ELEMENTWISE (13, exp),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Exp (x)", -1, 1 },
  .doc = "Elementwise e to the power of x.",
  .grad = { P (Mul, DY, OUT) },
};

const PhOp ph_op_Log = {
  "Log", ELEMENTWISE (13, log),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Log (x)", 0.3, 2 },
  .doc = "Elementwise natural logarithm.",
  .grad = { P (Div, DY, A) },
  .symbol = "ln",
};

const PhOp ph_op_Sqrt = {
  "Sqrt", ELEMENTWISE (13, sqrt),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Sqrt (x)", 0.3, 2 },
  .doc = "Elementwise square root; NaN for negative elements.",
  .grad = { P (Div, DY, P (Mul, NUM (2), OUT)) },
};

const PhOp ph_op_Reciprocal = {
  "Reciprocal", ELEMENTWISE (13, reciprocal),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Reciprocal (x)", 0.3, 2 },
  .doc = "Elementwise 1 / x.",
  .grad = { P (Neg, P (Mul, DY, SQUARE (OUT))) },
};

const PhOp ph_op_Sin = {
  "Sin", ELEMENTWISE (22, sin),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Sin (x)", -2, 2 },
  .doc = "Elementwise sine.",
  .grad = { P (Mul, DY, P (Cos, A)) },
};

const PhOp ph_op_Cos = {
  "Cos", ELEMENTWISE (22, cos),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Cos (x)", -2, 2 },
  .doc = "Elementwise cosine.",
  .grad = { P (Neg, P (Mul, DY, P (Sin, A))) },
};

const PhOp ph_op_Tan = {
  "Tan", ELEMENTWISE (22, tan),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Tan (x)", -1, 1 },
  .doc = "Elementwise tangent.",
  .grad = { P (Mul, DY, P (Add, NUM (1), SQUARE (OUT))) },
};

const PhOp ph_op_Asin = {
  "Asin", ELEMENTWISE (22, asin),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Asin (x)", -0.8, 0.8 },
  .doc = "Elementwise arcsine.",
  .grad = { P (Div, DY, P (Sqrt, P (Sub, NUM (1), SQUARE (A)))) },
};

const PhOp ph_op_Acos = {
  "Acos", ELEMENTWISE (22, acos),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Acos (x)", -0.8, 0.8 },
  .doc = "Elementwise arccosine.",
  .grad = { P (Neg, P (Div, DY, P (Sqrt, P (Sub, NUM (1), SQUARE (A))))) },
};

const PhOp ph_op_Atan = {
  "Atan", ELEMENTWISE (22, atan),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Atan (x)", -2, 2 },
  .doc = "Elementwise arctangent.",
  .grad = { P (Div, DY, P (Add, NUM (1), SQUARE (A))) },
};

const PhOp ph_op_Sinh = {
  "Sinh", ELEMENTWISE (22, sinh),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Sinh (x)", -2, 2 },
  .doc = "Elementwise hyperbolic sine.",
  .grad = { P (Mul, DY, P (Cosh, A)) },
};

const PhOp ph_op_Cosh = {
  "Cosh", ELEMENTWISE (22, cosh),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Cosh (x)", -2, 2 },
  .doc = "Elementwise hyperbolic cosine.",
  .grad = { P (Mul, DY, P (Sinh, A)) },
};

const PhOp ph_op_Tanh = {
  "Tanh", ELEMENTWISE (13, tanh),
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH, .example = { "x[3]", "y = Tanh (x)", -2, 2 },
  .doc = "Elementwise hyperbolic tangent.",
  .grad = { P (Mul, DY, P (Sub, NUM (1), SQUARE (OUT))) },
};

const PhOp ph_op_Asinh = {
  "Asinh", ELEMENTWISE (22, asinh),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Asinh (x)", -2, 2 },
  .doc = "Elementwise inverse hyperbolic sine.",
  .grad = { P (Div, DY, P (Sqrt, P (Add, SQUARE (A), NUM (1)))) },
};
/* clang-format on */

/* Two roots rather than one of x * x - 1, which suffers from cancellation near 1. */
/* clang-format off */
const PhOp ph_op_Acosh = {
  "Acosh", ELEMENTWISE (22, acosh),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Acosh (x)", 1.2, 3 },
  .doc = "Elementwise inverse hyperbolic cosine; NaN below 1.",
  .grad = { P (Div, DY, P (Mul, P (Sqrt, P (Sub, A, NUM (1))), P (Sqrt, P (Add, A, NUM (1))))) },
};

const PhOp ph_op_Atanh = {
  "Atanh", ELEMENTWISE (22, atanh),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3]", "y = Atanh (x)", -0.8, 0.8 },
  .doc = "Elementwise inverse hyperbolic tangent; NaN outside [-1, 1].",
  .grad = { P (Div, DY, P (Sub, NUM (1), SQUARE (A))) },
};
/* clang-format on */

/* 2 / sqrt (pi) */
/* clang-format off */
const PhOp ph_op_Erf = {
  "Erf", .since = 13, .flags = PH_OP_ELEMENTWISE, PH_UNARY (erf, PH_NUMBERS),
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH, .example = { "x[3]", "y = Erf (x)", -2, 2 },
  .doc  = "Elementwise error function, the integral of the normal distribution up to scale.",
  .grad = { P (Mul, DY, P (Mul, NUM (1.1283791670955126), P (Exp, P (Neg, SQUARE (A))))) },
};

const PhOp ph_op_Abs = {
  "Abs", .since = 13, .flags = PH_OP_ELEMENTWISE | PH_OP_IDEMPOTENT, PH_UNARY (abs, PH_NUMBERS),
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[4]", "y = Abs (x)", -2, 2 },
  .doc  = "Elementwise absolute value. Its gradient at 0 is taken as 0.",
  .grad = { P (Mul, DY, P (Sign, A)) },
};

const PhOp ph_op_Sign = {
  "Sign", STEPS (13, sign, PH_NUMBERS),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise -1, 0 or 1.",
};

const PhOp ph_op_Ceil = {
  "Ceil", STEPS (13, ceil, PH_FLOATS),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise least integer not below x.",
};

const PhOp ph_op_Floor = {
  "Floor", STEPS (13, floor, PH_FLOATS),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise greatest integer not above x.",
};

const PhOp ph_op_Round = {
  "Round", STEPS (22, round, PH_FLOATS),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Elementwise nearest integer, halves to the even one.",
};
/* clang-format on */
