/* tree.c: the folders that mlir-opt writes with -mlir-print-ir-tree-dir, as the text of one dump.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/dump.h"

#define HEADER    PH_MLIR_DUMP_HEADER
#define MAX_DEPTH 32 /* of folders */
#define MAX_FILES 20000

typedef struct
{
  char *path;
  GArray *numbers;
} TreeFile;

static void
tree_file_free (gpointer data)
{
  TreeFile *file = data;

  g_free (file->path);
  g_array_unref (file->numbers);
  g_free (file);
}

/* "0_1_canonicalize.mlir" is number 1 in the pipeline that is number 0. */
static GArray *
numbers_of (const char *name)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (char *end; g_ascii_isdigit (*name); name = end + 1)
    {
      const guint64 number = g_ascii_strtoull (name, &end, 10);

      g_array_append_val (numbers, number);
      if (*end != '_')
        break;
    }
  return numbers;
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  const TreeFile *x = *(TreeFile *const *) a, *y = *(TreeFile *const *) b;

  for (guint i = 0; i < MIN (x->numbers->len, y->numbers->len); i++)
    if (g_array_index (x->numbers, guint64, i) != g_array_index (y->numbers, guint64, i))
      return g_array_index (x->numbers, guint64, i) < g_array_index (y->numbers, guint64, i) ? -1 : 1;
  if (x->numbers->len != y->numbers->len)
    return x->numbers->len < y->numbers->len ? -1 : 1;
  return strcmp (x->path, y->path);
}

static void
collect (const char *folder, guint depth, GPtrArray *files)
{
  g_autoptr (GDir) dir = depth < MAX_DEPTH ? g_dir_open (folder, 0, NULL) : NULL;

  for (const char *name; dir != NULL && files->len < MAX_FILES && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        continue;
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        collect (path, depth + 1, files);
      else if (g_ascii_isdigit (*name) && g_str_has_suffix (name, ".mlir"))
        {
          TreeFile *file = g_new0 (TreeFile, 1);

          file->path = g_steal_pointer (&path);
          file->numbers = numbers_of (name);
          g_ptr_array_add (files, file);
        }
    }
}

/* Returns TRUE for a tree of dumps, which has folders such as "builtin_module_no-symbol-name". */
static gboolean
is_tree (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *base = g_path_get_basename (folder);

  if (g_str_has_prefix (base, "builtin_module_"))
    return TRUE;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_prefix (name, "builtin_module_"))
      return TRUE;
  return FALSE;
}

char *
ph_mlir_dump_tree (const char *folder)
{
  g_autoptr (GPtrArray) files = NULL;
  GString *all;

  if (!is_tree (folder))
    return NULL;
  files = g_ptr_array_new_with_free_func (tree_file_free);
  collect (folder, 0, files);
  if (files->len == 0)
    return NULL;
  g_ptr_array_sort (files, compare_files);
  all = g_string_new (NULL);
  for (guint i = 0; i < files->len; i++)
    {
      const TreeFile *file = files->pdata[i];
      g_autofree char *text = NULL, *base = g_path_get_basename (file->path);
      gsize size;

      if (!g_file_get_contents (file->path, &text, &size, NULL))
        continue;
      if (g_strstr_len (text, (gssize) MIN (size, 200), HEADER) == NULL)
        {
          const char *name = base + strspn (base, "0123456789_");

          g_string_append_printf (all, HEADER "After %.*s (%.*s) //----- //\n", (int) strcspn (name, "."), name,
                                  (int) strcspn (name, "."), name);
        }
      g_string_append_len (all, text, (gssize) size);
      g_string_append_c (all, '\n');
    }
  return g_string_free (all, FALSE);
}
