/* writer.c: writes graphs of HLO's or StableHLO's operators as HLO text. A body becomes a computation of its own; values that it captures
 * from the enclosing graph are passed as arguments.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/hlo/hlo.h"
#include "core/io/hlo/terms.h"

typedef struct
{
  GString *out;    /* of the computation that is being written                              */
  GString *before; /* the computations written so far: each precedes its calls */
  PhTermNames names;
  GHashTable *local;   /* PhValue -> its name in this computation, if different                 */
  const PhValue *root; /* (nullable) the result of this computation, if it is one value         */
} Writer;

/* ── words ── */

static void
put_type (GString *out, const PhType *type)
{
  g_string_append_printf (out, "%s[", ph_terms_dtype (type->dtype, TRUE));
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", type->dims[i].size);
  g_string_append_c (out, ']');
}

static void
put_tuple_type (GString *out, const GPtrArray *values)
{
  g_string_append_c (out, '(');
  for (guint i = 0; i < values->len; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      put_type (out, ((PhValue *) values->pdata[i])->type);
    }
  g_string_append_c (out, ')');
}

static const char *
name_of (Writer *w, const PhValue *value)
{
  const char *local = g_hash_table_lookup (w->local, value);

  return local != NULL ? local : ph_term_names_get (&w->names, value);
}

static void
put_names (Writer *w, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (w->out, "%s%s", i > 0 ? ", " : "", name_of (w, values->pdata[i]));
}

/* "  ROOT y = f32[2] " */
static void
define (Writer *w, const PhValue *value)
{
  g_string_append_printf (w->out, "  %s%s = ", value == w->root ? "ROOT " : "", name_of (w, value));
  put_type (w->out, value->type);
  g_string_append_c (w->out, ' ');
}

static void
put_list (Writer *w, const PhNode *node, const char *name, const char *word)
{
  gsize n;
  const gint64 *ints = ph_terms_ints (node, name, &n);

  g_string_append_printf (w->out, ", %s={", word);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", ints[i]);
  g_string_append_c (w->out, '}');
}

/* " stride=2x2" */
static void
put_times (Writer *w, const PhNode *node, const char *name, const char *word)
{
  gsize n;
  const gint64 *ints = ph_terms_ints (node, name, &n);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (w->out, "%s%s%" G_GINT64_FORMAT, i == 0 ? word : "x", i == 0 ? "=" : "", ints[i]);
  if (n > 0)
    g_string_append_c (w->out, ' ');
}

static void
put_window (Writer *w, const PhNode *node, gboolean convolution)
{
  gsize n;
  const gint64 *pads;

  g_string_append (w->out, ", window={");
  if (ph_terms_ints (node, "window_dimensions", &n) != NULL)
    put_times (w, node, "window_dimensions", "size");
  else /* StableHLO leaves the size to the filters */
    {
      const gint64 *spatial = ph_terms_ints (node, "kernel_spatial_dimensions", &n);
      const PhType *type = ph_node_input (node, 1)->type;

      for (gsize i = 0; i < n; i++)
        g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT, i == 0 ? "size=" : "x",
                                spatial[i] >= 0 && spatial[i] < type->rank ? type->dims[spatial[i]].size : 1);
      g_string_append (w->out, n > 0 ? " " : "");
    }
  put_times (w, node, "window_strides", "stride");
  pads = ph_terms_ints (node, "padding", &n);
  for (gsize i = 0; i + 1 < n; i += 2)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, i == 0 ? "pad=" : "x", pads[i], pads[i + 1]);
  g_string_append (w->out, n > 0 ? " " : "");
  put_times (w, node, convolution ? "lhs_dilation" : "base_dilations", "lhs_dilate");
  put_times (w, node, convolution ? "rhs_dilation" : "window_dilations", "rhs_dilate");
  if (w->out->str[w->out->len - 1] == ' ')
    g_string_truncate (w->out, w->out->len - 1);
  g_string_append_c (w->out, '}');
}

static void
put_slice (Writer *w, const PhNode *node)
{
  gsize n, m, k;
  const gint64 *from = ph_terms_ints (node, "start_indices", &n), *to = ph_terms_ints (node, "limit_indices", &m),
               *by = ph_terms_ints (node, "strides", &k);

  g_string_append (w->out, ", slice={");
  for (gsize i = 0; i < MIN (n, m); i++)
    g_string_append_printf (w->out, "%s[%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT "]", i > 0 ? ", " : "",
                            from[i], to[i], i < k ? by[i] : 1);
  g_string_append_c (w->out, '}');
}

static void
put_padding (Writer *w, const PhNode *node)
{
  gsize n, m, k;
  const gint64 *low = ph_terms_ints (node, "edge_padding_low", &n), *high = ph_terms_ints (node, "edge_padding_high", &m);
  const gint64 *interior = ph_terms_ints (node, "interior_padding", &k);

  g_string_append (w->out, ", padding=");
  for (gsize i = 0; i < MIN (n, m); i++)
    g_string_append_printf (w->out, "%s%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, i > 0 ? "x" : "", low[i],
                            high[i], i < k ? interior[i] : 0);
}

static void
put_attrs (Writer *w, const PhNode *node, const char *op)
{
  /* clang-format off */
  static const struct { const char *op, *attr, *word; } lists[] = {
    { "broadcast_in_dim", "broadcast_dimensions", "dimensions" }, { "transpose", "permutation", "dimensions" }, { "reverse", "dimensions", "dimensions" },
    { "concatenate", "dimension", "dimensions" }, { "reduce", "dimensions", "dimensions" }, { "dynamic_slice", "slice_sizes", "dynamic_slice_sizes" },
    { "dot_general", "lhs_batching_dimensions", "lhs_batch_dims" }, { "dot_general", "rhs_batching_dimensions", "rhs_batch_dims" },
    { "dot_general", "lhs_contracting_dimensions", "lhs_contracting_dims" }, { "dot_general", "rhs_contracting_dimensions", "rhs_contracting_dims" },
    { "gather", "offset_dims", "offset_dims" }, { "gather", "collapsed_slice_dims", "collapsed_slice_dims" }, { "gather", "start_index_map", "start_index_map" },
    { "gather", "operand_batching_dims", "operand_batching_dims" }, { "gather", "start_indices_batching_dims", "start_indices_batching_dims" },
    { "gather", "slice_sizes", "slice_sizes" } };
  /* clang-format on */
  gsize n;

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    if (g_str_equal (lists[i].op, op)
        && (strstr (lists[i].attr, "batching") == NULL || ph_terms_ints (node, lists[i].attr, &n) != NULL))
      put_list (w, node, lists[i].attr, lists[i].word);
  if (g_str_equal (op, "gather"))
    g_string_append_printf (w->out, ", index_vector_dim=%" G_GINT64_FORMAT, ph_terms_int (node, "index_vector_dim", 0));
  else if (g_str_equal (op, "compare"))
    g_string_append_printf (w->out, ", direction=%s", ph_terms_string (node, "comparison_direction", "EQ"));
  else if (g_str_equal (op, "iota"))
    g_string_append_printf (w->out, ", iota_dimension=%" G_GINT64_FORMAT, ph_terms_int (node, "iota_dimension", 0));
  else if (g_str_equal (op, "slice"))
    put_slice (w, node);
  else if (g_str_equal (op, "pad"))
    put_padding (w, node);
  else if (g_str_equal (op, "reduce_window"))
    put_window (w, node, FALSE);
  else if (g_str_equal (op, "convolution"))
    {
      g_autofree char *labels = ph_terms_labels (node, TRUE);

      put_window (w, node, TRUE);
      g_string_append_printf (w->out, ", dim_labels=%s", labels != NULL ? labels : "");
      for (guint i = 0; i < 2; i++)
        if (ph_terms_int (node, i == 0 ? "feature_group_count" : "batch_group_count", 1) != 1)
          g_string_append_printf (w->out, ", %s=%" G_GINT64_FORMAT, i == 0 ? "feature_group_count" : "batch_group_count",
                                  ph_terms_int (node, i == 0 ? "feature_group_count" : "batch_group_count", 1));
    }
}

/* ── bodies ── */

static void
add_capture (PhValue *value, PhGraph *graph, GPtrArray *captures)
{
  if (value != NULL && !ph_graph_is_inside (value->graph, graph) && (value->tensor == NULL || value->is_input)
      && !g_ptr_array_find (captures, value, NULL))
    g_ptr_array_add (captures, value);
}

/* Collects the values from outside @graph that @inside (@graph or a body within it) uses. Constants are left out: each computation repeats
 * them. */
static void
find_captures (PhGraph *inside, PhGraph *graph, GPtrArray *captures)
{
  PH_FOREACH_NODE (node, inside)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        add_capture (ph_node_input (node, i), graph, captures);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        find_captures (node->graphs->pdata[i], graph, captures);
    }
  for (guint i = 0; i < inside->outputs->len; i++)
    add_capture (inside->outputs->pdata[i], graph, captures);
}

static void write_node (Writer *w, PhNode *node);

static void
need_constant (Writer *w, PhValue *value, GHashTable *done)
{
  PhTensor *tensor = value != NULL && !value->is_input ? value->tensor : NULL;

  if (tensor == NULL || !g_hash_table_add (done, value))
    return;
  if (w->out->len > 0 && g_hash_table_lookup (w->local, value) == NULL)
    g_hash_table_insert (w->local, value, (gpointer) ph_term_names_claim (&w->names, value->name));
  g_string_append_printf (w->out, "  %s%s = ", value == w->root ? "ROOT " : "", name_of (w, value));
  put_type (w->out, ph_type_static (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor)));
  g_string_append (w->out, " constant(");
  ph_terms_elements (w->out, tensor, TRUE);
  g_string_append (w->out, ")\n");
}

/* Writes the instructions of @graph; @more: results beside its outputs. */
static void
write_inside (Writer *w, PhGraph *graph, const GPtrArray *more, gboolean tuple)
{
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) given = g_ptr_array_new ();

  for (guint i = 0; i < graph->outputs->len; i++)
    g_ptr_array_add (given, graph->outputs->pdata[i]);
  for (guint i = 0; more != NULL && i < more->len; i++)
    g_ptr_array_add (given, more->pdata[i]);
  tuple = tuple || given->len != 1;
  w->root = tuple ? NULL : given->pdata[0];
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        need_constant (w, ph_node_input (node, i), done);
      write_node (w, node);
    }
  for (guint i = 0; i < given->len; i++)
    need_constant (w, given->pdata[i], done);
  if (!tuple)
    return;
  g_string_append_printf (w->out, "  ROOT %s = ", ph_term_names_claim (&w->names, "out"));
  put_tuple_type (w->out, given);
  g_string_append (w->out, " tuple(");
  put_names (w, given);
  g_string_append (w->out, ")\n");
}

/* Writes @graph as a computation. Its parameters are its inputs, or, with @tuple, one tuple of @first (nullable), the inputs and @captures;
 * its results are its outputs and, with @state, its captures after them. Returns its name. */
static const char *
write_computation (Writer *w, PhGraph *graph, const PhValue *first, const GPtrArray *captures, gboolean tuple, gboolean state)
{
  Writer inner = { .out = g_string_new (NULL), .before = w->before, .names = w->names };
  const char *name = ph_term_names_claim (&w->names, graph->name), *parameter;
  g_autoptr (GHashTable) local = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) taken = g_ptr_array_new ();

  inner.local = local;
  if (first != NULL)
    g_ptr_array_add (taken, (gpointer) first);
  for (guint i = 0; i < graph->inputs->len; i++)
    g_ptr_array_add (taken, graph->inputs->pdata[i]);
  for (guint i = 0; captures != NULL && i < captures->len; i++)
    g_ptr_array_add (taken, captures->pdata[i]);
  inner.root = !tuple || (!state && graph->outputs->len == 1) ? graph->outputs->pdata[0] : NULL;
  g_string_append_printf (inner.out, "%s {\n", name);
  parameter = tuple ? ph_term_names_claim (&w->names, "parameter") : NULL;
  if (tuple)
    {
      g_string_append_printf (inner.out, "  %s = ", parameter);
      put_tuple_type (inner.out, taken);
      g_string_append (inner.out, " parameter(0)\n");
    }
  for (guint i = 0; i < taken->len; i++)
    {
      const PhValue *value = taken->pdata[i];

      if (value->graph != graph)
        g_hash_table_insert (local, (gpointer) value, (gpointer) ph_term_names_claim (&w->names, value->name));
      define (&inner, value);
      if (tuple)
        g_string_append_printf (inner.out, "get-tuple-element(%s), index=%u\n", parameter, i);
      else
        g_string_append_printf (inner.out, "parameter(%u)\n", i);
    }
  write_inside (&inner, graph, state ? captures : NULL, state);
  g_string_append (inner.out, "}\n\n");
  g_string_append_len (w->before, inner.out->str, (gssize) inner.out->len);
  g_string_free (inner.out, TRUE);
  return name;
}

/* Several results form a tuple, from which each is extracted. */
static void
take_apart (Writer *w, const PhNode *node, const char *tuple)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      define (w, ph_node_output (node, i));
      g_string_append_printf (w->out, "get-tuple-element(%s), index=%u\n", tuple, i);
    }
}

/* Writes a tuple of @values as an operand. Returns its name. */
static const char *
make_tuple (Writer *w, const GPtrArray *values)
{
  const char *name = ph_term_names_claim (&w->names, "operands");

  g_string_append_printf (w->out, "  %s = ", name);
  put_tuple_type (w->out, values);
  g_string_append (w->out, " tuple(");
  put_names (w, values);
  g_string_append (w->out, ")\n");
  return name;
}

static void
write_while (Writer *w, PhNode *node)
{
  g_autoptr (GPtrArray) captures = g_ptr_array_new (), all = g_ptr_array_new (), results = g_ptr_array_new ();
  const char *names[2], *tuple, *name = ph_term_names_claim (&w->names, "loop");

  for (guint i = 0; i < 2; i++)
    find_captures (node->graphs->pdata[i], node->graphs->pdata[i], captures);
  for (guint i = 0; i < node->inputs->len; i++)
    g_ptr_array_add (all, ph_node_input (node, i));
  for (guint i = 0; i < node->outputs->len; i++)
    g_ptr_array_add (results, ph_node_output (node, i));
  for (guint i = 0; i < captures->len; i++)
    {
      g_ptr_array_add (all, captures->pdata[i]);
      g_ptr_array_add (results, captures->pdata[i]);
    }
  for (guint i = 0; i < 2; i++)
    names[i] = write_computation (w, node->graphs->pdata[i], NULL, captures, TRUE, i == 1);
  tuple = make_tuple (w, all);
  g_string_append_printf (w->out, "  %s = ", name);
  put_tuple_type (w->out, results);
  g_string_append_printf (w->out, " while(%s), condition=%s, body=%s\n", tuple, names[0], names[1]);
  take_apart (w, node, name);
}

/* Each branch gets the condition and all values that a branch uses as operands. */
static void
write_conditional (Writer *w, PhNode *node)
{
  g_autoptr (GPtrArray) captures = g_ptr_array_new (), all = g_ptr_array_new (), names = g_ptr_array_new ();
  const PhValue *index = ph_node_input (node, 0);
  const gboolean two = index->type->dtype == PH_BOOL;
  const char *tuple, *name;

  for (guint i = 0; i < node->graphs->len; i++)
    find_captures (node->graphs->pdata[i], node->graphs->pdata[i], captures);
  g_ptr_array_remove (captures, (gpointer) index);
  g_ptr_array_add (all, (gpointer) index);
  for (guint i = 0; i < captures->len; i++)
    g_ptr_array_add (all, captures->pdata[i]);
  for (guint i = 0; i < node->graphs->len; i++)
    g_ptr_array_add (names, (gpointer) write_computation (w, node->graphs->pdata[i], index, captures, TRUE, FALSE));
  tuple = make_tuple (w, all);
  name = node->outputs->len == 1 ? NULL : ph_term_names_claim (&w->names, "branch");
  if (name == NULL)
    define (w, ph_node_output (node, 0));
  else
    {
      g_string_append_printf (w->out, "  %s = ", name);
      put_tuple_type (w->out, &node->outputs->array);
      g_string_append_c (w->out, ' ');
    }
  g_string_append_printf (w->out, "conditional(%s", name_of (w, index));
  for (guint i = 0; i < node->graphs->len; i++)
    g_string_append_printf (w->out, ", %s", tuple);
  if (two)
    g_string_append_printf (w->out, "), true_computation=%s, false_computation=%s\n", (char *) names->pdata[0],
                            (char *) names->pdata[1]);
  else
    {
      g_string_append (w->out, "), branch_computations={");
      for (guint i = 0; i < names->len; i++)
        g_string_append_printf (w->out, "%s%s", i > 0 ? ", " : "", (char *) names->pdata[i]);
      g_string_append (w->out, "}\n");
    }
  if (name != NULL)
    take_apart (w, node, name);
}

static void
write_node (Writer *w, PhNode *node)
{
  const char *op = ph_terms_op (node), *applied = NULL, *tuple = NULL;
  g_autofree char *name = NULL;

  if (g_str_equal (op, "while"))
    {
      write_while (w, node);
      return;
    }
  if (g_str_equal (op, "if") || g_str_equal (op, "case"))
    {
      write_conditional (w, node);
      return;
    }
  if (node->graphs != NULL && node->graphs->len > 0)
    applied = write_computation (w, node->graphs->pdata[0], NULL, NULL, FALSE, FALSE);
  name = g_strdelimit (g_strdup (g_str_equal (op, "dot_general")        ? "dot"
                                 : g_str_equal (op, "broadcast_in_dim") ? "broadcast"
                                                                        : op),
                       "_", '-');
  if (node->outputs->len == 1)
    define (w, ph_node_output (node, 0));
  else
    {
      tuple = ph_term_names_claim (&w->names, "results");
      g_string_append_printf (w->out, "  %s = ", tuple);
      put_tuple_type (w->out, &node->outputs->array);
      g_string_append_c (w->out, ' ');
    }
  g_string_append_printf (w->out, "%s(", name);
  if (g_str_equal (op, "constant") && ph_node_attr (node, "value") != NULL
      && ph_node_attr (node, "value")->kind == PH_ATTR_TENSOR)
    ph_terms_elements (w->out, ph_node_attr (node, "value")->tensor, TRUE);
  else
    put_names (w, &node->inputs->array);
  g_string_append_c (w->out, ')');
  put_attrs (w, node, op);
  if (applied != NULL)
    g_string_append_printf (w->out, ", to_apply=%s", applied);
  g_string_append_c (w->out, '\n');
  if (tuple != NULL)
    take_apart (w, node, tuple);
}

/* Checks the number of bodies of each node, and that a reducer captures nothing, since HLO cannot pass values to it. */
static gboolean
check_bodies (PhModel *model, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      const char *op = ph_terms_op (node);
      g_autoptr (GPtrArray) captures = g_ptr_array_new ();
      const guint n = node->graphs != NULL ? node->graphs->len : 0;
      const gboolean choice = g_str_equal (op, "if") || g_str_equal (op, "case");

      if ((g_str_equal (op, "while") && n != 2) || (choice && (n == 0 || node->inputs->len != 1))
          || (g_str_equal (op, "if") && n != 2))
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "has not the bodies that HLO asks for");
      if (n == 0 || choice || g_str_equal (op, "while"))
        continue;
      find_captures (node->graphs->pdata[0], node->graphs->pdata[0], captures);
      if (captures->len > 0)
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                             "its body uses '%s' of what is around it, which HLO does not allow",
                             ((PhValue *) captures->pdata[0])->name);
    }
  return TRUE;
}

gboolean
ph_hlo_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL), before = g_string_new (NULL);
  g_autoptr (GHashTable) local = g_hash_table_new (NULL, NULL);
  Writer w = { .out = out, .before = before, .local = local };
  PhGraph *graph = model->graph;
  gboolean ok;

  if (!ph_terms_check (model, error) || !check_bodies (model, error))
    return FALSE;
  ph_term_names_init (&w.names);
  w.root = graph->outputs->len == 1 ? graph->outputs->pdata[0] : NULL;
  g_string_append_printf (before, "HloModule %s\n\n", ph_term_names_claim (&w.names, graph->name));
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      define (&w, graph->inputs->pdata[i]);
      g_string_append_printf (out, "parameter(%u)\n", i);
    }
  write_inside (&w, graph, NULL, FALSE);
  g_string_append_printf (before, "ENTRY %s {\n%s}\n", ph_term_names_claim (&w.names, "main"), out->str);
  ok = ph_tensor_take_fault (error) && ph_terms_save (path, before, error);
  ph_term_names_clear (&w.names);
  return ok;
}
