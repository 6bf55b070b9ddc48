/* convert-aten-linear.c: PyTorch's products, convolutions, windows and norms, in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

static const char *
name_of (const PhConvert *l)
{
  return strchr (l->op, ':') + 1;
}

static PhValue *
swap_last (PhConvert *l, PhValue *w)
{
  return ph_convert_transpose (l, w, (gint64[]) { 1, 0 }, 2);
}

static gboolean
linear (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *w = ph_aten_tensor (l, 1), *bias = ph_aten_tensor (l, 2);

  if (x == NULL || w == NULL)
    return ph_convert_stay (l, "it has no operand");
  if (ph_value_rank (w) == 1)
    out[0] = PH_BUILD (l->b, MatMul, x, w);
  else if (ph_value_rank (x) == 2 && ph_value_rank (w) == 2 && (bias == NULL || ph_value_rank (bias) == 1))
    {
      PhValue *inputs[] = { x, w, bias };

      out[0] = ph_build_node (l->b, &ph_op_Gemm, inputs, bias != NULL ? 3 : 2, PH_ATTRS (ph_attr_new_int ("transB", 1)), 1);
      return TRUE;
    }
  else
    out[0] = PH_BUILD (l->b, MatMul, x, swap_last (l, w));
  if (bias != NULL)
    out[0] = PH_BUILD (l->b, Add, out[0], bias);
  return TRUE;
}

static gboolean
matmul (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_tensor (l, 0), *b = ph_aten_tensor (l, 1);

  if (a == NULL || b == NULL)
    return ph_convert_stay (l, "it has no operand");
  out[0] = PH_BUILD (l->b, MatMul, a, b);
  return TRUE;
}

/* beta x + alpha (a b) */
static gboolean
addmm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *a = ph_aten_tensor (l, 1), *b = ph_aten_tensor (l, 2);
  const double alpha = ph_aten_number (l, "alpha", 1), beta = ph_aten_number (l, "beta", 1);

  if (x == NULL || a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have three operands");
  if (strcmp (name_of (l), "addmm") == 0 && ph_dtype_is_float (ph_convert_dtype (a)))
    {
      PhAttr *attrs[3] = { NULL };
      guint n = 0;

      if (alpha != 1)
        attrs[n++] = ph_attr_new_float ("alpha", (float) alpha);
      if (beta != 1)
        attrs[n++] = ph_attr_new_float ("beta", (float) beta);
      out[0] = PH_BUILD_WITH (l->b, Gemm, attrs, a, b, x);
      return TRUE;
    }
  a = PH_BUILD (l->b, MatMul, a, b);
  if (alpha != 1)
    a = PH_BUILD (l->b, Mul, a, ph_convert_like (l, a, alpha));
  if (beta != 1)
    x = PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, beta));
  out[0] = PH_BUILD (l->b, Add, x, a);
  return TRUE;
}

static gboolean
einsum (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);
  g_autofree PhValue **inputs = g_new0 (PhValue *, n + 1);

  for (guint i = 0; i < n; i++)
    if ((inputs[i] = ph_aten_tensor (l, i)) == NULL)
      return ph_convert_stay (l, "an element of its list is not a known number");
  out[0] = ph_build_node (l->b, &ph_op_Einsum, inputs, n,
                          PH_ATTRS (ph_attr_new_string ("equation", ph_node_attr_string (l->node, "equation", ""))), 1);
  return TRUE;
}

/* Each pair of the last dimensions of two tensors. */
static gboolean
bilinear (PhConvert *l, PhValue **out)
{
  PhValue *inputs[] = { ph_aten_tensor (l, 0), ph_aten_tensor (l, 2), ph_aten_tensor (l, 1) }, *bias = ph_aten_tensor (l, 3);
  const int rank = inputs[0] != NULL ? ph_value_rank (inputs[0]) : -1;
  g_autofree char *equation = NULL;

  if (rank < 1 || inputs[1] == NULL || inputs[2] == NULL || ph_value_rank (inputs[2]) != rank)
    return ph_convert_stay (l, "the rank of its operands is not known");
  equation = g_strdup_printf ("%.*sx,zxy,%.*sy->%.*sz", rank - 1, "abcdefgh", rank - 1, "abcdefgh", rank - 1, "abcdefgh");
  out[0] = ph_build_node (l->b, &ph_op_Einsum, inputs, 3, PH_ATTRS (ph_attr_new_string ("equation", equation)), 1);
  if (bias != NULL)
    out[0] = PH_BUILD (l->b, Add, out[0], bias);
  return TRUE;
}

/* ── windows ── */

/* Reads @n numbers; a single one is repeated. */
static gboolean
each (PhConvert *l, const char *name, gint64 fallback, gint64 *out, guint n)
{
  guint m = 3;

  if (!ph_aten_ints (l, name, out, &m) && ph_aten_has (l, name))
    return ph_convert_stay (l, "its %s is not known", name);
  if (m == 0)
    {
      out[0] = fallback;
      m = 1;
    }
  if (m != 1 && m != n)
    return ph_convert_stay (l, "its %s has %u numbers", name, m);
  for (guint i = m; i < n; i++)
    out[i] = out[0];
  return TRUE;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l), *padding = ph_node_attr_string (l->node, "padding", "");
  PhValue *x = ph_aten_tensor (l, 0), *w = ph_aten_tensor (l, 1), *bias = ph_aten_tensor (l, 2), *inputs[3];
  const int rank = w != NULL ? ph_value_rank (w) : -1;
  const gboolean back = strstr (op, "transpose") != NULL || ph_aten_int (l, "transposed", 0) != 0;
  const guint n = rank > 2 ? (guint) rank - 2 : 0;
  gint64 stride[3], pads[6], dilation[3], more[3], kernel[3], zero = 0;
  gboolean alone;
  PhAttr *attrs[8] = { NULL };
  guint a = 0;

  if (x == NULL || n < 1 || n > 3)
    return ph_convert_stay (l, "the rank of its filters is not known");
  alone = ph_value_rank (x) == rank - 1; /* one sample without a batch */
  if (alone)
    x = PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, &zero, 1));
  if (!each (l, "stride", 1, stride, n) || !each (l, "dilation", 1, dilation, n) || !each (l, "output_padding", 0, more, n))
    return FALSE;
  if (strcmp (padding, "same") == 0)
    for (guint i = 0; i < n; i++)
      {
        const gint64 size = ph_value_dim (w, (int) i + 2);

        if (size < 0)
          return ph_convert_stay (l, "the size of its filters is not known");
        pads[i] = (size - 1) * dilation[i] / 2;
        pads[n + i] = (size - 1) * dilation[i] - pads[i];
      }
  else
    {
      if (strcmp (padding, "valid") == 0)
        memset (pads, 0, sizeof pads);
      else if (!each (l, "padding", 0, pads, n))
        return FALSE;
      memcpy (pads + n, pads, n * sizeof *pads);
    }
  for (guint i = 0; i < n; i++)
    kernel[i] = ph_value_dim (w, (int) i + 2);
  attrs[a++] = ph_attr_new_ints ("strides", stride, n);
  attrs[a++] = ph_attr_new_ints ("pads", pads, 2 * n);
  attrs[a++] = ph_attr_new_ints ("dilations", dilation, n);
  attrs[a++] = ph_attr_new_int ("group", ph_aten_int (l, "groups", 1));
  if (kernel[0] > 0 && kernel[n - 1] > 0)
    attrs[a++] = ph_attr_new_ints ("kernel_shape", kernel, n);
  if (back)
    attrs[a++] = ph_attr_new_ints ("output_padding", more, n);
  inputs[0] = x;
  inputs[1] = w;
  inputs[2] = bias;
  out[0] = ph_build_node (l->b, back ? &ph_op_ConvTranspose : &ph_op_Conv, inputs, bias != NULL ? 3 : 2, attrs, 1);
  if (alone)
    out[0] = PH_BUILD (l->b, Squeeze, out[0], ph_convert_ints_value (l, &zero, 1));
  return TRUE;
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l);
  const gboolean most = g_str_has_prefix (op, "max");
  const char *digit = strpbrk (op, "123");
  const guint n = digit != NULL ? (guint) (*digit - '0') : 2;
  PhValue *x = ph_aten_tensor (l, 0);
  gint64 kernel[3], stride[6], pads[6], dilation[3], zero = 0, area = 1;
  const gint64 divisor = ph_aten_int (l, "divisor_override", 0);
  guint m = 3, a = 0;
  gboolean alone, places;
  PhAttr *attrs[8] = { NULL };

  if (x == NULL || !each (l, "kernel_size", 1, kernel, n) || !each (l, "padding", 0, pads, n)
      || !each (l, "dilation", 1, dilation, n))
    return ph_convert_stay (l, "the size of its windows is not known");
  if (!ph_aten_ints (l, "stride", stride, &m) && ph_aten_has (l, "stride"))
    return ph_convert_stay (l, "its stride is not known");
  if (m == 0)
    memcpy (stride, kernel, sizeof kernel);
  else if (!each (l, "stride", 1, stride, n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    area *= kernel[i];
  alone = ph_value_rank (x) == (int) n + 1;
  if (alone)
    x = PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, &zero, 1));
  memcpy (pads + n, pads, n * sizeof *pads);
  attrs[a++] = ph_attr_new_ints ("kernel_shape", kernel, n);
  attrs[a++] = ph_attr_new_ints ("strides", stride, n);
  attrs[a++] = ph_attr_new_ints ("pads", pads, 2 * n);
  attrs[a++] = ph_attr_new_int ("ceil_mode", ph_aten_int (l, "ceil_mode", 0) != 0);
  if (most)
    attrs[a++] = ph_attr_new_ints ("dilations", dilation, n);
  else
    attrs[a++] = ph_attr_new_int ("count_include_pad", divisor != 0 || ph_aten_int (l, "count_include_pad", 1) != 0);
  places = most && l->n_out > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0;
  out[0] = ph_build_node (l->b, most ? &ph_op_MaxPool : &ph_op_AveragePool, &x, 1, attrs, places ? 2 : 1);
  if (places && out[0] != NULL) /* counted in each plane for itself */
    {
      gint64 plane = 1;

      for (guint i = 0; i < n; i++)
        plane = plane > 0 && ph_value_dim (x, (int) i + 2) > 0 ? plane * ph_value_dim (x, (int) i + 2) : -1;
      if (plane < 0)
        return ph_convert_stay (l, "the height and width of its operand are not known");
      out[1] = PH_BUILD (l->b, Mod, ph_node_output (out[0]->producer, 1), ph_build_scalar (l->b, PH_INT64, (double) plane));
    }
  if (divisor != 0)
    out[0] = PH_BUILD (l->b, Mul, out[0], ph_convert_like (l, x, (double) area / (double) divisor));
  for (guint i = 0; i < (places ? 2 : 1) && alone; i++)
    out[i] = PH_BUILD (l->b, Squeeze, out[i], ph_convert_ints_value (l, &zero, 1));
  return TRUE;
}

/* Builds the matrix [from, to] whose columns average the windows of adaptive pooling. */
static PhValue *
averages (PhConvert *l, PhDType dtype, gint64 from, gint64 to)
{
  g_autofree float *data = g_new0 (float, (gsize) (from * to));
  g_autoptr (GBytes) bytes = NULL;
  const gint64 dims[] = { from, to };

  for (gint64 j = 0; j < to; j++)
    {
      const gint64 start = j * from / to, end = ((j + 1) * from + to - 1) / to;

      for (gint64 i = start; i < end; i++)
        data[i * to + j] = 1.0f / (float) (end - start);
    }
  bytes = g_bytes_new (data, (gsize) (from * to) * sizeof *data);
  return ph_convert_cast (l, ph_build_tensor (l->b, ph_tensor_new_from_bytes (PH_FLOAT, 2, dims, bytes)), dtype);
}

static gboolean
adaptive (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l), *digit = strpbrk (op, "123");
  const gboolean most = strstr (op, "max") != NULL;
  const guint n = digit != NULL ? (guint) (*digit - '0') : 2;
  PhValue *x = ph_aten_tensor (l, 0);
  gint64 sizes[3], axes[3], kernel[3], dims[3];
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gboolean ones = TRUE, even = TRUE;

  if (x == NULL || !each (l, "output_size", 1, sizes, n))
    return ph_convert_stay (l, "the size of its result is not known");
  for (guint i = 0; i < n; i++)
    {
      axes[i] = (gint64) i - n;
      dims[i] = rank >= (int) n ? ph_value_dim (x, rank - (int) n + (int) i) : -1;
      ones = ones && sizes[i] == 1;
      even = even && dims[i] > 0 && sizes[i] > 0 && dims[i] % sizes[i] == 0;
      kernel[i] = even ? dims[i] / sizes[i] : 0;
    }
  if (ones)
    out[0] = ph_build_node (l->b, most ? &ph_op_ReduceMax : &ph_op_ReduceMean, PH_VALUES_ (x, ph_convert_ints_value (l, axes, n)),
                            2, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), 1);
  else if (even && rank == (int) n + 2)
    out[0] = ph_build_node (l->b, most ? &ph_op_MaxPool : &ph_op_AveragePool, &x, 1,
                            PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, n), ph_attr_new_ints ("strides", kernel, n)), 1);
  else if (!most && n <= 2 && dims[0] > 0 && dims[n - 1] > 0 && sizes[0] > 0 && sizes[n - 1] > 0 && dims[0] < (1 << 20) / sizes[0]
           && dims[n - 1] < (1 << 20) / sizes[n - 1])
    {
      /* Rows and columns are averaged by one product each. */
      out[0] = PH_BUILD (l->b, MatMul, x, averages (l, ph_convert_dtype (x), dims[n - 1], sizes[n - 1]));
      if (n == 2)
        out[0] = PH_BUILD (l->b, MatMul, swap_last (l, averages (l, ph_convert_dtype (x), dims[0], sizes[0])), out[0]);
    }
  else
    {
      /* Dimension by dimension, window by window. */
      out[0] = x;
      for (guint i = 0; i < n && out[0] != NULL; i++)
        {
          PhValue *parts[64];

          if (dims[i] <= 0 || sizes[i] <= 0 || sizes[i] > (gint64) G_N_ELEMENTS (parts))
            return ph_convert_stay (l, "its windows have several sizes, or the size of its operand is not known");
          for (gint64 k = 0; k < sizes[i]; k++)
            parts[k] = ph_build_node (l->b, most ? &ph_op_ReduceMax : &ph_op_ReduceMean,
                                      PH_VALUES_ (ph_aten_slice (l, out[0], axes[i], k * dims[i] / sizes[i],
                                                                 ((k + 1) * dims[i] + sizes[i] - 1) / sizes[i]),
                                                  ph_convert_ints_value (l, &axes[i], 1)),
                                      2, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), 1);
          out[0] = ph_aten_concat (l, parts, (guint) sizes[i], axes[i]);
        }
    }
  return TRUE;
}

/* ── norms ── */

/* Ones or zeros where a weight or bias is left out. */
static PhValue *
or_number (PhConvert *l, PhValue *value, PhDType dtype, const gint64 *dims, guint n, double number)
{
  PhTensor *scalar, *made;

  if (value != NULL || dtype == PH_UNDEFINED)
    return value;
  for (guint i = 0; i < n; i++)
    if (dims[i] < 0)
      return NULL;
  scalar = ph_tensor_new_scalar (dtype, number);
  made = ph_tensor_new_splat (dtype, n, dims, ph_tensor_data (scalar));
  ph_tensor_unref (scalar);
  return ph_build_tensor (l->b, made);
}

/* Uses the statistics of the batch, as there are none from training. */
static gboolean
batch_statistics (PhConvert *l, PhValue *x, PhValue **out)
{
  const int rank = ph_value_rank (x);
  gint64 axes[PH_MAX_RANK], more[PH_MAX_RANK];
  PhValue *mean, *off, *var, *w = ph_aten_tensor (l, 1), *bias = ph_aten_tensor (l, 2), *over;

  for (int i = 0, k = 0; i < rank; i++)
    if (i != 1)
      axes[k++] = i;
  for (int i = 2; i < rank; i++)
    more[i - 2] = i - 1;
  over = ph_convert_ints_value (l, axes, (gsize) rank - 1);
  mean = PH_BUILD_WITH (l->b, ReduceMean, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), x, over);
  off = PH_BUILD (l->b, Sub, x, mean);
  var = PH_BUILD_WITH (l->b, ReduceMean, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), PH_BUILD (l->b, Mul, off, off), over);
  out[0] = PH_BUILD (l->b, Div, off,
                     PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Add, var, ph_convert_like (l, x, ph_aten_number (l, "eps", 1e-5)))));
  if (w != NULL)
    out[0] = PH_BUILD (l->b, Mul, out[0],
                       rank > 2 ? PH_BUILD (l->b, Unsqueeze, w, ph_convert_ints_value (l, more, (gsize) rank - 2)) : w);
  if (bias != NULL)
    out[0] = PH_BUILD (l->b, Add, out[0],
                       rank > 2 ? PH_BUILD (l->b, Unsqueeze, bias, ph_convert_ints_value (l, more, (gsize) rank - 2)) : bias);
  return TRUE;
}

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *mean = ph_aten_tensor (l, 3), *var = ph_aten_tensor (l, 4), *inputs[5];
  const PhDType dtype = mean != NULL ? ph_convert_dtype (mean) : PH_UNDEFINED;
  const gint64 channels = mean != NULL ? ph_value_dim (mean, 0) : -1;

  if (x != NULL && mean == NULL && var == NULL && ph_value_rank (x) >= 2)
    return batch_statistics (l, x, out);
  if (x == NULL || mean == NULL || var == NULL)
    return ph_convert_stay (l, "it has no statistics");
  if (ph_aten_int (l, "training", 0) != 0)
    return ph_convert_stay (l, "it computes the mean and variance of the batch: export the model after model.eval ()");
  inputs[0] = x;
  inputs[1] = or_number (l, ph_aten_tensor (l, 1), dtype, &channels, 1, 1);
  inputs[2] = or_number (l, ph_aten_tensor (l, 2), dtype, &channels, 1, 0);
  inputs[3] = mean;
  inputs[4] = var;
  if (inputs[1] == NULL || inputs[2] == NULL)
    return ph_convert_stay (l, "the number of channels is not known");
  out[0] = ph_build_node (l->b, &ph_op_BatchNormalization, inputs, 5,
                          PH_ATTRS (ph_attr_new_float ("epsilon", (float) ph_aten_number (l, "eps", 1e-5))), 1);
  return TRUE;
}

static gboolean
layer_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *inputs[3], *made;
  gint64 shape[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (x == NULL || !ph_aten_ints (l, "normalized_shape", shape, &n) || n == 0)
    return ph_convert_stay (l, "the shape that it normalises over is not known");
  inputs[0] = x;
  inputs[1] = or_number (l, ph_aten_tensor (l, 1), ph_convert_dtype (x), shape, n, 1);
  inputs[2] = ph_aten_tensor (l, 2);
  if (inputs[1] == NULL)
    return ph_convert_stay (l, "its element type is not known");
  made = ph_build_node (
      l->b, &ph_op_LayerNormalization, inputs, inputs[2] != NULL ? 3 : 2,
      PH_ATTRS (ph_attr_new_int ("axis", -(gint64) n), ph_attr_new_float ("epsilon", (float) ph_aten_number (l, "eps", 1e-5))),
      l->n_out > 1 ? 3 : 1);
  for (guint i = 0; made != NULL && i < MIN (l->n_out, 3); i++)
    out[i] = ph_node_output (made->producer, i);
  return made != NULL;
}

static gboolean
group_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *inputs[5];
  const gint64 channels = x != NULL ? ph_value_dim (x, 1) : -1;
  const gboolean native = strcmp (name_of (l), "native_group_norm") == 0,
                 group = native || strcmp (name_of (l), "group_norm") == 0;
  PhAttr **attrs;

  if (x == NULL)
    return ph_convert_stay (l, "it has no operand");
  inputs[0] = x;
  inputs[1] = or_number (l, ph_aten_tensor (l, 1), ph_convert_dtype (x), &channels, 1, 1);
  inputs[2] = or_number (l, ph_aten_tensor (l, 2), ph_convert_dtype (x), &channels, 1, 0);
  if (inputs[1] == NULL || inputs[2] == NULL)
    return ph_convert_stay (l, "the number of channels is not known");
  if (!group && ph_aten_int (l, "use_input_stats", 1) == 0)
    {
      inputs[3] = ph_aten_tensor (l, 3);
      inputs[4] = ph_aten_tensor (l, 4);
      if (inputs[3] == NULL || inputs[4] == NULL)
        return ph_convert_stay (l, "the mean and variance that it normalises with are missing");
      out[0] = ph_build_node (l->b, &ph_op_BatchNormalization, inputs, 5,
                              PH_ATTRS (ph_attr_new_float ("epsilon", (float) ph_aten_number (l, "eps", 1e-5))), 1);
      return TRUE;
    }
  attrs = group ? PH_ATTRS (ph_attr_new_int ("num_groups", ph_aten_int (l, native ? "group" : "num_groups", 1)),
                            ph_attr_new_float ("epsilon", (float) ph_aten_number (l, "eps", 1e-5)))
                : PH_ATTRS (ph_attr_new_float ("epsilon", (float) ph_aten_number (l, "eps", 1e-5)));
  out[0] = ph_build_node (l->b, group ? &ph_op_GroupNormalization : &ph_op_InstanceNormalization, inputs, 3, attrs, 1);
  return TRUE;
}

static const char weights[] = "Linear multiplies by the transposed weight, because PyTorch stores weights as [out, in].";
static const char products[] = "Both are the matrix product, batched over all dimensions before the last two.";
static const char windows[] = "PyTorch pads both ends of a dimension alike; ONNX lists all starts and then all ends.";
static const char sizes[] = "Adaptive pooling chooses its windows so that the result has the given size.";
static const char statistics[] = "At inference both normalise with the stored mean and variance.";

/* clang-format off */
#define MATMUL(name) { "aten:" name, matmul, "MatMul", products }
#define CONV(name, of) { "aten:" name, conv, of, windows }
#define POOL(name, of) { "aten:" name, pool, of, windows }
#define ADAPTIVE(name, of) { "aten:" name, adaptive, of, sizes }

const PhConvertRule ph_convert_aten_linear[] = {
  { "aten:linear", linear, "Gemm, or MatMul and Add", weights }, MATMUL ("matmul"), MATMUL ("mm"), MATMUL ("bmm"), MATMUL ("mv"), MATMUL ("dot"),
  { "aten:addmm", addmm, "Gemm", products }, { "aten:baddbmm", addmm, "MatMul and Add", products }, { "aten:addmv", addmm, "MatMul and Add", products },
  { "aten:einsum", einsum, "Einsum", "Both evaluate the same Einstein summation equation." },
  { "aten:bilinear", bilinear, "Einsum", "Both sum the products of all pairs of elements, times the weight." },
  CONV ("conv1d", "Conv"), CONV ("conv2d", "Conv"), CONV ("conv3d", "Conv"), CONV ("convolution", "Conv"), CONV ("_convolution", "Conv"), CONV ("_convolution_mode", "Conv"),
  CONV ("conv_transpose1d", "ConvTranspose"), CONV ("conv_transpose2d", "ConvTranspose"), CONV ("conv_transpose3d", "ConvTranspose"),
  POOL ("max_pool1d", "MaxPool"), POOL ("max_pool2d", "MaxPool"), POOL ("max_pool3d", "MaxPool"), POOL ("max_pool2d_with_indices", "MaxPool"),
  POOL ("max_pool1d_with_indices", "MaxPool"), POOL ("max_pool3d_with_indices", "MaxPool"),
  POOL ("avg_pool1d", "AveragePool"), POOL ("avg_pool2d", "AveragePool"), POOL ("avg_pool3d", "AveragePool"),
  ADAPTIVE ("adaptive_avg_pool1d", "ReduceMean, AveragePool or MatMul"), ADAPTIVE ("adaptive_avg_pool2d", "ReduceMean, AveragePool or MatMul"),
  ADAPTIVE ("_adaptive_avg_pool2d", "ReduceMean, AveragePool or MatMul"), ADAPTIVE ("adaptive_max_pool1d", "ReduceMax or MaxPool"), ADAPTIVE ("adaptive_max_pool2d", "ReduceMax or MaxPool"),
  ADAPTIVE ("adaptive_max_pool3d", "ReduceMax or MaxPool"), ADAPTIVE ("adaptive_avg_pool3d", "ReduceMean or AveragePool"), ADAPTIVE ("_adaptive_avg_pool3d", "ReduceMean or AveragePool"),
  { "aten:batch_norm", batch_norm, "BatchNormalization", statistics }, { "aten:_native_batch_norm_legit_no_training", batch_norm, "BatchNormalization", statistics },
  { "aten:native_batch_norm", batch_norm, "BatchNormalization", statistics }, { "aten:cudnn_batch_norm", batch_norm, "BatchNormalization", statistics },
  { "aten:layer_norm", layer_norm, "LayerNormalization", "Both normalise over the last dimensions." }, { "aten:native_layer_norm", layer_norm, "LayerNormalization", "Both normalise over the last dimensions." },
  { "aten:group_norm", group_norm, "GroupNormalization", "Both normalise groups of channels, with a scale and bias for each channel." }, { "aten:native_group_norm", group_norm, "GroupNormalization", "Both normalise groups of channels, with a scale and bias for each channel." }, { "aten:instance_norm", group_norm, "InstanceNormalization", "Both normalise each channel of each sample." },
  { NULL }
};
/* clang-format on */
