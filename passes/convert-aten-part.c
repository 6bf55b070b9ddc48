/* convert-aten-part.c: PyTorch's operators that take diagonals, windows and blocks of tensors or join tensors, in ONNX: by Gather with
 * indices computed here, which requires known sizes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

#define MOST (1 << 20) /* indices */

static PhValue *
indices (PhConvert *l, const gint64 *data, const gint64 *dims, guint rank)
{
  gsize n = 1;
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  bytes = g_bytes_new (data, n * sizeof *data);
  return ph_build_tensor (l->b, ph_tensor_new_from_bytes (PH_INT64, rank, dims, bytes));
}

static PhValue *
gather (PhConvert *l, PhValue *x, gint64 axis, PhValue *at)
{
  return PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, at);
}

/* Returns the size of axis @i, or -1 and records the reason if it is unknown. */
static gint64
size_of (PhConvert *l, const PhValue *x, int i)
{
  const gint64 size = i >= 0 ? ph_value_dim (x, i) : -1;

  if (size < 0)
    ph_convert_stay (l, "the size of the dimension is not known");
  return size;
}

/* Returns TRUE if @rows times @columns indices can be written out; no product overflows. */
static gboolean
are_few (gint64 rows, gint64 columns)
{
  return rows >= 0 && columns >= 0 && rows <= MOST && columns <= MOST && rows * columns <= MOST;
}

/* ── diagonals ── */

/* Takes the diagonal of the axes @a and @b of @x. */
static PhValue *
take_diagonal (PhConvert *l, PhValue *x, int a, int b, gint64 offset)
{
  const int rank = ph_value_rank (x);
  const gint64 rows = size_of (l, x, a), columns = size_of (l, x, b);
  gint64 perm[PH_MAX_RANK], n, dims[PH_MAX_RANK];
  g_autofree gint64 *at = NULL;
  guint k = 0;

  if (!are_few (rows, columns))
    return NULL;
  for (int i = 0; i < rank; i++)
    if (i != a && i != b)
      perm[k++] = i;
  perm[k++] = a;
  perm[k++] = b;
  for (int i = 0; i < rank - 2; i++)
    dims[i] = 0;
  dims[rank - 2] = rows * columns;
  n = offset >= 0 ? MIN (rows, columns - offset) : MIN (rows + offset, columns);
  n = MAX (n, 0);
  at = g_new (gint64, (gsize) n + 1);
  for (gint64 i = 0; i < n; i++)
    at[i] = (i + (offset < 0 ? -offset : 0)) * columns + i + (offset > 0 ? offset : 0);
  x = PH_BUILD (l->b, Reshape, ph_convert_transpose (l, x, perm, (guint) rank),
                ph_convert_ints_value (l, dims, (gsize) rank - 1));
  return x != NULL ? gather (l, x, rank - 2, indices (l, at, &n, 1)) : NULL;
}

/* Puts the last axis on the diagonal of a square of zeros. */
static PhValue *
put_diagonal (PhConvert *l, PhValue *x, gint64 offset)
{
  const gint64 n = size_of (l, x, ph_value_rank (x) - 1), side = offset < 0 ? n - offset : n + offset;
  g_autofree gint64 *at = NULL, *on = NULL;
  const gint64 dims[] = { side, side };
  PhValue *mask;

  if (n <= 0 || !are_few (n, 1) || offset < -MOST || offset > MOST || !are_few (side, side))
    return NULL;
  at = g_new0 (gint64, (gsize) (side * side));
  on = g_new0 (gint64, (gsize) (side * side));
  for (gint64 i = 0; i < n; i++)
    {
      const gint64 place = (i + (offset < 0 ? -offset : 0)) * side + i + (offset > 0 ? offset : 0);

      at[place] = i;
      on[place] = 1;
    }
  mask = ph_convert_cast (l, indices (l, on, dims, 2), PH_BOOL);
  return PH_BUILD (l->b, Where, mask, gather (l, x, ph_value_rank (x) - 1, indices (l, at, dims, 2)), ph_convert_like (l, x, 0));
}

static gboolean
diagonal (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean diag = strcmp (op, "diag") == 0;
  PhValue *x = ph_aten_operand (l);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  const gint64 offset = ph_aten_int (l, diag ? "diagonal" : "offset", 0);

  if (rank < 1)
    return ph_convert_stay (l, "the rank of its operand is not known");
  if (strcmp (op, "diag_embed") == 0 || (diag && rank == 1))
    {
      if (ph_aten_int (l, "dim1", -2) != -2 || ph_aten_int (l, "dim2", -1) != -1)
        return ph_convert_stay (l, "its diagonal does not lie in the last two dimensions");
      out[0] = put_diagonal (l, x, offset);
    }
  else
    {
      const int a = ph_aten_axis (l, x, diag ? 0 : ph_aten_int (l, "dim1", 0)),
                b = ph_aten_axis (l, x, diag ? 1 : ph_aten_int (l, "dim2", 1));

      out[0] = a >= 0 && b >= 0 && a != b ? take_diagonal (l, x, a, b, offset) : NULL;
    }
  return out[0] != NULL || ph_convert_stay (l, "the size of its diagonal is not known");
}

static gboolean
trace (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *line = x != NULL && ph_value_rank (x) == 2 ? take_diagonal (l, x, 0, 1, 0) : NULL;

  if (line == NULL)
    return ph_convert_stay (l, "the size of its diagonal is not known");
  if (ph_dtype_is_integer (ph_convert_dtype (line)))
    line = ph_convert_cast (l, line, PH_INT64);
  out[0] = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), line);
  return TRUE;
}

/* ── new ── */

static gboolean
eye (PhConvert *l, PhValue **out)
{
  const gint64 n = ph_aten_int (l, "n", -1), m = ph_aten_int (l, "m", n), dims[] = { n, m };
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  g_autofree gint64 *data = NULL;

  if (n < 0 || m < 0 || (m > 0 && n > MOST / m))
    return ph_convert_stay (l, "its size is not known");
  data = g_new0 (gint64, (gsize) (n * m) + 1);
  for (gint64 i = 0; i < MIN (n, m); i++)
    data[i * m + i] = 1;
  out[0] = ph_convert_cast (l, indices (l, data, dims, 2), dtype != PH_UNDEFINED ? dtype : PH_FLOAT);
  return TRUE;
}

static gboolean
linspace (PhConvert *l, PhValue **out)
{
  const double start = ph_aten_number (l, "start", 0), end = ph_aten_number (l, "end", 0);
  const gint64 n = ph_aten_int (l, "steps", -1);
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  g_autofree float *data = NULL;

  if (l->stays != NULL || n < 0 || n > MOST)
    return ph_convert_stay (l, "its ends or its number of steps are not known");
  data = g_new (float, (gsize) n + 1);
  for (gint64 i = 0; i < n; i++)
    data[i] = (float) (i < n / 2 || n == 1 ? start + (n > 1 ? (end - start) / (double) (n - 1) * (double) i : 0)
                                           : end - (end - start) / (double) (n - 1) * (double) (n - 1 - i));
  out[0] = ph_convert_cast (l, ph_build_tensor (l->b, ph_tensor_new_floats (data, (gsize) n)),
                            dtype != PH_UNDEFINED ? dtype : PH_FLOAT);
  return TRUE;
}

static gboolean
triangle_indices (PhConvert *l, PhValue **out)
{
  const gint64 rows = ph_aten_int (l, "row", -1), columns = ph_aten_int (l, "col", -1), offset = ph_aten_int (l, "offset", 0);
  const gboolean lower = g_str_has_prefix (ph_aten_name (l), "tril");
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (gint64)), second = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 dims[2] = { 2, 0 };

  if (rows < 0 || columns < 0 || rows > MOST || (columns > 0 && rows > MOST / columns))
    return ph_convert_stay (l, "its size is not known");
  for (gint64 i = 0; i < rows; i++)
    for (gint64 k = 0; k < columns; k++)
      if (lower ? k - i <= offset : k - i >= offset)
        {
          g_array_append_val (first, i);
          g_array_append_val (second, k);
        }
  dims[1] = first->len;
  if (first->len > 0)
    g_array_append_vals (first, second->data, second->len);
  out[0] = indices (l, (const gint64 *) (gpointer) first->data, dims, 2);
  return TRUE;
}

/* ── windows ── */

/* Windows of one dimension; their elements come last. */
static gboolean
unfold (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *made;
  const int rank = x != NULL ? ph_value_rank (x) : -1,
            axis = x != NULL ? ph_aten_axis (l, x, ph_aten_int (l, "dimension", 0)) : -1;
  const gint64 width = ph_aten_int (l, "size", 0), stride = ph_aten_int (l, "step", 1), n = axis >= 0 ? size_of (l, x, axis) : -1;
  gint64 dims[2], perm[PH_MAX_RANK];
  g_autofree gint64 *at = NULL;

  if (n < width || width < 1 || stride < 1 || rank < 1 || rank + 1 > PH_MAX_RANK)
    return ph_convert_stay (l, "the size of the dimension is not known");
  dims[0] = (n - width) / stride + 1;
  dims[1] = width;
  if (!are_few (dims[0], dims[1]))
    return ph_convert_stay (l, "it has too many windows");
  at = g_new (gint64, (gsize) (dims[0] * dims[1]));
  for (gint64 i = 0; i < dims[0]; i++)
    for (gint64 k = 0; k < width; k++)
      at[i * width + k] = i * stride + k;
  made = gather (l, x, axis, indices (l, at, dims, 2));
  for (int i = 0, k = 0; i <= rank; i++)
    if (i != axis + 1)
      perm[k++] = i;
  perm[rank] = axis + 1;
  out[0] = made != NULL ? ph_convert_transpose (l, made, perm, (guint) rank + 1) : NULL;
  return out[0] != NULL;
}

static gboolean
two (PhConvert *l, const char *name, gint64 fallback, gint64 *to)
{
  guint n = 2;

  if (!ph_aten_ints (l, name, to, &n) && ph_aten_has (l, name))
    return FALSE;
  if (n == 0)
    to[0] = fallback;
  if (n < 2)
    to[1] = to[0];
  return TRUE;
}

/* Builds the indices of one axis's windows, [width, number]. */
static PhValue *
window_rows (PhConvert *l, gint64 size, gint64 width, gint64 stride, gint64 dilation, gint64 *number)
{
  gint64 dims[2] = { width, 0 };
  g_autofree gint64 *at = NULL;

  if (width < 1 || dilation < 1 || stride < 1 || !are_few (dilation, width) || size < dilation * (width - 1) + 1)
    return NULL;
  dims[1] = (size - dilation * (width - 1) - 1) / stride + 1;
  if (!are_few (dims[0], dims[1]))
    return NULL;
  at = g_new (gint64, (gsize) (dims[0] * dims[1]));
  for (gint64 i = 0; i < dims[0]; i++)
    for (gint64 k = 0; k < dims[1]; k++)
      at[i * dims[1] + k] = k * stride + i * dilation;
  *number = dims[1];
  return indices (l, at, dims, 2);
}

static gboolean
im2col (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  gint64 kernel[2], dilation[2], padding[2], stride[2], pads[8] = { 0 }, number[2];
  PhValue *rows, *columns;

  if (x == NULL || ph_value_rank (x) != 4 || !two (l, "kernel_size", 1, kernel) || !two (l, "dilation", 1, dilation)
      || !two (l, "padding", 0, padding) || !two (l, "stride", 1, stride))
    return ph_convert_stay (l, "the size of its windows or the rank of its operand is not known");
  for (guint i = 0; i < 2; i++)
    if (kernel[i] < 1 || dilation[i] < 1 || stride[i] < 1 || padding[i] < 0 || size_of (l, x, 2 + (int) i) < 0
        || size_of (l, x, 1) < 0)
      return ph_convert_stay (l, "the size of its operand is not known");
    else
      pads[2 + i] = pads[6 + i] = padding[i];
  rows = window_rows (l, ph_value_dim (x, 2) + 2 * padding[0], kernel[0], stride[0], dilation[0], &number[0]);
  columns = window_rows (l, ph_value_dim (x, 3) + 2 * padding[1], kernel[1], stride[1], dilation[1], &number[1]);
  if (rows == NULL || columns == NULL)
    return ph_convert_stay (l, "its windows are larger than its operand");
  {
    const gint64 perm[] = { 0, 1, 2, 4, 3, 5 },
                 dims[] = { 0, ph_value_dim (x, 1) * kernel[0] * kernel[1], number[0] * number[1] };

    if (padding[0] > 0 || padding[1] > 0)
      x = PH_BUILD (l->b, Pad, x, ph_convert_ints_value (l, pads, 8));
    x = gather (l, gather (l, x, 3, columns), 2, rows); /* [n, c, kh, oh, kw, ow] */
    out[0] = x != NULL ? PH_BUILD (l->b, Reshape, ph_convert_transpose (l, x, perm, 6), ph_convert_ints_value (l, dims, 3))
                       : NULL;
  }
  return out[0] != NULL;
}

static gboolean
col2im (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  gint64 size[2], kernel[2], dilation[2], padding[4], stride[2];

  if (x == NULL || ph_value_rank (x) != 3 || !two (l, "output_size", 1, size) || !two (l, "kernel_size", 1, kernel)
      || !two (l, "dilation", 1, dilation) || !two (l, "padding", 0, padding) || !two (l, "stride", 1, stride))
    return ph_convert_stay (l, "the size of its windows or the rank of its operand is not known");
  memcpy (padding + 2, padding, 2 * sizeof *padding);
  out[0] = PH_BUILD_WITH (l->b, Col2Im,
                          PH_ATTRS (ph_attr_new_ints ("dilations", dilation, 2), ph_attr_new_ints ("pads", padding, 4),
                                    ph_attr_new_ints ("strides", stride, 2)),
                          x, ph_convert_ints_value (l, size, 2), ph_convert_ints_value (l, kernel, 2));
  return TRUE;
}

/* ── blocks ── */

/* Channels in blocks of pixels, and back; and channels among each other. */
gboolean
ph_aten_shuffle (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_operand (l);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  const gboolean back = strcmp (op, "pixel_unshuffle") == 0, channels = g_str_has_suffix (op, "channel_shuffle");
  const int c = channels ? 1 : rank - 3;
  const gint64 r = ph_aten_int (l, back ? "downscale_factor" : channels ? "groups" : "upscale_factor", 1);
  gint64 split[PH_MAX_RANK], perm[PH_MAX_RANK], joined[PH_MAX_RANK], sizes[3] = { 1, 1, 1 };
  int n = 0, m = 0;

  if (rank < (channels ? 2 : 3) || rank + 3 > PH_MAX_RANK || r < 1 || r > G_MAXINT32)
    return ph_convert_stay (l, "the rank of its operand or its factor is not known");
  for (int i = 0; i < (channels ? 1 : 3); i++)
    if ((sizes[i] = size_of (l, x, c + i)) < 0)
      return FALSE;
  if (channels ? sizes[0] % r != 0 : back ? sizes[1] % r != 0 || sizes[2] % r != 0 : sizes[0] % (r * r) != 0)
    return ph_convert_stay (l, "its sizes are not multiples of its factor");
  for (int i = 0; i < c; i++)
    {
      split[n] = joined[m++] = 0;
      perm[n] = n;
      n++;
    }
  if (channels)
    {
      const gint64 in[] = { r, sizes[0] / r }, order[] = { 1, 0 };

      for (int i = 0; i < 2; i++)
        {
          perm[n + i] = n + order[i];
          split[n + i] = in[i];
        }
      n += 2;
      joined[m++] = sizes[0];
      for (int i = 2; i < rank; i++)
        {
          if ((split[n] = joined[m++] = size_of (l, x, i)) < 0)
            return FALSE;
          perm[n] = n;
          n++;
        }
    }
  else
    {
      const gint64 deep[] = { sizes[0] / (r * r), r, r, sizes[1], sizes[2] },
                   wide[] = { sizes[0], sizes[1] / r, r, sizes[2] / r, r }, to_wide[] = { 0, 3, 1, 4, 2 },
                   to_deep[] = { 0, 2, 4, 1, 3 };

      for (int i = 0; i < 5; i++)
        {
          split[n + i] = back ? wide[i] : deep[i];
          perm[n + i] = n + (back ? to_deep[i] : to_wide[i]);
        }
      n += 5;
      joined[m++] = back ? sizes[0] * r * r : deep[0];
      joined[m++] = back ? sizes[1] / r : sizes[1] * r;
      joined[m++] = back ? sizes[2] / r : sizes[2] * r;
    }
  x = ph_convert_transpose (l, PH_BUILD (l->b, Reshape, x, ph_convert_ints_value (l, split, (gsize) n)), perm, (guint) n);
  out[0] = PH_BUILD (l->b, Reshape, x, ph_convert_ints_value (l, joined, (gsize) m));
  return out[0] != NULL;
}

/* Converts repeat_interleave: each element is repeated consecutively. */
static gboolean
repeat_each (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *times = ph_aten_tensor (l, 1);
  const gint64 all = -1;
  PhTensor *known = times != NULL                             ? ph_value_constant (times)
                    : ph_aten_computed (l, "repeats") != NULL ? ph_value_constant (ph_aten_computed (l, "repeats"))
                                                              : NULL;
  const PhAttr *attr = ph_node_attr (l->node, "repeats");
  int axis;
  gint64 n;
  g_autoptr (GArray) at = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (x == NULL)
    return FALSE;
  if (!ph_aten_has (l, "dim"))
    x = ph_convert_reshape (l, x, &all, 1);
  if (x == NULL || (axis = ph_aten_axis (l, x, ph_aten_int (l, "dim", 0))) < 0 || (n = size_of (l, x, axis)) < 0)
    return FALSE;
  if ((known == NULL && (attr == NULL || attr->kind != PH_ATTR_INT))
      || (known != NULL
          && (!ph_dtype_is_integer (ph_tensor_dtype (known))
              || (ph_tensor_count (known) != 1 && (gint64) ph_tensor_count (known) != n))))
    return ph_convert_stay (l, "the number of repetitions is not known");
  for (gint64 i = 0; i < n; i++)
    {
      const gint64 count = known == NULL ? attr->i : ph_tensor_get_int (known, ph_tensor_count (known) == 1 ? 0 : (gsize) i);

      if (count < 0 || count > MOST || at->len + count > MOST)
        return ph_convert_stay (l, "it repeats too many times");
      for (gint64 k = 0; k < count; k++)
        g_array_append_val (at, i);
    }
  n = at->len;
  out[0] = gather (l, x, axis, indices (l, (const gint64 *) (gpointer) at->data, &n, 1));
  return TRUE;
}

static gboolean
rotate (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_operand (l);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 axes[2] = { 0, 1 }, perm[PH_MAX_RANK], k;
  guint n = 2;

  if (rank < 1)
    return ph_convert_stay (l, "the rank of its operand is not known");
  if (strcmp (op, "rot90") != 0)
    {
      axes[0] = strcmp (op, "fliplr") == 0;
      out[0] = ph_convert_reverse (l, x, axes, 1);
      return out[0] != NULL;
    }
  k = ((ph_aten_int (l, "k", 1) % 4) + 4) % 4;
  if (ph_aten_has (l, "dims") && (!ph_aten_ints (l, "dims", axes, &n) || n != 2))
    return ph_convert_stay (l, "its dims are not known");
  for (int i = 0; i < rank; i++)
    perm[i] = i;
  for (guint i = 0; i < 2; i++)
    if ((axes[i] = ph_aten_axis (l, x, axes[i])) < 0)
      return FALSE;
  perm[axes[0]] = axes[1];
  perm[axes[1]] = axes[0];
  if (k == 2)
    x = ph_convert_reverse (l, x, axes, 2);
  else if (k == 1)
    x = ph_convert_transpose (l, ph_convert_reverse (l, x, axes + 1, 1), perm, (guint) rank);
  else if (k == 3)
    x = ph_convert_reverse (l, ph_convert_transpose (l, x, perm, (guint) rank), axes + 1, 1);
  out[0] = x;
  return x != NULL;
}

/* ── several ── */

static gboolean
grid (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);
  const gboolean swapped = strcmp (ph_node_attr_string (l->node, "indexing", "ij"), "xy") == 0;
  PhValue *parts[PH_MAX_RANK], *lengths[PH_MAX_RANK], *shape;

  if (n < 1 || n > PH_MAX_RANK)
    return ph_convert_stay (l, "its tensors are not known");
  for (guint i = 0; i < n; i++)
    {
      const guint to = swapped && n > 1 && i < 2 ? 1 - i : i;

      if ((parts[i] = ph_aten_tensor (l, i)) == NULL)
        return ph_convert_stay (l, "an element of its list is not a known number");
      lengths[to] = PH_BUILD (l->b, Reshape, PH_BUILD (l->b, Size, parts[i]), ph_convert_ints_value (l, (gint64[]) { 1 }, 1));
    }
  shape = ph_aten_concat (l, lengths, n, 0);
  for (guint i = 0; i < n; i++)
    {
      const guint to = swapped && n > 1 && i < 2 ? 1 - i : i;
      gint64 dims[PH_MAX_RANK];

      for (guint k = 0; k < n; k++)
        dims[k] = k == to ? -1 : 1;
      parts[i] = PH_BUILD (l->b, Expand, ph_convert_reshape (l, parts[i], dims, n), shape);
    }
  return ph_aten_give_parts (l, parts, n, out);
}

static gboolean
broadcast (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);
  PhValue *parts[64], *all = NULL;

  if (n < 1 || n > G_N_ELEMENTS (parts))
    return ph_convert_stay (l, "its tensors are not known");
  for (guint i = 0; i < n; i++)
    {
      PhValue *one;

      if ((parts[i] = ph_aten_tensor (l, i)) == NULL)
        return ph_convert_stay (l, "an element of its list is not a known number");
      one = ph_convert_cast (l, parts[i], PH_FLOAT);
      all = all == NULL ? one : PH_BUILD (l->b, Add, all, one);
    }
  all = all != NULL ? ph_aten_shape_part (l, all, 0, G_MAXINT64) : NULL;
  for (guint i = 0; i < n; i++)
    parts[i] = PH_BUILD (l->b, Expand, parts[i], all);
  return ph_aten_give_parts (l, parts, n, out);
}

/* Raises the rank of @x to @dims with dimensions of one in front, or @behind for columns. */
static PhValue *
at_least (PhConvert *l, PhValue *x, int dims, gboolean behind)
{
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 axes[3] = { 0, 1, 2 };

  if (rank < 0)
    {
      ph_convert_stay (l, "the rank of its operand is not known");
      return NULL;
    }
  if (rank >= dims)
    return x;
  if (dims == 3) /* [n] => [1, n, 1], [n, m] => [n, m, 1] */
    {
      const gint64 of[3][3] = { { 0, 1, 2 }, { 0, 2, 0 }, { 2, 0, 0 } };

      return PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, of[rank], 3 - (gsize) rank));
    }
  if (behind && rank == 1)
    axes[0] = 1;
  return PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, axes, (gsize) (dims - rank)));
}

static gboolean
pile (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean columns = strcmp (op, "column_stack") == 0;
  const int dims = strcmp (op, "dstack") == 0 ? 3 : strcmp (op, "vstack") == 0 || columns ? 2 : 1;
  const guint n = ph_aten_n_tensors (l);
  g_autofree PhValue **parts = g_new0 (PhValue *, n + 1);
  g_autofree PhAtenArg *args = g_new0 (PhAtenArg, n + 1);
  PhDType dtype;
  gint64 axis;

  for (guint i = 0; i < n; i++)
    {
      if ((parts[i] = at_least (l, ph_aten_tensor (l, i), dims, columns)) == NULL)
        return FALSE;
      args[i] = (PhAtenArg) { .value = parts[i], .dtype = ph_value_dtype (parts[i]), .level = 2 };
    }
  if (n == 0)
    return ph_convert_stay (l, "its list is not known");
  dtype = ph_aten_promote (args, n);
  for (guint i = 0; i < n; i++)
    parts[i] = ph_aten_as (l, &args[i], dtype, NULL);
  axis = dims == 3 ? 2 : columns ? 1 : strcmp (op, "vstack") == 0 ? 0 : ph_value_rank (parts[0]) == 1 ? 0 : 1;
  out[0] = ph_aten_concat (l, parts, n, axis);
  return out[0] != NULL;
}

PH_CONVERT_TO (raise_rank, at_least (l, ph_aten_operand (l), ph_aten_name (l)[strlen ("atleast_")] - '0', FALSE))

static const char places[] = "The sizes are known, so the indices of the elements are a constant.";
static const char constant[] = "Its operands are constant, so it is evaluated now.";
static const char joined[] = "Missing leading dimensions are added before the operator.";

/* clang-format off */
const PhConvertRule ph_convert_aten_part[] = {
  { "aten:diagonal", diagonal, "Gather", places }, { "aten:diagonal_copy", diagonal, "Gather", places }, { "aten:diag", diagonal, "Gather", places }, { "aten:diag_embed", diagonal, "Gather and Where", places },
  { "aten:trace", trace, "ReduceSum of the diagonal", places }, { "aten:eye", eye, "a constant", constant }, { "aten:linspace", linspace, "a constant", constant },
  { "aten:tril_indices", triangle_indices, "a constant", constant }, { "aten:triu_indices", triangle_indices, "a constant", constant },
  { "aten:unfold", unfold, "Gather", places }, { "aten:im2col", im2col, "two Gathers", places }, { "aten:col2im", col2im, "Col2Im", "Both add the elements of overlapping windows." },
  { "aten:pixel_unshuffle", ph_aten_shuffle, "Reshape and Transpose", places }, { "aten:channel_shuffle", ph_aten_shuffle, "Reshape and Transpose", places },
  { "aten:native_channel_shuffle", ph_aten_shuffle, "Reshape and Transpose", places }, { "aten:repeat_interleave", repeat_each, "Gather", places },
  { "aten:rot90", rotate, "Transpose and Slice", places }, { "aten:flipud", rotate, "Slice with steps of -1", places }, { "aten:fliplr", rotate, "Slice with steps of -1", places },
  { "aten:meshgrid", grid, "Reshape and Expand", "Each tensor is broadcast along a dimension of its own." }, { "aten:broadcast_tensors", broadcast, "Expand", "All tensors are expanded to their common broadcast shape." },
  { "aten:hstack", pile, "Concat", joined }, { "aten:vstack", pile, "Concat", joined }, { "aten:dstack", pile, "Concat", joined }, { "aten:column_stack", pile, "Concat", joined },
  { "aten:atleast_1d", raise_rank, "Unsqueeze", joined }, { "aten:atleast_2d", raise_rank, "Unsqueeze", joined }, { "aten:atleast_3d", raise_rank, "Unsqueeze", joined },
  { NULL }
};
/* clang-format on */
