/* operators.c: small models with their inputs as defaults, and what ONNX Runtime computed of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/tensor/compare.h"

/* A file of operators/ has for each case a line "# name", the model as ONNX text, and for each output a line
 * "> name = type {elements}". Each runs with the fast kernels and without. */

typedef struct
{
  char *file, *name, *model;
  GPtrArray *outputs;
  guint line;
} Case;

static void
case_free (gpointer data)
{
  Case *item = data;

  g_free (item->file);
  g_free (item->name);
  g_free (item->model);
  g_ptr_array_unref (item->outputs);
  g_free (item);
}

/* "name = float[2] {1, 2}" as the initializer of a model made for it. */
static PhTensor *
parse_tensor (const char *text, char **name)
{
  const char *sign = strstr (text, " = ");
  g_autoptr (GString) turned = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;
  const char *type = sign + 3, *elements = strstr (type, " {");

  g_assert_nonnull (elements);
  *name = g_strndup (text, sign - text);
  g_string_append_printf (turned, "<ir_version: 10, opset_import: [\"\" : 23]> g () => () <%.*s expected = %s> { }",
                          (int) (elements - type), type, elements + 1);
  model = ph_onnx_text_read (turned->str, -1, "expected", &error);
  g_assert_no_error (error);
  return ph_tensor_ref (((PhValue *) model->graph->constants->pdata[0])->tensor);
}

static void
check (const Case *item, gboolean reference)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *place = g_strdup_printf ("%s:%u", item->file, item->line);
  g_autoptr (PhModel) model = ph_onnx_text_read (item->model, -1, place, &error);
  g_autoptr (GHashTable) results = NULL;

  g_assert_no_error (error);
  results = ph_run_model (model, NULL, NULL, &(PhRunOptions) { .reference = reference }, &error);
  if (error != NULL)
    g_error ("%s: %s: %s", place, item->name, error->message);
  g_assert_cmpuint (item->outputs->len, ==, model->graph->outputs->len);
  for (guint i = 0; i < item->outputs->len; i++)
    {
      g_autofree char *name = NULL;
      g_autoptr (PhTensor) expected = parse_tensor (item->outputs->pdata[i], &name);
      PhValue *value = ph_model_find_value_named (model, name);
      g_auto (PhComparison) comparison = { 0 };

      g_assert_nonnull (value);
      comparison = ph_tensor_compare (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)), expected,
                                      (PhTolerance) { 1e-4, 1e-5 });
      if (!comparison.close)
        g_error ("%s: %s%s: output %s: %s", place, item->name, reference ? " (reference kernels)" : "", name, comparison.why);
    }
}

static void
test_case (gconstpointer data)
{
  check (data, FALSE);
  check (data, TRUE);
}

/* Of nothing known nothing follows, but nothing breaks: what is spelt out says so when it runs. */
static void
test_unranked (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> "
        "g (float[] a, float[] b, int32[] n, int64[] p) => (float[] r, float[] s, float[] t, float[] u, float[] v, float[] w) { "
        "r = com.microsoft.FusedMatMul <transA = 1, transB = 1> (a, b) "
        "s = com.microsoft.MultiHeadAttention <num_heads = 2> (a, b, b) "
        "t = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 1> (a, b, b, \"\", \"\", n, n) "
        "u = com.microsoft.RotaryEmbedding (a, p, b, b) "
        "v = com.microsoft.Attention <num_heads = 2, unidirectional = 1> (a, b, a, n) "
        "w = com.microsoft.BiasSoftmax <is_inner_broadcast = 0> (a, b) }";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "unranked", &error);

  g_assert_no_error (error);
  PH_FOREACH_NODE (node, model->graph)
    {
      float one = 1;
      PhTensor *inputs[10] = { NULL, }, *outputs[4] = { NULL, };
      g_autoptr (PhTensor) number = ph_tensor_new_floats (&one, 1);

      for (guint i = 0; i < node->inputs->len; i++)
        if (ph_node_input (node, i) != NULL)
          inputs[i] = number;
      g_assert_false (ph_run_node (node, inputs, outputs, NULL, &error) && g_str_equal (node->op_type, "Attention"));
      for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
        g_clear_pointer (&outputs[i], ph_tensor_unref);
      g_clear_error (&error);
    }
}

static void
add_cases (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;
  Case *item = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "# "))
      {
        g_autofree char *test = g_strdup_printf ("/operators/%.*s/%s", (int) (strlen (file) - strlen (".txt")), file,
                                                 lines[i] + 2);

        item = g_new0 (Case, 1);
        item->file = g_strdup (file);
        item->name = g_strdup (lines[i] + 2);
        item->line = i + 1;
        item->outputs = g_ptr_array_new_with_free_func (g_free);
        g_test_add_data_func_full (test, item, test_case, case_free);
      }
    else if (g_str_has_prefix (lines[i], "> "))
      g_ptr_array_add (item->outputs, g_strdup (lines[i] + 2));
    else if (*lines[i] != '\0' && item->model == NULL)
      item->model = g_strdup (lines[i]);
}

int
main (int argc, char *argv[])
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "conformance", "operators", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  g_test_add_func ("/operators/unranked", test_unranked);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".txt"))
      add_cases (folder, name);
  return g_test_run ();
}
