/* product-bytes.c: a fused node of dequantization, product or convolution, and quantization computes on bytes what its body is in real numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/io/io.h"
#include "core/run/candidates.h"
#include "core/run/inputs.h"
#include "core/run/profile.h"
#include "passes/pass.h"

typedef struct
{
  const char *name, *inputs, *body, *kernel; /* that runs it, where the processor can */
  gboolean floats;                           /* the result is float32, which rounds once  */
} Row;

/* Scales are none that sums could be an exact half of. */
#define LEFT   "s = Constant <value = float {0.0371}> () z = Constant <value = uint8 {117}> () x = DequantizeLinear (a, s, z) "
#define RIGHT  "t = Constant <value = float {0.0193}> () y0 = DequantizeLinear (b, t) "
#define RESULT "u = Constant <value = float {0.713}> () v = Constant <value = uint8 {131}> () y = QuantizeLinear (p, u, v)"

static const Row rows[] = {
  { "unsigned-signed", "uint8[5,37] a, int8[37,19] b", LEFT RIGHT "p = MatMul (x, y0) " RESULT, "bytes" },
  { "unsigned-unsigned", "uint8[5,37] a, uint8[37,19] b", LEFT RIGHT "p = MatMul (x, y0) " RESULT, "bytes" },
  { "signed-signed", "int8[3,16] a, int8[16,8] b",
    "s = Constant <value = float {0.0371}> () z = Constant <value = int8 {-5}> () x = DequantizeLinear (a, s, z) "
    "t = Constant <value = float {0.0193}> () w = Constant <value = int8 {9}> () y0 = DequantizeLinear (b, t, w) "
    "p = MatMul (x, y0) u = Constant <value = float {0.313}> () v = Constant <value = int8 {7}> () y = QuantizeLinear (p, u, v)",
    "bytes" },
  { "columns", "uint8[2,3,20] a, int8[20,4] b",
    LEFT "t = Constant <value = float[4] {0.01, 0.0271, 0.03, 0.0007}> () w = Constant <value = int8[4] {0, -3, 100, 1}> () "
         "y0 = DequantizeLinear <axis = -1> (b, t, w) p = MatMul (x, y0) " RESULT,
    "bytes" },
  { "stacks", "uint8[2,3,6,20] a, uint8[2,3,20,7] b", LEFT RIGHT "p = MatMul (x, y0) " RESULT, "bytes" },
  { "no-zero-points", "uint8[5,37] a, int8[37,19] b",
    "s = Constant <value = float {0.0371}> () x = DequantizeLinear (a, s) " RIGHT
    "p = MatMul (x, y0) u = Constant <value = float {0.713}> () y = QuantizeLinear (p, u)",
    "bytes" },
  { "output-type", "uint8[5,37] a, int8[37,19] b",
    LEFT RIGHT "p = MatMul (x, y0) u = Constant <value = float {0.713}> () y = QuantizeLinear <output_dtype = 3> (p, u)",
    "bytes" },
  { "floats", "uint8[5,37] a, int8[37,19] b", LEFT RIGHT "y = MatMul (x, y0)", "bytes", TRUE },
  { "bias", "uint8[5,37] a, int8[37,4] b",
    LEFT RIGHT
    "p0 = MatMul (x, y0) c = Constant <value = float[4] {1.0, -20.0, 3.5, 0.25}> () p1 = Add (p0, c) p = Relu (p1) " RESULT,
    "bytes" },
  { "row-scales", "uint8[4,4] a, int8[4,4] b",
    LEFT "t = Constant <value = float[4] {0.01, 0.0271, 0.03, 0.0007}> () y0 = DequantizeLinear <axis = 0> (b, t) "
         "p = MatMul (x, y0) " RESULT,
    "reference" },
  { "not-finite", "uint8[4,4] a, int8[4,4] b",
    "s = Constant <value = float {inf}> () x = DequantizeLinear (a, s) " RIGHT "p = MatMul (x, y0) " RESULT, "reference" },
  { "conv", "uint8[2,3,9,8] a, int8[6,3,3,3] b", LEFT RIGHT "p = Conv <pads = [1, 0, 2, 1], strides = [2, 1]> (x, y0) " RESULT,
    "dnnl" },
  { "conv-channels", "int8[1,4,7,6] a, int8[5,4,3,2] b",
    "s = Constant <value = float {0.0371}> () z = Constant <value = int8 {-5}> () x = DequantizeLinear (a, s, z) "
    "t = Constant <value = float[5] {0.01, 0.0271, 0.03, 0.0007, 0.02}> () y0 = DequantizeLinear <axis = 0> (b, t) "
    "i = Constant <value = int32[5] {100, -2000, 7, 30000, -1}> () j = Constant <value = float[5] {0.000371, 0.0010041, 0.001113, 0.00002597, 0.000742}> () "
    "k = DequantizeLinear <axis = 0> (i, j) p0 = Conv (x, y0, k) p = Relu (p0) " RESULT,
    "dnnl" },
  { "conv-bias", "uint8[1,4,11] a, uint8[5,4,3] b",
    LEFT RIGHT "c = Constant <value = float[5] {1.0, -20.0, 3.5, 0.25, 0.0}> () p0 = Conv <dilations = [2]> (x, y0, c) "
               "l = Constant <value = float {-3.0}> () h = Constant <value = float {60.0}> () p = Clip (p0, l, h) " RESULT,
    "dnnl" },
  { "conv-floats", "uint8[1,4,7,6] a, int8[5,4,3,2] b", LEFT RIGHT "y = Conv (x, y0)", "dnnl", TRUE },
  { "conv-groups", "uint8[1,4,7,6] a, int8[4,2,3,2] b", LEFT RIGHT "p = Conv <group = 2> (x, y0) " RESULT, "reference" },
};

static PhTensor *
run (PhModel *model, GHashTable *feeds, gboolean in_double)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) results = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .seed = 1, .in_double = in_double },
                                                 &error);

  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (model, "y")->id)));
}

/* The kernel that runs the fused node. */
static const char *
kernel_of (PhModel *model, GHashTable *feeds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhProfile) profile = ph_profile_model (model, feeds, 1, NULL, &error);
  const GArray *candidates;

  g_assert_no_error (error);
  candidates = ph_profile_candidates (profile);
  for (guint i = 0; i < candidates->len; i++)
    {
      const PhCandidate *candidate = &g_array_index (candidates, PhCandidate, i);

      if (candidate->ran && ph_model_find_node (model, candidate->node)->op == NULL)
        return candidate->name;
    }
  g_assert_not_reached ();
}

static void
fill (PhTensor *tensor, GRand *random)
{
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ((guint8 *) ph_tensor_writable (tensor))[i] = (guint8) g_rand_int (random);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]> g (%s) => (y) { %s }", row->inputs,
                                           row->body);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "bytes", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("fuse-qdq"), model, history, &options, &error);
  g_assert_no_error (error);
  for (guint turn = 0; turn < 8; turn++)
    {
      g_autoptr (GHashTable) feeds = ph_inputs_collect (model, NULL, PH_INPUTS_NORMAL, turn, 4, 1, NULL, &error);
      g_autoptr (PhTensor) y = NULL, exact = NULL;
      gsize n_apart = 0;

      g_assert_no_error (error);
      for (guint k = 0; k < model->graph->inputs->len; k++)
        fill (g_hash_table_lookup (feeds, model->graph->inputs->pdata[k]), random);
#ifdef __x86_64__
      if (__builtin_cpu_supports ("avx512vnni") && __builtin_cpu_supports ("avx512vl"))
        g_assert_cmpstr (kernel_of (model, feeds), ==, row->kernel);
#endif
      y = run (model, feeds, FALSE);
      exact = run (model, feeds, TRUE);
      g_assert_cmpuint (ph_tensor_count (y), ==, ph_tensor_count (exact));
      for (gsize i = 0; i < ph_tensor_count (y); i++)
        {
          const double is = ph_tensor_get (y, i), wanted = ph_tensor_get (exact, i);

          if (row->floats)
            g_assert_cmpfloat_with_epsilon (is, wanted, 6e-8 * (1 + fabs (wanted)));
          else
            n_apart += is != wanted;
        }
      g_assert_cmpuint (n_apart, ==, 0);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/product-bytes/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  return g_test_run ();
}
