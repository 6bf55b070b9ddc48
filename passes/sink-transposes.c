/* sink-transposes.c: permutations that cancel across elementwise operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*   Transpose p                 Transpose p   Transpose p           x   y
 *      |                              \         /                    \ /
 *     Relu           =>   Relu            Add              =>        Add
 *      |                                   |                          |
 *   Transpose p^-1                                                Transpose p     Moved only where at least one goes. */

#define FAR 16

static PhNode *
private_producer (const PhNode *node)
{
  PhValue *x = ph_node_input (node, 0);

  return x != NULL && x->producer != NULL && x->producer->graph == node->graph && ph_value_only_user (x) == node ? x->producer : NULL;
}

/* One input that has elements for all of the output; the others are scalars. */
static gboolean
is_unary (const PhNode *node)
{
  if (node->op == NULL || !(node->op->flags & PH_OP_ELEMENTWISE) || node->inputs->len == 0 || node->outputs->len != 1)
    return FALSE;
  for (guint i = 1; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_value_rank (ph_node_input (node, i)) != 0)
      return FALSE;
  return TRUE;
}

/* Up from the lower Transpose through unary operators to one that undoes it. */
static PhNode *
find_partner (const PhNode *lower)
{
  PhNode *node = private_producer (lower);
  int rank, other;
  g_autofree gint64 *p = NULL, *q = NULL;

  if (node == NULL || !is_unary (node))
    return NULL;
  for (guint i = 0; node != NULL && i < FAR && is_unary (node); i++)
    node = private_producer (node);
  if (node == NULL || node->op != &ph_op_Transpose)
    return NULL;
  p = ph_node_perm (lower, &rank);
  q = ph_node_perm (node, &other);
  if (p == NULL || q == NULL || rank != other)
    return NULL;
  for (int i = 0; i < rank; i++)
    if (q[p[i]] != i)
      return NULL;
  return node;
}

static gboolean
cancels (PhMatch *match)
{
  return find_partner (match->root) != NULL;
}

static PhValue *
rebuild (PhBuilder *b, const PhNode *node, const PhNode *upper)
{
  g_autofree PhValue **inputs = NULL;

  if (node == upper)
    return ph_node_input (upper, 0);
  inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  inputs[0] = rebuild (b, inputs[0]->producer, upper);
  return inputs[0] != NULL ? ph_build_like (b, node, inputs, node->inputs->len) : NULL;
}

static PhValue *
build_between (PhMatch *match, PhBuilder *b)
{
  return rebuild (b, ph_node_input (match->root, 0)->producer, find_partner (match->root));
}

/* Both operands are permuted alike, for this only. */
static gboolean
operands_are_permuted (PhMatch *match)
{
  const PhNode *node = match->root, *a, *c;
  int rank = 0, other = 0;
  g_autofree gint64 *p = NULL, *q = NULL;

  if (node->op == NULL || !(node->op->flags & PH_OP_ELEMENTWISE) || node->inputs->len != 2 || node->outputs->len != 1 ||
      ph_node_input (node, 0) == NULL || ph_node_input (node, 1) == NULL)
    return FALSE;
  a = ph_node_input (node, 0)->producer;
  c = ph_node_input (node, 1)->producer;
  if (a == NULL || c == NULL || a == c || a->op != &ph_op_Transpose || c->op != &ph_op_Transpose || a->graph != node->graph ||
      c->graph != node->graph || ph_value_only_user (ph_node_input (node, 0)) != node || ph_value_only_user (ph_node_input (node, 1)) != node)
    return FALSE;
  p = ph_node_perm (a, &rank);
  q = ph_node_perm (c, &other);
  return p != NULL && q != NULL && rank == other && memcmp (p, q, rank * sizeof *p) == 0;
}

static PhValue *
build_below (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root, *a = ph_node_input (node, 0)->producer, *c = ph_node_input (node, 1)->producer;
  PhValue *inputs[] = { ph_node_input (a, 0), ph_node_input (c, 0) }, *y = ph_build_like (b, node, inputs, 2);

  return y != NULL ? ph_build_like (b, a, &y, 1) : NULL;
}

static const PhRule rules[] = {
  { "transposes-cancel", .root = &ph_op_Transpose, .when = cancels, .build = build_between, .becomes = "f(x), of Transpose(f(Transpose(x)))",
    .why = "What works on each element does not see the order of axes, so the two permutations cancel." },
  { "transpose-operands", .when = operands_are_permuted, .build = build_below, .becomes = "Transpose(f(x, y)), of f(Transpose(x), Transpose(y))",
    .why = "Both operands are permuted alike, so the result can be, once." },
};

const PhPass ph_pass_sink_transposes = {
  .name = "sink-transposes", .group = "layout", .summary = "Moves Transpose down through elementwise operators where one can go",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
