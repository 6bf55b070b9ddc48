/* group-region.c: groups without informative names: the regions between layers through which a single value passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/layered/layered.h"
#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"

#define BLOCK       4  /* boxes that form a region by themselves                                    */
#define TAIL        2  /* boxes after a block that still belong to it                               */
#define REGION      12 /* smaller ones are joined until they have so many                           */
#define REGION_MANY 60 /* a region with more is parted where few values pass, though more than one  */

/* Returns the approximate layers of the boxes: the backward graph runs upwards beside the forward one. */
int *
ph_scene_rank (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const guint n = scene->boxes->len, n_edges = build->union_edges->len;
  g_autoptr (PhLayout) layout = NULL;
  g_autofree guint8 *reversed = NULL;
  g_autofree int *partner = NULL;
  guint n_partners = 0;
  int *rank;

  if (build->rank != NULL)
    return g_steal_pointer (&build->rank);
  partner = g_new (int, n + 1);
  for (guint b = 0; b < n; b++)
    n_partners += (partner[b] = ph_scene_partner (scene, b)) >= 0;
  layout = ph_layout_new (n, n_edges + n_partners);
  reversed = g_new0 (guint8, n_edges + n_partners + 1);
  rank = g_new0 (int, n + 1);
  for (guint b = 0; b < n; b++)
    layout->boxes[b].column = ph_scene_box (scene, b)->backward;
  for (guint i = 0; i < n_edges; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);
      gboolean up;

      if (edge->n_via > 0 || edge->from < 0) /* a loop without a route of its own: ranking skips it */
        continue;
      up = edge->link || (ph_scene_box (scene, edge->from)->backward && ph_scene_box (scene, edge->to)->backward);
      layout->edges[i].from = up ? edge->to : edge->from;
      layout->edges[i].to = up ? edge->from : edge->to;
      layout->edges[i].min_length = layout->boxes[edge->from].column == layout->boxes[edge->to].column;
    }
  layout->n_edges = n_edges;
  for (guint b = 0; b < n; b++)
    if (partner[b] >= 0)
      layout->edges[layout->n_edges++] = (PhLayoutEdge) { .from = partner[b], .to = b, .weight = 0.6f, .presence = PH_PRESENCE };
  ph_layered_rank (layout, rank, reversed);
  return rank;
}

typedef struct
{
  int rank, box;
} Ranked;

static int
compare_ranked (const void *a, const void *b)
{
  const Ranked *x = a, *y = b;

  return x->rank != y->rank ? x->rank - y->rank : x->box - y->box;
}

/* The values that leave each leaf, computed once: then the regions of many groups cost their contents rather than everything. */
struct _PhRegions
{
  PhSceneBuild *build;
  const int *rank; /* unowned, by leaf                                             */
  guint8 *in;      /* per leaf: TRUE while it is being divided                     */
  int *first, *to; /* leaf b's values go to to[first[b]] ... to[first[b + 1] - 1]  */
  int *at;         /* per leaf: its index in the array examined, else -1 */
};

PhRegions *
ph_regions_new (PhSceneBuild *build, const int *rank, int n_leaves)
{
  PhRegions *regions = g_new0 (PhRegions, 1);
  const PhUnionEdge *edges = (const PhUnionEdge *) build->union_edges->data;
  const guint n_edges = build->union_edges->len;
  g_autofree int *fill = NULL;

  *regions = (PhRegions) {
    build, rank, g_new0 (guint8, n_leaves + 1), g_new0 (int, n_leaves + 2), g_new (int, n_edges + 1), g_new (int, n_leaves + 1)
  };
  for (guint i = 0; i < n_edges; i++)
    if (edges[i].from >= 0 && edges[i].n_via == 0)
      regions->first[edges[i].from + 1]++;
  for (int b = 0; b < n_leaves; b++)
    regions->first[b + 1] += regions->first[b];
  memset (regions->at, 0xff, sizeof (int) * (n_leaves + 1));
  fill = g_memdup2 (regions->first, sizeof (int) * (n_leaves + 1));
  for (guint i = 0; i < n_edges; i++)
    if (edges[i].from >= 0 && edges[i].n_via == 0)
      regions->to[fill[edges[i].from]++] = edges[i].to;
  build->n_fed = g_new0 (guint8, n_leaves + 1);
  for (guint u = 0; u < build->scene->record->uses->len; u++)
    {
      const PhUseLife *use = ph_scene_use (build->scene, u);
      const int box = build->scene->box_of_life[use->to];

      if (box >= 0 && box < n_leaves && use->born <= ph_scene_life (build->scene, use->to)->born)
        build->n_fed[box] = MIN (build->n_fed[box] + use->times, G_MAXUINT8);
    }
  return regions;
}

void
ph_regions_free (PhRegions *regions)
{
  g_clear_pointer (&regions->build->n_fed, g_free);
  g_free (regions->in);
  g_free (regions->first);
  g_free (regions->to);
  g_free (regions->at);
  g_free (regions);
}

/* Counts the values that pass from the layers up to each one to those below it, among the marked leaves. */
static int *
count_passing (PhRegions *regions, const int *leaves, int n, int n_layers)
{
  int *passing = g_new0 (int, n_layers + 2);

  for (int i = 0; i < n; i++)
    {
      const int b = leaves[i];
      int lowest = G_MAXINT, highest = -1;

      for (int e = regions->first[b]; regions->in[b] && e < regions->first[b + 1]; e++)
        if (regions->in[regions->to[e]])
          {
            lowest = MIN (lowest, MIN (regions->rank[b], regions->rank[regions->to[e]]));
            highest = MAX (highest, MAX (regions->rank[b], regions->rank[regions->to[e]]));
          }
      if (highest > lowest)
        {
          passing[lowest]++;
          passing[highest]--;
        }
    }
  for (int r = 1; r < n_layers; r++)
    passing[r] += passing[r - 1];
  return passing;
}

static void
close_region (PhSceneBuild *build, int parent, const Ranked *members, int n, gboolean backward)
{
  PhScene *scene = build->scene;
  g_autofree char *title = NULL;
  g_autofree int *boxes = g_new (int, n + 1);
  int group;

  if (n < 2)
    return;
  for (int i = 0; i < n; i++)
    boxes[i] = members[backward ? n - 1 - i : i].box; /* in the order of computing */
  title = ph_scene_region_title (build, boxes, n, backward);
  group = ph_scene_add_group (scene, title, title);
  ph_scene_box_at (scene, group)->parent = parent;
  ph_scene_box_at (scene, group)->backward = backward;
  for (int i = 0; i < n; i++)
    ph_scene_box_at (scene, boxes[i])->parent = group;
}

/* "Bottleneck 1", "Bottleneck 2" where there are several; paths are unique. */
static void
number_regions (PhSceneBuild *build, int parent, guint first)
{
  PhScene *scene = build->scene;
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal),
                         numbers = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint b = first; b < scene->boxes->len; b++)
    {
      const char *title = ph_scene_box (scene, b)->title;

      g_hash_table_insert (counts, (gpointer) title,
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, title)) + 1));
    }
  for (guint b = first; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);
      const char *title = box->title, *colon = strstr (title, ": ");
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, title));
      g_autofree char *name = NULL, *path = NULL;

      do
        {
          number++;
          g_free (name);
          g_free (path);
          if (GPOINTER_TO_UINT (g_hash_table_lookup (counts, title)) < 2 && number == 1)
            name = g_strdup (title);
          else if (colon != NULL)
            name = g_strdup_printf ("%.*s %u%s", (int) (colon - title), title, number, colon);
          else
            name = g_strdup_printf ("%s %u", title, number);
          path = parent >= 0 ? g_strdup_printf ("%s/%s", ph_scene_box (scene, parent)->path, name) : g_strdup (name);
        }
      while (build->kept_groups != NULL && g_hash_table_contains (build->kept_groups, path));
      g_hash_table_insert (numbers, (gpointer) title, GUINT_TO_POINTER (number));
      box->title = ph_faces_string (scene->record->faces, name);
      box->path = ph_faces_string (scene->record->faces, path);
    }
}

/* Divides the nodes of one side, forward or backward, among @leaves whose parent is @parent. */
static void
part_side (PhRegions *regions, int parent, gboolean backward, const int *leaves, int n_leaves)
{
  PhSceneBuild *build = regions->build;
  const int *rank = regions->rank;
  g_autofree Ranked *ranked = g_new (Ranked, n_leaves + 1);
  g_autofree int *passing = NULL;
  int n = 0, n_layers = 0, least = G_MAXINT, start = 0, block = 0, end = 0;

  for (int i = 0; i < n_leaves; i++)
    {
      const PhSceneBox *box = ph_scene_box (build->scene, leaves[i]);

      if (box->parent != parent || box->backward != backward || ph_scene_is_settled (build, leaves[i]))
        continue;
      n_layers = MAX (n_layers, rank[leaves[i]] + 1);
      regions->in[leaves[i]] = TRUE;
      if (box->kind == PH_BOX_NODE)
        ranked[n++] = (Ranked) { rank[leaves[i]], leaves[i] };
    }
  passing = count_passing (regions, leaves, n_leaves, n_layers);
  for (int i = 0; i < n_leaves; i++)
    regions->in[leaves[i]] = FALSE;
  if (n < 2 * BLOCK)
    return;
  qsort (ranked, n, sizeof *ranked, compare_ranked);
  for (int i = 0; i + 1 < n; i++)
    if (ranked[i].rank != ranked[i + 1].rank)
      least = MIN (least, MAX (passing[ranked[i].rank], 1));

  /* Blocks end where the fewest values pass. A smaller piece is joined with an equal one, or, if it is small, with the block before it: an
   * activation after a sum. */
  for (int i = 0; i < n; i++)
    {
      const int r = ranked[i].rank, so_far = i + 1 - end;
      const gboolean border = i + 1 == n
                              || (ranked[i + 1].rank != r
                                  && (passing[r] <= least || (so_far > REGION_MANY && passing[r] <= 2 * least)
                                      || so_far > 4 * REGION_MANY));

      if (!border)
        continue;
      if (so_far >= BLOCK)
        {
          /* From start to block there is a block that may get a tail; from block to end there are small pieces. */
          if (end - block > TAIL || block == start)
            {
              close_region (build, parent, ranked + start, block - start, backward);
              close_region (build, parent, ranked + block, end - block, backward);
            }
          else
            close_region (build, parent, ranked + start, end - start, backward);
          start = end;
          block = i + 1;
        }
      else if (i + 1 - block >= REGION)
        {
          close_region (build, parent, ranked + start, block - start, backward);
          close_region (build, parent, ranked + block, i + 1 - block, backward);
          start = block = i + 1;
        }
      end = i + 1;
    }
  if (n - block <= TAIL)
    block = n;
  close_region (build, parent, ranked + start, block - start, backward);
  close_region (build, parent, ranked + block, n - block, backward);
}

/* ── regions that would be both above and below the same group ── */

typedef struct
{
  int from, to;
} Link;

/* Removes nodes without incoming links (or outgoing, if turned), repeatedly. */
static void
peel (const GArray *links, int n, gboolean turned, guint8 *gone)
{
  const Link *all = (const Link *) links->data;
  g_autofree int *n_left = g_new0 (int, n + 1), *queue = g_new (int, n + 1);
  int head = 0, tail = 0;
  PhRows rows;

  for (guint i = 0; i < links->len; i++)
    n_left[turned ? all[i].from : all[i].to] += !gone[all[i].from] && !gone[all[i].to];
  ph_rows_init (&rows, n, links->len, links->len == 0 ? NULL : turned ? &all->to : &all->from, sizeof (Link));
  for (int i = 0; i < n; i++)
    if (!gone[i] && n_left[i] == 0)
      queue[tail++] = i;
  while (head < tail)
    {
      const int at = queue[head++];

      gone[at] = TRUE;
      for (int k = rows.start[at]; k < rows.start[at + 1]; k++)
        {
          const int next = turned ? all[rows.index[k]].from : all[rows.index[k]].to;

          if (!gone[next] && --n_left[next] == 0)
            queue[tail++] = next;
        }
    }
  ph_rows_clear (&rows);
}

/* Returns the children of @parent that are on a cycle. (transfer full), (element-type int). */
static GHashTable *
find_cyclic (PhRegions *regions, int parent, const int *below, int n_below)
{
  PhScene *scene = regions->build->scene;
  GHashTable *cyclic = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL); /* child -> its number + 1 */
  g_autoptr (GArray) children = g_array_new (FALSE, FALSE, sizeof (int)), links = g_array_new (FALSE, FALSE, sizeof (Link));
  g_autofree guint8 *gone = NULL;

  for (int i = 0; i < n_below; i++)
    {
      int child = below[i], number;

      while (ph_scene_box (scene, child)->parent != parent)
        child = ph_scene_box (scene, child)->parent;
      number = GPOINTER_TO_INT (g_hash_table_lookup (numbers, GINT_TO_POINTER (child)));
      if (number == 0)
        {
          g_array_append_val (children, child);
          number = children->len;
          g_hash_table_insert (numbers, GINT_TO_POINTER (child), GINT_TO_POINTER (number));
        }
      regions->at[below[i]] = number - 1;
    }
  for (int i = 0; i < n_below; i++)
    for (int e = regions->first[below[i]]; e < regions->first[below[i] + 1]; e++)
      {
        const int to = regions->to[e];
        const Link link = { regions->at[below[i]], regions->at[to] };
        const gboolean up = !ph_scene_box (scene, below[i])->backward && !ph_scene_box (scene, to)->backward
                            && regions->rank[below[i]] >= regions->rank[to];

        /* A link from further down in a loop imposes no order. */
        if (link.to >= 0 && link.from != link.to && !up)
          g_array_append_val (links, link);
      }
  for (int i = 0; i < n_below; i++)
    regions->at[below[i]] = -1;
  gone = g_new0 (guint8, children->len + 1);
  peel (links, children->len, FALSE, gone);
  peel (links, children->len, TRUE, gone);
  for (guint i = 0; i < children->len; i++)
    if (!gone[i])
      g_hash_table_add (cyclic, GINT_TO_POINTER (g_array_index (children, int, i)));
  return cyclic;
}

typedef struct
{
  int region, piece, rank, box;
} Member;

static int
compare_members (const void *a, const void *b)
{
  const Member *x = a, *y = b;

  return x->region != y->region ? x->region - y->region
         : x->piece != y->piece ? x->piece - y->piece
         : x->rank != y->rank   ? x->rank - y->rank
                                : x->box - y->box;
}

/* Numbers connected components within each region by their first member. */
static void
find_pieces (PhRegions *regions, GArray *members)
{
  Member *all = (Member *) members->data;
  gboolean again = TRUE;

  for (guint i = 0; i < members->len; i++)
    regions->at[all[i].box] = all[i].piece = i;
  while (again)
    {
      again = FALSE;
      for (guint i = 0; i < members->len; i++)
        for (int e = regions->first[all[i].box]; e < regions->first[all[i].box + 1]; e++)
          {
            const int to = regions->at[regions->to[e]];
            int least;

            if (to < 0 || all[to].region != all[i].region || all[to].piece == all[i].piece)
              continue;
            least = MIN (all[to].piece, all[i].piece);
            all[to].piece = all[i].piece = least;
            again = TRUE;
          }
    }
  for (guint i = 0; i < members->len; i++)
    regions->at[all[i].box] = -1;
}

/* Checks the regions from @first on among groups given by names: a region both above and below one of these would be drawn as a cycle that
 * does not exist. It is split into connected components; one that still is cyclic is dissolved. */
static void
part_cyclic (PhRegions *regions, int parent, guint first, gboolean backward, const int *below, int n_below)
{
  PhScene *scene = regions->build->scene;

  for (int round = 0; round < 2 && n_below > 0 && scene->boxes->len > first; round++)
    {
      g_autoptr (GHashTable) cyclic = find_cyclic (regions, parent, below, n_below);
      g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (Member));

      for (int i = 0; i < n_below; i++)
        {
          const int region = ph_scene_box (scene, below[i])->parent;
          const Member member = { region, 0, regions->rank[below[i]], below[i] };

          if (region >= (int) first && g_hash_table_contains (cyclic, GINT_TO_POINTER (region)))
            g_array_append_val (members, member);
        }
      if (round == 0)
        find_pieces (regions, members);
      g_array_sort (members, compare_members);
      for (guint i = 0; i < members->len; i++)
        {
          ph_scene_box_at (scene, g_array_index (members, Member, i).box)->parent = parent;
          ph_scene_box_at (scene, g_array_index (members, Member, i).region)->title = ph_faces_string (scene->record->faces, "");
        }
      for (guint i = 0, stop; i < members->len && round == 0; i = stop)
        {
          const Member *piece = &g_array_index (members, Member, i);
          g_autofree Ranked *ranked = g_new (Ranked, members->len);

          for (stop = i; stop < members->len && g_array_index (members, Member, stop).region == piece->region
                         && g_array_index (members, Member, stop).piece == piece->piece;
               stop++)
            ranked[stop - i] = (Ranked) { piece[stop - i].rank, piece[stop - i].box };
          close_region (regions->build, parent, ranked, stop - i, backward);
        }
    }
}

/* The gradient of a region is a region: "∇ Bottleneck 3". */
static void
mirror_regions (PhSceneBuild *build, int parent, const int *leaves, int n_leaves)
{
  PhScene *scene = build->scene;
  g_autoptr (GHashTable) mirrors = g_hash_table_new (NULL, NULL); /* forward region -> its gradient's */

  for (int i = 0; i < n_leaves; i++)
    {
      const int b = leaves[i];
      const PhSceneBox *box = ph_scene_box (scene, b);
      const int partner = box->parent == parent && box->backward && box->kind == PH_BOX_NODE ? ph_scene_partner (scene, b) : -1;
      const int region = partner >= 0 ? ph_scene_box (scene, partner)->parent : -1;
      int mirror;

      if (region < 0 || ph_scene_box (scene, region)->kind != PH_BOX_GROUP || ph_scene_box (scene, region)->parent != parent
          || ph_scene_is_settled (build, b))
        continue;
      mirror = GPOINTER_TO_INT (g_hash_table_lookup (mirrors, GINT_TO_POINTER (region)));
      if (mirror == 0)
        {
          g_autofree char *path = g_strconcat ("∇ ", ph_scene_box (scene, region)->path, NULL);
          g_autofree char *title = g_strconcat ("∇ ", ph_scene_box (scene, region)->title, NULL);
          char *colon = strstr (title, ": ");

          if (colon != NULL)
            *colon = 0;
          if (build->kept_groups != NULL && g_hash_table_contains (build->kept_groups, path))
            continue;
          mirror = ph_scene_add_group (scene, path, title);
          ph_scene_box_at (scene, mirror)->parent = parent;
          ph_scene_box_at (scene, mirror)->backward = TRUE;
          g_hash_table_insert (mirrors, GINT_TO_POINTER (region), GINT_TO_POINTER (mirror));
        }
      ph_scene_box_at (scene, b)->parent = mirror;
    }
}

/* Dissolves a single region that contains the whole group or very many nodes: it tells nothing, and opening it would show the same. */
static void
undo_single (PhSceneBuild *build, int parent, guint first, const int *leaves, int n_leaves)
{
  PhScene *scene = build->scene;
  int n_inside = 0;

  if (scene->boxes->len != first + 1)
    return;
  for (int i = 0; i < n_leaves; i++)
    {
      const PhSceneBox *box = ph_scene_box (scene, leaves[i]);

      if (box->kind == PH_BOX_NODE && box->parent == parent)
        return;
      n_inside += box->parent == (int) first;
    }
  if (parent < 0 && n_inside <= REGION_MANY)
    return;
  for (int i = 0; i < n_leaves; i++)
    if (ph_scene_box (scene, leaves[i])->parent == (int) first)
      ph_scene_box_at (scene, leaves[i])->parent = parent;
  g_array_set_size (scene->boxes, first);
}

void
ph_regions_part (PhRegions *regions, int parent, const int *leaves, int n_leaves, const int *below, int n_below)
{
  PhSceneBuild *build = regions->build;
  const guint start = build->scene->boxes->len;
  guint first = start;

  part_side (regions, parent, FALSE, leaves, n_leaves);
  part_cyclic (regions, parent, first, FALSE, below, n_below);
  number_regions (build, parent, first);
  mirror_regions (build, parent, leaves, n_leaves);
  first = build->scene->boxes->len;
  part_side (regions, parent, TRUE, leaves, n_leaves);
  part_cyclic (regions, parent, first, TRUE, below, n_below);
  number_regions (build, parent, first);
  undo_single (build, parent, start, leaves, n_leaves);
}
