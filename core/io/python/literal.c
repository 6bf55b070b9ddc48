/* literal.c: strings and numbers of Python text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/python/parser.h"
#include "core/io/python/tokens.h"

static void
append_escape (GString *out, const char **p, const char *end)
{
  const char c = **p;
  guint digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;

  ++*p;
  if (c >= '0' && c <= '7')
    {
      guint value = (guint) (c - '0');

      for (guint i = 0; i < 2 && *p < end && **p >= '0' && **p <= '7'; i++)
        value = value * 8 + (guint) (*(*p)++ - '0');
      g_string_append_unichar (out, value);
    }
  else if (digits > 0)
    {
      gunichar value = 0;

      for (; digits > 0 && *p < end && g_ascii_isxdigit (**p); digits--)
        value = value * 16 + (gunichar) g_ascii_xdigit_value (*(*p)++);
      g_string_append_unichar (out, g_unichar_validate (value) ? value : 0xfffd);
    }
  else if (c != '\n')
    {
      static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
      const char *at = strchr (names, c);

      if (at != NULL && c != '\0')
        g_string_append_c (out, values[at - names]);
      else if (c == '\\' || c == '\'' || c == '"')
        g_string_append_c (out, c);
      else
        {
          g_string_append_c (out, '\\');
          g_string_append_c (out, c);
        }
    }
}

void
ph_py_append_string (GString *out, const PhPyToken *token)
{
  const char *p = token->start, *end = token->end;
  gboolean raw = FALSE;
  guint quotes;

  for (; *p != '"' && *p != '\''; p++)
    raw = raw || *p == 'r' || *p == 'R';
  quotes = end - p >= 6 && p[1] == *p && p[2] == *p ? 3 : 1;
  p += quotes;
  end -= quotes;
  while (p < end)
    if (*p == '\\' && !raw && p + 1 < end)
      {
        p++;
        append_escape (out, &p, end);
      }
    else
      g_string_append_c (out, *p++);
}

PhPy *
ph_py_number (PhPyParser *parser)
{
  const PhPyToken *token = parser->token;
  g_autofree char *text = g_strndup (token->start, (gsize) (token->end - token->start));
  g_autofree char *bare = g_malloc (strlen (text) + 1);
  PhPy *py;
  char *end = NULL, *to = bare;
  const gboolean prefix = text[0] == '0' && text[1] != '\0' && strchr ("xXbBoO", text[1]) != NULL;

  for (const char *c = text; *c != '\0'; c++)
    if (*c != '_')
      *to++ = *c;
  *to = '\0';
  if (!prefix && strpbrk (bare, ".eEjJ") != NULL)
    {
      py = ph_py_new (parser, PH_PY_FLOAT, token);
      py->f = g_ascii_strtod (bare, &end);
      if (end == bare || !(*end == '\0' || ((*end == 'j' || *end == 'J') && end[1] == '\0')))
        return ph_py_unexpected (parser, "a number");
    }
  else
    {
      py = ph_py_new (parser, PH_PY_INT, token);
      py->i = (gint64) MIN (g_ascii_strtoull (prefix ? bare + 2 : bare, &end,
                                              !prefix                            ? 10
                                              : bare[1] == 'x' || bare[1] == 'X' ? 16
                                              : bare[1] == 'b' || bare[1] == 'B' ? 2
                                                                                 : 8),
                            (guint64) G_MAXINT64);
      if (end == bare || *end != '\0')
        return ph_py_unexpected (parser, "a number");
    }
  py->text = ph_py_token_text (parser, token);
  ph_py_next (parser);
  return py;
}
