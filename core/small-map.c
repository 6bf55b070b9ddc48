/* small-map.c: puts an entry into a small map.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/small-map.h"

void
ph_small_map_set (PhSmallMap *map, gpointer key, gpointer value)
{
  if (map->table == NULL)
    {
      for (guint i = 0; i < MIN (map->n, PH_SMALL_MAP_SIZE); i++)
        if (map->keys[i] == key)
          {
            map->values[i] = value;
            return;
          }
      if (map->n < PH_SMALL_MAP_SIZE)
        {
          map->keys[map->n] = key;
          map->values[map->n++] = value;
          return;
        }
      map->table = g_hash_table_new (NULL, NULL);
      for (guint i = 0; i < PH_SMALL_MAP_SIZE; i++)
        g_hash_table_insert (map->table, map->keys[i], map->values[i]);
    }
  g_hash_table_insert (map->table, key, value);
}
