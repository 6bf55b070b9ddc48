/* batch-norm-to-affine.c: a batch normalisation that has no convolution before it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* y = s * x + t by channel, s = scale / sqrt (var + epsilon), t = B - s * mean */

static gboolean
is_inference (PhMatch *match)
{
  const PhNode *node = match->root;
  double epsilon = ph_node_attr_float (node, "epsilon", 1e-5f);

  if (ph_node_attr_int (node, "training_mode", 0) != 0 || ph_value_rank (match->slot[0]) < 2 || !ph_value_is_float (match->slot[0]))
    return FALSE;
  for (guint i = 1; i < 5; i++)
    if (ph_value_dtype (ph_node_input (node, i)) != ph_value_dtype (match->slot[0]) || ph_value_rank (ph_node_input (node, i)) != 1)
      return FALSE;
  for (gint64 c = 0; c < ph_value_dim (match->slot[4], 0); c++)
    if (!(ph_tensor_get (ph_value_constant (match->slot[4]), c) + epsilon > 0))
      return FALSE;
  return TRUE;
}

static PhValue *
build_affine (PhMatch *match, PhBuilder *b)
{
  PhTensor *scale = ph_value_constant (match->slot[1]), *shift = ph_value_constant (match->slot[2]);
  PhTensor *mean = ph_value_constant (match->slot[3]), *var = ph_value_constant (match->slot[4]), *s, *t;
  double epsilon = ph_node_attr_float (match->root, "epsilon", 1e-5f);
  guint rank = ph_value_rank (match->slot[0]) - 1;
  gint64 dims[PH_MAX_RANK] = { ph_tensor_count (scale) };

  for (guint i = 1; i < rank; i++)
    dims[i] = 1;
  s = ph_tensor_new (ph_tensor_dtype (scale), rank, dims);
  t = ph_tensor_new (ph_tensor_dtype (scale), rank, dims);
  for (gint64 c = 0; c < dims[0]; c++)
    {
      double factor = ph_tensor_get (scale, c) / sqrt (ph_tensor_get (var, c) + epsilon);

      ph_dtype_store (ph_tensor_dtype (scale), ph_tensor_writable (s), c, factor);
      ph_dtype_store (ph_tensor_dtype (scale), ph_tensor_writable (t), c, ph_tensor_get (shift, c) - factor * ph_tensor_get (mean, c));
    }
  return PH_BUILD (b, Add, PH_BUILD (b, Mul, match->slot[0], ph_build_tensor (b, s)), ph_build_tensor (b, t));
}

static const PhRule rules[] = {
  { "batch-norm-affine", P (BatchNormalization, X, CONST (1), CONST (2), CONST (3), CONST (4)), .when = is_inference,
    .build = build_affine, .becomes = "Add(Mul(x, s), t)", .exactness = PH_ROUNDING,
    .why = "At inference a batch normalisation is a factor and an offset for each channel, which fuse with what is around them." },
};

const PhPass ph_pass_batch_norm_to_affine = {
  .name = "batch-norm-to-affine", .group = "algebra", .summary = "Turns a batch normalisation into a product and a sum",
  .elsewhere = "TVM SimplifyInference",
  .trap = "in training the statistics are those of the batch.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
