/* tangent.c: forward-mode differentiation of one node, by the rules that are declared for reverse mode.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"

/* The gradient rule of f maps v, the gradient of the output, to J^T v. This is linear in v, so differentiating the nodes that it built
 * with respect to v, with the tangent u as the gradient, gives J u:
 *
 *   y = f (x)      g = J^T v, by the rule of f      J u = d(g . u) / dv, by the rules of the nodes that the rule of f built
 *
 * J u does not depend on v, so v and g are removed once it is built. If f is elementwise, J is diagonal and equals its transpose: the rule
 * of f, applied to u in place of v, gives J u. If f is linear in an input, J u is f of the tangent. */

static gboolean
moves (GHashTable *tangents, const PhValue *value)
{
  return value != NULL && g_hash_table_contains (tangents, value);
}

/* Collects the values that the bodies of @node capture and that vary. */
static void
collect_captures (GHashTable *tangents, const PhNode *node, GPtrArray *into)
{
  for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
    {
      const PhGraph *body = node->graphs->pdata[g];

      for (guint i = 0; i < body->outputs->len; i++)
        if (moves (tangents, body->outputs->pdata[i]) && !g_ptr_array_find (into, body->outputs->pdata[i], NULL))
          g_ptr_array_add (into, body->outputs->pdata[i]);
      PH_FOREACH_NODE (inner, body)
        {
          for (guint i = 0; i < inner->inputs->len; i++)
            if (moves (tangents, inner->inputs->pdata[i]) && !g_ptr_array_find (into, inner->inputs->pdata[i], NULL))
              g_ptr_array_add (into, inner->inputs->pdata[i]);
          collect_captures (tangents, inner, into);
        }
    }
}

/* Returns the values that @node reads and that vary. (transfer container) */
static GPtrArray *
find_moving (GHashTable *tangents, const PhNode *node)
{
  GPtrArray *moving = g_ptr_array_new ();

  for (guint i = 0; i < node->inputs->len; i++)
    if (moves (tangents, node->inputs->pdata[i]) && ph_node_input_gradient (node, i) != PH_GRADIENT_ZERO
        && !ph_value_is_empty (node->inputs->pdata[i]) && !g_ptr_array_find (moving, node->inputs->pdata[i], NULL))
      g_ptr_array_add (moving, node->inputs->pdata[i]);
  collect_captures (tangents, node, moving);
  return moving;
}

/* Broadcasts @value to the shape of @like. */
static PhValue *
expand_like (PhBuilder *b, PhValue *value, PhValue *like)
{
  if (value == NULL || (value->type != NULL && like->type != NULL && ph_type_same_shape (value->type, like->type)))
    return value;
  value = PH_BUILD (b, Expand, value, PH_BUILD (b, Shape, like));
  /* [1, 1] where the operator takes a scalar */
  if (value != NULL && value->type != NULL && like->type != NULL && value->type->has_rank && like->type->has_rank
      && value->type->rank > like->type->rank)
    value = PH_BUILD (b, Reshape, value, PH_BUILD (b, Shape, like));
  return value;
}

static gboolean
build_linear (PhNode *node, GHashTable *tangents, PhBuilder *b)
{
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  PhValue *sum = NULL;

  for (guint i = 0; i < node->inputs->len && b->error == NULL; i++)
    {
      g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);
      PhValue *x = inputs[i], *part;

      if (!moves (tangents, x) || ph_node_input_gradient (node, i) == PH_GRADIENT_ZERO)
        continue;
      for (guint k = 0; k < node->attrs->len; k++)
        attrs[k] = ph_attr_ref (node->attrs->pdata[k]);
      inputs[i] = g_hash_table_lookup (tangents, x);
      part = ph_build_node (b, node->op, inputs, node->inputs->len, attrs, 1);
      inputs[i] = x;
      if (part != NULL)
        sum = sum != NULL ? PH_BUILD (b, Add, sum, part) : part;
    }
  if (sum != NULL && b->error == NULL)
    g_hash_table_insert (tangents, ph_node_output (node, 0), sum);
  return TRUE;
}

static gboolean
build_diagonal (PhNode *node, GHashTable *tangents, PhBuilder *b, GError **error)
{
  PhValue *y = ph_node_output (node, 0), *sum = NULL;

  for (guint i = 0; i < node->inputs->len && b->error == NULL; i++)
    {
      PhValue *x = ph_node_input (node, i), *part;
      g_autoptr (GError) local = NULL;

      if (!moves (tangents, x) || ph_node_input_gradient (node, i) == PH_GRADIENT_ZERO || ph_value_is_empty (x))
        continue;
      part = ph_tape_product (node, i, expand_like (b, g_hash_table_lookup (tangents, x), y), b, &local);
      if (local != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      part = expand_like (b, part, y);
      if (part != NULL)
        sum = sum != NULL ? PH_BUILD (b, Add, sum, part) : part;
    }
  if (sum != NULL && y->type != NULL)
    sum = ph_build_as (b, sum, y->type->dtype);
  if (sum != NULL && b->error == NULL)
    g_hash_table_insert (tangents, y, sum);
  return TRUE;
}

/* Removes the unused scaffolding: nodes after @last_before up to @last, and constants from @n_constants on. */
static gboolean
sweep (PhGraph *graph, PhNode *last, PhNode *last_before, guint n_constants, GHashTable *tangents, GError **error)
{
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, tangents);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((PhValue *) value)->producer != NULL)
      g_hash_table_add (kept, ((PhValue *) value)->producer);
  for (PhNode *node = last, *before; node != last_before; node = before)
    {
      gboolean used = g_hash_table_contains (kept, node);

      before = node->prev;
      for (guint i = 0; i < node->outputs->len; i++)
        used |= ph_value_n_uses (node->outputs->pdata[i]) > 0;
      if (!used && !ph_graph_remove_node (node, error))
        return FALSE;
    }
  for (guint i = graph->constants->len; i-- > n_constants;)
    if (ph_value_n_uses (graph->constants->pdata[i]) == 0 && !ph_graph_remove_value (graph->constants->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* Returns the node behind which @b inserts the next one. */
static PhNode *
last_built (const PhBuilder *b)
{
  return b->before != NULL ? b->before->prev : b->graph->last;
}

static gboolean
build_transposed (PhNode *node, GPtrArray *moving, GHashTable *tangents, PhBuilder *b, GError **error)
{
  g_autoptr (PhTape) reverse = ph_tape_new (node->graph), forward = ph_tape_new (node->graph);
  g_autofree PhValue **v = g_new0 (PhValue *, node->outputs->len), **like = g_new0 (PhValue *, node->outputs->len);
  PhNode *last_before = last_built (b), *first_built;
  const guint n_constants = node->graph->constants->len;

  ph_tape_limit (reverse, node, node);
  for (guint i = 0; i < moving->len; i++)
    ph_tape_watch (reverse, moving->pdata[i]);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      PhValue *y = node->outputs->pdata[i];

      if (y->type == NULL || !ph_dtype_is_float (y->type->dtype) || ph_value_is_empty (y))
        continue;
      /* Any value of y's shape will do; for an optional, the element in it. */
      like[i] = y->type->kind == PH_KIND_OPTIONAL ? PH_BUILD (b, OptionalGetElement, y) : y;
      v[i] = PH_BUILD (b, Identity, like[i]);
      if (v[i] == NULL)
        return FALSE;
      ph_tape_seed (reverse, y, v[i]);
      ph_tape_watch (forward, v[i]);
    }
  first_built = last_before != NULL ? last_before->next : node->graph->first;
  if (first_built == b->before) /* no output is of real numbers */
    return TRUE;
  if (!ph_tape_run (reverse, b, NULL, error))
    return FALSE;
  for (guint i = 0; i < moving->len; i++)
    {
      PhValue *g = ph_tape_gradient (reverse, b, moving->pdata[i]);

      if (g != NULL)
        ph_tape_seed (forward, g, g_hash_table_lookup (tangents, moving->pdata[i]));
    }
  if (b->error != NULL)
    return FALSE;
  ph_tape_limit (forward, first_built, last_built (b));
  if (!ph_tape_run (forward, b, NULL, error))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      PhValue *tangent = v[i] != NULL ? ph_tape_gradient (forward, b, v[i]) : NULL;

      if (tangent != NULL)
        g_hash_table_insert (tangents, node->outputs->pdata[i], tangent);
    }
  if (b->error != NULL)
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    if (v[i] != NULL && !ph_value_replace_uses (v[i], like[i], error))
      return FALSE;
  return sweep (node->graph, last_built (b), last_before, n_constants, tangents, error);
}

/* Returns TRUE if the operator's flag says elementwise; optionals are not. */
static gboolean
is_diagonal (const PhNode *node)
{
  return node->op != NULL && node->op->flags & PH_OP_ELEMENTWISE && node->graphs == NULL && node->outputs->len == 1
         && ph_value_has_gradient (ph_node_output (node, 0));
}

gboolean
ph_tangent_moves (PhNode *node, GHashTable *tangents)
{
  g_autoptr (GPtrArray) moving = find_moving (tangents, node);

  return moving->len > 0;
}

gboolean
ph_tangent_node (PhNode *node, GHashTable *tangents, PhBuilder *builder, GError **error)
{
  g_autoptr (GPtrArray) moving = find_moving (tangents, node);
  g_autofree char *name = NULL;
  PhBuilder own = *builder;
  gboolean ok;

  if (moving->len == 0)
    return TRUE;
  name = g_strdup_printf ("tangent_%s", ((PhValue *) node->outputs->pdata[0])->name);
  own.name = name;
  own.partner = node->id;
  if (node->op != NULL && node->op->flags & PH_OP_MULTILINEAR && node->outputs->len == 1)
    ok = build_linear (node, tangents, &own);
  else if (is_diagonal (node))
    ok = build_diagonal (node, tangents, &own, error);
  else
    ok = build_transposed (node, moving, tangents, &own, error);
  if (own.error != NULL)
    {
      if (ok || error == NULL || *error == NULL)
        g_propagate_prefixed_error (error, g_steal_pointer (&own.error), "tangent of %s: ", node->op_type);
      g_clear_error (&own.error);
      ok = FALSE;
    }
  return ok;
}
