/* conv-more.c: Col2Im and DeformConv.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/sample.h"
#include "core/ops/onnx/window.h"

#include <math.h>

/* ── Col2Im: the columns of a convolution, added back into an image ── */

static gboolean
infer_col2im (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0);
  const PhDim *image, *block;
  PhDim dims[2 + PH_WINDOW_MAX], count = PH_DIM (1);
  int n, n_block;

  if (x == NULL)
    return TRUE;
  n = ph_infer_dims (infer, 1, &image);
  n_block = ph_infer_dims (infer, 2, &block);
  if (x->rank != 3 || n > PH_WINDOW_MAX || (n >= 0 && n_block >= 0 && n != n_block))
    return ph_infer_fail (infer, error,
                          "the input must be N, C * block, L; image_shape and block_shape must have the same length");
  if (n < 0)
    {
      ph_infer_set (infer, 0, ph_type_unranked (x->dtype));
      return TRUE;
    }
  for (int i = 0; i < n_block; i++)
    count = ph_dim_mul (count, block[i]);
  dims[0] = x->dims[0];
  dims[1] = n_block < 0 ? PH_DIM_UNKNOWN : ph_dim_div (x->dims[1], count);
  memcpy (dims + 2, image, n * sizeof (PhDim));
  ph_infer_set_shape (infer, 0, x->dtype, 2 + n, dims);
  return TRUE;
}

/* Adds @n elements of @from to every @step-th of @to. */
static void
add_line (PhDType dtype, gpointer to, gint64 step, gconstpointer from, gint64 n)
{
  float *restrict out = to;
  const float *in = from;

  if (dtype != PH_FLOAT)
    for (gint64 i = 0; i < n; i++)
      ph_dtype_store (dtype, to, i * step, ph_dtype_load (dtype, to, i * step) + ph_dtype_load (dtype, from, i));
  else if (step == 1)
    for (gint64 i = 0; i < n; i++)
      out[i] += in[i];
  else
    for (gint64 i = 0; i < n; i++)
      out[i * step] += in[i];
}

/* Adds one row of the columns to the image @to: the element at @tap of each window. Elements in the padding are dropped. */
static void
add_tap (const PhWindow *w, PhDType dtype, char *to, const char *from, gint64 tap)
{
  const guint last = w->n - 1;
  const gint64 lines = ph_dims_product (w->out, 0, last), step = w->stride[last];
  const gsize size = ph_dtype_size (dtype);
  gint64 shift[PH_WINDOW_MAX], first, end;

  for (guint d = w->n; d-- > 0; tap /= w->kernel[d])
    shift[d] = tap % w->kernel[d] * w->dilation[d] - w->begin[d];
  first = shift[last] < 0 ? (step - 1 - shift[last]) / step : 0;
  end = shift[last] < w->in[last] ? MIN ((w->in[last] - 1 - shift[last]) / step + 1, w->out[last]) : 0;
  for (gint64 line = 0; line < lines; line++)
    {
      gint64 at = first * step + shift[last], place = line, scale = w->in[last];
      gboolean inside = first < end;

      for (guint d = last; d-- > 0; place /= w->out[d], scale *= w->in[d])
        {
          const gint64 i = place % w->out[d] * w->stride[d] + shift[d];

          inside = inside && i >= 0 && i < w->in[d];
          at += i * scale;
        }
      if (inside)
        add_line (dtype, to + at * size, step, from + (line * w->out[last] + first) * size, end - first);
    }
}

static gboolean
run_col2im (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x);
  gsize n, n_block, size = ph_dtype_size (dtype);
  g_autofree gint64 *image = ph_kernel_ints (kernel, 1, &n), *block = ph_kernel_ints (kernel, 2, &n_block);
  gint64 dims[2 + PH_WINDOW_MAX], taps, places, in_count;
  const char *wrong, *from;
  char *to;
  PhWindow w;

  if (ph_tensor_rank (x) != 3 || n != n_block || n > PH_WINDOW_MAX)
    return ph_kernel_fail (kernel, error,
                           "the input must be N, C * block, L; image_shape and block_shape must have the same length");
  wrong = ph_window_init (&w, kernel->node, n, image, block);
  if (wrong != NULL)
    return ph_kernel_fail (kernel, error, "%s", wrong);
  taps = ph_window_kernel_count (&w);
  places = ph_dims_product (w.out, 0, n);
  if (ph_tensor_dims (x)[1] % taps != 0 || ph_tensor_dims (x)[2] != places)
    return ph_kernel_fail (kernel, error,
                           "the input has %" G_GINT64_FORMAT " columns of %" G_GINT64_FORMAT ", there must be %" G_GINT64_FORMAT
                           " of a multiple of %" G_GINT64_FORMAT,
                           ph_tensor_dims (x)[2], ph_tensor_dims (x)[1], places, taps);
  dims[0] = ph_tensor_dims (x)[0];
  dims[1] = ph_tensor_dims (x)[1] / taps;
  memcpy (dims + 2, image, n * sizeof (gint64));
  to = ph_kernel_output (kernel, 0, dtype, 2 + n, dims, error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (x);
  in_count = ph_dims_product (w.in, 0, n);
  for (gint64 c = 0; c < dims[0] * dims[1]; c++, to += in_count * size)
    for (gint64 k = 0; k < taps; k++, from += places * size)
      add_tap (&w, dtype, to, from, k);
  return TRUE;
}

/* Reads the columns back: a convolution whose kernels have a single 1 each, with all channels as a batch. */
static gboolean
grad_col2im (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *image = ph_grad_in (grad, 1), *shape, *eye;
  PhTensor *block = ph_value_constant (ph_grad_in (grad, 2)), *matrix;
  gsize n = block != NULL ? ph_tensor_count (block) : 0;
  gint64 taps = 1, dims[2 + PH_WINDOW_MAX] = { 0, 1 };
  PhAttr *attrs[4] = { NULL };
  guint n_attrs = 0;

  if (block == NULL || n > PH_WINDOW_MAX || x->type == NULL)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its gradient needs a constant block_shape");
  for (gsize i = 0; i < n; i++)
    taps *= dims[2 + i] = ph_tensor_get_int (block, i);
  dims[0] = taps;
  matrix = ph_tensor_new (x->type->dtype, 2 + n, dims);
  if (matrix != NULL)
    for (gint64 i = 0; i < taps; i++)
      ph_dtype_store (x->type->dtype, ph_tensor_writable (matrix), i * taps + i, 1);
  eye = ph_build_tensor (b, matrix);
  for (guint i = 0; i < grad->node->attrs->len && n_attrs < 3; i++)
    attrs[n_attrs++] = ph_attr_ref (g_ptr_array_index (grad->node->attrs, i));
  if (image->type == NULL || image->type->rank != 1) /* one number may come as a scalar */
    image = PH_BUILD (b, Reshape, image, ph_build_ints (b, (gint64[]) { -1 }, 1));
  shape = PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_build_ints (b, (gint64[]) { -1, 1 }, 2), image);
  grad->dx[0] = ph_grad_reshape_like (grad, PH_BUILD_WITH (b, Conv, attrs, PH_BUILD (b, Reshape, grad->dy[0], shape), eye), x);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Col2Im = {
  .name = "Col2Im", .since = 18,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[1,4,9]", "s = Constant <value_ints = [4, 4]> () k = Constant <value_ints = [2, 2]> () y = Col2Im (x, s, k)", -1, 1 },
  .doc = "Adds the columns of a convolution back into an image.",
  .inputs = { { "input", 'T', PH_FLOATS | PH_INTEGERS }, { "image_shape", 0, PH_T (INT64), PH_ARG_SHAPE }, { "block_shape", 0, PH_T (INT64), PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', PH_FLOATS | PH_INTEGERS } },
  .attrs = { { "dilations", PH_ATTR_INTS }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } },
  .infer = infer_col2im, .kernel = run_col2im, .grad_build = grad_col2im, .no_grad = 0x6,
  .grad_text = "dinput = the blocks of dY as columns",
};
/* clang-format on */

/* ── DeformConv ── */

static gboolean
infer_deform_conv (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0), *weight = ph_infer_type (infer, 1);
  gint64 kernel[PH_WINDOW_MAX];

  if (x == NULL)
    return TRUE;
  if (weight == NULL || !weight->has_rank || weight->rank != x->rank || x->rank < 3 || x->rank > 2 + PH_WINDOW_MAX)
    return weight == NULL || !weight->has_rank
           || ph_infer_fail (infer, error, "the weight has rank %u, the input %u", weight->rank, x->rank);
  for (guint i = 0; i < x->rank - 2; i++)
    {
      if (!ph_dim_known (weight->dims[2 + i]))
        return TRUE;
      kernel[i] = weight->dims[2 + i].size;
    }
  return ph_infer_window (infer, x, weight->dims[0], kernel, error);
}

/* Samples a plane at @at by linear interpolation, with zeros outside. */
static double
read_between (const PhWindow *w, const double *plane, const double *at)
{
  double sum = 0;

  for (guint corner = 0; corner < 1u << w->n; corner++)
    {
      double weight = 1;
      gint64 offset = 0;

      for (guint d = 0; d < w->n && weight != 0; d++)
        {
          double low = floor (at[d]), i = low + (corner >> d & 1);

          if (!(i >= 0 && i < w->in[d]))
            weight = 0;
          else
            {
              weight *= corner >> d & 1 ? at[d] - low : 1 - (at[d] - low);
              offset = offset * w->in[d] + (gint64) i;
            }
        }
      if (weight != 0)
        sum += weight * plane[offset];
    }
  return sum;
}

static gboolean
run_deform_conv (PhKernel *kernel, GError **error)
{
  const PhNode *node = kernel->node;
  PhTensor *x = ph_kernel_input (kernel, 0), *weight = ph_kernel_input (kernel, 1), *offset = ph_kernel_input (kernel, 2),
           *bias = ph_kernel_input (kernel, 3), *mask = ph_kernel_input (kernel, 4);
  gint64 groups = ph_node_attr_int (node, "group", 1), o_groups = ph_node_attr_int (node, "offset_group", 1);
  guint rank = ph_tensor_rank (x), n = rank - 2;
  const gint64 *xd = ph_tensor_dims (x), *wd = ph_tensor_dims (weight);
  gint64 dims[2 + PH_WINDOW_MAX], taps, places, in_count, c_group, m_group;
  g_autoptr (PhTensor) wx = NULL, ww = NULL, wo = NULL, result = NULL;
  g_autofree double *column = NULL;
  const double *xs, *ws, *os;
  const char *wrong;
  double *ys;
  PhWindow w;

  if (rank < 3 || rank > 2 + PH_WINDOW_MAX || ph_tensor_rank (weight) != rank)
    return ph_kernel_fail (kernel, error, "input and weight must have the same rank, 3 to %d", 2 + PH_WINDOW_MAX);
  wrong = ph_window_init (&w, node, n, xd + 2, wd + 2);
  if (wrong != NULL)
    return ph_kernel_fail (kernel, error, "%s", wrong);
  taps = ph_window_kernel_count (&w);
  places = ph_dims_product (w.out, 0, n);
  in_count = ph_dims_product (w.in, 0, n);
  if (groups < 1 || o_groups < 1 || xd[1] % groups != 0 || wd[0] % groups != 0 || xd[1] % o_groups != 0 || wd[1] != xd[1] / groups
      || (gint64) ph_tensor_count (offset) != xd[0] * o_groups * taps * n * places
      || (mask != NULL && (gint64) ph_tensor_count (mask) != xd[0] * o_groups * taps * places)
      || (bias != NULL && (gint64) ph_tensor_count (bias) != wd[0]))
    return ph_kernel_fail (kernel, error, "the shapes of input, weight, offset, bias and mask do not fit together");
  wx = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error);
  ww = wx != NULL ? ph_kernel_input_as (kernel, 1, PH_DOUBLE, error) : NULL;
  wo = ww != NULL ? ph_kernel_input_as (kernel, 2, PH_DOUBLE, error) : NULL;
  if (wo == NULL)
    return FALSE;
  dims[0] = xd[0];
  dims[1] = wd[0];
  memcpy (dims + 2, w.out, n * sizeof (gint64));
  result = ph_tensor_new (PH_DOUBLE, rank, dims);
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the output is too large for memory");
  xs = ph_tensor_data (wx);
  ws = ph_tensor_data (ww);
  os = ph_tensor_data (wo);
  ys = ph_tensor_writable (result);
  c_group = xd[1] / groups;
  m_group = wd[0] / groups;
  column = g_new (double, xd[1] * taps + 1);
  for (gint64 b = 0; b < xd[0]; b++)
    for (gint64 p = 0; p < places; p++)
      {
        for (gint64 c = 0; c < xd[1]; c++)
          for (gint64 k = 0; k < taps; k++)
            {
              gint64 row = (b * o_groups + c / (xd[1] / o_groups)) * taps + k, place = p, tap = k;
              double at[PH_WINDOW_MAX];

              for (guint d = n; d-- > 0; place /= w.out[d], tap /= w.kernel[d])
                at[d] = place % w.out[d] * w.stride[d] - w.begin[d] + tap % w.kernel[d] * w.dilation[d]
                        + os[(row * n + d) * places + p];
              column[c * taps + k] = read_between (&w, xs + (b * xd[1] + c) * in_count, at)
                                     * (mask != NULL ? ph_tensor_get (mask, row * places + p) : 1);
            }
        for (gint64 m = 0; m < wd[0]; m++)
          {
            const double *row = ws + m * c_group * taps, *from = column + m / m_group * c_group * taps;
            double sum = bias != NULL ? ph_tensor_get (bias, m) : 0;

            for (gint64 i = 0; i < c_group * taps; i++)
              sum += row[i] * from[i];
            ys[(b * wd[0] + m) * places + p] = sum;
          }
      }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), ph_tensor_dtype (x), error);
}

/* clang-format off */
const PhOp ph_op_DeformConv = {
  .name = "DeformConv", .since = 22,
  .family = PH_FAMILY_LINEAR, .example = { "x[1,2,4,4] w[3,2,2,2] o[1,8,3,3]", "y = DeformConv (x, w, o)", -0.8, 0.8 },
  .doc = "A convolution whose window is bent: each of its positions has an offset of its own.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "offset", 'T', PH_FLOATS },
              { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "mask", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "dilations", PH_ATTR_INTS }, { "group", PH_ATTR_INT, "1" }, { "kernel_shape", PH_ATTR_INTS },
             { "offset_group", PH_ATTR_INT, "1" }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } },
  .infer = infer_deform_conv, .kernel = run_deform_conv, .grad_build = ph_grad_deform_conv,
  .grad_text = "dX = the sampled products of dY and W added back where they were read; dW = dY @ (sampled X)^T; doffset "
               "= dY * W * (slope of X where it is sampled); dB = sum(dY); dmask = dY * W * (sampled X)",
};
/* clang-format on */
