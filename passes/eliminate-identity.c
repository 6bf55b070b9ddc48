/* eliminate-identity.c: removes operators that return their input.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
casts_to_same (PhMatch *match)
{
  return ph_value_dtype (match->slot[0]) != PH_UNDEFINED
         && ph_value_dtype (match->slot[0]) == (PhDType) ph_node_attr_int (match->root, "to", PH_UNDEFINED);
}

/* perm left out means reversed, which is nothing only for a vector or a scalar. */
static gboolean
perm_is_identity (PhMatch *match)
{
  int rank;
  g_autofree gint64 *perm = ph_node_perm (match->root, &rank);

  if (perm == NULL)
    return FALSE;
  for (int i = 0; i < rank; i++)
    if (perm[i] != i)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the target shape equals the input's: 0 copies, and one dimension that inference cannot compare may be -1, since the
 * number of elements does not change. */
static gboolean
reshapes_to_same (PhMatch *match)
{
  const PhValue *x = match->slot[0];
  g_autofree gint64 *target = NULL;
  int rank = ph_value_rank (x);
  guint free_dims = 0;
  gsize n;

  if (ph_match_keeps_type (match))
    return TRUE;
  if (rank < 0 || !ph_value_ints (ph_node_input (match->root, 1), &target, &n) || n != (gsize) rank
      || ph_node_attr_int (match->root, "allowzero", 0) != 0)
    return FALSE;
  for (int i = 0; i < rank; i++)
    {
      gint64 size = x->type->dims[i].size;

      if (target[i] == -1)
        free_dims++;
      else if (target[i] != 0 && target[i] != size)
        return FALSE;
    }
  return free_dims <= 1;
}

static gboolean
drops_nothing (PhMatch *match)
{
  double ratio;
  PhValue *training = ph_node_input (match->root, 2);
  PhTensor *tensor;

  if (training == NULL)
    return TRUE;
  tensor = ph_value_constant (training);
  if (tensor != NULL && ph_tensor_count (tensor) == 1 && ph_tensor_get_int (tensor, 0) == 0)
    return TRUE;
  return ph_value_number (ph_node_input (match->root, 1), &ratio) && ratio == 0;
}

/* clang-format off */
static const PhRule rules[] = {
  { "identity",       P (Identity, X),      X, .when = ph_match_always,
    .why = "Identity returns its input unchanged." },
  { "nop-cast",       P (Cast, X),          X, .when = casts_to_same,
    .why = "A cast to the element type that the input has changes nothing." },
  { "nop-transpose",  P (Transpose, X),     X, .when = perm_is_identity,
    .why = "A permutation that leaves every axis in its place moves nothing." },
  { "nop-reshape",    P (Reshape, X),       X, .when = reshapes_to_same,
    .why = "The input already has the target shape." },
  { "nop-dropout",    P (Dropout, X),       X, .when = drops_nothing,
    .why = "Dropout returns its input unchanged unless it is in training mode with a ratio above zero." },
};

const PhPass ph_pass_eliminate_identity = {
  .name = "eliminate-identity", .group = "simplify",
  .summary = "Removes Identity, and Cast, Reshape, Transpose and Dropout where they change nothing",
  .elsewhere = "ONNX Runtime EliminateIdentity, CastElimination, EliminateDropout; onnxoptimizer eliminate_identity, "
               "nop_*",
  .trap = "an Identity between an input and an output of the graph must stay: the two names are the interface. A "
          "Dropout whose mask is read has to stay.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
