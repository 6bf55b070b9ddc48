/* foreign-graphs.c: graphs of oneDNN and OpenVINO: names, types, attributes, what lies beside them, and what is wrong with them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"

/* The text of the model, or the error; the problems are appended. */
static char *
read_as (const char *format, const char *data, gsize size)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autofree char *text = NULL;
  GString *out = g_string_new (NULL);

  g_assert_cmpstr (ph_format_recognise (bytes, "file")->name, ==, format);
  model = ph_format_read_bytes (ph_format_find (format), bytes, "file", problems, &error);
  text = model != NULL ? ph_onnx_text_print (model, 16) : g_strdup (error->message);
  g_string_append (out, text);
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (out, "\n%s", (char *) problems->pdata[i]);
  return g_string_free (out, FALSE);
}

static char *
load (const char *format, const char *name, gsize *size)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "corpus", format, name, NULL);
  char *data = NULL;

  g_assert_true (g_file_get_contents (path, &data, size, NULL));
  return data;
}

static char *
corpus (const char *format, const char *name)
{
  return load (format, name, NULL);
}

static void
assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("'%s' is not in:\n%s", part, text);
}

/* @text with @from replaced, read. */
static char *
read_changed (const char *format, const char *text, const char *from, const char *to)
{
  g_autoptr (GString) changed = g_string_new (text);

  g_assert_cmpuint (g_string_replace (changed, from, to, 1), ==, 1);
  return read_as (format, changed->str, changed->len);
}

static void
test_onednn (void)
{
  g_autofree char *file = corpus ("onednn", "partition"), *text = read_as ("onednn", file, strlen (file));
  g_autofree char *twice = read_changed ("onednn", file, "\"id\": 7", "\"id\": 2"),
                  *cut = read_as ("onednn", file, strlen (file) - 9);
  g_autofree char *kindless = read_changed ("onednn", file, "\"kind\": \"MatMul\"", "\"kind\": 3");
  g_autofree char *shallow = read_changed ("onednn", file, "\"value\": [0.5]",
                                           "\"value\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");

  assert_has (text, "graph (float[2,3] t0, float[4,3] t1) => (uint8[2,?] t7)");
  assert_has (text, "[\"partition_3/MATMUL_0\"] t2 = onednn.MatMul <transpose_b = 1, input_strides = \"dense; 1,4\"> (t0, t1)");
  assert_has (text, "onednn.Quantize <scales = [0.5], zps = [10], qtype = \"per_tensor\"> (t2)");
  assert_has (twice, "two operators make the tensor 2, the second is 'Q'");
  assert_has (cut, "file: not readable as JSON");
  assert_has (kindless, "operator 0 of the graph has no kind");
  assert_has (shallow, "nested deeper");
}

/* Each node knows the line of the file on which it begins. */
static void
test_lines (void)
{
  /* clang-format off */
  static const struct { const char *format, *file, *word; } rows[] = {
    { "onednn", "partition", "\"kind\": \"%s\"" }, { "openvino", "layers", "type=\"%s\"" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *file = corpus (rows[i].format, rows[i].file);
      g_autoptr (GBytes) bytes = g_bytes_new (file, strlen (file));
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find (rows[i].format), bytes, "file", NULL, &error);
      g_auto (GStrv) lines = g_strsplit (file, "\n", -1);
      g_auto (GStrv) parts = g_strsplit (rows[i].word, "%s", 2);
      guint last = 0;

      g_assert_no_error (error);
      PH_FOREACH_NODE (node, model->graph)
        {
          g_autofree char *word = g_strconcat (parts[0], node->op_type, parts[1], NULL);

          g_assert_nonnull (node->where);
          g_assert_cmpuint (node->where->line, >, last);
          last = node->where->line;
          g_assert_cmpuint (last, <=, g_strv_length (lines));
          if (strstr (lines[last - 1], word) == NULL && i == 1)
            g_error ("%s is not on line %u: %s", word, last, lines[last - 1]);
          if (i == 0)
            {
              g_autofree char *rest = g_strjoinv ("\n", lines + last - 1);

              g_assert_nonnull (strstr (rest, word));
              g_assert_true (strchr (lines[last - 1], '{') != NULL);
            }
        }
    }
}

static void
test_openvino (void)
{
  g_autofree char *file = corpus ("openvino", "layers"), *text = read_as ("openvino", file, strlen (file));
  g_autofree char *missing = read_changed ("openvino", file, "from-layer=\"2\"", "from-layer=\"77\"");
  g_autofree char *twice = read_changed ("openvino", file, "layer id=\"2\"", "layer id=\"3\""),
                  *cut = read_as ("openvino", file, strlen (file) - 9);
  g_autofree char *shape = read_changed ("openvino", file, "shape=\"3\"", "shape=\"3,x\"");

  assert_has (text, "small (float[?,3] x, float[3] w) => (float[?,3] clamp)");
  assert_has (text, "The elements of the constant 'w' are not there: it became an input");
  assert_has (text, "[clamp] clamp = openvino.Clamp <max = 6, min = -1.5> (sum)");
  assert_has (missing, "layer 'clamp' uses '77:2' (layer:port), which does not exist");
  g_assert_nonnull (strstr (twice, "file: "));
  assert_has (cut, "not readable as XML");
  assert_has (shape, "the constant 'w' has the shape '3,x', which cannot be");
}

/* A body's port map has positions instead of the file's numbers; outputs are numbered in the order of their ports. */
static void
test_openvino_body (void)
{
  g_autofree char *file = corpus ("openvino", "iterator"), *text = read_as ("openvino", file, strlen (file));
  g_autofree char *input = read_changed ("openvino", file, "internal_layer_id=\"7\"", "internal_layer_id=\"11\"");
  g_autofree char *edge = read_changed ("openvino", file, "from-layer=\"12\" to", "from-layer=\"13\" to");

  assert_has (text, "port_map = [\"input body=1 port=0 axis=1 end=0 part_size=1 start=-1 stride=-1\", \"input body=0 port=1\", "
                    "\"output body=1 port=1\", \"output body=0 port=0 axis=1 end=0 part_size=1 start=-1 stride=-1\"]");
  assert_has (text, "back_edges = [\"edge from=1 to=0\"]");
  assert_has (input, "layer 'walk' is connected to the input 11 of its body, which does not exist");
  assert_has (edge, "layer 'walk' is connected to the output 13 of its body, which does not exist");
}

/* With the .bin beside it. One that is too short is not read past its end. */
static void
test_weights (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-openvino-XXXXXX", NULL), *xml = g_build_filename (folder, "m.xml", NULL);
  g_autofree char *bin = g_build_filename (folder, "m.bin", NULL), *file = corpus ("openvino", "layers"), *text = NULL;
  const float weights[] = { 1, 2.5, -3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL, none = NULL;

  g_assert_true (g_file_set_contents (xml, file, -1, NULL)
                 && g_file_set_contents (bin, (const char *) weights, sizeof weights, NULL));
  model = ph_io_open (xml, NULL, NULL, &error);
  g_assert_no_error (error);
  text = ph_onnx_text_print (model, 16);
  assert_has (text, "float[3] w = {1, 2.5, -3}");
  g_assert_true (g_file_set_contents (bin, (const char *) weights, 11, NULL));
  none = ph_io_open (xml, NULL, NULL, &error);
  g_assert_null (none);
  assert_has (error->message, "the constant 'w' lies at 0 with 12 bytes, which the file does not have");
  g_unlink (xml);
  g_unlink (bin);
  g_rmdir (folder);
}

static char *
read_tflite (const char *name)
{
  gsize size;
  g_autofree char *data = load ("tflite", name, &size);

  return read_as ("tflite", data, size);
}

/* Constants, options, fused activations, how tensors are quantised, operators of one's own, subgraphs as bodies. */
static void
test_tflite (void)
{
  g_autofree char *dense = read_tflite ("dense"), *conv = read_tflite ("conv"), *loop = read_tflite ("loop");

  assert_has (dense, "main (float[?,3] x) => (float[2,1] y)");
  assert_has (dense, "float[2,3] w = {1, 2, 3, -1, -2, -3}");
  assert_has (dense, "h = tflite.FULLY_CONNECTED <fused_activation_function = \"RELU\"");
  assert_has (dense, "y = tflite.RESHAPE <new_shape = []> (h, shape)");
  assert_has (conv, "in0_scale = [0.5], in0_zero_point = [3], in1_scale = [0.25, 0.5], in1_zero_point = [0, 0], in1_axis = 0");
  assert_has (conv,
              "padding = \"SAME\", stride_w = 2, stride_h = 2, fused_activation_function = \"RELU6\", dilation_w_factor = 1");
  assert_has (conv, "y = tflite.Odd");
  assert_has (loop, "n = tflite.WHILE <\n    cond = cond");
  assert_has (loop, "s = tflite.ADD");
}

/* Cut anywhere and with any byte changed it opens or is refused with a message, and nothing outside of it is read. */
static void
test_tflite_damaged (void)
{
  static const char *const names[] = { "dense", "conv", "loop" };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    {
      gsize size;
      g_autofree char *data = load ("tflite", names[k], &size);
      guint refused = 0;

      for (gsize i = 8; i < size; i++)
        {
          g_autofree char *cut = g_memdup2 (data, i + 1), *changed = g_memdup2 (data, size), *a = NULL, *b = NULL;

          changed[i] = (char) (changed[i] ^ 0x81);
          a = read_as ("tflite", cut, i + 1);
          b = read_as ("tflite", changed, size);
          refused += g_str_has_prefix (a, "file: ") + g_str_has_prefix (b, "file: ");
        }
      g_assert_cmpuint (refused, >, size / 4);
    }
}

static void
test_mindspore (void)
{
  gsize size, anf_size;
  g_autofree char *data = load ("mindspore", "mindir", &size), *anf_data = load ("mindspore", "anf", &anf_size);
  g_autofree char *mindir = read_as ("mindspore", data, size), *anf = read_as ("mindspore", anf_data, anf_size);
  g_autofree char *cut = read_as ("mindspore", data, size - 3);
  g_autoptr (GBytes) noise = g_bytes_new_static ("\x93\x11\x7f\xc4noise", 9);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) none = ph_format_read_bytes (ph_format_recognise (noise, "m.mindir"), noise, "m.mindir", NULL, &error);

  assert_has (mindir, "main (float[2] late, float[2,3] x) => (z)");
  assert_has (mindir, "int64[2] perm = {1, 0}");
  assert_has (mindir, "float[2] w = {1.5, -2}");
  assert_has (mindir, "[\"Default/T-op1\"] t = mindspore.Transpose <mode = 4> (x, perm)");
  assert_has (mindir, "z = mindspore.half (y, late)");
  assert_has (mindir, "half (p) => (r)");
  assert_has (mindir, "The elements of the parameter 'late' are not there");
  assert_has (anf, "kernel_graph_0 (float[2] x) => (float[2] \"3\")");
  assert_has (anf, "[\"Default/Add-op0\"] \"1\" = mindspore.Add <axis = -1> (x, k)");
  assert_has (anf, "peephole_after = [\"2\"]");
  assert_has (cut, "the file is damaged or cut short");
  g_assert_null (none);
  assert_has (error->message, "this is a MindIR file that is encrypted, or damaged");
}

static void
test_mindspore_dump (void)
{
  g_autofree char *data = corpus ("mindspore-ir", "small"), *text = read_as ("mindspore-ir", data, strlen (data));
  g_autofree char *none = read_as ("mindspore-ir", "# IR entry: @a\n", 15);

  assert_has (text, "main_1 (float[2,?] para1_x, float[3] para2_w) => (float[2,3] CNode_7)");
  assert_has (text, "[\"Default/Sub-op1\"] \"CNode_3$a\" = mindspore.PrimFunc_Sub <");
  assert_has (text, "axis = -1, checkpoint = 1");
  assert_has (text, "net.py:16:13");
  assert_has (text, "CNode_6 = mindspore.call (CNode_4)");
  assert_has (text, "CNode_7 = mindspore.then_2 (CNode_6)");
  assert_has (text, "then_2 (para3_p) => (b)");
  assert_has (none, "there is no subgraph in it");
}

/* What is only recognised is refused by its name. */
static void
test_refused (void)
{
  /* clang-format off */
  static const struct { const char *data; gsize size; const char *name, *format; } files[] = {
    { "7767517\n3 3\nInput in 0 1 data\n", 30, "m.param", "ncnn" }, { "\x08\x05\x12\x02\x0a\x00", 6, "m.mlmodel", "coreml" },
    { "\x20\0\0\0ET12....", 12, "m.pte", "executorch" }, { "\x20\0\0\0ORTM....", 12, "m.ort", "ort" },
    { "\x80\x02}q\x00.", 6, "m.pth", "pickle" } };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (files[i].data, files[i].size);
      const PhFormat *format = ph_format_recognise (bytes, files[i].name);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = NULL;

      g_assert_cmpstr (format->name, ==, files[i].format);
      model = ph_format_read_bytes (format, bytes, files[i].name, NULL, &error);
      g_assert_null (model);
      assert_has (error->message, files[i].name);
      assert_has (error->message, format->title);
      assert_has (error->message, format->instead);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/foreign-graphs/onednn", test_onednn);
  g_test_add_func ("/foreign-graphs/lines", test_lines);
  g_test_add_func ("/foreign-graphs/openvino", test_openvino);
  g_test_add_func ("/foreign-graphs/openvino-body", test_openvino_body);
  g_test_add_func ("/foreign-graphs/weights", test_weights);
  g_test_add_func ("/foreign-graphs/tflite", test_tflite);
  g_test_add_func ("/foreign-graphs/tflite-damaged", test_tflite_damaged);
  g_test_add_func ("/foreign-graphs/mindspore", test_mindspore);
  g_test_add_func ("/foreign-graphs/mindspore-dump", test_mindspore_dump);
  g_test_add_func ("/foreign-graphs/refused", test_refused);
  return g_test_run ();
}
