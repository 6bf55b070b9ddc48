/* optional.c: optionals: a tensor or sequence, or nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

static gboolean
infer_optional (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_sequence (PH_KIND_OPTIONAL, type));
  return TRUE;
}

static gboolean
run_optional (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);

  ph_kernel_take (kernel, 0, ph_tensor_new_sequence (PH_KIND_OPTIONAL, &x, x != NULL ? 1 : 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Optional = {
  .name = "Optional", .since = 15, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "Wraps a value as an optional; without one, an empty optional.",
  .inputs = { { "input", 0, PH_ANY, PH_ARG_OPTIONAL } }, .outputs = { { "output", 0, PH_ANY } },
  .attrs = { { "type", PH_ATTR_OPAQUE } },
  .infer = infer_optional, .kernel = run_optional, .grad = { DY },
};
/* clang-format on */

static gboolean
infer_get (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, type->kind == PH_KIND_OPTIONAL ? type->item : type);
  return TRUE;
}

static gboolean
run_get (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);

  if (ph_tensor_kind (x) != PH_KIND_OPTIONAL)
    ph_kernel_take (kernel, 0, ph_tensor_ref (x));
  else if (ph_tensor_count (x) == 0)
    return ph_kernel_fail (kernel, error, "the optional is empty");
  else
    ph_kernel_take (kernel, 0, ph_tensor_ref (ph_tensor_item (x, 0)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_OptionalGetElement = {
  .name = "OptionalGetElement", .since = 18, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "What an optional holds.",
  .inputs = { { "input", 0, PH_ANY } }, .outputs = { { "output", 0, PH_ANY } },
  .infer = infer_get, .kernel = run_get, .grad = { DY },
};
/* clang-format on */

static gboolean
infer_has (PhInfer *infer, GError **error)
{
  ph_infer_set_shape (infer, 0, PH_BOOL, 0, NULL);
  return TRUE;
}

static gboolean
run_has (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint8 *to = ph_kernel_output (kernel, 0, PH_BOOL, 0, NULL, error);

  if (to == NULL)
    return FALSE;
  *to = x != NULL && (ph_tensor_kind (x) != PH_KIND_OPTIONAL || ph_tensor_count (x) > 0);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_OptionalHasElement = {
  .name = "OptionalHasElement", .since = 18,
  .family = PH_FAMILY_CONTROL,
  .doc = "Whether there is a value.",
  .inputs = { { "input", 0, PH_ANY, PH_ARG_OPTIONAL } }, .outputs = { { "output", 0, PH_T (BOOL) } }, .flags = PH_OP_ANY_KIND | PH_OP_NO_GRADIENT,
  .infer = infer_has, .kernel = run_has,
};
/* clang-format on */
