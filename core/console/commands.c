/* commands.c: the table of commands, and the kinds of lines.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-parts.h"
#include "core/console/command-code.h"
#include "core/script/words.h"

#define GROUP(name) &ph_commands_##name,
static const PhCommandGroup *const groups[] = { PH_COMMAND_GROUPS };
#undef GROUP

static GPtrArray *all; /* (element-type PhCommand) */

static GPtrArray *
commands (void)
{
  if (all == NULL)
    {
      all = g_ptr_array_new ();
      for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
        for (guint i = 0; i < groups[g]->n; i++)
          g_ptr_array_add (all, (gpointer) &groups[g]->rows[i]);
    }
  return all;
}

const PhCommand *const *
ph_command_list (guint *n)
{
  *n = commands ()->len;
  return (const PhCommand *const *) commands ()->pdata;
}

const PhCommand *
ph_command_find (const char *name)
{
  for (guint i = 0; i < commands ()->len; i++)
    if (g_str_equal (((PhCommand *) all->pdata[i])->name, name))
      return all->pdata[i];
  return NULL;
}

/* ── kinds of lines ── */

/* Returns the number of bytes of @line that are the words of @name, or 0. */
static gsize
match_words (const char *line, const char *name)
{
  const char *p = line;

  while (*name != '\0')
    {
      if (*name == ' ')
        {
          if (!g_ascii_isspace (*p))
            return 0;
          while (g_ascii_isspace (*p))
            p++;
          name++;
          continue;
        }
      if (*p++ != *name++)
        return 0;
    }
  return *p == '\0' || g_ascii_isspace (*p) ? (gsize) (p - line) : 0;
}

static gboolean
starts_with_word (const char *line, const char *word)
{
  gsize n = strlen (word);

  return g_ascii_strncasecmp (line, word, n) == 0 && (line[n] == '\0' || g_ascii_isspace (line[n]) || line[n] == '(');
}

static gboolean
is_assignment (const char *line)
{
  const char *p = line;

  if (!g_ascii_isalpha (*p) && *p != '_')
    return FALSE;
  while (g_ascii_isalnum (*p) || *p == '_' || *p == '.')
    p++;
  while (g_ascii_isspace (*p))
    p++;
  return *p == '=' && p[1] != '=';
}

static gboolean
begins_query (const char *line)
{
  return starts_with_word (line, "select") || starts_with_word (line, "with") || starts_with_word (line, "explain");
}

PhLineKind
ph_line_classify (const char *line, const PhCommand **command, const char **rest)
{
  gsize longest = 0;

  *command = NULL;
  *rest = line;
  while (g_ascii_isspace (*line))
    line++;
  if (*line == '\0' || *line == '#')
    return PH_LINE_EMPTY;
  *rest = line;
  if (is_assignment (line))
    return PH_LINE_EXPRESSION;
  if (begins_query (line))
    return PH_LINE_SQL;

  for (guint i = 0; i < commands ()->len; i++)
    {
      const PhCommand *row = all->pdata[i];
      gsize n = match_words (line, row->name);

      if (n > longest)
        {
          longest = n;
          *command = row;
          *rest = line + n;
        }
    }
  while (g_ascii_isspace (**rest))
    (*rest)++;
  /* `assert x > 3` is a statement of the language. */
  if (*command != NULL && ph_command_is_assert (*command) && **rest != '\0' && !begins_query (*rest)
      && !starts_with_word (*rest, "verdict"))
    {
      *command = NULL;
      *rest = line;
    }
  return *command != NULL ? PH_LINE_COMMAND : PH_LINE_EXPRESSION;
}

/* ── the manual page ── */

static void
append_roff (GString *out, const char *text)
{
  g_autofree char *plain = g_str_to_ascii (text, "C");

  for (const char *p = plain; *p != '\0'; p++)
    {
      if (*p == '\\')
        g_string_append (out, "\\e");
      else if (*p == '-')
        g_string_append (out, "\\-");
      else if ((*p == '.' || *p == '\'') && (p == plain || p[-1] == '\n'))
        g_string_append_printf (out, "\\&%c", *p);
      else
        g_string_append_c (out, *p);
    }
}

static void
append_language (GString *out)
{
  guint n;
  const PhScriptWord *words = ph_script_words (&n);

  g_string_append (
      out,
      ".SH THE TENSOR LANGUAGE\nA line that is neither a command nor a query is a part of Python with numpy's meaning; every operator is there by its "
      "ONNX name.\n");
  for (guint i = 0; i < n; i++)
    {
      g_string_append (out, ".TP\n.B ");
      append_roff (out, words[i].function != NULL ? words[i].name : "");
      append_roff (out, words[i].arguments);
      g_string_append_c (out, '\n');
      append_roff (out, words[i].summary);
      g_string_append (out, ".\n");
    }
}

char *
ph_command_manual (void)
{
  GString *out = g_string_new (".SH COMMANDS\n");

  for (guint i = 0; i < commands ()->len; i++)
    {
      const PhCommand *row = all->pdata[i];

      g_string_append (out, ".TP\n.B ");
      append_roff (out, row->name);
      if (row->arguments != NULL && *row->arguments != '\0')
        {
          g_string_append (out, "\\fR ");
          append_roff (out, row->arguments);
        }
      g_string_append_c (out, '\n');
      append_roff (out, row->summary);
      g_string_append (out, ".\n");
      if (row->help != NULL)
        {
          append_roff (out, row->help);
          g_string_append_c (out, '\n');
        }
    }
  append_language (out);
  return g_string_free (out, FALSE);
}

gboolean
ph_command_is_time (const PhCommand *command)
{
  return g_str_equal (command->name, "time");
}

gboolean
ph_command_is_assert (const PhCommand *command)
{
  return g_str_equal (command->name, "assert");
}
