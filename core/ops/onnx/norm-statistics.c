/* norm-statistics.c: gradients of norms that also output their moments.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/norm.h"

#define ADD(x_, y_) PH_BUILD (b, Add, x_, y_)
#define SUB(x_, y_) PH_BUILD (b, Sub, x_, y_)
#define MUL(x_, y_) PH_BUILD (b, Mul, x_, y_)

static PhValue *
number (PhBuilder *b, const PhValue *like, double value)
{
  return like != NULL ? ph_build_scalar (b, like->type != NULL ? like->type->dtype : PH_FLOAT, value) : NULL;
}

static PhValue *
mean_over (PhBuilder *b, PhValue *value, const gint64 *axes, guint n)
{
  return PH_BUILD (b, ReduceMean, value, ph_build_ints (b, axes, n));
}

static PhValue *
cast_to (PhBuilder *b, PhValue *value, const PhValue *like)
{
  if (value == NULL || value->type == NULL || like->type == NULL || value->type->dtype == like->type->dtype)
    return value;
  return PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", like->type->dtype)), value);
}

gboolean
ph_grad_wants_statistics (const PhGrad *grad)
{
  for (guint i = 1; i < grad->node->outputs->len; i++)
    if (grad->dy[i] != NULL)
      return TRUE;
  return FALSE;
}

/* In training: running = momentum * given + (1 - momentum) * statistics of the batch, for mean and variance. */
static gboolean
build_batch_norm (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const gboolean trains = ph_node_attr_int (node, "training_mode", 0) != 0;
  const double momentum = ph_node_attr_float (node, "momentum", 0.9f);
  guint rank = in[0]->type->rank, n = 0;
  gint64 axes[PH_MAX_RANK + 1], spread[PH_MAX_RANK];
  PhValue *moment[2], *channel[4], *centred;

  if (!trains)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "it returns its statistics only in training");
  for (guint i = 0; i < rank; i++)
    if (i != 1)
      axes[n++] = i;
  for (guint i = 0; i + 2 < rank; i++)
    spread[i] = i + 1;
  moment[0] = mean_over (b, in[0], axes, n);
  centred = SUB (in[0], moment[0]);
  moment[1] = mean_over (b, MUL (centred, centred), axes, n);
  for (guint i = 0; i < 2; i++)
    channel[i] = rank > 2 ? PH_BUILD (b, Unsqueeze, in[1 + i], ph_build_ints (b, spread, rank - 2)) : in[1 + i];
  out[0] = ADD (PH_BUILD (b, Div, MUL (centred, channel[0]),
                          PH_BUILD (b, Sqrt, ADD (moment[1], number (b, in[0], ph_node_attr_float (node, "epsilon", 1e-5f))))),
                channel[1]);
  for (guint i = 0; i < 2; i++)
    {
      PhValue *flat = cast_to (b, PH_BUILD (b, Squeeze, moment[i], ph_build_ints (b, axes, n)), in[3 + i]);

      out[1 + i] = ADD (MUL (number (b, in[3 + i], momentum), in[3 + i]), MUL (number (b, in[3 + i], 1 - momentum), flat));
    }
  return TRUE;
}

static gboolean
build_layer_norm (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  guint rank = in[0]->type->rank, axis = 0, n = 0;
  gint64 axes[PH_MAX_RANK];
  PhValue *mean, *centred, *inverse;

  ph_axis (ph_node_attr_int (node, "axis", -1), rank, &axis);
  for (guint i = axis; i < rank; i++)
    axes[n++] = i;
  mean = mean_over (b, in[0], axes, n);
  centred = SUB (in[0], mean);
  inverse = PH_BUILD (b, Reciprocal,
                      PH_BUILD (b, Sqrt,
                                ADD (mean_over (b, MUL (centred, centred), axes, n),
                                     number (b, in[0], ph_node_attr_float (node, "epsilon", 1e-5f)))));
  out[0] = MUL (MUL (centred, inverse), in[1]);
  if (in[2] != NULL)
    out[0] = ADD (out[0], in[2]);
  for (guint i = 1; i < 3 && i < node->outputs->len; i++)
    out[i] = cast_to (b, i == 1 ? mean : inverse, ph_node_output (node, i));
  return TRUE;
}

gboolean
ph_grad_statistics (PhGrad *grad, GError **error)
{
  const PhType *type = ph_grad_in (grad, 0)->type;

  if (type == NULL || !type->has_rank || type->rank < 1)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs the rank of the input; fix its shape first");
  return ph_grad_through (grad, ph_node_is (grad->node, &ph_op_BatchNormalization) ? build_batch_norm : build_layer_norm, error);
}
