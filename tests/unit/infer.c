/* infer.c: tests of type and shape inference, with symbols, contents of shapes, bodies and contradictions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/ops/op-list.h"

static PhModel *
read_model (const char *text, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);

  g_assert_no_error (error);
  ph_infer_model (model, FALSE, problems, &error);
  g_assert_no_error (error);
  return model;
}

/* As `open` does, which says what the file declares and does not follow. */
static PhModel *
read_file (const char *text, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("peephole-infer-XXXXXX", &error), *path = NULL;
  PhModel *model;

  g_assert_no_error (error);
  path = g_build_filename (folder, "model.onnxtxt", NULL);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  model = ph_io_open (path, problems, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  return model;
}

/* The inputs, the body, and what its values follow to be: "y float[batch,3]; z int64[2]". */
static void
check (const char *inputs, const char *body, const char *expected)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]> g (%s) => (float[] y) { %s }", inputs,
                                           body);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = read_model (text, problems);
  g_auto (GStrv) values = g_strsplit (expected, "; ", -1);

  if (problems->len > 0)
    g_error ("%s: %s", body, (char *) problems->pdata[0]);
  for (guint i = 0; values[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (values[i], " ", 2);
      PhValue *value = ph_model_find_value_named (model, words[0]);
      g_autofree char *type = NULL;

      g_assert_nonnull (value);
      type = ph_type_to_string (value->type);
      g_assert_cmpstr (type, ==, words[1]);
    }
}

static void
test_shapes (void)
{
  /* What the weights say where nothing is known of the input. */
  check ("float[] x, float[4,3,5,5] w", "y = Conv (x, w)", "y float[?,4,?,?]");
  check ("float[] x, float[1,32,3] w, float[1,32,8] r", "y, h, c = LSTM <hidden_size = 8> (x, w, r)",
         "y float[?,1,?,8]; h float[1,?,8]; c float[1,?,8]");
  check ("float[batch,3] a, float[3] b", "y = Add (a, b)", "y float[batch,3]");
  check ("float[n,1] a, float[1,m] b", "y = Mul (a, b)", "y float[n,m]");
  check ("float[n] a, float[m] b", "y = Mul (a, b)", "y float[?]");
  check ("float[b,h,n,k] a, float[k,m] w", "y = MatMul (a, w)", "y float[b,h,n,m]");
  check ("float[k] a, float[b,k,m] w", "y = MatMul (a, w)", "y float[b,m]");
  check ("float[n,k] a, float[m,k] w", "y = Gemm <transB = 1> (a, w)", "y float[n,m]");
  check ("float[b,n,m] a", "x = Constant <value_ints = [1, -1]> () y = ReduceSum <keepdims = 0> (a, x)", "y float[b]");
  check ("float[b,n] a", "y = ReduceMean (a)", "y float[1,1]");
  check ("float[b,n] a", "i = ArgMax <axis = -1, keepdims = 0> (a) y = Cast <to = 1> (i)", "i int64[b]; y float[b]");
  check ("float[b,i] a, float[b,j] c", "y = Einsum <equation = \"bi,bj->bij\"> (a, c)", "y float[b,i,j]");
  check ("float[b,n] a, float[] c", "y = Add (a, c)", "y float[]");
}

static void
test_contents (void)
{
  /* The exporter's way to flatten all but the batch. */
  check ("float[batch,4,5] a",
         "s = Shape (a) i = Constant <value_int = 0> () n = Gather (s, i) z = Constant <value_ints = [0]> () "
         "u = Unsqueeze (n, z) m = Constant <value_ints = [-1]> () c = Concat <axis = 0> (u, m) y = Reshape (a, c)",
         "y float[batch,20]");
  /* Arithmetic on sizes: batch * 2, and back. */
  check ("float[batch,4] a",
         "s = Shape <end = 1> (a) two = Constant <value_ints = [2]> () d = Mul (s, two) m = Constant <value_ints = [-1]> () "
         "c = Concat <axis = 0> (d, m) y = Reshape (a, c)",
         "c int64[2]; y float[2*batch,2]");
  check ("float[n,m] a", "s = Shape (a) p = ReduceProd <keepdims = 1> (s) z = ConstantOfShape (p) y = Identity (z)",
         "y float[m*n]");
  /* Where (Equal (shape, -1), ...), as Expand is exported; a named size is never -1. */
  check ("float[1,3] a, float[n,k] w",
         "s = Shape (w) m = Constant <value_ints = [-1, -1]> () q = Equal (s, m) o = Constant <value_ints = [1, 1]> () "
         "t = Where (q, o, s) e = Constant <value_float = 1.0> () y = Expand (e, t)",
         "y float[n,k]");
  check (
      "float[n] a",
      "s = Shape (a) o = Constant <value_ints = [1]> () t = Sub (s, o) u = Add (t, o) v = Cast <to = 6> (u) w = Cast <to = 7> (v) "
      "z = ConstantOfShape (w) y = Identity (z)",
      "y float[n]");
  check ("float[12] a",
         "c = Constant <value_ints = [7]> () d = Constant <value_ints = [-2]> () q = Div (c, d) r = Neg (d) t = Mul (r, c) "
         "z = ConstantOfShape (t) y = Identity (z)",
         "y float[14]");
  /* Pads as PyTorch exports them: last axis first, so they are turned about as a matrix. */
  check (
      "float[n,3,4] a",
      "p = Constant <value_ints = [5, 6, 1, 2]> () z = Constant <value_ints = [2]> () f = ConstantOfShape <value = int64[1] {0}> (z) "
      "c = Concat <axis = 0> (p, f) t = Constant <value_ints = [-1, 2]> () r = Reshape (c, t) s = Constant <value_ints = [-1]> () "
      "e = Constant <value_ints = [-9223372036854775807]> () x = Constant <value_ints = [0]> () b = Slice (r, s, e, x, s) "
      "q = Transpose <perm = [1, 0]> (b) w = Reshape (q, s) y = Pad (a, w)",
      "b int64[3,2]; w int64[6]; y float[n,6,15]");
  check (
      "float[n,3] a",
      "m = Constant <value = int64[2,3] {7, 1, 2, 7, 3, 4}> () o = Constant <value_ints = [1]> () l = Constant <value_ints = [9]> () "
      "s = Slice (m, o, l, o) k = Constant <value_ints = [-1]> () w = Reshape (s, k) y = Pad (a, w)",
      "s int64[2,2]; y float[n + 4,9]");
}

static void
test_bodies (void)
{
  check ("float[n] a, bool c",
         "y = If (c) <then_branch = t () => (float[] u) { u = Exp (a) }, "
         "else_branch = e () => (float[] v) { v = Neg (a) }>",
         "u float[n]; v float[n]; y float[n]");
}

/* A declaration that contradicts what follows is reported with the node, and inference goes on behind it. */
static void
test_contradiction (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = read_file (
      "<ir_version: 10, opset_import: [\"\" : 23]> g (float[2,3] a) => (float[5] y, float[2] w)\n"
      "{ y = Neg (a)  z = Exp (a)  s = Constant <value_ints = [1]> ()  "
      "w = ReduceSum <keepdims = 0> (z, s) }",
      problems);
  g_autofree char *type = ph_type_to_string (ph_model_find_value_named (model, "z")->type);

  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "Neg"));
  g_assert_nonnull (strstr (problems->pdata[0], "float[5]"));
  g_assert_nonnull (strstr (problems->pdata[0], "float[2,3]"));
  g_assert_cmpstr (type, ==, "float[2,3]");
}

static void
test_stop_at_error (void)
{
  static const char *const bad[] = {
    "float[2] a, float[3] b) => (float[] y) { y = Add (a, b) }",
    "float[2] a, int64[2] b) => (float[] y) { y = Add (a, b) }",
    "float[2,3] a, float[4,5] b) => (float[] y) { y = MatMul (a, b) }",
    "float[2,3] a) => (float[] y) { y = Softmax <axis = 2> (a) }",
    "float[2,3] a) => (float[] y) { y = Cast <to = 99> (a) }",
    "float[2,3] a) => (float[] y) { x = Constant <value_ints = [0, 0]> () y = ReduceSum (a, x) }",
    "float[2,3] a) => (float[] y) { y = Einsum <equation = \"ijk->i\"> (a) }",
    "float[2,3] a) => (float[] y) { y = Einsum <equation = \"i(j->i\"> (a) }",
    "float[2,3] a) => (float[] y) { y = LRN (a) }",
    "float[2,3] a) => (float[] y) { y = Exp (a, a) }",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_strconcat ("<ir_version: 10, opset_import: [\"\" : 23]> g (", bad[i], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "test", &error);

      g_assert_no_error (error);
      if (ph_infer_model (model, TRUE, NULL, &error))
        g_error ("was accepted: %s", bad[i]);
      g_assert_true (g_error_matches (error, PH_ERROR, PH_ERROR_TYPE)
                     || g_error_matches (error, PH_ERROR, PH_ERROR_ELEMENT_TYPE));
    }
}

/* One value's contents, with nothing but its producers to look at. */
static void
test_look_back (void)
{
  g_autoptr (PhModel) model = read_model ("<ir_version: 10, opset_import: [\"\" : 23]> g (float[b,7] a) => (int64[] y) {\n"
                                          "  s = Shape (a)  t = Constant <value_ints = [3, -2]> ()  y = Mul (s, t) }",
                                          NULL);
  g_autofree PhDim *dims = NULL;
  gint64 number;

  g_assert_cmpint (ph_value_dims (ph_model_find_value_named (model, "y"), &dims), ==, 2);
  g_assert_cmpstr (dims[0].symbol, ==, "3*b");
  g_assert_true (ph_dim_get_int (dims[1], &number));
  g_assert_cmpint (number, ==, -14);
  g_assert_cmpint (ph_value_dims (ph_model_find_value_named (model, "a"), NULL), ==, -1);
}

/* A long chain is inferred in time proportional to its length. */
static void
test_speed (void)
{
  const guint n = 100000;
  const PhDim dims[] = { ph_dim_symbol ("batch"), PH_DIM (64) };
  const PhOp *const ops[] = { &ph_op_Add, &ph_op_Relu, &ph_op_Mul, &ph_op_Sigmoid };
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GError) error = NULL;
  PhValue *x = ph_graph_add_input (model->graph, "x", ph_type_tensor (PH_FLOAT, 2, dims), NULL, G_MAXUINT, &error), *value = x;
  gint64 start;

  for (guint i = 0; i < n; i++)
    {
      PhValue *inputs[] = { value, x };
      const PhOp *op = ops[i % G_N_ELEMENTS (ops)];
      PhNodeSpec spec = {
        .op = op, .op_type = op->name, .domain = "", .inputs = inputs, .n_inputs = ph_op_n_inputs (op, NULL, NULL), .n_outputs = 1
      };
      PhNode *node = ph_graph_add_node (model->graph, &spec, &error);

      g_assert_no_error (error);
      value = ph_node_output (node, 0);
    }
  start = g_get_monotonic_time ();
  g_assert_true (ph_infer_model (model, TRUE, NULL, &error));
  g_test_message ("%u nodes inferred in %.1f ms", n, (g_get_monotonic_time () - start) / 1000.0);
  g_assert_true (value->type == x->type);
}

/* What a file declares is taken where nothing follows; where something else follows it is a problem, and not believed. */
static void
test_declared (void)
{
  /* clang-format off */
  static const struct { const char *declared, *found; gboolean problem; } cases[] = {
    { "float[1,3] r", "float[N,3]", TRUE },  { "float[N,3] r", "float[N,3]", FALSE }, { "float[M,3] r", "float[N,3]", FALSE },
    { "float[N,4] r", "float[N,3]", TRUE },  { "float[3] r", "float[N,3]", TRUE },    { "int64[N,3] r", "float[N,3]", TRUE },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "<ir_version: 10, opset_import: [\"\" : 23]> g (float[N,3] x) => (int64[2] y) <%s> "
          "{ r = Relu (x) y = Shape (r) }",
          cases[i].declared);
      g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (PhModel) model = read_file (text, problems);
      g_autofree char *found = NULL;

      found = ph_type_to_string (ph_model_find_value_named (model, "r")->type);
      g_assert_cmpstr (found, ==, cases[i].found);
      g_assert_cmpuint (problems->len, ==, cases[i].problem ? 1 : 0);
      g_assert_true (!cases[i].problem || strstr (problems->pdata[0], "'r' is declared") != NULL);
    }
}

/* PyTorch writes down the shape that a state has in the first turn. */
static void
test_growing_state (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = read_file (
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[M,2] y) {\n"
      "  n = Constant <value = int64 {3}> ()  t = Constant <value = bool {1}> ()  e = Constant <value = float[0,2] {}> ()\n"
      "  y = Loop (n, t, e) <body = b (int64 i, bool c, float[0,2] o) => (bool d, float[1,2] p) <float[1,2] q> {\n"
      "    a = Constant <value_ints = [0]> ()  u = Unsqueeze (x, a)  q = Concat <axis = 0> (o, u)  p = Tanh (q)  d = Identity (c)\n"
      "  }>\n}",
      problems);

  for (guint i = 0; i < 3; i++)
    {
      static const char *const names[] = { "o", "q", "p" };
      g_autofree char *found = ph_type_to_string (ph_model_find_value_named (model, names[i])->type);

      g_assert_cmpstr (found, ==, "float[?,2]");
    }
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "'o' is declared float[0,2], but its body returns float[1,2]"));
}

/* A body is inferred again where its state widens. What contradicts its declarations follows then, too: what is printed is read as it is,
 * and each lie is told once. */
static void
test_lies_in_growing_state (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free), none = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = read_file (
      "<ir_version: 8, opset_import: [\"\" : 17]> g (int64 n, bool t, float s0, float[2] x) => (float[] y) {\n"
      "  y = Loop (n, t, s0) <body = b (float16 i, float c, float s) => (bool d, float[] p) <int64[2] q> {\n"
      "    d = Identity (c)  q = Relu (x)  p = Add (s, q)\n  }>\n}",
      problems);
  g_autofree char *text = ph_onnx_text_print (model, 64), *second = NULL;
  g_autoptr (PhModel) again = read_file (text, none);

  second = ph_onnx_text_print (again, 64);
  g_assert_cmpstr (second, ==, text);
  g_assert_nonnull (strstr (text, "(int64 i, bool c, float[] s)"));
  g_assert_nonnull (strstr (text, "float[2] q"));
  for (guint i = 0; i < problems->len; i++)
    for (guint k = 0; k < i; k++)
      g_assert_cmpstr (problems->pdata[i], !=, problems->pdata[k]);
}

/* A wrong declaration on many values is told a few times, and counted. */
static void
test_many_lies (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 10, opset_import: [\"\" : 23]> g (float[N,3] x) => (float[N,3] r40) <float[1,3] r0");
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = NULL;

  for (guint i = 1; i < 40; i++)
    g_string_append_printf (text, ", float[1,3] r%u", i);
  g_string_append (text, "> { r0 = Relu (x)");
  for (guint i = 1; i <= 40; i++)
    g_string_append_printf (text, " r%u = Relu (r%u)", i, i - 1);
  g_string_append (text, " }");
  model = read_file (text->str, problems);
  g_assert_cmpuint (problems->len, ==, 21);
  g_assert_cmpstr (problems->pdata[20], ==, "20 more declared types contradict what follows");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/infer/shapes", test_shapes);
  g_test_add_func ("/infer/contents", test_contents);
  g_test_add_func ("/infer/bodies", test_bodies);
  g_test_add_func ("/infer/contradiction", test_contradiction);
  g_test_add_func ("/infer/stop-at-error", test_stop_at_error);
  g_test_add_func ("/infer/look-back", test_look_back);
  g_test_add_func ("/infer/speed", test_speed);
  g_test_add_func ("/infer/declared", test_declared);
  g_test_add_func ("/infer/many-lies", test_many_lies);
  g_test_add_func ("/infer/growing-state", test_growing_state);
  g_test_add_func ("/infer/lies-in-growing-state", test_lies_in_growing_state);
  return g_test_run ();
}
