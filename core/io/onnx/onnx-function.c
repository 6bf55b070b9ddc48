/* onnx-function.c: model-local functions: reads FunctionProtos as graphs of the model, and writes them back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-export.h"
#include "core/io/onnx/onnx-import.h"
#include "core/ops/dialect.h"

#include <string.h>

#define MAX_FUSED_DEPTH 16

/* In text: marks a Constant node that represents a constant of a function. */
#define CONSTANT_ATTR "peephole_constant"

Onnx__FunctionProto *
ph_import_function (PhImport *import, const char *domain, const char *name)
{
  g_autofree char *key = NULL;

  if (import->functions == NULL || g_hash_table_size (import->functions) == 0)
    return NULL;
  key = g_strdup_printf ("%s\n%s", domain, name);
  return g_hash_table_lookup (import->functions, key);
}

/* ── a function as a graph ──────────────────────────────────────────────────────────────────────────────────────── */

Onnx__AttributeProto *
ph_function_default_attr (PhArena *arena, const Onnx__FunctionProto *function, guint i)
{
  return ph_proto_unknown_message (arena, &function->base.unknown_fields[i], PH_FUNCTION_ATTRIBUTE_PROTO,
                                   &onnx__attribute_proto__descriptor);
}

Onnx__ValueInfoProto *
ph_function_value_info (PhArena *arena, const Onnx__FunctionProto *function, guint i)
{
  return ph_proto_unknown_message (arena, &function->base.unknown_fields[i], PH_FUNCTION_VALUE_INFO,
                                   &onnx__value_info_proto__descriptor);
}

/* Returns the value's info, without a type if the function declares none. */
static Onnx__ValueInfoProto *
find_info (PhArena *arena, const Onnx__GraphProto *graph, char *name)
{
  Onnx__ValueInfoProto *info;

  for (gsize i = 0; i < graph->n_value_info; i++)
    if (g_strcmp0 (graph->value_info[i]->name, name) == 0)
      return graph->value_info[i];
  info = ph_proto_new (arena, Onnx__ValueInfoProto, onnx__value_info_proto);
  info->name = name;
  return info;
}

/* Returns TRUE for a Constant node, the form of a body's constants, since a function has no initializers. */
static gboolean
is_constant (const Onnx__NodeProto *node)
{
  const gboolean marked = g_strcmp0 (node->doc_string, PH_BODY_CONSTANT) == 0;

  return node->n_output == 1 && node->n_attribute > 0 && node->attribute[0]->t != NULL
         && (marked ? node->n_attribute == 1
                    : node->n_attribute == 2 && g_strcmp0 (node->attribute[1]->name, CONSTANT_ATTR) == 0);
}

static void
take_constants (PhArena *arena, Onnx__GraphProto *graph)
{
  gsize kept = 0;

  graph->initializer = ph_arena_alloc (arena, graph->n_node * sizeof (gpointer));
  for (gsize i = 0; i < graph->n_node; i++)
    {
      Onnx__NodeProto *node = graph->node[i];

      if (is_constant (node))
        {
          node->attribute[0]->t->name = node->output[0];
          graph->initializer[graph->n_initializer++] = node->attribute[0]->t;
        }
      else
        graph->node[kept++] = node;
    }
  graph->n_node = kept;
}

/* Converts @function to a graph, with its infos of inputs and outputs as theirs. */
static Onnx__GraphProto *
function_to_graph (PhArena *arena, const Onnx__FunctionProto *function)
{
  Onnx__GraphProto *graph = ph_proto_new (arena, Onnx__GraphProto, onnx__graph_proto);
  gsize kept = 0;

  graph->name = function->name;
  graph->value_info = ph_arena_alloc (arena, (function->base.n_unknown_fields + 1) * sizeof (gpointer));
  for (guint i = 0; i < function->base.n_unknown_fields; i++)
    {
      Onnx__ValueInfoProto *info = ph_function_value_info (arena, function, i);

      if (info != NULL)
        graph->value_info[graph->n_value_info++] = info;
    }
  graph->n_input = function->n_input;
  graph->input = ph_arena_alloc (arena, (function->n_input + 1) * sizeof (gpointer));
  for (gsize i = 0; i < function->n_input; i++)
    graph->input[i] = find_info (arena, graph, function->input[i]);
  graph->n_output = function->n_output;
  graph->output = ph_arena_alloc (arena, (function->n_output + 1) * sizeof (gpointer));
  for (gsize i = 0; i < function->n_output; i++)
    graph->output[i] = find_info (arena, graph, function->output[i]);
  for (gsize i = 0; i < graph->n_value_info; i++)
    {
      gboolean taken = FALSE;

      for (gsize j = 0; j < graph->n_input && !taken; j++)
        taken = g_strcmp0 (graph->input[j]->name, graph->value_info[i]->name) == 0;
      for (gsize j = 0; j < graph->n_output && !taken; j++)
        taken = g_strcmp0 (graph->output[j]->name, graph->value_info[i]->name) == 0;
      if (!taken)
        graph->value_info[kept++] = graph->value_info[i];
    }
  graph->n_value_info = kept;
  graph->n_node = function->n_node;
  graph->node = function->node;
  take_constants (arena, graph);
  return graph;
}

/* Returns the fields of the function that Peephole does not interpret. (nullable) */
static GBytes *
function_extra (const Onnx__FunctionProto *function)
{
  Onnx__FunctionProto copy = ONNX__FUNCTION_PROTO__INIT;
  g_autofree ProtobufCMessageUnknownField *unknown = g_new (ProtobufCMessageUnknownField, function->base.n_unknown_fields + 1);

  copy.doc_string = function->doc_string;
  copy.base.unknown_fields = unknown;
  for (guint i = 0; i < function->base.n_unknown_fields; i++)
    if (function->base.unknown_fields[i].tag != PH_FUNCTION_ATTRIBUTE_PROTO
        && function->base.unknown_fields[i].tag != PH_FUNCTION_VALUE_INFO)
      unknown[copy.base.n_unknown_fields++] = function->base.unknown_fields[i];
  return protobuf_c_message_get_packed_size (&copy.base) > 0 ? ph_proto_to_bytes (&copy.base) : NULL;
}

PhFunction *
ph_import_add_function (PhImport *import, Onnx__FunctionProto *proto, GError **error)
{
  g_autoptr (GHashTable) opsets = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new (), defaults = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  g_autoptr (GBytes) extra = function_extra (proto);

  for (gsize i = 0; i < proto->n_attribute; i++)
    g_ptr_array_add (names, (gpointer) ph_importer_name (&import->base, proto->attribute[i]));
  for (guint i = 0; i < proto->base.n_unknown_fields; i++)
    {
      Onnx__AttributeProto *attr = ph_function_default_attr (import->arena, proto, i);
      PhAttr *value = attr != NULL ? ph_attr_from_proto (import->source, import->arena, attr, error) : NULL;

      if (value != NULL)
        g_ptr_array_add (defaults, value);
      else if (attr != NULL)
        return NULL;
    }
  for (gsize i = 0; i < proto->n_opset_import; i++)
    {
      const char *domain = ph_importer_name (&import->base, proto->opset_import[i]->domain);

      if (proto->opset_import[i]->version > 0 && proto->opset_import[i]->version <= G_MAXINT)
        g_hash_table_insert (opsets, (gpointer) ph_intern (g_str_equal (domain, "ai.onnx") ? "" : domain),
                             GINT_TO_POINTER ((int) proto->opset_import[i]->version));
    }
  return ph_model_add_function (import->model,
                                &(PhFunctionSpec) { .name = ph_importer_name (&import->base, proto->name),
                                                    .domain = ph_importer_name (&import->base, proto->domain),
                                                    .parameters = (const char *const *) names->pdata,
                                                    .n_parameters = names->len,
                                                    .defaults = (PhAttr *const *) defaults->pdata,
                                                    .n_defaults = defaults->len,
                                                    .opsets = opsets,
                                                    .extra = extra,
                                                    .overload = TRUE },
                                error);
}

gboolean
ph_import_fill_function (PhImport *import, PhFunction *function, Onnx__FunctionProto *proto, GError **error)
{
  return ph_import_proto (import, NULL, TRUE, function->graph, function_to_graph (import->arena, proto), error);
}

/* ── and back ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static Onnx__NodeProto *
constant_node (PhExport *export, Onnx__TensorProto *tensor)
{
  Onnx__NodeProto *node = ph_proto_new (export->arena, Onnx__NodeProto, onnx__node_proto);
  Onnx__AttributeProto *attr = ph_proto_new (export->arena, Onnx__AttributeProto, onnx__attribute_proto);

  attr->name = (char *) "value";
  attr->has_type = TRUE;
  attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
  attr->t = tensor;
  node->op_type = (char *) "Constant";
  node->doc_string = (char *) PH_BODY_CONSTANT;
  node->n_output = 1;
  node->output = ph_arena_alloc (export->arena, sizeof (gpointer));
  node->output[0] = tensor->name;
  node->n_attribute = 1;
  node->attribute = ph_arena_alloc (export->arena, 2 * sizeof (gpointer));
  node->attribute[0] = attr;
  if (!export->plain) /* text has no place for the node's documentation */
    {
      node->attribute[1] = ph_proto_new (export->arena, Onnx__AttributeProto, onnx__attribute_proto);
      node->attribute[1]->name = (char *) CONSTANT_ATTR;
      node->attribute[1]->has_type = node->attribute[1]->has_i = TRUE;
      node->attribute[1]->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
      node->attribute[1]->i = 1;
      node->n_attribute = 2;
    }
  tensor->name = NULL;
  return node;
}

/* Writes the type of a value if it is known for certain; other programs ignore it. */
static void
append_info (PhExport *export, Onnx__FunctionProto *function, const Onnx__ValueInfoProto *info)
{
  if (info->type != NULL && info->name != NULL)
    ph_proto_append (export->arena, &function->base, PH_FUNCTION_VALUE_INFO, &info->base);
}

Onnx__FunctionProto *
ph_export_body (PhExport *export, PhGraph *graph, gboolean *calls_own)
{
  PhArena *arena = export->arena;
  Onnx__GraphProto *body = ph_onnx_export_graph (export, graph);
  Onnx__FunctionProto *function = ph_proto_new (arena, Onnx__FunctionProto, onnx__function_proto);

  function->n_input = body->n_input;
  function->input = ph_arena_alloc (arena, MAX (body->n_input, 1) * sizeof (gpointer));
  for (gsize i = 0; i < body->n_input; i++)
    function->input[i] = body->input[i]->name;
  function->n_output = body->n_output;
  function->output = ph_arena_alloc (arena, MAX (body->n_output, 1) * sizeof (gpointer));
  for (gsize i = 0; i < body->n_output; i++)
    function->output[i] = body->output[i]->name;
  function->node = ph_arena_alloc (arena, (body->n_initializer + body->n_node + 1) * sizeof (gpointer));
  for (gsize i = 0; i < body->n_initializer; i++)
    function->node[function->n_node++] = constant_node (export, body->initializer[i]);
  for (gsize i = 0; i < body->n_node; i++)
    {
      function->node[function->n_node++] = body->node[i];
      *calls_own = *calls_own || g_strcmp0 (body->node[i]->domain, PH_OWN_DOMAIN) == 0;
    }
  if (graph->function == NULL)
    return function;
  for (gsize i = 0; i < body->n_input; i++)
    append_info (export, function, body->input[i]);
  for (gsize i = 0; i < body->n_output; i++)
    {
      gboolean given = FALSE; /* the function returns an input unchanged */

      for (gsize j = 0; j < body->n_input + i && !given; j++)
        given = g_strcmp0 (body->output[i]->name,
                           j < body->n_input ? body->input[j]->name : body->output[j - body->n_input]->name)
                == 0;
      if (!given)
        append_info (export, function, body->output[i]);
    }
  for (gsize i = 0; i < body->n_value_info; i++)
    append_info (export, function, body->value_info[i]);
  return function;
}

/* Collects the opsets that the function declares, and those that its nodes need in addition. */
static void
add_domains (PhExport *export, const PhGraph *graph, GHashTable *opsets)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (!g_hash_table_contains (opsets, node->domain) && !g_str_equal (node->domain, PH_OWN_DOMAIN))
        g_hash_table_insert (opsets, (gpointer) node->domain,
                             GINT_TO_POINTER (MAX (ph_model_opset (export->model, node->domain), 1)));
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        add_domains (export, node->graphs->pdata[i], opsets);
    }
}

static GHashTable *
opsets_of (PhExport *export, const PhFunction *function)
{
  GHashTable *opsets = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer domain, version;

  g_hash_table_iter_init (&iter, function->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    g_hash_table_insert (opsets, domain, version);
  add_domains (export, function->graph, opsets);
  return opsets;
}

/* Adds the functions that @graph calls, directly or not, to @called. Returns TRUE if a node belongs to a foreign dialect. */
static gboolean
find_called (const PhGraph *graph, GHashTable *called)
{
  gboolean foreign = FALSE;

  PH_FOREACH_NODE (node, graph)
    {
      const PhDialect *dialect = ph_dialect_find (node->domain);
      PhFunction *function = ph_node_function (node);

      foreign = foreign || (dialect != NULL && dialect->foreign != NULL);
      if (function != NULL && called != NULL && g_hash_table_add (called, function))
        foreign = find_called (function->graph, called) || foreign;
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        foreign = find_called (node->graphs->pdata[i], called) || foreign;
    }
  return foreign;
}

GPtrArray *
ph_export_functions (const PhModel *model)
{
  g_autoptr (GHashTable) called = g_hash_table_new (NULL, NULL);
  GPtrArray *functions = g_ptr_array_new ();
  const gboolean foreign = find_called (model->graph, called);

  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      if (foreign || g_hash_table_contains (called, function) || !find_called (function->graph, NULL))
        g_ptr_array_add (functions, (gpointer) function);
    }
  return functions;
}

Onnx__FunctionProto *
ph_export_function (PhExport *export, const PhFunction *function)
{
  const Onnx__FunctionProto *extra = function->extra != NULL
                                         ? ph_proto_parse (export->arena, &onnx__function_proto__descriptor, function->extra)
                                         : NULL;
  GHashTable *names = export->node_names;
  g_autoptr (GHashTable) own = g_hash_table_new (NULL, NULL), opsets = NULL;
  PhExport plain = { .arena = export->arena, .plain = TRUE }; /* defaults are fields that are packed at once */
  gboolean calls_own = FALSE;
  Onnx__FunctionProto *proto;

  export->node_names = own;
  proto = ph_export_body (export, function->graph, &calls_own);
  export->node_names = names;
  proto->name = (char *) function->name;
  proto->domain = (char *) function->domain;
  proto->n_attribute = function->parameters->len;
  proto->attribute = (char **) function->parameters->pdata;
  for (guint i = 0; i < function->defaults->len; i++)
    ph_proto_append (export->arena, &proto->base, PH_FUNCTION_ATTRIBUTE_PROTO,
                     &ph_attr_to_proto (&plain, function->defaults->pdata[i])->base);
  opsets = opsets_of (export, function);
  proto->opset_import = ph_export_opset_table (export, opsets, calls_own, &proto->n_opset_import);
  if (extra != NULL)
    {
      const guint n = proto->base.n_unknown_fields, m = extra->base.n_unknown_fields;
      ProtobufCMessageUnknownField *fields = ph_arena_alloc (export->arena, (n + m + 1) * sizeof *fields);

      proto->doc_string = extra->doc_string;
      if (n > 0)
        memcpy (fields, proto->base.unknown_fields, n * sizeof *fields);
      if (m > 0)
        memcpy (fields + n, extra->base.unknown_fields, m * sizeof *fields);
      proto->base.unknown_fields = fields;
      proto->base.n_unknown_fields = n + m;
    }
  return proto;
}

/* ── fused nodes ────────────────────────────────────────────────────────────────────────────────────────────────── */

Onnx__FunctionProto *
ph_import_find_fused (PhImport *import, const Onnx__NodeProto *proto)
{
  Onnx__FunctionProto *function;

  if (g_strcmp0 (proto->domain, PH_OWN_DOMAIN) != 0 || import->depth >= MAX_FUSED_DEPTH)
    return NULL;
  for (gsize i = 0; i < proto->n_attribute; i++)
    if (proto->attribute[i]->g != NULL)
      return NULL;
  function = ph_import_function (import, proto->domain, proto->op_type);
  if (function == NULL || function->n_input != proto->n_input || function->n_output != proto->n_output)
    return NULL;
  return function;
}

gboolean
ph_import_fused (PhImport *import, PhScope *scope, PhNode *node, Onnx__FunctionProto *function, GError **error)
{
  /* Works on a copy: reading changes the messages, and several nodes may share the function. */
  g_autoptr (GBytes) bytes = ph_proto_to_bytes (&function->base);
  Onnx__FunctionProto *copy = ph_proto_parse (import->arena, &onnx__function_proto__descriptor, bytes);
  Onnx__GraphProto *proto;
  PhGraph *body;
  gboolean ok;

  if (copy == NULL)
    return TRUE;
  proto = function_to_graph (import->arena, copy);
  body = ph_node_add_graph (node, "body", node->op_type, error);
  if (body == NULL)
    return FALSE;
  import->depth++;
  ok = ph_import_proto (import, scope, TRUE, body, proto, error);
  import->depth--;
  g_hash_table_add (import->fused, function);
  return ok;
}
