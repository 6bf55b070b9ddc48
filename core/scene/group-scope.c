/* group-scope.c: groups by the scopes in node names: "/layers.0/attn/MatMul" belongs to attn in layers.0.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

static int
scope_group (PhScene *scene, GHashTable *groups, const char *path)
{
  const char *slash = strrchr (path, '/');
  int group = GPOINTER_TO_INT (g_hash_table_lookup (groups, path)) - 1;

  if (group >= 0 || *path == 0)
    return group;
  group = ph_scene_add_group (scene, path, slash != NULL ? slash + 1 : path);
  g_hash_table_insert (groups, (gpointer) ph_scene_box (scene, group)->path, GINT_TO_POINTER (group + 1));
  if (slash != NULL)
    {
      g_autofree char *above = g_strndup (path, slash - path);
      const int parent = scope_group (scene, groups, above);

      ph_scene_box_at (scene, group)->parent = parent;
    }
  return group;
}

/* Moves boxes without a scope into the group that contains all their neighbours. */
static void
adopt (PhSceneBuild *build, int n_leaves)
{
  PhScene *scene = build->scene;
  g_autofree int *home = g_new (int, n_leaves + 1);

  for (int b = 0; b < n_leaves; b++)
    home[b] = -2;
  for (guint i = 0; i < build->union_edges->len; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);
      const int ends[2] = { edge->from, edge->to };

      if (edge->from < 0)
        continue;

      for (int k = 0; k < 2; k++)
        {
          const int other = ph_scene_box (scene, ends[1 - k])->parent;

          if (home[ends[k]] == -2)
            home[ends[k]] = other;
          else if (home[ends[k]] != other)
            home[ends[k]] = -1;
        }
    }
  for (int b = 0; b < n_leaves; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      if (box->parent < 0 && box->kind == PH_BOX_NODE && home[b] >= 0 && !ph_scene_is_settled (build, b))
        box->parent = home[b];
    }
}

static gboolean
is_in_block (PhScene *scene, int box)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhTenant *first = at->n_tenants > 0 ? ph_scene_tenant_at (scene, at->first_tenant) : NULL;

  return first != NULL && ph_scene_face (scene, first, first->born)->block != NULL;
}

void
ph_scene_group_by_scope (PhSceneBuild *build, int n_leaves)
{
  PhScene *scene = build->scene;
  g_autoptr (GHashTable) groups = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree int *n_children = NULL;

  for (guint b = n_leaves; b < scene->boxes->len; b++)
    g_hash_table_insert (groups, (gpointer) ph_scene_box (scene, b)->path, GUINT_TO_POINTER (b + 1));
  for (int b = 0; b < n_leaves; b++)
    if (ph_scene_box (scene, b)->parent < 0 && ph_scene_box (scene, b)->path != NULL && !ph_scene_is_settled (build, b))
      {
        const int group = scope_group (scene, groups, ph_scene_box (scene, b)->path);

        ph_scene_box_at (scene, b)->parent = group;
      }
  adopt (build, n_leaves);

  /* A group of a single child is dissolved, unless it is a block; the child keeps the longer title. */
  n_children = g_new0 (int, scene->boxes->len + 1);
  for (guint b = 0; b < scene->boxes->len; b++)
    if (ph_scene_box (scene, b)->parent >= 0)
      n_children[ph_scene_box (scene, b)->parent]++;
  for (guint b = 0; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      while (box->parent >= 0 && n_children[box->parent] == 1 && !is_in_block (scene, b)
             && ph_scene_box (scene, box->parent)->kind == PH_BOX_GROUP && !ph_scene_is_settled (build, b)
             && !ph_scene_is_settled (build, box->parent))
        {
          const PhSceneBox *above = ph_scene_box (scene, box->parent);

          if (box->kind == PH_BOX_GROUP)
            {
              g_autofree char *title = g_strdup_printf ("%s/%s", above->title, box->title);

              box->title = ph_faces_string (scene->record->faces, title);
            }
          n_children[box->parent] = 0;
          box->parent = above->parent;
        }
    }
}
