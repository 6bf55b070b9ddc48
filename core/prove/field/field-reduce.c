/* field-reduce.c: reductions, softmax and pools over the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"

#include "core/ops/onnx/reduce.h"

/* ── the elements that make one of the result ── */

typedef enum
{
  SUM,
  MEAN,
  PRODUCT,
  SQUARES,
  LENGTH,
  ABSOLUTE,
  LOG_SUM,
  LOG_SUM_EXP,
  GREATEST,
  LEAST
} Kind;

typedef struct
{
  PhNum sum;
  guint64 hash;
  gsize n;
  gboolean lost; /* an infinity or NaN among them */
  PhNum last;
} Heap;

static void
heap_add (PhField *field, Heap *heap, Kind kind, PhNum x)
{
  heap->n++;
  heap->last = x;
  heap->lost = heap->lost || (kind != LOG_SUM_EXP && ph_field_special (field, x));
  heap->hash += ph_mix (field->salt, x.p); /* independent of the order */
  if (kind == PRODUCT)
    heap->sum = heap->n == 1 ? x : ph_num_mul (heap->sum, x);
  else if (kind == SQUARES || kind == LENGTH)
    heap->sum = ph_num_add (heap->sum, ph_num_mul (x, x));
  else if (kind == ABSOLUTE)
    heap->sum = ph_num_add (heap->sum, ph_field_positive (field, x) ? x : ph_num_neg (x));
  else if (kind == LOG_SUM_EXP)
    heap->sum = ph_num_add (heap->sum, ph_field_exp (field, x));
  else
    heap->sum = ph_num_add (heap->sum, x);
}

static PhNum
logarithm (PhField *field, PhNum x)
{
  return x.p == 1 ? (PhNum) { 0, 0 } : ph_field_function (field, "Log", x);
}

static PhNum
heap_result (PhField *field, const Heap *heap, Kind kind)
{
  static const char *const names[] = { "sum",      "mean",    "product",     "squares",  "length",
                                       "absolute", "log-sum", "log-sum-exp", "greatest", "least" };

  if ((kind == GREATEST || kind == LEAST) && heap->n == 1)
    return heap->last;
  if (kind == GREATEST || kind == LEAST || heap->lost)
    {
      field->hashed++;
      return ph_field_hash (field, ph_mix (ph_mix (ph_field_salt (field, names[kind]), heap->hash), heap->n));
    }
  switch (kind)
    {
    case MEAN: return ph_num_mul (heap->sum, ph_field_ratio (field, 1, (gint64) heap->n));
    case LENGTH: return ph_field_sqrt (field, heap->sum);
    case LOG_SUM:
    case LOG_SUM_EXP: return logarithm (field, heap->sum);
    default: return heap->sum;
    }
}

/* ── reductions ── */

typedef struct
{
  const PhOp *op;
  Kind kind;
} Row;

/* clang-format off */
static const Row rows[] = {
  { &ph_op_ReduceSum, SUM }, { &ph_op_ReduceMean, MEAN }, { &ph_op_ReduceProd, PRODUCT }, { &ph_op_ReduceSumSquare, SQUARES },
  { &ph_op_ReduceL2, LENGTH }, { &ph_op_ReduceL1, ABSOLUTE }, { &ph_op_ReduceLogSum, LOG_SUM },
  { &ph_op_ReduceLogSumExp, LOG_SUM_EXP }, { &ph_op_ReduceMax, GREATEST }, { &ph_op_ReduceMin, LEAST },
};
/* clang-format on */

static void
set_degree (PhFieldTensor *out, const PhFieldTensor *x, Kind kind, double terms)
{
  const double square = kind == SQUARES ? 2 : kind == PRODUCT ? terms : 1;

  out->under = x->under * terms * square;
  out->over = x->over * square + (kind == PRODUCT ? 0 : (terms - 1) * x->under * square);
  if (kind > SQUARES)
    out->over = out->under = 1;
}

static gboolean
reduce (PhFieldNode *self, Kind kind, guint64 mask, gboolean keep)
{
  PhFieldTensor *x = self->in[0], *out;
  gint64 dims[PH_MAX_RANK];
  PhReduction reduction;
  guint rank = 0;

  for (guint i = 0; i < x->rank; i++)
    if (!(mask >> i & 1))
      dims[rank++] = x->dims[i];
    else if (keep)
      dims[rank++] = 1;
  ph_field_parts (self->field, x);
  out = self->out[0] = ph_field_tensor_new (self->field, x->dtype, rank, dims);
  if (out == NULL || !ph_reduction_init (&reduction, x->rank, x->dims, mask))
    return ph_field_fail (self, "too large");
  if (reduction.count == 0)
    {
      ph_reduction_clear (&reduction);
      return ph_field_fail (self, "reduces nothing");
    }
  for (gsize i = 0; i < out->count; i++)
    {
      Heap heap = { 0 };

      PH_FOREACH_REDUCED (&reduction, reduction.bases[i], at)
      heap_add (self->field, &heap, kind, ph_field_at (x, (gsize) at));
      ph_field_put (out, i, heap_result (self->field, &heap, kind));
    }
  set_degree (out, x, kind, (double) reduction.count);
  if (kind == ABSOLUTE)
    self->field->least_signs = MIN (self->field->least_signs, out->count);
  ph_reduction_clear (&reduction);
  return TRUE;
}

static gboolean
run_reduce (PhFieldNode *self, gconstpointer data)
{
  const Row *row = data;
  PhFieldTensor *x = ph_field_in (self, 0);
  gsize n;
  g_autofree gint64 *axes = ph_field_ints (self, 1, &n);
  guint normal[PH_MAX_RANK];
  guint64 mask = 0;

  if (x == NULL || (ph_field_in (self, 1) != NULL && axes == NULL))
    return ph_field_fail (self, "its axes are not known");
  if (!ph_dtype_is_float (x->dtype))
    return ph_field_opaque (self, NULL);
  if (n == 0 && ph_node_attr_int (self->node, "noop_with_empty_axes", 0) == 0)
    mask = x->rank >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << x->rank) - 1;
  else if (!ph_axes (axes, n, x->rank, normal, &mask))
    return ph_field_fail (self, "its axes do not fit");
  return reduce (self, row->kind, mask, ph_node_attr_int (self->node, "keepdims", 1) != 0);
}

/* ── softmax ── */

static gboolean
run_softmax (PhFieldNode *self, gconstpointer data)
{
  PhField *field = self->field;
  PhFieldTensor *x = self->in[0], *out;
  const gboolean takes_log = self->node->op == &ph_op_LogSoftmax;
  gsize outer, inner, n;
  guint axis;

  if (!ph_axis (ph_node_attr_int (self->node, "axis", -1), x->rank, &axis))
    return ph_field_fail (self, "its axis does not fit");
  ph_field_parts (field, x);
  out = self->out[0] = ph_field_tensor_new (field, x->dtype, x->rank, x->dims);
  if (out == NULL)
    return FALSE;
  ph_field_work (field, 40.0 * (double) x->count);
  outer = ph_dims_product (x->dims, 0, axis);
  inner = ph_dims_product (x->dims, axis + 1, x->rank);
  n = x->dims[axis];
  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++)
      {
        const gsize at = o * n * inner + i;
        PhNum sum = { 0, 0 }, scale;

        for (gsize k = 0; k < n; k++)
          {
            const PhNum e = ph_field_exp (field, ph_field_at (x, at + k * inner));

            ph_field_put (out, at + k * inner, e);
            sum = ph_num_add (sum, e);
          }
        scale = takes_log ? logarithm (field, sum) : ph_field_inverse (field, sum);
        for (gsize k = 0; k < n; k++)
          ph_field_put (out, at + k * inner,
                        takes_log ? ph_num_sub (ph_field_at (x, at + k * inner), scale)
                                  : ph_num_mul (ph_field_at (out, at + k * inner), scale));
      }
  out->over = x->over + (double) n;
  out->under = x->under + (double) n;
  return TRUE;
}

/* ── pools ── */

/* Pools each window: a maximum is an opaque function of its elements, an average divides by their number. */
static gboolean
run_pool (PhFieldNode *self, gconstpointer data)
{
  PhField *field = self->field;
  const gboolean average = self->node->op == &ph_op_AveragePool;
  const gboolean counts_pads = ph_node_attr_int (self->node, "count_include_pad", 0) != 0;
  PhFieldTensor *x = self->in[0], *out;
  gint64 dims[2 + PH_WINDOW_MAX], planes, in_count, out_count, taps;
  const char *wrong;
  PhWindow w;

  if (x->rank < 3 || x->rank > 2 + PH_WINDOW_MAX)
    return ph_field_fail (self, "its input has no channels");
  if (self->n_out > 1 || !ph_dtype_is_float (x->dtype))
    return ph_field_opaque (self, NULL);
  wrong = ph_window_init (&w, self->node, x->rank - 2, x->dims + 2, NULL);
  if (wrong != NULL)
    return ph_field_fail (self, "%s", wrong);
  ph_field_parts (field, x);
  memcpy (dims, x->dims, 2 * sizeof *dims);
  memcpy (dims + 2, w.out, w.n * sizeof *dims);
  planes = dims[0] * dims[1];
  in_count = ph_dims_product (w.in, 0, w.n);
  out_count = ph_dims_product (w.out, 0, w.n);
  taps = ph_window_kernel_count (&w);
  out = self->out[0] = ph_field_tensor_new (field, x->dtype, x->rank, dims);
  ph_field_work (field, 40.0 * (double) planes * out_count * taps);
  if (out == NULL || field->why != NULL)
    return FALSE;
  for (gint64 plane = 0; plane < planes; plane++)
    for (gint64 place = 0; place < out_count; place++)
      {
        Heap heap = { 0 };
        gsize padded = 0;

        for (gint64 tap = 0; tap < taps; tap++)
          {
            gint64 at = 0, rest_place = place, rest_tap = tap, coordinate[PH_WINDOW_MAX];
            gboolean inside = TRUE, within_pads = TRUE;

            for (guint d = w.n; d-- > 0;)
              {
                coordinate[d] = rest_place % w.out[d] * w.stride[d] - w.begin[d] + rest_tap % w.kernel[d] * w.dilation[d];
                rest_place /= w.out[d];
                rest_tap /= w.kernel[d];
                inside = inside && coordinate[d] >= 0 && coordinate[d] < w.in[d];
                within_pads = within_pads && coordinate[d] < w.in[d] + w.end[d];
              }
            padded += within_pads;
            for (guint d = 0; d < w.n; d++)
              at = at * w.in[d] + coordinate[d];
            if (inside)
              heap_add (field, &heap, average ? SUM : GREATEST, ph_field_at (x, plane * in_count + at));
          }
        if (average && heap.n > 0)
          ph_field_put (out, plane * out_count + place,
                        ph_num_mul (heap_result (field, &heap, SUM),
                                    ph_field_ratio (field, 1, (gint64) (counts_pads ? MAX (padded, 1) : heap.n))));
        else if (!average && heap.n > 0)
          ph_field_put (out, plane * out_count + place, heap_result (field, &heap, GREATEST));
        else if (!average)
          ph_field_put (out, plane * out_count + place, field->special[PH_FIELD_MINUS_INFINITY]);
      }
  set_degree (out, x, average ? SUM : GREATEST, (double) taps);
  return TRUE;
}

static gboolean
run_global_pool (PhFieldNode *self, gconstpointer data)
{
  PhFieldTensor *x = self->in[0];
  guint64 mask = 0;

  if (x->rank < 3 || !ph_dtype_is_float (x->dtype))
    return ph_field_fail (self, "its input has no channels");
  for (guint i = 2; i < x->rank; i++)
    mask |= G_GUINT64_CONSTANT (1) << i;
  return reduce (self, self->node->op == &ph_op_GlobalMaxPool ? GREATEST : MEAN, mask, TRUE);
}

/* clang-format off */
static const PhFieldKind kinds[] = {
  { &ph_op_Softmax, run_softmax }, { &ph_op_LogSoftmax, run_softmax }, { &ph_op_MaxPool, run_pool }, { &ph_op_AveragePool, run_pool },
  { &ph_op_GlobalAveragePool, run_global_pool }, { &ph_op_GlobalMaxPool, run_global_pool },
};
/* clang-format on */

PhFieldRule
ph_field_reduce_rule (const PhOp *op, gconstpointer *data)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == op)
      {
        *data = &rows[i];
        return run_reduce;
      }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].op == op)
      return kinds[i].rule;
  return NULL;
}
