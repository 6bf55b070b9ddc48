/* convert-aten.c: helpers of the rules for PyTorch's operators: arguments, numbers combined with tensors, element types. See
 * convert-aten.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-aten.h"

#include <math.h>
#include <string.h>

#include "core/io/torch/schema.h"

const char *
ph_aten_name (const PhConvert *l)
{
  return strchr (l->op, ':') + 1;
}

PhValue *
ph_aten_operand (PhConvert *l)
{
  PhValue *value = ph_aten_tensor (l, 0);

  if (value == NULL)
    ph_convert_stay (l, "it has no operand");
  return value;
}

/* ── parameters ── */

const char *
ph_aten_unread (const PhNode *node, const char *op)
{
  /* Attributes about memory, or known from elsewhere. */
  static const char *const harmless[] = {
    "overload", "memory_format", "layout",     "device",  "pin_memory",  "requires_grad", "non_blocking", "copy",      "implicit",
    "arg1",     "dtype",         "correction", "keepdim", "sparse_grad", "generator",     "is_coalesced", "made_from", "scales",
    "scales_h", "scales_w",      "scales_d",   NULL
  };
  const char *signature = ph_torch_signature (op);
  g_auto (GStrv) parameters = g_strsplit (signature != NULL ? signature : "", " ", -1);

  for (guint i = 0; i < node->attrs->len; i++)
    {
      const char *name = ((PhAttr *) node->attrs->pdata[i])->name;
      g_autofree char *plain = g_str_has_suffix (name, "_input") ? g_strndup (name, strlen (name) - strlen ("_input"))
                                                                 : g_strdup (name);
      gboolean read = g_strv_contains (harmless, name) || g_strv_contains (harmless, plain)
                      || g_str_has_prefix (name, "peephole_")
                      || ((strcmp (op, "to") == 0 || strcmp (op, "_to_copy") == 0) && g_str_has_prefix (name, "arg"));

      for (guint k = 0; parameters[k] != NULL && !read; k++)
        read = strcmp (parameters[k] + (*parameters[k] == '*'), plain) == 0
               || strcmp (parameters[k] + (*parameters[k] == '*'), name) == 0;
      if (!read && !(strcmp (plain, "value") == 0 && strcmp (op, "scatter") == 0) && !(strcmp (plain, "unbiased") == 0))
        return name;
    }
  return NULL;
}

static gboolean
is_claimed (const PhNode *node, guint input)
{
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];

      if (attr->kind == PH_ATTR_INT && attr->i == (gint64) input && g_str_has_suffix (attr->name, "_input"))
        return TRUE;
    }
  return FALSE;
}

guint
ph_aten_n_tensors (PhConvert *l)
{
  guint n = 0;

  for (guint i = 0; i < l->n_in; i++)
    n += !is_claimed (l->node, i);
  return n;
}

PhValue *
ph_aten_tensor (PhConvert *l, guint k)
{
  for (guint i = 0; i < l->n_in; i++)
    if (!is_claimed (l->node, i) && k-- == 0)
      return l->in[i];
  return NULL;
}

PhValue *
ph_aten_computed (PhConvert *l, const char *name)
{
  g_autofree char *key = g_strdup_printf ("%s_input", name);
  const gint64 index = ph_node_attr_int (l->node, key, -1);

  return index >= 0 && index < l->n_in ? l->in[index] : NULL;
}

gboolean
ph_aten_has (PhConvert *l, const char *name)
{
  return ph_node_attr (l->node, name) != NULL || ph_aten_computed (l, name) != NULL;
}

static gboolean
attr_number (const PhAttr *attr, PhAtenArg *arg)
{
  if (attr == NULL || (attr->kind != PH_ATTR_INT && attr->kind != PH_ATTR_FLOAT))
    return FALSE;
  *arg = (PhAtenArg) { .dtype = attr->kind == PH_ATTR_INT ? PH_INT64 : PH_DOUBLE,
                       .number = attr->kind == PH_ATTR_INT ? (double) attr->i : (double) attr->f };
  return TRUE;
}

static void
tensor_arg (PhValue *value, PhAtenArg *arg)
{
  const PhDType dtype = ph_value_dtype (value);

  /* A converted Python number has no dimensions and one of these types. */
  *arg = (PhAtenArg) { .value = value,
                       .dtype = dtype,
                       .level = ph_value_rank (value) != 0                ? 2
                                : dtype == PH_DOUBLE || dtype == PH_INT64 ? 0
                                                                          : 1 };
}

gboolean
ph_aten_arg (PhConvert *l, guint k, const char *name, PhAtenArg *arg)
{
  PhValue *value = ph_aten_tensor (l, k);

  if (value == NULL)
    value = ph_aten_computed (l, name);
  if (value != NULL)
    {
      tensor_arg (value, arg);
      return TRUE;
    }
  return attr_number (ph_node_attr (l->node, name), arg);
}

double
ph_aten_number (PhConvert *l, const char *name, double fallback)
{
  PhValue *value = ph_aten_computed (l, name);
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;
  PhAtenArg arg;

  if (attr_number (ph_node_attr (l->node, name), &arg))
    return arg.number;
  if (tensor != NULL && ph_tensor_count (tensor) == 1)
    return ph_tensor_get (tensor, 0);
  if (ph_aten_has (l, name))
    ph_convert_stay (l, "its %s is not a known number", name);
  return fallback;
}

gint64
ph_aten_int (PhConvert *l, const char *name, gint64 fallback)
{
  const PhAttr *attr = ph_node_attr (l->node, name);
  PhValue *value = ph_aten_computed (l, name);
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (attr != NULL && attr->kind == PH_ATTR_INT)
    return attr->i;
  if (attr != NULL && attr->kind == PH_ATTR_INTS && attr->n == 1)
    return attr->ints[0];
  if (tensor != NULL && ph_tensor_count (tensor) == 1 && ph_dtype_is_integer (ph_tensor_dtype (tensor)))
    return ph_tensor_get_int (tensor, 0);
  if (ph_aten_has (l, name))
    ph_convert_stay (l, "its %s is not a known number", name);
  return fallback;
}

/* Returns the list in @value, made by a node or a constant. */
static gboolean
list_ints (PhValue *value, gint64 *out, guint *n)
{
  const PhNode *list = value->producer;
  PhTensor *tensor = ph_value_constant (value);
  guint room = *n;

  if (list != NULL && ph_aten_is_list (list))
    {
      for (guint i = 0; i < list->inputs->len; i++)
        {
          guint one = room - i;

          if (i >= room || list->inputs->pdata[i] == NULL || !list_ints (list->inputs->pdata[i], out + i, &one) || one != 1)
            return FALSE;
        }
      *n = list->inputs->len;
      return TRUE;
    }
  if (tensor == NULL || ph_tensor_rank (tensor) > 1 || ph_tensor_count (tensor) > room)
    return FALSE;
  *n = (guint) ph_tensor_count (tensor);
  if (ph_dtype_is_integer (ph_tensor_dtype (tensor)))
    {
      for (guint i = 0; i < *n; i++)
        out[i] = ph_tensor_get_int (tensor, i);
      return TRUE;
    }
  /* What floor () gives of a Python number is a whole one, too. */
  for (guint i = 0; i < *n; i++)
    {
      const double number = ph_dtype_is_float (ph_tensor_dtype (tensor)) ? ph_tensor_get (tensor, i) : 0.5;

      if (number != floor (number) || fabs (number) > 1e15)
        return FALSE;
      out[i] = (gint64) number;
    }
  return TRUE;
}

gboolean
ph_aten_ints (PhConvert *l, const char *name, gint64 *out, guint *n)
{
  const PhAttr *attr = ph_node_attr (l->node, name);
  PhValue *value = ph_aten_computed (l, name);

  if (value != NULL && list_ints (value, out, n))
    return TRUE;
  if (attr != NULL && attr->kind == PH_ATTR_INT && *n > 0)
    {
      out[0] = attr->i;
      *n = 1;
      return TRUE;
    }
  if (attr != NULL && attr->kind == PH_ATTR_INTS && attr->n <= *n)
    {
      for (gsize i = 0; i < attr->n; i++)
        out[i] = attr->ints[i];
      *n = (guint) attr->n;
      return TRUE;
    }
  *n = 0;
  if (attr != NULL && attr->kind == PH_ATTR_STRING && strcmp (ph_node_attr_string (l->node, name, ""), "[]") == 0)
    return TRUE;
  return FALSE;
}

static PhValue *
as_one (PhConvert *l, PhValue *value)
{
  gint64 one = 1;

  value = ph_convert_cast (l, value, PH_INT64);
  return value != NULL ? ph_convert_reshape (l, value, &one, 1) : NULL;
}

PhValue *
ph_aten_one (PhConvert *l, const char *name, gint64 fallback)
{
  PhValue *value = ph_aten_computed (l, name);
  const gint64 known = value == NULL || ph_value_constant (value) != NULL ? ph_aten_int (l, name, fallback) : 0;

  return value == NULL || ph_value_constant (value) != NULL ? ph_convert_ints_value (l, &known, 1) : as_one (l, value);
}

PhValue *
ph_aten_sizes (PhConvert *l, const char *name, gint64 minus_one)
{
  gint64 known[PH_MAX_RANK];
  guint n = PH_MAX_RANK;
  PhValue *value = ph_aten_computed (l, name);
  const PhNode *list = value != NULL ? value->producer : NULL;

  if (ph_aten_ints (l, name, known, &n))
    {
      for (guint i = 0; i < n; i++)
        known[i] = known[i] == -1 ? minus_one : known[i];
      return ph_convert_ints_value (l, known, n);
    }
  if (list != NULL && ph_aten_is_list (list) && list->inputs->len <= PH_MAX_RANK && list->inputs->len > 0)
    {
      PhValue *parts[PH_MAX_RANK];

      for (guint i = 0; i < list->inputs->len; i++)
        {
          PhValue *item = list->inputs->pdata[i];
          PhTensor *constant = item != NULL ? ph_value_constant (item) : NULL;

          parts[i] = constant != NULL && ph_tensor_count (constant) == 1 && ph_tensor_get_int (constant, 0) == -1
                         ? ph_convert_ints_value (l, &minus_one, 1)
                     : item != NULL ? as_one (l, item)
                                    : NULL;
        }
      return ph_aten_concat (l, parts, list->inputs->len, 0);
    }
  if (value != NULL && ph_value_rank (value) == 1 && minus_one == -1)
    return ph_convert_cast (l, value, PH_INT64);
  ph_convert_stay (l, "its %s is not a list of numbers", name);
  return NULL;
}

gboolean
ph_aten_binary (PhConvert *l, const PhOp *op, PhAtenArg *a, PhAtenArg *b, PhValue **out)
{
  const PhAtenArg args[] = { *a, *b };
  const PhDType dtype = ph_aten_promote (args, 2);
  PhValue *inputs[2];

  inputs[0] = ph_aten_as (l, a, dtype, b->value);
  inputs[1] = ph_aten_as (l, b, dtype, a->value);
  if (inputs[0] == NULL || inputs[1] == NULL)
    return ph_convert_stay (l, "its operands are not known");
  out[0] = ph_build_node (l->b, op, inputs, 2, NULL, 1);
  return out[0] != NULL;
}

/* ── shapes ── */

int
ph_aten_axis (PhConvert *l, const PhValue *value, gint64 axis)
{
  const int rank = value != NULL ? ph_value_rank (value) : -1;

  if (axis >= 0 && axis < PH_MAX_RANK && rank < 0)
    return (int) axis;
  if (rank < 0 || axis < -rank || axis >= rank)
    {
      ph_convert_stay (l, rank < 0 ? "the rank of its operand is not known" : "its operand has no such dimension");
      return -1;
    }
  return (int) (axis < 0 ? axis + rank : axis);
}

PhValue *
ph_aten_shape_part (PhConvert *l, PhValue *value, gint64 start, gint64 end)
{
  const int rank = ph_value_rank (value);
  gint64 dims[PH_MAX_RANK];
  guint n = 0;

  end = rank >= 0 && end < 0 ? end + rank : end;
  for (gint64 i = start; rank >= 0 && i < MIN (end, rank); i++)
    if ((dims[n++] = ph_value_dim (value, (int) i)) < 0)
      return PH_BUILD_WITH (l->b, Shape,
                            end == G_MAXINT64 ? PH_ATTRS (ph_attr_new_int ("start", start))
                                              : PH_ATTRS (ph_attr_new_int ("start", start), ph_attr_new_int ("end", end)),
                            value);
  if (rank >= 0)
    return ph_convert_ints_value (l, dims, n);
  return PH_BUILD_WITH (l->b, Shape,
                        end == G_MAXINT64 ? PH_ATTRS (ph_attr_new_int ("start", start))
                                          : PH_ATTRS (ph_attr_new_int ("start", start), ph_attr_new_int ("end", end)),
                        value);
}

PhValue *
ph_aten_slice (PhConvert *l, PhValue *value, gint64 axis, gint64 start, gint64 end)
{
  const gint64 one = 1;

  return PH_BUILD (l->b, Slice, value, ph_convert_ints_value (l, &start, 1), ph_convert_ints_value (l, &end, 1),
                   ph_convert_ints_value (l, &axis, 1), ph_convert_ints_value (l, &one, 1));
}

PhValue *
ph_aten_concat (PhConvert *l, PhValue *const *values, guint n, gint64 axis)
{
  for (guint i = 0; i < n; i++)
    if (values[i] == NULL)
      {
        ph_convert_stay (l, "an element of its list is not a known number");
        return NULL;
      }
  return n == 1 ? values[0] : ph_build_node (l->b, &ph_op_Concat, values, n, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
}

gboolean
ph_aten_same (PhConvert *l, PhValue **out)
{
  out[0] = ph_aten_tensor (l, 0);
  return out[0] != NULL || ph_convert_stay (l, "it has no operand");
}

/* ── the whole model ── */

gboolean
ph_aten_is_unset (const PhNode *node)
{
  return strcmp (node->domain, "prim") == 0 && g_str_has_prefix (ph_node_attr_string (node, "value", ""), "uninitialized(");
}

gboolean
ph_aten_is_list (const PhNode *node)
{
  static const char *const lists[] = { "ListConstruct", "TupleConstruct", "Constant", "dtype", "device", NULL };

  return strcmp (node->domain, "prim") == 0 && g_strv_contains (lists, node->op_type) && !ph_aten_is_unset (node);
}

gboolean
ph_aten_is_tensors (const PhValue *value)
{
  const PhNode *list = value != NULL ? value->producer : NULL;

  if (list == NULL || !ph_aten_is_list (list) || strcmp (list->op_type, "ListConstruct") != 0)
    return FALSE;
  for (guint i = 0; i < list->inputs->len; i++)
    {
      const PhValue *item = list->inputs->pdata[i];

      if (item == NULL || (item->producer != NULL && ph_aten_is_list (item->producer)))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_aten_is_sequence (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->kind == PH_KIND_SEQUENCE;
}

gboolean
ph_aten_raises (const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    if (strcmp (node->domain, "prim") == 0 && strcmp (node->op_type, "RaiseException") == 0)
      return TRUE;
  return FALSE;
}

gboolean
ph_aten_is_control (const PhNode *node)
{
  return strcmp (node->domain, "prim") == 0 && node->graphs != NULL;
}

gboolean
ph_aten_is_torch (const PhNode *node)
{
  return strcmp (node->domain, "aten") == 0 || strcmp (node->domain, "prim") == 0;
}

static gboolean
warns (const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    if (strcmp (node->domain, "aten") == 0 && strcmp (node->op_type, "warn") == 0)
      return TRUE;
  return FALSE;
}

gboolean
ph_aten_enter (PhPassRun *run, PhNode *node, GError **error)
{
  PhGraph *body = node->graphs->len == 1 ? node->graphs->pdata[0] : NULL;
  gboolean used = FALSE, raises = FALSE;

  for (guint i = 0; i < node->outputs->len; i++)
    used = used || ph_value_n_uses (node->outputs->pdata[i]) > 0;
  for (guint i = 0; i < node->graphs->len; i++)
    raises = raises || ph_aten_raises (node->graphs->pdata[i]) || warns (node->graphs->pdata[i]);
  if (ph_node_graph (node, "then_branch") != NULL && !used && raises)
    {
      if (!ph_pass_begin (run, "prim:If", node,
                          "It only checks its operands and raises an error, for which ONNX has no operator."))
        return TRUE;
      if (!ph_graph_remove_node (node, error))
        return FALSE;
      ph_pass_end (run);
      return TRUE;
    }
  if (ph_node_graph (node, "body") == NULL || body == NULL || body->inputs->len != node->inputs->len)
    return TRUE;
  if (!ph_pass_begin (run, "prim:Loop", node, "The values of a loop keep their initial element types; their sizes may change."))
    return TRUE;
  for (guint i = 2; i < body->inputs->len; i++)
    {
      PhValue *inside = body->inputs->pdata[i];
      const PhValue *outside = node->inputs->pdata[i];
      const PhType *type = outside != NULL ? outside->type : NULL;
      PhDim dims[PH_MAX_RANK];

      /* A list whose length the loop changes becomes a sequence. */
      if (inside->type == NULL && ph_aten_is_tensors (outside)
          && !ph_value_set_type (inside, ph_type_sequence (PH_KIND_SEQUENCE, ph_type_unranked (PH_UNDEFINED)), error))
        return FALSE;
      if (inside->type != NULL || type == NULL || type->kind != PH_KIND_TENSOR || type->dtype == PH_UNDEFINED)
        continue;
      for (guint d = 0; type->has_rank && d < type->rank; d++)
        dims[d] = PH_DIM_UNKNOWN;
      if (!ph_value_set_type (
              inside, type->has_rank ? ph_type_tensor (type->dtype, type->rank, dims) : ph_type_unranked (type->dtype), error))
        return FALSE;
    }
  ph_pass_end (run);
  return TRUE;
}

/* A list that the model gives is an output for each of its elements, as in other files. */
static gboolean
spread_outputs (PhPassRun *run, GError **error)
{
  PhGraph *graph = run->model->graph;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  gboolean any = FALSE;

  for (guint i = 0; i < graph->outputs->len; i++)
    {
      PhValue *value = graph->outputs->pdata[i];
      const gboolean list = ph_aten_is_tensors (value) && value->producer->inputs->len > 0;

      for (guint k = 0; list && k < value->producer->inputs->len; k++)
        g_ptr_array_add (all, value->producer->inputs->pdata[k]);
      if (!list)
        g_ptr_array_add (all, value);
      any = any || list;
    }
  if (!any || !ph_pass_begin (run, "prim:list", NULL, "ONNX gives each element of a list as an output of its own."))
    return TRUE;
  for (guint i = 0; i < all->len; i++)
    if (!ph_graph_set_output (graph, i, all->pdata[i], error))
      return FALSE;
  ph_pass_end (run);
  return TRUE;
}

gboolean
ph_aten_finish (PhPassRun *run, GError **error)
{
  gboolean again = TRUE;

  if (!spread_outputs (run, error))
    return FALSE;
  while (again)
    {
      g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);

      again = FALSE;
      for (guint i = nodes->len; i-- > 0;)
        {
          PhNode *node = nodes->pdata[i];
          gboolean used = !ph_aten_is_list (node) && strcmp (node->op_type, "format") != 0 && strcmp (node->op_type, "warn") != 0
                          && !ph_aten_is_unset (node);

          for (guint k = 0; k < node->outputs->len; k++)
            used = used || ph_value_n_uses (node->outputs->pdata[k]) > 0;
          if (used)
            continue;
          if (!ph_pass_begin (run, "prim:list", node,
                              "No list is needed, because each element is used directly where the list is read."))
            return TRUE;
          if (!ph_graph_remove_node (node, error))
            return FALSE;
          ph_pass_end (run);
          again = TRUE;
        }
    }
  return TRUE;
}
