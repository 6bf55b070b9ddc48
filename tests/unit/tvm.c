/* tvm.c: tests the readers of TVM's text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"

static PhModel *
read_text (const char *format, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ph_format_read_bytes (ph_format_find (format), bytes, "t.py", NULL, error);
}

static PhModel *
read_seed (const char *format, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", format, name, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  PhModel *model;

  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  model = read_text (format, text, &error);
  g_assert_no_error (error);
  return model;
}

/* "op(input, input)" of what makes @value. */
static void
assert_made (PhGraph *graph, const char *value, const char *expected)
{
  PhValue *found = ph_graph_find_value_named (graph, value);
  g_autoptr (GString) text = g_string_new (NULL);

  if (found == NULL || found->producer == NULL)
    g_error ("no node makes %s", value);
  g_string_append_printf (text, "%s(", found->producer->op_type);
  for (guint i = 0; i < found->producer->inputs->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", ph_node_input (found->producer, i)->name);
  g_string_append_c (text, ')');
  g_assert_cmpstr (text->str, ==, expected);
}

static PhNode *
maker (PhGraph *graph, const char *value)
{
  return ph_graph_find_value_named (graph, value)->producer;
}

static void
test_relax (void)
{
  g_autoptr (PhModel) model = read_seed ("tvmscript", "selu.py");
  PhGraph *graph = model->graph;
  PhNode *branch;
  g_autofree char *type = NULL;

  g_assert_cmpstr (graph->name, ==, "main");
  g_assert_cmpuint (model->functions->len, ==, 2);
  assert_made (graph, "lv", "matmul(W, x)");
  assert_made (graph, "y", "add(lv, b)");
  assert_made (graph, "lv1", "nn.selu(y)");
  assert_made (graph, "lv2", "double(lv1)");
  g_assert_true (ph_node_function (maker (graph, "lv2")) == ph_model_find_function (model, "tir.func", "double"));
  assert_made (graph, "lv3", "tuple(lv3.0, lv3.1)");
  assert_made (graph, "lv4", "tuple_get_item(lv3)");
  assert_made (graph, "lv5", "pair(lv4)");
  assert_made (graph, "d", "tuple_get_item(lv5)");
  assert_made (graph, "z", "bind(r)");
  g_assert_cmpstr (maker (graph, "lv")->name, ==, "dataflow/lv");
  branch = maker (graph, "r");
  g_assert_cmpstr (branch->op_type, ==, "if");
  g_assert_cmpuint (branch->graphs->len, ==, 2);
  type = ph_type_to_string (ph_graph_find_value_named (graph, "r")->type);
  g_assert_cmpstr (type, ==, "float[4]");
  g_assert_cmpuint (maker (graph, "_1")->control->len, ==, 1); /* what it prints, it prints first */
  g_assert_cmpuint (maker (graph, "lv")->where->line, ==, 40);
  g_assert_cmpstr (((PhValue *) graph->outputs->pdata[0])->name, ==, "z");
}

/* A constant is its numbers where the text says all of them; a name of Python, and lists that are no tensor, stay as they are written. */
static void
test_constants (void)
{
  /* clang-format off */
  static const struct { const char *text, *type, *last; } rows[] = {
    { "2.5", "float", "2.5" }, { "[[1, 2], [3, 4]], \"int64\"", "int64[2,2]", "4" }, { "[1, 2.5]", "float[2]", "2.5" },
    { "tvm.runtime.tensor(np.zeros((2, 3), dtype=\"int32\"))", "int32[2,3]", "0" }, { "np.ones(3, \"float32\")", "float[3]", "1" },
    { "tvm.nd.array(np.full((2,), 7))", "int64[2]", "7" }, { "np.array([[1.5]], dtype=np.float32)", "float[1,1]", "1.5" },
    { "np.zeros((2, 0))", "double[2,0]", NULL }, { "np.zeros((1000000, 1000000))", NULL, NULL }, { "[1, [2]]", NULL, NULL },
    { "[[1], 2]", NULL, NULL }, { "w", NULL, NULL }, { "np.random.rand(2)", NULL, NULL }, { "np.zeros((n, 2))", NULL, NULL },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("@I.ir_module\nclass M:\n  @R.function\n  def main():\n    c = R.const(%s)\n"
                                               "    return c\n",
                                               rows[i].text);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("tvmscript"), bytes, "c.py", NULL, NULL);
      const PhValue *value = model->graph->outputs->pdata[0];

      g_test_message ("%s", rows[i].text);
      g_assert_true ((value->tensor != NULL) == (rows[i].type != NULL));
      if (rows[i].type == NULL)
        g_assert_cmpstr (value->producer->op_type, ==, "const");
      else
        {
          g_autofree char *type = ph_type_to_string (value->type);

          g_assert_cmpstr (type, ==, rows[i].type);
        }
      if (rows[i].last != NULL)
        g_assert_cmpfloat (ph_tensor_get (value->tensor, ph_tensor_count (value->tensor) - 1), ==,
                           g_ascii_strtod (rows[i].last, NULL));
    }
}

static void
test_tir (void)
{
  g_autoptr (PhModel) model = read_seed ("tvmscript", "selu.py");
  PhGraph *graph = ph_model_find_function (model, "tir.func", "double")->graph, *body;
  PhNode *loop = NULL;

  g_assert_cmpuint (graph->inputs->len, ==, 2);
  g_assert_cmpuint (graph->outputs->len, ==, 1);
  loop = ((PhValue *) graph->outputs->pdata[0])->producer;
  g_assert_cmpstr (loop->op_type, ==, "for");
  g_assert_cmpstr (ph_node_attr_string (loop, "kind", NULL), ==, "thread_binding");
  g_assert_false (ph_node_is_fused (loop));
  body = ((PhGraph *) loop->graphs->pdata[0])->last->graphs->pdata[0];
  g_assert_cmpstr (body->last->op_type, ==, "if");
  g_assert_cmpstr (((PhGraph *) body->last->graphs->pdata[0])->last->op_type, ==, "store");
  g_assert_cmpstr (ph_node_attr_string (((PhGraph *) body->last->graphs->pdata[0])->last, "text", NULL), ==,
                   "B[vi] = B[vi] + A[vi] * T.float32(2)");
}

/* Each parameter that it writes is a result, in their order. */
static void
test_tir_results (void)
{
  static const char text[]
      = "@T.prim_func\ndef main(A: T.Buffer((2,), 'float32'), B: T.Buffer((2,), 'float32'), C: T.Buffer((2,), 'float32')):\n"
        "  for i in range(2):\n    B[i] = A[i] + T.float32(1)\n  for j in range(2):\n    C[j] = A[j] * T.float32(2)\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text ("tvmscript", text, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->inputs->len, ==, 3);
  g_assert_cmpuint (model->graph->outputs->len, ==, 2);
  g_assert_true (((PhValue *) model->graph->outputs->pdata[0])->producer == model->graph->first);
}

/* Position and keyword mean the same, so that two ways to write one call do not differ. */
static void
test_keywords (void)
{
  static const char *const texts[]
      = { "@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n  y = R.astype(x, 'float16')\n  return y\n",
          "@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n  y = R.astype(x, dtype='float16')\n  return y\n" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_text ("tvmscript", texts[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (ph_node_attr_string (model->graph->first, "dtype", NULL), ==, "float16");
    }
}

/* What TVM prints after a pass has all attributes; a program that leaves defaults out is the same one. */
static void
test_defaults (void)
{
  static const char head[]
      = "class M:\n  @R.function\n  def main(x: R.Tensor((1, 3, 8, 8), \"float32\"), w: R.Tensor((4, 3, 3, 3), \"float32\")):\n";
  static const char *const brief[]
      = { "nn.conv2d(x, w)", "nn.conv2d(x, w, padding=(1, 2), out_dtype=\"float32\")", "sum(x)",
          "nn.max_pool2d(x, pool_size=[2, 2], strides=2)" },
      *const full[] = {
        "nn.conv2d(x, w, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout=\"NCHW\", "
        "kernel_layout=\"OIHW\", out_layout=\"NCHW\")",
        "nn.conv2d(x, w, strides=[1, 1], padding=[1, 2, 1, 2], dilation=[1, 1], groups=R.prim_value(1), data_layout=R.str(\"NCHW\"), "
        "kernel_layout=\"OIHW\", out_layout=\"NCHW\", out_dtype=R.dtype(\"float32\"))",
        "sum(x, axis=None, keepdims=False)",
        "nn.max_pool2d(x, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, "
        "count_include_pad=False, layout=\"NCHW\", out_layout=\"NCHW\")"
      };

  for (guint i = 0; i < G_N_ELEMENTS (brief); i++)
    {
      g_autofree char *a = g_strdup_printf ("%s    y = R.%s\n    return y\n", head, brief[i]),
                      *b = g_strdup_printf ("%s    y = R.%s\n    return y\n", head, full[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) one = read_text ("tvmscript", a, &error), other = read_text ("tvmscript", b, &error);
      PhNode *x, *y;

      g_assert_no_error (error);
      x = maker (one->graph, "y");
      y = maker (other->graph, "y");
      g_assert_cmpuint (x->attrs->len, ==, y->attrs->len);
      for (guint k = 0; k < x->attrs->len; k++)
        {
          const PhAttr *attr = x->attrs->pdata[k];

          g_assert_nonnull (ph_node_attr (y, attr->name));
          g_assert_true (ph_attr_equal (attr, ph_node_attr (y, attr->name)));
        }
    }
}

static void
test_errors (void)
{
  /* clang-format off */
  static const struct { const char *text, *message; } cases[] = {
    { "@R.function\ndef main(x:\n", "t.py:3:1: an expression was expected, not the end of the line" },
    { "x = 3\n", "t.py: it has no function under @R.function or @T.prim_func, so there is nothing to draw" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_text ("tvmscript", cases[i].text, &error);

      g_assert_null (model);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
}

/* Relay: branches and arms are bodies, a call of a global is a node of its name, %0.1 is a member. */
static void
test_relay (void)
{
  g_autoptr (PhModel) model = read_seed ("relay", "small.rly");
  PhFunction *length = ph_model_find_function (model, "relay.func", "length");
  PhNode *dense = NULL, *match;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) broken = read_text ("relay", "def @main(%x: int32) {\n  %x +\n}", &error);
  g_autofree char *deep = g_strnfill (5000, '(');

  assert_made (model->graph, "nn.dense", "nn.dense(x, w)");
  dense = maker (model->graph, "nn.dense");
  g_assert_cmpstr (ph_node_attr_string (dense, "units", NULL), ==, "4");
  assert_made (model->graph, "call", "call(fn, nn.dense)");
  g_assert_cmpstr (((PhValue *) model->graph->outputs->pdata[0])->producer->op_type, ==, "if");
  match = ((PhValue *) length->graph->outputs->pdata[0])->producer;
  g_assert_cmpstr (match->op_type, ==, "match");
  g_assert_cmpuint (match->graphs->len, ==, 2);
  g_assert_null (broken);
  g_assert_cmpstr (error->message, ==, "t.py:3:1: an expression was expected");
  g_clear_error (&error);
  g_assert_null (read_text ("relay", deep, &error));
  g_assert_nonnull (strstr (error->message, "200"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tvm/relax", test_relax);
  g_test_add_func ("/tvm/constants", test_constants);
  g_test_add_func ("/tvm/tir", test_tir);
  g_test_add_func ("/tvm/tir-results", test_tir_results);
  g_test_add_func ("/tvm/keywords", test_keywords);
  g_test_add_func ("/tvm/relay", test_relay);
  g_test_add_func ("/tvm/defaults", test_defaults);
  g_test_add_func ("/tvm/errors", test_errors);
  return g_test_run ();
}
