/* keep.c: what a scene takes over from the one before it, when steps were added: boxes, their places, and the lines between.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layout/scene-private.h"

/* The output boxes of a graph have no id of their own. */
static guint64
output_key (const PhLife *life)
{
  return (guint64) life->id << 32 | life->index;
}

int *
ph_scene_known_lives (PhScene *scene, PhScene *previous)
{
  const guint n = scene->record->lives->len;
  int *known = g_new (int, n + 1);
  g_autoptr(GHashTable) outputs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < previous->record->lives->len; i++)
    {
      const PhLife *life = ph_scene_life (previous, i);
      const guint64 key = output_key (life);

      if (life->kind == PH_LIFE_OUTPUT)
        g_hash_table_insert (outputs, g_memdup2 (&key, sizeof key), GINT_TO_POINTER (i + 1));
    }
  for (guint i = 0; i < n; i++)
    {
      const PhLife *life = ph_scene_life (scene, i);
      const guint64 key = output_key (life);
      const int before = GPOINTER_TO_INT (life->kind == PH_LIFE_OUTPUT
                                          ? g_hash_table_lookup (outputs, &key)
                                          : g_hash_table_lookup (previous->record->by_id, GUINT_TO_POINTER (life->id))) - 1;

      known[i] = before >= 0 && previous->box_of_life[before] >= 0 ? previous->box_of_life[before] : -1;
    }
  return known;
}

gboolean
ph_scene_fits (PhScene *scene, int life, PhScene *previous, int box)
{
  const PhRect *rect = &ph_scene_box (previous, box)->rect;
  const GArray *faces = ph_scene_life (scene, life)->faces;

  for (guint f = 0; f < faces->len; f++)
    {
      const PhFace *face = ph_faces_get (scene->record->faces, g_array_index (faces, PhFaceChange, f).face);

      if (face->width > rect->width + PH_SCENE_ROOM || face->height > rect->height + PH_SCENE_ROOM)
        return FALSE;
    }
  return TRUE;
}

/* Groups are known by their paths. */
void
ph_scene_know_groups (PhSceneBuild *build)
{
  PhScene *scene = build->scene, *previous = build->options->previous;
  const guint n_known = build->n_known;
  g_autoptr(GHashTable) paths = NULL;

  if (previous == NULL)
    return;
  paths = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint b = 0; b < ph_scene_n_boxes (previous); b++)
    if (ph_scene_box (previous, b)->kind == PH_BOX_GROUP && ph_scene_box (previous, b)->path != NULL)
      g_hash_table_insert (paths, (gpointer) ph_scene_box (previous, b)->path, GINT_TO_POINTER (b + 1));
  build->known = g_renew (int, build->known, scene->boxes->len + 1);
  for (guint b = n_known; b < scene->boxes->len; b++)
    build->known[b] = GPOINTER_TO_INT (g_hash_table_lookup (paths, ph_scene_box (scene, b)->path)) - 1;
  build->n_known = scene->boxes->len;
}

gboolean
ph_scene_kept_edge (PhSceneBuild *build, int from, int to, int source, int *edge)
{
  PhScene *previous = build->options->previous;
  const int a = previous != NULL ? build->known[from] : -1, b = previous != NULL ? build->known[to] : -1;
  const int s = previous != NULL ? build->known[source] : -1;
  const int *edges;
  guint n = 0;

  if (a < 0 || b < 0)
    return FALSE;
  edges = ph_scene_edges_from (previous, a, &n);
  for (guint i = 0; i < n; i++)
    if (ph_scene_edge (previous, edges[i])->to == b && ph_scene_edge (previous, edges[i])->source == s
        && ph_scene_edge (previous, edges[i])->n_points >= 4)
      {
        *edge = edges[i];
        return TRUE;
      }
  return FALSE;
}
