/* tensorflow.c: graphs of TensorFlow: both forms, functions, loops, constants, and what is wrong with them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"
#include "core/io/wire.h"
#include "tests/unit/bytecode-sample.h"

/* The text of the model, or the error; @problems of it are appended. */
static char *
read_bytes (const void *data, gsize size)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  const PhFormat *format = ph_format_recognise (bytes, "graph.pb");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autofree char *text = NULL;
  GString *out = g_string_new (NULL);

  g_assert_nonnull (format);
  g_assert_cmpstr (format->name, ==, "tensorflow");
  model = ph_format_read_bytes (format, bytes, "graph.pb", problems, &error);
  if (model == NULL)
    g_string_append (out, error->message);
  else
    {
      text = ph_onnx_text_print (model, 16);
      g_string_append (out, text);
    }
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (out, "\n%s", (char *) problems->pdata[i]);
  return g_string_free (out, FALSE);
}

static char *
read_text (const char *text)
{
  return read_bytes (text, strlen (text));
}

static void
assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("'%s' is not in:\n%s", part, text);
}

/* clang-format off */
#define INPUT "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape { " \
              "dim { size: -1 } dim { size: 3 } } } } }\n"
#define CONST(name, rest) "node { name: '" name "' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { " rest " } } } }\n"
#define T "attr { key: 'T' value { type: DT_FLOAT } }"
/* clang-format on */

static void
test_text (void)
{
  g_autofree char *text = read_text ("# a comment\n" INPUT CONST (
      "w",
      "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1.5, -inf]") "node: { name: 'y' op: 'Odd' input: 'x' input: ['w:0'] device: '/cpu:0' attr { key: 'l' value { list { i: 1 i: 2 } } }"
                                                                                 "  attr { key: 's' value { s: 'a\\x62\\143' 'd' } } attr { key: 'f' value { f: 1e-3 } } new_field { a: 1 b: < c: 'd' > } }\n");

  assert_has (text, "graph (float[?,3] x) => (y)");
  assert_has (text, "float[2] w = {1.5, -inf}");
  assert_has (text, "[y] y = tf.Odd <l = [1, 2], s = \"abcd\", f = 0.001, device = \"/cpu:0\"> (x, w)");
}

/* One value stands for all, the last one for the rest; content is checked against the shape. */
static void
test_constants (void)
{
  g_autofree char *splat = read_text (INPUT CONST (
      "w", "dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 2") "node { name: 'y' op: 'Add' input: 'x' input: 'w' " T
                                                                            " }");
  g_autofree char *rest = read_text (INPUT CONST (
      "w", "dtype: DT_INT32 tensor_shape { dim { size: 4 } } int_val: 1 int_val: -7") "node { name: 'y' op: 'Odd' input: 'w' }");
  g_autofree char *content = read_text (INPUT CONST (
      "w",
      "dtype: DT_HALF tensor_shape { dim { size: 2 } } tensor_content: '\\000<\\000@'") "node { name: 'y' op: 'Odd' input: 'w' }");
  g_autofree char *halves = read_text (INPUT CONST (
      "w",
      "dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: 15360 half_val: 16384") "node { name: 'y' op: 'Odd' input: 'w' }");
  g_autofree char *strings = read_text (INPUT CONST (
      "w",
      "dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: 'a' string_val: 'b'") "node { name: 'y' op: 'Odd' input: 'w' }");
  g_autofree char *cut = read_text (
      INPUT CONST ("w", "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: '\\000\\000'"));
  g_autofree char *huge = read_text (
      INPUT CONST ("w", "dtype: DT_FLOAT tensor_shape { dim { size: 99999999999 } } float_val: 1 float_val: 2"));
  g_autofree char *negative = read_text (INPUT CONST ("w", "dtype: DT_FLOAT tensor_shape { dim { size: -1 } } float_val: 1"));

  assert_has (splat, "float[3] w = {2, 2, 2}");
  assert_has (rest, "int32[4] w = {1, -7, -7, -7}");
  assert_has (content, "float16[2] w = {1, 2}");
  assert_has (halves, "float16[2] w = {1, 2}");
  assert_has (strings, "string[2] w = {\"a\", \"b\"}");
  assert_has (cut, "graph.pb: the constant 'w' has 2 elements of type float, but 2 bytes");
  assert_has (huge, "the constant 'w' has 99999999999 elements, but 2 are written");
  assert_has (negative, "the constant 'w' has a shape that cannot be");
}

static void
test_faults (void)
{
  g_autofree char *place = read_text ("node {\n  name: 'x'\n  op 'y'\n}");
  g_autofree char *open = read_text ("node { name: 'x");
  g_autofree char *missing = read_text ("node { name: 'y' op: 'Neg' input: 'nowhere' }");
  g_autofree char *twice = read_text ("node { name: 'y' op: 'A' } node { name: 'y' op: 'B' }");
  g_autofree char *cycle = read_text ("node { name: 'a' op: 'Neg' input: 'b' } node { name: 'b' op: 'Neg' input: 'a' }");
  g_autofree char *nameless = read_text ("node { op: 'A' }");
  g_autofree char *many = read_text ("node { name: 'a' op: 'A' } node { name: 'y' op: 'B' input: 'a:123456' }");

  assert_has (place, "graph.pb:3:6: not a readable TensorFlow graph: ':' or '{' is expected after the name of a field");
  assert_has (open, "a text in quotes has no end");
  assert_has (missing, "node 'y' (Neg) of graph 'graph' uses 'nowhere', but there is no node of that name");
  assert_has (twice, "two nodes named 'y'");
  assert_has (cycle, "has a cycle");
  assert_has (nameless, "has no name");
  assert_has (many, "there cannot be so many outputs");
}

static char *
read_corpus (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "tests", "fuzz", "corpus", "tensorflow", name,
                                            NULL);
  g_autofree char *other = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "corpus", "tensorflow", name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL) || g_file_get_contents (other, &data, &size, NULL));
  return read_bytes (data, size);
}

/* A loop of TensorFlow 1 is one While with condition and body; what is not of its shape is cut open and listed. */
static void
test_loop (void)
{
  g_autofree char *loop = read_corpus ("loop"), *odd = read_corpus ("conditional");

  assert_has (loop, "\"while/frame:1\", \"while/frame:2\" = tf.While <");
  assert_has (
      loop,
      "cond = cond (int32[] \"while/Merge\", float[] \"while/Merge_1\", float[] \"while/Enter_2\") => (bool[] \"while/Less\")");
  assert_has (loop, "[\"while/mul\"] \"while/mul\" = tf.Mul");
  assert_has (loop, "}> (zero, x, two)");
  g_assert_null (strstr (loop, "NextIteration"));
  assert_has (odd, "the edge back from 'odd/Next' to 'odd/Merge' is drawn, and nothing more");
  assert_has (odd, "[\"odd/Merge\"] \"odd/Merge\" = tf.Merge <T = \"float\", back = [\"odd/Next\"]> (\"odd/Enter\")");
}

/* Types that a file leaves out because they are the operator's own: of complex numbers and their parts, of elements of lists. */
static void
test_types (void)
{
  g_autofree char *text = read_text (
      INPUT "node { name: 'a' op: 'RFFT' input: 'x' input: 'x' } node { name: 'b' op: 'ComplexAbs' input: 'a' }"
            "node { name: 'c' op: 'Real' input: 'a' attr { key: 'Tout' value { type: DT_DOUBLE } } }"
            "node { name: 'd' op: 'TensorListLength' input: 'x' }"
            "node { name: 'e' op: 'TensorListPopBack' input: 'x' attr { key: 'element_dtype' value { type: DT_HALF } } }"
            "node { name: 'f' op: 'Odd' input: 'a' input: 'b' input: 'c' input: 'd' input: 'e' input: 'e:1' }");

  assert_has (text, "complex64[] a");
  assert_has (text, "float[] b");
  assert_has (text, "double[] c");
  assert_has (text, "int32[] d");
  assert_has (text, "float16[] \"e:1\"");
  g_assert_null (strstr (text, "float16[] e"));
}

static void
test_functions (void)
{
  g_autofree char *text = read_corpus ("function");
  g_autofree char *itself = read_text (
      INPUT
      "node { name: 'y' op: 'If' input: 'x' attr { key: 'then_branch' value { func { name: 'f' } } } }"
      "library { function { signature { name: 'f' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: DT_FLOAT } } node_def { name: 'i' op: 'If' "
      "input: 'a' attr { key: 'then_branch' value { func { name: 'f' } } } attr { key: 'else_branch' value { func { name: 'f' } } } } ret { key: 'r' value: 'i:output:0' } } }");

  assert_has (text, "[call] call = tf.twice <call = \"StatefulPartitionedCall\"");
  assert_has (text, "twice (a) => (sum)");
  assert_has (text, "then_branch = positive");
  assert_has (text, "else_branch = twice");
  assert_has (text, "peephole_after = [\"call\"]");
  assert_has (itself, "functions are nested too deep, or one holds itself");
}

/* The binary form, of a SavedModel with a signature: the graph that serves, not all that nobody uses. */
static void
test_saved (void)
{
  g_autoptr (GByteArray) x = g_byte_array_new (), y = g_byte_array_new (), z = g_byte_array_new (), graph = g_byte_array_new (),
                         meta = g_byte_array_new ();
  g_autoptr (GByteArray) info = g_byte_array_new (), named = g_byte_array_new (), signature = g_byte_array_new (),
                         entry = g_byte_array_new ();
  g_autoptr (GByteArray) saved = g_byte_array_new (), operators = g_byte_array_new (), about = g_byte_array_new (),
                         op = g_byte_array_new ();
  g_autofree char *text = NULL, *bare = NULL, *cut = NULL;

  ph_wire_put_bytes (x, 1, "x", 1);
  ph_wire_put_bytes (x, 2, "Placeholder", 11);
  ph_wire_put_bytes (y, 1, "y", 1);
  ph_wire_put_bytes (y, 2, "Neg", 3);
  ph_wire_put_bytes (y, 3, "x", 1);
  ph_wire_put_bytes (z, 1, "z", 1);
  ph_wire_put_bytes (z, 2, "Odd", 3);
  ph_wire_put_bytes (z, 3, "y", 1);
  ph_wire_put_bytes (graph, 1, x->data, x->len);
  ph_wire_put_bytes (graph, 1, y->data, y->len);
  ph_wire_put_bytes (graph, 1, z->data, z->len);
  ph_wire_put_bytes (info, 1, "y:0", 3);
  ph_wire_put_bytes (named, 1, "out", 3);
  ph_wire_put_bytes (named, 2, info->data, info->len);
  ph_wire_put_bytes (signature, 2, named->data, named->len);
  ph_wire_put_bytes (entry, 1, "serving_default", 15);
  ph_wire_put_bytes (entry, 2, signature->data, signature->len);
  ph_wire_put_bytes (op, 1, "Neg", 3);
  ph_wire_put_bytes (operators, 1, op->data, op->len);
  ph_wire_put_bytes (about, 2, operators->data, operators->len);
  ph_wire_put_bytes (meta, 1, about->data, about->len);
  ph_wire_put_bytes (meta, 2, graph->data, graph->len);
  ph_wire_put_bytes (meta, 5, entry->data, entry->len);
  ph_wire_put_number (saved, 1, 1);
  ph_wire_put_bytes (saved, 2, meta->data, meta->len);
  text = read_bytes (saved->data, saved->len);
  assert_has (text, "graph (x) => (y)");
  bare = read_bytes (graph->data, graph->len);
  assert_has (bare, "graph (x) => (z)");
  cut = read_bytes (graph->data, graph->len - 2);
  assert_has (cut, "damaged, cut short");
}

/* A node that calls @module, with its bytes as an escaped string. */
static void
add_module (GString *out, const char *name, const char *inputs, GBytes *module)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (module, &size);

  g_string_append_printf (out, "node { name: '%s' op: 'XlaCallModule' %s attr { key: 'module' value { s: '", name, inputs);
  for (gsize i = 0; i < size; i++)
    g_string_append_printf (out, "\\%03o", data[i]);
  g_string_append (out, "' } } attr { key: 'Tout' value { list { type: DT_FLOAT } } } }\n");
}

/* What JAX, Keras and PyTorch leave in a SavedModel: a module of StableHLO as bytecode, of which older ones are text. */
static void
test_module (void)
{
  static const char older[] = "module @jit_f {\n"
                              "  func.func public @main(%i: tensor<i32>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                              "    %0 = call @twice(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                              "    return %0 : tensor<2x3xf32>\n"
                              "  }\n"
                              "  func.func private @twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                              "    %0 = stablehlo.add %x, %x : tensor<2x3xf32>\n"
                              "    return %0 : tensor<2x3xf32>\n"
                              "  }\n"
                              "}\n";
  g_autoptr (GString) graph = g_string_new (
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n");
  g_autoptr (GBytes) module = bytecode_assemble (6), written = g_bytes_new_static (older, strlen (older)),
                     none = g_bytes_new_static ("nothing", 7);
  g_autofree char *text = NULL;

  add_module (graph, "double", "input: 'x'", written);
  add_module (graph, "sums", "input: 'double'", module);
  add_module (graph, "again", "input: 'double'", module);
  add_module (graph, "other", "input: 'x' input: 'x' input: 'x'", written);
  add_module (graph, "bad", "input: 'x'", none);
  text = read_text (graph->str);
  assert_has (
      text,
      "double = func.main <Tout = [\"float\"]> (\"double/platform\", x)"); /* for several platforms: of which one comes first */
  assert_has (text, "sums = func.main_2 <Tout = [\"float\"]> (double)");
  assert_has (text, "again = func.main_3 <Tout = [\"float\"]> (double)");
  assert_has (text, "twice (x)");
  assert_has (text, "other = tf.XlaCallModule");
  assert_has (text, "'other' gives 3 inputs to a module whose main function takes 2: it is not shown as a call");
  assert_has (text, "The module that 'bad' holds is not shown: graph.pb: ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensorflow/text", test_text);
  g_test_add_func ("/tensorflow/constants", test_constants);
  g_test_add_func ("/tensorflow/faults", test_faults);
  g_test_add_func ("/tensorflow/loop", test_loop);
  g_test_add_func ("/tensorflow/types", test_types);
  g_test_add_func ("/tensorflow/functions", test_functions);
  g_test_add_func ("/tensorflow/saved", test_saved);
  g_test_add_func ("/tensorflow/module", test_module);
  return g_test_run ();
}
