/* lexer.c: tokens of Python text, including indentation tokens.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/python/python.h"
#include "core/io/python/tokens.h"

typedef struct
{
  PhPyModule *module;
  GArray *tokens;
  const char *p, *end, *line_start;
  guint line;
  guint brackets;
  GArray *indents;  /* (element-type guint) columns of the open blocks      */
  GString *comment; /* comments since the last statement                    */
} Lexer;

static const char operators[][4] = { "**=", "//=", ">>=", "<<=", "...", "->", ":=", "**", "//", "<<", ">>", "<=",
                                     ">=",  "==",  "!=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@=" };

gboolean
ph_py_fail (PhPyModule *module, guint line, guint column, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  if (module->file != NULL)
    return ph_source_fail (module->source, error, PH_ERROR_INVALID, NULL, "%s:%u:%u: %s", module->file, line, column, message);
  return ph_source_fail_at (module->source, error, line, column, "%s", message);
}

static guint
column_of (const Lexer *lexer, const char *p)
{
  return (guint) (p - lexer->line_start) + 1;
}

static void
add (Lexer *lexer, PhPyTokenKind kind, const char *start, const char *end)
{
  PhPyToken token = { kind, start, end, NULL, lexer->line, column_of (lexer, start) };

  g_array_append_val (lexer->tokens, token);
}

/* A comment belongs to the statement below it, or to that on its line. */
static void
take_comment (Lexer *lexer)
{
  const char *start = ++lexer->p;

  while (lexer->p < lexer->end && *lexer->p != '\n')
    lexer->p++;
  if (lexer->comment->len > 0)
    g_string_append_c (lexer->comment, '\n');
  g_string_append_len (lexer->comment, start, lexer->p - start);
  g_strstrip (lexer->comment->str);
  lexer->comment->len = strlen (lexer->comment->str);
}

static void
end_line (Lexer *lexer)
{
  PhPyToken *last = lexer->tokens->len > 0 ? &g_array_index (lexer->tokens, PhPyToken, lexer->tokens->len - 1) : NULL;

  if (last == NULL || last->kind == PH_PY_T_NEWLINE || last->kind == PH_PY_T_INDENT || last->kind == PH_PY_T_DEDENT)
    return;
  add (lexer, PH_PY_T_NEWLINE, lexer->p, lexer->p);
  if (lexer->comment->len > 0)
    {
      g_array_index (lexer->tokens, PhPyToken, lexer->tokens->len - 1).comment = ph_py_strndup (
          lexer->module, lexer->comment->str, lexer->comment->len);
      g_string_truncate (lexer->comment, 0);
    }
}

/* Handles the indentation at the first word of a line. */
static gboolean
indent (Lexer *lexer, guint column, GError **error)
{
  const guint now = g_array_index (lexer->indents, guint, lexer->indents->len - 1);

  if (column > now)
    {
      if (lexer->indents->len > PH_PY_MAX_DEPTH)
        return ph_py_fail (lexer->module, lexer->line, column + 1, error, "more than %d blocks are in each other",
                           PH_PY_MAX_DEPTH);
      g_array_append_val (lexer->indents, column);
      add (lexer, PH_PY_T_INDENT, lexer->p, lexer->p);
      return TRUE;
    }
  while (lexer->indents->len > 1 && column < g_array_index (lexer->indents, guint, lexer->indents->len - 1))
    {
      g_array_set_size (lexer->indents, lexer->indents->len - 1);
      add (lexer, PH_PY_T_DEDENT, lexer->p, lexer->p);
    }
  if (column > g_array_index (lexer->indents, guint, lexer->indents->len - 1))
    return ph_py_fail (lexer->module, lexer->line, column + 1, error, "this line is indented like none above it");
  return TRUE;
}

static gboolean
take_string (Lexer *lexer, const char *start, GError **error)
{
  const char quote = *lexer->p;
  const gboolean triple = lexer->end - lexer->p >= 3 && lexer->p[1] == quote && lexer->p[2] == quote;
  const guint line = lexer->line, column = column_of (lexer, start);
  PhPyToken token = { PH_PY_T_STRING, start, NULL, NULL, line, column };

  lexer->p += triple ? 3 : 1;
  for (;; lexer->p++)
    {
      if (lexer->p >= lexer->end || (*lexer->p == '\n' && !triple))
        return ph_py_fail (lexer->module, line, column, error, "this string does not end");
      if (*lexer->p == '\\' && lexer->p + 1 < lexer->end)
        lexer->p++;
      else if (*lexer->p == quote && (!triple || (lexer->end - lexer->p >= 3 && lexer->p[1] == quote && lexer->p[2] == quote)))
        break;
      if (*lexer->p == '\n')
        {
          lexer->line++;
          lexer->line_start = lexer->p + 1;
        }
    }
  lexer->p += triple ? 3 : 1;
  token.end = lexer->p;
  g_array_append_val (lexer->tokens, token);
  return TRUE;
}

static gboolean
is_prefix (const char *start, const char *end)
{
  if (end - start > 2)
    return FALSE;
  for (; start < end; start++)
    if (strchr ("rRbBuUfF", *start) == NULL)
      return FALSE;
  return TRUE;
}

static void
take_number (Lexer *lexer)
{
  const char *start = lexer->p;
  const gboolean hex = *start == '0' && start + 1 < lexer->end && (start[1] == 'x' || start[1] == 'X');

  while (lexer->p < lexer->end
         && (g_ascii_isalnum (*lexer->p) || *lexer->p == '_' || *lexer->p == '.'
             || ((*lexer->p == '-' || *lexer->p == '+') && !hex && lexer->p > start
                 && (lexer->p[-1] == 'e' || lexer->p[-1] == 'E'))))
    lexer->p++;
  add (lexer, PH_PY_T_NUMBER, start, lexer->p);
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || (guchar) c >= 0x80;
}

static gboolean
take_operator (Lexer *lexer, GError **error)
{
  const char *start = lexer->p;
  const gsize left = (gsize) (lexer->end - start);

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      const gsize n = operators[i][2] != '\0' ? 3 : 2;

      if (*start == *operators[i] && n <= left && memcmp (start, operators[i], n) == 0)
        {
          lexer->p += n;
          add (lexer, PH_PY_T_OP, start, lexer->p);
          return TRUE;
        }
    }
  if (*start == '\0' || strchr ("+-*/%@&|^~<>()[]{},:.;=!", *start) == NULL)
    return ph_py_fail (lexer->module, lexer->line, column_of (lexer, start), error, "'%.1s' is not expected here",
                       g_ascii_isprint (*start) ? start : "?");
  if (strchr ("([{", *start) != NULL)
    lexer->brackets++;
  else if (strchr (")]}", *start) != NULL && lexer->brackets > 0)
    lexer->brackets--;
  lexer->p++;
  add (lexer, PH_PY_T_OP, start, lexer->p);
  return TRUE;
}

static gboolean
run (Lexer *lexer, GError **error)
{
  gboolean fresh = TRUE;

  while (lexer->p < lexer->end)
    {
      const char *start = lexer->p;

      if (*start == '\n')
        {
          if (lexer->brackets == 0)
            end_line (lexer);
          fresh = lexer->brackets == 0;
          lexer->p++;
          lexer->line++;
          lexer->line_start = lexer->p;
        }
      else if (*start == ' ' || *start == '\t' || *start == '\r' || *start == '\f')
        lexer->p++;
      else if (*start == '#')
        take_comment (lexer);
      else if (*start == '\\' && start + 1 < lexer->end && (start[1] == '\n' || start[1] == '\r'))
        {
          lexer->p += start[1] == '\r' && start + 2 < lexer->end && start[2] == '\n' ? 3 : 2;
          lexer->line++;
          lexer->line_start = lexer->p;
        }
      else
        {
          if (fresh)
            {
              guint column = 0;

              for (const char *c = lexer->line_start; c < start; c++)
                column = *c == '\t' ? (column / 8 + 1) * 8 : column + 1;
              if (lexer->indents->len == 0)
                g_array_append_val (lexer->indents, column);
              else if (!indent (lexer, column, error))
                return FALSE;
              fresh = FALSE;
            }
          if (g_ascii_isdigit (*start) || (*start == '.' && start + 1 < lexer->end && g_ascii_isdigit (start[1])))
            take_number (lexer);
          else if (*start == '"' || *start == '\'')
            {
              if (!take_string (lexer, start, error))
                return FALSE;
            }
          else if (is_word (*start))
            {
              while (lexer->p < lexer->end && is_word (*lexer->p))
                lexer->p++;
              if (lexer->p < lexer->end && (*lexer->p == '"' || *lexer->p == '\'') && is_prefix (start, lexer->p))
                {
                  if (!take_string (lexer, start, error))
                    return FALSE;
                }
              else
                add (lexer, PH_PY_T_NAME, start, lexer->p);
            }
          else if (!take_operator (lexer, error))
            return FALSE;
        }
    }
  end_line (lexer);
  for (; lexer->indents->len > 1; g_array_set_size (lexer->indents, lexer->indents->len - 1))
    add (lexer, PH_PY_T_DEDENT, lexer->p, lexer->p);
  add (lexer, PH_PY_T_END, lexer->p, lexer->p);
  return TRUE;
}

GArray *
ph_py_tokens (PhPyModule *module, const char *text, gsize size, guint line, GError **error)
{
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (PhPyToken)),
                     indents = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GString) comment = g_string_new (NULL);
  Lexer lexer = { module, tokens, text, text + size, text, line, 0, indents, comment };

  if (size >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
    lexer.p = lexer.line_start = text + 3;
  return run (&lexer, error) ? g_steal_pointer (&tokens) : NULL;
}
