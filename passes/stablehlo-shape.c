/* stablehlo-shape.c: ONNX's operators on shapes, its constants and its operators with bodies, in StableHLO.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/copy.h"
#include "passes/stablehlo.h"

static gboolean
same (PhConvert *l, PhValue **out)
{
  if (l->node->op == &ph_op_Dropout)
    {
      double number = 0;

      if ((l->node->outputs->len > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0)
          || (ph_stable_in (l, 2) != NULL && (!ph_value_number (ph_stable_in (l, 2), &number) || number != 0)))
        return ph_convert_stay (l, "it applies dropout at random, as in training");
    }
  out[0] = ph_stable_in (l, 0);
  return out[0] != NULL;
}

static gboolean
reshape (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, dims);

  out[0] = ph_stable_reshape (l, ph_stable_in (l, 0), dims, rank);
  return out[0] != NULL;
}

static gboolean
expand (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, dims);

  out[0] = ph_stable_expand (l, ph_stable_in (l, 0), dims, rank);
  return out[0] != NULL;
}

static gboolean
transpose (PhConvert *l, PhValue **out)
{
  int rank;
  g_autofree gint64 *perm = ph_node_perm (l->node, &rank);

  out[0] = perm != NULL ? ph_stable_transpose (l, ph_stable_in (l, 0), perm) : NULL;
  return out[0] != NULL || ph_convert_stay (l, "its axes are not known");
}

static gboolean
concat (PhConvert *l, PhValue **out)
{
  const int axis = ph_axis_of (ph_node_attr_int (l->node, "axis", 0), (int) ph_convert_rank (ph_stable_in (l, 0)));

  out[0] = ph_stable_node (l, "concatenate", ph_node_output (l->node, 0)->type, (PhValue **) l->node->inputs->pdata,
                           l->node->inputs->len, PH_ATTRS (ph_attr_new_int ("dimension", axis)));
  return out[0] != NULL;
}

/* Converts Slice; for a negative step the axis is reversed first. */
static gboolean
slice (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0);
  gint64 dims[PH_MAX_RANK], from[PH_MAX_RANK], to[PH_MAX_RANK], by[PH_MAX_RANK], back[PH_MAX_RANK];
  const guint rank = ph_stable_dims (x, dims);
  g_autoptr (GArray) starts = ph_foreign_ints (l, 1), ends = ph_foreign_ints (l, 2),
                     axes = ph_stable_in (l, 3) != NULL ? ph_foreign_ints (l, 3) : NULL;
  g_autoptr (GArray) steps = ph_stable_in (l, 4) != NULL ? ph_foreign_ints (l, 4) : NULL;
  guint n_back = 0;

  if (starts == NULL || ends == NULL || l->stays != NULL || starts->len != ends->len)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    {
      from[i] = 0;
      to[i] = dims[i];
      by[i] = 1;
    }
  for (guint k = 0; k < starts->len; k++)
    {
      const int axis = ph_axis_of (axes != NULL ? g_array_index (axes, gint64, k) : (gint64) k, (int) rank);
      const gint64 size = axis >= 0 ? dims[axis] : 0, step = steps != NULL ? g_array_index (steps, gint64, k) : 1;
      gint64 start = g_array_index (starts, gint64, k), end = g_array_index (ends, gint64, k);

      if (axis < 0 || step == 0 || step == G_MININT64)
        return ph_convert_stay (l, "it has no such axis or step");
      start += start < 0 ? size : 0;
      end += end < 0 ? size : 0;
      if (step > 0)
        {
          from[axis] = CLAMP (start, 0, size);
          to[axis] = CLAMP (end, from[axis], size);
          by[axis] = MIN (step, MAX (size, 1));
        }
      else
        {
          start = CLAMP (start, -1, size - 1);
          end = CLAMP (end, -1, start);
          back[n_back++] = axis;
          from[axis] = size - 1 - start;
          to[axis] = size - 1 - end;
          by[axis] = MIN (-step, MAX (size, 1));
        }
    }
  if (n_back > 0)
    x = ph_stable_node (l, "reverse", x->type, &x, 1, PH_ATTRS (ph_attr_new_ints ("dimensions", back, n_back)));
  out[0] = ph_stable_slice (l, x, from, to, by);
  return out[0] != NULL;
}

static gboolean
split (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0);
  gint64 from[PH_MAX_RANK] = { 0 }, to[PH_MAX_RANK], one[PH_MAX_RANK];
  const guint rank = ph_stable_dims (x, to);
  const int axis = ph_axis_of (ph_node_attr_int (l->node, "axis", 0), (int) rank);

  if (axis < 0)
    return ph_convert_stay (l, "it has no such axis");
  for (guint i = 0; i < rank; i++)
    one[i] = 1;
  for (guint i = 0; i < l->node->outputs->len; i++)
    {
      to[axis] = from[axis] + ph_node_output (l->node, i)->type->dims[axis].size;
      out[i] = ph_stable_slice (l, x, from, to, one);
      from[axis] = to[axis];
    }
  return out[0] != NULL;
}

static gboolean
pad (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0), *number = ph_stable_in (l, 2);
  g_autoptr (GArray) pads = ph_foreign_ints (l, 1), axes = ph_stable_in (l, 3) != NULL ? ph_foreign_ints (l, 3) : NULL;
  gint64 low[PH_MAX_RANK] = { 0 }, high[PH_MAX_RANK] = { 0 };
  const guint rank = ph_convert_rank (x);

  if (pads == NULL || l->stays != NULL)
    return FALSE;
  if (strcmp (ph_node_attr_string (l->node, "mode", "constant"), "constant") != 0)
    return ph_convert_stay (l, "its padding value is not one number");
  for (guint k = 0; k < pads->len / 2; k++)
    {
      const int axis = ph_axis_of (axes != NULL && k < axes->len ? g_array_index (axes, gint64, k) : (gint64) k, (int) rank);

      if (axis < 0)
        return ph_convert_stay (l, "it has no such axis");
      low[axis] = g_array_index (pads, gint64, k);
      high[axis] = g_array_index (pads, gint64, k + pads->len / 2);
    }
  number = number != NULL ? ph_stable_reshape (l, number, NULL, 0) : ph_build_scalar (l->b, x->type->dtype, 0);
  out[0] = ph_stable_pad (l, x, number, low, high);
  return out[0] != NULL;
}

/* Gathers whole slices; indices may be negative. */
static gboolean
gather (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0), *at = ph_stable_in (l, 1);
  gint64 dims[PH_MAX_RANK], size[PH_MAX_RANK], offset[PH_MAX_RANK];
  const guint rank = ph_stable_dims (x, dims), index_rank = ph_convert_rank (at);
  const int axis = ph_axis_of (ph_node_attr_int (l->node, "axis", 0), (int) rank);
  gint64 place = axis;
  guint n = 0;

  if (axis < 0)
    return ph_convert_stay (l, "it has no such axis");
  for (guint i = 0; i < rank; i++)
    {
      size[i] = (int) i == axis ? 1 : dims[i];
      if ((int) i != axis)
        {
          offset[n] = (int) i < axis ? i : i + index_rank - 1;
          n++;
        }
    }
  at = ph_stable_select (l, ph_stable_compare (l, "LT", at, ph_stable_like (l, at, 0)),
                         ph_stable_binary (l, "add", at, ph_stable_like (l, at, (double) dims[axis])), at);
  out[0] = ph_stable_node (
      l, "gather", ph_node_output (l->node, 0)->type, PH_VALUES_ (x, at), 2,
      PH_ATTRS (ph_attr_new_ints ("offset_dims", offset, n), ph_attr_new_ints ("collapsed_slice_dims", &place, 1),
                ph_attr_new_ints ("start_index_map", &place, 1), ph_attr_new_int ("index_vector_dim", index_rank),
                ph_attr_new_int ("indices_are_sorted", 0), ph_attr_new_ints ("slice_sizes", size, rank)));
  return out[0] != NULL;
}

static gboolean
tile (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0);
  g_autoptr (GArray) times = ph_foreign_ints (l, 1);
  gint64 dims[PH_MAX_RANK], wide[PH_MAX_RANK], map[PH_MAX_RANK], result[PH_MAX_RANK];
  const guint rank = ph_stable_dims (x, dims), out_rank = ph_stable_out_dims (l, 0, result);

  if (times == NULL)
    return FALSE;
  if (times->len != rank || 2 * rank > PH_MAX_RANK)
    return ph_convert_stay (l, "it does not have a number for each axis");
  for (guint i = 0; i < rank; i++)
    {
      wide[2 * i] = g_array_index (times, gint64, i);
      wide[2 * i + 1] = dims[i];
      map[i] = 2 * i + 1;
    }
  out[0] = ph_stable_reshape (l, ph_stable_spread (l, x, wide, 2 * rank, map), result, out_rank);
  return out[0] != NULL;
}

/* Converts DepthToSpace and SpaceToDepth: splits an axis, moves the parts, and joins axes. */
static gboolean
space_depth (PhConvert *l, PhValue **out)
{
  const gboolean to_depth = l->node->op == &ph_op_SpaceToDepth,
                 crd = strcmp (ph_node_attr_string (l->node, "mode", "DCR"), "CRD") == 0;
  PhValue *x = ph_stable_in (l, 0);
  gint64 d[PH_MAX_RANK], result[PH_MAX_RANK];
  const gint64 b = ph_node_attr_int (l->node, "blocksize", 1), depth[] = { 0, 3, 5, 1, 2, 4 }, dcr[] = { 0, 3, 4, 1, 5, 2 },
               columns[] = { 0, 1, 4, 2, 5, 3 };
  const guint rank = ph_stable_out_dims (l, 0, result);

  if (ph_stable_dims (x, d) != 4 || b < 1 || b > G_MAXINT32)
    return ph_convert_stay (l, "it has no image");
  if (to_depth)
    x = ph_stable_transpose (l, ph_stable_reshape (l, x, (gint64[]) { d[0], d[1], d[2] / b, b, d[3] / b, b }, 6), depth);
  else if (crd)
    x = ph_stable_transpose (l, ph_stable_reshape (l, x, (gint64[]) { d[0], d[1] / (b * b), b, b, d[2], d[3] }, 6), columns);
  else
    x = ph_stable_transpose (l, ph_stable_reshape (l, x, (gint64[]) { d[0], b, b, d[1] / (b * b), d[2], d[3] }, 6), dcr);
  out[0] = ph_stable_reshape (l, x, result, rank);
  return out[0] != NULL;
}

/* Operators that do not read the operands' values, but at most their shape. */
static gboolean
known (PhConvert *l, PhValue **out)
{
  const PhOp *op = l->node->op;
  const PhType *type = ph_node_output (l->node, 0)->type;
  gint64 dims[PH_MAX_RANK], result[PH_MAX_RANK];
  const guint rank = ph_stable_in (l, 0) != NULL ? ph_stable_dims (ph_stable_in (l, 0), dims) : 0,
              out_rank = ph_stable_out_dims (l, 0, result);
  double start = 0, step = 1;

  if (op == &ph_op_Shape)
    {
      gint64 from = ph_node_attr_int (l->node, "start", 0);

      from = CLAMP (from < 0 ? from + (gint64) rank : from, 0, (gint64) rank);
      if (out_rank != 1 || result[0] < 0 || result[0] > (gint64) rank - from)
        return ph_convert_stay (l, "its result is declared to have more dimensions than its operand");
      out[0] = ph_build_ints (l->b, dims + from, (gsize) result[0]);
    }
  else if (op == &ph_op_Size)
    {
      for (guint i = 0; i < rank; i++)
        step *= (double) dims[i];
      out[0] = ph_build_scalar (l->b, PH_INT64, step);
    }
  else if (op == &ph_op_ConstantOfShape)
    {
      const PhAttr *value = ph_node_attr (l->node, "value");

      out[0] = ph_stable_fill (l, type->dtype,
                               value != NULL && value->kind == PH_ATTR_TENSOR ? ph_tensor_get (value->tensor, 0) : 0, result,
                               out_rank);
    }
  else if (op == &ph_op_Range)
    {
      if (!ph_value_number (ph_stable_in (l, 0), &start) || !ph_value_number (ph_stable_in (l, 2), &step))
        return ph_convert_stay (l, "its start is not constant");
      out[0] = ph_stable_iota (l, type->dtype, 0, result, 1);
      out[0] = ph_stable_binary (l, "add", ph_stable_binary (l, "multiply", out[0], ph_stable_like (l, out[0], step)),
                                 ph_stable_like (l, out[0], start));
    }
  else /* Constant */
    {
      PhTensor *tensor = ph_value_constant (ph_node_output (l->node, 0));

      out[0] = tensor != NULL ? ph_build_tensor (l->b, ph_tensor_ref (tensor)) : NULL;
    }
  return out[0] != NULL || ph_convert_stay (l, "its elements are not numbers");
}

/* ── bodies ── */

static gboolean
if_ (PhConvert *l, PhValue **out)
{
  static const char *const names[][2] = { { "then_branch", "true_branch" }, { "else_branch", "false_branch" } };
  const guint n = l->node->outputs->len;
  g_autofree const PhType **types = g_new0 (const PhType *, n + 1);
  PhValue *condition = ph_stable_reshape (l, ph_stable_in (l, 0), NULL, 0);
  PhNode *made;

  for (guint i = 0; i < n; i++)
    {
      types[i] = ph_node_output (l->node, i)->type;
      for (guint k = 0; k < 2; k++)
        {
          const PhGraph *body = ph_node_graph (l->node, names[k][0]);

          if (body == NULL || body->outputs->len != n || ((PhValue *) body->outputs->pdata[i])->type != types[i])
            return ph_convert_stay (l, "its branches return values of different shapes");
        }
    }
  if (condition == NULL)
    return FALSE;
  made = ph_graph_add_node (l->b->graph,
                            &(PhNodeSpec) { .op_type = "if",
                                            .domain = "stablehlo",
                                            .inputs = &condition,
                                            .n_inputs = 1,
                                            .n_outputs = n,
                                            .output_types = types,
                                            .before = l->b->before },
                            &l->b->error);
  for (guint k = 0; made != NULL && k < 2; k++)
    {
      PhGraph *from = ph_node_graph (l->node, names[k][0]),
              *to = ph_node_add_graph (made, names[k][1], names[k][1], &l->b->error);
      PhBuilder inside = { .graph = to, .name = l->b->name };
      g_autofree PhValue **outputs = g_new0 (PhValue *, n + 1);

      if (to == NULL || !ph_build_copy (&inside, from, NULL, outputs, NULL))
        {
          g_clear_error (&inside.error);
          return FALSE;
        }
      for (guint i = 0; i < n; i++)
        if (!ph_graph_set_output (to, i, outputs[i], &l->b->error))
          return FALSE;
    }
  for (guint i = 0; made != NULL && i < n; i++)
    out[i] = ph_node_output (made, i);
  return made != NULL;
}

/* Copies @from into @to, whose inputs are those of the loop: the iteration number, the condition, the carried values. */
static gboolean
fill_body (PhConvert *l, PhGraph *from, PhGraph *to, guint n)
{
  PhBuilder inside = { .graph = to, .name = l->b->name }, *outside = l->b;
  g_autofree PhValue **outputs = g_new0 (PhValue *, n + 2);
  PhValue *next = NULL, *number, *condition;
  gint64 dims[PH_MAX_RANK];
  gboolean ok;

  l->b = &inside;
  number = ph_stable_expand (l, to->inputs->pdata[0], dims, ph_stable_dims (from->inputs->pdata[0], dims));
  condition = ph_stable_expand (l, to->inputs->pdata[1], dims, ph_stable_dims (from->inputs->pdata[1], dims));
  {
    g_autofree PhValue **inputs = g_memdup2 (to->inputs->pdata, (n + 2) * sizeof (PhValue *));

    inputs[0] = number;
    inputs[1] = condition;
    ok = number != NULL && condition != NULL && ph_build_copy (&inside, from, inputs, outputs, NULL);
  }
  if (ok)
    {
      next = ph_stable_binary (l, "add", to->inputs->pdata[0], ph_build_scalar (&inside, PH_INT64, 1));
      outputs[0] = ph_stable_reshape (l, outputs[0], NULL, 0);
    }
  ok = ok && next != NULL && outputs[0] != NULL && ph_graph_set_output (to, 0, next, &inside.error);
  for (guint i = 0; ok && i <= n; i++)
    ok = ph_graph_set_output (to, i + 1, outputs[i], &inside.error);
  l->b = outside;
  if (inside.error != NULL && l->b->error == NULL)
    g_propagate_error (&l->b->error, g_steal_pointer (&inside.error));
  g_clear_error (&inside.error);
  return ok;
}

/* Converts a Loop to a while, which continues while the iteration number is below the count and the condition holds. */
static gboolean
loop (PhConvert *l, PhValue **out)
{
  PhGraph *from = ph_node_graph (l->node, "body"), *graphs[2];
  const guint n = l->node->inputs->len > 2 ? l->node->inputs->len - 2 : 0;
  g_autofree const PhType **types = g_new0 (const PhType *, n + 3);
  g_autofree PhValue **first = g_new0 (PhValue *, n + 3);
  PhValue *count = ph_stable_in (l, 0), *holds;
  PhNode *made;
  PhBuilder inside, *outside = l->b;

  if (from == NULL || from->inputs->len != n + 2 || from->outputs->len != n + 1 || l->node->outputs->len != n)
    return ph_convert_stay (l, "it collects a value from each iteration");
  for (guint i = 0; i < n; i++)
    {
      types[i + 2] = ph_stable_in (l, i + 2)->type;
      first[i + 2] = ph_stable_in (l, i + 2);
      if (((PhValue *) from->inputs->pdata[i + 2])->type != types[i + 2]
          || ((PhValue *) from->outputs->pdata[i + 1])->type != types[i + 2])
        return ph_convert_stay (l, "a loop-carried value changes its shape");
    }
  for (guint i = 0; i < 2; i++)
    if (((PhValue *) from->inputs->pdata[i])->type == NULL || !ph_type_is_static (((PhValue *) from->inputs->pdata[i])->type))
      return ph_convert_stay (l, "the shape of its trip count is not known");
  types[0] = ph_type_static (PH_INT64, 0, NULL);
  types[1] = ph_type_static (PH_BOOL, 0, NULL);
  first[0] = ph_build_scalar (l->b, PH_INT64, 0);
  first[1] = ph_stable_in (l, 1) != NULL ? ph_stable_reshape (l, ph_stable_in (l, 1), NULL, 0)
                                         : ph_build_scalar (l->b, PH_BOOL, 1);
  count = count != NULL ? ph_stable_reshape (l, count, NULL, 0) : NULL;
  made = ph_graph_add_node (l->b->graph,
                            &(PhNodeSpec) { .op_type = "while",
                                            .domain = "stablehlo",
                                            .inputs = first,
                                            .n_inputs = n + 2,
                                            .n_outputs = n + 2,
                                            .output_types = types,
                                            .before = l->b->before },
                            &l->b->error);
  for (guint k = 0; k < 2; k++)
    {
      graphs[k] = made != NULL ? ph_node_add_graph (made, k == 0 ? "cond" : "body", k == 0 ? "cond" : "body", &l->b->error)
                               : NULL;
      if (graphs[k] == NULL)
        return FALSE;
      for (guint i = 0; i < n + 2; i++)
        if (ph_graph_add_input (graphs[k],
                                ph_graph_unique_name (graphs[k], i == 0   ? "turn"
                                                                 : i == 1 ? "holds"
                                                                          : first[i]->name),
                                types[i], NULL, G_MAXUINT, &l->b->error)
            == NULL)
          return FALSE;
    }
  inside = (PhBuilder) { .graph = graphs[0], .name = "holds" };
  l->b = &inside;
  holds = graphs[0]->inputs->pdata[1];
  if (count != NULL)
    holds = ph_stable_binary (l, "and", ph_stable_compare (l, "LT", graphs[0]->inputs->pdata[0], count), holds);
  if (holds != NULL)
    ph_graph_set_output (graphs[0], 0, holds, &inside.error);
  l->b = outside;
  if (inside.error != NULL)
    {
      g_propagate_error (&l->b->error, inside.error);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    out[i] = ph_node_output (made, i + 2);
  return fill_body (l, from, graphs[1], n);
}

static const char shape[] = "StableHLO is written with static shapes, so shapes and axes become attributes.";
static const char fixed[] = "It only depends on values that are known when StableHLO is written.";

/* clang-format off */
const PhLowerRule ph_stable_shape[] = {
  { &ph_op_Identity, same, "its operand", "It returns its operand unchanged." }, { &ph_op_Dropout, same, "its operand", "At inference, dropout returns its operand unchanged." },
  { &ph_op_Reshape, reshape, "reshape", shape }, { &ph_op_Flatten, reshape, "reshape", shape }, { &ph_op_Squeeze, reshape, "reshape", shape },
  { &ph_op_Unsqueeze, reshape, "reshape", shape }, { &ph_op_Expand, expand, "broadcast_in_dim", shape }, { &ph_op_Transpose, transpose, "transpose", "Both permute axes." },
  { &ph_op_Concat, concat, "concatenate", "Both concatenate along an axis." }, { &ph_op_Slice, slice, "slice", shape }, { &ph_op_Split, split, "slices", shape },
  { &ph_op_Pad, pad, "pad", shape }, { &ph_op_Gather, gather, "gather", "StableHLO clamps indices, and in ONNX negative ones count from the end." },
  { &ph_op_Tile, tile, "broadcast_in_dim, reshape", shape }, { &ph_op_SpaceToDepth, space_depth, "reshape, transpose", shape },
  { &ph_op_DepthToSpace, space_depth, "reshape, transpose", shape }, { &ph_op_Shape, known, "a constant", fixed }, { &ph_op_Size, known, "a constant", fixed },
  { &ph_op_ConstantOfShape, known, "broadcast_in_dim", fixed }, { &ph_op_Range, known, "iota", fixed }, { &ph_op_Constant, known, "a constant", fixed },
  { &ph_op_Loop, loop, "while", "A StableHLO while carries the iteration number and the condition as ordinary values." },
  { &ph_op_If, if_, "if", "In both, the branches read values of the graph around them." },
  { NULL }
};
/* clang-format on */
