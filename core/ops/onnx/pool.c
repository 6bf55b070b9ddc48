/* pool.c: pooling over windows and over everything.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/window.h"

#include <math.h>

static gboolean
infer_pool (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0);
  const PhNode *node = ph_infer_node_of (infer);

  if (x == NULL)
    return TRUE;
  if (!ph_infer_window (infer, x, x->rank > 1 ? x->dims[1] : PH_DIM_UNKNOWN, NULL, error))
    return FALSE;
  if (node->outputs->len > 1)
    {
      /* Indices have the shape of the values. */
      PhDim dims[2 + PH_WINDOW_MAX], channels = x->dims[1];
      PhWindow w;
      gint64 in[PH_WINDOW_MAX];
      gboolean known = TRUE;

      for (guint i = 2; i < x->rank; i++)
        {
          known = known && ph_dim_known (x->dims[i]);
          in[i - 2] = MAX (0, x->dims[i].size);
        }
      dims[0] = x->dims[0];
      dims[1] = channels;
      known = known && ph_window_init (&w, node, x->rank - 2, in, NULL) == NULL;
      for (guint i = 2; i < x->rank; i++)
        dims[i] = known ? PH_DIM (w.out[i - 2]) : PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 1, PH_INT64, x->rank, dims);
    }
  return TRUE;
}

/* The contents of one window: the flat offsets of its elements inside the input, and the number of its positions including pads. */
typedef struct
{
  gint64 *offsets;
  guint n;
  gint64 padded;
} Seen;

static void
look (const PhWindow *w, gint64 place, Seen *seen)
{
  gint64 base[PH_WINDOW_MAX], taps = ph_window_kernel_count (w);

  for (guint d = w->n; d-- > 0; place /= w->out[d])
    base[d] = place % w->out[d] * w->stride[d] - w->begin[d];
  seen->n = 0;
  seen->padded = 0;
  for (gint64 k = 0; k < taps; k++)
    {
      gint64 coordinate[PH_WINDOW_MAX], at = k, offset = 0;
      gboolean inside = TRUE, padded = TRUE;

      for (guint d = w->n; d-- > 0; at /= w->kernel[d])
        coordinate[d] = base[d] + at % w->kernel[d] * w->dilation[d];
      for (guint d = 0; d < w->n; d++)
        {
          inside = inside && coordinate[d] >= 0 && coordinate[d] < w->in[d];
          padded = padded && coordinate[d] < w->in[d] + w->end[d];
          offset = offset * w->in[d] + coordinate[d];
        }
      seen->padded += padded;
      if (inside)
        seen->offsets[seen->n++] = offset;
    }
}

typedef enum
{
  POOL_MAX,
  POOL_AVERAGE,
  POOL_LP
} PoolKind;

/* Converts a row-major offset in a plane to column-major. */
static gint64
column_major (const PhWindow *w, gint64 offset)
{
  gint64 coordinate[PH_WINDOW_MAX], result = 0;

  for (guint d = w->n; d-- > 0; offset /= w->in[d])
    coordinate[d] = offset % w->in[d];
  for (guint d = w->n; d-- > 0;)
    result = result * w->in[d] + coordinate[d];
  return result;
}

static gboolean
run_pool (PhKernel *kernel, PoolKind kind, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x);
  guint rank = ph_tensor_rank (x);
  const gint64 *xd = ph_tensor_dims (x);
  gboolean include_pad = ph_node_attr_int (kernel->node, "count_include_pad", 0) != 0;
  gboolean columns = ph_node_attr_int (kernel->node, "storage_order", 0) != 0;
  double p = ph_node_attr_int (kernel->node, "p", 2);
  gint64 dims[2 + PH_WINDOW_MAX], planes, in_count, out_count, *indices = NULL;
  g_autoptr (PhTensor) wide = NULL, result = NULL;
  g_autofree gint64 *offsets = NULL;
  const char *wrong;
  const double *from;
  double *to;
  PhWindow w;
  Seen seen;

  if (rank < 3 || rank > 2 + PH_WINDOW_MAX)
    return ph_kernel_fail (kernel, error, "the input has rank %u, must be batch, channels and 1 to 8 spatial dimensions", rank);
  wrong = ph_window_init (&w, kernel->node, rank - 2, xd + 2, NULL);
  if (wrong != NULL)
    return ph_kernel_fail (kernel, error, "%s", wrong);
  if (ph_window_kernel_count (&w) > G_MAXINT32)
    return ph_kernel_fail (kernel, error, "kernel_shape is too large");
  memcpy (dims, xd, 2 * sizeof (gint64));
  memcpy (dims + 2, w.out, w.n * sizeof (gint64));
  planes = xd[0] * xd[1];
  in_count = ph_dims_product (w.in, 0, w.n);
  out_count = ph_dims_product (w.out, 0, w.n);

  wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error);
  result = wide != NULL ? ph_tensor_new (PH_DOUBLE, rank, dims) : NULL;
  if (result == NULL)
    return wide != NULL ? ph_kernel_exceed (kernel, error, "the output is too large for memory") : FALSE;
  if (kernel->n_outputs > 1)
    {
      indices = ph_kernel_output (kernel, 1, PH_INT64, rank, dims, error);
      if (indices == NULL)
        return FALSE;
    }
  from = ph_tensor_data (wide);
  to = ph_tensor_writable (result);
  offsets = seen.offsets = g_new (gint64, ph_window_kernel_count (&w) + 1);
  for (gint64 place = 0; planes > 0 && place < out_count; place++)
    {
      look (&w, place, &seen);
      for (gint64 plane = 0; plane < planes; plane++)
        {
          const double *in = from + plane * in_count;
          double sum = 0, best = -INFINITY;
          gint64 best_at = seen.n > 0 ? seen.offsets[0] : 0;

          if (kind == POOL_MAX)
            for (guint i = 0; i < seen.n; i++)
              {
                double value = in[seen.offsets[i]];

                /* NaN wins, and stays. */
                if (value > best || (isnan (value) && !isnan (best)))
                  {
                    best = value;
                    best_at = seen.offsets[i];
                  }
              }
          else
            for (guint i = 0; i < seen.n; i++)
              sum += kind == POOL_AVERAGE ? in[seen.offsets[i]] : pow (fabs (in[seen.offsets[i]]), p);
          to[plane * out_count + place] = kind == POOL_MAX  ? best
                                          : kind == POOL_LP ? pow (sum, 1 / p)
                                                            : sum / MAX (1, include_pad ? seen.padded : (gint64) seen.n);
          if (indices != NULL)
            indices[plane * out_count + place] = plane * in_count
                                                 + (columns && in_count > 0 ? column_major (&w, best_at) : best_at);
        }
      if (place % 1024 == 0 && ph_kernel_cancelled (kernel, error))
        return FALSE;
    }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

static gboolean
run_max_pool (PhKernel *kernel, GError **error)
{
  return run_pool (kernel, POOL_MAX, error);
}

static gboolean
run_average_pool (PhKernel *kernel, GError **error)
{
  return run_pool (kernel, POOL_AVERAGE, error);
}

static gboolean
run_lp_pool (PhKernel *kernel, GError **error)
{
  return run_pool (kernel, POOL_LP, error);
}

static gint64
pool_flops (const PhNode *node)
{
  const PhValue *y = ph_node_output (node, 0);
  gsize n;
  const gint64 *shape = ph_node_attr_ints (node, "kernel_shape", &n);
  gint64 count = y->type != NULL ? ph_type_count (y->type) : -1;

  for (gsize i = 0; shape != NULL && count >= 0 && i < n; i++)
    count *= shape[i];
  return count;
}

/* ── gradients of pools over windows ── */

/* Adds the gradient of each output at the position of its maximum, which the second output gives. A node without that output, or with
 * column-major indices, gets a twin with row-major ones. */
static gboolean
grad_max_pool (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *indices = NULL, *flat = ph_build_ints (b, (gint64[]) { -1 }, 1), *zeros;

  if (grad->dy[0] == NULL)
    return TRUE;
  if (grad->node->outputs->len > 1 && ph_node_attr_int (grad->node, "storage_order", 0) == 0)
    indices = ph_grad_out (grad, 1);
  else
    {
      g_autofree PhAttr **attrs = g_new0 (PhAttr *, grad->node->attrs->len + 1);
      PhValue *twin;
      guint n = 0;

      for (guint i = 0; i < grad->node->attrs->len; i++)
        if (!g_str_equal (((PhAttr *) grad->node->attrs->pdata[i])->name, "storage_order"))
          attrs[n++] = ph_attr_ref (g_ptr_array_index (grad->node->attrs, i));
      twin = ph_build_node (b, &ph_op_MaxPool, &x, 1, attrs, 2);
      if (twin == NULL)
        return TRUE; /* the builder keeps the error */
      indices = ph_node_output (twin->producer, 1);
    }
  zeros = PH_BUILD (b, Expand, ph_grad_like (grad, x, 0), PH_BUILD (b, Reshape, ph_grad_size (grad, x), flat));
  grad->dx[0] = ph_grad_reshape_like (
      grad,
      PH_BUILD_WITH (b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_string ("reduction", "add")), zeros,
                     PH_BUILD (b, Reshape, indices, flat), PH_BUILD (b, Reshape, grad->dy[0], flat)),
      x);
  return TRUE;
}

/* Adds each output's gradient to every element that its window saw: a transposed convolution with a kernel of ones, all
 * channels taken as a batch. */
static PhValue *
spread_back (PhGrad *grad, PhWindow *w, PhValue *dy)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *space, *shape, *ones, *sum;
  gint64 pads[2 * PH_WINDOW_MAX], padding[PH_WINDOW_MAX], ones_shape[2 + PH_WINDOW_MAX] = { 1, 1 };

  for (guint i = 0; i < w->n; i++)
    {
      gint64 reach = (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->begin[i];

      pads[i] = w->begin[i];
      pads[w->n + i] = MAX (0, reach - w->in[i]);
      padding[i] = MAX (0, w->in[i] - reach);
      ones_shape[2 + i] = w->kernel[i];
    }
  ones = PH_BUILD (b, Expand, ph_grad_like (grad, x, 1), ph_build_ints (b, ones_shape, 2 + w->n));
  space = PH_BUILD (b, Slice, ph_grad_shape (grad, dy), ph_build_ints (b, (gint64[]) { 2 }, 1),
                    ph_build_ints (b, (gint64[]) { G_MAXINT64 }, 1));
  shape = PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_build_ints (b, (gint64[]) { -1, 1 }, 2), space);
  sum = PH_BUILD_WITH (b, ConvTranspose,
                       PH_ATTRS (ph_attr_new_ints ("strides", w->stride, w->n), ph_attr_new_ints ("dilations", w->dilation, w->n),
                                 ph_attr_new_ints ("pads", pads, 2 * w->n), ph_attr_new_ints ("output_padding", padding, w->n)),
                       PH_BUILD (b, Reshape, dy, shape), ones);
  return ph_grad_reshape_like (grad, sum, x);
}

static gboolean
window_of (PhGrad *grad, PhWindow *w, GError **error)
{
  const PhType *x = ph_grad_in (grad, 0)->type;
  gint64 in[PH_WINDOW_MAX];

  if (x == NULL || !x->has_rank || x->rank < 3 || x->rank > 2 + PH_WINDOW_MAX)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs the rank of the input; fix the input's shape first");
  for (guint i = 0; i < x->rank - 2; i++)
    {
      if (!ph_dim_known (x->dims[2 + i]))
        return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                             "its gradient needs the spatial size of the input; fix the input's shape first");
      in[i] = x->dims[2 + i].size;
    }
  return ph_window_init (w, grad->node, x->rank - 2, in, NULL) == NULL
         || ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its attributes do not fit the input");
}

static gboolean
grad_average_pool (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  gboolean include_pad = ph_node_attr_int (grad->node, "count_include_pad", 0) != 0;
  gint64 dims[2 + PH_WINDOW_MAX] = { 1, 1 }, places;
  g_autoptr (PhTensor) counts = NULL;
  g_autofree gint64 *offsets = NULL;
  PhDType dtype;
  gpointer data;
  PhWindow w;
  Seen seen;

  if (!window_of (grad, &w, error))
    return FALSE;
  dtype = ph_grad_in (grad, 0)->type->dtype;
  memcpy (dims + 2, w.out, w.n * sizeof (gint64));
  places = ph_dims_product (w.out, 0, w.n);
  counts = ph_tensor_new (dtype, 2 + w.n, dims);
  if (counts == NULL)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "the output is too large");
  data = ph_tensor_writable (counts);
  offsets = seen.offsets = g_new (gint64, ph_window_kernel_count (&w) + 1);
  for (gint64 place = 0; place < places; place++)
    {
      look (&w, place, &seen);
      ph_dtype_store (dtype, data, place, MAX (1, include_pad ? seen.padded : (gint64) seen.n));
    }
  grad->dx[0] = spread_back (grad, &w, PH_BUILD (b, Div, grad->dy[0], ph_build_tensor (b, g_steal_pointer (&counts))));
  return TRUE;
}

/* y^p = sum |x|^p  =>  dx = sign(x) |x|^(p-1) * spread (dy * y^(1-p)) */
static gboolean
grad_lp (PhGrad *grad, PhValue *spread)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0);
  double p = ph_node_attr_int (grad->node, "p", 2);
  PhValue *slope = PH_BUILD (b, Mul, PH_BUILD (b, Sign, x),
                             PH_BUILD (b, Pow, PH_BUILD (b, Abs, x), ph_grad_like (grad, x, p - 1)));

  grad->dx[0] = PH_BUILD (b, Mul, slope, spread);
  return TRUE;
}

static PhValue *
lp_factor (PhGrad *grad)
{
  PhBuilder *b = grad->b;
  PhValue *y = ph_grad_out (grad, 0), *x = ph_grad_in (grad, 0), *zero = ph_grad_like (grad, x, 0);
  double p = ph_node_attr_int (grad->node, "p", 2);
  PhValue *factor = PH_BUILD (b, Mul, grad->dy[0], PH_BUILD (b, Pow, y, ph_grad_like (grad, x, 1 - p)));

  return PH_BUILD (b, Where, PH_BUILD (b, Equal, y, zero), zero, factor); /* nothing but zeros: slope 0 */
}

static gboolean
is_norm (PhGrad *grad, GError **error)
{
  return ph_node_attr_int (grad->node, "p", 2) != 0
         || ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "cannot be differentiated, since p is 0, which is no norm");
}

static gboolean
grad_lp_pool (PhGrad *grad, GError **error)
{
  PhWindow w;

  return is_norm (grad, error) && window_of (grad, &w, error) && grad_lp (grad, spread_back (grad, &w, lp_factor (grad)));
}

/* clang-format off */
#define WINDOW_ATTRS \
  PH_AUTO_PAD, { "ceil_mode", PH_ATTR_INT, "0" }, { "dilations", PH_ATTR_INTS }, \
  { "kernel_shape", PH_ATTR_INTS, NULL, TRUE }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS }

const PhOp ph_op_MaxPool = {
  .name = "MaxPool", .since = 22,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL, .short_name = "Pool",
  .example = { "x[1,2,5,5]", "y = MaxPool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]> (x)", -1, 1 },
  .doc = "The largest element that a sliding window sees, and where it is.",
  .inputs = { { "X", 'T', PH_FLOATS | PH_T (INT8) | PH_T (UINT8) } },
  .outputs = { { "Y", 'T', PH_FLOATS | PH_T (INT8) | PH_T (UINT8) }, { "Indices", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
  .attrs = { WINDOW_ATTRS, { "storage_order", PH_ATTR_INT, "0" } },
  .infer = infer_pool, .kernel = run_max_pool, .grad_build = grad_max_pool, .flops = pool_flops,
  .grad_text = "dX = dY added where the largest of each window stood",
};

const PhOp ph_op_AveragePool = {
  .name = "AveragePool", .since = 22,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL, .short_name = "Pool",
  .example = { "x[1,2,5,4]", "y = AveragePool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]> (x)", -1, 1 },
  .doc = "The mean of the elements that a sliding window sees, padding left out unless count_include_pad is set.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { WINDOW_ATTRS, { "count_include_pad", PH_ATTR_INT, "0" } },
  .infer = infer_pool, .kernel = run_average_pool, .grad_build = grad_average_pool, .flops = pool_flops,
  .grad_text = "dX = dY / count spread over each window",
};

const PhOp ph_op_LpPool = {
  .name = "LpPool", .since = 22,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .example = { "x[1,2,4,4]", "y = LpPool <kernel_shape = [2, 2], p = 2> (x)", 0.3, 2 },
  .doc = "The p-norm of the elements that a sliding window sees.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { WINDOW_ATTRS, { "p", PH_ATTR_INT, "2" } },
  .infer = infer_pool, .kernel = run_lp_pool, .grad_build = grad_lp_pool, .flops = pool_flops,
  .grad_text = "dX = dY * |X|^(p-1) * sign(X) / Y^(p-1), summed over the windows",
};
/* clang-format on */

/* ── pools over everything ── */

static gboolean
infer_global (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0);
  PhDim dims[PH_MAX_RANK];

  if (x == NULL)
    return TRUE;
  if (x->rank < 2)
    return ph_infer_fail (infer, error, "the input has rank %u, must be batch, channels and spatial dimensions", x->rank);
  for (guint i = 0; i < x->rank; i++)
    dims[i] = i < 2 ? x->dims[i] : PH_DIM (1);
  ph_infer_set_shape (infer, 0, x->dtype, x->rank, dims);
  return TRUE;
}

static gboolean
run_global (PhKernel *kernel, PoolKind kind, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x);
  guint rank = ph_tensor_rank (x);
  double p = ph_node_attr_int (kernel->node, "p", 2);
  gint64 dims[PH_MAX_RANK], planes, count;
  gconstpointer from;
  gpointer to;

  if (rank < 2)
    return ph_kernel_fail (kernel, error, "the input has rank %u, must be batch, channels and spatial dimensions", rank);
  for (guint i = 0; i < rank; i++)
    dims[i] = i < 2 ? ph_tensor_dims (x)[i] : 1;
  to = ph_kernel_output (kernel, 0, dtype, rank, dims, error);
  if (to == NULL)
    return FALSE;
  planes = dims[0] * dims[1];
  count = ph_dims_product (ph_tensor_dims (x), 2, rank);
  from = planes * count > 0 ? ph_tensor_data (x) : NULL;
  for (gint64 plane = 0; plane < planes; plane++)
    {
      double sum = kind == POOL_MAX ? -INFINITY : 0;

      for (gint64 i = 0; i < count; i++)
        {
          double value = ph_dtype_load (dtype, from, plane * count + i);

          if (kind == POOL_MAX)
            sum = value > sum || isnan (value) ? value : sum;
          else
            sum += kind == POOL_AVERAGE ? value : pow (fabs (value), p);
        }
      ph_dtype_store (dtype, to, plane, kind == POOL_AVERAGE ? sum / count : kind == POOL_LP ? pow (sum, 1 / p) : sum);
    }
  return TRUE;
}

static gboolean
run_global_max (PhKernel *kernel, GError **error)
{
  return run_global (kernel, POOL_MAX, error);
}

static gboolean
run_global_average (PhKernel *kernel, GError **error)
{
  return run_global (kernel, POOL_AVERAGE, error);
}

static gboolean
run_global_lp (PhKernel *kernel, GError **error)
{
  return run_global (kernel, POOL_LP, error);
}

static gint64
input_flops (const PhNode *node)
{
  const PhValue *x = ph_node_input (node, 0);

  return x != NULL && x->type != NULL ? ph_type_count (x->type) : -1;
}

static gboolean
grad_global_average (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *outputs = ph_grad_size (grad, ph_grad_out (grad, 0)), *per;

  per = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", x->type->dtype)),
                       PH_BUILD (b, Div, ph_grad_size (grad, x), outputs));
  grad->dx[0] = PH_BUILD (b, Expand, PH_BUILD (b, Div, grad->dy[0], per), ph_grad_shape (grad, x));
  return TRUE;
}

/* Equal maxima share the gradient. */
static gboolean
grad_global_max (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *mask, *ties;
  PhValue *is_max = PH_BUILD (b, Equal, x, ph_grad_out (grad, 0));

  mask = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", x->type->dtype)), is_max);
  ties = ph_grad_reduce_to (b, mask, ph_grad_out (grad, 0));
  grad->dx[0] = PH_BUILD (b, Mul, mask, PH_BUILD (b, Div, grad->dy[0], ties));
  return TRUE;
}

static gboolean
grad_global_lp (PhGrad *grad, GError **error)
{
  return is_norm (grad, error) && grad_lp (grad, lp_factor (grad));
}

/* clang-format off */
const PhOp ph_op_GlobalAveragePool = {
  .name = "GlobalAveragePool", .since = 22,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL, .short_name = "Pool",
  .example = { "x[2,2,3,2]", "y = GlobalAveragePool (x)", -1, 1 },
  .doc = "The mean of each channel.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .infer = infer_global, .kernel = run_global_average, .grad_build = grad_global_average, .flops = input_flops,
  .grad_text = "dX = dY / count spread over the image",
};

const PhOp ph_op_GlobalMaxPool = {
  .name = "GlobalMaxPool", .since = 22,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL, .example = { "x[2,2,3,2]", "y = GlobalMaxPool (x)", -1, 1 },
  .doc = "The largest element of each channel.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .infer = infer_global, .kernel = run_global_max, .grad_build = grad_global_max, .flops = input_flops,
  .grad_text = "dX = dY where X is the largest of its channel",
};

const PhOp ph_op_GlobalLpPool = {
  .name = "GlobalLpPool", .since = 22,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL, .example = { "x[1,2,3,2]", "y = GlobalLpPool <p = 2> (x)", 0.3, 2 },
  .doc = "The p-norm of each channel.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "p", PH_ATTR_INT, "2" } },
  .infer = infer_global, .kernel = run_global_lp, .grad_build = grad_global_lp, .flops = input_flops,
  .grad_text = "dX = dY * |X|^(p-1) * sign(X) / Y^(p-1)",
};
/* clang-format on */
