/* carry-over.c: carries boxes, their places and the lines between them over from the previous scene when steps were added.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

/* Returns a key for an output box of a graph, which has no id of its own. */
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
  g_autoptr (GHashTable) outputs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

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
      const int before = life->kind == PH_LIFE_OUTPUT ? GPOINTER_TO_INT (g_hash_table_lookup (outputs, &key)) - 1
                                                      : ph_record_life_of (previous->record, life->id);

      known[i] = before >= 0 && previous->box_of_life[before] >= 0 ? previous->box_of_life[before] : -1;
    }
  return known;
}

gboolean
ph_scene_fits (PhScene *scene, int life, PhScene *previous, int box)
{
  const PhRect *rect = &ph_scene_box (previous, box)->rect;
  PhLife *of = ph_scene_life (scene, life);

  for (guint f = 0; f < of->n_faces; f++)
    {
      const PhFace *face = ph_faces_get (scene->record->faces, ph_life_face (of, f)->face);

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
  g_autoptr (GHashTable) paths = NULL;

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

/* ── groups ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

gboolean
ph_scene_is_settled (PhSceneBuild *build, int box)
{
  const PhSceneBox *at = ph_scene_box (build->scene, box);

  if (build->kept_groups == NULL)
    return FALSE;
  return at->kind == PH_BOX_GROUP ? g_hash_table_contains (build->kept_groups, at->path) : build->known[box] >= 0;
}

/* Returns the innermost group around @group in which nothing needs room: closed, or not there before. -1: the whole. */
static int
spared (PhSceneBuild *build, int group)
{
  while (group >= 0 && ph_scene_box (build->scene, group)->kind == PH_BOX_GROUP
         && g_hash_table_lookup (build->kept_groups, ph_scene_box (build->scene, group)->path) == GINT_TO_POINTER (TRUE))
    group = ph_scene_box (build->scene, group)->parent;
  return group;
}

void
ph_scene_spare_open (PhSceneBuild *build)
{
  for (guint b = 0; b < build->scene->boxes->len && build->kept_groups != NULL; b++)
    if (!ph_scene_is_settled (build, b))
      {
        PhSceneBox *box = ph_scene_box_at (build->scene, b);

        box->parent = spared (build, box->parent);
      }
}

/* Puts a new node into the group of its producer, or of its user. */
static void
join_groups (PhSceneBuild *build)
{
  PhScene *scene = build->scene;

  for (int towards = 0; towards < 2; towards++)
    for (guint i = 0; i < build->union_edges->len; i++)
      {
        const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);
        const int mine = towards == 0 ? edge->to : edge->from, other = towards == 0 ? edge->from : edge->to;
        PhSceneBox *box;

        if (edge->from < 0 || ph_scene_is_settled (build, mine))
          continue;
        box = ph_scene_box_at (scene, mine);
        if (box->kind == PH_BOX_NODE && box->parent < 0 && ph_scene_box (scene, other)->kind == PH_BOX_NODE
            && ph_scene_box (scene, other)->backward == box->backward)
          box->parent = spared (build, ph_scene_box (scene, other)->parent);
      }
}

void
ph_scene_keep_groups (PhSceneBuild *build)
{
  PhScene *scene = build->scene, *previous = build->options->previous;
  const guint n_leaves = scene->boxes->len;
  g_autofree int *now = NULL;

  if (previous == NULL)
    return;
  build->kept_groups = g_hash_table_new (g_str_hash, g_str_equal);
  now = g_new (int, ph_scene_n_boxes (previous) + 1);
  for (guint b = 0; b < ph_scene_n_boxes (previous); b++)
    {
      const PhSceneBox *group = ph_scene_box (previous, b);

      now[b] = group->kind == PH_BOX_GROUP ? ph_scene_add_group (scene, group->path, group->title) : -1;
      if (now[b] >= 0)
        g_hash_table_insert (build->kept_groups, (gpointer) ph_scene_box (scene, now[b])->path, GINT_TO_POINTER (group->open));
    }
  for (guint b = 0; b < ph_scene_n_boxes (previous); b++)
    if (now[b] >= 0 && ph_scene_box (previous, b)->parent >= 0)
      ph_scene_box_at (scene, now[b])->parent = now[ph_scene_box (previous, b)->parent];
  for (guint b = 0; b < n_leaves; b++)
    {
      const int before = build->known[b] >= 0 ? ph_scene_box (previous, build->known[b])->parent : -1;

      if (before >= 0 && now[before] >= 0)
        ph_scene_box_at (scene, b)->parent = now[before];
    }
  join_groups (build);
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
