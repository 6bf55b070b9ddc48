/* convert-aten-place.c: PyTorch's views of a tensor's elements, and what is put to places that a mask or indices give, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

#define MOST (1 << 22) /* indices that are written down */

static PhValue *
flat (PhConvert *l, PhValue *x)
{
  return PH_BUILD (l->b, Reshape, x, ph_convert_ints_value (l, (gint64[]) { -1 }, 1));
}

static gboolean
ravel (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  out[0] = x != NULL ? flat (l, x) : NULL;
  return out[0] != NULL;
}

/* The last two dimensions change places; conjugation does nothing to real numbers. */
static gboolean
turned (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 perm[PH_MAX_RANK];

  if (rank < 2)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 0; i < rank; i++)
    perm[i] = i < rank - 2 ? i : rank - 2 + rank - 1 - i;
  out[0] = ph_convert_transpose (l, x, perm, (guint) rank);
  return out[0] != NULL;
}

/* Whether the elements of @x lie in memory as its shape says. In PyTorch those of a view do not. */
static gboolean
is_whole (const PhValue *x)
{
  static const PhOp *const views[] = { &ph_op_Transpose, &ph_op_Expand,  &ph_op_Slice,     &ph_op_Split,
                                       &ph_op_Gather,    &ph_op_Squeeze, &ph_op_Unsqueeze, NULL };

  return x->producer == NULL || !ph_op_is_any (x->producer->op, views);
}

/* Steps in memory, as indices into the flat tensor. */
static gboolean
as_strided (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  gint64 size[PH_MAX_RANK], stride[PH_MAX_RANK], count = 1;
  guint n = PH_MAX_RANK, m = PH_MAX_RANK;
  g_autoptr (PhTensor) tensor = NULL;
  gint64 *at;

  if (x == NULL || !ph_aten_ints (l, "size", size, &n) || !ph_aten_ints (l, "stride", stride, &m) || n != m)
    return ph_convert_stay (l, "its sizes or strides are not known");
  if (!is_whole (x))
    return ph_convert_stay (l, "its operand is a view, whose elements lie in another order");
  for (guint i = 0; i < n; i++)
    if (size[i] < 0 || stride[i] < 0 || stride[i] > MOST || (size[i] > 0 && count > MOST / size[i]))
      return ph_convert_stay (l, "its sizes or strides are negative or too large");
    else
      count *= size[i];
  tensor = ph_tensor_new (PH_INT64, n, size);
  at = ph_tensor_writable (tensor);
  for (gint64 i = 0; i < count; i++)
    {
      gint64 rest = i;

      at[i] = ph_aten_int (l, "storage_offset", 0);
      for (guint k = n; k-- > 0;)
        {
          at[i] += rest % size[k] * stride[k];
          rest /= size[k];
        }
    }
  out[0] = PH_BUILD (l->b, Gather, flat (l, x), ph_build_tensor (l->b, g_steal_pointer (&tensor)));
  return out[0] != NULL;
}

/* Equal parts of the second dimension, of the first where there is but one. */
static gboolean
equal_parts (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const char kind = ph_aten_name (l)[0]; /* hsplit, vsplit, dsplit */
  const gint64 axis = kind == 'v' || ph_value_rank (x) == 1 ? 0 : kind == 'h' ? 1 : 2, parts = ph_aten_int (l, "sections", 0);
  const gint64 size = x != NULL ? ph_value_dim (x, (int) axis) : -1;
  g_autofree PhValue **made = NULL;

  if (parts < 1 || parts > 4096 || size < parts || size % parts != 0)
    return ph_convert_stay (l, "it does not say how many equal parts there are");
  made = g_new (PhValue *, (gsize) parts);
  for (gint64 i = 0; i < parts; i++)
    made[i] = ph_aten_slice (l, x, axis, i * (size / parts), (i + 1) * (size / parts));
  return ph_aten_give_parts (l, made, (guint) parts, out);
}

static gboolean
argwhere (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  out[0] = x != NULL ? PH_BUILD (l->b, Transpose, PH_BUILD (l->b, NonZero, x)) : NULL;
  return out[0] != NULL;
}

/* Where the mask is true, the elements of the source follow one another. */
static gboolean
masked_scatter (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *mask = ph_aten_tensor (l, 1), *source = ph_aten_tensor (l, 2), *shape, *at;

  if (x == NULL || mask == NULL || source == NULL)
    return ph_convert_stay (l, "it does not have three operands");
  shape = PH_BUILD (l->b, Shape, x);
  mask = PH_BUILD (l->b, Expand, mask, shape);
  at = PH_BUILD (l->b, CumSum, ph_convert_cast (l, flat (l, mask), PH_INT64), ph_build_scalar (l->b, PH_INT64, 0));
  at = PH_BUILD (l->b, Max, PH_BUILD (l->b, Sub, at, ph_build_scalar (l->b, PH_INT64, 1)), ph_build_scalar (l->b, PH_INT64, 0));
  out[0] = PH_BUILD (l->b, Where, mask, PH_BUILD (l->b, Reshape, PH_BUILD (l->b, Gather, flat (l, source), at), shape), x);
  return out[0] != NULL;
}

/* Each element goes to the place that its index names in the plane. */
static gboolean
max_unpool (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *indices = ph_aten_tensor (l, 1), *lead, *rows, *sizes;
  const int rank = ph_value_rank (x);
  const guint spatial = strstr (l->op, "3d") != NULL ? 3 : 2;
  gint64 size[3];
  guint n = 3;

  if (x == NULL || indices == NULL || !ph_aten_ints (l, "output_size", size, &n) || n < spatial || rank < (int) n)
    return ph_convert_stay (l, "the size of its result is not known");
  sizes = ph_convert_ints_value (l, size + n - spatial, spatial);
  rows = ph_convert_ints_value (l, (gint64[]) { -1 }, 1);
  if (rank > (int) n)
    {
      lead = ph_aten_shape_part (l, x, 0, rank - (int) n);
      rows = ph_aten_concat (l, (PhValue *[]) { lead, rows }, 2, 0);
      sizes = ph_aten_concat (l, (PhValue *[]) { lead, sizes }, 2, 0);
    }
  out[0] = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", -1)),
                          PH_BUILD (l->b, Reshape, PH_BUILD (l->b, Expand, ph_convert_like (l, x, 0), sizes), rows),
                          PH_BUILD (l->b, Reshape, ph_convert_cast (l, indices, PH_INT64), rows),
                          PH_BUILD (l->b, Reshape, x, rows));
  out[0] = PH_BUILD (l->b, Reshape, out[0], sizes);
  return out[0] != NULL;
}

static gboolean
diag_flat (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  gint64 dims[PH_MAX_RANK], n = 1;

  if (x == NULL || !ph_convert_dims (l, x, dims) || ph_aten_int (l, "offset", 0) != 0)
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "it means another diagonal than the main one");
  for (int i = 0; i < ph_value_rank (x); i++)
    if (dims[i] > MOST || (n *= dims[i]) > 4096)
      return ph_convert_stay (l, "its diagonal is too long");
  out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, ph_convert_iota (l, n, 0, 2), ph_convert_iota (l, n, 1, 2)), flat (l, x),
                     ph_convert_like (l, x, 0));
  return out[0] != NULL;
}

/* At indices of the flat tensor. */
static gboolean
put (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1), *source = ph_aten_tensor (l, 2);
  const gboolean add = ph_aten_int (l, "accumulate", 0) != 0;

  if (x == NULL || index == NULL || source == NULL)
    return ph_convert_stay (l, "it does not have three operands");
  out[0] = PH_BUILD_WITH (l->b, ScatterElements, add ? PH_ATTRS (ph_attr_new_string ("reduction", "add")) : NULL, flat (l, x),
                          flat (l, ph_convert_cast (l, index, PH_INT64)), flat (l, source));
  out[0] = PH_BUILD (l->b, Reshape, out[0], ph_aten_shape_part (l, x, 0, G_MAXINT64));
  return out[0] != NULL;
}

/* Elements whose indices are all equal; of a matrix that is higher than wide, with @wrap, again after each row that is left out. */
static gboolean
fill_diagonal (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *mask;
  const gboolean wrap = ph_aten_int (l, "wrap", 0) != 0;
  const double number = ph_aten_number (l, "fill_value", 0);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 dims[PH_MAX_RANK], count = 1, step = 0;
  PhTensor *tensor;

  if (l->stays != NULL || rank < 2)
    return ph_convert_stay (l, "its number, or the rank of its operand, is not known");
  if (rank == 2 && !wrap)
    mask = ph_convert_cast (l, PH_BUILD_WITH (l->b, EyeLike, PH_ATTRS (ph_attr_new_int ("dtype", PH_FLOAT)), x), PH_BOOL);
  else
    {
      if (!ph_convert_dims (l, x, dims))
        return FALSE;
      for (int i = 0; i < rank; i++)
        if ((rank > 2 && dims[i] != dims[0]) || dims[i] > MOST || (count *= dims[i]) > MOST)
          return ph_convert_stay (l, "its dimensions differ, or are too large");
        else
          step = step * dims[i] + 1;
      tensor = ph_tensor_new (PH_BOOL, (guint) rank, dims);
      memset (ph_tensor_writable (tensor), 0, (gsize) count);
      for (gint64 i = 0, k = 0; i < count && (wrap || k < dims[0]); i += step, k++)
        ((guint8 *) ph_tensor_writable (tensor))[i] = 1;
      mask = ph_build_tensor (l->b, tensor);
    }
  out[0] = PH_BUILD (l->b, Where, mask, ph_convert_like (l, x, number), x);
  return out[0] != NULL;
}

/* Rows take the part's elements, and of each only that on the diagonal stays. */
static gboolean
diagonal_scatter (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *part = ph_aten_tensor (l, 1), *mask;
  const int rank = x != NULL ? ph_value_rank (x) : -1, a = ph_aten_axis (l, x, ph_aten_int (l, "dim1", 0)),
            b = ph_aten_axis (l, x, ph_aten_int (l, "dim2", 1));
  const gint64 offset = ph_aten_int (l, "offset", 0), height = a >= 0 ? ph_value_dim (x, a) : -1,
               width = b >= 0 ? ph_value_dim (x, b) : -1, first = MAX (-offset, 0),
               length = MIN (height - first, width - MAX (offset, 0)), last = -1;
  gint64 perm[PH_MAX_RANK], back[PH_MAX_RANK], dims[] = { height, width };
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (gint64));
  PhTensor *tensor;
  guint n = 0;

  if (part == NULL || rank < 2 || height < 0 || width < 0 || a == b || height > MOST / MAX (width, 1) || l->stays != NULL)
    return ph_convert_stay (l, "the sizes of its diagonal are not known, or too large");
  if (length <= 0)
    return ph_aten_same (l, out);
  for (int i = 0; i < rank; i++)
    if (i != a && i != b)
      perm[n++] = i;
  perm[n++] = a;
  perm[n] = b;
  for (int i = 0; i < rank; i++)
    back[perm[i]] = i;
  tensor = ph_tensor_new (PH_BOOL, 2, dims);
  for (gint64 i = 0; i < height; i++)
    {
      const gint64 row = CLAMP (i - first, 0, length - 1);

      for (gint64 k = 0; k < width; k++)
        ((guint8 *) ph_tensor_writable (tensor))[i * width + k] = k == i + offset;
      g_array_append_val (rows, row);
    }
  mask = ph_build_tensor (l->b, tensor);
  part = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)), ph_convert_cast (l, part, ph_convert_dtype (x)),
                        ph_convert_ints_value (l, (const gint64 *) (gpointer) rows->data, rows->len));
  out[0] = PH_BUILD (l->b, Where, mask, PH_BUILD (l->b, Unsqueeze, part, ph_convert_ints_value (l, &last, 1)),
                     ph_convert_transpose (l, x, perm, (guint) rank));
  out[0] = out[0] != NULL ? ph_convert_transpose (l, out[0], back, (guint) rank) : NULL;
  return out[0] != NULL;
}

static const char moves[] = "Both move elements.";
static const char places[] = "ONNX has no identical operator, so it is composed of those that read and write by index.";

/* clang-format off */
const PhConvertRule ph_convert_aten_place[] = {
  { "aten:ravel", ravel, "Reshape", moves }, { "aten:mT", turned, "Transpose", moves }, { "aten:mH", turned, "Transpose", moves },
  { "aten:adjoint", turned, "Transpose", moves }, { "aten:as_strided", as_strided, "Gather", places },
  { "aten:hsplit", equal_parts, "Slices", moves }, { "aten:vsplit", equal_parts, "Slices", moves }, { "aten:dsplit", equal_parts, "Slices", moves },
  { "aten:argwhere", argwhere, "NonZero, transposed", "ONNX's NonZero gives a column for each place." },
  { "aten:masked_scatter", masked_scatter, "CumSum, Gather and Where", places },
  { "aten:max_unpool2d", max_unpool, "ScatterElements", places }, { "aten:max_unpool3d", max_unpool, "ScatterElements", places },
  { "aten:diagonal_scatter", diagonal_scatter, "Where", places }, { "aten:put", put, "ScatterElements", places }, { "aten:fill_diagonal", fill_diagonal, "Where", places },
  { "aten:diagflat", diag_flat, "Where", places },
  { NULL }
};
/* clang-format on */
