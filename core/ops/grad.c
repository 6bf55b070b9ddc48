/* grad.c: reverse-mode differentiation: the tape and what gradients are built with.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"

#include <string.h>

/* ── for grad_build ─────────────────────────────────────────────────────────────────────────────────────────────── */

PhValue *
ph_grad_in (PhGrad *grad, guint i)
{
  return ph_node_input (grad->node, i);
}

PhValue *
ph_grad_out (PhGrad *grad, guint i)
{
  return ph_node_output (grad->node, i);
}

PhValue *
ph_grad_like (PhGrad *grad, PhValue *value, double number)
{
  return ph_build_scalar (grad->b, value->type != NULL ? value->type->dtype : PH_FLOAT, number);
}

static PhValue *
build_shape (PhBuilder *b, PhValue *value)
{
  const PhType *type = value->type;
  gint64 dims[PH_MAX_RANK];

  if (type == NULL || !ph_type_is_static (type))
    return PH_BUILD (b, Shape, value);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_build_ints (b, dims, type->rank);
}

PhValue *
ph_grad_shape (PhGrad *grad, PhValue *value)
{
  return build_shape (grad->b, value);
}

PhValue *
ph_build_zeros_like (PhBuilder *b, PhValue *value)
{
  gint64 one = 1;
  PhDType dtype = value->type != NULL ? value->type->dtype : PH_FLOAT;
  PhTensor *zero = ph_tensor_new (dtype, 1, &one);
  PhValue *zeros = PH_BUILD_WITH (b, ConstantOfShape, PH_ATTRS (ph_attr_new_tensor ("value", zero)),
                                  build_shape (b, value));

  ph_tensor_unref (zero);
  return zeros;
}

PhValue *
ph_grad_zeros_like (PhGrad *grad, PhValue *value)
{
  return ph_build_zeros_like (grad->b, value);
}

/* ── what broadcasting added is summed ──────────────────────────────────────────────────────────────────────────── */

/* The axes of @value along which @like has one element or none. FALSE: the shapes do not tell. */
static gboolean
find_reduced_axes (const PhType *value, const PhType *like, gint64 *axes, guint *n_axes)
{
  guint lead;

  *n_axes = 0;
  if (value == NULL || like == NULL || !value->has_rank || !like->has_rank || value->rank < like->rank)
    return FALSE;
  lead = value->rank - like->rank;
  for (guint i = 0; i < value->rank; i++)
    {
      if (i < lead)
        axes[(*n_axes)++] = i;
      else if (!ph_dim_equal (value->dims[i], like->dims[i - lead]))
        {
          if (like->dims[i - lead].size != 1)
            return FALSE;
          axes[(*n_axes)++] = i;
        }
    }
  return TRUE;
}

/* The same at run time. The shape of @like is padded with ones in front; where it then is one, summing is right whether or
 * not @value is longer there. */
static PhValue *
reduce_to_at_run_time (PhBuilder *b, PhValue *value, PhValue *like)
{
  const gint64 one = 1, minus_one = -1;
  PhValue *like_shape = PH_BUILD (b, Shape, like);
  PhValue *rank = PH_BUILD (b, Size, PH_BUILD (b, Shape, value));
  PhValue *missing = PH_BUILD (b, Sub, rank, PH_BUILD (b, Size, like_shape));
  PhTensor *fill = ph_tensor_new_int64s (&one, 1);
  PhValue *ones = PH_BUILD_WITH (b, ConstantOfShape, PH_ATTRS (ph_attr_new_tensor ("value", fill)),
                                 PH_BUILD (b, Reshape, missing, ph_build_ints (b, &one, 1)));
  PhValue *padded = PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ones, like_shape);
  PhValue *is_one = PH_BUILD (b, Equal, padded, ph_build_ints (b, &one, 1));
  PhValue *axes = PH_BUILD (b, Reshape, PH_BUILD (b, NonZero, is_one), ph_build_ints (b, &minus_one, 1));
  PhValue *sum = PH_BUILD_WITH (b, ReduceSum,
                                PH_ATTRS (ph_attr_new_int ("keepdims", 1), ph_attr_new_int ("noop_with_empty_axes", 1)),
                                value, axes);

  ph_tensor_unref (fill);
  /* allowzero: a dimension of zero elements in @like is meant, not "copy". */
  return PH_BUILD_WITH (b, Reshape, PH_ATTRS (ph_attr_new_int ("allowzero", 1)), sum, like_shape);
}

PhValue *
ph_grad_reduce_to (PhBuilder *b, PhValue *value, PhValue *like)
{
  gint64 axes[PH_MAX_RANK];
  guint n_axes, lead;
  PhValue *sum;

  if (value == NULL || b->error != NULL)
    return NULL;
  if (!find_reduced_axes (value->type, like->type, axes, &n_axes))
    return reduce_to_at_run_time (b, value, like);
  if (n_axes == 0)
    return value;
  lead = value->type->rank - like->type->rank;
  if (lead == n_axes)
    return PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), value, ph_build_ints (b, axes, n_axes));
  sum = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), value, ph_build_ints (b, axes, n_axes));
  return lead > 0 ? PH_BUILD (b, Squeeze, sum, ph_build_ints (b, axes, lead)) : sum;
}

/* ── the tape ───────────────────────────────────────────────────────────────────────────────────────────────────── */

struct _PhTape
{
  PhGraph    *graph;
  GHashTable *active;           /* values that depend on a watched one                             */
  GHashTable *arrived;          /* value -> GPtrArray of the gradients that arrived at it          */
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

gboolean
ph_value_has_gradient (const PhValue *value)
{
  return value->type != NULL && value->type->kind == PH_KIND_TENSOR && ph_dtype_is_float (value->type->dtype);
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
  /* In the order in which the graph was walked, so that two runs round alike. */
  sum = list->len == 2 ? PH_BUILD (builder, Add, list->pdata[0], list->pdata[1])
                       : ph_build_node (builder, &ph_op_Sum, (PhValue *const *) list->pdata, list->len, NULL, 1);
  g_ptr_array_set_size (list, 0);
  if (sum != NULL)
    g_ptr_array_add (list, sum);
  return sum;
}

static gboolean
is_active (PhTape *tape, const PhValue *value)
{
  return value != NULL && g_hash_table_contains (tape->active, value) && ph_value_has_gradient (value);
}

static gboolean
stops_gradient (const PhNode *node, guint input)
{
  return node->op != NULL &&
         ((node->op->flags & PH_OP_NO_GRADIENT) != 0 || (input < 32 && (node->op->no_grad >> input & 1) != 0));
}

/* The outer values, of the tape's graph, that the bodies of @node use and that are active. */
static void
collect_captures (PhTape *tape, const PhGraph *body, GPtrArray *captures)
{
  for (guint i = 0; i < body->outputs->len; i++)
    if (is_active (tape, body->outputs->pdata[i]) && ((PhValue *) body->outputs->pdata[i])->graph == tape->graph &&
        !g_ptr_array_find (captures, body->outputs->pdata[i], NULL))
      g_ptr_array_add (captures, body->outputs->pdata[i]);
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *value = node->inputs->pdata[i];
          if (is_active (tape, value) && value->graph == tape->graph && !g_ptr_array_find (captures, value, NULL))
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
  g_autoptr(GPtrArray) captures = find_captures (tape, node);
  gboolean active = captures != NULL && captures->len > 0;

  for (guint i = 0; !active && i < node->inputs->len; i++)
    active = is_active (tape, node->inputs->pdata[i]) && !stops_gradient (node, i);
  for (guint i = 0; active && i < node->outputs->len; i++)
    if (ph_value_has_gradient (node->outputs->pdata[i]))
      g_hash_table_add (tape->active, node->outputs->pdata[i]);
}

static gboolean
not_differentiable (const PhNode *node, const char *why, GError **error)
{
  g_autofree char *label = ph_node_label (node);

  g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s has no gradient: %s", label, why);
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
    return not_differentiable (node, "the operator is not known here; inline its function, or leave it out of the way "
                                     "from the inputs to the output", error);
  for (guint i = 0; i < node->inputs->len && i < PH_MAX_ARGS; i++)
    templates |= op->grad[i] != NULL;

  if (op->grad_build != NULL)
    {
      g_autoptr(GError) local = NULL;

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
    match.slot[i] = ph_node_input (node, i);
  match.slot[14] = grad->dy[0];
  match.slot[15] = ph_node_output (node, 0);
  for (guint i = 0; templates && i < node->inputs->len && i < PH_MAX_ARGS; i++)
    if (grad->wanted[i] && grad->dx[i] == NULL)
      {
        if (op->grad[i] != NULL && grad->dy[0] != NULL)
          grad->dx[i] = ph_pattern_build (op->grad[i], &match, grad->b);
        else if (op->grad[i] == NULL && op->grad_build == NULL)
          {
            g_autofree char *why = g_strdup_printf ("none is declared for its input %u '%s'", i,
                                                    op->inputs[i].name != NULL ? op->inputs[i].name : "");
            return not_differentiable (node, why, error);
          }
      }
  return TRUE;
}

static gboolean
differentiate_node (PhTape *tape, PhNode *node, PhBuilder *builder, const PhTapeHooks *hooks, GError **error)
{
  guint n_in = node->inputs->len, n_out = node->outputs->len;
  g_autofree PhValue **dy = g_new0 (PhValue *, n_out + 1), **dx = g_new0 (PhValue *, n_in + 1), **dcaptures = NULL;
  g_autofree gboolean *wanted = g_new0 (gboolean, n_in + 1);
  g_autoptr(GPtrArray) captures = NULL;
  g_autofree char *name = NULL;
  PhBuilder own = *builder;
  gboolean any = FALSE, some_dy = FALSE, ok;

  for (guint i = 0; i < n_out; i++)
    {
      const GPtrArray *list = g_hash_table_lookup (tape->arrived, node->outputs->pdata[i]);
      some_dy |= list != NULL && list->len > 0;
    }
  if (!some_dy)
    return TRUE;
  captures = find_captures (tape, node);
  for (guint i = 0; i < n_in; i++)
    any |= wanted[i] = is_active (tape, node->inputs->pdata[i]) && !stops_gradient (node, i);
  if (!any && (captures == NULL || captures->len == 0))
    return TRUE;
  if (hooks != NULL && hooks->begin != NULL && !hooks->begin (node, hooks->data))
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_CANCELLED, "differentiation was stopped");
      return FALSE;
    }

  name = g_strdup_printf ("grad_%s", ((PhValue *) node->outputs->pdata[0])->name);
  own.name = name;
  own.role = PH_ROLE_BACKWARD;
  own.partner = node->id;
  for (guint i = 0; i < n_out; i++)
    dy[i] = ph_tape_gradient (tape, &own, node->outputs->pdata[i]);
  dcaptures = g_new0 (PhValue *, captures != NULL ? captures->len + 1 : 1);

  PhGrad grad = { .node = node, .b = &own, .dy = dy, .wanted = wanted, .dx = dx, .captures = captures,
                  .dcaptures = dcaptures };
  ok = own.error == NULL && build_products (&grad, error);
  for (guint i = 0; ok && i < n_in; i++)
    if (wanted[i] && dx[i] != NULL && own.error == NULL)
      {
        PhValue *reduced = ph_grad_reduce_to (&own, dx[i], node->inputs->pdata[i]);
        if (reduced != NULL)
          ph_tape_seed (tape, node->inputs->pdata[i], reduced);
      }
  for (guint i = 0; ok && captures != NULL && i < captures->len; i++)
    if (dcaptures[i] != NULL)
      ph_tape_seed (tape, captures->pdata[i], dcaptures[i]);
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
  g_autoptr(GPtrArray) nodes = g_ptr_array_new ();

  PH_FOREACH_NODE (node, tape->graph)
    {
      spread_activity (tape, node);
      g_ptr_array_add (nodes, node);
    }
  for (guint i = nodes->len; i-- > 0; )
    if (!differentiate_node (tape, nodes->pdata[i], builder, hooks, error))
      return FALSE;
  return TRUE;
}
