/* ml-grad.c: gradients of the smooth operators of ai.onnx.ml.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/ml/ml.h"

#include <math.h>

#define DIV(x_, y_) PH_BUILD (b, Div, x_, y_)

static PhValue *
floats (PhBuilder *b, const PhNode *node, const char *name, gint64 rows, gint64 columns, double fallback)
{
  gsize n;
  const float *values = ph_ml_floats (node, name, &n);
  PhTensor *tensor;

  if (values == NULL || n == 0)
    return ph_build_scalar (b, PH_FLOAT, fallback);
  if (columns == 0)
    tensor = ph_tensor_new (PH_FLOAT, 1, (gint64[]) { n });
  else if (rows * columns == (gint64) n)
    tensor = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { rows, columns });
  else
    return NULL;
  for (gsize i = 0; tensor != NULL && i < n; i++)
    ((float *) ph_tensor_writable (tensor))[i] = values[i];
  return ph_build_tensor (b, tensor);
}

static PhValue *
as_float (PhBuilder *b, PhValue *x)
{
  return x->type->dtype == PH_FLOAT ? x : PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT)), x);
}

static gboolean
build_scaler (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  out[0] = PH_BUILD (b, Mul, PH_BUILD (b, Sub, as_float (b, in[0]), floats (b, node, "offset", 0, 0, 0)),
                     floats (b, node, "scale", 0, 0, 1));
  return TRUE;
}

gboolean
ph_grad_scaler (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_scaler, error);
}

/* Normalizes each row; a row of size zero stays unchanged. */
static gboolean
build_normalizer (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const char *norm = ph_node_attr_string (node, "norm", "MAX");
  const gint64 last = -1;
  PhValue *x = as_float (b, in[0]), *axes = ph_build_ints (b, &last, 1), *size;

  if (g_str_equal (norm, "L2"))
    size = PH_BUILD (b, ReduceL2, x, axes);
  else
    size = g_str_equal (norm, "L1") ? PH_BUILD (b, ReduceL1, x, axes) : PH_BUILD (b, ReduceMax, x, axes);
  size = PH_BUILD (b, Where, PH_BUILD (b, Equal, size, ph_build_scalar (b, PH_FLOAT, 0)), ph_build_scalar (b, PH_FLOAT, 1), size);
  out[0] = DIV (x, size);
  return TRUE;
}

gboolean
ph_grad_normalizer (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_normalizer, error);
}

/* Imputed elements do not depend on the input. */
gboolean
ph_grad_imputer (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0);
  const double replaced = ph_node_attr_float (grad->node, "replaced_value_float", 0);
  PhValue *missing = isnan (replaced) ? PH_BUILD (b, IsNaN, x) : PH_BUILD (b, Equal, x, ph_grad_like (grad, x, replaced));

  grad->dx[0] = PH_BUILD (b, Where, missing, ph_grad_like (grad, x, 0), grad->dy[0]);
  return TRUE;
}

static gboolean
build_linear_regressor (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const gint64 targets = ph_node_attr_int (node, "targets", 1), swap[2] = { 1, 0 };
  const PhType *type = in[0]->type;
  PhValue *weight = NULL;

  if (type->has_rank && type->rank == 2 && ph_dim_known (type->dims[1]))
    weight = floats (b, node, "coefficients", targets, type->dims[1].size, 0);
  if (weight == NULL || weight->type->rank != 2 || !g_str_equal (ph_node_attr_string (node, "post_transform", "NONE"), "NONE"))
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs rows of a known number of features, and no post_transform");
  out[0] = PH_BUILD (b, Add,
                     PH_BUILD (b, MatMul, as_float (b, in[0]),
                               PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, 2)), weight)),
                     floats (b, node, "intercepts", 0, 0, 0));
  return TRUE;
}

gboolean
ph_grad_linear_regressor (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_linear_regressor, error);
}
