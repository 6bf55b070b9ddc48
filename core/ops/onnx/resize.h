/* resize.h: which elements of an axis Resize adds up to one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

/* One axis: output element i is the sum over t of weight[i * n + t] * input[index[i * n + t]]; index -1: the constant. */
typedef struct
{
  gint64 in, out;
  guint n;
  gint64 *index; /* (nullable) owned: NULL: the axis stays as it is */
  double *weight;
} PhTaps;

void ph_taps_clear (PhTaps *taps);
/* @taps: PH_MAX_RANK of them, one for each axis of @x. @scales or @sizes is NULL. FALSE: what does not fit, or is cropped. */
gboolean ph_resize_taps (const PhNode *node, PhTensor *x, PhTensor *scales, PhTensor *sizes, PhTaps *taps);

G_END_DECLS
