/* list-change.c: in-place changes of lists, and their other holders: append, pop and the like, x[i] = y.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* ── names that have it ── */

/* Returns TRUE if @value is or contains @list. @deep: also if they only share rows. */
static gboolean
holds_list (const PhScriptValue *value, const PhScriptValue *list, gboolean deep)
{
  if (value == list)
    return TRUE;
  /* A list of numbers is a tensor whose rows are made on demand: equal memory identifies its rows. */
  if (list->kind == PH_SCRIPT_TENSOR && value->kind == PH_SCRIPT_TENSOR && value->list && value->memory == list->memory
      && (deep || ph_script_rank (value) > ph_script_rank (list) || ph_script_rank (value) == 1))
    return TRUE;
  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    if (holds_list (value->items[i], list, deep))
      return TRUE;
  return FALSE;
}

static gboolean
scope_holds (PhScriptScope *scope, const PhScriptValue *list)
{
  GHashTableIter iter;
  gpointer value;

  for (; scope != NULL; scope = scope->outer)
    {
      g_hash_table_iter_init (&iter, scope->variables);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        if (holds_list (value, list, FALSE))
          return TRUE;
    }
  return FALSE;
}

/* Returns TRUE for the default of a parameter, which is the same list in the next call. */
static gboolean
is_default (const PhScriptFunction *function, const PhScriptValue *list)
{
  for (guint i = 0; function != NULL && i < function->def->n; i++)
    if (function->fallbacks[i] != NULL && holds_list (function->fallbacks[i], list, FALSE))
      return TRUE;
  return FALSE;
}

static gboolean
is_outside (PhScriptMachine *machine, const PhScriptValue *list)
{
  if (scope_holds (machine->frame->scope->outer, list) || is_default (machine->frame->function, list))
    return TRUE;
  for (const PhScriptFrame *frame = machine->frame->outer; frame != NULL; frame = frame->outer)
    if (is_default (frame->function, list) || (frame->scope != machine->frame->scope && scope_holds (frame->scope, list)))
      return TRUE;
  return FALSE;
}

gboolean
ph_script_list_is_named (PhScriptMachine *machine, const PhScriptValue *list)
{
  return ph_script_is_list (list) && (scope_holds (machine->frame->scope, list) || is_outside (machine, list));
}

gboolean
ph_script_touch_list (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *list, gboolean deep,
                      GError **error)
{
  GHashTableIter iter;
  gpointer key, other;

  if (!g_hash_table_contains (machine->frame->scope->variables, name) || is_outside (machine, list))
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "'%s' belongs to the caller, who would see the change: write %s = %s + [...]", name, name, name)
           != NULL;
  for (guint i = 0; machine->frame->iterated != NULL && i < machine->frame->iterated->len; i++)
    if (g_array_index (machine->frame->iterated, guint64, i) == GPOINTER_TO_SIZE (list))
      return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "'%s' is changed while a for goes over it", name) != NULL;
  g_hash_table_iter_init (&iter, machine->frame->scope->variables);
  while (g_hash_table_iter_next (&iter, &key, &other))
    if (!g_str_equal (key, name) && holds_list (other, list, deep))
      g_hash_table_iter_replace (
          &iter, ph_script_unset (g_strdup_printf (
                     "'%s' is the list '%s', or has rows in common with it, which line %u changed in place: Python shows the "
                     "change here too, this language does not; write %s = %s + []",
                     (char *) key, name, at->line, (char *) key, name)));
  return TRUE;
}

gboolean
ph_script_change_list (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *old, PhScriptValue *value,
                       GError **error)
{
  if (!ph_script_touch_list (machine, at, name, old, FALSE, error))
    return FALSE;
  ph_script_set (machine, name, value);
  return TRUE;
}

/* ── methods ── */

/* clang-format off */
static const struct { const char *name; guint min, max; } methods[] = {
  { "append", 1, 1 }, { "clear", 0, 0 }, { "extend", 1, 1 }, { "insert", 2, 2 }, { "pop", 0, 1 }, { "reverse", 0, 0 },
};
/* clang-format on */

const PhPy *
ph_script_changed_list (const PhPy *call)
{
  const PhPy *method = call->kind == PH_PY_CALL ? call->items[0] : NULL, *root;

  if (method == NULL || method->kind != PH_PY_ATTRIBUTE)
    return NULL;
  for (root = method->items[0]; root->kind == PH_PY_SUBSCRIPT; root = root->items[0])
    ;
  for (guint i = 0; root->kind == PH_PY_NAME && i < G_N_ELEMENTS (methods); i++)
    if (g_str_equal (method->text, methods[i].name))
      return root;
  return NULL;
}

/* Determines the position for insert and pop in a list of @n. */
static gboolean
take_place (PhScriptMachine *machine, const PhPy *at, PhScriptValue *index, guint n, gboolean clamp, guint *place, GError **error)
{
  gint64 i;

  if (index->number != NULL)
    index = index->number;
  if (index->kind != PH_SCRIPT_INT)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "a place in a list is an integer that is known, not %s",
                           ph_script_kind_name (index))
           != NULL;
  i = index->i < 0 ? index->i + n : index->i;
  if (clamp)
    i = CLAMP (i, 0, (gint64) n);
  if (i < 0 || i > n || (i == n && !clamp))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "there is no item %" G_GINT64_FORMAT " in %u", index->i, n) != NULL;
  *place = (guint) i;
  return TRUE;
}

/* Applies the method to @items. @result: (transfer full) its return value. */
static gboolean
apply (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue **arguments, guint n, GPtrArray *items,
       gboolean *shares, PhScriptValue **result, GError **error)
{
  guint place = items->len;

  for (guint i = 0; i < n; i++)
    *shares = *shares || ph_script_list_is_named (machine, arguments[i]);
  if (g_str_equal (name, "append"))
    g_ptr_array_add (items, ph_script_value_ref (arguments[0]));
  else if (g_str_equal (name, "clear"))
    g_ptr_array_set_size (items, 0);
  else if (g_str_equal (name, "extend"))
    {
      g_autoptr (GPtrArray) more = ph_script_items (machine, arguments[0]);

      if (more == NULL)
        return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "extend wants a list whose items are known, not %s",
                               ph_script_kind_name (arguments[0]))
               != NULL;
      for (guint i = 0; i < more->len; i++)
        g_ptr_array_add (items, ph_script_value_ref (more->pdata[i]));
    }
  else if (g_str_equal (name, "insert"))
    {
      if (!take_place (machine, at, arguments[0], items->len, TRUE, &place, error))
        return FALSE;
      g_ptr_array_insert (items, (int) place, ph_script_value_ref (arguments[1]));
    }
  else if (g_str_equal (name, "pop"))
    {
      if (items->len == 0)
        return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "there is nothing to pop from an empty list") != NULL;
      place--;
      if (n > 0 && !take_place (machine, at, arguments[0], items->len, FALSE, &place, error))
        return FALSE;
      *result = ph_script_value_ref (items->pdata[place]);
      g_ptr_array_remove_index (items, place);
      return TRUE;
    }
  else
    for (guint i = 0; i < items->len / 2; i++)
      {
        gpointer other = items->pdata[items->len - 1 - i];

        items->pdata[items->len - 1 - i] = items->pdata[i];
        items->pdata[i] = other;
      }
  *result = ph_script_none ();
  return TRUE;
}

gboolean
ph_script_list_method (PhScriptMachine *machine, const PhPy *call, PhScriptValue **result, GError **error)
{
  const PhPy *root = ph_script_changed_list (call),
             *at = call->items[0]->kind == PH_PY_ATTRIBUTE ? call->items[0]->items[0] : NULL;
  g_autoptr (PhScriptValue) old = NULL, changed = NULL, gave = NULL;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref), items = NULL;
  const char *name = call->items[0]->text;
  gboolean shares;

  *result = NULL;
  if (root == NULL || (machine->frame->typed && g_hash_table_lookup (machine->frame->scope->variables, root->text) == NULL))
    return FALSE;
  if ((old = ph_script_evaluate (machine, at, error)) == NULL)
    return TRUE;
  if (!ph_script_is_list (old))
    {
      if (old->kind != PH_SCRIPT_TENSOR || ph_script_number_kind (old) != PH_SCRIPT_NONE)
        return FALSE;
      ph_script_fail (machine, call, error, PH_ERROR_TYPE, "a tensor has no %s%s%s%s", name,
                      g_str_equal (name, "append") ? ": write concat([" : ": that is for lists",
                      g_str_equal (name, "append") ? root->text : "", g_str_equal (name, "append") ? ", ...])" : "");
      return TRUE;
    }
  for (guint i = 1; i < call->n; i++)
    {
      PhScriptValue *value = ph_script_evaluate (machine, call->items[i], error);

      if (value == NULL)
        return TRUE;
      g_ptr_array_add (arguments, value);
    }
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (g_str_equal (methods[i].name, name) && (arguments->len < methods[i].min || arguments->len > methods[i].max))
      {
        ph_script_fail (machine, call, error, PH_ERROR_USAGE, "%s of a list does not take %u argument%s", name, arguments->len,
                        arguments->len == 1 ? "" : "s");
        return TRUE;
      }
  items = ph_script_items (machine, old);
  if (items == NULL)
    {
      ph_script_fail (machine, call, error, PH_ERROR_UNSUPPORTED,
                      "this list is made in the graph, which has no lists: write array([...])");
      return TRUE;
    }
  shares = old->shares;
  if (!apply (machine, call, name, (PhScriptValue **) arguments->pdata, arguments->len, items, &shares, &gave, error)
      || (changed = ph_script_list (machine, call, (PhScriptValue *const *) items->pdata, items->len, error)) == NULL)
    return TRUE;
  changed->shares = shares;
  if (ph_script_list_has_rows (old))
    changed->memory = old->memory;
  if (at->kind == PH_PY_NAME ? ph_script_change_list (machine, call, root->text, old, changed, error)
                             : ph_script_assign (machine, at, changed, error))
    *result = g_steal_pointer (&gave);
  return TRUE;
}
