/* usage.c: finds how a pair uses its integer inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples/usage.h"

#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/recipe.h"

/* Returns the type of @value in the model from which the pair was cut: the pair's own inputs have open rank. */
static const PhType *
type_of (const PhPair *pair, const PhValue *value)
{
  const GPtrArray *inputs = value->graph->inputs;
  guint i;

  if (value->tensor != NULL)
    return ph_type_of_tensor (value->tensor);
  if (value->is_input && (value->graph == pair->before->graph || value->graph == pair->after->graph)
      && g_ptr_array_find ((GPtrArray *) inputs, value, &i) && i < pair->types->len && pair->types->pdata[i] != NULL)
    return pair->types->pdata[i];
  return value->type;
}

/* Returns the elements of an image that @node, MaxUnpool, fills for each channel; -1 if unknown. */
static gint64
unpooled (const PhNode *node, const PhType *type)
{
  gsize n_kernel = 0, n_strides = 0;
  const gint64 *kernel = ph_node_attr_ints (node, "kernel_shape", &n_kernel),
               *strides = ph_node_attr_ints (node, "strides", &n_strides);
  gint64 n = 1;

  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank != n_kernel + 2)
    return -1;
  for (gsize i = 0; i < n_kernel; i++)
    {
      const gint64 size = type->dims[i + 2].size;

      if (!ph_dim_known (type->dims[i + 2]) || size > 1000 || kernel[i] > 1000)
        return -1;
      n *= (size - 1) * (n_strides == n_kernel ? CLAMP (strides[i], 1, 1000) : 1) + kernel[i];
    }
  return n;
}

/* Returns the size of the table in which @node looks up, -1 if unknown. */
static gint64
table_of (const PhPair *pair, const PhNode *node)
{
  const PhValue *table = ph_node_input (node, 0), *depth = ph_node_input (node, 1);
  const PhType *type = table != NULL ? type_of (pair, table) : NULL;
  gint64 axis = ph_node_attr_int (node, "axis", 0);

  if (node->op == &ph_op_OneHot)
    {
      PhTensor *constant = depth != NULL ? ph_value_constant (depth) : NULL;

      return constant != NULL && ph_tensor_count (constant) == 1 ? ph_tensor_get_int (constant, 0) : -1;
    }
  if (node->op == &ph_op_MaxUnpool)
    return unpooled (node, type);
  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank == 0)
    return -1;
  if (ph_op_attr (node->op, "batch_dims") != NULL)
    axis = ph_node_attr_int (node, "batch_dims", 0);
  else if (ph_op_attr (node->op, "ignore_index") != NULL) /* a loss looks up the class */
    axis = 1;
  axis = axis < 0 ? axis + type->rank : axis;
  return axis >= 0 && axis < type->rank ? type->dims[axis].size : -1;
}

static PhReading
reading_of (const PhUse *use)
{
  const PhOpArg *arg = use->node->op != NULL && use->index < use->node->inputs->len ? ph_op_input (use->node->op, use->index)
                                                                                    : NULL;

  if (arg == NULL)
    return PH_READ_AS_DATA;
  return arg->flags & PH_ARG_SHAPE ? PH_READ_AS_SHAPE : arg->flags & PH_ARG_INDEX ? PH_READ_AS_INDEX : PH_READ_AS_DATA;
}

/* Returns TRUE for bounds along an axis, which may lie beyond its ends. */
static gboolean
is_place (const PhUse *use)
{
  return (use->node->op == &ph_op_Slice && (use->index == 1 || use->index == 2))
         || (use->node->op == &ph_op_Trilu && use->index == 1);
}

/* Returns TRUE if the result depends on the shape of the input only. */
static gboolean
asks_shape (const PhNode *node)
{
  return node->op == &ph_op_Shape || node->op == &ph_op_Size;
}

typedef struct
{
  const PhPair *pair;
  PhUsage usage;
  GHashTable *seen;
  GArray *places; /* (nullable) (element-type gint64) that stand for no element */
} Following;

static void
follow (Following *following, const PhValue *value, guint depth)
{
  if (depth > 32 || !g_hash_table_add (following->seen, (gpointer) value))
    return;
  for (guint u = 0; u < value->uses->len; u++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, u);
      const PhNode *node = use->node;
      const PhReading reading = reading_of (use);

      following->usage.reading = MAX (following->usage.reading, reading);
      following->usage.is_place |= is_place (use);
      if (reading == PH_READ_AS_INDEX)
        {
          const gint64 range = table_of (following->pair, node);
          const PhAttr *ignored = ph_node_attr (node, "ignore_index");

          if (following->places != NULL && ignored != NULL && ignored->kind == PH_ATTR_INT)
            g_array_append_val (following->places, ignored->i);
          if (range > 0 && (following->usage.range <= 0 || range < following->usage.range))
            following->usage.range = range;
        }
      if (use->index < node->inputs->len && node->graphs != NULL) /* the bodies' inputs: of a fused node, Loop, Scan */
        for (guint g = 0; g < node->graphs->len; g++)
          {
            const PhGraph *body = node->graphs->pdata[g];

            if (use->index < body->inputs->len)
              follow (following, body->inputs->pdata[use->index], depth + 1);
          }
      if (asks_shape (node))
        continue;
      for (guint k = 0; k < node->outputs->len; k++)
        {
          const PhValue *out = ph_node_output (node, k);

          if (out->type == NULL || ph_dtype_is_integer (out->type->dtype))
            follow (following, out, depth + 1);
        }
    }
}

gboolean
ph_value_says_shape (const PhValue *value)
{
  for (guint u = 0; u < value->uses->len; u++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, u);

      if ((use->node->op == &ph_op_Resize && use->index == 2) || (use->node->op == &ph_op_OneHot && use->index == 1))
        return TRUE;
    }
  return FALSE;
}

/* ── tables that the sides do not share ── */

#define MOST_PLACES 64

static void
add_tables (const PhGraph *graph, gint64 size, GPtrArray *tables)
{
  for (guint i = 0; i < graph->constants->len; i++)
    {
      PhTensor *tensor = ((PhValue *) graph->constants->pdata[i])->tensor;
      const guint rank = tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR ? ph_tensor_rank (tensor) : 0;

      for (guint axis = 0; axis < rank; axis++)
        if (ph_tensor_dims (tensor)[axis] == size)
          {
            g_ptr_array_add (tables, tensor);
            break;
          }
    }
  PH_FOREACH_NODE (node, graph)
    for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
      add_tables (node->graphs->pdata[g], size, tables);
}

static gboolean
has_equal (const GPtrArray *tables, PhTensor *tensor)
{
  for (guint i = 0; i < tables->len; i++)
    if (tables->pdata[i] == tensor || ph_tensor_equal (tables->pdata[i], tensor))
      return TRUE;
  return FALSE;
}

/* Adds the indices along the axis of @size at which two tables of one shape differ; none if most do, since any index finds one then. */
static void
add_places (PhTensor *a, PhTensor *b, gint64 size, GArray *places)
{
  const guint rank = ph_tensor_rank (a);
  const gint64 *dims = ph_tensor_dims (a);
  const PhDType dtype = ph_tensor_dtype (a);
  g_autofree guint8 *differs = g_new0 (guint8, size);
  gsize inner = ph_dtype_size (dtype), n_rows = 1;
  const char *x, *y;
  gint64 n = 0;
  guint axis = 0;

  if (rank != ph_tensor_rank (b) || dtype != ph_tensor_dtype (b) || dtype == PH_STRING
      || memcmp (dims, ph_tensor_dims (b), rank * sizeof *dims) != 0)
    return;
  while (dims[axis] != size)
    axis++;
  for (guint i = 0; i < rank; i++)
    if (i <= axis)
      n_rows *= (gsize) dims[i];
    else
      inner *= (gsize) dims[i];
  x = ph_tensor_data (a);
  y = ph_tensor_data (b);
  for (gsize i = 0; x != NULL && y != NULL && i < n_rows; i++)
    {
      guint8 *place = &differs[i % (gsize) size];

      if (*place == 0 && memcmp (x + i * inner, y + i * inner, inner) != 0)
        {
          *place = 1;
          n++;
        }
    }
  for (gint64 i = 0; i < size && n <= size / 2 && places->len < MOST_PLACES; i++)
    if (differs[i])
      g_array_append_val (places, i);
}

static void
find_tables (const PhPair *pair, PhUsage *usage)
{
  g_autoptr (GPtrArray) before = g_ptr_array_new (), after = g_ptr_array_new ();

  add_tables (pair->before->graph, usage->range, before);
  add_tables (pair->after->graph, usage->range, after);
  if (usage->places == NULL)
    usage->places = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < after->len; i++)
    {
      if (has_equal (before, after->pdata[i]))
        continue;
      usage->tables_differ = usage->tables_differ || ph_recipe_of (after->pdata[i]) == NULL;
      for (guint k = 0; k < before->len; k++)
        if (!has_equal (after, before->pdata[k]))
          add_places (before->pdata[k], after->pdata[i], usage->range, usage->places);
    }
}

void
ph_usage_free (const PhPair *pair, PhUsage *usage)
{
  for (guint i = 0; i < pair->inputs->len; i++)
    g_clear_pointer (&usage[i].places, g_array_unref);
  g_free (usage);
}

PhUsage *
ph_usage_find (const PhPair *pair)
{
  PhUsage *usage = g_new0 (PhUsage, pair->inputs->len + 1);

  for (guint i = 0; i < pair->inputs->len; i++)
    for (guint side = 0; side < 2; side++)
      {
        const PhValue *value = (side == 0 ? pair->before : pair->after)->graph->inputs->pdata[i];
        g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
        g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (gint64));
        Following following = { pair, usage[i], seen, side == 0 ? places : NULL };

        if (value->type == NULL || value->type->kind != PH_KIND_TENSOR)
          continue;
        if (!ph_dtype_is_integer (value->type->dtype))
          {
            if (ph_dtype_is_float (value->type->dtype) && ph_value_says_shape (value))
              usage[i].reading = PH_READ_AS_SHAPE;
            continue;
          }
        follow (&following, value, 0);
        usage[i] = following.usage;
        if (places->len > 0 && usage[i].places == NULL)
          usage[i].places = g_array_new (FALSE, FALSE, sizeof (gint64));
        if (places->len > 0)
          g_array_append_vals (usage[i].places, places->data, places->len);
        if (side == 1 && usage[i].reading == PH_READ_AS_INDEX && usage[i].range > 1)
          find_tables (pair, &usage[i]);
      }
  return usage;
}

/* Returns TRUE if all users of @value index something directly by it. */
static gboolean
is_plain_index (const PhValue *value)
{
  for (guint u = 0; u < value->uses->len; u++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, u);

      if (reading_of (use) != PH_READ_AS_INDEX && !asks_shape (use->node))
        return FALSE;
    }
  return value->n_output_uses == 0;
}

gboolean
ph_usage_has_integers (const PhPair *pair, const PhUsage *usage)
{
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      const PhType *type = pair->types->pdata[i];

      if (type == NULL || type->kind != PH_KIND_TENSOR)
        return TRUE;
      if (ph_usage_is_shape_alone (pair, i) || (usage[i].reading == PH_READ_AS_SHAPE && !usage[i].is_free))
        continue;
      if (ph_dtype_is_float (type->dtype))
        {
          if (usage[i].reading == PH_READ_AS_SHAPE)
            return TRUE;
          continue;
        }
      if (usage[i].tables_differ || !is_plain_index (pair->before->graph->inputs->pdata[i])
          || !is_plain_index (pair->after->graph->inputs->pdata[i]))
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_value_is_shape_alone (const PhValue *value)
{
  for (guint u = 0; u < value->uses->len; u++)
    if (!asks_shape (g_array_index (value->uses, PhUse, u).node))
      return FALSE;
  return value->n_output_uses == 0;
}

gboolean
ph_usage_is_shape_alone (const PhPair *pair, guint input)
{
  return ph_value_is_shape_alone (pair->before->graph->inputs->pdata[input])
         && ph_value_is_shape_alone (pair->after->graph->inputs->pdata[input]);
}
