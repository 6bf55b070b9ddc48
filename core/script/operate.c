/* operate.c: + - * / // % ** @ and comparisons on numbers and tensors, by the rules of Python and numpy.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/script/script-emit.h"
#include "core/script/script-operate.h"

/* ── element types ── */

/* Returns the rank of bool, integer and float in type promotion: 0, 1, 2. */
static int
category (PhDType dtype)
{
  return dtype == PH_BOOL ? 0 : ph_dtype_is_integer (dtype) ? 1 : ph_dtype_is_float (dtype) ? 2 : -1;
}

static PhDType
wider_integer (PhDType a, PhDType b)
{
  static const PhDType signed_types[] = { PH_INT8, PH_INT16, PH_INT32, PH_INT64 };
  const gsize size_a = ph_dtype_size (a), size_b = ph_dtype_size (b);

  if (ph_dtype_is_signed (a) == ph_dtype_is_signed (b))
    return size_a >= size_b ? a : b;
  /* The smallest signed type that holds both; with uint64 there is none. */
  for (guint i = 0; i < G_N_ELEMENTS (signed_types); i++)
    if (ph_dtype_size (signed_types[i]) >= (ph_dtype_is_signed (a) ? size_a : size_b)
        && ph_dtype_size (signed_types[i]) > (ph_dtype_is_signed (a) ? size_b : size_a))
      return signed_types[i];
  return PH_UNDEFINED;
}

static gboolean
gives_way (const PhScriptValue *value)
{
  return ph_script_is_number (value) || value->weak;
}

PhDType
ph_script_common_dtype (PhDType a, PhDType b)
{
  const int cat_a = category (a), cat_b = category (b);

  if (a == b)
    return a;
  if (cat_a < 0 || cat_b < 0)
    return PH_UNDEFINED;
  if (cat_a != cat_b)
    return cat_a > cat_b ? a : b;
  if (cat_a == 1)
    return wider_integer (a, b);
  return a == PH_DOUBLE || b == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
}

/* Returns the common type of two tensors or numbers; UNDEFINED: there is none. */
static PhDType
common_type (const PhScriptValue *a, const PhScriptValue *b)
{
  const PhDType dtype_a = ph_script_dtype (a), dtype_b = ph_script_dtype (b);
  const int cat_a = category (dtype_a), cat_b = category (dtype_b);

  if (dtype_a == dtype_b)
    return dtype_a;
  if (cat_a < 0 || cat_b < 0)
    return PH_UNDEFINED;
  if (gives_way (a) && gives_way (b))
    return cat_a >= cat_b ? dtype_a : dtype_b;
  if (gives_way (a) || gives_way (b))
    {
      const PhDType strong = gives_way (a) ? dtype_b : dtype_a;
      const int cat_strong = gives_way (a) ? cat_b : cat_a, cat_weak = gives_way (a) ? cat_a : cat_b;

      return cat_strong >= cat_weak ? strong : cat_weak == 2 ? PH_FLOAT : PH_INT64;
    }
  return ph_script_common_dtype (dtype_a, dtype_b);
}

/* ── tensors ── */

static PhScriptValue *
not_equal_zero (PhScriptMachine *machine, PhScriptValue *x, PhScriptValue *zero, GError **error)
{
  g_autoptr (PhScriptValue) equal = PH_EMIT (machine, Equal, error, x, zero);

  return equal != NULL ? PH_EMIT (machine, Not, error, equal) : NULL;
}

/* Computes where @rest, which has the sign of the dividend, must be corrected: it is not 0, and its sign differs from the divisor's. */
static PhScriptValue *
emit_mend (PhScriptMachine *machine, PhScriptValue *rest, PhScriptValue *b, PhScriptValue *zero, GError **error)
{
  g_autoptr (PhScriptValue) some = NULL, left = NULL, right = NULL, differ = NULL;

  if ((some = not_equal_zero (machine, rest, zero, error)) == NULL || (left = PH_EMIT (machine, Less, error, rest, zero)) == NULL
      || (right = PH_EMIT (machine, Less, error, b, zero)) == NULL
      || (differ = PH_EMIT (machine, Xor, error, left, right)) == NULL)
    return NULL;
  return PH_EMIT (machine, And, error, some, differ);
}

/* Builds the remainder with the divisor's sign, as in Python; ONNX's Mod of floats has the dividend's. */
static PhScriptValue *
emit_modulo (PhScriptMachine *machine, PhScriptValue *a, PhScriptValue *b, GError **error)
{
  g_autoptr (PhScriptValue) rest = NULL, zero = NULL, mend = NULL, sum = NULL;

  if (!ph_dtype_is_float (ph_script_dtype (a)))
    return PH_EMIT (machine, Mod, error, a, b);
  rest = PH_EMIT_WITH (machine, Mod, PH_ATTRS (ph_attr_new_int ("fmod", 1)), error, a, b);
  zero = ph_script_tensor (ph_tensor_new_scalar (ph_script_dtype (a), 0));
  if (rest == NULL || (mend = emit_mend (machine, rest, b, zero, error)) == NULL
      || (sum = PH_EMIT (machine, Add, error, rest, b)) == NULL)
    return NULL;
  return PH_EMIT (machine, Where, error, mend, sum, rest);
}

/* Floor division as in numpy: division by 0 gives an infinity, and -1 // inf is -1. @nonzero: b is known not to be 0. */
static PhScriptValue *
emit_floor_division (PhScriptMachine *machine, PhScriptValue *a, PhScriptValue *b, gboolean nonzero, GError **error)
{
  g_autoptr (PhScriptValue) rest = NULL, whole = NULL, quotient = NULL, round = NULL, zero = NULL, one = NULL, mend = NULL,
                            less = NULL, floor = NULL, none = NULL, plain = NULL;

  if (!ph_dtype_is_float (ph_script_dtype (a)))
    {
      rest = emit_modulo (machine, a, b, error);
      whole = rest != NULL ? PH_EMIT (machine, Sub, error, a, rest) : NULL;
      return whole != NULL ? PH_EMIT (machine, Div, error, whole, b) : NULL;
    }
  zero = ph_script_tensor (ph_tensor_new_scalar (ph_script_dtype (a), 0));
  one = ph_script_tensor (ph_tensor_new_scalar (ph_script_dtype (a), 1));
  rest = PH_EMIT_WITH (machine, Mod, PH_ATTRS (ph_attr_new_int ("fmod", 1)), error, a, b);
  if (rest == NULL || (whole = PH_EMIT (machine, Sub, error, a, rest)) == NULL
      || (quotient = PH_EMIT (machine, Div, error, whole, b)) == NULL
      || (round = PH_EMIT (machine, Round, error, quotient)) == NULL || (mend = emit_mend (machine, rest, b, zero, error)) == NULL
      || (less = PH_EMIT (machine, Sub, error, round, one)) == NULL
      || (floor = PH_EMIT (machine, Where, error, mend, less, round)) == NULL)
    return NULL;
  if (nonzero)
    return g_steal_pointer (&floor);
  if ((none = PH_EMIT (machine, Equal, error, b, zero)) == NULL || (plain = PH_EMIT (machine, Div, error, a, b)) == NULL)
    return NULL;
  return PH_EMIT (machine, Where, error, none, plain, floor);
}

static const PhOp *
operator_of (const char *sign)
{
  /* clang-format off */
  static const struct { const char *sign; const PhOp *op; } table[] = {
    { "+", &ph_op_Add }, { "-", &ph_op_Sub }, { "*", &ph_op_Mul }, { "/", &ph_op_Div }, { "**", &ph_op_Pow }, { "@", &ph_op_MatMul },
    { "==", &ph_op_Equal }, { "!=", &ph_op_Equal }, { "<", &ph_op_Less }, { "<=", &ph_op_LessOrEqual }, { ">", &ph_op_Greater }, { ">=", &ph_op_GreaterOrEqual },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_str_equal (sign, table[i].sign))
      return table[i].op;
  return NULL;
}

/* Returns the operator of & | ^ on bools, and bitwise on integers; + and * of bools are "or" and "and", as in numpy. */
static const PhOp *
logic_of (const char *sign, PhDType dtype)
{
  const gboolean truth = dtype == PH_BOOL;

  if (g_str_equal (sign, "&") || (truth && g_str_equal (sign, "*")))
    return truth ? &ph_op_And : &ph_op_BitwiseAnd;
  if (g_str_equal (sign, "|") || (truth && g_str_equal (sign, "+")))
    return truth ? &ph_op_Or : &ph_op_BitwiseOr;
  if (g_str_equal (sign, "^") && (truth || ph_dtype_is_integer (dtype)))
    return truth ? &ph_op_Xor : &ph_op_BitwiseXor;
  return NULL;
}

static gboolean
has_negative (const PhScriptValue *value)
{
  for (gsize i = 0; value->kind == PH_SCRIPT_TENSOR && value->tensor != NULL && i < ph_tensor_count (value->tensor); i++)
    if (ph_tensor_get (value->tensor, i) < 0)
      return TRUE;
  return FALSE;
}

/* Shifts by multiplying or dividing by powers of two, since ONNX's BitShift has no signed types. Floor division equals >> for negative
 * numbers. */
static PhScriptValue *
shift (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b, GError **error)
{
  g_autoptr (PhScriptValue) two = ph_script_int (2), power = NULL;

  if (has_negative (b) || (b->kind == PH_SCRIPT_INT && b->i < 0))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'%s' by a negative number", sign);
  power = ph_script_binary (machine, at, "**", two, b, error);
  return power != NULL ? ph_script_binary (machine, at, *sign == '<' ? "*" : "//", a, power, error) : NULL;
}

static PhScriptValue *
operate_tensors (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b, GError **error)
{
  const gboolean both_numbers = ph_script_number_kind (a) != PH_SCRIPT_NONE && ph_script_number_kind (b) != PH_SCRIPT_NONE;
  const gboolean compares = ph_script_is_comparison (sign);
  PhDType dtype = common_type (a, b);
  const PhOp *op;
  g_autoptr (PhScriptValue) left = NULL, right = NULL, result = NULL;

  if (dtype == PH_UNDEFINED)
    {
      const PhType *type_a = ph_script_type (a), *type_b = ph_script_type (b);
      g_autofree char *text_a = type_a != NULL ? ph_type_to_string (type_a) : g_strdup (ph_script_kind_name (a));
      g_autofree char *text_b = type_b != NULL ? ph_type_to_string (type_b) : g_strdup (ph_script_kind_name (b));

      return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%s %s %s: these element types do not go together", text_a, sign,
                             text_b);
    }
  /* Two arrays of literals give floats. */
  if (!both_numbers && gives_way (a) && gives_way (b) && ph_dtype_is_integer (dtype))
    dtype = PH_FLOAT;
  else if (!both_numbers && gives_way (a) && gives_way (b) && dtype == PH_DOUBLE)
    dtype = PH_FLOAT;
  if (dtype == PH_BOOL && !both_numbers && g_str_equal (sign, "-"))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "bools have no difference: use ^");
  op = logic_of (sign, both_numbers && strchr ("+*", *sign) != NULL ? PH_INT64 : dtype);
  if (op == NULL && dtype == PH_BOOL && !g_str_equal (sign, "==") && !g_str_equal (sign, "!="))
    dtype = PH_INT64;
  if ((g_str_equal (sign, "<<") || g_str_equal (sign, ">>")) && ph_dtype_is_integer (dtype))
    return shift (machine, at, sign, a, b, error);
  if (g_str_equal (sign, "/") && !ph_dtype_is_float (dtype))
    dtype = both_numbers ? PH_DOUBLE : PH_FLOAT;
  if (g_str_equal (sign, "**") && ph_dtype_is_integer (dtype) && ph_script_is_number (b) && b->kind == PH_SCRIPT_INT && b->i < 0)
    {
      if (!both_numbers)
        return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "integers have no negative powers: write float(x) ** n");
      dtype = PH_DOUBLE;
    }
  if (g_str_equal (sign, "**") && ph_dtype_is_integer (dtype) && has_negative (b))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "integers have no negative powers: write float(x) ** n");
  if ((g_str_equal (sign, "//") || g_str_equal (sign, "%")) && ph_script_is_number (b) && ph_script_number_as_double (b) == 0
      && !ph_dtype_is_float (dtype))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "integer division by zero");
  left = ph_script_cast (machine, a, dtype, error);
  right = left != NULL ? ph_script_cast (machine, b, dtype, error) : NULL;
  if (right == NULL)
    return NULL;
  if (op == NULL && g_str_equal (sign, "%"))
    result = emit_modulo (machine, left, right, error);
  else if (op == NULL && g_str_equal (sign, "//"))
    result = emit_floor_division (machine, left, right, ph_script_is_number (b) && ph_script_number_as_double (b) != 0, error);
  else if (op != NULL || (op = operator_of (sign)) != NULL)
    result = ph_script_emit1 (machine, op, NULL, error, 2, left, right);
  else
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "'%s' of tensors is not part of the language%s", sign,
                           g_str_equal (sign, "^") ? ": a power is **" : "");
  if (result != NULL && g_str_equal (sign, "!="))
    {
      g_autoptr (PhScriptValue) equal = g_steal_pointer (&result);

      result = PH_EMIT (machine, Not, error, equal);
    }
  (void) compares;
  return both_numbers ? ph_script_weak (g_steal_pointer (&result)) : g_steal_pointer (&result);
}

/* ── neither numbers nor tensors ── */

static gboolean
same_constant (const PhScriptValue *a, const PhScriptValue *b)
{
  if (a->kind == PH_SCRIPT_STRING && b->kind == PH_SCRIPT_STRING)
    return g_str_equal (a->text, b->text);
  if (a->kind == PH_SCRIPT_TUPLE && b->kind == PH_SCRIPT_TUPLE)
    {
      for (guint i = 0; i < a->n && a->n == b->n; i++)
        if (!same_constant (a->items[i], b->items[i]))
          return FALSE;
      return a->n == b->n;
    }
  if (ph_script_is_number (a) && ph_script_is_number (b))
    return ph_script_number_as_double (a) == ph_script_number_as_double (b);
  return a->kind == b->kind && a->kind == PH_SCRIPT_DTYPE ? a->i == b->i : a->kind == b->kind && a->kind == PH_SCRIPT_NONE;
}

static gboolean
is_constant (const PhScriptValue *value)
{
  if (value->kind == PH_SCRIPT_TUPLE)
    {
      for (guint i = 0; i < value->n; i++)
        if (!is_constant (value->items[i]))
          return FALSE;
      return TRUE;
    }
  return ph_script_is_number (value) || value->kind == PH_SCRIPT_STRING || value->kind == PH_SCRIPT_NONE
         || value->kind == PH_SCRIPT_DTYPE;
}

PhScriptValue *
ph_script_binary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b, GError **error)
{
  const PhPy *outer = machine->at;
  PhScriptValue *result;

  if (ph_script_is_number (a) && ph_script_is_number (b))
    return ph_script_operate_numbers (machine, at, sign, a, b, error);
  if (g_str_equal (sign, "is") || g_str_equal (sign, "is not"))
    {
      if (a->kind != PH_SCRIPT_NONE && b->kind != PH_SCRIPT_NONE)
        return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "'is' is for None here: use ==");
      return ph_script_bool ((a->kind == b->kind) == g_str_equal (sign, "is"));
    }
  if ((g_str_equal (sign, "==") || g_str_equal (sign, "!=")) && is_constant (a) && is_constant (b))
    return ph_script_bool (same_constant (a, b) == g_str_equal (sign, "=="));
  machine->at = at;
  if (ph_script_list_binary (machine, at, sign, a, b, &result, error))
    {
      machine->at = outer;
      return result;
    }
  machine->at = outer;
  if (g_str_equal (sign, "+") && a->kind == PH_SCRIPT_TUPLE && b->kind == PH_SCRIPT_TUPLE)
    {
      g_autofree PhScriptValue **items = g_new (PhScriptValue *, a->n + b->n + 1);

      for (guint i = 0; i < a->n + b->n; i++)
        items[i] = i < a->n ? a->items[i] : b->items[i - a->n];
      return ph_script_tuple (items, a->n + b->n, a->list);
    }
  /* Brackets with tensors in them, beside a tensor. */
  if ((a->kind == PH_SCRIPT_TENSOR && b->kind == PH_SCRIPT_TUPLE && b->list)
      || (b->kind == PH_SCRIPT_TENSOR && a->kind == PH_SCRIPT_TUPLE && a->list))
    {
      g_autoptr (PhScriptValue) array = ph_script_as_array (machine, a->kind == PH_SCRIPT_TUPLE ? a : b, error);

      return array == NULL ? NULL
                           : ph_script_binary (machine, at, sign, a->kind == PH_SCRIPT_TUPLE ? array : a,
                                               a->kind == PH_SCRIPT_TUPLE ? b : array, error);
    }
  for (guint i = 0; i < 2; i++)
    {
      const PhScriptValue *side = i == 0 ? a : b;

      if (!ph_script_is_number (side) && side->kind != PH_SCRIPT_TENSOR)
        return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'%s' does not take %s", sign, ph_script_kind_name (side));
    }
  machine->at = at;
  result = operate_tensors (machine, at, sign, a, b, error);
  machine->at = outer;
  return result;
}

PhScriptValue *
ph_script_unary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, GError **error)
{
  const PhPy *outer = machine->at;
  g_autoptr (PhScriptValue) strong = NULL, condition = NULL;
  PhScriptValue *result = NULL;

  if (g_str_equal (sign, "not"))
    {
      const int truth = ph_script_truth (machine, at, a, &condition, error);

      if (truth == -1)
        result = ph_script_weak (PH_EMIT (machine, Not, error, condition));
      return truth == -2 ? NULL : truth == -1 ? result : ph_script_bool (!truth);
    }
  if (ph_script_is_number (a) && *sign != '~')
    {
      if (*sign == '+')
        return a->kind == PH_SCRIPT_FLOAT ? ph_script_float (a->f) : ph_script_int (a->i);
      if (a->kind == PH_SCRIPT_FLOAT)
        return ph_script_float (-a->f);
      return a->i == G_MININT64 ? ph_script_overflow (machine, at, error) : ph_script_int (-a->i);
    }
  if (ph_script_is_number (a) && a->kind != PH_SCRIPT_FLOAT)
    return ph_script_int (~a->i);
  if (a->kind != PH_SCRIPT_TENSOR || ph_script_is_list (a))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'%s' does not take %s%s", sign,
                           ph_script_is_list (a) ? "a list" : ph_script_kind_name (a),
                           a->kind == PH_SCRIPT_TENSOR ? ": write array([...])" : "");
  machine->at = at;
  strong = a->weak && ph_script_number_kind (a) != PH_SCRIPT_NONE ? ph_script_cast (
               machine, a, *sign == '~' || ph_script_dtype (a) != PH_BOOL ? ph_script_dtype (a) : PH_INT64, error)
                                                                  : ph_script_strong (machine, a, error);
  if (strong == NULL)
    result = NULL;
  else if (*sign == '+')
    result = ph_script_value_ref (strong);
  else if (*sign == '~')
    result = ph_script_emit1 (machine, ph_script_dtype (strong) == PH_BOOL ? &ph_op_Not : &ph_op_BitwiseNot, NULL, error, 1,
                              strong);
  else if (ph_script_dtype (strong) == PH_BOOL)
    result = ph_script_fail (machine, at, error, PH_ERROR_TYPE, "bools have no negative: use ~");
  else if (ph_dtype_is_integer (ph_script_dtype (strong)) && !ph_dtype_is_signed (ph_script_dtype (strong)))
    {
      g_autoptr (PhScriptValue) zero = ph_script_int (0);

      result = PH_EMIT (machine, Sub, error, zero, strong); /* wraps around, as in numpy */
    }
  else
    result = PH_EMIT (machine, Neg, error, strong);
  machine->at = outer;
  return ph_script_number_kind (a) != PH_SCRIPT_NONE ? ph_script_weak (result) : result;
}

int
ph_script_truth (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, PhScriptValue **condition, GError **error)
{
  g_autoptr (PhScriptValue) truth = NULL;
  const PhType *type;
  gint64 n;

  *condition = NULL;
  switch (value->kind)
    {
    case PH_SCRIPT_NONE: return 0;
    case PH_SCRIPT_BOOL:
    case PH_SCRIPT_INT: return value->i != 0;
    case PH_SCRIPT_FLOAT: return value->f != 0;
    case PH_SCRIPT_STRING: return *value->text != '\0';
    case PH_SCRIPT_TUPLE: return value->n > 0;
    case PH_SCRIPT_TENSOR: break;
    default:
      ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%s is neither true nor false", ph_script_kind_name (value));
      return -2;
    }
  if (ph_script_is_list (value))
    return TRUE; /* an empty one is no tensor */
  type = ph_script_type (value);
  n = type != NULL ? ph_type_count (type) : -1;
  if ((n >= 0 && n != 1) || type == NULL || category (type->dtype) < 0)
    {
      ph_script_fail (machine, at, error, PH_ERROR_TYPE,
                      "a tensor of %" G_GINT64_FORMAT " elements is neither true nor false: write any(...) or all(...)", n);
      return -2;
    }
  if (value->tensor != NULL)
    {
      const gboolean is = ph_tensor_get (value->tensor, 0) != 0;

      if (!(value->value == NULL && machine->compiling))
        ph_script_decide (machine, at, is);
      return is;
    }
  truth = ph_script_cast (machine, value, PH_BOOL, error);
  if (truth != NULL && type->has_rank && type->rank > 0)
    {
      g_autoptr (PhScriptValue) shape = ph_script_ints (NULL, 0);
      PhScriptValue *flat = PH_EMIT (machine, Reshape, error, truth, shape);

      ph_script_value_unref (truth);
      truth = flat;
    }
  if (truth == NULL)
    return -2;
  *condition = g_steal_pointer (&truth);
  return -1;
}
