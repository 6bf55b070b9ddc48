/* group-bundle.c: bundles children that are too many to view at once, in the order of execution.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"

#define MANY 60 /* children of one group, too many to view at once */

typedef struct
{
  int box;
  gboolean backward;
  int number, rank;
} Child;

static int
compare_children (const void *a, const void *b)
{
  const Child *x = a, *y = b;

  if (x->backward != y->backward)
    return x->backward - y->backward;
  if (x->number != y->number)
    return x->number - y->number;
  return x->rank != y->rank ? x->rank - y->rank : x->box - y->box;
}

/* Finds the number in "h.12" or "12 (2)" and its position; -1 if there is none. */
static int
number_in (const char *title, gsize *at, gsize *length)
{
  const char *digit = title + strlen (title);

  while (digit > title && !g_ascii_isdigit (digit[-1]))
    digit--;
  *length = 0;
  while (digit > title && g_ascii_isdigit (digit[-1]))
    {
      digit--;
      (*length)++;
    }
  *at = digit - title;
  return *length > 0 && *length < 9 ? atoi (digit) : -1;
}

/* Returns TRUE if the titles differ only in a number. */
static gboolean
are_numbered (PhScene *scene, const Child *children, guint n)
{
  const char *first = ph_scene_box (scene, children[0].box)->title;
  gsize at, length;

  if (first == NULL || number_in (first, &at, &length) < 0)
    return FALSE;
  for (guint i = 1; i < n; i++)
    {
      const char *title = ph_scene_box (scene, children[i].box)->title;
      gsize other_at, other_length;

      if (title == NULL || number_in (title, &other_at, &other_length) < 0 || other_at != at || strncmp (title, first, at) != 0
          || strcmp (title + other_at + other_length, first + at + length) != 0)
        return FALSE;
    }
  return TRUE;
}

/* "h.0 – 47", "attn – mlp"; of a bundle of bundles the ends of its ends. */
static char *
range_title (const char *first, const char *last)
{
  const char *stop = strstr (first, " – "), *start = strstr (last, " – ");
  g_autofree char *from = stop != NULL ? g_strndup (first, stop - first) : g_strdup (first);
  const char *to = start != NULL ? start + strlen (" – ") : last;
  gsize from_at, from_length, to_at, to_length;

  /* The name is written once if the two differ only in the number, or if the second is a bare number, the end of a range. */
  if (number_in (from, &from_at, &from_length) >= 0 && number_in (to, &to_at, &to_length) >= 0
      && (to_at == 0 || (from_at == to_at && strncmp (from, to, to_at) == 0))
      && (to_at == 0 || strcmp (from + from_at + from_length, to + to_at + to_length) == 0))
    return g_strdup_printf ("%.*s – %s", (int) (from_at + from_length), from, to + to_at);
  /* Their contents would hide the end of the range. */
  if (strstr (from, ": ") != NULL)
    *strstr (from, ": ") = 0;
  return g_strdup_printf ("%s – %s", from, to);
}

/* "Relu ×18", "Conv-Relu". (transfer full) */
static char *
leaves_title (PhSceneBuild *build, const Child *children, guint n)
{
  g_autofree int *boxes = g_new (int, n);
  g_autofree char *title = NULL;

  for (guint i = 0; i < n; i++)
    boxes[i] = children[i].box;
  title = ph_scene_region_title (build, boxes, n, children->backward);
  return strchr (title, '-') != NULL ? g_steal_pointer (&title) : g_strdup_printf ("%s ×%u", title, n);
}

/* Bundles children that are too many to take in at once, in the order of execution. */
static void
bundle (PhSceneBuild *build, int parent, GArray *children)
{
  PhScene *scene = build->scene;
  guint levels = 1, size;
  double fits = MANY;

  if (children->len <= MANY)
    return;
  for (; fits < children->len; fits *= MANY)
    levels++;
  size = ceil (pow (children->len, 1.0 / levels));
  for (guint start = 0; start < children->len;)
    {
      const Child *first = &g_array_index (children, Child, start), *last;
      guint stop = start;

      for (; stop < children->len && stop - start < size && g_array_index (children, Child, stop).backward == first->backward;
           stop++)
        ;
      last = &g_array_index (children, Child, stop - 1);
      if (stop - start > 1)
        {
          g_autofree char *title = ph_scene_box (scene, first->box)->kind == PH_BOX_GROUP
                                       ? range_title (ph_scene_box (scene, first->box)->title,
                                                      ph_scene_box (scene, last->box)->title)
                                       : leaves_title (build, first, stop - start);
          g_autofree char *name = ph_scene_box (scene, first->box)->kind == PH_BOX_GROUP
                                      ? g_strdup (title)
                                      : g_strdup_printf ("%s (%u)", title, start / size + 1);
          g_autofree char *path = parent >= 0 ? g_strdup_printf ("%s/%s", ph_scene_box (scene, parent)->path, name)
                                              : g_strdup (name);
          const int group = ph_scene_add_group (scene, path, title);

          ph_scene_box_at (scene, group)->parent = parent;
          for (guint i = start; i < stop; i++)
            ph_scene_box_at (scene, g_array_index (children, Child, i).box)->parent = group;
        }
      start = stop;
    }
}

/* Returns the rank of each group, that of the first box in it. (transfer full), for the present boxes */
static int *
rank_groups (PhScene *scene, const int *leaf_rank, int n_leaves)
{
  int *rank = g_new (int, scene->boxes->len + 1);

  for (guint b = 0; b < scene->boxes->len; b++)
    rank[b] = (int) b < n_leaves ? leaf_rank[b] : G_MAXINT;
  for (int b = 0; b < n_leaves; b++)
    for (int up = ph_scene_box (scene, b)->parent; up >= 0; up = ph_scene_box (scene, up)->parent)
      rank[up] = MIN (rank[up], rank[b]);
  return rank;
}

/* Fills each list there is of @below with the leaves that lie in its group, at any depth; the last, of the whole picture, with all. */
static void
find_below (PhScene *scene, int n_leaves, GArray **below, int n)
{
  for (int b = 0; b < n_leaves; b++)
    {
      for (int up = ph_scene_box (scene, b)->parent; up >= 0; up = ph_scene_box (scene, up)->parent)
        if (below[up] != NULL)
          g_array_append_val (below[up], b);
      if (below[n] != NULL)
        g_array_append_val (below[n], b);
    }
}

/* Limits the children of each group, and of the whole, to a number that can be viewed at once: leaves go into regions, groups into
 * bundles. */
void
ph_scene_limit_children (PhSceneBuild *build, PhRegions *regions, const int *leaf_rank, int n_leaves)
{
  PhScene *scene = build->scene;
  g_autofree int *leaves = g_new (int, n_leaves + 1);
  g_autoptr (GHashTable) parted = g_hash_table_new (NULL, NULL);

  for (int level = 0; level < 6; level++)
    {
      const int n = scene->boxes->len;
      g_autofree int *rank = rank_groups (scene, leaf_rank, n_leaves), *n_children = g_new0 (int, n + 1),
                     *n_plain = g_new0 (int, n + 1), *n_nodes_and_groups = g_new0 (int, n + 1);
      g_autofree int *first = g_new0 (int, n + 2), *fill = NULL; /* of a parent's leaves in @leaves */
      g_autofree GArray **children = g_new0 (GArray *, n + 1), **below = g_new0 (GArray *, n + 1);
      gboolean again = FALSE;

      for (int b = 0; b < n; b++)
        {
          const PhSceneBox *box = ph_scene_box (scene, b);
          const int parent = box->parent < 0 ? n : box->parent;

          first[parent + 1] += b < n_leaves;
          if (ph_scene_is_settled (build, b))
            continue;
          n_children[parent]++;
          n_plain[parent] += box->kind == PH_BOX_NODE && b < n_leaves;
          n_nodes_and_groups[parent] += box->kind == PH_BOX_NODE || box->kind == PH_BOX_GROUP;
        }
      for (int p = 0; p <= n; p++)
        first[p + 1] += first[p];
      fill = g_memdup2 (first, sizeof (int) * (n + 1));
      for (int b = 0; b < n_leaves; b++)
        leaves[fill[ph_scene_box (scene, b)->parent < 0 ? n : ph_scene_box (scene, b)->parent]++] = b;
      for (int p = 0; p <= n; p++)
        if (n_children[p] > MANY && (p == n || ph_scene_box (scene, p)->kind == PH_BOX_GROUP))
          {
            if (n_plain[p] > MANY / 2 && g_hash_table_add (parted, GINT_TO_POINTER (p == n ? -1 : p)))
              below[p] = g_array_new (FALSE, FALSE, sizeof (int));
            else
              children[p] = g_array_new (FALSE, FALSE, sizeof (Child));
          }
      find_below (scene, n_leaves, below, n);
      for (int p = 0; p <= n; p++)
        if (below[p] != NULL)
          {
            ph_regions_part (regions, p == n ? -1 : p, leaves + first[p], first[p + 1] - first[p], (const int *) below[p]->data,
                             below[p]->len);
            g_array_unref (below[p]);
            again = TRUE;
          }
      for (int b = 0; b < n; b++)
        {
          const PhSceneBox *box = ph_scene_box (scene, b);
          const int parent = box->parent < 0 ? n : box->parent;
          const Child child = { b, box->backward, 0, rank[b] };

          if (box->parent >= n || children[parent] == NULL || ph_scene_is_settled (build, b)) /* in a region since just now */
            continue;
          /* Nodes outside of any region, such as many parallel branches, come first, then groups. */
          if (n_plain[parent] > MANY || n_plain[parent] == n_nodes_and_groups[parent] ? b < n_leaves && box->kind == PH_BOX_NODE
                                                                                      : b >= n_leaves)
            g_array_append_val (children[parent], child);
        }
      for (int p = 0; p <= n; p++)
        if (children[p] != NULL)
          {
            gsize at, length;

            g_array_sort (children[p], compare_children);
            if (children[p]->len > 0 && are_numbered (scene, (const Child *) children[p]->data, children[p]->len))
              for (guint i = 0; i < children[p]->len; i++)
                {
                  Child *child = &g_array_index (children[p], Child, i);

                  child->number = number_in (ph_scene_box (scene, child->box)->title, &at, &length);
                }
            g_array_sort (children[p], compare_children);
            again = again || children[p]->len > MANY;
            bundle (build, p == n ? -1 : p, children[p]);
            g_array_unref (children[p]);
          }
      if (!again)
        break;
    }
}
