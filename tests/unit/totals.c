/* totals.c: what the nodes of a model come to is the same however many are added at a time, and counts each once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/totals.h"
#include "core/io/io.h"

/* A body that runs, one that is drawn only, and an operator that nobody declared: Loop has 2 nodes inside, Odd has 3. */
static const char text[] = "<ir_version: 8, opset_import: [\"\" : 23, \"odd\" : 1]>\n"
                           "g (float[4] x, int64 n, bool go) => (float[4] y, float[4] z)\n{\n"
                           "  a = Relu (x)\n"
                           "  b = Add (a, a)\n"
                           "  k = Constant <value = float[4] {1, 2, 3, 4}> ()\n"
                           "  y = Loop (n, go, b) <body = inner (int64 i, bool c, float[4] s) => (bool d, float[4] t)\n  {\n"
                           "    d = Identity (c)\n    t = Mul (s, k)\n  }>\n"
                           "  z = odd.Odd (b) <part = inside (float[4] p) => (float[4] q)\n  {\n"
                           "    q1 = Neg (p)\n    q2 = Neg (q1)\n    q = Neg (q2)\n  }>\n"
                           "}\n";

static void
test_slices (void)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);

  g_assert_no_error (error);
  for (guint slice = 1; slice <= model->nodes->len + 1; slice++)
    {
      PhTotals totals;
      guint calls = 1;

      ph_totals_init (&totals);
      for (; ph_totals_add (&totals, model, slice); calls++)
        g_assert_cmpuint (calls, <=, model->nodes->len);
      g_assert_cmpuint (calls, ==, MAX ((model->nodes->len + slice - 1) / slice, 1));
      g_assert_cmpint (totals.nodes, ==, 10);
      g_assert_cmpint (totals.nodes, ==, ph_model_n_nodes (model, TRUE));
      g_assert_cmpint (totals.edges, ==, 2 + 1 + 1 + 1 + 2);
      g_assert_cmpint (totals.bytes, ==, 16);
      g_assert_cmpuint (g_hash_table_size (totals.ops), ==, 8);
      PH_FOREACH_NODE (node, model->graph)
        g_assert_cmpuint (ph_totals_of_op (&totals, node->op_type), ==, 1);
      ph_totals_clear (&totals);
    }
  ph_model_free (model);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/totals/slices", test_slices);
  return g_test_run ();
}
