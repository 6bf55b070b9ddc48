/* group-cycles.c: finds lines that lead back up among groups: their nodes are in no cycle, but groups may be, as where a block was joined with
 * one above another block, or a module is called twice.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"
#include "core/scene/arrange.h"

typedef struct
{
  int from, to; /* beside each other: boxes of one group */
  guint edge;
} Step;

typedef struct
{
  const Step *steps;
  PhRows rows;
  int *number, *low; /* of a box, from 1 on: when it was reached, and the first one that it leads back to */
  int *component;    /* of a box, 0: not known yet                                                         */
  int reached, n_components;
  GArray *stack; /* (element-type int) boxes whose component is not known yet */
} Search;

static gboolean
is_group (PhArranger *a, int box)
{
  return ph_scene_box (a->scene, box)->kind == PH_BOX_GROUP || ph_scene_box (a->scene, box)->open;
}

/* Returns the boxes beside each other between which the line of @edge leads. FALSE: there are none that are seen. */
static gboolean
find_step (PhArranger *a, guint edge, Step *step)
{
  const PhUnionEdge *at = &g_array_index (a->build->union_edges, PhUnionEdge, edge);
  guint depth[2] = { 0, 0 };
  int ends[2] = { at->from, at->to };

  if (at->from < 0 || at->link || ph_arrange_backward (a->scene, at->from) || ph_arrange_backward (a->scene, at->to))
    return FALSE;
  for (int k = 0; k < 2; k++)
    for (int up = ends[k]; up >= 0; up = ph_arrange_parent (a, up))
      depth[k]++;
  for (int k = 0; k < 2; k++)
    for (; depth[k] > depth[1 - k]; depth[k]--)
      ends[k] = ph_arrange_parent (a, ends[k]);
  while (ends[0] != ends[1] && ph_arrange_parent (a, ends[0]) != ph_arrange_parent (a, ends[1]))
    for (int k = 0; k < 2; k++)
      ends[k] = ph_arrange_parent (a, ends[k]);
  *step = (Step) { ends[0], ends[1], edge };
  return ends[0] != ends[1] && ph_scene_box (a->scene, ends[0])->shown;
}

/* Tarjan's search from @root, with a stack of its own: a chain may be long. */
static void
search (Search *s, int root)
{
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, 2 * sizeof (int)); /* box, next of its steps */
  int top[2] = { root, s->rows.start[root] };

  s->number[root] = s->low[root] = ++s->reached;
  g_array_append_val (s->stack, root);
  g_array_append_val (way, top);
  while (way->len > 0)
    {
      int *at = (int *) (void *) (way->data + (way->len - 1) * 2 * sizeof (int));
      const int box = at[0];

      if (at[1] < s->rows.start[box + 1])
        {
          const int to = s->steps[s->rows.index[at[1]++]].to;

          if (s->number[to] == 0)
            {
              const int next[2] = { to, s->rows.start[to] };

              s->number[to] = s->low[to] = ++s->reached;
              g_array_append_val (s->stack, to);
              g_array_append_val (way, next);
            }
          else if (s->component[to] == 0)
            s->low[box] = MIN (s->low[box], s->number[to]);
          continue;
        }
      if (s->low[box] == s->number[box])
        {
          int last;

          s->n_components++;
          do
            {
              last = g_array_index (s->stack, int, s->stack->len - 1);
              g_array_set_size (s->stack, s->stack->len - 1);
              s->component[last] = s->n_components;
            }
          while (last != box);
        }
      g_array_set_size (way, way->len - 1);
      if (way->len > 0)
        {
          const int above = ((int *) (void *) (way->data + (way->len - 1) * 2 * sizeof (int)))[0];

          s->low[above] = MIN (s->low[above], s->low[box]);
        }
    }
}

void
ph_arrange_turn_cycles (PhArranger *a)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Step)), stack = g_array_new (FALSE, FALSE, sizeof (int));
  g_autofree int *number = NULL, *low = NULL, *component = NULL, *first = NULL;
  Search s = { .stack = stack };
  gboolean groups = FALSE;

  for (int b = a->n - 1; b >= 0 && !groups; b--)
    groups = is_group (a, b);
  for (guint e = 0; e < a->build->union_edges->len && groups; e++)
    {
      Step step;

      if (find_step (a, e, &step))
        g_array_append_val (steps, step);
    }
  if (steps->len == 0)
    return;
  s.steps = &g_array_index (steps, Step, 0);
  s.number = number = g_new0 (int, a->n + 1);
  s.low = low = g_new0 (int, a->n + 1);
  s.component = component = g_new0 (int, a->n + 1);
  ph_rows_init (&s.rows, a->n, steps->len, &s.steps->from, sizeof (Step));
  for (int b = 0; b < a->n; b++)
    if (number[b] == 0)
      search (&s, b);
  /* Of two in a cycle the one whose first box came first is above: that stays so while a history goes on. */
  first = g_new (int, a->n + 1);
  for (int b = 0; b < a->n; b++)
    first[b] = b;
  for (int b = 0; b < a->n; b++)
    for (int up = ph_arrange_parent (a, b); up >= 0 && ph_scene_box (a->scene, b)->kind != PH_BOX_GROUP;
         up = ph_arrange_parent (a, up))
      first[up] = MIN (first[up], b);
  for (guint i = 0; i < steps->len; i++)
    {
      const Step *step = &s.steps[i];

      if (component[step->from] == component[step->to] && first[step->from] > first[step->to]
          && (is_group (a, step->from) || is_group (a, step->to)))
        g_array_index (a->build->union_edges, PhUnionEdge, step->edge).link = TRUE;
    }
  ph_rows_clear (&s.rows);
}
