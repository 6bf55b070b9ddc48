/* tensor-summary.c: a tensor in a few numbers and pictures, computed away from the main thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/tensor-summary.h"

#include <math.h>

static void
fill_histogram (PhTensor *tensor, PhTensorSummary *summary, GCancellable *cancellable)
{
  double low = summary->stats.min, width = summary->stats.max - low;
  gsize n = ph_tensor_count (tensor);

  if (!isfinite (width))
    return;
  if (width <= 0)
    summary->bins[PH_HISTOGRAM_BINS / 2] = (guint) MIN (n, G_MAXUINT);
  else
    for (gsize i = 0; i < n; i++)
      {
        double value = ph_tensor_get (tensor, i);
        if ((i & 0xffff) == 0 && g_cancellable_is_cancelled (cancellable))
          return;
        if (isfinite (value))
          {
            int bin = (int) ((value - low) / width * PH_HISTOGRAM_BINS);
            summary->bins[CLAMP (bin, 0, PH_HISTOGRAM_BINS - 1)]++;
          }
      }
  for (guint i = 0; i < PH_HISTOGRAM_BINS; i++)
    summary->tallest = MAX (summary->tallest, summary->bins[i]);
}

static void
fill_heat_map (PhTensor *tensor, PhTensorSummary *summary, gsize slice)
{
  guint rank = ph_tensor_rank (tensor);
  const gint64 *dims = ph_tensor_dims (tensor);
  gsize columns = rank > 0 ? (gsize) dims[rank - 1] : 1, rows = rank > 1 ? (gsize) dims[rank - 2] : 1;
  double low = summary->stats.min, width = summary->stats.max - low;

  if (rows == 0 || columns == 0)
    return;
  summary->n_slices = ph_tensor_count (tensor) / (rows * columns);
  summary->slice = MIN (slice, summary->n_slices - 1);
  summary->rows = (guint) MIN (rows, PH_HEAT_MAP_SIDE);
  summary->columns = (guint) MIN (columns, PH_HEAT_MAP_SIDE);
  gsize base = summary->slice * rows * columns;
  for (guint r = 0; r < summary->rows; r++)
    for (guint c = 0; c < summary->columns; c++)
      {
        gsize r0 = rows * r / summary->rows, r1 = MAX (rows * (r + 1) / summary->rows, r0 + 1);
        gsize c0 = columns * c / summary->columns, c1 = MAX (columns * (c + 1) / summary->columns, c0 + 1);
        double sum = 0;
        for (gsize i = r0; i < r1; i++)
          for (gsize j = c0; j < c1; j++)
            sum += ph_tensor_get (tensor, base + i * columns + j);
        double mean = sum / ((double) (r1 - r0) * (double) (c1 - c0));
        summary->cells[r * summary->columns + c] = (float) (!isfinite (mean) ? NAN
                                                            : width > 0      ? CLAMP ((mean - low) / width, 0, 1)
                                                                             : 0.5);
      }
}

/* (transfer full), free with g_free(). Reads every element. */
static PhTensorSummary *
summary_new (PhTensor *tensor, gsize slice, GCancellable *cancellable)
{
  PhTensorSummary *summary = g_new0 (PhTensorSummary, 1);

  summary->numeric = ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_stats (tensor, &summary->stats);
  if (summary->numeric && !g_cancellable_is_cancelled (cancellable))
    {
      fill_histogram (tensor, summary, cancellable);
      fill_heat_map (tensor, summary, slice);
    }
  return summary;
}

typedef struct
{
  PhTensor *tensor;
  gsize slice;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  ph_tensor_unref (request->tensor);
  g_free (request);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Request *request = data;

  g_task_return_pointer (task, summary_new (request->tensor, request->slice, cancellable), g_free);
}

void
ph_tensor_summary_async (PhTensor *tensor, gsize slice, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Request *request = g_new (Request, 1);

  *request = (Request) { ph_tensor_ref (tensor), slice };
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, work);
}

PhTensorSummary *
ph_tensor_summary_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
