/* lexer.c: the words of HLO text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/hlo/lexer.h"

#include <errno.h>
#include <string.h>

gboolean
ph_hlo_fail (PhHloParser *parser, const char *at, const char *format, ...)
{
  g_autofree char *text = NULL;
  guint line, column;
  va_list args;

  if (parser->error != NULL)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  ph_text_place (&parser->line, parser->begin, at, &line, &column);
  ph_source_fail_at (parser->hlo->source, &parser->error, line, column, "%s%s", text,
                     at < parser->end || g_str_has_suffix (text, "?") ? ""
                     : *parser->end != '\0'                           ? ", but the module ends"
                                                                      : ", but the text ends. Is the file complete?");
  parser->p = parser->end;
  return FALSE;
}

static gboolean
at_line_start (PhHloParser *parser)
{
  const char *p = parser->p;

  while (p > parser->begin && (p[-1] == ' ' || p[-1] == '\t'))
    p--;
  return p == parser->begin || p[-1] == '\n';
}

char
ph_hlo_peek (PhHloParser *parser)
{
  while (parser->p < parser->end)
    {
      const char *p = parser->p;

      if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
        parser->p++;
      else if ((*p == '/' && p[1] == '/') || (*p == '#' && at_line_start (parser)))
        {
          const char *next = memchr (p, '\n', (gsize) (parser->end - p));

          parser->p = next != NULL ? next : parser->end;
        }
      else if (*p == '/' && p[1] == '*')
        {
          const char *close = g_strstr_len (p + 2, parser->end - p - 2, "*/");

          if (close == NULL)
            {
              ph_hlo_fail (parser, p, "a comment is not closed; close it with */");
              return 0;
            }
          parser->p = close + 2;
        }
      else
        return *p;
    }
  return 0;
}

gboolean
ph_hlo_take (PhHloParser *parser, const char *token)
{
  const gsize length = strlen (token);

  if (ph_hlo_peek (parser) != *token || (gsize) (parser->end - parser->p) < length || memcmp (parser->p, token, length) != 0)
    return FALSE;
  parser->p += length;
  return TRUE;
}

gboolean
ph_hlo_expect (PhHloParser *parser, const char *token)
{
  g_autofree char *found = NULL;

  if (ph_hlo_take (parser, token))
    return TRUE;
  if (ph_hlo_peek (parser) == 0)
    return ph_hlo_fail (parser, parser->p, "'%s' is expected here", token);
  found = g_strndup (parser->p, strcspn (parser->p, " \n,)}") + (strchr (",)}", *parser->p) != NULL));
  if (strlen (found) > 40)
    found[40] = '\0';
  return ph_hlo_fail (parser, parser->p, "'%s' is expected here, not '%s'", token, found);
}

static gboolean
is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || c == '-' || c == '$' || (guchar) c >= 0x80;
}

/* Returns the end of the name at @p, or @p itself if there is none. */
static const char *
name_end (PhHloParser *parser, const char *p, gboolean marked)
{
  const char *from = p;

  if (!marked && p < parser->end && !g_ascii_isalpha (*p) && *p != '_' && (guchar) *p < 0x80)
    return p;
  while (p < parser->end && is_name_char (*p) && !(*p == '-' && p[1] == '>'))
    p++;
  return p > from ? p : from;
}

const char *
ph_hlo_word (PhHloParser *parser)
{
  const gboolean marked = ph_hlo_peek (parser) == '%';
  const char *from = parser->p + marked, *to;

  if (marked && *from == '"')
    {
      g_autofree char *name = NULL;

      parser->p++;
      name = ph_hlo_string (parser);
      g_string_assign (parser->word, name != NULL ? name : "");
      return name != NULL && *name != '\0' ? parser->word->str : NULL;
    }
  to = name_end (parser, from, marked);
  if (to == from)
    return NULL;
  g_string_truncate (parser->word, 0);
  g_string_append_len (parser->word, from, to - from);
  parser->p = to;
  if (!g_utf8_validate_len (parser->word->str, parser->word->len, NULL))
    {
      g_autofree char *valid = g_utf8_make_valid (parser->word->str, (gssize) parser->word->len);

      g_string_assign (parser->word, valid);
    }
  return parser->word->str;
}

gboolean
ph_hlo_is_word (PhHloParser *parser, const char *word)
{
  const gsize length = strlen (word);

  return ph_hlo_peek (parser) == *word && name_end (parser, parser->p, FALSE) == parser->p + length
         && memcmp (parser->p, word, length) == 0;
}

char *
ph_hlo_string (PhHloParser *parser)
{
  const char quote = ph_hlo_peek (parser), *from = parser->p, *p = from + 1;
  g_autofree char *raw = NULL, *plain = NULL;

  if (quote != '"' && quote != '\'')
    {
      ph_hlo_fail (parser, from, "a text between \" is expected here");
      return NULL;
    }
  while (p < parser->end && *p != quote)
    p += *p == '\\' && p + 1 < parser->end ? 2 : 1;
  if (p >= parser->end)
    {
      ph_hlo_fail (parser, from, "a text is not closed; close it with %c", quote);
      return NULL;
    }
  raw = g_strndup (from + 1, (gsize) (p - from - 1));
  plain = g_strcompress (raw);
  parser->p = p + 1;
  return g_utf8_make_valid (plain, -1);
}

gboolean
ph_hlo_int (PhHloParser *parser, gint64 *value)
{
  const char c = ph_hlo_peek (parser);
  char *end;

  if (!g_ascii_isdigit (c) && !(c == '-' && g_ascii_isdigit (parser->p[1])))
    return FALSE;
  errno = 0;
  *value = g_ascii_strtoll (parser->p, &end, 10);
  if (errno == ERANGE)
    return ph_hlo_fail (parser, parser->p, "a number has more than 64 bits");
  parser->p = end;
  return TRUE;
}

static gboolean
skip (PhHloParser *parser, gboolean bracket)
{
  const char *from = parser->p;
  char open[PH_HLO_MAX_DEPTH + 1];
  guint depth = 0;

  while (parser->p < parser->end)
    {
      const char c = *parser->p;

      if (depth == 0
          && (c == ',' || c == ')' || c == '}' || c == ']' || c == '\n' || (c == '/' && strchr ("/*", parser->p[1]) != NULL)))
        return TRUE;
      if (c == '"')
        {
          g_autofree char *text = ph_hlo_string (parser);

          if (text == NULL)
            return FALSE;
          continue;
        }
      if (c == '/' && parser->p[1] == '*')
        {
          ph_hlo_peek (parser);
          continue;
        }
      if (c == '{' || c == '(' || c == '[')
        {
          if (depth >= PH_HLO_MAX_DEPTH)
            return ph_hlo_fail (parser, parser->p, "brackets are nested more than %d deep, which no compiler writes",
                                PH_HLO_MAX_DEPTH);
          open[depth++] = c == '{' ? '}' : c == '(' ? ')' : ']';
        }
      else if ((c == '}' || c == ')' || c == ']') && c != open[--depth])
        return ph_hlo_fail (parser, parser->p, "'%c' is expected here, not '%c'", open[depth], c);
      parser->p++;
      if (bracket && depth == 0)
        return TRUE;
    }
  return depth == 0 || ph_hlo_fail (parser, from, "a bracket is not closed. Is the file complete?");
}

gboolean
ph_hlo_skip (PhHloParser *parser)
{
  return skip (parser, FALSE);
}

gboolean
ph_hlo_skip_bracket (PhHloParser *parser)
{
  return skip (parser, TRUE);
}

char *
ph_hlo_span (const char *from, const char *to)
{
  g_autoptr (GString) out = g_string_new (NULL);

  while (to > from && g_ascii_isspace (to[-1]))
    to--;
  for (; from < to; from++)
    if (!g_ascii_isspace (*from))
      g_string_append_c (out, *from);
    else if (out->len > 0 && out->str[out->len - 1] != ' ')
      g_string_append_c (out, ' ');
  return g_utf8_make_valid (out->str, (gssize) out->len);
}

gboolean
ph_hlo_enter (PhHloParser *parser)
{
  if (parser->depth >= PH_HLO_MAX_DEPTH)
    return ph_hlo_fail (parser, parser->p, "this is nested more than %d deep, which no compiler writes", PH_HLO_MAX_DEPTH);
  parser->depth++;
  return TRUE;
}
