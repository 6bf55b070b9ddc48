/* convert.c: helpers for rules that rewrite operators of another dialect as ONNX operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include "passes/complex.h"
#include "passes/loop.h"

gboolean
ph_convert_stay (PhConvert *l, const char *format, ...)
{
  va_list args;

  if (l->stays != NULL)
    return FALSE;
  va_start (args, format);
  l->stays = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

/* ── attributes ── */

static const PhAttr *
find_attr (const PhConvert *l, const char *name)
{
  /* clang-format off */
  static const struct { const char *name, *other; } aliases[] = {
    { "lhs_batching_dimensions", "lhs_batch_dims" }, { "rhs_batching_dimensions", "rhs_batch_dims" },
    { "lhs_contracting_dimensions", "lhs_contracting_dims" }, { "rhs_contracting_dimensions", "rhs_contracting_dims" },
    { "broadcast_dimensions", "dimensions" }, { "permutation", "dimensions" }, { "comparison_direction", "direction" },
    { "compare_type", "type" }, { "slice_sizes", "dynamic_slice_sizes" }, { "dimension", "dimensions" },
    { "call_target_name", "custom_call_target" }, { "lhs_ragged_dimensions", "lhs_ragged_dims" }, { "rhs_group_dimensions", "rhs_group_dims" },
  };
  /* clang-format on */
  const PhAttr *attr = ph_node_attr (l->node, name);

  for (gsize i = 0; attr == NULL && i < G_N_ELEMENTS (aliases); i++)
    if (g_str_equal (aliases[i].name, name))
      attr = ph_node_attr (l->node, aliases[i].other);
  return attr;
}

const gint64 *
ph_convert_ints (const PhConvert *l, const char *name, gsize *n)
{
  const PhAttr *attr = find_attr (l, name);

  *n = 0;
  if (attr == NULL)
    return NULL;
  if (attr->kind == PH_ATTR_INT)
    {
      *n = 1;
      return &attr->i;
    }
  if (attr->kind != PH_ATTR_INTS)
    return NULL;
  *n = attr->n;
  return attr->ints;
}

gint64
ph_convert_int (const PhConvert *l, const char *name, gint64 fallback)
{
  gsize n;
  const gint64 *values = ph_convert_ints (l, name, &n);

  return n == 1 ? values[0] : fallback;
}

const char *
ph_convert_string (const PhConvert *l, const char *name, const char *fallback)
{
  const PhAttr *attr = find_attr (l, name);

  return attr != NULL && attr->kind == PH_ATTR_STRING ? ph_node_attr_string (l->node, attr->name, fallback) : fallback;
}

/* ── types ── */

const PhType *
ph_convert_type (const PhConvert *l, guint output)
{
  const PhType *type = ph_node_output (l->node, output)->type;

  if (type != NULL && type->kind == PH_KIND_OPAQUE) /* unknown to ONNX's operators */
    return NULL;
  return type != NULL && l->expressed != PH_UNDEFINED && ph_dtype_is_integer (type->dtype)
             ? ph_type_with_dtype (type, l->expressed)
             : type;
}

PhDType
ph_convert_dtype (const PhValue *value)
{
  return ph_value_dtype (value);
}

guint
ph_convert_rank (const PhValue *value)
{
  const int rank = ph_value_rank (value);

  return rank < 0 ? 0 : (guint) rank;
}

static gboolean
has_open_input (const PhModel *model)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhType *type = ((const PhValue *) model->graph->inputs->pdata[i])->type;

      if (type == NULL || (type->kind == PH_KIND_TENSOR && (!type->has_rank || !ph_type_is_static (type))))
        return TRUE;
    }
  return FALSE;
}

static gboolean
dims_of_type (PhConvert *l, const PhType *type, const char *name, gint64 *dims)
{
  if (type == NULL || !type->has_rank || !ph_type_is_static (type))
    return type == NULL || !type->has_rank ? ph_convert_stay (l, "the shape of '%s' is not known", name)
           : has_open_input (l->node->graph->model)
               ? ph_convert_stay (l, "'%s' has open sizes: give the inputs theirs first, by bind-dimensions", name)
               : ph_convert_stay (l, "the sizes of '%s' are known only when it runs", name);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return TRUE;
}

gboolean
ph_convert_dims (PhConvert *l, const PhValue *value, gint64 *dims)
{
  return value != NULL ? dims_of_type (l, value->type, value->name, dims) : FALSE;
}

gboolean
ph_convert_out_dims (PhConvert *l, guint output, gint64 *dims)
{
  return dims_of_type (l, ph_convert_type (l, output), ph_node_output (l->node, output)->name, dims);
}

gboolean
ph_convert_empty (PhConvert *l, PhValue **out)
{
  for (guint i = 0; i < l->n_out; i++)
    {
      const PhType *type = ph_node_output (l->node, i)->type;

      if (l->node->graphs != NULL || type == NULL || type->kind != PH_KIND_TENSOR || ph_complex_is_type (type->dtype)
          || ph_type_count (type) != 0)
        return FALSE;
    }
  for (guint i = 0; i < l->n_out; i++)
    out[i] = ph_complex_empty (ph_node_output (l->node, i)->type, l->b);
  return l->n_out > 0;
}

gboolean
ph_convert_has_axis (const gint64 *axes, gsize n, gint64 axis)
{
  for (gsize i = 0; i < n; i++)
    if (axes[i] == axis)
      return TRUE;
  return FALSE;
}

gboolean
ph_convert_are_axes (const gint64 *axes, gsize n, const gint64 *more, gsize n_more, guint rank)
{
  for (gsize i = 0; i < n + n_more; i++)
    {
      const gint64 axis = i < n ? axes[i] : more[i - n];

      if (i >= rank || axis < 0 || axis >= rank)
        return FALSE;
      for (gsize k = 0; k < i; k++)
        if ((k < n ? axes[k] : more[k - n]) == axis)
          return FALSE;
    }
  return TRUE;
}

/* ── building ── */

/* Builds a constant, or gives up the rule if the type is unknown or not numeric. */
static PhValue *
number_of (PhConvert *l, PhDType dtype, double number)
{
  if (ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL)
    return ph_build_scalar (l->b, dtype, number);
  if (dtype == PH_UNDEFINED)
    ph_convert_stay (l, "an element type is not known");
  else
    ph_convert_stay (l, "ONNX does not compute with %s", ph_dtype_name (dtype));
  if (l->b->error == NULL)
    g_set_error_literal (&l->b->error, PH_ERROR, PH_ERROR_TYPE, "an element type is not one that can be computed with");
  return NULL;
}

PhValue *
ph_convert_number (PhConvert *l, PhDType dtype, double number)
{
  return number_of (l, dtype, number);
}

PhValue *
ph_convert_like (PhConvert *l, PhValue *value, double number)
{
  return value != NULL ? number_of (l, ph_convert_dtype (value), number) : NULL;
}

PhValue *
ph_convert_trunc (PhConvert *l, PhValue *value)
{
  return PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, value, ph_convert_like (l, value, 0)), PH_BUILD (l->b, Ceil, value),
                   PH_BUILD (l->b, Floor, value));
}

PhValue *
ph_convert_ints_value (PhConvert *l, const gint64 *values, gsize n)
{
  return ph_build_ints (l->b, values, n);
}

PhValue *
ph_convert_cast (PhConvert *l, PhValue *value, PhDType dtype)
{
  if (value == NULL || ph_convert_dtype (value) == dtype)
    return value;
  return PH_BUILD_WITH (l->b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), value);
}

static gboolean
has_shape (const PhValue *value, const gint64 *dims, guint n)
{
  if (value == NULL || value->type == NULL || !value->type->has_rank || value->type->rank != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (value->type->dims[i].size != dims[i])
      return FALSE;
  return TRUE;
}

/* Sizes, axes or bounds that a file gives, one for each dimension: more than a tensor can have end the rule. */
static gboolean
can_be_rank (PhConvert *l, gsize n)
{
  return n <= PH_MAX_RANK || ph_convert_stay (l, "the rank of its operand is not known, or over %d", PH_MAX_RANK);
}

PhValue *
ph_convert_reshape (PhConvert *l, PhValue *value, const gint64 *dims, guint n)
{
  gboolean zero = FALSE;

  if (!can_be_rank (l, n))
    return NULL;
  if (has_shape (value, dims, n))
    return value;
  for (guint i = 0; i < n; i++)
    zero = zero || dims[i] == 0;
  return PH_BUILD_WITH (l->b, Reshape, zero ? PH_ATTRS (ph_attr_new_int ("allowzero", 1)) : NULL, value,
                        ph_convert_ints_value (l, dims, n));
}

PhValue *
ph_convert_expand (PhConvert *l, PhValue *value, const gint64 *dims, guint n)
{
  if (!can_be_rank (l, n))
    return NULL;
  if (has_shape (value, dims, n))
    return value;
  return PH_BUILD (l->b, Expand, value, ph_convert_ints_value (l, dims, n));
}

PhValue *
ph_convert_transpose (PhConvert *l, PhValue *value, const gint64 *perm, guint n)
{
  gboolean same = TRUE;

  if (!can_be_rank (l, n))
    return NULL;
  for (guint i = 0; i < n; i++)
    same = same && perm[i] == (gint64) i;
  return same ? value : PH_BUILD_WITH (l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, n)), value);
}

/* An end of G_MAXINT64 is that of the dimension, and a negative one counts from there, so that an open size can be cut. */
PhValue *
ph_convert_slice (PhConvert *l, PhValue *value, const gint64 *starts, const gint64 *ends, const gint64 *steps, guint n)
{
  gint64 axes[PH_MAX_RANK], from[PH_MAX_RANK], to[PH_MAX_RANK], by[PH_MAX_RANK];
  guint m = 0;

  if (!can_be_rank (l, n))
    return NULL;
  for (guint i = 0; i < n; i++)
    if (starts[i] != 0 || (ends[i] != G_MAXINT64 && (ends[i] < 0 || ends[i] != ph_value_dim (value, (int) i)))
        || (steps != NULL && steps[i] != 1))
      {
        axes[m] = i;
        from[m] = starts[i];
        to[m] = ends[i];
        by[m++] = steps != NULL ? steps[i] : 1;
      }
  if (m == 0)
    return value;
  return PH_BUILD (l->b, Slice, value, ph_convert_ints_value (l, from, m), ph_convert_ints_value (l, to, m),
                   ph_convert_ints_value (l, axes, m), ph_convert_ints_value (l, by, m));
}

PhValue *
ph_convert_reverse (PhConvert *l, PhValue *value, const gint64 *axes, gsize n)
{
  gint64 starts[PH_MAX_RANK], ends[PH_MAX_RANK], steps[PH_MAX_RANK];

  if (!can_be_rank (l, n))
    return NULL;
  if (n == 0)
    return value;
  for (gsize i = 0; i < n; i++)
    {
      starts[i] = -1;
      ends[i] = G_MININT64;
      steps[i] = -1;
    }
  return PH_BUILD (l->b, Slice, value, ph_convert_ints_value (l, starts, n), ph_convert_ints_value (l, ends, n),
                   ph_convert_ints_value (l, axes, n), ph_convert_ints_value (l, steps, n));
}

/* Inserts @n fillers between the elements of @axis: each element is padded in a new dimension, and the fillers after the last are sliced
 * off. */
static PhValue *
pad_interior (PhConvert *l, PhValue *value, PhValue *number, guint axis, gint64 n)
{
  const guint rank = ph_convert_rank (value);
  gint64 dims[PH_MAX_RANK + 1], pads[2 * PH_MAX_RANK + 2] = { 0 }, starts[PH_MAX_RANK] = { 0 }, ends[PH_MAX_RANK];
  const gint64 size = ph_value_dim (value, (int) axis);

  if (rank + 1 > PH_MAX_RANK)
    return NULL;
  for (guint i = 0, k = 0; i < rank; i++)
    {
      dims[k++] = ph_value_dim (value, (int) i);
      if (i == axis)
        dims[k++] = 1;
    }
  value = ph_convert_reshape (l, value, dims, rank + 1);
  pads[rank + 1 + axis + 1] = n;
  value = PH_BUILD (l->b, Pad, value, ph_convert_ints_value (l, pads, 2 * (rank + 1)), number);
  for (guint i = 0, k = 0; i < rank; i++, k++)
    {
      ends[i] = dims[i] = i == axis ? size * (n + 1) : dims[k];
      k += i == axis;
    }
  value = ph_convert_reshape (l, value, dims, rank);
  ends[axis] = size * (n + 1) - n;
  return ph_convert_slice (l, value, starts, ends, NULL, rank);
}

PhValue *
ph_convert_pad (PhConvert *l, PhValue *value, PhValue *number, const gint64 *low, const gint64 *high, const gint64 *interior,
                guint n)
{
  gint64 pads[2 * PH_MAX_RANK] = { 0 }, starts[PH_MAX_RANK], ends[PH_MAX_RANK];
  gboolean grows = FALSE;

  if (!can_be_rank (l, n))
    return NULL;
  for (guint i = 0; interior != NULL && value != NULL && i < n; i++)
    if (interior[i] > 0 && ph_value_dim (value, (int) i) < 0)
      {
        ph_convert_stay (l, "'%s' has open sizes: give the inputs theirs first, by bind-dimensions", value->name);
        return NULL;
      }
    else if (interior[i] > 0 && ph_value_dim (value, (int) i) > 1)
      value = pad_interior (l, value, number, i, interior[i]);
  for (guint i = 0; i < n; i++)
    {
      pads[i] = MAX (low[i], 0);
      pads[n + i] = MAX (high[i], 0);
      grows = grows || pads[i] > 0 || pads[n + i] > 0;
    }
  if (grows)
    value = PH_BUILD (l->b, Pad, value, ph_convert_ints_value (l, pads, 2 * n), number);
  for (guint i = 0; i < n; i++)
    {
      const gint64 size = ph_value_dim (value, (int) i), cut = MAX (-high[i], 0);

      starts[i] = MAX (-low[i], 0);
      ends[i] = size >= 0 ? size - cut : cut > 0 ? -cut : G_MAXINT64;
    }
  return value != NULL ? ph_convert_slice (l, value, starts, ends, NULL, n) : NULL;
}

PhValue *
ph_convert_iota (PhConvert *l, gint64 n, guint axis, guint rank)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;
  gint64 *data;

  if (!can_be_rank (l, rank))
    return NULL;
  if (axis >= rank)
    {
      ph_convert_stay (l, "one of its dimensions is outside its operand");
      return NULL;
    }
  for (guint i = 0; i < rank; i++)
    dims[i] = i == axis ? n : 1;
  tensor = ph_tensor_new (PH_INT64, rank, dims);
  if (tensor == NULL)
    return ph_build_tensor (l->b, NULL);
  data = ph_tensor_writable (tensor);
  for (gint64 i = 0; i < n; i++)
    data[i] = i;
  return ph_build_tensor (l->b, tensor);
}

/* ── bodies ── */

gboolean
ph_convert_vectorise (PhConvert *l, PhGraph *body, PhValue *const *inputs, PhValue **outputs)
{
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < body->inputs->len; i++)
    g_hash_table_insert (map, body->inputs->pdata[i], inputs[i]);
  PH_FOREACH_NODE (node, body)
    {
      g_autofree PhValue **values = g_new0 (PhValue *, node->inputs->len + 1);
      PhValue *made;

      if (node->op == NULL || node->graphs != NULL || node->outputs->len != 1
          || !((node->op->flags & PH_OP_ELEMENTWISE) || node->op == &ph_op_Identity || node->op == &ph_op_Cast
               || node->op == &ph_op_Constant))
        return ph_convert_stay (l, "its body uses %s, which is not elementwise", node->op_type);
      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *input = node->inputs->pdata[i], *mapped = input != NULL ? g_hash_table_lookup (map, input) : NULL;

          if (mapped == NULL && input != NULL && input->tensor != NULL && !input->is_input && input->graph == body)
            mapped = ph_build_tensor (l->b, ph_tensor_ref (input->tensor));
          values[i] = mapped != NULL ? mapped : input;
        }
      made = ph_build_like (l->b, node, values, node->inputs->len);
      if (made == NULL)
        return FALSE;
      g_hash_table_insert (map, node->outputs->pdata[0], made);
    }
  for (guint i = 0; i < body->outputs->len; i++)
    {
      PhValue *output = body->outputs->pdata[i], *mapped = g_hash_table_lookup (map, output);

      if (mapped == NULL && output->tensor != NULL && output->graph == body)
        mapped = ph_build_tensor (l->b, ph_tensor_ref (output->tensor));
      outputs[i] = mapped != NULL ? mapped : output;
    }
  return l->b->error == NULL;
}

const PhOp *
ph_convert_monoid (PhGraph *body)
{
  const PhNode *node = body != NULL ? body->first : NULL;
  const PhValue *a, *b;

  if (node == NULL || node != body->last || body->inputs->len != 2 || body->outputs->len != 1 || node->op == NULL
      || node->inputs->len != 2 || body->outputs->pdata[0] != node->outputs->pdata[0])
    return NULL;
  a = body->inputs->pdata[0];
  b = body->inputs->pdata[1];
  if (!((node->inputs->pdata[0] == a && node->inputs->pdata[1] == b)
        || (node->inputs->pdata[0] == b && node->inputs->pdata[1] == a)))
    return NULL;
  return node->op;
}

/* Expands @value to the shape of @type, or of @like where sizes are open. */
static PhValue *
expand_to (PhConvert *l, PhValue *value, const PhType *type, PhValue *like)
{
  gint64 dims[PH_MAX_RANK];

  if (!ph_type_is_static (type))
    return PH_BUILD (l->b, Expand, value, PH_BUILD (l->b, Shape, like));
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_convert_expand (l, value, dims, type->rank);
}

gboolean
ph_convert_fold (PhConvert *l, PhGraph *body, PhValue *const *values, PhValue *const *inits, guint n, gint64 count, PhValue **out)
{
  g_autofree const PhType **types = g_new0 (const PhType *, n + 1);
  g_autofree PhValue **states = g_new0 (PhValue *, n + 1), **inputs = g_new0 (PhValue *, 2 * n + 1),
                     **results = g_new0 (PhValue *, n + 1);
  PhBuilder in_body = { .name = l->b->name }, *outside = l->b;
  PhNode *loop;
  PhGraph *to;
  gboolean ok;

  if (body == NULL || body->inputs->len != 2 * n || body->outputs->len != n)
    return ph_convert_stay (l, "its body does not take two values for each operand");
  for (guint i = 0; i < n; i++)
    {
      const guint rank = ph_convert_rank (values[i]);
      PhValue *first;

      if (rank == 0 || (count == 0 && !ph_type_is_static (values[i]->type)))
        return ph_convert_stay (l, "there is nothing to fold, and of which shape is not known");
      first = ph_type_is_static (values[i]->type) ? NULL
                                                  : PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                                                                   values[i], ph_convert_number (l, PH_INT64, 0));
      types[i] = ph_type_tensor (ph_convert_dtype (inits[i]), rank - 1, values[i]->type->dims + 1);
      states[i] = expand_to (l, inits[i], types[i], first);
    }
  if (l->b->error != NULL)
    return FALSE;
  loop = ph_loop_new (l->b, ph_build_scalar (l->b, PH_INT64, (double) count), NULL, states, types, n, types, n);
  if (loop == NULL)
    return FALSE;
  in_body.graph = to = ph_node_graph (loop, "body");
  l->b = &in_body;
  for (guint i = 0; i < n; i++)
    {
      inputs[i] = g_ptr_array_index (to->inputs, 2 + i);
      inputs[n + i] = PH_BUILD_WITH (&in_body, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), values[i],
                                     g_ptr_array_index (to->inputs, 0));
    }
  ok = ph_convert_vectorise (l, body, inputs, results);
  if (ok)
    ph_graph_set_output (to, 0, PH_BUILD (&in_body, Identity, g_ptr_array_index (to->inputs, 1)), &in_body.error);
  for (guint i = 0; ok && i < n && in_body.error == NULL; i++)
    {
      results[i] = expand_to (l, results[i], types[i], states[i]);
      if (results[i] != NULL && (results[i]->is_input || results[i]->graph != to || results[i]->producer == NULL))
        results[i] = PH_BUILD (&in_body, Identity, results[i]);
      if (in_body.error == NULL)
        ph_graph_set_output (to, 1 + i, results[i], &in_body.error);
    }
  l->b = outside;
  if (in_body.error != NULL)
    {
      if (l->b->error == NULL)
        g_propagate_error (&l->b->error, in_body.error);
      else
        g_error_free (in_body.error);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    out[i] = ph_node_output (loop, i);
  return ok;
}
