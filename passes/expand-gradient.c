/* expand-gradient.c: expands ONNX's Gradient operator into a backward graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"
#include "core/ops/grad.h"
#include "core/run/executor.h"
#include "passes/hand-over.h"
#include "passes/run.h"

static const char why[]
    = "Gradient only names the ends of a function; the backward graph computes its derivative in any runtime.";

/*    a ──► Add ──► c          Gradient <xs = ["a"], y = "c"> (a)
 *    b ──┘                             │
 *                                      ▼
 *                          a copy of the nodes between a and c, on the operator's inputs,
 *                          and its backward graph, from a gradient of ones                  */

/* Collects the values of the graph that attribute @attr names. Returns FALSE with the error in @b. */
static gboolean
add_named (PhNode *node, const char *attr, GPtrArray *values, PhBuilder *b)
{
  const PhAttr *names = ph_node_attr (node, attr);

  for (gsize i = 0; names != NULL && i < names->n; i++)
    {
      gsize size;
      const char *data = g_bytes_get_data (names->strings[i], &size);
      g_autofree char *name = g_strndup (data != NULL ? data : "", size);
      PhValue *value = ph_model_find_value_named (node->graph->model, name);

      if (value == NULL || value->graph != node->graph)
        return ph_node_fail (node, &b->error, PH_ERROR_NOT_FOUND, "%s names '%s', which is not a value of its graph", attr, name);
      g_ptr_array_add (values, value);
    }
  return TRUE;
}

/* Returns the nodes that depend on the values in @map. */
static GHashTable *
find_dependents (PhGraph *graph, GHashTable *map)
{
  GHashTable *nodes = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) queue = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, map);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (queue, key);
  while (queue->len > 0)
    {
      PhValue *value = g_ptr_array_steal_index_fast (queue, queue->len - 1);

      for (guint i = 0; i < value->uses->len; i++)
        {
          PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, i).node, graph);

          if (user != NULL && g_hash_table_add (nodes, user))
            for (guint k = 0; k < user->outputs->len; k++)
              if (!g_hash_table_contains (map, ph_node_output (user, k)))
                g_ptr_array_add (queue, ph_node_output (user, k));
        }
    }
  return nodes;
}

static void
add_reads (PhNode *node, GHashTable *values)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL)
      g_hash_table_add (values, ph_node_input (node, i));
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    PH_FOREACH_NODE (inner, (PhGraph *) g_ptr_array_index (node->graphs, i))
      add_reads (inner, values);
}

static gboolean
is_needed (const PhNode *node, GHashTable *needed, GHashTable *map)
{
  for (guint i = 0; i < node->outputs->len; i++)
    if (g_hash_table_contains (needed, ph_node_output (node, i)) && !g_hash_table_contains (map, ph_node_output (node, i)))
      return TRUE;
  return FALSE;
}

/* Copies the nodes between the values in @map and @y to before @place; @map then contains the copy of @y. */
static gboolean
copy_path (PhNode *place, PhValue *y, GHashTable *map, GError **error)
{
  g_autoptr (GHashTable) dependents = find_dependents (place->graph, map), needed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) path = g_ptr_array_new ();

  g_hash_table_add (needed, y);
  for (PhNode *node = place->prev; node != NULL; node = node->prev)
    if (g_hash_table_contains (dependents, node) && is_needed (node, needed, map))
      {
        g_ptr_array_add (path, node);
        add_reads (node, needed);
      }
  while (path->len > 0)
    if (ph_copy_node (g_ptr_array_steal_index (path, path->len - 1), place->graph, place, map, error) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
expand (PhNode *node, PhBuilder *b)
{
  PhGraph *graph = node->graph;
  PhValue *y = ph_model_find_value_named (graph->model, ph_node_attr_string (node, "y", ""));
  const guint n_given = node->inputs->len, n_outputs = node->outputs->len;
  const PhId first = graph->model->next_id;
  g_autoptr (GPtrArray) named = g_ptr_array_new (), inputs = g_ptr_array_new ();
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  g_autoptr (PhTape) tape = ph_tape_new (graph);
  g_autofree PhValue **results = g_new0 (PhValue *, n_outputs + 1);
  g_autofree char *label = ph_node_label (node);
  guint n_xs;

  if (!add_named (node, "xs", named, b))
    return FALSE;
  n_xs = named->len;
  if (!add_named (node, "zs", named, b))
    return FALSE;
  if (y == NULL || y->graph != graph || !ph_value_has_gradient (y) || named->len != n_given || n_outputs > n_xs)
    {
      g_set_error (&b->error, PH_ERROR, PH_ERROR_TYPE,
                   "%s: needs a floating-point value of its graph named by y, an input for each of xs "
                   "and zs, and at most an output for each of xs",
                   label);
      return FALSE;
    }

  /* Setting y as an input moves its producers before the node. */
  if (!ph_node_set_input (node, n_given, y, &b->error))
    return FALSE;
  for (guint i = 0; i < n_given && b->error == NULL; i++)
    {
      PhValue *input = PH_BUILD (b, Identity, ph_node_input (node, i));

      g_ptr_array_add (inputs, input);
      g_hash_table_insert (map, named->pdata[i], input);
      if (i < n_xs && input != NULL)
        ph_tape_watch (tape, input);
    }
  if (b->error != NULL || !copy_path (node, y, map, &b->error))
    return FALSE;
  if (g_hash_table_contains (map, y))
    {
      y = g_hash_table_lookup (map, y);
      ph_tape_seed (tape, y, PH_BUILD (b, Add, ph_build_zeros_like (b, y), ph_build_scalar (b, y->type->dtype, 1)));
    }
  if (b->error != NULL || !ph_tape_run (tape, b, NULL, &b->error))
    return FALSE;
  for (guint i = 0; i < n_outputs && b->error == NULL; i++)
    {
      results[i] = ph_tape_gradient (tape, b, inputs->pdata[i]);
      if (results[i] == NULL && b->error == NULL)
        results[i] = ph_build_zeros_like (b, inputs->pdata[i]);
    }
  /* Others may name y too: it must not go with this node, even if nothing reads it. */
  return b->error == NULL && ph_node_truncate_inputs (node, n_given, &b->error)
         && (!ph_node_is_tied (node) || ph_node_hand_over (node, first, &b->error)) && ph_node_replace_all (node, results, b);
}

/* Returns TRUE if the value that @node differentiates depends on another Gradient, which must be expanded first. */
static gboolean
waits (PhNode *node)
{
  PhValue *y = ph_model_find_value_named (node->graph->model, ph_node_attr_string (node, "y", ""));
  g_autoptr (GHashTable) needed = g_hash_table_new (NULL, NULL);

  if (y == NULL)
    return FALSE;
  g_hash_table_add (needed, y);
  for (PhNode *other = node->graph->last; other != NULL; other = other->prev)
    for (guint k = 0; k < other->outputs->len; k++)
      if (g_hash_table_contains (needed, ph_node_output (other, k)))
        {
          if (other->op == &ph_op_Gradient && other != node)
            return TRUE;
          add_reads (other, needed);
          break;
        }
  return FALSE;
}

/* Replaces fused nodes by their bodies before differentiation. */
static gboolean
unfuse (PhGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) fused = g_ptr_array_new ();

  PH_FOREACH_NODE (node, graph)
    if (ph_node_is_fused (node))
      g_ptr_array_add (fused, node);
  for (guint i = 0; i < fused->len; i++)
    if (!ph_graph_inline_node (fused->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
expand_gradients (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = NULL;
  gboolean found = TRUE;

  if (ph_model_opset (run->model, ph_op_Gradient.domain) == 0)
    return TRUE;
  while (found)
    {
      g_clear_pointer (&nodes, g_ptr_array_unref);
      nodes = ph_model_nodes (run->model);
      found = FALSE;
      for (guint i = 0; i < nodes->len && !found; i++)
        {
          PhNode *node = g_ptr_array_index (nodes, i);
          PhBuilder b = { .graph = node->graph, .before = node, .role = PH_ROLE_BACKWARD, .device = node->device };

          if (node->op != &ph_op_Gradient || waits (node))
            continue;
          if (!ph_pass_begin (run, "expand-gradient", node, why))
            return TRUE;
          found = unfuse (node->graph, &b.error) && expand (node, &b);
          if (found)
            ph_pass_end (run);
          else
            ph_pass_abort (run);
          if (!ph_builder_finish (&b, error))
            return FALSE;
        }
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "expand-gradient", .matches = "Gradient(xs, y)", .becomes = "the backward graph from y to xs", .why = why },
};

/* clang-format off */
const PhPass ph_pass_expand_gradient = {
  .name = "expand-gradient", .group = "autodiff", .summary = "Expands the operator Gradient into the backward graph that it stands for",
  .keeps_values = TRUE,
  .elsewhere = "JAX grad; TVM Gradient; MindSpore ad",
  .trap = "it reads names, and two values that are equal have different derivatives: it runs before anything that "
          "renames or merges, and other passes refuse a model that has a Gradient.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = expand_gradients,
};
/* clang-format on */

static gboolean
expand_for_run (PhModel *model, PhHistory *history, GCancellable *cancellable, GError **error)
{
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.cancellable = cancellable;
  return ph_pass_run (&ph_pass_expand_gradient, model, history, &options, error);
}

static void __attribute__ ((constructor)) hand_down (void)
{
  ph_run_set_gradient_expander (expand_for_run);
}
