/* double.c: CPU time of convolutions and products in float32 and in double, of sizes that models have: see meson.build.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <time.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/run/executor.h"

/* clang-format off */
static const struct { const char *inputs, *body; } layers[] = {
  { "float[1,3,224,224] x, float[64,3,7,7] w", "Conv <strides = [2,2], pads = [3,3,3,3]>" },
  { "float[1,64,56,56] x, float[64,64,3,3] w", "Conv <pads = [1,1,1,1]>" },
  { "float[1,64,56,56] x, float[256,64,1,1] w", "Conv" },
  { "float[1,128,28,28] x, float[128,128,3,3] w", "Conv <pads = [1,1,1,1]>" },
  { "float[1,256,14,14] x, float[256,256,3,3] w", "Conv <pads = [1,1,1,1]>" },
  { "float[1,512,7,7] x, float[512,512,3,3] w", "Conv <pads = [1,1,1,1]>" },
  { "float[1,96,56,56] x, float[96,1,3,3] w", "Conv <pads = [1,1,1,1], group = 96>" },
  { "float[8,3,64,64] x, float[16,3,3,3] w", "Conv <pads = [1,1,1,1]>" },
  { "float[1,2048] x, float[2048,1000] w", "MatMul" },
  { "float[128,768] x, float[768,3072] w", "MatMul" },
  { "float[512,512] x, float[512,512] w", "MatMul" },
  { "float[12,128,64] x, float[12,64,128] w", "MatMul" },
  { "float[1,64,28,28] x, float[64,32,2,2] w", "ConvTranspose <strides = [2,2]>" },
};
/* clang-format on */

static double
seconds_of (PhModel *model, GHashTable *feeds, gboolean in_double)
{
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < 9; i++)
    {
      const clock_t start = clock ();
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) results = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .in_double = in_double }, &error);

      g_assert_no_error (error);
      best = MIN (best, (clock () - start) / (double) CLOCKS_PER_SEC);
    }
  return best;
}

int
main (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "<ir_version: 10, opset_import: [\"\" : 22]> layer (%s) => (float y) { y = %s (x, w) }", layers[i].inputs,
          layers[i].body);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "layer", &error);
      g_autoptr (GRand) random = g_rand_new_with_seed (1);
      GHashTable *feeds[2];
      double single, wide;

      g_assert_no_error (error);
      ph_value_set_type (model->graph->outputs->pdata[0], NULL, NULL);
      ph_infer_model (model, FALSE, NULL, NULL);
      for (guint k = 0; k < 2; k++)
        {
          feeds[k] = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
          for (guint n = 0; n < model->graph->inputs->len; n++)
            {
              PhValue *value = model->graph->inputs->pdata[n];
              gint64 dims[PH_MAX_RANK];
              PhTensor *tensor;

              for (guint d = 0; d < value->type->rank; d++)
                dims[d] = value->type->dims[d].size;
              tensor = ph_tensor_new (k == 0 ? PH_FLOAT : PH_DOUBLE, value->type->rank, dims);
              for (gsize e = 0; e < ph_tensor_count (tensor); e++)
                ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), e, g_rand_double_range (random, -1, 1));
              g_hash_table_insert (feeds[k], value, tensor);
            }
        }
      single = seconds_of (model, feeds[0], FALSE);
      wide = seconds_of (model, feeds[1], TRUE);
      g_print ("%8.3f ms  %8.3f ms in double  %5.1f x  %s (%s)\n", single * 1e3, wide * 1e3, wide / single, layers[i].body,
               layers[i].inputs);
      g_hash_table_unref (feeds[0]);
      g_hash_table_unref (feeds[1]);
    }
  return 0;
}
