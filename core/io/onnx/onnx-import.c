/* onnx-import.c: builds a graph from a ModelProto: describes the messages to core/io/import.h by their names, and makes each value and node
 * from its message on request.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-import.h"

#include "core/io/onnx/onnx-tensor.h"

/* A graph of the file, with the messages from which its parts were read. */
typedef struct
{
  PhImportGraph graph;
  Onnx__GraphProto *proto;
  GHashTable *defaults; /* name -> 1 + index of its initializer, sparse ones after the others */
  GHashTable *infos;    /* (nullable) interned name -> ValueInfoProto                              */
} Description;

static gboolean
is_body (const Onnx__AttributeProto *attr)
{
  return attr->g != NULL && (attr->ref_attr_name == NULL || attr->ref_attr_name[0] == '\0');
}

/* ── the names of a graph ───────────────────────────────────────────────────────────────────────────────────────── */

static Onnx__TensorProto *
initializer (const Onnx__GraphProto *proto, gsize i)
{
  return i < proto->n_initializer ? proto->initializer[i] : proto->sparse_initializer[i - proto->n_initializer]->values;
}

static gboolean
nameless (PhImport *import, const PhImportGraph *graph, const char *what, gsize i, gconstpointer part, GError **error)
{
  return ph_source_fail (import->source->base, error, PH_ERROR_INVALID, part, "%s %" G_GSIZE_FORMAT " of graph '%s' has no name",
                         what, i, graph->name);
}

static Description *describe (PhImport *import, Onnx__GraphProto *proto, const char *attr, GError **error);

/* Interns a name unless the parser has done so. */
static const char *
name_of (PhImport *import, const char *name)
{
  return name != NULL && ph_intern_is (name) ? name : ph_importer_name (&import->base, name);
}

static gboolean
describe_node (PhImport *import, Onnx__NodeProto *proto, PhImportNode *node, GError **error)
{
  PhImportGraph **bodies = proto->n_attribute > 0 ? ph_arena_alloc (import->arena, proto->n_attribute * sizeof *bodies) : NULL;

  for (gsize j = 0; j < proto->n_output; j++)
    proto->output[j] = (char *) name_of (import, proto->output[j]);
  for (gsize j = 0; j < proto->n_input; j++)
    proto->input[j] = (char *) name_of (import, proto->input[j]);
  *node = (PhImportNode) {
    .op_type = name_of (import, proto->op_type),
    .name = name_of (import, proto->name),
    .domain = name_of (import, proto->domain),
    .inputs = (const char *const *) proto->input,
    .n_inputs = proto->n_input,
    .outputs = (const char *const *) proto->output,
    .n_outputs = proto->n_output,
    .bodies = bodies,
    .part = proto,
  };
  if (g_str_equal (node->domain, "ai.onnx"))
    node->domain = "";
  ph_import_read_after (import, proto, node);
  for (gsize j = 0; j < proto->n_attribute; j++)
    if (is_body (proto->attribute[j]))
      {
        Description *body = describe (import, proto->attribute[j]->g, ph_importer_name (&import->base, proto->attribute[j]->name),
                                      error);

        if (body == NULL)
          return FALSE;
        bodies[node->n_bodies++] = &body->graph;
      }
  return TRUE;
}

/* Interns every name in place. */
static Description *
describe (PhImport *import, Onnx__GraphProto *proto, const char *attr, GError **error)
{
  Description *self = ph_arena_alloc0 (import->arena, sizeof *self);
  PhImportGraph *graph = &self->graph;
  PhImportValue *inputs = ph_arena_alloc0 (import->arena, proto->n_input * sizeof *inputs);
  PhImportValue *outputs = ph_arena_alloc0 (import->arena, proto->n_output * sizeof *outputs);
  gsize n = proto->n_initializer + proto->n_sparse_initializer;
  PhImportValue *constants = ph_arena_alloc0 (import->arena, n * sizeof *constants);
  PhImportNode *nodes = ph_arena_alloc (import->arena, proto->n_node * sizeof *nodes);

  self->proto = proto;
  self->defaults = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (import->tables, self->defaults);
  *graph = (PhImportGraph) { .name = ph_importer_name (&import->base, proto->name),
                             .attr = attr,
                             .inputs = inputs,
                             .n_inputs = proto->n_input,
                             .constants = constants,
                             .nodes = nodes,
                             .n_nodes = proto->n_node,
                             .outputs = outputs,
                             .n_outputs = proto->n_output };
  for (gsize i = 0; i < proto->n_input; i++)
    {
      inputs[i] = (PhImportValue) { .name = ph_importer_name (&import->base, proto->input[i]->name), .part = proto->input[i] };
      proto->input[i]->name = (char *) inputs[i].name;
      if (inputs[i].name[0] == '\0')
        return nameless (import, graph, "input", i, proto->input[i], error), NULL;
      g_hash_table_insert (self->defaults, (gpointer) inputs[i].name, GSIZE_TO_POINTER (0));
    }
  for (gsize i = 0; i < n; i++)
    {
      Onnx__TensorProto *tensor = initializer (proto, i);
      const char *name = tensor != NULL ? ph_importer_name (&import->base, tensor->name) : "";
      gpointer before = NULL;

      if (name[0] == '\0')
        return nameless (import, graph, "initializer", i, tensor, error), NULL;
      tensor->name = (char *) name;
      /* The first initializer with an input's name is its default; any other creates a value. */
      if (!g_hash_table_lookup_extended (self->defaults, name, NULL, &before) || before != NULL)
        constants[graph->n_constants++] = (PhImportValue) { .name = name, .part = tensor };
      if (before == NULL)
        g_hash_table_insert (self->defaults, (gpointer) name, GSIZE_TO_POINTER (i + 1));
    }
  for (gsize i = 0; i < proto->n_node; i++)
    if (!describe_node (import, proto->node[i], &nodes[i], error))
      return NULL;
  for (gsize i = 0; i < proto->n_output; i++)
    outputs[i] = (PhImportValue) { .name = ph_importer_name (&import->base, proto->output[i]->name), .part = proto->output[i] };
  if (proto->n_value_info > 0)
    {
      self->infos = g_hash_table_new (NULL, NULL);
      g_ptr_array_add (import->tables, self->infos);
    }
  for (gsize i = 0; i < proto->n_value_info; i++)
    {
      proto->value_info[i]->name = (char *) ph_importer_name (&import->base, proto->value_info[i]->name);
      g_hash_table_insert (self->infos, proto->value_info[i]->name, proto->value_info[i]);
    }
  return self;
}

static Onnx__ValueInfoProto *
find_info (const Description *self, const char *name)
{
  return self->infos != NULL ? g_hash_table_lookup (self->infos, name) : NULL;
}

/* ── inputs and initializers ────────────────────────────────────────────────────────────────────────────────────── */

/* Keeps all that a file says of a value beyond its name, type and elements as a fragment of a GraphProto: one value_info, one
 * initializer. */
static GBytes *
value_extra (const Onnx__ValueInfoProto *info, const Onnx__TensorProto *tensor, gboolean declared)
{
  static GBytes *plain;
  Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
  Onnx__ValueInfoProto info_copy, *infos = &info_copy;
  Onnx__TensorProto tensor_copy, *tensors = &tensor_copy;
  gboolean special = info != NULL
                     && (info->doc_string != NULL || info->base.n_unknown_fields > 0 || !ph_type_proto_plain (info->type));
  gboolean external = tensor != NULL && tensor->has_data_location
                      && tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  ProtobufCMessageUnknownField *unknown = NULL;
  GBytes *bytes;

  if (g_once_init_enter (&plain))
    g_once_init_leave (&plain, g_bytes_new_static ("\x6a", 2)); /* value_info, empty */
  if (info != NULL && (special || declared))
    {
      info_copy = *info;
      info_copy.name = NULL;
      if (ph_type_proto_plain (info->type))
        info_copy.type = NULL;
      graph.n_value_info = 1;
      graph.value_info = &infos;
    }
  if (tensor != NULL && (tensor->doc_string != NULL || external || tensor->base.n_unknown_fields > 0))
    {
      onnx__tensor_proto__init (&tensor_copy);
      tensor_copy.doc_string = tensor->doc_string;
      if (external)
        {
          tensor_copy.n_external_data = tensor->n_external_data;
          tensor_copy.external_data = tensor->external_data;
          tensor_copy.has_data_location = TRUE;
          tensor_copy.data_location = tensor->data_location;
        }
      unknown = g_new (ProtobufCMessageUnknownField, tensor->base.n_unknown_fields);
      for (guint i = 0; i < tensor->base.n_unknown_fields; i++)
        if (tensor->base.unknown_fields[i].tag != PH_TENSOR_SLICE)
          unknown[tensor_copy.base.n_unknown_fields++] = tensor->base.unknown_fields[i];
      tensor_copy.base.unknown_fields = unknown;
      if (tensor_copy.doc_string != NULL || external || tensor_copy.base.n_unknown_fields > 0)
        {
          graph.n_initializer = 1;
          graph.initializer = &tensors;
        }
    }
  if (graph.n_initializer == 0 && graph.n_value_info == 0)
    bytes = NULL;
  else if (graph.n_initializer == 0 && !special)
    bytes = g_bytes_ref (plain);
  else
    bytes = ph_proto_to_bytes (&graph.base);
  g_free (unknown);
  return bytes;
}

static PhTensor *
read_default (PhImport *import, const Onnx__GraphProto *proto, gsize index, GError **error)
{
  g_autofree char *what = NULL;

  if (index >= proto->n_initializer)
    {
      what = g_strdup_printf ("sparse initializer '%s'", proto->sparse_initializer[index - proto->n_initializer]->values->name);
      return ph_tensor_from_sparse (import->source, proto->sparse_initializer[index - proto->n_initializer], what, error);
    }
  what = g_strdup_printf ("initializer '%s'", proto->initializer[index]->name);
  return ph_tensor_from_proto (import->source, proto->initializer[index], what, error);
}

static gboolean
import_inputs (PhImport *import, PhScope *scope, const Description *file, GError **error)
{
  Onnx__GraphProto *proto = file->proto;

  for (gsize i = 0; i < file->graph.n_inputs; i++)
    {
      PhImportValue input = file->graph.inputs[i];
      gsize index = GPOINTER_TO_SIZE (g_hash_table_lookup (file->defaults, input.name));
      g_autoptr (PhTensor) tensor = NULL;

      if (index > 0)
        {
          tensor = read_default (import, proto, index - 1, error);
          if (tensor == NULL)
            return FALSE;
        }
      input.type = ph_type_from_proto (proto->input[i]->type);
      input.tensor = tensor;
      if (!ph_scope_add_input (scope, &input, error))
        return FALSE;
      ph_scope_find (scope, input.name)->extra = value_extra (
          proto->input[i], index > 0 && index <= proto->n_initializer ? proto->initializer[index - 1] : NULL, FALSE);
    }
  for (gsize i = 0; i < file->graph.n_constants; i++)
    {
      PhImportValue constant = file->graph.constants[i];
      gsize index = GPOINTER_TO_SIZE (g_hash_table_lookup (file->defaults, constant.name)) - 1;
      g_autoptr (PhTensor) tensor = read_default (import, proto, index, error);

      if (tensor == NULL)
        return FALSE;
      constant.tensor = tensor;
      if (!ph_scope_add_constant (scope, &constant, error))
        return FALSE;
      ph_scope_find (scope, constant.name)->extra = value_extra (
          find_info (file, constant.name), index < proto->n_initializer ? proto->initializer[index] : NULL, TRUE);
    }
  return TRUE;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhAttr *
import_attr (PhImport *import, PhScope *scope, gsize index, Onnx__AttributeProto *proto, GError **error)
{
  g_autofree char *label = NULL;
  GError *reason = NULL;
  PhAttr *attr = ph_attr_from_proto (import->source, import->arena, proto, &reason);

  if (attr != NULL)
    return attr;
  label = ph_scope_describe (scope, index);
  g_propagate_prefixed_error (error, reason, "%s: ", label);
  return NULL;
}

static void
note_unknown (PhImport *import, const PhNode *node)
{
  g_autofree char *key = NULL;

  if (node->op != NULL || ph_import_function (import, node->domain, node->op_type) != NULL || ph_node_is_fused (node))
    return;
  key = g_strdup_printf ("%s%s%s", node->domain, node->domain[0] != '\0' ? "." : "", node->op_type);
  if (!g_hash_table_contains (import->unknown, key))
    {
      g_autofree char *label = ph_node_label (node);

      ph_source_problem (import->source->base, "Operator %s is not known: %s can be shown, but neither run nor differentiated",
                         key, label);
      g_hash_table_add (import->unknown, g_steal_pointer (&key));
    }
}

typedef struct
{
  PhImport *import;
  const Description *file;
} Making;

static gboolean import_described (PhImport *import, PhScope *outer, gboolean closed, PhGraph *graph, const Description *file,
                                  GError **error);

static PhNode *
import_node (PhScope *scope, gsize index, PhNodeSpec *spec, gpointer data, GError **error)
{
  const Making *making = data;
  PhImport *import = making->import;
  const PhImportNode *file = &scope->file->nodes[index];
  Onnx__NodeProto *proto = making->file->proto->node[index];
  g_autoptr (GPtrArray) attrs = NULL;
  g_autoptr (GBytes) extra = ph_import_node_extra (import, proto);
  const PhType *few[8] = { NULL };
  g_autofree const PhType **many = proto->n_output > G_N_ELEMENTS (few) ? g_new0 (const PhType *, proto->n_output) : NULL;
  const PhType **types = many != NULL ? many : few;
  Onnx__FunctionProto *fused = ph_import_find_fused (import, proto);
  GError *reason = NULL;
  PhNode *node;

  for (gsize i = 0; i < proto->n_output; i++)
    {
      Onnx__ValueInfoProto *info = find_info (making->file, proto->output[i]);

      if (info != NULL && spec->output_names[i] != NULL)
        types[i] = ph_type_from_proto (info->type);
    }
  for (gsize i = 0; i < proto->n_attribute; i++)
    if (!is_body (proto->attribute[i]) && !ph_is_tag (proto->attribute[i]->name))
      {
        PhAttr *attr = import_attr (import, scope, index, proto->attribute[i], error);

        if (attr == NULL)
          return NULL;
        if (attrs == NULL)
          attrs = g_ptr_array_new_full ((guint) proto->n_attribute, (GDestroyNotify) ph_attr_unref);
        g_ptr_array_add (attrs, attr);
      }
  if (fused != NULL && fused->doc_string != NULL)
    spec->op_type = ph_importer_name (&import->base, fused->doc_string);
  spec->output_types = types;
  spec->extra = extra;
  spec->attrs = attrs != NULL ? (PhAttr *const *) attrs->pdata : NULL;
  spec->n_attrs = attrs != NULL ? attrs->len : 0;
  ph_import_read_tags (import, scope, proto, spec);
  node = ph_graph_add_node (scope->graph, spec, &reason);
  if (node == NULL)
    return ph_scope_blame (scope, proto, reason, error), NULL;
  for (gsize i = 0; i < file->n_bodies; i++)
    {
      PhGraph *body = ph_node_add_graph (node, file->bodies[i]->attr, file->bodies[i]->name, &reason);

      if (body == NULL)
        return ph_scope_blame (scope, proto, reason, error), NULL;
      if (!import_described (import, scope, file->n_bodies == 1 && ph_node_is_fused (node), body,
                             (const Description *) file->bodies[i], error))
        return NULL;
    }
  if (fused != NULL && !ph_import_fused (import, scope, node, fused, error))
    return NULL;
  for (gsize i = 0; i < proto->n_output; i++)
    {
      PhValue *value = ph_node_output (node, (guint) i);
      Onnx__ValueInfoProto *info = find_info (making->file, proto->output[i]);

      if (file->outputs[i][0] == '\0')
        value->extra = g_bytes_new_static (PH_ABSENT_OUTPUT, sizeof PH_ABSENT_OUTPUT);
      else if (info != NULL)
        value->extra = value_extra (info, NULL, TRUE);
    }
  note_unknown (import, node);
  return node;
}

/* ── graphs ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Sets the declared types of outputs, or merges them with known ones. */
static void
apply_output_types (PhScope *scope, const Onnx__GraphProto *proto)
{
  for (gsize i = 0; i < proto->n_output; i++)
    {
      PhValue *value = scope->graph->outputs->pdata[i];
      const PhType *declared = ph_type_from_proto (proto->output[i]->type), *merged;

      if (value->graph != scope->graph || value->producer == NULL)
        continue;
      merged = value->type == NULL ? declared : declared == NULL ? value->type : ph_type_merge (value->type, declared);
      if (merged != NULL && merged != value->type)
        ph_value_set_type (value, merged, NULL);
      if (value->extra == NULL)
        value->extra = value_extra (proto->output[i], NULL, FALSE);
    }
}

/* Returns the graph's own fields that Peephole does not interpret, and the types of values that are not in the graph. */
static GBytes *
graph_extra (PhScope *scope, const Onnx__GraphProto *proto)
{
  Onnx__GraphProto copy = ONNX__GRAPH_PROTO__INIT;
  g_autoptr (GPtrArray) infos = g_ptr_array_new ();

  for (gsize i = 0; i < proto->n_value_info; i++)
    {
      PhValue *value = ph_names_find (scope->names, proto->value_info[i]->name);

      if (value == NULL || value->is_input)
        g_ptr_array_add (infos, proto->value_info[i]);
    }
  copy.base.n_unknown_fields = proto->base.n_unknown_fields;
  copy.base.unknown_fields = proto->base.unknown_fields;
  copy.doc_string = proto->doc_string;
  copy.n_quantization_annotation = proto->n_quantization_annotation;
  copy.quantization_annotation = proto->quantization_annotation;
  copy.n_value_info = infos->len;
  copy.value_info = (Onnx__ValueInfoProto **) infos->pdata;
  if (protobuf_c_message_get_packed_size (&copy.base) == 0)
    return NULL;
  return ph_proto_to_bytes (&copy.base);
}

static gboolean
import_described (PhImport *import, PhScope *outer, gboolean closed, PhGraph *graph, const Description *file, GError **error)
{
  g_auto (PhScope) scope = { 0 };
  Making making = { import, file };

  ph_scope_init (&scope, &import->base, outer, closed, graph, &file->graph);
  if (!ph_scope_announce (&scope, error) || !import_inputs (import, &scope, file, error)
      || !ph_scope_add_nodes (&scope, import_node, &making, error) || !ph_scope_set_outputs (&scope, error))
    return FALSE;
  apply_output_types (&scope, file->proto);
  graph->extra = graph_extra (&scope, file->proto);
  return TRUE;
}

gboolean
ph_import_proto (PhImport *import, PhScope *outer, gboolean closed, PhGraph *graph, Onnx__GraphProto *proto, GError **error)
{
  const Description *file = describe (import, proto, NULL, error);

  return file != NULL && import_described (import, outer, closed, graph, file, error);
}
