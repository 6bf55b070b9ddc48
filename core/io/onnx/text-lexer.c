/* text-lexer.c: words of ONNX's text syntax: names, quoted strings, numbers, signs. Comments run from # or // to the end
 * of the line.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/text-lexer.h"

#include <string.h>

gboolean
ph_text_is_name (const char *text)
{
  if (!g_ascii_isalpha (text[0]) && text[0] != '_')
    return FALSE;
  for (text++; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && *text != '_')
      return FALSE;
  return TRUE;
}

void
ph_lexer_init (PhLexer *lexer, PhOnnxSource *source, PhArena *arena, const char *text, gsize length, GError **error)
{
  *lexer = (PhLexer) {
    .source = source, .arena = arena, .at = text, .end = text + length, .line_start = text, .line = 1, .error = error
  };
  if (length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0) /* byte order mark */
    lexer->at = lexer->line_start = text + 3;
}

static gboolean
fail_at (PhLexer *lexer, guint line, guint column, const char *message)
{
  if (!lexer->failed)
    g_set_error (lexer->error, PH_ERROR, PH_ERROR_PARSE, "%s:%u:%u: %s", lexer->source->base->path, line, column, message);
  lexer->failed = TRUE;
  lexer->token.kind = PH_TOKEN_END;
  return FALSE;
}

gboolean
ph_lexer_fail (PhLexer *lexer, const char *format, ...)
{
  g_autofree char *raw = NULL, *message = NULL;
  va_list args;

  va_start (args, format);
  raw = g_strdup_vprintf (format, args);
  va_end (args);
  message = g_utf8_make_valid (raw, -1);
  return fail_at (lexer, lexer->token.line, lexer->token.column, message);
}

static void
skip_space (PhLexer *lexer)
{
  while (lexer->at < lexer->end)
    {
      char c = *lexer->at;

      if (c == '\n')
        {
          lexer->line++;
          lexer->line_start = lexer->at + 1;
        }
      else if (c == '#' || (c == '/' && lexer->at + 1 < lexer->end && lexer->at[1] == '/'))
        {
          while (lexer->at < lexer->end && *lexer->at != '\n')
            lexer->at++;
          continue;
        }
      else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v')
        break;
      lexer->at++;
    }
}

static gboolean
lex_string (PhLexer *lexer)
{
  const char *start = lexer->at++;
  char *out = ph_arena_alloc (lexer->arena, 64);
  gsize n = 0, room = 64;

  for (;; lexer->at++)
    {
      char c;

      if (lexer->at >= lexer->end)
        return fail_at (lexer, lexer->token.line, lexer->token.column, "this string does not end; a \" is missing");
      c = *lexer->at;
      if (c == '"')
        break;
      if (c == '\n')
        {
          lexer->line++;
          lexer->line_start = lexer->at + 1;
        }
      if (c == '\\' && lexer->at + 1 < lexer->end)
        {
          c = *++lexer->at;
          if (c == 'n')
            c = '\n';
          else if (c == 't')
            c = '\t';
          else if (c == 'r')
            c = '\r';
          else if (c == 'x' && lexer->end - lexer->at > 2 && g_ascii_isxdigit (lexer->at[1]) && g_ascii_isxdigit (lexer->at[2]))
            {
              c = (char) (g_ascii_xdigit_value (lexer->at[1]) << 4 | g_ascii_xdigit_value (lexer->at[2]));
              lexer->at += 2;
            }
        }
      if (n + 1 >= room)
        {
          char *wider = ph_arena_alloc (lexer->arena, room * 2);

          memcpy (wider, out, n);
          out = wider;
          room *= 2;
        }
      out[n++] = c;
    }
  lexer->at++;
  out[n] = '\0';
  lexer->token.kind = PH_TOKEN_STRING;
  lexer->token.text = out;
  lexer->token.length = n;
  return lexer->at > start;
}

static gboolean
lex_number (PhLexer *lexer)
{
  const char *start = lexer->at, *at = start;
  gboolean is_float = FALSE;
  PhToken *token = &lexer->token;
  char *end;

  if (*at == '-' || *at == '+')
    at++;
  while (at < lexer->end
         && (g_ascii_isalnum (*at) || *at == '.' || ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E'))))
    {
      is_float = is_float || !g_ascii_isdigit (*at);
      at++;
    }
  token->text = ph_arena_strndup (lexer->arena, start, (gsize) (at - start));
  token->length = (gsize) (at - start);
  lexer->at = at;
  if (!is_float)
    {
      const char *digits = token->text[0] == '+' ? token->text + 1 : token->text;
      guint64 large;

      token->kind = PH_TOKEN_INT;
      token->f = g_ascii_strtod (token->text, NULL);
      if (g_ascii_string_to_signed (digits, 10, G_MININT64, G_MAXINT64, &token->i, NULL))
        return TRUE;
      if (g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT64, &large, NULL))
        {
          token->i = (gint64) large;
          return TRUE;
        }
      return ph_lexer_fail (lexer, "'%.40s' is not a number of 64 bits", token->text);
    }
  token->kind = PH_TOKEN_FLOAT;
  token->f = g_ascii_strtod (token->text, &end);
  if (*end != '\0' && !(g_ascii_tolower (*end) == 'f' && end[1] == '\0'))
    return ph_lexer_fail (lexer, "'%.40s' is not a number", token->text);
  return TRUE;
}

gboolean
ph_lexer_next (PhLexer *lexer)
{
  PhToken *token = &lexer->token;
  char c, next;

  if (lexer->failed)
    return FALSE;
  skip_space (lexer);
  *token = (PhToken) { .kind = PH_TOKEN_END, .line = lexer->line, .column = (guint) (lexer->at - lexer->line_start) + 1 };
  if (lexer->at >= lexer->end)
    return TRUE;
  c = *lexer->at;
  next = lexer->at + 1 < lexer->end ? lexer->at[1] : '\0';
  if (c == '"')
    return lex_string (lexer);
  if (g_ascii_isdigit (c) || ((c == '-' || c == '+') && (g_ascii_isalnum (next) || next == '.'))
      || (c == '.' && g_ascii_isdigit (next)))
    return lex_number (lexer);
  if (g_ascii_isalpha (c) || c == '_')
    {
      const char *start = lexer->at;

      while (lexer->at < lexer->end && (g_ascii_isalnum (*lexer->at) || *lexer->at == '_'))
        lexer->at++;
      token->kind = PH_TOKEN_NAME;
      token->length = (gsize) (lexer->at - start);
      token->text = ph_arena_strndup (lexer->arena, start, token->length);
      return TRUE;
    }
  if (strchr ("<>()[]{}=,:;.@?*", c) == NULL || c == '\0')
    {
      if (g_ascii_isprint (c))
        return ph_lexer_fail (lexer, "'%c' is not allowed here; put a name that contains it in quotes", c);
      return ph_lexer_fail (lexer, "byte 0x%02x is not allowed here; put a name that contains it in quotes", (guchar) c);
    }
  token->kind = PH_TOKEN_SIGN;
  token->sign = c;
  lexer->at++;
  if (c == '=' && next == '>')
    {
      token->arrow = TRUE;
      token->sign = '\0';
      lexer->at++;
    }
  return TRUE;
}

gboolean
ph_lexer_is (const PhLexer *lexer, char sign)
{
  return lexer->token.kind == PH_TOKEN_SIGN && lexer->token.sign == sign;
}

gboolean
ph_lexer_take (PhLexer *lexer, char sign)
{
  if (!ph_lexer_is (lexer, sign))
    return FALSE;
  ph_lexer_next (lexer);
  return TRUE;
}

const char *
ph_lexer_describe (PhLexer *lexer)
{
  const PhToken *token = &lexer->token;
  g_autofree char *text = NULL;

  switch (token->kind)
    {
    case PH_TOKEN_END: return "the end of the text";
    case PH_TOKEN_STRING: text = g_strdup_printf ("\"%.40s\"", token->text); break;
    case PH_TOKEN_SIGN: text = token->arrow ? g_strdup ("'=>'") : g_strdup_printf ("'%c'", token->sign); break;
    case PH_TOKEN_NAME:
    case PH_TOKEN_INT:
    case PH_TOKEN_FLOAT:
    default: text = g_strdup_printf ("'%.40s'", token->text); break;
    }
  return ph_arena_strndup (lexer->arena, text, strlen (text));
}

gboolean
ph_lexer_expect (PhLexer *lexer, char sign)
{
  if (!ph_lexer_is (lexer, sign))
    return ph_lexer_fail (lexer, "'%c' is expected here, not %s", sign, ph_lexer_describe (lexer));
  return ph_lexer_next (lexer);
}

gboolean
ph_lexer_expect_arrow (PhLexer *lexer)
{
  if (lexer->token.kind != PH_TOKEN_SIGN || !lexer->token.arrow)
    return ph_lexer_fail (lexer, "'=>' is expected here, not %s", ph_lexer_describe (lexer));
  return ph_lexer_next (lexer);
}

char
ph_lexer_peek (PhLexer *lexer)
{
  skip_space (lexer);
  return lexer->at < lexer->end ? *lexer->at : '\0';
}

void
ph_lexer_mark (PhLexer *lexer, gconstpointer message, const PhToken *token)
{
  ph_source_mark (lexer->source->base, message, token->line, token->column);
}
