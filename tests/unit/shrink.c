/* shrink.c: tests of making a case's sizes smaller.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/shrink.h"

#include "core/io/io.h"
#include "core/run/executor.h"

/* A list of sizes has the length that it had, though that is one of the sizes that become smaller. */
static void
test_list_of_sizes (void)
{
  static const char text[]
      = "<ir_version: 10, opset_import: [\"\" : 21]> g (float[3,4] x, int64[3] s) => (y) { y = Reshape (x, s) }";
  const gint64 dims[] = { 3, 4 }, sizes[] = { 3, 2, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "sizes", &error), small = NULL;
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref),
                         fewer = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref),
                         values = g_hash_table_new (NULL, NULL), results = NULL;
  PhTensor *y;

  g_assert_no_error (error);
  g_hash_table_insert (feeds, g_strdup ("x"), ph_tensor_new (PH_FLOAT, 2, dims));
  g_hash_table_insert (feeds, g_strdup ("s"), ph_tensor_new_int64s (sizes, 3));
  small = ph_shrink_apply (&(PhShrink) { .from = 3, .to = 2 }, model, feeds, fewer);
  g_assert_nonnull (small);
  for (guint i = 0; i < small->graph->inputs->len; i++)
    {
      PhValue *input = small->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (fewer, input->name);

      g_assert_nonnull (tensor);
      g_assert_cmpuint (input->type->rank, ==, ph_tensor_rank (tensor));
      for (guint k = 0; k < input->type->rank; k++)
        g_assert_cmpint (input->type->dims[k].size, ==, ph_tensor_dims (tensor)[k]);
      g_hash_table_insert (values, input, tensor);
    }
  results = ph_run_model (small, values, NULL, NULL, &error);
  g_assert_no_error (error);
  y = g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (small, "y")->id));
  g_assert_cmpuint (ph_tensor_rank (y), ==, 3);
  g_assert_cmpint (ph_tensor_dims (y)[0], ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shrink/list-of-sizes", test_list_of_sizes);
  return g_test_run ();
}
