/* algebraic.c: local identities of arithmetic and logic.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* Returns the operand that the root combines with x. */
static PhValue *
other_operand (PhMatch *match)
{
  PhValue *first = ph_node_input (match->root, 0);

  return first == match->slot[0] ? ph_node_input (match->root, 1) : first;
}

/* Returns TRUE if the neutral operand broadcasts into x: [1] + zeros [3] has three elements. */
static gboolean
keeps_x (PhMatch *match)
{
  PhValue *x = match->slot[0], *unit = other_operand (match);

  return ph_match_keeps_type (match) || ph_value_rank (unit) == 0
         || (ph_value_constant (unit) != NULL && ph_tensor_count (ph_value_constant (unit)) == 1
             && ph_value_rank (unit) <= ph_value_rank (x));
}

static gboolean
is_zero_of_sign (PhMatch *match, gboolean negative)
{
  PhTensor *tensor = ph_value_constant (other_operand (match));

  if (!ph_dtype_is_float (ph_tensor_dtype (tensor)))
    return TRUE;
  for (gsize i = 0; i < (ph_tensor_is_splat (tensor) ? 1 : ph_tensor_count (tensor)); i++)
    if (!signbit (ph_tensor_get (tensor, i)) != !negative)
      return FALSE;
  return TRUE;
}

/* -0 + 0 is 0, so only -0 is the neutral element of float addition; integers have one zero. */
static gboolean
adds_exact_zero (PhMatch *match)
{
  return keeps_x (match) && is_zero_of_sign (match, TRUE);
}

static gboolean
subtracts_exact_zero (PhMatch *match)
{
  return keeps_x (match) && is_zero_of_sign (match, FALSE);
}

static gboolean
is_signed (PhMatch *match)
{
  PhDType dtype = ph_value_dtype (match->slot[0]);

  return keeps_x (match) && dtype != PH_UNDEFINED && ph_dtype_is_signed (dtype);
}

static gboolean
is_integer (PhMatch *match)
{
  return ph_dtype_is_integer (ph_value_dtype (match->slot[0]));
}

static gboolean
is_static_integer (PhMatch *match)
{
  return is_integer (match) && ph_value_is_static (ph_node_output (match->root, 0));
}

static PhValue *
build_zeros (PhMatch *match, PhBuilder *b)
{
  const PhType *type = ph_node_output (match->root, 0)->type;
  gint64 dims[PH_MAX_RANK], zero = 0;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_build_tensor (b, ph_tensor_new_splat (type->dtype, type->rank, dims, &zero));
}

/* Returns TRUE for a bool constant whose elements are all @wanted. */
static gboolean
is_truth (const PhValue *value, gboolean wanted)
{
  PhTensor *tensor = ph_value_constant (value);

  if (tensor == NULL || ph_tensor_dtype (tensor) != PH_BOOL || ph_tensor_count (tensor) == 0)
    return FALSE;
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if ((ph_tensor_get_int (tensor, i) != 0) != wanted)
      return FALSE;
  return TRUE;
}

static gboolean
other_is_true (PhMatch *match)
{
  return keeps_x (match) && is_truth (match->slot[1], TRUE);
}

static gboolean
other_is_false (PhMatch *match)
{
  return keeps_x (match) && is_truth (match->slot[1], FALSE);
}

/* Returns TRUE for a repeated idempotent operator with the same attributes and other inputs. */
static gboolean
is_repeated (PhMatch *match)
{
  const PhNode *node = match->root, *inner;
  PhValue *x = ph_node_input (node, 0);

  if (node->op == NULL || !(node->op->flags & PH_OP_IDEMPOTENT) || x == NULL || x->producer == NULL)
    return FALSE;
  inner = x->producer;
  if (inner->op != node->op || inner->attrs->len != node->attrs->len || inner->inputs->len != node->inputs->len
      || inner->graph != node->graph || x->output != 0 || node->outputs->len != 1)
    return FALSE;
  for (guint i = 1; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != ph_node_input (inner, i))
      return FALSE;
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = g_ptr_array_index (node->attrs, i), *other = ph_node_attr (inner, attr->name);

      if (other == NULL || !ph_attr_equal (attr, other))
        return FALSE;
    }
  return TRUE;
}

static PhValue *
build_inner (PhMatch *match, PhBuilder *b)
{
  return ph_node_input (match->root, 0);
}

/* clang-format off */
static const PhRule rules[] = {
  /* name               find                                       replace */
  { "add-negative-zero", P (Add, X, NUM (0)),                      X, .when = adds_exact_zero,
    .why = "Adding -0 changes nothing, and an integer has only one zero." },
  { "add-zero",         P (Add, X, NUM (0)),                       X, .when = keeps_x, .exactness = PH_EXACT_FINITE,
    .why = "Adding zero changes nothing, except that -0 + 0 is 0." },
  { "sub-zero",         P (Sub, X, NUM (0)),                       X, .when = subtracts_exact_zero,
    .why = "Subtracting zero changes nothing." },
  { "mul-one",          P (Mul, X, NUM (1)),                       X, .when = keeps_x,
    .why = "Multiplying by one changes nothing." },
  { "div-one",          P (Div, X, NUM (1)),                       X, .when = keeps_x,
    .why = "Dividing by one changes nothing." },
  { "pow-one",          P (Pow, X, NUM (1)),                       X, .when = keeps_x,
    .why = "The first power of x is x." },
  { "mul-minus-one",    P (Mul, X, NUM (-1)),                      P (Neg, X), .when = is_signed,
    .why = "Multiplying by -1 flips the sign." },
  { "sub-self",         P (Sub, X, X), .when = is_static_integer,  .build = build_zeros, .becomes = "0",
    .why = "An integer minus itself is zero. (For floats, inf - inf is NaN.)" },
  { "neg-neg",          P (Neg, P (Neg, X)),                       X, .when = ph_match_always,
    .why = "Negating a value twice restores it." },
  { "not-not",          P (Not, P (Not, X)),                       X, .when = ph_match_always,
    .why = "Two logical negations cancel." },
  { "add-neg",          P (Add, X, P (Neg, Y)),                    P (Sub, X, Y),
    .why = "Adding -y is subtracting y." },
  { "sub-neg",          P (Sub, X, P (Neg, Y)),                    P (Add, X, Y),
    .why = "Subtracting -y is adding y." },
  { "mul-neg-neg",      P (Mul, P (Neg, X), P (Neg, Y)),           P (Mul, X, Y),
    .why = "The two changes of sign cancel in the product." },
  { "abs-neg",          P (Abs, P_SHARED (Neg, X)),                P (Abs, X),
    .why = "The absolute value does not depend on the sign." },
  { "neg-sub",          P (Neg, P (Sub, X, Y)),                    P (Sub, Y, X), .exactness = PH_EXACT_FINITE,
    .why = "-(x - y) is y - x, except for the sign of a zero result." },
  { "max-self",         P (Max, X, X),                             X, .when = ph_match_always,
    .why = "The larger of x and x is x." },
  { "min-self",         P (Min, X, X),                             X, .when = ph_match_always,
    .why = "The smaller of x and x is x." },
  { "and-true",         P (And, X, CONST (1)),                     X, .matches = "And(x, true)", .when = other_is_true,
    .why = "true is the neutral element of And, so the result is x." },
  { "or-false",         P (Or, X, CONST (1)),                      X, .matches = "Or(x, false)", .when = other_is_false,
    .why = "false is the neutral element of Or, so the result is x." },
  { "xor-false",        P (Xor, X, CONST (1)),                     X, .matches = "Xor(x, false)", .when = other_is_false,
    .why = "false is the neutral element of Xor, so the result is x." },
  { "and-self",         P (And, X, X),                             X, .when = ph_match_always,
    .why = "And is idempotent: x and x is x." },
  { "or-self",          P (Or, X, X),                              X, .when = ph_match_always,
    .why = "Or is idempotent: x or x is x." },
  { "factor-integers",  P (Add, P (Mul, X, Z), P (Mul, Y, Z)),     P (Mul, P (Add, X, Y), Z), .when = is_integer,
    .why = "The distributive law saves one product; it is exact for integers, also where they wrap around." },
  { "factor-common",    P (Add, P (Mul, X, Z), P (Mul, Y, Z)),     P (Mul, P (Add, X, Y), Z), .exactness = PH_ROUNDING,
    .why = "The distributive law saves one product; rounding may differ." },
  { "idempotent",       .when = is_repeated, .build = build_inner, .matches = "f(f(x)), f one of Abs Ceil Floor Relu Round Sign",
    .becomes = "f(x)",
    .why = "The operator is idempotent: applying it a second time changes nothing." },
};

const PhPass ph_pass_algebraic = {
  .name = "algebraic", .group = "algebra", .summary = "Applies local identities of arithmetic and logic up to a fixpoint",
  .elsewhere = "XLA algebraic simplifier; TVM SimplifyExpr; MindSpore arithmetic_simplify",
  .trap = "x * 0 is NaN for inf, x - x too, and x + 0 turns -0 into 0. A unit that is larger than x enlarges the "
          "result. ArgMax(Exp(x)) is not ArgMax(x), though onnxoptimizer thinks so: where Exp overflows, several "
          "are largest.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
