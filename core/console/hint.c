/* hint.c: hints of the arguments that a typed line still needs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/console-state.h"
#include "core/script/words.h"

/* Returns the only command that begins with @typed, or NULL. */
static const char *
only_command (const char *typed)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);
  const char *found = NULL;

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (list[i]->name, typed))
      {
        if (found != NULL)
          return NULL;
        found = list[i]->name;
      }
  return found;
}

/* Returns the function whose bracket is open at the end of @line, and the number of arguments before the cursor. (transfer full)
 * (nullable) */
static char *
open_function (const char *line, guint *n)
{
  guint depth = 0;
  const char *end;

  *n = 0;
  for (const char *p = line + strlen (line); p > line; p--)
    if (strchr (")]}", p[-1]) != NULL)
      depth++;
    else if (strchr ("[{", p[-1]) != NULL && depth > 0)
      depth--;
    else if (p[-1] == '(' && depth > 0)
      depth--;
    else if (p[-1] == ',' && depth == 0)
      (*n)++;
    else if (p[-1] == '(')
      {
        for (end = --p; p > line && (g_ascii_isalnum (p[-1]) || p[-1] == '_'); p--)
          ;
        return end > p ? g_strndup (p, (gsize) (end - p)) : NULL;
      }
  return NULL;
}

/* Returns the part of "(x, axis)" from its @n-th argument on: "x, axis)". */
static char *
from_argument (const char *arguments, guint n)
{
  const char *p = arguments + (*arguments == '(' ? 1 : 0);

  for (; n > 0; n--)
    {
      p = strchr (p, ',');
      if (p == NULL)
        return NULL;
      p++;
    }
  return g_strdup (p + strspn (p, " "));
}

char *
ph_console_hint (PhConsole *console, const char *line)
{
  const PhCommand *command = NULL;
  const char *rest;
  const PhLineKind kind = ph_line_classify (line, &command, &rest);
  const gsize length = strlen (line);
  guint n;

  if (length == 0 || !ph_preferences_get ()->hints || strchr (line, '\n') != NULL)
    return NULL;
  if (kind == PH_LINE_COMMAND)
    {
      const gboolean more = g_ascii_isspace (line[length - 1]);
      g_auto (GStrv) words = ph_split_words (rest, NULL);
      const guint n_words = words != NULL ? g_strv_length (words) : 0;
      /* The word being typed counts as an argument. */
      g_autofree char *left = words != NULL ? ph_arguments_rest (command->arguments, words, n_words) : NULL;

      if (left == NULL || *left == '\0')
        return NULL;
      return more ? g_steal_pointer (&left) : g_strconcat (" ", left, NULL);
    }
  if (kind == PH_LINE_SQL || kind == PH_LINE_EXPRESSION)
    {
      g_autofree char *function = open_function (line, &n);
      const PhScriptWord *word = function != NULL && kind == PH_LINE_EXPRESSION ? ph_script_word_find (function) : NULL;
      const char *arguments = function == NULL      ? NULL
                              : kind == PH_LINE_SQL ? ph_sql_function_arguments (function)
                              : word != NULL        ? word->arguments
                                                    : NULL;
      const char *only;

      if (arguments != NULL && (line[length - 1] == '(' || line[length - 1] == ',' || line[length - 1] == ' '))
        return from_argument (arguments, n);
      only = function == NULL && kind == PH_LINE_EXPRESSION && length >= 2 ? only_command (line) : NULL;
      return only != NULL ? g_strdup (only + length) : NULL;
    }
  return NULL;
}
