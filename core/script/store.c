/* store.c: x[i] = y and x[i][j] = y: replaces the variable by a changed copy.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-alias.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* Returns the variable of x[i][j] = y, at any depth of brackets. */
const PhPy *
ph_script_root (const PhPy *target)
{
  while (target->kind == PH_PY_SUBSCRIPT)
    target = target->items[0];
  return target;
}

/* Returns TRUE if the subscript yields a part that shares memory: an item of a list, or a view of a tensor. */
static gboolean
is_part (const PhPy *subscript, const PhScriptValue *of, const PhScriptValue *part)
{
  return ph_script_is_list (of) ? subscript->items[1]->kind != PH_PY_SLICE
                                : of->kind == PH_SCRIPT_TENSOR && part->kind == PH_SCRIPT_TENSOR && part->memory == of->memory;
}

/* Returns @of with @value stored at @target, handling outer brackets first: x[i][j] = y is x[i] = (x[i] with y at j). */
static PhScriptValue *
stored (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error)
{
  const PhPy *inner = target->items[0];
  g_autoptr (PhScriptValue) of = ph_script_evaluate (machine, inner, error), outer = NULL;
  PhScriptValue *changed = of != NULL ? ph_script_store (machine, target, of, value, error) : NULL;

  if (changed == NULL || inner->kind == PH_PY_NAME)
    return changed;
  outer = ph_script_evaluate (machine, inner->items[0], error);
  if (outer != NULL && !is_part (inner, outer, of))
    ph_script_fail (machine, target, error, PH_ERROR_UNSUPPORTED,
                    "this would change a copy of what the first brackets select: give it a name, or write x[i, j] = y");
  else if (outer != NULL && outer->shares)
    ph_script_fail (
        machine, target, error, PH_ERROR_UNSUPPORTED,
        "the rows of this list may be one and the same: make each anew, [[0] * n for i in range(m)], or write zeros((m, n))");
  else if (outer != NULL
           && (ph_script_is_list (of) || !ph_script_is_list (outer)
               || ph_script_touch_item (machine, target, ph_script_root (target)->text, of, error))
           && (!ph_script_is_list (of) || ph_script_touch_list (machine, target, ph_script_root (target)->text, of, TRUE, error)))
    {
      g_autoptr (PhScriptValue) part = changed;

      return stored (machine, inner, part, error);
    }
  ph_script_value_unref (changed);
  return NULL;
}

gboolean
ph_script_store_into (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error)
{
  const PhPy *root = ph_script_root (target);
  g_autoptr (PhScriptValue) of = NULL, whole = NULL;

  if (root->kind != PH_PY_NAME)
    return ph_script_fail (machine, target, error, PH_ERROR_UNSUPPORTED,
                           "what is written to is a variable with brackets: x[...] = y")
           != NULL;
  of = ph_script_evaluate (machine, root, error);
  whole = of != NULL ? stored (machine, target, value, error) : NULL;
  if (whole == NULL)
    return FALSE;
  if (ph_script_is_list (whole) && target->items[0] == root && ph_script_list_is_named (machine, value))
    whole->shares = TRUE;
  return ph_script_is_list (of) ? ph_script_change_list (machine, target, root->text, of, whole, error)
                                : ph_script_change_in_place (machine, target, root->text, of, whole, error);
}

/* Returns TRUE with an error if a later value of a multiple assignment shares the changed memory, as in y[0], y[1] = y[1], y[0]: numpy
 * would store that value changed. */
gboolean
ph_script_still_holds (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, guint i, guint64 memory,
                       GError **error)
{
  const PhPy *root = ph_script_root (target);

  for (i++; memory != 0 && i < value->n; i++)
    if (ph_script_holds_memory (machine, value->items[i], memory))
      return ph_script_fail (machine, target, error, PH_ERROR_UNSUPPORTED,
                             "this changes elements of '%s' that the right side still names: numpy stores them changed, this "
                             "language does not; write copy(%s[...]) there",
                             root->text, root->text)
             == NULL;
  return FALSE;
}
