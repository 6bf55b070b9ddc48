/* agree.c: two results, compared as far as an exactness class promises it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/agree.h"

#include <math.h>
#include <string.h>

PhAgreeLimit
ph_agree_limit (PhExactness exactness)
{
  return exactness <= PH_EXACT_FINITE ? (PhAgreeLimit) { 1e-5, 1e-6 } : (PhAgreeLimit) { 1e-3, 1e-5 };
}

static gboolean
is_float_tensor (PhTensor *tensor)
{
  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor));
}

/* The largest finite magnitude: what absolute errors are measured against. */
static double
scale_of (PhTensor *tensor)
{
  double scale = 0;
  gsize  n;

  if (!is_float_tensor (tensor))
    return 0;
  n = ph_tensor_is_splat (tensor) ? MIN (ph_tensor_count (tensor), 1) : ph_tensor_count (tensor);
  for (gsize i = 0; i < n; i++)
    {
      double value = fabs (ph_tensor_get (tensor, i));

      if (isfinite (value) && value > scale)
        scale = value;
    }
  return scale;
}

double
ph_agree_scaled (double error, PhTensor *expected)
{
  return error > 0 && isfinite (error) ? error / MAX (1, scale_of (expected)) : error;
}

/* How much coarser than 32-bit floats. */
static double
coarseness (PhDType dtype)
{
  switch (dtype)
    {
    case PH_DOUBLE:
      return 1e-6;
    case PH_FLOAT16:
      return 100;
    case PH_BFLOAT16:
      return 1000;
    default:
      return 1;
    }
}

static PhTolerance
tolerance_for (PhExactness exactness, PhTensor *expected)
{
  PhAgreeLimit limit = ph_agree_limit (exactness);
  double       coarse = coarseness (ph_tensor_dtype (expected));

  return (PhTolerance) { limit.rtol * coarse, limit.scale * coarse * scale_of (expected) + (exactness <= PH_EXACT_FINITE ? 0 : 1e-9) };
}

/* @actual with the elements of @expected where that one is not finite. (transfer full) */
static PhTensor *
with_unbounded_of (PhTensor *actual, PhTensor *expected, gsize *n)
{
  PhDType   dtype = ph_tensor_dtype (actual);
  PhTensor *copy = ph_tensor_new (dtype, ph_tensor_rank (actual), ph_tensor_dims (actual));

  for (gsize i = 0; copy != NULL && i < ph_tensor_count (actual); i++)
    {
      double a = ph_tensor_get (actual, i), e = ph_tensor_get (expected, i);

      *n += !isfinite (e) && a != e && !(isnan (a) && isnan (e));
      ph_dtype_store (dtype, ph_tensor_writable (copy), i, isfinite (e) ? a : e);
    }
  return copy;
}

static gboolean
same_header (PhTensor *a, PhTensor *b)
{
  return ph_tensor_kind (a) == PH_KIND_TENSOR && ph_tensor_kind (b) == PH_KIND_TENSOR && ph_tensor_dtype (a) == ph_tensor_dtype (b) &&
         ph_tensor_rank (a) == ph_tensor_rank (b) &&
         memcmp (ph_tensor_dims (a), ph_tensor_dims (b), ph_tensor_rank (a) * sizeof (gint64)) == 0;
}

PhComparison
ph_agree_tensors (PhTensor *actual, PhTensor *expected, PhExactness exactness, gboolean special, gsize *unbounded)
{
  PhComparison result = ph_tensor_compare (actual, expected, tolerance_for (exactness, expected));

  if (result.close || exactness == PH_EXACT || !same_header (actual, expected))
    return result;
  if (special)
    {
      *unbounded += result.n_different;
      ph_comparison_clear (&result);
      return (PhComparison) { .close = TRUE };
    }
  if (is_float_tensor (expected))
    {
      g_autoptr(PhTensor) bounded = with_unbounded_of (actual, expected, unbounded);

      ph_comparison_clear (&result);
      return ph_tensor_compare (bounded != NULL ? bounded : actual, expected, tolerance_for (exactness, expected));
    }
  return result;
}

/* Dropout draws only where its third input says that it is training. */
static gboolean
draws (const PhNode *node)
{
  PhValue  *training = g_str_equal (node->op_type, "Dropout") ? ph_node_input (node, 2) : NULL;
  PhTensor *constant = training != NULL ? ph_value_constant (training) : NULL;

  if (node->op == NULL || (node->op->flags & PH_OP_RANDOM) == 0)
    return FALSE;
  if (!g_str_equal (node->op_type, "Dropout"))
    return TRUE;
  return training != NULL && (constant == NULL || ph_tensor_count (constant) != 1 || ph_tensor_get_int (constant, 0) != 0);
}

static gboolean
is_random (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (draws (node))
        return TRUE;
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (is_random (node->graphs->pdata[i]))
          return TRUE;
    }
  return FALSE;
}

gboolean
ph_model_draws (PhModel *model)
{
  return is_random (model->graph);
}
