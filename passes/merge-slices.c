/* merge-slices.c: merges consecutive Slices along different axes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

typedef struct
{
  gint64 *starts, *ends, *axes, *steps;
  gsize n;
} Box;

static void
box_clear (Box *box)
{
  g_free (box->starts);
  g_free (box->ends);
  g_free (box->axes);
  g_free (box->steps);
}

static gboolean
read_box (const PhNode *node, int rank, Box *box)
{
  gsize n_ends = 0, n_axes = 0, n_steps = 0;

  if (rank < 0 || !ph_value_ints (ph_node_input (node, 1), &box->starts, &box->n)
      || !ph_value_ints (ph_node_input (node, 2), &box->ends, &n_ends) || n_ends != box->n)
    return FALSE;
  if (ph_node_input (node, 3) == NULL)
    {
      box->axes = g_new (gint64, box->n + 1);
      for (gsize i = 0; i < box->n; i++)
        box->axes[i] = i;
    }
  else if (!ph_value_ints (ph_node_input (node, 3), &box->axes, &n_axes) || n_axes != box->n)
    return FALSE;
  if (ph_node_input (node, 4) == NULL)
    {
      box->steps = g_new (gint64, box->n + 1);
      for (gsize i = 0; i < box->n; i++)
        box->steps[i] = 1;
    }
  else if (!ph_value_ints (ph_node_input (node, 4), &box->steps, &n_steps) || n_steps != box->n)
    return FALSE;
  for (gsize i = 0; i < box->n; i++)
    if ((box->axes[i] = ph_axis_of (box->axes[i], rank)) < 0)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the axes differ: on a common axis the second Slice's ends would have to be clamped by the first. */
static gboolean
axes_differ (PhMatch *match)
{
  Box outer = { NULL }, inner = { NULL };
  int rank = ph_value_rank (match->slot[0]);
  gboolean ok = read_box (match->node[0], rank, &outer) && read_box (match->node[1], rank, &inner);

  for (gsize i = 0; ok && i < outer.n; i++)
    for (gsize k = 0; k < inner.n; k++)
      ok &= outer.axes[i] != inner.axes[k];
  box_clear (&outer);
  box_clear (&inner);
  return ok;
}

static PhValue *
ints (PhBuilder *b, const gint64 *first, gsize n, const gint64 *second, gsize m)
{
  g_autofree gint64 *both = g_new (gint64, n + m + 1);

  for (gsize i = 0; i < n; i++)
    both[i] = first[i];
  for (gsize i = 0; i < m; i++)
    both[n + i] = second[i];
  return ph_build_ints (b, both, n + m);
}

static PhValue *
build_merged (PhMatch *match, PhBuilder *b)
{
  Box p = { NULL }, q = { NULL };
  int rank = ph_value_rank (match->slot[0]);
  PhValue *result = NULL;

  if (read_box (match->node[1], rank, &p) && read_box (match->node[0], rank, &q))
    result = PH_BUILD (b, Slice, match->slot[0], ints (b, p.starts, p.n, q.starts, q.n), ints (b, p.ends, p.n, q.ends, q.n),
                       ints (b, p.axes, p.n, q.axes, q.n), ints (b, p.steps, p.n, q.steps, q.n));
  box_clear (&p);
  box_clear (&q);
  return result;
}

static const PhRule rules[] = {
  { "slice-slice", P (Slice, P (Slice, X)), .when = axes_differ, .build = build_merged, .becomes = "Slice(x)",
    .why = "Slices along different axes are independent, so one Slice can take both." },
};

/* clang-format off */
const PhPass ph_pass_merge_slices = {
  .name = "merge-slices", .group = "simplify", .summary = "Merges slices along different axes",
  .elsewhere = "onnxoptimizer fuse_consecutive_slices; XLA",
  .trap = "two slices of one axis need arithmetic with bounds that are clamped twice.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
