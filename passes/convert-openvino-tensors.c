/* convert-openvino-tensors.c: OpenVINO's operators that move, select, resize and normalise elements, in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-foreign.h"

static const char *
name_of (const PhConvert *l)
{
  return strchr (l->op, ':') + 1;
}

static PhValue *
one_int (PhConvert *l, gint64 number)
{
  return ph_convert_ints_value (l, &number, 1);
}

/* A scalar, or a tensor of one element, as a tensor of one dimension. */
static PhValue *
as_one (PhConvert *l, PhValue *value)
{
  return PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, value), one_int (l, 1));
}

/* @value as the element type that the file declares for the result @output. */
static PhValue *
as_declared (PhConvert *l, PhValue *value, guint output)
{
  const PhType *type = ph_convert_type (l, output);

  return type != NULL && type->kind == PH_KIND_TENSOR ? ph_convert_cast (l, value, type->dtype) : value;
}

static gboolean
is (PhConvert *l, const char *attr, const char *fallback, const char *what)
{
  return strcmp (ph_node_attr_string (l->node, attr, fallback), what) == 0;
}

/* ── places ── */

static gboolean
pad (PhConvert *l, PhValue **out)
{
  static const char *const modes[][2] = { { "constant", "constant" }, { "edge", "edge" }, { "reflect", "reflect" } };
  const char *mode = NULL;
  PhValue *inputs[3];

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (is (l, "pad_mode", "constant", modes[i][0]))
      mode = modes[i][1];
  if (mode == NULL && is (l, "pad_mode", "", "symmetric"))
    {
      g_autoptr (GArray) pads = ph_foreign_ints (l, 1), after = pads != NULL ? ph_foreign_ints (l, 2) : NULL;

      if (after == NULL || after->len != pads->len)
        return l->stays == NULL ? ph_convert_stay (l, "its bounds do not fit each other") : FALSE;
      g_array_append_vals (pads, after->data, after->len);
      return (out[0] = ph_foreign_repeat_border (l, l->in[0], (const gint64 *) pads->data, after->len)) != NULL;
    }
  if (mode == NULL)
    return ph_convert_stay (l, "ONNX's Pad has no such mode");
  inputs[0] = l->in[0];
  inputs[1] = PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_foreign_int64 (l, l->in[1]),
                             ph_foreign_int64 (l, l->in[2]));
  inputs[2] = l->n_in > 3 ? l->in[3] : NULL;
  out[0] = ph_build_node (l->b, &ph_op_Pad, inputs, l->n_in > 3 ? 3 : 2, PH_ATTRS (ph_attr_new_string ("mode", mode)), 1);
  return out[0] != NULL;
}

/* A bit that is set leaves a bound out, adds an axis or removes one. */
static gboolean
strided_slice (PhConvert *l, PhValue **out)
{
  static const char *const names[] = { "begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask" };
  g_autoptr (GArray) begin = ph_foreign_ints (l, 1), end = begin != NULL ? ph_foreign_ints (l, 2) : NULL,
                     step = end != NULL && l->n_in > 3 ? ph_foreign_ints (l, 3) : NULL;
  gint64 starts[PH_MAX_RANK], ends[PH_MAX_RANK], steps[PH_MAX_RANK], axes[PH_MAX_RANK], gone[PH_MAX_RANK], made[PH_MAX_RANK],
      axis = 0, place = 0;
  guint n = 0, n_gone = 0, n_made = 0;
  guint64 bits[G_N_ELEMENTS (names)] = { 0 };

  if (end == NULL || (l->n_in > 3 && step == NULL) || begin->len > PH_MAX_RANK || end->len != begin->len
      || (step != NULL && step->len != begin->len))
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "its bounds do not fit each other");
  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autoptr (GArray) mask = ph_foreign_attr_ints (l, names[k]);

      for (guint i = 0; mask != NULL && i < MIN (mask->len, PH_MAX_RANK); i++)
        bits[k] |= g_array_index (mask, gint64, i) != 0 ? 1ull << i : 0;
    }
  if (bits[4] != 0)
    return ph_convert_stay (l, "it has an ellipsis");
  for (guint i = 0; i < begin->len; i++)
    {
      const guint64 bit = 1ull << i;
      const gint64 from = g_array_index (begin, gint64, i), by = step != NULL ? g_array_index (step, gint64, i) : 1;

      if (bits[2] & bit)
        {
          made[n_made++] = place++;
          continue;
        }
      starts[n] = bits[0] & bit ? (by > 0 ? 0 : G_MAXINT64) : from;
      ends[n] = bits[1] & bit ? (by > 0 ? G_MAXINT64 : G_MININT64) : g_array_index (end, gint64, i);
      steps[n] = by;
      axes[n] = axis;
      if (bits[3] & bit)
        {
          starts[n] = from;
          ends[n] = from == -1 ? G_MAXINT64 : from + 1;
          steps[n] = 1;
          gone[n_gone++] = axis;
        }
      else
        place++;
      n++;
      axis++;
    }
  out[0] = l->in[0];
  if (n > 0)
    out[0] = PH_BUILD (l->b, Slice, out[0], ph_convert_ints_value (l, starts, n), ph_convert_ints_value (l, ends, n),
                       ph_convert_ints_value (l, axes, n), ph_convert_ints_value (l, steps, n));
  if (n_gone > 0)
    out[0] = PH_BUILD (l->b, Squeeze, out[0], ph_convert_ints_value (l, gone, n_gone));
  if (n_made > 0)
    out[0] = PH_BUILD (l->b, Unsqueeze, out[0], ph_convert_ints_value (l, made, n_made));
  return out[0] != NULL;
}

static gboolean
gather (PhConvert *l, PhValue **out)
{
  if (strcmp (name_of (l), "GatherND") == 0)
    out[0] = PH_BUILD_WITH (l->b, GatherND, PH_ATTRS (ph_attr_new_int ("batch_dims", ph_foreign_attr_int (l, "batch_dims", 0))),
                            l->in[0], ph_foreign_int64 (l, l->in[1]));
  else
    out[0] = PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 0))),
                            l->in[0], l->in[1]);
  return out[0] != NULL;
}

static gboolean
scatter (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l);
  const gint64 axis = strcmp (op, "ScatterNDUpdate") == 0 ? 0 : ph_foreign_int (l, 3, G_MAXINT64);
  PhValue *indices = ph_foreign_int64 (l, l->in[1]);

  if (axis == G_MAXINT64)
    return FALSE;
  if (!is (l, "reduction", "none", "none"))
    return ph_convert_stay (l, "it reduces what goes to one place");
  if (strcmp (op, "ScatterElementsUpdate") == 0)
    out[0] = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), l->in[0], indices, l->in[2]);
  else if (axis != 0)
    return ph_convert_stay (l, "it writes along another axis than the first");
  else
    out[0] = PH_BUILD (l->b, ScatterND, l->in[0],
                       strcmp (op, "ScatterUpdate") == 0 ? PH_BUILD (l->b, Unsqueeze, indices, one_int (l, -1)) : indices,
                       l->in[2]);
  return out[0] != NULL;
}

static gboolean
top_k (PhConvert *l, PhValue **out)
{
  PhValue *inputs[] = { l->in[0], as_one (l, l->in[1]) }, *values;

  if (is (l, "sort", "value", "index"))
    return ph_convert_stay (l, "its results are in the order of their indices");
  values = ph_build_node (l->b, &ph_op_TopK, inputs, 2,
                          PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", -1)),
                                    ph_attr_new_int ("largest", is (l, "mode", "max", "max"))),
                          2);
  out[0] = values;
  if (values != NULL && l->n_out > 1)
    out[1] = as_declared (l, ph_node_output (values->producer, 1), 1);
  return values != NULL;
}

static gboolean
one_hot (PhConvert *l, PhValue **out)
{
  out[0] = ph_foreign_one_hot (l, l->in[0], l->in[1], l->in[2], l->in[3], ph_foreign_attr_int (l, "axis", -1));
  return out[0] != NULL;
}

/* Its operands may have other element types than the result. */
static gboolean
range (PhConvert *l, PhValue **out)
{
  out[0] = PH_BUILD (l->b, Range, as_declared (l, l->in[0], 0), as_declared (l, l->in[1], 0), as_declared (l, l->in[2], 0));
  return out[0] != NULL;
}

static gboolean
depth (PhConvert *l, PhValue **out)
{
  const gboolean back = strcmp (name_of (l), "DepthToSpace") == 0, blocks_first = is (l, "mode", "blocks_first", "blocks_first");
  PhAttr *block = ph_attr_new_int ("blocksize", ph_foreign_attr_int (l, "block_size", 1));

  if (!back && !blocks_first)
    {
      ph_attr_unref (block);
      return ph_convert_stay (l, "its blocks are not the slowest part of the channels");
    }
  out[0] = back ? PH_BUILD_WITH (l->b, DepthToSpace, PH_ATTRS (block, ph_attr_new_string ("mode", blocks_first ? "DCR" : "CRD")),
                                 l->in[0])
                : PH_BUILD_WITH (l->b, SpaceToDepth, PH_ATTRS (block), l->in[0]);
  return out[0] != NULL;
}

/* [groups, channels of each] => [channels of each, groups] */
static gboolean
shuffle (PhConvert *l, PhValue **out)
{
  const gint64 group = ph_foreign_attr_int (l, "group", 1);
  gint64 dims[PH_MAX_RANK], split[PH_MAX_RANK + 1], perm[PH_MAX_RANK + 1];
  const int rank = ph_value_rank (l->in[0]);
  gint64 axis = ph_foreign_attr_int (l, "axis", 1);

  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank || rank >= PH_MAX_RANK || !ph_convert_dims (l, l->in[0], dims) || group < 1
      || dims[axis] % group != 0)
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "its channels are not known, or cannot be grouped");
  for (int i = 0; i <= rank; i++)
    {
      perm[i] = i == axis ? i + 1 : i == axis + 1 ? i - 1 : i;
      split[i] = i < axis ? dims[i] : i == axis ? group : i == axis + 1 ? dims[axis] / group : dims[i - 1];
    }
  out[0] = ph_convert_reshape (
      l, ph_convert_transpose (l, ph_convert_reshape (l, l->in[0], split, (guint) rank + 1), perm, (guint) rank + 1), dims,
      (guint) rank);
  return out[0] != NULL;
}

/* ── resizing and normalisation ── */

static gboolean
interpolate (PhConvert *l, PhValue **out)
{
  static const char *const modes[][2]
      = { { "nearest", "nearest" }, { "linear_onnx", "linear" }, { "linear", "linear" }, { "cubic", "cubic" } };
  static const char *const kept[] = { "half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", NULL };
  const char *mode = NULL, *places = ph_node_attr_string (l->node, "coordinate_transformation_mode", "half_pixel"),
             *nearest = ph_node_attr_string (l->node, "nearest_mode", "round_prefer_floor");
  const gboolean scaled = is (l, "shape_calculation_mode", "sizes", "scales");
  /* Version 4 has sizes and scales, version 11 one of the two; axes may follow. */
  const gboolean both = l->n_in > 3 || (l->n_in == 3 && ph_dtype_is_float (ph_value_dtype (l->in[2])));
  PhValue *given = both && scaled ? l->in[2] : l->in[1], *inputs[4] = { l->in[0] };
  g_autoptr (GArray) axes = l->n_in > 2u + both ? ph_foreign_ints (l, 2u + both) : NULL,
                     before = ph_foreign_attr_ints (l, "pads_begin"), after = ph_foreign_attr_ints (l, "pads_end");
  PhAttr *attrs[8] = { NULL };
  guint a = 0;

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (is (l, "mode", "", modes[i][0]))
      mode = modes[i][1];
  if (mode == NULL || !g_strv_contains (kept, places) || strcmp (nearest, "simple") == 0 || l->stays != NULL)
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "ONNX's Resize has no such mode");
  for (guint i = 0; i < 2; i++)
    for (guint k = 0; (i == 0 ? before : after) != NULL && k < (i == 0 ? before : after)->len; k++)
      if (g_array_index (i == 0 ? before : after, gint64, k) != 0)
        return ph_convert_stay (l, "it pads before it resizes");
  inputs[scaled ? 2 : 3] = scaled ? given : ph_foreign_int64 (l, given);
  attrs[a++] = ph_attr_new_string ("mode", mode);
  attrs[a++] = ph_attr_new_string ("coordinate_transformation_mode", places);
  attrs[a++] = ph_attr_new_string ("nearest_mode", nearest);
  attrs[a++] = ph_attr_new_int ("antialias", ph_foreign_attr_int (l, "antialias", 0) != 0);
  attrs[a++] = ph_attr_new_float ("cubic_coeff_a", (float) ph_foreign_attr_number (l, "cube_coeff", -0.75));
  if (axes != NULL)
    attrs[a++] = ph_attr_new_ints ("axes", (const gint64 *) (gpointer) axes->data, axes->len);
  out[0] = ph_build_node (l->b, &ph_op_Resize, inputs, 4, attrs, 1);
  return out[0] != NULL;
}

/* The axes are operand 1; in the first version of MVN an attribute says whether the channels are among them. */
static PhValue *
axes_of (PhConvert *l)
{
  const int rank = ph_value_rank (l->in[0]);
  gint64 axes[PH_MAX_RANK];
  guint n = 0;

  if (l->n_in > 1)
    return ph_foreign_int64 (l, l->in[1]);
  for (int i = ph_foreign_attr_int (l, "across_channels", 0) != 0 ? 1 : 2; i < rank; i++)
    axes[n++] = i;
  return n > 0 ? ph_convert_ints_value (l, axes, n) : NULL;
}

static gboolean
mvn (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *axes = axes_of (l), *eps = ph_foreign_number (l, x, ph_foreign_attr_number (l, "eps", 1e-9)), *scale;

  if (axes == NULL)
    return ph_convert_stay (l, "the rank of its operand is not known");
  x = PH_BUILD (l->b, Sub, x, PH_BUILD (l->b, ReduceMean, x, axes));
  out[0] = x;
  if (ph_foreign_attr_int (l, "normalize_variance", 1) == 0)
    return x != NULL;
  scale = PH_BUILD (l->b, ReduceMean, PH_BUILD (l->b, Mul, x, x), axes);
  scale = is (l, "eps_mode", "inside_sqrt", "inside_sqrt") || is (l, "eps_mode", "inside_sqrt", "INSIDE_SQRT")
              ? PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Add, scale, eps))
              : PH_BUILD (l->b, Add, PH_BUILD (l->b, Sqrt, scale), eps);
  out[0] = PH_BUILD (l->b, Div, x, scale);
  return out[0] != NULL;
}

static gboolean
normalize_l2 (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *eps = ph_foreign_number (l, x, ph_foreign_attr_number (l, "eps", 0)),
          *sum = PH_BUILD (l->b, ReduceSumSquare, x, ph_foreign_int64 (l, l->in[1]));

  sum = is (l, "eps_mode", "add", "max") ? PH_BUILD (l->b, Max, sum, eps) : PH_BUILD (l->b, Add, sum, eps);
  out[0] = PH_BUILD (l->b, Div, x, PH_BUILD (l->b, Sqrt, sum));
  return out[0] != NULL;
}

static gboolean
local_response (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_ints (l, 1);

  if (axes == NULL || axes->len != 1 || g_array_index (axes, gint64, 0) != 1)
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "it does not normalise across the channels");
  out[0] = PH_BUILD_WITH (l->b, LRN,
                          PH_ATTRS (ph_attr_new_int ("size", ph_foreign_attr_int (l, "size", 1)),
                                    ph_attr_new_float ("alpha", (float) ph_foreign_attr_number (l, "alpha", 0)),
                                    ph_attr_new_float ("beta", (float) ph_foreign_attr_number (l, "beta", 0)),
                                    ph_attr_new_float ("bias", (float) ph_foreign_attr_number (l, "bias", 1))),
                          l->in[0]);
  return out[0] != NULL;
}

/* Clips to the range of the input, rounds to one of the levels, and gives that of the output's range. */
static gboolean
fake_quantize (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *low = l->in[1], *high = l->in[2], *from = l->in[3], *to = l->in[4],
          *last = ph_foreign_number (l, x, (double) ph_foreign_attr_int (l, "levels", 256) - 1);

  x = PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, x, low), high);
  x = PH_BUILD (l->b, Div, PH_BUILD (l->b, Sub, x, low), PH_BUILD (l->b, Sub, high, low));
  x = PH_BUILD (l->b, Div, PH_BUILD (l->b, Round, PH_BUILD (l->b, Mul, x, last)), last);
  out[0] = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sub, to, from)), from);
  return out[0] != NULL;
}

/* ── the same with other attributes ── */

static gboolean
renamed (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l);
  PhValue *x = l->in[0], *second = l->in[1];

  if (strcmp (op, "CumSum") == 0)
    out[0] = PH_BUILD_WITH (l->b, CumSum,
                            PH_ATTRS (ph_attr_new_int ("exclusive", ph_foreign_attr_int (l, "exclusive", 0)),
                                      ph_attr_new_int ("reverse", ph_foreign_attr_int (l, "reverse", 0))),
                            x, second);
  else if (strcmp (op, "ReverseSequence") == 0)
    out[0] = PH_BUILD_WITH (l->b, ReverseSequence,
                            PH_ATTRS (ph_attr_new_int ("batch_axis", ph_foreign_attr_int (l, "batch_axis", 0)),
                                      ph_attr_new_int ("time_axis", ph_foreign_attr_int (l, "seq_axis", 1))),
                            x, ph_foreign_int64 (l, second));
  else if (strcmp (op, "Einsum") == 0)
    out[0] = ph_build_node (l->b, &ph_op_Einsum, l->in, l->n_in,
                            PH_ATTRS (ph_attr_new_string ("equation", ph_node_attr_string (l->node, "equation", ""))), 1);
  else if (strcmp (op, "GroupNormalization") == 0)
    out[0] = PH_BUILD_WITH (l->b, GroupNormalization,
                            PH_ATTRS (ph_attr_new_int ("num_groups", ph_foreign_attr_int (l, "num_groups", 1)),
                                      ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))),
                            x, second, l->in[2]);
  else if (strcmp (op, "Mod") == 0) /* the sign of the dividend */
    out[0] = PH_BUILD_WITH (l->b, Mod, PH_ATTRS (ph_attr_new_int ("fmod", 1)), x, second);
  else if (strcmp (op, "Selu") == 0)
    {
      PhValue *less = PH_BUILD (l->b, Mul, second, PH_BUILD (l->b, Sub, PH_BUILD (l->b, Exp, x), ph_foreign_number (l, x, 1)));

      out[0] = PH_BUILD (l->b, Mul, l->in[2],
                         PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, ph_foreign_number (l, x, 0)), x, less));
    }
  else if (strcmp (op, "Round") == 0)
    {
      if (!is (l, "mode", "half_to_even", "half_to_even"))
        return ph_convert_stay (l, "it rounds halves away from zero");
      out[0] = PH_BUILD (l->b, Round, x);
    }
  else /* how many of the boundaries an element is above, or reaches */
    {
      PhValue *above = PH_BUILD (l->b, Unsqueeze, x, one_int (l, -1));

      above = ph_foreign_attr_int (l, "with_right_bound", 1) != 0 ? PH_BUILD (l->b, Greater, above, second)
                                                                  : PH_BUILD (l->b, GreaterOrEqual, above, second);
      out[0] = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, above, PH_INT64),
                              one_int (l, -1));
      out[0] = as_declared (l, out[0], 0);
    }
  return out[0] != NULL;
}

/* As the operator of TensorFlow's that is the same. */
static gboolean
as_tensorflow (PhConvert *l, PhValue **out)
{
  static const char *const names[][2] = {
    { "Roll", "tf:Roll" }, { "FloorMod", "tf:FloorMod" }, { "ReduceLogicalAnd", "tf:All" }, { "ReduceLogicalOr", "tf:Any" }
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i][0], name_of (l)) == 0)
      return ph_foreign_as (l, names[i][1], out);
  return FALSE;
}

PH_CONVERT_TO (convert_like, PH_BUILD (l->b, CastLike, l->in[0], l->in[1]))

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char same[] = "Both compute the same function; only the attributes have different names.";
static const char composed[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
#define DIRECT(name_)        { "openvino:" name_, ph_foreign_direct, "ONNX's own", elementwise }
#define RENAMED(name_, of_)  { "openvino:" name_, renamed, of_, same }
#define AS(name_)            { "openvino:" name_, as_tensorflow, "as in TensorFlow", "It is the same operator as in TensorFlow." }

const PhConvertRule ph_convert_openvino_tensors[] = {
  DIRECT ("LogicalXor"), DIRECT ("BitwiseAnd"), DIRECT ("BitwiseOr"), DIRECT ("BitwiseXor"), DIRECT ("BitwiseNot"), DIRECT ("IsNaN"), DIRECT ("IsInf"),
  DIRECT ("SoftSign"),
  { "openvino:Pad", pad, "Pad", "ONNX lists the padding at all starts, and then at all ends." },
  { "openvino:StridedSlice", strided_slice, "Slice, Squeeze, Unsqueeze", "Each mask omits bounds, removes axes or adds some." },
  { "openvino:GatherElements", gather, "GatherElements", same }, { "openvino:GatherND", gather, "GatherND", same },
  { "openvino:ScatterElementsUpdate", scatter, "ScatterElements", same }, { "openvino:ScatterNDUpdate", scatter, "ScatterND", same },
  { "openvino:ScatterUpdate", scatter, "ScatterND", same }, { "openvino:TopK", top_k, "TopK", "ONNX's indices are int64." },
  { "openvino:OneHot", one_hot, "OneHot", "ONNX's OneHot takes both values in one operand." }, { "openvino:Range", range, "Range", same },
  { "openvino:DepthToSpace", depth, "DepthToSpace", same }, { "openvino:SpaceToDepth", depth, "SpaceToDepth", same },
  { "openvino:ShuffleChannels", shuffle, "Reshape, Transpose, Reshape", composed }, { "openvino:Interpolate", interpolate, "Resize", same },
  { "openvino:MVN", mvn, "Sub and Div by ReduceMean", composed }, { "openvino:NormalizeL2", normalize_l2, "Div by the root of ReduceSumSquare", composed },
  { "openvino:LRN", local_response, "LRN", same }, { "openvino:FakeQuantize", fake_quantize, "Min, Max and Round", composed },
  RENAMED ("CumSum", "CumSum"), RENAMED ("ReverseSequence", "ReverseSequence"), RENAMED ("Einsum", "Einsum"), RENAMED ("GroupNormalization", "GroupNormalization"),
  RENAMED ("Mod", "Mod"), RENAMED ("Selu", "Where"), RENAMED ("Round", "Round"), { "openvino:Bucketize", renamed, "ReduceSum of Greater", composed },
  AS ("Roll"), AS ("FloorMod"), AS ("ReduceLogicalAnd"), AS ("ReduceLogicalOr"),
  { "openvino:ConvertLike", convert_like, "CastLike", "Both cast to the type of the second operand." },
  { NULL }
};
/* clang-format on */
