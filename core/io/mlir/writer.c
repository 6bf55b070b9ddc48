/* writer.c: StableHLO as text, of a graph of its operators or of HLO's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/hlo/terms.h"
#include "core/io/mlir/mlir.h"

#define MAX_LISTED 64 /* elements up to which a constant is a list; more are written as bytes */

typedef struct
{
  GString *out;
  PhTermNames names;
  GHashTable *constants;
  guint indent;
} Writer;

static void write_body (Writer *w, PhGraph *graph, const char *ends);

static void
line (Writer *w)
{
  g_string_append_c (w->out, '\n');
  for (guint i = 0; i < w->indent; i++)
    g_string_append (w->out, "  ");
}

static void
put_type (Writer *w, const PhType *type)
{
  g_string_append (w->out, "tensor<");
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (w->out, "%" G_GINT64_FORMAT "x", type->dims[i].size);
  g_string_append_printf (w->out, "%s>", ph_terms_dtype (type->dtype, FALSE));
}

static void
put_value (Writer *w, const PhValue *value)
{
  g_string_append_printf (w->out, "%%%s", ph_term_names_get (&w->names, value));
}

static void
put_values (Writer *w, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      g_string_append (w->out, i > 0 ? ", " : "");
      put_value (w, values->pdata[i]);
    }
}

static void
put_types (Writer *w, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      g_string_append (w->out, i > 0 ? ", " : "");
      put_type (w, ((PhValue *) values->pdata[i])->type);
    }
}

static void
put_signature (Writer *w, const PhNode *node)
{
  g_string_append (w->out, " : (");
  put_types (w, &node->inputs->array);
  g_string_append (w->out, node->outputs->len == 1 ? ") -> " : ") -> (");
  put_types (w, &node->outputs->array);
  g_string_append (w->out, node->outputs->len == 1 ? "" : ")");
}

static void
put_ints (Writer *w, const gint64 *ints, gsize n)
{
  g_string_append_c (w->out, '[');
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", ints[i]);
  g_string_append_c (w->out, ']');
}

/* ── constants ── */

static void
put_bytes (Writer *w, PhTensor *tensor)
{
  const guint8 *data = ph_tensor_data (tensor);
  const gsize n = data != NULL ? ph_tensor_bytes (tensor) : 0;

  g_string_append (w->out, "\"0x");
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (w->out, "%02X", data[i]);
  g_string_append_c (w->out, '"');
}

static gboolean
is_same (PhTensor *tensor)
{
  const gsize size = ph_dtype_size (ph_tensor_dtype (tensor)), n = ph_tensor_count (tensor);
  const guint8 *data;

  if (ph_tensor_is_splat (tensor) || n == 1)
    return n > 0;
  data = ph_tensor_data (tensor);
  for (gsize i = 1; data != NULL && i < n; i++)
    if (memcmp (data, data + i * size, size) != 0)
      return FALSE;
  return data != NULL && n > 0;
}

static void
put_dense (Writer *w, PhTensor *tensor)
{
  g_string_append (w->out, "dense<");
  if (is_same (tensor))
    ph_terms_number (w->out, tensor, 0, FALSE);
  else if (ph_tensor_count (tensor) > MAX_LISTED && ph_tensor_dtype (tensor) != PH_BOOL)
    put_bytes (w, tensor);
  else if (ph_tensor_count (tensor) > 0)
    ph_terms_elements (w->out, tensor, FALSE);
  g_string_append_c (w->out, '>');
}

static void
write_constant (Writer *w, const PhValue *value, PhTensor *tensor)
{
  line (w);
  put_value (w, value);
  g_string_append (w->out, " = stablehlo.constant ");
  put_dense (w, tensor);
  g_string_append (w->out, " : ");
  put_type (w, ph_type_static (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor)));
}

/* Writes the constants that @graph uses, unless an enclosing graph has written them. */
static void
write_constants (Writer *w, PhGraph *graph)
{
  for (guint i = 0; i < graph->constants->len; i++)
    {
      PhValue *value = graph->constants->pdata[i];

      if (value->tensor != NULL && (value->uses->len > 0 || value->n_output_uses > 0) && g_hash_table_add (w->constants, value))
        write_constant (w, value, value->tensor);
    }
}

/* ── attributes ── */

static void
put_attr (Writer *w, guint *n, const char *name)
{
  g_string_append_printf (w->out, "%s%s = ", (*n)++ > 0 ? ", " : " {", name);
}

static void
put_array (Writer *w, const PhNode *node, const char *name, guint *n)
{
  gsize count;
  const gint64 *ints = ph_terms_ints (node, name, &count);

  if (ints == NULL)
    return;
  put_attr (w, n, name);
  g_string_append (w->out, "array<i64: ");
  for (gsize i = 0; i < count; i++)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", ints[i]);
  g_string_append_c (w->out, '>');
}

static void
put_pairs (Writer *w, const gint64 *ints, gsize n)
{
  g_string_append_c (w->out, '[');
  for (gsize i = 0; i + 1 < n; i += 2)
    g_string_append_printf (w->out, "%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", i > 0 ? ", " : "", ints[i], ints[i + 1]);
  g_string_append_c (w->out, ']');
}

static void
put_attrs (Writer *w, const PhNode *node, const char *op)
{
  static const char *const arrays[] = { "window_dimensions", "window_strides", "base_dilations",
                                        "window_dilations",  "slice_sizes",    NULL };
  static const char *const gathers[] = { "offset_dims",           "collapsed_slice_dims",
                                         "operand_batching_dims", "start_indices_batching_dims",
                                         "start_index_map",       NULL };
  guint n = 0;
  gsize count;
  const gint64 *ints;

  if (g_str_equal (op, "gather"))
    {
      put_attr (w, &n, "dimension_numbers");
      g_string_append (w->out, "#stablehlo.gather<");
      for (guint i = 0; gathers[i] != NULL; i++)
        {
          ints = ph_terms_ints (node, gathers[i], &count);
          if (ints == NULL)
            continue;
          g_string_append_printf (w->out, "%s = ", gathers[i]);
          put_ints (w, ints, count);
          g_string_append (w->out, ", ");
        }
      g_string_append_printf (w->out, "index_vector_dim = %" G_GINT64_FORMAT ">", ph_terms_int (node, "index_vector_dim", 0));
      put_attr (w, &n, "indices_are_sorted");
      g_string_append (w->out, ph_terms_int (node, "indices_are_sorted", 0) != 0 ? "true" : "false");
    }
  for (guint i = 0; arrays[i] != NULL; i++)
    put_array (w, node, arrays[i], &n);
  ints = ph_terms_ints (node, "padding", &count);
  if (ints != NULL)
    {
      put_attr (w, &n, "padding");
      g_string_append (w->out, "dense<");
      put_pairs (w, ints, count);
      g_string_append_printf (w->out, "> : tensor<%" G_GSIZE_FORMAT "x2xi64>", count / 2);
    }
  if (n > 0)
    g_string_append_c (w->out, '}');
}

/* ── operators ── */

static void
put_convolution (Writer *w, const PhNode *node)
{
  static const struct
  {
    const char *name, *printed;
  } arrays[] = {
    { "window_strides", "stride" }, { "padding", "pad" }, { "lhs_dilation", "lhs_dilate" }, { "rhs_dilation", "rhs_dilate" }
  };
  g_autofree char *labels = ph_terms_labels (node, FALSE);
  guint n = 0;

  g_string_append (w->out, "stablehlo.convolution(");
  put_values (w, &node->inputs->array);
  g_string_append_printf (w->out, ") dim_numbers = %s, window = {", labels != NULL ? labels : "");
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      gsize count;
      const gint64 *ints = ph_terms_ints (node, arrays[i].name, &count);

      if (ints == NULL)
        continue;
      g_string_append_printf (w->out, "%s%s = ", n++ > 0 ? ", " : "", arrays[i].printed);
      if (i == 1)
        put_pairs (w, ints, count);
      else
        put_ints (w, ints, count);
    }
  g_string_append_printf (w->out,
                          "} {batch_group_count = %" G_GINT64_FORMAT " : i64, feature_group_count = %" G_GINT64_FORMAT " : i64}",
                          ph_terms_int (node, "batch_group_count", 1), ph_terms_int (node, "feature_group_count", 1));
}

static void
put_dims (Writer *w, const PhNode *node, const char *word, const char *name)
{
  gsize n;
  const gint64 *ints = ph_terms_ints (node, name, &n);

  g_string_append_printf (w->out, ", %s = ", word);
  put_ints (w, ints, n);
}

static void
put_dot (Writer *w, const PhNode *node)
{
  static const char *const sides[2][2] = { { "lhs_batching_dimensions", "rhs_batching_dimensions" },
                                           { "lhs_contracting_dimensions", "rhs_contracting_dimensions" } };

  g_string_append (w->out, "stablehlo.dot_general ");
  put_values (w, &node->inputs->array);
  for (guint i = 0; i < 2; i++)
    {
      gsize n, m;
      const gint64 *left = ph_terms_ints (node, sides[i][0], &n), *right = ph_terms_ints (node, sides[i][1], &m);

      if (n == 0 && m == 0 && i == 0)
        continue;
      g_string_append (w->out, i == 0 ? ", batching_dims = " : ", contracting_dims = ");
      put_ints (w, left, n);
      g_string_append (w->out, " x ");
      put_ints (w, right, m);
    }
}

static void
put_slice (Writer *w, const PhNode *node)
{
  gsize n, m, k;
  const gint64 *from = ph_terms_ints (node, "start_indices", &n), *to = ph_terms_ints (node, "limit_indices", &m),
               *by = ph_terms_ints (node, "strides", &k);

  g_string_append (w->out, "stablehlo.slice ");
  put_values (w, &node->inputs->array);
  g_string_append (w->out, " [");
  for (gsize i = 0; i < MIN (n, m); i++)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, i > 0 ? ", " : "", from[i],
                            to[i], i < k ? by[i] : 1);
  g_string_append_c (w->out, ']');
}

/* Writes operations that have a custom form. Returns FALSE if @op has none. */
static gboolean
put_form (Writer *w, const PhNode *node, const char *op)
{
  static const struct
  {
    const char *op, *word, *attr;
  } dims[] = { { "broadcast_in_dim", "dims", "broadcast_dimensions" },
               { "transpose", "dims", "permutation" },
               { "reverse", "dims", "dimensions" } };

  if (g_str_equal (op, "convolution"))
    put_convolution (w, node);
  else if (g_str_equal (op, "dot_general"))
    put_dot (w, node);
  else if (g_str_equal (op, "slice"))
    put_slice (w, node);
  else if (g_str_equal (op, "iota"))
    {
      g_string_append_printf (w->out, "stablehlo.iota dim = %" G_GINT64_FORMAT " : ", ph_terms_int (node, "iota_dimension", 0));
      put_types (w, &node->outputs->array);
      return TRUE;
    }
  else if (g_str_equal (op, "concatenate"))
    {
      g_string_append (w->out, "stablehlo.concatenate ");
      put_values (w, &node->inputs->array);
      g_string_append_printf (w->out, ", dim = %" G_GINT64_FORMAT, ph_terms_int (node, "dimension", 0));
    }
  else if (g_str_equal (op, "compare"))
    {
      g_string_append_printf (w->out, "stablehlo.compare %s, ", ph_terms_string (node, "comparison_direction", "EQ"));
      put_values (w, &node->inputs->array);
    }
  else if (g_str_equal (op, "pad"))
    {
      g_string_append (w->out, "stablehlo.pad ");
      put_values (w, &node->inputs->array);
      put_dims (w, node, "low", "edge_padding_low");
      put_dims (w, node, "high", "edge_padding_high");
      put_dims (w, node, "interior", "interior_padding");
    }
  else
    {
      for (gsize i = 0; i < G_N_ELEMENTS (dims); i++)
        if (g_str_equal (dims[i].op, op))
          {
            g_string_append_printf (w->out, "stablehlo.%s ", op);
            put_values (w, &node->inputs->array);
            put_dims (w, node, dims[i].word, dims[i].attr);
            put_signature (w, node);
            return TRUE;
          }
      return FALSE;
    }
  put_signature (w, node);
  return TRUE;
}

/* If all operands and the result have the same type, it is printed once. */
static gboolean
is_of_one_type (const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i)->type != ph_node_output (node, 0)->type)
      return FALSE;
  return node->inputs->len > 0 && node->outputs->len == 1 && node->graphs == NULL;
}

static void
put_reduce (Writer *w, const PhNode *node)
{
  gsize n;
  const gint64 *ints = ph_terms_ints (node, "dimensions", &n);

  g_string_append (w->out, " {dimensions = array<i64");
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : ": ", ints[i]);
  g_string_append (w->out, ">}");
}

static void
write_node (Writer *w, PhNode *node)
{
  const char *op = ph_terms_op (node), *domain = g_str_equal (op, "erf") ? "chlo" : "stablehlo";

  if (g_str_equal (op, "constant"))
    {
      const PhAttr *value = ph_node_attr (node, "value");

      if (value != NULL && value->kind == PH_ATTR_TENSOR)
        write_constant (w, ph_node_output (node, 0), value->tensor);
      return;
    }
  line (w);
  put_values (w, &node->outputs->array);
  g_string_append (w->out, " = ");
  if (put_form (w, node, op))
    return;
  if (is_of_one_type (node) && !g_str_equal (op, "clamp") && ph_node_attr (node, "slice_sizes") == NULL)
    {
      g_string_append_printf (w->out, "%s.%s ", domain, op);
      put_values (w, &node->inputs->array);
      g_string_append (w->out, " : ");
      put_types (w, &node->outputs->array);
      return;
    }
  g_string_append_printf (w->out, "\"%s.%s\"(", domain, op);
  put_values (w, &node->inputs->array);
  g_string_append_c (w->out, ')');
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      g_string_append (w->out, i == 0 ? " (" : ", ");
      write_body (w, node->graphs->pdata[i], "stablehlo.return");
    }
  if (node->graphs != NULL && node->graphs->len > 0)
    g_string_append_c (w->out, ')');
  if (g_str_equal (op, "reduce"))
    put_reduce (w, node);
  else
    put_attrs (w, node, op);
  put_signature (w, node);
}

static void
write_inside (Writer *w, PhGraph *graph, const char *ends)
{
  write_constants (w, graph);
  PH_FOREACH_NODE (node, graph)
    write_node (w, node);
  line (w);
  g_string_append_printf (w->out, "%s ", ends);
  put_values (w, graph->outputs);
  g_string_append (w->out, " : ");
  put_types (w, graph->outputs);
}

static void
write_body (Writer *w, PhGraph *graph, const char *ends)
{
  g_string_append_c (w->out, '{');
  if (graph->inputs->len > 0)
    {
      line (w);
      g_string_append (w->out, "^bb0(");
      for (guint i = 0; i < graph->inputs->len; i++)
        {
          g_string_append (w->out, i > 0 ? ", " : "");
          put_value (w, graph->inputs->pdata[i]);
          g_string_append (w->out, ": ");
          put_type (w, ((PhValue *) graph->inputs->pdata[i])->type);
        }
      g_string_append (w->out, "):");
    }
  w->indent++;
  write_inside (w, graph, ends);
  w->indent--;
  line (w);
  g_string_append_c (w->out, '}');
}

gboolean
ph_mlir_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error)
{
  Writer w = { .indent = 2 };
  g_autoptr (GString) out = g_string_new ("module {\n  func.func public @main(");
  gboolean ok;

  if (!ph_terms_check (model, error))
    return FALSE;
  w.out = out;
  w.constants = g_hash_table_new (NULL, NULL);
  ph_term_names_init (&w.names);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      put_value (&w, model->graph->inputs->pdata[i]);
      g_string_append (out, ": ");
      put_type (&w, ((PhValue *) model->graph->inputs->pdata[i])->type);
    }
  g_string_append (out, ") -> (");
  put_types (&w, model->graph->outputs);
  g_string_append (out, ") {");
  write_inside (&w, model->graph, "return");
  g_string_append (out, "\n  }\n}\n");
  ok = ph_tensor_take_fault (error) && ph_terms_save (path, out, error);
  ph_term_names_clear (&w.names);
  g_hash_table_unref (w.constants);
  return ok;
}
