/* convert-tuples.c: constructs of MindSpore and TVM without an equal in ONNX: tuples, functions as values, annotations.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"
#include "passes/convert-foreign.h"

#define MAX_ROUNDS 64 /* of functions in each other */
#define MAX_DEPTH  32

static gboolean
is_one_of (const PhNode *node, const char *const *names)
{
  static const char *const domains[] = { "mindspore", "relax", "relay", NULL };

  return node != NULL && g_strv_contains (domains, node->domain) && g_strv_contains (names, node->op_type);
}

static gboolean
makes_tuple (const PhNode *node)
{
  return is_one_of (node, (const char *const[]) { "MakeTuple", "make_tuple", "tuple", NULL });
}

static gboolean
takes_item (const PhNode *node)
{
  return is_one_of (node, (const char *const[]) { "TupleGetItem", "tuple_getitem", "tuple_get_item", NULL });
}

/* Returns the value that @value is an alias of. */
static PhValue *
origin (PhValue *value)
{
  for (guint i = 0; i < MAX_DEPTH && value != NULL && value->producer != NULL; i++)
    {
      const PhNode *node = value->producer;

      if (!is_one_of (node, (const char *const[]) { "bind", "Depend", "Load", NULL }) || node->inputs->len == 0
          || ph_node_input (node, 0) == NULL)
        break;
      value = ph_node_input (node, 0);
    }
  return value;
}

static void
add_elements (PhValue *value, GPtrArray *to, guint depth)
{
  PhValue *source = origin (value);

  if (source != NULL && source->producer != NULL && makes_tuple (source->producer) && depth < MAX_DEPTH)
    for (guint i = 0; i < source->producer->inputs->len; i++)
      add_elements (ph_node_input (source->producer, i), to, depth + 1);
  else
    g_ptr_array_add (to, value);
}

void
ph_foreign_elements (PhValue *value, GPtrArray *to)
{
  add_elements (value, to, 0);
}

/* Returns the index of an item, or -1 if unknown. */
static gint64
item_index (const PhNode *node)
{
  PhTensor *tensor = node->inputs->len > 1 && ph_node_input (node, 1) != NULL ? ph_value_constant (ph_node_input (node, 1))
                                                                              : NULL;
  const gint64 index = tensor != NULL && ph_tensor_count (tensor) == 1 && ph_dtype_is_integer (ph_tensor_dtype (tensor))
                           ? ph_tensor_get_int (tensor, 0)
                           : ph_node_attr_int (node, "index", -1);

  return index >= 0 ? index : ph_node_attr_int (node, "argument_1", -1);
}

/* ── single rewrites; they return FALSE if the pass is stopped ── */

/* Replaces an item of a tuple made in the graph by the corresponding operand. */
static gboolean
take_item (PhPassRun *run, PhNode *node, gboolean *changed)
{
  PhValue *source = node->inputs->len > 0 ? origin (ph_node_input (node, 0)) : NULL, *item;
  const gint64 index = item_index (node);
  PhBuilder b = { .graph = node->graph, .before = node };

  if (source == NULL || source->producer == NULL || node->outputs->len != 1 || !makes_tuple (source->producer) || index < 0
      || index >= source->producer->inputs->len || (item = ph_node_input (source->producer, (guint) index)) == NULL)
    return TRUE;
  if (!ph_pass_begin (run, "tuple-item", node, "An item of a tuple is the value that the tuple was built from."))
    return FALSE;
  if (ph_node_replace_all (node, &item, &b))
    {
      ph_pass_end (run);
      *changed = TRUE;
    }
  else
    ph_pass_abort (run);
  g_clear_error (&b.error);
  return TRUE;
}

/* Gives an operator that returns a tuple one output per item, if only items are used. */
static gboolean
split_result (PhPassRun *run, PhNode *node, gboolean *changed)
{
  static const char *const domains[] = { "mindspore", "relax", "relay", NULL };
  PhValue *tuple = node->outputs->len == 1 ? ph_node_output (node, 0) : NULL;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autofree const PhType **types = NULL;
  PhNode *made;
  gint64 n = 0;
  GError *error = NULL;

  if (tuple == NULL || !g_strv_contains (domains, node->domain) || makes_tuple (node) || takes_item (node) || node->graphs != NULL
      || tuple->n_output_uses > 0 || tuple->uses->len == 0
      || is_one_of (node, (const char *const[]) { "bind", "Depend", "Load", "call", NULL }) || ph_node_is_tied (node))
    return TRUE;
  for (guint i = 0; i < tuple->uses->len; i++)
    {
      const PhUse *use = &g_array_index (tuple->uses, PhUse, i);

      if (!takes_item (use->node) || use->index != 0 || item_index (use->node) < 0 || item_index (use->node) > 255)
        return TRUE;
      n = MAX (n, item_index (use->node) + 1);
      g_ptr_array_add (items, use->node);
    }
  if (!ph_pass_begin (run, "tuple-result", node, "An operator that returns a tuple returns each item as a separate output."))
    return FALSE;
  types = g_new0 (const PhType *, n + 1);
  for (guint i = 0; i < items->len; i++)
    types[item_index (items->pdata[i])] = ph_node_output (items->pdata[i], 0)->type;
  made = ph_graph_add_node (node->graph,
                            &(PhNodeSpec) { .op_type = node->op_type,
                                            .domain = node->domain,
                                            .name = node->name,
                                            .inputs = (PhValue **) node->inputs->pdata,
                                            .n_inputs = node->inputs->len,
                                            .n_outputs = (guint) n,
                                            .output_types = types,
                                            .attrs = (PhAttr *const *) node->attrs->pdata,
                                            .n_attrs = node->attrs->len,
                                            .before = node,
                                            .device = node->device },
                            &error);
  for (guint i = 0; made != NULL && error == NULL && i < items->len; i++)
    {
      PhBuilder b = { .graph = node->graph, .before = items->pdata[i] };
      PhValue *item = ph_node_output (made, (guint) item_index (items->pdata[i]));

      if (!ph_node_replace_all (items->pdata[i], &item, &b) && error == NULL)
        error = g_steal_pointer (&b.error);
      g_clear_error (&b.error);
    }
  if (made != NULL && error == NULL)
    {
      ph_pass_end (run);
      *changed = TRUE;
    }
  else
    ph_pass_abort (run);
  g_clear_error (&error);
  return TRUE;
}

/* Inlines a call of a function defined in the graph. */
static gboolean
write_out (PhPassRun *run, PhNode *node, gboolean *changed)
{
  PhValue *callee = node->inputs->len > 0 && is_one_of (node, (const char *const[]) { "call", NULL })
                        ? origin (ph_node_input (node, 0))
                        : NULL;
  PhGraph *body = callee != NULL && is_one_of (callee->producer, (const char *const[]) { "fn", "function", NULL })
                      ? ph_node_graph (callee->producer, "body")
                      : NULL;
  g_autofree PhValue **out = NULL;
  PhBuilder b = { .graph = node->graph, .before = node };
  gboolean ok = TRUE;

  if (body == NULL || ph_node_attr (node, "callee") != NULL || body->inputs->len != node->inputs->len - 1
      || body->outputs->len != node->outputs->len)
    return TRUE;
  for (guint i = 1; i < node->inputs->len; i++)
    ok = ok && ph_node_input (node, i) != NULL;
  if (!ok)
    return TRUE;
  if (!ph_pass_begin (run, "call", node, "The called function is known, so the call can be inlined."))
    return FALSE;
  out = g_new0 (PhValue *, body->outputs->len + 1);
  if (ph_build_copy (&b, body, (PhValue **) node->inputs->pdata + 1, out, NULL) && ph_node_replace_all (node, out, &b))
    {
      ph_pass_end (run);
      *changed = TRUE;
    }
  else
    ph_pass_abort (run);
  g_clear_error (&b.error);
  return TRUE;
}

/* Returns the function of the model that @partial contains, with its first operands in @to. (nullable) */
static PhFunction *
partial_function (PhModel *model, PhValue *value, GPtrArray *to)
{
  PhValue *source = origin (value);
  const char *name = source != NULL && is_one_of (source->producer, (const char *const[]) { "Partial", NULL })
                         ? ph_node_attr_string (source->producer, "graph_0", NULL)
                         : NULL;

  for (guint i = 0; name != NULL && i < source->producer->inputs->len; i++)
    g_ptr_array_add (to, ph_node_input (source->producer, i));
  return name != NULL ? ph_model_find_function (model, "mindspore", *name == '@' ? name + 1 : name) : NULL;
}

/* Converts MindSpore's call of the function chosen by a Switch to an If whose branches call the two functions. */
static gboolean
call_branch (PhPassRun *run, PhNode *node, gboolean *changed)
{
  static const char *const names[] = { "then_branch", "else_branch" };
  PhValue *chosen = node->inputs->len > 0 && is_one_of (node, (const char *const[]) { "call", NULL })
                        ? origin (ph_node_input (node, 0))
                        : NULL;
  PhNode *choice = chosen != NULL && is_one_of (chosen->producer, (const char *const[]) { "Switch", NULL }) ? chosen->producer
                                                                                                            : NULL,
         *made;
  const PhType *type = ph_node_output (node, 0)->type;
  PhBuilder b = { .graph = node->graph, .before = node };
  PhValue *out, *condition = choice != NULL && choice->inputs->len == 3 ? ph_node_input (choice, 0) : NULL;

  if (condition == NULL || node->outputs->len != 1
      || (ph_value_dtype (condition) != PH_BOOL && ph_value_dtype (condition) != PH_UNDEFINED))
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) operands = g_ptr_array_new ();
      const PhFunction *function = partial_function (run->model, ph_node_input (choice, i + 1), operands);

      if (function == NULL || function->graph->outputs->len != 1
          || function->graph->inputs->len != operands->len + node->inputs->len - 1 || g_ptr_array_find (operands, NULL, NULL))
        return TRUE;
    }
  if (!ph_pass_begin (run, "switch", node, "The call runs one of two functions, as ONNX's If runs one of two branches."))
    return FALSE;
  made = ph_graph_add_node (
      node->graph,
      &(PhNodeSpec) {
          .op = &ph_op_If, .inputs = &condition, .n_inputs = 1, .n_outputs = 1, .output_types = &type, .before = node },
      &b.error);
  for (guint i = 0; made != NULL && b.error == NULL && i < 2; i++)
    {
      g_autoptr (GPtrArray) operands = g_ptr_array_new ();
      const PhFunction *function = partial_function (run->model, ph_node_input (choice, i + 1), operands);
      PhGraph *branch = ph_node_add_graph (made, names[i], names[i], &b.error);
      PhNode *call;

      for (guint k = 1; k < node->inputs->len; k++)
        g_ptr_array_add (operands, ph_node_input (node, k));
      call = branch != NULL ? ph_graph_add_node (branch,
                                                 &(PhNodeSpec) { .op_type = function->name,
                                                                 .domain = "mindspore",
                                                                 .inputs = (PhValue **) operands->pdata,
                                                                 .n_inputs = operands->len,
                                                                 .n_outputs = 1,
                                                                 .output_types = &type },
                                                 &b.error)
                            : NULL;
      if (call != NULL)
        ph_graph_set_output (branch, 0, ph_node_output (call, 0), &b.error);
    }
  out = made != NULL ? ph_node_output (made, 0) : NULL;
  if (out != NULL && b.error == NULL && ph_node_replace_all (node, &out, &b))
    {
      ph_pass_end (run);
      *changed = TRUE;
    }
  else
    ph_pass_abort (run);
  g_clear_error (&b.error);
  return TRUE;
}

/* Returns TRUE if @input is a tuple of which only items are used. */
static gboolean
is_tuple_input (const PhValue *input)
{
  const PhType *type = input->type;

  if (type == NULL || type->kind != PH_KIND_OPAQUE || !g_str_has_prefix (type->name, "R.Tuple(") || input->n_output_uses > 0
      || input->uses->len == 0)
    return FALSE;
  for (guint i = 0; i < input->uses->len; i++)
    {
      const PhUse *use = &g_array_index (input->uses, PhUse, i);

      if (!takes_item (use->node) || use->index != 0 || item_index (use->node) < 0 || item_index (use->node) > G_MAXINT)
        return FALSE;
    }
  return TRUE;
}

/* Returns where the item @index of a tuple comes among those before it, the keys of @items. */
static guint
place_of (GHashTable *items, gint64 index)
{
  GHashTableIter iter;
  gpointer key;
  guint place = 0;

  g_hash_table_iter_init (&iter, items);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    place += GPOINTER_TO_INT (key) < index;
  return place;
}

/* Makes an input of each item that is used of a tuple among the inputs of the main graph. Returns FALSE if the pass is stopped. */
static gboolean
split_inputs (PhPassRun *run, gboolean *changed, GError **error)
{
  PhGraph *graph = run->model->graph;

  for (guint at = 0; at < graph->inputs->len; at++)
    {
      PhValue *input = graph->inputs->pdata[at];
      g_autoptr (GHashTable) items = g_hash_table_new (NULL, NULL);

      if (!is_tuple_input (input))
        continue;
      if (!ph_pass_begin (run, "tuple-input", g_array_index (input->uses, PhUse, 0).node,
                          "A graph in ONNX takes several values instead of a tuple."))
        return FALSE;
      while (input->uses->len > 0)
        {
          PhNode *node = g_array_index (input->uses, PhUse, 0).node;
          PhBuilder b = { .graph = node->graph, .before = node };
          const gint64 index = item_index (node);
          g_autofree char *name = g_strdup_printf ("%s.%" G_GINT64_FORMAT, input->name, index);
          PhValue *item = g_hash_table_lookup (items, GINT_TO_POINTER ((int) index));

          if (item == NULL)
            item = ph_graph_add_input (graph, name, ph_node_output (node, 0)->type, NULL, at + place_of (items, index), error);
          if (item == NULL)
            return FALSE;
          g_hash_table_insert (items, GINT_TO_POINTER ((int) index), item);
          if (!ph_node_replace_all (node, &item, &b))
            {
              g_propagate_error (error, b.error);
              return FALSE;
            }
        }
      if (!ph_graph_remove_value (input, error))
        return FALSE;
      ph_pass_end (run);
      *changed = TRUE;
    }
  return TRUE;
}

/* Replaces tuples among the outputs of the main graph by their items. */
static gboolean
split_outputs (PhPassRun *run)
{
  PhGraph *graph = run->model->graph;
  g_autoptr (GPtrArray) flat = g_ptr_array_new ();
  PhNode *at = NULL;
  gboolean ok = TRUE;

  for (guint i = 0; i < graph->outputs->len; i++)
    {
      PhValue *output = graph->outputs->pdata[i], *source = origin (output);

      if (source->producer != NULL && makes_tuple (source->producer))
        at = source->producer;
      ph_foreign_elements (output, flat);
    }
  for (guint i = 0; i < flat->len; i++)
    ok = ok && flat->pdata[i] != NULL;
  if (at == NULL || flat->len == 0 || !ok)
    return TRUE;
  if (!ph_pass_begin (run, "tuple-output", at, "A graph in ONNX returns several values instead of a tuple."))
    return FALSE;
  for (guint i = 0; ok && i < flat->len; i++)
    ok = ph_graph_set_output (graph, i, flat->pdata[i], NULL);
  ok = ok && ph_graph_truncate_outputs (graph, flat->len, NULL);
  if (ok)
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  return TRUE;
}

/* Returns ids rather than nodes, as a rewrite may remove further nodes. (transfer full) */
static GArray *
node_ids (PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);
  GArray *ids = g_array_sized_new (FALSE, FALSE, sizeof (PhId), nodes->len);

  for (guint i = 0; i < nodes->len; i++)
    g_array_append_val (ids, ((PhNode *) nodes->pdata[i])->id);
  return ids;
}

gboolean
ph_foreign_prepare (PhPassRun *run, GError **error)
{
  gboolean changed = ph_model_opset (run->model, "mindspore") != 0 || ph_model_opset (run->model, "relax") != 0
                     || ph_model_opset (run->model, "relay") != 0;
  gboolean any = changed;

  for (guint round = 0; changed && round < MAX_ROUNDS; round++)
    {
      g_autoptr (GArray) ids = node_ids (run->model);

      changed = FALSE;
      for (guint i = 0; i < ids->len; i++)
        {
          static gboolean (*const rewrites[]) (PhPassRun * run, PhNode * node, gboolean * changed)
              = { take_item, write_out, call_branch, split_result };

          for (guint k = 0; k < G_N_ELEMENTS (rewrites); k++)
            {
              PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

              if (node != NULL && !rewrites[k](run, node, &changed))
                return TRUE;
            }
        }
      if (!split_inputs (run, &changed, error))
        return run->stopped;
    }
  if (any)
    split_outputs (run);
  return TRUE;
}

/* Functions that were inlined have no calls any more. */
static void
drop_functions (PhPassRun *run)
{
  static const char *const domains[] = { "mindspore", "relax.func", "relay.func", "tir.func", NULL };
  PhModel *model = run->model;
  gboolean again = model->functions != NULL && model->graph->outputs->len > 0 && model->graph->last != NULL;

  while (again)
    {
      again = FALSE;
      for (guint i = model->functions->len; i-- > 0;)
        {
          PhFunction *function = model->functions->pdata[i];

          if (!g_strv_contains (domains, function->domain))
            continue;
          if (!ph_pass_begin (run, "not-called", model->graph->last,
                              "All calls of the function have been inlined, so the function is dead."))
            return;
          if (ph_model_remove_function (function, NULL)) /* not one that is called */
            {
              ph_pass_end (run);
              again = TRUE;
            }
          else
            ph_pass_abort (run);
        }
    }
}

gboolean
ph_foreign_finish (PhPassRun *run, GError **error)
{
  static const char *const names[] = { "MakeTuple", "make_tuple", "tuple",   "UpdateState", "Constant", "Value",
                                       "ValueNode", "const",      "fn",      "function",    "shape",    "prim_value",
                                       "operator",  "global",     "Partial", "Switch",      "U",        "IO",
                                       "Return",    "int64",      NULL };
  g_autoptr (GArray) ids = node_ids (run->model);

  for (guint i = ids->len; i-- > 0 && !run->stopped;)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));
      gboolean used = !is_one_of (node, names) || ph_node_is_tied (node);

      for (guint k = 0; !used && k < node->outputs->len; k++)
        used = used || ph_value_n_uses (node->outputs->pdata[k]) > 0;
      if (used)
        continue;
      if (!ph_pass_begin (run, "says-nothing", node, "It is dead: nothing uses its result, and it has no effect."))
        return TRUE;
      if (!ph_graph_remove_node (node, error))
        return FALSE;
      ph_pass_end (run);
    }
  if (!run->stopped)
    drop_functions (run);
  return TRUE;
}
