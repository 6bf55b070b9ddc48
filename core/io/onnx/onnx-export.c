/* onnx-export.c: turns a graph back into a ModelProto whose messages borrow names and elements from it. Fields that the reader kept without
 * interpreting them are restored from the extras.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-export.h"
#include "core/io/onnx/onnx-import.h"
#include "core/io/onnx/onnx-tensor.h"

#include <string.h>

#include "core/ops/dialect.h"

static Onnx__GraphProto *export_graph (PhExport *export, PhGraph *graph);

static gpointer
new_array (PhExport *export, gsize n)
{
  return ph_arena_alloc (export->arena, MAX (n, 1) * sizeof (gpointer));
}

static char *print (PhExport *export, const char *format, ...) G_GNUC_PRINTF (2, 3);

static char *
print (PhExport *export, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_arena_strndup (export->arena, text, strlen (text));
}

/* ── tensors and attributes ─────────────────────────────────────────────────────────────────────────────────────── */

static Onnx__TensorProto *
export_tensor (PhExport *export, PhTensor *tensor, const char *name)
{
  Onnx__TensorProto *proto;

  if (export->tensors == NULL)
    return ph_tensor_to_proto (export->arena, tensor, name);
  proto = ph_proto_new (export->arena, Onnx__TensorProto, onnx__tensor_proto);
  proto->name = (char *) name;
  proto->has_data_type = TRUE;
  proto->data_type = ph_tensor_dtype (tensor);
  proto->n_dims = ph_tensor_rank (tensor);
  proto->dims = (gint64 *) ph_tensor_dims (tensor);
  g_hash_table_insert (export->tensors, proto, tensor);
  return proto;
}

static ProtobufCBinaryData
borrow (GBytes *bytes)
{
  gsize length = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return (ProtobufCBinaryData) { length, (guint8 *) data };
}

Onnx__AttributeProto *
ph_attr_to_proto (PhExport *export, const PhAttr *attr)
{
  Onnx__AttributeProto *proto;

  if (attr->kind == PH_ATTR_OPAQUE)
    {
      proto = attr->s != NULL ? ph_proto_parse (export->arena, &onnx__attribute_proto__descriptor, attr->s) : NULL;
      if (proto != NULL)
        {
          proto->name = (char *) attr->name;
          return proto;
        }
    }
  proto = ph_proto_new (export->arena, Onnx__AttributeProto, onnx__attribute_proto);
  proto->name = (char *) attr->name;
  proto->has_type = TRUE;
  proto->type = (Onnx__AttributeProto__AttributeType) attr->kind;
  switch (attr->kind)
    {
    case PH_ATTR_REF:
      proto->ref_attr_name = (char *) attr->ref;
      proto->has_type = attr->i != 0;
      proto->type = (Onnx__AttributeProto__AttributeType) attr->i;
      break;
    case PH_ATTR_FLOAT:
      proto->has_f = TRUE;
      proto->f = attr->f;
      break;
    case PH_ATTR_INT:
      proto->has_i = TRUE;
      proto->i = attr->i;
      break;
    case PH_ATTR_STRING:
      proto->has_s = TRUE;
      proto->s = borrow (attr->s);
      break;
    case PH_ATTR_TENSOR:
      if (attr->tensor != NULL)
        proto->t = export_tensor (export, attr->tensor, NULL);
      break;
    case PH_ATTR_FLOATS:
      proto->n_floats = attr->n;
      proto->floats = attr->floats;
      break;
    case PH_ATTR_INTS:
      proto->n_ints = attr->n;
      proto->ints = attr->ints;
      break;
    case PH_ATTR_STRINGS:
      proto->n_strings = attr->n;
      proto->strings = ph_arena_alloc (export->arena, attr->n * sizeof *proto->strings);
      for (gsize i = 0; i < attr->n; i++)
        proto->strings[i] = borrow (attr->strings[i]);
      break;
    case PH_ATTR_TENSORS:
      proto->n_tensors = attr->n;
      proto->tensors = new_array (export, attr->n);
      for (gsize i = 0; i < attr->n; i++)
        proto->tensors[i] = export_tensor (export, attr->tensors[i], NULL);
      break;
    case PH_ATTR_GRAPH:
    case PH_ATTR_GRAPHS:
    case PH_ATTR_OPAQUE:
    default: break;
    }
  return proto;
}

/* ── values ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* While the key of a body is computed, values are numbered rather than named. */
static char *
name_of (PhExport *export, const PhValue *value)
{
  const char *alias;

  if (value == NULL)
    return (char *) "";
  alias = export->aliases != NULL ? g_hash_table_lookup (export->aliases, value) : NULL;
  return (char *) (alias != NULL ? alias : value->name);
}

static Onnx__GraphProto *
parse_extra (PhExport *export, GBytes *extra)
{
  return extra != NULL ? ph_proto_parse (export->arena, &onnx__graph_proto__descriptor, extra) : NULL;
}

/* Returns TRUE for an output that is absent from the file and has a name only in memory. */
static gboolean
is_absent (const PhValue *value)
{
  gsize size;
  gconstpointer data = value->extra != NULL ? g_bytes_get_data (value->extra, &size) : NULL;

  return data != NULL && size == sizeof PH_ABSENT_OUTPUT && memcmp (data, PH_ABSENT_OUTPUT, size) == 0
         && ph_value_n_uses (value) == 0;
}

static Onnx__ValueInfoProto *
export_info (PhExport *export, const PhValue *value)
{
  Onnx__GraphProto *extra = parse_extra (export, value->extra);
  Onnx__ValueInfoProto *info = extra != NULL && extra->n_value_info > 0 ? extra->value_info[0] : NULL;

  if (info == NULL)
    info = ph_proto_new (export->arena, Onnx__ValueInfoProto, onnx__value_info_proto);
  info->name = name_of (export, value);
  info->type = ph_type_overlay (export->arena, info->type, value->type);
  return info;
}

/* Returns TRUE if the type of an intermediate value is written: if the file had it, or if it could not be inferred. */
static gboolean
wants_info (const PhValue *value)
{
  if (value->extra != NULL)
    return TRUE;
  return value->producer != NULL && value->producer->op == NULL && !ph_node_is_fused (value->producer) && value->type != NULL;
}

static Onnx__TensorProto *
export_initializer (PhExport *export, const PhValue *value)
{
  Onnx__TensorProto *proto = export_tensor (export, value->tensor, name_of (export, value));
  Onnx__GraphProto *extra = parse_extra (export, value->extra);

  if (extra != NULL && extra->n_initializer > 0)
    {
      proto->doc_string = extra->initializer[0]->doc_string;
      proto->base.n_unknown_fields = extra->initializer[0]->base.n_unknown_fields;
      proto->base.unknown_fields = extra->initializer[0]->base.unknown_fields;
      if (extra->initializer[0]->has_data_location)
        export->had_external = TRUE;
    }
  return proto;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
merge_extra (PhExport *export, Onnx__NodeProto *proto, GBytes *bytes)
{
  Onnx__NodeProto *extra = ph_proto_parse (export->arena, &onnx__node_proto__descriptor, bytes);

  if (extra == NULL)
    return;
  proto->doc_string = extra->doc_string;
  proto->base.n_unknown_fields = extra->base.n_unknown_fields;
  proto->base.unknown_fields = extra->base.unknown_fields;
  for (gsize i = 0; i < extra->n_attribute; i++)
    for (gsize j = 0; j < proto->n_attribute; j++)
      {
        const Onnx__AttributeProto *from = extra->attribute[i];
        Onnx__AttributeProto *to = proto->attribute[j];

        if (g_strcmp0 (from->name, to->name) != 0)
          continue;
        to->doc_string = from->doc_string;
        if (to->base.n_unknown_fields == 0)
          {
            to->base.n_unknown_fields = from->base.n_unknown_fields;
            to->base.unknown_fields = from->base.unknown_fields;
          }
        if (from->t != NULL && to->t != NULL)
          {
            to->t->name = from->t->name;
            to->t->doc_string = from->t->doc_string;
            to->t->base.n_unknown_fields = from->t->base.n_unknown_fields;
            to->t->base.unknown_fields = from->t->base.unknown_fields;
          }
        break;
      }
}

/* Returns the node's name, with a numeric suffix if it is taken. */
static char *
unique_node_name (PhExport *export, const PhNode *node)
{
  const char *name = node->name;

  if (!export->plain || export->node_names == NULL)
    return (char *) name;
  for (guint suffix = GPOINTER_TO_UINT (g_hash_table_lookup (export->node_names, name)); suffix > 0; suffix++)
    {
      g_autofree char *numbered = g_strdup_printf ("%s_%u", node->name, suffix);

      if (g_hash_table_contains (export->node_names, ph_intern (numbered)))
        continue;
      g_hash_table_insert (export->node_names, (gpointer) node->name, GUINT_TO_POINTER (suffix + 1));
      name = ph_intern (numbered);
      break;
    }
  g_hash_table_insert (export->node_names, (gpointer) name,
                       GUINT_TO_POINTER (MAX (1, GPOINTER_TO_UINT (g_hash_table_lookup (export->node_names, name)))));
  return (char *) name;
}

static Onnx__NodeProto *
export_node (PhExport *export, PhNode *node)
{
  Onnx__NodeProto *proto = ph_proto_new (export->arena, Onnx__NodeProto, onnx__node_proto);
  gboolean call = export->plain && ph_node_is_fused (node) && ph_node_is_own (node);
  guint n_graphs = node->graphs != NULL && !call ? node->graphs->len : 0;

  proto->op_type = (char *) node->op_type;
  if (node->domain[0] != '\0')
    proto->domain = (char *) node->domain;
  if (node->name[0] != '\0' && !export->nameless)
    proto->name = unique_node_name (export, node);
  proto->n_input = node->inputs->len;
  proto->input = new_array (export, proto->n_input);
  for (guint i = 0; i < node->inputs->len; i++)
    proto->input[i] = name_of (export, node->inputs->pdata[i]);
  proto->n_output = node->outputs->len;
  proto->output = new_array (export, proto->n_output);
  for (guint i = 0; i < node->outputs->len; i++)
    proto->output[i] = is_absent (node->outputs->pdata[i]) ? (char *) "" : name_of (export, node->outputs->pdata[i]);
  proto->attribute = new_array (export, node->attrs->len + n_graphs + 5);
  for (guint i = 0; i < node->attrs->len; i++)
    if (export->plain || !ph_is_tag (((PhAttr *) node->attrs->pdata[i])->name)) /* those are written below */
      proto->attribute[proto->n_attribute++] = ph_attr_to_proto (export, node->attrs->pdata[i]);
  for (guint i = 0; i < n_graphs; i++)
    {
      PhGraph *graph = node->graphs->pdata[i];
      Onnx__AttributeProto *attr = ph_proto_new (export->arena, Onnx__AttributeProto, onnx__attribute_proto);

      attr->name = (char *) graph->attr;
      attr->has_type = TRUE;
      attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
      attr->g = export_graph (export, graph);
      proto->attribute[proto->n_attribute++] = attr;
    }
  if (node->extra != NULL && !export->nameless)
    merge_extra (export, proto, node->extra);
  ph_export_add_tags (export, proto, node);
  if (call)
    proto->op_type = (char *) ph_export_fused (export, node);
  return proto;
}

/* ── graphs ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the name of an output. ONNX wants the outputs of a graph to be distinct and computed in it: if they are not, adds an Identity. */
static char *
export_output (PhExport *export, PhGraph *graph, guint index, Onnx__NodeProto **identity)
{
  PhValue *value = graph->outputs->pdata[index];
  gboolean repeated = FALSE;
  char **ends;

  if (value == NULL)
    return (char *) "";
  for (guint i = 0; i < index && value->n_output_uses > 1 && !repeated; i++)
    repeated = graph->outputs->pdata[i] == value;
  if (!export->plain || !(repeated || value->graph != graph))
    return name_of (export, value);
  *identity = ph_proto_new (export->arena, Onnx__NodeProto, onnx__node_proto);
  ends = new_array (export, 2);
  ends[0] = name_of (export, value);
  ends[1] = print (export, "%s_out%u_%u", ends[0], graph->id, index);
  (*identity)->op_type = (char *) "Identity";
  (*identity)->n_input = (*identity)->n_output = 1;
  (*identity)->input = &ends[0];
  (*identity)->output = &ends[1];
  return ends[1];
}

static Onnx__GraphProto *
export_graph (PhExport *export, PhGraph *graph)
{
  Onnx__GraphProto *extra = parse_extra (export, graph->extra);
  Onnx__GraphProto *proto = extra != NULL ? extra : ph_proto_new (export->arena, Onnx__GraphProto, onnx__graph_proto);
  Onnx__ValueInfoProto **kept = proto->value_info;
  gsize n_kept = proto->n_value_info, n_infos = 0;

  proto->name = (char *) graph->name;
  proto->input = new_array (export, graph->inputs->len);
  proto->initializer = new_array (export, graph->inputs->len + graph->constants->len);
  proto->node = new_array (export, graph->n_nodes + graph->outputs->len);
  proto->output = new_array (export, graph->outputs->len);
  for (guint i = 0; i < graph->constants->len; i++)
    n_infos++;
  PH_FOREACH_NODE (node, graph)
    n_infos += node->outputs->len;
  proto->value_info = new_array (export, n_infos + n_kept);
  if (n_kept > 0)
    memcpy (proto->value_info, kept, n_kept * sizeof *kept);

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const PhValue *value = graph->inputs->pdata[i];

      proto->input[proto->n_input++] = export_info (export, value);
      if (value->tensor != NULL)
        proto->initializer[proto->n_initializer++] = export_initializer (export, value);
    }
  for (guint i = 0; i < graph->constants->len; i++)
    {
      const PhValue *value = graph->constants->pdata[i];

      proto->initializer[proto->n_initializer++] = export_initializer (export, value);
      if (value->extra != NULL && parse_extra (export, value->extra)->n_value_info > 0)
        proto->value_info[proto->n_value_info++] = export_info (export, value);
    }
  PH_FOREACH_NODE (node, graph)
    {
      if (g_cancellable_is_cancelled (export->cancellable))
        break;
      if (export->plain && ph_dialect_is_box (node))
        {
          ph_export_box (export, node);
          continue;
        }
      proto->node[proto->n_node++] = export_node (export, node);
      for (guint i = 0; i < node->outputs->len; i++)
        {
          const PhValue *value = node->outputs->pdata[i];

          /* An output of a nested body does not have its type in its own graph. */
          if (wants_info (value) && !(value->n_output_uses > 0 && g_ptr_array_find (graph->outputs, value, NULL))
              && !is_absent (value))
            proto->value_info[proto->n_value_info++] = export_info (export, value);
        }
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      const PhValue *value = graph->outputs->pdata[i];
      Onnx__NodeProto *identity = NULL;
      char *name = export_output (export, graph, i, &identity);

      proto->output[i] = value != NULL ? export_info (export, value)
                                       : ph_proto_new (export->arena, Onnx__ValueInfoProto, onnx__value_info_proto);
      proto->output[i]->name = name;
      if (identity != NULL)
        proto->node[proto->n_node++] = identity;
    }
  proto->n_output = graph->outputs->len;
  return proto;
}

Onnx__GraphProto *
ph_onnx_export_graph (PhExport *export, PhGraph *graph)
{
  return export_graph (export, graph);
}

/* ── the model ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static int
by_domain (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

Onnx__OperatorSetIdProto **
ph_export_opsets (PhExport *export, gboolean with_own, gsize *n)
{
  return ph_export_opset_table (export, export->model->opsets, with_own, n);
}

Onnx__OperatorSetIdProto **
ph_export_opset_table (PhExport *export, GHashTable *opsets, gboolean with_own, gsize *n)
{
  g_autoptr (GPtrArray) domains = g_ptr_array_new ();
  Onnx__OperatorSetIdProto **sets;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, opsets);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_str_equal (key, PH_FILE_OPSET))
      g_ptr_array_add (domains, key);
  if (with_own && !g_hash_table_contains (opsets, ph_intern (PH_OWN_DOMAIN)))
    g_ptr_array_add (domains, (gpointer) PH_OWN_DOMAIN);
  g_ptr_array_sort (domains, by_domain);
  sets = new_array (export, domains->len);
  for (guint i = 0; i < domains->len; i++)
    {
      sets[i] = ph_proto_new (export->arena, Onnx__OperatorSetIdProto, onnx__operator_set_id_proto);
      sets[i]->domain = domains->pdata[i];
      sets[i]->has_version = TRUE;
      sets[i]->version = MAX (GPOINTER_TO_INT (g_hash_table_lookup (opsets, domains->pdata[i])), 1);
    }
  *n = domains->len;
  return sets;
}

Onnx__ModelProto *
ph_onnx_export (PhExport *export, PhModel *model)
{
  g_autoptr (GPtrArray) functions = NULL;
  Onnx__ModelProto *proto = model->extra != NULL ? ph_proto_parse (export->arena, &onnx__model_proto__descriptor, model->extra)
                                                 : NULL;

  if (proto == NULL)
    proto = ph_proto_new (export->arena, Onnx__ModelProto, onnx__model_proto);
  export->model = model;
  export->bodies = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  export->function_names = g_hash_table_new (g_str_hash, g_str_equal);
  export->functions = g_ptr_array_new ();
  export->node_names = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      if (g_str_equal (function->domain, PH_OWN_DOMAIN))
        g_hash_table_add (export->function_names, (gpointer) function->name);
    }
  proto->graph = export_graph (export, model->graph);
  g_clear_pointer (&export->node_names, g_hash_table_unref);
  functions = ph_export_functions (model);
  for (guint i = 0; i < functions->len; i++) /* before the functions that fused nodes become */
    g_ptr_array_insert (export->functions, (int) i, ph_export_function (export, functions->pdata[i]));
  proto->opset_import = ph_export_opsets (export, export->functions->len > 0, &proto->n_opset_import);
  proto->has_ir_version = TRUE;
  proto->ir_version = model->ir_version > 0 ? model->ir_version : 8;
  if (export->functions->len > 0)
    proto->ir_version = MAX (proto->ir_version, 8);
  proto->n_functions = export->functions->len;
  proto->functions = new_array (export, export->functions->len);
  if (export->functions->len > 0)
    memcpy (proto->functions, export->functions->pdata, export->functions->len * sizeof (gpointer));
  g_clear_pointer (&export->bodies, g_hash_table_unref);
  g_clear_pointer (&export->function_names, g_hash_table_unref);
  g_clear_pointer (&export->functions, g_ptr_array_unref);
  return proto;
}
