/* fuse.c: fuses several nodes into one that keeps them as its body.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/fuse.h"

/*       x                    x
 *       |              ┌─────|─────┐
 *     Conv             │   Conv    │
 *       |       =>     │     |     │ ConvRelu
 *     Relu             │   Relu    │
 *       |              └─────|─────┘
 *       y                    y                      */

#define BODY "body"

/* Most nodes searched for a path that leaves a set and returns to it. */
#define FAR 512

static int
by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;

  return (x->order > y->order) - (x->order < y->order);
}

static gboolean
contains (PhNode *const *nodes, guint n, const PhNode *node)
{
  for (guint i = 0; i < n; i++)
    if (nodes[i] == node)
      return TRUE;
  return FALSE;
}

gboolean
ph_nodes_are_convex (PhNode *const *nodes, guint n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  PhGraph *graph = nodes[0]->graph;
  guint64 last = 0;

  for (guint i = 0; i < n; i++)
    {
      last = MAX (last, nodes[i]->order);
      g_ptr_array_add (stack, nodes[i]);
    }

  while (stack->len > 0)
    {
      PhNode *node = g_ptr_array_steal_index (stack, stack->len - 1);
      gboolean member = contains (nodes, n, node);

      for (guint k = 0; k < node->outputs->len; k++)
        {
          PhValue *value = g_ptr_array_index (node->outputs, k);

          for (guint u = 0; u < value->uses->len; u++)
            {
              PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, graph);

              if (user == NULL || user->order > last)
                continue;
              if (contains (nodes, n, user))
                {
                  if (!member)
                    return FALSE;
                }
              else if (g_hash_table_add (seen, user))
                {
                  if (g_hash_table_size (seen) > FAR)
                    return FALSE;
                  g_ptr_array_add (stack, user);
                }
            }
        }
    }
  return TRUE;
}

typedef struct
{
  GPtrArray *nodes;            /* of the set, in program order                  */
  GPtrArray *inputs, *outputs; /* (element-type PhValue) of the set, outside     */
  PhGraph *body;
  GHashTable *inside; /* outer value -> its counterpart in the body */
  PhBuilder *builder;
} Fusion;

static gboolean
is_used_outside (Fusion *self, const PhValue *value)
{
  if (value->n_output_uses > 0)
    return TRUE;
  for (guint u = 0; u < value->uses->len; u++)
    if (!contains ((PhNode *const *) self->nodes->pdata, self->nodes->len, g_array_index (value->uses, PhUse, u).node))
      return TRUE;
  return FALSE;
}

static void
find_border (Fusion *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->nodes->len; i++)
    {
      PhNode *node = g_ptr_array_index (self->nodes, i);

      for (guint k = 0; k < node->inputs->len; k++)
        {
          PhValue *value = g_ptr_array_index (node->inputs, k);

          if (value != NULL
              && !(value->producer != NULL && contains ((PhNode *const *) self->nodes->pdata, self->nodes->len, value->producer))
              && g_hash_table_add (seen, value))
            g_ptr_array_add (self->inputs, value);
        }
      for (guint k = 0; k < node->outputs->len; k++)
        if (is_used_outside (self, g_ptr_array_index (node->outputs, k)))
          g_ptr_array_add (self->outputs, g_ptr_array_index (node->outputs, k));
    }
}

static PhNode *
add_fused_node (Fusion *self, const char *name)
{
  PhNode *last = g_ptr_array_index (self->nodes, self->nodes->len - 1);
  g_autofree const PhType **types = g_new (const PhType *, self->outputs->len);
  g_autofree const char **names = g_new (const char *, self->outputs->len);

  for (guint k = 0; k < self->outputs->len; k++)
    {
      types[k] = ((PhValue *) g_ptr_array_index (self->outputs, k))->type;
      names[k] = ((PhValue *) g_ptr_array_index (self->outputs, k))->name;
    }
  return ph_graph_add_node (last->graph,
                            &(PhNodeSpec) {
                                .op_type = name,
                                .domain = PH_OWN_DOMAIN,
                                .name = last->name,
                                .inputs = (PhValue **) self->inputs->pdata,
                                .n_inputs = self->inputs->len,
                                .n_outputs = self->outputs->len,
                                .output_names = names,
                                .output_types = types,
                                .before = last,
                                .role = last->role,
                                .partner = last->partner,
                                .device = last->device,
                            },
                            &self->builder->error);
}

/* Copies @node into the body; its inputs are looked up by the values of @node's own graph. */
static gboolean
copy_node (Fusion *self, const PhNode *node)
{
  guint n_in = node->inputs->len, n_out = node->outputs->len;
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_in + 1);
  g_autofree const PhType **types = g_new0 (const PhType *, n_out + 1);
  g_autofree const char **names = g_new0 (const char *, n_out + 1);
  PhNode *copy;

  for (guint i = 0; i < n_in; i++)
    if (ph_node_input (node, i) != NULL)
      inputs[i] = g_hash_table_lookup (self->inside, ph_node_input (node, i));
  for (guint k = 0; k < n_out; k++)
    {
      types[k] = ph_node_output (node, k)->type;
      names[k] = ph_node_output (node, k)->name;
    }
  copy = ph_graph_add_node (self->body,
                            &(PhNodeSpec) {
                                .op = node->op,
                                .op_type = node->op_type,
                                .domain = node->domain,
                                .name = node->name,
                                .inputs = inputs,
                                .n_inputs = n_in,
                                .n_outputs = n_out,
                                .output_names = names,
                                .output_types = types,
                                .attrs = (PhAttr *const *) node->attrs->pdata,
                                .n_attrs = node->attrs->len,
                                .role = node->role,
                                .partner = node->partner,
                                .device = node->device,
                                .extra = node->extra,
                            },
                            &self->builder->error);
  if (copy == NULL)
    return FALSE;
  for (guint k = 0; k < n_out; k++)
    g_hash_table_insert (self->inside, ph_node_output (node, k), ph_node_output (copy, k));
  return TRUE;
}

/* Copies the body of a fused node in its place. */
static gboolean
copy_body (Fusion *self, const PhNode *node)
{
  const PhGraph *body = ph_node_graph (node, BODY);

  for (guint i = 0; i < node->inputs->len; i++)
    g_hash_table_insert (self->inside, g_ptr_array_index (body->inputs, i),
                         g_hash_table_lookup (self->inside, ph_node_input (node, i)));
  PH_FOREACH_NODE (inner, body)
    if (!copy_node (self, inner))
      return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    g_hash_table_insert (self->inside, ph_node_output (node, k),
                         g_hash_table_lookup (self->inside, g_ptr_array_index (body->outputs, k)));
  return TRUE;
}

static gboolean
fill_body (Fusion *self)
{
  GError **error = &self->builder->error;
  PhModel *model = self->body->model;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      PhValue *outer = g_ptr_array_index (self->inputs, i);
      PhValue *inner = ph_graph_add_input (self->body, ph_model_unique_name (model, outer->name), outer->type, NULL, G_MAXUINT,
                                           error);

      if (inner == NULL)
        return FALSE;
      g_hash_table_insert (self->inside, outer, inner);
    }
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const PhNode *node = g_ptr_array_index (self->nodes, i);

      if (!(ph_node_is_fused (node) ? copy_body (self, node) : copy_node (self, node)))
        return FALSE;
    }
  for (guint k = 0; k < self->outputs->len; k++)
    if (!ph_graph_set_output (self->body, k, g_hash_table_lookup (self->inside, g_ptr_array_index (self->outputs, k)), error))
      return FALSE;
  return TRUE;
}

/* Redirects all users of the set's outputs to @node, under the old names. */
static gboolean
take_place (Fusion *self, PhNode *node)
{
  GError **error = &self->builder->error;
  PhModel *model = node->graph->model;
  g_autofree const char **names = g_new (const char *, self->outputs->len);
  g_autofree PhId *ids = g_new (PhId, self->nodes->len);

  for (guint k = 0; k < self->outputs->len; k++)
    {
      PhValue *old = g_ptr_array_index (self->outputs, k);

      names[k] = old->name;
      if (!ph_value_replace_uses (old, ph_node_output (node, k), error))
        return FALSE;
    }
  for (guint i = 0; i < self->nodes->len; i++)
    ids[i] = ((PhNode *) g_ptr_array_index (self->nodes, i))->id;
  for (guint i = self->nodes->len; i-- > 0;)
    {
      PhNode *old = ph_model_find_node (model, ids[i]);

      if (old != NULL)
        ph_graph_remove_dead (old);
    }
  for (guint k = 0; k < self->outputs->len; k++)
    if (ph_model_find_value_named (model, names[k]) == NULL && !ph_value_rename (ph_node_output (node, k), names[k], error))
      return FALSE;
  return TRUE;
}

/* After this many nodes an output is assumed to be reached. */
#define ASKED 5000

/* Returns TRUE if an output of the model depends on @value. */
static gboolean
leads_out (PhValue *value)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (stack, value);
  while (stack->len > 0 && g_hash_table_size (seen) < ASKED)
    {
      PhValue *at = g_ptr_array_steal_index (stack, stack->len - 1);
      PhNode *owner = at->graph->owner;

      if (at->n_output_uses > 0 && owner == NULL)
        return TRUE;
      for (guint k = 0; at->n_output_uses > 0 && k < owner->outputs->len; k++)
        if (g_hash_table_add (seen, ph_node_output (owner, k)))
          g_ptr_array_add (stack, ph_node_output (owner, k));
      for (guint u = 0; u < at->uses->len; u++)
        {
          PhNode *user = g_array_index (at->uses, PhUse, u).node;

          for (guint k = 0; k < user->outputs->len; k++)
            if (g_hash_table_add (seen, ph_node_output (user, k)))
              g_ptr_array_add (stack, ph_node_output (user, k));
        }
    }
  return stack->len > 0;
}

/* A fused node computes all its outputs, so an unused one whose computation may fail must not be fused with used ones. */
static gboolean
are_needed_alike (GPtrArray *outputs)
{
  guint n = 0;

  for (guint i = 0; i < outputs->len && outputs->len > 1; i++)
    n += leads_out (outputs->pdata[i]);
  return n == 0 || n == outputs->len;
}

PhNode *
ph_fuse_nodes (PhNode *const *nodes, guint n, const char *name, PhBuilder *builder)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  g_autoptr (GHashTable) inside = g_hash_table_new (NULL, NULL);
  Fusion self = { .nodes = sorted, .inputs = inputs, .outputs = outputs, .inside = inside, .builder = builder };
  PhNode *fused;

  if (builder->error != NULL || n == 0)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      if (nodes[i]->graph != nodes[0]->graph || ph_node_is_tied (nodes[i])
          || (nodes[i]->graphs != NULL && nodes[i]->graphs->len > 0 && !ph_node_is_fused (nodes[i])))
        return NULL;
      g_ptr_array_add (sorted, nodes[i]);
    }
  if (!ph_nodes_are_convex (nodes, n))
    return NULL;

  g_ptr_array_sort (sorted, by_order);
  find_border (&self);
  if (outputs->len == 0 || !are_needed_alike (outputs))
    return NULL;

  fused = add_fused_node (&self, name);
  if (fused == NULL)
    return NULL;
  self.body = ph_node_add_graph (fused, BODY, name, &builder->error);
  if (self.body == NULL || !fill_body (&self) || !take_place (&self, fused))
    return NULL;
  return fused;
}
