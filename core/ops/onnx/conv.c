/* conv.c: convolution and its transpose.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/linear.h"

#include "core/ops/facts.h"
#include "core/ops/onnx/window.h"

#define BLOCK 128       /* output positions at a time; the columns of one block stay in the cache */
#define ROWS  4         /* output channels at a time                                              */
#define SMALL (1 << 18) /* products that are not worth a second thread                            */

#define REAL        float
#define NAME(name_) name_##_float
#include "core/ops/onnx/conv-loops.inc"
#undef REAL
#undef NAME
#define REAL        double
#define NAME(name_) name_##_double
#include "core/ops/onnx/conv-loops.inc"
#undef REAL
#undef NAME

/* sum[r][j] += weight[r][k] * column[k][j], for ROWS rows. */
static void
product (const float *weight, gint64 n_rows, gint64 length, const float *column, float sum[ROWS][BLOCK])
{
  for (gint64 k = 0; k < length; k++)
    for (gint64 r = 0; r < n_rows; r++)
      {
        float factor = weight[r * length + k];

        for (guint j = 0; j < BLOCK; j++)
          sum[r][j] += factor * column[k * BLOCK + j];
      }
}

static void
convolve_float (const PhWindow *w, gint64 batch, gint64 channels, gint64 features, gint64 groups, const float *x,
                const float *weight, const float *bias, float *y)
{
  gint64 in_count = ph_dims_product (w->in, 0, w->n), out_count = ph_dims_product (w->out, 0, w->n);
  gint64 c_group = channels / groups, m_group = features / groups, length = c_group * ph_window_kernel_count (w);
  g_autofree float *column = g_new (float, length *BLOCK + 1);

  for (gint64 n = 0; n < batch; n++)
    for (gint64 g = 0; g < groups; g++)
      for (gint64 from = 0; from < out_count; from += BLOCK)
        {
          gint64 width = MIN (BLOCK, out_count - from);

          columns_float (w, x + (n * channels + g * c_group) * in_count, c_group, from, column);
          for (gint64 m = g * m_group; m < (g + 1) * m_group; m += ROWS)
            {
              gint64 rows = MIN (ROWS, (g + 1) * m_group - m);
              float sum[ROWS][BLOCK];

              for (gint64 r = 0; r < rows; r++)
                for (guint j = 0; j < BLOCK; j++)
                  sum[r][j] = bias != NULL ? bias[m + r] : 0;
              product (weight + m * length, rows, length, column, sum);
              for (gint64 r = 0; r < rows; r++)
                memcpy (y + (n * features + m + r) * out_count + from, sum[r], width * sizeof (float));
            }
        }
}

/* Adds the convolution of one channel: y[o] += sum over k of weight[k] x[o * stride + k * dilation - begin], as in depthwise layers. */
static void
convolve_plane (const PhWindow *w, const double *x, const double *weight, double *y)
{
  const guint last = w->n - 1;
  const gint64 rows = ph_dims_product (w->out, 0, last), taps = ph_window_kernel_count (w), stride = w->stride[last];

  for (gint64 row = 0; row < rows; row++, y += w->out[last])
    for (gint64 k = 0; k < taps; k++)
      {
        const gint64 shift = k % w->kernel[last] * w->dilation[last] - w->begin[last], over = w->in[last] - shift;
        const gint64 end = over <= 0 ? 0 : MIN (w->out[last], (over + stride - 1) / stride);
        const double *seen = x;
        gint64 at = row, tap = k / w->kernel[last], scale = w->in[last];

        for (guint d = last; d-- > 0 && seen != NULL; at /= w->out[d], tap /= w->kernel[d], scale *= w->in[d])
          {
            const gint64 i = at % w->out[d] * w->stride[d] + tap % w->kernel[d] * w->dilation[d] - w->begin[d];

            seen = i >= 0 && i < w->in[d] ? seen + i * scale : NULL;
          }
        if (seen == NULL)
          continue;
        for (gint64 j = shift < 0 ? (-shift + stride - 1) / stride : 0; j < end; j++)
          y[j] += weight[k] * seen[j * stride + shift];
      }
}

static void
convolve_double (const PhWindow *w, gint64 batch, gint64 channels, gint64 features, gint64 groups, const double *x,
                 const double *weight, const double *bias, double *y)
{
  const gint64 in_count = ph_dims_product (w->in, 0, w->n), out_count = ph_dims_product (w->out, 0, w->n);
  const gint64 c_group = channels / groups, m_group = features / groups, length = c_group * ph_window_kernel_count (w);
  const gint64 blocks = (out_count + BLOCK - 1) / BLOCK, parts = batch * groups * blocks;

  for (gint64 row = 0; row < batch * features; row++)
    for (gint64 i = 0; i < out_count; i++)
      y[row * out_count + i] = bias != NULL ? bias[row % features] : 0;
  if (length == 0)
    return;
  if (c_group == 1 && m_group == 1)
    {
#pragma omp parallel for if (batch * features * out_count > SMALL)
      for (gint64 plane = 0; plane < batch * features; plane++)
        convolve_plane (w, x + plane * in_count, weight + plane % features * length, y + plane * out_count);
      return;
    }
#pragma omp parallel for schedule(dynamic) if (parts > 1 && batch * features * out_count > SMALL / length)
  for (gint64 part = 0; part < parts; part++)
    {
      const gint64 n = part / blocks / groups, g = part / blocks % groups, from = part % blocks * BLOCK;
      g_autofree double *column = g_new (double, length *BLOCK + 1);

      columns_double (w, x + (n * channels + g * c_group) * in_count, c_group, from, column);
      ph_gemm_f64_add (m_group, MIN (BLOCK, out_count - from), length, weight + g * m_group * length, length, column, BLOCK,
                       y + (n * features + g * m_group) * out_count + from, out_count);
    }
}

/* Rows of a product at a time: weights of a few output channels, whose sums are then spread over these. */
#define SPREAD_ROWS 64

/* The products of all input channels with a kernel position come first, as a product of matrices, and are spread once. */
static void
transpose_by_products (const PhWindow *w, gint64 batch, gint64 channels, gint64 features, gint64 groups, const double *x,
                       const double *weight, const double *bias, double *y)
{
  const gint64 in_count = ph_dims_product (w->in, 0, w->n), out_count = ph_dims_product (w->out, 0, w->n);
  const gint64 c_group = channels / groups, m_group = features / groups, taps = ph_window_kernel_count (w);
  const gint64 some = MIN (MAX (SPREAD_ROWS / taps, 1), m_group), blocks = (m_group + some - 1) / some;
  g_autofree double *turned = g_new (double, channels *m_group *taps + 1); /* [features, taps, channels of a group] */

  for (gint64 c = 0; c < channels; c++)
    for (gint64 r = 0; r < m_group * taps; r++)
      turned[(c / c_group * m_group * taps + r) * c_group + c % c_group] = weight[c * m_group * taps + r];
#pragma omp parallel for schedule(dynamic) if (batch * features * in_count > SMALL / (taps * c_group))
  for (gint64 part = 0; part < batch * groups * blocks; part++)
    {
      const gint64 n = part / blocks / groups, g = part / blocks % groups, from = part % blocks * some;
      const gint64 count = MIN (some, m_group - from);
      g_autofree double *sums = g_new0 (double, count *taps *in_count + 1);

      ph_gemm_f64_add (count * taps, in_count, c_group, turned + (g * m_group + from) * taps * c_group, c_group,
                       x + (n * channels + g * c_group) * in_count, in_count, sums, in_count);
      for (gint64 m = 0; m < count; m++)
        {
          const gint64 feature = g * m_group + from + m;
          double *plane = y + (n * features + feature) * out_count;

          for (gint64 i = 0; i < out_count; i++)
            plane[i] = bias != NULL ? bias[feature] : 0;
          for (gint64 k = 0; k < taps; k++)
            spread_at_double (w, k, 1, sums + (m * taps + k) * in_count, plane);
        }
    }
}

static gboolean
is_transposed (const PhNode *node)
{
  return ph_node_is (node, &ph_op_ConvTranspose);
}

/* Finds the window's spatial size, from the weight's shape, else from the attribute. Returns FALSE if it is unknown. */
static gboolean
kernel_size (const PhNode *node, const PhType *weight, guint n, gint64 *kernel)
{
  gsize given;
  const gint64 *shape = ph_node_attr_ints (node, "kernel_shape", &given);

  for (guint i = 0; i < n; i++)
    if (weight != NULL && weight->has_rank && weight->rank == n + 2 && ph_dim_known (weight->dims[2 + i]))
      kernel[i] = weight->dims[2 + i].size;
    else if (shape != NULL && given == n)
      kernel[i] = shape[i];
    else
      return FALSE;
  return TRUE;
}

static gboolean
infer_conv (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *x = ph_infer_ranked (infer, 0), *weight = ph_infer_type (infer, 1);
  gint64 groups = ph_node_attr_int (node, "group", 1), kernel[PH_WINDOW_MAX];
  PhDim channels = PH_DIM_UNKNOWN, dims[2 + PH_WINDOW_MAX];
  gboolean transposed = is_transposed (node);

  if (groups < 1)
    return ph_infer_fail (infer, error, "group is %" G_GINT64_FORMAT, groups);
  /* The weights have the same rank as the input. */
  if (x == NULL && weight != NULL && weight->has_rank && weight->rank >= 3 && weight->rank <= 2 + PH_WINDOW_MAX)
    {
      for (guint i = 0; i < weight->rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      dims[1] = transposed ? ph_dim_mul (weight->dims[1], PH_DIM (groups)) : weight->dims[0];
      ph_infer_set_shape (infer, 0, weight->dtype, weight->rank, dims);
    }
  if (x == NULL)
    return TRUE;
  if (x->rank < 3 || x->rank > 2 + PH_WINDOW_MAX)
    return ph_infer_fail (infer, error, "the input has rank %u, must be batch, channels and 1 to 8 spatial dimensions", x->rank);
  if (weight != NULL && weight->has_rank)
    {
      PhDim have = x->dims[1], want;

      if (weight->rank != x->rank)
        return ph_infer_fail (infer, error, "the weight has rank %u, the input %u; they must be the same", weight->rank, x->rank);
      channels = transposed ? ph_dim_mul (weight->dims[1], PH_DIM (groups)) : weight->dims[0];
      want = transposed ? weight->dims[0] : ph_dim_mul (weight->dims[1], PH_DIM (groups));
      if (ph_dim_known (have) && ph_dim_known (want) && have.size != want.size)
        return ph_infer_fail (infer, error, "the input has %" G_GINT64_FORMAT " channels, the weight is for %" G_GINT64_FORMAT,
                              have.size, want.size);
    }
  if (!kernel_size (node, weight, x->rank - 2, kernel))
    {
      dims[0] = x->dims[0];
      dims[1] = channels;
      for (guint i = 2; i < x->rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, x->dtype, x->rank, dims);
      return TRUE;
    }
  return ph_infer_window (infer, x, channels, kernel, error);
}

static gboolean
run_conv (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *weight = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  PhDType dtype = ph_tensor_dtype (x), work = dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  const gint64 *xd = ph_tensor_dims (x), *wd = ph_tensor_dims (weight);
  gint64 groups = ph_node_attr_int (kernel->node, "group", 1), features, dims[2 + PH_WINDOW_MAX];
  gboolean transposed = is_transposed (kernel->node);
  guint rank = ph_tensor_rank (x);
  g_autoptr (PhTensor) wx = NULL, ww = NULL, wb = NULL, result = NULL;
  const char *wrong;
  gpointer y;
  PhWindow w;

  if (rank < 3 || rank > 2 + PH_WINDOW_MAX || ph_tensor_rank (weight) != rank)
    return ph_kernel_fail (kernel, error, "input and weight must have the same rank, 3 to %d", 2 + PH_WINDOW_MAX);
  wrong = transposed ? ph_window_init_transposed (&w, kernel->node, rank - 2, xd + 2, wd + 2)
                     : ph_window_init (&w, kernel->node, rank - 2, xd + 2, wd + 2);
  if (wrong != NULL)
    return ph_kernel_fail (kernel, error, "%s", wrong);
  features = transposed ? wd[1] * groups : wd[0];
  if (groups < 1 || features % groups != 0 || xd[1] % groups != 0 || xd[1] != (transposed ? wd[0] : wd[1] * groups)
      || (bias != NULL && (gint64) ph_tensor_count (bias) != features))
    return ph_kernel_fail (kernel, error,
                           "%" G_GINT64_FORMAT " input channels, the weight's shape, the bias and %" G_GINT64_FORMAT
                           " groups do not fit together",
                           xd[1], groups);
  wx = ph_kernel_input_as (kernel, 0, work, error);
  ww = wx != NULL ? ph_kernel_input_as (kernel, 1, work, error) : NULL;
  wb = ww != NULL && bias != NULL ? ph_kernel_input_as (kernel, 2, work, error) : NULL;
  if (ww == NULL || (bias != NULL && wb == NULL))
    return FALSE;
  dims[0] = xd[0];
  dims[1] = features;
  memcpy (dims + 2, w.out, w.n * sizeof (gint64));
  result = ph_tensor_new (work, rank, dims);
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the output is too large for memory");
  y = ph_tensor_writable (result);
  if (ph_tensor_count (result) > 0)
    {
      gconstpointer xs = ph_tensor_data (wx), ws = ph_tensor_data (ww), bs = wb != NULL ? ph_tensor_data (wb) : NULL;

      if (work == PH_DOUBLE)
        (!transposed      ? convolve_double
         : xd[1] > groups ? transpose_by_products
                          : convolve_transposed_double) (&w, xd[0], xd[1], features, groups, xs, ws, bs, y);
      else
        (transposed ? convolve_transposed_float : convolve_float) (&w, xd[0], xd[1], features, groups, xs, ws, bs, y);
    }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

static gint64
conv_flops (const PhNode *node)
{
  const PhValue *x = ph_node_input (node, 0), *weight = ph_node_input (node, 1), *y = ph_node_output (node, 0);
  gint64 weights, places, channels;

  if (x == NULL || x->type == NULL || weight == NULL || weight->type == NULL || y->type == NULL || !weight->type->has_rank
      || weight->type->rank < 2)
    return -1;
  weights = ph_type_count (weight->type);
  places = ph_type_count (is_transposed (node) ? x->type : y->type);
  channels = weight->type->dims[0].size;
  return weights < 0 || places < 0 || channels <= 0 ? -1 : 2 * places * (weights / channels);
}

/* ── gradients ── With y = Conv (x, w): dx = ConvTranspose (dy, w), with output_padding for the elements that the strides skipped; dw =
 * Conv of x with dy as its kernel, with batch and channels exchanged, and strides and dilations exchanged. */

typedef struct
{
  PhWindow w;
  gint64 groups;
  gboolean known; /* the spatial sizes are */
} Geometry;

static gboolean
geometry_of (PhGrad *grad, Geometry *g, GError **error)
{
  const PhNode *node = grad->node;
  const PhType *x = ph_node_input (node, 0)->type, *weight = ph_node_input (node, 1)->type;
  gint64 in[PH_WINDOW_MAX], kernel[PH_WINDOW_MAX];
  const gboolean ranked = x != NULL && x->has_rank;
  const guint rank = ranked ? x->rank : weight != NULL && weight->has_rank ? weight->rank : 0; /* both have the same */
  gboolean automatic = !g_str_equal (ph_node_attr_string (node, "auto_pad", "NOTSET"), "NOTSET")
                       || ph_node_attr (node, "output_shape") != NULL;

  g->groups = ph_node_attr_int (node, "group", 1);
  g->known = TRUE;
  if (rank > 2 && rank <= 2 + PH_WINDOW_MAX && kernel_size (node, weight, rank - 2, kernel))
    {
      for (guint i = 0; i < rank - 2; i++)
        {
          const PhDim dim = ranked ? x->dims[2 + i] : PH_DIM_UNKNOWN;

          g->known = g->known && ph_dim_known (dim);
          in[i] = ph_dim_known (dim) ? dim.size : G_MAXINT32;
        }
      if ((g->known || !automatic)
          && (is_transposed (node) ? ph_window_init_transposed : ph_window_init) (&g->w, node, rank - 2, in, kernel) == NULL)
        return TRUE;
    }

  return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                       "its gradient needs the rank of the input and the size of the kernel%s; fix the input's shape first",
                       automatic ? ", and with auto_pad or output_shape all sizes" : "");
}

/* Slices the spatial axes of @value to the size of @like. */
static PhValue *
cut_like (PhGrad *grad, PhValue *value, PhValue *like, guint n)
{
  PhBuilder *b = grad->b;
  gint64 axes[PH_WINDOW_MAX], zeros[PH_WINDOW_MAX] = { 0 };
  PhValue *where;

  for (guint i = 0; i < n; i++)
    axes[i] = 2 + i;
  where = ph_build_ints (b, axes, n);
  return PH_BUILD (b, Slice, value, ph_build_ints (b, zeros, n), PH_BUILD (b, Gather, ph_grad_shape (grad, like), where), where);
}

static PhAttr **
conv_attrs (const Geometry *g, const gint64 *strides, const gint64 *dilations, const gint64 *begin, const gint64 *end,
            const gint64 *output_padding, PhAttr **attrs)
{
  gint64 pads[2 * PH_WINDOW_MAX];
  guint n = 0;

  memcpy (pads, begin, g->w.n * sizeof (gint64));
  memcpy (pads + g->w.n, end, g->w.n * sizeof (gint64));
  attrs[n++] = ph_attr_new_ints ("strides", strides, g->w.n);
  attrs[n++] = ph_attr_new_ints ("dilations", dilations, g->w.n);
  attrs[n++] = ph_attr_new_ints ("pads", pads, 2 * g->w.n);
  attrs[n++] = ph_attr_new_int ("group", g->groups);
  if (output_padding != NULL)
    attrs[n++] = ph_attr_new_ints ("output_padding", output_padding, g->w.n);
  attrs[n] = NULL;
  return attrs;
}

/* Removes elements that no window reads. Windows of one element read every stride-th element only. Otherwise the last positions are cut off
 * if the sizes are known, so that the convolution gives exactly the kernel's size. @big_size and @n_windows: of each axis. Sets pads,
 * stride and whether the result must still be cut. */
static PhValue *
trim_big (PhBuilder *b, const Geometry *g, PhValue *big, const gint64 *big_size, const gint64 *n_windows, gint64 *stride,
          gint64 *end, gboolean *longer)
{
  gint64 axes[PH_WINDOW_MAX], zeros[PH_WINDOW_MAX] = { 0 }, stops[PH_WINDOW_MAX], steps[PH_WINDOW_MAX];
  gboolean sparse = TRUE, slice = FALSE;

  for (guint i = 0; i < g->w.n; i++)
    sparse = sparse && g->known && g->w.kernel[i] == 1 && g->w.begin[i] == 0 && g->w.end[i] <= 0;
  for (guint i = 0; i < g->w.n; i++)
    {
      gint64 reach = (n_windows[i] - 1) * g->w.stride[i] + (g->w.kernel[i] - 1) * g->w.dilation[i] + 1;

      stride[i] = g->w.stride[i];
      end[i] = g->w.end[i];
      axes[i] = 2 + i;
      steps[i] = 1;
      stops[i] = G_MAXINT64;
      if (!g->known)
        {
          *longer = *longer || stride[i] > 1;
          continue;
        }
      end[i] = reach - big_size[i] - g->w.begin[i];
      if (end[i] < 0)
        {
          stops[i] = big_size[i] + end[i];
          end[i] = 0;
          slice = TRUE;
        }
      if (sparse && stride[i] > 1)
        {
          steps[i] = stride[i];
          stride[i] = 1;
          slice = TRUE;
        }
    }
  return !slice ? big
                : PH_BUILD (b, Slice, big, ph_build_ints (b, zeros, g->w.n), ph_build_ints (b, stops, g->w.n),
                            ph_build_ints (b, axes, g->w.n), ph_build_ints (b, steps, g->w.n));
}

/* dw[m, c, k] = sum over n, o of big[n, c, o * stride + k * dilation - pad] * small[n, m, o] */
static PhValue *
weight_gradient (PhGrad *grad, const Geometry *g, PhValue *big, PhValue *small, gint64 channels_per_group)
{
  PhBuilder *b = grad->b;
  guint n = g->w.n;
  const gboolean transposed = is_transposed (grad->node);
  gint64 swap[2 + PH_WINDOW_MAX] = { 1, 0 }, stride[PH_WINDOW_MAX], end[PH_WINDOW_MAX];
  gboolean longer = FALSE;
  PhAttr *attrs[8];
  PhValue *dw;

  for (guint i = 0; i < n; i++)
    swap[2 + i] = 2 + i;
  big = trim_big (b, g, big, transposed ? g->w.out : g->w.in, transposed ? g->w.in : g->w.out, stride, end, &longer);
  if (g->groups == 1)
    big = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, n + 2)), big);
  else
    {
      /* (N, G * C, S...) -> (C, G * N, S...) */
      PhValue *space = PH_BUILD (b, Slice, ph_grad_shape (grad, big), ph_build_ints (b, (gint64[]) { 2 }, 1),
                                 ph_build_ints (b, (gint64[]) { G_MAXINT64 }, 1));
      PhValue *shape = PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                                      ph_build_ints (b, (gint64[]) { channels_per_group, -1 }, 2), space);

      big = PH_BUILD (b, Reshape, big, ph_build_ints (b, (gint64[]) { 0, g->groups, channels_per_group, -1 }, 4));
      big = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 2, 1, 0, 3 }, 4)), big);
      big = PH_BUILD (b, Reshape, big, shape);
    }
  small = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, n + 2)), small);
  dw = PH_BUILD_WITH (b, Conv, conv_attrs (g, g->w.dilation, stride, g->w.begin, end, NULL, attrs), big, small);
  if (longer)
    {
      gint64 axes[PH_WINDOW_MAX], zeros[PH_WINDOW_MAX] = { 0 };

      for (guint i = 0; i < n; i++)
        axes[i] = 2 + i;
      dw = PH_BUILD (b, Slice, dw, ph_build_ints (b, zeros, n), ph_build_ints (b, g->w.kernel, n), ph_build_ints (b, axes, n));
    }
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, n + 2)), dw);
}

static PhValue *
bias_gradient (PhGrad *grad, guint n)
{
  gint64 axes[1 + PH_WINDOW_MAX] = { 0 };

  for (guint i = 0; i < n; i++)
    axes[1 + i] = 2 + i;
  return PH_BUILD_WITH (grad->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), grad->dy[0],
                        ph_build_ints (grad->b, axes, n + 1));
}

static gboolean
grad_conv (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *weight = ph_grad_in (grad, 1), *dy = grad->dy[0];
  gint64 padding[PH_WINDOW_MAX], end[PH_WINDOW_MAX];
  PhAttr *attrs[8];
  Geometry g;

  if (!geometry_of (grad, &g, error))
    return FALSE;
  if (grad->wanted[0])
    {
      gboolean cut = FALSE;

      for (guint i = 0; i < g.w.n; i++)
        {
          gint64 extent = (g.w.kernel[i] - 1) * g.w.dilation[i] + 1;

          end[i] = g.w.end[i];
          padding[i] = g.known ? g.w.in[i] + g.w.begin[i] + end[i] - (g.w.out[i] - 1) * g.w.stride[i] - extent
                               : g.w.stride[i] - 1;
          cut = cut || (!g.known && g.w.stride[i] > 1);
        }
      grad->dx[0] = PH_BUILD_WITH (b, ConvTranspose, conv_attrs (&g, g.w.stride, g.w.dilation, g.w.begin, end, padding, attrs),
                                   dy, weight);
      if (cut)
        grad->dx[0] = cut_like (grad, grad->dx[0], x, g.w.n);
    }
  grad->zero[1] = ph_value_is_empty (x); /* all that was computed was padding */
  if (grad->wanted[1] && !grad->zero[1])
    grad->dx[1] = weight_gradient (grad, &g, x, dy, ph_value_dim (weight, 1));
  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    grad->dx[2] = bias_gradient (grad, g.w.n);
  return TRUE;
}

static gboolean
grad_conv_transpose (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *weight = ph_grad_in (grad, 1), *dy = grad->dy[0];
  PhAttr *attrs[8];
  Geometry g;

  if (!geometry_of (grad, &g, error))
    return FALSE;
  if (grad->wanted[0])
    {
      gboolean cut = FALSE;

      for (guint i = 0; i < g.w.n; i++)
        cut = cut || g.w.output_padding[i] >= g.w.stride[i];
      grad->dx[0] = PH_BUILD_WITH (b, Conv, conv_attrs (&g, g.w.stride, g.w.dilation, g.w.begin, g.w.end, NULL, attrs), dy,
                                   weight);
      if (cut)
        grad->dx[0] = cut_like (grad, grad->dx[0], x, g.w.n);
    }
  grad->zero[1] = ph_value_is_empty (x);
  if (grad->wanted[1] && !grad->zero[1])
    {
      grad->dx[1] = weight_gradient (grad, &g, dy, x, ph_value_dim (weight, 1));
      for (guint i = 0; i < g.w.n; i++)
        if (!g.known && g.w.output_padding[i] > 0 && g.w.stride[i] == 1)
          {
            /* Because of the output padding dy extends beyond the kernel. */
            grad->dx[1] = cut_like (grad, grad->dx[1], weight, g.w.n);
            break;
          }
    }
  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    grad->dx[2] = bias_gradient (grad, g.w.n);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Conv = {
  .name = "Conv", .since = 22,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .example = { "x[1,2,5,4] w[3,2,3,2] b[3]", "y = Conv <pads = [1, 0, 1, 1], strides = [2, 1]> (x, w, b)", -1, 1 },
  .doc = "Slides a window over the input; each output is the weighted sum of what the window sees.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { PH_AUTO_PAD, { "dilations", PH_ATTR_INTS }, { "group", PH_ATTR_INT, "1" },
             { "kernel_shape", PH_ATTR_INTS }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } },
  .infer = infer_conv, .kernel = run_conv, .grad_build = grad_conv, .flops = conv_flops,
  .grad_text = "dX = ConvTranspose(dY, W); dW = Conv(X, dY), strides and dilations exchanged; dB = sum(dY)",
};

const PhOp ph_op_ConvTranspose = {
  .name = "ConvTranspose", .since = 22,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV, .short_name = "ConvT",
  .example = { "x[1,4,3] w[4,1,2]", "y = ConvTranspose <group = 2, dilations = [2]> (x, w)", -1, 1 },
  .doc = "The transpose of a convolution: each input is spread over the window, weighted, and what overlaps is added.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { PH_AUTO_PAD, { "dilations", PH_ATTR_INTS }, { "group", PH_ATTR_INT, "1" },
             { "kernel_shape", PH_ATTR_INTS }, { "output_padding", PH_ATTR_INTS }, { "output_shape", PH_ATTR_INTS },
             { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } },
  .infer = infer_conv, .kernel = run_conv, .grad_build = grad_conv_transpose, .flops = conv_flops,
  .grad_text = "dX = Conv(dY, W); dW = Conv(dY, X), strides and dilations exchanged; dB = sum(dY)",
};
/* clang-format on */
