/* fuse-layer-norm.c: recognizes layer normalization in its expansion into simpler operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*  d = x - ReduceMean (x)
 *  d / sqrt (ReduceMean (d * d) + epsilon) * w + b      =>      LayerNormalization (x, w, b)
 *
 * The means must be over the same last axes and keep them (with keepdims=0 the mean broadcasts along another axis, if the
 * tensor happens to be square), and the weights must have exactly the shape of those axes. */

enum
{
  SLOT_X,
  SLOT_W,
  SLOT_EPSILON
};

/* Returns the first axis that @reduce averages if it averages all the following axes, else -1. */
static int
last_axes (const PhNode *reduce, int rank)
{
  g_autofree gint64 *axes = NULL;
  gsize n;

  if (rank <= 0 || ph_node_attr_int (reduce, "keepdims", 1) == 0)
    return -1;
  axes = ph_node_axes (reduce, 1, rank, &n);
  if (axes == NULL || n == 0)
    return -1;
  for (gsize i = 0; i < n; i++)
    if (axes[i] != rank - (gint64) n + (gint64) i)
      return -1;
  return (int) axes[0];
}

/* Returns TRUE if all ReduceMeans of the match average over the same last axes. */
static int
common_axis (const PhMatch *match)
{
  int rank = ph_value_rank (match->slot[SLOT_X]), common = -1;

  for (guint i = 0; i < match->n_nodes; i++)
    if (match->node[i]->op == &ph_op_ReduceMean)
      {
        int axis = last_axes (match->node[i], rank);

        if (axis < 0 || (common >= 0 && axis != common))
          return -1;
        common = axis;
      }
  return common;
}

/* Returns TRUE if @value has exactly the dimensions of @x from @axis on, all known: a scale that broadcasts its operand is not layer
 * normalization. */
static gboolean
has_shape_from (const PhValue *value, const PhValue *x, int axis)
{
  int rank = ph_value_rank (x);

  if (ph_value_rank (value) != rank - axis || ph_value_dtype (value) != ph_value_dtype (x))
    return FALSE;
  for (int i = axis; i < rank; i++)
    if (!ph_dim_equal (value->type->dims[i - axis], x->type->dims[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_layer_norm (PhMatch *match)
{
  int axis = common_axis (match);
  double epsilon;

  return axis >= 0 && ph_value_is_float (match->slot[SLOT_X]) && has_shape_from (match->slot[SLOT_W], match->slot[SLOT_X], axis)
         && ph_value_is_single (match->slot[SLOT_EPSILON]) && ph_value_number (match->slot[SLOT_EPSILON], &epsilon)
         && epsilon >= 0;
}

static PhValue *
build_norm (PhMatch *match, PhBuilder *b, const PhOp *op)
{
  int axis = common_axis (match), rank = ph_value_rank (match->slot[SLOT_X]);
  double epsilon = 0;

  ph_value_number (match->slot[SLOT_EPSILON], &epsilon);
  return ph_build_node (b, op, match->slot, 2,
                        PH_ATTRS (ph_attr_new_int ("axis", axis - rank), ph_attr_new_float ("epsilon", epsilon)), 1);
}

static PhValue *
build_layer_norm (PhMatch *match, PhBuilder *b)
{
  return build_norm (match, b, &ph_op_LayerNormalization);
}

static PhValue *
build_rms_norm (PhMatch *match, PhBuilder *b)
{
  return build_norm (match, b, &ph_op_RMSNormalization);
}

static gboolean
adds_bias (PhMatch *match)
{
  const PhNode *norm = match->node[1];
  int axis = ph_axis_of (ph_node_attr_int (norm, "axis", -1), ph_value_rank (match->slot[SLOT_X]));

  return norm->inputs->len == 2 && axis >= 0 && has_shape_from (match->slot[2], match->slot[SLOT_X], axis);
}

static PhValue *
build_with_bias (PhMatch *match, PhBuilder *b)
{
  return ph_build_like (b, match->node[1], match->slot, 3);
}

#define D           P (Sub, VAR (SLOT_X), P (ReduceMean, VAR (SLOT_X)))
#define ROOT(of_)   P (Sqrt, P (Add, P (ReduceMean, of_), CONST (SLOT_EPSILON)))
#define SCALED(of_) P (Mul, of_, VAR (SLOT_W))

static const char why_layer[]
    = "Subtracting the mean and dividing by the standard deviation along the last axes is layer normalisation.";
static const char why_rms[] = "Dividing by the root of the mean square along the last axes is RMS normalisation.";

/* clang-format off */
static const PhRule rules[] = {
  { "layer-norm",            SCALED (P (Div, D, ROOT (P (Pow, D, NUM (2))))), .when = is_layer_norm, .build = build_layer_norm,
    .becomes = "LayerNormalization(x, y)", .exactness = PH_ROUNDING, .why = why_layer },
  { "layer-norm-product",    SCALED (P (Div, D, ROOT (P (Mul, D, D)))), .when = is_layer_norm, .build = build_layer_norm,
    .becomes = "LayerNormalization(x, y)", .exactness = PH_ROUNDING, .why = why_layer },
  { "layer-norm-reciprocal", SCALED (P (Mul, D, P (Reciprocal, ROOT (P (Pow, D, NUM (2)))))), .when = is_layer_norm,
    .build = build_layer_norm, .becomes = "LayerNormalization(x, y)", .exactness = PH_ROUNDING, .why = why_layer },
  { "layer-norm-bias",       P (Add, P (LayerNormalization, VAR (SLOT_X), VAR (SLOT_W)), VAR (2)), .when = adds_bias,
    .build = build_with_bias, .becomes = "LayerNormalization(x, y, z)", .exactness = PH_ROUNDING,
    .why = "LayerNormalization adds a bias itself, so it needs no Add after it." },
  { "rms-norm",              SCALED (P (Div, VAR (SLOT_X), ROOT (P (Pow, VAR (SLOT_X), NUM (2))))), .when = is_layer_norm,
    .build = build_rms_norm, .becomes = "RMSNormalization(x, y)", .exactness = PH_ROUNDING, .why = why_rms },
  { "rms-norm-product",      SCALED (P (Div, VAR (SLOT_X), ROOT (P (Mul, VAR (SLOT_X), VAR (SLOT_X))))), .when = is_layer_norm,
    .build = build_rms_norm, .becomes = "RMSNormalization(x, y)", .exactness = PH_ROUNDING, .why = why_rms },
  { "rms-norm-reciprocal",   SCALED (P (Mul, VAR (SLOT_X), P (Reciprocal, ROOT (P (Pow, VAR (SLOT_X), NUM (2)))))),
    .when = is_layer_norm, .build = build_rms_norm, .becomes = "RMSNormalization(x, y)", .exactness = PH_ROUNDING,
    .why = why_rms },
  { "rms-norm-reciprocal-product", SCALED (P (Mul, VAR (SLOT_X), P (Reciprocal, ROOT (P (Mul, VAR (SLOT_X), VAR (SLOT_X)))))),
    .when = is_layer_norm, .build = build_rms_norm, .becomes = "RMSNormalization(x, y)", .exactness = PH_ROUNDING,
    .why = why_rms },
};

const PhPass ph_pass_fuse_layer_norm = {
  .name = "fuse-layer-norm", .group = "fusion", .summary = "Fuses the separate operators of layer and RMS normalisation into one",
  .elsewhere = "ONNX Runtime LayerNormFusion, SimplifiedLayerNormFusion",
  .trap = "ONNX Runtime 1.30 takes means with keepdims = 0 for the same thing, and is wrong; and a scale that "
          "enlarges the result breaks its session.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
