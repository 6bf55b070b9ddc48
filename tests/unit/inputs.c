/* inputs.c: tests of the sizes and numbers that are made up for inputs nobody fed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/run/inputs.h"

/* What the only input of a model is fed with. */
static PhTensor *
found (const char *graph, GHashTable *named)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 8, opset_import: [\"\": 17]>\n%s", graph);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "m.onnxtxt", &error);
  g_autoptr (GHashTable) feeds = NULL;
  PhTensor *tensor;

  g_assert_no_error (error);
  feeds = ph_inputs_find (model, named, PH_INPUTS_NORMAL, 1, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  tensor = g_hash_table_lookup (feeds, model->graph->inputs->pdata[0]);
  g_assert_nonnull (tensor);
  return ph_tensor_ref (tensor);
}

#define POOLS                                                   \
  "g (float[1, 1, n, 4] x) => (float[1, 1, m, 4] y)\n{\n"       \
  "  a = MaxPool<kernel_shape = [2, 1], strides = [2, 1]>(x)\n" \
  "  b = MaxPool<kernel_shape = [2, 1], strides = [2, 1]>(a)\n  y = Relu(b)\n}\n"

/* Of two rows, the second pooling finds too few; of four, two poolings leave one. */
static void
test_empty (void)
{
  g_autoptr (PhTensor) x = found (POOLS, NULL);

  g_assert_cmpint (ph_tensor_dims (x)[2], ==, 4);
}

/* What was fed is taken as it is. */
static void
test_fed (void)
{
  g_autoptr (GHashTable) named = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (PhTensor) x = NULL;

  g_hash_table_insert (named, "x", ph_tensor_new (PH_FLOAT, 4, (gint64[]) { 1, 1, 6, 4 }));
  x = found (POOLS, named);
  g_assert_cmpint (ph_tensor_dims (x)[2], ==, 6);
}

/* Where all sizes come to nothing, the first will do. */
static void
test_always (void)
{
  g_autoptr (PhTensor) x = found (
      "g (float[n, 4] x) => (float[n, 4] y)\n<int64[1] z = {0}>\n{\n  e = Slice(x, z, z)\n  r = Relu(e)\n"
      "  s = ReduceSum<keepdims = 0>(r)\n  y = Add(x, s)\n}\n",
      NULL);

  g_assert_cmpint (ph_tensor_dims (x)[0], ==, 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/inputs/empty", test_empty);
  g_test_add_func ("/inputs/fed", test_fed);
  g_test_add_func ("/inputs/always", test_always);
  return g_test_run ();
}
