/* written.c: what is saved as StableHLO and HLO opens again and, converted back, computes the same: all graphs of tests/passes and the
 * bundled examples, as far as they can be written.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/graph/history.h"
#include "core/io/hlo/terms.h"
#include "core/io/infer.h"
#include "core/io/io.h"
#include "core/run/inputs.h"
#include "core/tensor/compare.h"
#include "passes/pass.h"

typedef struct
{
  guint written, refused, stays;
} Count;

static void
run_pass (const char *name, PhModel *model)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = PH_ROUNDING;
  ph_pass_run (ph_pass_find (name), model, history, &options, &error);
  g_assert_no_error (error);
}

/* The results of @model as its outputs are, for @feeds by place. (transfer full) */
static GPtrArray *
compute (PhModel *model, GPtrArray *feeds, GError **error)
{
  g_autoptr (GHashTable) given = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhRunOptions options = { .seed = 5 };
  GPtrArray *all;

  g_assert_cmpuint (model->graph->inputs->len, ==, feeds->len);
  for (guint i = 0; i < feeds->len; i++)
    g_hash_table_insert (given, model->graph->inputs->pdata[i], ph_tensor_ref (feeds->pdata[i]));
  results = ph_run_model (model, given, NULL, &options, error);
  if (results == NULL)
    return NULL;
  all = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhId id = ((PhValue *) model->graph->outputs->pdata[i])->id;

      g_ptr_array_add (all, ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (id))));
    }
  return all;
}

/* Writes it as @ending and compares. */
static void
check_file (const char *name, PhModel *model, const char *ending, GPtrArray *feeds, GPtrArray *expected)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-written-XXXXXX", NULL), *path = g_strdup_printf ("%s/m.%s", folder, ending),
                  *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GPtrArray) found = NULL;

  if (!ph_io_save (model, path, NULL, &error))
    g_error ("%s as %s: %s", name, ending, error->message);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  again = ph_io_open (path, NULL, NULL, &error);
  if (again == NULL)
    g_error ("%s as %s: %s in\n%s", name, ending, error->message, text);
  run_pass ("convert-to-onnx", again);
  found = compute (again, feeds, &error);
  if (found == NULL)
    g_error ("%s as %s: %s in\n%s", name, ending, error->message, text);
  g_assert_cmpuint (found->len, ==, expected->len);
  for (guint i = 0; i < found->len; i++)
    {
      const PhDType dtype = ph_tensor_dtype (expected->pdata[i]);
      const PhTolerance allowed = dtype == PH_FLOAT16 || dtype == PH_BFLOAT16 ? (PhTolerance) { 2e-2, 2e-2 }
                                                                              : (PhTolerance) { 1e-4, 1e-5 };
      g_auto (PhComparison) comparison = ph_tensor_compare (found->pdata[i], expected->pdata[i], allowed);

      if (!comparison.close)
        g_error ("%s as %s, output %u: %s in\n%s", name, ending, i, comparison.why, text);
    }
  g_remove (path);
  g_rmdir (folder);
}

/* Every input gets the shape of what it is fed. */
static gboolean
fix_shapes (PhModel *model, GPtrArray *feeds)
{
  for (guint i = 0; i < feeds->len; i++)
    {
      PhTensor *tensor = feeds->pdata[i];

      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR
          || !ph_value_set_type (model->graph->inputs->pdata[i],
                                 ph_type_static (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor)),
                                 NULL))
        return FALSE;
    }
  ph_io_infer (model, NULL);
  return TRUE;
}

static void
check_model (const char *name, PhModel *model, Count *count)
{
  PhRunOptions options = { .seed = 5 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) found = NULL;
  g_autoptr (GPtrArray) feeds = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref), expected = NULL;
  g_autoptr (PhModel) lowered = NULL;

  run_pass ("convert-to-onnx", model);
  run_pass ("upgrade-opset", model);
  found = ph_inputs_find (model, NULL, PH_INPUTS_NORMAL, 7, NULL, &options, NULL, NULL);
  if (found == NULL || model->graph->outputs->len == 0)
    return;
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhTensor *tensor = g_hash_table_lookup (found, model->graph->inputs->pdata[i]);

      if (tensor == NULL)
        tensor = ((PhValue *) model->graph->inputs->pdata[i])->tensor;
      if (tensor == NULL)
        return;
      g_ptr_array_add (feeds, ph_tensor_ref (tensor));
    }
  expected = compute (model, feeds, NULL);
  lowered = ph_model_clone (model);
  if (expected == NULL || !fix_shapes (lowered, feeds))
    return;
  run_pass ("convert-to-stablehlo", lowered);
  if (!ph_terms_check (lowered, &error))
    {
      count->refused++;
      g_test_message ("%s: %s", name, error->message);
      return;
    }
  count->written++;
  check_file (name, lowered, "mlir", feeds, expected);
  check_file (name, lowered, "hlo", feeds, expected);
}

/* Random, or not yet spelt out. */
static gboolean
is_left_out (const char *text)
{
  return strstr (text, "Random") != NULL || strstr (text, "Bernoulli") != NULL || strstr (text, "Multinomial") != NULL
         || strstr (text, "Gradient") != NULL;
}

/* The part "# before" of each fixture. */
static void
test_fixtures (void)
{
  g_autofree char *root = g_test_build_filename (G_TEST_DIST, "passes", NULL);
  g_autoptr (GDir) passes = g_dir_open (root, 0, NULL);
  g_autoptr (GError) error = NULL;
  Count count = { 0 };

  g_assert_nonnull (passes);
  for (const char *pass = g_dir_read_name (passes); pass != NULL; pass = g_dir_read_name (passes))
    {
      g_autofree char *folder = g_build_filename (root, pass, NULL);
      g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);

      for (const char *file = files != NULL ? g_dir_read_name (files) : NULL; file != NULL; file = g_dir_read_name (files))
        {
          g_autofree char *path = g_build_filename (folder, file, NULL), *text = NULL,
                          *name = g_strdup_printf ("%s/%s", pass, file);
          const char *before;
          char *after;
          g_autoptr (PhModel) model = NULL;

          if (!g_str_has_suffix (file, ".onnxtxt") || !g_file_get_contents (path, &text, NULL, NULL)
              || (before = strstr (text, "# before\n")) == NULL || is_left_out (text))
            continue;
          if ((after = strstr (before, "\n# after")) != NULL)
            *after = '\0';
          model = ph_onnx_text_read (before + strlen ("# before\n"), -1, path, NULL);
          if (model != NULL)
            check_model (name, model, &count);
        }
    }
  g_test_message ("%u fixtures were written, %u refused", count.written, count.refused);
  g_assert_cmpuint (count.written, >, 200);
}

/* Where ONNX and StableHLO mean other things, each found by a random graph. */
static void
test_awkward (void)
{
  static const char *const graphs[] = {
    /* sign keeps -0: the reciprocal shows it */
    "(float[16] x) => (float[16] y) <float z = {0}> { m = Mul (x, z) s = Sign (m) y = Reciprocal (s) }",
    /* a whole number to a power that is none */
    "(float u) => (int64[3] y, int32[2] w, float o) <int64[3] a = {9, 2, 1}, float[3] b = {0.5, -0.9, 0.3}, int32[2] c = {3, -1}, int64 d = {17}> "
    "{ y = Pow (a, b) w = Pow (c, d) o = Neg (u) }",
    /* a window of padding alone, and pads that are not asked for */
    "(float[1,2,3,3] x) => (float[1,2,9,4] y, float[1,2,1,1] w) { y = AveragePool <kernel_shape = [2, 3], pads = [4, 1, 4, 2]> (x) "
    "w = AveragePool <auto_pad = \"VALID\", kernel_shape = [3, 2], pads = [3, 2, 1, 0], strides = [3, 3]> (x) }",
    /* whole numbers have no root */
    "(int32[2,3] x) => (int32 y, int32 w) { a = Abs (x) y = ReduceL2 <keepdims = 0> (x) w = ReduceLogSum <keepdims = 0> (a) }",
    /* nothing of none is true, and all are */
    "(float u) => (bool[1] y, bool[1] w, int8[1] z, float o) <bool[0] a = {}, int8[0] b = {}> { y = ReduceMax (a) w = ReduceMin (a) z = ReduceMax (b) o = Neg (u) }",
    /* floats of 8 bits cannot be compared by ONNX */
    "(float8e4m3fn[3] x) => (bool[3] y, bool[3] z) { y = IsNaN (x) z = Cast <to = 9> (x) }",
    /* a bound is one number, of whatever rank */
    "(int8 x) => (int8 y) <int8[1,1] a = {0}, int8[1] b = {3}> { y = Clip (x, a, b) }",
  };
  Count count = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]> g %s", graphs[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "awkward", &error);

      g_assert_no_error (error);
      check_model (graphs[i], model, &count);
      g_assert_cmpuint (count.written, ==, i + 1);
    }
}

static void
test_examples (void)
{
  g_autofree char *root = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", NULL);
  g_autoptr (GDir) files = g_dir_open (root, 0, NULL);
  Count count = { 0 };

  g_assert_nonnull (files);
  for (const char *file = g_dir_read_name (files); file != NULL; file = g_dir_read_name (files))
    {
      g_autofree char *path = g_build_filename (root, file, NULL);
      g_autoptr (PhModel) model = g_str_has_suffix (file, ".ll") ? NULL : ph_io_open (path, NULL, NULL, NULL);

      if (model != NULL)
        check_model (file, model, &count);
    }
  g_test_message ("%u examples were written, %u refused", count.written, count.refused);
  g_assert_cmpuint (count.written, >=, 12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/written/examples", test_examples);
  g_test_add_func ("/written/fixtures", test_fixtures);
  g_test_add_func ("/written/awkward", test_awkward);
  return g_test_run ();
}
