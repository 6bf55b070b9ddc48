/* signal-grad.c: gradients of DFT and STFT: Fourier transforms are linear, so these are transforms again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/signal.h"

#define INTS(...)           ph_build_ints (b, (gint64[]) { __VA_ARGS__ }, sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64))
#define AXIS(name_, value_) PH_ATTRS (ph_attr_new_int (name_, value_))

static gboolean
constant_int (const PhValue *value, gint64 fallback, gint64 *number)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  *number = fallback;
  if (value == NULL)
    return fallback >= 0;
  if (tensor == NULL || ph_tensor_count (tensor) != 1)
    return FALSE;
  *number = ph_tensor_get_int (tensor, 0);
  return TRUE;
}

/* Returns the first @given places of @value, which has @n along @axis, padded with zeros. */
static PhValue *
fit (PhBuilder *b, PhValue *value, guint axis, gint64 n, gint64 given)
{
  if (given < n)
    return PH_BUILD (b, Slice, value, INTS (0), INTS (given), INTS (axis));
  if (given > n)
    return PH_BUILD (b, Pad, value, INTS (0, given - n), NULL, INTS (axis));
  return value;
}

/* Each frequency also counts for its mirror image, if it has one: 1, 2, 2, ..., and 1 in the middle of an even length. */
static PhValue *
mirror_weights (PhBuilder *b, PhDType dtype, gint64 n, guint behind)
{
  gint64 dims[PH_MAX_RANK] = { n / 2 + 1 };
  PhTensor *tensor;

  for (guint i = 1; i <= behind; i++)
    dims[i] = 1;
  tensor = ph_tensor_new (dtype, 1 + behind, dims);
  for (gint64 i = 0; i < dims[0]; i++)
    ph_dtype_store (dtype, ph_tensor_writable (tensor), i, (i > 0 && n - i > n / 2 ? 2.0 : 1.0) / n);
  return ph_build_tensor (b, tensor);
}

/* y = F x with a symmetric F, so dx = conj (F) dy: the transform in the other direction, without or with its 1/n. The bins that a one-sided
 * transform omits have a zero gradient, and dft_length pads with zeros. */
gboolean
ph_grad_dft (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  const PhNode *node = grad->node;
  const gboolean onesided = ph_node_attr_int (node, "onesided", 0) != 0, inverse = ph_node_attr_int (node, "inverse", 0) != 0;
  PhValue *x = ph_grad_in (grad, 0), *dx, *axis_value, *inputs[3];
  const PhType *type = x->type;
  gint64 axis_number, n, given;
  guint axis;

  if (type == NULL || !type->has_rank || !constant_int (ph_grad_in (grad, 2), 0, &axis_number))
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs a known rank and axis");
  if (ph_grad_in (grad, 2) == NULL)
    axis_number = -2;
  if (!ph_axis (axis_number, type->rank, &axis) || axis + 1 >= type->rank || !ph_dim_known (type->dims[axis])
      || !ph_dim_known (type->dims[type->rank - 1]))
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs known sizes along its axis and the last one");
  given = type->dims[axis].size;
  if (!constant_int (ph_grad_in (grad, 1), onesided && inverse ? 2 * (given - 1) : given, &n) || n < 1)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs a constant dft_length");

  axis_value = ph_build_scalar (b, PH_INT64, axis);
  if (onesided && inverse)
    {
      dx = PH_BUILD_WITH (b, DFT, AXIS ("onesided", 1), grad->dy[0], NULL, axis_value);
      dx = PH_BUILD (b, Mul, dx, mirror_weights (b, type->dtype, n, type->rank - 1 - axis));
      n = n / 2 + 1;
    }
  else
    {
      inputs[0] = grad->dy[0];
      inputs[1] = ph_build_scalar (b, PH_INT64, n);
      inputs[2] = axis_value;
      dx = ph_build_node (b, &ph_op_DFT, inputs, 3, AXIS ("inverse", !inverse), 1);
      dx = PH_BUILD (b, Mul, dx, ph_grad_like (grad, x, inverse ? 1.0 / n : n));
    }
  dx = fit (b, dx, axis, n, given);
  if (type->dims[type->rank - 1].size == 1)
    dx = fit (b, dx, type->rank - 1, 2, 1);
  grad->dx[0] = dx;
  return TRUE;
}

/* Frames are gathered, windowed and transformed. */
static gboolean
build_stft (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error)
{
  PhValue *signal = inputs[0], *window = inputs[2], *frames;
  const PhType *type = signal->type, *shape = window != NULL ? window->type : NULL;
  gint64 step, length, total, n;
  PhTensor *places;

  if (type == NULL || !type->has_rank || type->rank != 3 || !ph_dim_known (type->dims[1]) || !constant_int (inputs[1], -1, &step)
      || step < 1)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs a known signal length and a constant frame_step");
  total = type->dims[1].size;
  if (!constant_int (inputs[3],
                     shape != NULL    ? ph_type_count (shape)
                     : window == NULL ? total
                                      : -1,
                     &length)
      || length < 1 || length > total)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs a known frame length");
  n = (total - length) / step + 1;
  places = ph_tensor_new (PH_INT64, 2, (gint64[]) { n, length });
  if (places == NULL)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs less memory for its frames");
  for (gint64 i = 0; i < n * length; i++)
    ((gint64 *) ph_tensor_writable (places))[i] = i / length * step + i % length;
  frames = PH_BUILD_WITH (b, Gather, AXIS ("axis", 1), signal, ph_build_tensor (b, places));
  if (window != NULL)
    frames = PH_BUILD (b, Mul, frames, PH_BUILD (b, Unsqueeze, window, INTS (1)));
  outputs[0] = PH_BUILD_WITH (b, DFT, AXIS ("onesided", ph_node_attr_int (node, "onesided", 1)), frames, NULL,
                              ph_build_scalar (b, PH_INT64, 2));
  return TRUE;
}

gboolean
ph_grad_stft (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_stft, error);
}
