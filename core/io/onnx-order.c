/* onnx-order.c: the order in which the nodes of a file can be made: its own where that does, else sorted; cycles are reported.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx-scope.h"

gboolean
ph_import_is_body (const Onnx__AttributeProto *attr)
{
  return attr->g != NULL && (attr->ref_attr_name == NULL || attr->ref_attr_name[0] == '\0');
}

char *
ph_import_describe (const Onnx__GraphProto *graph, gsize index)
{
  const Onnx__NodeProto *node = graph->node[index];
  g_autofree char *op = g_utf8_make_valid (node->op_type != NULL ? node->op_type : "?", -1);
  g_autofree char *name = g_utf8_make_valid (node->name != NULL ? node->name : "", -1);

  if (name[0] != '\0')
    return g_strdup_printf ("node %" G_GSIZE_FORMAT " '%s' (%s)", index, name, op);
  return g_strdup_printf ("node %" G_GSIZE_FORMAT " (%s)", index, op);
}

/* Names that a body defines for itself, which hide those outside. */
typedef struct _Hidden Hidden;
struct _Hidden { const Hidden *outer; GHashTable *names; };

typedef gboolean (*NameFunc) (const char *name, gpointer data);      /* FALSE ends the walk */

static gboolean
each_used_name (const Onnx__NodeProto *node, const Hidden *hidden, NameFunc func, gpointer data);

static gboolean
use_name (const char *name, const Hidden *hidden, NameFunc func, gpointer data)
{
  if (name == NULL || name[0] == '\0')
    return TRUE;
  for (; hidden != NULL; hidden = hidden->outer)
    if (g_hash_table_contains (hidden->names, name))
      return TRUE;
  return func (name, data);
}

static gboolean
each_captured_name (const Onnx__GraphProto *body, const Hidden *outer, NameFunc func, gpointer data)
{
  g_autoptr(GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  Hidden hidden = { outer, names };

  for (gsize i = 0; i < body->n_input; i++)
    g_hash_table_add (names, body->input[i]->name != NULL ? body->input[i]->name : (char *) "");
  for (gsize i = 0; i < body->n_initializer; i++)
    g_hash_table_add (names, body->initializer[i]->name != NULL ? body->initializer[i]->name : (char *) "");
  for (gsize i = 0; i < body->n_node; i++)
    for (gsize j = 0; j < body->node[i]->n_output; j++)
      g_hash_table_add (names, body->node[i]->output[j]);
  for (gsize i = 0; i < body->n_node; i++)
    if (!each_used_name (body->node[i], &hidden, func, data))
      return FALSE;
  for (gsize i = 0; i < body->n_output; i++)
    if (!use_name (body->output[i]->name, &hidden, func, data))
      return FALSE;
  return TRUE;
}

/* Every name that @node uses from outside of itself, those that its bodies capture included. */
static gboolean
each_used_name (const Onnx__NodeProto *node, const Hidden *hidden, NameFunc func, gpointer data)
{
  for (gsize i = 0; i < node->n_input; i++)
    if (!use_name (node->input[i], hidden, func, data))
      return FALSE;
  for (gsize i = 0; i < node->n_attribute; i++)
    if (ph_import_is_body (node->attribute[i]) && !each_captured_name (node->attribute[i]->g, hidden, func, data))
      return FALSE;
  return TRUE;
}

typedef struct { PhScope *scope; GArray *found; } Uses;      /* @found NULL: the first one ends the walk */

static gboolean
note_use (const char *name, gpointer data)
{
  Uses *uses = data;
  gpointer known = g_hash_table_lookup (uses->scope->names, ph_intern (name));
  gsize node;

  if (known == NULL || !IS_PENDING (known) || PENDING_NODE (known) == NO_NODE)
    return TRUE;
  if (uses->found == NULL)
    return FALSE;
  node = PENDING_NODE (known);
  g_array_append_val (uses->found, node);
  return TRUE;
}

gboolean
ph_import_is_ready (PhScope *scope, gsize index)
{
  const Onnx__NodeProto *node = scope->proto->node[index];
  Uses uses = { scope, NULL };

  for (gsize i = 0; i < node->n_input; i++)
    if (node->input[i][0] != '\0')
      {
        gpointer known = g_hash_table_lookup (scope->names, node->input[i]);

        if (known != NULL && IS_PENDING (known))
          return FALSE;
      }
  for (gsize i = 0; i < node->n_attribute; i++)
    if (ph_import_is_body (node->attribute[i]) && !each_captured_name (node->attribute[i]->g, NULL, note_use, &uses))
      return FALSE;
  return TRUE;
}

/* The waiting nodes of @stack from the top down to @need are the cycle: each is used by the next. */
static void
report_cycle (PhImport *import, PhScope *scope, const GArray *stack, const guint8 *state, gsize need, GError **error)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree char *label = ph_import_describe (scope->proto, need);
  g_autoptr(GString) text = g_string_new (label);
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
      next = ph_import_describe (scope->proto, at);
      g_string_append_printf (text, " -> %s", next);
    }
  if (more > 0)
    g_string_append_printf (text, " -> (%u more)", more);
  ph_source_fail (import->source, error, PH_ERROR_INVALID, scope->proto->node[need], "graph '%s' has a cycle: %s -> %s. "
                  "ONNX graphs have none; loops are written with Loop or Scan", scope->graph->name, text->str, label);
}

/* Depth first from each node, without recursion. */
gsize *
ph_import_sort (PhImport *import, PhScope *scope, gsize first, GError **error)
{
  gsize n = scope->proto->n_node, done = first;
  gsize *order = g_new (gsize, n);
  g_autofree guint8 *state = g_new0 (guint8, n);       /* 0 not seen, 1 waiting for others, 2 placed */
  g_autoptr(GPtrArray) needs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (gsize i = 0; i < n; i++)
    {
      Uses uses = { scope, g_array_new (FALSE, FALSE, sizeof (gsize)) };

      if (i >= first)
        each_used_name (scope->proto->node[i], NULL, note_use, &uses);
      g_ptr_array_add (needs, uses.found);
    }
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
                if (state[need] == 1)
                  {
                    report_cycle (import, scope, stack, state, need, error);
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
