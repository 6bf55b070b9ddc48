/* print.c: prints a tree of Python text as text again, and answers queries about it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/io/python/python.h"

/* Returns the precedence of the expression's operator, for parentheses. */
static guint
strength (const PhPy *py)
{
  /* clang-format off */
  static const struct { const char *text; guint strength; } binary[] = {
    { "or", 2 }, { "and", 3 }, { "|", 6 }, { "^", 7 }, { "&", 8 }, { "<<", 9 }, { ">>", 9 }, { "+", 10 }, { "-", 10 }, { "*", 11 }, { "/", 11 },
    { "//", 11 }, { "%", 11 }, { "@", 11 }, { "**", 13 },
  };
  /* clang-format on */

  switch (py->kind)
    {
    case PH_PY_LAMBDA:
    case PH_PY_NAMED:
    case PH_PY_IF_ELSE: return 1;
    case PH_PY_UNARY: return py->text[0] == 'n' ? 4 : 12;
    case PH_PY_BINARY:
      for (guint i = 0; i < G_N_ELEMENTS (binary); i++)
        if (g_str_equal (binary[i].text, py->text))
          return binary[i].strength;
      return 5; /* a comparison */
    default: return 14;
    }
}

static void print (GString *out, const PhPy *py, guint outer);

static void
print_list (GString *out, PhPy **items, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      print (out, items[i], 0);
    }
}

static void
print_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\')
      g_string_append_printf (out, "\\%c", *text);
    else if (*text == '\n')
      g_string_append (out, "\\n");
    else
      g_string_append_c (out, *text);
  g_string_append_c (out, '"');
}

static void
print_comprehension (GString *out, const PhPy *py)
{
  g_string_append_c (out, py->text[0]);
  print (out, py->items[0], 0);
  for (guint i = 1; i + 1 < py->n; i += 2)
    if (py->items[i + 1] == NULL)
      {
        g_string_append (out, " if ");
        print (out, py->items[i], 0);
      }
    else
      {
        g_string_append (out, " for ");
        print (out, py->items[i], 0);
        g_string_append (out, " in ");
        print (out, py->items[i + 1], 2);
      }
  g_string_append_c (out, py->text[1]);
}

/* Prints a list, tuple, set or dictionary. */
static void
print_display (GString *out, const PhPy *py)
{
  switch (py->kind)
    {
    case PH_PY_TUPLE:
      g_string_append_c (out, '(');
      print_list (out, py->items, py->n);
      g_string_append (out, py->n == 1 ? ",)" : ")");
      break;
    case PH_PY_LIST:
    case PH_PY_SET:
      g_string_append_c (out, py->kind == PH_PY_LIST ? '[' : '{');
      print_list (out, py->items, py->n);
      g_string_append_c (out, py->kind == PH_PY_LIST ? ']' : '}');
      break;
    case PH_PY_DICT:
      g_string_append_c (out, '{');
      for (guint i = 0; i + 1 < py->n; i += 2)
        {
          if (i > 0)
            g_string_append (out, ", ");
          if (py->items[i] != NULL)
            print (out, py->items[i], 0);
          g_string_append (out, py->items[i] != NULL ? ": " : "**");
          print (out, py->items[i + 1], 0);
        }
      g_string_append_c (out, '}');
      break;
    default: break;
    }
}

/* Prints operators, and expressions that bind less tightly. */
static void
print_operation (GString *out, const PhPy *py)
{
  const guint own = strength (py);

  switch (py->kind)
    {
    case PH_PY_UNARY:
      g_string_append (out, py->text);
      if (g_ascii_isalpha (py->text[0]))
        g_string_append_c (out, ' ');
      print (out, py->items[0], own);
      break;
    case PH_PY_BINARY:
      print (out, py->items[0], own + (py->text[0] == '*' && py->text[1] == '*' ? 1 : 0));
      g_string_append_printf (out, " %s ", py->text);
      print (out, py->items[1], own + (py->text[0] == '*' && py->text[1] == '*' ? 0 : 1));
      break;
    case PH_PY_IF_ELSE:
      print (out, py->items[0], 2);
      g_string_append (out, " if ");
      print (out, py->items[1], 2);
      g_string_append (out, " else ");
      print (out, py->items[2], 1);
      break;
    case PH_PY_NAMED:
      print (out, py->items[0], 2);
      g_string_append (out, " := ");
      print (out, py->items[1], 1);
      break;
    case PH_PY_LAMBDA:
      g_string_append (out, py->n > 0 ? "lambda " : "lambda");
      print_list (out, py->items, py->n);
      g_string_append (out, ": ");
      print (out, py->orelse[0], 1);
      break;
    default: break;
    }
}

/* Prints expressions that only occur within the brackets of a subscript, a call or a list of parameters. */
static void
print_part (GString *out, const PhPy *py)
{
  switch (py->kind)
    {
    case PH_PY_SLICE:
      for (guint i = 0; i < 3; i++)
        {
          if (i == 1 || (i == 2 && py->items[2] != NULL))
            g_string_append_c (out, ':');
          if (py->items[i] != NULL)
            print (out, py->items[i], 1);
        }
      break;
    case PH_PY_KEYWORD:
      g_string_append (out, py->text);
      if (py->text[0] != '*')
        g_string_append_c (out, '=');
      print (out, py->items[0], 1);
      break;
    case PH_PY_STARRED:
      g_string_append_c (out, '*');
      print (out, py->items[0], 12);
      break;
    case PH_PY_PARAMETER:
      g_string_append_printf (out, "%s%s", py->i == 1 ? "*" : py->i == 2 ? "**" : "", py->text);
      if (py->items[0] != NULL)
        {
          g_string_append (out, ": ");
          print (out, py->items[0], 1);
        }
      if (py->items[1] != NULL)
        {
          g_string_append_c (out, '=');
          print (out, py->items[1], 1);
        }
      break;
    default: break;
    }
}

/* Prints the first line of a statement. */
static void
print_statement (GString *out, const PhPy *py)
{
  switch (py->kind)
    {
    case PH_PY_ASSIGN:
      for (guint i = 0; i < py->n; i++)
        {
          print (out, py->items[i], 0);
          g_string_append (out, i + 1 < py->n ? " = " : "");
        }
      break;
    case PH_PY_ANNOTATED:
      print (out, py->items[0], 0);
      g_string_append (out, ": ");
      print (out, py->items[1], 0);
      if (py->items[2] != NULL)
        {
          g_string_append (out, " = ");
          print (out, py->items[2], 0);
        }
      break;
    case PH_PY_AUGMENTED:
      print (out, py->items[0], 0);
      g_string_append_printf (out, " %s= ", py->text);
      print (out, py->items[1], 0);
      break;
    case PH_PY_DEF:
    case PH_PY_CLASS: g_string_append_printf (out, "%s %s", py->kind == PH_PY_DEF ? "def" : "class", py->text); break;
    default:
      {
        static const char *const words[]
            = { [PH_PY_WITH] = "with",     [PH_PY_FOR] = "for",       [PH_PY_WHILE] = "while",       [PH_PY_IF] = "if",
                [PH_PY_RETURN] = "return", [PH_PY_ASSERT] = "assert", [PH_PY_DELETE] = "del",        [PH_PY_RAISE] = "raise",
                [PH_PY_PASS] = "pass",     [PH_PY_BREAK] = "break",   [PH_PY_CONTINUE] = "continue", [PH_PY_TRY] = "try" };

        g_string_append (out, words[py->kind]);
        for (guint i = 0; i < py->n; i++)
          if (py->items[i] != NULL)
            {
              g_string_append (out, i == 0 ? " " : py->kind == PH_PY_FOR ? " in " : ", ");
              print (out, py->items[i], 0);
            }
      }
    }
}

static void
print_bare (GString *out, const PhPy *py)
{
  switch (py->kind)
    {
    case PH_PY_NAME:
    case PH_PY_INT:
    case PH_PY_FLOAT:
    case PH_PY_CONSTANT:
    case PH_PY_IMPORT:
    case PH_PY_GLOBAL: g_string_append (out, py->text); break;
    case PH_PY_STRING: print_string (out, py->text); break;
    case PH_PY_ATTRIBUTE:
      print (out, py->items[0], 14);
      g_string_append_printf (out, ".%s", py->text);
      break;
    case PH_PY_SUBSCRIPT:
      print (out, py->items[0], 14);
      g_string_append_c (out, '[');
      if (py->items[1]->kind == PH_PY_TUPLE && py->items[1]->n > 1)
        print_list (out, py->items[1]->items, py->items[1]->n);
      else
        print (out, py->items[1], 0);
      g_string_append_c (out, ']');
      break;
    case PH_PY_CALL:
      print (out, py->items[0], 14);
      g_string_append_c (out, '(');
      print_list (out, py->items + 1, py->n - 1);
      g_string_append_c (out, ')');
      break;
    case PH_PY_COMPREHENSION: print_comprehension (out, py); break;
    case PH_PY_EXPRESSION: print (out, py->items[0], 0); break;
    case PH_PY_TUPLE:
    case PH_PY_LIST:
    case PH_PY_SET:
    case PH_PY_DICT: print_display (out, py); break;
    case PH_PY_UNARY:
    case PH_PY_BINARY:
    case PH_PY_IF_ELSE:
    case PH_PY_NAMED:
    case PH_PY_LAMBDA: print_operation (out, py); break;
    case PH_PY_SLICE:
    case PH_PY_KEYWORD:
    case PH_PY_STARRED:
    case PH_PY_PARAMETER: print_part (out, py); break;
    default: print_statement (out, py);
    }
}

/* @outer: the precedence of the enclosing operator. */
static void
print (GString *out, const PhPy *py, guint outer)
{
  const gboolean brackets = strength (py) < outer;

  if (brackets)
    g_string_append_c (out, '(');
  print_bare (out, py);
  if (brackets)
    g_string_append_c (out, ')');
}

char *
ph_py_to_string (const PhPy *py)
{
  GString *out = g_string_new (NULL);

  if (py != NULL)
    print (out, py, 0);
  return g_string_free (out, FALSE);
}

char *
ph_py_dotted (const PhPy *py)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (; py != NULL && py->kind == PH_PY_ATTRIBUTE; py = py->items[0])
    {
      g_string_prepend (out, py->text);
      g_string_prepend_c (out, '.');
    }
  if (py == NULL || py->kind != PH_PY_NAME)
    return NULL;
  g_string_prepend (out, py->text);
  return g_strdup (out->str);
}

gboolean
ph_py_is_name (const PhPy *py, const char *text)
{
  return py != NULL && py->kind == PH_PY_NAME && g_str_equal (py->text, text);
}

gboolean
ph_py_is_none (const PhPy *py)
{
  return py == NULL || (py->kind == PH_PY_CONSTANT && g_str_equal (py->text, "None"));
}

const PhPy *
ph_py_keyword (const PhPy *call, const char *name)
{
  for (guint i = 1; call->kind == PH_PY_CALL && i < call->n; i++)
    if (call->items[i]->kind == PH_PY_KEYWORD && g_str_equal (call->items[i]->text, name))
      return call->items[i]->items[0];
  return NULL;
}

const PhPy *
ph_py_argument (const PhPy *call, guint index, const char *name)
{
  for (guint i = 1; call->kind == PH_PY_CALL && i < call->n && call->items[i]->kind != PH_PY_KEYWORD; i++)
    if (i == index + 1)
      return call->items[i];
  return name != NULL ? ph_py_keyword (call, name) : NULL;
}

gboolean
ph_py_int (const PhPy *py, gint64 *value)
{
  if (py != NULL && py->kind == PH_PY_INT)
    {
      *value = py->i;
      return TRUE;
    }
  if (py == NULL || py->kind != PH_PY_UNARY || py->text[0] != '-' || !ph_py_int (py->items[0], value))
    return FALSE;
  *value = -*value;
  return TRUE;
}

gboolean
ph_py_float (const PhPy *py, double *value)
{
  gint64 whole;

  if (ph_py_int (py, &whole))
    *value = (double) whole;
  else if (py != NULL && py->kind == PH_PY_FLOAT)
    *value = py->f;
  else if (py != NULL && py->kind == PH_PY_UNARY && py->text[0] == '-' && ph_py_float (py->items[0], value))
    *value = -*value;
  else if (ph_py_is_name (py, "inf") || ph_py_is_name (py, "nan"))
    *value = py->text[0] == 'i' ? INFINITY : NAN;
  else if (py != NULL && py->kind == PH_PY_ATTRIBUTE && (g_str_equal (py->text, "inf") || g_str_equal (py->text, "nan")))
    *value = py->text[0] == 'i' ? INFINITY : NAN;
  else if (py != NULL && py->kind == PH_PY_CALL && py->n == 2 && ph_py_is_name (py->items[0], "float")
           && py->items[1]->kind == PH_PY_STRING)
    *value = g_ascii_strtod (py->items[1]->text, NULL);
  else
    return FALSE;
  return TRUE;
}
