/* text-printer.c: messages as ONNX's own text syntax. Deterministic, and parsing it gives the same messages.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/io/text-lexer.h"

typedef struct
{
  GString    *out;
  GHashTable *tensors;           /* (nullable) TensorProto -> PhTensor */
  gsize       max_elements;
  guint       indent;
} Printer;

static void print_graph (Printer *printer, const Onnx__GraphProto *graph);

static void
new_line (Printer *printer)
{
  g_string_append_c (printer->out, '\n');
  for (guint i = 0; i < printer->indent; i++)
    g_string_append (printer->out, "  ");
}

static void
print_string (Printer *printer, const char *text, gsize length)
{
  g_string_append_c (printer->out, '"');
  for (gsize i = 0; i < length;)
    {
      guchar c = (guchar) text[i];

      if (c >= 0x80)
        {
          gunichar wide = g_utf8_get_char_validated (text + i, (gssize) (length - i));

          if (wide != (gunichar) -1 && wide != (gunichar) -2)
            {
              gsize n = (gsize) (g_utf8_next_char (text + i) - (text + i));

              g_string_append_len (printer->out, text + i, (gssize) n);
              i += n;
              continue;
            }
        }
      if (c == '"' || c == '\\')
        g_string_append_printf (printer->out, "\\%c", c);
      else if (c == '\n')
        g_string_append (printer->out, "\\n");
      else if (c == '\t')
        g_string_append (printer->out, "\\t");
      else if (c < 0x20 || c >= 0x7f)
        g_string_append_printf (printer->out, "\\x%02x", c);
      else
        g_string_append_c (printer->out, (char) c);
      i++;
    }
  g_string_append_c (printer->out, '"');
}

static void
print_name (Printer *printer, const char *name)
{
  if (name != NULL && ph_text_is_name (name))
    g_string_append (printer->out, name);
  else
    print_string (printer, name != NULL ? name : "", name != NULL ? strlen (name) : 0);
}

/* ── types ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
print_shape (Printer *printer, const Onnx__TensorShapeProto *shape)
{
  if (shape == NULL)
    g_string_append (printer->out, "[]");
  else if (shape->n_dim > 0)
    {
      g_string_append_c (printer->out, '[');
      for (gsize i = 0; i < shape->n_dim; i++)
        {
          const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];

          if (i > 0)
            g_string_append_c (printer->out, ',');
          if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0)
            g_string_append_printf (printer->out, "%" G_GINT64_FORMAT, (gint64) dim->dim_value);
          else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && dim->dim_param[0] != '\0')
            print_name (printer, dim->dim_param);
          else
            g_string_append_c (printer->out, '?');
        }
      g_string_append_c (printer->out, ']');
    }
}

static const char *
dtype_word (gint32 dtype)
{
  return dtype > PH_UNDEFINED && dtype < PH_N_DTYPES ? ph_dtype_name ((PhDType) dtype) : "undefined";
}

/* FALSE: there is nothing to say. */
static gboolean
print_type (Printer *printer, const Onnx__TypeProto *type)
{
  if (type == NULL)
    return FALSE;
  switch (type->value_case)
    {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
      if (type->tensor_type->elem_type <= PH_UNDEFINED || type->tensor_type->elem_type >= PH_N_DTYPES)
        return FALSE;
      g_string_append (printer->out, dtype_word (type->tensor_type->elem_type));
      print_shape (printer, type->tensor_type->shape);
      return TRUE;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      g_string_append (printer->out, "seq(");
      if (!print_type (printer, type->sequence_type->elem_type))
        g_string_append (printer->out, "undefined");
      break;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      g_string_append (printer->out, "optional(");
      if (!print_type (printer, type->optional_type->elem_type))
        g_string_append (printer->out, "undefined");
      break;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
      g_string_append_printf (printer->out, "map(%s, ", dtype_word (type->map_type->key_type));
      if (!print_type (printer, type->map_type->value_type))
        g_string_append (printer->out, "undefined");
      break;
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
      g_string_append_printf (printer->out, "sparse_tensor(%s", dtype_word (type->sparse_tensor_type->elem_type));
      print_shape (printer, type->sparse_tensor_type->shape);
      break;
    case ONNX__TYPE_PROTO__VALUE__NOT_SET:
    default:
      return FALSE;
    }
  g_string_append_c (printer->out, ')');
  return TRUE;
}

/* ── tensors ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The shortest decimal that reads back as the same number. */
static void
print_double (Printer *printer, double value, guint least, guint most, gboolean as_float)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  if (isnan (value))
    {
      g_string_append (printer->out, "nan");
      return;
    }
  if (isinf (value))
    {
      g_string_append (printer->out, value > 0 ? "inf" : "-inf");
      return;
    }
  for (guint digits = least; digits <= most; digits++)
    {
      double back;

      g_snprintf (format, sizeof format, "%%.%ug", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      back = g_ascii_strtod (text, NULL);
      if (most > 9 ? back == value : (float) back == (float) value)
        break;
    }
  g_string_append (printer->out, text);
  if (as_float && strpbrk (text, ".e") == NULL)
    g_string_append (printer->out, ".0");
}

static void
print_element (Printer *printer, PhTensor *tensor, gsize index)
{
  PhDType dtype = ph_tensor_dtype (tensor);

  if (dtype == PH_STRING)
    {
      const char *text = ph_tensor_get_string (tensor, index);

      print_string (printer, text != NULL ? text : "", text != NULL ? strlen (text) : 0);
    }
  else if (dtype == PH_COMPLEX64)
    {
      const float *data = ph_tensor_data (tensor);

      print_double (printer, (double) data[2 * index], 6, 9, FALSE);
      g_string_append (printer->out, ", ");
      print_double (printer, (double) data[2 * index + 1], 6, 9, FALSE);
    }
  else if (dtype == PH_COMPLEX128)
    {
      const double *data = ph_tensor_data (tensor);

      print_double (printer, data[2 * index], 15, 17, FALSE);
      g_string_append (printer->out, ", ");
      print_double (printer, data[2 * index + 1], 15, 17, FALSE);
    }
  else if (dtype == PH_DOUBLE)
    print_double (printer, ph_tensor_get (tensor, index), 15, 17, FALSE);
  else if (ph_dtype_is_float (dtype))
    print_double (printer, ph_tensor_get (tensor, index), dtype == PH_FLOAT ? 6 : 2, 9, FALSE);
  else if (dtype == PH_UINT64)
    g_string_append_printf (printer->out, "%" G_GUINT64_FORMAT, (guint64) ph_tensor_get_int (tensor, index));
  else
    g_string_append_printf (printer->out, "%" G_GINT64_FORMAT, ph_tensor_get_int (tensor, index));
}

static void
print_elements (Printer *printer, const Onnx__TensorProto *proto)
{
  g_autoptr(PhTensor) read = NULL;
  PhTensor *tensor = printer->tensors != NULL ? g_hash_table_lookup (printer->tensors, proto) : NULL;
  gsize count;

  if (tensor == NULL)
    {
      g_auto(PhSource) source = { 0 };

      ph_source_init (&source, NULL, NULL);
      tensor = read = ph_tensor_from_proto (&source, proto, "the tensor", NULL);
    }
  count = tensor != NULL ? ph_tensor_count (tensor) : 0;
  if (tensor == NULL)
    g_string_append (printer->out, "{...}");
  else if (count > printer->max_elements)
    g_string_append_printf (printer->out, "{... %" G_GSIZE_FORMAT " elements, %08x}", count, ph_tensor_hash (tensor));
  else
    {
      g_string_append_c (printer->out, '{');
      for (gsize i = 0; i < count; i++)
        {
          if (i > 0)
            g_string_append (printer->out, ", ");
          print_element (printer, tensor, i);
        }
      g_string_append_c (printer->out, '}');
    }
}

static void
print_tensor_type (Printer *printer, const Onnx__TensorProto *tensor)
{
  g_string_append (printer->out, dtype_word (tensor->data_type));
  for (gsize i = 0; i < tensor->n_dims; i++)
    g_string_append_printf (printer->out, "%s%" G_GINT64_FORMAT, i == 0 ? "[" : ",", (gint64) tensor->dims[i]);
  if (tensor->n_dims > 0)
    g_string_append_c (printer->out, ']');
}

static void
print_tensor (Printer *printer, const Onnx__TensorProto *tensor)
{
  print_tensor_type (printer, tensor);
  g_string_append_c (printer->out, ' ');
  print_elements (printer, tensor);
}

/* ── attributes ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char *
attr_type_word (int type)
{
  static const char *const words[] = { NULL, "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors",
                                       "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos" };

  return type > 0 && type < (int) G_N_ELEMENTS (words) ? words[type] : NULL;
}

#define PRINT_LIST(n, statement) \
  G_STMT_START { \
    g_string_append_c (printer->out, '['); \
    for (gsize i = 0; i < (n); i++) \
      { \
        if (i > 0) \
          g_string_append (printer->out, ", "); \
        statement; \
      } \
    g_string_append_c (printer->out, ']'); \
  } G_STMT_END

static void
print_attr (Printer *printer, const Onnx__AttributeProto *attr)
{
  GString *out = printer->out;
  int type = (int) attr->type;

  print_name (printer, attr->name);
  if (attr->ref_attr_name != NULL && attr->ref_attr_name[0] != '\0')
    {
      if (attr_type_word (type) != NULL)
        g_string_append_printf (out, " : %s", attr_type_word (type));
      g_string_append (out, " = @");
      print_name (printer, attr->ref_attr_name);
      return;
    }
  /* Where the value alone would be read as another type. */
  if ((type == PH_ATTR_FLOATS && attr->n_floats == 0) || (type == PH_ATTR_STRINGS && attr->n_strings == 0)
      || (type == PH_ATTR_TENSORS && attr->n_tensors == 0) || (type == PH_ATTR_GRAPHS && attr->n_graphs == 0))
    g_string_append_printf (out, " : %s", attr_type_word (type));
  g_string_append (out, " = ");
  switch (type)
    {
    case PH_ATTR_FLOAT: print_double (printer, (double) attr->f, 6, 9, TRUE); break;
    case PH_ATTR_INT: g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) attr->i); break;
    case PH_ATTR_STRING: print_string (printer, (const char *) attr->s.data, attr->s.len); break;
    case PH_ATTR_TENSOR:
      if (attr->t != NULL)
        print_tensor (printer, attr->t);
      break;
    case PH_ATTR_GRAPH:
      if (attr->g != NULL)
        print_graph (printer, attr->g);
      break;
    case PH_ATTR_FLOATS: PRINT_LIST (attr->n_floats, print_double (printer, (double) attr->floats[i], 6, 9, TRUE)); break;
    case PH_ATTR_INTS: PRINT_LIST (attr->n_ints, g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) attr->ints[i])); break;
    case PH_ATTR_STRINGS:
      PRINT_LIST (attr->n_strings, print_string (printer, (const char *) attr->strings[i].data, attr->strings[i].len));
      break;
    case PH_ATTR_TENSORS: PRINT_LIST (attr->n_tensors, print_tensor (printer, attr->tensors[i])); break;
    case PH_ATTR_GRAPHS: PRINT_LIST (attr->n_graphs, print_graph (printer, attr->graphs[i])); break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO: print_type (printer, attr->tp); break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS: PRINT_LIST (attr->n_type_protos, print_type (printer, attr->type_protos[i])); break;
    default:
      g_string_append (out, "{...}");
    }
}

static void
print_attrs (Printer *printer, Onnx__AttributeProto *const *attrs, gsize n)
{
  g_string_append (printer->out, " <");
  printer->indent++;
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, attrs[i]->g != NULL ? "," : ", ");
      if (attrs[i]->g != NULL)
        new_line (printer);
      print_attr (printer, attrs[i]);
    }
  printer->indent--;
  g_string_append_c (printer->out, '>');
}

/* ── nodes and graphs ───────────────────────────────────────────────────────────────────────────────────────────── */

static void
print_names (Printer *printer, char *const *names, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      print_name (printer, names[i]);
    }
}

static void
print_operator (Printer *printer, const Onnx__NodeProto *node)
{
  if (node->domain != NULL && node->domain[0] != '\0')
    {
      g_auto(GStrv) parts = g_strsplit (node->domain, ".", -1);

      for (guint i = 0; parts[i] != NULL; i++)
        {
          print_name (printer, parts[i]);
          g_string_append_c (printer->out, '.');
        }
    }
  print_name (printer, node->op_type);
  if (node->base.n_unknown_fields > 0)
    {
      g_auto(PhArena) arena = { 0 };
      const char *overload;

      ph_arena_init (&arena);
      overload = ph_proto_unknown_string (&arena, &node->base, PH_NODE_OVERLOAD);
      if (overload != NULL && overload[0] != '\0')
        {
          g_string_append_c (printer->out, ':');
          print_name (printer, overload);
        }
    }
}

static void
print_node (Printer *printer, const Onnx__NodeProto *node)
{
  new_line (printer);
  if (node->name != NULL && node->name[0] != '\0')
    {
      g_string_append_c (printer->out, '[');
      print_name (printer, node->name);
      g_string_append (printer->out, "] ");
    }
  print_names (printer, node->output, node->n_output);
  g_string_append (printer->out, node->n_output > 0 ? " = " : "= ");
  print_operator (printer, node);
  if (node->n_attribute > 0)
    print_attrs (printer, node->attribute, node->n_attribute);
  g_string_append (printer->out, " (");
  print_names (printer, node->input, node->n_input);
  g_string_append_c (printer->out, ')');
}

static void
print_nodes (Printer *printer, Onnx__NodeProto *const *nodes, gsize n)
{
  new_line (printer);
  g_string_append_c (printer->out, '{');
  printer->indent++;
  for (gsize i = 0; i < n; i++)
    print_node (printer, nodes[i]);
  printer->indent--;
  new_line (printer);
  g_string_append_c (printer->out, '}');
}

static void
print_info (Printer *printer, const Onnx__ValueInfoProto *info)
{
  if (print_type (printer, info->type))
    g_string_append_c (printer->out, ' ');
  print_name (printer, info->name);
}

static void
print_infos (Printer *printer, Onnx__ValueInfoProto *const *infos, gsize n, GHashTable *defaults)
{
  g_string_append_c (printer->out, '(');
  for (gsize i = 0; i < n; i++)
    {
      const Onnx__TensorProto *tensor = defaults != NULL ? g_hash_table_lookup (defaults, infos[i]->name) : NULL;

      if (i > 0)
        g_string_append (printer->out, ", ");
      if (tensor == NULL)
        print_info (printer, infos[i]);
      else
        {
          print_tensor_type (printer, tensor);
          g_string_append_c (printer->out, ' ');
          print_name (printer, infos[i]->name);
          g_string_append (printer->out, " = ");
          print_elements (printer, tensor);
                }
    }
  g_string_append_c (printer->out, ')');
}

/* An input's default stands with the input, other initializers in the list below. */
static void
print_graph (Printer *printer, const Onnx__GraphProto *graph)
{
  g_autoptr(GHashTable) defaults = NULL;
  gsize n = 0, total = graph->n_value_info;

  if (graph->n_initializer > 0)
    {
      g_autoptr(GHashTable) inputs = g_hash_table_new (g_str_hash, g_str_equal);

      defaults = g_hash_table_new (g_str_hash, g_str_equal);
      for (gsize i = 0; i < graph->n_input; i++)
        g_hash_table_add (inputs, graph->input[i]->name);
      for (gsize i = 0; i < graph->n_initializer; i++)
        if (g_hash_table_contains (inputs, graph->initializer[i]->name))
          g_hash_table_insert (defaults, graph->initializer[i]->name, graph->initializer[i]);
      total += graph->n_initializer - g_hash_table_size (defaults);
    }
  print_name (printer, graph->name != NULL && graph->name[0] != '\0' ? graph->name : "graph");
  g_string_append_c (printer->out, ' ');
  print_infos (printer, graph->input, graph->n_input, defaults);
  g_string_append (printer->out, " => ");
  print_infos (printer, graph->output, graph->n_output, NULL);
  if (total > 0)
    {
      new_line (printer);
      g_string_append_c (printer->out, '<');
      printer->indent++;
      for (gsize i = 0; i < graph->n_initializer + graph->n_value_info; i++)
        {
          const Onnx__TensorProto *tensor = i < graph->n_initializer ? graph->initializer[i] : NULL;

          if (tensor != NULL && g_hash_table_contains (defaults, tensor->name))
            continue;
          new_line (printer);
          if (tensor == NULL)
            print_info (printer, graph->value_info[i - graph->n_initializer]);
          else
            {
              print_tensor_type (printer, tensor);
              g_string_append_c (printer->out, ' ');
              print_name (printer, tensor->name);
              g_string_append (printer->out, " = ");
              print_elements (printer, tensor);
            }
          if (++n < total)
            g_string_append_c (printer->out, ',');
        }
      printer->indent--;
      new_line (printer);
      g_string_append_c (printer->out, '>');
    }
  print_nodes (printer, graph->node, graph->n_node);
}

/* ── models ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
print_key (Printer *printer, const char *key, const char *text)
{
  if (text == NULL || text[0] == '\0')
    return;
  g_string_append_printf (printer->out, ",\n  %s: ", key);
  print_string (printer, text, strlen (text));
}

static void
print_opsets (Printer *printer, Onnx__OperatorSetIdProto *const *sets, gsize n)
{
  g_string_append (printer->out, "opset_import: [");
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      print_string (printer, sets[i]->domain != NULL ? sets[i]->domain : "", sets[i]->domain != NULL ? strlen (sets[i]->domain) : 0);
      g_string_append_printf (printer->out, " : %" G_GINT64_FORMAT, (gint64) sets[i]->version);
    }
  g_string_append_c (printer->out, ']');
}

static void
print_function_attrs (Printer *printer, const Onnx__FunctionProto *function)
{
  g_auto(PhArena) arena = { 0 };
  guint n = 0;

  ph_arena_init (&arena);
  for (gsize i = 0; i < function->n_attribute; i++)
    {
      g_string_append (printer->out, n++ == 0 ? " <" : ", ");
      print_name (printer, function->attribute[i]);
    }
  for (guint i = 0; i < function->base.n_unknown_fields; i++)
    {
      const ProtobufCMessageUnknownField *field = &function->base.unknown_fields[i];
      ProtobufCAllocator allocator = ph_arena_allocator (&arena);
      Onnx__AttributeProto *attr;
      gsize header = 0;

      if (field->tag != PH_FUNCTION_ATTRIBUTE_PROTO || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
        continue;
      while (header < field->len && (field->data[header] & 0x80) != 0)
        header++;
      if (header++ >= field->len)
        continue;
      attr = onnx__attribute_proto__unpack (&allocator, field->len - header, field->data + header);
      if (attr == NULL)
        continue;
      g_string_append (printer->out, n++ == 0 ? " <" : ", ");
      print_attr (printer, attr);
    }
  if (n > 0)
    g_string_append_c (printer->out, '>');
}

static void
print_function (Printer *printer, const Onnx__FunctionProto *function)
{
  g_string_append (printer->out, "\n<\n  domain: ");
  print_string (printer, function->domain != NULL ? function->domain : "", function->domain != NULL ? strlen (function->domain) : 0);
  g_string_append (printer->out, ",\n  ");
  print_opsets (printer, function->opset_import, function->n_opset_import);
  print_key (printer, "doc_string", function->doc_string);
  g_string_append (printer->out, "\n>\n");
  print_name (printer, function->name);
  print_function_attrs (printer, function);
  g_string_append (printer->out, " (");
  print_names (printer, function->input, function->n_input);
  g_string_append (printer->out, ") => (");
  print_names (printer, function->output, function->n_output);
  g_string_append_c (printer->out, ')');
  print_nodes (printer, function->node, function->n_node);
  g_string_append_c (printer->out, '\n');
}

void
ph_text_print_graph (GString *out, const Onnx__GraphProto *graph, GHashTable *tensors, gsize max_elements)
{
  Printer printer = { out, tensors, max_elements, 0 };

  print_graph (&printer, graph);
  g_string_append_c (out, '\n');
}

void
ph_text_print_model (GString *out, const Onnx__ModelProto *model, GHashTable *tensors, gsize max_elements)
{
  Printer printer = { out, tensors, max_elements, 0 };

  g_string_append_printf (out, "<\n  ir_version: %" G_GINT64_FORMAT ",\n  ", (gint64) model->ir_version);
  print_opsets (&printer, model->opset_import, model->n_opset_import);
  print_key (&printer, "producer_name", model->producer_name);
  print_key (&printer, "producer_version", model->producer_version);
  print_key (&printer, "domain", model->domain);
  if (model->model_version != 0)
    g_string_append_printf (out, ",\n  model_version: %" G_GINT64_FORMAT, (gint64) model->model_version);
  print_key (&printer, "doc_string", model->doc_string);
  if (model->n_metadata_props > 0)
    {
      g_string_append (out, ",\n  metadata_props: [");
      for (gsize i = 0; i < model->n_metadata_props; i++)
        {
          const Onnx__StringStringEntryProto *entry = model->metadata_props[i];

          if (i > 0)
            g_string_append (out, ", ");
          print_string (&printer, entry->key != NULL ? entry->key : "", entry->key != NULL ? strlen (entry->key) : 0);
          g_string_append (out, " : ");
          print_string (&printer, entry->value != NULL ? entry->value : "", entry->value != NULL ? strlen (entry->value) : 0);
        }
      g_string_append_c (out, ']');
    }
  g_string_append (out, "\n>\n");
  print_graph (&printer, model->graph);
  g_string_append_c (out, '\n');
  for (gsize i = 0; i < model->n_functions; i++)
    print_function (&printer, model->functions[i]);
}

/* ── public ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

char *
ph_onnx_text_print (PhModel *model, gsize max_elements)
{
  g_auto(PhArena) arena = { 0 };
  g_autoptr(GHashTable) tensors = g_hash_table_new (NULL, NULL);
  PhExport export = { .arena = &arena, .tensors = tensors };
  GString *out = g_string_new (NULL);

  ph_arena_init (&arena);
  ph_text_print_model (out, ph_onnx_export (&export, model), tensors, max_elements);
  return g_string_free (out, FALSE);
}

char *
ph_onnx_text_print_graph (PhGraph *graph, gsize max_elements)
{
  g_auto(PhArena) arena = { 0 };
  g_autoptr(GHashTable) tensors = g_hash_table_new (NULL, NULL);
  PhExport export = { .arena = &arena, .tensors = tensors, .model = graph->model };
  GString *out = g_string_new (NULL);

  ph_arena_init (&arena);
  ph_text_print_graph (out, ph_onnx_export_graph (&export, graph), tensors, max_elements);
  return g_string_free (out, FALSE);
}
