/* group.c: groups the boxes of a large graph, and decides which groups are open initially.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

#define FEW_ENDS 12 /* inputs, or outputs, that stay outside of groups          */

int
ph_scene_add_group (PhScene *scene, const char *path, const char *title)
{
  PhSceneBox box = { .kind = PH_BOX_GROUP, .parent = -1, .can_open = TRUE };

  box.path = ph_faces_string (scene->record->faces, path);
  box.title = ph_faces_string (scene->record->faces, title);
  g_array_append_val (scene->boxes, box);
  return scene->boxes->len - 1;
}

/* Distributes many inputs or outputs, such as those of a gradient: each goes to the only group that uses it; the others are put
 * together. */
static void
adopt_ends (PhSceneBuild *build, int n_leaves)
{
  PhScene *scene = build->scene;
  g_autofree int *home = g_new (int, n_leaves + 1);
  int n_ends[2][2] = { { 0, 0 }, { 0, 0 } }, n_left[2][2] = { { 0, 0 }, { 0, 0 } };

#define IS_END(box_)    ((box_)->parent < 0 && ((box_)->kind == PH_BOX_INPUT || (box_)->kind == PH_BOX_OUTPUT))
#define COUNT(n_, box_) n_[(box_)->kind == PH_BOX_OUTPUT][(box_)->backward]
  for (int b = 0; b < n_leaves; b++)
    {
      home[b] = -2;
      if (IS_END (ph_scene_box (scene, b)))
        COUNT (n_ends, ph_scene_box (scene, b))++;
    }
  for (guint i = 0; i < build->union_edges->len; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);

      if (edge->from < 0)
        continue;
      home[edge->from] = home[edge->from] == -2 || home[edge->from] == ph_scene_box (scene, edge->to)->parent
                             ? ph_scene_box (scene, edge->to)->parent
                             : -1;
      home[edge->to] = home[edge->to] == -2 || home[edge->to] == ph_scene_box (scene, edge->from)->parent
                           ? ph_scene_box (scene, edge->from)->parent
                           : -1;
    }
  for (int b = 0; b < n_leaves; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      if (!IS_END (box) || COUNT (n_ends, box) <= FEW_ENDS || ph_scene_is_settled (build, b))
        continue;
      if (home[b] >= 0)
        box->parent = home[b];
      else
        COUNT (n_left, box)++;
    }
  for (int output = 0; output < 2; output++)
    for (int backward = 0; backward < 2; backward++)
      if (n_left[output][backward] > FEW_ENDS)
        {
          g_autofree char *title = g_strdup_printf ("%d %s%s", n_left[output][backward], backward ? "∇ " : "",
                                                    output ? "outputs" : "inputs");
          const int group = ph_scene_add_group (scene, title, title);

          for (int b = 0; b < n_leaves; b++)
            {
              PhSceneBox *box = ph_scene_box_at (scene, b);

              if (IS_END (box) && (box->kind == PH_BOX_OUTPUT) == output && box->backward == backward
                  && !ph_scene_is_settled (build, b))
                box->parent = group;
            }
        }
#undef IS_END
#undef COUNT
}

/* Marks a group as part of the backward graph if all its contents are. */
static void
mark_groups (PhScene *scene, int n_leaves)
{
  g_autofree guint8 *forward = g_new0 (guint8, scene->boxes->len + 1), *backward = g_new0 (guint8, scene->boxes->len + 1);

  for (int b = 0; b < n_leaves; b++)
    for (int up = ph_scene_box (scene, b)->parent; up >= 0; up = ph_scene_box (scene, up)->parent)
      *(ph_scene_box (scene, b)->backward ? &backward[up] : &forward[up]) = TRUE;
  for (guint b = n_leaves; b < scene->boxes->len; b++)
    ph_scene_box_at (scene, b)->backward = backward[b] && !forward[b];
}

/* Groups that were dissolved, or never had anything in them. Leaves come first, so their numbers stay. */
static void
drop_empty_groups (PhScene *scene, int n_leaves)
{
  g_autofree int *n_children = g_new0 (int, scene->boxes->len + 1), *index = g_new (int, scene->boxes->len + 1);
  gboolean again = TRUE;
  int n = n_leaves;

  for (guint b = 0; b < scene->boxes->len; b++)
    if (ph_scene_box (scene, b)->parent >= 0)
      n_children[ph_scene_box (scene, b)->parent]++;
  while (again)
    {
      again = FALSE;
      for (guint b = n_leaves; b < scene->boxes->len; b++)
        if (n_children[b] == 0)
          {
            n_children[b] = -1;
            if (ph_scene_box (scene, b)->parent >= 0)
              again = --n_children[ph_scene_box (scene, b)->parent] == 0 || again;
          }
    }
  for (int b = 0; b < (int) scene->boxes->len; b++)
    index[b] = b < n_leaves ? b : n_children[b] < 0 ? -1 : n++;
  for (int b = 0; b < (int) scene->boxes->len; b++)
    if (index[b] >= 0)
      {
        PhSceneBox box = *ph_scene_box (scene, b);

        box.parent = box.parent >= 0 ? index[box.parent] : -1;
        *ph_scene_box_at (scene, index[b]) = box;
      }
  g_array_set_size (scene->boxes, n);
}

/* ── children, patterns, open groups ────────────────────────────────────────────────────────────────────────────────── */

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

/* Counts the contents and hashes them: operators in any order, with their depth. */
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

          part = face != NULL && inside->kind == PH_BOX_NODE
                     ? g_str_hash (face->title) * 31 + (face->detail != NULL ? g_str_hash (face->detail) : 0)
                     : 1 + inside->kind;
          box->n_inside += inside->kind == PH_BOX_NODE;
        }
      hash += (part ^ (part >> 15)) * 0x9e3779b1u;
    }
  box->pattern = hash;
  return hash;
}

/* Numbers equal hashes; a unique group has no number. */
static void
number_patterns (PhScene *scene, guint first_group)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL), numbers = g_hash_table_new (NULL, NULL);
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

      if (count > 1 && number == 0)
        {
          number = next++;
          g_hash_table_insert (numbers, hash, GUINT_TO_POINTER (number));
        }
      box->pattern = count > 1 ? number : 0;
      box->n_alike = count;
    }
}

static gboolean
is_named (PhSceneBuild *build, int box, GHashTable *names)
{
  const PhSceneBox *at = ph_scene_box (build->scene, box);

  if (names == NULL)
    return FALSE;
  if (at->kind == PH_BOX_GROUP)
    return g_hash_table_contains (names, at->path);
  for (guint t = 0; t < at->n_tenants; t++)
    {
      char name[16];

      g_snprintf (name, sizeof name, "n%u", g_array_index (build->scene->tenants, PhTenant, at->first_tenant + t).id);
      if (g_hash_table_contains (names, name))
        return TRUE;
    }
  return FALSE;
}

/* Keeps the state of a group that is not opened or closed by name. Returns FALSE if it did not exist before. */
static gboolean
was_open (PhSceneBuild *build, int box, gboolean *open)
{
  const int before = build->options->previous != NULL ? build->known[box] : -1;

  *open = before >= 0 && ph_scene_box (build->options->previous, before)->open;
  return before >= 0 && ph_scene_box (build->scene, box)->kind == PH_BOX_GROUP;
}

static gboolean
is_group (PhScene *scene, int box)
{
  return ph_scene_box (scene, box)->kind == PH_BOX_GROUP && scene->child_start[box] != scene->child_start[box + 1];
}

/* Chooses the groups that open by themselves, from the outside in, as long as the picture stays readable: all or none of equal groups, so
 * that one level of the picture is uniform. Groups opened or closed by name do not affect others. */
static void
choose_groups (PhSceneBuild *build, gboolean *fits)
{
  PhScene *scene = build->scene;
  const int n = scene->boxes->len;
  const gboolean choose = build->options->open_all > 0;
  g_autoptr (GArray) level = g_array_new (FALSE, FALSE, sizeof (int)), next = g_array_new (FALSE, FALSE, sizeof (int));
  int shown = 0, whole = n;

  g_array_append_val (level, whole);
  while (level->len > 0)
    {
      g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL); /* pattern of the parent -> boxes that it takes */
      int counted = 0;

      for (guint i = 0; i < level->len; i++)
        {
          const int p = g_array_index (level, int, i);
          const gpointer key = GUINT_TO_POINTER (p < n && ph_scene_box (scene, p)->pattern > 0 ? ph_scene_box (scene, p)->pattern
                                                                                               : G_MAXUINT - p);
          int more = GPOINTER_TO_INT (g_hash_table_lookup (wanted, key));

          shown += scene->child_start[p + 1] - scene->child_start[p];
          for (int k = scene->child_start[p]; k < scene->child_start[p + 1]; k++)
            if (is_group (scene, scene->children[k]))
              more += scene->child_start[scene->children[k] + 1] - scene->child_start[scene->children[k]] - 1;
          g_hash_table_insert (wanted, key, GINT_TO_POINTER (more));
        }
      g_array_set_size (next, 0);
      for (guint i = 0; i < level->len; i++)
        {
          const int p = g_array_index (level, int, i);
          const gpointer key = GUINT_TO_POINTER (p < n && ph_scene_box (scene, p)->pattern > 0 ? ph_scene_box (scene, p)->pattern
                                                                                               : G_MAXUINT - p);
          int more = GPOINTER_TO_INT (g_hash_table_lookup (wanted, key));

          /* The first of several equal groups decides for all of them. */
          if (choose && more >= 0 && more < G_MAXINT / 2)
            {
              const gboolean enough = shown + more <= (int) build->options->open_all;

              shown += enough ? more : 0;
              more = enough ? -1 : G_MAXINT / 2;
              g_hash_table_insert (wanted, key, GINT_TO_POINTER (more));
            }
          for (int k = scene->child_start[p]; k < scene->child_start[p + 1]; k++)
            {
              const int b = scene->children[k];
              const int inside = scene->child_start[b + 1] - scene->child_start[b];
              gboolean known;

              if (inside == 0 || ph_scene_box (scene, b)->kind != PH_BOX_GROUP)
                continue;
              fits[b] = was_open (build, b, &known) ? known : choose && more < 0;
              if (fits[b])
                {
                  g_array_append_val (next, b);
                  counted += choose ? inside : 0;
                }
            }
        }
      shown -= counted; /* groups decided here are counted again on the next level */
      g_array_set_size (level, 0);
      g_array_append_vals (level, next->data, next->len);
    }
}

static void
open_groups (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const PhSceneOptions *options = build->options;
  const int n = scene->boxes->len;
  g_autofree gboolean *fits = g_new0 (gboolean, n + 1);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (int));

  if (options->open == PH_OPEN_FIT)
    choose_groups (build, fits);
  g_array_append_val (open, n);
  for (guint i = 0; i < open->len; i++)
    {
      const int p = g_array_index (open, int, i);

      for (int k = scene->child_start[p]; k < scene->child_start[p + 1]; k++)
        {
          const int b = scene->children[k];
          PhSceneBox *box = ph_scene_box_at (scene, b);

          box->shown = TRUE;
          box->can_open = scene->child_start[b + 1] > scene->child_start[b];
          box->open = box->can_open && !is_named (build, b, options->closed)
                      && (options->open == PH_OPEN_ALL || fits[b] || is_named (build, b, options->opened));
          if (box->open)
            g_array_append_val (open, b);
        }
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
  if (build->options->by_scope)
    {
      g_autofree int *rank = ph_scene_rank (build), *leaves = g_new (int, n_leaves + 1);
      g_autoptr (PhRegions) regions = ph_regions_new (build, rank, n_leaves);

      for (guint b = 0; b < n_leaves; b++)
        leaves[b] = b;
      ph_scene_keep_groups (build);
      if (n_scoped > n_nodes / 2)
        ph_scene_group_by_scope (build, n_leaves);
      else
        ph_regions_part (regions, -1, leaves, n_leaves, NULL, 0);
      drop_empty_groups (scene, n_leaves);
      mark_groups (scene, n_leaves);
      adopt_ends (build, n_leaves);
      ph_scene_spare_open (build);
      ph_scene_limit_children (build, regions, rank, n_leaves);
      drop_empty_groups (scene, n_leaves);
      mark_groups (scene, n_leaves);
    }
  /* Groups were appended after the boxes whose pill sizes are in these arrays. */
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
  ph_scene_know_groups (build);
  open_groups (build);
  g_clear_pointer (&build->kept_groups, g_hash_table_unref);
}
