/* same-bits.c: what must not change a result by a bit: which other outputs are asked for, and the order in which a tensor lies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/run/inputs.h"
#include "passes/pass.h"

/* Returns the output y of a graph that has @more too, after @pass (nullable). (transfer full) */
static PhTensor *
run (const char *inputs, const char *more, const char *body, const char *pass, guint seed)
{
  g_autofree char *text = g_strdup_printf (
      "<ir_version: 10, opset_import: [\"\" : 23, \"com.microsoft\" : 1]> g (%s) => (y%s) { %s }", inputs, more, body);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "alone", &error);
  g_autoptr (GHashTable) feeds = NULL, results = NULL;

  g_assert_no_error (error);
  if (pass != NULL)
    {
      g_autoptr (PhHistory) history = ph_history_new ();

      g_assert_true (ph_pass_run (ph_pass_find (pass), model, history, &PH_PASS_OPTIONS_DEFAULT, &error));
      g_assert_cmpuint (history->steps->len, ==, 1);
    }
  feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
  g_assert_no_error (error);
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (model, "y")->id)));
}

/* What an output is does not depend on which others are asked for: a pass that drops one that nobody reads is exact. */
static void
test_alone (void)
{
  static const struct
  {
    const char *inputs, *body;
  } nodes[] = {
    { "float[5,37] x, float[37] s, float[37] b", "y, m, d = LayerNormalization (x, s, b)" },
    { "float[5,37] x, float[37] s", "y, m, d = LayerNormalization <stash_type = 10> (x, s)" },
    { "float[5,7,6] x, float[7,6] s", "y, m, d = LayerNormalization <axis = 1> (x, s)" },
    { "float16[5,37] x, float16[37] s, float16[37] b", "y, m, d = LayerNormalization (x, s, b)" },
    { "bfloat16[5,37] x, bfloat16[37] s", "y, m, d = LayerNormalization <stash_type = 16> (x, s)" },
    { "float[2,3,9,8] x", "y, m = MaxPool <kernel_shape = [3, 2]> (x)" },
    { "float16[2,3,9,8] x", "y, m = MaxPool <kernel_shape = [3, 2]> (x)" },
    { "float[4,3,5] x, float[3] s, float[3] b, float[3] m0, float[3] v0",
      "y, m, d = BatchNormalization <training_mode = 1> (x, s, b, m0, v0)" },
    { "float[6,2,5] x, float[1,16,5] w, float[1,16,4] r", "y, m, d = LSTM <hidden_size = 4> (x, w, r)" },
    { "float[6,2,5] x, float[1,12,5] w, float[1,12,4] r", "y, m = GRU <hidden_size = 4> (x, w, r)" },
    { "float16[6,2,5] x, float16[1,4,5] w, float16[1,4,4] r", "y, m = RNN <hidden_size = 4> (x, w, r)" },
    { "float[5,7] x, int64[5] l", "y, m = SoftmaxCrossEntropyLoss (x, l)" },
    { "float[2,3,5,8] x, float[2,3,6,8] k, float[2,3,6,8] v", "y, \"\", \"\", m = Attention (x, k, v)" },
    { "float[2,5,16] x, float[2,5,16] z, float[16] s", "y, m, d = com.microsoft.SkipLayerNormalization (x, z, s)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    for (guint seed = 1; seed < 4; seed++)
      {
        const char *more = strstr (nodes[i].body, "y, m, d") != NULL ? ", m, d" : ", m";
        g_autoptr (PhTensor) all = run (nodes[i].inputs, more, nodes[i].body, NULL, seed);
        g_autoptr (PhTensor) alone = run (nodes[i].inputs, "", nodes[i].body, NULL, seed);

        if (!ph_tensor_equal (all, alone))
          g_error ("%s: its first output is another one where the others are asked for", nodes[i].body);
      }
}

/* to-nhwc is exact but for LRN, and says so: the channels of an image may lie first, or last, as a convolution leaves them. */
static void
test_layout (void)
{
  static const char of_channels[]
      = "float[16] s, float[16] b, float[16] m, float[16] v, float[24,16,3,3] k, float[16,24,2,2] t, float[24,16,8,7] g";
  static const char *const nodes[] = {
    "u = Abs (v) y = BatchNormalization (c, s, b, m, u)",
    "y = InstanceNormalization (c, s, b)",
    "y = MaxPool <kernel_shape = [3, 2]> (c)",
    "y = AveragePool <kernel_shape = [3, 2], pads = [1, 0, 1, 1]> (c)",
    "y = GlobalMaxPool (c)",
    "y = GlobalAveragePool (c)",
    "y = LpPool <kernel_shape = [3, 2]> (c)",
    "y = DepthToSpace <blocksize = 2> (c)",
    "y = Conv (c, k)",
    "y = Conv (c, g)",
    "y = ConvTranspose (c, t)",
  };

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    for (guint after = 0; after < 2; after++)
      for (guint seed = 1; seed < 4; seed++)
        {
          g_autofree char *inputs = g_strconcat (after ? "float[2,16,9,8] x, float[16,16,3,3] w, " : "float[2,16,9,8] c, ",
                                                 of_channels, NULL);
          g_autofree char *body = g_strconcat (after ? "c = Conv <pads = [1, 1, 1, 1]> (x, w) " : "", nodes[i], NULL);
          g_autoptr (PhTensor) first = run (inputs, "", body, NULL, seed), last = run (inputs, "", body, "to-nhwc", seed);

          if (!ph_tensor_equal (first, last))
            g_error ("%s: it is another one with the channels last", body);
        }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/same-bits/layout", test_layout);
  g_test_add_func ("/same-bits/alone", test_alone);
  return g_test_run ();
}
