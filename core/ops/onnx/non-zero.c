/* non-zero.c: NonZero, the coordinates of elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

static gboolean
infer_non_zero (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  PhDim dims[2] = { PH_DIM_UNKNOWN, PH_DIM_UNKNOWN };

  if (type != NULL && type->has_rank)
    dims[0] = PH_DIM (type->rank);
  ph_infer_set_shape (infer, 0, PH_INT64, 2, dims);
  return TRUE;
}

/* Sets @marks to 1 where @x is not zero, else to 0. Returns how many there are. */
static gsize
mark_elements (PhTensor *x, guint8 *marks)
{
  const PhDType dtype = ph_tensor_dtype (x);
  const float *floats = ph_tensor_data (x);
  const guint8 *bytes = ph_tensor_data (x);
  const gsize count = ph_tensor_count (x);
  gsize n = 0;

  if (dtype == PH_FLOAT)
    for (gsize i = 0; i < count; i++)
      marks[i] = floats[i] != 0;
  else if (dtype == PH_BOOL)
    for (gsize i = 0; i < count; i++)
      marks[i] = bytes[i] != 0;
  else
    for (gsize i = 0; i < count; i++)
      marks[i] = dtype == PH_STRING ? *ph_tensor_get_string (x, i) != '\0' : ph_tensor_get (x, i) != 0;
  for (gsize i = 0; i < count; i++)
    n += marks[i];
  return n;
}

static gboolean
run_non_zero (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const guint rank = ph_tensor_rank (x), last = rank - 1;
  const gint64 *sizes = ph_tensor_dims (x);
  g_autofree guint8 *marks = g_try_malloc (ph_tensor_count (x) + 1);
  const gsize n = marks != NULL ? mark_elements (x, marks) : 0;
  gint64 dims[2] = { rank, (gint64) n }, at[PH_MAX_RANK] = { 0 }, *to;

  if (marks == NULL)
    return ph_kernel_exceed (kernel, error, "its elements do not fit into memory once more");
  to = ph_kernel_output_unset (kernel, 0, PH_INT64, 2, dims, error);
  if (to == NULL)
    return FALSE;
  for (gsize found = 0, line = 0; rank > 0 && found < n; line++)
    {
      const guint8 *own = marks + line * (gsize) sizes[last];
      const gsize first = found;

      for (gint64 i = 0; i < sizes[last] && found < n; i++) /* without a branch: what is zero is overwritten */
        {
          to[last * n + found] = i;
          found += own[i];
        }
      for (guint k = 0; k < last; k++)
        for (gsize i = first; i < found; i++)
          to[k * n + i] = at[k];
      for (guint k = last; k-- > 0 && ++at[k] == sizes[k];)
        at[k] = 0;
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_NonZero = {
  .name = "NonZero", .since = 13, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The coordinates of the elements that are not zero, one column for each.",
  .inputs = { { "X", 0, PH_ANY } }, .outputs = { { "Y", 0, PH_T (INT64) } },
  .infer = infer_non_zero, .kernel = run_non_zero,
};
/* clang-format on */
