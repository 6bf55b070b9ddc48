/* half-floats.c: float16 and bfloat16 through the kernels of floats: at most their last bit differs from the reference kernel's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/io.h"
#include "core/ops/op-list.h"
#include "core/run/executor.h"
#include "core/run/inputs.h"
#include "core/run/kernels.h"
#include "core/tensor/compare.h"

/* Halves: a[3,4,6,8], b[8], c[4], and others that weights are made of; y is cast to floats. */
static const char *const bodies[] = {
  "y = Add (a, b)",
  "y = Sub (a, b)",
  "y = Mul (a, b)",
  "y = Div (a, b)",
  "y = Relu (a)",
  "y = MatMul (a, m)",
  "y = Gemm <transA = 1> (m, m)",
  "y = Conv (a, k)",
  "y = ConvTranspose <group = 2> (a, k)",
  "y = MaxPool <kernel_shape = [2, 2]> (a)",
  "y = AveragePool <kernel_shape = [2, 2]> (a)",
  "y = GlobalAveragePool (a)",
  "y = ReduceSum (a, axis)",
  "p, y = RNN (s, w1, r1)",
  "p, y = GRU (s, w3, r3)",
  "p, q, y = LSTM (s, w4, r4)",
  "y = Sigmoid (a)",
  "y = Tanh (a)",
  "y = Exp (a)",
  "y = Erf (a)",
  "y = Gelu (a)",
  "y = Sin (a)",
  "y = Cos (a)",
  "p = Sin (a) y = Asin (p)",
  "p = Cos (a) y = Acos (p)",
  "y = Atan (a)",
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
  "y = Where (some, a, b)",
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

static const char inputs[]
    = "float[3,4,6,8] a, float[8] b, float[4] c, float[8,5] m, float[4,4,3,3] k, float[5,3,8] s, float[1,6,8] w1, float[1,6,6] r1, "
      "float[1,18,8] w3, float[1,18,6] r3, float[1,24,8] w4, float[1,24,6] r4";
static const char constants[] = "float low = {-0.5}, float high = {0.75}, int64[1] axis = {2}, float[4] scales = {1, 1, 2, 1.5}, "
                                "float[4] twice = {1, 1, 2, 2}, bool[8] some = {1, 0, 1, 1, 0, 0, 1, 0}";

static GHashTable *tested; /* const PhOp * */

static void
note_run (const PhNode *node, PhTensor *const *outputs, gpointer data)
{
  g_hash_table_add (tested, (gpointer) node->op);
  ++*(guint *) data;
}

/* The body, in which each name of an input stands for it as @dtype. */
static PhModel *
read_body (const char *body, PhDType dtype)
{
  g_autoptr (GString) text = g_string_new ("<ir_version: 10, opset_import: [\"\" : 24]> g (");
  g_auto (GStrv) parts = g_strsplit (inputs, ", ", -1);
  g_autoptr (GError) error = NULL;
  PhModel *model;

  for (guint i = 0; parts[i] != NULL; i++)
    g_string_append_printf (text, "%s%s_float", i > 0 ? ", " : "", parts[i]);
  g_string_append_printf (text, ") => (z) <%s> { l = Cast <to = %d> (low) h = Cast <to = %d> (high) ", constants, dtype, dtype);
  for (guint i = 0; parts[i] != NULL; i++)
    g_string_append_printf (text, "%s = Cast <to = %d> (%s_float) ", strchr (parts[i], ' ') + 1, dtype,
                            strchr (parts[i], ' ') + 1);
  g_string_append_printf (text, "%s z = Cast <to = 1> (y) }", body);
  model = ph_onnx_text_read (text->str, -1, body, &error);
  g_assert_no_error (error);
  return model;
}

static void
test_body (gconstpointer data)
{
  const char *body = data;

  for (PhDType dtype = PH_FLOAT16; dtype != PH_UNDEFINED; dtype = dtype == PH_FLOAT16 ? PH_BFLOAT16 : PH_UNDEFINED)
    {
      g_autoptr (PhModel) model = read_body (body, dtype);
      /* A unit of the last place of 11 or 8 bits; beside the smallest of float16, which are 2^-24 apart. */
      const PhTolerance last_bit = { dtype == PH_FLOAT16 ? 0x1p-10 : 0x1p-7, dtype == PH_FLOAT16 ? 0x1p-24 : 1e-38 };

      for (guint seed = 1; seed < 4; seed++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
          g_autoptr (GHashTable) expected = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .reference = TRUE }, &error),
                                 made = NULL;
          gconstpointer id = GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id);
          g_auto (PhComparison) comparison = { 0 };
          guint took = 0, ran = 0;

          g_assert_no_error (error);
          made = ph_run_model (model, feeds, NULL,
                               &(PhRunOptions) { .kernel = "half", .took = &took, .ran = note_run, .ran_data = &ran }, &error);
          g_assert_no_error (error);
          comparison = ph_tensor_compare (g_hash_table_lookup (made, id), g_hash_table_lookup (expected, id), last_bit);
          if (!comparison.close)
            g_test_message ("%s of %s: %s", body, ph_dtype_name (dtype), comparison.why);
          g_assert_true (comparison.close);
          if (took != ran)
            g_test_message ("%s of %s: %u of %u nodes ran so", body, ph_dtype_name (dtype), took, ran);
          g_assert_cmpuint (took, ==, ran);
        }
    }
}

/* The bodies above have each operator that has such a kernel. */
static void
test_rows (void)
{
  guint n, n_missing = 0;
  const PhOp *const *ops = ph_op_list (&n);

  for (guint i = 0; i < n; i++)
    for (const PhKernelRow *const *row = ph_kernel_rows (ops[i]); row != NULL && *row != NULL; row++)
      if (strcmp ((*row)->name, "half") == 0 && !g_hash_table_contains (tested, ops[i]))
        {
          n_missing++;
          g_test_message ("no body has %s", ops[i]->name);
        }
  g_assert_cmpuint (n_missing, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tested = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *path = g_strdup_printf ("/half/%u", i);

      g_test_add_data_func (path, bodies[i], test_body);
    }
  g_test_add_func ("/half/rows", test_rows);
  return g_test_run ();
}
