/* space-depth.c: DepthToSpace and SpaceToDepth: a reshape to six axes, a permutation, a reshape.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

static gboolean
permute6 (PhKernel *kernel, const gint64 *as, const guint *perm, const gint64 *dims, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gint64 own[6], from[6], box[6], to[6];
  gpointer data = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), 4, dims, error);

  if (data == NULL)
    return FALSE;
  ph_strides (6, as, own);
  for (guint i = 0; i < 6; i++)
    {
      box[i] = as[perm[i]];
      from[i] = own[perm[i]];
    }
  ph_strides (6, box, to);
  ph_copy_strided (6, box, data, to, ph_tensor_data (x), from, ph_dtype_size (ph_tensor_dtype (x)));
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
infer_block (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_ranked (infer, 0);
  gint64 block = ph_node_attr_int (node, "blocksize", 0);
  PhDim s = PH_DIM (block), dims[4];

  if (block <= 0 || block > G_MAXINT16)
    return ph_infer_fail (infer, error, "blocksize is %" G_GINT64_FORMAT ", must be above 0", block);
  if (type == NULL)
    return TRUE;
  if (type->rank != 4)
    return ph_infer_fail (infer, error, "the input has rank %u, must be N, C, H, W", type->rank);
  dims[0] = type->dims[0];
  if (ph_node_is (node, &ph_op_DepthToSpace))
    {
      dims[1] = ph_dim_div (type->dims[1], ph_dim_mul (s, s));
      dims[2] = ph_dim_mul (type->dims[2], s);
      dims[3] = ph_dim_mul (type->dims[3], s);
    }
  else
    {
      dims[1] = ph_dim_mul (type->dims[1], ph_dim_mul (s, s));
      dims[2] = ph_dim_div (type->dims[2], s);
      dims[3] = ph_dim_div (type->dims[3], s);
    }
  ph_infer_set_shape (infer, 0, type->dtype, 4, dims);
  return TRUE;
}

static gboolean
run_depth_to_space (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gint64 *d = ph_tensor_dims (x);
  gint64 s = ph_node_attr_int (kernel->node, "blocksize", 0), deep;
  gboolean crd = g_str_equal (ph_node_attr_string (kernel->node, "mode", "DCR"), "CRD");

  if (s <= 0 || s > G_MAXINT16 || ph_tensor_rank (x) != 4 || d[1] % (s * s) != 0)
    return ph_kernel_fail (kernel, error, "the input must be N, C, H, W and C a multiple of blocksize²");
  deep = d[1] / (s * s);
  return crd ? permute6 (kernel, (gint64[]) { d[0], deep, s, s, d[2], d[3] }, (guint[]) { 0, 1, 4, 2, 5, 3 },
                         (gint64[]) { d[0], deep, d[2] * s, d[3] * s }, error)
             : permute6 (kernel, (gint64[]) { d[0], s, s, deep, d[2], d[3] }, (guint[]) { 0, 3, 4, 1, 5, 2 },
                         (gint64[]) { d[0], deep, d[2] * s, d[3] * s }, error);
}

static gboolean
run_space_to_depth (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gint64 *d = ph_tensor_dims (x);
  gint64 s = ph_node_attr_int (kernel->node, "blocksize", 0);

  if (s <= 0 || s > G_MAXINT16 || ph_tensor_rank (x) != 4 || d[2] % s != 0 || d[3] % s != 0)
    return ph_kernel_fail (kernel, error, "the input must be N, C, H, W, and H and W multiples of blocksize");
  return permute6 (kernel, (gint64[]) { d[0], d[1], d[2] / s, s, d[3] / s, s }, (guint[]) { 0, 3, 5, 1, 2, 4 },
                   (gint64[]) { d[0], d[1] * s * s, d[2] / s, d[3] / s }, error);
}

static gboolean
grad_depth_to_space (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  gint64 block = ph_node_attr_int (grad->node, "blocksize", 1), perm[6] = { 0, 1, 3, 5, 2, 4 };
  const PhType *type = ph_grad_in (grad, 0)->type;

  /* The channels first: y[n, c, h * s + i, w * s + j] was x[n, (c * s + i) * s + j, h, w]. */
  if (!g_str_equal (ph_node_attr_string (grad->node, "mode", "DCR"), "DCR"))
    {
      if (type == NULL || !type->has_rank || type->rank != 4 || !ph_dim_known (type->dims[2]) || !ph_dim_known (type->dims[3]))
        return ph_grad_moved_as (grad, 0, PH_DOUBLE);

      /* A 0 copies a dimension of dY, here batch and channels, which stay in place and may be unknown. */
      gint64 apart[6] = { 0, 0, type->dims[2].size, block, type->dims[3].size, block };
      PhValue *dy = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 6)),
                                   PH_BUILD (b, Reshape, grad->dy[0], ph_build_ints (b, apart, 6)));

      grad->dx[0] = ph_grad_reshape_like (grad, dy, ph_grad_in (grad, 0));
      return TRUE;
    }
  grad->dx[0] = PH_BUILD_WITH (grad->b, SpaceToDepth, PH_ATTRS (ph_attr_new_int ("blocksize", block)), grad->dy[0]);
  return TRUE;
}

static gboolean
grad_space_to_depth (PhGrad *grad, GError **error)
{
  gint64 block = ph_node_attr_int (grad->node, "blocksize", 1);

  grad->dx[0] = PH_BUILD_WITH (grad->b, DepthToSpace, PH_ATTRS (ph_attr_new_int ("blocksize", block)), grad->dy[0]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_DepthToSpace = {
  .name = "DepthToSpace", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "blocksize", "mode" },
  .example = { "x[1,8,2,2]", "y = DepthToSpace <blocksize = 2> (x)", -1, 1 },
  .doc = "Moves blocks of channels into blocks of pixels.",
  .inputs = { { "input", 'T', PH_ANY } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "blocksize", PH_ATTR_INT, NULL, TRUE }, { "mode", PH_ATTR_STRING, "\"DCR\"", .words = "DCR|CRD" } },
  .infer = infer_block, .kernel = run_depth_to_space, .grad_build = grad_depth_to_space,
  .grad_text = "dinput = the blocks of dY put back into channels",
};

const PhOp ph_op_SpaceToDepth = {
  .name = "SpaceToDepth", .since = 13, .flags = PH_OP_DATA_MOVEMENT | PH_OP_MULTILINEAR,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "blocksize" },
  .example = { "x[1,1,4,4]", "y = SpaceToDepth <blocksize = 2> (x)", -1, 1 },
  .doc = "Moves blocks of pixels into channels.",
  .inputs = { { "input", 'T', PH_ANY } }, .outputs = { { "output", 'T', PH_ANY } },
  .attrs = { { "blocksize", PH_ATTR_INT, NULL, TRUE } },
  .infer = infer_block, .kernel = run_space_to_depth, .grad_build = grad_space_to_depth,
  .grad_text = "dinput = the channels of dY put back into blocks",
};
/* clang-format on */
