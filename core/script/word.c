/* word.c: the words of the language, one list for help, completion and the reference.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/script/script-emit.h"
#include "core/script/script-operate.h"
#include "core/script/script-words.h"
#include "core/script/words.h"

/* ── numbers ── */

static PhScriptValue *
word_int (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x");
  const gint64 n = value != NULL && ph_script_type (value) != NULL ? ph_type_count (ph_script_type (value)) : 1;
  double number;

  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  if (value->number != NULL)
    value = value->number;
  if (ph_script_is_number (value) && value->kind != PH_SCRIPT_FLOAT)
    return ph_script_int (value->i);
  if (value->kind != PH_SCRIPT_FLOAT
      && (value->kind != PH_SCRIPT_TENSOR || (n >= 0 && n != 1) || ph_script_dtype (value) == PH_STRING))
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "int() wants one number");
  if (value->kind == PH_SCRIPT_TENSOR && value->tensor == NULL)
    {
      g_autoptr (PhScriptValue) shape = ph_script_ints (NULL, 0), cast = ph_script_cast (machine, value, PH_INT64, error);

      if (cast != NULL && ph_script_rank (cast) != 0)
        return ph_script_weak (PH_EMIT (machine, Reshape, error, cast, shape));
      return cast != NULL ? ph_script_weak (PH_EMIT (machine, Identity, error, cast)) : NULL;
    }
  number = value->kind == PH_SCRIPT_FLOAT ? value->f : ph_tensor_get (value->tensor, 0);
  if (!isfinite (number) || fabs (number) >= 0x1p63)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%g is not an integer", number);
  if (value->kind == PH_SCRIPT_TENSOR && !ph_dtype_is_float (ph_script_dtype (value)))
    {
      ph_script_decide (machine, args->at, ph_tensor_get_int (value->tensor, 0));
      return ph_script_int (ph_tensor_get_int (value->tensor, 0));
    }
  if (value->kind == PH_SCRIPT_TENSOR)
    ph_script_decide (machine, args->at, (gint64) number);
  return ph_script_int ((gint64) number);
}

static PhScriptValue *
word_float (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x");
  const gint64 n = value != NULL && ph_script_type (value) != NULL ? ph_type_count (ph_script_type (value)) : 1;
  gint64 bits;
  double number;

  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  if (value->kind == PH_SCRIPT_STRING)
    {
      g_autofree char *text = g_strstrip (g_strdup (value->text));
      char *end;

      number = g_ascii_strtod (text, &end);
      return end != text && *end == '\0'
                 ? ph_script_float (number)
                 : ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "'%s' is not a number", value->text);
    }
  if (ph_script_is_number (value))
    return ph_script_float (value->kind == PH_SCRIPT_FLOAT ? value->f : (double) value->i);
  if (value->kind != PH_SCRIPT_TENSOR || (n >= 0 && n != 1) || ph_script_dtype (value) == PH_STRING)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "float() wants one number");
  if (value->tensor == NULL)
    {
      g_autoptr (PhScriptValue) shape = ph_script_ints (NULL, 0), cast = ph_script_cast (machine, value, PH_DOUBLE, error);

      if (cast != NULL && ph_script_rank (cast) != 0)
        return ph_script_weak (PH_EMIT (machine, Reshape, error, cast, shape));
      return ph_script_weak (cast != NULL ? PH_EMIT (machine, Identity, error, cast) : NULL);
    }
  number = ph_tensor_get (value->tensor, 0);
  memcpy (&bits, &number, sizeof bits);
  ph_script_decide (machine, args->at, bits);
  return ph_script_float (number);
}

static PhScriptValue *
word_bool (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x");
  g_autoptr (PhScriptValue) condition = NULL;
  int truth;

  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  truth = ph_script_truth (machine, args->at, value, &condition, error);
  return truth == -2   ? NULL
         : truth == -1 ? ph_script_weak (PH_EMIT (machine, Identity, error, condition))
                       : ph_script_bool (truth);
}

static PhScriptValue *
word_item (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  const PhDType dtype = args->n == 1 ? ph_script_dtype (args->values[0]) : PH_UNDEFINED;

  if (dtype == PH_BOOL)
    return word_bool (machine, args, error);
  return ph_dtype_is_integer (dtype) ? word_int (machine, args, error) : word_float (machine, args, error);
}

static PhScriptValue *
word_abs (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x");
  g_autoptr (PhScriptValue) strong = NULL;

  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  if (value->kind == PH_SCRIPT_FLOAT)
    return ph_script_float (fabs (value->f));
  if (ph_script_is_number (value))
    return value->i == G_MININT64
               ? ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED, "this integer does not fit 64 bits")
               : ph_script_int (ABS (value->i));
  if (ph_script_number_kind (value) == PH_SCRIPT_NONE)
    return PH_EMIT (machine, Abs, error, value);
  strong = ph_script_cast (machine, value, ph_script_dtype (value) == PH_BOOL ? PH_INT64 : ph_script_dtype (value), error);
  return strong != NULL ? ph_script_weak (PH_EMIT (machine, Abs, error, strong)) : NULL;
}

static PhScriptValue *
word_round (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x"), *decimals = ph_script_arg (args, 1, "decimals");
  g_autoptr (PhScriptValue) strong = NULL, power = NULL, more = NULL, whole = NULL;

  if (!ph_script_args_done (machine, args, 1, 2, error))
    return NULL;
  if (decimals != NULL && (decimals->kind != PH_SCRIPT_INT || ABS (decimals->i) > 15))
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "round: decimals is an integer from -15 to 15");
  if (ph_script_is_number (value) && value->kind != PH_SCRIPT_FLOAT && (decimals == NULL || decimals->i >= 0))
    return ph_script_int (value->i);
  if (value->kind == PH_SCRIPT_FLOAT && decimals == NULL)
    {
      const double number = rint (value->f);

      return fabs (number) < 0x1p63 ? ph_script_int ((gint64) number)
                                    : ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%g is not an integer", number);
    }
  if (value->kind == PH_SCRIPT_FLOAT && decimals->i >= 0 && isfinite (value->f) && fabs (value->f) < 1e300)
    {
      /* Rounds the decimal digits of the number itself, like Python, rather than a product of it. */
      char format[8];
      g_autofree char *text = NULL;

      g_snprintf (format, sizeof format, "%%.%df", (int) decimals->i);
      text = ph_number_to_string (format, value->f);
      return ph_script_float (g_ascii_strtod (text, NULL));
    }
  strong = ph_script_strong (machine, value, error);
  if (strong == NULL || (!ph_dtype_is_float (ph_script_dtype (strong)) && (decimals == NULL || decimals->i >= 0)))
    return g_steal_pointer (&strong);
  if (decimals == NULL || decimals->i == 0)
    return PH_EMIT (machine, Round, error, strong);
  power = ph_script_float (pow (10, (double) decimals->i));
  more = PH_EMIT (machine, Mul, error, strong, power);
  whole = more != NULL ? PH_EMIT (machine, Round, error, more) : NULL;
  return whole != NULL ? PH_EMIT (machine, Div, error, whole, power) : NULL;
}

static PhScriptValue *
word_print (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *between = ph_script_arg (args, G_MAXUINT, "sep"), *end = ph_script_arg (args, G_MAXUINT, "end");

  if (!ph_script_args_done (machine, args, 0, G_MAXUINT, error))
    return NULL;
  if ((between != NULL && between->kind != PH_SCRIPT_STRING) || (end != NULL && end->kind != PH_SCRIPT_STRING))
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "sep and end of print are strings");
  /* Nothing is printed while a graph is compiled or traced. */
  for (guint i = 0; i < args->n && machine->out != NULL && machine->out->len < 1000000; i++)
    {
      g_autofree char *text = ph_script_is_number (args->values[i]) && args->values[i]->kind == PH_SCRIPT_INT
                                  ? g_strdup_printf ("%" G_GINT64_FORMAT, args->values[i]->i)
                                  : ph_script_value_text (args->values[i], 100);

      g_string_append_printf (machine->out, "%s%s", i == 0 ? "" : between != NULL ? between->text : " ", text);
    }
  if (machine->out != NULL && machine->out->len < 1000000)
    g_string_append (machine->out, end != NULL ? end->text : "\n");
  return ph_script_none ();
}

/* ── types and shapes ── */

static PhScriptValue *
word_astype (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhDType dtype = PH_UNDEFINED;

  if (!ph_script_take_dtype (machine, args, 1, &dtype, error) || !ph_script_args_done (machine, args, 1, 2, error))
    return NULL;
  if (dtype == PH_UNDEFINED)
    return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "astype wants an element type");
  /* A copy, even if the type is the same. */
  return ph_script_dtype (args->values[0]) == dtype && args->values[0]->kind == PH_SCRIPT_TENSOR && !args->values[0]->weak
             ? PH_EMIT (machine, Identity, error, args->values[0])
             : ph_script_cast (machine, args->values[0], dtype, error);
}

static PhScriptValue *
word_copy (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  return ph_script_is_number (args->values[0]) ? ph_script_value_ref (args->values[0])
                                               : PH_EMIT (machine, Identity, error, args->values[0]);
}

/* ── shapes ── */

static PhScriptValue *
word_reshape (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  g_autoptr (PhScriptValue) shape = args->n > 0 ? ph_script_take_shape (machine, args, 1, error) : NULL;
  PhScriptValue *result;

  if (args->n == 0)
    return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "reshape wants a tensor and a shape");
  if (shape == NULL || !ph_script_args_done (machine, args, 1, G_MAXUINT, error))
    return NULL;
  result = PH_EMIT (machine, Reshape, error, args->values[0], shape);
  if (result != NULL && args->values[0]->kind == PH_SCRIPT_TENSOR)
    result->memory = args->values[0]->memory;
  return result;
}

/* Like numpy's, gives one dimension; with an axis, like ONNX's, two. */
static PhScriptValue *
word_flatten (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x"), *axis = ph_script_arg (args, 1, "axis");
  g_autoptr (PhScriptValue) line = ph_script_ints ((gint64[]) { -1 }, 1), x = NULL;

  if (!ph_script_args_done (machine, args, 1, 2, error) || (x = ph_script_strong (machine, value, error)) == NULL)
    return NULL;
  if (axis == NULL)
    {
      PhScriptValue *flat = PH_EMIT (machine, Reshape, error, x, line);

      /* ravel(x) is a view of x, x.flatten() a copy. */
      if (flat != NULL && g_str_equal (args->name, "ravel"))
        flat->memory = x->memory;
      return flat;
    }
  if (axis->kind != PH_SCRIPT_INT)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s: an axis is a whole number", args->name);
  return PH_EMIT_WITH (machine, Flatten, PH_ATTRS (ph_attr_new_int ("axis", axis->i)), error, x);
}

static PhScriptValue *
word_transpose (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  g_autoptr (GArray) perm = g_array_new (FALSE, FALSE, sizeof (gint64));
  PhScriptValue *axes = ph_script_arg (args, G_MAXUINT, "perm"), *result;

  if (axes == NULL)
    axes = ph_script_arg (args, G_MAXUINT, "axes");
  if (args->n == 0 || !ph_script_args_done (machine, args, 1, G_MAXUINT, error))
    return args->n == 0 ? ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "transpose wants a tensor") : NULL;
  if (axes == NULL && args->n == 1)
    return ph_script_attribute (machine, args->at, args->values[0], "T", error);
  if (axes != NULL && !ph_script_arg_ints (machine, args->at, "an axis", axes, perm, error))
    return NULL;
  for (guint i = 1; axes == NULL && i < args->n; i++)
    if (!ph_script_arg_ints (machine, args->at, "an axis", args->values[i], perm, error))
      return NULL;
  result = PH_EMIT_WITH (machine, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64 *) (gpointer) perm->data, perm->len)),
                         error, args->values[0]);
  if (result != NULL && args->values[0]->kind == PH_SCRIPT_TENSOR)
    result->memory = args->values[0]->memory;
  return result;
}

/* stack ([a, b], axis=0) */
static PhScriptValue *
word_stack (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *list = ph_script_arg (args, 0, "x"), *given = ph_script_arg (args, 1, "axis"), *joined;
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  g_autoptr (GArray) axis = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (PhScriptValue) axes = NULL;

  if (!ph_script_args_done (machine, args, 1, 2, error)
      || (given != NULL && !ph_script_arg_ints (machine, args->at, "an axis", given, axis, error)))
    return NULL;
  if (list->kind != PH_SCRIPT_TUPLE || list->n == 0 || axis->len > 1)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "stack wants a list of tensors");
  axes = ph_script_ints (axis->len > 0 ? (gint64 *) (gpointer) axis->data : (gint64[]) { 0 }, 1);
  for (guint i = 0; i < list->n; i++)
    {
      PhScriptValue *row = PH_EMIT (machine, Unsqueeze, error, list->items[i], axes);

      if (row == NULL)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return ph_script_emit (machine, &ph_op_Concat, (PhScriptValue *const *) rows->pdata, rows->len,
                         PH_ATTRS (ph_attr_new_int ("axis", axis->len > 0 ? g_array_index (axis, gint64, 0) : 0)), &joined, 1,
                         error)
             ? joined
             : NULL;
}

static PhScriptValue *
word_concat (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptArgs more = *args;
  g_autofree PhScriptValue **named = g_new (PhScriptValue *, args->n_named + 2);
  g_autofree const char **names = g_new (const char *, args->n_named + 2);
  g_autoptr (PhScriptValue) zero = ph_script_int (0);
  gboolean has_axis = FALSE;

  for (guint i = 0; i < args->n_named; i++)
    {
      named[i] = args->named[i];
      names[i] = args->names[i];
      has_axis = has_axis || g_str_equal (names[i], "axis");
    }
  if (!has_axis)
    {
      named[more.n_named] = args->n == 2 && args->values[0]->kind == PH_SCRIPT_TUPLE && args->values[1]->kind == PH_SCRIPT_INT
                                ? args->values[1]
                                : zero;
      names[more.n_named++] = "axis";
      more.n = named[more.n_named - 1] != zero ? 1 : args->n;
    }
  more.named = named;
  more.names = names;
  return ph_script_call_op (machine, &ph_op_Concat, &more, error);
}

/* ── the list ── */

/* clang-format off */
static const PhScriptWord words[] = {
  { "=", "NAME = x; a, b = x; x[i] = y", "Gives a value a name; at the prompt a number that gets one is an input of the recorded graph, and a float" },
  { "+=", "NAME += x, and -= *= /= //= %= **=", "Changes a tensor in place, or sets a number anew; who shares the tensor would see it, so reading such a name is refused" },
  { "+", "a + b, and - * / // % ** @ & | ^", "Arithmetic by numpy's rules: // and % round down, / of integers is a float, @ multiplies matrices" },
  { "==", "a == b, and != < <= > >=", "Compares; a < b < c is a < b and b < c" },
  { "and", "a and b, a or b, not a", "Of one truth each; the second is not computed where the first decides" },
  { "if", "if x: ... elif y: ... else: ...; x if c else y", "Goes one way; a trace keeps the way that it went, a compiled graph has both, as an If" },
  { "for", "for NAME in range(n): ..., or in a tensor, a list", "Iterates; compiled it becomes a Loop, or, over a list, its turns one after the other" },
  { "while", "while x: ...", "Turns as long as x is true; compiled it is a Loop" },
  { "[...]", "[x for a in y if z], LIST.append(x), LIST.pop()", "Lists: of what a for gives; append, clear, extend, insert, pop and reverse change one in place" },
  { "break", "break, continue", "Leaves the loop, or this turn of it" },
  { "def", "def NAME(a, b=1): ... return x; lambda a: x", "A function; it may not call itself. Tensors that it reads from around it are constants of its graph" },
  { "x[...]", "x[1], x[-1], x[1:4:2], x[::-1], x[:, None], x[x > 2], x[[2, 0]]", "Elements: by number, slice, mask, or one array of numbers" },
  { "x.shape", "x.shape x.T x.dtype x.ndim x.size, x.sum(axis=1)", "What is known of a tensor; every word and operator can also be written after a point" },
  { "abs", "(x)", "The size of a number or of each element", word_abs },
  { "add", "(a, b)", "a + b", ph_script_word_defined },
  { "all", "(x, axis=None, keepdims=False)", "Whether all elements are true", ph_script_reduce },
  { "allclose", "(a, b, rtol=1e-05, atol=1e-08)", "Whether all elements are as good as equal", ph_script_word_defined },
  { "amax", "(x, axis=None, keepdims=False)", "The greatest element", ph_script_word_defined },
  { "amin", "(x, axis=None, keepdims=False)", "The least element", ph_script_word_defined },
  { "any", "(x, axis=None, keepdims=False)", "Whether some element is true", ph_script_reduce },
  { "append", "(x, values)", "The elements of both in a row", ph_script_word_defined },
  { "arange", "([start,] stop[, step], dtype=None)", "Numbers from start up to stop, without it", ph_script_word_arange },
  { "argmax", "(x, axis=None, keepdims=False)", "Where the greatest element is", ph_script_reduce },
  { "argmin", "(x, axis=None, keepdims=False)", "Where the least element is", ph_script_reduce },
  { "argsort", "(x, axis=-1)", "The indices that sort x, in the order of sort(x)", ph_script_word_defined },
  { "array", "(x, dtype=None)", "A tensor of numbers, or of rows of a list; array([1, 2]) is int64, array([1.0]) float32", ph_script_word_array },
  { "array_equal", "(a, b)", "Whether shapes and all elements are equal", ph_script_word_defined },
  { "astype", "(x, dtype)", "The elements as another type", word_astype },
  { "bool", "(x)", "The truth of one number", word_bool },
  { "concat", "([a, b, ...], axis=0)", "Tensors behind each other", word_concat },
  { "concatenate", "([a, b, ...], axis=0)", "concat", word_concat },
  { "copy", "(x)", "A tensor that shares nothing with x", word_copy },
  { "count", "(x, value)", "How many items of a list are equal to the value", ph_script_word_defined },
  { "count_nonzero", "(x, axis=None)", "How many elements are not 0", ph_script_word_defined },
  { "cumprod", "(x, axis=None)", "Cumulative products, each element included", ph_script_word_defined },
  { "cumsum", "(x, axis=None)", "Cumulative sums, each element included; without an axis of all elements in a row", ph_script_reduce },
  { "diag", "(x)", "The diagonal of a matrix, or a matrix with x as its diagonal", ph_script_word_defined },
  { "diff", "(x)", "Each element less the one before it, along the last axis", ph_script_word_defined },
  { "divide", "(a, b)", "a / b", ph_script_word_defined },
  { "divmod", "(a, b)", "a // b, a % b", ph_script_word_defined },
  { "empty", "(shape, dtype=float32)", "zeros", ph_script_word_defined },
  { "enumerate", "(x, start=0)", "Pairs of number and item, for `for i, v in enumerate(x)`", ph_script_word_enumerate },
  { "expm1", "(x)", "exp(x) - 1, exact near 0", ph_script_word_defined },
  { "eye", "(n, m=None, k=0, dtype=float32)", "Ones on a diagonal, k above the main one, zeros elsewhere", ph_script_word_defined },
  { "flatten", "(x, axis=None)", "The elements in a row; with an axis ONNX's Flatten, whose result has two dimensions", word_flatten },
  { "flip", "(x, axis=None)", "The elements from the end, along an axis or all", ph_script_word_defined },
  { "float", "(x)", "One number as Python's float; a trace keeps the value that it had", word_float },
  { "floor_divide", "(a, b)", "a // b", ph_script_word_defined },
  { "full", "(shape, value, dtype=None)", "A tensor of one number", ph_script_word_fill },
  { "full_like", "(x, value)", "A tensor of one number, of the shape and type of x", ph_script_word_defined },
  { "grad", "(f)", "A function: the gradient of f's result by its first argument, grad(f)(x), or by all float ones as a tuple", ph_script_word_grad },
  { "greater_equal", "(a, b)", "a >= b", ph_script_word_defined },
  { "hstack", "([a, b, ...])", "Tensors beside each other", ph_script_word_defined },
  { "index", "(x, value)", "The number of the first item of a list that is equal to the value", ph_script_word_defined },
  { "inner", "(a, b)", "The sums of products along the last axes", ph_script_word_defined },
  { "int", "(x)", "One number as Python's int; a trace keeps the value that it had", word_int },
  { "isfinite", "(x)", "Whether each element is neither infinite nor NaN", ph_script_word_defined },
  { "item", "(x)", "The one element as a number of Python's own", word_item },
  { "jvp", "(f)", "A function: jvp(f)(x, dx) is how f's result moves, where its first argument moves by dx; the arguments of f, then dx", ph_script_word_jvp },
  { "len", "(x)", "How long the first dimension, or a list, is", ph_script_word_len },
  { "less_equal", "(a, b)", "a <= b", ph_script_word_defined },
  { "linspace", "(start, stop, num=50)", "Numbers from start to stop, equally far apart", ph_script_word_defined },
  { "list", "(x)", "A list of what a for would take from x", ph_script_word_items },
  { "log10", "(x)", "The logarithm to base 10", ph_script_word_defined },
  { "log1p", "(x)", "log(1 + x), exact near 0", ph_script_word_defined },
  { "log2", "(x)", "The logarithm to base 2", ph_script_word_defined },
  { "logical_and", "(a, b)", "Whether both elements are true", ph_script_word_defined },
  { "logical_not", "(x)", "Whether each element is false", ph_script_word_defined },
  { "logical_or", "(a, b)", "Whether one of the elements is true", ph_script_word_defined },
  { "logical_xor", "(a, b)", "Whether just one of the elements is true", ph_script_word_defined },
  { "max", "(x, axis=None, keepdims=False) or (a, b)", "The greatest element; of several, element by element", ph_script_reduce },
  { "mean", "(x, axis=None, keepdims=False)", "The mean of the elements", ph_script_reduce },
  { "median", "(x, axis=None)", "The element in the middle, or the mean of the two", ph_script_word_defined },
  { "min", "(x, axis=None, keepdims=False) or (a, b)", "The least element; of several, element by element", ph_script_reduce },
  { "mod", "(a, b)", "a % b; with fmod=1 the rest that has the sign of a", ph_script_word_defined },
  { "multiply", "(a, b)", "a * b", ph_script_word_defined },
  { "norm", "(x, axis=None, keepdims=False)", "The root of the sum of squares", ph_script_word_defined },
  { "not_equal", "(a, b)", "a != b", ph_script_word_defined },
  { "ones", "(shape, dtype=float32)", "A tensor of ones", ph_script_word_fill },
  { "ones_like", "(x, dtype=None)", "Ones of the shape and type of x", ph_script_word_like },
  { "outer", "(a, b)", "All products of an element of each", ph_script_word_defined },
  { "pow", "(a, b)", "a ** b", ph_script_word_defined },
  { "power", "(a, b)", "a ** b", ph_script_word_defined },
  { "print", "(...)", "Says values, when it runs; a graph says nothing", word_print },
  { "prod", "(x, axis=None, keepdims=False)", "The product of the elements", ph_script_reduce },
  { "randn", "(shape, seed=...)", "Normal random numbers", ph_script_word_random },
  { "random", "(shape, seed=...)", "Random numbers from 0 up to 1; without a seed each call has its own", ph_script_word_random },
  { "range", "([start,] stop[, step])", "What a for counts through", ph_script_word_range },
  { "ravel", "(x)", "flatten", word_flatten },
  { "repeat", "(x, repeats, axis=None)", "Each element several times", ph_script_word_defined },
  { "reshape", "(x, shape)", "The same elements in another shape; -1 is what is left", word_reshape },
  { "reversed", "(x)", "What a for would take from x, from its end", ph_script_word_items },
  { "roll", "(x, shift, axis=None)", "The elements shifted; what falls off comes in on the other side", ph_script_word_defined },
  { "round", "(x, decimals=0)", "To so many digits after the point, halves to even; of a number of Python's own without decimals an int", word_round },
  { "sort", "(x, axis=-1)", "The elements, the least first", ph_script_word_defined },
  { "sorted", "(x)", "A list of numbers, the least first", ph_script_word_items },
  { "square", "(x)", "x * x", ph_script_word_defined },
  { "stack", "([a, b, ...], axis=0)", "Tensors of one shape along a new dimension", word_stack },
  { "std", "(x, axis=None, keepdims=False, ddof=0)", "The root of the variance", ph_script_word_defined },
  { "subtract", "(a, b)", "a - b", ph_script_word_defined },
  { "sum", "(x, axis=None, keepdims=False)", "The sum of the elements", ph_script_reduce },
  { "swapaxes", "(x, a, b)", "Two dimensions in each other's place", ph_script_word_defined },
  { "take", "(x, indices, axis=None)", "Elements, or rows along an axis, by number", ph_script_word_defined },
  { "tensor", "(x, dtype=None)", "array", ph_script_word_array },
  { "tile", "(x, reps)", "The tensor again and again, along its last dimensions and new ones in front", ph_script_word_defined },
  { "trace", "(x)", "The sum of the diagonal; in a function or file, for at the prompt it is a command", ph_script_word_defined },
  { "transpose", "(x, perm=None)", "The dimensions in another order; without one, backwards", word_transpose },
  { "tril", "(x, k=0)", "The matrix with zeros above the diagonal", ph_script_word_defined },
  { "triu", "(x, k=0)", "The matrix with zeros below the diagonal", ph_script_word_defined },
  { "trunc", "(x)", "Each number without its fraction", ph_script_word_defined },
  { "tuple", "(x)", "The same as a tuple", ph_script_word_items },
  { "var", "(x, axis=None, keepdims=False, ddof=0)", "The mean of the squared distances from the mean", ph_script_word_defined },
  { "vstack", "([a, b, ...])", "Tensors below each other", ph_script_word_defined },
  { "zeros", "(shape, dtype=float32)", "A tensor of zeros", ph_script_word_fill },
  { "zeros_like", "(x, dtype=None)", "Zeros of the shape and type of x", ph_script_word_like },
  { "zip", "(a, b, ...)", "Tuples of the items of each, as many as the shortest has", ph_script_word_zip },
};
/* clang-format on */

const PhScriptWord *
ph_script_words (guint *n)
{
  *n = G_N_ELEMENTS (words);
  return words;
}

const PhScriptWord *
ph_script_word_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (words[i].function != NULL && g_str_equal (words[i].name, name))
      return &words[i];
  return NULL;
}
