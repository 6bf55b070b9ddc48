/* alias.c: tracks which values share elements: after a change in place, other names of the elements cannot be read any more.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-alias.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* Finds the representative of a memory. In a compiled graph a name after an If may share its elements with either of two arrays: their
 * memories are joined in a union-find forest. */
static guint64
find_memory (PhScriptMachine *machine, guint64 memory)
{
  gpointer parent;

  while (machine->shared != NULL && (parent = g_hash_table_lookup (machine->shared, GSIZE_TO_POINTER (memory))) != NULL)
    memory = GPOINTER_TO_SIZE (parent);
  return memory;
}

gboolean
ph_script_same_memory (PhScriptMachine *machine, guint64 a, guint64 b)
{
  return a == b || (machine->shared != NULL && find_memory (machine, a) == find_memory (machine, b));
}

void
ph_script_join_memory (PhScriptMachine *machine, guint64 a, guint64 b)
{
  a = find_memory (machine, a);
  b = find_memory (machine, b);
  if (a == b || a == 0 || b == 0)
    return;
  if (machine->shared == NULL)
    machine->shared = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (machine->shared, GSIZE_TO_POINTER (a), GSIZE_TO_POINTER (b));
}

gboolean
ph_script_holds_memory (PhScriptMachine *machine, const PhScriptValue *value, guint64 memory)
{
  if (value->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) != 0 && ph_script_same_memory (machine, value->memory, memory))
    return TRUE;
  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    if (ph_script_holds_memory (machine, value->items[i], memory))
      return TRUE;
  return FALSE;
}

static gboolean
is_given (PhScriptMachine *machine, guint64 memory)
{
  GHashTableIter iter;
  gpointer key, value;

  /* Variables of enclosing functions may share them as well. */
  for (const PhScriptScope *scope = machine->frame->scope->outer; scope != NULL; scope = scope->outer)
    {
      g_hash_table_iter_init (&iter, scope->variables);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        if (ph_script_holds_memory (machine, value, memory))
          return TRUE;
    }
  if (machine->frame->given == NULL)
    return FALSE;
  g_hash_table_iter_init (&iter, machine->frame->given);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (ph_script_same_memory (machine, GPOINTER_TO_SIZE (key), memory))
      return TRUE;
  return FALSE;
}

/* Invalidates other names of the memory, under which numpy would show the change. Reading them is an error from now on. */
static void
leave_behind (PhScriptMachine *machine, const PhPy *at, const char *name, guint64 memory)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, machine->frame->scope->variables);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (!g_str_equal (key, name) && ph_script_holds_memory (machine, value, memory))
      g_hash_table_iter_replace (
          &iter, ph_script_unset (g_strdup_printf (
                     "'%s' shared its elements with '%s', which line %u changed in place: numpy shows the change here "
                     "too, this language does not; write %s = copy(...)",
                     (char *) key, name, at->line, (char *) key)));
}

static guint
count_holders (PhScriptMachine *machine, const PhScriptValue *value, guint64 memory)
{
  guint n = value->kind == PH_SCRIPT_TENSOR && ph_script_holds_memory (machine, value, memory);

  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    n += count_holders (machine, value->items[i], memory);
  return n;
}

gboolean
ph_script_touch_item (PhScriptMachine *machine, const PhPy *at, const char *name, const PhScriptValue *item, GError **error)
{
  const PhScriptValue *list = g_hash_table_lookup (machine->frame->scope->variables, name);

  if (list == NULL || is_given (machine, item->memory))
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "this item of '%s' belongs to the caller, who would see the change: put copy(...) into the list", name)
           != NULL;
  if (count_holders (machine, list, item->memory) > 1)
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "several items of '%s' are one array, and numpy would change them all: put copy(...) into the list",
                           name)
           != NULL;
  leave_behind (machine, at, name, item->memory);
  return TRUE;
}

void
ph_script_begin_over (PhScriptMachine *machine, const PhScriptValue *value)
{
  const guint64 memory = ph_script_is_list (value)         ? GPOINTER_TO_SIZE (value)
                         : value->kind == PH_SCRIPT_TENSOR ? value->memory
                                                           : 0;

  if (machine->frame->iterated == NULL)
    machine->frame->iterated = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_append_val (machine->frame->iterated, memory);
}

void
ph_script_end_over (PhScriptMachine *machine)
{
  GArray *iterated = machine->frame->iterated;

  g_array_set_size (iterated, iterated->len - 1);
  if (iterated->len == 0)
    g_clear_pointer (&machine->frame->iterated, g_array_unref);
}

/* Changes an array in place by setting its name to another value, and refuses if another holder of the array could notice. */
gboolean
ph_script_change_in_place (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *old, PhScriptValue *value,
                           GError **error)
{
  if (!g_hash_table_contains (machine->frame->scope->variables, name) || is_given (machine, old->memory))
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "'%s' belongs to the caller, who would see the change: write %s = copy(%s) first", name, name, name)
           != NULL;
  for (guint i = 0; machine->frame->iterated != NULL && i < machine->frame->iterated->len; i++)
    if (ph_script_same_memory (machine, g_array_index (machine->frame->iterated, guint64, i), old->memory))
      return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                             "'%s' is changed while a for goes over it: go over copy(%s)", name, name)
             != NULL;
  leave_behind (machine, at, name, old->memory);
  ph_script_set (machine, name, value);
  return TRUE;
}
