/* onnx-reader.c: tests of reading and writing ONNX: what must survive a round trip, speed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/edit.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "wire.h"

static PhModel *
read_model (GBytes *bytes, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_read (bytes, "test.onnx", problems, &error);

  g_assert_no_error (error);
  g_assert_nonnull (model);
  g_assert_true (ph_model_verify (model, &error));
  g_assert_no_error (error);
  return model;
}

static void
test_out_of_order (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GBytes) bytes = wire_simple_model (
      4, (Wire *[]) { wire_node ("Relu", "c", "y", "last"), wire_node ("Relu", "a", "b", "second"),
                      wire_node ("Relu", "x", "a", "first"), wire_node ("Relu", "b", "c", "third") });
  g_autoptr (PhModel) model = read_model (bytes, problems);

  g_assert_cmpstr (model->graph->first->name, ==, "first");
  g_assert_cmpstr (model->graph->last->name, ==, "last");
  g_assert_cmpuint (problems->len, >=, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "order"));
}

static void
test_unknown_operator (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GBytes) bytes = wire_simple_model (
      2, (Wire *[]) { wire_node ("Frobnicate", "x", "a", "strange"), wire_node ("Relu", "a", "y", NULL) });
  g_autoptr (PhModel) model = read_model (bytes, problems);

  g_assert_null (model->graph->first->op);
  g_assert_cmpuint (problems->len, >=, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "Frobnicate"));
}

/* ── element types ──────────────────────────────────────────────────────────────────────────────────────────────── */

static PhTensor *
read_constant (Wire *tensor)
{
  Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) });
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PhModel) model = NULL;

  wire_message (graph, 5, tensor);
  bytes = wire_model (graph);
  model = read_model (bytes, NULL);
  return ph_tensor_ref (ph_model_find_value_named (model, "w")->tensor);
}

static void
test_element_types (void)
{
  Wire *typed = wire_tensor ("w", 10, 1, (gint64[]) { 2 }, NULL, 0), *packed = g_byte_array_new (), *strings;
  g_autoptr (PhTensor) int4 = read_constant (wire_tensor ("w", PH_INT4, 1, (gint64[]) { 3 }, "\x7f\x08", 2));
  g_autoptr (PhTensor) uint2 = read_constant (wire_tensor ("w", PH_UINT2, 1, (gint64[]) { 5 }, "\xe4\x02", 2));
  g_autoptr (PhTensor) half = NULL;
  g_autoptr (PhTensor) text = NULL;
  g_autoptr (PhTensor) empty = read_constant (wire_tensor ("w", 1, 2, (gint64[]) { 0, 3 }, "", 0));

  g_assert_cmpint (ph_tensor_get_int (int4, 0), ==, -1);
  g_assert_cmpint (ph_tensor_get_int (int4, 1), ==, 7);
  g_assert_cmpint (ph_tensor_get_int (int4, 2), ==, -8);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (ph_tensor_get_int (uint2, i), ==, i);
  g_assert_cmpint (ph_tensor_get_int (uint2, 4), ==, 2);
  g_assert_cmpuint (ph_tensor_count (empty), ==, 0);

  wire_varint (packed, 0x3c00); /* float16 in int32_data */
  wire_varint (packed, 0xc000);
  wire_message (typed, 5, packed);
  half = read_constant (typed);
  g_assert_cmpfloat (ph_tensor_get (half, 0), ==, 1);
  g_assert_cmpfloat (ph_tensor_get (half, 1), ==, -2);

  strings = wire_tensor ("w", PH_STRING, 1, (gint64[]) { 2 }, NULL, 0);
  wire_string (strings, 6, "one");
  wire_string (strings, 6, "");
  text = read_constant (strings);
  g_assert_cmpstr (ph_tensor_get_string (text, 0), ==, "one");
  g_assert_cmpstr (ph_tensor_get_string (text, 1), ==, "");
}

static void
test_sparse (void)
{
  static const float values[2] = { 5, 6 };
  static const gint64 indices[4] = { 0, 1, 1, 0 };
  Wire *sparse = g_byte_array_new (), *graph = wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) });
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PhModel) model = NULL;
  PhTensor *tensor;

  wire_message (sparse, 1, wire_tensor ("s", 1, 1, (gint64[]) { 2 }, values, sizeof values));
  wire_message (sparse, 2, wire_tensor ("", 7, 2, (gint64[]) { 2, 2 }, indices, sizeof indices));
  wire_int (sparse, 3, 2);
  wire_int (sparse, 3, 3);
  wire_message (graph, 15, sparse);
  bytes = wire_model (graph);
  model = read_model (bytes, NULL);
  tensor = ph_model_find_value_named (model, "s")->tensor;
  g_assert_cmpuint (ph_tensor_count (tensor), ==, 6);
  g_assert_cmpfloat (ph_tensor_get (tensor, 1), ==, 5);
  g_assert_cmpfloat (ph_tensor_get (tensor, 3), ==, 6);
  g_assert_cmpfloat (ph_tensor_get (tensor, 0), ==, 0);
}

/* ── what survives ──────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
contains (GBytes *bytes, const char *text)
{
  return memmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), text, strlen (text)) != NULL;
}

/* Everything that Peephole does not interpret says MARK-something; all of it must be in what is written. */
static void
test_extras (void)
{
  /* clang-format off */
  static const char *const marks[] = {
    "MARK-node-doc", "MARK-node-future", "MARK-attr-doc", "MARK-tensor-name", "MARK-init-doc", "MARK-graph-doc", "MARK-annotation",
    "MARK-model-doc", "MARK-model-future", "MARK-producer", "MARK-training", "MARK-info-doc", "MARK-denotation", "MARK-input-doc",
    "MARK-graph-future", "MARK-init-future", "MARK-metadata", "MARK-map",
  };
  /* clang-format on */
  Wire *node = wire_node ("Constant", "", "c", "const"), *attr = g_byte_array_new (), *tensor, *graph, *info, *map, *type, *pair;
  Wire *model = g_byte_array_new (), *opset = g_byte_array_new (), *annotation = g_byte_array_new (),
       *training = g_byte_array_new ();
  g_autofree float *large = g_new0 (float, 200);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GBytes) again = NULL;
  g_autoptr (PhModel) read = NULL;
  g_autoptr (PhModel) reread = NULL;

  tensor = wire_tensor ("MARK-tensor-name", 1, 1, (gint64[]) { 200 }, large, 200 * sizeof *large);
  wire_string (attr, 1, "value");
  wire_message (attr, 5, tensor);
  wire_string (attr, 13, "MARK-attr-doc");
  wire_int (attr, 20, 4);
  wire_message (node, 5, attr);
  wire_string (node, 6, "MARK-node-doc");
  wire_string (node, 4242, "MARK-node-future");
  graph = wire_graph (2, (Wire *[]) { node, wire_node ("Add", "x w", "y", NULL) });
  tensor = wire_tensor ("w", 1, 1, (gint64[]) { 2 }, large, 8);
  wire_string (tensor, 12, "MARK-init-doc");
  wire_string (tensor, 77, "MARK-init-future");
  wire_message (graph, 5, tensor);
  wire_string (graph, 10, "MARK-graph-doc");
  wire_string (graph, 99, "MARK-graph-future");
  wire_string (annotation, 1, "MARK-annotation");
  wire_message (graph, 14, annotation);
  info = wire_value ("c", 200);
  wire_string (info, 3, "MARK-info-doc");
  wire_message (graph, 13, info);
  info = g_byte_array_new ();
  type = g_byte_array_new ();
  wire_string (info, 1, "second");
  wire_string (type, 6, "MARK-denotation");
  wire_message (info, 2, type);
  wire_string (info, 3, "MARK-input-doc");
  wire_message (graph, 11, info);
  map = g_byte_array_new ();
  wire_int (map, 1, 8);
  type = g_byte_array_new ();
  wire_message (type, 5, map);
  info = g_byte_array_new ();
  wire_string (info, 1, "third");
  wire_message (info, 2, type);
  wire_string (info, 3, "MARK-map");
  wire_message (graph, 11, info);

  wire_string (opset, 1, "");
  wire_int (opset, 2, 17);
  wire_int (model, 1, 8);
  wire_string (model, 2, "MARK-producer");
  wire_string (model, 6, "MARK-model-doc");
  wire_message (model, 7, graph);
  wire_message (model, 8, opset);
  pair = g_byte_array_new ();
  wire_string (pair, 1, "key");
  wire_string (pair, 2, "MARK-metadata");
  wire_message (model, 14, pair);
  graph = g_byte_array_new ();
  wire_string (graph, 2, "MARK-training");
  wire_message (training, 1, graph);
  wire_message (model, 20, training);
  wire_string (model, 333, "MARK-model-future");
  bytes = g_byte_array_free_to_bytes (model);

  read = read_model (bytes, NULL);
  written = ph_onnx_write (read, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      if (!contains (written, marks[i]))
        g_error ("%s was lost", marks[i]);
    }
  reread = read_model (written, NULL);
  again = ph_onnx_write (reread, NULL);
  g_assert_true (g_bytes_equal (written, again));
}

/* Branches may use the same names, in the file; absent inputs and outputs stay absent. */
static void
test_names (void)
{
  static const char *const text = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                  "g (bool c, float[2] x) => (float[2] y) {\n"
                                  "  y = If <then_branch = a () => (float[2] t) { u = Relu (x) t = Abs (u) },\n"
                                  "          else_branch = b () => (float[2] t) { u = Abs (x) t = Relu (u) }> (c)\n"
                                  "  d, \"\" = Dropout (x, \"\", \"\")\n"
                                  "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "names.onnxtxt", &error);
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *first = NULL, *second = NULL;

  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->first->graphs->len, ==, 2);
  first = ph_onnx_text_print (model, G_MAXSIZE);
  g_assert_nonnull (strstr (first, "d, \"\" = Dropout (x, \"\", \"\")"));
  bytes = ph_onnx_write (model, &error);
  g_assert_no_error (error);
  again = read_model (bytes, NULL);
  second = ph_onnx_text_print (again, G_MAXSIZE);
  g_assert_cmpstr (first, ==, second);
}

/* What a file leaves out gets a name, but never one that the file has further down or in a body. */
static void
test_made_up_names (void)
{
  static const char *const text
      = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
        "g (float[4] x, int64[1] k, bool c) => (float[?] y) {\n"
        "  [n] \"\", i = TopK (x, k)\n"
        "  n = Cast <to = 1> (i)\n"
        "  [n] \"\", j = TopK (x, k)\n"
        "  n_1 = Cast <to = 1> (j)\n"
        "  [b] \"\", l = TopK (x, k)\n"
        "  m = If <then_branch = t () => (float[?] b) { b = Cast <to = 1> (l) }, else_branch = e () => (float[?] r) { r = Neg (n) }> (c)\n"
        "  y = Sum (n, n_1, m)\n"
        "}\n";
  static const char *const kept[] = { "i", "n", "j", "n_1", "l", "m", "y" };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "names.onnxtxt", &error), again = NULL;
  g_autofree char *first = NULL, *second = NULL;
  PhNode *b;

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    g_assert_nonnull (ph_graph_find_value_named (model->graph, kept[i]));
  first = ph_onnx_text_print (model, G_MAXSIZE);
  g_assert_nonnull (strstr (first, "n = Cast <to = 1> (i)"));
  g_assert_nonnull (strstr (first, "y = Sum (n, n_1, m)"));
  g_assert_nonnull (strstr (first, "b = Cast <to = 1> (l)"));
  again = ph_onnx_text_read (first, -1, "again.onnxtxt", &error);
  g_assert_no_error (error);
  second = ph_onnx_text_print (again, G_MAXSIZE);
  g_assert_cmpstr (first, ==, second);
  b = again->graph->first;
  PH_FOREACH_NODE (a, model->graph)
    {
      for (guint i = 0; i < a->outputs->len; i++)
        g_assert_cmpstr (ph_node_output (a, i)->name, ==, ph_node_output (b, i)->name);
      b = b->next;
    }
}

/* ── fused nodes and functions ──────────────────────────────────────────────────────────────────────────────────── */

static void
test_fused (void)
{
  static const char *const text
      = "<ir_version: 7, opset_import: [\"\" : 17]>\n"
        "g (float[2] x) => (float[2] y) {\n"
        "  a = peephole.FusedAddRelu <body = b1 (float[2] p) => (float[2] r) <float[2] w = {1, 2}> { q = Add (p, w) r = Relu (q) }> (x)\n"
        "  b = peephole.FusedAddRelu <body = b2 (float[2] p2) => (float[2] r2) <float[2] w2 = {1, 2}> { q2 = Add (p2, w2) r2 = Relu (q2) }> (a)\n"
        "  y = peephole.FusedAddRelu <body = b3 (float[2] p3) => (float[2] r3) <float[2] w3 = {1, 3}> { q3 = Add (p3, w3) r3 = Relu (q3) }> (b)\n"
        "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "fused.onnxtxt", &error);
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) twice = NULL;
  const PhNode *node;

  g_assert_no_error (error);
  g_assert_true (ph_node_is_fused (model->graph->first));
  bytes = ph_onnx_write (model, &error);
  g_assert_no_error (error);
  g_assert_true (contains (bytes, "FusedAddRelu_2"));
  g_assert_false (contains (bytes, "FusedAddRelu_3")); /* equal bodies share a function */
  again = read_model (bytes, NULL);
  g_assert_cmpint (again->ir_version, ==, 8);
  g_assert_cmpuint (again->functions->len, ==, 0);
  node = again->graph->last;
  g_assert_true (ph_node_is_fused (node));
  g_assert_cmpstr (node->op_type, ==, "FusedAddRelu");
  g_assert_cmpuint (ph_node_graph (node, "body")->constants->len, ==, 1);
  g_assert_cmpuint (ph_node_graph (node, "body")->n_nodes, ==, 2);
  twice = ph_onnx_write (again, &error);
  g_assert_no_error (error);
  g_assert_true (contains (twice, "FusedAddRelu_2") && !contains (twice, "FusedAddRelu_3"));
}

/* What an unknown operator does with its body is its own affair, whatever the body is called; only a fusion is what its body is. */
static void
test_body_of_unknown (void)
{
  static const char *const text = "<ir_version: 8, opset_import: [\"\" : 23, \"tir\" : 1]>\n"
                                  "g (float[2] x, int64 n) => (float[2] y, float[2] z) {\n"
                                  "  y = tir.for <body = b (int64 i, float[2] p) => (float[2] r) { r = Add (p, p) }> (n, x)\n"
                                  "  z = peephole.Twice <body = c (float[2] s) => (float[2] t) { t = Add (s, s) }> (x)\n"
                                  "}\n";
  static const char *const open_body = "<ir_version: 8, opset_import: [\"\" : 23]>\n"
                                       "g (float[2] x) => (float[2] z) {\n"
                                       "  a = Relu (x)\n"
                                       "  z = peephole.Twice <body = c (float[2] s) => (float[2] t) { t = Add (s, a) }> (x)\n"
                                       "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "bodies.onnxtxt", &error), refused = NULL;

  g_assert_no_error (error);
  for (guint way = 0; way < 3; way++)
    {
      g_autoptr (GBytes) bytes = way == 1 ? ph_onnx_write (model, &error) : NULL;
      g_autofree char *printed = way == 2 ? ph_onnx_text_print (model, G_MAXSIZE) : NULL;
      g_autoptr (PhModel) again = way == 0   ? ph_model_clone (model)
                                  : way == 1 ? read_model (bytes, NULL)
                                             : ph_onnx_text_read (printed, -1, "again", &error);
      g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
      g_autoptr (PhTensor) x = ph_tensor_new_floats ((float[]) { 1, 2 }, 2), n = ph_tensor_new_scalar (PH_INT64, 3);

      g_assert_no_error (error);
      g_assert_true (ph_model_verify (again, &error));
      g_assert_cmpstr (again->graph->first->op_type, ==, "for");
      g_assert_false (ph_node_is_fused (again->graph->first));
      g_assert_nonnull (ph_node_graph (again->graph->first, "body"));
      g_assert_true (ph_node_is_fused (again->graph->last));
      g_hash_table_insert (feeds, again->graph->inputs->pdata[0], x);
      g_hash_table_insert (feeds, again->graph->inputs->pdata[1], n);
      results = ph_run_model (again, feeds, NULL, NULL, &error);
      g_assert_null (results);
      g_assert_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, "tir.for: is an operator that Peephole does not know"));
      g_clear_error (&error);
    }
  refused = ph_onnx_text_read (open_body, -1, "open.onnxtxt", &error);
  g_assert_null (refused);
  g_assert_nonnull (strstr (error->message, "uses 'a', which nothing in graph 'c' defines"));
}

static void
test_function (void)
{
  static const char *const text = "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                                  "g (float[2] x) => (float[2] y) { y = local.scale <alpha = 3.0> (x) }\n"
                                  "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                                  "scale <alpha, beta: float = 0.5> (a) => (b) {\n"
                                  "  k = Constant <value_float : float = @alpha> ()\n"
                                  "  m = Constant <value_float : float = @beta> ()\n"
                                  "  n = Mul (k, m)\n"
                                  "  b = Mul (a, n)\n"
                                  "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "function.onnxtxt", &error);
  g_autoptr (PhModel) body = NULL;
  g_autofree char *printed = NULL, *reprinted = NULL;
  g_autoptr (PhModel) again = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (model->functions->len, ==, 1);
  body = ph_io_open_function (model->functions->pdata[0], model->graph->first, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (body->graph->n_nodes, ==, 4);
  g_assert_cmpfloat (ph_node_attr_float (body->graph->first, "value_float", 0), ==, 3);
  g_assert_cmpfloat (ph_node_attr_float (body->graph->first->next, "value_float", 0), ==, 0.5f);
  g_assert_true (ph_value_is_output (ph_node_output (body->graph->last, 0)));
  printed = ph_onnx_text_print (model, G_MAXSIZE);
  again = ph_onnx_text_read (printed, -1, "again.onnxtxt", &error);
  g_assert_no_error (error);
  reprinted = ph_onnx_text_print (again, G_MAXSIZE);
  g_assert_cmpstr (printed, ==, reprinted);
}

/* One value as two outputs is fine inside, but not in a file. */
static void
test_repeated_output (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read ("g (float[2] x) => (float[2] y, float[2] z) { y = Relu (x) z = Relu (x) }", -1,
                                                 "r", &error);
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_assert_no_error (error);
  g_assert_true (ph_graph_set_output (model->graph, 1, model->graph->outputs->pdata[0], &error));
  bytes = ph_onnx_write (model, &error);
  again = read_model (bytes, NULL);
  g_assert_cmpuint (again->graph->outputs->len, ==, 2);
  g_assert_cmpstr (((PhValue *) again->graph->outputs->pdata[1])->producer->op_type, ==, "Identity");
}

/* ── real models ────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
round_trip (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhModel) again = NULL;
  g_autoptr (PhModel) text_again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *first = NULL, *second = NULL, *third = NULL;
  gsize limit = g_str_has_prefix (path, "/") && strstr (path, "onnx-backend") != NULL ? G_MAXSIZE : 64;

  if (error != NULL)
    g_error ("%s", error->message);
  g_assert_true (ph_model_verify (model, &error));
  g_assert_no_error (error);
  first = ph_onnx_text_print (model, limit);
  bytes = ph_onnx_write (model, &error);
  g_assert_no_error (error);
  again = ph_onnx_read (bytes, path, NULL, &error);
  g_assert_no_error (error);
  second = ph_onnx_text_print (again, limit);
  if (!g_str_equal (first, second))
    g_error ("%s changes when it is written and read again", path);
  if (limit != G_MAXSIZE)
    return;
  text_again = ph_onnx_text_read (first, -1, path, &error);
  g_assert_no_error (error);
  third = ph_onnx_text_print (text_again, limit);
  if (!g_str_equal (first, third))
    g_error ("%s changes when it is printed and parsed", path);
}

static guint
round_trip_folder (const char *folder, guint depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_str_has_suffix (name, ".onnx"))
        {
          round_trip (path);
          n++;
        }
      else if (depth > 0 && g_file_test (path, G_FILE_TEST_IS_DIR))
        n += round_trip_folder (path, depth - 1);
    }
  return n;
}

static void
test_data (void)
{
  const char *data = g_getenv ("PEEPHOLE_DATA_DIR");
  g_autofree char *models = g_build_filename (data != NULL ? data : "", "models", NULL);
  g_autofree char *cases = g_build_filename (data != NULL ? data : "", "onnx-backend", NULL);
  guint n;

  if (data == NULL || !g_file_test (models, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the models are not there: set PEEPHOLE_DATA_DIR to a folder whose models/ has them");
      return;
    }
  n = round_trip_folder (models, 0) + round_trip_folder (cases, 2);
  g_test_message ("%u models", n);
}

/* ── speed ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
test_speed (void)
{
  Wire *graph = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PhModel) model = NULL;
  const guint n = 20000;
  gint64 start;
  double ms;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *in = i == 0 ? g_strdup ("x") : g_strdup_printf ("/layers.%u/v%u", (i - 1) / 10, i);
      g_autofree char *two = i % 2 == 0 ? g_strdup_printf ("%s x", in) : g_strdup (in);
      g_autofree char *out = i + 1 == n ? g_strdup ("y") : g_strdup_printf ("/layers.%u/v%u", i / 10, i + 1);
      g_autofree char *name = g_strdup_printf ("/layers.%u/node%u", i / 10, i);

      wire_message (graph, 1, wire_node (i % 2 == 0 ? "Add" : "Relu", two, out, name));
    }
  wire_message (graph, 11, wire_value ("x", 2));
  wire_message (graph, 12, wire_value ("y", 2));
  bytes = wire_model (graph);
  start = g_get_monotonic_time ();
  model = ph_onnx_read (bytes, "large.onnx", NULL, NULL);
  ms = (double) (g_get_monotonic_time () - start) / 1000;
  g_assert_nonnull (model);
  g_assert_cmpuint (model->graph->n_nodes, ==, n);
  g_test_message ("%u nodes: %.1f ms", n, ms);
  g_assert_cmpfloat (ms, <, 20000); /* a machine under load, with sanitizers; the figure proper is in the message */
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx/out-of-order", test_out_of_order);
  g_test_add_func ("/onnx/unknown-operator", test_unknown_operator);
  g_test_add_func ("/onnx/element-types", test_element_types);
  g_test_add_func ("/onnx/sparse", test_sparse);
  g_test_add_func ("/onnx/extras", test_extras);
  g_test_add_func ("/onnx/names", test_names);
  g_test_add_func ("/onnx/made-up-names", test_made_up_names);
  g_test_add_func ("/onnx/fused", test_fused);
  g_test_add_func ("/onnx/body-of-unknown", test_body_of_unknown);
  g_test_add_func ("/onnx/function", test_function);
  g_test_add_func ("/onnx/repeated-output", test_repeated_output);
  g_test_add_func ("/onnx/data", test_data);
  g_test_add_func ("/onnx/speed", test_speed);
  return g_test_run ();
}
