/* convert.c: StableHLO converted to ONNX computes what its specification says: the cases of tests/unit/stablehlo.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"
#include "core/ops/op-list.h"
#include "core/prove/cases/cases.h"
#include "core/prove/prover.h"
#include "core/run/executor.h"
#include "core/tensor/compare.h"

static void
run_case (const char *name, gboolean optimised)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "stablehlo", name, NULL);
  g_autoptr (GPtrArray) passes = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  PhCaseOptions options = { .allow = PH_ROUNDING, .rtol = -1, .atol = -1 };

  for (const char *const *pass = ph_pipeline_find ("O2")->passes; optimised && *pass != NULL; pass++)
    if (ph_pass_find (*pass) != NULL)
      g_ptr_array_add (passes, (gpointer) ph_pass_find (*pass));
  g_assert_true (!optimised || passes->len > 10);
  options.passes = (const PhPass *const *) passes->pdata;
  options.n_passes = passes->len;
  ph_case_run (path, &options, NULL, &error);
  g_assert_no_error (error);
}

static void
test_case (gconstpointer name)
{
  run_case (name, FALSE);
}

static void
test_case_optimised (gconstpointer name)
{
  run_case (name, TRUE);
}

/* A comparison that does not hold is not passed over. */
static void
test_wrong (void)
{
  /* clang-format off */
  static const char *const texts[][2] = {
    { "func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  %1 = stablehlo.add %0, %0 : tensor<i32>\n"
      "  check.expect_eq_const %1, dense<3> : tensor<i32>\n  func.return\n}\n", "2 is not 3" },
    { "func.func @f() {\n  %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>\n  %1 = stablehlo.add %0, %0 : tensor<complex<f32>>\n"
      "  check.expect_eq_const %1, dense<(2.0, 5.0)> : tensor<complex<f32>>\n  func.return\n}\n", "4 is not 5" },
    { "func.func @f() {\n  %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>\n  %1 = stablehlo.floor %0 : tensor<complex<f32>>\n"
      "  check.expect_eq_const %1, dense<(2.0, 4.0)> : tensor<complex<f32>>\n  func.return\n}\n", "stablehlo.floor stays" },
    { "func.func @f() {\n  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "  check.expect_close %0, %0, max_ulp_difference = 9 : tensor<2xf32>, tensor<2xf32>\n  %1 = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>\n"
      "  check.expect_close %0, %1, max_ulp_difference = 18446744073709551615 : tensor<2xf32>, tensor<2xf32>\n  func.return\n}\n", "2 is not nan" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("peephole-convert-XXXXXX", NULL),
                      *path = g_build_filename (folder, "wrong.mlir", NULL);
      g_autoptr (GError) error = NULL;
      PhCaseOptions options = { .allow = PH_ROUNDING, .rtol = -1, .atol = -1 };

      g_assert_true (g_file_set_contents (path, texts[i][0], -1, NULL));
      g_assert_false (ph_case_run (path, &options, NULL, &error));
      g_assert_nonnull (strstr (error->message, texts[i][1]));
      g_remove (path);
      g_rmdir (folder);
    }
}

/* What has no rule stays, and the step says why; what is elided never becomes a number. */
static void
test_stays (void)
{
  static const char text[] = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                             "  %0 = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>\n"
                             "  %1 = \"stablehlo.unheard_of\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
                             "  %2 = stablehlo.add %0, %1 : tensor<4xf32>\n  return %2 : tensor<4xf32>\n}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, NULL);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  const char *note;

  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (model->graph->first->op_type, ==, "constant");
  note = g_array_index (history->steps, PhStep, 0).note;
  g_assert_nonnull (strstr (note, "constant stays: its values were left out of the file"));
  g_assert_nonnull (strstr (note, "stablehlo.unheard_of stays: convert-to-onnx has no rule for it"));
  g_assert_true (ph_node_is (model->graph->last, &ph_op_Add));
}

/* A complex input becomes one with both parts along a last dimension, and keeps its name; what gives a real number is one. */
static void
test_complex (void)
{
  static const char text[] = "func.func @f(%x: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>) {\n"
                             "  %0 = stablehlo.imag %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>\n"
                             "  %1 = stablehlo.multiply %x, %x : tensor<4xcomplex<f32>>\n"
                             "  return %0, %1 : tensor<4xf32>, tensor<4xcomplex<f32>>\n}\n";
  static const char *const types[] = { "float[4]", "float[4,2]" };
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, NULL);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  const PhValue *input;
  g_autofree char *type = NULL, *name = g_strdup (((PhValue *) model->graph->inputs->pdata[0])->name);

  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->inputs->len, ==, 1);
  input = model->graph->inputs->pdata[0];
  type = ph_type_to_string (input->type);
  g_assert_cmpstr (input->name, ==, name);
  g_assert_cmpstr (type, ==, "float[4,2]");
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *given = ph_type_to_string (((PhValue *) model->graph->outputs->pdata[i])->type);

      g_assert_cmpstr (given, ==, types[i]);
    }
  PH_FOREACH_NODE (node, model->graph)
    g_assert_nonnull (node->op);
}

/* Returns the outputs of @text, converted, for x = 0, 1, ... of [2, 3, 4]. */
static GPtrArray *
outputs_of (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, NULL);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  PhTensor *x = ph_tensor_new (PH_FLOAT, 3, (const gint64[]) { 2, 3, 4 });

  for (guint i = 0; i < ph_tensor_count (x); i++)
    ((float *) ph_tensor_writable (x))[i] = (float) i;
  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], x);
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_ptr_array_add (outputs, ph_tensor_ref (g_hash_table_lookup (
                                  results, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[i])->id))));
  return outputs;
}

/* A batch of open size does not keep products, convolutions, padding at the edges, whole slices, and reductions by any body from being
 * ONNX's. */
static void
test_open_sizes (void)
{
  /* clang-format off */
  static const char text[] =
    "func.func @f(%x: tensor<?x3x4xf32>) -> (tensor<?x3x3xf32>, tensor<?x4x?x4xf32>, tensor<?x2x4xf32>, tensor<?x3x3xf32>, tensor<2x3x4xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {\n"
    "  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?x3x3xf32>\n"
    "  %1 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?x4x?x4xf32>\n"
    "  %w = stablehlo.constant dense<[[[1.0], [2.0], [3.0]], [[0.0], [1.0], [-1.0]]]> : tensor<2x3x1xf32>\n"
    "  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x3x4xf32>, tensor<2x3x1xf32>) -> tensor<?x2x4xf32>\n"
    "  %n = stablehlo.constant dense<9.0> : tensor<f32>\n"
    "  %3 = stablehlo.pad %x, %n, low = [1, 0, -2], high = [-1, 0, 1], interior = [0, 0, 0] : (tensor<?x3x4xf32>, tensor<f32>) -> tensor<?x3x3xf32>\n"
    "  %i = stablehlo.constant dense<[[-3], [7]]> : tensor<2x1xi64>\n"
    "  %4 = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 4>} : (tensor<?x3x4xf32>, tensor<2x1xi64>) -> tensor<2x3x4xf32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %5:2 = \"stablehlo.reduce\"(%x, %x, %z, %n) <{dimensions = array<i64: 2>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"
    "    %s = stablehlo.add %a, %c : tensor<f32>\n    %m = stablehlo.maximum %b, %d : tensor<f32>\n    stablehlo.return %s, %m : tensor<f32>, tensor<f32>\n"
    "  }) : (tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)\n"
    "  return %0, %1, %2, %3, %4, %5#0, %5#1 : tensor<?x3x3xf32>, tensor<?x4x?x4xf32>, tensor<?x2x4xf32>, tensor<?x3x3xf32>, tensor<2x3x4xf32>, tensor<?x3xf32>, tensor<?x3xf32>\n}\n";
  /* clang-format on */
  g_autoptr (GString) fixed = g_string_new (text);
  g_autoptr (GPtrArray) a = outputs_of (text), b = NULL;

  g_string_replace (fixed, "?", "2", 0);
  b = outputs_of (fixed->str);
  g_assert_cmpuint (a->len, ==, 7);
  for (guint i = 0; i < a->len; i++)
    {
      g_auto (PhComparison) same = ph_tensor_compare (a->pdata[i], b->pdata[i], PH_TOLERANCE_EXACT);

      g_assert_cmpstr (same.why, ==, NULL);
    }
}

/* A condition that only counts is the number of turns, from wherever it begins to where it ends; what never changes is no state. Any other
 * condition stays one. */
static void
test_counted_loop (void)
{
  static const char text[]
      = "func.func @f(%%x: tensor<2xf32>, %%w: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %%i0 = stablehlo.constant dense<3> : tensor<i32>\n  %%n = stablehlo.constant dense<8> : tensor<i32>\n"
        "  %%r:4 = stablehlo.while(%%i = %%i0, %%a = %%x, %%b = %%w, %%m = %%n) : tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>\n"
        "   cond {\n    %%p = stablehlo.compare %s, %%i, %%m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %%p : tensor<i1>\n"
        "  } do {\n    %%one = stablehlo.constant dense<%d> : tensor<i32>\n    %%j = stablehlo.add %%one, %%i : tensor<i32>\n"
        "    %%u = stablehlo.multiply %%a, %%b : tensor<2xf32>\n"
        "    stablehlo.return %%j, %%u, %%b, %%m : tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>\n  }\n"
        "  return %%r#1 : tensor<2xf32>\n}\n";
  /* clang-format off */
  static const struct { const char *compares; int step; gint64 turns; } rows[] = { { "LT", 1, 5 }, { "LT", 2, -1 }, { "NE", 1, -1 }, { "LE", 1, -1 } };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *module = g_strdup_printf (text, rows[i].compares, rows[i].step);
      g_autoptr (GBytes) bytes = g_bytes_new (module, strlen (module));
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, NULL);
      g_autoptr (PhHistory) history = ph_history_new ();
      PhNode *loop;
      PhTensor *turns;

      g_assert_true (ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL));
      loop = model->graph->last;
      g_assert_true (ph_node_is (loop, &ph_op_Loop));
      g_assert_cmpuint (loop->inputs->len, ==, 4); /* the counter and the product */
      turns = ph_node_input (loop, 0) != NULL ? ph_value_constant (ph_node_input (loop, 0)) : NULL;
      g_assert_cmpint (turns != NULL ? ph_tensor_get_int (turns, 0) : -1, ==, rows[i].turns);
      g_assert_true ((ph_node_input (loop, 1) == NULL) == (turns != NULL));
    }
}

/* A tensor whose rows a loop sets in order is what the Loop gathers, unless a turn is missing, or the loop reads it. */
static void
test_rows_of_loop (void)
{
  static const char text[]
      = "func.func @f(%%x: tensor<2xf32>, %%z: tensor<3x2xf32>) -> tensor<3x2xf32> {\n"
        "  %%i0 = stablehlo.constant dense<%d> : tensor<i32>\n"
        "  %%r:2 = stablehlo.while(%%i = %%i0, %%ys = %%z) : tensor<i32>, tensor<3x2xf32>\n"
        "   cond {\n    %%n = stablehlo.constant dense<3> : tensor<i32>\n"
        "    %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %%p : tensor<i1>\n"
        "  } do {\n    %%one = stablehlo.constant dense<1> : tensor<i32>\n    %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "    %%u = stablehlo.%s\n"
        "    %%set = stablehlo.dynamic_update_slice %%ys, %%u, %%i, %%zero : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>\n"
        "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
        "    stablehlo.return %%j, %%set : tensor<i32>, tensor<3x2xf32>\n  }\n  return %%r#1 : tensor<3x2xf32>\n}\n";
  /* clang-format off */
  static const struct { int from; const char *row; guint n_states; } rows[] = {
    { 0, "reshape %x : (tensor<2xf32>) -> tensor<1x2xf32>", 1 }, { 1, "reshape %x : (tensor<2xf32>) -> tensor<1x2xf32>", 2 },
    { 0, "slice %ys [0:1, 0:2] : (tensor<3x2xf32>) -> tensor<1x2xf32>", 2 } };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *module = g_strdup_printf (text, rows[i].from, rows[i].row);
      g_autoptr (GBytes) bytes = g_bytes_new (module, strlen (module));
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, NULL);
      g_autoptr (PhHistory) history = ph_history_new ();

      g_assert_nonnull (model);
      g_assert_true (ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL));
      g_assert_true (ph_node_is (model->graph->last, &ph_op_Loop));
      g_assert_cmpuint (model->graph->last->inputs->len, ==, 2 + rows[i].n_states);
      g_assert_cmpuint (model->graph->last->outputs->len, ==, 2);
    }
}

/* A type that nobody knows ends each rule, not the program. */
static void
test_opaque (void)
{
  static const char *const ops[]
      = { "negate", "sign", "cbrt", "popcnt", "exponential_minus_one", "round_nearest_afz", "is_finite", "count_leading_zeros" };

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "func.func @f(%%x: tensor<4x!my.float>) -> tensor<4x!my.float> {\n"
          "  %%0 = stablehlo.%s %%x : tensor<4x!my.float>\n  return %%0 : tensor<4x!my.float>\n}\n",
          ops[i]);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, &error);
      g_autoptr (PhHistory) history = ph_history_new ();

      g_assert_no_error (error);
      ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (model->graph->first->op_type, ==, ops[i]);
    }
}

/* A function without results is called for its effects: the call stays, and the rest is converted. */
static void
test_effects (void)
{
  static const char text[]
      = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  call @log(%x) : (tensor<4xf32>) -> ()\n"
        "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
        "func.func private @log(%x: tensor<4xf32>) {\n  \"my.print\"(%x) : (tensor<4xf32>) -> ()\n  return\n}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (model->graph->first->op_type, ==, "log");
  g_assert_true (ph_node_is (model->graph->last, &ph_op_Add));
}

/* XLA's calls that only say where a value is to be. */
static void
test_placing (void)
{
  static const char text[]
      = "HloModule placing\n\nENTRY main {\n  x = f32[2] parameter(0)\n  s = f32[2] custom-call(x, x), custom_call_target=\"Sharding\"\n"
        "  h = f32[2] custom-call(s), custom_call_target=\"MoveToHost\"\n  p = f32[2] custom-call(h), custom_call_target=\"Pin\"\n"
        "  other = f32[2] custom-call(p), custom_call_target=\"te_fused_attn_forward_ffi\"\n  ROOT n = f32[2] negate(other)\n}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("hlo"), bytes, "f.hlo", NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  guint stay = 0;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  PH_FOREACH_NODE (node, model->graph)
    stay += node->op == NULL;
  g_assert_cmpuint (stay, ==, 1);
}

/* A call that gives on what it is given, where that is what the graph takes and gives. */
static void
test_given_on (void)
{
  static const char text[]
      = "{ lambda ; a:f32[1]. let\n    b:i32[] c:f32[1] = jit[name=f jaxpr={ lambda ; a:f32[1]. let  in (2:i32[], a) }] a\n"
        "  in (b, c) }\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("jaxpr"), bytes, "f.txt", NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_true (model->graph->outputs->len == 2 && ph_node_is (model->graph->last, &ph_op_Identity));
  g_assert_true (model->graph->outputs->pdata[1] == ph_node_output (model->graph->last, 0));
}

/* The functions that a model has written as ONNX. */
static guint
count_written (PhModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ph_onnx_write (model, &error);
  g_autoptr (PhModel) again = bytes != NULL ? ph_format_read_bytes (ph_format_find ("onnx"), bytes, "f.onnx", NULL, &error)
                                            : NULL;

  g_assert_no_error (error);
  return again->functions->len;
}

/* What nothing reads is gone at the end, and the proof says that nothing of it matters; functions of another system that nothing calls any
 * more are not written: no runtime would open them. */
static void
test_left_over (void)
{
  static const char text[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                             "  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
                             "  stablehlo.custom_call @check.expect_close(%0, %0) {has_side_effect = true} : "
                             "(tensor<4xf32>, tensor<4xf32>) -> ()\n  return %0 : tensor<4xf32>\n}\n"
                             "func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                             "  %0 = stablehlo.tanh %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "f.mlir", NULL, &error);
  PhHistory *history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  g_autoptr (PhProof) proof = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (count_written (model), ==, 1);
  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  ph_pass_run (ph_pass_find ("dce"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 1);
  g_assert_cmpuint (count_written (model), ==, 0);
  prover = ph_prover_new (model, history, NULL, 1);
  proof = ph_prover_compare (prover, (PhPosition) { 1, 0 }, (PhPosition) { 2, 0 }, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ph_verdict_name (proof->verdict), ==, "proved");
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "bodies.mlir",      "complex.mlir", "complex-bodies.mlir",
                                       "elementwise.mlir", "linear.mlir",  "moving.mlir" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *plain = g_strconcat ("/convert/", names[i], NULL),
                      *optimised = g_strconcat ("/convert/O2/", names[i], NULL);

      g_test_add_data_func (plain, names[i], test_case);
      g_test_add_data_func (optimised, names[i], test_case_optimised);
    }
  g_test_add_func ("/convert/wrong", test_wrong);
  g_test_add_func ("/convert/stays", test_stays);
  g_test_add_func ("/convert/complex", test_complex);
  g_test_add_func ("/convert/open-sizes", test_open_sizes);
  g_test_add_func ("/convert/counted-loop", test_counted_loop);
  g_test_add_func ("/convert/rows-of-loop", test_rows_of_loop);
  g_test_add_func ("/convert/opaque", test_opaque);
  g_test_add_func ("/convert/effects", test_effects);
  g_test_add_func ("/convert/placing", test_placing);
  g_test_add_func ("/convert/given-on", test_given_on);
  g_test_add_func ("/convert/left-over", test_left_over);
  return g_test_run ();
}
