/* convert-tvm-index.c: operators of TVM's Relax that choose, place, sort, pad or resize elements, and its attention, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-foreign.h"

static gboolean
is (const PhConvert *l, const char *name)
{
  return strcmp (l->op + strlen ("tvm:"), name) == 0;
}

/* Reads a number that is written as such, or as "T.float32(0.5)". */
static gboolean
number_of (PhConvert *l, const char *name, double *number)
{
  const PhAttr *attr = ph_node_attr (l->node, name);
  const char *text = attr != NULL && attr->kind == PH_ATTR_STRING ? ph_node_attr_string (l->node, name, "") : NULL,
             *open = text != NULL ? strchr (text, '(') : NULL;
  char *end;

  if (text != NULL)
    {
      *number = g_ascii_strtod (open != NULL ? open + 1 : text, &end);
      return open != NULL && end > open + 1 && *end == ')';
    }
  *number = ph_foreign_attr_number (l, name, 0);
  return attr != NULL && (attr->kind == PH_ATTR_INT || attr->kind == PH_ATTR_FLOAT);
}

/* ── making ── */

static gboolean
arange (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  const PhDType dtype = ph_foreign_type_attr (l, "dtype", type != NULL ? type->dtype : PH_INT64);
  const PhDType work = dtype == PH_DOUBLE || dtype == PH_FLOAT ? dtype : ph_dtype_is_float (dtype) ? PH_FLOAT : PH_INT64;
  double start, end, step = 1;

  if (!number_of (l, "start", &start) || (ph_node_attr (l->node, "end") != NULL && !number_of (l, "end", &end))
      || (ph_node_attr (l->node, "step") != NULL && !number_of (l, "step", &step)) || step == 0)
    return ph_convert_stay (l, "where it begins, ends or what it adds is not a number");
  if (ph_node_attr (l->node, "end") == NULL)
    {
      end = start;
      start = 0;
    }
  out[0] = ph_convert_cast (l,
                            PH_BUILD (l->b, Range, ph_convert_number (l, work, start), ph_convert_number (l, work, end),
                                      ph_convert_number (l, work, step)),
                            dtype);
  return out[0] != NULL;
}

static gboolean
one_hot (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  double on, off, depth;

  if (type == NULL || !number_of (l, "on_value", &on) || !number_of (l, "off_value", &off) || !number_of (l, "depth", &depth))
    return ph_convert_stay (l, "its values, their type or the number of classes is not known");
  out[0] = ph_foreign_one_hot (l, l->in[0], ph_convert_number (l, PH_INT64, depth), ph_convert_number (l, type->dtype, on),
                               ph_convert_number (l, type->dtype, off), ph_foreign_attr_int (l, "axis", -1));
  return out[0] != NULL;
}

/* ── choosing and placing ── */

static gboolean
gather (PhConvert *l, PhValue **out)
{
  const gboolean elements = is (l, "gather_elements");

  if (l->n_in < 2)
    return ph_convert_stay (l, "it has no indices");
  out[0] = ph_build_node (l->b, elements ? &ph_op_GatherElements : &ph_op_GatherND,
                          PH_VALUES_ (l->in[0], ph_convert_cast (l, l->in[1], PH_INT64)), 2,
                          elements ? PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 0)))
                                   : PH_ATTRS (ph_attr_new_int ("batch_dims", ph_foreign_attr_int (l, "batch_dims", 0))),
                          1);
  return out[0] != NULL;
}

static gboolean
scatter (PhConvert *l, PhValue **out)
{
  static const char *const same[] = { "add", "mul", "min", "max", NULL };
  g_autofree char *reduction = ph_foreign_text_attr (l, "reduction", "update");
  PhValue *inputs[3] = { l->in[0], NULL, NULL };
  const char *how;

  if (l->n_in < 3)
    return ph_convert_stay (l, "it has no indices or no updates");
  if (strcmp (reduction, "update") != 0 && !g_strv_contains (same, reduction))
    return ph_convert_stay (l, "ONNX has no reduction '%s'", reduction);
  inputs[1] = ph_convert_cast (l, l->in[1], PH_INT64);
  inputs[2] = l->in[2];
  how = strcmp (reduction, "update") == 0 ? "none" : reduction;
  out[0] = ph_build_node (l->b, is (l, "scatter_elements") ? &ph_op_ScatterElements : &ph_op_ScatterND, inputs, 3,
                          is (l, "scatter_elements") ? PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 0)),
                                                                 ph_attr_new_string ("reduction", how))
                                                     : PH_ATTRS (ph_attr_new_string ("reduction", how)),
                          1);
  return out[0] != NULL;
}

static gboolean
slice_scatter (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  gint64 axis = ph_foreign_attr_int (l, "axis", 0);
  double start, end, step = 1;
  PhValue *along, *before, *after;

  axis += axis < 0 ? rank : 0;
  if (l->n_in < 2 || rank < 1 || axis < 0 || axis >= rank || !number_of (l, "arg2", &start) || !number_of (l, "arg3", &end)
      || (ph_node_attr (l->node, "arg4") != NULL && !number_of (l, "arg4", &step)) || step != 1 || start < 0 || end < start)
    return ph_convert_stay (l, "it does not replace one stretch with known ends");
  along = ph_convert_ints_value (l, &axis, 1);
  before = PH_BUILD (l->b, Slice, l->in[0], ph_convert_ints_value (l, (gint64[]) { 0 }, 1),
                     ph_convert_ints_value (l, (gint64[]) { (gint64) start }, 1), along);
  after = PH_BUILD (l->b, Slice, l->in[0], ph_convert_ints_value (l, (gint64[]) { (gint64) end }, 1),
                    ph_convert_ints_value (l, (gint64[]) { G_MAXINT64 }, 1), along);
  out[0] = PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", axis)), before, l->in[1], after);
  return out[0] != NULL;
}

static gboolean
repeat (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  const gint64 times = ph_foreign_attr_int (l, "repeats", -1);
  gint64 axis = ph_foreign_attr_int (l, "axis", 0), dims[PH_MAX_RANK + 1], flat[PH_MAX_RANK];
  PhValue *x = l->in[0];
  guint n = rank;

  if (times < 1 || rank + 1 > PH_MAX_RANK || !ph_convert_dims (l, x, dims))
    return ph_convert_stay (l, "how often it repeats, or its shape, is not known");
  if (ph_node_attr (l->node, "axis") == NULL)
    {
      for (guint i = 1; i < rank; i++)
        dims[0] *= dims[i];
      x = ph_convert_reshape (l, x, dims, n = 1);
      axis = 0;
    }
  axis += axis < 0 ? n : 0;
  if (axis < 0 || axis >= n)
    return ph_convert_stay (l, "it has no such axis");
  memcpy (flat, dims, n * sizeof *flat);
  flat[axis] *= times;
  memmove (dims + axis + 2, dims + axis + 1, (n - (guint) axis - 1) * sizeof *dims);
  dims[axis + 1] = times;
  x = ph_foreign_axis (l, &ph_op_Unsqueeze, x, axis + 1);
  out[0] = x != NULL ? ph_convert_reshape (l, ph_convert_expand (l, x, dims, n + 1), flat, n) : NULL;
  return out[0] != NULL;
}

static gboolean
meshgrid (PhConvert *l, PhValue **out)
{
  g_autofree char *indexing = ph_foreign_text_attr (l, "indexing", "ij");
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  gint64 dims[PH_MAX_RANK];

  for (guint i = 0; i < l->n_in; i++)
    ph_foreign_elements (l->in[i], parts);
  if (strcmp (indexing, "ij") != 0 || parts->len != l->n_out || parts->len > PH_MAX_RANK)
    return ph_convert_stay (l, "its indexing is %s, or it has another number of operands", indexing);
  for (guint i = 0; i < parts->len; i++)
    if (ph_convert_rank (parts->pdata[i]) != 1 || (dims[i] = ph_value_dim (parts->pdata[i], 0)) < 0)
      return ph_convert_stay (l, "the size of an operand is not known");
  for (guint i = 0; i < parts->len; i++)
    {
      gint64 own[PH_MAX_RANK];

      for (guint k = 0; k < parts->len; k++)
        own[k] = k == i ? dims[k] : 1;
      out[i] = ph_convert_expand (l, ph_convert_reshape (l, parts->pdata[i], own, parts->len), dims, parts->len);
    }
  return TRUE;
}

static gboolean
triangle (PhConvert *l, PhValue **out)
{
  out[0] = ph_build_node (l->b, &ph_op_Trilu,
                          PH_VALUES_ (l->in[0], ph_convert_number (l, PH_INT64, (double) ph_foreign_attr_int (l, "k", 0))), 2,
                          PH_ATTRS (ph_attr_new_int ("upper", is (l, "triu"))), 1);
  return out[0] != NULL;
}

/* ── order ── */

static gboolean
sort (PhConvert *l, PhValue **out)
{
  const gboolean top = is (l, "topk");
  const int rank = ph_value_rank (l->in[0]);
  gint64 axis = ph_foreign_attr_int (l, "axis", -1), k = ph_foreign_attr_int (l, "k", 1);
  const gboolean largest = top ? ph_foreign_attr_int (l, "largest", 1) != 0 : ph_foreign_attr_int (l, "descending", 0) != 0;
  g_autofree char *wanted = ph_foreign_text_attr (l, "ret_type", "both");
  PhValue *values, *indices;

  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank || (!top && (k = ph_value_dim (l->in[0], (int) axis)) < 0) || k < 0)
    return ph_convert_stay (l, "the size of its axis is not known");
  values = ph_build_node (l->b, &ph_op_TopK, PH_VALUES_ (l->in[0], ph_convert_ints_value (l, &k, 1)), 2,
                          PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("largest", largest)), 2);
  if (values == NULL)
    return FALSE;
  indices = ph_convert_cast (l, ph_node_output (values->producer, 1), ph_foreign_type_attr (l, "dtype", PH_INT32));
  if (is (l, "argsort") || (top && strcmp (wanted, "indices") == 0))
    out[0] = indices;
  else
    out[0] = values;
  if (top && strcmp (wanted, "both") == 0 && l->n_out > 1)
    out[1] = indices;
  return out[0] != NULL;
}

/* ── borders and sizes ── */

static gboolean
pad (PhConvert *l, PhValue **out)
{
  static const char *const modes[][2]
      = { { "constant", "constant" }, { "reflect", "reflect" }, { "replicate", "edge" }, { "circular", "wrap" } };
  g_autofree char *mode = ph_foreign_text_attr (l, "pad_mode", "constant");
  g_autoptr (GArray) width = ph_foreign_attr_ints (l, "pad_width");
  const char *onnx = NULL;
  gint64 pads[2 * PH_MAX_RANK];

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (strcmp (modes[i][0], mode) == 0)
      onnx = modes[i][1];
  if (onnx == NULL || width == NULL || ph_value_rank (l->in[0]) < 1 || width->len != 2 * (guint) ph_value_rank (l->in[0]))
    return ph_convert_stay (l, "its padding or its mode is not known");
  for (guint i = 0; i < width->len; i++) /* before and after each axis; in ONNX before each, then after each */
    pads[i / 2 + i % 2 * width->len / 2] = g_array_index (width, gint64, i);
  out[0] = ph_build_node (l->b, &ph_op_Pad,
                          PH_VALUES_ (l->in[0], ph_convert_ints_value (l, pads, width->len),
                                      ph_convert_like (l, l->in[0], ph_foreign_attr_number (l, "pad_value", 0))),
                          3, PH_ATTRS (ph_attr_new_string ("mode", onnx)), 1);
  return out[0] != NULL;
}

static gboolean
resize (PhConvert *l, PhValue **out)
{
  static const char *const transforms[] = { "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", NULL };
  g_autofree char *method = ph_foreign_text_attr (l, "method", "linear"),
                  *where = ph_foreign_text_attr (l, "coordinate_transformation_mode", "half_pixel"),
                  *rounding = ph_foreign_text_attr (l, "rounding_method", "round"),
                  *layout = ph_foreign_text_attr (l, "layout", "NCHW");
  g_autoptr (GArray) size = ph_foreign_attr_ints (l, "size");
  const gint64 first = strcmp (layout, "NHWC") == 0 ? 1 : 2, axes[2] = { first, first + 1 };
  const gboolean nearest = strcmp (method, "nearest_neighbor") == 0, linear = strcmp (method, "linear") == 0;
  gint64 both[2];

  if (size == NULL || size->len < 1 || size->len > 2 || ph_value_rank (l->in[0]) != 4)
    return ph_convert_stay (l, "the size that it gives is not known");
  if ((strcmp (layout, "NHWC") != 0 && strcmp (layout, "NCHW") != 0) || !g_strv_contains (transforms, where)
      || (!nearest && !linear && strcmp (method, "cubic") != 0))
    return ph_convert_stay (l, "ONNX has no resizing by %s, %s, of %s", method, where, layout);
  for (guint i = 0; i < 2; i++)
    both[i] = g_array_index (size, gint64, MIN (i, size->len - 1));
  out[0] = ph_build_node (l->b, &ph_op_Resize, PH_VALUES_ (l->in[0], NULL, NULL, ph_convert_ints_value (l, both, 2)), 4,
                          PH_ATTRS (ph_attr_new_string ("mode", nearest ? "nearest" : method),
                                    ph_attr_new_string ("coordinate_transformation_mode", where),
                                    ph_attr_new_string ("nearest_mode", strcmp (rounding, "floor") == 0  ? "floor"
                                                                        : strcmp (rounding, "ceil") == 0 ? "ceil"
                                                                                                         : "round_prefer_ceil"),
                                    ph_attr_new_float ("cubic_coeff_a", (float) ph_foreign_attr_number (l, "cubic_alpha", -0.75)),
                                    ph_attr_new_int ("exclude_outside", ph_foreign_attr_int (l, "cubic_exclude", 0) != 0),
                                    ph_attr_new_ints ("axes", axes, 2)),
                          1);
  return out[0] != NULL;
}

/* ── bytes ── */

static gboolean
quantise (PhConvert *l, PhValue **out)
{
  const gboolean forward = is (l, "quantize");
  const PhDType given = ph_convert_dtype (l->in[0]), to = ph_foreign_type_attr (l, "out_dtype", forward ? PH_INT8 : PH_FLOAT),
                stored = forward ? to : given;

  if (l->n_in < 3 || (stored != PH_INT8 && stored != PH_UINT8 && stored != PH_INT16 && stored != PH_UINT16)
      || !ph_dtype_is_float (forward ? given : to))
    return ph_convert_stay (l, "ONNX does not quantise between %s and %s", ph_dtype_name (given), ph_dtype_name (to));
  out[0] = ph_build_node (l->b, forward ? &ph_op_QuantizeLinear : &ph_op_DequantizeLinear,
                          PH_VALUES_ (l->in[0], l->in[1], ph_convert_cast (l, l->in[2], stored)), 3,
                          PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", -1))), 1);
  out[0] = ph_convert_cast (l, out[0], to);
  return out[0] != NULL;
}

/* ── networks ── */

/* [batch, positions, heads, size] on all sides; ONNX has the heads before the positions. */
static gboolean
attention (PhConvert *l, PhValue **out)
{
  static const gint64 perm[] = { 0, 2, 1, 3 };
  g_autofree char *mask = ph_foreign_text_attr (l, "causal_mask", "None");
  const gboolean causal = strcmp (mask, "TopLeft") == 0 || strcmp (mask, "BottomRight") == 0;
  PhValue *inputs[4] = { NULL };
  const guint n = l->n_in > 3 && l->in[3] != NULL ? 4 : 3;
  double scale = 0;

  if (l->n_in < 3
      || (ph_node_attr (l->node, "scale") != NULL && strcmp (ph_node_attr_string (l->node, "scale", ""), "None") != 0
          && !number_of (l, "scale", &scale))
      || (!causal && strcmp (mask, "None") != 0) || strcmp (ph_node_attr_string (l->node, "window_size", "None"), "None") != 0
      || ph_node_attr_int (l->node, "window_size", -1) != -1)
    return ph_convert_stay (l, "its scale, its mask or its window is not known");
  for (guint i = 0; i < 3; i++)
    if (ph_convert_rank (l->in[i]) != 4)
      return ph_convert_stay (l, "it has no dimension for the heads");
  if (strcmp (mask, "BottomRight") == 0
      && (ph_value_dim (l->in[0], 1) < 0 || ph_value_dim (l->in[0], 1) != ph_value_dim (l->in[1], 1)))
    return ph_convert_stay (l, "its queries and keys are not as many, and the mask is aligned at the end");
  for (guint i = 0; i < 3; i++)
    inputs[i] = ph_convert_transpose (l, l->in[i], perm, 4);
  inputs[3] = n > 3 ? l->in[3] : NULL;
  out[0] = ph_build_node (l->b, &ph_op_Attention, inputs, n,
                          scale > 0 ? PH_ATTRS (ph_attr_new_int ("is_causal", causal), ph_attr_new_float ("scale", (float) scale))
                                    : PH_ATTRS (ph_attr_new_int ("is_causal", causal)),
                          1);
  out[0] = out[0] != NULL ? ph_convert_transpose (l, out[0], perm, 4) : NULL;
  return out[0] != NULL;
}

static gboolean
nll_loss (PhConvert *l, PhValue **out)
{
  g_autofree char *reduction = ph_foreign_text_attr (l, "reduction", "mean");

  if (l->n_in < 2 || ph_convert_rank (l->in[0]) < 2)
    return ph_convert_stay (l, "its predictions have no batch");
  out[0] = ph_build_node (l->b, &ph_op_NegativeLogLikelihoodLoss, l->in, MIN (l->n_in, 3),
                          PH_ATTRS (ph_attr_new_string ("reduction", reduction),
                                    ph_attr_new_int ("ignore_index", ph_foreign_attr_int (l, "ignore_index", -100))),
                          1);
  return out[0] != NULL;
}

static gboolean
nonzero (PhConvert *l, PhValue **out)
{
  out[0] = PH_BUILD (l->b, NonZero, l->in[0]);
  return out[0] != NULL;
}

static const char attrs[] = "An attribute in TVM is an operand in ONNX.", same[] = "Both choose by the same indices.",
                  none[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
#define ROW(name, rule, becomes, why) { "tvm:" name, rule, becomes, why }

const PhConvertRule ph_convert_tvm_index[] = {
  ROW ("arange", arange, "Range", attrs), ROW ("one_hot", one_hot, "OneHot", attrs), ROW ("gather_elements", gather, "GatherElements", same), ROW ("gather_nd", gather, "GatherND", same),
  ROW ("scatter_elements", scatter, "ScatterElements", "Both place updates by the same indices."), ROW ("scatter_nd", scatter, "ScatterND", "Both place updates by the same indices."),
  ROW ("slice_scatter", slice_scatter, "Concat of what is before, the new part, and what is behind", none), ROW ("repeat", repeat, "Expand along a new axis, then Reshape", none),
  ROW ("meshgrid", meshgrid, "Reshape and Expand of each", none), ROW ("tril", triangle, "Trilu", attrs), ROW ("triu", triangle, "Trilu", attrs),
  ROW ("topk", sort, "TopK", attrs), ROW ("sort", sort, "TopK of all", none), ROW ("argsort", sort, "the indices of TopK of all", none),
  ROW ("nn.pad", pad, "Pad", "TVM has both numbers of an axis beside each other."), ROW ("image.resize2d", resize, "Resize", attrs),
  ROW ("quantize", quantise, "QuantizeLinear", "Both divide by the scale, round, and add the zero point."), ROW ("dequantize", quantise, "DequantizeLinear", "Both subtract the zero point and multiply by the scale."),
  ROW ("nn.attention", attention, "Attention between Transposes", "ONNX has the heads before the positions."), ROW ("nn.attention_bias", attention, "Attention between Transposes", "ONNX has the heads before the positions."),
  ROW ("nn.nll_loss", nll_loss, "NegativeLogLikelihoodLoss", "Both take the logarithms of probabilities."), ROW ("nonzero", nonzero, "NonZero", "Both return the indices of each dimension in a row."),
  { NULL }
};
/* clang-format on */
