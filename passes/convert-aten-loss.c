/* convert-aten-loss.c: PyTorch's losses, and the backward operators that AOT autograd leaves in its graphs, in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

static PhValue *
reduce (PhConvert *l, const PhOp *op, PhValue *x, const gint64 *axes, guint n, gboolean keep)
{
  PhValue *inputs[] = { x, n > 0 ? ph_convert_ints_value (l, axes, n) : NULL };

  return ph_build_node (l->b, op, inputs, n > 0 ? 2 : 1, PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
}

/* Returns the reduction by its number: none, mean or sum. */
static const char *
reduction (PhConvert *l)
{
  const gint64 kind = ph_aten_int (l, "reduction", 1);

  return kind == 0 ? "none" : kind == 2 ? "sum" : "mean";
}

static PhValue *
reduced (PhConvert *l, PhValue *loss)
{
  const char *kind = reduction (l);

  return strcmp (kind, "none") == 0
             ? loss
             : reduce (l, strcmp (kind, "sum") == 0 ? &ph_op_ReduceSum : &ph_op_ReduceMean, loss, NULL, 0, FALSE);
}

static PhValue *
like (PhConvert *l, PhValue *x, double number)
{
  return ph_convert_like (l, x, number);
}

/* x log y, and 0 where x is 0 */
PhValue *
ph_aten_xlogy (PhConvert *l, PhValue *x, PhValue *y)
{
  return PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, like (l, x, 0)), like (l, x, 0),
                   PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Log, y)));
}

/* ── losses of a difference ── */

static gboolean
distance (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_float (l), *y = ph_aten_tensor (l, 1), *off, *square;
  PhAtenArg args[2];
  const double width = strcmp (op, "huber_loss") == 0 ? ph_aten_number (l, "delta", 1) : ph_aten_number (l, "beta", 1);

  if (x == NULL || y == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  for (guint i = 0; i < 2; i++)
    args[i] = (PhAtenArg) { .value = i == 0 ? x : y, .dtype = ph_value_dtype (i == 0 ? x : y), .level = 2 };
  x = ph_aten_as (l, &args[0], ph_aten_promote (args, 2), NULL);
  off = PH_BUILD (l->b, Sub, x, ph_aten_as (l, &args[1], ph_aten_promote (args, 2), NULL));
  square = PH_BUILD (l->b, Mul, off, off);
  off = PH_BUILD (l->b, Abs, off);
  if (strcmp (op, "mse_loss") == 0)
    off = square;
  else if (strcmp (op, "l1_loss") != 0 && width > 0)
    {
      const gboolean smooth = strcmp (op, "smooth_l1_loss") == 0;
      PhValue *near = PH_BUILD (l->b, Mul, square, like (l, x, smooth ? 0.5 / width : 0.5)),
              *far = PH_BUILD (l->b, Sub, off, like (l, x, 0.5 * width));

      if (!smooth && width != 1)
        far = PH_BUILD (l->b, Mul, far, like (l, x, width));
      off = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, off, like (l, x, width)), near, far);
    }
  out[0] = reduced (l, off);
  return TRUE;
}

static gboolean
pairwise (PhConvert *l, PhValue **out)
{
  const double p = ph_aten_number (l, "p", 2);
  PhValue *x = ph_aten_float (l), *y = ph_aten_tensor (l, 1);
  const gint64 last = -1;

  if (x == NULL || y == NULL || (p != 1 && p != 2))
    return ph_convert_stay (l, "its norm is neither the sum of distances nor the Euclidean one");
  x = PH_BUILD (l->b, Add, PH_BUILD (l->b, Sub, x, y), like (l, x, ph_aten_number (l, "eps", 1e-6)));
  out[0] = reduce (l, p == 1 ? &ph_op_ReduceL1 : &ph_op_ReduceL2, x, &last, 1, ph_aten_int (l, "keepdim", 0) != 0);
  return TRUE;
}

/* Builds the distances of all rows of one to all rows of the other. */
static gboolean
all_distances (PhConvert *l, PhValue **out)
{
  const double p = ph_aten_number (l, "p", 2);
  PhValue *x = ph_aten_float (l), *y = ph_aten_tensor (l, 1);
  const gint64 last = -1, second = -2, third = -3;

  if (x == NULL || y == NULL || (p != 1 && p != 2))
    return ph_convert_stay (l, "its norm is neither the sum of distances nor the Euclidean one");
  x = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, &second, 1)),
                PH_BUILD (l->b, Unsqueeze, y, ph_convert_ints_value (l, &third, 1)));
  out[0] = reduce (l, p == 1 ? &ph_op_ReduceL1 : &ph_op_ReduceL2, x, &last, 1, FALSE);
  return TRUE;
}

/* ── losses of probabilities ── */

static gboolean
binary_cross_entropy (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *t = ph_aten_tensor (l, 1), *weight = ph_aten_tensor (l, 2), *loss, *one;

  if (x == NULL || t == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  one = like (l, x, 1);
  if (strstr (l->op, "with_logits") != NULL)
    {
      PhValue *more = ph_aten_tensor (l, 3), *soft = PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Neg, x));

      if (more != NULL)
        soft = PH_BUILD (l->b, Mul, soft, PH_BUILD (l->b, Add, one, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, more, one), t)));
      loss = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, one, t), x), soft);
    }
  else
    {
      PhValue *least = like (l, x, -100);

      loss = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, t, PH_BUILD (l->b, Max, PH_BUILD (l->b, Log, x), least)),
                       PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, one, t),
                                 PH_BUILD (l->b, Max, PH_BUILD (l->b, Log, PH_BUILD (l->b, Sub, one, x)), least)));
      loss = PH_BUILD (l->b, Neg, loss);
    }
  if (weight != NULL)
    loss = PH_BUILD (l->b, Mul, loss, weight);
  out[0] = reduced (l, loss);
  return TRUE;
}

/* Builds a loss whose target is a class per sample. */
static PhValue *
by_class (PhConvert *l, const PhOp *op, PhValue *x, PhValue *target, PhValue *weight)
{
  const gint64 zero = 0;
  const gboolean single = ph_value_rank (x) == 1; /* one sample without a batch */
  PhValue *inputs[] = { x, target, weight }, *loss;

  for (guint i = 0; single && i < 2; i++)
    inputs[i] = PH_BUILD (l->b, Unsqueeze, inputs[i], ph_convert_ints_value (l, &zero, 1));
  loss = ph_build_node (l->b, op, inputs, 3,
                        PH_ATTRS (ph_attr_new_string ("reduction", reduction (l)),
                                  ph_attr_new_int ("ignore_index", ph_aten_int (l, "ignore_index", -100))),
                        1);
  return single && loss != NULL && strcmp (reduction (l), "none") == 0
             ? PH_BUILD (l->b, Squeeze, loss, ph_convert_ints_value (l, &zero, 1))
             : loss;
}

static gboolean
nll (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *target = ph_aten_tensor (l, 1), *weight = ph_aten_tensor (l, 2);

  if (x == NULL || target == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  out[0] = by_class (l, &ph_op_NegativeLogLikelihoodLoss, x, target, weight);
  if (l->n_out > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0) /* how much all weigh together */
    {
      PhValue *counts = PH_BUILD (
          l->b, Not,
          PH_BUILD (l->b, Equal, target,
                    ph_convert_number (l, ph_convert_dtype (target), (double) ph_aten_int (l, "ignore_index", -100))));
      PhValue *each = ph_convert_cast (l, counts, ph_convert_dtype (x));

      if (strcmp (reduction (l), "none") == 0)
        each = like (l, x, 0);
      else if (weight != NULL)
        each = PH_BUILD (
            l->b, Mul, each,
            PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), weight,
                           PH_BUILD (l->b, Where, counts, target, ph_convert_number (l, ph_convert_dtype (target), 0))));
      out[1] = reduce (l, &ph_op_ReduceSum, each, NULL, 0, FALSE);
    }
  return TRUE;
}

static gboolean
cross_entropy (PhConvert *l, PhValue **out)
{
  const double smooth = ph_aten_number (l, "label_smoothing", 0);
  PhValue *x = ph_aten_operand (l), *target = ph_aten_tensor (l, 1), *weight = ph_aten_tensor (l, 2), *logs, *loss, *total = NULL;
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  const gint64 axis = rank == 1 ? 0 : 1, classes = rank >= 1 ? ph_value_dim (x, (int) axis) : -1;
  gboolean chances;

  if (x == NULL || target == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  chances = ph_dtype_is_float (ph_convert_dtype (target));
  if (!chances && smooth == 0)
    {
      out[0] = by_class (l, &ph_op_SoftmaxCrossEntropyLoss, x, target, weight);
      return TRUE;
    }
  if (rank < 2 || classes <= 0 || ph_aten_int (l, "ignore_index", -100) >= 0)
    return ph_convert_stay (l, "it ignores a class, or the number of classes is not known");
  logs = PH_BUILD_WITH (l->b, LogSoftmax, PH_ATTRS (ph_attr_new_int ("axis", axis)), x);
  if (weight != NULL)
    {
      gint64 along[PH_MAX_RANK];

      for (int i = 0; i < rank; i++)
        along[i] = i == axis ? classes : 1;
      if (!chances && strcmp (reduction (l), "mean") == 0) /* the mean is over the weights of the targets */
        total = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                               PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), weight, target));
      logs = PH_BUILD (l->b, Mul, logs, ph_convert_reshape (l, weight, along, (guint) rank));
    }
  if (!chances)
    target = PH_BUILD_WITH (l->b, OneHot, PH_ATTRS (ph_attr_new_int ("axis", axis)), target,
                            ph_build_scalar (l->b, PH_INT64, (double) classes),
                            ph_convert_cast (l, ph_convert_ints_value (l, (gint64[]) { 0, 1 }, 2), ph_convert_dtype (x)));
  if (smooth != 0)
    target = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, target, like (l, x, 1 - smooth)), like (l, x, smooth / (double) classes));
  loss = PH_BUILD (l->b, Neg, reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, logs, target), &axis, 1, FALSE));
  out[0] = total != NULL ? PH_BUILD (l->b, Div, reduce (l, &ph_op_ReduceSum, loss, NULL, 0, FALSE), total) : reduced (l, loss);
  return TRUE;
}

static PhValue *
hinge (PhConvert *l, PhValue *x, double margin)
{
  if (margin != 0)
    x = PH_BUILD (l->b, Add, x, like (l, x, margin));
  return PH_BUILD (l->b, Relu, x);
}

static PhValue *
between (PhConvert *l, PhValue *x, PhValue *y, double p)
{
  const gint64 last = -1;

  x = PH_BUILD (l->b, Add, PH_BUILD (l->b, Sub, x, y), like (l, x, ph_aten_number (l, "eps", 1e-6)));
  return reduce (l, p == 1 ? &ph_op_ReduceL1 : &ph_op_ReduceL2, x, &last, 1, FALSE);
}

/* Losses that only count what is nearer than a margin. */
static gboolean
with_margin (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_float (l), *y = ph_aten_tensor (l, 1), *z = ph_aten_tensor (l, 2), *loss, *other;
  const double p = ph_aten_number (l, "p", strcmp (op, "multi_margin_loss") == 0 ? 1 : 2),
               margin = ph_aten_number (l, "margin", strcmp (op, "margin_ranking_loss") == 0 ? 0 : 1);
  const gint64 last = -1;

  if (x == NULL || y == NULL || l->stays != NULL)
    return ph_convert_stay (l, "its operands are not known");
  if (strcmp (op, "margin_ranking_loss") == 0)
    {
      if (z == NULL)
        return ph_convert_stay (l, "it has no target");
      loss = hinge (l, PH_BUILD (l->b, Neg, PH_BUILD (l->b, Mul, z, PH_BUILD (l->b, Sub, x, y))), margin);
    }
  else if (strcmp (op, "triplet_margin_loss") == 0)
    {
      if (z == NULL || (p != 1 && p != 2))
        return ph_convert_stay (l, "its norm is neither the sum of distances nor the Euclidean one");
      other = between (l, x, z, p);
      if (ph_aten_int (l, "swap", 0) != 0)
        other = PH_BUILD (l->b, Min, other, between (l, y, z, p));
      loss = hinge (l, PH_BUILD (l->b, Sub, between (l, x, y, p), other), margin);
    }
  else if (strcmp (op, "hinge_embedding_loss") == 0)
    loss = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, y, like (l, y, 1)), x, hinge (l, PH_BUILD (l->b, Neg, x), margin));
  else if (strcmp (op, "soft_margin_loss") == 0)
    loss = PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Neg, PH_BUILD (l->b, Mul, x, y)));
  else /* multi_margin_loss: all classes but the right one, against that */
    {
      const gint64 classes = ph_value_rank (x) == 2 ? ph_value_dim (x, 1) : -1;

      if (classes < 1 || (p != 1 && p != 2))
        return ph_convert_stay (l, "it has no batch, or the number of classes is not known");
      y = PH_BUILD (l->b, Unsqueeze, y, ph_convert_ints_value (l, &last, 1));
      other = PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", 1)), x, y);
      loss = hinge (l, PH_BUILD (l->b, Sub, x, other), margin);
      if (p == 2)
        loss = PH_BUILD (l->b, Mul, loss, loss);
      if (z != NULL)
        loss = PH_BUILD (l->b, Mul, loss, PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), z, y));
      loss = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, ph_convert_iota (l, classes, 1, 2), y), like (l, x, 0), loss);
      loss = reduce (l, &ph_op_ReduceMean, loss, &last, 1, FALSE);
    }
  out[0] = reduced (l, loss);
  return TRUE;
}

static gboolean
divergence (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *t = ph_aten_tensor (l, 1), *loss;

  if (x == NULL || t == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  if (ph_aten_int (l, "log_target", 0) != 0)
    loss = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Exp, t), PH_BUILD (l->b, Sub, t, x));
  else
    loss = PH_BUILD (l->b, Sub, ph_aten_xlogy (l, t, t), PH_BUILD (l->b, Mul, t, x));
  out[0] = reduced (l, loss);
  return TRUE;
}

static gboolean
poisson (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *t = ph_aten_tensor (l, 1), *loss;

  if (x == NULL || t == NULL || ph_aten_int (l, "full", 0) != 0)
    return ph_convert_stay (l, "it adds the terms of Stirling's approximation");
  if (ph_aten_int (l, "log_in", 1) != 0)
    loss = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Exp, x), PH_BUILD (l->b, Mul, t, x));
  else
    loss = PH_BUILD (
        l->b, Sub, x,
        PH_BUILD (l->b, Mul, t, PH_BUILD (l->b, Log, PH_BUILD (l->b, Add, x, like (l, x, ph_aten_number (l, "eps", 1e-8))))));
  out[0] = reduced (l, loss);
  return TRUE;
}

/* ── backward ── */

/* Gradients computed elementwise from dY and one other tensor. */
static gboolean
elementwise (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *one, *zero;

  if (dy == NULL || x == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  one = like (l, x, 1);
  zero = like (l, dy, 0);
  if (strcmp (op, "threshold_backward") == 0)
    out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, like (l, x, ph_aten_number (l, "threshold", 0))), dy, zero);
  else if (strcmp (op, "sigmoid_backward") == 0)
    out[0] = PH_BUILD (l->b, Mul, dy, PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sub, one, x)));
  else if (strcmp (op, "tanh_backward") == 0)
    out[0] = PH_BUILD (l->b, Mul, dy, PH_BUILD (l->b, Sub, one, PH_BUILD (l->b, Mul, x, x)));
  else if (strcmp (op, "leaky_relu_backward") == 0)
    out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, like (l, x, 0)), dy,
                       PH_BUILD (l->b, Mul, dy, like (l, dy, ph_aten_number (l, "negative_slope", 0.01))));
  else if (strcmp (op, "hardtanh_backward") == 0)
    out[0] = PH_BUILD (l->b, Where,
                       PH_BUILD (l->b, And, PH_BUILD (l->b, Greater, x, like (l, x, ph_aten_number (l, "min_val", -1))),
                                 PH_BUILD (l->b, Less, x, like (l, x, ph_aten_number (l, "max_val", 1)))),
                       dy, zero);
  else if (strcmp (op, "softplus_backward") == 0)
    {
      const double beta = ph_aten_number (l, "beta", 1);

      if (beta != 1)
        x = PH_BUILD (l->b, Mul, x, like (l, x, beta));
      out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, like (l, x, ph_aten_number (l, "threshold", 20))), dy,
                         PH_BUILD (l->b, Mul, dy, PH_BUILD (l->b, Sigmoid, x)));
    }
  else if (strcmp (op, "silu_backward") == 0)
    {
      PhValue *s = PH_BUILD (l->b, Sigmoid, x);

      out[0] = PH_BUILD (
          l->b, Mul, dy,
          PH_BUILD (l->b, Mul, s, PH_BUILD (l->b, Add, one, PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sub, one, s)))));
    }
  else if (strcmp (op, "gelu_backward") == 0)
    {
      PhValue *half = like (l, x, 0.5), *square = PH_BUILD (l->b, Mul, x, x), *rise, *density;

      if (strcmp (ph_node_attr_string (l->node, "approximate", "none"), "none") != 0)
        return ph_convert_stay (l, "it is the gradient of the approximation by tanh");
      rise = PH_BUILD (l->b, Mul, half,
                       PH_BUILD (l->b, Add, one, PH_BUILD (l->b, Erf, PH_BUILD (l->b, Mul, x, like (l, x, G_SQRT2 / 2)))));
      density = PH_BUILD (l->b, Mul, like (l, x, 0.3989422804014327),
                          PH_BUILD (l->b, Exp, PH_BUILD (l->b, Mul, square, like (l, x, -0.5))));
      out[0] = PH_BUILD (l->b, Mul, dy, PH_BUILD (l->b, Add, rise, PH_BUILD (l->b, Mul, x, density)));
    }
  return out[0] != NULL;
}

static gboolean
softmax_backward (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *y = ph_aten_tensor (l, 1);
  const gint64 axis = ph_aten_int (l, "dim", -1);

  if (dy == NULL || y == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  if (strstr (l->op, "log") != NULL)
    out[0] = PH_BUILD (l->b, Sub, dy,
                       PH_BUILD (l->b, Mul, PH_BUILD (l->b, Exp, y), reduce (l, &ph_op_ReduceSum, dy, &axis, 1, TRUE)));
  else
    out[0] = PH_BUILD (l->b, Mul, y,
                       PH_BUILD (l->b, Sub, dy, reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, dy, y), &axis, 1, TRUE)));
  return TRUE;
}

static gboolean
layer_norm_backward (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *mean = ph_aten_tensor (l, 2), *rstd = ph_aten_tensor (l, 3),
          *w = ph_aten_tensor (l, 4), *xhat, *dw;
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 shape[PH_MAX_RANK], inner[PH_MAX_RANK], outer[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (dy == NULL || rstd == NULL || rank < 1 || !ph_aten_ints (l, "normalized_shape", shape, &n) || n == 0 || (int) n > rank)
    return ph_convert_stay (l, "the types of its operands or the shape that it normalises over are not known");
  for (int i = 0; i < rank; i++)
    if (i < rank - (int) n)
      outer[i] = i;
    else
      inner[i - (rank - (int) n)] = i;
  xhat = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, x, mean), rstd);
  dw = w != NULL ? PH_BUILD (l->b, Mul, dy, w) : dy;
  out[0] = PH_BUILD (
      l->b, Mul, rstd,
      PH_BUILD (l->b, Sub, PH_BUILD (l->b, Sub, dw, reduce (l, &ph_op_ReduceMean, dw, inner, n, TRUE)),
                PH_BUILD (l->b, Mul, xhat, reduce (l, &ph_op_ReduceMean, PH_BUILD (l->b, Mul, dw, xhat), inner, n, TRUE))));
  if (l->n_out > 1)
    {
      PhValue *product = PH_BUILD (l->b, Mul, dy, xhat);

      out[1] = rank > (int) n ? reduce (l, &ph_op_ReduceSum, product, outer, (guint) rank - n, FALSE) : product;
    }
  if (l->n_out > 2)
    out[2] = rank > (int) n ? reduce (l, &ph_op_ReduceSum, dy, outer, (guint) rank - n, FALSE) : dy;
  return TRUE;
}

static gboolean
embedding_backward (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *indices = ph_aten_tensor (l, 1), *zeros;
  const gint64 rows = ph_aten_int (l, "num_weights", -1), last = -1,
               width = dy != NULL ? ph_value_dim (dy, ph_value_rank (dy) - 1) : -1;

  if (dy == NULL || indices == NULL || rows < 0 || width < 0 || ph_aten_int (l, "padding_idx", -1) >= 0
      || ph_aten_int (l, "scale_grad_by_freq", 0) != 0)
    return ph_convert_stay (l, "the size of the table is not known, or it has padding");
  zeros = ph_convert_expand (l, like (l, dy, 0), (gint64[]) { rows, width }, 2);
  out[0] = PH_BUILD_WITH (l->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", "add")), zeros,
                          PH_BUILD (l->b, Unsqueeze, ph_convert_cast (l, indices, PH_INT64), ph_convert_ints_value (l, &last, 1)),
                          dy);
  return TRUE;
}

static const char errors[] = "Differences are computed for each element, and then reduced to a mean, a sum or a norm.";
static const char chances[] = "The loss is the negative log-likelihood of the target, or the divergence of two distributions.";
static const char chain[] = "The gradient is written out by the chain rule.";

/* clang-format off */
#define DISTANCE(name) { "aten:" name, distance, "Sub, Abs or Mul, and their mean", errors }
#define BACKWARD(name) { "aten:" name, elementwise, "Mul or Where", chain }

#define MARGIN(name) { "aten:" name, with_margin, "Relu of a difference", "Only what is nearer than the margin counts." }

const PhConvertRule ph_convert_aten_loss[] = {
  MARGIN ("margin_ranking_loss"), MARGIN ("triplet_margin_loss"), MARGIN ("hinge_embedding_loss"), MARGIN ("multi_margin_loss"), { "aten:soft_margin_loss", with_margin, "Softplus", chances },
  DISTANCE ("mse_loss"), DISTANCE ("l1_loss"), DISTANCE ("smooth_l1_loss"), DISTANCE ("huber_loss"), { "aten:pairwise_distance", pairwise, "ReduceL2 of the difference", errors },
  { "aten:cdist", all_distances, "ReduceL2 of all differences", errors }, { "aten:_cdist_forward", all_distances, "ReduceL2 of all differences", errors },
  { "aten:binary_cross_entropy", binary_cross_entropy, "Log and Mul", chances }, { "aten:binary_cross_entropy_with_logits", binary_cross_entropy, "Softplus and Mul", chances },
  { "aten:nll_loss", nll, "NegativeLogLikelihoodLoss", chances }, { "aten:nll_loss_nd", nll, "NegativeLogLikelihoodLoss", chances }, { "aten:nll_loss2d", nll, "NegativeLogLikelihoodLoss", chances },
  { "aten:nll_loss_forward", nll, "NegativeLogLikelihoodLoss", chances }, { "aten:nll_loss2d_forward", nll, "NegativeLogLikelihoodLoss", chances },
  { "aten:cross_entropy_loss", cross_entropy, "SoftmaxCrossEntropyLoss", chances }, { "aten:kl_div", divergence, "Mul and Log", chances }, { "aten:poisson_nll_loss", poisson, "Exp and Mul", chances },
  BACKWARD ("threshold_backward"), BACKWARD ("sigmoid_backward"), BACKWARD ("tanh_backward"), BACKWARD ("leaky_relu_backward"), BACKWARD ("hardtanh_backward"), BACKWARD ("softplus_backward"),
  BACKWARD ("silu_backward"), BACKWARD ("gelu_backward"),
  { "aten:_softmax_backward_data", softmax_backward, "Mul and ReduceSum", chain }, { "aten:_log_softmax_backward_data", softmax_backward, "Sub and ReduceSum", chain },
  { "aten:native_layer_norm_backward", layer_norm_backward, "Mul and ReduceMean", chain }, { "aten:embedding_dense_backward", embedding_backward, "ScatterND that adds", chain },
  { NULL }
};
/* clang-format on */
