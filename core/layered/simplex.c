/* simplex.c: layers with the least total length of edges, by the network simplex method of Gansner, Koutsofios, North and Vo,
 * "A Technique for Drawing Directed Graphs" (IEEE TSE 19, 1993), sections 2.3 and 2.4.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#define PATIENCE   20000000 /* arcs looked at in all; the layers reached by then are valid, only not the best */
#define CANDIDATES 30       /* arcs with a negative cut value among which the most negative leaves            */

/* Network simplex: a spanning tree of tight arcs. Removing an arc of the tree divides the vertices; its cut value is the change of the
 * total length when the two parts move one layer apart. While a cut value is negative, that arc leaves the tree and the tightest arc in the
 * other direction enters. */
typedef struct
{
  const PhArc *arcs;
  const PhRows *in, *out;
  int *rank;
  guint8 *in_tree;        /* of an arc                                                                   */
  gint64 *cut;            /* of an arc of the tree                                                       */
  int *tree, *tree_place; /* the arcs of the tree; of an arc: its index there                        */
  int *up;                /* of a vertex: the arc to its parent, -1: the root                            */
  int *low, *lim;         /* by vertex: the postorder numbers of its subtree are low .. lim, its own last */
  int *stack, *next;      /* for walks                                                                   */
  int *found;             /* vertices of a walk                                                          */
  gint64 work;
} Simplex;

static int
slack_of (const Simplex *s, int arc)
{
  return s->rank[s->arcs[arc].to] - s->rank[s->arcs[arc].from] - s->arcs[arc].length;
}

static int
degree_of (const Simplex *s, int v)
{
  return s->out->start[v + 1] - s->out->start[v] + s->in->start[v + 1] - s->in->start[v];
}

/* Returns arc number @k at @v, and its other end. */
static int
arc_at (const Simplex *s, int v, int k, int *other)
{
  const int n_out = s->out->start[v + 1] - s->out->start[v];
  const int arc = k < n_out ? s->out->index[s->out->start[v] + k] : s->in->index[s->in->start[v] + k - n_out];

  *other = s->arcs[arc].from == v ? s->arcs[arc].to : s->arcs[arc].from;
  return arc;
}

/* ── the first tree ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Grows a tree of tight arcs from @root; if there is none to add, shifts the whole tree until there is. Appends its vertices to @found.
 * Returns FALSE if the work limit is exceeded. */
static gboolean
grow_tree (Simplex *s, int root, guint8 *inside, int *n_found, int *n_tree)
{
  const int first = *n_found;
  int head = first;

  inside[root] = TRUE;
  s->found[(*n_found)++] = root;
  for (;;)
    {
      int best = -1, least = G_MAXINT, shift;

      for (; head < *n_found; head++)
        {
          const int v = s->found[head], degree = degree_of (s, v);

          s->work += degree;
          for (int k = 0; k < degree; k++)
            {
              int w;
              const int arc = arc_at (s, v, k, &w);

              if (inside[w] || slack_of (s, arc) != 0)
                continue;
              inside[w] = TRUE;
              s->in_tree[arc] = TRUE;
              s->tree_place[arc] = *n_tree;
              s->tree[(*n_tree)++] = arc;
              s->found[(*n_found)++] = w;
            }
        }
      for (int i = first; i < *n_found && least > 1; i++)
        {
          const int v = s->found[i], degree = degree_of (s, v);

          s->work += degree;
          for (int k = 0; k < degree; k++)
            {
              int w;
              const int arc = arc_at (s, v, k, &w);

              if (!inside[w] && slack_of (s, arc) < least)
                {
                  least = slack_of (s, arc);
                  best = arc;
                }
            }
        }
      if (best < 0)
        return TRUE;
      if (s->work > PATIENCE)
        return FALSE;
      shift = inside[s->arcs[best].from] ? least : -least;
      for (int i = first; i < *n_found; i++)
        s->rank[s->found[i]] += shift;
      /* The vertex at the inner end is looked at again. */
      {
        const int inner = inside[s->arcs[best].from] ? s->arcs[best].from : s->arcs[best].to;
        const int outer = inner == s->arcs[best].from ? s->arcs[best].to : s->arcs[best].from;

        inside[outer] = TRUE;
        s->in_tree[best] = TRUE;
        s->tree_place[best] = *n_tree;
        s->tree[(*n_tree)++] = best;
        s->found[(*n_found)++] = outer;
        /* Others may have become tight by the move. */
        head = first;
      }
    }
}

/* Numbers the subtree of @root from @low on. Returns the next number. */
static int
number (Simplex *s, int root, int up, int low)
{
  int depth = 0, at = low;

  s->stack[0] = root;
  s->next[root] = 0;
  s->up[root] = up;
  s->low[root] = low;
  while (depth >= 0)
    {
      const int v = s->stack[depth], degree = degree_of (s, v);
      gboolean deeper = FALSE;

      while (s->next[v] < degree && !deeper)
        {
          int w;
          const int arc = arc_at (s, v, s->next[v]++, &w);

          s->work++;
          if (!s->in_tree[arc] || arc == s->up[v])
            continue;
          s->up[w] = arc;
          s->low[w] = at;
          s->next[w] = 0;
          s->stack[++depth] = w;
          deeper = TRUE;
        }
      if (!deeper)
        {
          s->lim[v] = at++;
          depth--;
        }
    }
  return at;
}

static gboolean
below (const Simplex *s, int v, int top)
{
  return s->low[top] <= s->lim[v] && s->lim[v] <= s->lim[top];
}

/* Computes cut values: arcs within a subtree cancel out, so that of the arc above @v is the weight leaving the subtree minus the weight
 * entering it. @members: vertices. */
static void
find_cuts (Simplex *s, const int *members, int n_members)
{
  g_autofree int *by_number = g_new (int, n_members + 1);
  g_autofree gint64 *balance = g_new0 (gint64, n_members + 1);

  for (int i = 0; i < n_members; i++)
    by_number[s->lim[members[i]]] = members[i];
  for (int i = 0; i < n_members; i++)
    {
      const int v = by_number[i], arc = s->up[v];

      for (int k = s->out->start[v]; k < s->out->start[v + 1]; k++)
        balance[i] += s->arcs[s->out->index[k]].weight;
      for (int k = s->in->start[v]; k < s->in->start[v + 1]; k++)
        balance[i] -= s->arcs[s->in->index[k]].weight;
      if (arc < 0)
        continue;
      s->cut[arc] = s->arcs[arc].from == v ? balance[i] : -balance[i];
      balance[s->lim[s->arcs[arc].from == v ? s->arcs[arc].to : s->arcs[arc].from]] += balance[i];
    }
}

/* ── exchanges ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static int
leaving (Simplex *s, int n_tree, int *from)
{
  int best = -1, n_seen = 0;

  for (int i = 0; i < n_tree && n_seen < CANDIDATES; i++)
    {
      const int arc = s->tree[(*from + i) % n_tree];

      s->work++;
      if (s->cut[arc] >= 0)
        continue;
      n_seen++;
      if (best < 0 || s->cut[arc] < s->cut[best])
        best = arc;
      if (n_seen == CANDIDATES)
        *from = (*from + i + 1) % n_tree;
    }
  return best;
}

/* Stores the vertices below @top in s->found. Returns their number. */
static int
walk_below (Simplex *s, int top)
{
  int n = 0;

  s->found[n++] = top;
  for (int i = 0; i < n; i++)
    {
      const int v = s->found[i], degree = degree_of (s, v);

      s->work += degree;
      for (int k = 0; k < degree; k++)
        {
          int w;
          const int arc = arc_at (s, v, k, &w);

          if (s->in_tree[arc] && arc != s->up[v])
            s->found[n++] = w;
        }
    }
  return n;
}

/* Returns the tightest arc between the two parts in the direction opposite to @arc, or -1. The lower part is in s->found. */
static int
entering (Simplex *s, int arc, int top, int n_below)
{
  const gboolean leaves = s->arcs[arc].from == top; /* from the lower part to the upper one */
  const PhRows *rows = leaves ? s->in : s->out;
  int best = -1;

  for (int i = 0; i < n_below; i++)
    {
      const int v = s->found[i];

      s->work += rows->start[v + 1] - rows->start[v];
      for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
        {
          const int other = leaves ? s->arcs[rows->index[k]].from : s->arcs[rows->index[k]].to;

          if (!below (s, other, top) && (best < 0 || slack_of (s, rows->index[k]) < slack_of (s, best)))
            best = rows->index[k];
        }
    }
  return best;
}

/* Adds @cut, with the sign of their direction in the cycle, to the arcs from @v up to the first ancestor that has @other below it. Returns
 * that ancestor. */
static int
update_path (Simplex *s, int v, int other, gint64 cut, gboolean down)
{
  while (!below (s, other, v))
    {
      const int arc = s->up[v];
      const gboolean along = (s->arcs[arc].from == v) == down;

      s->cut[arc] += along ? cut : -cut;
      v = s->arcs[arc].from == v ? s->arcs[arc].to : s->arcs[arc].from;
      s->work++;
    }
  return v;
}

static gboolean
exchange (Simplex *s, int arc)
{
  const int top = s->lim[s->arcs[arc].from] < s->lim[s->arcs[arc].to] ? s->arcs[arc].from : s->arcs[arc].to;
  const gboolean leaves = s->arcs[arc].from == top;
  const int n_below = walk_below (s, top), comes = entering (s, arc, top, n_below);
  const gint64 cut = s->cut[arc];
  int shift, common;

  if (comes < 0)
    return FALSE;
  shift = slack_of (s, comes);
  for (int i = 0; i < n_below && shift != 0; i++)
    s->rank[s->found[i]] += leaves ? -shift : shift;
  common = update_path (s, s->arcs[comes].from, s->arcs[comes].to, cut, TRUE);
  update_path (s, s->arcs[comes].to, s->arcs[comes].from, cut, FALSE);
  s->cut[comes] = -cut;
  s->in_tree[arc] = FALSE;
  s->in_tree[comes] = TRUE;
  s->tree_place[comes] = s->tree_place[arc];
  s->tree[s->tree_place[comes]] = comes;
  number (s, common, s->up[common], s->low[common]);
  return TRUE;
}

void
ph_layered_simplex (int n, const PhArc *arcs, int n_arcs, const PhRows *in, const PhRows *out, int *rank)
{
  Simplex s = { .arcs = arcs, .in = in, .out = out, .rank = rank };
  g_autofree guint8 *inside = g_new0 (guint8, n + 1);
  int n_found = 0;
  gboolean patient = TRUE;

  s.in_tree = g_new0 (guint8, n_arcs + 1);
  s.cut = g_new0 (gint64, n_arcs + 1);
  s.tree = g_new (int, n + 1);
  s.tree_place = g_new (int, n_arcs + 1);
  s.up = g_new (int, n + 1);
  s.low = g_new (int, n + 1);
  s.lim = g_new (int, n + 1);
  s.stack = g_new (int, n + 1);
  s.next = g_new (int, n + 1);
  s.found = g_new (int, n + 1);
  /* Each connected part is solved by itself. */
  for (int root = 0; root < n && patient; root++)
    {
      int n_tree = 0, from = 0, least = G_MAXINT, n_members;
      const int first = n_found;
      g_autofree int *members = NULL;

      if (inside[root])
        continue;
      patient = grow_tree (&s, root, inside, &n_found, &n_tree);
      if (n_tree == 0 || !patient)
        continue;
      n_members = n_found - first;
      members = g_memdup2 (s.found + first, sizeof (int) * n_members);
      number (&s, root, -1, 0);
      find_cuts (&s, members, n_members);
      for (int arc = leaving (&s, n_tree, &from); arc >= 0 && patient; arc = leaving (&s, n_tree, &from))
        patient = exchange (&s, arc) && s.work < PATIENCE;
      for (int i = 0; i < n_members; i++)
        least = MIN (least, rank[members[i]]);
      for (int i = 0; i < n_members; i++)
        rank[members[i]] -= least;
    }
  g_free (s.in_tree);
  g_free (s.cut);
  g_free (s.tree);
  g_free (s.tree_place);
  g_free (s.up);
  g_free (s.low);
  g_free (s.lim);
  g_free (s.stack);
  g_free (s.next);
  g_free (s.found);
}
