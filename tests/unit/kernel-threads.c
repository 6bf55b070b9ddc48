/* kernel-threads.c: the same bits from any number of threads, and from documents that compute at once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/console.h"
#include "core/run/inputs.h"
#include "core/run/program.h"
#include "core/tensor/compare.h"
#include "tests/unit/kernel-cases.h"

/* Larger than what one thread does on its own account in any library. */
static const Case large[] = {
  { "conv", "float[1,48,40,40] x, float[64,48,3,3] w", "", "y = Conv <pads = [1, 1, 1, 1]> (x, w)" },
  { "conv-narrow", "float[1,512,7,7] x, float[8,512,1,1] w", "", "y = Conv (x, w)" },
  { "conv-narrow-line", "float[1,10,14] x, float[14,10,3] w, float[14] b", "",
    "y = Conv <strides = [2], dilations = [2], pads = [2, 2]> (x, w, b)" },
  { "conv-groups-line", "float[1,27,8] x, float[66,9,1] w, float[66] b", "", "y = Conv <group = 3, strides = [3]> (x, w, b)" },
  { "conv-few-lines", "float[2,62,65] x, float[72,62,5] w, float[72] b", "", "y = Conv <pads = [3, 3]> (x, w, b)" },
  { "conv-rows", "float[1,81,4,21] x, float[3,81,1,3] w", "", "y = Conv <strides = [3, 2], pads = [0, 2, 0, 2]> (x, w)" },
  { "conv-line", "float[2,64,500] x, float[64,1,9] w", "", "y = Conv <group = 64, pads = [4, 4]> (x, w)" },
  { "conv-depthwise", "float[1,96,40,40] x, float[96,1,3,3] w", "", "y = Conv <group = 96> (x, w)" },
  { "conv-weights", "float[16,8,40,40] x, float[16,8,38,38] w", "", "y = Conv (x, w)" },
  { "conv-transpose-turned", "float[4,48,20,20] x, float[48,3,3,3] w", "", "y = ConvTranspose (x, w)" },
  { "conv-transpose-line", "float[2,15,16] x, float[15,2,2] w, float[2] b", "", "y = ConvTranspose <dilations = [2]> (x, w, b)" },
  { "conv-transpose", "float[1,48,20,20] x, float[48,32,3,3] w", "", "y = ConvTranspose <strides = [2, 2]> (x, w)" },
  { "matmul", "float[200,300] x, float[300,250] w", "", "y = MatMul (x, w)" },
  { "matmul-deep", "float[4,20000] x, float[20000,6] w", "", "y = MatMul (x, w)" },
  { "matmul-row", "float[1,3000] x, float[3000,1500] w", "", "y = MatMul (x, w)" },
  { "matmul-row-transposed", "float[1,3000] x, float[1500,3000] w, float[1500] b", "", "y = Gemm <transB = 1> (x, w, b)" },
  { "matmul-heads", "float[2,3,150,64] x, float[3,64,170] w", "", "y = MatMul (x, w)" },
  { "gemm", "float[200,300] x, float[300,250] w, float[250] b", "", "y = Gemm (x, w, b)" },
  { "gemm-transposed", "float[6000,5] x, float[6000,9] w", "", "y = Gemm <transA = 1> (x, w)" },
  { "pool", "float[1,64,60,60] x", "", "a = MaxPool <kernel_shape = [3, 3]> (x) y = AveragePool <kernel_shape = [2, 2]> (a)" },
  { "lrn", "float[1,64,40,40] x", "", "y = LRN <size = 5> (x)" },
  { "einsum", "float[3,200,300] x, float[250,3,300] w", "", "y = Einsum <equation = \"bij,kbj->bik\"> (x, w)" },
  { "lstm", "float[20,4,100] x, float[1,400,100] w, float[1,400,100] r", "", "y = LSTM (x, w, r)" },
};

/* Returns @feeds of another model for the values of @copy. (transfer full) */
static GHashTable *
feeds_of (PhModel *copy, GHashTable *feeds)
{
  GHashTable *own = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer value, tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    g_hash_table_insert (own, ph_model_find_value (copy, ((PhValue *) value)->id), tensor);
  return own;
}

/* Kernels are prepared for a number of threads: in a copy for each number, and in the last one for another number at the end. */
static void
check_threads (PhModel *model, const char *name)
{
  static const guint counts[] = { 1, 2, 4, 3, 1 };
  const guint last = G_N_ELEMENTS (counts) - 1;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) feeds = ph_inputs_find (model, NULL, PH_INPUTS_NORMAL, 1, NULL, NULL, NULL, &error);
  g_autoptr (PhModel) copy = NULL;
  g_autoptr (PhTensor) first = NULL;

  g_assert_no_error (error);
  for (guint i = 0; i <= last; i++)
    {
      g_autoptr (GHashTable) own = NULL;
      g_autoptr (PhTensor) y = NULL;

      ph_run_set_threads (counts[i]);
      if (i < last)
        {
          g_clear_pointer (&copy, ph_model_free);
          copy = ph_model_clone (model);
        }
      own = feeds_of (copy, feeds);
      y = run (copy, own, NULL);
      if (first == NULL)
        first = g_steal_pointer (&y);
      else if (!ph_tensor_equal (first, y))
        {
          g_auto (PhComparison) comparison = ph_tensor_compare (y, first, PH_TOLERANCE_EXACT);

          g_test_message ("%s: with %u threads: %s", name, counts[i], comparison.why != NULL ? comparison.why : "other bits");
          g_test_fail ();
        }
    }
  ph_run_set_threads (0);
}

static void
test_threads (void)
{
  ph_run_set_eager (TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_autoptr (PhModel) model = read_case (&large[i]);

      check_threads (model, large[i].name);
    }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PhModel) model = read_case (&cases[i]);

      check_threads (model, cases[i].name);
    }
  ph_run_set_eager (FALSE);
}

/* Folding computes a node by itself, and changes no bits. */
static void
test_folded (void)
{
  static const Case all_constant = {
    "folded", "",
    "float[2] b = {0.3933442, 0.9410312}, float[1,2,3] x = {-0.60693496, -0.70576656, 0.88568157, 0.12484646, -0.38467917, 0.53610516}, "
    "float[2,2,3] w = {-0.4338535, 0.44225213, 0.7382404, 0.7114461, 0.33500963, 0.94155085, 0.096108325, -0.7555829, -0.45827842, -0.5194712, "
    "0.13420935, 0.100805216}",
    "y = ConvTranspose <strides = [2], pads = [1, 0], output_padding = [1]> (x, w, b)"
  };
  static const guint counts[] = { 0, 1, 4 };

  ph_run_set_eager (TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (PhModel) model = read_case (&all_constant);
      const PhNode *node = model->graph->first;
      PhTensor *inputs[3] = { NULL }, *alone[1];
      g_autoptr (GHashTable) none = g_hash_table_new (NULL, NULL);
      g_autoptr (PhTensor) whole = NULL;
      g_autoptr (GError) error = NULL;

      ph_run_set_threads (counts[i]);
      for (guint k = 0; k < 3; k++)
        inputs[k] = ph_value_constant (ph_node_input (node, k));
      g_assert_true (ph_run_node (node, inputs, alone, NULL, &error));
      whole = run (model, none, NULL);
      g_assert_true (ph_tensor_equal (whole, alone[0]));
      ph_tensor_unref (alone[0]);
    }
  ph_run_set_threads (0);
  ph_run_set_eager (FALSE);
}

/* Where another number of threads may give other bits, that is said. */
static void
test_remark (void)
{
  static const Case sizes[] = {
    { "small", "float[1,8,20,20] x, float[16,8,3,3] w", "", "y = Conv (x, w)" },
    { "large", "float[1,48,60,60] x, float[64,48,3,3] w", "", "y = Conv (x, w)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (PhDocument) document = ph_document_new ();
      g_autoptr (PhConsole) console = ph_console_new (document);
      g_autoptr (PhReply) ran = NULL, said = NULL;

      ph_document_take_model (document, read_case (&sizes[i]), NULL, NULL);
      ran = ph_console_run (console, "eval --random 1", NULL);
      g_assert_true (ran->ok);
      said = ph_console_run (console, "kernels y", NULL);
      g_assert_true (said->ok);
      g_assert_cmpint (strstr (said->text->str, "another number of threads") != NULL, ==, i == 1);
    }
}

/* ── two documents at once ── */

/* Opens each case as a document of this thread's own, evaluates it, runs a pipeline, evaluates it again and measures it. (transfer full): what
 * was said of the values. */
static gpointer
work_on_documents (gpointer data)
{
  g_autoptr (GString) said = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      static const char *const lines[] = { "eval --random 1",           "pipeline O2",    "run", "eval --random 1", "kernels",
                                           "set kernel Conv reference", "eval --random 1" };
      g_autoptr (PhDocument) document = ph_document_new ();
      g_autoptr (PhConsole) console = ph_console_new (document);

      ph_document_take_model (document, read_case (&cases[i]), NULL, NULL);
      for (guint k = 0; k < G_N_ELEMENTS (lines); k++)
        {
          g_autoptr (PhReply) reply = ph_console_run (console, lines[k], NULL);

          if (g_str_has_prefix (lines[k], "eval"))
            g_string_append (said, reply->text->str);
        }
    }
  return g_string_free (g_steal_pointer (&said), FALSE);
}

static void
test_at_once (void)
{
  g_autofree char *expected = work_on_documents (NULL);
  GThread *threads[2];

  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("document", work_on_documents, NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *said = g_thread_join (threads[i]);

      g_assert_cmpstr (said, ==, expected);
    }
  g_assert_cmpuint (strlen (expected), >, 1000);
}

static void
test_threads_of_files (gconstpointer folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL)
    {
      g_test_skip ("the models are not there: set PEEPHOLE_DATA_DIR to a folder whose models/ has them");
      return;
    }
  ph_run_set_eager (TRUE);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (PhModel) model = g_str_has_suffix (name, ".onnx") || g_str_has_suffix (name, ".onnxtxt")
                                      ? ph_io_open (path, NULL, NULL, NULL)
                                      : NULL;

      if (model != NULL)
        check_threads (model, name);
    }
  ph_run_set_eager (FALSE);
}

int
main (int argc, char *argv[])
{
  g_autofree char *examples = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", NULL);
  g_autofree char *models = g_getenv ("PEEPHOLE_DATA_DIR") != NULL
                                ? g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR"), "models", NULL)
                                : g_strdup ("none");

  g_test_init (&argc, &argv, NULL);
  ph_tensor_set_poison (TRUE);
  g_test_add_func ("/kernel-threads/cases", test_threads);
  g_test_add_func ("/kernel-threads/folded", test_folded);
  g_test_add_func ("/kernel-threads/remark", test_remark);
  g_test_add_func ("/kernel-threads/at-once", test_at_once);
  g_test_add_data_func ("/kernel-threads/examples", examples, test_threads_of_files);
  g_test_add_data_func ("/kernel-threads/models", models, test_threads_of_files);
  return g_test_run ();
}
