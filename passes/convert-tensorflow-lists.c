/* convert-tensorflow-lists.c: TensorFlow's lists of tensors and arrays of tensors in ONNX. Their elements have one shape, so a list is a
 * tensor with the elements along its first dimension. A new list gets its zeros where it is first used, since the shape of its elements
 * is known only there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-tensorflow-lists.h"

#include <string.h>

static const char no_size[]
    = "the sizes of the elements of its list are not known: give the inputs their sizes first, by bind-dimensions";

static const char *
name_of (const PhNode *node)
{
  return g_str_equal (node->domain, "tf") ? node->op_type : "";
}

PhValue *
ph_tf_origin (PhValue *value)
{
  while (value != NULL && value->producer != NULL && value->producer->inputs->len == 1
         && (value->producer->op == &ph_op_Identity || g_str_equal (name_of (value->producer), "Identity")))
    value = ph_node_input (value->producer, 0);
  return value;
}

const PhNode *
ph_tf_new_list (PhValue *value)
{
  static const char *const makers[] = { "TensorListReserve", "EmptyTensorList", "TensorArrayV3", NULL };

  value = ph_tf_origin (value);
  return value != NULL && value->producer != NULL && g_strv_contains (makers, name_of (value->producer)) ? value->producer : NULL;
}

/* @write, a node, may make @list longer. */
static gboolean
list_grows (const PhNode *write, PhValue *list)
{
  const PhNode *made = list != NULL ? ph_tf_new_list (list) : NULL;

  return ph_node_attr_int (write, "resize_if_index_out_of_bounds", 0) != 0
         || (made != NULL && ph_node_attr_int (made, "dynamic_size", 0) != 0);
}

gboolean
ph_tf_list_write (PhValue *value, PhTfListWrite *write)
{
  static const struct
  {
    const char *name;
    int list, index, element;
  } rows[] = { { "TensorListSetItem", 0, 1, 2 }, { "TensorListPushBack", 0, -1, 1 }, { "TensorArrayWriteV3", 3, 1, 2 } };
  PhNode *node = (value = ph_tf_origin (value)) != NULL ? value->producer : NULL;

  for (guint i = 0; node != NULL && i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, name_of (node)) && node->inputs->len > (guint) MAX (rows[i].list, rows[i].element))
      {
        *write = (PhTfListWrite) { node, ph_node_input (node, (guint) rows[i].list),
                                   rows[i].index >= 0 ? ph_node_input (node, (guint) rows[i].index) : NULL,
                                   ph_node_input (node, (guint) rows[i].element), FALSE };
        write->grows = list_grows (node, write->list);
        return write->list != NULL && write->element != NULL && (rows[i].index < 0 || write->index != NULL);
      }
  return FALSE;
}

PhValue *
ph_tf_list_length (PhConvert *l, const PhNode *list)
{
  const guint at = g_str_equal (list->op_type, "TensorArrayV3") ? 0 : 1;
  PhValue *length = list->inputs->len > at ? ph_node_input (list, at) : NULL;
  PhTensor *constant = length != NULL ? ph_value_constant (length) : NULL;

  if (g_str_equal (list->op_type, "EmptyTensorList"))
    return ph_build_ints (l->b, (const gint64[]) { 0 }, 1);
  if (constant != NULL && ph_tensor_count (constant) == 1 && ph_dtype_is_integer (ph_tensor_dtype (constant)))
    return ph_build_ints (l->b, (const gint64[]) { ph_tensor_get_int (constant, 0) }, 1);
  return length != NULL ? PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, length), ph_build_ints (l->b, (const gint64[]) { 1 }, 1))
                        : NULL;
}

/* The sizes of an element, where @list says them itself. */
static gboolean
declared_sizes (const PhNode *list, gint64 *dims, guint *n)
{
  PhTensor *shape = list->inputs->len > 0 && ph_node_input (list, 0) != NULL ? ph_value_constant (ph_node_input (list, 0)) : NULL;
  const char *text = ph_node_attr_string (list, "element_shape", "");

  *n = 0;
  if (g_str_equal (list->op_type, "TensorArrayV3"))
    {
      g_auto (GStrv) words = g_strsplit_set (text, "[,]", -1);

      for (guint i = 1; words[0] != NULL && words[i] != NULL && *words[i] != '\0'; i++)
        if (*n == PH_MAX_RANK || !g_ascii_string_to_signed (g_strstrip (words[i]), 10, 0, G_MAXINT64, &dims[(*n)++], NULL))
          return FALSE;
      return *text == '[' || (*text == '\0' && ph_node_attr (list, "element_shape") != NULL);
    }
  if (shape == NULL || !ph_dtype_is_integer (ph_tensor_dtype (shape)) || ph_tensor_rank (shape) != 1
      || ph_tensor_count (shape) > PH_MAX_RANK)
    return FALSE;
  for (*n = 0; *n < ph_tensor_count (shape); (*n)++)
    if ((dims[*n] = ph_tensor_get_int (shape, *n)) < 0)
      return FALSE;
  return TRUE;
}

PhValue *
ph_tf_list_zeros (PhConvert *l, const PhNode *list, PhValue *like)
{
  const PhDType named = ph_dtype_from_name (
      ph_node_attr_string (list, g_str_equal (list->op_type, "TensorArrayV3") ? "dtype" : "element_dtype", "float"));
  const PhDType dtype = like != NULL && ph_value_dtype (like) != PH_UNDEFINED ? ph_value_dtype (like) : named;
  gint64 dims[PH_MAX_RANK];
  PhValue *sizes[2];
  guint n;

  if (declared_sizes (list, dims, &n))
    sizes[1] = ph_build_ints (l->b, dims, n);
  else if (like != NULL)
    sizes[1] = PH_BUILD (l->b, Shape, like);
  else
    return ph_convert_stay (l, "%s", no_size), NULL;
  sizes[0] = ph_tf_list_length (l, list);
  return PH_BUILD (l->b, Expand, ph_convert_number (l, dtype, 0),
                   ph_build_node (l->b, &ph_op_Concat, sizes, 2, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1));
}

/* Returns the tensor that operand @i, a list, is. @like: (nullable) an element of it. */
static PhValue *
list_of (PhConvert *l, guint i, PhValue *like)
{
  const PhNode *made = ph_tf_new_list (l->in[i]);
  const PhNode *from = l->in[i] != NULL ? l->in[i]->producer : NULL;

  if (l->in[i] == NULL)
    return ph_convert_stay (l, "its list is missing"), NULL;
  if (made != NULL)
    return ph_tf_list_zeros (l, made, like);
  if (from != NULL && from->op == NULL)
    return ph_convert_stay (l, "the operator that makes its list stays"), NULL;
  return l->in[i];
}

/* TensorArrays have the handle first, and the list as their last operand. */
static guint
list_at (const PhConvert *l)
{
  return strstr (l->op, ":TensorArray") != NULL && l->n_in > 0 ? l->n_in - 1 : 0;
}

static gboolean
stays_new (PhConvert *l, PhValue **out)
{
  return ph_convert_stay (l, "%s", no_size);
}

static gboolean
get (PhConvert *l, PhValue **out)
{
  PhValue *list = list_of (l, list_at (l), NULL);

  if (list == NULL || l->in[1] == NULL)
    return ph_convert_stay (l, "its index is missing");
  out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), list, l->in[1]);
  return TRUE;
}

gboolean
ph_tf_is_untyped (const PhValue *list)
{
  return list->type == NULL || list->type->kind == PH_KIND_OPAQUE;
}

/* Whether the list is one that a loop is given and whose elements are not known yet: the loop decides what becomes of it. The flow of an
 * array has a type, but no other than a list. */
static gboolean
is_open (PhValue *list)
{
  const PhNode *owner = list->is_input ? list->graph->owner : NULL;
  guint i = 0;

  if (owner == NULL || ph_tf_is_untyped (list))
    return owner != NULL;
  while (list->graph->inputs->pdata[i] != list)
    i++;
  return i < owner->inputs->len && ph_tf_new_list (ph_node_input (owner, i)) != NULL;
}

PhValue *
ph_tf_list_padded (PhConvert *l, PhValue *list, PhValue *length, gboolean grows)
{
  const gint64 first = 0, one = 1;
  PhValue *parts[2] = { ph_build_ints (l->b, &first, 1),
                        PH_BUILD (l->b, Sub, length,
                                  PH_BUILD (l->b, Slice, PH_BUILD (l->b, Shape, list), ph_build_ints (l->b, &first, 1),
                                            ph_build_ints (l->b, &one, 1))) };

  if (grows)
    parts[1] = PH_BUILD (l->b, Max, parts[1], parts[0]);
  parts[1] = ph_build_node (l->b, &ph_op_Concat, parts, 2, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
  return ph_build_node (l->b, &ph_op_Pad, PH_VALUES_ (list, parts[1], NULL, parts[0]), 4, NULL, 1);
}

PhValue *
ph_tf_list_with (PhConvert *l, PhValue *list, PhValue *index, PhValue *element, gboolean grows)
{
  PhTensor *constant = ph_value_constant (index);
  const gint64 first = 0, one = 1;

  element = PH_BUILD (l->b, Unsqueeze, element, ph_build_ints (l->b, &first, 1));
  if (constant != NULL && ph_value_dim (list, 0) == 1 && ph_tensor_count (constant) == 1 && ph_tensor_get_int (constant, 0) == 0)
    return element;
  if (grows)
    list = ph_tf_list_padded (l, list,
                              PH_BUILD (l->b, Add,
                                        PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, index), ph_build_ints (l->b, &one, 1)),
                                        ph_build_ints (l->b, &one, 1)),
                              TRUE);
  return PH_BUILD (l->b, ScatterND, list,
                   PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, index), ph_build_ints (l->b, (const gint64[]) { 1, 1 }, 2)),
                   element);
}

static gboolean
set (PhConvert *l, PhValue **out)
{
  const guint at = list_at (l);
  PhValue *list = l->in[at] != NULL && is_open (l->in[at]) ? NULL : list_of (l, at, l->in[2]);

  if (list == NULL || l->in[1] == NULL || l->in[2] == NULL)
    return ph_convert_stay (l, "%s", no_size);
  out[0] = ph_tf_list_with (l, list, l->in[1], l->in[2], list_grows (l->node, l->in[at]));
  return out[0] != NULL;
}

static gboolean
push (PhConvert *l, PhValue **out)
{
  const PhNode *made = ph_tf_new_list (l->in[0]);
  PhValue *list = l->in[0] != NULL && is_open (l->in[0]) ? NULL : list_of (l, 0, l->in[1]), *element;

  if (list == NULL || l->in[1] == NULL)
    return ph_convert_stay (l, "%s", no_size);
  element = PH_BUILD (l->b, Unsqueeze, l->in[1], ph_build_ints (l->b, (const gint64[]) { 0 }, 1));
  out[0] = made != NULL && g_str_equal (made->op_type, "EmptyTensorList") ? element : ph_foreign_joined (l, list, element);
  return out[0] != NULL;
}

static gboolean
pop (PhConvert *l, PhValue **out)
{
  PhValue *list = l->in[0] != NULL && is_open (l->in[0]) ? NULL : list_of (l, 0, NULL);
  const gint64 zero = 0, last = -1;

  if (list == NULL)
    return ph_convert_stay (l, "%s", no_size);
  out[0] = PH_BUILD (l->b, Slice, list, ph_build_ints (l->b, &zero, 1), ph_build_ints (l->b, &last, 1),
                     ph_build_ints (l->b, &zero, 1));
  if (l->n_out > 1)
    out[1] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), list, ph_build_scalar (l->b, PH_INT64, -1));
  return out[0] != NULL;
}

static gboolean
resize (PhConvert *l, PhValue **out)
{
  PhValue *list = l->in[0] != NULL && is_open (l->in[0]) ? NULL : list_of (l, 0, NULL), *n;
  const gint64 zero = 0, one = 1;

  if (list == NULL || l->in[1] == NULL)
    return ph_convert_stay (l, "%s", no_size);
  n = PH_BUILD (l->b, Reshape, ph_foreign_int64 (l, l->in[1]), ph_build_ints (l->b, &one, 1));
  out[0] = ph_tf_list_padded (l, PH_BUILD (l->b, Slice, list, ph_build_ints (l->b, &zero, 1), n, ph_build_ints (l->b, &zero, 1)),
                              n, FALSE);
  return out[0] != NULL;
}

static gboolean
length (PhConvert *l, PhValue **out)
{
  const PhNode *made = ph_tf_new_list (l->in[list_at (l)]);
  PhValue *list = made == NULL ? list_of (l, list_at (l), NULL) : NULL, *n;
  const gint64 first = 0;

  if (made == NULL && list == NULL)
    return FALSE;
  n = made != NULL ? ph_tf_list_length (l, made)
                   : PH_BUILD (l->b, Slice, PH_BUILD (l->b, Shape, list), ph_build_ints (l->b, &first, 1),
                               ph_build_ints (l->b, (const gint64[]) { 1 }, 1));
  out[0] = ph_convert_cast (l, PH_BUILD (l->b, Squeeze, n, ph_build_ints (l->b, &first, 1)), PH_INT32);
  return out[0] != NULL;
}

static gboolean
element_shape (PhConvert *l, PhValue **out)
{
  PhValue *list = list_of (l, 0, NULL);

  if (list == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, Slice, PH_BUILD (l->b, Shape, list), ph_build_ints (l->b, (const gint64[]) { 1 }, 1),
                     ph_build_ints (l->b, (const gint64[]) { G_MAXINT64 }, 1));
  if (ph_convert_type (l, 0) != NULL)
    out[0] = ph_convert_cast (l, out[0], ph_convert_type (l, 0)->dtype);
  return out[0] != NULL;
}

/* All elements, in order, are the list itself. */
static gboolean
stack (PhConvert *l, PhValue **out)
{
  out[0] = list_of (l, 0, NULL);
  return out[0] != NULL;
}

/* Whether @length is that of @list: the first of its sizes, in whatever type and shape. */
static gboolean
is_length_of (PhValue *length, const PhValue *list)
{
  while (length != NULL && length->producer != NULL && length->producer->inputs->len > 0)
    {
      const PhOp *op = length->producer->op;

      length = ph_node_input (length->producer, 0);
      if (op == &ph_op_Shape)
        return length == list;
      if (op != &ph_op_Cast && op != &ph_op_Squeeze && op != &ph_op_Slice && op != &ph_op_Identity)
        return FALSE;
    }
  return FALSE;
}

/* Whether @indices are 0, 1, ..., and not fewer or more than @length (nullable), where both are known, or all of those of @list
 * (nullable). */
static gboolean
counts_all (PhValue *indices, PhValue *length, const PhValue *list)
{
  const PhNode *range = (indices = ph_tf_origin (indices)) != NULL ? indices->producer : NULL;
  PhTensor *constant = indices != NULL ? ph_value_constant (indices) : NULL, *start, *step,
           *known = length != NULL ? ph_value_constant (length) : NULL;
  const gint64 n = list != NULL                                    ? ph_value_dim (list, 0)
                   : known != NULL && ph_tensor_count (known) == 1 ? ph_tensor_get_int (known, 0)
                                                                   : -1;

  if (constant != NULL && (ph_tensor_rank (constant) != 1 || !ph_dtype_is_integer (ph_tensor_dtype (constant))))
    return FALSE;
  for (gsize i = 0; constant != NULL && i < ph_tensor_count (constant); i++)
    if (ph_tensor_get_int (constant, i) != (gint64) i)
      return FALSE;
  if (constant != NULL)
    return n < 0 ? list == NULL : (gint64) ph_tensor_count (constant) == n;
  if (range == NULL || range->op != &ph_op_Range || range->inputs->len != 3)
    return FALSE;
  start = ph_value_constant (ph_node_input (range, 0));
  step = ph_value_constant (ph_node_input (range, 2));
  known = ph_value_constant (ph_node_input (range, 1));
  return start != NULL && step != NULL && ph_tensor_get_int (start, 0) == 0 && ph_tensor_get_int (step, 0) == 1
         && (known != NULL && n >= 0 ? ph_tensor_get_int (known, 0) == n
                                     : list == NULL || is_length_of (ph_node_input (range, 1), list));
}

static gboolean
gather (PhConvert *l, PhValue **out)
{
  PhValue *list = list_of (l, list_at (l), NULL);

  if (list == NULL || l->in[1] == NULL)
    return ph_convert_stay (l, "its indices are missing");
  out[0] = counts_all (l->in[1], NULL, list)
               ? list
               : PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), list, l->in[1]);
  return TRUE;
}

/* A list of these elements, or an old one with them at their indices. */
static gboolean
scatter (PhConvert *l, PhValue **out)
{
  const gboolean array = strstr (l->op, ":TensorArray") != NULL, existing = strstr (l->op, "Existing") != NULL;
  PhValue *elements = l->in[array ? 2 : existing ? 1 : 0], *indices = l->in[array ? 1 : existing ? 2 : 1], *like, *list;
  const PhNode *made = ph_tf_new_list (l->in[array ? list_at (l) : 0]);
  const gint64 last = -1;

  if (elements == NULL || indices == NULL)
    return ph_convert_stay (l, "its elements or its indices are missing");
  if (array || existing ? made != NULL && counts_all (indices, ph_node_input (made, array ? 0 : 1), NULL)
                        : counts_all (indices, l->in[3], NULL))
    return (out[0] = elements) != NULL;
  if (!array && !existing)
    return ph_convert_stay (l, "its indices do not count the elements from 0 on");
  like = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), elements, ph_build_scalar (l->b, PH_INT64, 0));
  if ((list = list_of (l, array ? list_at (l) : 0, like)) == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, ScatterND, list,
                     PH_BUILD (l->b, Unsqueeze, ph_foreign_int64 (l, indices), ph_build_ints (l->b, &last, 1)), elements);
  return out[0] != NULL;
}

static gboolean
join (PhConvert *l, PhValue **out)
{
  PhValue *a = list_of (l, 0, NULL), *b = a != NULL ? list_of (l, 1, NULL) : NULL;

  return b != NULL && (out[0] = ph_foreign_joined (l, a, b)) != NULL;
}

/* The elements behind each other along their first dimension. */
static gboolean
concat (PhConvert *l, PhValue **out)
{
  PhValue *list = list_of (l, list_at (l), NULL), *sizes, *parts[2];
  const gint64 open = -1, first = 0, one = 1, two = 2;

  if (list == NULL || (l->n_out > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0))
    return ph_convert_stay (l, "the lengths of its elements are used");
  sizes = PH_BUILD (l->b, Shape, list);
  parts[0] = ph_build_ints (l->b, &open, 1);
  parts[1] = PH_BUILD (l->b, Slice, sizes, ph_build_ints (l->b, &two, 1),
                       ph_build_ints (l->b, (const gint64[]) { G_MAXINT64 }, 1), ph_build_ints (l->b, &first, 1),
                       ph_build_ints (l->b, &one, 1));
  out[0] = PH_BUILD (l->b, Reshape, list, ph_foreign_joined (l, parts[0], parts[1]));
  return out[0] != NULL;
}

static const char rows_why[] = "The elements of a list have one shape: they are the rows of a tensor.";

/* clang-format off */
#define ROW(name, function, of) { "tf:" name, function, of, rows_why }

const PhConvertRule ph_convert_tensorflow_lists[] = {
  ROW ("TensorListReserve", stays_new, "zeros"), ROW ("EmptyTensorList", stays_new, "zeros"), ROW ("TensorArrayV3", stays_new, "zeros"),
  ROW ("TensorListFromTensor", ph_foreign_same, "its operand"), ROW ("TensorListStack", stack, "the list"), ROW ("TensorListGetItem", get, "Gather"),
  ROW ("TensorListSetItem", set, "ScatterND"), ROW ("TensorListPushBack", push, "Concat"), ROW ("TensorListPopBack", pop, "Slice and Gather"),
  ROW ("TensorListLength", length, "Shape"), ROW ("TensorListElementShape", element_shape, "Shape"), ROW ("TensorListGather", gather, "Gather"),
  ROW ("TensorListScatter", scatter, "the elements"), ROW ("TensorListResize", resize, "Slice and Pad"),
  ROW ("TensorListScatterV2", scatter, "the elements"), ROW ("TensorListScatterIntoExistingList", scatter, "ScatterND"),
  ROW ("TensorListConcatLists", join, "Concat"), ROW ("TensorListConcatV2", concat, "Reshape"), ROW ("TensorArrayReadV3", get, "Gather"),
  ROW ("TensorArrayWriteV3", set, "ScatterND"), ROW ("TensorArraySizeV3", length, "Shape"), ROW ("TensorArrayGatherV3", gather, "Gather"),
  ROW ("TensorArrayScatterV3", scatter, "the elements"), ROW ("TensorArrayConcatV3", concat, "Reshape"),
  { NULL }
};
/* clang-format on */
