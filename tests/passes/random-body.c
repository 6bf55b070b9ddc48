/* random-body.c: If, Loop and Scan for random models, in each other, with what they capture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/infer.h"
#include "random-gen.h"

/* Opens @body: what is generated goes there, until body_end(). Everything of the outside can be captured. */
typedef struct
{
  PhBuilder outer;
  guint n_pool, n_others;
} Body;

static void
body_begin (Gen *gen, Body *body, PhGraph *graph)
{
  *body = (Body) { gen->b, gen->pool->len, gen->others->len };
  gen->b.graph = graph;
  gen->b.before = NULL;
  gen->depth++;
}

static void
body_end (Gen *gen, Body *body)
{
  body->outer.error = gen->b.error;
  gen->b = body->outer;
  gen->depth--;
  g_ptr_array_set_size (gen->pool, body->n_pool);
  g_ptr_array_set_size (gen->others, body->n_others);
}

/* @tensor: (nullable) (transfer full) what it holds in one turn. */
static PhValue *
body_input (Gen *gen, PhGraph *graph, const char *name, const PhType *type, PhTensor *tensor)
{
  PhValue *value = ph_graph_add_input (graph, ph_model_unique_name (gen->model, name), type, NULL, G_MAXUINT, &gen->b.error);

  if (value != NULL)
    g_ptr_array_add (gen->pool, value);
  if (value != NULL && tensor != NULL)
    g_hash_table_insert (gen->tensors, value, tensor);
  return value;
}

static PhTensor *
held (Gen *gen, PhValue *value)
{
  PhTensor *tensor = value->tensor != NULL ? value->tensor : g_hash_table_lookup (gen->tensors, value);

  return tensor != NULL ? ph_tensor_ref (tensor) : NULL;
}

/* Something new of the type of @x. */
static PhValue *
body_value (Gen *gen, PhValue *x)
{
  static const PhOp *const ops[] = { &ph_op_Relu, &ph_op_Tanh, &ph_op_Neg, &ph_op_Identity, &ph_op_Abs, &ph_op_Sigmoid };
  PhValue *z = x;

  for (int k = 1 + gen_below (gen, 4); k > 0; k--)
    gen_add_node (gen);
  for (guint i = gen->pool->len; i-- > 0;)
    {
      PhValue *value = g_ptr_array_index (gen->pool, i);

      if (value->graph == gen->b.graph && value->producer != NULL && value->type == x->type && gen_below (gen, 2))
        {
          z = value;
          break;
        }
    }
  for (int k = 1 + gen_below (gen, 2); k > 0; k--)
    {
      if (gen_below (gen, 2))
        z = PH_BUILD (&gen->b, Add, z, x);
      z = ph_build_node (&gen->b, ops[gen_below (gen, G_N_ELEMENTS (ops))], &z, 1, NULL, 1);
    }
  return z;
}

static PhValue *
float_value (Gen *gen)
{
  for (guint i = 0; i < 8; i++)
    {
      PhValue *value = gen_any (gen);

      if (ph_value_dtype (value) == PH_FLOAT)
        return value;
    }
  return NULL;
}

static PhValue *
condition_value (Gen *gen)
{
  for (guint i = 0; i < 8; i++)
    {
      PhValue *value = gen_any (gen);

      if (ph_value_dtype (value) == PH_BOOL && ph_value_rank (value) == 0)
        return value;
    }
  return ph_build_tensor (&gen->b, gen_tensor (gen, PH_BOOL, 0, NULL));
}

/* Both branches give something of x's type, the second output whatever comes first. */
static gboolean
branch (Gen *gen)
{
  static const char *const attrs[] = { "then_branch", "else_branch" };
  PhValue *x = float_value (gen), *condition = condition_value (gen);
  guint n_outputs = 1 + gen_below (gen, 2);
  PhNode *owner;

  if (x == NULL)
    return FALSE;
  owner = ph_graph_add_node (gen->b.graph,
                             &(PhNodeSpec) { .op = &ph_op_If,
                                             .inputs = &condition,
                                             .n_inputs = 1,
                                             .n_outputs = n_outputs,
                                             .output_types = (const PhType *[]) { x->type, x->type } },
                             &gen->b.error);
  for (guint i = 0; i < 2 && owner != NULL; i++)
    {
      PhGraph *graph = ph_node_add_graph (owner, attrs[i], attrs[i], &gen->b.error);
      Body body;

      if (graph == NULL)
        return FALSE;
      body_begin (gen, &body, graph);
      for (guint k = 0; k < n_outputs; k++)
        {
          PhValue *z = body_value (gen, x);

          if (z != NULL && gen->b.error == NULL)
            ph_graph_set_output (graph, k, z, &gen->b.error);
        }
      body_end (gen, &body);
    }
  for (guint k = 0; owner != NULL && gen->b.error == NULL && k < n_outputs; k++)
    gen_keep (gen, ph_node_output (owner, k));
  return owner != NULL && gen->b.error == NULL;
}

/* A state that changes from turn to turn, a few turns or as many as nobody says, and perhaps what each turn adds to a stack. */
static gboolean
loop (Gen *gen)
{
  PhValue *x = float_value (gen), *inputs[3], *goes_on, *state, *z;
  gboolean stacks = gen_below (gen, 2);
  PhNode *owner;
  PhGraph *graph;
  Body body;

  if (x == NULL)
    return FALSE;
  inputs[0] = ph_build_scalar (&gen->b, PH_INT64, gen_below (gen, 4));
  inputs[1] = gen_below (gen, 2) ? NULL : ph_build_scalar (&gen->b, PH_BOOL, gen_below (gen, 5) != 0);
  inputs[2] = x;
  owner = ph_graph_add_node (gen->b.graph,
                             &(PhNodeSpec) { .op = &ph_op_Loop,
                                             .inputs = inputs,
                                             .n_inputs = 3,
                                             .n_outputs = 1 + stacks,
                                             .output_types = (const PhType *[]) { x->type, NULL } },
                             &gen->b.error);
  if (owner == NULL || (graph = ph_node_add_graph (owner, "body", "body", &gen->b.error)) == NULL)
    return FALSE;
  body_begin (gen, &body, graph);
  body_input (gen, graph, "i", ph_type_tensor (PH_INT64, 0, NULL), ph_tensor_new_scalar (PH_INT64, 0));
  goes_on = body_input (gen, graph, "c", ph_type_tensor (PH_BOOL, 0, NULL), ph_tensor_new_scalar (PH_BOOL, 1));
  state = body_input (gen, graph, "s", x->type, held (gen, x));
  goes_on = PH_BUILD (&gen->b, Identity, goes_on);
  z = gen_below (gen, 6) ? body_value (gen, state) : PH_BUILD (&gen->b, Identity, state);
  if (z != NULL && goes_on != NULL && gen->b.error == NULL && ph_graph_set_output (graph, 0, goes_on, &gen->b.error)
      && ph_graph_set_output (graph, 1, z, &gen->b.error) && stacks)
    {
      z = body_value (gen, gen_below (gen, 2) ? state : x);
      if (z != NULL)
        ph_graph_set_output (graph, 2, z, &gen->b.error);
    }
  body_end (gen, &body);
  if (gen->b.error != NULL || !ph_infer_one (owner, &gen->b.error))
    return FALSE;
  if (stacks)
    gen_keep (gen, ph_node_output (owner, 1));
  return gen_keep (gen, ph_node_output (owner, 0));
}

/* Walks along the first axis of a value, with a state. */
static gboolean
scan (Gen *gen)
{
  PhValue *x = float_value (gen), *y = float_value (gen), *inputs[2], *state, *item, *z, *next;
  gint64 direction = gen_below (gen, 2), dims[PH_MAX_RANK];
  int n_dims;
  PhAttr *attrs[2];
  PhNode *owner;
  PhGraph *graph = NULL;
  Body body;

  if (x == NULL || y == NULL || ph_value_rank (y) < 1)
    return FALSE;
  inputs[0] = x;
  inputs[1] = y;
  attrs[0] = ph_attr_new_int ("num_scan_inputs", 1);
  attrs[1] = ph_attr_new_ints ("scan_input_directions", &direction, 1);
  owner = ph_graph_add_node (gen->b.graph,
                             &(PhNodeSpec) { .op = &ph_op_Scan,
                                             .inputs = inputs,
                                             .n_inputs = 2,
                                             .n_outputs = 2,
                                             .attrs = attrs,
                                             .n_attrs = 2,
                                             .output_types = (const PhType *[]) { x->type, NULL } },
                             &gen->b.error);
  ph_attr_unref (attrs[0]);
  ph_attr_unref (attrs[1]);
  if (owner == NULL || (graph = ph_node_add_graph (owner, "body", "body", &gen->b.error)) == NULL)
    return FALSE;
  body_begin (gen, &body, graph);
  state = body_input (gen, graph, "s", x->type, held (gen, x));
  item = body_input (gen, graph, "item", ph_type_tensor (PH_FLOAT, y->type->rank - 1, y->type->dims + 1), NULL);
  if (item != NULL && (n_dims = gen_dims (gen, y, dims)) > 0)
    g_hash_table_insert (gen->tensors, item, gen_tensor (gen, PH_FLOAT, n_dims - 1, dims + 1));
  next = state != NULL ? body_value (gen, state) : NULL;
  z = item != NULL ? body_value (gen, item) : NULL;
  if (next != NULL && z != NULL && gen->b.error == NULL && ph_graph_set_output (graph, 0, next, &gen->b.error))
    ph_graph_set_output (graph, 1, z, &gen->b.error);
  body_end (gen, &body);
  if (gen->b.error != NULL || next == NULL || z == NULL || !ph_infer_one (owner, &gen->b.error))
    return FALSE;
  gen_keep (gen, ph_node_output (owner, 1));
  return gen_keep (gen, ph_node_output (owner, 0));
}

gboolean
gen_body (Gen *gen)
{
  static gboolean (*const kinds[]) (Gen * gen) = { branch, branch, loop, scan };

  return kinds[gen_below (gen, G_N_ELEMENTS (kinds))](gen);
}
