/* mlir.c: models out of MLIR text, and what is said of text that is none.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/io/format.h"
#include "core/io/io.h"

static PhModel *
read_text (const char *text, GPtrArray *problems, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return ph_format_read_bytes (ph_format_find ("mlir"), bytes, "model.mlir", problems, error);
}

static PhNode *
find_op (PhModel *model, const char *domain, const char *op_type)
{
  for (guint i = 0; i < model->nodes->len; i++)
    {
      PhNode *node = model->nodes->pdata[i];

      if (node != NULL && g_str_equal (node->op_type, op_type) && g_str_equal (node->domain, domain))
        return node;
    }
  g_error ("there is no %s.%s", domain, op_type);
}

/* One of the problems has @part in it. */
static void
assert_problem (GPtrArray *problems, const char *part)
{
  guint n = 0;

  for (guint i = 0; i < problems->len; i++)
    n += strstr (problems->pdata[i], part) != NULL;
  g_assert_cmpuint (n, ==, 1);
}

static void
test_corpus (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "mlir", "forms.mlir", NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, problems, NULL, &error);
  const PhNode *node;
  const gint64 *ints;
  gsize n;

  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 1); /* of the first that nobody calls */
  g_assert_cmpuint (model->functions->len, ==, 2);
  node = find_op (model, "stablehlo", "convolution");
  ints = ph_node_attr_ints (node, "padding", &n);
  g_assert_cmpmem (ints, n * sizeof *ints, ((gint64[]) { 1, 0 }), 2 * sizeof (gint64));
  g_assert_cmpint (ph_node_attr_int (node, "kernel_input_feature_dimension", -1), ==, 1);
  g_assert_cmpint (ph_node_attr_int (node, "feature_group_count", -1), ==, 3);
  node = find_op (model, "stablehlo", "reduce");
  g_assert_cmpint (ph_tensor_get_int (ph_node_attr (ph_node_input (node, 1)->producer, "value")->tensor, 0), ==, 1);
  g_assert_cmpuint (ph_node_graph (node, "reducer")->n_nodes, ==, 1);
  node = find_op (model, "stablehlo", "while");
  g_assert_cmpuint (ph_node_graph (node, "cond")->inputs->len, ==, 2);
  g_assert_cmpuint (ph_node_graph (node, "body")->outputs->len, ==, 2);
  node = find_op (model, "stablehlo", "uniform_quantize");
  g_assert_cmpint (ph_node_output (node, 0)->type->dtype, ==, PH_INT8);
  g_assert_nonnull (ph_node_attr (node, "result_types"));
  node = find_op (model, "stablehlo", "slice");
  ints = ph_node_attr_ints (node, "strides", &n);
  g_assert_cmpmem (ints, n * sizeof *ints, ((gint64[]) { 1, 2, 1 }), 3 * sizeof (gint64));
  g_assert_cmpuint (find_op (model, "mlir", "block")->outputs->len, ==, 1);
  g_assert_cmpuint (problems->len, ==, 2);
  assert_problem (problems, "lost"); /* the result of an operation nobody knows */
  assert_problem (problems, "The file holds 2 modules");
}

static void
test_selu (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "mlir", "selu.mlir", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  const PhNode *node;

  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->inputs->len, ==, 3);
  g_assert_cmpuint (model->graph->outputs->len, ==, 1);
  node = find_op (model, "stablehlo", "dot_general");
  g_assert_cmpstr (node->name, ==, "dot");
  g_assert_cmpstr (node->where->file, ==, "selu.py");
  g_assert_cmpuint (node->where->line, ==, 3);
  g_assert_nonnull (ph_node_function (find_op (model, "func", "selu")));
}

static void
test_elided (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text ("func.func @f() -> tensor<4xf32> {\n"
                                         "  %0 = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>\n"
                                         "  %1 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>\n"
                                         "  return %0 : tensor<4xf32>\n}\n",
                                         NULL, &error);
  const PhAttr *value;

  g_assert_no_error (error);
  value = ph_node_attr (model->graph->first, "value");
  g_assert_cmpint (value->kind, ==, PH_ATTR_STRING); /* unknown, not zeros */
  value = ph_node_attr (model->graph->first->next, "value");
  g_assert_true (ph_tensor_is_splat (value->tensor));
}

static void
test_bad (void)
{
  /* clang-format off */
  static const struct { const char *text, *message; } cases[] = {
    { "func.func @f() {\n  %0 = stablehlo.add %1, %2 : tensor<2xf32>\n  return\n}\n", "model.mlir:2:22: '%1' is used here" },
    { "func.func @f() {\n  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>\n", "model.mlir:2:39: the constant has 2 elements" },
    { "func.func @f() {\n  %0 = stablehlo.constant dense<\"0x00\"> : tensor<3xi32>\n", "has 1 bytes, but its type needs 12" },
    { "func.func @f() {\n  return\n", "'}' is expected here, but the text ends" },
    { "module {\n  \"a.b\"(%x : i32\n}", "model.mlir:2:12: ',' is expected here" },
    { "\"a.b\"() {x = \"open} : () -> ()\n", "a string is not closed" },
    { "\"a.b\"() {\"\" = 1} : () -> ()\n", "model.mlir:1:10: the name of an attribute" },
    { "#a = #a\n\"x.y\"() {m = #a} : () -> ()", "the alias #a is defined by itself" },
    { "%0 = \"a.b\"() : () -> tensor<99999999999999999999xf32>", "a dimension is too large" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_text (cases[i].text, NULL, &error);

      g_assert_null (model);
      g_assert_nonnull (error);
      if (strstr (error->message, cases[i].message) == NULL)
        g_error ("'%s' does not hold '%s'", error->message, cases[i].message);
    }
}

/* Forms that no reader was told of: the file opens, and what an operation reads and makes is there. */
static void
test_strange_forms (void)
{
  /* clang-format off */
  static const struct { const char *text, *domain, *op; guint n_inputs, n_outputs; } rows[] = {
    { "%s = tensor.extract_slice %a[0, %i] [1, %n] [1, 1] : tensor<4x8xf32> to tensor<1x?xf32>", "tensor", "extract_slice", 3, 1 },
    { "%s = transform.structured.match ops{[\"linalg.matmul\"]} in %a : (!t.op) -> !t.op", "transform", "structured.match", 1, 1 },
    { "%s = x.loop (%i)[%p, %q] -> (%ra, %rb) in #m iter_args(%c = %a) -> (f32) {\n  x.yield %c : f32\n}", "x", "loop", 2, 1 },
    { "x.global @g = #d.alias<[#d.t]> : !d.device\n%s = x.use %a : tensor<4x8xf32>", "x", "use", 1, 1 },
    { "%s = \"x.make\"() {v = #d.opaque<\"MAX\"> : !d.ptr<!d.t>, w = [#d.a : i32, sparse<[[0]], [1.0]> : tensor<3xf32>]} : () -> f32", "x", "make", 0, 1 },
    { "%s:2 = x.pair %a : tensor<4x8xf32>, f32\n\"x.use\"(%s, %s#1) : (f32, f32) -> ()", "x", "use", 2, 1 },
    { "%s:1 = \"x.one\"() : () -> f32\n\"x.use\"(%s#0) : (f32) -> ()", "x", "use", 1, 1 },
    { "%s:0 = \"x.none\"(%a) : (tensor<4x8xf32>) -> ()", "x", "none", 1, 1 },
    { "%s = scf.while (%c = %i) : (index) -> index {\n  scf.condition(%b) %c : index\n} do {\n^bb0(%c: index):\n  scf.yield %c : index\n}", "scf", "while", 1, 1 },
    { "krnl.iterate(%i) with (%i -> %k = 0 to 10) {\n  x.use %k : index\n}", "krnl", "iterate", 2, 1 },
    { "x.func private @tied(%p: i32, %q: i32) -> (%p, %q as i64)", "x", "func", 0, 1 },
    { "cf.cond_br %b,\n  ^bb1(%i, %n : index, index),\n  ^bb1(%n, %i : index, index)\n^bb1(%x: index, %y: index):", "cf", "cond_br", 5, 1 },
    { "%s = x.sizes %a output_shape [?, *] : tensor<4x8xf32>", "x", "sizes", 1, 1 },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "func.func @main(%%a: tensor<4x8xf32>, %%i: index, %%n: index, %%b: i1) {\n%s\nreturn\n}\n", rows[i].text);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_text (text, NULL, &error);
      const PhNode *node;

      if (model == NULL)
        g_error ("%s: %s", rows[i].text, error->message);
      node = find_op (model, rows[i].domain, rows[i].op);
      if (node->inputs->len != rows[i].n_inputs || node->outputs->len != rows[i].n_outputs)
        g_error ("%s: %u inputs, %u outputs", rows[i].text, node->inputs->len, node->outputs->len);
    }
}

/* Each form is read twice where it is not understood, but not forms in forms twice as often each. */
/* Regions whose order means nothing have cycles, modules of other dialects are functions, and dialects write attributes as they like. */
static void
test_graph_regions (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) links = NULL;
  g_autoptr (PhModel) model = read_text (
      "#root = #llvm.tbaa_root<id = \"r\">\n"
      "#desc = #llvm.tbaa_type_desc<id = \"d\", members = {<#root, 0>}>\n"
      "hw.module @counter(in %clk : !seq.clock, out out : i8) {\n"
      "  %c1 = hw.constant 1 : i8\n"
      "  %reg = \"seq.compreg\"(%next, %clk) {a = #desc, b = distinct[0]<1 : i8>, c = 1.e-9} "
      ": (i8, !seq.clock) -> i8\n"
      "  %next = comb.add %reg, %c1 : i8\n"
      "  hw.output %reg : i8\n}\n"
      "hw.module @other(out out : i8) {\n  %c1 = hw.constant 1 : i8\n  hw.output %c1 : i8\n}\n",
      NULL, &error);
  PhNode *reg;

  g_assert_no_error (error);
  g_assert_cmpuint (model->functions->len, ==, 1);
  reg = find_op (model, "seq", "compreg");
  links = ph_node_links (reg);
  g_assert_nonnull (links);
  g_assert_true (links->pdata[0] == ph_node_output (find_op (model, "comb", "add"), 0));
  g_assert_true (ph_node_input (reg, 1) == model->graph->inputs->pdata[0]);
  g_assert_true (ph_node_input (find_op (model, "comb", "add"), 0) == ph_node_output (reg, 0));
}

/* Of the parts of a file, one that cannot be read is left out, and listed. */
static void
test_broken_part (void)
{
  static const char text[]
      = "func.func @a() {\n  return\n}\n// -----\nfunc.func @b( {\n// -----\nfunc.func @c() {\n  return\n}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = read_text (text, problems, &error), none = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (model->functions->len, ==, 1);
  g_assert_cmpuint (problems->len, ==, 2);
  assert_problem (problems, "from line 5");
  assert_problem (problems, "The file holds 2 modules");
  none = read_text ("func.func @a( {\n// -----\n", NULL, &error);
  g_assert_null (none);
  g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
}

static void
test_strange_nest (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @main(%a: i32) {\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  for (guint i = 0; i < 60; i++)
    g_string_append (text, "x.box -> (%p) {\n");
  for (guint i = 0; i < 60; i++)
    g_string_append (text, "} ->\n");
  g_string_append (text, "return\n}\n");
  model = read_text (text->str, NULL, &error);
  g_assert_true (model != NULL || error != NULL);
}

static void
test_deep (void)
{
  static const char *const parts[][3] = { { "\"a.b\"() ({", "", "" },
                                          { "x.y ", "(", "" },
                                          { "%0 = \"a.b\"() : () -> ", "tensor<2x", "" },
                                          { "\"a.b\"() {x = ", "[", "" },
                                          { "\"a.b\"() : () -> () loc(", "callsite(", "" } };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (GString) text = g_string_new (i == 0 ? "" : parts[i][0]);
      g_autoptr (GError) error = NULL;

      for (guint k = 0; k < 100000; k++)
        g_string_append (text, i == 0 ? parts[0][0] : parts[i][1]);
      g_autoptr (PhModel) model = read_text (text->str, NULL, &error);
      g_assert_null (model);
      g_assert_nonnull (strstr (error->message, "nested more than 200 deep"));
    }
}

/* Each function calls the next one twice, the last one itself. */
static void
test_unfolding (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 40; i++)
    g_string_append_printf (
        text,
        "func.func @%s%u(%%x: tensor<f32>) -> tensor<f32> {\n  %%a = call @f%u(%%x) : (tensor<f32>) -> tensor<f32>\n"
        "  %%b = call @f%u(%%a) : (tensor<f32>) -> tensor<f32>\n  return %%b : tensor<f32>\n}\n",
        "f", i, i + 1, i + 1);
  g_string_append (
      text,
      "func.func @f40(%x: tensor<f32>) -> tensor<f32> {\n  %0 = call @f40(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n");
  g_autoptr (PhModel) model = read_text (text->str, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->nodes->len, <, 500);
  g_assert_false (ph_model_check_functions (model, NULL));
}

/* A module, then one function of it, then a module: one step each, and the last position is the last of them. */
static void
test_dump (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "mlir-dump", "after-all.txt", NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_recording_open (path, &history, problems, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpuint (history->steps->len, ==, 3);
  g_assert_cmpstr (g_array_index (history->steps, PhStep, 1).pass, ==, "cse");
  g_assert_cmpuint (g_array_index (history->steps, PhStep, 1).n_removed, >=, 1);
  history->position = (PhPosition) { 0, 0 }; /* where the model is */
  g_assert_true (ph_history_go (history, model, (PhPosition) { 3, 0 }, &error));
  g_assert_cmpuint (model->graph->n_nodes, ==, 2);
  g_assert_cmpuint (model->functions->len, ==, 0);
  g_assert_true (model->graph->last->inputs->pdata[0] == model->graph->last->inputs->pdata[1]);
  g_assert_cmpuint (model->graph->first->id, ==, ph_node_input (model->graph->last, 0)->producer->id);
}

/* The same as a tree: a folder of a module holds what ran on it, and folders of its functions. */
static void
test_tree (void)
{
  /* clang-format off */
  static const char *const files[][2] = {
    { "0_0_canonicalize.mlir", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.add %x, %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n" },
    { "0_10_cse.mlir", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n" },
    { "0_9_sccp.mlir", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.abs %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n" },
  };
  /* clang-format on */
  g_autofree char *folder = g_dir_make_tmp ("peephole-tree-XXXXXX", NULL),
                  *module = g_build_filename (folder, "builtin_module_m", NULL),
                  *function = g_build_filename (module, "func_func_main", NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  g_assert_cmpint (g_mkdir_with_parents (function, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (function, files[i][0], NULL);

      g_assert_true (g_file_set_contents (path, files[i][1], -1, NULL));
    }
  model = ph_recording_open (folder, &history, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (history->steps->len, ==, 2);
  g_assert_cmpstr (g_array_index (history->steps, PhStep, 0).pass, ==, "sccp");
  history->position = (PhPosition) { 0, 0 }; /* where the model is */
  g_assert_true (ph_history_go (history, model, (PhPosition) { 2, 0 }, &error));
  g_assert_cmpstr (model->graph->first->op_type, ==, "negate");
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (function, files[i][0], NULL);

      g_remove (path);
    }
  g_rmdir (function);
  g_rmdir (module);
  g_rmdir (folder);
}

typedef struct
{
  GString *steps;
} Steps;

static gboolean
add_step (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  Steps *steps = data;

  g_string_append_printf (steps->steps, "%s%s ", pass != NULL ? pass : "first", model == NULL ? "=" : "");
  g_clear_pointer (&model, ph_model_free);
  return TRUE;
}

/* clang-format off */
#define DUMP(when, pass, op) "// -----// IR Dump " when " " pass " (" pass ") //----- //\nfunc.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n" \
                             "  %0 = stablehlo." op " %arg0 : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
/* clang-format on */

/* What is dumped again as it was is not read again; a dump in front of a pass is a step only where it shows what came before. */
static void
test_same (void)
{
  static const char both[] = DUMP ("Before", "cse", "tanh") DUMP ("After", "cse", "tanh") DUMP ("Before", "fold", "tanh")
      DUMP ("After", "fold", "abs") DUMP ("After", "dce", "abs");
  static const char before[] = DUMP ("Before", "cse", "tanh") DUMP ("Before", "fold", "tanh") DUMP ("Before", "dce", "abs");
  static const struct
  {
    const char *text, *steps;
  } dumps[] = { { both, "first cse= fold dce= " }, { before, "first cse= fold " } };

  for (gsize i = 0; i < G_N_ELEMENTS (dumps); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      Steps steps = { text };

      g_assert_true (
          ph_format_record_text (ph_format_find ("mlir-dump"), dumps[i].text, "dump.txt", add_step, &steps, NULL, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (text->str, ==, dumps[i].steps);
    }
}

/* Two functions; only the operator of the second one is another after "fold". */
/* clang-format off */
#define MODULE(op) "module {\n" \
  "  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = stablehlo.tanh %arg0 : tensor<4xf32>\n    %1 = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>\n    return %1 : tensor<4xf32>\n  }\n" \
  "  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = stablehlo." op " %arg0 : tensor<4xf32>\n    %1 = stablehlo.abs %0 : tensor<4xf32>\n    return %1 : tensor<4xf32>\n  }\n}\n"
#define TWO(pass, op) "// -----// IR Dump After " pass " (" pass ") //----- //\n" MODULE (op)
#define ONE(pass, op) "// -----// IR Dump After " pass " (" pass ") //----- //\n" \
  "func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo." op " %arg0 : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
/* clang-format on */

static gboolean
count_nodes (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  Steps *steps = data;
  guint n = model->graph->n_nodes;

  for (guint i = 0; i < model->functions->len; i++)
    n += ((PhFunction *) model->functions->pdata[i])->graph->n_nodes;
  g_string_append_printf (steps->steps, "%s %u ", pass != NULL ? pass : "first", n);
  g_clear_pointer (&model, ph_model_free);
  return TRUE;
}

/* A function that is as it was is neither read nor built again, and the history leads to what the last module is. */
static void
test_functions_as_before (void)
{
  static const char dump[] = TWO ("start", "tanh") TWO ("fold", "negate") ONE ("cse", "sqrt") TWO ("dce", "sqrt");
  g_autoptr (GString) counts = g_string_new (NULL);
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *path = g_build_filename (folder, "dump.txt", NULL),
                  *last = g_build_filename (folder, "last.mlir", NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL, whole = NULL;
  Steps steps = { counts };

  g_assert_true (ph_format_record_text (ph_format_find ("mlir-dump"), dump, "dump.txt", count_nodes, &steps, NULL, NULL, &error));
  g_assert_cmpstr (counts->str, ==, "first 4 fold 2 cse 1 dce 2 ");
  g_assert_true (g_file_set_contents (path, dump, -1, NULL) && g_file_set_contents (last, MODULE ("sqrt"), -1, NULL));
  model = ph_recording_open (path, &history, problems, NULL, &error);
  g_assert_no_error (error);
  whole = ph_io_open (last, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (problems->len, ==, 0);
  history->position = (PhPosition) { 0, 0 }; /* where the model is */
  g_assert_true (ph_history_go (history, model, (PhPosition) { 3, 0 }, &error));
  g_assert_cmpuint (model->graph->n_nodes, ==, whole->graph->n_nodes);
  g_assert_true (ph_function_equal (ph_model_find_function (model, "func", "f"), ph_model_find_function (whole, "func", "f")));
  g_unlink (path);
  g_unlink (last);
  g_rmdir (folder);
}

/* A pass's own test: what it is given, and what it makes of that. */
static void
test_before_and_after (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *before = g_build_filename (folder, "before.mlir", NULL),
                  *after = g_build_filename (folder, "after.mlir", NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  g_assert_true (g_file_set_contents (before, MODULE ("sqrt"), -1, NULL)
                 && g_file_set_contents (after, MODULE ("negate"), -1, NULL));
  model = ph_recording_open (folder, &history, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (history->steps->len, ==, 1);
  g_assert_cmpstr (g_array_index (history->steps, PhStep, 0).pass, ==, "after");
  g_assert_nonnull (find_op (model, "stablehlo", "sqrt"));
  g_unlink (before);
  g_unlink (after);
  g_rmdir (folder);
}

/* What an alias means is part of a function: its text is as it was, and it is read all the same. */
static void
test_alias_not_as_before (void)
{
  static const char dump[] = "// -----// IR Dump After a (a) //----- //\n#m = \"one\"\nmodule {\n"
                             "  func.func @main() {\n    \"x.y\"() {z = #m} : () -> ()\n    return\n  }\n}\n"
                             "// -----// IR Dump After b (b) //----- //\n#m = \"two\"\nmodule {\n"
                             "  func.func @main() {\n    \"x.y\"() {z = #m} : () -> ()\n    return\n  }\n}\n";
  g_autoptr (GString) counts = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  Steps steps = { counts };

  g_assert_true (ph_format_record_text (ph_format_find ("mlir-dump"), dump, "dump.txt", count_nodes, &steps, NULL, NULL, &error));
  g_assert_cmpstr (counts->str, ==, "first 1 b 1 ");
}

/* A location that says neither file nor line is none. */
static void
test_no_place (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text ("%0 = \"a.b\"() : () -> i32 loc(callsite(\"\":0:0 at \"net.py\":3:1))\n", NULL, &error);
  const PhNode *node;

  g_assert_no_error (error);
  node = find_op (model, "a", "b");
  g_assert_cmpstr (node->where->file, ==, "net.py");
  g_assert_cmpuint (node->where->line, ==, 3);
}

/* Complex numbers are written as they are read, in StableHLO and in HLO. */
static void
test_complex_written (void)
{
  static const char text[]
      = "func.func @main(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {\n"
        "  %0 = stablehlo.complex %a, %b : tensor<2xcomplex<f64>>\n"
        "  %1 = stablehlo.constant dense<[(1.5, -2.0), (0x7FF0000000000000, 0.1)]> : tensor<2xcomplex<f64>>\n"
        "  %2 = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f64>>\n"
        "  %3 = stablehlo.multiply %0, %1 : tensor<2xcomplex<f64>>\n"
        "  %4 = stablehlo.add %3, %2 : tensor<2xcomplex<f64>>\n"
        "  %5 = stablehlo.imag %4 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>\n"
        "  return %5 : tensor<2xf64>\n"
        "}\n";
  static const char *const formats[] = { "mlir", "hlo" };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text (text, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_strdup_printf ("complex.%s", formats[i]);
      g_autoptr (PhModel) again = NULL;
      guint n = 0;

      ph_format_find (formats[i])->write (model, path, NULL, &error);
      g_assert_no_error (error);
      again = ph_io_open (path, NULL, NULL, &error);
      g_assert_no_error (error);
      g_remove (path);
      for (guint k = 0; k < again->values->len; k++)
        {
          const PhValue *value = again->values->pdata[k];
          const PhAttr *attr = value != NULL && value->producer != NULL ? ph_node_attr (value->producer, "value") : NULL;
          PhTensor *tensor = attr != NULL ? attr->tensor : value != NULL ? value->tensor : NULL;
          const double *data = tensor != NULL ? ph_tensor_data (tensor) : NULL;

          g_assert_true (tensor == NULL || ph_tensor_dtype (tensor) == PH_COMPLEX128);
          n += data != NULL && data[0] == 1.5 && data[1] == -2 && data[2] == INFINITY && data[3] == .1;
          n += data != NULL && data[0] == 1 && data[1] == 2;
        }
      g_assert_cmpuint (n, ==, 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mlir/forms", test_corpus);
  g_test_add_func ("/mlir/selu", test_selu);
  g_test_add_func ("/mlir/elided", test_elided);
  g_test_add_func ("/mlir/bad", test_bad);
  g_test_add_func ("/mlir/functions-as-before", test_functions_as_before);
  g_test_add_func ("/mlir/alias-not-as-before", test_alias_not_as_before);
  g_test_add_func ("/mlir/before-and-after", test_before_and_after);
  g_test_add_func ("/mlir/strange-forms", test_strange_forms);
  g_test_add_func ("/mlir/graph-regions", test_graph_regions);
  g_test_add_func ("/mlir/broken-part", test_broken_part);
  g_test_add_func ("/mlir/strange-nest", test_strange_nest);
  g_test_add_func ("/mlir/deep", test_deep);
  g_test_add_func ("/mlir/unfolding", test_unfolding);
  g_test_add_func ("/mlir/dump", test_dump);
  g_test_add_func ("/mlir/same", test_same);
  g_test_add_func ("/mlir/tree", test_tree);
  g_test_add_func ("/mlir/no-place", test_no_place);
  g_test_add_func ("/mlir/complex-written", test_complex_written);
  return g_test_run ();
}
