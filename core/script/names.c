/* names.c: the names that statements assign and that expressions read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-execute.h"

/* Returns TRUE for a, *b = x. */
static gboolean
has_targets (const PhPy *target)
{
  return target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST || target->kind == PH_PY_STARRED;
}

void
ph_script_targets (const PhPy *target, GHashTable *names)
{
  if (target->kind == PH_PY_NAME)
    g_hash_table_add (names, (gpointer) target->text);
  for (guint i = 0; has_targets (target) && i < target->n; i++)
    ph_script_targets (target->items[i], names);
}

/* x[0] = 1 assigns to x for the states of a loop, but makes no local variable. */
static void
add_stored (const PhPy *target, GHashTable *names)
{
  const PhPy *root = target;

  while (root->kind == PH_PY_SUBSCRIPT)
    root = root->items[0];
  if (root != target && root->kind == PH_PY_NAME)
    g_hash_table_add (names, (gpointer) root->text);
  for (guint i = 0; has_targets (target) && i < target->n; i++)
    add_stored (target->items[i], names);
}

/* Adds lists changed by LIST.append(x) and LIST.pop(), anywhere in @py. */
static void
add_changed (const PhPy *py, GHashTable *names)
{
  const PhPy *list = py != NULL ? ph_script_changed_list (py) : NULL;

  if (list != NULL)
    g_hash_table_add (names, (gpointer) list->text);
  for (guint i = 0; py != NULL && i < py->n; i++)
    add_changed (py->items[i], names);
}

void
ph_script_assigned (PhPy *const *body, guint n, GHashTable *names, gboolean stored)
{
  for (guint i = 0; i < n; i++)
    {
      const PhPy *py = body[i];

      if (py->kind == PH_PY_ASSIGN)
        for (guint k = 0; k + 1 < py->n; k++)
          {
            ph_script_targets (py->items[k], names);
            if (stored)
              add_stored (py->items[k], names);
          }
      else if (py->kind == PH_PY_AUGMENTED || py->kind == PH_PY_ANNOTATED || py->kind == PH_PY_FOR)
        {
          ph_script_targets (py->items[0], names);
          if (stored)
            add_stored (py->items[0], names);
        }
      else if (py->kind == PH_PY_DEF)
        g_hash_table_add (names, (gpointer) py->text);
      for (guint k = 0; stored && py->kind != PH_PY_DEF && k < py->n; k++)
        add_changed (py->items[k], names);
      if (py->kind != PH_PY_DEF && py->kind != PH_PY_CLASS)
        {
          ph_script_assigned (py->body, py->n_body, names, stored);
          ph_script_assigned (py->orelse, py->n_orelse, names, stored);
        }
    }
}

void
ph_script_read (const PhPy *py, const PhPy *except, GHashTable *names)
{
  if (py == NULL || py == except)
    return;
  if (py->kind == PH_PY_NAME)
    g_hash_table_add (names, (gpointer) py->text);
  if (py->kind == PH_PY_AUGMENTED && py->items[0]->kind == PH_PY_NAME)
    g_hash_table_add (names, (gpointer) py->items[0]->text);
  for (guint i = 0; i < py->n; i++)
    if (!(py->kind == PH_PY_ASSIGN && i + 1 < py->n && py->items[i]->kind == PH_PY_NAME) && !(py->kind == PH_PY_FOR && i == 0))
      ph_script_read (py->items[i], except, names);
  for (guint i = 0; i < py->n_body; i++)
    ph_script_read (py->body[i], except, names);
  for (guint i = 0; i < py->n_orelse; i++)
    ph_script_read (py->orelse[i], except, names);
}
