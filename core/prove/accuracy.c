/* accuracy.c: detects a loss of accuracy in float32 although double agrees.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/trial-private.h"

#include <math.h>

#include "core/tensor/compare.h"

/* Returns the largest error between @a and @b in their own type. */
static double
float_error (PhTensor *a, PhTensor *b)
{
  g_auto (PhDistance) distance = ph_distance (a, b);

  return distance.why != NULL || distance.n_lost + distance.n_gained + distance.n_changed > 0 ? INFINITY : distance.error;
}

static guint64
ulps_between (PhTensor *a, PhTensor *b)
{
  g_auto (PhComparison) result = ph_tensor_compare (a, b, PH_TOLERANCE_ONNX);

  return result.max_ulp;
}

void
ph_try_check_accuracy (PhTry *self, GPtrArray *inputs, GPtrArray *exact[2])
{
  g_autoptr (GPtrArray) was = ph_try_run (self, 0, inputs, FALSE, FALSE, NULL),
                        is = was != NULL ? ph_try_run (self, 1, inputs, FALSE, FALSE, NULL) : NULL;

  for (guint k = 0; is != NULL && k < is->len; k++)
    {
      PhTensor *a = is->pdata[k], *b = was->pdata[k];
      double before, after, scale = 0;

      if (ph_tensor_kind (a) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (a))
          || ph_tensor_dtype (a) != ph_tensor_dtype (b) || ph_tensor_count (a) == 0 || ph_tensor_dtype (a) == PH_DOUBLE)
        continue;
      self->trial->outputs[k].max_ulp = MAX (self->trial->outputs[k].max_ulp, ulps_between (a, b));
      self->trial->outputs[k].float_error = MAX (self->trial->outputs[k].float_error, float_error (a, b));
      before = ph_distance_rms (b, exact[0]->pdata[k]);
      after = ph_distance_rms (a, exact[1]->pdata[k]);
      for (gsize i = 0; i < MIN (ph_tensor_count (b), 100000); i++)
        {
          const double value = fabs (ph_tensor_get (b, i));

          scale = isfinite (value) ? MAX (scale, value) : scale;
        }
      self->trial->loses_accuracy |= after > 3 * before + 4 * 0x1p-23 * scale;
    }
}
