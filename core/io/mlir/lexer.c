/* lexer.c: the words of MLIR text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/mlir/lexer.h"

#include <string.h>

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '.' || c == '-';
}

static gboolean
is_id_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '.';
}

static const char *
string_end (PhMlirParser *parser, const char *p)
{
  for (p++; p < parser->end && *p != '"' && *p != '\n'; p++)
    if (*p == '\\' && p + 1 < parser->end)
      p++;
  return p < parser->end && *p == '"' ? p + 1 : NULL;
}

static gboolean
skip_blank (PhMlirParser *parser)
{
  gboolean fresh = parser->p == parser->begin;

  while (parser->p < parser->end)
    {
      const char c = *parser->p;

      if (c == '\n')
        {
          fresh = TRUE;
          parser->line++;
          parser->line_start = parser->p + 1;
        }
      if (c == '/' && parser->p + 1 < parser->end && parser->p[1] == '/')
        {
          while (parser->p < parser->end && *parser->p != '\n')
            parser->p++;
          continue;
        }
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
        break;
      parser->p++;
    }
  return fresh;
}

static gboolean
is_exponent (const char *p, const char *end)
{
  return p + 1 < end && (*p == 'e' || *p == 'E')
         && (g_ascii_isdigit (p[1]) || (p + 2 < end && (p[1] == '-' || p[1] == '+') && g_ascii_isdigit (p[2])));
}

static const char *
number_end (const char *p, const char *end, gboolean *real)
{
  *real = FALSE;
  if (p + 1 < end && p[0] == '0' && p[1] == 'x' && p + 2 < end && g_ascii_isxdigit (p[2]))
    {
      for (p += 2; p < end && g_ascii_isxdigit (*p); p++)
        ;
      return p;
    }
  while (p < end && g_ascii_isdigit (*p))
    p++;
  if (p + 1 < end && *p == '.' && (g_ascii_isdigit (p[1]) || !is_id_char (p[1]) || is_exponent (p + 1, end)))
    {
      *real = TRUE;
      for (p++; p < end && g_ascii_isdigit (*p); p++)
        ;
    }
  if (*real && is_exponent (p, end))
    for (p += 2; p < end && g_ascii_isdigit (*p); p++)
      ;
  return p;
}

void
ph_mlir_next (PhMlirParser *parser)
{
  PhMlirToken *token = &parser->token;
  const char *p;
  char c;

  *token = (PhMlirToken) { .kind = PH_MLIR_END, .fresh = skip_blank (parser), .line = parser->line };
  p = token->start = token->end = parser->p;
  token->column = (guint) (p - parser->line_start) + 1;
  if (p >= parser->end || parser->error != NULL)
    return;
  c = *p;
  if (c == '"')
    {
      const char *end = string_end (parser, p);

      token->kind = PH_MLIR_QUOTED;
      if (end == NULL)
        {
          ph_mlir_fail (parser, "a string is not closed on its line; close it with \"");
          token->kind = PH_MLIR_END;
          return;
        }
      p = end;
    }
  else if (g_ascii_isalpha (c) || c == '_')
    {
      token->kind = PH_MLIR_ID;
      while (p < parser->end && is_id_char (*p))
        p++;
    }
  else if (g_ascii_isdigit (c))
    {
      gboolean real;

      p = number_end (p, parser->end, &real);
      token->kind = real ? PH_MLIR_REAL : PH_MLIR_INTEGER;
    }
  else if (strchr ("%@^#!", c) != NULL && p + 1 < parser->end && (is_word_char (p[1]) || (c == '@' && p[1] == '"')))
    {
      token->kind = c == '%'   ? PH_MLIR_PERCENT
                    : c == '@' ? PH_MLIR_AT
                    : c == '^' ? PH_MLIR_CARET
                    : c == '#' ? PH_MLIR_HASH
                               : PH_MLIR_BANG;
      if (p[1] == '"')
        {
          const char *end = string_end (parser, p + 1);

          p = end != NULL ? end : p + 2;
        }
      else
        for (p++; p < parser->end && is_word_char (*p) && !(*p == '-' && p + 1 < parser->end && p[1] == '>'); p++)
          ;
      if (c == '%' && p + 1 < parser->end && *p == '#' && g_ascii_isdigit (p[1]))
        for (p++; p < parser->end && g_ascii_isdigit (*p); p++)
          ;
      while (c == '@' && p + 3 < parser->end && p[0] == ':' && p[1] == ':' && p[2] == '@')
        for (p += 3; p < parser->end && is_word_char (*p); p++)
          ;
    }
  else
    {
      token->kind = PH_MLIR_PUNCT;
      token->punct = c;
      p++;
      if (p < parser->end && c == '-' && *p == '>')
        {
          token->kind = PH_MLIR_ARROW;
          p++;
        }
      else if (p < parser->end && ((c == ':' && *p == ':') || (*p == '=' && strchr ("<>=", c) != NULL)))
        {
          token->punct = '2';
          p++;
        }
    }
  token->end = parser->p = p;
}

void
ph_mlir_seek (PhMlirParser *parser, const PhMlirToken *token)
{
  parser->token = *token;
  parser->p = token->end;
  parser->line = token->line;
  parser->line_start = token->start - (token->column - 1);
}

gboolean
ph_mlir_is (PhMlirParser *parser, char punct)
{
  return parser->token.kind == PH_MLIR_PUNCT && parser->token.punct == punct;
}

gboolean
ph_mlir_is_word (PhMlirParser *parser, const char *word)
{
  const PhMlirToken *token = &parser->token;
  const gsize length = strlen (word);

  return token->kind == PH_MLIR_ID && (gsize) (token->end - token->start) == length && memcmp (token->start, word, length) == 0;
}

guint64
ph_mlir_count (PhMlirParser *parser)
{
  guint64 count = 0;

  for (const char *p = parser->token.start; p < parser->token.end && g_ascii_isdigit (*p); p++)
    if (!g_uint64_checked_mul (&count, count, 10) || !g_uint64_checked_add (&count, count, (guint64) (*p - '0')))
      return G_MAXUINT64;
  return count;
}

gboolean
ph_mlir_take (PhMlirParser *parser, char punct)
{
  if (!ph_mlir_is (parser, punct))
    return FALSE;
  ph_mlir_next (parser);
  return TRUE;
}

gboolean
ph_mlir_expect (PhMlirParser *parser, char punct)
{
  g_autofree char *found = NULL;

  if (ph_mlir_take (parser, punct))
    return TRUE;
  if (parser->token.kind == PH_MLIR_END)
    return ph_mlir_fail (parser, "'%c' is expected here, but the text ends; is the file complete?", punct);
  found = g_strndup (parser->token.start, MIN ((gsize) (parser->token.end - parser->token.start), 40));
  return ph_mlir_fail (parser, "'%c' is expected here, not '%s'", punct, found);
}

gboolean
ph_mlir_fail (PhMlirParser *parser, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (parser->error != NULL)
    return FALSE;
  parser->final = parser->token.kind == PH_MLIR_END;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_source_fail_at (parser->source, &parser->error, parser->token.line, parser->token.column, "%s", text);
}

const char *
ph_mlir_text (PhMlirParser *parser)
{
  const gsize length = (gsize) (parser->token.end - parser->token.start);
  g_autofree char *text = NULL, *valid = NULL;
  char word[64];

  if (length < sizeof word)
    {
      memcpy (word, parser->token.start, length);
      word[length] = '\0';
    }
  else
    text = g_strndup (parser->token.start, length);
  if (g_str_is_ascii (text != NULL ? text : word))
    return ph_intern (text != NULL ? text : word);
  valid = g_utf8_make_valid (text != NULL ? text : word, -1);
  return ph_intern (valid);
}

const char *
ph_mlir_span (PhMlirParser *parser, const char *from)
{
  const char *to = parser->token.start;
  g_autoptr (GString) out = NULL;
  g_autofree char *valid = NULL;

  while (to > from && g_ascii_isspace (to[-1]))
    to--;
  out = g_string_sized_new ((gsize) (to - from) + 1);
  for (const char *p = from; p < to; p++)
    if (!g_ascii_isspace (*p))
      g_string_append_c (out, *p);
    else if (p > from && !g_ascii_isspace (p[-1]))
      g_string_append_c (out, ' ');
  valid = g_utf8_make_valid (out->str, (gssize) out->len);
  return ph_intern (valid);
}

void
ph_mlir_skip (PhMlirParser *parser)
{
  guint depth = 0;

  do
    {
      if (parser->token.kind == PH_MLIR_END)
        return;
      if (parser->token.kind == PH_MLIR_PUNCT && strchr ("([{<", parser->token.punct) != NULL)
        depth++;
      else if (parser->token.kind == PH_MLIR_PUNCT && strchr (")]}>", parser->token.punct) != NULL && depth > 0)
        depth--;
      ph_mlir_next (parser);
    }
  while (depth > 0);
}

char *
ph_mlir_unquote (PhMlirParser *parser)
{
  const char *end = parser->token.end - 1;
  GString *out = g_string_new (NULL);

  for (const char *p = parser->token.start + 1; p < end; p++)
    if (*p != '\\' || p + 1 >= end)
      g_string_append_c (out, *p);
    else if (p + 2 < end && g_ascii_isxdigit (p[1]) && g_ascii_isxdigit (p[2]))
      {
        g_string_append_c (out, (char) (g_ascii_xdigit_value (p[1]) * 16 + g_ascii_xdigit_value (p[2])));
        p += 2;
      }
    else
      {
        p++;
        g_string_append_c (out, *p == 'n' ? '\n' : *p == 't' ? '\t' : *p);
      }
  return g_string_free (out, FALSE);
}

gboolean
ph_mlir_enter (PhMlirParser *parser)
{
  if (parser->depth >= PH_MLIR_MAX_DEPTH)
    {
      ph_mlir_fail (parser, "this is nested more than %d deep, which no compiler writes", PH_MLIR_MAX_DEPTH);
      parser->final = TRUE;
      return FALSE;
    }
  parser->depth++;
  return TRUE;
}

gpointer
ph_mlir_new (PhMlirParser *parser, gsize size)
{
  gpointer data = g_malloc0 (size);

  g_ptr_array_add (parser->module->owned, data);
  return data;
}

GArray *
ph_mlir_array (PhMlirParser *parser, gsize size)
{
  GArray *array = g_array_new (FALSE, TRUE, (guint) size);

  g_ptr_array_add (parser->module->arrays, array);
  return array;
}

GPtrArray *
ph_mlir_ptr_array (PhMlirParser *parser)
{
  GPtrArray *array = g_ptr_array_new ();

  g_ptr_array_add (parser->module->ptr_arrays, array);
  return array;
}
