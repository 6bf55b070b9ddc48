/* where.c: source locations of nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/where.h"

#include <string.h>

#include "core/intern.h"

static guint
where_hash (gconstpointer key)
{
  const PhWhere *where = key;
  const guint64 parts[] = { GPOINTER_TO_SIZE (where->file), where->line, where->column, GPOINTER_TO_SIZE (where->outer) };
  guint64 hash = 0;

  /* Files of a dump, names beside each other, have lines of the same numbers: each part has to move all bits. */
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    hash = (hash + parts[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (hash >> 32);
}

static gboolean
where_equal (gconstpointer a, gconstpointer b)
{
  const PhWhere *x = a, *y = b;

  return x->file == y->file && x->line == y->line && x->column == y->column && x->own == y->own && x->outer == y->outer;
}

const PhWhere *
ph_where_new (const char *file, guint line, guint column, gboolean own, const PhWhere *outer)
{
  static GHashTable *places;
  static GMutex mutex;
  const PhWhere key = { ph_intern (file), line, column, own, outer };
  PhWhere *found;

  if ((key.file == NULL || *key.file == '\0') && line == 0)
    return outer;
  g_mutex_lock (&mutex);
  if (places == NULL)
    places = g_hash_table_new (where_hash, where_equal);
  found = g_hash_table_lookup (places, &key);
  if (found == NULL)
    {
      found = g_memdup2 (&key, sizeof key);
      g_hash_table_add (places, found);
    }
  g_mutex_unlock (&mutex);
  return found;
}

char *
ph_where_to_string (const PhWhere *where, gboolean outer)
{
  GString *text = g_string_new (where->file);

  if (where->line > 0)
    g_string_append_printf (text, ":%u", where->line);
  if (where->line > 0 && where->column > 0)
    g_string_append_printf (text, ":%u", where->column);
  if (outer && where->outer != NULL && !where->outer->own)
    {
      g_autofree char *rest = ph_where_to_string (where->outer, TRUE);

      g_string_append_printf (text, ", in %s", rest);
    }
  return g_string_free (text, FALSE);
}

/* Takes ":12" off the end of @text. Returns FALSE if there is no number. */
static gboolean
take_number (char *text, guint *number)
{
  char *colon = strrchr (text, ':');
  guint64 value;

  if (colon == NULL || colon == text || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXUINT, &value, NULL))
    return FALSE;
  *colon = '\0';
  *number = (guint) value;
  return TRUE;
}

const PhWhere *
ph_where_parse (const char *const *texts, guint n)
{
  const PhWhere *where = NULL;

  for (guint i = MIN (n, 100); i-- > 0;)
    {
      g_autofree char *file = g_utf8_make_valid (texts[i], -1);
      guint last = 0, line = 0;

      if (*file == '\0')
        continue;
      if (take_number (file, &last) && !take_number (file, &line))
        {
          line = last;
          last = 0;
        }
      where = ph_where_new (file, line, last, FALSE, where);
    }
  return where;
}
