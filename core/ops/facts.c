/* facts.c: properties of values and nodes that the guards and builders of rules, upgrades and passes test.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/facts.h"

#include <string.h>

#include "core/ops/parameter.h"

gboolean
ph_op_is_any (const PhOp *op, const PhOp *const *ops)
{
  for (guint i = 0; ops[i] != NULL; i++)
    if (ops[i] == op)
      return TRUE;
  return FALSE;
}

int
ph_value_rank (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR && value->type->has_rank
             ? (int) value->type->rank
             : -1;
}

gint64
ph_value_dim (const PhValue *value, int axis)
{
  int rank = ph_value_rank (value);

  axis = ph_axis_of (axis, rank);
  return axis < 0 ? -1 : value->type->dims[axis].size;
}

PhDType
ph_value_dtype (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR ? value->type->dtype : PH_UNDEFINED;
}

gboolean
ph_value_is_float (const PhValue *value)
{
  return ph_dtype_is_float (ph_value_dtype (value));
}

gboolean
ph_value_is_static (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR && ph_type_is_static (value->type);
}

gboolean
ph_value_same_shape (const PhValue *a, const PhValue *b)
{
  return a != NULL && b != NULL && (a == b || (a->type != NULL && b->type != NULL && ph_type_same_shape (a->type, b->type)));
}

gboolean
ph_value_same_type (const PhValue *a, const PhValue *b)
{
  return ph_value_same_shape (a, b) && ph_value_dtype (a) == ph_value_dtype (b);
}

gboolean
ph_value_number (const PhValue *value, double *number)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;
  PhDType dtype = tensor != NULL ? ph_tensor_dtype (tensor) : PH_UNDEFINED;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_count (tensor) == 0
      || !(ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype)))
    return FALSE;
  *number = ph_tensor_get (tensor, 0);
  if (ph_tensor_is_splat (tensor))
    return TRUE;
  for (gsize i = 1; i < ph_tensor_count (tensor); i++)
    if (ph_tensor_get (tensor, i) != *number)
      return FALSE;
  return TRUE;
}

gboolean
ph_value_is_single (const PhValue *value)
{
  int rank = ph_value_rank (value);

  return rank == 0 || (rank == 1 && ph_value_dim (value, 0) == 1);
}

gboolean
ph_value_ints (const PhValue *value, gint64 **values, gsize *n)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_rank (tensor) > 1
      || !ph_dtype_is_integer (ph_tensor_dtype (tensor)))
    return FALSE;
  *n = ph_tensor_count (tensor);
  *values = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    (*values)[i] = ph_tensor_get_int (tensor, i);
  return TRUE;
}

gboolean
ph_value_broadcasts_into (const PhValue *operand, const PhValue *into)
{
  int small = ph_value_rank (operand), large = ph_value_rank (into);

  if (small < 0 || large < 0 || small > large)
    return FALSE;
  for (int i = 0; i < small; i++)
    {
      PhDim a = operand->type->dims[i], b = into->type->dims[large - small + i];

      if (a.size != 1 && !ph_dim_equal (a, b))
        return FALSE;
    }
  return TRUE;
}

PhNode *
ph_value_only_user (const PhValue *value)
{
  PhNode *user;

  if (value == NULL || value->n_output_uses > 0 || value->uses->len != 1)
    return NULL;
  user = g_array_index (value->uses, PhUse, 0).node;
  return user->graph == value->graph ? user : NULL;
}

gboolean
ph_match_always (PhMatch *match)
{
  return TRUE;
}

gboolean
ph_match_keeps_type (PhMatch *match)
{
  return ph_value_same_type (match->slot[0], ph_node_output (match->root, 0));
}

int
ph_axis_of (gint64 axis, int rank)
{
  if (axis < 0)
    axis += rank;
  return axis >= 0 && axis < rank ? (int) axis : -1;
}

gint64 *
ph_node_perm (const PhNode *node, int *rank)
{
  gsize n = 0;
  const gint64 *perm = ph_node_attr_ints (node, "perm", &n);
  gint64 *copy;

  *rank = perm != NULL ? (int) n : ph_value_rank (ph_node_input (node, 0));
  if (*rank < 0)
    return NULL;
  copy = g_new (gint64, *rank + 1);
  for (int i = 0; i < *rank; i++)
    copy[i] = perm != NULL ? perm[i] : *rank - 1 - i;
  return copy;
}

static int
compare_ints (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

gint64 *
ph_node_axes (const PhNode *node, guint input, int rank, gsize *n)
{
  g_autofree gint64 *axes = NULL;

  if (rank < 0 || !ph_value_ints (ph_node_input (node, input), &axes, n))
    return NULL;
  for (gsize i = 0; i < *n; i++)
    {
      axes[i] = ph_axis_of (axes[i], rank);
      if (axes[i] < 0)
        return NULL;
    }
  qsort (axes, *n, sizeof *axes, compare_ints);
  return g_steal_pointer (&axes);
}

PhAttr **
ph_node_copy_attrs (const PhNode *node, const char *const *but, guint *n)
{
  PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 5);
  guint count = 0;

  for (guint i = 0; i < node->attrs->len; i++)
    {
      PhAttr *attr = g_ptr_array_index (node->attrs, i);

      if (but == NULL || !g_strv_contains (but, attr->name))
        attrs[count++] = ph_attr_ref (attr);
    }
  if (n != NULL)
    *n = count;
  return attrs;
}

PhValue *
ph_build_like (PhBuilder *builder, const PhNode *node, PhValue *const *inputs, guint n)
{
  g_autofree PhAttr **attrs = ph_node_copy_attrs (node, NULL, NULL);

  return ph_build_node (builder, node->op, inputs, n, attrs, node->outputs->len);
}

gboolean
ph_node_same_attrs (const PhNode *a, const PhNode *b)
{
  if (a->attrs->len != b->attrs->len)
    return FALSE;
  for (guint i = 0; i < a->attrs->len; i++)
    {
      const PhAttr *attr = g_ptr_array_index (a->attrs, i), *other = ph_node_attr (b, attr->name);

      if (other == NULL || !ph_attr_equal (attr, other))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if the elementwise operator @node can fail even though the shapes fit. */
static gboolean
may_fail_on_elements (const PhNode *node)
{
  static const PhOp *const ops[] = {
    &ph_op_Mod, &ph_op_RegexFullMatch, &ph_op_BitCast, &ph_op_LabelEncoder, &ph_op_CategoryMapper, &ph_op_Pow,
  };
  const gboolean whole = !ph_value_is_float (ph_node_input (node, 0));

  if (whole && node->op == &ph_op_Div)
    return TRUE;
  if (node->op == &ph_op_Cast || node->op == &ph_op_CastLike)
    return ph_value_dtype (node->inputs->len > 0 ? ph_node_input (node, 0) : NULL) == PH_STRING;
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (node->op == ops[i])
      return whole || node->op != &ph_op_Pow;
  return FALSE;
}

/* Returns TRUE if the shapes of all inputs provably broadcast together: dimensions other than 1 are equal. */
static gboolean
shapes_fit (const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && node->inputs->len > 1 && ph_value_rank (ph_node_input (node, i)) < 0)
      return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    for (guint k = i + 1; k < node->inputs->len; k++)
      {
        const PhValue *a = ph_node_input (node, i), *b = ph_node_input (node, k);

        for (int axis = 1; a != NULL && b != NULL && axis <= MIN (ph_value_rank (a), ph_value_rank (b)); axis++)
          {
            PhDim x = a->type->dims[a->type->rank - axis], y = b->type->dims[b->type->rank - axis];

            if (x.size != 1 && y.size != 1 && !ph_dim_equal (x, y))
              return FALSE;
          }
      }
  /* The slope of a PRelu broadcasts to x but not x to the slope; the bounds of a Clip are scalars. */
  if (node->op == &ph_op_PRelu)
    return ph_value_broadcasts_into (ph_node_input (node, 1), ph_node_input (node, 0));
  for (guint i = 1; node->op == &ph_op_Clip && i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_value_rank (ph_node_input (node, i)) != 0)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if all shapes are static: inference has then checked that they fit. */
static gboolean
all_are_static (const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && !ph_value_is_static (ph_node_input (node, i)))
      return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    if (!ph_value_is_static (ph_node_output (node, k)))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the axes that @node names are those of an operand of @rank. */
static gboolean
axes_fit (const PhNode *node, int rank)
{
  int n;
  g_autofree gint64 *perm = node->op == &ph_op_Transpose ? ph_node_perm (node, &n) : NULL;
  guint64 seen = 0;

  if (node->op == &ph_op_Softmax)
    return ph_axis_of (ph_node_attr_int (node, "axis", -1), rank) >= 0;
  if (perm != NULL && n != rank)
    return FALSE;
  for (int i = 0; perm != NULL && i < n; i++)
    seen |= perm[i] >= 0 && perm[i] < rank ? G_GUINT64_CONSTANT (1) << perm[i] : 0;
  return perm == NULL || seen == (G_GUINT64_CONSTANT (1) << rank) - 1;
}

gboolean
ph_node_is_total (const PhNode *node)
{
  static const PhOp *const of_known_rank[] = { &ph_op_Transpose, &ph_op_Softmax, &ph_op_Shape, &ph_op_Identity };
  static const PhOp *const of_known_shape[] = { &ph_op_MatMul, &ph_op_Gemm, &ph_op_Conv, &ph_op_Unsqueeze, &ph_op_Concat };

  if (node->op == NULL || (node->op->flags & PH_OP_RANDOM) || node->graphs != NULL || ph_node_is_tied (node))
    return FALSE;
  if (node->op->flags & PH_OP_ELEMENTWISE)
    return !may_fail_on_elements (node) && shapes_fit (node);
  for (guint i = 0; i < G_N_ELEMENTS (of_known_rank); i++)
    if (node->op == of_known_rank[i])
      return ph_value_rank (ph_node_input (node, 0)) >= 0 && axes_fit (node, ph_value_rank (ph_node_input (node, 0)));
  for (guint i = 0; i < G_N_ELEMENTS (of_known_shape); i++)
    if (node->op == of_known_shape[i])
      return all_are_static (node) && (node->op != &ph_op_Unsqueeze || ph_value_constant (ph_node_input (node, 1)) != NULL);
  return FALSE;
}

gboolean
ph_node_replace_all (PhNode *node, PhValue *const *values, PhBuilder *b)
{
  PhModel *model = node->graph->model;
  guint n = node->outputs->len;
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_autofree PhId *fresh = g_new0 (PhId, n + 1);
  PhId last = node->id;

  for (guint k = 0; k < n && b->error == NULL; k++)
    {
      PhValue *old = ph_node_output (node, k), *value = values[k];

      if (ph_value_n_uses (old) == 0)
        continue;
      if (old->n_output_uses > 0
          && (value->graph != node->graph || value->is_input || value->n_output_uses > 0 || value->producer == NULL))
        {
          b->name = old->name;
          value = PH_BUILD (b, Identity, value);
          if (value == NULL)
            return FALSE;
        }
      names[k] = old->name;
      if (value->producer != NULL && value->producer->id > last && value->graph == node->graph)
        fresh[k] = value->id;
      if (!ph_value_replace_uses (old, value, &b->error))
        return FALSE;
    }
  if (b->error == NULL)
    ph_graph_remove_dead (node);
  for (guint k = 0; k < n && b->error == NULL; k++)
    {
      PhValue *value = fresh[k] != PH_NO_ID ? ph_model_find_value (model, fresh[k]) : NULL;

      if (value != NULL && !ph_value_is_output (value) && ph_model_find_value_named (model, names[k]) == NULL)
        ph_value_rename (value, names[k], &b->error);
    }
  return b->error == NULL;
}

/* Returns TRUE if @value can become an output of the graph under the output's name. A parameter keeps its own name, because gradients are
 * requested by it. */
static gboolean
may_become_output (PhGraph *graph, PhValue *value)
{
  return value->graph == graph && !value->is_input && !ph_value_is_output (value)
         && (value->producer != NULL || (graph->owner == NULL && !ph_value_is_parameter (value)));
}

/* Returns "y" for "y_1" if that is a copy of an existing value y, so that names do not grow with each rewrite. */
const char *
ph_model_base_name (PhModel *model, const char *name)
{
  const char *end = name + strlen (name), *at = end;
  g_autofree char *text = NULL;
  const char *base;

  while (at > name && g_ascii_isdigit (at[-1]))
    at--;
  if (at == end || at - 1 <= name || at[-1] != '_')
    return name;
  base = ph_intern (text = g_strndup (name, at - 1 - name));
  return ph_model_find_value_named (model, base) != NULL ? base : name;
}

gboolean
ph_node_replace (PhNode *node, PhValue *value, GError **error)
{
  PhValue *old = ph_node_output (node, 0);
  PhModel *model = node->graph->model;
  PhId old_id = old->id, node_id = node->id, value_id = value->id;
  const char *name = old->name;

  if (ph_value_is_output (old) && !may_become_output (node->graph, value))
    return FALSE;
  if (!ph_value_replace_uses (old, value, error))
    return FALSE;
  if (ph_model_find_node (model, node_id) != NULL)
    ph_graph_remove_dead (node);
  /* If the old value had no users, the new one may have been removed with the node. */
  if (ph_model_find_value (model, value_id) == NULL)
    return TRUE;

  /* A value made for this replacement takes the old name, unless it has the name of an output. The replacement of a value without users may
   * be gone, too. */
  if (value_id > old_id && ph_model_find_value (model, value_id) == value && !ph_value_is_output (value)
      && ph_model_find_value (model, old_id) == NULL && g_str_has_prefix (value->name, ph_model_base_name (model, name))
      && ph_model_find_value_named (model, name) == NULL)
    return ph_value_rename (value, name, error);
  return TRUE;
}
