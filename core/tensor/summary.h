/* summary.h: the elements of a tensor in a few numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/dtype.h"
#include "core/tensor/tensor-type.h"

G_BEGIN_DECLS

typedef struct
{
  double min, max, mean, std;
  gsize zeros, nans, infs;
} PhTensorStats;

gboolean ph_tensor_stats (PhTensor *tensor, PhTensorStats *stats); /* FALSE: not numbers, or empty */

G_END_DECLS
