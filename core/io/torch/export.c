/* export.c: programs of torch.export (.pt2): a graph of ATen operators as JSON, with its weights beside it (torch/_export/serde/schema.py).
 * Unknown members of its unions are kept as text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "core/io/torch/branch.h"
#include "core/io/torch/call.h"
#include "core/io/torch/torch.h"

#define MAX_DEPTH 50

typedef struct
{
  PhTorch *torch;
  PhZip *zip;
  JsonObject *values;   /* (nullable) the tensors' types, of the graph that is read */
  GHashTable *programs; /* name of an input -> its name in the program              */
  guint depth;
} Reader;

/* ── JSON ── */

static JsonObject *
object_in (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonArray *
array_in (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static JsonObject *
object_at (JsonArray *array, guint i)
{
  JsonNode *node = json_array_get_element (array, i);

  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static const char *
string_in (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static gboolean
int_in (JsonObject *object, const char *name, gint64 *value)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  *value = json_node_get_int (node);
  return TRUE;
}

static PhDType
dtype_of (gint64 code)
{
  static const PhDType types[] = { PH_UNDEFINED, PH_UINT8,  PH_INT8,      PH_INT16,     PH_INT32,      PH_INT64, PH_FLOAT16,
                                   PH_FLOAT,     PH_DOUBLE, PH_UNDEFINED, PH_COMPLEX64, PH_COMPLEX128, PH_BOOL,  PH_BFLOAT16 };

  return code >= 0 && code < (gint64) G_N_ELEMENTS (types) ? types[code]
         : code == 28                                      ? PH_UINT16
         : code == 29                                      ? PH_FLOAT8E4M3FN
         : code == 30                                      ? PH_FLOAT8E5M2
                                                           : PH_UNDEFINED;
}

static const PhType *
type_of (JsonObject *meta)
{
  JsonArray *sizes = array_in (meta, "sizes");
  PhDim dims[PH_MAX_RANK];
  gint64 code = 0, n;

  if (sizes == NULL || json_array_get_length (sizes) > PH_MAX_RANK || !int_in (meta, "dtype", &code)
      || dtype_of (code) == PH_UNDEFINED)
    return NULL;
  for (guint i = 0; i < json_array_get_length (sizes); i++)
    {
      JsonObject *size = object_at (sizes, i), *expr = object_in (size, "as_expr");
      const char *text = string_in (expr, "expr_str");

      dims[i] = int_in (size, "as_int", &n) && n >= 0              ? PH_DIM (n)
                : text != NULL && g_utf8_validate (text, -1, NULL) ? ph_dim_symbol (ph_intern (text))
                                                                   : PH_DIM_UNKNOWN;
    }
  return ph_type_tensor (dtype_of (code), json_array_get_length (sizes), dims);
}

/* ── arguments ── */

static gboolean read_graph (Reader *r, JsonObject *graph, PhTorchScope *scope, const PhPy *at);

static PhTorchVal *
none (Reader *r)
{
  return ph_torch_literal (r->torch, ph_torch_new_literal (r->torch, PH_PY_CONSTANT, "None"));
}

static PhTorchVal *
text_value (Reader *r, const char *text)
{
  return ph_torch_literal (r->torch, ph_torch_new_literal (r->torch, PH_PY_STRING, text != NULL ? text : ""));
}

static PhTorchVal *
named (Reader *r, PhTorchScope *scope, const char *name)
{
  PhTorchVal *val = name != NULL ? g_hash_table_lookup (scope->names, name) : NULL;

  if (val == NULL && *r->torch->error == NULL)
    ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_INVALID, NULL,
                    "the program uses '%s', which nothing before it makes", name != NULL ? name : "?");
  return val;
}

static PhTorchVal *
number (Reader *r, JsonNode *node)
{
  PhPy *py;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return ph_torch_int (r->torch, json_node_get_int (node));
  if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return ph_torch_bool (r->torch, json_node_get_boolean (node));
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      const char *word = json_node_get_string (node);

      /* Infinities, which JSON has no number for. */
      if (strcmp (word, "Infinity") != 0 && strcmp (word, "-Infinity") != 0 && strcmp (word, "NaN") != 0)
        return text_value (r, word);
      py = ph_torch_new_literal (r->torch, PH_PY_FLOAT, word);
      py->f = *word == '-' ? -(double) INFINITY : *word == 'I' ? (double) INFINITY : (double) NAN;
      return ph_torch_literal (r->torch, py);
    }
  py = ph_torch_new_literal (r->torch, PH_PY_FLOAT, g_ascii_dtostr (text, sizeof text, json_node_get_double (node)));
  py->f = json_node_get_double (node);
  return ph_torch_literal (r->torch, py);
}

static PhTorchVal *read_argument (Reader *r, PhTorchScope *scope, JsonObject *argument);

/* Reads a member of a union: @node is its content; its name tells its kind. */
static PhTorchVal *
read_member (Reader *r, PhTorchScope *scope, const char *kind, JsonNode *node)
{
  static const char *const types[] = { "float32", "uint8",   "int8",      "int16",     "int32",      "int64", "float16",
                                       "float32", "float64", "complex32", "complex64", "complex128", "bool",  "bfloat16" };
  PhTorchVal *list;

  if (++r->depth > MAX_DEPTH)
    {
      ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_INVALID, NULL, "its arguments are more than %d deep",
                      MAX_DEPTH);
      return NULL;
    }
  if (JSON_NODE_HOLDS_NULL (node) || g_str_equal (kind, "as_none"))
    list = none (r);
  else if (g_str_equal (kind, "as_name") && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    list = named (r, scope, json_node_get_string (node));
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      list = ph_torch_list (r->torch, FALSE);
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *each = json_array_get_element (array, i);
          PhTorchVal *val = JSON_NODE_HOLDS_OBJECT (each) && json_object_get_size (json_node_get_object (each)) == 1
                                    && !json_object_has_member (json_node_get_object (each), "name")
                                ? read_argument (r, scope, json_node_get_object (each))
                                : read_member (r, scope, kind, each);

          if (val == NULL)
            return NULL;
          g_ptr_array_add (list->items, val);
        }
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      const char *name = string_in (object, "name") != NULL ? string_in (object, "name") : string_in (object, "as_name");
      gint64 n;

      if (g_str_equal (kind, "as_device"))
        list = text_value (r, string_in (object, "type"));
      else if (name != NULL && !g_str_equal (kind, "as_graph"))
        list = named (r, scope, name);
      else if (int_in (object, "as_int", &n))
        list = ph_torch_int (r->torch, n);
      else if (json_object_get_size (object) == 1)
        list = read_argument (r, scope, object);
      else
        list = text_value (r, name);
    }
  else if (g_str_equal (kind, "as_scalar_type") && json_node_get_value_type (node) == G_TYPE_INT64)
    {
      const gint64 code = json_node_get_int (node);
      g_autofree char *text = g_strdup_printf ("torch.%s",
                                               code >= 0 && code < (gint64) G_N_ELEMENTS (types) ? types[code] : "unknown");

      list = text_value (r, text);
    }
  else
    list = number (r, node);
  r->depth--;
  return list;
}

static PhTorchVal *
read_argument (Reader *r, PhTorchScope *scope, JsonObject *argument)
{
  g_autoptr (GList) members = argument != NULL ? json_object_get_members (argument) : NULL;
  JsonNode *given = NULL;
  const char *kind = "as_none";

  for (GList *each = members; each != NULL; each = each->next)
    {
      JsonNode *node = json_object_get_member (argument, each->data);

      /* Older versions write all members of a union, of which only one is not null. */
      if (given == NULL || (JSON_NODE_HOLDS_NULL (given) && !JSON_NODE_HOLDS_NULL (node)))
        {
          given = node;
          kind = each->data;
        }
    }
  return given != NULL ? read_member (r, scope, kind, given) : none (r);
}

/* ── nodes ── */

static const char *
value_name (JsonObject *argument)
{
  static const char *const kinds[] = { "as_tensor", "as_sym_int", "as_sym_bool", "as_sym_float", "as_optional_tensor", NULL };

  for (guint i = 0; kinds[i] != NULL; i++)
    {
      JsonObject *inner = object_in (argument, kinds[i]);

      if (inner != NULL && g_str_equal (kinds[i], "as_optional_tensor"))
        inner = object_in (inner, "as_tensor");
      if (inner != NULL)
        return string_in (inner, "name") != NULL ? string_in (inner, "name") : string_in (inner, "as_name");
    }
  return NULL;
}

/* Collects the names of a node's results. */
static void
output_names (JsonArray *outputs, GPtrArray *names)
{
  for (guint i = 0; outputs != NULL && i < json_array_get_length (outputs); i++)
    {
      JsonObject *argument = object_at (outputs, i);
      JsonArray *list = array_in (argument, "as_tensors");
      const char *name = argument != NULL ? value_name (argument) : NULL;

      if (name != NULL)
        g_ptr_array_add (names, (gpointer) name);
      for (guint k = 0; list != NULL && k < json_array_get_length (list); k++)
        g_ptr_array_add (names, (gpointer) string_in (object_at (list, k), "name"));
    }
}

/* Returns the last place of a trace: 'File "/home/me/net.py", line 12, in forward'. (transfer full) (nullable) */
static char *
place_of (JsonObject *metadata)
{
  const char *trace = string_in (metadata, "stack_trace"), *last = trace != NULL ? g_strrstr (trace, "File \"") : NULL,
             *quote = last != NULL ? strchr (last + 6, '"') : NULL;
  g_autofree char *file = quote != NULL ? g_strndup (last + 6, (gsize) (quote - last - 6)) : NULL;

  if (file == NULL || !g_str_has_prefix (quote, "\", line "))
    return NULL;
  return g_strdup_printf ("File: %s:%u in ", file, (guint) g_ascii_strtoull (quote + strlen ("\", line "), NULL, 10));
}

static gboolean
read_node (Reader *r, JsonObject *node, PhTorchScope *scope, const PhPy *at)
{
  const char *target = string_in (node, "target"), *dot;
  JsonArray *inputs = array_in (node, "inputs");
  g_autoptr (GPtrArray) names = g_ptr_array_new (), args = g_ptr_array_new (), keywords = g_ptr_array_new ();
  g_autofree char *place = place_of (object_in (node, "metadata")), *op = NULL;
  g_auto (GStrv) parameters = NULL;
  const PhType *type;
  PhTorchVal *val;

  if (target == NULL)
    return ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_INVALID, NULL, "a node of the program has no target");
  output_names (array_in (node, "outputs"), names);
  dot = g_str_has_prefix (target, "torch.ops.aten.") ? target + strlen ("torch.ops.aten.") : NULL;
  op = dot != NULL ? g_strndup (dot, strcspn (dot, ".")) : NULL;
  parameters = g_strsplit (op != NULL && ph_torch_signature (op) != NULL ? ph_torch_signature (op) : "", " ", -1);
  for (guint i = 0; inputs != NULL && i < json_array_get_length (inputs); i++)
    {
      JsonObject *input = object_at (inputs, i), *graph = object_in (object_in (object_in (input, "arg"), "as_graph"), "graph");
      const char *name = string_in (input, "name"),
                 *known = i < g_strv_length (parameters) ? parameters[i] + (parameters[i][0] == '*') : NULL;

      if (graph != NULL)
        continue;
      if ((val = read_argument (r, scope, object_in (input, "arg"))) == NULL)
        return FALSE;
      if (keywords->len == 0
          && (name == NULL || *name == '\0' || parameters[0] == NULL || (known != NULL && g_str_equal (known, name))))
        {
          g_ptr_array_add (args, val);
          continue;
        }
      g_ptr_array_add (keywords, (gpointer) (name != NULL ? name : "arg"));
      g_ptr_array_add (keywords, val);
    }
  scope->place = place != NULL ? ph_py_strndup (r->torch->own, place, strlen (place)) : NULL;
  type = names->len == 1 && names->pdata[0] != NULL ? type_of (object_in (r->values, names->pdata[0])) : NULL;
  val = ph_torch_call_target (scope, at, target,
                              &(PhTorchCall) { args, keywords, (const char *const *) names->pdata, names->len, type });
  if (val == NULL)
    return FALSE;
  /* Branches and loops hold graphs: they are bodies of the node. */
  for (guint i = 0; inputs != NULL && i < json_array_get_length (inputs); i++)
    {
      JsonObject *given = object_in (object_in (object_at (inputs, i), "arg"), "as_graph"), *graph = object_in (given, "graph");
      PhSketchNode *holder = scope->graph->nodes->len > 0 ? scope->graph->nodes->pdata[scope->graph->nodes->len - 1] : NULL;
      const char *name = string_in (given, "name");
      PhTorchScope inner;
      gboolean ok;

      if (graph == NULL || holder == NULL)
        continue;
      inner = ph_torch_inner_scope (scope, ph_sketch_add_body (holder, name != NULL ? name : "graph"));
      r->torch->graph = inner.graph;
      ok = ++r->depth <= MAX_DEPTH && read_graph (r, graph, &inner, at);
      r->depth--;
      r->torch->graph = scope->graph;
      g_hash_table_unref (inner.names);
      if (!ok)
        return FALSE;
    }
  for (guint i = 0; i < names->len; i++)
    if (names->pdata[i] != NULL)
      g_hash_table_insert (scope->names, names->pdata[i],
                           names->len > 1 && val->items != NULL && i < val->items->len ? val->items->pdata[i] : val);
  return *r->torch->error == NULL;
}

static gboolean
read_graph (Reader *r, JsonObject *graph, PhTorchScope *scope, const PhPy *at)
{
  JsonArray *inputs = array_in (graph, "inputs"), *nodes = array_in (graph, "nodes"), *outputs = array_in (graph, "outputs");
  JsonObject *around = r->values;

  r->values = object_in (graph, "tensor_values");
  for (guint i = 0; inputs != NULL && i < json_array_get_length (inputs); i++)
    {
      JsonObject *argument = object_at (inputs, i);
      const char *name = argument != NULL ? value_name (argument) : NULL,
                 *own = name != NULL ? g_hash_table_lookup (r->programs, name) : NULL;

      if (name != NULL && !(scope->graph == r->torch->sketch->main && g_hash_table_contains (scope->names, name)))
        g_hash_table_insert (scope->names, (gpointer) name,
                             ph_torch_value (r->torch, ph_sketch_add_input (scope->graph, own != NULL ? own : name,
                                                                            type_of (object_in (r->values, name)))));
    }
  for (guint i = 0; nodes != NULL && i < json_array_get_length (nodes); i++)
    if (object_at (nodes, i) == NULL || !read_node (r, object_at (nodes, i), scope, at))
      return *r->torch->error != NULL ? FALSE
                                      : ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_INVALID, NULL,
                                                        "node %u of the program is not an object", i);
  for (guint i = 0; outputs != NULL && i < json_array_get_length (outputs); i++)
    {
      PhTorchVal *val = read_argument (r, scope, object_at (outputs, i));

      if (val == NULL)
        return FALSE;
      ph_torch_output (scope, val);
    }
  r->values = around;
  return *r->torch->error == NULL;
}

/* ── weights ── */

/* Returns the member whose name ends with @suffix. (nullable) */
static const PhZipMember *
find_suffix (PhZip *zip, const char *suffix, const char *within)
{
  for (guint i = 0; i < zip->list->len; i++)
    {
      const PhZipMember *member = zip->list->pdata[i];

      if (g_str_has_suffix (member->name, suffix) && (within == NULL || strstr (member->name, within) != NULL))
        return member;
    }
  return NULL;
}

static JsonParser *
read_json (PhSource *source, PhZip *zip, const PhZipMember *member, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GBytes) bytes = ph_zip_read (zip, member, error);
  g_autoptr (GError) reason = NULL;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  guint depth = 0, most = 0;

  if (text == NULL)
    return NULL;
  for (gsize i = 0; i < size; i++) /* the parser recurses */
    {
      depth += text[i] == '{' || text[i] == '[' ? 1 : (text[i] == '}' || text[i] == ']') && depth > 0 ? -1u : 0;
      most = MAX (most, depth);
    }
  if (most > 500)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "%s: its brackets are more than 500 deep", member->name);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) size, &reason) || json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "%s: it is no JSON object%s%s", member->name,
                      reason != NULL ? ": " : "", reason != NULL ? reason->message : "");
      return NULL;
    }
  return g_steal_pointer (&parser);
}

/* Reads a weight as data/weights/NAME_config.json describes it. A pickled weight stays an input. */
static gboolean
read_weight (Reader *r, const char *folder, JsonObject *config, const char *input, const char *program)
{
  JsonObject *entry = object_in (object_in (config, "config"), program), *meta = object_in (entry, "tensor_meta");
  JsonArray *strides = array_in (meta, "strides");
  const char *path = string_in (entry, "path_name");
  const PhType *type = type_of (meta);
  gint64 dims[PH_MAX_RANK], steps[PH_MAX_RANK], offset = 0;
  g_autofree char *member = NULL, *suffix = NULL;
  const PhZipMember *found;
  PhTensor *tensor;
  JsonNode *pickled = entry != NULL ? json_object_get_member (entry, "use_pickle") : NULL;

  if (path == NULL || type == NULL || strides == NULL || json_array_get_length (strides) != type->rank
      || !ph_type_is_static (type)
      || (pickled != NULL && JSON_NODE_HOLDS_VALUE (pickled) && json_node_get_value_type (pickled) == G_TYPE_BOOLEAN
          && json_node_get_boolean (pickled)))
    return TRUE;
  int_in (object_in (meta, "storage_offset"), "as_int", &offset);
  for (guint i = 0; i < type->rank; i++)
    {
      dims[i] = type->dims[i].size;
      if (!int_in (object_at (strides, i), "as_int", &steps[i]))
        return TRUE;
    }
  suffix = g_strdup_printf ("data/%s/%s", folder, path);
  if ((found = find_suffix (r->zip, suffix, NULL)) == NULL)
    return ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_FILE, NULL,
                           "the archive has no member '%s', which holds '%s'. Save the program again", suffix, program);
  if ((tensor = ph_zip_tensor (r->zip, found->name, type->dtype, type->rank, dims, steps, offset, r->torch->error)) == NULL)
    return FALSE;
  g_hash_table_insert (r->programs, (gpointer) input, (gpointer) program);
  return g_hash_table_insert (r->torch->weights, (gpointer) input,
                              ph_torch_value (r->torch, ph_sketch_add_constant (r->torch->sketch->main, program, tensor))),
         TRUE;
}

/* Reads the kind of each input: a parameter, a buffer, a constant, or an argument of the user. */
static gboolean
read_signature (Reader *r, JsonArray *specs, JsonObject *weights, JsonObject *constants)
{
  static const struct
  {
    const char *kind, *name;
  } kinds[] = { { "parameter", "parameter_name" }, { "buffer", "buffer_name" }, { "tensor_constant", "tensor_constant_name" } };

  for (guint i = 0; specs != NULL && i < json_array_get_length (specs); i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        JsonObject *spec = object_in (object_at (specs, i), kinds[k].kind);
        const char *input = string_in (object_in (spec, "arg"), "name"), *program = string_in (spec, kinds[k].name);

        if (input == NULL || program == NULL)
          continue;
        g_hash_table_insert (r->programs, (gpointer) input, (gpointer) program);
        if ((weights != NULL && !read_weight (r, "weights", weights, input, program))
            || (constants != NULL && !g_hash_table_contains (r->torch->weights, input)
                && !read_weight (r, "constants", constants, input, program)))
          return FALSE;
      }
  return TRUE;
}

PhModel *
ph_torch_read_export (PhSource *source, PhZip *zip, GError **error)
{
  const PhZipMember *program = find_suffix (zip, ".json", "models/"),
                    *weights_member = find_suffix (zip, "weights_config.json", "data/weights/"),
                    *constants_member = find_suffix (zip, "constants_config.json", "data/constants/");
  g_autoptr (JsonParser) parser = NULL, weights = NULL, constants = NULL;
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GError) reason = NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal),
                         programs = g_hash_table_new (g_str_hash, g_str_equal);
  const PhPy at = { .line = 0, .column = 0 };
  JsonObject *root, *module;
  PhTorch torch;
  Reader r = { .torch = &torch, .zip = zip, .programs = programs };
  PhTorchScope scope = { .torch = &torch, .scope = "", .names = names };
  GHashTableIter iter;
  gpointer input, val;

  program = program != NULL ? program : find_suffix (zip, "serialized_exported_program.json", NULL);
  if (program == NULL)
    {
      ph_source_fail (
          source, error, PH_ERROR_FILE, NULL,
          "it is an archive of torch.export, but no program is in it (models/NAME.json). Save it with torch.export.save (program, \"x.pt2\")");
      return NULL;
    }
  if ((parser = read_json (source, zip, program, error)) == NULL
      || (weights_member != NULL && (weights = read_json (source, zip, weights_member, error)) == NULL)
      || (constants_member != NULL && (constants = read_json (source, zip, constants_member, error)) == NULL))
    return NULL;
  root = json_node_get_object (json_parser_get_root (parser));
  module = object_in (root, "graph_module");
  if (object_in (module, "graph") == NULL)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "%s: the program has no graph_module with a graph", program->name);
      return NULL;
    }
  sketch = ph_sketch_new (source);
  ph_torch_init (&torch, source, sketch, &reason);
  scope.graph = sketch->main;
  if (read_signature (&r, array_in (object_in (module, "signature"), "input_specs"),
                      weights != NULL ? json_node_get_object (json_parser_get_root (weights)) : NULL,
                      constants != NULL ? json_node_get_object (json_parser_get_root (constants)) : NULL))
    {
      g_hash_table_iter_init (&iter, torch.weights);
      while (g_hash_table_iter_next (&iter, &input, &val))
        g_hash_table_insert (names, input, val);
      if (read_graph (&r, object_in (module, "graph"), &scope, &at) && reason == NULL)
        model = ph_sketch_finish (sketch, PH_TORCH_ATEN, &reason);
    }
  ph_torch_clear (&torch);
  if (model == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return g_steal_pointer (&model);
}
