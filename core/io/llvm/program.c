/* program.c: runs LLVM's own programs of any installed version.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/llvm/program.h"

#include <string.h>

#include "core/io/child.h"

#define OPAQUE      14    /* the first LLVM with opaque pointers, which need a flag there */
#define OPAQUE_ONLY 15    /* the first that knows them untold                                          */
#define MOST_READ   65536 /* bytes at the end of a dump in which a reason for its end is looked for */
#define MOST_LINES  8     /* lines of it that are said */

char *
ph_llvm_program_find (const char *name)
{
  char *path = ph_child_find (name, OPAQUE);

  return path != NULL ? path : ph_child_find (name, 1);
}

/* Returns 14 for "Debian LLVM version 14.0.6", or 0 if the program prints no version. */
static guint
version_of (const char *program, const char *what, GCancellable *cancellable)
{
  const char *const command[] = { program, "--version", NULL };
  g_autoptr (GBytes) said = ph_child_run (command, NULL, NULL, 0, what, cancellable, NULL);
  gsize size = 0;
  const char *text = said != NULL ? g_bytes_get_data (said, &size) : NULL,
             *at = text != NULL ? g_strstr_len (text, (gssize) size, "LLVM version ") : NULL;
  g_autofree char *line = at != NULL ? g_strndup (at, (gsize) (text + size - at)) : NULL;

  return line != NULL ? (guint) g_ascii_strtoull (line + strlen ("LLVM version "), NULL, 10) : 0;
}

/* Fills @command with @program and what its version wants. Returns that version. */
static guint
begin_command (GPtrArray *command, const char *program, const char *what, GCancellable *cancellable)
{
  guint version = version_of (program, what, cancellable);

  g_ptr_array_add (command, (gpointer) program);
  if (version >= OPAQUE && version < OPAQUE_ONLY)
    g_ptr_array_add (command, (gpointer) "-opaque-pointers");
  return version;
}

static void
end_command (GPtrArray *command, const char *const *arguments)
{
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (command, (gpointer) arguments[i]);
  g_ptr_array_add (command, NULL);
}

static void
blame_age (GError *error, guint version)
{
  g_autofree char *said = NULL;

  if (version == 0 || version >= OPAQUE)
    return;
  said = g_steal_pointer (&error->message);
  error->message = g_strdup_printf ("%s (it is of LLVM %u, which knows no opaque pointers, as in `load i32, ptr %%p`: "
                                    "Debian has newer ones in llvm-%u to llvm-19)",
                                    said, version, OPAQUE);
}

GBytes *
ph_llvm_program_run (const char *program, const char *const *arguments, GBytes *input, gsize model_size,
                     GCancellable *cancellable, GError **error)
{
  g_autofree char *what = g_path_get_basename (program);
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  guint version = begin_command (command, program, what, cancellable);
  g_autoptr (GError) own = NULL;
  g_autoptr (GBytes) output = NULL;

  end_command (command, arguments);
  output = ph_child_run ((const char *const *) command->pdata, NULL, input, model_size, what, cancellable, &own);
  if (own == NULL)
    return g_steal_pointer (&output);
  blame_age (own, version);
  g_propagate_error (error, g_steal_pointer (&own));
  return NULL;
}

/* Whether a line of opt's says why it failed. LLVM prints what it was at as "1.\tRunning pass ...", and 0 is how it was started. */
static gboolean
is_reason (const char *line)
{
  return strstr (line, "error: ") != NULL || strstr (line, "ERROR: ") != NULL || strstr (line, "Assertion `") != NULL
         || strstr (line, "UNREACHABLE") != NULL || (*line >= '1' && *line <= '9' && g_str_has_prefix (line + 1, ".\t"));
}

/* Whether a line says nothing of the reason: the frames of a crash, and how the program was started. */
static gboolean
is_noise (const char *line)
{
  return g_str_has_prefix (line, " #") || g_str_has_prefix (line, "#") || g_str_has_prefix (line, "0.\t")
         || g_str_has_prefix (line, "PLEASE submit") || g_str_has_prefix (line, "Stack dump") || *line == '\0';
}

/* Returns the lines at the end of @output that say why the program failed, else which pass it ended last, else its last lines. */
static char *
reason_of (GBytes *output)
{
  gsize all;
  const char *data = g_bytes_get_data (output, &all);
  const gsize size = MIN (all, MOST_READ);
  g_autofree char *text = size > 0 ? g_strndup (data + all - size, size) : g_strdup ("");
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new (), others = g_ptr_array_new ();

  for (guint i = 0; lines[i] != NULL; i++)
    if (is_reason (lines[i]) && reasons->len < MOST_LINES)
      {
        const gboolean marked = strstr (lines[i], "error: ") != NULL;

        /* opt marks the place of an error in the two lines that follow. */
        for (guint k = 0; k < (marked ? 3 : 1) && lines[i] != NULL; k++)
          g_ptr_array_add (reasons, lines[i++]);
        i--;
      }
    else if (g_str_has_prefix (lines[i], "*** "))
      {
        g_ptr_array_set_size (others, 0);
        g_ptr_array_add (others, lines[i]);
      }
    else if (!is_noise (lines[i]) && (others->len == 0 || !g_str_has_prefix (others->pdata[0], "*** ")))
      g_ptr_array_add (others, lines[i]);
  if (reasons->len == 0 && others->len > 0 && g_str_has_prefix (others->pdata[0], "*** "))
    return g_strdup_printf ("the last that it printed is '%s'", (char *) others->pdata[0]);
  if (reasons->len == 0)
    {
      if (others->len > MOST_LINES)
        g_ptr_array_remove_range (others, 0, others->len - MOST_LINES);
      g_ptr_array_extend (reasons, others, NULL, NULL);
    }
  g_ptr_array_add (reasons, NULL);
  return g_strjoinv ("\n", (char **) reasons->pdata);
}

GBytes *
ph_llvm_program_dump (const char *program, const char *const *arguments, GBytes *input, GCancellable *cancellable, GError **error)
{
  g_autofree char *what = g_path_get_basename (program), *reason = NULL;
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) own = NULL;
  guint version;

  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (command, (gpointer) ((const char *[]) { "sh", "-c", "exec \"$0\" \"$@\" 2>&1" })[i]);
  version = begin_command (command, program, what, cancellable);
  end_command (command, arguments);
  output = ph_child_run_to_end ((const char *const *) command->pdata, NULL, input, 0, what, cancellable, &own);
  if (own == NULL)
    return g_steal_pointer (&output);
  reason = output != NULL ? reason_of (output) : NULL;
  if (reason != NULL && *reason != '\0')
    {
      g_autofree char *said = g_steal_pointer (&own->message);

      own->message = g_strdup_printf ("%s: %s", said, reason);
    }
  blame_age (own, version);
  g_propagate_error (error, g_steal_pointer (&own));
  return g_steal_pointer (&output);
}
