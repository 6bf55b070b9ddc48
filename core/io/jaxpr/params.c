/* params.c: parameters of an equation of a jaxpr: numbers, axes, text, and programs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "core/io/jaxpr/jaxpr.h"

static gboolean
add_body (PhJaxpr *parser, GPtrArray *bodies, const char *attr, const PhImportGraph *program)
{
  PhImportGraph *body = ph_jaxpr_alloc (parser, sizeof *body);

  *body = *program;
  body->attr = g_str_equal (attr, "cond_jaxpr")   ? ph_intern ("cond")
               : g_str_equal (attr, "body_jaxpr") ? ph_intern ("body")
                                                  : attr;
  for (guint i = 0; i < bodies->len; i++)
    if (((PhImportGraph *) bodies->pdata[i])->attr == body->attr)
      return TRUE;
  g_ptr_array_add (bodies, body);
  return TRUE;
}

static gboolean
is_program (const char *p)
{
  if (*p++ != '{')
    return FALSE;
  while (g_ascii_isspace (*p))
    p++;
  return g_str_has_prefix (p, "lambda");
}

/* "(1, 2)", "[1]", "()": integers, or nothing. */
static PhAttr *
attr_of_list (const char *name, const char *text)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  const char *p = text + 1;

  for (;;)
    {
      gint64 value;
      char *end;

      p += strspn (p, " ,\n");
      if (*p == ')' || *p == ']')
        return p[1] == '\0' ? ph_attr_new_ints (name, (const gint64 *) (gpointer) values->data, values->len) : NULL;
      errno = 0;
      value = g_ascii_strtoll (p, &end, 10);
      if (end == p || errno != 0 || strchr (" ,)]\n", *end) == NULL)
        return NULL;
      g_array_append_val (values, value);
      p = end;
    }
}

static PhAttr *
attr_of_text (const char *name, const char *text)
{
  char *end;
  gint64 value;
  double real;
  PhAttr *attr = *text == '(' || *text == '[' ? attr_of_list (name, text) : NULL;

  if (attr != NULL)
    return attr;
  if (g_str_equal (text, "True") || g_str_equal (text, "False"))
    return ph_attr_new_int (name, *text == 'T');
  errno = 0;
  value = g_ascii_strtoll (text, &end, 10);
  if (end != text && *end == '\0' && errno == 0)
    return ph_attr_new_int (name, value);
  real = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0')
    return ph_attr_new_float (name, (float) real);
  return ph_attr_new_string (name, text);
}

/* "(([1], [0]), ([], []))" of dot_general: as HLO has it, one attribute for each list. */
static void
add_dimension_numbers (GPtrArray *attrs, const char *text)
{
  static const char *const names[] = { "lhs_contracting_dims", "rhs_contracting_dims", "lhs_batch_dims", "rhs_batch_dims" };
  const char *p = text;
  PhAttr *found[G_N_ELEMENTS (names)] = { NULL };
  gsize n = 0;

  if (!g_str_has_prefix (text, "(((") && !g_str_has_prefix (text, "((["))
    return;
  for (p = text + 2; *p != '\0' && n < G_N_ELEMENTS (names);)
    {
      g_autofree char *list = NULL;
      const gsize length = strcspn (p, ")]") + 1;

      if (*p != '[' && *p != '(')
        {
          p++;
          continue;
        }
      if (*p == '(' && (p[1] == '[' || p[1] == '('))
        {
          p++;
          continue;
        }
      list = g_strndup (p, length);
      found[n] = attr_of_list (ph_intern (names[n]), list);
      if (found[n] == NULL)
        break;
      n++;
      p += length;
    }
  for (gsize i = 0; i < n; i++)
    if (n == G_N_ELEMENTS (names))
      g_ptr_array_add (attrs, found[i]);
    else
      ph_attr_unref (found[i]);
}

/* "GatherDimensionNumbers(offset_dims=(1,), ...)": also one attribute for each. */
static void
add_fields (GPtrArray *attrs, const char *text)
{
  const char *p = strchr (text, '(');

  for (p = p != NULL ? p + 1 : NULL; p != NULL && *p != '\0';)
    {
      const gsize name = strspn (p, "abcdefghijklmnopqrstuvwxyz_");

      if (name > 0 && p[name] == '=' && p[name + 1] == '(')
        {
          g_autofree char *field = g_strndup (p, name), *list = g_strndup (p + name + 1, strcspn (p + name + 1, ")") + 1);
          PhAttr *attr = attr_of_list (ph_intern (field), list);

          if (attr != NULL)
            g_ptr_array_add (attrs, attr);
        }
      p = strstr (p, ", ");
      p = p != NULL ? p + 2 : NULL;
    }
}

static gboolean
read_value (PhJaxpr *parser, const char *name, GPtrArray *attrs, GPtrArray *bodies)
{
  const char *from;
  g_autofree char *raw = NULL, *text = NULL;
  const PhImportGraph *known;

  ph_jaxpr_peek (parser);
  from = parser->p;
  if (is_program (from))
    {
      const PhImportGraph *program = ph_jaxpr_program (parser);

      return program != NULL && add_body (parser, bodies, name, program);
    }
  if (*from == '(' && is_program (from + 1 + strspn (from + 1, " \n")))
    {
      parser->p++;
      for (guint i = 0; !ph_jaxpr_take (parser, ")"); i++)
        {
          g_autofree char *branch = g_strdup_printf ("branch_%u", i);
          const PhImportGraph *program;

          ph_jaxpr_take (parser, ",");
          ph_jaxpr_peek (parser);
          program = is_program (parser->p) ? ph_jaxpr_program (parser) : NULL;
          if (program == NULL)
            return ph_jaxpr_fail (parser, parser->p, "a program ({ lambda ... }) or ')' is expected here");
          add_body (parser, bodies, ph_intern (branch), program);
        }
      return TRUE;
    }
  if (!ph_jaxpr_skip (parser))
    return FALSE;
  raw = g_strndup (from, (gsize) (parser->p - from));
  text = g_utf8_make_valid (raw, -1);
  for (char *p = text; *p != '\0'; p++)
    if (g_ascii_isspace (*p))
      *p = ' ';
  known = g_hash_table_lookup (parser->programs, ph_intern (text));
  if (known != NULL && !g_str_equal (name, "name"))
    return add_body (parser, bodies, name, known);
  if (g_str_equal (name, "dimension_numbers"))
    {
      add_dimension_numbers (attrs, text);
      add_fields (attrs, text);
    }
  g_ptr_array_add (attrs, attr_of_text (name, text));
  return TRUE;
}

gboolean
ph_jaxpr_params (PhJaxpr *parser, GPtrArray *attrs, GPtrArray *bodies)
{
  if (*parser->p != '[')
    return TRUE;
  parser->p++;
  while (!ph_jaxpr_take (parser, "]"))
    {
      const char *name;

      ph_jaxpr_take (parser, ",");
      ph_jaxpr_take (parser, ";");
      name = ph_jaxpr_word (parser);
      if (name == NULL || !ph_jaxpr_take (parser, "="))
        return ph_jaxpr_fail (parser, parser->p, "a parameter (name=value) or ']' is expected here");
      if (!read_value (parser, name, attrs, bodies))
        return FALSE;
    }
  return parser->error == NULL;
}
