/* convert-linear.c: products and convolutions of StableHLO, HLO and jaxpr in ONNX's operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

/* Returns the element type in which ONNX multiplies matrices of @dtype: floats of 8 bits and less as floats. */
static PhDType
product_type (PhDType dtype)
{
  if (ph_dtype_is_float (dtype))
    return ph_dtype_size (dtype) == 1 ? PH_FLOAT : dtype;
  return dtype == PH_INT32 || dtype == PH_INT64 || dtype == PH_UINT32 || dtype == PH_UINT64 ? dtype : PH_INT32;
}

typedef struct
{
  gint64 axes[PH_MAX_RANK], dims[PH_MAX_RANK];
  guint n;
  gint64 count;
} Group;

static Group
group_of (const gint64 *axes, gsize n, const gint64 *dims)
{
  Group group = { .count = 1 };

  for (gsize i = 0; i < n; i++)
    {
      group.axes[group.n] = axes[i];
      group.dims[group.n++] = dims[axes[i]];
      group.count *= dims[axes[i]];
    }
  return group;
}

static Group
free_axes (const gint64 *batch, gsize n_batch, const gint64 *contracting, gsize n_contracting, const gint64 *dims, guint rank)
{
  gint64 axes[PH_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    if (!ph_convert_has_axis (batch, n_batch, i) && !ph_convert_has_axis (contracting, n_contracting, i))
      axes[n++] = i;
  return group_of (axes, n, dims);
}

/* Returns @value with its axes in the order of the three groups, as a matrix for each element of the first. */
static PhValue *
as_matrices (PhConvert *l, PhValue *value, const Group *batch, const Group *rows, const Group *columns)
{
  gint64 perm[PH_MAX_RANK], dims[PH_MAX_RANK];
  guint n = 0, k = 0;

  for (guint i = 0; i < batch->n; i++)
    perm[n++] = batch->axes[i];
  for (guint i = 0; i < rows->n; i++)
    perm[n++] = rows->axes[i];
  for (guint i = 0; i < columns->n; i++)
    perm[n++] = columns->axes[i];
  value = ph_convert_transpose (l, value, perm, n);
  for (guint i = 0; i < batch->n; i++)
    dims[k++] = batch->dims[i];
  dims[k++] = rows->count;
  dims[k++] = columns->count;
  return ph_convert_reshape (l, value, dims, k);
}

static gboolean
has_open_sizes (const PhValue *value)
{
  for (guint i = 0; i < ph_convert_rank (value); i++)
    if (ph_value_dim (value, (int) i) < 0)
      return TRUE;
  return FALSE;
}

/* Builds the product as an Einsum, which needs no sizes: a letter for each dimension, the same one for those that go together. */
static PhValue *
product_by_letters (PhConvert *l, const gint64 *lb, const gint64 *rb, gsize n_batch, const gint64 *lc, const gint64 *rc,
                    gsize n_contracting, PhDType work)
{
  const guint left_rank = ph_convert_rank (l->in[0]), right_rank = ph_convert_rank (l->in[1]);
  char left[PH_MAX_RANK + 1] = "", right[PH_MAX_RANK + 1] = "";
  g_autoptr (GString) result = g_string_new (NULL);
  g_autofree char *equation = NULL;
  char next = 'a';

  for (guint i = 0; i < left_rank; i++)
    left[i] = next++;
  for (gsize i = 0; i < n_batch; i++)
    right[rb[i]] = left[lb[i]];
  for (gsize i = 0; i < n_contracting; i++)
    right[rc[i]] = left[lc[i]];
  for (gsize i = 0; i < n_batch; i++)
    g_string_append_c (result, left[lb[i]]);
  for (guint i = 0; i < left_rank; i++)
    if (!ph_convert_has_axis (lb, n_batch, i) && !ph_convert_has_axis (lc, n_contracting, i))
      g_string_append_c (result, left[i]);
  for (guint i = 0; i < right_rank; i++)
    if (right[i] == '\0')
      g_string_append_c (result, right[i] = next++);
  equation = g_strdup_printf ("%s,%s->%s", left, right, result->str);
  return PH_BUILD_WITH (l->b, Einsum, PH_ATTRS (ph_attr_new_string ("equation", equation)), ph_convert_cast (l, l->in[0], work),
                        ph_convert_cast (l, l->in[1], work));
}

gboolean
ph_convert_product (PhConvert *l, const gint64 *lb, const gint64 *rb, gsize n_batch, const gint64 *lc, const gint64 *rc,
                    gsize n_contracting, PhValue **out)
{
  gint64 left_dims[PH_MAX_RANK], right_dims[PH_MAX_RANK], dims[PH_MAX_RANK];
  const guint left_rank = ph_convert_rank (l->in[0]), right_rank = ph_convert_rank (l->in[1]);
  const PhType *type = ph_convert_type (l, 0);
  PhDType result = type != NULL ? type->dtype : ph_convert_dtype (l->in[0]), work = product_type (result);
  PhValue *a, *b;
  Group batch, left, right, left_in, right_in, right_batch;
  guint n = 0;

  if (result == PH_COMPLEX64 || result == PH_COMPLEX128)
    return ph_convert_stay (l, "ONNX has no product of complex matrices");
  if (!ph_convert_are_axes (lb, n_batch, lc, n_contracting, left_rank)
      || !ph_convert_are_axes (rb, n_batch, rc, n_contracting, right_rank))
    return ph_convert_stay (l, "one of its dimensions is outside its operand, or there twice");
  if (n_batch + 2 > PH_MAX_RANK || left_rank + right_rank > PH_MAX_RANK)
    return ph_convert_stay (l, "it has too many dimensions");
  if (has_open_sizes (l->in[0]) || has_open_sizes (l->in[1]))
    {
      if (left_rank + right_rank > 26) /* letters */
        return ph_convert_stay (l, "it has too many dimensions");
      *out = ph_convert_cast (l, product_by_letters (l, lb, rb, n_batch, lc, rc, n_contracting, work), result);
      return *out != NULL;
    }
  if (!ph_convert_dims (l, l->in[0], left_dims) || !ph_convert_dims (l, l->in[1], right_dims))
    return FALSE;
  a = ph_convert_cast (l, l->in[0], work);
  b = ph_convert_cast (l, l->in[1], work);
  batch = group_of (lb, n_batch, left_dims);
  right_batch = group_of (rb, n_batch, right_dims);
  left_in = group_of (lc, n_contracting, left_dims);
  right_in = group_of (rc, n_contracting, right_dims);
  left = free_axes (lb, n_batch, lc, n_contracting, left_dims, left_rank);
  right = free_axes (rb, n_batch, rc, n_contracting, right_dims, right_rank);
  for (guint i = 0; i < batch.n; i++)
    dims[n++] = batch.dims[i];
  for (guint i = 0; i < left.n; i++)
    dims[n++] = left.dims[i];
  for (guint i = 0; i < right.n; i++)
    dims[n++] = right.dims[i];
  *out = PH_BUILD (l->b, MatMul, as_matrices (l, a, &batch, &left, &left_in),
                   as_matrices (l, b, &right_batch, &right_in, &right));
  *out = ph_convert_cast (l, ph_convert_reshape (l, *out, dims, n), result);
  return TRUE;
}

static gboolean
dot_general (PhConvert *l, PhValue **out)
{
  gsize n_lb, n_rb, n_lc, n_rc;
  const gint64 *lb = ph_convert_ints (l, "lhs_batching_dimensions", &n_lb),
               *rb = ph_convert_ints (l, "rhs_batching_dimensions", &n_rb);
  const gint64 *lc = ph_convert_ints (l, "lhs_contracting_dimensions", &n_lc),
               *rc = ph_convert_ints (l, "rhs_contracting_dimensions", &n_rc);

  if (n_lb != n_rb || n_lc != n_rc)
    return ph_convert_stay (l, "its contracting dimensions do not pair up");
  return ph_convert_product (l, lb, rb, n_lb, lc, rc, n_lc, out);
}

static gboolean
dot (PhConvert *l, PhValue **out)
{
  gsize n;
  const gint64 left = (gint64) ph_convert_rank (l->in[0]) - 1, right = 0;

  if (ph_convert_ints (l, "lhs_contracting_dimensions", &n) != NULL)
    return dot_general (l, out);
  return ph_convert_product (l, NULL, NULL, 0, &left, &right, 1, out);
}

/* ── convolution ── */

typedef struct
{
  gint64 perm[PH_MAX_RANK], spatial[PH_MAX_RANK];
  guint n;
} Order;

/* Computes the permutation that moves the two named dimensions and then the spatial ones to the front. */
static gboolean
order_of (PhConvert *l, const char *first, const char *second, const char *spatial, guint rank, Order *order)
{
  gsize n;
  const gint64 *axes = ph_convert_ints (l, spatial, &n);

  if (n + 2 != rank)
    return FALSE;
  order->n = (guint) n;
  order->perm[0] = ph_convert_int (l, first, -1);
  order->perm[1] = ph_convert_int (l, second, -1);
  for (gsize i = 0; i < n; i++)
    order->perm[2 + i] = axes[i];
  return ph_convert_are_axes (order->perm, rank, NULL, 0, rank);
}

static void
fill (PhConvert *l, const char *name, gint64 fallback, guint n, gint64 *values)
{
  gsize have;
  const gint64 *given = ph_convert_ints (l, name, &have);

  for (guint i = 0; i < n; i++)
    values[i] = have == n ? given[i] : fallback;
}

/* The window of a convolution: @n axes, each with a value of these, and two of @padding. */
typedef struct
{
  guint n;
  gint64 strides[PH_MAX_RANK], lhs[PH_MAX_RANK], rhs[PH_MAX_RANK], reversal[PH_MAX_RANK], padding[2 * PH_MAX_RANK];
} Window;

static gboolean
read_window (PhConvert *l, guint n, Window *window)
{
  window->n = n;
  fill (l, "window_strides", 1, n, window->strides);
  fill (l, "lhs_dilation", 1, n, window->lhs);
  fill (l, "rhs_dilation", 1, n, window->rhs);
  fill (l, "window_reversal", 0, n, window->reversal);
  fill (l, "padding", 0, 2 * n, window->padding);
  if (l->n_in > 2)
    {
      PhTensor *tensor = ph_value_constant (l->in[2]);

      if (tensor == NULL || ph_tensor_count (tensor) != 2 * n)
        return ph_convert_stay (l, "its padding is not constant");
      for (guint i = 0; i < 2 * n; i++)
        window->padding[i] = ph_tensor_get_int (tensor, i);
    }
  return TRUE;
}

/* Applies to @x the padding that ONNX's Conv cannot express: negative padding, and dilation of the input. @pads: the rest. */
static PhValue *
pad_input (PhConvert *l, PhValue *x, const Window *window, guint rank, PhDType work, gint64 *pads)
{
  gint64 low[PH_MAX_RANK] = { 0 }, high[PH_MAX_RANK] = { 0 }, interior[PH_MAX_RANK] = { 0 };
  const guint n = window->n;
  gboolean edges = FALSE;

  for (guint i = 0; i < n; i++)
    edges = edges || window->lhs[i] > 1 || window->padding[2 * i] < 0 || window->padding[2 * i + 1] < 0;
  for (guint i = 0; i < n; i++)
    {
      interior[2 + i] = window->lhs[i] - 1;
      *(edges ? &low[2 + i] : &pads[i]) = window->padding[2 * i];
      *(edges ? &high[2 + i] : &pads[n + i]) = window->padding[2 * i + 1];
    }
  return edges ? ph_convert_pad (l, x, ph_convert_number (l, work, 0), low, high, interior, rank) : x;
}

/* Turns groups of the batch into groups of features. @dims: of @x. */
static PhValue *
batches_to_features (PhConvert *l, PhValue *x, gint64 batches, guint rank, gint64 *dims)
{
  gint64 split[PH_MAX_RANK + 1] = { batches, dims[0] / batches }, perm[PH_MAX_RANK + 1] = { 1, 0 };

  for (guint i = 1; i < rank; i++)
    {
      split[1 + i] = dims[i];
      perm[1 + i] = 1 + i;
    }
  x = ph_convert_transpose (l, ph_convert_reshape (l, x, split, rank + 1), perm, rank + 1);
  dims[0] = split[1];
  dims[1] *= batches;
  return ph_convert_reshape (l, x, dims, rank);
}

static PhValue *
build_conv (PhConvert *l, PhValue *x, PhValue *w, const Window *window, const gint64 *pads, gint64 groups)
{
  const guint n = window->n;
  const gint64 two[1] = { 2 };

  if (n > 0)
    return PH_BUILD_WITH (l->b, Conv,
                          PH_ATTRS (ph_attr_new_ints ("strides", window->strides, n),
                                    ph_attr_new_ints ("dilations", window->rhs, n), ph_attr_new_ints ("pads", pads, 2 * n),
                                    ph_attr_new_int ("group", groups)),
                          x, w);
  x = PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, two, 1));
  w = PH_BUILD (l->b, Unsqueeze, w, ph_convert_ints_value (l, two, 1));
  return PH_BUILD (l->b, Squeeze, PH_BUILD_WITH (l->b, Conv, PH_ATTRS (ph_attr_new_int ("group", groups)), x, w),
                   ph_convert_ints_value (l, two, 1));
}

static gboolean
convolution (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  gint64 pads[2 * PH_MAX_RANK] = { 0 }, dims[PH_MAX_RANK], kernel_dims[PH_MAX_RANK], axes[PH_MAX_RANK], back[PH_MAX_RANK];
  const gint64 features = ph_convert_int (l, "feature_group_count", 1), batches = ph_convert_int (l, "batch_group_count", 1);
  const PhType *type = ph_convert_type (l, 0);
  Order input, kernel, output;
  Window window;
  guint m = 0;
  PhValue *x, *w;
  PhDType work;

  if (type == NULL || rank < 2 || rank + 1 > PH_MAX_RANK || !ph_convert_dims (l, l->in[1], kernel_dims)
      || (batches > 1 && !ph_convert_dims (l, l->in[0], dims))
      || !order_of (l, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", rank, &input)
      || !order_of (l, "kernel_output_feature_dimension", "kernel_input_feature_dimension", "kernel_spatial_dimensions", rank,
                    &kernel)
      || !order_of (l, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions", rank, &output))
    return ph_convert_stay (l, "its dimension numbers do not fit its operands");
  work = ph_convert_dtype (l->in[0]);
  if (work == PH_COMPLEX64 || work == PH_COMPLEX128)
    return ph_convert_stay (l, "ONNX has no convolution of complex numbers");
  if (!read_window (l, input.n, &window))
    return FALSE;
  work = ph_dtype_is_float (work) ? product_type (work) : PH_DOUBLE; /* integers up to 2^53 are exact */
  if (ph_dtype_is_float (type->dtype) && ph_dtype_size (type->dtype) > ph_dtype_size (work))
    work = type->dtype;
  x = ph_convert_transpose (l, ph_convert_cast (l, l->in[0], work), input.perm, rank);
  w = ph_convert_transpose (l, ph_convert_cast (l, l->in[1], work), kernel.perm, rank);
  for (guint i = 0; i < window.n; i++)
    if (window.reversal[i])
      axes[m++] = 2 + i;
  w = ph_convert_reverse (l, w, axes, m);
  x = pad_input (l, x, &window, rank, work, pads);
  if (x == NULL || w == NULL || (batches > 1 && !ph_convert_dims (l, x, dims)))
    return FALSE;
  if (batches > 1)
    x = batches_to_features (l, x, batches, rank, dims);
  *out = build_conv (l, x, w, &window, pads, MAX (features, batches));
  for (guint i = 0; i < rank; i++)
    back[output.perm[i]] = i;
  *out = ph_convert_cast (l, ph_convert_transpose (l, *out, back, rank), type->dtype);
  return TRUE;
}

/* ── batch normalisation ── */

/* Reshapes @value, of one dimension, to lie along @axis. */
static PhValue *
along (PhConvert *l, PhValue *value, guint axis, guint rank)
{
  gint64 dims[PH_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    dims[i] = i == axis ? ph_value_dim (value, 0) : 1;
  return ph_convert_reshape (l, value, dims, rank);
}

static PhValue *
mean_over (PhConvert *l, PhValue *value, guint axis, guint rank)
{
  gint64 axes[PH_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    if (i != axis)
      axes[n++] = i;
  return PH_BUILD_WITH (l->b, ReduceMean, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), value, ph_convert_ints_value (l, axes, n));
}

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  const gint64 axis = ph_convert_int (l, "feature_index", -1);
  const float epsilon = ph_node_attr_float (l->node, "epsilon", 0);
  PhValue *x = l->in[0], *mean, *variance, *difference, *inverse;

  if (axis < 0 || axis >= rank || l->n_in < 3)
    return ph_convert_stay (l, "its feature dimension does not fit its operand");
  if (l->n_in == 5 && g_str_equal (l->op, "batch_norm_inference"))
    {
      mean = l->in[3];
      variance = l->in[4];
    }
  else if (g_str_equal (l->op, "batch_norm_grad"))
    {
      mean = l->in[2];
      variance = l->in[3];
    }
  else
    {
      mean = mean_over (l, x, (guint) axis, rank);
      difference = PH_BUILD (l->b, Sub, x, along (l, mean, (guint) axis, rank));
      variance = mean_over (l, PH_BUILD (l->b, Mul, difference, difference), (guint) axis, rank);
    }
  if (mean == NULL || variance == NULL)
    return FALSE;
  difference = PH_BUILD (l->b, Sub, x, along (l, mean, (guint) axis, rank));
  inverse = along (
      l, PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Add, variance, ph_convert_like (l, x, epsilon)))),
      (guint) axis, rank);
  if (g_str_equal (l->op, "batch_norm_grad"))
    {
      PhValue *scale = along (l, l->in[1], (guint) axis, rank), *dy = l->in[4],
              *normal = PH_BUILD (l->b, Mul, difference, inverse);
      PhValue *mean_dy = mean_over (l, dy, (guint) axis, rank),
              *mean_product = mean_over (l, PH_BUILD (l->b, Mul, dy, normal), (guint) axis, rank);
      gint64 dims[PH_MAX_RANK];
      double count = 1;

      if (!ph_convert_dims (l, x, dims) || mean_dy == NULL || mean_product == NULL)
        return FALSE;
      for (guint i = 0; i < rank; i++)
        count *= i == axis ? 1 : (double) dims[i];
      out[0] = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Mul, scale, inverse),
                         PH_BUILD (l->b, Sub, PH_BUILD (l->b, Sub, dy, along (l, mean_dy, (guint) axis, rank)),
                                   PH_BUILD (l->b, Mul, normal, along (l, mean_product, (guint) axis, rank))));
      out[1] = PH_BUILD (l->b, Mul, mean_product, ph_convert_like (l, x, count));
      out[2] = PH_BUILD (l->b, Mul, mean_dy, ph_convert_like (l, x, count));
      return l->n_out == 3;
    }
  out[0] = PH_BUILD (l->b, Add,
                     PH_BUILD (l->b, Mul, PH_BUILD (l->b, Mul, difference, inverse), along (l, l->in[1], (guint) axis, rank)),
                     along (l, l->in[2], (guint) axis, rank));
  if (l->n_out == 3)
    {
      out[1] = mean;
      out[2] = variance;
    }
  return TRUE;
}

/* clang-format off */
const PhConvertRule ph_convert_linear[] = {
  { "ragged_dot", ph_convert_ragged_dot, "MatMul, and Where by the groups' lengths", "ONNX has no product by groups: it is taken for each, and what belongs to another is left out." },
  { "dot_general", dot_general, "MatMul of matrices made by Transpose and Reshape", "MatMul contracts the last dimension with the second to last, so others are transposed first." },
  { "dot", dot, "its MatMul", "Up to rank two, dot is the matrix product." },
  { "convolution", convolution, "Conv between Transposes", "ONNX orders dimensions as batch, feature, space; groups of the batch become groups of features." },
  { "dynamic_conv", convolution, "Conv between Transposes", "The padding is constant, so Conv can have it as an attribute." },
  { "batch_norm_inference", batch_norm, "(x - mean) / sqrt (variance + epsilon) * scale + offset", "Written out as a formula, it normalises along any dimension." },
  { "batch_norm_training", batch_norm, "the mean and variance of the batch, and the formula", "Written out as a formula, it normalises along any dimension." },
  { "batch_norm_grad", batch_norm, "the derivative of the formula", "ONNX has no operator for a gradient." },
  { NULL }
};
/* clang-format on */
