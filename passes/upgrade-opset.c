/* upgrade-opset.c: brings a model of an older opset to the newest one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

#include "core/ops/copy.h"
#include "core/ops/infer.h"

/* Operators are declared at their newest version only, so this is the one place that knows older ones. Nodes are
 * visited in program order and typed as they become new, for some upgrades depend on ranks. Where it can, an upgrade
 * edits the node in place, so that a diff says "changed". */

#define OLD_DEFAULT_OPSET 1

typedef struct
{
  PhPassRun *run;
  PhNode    *node;
  int        opset;              /* of the model before */
  PhBuilder  b;                  /* builds before @node */
} Upgrade;

/* Returns FALSE with @u->b.error set when the node cannot be upgraded. Does nothing where the node needs nothing. */
typedef void (*UpgradeFunc) (Upgrade *u);

typedef struct
{
  const char *rule;
  const char *ops;               /* separated by spaces, "*": any                         */
  int         below;             /* for models of an opset older than this                */
  UpgradeFunc func;
  const char *why;
} UpgradeRule;

static void G_GNUC_PRINTF (2, 3)
cannot (Upgrade *u, const char *format, ...)
{
  va_list args;
  g_autofree char *label = ph_node_label (u->node);
  g_autofree char *text = NULL;

  if (u->b.error != NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  u->b.error = g_error_new (PH_ERROR, PH_ERROR_UNSUPPORTED, "%s of opset %d cannot be upgraded: %s", label, u->opset, text);
}

static gboolean
is_named (const char *names, const char *name)
{
  gsize n = strlen (name);

  for (const char *p = names; (p = strstr (p, name)) != NULL; p += n)
    if ((p == names || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
      return TRUE;
  return FALSE;
}

static int
rank_of (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR && value->type->has_rank
         ? (int) value->type->rank : -1;
}

static PhDType
dtype_of (const PhValue *value)
{
  return value != NULL && value->type != NULL ? value->type->dtype : PH_FLOAT;
}

static void
set_attr (Upgrade *u, const char *name, PhAttr *attr)
{
  g_autoptr(PhAttr) owned = attr;

  if (u->b.error == NULL && (attr != NULL || ph_node_attr (u->node, name) != NULL))
    ph_node_set_attr (u->node, name, attr, &u->b.error);
}

/* Consumes @tensor. "" inputs fill the gap before @index. */
static void
set_constant_input (Upgrade *u, guint index, const char *suffix, PhTensor *tensor)
{
  g_autoptr(PhTensor) owned = tensor;
  g_autofree char *base = NULL;
  PhValue *value;

  if (u->b.error != NULL)
    return;
  base = g_strdup_printf ("%s_%s", ph_node_output (u->node, 0)->name, suffix);
  value = ph_graph_add_constant (u->node->graph, ph_model_unique_name (u->run->model, base), tensor, &u->b.error);
  while (u->b.error == NULL && u->node->inputs->len < index)
    ph_node_set_input (u->node, u->node->inputs->len, NULL, &u->b.error);
  if (u->b.error == NULL)
    ph_node_set_input (u->node, index, value, &u->b.error);
}

/* The whole node gives way to @value. */
static void
replace (Upgrade *u, PhValue *value)
{
  if (u->b.error != NULL || value == NULL)
    return;
  if (!ph_node_replace (u->node, value, &u->b.error) && u->b.error == NULL)
    cannot (u, "it is an output of the model in a form that cannot be replaced; put an Identity behind it");
}

/* Copies of the node's attributes, without those in the NULL-terminated list @but, and with room for two more. */
static PhAttr **
copy_attrs (const PhNode *node, const char *const *but)
{
  PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 3);
  guint n = 0;

  for (guint i = 0; i < node->attrs->len; i++)
    {
      PhAttr *attr = g_ptr_array_index (node->attrs, i);

      if (but == NULL || !g_strv_contains (but, attr->name))
        attrs[n++] = ph_attr_ref (attr);
    }
  return attrs;
}

static void
drop_consumed_inputs (Upgrade *u)
{
  set_attr (u, "consumed_inputs", NULL);
}

/* axis: where the second operand's first dimension stands in the first. */
static void
legacy_broadcast (Upgrade *u)
{
  PhValue *a = ph_node_input (u->node, 0), *b = ph_node_input (u->node, 1);
  gint64 axis = ph_node_attr_int (u->node, "axis", G_MAXINT64);
  gboolean broadcast = ph_node_attr_int (u->node, "broadcast", 0) != 0;

  set_attr (u, "axis", NULL);
  set_attr (u, "broadcast", NULL);
  if (!broadcast || axis == G_MAXINT64 || b == NULL)
    return;

  int rank_a = rank_of (a), rank_b = rank_of (b);
  g_autofree gint64 *axes = NULL;
  int missing;

  if (rank_a < 0 || rank_b < 0)
    {
      cannot (u, "broadcasting along axis %d needs the ranks of its inputs, which are unknown", (int) axis);
      return;
    }
  if (axis < 0)
    axis += rank_a;
  missing = rank_a - (int) axis - rank_b;
  if (missing <= 0)
    return;

  axes = g_new (gint64, missing);
  for (int i = 0; i < missing; i++)
    axes[i] = rank_b + i;
  u->b.name = b->name;
  b = PH_BUILD (&u->b, Unsqueeze, b, ph_build_ints (&u->b, axes, missing));
  if (b != NULL)
    ph_node_set_input (u->node, 1, b, &u->b.error);
}

static void
gemm_broadcast (Upgrade *u)
{
  set_attr (u, "broadcast", NULL);
}

/* A slope per channel had no other dimensions. */
static void
prelu_slope (Upgrade *u)
{
  PhValue *slope = ph_node_input (u->node, 1);
  int rank = rank_of (ph_node_input (u->node, 0));
  gint64 axes[PH_MAX_RANK];

  if (rank_of (slope) != 1 || rank <= 2 || slope->type->dims[0].size == 1)
    return;
  for (int i = 0; i < rank - 2; i++)
    axes[i] = i + 1;
  u->b.name = slope->name;
  slope = PH_BUILD (&u->b, Unsqueeze, slope, ph_build_ints (&u->b, axes, rank - 2));
  if (slope != NULL)
    ph_node_set_input (u->node, 1, slope, &u->b.error);
}

static gboolean
any_output_used (const PhNode *node, guint from)
{
  for (guint i = from; i < node->outputs->len; i++)
    if (ph_value_n_uses (g_ptr_array_index (node->outputs, i)) > 0)
      return TRUE;
  return FALSE;
}

/* Anew, with one output. */
static void
rebuild_with_one_output (Upgrade *u, const PhOp *op, const char *const *but)
{
  g_autofree PhAttr **attrs = copy_attrs (u->node, but);

  replace (u, ph_build_node (&u->b, op, (PhValue **) u->node->inputs->pdata, u->node->inputs->len, attrs, 1));
}

static void
batch_normalization (Upgrade *u)
{
  if (ph_node_attr_int (u->node, "spatial", 1) == 0)
    {
      cannot (u, "spatial = 0 (statistics per activation) has no newer form; export the model again with spatial = 1");
      return;
    }
  if (any_output_used (u->node, 1))
    {
      cannot (u, "its training outputs are used, and older versions do not say how they are computed; export the model "
              "for inference");
      return;
    }
  set_attr (u, "spatial", NULL);
  set_attr (u, "is_test", NULL);
  if (u->node->outputs->len > 1)
    rebuild_with_one_output (u, &ph_op_BatchNormalization, NULL);
}

static void
dropout_ratio (Upgrade *u)
{
  float ratio = ph_node_attr_float (u->node, "ratio", 0.5f);

  set_attr (u, "is_test", NULL);
  set_attr (u, "ratio", NULL);
  if (u->opset < 10 && any_output_used (u->node, 1))
    {
      cannot (u, "its mask is used, which was a number and is a truth value now; remove it from the model");
      return;
    }
  set_constant_input (u, 1, "ratio", ph_tensor_new_scalar (PH_FLOAT, ratio));
}

static void
cast_to_name (Upgrade *u)
{
  PhAttr *to = ph_node_attr (u->node, "to");
  g_autofree char *name = NULL;
  PhDType dtype;

  if (to == NULL || to->kind != PH_ATTR_STRING)
    return;
  name = g_ascii_strdown (g_bytes_get_data (to->s, NULL), g_bytes_get_size (to->s));
  dtype = ph_dtype_from_name (name);
  if (dtype == PH_UNDEFINED)
    cannot (u, "'%s' is no element type", name);
  else
    set_attr (u, "to", ph_attr_new_int ("to", dtype));
}

static void
concat_axis (Upgrade *u)
{
  if (ph_node_attr (u->node, "axis") == NULL)
    set_attr (u, "axis", ph_attr_new_int ("axis", 1));
}

/* An attribute of integers becomes input @index. */
static void
ints_become_input (Upgrade *u, const char *attr, guint index, const char *suffix)
{
  gsize n;
  const gint64 *values = ph_node_attr_ints (u->node, attr, &n);

  if (values == NULL)
    return;
  set_constant_input (u, index, suffix, ph_tensor_new_int64s (values, n));
  set_attr (u, attr, NULL);
}

static void
axes_become_input (Upgrade *u)
{
  ints_become_input (u, "axes", 1, "axes");
}

static void
reshape_shape (Upgrade *u)
{
  if (u->node->inputs->len < 2 && ph_node_attr (u->node, "shape") == NULL)
    cannot (u, "it has no attribute shape");
  ints_become_input (u, "shape", 1, "shape");
}

static void
pad_paddings (Upgrade *u)
{
  gsize n;
  const gint64 *values = ph_node_attr_ints (u->node, "paddings", &n);

  if (values == NULL)
    return;
  set_attr (u, "pads", ph_attr_new_ints ("pads", values, n));
  set_attr (u, "paddings", NULL);
}

static void
pad_inputs (Upgrade *u)
{
  float value = ph_node_attr_float (u->node, "value", 0);

  ints_become_input (u, "pads", 1, "pads");
  set_attr (u, "value", NULL);
  if (value != 0)
    set_constant_input (u, 2, "value", ph_tensor_new_scalar (dtype_of (ph_node_input (u->node, 0)), value));
}

static void
slice_inputs (Upgrade *u)
{
  ints_become_input (u, "starts", 1, "starts");
  ints_become_input (u, "ends", 2, "ends");
  ints_become_input (u, "axes", 3, "axes");
}

static void
split_input (Upgrade *u)
{
  ints_become_input (u, "split", 1, "split");
}

static void
split_num_outputs (Upgrade *u)
{
  if (ph_node_input (u->node, 1) == NULL && ph_node_attr (u->node, "num_outputs") == NULL)
    set_attr (u, "num_outputs", ph_attr_new_int ("num_outputs", u->node->outputs->len));
}

static void
clip_inputs (Upgrade *u)
{
  PhAttr *min = ph_node_attr (u->node, "min"), *max = ph_node_attr (u->node, "max");
  PhDType dtype = dtype_of (ph_node_input (u->node, 0));
  float low = min != NULL ? min->f : 0, high = max != NULL ? max->f : 0;
  gboolean has_min = min != NULL && low > -G_MAXFLOAT, has_max = max != NULL && high < G_MAXFLOAT;

  set_attr (u, "min", NULL);
  set_attr (u, "max", NULL);
  if (has_min)
    set_constant_input (u, 1, "min", ph_tensor_new_scalar (dtype, low));
  if (has_max)
    set_constant_input (u, 2, "max", ph_tensor_new_scalar (dtype, high));
}

/* Before opset 13 the input was seen as a matrix, cut before the axis; after, one axis is normalised. */
static void
softmax_matrix (Upgrade *u)
{
  PhValue *x = ph_node_input (u->node, 0), *y, *shape;
  const PhType *type = x->type;
  gint64 axis = ph_node_attr_int (u->node, "axis", 1);
  int rank = rank_of (x);
  gboolean trailing_ones = rank >= 0;
  const PhOp *op = u->node->op;
  gint64 dims[PH_MAX_RANK];

  if (axis < 0 && rank < 0)
    {
      cannot (u, "its axis counts from the end and the rank of its input is unknown");
      return;
    }
  if (axis < 0)
    axis += rank;
  for (int i = (int) axis + 1; i < rank; i++)
    trailing_ones &= type->dims[i].size == 1;
  if (trailing_ones && axis < rank)
    {
      set_attr (u, "axis", ph_attr_new_int ("axis", axis == rank - 1 ? -1 : axis));
      return;
    }

  y = PH_BUILD_WITH (&u->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", axis)), x);
  y = ph_build_node (&u->b, op, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", 1)), 1);
  if (type != NULL && ph_type_is_static (type))
    {
      for (int i = 0; i < rank; i++)
        dims[i] = type->dims[i].size;
      shape = ph_build_ints (&u->b, dims, rank);
    }
  else
    shape = PH_BUILD (&u->b, Shape, x);
  /* A dimension of 0 is meant, not copied: but what is copied is 0 as well. */
  replace (u, PH_BUILD (&u->b, Reshape, y, shape));
}

static void
topk_k (Upgrade *u)
{
  gint64 k = ph_node_attr_int (u->node, "k", -1);

  if (k < 0)
    return;
  set_constant_input (u, 1, "k", ph_tensor_new_int64s (&k, 1));
  set_attr (u, "k", NULL);
}

static PhAttr *
text_attr (const char *name, const char *value)
{
  return ph_attr_new_string (name, value);
}

/* Upsample, in its three forms: scales of height and width, an attribute, an input. */
static void
upsample (Upgrade *u)
{
  const char *mode = ph_node_attr_string (u->node, "mode", "nearest");
  PhAttr *attr = ph_node_attr (u->node, "scales");
  PhValue *scales = ph_node_input (u->node, 1);
  gboolean linear = g_str_equal (mode, "linear") || g_str_equal (mode, "bilinear");

  if (scales == NULL && attr != NULL)
    scales = ph_build_tensor (&u->b, ph_tensor_new_floats (attr->floats, attr->n));
  if (scales == NULL)
    {
      float values[] = { 1, 1, ph_node_attr_float (u->node, "height_scale", 1), ph_node_attr_float (u->node, "width_scale", 1) };

      scales = ph_build_tensor (&u->b, ph_tensor_new_floats (values, 4));
    }
  replace (u, PH_BUILD_WITH (&u->b, Resize,
                             PH_ATTRS (text_attr ("mode", linear ? "linear" : "nearest"),
                                       text_attr ("coordinate_transformation_mode", "asymmetric"),
                                       text_attr ("nearest_mode", "floor")),
                             ph_node_input (u->node, 0), NULL, scales));
}

/* Version 10 had no modes: it took the element at or before when growing, at or after when shrinking. */
static void
resize_10 (Upgrade *u)
{
  PhValue *scales = ph_node_input (u->node, 1);
  PhTensor *tensor = scales != NULL ? ph_value_constant (scales) : NULL;
  gboolean nearest = g_str_equal (ph_node_attr_string (u->node, "mode", "nearest"), "nearest");
  gboolean grows = tensor == NULL, shrinks = FALSE;

  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    {
      grows |= ph_tensor_get (tensor, i) > 1;
      shrinks |= ph_tensor_get (tensor, i) < 1;
    }
  if (nearest && grows && shrinks)
    {
      cannot (u, "it grows one axis and shrinks another, which rounded in opposite directions; split it in two");
      return;
    }
  set_attr (u, "coordinate_transformation_mode", text_attr ("coordinate_transformation_mode", "asymmetric"));
  if (nearest)
    set_attr (u, "nearest_mode", text_attr ("nearest_mode", shrinks ? "ceil" : "floor"));
  if (u->b.error == NULL && ph_node_set_input (u->node, 2, scales, &u->b.error))
    ph_node_set_input (u->node, 1, NULL, &u->b.error);
}

/* Version 11 wrote what it did not give as empty tensors. */
static void
resize_11 (Upgrade *u)
{
  const char *mode = ph_node_attr_string (u->node, "coordinate_transformation_mode", "half_pixel");
  gboolean crops = g_str_equal (mode, "tf_crop_and_resize");

  for (guint i = 1; i < 4 && u->b.error == NULL; i++)
    {
      PhValue *value = ph_node_input (u->node, i);
      PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

      if (tensor != NULL && (ph_tensor_count (tensor) == 0 || (i == 1 && !crops)))
        ph_node_set_input (u->node, i, NULL, &u->b.error);
    }
  if (ph_node_input (u->node, 2) != NULL && ph_node_input (u->node, 3) != NULL && u->b.error == NULL)
    ph_node_set_input (u->node, 2, NULL, &u->b.error);

  if (!g_str_equal (mode, "tf_half_pixel_for_nn"))
    return;
  if (!g_str_equal (ph_node_attr_string (u->node, "nearest_mode", "round_prefer_floor"), "floor"))
    {
      cannot (u, "tf_half_pixel_for_nn is gone, and only with nearest_mode floor has it an equal");
      return;
    }
  set_attr (u, "coordinate_transformation_mode", text_attr ("coordinate_transformation_mode", "half_pixel"));
  set_attr (u, "nearest_mode", text_attr ("nearest_mode", "round_prefer_ceil"));
}

static void
scatter (Upgrade *u)
{
  rebuild_with_one_output (u, &ph_op_ScatterElements, NULL);
}

static void
lp_pool_p (Upgrade *u)
{
  PhAttr *p = ph_node_attr (u->node, "p");

  if (p != NULL && p->kind == PH_ATTR_FLOAT)
    set_attr (u, "p", ph_attr_new_int ("p", (gint64) p->f));
}

static void
selu_defaults (Upgrade *u)
{
  if (ph_node_attr (u->node, "alpha") == NULL)
    set_attr (u, "alpha", ph_attr_new_float ("alpha", 1.6732f));
  if (ph_node_attr (u->node, "gamma") == NULL)
    set_attr (u, "gamma", ph_attr_new_float ("gamma", 1.0507f));
}

/* Tile (x, tiles, axis) */
static void
tile_repeats (Upgrade *u)
{
  PhValue *tiles = ph_node_input (u->node, 1), *axis = ph_node_input (u->node, 2);
  PhTensor *n = tiles != NULL ? ph_value_constant (tiles) : NULL, *k = axis != NULL ? ph_value_constant (axis) : NULL;
  int rank = rank_of (ph_node_input (u->node, 0));
  gint64 repeats[PH_MAX_RANK];

  if (axis == NULL)
    return;
  if (n == NULL || k == NULL || rank < 0 || ph_tensor_get_int (k, 0) < 0 || ph_tensor_get_int (k, 0) >= rank)
    {
      cannot (u, "its repetitions are not constant or the rank of its input is unknown");
      return;
    }
  for (int i = 0; i < rank; i++)
    repeats[i] = 1;
  repeats[ph_tensor_get_int (k, 0)] = ph_tensor_get_int (n, 0);
  replace (u, PH_BUILD (&u->b, Tile, ph_node_input (u->node, 0), ph_build_ints (&u->b, repeats, rank)));
}

static void
recurrent_output_sequence (Upgrade *u)
{
  set_attr (u, "output_sequence", NULL);
}

static const PhType *
without_first_dim (const PhType *type)
{
  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank == 0)
    return type;
  return ph_type_tensor (type->dtype, type->rank - 1, type->dims + 1);
}

/* A Scan before @before without outputs in its body; takes @inputs and one body input, of the type in @types, for each. */
static PhNode *
add_scan (Upgrade *u, PhGraph *graph, PhNode *before, PhValue **inputs, guint n, guint n_outputs, gint64 n_scans,
          PhAttr *directions, const PhType *const *types)
{
  g_autoptr(PhAttr) scans = ph_attr_new_int ("num_scan_inputs", n_scans);
  PhAttr *attrs[] = { scans, directions };
  PhNodeSpec spec = { .op = ph_op_find ("", "Scan"), .op_type = "Scan", .domain = "", .name = u->node->name, .inputs = inputs,
                      .n_inputs = n, .n_outputs = n_outputs, .attrs = attrs, .n_attrs = directions != NULL ? 2 : 1,
                      .before = before, .role = u->node->role, .partner = u->node->partner, .device = u->node->device };
  PhNode *node = ph_graph_add_node (graph, &spec, &u->b.error);
  PhGraph *body = node != NULL ? ph_node_add_graph (node, "body", "scan", &u->b.error) : NULL;

  for (guint i = 0; i < n && u->b.error == NULL; i++)
    ph_graph_add_input (body, ph_model_unique_name (u->run->model, inputs[i]->name), types[i], NULL, G_MAXUINT, &u->b.error);
  return u->b.error == NULL ? node : NULL;
}

/* Before opset 9, Scan had a batch in front of all dimensions and scanned the second one: that is a Scan over the batch
 * with a Scan over the sequence in it. */
static void
scan_8 (Upgrade *u)
{
  PhGraph *body = ph_node_graph (u->node, "body");
  const guint n = u->node->inputs->len - 1, n_outputs = u->node->outputs->len;
  g_autofree const PhType **outer_types = g_new0 (const PhType *, n + 1), **inner_types = g_new0 (const PhType *, n + 1);
  g_autofree PhValue **results = NULL;
  g_autoptr(PhAttr) directions = NULL;
  const gint64 *given;
  PhNode *outer, *inner;
  PhBuilder b;
  gsize n_given;

  if (body == NULL || body->inputs->len != n || body->outputs->len < n_outputs || ph_node_input (u->node, 0) != NULL)
    {
      cannot (u, "its sequences have lengths of their own; export the model again at a newer opset");
      return;
    }
  given = ph_node_attr_ints (u->node, "directions", &n_given);
  if (given != NULL)
    directions = ph_attr_new_ints ("scan_input_directions", given, n_given);
  for (guint i = 0; i < n; i++)
    {
      outer_types[i] = without_first_dim (ph_node_input (u->node, i + 1)->type);
      inner_types[i] = ((PhValue *) body->inputs->pdata[i])->type;
    }
  outer = add_scan (u, u->node->graph, u->node, (PhValue **) u->node->inputs->pdata + 1, n, n_outputs, n, NULL, outer_types);
  if (outer == NULL)
    return;
  inner = add_scan (u, ph_node_graph (outer, "body"), NULL, (PhValue **) ph_node_graph (outer, "body")->inputs->pdata, n, n_outputs,
                    ph_node_attr_int (u->node, "num_scan_inputs", 0), directions, inner_types);
  if (inner == NULL)
    return;
  results = g_new0 (PhValue *, body->outputs->len + 1);
  b = (PhBuilder) { .graph = ph_node_graph (inner, "body"), .role = u->node->role, .partner = u->node->partner };
  ph_build_copy (&b, body, (PhValue **) b.graph->inputs->pdata, results, NULL);
  if (!ph_builder_finish (&b, &u->b.error))
    return;
  for (guint i = 0; i < n_outputs && u->b.error == NULL; i++)
    if (ph_graph_set_output (b.graph, i, results[i], &u->b.error))
      ph_graph_set_output (inner->graph, i, ph_node_output (inner, i), &u->b.error);
  if (u->b.error == NULL)
    ph_infer_one (outer, &u->b.error);
  for (guint i = 0; i < n_outputs && u->b.error == NULL; i++)
    ph_value_replace_uses (ph_node_output (u->node, i), ph_node_output (outer, i), &u->b.error);
  if (u->b.error == NULL)
    ph_graph_remove_node (u->node, &u->b.error);
}

/* One scale for a group became one for a channel. */
static void
group_normalization (Upgrade *u)
{
  PhValue *x = ph_node_input (u->node, 0);
  gint64 groups = ph_node_attr_int (u->node, "num_groups", 0);

  if (rank_of (x) < 2 || x->type->dims[1].size < 0 || groups <= 0)
    {
      cannot (u, "its number of channels is unknown");
      return;
    }
  for (guint i = 1; i < 3; i++)
    {
      PhValue *value = ph_node_input (u->node, i);
      gint64 column[] = { groups, 1 }, grid[] = { groups, x->type->dims[1].size / groups }, flat[] = { -1 };

      if (value == NULL)
        continue;
      u->b.name = value->name;
      value = PH_BUILD (&u->b, Reshape, value, ph_build_ints (&u->b, column, 2));
      value = PH_BUILD (&u->b, Expand, value, ph_build_ints (&u->b, grid, 2));
      value = PH_BUILD (&u->b, Reshape, value, ph_build_ints (&u->b, flat, 1));
      if (value != NULL)
        ph_node_set_input (u->node, i, value, &u->b.error);
    }
}

static void
grid_sample_modes (Upgrade *u)
{
  const char *mode = ph_node_attr_string (u->node, "mode", "bilinear");

  if (g_str_equal (mode, "bilinear") || g_str_equal (mode, "bicubic"))
    set_attr (u, "mode", text_attr ("mode", mode + 2));
}

static void
roi_align_pixels (Upgrade *u)
{
  if (ph_node_attr (u->node, "coordinate_transformation_mode") == NULL)
    set_attr (u, "coordinate_transformation_mode", text_attr ("coordinate_transformation_mode", "output_half_pixel"));
}

static void
dft_axis (Upgrade *u)
{
  gint64 axis = ph_node_attr_int (u->node, "axis", 1);

  set_attr (u, "axis", NULL);
  set_constant_input (u, 2, "axis", ph_tensor_new_scalar (PH_INT64, (double) axis));
}

/* By version, so that a node climbs through its versions in order. */
static const UpgradeRule upgrades[] = {
  { "lp-pool-p",            "LpPool GlobalLpPool", 2, lp_pool_p,          "The order of the norm became an integer." },
  { "pad-paddings",         "Pad", 2, pad_paddings,                       "paddings was renamed to pads." },
  { "concat-axis",          "Concat", 4, concat_axis,                     "The axis was 1 where none was given." },
  { "reshape-shape",        "Reshape", 5, reshape_shape,                  "The shape became an input, so that it can be computed." },
  { "consumed-inputs",      "*", 6, drop_consumed_inputs,                 "Memory planning is no longer written into the model." },
  { "cast-to",              "Cast", 6, cast_to_name,                      "Element types are numbered instead of named." },
  { "tile-repeats",         "Tile", 6, tile_repeats,                      "One count for each axis, instead of one axis and its count." },
  { "selu-defaults",        "Selu", 6, selu_defaults,                     "The constants had fewer digits." },
  { "broadcast",            "Add Sub Mul Div Pow And Or Xor Equal Less Greater", 7, legacy_broadcast,
    "Broadcasting became numpy's; an operand that was aligned at an axis gets the trailing dimensions that this needs." },
  { "gemm-broadcast",       "Gemm", 7, gemm_broadcast,                    "Gemm always broadcasts its bias now." },
  { "prelu-slope",          "PRelu", 7, prelu_slope,                      "A slope per channel needs trailing dimensions to broadcast." },
  { "recurrent-output",     "RNN GRU LSTM", 7, recurrent_output_sequence, "Which outputs are wanted follows from which are used." },
  { "scan-batch",           "Scan", 9, scan_8,                            "Scan lost its batch dimension: a Scan over the batch takes its place." },
  { "upsample-resize",      "Upsample", 10, upsample,                     "Upsample became a case of Resize." },
  { "slice-inputs",         "Slice", 10, slice_inputs,                    "Where to slice became inputs, so that it can be computed." },
  { "topk-k",               "TopK", 10, topk_k,                           "k became an input, so that it can be computed." },
  { "resize-modes",         "Resize", 11, resize_10,                      "How coordinates are mapped and rounded is now said." },
  { "clip-inputs",          "Clip", 11, clip_inputs,                      "The bounds became inputs, so that they can be computed." },
  { "pad-inputs",           "Pad", 11, pad_inputs,                        "The padding became an input, so that it can be computed." },
  { "scatter-elements",     "Scatter", 11, scatter,                       "Scatter was renamed when ScatterND came." },
  { "dropout-ratio",        "Dropout", 12, dropout_ratio,                 "The ratio became an input, and training is asked for." },
  { "axes-input",           "Squeeze Unsqueeze ReduceSum", 13, axes_become_input, "The axes became an input, so that they can be computed." },
  { "split-input",          "Split", 13, split_input,                     "The lengths became an input, so that they can be computed." },
  { "softmax-axis",         "Softmax LogSoftmax Hardmax", 13, softmax_matrix,
    "The input was seen as a matrix, cut at the axis; now one axis is normalised, so the matrix has to be made where they differ." },
  { "resize-optional",      "Resize", 13, resize_11,                      "What is not given is left out, instead of an empty tensor." },
  { "batch-normalization",  "BatchNormalization", 14, batch_normalization, "Inference is the only mode without training_mode." },
  { "roi-align-pixels",     "RoiAlign", 16, roi_align_pixels,             "The default became half pixels; before there was no offset." },
  { "reduce-axes-input",    "ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
                            "ReduceSumSquare", 18, axes_become_input,     "The axes became an input, so that they can be computed." },
  { "split-num-outputs",    "Split", 18, split_num_outputs,               "Equal parts have to be counted." },
  { "grid-sample-modes",    "GridSample", 20, grid_sample_modes,          "The modes lost their bi-, for there are more dimensions than two." },
  { "dft-axis",             "DFT", 20, dft_axis,                          "The axis became an input, so that it can be computed." },
  { "group-normalization",  "GroupNormalization", 21, group_normalization, "Scale and bias are per channel, instead of per group." },
};

/* Types what the file left untyped: later upgrades look at ranks. */
static void
infer_types (PhPassRun *run, PhNode *node)
{
  gboolean untyped = FALSE;

  for (guint i = 0; i < node->outputs->len; i++)
    untyped |= ((PhValue *) g_ptr_array_index (node->outputs, i))->type == NULL;
  if (node->op == NULL || !untyped || !ph_pass_begin (run, "infer-types", node, "Some upgrades depend on ranks."))
    return;
  if (ph_infer_one (node, NULL))
    ph_pass_end (run);
  else
    ph_pass_abort (run);
}

static gboolean
upgrade_node (PhPassRun *run, PhId id, int opset, GError **error)
{
  PhNode *node = ph_model_find_node (run->model, id);

  for (guint i = 0; i < G_N_ELEMENTS (upgrades) && node != NULL && *node->domain == '\0'; i++)
    {
      const UpgradeRule *rule = &upgrades[i];
      Upgrade u = { .run = run, .node = node, .opset = opset };

      if (opset >= rule->below || (*rule->ops != '*' && !is_named (rule->ops, node->op_type)))
        continue;
      if (!ph_pass_begin (run, rule->rule, node, rule->why))
        return TRUE;
      u.b = (PhBuilder) { .graph = node->graph, .before = node, .name = ph_node_output (node, 0)->name,
                          .role = node->role, .partner = node->partner, .device = node->device };
      rule->func (&u);
      if (!ph_builder_finish (&u.b, error))
        {
          ph_pass_abort (run);
          return FALSE;
        }
      ph_pass_end (run);
      node = ph_model_find_node (run->model, id);
    }
  if (node != NULL)
    infer_types (run, node);
  return TRUE;
}

static gboolean
has_upgrade (const char *op_type, int opset)
{
  for (guint i = 0; i < G_N_ELEMENTS (upgrades); i++)
    if (opset < upgrades[i].below && (*upgrades[i].ops == '*' || is_named (upgrades[i].ops, op_type)))
      return TRUE;
  return FALSE;
}

static gboolean
graph_has_upgrade (const PhGraph *graph, int opset, GHashTable *clean)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (graph_has_upgrade (node->graphs->pdata[i], opset, clean))
          return TRUE;
      if (*node->domain != '\0' || g_hash_table_contains (clean, node->op_type))
        continue;
      if (has_upgrade (node->op_type, opset))
        return TRUE;
      g_hash_table_add (clean, (gpointer) node->op_type);
    }
  return FALSE;
}

gboolean
ph_upgrade_changes_nodes (PhModel *model)
{
  g_autoptr(GHashTable) clean = g_hash_table_new (NULL, NULL);
  int opset = ph_model_opset (model, "");

  return opset < PH_OPSET_NEWEST && graph_has_upgrade (model->graph, MAX (opset, OLD_DEFAULT_OPSET), clean);
}

static gboolean
upgrade_opset (PhPassRun *run, GError **error)
{
  int opset = ph_model_opset (run->model, "");
  g_autoptr(GPtrArray) nodes = NULL;
  g_autoptr(GArray) ids = NULL;

  if (opset >= PH_OPSET_NEWEST || (opset == 0 && run->model->graph->n_nodes == 0))
    return TRUE;
  opset = MAX (opset, OLD_DEFAULT_OPSET);

  nodes = ph_model_nodes (run->model);
  ids = g_array_new (FALSE, FALSE, sizeof (PhId));
  for (guint i = 0; i < nodes->len; i++)
    g_array_append_val (ids, ((PhNode *) g_ptr_array_index (nodes, i))->id);

  for (guint i = 0; i < ids->len && !run->stopped; i++)
    if (!upgrade_node (run, g_array_index (ids, PhId, i), opset, error))
      return FALSE;

  if (ph_pass_begin (run, "set-opset", NULL, "Every operator is at its newest version now."))
    {
      ph_model_set_opset (run->model, "", PH_OPSET_NEWEST);
      ph_pass_end (run);
    }
  return TRUE;
}

const PhPass ph_pass_upgrade_opset = {
  .name = "upgrade-opset", .group = "upgrade", .summary = "Brings operators of older opsets to their newest version",
  .run = upgrade_opset, .exactness = PH_EXACT,
};
