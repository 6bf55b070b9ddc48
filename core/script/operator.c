/* operator.c: operators by their names in ONNX, with their inputs and attributes as arguments.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/nearest.h"
#include "core/script/script-call.h"
#include "core/script/script-emit.h"

static gboolean
same_name (const char *typed, const char *name)
{
  for (; *typed != '\0' || *name != '\0'; typed++, name++)
    {
      while (*typed == '_')
        typed++;
      if (g_ascii_tolower (*typed) != g_ascii_tolower (*name))
        return FALSE;
      if (*typed == '\0')
        return TRUE;
    }
  return TRUE;
}

/* Finds an operator by "log", "Log", "reduce_sum", "ReduceSum", or a name from mathematics. */
const PhOp *
ph_script_op (const char *typed, guint n_arguments, GError **error)
{
  /* clang-format off */
  static const struct { const char *typed; const PhOp *op; } aliases[] = {
    { "ln", &ph_op_Log }, { "arcsin", &ph_op_Asin }, { "arccos", &ph_op_Acos }, { "arctan", &ph_op_Atan },
    { "maximum", &ph_op_Max }, { "minimum", &ph_op_Min }, { "negative", &ph_op_Neg }, { "absolute", &ph_op_Abs },
    { "dot", &ph_op_MatMul }, { "fabs", &ph_op_Abs }, { "rint", &ph_op_Round }, { "fmax", &ph_op_Max }, { "fmin", &ph_op_Min },
  };
  /* clang-format on */
  guint n, n_words, n_names = 0;
  const PhOp *const *list = ph_op_list (&n);
  const PhScriptWord *words = ph_script_words (&n_words);
  g_autofree const char **names = g_new (const char *, n + n_words);
  g_autofree char *lower = NULL;
  const char *nearest;

  for (guint i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (g_str_equal (typed, aliases[i].typed))
      return aliases[i].op;
  for (guint i = 0; i < n; i++)
    if (same_name (typed, list[i]->name))
      return list[i];
  /* A word of the language is the nearer of two that are as near. */
  for (guint i = 0; i < n_words; i++)
    if (words[i].function != NULL)
      names[n_names++] = words[i].name;
  for (guint i = 0; i < n; i++)
    names[n_names++] = list[i]->name;
  nearest = ph_nearest (typed, names, n_names);
  /* Log is log where small letters were typed; ReduceSum is easier to read as it is. */
  if (nearest != NULL && g_ascii_islower (*typed) && nearest[strcspn (nearest + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1] == '\0')
    nearest = lower = g_ascii_strdown (nearest, -1);
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no function or operator '%s'%s%s%s", typed,
               nearest != NULL ? "; did you mean '" : ": `select name from ops` lists them", nearest != NULL ? nearest : "",
               nearest != NULL ? "'?" : "");
  return NULL;
}

static PhAttr *
attr_of (const PhOp *op, const char *name, PhTensor *tensor, GError **error)
{
  const PhOpAttr *attr = ph_op_attr (op, name);
  gsize n = ph_tensor_count (tensor);
  g_autofree gint64 *ints = g_new (gint64, n + 1);
  g_autofree float *floats = g_new (float, n + 1);

  if (attr == NULL)
    {
      const char *known[G_N_ELEMENTS (op->attrs)];
      guint n_known = 0;
      const char *nearest;

      while (n_known < G_N_ELEMENTS (op->attrs) && op->attrs[n_known].name != NULL)
        {
          known[n_known] = op->attrs[n_known].name;
          n_known++;
        }
      nearest = ph_nearest (name, known, n_known);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s has no attribute '%s'%s%s%s", op->name, name,
                   nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
      return NULL;
    }
  if ((attr->kind == PH_ATTR_STRING) != (ph_tensor_dtype (tensor) == PH_STRING) || (n == 0 && attr->kind < PH_ATTR_FLOATS))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "%s: attribute %s cannot be this", op->name, name);
      return NULL;
    }
  if (attr->kind == PH_ATTR_STRING)
    return ph_attr_new_string (name, ph_tensor_get_string (tensor, 0));
  for (gsize i = 0; i < n; i++)
    {
      ints[i] = ph_dtype_is_float (ph_tensor_dtype (tensor)) ? (gint64) ph_tensor_get (tensor, i) : ph_tensor_get_int (tensor, i);
      floats[i] = (float) ph_tensor_get (tensor, i);
    }
  switch (attr->kind)
    {
    case PH_ATTR_INT: return ph_attr_new_int (name, ints[0]);
    case PH_ATTR_FLOAT: return ph_attr_new_float (name, floats[0]);
    case PH_ATTR_INTS: return ph_attr_new_ints (name, ints, n);
    case PH_ATTR_FLOATS: return ph_attr_new_floats (name, floats, n);
    case PH_ATTR_TENSOR: return ph_attr_new_tensor (name, tensor);
    default:
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s: attribute %s cannot be written here", op->name, name);
      return NULL;
    }
}

/* Converts a number, text, shape or array of literals, which are known without running anything. (transfer full) (nullable) */
static PhTensor *
known_tensor (PhScriptValue *value)
{
  if (value->kind == PH_SCRIPT_STRING)
    {
      PhTensor *tensor = ph_tensor_new (PH_STRING, 0, NULL);

      ph_tensor_set_string (tensor, 0, value->text);
      return tensor;
    }
  if (value->kind == PH_SCRIPT_DTYPE)
    return ph_tensor_new_scalar (PH_INT64, (double) value->i);
  if (value->kind == PH_SCRIPT_TUPLE)
    {
      g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));

      for (guint i = 0; i < value->n; i++)
        {
          if (value->items[i]->kind != PH_SCRIPT_INT)
            return NULL;
          g_array_append_val (ints, value->items[i]->i);
        }
      return ph_tensor_new_int64s ((gint64 *) (gpointer) ints->data, ints->len);
    }
  if (value->number != NULL)
    return ph_script_number_tensor (value->number, PH_UNDEFINED);
  return ph_script_value_tensor (value);
}

typedef struct
{
  GPtrArray *inputs, *attrs;
} Call;

static void
call_clear (Call *call)
{
  g_ptr_array_unref (call->inputs);
  g_ptr_array_unref (call->attrs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Call, call_clear)

static gboolean
add_input (PhScriptMachine *machine, const PhOp *op, PhScriptValue *value, Call *call, GError **error)
{
  const PhOpArg *arg = ph_op_input (op, call->inputs->len);

  if (value->kind == PH_SCRIPT_TUPLE && arg != NULL && (arg->flags & PH_ARG_VARIADIC) != 0)
    {
      for (guint i = 0; i < value->n; i++)
        g_ptr_array_add (call->inputs, ph_script_value_ref (value->items[i]));
      return TRUE;
    }
  if (value->kind == PH_SCRIPT_TUPLE)
    {
      PhScriptValue *shape = ph_script_shape (machine, NULL, value, error);

      if (shape == NULL)
        return FALSE;
      g_ptr_array_add (call->inputs, shape);
      return TRUE;
    }
  if (value->kind == PH_SCRIPT_NONE)
    g_ptr_array_add (call->inputs, NULL);
  else if (value->kind == PH_SCRIPT_STRING)
    g_ptr_array_add (call->inputs, ph_script_tensor (known_tensor (value)));
  /* A single axis or size in place of a list. */
  else if (value->kind == PH_SCRIPT_INT && arg != NULL && (arg->flags & PH_ARG_SHAPE) != 0 && arg->types == PH_T (INT64)
           && arg->name[strlen (arg->name) - 1] == 's')
    g_ptr_array_add (call->inputs, ph_script_ints (&value->i, 1));
  else
    g_ptr_array_add (call->inputs, ph_script_value_ref (value));
  return TRUE;
}

/* "name=..." is an attribute, or an input. */
static gboolean
add_named (PhScriptMachine *machine, const PhOp *op, const char *name, PhScriptValue *value, Call *call, GError **error)
{
  g_autoptr (PhTensor) known = NULL;
  GError *reason = NULL;
  PhAttr *attr;

  for (guint i = 0; ph_op_attr (op, name) == NULL && i < PH_MAX_ARGS && op->inputs[i].name != NULL; i++)
    if (g_str_equal (op->inputs[i].name, name))
      {
        PhScriptValue *input;

        if (i < call->inputs->len && call->inputs->pdata[i] != NULL)
          return ph_script_fail (machine, NULL, error, PH_ERROR_USAGE, "%s is given twice", name) != NULL;
        while (call->inputs->len < i)
          g_ptr_array_add (call->inputs, NULL);
        if (i < call->inputs->len)
          g_ptr_array_remove_index (call->inputs, i);
        if (i < call->inputs->len)
          {
            input = ph_script_value_ref (value);
            g_ptr_array_insert (call->inputs, (int) i, input);
            return TRUE;
          }
        return add_input (machine, op, value, call, error);
      }
  known = known_tensor (value);
  if (known == NULL || (value->kind == PH_SCRIPT_TENSOR && value->value != NULL && machine->compiling))
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s: attribute %s wants what is known without a graph, not %s",
                           op->name, name, ph_script_kind_name (value))
           != NULL;
  attr = attr_of (op, name, known, &reason);
  if (attr == NULL)
    return ph_script_blame (machine, NULL, reason, error) != NULL;
  g_ptr_array_add (call->attrs, attr);
  return TRUE;
}

/* Returns the number of outputs: those always present; for Split the number of targets. */
static guint
count_outputs (PhScriptMachine *machine, const PhPy *at, const PhOp *op, Call *call)
{
  const guint wanted = machine->frame->wanting == at ? machine->frame->n_targets : 0;
  guint n = 0;

  if (op == &ph_op_Split)
    {
      const PhScriptValue *parts = call->inputs->len > 1 ? call->inputs->pdata[1] : NULL;

      for (guint i = 0; i < call->attrs->len; i++)
        if (g_str_equal (((PhAttr *) call->attrs->pdata[i])->name, "num_outputs"))
          return (guint) CLAMP (((PhAttr *) call->attrs->pdata[i])->i, 1, 64);
      if (parts != NULL)
        return (guint) CLAMP (ph_script_dim (parts, 0), 1, 64);
      n = MAX (wanted, 2);
      g_ptr_array_add (call->attrs, ph_attr_new_int ("num_outputs", n));
      return MIN (n, 64);
    }
  while (n < PH_MAX_ARGS && op->outputs[n].name != NULL
         && (n == 0 || (op->outputs[n].flags & (PH_ARG_OPTIONAL | PH_ARG_VARIADIC)) == 0))
    n++;
  /* Optional outputs are made if there are targets for them. */
  while (n < wanted && n < PH_MAX_ARGS && op->outputs[n].name != NULL)
    n++;
  return MAX (n, 1);
}

/* Returns TRUE if numpy's results are views of the first input: an in-place change of one changes the other. */
static gboolean
is_view (const PhOp *op)
{
  static const PhOp *const views[] = { &ph_op_MsExpandDims, &ph_op_Reshape,   &ph_op_Split,
                                       &ph_op_Squeeze,      &ph_op_Transpose, &ph_op_Unsqueeze };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    if (op == views[i])
      return TRUE;
  return FALSE;
}

/* Adds the parts of split: split(x, 3) makes equal parts as in numpy; split(x, [1, 2]) has ONNX's sizes, not numpy's positions. */
static gboolean
add_parts (PhScriptMachine *machine, PhScriptArgs *args, Call *call, GError **error)
{
  PhScriptValue *parts = args->values[1], *axis = args->n > 2 ? args->values[2] : ph_script_arg (args, G_MAXUINT, "axis");
  const char *module = args->at->items[0]->kind == PH_PY_ATTRIBUTE && args->at->items[0]->items[0]->kind == PH_PY_NAME
                           ? args->at->items[0]->items[0]->text
                           : "";
  const gint64 size = ph_script_dim (args->values[0],
                                     axis != NULL && axis->kind == PH_SCRIPT_INT
                                         ? (guint) (axis->i < 0 ? axis->i + ph_script_rank (args->values[0]) : axis->i)
                                         : 0);

  if (args->n > 2 && !add_named (machine, &ph_op_Split, "axis", axis, call, error))
    return FALSE;
  if (parts->kind == PH_SCRIPT_INT && (parts->i <= 0 || (size >= 0 && size % parts->i != 0)))
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE,
                           "%" G_GINT64_FORMAT " elements are not split into %" G_GINT64_FORMAT
                           " equal parts: write the size of each, "
                           "split(x, [1, 2])",
                           size, parts->i)
           != NULL;
  if (parts->kind == PH_SCRIPT_INT)
    return add_named (machine, &ph_op_Split, "num_outputs", parts, call, error);
  if (g_str_equal (module, "np") || g_str_equal (module, "numpy"))
    return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED,
                           "numpy's list is of places, this language's of sizes: write split(x, [1, 2]), the size of each part")
           != NULL;
  return add_input (machine, &ph_op_Split, parts, call, error);
}

PhScriptValue *
ph_script_call_op (PhScriptMachine *machine, const PhOp *op, PhScriptArgs *args, GError **error)
{
  g_auto (Call) call = { g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref), g_ptr_array_new () };
  PhScriptValue *outputs[64] = { NULL }, *result = NULL;
  gboolean ok = TRUE;
  guint n;

  if (op->infer == NULL && op->kernel == NULL && op->expand == NULL)
    return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED, "%s cannot be computed here", op->name);
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    if (op->attrs[i].kind == PH_ATTR_GRAPH)
      return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED, "%s has bodies: write an if or a loop", op->name);
  for (guint i = 0; i < args->n && ok; i++)
    ok = i > 0 && op == &ph_op_Split ? i > 1 || add_parts (machine, args, &call, error)
         : i == 0 && args->values[0]->kind == PH_SCRIPT_STRING && op == &ph_op_Einsum /* einsum("ij,jk->ik", a, b) */
             ? add_named (machine, op, "equation", args->values[0], &call, error)
             : add_input (machine, op, args->values[i], &call, error);
  for (guint i = 0; i < args->n_named && ok; i++)
    ok = add_named (machine, op, args->names[i], args->named[i], &call, error);
  if (!ok)
    {
      g_ptr_array_set_free_func (call.attrs, (GDestroyNotify) ph_attr_unref);
      return NULL;
    }
  n = count_outputs (machine, args->at, op, &call);
  g_ptr_array_add (call.attrs, NULL);
  if (!ph_script_emit (machine, op, (PhScriptValue *const *) call.inputs->pdata, call.inputs->len, (PhAttr **) call.attrs->pdata,
                       outputs, n, error))
    return NULL;
  for (guint i = 0; is_view (op) && call.inputs->len > 0 && i < n; i++)
    if (((PhScriptValue *) call.inputs->pdata[0])->kind == PH_SCRIPT_TENSOR)
      outputs[i]->memory = ((PhScriptValue *) call.inputs->pdata[0])->memory;
  if (n == 1)
    return outputs[0];
  result = ph_script_tuple (outputs, n, FALSE);
  for (guint i = 0; i < n; i++)
    ph_script_value_unref (outputs[i]);
  return result;
}
