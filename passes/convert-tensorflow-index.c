/* convert-tensorflow-index.c: operators of TensorFlow and TensorFlow Lite in ONNX's that choose, repeat or reorder slices by their index.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

/* Each sample of the first @batch axes has indices of its own. ONNX's GatherND gathers along the axis behind those, so @axis goes there;
 * what was before it is before the gathered dimensions again. */
static gboolean
gather_in_batches (PhConvert *l, gint64 axis, gint64 batch, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]), places = ph_value_rank (l->in[1]);
  gint64 perm[2 * PH_MAX_RANK];
  guint n = 0;
  PhValue *x;

  if (rank < 0 || places < 0)
    return ph_convert_stay (l, "the rank of its operands is not known");
  axis += axis < 0 ? rank : 0;
  batch += batch < 0 ? places : 0;
  if (batch < 0 || batch > MIN (axis, places) || axis >= rank || rank + places - batch - 1 > PH_MAX_RANK)
    return ph_convert_stay (l, "its axes do not fit its operands");
  for (gint64 i = 0; i < batch; i++)
    perm[n++] = i;
  perm[n++] = axis;
  for (gint64 i = batch; i < rank; i++)
    if (i != axis)
      perm[n++] = i;
  x = PH_BUILD_WITH (l->b, GatherND, PH_ATTRS (ph_attr_new_int ("batch_dims", batch)),
                     ph_convert_transpose (l, l->in[0], perm, (guint) rank),
                     ph_foreign_axis (l, &ph_op_Unsqueeze, ph_foreign_int64 (l, l->in[1]), places));
  n = (guint) batch;
  for (gint64 i = batch; i < axis; i++)
    perm[n++] = places + i - batch;
  for (gint64 i = batch; i < places; i++)
    perm[n++] = i;
  for (gint64 i = places + axis - batch; i < rank + places - batch - 1; i++)
    perm[n++] = i;
  for (gint64 i = 0; i < batch; i++)
    perm[i] = i;
  return (out[0] = ph_convert_transpose (l, x, perm, n)) != NULL;
}

static gboolean
gather (PhConvert *l, PhValue **out)
{
  const gint64 axis = l->n_in > 2 ? ph_foreign_int (l, 2, G_MAXINT64) : ph_node_attr_int (l->node, "axis", 0);
  const gint64 batch = ph_node_attr_int (l->node, "batch_dims", 0);

  if (axis == G_MAXINT64)
    return FALSE;
  if (batch != 0)
    return gather_in_batches (l, axis, batch, out);
  out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), l->in[0], l->in[1]);
  return out[0] != NULL;
}

/* Returns the elements of @value along @axis from @start on, backwards, down to before @end. */
static PhValue *
backwards (PhConvert *l, PhValue *value, gint64 axis, gint64 start, gint64 end)
{
  return PH_BUILD (l->b, Slice, value, ph_convert_ints_value (l, &start, 1), ph_convert_ints_value (l, &end, 1),
                   ph_convert_ints_value (l, &axis, 1), ph_convert_ints_value (l, (const gint64[]) { -1 }, 1));
}

PhValue *
ph_foreign_repeat_border (PhConvert *l, PhValue *value, const gint64 *pads, guint n)
{
  for (guint axis = 0; axis < n && value != NULL; axis++)
    {
      const gint64 before = pads[axis], after = pads[n + axis], size = ph_value_dim (value, axis);
      PhValue *parts[3];
      guint k = 0;

      if (before == 0 && after == 0)
        continue;
      if (size < 0 || before < 0 || after < 0 || before > size || after > size)
        {
          ph_convert_stay (l,
                           size < 0 ? "the size of what it repeats the border of is not known" : "it repeats more than there is");
          return NULL;
        }
      if (before > 0)
        parts[k++] = backwards (l, value, axis, before - 1, G_MININT64);
      parts[k++] = value;
      if (after > 0)
        parts[k++] = backwards (l, value, axis, -1, -after - 1);
      value = ph_build_node (l->b, &ph_op_Concat, parts, k, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
    }
  return value;
}

/* Pairs of before and after, one for each axis: ONNX has all before, then all after. */
static gboolean
pad (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) pairs = ph_foreign_ints (l, 1);
  const gboolean mirror = g_ascii_strcasecmp (strchr (l->op, ':'), ":MirrorPad") == 0 || strstr (l->op, "MIRROR") != NULL;
  g_autofree char *mode = ph_foreign_text_attr (l, "mode", "REFLECT");
  gint64 pads[2 * PH_MAX_RANK];
  guint n;
  PhValue *inputs[3];

  if (pairs == NULL)
    return FALSE;
  n = MIN (pairs->len / 2, PH_MAX_RANK);
  for (guint i = 0; i < n; i++)
    {
      pads[i] = g_array_index (pairs, gint64, 2 * i);
      pads[n + i] = g_array_index (pairs, gint64, 2 * i + 1);
    }
  if (mirror && strcmp (mode, "SYMMETRIC") == 0)
    return (out[0] = ph_foreign_repeat_border (l, l->in[0], pads, n)) != NULL;
  inputs[0] = l->in[0];
  inputs[1] = ph_convert_ints_value (l, pads, 2 * n);
  inputs[2] = l->n_in > 2 ? l->in[2] : NULL;
  out[0] = ph_build_node (l->b, &ph_op_Pad, inputs, l->n_in > 2 ? 3 : 2,
                          PH_ATTRS (ph_attr_new_string ("mode", mirror ? "reflect" : "constant")), 1);
  return out[0] != NULL;
}

/* ONNX counts a negative class from the last one. */
PhValue *
ph_foreign_one_hot (PhConvert *l, PhValue *classes, PhValue *depth, PhValue *on, PhValue *off, gint64 axis)
{
  PhValue *both[2], *values, *scalar = ph_convert_ints_value (l, (gint64[]) { 1 }, 1);
  const PhDType dtype = ph_convert_dtype (classes);

  both[0] = PH_BUILD (l->b, Reshape, off, scalar);
  both[1] = PH_BUILD (l->b, Reshape, on, scalar);
  values = ph_build_node (l->b, &ph_op_Concat, both, 2, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
  if (dtype == PH_INT8 || dtype == PH_INT16 || dtype == PH_INT32 || dtype == PH_INT64)
    classes = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, classes, ph_foreign_number (l, classes, 0)),
                        ph_convert_cast (l, depth, dtype), classes);
  return PH_BUILD_WITH (l->b, OneHot, PH_ATTRS (ph_attr_new_int ("axis", axis)), classes, depth, values);
}

static gboolean
one_hot (PhConvert *l, PhValue **out)
{
  out[0] = ph_foreign_one_hot (l, l->in[0], l->in[1], l->in[2], l->in[3], ph_node_attr_int (l->node, "axis", -1));
  return out[0] != NULL;
}

/* Each element once, in the order of first appearance; which of them each element is; how often each appears. The second operand of the
 * later versions is no axis, or one. */
static gboolean
unique (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = l->n_in > 1 ? ph_foreign_ints (l, 1) : NULL;
  PhAttr **attrs;
  PhValue *values;

  if (l->n_in > 1 && axes == NULL)
    return FALSE;
  attrs = PH_ATTRS (ph_attr_new_int ("sorted", 0),
                    axes != NULL && axes->len > 0 ? ph_attr_new_int ("axis", g_array_index (axes, gint64, 0)) : NULL);
  values = ph_build_node (l->b, &ph_op_Unique, l->in, 1, attrs, 4);

  out[0] = values;
  for (guint i = 1; values != NULL && i < MIN (l->n_out, 3); i++)
    {
      const PhType *type = ph_convert_type (l, i);

      out[i] = ph_convert_cast (l, ph_node_output (values->producer, i + 1),
                                type != NULL && type->dtype != PH_UNDEFINED ? type->dtype : PH_INT32);
    }
  return values != NULL;
}

/* ONNX's ReverseSequence has time and samples in the first two dimensions. */
static gboolean
reverse_sequence (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  gint64 axes[2] = { ph_foreign_attr_int (l, "seq_dim", 0), ph_foreign_attr_int (l, "batch_dim", 0) }, perm[PH_MAX_RANK],
         back[PH_MAX_RANK];
  guint n = 2;
  PhValue *x;

  if (rank < 2 || rank > PH_MAX_RANK)
    return ph_convert_stay (l, "the rank of its operand is not known, or less than two");
  for (guint i = 0; i < 2; i++)
    axes[i] += axes[i] < 0 ? rank : 0;
  if (!ph_convert_are_axes (axes, 2, NULL, 0, (guint) rank))
    return ph_convert_stay (l, "its axes do not fit its operand");
  memcpy (perm, axes, sizeof axes);
  for (gint64 i = 0; i < rank; i++)
    if (!ph_convert_has_axis (axes, 2, i))
      perm[n++] = i;
  for (guint i = 0; i < n; i++)
    back[perm[i]] = i;
  x = PH_BUILD_WITH (l->b, ReverseSequence, PH_ATTRS (ph_attr_new_int ("time_axis", 0), ph_attr_new_int ("batch_axis", 1)),
                     ph_convert_transpose (l, l->in[0], perm, n), ph_foreign_int64 (l, l->in[1]));
  return (out[0] = ph_convert_transpose (l, x, back, n)) != NULL;
}

/* ONNX's Sum takes floats alone. */
static gboolean
add_all (PhConvert *l, PhValue **out)
{
  if (!ph_dtype_is_integer (ph_convert_dtype (l->in[0])))
    return ph_foreign_node (l, &ph_op_Sum, out);
  out[0] = l->in[0];
  for (guint i = 1; i < l->n_in; i++)
    out[0] = PH_BUILD (l->b, Add, out[0], l->in[i]);
  return out[0] != NULL;
}

/* The operand is written over from a place on, which is moved where it would reach out. */
static gboolean
write_over (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  PhValue **given = l->in, *in[2 + PH_MAX_RANK + PH_CONVERT_SPARE] = { given[0], given[1] };
  const guint n = l->n_in;
  gboolean ok;

  if (rank < 0 || rank > PH_MAX_RANK)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 0; i < rank; i++)
    in[2 + i] = PH_BUILD (l->b, Gather, given[2], ph_build_tensor (l->b, ph_tensor_new_scalar (PH_INT64, i)));
  l->in = in;
  l->n_in = 2 + (guint) rank;
  ok = ph_convert_find ("dynamic_update_slice")->lower (l, out);
  l->in = given;
  l->n_in = n;
  return ok;
}

static const char slices[] = "Both gather slices along an axis.";
static const char pads[] = "ONNX lists the padding at all starts, and then at all ends.";
static const char composed[] = "ONNX has no identical operator, so it is composed of others.";
static const char classes[] = "ONNX's OneHot takes both values in one operand, and counts negative classes from the end.";

/* clang-format off */
#define BOTH(tf_, lite_, ...) { "tf:" tf_, __VA_ARGS__ }, { "tflite:" lite_, __VA_ARGS__ }
const PhConvertRule ph_convert_tensorflow_index[] = {
  { "tf:Gather", gather, "Gather", slices }, { "tf:ResourceGather", gather, "Gather", slices }, BOTH ("GatherV2", "GATHER", gather, "Gather", slices),
  BOTH ("Pad", "PAD", pad, "Pad", pads), BOTH ("PadV2", "PADV2", pad, "Pad", pads), BOTH ("MirrorPad", "MIRROR_PAD", pad, "Pad, or Gather", pads),
  BOTH ("OneHot", "ONE_HOT", one_hot, "OneHot", classes), BOTH ("Unique", "UNIQUE", unique, "Unique", "Both return each element once, and where it is."),
  { "tf:UniqueV2", unique, "Unique", "Both return each element once, and where it is." },
  { "tf:UniqueWithCounts", unique, "Unique", "Both return each element once, where it is, and how often." },
  { "tf:UniqueWithCountsV2", unique, "Unique", "Both return each element once, where it is, and how often." },
  BOTH ("ReverseSequence", "REVERSE_SEQUENCE", reverse_sequence, "ReverseSequence", "Both reverse the given number of elements of each sequence."),
  BOTH ("AddN", "ADD_N", add_all, "Sum", "Both add their operands."), { "tflite:DYNAMIC_UPDATE_SLICE", write_over, "ScatterElements at computed places", composed },
  { NULL }
};
/* clang-format on */
