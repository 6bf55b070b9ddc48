/* lexer.c: LLVM's assembly text as tokens.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/lexer.h"

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '$' || c == '.' || c == '_' || (guchar) c >= 0x80;
}

gboolean
ph_llvm_is (const PhLlvmToken *token, const char *text)
{
  return (token->kind == PH_LLVM_WORD || token->kind == PH_LLVM_OTHER) && token->size == strlen (text)
         && memcmp (token->start, text, token->size) == 0;
}

gboolean
ph_llvm_fail (PhLlvmLexer *lexer, const PhLlvmToken *token, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_source_fail_at (lexer->source, lexer->error, token->line, token->column, "%s", message);
}

static void
skip_blanks (PhLlvmLexer *lexer)
{
  while (lexer->at < lexer->end)
    if (*lexer->at == '\n')
      {
        lexer->at++;
        lexer->line++;
        lexer->line_start = lexer->at;
        lexer->first = TRUE;
      }
    else if (*lexer->at == ';')
      {
        const char *newline = memchr (lexer->at, '\n', (gsize) (lexer->end - lexer->at));

        lexer->at = newline != NULL ? newline : lexer->end;
      }
    else if (g_ascii_isspace (*lexer->at))
      lexer->at++;
    else
      break;
}

/* Returns the end of the string whose opening quotation mark is at @at; there is no escape for the mark itself. (nullable) */
static const char *
string_end (PhLlvmLexer *lexer, const char *at)
{
  const char *end = memchr (at + 1, '"', (gsize) (lexer->end - at - 1));

  return end != NULL ? end + 1 : NULL;
}

/* Names with odd characters are quoted, with \xx for bytes. */
static const char *
unquote (PhLlvmLexer *lexer, const char *start, const char *end)
{
  g_autoptr (GString) name = g_string_new (NULL);

  for (const char *p = start; p < end; p++)
    if (*p == '\\' && end - p > 2 && g_ascii_isxdigit (p[1]) && g_ascii_isxdigit (p[2]) && (p[1] != '0' || p[2] != '0'))
      {
        g_string_append_c (name, (char) (g_ascii_xdigit_value (p[1]) * 16 + g_ascii_xdigit_value (p[2])));
        p += 2;
      }
    else if (*p != '\0')
      g_string_append_c (name, *p);
  return g_string_chunk_insert_len (lexer->module->strings, name->str, (gssize) name->len);
}

gboolean
ph_llvm_next (PhLlvmLexer *lexer, PhLlvmToken *token)
{
  const char *p, *end = lexer->end;

  skip_blanks (lexer);
  p = lexer->at;
  *token = (PhLlvmToken) {
    .kind = PH_LLVM_END, .start = p, .line = lexer->line, .column = (guint) (p - lexer->line_start) + 1, .first = lexer->first
  };
  lexer->first = FALSE;
  if (p == end)
    return TRUE;
  if (*p == '"' || (*p == 'c' && end - p > 1 && p[1] == '"'))
    {
      const char *mark = *p == 'c' ? p + 1 : p, *after = string_end (lexer, mark);

      if (after == NULL)
        return ph_llvm_fail (lexer, token, "a string does not end");
      token->kind = PH_LLVM_STRING;
      p = after;
      if (*mark == '"' && mark == token->start && p < end && *p == ':')
        {
          token->kind = PH_LLVM_LABEL;
          token->name = unquote (lexer, mark + 1, p - 1);
          p++;
        }
      for (const char *q = token->start; q < p; q++)
        if (*q == '\n')
          {
            lexer->line++;
            lexer->line_start = q + 1;
          }
    }
  else if (strchr ("%@!#$^", *p) != NULL && *p != '\0')
    {
      const char *name = p + 1;

      token->kind = *p == '%' ? PH_LLVM_LOCAL : *p == '@' ? PH_LLVM_GLOBAL : PH_LLVM_META;
      if (name < end && *name == '"')
        {
          p = string_end (lexer, name);
          if (p == NULL)
            return ph_llvm_fail (lexer, token, "a name in quotation marks does not end");
          token->name = unquote (lexer, name + 1, p - 1);
        }
      else
        {
          for (p = name; p < end && is_name (*p); p++)
            ;
          token->name = g_string_chunk_insert_len (lexer->module->strings, name, p - name);
        }
      if (p == name && token->kind != PH_LLVM_META)
        return ph_llvm_fail (lexer, token, "'%c' has no name after it", *token->start);
    }
  else if (is_name (*p) || (*p == '+' && end - p > 1 && g_ascii_isdigit (p[1])))
    {
      const char *name = p;

      for (p++; p < end && (is_name (*p) || (*p == '+' && (p[-1] == 'e' || p[-1] == 'E') && g_ascii_isdigit (name[0]))); p++)
        ;
      token->kind = PH_LLVM_WORD;
      if (p < end && *p == ':' && !(end - p > 1 && p[1] == ':'))
        {
          token->kind = PH_LLVM_LABEL;
          token->name = g_string_chunk_insert_len (lexer->module->strings, name, p - name);
          p++;
        }
    }
  else
    {
      token->kind = PH_LLVM_OTHER;
      p++;
    }
  token->size = (gsize) (p - token->start);
  lexer->at = p;
  return TRUE;
}
