/* unpool.c: MaxUnpool.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/window.h"

static gboolean
unpool_dims (const PhNode *node, guint rank, const PhDim *in, PhDim *dims)
{
  gint64 kernel[PH_WINDOW_MAX], strides[PH_WINDOW_MAX], pads[2 * PH_WINDOW_MAX];
  guint n = rank - 2;

  if (rank < 3 || rank > 2 + PH_WINDOW_MAX || !ph_node_ints (node, "kernel_shape", n, 1, kernel)
      || !ph_node_ints (node, "strides", n, 1, strides) || !ph_node_ints (node, "pads", 2 * n, 0, pads))
    return FALSE;
  dims[0] = in[0];
  dims[1] = in[1];
  for (guint i = 0; i < n; i++)
    {
      gint64 add = kernel[i] - strides[i] - pads[i] - pads[n + i];

      if (kernel[i] < 1 || strides[i] < 1)
        return FALSE;
      dims[2 + i] = ph_dim_mul (in[2 + i], PH_DIM (strides[i]));
      dims[2 + i] = add >= 0 ? ph_dim_add (dims[2 + i], PH_DIM (add)) : ph_dim_sub (dims[2 + i], PH_DIM (-add));
    }
  return TRUE;
}

static gboolean
infer_max_unpool (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0);
  PhDim dims[2 + PH_WINDOW_MAX];
  const PhDim *shape;
  int n;

  if (x == NULL)
    return TRUE;
  if (ph_infer_has (infer, 2))
    {
      n = ph_infer_dims (infer, 2, &shape);
      if (n >= 0 && (guint) n != x->rank)
        return ph_infer_fail (infer, error, "output_shape has %d elements, the input has rank %u", n, x->rank);
      ph_infer_set (infer, 0, n >= 0 ? ph_type_tensor (x->dtype, n, shape) : ph_type_unranked (x->dtype));
      return TRUE;
    }
  if (!unpool_dims (ph_infer_node_of (infer), x->rank, x->dims, dims))
    return ph_infer_fail (infer, error,
                          "kernel_shape, strides and pads do not fit an input of rank %u, or one of the first two is not above 0",
                          x->rank);
  ph_infer_set_shape (infer, 0, x->dtype, x->rank, dims);
  return TRUE;
}

/* Puts elements where indices of the output's own shape say. Returns FALSE for other sizes, or at an index that is outside. */
static gboolean
put_directly (gpointer to, gconstpointer from, const gint64 *indices, gsize n, gsize total, gsize size)
{
  if (size != 4)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      if ((guint64) indices[i] >= total)
        return FALSE;
      ((guint32 *) to)[indices[i]] = ((const guint32 *) from)[i];
    }
  return TRUE;
}

static gboolean
run_max_unpool (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1);
  guint rank = ph_tensor_rank (x);
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), n;
  PhDim in[2 + PH_WINDOW_MAX], out[2 + PH_WINDOW_MAX];
  gint64 dims[2 + PH_WINDOW_MAX], old[2 + PH_WINDOW_MAX], total;
  g_autofree gint64 *shape = ph_kernel_ints (kernel, 2, &n);
  gconstpointer from;
  gpointer to;

  if (rank < 3 || rank > 2 + PH_WINDOW_MAX || ph_tensor_rank (indices) != rank
      || memcmp (ph_tensor_dims (indices), ph_tensor_dims (x), rank * sizeof (gint64)) != 0 || (shape != NULL && n != rank))
    return ph_kernel_fail (kernel, error, "input, indices and output_shape do not fit together");
  for (guint i = 0; i < rank; i++)
    in[i] = PH_DIM (ph_tensor_dims (x)[i]);
  if (!unpool_dims (kernel->node, rank, in, out))
    return ph_kernel_fail (
        kernel, error, "kernel_shape, strides and pads do not fit an input of rank %u, or one of the first two is not above 0",
        rank);
  for (guint i = 0; i < rank; i++)
    {
      old[i] = MAX (1, out[i].size);
      dims[i] = shape != NULL ? shape[i] : out[i].size;
      if (dims[i] < (i < 2 ? 0 : 1))
        return ph_kernel_fail (kernel, error, "dimension %u of the output is not above 0", i);
    }
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (x);
  total = ph_dims_product (dims, 0, rank);
  if (memcmp (dims, old, rank * sizeof *dims) == 0
      && put_directly (to, from, ph_tensor_data (indices), ph_tensor_count (x), (gsize) total, size))
    return TRUE;
  for (gsize i = 0; i < ph_tensor_count (x); i++)
    {
      gint64 at = ph_tensor_get_int (indices, i), place = 0, scale = 1;

      /* Indices refer to the shape that follows from the attributes, even if output_shape asks for a larger one. */
      for (guint d = rank; d-- > 0; at /= old[d])
        {
          place += at % old[d] * scale;
          scale *= dims[d];
        }
      if (place < 0 || place >= total)
        return ph_kernel_fail (kernel, error, "index %zu is outside the output", i);
      ph_move (to, place, from, i, size);
    }
  return TRUE;
}

static gboolean
grad_max_unpool (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *flat = ph_build_ints (b, (gint64[]) { -1 }, 1), *indices = ph_grad_in (grad, 1);

  if (ph_grad_in (grad, 2) != NULL)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "no gradient with output_shape, for which the indices mean other places");
  grad->dx[0] = PH_BUILD (b, Gather, PH_BUILD (b, Reshape, grad->dy[0], flat), indices);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MaxUnpool = {
  .name = "MaxUnpool", .since = 22,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Puts each element back where MaxPool's indices say that it came from; zeros elsewhere.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "I", 0, PH_T (INT64), PH_ARG_INDEX }, { "output_shape", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', PH_FLOATS } },
  .attrs = { { "kernel_shape", PH_ATTR_INTS, NULL, TRUE }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS } },
  .infer = infer_max_unpool, .kernel = run_max_unpool, .grad_build = grad_max_unpool, .no_grad = 0x6,
  .grad_text = "dX = dY at I",
};
/* clang-format on */
