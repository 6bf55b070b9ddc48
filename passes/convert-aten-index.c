/* convert-aten-index.c: PyTorch's operators that take or put elements by indices or masks, in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

static gboolean
masked (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *mask = ph_aten_tensor (l, 1), *shape;

  if (x == NULL || mask == NULL)
    return ph_convert_stay (l, "it has no mask");
  shape = PH_BUILD (l->b, Shape, PH_BUILD (l->b, Where, mask, x, x));
  out[0] = PH_BUILD (
      l->b, Compress, PH_BUILD (l->b, Expand, x, shape),
      PH_BUILD (l->b, Reshape, PH_BUILD (l->b, Expand, mask, shape), ph_convert_ints_value (l, (gint64[]) { -1 }, 1)));
  return TRUE;
}

static gboolean
gather (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1);
  const gint64 axis = ph_aten_int (l, "dim", 0), one = 1;

  if (x == NULL || index == NULL)
    return ph_convert_stay (l, "it has no indices");
  if (strcmp (op, "gather") == 0)
    out[0] = PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
  else if (strcmp (op, "embedding") == 0)
    out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), x, index);
  else
    {
      if (ph_value_rank (index) == 0)
        index = ph_convert_reshape (l, index, &one, 1);
      out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
    }
  return TRUE;
}

/* x[i, j]: indices of the first dimensions; x[:, i]: of one; x[mask]. */
static gboolean
index_ (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *indices[PH_MAX_RANK], *parts[PH_MAX_RANK], *shape;
  const guint n = ph_aten_n_tensors (l);
  guint used = 0, at = 0;
  const gint64 last = -1;

  if (x == NULL || n < 2 || n - 1 > PH_MAX_RANK)
    return ph_convert_stay (l, "it has no indices");
  for (guint i = 1; i < n; i++)
    if (ph_aten_tensor (l, i) != NULL)
      {
        indices[used++] = ph_aten_tensor (l, i);
        at = i - 1;
      }
  if (used == 1 && ph_convert_dtype (indices[0]) == PH_BOOL && at == 0)
    {
      out[0] = PH_BUILD (l->b, GatherND, x,
                         PH_BUILD_WITH (l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 1, 0 }, 2)),
                                        PH_BUILD (l->b, NonZero, indices[0])));
      return TRUE;
    }
  for (guint i = 0; i < used; i++)
    if (!ph_dtype_is_integer (ph_convert_dtype (indices[i])))
      return ph_convert_stay (l, "its indices are not integers, or masks beside others");
  if (used == 1)
    {
      out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", at)), x, indices[0]);
      return TRUE;
    }
  if (at + 1 != used || used == 0)
    return ph_convert_stay (l, "its indices are not of the first dimensions");
  shape = indices[0];
  for (guint i = 1; i < used; i++)
    shape = PH_BUILD (l->b, Add, ph_convert_cast (l, shape, PH_INT64), ph_convert_cast (l, indices[i], PH_INT64));
  shape = PH_BUILD (l->b, Shape, shape);
  for (guint i = 0; i < used; i++)
    parts[i] = PH_BUILD (l->b, Unsqueeze, PH_BUILD (l->b, Expand, ph_convert_cast (l, indices[i], PH_INT64), shape),
                         ph_convert_ints_value (l, &last, 1));
  out[0] = PH_BUILD (l->b, GatherND, x, ph_aten_concat (l, parts, used, -1));
  return TRUE;
}

static gboolean
scatter (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1), *src;
  const gint64 axis = ph_aten_int (l, "dim", 0);
  PhAtenArg arg;

  if (x == NULL || index == NULL || (!ph_aten_arg (l, 2, "src", &arg) && !ph_aten_arg (l, 2, "value", &arg)))
    return ph_convert_stay (l, "it has no operand");
  src = ph_aten_as (l, &arg, ph_convert_dtype (x), x);
  if (arg.value == NULL)
    src = PH_BUILD (l->b, Expand, src, ph_aten_shape_part (l, index, 0, G_MAXINT64));
  else
    for (int i = 0; i < ph_value_rank (index); i++)
      if (ph_value_dim (index, i) < 0 || ph_value_dim (src, i) != ph_value_dim (index, i))
        return ph_convert_stay (l, "its source may be larger than its indices");
  out[0] = PH_BUILD_WITH (
      l->b, ScatterElements,
      PH_ATTRS (ph_attr_new_int ("axis", axis),
                ph_attr_new_string ("reduction", strcmp (ph_aten_name (l), "scatter_add") == 0 ? "add" : "none")),
      x, index, src);
  return TRUE;
}

static const char dims[] = "Negative dimensions count from the end, in both.";

/* clang-format off */
const PhConvertRule ph_convert_aten_index[] = {
  { "aten:gather", gather, "GatherElements", dims }, { "aten:embedding", gather, "Gather", "Rows of a table." }, { "aten:index_select", gather, "Gather", dims },
  { "aten:index", index_, "Gather or GatherND", "Indices are broadcast against each other first." },
  { "aten:masked_select", masked, "Compress", "Both take the elements in order." },
  { "aten:scatter", scatter, "ScatterElements", dims }, { "aten:scatter_add", scatter, "ScatterElements that adds", dims },
  { NULL }
};
/* clang-format on */
