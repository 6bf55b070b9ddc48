/* onednn.c: graphs that oneDNN dumps as JSON (ONEDNN_GRAPH_DUMP=graph,subgraph). Tensors are joined by their ids; the operators of a
 * partition are a group.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <json-glib/json-glib.h>
#include <string.h>

#include "core/io/format.h"
#include "core/io/sketch.h"
#include "core/ops/op.h"

#define MAX_DEPTH 64

typedef struct
{
  PhSource *source;
  PhSketch *draft;
  GHashTable *tensors, *made;
} Making; /* id -> name; ids with a producer */

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  if (*g_strchug (text) != '{')
    return 0;
  return strstr (text, "\"engine_kind\"") != NULL || strstr (text, "\"fpmath_mode\"") != NULL ? 95 : 0;
}

/* Limits the nesting, since json-glib recurses on each level. @lines gets those on which the operators begin, the objects of "graph", which
 * json-glib does not tell. */
static gboolean
is_shallow (const char *text, gsize size, GArray *lines)
{
  gboolean quoted = FALSE, in_graph = FALSE;
  const char *word = text; /* the last string directly in the outermost object */
  guint depth = 0, line = 1;

  for (gsize i = 0; i < size; i++)
    {
      line += text[i] == '\n';
      if (quoted && text[i] == '\\')
        i++;
      else if (text[i] == '"')
        {
          quoted = !quoted;
          word = quoted && depth == 1 ? text + i : word;
        }
      else if (!quoted && (text[i] == '{' || text[i] == '['))
        {
          if (++depth > MAX_DEPTH)
            return FALSE;
          if (depth == 2)
            in_graph = g_str_has_prefix (word, "\"graph\"");
          else if (depth == 3 && in_graph)
            g_array_append_val (lines, line);
        }
      else if (!quoted && depth > 0 && (text[i] == '}' || text[i] == ']'))
        depth--;
    }
  return TRUE;
}

/* ── checked access to JSON ── */

static JsonObject *
as_object (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonArray *
get_array (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static const char *
get_string (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : "";
}

static gint64
get_int (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : 0;
}

static gint64
get_id (JsonObject *object)
{
  return object != NULL ? get_int (json_object_get_member (object, "id")) : 0;
}

/* ── tensors ── */

static PhDType
dtype_of (const char *name)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } types[] = {
    { "f32", PH_FLOAT }, { "f16", PH_FLOAT16 }, { "bf16", PH_BFLOAT16 }, { "f64", PH_DOUBLE }, { "s64", PH_INT64 }, { "s32", PH_INT32 },
    { "s8", PH_INT8 }, { "u8", PH_UINT8 }, { "boolean", PH_BOOL }, { "f8_e5m2", PH_FLOAT8E5M2 }, { "f8_e4m3", PH_FLOAT8E4M3FN },
    { "s4", PH_INT4 }, { "u4", PH_UINT4 }, { "f4_e2m1", PH_FLOAT4E2M1 }, { "e8m0", PH_FLOAT8E8M0 } };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].name, name) == 0)
      return types[i].dtype;
  return PH_UNDEFINED;
}

static const PhType *
type_of (JsonObject *tensor)
{
  const PhDType dtype = dtype_of (get_string (tensor, "dtype"));
  JsonArray *shape = get_array (tensor, "shape");
  PhDim dims[PH_MAX_RANK];
  const guint rank = shape != NULL ? json_array_get_length (shape) : 0;

  if (dtype == PH_UNDEFINED)
    return NULL;
  if (shape == NULL || rank > PH_MAX_RANK)
    return ph_type_unranked (dtype);
  for (guint i = 0; i < rank; i++)
    {
      const gint64 size = get_int (json_array_get_element (shape, i));

      dims[i] = size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
    }
  return ph_type_tensor (dtype, rank, dims);
}

static const char *
name_of (Making *making, gint64 id)
{
  const char *name = g_hash_table_lookup (making->tensors, &id);

  if (name == NULL)
    {
      g_autofree char *text = g_strdup_printf ("t%" G_GINT64_FORMAT, id);

      name = ph_sketch_claim (making->draft, text);
      g_hash_table_insert (making->tensors, g_memdup2 (&id, sizeof id), (gpointer) name);
    }
  return name;
}

/* ── operators ── */

static void
add_attr (JsonObject *attrs, const char *name, JsonNode *node, gpointer draft)
{
  JsonObject *attr = as_object (node);
  const char *type = get_string (attr, "type");
  JsonNode *value = attr != NULL ? json_object_get_member (attr, "value") : NULL;
  JsonArray *values = get_array (attr, "value");
  const guint n = values != NULL ? json_array_get_length (values) : 0;

  if (value == NULL || strcmp (name, "partition_id") == 0)
    return;
  if (values != NULL && g_str_has_prefix (type, "f"))
    {
      g_autofree float *floats = g_new (float, n + 1);

      for (guint i = 0; i < n; i++)
        floats[i] = JSON_NODE_HOLDS_VALUE (json_array_get_element (values, i))
                        ? (float) json_node_get_double (json_array_get_element (values, i))
                        : 0;
      ph_sketch_node_attr (draft, ph_attr_new_floats (name, floats, n));
    }
  else if (values != NULL)
    {
      g_autofree gint64 *ints = g_new (gint64, n + 1);

      for (guint i = 0; i < n; i++)
        ints[i] = get_int (json_array_get_element (values, i));
      ph_sketch_node_attr (draft, ph_attr_new_ints (name, ints, n));
    }
  else if (!JSON_NODE_HOLDS_VALUE (value))
    return;
  else if (json_node_get_value_type (value) == G_TYPE_STRING)
    ph_sketch_node_attr (draft, ph_attr_new_string (name, json_node_get_string (value)));
  else if (g_str_has_prefix (type, "f"))
    ph_sketch_node_attr (draft, ph_attr_new_float (name, (float) json_node_get_double (value)));
  else
    ph_sketch_node_attr (draft,
                         ph_attr_new_int (name, json_node_get_value_type (value) == G_TYPE_BOOLEAN ? json_node_get_boolean (value)
                                                                                                   : json_node_get_int (value)));
}

/* Strides that are not those of the dense, row-major layout. */
static void
add_layouts (JsonArray *tensors, const char *name, PhSketchNode *node)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean any = FALSE;

  for (guint i = 0; tensors != NULL && i < json_array_get_length (tensors); i++)
    {
      JsonObject *tensor = as_object (json_array_get_element (tensors, i));
      JsonArray *shape = get_array (tensor, "shape"), *stride = get_array (tensor, "stride");
      const guint rank = shape != NULL ? json_array_get_length (shape) : 0;
      gint64 dense = 1;
      gboolean other = FALSE;

      g_string_append (text, i > 0 ? "; " : "");
      for (guint j = rank; stride != NULL && json_array_get_length (stride) == rank && j-- > 0;)
        {
          const gint64 size = get_int (json_array_get_element (shape, j));

          other |= get_int (json_array_get_element (stride, j)) != dense && size != 1;
          if (size < 0 || __builtin_mul_overflow (dense, size, &dense))
            break;
        }
      for (guint j = 0; other && j < rank; j++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, j > 0 ? "," : "", get_int (json_array_get_element (stride, j)));
      if (!other)
        g_string_append (text, "dense");
      any |= other;
    }
  if (any)
    ph_sketch_node_attr (node, ph_attr_new_string (name, text->str));
}

static gboolean
add_operator (Making *making, JsonObject *op, guint index, guint line, GError **error)
{
  const char *kind = get_string (op, "kind"), *own = get_string (op, "name");
  JsonObject *attrs = op != NULL ? as_object (json_object_get_member (op, "attrs")) : NULL;
  JsonObject *partition = attrs != NULL ? as_object (json_object_get_member (attrs, "partition_id")) : NULL;
  JsonArray *inputs = get_array (op, "inputs"), *outputs = get_array (op, "outputs");
  g_autofree char *name = partition != NULL && json_object_has_member (partition, "value") ? g_strdup_printf (
                              "partition_%" G_GINT64_FORMAT "/%s", get_int (json_object_get_member (partition, "value")), own)
                                                                                           : g_strdup (own);
  PhSketchNode *node;

  if (*kind == '\0')
    return ph_source_fail (making->source, error, PH_ERROR_INVALID, NULL, "operator %u of the graph has no kind", index);
  node = ph_sketch_add_named_node (making->draft->main, kind, "onednn", name);
  ph_sketch_node_place (node, line, 1);
  for (guint i = 0; inputs != NULL && i < json_array_get_length (inputs); i++)
    ph_sketch_node_input (node, name_of (making, get_id (as_object (json_array_get_element (inputs, i)))));
  for (guint i = 0; outputs != NULL && i < json_array_get_length (outputs); i++)
    {
      JsonObject *tensor = as_object (json_array_get_element (outputs, i));
      const gint64 id = get_id (tensor);

      if (!g_hash_table_add (making->made, g_memdup2 (&id, sizeof id)))
        return ph_source_fail (making->source, error, PH_ERROR_INVALID, NULL,
                               "two operators make the tensor %" G_GINT64_FORMAT ", the second is '%s'", id, own);
      ph_sketch_node_named_output (node, name_of (making, id), type_of (tensor));
    }
  if (attrs != NULL)
    json_object_foreach_member (attrs, add_attr, node);
  add_layouts (inputs, "input_strides", node);
  add_layouts (outputs, "output_strides", node);
  return TRUE;
}

/* Adds tensors without a producer as inputs of the graph and tensors without a user as its outputs. */
static void
add_ends (Making *making, JsonArray *graph)
{
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < json_array_get_length (graph); i++)
    {
      JsonArray *inputs = get_array (as_object (json_array_get_element (graph, i)), "inputs");

      for (guint j = 0; inputs != NULL && j < json_array_get_length (inputs); j++)
        {
          JsonObject *tensor = as_object (json_array_get_element (inputs, j));
          const gint64 id = get_id (tensor);

          if (g_hash_table_add (used, g_memdup2 (&id, sizeof id)) && !g_hash_table_contains (making->made, &id))
            ph_sketch_add_named_input (making->draft->main, name_of (making, id), type_of (tensor));
        }
    }
  for (guint i = 0; i < json_array_get_length (graph); i++)
    {
      JsonArray *outputs = get_array (as_object (json_array_get_element (graph, i)), "outputs");

      for (guint j = 0; outputs != NULL && j < json_array_get_length (outputs); j++)
        {
          const gint64 id = get_id (as_object (json_array_get_element (outputs, j)));

          if (!g_hash_table_contains (used, &id))
            ph_sketch_add_output (making->draft->main, name_of (making, id));
        }
    }
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) reason = NULL;
  PhImporter importer = { source, model };
  g_autoptr (PhSketch) draft = ph_sketch_new_part (&importer, "graph");
  Making making = { source, draft, tensors, made };
  JsonArray *graph;
  gsize size;
  const char *text;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  if (!is_shallow (text, size, lines))
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL, "not a graph of oneDNN: it is nested deeper than %d levels",
                           MAX_DEPTH),
           NULL;
  if (!g_utf8_validate (text, (gssize) size, NULL) || !json_parser_load_from_data (parser, text, (gssize) size, &reason))
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL, "not readable as JSON: %s",
                           reason != NULL ? reason->message : "it is not UTF-8"),
           NULL;
  graph = get_array (as_object (json_parser_get_root (parser)), "graph");
  if (graph == NULL)
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL,
                           "there is no \"graph\" in it: this is not a graph that oneDNN dumped"),
           NULL;
  for (guint i = 0; i < json_array_get_length (graph); i++)
    if (!add_operator (&making, as_object (json_array_get_element (graph, i)), i,
                       i < lines->len ? g_array_index (lines, guint, i) : 0, error))
      return NULL;
  add_ends (&making, graph);
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "onednn", 1);
  return ph_sketch_import (draft, model->graph, error) ? g_steal_pointer (&model) : NULL;
}

/* clang-format off */
const PhFormat ph_format_onednn = {
  .name = "onednn", .title = "oneDNN graph", .patterns = (const char *const[]) { "*.json", NULL }, .mime = "application/x-onednn-graph",
  .mime_parent = "application/json", .text = TRUE, .probe = probe, .read = read_model, .dialect = &ph_dialect_onednn,
};
/* clang-format on */
