/* tape.c: reverse-mode differentiation of a graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"

#include <string.h>

struct _PhTape
{
  PhGraph *graph;
  PhNode *first, *last; /* (nullable) its nodes are those from @first to @last, not all of the graph */
  GHashTable *active;   /* values that depend on a watched one                             */
  GHashTable *arrived;  /* value -> GPtrArray of the gradients that arrived at it          */
};

PhTape *
ph_tape_new (PhGraph *graph)
{
  PhTape *tape = g_new0 (PhTape, 1);

  tape->graph = graph;
  tape->active = g_hash_table_new (NULL, NULL);
  tape->arrived = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  return tape;
}

void
ph_tape_free (PhTape *tape)
{
  g_hash_table_unref (tape->active);
  g_hash_table_unref (tape->arrived);
  g_free (tape);
}

void
ph_tape_limit (PhTape *tape, PhNode *first, PhNode *last)
{
  tape->first = first;
  tape->last = last;
}

void
ph_tape_watch (PhTape *tape, PhValue *value)
{
  g_hash_table_add (tape->active, value);
}

void
ph_tape_seed (PhTape *tape, PhValue *value, PhValue *gradient)
{
  GPtrArray *list = g_hash_table_lookup (tape->arrived, value);

  if (list == NULL)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (tape->arrived, value, list);
    }
  g_ptr_array_add (list, gradient);
}

PhValue *
ph_tape_gradient (PhTape *tape, PhBuilder *builder, PhValue *value)
{
  GPtrArray *list = g_hash_table_lookup (tape->arrived, value);
  PhValue *sum;

  if (list == NULL || list->len == 0)
    return NULL;
  if (list->len == 1)
    return list->pdata[0];
  if (list->pdata[0] != NULL && !ph_value_has_gradient (list->pdata[0])) /* 8-bit floats are added as floats */
    for (guint i = 0; i < list->len; i++)
      list->pdata[i] = ph_build_as (builder, list->pdata[i], PH_FLOAT);
  /* The sum keeps the order of the walk, which makes the rounding reproducible. */
  sum = list->len == 2 ? PH_BUILD (builder, Add, list->pdata[0], list->pdata[1])
                       : ph_build_node (builder, &ph_op_Sum, (PhValue *const *) list->pdata, list->len, NULL, 1);
  g_ptr_array_set_size (list, 0);
  if (sum != NULL && value->type != NULL)
    sum = ph_build_as (builder, sum, value->type->dtype);
  if (sum != NULL)
    g_ptr_array_add (list, sum);
  return sum;
}

/* Returns TRUE if @value may carry a gradient: floats, or a sequence or optional of them. So may a value of unknown type: refusing what
 * cannot be differentiated is better than taking it for zero. */
static gboolean
may_carry_gradient (const PhValue *value)
{
  return value->type == NULL || ph_dtype_is_float (value->type->dtype);
}

static gboolean
is_active (PhTape *tape, const PhValue *value)
{
  return value != NULL && g_hash_table_contains (tape->active, value);
}

/* Collects the active outer values that @body captures, including those used in nested bodies. Values that bodies compute themselves are
 * never active here. */
static void
collect_captures (PhTape *tape, const PhGraph *body, GPtrArray *captures)
{
  for (guint i = 0; i < body->outputs->len; i++)
    if (is_active (tape, body->outputs->pdata[i]) && !g_ptr_array_find (captures, body->outputs->pdata[i], NULL))
      g_ptr_array_add (captures, body->outputs->pdata[i]);
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *value = node->inputs->pdata[i];
          if (is_active (tape, value) && !g_ptr_array_find (captures, value, NULL))
            g_ptr_array_add (captures, value);
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        collect_captures (tape, node->graphs->pdata[i], captures);
    }
}

/* (transfer full) (nullable): the active captures of a node with bodies. */
static GPtrArray *
find_captures (PhTape *tape, const PhNode *node)
{
  GPtrArray *captures;

  if (node->graphs == NULL)
    return NULL;
  captures = g_ptr_array_new ();
  for (guint i = 0; i < node->graphs->len; i++)
    collect_captures (tape, node->graphs->pdata[i], captures);
  return captures;
}

static void
spread_activity (PhTape *tape, PhNode *node)
{
  g_autoptr (GPtrArray) captures = find_captures (tape, node);
  gboolean active = captures != NULL && captures->len > 0;

  for (guint i = 0; !active && i < node->inputs->len; i++)
    active = is_active (tape, node->inputs->pdata[i]) && ph_node_input_gradient (node, i) != PH_GRADIENT_ZERO;
  for (guint i = 0; active && i < node->outputs->len; i++)
    if (may_carry_gradient (node->outputs->pdata[i]))
      g_hash_table_add (tape->active, node->outputs->pdata[i]);
}

static gboolean
not_differentiable (const PhNode *node, const char *why, GError **error)
{
  g_autofree char *label = ph_node_label (node);

  g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s has no gradient: %s", label, why);
  return FALSE;
}

static gboolean
no_gradient_by (const PhNode *node, guint input, GError **error)
{
  const PhValue *value = ph_node_input (node, input);
  const char *formal = input < PH_MAX_ARGS && node->op != NULL ? node->op->inputs[input].name : NULL;
  g_autofree char *label = ph_node_label (node);

  g_set_error (
      error, PH_ERROR, PH_ERROR_UNSUPPORTED,
      "%s has no gradient by its input %u%s%s%s, '%s': name the values to differentiate by, without those that it comes from",
      label, input, formal != NULL ? " '" : "", formal != NULL ? formal : "", formal != NULL ? "'" : "", value->name);
  return FALSE;
}

/* Fills grad->dx from the operator's templates and grad_build. */
static gboolean
build_products (PhGrad *grad, GError **error)
{
  PhNode *node = grad->node;
  const PhOp *op = node->op;
  PhMatch match = { .root = node };
  gboolean templates = FALSE;

  if (op == NULL)
    return not_differentiable (node,
                               "the operator is not known here; inline its function, or leave it out of the way "
                               "from the inputs to the output",
                               error);
  for (guint i = 0; i < PH_MAX_ARGS && op->inputs[i].name != NULL; i++)
    if (!(op->inputs[i].flags & (PH_ARG_OPTIONAL | PH_ARG_VARIADIC)) && ph_node_input (node, i) == NULL)
      {
        g_autofree char *why = g_strdup_printf ("its input %u '%s' is missing", i, op->inputs[i].name);
        return not_differentiable (node, why, error);
      }
  for (guint i = 0; i < node->inputs->len; i++)
    {
      if (grad->wanted[i] && ph_node_input_gradient (node, i) == PH_GRADIENT_REFUSED)
        return no_gradient_by (node, i, error);
      templates |= i < PH_MAX_ARGS && op->grad[i] != NULL;
    }

  if (op->grad_build != NULL)
    {
      g_autoptr (GError) local = NULL;

      if (!op->grad_build (grad, &local))
        {
          if (grad->b->error == NULL && local != NULL)
            g_propagate_error (error, g_steal_pointer (&local));
          else if (grad->b->error != NULL)
            g_propagate_error (error, g_steal_pointer (&grad->b->error));
          else
            return not_differentiable (node, "this form of it cannot be differentiated", error);
          return FALSE;
        }
    }
  else if (!templates)
    return not_differentiable (node, "no rule is declared for this operator", error);

  for (guint i = 0; i < PH_MAX_ARGS && i < PH_MAX_SLOTS - 2; i++)
    match.slot[i] = ph_grad_in (grad, i);
  match.slot[14] = grad->dy[0];
  match.slot[15] = ph_grad_out (grad, 0);
  for (guint i = 0; templates && i < node->inputs->len && i < PH_MAX_ARGS; i++)
    if (grad->wanted[i] && grad->dx[i] == NULL)
      {
        if (op->grad[i] != NULL && grad->dy[0] != NULL)
          grad->dx[i] = ph_pattern_build (op->grad[i], &match, grad->b);
        else if (op->grad[i] == NULL && op->grad_build == NULL)
          return no_gradient_by (node, i, error);
      }
  /* A wanted gradient that was not built is an error, not zero. */
  for (guint i = 0; i < node->inputs->len && grad->b->error == NULL; i++)
    if (grad->wanted[i] && grad->dx[i] == NULL && !grad->zero[i])
      return no_gradient_by (node, i, error);
  return TRUE;
}

/* Returns the type in which @node is differentiated if its operator mixes float types: the widest. Bodies keep their types. */
static PhDType
mixed_type (const PhNode *node)
{
  PhDType first = PH_UNDEFINED, wide = PH_UNDEFINED;

  for (guint i = 0; node->op != NULL && node->graphs == NULL && i < node->inputs->len && i < PH_MAX_ARGS; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      if (value == NULL || !ph_value_has_gradient (value) || (node->op->inputs[i].types & PH_FLOATS) != PH_FLOATS)
        continue;
      if (first == PH_UNDEFINED)
        first = value->type->dtype;
      else if (value->type->dtype != first)
        wide = wide == PH_DOUBLE || first == PH_DOUBLE || value->type->dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
    }
  return wide;
}

PhValue *
ph_tape_product (PhNode *node, guint input, PhValue *dy, PhBuilder *builder, GError **error)
{
  guint n_in = node->inputs->len;
  g_autofree PhValue **all_dy = g_new0 (PhValue *, node->outputs->len + 1), **dx = g_new0 (PhValue *, n_in + 1);
  g_autofree gboolean *wanted = g_new0 (gboolean, n_in + 1), *zero = g_new0 (gboolean, n_in + 1);
  const PhDType wide = mixed_type (node);
  PhGrad grad = { .node = node, .b = builder, .dy = all_dy, .wanted = wanted, .dx = dx, .zero = zero, .wide = wide };

  all_dy[0] = wide != PH_UNDEFINED ? ph_build_as (builder, dy, wide) : dy;
  wanted[input] = TRUE;
  if (!build_products (&grad, error))
    return NULL;
  return dx[input];
}

/* Returns the gradient that arrived at @value, with the type of @value if inference knew less. In a branch, a gradient from outside belongs
 * to both branches, whose output shapes may differ, and keeps its type. */
static PhValue *
gradient_like (PhTape *tape, PhBuilder *b, PhValue *value)
{
  PhValue *gradient = ph_tape_gradient (tape, b, value);
  const PhType *type = gradient != NULL && gradient->type != NULL && value->type != NULL
                           ? ph_type_merge (value->type, gradient->type)
                           : NULL;

  if (type != NULL && type != gradient->type && !gradient->is_input && gradient->graph == value->graph
      && !ph_value_set_type (gradient, type, &b->error))
    return NULL;
  return gradient;
}

static void
hand_on (PhTape *tape, PhNode *node, guint input, PhValue *of, PhValue *gradient, const PhTapeHooks *hooks)
{
  if (hooks != NULL && hooks->contribution != NULL)
    hooks->contribution (node, of, input, gradient, hooks->data);
  ph_tape_seed (tape, of, gradient);
}

/* Appends advice to the message of a refusal, once. */
static void
advise (GError **error)
{
  static const char advice[]
      = "; fix open dimensions with bind-dimensions, or name values to differentiate by that do not come through it";

  if (error == NULL || !g_error_matches (*error, PH_ERROR, PH_ERROR_UNSUPPORTED)
      || strstr ((*error)->message, "differentiate by") != NULL || strstr ((*error)->message, "leave it out") != NULL)
    return;
  char *message = g_strconcat ((*error)->message, advice, NULL);

  g_free ((*error)->message);
  (*error)->message = message;
}

static gboolean
differentiate_node (PhTape *tape, PhNode *node, PhBuilder *builder, const PhTapeHooks *hooks, GError **error)
{
  guint n_in = node->inputs->len, n_out = node->outputs->len;
  g_autofree PhValue **dy = g_new0 (PhValue *, n_out + 1), **dx = g_new0 (PhValue *, n_in + 1), **dcaptures = NULL;
  g_autofree gboolean *wanted = g_new0 (gboolean, n_in + 1), *zero = g_new0 (gboolean, n_in + 1);
  g_autoptr (GPtrArray) captures = NULL;
  g_autofree char *name = NULL;
  PhBuilder own = *builder;
  const PhDType wide = mixed_type (node);
  gboolean any = FALSE, some_dy = FALSE, ok;

  for (guint i = 0; i < n_out; i++)
    {
      const GPtrArray *list = g_hash_table_lookup (tape->arrived, node->outputs->pdata[i]);
      some_dy |= list != NULL && list->len > 0 && !ph_value_is_empty (node->outputs->pdata[i]);
    }
  if (!some_dy)
    return TRUE;
  captures = find_captures (tape, node);
  for (guint i = 0; i < n_in; i++)
    any |= wanted[i] = is_active (tape, node->inputs->pdata[i]) && ph_node_input_gradient (node, i) != PH_GRADIENT_ZERO
                       && !ph_value_is_empty (node->inputs->pdata[i]);
  if (!any && (captures == NULL || captures->len == 0))
    return TRUE;
  if (hooks != NULL && hooks->begin != NULL && !hooks->begin (node, hooks->data))
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_CANCELLED, "differentiation was stopped");
      return FALSE;
    }

  name = g_strdup_printf ("grad_%s", ((PhValue *) node->outputs->pdata[0])->name);
  own.name = name;
  own.partner = node->id;
  for (guint i = 0; i < n_out; i++)
    {
      dy[i] = gradient_like (tape, &own, node->outputs->pdata[i]);
      if (wide != PH_UNDEFINED && ph_value_has_gradient (node->outputs->pdata[i]))
        dy[i] = ph_build_as (&own, dy[i], wide);
    }
  for (guint i = 0; captures != NULL && i < captures->len; i++)
    if (!ph_value_has_gradient (captures->pdata[i]))
      return not_differentiable (node, "a sequence, or a value of unknown type, is used in its body", error);
  dcaptures = g_new0 (PhValue *, captures != NULL ? captures->len + 1 : 1);

  /* clang-format off */
  PhGrad grad = {
    .node = node, .b = &own, .dy = dy, .wanted = wanted, .dx = dx, .zero = zero, .captures = captures, .dcaptures = dcaptures,
    .wide = wide
  };
  /* clang-format on */
  ok = own.error == NULL && build_products (&grad, error);
  for (guint i = 0; ok && i < n_in; i++)
    if (wanted[i] && dx[i] != NULL && own.error == NULL)
      {
        PhValue *reduced = ph_grad_reduce_to (&own, dx[i], node->inputs->pdata[i]);

        if (wide != PH_UNDEFINED)
          reduced = ph_build_as (&own, reduced, ph_node_input (node, i)->type->dtype);
        if (reduced != NULL)
          hand_on (tape, node, i, node->inputs->pdata[i], reduced, hooks);
      }
  for (guint i = 0; ok && captures != NULL && i < captures->len; i++)
    if (dcaptures[i] != NULL)
      hand_on (tape, node, G_MAXUINT, captures->pdata[i], dcaptures[i], hooks);
  if (own.error != NULL)
    {
      if (ok)
        g_propagate_prefixed_error (error, g_steal_pointer (&own.error), "gradient of %s: ", node->op_type);
      g_clear_error (&own.error);
      ok = FALSE;
    }
  if (ok && hooks != NULL && hooks->end != NULL)
    hooks->end (node, hooks->data);
  return ok;
}

gboolean
ph_tape_run (PhTape *tape, PhBuilder *builder, const PhTapeHooks *hooks, GError **error)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  for (PhNode *node = tape->first != NULL ? tape->first : tape->graph->first; node != NULL;
       node = node == tape->last ? NULL : node->next)
    {
      spread_activity (tape, node);
      g_ptr_array_add (nodes, node);
    }
  for (guint i = nodes->len; i-- > 0;)
    if (!differentiate_node (tape, nodes->pdata[i], builder, hooks, error))
      {
        advise (error);
        return FALSE;
      }
  return TRUE;
}
