/* half-floats.c: float16 and bfloat16 through the kernels of floats: at most their last bit differs from the reference kernel's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/ops/op-list.h"
#include "core/run/executor.h"
#include "core/run/inputs.h"
#include "core/tensor/compare.h"

/* Inputs a[3,4,6,8] and b[8], c[4] of halves; y is cast to floats. */
static const char *const bodies[] = {
  "y = Sigmoid (a)",
  "y = Tanh (a)",
  "y = Exp (a)",
  "y = Erf (a)",
  "y = Gelu (a)",
  "y = Sin (a)",
  "y = Cos (a)",
  "y = Elu (a)",
  "y = Celu (a)",
  "y = Selu (a)",
  "y = Softplus (a)",
  "y = Softsign (a)",
  "y = Mish (a)",
  "y = HardSwish (a)",
  "y = HardSigmoid (a)",
  "y = Swish (a)",
  "y = LeakyRelu (a)",
  "y = ThresholdedRelu (a)",
  "y = PRelu (a, b)",
  "y = Max (a, b)",
  "y = Min (a, b)",
  "p = Abs (a) y = Sqrt (p)",
  "p = Abs (a) y = Log (p)",
  "y = Reciprocal (a)",
  "y = Neg (a)",
  "p = Abs (a) y = Pow (p, b)",
  "y = Clip (a, l, h)",
  "y = Clip (a, , h)",
  "g = Greater (a, b) y = Where (g, a, b)",
  "y = Softmax (a)",
  "y = Softmax <axis = 1> (a)",
  "y = LogSoftmax (a)",
  "y = LayerNormalization (a, b)",
  "y = RMSNormalization (a, b)",
  "y = GroupNormalization <num_groups = 2> (a, c, c)",
  "y = InstanceNormalization (a, c, c)",
  "d = Abs (c) y = BatchNormalization (a, c, c, c, d)",
  "y = ReduceMean (a, axis)",
  "y = ReduceMax (a, axis)",
  "y = ReduceMin (a)",
  "y = ReduceL1 (a)",
  "y = ReduceL2 (a, axis)",
  "y = ReduceSumSquare (a)",
  "y = LRN <size = 3> (a)",
  "y = Resize <mode = \"linear\"> (a, , scales)",
  "y = Resize (a, , twice)",
  "y = Einsum <equation = \"ncij,j->nci\"> (a, b)",
};

static void
test_body (gconstpointer data)
{
  const char *body = data;

  for (PhDType dtype = PH_FLOAT16; dtype != PH_UNDEFINED; dtype = dtype == PH_FLOAT16 ? PH_BFLOAT16 : PH_UNDEFINED)
    {
      g_autofree char *text = g_strdup_printf (
          "<ir_version: 10, opset_import: [\"\" : 24]> g (float[3,4,6,8] x, float[8] u, float[4] v) => (z) "
          "<float low = {-0.5}, float high = {0.75}, int64[1] axis = {2}, float[4] scales = {1, 1, 2, 1.5}, float[4] twice = {1, 1, 2, 2}> "
          "{ a = Cast <to = %d> (x) b = Cast <to = %d> (u) c = Cast <to = %d> (v) l = Cast <to = %d> (low) h = Cast <to = %d> (high) %s "
          "z = Cast <to = 1> (y) }",
          dtype, dtype, dtype, dtype, dtype, body);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = NULL;
      /* A unit of the last place of 11 or 8 bits; beside the smallest of float16, which are 2^-24 apart. */
      const PhTolerance last_bit = { dtype == PH_FLOAT16 ? 0x1p-10 : 0x1p-7, dtype == PH_FLOAT16 ? 0x1p-24 : 1e-38 };

      model = ph_onnx_text_read (text, -1, body, &error);
      g_assert_no_error (error);
      for (guint seed = 1; seed < 4; seed++)
        {
          g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
          g_autoptr (GHashTable) expected = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .reference = TRUE }, &error),
                                 made = NULL;
          gconstpointer id = GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id);
          g_auto (PhComparison) comparison = { 0 };
          guint took = 0;

          g_assert_no_error (error);
          made = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .kernel = "half", .took = &took }, &error);
          g_assert_no_error (error);
          comparison = ph_tensor_compare (g_hash_table_lookup (made, id), g_hash_table_lookup (expected, id), last_bit);
          if (!comparison.close)
            g_test_message ("%s of %s: %s", body, ph_dtype_name (dtype), comparison.why);
          g_assert_true (comparison.close);
          g_assert_cmpuint (took, >=, 3); /* the casts of a and y, and y */
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *path = g_strdup_printf ("/half/%u", i);

      g_test_add_data_func (path, bodies[i], test_body);
    }
  return g_test_run ();
}
