/* convert-aten-gradient.c: the backward operators of PyTorch's layers, as graphs of forward and backward together have them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/ops/grad.h"
#include "passes/convert-aten.h"

static PhValue *
like (PhConvert *l, PhValue *x, double number)
{
  return ph_convert_like (l, x, number);
}

static PhValue *
reduce (PhConvert *l, const PhOp *op, PhValue *x, const gint64 *axes, guint n, gboolean keep)
{
  PhValue *inputs[] = { x, ph_convert_ints_value (l, axes, n) };

  return ph_build_node (l->b, op, inputs, 2, PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
}

/* Builds what @dy, the gradient of @forward's result, is for its input @input. */
static PhValue *
through (PhConvert *l, PhValue *forward, guint input, PhValue *dy)
{
  return forward != NULL ? ph_tape_product (forward->producer, input, dy, l->b, &l->b->error) : NULL;
}

/* Removes the forward node, if its gradient did not read it. */
static void
drop (PhValue *forward)
{
  if (forward != NULL && forward->producer != NULL && ph_value_n_uses (forward) == 0)
    ph_graph_remove_dead (forward->producer);
}

/* Reads @n numbers, of which a single one is repeated. */
static gboolean
each (PhConvert *l, const char *name, gint64 fallback, gint64 *to, guint n)
{
  guint m = 3;

  if (!ph_aten_ints (l, name, to, &m) && ph_aten_has (l, name))
    return ph_convert_stay (l, "its %s is not known", name);
  if (m == 0)
    {
      to[0] = fallback;
      m = 1;
    }
  for (guint i = m; i < n; i++)
    to[i] = to[0];
  return m == 1 || m == n || ph_convert_stay (l, "its %s has %u numbers", name, m);
}

/* ── convolutions and normalisation ── */

/* Results: gradients of the image, of the filters and of the bias. */
static gboolean
convolution (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *w = ph_aten_tensor (l, 2), *y;
  const int rank = ph_value_rank (w);
  const guint n = rank > 2 ? (guint) rank - 2 : 0;
  const gboolean back = ph_aten_int (l, "transposed", 0) != 0;
  gint64 stride[3], pads[6], dilation[3], more[3], axes[PH_MAX_RANK] = { 0 };
  PhAttr *attrs[6] = { NULL };
  guint a = 0;

  if (dy == NULL || x == NULL || n < 1 || n > 3)
    return ph_convert_stay (l, "the rank of its filters is not known");
  if (!each (l, "stride", 1, stride, n) || !each (l, "padding", 0, pads, n) || !each (l, "dilation", 1, dilation, n)
      || !each (l, "output_padding", 0, more, n))
    return FALSE;
  memcpy (pads + n, pads, n * sizeof *pads);
  attrs[a++] = ph_attr_new_ints ("strides", stride, n);
  attrs[a++] = ph_attr_new_ints ("pads", pads, 2 * (gsize) n);
  attrs[a++] = ph_attr_new_ints ("dilations", dilation, n);
  attrs[a++] = ph_attr_new_int ("group", ph_aten_int (l, "groups", 1));
  if (back)
    attrs[a++] = ph_attr_new_ints ("output_padding", more, n);
  y = ph_build_node (l->b, back ? &ph_op_ConvTranspose : &ph_op_Conv, (PhValue *[]) { x, w }, 2, attrs, 1);
  for (guint i = 0; i < 2 && i < l->n_out; i++)
    if (ph_value_n_uses (ph_node_output (l->node, i)) > 0)
      out[i] = through (l, y, i, dy);
  for (guint i = 0; i < n; i++)
    axes[1 + i] = 2 + i;
  if (l->n_out > 2 && ph_value_n_uses (ph_node_output (l->node, 2)) > 0)
    out[2] = reduce (l, &ph_op_ReduceSum, dy, axes, n + 1, FALSE);
  drop (y);
  return l->b->error == NULL;
}

/* One number for each channel, with the @n axes behind it. */
static PhValue *
along (PhConvert *l, PhValue *value, const gint64 *axes, guint n)
{
  return value != NULL && n > 0 ? PH_BUILD (l->b, Unsqueeze, value, ph_convert_ints_value (l, axes, n)) : value;
}

/* Results: gradients of the operand, of the scale and of the shift. */
static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  const gboolean train = ph_aten_int (l, "train", 0) != 0;
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *w = ph_aten_tensor (l, 2),
          *mean = ph_aten_tensor (l, train ? 5 : 3), *scale = ph_aten_tensor (l, train ? 6 : 4), *hat, *rest, *sums[2];
  const int rank = ph_value_rank (x);
  gint64 axes[PH_MAX_RANK], behind[PH_MAX_RANK];
  guint n = 0, m = 0;

  if (dy == NULL || rank < 2 || mean == NULL || scale == NULL)
    return ph_convert_stay (l, "the rank of its operand, or the mean and variance that were used, are not known");
  for (int i = 0; i < rank; i++)
    if (i != 1)
      axes[n++] = i;
  for (int i = 2; i < rank; i++)
    behind[m++] = i - 1;
  if (!train)
    scale = PH_BUILD (l->b, Reciprocal,
                      PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Add, scale, like (l, scale, ph_aten_number (l, "eps", 1e-5)))));
  mean = along (l, mean, behind, m);
  scale = along (l, scale, behind, m);
  w = along (l, w, behind, m);
  hat = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, x, mean), scale);
  sums[0] = reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, dy, hat), axes, n, FALSE);
  sums[1] = reduce (l, &ph_op_ReduceSum, dy, axes, n, FALSE);
  rest = dy;
  if (train)
    rest = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Sub, dy, reduce (l, &ph_op_ReduceMean, dy, axes, n, TRUE)),
                     PH_BUILD (l->b, Mul, hat, reduce (l, &ph_op_ReduceMean, PH_BUILD (l->b, Mul, dy, hat), axes, n, TRUE)));
  rest = PH_BUILD (l->b, Mul, rest, scale);
  out[0] = w != NULL ? PH_BUILD (l->b, Mul, rest, w) : rest;
  for (guint i = 1; i < 3 && i < l->n_out; i++)
    out[i] = sums[i - 1];
  return l->b->error == NULL;
}

/* ── pools ── */

/* Each gradient goes to the place that its index names in the plane. */
static gboolean
max_pool (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *indices = ph_aten_tensor (l, 2), *shape, *flat, *zeros, *rows;
  const int rank = ph_value_rank (x), planes = strstr (l->op, "3d") != NULL ? 3 : 2;

  if (dy == NULL || indices == NULL || rank < planes)
    return ph_convert_stay (l, "the rank of its operand is not known");
  shape = PH_BUILD (l->b, Shape, x);
  rows = ph_convert_ints_value (l, (gint64[]) { -1 }, 1);
  flat = rank > planes ? ph_aten_concat (l, (PhValue *[]) { ph_aten_shape_part (l, x, 0, rank - planes), rows }, 2, 0) : rows;
  zeros = PH_BUILD (l->b, Reshape, PH_BUILD (l->b, Expand, like (l, dy, 0), shape), flat);
  out[0] = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_string ("reduction", "add")),
                          zeros, PH_BUILD (l->b, Reshape, ph_convert_cast (l, indices, PH_INT64), flat),
                          PH_BUILD (l->b, Reshape, dy, flat));
  out[0] = PH_BUILD (l->b, Reshape, out[0], shape);
  return out[0] != NULL;
}

static PhValue *
pooled (PhConvert *l, PhValue *x, const gint64 *kernel, const gint64 *stride, const gint64 *pads, guint n)
{
  return ph_build_node (l->b, &ph_op_AveragePool, &x, 1,
                        PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, n), ph_attr_new_ints ("strides", stride, n),
                                  ph_attr_new_ints ("pads", pads, 2 * (gsize) n),
                                  ph_attr_new_int ("ceil_mode", ph_aten_int (l, "ceil_mode", 0)),
                                  ph_attr_new_int ("count_include_pad", ph_aten_int (l, "count_include_pad", 1))),
                        1);
}

static gboolean
average_pool (PhConvert *l, PhValue **out)
{
  const guint n = strstr (l->op, "3d") != NULL ? 3 : 2;
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *y;
  gint64 kernel[3], stride[3], pads[6] = { 0 };

  if (dy == NULL || x == NULL || ph_aten_has (l, "divisor_override"))
    return ph_convert_stay (l, "it has not two operands, or a divisor of its own");
  if (!each (l, "kernel_size", 1, kernel, n))
    return FALSE;
  memcpy (stride, kernel, sizeof stride);
  if (!each (l, "stride", kernel[0], stride, n) || !each (l, "padding", 0, pads, n))
    return FALSE;
  memcpy (pads + n, pads, n * sizeof *pads);
  y = pooled (l, x, kernel, stride, pads, n);
  out[0] = through (l, y, 0, dy);
  drop (y);
  return out[0] != NULL;
}

/* Where the planes divide evenly, all windows have one size. */
static gboolean
adaptive_pool (PhConvert *l, PhValue **out)
{
  const guint n = strstr (l->op, "3d") != NULL ? 3 : 2;
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *y;
  gint64 kernel[3], pads[6] = { 0 };

  for (guint i = 0; i < n; i++)
    {
      const gint64 from = ph_value_dim (x, -(int) (n - i)), to = ph_value_dim (dy, -(int) (n - i));

      if (from < 1 || to < 1 || from % to != 0)
        return ph_convert_stay (l, "the sizes of its windows are not known, or not all the same");
      kernel[i] = from / to;
    }
  y = pooled (l, x, kernel, kernel, pads, n);
  out[0] = through (l, y, 0, dy);
  drop (y);
  return out[0] != NULL;
}

/* ── elementwise ── */

static PhValue *
between (PhConvert *l, PhValue *x, double low, double high)
{
  return PH_BUILD (l->b, And, PH_BUILD (l->b, Greater, x, like (l, x, low)), PH_BUILD (l->b, Less, x, like (l, x, high)));
}

static gboolean
activation (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *slope;

  if (dy == NULL || x == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  if (strcmp (op, "hardsigmoid_backward") == 0)
    slope = PH_BUILD (l->b, Where, between (l, x, -3, 3), like (l, dy, 1.0 / 6), like (l, dy, 0));
  else if (strcmp (op, "hardswish_backward") == 0)
    slope = PH_BUILD (l->b, Where, between (l, x, -3, 3),
                      PH_BUILD (l->b, Add, PH_BUILD (l->b, Div, x, like (l, x, 3)), like (l, x, 0.5)),
                      PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, like (l, x, 0)), like (l, x, 0), like (l, x, 1)));
  else if (strcmp (op, "log_sigmoid_backward") == 0)
    slope = PH_BUILD (l->b, Sigmoid, PH_BUILD (l->b, Neg, x));
  else if (strcmp (op, "elu_backward") == 0)
    {
      const double alpha = ph_aten_number (l, "alpha", 1), scale = ph_aten_number (l, "scale", 1),
                   inner = ph_aten_number (l, "input_scale", 1);
      PhValue *low = ph_aten_int (l, "is_result", 0) != 0
                         ? PH_BUILD (l->b, Mul, PH_BUILD (l->b, Add, x, like (l, x, alpha * scale)), like (l, x, inner))
                         : PH_BUILD (l->b, Mul, PH_BUILD (l->b, Exp, PH_BUILD (l->b, Mul, x, like (l, x, inner))),
                                     like (l, x, alpha * scale * inner));

      slope = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, like (l, x, 0)), like (l, x, scale), low);
    }
  else /* dropout: the second operand is the mask */
    slope = PH_BUILD (l->b, Mul, ph_convert_cast (l, x, ph_value_dtype (dy)), like (l, dy, ph_aten_number (l, "scale", 1)));
  out[0] = PH_BUILD (l->b, Mul, dy, slope);
  return out[0] != NULL;
}

/* Results: the logarithm of the sigmoid, and exp (-|x|), which the gradient may read. */
static gboolean
log_sigmoid (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, Neg, PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Neg, x)));
  if (l->n_out > 1)
    out[1] = PH_BUILD (l->b, Exp, PH_BUILD (l->b, Neg, PH_BUILD (l->b, Abs, x)));
  return out[0] != NULL;
}

/* ── losses ── */

static gboolean
mse_loss (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *target = ph_aten_tensor (l, 2), *slope;

  if (dy == NULL || x == NULL || target == NULL)
    return ph_convert_stay (l, "it does not have three operands");
  slope = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, x, target), like (l, x, 2));
  if (ph_aten_int (l, "reduction", 1) == 1)
    slope = PH_BUILD (l->b, Div, slope, ph_convert_cast (l, PH_BUILD (l->b, Size, x), ph_value_dtype (x)));
  out[0] = PH_BUILD (l->b, Mul, slope, dy);
  return out[0] != NULL;
}

/* Minus the weight of the target's class, at the target's place alone. */
static gboolean
nll_loss (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l), *x = ph_aten_tensor (l, 1), *target = ph_aten_tensor (l, 2), *weight = ph_aten_tensor (l, 3),
          *total = ph_aten_tensor (l, 4), *hot;
  const int rank = ph_value_rank (x);
  const gint64 classes = ph_value_dim (x, rank > 1 ? 1 : 0), one = rank > 1, ignored = ph_aten_int (l, "ignore_index", -100);
  const gboolean mean = ph_aten_int (l, "reduction", 1) == 1, none = ph_aten_int (l, "reduction", 1) == 0;
  gint64 behind[PH_MAX_RANK];

  if (dy == NULL || target == NULL || rank < 1 || classes < 1 || (mean && total == NULL))
    return ph_convert_stay (l, "the number of its classes is not known");
  target = PH_BUILD (l->b, Unsqueeze, ph_convert_cast (l, target, PH_INT64), ph_convert_ints_value (l, &one, 1));
  hot = PH_BUILD (l->b, Equal, target, ph_convert_iota (l, classes, (guint) one, (guint) rank));
  if (ignored >= 0 && ignored < classes)
    hot = PH_BUILD (l->b, And, hot,
                    PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, target, ph_build_scalar (l->b, PH_INT64, (double) ignored))));
  if (none)
    dy = PH_BUILD (l->b, Unsqueeze, dy, ph_convert_ints_value (l, &one, 1));
  else if (mean)
    dy = PH_BUILD (l->b, Div, dy, total);
  for (int i = (int) one + 1; i < rank; i++)
    behind[i - (int) one - 1] = i - (int) one;
  if (weight != NULL && rank > (int) one + 1)
    weight = PH_BUILD (l->b, Unsqueeze, weight, ph_convert_ints_value (l, behind, (gsize) rank - 1 - (gsize) one));
  dy = PH_BUILD (l->b, Neg, dy);
  out[0] = PH_BUILD (l->b, Where, hot, weight != NULL ? PH_BUILD (l->b, Mul, dy, weight) : dy, like (l, x, 0));
  return out[0] != NULL;
}

/* ── parts ── */

/* The gradient of a part, with zeros around it. */
static gboolean
part (PhConvert *l, PhValue **out)
{
  PhValue *dy = ph_aten_operand (l);
  const gboolean one = strcmp (ph_aten_name (l), "select_backward") == 0;
  gint64 sizes[PH_MAX_RANK], low[PH_MAX_RANK] = { 0 }, high[PH_MAX_RANK] = { 0 }, inner[PH_MAX_RANK] = { 0 }, axis, at, count,
                             step;
  guint n = PH_MAX_RANK;

  if (dy == NULL || !ph_aten_ints (l, "input_sizes", sizes, &n) || n == 0)
    return ph_convert_stay (l, "the sizes of the whole are not known");
  axis = ph_aten_int (l, "dim", 0);
  axis += axis < 0 ? n : 0;
  if (axis < 0 || axis >= n)
    return ph_convert_stay (l, "its axis is outside of the rank");
  at = ph_aten_int (l, one ? "index" : "start", 0);
  at = CLAMP (at < 0 ? at + sizes[axis] : at, 0, sizes[axis]);
  step = one ? 1 : ph_aten_int (l, "step", 1);
  if (one)
    dy = PH_BUILD (l->b, Unsqueeze, dy, ph_convert_ints_value (l, &axis, 1));
  count = ph_value_dim (dy, (int) axis);
  if (count < 1 || step < 1)
    return ph_convert_stay (l, "the size of its part is not known");
  low[axis] = at;
  inner[axis] = step - 1;
  high[axis] = sizes[axis] - at - (count - 1) * step - 1;
  if (high[axis] < 0)
    return ph_convert_stay (l, "its part is larger than the whole");
  out[0] = ph_convert_pad (l, dy, like (l, dy, 0), low, high, inner, n);
  return out[0] != NULL;
}

static const char chain[] = "The gradient is written out by the chain rule.";

/* clang-format off */
const PhConvertRule ph_convert_aten_gradient[] = {
  { "aten:convolution_backward", convolution, "Conv and ConvTranspose", chain }, { "aten:native_batch_norm_backward", batch_norm, "Mul and ReduceMean", chain },
  { "aten:max_pool2d_with_indices_backward", max_pool, "ScatterElements that adds", chain }, { "aten:max_pool3d_with_indices_backward", max_pool, "ScatterElements that adds", chain },
  { "aten:avg_pool2d_backward", average_pool, "Pad and Conv", chain }, { "aten:avg_pool3d_backward", average_pool, "Pad and Conv", chain },
  { "aten:_adaptive_avg_pool2d_backward", adaptive_pool, "Pad and Conv", chain }, { "aten:_adaptive_avg_pool3d_backward", adaptive_pool, "Pad and Conv", chain },
  { "aten:hardsigmoid_backward", activation, "Where", chain }, { "aten:hardswish_backward", activation, "Where", chain },
  { "aten:log_sigmoid_forward", log_sigmoid, "Neg of Softplus", "The logarithm of a sigmoid is a negative Softplus." },
  { "aten:log_sigmoid_backward", activation, "Sigmoid", chain }, { "aten:elu_backward", activation, "Where", chain },
  { "aten:native_dropout_backward", activation, "Mul", chain }, { "aten:mse_loss_backward", mse_loss, "Sub and Mul", chain },
  { "aten:nll_loss_backward", nll_loss, "Where", chain }, { "aten:nll_loss2d_backward", nll_loss, "Where", chain },
  { "aten:select_backward", part, "Pad", chain }, { "aten:slice_backward", part, "Pad", chain },
  { NULL }
};
/* clang-format on */
