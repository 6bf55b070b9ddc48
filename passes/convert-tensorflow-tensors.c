/* convert-tensorflow-tensors.c: TensorFlow's operators on shapes and places in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <string.h>

#include "passes/convert-foreign.h"

/* TensorFlow Lite may have the shape as an attribute alone. */
static gboolean
reshape (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) given = l->in[1] == NULL ? ph_foreign_attr_ints (l, "new_shape") : NULL;

  if (l->in[1] == NULL && given == NULL)
    return ph_convert_stay (l, "its shape is missing");
  out[0] = PH_BUILD (l->b, Reshape, l->in[0],
                     given != NULL ? ph_convert_ints_value (l, (const gint64 *) given->data, given->len)
                                   : ph_foreign_int64 (l, l->in[1]));
  return out[0] != NULL;
}

static gboolean
transpose (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) perm = ph_foreign_ints (l, 1);

  if (perm == NULL)
    return FALSE;
  out[0] = ph_convert_transpose (l, l->in[0], (const gint64 *) perm->data, perm->len);
  return TRUE;
}

static gboolean
expand_dims (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_int (l, 1, G_MAXINT64);

  if (axis == G_MAXINT64)
    return FALSE;
  out[0] = ph_foreign_axis (l, &ph_op_Unsqueeze, l->in[0], axis);
  return TRUE;
}

static gboolean
squeeze (PhConvert *l, PhValue **out)
{
  gsize n = 0;
  const gint64 *axes = ph_node_attr_ints (l->node, "squeeze_dims", &n);

  out[0] = n > 0 ? PH_BUILD (l->b, Squeeze, l->in[0], ph_convert_ints_value (l, axes, n)) : PH_BUILD (l->b, Squeeze, l->in[0]);
  return TRUE;
}

/* The axis is the first operand of Concat and the last of ConcatV2. */
static gboolean
concat (PhConvert *l, PhValue **out)
{
  const gboolean first = strcmp (l->op, "tf:Concat") == 0;
  const gint64 axis = ph_foreign_int (l, first ? 0 : l->n_in - 1, G_MAXINT64);

  if (axis == G_MAXINT64 || l->n_in < 2)
    return FALSE;
  out[0] = ph_build_node (l->b, &ph_op_Concat, l->in + (first ? 1 : 0), l->n_in - 1, PH_ATTRS (ph_attr_new_int ("axis", axis)),
                          1);
  return TRUE;
}

static gboolean
pack (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_node_attr_int (l->node, "axis", 0);
  g_autofree PhValue **parts = g_new0 (PhValue *, l->n_in + 1);

  for (guint i = 0; i < l->n_in; i++)
    parts[i] = ph_foreign_axis (l, &ph_op_Unsqueeze, l->in[i], axis);
  out[0] = l->b->error == NULL ? ph_build_node (l->b, &ph_op_Concat, parts, l->n_in, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1)
                               : NULL;
  return out[0] != NULL;
}

static gboolean
split_into (PhConvert *l, PhValue *value, PhValue *sizes, gint64 axis, PhValue **out)
{
  PhValue *inputs[] = { value, sizes };
  PhAttr **attrs = sizes != NULL ? PH_ATTRS (ph_attr_new_int ("axis", axis))
                                 : PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("num_outputs", l->n_out));
  PhValue *first = ph_build_node (l->b, &ph_op_Split, inputs, sizes != NULL ? 2 : 1, attrs, l->n_out);

  for (guint i = 0; first != NULL && i < l->n_out; i++)
    out[i] = ph_node_output (first->producer, i);
  return first != NULL;
}

static PhValue *
part (PhConvert *l, PhValue *value, gint64 axis, gint64 from, gint64 to)
{
  return PH_BUILD (l->b, Slice, value, ph_convert_ints_value (l, &from, 1), ph_convert_ints_value (l, &to, 1),
                   ph_convert_ints_value (l, &axis, 1));
}

/* Unused outputs may be absent, so the parts are counted by the attribute. */
static gboolean
split (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_int (l, 0, G_MAXINT64), n = ph_node_attr_int (l->node, "num_split", l->n_out);

  if (axis == G_MAXINT64)
    return FALSE;
  if (n == 1)
    {
      out[0] = l->in[1];
      return TRUE;
    }
  if (n == l->n_out)
    return split_into (l, l->in[1], NULL, axis, out);
  {
    const gint64 size = axis >= 0 || ph_value_rank (l->in[1]) > 0 ? ph_value_dim (l->in[1], (int) axis) : -1;

    if (size < 0 || n <= 0 || l->n_out > n)
      return ph_convert_stay (l, "the size of its parts is not known");
    for (guint i = 0; i < l->n_out; i++)
      out[i] = part (l, l->in[1], axis, size / n * i, size / n * (i + 1));
    return l->b->error == NULL;
  }
}

static gboolean
split_v (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) sizes = ph_foreign_ints (l, 1);
  const gint64 axis = sizes != NULL ? ph_foreign_int (l, 2, G_MAXINT64) : G_MAXINT64;
  gint64 rest = axis != G_MAXINT64 ? ph_value_dim (l->in[0], (int) axis) : -1;

  if (axis == G_MAXINT64)
    return FALSE;
  if (sizes->len < l->n_out)
    return ph_convert_stay (l, "it has more results than parts");
  for (guint i = 0; i < sizes->len; i++)
    rest -= MAX (g_array_index (sizes, gint64, i), 0);
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index (sizes, gint64, i) < 0)
      {
        if (rest < 0)
          return ph_convert_stay (l, "the size of its parts is not known");
        g_array_index (sizes, gint64, i) = rest;
      }
  if (sizes->len > l->n_out) /* ONNX's Split has a result for each part */
    {
      gint64 from = 0;

      for (guint i = 0; i < l->n_out; from += g_array_index (sizes, gint64, i++))
        out[i] = part (l, l->in[0], axis, from, from + g_array_index (sizes, gint64, i));
      return l->b->error == NULL;
    }
  return split_into (l, l->in[0], ph_convert_ints_value (l, (const gint64 *) sizes->data, sizes->len), axis, out);
}

static gboolean
unpack (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_node_attr_int (l->node, "axis", 0), n = ph_node_attr_int (l->node, "num", l->n_out);

  for (guint i = 0; i < l->n_out; i++)
    {
      if ((gint64) i >= n)
        return FALSE;
      out[i] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), l->in[0],
                              ph_build_scalar (l->b, PH_INT64, i));
    }
  return l->b->error == NULL;
}

/* Converts Slice, in which a size of -1 means all the rest. */
static gboolean
slice (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) begin = ph_foreign_ints (l, 1), size = begin != NULL ? ph_foreign_ints (l, 2) : NULL;
  gint64 axes[PH_MAX_RANK], ends[PH_MAX_RANK];
  guint n;
  PhValue *inputs[4];

  if (size == NULL)
    return FALSE;
  n = MIN (begin->len, PH_MAX_RANK);
  if (size->len != n)
    return ph_convert_stay (l, "its bounds do not fit each other");
  for (guint i = 0; i < n; i++)
    {
      axes[i] = i;
      ends[i] = g_array_index (size, gint64, i) < 0 ? G_MAXINT64
                                                    : g_array_index (begin, gint64, i) + g_array_index (size, gint64, i);
    }
  inputs[0] = l->in[0];
  inputs[1] = ph_convert_ints_value (l, (const gint64 *) begin->data, n);
  inputs[2] = ph_convert_ints_value (l, ends, n);
  inputs[3] = ph_convert_ints_value (l, axes, n);
  out[0] = ph_build_node (l->b, &ph_op_Slice, inputs, 4, NULL, 1);
  return TRUE;
}

PH_CONVERT_TO (gather_nd, PH_BUILD (l->b, GatherND, l->in[0], ph_foreign_int64 (l, l->in[1])))

static gboolean
scatter_nd (PhConvert *l, PhValue **out)
{
  PhValue *zeros = PH_BUILD (l->b, Expand, ph_foreign_number (l, l->in[1], 0), ph_foreign_int64 (l, l->in[2]));

  out[0] = PH_BUILD_WITH (l->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", "add")), zeros,
                          ph_foreign_int64 (l, l->in[0]), l->in[1]);
  return TRUE;
}

static gboolean
scatter_into (PhConvert *l, PhValue **out)
{
  const gboolean subtracts = g_str_has_suffix (l->op, "Sub"), adds = subtracts || g_str_has_suffix (l->op, "Add");
  const char *reduction = adds                              ? "add"
                          : g_str_has_suffix (l->op, "Max") ? "max"
                          : g_str_has_suffix (l->op, "Min") ? "min"
                                                            : "none";

  out[0] = PH_BUILD_WITH (l->b, ScatterND, PH_ATTRS (ph_attr_new_string ("reduction", reduction)), l->in[0],
                          ph_foreign_int64 (l, l->in[1]), subtracts ? PH_BUILD (l->b, Neg, l->in[2]) : l->in[2]);
  return TRUE;
}

PH_CONVERT_TO (tile, PH_BUILD (l->b, Tile, l->in[0], ph_foreign_int64 (l, l->in[1])))

PH_CONVERT_TO (broadcast_to, PH_BUILD (l->b, Expand, l->in[0], ph_foreign_int64 (l, l->in[1])))

PH_CONVERT_TO (fill, PH_BUILD (l->b, Expand, l->in[1], ph_foreign_int64 (l, l->in[0])))

static gboolean
like (PhConvert *l, PhValue **out)
{
  if (ph_convert_dtype (l->in[0]) == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  out[0] = PH_BUILD (l->b, Expand, ph_foreign_number (l, l->in[0], strstr (l->op, "Ones") != NULL ? 1 : 0),
                     PH_BUILD (l->b, Shape, l->in[0]));
  return TRUE;
}

static gboolean
shape (PhConvert *l, PhValue **out)
{
  const PhDType to = ph_foreign_type_attr (l, "out_type", PH_INT32);
  PhValue *sizes = PH_BUILD (l->b, Shape, l->in[0]);

  if (strstr (l->op, "Size") != NULL)
    sizes = PH_BUILD (l->b, Size, l->in[0]);
  else if (strcmp (strchr (l->op, ':'), ":Rank") == 0 || strcmp (strchr (l->op, ':'), ":RANK") == 0)
    sizes = PH_BUILD (l->b, Size, sizes);
  out[0] = ph_convert_cast (l, sizes, to);
  return TRUE;
}

static gboolean
range (PhConvert *l, PhValue **out)
{
  return ph_foreign_node (l, &ph_op_Range, out);
}

static gboolean
top_k (PhConvert *l, PhValue **out)
{
  PhValue *inputs[] = { l->in[0], PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, l->in[1]),
                                            ph_convert_ints_value (l, (gint64[]) { 1 }, 1)) };
  PhValue *values = ph_build_node (l->b, &ph_op_TopK, inputs, 2, NULL, 2);

  out[0] = values;
  if (values != NULL && l->n_out > 1)
    out[1] = ph_convert_cast (l, ph_node_output (values->producer, 1), PH_INT32);
  return values != NULL;
}

static gboolean
running (PhConvert *l, PhValue **out)
{
  PhAttr **attrs = PH_ATTRS (ph_attr_new_int ("exclusive", ph_node_attr_int (l->node, "exclusive", 0)),
                             ph_attr_new_int ("reverse", ph_node_attr_int (l->node, "reverse", 0)));

  out[0] = ph_build_node (l->b, g_str_has_suffix (l->op, "prod") ? &ph_op_CumProd : &ph_op_CumSum, l->in, 2, attrs, 1);
  return out[0] != NULL;
}

static double
lowest_of (PhDType dtype)
{
  return dtype == PH_DOUBLE ? -DBL_MAX : dtype == PH_FLOAT16 ? -65504 : dtype == PH_BFLOAT16 ? -0x1.FEp127 : -FLT_MAX;
}

/* Of each element those up to it along a further axis; what is past it, and where nothing is left, is the lowest number. */
static gboolean
log_running_sum (PhConvert *l, PhValue **out)
{
  const gboolean back = ph_node_attr_int (l->node, "reverse", 0) != 0, without = ph_node_attr_int (l->node, "exclusive", 0) != 0;
  const int rank = ph_value_rank (l->in[0]);
  const PhDType dtype = ph_convert_dtype (l->in[0]);
  gint64 axis = ph_foreign_int (l, 1, G_MAXINT64), next, last = -1;
  PhValue *all, *each, *others, *within;

  axis += axis < 0 ? rank : 0;
  next = axis + 1;
  if (axis < 0 || axis >= rank || rank >= PH_MAX_RANK || !ph_dtype_is_float (dtype))
    return ph_convert_stay (l, "its axis is not known, or is none of its operand");
  all = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), PH_BUILD (l->b, Shape, l->in[0]),
                       ph_build_scalar (l->b, PH_INT64, (double) axis));
  all = PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), all, ph_build_scalar (l->b, PH_INT64, 1));
  for (int i = (int) axis + 1; i < rank; i++)
    all = PH_BUILD (l->b, Unsqueeze, all, ph_convert_ints_value (l, &last, 1));
  others = all;
  each = PH_BUILD (l->b, Unsqueeze, all, ph_convert_ints_value (l, (const gint64[]) { 1 }, 1));
  within = back      ? (without ? PH_BUILD (l->b, Greater, others, each) : PH_BUILD (l->b, GreaterOrEqual, others, each))
           : without ? PH_BUILD (l->b, Less, others, each)
                     : PH_BUILD (l->b, LessOrEqual, others, each);
  others = PH_BUILD (l->b, Where, within, PH_BUILD (l->b, Unsqueeze, l->in[0], ph_convert_ints_value (l, &axis, 1)),
                     ph_convert_number (l, dtype, lowest_of (dtype)));
  out[0] = PH_BUILD_WITH (l->b, ReduceLogSumExp, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), others,
                          ph_convert_ints_value (l, &next, 1));
  return out[0] != NULL;
}

static gboolean
reverse (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_ints (l, 1);

  if (axes == NULL)
    return FALSE;
  out[0] = ph_convert_reverse (l, l->in[0], (const gint64 *) axes->data, axes->len);
  return out[0] != NULL;
}

static gboolean
where (PhConvert *l, PhValue **out)
{
  out[0] = PH_BUILD_WITH (l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 1, 0 }, 2)),
                          PH_BUILD (l->b, NonZero, l->in[0]));
  return TRUE;
}

static gboolean
random_numbers (PhConvert *l, PhValue **out)
{
  const gboolean uniform = strstr (l->op, "Uniform") != NULL || strstr (l->op, "UNIFORM") != NULL;
  PhTensor *sizes = ph_value_constant (l->in[0]);
  PhAttr *dtype = ph_attr_new_int ("dtype", ph_foreign_type_attr (l, "dtype", PH_FLOAT));

  if (sizes != NULL)
    {
      g_autoptr (GArray) dims = ph_foreign_ints (l, 0);

      out[0] = ph_build_node (
          l->b, uniform ? &ph_op_RandomUniform : &ph_op_RandomNormal, NULL, 0,
          PH_ATTRS (ph_attr_new_ints ("shape", dims != NULL ? (const gint64 *) dims->data : NULL, dims != NULL ? dims->len : 0),
                    dtype),
          1);
      return dims != NULL && out[0] != NULL;
    }
  out[0] = ph_build_node (l->b, uniform ? &ph_op_RandomUniformLike : &ph_op_RandomNormalLike,
                          (PhValue *[]) { PH_BUILD (l->b, ConstantOfShape, ph_foreign_int64 (l, l->in[0])) }, 1, PH_ATTRS (dtype),
                          1);
  return out[0] != NULL;
}

static const char uniform_why[] = "Both draw uniformly from 0 to 1; the numbers differ.";
static const char normal_why[] = "Both draw from the same distribution; the numbers differ.";
static const char moves[] = "Both move elements; ONNX's shapes and indices are int64.";

/* clang-format off */
const PhConvertRule ph_convert_tensorflow_tensors[] = {
  { "tf:Reshape", reshape, "Reshape", moves }, { "tf:Transpose", transpose, "Transpose", "In ONNX the order is an attribute." },
  { "tf:ExpandDims", expand_dims, "Unsqueeze", moves }, { "tf:Squeeze", squeeze, "Squeeze", "In ONNX the axes are an operand." },
  { "tf:Concat", concat, "Concat", "In ONNX the axis is an attribute." }, { "tf:ConcatV2", concat, "Concat", "In ONNX the axis is an attribute." },
  { "tf:Pack", pack, "Concat of Unsqueezes", "ONNX only concatenates along an existing axis, so one is added first." }, { "tf:Unpack", unpack, "Gathers", "ONNX's Split keeps the axis; Gather with a single index removes it." },
  { "tf:Split", split, "Split", "In ONNX the axis is an attribute." }, { "tf:SplitV", split_v, "Split", "In ONNX the axis is an attribute." },
  { "tf:Slice", slice, "Slice", "ONNX's Slice takes ends instead of sizes." },
  { "tf:StridedSlice", ph_foreign_strided_slice, "Slice, Squeeze, Unsqueeze", "Each bit of the masks omits a bound, removes an axis or adds one." },
  { "tf:GatherNd", gather_nd, "GatherND", moves },
  { "tf:ScatterNd", scatter_nd, "ScatterND into zeros", "Slices with the same index are added." },
  { "tf:TensorScatterUpdate", scatter_into, "ScatterND", moves }, { "tf:TensorScatterAdd", scatter_into, "ScatterND that adds", moves },
  { "tf:TensorScatterSub", scatter_into, "ScatterND that adds the negative", moves }, { "tf:TensorScatterMax", scatter_into, "ScatterND with maxima", moves },
  { "tf:TensorScatterMin", scatter_into, "ScatterND with minima", moves },
  { "tf:Tile", tile, "Tile", moves }, { "tf:BroadcastTo", broadcast_to, "Expand", moves }, { "tf:Fill", fill, "Expand", "One value is expanded to the shape." },
  { "tf:ZerosLike", like, "Expand", "Zero is expanded to the shape." }, { "tf:OnesLike", like, "Expand", "The number one is expanded to the shape." },
  { "tf:Shape", shape, "Shape", "Both compute the same; ONNX's sizes are int64." }, { "tf:Size", shape, "Size", "Both compute the same; ONNX's sizes are int64." }, { "tf:Rank", shape, "Size(Shape)", "Both compute the same; ONNX's sizes are int64." },
  { "tf:RandomUniform", random_numbers, "RandomUniform", uniform_why },
  { "tf:RandomStandardNormal", random_numbers, "RandomNormal", normal_why },
  { "tf:StatelessRandomUniform", random_numbers, "RandomUniform", uniform_why }, { "tf:StatelessRandomUniformV2", random_numbers, "RandomUniform", uniform_why },
  { "tf:StatelessRandomNormal", random_numbers, "RandomNormal", normal_why }, { "tf:StatelessRandomNormalV2", random_numbers, "RandomNormal", normal_why },
  { "tflite:RANDOM_UNIFORM", random_numbers, "RandomUniform", uniform_why }, { "tflite:RANDOM_STANDARD_NORMAL", random_numbers, "RandomNormal", normal_why },
  { "tf:Range", range, "Range", "Both count from a start to a limit with a step." },
  { "tf:TopKV2", top_k, "TopK", "ONNX's indices are int64." }, { "tf:Cumsum", running, "CumSum", "Both compute the cumulative sum along an axis." },
  { "tf:Cumprod", running, "CumProd", "Both compute the cumulative product along an axis." },
  { "tf:CumulativeLogsumexp", log_running_sum, "ReduceLogSumExp", "ONNX has no identical operator, so each element gets those up to it along a further axis." },
  { "tf:ReverseV2", reverse, "Slice backwards", "ONNX has no identical operator, so it is composed of others." }, { "tf:Where", where, "NonZero, transposed", "ONNX's NonZero returns a row for each axis." },
  { "tflite:RESHAPE", reshape, "Reshape", moves }, { "tflite:TRANSPOSE", transpose, "Transpose", "In ONNX the order is an attribute." },
  { "tflite:EXPAND_DIMS", expand_dims, "Unsqueeze", moves }, { "tflite:SQUEEZE", squeeze, "Squeeze", "In ONNX the axes are an operand." },
  { "tflite:PACK", pack, "Concat of Unsqueezes", "ONNX only concatenates along an existing axis, so one is added first." }, { "tflite:UNPACK", unpack, "Gathers", "ONNX's Split keeps the axis; Gather with a single index removes it." },
  { "tflite:SPLIT", split, "Split", "In ONNX the axis is an attribute." }, { "tflite:SPLIT_V", split_v, "Split", "In ONNX the axis is an attribute." },
  { "tflite:SLICE", slice, "Slice", "ONNX's Slice takes ends instead of sizes." },
  { "tflite:STRIDED_SLICE", ph_foreign_strided_slice, "Slice, Squeeze, Unsqueeze", "Each bit of the masks omits a bound, removes an axis or adds one." },
  { "tflite:GATHER_ND", gather_nd, "GatherND", moves }, { "tflite:SCATTER_ND", scatter_nd, "ScatterND into zeros", "Slices with the same index are added." },
  { "tflite:TILE", tile, "Tile", moves }, { "tflite:BROADCAST_TO", broadcast_to, "Expand", moves }, { "tflite:FILL", fill, "Expand", "One value is expanded to the shape." },
  { "tflite:ZEROS_LIKE", like, "Expand", "Zero is expanded to the shape." }, { "tflite:SHAPE", shape, "Shape", "Both compute the same; ONNX's sizes are int64." },
  { "tflite:RANK", shape, "Size(Shape)", "Both compute the same; ONNX's sizes are int64." }, { "tflite:RANGE", range, "Range", "Both count from a start to a limit with a step." },
  { "tflite:TOPK_V2", top_k, "TopK", "ONNX's indices are int64." },
  { "tflite:CUMSUM", running, "CumSum", "Both compute the cumulative sum along an axis." }, { "tflite:REVERSE_V2", reverse, "Slice backwards", "ONNX has no identical operator, so it is composed of others." },
  { "tflite:WHERE", where, "NonZero, transposed", "ONNX's NonZero returns a row for each axis." },
  { NULL }
};
/* clang-format on */
