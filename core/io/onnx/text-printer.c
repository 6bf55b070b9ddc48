/* text-printer.c: prints messages in ONNX's own text syntax. Deterministic; parsing the text gives the same messages.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/text-printer.h"

#include "core/io/onnx/onnx-export.h"

#include <string.h>

static void print_graph (PhTextPrinter *printer, const Onnx__GraphProto *graph);

/* ── attributes ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char *
attr_type_word (int type)
{
  static const char *const words[]
      = { NULL,      "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
          "strings", "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos" };

  return type > 0 && type < (int) G_N_ELEMENTS (words) ? words[type] : NULL;
}

/* clang-format off */
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
/* clang-format on */

/* Returns TRUE if a TypeProto has a textual form. */
static gboolean
has_words (const Onnx__TypeProto *type)
{
  PhTextPrinter trial = { .out = g_string_new (NULL) };
  gboolean ok = ph_text_print_type (&trial, type) && strstr (trial.out->str, "undefined") == NULL;

  g_string_free (trial.out, TRUE);
  return ok;
}

/* Returns TRUE for attributes without a textual form: a type of a later ONNX, one that contradicts the value, sparse tensors. */
static gboolean
is_opaque (const Onnx__AttributeProto *attr)
{
  const int type = (int) attr->type;

  if (type == (int) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO)
    return !has_words (attr->tp);
  if (type == (int) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS)
    for (gsize i = 0; i < attr->n_type_protos; i++)
      if (!has_words (attr->type_protos[i]))
        return TRUE;
  return type < PH_ATTR_FLOAT || type > (int) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS || type == PH_ATTR_SPARSE
         || type == PH_ATTR_SPARSES || (type == PH_ATTR_TENSOR && attr->t == NULL) || (type == PH_ATTR_GRAPH && attr->g == NULL);
}

static void
print_opaque (PhTextPrinter *printer, const Onnx__AttributeProto *attr)
{
  g_autoptr (GBytes) bytes = ph_proto_to_bytes (&attr->base);
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  g_string_append (printer->out, " : " PH_TEXT_OPAQUE " = ");
  ph_text_print_string (printer, data, size);
}

static void
print_attr (PhTextPrinter *printer, const Onnx__AttributeProto *attr)
{
  GString *out = printer->out;
  int type = (int) attr->type;

  ph_text_print_name (printer, attr->name);
  if (attr->ref_attr_name != NULL && attr->ref_attr_name[0] != '\0')
    {
      if (attr_type_word (type) != NULL)
        g_string_append_printf (out, " : %s", attr_type_word (type));
      g_string_append (out, " = @");
      ph_text_print_name (printer, attr->ref_attr_name);
      return;
    }
  if (is_opaque (attr))
    {
      print_opaque (printer, attr);
      return;
    }
  /* From the value alone the parser would infer another type. */
  if ((type == PH_ATTR_FLOATS && attr->n_floats == 0) || (type == PH_ATTR_STRINGS && attr->n_strings == 0)
      || (type == PH_ATTR_TENSORS && attr->n_tensors == 0) || (type == PH_ATTR_GRAPHS && attr->n_graphs == 0)
      || (type == (int) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS && attr->n_type_protos == 0))
    g_string_append_printf (out, " : %s", attr_type_word (type));
  g_string_append (out, " = ");
  switch (type)
    {
    case PH_ATTR_FLOAT: ph_text_print_double (printer, (double) attr->f, 6, 9, TRUE); break;
    case PH_ATTR_INT: g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) attr->i); break;
    case PH_ATTR_STRING: ph_text_print_string (printer, (const char *) attr->s.data, attr->s.len); break;
    case PH_ATTR_TENSOR:
      if (attr->t != NULL)
        ph_text_print_tensor (printer, attr->t);
      break;
    case PH_ATTR_GRAPH:
      if (attr->g != NULL)
        print_graph (printer, attr->g);
      break;
    case PH_ATTR_FLOATS: PRINT_LIST (attr->n_floats, ph_text_print_double (printer, (double) attr->floats[i], 6, 9, TRUE)); break;
    case PH_ATTR_INTS:
      PRINT_LIST (attr->n_ints, g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) attr->ints[i]));
      break;
    case PH_ATTR_STRINGS:
      PRINT_LIST (attr->n_strings, ph_text_print_string (printer, (const char *) attr->strings[i].data, attr->strings[i].len));
      break;
    case PH_ATTR_TENSORS: PRINT_LIST (attr->n_tensors, ph_text_print_tensor (printer, attr->tensors[i])); break;
    case PH_ATTR_GRAPHS: PRINT_LIST (attr->n_graphs, print_graph (printer, attr->graphs[i])); break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO: ph_text_print_type (printer, attr->tp); break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS:
      PRINT_LIST (attr->n_type_protos, ph_text_print_type (printer, attr->type_protos[i]));
      break;
    default: g_string_append (out, "{...}");
    }
}

static void
print_attrs (PhTextPrinter *printer, Onnx__AttributeProto *const *attrs, gsize n)
{
  g_string_append (printer->out, " <");
  printer->indent++;
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, attrs[i]->g != NULL ? "," : ", ");
      if (attrs[i]->g != NULL)
        ph_text_new_line (printer);
      print_attr (printer, attrs[i]);
    }
  printer->indent--;
  g_string_append_c (printer->out, '>');
}

/* ── nodes and graphs ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Prints a name, in quotes if it would begin a type. */
static void
print_graph_name (PhTextPrinter *printer, const char *name)
{
  static const char *const types[] = { "seq", "optional", "map", "sparse_tensor", NULL };

  if (g_strv_contains (types, name))
    ph_text_print_string (printer, name, strlen (name));
  else
    ph_text_print_name (printer, name);
}

static void
print_names (PhTextPrinter *printer, char *const *names, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      ph_text_print_name (printer, names[i]);
    }
}

static void
print_operator (PhTextPrinter *printer, const Onnx__NodeProto *node)
{
  if (node->domain != NULL && node->domain[0] != '\0')
    {
      g_auto (GStrv) parts = g_strsplit (node->domain, ".", -1);

      for (guint i = 0; parts[i] != NULL; i++)
        {
          ph_text_print_name (printer, parts[i]);
          g_string_append_c (printer->out, '.');
        }
    }
  ph_text_print_name (printer, node->op_type);
  if (node->base.n_unknown_fields > 0)
    {
      g_auto (PhArena) arena = { 0 };
      const char *overload;

      ph_arena_init (&arena);
      overload = ph_proto_unknown_string (&arena, &node->base, PH_NODE_OVERLOAD);
      if (overload != NULL && overload[0] != '\0')
        {
          g_string_append_c (printer->out, ':');
          ph_text_print_name (printer, overload);
        }
    }
}

static void
print_node (PhTextPrinter *printer, const Onnx__NodeProto *node)
{
  ph_text_new_line (printer);
  if (node->name != NULL && node->name[0] != '\0')
    {
      g_string_append_c (printer->out, '[');
      ph_text_print_name (printer, node->name);
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
print_nodes (PhTextPrinter *printer, Onnx__NodeProto *const *nodes, gsize n)
{
  ph_text_new_line (printer);
  g_string_append_c (printer->out, '{');
  printer->indent++;
  for (gsize i = 0; i < n && !g_cancellable_is_cancelled (printer->cancellable); i++)
    print_node (printer, nodes[i]);
  printer->indent--;
  ph_text_new_line (printer);
  g_string_append_c (printer->out, '}');
}

static void
print_info (PhTextPrinter *printer, const Onnx__ValueInfoProto *info)
{
  if (ph_text_print_type (printer, info->type))
    g_string_append_c (printer->out, ' ');
  ph_text_print_name (printer, info->name);
}

static void
print_infos (PhTextPrinter *printer, Onnx__ValueInfoProto *const *infos, gsize n, GHashTable *defaults)
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
          ph_text_print_tensor_type (printer, tensor);
          g_string_append_c (printer->out, ' ');
          ph_text_print_name (printer, infos[i]->name);
          g_string_append (printer->out, " = ");
          ph_text_print_elements (printer, tensor);
        }
    }
  g_string_append_c (printer->out, ')');
}

/* The default of an input is printed with the input, other initializers in the list below. */
static void
print_graph (PhTextPrinter *printer, const Onnx__GraphProto *graph)
{
  g_autoptr (GHashTable) defaults = NULL;
  gsize n = 0, total = graph->n_value_info;

  if (graph->n_initializer > 0)
    {
      g_autoptr (GHashTable) inputs = g_hash_table_new (g_str_hash, g_str_equal);

      defaults = g_hash_table_new (g_str_hash, g_str_equal);
      for (gsize i = 0; i < graph->n_input; i++)
        g_hash_table_add (inputs, graph->input[i]->name);
      for (gsize i = 0; i < graph->n_initializer; i++)
        if (g_hash_table_contains (inputs, graph->initializer[i]->name))
          g_hash_table_insert (defaults, graph->initializer[i]->name, graph->initializer[i]);
      total += graph->n_initializer - g_hash_table_size (defaults);
    }
  print_graph_name (printer, graph->name != NULL && graph->name[0] != '\0' ? graph->name : "graph");
  g_string_append_c (printer->out, ' ');
  print_infos (printer, graph->input, graph->n_input, defaults);
  g_string_append (printer->out, " => ");
  print_infos (printer, graph->output, graph->n_output, NULL);
  if (total > 0)
    {
      ph_text_new_line (printer);
      g_string_append_c (printer->out, '<');
      printer->indent++;
      for (gsize i = 0; i < graph->n_initializer + graph->n_value_info && !g_cancellable_is_cancelled (printer->cancellable); i++)
        {
          const Onnx__TensorProto *tensor = i < graph->n_initializer ? graph->initializer[i] : NULL;

          if (tensor != NULL && g_hash_table_contains (defaults, tensor->name))
            continue;
          ph_text_new_line (printer);
          if (tensor == NULL)
            print_info (printer, graph->value_info[i - graph->n_initializer]);
          else
            {
              ph_text_print_tensor_type (printer, tensor);
              g_string_append_c (printer->out, ' ');
              ph_text_print_name (printer, tensor->name);
              g_string_append (printer->out, " = ");
              ph_text_print_elements (printer, tensor);
            }
          if (++n < total)
            g_string_append_c (printer->out, ',');
        }
      printer->indent--;
      ph_text_new_line (printer);
      g_string_append_c (printer->out, '>');
    }
  print_nodes (printer, graph->node, graph->n_node);
}

/* ── models ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
print_key (PhTextPrinter *printer, const char *key, const char *text)
{
  if (text == NULL || text[0] == '\0')
    return;
  g_string_append_printf (printer->out, ",\n  %s: ", key);
  ph_text_print_string (printer, text, strlen (text));
}

static void
print_opsets (PhTextPrinter *printer, Onnx__OperatorSetIdProto *const *sets, gsize n)
{
  g_string_append (printer->out, "opset_import: [");
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      ph_text_print_string (printer, sets[i]->domain != NULL ? sets[i]->domain : "",
                            sets[i]->domain != NULL ? strlen (sets[i]->domain) : 0);
      g_string_append_printf (printer->out, " : %" G_GINT64_FORMAT, (gint64) sets[i]->version);
    }
  g_string_append_c (printer->out, ']');
}

static void
print_function_attrs (PhTextPrinter *printer, const Onnx__FunctionProto *function)
{
  g_auto (PhArena) arena = { 0 };
  guint n = 0;

  ph_arena_init (&arena);
  for (gsize i = 0; i < function->n_attribute; i++)
    {
      g_string_append (printer->out, n++ == 0 ? " <" : ", ");
      ph_text_print_name (printer, function->attribute[i]);
    }
  for (guint i = 0; i < function->base.n_unknown_fields; i++)
    {
      const Onnx__AttributeProto *attr = ph_function_default_attr (&arena, function, i);

      if (attr == NULL)
        continue;
      g_string_append (printer->out, n++ == 0 ? " <" : ", ");
      print_attr (printer, attr);
    }
  if (n > 0)
    g_string_append_c (printer->out, '>');
}

static void
print_function_types (PhTextPrinter *printer, const Onnx__FunctionProto *function)
{
  g_auto (PhArena) arena = { 0 };
  guint n = 0;

  ph_arena_init (&arena);
  for (guint i = 0; i < function->base.n_unknown_fields; i++)
    {
      const Onnx__ValueInfoProto *info = ph_function_value_info (&arena, function, i);
      gsize length = printer->out->len;

      if (info == NULL)
        continue;
      g_string_append (printer->out, n == 0 ? " <" : ", ");
      if (!ph_text_print_type (printer, info->type)) /* a name without a type is useless here */
        {
          g_string_truncate (printer->out, length);
          continue;
        }
      g_string_append_c (printer->out, ' ');
      ph_text_print_name (printer, info->name);
      n++;
    }
  if (n > 0)
    g_string_append_c (printer->out, '>');
}

static void
print_function (PhTextPrinter *printer, const Onnx__FunctionProto *function)
{
  g_string_append (printer->out, "\n<\n  domain: ");
  ph_text_print_string (printer, function->domain != NULL ? function->domain : "",
                        function->domain != NULL ? strlen (function->domain) : 0);
  g_string_append (printer->out, ",\n  ");
  print_opsets (printer, function->opset_import, function->n_opset_import);
  print_key (printer, "doc_string", function->doc_string);
  g_string_append (printer->out, "\n>\n");
  ph_text_print_name (printer, function->name);
  print_function_attrs (printer, function);
  g_string_append (printer->out, " (");
  print_names (printer, function->input, function->n_input);
  g_string_append (printer->out, ") => (");
  print_names (printer, function->output, function->n_output);
  g_string_append_c (printer->out, ')');
  print_function_types (printer, function);
  print_nodes (printer, function->node, function->n_node);
  g_string_append_c (printer->out, '\n');
}

static void
print_model (GString *out, const Onnx__ModelProto *model, GHashTable *tensors, gsize max_elements, GCancellable *cancellable)
{
  PhTextPrinter printer = { out, tensors, max_elements, 0, cancellable };

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
          ph_text_print_string (&printer, entry->key != NULL ? entry->key : "", entry->key != NULL ? strlen (entry->key) : 0);
          g_string_append (out, " : ");
          ph_text_print_string (&printer, entry->value != NULL ? entry->value : "",
                                entry->value != NULL ? strlen (entry->value) : 0);
        }
      g_string_append_c (out, ']');
    }
  g_string_append (out, "\n>\n");
  print_graph (&printer, model->graph);
  g_string_append_c (out, '\n');
  for (gsize i = 0; i < model->n_functions; i++)
    print_function (&printer, model->functions[i]);
}

char *
ph_onnx_text_try_print (PhModel *model, gsize max_elements, GCancellable *cancellable, GError **error)
{
  g_auto (PhArena) arena = { 0 };
  g_autoptr (GHashTable) tensors = g_hash_table_new (NULL, NULL);
  PhExport export = { .arena = &arena, .tensors = tensors, .cancellable = cancellable };
  GString *out = g_string_new (NULL);

  ph_arena_init (&arena);
  print_model (out, ph_onnx_export (&export, model), tensors, max_elements, cancellable);
  return g_string_free (out, g_cancellable_set_error_if_cancelled (cancellable, error));
}

char *
ph_onnx_text_print (PhModel *model, gsize max_elements)
{
  return ph_onnx_text_try_print (model, max_elements, NULL, NULL);
}
