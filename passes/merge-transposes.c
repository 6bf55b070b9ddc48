/* merge-transposes.c: merges consecutive Transposes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
perms_are_known (PhMatch *match)
{
  int outer, inner;
  g_autofree gint64 *p = ph_node_perm (match->node[0], &outer), *q = ph_node_perm (match->node[1], &inner);

  return p != NULL && q != NULL && outer == inner;
}

/* Axis i of the result is axis p[i] of the middle, which is axis q[p[i]] of the input. */
static PhValue *
build_composed (PhMatch *match, PhBuilder *b)
{
  int rank;
  g_autofree gint64 *p = ph_node_perm (match->node[0], &rank), *q = ph_node_perm (match->node[1], &rank);
  g_autofree gint64 *both = g_new (gint64, rank + 1);
  gboolean identity = TRUE;

  for (int i = 0; i < rank; i++)
    {
      both[i] = q[p[i]];
      identity &= both[i] == i;
    }
  if (identity)
    return match->slot[0];
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", both, rank)), match->slot[0]);
}

/* Returns TRUE if only axes of size 1 are moved: the elements keep their order in memory. */
static gboolean
moves_only_ones (PhMatch *match)
{
  const PhValue *x = match->slot[0];
  int rank, last = -1;
  g_autofree gint64 *perm = ph_node_perm (match->root, &rank);
  guint moved = 0;

  if (perm == NULL || !ph_value_is_static (ph_node_output (match->root, 0)) || ph_value_rank (x) != rank)
    return FALSE;
  for (int i = 0; i < rank; i++)
    {
      moved += perm[i] != i;
      if (ph_value_dim (x, perm[i]) == 1)
        continue;
      if (perm[i] < last)
        return FALSE;
      last = (int) perm[i];
    }
  return moved > 0;
}

static PhValue *
build_reshape (PhMatch *match, PhBuilder *b)
{
  const PhType *type = ph_node_output (match->root, 0)->type;
  gint64 dims[PH_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    {
      dims[i] = type->dims[i].size;
      if (dims[i] == 0)
        return NULL;
    }
  return PH_BUILD (b, Reshape, match->slot[0], ph_build_ints (b, dims, type->rank));
}

static const PhRule rules[] = {
  { "transpose-transpose", P (Transpose, P_SHARED (Transpose, X)), .when = perms_are_known, .build = build_composed,
    .becomes = "Transpose(x)", .why = "The composition of two permutations is one permutation." },
  { "transpose-of-ones", P (Transpose, X), .when = moves_only_ones, .build = build_reshape, .becomes = "Reshape(x)",
    .why = "Only axes of size one move, so every element keeps its place in memory." },
};

/* clang-format off */
const PhPass ph_pass_merge_transposes = {
  .name = "merge-transposes", .group = "layout", .summary = "Composes permutations, and turns those that move no element into Reshape",
  .elsewhere = "onnxoptimizer fuse_consecutive_transposes; XLA; MindSpore transpose_eliminate",
  .trap = "the order of composition matters, and a missing perm reverses the axes.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
