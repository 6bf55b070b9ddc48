/* dropout.c: Dropout.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

static gboolean
infer_dropout (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  ph_infer_set (infer, 0, type);
  if (type != NULL)
    ph_infer_set (infer, 1, ph_type_with_dtype (type, PH_BOOL));
  return TRUE;
}

/* Returns a number in [0, 1) with 53 bits: with a seed, the sequence of numpy's RandomState, as ONNX's own cases expect. */
static double
random_number (GRand *rand)
{
  const guint32 high = g_rand_int (rand) >> 5, low = g_rand_int (rand) >> 6;

  return (high * 0x1p26 + low) * 0x1p-53;
}

static gboolean
run_dropout (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *given = ph_kernel_input (kernel, 1), *training = ph_kernel_input (kernel, 2);
  double ratio = given != NULL && ph_tensor_count (given) > 0 ? ph_tensor_get (given, 0) : 0.5;
  gboolean trains = training != NULL && ph_tensor_count (training) > 0 && ph_tensor_get_int (training, 0) != 0;
  PhDType dtype = ph_tensor_dtype (x);
  gsize count = ph_tensor_count (x);
  guint8 *mask = NULL;
  gconstpointer from;
  gpointer to;

  if (kernel->n_outputs > 1)
    {
      mask = ph_kernel_output (kernel, 1, PH_BOOL, ph_tensor_rank (x), ph_tensor_dims (x), error);
      if (mask == NULL)
        return FALSE;
      memset (mask, 1, count);
    }
  if (!trains || ratio == 0)
    {
      ph_kernel_take (kernel, 0, ph_tensor_ref (x));
      return TRUE;
    }
  if (!(ratio >= 0 && ratio < 1))
    return ph_kernel_fail (kernel, error, "ratio is %g, must be 0 or more and less than 1", ratio);

  gint64 set = ph_node_attr_int (kernel->node, "seed", G_MININT64);
  g_autoptr (GRand) rand = g_rand_new_with_seed (set != G_MININT64 ? set : (gint64) ph_kernel_seed (kernel));

  to = ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (x);
  for (gsize i = 0; i < count; i++)
    {
      gboolean keep = random_number (rand) >= ratio;

      if (mask != NULL)
        mask[i] = keep;
      ph_dtype_store (dtype, to, i, keep ? ph_dtype_load (dtype, from, i) / (1 - ratio) : 0);
    }
  return TRUE;
}

/* At inference the gradient passes unchanged. In training it needs the mask. */
static gboolean
grad_dropout (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *ratio = ph_grad_in (grad, 1), *training = ph_grad_in (grad, 2), *one, *scale, *kept;
  PhTensor *constant = training != NULL ? ph_value_constant (training) : NULL;

  if (training == NULL || (constant != NULL && ph_tensor_count (constant) == 1 && ph_tensor_get_int (constant, 0) == 0))
    {
      grad->dx[0] = grad->dy[0];
      return TRUE;
    }
  if (grad->node->outputs->len < 2)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its gradient in training needs the second output, the mask");
  one = ph_grad_like (grad, x, 1);
  ratio = ratio != NULL ? PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", x->type->dtype)), ratio)
                        : ph_grad_like (grad, x, 0.5);
  scale = PH_BUILD (b, Where, training, PH_BUILD (b, Div, one, PH_BUILD (b, Sub, one, ratio)), one);
  kept = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", x->type->dtype)), ph_grad_out (grad, 1));
  grad->dx[0] = PH_BUILD (b, Mul, PH_BUILD (b, Mul, grad->dy[0], kept), scale);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Dropout = {
  .name = "Dropout", .since = 22, .flags = PH_OP_RANDOM,
  .family = PH_FAMILY_NORM, .example = { "x[3]", "y = Dropout (x)", -1, 1 },
  .doc = "In training, drops elements at random and scales up the others; otherwise returns its input.",
  .inputs = { { "data", 'T', PH_FLOATS }, { "ratio", 0, PH_FLOATS, PH_ARG_OPTIONAL },
              { "training_mode", 0, PH_T (BOOL), PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "mask", 0, PH_T (BOOL), PH_ARG_OPTIONAL } },
  .attrs = { { "seed", PH_ATTR_INT } },
  .infer = infer_dropout, .kernel = run_dropout, .grad_build = grad_dropout, .no_grad = 1 << 2, .no_rule = 1 << 1,
  .grad_text = "ddata = dY * mask / (1 - ratio)",
};
/* clang-format on */
