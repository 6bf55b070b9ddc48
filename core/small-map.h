/* small-map.h: a map from pointers to pointers that needs no memory of its own for a few entries.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PH_SMALL_MAP_SIZE 16

/* The first PH_SMALL_MAP_SIZE entries are searched one by one, which costs less than making a hash table; with more, all are in @table. */
typedef struct
{
  guint n;
  GHashTable *table; /* (nullable) */
  gpointer keys[PH_SMALL_MAP_SIZE], values[PH_SMALL_MAP_SIZE];
} PhSmallMap;

static inline void
ph_small_map_init (PhSmallMap *map)
{
  map->n = 0;
  map->table = NULL;
}

static inline void
ph_small_map_clear (PhSmallMap *map)
{
  g_clear_pointer (&map->table, g_hash_table_unref);
  map->n = 0;
}

/* NULL: there is no such key. */
static inline gpointer
ph_small_map_lookup (const PhSmallMap *map, gconstpointer key)
{
  if (map->table != NULL)
    return g_hash_table_lookup (map->table, key);
  for (guint i = 0; i < MIN (map->n, PH_SMALL_MAP_SIZE); i++)
    if (map->keys[i] == key)
      return map->values[i];
  return NULL;
}

/* @value is not NULL. */
void ph_small_map_set (PhSmallMap *map, gpointer key, gpointer value);

typedef struct
{
  const PhSmallMap *map;
  guint i;
  GHashTableIter iter;
} PhSmallMapIter;

static inline void
ph_small_map_iter_init (PhSmallMapIter *iter, const PhSmallMap *map)
{
  iter->map = map;
  iter->i = 0;
  if (map->table != NULL)
    g_hash_table_iter_init (&iter->iter, map->table);
}

/* FALSE: there are no more. @key and @value: (optional) */
static inline gboolean
ph_small_map_iter_next (PhSmallMapIter *iter, gpointer *key, gpointer *value)
{
  const guint i = iter->i;

  if (iter->map->table != NULL)
    return g_hash_table_iter_next (&iter->iter, key, value);
  if (i >= MIN (iter->map->n, PH_SMALL_MAP_SIZE))
    return FALSE;
  if (key != NULL)
    *key = iter->map->keys[i];
  if (value != NULL)
    *value = iter->map->values[i];
  iter->i++;
  return TRUE;
}

G_END_DECLS
