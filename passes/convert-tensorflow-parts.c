/* convert-tensorflow-parts.c: TensorFlow's operators on blocks, on diagonals, on segments, and on places that are given by indices.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <string.h>

#include "passes/convert-foreign.h"

static PhValue *
one_int (PhConvert *l, gint64 number)
{
  return ph_convert_ints_value (l, &number, 1);
}

static PhValue *
unsqueezed (PhConvert *l, PhValue *value, gint64 axis)
{
  return PH_BUILD (l->b, Unsqueeze, value, one_int (l, axis));
}

/* The sizes of @value from dimension @from on. */
static PhValue *
sizes_from (PhConvert *l, PhValue *value, gint64 from)
{
  return PH_BUILD_WITH (l->b, Shape, PH_ATTRS (ph_attr_new_int ("start", from)), value);
}

/* ── blocks ── */

/* Converts SpaceToBatchND and BatchToSpaceND with constant operands. */
static gboolean
space_batch (PhConvert *l, PhValue **out)
{
  const gboolean back = g_ascii_strncasecmp (strchr (l->op, ':') + 1, "batch", 5) == 0;
  g_autoptr (GArray) block = ph_foreign_ints (l, 1), borders = block != NULL ? ph_foreign_ints (l, 2) : NULL;
  PhValue *x = l->in[0];
  const int rank = ph_value_rank (x);
  const guint m = block != NULL ? block->len : 0;
  gint64 dims[PH_MAX_RANK], split[PH_MAX_RANK], perm[PH_MAX_RANK], joined[PH_MAX_RANK],
      low[PH_MAX_RANK] = { 0 }, high[PH_MAX_RANK] = { 0 }, none[PH_MAX_RANK] = { 0 }, product = 1;
  guint n = 0;

  if (borders == NULL || borders->len != 2 * m || m < 1 || rank < (int) m + 1 || rank + (int) m > PH_MAX_RANK
      || !ph_convert_dims (l, x, dims))
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "its block size or padding is not known");
  for (guint i = 0; i < m; i++)
    {
      if (g_array_index (block, gint64, i) < 1)
        return ph_convert_stay (l, "its block size is not positive");
      product *= g_array_index (block, gint64, i);
      low[1 + i] = g_array_index (borders, gint64, 2 * i);
      high[1 + i] = g_array_index (borders, gint64, 2 * i + 1);
    }
  if (!back)
    {
      x = ph_convert_pad (l, x, ph_foreign_number (l, x, 0), low, high, none, (guint) rank);
      for (int i = 0; i < rank; i++)
        dims[i] += low[i] + high[i];
      split[n++] = dims[0];
      for (guint i = 0; i < m; i++)
        {
          split[n++] = dims[1 + i] / g_array_index (block, gint64, i);
          split[n++] = g_array_index (block, gint64, i);
          joined[1 + i] = dims[1 + i] / g_array_index (block, gint64, i);
        }
      joined[0] = dims[0] * product;
      for (guint i = 0; i < m; i++)
        perm[i] = 2 + 2 * i;
      perm[m] = 0;
      for (guint i = 0; i < m; i++)
        perm[m + 1 + i] = 1 + 2 * i;
    }
  else
    {
      for (guint i = 0; i < m; i++)
        split[n++] = g_array_index (block, gint64, i);
      split[n++] = dims[0] / product;
      joined[0] = dims[0] / product;
      for (guint i = 0; i < m; i++)
        {
          split[n++] = dims[1 + i];
          joined[1 + i] = dims[1 + i] * g_array_index (block, gint64, i);
        }
      perm[0] = m;
      for (guint i = 0; i < m; i++)
        {
          perm[1 + 2 * i] = m + 1 + i;
          perm[2 + 2 * i] = i;
        }
    }
  for (int i = (int) m + 1; i < rank; i++)
    {
      perm[n] = n;
      split[n++] = joined[i] = dims[i];
    }
  x = ph_convert_reshape (l, ph_convert_transpose (l, ph_convert_reshape (l, x, split, n), perm, n), joined, (guint) rank);
  if (back && x != NULL)
    {
      for (int i = 0; i < rank; i++)
        {
          low[i] = -low[i];
          high[i] = -high[i];
        }
      x = ph_convert_pad (l, x, ph_foreign_number (l, x, 0), low, high, none, (guint) rank);
    }
  out[0] = x;
  return x != NULL;
}

/* ── diagonals ── */

/* True on the diagonal of a matrix. */
static PhValue *
eye (PhConvert *l, gint64 rows, gint64 columns)
{
  return PH_BUILD (l->b, Equal, ph_convert_iota (l, rows, 0, 2), ph_convert_iota (l, columns, 1, 2));
}

/* The third version of an operator says at @input which diagonals it means. */
static gboolean
is_main_diagonal (PhConvert *l, guint input)
{
  g_autoptr (GArray) which = NULL;

  if (l->n_in <= input)
    return TRUE;
  which = ph_foreign_ints (l, input);
  if (which == NULL)
    return FALSE;
  for (guint i = 0; i < which->len; i++)
    if (g_array_index (which, gint64, i) != 0)
      return ph_convert_stay (l, "it means other diagonals than the main one");
  return TRUE;
}

static gboolean
matrix_diag (PhConvert *l, PhValue **out)
{
  const gint64 n = ph_value_dim (l->in[0], -1);

  if (n < 1)
    return ph_convert_stay (l, "the length of its diagonal is not known");
  if (!is_main_diagonal (l, 1))
    return FALSE;
  for (guint i = 2; i < 4 && i < l->n_in; i++)
    {
      const gint64 size = ph_foreign_int (l, i, G_MAXINT64);

      if (size != -1 && size != n)
        return ph_convert_stay (l, "its matrices are not square");
    }
  out[0] = PH_BUILD (l->b, Where, eye (l, n, n), unsqueezed (l, l->in[0], -1),
                     l->n_in > 4 && l->in[4] != NULL ? l->in[4] : ph_foreign_number (l, l->in[0], 0));
  return out[0] != NULL;
}

static gboolean
find_matrix (PhConvert *l, gint64 *rows, gint64 *columns)
{
  *rows = ph_value_dim (l->in[0], -2);
  *columns = ph_value_dim (l->in[0], -1);
  return (*rows > 0 && *columns > 0 && *rows <= G_MAXINT32 && *columns <= G_MAXINT32)
         || ph_convert_stay (l, "the sizes of its matrices are not known");
}

static gboolean
matrix_diag_part (PhConvert *l, PhValue **out)
{
  gint64 rows, columns, dims[PH_MAX_RANK] = { 0 };
  const int rank = ph_value_rank (l->in[0]);
  PhValue *places;

  if (!find_matrix (l, &rows, &columns) || !is_main_diagonal (l, 1))
    return FALSE;
  dims[rank - 2] = rows * columns; /* those before it stay: 0 */
  places = PH_BUILD (l->b, Mul, ph_convert_iota (l, MIN (rows, columns), 0, 1), one_int (l, columns + 1));
  out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)),
                          PH_BUILD (l->b, Reshape, l->in[0], ph_convert_ints_value (l, dims, (gsize) rank - 1)), places);
  return out[0] != NULL;
}

static gboolean
matrix_set_diag (PhConvert *l, PhValue **out)
{
  gint64 rows, columns;

  if (!find_matrix (l, &rows, &columns) || !is_main_diagonal (l, 2))
    return FALSE;
  out[0] = PH_BUILD (l->b, Where, eye (l, rows, columns), unsqueezed (l, l->in[1], rows <= columns ? -1 : -2), l->in[0]);
  return out[0] != NULL;
}

/* A negative bound keeps the whole triangle. */
static gboolean
band_part (PhConvert *l, PhValue **out)
{
  const gint64 lower = ph_foreign_int (l, 1, G_MAXINT64), upper = ph_foreign_int (l, 2, G_MAXINT64);

  if (lower == G_MAXINT64 || upper == G_MAXINT64)
    return ph_convert_stay (l, "its bounds are not constant");
  out[0] = l->in[0];
  if (lower >= 0)
    out[0] = PH_BUILD_WITH (l->b, Trilu, PH_ATTRS (ph_attr_new_int ("upper", 1)), out[0],
                            ph_build_scalar (l->b, PH_INT64, -(double) lower));
  if (upper >= 0)
    out[0] = PH_BUILD_WITH (l->b, Trilu, PH_ATTRS (ph_attr_new_int ("upper", 0)), out[0],
                            ph_build_scalar (l->b, PH_INT64, (double) upper));
  return out[0] != NULL;
}

/* ── segments ── */

/* The least and the greatest finite number of a type, which an empty segment has. */
static gboolean
find_extreme (PhDType dtype, gboolean least, double *number)
{
  static const struct
  {
    PhDType dtype;
    double least, greatest;
  } rows[] = { { PH_FLOAT, -FLT_MAX, FLT_MAX },
               { PH_DOUBLE, -DBL_MAX, DBL_MAX },
               { PH_FLOAT16, -65504, 65504 },
               { PH_INT32, G_MININT32, G_MAXINT32 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].dtype == dtype)
      {
        *number = least ? rows[i].least : rows[i].greatest;
        return TRUE;
      }
  return FALSE;
}

/* Folds the slices of @data that have the same one of @ids into row ids of a tensor of @count (int64[1]) rows, from @start on. Negative
 * ids fold into a row that is cut off. */
static PhValue *
fold_segments (PhConvert *l, PhValue *data, PhValue *ids, PhValue *count, double start, const char *reduction)
{
  const int rank = ph_value_rank (ids);
  PhValue *rows, *all;

  if (rank < 1)
    {
      ph_convert_stay (l, "the rank of its segments is not known");
      return NULL;
    }
  ids = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, ids, one_int (l, 0)), count, ids);
  rows = ph_foreign_joined (l, PH_BUILD (l->b, Add, count, one_int (l, 1)), sizes_from (l, data, rank));
  all = PH_BUILD_WITH (l->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", reduction)),
                       PH_BUILD (l->b, Expand, ph_foreign_number (l, data, start), rows), unsqueezed (l, ids, -1), data);
  return PH_BUILD (l->b, Slice, all, one_int (l, 0), count, one_int (l, 0));
}

/* UnsortedSegmentSum and the like: TensorFlow says the number of rows. */
static gboolean
unsorted_segments (PhConvert *l, PhValue **out)
{
  g_autofree char *name = g_ascii_strdown (strchr (l->op, ':') + 1, -1);
  const gboolean max = g_str_has_suffix (name, "max"), min = g_str_has_suffix (name, "min"),
                 prod = g_str_has_suffix (name, "prod");
  double start = prod;

  if ((max || min) && !find_extreme (ph_convert_dtype (l->in[0]), max, &start))
    return ph_convert_stay (l, "the least number of its element type is not written down here");
  out[0] = fold_segments (l, l->in[0], ph_foreign_int64 (l, l->in[1]),
                          PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, l->in[2]), one_int (l, 1)), start,
                          max    ? "max"
                          : min  ? "min"
                          : prod ? "mul"
                                 : "add");
  return out[0] != NULL;
}

/* SegmentSum and the like: the ids ascend, so the last one says the number of rows. */
static gboolean
segments (PhConvert *l, PhValue **out)
{
  PhValue *ids = ph_foreign_int64 (l, l->in[1]), *last, *count, *sizes;
  const int rank = ph_value_rank (l->in[0]);
  gint64 axes[PH_MAX_RANK];

  last = PH_BUILD (l->b, Slice, ids, one_int (l, -1), one_int (l, G_MAXINT64), one_int (l, 0));
  count = PH_BUILD (l->b, Add, last, one_int (l, 1));
  out[0] = fold_segments (l, l->in[0], ids, count, strstr (l->op, "Prod") != NULL,
                          strstr (l->op, "Prod") != NULL ? "mul" : "add");
  if (out[0] == NULL || strstr (l->op, "Mean") == NULL)
    return out[0] != NULL;
  if (rank < 1)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 1; i < rank; i++)
    axes[i - 1] = i;
  sizes = fold_segments (l, PH_BUILD (l->b, Expand, ph_foreign_number (l, l->in[0], 1), PH_BUILD (l->b, Shape, ids)), ids, count,
                         0, "add");
  sizes = PH_BUILD (l->b, Max, sizes, ph_foreign_number (l, l->in[0], 1));
  if (rank > 1)
    sizes = PH_BUILD (l->b, Unsqueeze, sizes, ph_convert_ints_value (l, axes, (gsize) rank - 1));
  out[0] = PH_BUILD (l->b, Div, out[0], sizes);
  return out[0] != NULL;
}

/* ── places ── */

/* Indices, the shape, values or one value, and what stands elsewhere. */
static gboolean
sparse_to_dense (PhConvert *l, PhValue **out)
{
  PhValue *indices = ph_foreign_int64 (l, l->in[0]), *values;
  const int rank = ph_value_rank (l->in[0]);

  if (rank < 0 || rank > 2)
    return ph_convert_stay (l, "the rank of its indices is not known");
  if (rank == 0)
    indices = PH_BUILD (l->b, Reshape, indices, ph_convert_ints_value (l, (gint64[]) { 1, 1 }, 2));
  else if (rank == 1)
    indices = unsqueezed (l, indices, -1);
  values = PH_BUILD (l->b, Expand, l->in[2], PH_BUILD_WITH (l->b, Shape, PH_ATTRS (ph_attr_new_int ("end", -1)), indices));
  out[0] = PH_BUILD (l->b, ScatterND,
                     PH_BUILD (l->b, Expand, l->n_in > 3 && l->in[3] != NULL ? l->in[3] : ph_foreign_number (l, l->in[2], 0),
                               ph_foreign_int64 (l, l->in[1])),
                     indices, values);
  return out[0] != NULL;
}

/* Half of the operands are indices, the other half slices, which go to these places. */
static gboolean
dynamic_stitch (PhConvert *l, PhValue **out)
{
  const guint n = l->n_in / 2;
  g_autofree PhValue **places = g_new0 (PhValue *, n + 1), **slices = g_new0 (PhValue *, n + 1);
  PhValue *all, *rest, *count;

  if (n == 0 || l->n_in % 2 != 0)
    return ph_convert_stay (l, "it does not have as many slices as indices");
  for (guint i = 0; i < n; i++)
    {
      const int rank = ph_value_rank (l->in[i]);

      if (rank < 0)
        return ph_convert_stay (l, "the rank of its indices is not known");
      rest = sizes_from (l, l->in[n + i], rank);
      places[i] = PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, l->in[i]), one_int (l, -1));
      slices[i] = PH_BUILD (l->b, Reshape, l->in[n + i], ph_foreign_joined (l, one_int (l, -1), rest));
    }
  all = ph_build_node (l->b, &ph_op_Concat, places, n, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
  count = PH_BUILD (l->b, Add, PH_BUILD (l->b, ReduceMax, all, one_int (l, 0)), one_int (l, 1));
  rest = sizes_from (l, l->in[n], ph_value_rank (l->in[0]));
  out[0] = PH_BUILD (
      l->b, ScatterND, PH_BUILD (l->b, Expand, ph_foreign_number (l, l->in[n], 0), ph_foreign_joined (l, count, rest)),
      unsqueezed (l, all, -1), ph_build_node (l->b, &ph_op_Concat, slices, n, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1));
  return out[0] != NULL;
}

static gboolean
roll (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) shifts = ph_foreign_ints (l, 1), axes = shifts != NULL ? ph_foreign_ints (l, 2) : NULL;

  if (axes == NULL || axes->len != shifts->len)
    return ph_convert_stay (l, "its shifts and axes do not fit each other");
  out[0] = l->in[0];
  for (guint i = 0; i < axes->len; i++)
    {
      const gint64 axis = g_array_index (axes, gint64, i), n = ph_value_dim (l->in[0], (int) CLAMP (axis, -99, 99));
      const gint64 by = n > 0 ? (g_array_index (shifts, gint64, i) % n + n) % n : -1;

      if (by < 0)
        return ph_convert_stay (l, "the size of its axis is not known");
      if (by > 0)
        out[0] = PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", axis)),
                                PH_BUILD (l->b, Slice, out[0], one_int (l, n - by), one_int (l, n), one_int (l, axis)),
                                PH_BUILD (l->b, Slice, out[0], one_int (l, 0), one_int (l, n - by), one_int (l, axis)));
    }
  return out[0] != NULL;
}

static gboolean
invert_permutation (PhConvert *l, PhValue **out)
{
  PhValue *order = ph_foreign_int64 (l, l->in[0]);
  PhValue *count = PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), PH_BUILD (l->b, Size, order),
                             ph_build_scalar (l->b, PH_INT64, 1));

  out[0] = ph_convert_cast (l, PH_BUILD (l->b, ScatterElements, count, order, count), ph_convert_dtype (l->in[0]));
  return out[0] != NULL;
}

static gboolean
linspace (PhConvert *l, PhValue **out)
{
  const gint64 n = ph_foreign_int (l, 2, -1);
  PhValue *step;

  if (n < 1 || n > G_MAXINT32)
    return ph_convert_stay (l, "the number of its elements is not known");
  step = PH_BUILD (l->b, Div, PH_BUILD (l->b, Sub, l->in[1], l->in[0]), ph_foreign_number (l, l->in[0], (double) MAX (n - 1, 1)));
  out[0] = PH_BUILD (l->b, Add, l->in[0],
                     PH_BUILD (l->b, Mul, ph_convert_cast (l, ph_convert_iota (l, n, 0, 1), ph_convert_dtype (l->in[0])), step));
  return out[0] != NULL;
}

/* How many of the boundaries an element reaches. */
static gboolean
bucketize (PhConvert *l, PhValue **out)
{
  const PhAttr *attr = ph_node_attr (l->node, "boundaries");
  PhValue *reached;

  if (attr == NULL || attr->floats == NULL || attr->n == 0)
    return ph_convert_stay (l, "its boundaries are missing");
  reached = PH_BUILD (l->b, GreaterOrEqual, unsqueezed (l, ph_convert_cast (l, l->in[0], PH_FLOAT), -1),
                      ph_build_tensor (l->b, ph_tensor_new_floats (attr->floats, attr->n)));
  out[0] = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, reached, PH_INT32),
                          one_int (l, -1));
  return out[0] != NULL;
}

/* The shape to which two shapes broadcast. */
static gboolean
broadcast_shapes (PhConvert *l, PhValue **out)
{
  const gint64 n[] = { ph_value_dim (l->in[0], 0), ph_value_dim (l->in[1], 0) };
  PhValue *sizes[2] = { l->in[0], l->in[1] };

  for (guint i = 0; i < 2; i++)
    if (n[i] < 0 || n[i] > PH_MAX_RANK)
      return ph_convert_stay (l, "the length of its shapes is not known");
  for (guint i = 0; i < 2; i++)
    if (n[i] < n[1 - i])
      sizes[i] = ph_foreign_joined (l, PH_BUILD (l->b, Expand, ph_foreign_number (l, sizes[i], 1), one_int (l, n[1 - i] - n[i])),
                                    sizes[i]);
  out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, sizes[0], ph_foreign_number (l, sizes[0], 1)), sizes[1], sizes[0]);
  return out[0] != NULL;
}

static gboolean
all_operands (PhConvert *l, PhValue **out)
{
  if (l->n_out > l->n_in)
    return ph_convert_stay (l, "it has fewer operands than results");
  for (guint i = 0; i < l->n_out; i++)
    out[i] = l->in[i];
  return TRUE;
}

static const char diagonals[] = "ONNX has no identical operator, so the diagonal is selected by a constant mask.";
static const char places[] = "ONNX's ScatterND writes slices to the places that indices give.";
static const char composed[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
#define BOTH(tf_, lite_, ...) { "tf:" tf_, __VA_ARGS__ }, { "tflite:" lite_, __VA_ARGS__ }
const PhConvertRule ph_convert_tensorflow_parts[] = {
  BOTH ("MatrixDiag", "MATRIX_DIAG", matrix_diag, "Where", diagonals), { "tf:MatrixDiagV2", matrix_diag, "Where", diagonals },
  { "tf:MatrixDiagV3", matrix_diag, "Where", diagonals },
  BOTH ("MatrixSetDiag", "MATRIX_SET_DIAG", matrix_set_diag, "Where", diagonals), { "tf:MatrixSetDiagV2", matrix_set_diag, "Where", diagonals },
  { "tf:MatrixSetDiagV3", matrix_set_diag, "Where", diagonals },
  { "tf:MatrixDiagPart", matrix_diag_part, "Gather", composed }, { "tf:MatrixDiagPartV2", matrix_diag_part, "Gather", composed },
  { "tf:MatrixDiagPartV3", matrix_diag_part, "Gather", composed }, { "tf:MatrixBandPart", band_part, "Trilu", "Each bound cuts one triangle off." },
  BOTH ("UnsortedSegmentSum", "UNSORTED_SEGMENT_SUM", unsorted_segments, "ScatterND that adds", places),
  BOTH ("UnsortedSegmentProd", "UNSORTED_SEGMENT_PROD", unsorted_segments, "ScatterND that multiplies", places),
  BOTH ("UnsortedSegmentMax", "UNSORTED_SEGMENT_MAX", unsorted_segments, "ScatterND with maxima", places),
  BOTH ("UnsortedSegmentMin", "UNSORTED_SEGMENT_MIN", unsorted_segments, "ScatterND with minima", places),
  BOTH ("SegmentSum", "SEGMENT_SUM", segments, "ScatterND that adds", places), { "tf:SegmentProd", segments, "ScatterND that multiplies", places },
  { "tf:SegmentMean", segments, "ScatterND that adds, and Div", places },
  BOTH ("SparseToDense", "SPARSE_TO_DENSE", sparse_to_dense, "ScatterND", places),
  { "tf:DynamicStitch", dynamic_stitch, "ScatterND", places }, { "tf:ParallelDynamicStitch", dynamic_stitch, "ScatterND", places },
  { "tf:Roll", roll, "Concat of two Slices", composed }, { "tf:InvertPermutation", invert_permutation, "ScatterElements", "Each place is written to where it points." },
  { "tf:LinSpace", linspace, "Add and Mul", composed }, BOTH ("Bucketize", "BUCKETIZE", bucketize, "ReduceSum of GreaterOrEqual", composed),
  BOTH ("BroadcastArgs", "BROADCAST_ARGS", broadcast_shapes, "Where", composed), { "tf:BroadcastDynamicShape", broadcast_shapes, "Where", composed },
  BOTH ("SpaceToBatchND", "SPACE_TO_BATCH_ND", space_batch, "Pad, Reshape and Transpose", "Blocks of the plane become samples of the batch."),
  BOTH ("BatchToSpaceND", "BATCH_TO_SPACE_ND", space_batch, "Reshape, Transpose and Slice", "Samples of the batch become blocks of the plane."),
  { "tf:IdentityN", all_operands, "its operands", "It returns its operands unchanged." },
  { NULL }
};
/* clang-format on */
