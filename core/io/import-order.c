/* import-order.c: the topological order of a file's nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/import-private.h"

/* ── the operands of a node ─────────────────────────────────────────────────────────────────────────────────────────── */

/* Names that a body defines for itself, which hide those outside. */
typedef struct _Hidden Hidden;
struct _Hidden
{
  const Hidden *outer;
  GHashTable *names;
};

typedef struct
{
  PhScope *scope;
  GArray *found;
} Uses; /* the search stops at the first use unless @found collects all */

static gboolean each_use (const PhImportNode *node, const Hidden *hidden, Uses *uses);

/* Notes the node that defines @name. Returns FALSE to end the search. */
static gboolean
note_use (const char *name, const Hidden *hidden, Uses *uses)
{
  gpointer known;
  gsize node;

  if (name[0] == '\0')
    return TRUE;
  for (; hidden != NULL; hidden = hidden->outer)
    if (g_hash_table_contains (hidden->names, name))
      return TRUE;
  known = ph_names_find (uses->scope->names, name);
  if (known == NULL || !IS_PENDING (known) || PENDING_NODE (known) == NO_NODE)
    return TRUE;
  if (uses->found == NULL)
    return FALSE;
  node = PENDING_NODE (known);
  g_array_append_val (uses->found, node);
  return TRUE;
}

static gboolean
each_captured (const PhImportGraph *body, const Hidden *outer, Uses *uses)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  Hidden hidden = { outer, names };

  for (gsize i = 0; i < body->n_inputs; i++)
    g_hash_table_add (names, (gpointer) body->inputs[i].name);
  for (gsize i = 0; i < body->n_constants; i++)
    g_hash_table_add (names, (gpointer) body->constants[i].name);
  for (gsize i = 0; i < body->n_nodes; i++)
    for (gsize j = 0; j < body->nodes[i].n_outputs; j++)
      g_hash_table_add (names, (gpointer) body->nodes[i].outputs[j]);
  for (gsize i = 0; i < body->n_nodes; i++)
    if (!each_use (&body->nodes[i], &hidden, uses))
      return FALSE;
  for (gsize i = 0; i < body->n_outputs; i++)
    if (!note_use (body->outputs[i].name, &hidden, uses))
      return FALSE;
  return TRUE;
}

/* Visits every name from outside that @node uses, including captured values. */
static gboolean
each_use (const PhImportNode *node, const Hidden *hidden, Uses *uses)
{
  for (gsize i = 0; i < node->n_inputs; i++)
    if (!note_use (node->inputs[i], hidden, uses))
      return FALSE;
  for (gsize i = 0; i < node->n_after; i++)
    if (!note_use (node->after[i], hidden, uses))
      return FALSE;
  for (gsize i = 0; i < node->n_bodies; i++)
    if (!each_captured (node->bodies[i], hidden, uses))
      return FALSE;
  return TRUE;
}

/* ── order ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Reports a cycle. The waiting nodes of @stack from the top down to @need are the cycle: each is used by the next. */
static void
report_cycle (PhScope *scope, const GArray *stack, const guint8 *state, gsize need, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree char *label = ph_scope_describe (scope, need);
  g_autoptr (GString) text = g_string_new (label);
  guint n = 0, more = 0;

  for (guint i = stack->len; i-- > 0;)
    {
      gsize at = g_array_index (stack, gsize, i);
      g_autofree char *next = NULL;

      if (at == need)
        break;
      if (state[at] != 1 || !g_hash_table_add (seen, GSIZE_TO_POINTER (at + 1)))
        continue;
      if (n++ >= 10)
        {
          more++;
          continue;
        }
      next = ph_scope_describe (scope, at);
      g_string_append_printf (text, " -> %s", next);
    }
  if (more > 0)
    g_string_append_printf (text, " -> (%u more)", more);
  ph_source_fail (scope->importer->source, error, PH_ERROR_INVALID, scope->file->nodes[need].part,
                  "graph '%s' has a cycle: %s -> %s. "
                  "A graph has none; loops are written with Loop or Scan",
                  scope->graph->name, text->str, label);
}

/* Breaks the cycle on @stack that ends at @at_end: removes from @needs the use that reaches furthest down the file, which is a register
 * carried by a loop rather than a value computed from it. */
static void
cut_cycle (const GArray *stack, const guint8 *state, gsize at_end, gsize need, GPtrArray *needs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gsize user = at_end, used = need, best_user = user, best_used = used;

  for (guint i = stack->len; i-- > 0;)
    {
      const gsize at = g_array_index (stack, gsize, i);

      if (state[at] != 1 || !g_hash_table_add (seen, GSIZE_TO_POINTER (at + 1)))
        continue;
      if (g_hash_table_size (seen) > 1)
        {
          used = user;
          user = at;
        }
      if ((gssize) used - (gssize) user > (gssize) best_used - (gssize) best_user)
        {
          best_user = user;
          best_used = used;
        }
      if (at == need)
        break;
    }
  GArray *of_user = needs->pdata[best_user];
  for (guint i = of_user->len; i-- > 0;)
    if (g_array_index (of_user, gsize, i) == best_used)
      g_array_remove_index (of_user, i);
}

/* Sorts depth-first without recursion. */
gsize *
ph_scope_sort (PhScope *scope, gsize first, GError **error)
{
  gsize n = scope->file->n_nodes, done = first;
  gsize *order = g_new (gsize, n);
  g_autofree guint8 *state = g_new0 (guint8, n); /* 0 not seen, 1 waiting for others, 2 placed */
  g_autoptr (GPtrArray) needs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (gsize i = 0; i < n; i++)
    {
      Uses uses = { scope, g_array_new (FALSE, FALSE, sizeof (gsize)) };

      if (i >= first)
        each_use (&scope->file->nodes[i], NULL, &uses);
      g_ptr_array_add (needs, uses.found);
    }
again:
  for (gsize i = first; i < n; i++)
    {
      g_array_append_val (stack, i);
      while (stack->len > 0)
        {
          gsize at = g_array_index (stack, gsize, stack->len - 1);
          const GArray *before = needs->pdata[at];
          guint height = stack->len;

          if (state[at] != 2)
            for (guint j = before->len; j-- > 0;)
              {
                gsize need = g_array_index (before, gsize, j);

                state[at] = 1;
                if (state[need] == 1 && scope->importer->links)
                  {
                    cut_cycle (stack, state, at, need, needs);
                    g_array_set_size (stack, 0);
                    memset (state, 0, n);
                    done = first;
                    goto again;
                  }
                if (state[need] == 1)
                  {
                    report_cycle (scope, stack, state, need, error);
                    g_free (order);
                    return NULL;
                  }
                if (state[need] == 0)
                  g_array_append_val (stack, need);
              }
          if (stack->len > height)
            continue;
          if (state[at] != 2)
            order[done++] = at;
          state[at] = 2;
          g_array_set_size (stack, stack->len - 1);
        }
    }
  return order;
}

gboolean
ph_scope_is_ready (PhScope *scope, const PhImportNode *node)
{
  Uses uses = { scope, NULL };

  return each_use (node, NULL, &uses);
}
