/* tf-graph.c: nodes of TensorFlow and the edges between them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tensorflow/tf.h"

#include <string.h>

#define MAX_OUTPUTS 100000

static void
free_node (gpointer data)
{
  PhTfNode *node = data;

  g_free (node->device);
  g_ptr_array_unref (node->raw);
  g_array_unref (node->inputs);
  g_clear_pointer (&node->back, g_array_unref);
  g_array_unref (node->attrs);
  g_clear_pointer (&node->cond, ph_tf_graph_free);
  g_clear_pointer (&node->body, ph_tf_graph_free);
  g_free (node);
}

PhTfGraph *
ph_tf_graph_new (const char *name)
{
  PhTfGraph *graph = g_new0 (PhTfGraph, 1);

  graph->name = ph_intern (name);
  graph->nodes = g_ptr_array_new_with_free_func (free_node);
  graph->by_name = g_hash_table_new (NULL, NULL);
  graph->args = g_ptr_array_new ();
  graph->outputs = g_array_new (FALSE, FALSE, sizeof (PhTfEdge));
  return graph;
}

void
ph_tf_graph_free (PhTfGraph *graph)
{
  g_ptr_array_unref (graph->nodes);
  g_hash_table_unref (graph->by_name);
  g_ptr_array_unref (graph->args);
  g_array_unref (graph->outputs);
  g_free (graph);
}

PhTfNode *
ph_tf_node_new (PhTfGraph *graph, const char *name, const char *op)
{
  PhTfNode *node = g_new0 (PhTfNode, 1);

  node->name = ph_intern (name);
  node->op = ph_intern (op);
  node->raw = g_ptr_array_new_with_free_func (g_free);
  node->inputs = g_array_new (FALSE, FALSE, sizeof (PhTfEdge));
  node->attrs = g_array_new (FALSE, FALSE, sizeof (PhTfAttr));
  node->n_outputs = 1;
  g_ptr_array_add (graph->nodes, node);
  g_hash_table_insert (graph->by_name, (gpointer) node->name, node);
  return node;
}

gboolean
ph_tf_node_attr (const PhTfNode *node, const char *name, PhSpan *value)
{
  const char *interned = ph_intern (name);

  for (guint i = 0; i < node->attrs->len; i++)
    if (g_array_index (node->attrs, PhTfAttr, i).name == interned)
      {
        *value = g_array_index (node->attrs, PhTfAttr, i).value;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_node (PhTfFile *file, PhTfGraph *graph, PhSpan message, GError **error)
{
  g_autofree char *raw_name = ph_wire_string (message, 1), *raw_op = ph_wire_string (message, 2),
                  *name = g_utf8_make_valid (raw_name, -1), *op = g_utf8_make_valid (raw_op, -1);
  PhTfNode *node;

  if (*name == '\0' || *op == '\0')
    return ph_source_fail (file->source, error, PH_ERROR_FILE, NULL,
                           "node %u of graph '%s' has no %s: not a TensorFlow graph, or a damaged one", graph->nodes->len,
                           graph->name, *name == '\0' ? "name" : "operator");
  if (g_hash_table_contains (graph->by_name, ph_intern (name)))
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "graph '%s' has two nodes named '%s'", graph->name, name);
  node = ph_tf_node_new (graph, name, op);
  node->line = file->text ? (guint) ph_wire_number (message, PH_TF_LINE, 0) : 0;
  PH_WIRE_FOREACH (field, message)
    if (field.id == 3)
      {
        g_autofree char *text = ph_span_to_string (field.span);

        g_ptr_array_add (node->raw, g_utf8_make_valid (text, -1));
      }
    else if (field.id == 4 && node->device == NULL && field.span.size > 0)
      {
        g_autofree char *text = ph_span_to_string (field.span);

        node->device = g_utf8_make_valid (text, -1);
      }
    else if (field.id == 5)
      {
        g_autofree char *key = ph_wire_string (field.span, 1), *valid = g_utf8_make_valid (key, -1);
        const PhTfAttr attr = { ph_intern (valid), ph_wire_message (field.span, 2) };

        if (*valid != '\0')
          g_array_append_val (node->attrs, attr);
      }
  return TRUE;
}

gboolean
ph_tf_parse_nodes (PhTfFile *file, PhTfGraph *graph, PhSpan message, guint id, GError **error)
{
  PH_WIRE_FOREACH (field, message)
    if (field.id == id)
      {
        if (field.type != PH_WIRE_BYTES)
          return ph_source_fail (file->source, error, PH_ERROR_FILE, NULL, "not a TensorFlow graph, or a damaged one");
        if (g_cancellable_set_error_if_cancelled (file->source->cancellable, error)
            || !parse_node (file, graph, field.span, error))
          return FALSE;
      }
  return TRUE;
}

/* ── edges ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Names of outputs, for "node:name:index" inside of functions where the file does not declare its operators. */
/* clang-format off */
static const struct { const char *op; const char *outputs[6]; } many[] = {
  { "FusedBatchNorm", { "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2" } },
  { "FusedBatchNormV2", { "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2" } },
  { "FusedBatchNormV3", { "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3" } },
  { "TopKV2", { "values", "indices" } }, { "TopK", { "values", "indices" } }, { "Unique", { "y", "idx" } }, { "UniqueV2", { "y", "idx" } },
  { "UniqueWithCounts", { "y", "idx", "count" } }, { "Switch", { "output_false", "output_true" } }, { "Merge", { "output", "value_index" } },
  { "RefSwitch", { "output_false", "output_true" } }, { "RefMerge", { "output", "value_index" } },
  { "SparseSoftmaxCrossEntropyWithLogits", { "loss", "backprop" } }, { "SoftmaxCrossEntropyWithLogits", { "loss", "backprop" } },
  { "NonMaxSuppressionV4", { "selected_indices", "valid_outputs" } },
  { "NonMaxSuppressionV5", { "selected_indices", "selected_scores", "valid_outputs" } },
  { "CombinedNonMaxSuppression", { "nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections" } },
  { "Svd", { "s", "u", "v" } }, { "Qr", { "q", "r" } }, { "SelfAdjointEigV2", { "e", "v" } }, { "Lu", { "lu", "p" } },
  { "MaxPoolWithArgmax", { "output", "argmax" } }, { "LSTMBlockCell", { "i", "cs", "f", "o", "ci", "co" } },
  { "TensorArrayV3", { "handle", "flow" } }, { "TensorArraySplit", { "flow_out" } }, { "ListDiff", { "out", "idx" } },
  { "Moments", { "mean", "variance" } }, { "LogUniformCandidateSampler", { "sampled_candidates", "true_expected_count", "sampled_expected_count" } },
  { "TensorListPopBack", { "output_handle", "tensor" } }, { "TensorListConcatV2", { "tensor", "lengths" } },
  { "Frexp", { "significand", "exponent" } }, { "Dequantize", { "output" } }, { "QuantizeV2", { "output", "output_min", "output_max" } },
  { "QuantizedConv2D", { "output", "min_output", "max_output" } }, { "QuantizedMatMul", { "out", "min_out", "max_out" } },
  { "Requantize", { "output", "output_min", "output_max" } }, { "RequantizationRange", { "output_min", "output_max" } },
  { "CudnnRNNV2", { "output", "output_h", "output_c", "reserve_space", "host_reserved" } },
  { "CudnnRNNV3", { "output", "output_h", "output_c", "reserve_space", "host_reserved" } },
};
/* clang-format on */

/* Returns the index of a named output; 0 if it is unknown, since most operators have one output. */
static guint
output_by_name (PhTfFile *file, const PhTfNode *node, const char *name)
{
  char **declared = g_hash_table_lookup (file->op_outputs, node->op);
  PhSpan *function = g_hash_table_lookup (file->functions, node->op);
  guint i = 0;

  for (guint j = 0; declared != NULL && declared[j] != NULL; j++)
    if (strcmp (declared[j], name) == 0)
      return j;
  for (guint j = 0; declared == NULL && j < G_N_ELEMENTS (many); j++)
    if (strcmp (many[j].op, node->op) == 0)
      for (guint k = 0; k < G_N_ELEMENTS (many[j].outputs) && many[j].outputs[k] != NULL; k++)
        if (strcmp (many[j].outputs[k], name) == 0)
          return k;
  if (function != NULL)
    PH_WIRE_FOREACH (field, ph_wire_message (*function, 1))
      if (field.id == 3)
        {
          if (ph_span_is (ph_wire_message (field.span, 1), name))
            return i;
          i++;
        }
  return 0;
}

static guint
parse_index (const char *text)
{
  const guint64 index = g_ascii_strtoull (text, NULL, 10);

  return (guint) MIN (index, MAX_OUTPUTS);
}

PhTfEdge
ph_tf_resolve_name (PhTfFile *file, PhTfGraph *graph, const char *text, gboolean in_function)
{
  const gboolean control = *text == '^';
  g_autofree char *name = g_strdup (control ? text + 1 : text);
  char *colon = strchr (name, ':'), *second = colon != NULL ? strchr (colon + 1, ':') : NULL;
  const PhTfNode *node;
  guint output = 0;

  if (colon != NULL)
    *colon = '\0';
  if (second != NULL)
    *second = '\0';
  node = g_hash_table_lookup (graph->by_name, ph_intern (name));
  if (colon != NULL && (g_ascii_isdigit (colon[1]) || colon[1] == '\0' || !in_function))
    output = parse_index (colon + 1);
  else if (colon != NULL && node != NULL)
    output = MIN (output_by_name (file, node, colon + 1) + (second != NULL ? parse_index (second + 1) : 0), MAX_OUTPUTS);
  return (PhTfEdge) { ph_intern (name), control ? 0 : output, control };
}

/* Sets the number of each node's outputs: those in use, and at least as many as "_output_shapes" lists. */
static void
count_outputs (PhTfGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i];
      PhSpan shapes;
      guint n = 0;

      if (ph_tf_node_attr (node, "_output_shapes", &shapes))
        PH_WIRE_FOREACH (field, ph_wire_message (shapes, 1))
          n += field.id == 7 ? 1 : 0;
      node->n_outputs = MAX (node->n_outputs, MIN (n, MAX_OUTPUTS));
      for (guint j = 0; j < node->inputs->len; j++)
        {
          const PhTfEdge *edge = &g_array_index (node->inputs, PhTfEdge, j);
          PhTfNode *from = g_hash_table_lookup (graph->by_name, edge->from);

          if (from != NULL && edge->output < MAX_OUTPUTS)
            from->n_outputs = MAX (from->n_outputs, edge->output + 1);
        }
    }
}

gboolean
ph_tf_resolve (PhTfFile *file, PhTfGraph *graph, gboolean in_function, GError **error)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i];

      for (guint j = 0; j < node->raw->len; j++)
        {
          const PhTfEdge edge = ph_tf_resolve_name (file, graph, node->raw->pdata[j], in_function);
          const PhTfNode *from = g_hash_table_lookup (graph->by_name, edge.from);

          if (from == NULL && !edge.control)
            return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                                   "node '%s' (%s) of graph '%s' uses '%s', but there is no node of "
                                   "that name",
                                   node->name, node->op, graph->name, (char *) node->raw->pdata[j]);
          if (edge.output >= 1024 && edge.output >= graph->nodes->len)
            return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                                   "node '%s' of graph '%s' uses '%s': there cannot be so many outputs", node->name, graph->name,
                                   (char *) node->raw->pdata[j]);
          if (from != NULL)
            g_array_append_val (node->inputs, edge);
        }
      g_ptr_array_set_size (node->raw, 0);
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      const PhTfEdge *edge = &g_array_index (graph->outputs, PhTfEdge, i);
      PhTfNode *from = g_hash_table_lookup (graph->by_name, edge->from);

      if (from != NULL && edge->output < MAX (1024, graph->nodes->len))
        from->n_outputs = MAX (from->n_outputs, edge->output + 1);
    }
  count_outputs (graph);
  return TRUE;
}

/* ── functions ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
add_argument (PhTfGraph *graph, PhSpan argument)
{
  g_autofree char *raw = ph_wire_string (argument, 1), *name = g_utf8_make_valid (raw, -1);
  PhTfNode *node;

  if (*name == '\0' || g_hash_table_contains (graph->by_name, ph_intern (name)))
    return;
  node = ph_tf_node_new (graph, name, "_Arg");
  g_array_append_val (node->attrs, ((PhTfAttr) { ph_intern ("ArgDef"), argument }));
  g_ptr_array_add (graph->args, node);
}

/* Returns the value that the function returns as its output @name. */
static char *
find_return (PhSpan function, const char *name)
{
  PH_WIRE_FOREACH (field, function)
    if (field.id == 4 && ph_span_is (ph_wire_message (field.span, 1), name))
      return ph_wire_string (field.span, 2);
  return g_strdup (name);
}

/* Reads the shapes of the arguments, which arg_attr (field 7) lists by index. */
static void
read_argument_attrs (PhTfGraph *graph, PhSpan function)
{
  PH_WIRE_FOREACH (field, function)
    if (field.id == 7 && field.type == PH_WIRE_BYTES)
      {
        const guint64 index = ph_wire_number (field.span, 1, 0);
        PhTfNode *node = index < graph->args->len ? graph->args->pdata[index] : NULL;

        if (node != NULL)
          PH_WIRE_FOREACH (attr, ph_wire_message (field.span, 2))
            if (attr.id == 1 && ph_span_is (ph_wire_message (attr.span, 1), "_output_shapes"))
              g_array_append_val (node->attrs, ((PhTfAttr) { ph_intern ("_output_shapes"), ph_wire_message (attr.span, 2) }));
      }
}

PhTfGraph *
ph_tf_parse_function (PhTfFile *file, PhSpan function, GError **error)
{
  const PhSpan signature = ph_wire_message (function, 1);
  g_autofree char *raw = ph_wire_string (signature, 1), *name = g_utf8_make_valid (raw, -1);
  g_autoptr (PhTfGraph) graph = ph_tf_graph_new (name);

  PH_WIRE_FOREACH (field, signature)
    if (field.id == 2)
      add_argument (graph, field.span);
  read_argument_attrs (graph, function);
  if (!ph_tf_parse_nodes (file, graph, function, 3, error))
    return NULL;
  PH_WIRE_FOREACH (field, signature)
    if (field.id == 3)
      {
        g_autofree char *output = ph_wire_string (field.span, 1), *from = find_return (function, output),
                        *valid = g_utf8_make_valid (from, -1);
        const PhTfEdge edge = ph_tf_resolve_name (file, graph, valid, TRUE);

        if (!g_hash_table_contains (graph->by_name, edge.from))
          return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                                 "function '%s' returns '%s', but has no node of that name", name, valid),
                 NULL;
        g_array_append_val (graph->outputs, edge);
      }
  return ph_tf_resolve (file, graph, TRUE, error) ? g_steal_pointer (&graph) : NULL;
}
