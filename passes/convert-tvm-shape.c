/* convert-tvm-shape.c: operators on shapes of TVM's Relax and Relay, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

static gboolean
is (const PhConvert *l, const char *name)
{
  return strcmp (l->op + strlen ("tvm:"), name) == 0;
}

static gboolean
permute (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, "axes");
  const int rank = ph_value_rank (l->in[0]);
  gint64 perm[PH_MAX_RANK];

  if (axes == NULL || axes->len == 0)
    {
      if (ph_node_attr (l->node, "axes") != NULL && axes == NULL)
        return ph_convert_stay (l, "its axes are not known");
      out[0] = ph_build_node (l->b, &ph_op_Transpose, l->in, 1, NULL, 1);
      return out[0] != NULL;
    }
  if (axes->len > PH_MAX_RANK)
    return ph_convert_stay (l, "it has more axes than a tensor can have");
  for (guint i = 0; i < axes->len; i++)
    {
      perm[i] = g_array_index (axes, gint64, i);
      perm[i] += perm[i] < 0 ? rank >= 0 ? rank : (gint64) axes->len : 0;
    }
  out[0] = ph_convert_transpose (l, l->in[0], perm, axes->len);
  return out[0] != NULL;
}

/* Returns the shape from the attribute or, if it has symbols, from the declared type. */
static GArray *
shape_of (PhConvert *l, const char *attr)
{
  GArray *ints = ph_foreign_attr_ints (l, attr);
  gint64 dims[PH_MAX_RANK];

  if (ints == NULL && ph_convert_out_dims (l, 0, dims))
    {
      ints = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_array_append_vals (ints, dims, ph_convert_type (l, 0)->rank);
    }
  return ints;
}

static gboolean
reshape (PhConvert *l, PhValue **out)
{
  const gboolean expand = is (l, "broadcast_to");
  g_autoptr (GArray) ints = is (l, "flatten") ? NULL
                                              : shape_of (l, ph_node_attr (l->node, "newshape") != NULL ? "newshape" : "shape");

  if (is (l, "flatten"))
    out[0] = PH_BUILD (l->b, Reshape, l->in[0], ph_convert_ints_value (l, (gint64[]) { -1 }, 1));
  else if (is (l, "nn.batch_flatten"))
    out[0] = PH_BUILD_WITH (l->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", 1)), l->in[0]);
  else if (ints == NULL)
    return FALSE;
  else if (expand)
    out[0] = PH_BUILD (l->b, Expand, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
  else
    {
      for (guint i = 0; i < ints->len; i++)
        if (g_array_index (ints, gint64, i) < -1)
          return ph_convert_stay (l, "its shape uses one of Relay's special codes");
      out[0] = PH_BUILD (l->b, Reshape, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
    }
  return out[0] != NULL;
}

static gboolean
axes_of (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, "axis");
  const gint64 more = ph_foreign_attr_int (l, "num_newaxis", 1);

  if (is (l, "squeeze") && (axes == NULL || axes->len == 0))
    out[0] = PH_BUILD (l->b, Squeeze, l->in[0]);
  else if (axes == NULL)
    return ph_convert_stay (l, "its axes are not known");
  else if (is (l, "squeeze"))
    out[0] = PH_BUILD (l->b, Squeeze, l->in[0], ph_convert_ints_value (l, (const gint64 *) axes->data, axes->len));
  else
    {
      for (gint64 i = 1; i < more && axes->len == 1; i++)
        {
          const gint64 next = g_array_index (axes, gint64, 0) + i;

          if (i > PH_MAX_RANK || next < i)
            return ph_convert_stay (l, "it adds axes that are out of range");
        }
      for (gint64 i = 1, first = axes->len > 0 ? g_array_index (axes, gint64, 0) : 0; i < more; i++)
        {
          const gint64 next = first + i;

          g_array_append_val (axes, next);
        }
      out[0] = PH_BUILD (l->b, Unsqueeze, l->in[0], ph_convert_ints_value (l, (const gint64 *) axes->data, axes->len));
    }
  return out[0] != NULL;
}

/* Splits at the given positions, or into a number of equal parts. */
static gboolean
split (PhConvert *l, PhValue **out)
{
  const PhAttr *attr = ph_node_attr (l->node, "indices_or_sections");
  g_autoptr (GArray) at = ph_foreign_attr_ints (l, "indices_or_sections");
  const gint64 axis = ph_foreign_attr_int (l, "axis", 0);
  const gboolean parts = attr != NULL
                         && (attr->kind == PH_ATTR_INT
                             || (attr->kind == PH_ATTR_STRING
                                 && strchr ("([", *ph_node_attr_string (l->node, attr->name, " ")) == NULL));
  PhValue *first = NULL;

  if (at == NULL || at->len == 0 || at->len > 4096)
    return ph_convert_stay (l, "the positions at which it splits are not known");
  if (parts)
    {
      const gint64 n = g_array_index (at, gint64, 0);

      if (n < 1 || n > 4096 || n < (gint64) l->n_out)
        return ph_convert_stay (l, "it does not return as many parts as it has outputs");
      first = ph_build_node (l->b, &ph_op_Split, l->in, 1,
                             PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("num_outputs", n)), (guint) n);
    }
  else
    {
      const gint64 size = ph_value_rank (l->in[0]) > 0
                              ? ph_value_dim (l->in[0], (int) (axis < 0 ? axis + ph_value_rank (l->in[0]) : axis))
                              : -1;
      g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
      gint64 last = 0;

      if (size < 0 || at->len + 1 < l->n_out)
        return ph_convert_stay (l, "the size of its axis is not known");
      for (guint i = 0; i <= at->len; i++)
        {
          const gint64 end = i < at->len ? CLAMP (g_array_index (at, gint64, i), last, size) : size, part = end - last;

          g_array_append_val (sizes, part);
          last = end;
        }
      first = ph_build_node (l->b, &ph_op_Split,
                             PH_VALUES_ (l->in[0], ph_convert_ints_value (l, (const gint64 *) sizes->data, sizes->len)), 2,
                             PH_ATTRS (ph_attr_new_int ("axis", axis)), sizes->len);
    }
  for (guint i = 0; first != NULL && i < l->n_out; i++)
    out[i] = ph_node_output (first->producer, i);
  return first != NULL;
}

static gboolean
take (PhConvert *l, PhValue **out)
{
  g_autofree char *mode = ph_foreign_text_attr (l, "mode", "fast");
  const gboolean flat = ph_node_attr (l->node, "axis") == NULL;
  PhValue *from = l->in[0];

  if (l->n_in < 2 || (strcmp (mode, "fast") != 0 && strcmp (mode, "clip") != 0 && strcmp (mode, "wrap") != 0))
    return ph_convert_stay (l, "its indices are not known");
  if (flat && ph_value_rank (from) != 1)
    from = PH_BUILD (l->b, Reshape, from, ph_convert_ints_value (l, (gint64[]) { -1 }, 1));
  out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", flat ? 0 : ph_foreign_attr_int (l, "axis", 0))), from,
                          l->in[1]);
  return out[0] != NULL;
}

static gboolean
strided_slice (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, "axes"), begin = ph_foreign_attr_ints (l, "begin"),
                     end = ph_foreign_attr_ints (l, "end");
  g_autoptr (GArray) strides = ph_foreign_attr_ints (l, "strides");
  g_autofree char *mode = ph_foreign_text_attr (l, "slice_mode", "end");

  if (begin == NULL || end == NULL || begin->len != end->len || (axes != NULL && axes->len != begin->len)
      || strcmp (mode, "end") != 0)
    return ph_convert_stay (l, "its bounds are not known");
  if (axes == NULL)
    axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 i = axes->len; i < (gint64) begin->len; i++)
    g_array_append_val (axes, i);
  if (strides == NULL)
    strides = g_array_new (FALSE, FALSE, sizeof (gint64));
  while (strides->len < begin->len)
    g_array_append_vals (strides, strides->len == 1 ? &g_array_index (strides, gint64, 0) : (const gint64[]) { 1 }, 1);
  out[0] = PH_BUILD (l->b, Slice, l->in[0], ph_convert_ints_value (l, (const gint64 *) begin->data, begin->len),
                     ph_convert_ints_value (l, (const gint64 *) end->data, end->len),
                     ph_convert_ints_value (l, (const gint64 *) axes->data, axes->len),
                     ph_convert_ints_value (l, (const gint64 *) strides->data, strides->len));
  return out[0] != NULL;
}

static gboolean
fill (PhConvert *l, PhValue **out)
{
  const gboolean like = g_str_has_suffix (l->op, "_like"), full = g_str_has_prefix (l->op, "tvm:full");
  const PhType *type = ph_convert_type (l, 0);
  const PhDType dtype = ph_foreign_type_attr (l, "dtype",
                                              type != NULL && type->dtype != PH_UNDEFINED ? type->dtype
                                              : like                                      ? ph_convert_dtype (l->in[0])
                                                                                          : PH_FLOAT);
  const guint at = like ? 1 : 0;
  g_autoptr (GArray) dims = like ? NULL : shape_of (l, "shape");
  PhValue *number;

  if (dtype == PH_UNDEFINED || (!like && dims == NULL) || (full && l->n_in <= at && ph_node_attr (l->node, "fill_value") == NULL))
    return ph_convert_stay (l, "its shape, its type or its value is not known");
  number = full && l->n_in > at ? ph_convert_cast (l, l->in[at], dtype)
                                : ph_convert_number (l, dtype,
                                                     full ? ph_foreign_attr_number (l, "fill_value", 0)
                                                     : g_str_has_prefix (l->op, "tvm:ones") ? 1
                                                                                            : 0);
  if (number == NULL)
    return FALSE;
  out[0] = like ? PH_BUILD (l->b, Expand, number, PH_BUILD (l->b, Shape, l->in[0]))
                : ph_convert_expand (l, number, (const gint64 *) dims->data, dims->len);
  return out[0] != NULL;
}

static gboolean
tile (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) times = ph_foreign_attr_ints (l, ph_node_attr (l->node, "reps") != NULL ? "reps" : "repeats");
  const gint64 once = 1;

  while (times != NULL && (int) times->len < ph_value_rank (l->in[0])) /* of the last axes */
    g_array_prepend_val (times, once);
  if (times == NULL || ph_value_rank (l->in[0]) != (int) times->len)
    return ph_convert_stay (l, "the number of repetitions of each axis is not known");
  out[0] = PH_BUILD (l->b, Tile, l->in[0], ph_convert_ints_value (l, (const gint64 *) times->data, times->len));
  return out[0] != NULL;
}

static gboolean
flip (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_attr_int (l, "axis", 0);

  out[0] = ph_convert_reverse (l, l->in[0], &axis, 1);
  return out[0] != NULL;
}

static const char attrs[] = "An attribute in TVM is an operand in ONNX.", constant[] = "One number is expanded to the shape.",
                  tuple[] = "The tensors of the tuple become separate operands.";

/* clang-format off */
#define ROW(name, rule, becomes, why) { "tvm:" name, rule, becomes, why }

const PhConvertRule ph_convert_tvm_shape[] = {
  ROW ("permute_dims", permute, "Transpose", "Without a list of axes, both reverse their order."), ROW ("transpose", permute, "Transpose", "Without a list of axes, both reverse their order."),
  ROW ("reshape", reshape, "Reshape", attrs), ROW ("broadcast_to", reshape, "Expand", attrs), ROW ("flatten", reshape, "Reshape", "All axes are flattened into one."),
  ROW ("nn.batch_flatten", reshape, "Flatten", "All axes but the first are flattened into one."), ROW ("expand_dims", axes_of, "Unsqueeze", attrs), ROW ("squeeze", axes_of, "Squeeze", attrs),
  ROW ("concat", ph_foreign_concat, "Concat", tuple), ROW ("concatenate", ph_foreign_concat, "Concat", tuple),
  ROW ("stack", ph_foreign_stack, "Unsqueeze, then Concat", tuple), ROW ("split", split, "Split", "TVM returns a tuple, and ONNX several values."),
  ROW ("take", take, "Gather", "Both gather slices by their indices."), ROW ("strided_slice", strided_slice, "Slice", attrs), ROW ("tile", tile, "Tile", attrs),
  ROW ("flip", flip, "Slice with step -1", "ONNX has no identical operator, so it is composed of others."), ROW ("reverse", flip, "Slice with step -1", "ONNX has no identical operator, so it is composed of others."),
  ROW ("zeros", fill, "Expand", constant), ROW ("ones", fill, "Expand", constant), ROW ("full", fill, "Expand", constant),
  ROW ("zeros_like", fill, "Expand", constant), ROW ("ones_like", fill, "Expand", constant), ROW ("full_like", fill, "Expand", constant),
  { NULL }
};
/* clang-format on */
