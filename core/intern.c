/* intern.c: one copy of each name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"

static GRWLock lock;
static GHashTable *names;

const char *
ph_intern (const char *string)
{
  const char *known = NULL;

  if (string == NULL)
    return NULL;
  g_rw_lock_reader_lock (&lock);
  if (names != NULL)
    known = g_hash_table_lookup (names, string);
  g_rw_lock_reader_unlock (&lock);
  if (known != NULL)
    return known;

  g_rw_lock_writer_lock (&lock);
  if (names == NULL)
    names = g_hash_table_new (g_str_hash, g_str_equal);
  /* Another thread may have been faster between the two locks. */
  known = g_hash_table_lookup (names, string);
  if (known == NULL)
    {
      known = g_strdup (string);
      g_hash_table_add (names, (gpointer) known);
    }
  g_rw_lock_writer_unlock (&lock);
  return known;
}
