/* expression.c: tensor expressions, computed and recorded as they are parsed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/console/trace.h"

/* Lowest first:  == != < <= > >=   + -   * / @ %   unary -   ** ^   x[...] f(...) */
typedef struct
{
  PhCall     *call;
  const char *text, *at;
  guint       depth;
} Parser;

#define MAX_DEPTH 200
#define MAX_ARGUMENTS 32

static gboolean parse_expression (Parser *parser, PhOperand *out, GError **error);

static gboolean
parse_error (Parser *parser, GError **error, const char *what)
{
  /* What is before and behind the place, of a line that may be a megabyte. */
  const char *from = parser->at - MIN ((gsize) (parser->at - parser->text), 60), *to = parser->at + strnlen (parser->at, 60);

  while (from > parser->text && (*from & 0xc0) == 0x80)
    from--;
  while ((*to & 0xc0) == 0x80)
    to++;
  g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "1:%u: %s in '%s%.*s%s'", (guint) (parser->at - parser->text) + 1, what,
               from > parser->text ? "…" : "", (int) (to - from), from, *to != '\0' ? "…" : "");
  return FALSE;
}

static void
skip_blanks (Parser *parser)
{
  while (g_ascii_isspace (*parser->at))
    parser->at++;
}

static gboolean
accept (Parser *parser, const char *token)
{
  skip_blanks (parser);
  if (!g_str_has_prefix (parser->at, token))
    return FALSE;
  parser->at += strlen (token);
  return TRUE;
}

static gboolean
at_name (Parser *parser)
{
  skip_blanks (parser);
  return g_ascii_isalpha (*parser->at) || *parser->at == '_';
}

static char *
take_name (Parser *parser)
{
  const char *start = parser->at;

  while (g_ascii_isalnum (*parser->at) || *parser->at == '_' || *parser->at == '.' || *parser->at == ':')
    parser->at++;
  return g_strndup (start, (gsize) (parser->at - start));
}

/* ── operators ── */

static gboolean
apply_named (Parser *parser, const char *name, PhOperand *inputs, guint n, PhAttr **attrs, PhOperand *out, GError **error)
{
  const PhOp *op = ph_op_find ("", name);

  if (op == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "this build has no operator %s", name);
      return FALSE;
    }
  return ph_trace_apply (parser->call, op, inputs, n, attrs, out, error);
}

/* Two literals make a literal: 2*3 needs no graph. */
static gboolean
fold_literals (const char *token, const PhOperand *a, const PhOperand *b, PhOperand *out)
{
  double x, y, z;
  gboolean integer;

  if (!a->weak || !b->weak || a->value != NULL || b->value != NULL || ph_tensor_rank (a->tensor) > 0 || ph_tensor_rank (b->tensor) > 0 ||
      ph_tensor_dtype (a->tensor) == PH_STRING || ph_tensor_dtype (b->tensor) == PH_STRING)
    return FALSE;
  x = ph_tensor_get (a->tensor, 0);
  y = ph_tensor_get (b->tensor, 0);
  switch (*token)
    {
    case '+':
      z = x + y;
      break;
    case '-':
      z = x - y;
      break;
    case '/':
      z = x / y;
      break;
    case '*':
      z = token[1] == '*' ? pow (x, y) : x * y;
      break;
    case '^':
      z = pow (x, y);
      break;
    default:
      return FALSE;
    }
  integer = ph_tensor_dtype (a->tensor) == PH_INT64 && ph_tensor_dtype (b->tensor) == PH_INT64 && z == floor (z) && fabs (z) < 0x1p53;
  *out = (PhOperand) { NULL, ph_tensor_new_scalar (integer ? PH_INT64 : PH_DOUBLE, z), TRUE };
  return TRUE;
}

static gboolean
binary (Parser *parser, const char *token, const char *name, PhOperand *a, PhOperand *b, PhOperand *out, GError **error)
{
  PhOperand inputs[2] = { *a, *b };
  gboolean  ok;

  if (fold_literals (token, a, b, out))
    {
      ph_operand_clear (a);
      ph_operand_clear (b);
      return TRUE;
    }
  *a = *b = (PhOperand) { NULL };
  ok = apply_named (parser, name, inputs, 2, NULL, out, error);
  if (ok && g_str_equal (token, "!="))
    {
      PhOperand equal = *out;

      ok = apply_named (parser, "Not", &equal, 1, NULL, out, error);
      ph_operand_clear (&equal);
    }
  ph_operand_clear (&inputs[0]);
  ph_operand_clear (&inputs[1]);
  return ok;
}

/* ── literals ── */

/* The text of an array with its brackets, or of a number. */
static gboolean
parse_literal (Parser *parser, PhOperand *out, GError **error)
{
  const char         *start = parser->at;
  g_autofree char    *text = NULL;
  g_autoptr (PhTensor) tensor = NULL;
  char               *end;
  GError             *own = NULL;

  if (*start == '[')
    {
      int  depth = 0;
      char quote = '\0';

      for (; *parser->at != '\0'; parser->at++)
        {
          if (quote != '\0')
            quote = *parser->at == quote ? '\0' : quote;
          else if (*parser->at == '"' || *parser->at == '\'')
            quote = *parser->at;
          else if (*parser->at == '[')
            depth++;
          else if (*parser->at == ']' && --depth == 0)
            {
              parser->at++;
              break;
            }
        }
      if (depth > 0)
        return parse_error (parser, error, "a bracket is not closed");
    }
  else if (*start == '"' || *start == '\'')
    {
      const char *close = strchr (start + 1, *start);

      if (close == NULL)
        return parse_error (parser, error, "a quote is not closed");
      parser->at = close + 1;
    }
  else
    {
      g_ascii_strtod (start, &end);
      if (end == start)
        return parse_error (parser, error, *start == '\0' ? "something is missing at the end" : "this is not understood");
      parser->at = end;
    }
  text = g_strndup (start, (gsize) (parser->at - start));
  tensor = ph_literal_parse (text, NULL, &own);
  if (tensor == NULL)
    {
      g_propagate_error (error, own);
      return FALSE;
    }
  *out = (PhOperand) { NULL, g_steal_pointer (&tensor), TRUE };
  return TRUE;
}

/* ── calls ── */

typedef struct { PhOperand inputs[MAX_ARGUMENTS]; guint n; gboolean has_axes; GPtrArray *names, *literals; } Arguments;

static void
arguments_clear (Arguments *arguments)
{
  for (guint i = 0; i < arguments->n; i++)
    ph_operand_clear (&arguments->inputs[i]);
  g_ptr_array_unref (arguments->names);
  g_ptr_array_unref (arguments->literals);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, arguments_clear)

/* "name=literal" is an attribute. */
static gboolean
parse_keyword (Parser *parser, Arguments *arguments, gboolean *is_keyword, GError **error)
{
  const char      *start = parser->at;
  g_autofree char *name = NULL;
  PhOperand        literal = { NULL };

  *is_keyword = FALSE;
  if (!at_name (parser))
    return TRUE;
  name = take_name (parser);
  skip_blanks (parser);
  if (*parser->at != '=' || parser->at[1] == '=')
    {
      parser->at = start;
      return TRUE;
    }
  parser->at++;
  *is_keyword = TRUE;
  skip_blanks (parser);
  if (!parse_literal (parser, &literal, error))
    return FALSE;
  g_ptr_array_add (arguments->names, g_steal_pointer (&name));
  g_ptr_array_add (arguments->literals, literal.tensor);
  return TRUE;
}

static gboolean
parse_arguments (Parser *parser, Arguments *arguments, GError **error)
{
  if (accept (parser, ")"))
    return TRUE;
  do
    {
      gboolean is_keyword;

      skip_blanks (parser);
      if (!parse_keyword (parser, arguments, &is_keyword, error))
        return FALSE;
      if (is_keyword)
        continue;
      if (arguments->names->len > 0)
        return parse_error (parser, error, "inputs stand before attributes");
      if (arguments->n == MAX_ARGUMENTS)
        return parse_error (parser, error, "too many arguments");
      if (!parse_expression (parser, &arguments->inputs[arguments->n], error))
        return FALSE;
      arguments->n++;
    }
  while (accept (parser, ","));
  return accept (parser, ")") || parse_error (parser, error, "',' or ')' is expected");
}

/* mean(x, 0) and sum(x, axis=1) reduce along an axis, as everywhere but in ONNX, where Mean and Sum are of several inputs. */
static gboolean
take_axes (const char *name, Arguments *arguments, GError **error)
{
  static const char *const names[] = { "sum", "mean", "prod", "max", "min", "reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min", NULL };
  PhOperand               *second = &arguments->inputs[1];
  const gboolean           of_several = g_str_equal (name, "max") || g_str_equal (name, "min");
  PhTensor                *axes = NULL;

  if (!g_strv_contains (names, name))
    return TRUE;
  for (guint i = 0; i < arguments->names->len && arguments->n == 1; i++)
    if (g_str_equal (arguments->names->pdata[i], "axis") || g_str_equal (arguments->names->pdata[i], "axes"))
      {
        axes = ph_tensor_ref (arguments->literals->pdata[i]);
        g_ptr_array_remove_index (arguments->names, i);
        g_ptr_array_remove_index (arguments->literals, i);
        break;
      }
  if (axes == NULL && arguments->n == 2 && !of_several && second->weak && second->value == NULL && second->tensor != NULL
      && ph_tensor_dtype (second->tensor) == PH_INT64 && ph_tensor_rank (second->tensor) == 0)
    {
      axes = g_steal_pointer (&second->tensor);
      arguments->n = 1;
    }
  if (axes == NULL)
    return TRUE;
  if (ph_tensor_dtype (axes) != PH_INT64 || ph_tensor_rank (axes) > 1)
    {
      ph_tensor_unref (axes);
      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "%s: an axis is a whole number, or a list of them", name);
      return FALSE;
    }
  *second = (PhOperand) { NULL, ph_tensor_reshaped (axes, 1, (gint64[]) { (gint64) ph_tensor_count (axes) }), FALSE };
  ph_tensor_unref (axes);
  arguments->n = 2;
  arguments->has_axes = TRUE;
  return TRUE;
}

static gboolean
parse_call (Parser *parser, const char *name, PhOperand *out, GError **error)
{
  g_auto (Arguments)    arguments = { .names = g_ptr_array_new_with_free_func (g_free),
                                     .literals = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref) };
  const PhOp          *op;
  g_autoptr (GPtrArray) attrs = g_ptr_array_new ();

  if (!parse_arguments (parser, &arguments, error))
    return FALSE;
  if (!take_axes (name, &arguments, error))
    return FALSE;
  op = ph_expression_op (name, arguments.n - arguments.has_axes, error);
  if (op == NULL)
    return FALSE;
  for (guint i = 0; i < arguments.names->len; i++)
    {
      PhAttr *attr = ph_expression_attr (op, arguments.names->pdata[i], arguments.literals->pdata[i], error);

      if (attr == NULL)
        {
          g_ptr_array_set_free_func (attrs, (GDestroyNotify) ph_attr_unref);
          return FALSE;
        }
      g_ptr_array_add (attrs, attr);
    }
  /* sum(x) is a number, as everywhere but in ONNX. */
  if (g_ascii_islower (*name) && g_str_has_prefix (op->name, "Reduce") && ph_op_attr (op, "keepdims") != NULL &&
      !g_ptr_array_find_with_equal_func (arguments.names, "keepdims", g_str_equal, NULL))
    g_ptr_array_add (attrs, ph_attr_new_int ("keepdims", 0));
  g_ptr_array_add (attrs, NULL);
  return ph_trace_apply (parser->call, op, arguments.inputs, arguments.n, (PhAttr **) attrs->pdata, out, error);
}

/* ── x[1, 2:4] ── */

static gboolean
parse_integer (Parser *parser, gint64 *value)
{
  char *end;

  skip_blanks (parser);
  *value = g_ascii_strtoll (parser->at, &end, 10);
  if (end == parser->at)
    return FALSE;
  parser->at = end;
  return TRUE;
}

static PhOperand
literal_ints (const gint64 *values, guint n)
{
  return (PhOperand) { NULL, ph_tensor_new_int64s (values, n), FALSE };
}

static gboolean
slice (Parser *parser, PhOperand *x, const gint64 *starts, const gint64 *ends, const gint64 *axes, guint n, GError **error)
{
  PhOperand inputs[4] = { *x, literal_ints (starts, n), literal_ints (ends, n), literal_ints (axes, n) };
  gboolean  ok = apply_named (parser, "Slice", inputs, 4, NULL, x, error);

  if (!ok)
    *x = (PhOperand) { NULL };
  for (guint i = 0; i < 4; i++)
    ph_operand_clear (&inputs[i]);
  return ok;
}

static gboolean
pick (Parser *parser, PhOperand *x, gint64 index, gint64 axis, GError **error)
{
  PhOperand inputs[2] = { *x, { NULL, ph_tensor_new_scalar (PH_INT64, (double) index), FALSE } };
  PhAttr   *attrs[] = { ph_attr_new_int ("axis", axis), NULL };
  gboolean  ok = apply_named (parser, "Gather", inputs, 2, attrs, x, error);

  if (!ok)
    *x = (PhOperand) { NULL };
  ph_operand_clear (&inputs[0]);
  ph_operand_clear (&inputs[1]);
  return ok;
}

static gboolean
parse_index (Parser *parser, PhOperand *x, GError **error)
{
  gint64 starts[PH_MAX_RANK], ends[PH_MAX_RANK], axes[PH_MAX_RANK], picked[PH_MAX_RANK], picked_axes[PH_MAX_RANK];
  guint  n_slices = 0, n_picked = 0;
  gint64 axis = 0;

  do
    {
      gint64   first = 0, last = G_MAXINT64;
      gboolean has_first = parse_integer (parser, &first);

      if (axis == PH_MAX_RANK)
        return parse_error (parser, error, "too many indices");
      if (accept (parser, ":"))
        {
          gboolean has_last = parse_integer (parser, &last);

          if (has_first || has_last)
            {
              starts[n_slices] = first;
              ends[n_slices] = last;
              axes[n_slices++] = axis;
            }
        }
      else if (has_first)
        {
          picked[n_picked] = first;
          picked_axes[n_picked++] = axis;
        }
      else
        return parse_error (parser, error, "an index such as 1, 2:4 or : is expected");
      axis++;
    }
  while (accept (parser, ","));
  if (!accept (parser, "]"))
    return parse_error (parser, error, "',' or ']' is expected");

  if (n_slices > 0 && !slice (parser, x, starts, ends, axes, n_slices, error))
    return FALSE;
  while (n_picked-- > 0)
    if (!pick (parser, x, picked[n_picked], picked_axes[n_picked], error))
      return FALSE;
  return TRUE;
}

/* ── precedence ── */

static gboolean
parse_primary (Parser *parser, PhOperand *out, GError **error)
{
  g_autofree char *name = NULL;

  skip_blanks (parser);
  if (accept (parser, "("))
    {
      if (!parse_expression (parser, out, error))
        return FALSE;
      if (accept (parser, ")"))
        return TRUE;
      ph_operand_clear (out);
      return parse_error (parser, error, "')' is expected");
    }
  if (!at_name (parser))
    return parse_literal (parser, out, error);

  name = take_name (parser);
  if (accept (parser, "("))
    return parse_call (parser, name, out, error);
  if (ph_trace_lookup (parser->call, name, out, error))
    return TRUE;
  if (g_str_equal (name, "pi") || g_str_equal (name, "e") || g_str_equal (name, "inf") || g_str_equal (name, "nan"))
    {
      double value = *name == 'p' ? G_PI : *name == 'e' ? G_E : *name == 'i' ? (double) INFINITY : (double) NAN;

      g_clear_error (error);
      *out = (PhOperand) { NULL, ph_tensor_new_scalar (PH_DOUBLE, value), TRUE };
      return TRUE;
    }
  return FALSE;
}

static gboolean
parse_postfix (Parser *parser, PhOperand *out, GError **error)
{
  if (!parse_primary (parser, out, error))
    return FALSE;
  for (;;)
    {
      if (*parser->at == '[')
        {
          parser->at++;
          if (!parse_index (parser, out, error))
            {
              ph_operand_clear (out);
              return FALSE;
            }
        }
      else
        return TRUE;
    }
}

static gboolean parse_unary (Parser *parser, PhOperand *out, GError **error);

static gboolean
parse_power (Parser *parser, PhOperand *out, GError **error)
{
  g_auto (PhOperand) base = { NULL }, exponent = { NULL };

  if (!parse_postfix (parser, &base, error))
    return FALSE;
  if (!accept (parser, "**") && !accept (parser, "^"))
    {
      *out = base;
      base.tensor = NULL;
      return TRUE;
    }
  return parse_unary (parser, &exponent, error) && binary (parser, "**", "Pow", &base, &exponent, out, error);
}

static gboolean
parse_unary (Parser *parser, PhOperand *out, GError **error)
{
  g_auto (PhOperand) operand = { NULL };
  gboolean          ok;

  if (++parser->depth > MAX_DEPTH)
    return parse_error (parser, error, "this is nested too deeply");
  if (accept (parser, "-"))
    {
      PhOperand zero = { NULL, ph_tensor_new_scalar (PH_INT64, 0), TRUE };

      ok = parse_unary (parser, &operand, error);
      if (ok && fold_literals ("-", &zero, &operand, out))
        ok = TRUE;
      else if (ok)
        ok = apply_named (parser, "Neg", &operand, 1, NULL, out, error);
      ph_operand_clear (&zero);
    }
  else
    ok = parse_power (parser, out, error);
  parser->depth--;
  return ok;
}

typedef struct { const char *token, *name; } Infix;
static const Infix products[] = { { "*", "Mul" }, { "/", "Div" }, { "@", "MatMul" }, { "%", "Mod" }, { NULL } };
static const Infix sums[] = { { "+", "Add" }, { "-", "Sub" }, { NULL } };
static const Infix comparisons[] = { { "==", "Equal" }, { "!=", "Equal" }, { "<=", "LessOrEqual" }, { ">=", "GreaterOrEqual" },
                                     { "<", "Less" }, { ">", "Greater" }, { NULL } };

typedef gboolean (*Parse) (Parser *parser, PhOperand *out, GError **error);

static gboolean
parse_infix (Parser *parser, const Infix *infixes, Parse parse, PhOperand *out, GError **error)
{
  g_auto (PhOperand) left = { NULL };

  if (!parse (parser, &left, error))
    return FALSE;
  for (;;)
    {
      g_auto (PhOperand) right = { NULL };
      const Infix      *infix = infixes;

      while (infix->token != NULL && !accept (parser, infix->token))
        infix++;
      if (infix->token == NULL)
        {
          *out = left;
          left.tensor = NULL;
          return TRUE;
        }
      if (!parse (parser, &right, error) || !binary (parser, infix->token, infix->name, &left, &right, out, error))
        return FALSE;
      left = *out;
      *out = (PhOperand) { NULL };
    }
}

static gboolean
parse_product (Parser *parser, PhOperand *out, GError **error)
{
  return parse_infix (parser, products, parse_unary, out, error);
}

static gboolean
parse_sum (Parser *parser, PhOperand *out, GError **error)
{
  return parse_infix (parser, sums, parse_product, out, error);
}

static gboolean
parse_expression (Parser *parser, PhOperand *out, GError **error)
{
  if (++parser->depth > MAX_DEPTH)
    return parse_error (parser, error, "this is nested too deeply");

  gboolean ok = parse_infix (parser, comparisons, parse_sum, out, error);
  parser->depth--;
  return ok;
}

gboolean
ph_expression_parse (PhCall *call, const char *text, const char *at, PhOperand *out, GError **error)
{
  Parser parser = { call, text, at };

  if (!parse_expression (&parser, out, error))
    return FALSE;
  skip_blanks (&parser);
  return *parser.at == '\0' || parse_error (&parser, error, "this is not understood");
}
