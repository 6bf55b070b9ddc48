/* choose.c: finds one of several modules of a file by its name or its number.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/choose.h"

#include <string.h>

#include "core/io/format.h"
#include "core/nearest.h"

#define MOST_LISTED 20

char *
ph_source_list_parts (const PhSource *source)
{
  const guint n = source->parts != NULL ? source->parts->len : 0;
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < n && i < MOST_LISTED; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", (char *) source->parts->pdata[i]);
  if (n > MOST_LISTED)
    g_string_append_printf (list, " and %u more", n - MOST_LISTED);
  return g_string_free (list, FALSE);
}

/* Makes every name another one: those that several have, or none, get their number. */
static GPtrArray *
tell_apart (const GPtrArray *names, const char *kind)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *apart = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < names->len; i++)
    if (names->pdata[i] != NULL)
      g_hash_table_insert (counts, names->pdata[i],
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, names->pdata[i])) + 1));
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      const gboolean alone = name != NULL && *name != '\0' && GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) == 1;

      g_ptr_array_add (apart,
                       alone ? g_strdup (name) : g_strdup_printf ("%s#%u", name != NULL && *name != '\0' ? name : kind, i + 1));
    }
  return apart;
}

gboolean
ph_source_choose (PhSource *source, const GPtrArray *names, const char *kind, guint *chosen, GError **error)
{
  g_autoptr (GPtrArray) apart = tell_apart (names, kind);
  g_autofree char *list = NULL;
  const char *nearest;
  guint64 number;

  *chosen = G_MAXUINT;
  g_clear_pointer (&source->parts, g_ptr_array_unref);
  if (apart->len > 1)
    source->parts = g_ptr_array_ref (apart);
  if (source->part == NULL || g_ptr_array_find_with_equal_func (apart, source->part, g_str_equal, chosen))
    return TRUE;
  if (g_ascii_string_to_unsigned (source->part, 10, 1, MAX (apart->len, 1), &number, NULL) && apart->len > 0)
    {
      *chosen = (guint) number - 1;
      return TRUE;
    }
  nearest = ph_nearest (source->part, (const char *const *) apart->pdata, apart->len);
  list = source->parts != NULL ? ph_source_list_parts (source) : g_strdup (apart->len > 0 ? apart->pdata[0] : "nothing");
  if (nearest != NULL)
    ph_source_fail (source, error, PH_ERROR_NOT_FOUND, NULL, "there is no %s '%s' in it; did you mean '%s'? It has %s", kind,
                    source->part, nearest, list);
  else
    ph_source_fail (source, error, PH_ERROR_NOT_FOUND, NULL, "there is no %s '%s' in it: it has %s", kind, source->part, list);
  return FALSE;
}

/* Returns TRUE if a file of @folder is one of the module @name, which its name begins with, after a time or not. */
static gboolean
has_module (const char *folder, const char *name)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *prefix = g_strconcat (name, ".", NULL);

  for (const char *entry; dir != NULL && (entry = g_dir_read_name (dir)) != NULL;)
    {
      const gsize digits = strspn (entry, "0123456789");

      if (g_str_has_prefix (entry, prefix) || (entry[digits] == '.' && g_str_has_prefix (entry + digits + 1, prefix)))
        return TRUE;
    }
  return FALSE;
}

char *
ph_io_file_of (const char *path)
{
  g_autofree char *above = g_path_get_dirname (path), *name = g_path_get_basename (path);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_strdup (path);
  if (g_str_equal (above, path) || g_str_equal (above, "."))
    return NULL;
  if (g_file_test (above, G_FILE_TEST_IS_DIR))
    return has_module (above, name) ? g_steal_pointer (&above) : NULL;
  return ph_io_file_of (above);
}

char *
ph_io_display_name (const char *path)
{
  g_autofree char *file = ph_io_file_of (path), *name = file != NULL ? g_filename_display_basename (file) : NULL;

  if (file == NULL || g_str_equal (file, path))
    return g_filename_display_basename (path);
  return g_strconcat (name, path + strlen (file), NULL);
}
