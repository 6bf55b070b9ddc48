/* systems.c: operators of oneDNN, MindSpore and TVM, converted, compute what the same graph written in ONNX's operators computes: the cases
 * of systems-cases.txt, as they are and after O2.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/graph/history.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/run/inputs.h"
#include "core/tensor/compare.h"
#include "passes/convert-tensorflow-lists.h"

static PhModel *
read_graph (const char *name, const char *interface, const char *body)
{
  static const char head[]
      = "<ir_version: 11, opset_import: [\"\" : 23, \"tf\" : 1, \"aten\" : 1, \"prim\" : 1, \"prims\" : 1, \"torch\" : 1, \"stablehlo\" : 1, \"onednn\" : 1, \"mindspore\" : 1, \"relax\" : 1, \"relay\" : 1, \"openvino\" : 1, \"tflite\" : 1, \"hlo\" : 1, \"jax\" : 1, \"tir\" : 1, \"check\" : 1]>\n";
  g_autofree char *text = g_strdup_printf ("%sg %s\n{\n%s\n}\n", head, interface, body);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, name, &error);

  if (model == NULL)
    g_error ("%s: %s in\n%s", name, error->message, text);
  return model;
}

/* Nothing of another system stays. */
static void
convert (const char *name, PhModel *model, gboolean optimised)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GPtrArray) nodes = NULL;
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = PH_ROUNDING;
  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &options, &error);
  g_assert_no_error (error);
  nodes = ph_model_nodes (model);
  for (guint i = 0; i < nodes->len; i++)
    if (((PhNode *) nodes->pdata[i])->op == NULL)
      g_error ("%s: %s.%s stays: %s", name, ((PhNode *) nodes->pdata[i])->domain, ((PhNode *) nodes->pdata[i])->op_type,
               g_array_index (history->steps, PhStep, 0).note);
  for (const char *const *pass = ph_pipeline_find ("O2")->passes; optimised && *pass != NULL; pass++)
    if (ph_pass_find (*pass) != NULL)
      {
        ph_pass_run (ph_pass_find (*pass), model, history, &options, &error);
        g_assert_no_error (error);
      }
}

/* name, interface, body, "as", body in ONNX's operators */
static void
run_case (const char *text, gboolean optimised)
{
  g_auto (GStrv) parts = g_strsplit (text, "\nas\n", 2), lines = g_strsplit (parts[0], "\n", 3);
  g_autoptr (PhModel) foreign = NULL, expected = NULL;
  g_autoptr (GHashTable) feeds = NULL, given = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref),
                         results = NULL, found = NULL;
  g_autoptr (GError) error = NULL;
  PhRunOptions options = { .seed = 5 };

  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_nonnull (parts[1]);
  foreign = read_graph (lines[0], lines[1], lines[2]);
  expected = read_graph (lines[0], lines[1], parts[1]);
  convert (lines[0], foreign, optimised);
  feeds = ph_inputs_find (expected, NULL, PH_INPUTS_NORMAL, 7, NULL, &options, &results, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < foreign->graph->inputs->len; i++)
    {
      PhValue *input = foreign->graph->inputs->pdata[i];

      g_hash_table_insert (given, input,
                           ph_tensor_ref (g_hash_table_lookup (feeds, ph_graph_find_value_named (expected->graph, input->name))));
    }
  found = ph_run_model (foreign, given, NULL, &options, &error);
  if (found == NULL)
    g_error ("%s: %s", lines[0], error->message);
  g_assert_cmpuint (foreign->graph->outputs->len, ==, expected->graph->outputs->len);
  for (guint i = 0; i < expected->graph->outputs->len; i++)
    {
      const PhValue *a = foreign->graph->outputs->pdata[i], *b = expected->graph->outputs->pdata[i];
      g_auto (PhComparison) comparison = ph_tensor_compare (g_hash_table_lookup (found, GUINT_TO_POINTER (a->id)),
                                                            g_hash_table_lookup (results, GUINT_TO_POINTER (b->id)),
                                                            (PhTolerance) { 1e-5, 1e-6 });

      if (!comparison.close)
        g_error ("%s, output %u: %s", lines[0], i, comparison.why);
    }
}

static PhTensor *
rows_of (const float *elements, gint64 n)
{
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { n, 2 });

  memcpy (ph_tensor_writable (tensor), elements, (gsize) n * 2 * sizeof *elements);
  return tensor;
}

/* Lists and arrays of TensorFlow, from files, against numbers computed by hand: all steps, and the last of them. */
static void
test_files (gconstpointer optimised)
{
  /* clang-format off */
  static const struct { const char *name; float y[6]; } rows[] = {
    { "lists", { 0.635148952f, -0.905148254f, 0.812774136f, -0.153915267f, -0.829716517f, -0.028907211f } },
    { "arrays", { 0.635148952f, -0.905148254f, 0.812774136f, -0.153915267f, -0.829716517f, -0.028907211f } },
    { "lstm", { -0.118253981f, 0.096296230f, -0.029689079f, 0.186306463f, 0.022503646f, 0.169611538f } } };
  /* clang-format on */
  static const float x[] = { 0.25f, -1, 0.5f, 0.75f, -2, 0.125f };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "tensorflow", rows[i].name, NULL),
                      *text = NULL;
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), found = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (PhModel) model = NULL;
      g_autoptr (GError) error = NULL;
      gsize size;

      g_assert_true (g_file_get_contents (path, &text, &size, NULL));
      bytes = g_bytes_new (text, size);
      model = ph_format_read_bytes (ph_format_find ("tensorflow"), bytes, rows[i].name, NULL, &error);
      g_assert_no_error (error);
      convert (rows[i].name, model, GPOINTER_TO_INT (optimised));
      g_hash_table_insert (feeds, model->graph->inputs->pdata[0], rows_of (x, 3));
      found = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .seed = 5 }, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < 2; k++)
        {
          const PhValue *output = model->graph->outputs->pdata[k];
          PhTensor *got = g_hash_table_lookup (found, GUINT_TO_POINTER (output->id));
          const float *elements = ph_tensor_data (got);

          g_assert_cmpuint (ph_tensor_count (got), ==, k == 0 ? 6 : 2);
          for (guint e = 0; e < ph_tensor_count (got); e++)
            g_assert_cmpfloat_with_epsilon (elements[e], rows[i].y[4 * k + e], 1e-6f);
        }
    }
}

static void
test_cases (gconstpointer optimised)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "systems-cases.txt", NULL), *text = NULL;
  g_auto (GStrv) cases = NULL;
  guint n;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  cases = g_strsplit (text, "=== ", -1);
  for (n = 1; cases[n] != NULL; n++)
    run_case (cases[n], GPOINTER_TO_INT (optimised));
  g_assert_cmpuint (n, >, 60);
}

/* What a rule cannot say stays and is said by name, and nothing is lost. */
static void
test_stays (void)
{
  /* clang-format off */
  static const struct { const char *body, *why; } rows[] = {
    { "y = onednn.Convolution <auto_pad = \"SAME_LOWER\", data_format = \"NCX\", weights_format = \"OIX\"> (x, w)", "its padding is SAME_LOWER" },
    { "y = onednn.LogSoftmax <mode = \"inf_as_zero\"> (x)", "its mode is inf_as_zero" },
    { "y = relax.\"nn.conv2d\" <padding = \"[p, 1]\"> (x, w)", "its padding is not given as numbers" },
    { "y = relax.\"nn.conv2d\" <data_layout = \"NCHW4c\"> (x, w)", "its layout is NCHW4c" },
    { "y = relax.reshape <shape = \"R.shape([n, 4])\"> (x)", "the shape of 'y' is not known" },
    { "y = relay.sum <axis = \"[k]\"> (x)", "its axes are not known" },
    { "y = mindspore.BatchNorm <is_training = 1> (x, w, w, w, w)", "export the network for inference" },
    { "y = mindspore.Softmax <axis = [1, 2]> (x)", "it works along several axes" },
    { "y = mindspore.Add <argument_1 = \"a name\"> (x)", "an operand is missing, or cannot be read from its text" },
    { "y = relax.unheard_of (x)", "relax.unheard_of stays: convert-to-onnx has no rule for it" },
    { "y = relax.permute_dims <x = \"v\"> ()", "relax.permute_dims stays: what it is given is not in the file" },
    { "y = relax.call_packed <func = \"f\"> (x)", "relax.call_packed stays: it calls a function that is not in the file" },
    { "y = relax.\"builtin.alloc_tensor\" (x)", "ONNX has no operators for memory that is reserved by hand" },
    { "y = relay.ref (x)", "ONNX has no references to values that change" },
    { "y = hlo.\"all-gather\" (x)", "hlo.all-gather stays: ONNX has no operators that exchange data between devices" },
    { "y = jax.jit <name = \"f\"> (x)", "jax.jit stays: the file does not hold the program that it runs" },
    { "y = torch.call_module <target = \"conv\"> (x)", "the file does not hold the module's class and weights" },
    { "p = Constant <value = bool {1}> () z = tf.If <then_branch = t (a) => (b) { b = tf.Sum (a, a) }, else_branch = e (a) => (b) { b = tf.Neg (a) }> (p, x) y = tf.Svd (z)", "tf.Sum stays: its operand 1 is not constant" },
    { "y, i = tf.Merge (x, w)", "it is of no conditional with a Switch for each operand" },
    { "y = openvino.TensorIterator (x)", "its body is not in the file" },
    { "y = openvino.TensorIterator <port_map = [\"input body=0 port=1 axis=0\", \"output body=0 port=0\"], loop_body = b (float[1,2] u, float v) => (u) { }> (x, w)", "nothing gives its body the input 'v'" },
    { "y = openvino.TensorIterator <port_map = [\"input body=0 port=0 axis=1 start=0 end=-1 stride=-1\", \"output body=0 port=0\"], loop_body = b (float[1,1,4,4] u) => (u) { }> (x)", "its slices overlap, leave gaps, or run against their bounds" },
    { "y = openvino.TensorIterator <port_map = [\"input body=0 port=0\", \"output body=0 port=0\"], loop_body = b (float[1,2,4,4] u) => (u) { }> (x)", "it slices nothing" },
    { "u = Squeeze (x) y = openvino.LSTMSequence <activations = \"sigmoid,tanh,softsign\"> (u, u, u, w, u, u)", "its activation is softsign" },
    { "y = openvino.LSTMCell (x, x, x, w, w)", "save the model again with openvino.save_model" },
    { "y = tir.store (x)", "tir.store stays: ONNX has no operators for loops over memory" },
    { "y = check.expect_eq (x)", "it compares results in a test" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (PhModel) model = read_graph (rows[i].body, "(float[1,2,4,4] x, float[2,2,3,3] w) => (y)", rows[i].body);
      g_autoptr (PhHistory) history = ph_history_new ();
      const char *note;

      g_assert_true (ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL));
      note = g_array_index (history->steps, PhStep, 0).note;
      if (note == NULL || strstr (note, rows[i].why) == NULL)
        g_error ("%s: '%s' is not in '%s'", rows[i].body, rows[i].why, note != NULL ? note : "nothing");
      g_assert_null (model->graph->last->op);
    }
}

/* Where a rule needs a shape that the file lacks, the note says which input's; otherwise it does not mention it. */
static void
test_missing_shape (void)
{
  static const char *const bodies[] = { "y = tf.BiasAddGrad (x)", "y = tf.Abs (x)" };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (PhModel) model = read_graph (bodies[i], "(x) => (y)", bodies[i]);
      g_autoptr (PhHistory) history = ph_history_new ();
      const char *note;

      g_assert_true (ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL));
      note = g_array_index (history->steps, PhStep, 0).note;
      g_assert_cmpint (note != NULL && strstr (note, "run bind-dimensions x=[1,3,32,32]") != NULL, ==, i == 0);
    }
}

/* Inputs without an element type get one, and what was only a tuple is a model with an opset. */
static void
test_inputs (void)
{
  /* clang-format off */
  static const struct { const char *interface, *body, *types[3]; } rows[] = {
    { "(x, y) => (z)", "z = relax.matmul (x, y)", { "float", "float" } },
    { "(x, int32[4] y) => (z)", "z = relax.add (x, y)", { "int32", "int32[4]" } },
    { "(x, i) => (z)", "z = relax.take <axis = 0> (x, i)", { "float", "int64" } },
    { "(c, x, y) => (z)", "z = relax.where (c, x, y)", { "bool", "float", "float" } },
    { "(x, y) => (z)", "t = relax.tuple (x, y) z = relax.tuple_get_item <index = 1> (t)", { "float", "float" } },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (PhModel) model = read_graph (rows[i].body, rows[i].interface, rows[i].body);

      ph_model_set_opset (model, "", 0);
      convert (rows[i].body, model, FALSE);
      g_assert_cmpint (ph_model_opset (model, ""), ==, PH_OPSET_NEWEST);
      for (guint k = 0; k < model->graph->inputs->len; k++)
        {
          const PhType *type = ((PhValue *) model->graph->inputs->pdata[k])->type;
          g_autofree char *text = ph_type_to_string (type);

          g_assert_true (g_str_has_prefix (text, rows[i].types[k]));
        }
    }
}

/* A tuple among the inputs becomes the items that are used, also of a tuple in it. */
static void
test_tuple_input (void)
{
  static const char text[]
      = "@I.ir_module\nclass M:\n  @R.function\n  def main(x: R.Tensor((2,), \"float32\"), p: R.Tuple(R.Tensor((2,), "
        "\"float32\"), R.Tuple(R.Tensor((3,), \"int64\"), R.Tensor((2,), \"float32\")), R.Tensor((9,), "
        "\"float32\"))):\n    q = p[1]\n    a = R.add(x, q[1])\n    b = R.multiply(a, p[0])\n    return b\n";
  static const char *const inputs[][2] = { { "x", "float[2]" }, { "p.0", "float[2]" }, { "p.1.1", "float[2]" } };
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("tvmscript"), bytes, "t.py", NULL, NULL);

  convert ("tuple input", model, FALSE);
  g_assert_cmpuint (model->graph->inputs->len, ==, G_N_ELEMENTS (inputs));
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      g_autofree char *type = ph_type_to_string (input->type);

      g_assert_cmpstr (input->name, ==, inputs[i][0]);
      g_assert_cmpstr (type, ==, inputs[i][1]);
    }
}

/* An operator's name stands in one row. */
static void
test_rows (void)
{
  static const PhConvertRule *const tables[] = { ph_convert_onednn, ph_convert_mindspore, ph_convert_tvm, ph_convert_tvm_shape };
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const PhConvertRule *rule = tables[t]; rule->op != NULL; rule++)
      if (!g_hash_table_add (names, (gpointer) rule->op) || rule->why == NULL)
        g_error ("%s has two rows, or says nothing", rule->op);
  g_assert_cmpuint (g_hash_table_size (names), >, 230);
}

/* Returns TRUE if the rule does its work on one of some operands, or says why not. A rule whose table of names lacks the operator's does
 * neither. */
static gboolean
answers (const char *op)
{
  static const char *const operands[] = { "x", "x, y", "x, y, w", "x, a", "x, a, a", "x, a, a, a", "c, x, y", "i, x", "" };
  g_autofree char *domain = g_strndup (op, strcspn (op, ":"));

  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    {
      g_autofree char *body = g_strdup_printf ("a = Constant <value = int64[1] {1}> ()\nz = %s.\"%s\" (%s)",
                                               g_str_equal (domain, "tvm") ? "relax" : domain, strchr (op, ':') + 1, operands[i]);
      g_autoptr (PhModel) model = read_graph (op, "(float[2,3] x, float[2,3] y, float[3] w, bool[2,3] c, int64[2] i) => (z)",
                                              body);
      g_autoptr (PhHistory) history = ph_history_new ();
      const char *note;

      g_assert_true (ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, NULL));
      note = g_array_index (history->steps, PhStep, 0).note;
      if (note == NULL || strstr (note, "it could not be replaced") == NULL)
        return TRUE;
    }
  return FALSE;
}

static void
test_answers (void)
{
  static const PhConvertRule *const tables[] = { ph_convert_tensorflow,
                                                 ph_convert_tensorflow_tensors,
                                                 ph_convert_tensorflow_lists,
                                                 ph_convert_tensorflow_branches,
                                                 ph_convert_tflite,
                                                 ph_convert_openvino,
                                                 ph_convert_openvino_tensors,
                                                 ph_convert_openvino_bodies,
                                                 ph_convert_openvino_recurrent,
                                                 ph_convert_onednn,
                                                 ph_convert_mindspore,
                                                 ph_convert_tvm,
                                                 ph_convert_tvm_shape };

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const PhConvertRule *rule = tables[t]; rule->op != NULL; rule++)
      if (!answers (rule->op))
        {
          g_test_message ("%s is never converted, and nothing says why", rule->op);
          g_test_fail ();
        }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/systems/cases", GINT_TO_POINTER (FALSE), test_cases);
  g_test_add_data_func ("/systems/cases-O2", GINT_TO_POINTER (TRUE), test_cases);
  g_test_add_data_func ("/systems/files", GINT_TO_POINTER (FALSE), test_files);
  g_test_add_data_func ("/systems/files-O2", GINT_TO_POINTER (TRUE), test_files);
  g_test_add_func ("/systems/stays", test_stays);
  g_test_add_func ("/systems/missing-shape", test_missing_shape);
  g_test_add_func ("/systems/inputs", test_inputs);
  g_test_add_func ("/systems/tuple-input", test_tuple_input);
  g_test_add_func ("/systems/rows", test_rows);
  g_test_add_func ("/systems/answers", test_answers);
  return g_test_run ();
}
