/* split.c: takes a function in Python's syntax apart; see split.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/python/split.h"

#include <string.h>

#include "core/intern.h"

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (guchar) c >= 0x80;
}

static const char *
skip_word (const char *p, const char *end)
{
  while (p < end && is_word (*p))
    p++;
  return p;
}

/* Returns the text after the string that begins at @p; NULL where it ends on another line. */
static const char *
skip_string (const char *p, const char *end)
{
  const char quote = *p;

  if (end - p > 2 && p[1] == quote && p[2] == quote)
    return NULL;
  for (p++; p < end && *p != quote; p++)
    {
      p += *p == '\\' && p + 1 < end;
      if (*p == '\n')
        return NULL;
    }
  return p < end ? p + 1 : NULL;
}

/* Finds the next @c (or the line's end) outside of strings and brackets; a comment hides the rest of its line. Returns NULL if there is none. */
static const char *
find_outside (const char *p, const char *end, char c)
{
  guint depth = 0;

  while (p != NULL && p < end)
    if (*p == '"' || *p == '\'')
      p = skip_string (p, end);
    else if (*p == '#')
      p = memchr (p, '\n', (gsize) (end - p));
    else if (depth == 0 && (*p == c || *p == '\n'))
      return *p == c ? p : NULL;
    else
      {
        if (*p == '(' || *p == '[' || *p == '{')
          depth++;
        else if ((*p == ')' || *p == ']' || *p == '}') && depth-- == 0)
          return NULL;
        else if (*p == '\\')
          return NULL;
        p++;
      }
  return NULL;
}

static gboolean
begins (const char *p, const char *end, const char *word)
{
  const gsize n = strlen (word);

  return (gsize) (end - p) >= n && memcmp (p, word, n) == 0;
}

static const char *
skip_blanks (const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  return p;
}

/* Returns the function's "def". (nullable) */
static const char *
find_def (const char *function, const char *text, const char *end)
{
  const gsize n_function = strlen (function);
  const char *found = NULL;
  guint n = 0;

  for (const char *p = text, *next; p < end; p = next)
    {
      const char *at = skip_blanks (p, end);

      next = ph_text_line_after (p, end);
      if (!begins (at, end, "def "))
        continue;
      if (begins (at + 4, end, function) && (end - at == 4 + (gssize) n_function || !is_word (at[4 + n_function])))
        return at;
      found = at;
      n++;
    }
  return n == 1 ? found : NULL;
}

/* Returns TRUE if what follows a statement only unsets names: "; x = None;  y = None". */
static gboolean
only_unsets (const char *p, const char *end)
{
  while ((p = skip_blanks (p, end)) < end)
    {
      const char *word = p;

      p = skip_word (p, end);
      if (p == word)
        return *p == '\n' || *p == '\r' || *p == '#';
      if (begins (p, end, " = "))
        p += 3;
      else if (p - word != 4 || memcmp (word, "None", 4) != 0 || (p < end && strchr (";\r\n", *p) == NULL))
        return FALSE;
      p += p < end && *p == ';';
    }
  return TRUE;
}

static gboolean
add_fixed (PhStatements *statements, PhStatementKind kind, const char *text, const char *end)
{
  return text == end || ph_statements_add (statements, kind, text, end, text, (gsize) (end - text), NULL, 0);
}

static gboolean
add_statement (PhStatements *statements, const char *line, const char *p, const char *next)
{
  static const char *const frames[] = { "return", "R.output(", "R.func_attr(" };
  const char *word = skip_word (p, next), *stop = find_outside (p, next, ';');

  if (stop != NULL && !only_unsets (stop + 1, next))
    return FALSE;
  stop = stop != NULL ? stop : next;
  while (stop > p && g_ascii_isspace (stop[-1]))
    stop--;
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    if (begins (p, next, frames[i]))
      return ph_statements_add (statements, PH_STATEMENT_FRAME, line, next, p, (gsize) (stop - p), NULL, 0);
  if (begins (p, next, "with R.dataflow():"))
    return add_fixed (statements, PH_STATEMENT_FIXED, line, next);
  if (word == p || !(begins (word, next, " = ") || begins (word, next, ": ")) || find_outside (p, stop, '=') == NULL)
    return FALSE;
  return ph_statements_add (statements, PH_STATEMENT_VALUE, line, next, p, (gsize) (stop - p), p, (gsize) (word - p));
}

/* Returns the text after the statement at @p. NULL: it does not end. */
static const char *
statement_end (const char *p, const char *end)
{
  guint depth = 0;

  while (p != NULL && p < end)
    if (*p == '"' || *p == '\'')
      p = skip_string (p, end);
    else if (*p == '#')
      p = memchr (p, '\n', (gsize) (end - p));
    else if (*p == '\n' && depth == 0)
      return p + 1;
    else
      {
        if (*p == '\\')
          return NULL;
        if (*p == '(' || *p == '[' || *p == '{')
          depth++;
        else if ((*p == ')' || *p == ']' || *p == '}') && depth-- == 0)
          return NULL;
        p++;
      }
  return p == end && depth == 0 ? end : NULL;
}

gboolean
ph_py_split (PhStatements *statements, const char *function, const char *text, gsize size)
{
  const char *end = text + size, *def = find_def (function, text, end), *p = def != NULL ? statement_end (def, end) : NULL, *next;
  const char *start = def;

  if (p == NULL)
    return FALSE;
  while (start > text && start[-1] != '\n')
    start--;
  if (!add_fixed (statements, PH_STATEMENT_FIXED, text, p))
    return FALSE;
  for (; p < end; p = next)
    {
      const char *at = skip_blanks (p, end);
      gboolean ok;

      next = ph_text_line_after (p, end);
      if (at == end || *at == '\n' || *at == '\r')
        ok = ph_statements_add (statements, PH_STATEMENT_BLANK, p, next, "", 0, NULL, 0);
      else if (at - p <= def - start)
        {
          next = end;
          ok = add_fixed (statements, PH_STATEMENT_FIXED, p, end);
        }
      else if (*at == '#')
        {
          const gboolean place = g_strstr_len (at, next - at, "File: ") != NULL
                                 || g_strstr_len (at, next - at, "No stacktrace") != NULL;

          ok = add_fixed (statements, place ? PH_STATEMENT_ABOVE : PH_STATEMENT_BLANK, p, next);
        }
      else
        {
          next = statement_end (at, end);
          ok = next != NULL && add_statement (statements, p, at, next);
        }
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

/* "self." stands for inputs that reading makes; "add_(" and "add_." may write into what is known by other names. */
gboolean
ph_py_describe (const char *key, gsize size, GPtrArray *reads, gboolean *typed)
{
  const char *p = key, *end = key + size, *word = skip_word (p, end);

  *typed = word < end && *word == ':';
  for (p = word; p < end;)
    if (*p == '"' || *p == '\'')
      {
        if ((p = skip_string (p, end)) == NULL)
          return FALSE;
      }
    else if (!is_word (*p))
      p++;
    else
      {
        const gboolean member = p[-1] == '.';

        word = p;
        p = skip_word (p, end);
        if (p < end && p[-1] == '_' && (*p == '.' || *p == '('))
          return FALSE;
        if (!member && !g_ascii_isdigit (*word))
          g_ptr_array_add (reads, (gpointer) ph_intern_sized (word, (gsize) (p - word)));
        if (!member && p - word == 4 && memcmp (word, "self", 4) == 0)
          return FALSE;
      }
  return TRUE;
}

void
ph_py_stand (const char *text, gsize size, const char *call, GString *out)
{
  const char *equals = find_outside (skip_blanks (text, text + size), text + size, '=');

  g_string_append_len (out, text, equals - text);
  g_string_append_printf (out, "= %s", call);
  for (const char *p = equals; p < text + size; p++)
    if (*p == '\n')
      g_string_append_c (out, '\n');
}
