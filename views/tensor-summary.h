/* tensor-summary.h: a tensor in a few numbers and pictures, computed away from the main thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

#define PH_HISTOGRAM_BINS 48
#define PH_HEAT_MAP_SIDE  96

typedef struct
{
  gboolean numeric;
  PhTensorStats stats;           /* when numeric                                           */
  guint bins[PH_HISTOGRAM_BINS]; /* of the finite elements, from stats.min to stats.max    */
  guint tallest;
  /* The last two dimensions of slice @slice (a row where the rank is 1), each cell the mean of what falls on it, scaled
   * to 0..1; NaN where there is none. */
  float cells[PH_HEAT_MAP_SIDE * PH_HEAT_MAP_SIDE];
  guint rows, columns; /* of cells; 0: no heat map                               */
  gsize slice, n_slices;
} PhTensorSummary;

void ph_tensor_summary_async (PhTensor *tensor, gsize slice, GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer data);
PhTensorSummary *ph_tensor_summary_finish (GAsyncResult *result, GError **error);

G_END_DECLS
