/* onnx-import.c: a ModelProto becomes a graph. Names become values here: scopes, order, duplicates and what is missing are
 * settled once, and after this only ids count.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx-scope.h"

#include <string.h>

const char *
ph_import_name (PhImport *import, const char *name)
{
  g_autofree char *valid = NULL;

  if (name == NULL || name[0] == '\0')
    return "";
  if (g_utf8_validate (name, -1, NULL))
    return ph_intern (name);
  valid = g_utf8_make_valid (name, -1);
  ph_source_problem (import->source, "The name '%s' was not UTF-8 and was mended", valid);
  return ph_intern (valid);
}

/* @closed_too: also where values cannot be seen, since names must differ from those there. */
static gpointer
look_up (PhScope *scope, const char *name, gboolean closed_too)
{
  for (; scope != NULL; scope = scope->closed && !closed_too ? NULL : scope->outer)
    {
      gpointer found = g_hash_table_lookup (scope->names, name);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The name that value @name of a body gets: names are unique in the whole model, while ONNX lets two branches use one. */
static const char *
free_name (PhImport *import, PhScope *scope, const char *name)
{
  g_autofree char *candidate = NULL;

  if (scope->outer == NULL
      || (!g_hash_table_contains (import->model->names, name) && look_up (scope->outer, name, TRUE) == NULL))
    return name;
  for (guint i = 1;; i++)
    {
      const char *interned;

      g_free (candidate);
      candidate = g_strdup_printf ("%s_%u", name, i);
      interned = ph_intern (candidate);
      if (!g_hash_table_contains (import->model->names, interned) && look_up (scope, interned, TRUE) == NULL)
        return interned;
    }
}

/* ── names of a scope ───────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
defined_twice (PhImport *import, PhScope *scope, const char *name, gpointer before, gsize now, gconstpointer place, GError **error)
{
  g_autofree char *first = PENDING_NODE (before) != NO_NODE ? ph_import_describe (scope->proto, PENDING_NODE (before)) :
                           g_strdup ("a graph input or initializer");
  g_autofree char *second = now != NO_NODE ? ph_import_describe (scope->proto, now) : g_strdup ("a graph input or initializer");

  return ph_source_fail (import->source, error, PH_ERROR_INVALID, place, "value '%s' is defined twice in graph '%s': by %s and by %s. "
                         "Every value needs a name of its own", name, scope->graph->name, first, second);
}

static gboolean
announce (PhImport *import, PhScope *scope, const char *name, gsize node, gconstpointer place, GError **error)
{
  gpointer before = g_hash_table_lookup (scope->names, name);

  if (before != NULL)
    return defined_twice (import, scope, name, before, node, place, error);
  g_hash_table_insert (scope->names, (gpointer) name, PENDING (node));
  return TRUE;
}

/* Interns every name in place and notes who will define it. @defaults: initializers by name. */
static gboolean
announce_all (PhImport *import, PhScope *scope, Onnx__GraphProto *proto, GHashTable *defaults, GError **error)
{
  for (gsize i = 0; i < proto->n_input; i++)
    {
      proto->input[i]->name = (char *) ph_import_name (import, proto->input[i]->name);
      if (proto->input[i]->name[0] == '\0')
        return ph_source_fail (import->source, error, PH_ERROR_INVALID, proto->input[i], "input %" G_GSIZE_FORMAT " of graph '%s' has no name",
                               i, scope->graph->name);
      if (!announce (import, scope, proto->input[i]->name, NO_NODE, proto->input[i], error))
        return FALSE;
    }
  for (gsize i = 0; i < proto->n_initializer + proto->n_sparse_initializer; i++)
    {
      gboolean sparse = i >= proto->n_initializer;
      Onnx__TensorProto *tensor = sparse ? proto->sparse_initializer[i - proto->n_initializer]->values : proto->initializer[i];
      const char *name = tensor != NULL ? ph_import_name (import, tensor->name) : "";
      gpointer before;

      if (name[0] == '\0')
        return ph_source_fail (import->source, error, PH_ERROR_INVALID, tensor, "initializer %" G_GSIZE_FORMAT " of graph '%s' has no name",
                               i, scope->graph->name);
      tensor->name = (char *) name;
      before = g_hash_table_lookup (scope->names, name);
      if (g_hash_table_contains (defaults, name))
        return defined_twice (import, scope, name, before, NO_NODE, tensor, error);
      g_hash_table_insert (defaults, (gpointer) name, GSIZE_TO_POINTER (i + 1));
      if (before == NULL)
        g_hash_table_insert (scope->names, (gpointer) name, PENDING (NO_NODE));
    }
  for (gsize i = 0; i < proto->n_node; i++)
    {
      Onnx__NodeProto *node = proto->node[i];

      for (gsize j = 0; j < node->n_output; j++)
        {
          node->output[j] = (char *) ph_import_name (import, node->output[j]);
          if (node->output[j][0] != '\0' && !announce (import, scope, node->output[j], i, node, error))
            return FALSE;
        }
      for (gsize j = 0; j < node->n_input; j++)
        node->input[j] = (char *) ph_import_name (import, node->input[j]);
    }
  return TRUE;
}

/* ── inputs and initializers ────────────────────────────────────────────────────────────────────────────────────── */

/* What a file says of a value beyond its name, type and elements is kept as a fragment of a GraphProto: one value_info,
 * one initializer, both without what the graph holds itself. */
static GBytes *
value_extra (const Onnx__ValueInfoProto *info, const Onnx__TensorProto *tensor, gboolean declared)
{
  static GBytes *plain;
  Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
  Onnx__ValueInfoProto info_copy, *infos = &info_copy;
  Onnx__TensorProto tensor_copy, *tensors = &tensor_copy;
  gboolean special = info != NULL && (info->doc_string != NULL || info->base.n_unknown_fields > 0 || !ph_type_proto_plain (info->type));
  gboolean external = tensor != NULL && tensor->has_data_location && tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  ProtobufCMessageUnknownField *unknown = NULL;
  GBytes *bytes;

  if (g_once_init_enter (&plain))
    g_once_init_leave (&plain, g_bytes_new_static ("\x6a", 2));      /* value_info, empty */
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
import_inputs (PhImport *import, PhScope *scope, Onnx__GraphProto *proto, GHashTable *defaults, GError **error)
{
  for (gsize i = 0; i < proto->n_input; i++)
    {
      Onnx__ValueInfoProto *info = proto->input[i];
      gsize index = GPOINTER_TO_SIZE (g_hash_table_lookup (defaults, info->name));
      g_autoptr(PhTensor) tensor = NULL;
      GError *reason = NULL;
      PhValue *value;

      if (index > 0)
        {
          tensor = read_default (import, proto, index - 1, error);
          if (tensor == NULL)
            return FALSE;
        }
      value = ph_graph_add_input (scope->graph, free_name (import, scope, info->name), ph_type_from_proto (info->type), tensor,
                                  G_MAXUINT, &reason);
      if (value == NULL)
        {
          ph_source_fail (import->source, error, PH_ERROR_INVALID, info, "%s", reason->message);
          g_error_free (reason);
          return FALSE;
        }
      value->extra = value_extra (info, index > 0 && index <= proto->n_initializer ? proto->initializer[index - 1] : NULL, FALSE);
      g_hash_table_insert (scope->names, info->name, value);
    }
  for (gsize i = 0; i < proto->n_initializer + proto->n_sparse_initializer; i++)
    {
      gboolean sparse = i >= proto->n_initializer;
      const char *name = sparse ? proto->sparse_initializer[i - proto->n_initializer]->values->name : proto->initializer[i]->name;
      gpointer known = g_hash_table_lookup (scope->names, name);
      g_autoptr(PhTensor) tensor = NULL;
      PhValue *value;

      if (!IS_PENDING (known))
        continue;
      if (PENDING_NODE (known) != NO_NODE)
        return defined_twice (import, scope, name, known, NO_NODE, sparse ? NULL : proto->initializer[i], error);
      tensor = read_default (import, proto, i, error);
      if (tensor == NULL)
        return FALSE;
      value = ph_graph_add_constant (scope->graph, free_name (import, scope, name), tensor, error);
      if (value == NULL)
        return FALSE;
      value->extra = value_extra (scope->infos != NULL ? g_hash_table_lookup (scope->infos, name) : NULL,
                                  sparse ? NULL : proto->initializer[i], TRUE);
      g_hash_table_insert (scope->names, (gpointer) name, value);
    }
  return TRUE;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char *
find_missing (PhScope *scope, const Onnx__NodeProto *node)
{
  for (gsize i = 0; i < node->n_input; i++)
    if (node->input[i][0] != '\0' && look_up (scope, node->input[i], FALSE) == NULL)
      return node->input[i];
  return NULL;
}

static gboolean
missing (PhImport *import, PhScope *scope, gsize index, const char *name, GError **error)
{
  g_autofree char *label = ph_import_describe (scope->proto, index);

  return ph_source_fail (import->source, error, PH_ERROR_INVALID, scope->proto->node[index], "%s uses '%s', which nothing in graph '%s' "
                         "defines: no node makes it, and it is neither an input nor an initializer", label, name, scope->graph->name);
}

static PhAttr *
import_attr (PhImport *import, PhScope *scope, gsize index, Onnx__AttributeProto *proto, GError **error)
{
  g_autofree char *label = NULL;
  GError *reason = NULL;
  PhAttr *attr = ph_attr_from_proto (import->source, import->arena, proto, &reason);

  if (attr != NULL)
    return attr;
  label = ph_import_describe (scope->proto, index);
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

      ph_source_problem (import->source, "Operator %s is not known: %s can be shown, but neither run nor differentiated", key, label);
      g_hash_table_add (import->unknown, g_steal_pointer (&key));
    }
}

/* Edits say what is wrong with the graph, not which file it came from. */
static gboolean
blame (PhImport *import, const Onnx__NodeProto *proto, GError *reason, GError **error)
{
  ph_source_fail (import->source, error, (PhError) reason->code, proto, "%s", reason->message);
  g_error_free (reason);
  return FALSE;
}

static gboolean
import_node (PhImport *import, PhScope *scope, gsize index, GError **error)
{
  Onnx__NodeProto *proto = scope->proto->node[index];
  g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  g_autoptr(GBytes) extra = NULL;
  PhValue **inputs = g_newa (PhValue *, MIN (proto->n_input, 512) + 1);
  g_autofree PhValue **many_inputs = NULL;
  g_autofree const char **names = g_new (const char *, proto->n_output + 1);
  g_autofree const PhType **types = g_new0 (const PhType *, proto->n_output + 1);
  Onnx__FunctionProto *fused = ph_import_find_fused (import, proto);
  GError *reason = NULL;
  PhNode *node;

  if (proto->n_input > 512)
    inputs = many_inputs = g_new (PhValue *, proto->n_input);
  if (proto->op_type == NULL || proto->op_type[0] == '\0')
    return ph_source_fail (import->source, error, PH_ERROR_INVALID, proto, "node %" G_GSIZE_FORMAT " of graph '%s' has no operator",
                           index, scope->graph->name);
  for (gsize i = 0; i < proto->n_input; i++)
    inputs[i] = proto->input[i][0] != '\0' ? look_up (scope, proto->input[i], FALSE) : NULL;
  for (gsize i = 0; i < proto->n_output; i++)
    {
      Onnx__ValueInfoProto *info = scope->infos != NULL ? g_hash_table_lookup (scope->infos, proto->output[i]) : NULL;

      names[i] = proto->output[i][0] != '\0' ? free_name (import, scope, proto->output[i]) : NULL;
      if (info != NULL && names[i] != NULL)
        types[i] = ph_type_from_proto (info->type);
    }
  for (gsize i = 0; i < proto->n_attribute; i++)
    if (!ph_import_is_body (proto->attribute[i]))
      {
        PhAttr *attr = import_attr (import, scope, index, proto->attribute[i], error);

        if (attr == NULL)
          return FALSE;
        g_ptr_array_add (attrs, attr);
      }
  extra = ph_import_node_extra (proto);
  {
    const char *domain = ph_import_name (import, proto->domain);
    PhNodeSpec spec = {
      .op_type = ph_import_name (import, fused != NULL && fused->doc_string != NULL ? fused->doc_string : proto->op_type), .domain = g_str_equal (domain, "ai.onnx") ? "" : domain,
      .name = ph_import_name (import, proto->name), .inputs = inputs, .n_inputs = proto->n_input, .n_outputs = proto->n_output,
      .output_names = names, .output_types = types, .attrs = (PhAttr *const *) attrs->pdata, .n_attrs = attrs->len, .extra = extra,
    };

    ph_import_take_tags (import, attrs, &spec);
    node = ph_graph_add_node (scope->graph, &spec, &reason);
    if (node == NULL)
      return blame (import, proto, reason, error);
  }
  for (gsize i = 0; i < proto->n_attribute; i++)
    if (ph_import_is_body (proto->attribute[i]))
      {
        Onnx__GraphProto *body_proto = proto->attribute[i]->g;
        PhGraph *body = ph_node_add_graph (node, ph_import_name (import, proto->attribute[i]->name),
                                           ph_import_name (import, body_proto->name), &reason);

        if (body == NULL)
          return blame (import, proto, reason, error);
        if (!ph_import_graph (import, scope, FALSE, body, body_proto, error))
          return FALSE;
      }
  if (fused != NULL && !ph_import_fused (import, scope, node, fused, error))
    return FALSE;
  for (gsize i = 0; i < proto->n_output; i++)
    if (names[i] != NULL)
      {
        PhValue *value = node->outputs->pdata[i];
        Onnx__ValueInfoProto *info = scope->infos != NULL ? g_hash_table_lookup (scope->infos, proto->output[i]) : NULL;

        if (info != NULL)
          value->extra = value_extra (info, NULL, TRUE);
        g_hash_table_insert (scope->names, proto->output[i], value);
      }
    else
      ((PhValue *) node->outputs->pdata[i])->extra = g_bytes_new_static (PH_ABSENT_OUTPUT, sizeof PH_ABSENT_OUTPUT);
  note_unknown (import, node);
  return TRUE;
}

static gboolean
import_nodes (PhImport *import, PhScope *scope, GError **error)
{
  g_autofree gsize *order = NULL;

  for (gsize i = 0; i < scope->proto->n_node; i++)
    {
      gsize index = order != NULL ? order[i] : i;
      const char *name;

      name = find_missing (scope, scope->proto->node[index]);
      if (name != NULL)
        return missing (import, scope, index, name, error);
      if (order == NULL && !ph_import_is_ready (scope, index))
        {
          order = ph_import_sort (import, scope, i, error);
          if (order == NULL)
            return FALSE;
          if (order[i] != index)
            {
              g_autofree char *label = ph_import_describe (scope->proto, index);

              ph_source_problem (import->source, "The nodes of graph '%s' are out of order, the first is %s: they were sorted",
                                 scope->graph->name, label);
            }
          index = order[i];
          name = find_missing (scope, scope->proto->node[index]);
          if (name != NULL)
            return missing (import, scope, index, name, error);
        }
      if (!import_node (import, scope, index, error))
        return FALSE;
    }
  return TRUE;
}

/* ── graphs ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
import_outputs (PhImport *import, PhScope *scope, Onnx__GraphProto *proto, GError **error)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < proto->n_output; i++)
    {
      const char *name = ph_import_name (import, proto->output[i]->name);
      PhValue *value = look_up (scope, name, FALSE);

      if (value == NULL)
        return ph_source_fail (import->source, error, PH_ERROR_INVALID, proto->output[i], "output %" G_GSIZE_FORMAT " of graph '%s' is '%s', "
                               "which nothing in the graph defines", i, scope->graph->name, name);
      if (!g_hash_table_add (seen, (gpointer) name) && !import->source->lenient)
        return ph_source_fail (import->source, error, PH_ERROR_INVALID, proto->output[i], "graph '%s' has the output '%s' twice. "
                               "Give one of them an Identity of its own", scope->graph->name, name);
      if (!ph_graph_set_output (scope->graph, i, value, error))
        return FALSE;
    }
  return TRUE;
}

static GHashTable *
collect_infos (PhImport *import, const Onnx__GraphProto *proto)
{
  GHashTable *infos = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < proto->n_value_info; i++)
    {
      proto->value_info[i]->name = (char *) ph_import_name (import, proto->value_info[i]->name);
      g_hash_table_insert (infos, proto->value_info[i]->name, proto->value_info[i]);
    }
  return infos;
}

/* Types of outputs are set on values that have none yet, and merged with those that have. */
static void
apply_output_types (PhImport *import, PhScope *scope, const Onnx__GraphProto *proto)
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

/* What the graph itself says that Peephole does not read, and types of values that it does not have. */
static GBytes *
graph_extra (PhScope *scope, const Onnx__GraphProto *proto)
{
  Onnx__GraphProto copy = ONNX__GRAPH_PROTO__INIT;
  g_autoptr(GPtrArray) infos = g_ptr_array_new ();

  for (gsize i = 0; i < proto->n_value_info; i++)
    {
      PhValue *value = g_hash_table_lookup (scope->names, proto->value_info[i]->name);

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

gboolean
ph_import_graph (PhImport *import, PhScope *outer, gboolean closed, PhGraph *graph, Onnx__GraphProto *proto, GError **error)
{
  g_autoptr(GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) defaults = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) infos = proto->n_value_info > 0 ? collect_infos (import, proto) : NULL;
  PhScope scope = { outer, graph, names, infos, closed, proto };

  if (!announce_all (import, &scope, proto, defaults, error)
      || !import_inputs (import, &scope, proto, defaults, error)
      || !import_nodes (import, &scope, error)
      || !import_outputs (import, &scope, proto, error))
    return FALSE;
  apply_output_types (import, &scope, proto);
  graph->extra = graph_extra (&scope, proto);
  return TRUE;
}
