/* lines.c: decides which lines form one statement.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call.h"

static gboolean
begins_with (const char *line, const char *const *words)
{
  const gsize n = strspn (line, "abcdefghijklmnopqrstuvwxyz_");
  g_autofree char *word = g_strndup (line, n);

  return (line[n] == '\0' || line[n] == ' ' || line[n] == '\t' || line[n] == ':' || line[n] == '(')
         && g_strv_contains (words, word);
}

/* Returns TRUE for a block of the language; `with` alone begins SQL. */
static gboolean
is_block (const char *line)
{
  static const char *const heads[] = { "def", "if", "for", "while", "class", "try", "async", NULL };

  return begins_with (line, heads);
}

static gboolean
goes_on_block (const char *line)
{
  static const char *const heads[] = { "elif", "else", "except", "finally", NULL };

  return begins_with (line, heads);
}

/* Returns TRUE if brackets are open at the end, ignoring those in text and comments; a string in triple quotes counts as a bracket. After a
 * mismatched closing bracket no continuation can make the line valid, so it is not open. */
static gboolean
is_open (const char *text)
{
  g_autoptr (GString) open = g_string_new (NULL); /* the brackets that would close them */
  char quote = '\0';
  guint quotes = 0;

  for (const char *p = text; *p != '\0'; p++)
    {
      if (quote != '\0')
        {
          if (*p == '\\' && p[1] != '\0')
            p++;
          else if (*p == quote && (quotes == 1 || (p[1] == quote && p[2] == quote)))
            {
              p += quotes - 1;
              quote = '\0';
            }
          else if (*p == '\n' && quotes == 1)
            quote = '\0';
        }
      else if (*p == '"' || *p == '\'')
        {
          quote = *p;
          quotes = p[1] == quote && p[2] == quote ? 3 : 1;
          p += quotes - 1;
        }
      else if (*p == '#')
        {
          p += strcspn (p, "\n");
          if (*p == '\0')
            break;
        }
      else if (strchr ("([{", *p) != NULL)
        g_string_append_c (open, *p == '(' ? ')' : *p == '[' ? ']' : '}');
      else if (strchr (")]}", *p) != NULL)
        {
          if (open->len == 0 || open->str[open->len - 1] != *p)
            return FALSE;
          g_string_truncate (open, open->len - 1);
        }
    }
  return open->len > 0 || (quote != '\0' && quotes == 3);
}

static gboolean
is_blank (const char *line)
{
  return line[strspn (line, " \t\r")] == '\0';
}

/* Returns TRUE for an odd number of backslashes at the end. */
static gboolean
ends_with_backslash (const GString *line)
{
  gsize n = 0;

  while (n < line->len && line->str[line->len - 1 - n] == '\\')
    n++;
  return n % 2 != 0 && line->str[strspn (line->str, " \t")] != '#';
}

PhJoin
ph_line_join (GString *whole, const char *line, gboolean typed)
{
  const PhCommand *command;
  const char *rest;

  if (whole->len > 0 && is_block (whole->str))
    {
      const gboolean open = is_open (whole->str) || ends_with_backslash (whole);

      if (!open && is_blank (line))
        {
          if (typed)
            return PH_JOIN_WHOLE;
          g_string_append_c (whole, '\n');
          return PH_JOIN_MORE;
        }
      if (!open && *line != ' ' && *line != '\t' && *line != '#' && !goes_on_block (line))
        return PH_JOIN_BEFORE;
      g_string_append_printf (whole, "\n%s", line);
      return PH_JOIN_MORE;
    }
  if (whole->len > 0 && strchr (" \t\n", whole->str[whole->len - 1]) == NULL)
    g_string_append_c (whole, '\n');
  g_string_append (whole, whole->len == 0 ? line + strspn (line, " \t") : line);
  if (ends_with_backslash (whole))
    {
      whole->str[whole->len - 1] = ' ';
      return PH_JOIN_MORE;
    }
  if (is_block (whole->str))
    return PH_JOIN_MORE;
  if (ph_line_classify (whole->str, &command, &rest) != PH_LINE_EXPRESSION || !is_open (whole->str))
    return PH_JOIN_WHOLE;
  /* The line continues. */
  g_string_append_c (whole, '\n');
  return PH_JOIN_MORE;
}

GPtrArray *
ph_lines_join (const char *text, GArray *first)
{
  g_auto (GStrv) lines = g_strsplit (g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text, "\n", -1); /* byte order mark */
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) whole = g_string_new (NULL);
  guint start = 1;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      PhJoin join;

      g_strchomp (lines[i]);
      if (whole->len == 0)
        start = i + 1;
      join = ph_line_join (whole, lines[i], FALSE);
      if (join == PH_JOIN_MORE && lines[i + 1] != NULL)
        continue;
      if (!is_blank (whole->str))
        {
          g_ptr_array_add (out, g_strdup (whole->str));
          if (first != NULL)
            g_array_append_val (first, start);
        }
      g_string_truncate (whole, 0);
      if (join == PH_JOIN_BEFORE)
        i--;
    }
  return out;
}
