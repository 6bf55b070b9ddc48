/* tensor-change.h: describes how two constants differ.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* Of two tensors of one element type and shape. Elements are counted row by row. */
typedef struct
{
  gsize count, changed; /* elements; those that differ in a bit                                  */
  gsize first, largest; /* which of them                                                         */
  double before, after; /* the first                                                             */
  double most;          /* the largest change, of numbers; infinite where a NaN came or went     */
  guint rank;
  gint64 dims[PH_MAX_RANK];
} PhTensorChange;

/* Reads both whole, and keeps nothing. FALSE: equal, of other types or shapes, or not numbers. */
gboolean ph_tensor_change (PhTensor *a, PhTensor *b, PhTensorChange *change);
/* "[0,12]"; "" of a scalar. (transfer full) */
char *ph_tensor_change_place (const PhTensorChange *change, gsize element);

G_END_DECLS
