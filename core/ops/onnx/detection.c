/* detection.c: NonMaxSuppression.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

static gboolean
infer_nms (PhInfer *infer, GError **error)
{
  PhDim dims[2] = { PH_DIM_UNKNOWN, PH_DIM (3) };

  ph_infer_set_shape (infer, 0, PH_INT64, 2, dims);
  return TRUE;
}

typedef struct
{
  double y0, x0, y1, x1;
} Box;

static Box
box_at (PhTensor *boxes, gsize i, gboolean centred)
{
  double v[4];

  const float *floats = ph_tensor_dtype (boxes) == PH_FLOAT ? ph_tensor_data (boxes) : NULL;

  for (guint k = 0; k < 4; k++)
    v[k] = floats != NULL ? (double) floats[4 * i + k] : ph_tensor_get (boxes, 4 * i + k);
  if (centred) /* x, y, width, height */
    return (Box) { v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2 };
  return (Box) { MIN (v[0], v[2]), MIN (v[1], v[3]), MAX (v[0], v[2]), MAX (v[1], v[3]) };
}

static double
area (const Box *a)
{
  return (a->y1 - a->y0) * (a->x1 - a->x0);
}

static double
overlap (const Box *a, const Box *b)
{
  const double h = MIN (a->y1, b->y1) - MAX (a->y0, b->y0), w = MIN (a->x1, b->x1) - MAX (a->x0, b->x0);
  double both, whole;

  if (h <= 0 || w <= 0)
    return 0;
  both = h * w;
  whole = area (a) + area (b) - both;
  return whole > 0 ? both / whole : 0;
}

typedef struct
{
  gint64 box;
  double score;
} Candidate;

static gboolean
comes_before (const Candidate *a, const Candidate *b)
{
  return a->score != b->score ? a->score > b->score : a->box < b->box;
}

/* Moves the candidate at @at of a heap of @n down to its place: each comes before the two at 2 at + 1 and 2 at + 2. */
static void
sift (Candidate *heap, gsize n, gsize at)
{
  const Candidate moved = heap[at];

  for (gsize next; (next = 2 * at + 1) < n; at = next)
    {
      if (next + 1 < n && comes_before (&heap[next + 1], &heap[next]))
        next++;
      if (comes_before (&moved, &heap[next]))
        break;
      heap[at] = heap[next];
    }
  heap[at] = moved;
}

static double
scalar_or (PhKernel *kernel, guint input, double fallback)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);

  return tensor != NULL && ph_tensor_count (tensor) > 0 ? ph_tensor_get (tensor, 0) : fallback;
}

static gboolean
run_nms (PhKernel *kernel, GError **error)
{
  PhTensor *boxes = ph_kernel_input (kernel, 0), *scores = ph_kernel_input (kernel, 1);
  gboolean centred = ph_node_attr_int (kernel->node, "center_point_box", 0) != 0;
  double limit = scalar_or (kernel, 2, 0), most_overlap = scalar_or (kernel, 3, 0),
         least_score = scalar_or (kernel, 4, -G_MAXDOUBLE);
  g_autoptr (GArray) selected = g_array_new (FALSE, FALSE, 3 * sizeof (gint64)), taken = g_array_new (FALSE, FALSE, sizeof (Box));
  g_autofree Box *all = NULL;
  g_autofree Candidate *heap = NULL;
  const float *floats = ph_tensor_dtype (scores) == PH_FLOAT ? ph_tensor_data (scores) : NULL;
  gint64 dims[2] = { 0, 3 }, batches, classes, n;
  gpointer to;

  if (ph_tensor_rank (boxes) != 3 || ph_tensor_rank (scores) != 3 || ph_tensor_dims (boxes)[2] != 4
      || ph_tensor_dims (boxes)[0] != ph_tensor_dims (scores)[0] || ph_tensor_dims (boxes)[1] != ph_tensor_dims (scores)[2])
    return ph_kernel_fail (kernel, error, "boxes must be batches, N, 4 and scores batches, classes, N");
  batches = ph_tensor_dims (scores)[0];
  classes = ph_tensor_dims (scores)[1];
  n = ph_tensor_dims (scores)[2];
  all = g_new (Box, MAX (batches * n, 1));
  heap = g_new (Candidate, MAX (n, 1));
  for (gint64 i = 0; i < batches * n; i++)
    all[i] = box_at (boxes, (gsize) i, centred);
  for (gint64 plane = 0; plane < batches * classes; plane++)
    {
      const gint64 batch = plane / classes;
      gsize left = 0;

      g_array_set_size (taken, 0);
      for (gint64 i = 0; i < n; i++)
        {
          const double score = floats != NULL ? (double) floats[plane * n + i] : ph_tensor_get (scores, plane * n + i);

          if (score > least_score)
            heap[left++] = (Candidate) { i, score };
        }
      for (gsize i = left / 2; i-- > 0;)
        sift (heap, left, i);
      while (left > 0 && taken->len < limit)
        {
          const gint64 row[3] = { batch, plane % classes, heap[0].box };
          const Box *box = &all[batch * n + row[2]];
          gboolean keep = TRUE;

          heap[0] = heap[--left];
          sift (heap, left, 0);
          for (guint k = 0; k < taken->len && keep; k++)
            keep = overlap (box, &g_array_index (taken, Box, k)) <= most_overlap;
          if (!keep)
            continue;
          g_array_append_vals (taken, box, 1);
          g_array_append_vals (selected, row, 1);
        }
      if (ph_kernel_cancelled (kernel, error))
        return FALSE;
    }
  dims[0] = selected->len;
  to = ph_kernel_output (kernel, 0, PH_INT64, 2, dims, error);
  if (to == NULL)
    return FALSE;
  if (selected->len > 0)
    memcpy (to, selected->data, selected->len * 3 * sizeof (gint64));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_NonMaxSuppression = {
  .name = "NonMaxSuppression", .since = 11, .flags = PH_OP_NO_GRADIENT | PH_OP_IN_DOUBLE,
  .family = PH_FAMILY_POOL,
  .doc = "Picks boxes by score, leaving out those that overlap one already picked.",
  .inputs = { { "boxes", 0, PH_T (FLOAT) }, { "scores", 0, PH_T (FLOAT) },
              { "max_output_boxes_per_class", 0, PH_T (INT64), PH_ARG_OPTIONAL },
              { "iou_threshold", 0, PH_T (FLOAT), PH_ARG_OPTIONAL }, { "score_threshold", 0, PH_T (FLOAT), PH_ARG_OPTIONAL } },
  .outputs = { { "selected_indices", 0, PH_T (INT64) } },
  .attrs = { { "center_point_box", PH_ATTR_INT, "0" } },
  .infer = infer_nms, .kernel = run_nms,
};
/* clang-format on */
