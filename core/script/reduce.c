/* reduce.c: sum, mean, max and the like along axes, with numpy's semantics.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-operate.h"
#include "core/script/words.h"

/* clang-format off */
static const struct { const char *name; const PhOp *op; } reductions[] = {
  { "sum", &ph_op_ReduceSum }, { "mean", &ph_op_ReduceMean }, { "prod", &ph_op_ReduceProd }, { "max", &ph_op_ReduceMax }, { "min", &ph_op_ReduceMin },
  { "any", &ph_op_ReduceSum }, { "all", &ph_op_ReduceMin }, { "argmax", &ph_op_ArgMax }, { "argmin", &ph_op_ArgMin },
};
/* clang-format on */

/* max(a, b), element by element; of numbers alone a number. */
static PhScriptValue *
of_several (PhScriptMachine *machine, PhScriptArgs *args, gboolean greatest, GError **error)
{
  gboolean numbers = TRUE;
  g_autoptr (GPtrArray) cast = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  PhDType dtype;
  PhScriptValue *result;

  for (guint i = 0; i < args->n; i++)
    numbers = numbers && ph_script_is_number (args->values[i]);
  if (numbers)
    {
      PhScriptValue *best = args->values[0];

      for (guint i = 1; i < args->n; i++)
        {
          g_autoptr (PhScriptValue) is = ph_script_binary (machine, args->at, greatest ? ">" : "<", args->values[i], best, error);

          if (is == NULL)
            return NULL;
          if (is->i)
            best = args->values[i];
        }
      return ph_script_value_ref (best);
    }
  numbers = TRUE;
  dtype = ph_script_dtype (args->values[0]);
  for (guint i = 0; i < args->n; i++)
    {
      numbers = numbers && ph_script_number_kind (args->values[i]) != PH_SCRIPT_NONE;
      if (ph_script_dtype (args->values[i]) == PH_UNDEFINED)
        return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s does not take %s", args->name,
                               ph_script_kind_name (args->values[i]));
    }
  for (guint i = 0; i < args->n && numbers; i++)
    if (ph_script_number_kind (args->values[i]) != ph_script_number_kind (args->values[0]))
      return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE,
                             "an int and a float: which one %s gives is not known before it runs; write float(...)", args->name);
  for (guint i = 0; i < args->n; i++)
    {
      PhScriptValue *one = numbers ? ph_script_cast (machine, args->values[i], dtype == PH_BOOL ? PH_INT64 : dtype, error)
                                   : ph_script_value_ref (args->values[i]);

      if (one == NULL)
        return NULL;
      g_ptr_array_add (cast, one);
    }
  if (!ph_script_emit (machine, greatest ? &ph_op_Max : &ph_op_Min, (PhScriptValue *const *) cast->pdata, cast->len, NULL,
                       &result, 1, error))
    return NULL;
  return numbers ? ph_script_weak (result) : result;
}

/* Casts to the element type that numpy sums in: bools as integers; a mean of integers is a float. */
static PhScriptValue *
prepare (PhScriptMachine *machine, const char *name, PhScriptValue *x, GError **error)
{
  g_autoptr (PhScriptValue) strong = ph_script_strong (machine, x, error);
  PhDType dtype;

  if (strong == NULL)
    return NULL;
  dtype = ph_script_dtype (strong);
  if (g_str_equal (name, "any") || g_str_equal (name, "all"))
    {
      g_autoptr (PhScriptValue) truth = ph_script_cast (machine, strong, PH_BOOL, error);

      return truth != NULL ? ph_script_cast (machine, truth, PH_INT32, error) : NULL;
    }
  if (g_str_equal (name, "mean") && !ph_dtype_is_float (dtype))
    return ph_script_cast (machine, strong, PH_FLOAT, error);
  if (dtype == PH_BOOL)
    return ph_script_cast (machine, strong, g_str_equal (name, "max") || g_str_equal (name, "min") ? PH_INT32 : PH_INT64, error);
  return g_steal_pointer (&strong);
}

static PhScriptValue *
cumsum (PhScriptMachine *machine, PhScriptArgs *args, PhScriptValue *x, GArray *axes, GError **error)
{
  g_autoptr (PhScriptValue) axis = ph_script_tensor (
      ph_tensor_new_scalar (PH_INT64, axes->len > 0 ? (double) g_array_index (axes, gint64, 0) : 0));

  /* Without an axis numpy sums all elements in sequence. */
  if (axes->len == 0 && ph_script_rank (x) != 1)
    {
      g_autoptr (PhScriptValue) line = ph_script_ints ((gint64[]) { -1 }, 1), flat = PH_EMIT (machine, Reshape, error, x, line);

      return flat != NULL ? PH_EMIT (machine, CumSum, error, flat, axis) : NULL;
    }
  return PH_EMIT (machine, CumSum, error, x, axis);
}

/* Returns TRUE if @x is known to be empty along some of @axes (none: all of them), so that it has no maximum. */
static gboolean
is_empty (PhScriptValue *x, const GArray *axes)
{
  const int rank = ph_script_rank (x);

  for (int i = 0; i < rank; i++)
    {
      gboolean reduced = axes->len == 0;

      for (guint k = 0; k < axes->len; k++)
        reduced = reduced || g_array_index (axes, gint64, k) == i || g_array_index (axes, gint64, k) + rank == i;
      if (reduced && ph_script_dim (x, (guint) i) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Evaluates sum([1, 2]), max([1, 2]) and sum(f(i) for i in x) as Python does. Returns FALSE if the call is not about a list. */
static gboolean
of_list (PhScriptMachine *machine, PhScriptArgs *args, PhScriptValue **result, GError **error)
{
  const gboolean sum = g_str_equal (args->name, "sum"),
                 extremum = g_str_equal (args->name, "max") || g_str_equal (args->name, "min");
  const gboolean all = g_str_equal (args->name, "all"), truth = all || g_str_equal (args->name, "any");
  const PhPy *first = args->at != NULL && args->at->n > 1 ? args->at->items[1] : NULL;
  const gboolean generator = first != NULL && first->kind == PH_PY_COMPREHENSION && *first->text == '(';
  g_autoptr (GPtrArray) items = NULL;

  if (args->n != 1 || args->n_named > 0 || machine->frame->typed || (!sum && !extremum && !truth)
      || !ph_script_is_list (args->values[0])
      || (items = ph_script_list_items (machine, args->values[0], PH_SCRIPT_MAX_NODES)) == NULL)
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    if (!ph_script_is_number (items->pdata[i]) && !(generator && sum))
      return FALSE;
  if (truth)
    {
      gboolean is = all;

      for (guint i = 0; i < items->len; i++)
        {
          const PhScriptValue *item = items->pdata[i];
          const gboolean holds = item->kind == PH_SCRIPT_FLOAT ? item->f != 0 : item->i != 0;

          is = all ? is && holds : is || holds;
        }
      *result = ph_script_bool (is);
      return TRUE;
    }
  if (extremum)
    {
      PhScriptArgs more = { .at = args->at, .name = args->name, .values = (PhScriptValue **) items->pdata, .n = items->len };

      *result = items->len > 0 ? of_several (machine, &more, g_str_equal (args->name, "max"), error)
                               : ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s of an empty list", args->name);
      return TRUE;
    }
  *result = ph_script_int (0);
  for (guint i = 0; *result != NULL && i < items->len; i++)
    {
      g_autoptr (PhScriptValue) so_far = *result;

      *result = ph_script_binary (machine, args->at, "+", so_far, items->pdata[i], error);
    }
  return TRUE;
}

PhScriptValue *
ph_script_reduce (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  const gboolean extremum = g_str_equal (args->name, "max") || g_str_equal (args->name, "min"),
                 arg = g_str_has_prefix (args->name, "arg");
  /* In x.max(0) and np.max(x, 0) the second argument is an axis, as in all other reductions. */
  const gboolean method = args->at != NULL && args->at->kind == PH_PY_CALL && args->at->items[0]->kind == PH_PY_ATTRIBUTE;
  const gboolean of_parts = args->n >= 2
                            && ((extremum && !method)
                                || (args->values[1]->kind != PH_SCRIPT_INT && args->values[1]->kind != PH_SCRIPT_TUPLE
                                    && args->values[1]->kind != PH_SCRIPT_NONE));
  PhScriptValue *axis = ph_script_arg (args, of_parts ? G_MAXUINT : 1, "axis"), *keep = ph_script_arg (args, 2, "keepdims"),
                *result = NULL;
  g_autoptr (PhScriptValue) x = NULL, given = NULL;
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const PhOp *op = NULL;
  gint64 keepdims = 0;

  if (of_list (machine, args, &result, error))
    return result;
  if (axis == NULL)
    axis = ph_script_arg (args, G_MAXUINT, "axes");
  if (args->n == 0 || (args->n > 3 && !of_parts))
    return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s wants a tensor, and perhaps an axis", args->name);
  for (guint i = 0; i < args->n_named; i++)
    if (!args->used[i])
      return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s has no argument '%s'", args->name, args->names[i]);
  if (of_parts && extremum)
    return of_several (machine, args, g_str_equal (args->name, "max"), error);
  /* ONNX's own Sum and Mean of several. */
  if (of_parts && (g_str_equal (args->name, "sum") || g_str_equal (args->name, "mean")))
    return ph_script_emit (machine, g_str_equal (args->name, "sum") ? &ph_op_Sum : &ph_op_Mean, args->values, args->n, NULL,
                           &result, 1, error)
               ? result
               : NULL;
  if (axis != NULL && axis->kind != PH_SCRIPT_NONE)
    {
      if (axis->kind != PH_SCRIPT_INT && axis->kind != PH_SCRIPT_TUPLE && ph_script_dtype (axis) != PH_INT64)
        return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s: an axis is a whole number, or a list of them",
                               args->name);
      if (!ph_script_arg_ints (machine, args->at, "an axis", axis, axes, error))
        return NULL;
    }
  if (keep != NULL && !ph_script_is_number (keep))
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s: keepdims is True or False", args->name);
  keepdims = keep != NULL && keep->i != 0;
  if (args->values[0]->kind == PH_SCRIPT_TUPLE)
    {
      PhScriptArgs more = { .at = args->at, .name = "array", .values = args->values, .n = 1 };
      const PhScriptWord *word = ph_script_word_find ("array");

      given = ((PhScriptWordFunc) word->function) (machine, &more, error);
    }
  else
    given = ph_script_value_ref (args->values[0]);
  x = given != NULL ? prepare (machine, args->name, given, error) : NULL;
  if (x == NULL)
    return NULL;
  if (g_str_equal (args->name, "cumsum"))
    return cumsum (machine, args, x, axes, error);
  if ((extremum || arg) && is_empty (x, axes))
    {
      g_autofree char *type = ph_type_to_string (ph_script_type (x));

      return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s of no elements: this is %s", args->name, type);
    }
  for (guint i = 0; i < G_N_ELEMENTS (reductions); i++)
    if (g_str_equal (reductions[i].name, args->name))
      op = reductions[i].op;
  if (arg)
    {
      g_autoptr (PhScriptValue) line = ph_script_ints ((gint64[]) { -1 }, 1),
                                flat = axes->len == 0 ? PH_EMIT (machine, Reshape, error, x, line) : ph_script_value_ref (x);

      return flat != NULL
                 ? ph_script_emit1 (machine, op,
                                    PH_ATTRS (ph_attr_new_int ("axis", axes->len > 0 ? g_array_index (axes, gint64, 0) : 0),
                                              ph_attr_new_int ("keepdims", keepdims)),
                                    error, 1, flat)
                 : NULL;
    }
  if (axes->len > 0)
    {
      g_autoptr (PhScriptValue) list = ph_script_ints ((gint64 *) (gpointer) axes->data, axes->len);

      result = ph_script_emit1 (machine, op, PH_ATTRS (ph_attr_new_int ("keepdims", keepdims)), error, 2, x, list);
    }
  else
    result = ph_script_emit1 (machine, op, PH_ATTRS (ph_attr_new_int ("keepdims", keepdims)), error, 1, x);
  if (result != NULL && ph_script_dtype (x) == PH_INT32
      && (g_str_equal (args->name, "any") || g_str_equal (args->name, "all") || ph_script_dtype (given) == PH_BOOL))
    {
      g_autoptr (PhScriptValue) number = result;

      result = ph_script_cast (machine, number, PH_BOOL, error);
    }
  return result;
}
