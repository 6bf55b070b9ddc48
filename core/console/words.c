/* words.c: splits a line into words, takes options out, and suggests corrections.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-parts.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/nearest.h"

char **
ph_split_words (const char *line, GError **error)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autoptr (GString) word = g_string_new (NULL);
  gboolean in_word = FALSE;
  char quote = '\0';

  for (const char *p = line; *p != '\0'; p++)
    {
      if (quote != '\0' && *p == quote)
        quote = '\0';
      else if (quote == '\0' && (*p == '"' || *p == '\''))
        {
          quote = *p;
          in_word = TRUE;
        }
      else if (*p == '\\' && quote != '\'' && p[1] != '\0')
        {
          g_string_append_c (word, *++p);
          in_word = TRUE;
        }
      else if (quote == '\0' && g_ascii_isspace (*p))
        {
          if (in_word)
            g_strv_builder_add (words, word->str);
          g_string_truncate (word, 0);
          in_word = FALSE;
        }
      else
        {
          g_string_append_c (word, *p);
          in_word = TRUE;
        }
    }
  if (quote != '\0')
    {
      g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "a %c quote is not closed", quote);
      return NULL;
    }
  if (in_word)
    g_strv_builder_add (words, word->str);
  return g_strv_builder_end (words);
}

/* Returns TRUE for a file or folder relative to @folder. */
static gboolean
is_relative_file (const char *word, const char *folder)
{
  g_autofree char *path = g_canonicalize_filename (word, folder);

  return !g_path_is_absolute (word) && g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
append_word (GString *line, const char *word)
{
  g_autofree char *quoted = g_shell_quote (word);
  const gboolean plain = *word != '\0'
                         && strspn (word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:+,=")
                                == strlen (word);

  g_string_append_printf (line, " %s", plain ? word : quoted);
}

char *
ph_line_to_absolute (const char *line, const char *folder)
{
  const PhCommand *command = NULL;
  const char *rest = NULL;
  g_auto (GStrv) words = ph_line_classify (line, &command, &rest) == PH_LINE_COMMAND ? ph_split_words (rest, NULL) : NULL;
  const gboolean takes_files = words != NULL && command->arguments != NULL && strstr (command->arguments, "FILE") != NULL;
  const gboolean runs = words != NULL && ph_line_is_foreign (line) && g_str_equal (command->name, "run")
                        && !g_strv_contains ((const char *const *) words, "--folder");
  gboolean changed = runs;

  for (guint i = 0; takes_files && words[i] != NULL; i++)
    changed |= is_relative_file (words[i], folder);
  if (!changed)
    return g_strdup (line);

  GString *out = g_string_new (command->name);
  if (runs)
    {
      g_string_append (out, " --folder");
      append_word (out, folder);
    }
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autofree char *path = takes_files && is_relative_file (words[i], folder) ? g_canonicalize_filename (words[i], folder)
                                                                                 : g_strdup (words[i]);

      append_word (out, path);
    }
  return g_string_free (out, FALSE);
}

gboolean
ph_line_is_foreign (const char *line)
{
  const PhCommand *command = NULL;
  const char *rest = NULL;
  g_auto (GStrv) words = ph_line_classify (line, &command, &rest) == PH_LINE_COMMAND ? ph_split_words (rest, NULL) : NULL;

  /* A program follows a bar, and may follow "$(". */
  if (strstr (line, " | ") != NULL || strstr (line, "$(") != NULL)
    return TRUE;
  if (words == NULL)
    return FALSE;
  if (ph_command_is_time (command) || ph_command_is_assert (command))
    return *rest != '\0' && ph_line_is_foreign (rest);
  if (g_str_equal (command->name, "load-pass") || g_str_equal (command->name, "source"))
    return TRUE;
  for (guint i = 0; g_str_equal (command->name, "run") && words[i] != NULL; i++)
    {
      const PhPass *pass = ph_pass_find (words[i]);

      if (pass != NULL && g_str_equal (pass->group, "foreign") && !pass->takes_file)
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_call_usage (PhCall *call, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s" PH_USAGE_FOLLOWS "%s%s%s", message, call->command->name,
               call->command->arguments != NULL && *call->command->arguments != '\0' ? " " : "",
               call->command->arguments != NULL ? call->command->arguments : "");
  return FALSE;
}

/* Returns the option of the command that is most similar to @typed. (transfer full) (nullable) */
static char *
nearest_option (PhCall *call, const char *typed)
{
  g_autoptr (GPtrArray) options = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *bare = g_strndup (typed, strcspn (typed, "="));

  for (const char *option = call->command->arguments != NULL ? strstr (call->command->arguments, "--") : NULL; option != NULL;
       option = strstr (option + 2, "--"))
    g_ptr_array_add (options, g_strndup (option, strcspn (option, " ]=|")));
  return g_strdup (ph_nearest (bare, (const char *const *) options->pdata, options->len));
}

gboolean
ph_call_need_args (PhCall *call, guint min, guint max, GError **error)
{
  for (guint i = 0; i < call->argc; i++)
    if (g_str_has_prefix (call->argv[i], "--"))
      {
        g_autofree char *nearest = nearest_option (call, call->argv[i]);

        return ph_call_usage (call, error, "%s has no option '%s'%s%s%s", call->command->name, call->argv[i],
                              nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                              nearest != NULL ? "'?" : "");
      }
  if (call->argc < min)
    return ph_call_usage (call, error, "%s wants %s", call->command->name, min == 1 ? "an argument" : "more arguments");
  if (call->argc > max)
    return ph_call_usage (call, error, "%s does not know what to do with '%s'", call->command->name, call->argv[max]);
  return TRUE;
}

gboolean
ph_call_need_open (PhCall *call, GError **error)
{
  if (ph_document_is_open (call->document))
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "nothing is open: `open FILE` first");
  return FALSE;
}

static void
take_out (PhCall *call, guint at, guint n)
{
  for (guint i = 0; i < n; i++)
    g_free (call->argv[at + i]);
  memmove (call->argv + at, call->argv + at + n, (call->argc + 1 - at - n) * sizeof (char *));
  call->argc -= n;
}

gboolean
ph_call_take_flag (PhCall *call, const char *name)
{
  for (guint i = 0; i < call->argc; i++)
    if (g_str_equal (call->argv[i], name))
      {
        take_out (call, i, 1);
        return TRUE;
      }
  return FALSE;
}

gboolean
ph_call_take_option (PhCall *call, const char *name, char **value, GError **error)
{
  gsize length = strlen (name);

  *value = NULL;
  for (guint i = 0; i < call->argc; i++)
    {
      if (g_str_equal (call->argv[i], name))
        {
          if (i + 1 == call->argc)
            return ph_call_usage (call, error, "%s wants a value", name);
          *value = g_strdup (call->argv[i + 1]);
          take_out (call, i, 2);
          return TRUE;
        }
      if (strncmp (call->argv[i], name, length) == 0 && call->argv[i][length] == '=')
        {
          *value = g_strdup (call->argv[i] + length + 1);
          take_out (call, i, 1);
          return TRUE;
        }
    }
  return TRUE;
}

gboolean
ph_call_take_number (PhCall *call, const char *name, double *value, GError **error)
{
  g_autofree char *text = NULL;
  char *end;
  double number;

  if (!ph_call_take_option (call, name, &text, error))
    return FALSE;
  if (text == NULL)
    return TRUE;
  number = g_ascii_strtod (text, &end);
  if (*text == '\0' || *end != '\0')
    return ph_call_usage (call, error, "%s wants a number, not '%s'", name, text);
  *value = number;
  return TRUE;
}

void
ph_call_set_data (PhCall *call, gpointer data, GDestroyNotify free_data)
{
  call->data = data;
  call->free_data = free_data;
}

char *
ph_expand_home (const char *path)
{
  if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
    return g_build_filename (g_get_home_dir (), path + 1, NULL);
  return g_strdup (path);
}
