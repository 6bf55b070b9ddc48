/* tensorflow.c: GraphDef, MetaGraphDef and SavedModel, binary and as text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/tensorflow/tf.h"
#include "core/ops/op.h"

/* Detects a file by its first field. A GraphDef begins with a node (or the library, or the versions), a MetaGraphDef with its information,
 * a SavedModel with its version and a MetaGraphDef. An ONNX model also begins with a version, but a string follows. */
static guint
probe_binary (const guint8 *head, gsize size)
{
  const PhSpan span = { head, size };
  PhWireField field, inner;
  gsize at = 0, inside = 0;
  guint64 length = 0;
  guint shift = 0;

  if (size < 4)
    return 0;
  if (head[0] == 0x08 && head[1] == 0x01 && head[2] == 0x12)
    {
      for (at = 3; at < size && shift < 63; shift += 7)
        {
          length |= (guint64) (head[at] & 0x7f) << shift;
          if ((head[at++] & 0x80) == 0)
            break;
        }
      if (length > 200 && at < size && head[at] <= 0x3a && (head[at] & 7) == 2) /* the parts of a MetaGraphDef in another order */
        return 80;
      return length > 1 && at < size && (head[at] == 0x0a || head[at] == 0x12) ? 80 : 0;
    }
  if (head[0] != 0x0a && head[0] != 0x12 && head[0] != 0x22)
    return 0;
  /* The node may extend past the head of the file: examine the part that is there. */
  if (!ph_wire_next (span, &at, &field))
    {
      for (at = 1; at < size && (head[at] & 0x80) != 0; at++)
        ;
      if (++at >= size)
        return 0;
      field.id = head[0] >> 3;
      field.span = (PhSpan) { head + at, size - at };
    }
  if (field.id == 4)
    return 20;
  if (!ph_wire_next (field.span, &inside, &inner) || inner.type != PH_WIRE_BYTES)
    return field.id == 1 && field.span.size > 1 && field.span.data[0] == 0x12 ? 70
                                                                              : 0; /* operators that are longer than the head */
  if (inner.id == 2 && field.id == 1)
    return 70;
  if (field.id == 2)
    return inner.id == 1 && inner.span.size > 1 && inner.span.data[0] == 0x0a ? 60 : 0;
  if (inner.id != 1 || inner.span.size == 0 || !g_utf8_validate ((const char *) inner.span.data, (gssize) inner.span.size, NULL))
    return 0;
  if (!ph_wire_next (field.span, &inside, &inner) || inner.id != 2 || inner.type != PH_WIRE_BYTES || inner.span.size == 0)
    return 0;
  /* Inputs (strings), a device or attributes follow the operator's name; hlo.proto has messages there. */
  if (!g_ascii_isalpha (inner.span.data[0]) && inner.span.data[0] != '_')
    return inner.span.data[0] == 0x0a ? 65 : 0;
  return 65;
}

static guint
probe_text (const char *text)
{
  static const char *const words[]
      = { "node {",      "node{",         "node <", "library {", "versions {", "meta_info_def {", "saved_model_schema_version",
          "graph_def {", "meta_graphs {", NULL };

  while (*text == '#' || g_ascii_isspace (*text))
    if (*text == '#')
      while (*text != '\0' && *text != '\n')
        text++;
    else
      text++;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_str_has_prefix (text, words[i]))
      return 75;
  return 0;
}

static gboolean
is_text (const guint8 *head, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (head[i] < 0x20 && (head[i] == 0 || strchr ("\t\n\r\f", head[i]) == NULL))
      return FALSE;
  return TRUE;
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  if (g_str_has_suffix (name, ".hlo.pb") || g_str_has_suffix (name, ".mindir") || g_str_has_suffix (name, ".onnx") || size == 0)
    return 0;
  if (is_text (head, size))
    {
      g_autofree char *text = g_strndup ((const char *) head, size);

      return probe_text (text);
    }
  return probe_binary (head, size);
}

/* ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns TRUE for the list of operators of a MetaInfoDef; in a node this field is its own name. */
static gboolean
is_op_list (PhWireField field)
{
  return field.id == 2 && field.type == PH_WIRE_BYTES
         && (field.span.size == 0 || (field.span.data[0] == 0x0a && ph_wire_is_message (field.span, 1)));
}

/* Finds the GraphDef in a file; @meta has size 0 if it is not within a MetaGraphDef. */
static PhSpan
find_graph (PhSource *source, PhSpan whole, PhSpan *meta)
{
  PhWireField first = { 0 }, inner = { 0 };
  gsize at = 0, inside = 0;
  guint n = 0;

  *meta = (PhSpan) { whole.data, 0 };
  if (ph_wire_next (whole, &at, &first) && first.type == PH_WIRE_VARINT && first.id == 1)
    {
      PH_WIRE_FOREACH (field, whole)
        if (field.id == 2 && field.type == PH_WIRE_BYTES && n++ == 0)
          *meta = field.span;
      if (n > 1)
        ph_source_problem (source, "The first of the %u graphs of the SavedModel is shown", n);
      return ph_wire_message (*meta, 2);
    }
  if (first.id == 1 && ph_wire_next (first.span, &inside, &inner)
      && (is_op_list (inner) || (ph_wire_next (first.span, &inside, &inner) && is_op_list (inner))))
    {
      *meta = whole;
      return ph_wire_message (whole, 2);
    }
  return whole;
}

/* Reads the operators of the file by the names of their outputs. */
static void
read_operators (PhTfFile *file, PhSpan meta)
{
  PH_WIRE_FOREACH (op, ph_wire_message (ph_wire_message (meta, 1), 2))
    if (op.id == 1 && op.type == PH_WIRE_BYTES)
      {
        g_autofree char *name = ph_wire_string (op.span, 1), *valid = g_utf8_make_valid (name, -1);
        g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (g_free);

        PH_WIRE_FOREACH (field, op.span)
          if (field.id == 3)
            g_ptr_array_add (outputs, ph_wire_string (field.span, 1));
        g_ptr_array_add (outputs, NULL);
        g_hash_table_insert (file->op_outputs, (gpointer) ph_intern (valid), g_ptr_array_steal (outputs, NULL));
      }
}

static gboolean
read_functions (PhTfFile *file, PhSpan library, GPtrArray *order, GError **error)
{
  PH_WIRE_FOREACH (field, library)
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_wire_string (ph_wire_message (field.span, 1), 1), *name = g_utf8_make_valid (raw, -1);

        if (*name == '\0' || g_hash_table_contains (file->functions, ph_intern (name)))
          return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                                 *name == '\0' ? "a function has no name" : "there are two functions named '%s'", name);
        g_hash_table_insert (file->functions, (gpointer) ph_intern (name), g_memdup2 (&field.span, sizeof field.span));
        g_ptr_array_add (order, (gpointer) ph_intern (name));
      }
  return TRUE;
}

/* Creates all functions before filling their graphs, so that calls find their callees. */
static gboolean
make_functions (PhTfFile *file, GPtrArray *order, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new ();

  for (guint i = 0; i < order->len; i++)
    {
      PhFunction *function = ph_model_add_function (file->importer->model,
                                                    &(PhFunctionSpec) { .name = order->pdata[i], .domain = "tf" }, error);

      if (function == NULL)
        return FALSE;
      g_ptr_array_add (functions, function);
    }
  for (guint i = 0; i < order->len; i++)
    {
      g_autoptr (PhTfGraph) graph = ph_tf_parse_function (
          file, *(PhSpan *) g_hash_table_lookup (file->functions, order->pdata[i]), error);
      g_autoptr (PhSketch) draft = NULL;

      if (graph != NULL)
        {
          ph_tf_structure (file, graph);
          draft = ph_tf_sketch (file, graph, 0, error);
        }
      if (draft == NULL || !ph_sketch_import (draft, ((PhFunction *) functions->pdata[i])->graph, error))
        return FALSE;
    }
  return TRUE;
}

/* Marks nodes that a session feeds although they are no placeholders: "fed" holds the output's index, "_fed" the type from the signature.
 * Such nodes are not executed. */
static void
mark_fed (PhTfFile *file, PhTfGraph *graph, PhSpan signature)
{
  static const guint8 numbers[][2] = { { 0x18, 0 }, { 0x18, 1 }, { 0x18, 2 }, { 0x18, 3 },
                                       { 0x18, 4 }, { 0x18, 5 }, { 0x18, 6 }, { 0x18, 7 } };

  PH_WIRE_FOREACH (field, signature)
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_wire_string (ph_wire_message (field.span, 2), 1), *name = g_utf8_make_valid (raw, -1);
        const PhTfEdge edge = ph_tf_resolve_name (file, graph, name, FALSE);
        const PhTfNode *node = g_hash_table_lookup (graph->by_name, edge.from);

        if (node == NULL || edge.control || edge.output >= G_N_ELEMENTS (numbers))
          continue;
        g_array_append_vals (node->attrs, &(PhTfAttr) { ph_intern ("_fed"), ph_wire_message (field.span, 2) }, 1);
        if (!g_str_has_prefix (node->op, "Placeholder"))
          g_array_append_vals (node->attrs, &(PhTfAttr) { ph_intern ("fed"), { numbers[edge.output], 2 } }, 1);
      }
}

/* Takes the outputs of a signature, preferring "serving_default". Returns FALSE if no signature names an output. */
static gboolean
take_signature (PhTfFile *file, PhTfGraph *graph, PhSpan meta)
{
  PhSpan chosen = { meta.data, 0 };

  PH_WIRE_FOREACH (field, meta)
    if (field.id == 5 && field.type == PH_WIRE_BYTES)
      {
        const PhSpan signature = ph_wire_message (field.span, 2);

        if (ph_wire_message (signature, 2).size > 0
            && (chosen.size == 0 || ph_span_is (ph_wire_message (field.span, 1), "serving_default")))
          chosen = signature;
      }
  mark_fed (file, graph, chosen);
  PH_WIRE_FOREACH (field, chosen)
    if (field.id == 2 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_wire_string (ph_wire_message (field.span, 2), 1), *name = g_utf8_make_valid (raw, -1);
        const PhTfEdge edge = ph_tf_resolve_name (file, graph, name, FALSE);

        if (*name == '\0' || *name == '^')
          continue;
        if (g_hash_table_contains (graph->by_name, edge.from))
          g_array_append_val (graph->outputs, edge);
        else
          ph_source_problem (file->source, "The signature returns '%s', which is not in the graph", name);
      }
  return graph->outputs->len > 0;
}

/* Without a signature, takes the values without users as outputs. */
static void
take_leaves (PhTfGraph *graph)
{
  /* clang-format off */
  static const char *const silent[] = {
    "NoOp", "Assert", "SaveV2", "Save", "MergeV2Checkpoints", "ShardedFilename", "Assign", "AssignVariableOp", "Const",
    "Placeholder", "VarIsInitializedOp", "RestoreV2", "Print", "IsVariableInitialized", "SaveSlices", "ShardedFilespec", NULL
  };
  /* clang-format on */
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const PhTfNode *node = graph->nodes->pdata[i];

      for (guint j = 0; j < node->inputs->len; j++)
        if (!g_array_index (node->inputs, PhTfEdge, j).control)
          g_hash_table_add (used, (gpointer) g_array_index (node->inputs, PhTfEdge, j).from);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const PhTfNode *node = graph->nodes->pdata[i];
      const PhTfEdge edge = { node->name, 0, FALSE };

      if (!g_hash_table_contains (used, node->name) && !g_strv_contains (silent, node->op))
        g_array_append_val (graph->outputs, edge);
    }
}

static gboolean
read_graph (PhTfFile *file, PhSpan message, PhSpan meta, GError **error)
{
  g_autoptr (PhTfGraph) graph = ph_tf_graph_new ("graph");
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  g_autoptr (PhSketch) draft = NULL;
  PhModel *model = file->importer->model;

  if (!ph_wire_is_message (message, 100))
    return ph_source_fail (file->source, error, PH_ERROR_FILE, NULL,
                           "not a readable TensorFlow graph: the file is damaged, cut short, or of another "
                           "kind. Get it again");
  read_operators (file, meta);
  PH_WIRE_FOREACH (field, message)
    if (field.id == 2 && field.type == PH_WIRE_BYTES && !read_functions (file, field.span, order, error))
      return FALSE;
  if (!ph_tf_parse_nodes (file, graph, message, 1, error) || !ph_tf_resolve (file, graph, FALSE, error))
    return FALSE;
  if (graph->nodes->len == 0 && order->len == 0)
    return ph_source_fail (file->source, error, PH_ERROR_FILE, NULL,
                           "there is no graph in it: this is not a TensorFlow model, or an empty one");
  if (!take_signature (file, graph, meta))
    take_leaves (graph);
  ph_tf_resolve (file, graph, FALSE, NULL); /* outputs count, too */
  ph_tf_structure (file, graph);
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "tf", 1);
  if (!make_functions (file, order, error))
    return FALSE;
  draft = ph_tf_sketch (file, graph, 0, error);
  return draft != NULL && ph_sketch_import (draft, model->graph, error);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) given = ph_source_dup_bytes (source, error), bytes = NULL;
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) functions = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) op_outputs = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_strfreev);
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL), modules = g_hash_table_new (NULL, NULL);
  g_autoptr (PhTfCheckpoint) checkpoint = ph_tf_checkpoint_open (source);
  PhImporter importer = { source, model };
  PhTfFile file = { .source = source,
                    .importer = &importer,
                    .functions = functions,
                    .op_outputs = op_outputs,
                    .open = open,
                    .modules = modules,
                    .checkpoint = checkpoint };
  PhSpan whole, meta, graph;

  if (given == NULL)
    return NULL;
  whole.data = g_bytes_get_data (given, &whole.size);
  if (whole.size > 0 && is_text (whole.data, MIN (whole.size, PH_FORMAT_HEAD)))
    {
      bytes = ph_tf_from_text (source, given, source->path, error);
      if (bytes == NULL)
        return NULL;
      file.text = TRUE;
    }
  else
    {
      bytes = g_bytes_ref (given);
      file.on_disk = source->disk != NULL && source->bytes == NULL;
    }
  file.bytes = bytes;
  whole.data = g_bytes_get_data (bytes, &whole.size);
  graph = find_graph (source, whole, &meta);
  return read_graph (&file, graph, meta, error) ? g_steal_pointer (&model) : NULL;
}

/* clang-format off */
const PhFormat ph_format_tensorflow = {
  .name = "tensorflow", .title = "TensorFlow graph or SavedModel", .patterns = (const char *const[]) { "*.pb", "*.pbtxt", "*.meta", NULL },
  .mime = "application/x-tensorflow", .probe = probe, .read = read_model, .dialect = &ph_dialect_tensorflow,
};
/* clang-format on */
