/* merge.c: merges two values into one that a branch or a loop carries.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/script/compile-private.h"
#include "core/script/script-emit.h"

static void
leaf_clear (gpointer data)
{
  PhScriptLeaf *leaf = data;

  ph_script_value_unref (leaf->a);
  ph_script_value_unref (leaf->b);
}

GArray *
ph_script_leaves_new (void)
{
  GArray *leaves = g_array_new (FALSE, FALSE, sizeof (PhScriptLeaf));

  g_array_set_clear_func (leaves, leaf_clear);
  return leaves;
}

static gboolean
is_leaf (const PhScriptValue *value)
{
  return ph_script_is_number (value) || value->kind == PH_SCRIPT_TENSOR;
}

/* Compares values known without a graph. */
static gboolean
same (const PhScriptValue *a, const PhScriptValue *b)
{
  if (a == b)
    return TRUE;
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case PH_SCRIPT_NONE: return TRUE;
    case PH_SCRIPT_BOOL:
    case PH_SCRIPT_INT:
    case PH_SCRIPT_DTYPE: return a->i == b->i;
    case PH_SCRIPT_FLOAT: return memcmp (&a->f, &b->f, sizeof a->f) == 0;
    case PH_SCRIPT_STRING: return g_str_equal (a->text, b->text);
    case PH_SCRIPT_FUNCTION: return a->function == b->function && a->gradient == b->gradient && a->forward == b->forward;
    case PH_SCRIPT_WORD: return a->word == b->word && a->op == b->op;
    case PH_SCRIPT_TENSOR: return a->value != NULL && a->value == b->value && a->weak == b->weak;
    default: return FALSE;
    }
}

static gboolean
is_int_or_float (const PhScriptValue *value)
{
  const PhScriptKind kind = ph_script_number_kind (value);

  return kind == PH_SCRIPT_INT || kind == PH_SCRIPT_FLOAT;
}

static char *
describe (PhScriptValue *value)
{
  const PhType *type = value->kind == PH_SCRIPT_TENSOR ? ph_script_type (value) : NULL;
  g_autofree char *text = type != NULL ? ph_type_to_string (type) : NULL;

  if (ph_script_number_kind (value) != PH_SCRIPT_NONE)
    return g_strdup_printf ("a Python %s", strrchr (ph_script_kind_name (value), ' ') + 1);
  if (value->kind == PH_SCRIPT_TUPLE)
    return g_strdup_printf ("%s of %u", ph_script_kind_name (value), value->n);
  return text == NULL ? g_strdup (ph_script_kind_name (value)) : g_strdup_printf ("a tensor %s", text);
}

gboolean
ph_script_unify (PhScriptMachine *machine, PhScriptValue *a, PhScriptValue *b, gboolean all, GArray *leaves, char **why)
{
  if ((!all || !is_leaf (a)) && same (a, b) && a->kind != PH_SCRIPT_TUPLE && a->kind != PH_SCRIPT_RANGE)
    return TRUE;
  if ((a->kind == PH_SCRIPT_TUPLE || a->kind == PH_SCRIPT_RANGE) && a->kind == b->kind && a->n == b->n)
    {
      for (guint i = 0; i < a->n; i++)
        if (!ph_script_unify (machine, a->items[i], b->items[i], all, leaves, why))
          return FALSE;
      return TRUE;
    }
  if (is_leaf (a) && is_leaf (b) && ph_script_number_kind (a) == ph_script_number_kind (b))
    {
      const gboolean weak = ph_script_number_kind (a) != PH_SCRIPT_NONE;
      PhDType dtype_a = ph_script_dtype (a), dtype_b = ph_script_dtype (b);

      /* An array of literals is a float. */
      if (!weak && a->weak)
        dtype_a = dtype_b;
      else if (!weak && b->weak)
        dtype_b = dtype_a;
      if (dtype_a == dtype_b && dtype_a != PH_UNDEFINED)
        {
          g_array_append_val (leaves, ((PhScriptLeaf) { ph_script_value_ref (a), ph_script_value_ref (b), dtype_a, weak }));
          return TRUE;
        }
    }
  /* An int that becomes a float is a float: s = 0, then s = s + i / 2. */
  if (is_leaf (a) && is_leaf (b) && is_int_or_float (a) && is_int_or_float (b))
    {
      g_array_append_val (leaves, ((PhScriptLeaf) { ph_script_value_ref (a), ph_script_value_ref (b), PH_DOUBLE, TRUE }));
      return TRUE;
    }
  /* A number merged with a tensor of its kind becomes a tensor: later operations give both the same type. */
  if (is_leaf (a) && is_leaf (b)
      && (ph_script_number_kind (a) == PH_SCRIPT_NONE) != (ph_script_number_kind (b) == PH_SCRIPT_NONE))
    {
      const PhScriptValue *number = ph_script_number_kind (a) != PH_SCRIPT_NONE ? a : b, *tensor = number == a ? b : a;
      const PhDType dtype = ph_script_dtype (tensor);

      if (!tensor->weak && ph_script_number_kind (number) != PH_SCRIPT_BOOL
          && (ph_dtype_is_float (dtype) || (ph_dtype_is_integer (dtype) && ph_script_number_kind (number) == PH_SCRIPT_INT)))
        {
          g_array_append_val (leaves, ((PhScriptLeaf) { ph_script_value_ref (a), ph_script_value_ref (b), dtype, FALSE }));
          return TRUE;
        }
    }
  {
    g_autofree char *text_a = describe (a), *text_b = describe (b);

    g_free (*why);
    *why = g_strdup_printf ("%s and %s", text_a, text_b);
  }
  return FALSE;
}

PhScriptValue *
ph_script_rebuild (PhScriptValue *a, PhScriptValue *b, gboolean all, PhScriptValue *const *made, guint *next)
{
  if ((!all || !is_leaf (a)) && same (a, b) && a->kind != PH_SCRIPT_TUPLE && a->kind != PH_SCRIPT_RANGE)
    return ph_script_value_ref (a);
  if (a->kind == PH_SCRIPT_TUPLE || a->kind == PH_SCRIPT_RANGE)
    {
      g_autofree PhScriptValue **items = g_new (PhScriptValue *, a->n + 1);
      PhScriptValue *result;

      for (guint i = 0; i < a->n; i++)
        items[i] = ph_script_rebuild (a->items[i], b->items[i], all, made, next);
      result = ph_script_tuple (items, a->n, a->list);
      result->kind = a->kind;
      for (guint i = 0; i < a->n; i++)
        ph_script_value_unref (items[i]);
      return result;
    }
  made[*next]->list = made[*next]->list || (a->kind == PH_SCRIPT_TENSOR && a->list) || (b->kind == PH_SCRIPT_TENSOR && b->list);
  return ph_script_value_ref (made[(*next)++]);
}

PhScriptValue *
ph_script_dummy (PhScriptValue *like)
{
  const PhType *type;
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  switch (ph_script_number_kind (like))
    {
    case PH_SCRIPT_BOOL: return ph_script_bool (FALSE);
    case PH_SCRIPT_INT: return ph_script_int (0);
    case PH_SCRIPT_FLOAT: return ph_script_float (0);
    default: break;
    }
  if (like->kind == PH_SCRIPT_TUPLE || like->kind == PH_SCRIPT_RANGE)
    {
      g_autofree PhScriptValue **items = g_new (PhScriptValue *, like->n + 1);
      PhScriptValue *result;

      for (guint i = 0; i < like->n; i++)
        items[i] = ph_script_dummy (like->items[i]);
      result = ph_script_tuple (items, like->n, like->list);
      result->kind = like->kind;
      for (guint i = 0; i < like->n; i++)
        ph_script_value_unref (items[i]);
      return result;
    }
  type = like->kind == PH_SCRIPT_TENSOR ? ph_script_type (like) : NULL;
  if (type == NULL || type->dtype == PH_STRING || type->dtype == PH_UNDEFINED)
    return ph_script_value_ref (like);
  for (guint i = 0; i < type->rank && type->has_rank; i++)
    dims[i] = ph_dim_known (type->dims[i]) ? type->dims[i].size : 0;
  tensor = ph_tensor_new_splat (type->dtype, type->has_rank ? type->rank : 0, dims, &(gint64[2]) { 0, 0 });
  return tensor != NULL ? ph_script_tensor (tensor) : ph_script_value_ref (like);
}

PhScriptValue *
ph_script_wrap (PhScriptMachine *machine, PhValue *made, gboolean weak)
{
  PhScriptValue *value = ph_script_tensor (NULL);

  value->value = made;
  value->recorder = machine->recorder;
  value->weak = weak;
  return value;
}

PhValue *
ph_script_body_output (PhScriptMachine *machine, PhScriptValue *value, PhDType dtype, GError **error)
{
  PhValue *made = ph_script_graph_value (machine, value, dtype, error);
  g_autoptr (PhScriptValue) outside = NULL, copy = NULL;

  if (made == NULL || (made->graph == machine->graph && !made->is_input && made->producer != NULL))
    return made;
  /* A body's output must be computed in it. */
  outside = ph_script_wrap (machine, made, FALSE);
  copy = PH_EMIT (machine, Identity, error, outside);
  return copy != NULL ? copy->value : NULL;
}

PhNode *
ph_script_add_owner (PhScriptMachine *machine, const PhPy *at, const PhOp *op, PhValue **inputs, guint n, guint n_outputs,
                     GError **error)
{
  const PhPy *place = ph_script_place (machine, at);
  GError *reason = NULL;
  PhNode *node = ph_graph_add_node (
      machine->graph,
      &(PhNodeSpec) { .op = op,
                      .op_type = op->name,
                      .domain = "",
                      .name = op->name,
                      .inputs = inputs,
                      .n_inputs = n,
                      .n_outputs = n_outputs,
                      .where = ph_where_new (ph_intern (ph_script_file (machine)), place->line, place->column, FALSE, NULL) },
      &reason);

  machine->n_nodes++;
  return node != NULL ? node : ph_script_blame (machine, at, reason, error);
}

GHashTable *
ph_script_variables_copy (GHashTable *variables)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_script_value_unref);
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, variables);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (copy, g_strdup (key), ph_script_value_ref (value));
  return copy;
}
