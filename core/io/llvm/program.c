/* program.c: runs LLVM's own programs of any installed version.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/llvm/program.h"

#include <string.h>

#include "core/io/child.h"

#define OPAQUE      14 /* the first LLVM with opaque pointers, which need a flag there */
#define OPAQUE_ONLY 15 /* the first that knows them untold                                          */

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

GBytes *
ph_llvm_program_run (const char *program, const char *const *arguments, GBytes *input, gsize model_size, gboolean complaints_too,
                     GCancellable *cancellable, GError **error)
{
  /* opt prints both its dumps and its complaints to standard error. */
  static const char script[]
      = "t=$(mktemp) || exit 1; trap 'rm -f \"$t\"' EXIT; \"$0\" \"$@\" >\"$t\" 2>&1 || { s=$?; head -c 2000 \"$t\" >&2; exit $s; }; cat \"$t\"";
  g_autofree char *what = g_path_get_basename (program);
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  guint version = version_of (program, what, cancellable);
  GBytes *output;

  if (complaints_too)
    for (guint i = 0; i < 3; i++)
      g_ptr_array_add (command, (gpointer) ((const char *[]) { "sh", "-c", script })[i]);
  g_ptr_array_add (command, (gpointer) program);
  if (version >= OPAQUE && version < OPAQUE_ONLY)
    g_ptr_array_add (command, (gpointer) "-opaque-pointers");
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (command, (gpointer) arguments[i]);
  g_ptr_array_add (command, NULL);
  output = ph_child_run ((const char *const *) command->pdata, NULL, input, model_size, what, cancellable, error);
  if (output == NULL && error != NULL && version > 0 && version < OPAQUE)
    {
      g_autofree char *said = g_strdup ((*error)->message);

      g_free ((*error)->message);
      (*error)->message = g_strdup_printf ("%s (it is of LLVM %u, which knows no opaque pointers, as in `load i32, ptr %%p`: "
                                           "Debian has newer ones in llvm-%u to llvm-19)",
                                           said, version, OPAQUE);
    }
  return output;
}
