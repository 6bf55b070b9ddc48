/* python-number.c: arithmetic and comparisons of Python's own numbers: 64 bits wide, an error beyond them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/script/script-operate.h"

static gboolean
power_of_ints (gint64 base, gint64 exponent, gint64 *result)
{
  for (*result = 1; exponent > 0; exponent >>= 1)
    {
      if ((exponent & 1) != 0 && __builtin_mul_overflow (*result, base, result))
        return FALSE;
      if (exponent > 1 && __builtin_mul_overflow (base, base, &base))
        return FALSE;
    }
  return TRUE;
}

static double
modulo (double a, double b)
{
  double rest = fmod (a, b);

  return rest == 0 ? copysign (0, b) : (rest < 0) != (b < 0) ? rest + b : rest;
}

static double
floor_divide (double a, double b)
{
  const double rest = fmod (a, b), quotient = rint ((a - rest) / b);

  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}

PhScriptValue *
ph_script_overflow (PhScriptMachine *machine, const PhPy *at, GError **error)
{
  return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "this integer does not fit 64 bits");
}

static PhScriptValue *
operate_ints (PhScriptMachine *machine, const PhPy *at, const char *sign, gint64 a, gint64 b, GError **error)
{
  gint64 result = 0;
  gboolean fits = TRUE;

  if ((g_str_equal (sign, "//") || g_str_equal (sign, "%")) && b == 0)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "integer division by zero");
  if (g_str_equal (sign, "+"))
    fits = !__builtin_add_overflow (a, b, &result);
  else if (g_str_equal (sign, "-"))
    fits = !__builtin_sub_overflow (a, b, &result);
  else if (g_str_equal (sign, "*"))
    fits = !__builtin_mul_overflow (a, b, &result);
  else if (g_str_equal (sign, "//"))
    {
      fits = !(a == G_MININT64 && b == -1);
      if (fits)
        result = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    }
  else if (g_str_equal (sign, "%"))
    {
      result = b == -1 ? 0 : a % b;
      if (result != 0 && (result < 0) != (b < 0))
        result += b;
    }
  else if (g_str_equal (sign, "**"))
    {
      if (b < 0)
        return ph_script_float (pow ((double) a, (double) b));
      fits = power_of_ints (a, b, &result);
    }
  else if (g_str_equal (sign, "&"))
    result = a & b;
  else if (g_str_equal (sign, "|"))
    result = a | b;
  else if (g_str_equal (sign, "^"))
    result = a ^ b;
  else if (g_str_equal (sign, "<<") && b >= 0 && b < 63)
    fits = !__builtin_mul_overflow (a, G_GINT64_CONSTANT (1) << b, &result);
  else if (g_str_equal (sign, ">>") && b >= 0)
    result = a >> MIN (b, 63);
  else
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "'%s' is not part of the language", sign);
  return fits ? ph_script_int (result) : ph_script_overflow (machine, at, error);
}

double
ph_script_number_as_double (const PhScriptValue *value)
{
  return value->kind == PH_SCRIPT_FLOAT ? value->f : (double) value->i;
}

static PhScriptValue *
operate_floats (PhScriptMachine *machine, const PhPy *at, const char *sign, double a, double b, GError **error)
{
  if (strchr ("/%", *sign) != NULL && b == 0)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "division by zero");
  if (g_str_equal (sign, "+"))
    return ph_script_float (a + b);
  if (g_str_equal (sign, "-"))
    return ph_script_float (a - b);
  if (g_str_equal (sign, "*"))
    return ph_script_float (a * b);
  if (g_str_equal (sign, "/"))
    return ph_script_float (a / b);
  if (g_str_equal (sign, "//"))
    return ph_script_float (floor_divide (a, b));
  if (g_str_equal (sign, "%"))
    return ph_script_float (modulo (a, b));
  if (g_str_equal (sign, "**"))
    {
      if (a < 0 && b != floor (b))
        return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                               "a negative number to a fraction is complex, which is not part of the language");
      return ph_script_float (pow (a, b));
    }
  return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'%s' is not for floats%s", sign,
                         g_str_equal (sign, "^") ? ": a power is **" : "");
}

gboolean
ph_script_is_comparison (const char *sign)
{
  return g_str_equal (sign, "==") || g_str_equal (sign, "!=") || g_str_equal (sign, "<") || g_str_equal (sign, ">")
         || g_str_equal (sign, "<=") || g_str_equal (sign, ">=");
}

static PhScriptValue *
compare_numbers (const char *sign, const PhScriptValue *a, const PhScriptValue *b)
{
  const gboolean ints = a->kind != PH_SCRIPT_FLOAT && b->kind != PH_SCRIPT_FLOAT;
  const double x = ph_script_number_as_double (a), y = ph_script_number_as_double (b);
  const gboolean less = ints ? a->i < b->i : x < y, equal = ints ? a->i == b->i : x == y, greater = ints ? a->i > b->i : x > y;

  if (*sign == '=')
    return ph_script_bool (equal);
  if (*sign == '!')
    return ph_script_bool (!equal);
  if (*sign == '<')
    return ph_script_bool (less || (sign[1] == '=' && equal));
  return ph_script_bool (greater || (sign[1] == '=' && equal));
}

PhScriptValue *
ph_script_operate_numbers (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b,
                           GError **error)
{
  if (ph_script_is_comparison (sign))
    return compare_numbers (sign, a, b);
  if (a->kind == PH_SCRIPT_BOOL && b->kind == PH_SCRIPT_BOOL && strchr ("&|^", *sign) != NULL)
    return ph_script_bool (*sign == '&' ? a->i & b->i : *sign == '|' ? a->i | b->i : a->i ^ b->i);
  if (a->kind == PH_SCRIPT_FLOAT || b->kind == PH_SCRIPT_FLOAT || g_str_equal (sign, "/"))
    return operate_floats (machine, at, sign, ph_script_number_as_double (a), ph_script_number_as_double (b), error);
  return operate_ints (machine, at, sign, a->i, b->i, error);
}
