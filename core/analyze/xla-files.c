/* xla-files.c: the files that XLA writes with --xla_dump_to, named by run, module, number, pipeline and pass, and which of them are one
 * module's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/recording-xla.h"
#include "core/analyze/recording.h"
#include "core/error.h"

#define MOST_LISTED 20

/* A file of a dump; see ph_xla_parse_name(). */
typedef PhXlaFile File;

static gboolean
is_number (const char *text, gsize length)
{
  gsize digits = 0;

  while (digits < length && g_ascii_isdigit (text[digits]))
    digits++;
  return digits == length && length >= 4 && length <= 18;
}

/* Finds ".NNNN" with @number in at least four digits, before @end; returns the dot. */
static const char *
find_number (const char *from, const char *end)
{
  for (const char *p = end; p-- > from;)
    if (*p == '.' && p > from)
      {
        const char *begin = p;

        while (begin > from && begin[-1] != '.')
          begin--;
        if (begin > from && is_number (begin, (gsize) (p - begin)))
          return begin;
        p = begin;
      }
  return NULL;
}

/* Returns the end of the module's name before "before_optimizations.txt" or "sm_8.0_gpu_after_optimizations.txt", which begins at @kind. */
static const char *
find_kind (const char *from, const char *kind)
{
  const char *dot = kind;

  while (dot > from && *dot != '.')
    dot--;
  for (const char *p = dot; p-- > from;)
    if (*p == '.')
      return g_str_has_prefix (p, ".sm_") && g_ascii_isdigit (dot[1]) ? p : dot;
  return dot;
}

/* Reads what follows the number of the module, where the name of a text of HLO does. */
static void
parse_rest (const char *name, const char *p, PhXlaFile *file)
{
  const char *end = name + strlen (name) - strlen (".txt"), *after = g_strrstr (p, ".after_");
  const char *before = after != NULL ? g_strrstr (after, ".before_") : NULL,
             *number = find_number (p, before != NULL ? after : end);

  if (before != NULL && number != NULL)
    {
      const char *pipeline = strchr (number, '.') + 1;

      file->kind = PH_XLA_BETWEEN;
      file->pipeline = g_strndup (pipeline, (gsize) (after - pipeline));
      after += strlen (".after_");
      file->pass = g_strndup (after, (gsize) (before - after));
    }
  else if (before != NULL)
    return;
  else if (g_str_has_suffix (name, "before_optimizations.txt"))
    {
      file->kind = PH_XLA_BEFORE;
      file->order = -1;
      number = find_kind (p, end - strlen ("before_optimizations")) + 1;
    }
  else if (g_str_has_suffix (name, "after_optimizations.txt"))
    {
      file->kind = PH_XLA_AFTER;
      file->order = G_MAXINT64;
      number = find_kind (p, end - strlen ("after_optimizations")) + 1;
    }
  else if (number != NULL) /* inside a pass: NNNN.pass.step */
    {
      const char *dot = strchr (number, '.');

      file->kind = PH_XLA_INSIDE;
      file->pass = g_strndup (dot + 1, (gsize) (end - dot) - 1);
    }
  else
    return;
  if (file->kind == PH_XLA_BETWEEN || file->kind == PH_XLA_INSIDE)
    file->order = (gint64) g_ascii_strtoull (number, NULL, 10);
  file->run = g_strndup (name, (gsize) (number - name) - 1);
}

gboolean
ph_xla_parse_name (const char *name, PhXlaFile *file)
{
  static const char *const aside[] = {
    "-buffer-assignment.txt", "-memory-usage-report.txt", "_buffer_assignment.txt",      "-execution_options.txt", "config.txt",
    "-colocation.txt",        "-live-range.txt",          "_after_buffer_assignment.txt"
  };
  const char *module = strstr (name, "module_"), *p;

  *file = (PhXlaFile) { 0 };
  if (module == NULL || (module > name && (module[-1] != '.' || !is_number (name, (gsize) (module - name - 1)))))
    return FALSE;
  for (p = module + strlen ("module_"); g_ascii_isdigit (*p); p++)
    ;
  if (!is_number (module + strlen ("module_"), (gsize) (p - module) - strlen ("module_")) || *p != '.')
    return FALSE;
  file->module = g_ascii_strtoull (module + strlen ("module_"), NULL, 10);
  if (!g_str_has_suffix (name, ".txt"))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (aside); i++)
    if (g_str_has_suffix (name, aside[i]))
      return TRUE;
  parse_rest (name, p, file);
  return TRUE;
}

void
ph_xla_file_clear (PhXlaFile *file)
{
  g_free (file->path);
  g_free (file->run);
  g_free (file->pipeline);
  g_free (file->pass);
  *file = (PhXlaFile) { 0 };
}

/* ── the files of one module ────────────────────────────────────────────────────────────────────────────────────── */

static int
compare_files (gconstpointer a, gconstpointer b)
{
  const File *x = a, *y = b;

  if (x->module != y->module)
    return x->module < y->module ? -1 : 1;
  return x->order != y->order ? (x->order < y->order ? -1 : 1) : strcmp (x->path, y->path);
}

/* Returns TRUE if @prefix is the first parts of @name between its dots: "module_1000" is no prefix of a file of module_10000. A number
 * before the module may be left out. */
static gboolean
begins_with (const char *name, const char *prefix)
{
  const char *const module = strstr (name, "module_");
  const gsize length = strlen (prefix);

  return (g_str_has_prefix (name, prefix) && name[length] == '.')
         || (module != NULL && g_str_has_prefix (module, prefix) && module[length] == '.');
}

GArray *
ph_xla_list_files (const char *folder, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GArray *files = g_array_new (FALSE, TRUE, sizeof (File));

  g_array_set_clear_func (files, (GDestroyNotify) ph_xla_file_clear);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL && files->len < 100000;)
    {
      File file;

      if ((prefix != NULL && !begins_with (name, prefix)) || !ph_xla_parse_name (name, &file))
        continue;
      if (file.kind == PH_XLA_OTHER)
        {
          ph_xla_file_clear (&file);
          continue;
        }
      file.path = g_build_filename (folder, name, NULL);
      g_array_append_val (files, file);
    }
  return files;
}

/* Gives all files of one module the same run: how it is opened in its folder. A number is one module's, "module_0003", which a pass may have
 * given another name, unless two of its files are of one place in the order: then it is that of two runs, or of two modules of one. */
static void
name_modules (GArray *files)
{
  g_array_sort (files, compare_files);
  for (guint from = 0, to; from < files->len; from = to)
    {
      const File *first = &g_array_index (files, File, from);
      gboolean several = FALSE;

      for (to = from + 1; to < files->len && g_array_index (files, File, to).module == first->module; to++)
        {
          const File *before = &g_array_index (files, File, to - 1), *file = before + 1;

          several = several || (before->order == file->order && !g_str_equal (before->run, file->run));
        }
      for (guint i = from; !several && i < to; i++)
        {
          File *file = &g_array_index (files, File, i);

          g_free (file->run);
          file->run = g_strdup_printf ("module_%04" G_GUINT64_FORMAT, file->module);
        }
    }
}

/* "a, b and 3 more" */
static char *
join_names (const GPtrArray *names)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < names->len && i < MOST_LISTED; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", (char *) names->pdata[i]);
  if (names->len > MOST_LISTED)
    g_string_append_printf (list, " and %u more", names->len - MOST_LISTED);
  return g_string_free (list, FALSE);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *
ph_recording_list_modules (const char *folder)
{
  g_autoptr (GArray) files = ph_xla_list_files (folder, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *modules = g_ptr_array_new_with_free_func (g_free);

  name_modules (files);
  for (guint i = 0; i < files->len; i++)
    if (g_hash_table_add (seen, g_array_index (files, File, i).run))
      g_ptr_array_add (modules, g_strdup (g_array_index (files, File, i).run));
  g_ptr_array_sort (modules, compare_names);
  return modules;
}

void
ph_xla_choose_module (GArray *files, const char *folder, const char *prefix, GPtrArray *problems)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *best = NULL;
  guint most = 0, n = 0;

  name_modules (files);
  for (guint i = 0; i < files->len; i++)
    {
      char *run = g_array_index (files, File, i).run;
      const guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, run)) + 1;

      if (count == 1)
        g_ptr_array_add (names, run);
      g_hash_table_insert (counts, run, GUINT_TO_POINTER (count));
    }
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      const gboolean named = g_strcmp0 (prefix, names->pdata[i]) == 0;
      const guint count = named ? G_MAXUINT : GPOINTER_TO_UINT (g_hash_table_lookup (counts, names->pdata[i]));

      if (count > most)
        {
          most = count;
          best = names->pdata[i];
        }
    }
  if (names->len > 1 && most < G_MAXUINT && problems != NULL)
    {
      g_autofree char *list = join_names (names);

      g_ptr_array_add (problems, g_strdup_printf ("The folder holds %u modules; this is %s, of which most was written. "
                                                  "For another: open %s/NAME, where NAME is one of %s",
                                                  names->len, best, folder, list));
    }
  for (guint i = 0; i < files->len; i++)
    {
      File file = g_array_index (files, File, i);
      const gboolean kept = best == file.run || g_str_equal (best, file.run);

      g_array_index (files, File, i) = g_array_index (files, File, n);
      g_array_index (files, File, n) = file;
      n += kept;
    }
  g_array_set_size (files, n);
}

gboolean
ph_xla_is_dump (const char *path)
{
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *folder = is_folder ? g_strdup (path) : g_path_get_dirname (path),
                  *prefix = is_folder ? NULL : g_path_get_basename (path);
  g_autoptr (GArray) files = NULL;
  g_autoptr (GHashTable) modules = g_hash_table_new (NULL, NULL);

  if (!is_folder && (g_file_test (path, G_FILE_TEST_EXISTS) || strstr (prefix, "module_") == NULL))
    return FALSE;
  files = ph_xla_list_files (folder, prefix);
  for (guint i = 0; i < files->len; i++)
    g_hash_table_add (modules, GSIZE_TO_POINTER (g_array_index (files, File, i).module));
  return is_folder ? g_hash_table_size (modules) < files->len : files->len > 0;
}

gboolean
ph_xla_lacks_module (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path), *list = NULL;
  g_autoptr (GPtrArray) modules = NULL;

  if (strstr (name, "module_") == NULL || g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  modules = ph_recording_list_modules (folder);
  if (modules->len == 0)
    return FALSE;
  list = join_names (modules);
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s: there is no module '%s' in this folder. It has %s", folder, name, list);
  return TRUE;
}
