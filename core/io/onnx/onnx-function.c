/* onnx-function.c: model-local functions: kept as bytes, made into a graph when something needs their insides.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/infer.h"
#include "core/io/onnx/onnx-import.h"

#include <math.h>

#include "core/graph/growth.h"

#include <string.h>

#define MAX_FUSED_DEPTH 16

const PhFunction *
ph_model_find_function (PhModel *model, const char *domain, const char *name)
{
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      if (g_str_equal (function->name, name) && g_str_equal (function->domain, domain))
        return function;
    }
  return NULL;
}

Onnx__FunctionProto *
ph_import_function (PhImport *import, const char *domain, const char *name)
{
  g_autofree char *key = NULL;

  if (import->functions == NULL || g_hash_table_size (import->functions) == 0)
    return NULL;
  key = g_strdup_printf ("%s\n%s", domain, name);
  return g_hash_table_lookup (import->functions, key);
}

/* ── references to the call's attributes ────────────────────────────────────────────────────────────────────────── */

Onnx__AttributeProto *
ph_function_default_attr (PhArena *arena, const Onnx__FunctionProto *function, guint i)
{
  const ProtobufCMessageUnknownField *field = &function->base.unknown_fields[i];
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  gsize header = 0;                            /* the length, which protobuf-c leaves in front of the bytes */

  if (field->tag != PH_FUNCTION_ATTRIBUTE_PROTO || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
    return NULL;
  while (header < field->len && (field->data[header] & 0x80) != 0)
    header++;
  if (header++ >= field->len)
    return NULL;
  return onnx__attribute_proto__unpack (&allocator, field->len - header, field->data + header);
}

static Onnx__AttributeProto *
default_attr (PhArena *arena, const Onnx__FunctionProto *function, const char *name)
{
  for (guint i = 0; i < function->base.n_unknown_fields; i++)
    {
      Onnx__AttributeProto *attr = ph_function_default_attr (arena, function, i);

      if (attr != NULL && g_strcmp0 (attr->name, name) == 0)
        return attr;
    }
  return NULL;
}

typedef struct { PhArena *arena; const Onnx__FunctionProto *function; const PhNode *call; } Call;

static void resolve_nodes (const Call *call, Onnx__NodeProto **nodes, gsize n);

/* @attr itself, what it refers to under its name, or NULL when the call leaves it out. */
static Onnx__AttributeProto *
resolve_attr (const Call *call, Onnx__AttributeProto *attr)
{
  Onnx__AttributeProto *found = NULL;

  if (attr->ref_attr_name == NULL || attr->ref_attr_name[0] == '\0')
    {
      if (attr->g != NULL)
        resolve_nodes (call, attr->g->node, attr->g->n_node);
      for (gsize i = 0; i < attr->n_graphs; i++)
        resolve_nodes (call, attr->graphs[i]->node, attr->graphs[i]->n_node);
      return attr;
    }
  if (call->call != NULL)
    {
      PhAttr *given = ph_node_attr (call->call, attr->ref_attr_name);
      PhExport export = { .arena = call->arena };

      if (given != NULL)
        found = ph_attr_to_proto (&export, given);
    }
  if (found == NULL)
    found = default_attr (call->arena, call->function, attr->ref_attr_name);
  if (found != NULL)
    {
      Onnx__AttributeProto *copy = ph_arena_alloc (call->arena, sizeof *copy);

      *copy = *found;
      copy->name = attr->name;
      found = copy;
    }
  return found;
}

static void
resolve_nodes (const Call *call, Onnx__NodeProto **nodes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      gsize kept = 0;

      for (gsize j = 0; j < nodes[i]->n_attribute; j++)
        {
          Onnx__AttributeProto *attr = resolve_attr (call, nodes[i]->attribute[j]);

          if (attr != NULL)
            nodes[i]->attribute[kept++] = attr;
        }
      nodes[i]->n_attribute = kept;
    }
}

static Onnx__ValueInfoProto *
new_info (PhArena *arena, char *name, const PhType *type)
{
  Onnx__ValueInfoProto *info = ph_proto_new (arena, Onnx__ValueInfoProto, onnx__value_info_proto);

  info->name = name;
  if (type != NULL)
    info->type = ph_type_to_proto (arena, type);
  return info;
}

static Onnx__GraphProto *
function_to_graph (PhArena *arena, const Onnx__FunctionProto *function, const PhNode *call)
{
  Onnx__GraphProto *graph = ph_proto_new (arena, Onnx__GraphProto, onnx__graph_proto);
  Call context = { arena, function, call };

  graph->name = function->name;
  graph->n_input = function->n_input;
  graph->input = ph_arena_alloc (arena, function->n_input * sizeof (gpointer));
  for (gsize i = 0; i < function->n_input; i++)
    {
      const PhValue *value = call != NULL ? ph_node_input (call, i) : NULL;

      graph->input[i] = new_info (arena, function->input[i], value != NULL ? value->type : NULL);
    }
  graph->n_output = function->n_output;
  graph->output = ph_arena_alloc (arena, function->n_output * sizeof (gpointer));
  for (gsize i = 0; i < function->n_output; i++)
    graph->output[i] = new_info (arena, function->output[i], NULL);
  graph->n_node = function->n_node;
  graph->node = function->node;
  resolve_nodes (&context, graph->node, graph->n_node);
  return graph;
}

/* ── a call by itself ───────────────────────────────────────────────────────────────────────────────────────────── */

PhModel *
ph_onnx_read_function (PhModel *model, const PhFunction *function, const PhNode *call, GError **error)
{
  g_auto(PhArena) arena = { 0 };
  g_auto(PhSource) base = { 0 };
  g_auto(PhOnnxSource) source = { .base = &base };
  g_autofree char *path = g_strdup_printf ("function %s.%s", function->domain, function->name);
  Onnx__ModelProto proto = ONNX__MODEL_PROTO__INIT;
  Onnx__FunctionProto *parsed;
  PhModel *body;

  ph_arena_init (&arena);
  ph_source_init (&base, path, NULL);
  source.functions = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < model->functions->len; i++)
    g_ptr_array_add (source.functions, g_bytes_ref (((PhFunction *) model->functions->pdata[i])->proto));
  parsed = ph_proto_parse (&arena, &onnx__function_proto__descriptor, function->proto);
  if (parsed == NULL)
    {
      ph_source_fail (&base, error, PH_ERROR_FILE, NULL, "the function is damaged and cannot be read");
      return NULL;
    }
  if (call != NULL && call->outputs->len > parsed->n_output)
    {
      g_autofree char *label = ph_node_label (call);

      ph_source_fail (&base, error, PH_ERROR_INVALID, NULL, "%s wants %u outputs of it; it has %" G_GSIZE_FORMAT, label,
                      call->outputs->len, parsed->n_output);
      return NULL;
    }
  proto.has_ir_version = TRUE;
  proto.ir_version = MAX (model->ir_version, 4);
  proto.n_opset_import = parsed->n_opset_import;
  proto.opset_import = parsed->opset_import;
  proto.graph = function_to_graph (&arena, parsed, call);
  source.lenient = TRUE;
  body = ph_onnx_import (&source, &arena, &proto, error);
  if (body != NULL)
    ph_io_infer (body, NULL);
  return body;
}

/* ── how much a call stands for ─────────────────────────────────────────────────────────────────────────────────── */

static double count_call (PhModel *model, const char *domain, const char *op_type);

static double
count_nodes (PhModel *model, Onnx__NodeProto *const *nodes, gsize n)
{
  double count = 0;

  for (gsize i = 0; i < n; i++)
    {
      count += 1 + count_call (model, nodes[i]->domain != NULL ? nodes[i]->domain : "", nodes[i]->op_type != NULL ? nodes[i]->op_type : "");
      for (gsize k = 0; k < nodes[i]->n_attribute; k++)
        if (nodes[i]->attribute[k]->g != NULL)
          count += count_nodes (model, nodes[i]->attribute[k]->g->node, nodes[i]->attribute[k]->g->n_node);
    }
  return count;
}

double
ph_function_n_nodes (PhModel *model, const PhFunction *function)
{
  PhFunction *own = (PhFunction *) function;
  g_auto(PhArena) arena = { 0 };
  Onnx__FunctionProto *proto;

  if (own->n_nodes == 0)
    {
      own->n_nodes = INFINITY;           /* until it is known: what comes by here again calls itself */
      ph_arena_init (&arena);
      proto = ph_proto_parse (&arena, &onnx__function_proto__descriptor, own->proto);
      own->n_nodes = proto != NULL ? MAX (count_nodes (model, proto->node, proto->n_node), 1) : 1;
    }
  return own->n_nodes;
}

static double
count_call (PhModel *model, const char *domain, const char *op_type)
{
  const PhFunction *function = ph_model_find_function (model, domain, op_type);

  return function != NULL ? ph_function_n_nodes (model, function) : 0;
}

gboolean
ph_model_check_functions (PhModel *model, GError **error)
{
  double all = 0;

  if (model->functions->len == 0)
    return TRUE;
  for (PhId id = 1; id < model->next_id; id++)
    {
      const PhNode *node = ph_model_find_node (model, id);
      double count;

      if (node == NULL || node->op != NULL || ph_node_is_fused (node))
        continue;
      count = count_call (model, node->domain, node->op_type);
      if (isinf (count))
        return ph_node_fail (node, error, PH_ERROR_INVALID, "the function that it calls comes to call itself, which ONNX does not allow");
      all += count;
      if (!ph_growth_check ((gint64) MIN (all, 9e18), NULL))
        {
          g_autoptr(GError) reason = NULL;

          ph_growth_check (G_MAXINT64, &reason);
          return ph_node_fail (node, error, PH_ERROR_FAILED, "it stands for %.0f nodes: %s", count, reason->message);
        }
    }
  return TRUE;
}

/* ── fused nodes ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A body's constants are written as Constant nodes, because a function has no initializers. */
static void
take_constants (PhArena *arena, Onnx__GraphProto *graph)
{
  gsize kept = 0;

  graph->initializer = ph_arena_alloc (arena, graph->n_node * sizeof (gpointer));
  for (gsize i = 0; i < graph->n_node; i++)
    {
      Onnx__NodeProto *node = graph->node[i];

      if (g_strcmp0 (node->doc_string, PH_BODY_CONSTANT) == 0 && node->n_attribute == 1 && node->attribute[0]->t != NULL
          && node->n_output == 1)
        {
          node->attribute[0]->t->name = node->output[0];
          graph->initializer[graph->n_initializer++] = node->attribute[0]->t;
        }
      else
        graph->node[kept++] = node;
    }
  graph->n_node = kept;
}

Onnx__FunctionProto *
ph_import_find_fused (PhImport *import, const Onnx__NodeProto *proto)
{
  Onnx__FunctionProto *function;

  if (g_strcmp0 (proto->domain, "peephole") != 0 || import->depth >= MAX_FUSED_DEPTH)
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
  /* Reading changes the messages, and several nodes may share the function. */
  g_autoptr(GBytes) bytes = ph_proto_to_bytes (&function->base);
  Onnx__FunctionProto *copy = ph_proto_parse (import->arena, &onnx__function_proto__descriptor, bytes);
  Onnx__GraphProto *proto;
  PhGraph *body;
  gboolean ok;

  if (copy == NULL)
    return TRUE;
  proto = function_to_graph (import->arena, copy, node);
  take_constants (import->arena, proto);
  body = ph_node_add_graph (node, "body", node->op_type, error);
  if (body == NULL)
    return FALSE;
  import->depth++;
  ok = ph_import_proto (import, scope, TRUE, body, proto, error);
  import->depth--;
  g_hash_table_add (import->fused, function);
  return ok;
}
