/* onnx-text.c: tests of ONNX's text syntax: what it takes, how it fails, that printing is stable.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"

#include <math.h>
#include <string.h>

#include "core/ops/verify.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 17]>\n"

static PhModel *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "t.onnxtxt", &error);

  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  g_assert_no_error (error);
  return model;
}

static void
assert_stable (const char *text)
{
  g_autoptr (PhModel) model = parse (text);
  g_autofree char *first = ph_onnx_text_print (model, G_MAXSIZE);
  g_autoptr (PhModel) again = parse (first);
  g_autofree char *second = ph_onnx_text_print (again, G_MAXSIZE);

  g_assert_cmpstr (first, ==, second);
}

static void
test_whole (void)
{
  g_autoptr (PhModel) model = parse (
      "# a comment\n"
      "<ir_version: 9, opset_import: [\"\" : 18, \"com.acme\" : 2], producer_name: \"me\", metadata_props: [\"k\" : \"v\"]>\n"
      "agraph (float[N, 128] X, float[128,10] W, float[10] B = {0,1,2,3,4,5,6,7,8,9}) => (float[N, 10] C) // another\n"
      "<int64[2] pads = {-1, 2}, float[N,10] T, string[2] words = {\"a\\\"b\", \"\"}> {\n"
      "  T = MatMul(X, W)\n"
      "  [\"the/add:0\"] S = Add(T, B)\n"
      "  U = com.acme.Strange<alpha = 1, beta = 1.5, name = \"x\", axes = [1, 0], scales = [1.0, 2], words = [\"p\", \"q\"], none : strings = [],\n"
      "      t = float16[2] {1, -0.5}> (S, pads, \"\", words)\n"
      "  C = Softmax(U) <axis = -1>\n"
      "}\n");
  const PhNode *add = ph_model_find_node_named (model, "the/add:0"), *strange = add->next;
  gsize n;

  g_assert_cmpint (model->ir_version, ==, 9);
  g_assert_cmpint (ph_model_opset (model, "com.acme"), ==, 2);
  g_assert_cmpuint (model->graph->n_nodes, ==, 4);
  g_assert_cmpuint (model->graph->inputs->len, ==, 3);
  g_assert_cmpuint (ph_tensor_count (ph_model_find_value_named (model, "B")->tensor), ==, 10);
  g_assert_cmpstr (ph_tensor_get_string (ph_model_find_value_named (model, "words")->tensor, 0), ==, "a\"b");
  g_assert_cmpstr (strange->domain, ==, "com.acme");
  g_assert_cmpint (ph_node_attr_int (strange, "alpha", 0), ==, 1);
  g_assert_cmpfloat (ph_node_attr_float (strange, "beta", 0), ==, 1.5);
  g_assert_cmpint (ph_node_attr_ints (strange, "axes", &n)[0], ==, 1);
  g_assert_cmpint (ph_node_attr (strange, "scales")->kind, ==, PH_ATTR_FLOATS);
  g_assert_cmpint (ph_node_attr (strange, "none")->kind, ==, PH_ATTR_STRINGS);
  g_assert_cmpfloat (ph_tensor_get (ph_node_attr (strange, "t")->tensor, 1), ==, -0.5);
  g_assert_null (ph_node_input (strange, 2));
  g_assert_cmpint (ph_node_attr_int (strange->next, "axis", 0), ==, -1);
}

static void
test_types (void)
{
  /* clang-format off */
  static const struct { const char *text, *printed; } types[] = {
    { "float", "float" }, { "float[]", "float[]" }, { "int64[3]", "int64[3]" }, { "bool[N,?,2]", "bool[N,?,2]" },
    { "seq(float[2])", "seq(float[2])" }, { "optional(seq(string[]))", "optional(seq(string[]))" },
    { "bfloat16[\"2*n + 1\"]", "bfloat16[\"2*n + 1\"]" }, { "map(int64, float[2])", "map(int64, float[2])" },
    { "sparse_tensor(double[5])", "sparse_tensor(double[5])" }, { "float8e4m3fn[1]", "float8e4m3fn[1]" }, { "uint4[2]", "uint4[2]" },
    { "opaque(\"ptr\")", "opaque(\"ptr\")" }, { "seq(opaque(\"!a.b<\\\"c\\\">\"))", "seq(opaque(\"!a.b<\\\"c\\\">\"))" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *text = g_strdup_printf (HEAD "g (%s x) => (y) { y = custom.Op (x) }", types[i].text);
      g_autofree char *wanted = g_strdup_printf ("g (%s x) => (y)", types[i].printed);
      g_autoptr (PhModel) model = parse (text);
      g_autofree char *printed = ph_onnx_text_print (model, G_MAXSIZE);

      g_assert_nonnull (strstr (printed, wanted));
      assert_stable (text);
    }
}

static void
test_numbers (void)
{
  g_autoptr (PhModel) model = parse (
      HEAD
      "g (float[1] x) => (float[1] y)\n"
      "< float[9] f = {0.1, -0, 1e-45, 3.4028235e38, inf, -inf, nan, 16777217, 1}, double[2] d = {0.1, 1e308},\n"
      "  uint64[1] u = {18446744073709551615}, int64[2] l = {-9223372036854775808, 9223372036854775807}, bool[2] b = {true, 0},\n"
      "  int4[3] q = {-8, 7, -1}, float8e5m2[2] e = {1.5, -2}, complex64[1] c = {1.5, -2.5}, bfloat16[1] bf = {3.0} >\n"
      "{ y = Relu (x) }");
  PhTensor *f = ph_model_find_value_named (model, "f")->tensor;
  g_autofree char *text = ph_onnx_text_print (model, G_MAXSIZE);

  g_assert_cmpfloat (ph_tensor_get (f, 0), ==, (double) 0.1f);
  g_assert_true (signbit (ph_tensor_get (f, 1)));
  g_assert_true (ph_tensor_get (f, 2) > 0);
  g_assert_true (isinf (ph_tensor_get (f, 4)) && isinf (ph_tensor_get (f, 5)) && isnan (ph_tensor_get (f, 6)));
  g_assert_cmpfloat (ph_tensor_get (ph_model_find_value_named (model, "d")->tensor, 0), ==, 0.1);
  g_assert_cmpuint ((guint64) ph_tensor_get_int (ph_model_find_value_named (model, "u")->tensor, 0), ==, G_MAXUINT64);
  g_assert_cmpint (ph_tensor_get_int (ph_model_find_value_named (model, "l")->tensor, 0), ==, G_MININT64);
  g_assert_cmpint (ph_tensor_get_int (ph_model_find_value_named (model, "q")->tensor, 0), ==, -8);
  g_assert_nonnull (strstr (text, "{18446744073709551615}"));
  assert_stable (text);
}

static void
test_bodies (void)
{
  assert_stable (
      HEAD
      "g (int64 n, bool c, float[2] x) => (float[2] y, float[k,2] all)\n{\n"
      "  y, all = Loop <body = b (int64 i, bool cond, float[2] s) => (bool cond2, float[2] s2, float[2] s3) <float[2] one = {1, 1}> {\n"
      "    cond2 = Identity (cond)\n"
      "    s2 = If <then_branch = t () => (float[2] r) { r = Add (s, one) }, else_branch = e () => (float[2] r) { r = Add (s, x) }> (cond)\n"
      "    s3 = Identity (s2)\n"
      "  }> (n, c, x)\n}\n");
  assert_stable (HEAD "g (float[2] x) => (float[2] y, float[2] dx) {\n"
                      "  y = Relu (x)\n"
                      "  dx = Identity <peephole_role = \"backward\", peephole_partner = \"y\"> (y)\n}\n");
  {
    g_autoptr (PhModel) model = parse (
        HEAD
        "g (float[2] x) => (float[2] dx) { y = Relu (x) dx = Identity <peephole_role = \"backward\", peephole_partner = \"y\"> (y) }");

    g_assert_cmpint (model->graph->last->role, ==, PH_ROLE_BACKWARD);
    g_assert_cmpuint (model->graph->last->partner, ==, model->graph->first->id);
    g_assert_cmpuint (model->graph->last->attrs->len, ==, 0);
  }
}

static void
test_errors (void)
{
  /* clang-format off */
  static const struct { const char *text, *place, *words; } cases[] = {
    { "", "t:", "empty" },
    { "<ir_version: 8>", "t:1:16:", "name of a graph" },
    { "<ir_version 8>", "t:1:13:", "':'" },
    { "<speed: 8>", "t:1:2:", "ir_version" },
    { HEAD "g (float[2] x) => (y) {\n  y = Relu (x\n}", "t:4:1:", "','" },
    { HEAD "g (float[2] x) => (y) {\n  y = Relu (z)\n}", "t:3:3:", "'z'" },
    { HEAD "g (float[2] x) => (y) {\n  a = Relu (b)\n  b = Relu (a)\n y = Abs(b) }", "t:", "cycle" },
    { HEAD "g (float[2] x) => (y) {\n  y = Relu (x)\n  y = Abs (x)\n}", "t:4:3:", "twice" },
    { HEAD "g (float[2] x) => (y) {\n  y = Relu (x)\n", "t:4:1:", "'}'" },
    { HEAD "g (float[-2] x) => (y) { y = Relu (x) }", "t:2:10:", "negative" },
    { HEAD "g (float[2] x) => (y) <float[3] w = {1, 2}> { y = Add (x, w) }", "t:2:37:", "3 elements" },
    { HEAD "g (float[2] x) => (y) <float[N] w = {1, 2}> { y = Add (x, w) }", "t:2:37:", "numbers" },
    { HEAD "g (float[2] x) => (y) { y = Relu (\"x) }", "t:2:35:", "string" },
    { HEAD "g (float[2] x) => (y) { y = Relu <a = > (x) }", "t:2:39:", "value" },
    { HEAD "g (float[2] x) => (y) { y = Relu <a = [1, \"b\"]> (x) }", "t:2:43:", "one kind" },
    { HEAD "g (float[2] x) => (y) { y = Relu <a : int = 1.5> (x) }", "t:2:45:", "type" },
    { HEAD "g (float[2] x) => (y) { y = Relu (x) } extra", "t:2:40:", "function" },
    { HEAD "g (float[2] x) => (y) { y = Relu (a/b) }", "t:2:36:", "quotes" },
    { HEAD "g (float[2] x) => (y) { y = Constant <value = float[9] {... 9 elements, 0}> () }", "t:", "left out" },
    { HEAD "g (float[2] x) => (y) { y = Relu (x) }\n\xff\xfe", "t:3:1:", "UTF-8" },
    { HEAD "g (float[99999999999999999999999] x) => (y) { y = Relu (x) }", "t:2:10:", "64 bits" },
    { HEAD "g (flood[2] x) => (y) { y = Relu (x) }", "t:2:9:", "','" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (cases[i].text, -1, "t", &error);

      g_assert_null (model);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_true (g_str_has_prefix (error->message, cases[i].place));
      g_assert_nonnull (strstr (error->message, cases[i].words));
    }
}

static void
test_deep (void)
{
  GString *text = g_string_new (HEAD);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  for (guint i = 0; i < 5000; i++)
    g_string_append (text, "g () => () { y = If <then_branch = ");
  model = ph_onnx_text_read (text->str, (gssize) text->len, "t", &error);
  g_assert_null (model);
  g_assert_nonnull (strstr (error->message, "nested"));
  g_string_free (text, TRUE);
}

static void
test_elided (void)
{
  g_autoptr (PhModel) model = parse (HEAD "g (float[4] x) => (y) <float[4] w = {1, 2, 3, 4}> { y = Add (x, w) }");
  g_autofree char *text = ph_onnx_text_print (model, 3), *whole = ph_onnx_text_print (model, 4);

  g_assert_nonnull (strstr (text, "{... 4 elements, "));
  g_assert_nonnull (strstr (whole, "{1, 2, 3, 4}"));
}

/* The bundled examples are text: each must stay readable. */
static void
test_examples (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("G_TEST_SRCDIR") != NULL ? g_getenv ("G_TEST_SRCDIR") : ".", "..",
                                              "resources", "examples", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GError) error = NULL;
  const char *name;
  guint n = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;

      if (!g_str_has_suffix (name, ".onnxtxt"))
        continue;
      g_file_get_contents (path, &text, NULL, &error);
      g_assert_no_error (error);
      assert_stable (text);
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-text/whole", test_whole);
  g_test_add_func ("/onnx-text/types", test_types);
  g_test_add_func ("/onnx-text/numbers", test_numbers);
  g_test_add_func ("/onnx-text/bodies", test_bodies);
  g_test_add_func ("/onnx-text/errors", test_errors);
  g_test_add_func ("/onnx-text/deep", test_deep);
  g_test_add_func ("/onnx-text/elided", test_elided);
  g_test_add_func ("/onnx-text/examples", test_examples);
  return g_test_run ();
}
