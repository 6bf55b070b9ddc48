/* source.c: Constant, and operators that return their input unchanged.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"

/* Returns the tensor of a Constant in any of its forms. (transfer full) (nullable) */
static PhTensor *
constant_tensor (const PhNode *node)
{
  PhAttr *attr;

  if ((attr = ph_node_attr (node, "value")) != NULL && attr->tensor != NULL)
    return ph_tensor_ref (attr->tensor);
  if ((attr = ph_node_attr (node, "value_float")) != NULL)
    return ph_tensor_new_splat (PH_FLOAT, 0, NULL, &attr->f);
  if ((attr = ph_node_attr (node, "value_int")) != NULL)
    return ph_tensor_new_splat (PH_INT64, 0, NULL, &attr->i);
  if ((attr = ph_node_attr (node, "value_floats")) != NULL)
    return ph_tensor_new_floats (attr->floats, attr->n);
  if ((attr = ph_node_attr (node, "value_ints")) != NULL)
    return ph_tensor_new_int64s (attr->ints, attr->n);

  PhAttr *one = ph_node_attr (node, "value_string"), *many = ph_node_attr (node, "value_strings");
  gsize n = one != NULL ? 1 : many != NULL ? many->n : 0;
  GBytes *const *strings = one != NULL ? &one->s : many != NULL ? many->strings : NULL;

  if (one == NULL && many == NULL)
    return NULL;

  PhTensor *tensor = ph_tensor_new (PH_STRING, one != NULL ? 0 : 1, (gint64[]) { n });

  for (gsize i = 0; i < n && strings[i] != NULL; i++)
    {
      gsize size;
      const char *data = g_bytes_get_data (strings[i], &size);
      g_autofree char *text = g_strndup (data, size);

      ph_tensor_set_string (tensor, i, text);
    }
  return tensor;
}

/* Returns how many attributes give the value of a Constant; ONNX wants one. */
static guint
count_values (const PhNode *node)
{
  guint n = 0;

  for (guint i = 0; i < node->attrs->len; i++)
    n += g_str_has_prefix (((PhAttr *) node->attrs->pdata[i])->name, "value")
         || g_str_equal (((PhAttr *) node->attrs->pdata[i])->name, "sparse_value");
  return n;
}

static gboolean
infer_constant (PhInfer *infer, GError **error)
{
  const guint n = count_values (ph_infer_node_of (infer));
  g_autoptr (PhTensor) tensor = constant_tensor (ph_infer_node_of (infer));

  if (n > 1)
    return ph_infer_fail (infer, error, "has %u values, must have one", n);
  if (tensor != NULL)
    ph_infer_set (infer, 0, ph_type_of_tensor (tensor));
  return TRUE;
}

static gboolean
constant_kernel (PhKernel *kernel, GError **error)
{
  const guint n = count_values (kernel->node);
  PhTensor *tensor;

  if (n > 1)
    return ph_kernel_fail (kernel, error, "has %u values, must have one", n);
  tensor = constant_tensor (kernel->node);
  if (tensor == NULL)
    return ph_kernel_fail (kernel, error, "has no value that Peephole reads (sparse tensors are not read)");
  ph_kernel_take (kernel, 0, tensor);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Constant = {
  "Constant", .since = 25, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_CONSTANT,
  .doc     = "A constant tensor, kept in an attribute.",
  .outputs = { { "output", 'T', PH_ANY } },
  .attrs   = { { "value", PH_ATTR_TENSOR }, { "value_float", PH_ATTR_FLOAT }, { "value_floats", PH_ATTR_FLOATS },
               { "value_int", PH_ATTR_INT }, { "value_ints", PH_ATTR_INTS }, { "value_string", PH_ATTR_STRING, .words = PH_ANY_TEXT },
               { "value_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "sparse_value", PH_ATTR_OPAQUE } },
  .infer   = infer_constant, .kernel = constant_kernel,
};
/* clang-format on */

static gboolean
infer_identity (PhInfer *infer, GError **error)
{
  const PhDim *dims;
  int n = ph_infer_dims (infer, 0, &dims);

  ph_infer_set (infer, 0, ph_infer_type (infer, 0));
  if (n >= 0)
    ph_infer_set_dims (infer, 0, dims, n);
  return TRUE;
}

static gboolean
identity_kernel (PhKernel *kernel, GError **error)
{
  ph_kernel_take (kernel, 0, ph_tensor_ref (ph_kernel_input (kernel, 0)));
  return TRUE;
}

static gint64
no_flops (const PhNode *node)
{
  return 0;
}

/* clang-format off */
const PhOp ph_op_Identity = {
  "Identity", .since = 25, .flags = PH_OP_ANY_KIND | PH_OP_ELEMENTWISE | PH_OP_DATA_MOVEMENT | PH_OP_IDEMPOTENT,
  .family = PH_FAMILY_MOVEMENT, .example = { "x[2,3]", "y = Identity (x)", -1, 1 },
  .doc     = "Its input, unchanged.",
  .inputs  = { { "input", 'V', PH_ANY } },
  .outputs = { { "output", 'V', PH_ANY } },
  .infer   = infer_identity, .kernel = identity_kernel, .flops = no_flops,
  .grad    = { DY },
  .symbol = "",
};
/* clang-format on */
