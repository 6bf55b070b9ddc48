/* convert-aten-list.c: Python's lists of tensors and numbers, and what makes tensors of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/schema.h"
#include "passes/convert-aten.h"

/* Returns @value, or the concatenation of its elements if it is a list. */
PhValue *
ph_aten_list_as_tensor (PhConvert *l, PhValue *value)
{
  const PhNode *list = value != NULL ? value->producer : NULL;
  g_autofree PhValue **parts = NULL;
  PhAtenArg *args;
  const gint64 one = 1;
  PhDType dtype;
  g_autofree PhAtenArg *all = NULL;

  if (list == NULL || !ph_aten_is_list (list) || list->inputs->len == 0)
    return value;
  parts = g_new0 (PhValue *, list->inputs->len);
  args = all = g_new0 (PhAtenArg, list->inputs->len);
  for (guint i = 0; i < list->inputs->len; i++)
    {
      if (list->inputs->pdata[i] == NULL || ph_value_rank (list->inputs->pdata[i]) != 0)
        return value;
      args[i] = (PhAtenArg) { .value = list->inputs->pdata[i], .dtype = ph_value_dtype (list->inputs->pdata[i]) };
    }
  dtype = ph_aten_promote (args, list->inputs->len);
  for (guint i = 0; i < list->inputs->len; i++)
    parts[i] = ph_convert_reshape (l, ph_aten_as (l, &args[i], dtype, NULL), &one, 1);
  return ph_aten_concat (l, parts, list->inputs->len, 0);
}

/* Concatenates several operands of one element each. */
PhValue *
ph_aten_several (PhConvert *l)
{
  const guint n = ph_aten_n_tensors (l);
  g_autofree PhValue **parts = g_new0 (PhValue *, n + 1);
  const gint64 one = 1;

  for (guint i = 0; i < n; i++)
    {
      PhValue *part = ph_aten_tensor (l, i);

      parts[i] = part != NULL ? ph_convert_reshape (l, ph_convert_cast (l, part, PH_BOOL), &one, 1) : NULL;
    }
  return ph_aten_concat (l, parts, n, 0);
}

PhValue *
ph_aten_new_list (PhConvert *l, PhValue **items, guint n)
{
  PhNode *made = l->b->error == NULL ? ph_graph_add_node (l->b->graph,
                                                          &(PhNodeSpec) { .op_type = "ListConstruct",
                                                                          .domain = "prim",
                                                                          .inputs = items,
                                                                          .n_inputs = n,
                                                                          .n_outputs = 1,
                                                                          .before = l->b->before },
                                                          &l->b->error)
                                     : NULL;

  return made != NULL ? ph_node_output (made, 0) : NULL;
}

/* Concatenates lists of tensors. (nullable) */
static PhValue *
join_tensors (PhConvert *l)
{
  const PhValue *lists[] = { ph_aten_tensor (l, 0), ph_aten_tensor (l, 1) };
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gboolean tensors = FALSE;

  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    {
      const PhNode *list = lists[k] != NULL ? lists[k]->producer : NULL;

      if (list == NULL || !ph_aten_is_list (list))
        return NULL;
      for (guint i = 0; i < list->inputs->len; i++)
        {
          tensors = tensors || list->inputs->pdata[i] == NULL || ph_value_rank (list->inputs->pdata[i]) != 0;
          g_ptr_array_add (items, list->inputs->pdata[i]);
        }
    }
  return tensors ? ph_aten_new_list (l, (PhValue **) items->pdata, items->len) : NULL;
}

/* Concatenates lists, a + b. Returns FALSE if they are none. */
gboolean
ph_aten_python_join (PhConvert *l, PhValue **out)
{
  static const char *const names[] = { "self", "other" };
  PhValue *parts[2] = { NULL };
  gboolean lists = FALSE;

  out[0] = join_tensors (l);
  if (out[0] != NULL)
    return TRUE;
  for (guint i = 0, k = 0; i < 2; i++)
    {
      const PhAttr *attr = ph_node_attr (l->node, names[i]);

      if (attr != NULL && attr->kind == PH_ATTR_INTS)
        {
          parts[i] = ph_convert_ints_value (l, attr->ints, attr->n);
          lists = TRUE;
        }
      else if (attr == NULL && (parts[i] = ph_aten_tensor (l, k++)) != NULL && parts[i]->producer != NULL
               && ph_aten_is_list (parts[i]->producer))
        {
          parts[i] = ph_aten_list_as_tensor (l, parts[i]);
          lists = TRUE;
        }
    }
  if (!lists || parts[0] == NULL || parts[1] == NULL || ph_value_rank (parts[0]) != 1 || ph_value_rank (parts[1]) != 1)
    return FALSE;
  out[0] = ph_aten_concat (l, parts, 2, 0);
  return out[0] != NULL;
}

/* Returns TRUE if the node's result is used as a list rather than as its first element. */
gboolean
ph_aten_wants_list (PhConvert *l)
{
  static const char *const users[]
      = { "TupleUnpack", "ListUnpack", "__getitem__", "len", "cat", "concat", "stack", "append", NULL };
  const PhValue *value = ph_node_output (l->node, 0);

  if (l->n_out == 1 && ph_node_attr (l->node, PH_TORCH_WHOLE) != NULL)
    return TRUE;
  for (guint u = 0; l->n_out == 1 && u < value->uses->len; u++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, u);

      if (use->node != NULL && ph_aten_is_torch (use->node) && use->index == 0 && g_strv_contains (users, use->node->op_type))
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_aten_give_parts (PhConvert *l, PhValue **parts, guint n, PhValue **out)
{
  if (ph_aten_wants_list (l))
    return (out[0] = ph_aten_new_list (l, parts, n)) != NULL;
  if (n < l->n_out)
    return ph_convert_stay (l, "it has more results than parts");
  memcpy (out, parts, l->n_out * sizeof *out);
  return TRUE;
}

/* Returns the inputs of an operator on a list of tensors, with the list replaced by its elements. (nullable) */
PhValue **
ph_aten_spread (const PhNode *node, PhValue *const *in, guint *n)
{
  const char *signature = ph_torch_signature (node->op_type);
  const PhNode *list = *n == 1 && in[0] != NULL ? in[0]->producer : NULL;
  PhValue **all;

  if (signature == NULL || list == NULL || !ph_aten_is_list (list) || strcmp (list->op_type, "ListConstruct") != 0
      || (!g_str_has_prefix (signature, "*tensors") && !g_str_has_prefix (signature, "equation *tensors")))
    return NULL;
  all = g_new0 (PhValue *, list->inputs->len + PH_CONVERT_SPARE);
  for (guint i = 0; i < list->inputs->len; i++)
    all[i] = list->inputs->pdata[i];
  *n = list->inputs->len;
  return all;
}

static gboolean
same_list (PhConvert *l, PhValue **out)
{
  return ph_aten_same (l, out);
}

/* Converts list.append (x) to the list with x. */
static gboolean
append (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_node_input (l->node, 0), *item = l->node->inputs->len > 1 ? ph_node_input (l->node, 1) : NULL;
  const PhNode *list;
  g_autofree PhValue **items = NULL;
  PhAtenArg number;

  while (x != NULL && x->producer != NULL && x->producer->op == &ph_op_Identity) /* what a branch handed on */
    x = ph_node_input (x->producer, 0);
  list = x != NULL ? x->producer : NULL;

  if (item == NULL && ph_node_attr (l->node, "el") != NULL && ph_aten_arg (l, G_MAXUINT, "el", &number))
    item = ph_build_scalar (l->b, number.dtype, number.number);

  if (item != NULL && ph_aten_is_sequence (x))
    {
      out[0] = PH_BUILD (l->b, SequenceInsert, x, item);
      return TRUE;
    }
  if (list == NULL || item == NULL || !ph_aten_is_list (list) || list->inputs->len > 10000)
    return ph_convert_stay (l, "the elements of the list are not known");
  items = g_new0 (PhValue *, list->inputs->len + 1);
  memcpy (items, list->inputs->pdata, list->inputs->len * sizeof *items);
  items[list->inputs->len] = item;
  out[0] = ph_aten_new_list (l, items, list->inputs->len + 1);
  return out[0] != NULL;
}

/* Converts list.insert (i, x) and list.reverse () to the list afterwards. */
static gboolean
rearrange (PhConvert *l, PhValue **out)
{
  const gboolean reverse = strcmp (ph_aten_name (l), "reverse") == 0;
  PhValue *x = ph_node_input (l->node, 0), *item = NULL;
  const PhNode *list = x != NULL ? x->producer : NULL;
  g_autofree PhValue **items = NULL;
  gint64 at = reverse ? 0 : ph_aten_int (l, "idx", 0);
  guint n;

  if (list == NULL || l->stays != NULL || !ph_aten_is_list (list) || list->inputs->len > 10000)
    return ph_convert_stay (l, "the elements of the list are not known");
  n = list->inputs->len;
  if (!reverse)
    {
      PhAtenArg number;

      if (!ph_aten_arg (l, 1, "el", &number))
        return ph_convert_stay (l, "what it inserts is not known");
      item = number.value != NULL ? number.value : ph_build_scalar (l->b, number.dtype, number.number);
      at = CLAMP (at < 0 ? at + n : at, 0, n);
    }
  items = g_new0 (PhValue *, n + 1);
  for (guint i = 0; i < n; i++)
    items[reverse ? n - 1 - i : i + (i >= at)] = list->inputs->pdata[i];
  if (!reverse)
    items[at] = item;
  out[0] = ph_aten_new_list (l, items, n + !reverse);
  return out[0] != NULL;
}

static gboolean
extend (PhConvert *l, PhValue **out)
{
  out[0] = join_tensors (l);
  return out[0] != NULL || ph_aten_python_join (l, out) || ph_convert_stay (l, "the elements of the lists are not known");
}

static gboolean
unpack (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const PhNode *list = x != NULL ? x->producer : NULL;

  if (x == NULL)
    return FALSE;
  if (list != NULL && ph_aten_is_list (list))
    {
      if (list->inputs->len != l->n_out)
        return ph_convert_stay (l, "it unpacks a different number of elements");
      for (guint i = 0; i < l->n_out; i++)
        out[i] = list->inputs->pdata[i];
      return TRUE;
    }
  if (ph_value_rank (x) < 0)
    return ph_convert_stay (l, "its list is not known");
  for (guint i = 0; i < l->n_out; i++)
    out[i] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), x, ph_build_scalar (l->b, PH_INT64, i));
  return TRUE;
}

/* Reads "[[2, 1], [0, 5]]", whose rows have one length. (nullable) */
PhValue *
ph_aten_nested (PhConvert *l, const char *text)
{
  gint64 dims[PH_MAX_RANK], count[PH_MAX_RANK] = { 0 };
  guint depth = 0, rank = 0;
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  gboolean real = FALSE, truth = FALSE, ok = TRUE;
  PhTensor *tensor;

  for (const char *p = text; ok && *p != '\0';)
    if (*p == '[')
      {
        ok = depth < 8 && (rank == 0 || depth < rank);
        if (depth > 0)
          count[depth - 1]++;
        count[depth++] = 0;
        p++;
      }
    else if (*p == ']')
      {
        if (rank == 0)
          {
            rank = depth;
            for (guint i = 0; i < rank; i++)
              dims[i] = -1;
          }
        ok = depth > 0;
        if (ok)
          {
            depth--;
            ok = dims[depth] < 0 || dims[depth] == count[depth];
            dims[depth] = count[depth];
          }
        p++;
      }
    else if (*p == ',' || *p == ' ')
      p++;
    else
      {
        char *end;
        double number = g_ascii_strtod (p, &end);

        if (g_str_has_prefix (p, "True") || g_str_has_prefix (p, "False"))
          {
            truth = TRUE;
            number = *p == 'T';
            end = (char *) p + (*p == 'T' ? 4 : 5);
          }
        for (const char *c = p; c < end; c++)
          real = real || *c == '.' || *c == 'e' || *c == 'n' || *c == 'i';
        ok = end > p && depth > 0 && (rank == 0 || depth == rank);
        p = end;
        if (ok)
          count[depth - 1]++;
        g_array_append_val (numbers, number);
      }
  if (!ok || depth != 0 || rank == 0 || numbers->len == 0)
    return NULL;
  real = real && !truth;
  tensor = ph_tensor_new (real ? PH_FLOAT : truth ? PH_BOOL : PH_INT64, rank, dims);
  if (tensor == NULL || ph_tensor_count (tensor) != numbers->len)
    {
      g_clear_pointer (&tensor, ph_tensor_unref);
      return NULL;
    }
  for (guint i = 0; i < numbers->len; i++)
    if (real)
      ph_dtype_store (PH_FLOAT, ph_tensor_writable (tensor), i, g_array_index (numbers, double, i));
    else
      ph_dtype_store_int (truth ? PH_BOOL : PH_INT64, ph_tensor_writable (tensor), i,
                          (gint64) g_array_index (numbers, double, i));
  return ph_build_tensor (l->b, tensor);
}

static gboolean
join (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);
  const gint64 axis = ph_aten_int (l, "dim", 0);
  g_autofree PhValue **parts = g_new0 (PhValue *, n + 1);
  g_autofree PhAtenArg *args = g_new0 (PhAtenArg, n + 1);
  guint kept = 0;
  PhDType dtype;

  if (n == 1 && ph_aten_is_sequence (ph_aten_tensor (l, 0)))
    {
      out[0] = PH_BUILD_WITH (
          l->b, ConcatFromSequence,
          PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("new_axis", strcmp (ph_aten_name (l), "stack") == 0)),
          ph_aten_tensor (l, 0));
      return TRUE;
    }
  for (guint i = 0; i < n; i++)
    {
      PhValue *part = ph_aten_tensor (l, i);

      if (part == NULL)
        return ph_convert_stay (l, "an element of its list is not a known number");
      /* Empty vectors are skipped: a list begins with one before anything is appended. */
      if (strcmp (ph_aten_name (l), "stack") != 0 && ph_value_rank (part) == 1 && ph_value_dim (part, 0) == 0 && n > 1)
        continue;
      args[kept] = (PhAtenArg) { .value = part, .dtype = ph_value_dtype (part), .level = 2 };
      parts[kept++] = part;
    }
  if (kept == 0)
    return ph_convert_stay (l, "its list is not known");
  dtype = ph_aten_promote (args, kept);
  for (guint i = 0; i < kept; i++)
    {
      parts[i] = ph_aten_as (l, &args[i], dtype, NULL);
      if (parts[i] != NULL && strcmp (ph_aten_name (l), "stack") == 0)
        parts[i] = PH_BUILD (l->b, Unsqueeze, parts[i], ph_convert_ints_value (l, &axis, 1));
    }
  out[0] = ph_build_node (l->b, &ph_op_Concat, parts, kept, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
  return TRUE;
}

static const char elements[] = "No list is needed, because each element is used directly where the list is read.";
static const char dims[] = "In both, a negative dimension counts from the end.";

/* clang-format off */
const PhConvertRule ph_convert_aten_list[] = {
  { "prim:TupleUnpack", unpack, "its elements", elements }, { "prim:ListUnpack", unpack, "its elements", elements },
  { "aten:append", append, "a longer list", elements }, { "aten:list", same_list, "its operand", elements },
  { "aten:extend", extend, "a longer list", elements }, { "aten:insert", rearrange, "a longer list", elements },
  { "aten:reverse", rearrange, "a list in reverse", elements }, { "aten:cat", join, "Concat", dims },
  { "aten:concat", join, "Concat", dims }, { "aten:concatenate", join, "Concat", dims },
  { "aten:stack", join, "Unsqueezes, then Concat", "ONNX only concatenates along an existing dimension, so one is added first." },
  { NULL }
};
/* clang-format on */
