/* group.c: groups the boxes of a large graph: by the scopes of their names, or by regions with few edges between them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout/layered.h"
#include "core/layout/scene-private.h"

#define REGION_MIN 12          /* boxes that a region has at least  */
#define MANY_GROUPS 60         /* more than that are bundled again   */

static int
add_group (PhScene *scene, const char *path, const char *title)
{
  PhSceneBox box = { .kind = PH_BOX_GROUP, .parent = -1, .can_open = TRUE };

  box.path = ph_faces_string (scene->record->faces, path);
  box.title = ph_faces_string (scene->record->faces, title);
  g_array_append_val (scene->boxes, box);
  return scene->boxes->len - 1;
}

/* ── by scope ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static int
scope_group (PhScene *scene, GHashTable *groups, const char *path)
{
  const char *slash = strrchr (path, '/');
  int group = GPOINTER_TO_INT (g_hash_table_lookup (groups, path)) - 1;

  if (group >= 0 || *path == 0)
    return group;
  group = add_group (scene, path, slash != NULL ? slash + 1 : path);
  g_hash_table_insert (groups, (gpointer) ph_scene_box (scene, group)->path, GINT_TO_POINTER (group + 1));
  if (slash != NULL)
    {
      g_autofree char *above = g_strndup (path, slash - path);
      const int parent = scope_group (scene, groups, above);

      ph_scene_box_at (scene, group)->parent = parent;
    }
  return group;
}

/* Boxes without a scope whose neighbours all lie in one group go there. */
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

      if (box->parent < 0 && box->kind == PH_BOX_NODE && home[b] >= 0)
        box->parent = home[b];
    }
}

static void
group_by_scope (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const int n_leaves = scene->boxes->len;
  g_autoptr(GHashTable) groups = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree int *n_children = NULL;

  for (int b = 0; b < n_leaves; b++)
    if (ph_scene_box (scene, b)->parent < 0 && ph_scene_box (scene, b)->path != NULL)
      {
        const int group = scope_group (scene, groups, ph_scene_box (scene, b)->path);

        ph_scene_box_at (scene, b)->parent = group;
      }
  adopt (build, n_leaves);

  /* A group of one thing is no group; the thing keeps the longer title. */
  n_children = g_new0 (int, scene->boxes->len + 1);
  for (guint b = 0; b < scene->boxes->len; b++)
    if (ph_scene_box (scene, b)->parent >= 0)
      n_children[ph_scene_box (scene, b)->parent]++;
  for (guint b = 0; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      while (box->parent >= 0 && n_children[box->parent] == 1 && ph_scene_box (scene, box->parent)->kind == PH_BOX_GROUP)
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

/* ── by regions ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Layers between which few values pass are borders: in a chain of blocks, those between the blocks. */
static void
group_by_region (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const int n = scene->boxes->len, n_edges = build->union_edges->len;
  PhLayout *layout = ph_layout_new (n, n_edges);
  g_autofree int *rank = g_new0 (int, n + 1), *reach = g_new0 (int, n + 1), *passing = NULL, *size = NULL, *group_of = NULL;
  g_autofree guint8 *reversed = g_new0 (guint8, n_edges + 1);
  g_autoptr(GArray) groups = g_array_new (FALSE, FALSE, sizeof (int));
  int n_layers, group = -1, in_group = 0, least = G_MAXINT;

  for (int i = 0; i < n_edges; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);

      layout->edges[i].from = MAX (edge->from, 0);
      layout->edges[i].to = edge->from < 0 ? 0 : edge->to;      /* a loop, which ranking skips */
    }
  n_layers = ph_layered_rank (layout, rank, reversed);
  passing = g_new0 (int, n_layers + 2);
  size = g_new0 (int, n_layers + 2);
  group_of = g_new (int, n_layers + 1);
  for (int i = 0; i < n_edges; i++)
    {
      const PhLayoutEdge *edge = &layout->edges[i];
      const int from = reversed[i] ? edge->to : edge->from, to = reversed[i] ? edge->from : edge->to;

      reach[from] = MAX (reach[from], rank[to]);
    }
  for (int b = 0; b < n; b++)
    {
      if (ph_scene_box (scene, b)->parent < 0)
        size[rank[b]]++;
      if (reach[b] > rank[b])           /* passes the borders below layers rank .. reach - 1 */
        {
          passing[rank[b]]++;
          passing[reach[b]]--;
        }
    }
  for (int r = 1; r < n_layers; r++)
    passing[r] += passing[r - 1];
  for (int r = 0; r < n_layers - 1; r++)
    least = MIN (least, MAX (passing[r], 1));
  for (int r = 0; r < n_layers; r++)
    {
      if (group < 0)
        {
          g_autofree char *path = g_strdup_printf ("region %u", groups->len + 1);

          group = add_group (scene, path, path);
          g_array_append_val (groups, group);
          in_group = 0;
        }
      group_of[r] = group;
      in_group += size[r];
      if (in_group >= REGION_MIN && (passing[r] <= least || (in_group >= 6 * REGION_MIN && passing[r] <= 2 * least)
                                     || in_group >= 30 * REGION_MIN))
        group = -1;
    }
  for (int b = 0; b < n; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      if (box->parent < 0 && box->kind == PH_BOX_NODE)
        box->parent = group_of[rank[b]];
    }
  ph_layout_free (layout);

  /* Too many for one picture: bundles of neighbours, again and again. */
  while (groups->len > MANY_GROUPS)
    {
      const guint bundle = MAX (8, (guint) sqrt (groups->len) / 2);
      g_autoptr(GArray) bundles = g_array_new (FALSE, FALSE, sizeof (int));

      for (guint first = 0; first < groups->len; first += bundle)
        {
          const guint last = MIN (first + bundle, groups->len) - 1;
          const PhSceneBox *a = ph_scene_box (scene, g_array_index (groups, int, first));
          const PhSceneBox *b = ph_scene_box (scene, g_array_index (groups, int, last));
          const char *from = strchr (a->title, ' ') + 1, *to = strrchr (b->title, ' ') + 1;
          g_autofree char *start = g_strndup (from, strcspn (from, " ")), *path = g_strdup_printf ("regions %s – %s", start, to);
          const int above = add_group (scene, path, path);

          for (guint i = first; i <= last; i++)
            ph_scene_box_at (scene, g_array_index (groups, int, i))->parent = above;
          g_array_append_val (bundles, above);
        }
      g_array_set_size (groups, 0);
      g_array_append_vals (groups, bundles->data, bundles->len);
    }
}

/* ── children, patterns, what is open ───────────────────────────────────────────────────────────────────────────── */

static void
index_children (PhScene *scene)
{
  const int n = scene->boxes->len;
  g_autofree int *fill = NULL;

  scene->child_start = g_new0 (int, n + 3);
  scene->children = g_new (int, n + 1);
  for (int b = 0; b < n; b++)
    scene->child_start[(ph_scene_box (scene, b)->parent < 0 ? n : ph_scene_box (scene, b)->parent) + 1]++;
  for (int b = 0; b <= n; b++)
    scene->child_start[b + 1] += scene->child_start[b];
  fill = g_memdup2 (scene->child_start, sizeof (int) * (n + 2));
  for (int b = 0; b < n; b++)
    {
      const int parent = ph_scene_box (scene, b)->parent;

      scene->children[fill[parent < 0 ? n : parent]++] = b;
    }
}

/* Counts what is inside and hashes it: operators in order, and how deep. */
static guint
survey (PhScene *scene, int group, guint depth)
{
  PhSceneBox *box = ph_scene_box_at (scene, group);
  guint hash = 5381;

  for (int i = scene->child_start[group]; i < scene->child_start[group + 1]; i++)
    {
      const int child = scene->children[i];
      PhSceneBox *inside = ph_scene_box_at (scene, child);
      guint part;

      inside->depth = depth + 1;
      if (scene->child_start[child] != scene->child_start[child + 1])
        {
          part = survey (scene, child, depth + 1);
          box->n_inside += inside->n_inside + (inside->kind == PH_BOX_NODE);
        }
      else
        {
          const PhTenant *tenant = inside->n_tenants > 0 ? &g_array_index (scene->tenants, PhTenant, inside->first_tenant) : NULL;
          const PhFace *face = tenant != NULL ? ph_scene_face (scene, tenant, 0) : NULL;

          part = face != NULL ? g_str_hash (face->title) * 31 + (face->detail != NULL ? g_str_hash (face->detail) : 0) : 1;
          box->n_inside += inside->kind == PH_BOX_NODE;
        }
      hash = hash * 33 + part;
    }
  box->pattern = hash;
  return hash;
}

/* Equal hashes become one small number each; what occurs once has none. */
static void
number_patterns (PhScene *scene, guint first_group)
{
  g_autoptr(GHashTable) counts = g_hash_table_new (NULL, NULL), numbers = g_hash_table_new (NULL, NULL);
  guint next = 1;

  for (guint b = first_group; b < scene->boxes->len; b++)
    {
      const gpointer hash = GUINT_TO_POINTER (ph_scene_box (scene, b)->pattern);

      g_hash_table_insert (counts, hash, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, hash)) + 1));
    }
  for (guint b = first_group; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);
      const gpointer hash = GUINT_TO_POINTER (box->pattern);
      const guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, hash));
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, hash));
      g_autofree char *detail = NULL;

      if (count > 1 && number == 0)
        {
          number = next++;
          g_hash_table_insert (numbers, hash, GUINT_TO_POINTER (number));
        }
      box->pattern = count > 1 ? number : 0;
      detail = count > 1 ? g_strdup_printf ("%u nodes, one of %u alike", box->n_inside, count)
                         : g_strdup_printf ("%u nodes", box->n_inside);
      box->detail = ph_faces_string (scene->record->faces, detail);
    }
}

static gboolean
asked_open (PhSceneBuild *build, int box)
{
  const PhSceneBox *at = ph_scene_box (build->scene, box);

  if (build->options->open == NULL)
    return FALSE;
  if (at->kind == PH_BOX_GROUP)
    return g_hash_table_contains (build->options->open, at->path);
  for (guint t = 0; t < at->n_tenants; t++)
    {
      char name[16];

      g_snprintf (name, sizeof name, "n%u", g_array_index (build->scene->tenants, PhTenant, at->first_tenant + t).id);
      if (g_hash_table_contains (build->options->open, name))
        return TRUE;
    }
  return FALSE;
}

/* How many boxes more it takes to open @group and those beside it that are alike: all of them, or none. */
static int
boxes_to_open (PhScene *scene, int group)
{
  const PhSceneBox *box = ph_scene_box (scene, group);
  const int parent = box->parent < 0 ? (int) scene->boxes->len : box->parent;
  int more = 0;

  for (int i = scene->child_start[parent]; i < scene->child_start[parent + 1]; i++)
    {
      const int beside = scene->children[i];

      if (beside == group || (box->pattern > 0 && ph_scene_box (scene, beside)->kind == PH_BOX_GROUP
                              && ph_scene_box (scene, beside)->pattern == box->pattern))
        more += scene->child_start[beside + 1] - scene->child_start[beside] - 1;
    }
  return more;
}

/* Opens groups from the outside in, as long as the picture stays readable. */
static void
open_groups (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const int n = scene->boxes->len;
  g_autoptr(GQueue) queue = g_queue_new ();
  g_autoptr(GHashTable) decided = g_hash_table_new (NULL, NULL);      /* pattern -> 1: open, 2: closed */
  int shown = scene->child_start[n + 1] - scene->child_start[n];

  for (int i = scene->child_start[n]; i < scene->child_start[n + 1]; i++)
    g_queue_push_tail (queue, GINT_TO_POINTER (scene->children[i]));
  while (!g_queue_is_empty (queue))
    {
      const int b = GPOINTER_TO_INT (g_queue_pop_head (queue));
      PhSceneBox *box = ph_scene_box_at (scene, b);
      const int inside = scene->child_start[b + 1] - scene->child_start[b];

      box->shown = TRUE;
      box->can_open = inside > 0;
      box->open = inside > 0 && asked_open (build, b);
      if (inside > 0 && box->kind == PH_BOX_GROUP && build->options->open == NULL && build->options->open_all > 0)
        {
          const gpointer key = GUINT_TO_POINTER (box->pattern > 0 ? box->pattern : G_MAXUINT - b);
          int choice = GPOINTER_TO_INT (g_hash_table_lookup (decided, key));

          if (choice == 0)
            {
              choice = shown + boxes_to_open (scene, b) <= (int) build->options->open_all ? 1 : 2;
              g_hash_table_insert (decided, key, GINT_TO_POINTER (choice));
            }
          box->open = choice == 1;
        }
      if (!box->open)
        continue;
      shown += inside - 1;
      for (int i = scene->child_start[b]; i < scene->child_start[b + 1]; i++)
        g_queue_push_tail (queue, GINT_TO_POINTER (scene->children[i]));
    }
}

void
ph_scene_group (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const guint n_leaves = scene->boxes->len;
  guint n_scoped = 0, n_nodes = 0;

  for (guint b = 0; b < n_leaves; b++)
    if (ph_scene_box (scene, b)->kind == PH_BOX_NODE && ph_scene_box (scene, b)->parent < 0)
      {
        n_nodes++;
        n_scoped += ph_scene_box (scene, b)->path != NULL && *ph_scene_box (scene, b)->path != 0;
      }
  if (build->options->by_scope && n_scoped > n_nodes / 2)
    group_by_scope (build);
  else if (build->options->by_scope)
    group_by_region (build);
  /* Groups came behind the boxes that the sizes of pills are kept for. */
  build->column = g_renew (float, build->column, scene->boxes->len + 1);
  build->stack = g_renew (float, build->stack, scene->boxes->len + 1);
  for (guint b = n_leaves; b <= scene->boxes->len; b++)
    build->column[b] = build->stack[b] = 0;
  for (guint b = 0; b < n_leaves; b++)
    ph_scene_box_at (scene, b)->path = NULL;
  index_children (scene);
  for (int i = scene->child_start[scene->boxes->len]; i < scene->child_start[scene->boxes->len + 1]; i++)
    if (scene->child_start[scene->children[i]] != scene->child_start[scene->children[i] + 1])
      survey (scene, scene->children[i], 0);
  number_patterns (scene, n_leaves);
  open_groups (build);
}
