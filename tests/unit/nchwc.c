/* nchwc.c: operators over channels in blocks mean what ONNX's own mean over plain channels.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/ops/microsoft/microsoft-nchwc.h"
#include "core/ops/support.h"
#include "core/run/executor.h"
#include "core/tensor/compare.h"

static PhTensor *
random_tensor (guint rank, const gint64 *dims, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gsize n = 1;
  g_autofree float *values = NULL;
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < rank; i++)
    n *= dims[i];
  values = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) g_rand_double_range (rand, -1, 1);
  bytes = g_bytes_new (values, n * sizeof *values);
  return ph_tensor_new_from_bytes (PH_FLOAT, rank, dims, bytes);
}

/* Weights [O, I, H, W] in the order that com.microsoft.nchwc.Conv reads, element by element. */
static PhTensor *
pack_weights (PhTensor *plain, const gint64 *dims)
{
  const gint64 block = ph_nchwc_block (), inner = dims[1] < block ? 1 : block, n = dims[0] * dims[1] * dims[2] * dims[3];
  g_autofree float *values = g_new (float, n);
  g_autoptr (GBytes) bytes = NULL;

  for (gint64 o = 0; o < dims[0]; o++)
    for (gint64 i = 0; i < dims[1]; i++)
      for (gint64 at = 0; at < dims[2] * dims[3]; at++)
        {
          const gint64 rows = (o / block) * (dims[1] / inner) + i / inner;

          values[((rows * dims[2] * dims[3] + at) * inner + i % inner) * block + o % block] = (float) ph_tensor_get (
              plain, (o * dims[1] + i) * dims[2] * dims[3] + at);
        }
  bytes = g_bytes_new (values, n * sizeof *values);
  return ph_tensor_new_from_bytes (PH_FLOAT, 4, dims, bytes);
}

/* Of the block's size b: the channels of x, the shape of w, and the two ways to compute the same. */
typedef struct
{
  const char *name;
  struct
  {
    int blocks, more; /* blocks times b plus more */
  } channels, out, in;
  int kernel;
  const char *plain, *blocked; /* $b, $x, $o: the block, the channels of x and of the convolution */
} Case;

/* clang-format off */
static const Case cases[] = {
  { "few-channels", { 0, 3 }, { 2, 0 }, { 0, 3 }, 3,
    "y = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, c)",
    "p = com.microsoft.nchwc.Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, wp, c) "
    "z = com.microsoft.nchwc.ReorderOutput <channels = $o> (p)" },
  { "filled-up", { 0, 3 }, { 1, 0 }, { 0, 3 }, 2,
    "f = Conv (x, w, c) s = Constant <value_ints = [0]> () e = Constant <value_ints = [5]> () a = Constant <value_ints = [1]> () "
    "y = Slice (f, s, e, a)",
    "p = com.microsoft.nchwc.Conv (x, wp, c) t = Constant <value_ints = [0]> () z = com.microsoft.nchwc.ReorderOutput <channels = 5> (p)" },
  { "blocks", { 2, 0 }, { 1, 0 }, { 2, 0 }, 3,
    "f = Conv <dilations = [2, 1]> (x, w, c) g = Relu (f) y = Add (g, g)",
    "r = com.microsoft.nchwc.ReorderInput (x) p = com.microsoft.nchwc.Conv <dilations = [2, 1], activation = \"Relu\"> (r, wp, c) "
    "q = Add (p, p) z = com.microsoft.nchwc.ReorderOutput <channels = $o> (q)" },
  { "sum", { 1, 0 }, { 1, 0 }, { 1, 0 }, 1,
    "f = Conv (x, w, c) g = Add (f, x) y = LeakyRelu <alpha = 0.25> (g)",
    "r = com.microsoft.nchwc.ReorderInput (x) "
    "p = com.microsoft.nchwc.Conv <activation = \"LeakyRelu\", activation_params = [0.25]> (r, wp, c, r) "
    "z = com.microsoft.nchwc.ReorderOutput <channels = $o> (p)" },
  { "hard-swish", { 0, 3 }, { 1, 0 }, { 0, 3 }, 1,
    "f = Conv (x, w, c) y = HardSwish (f)",
    "p = com.microsoft.nchwc.Conv <activation = \"HardSwish\"> (x, wp, c) z = com.microsoft.nchwc.ReorderOutput <channels = $o> (p)" },
  { "depthwise", { 2, 0 }, { 2, 0 }, { 0, 1 }, 3,
    "y = Conv <group = $x, auto_pad = \"SAME_UPPER\"> (x, w, c)",
    "r = com.microsoft.nchwc.ReorderInput (x) p = com.microsoft.nchwc.Conv <group = $x, auto_pad = \"SAME_UPPER\"> (r, wp, c) "
    "z = com.microsoft.nchwc.ReorderOutput <channels = $o> (p)" },
  { "channels-last", { 1, 4 }, { 1, 0 }, { 0, 1 }, 1,
    "f = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (x) y = Transpose <perm = [0, 2, 3, 1]> (f)",
    "t = Transpose <perm = [0, 2, 3, 1]> (x) r = com.microsoft.nchwc.ReorderInput <channels_last = 1> (t) "
    "p = com.microsoft.nchwc.MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (r) "
    "z = com.microsoft.nchwc.ReorderOutput <channels = $x, channels_last = 1> (p)" },
  { "average", { 0, 4 }, { 1, 0 }, { 0, 1 }, 1,
    "y = AveragePool <kernel_shape = [3, 2], pads = [1, 0, 1, 1], count_include_pad = 1> (x)",
    "r = com.microsoft.nchwc.ReorderInput (x) "
    "p = com.microsoft.nchwc.AveragePool <kernel_shape = [3, 2], pads = [1, 0, 1, 1], count_include_pad = 1> (r) "
    "z = com.microsoft.nchwc.ReorderOutput <channels = $x> (p)" },
  { "global", { 1, 4 }, { 1, 0 }, { 0, 1 }, 1,
    "f = GlobalAveragePool (x) g = GlobalMaxPool (x) y = Concat <axis = 0> (f, g)",
    "r = com.microsoft.nchwc.ReorderInput (x) p = com.microsoft.nchwc.GlobalAveragePool (r) "
    "q = com.microsoft.nchwc.GlobalMaxPool (r) u = Concat <axis = 0> (p, q) "
    "z = com.microsoft.nchwc.ReorderOutput <channels = $x> (u)" },
  { "upsample", { 1, 0 }, { 1, 0 }, { 0, 1 }, 1,
    "s = Constant <value_floats = [1.0, 1.0, 2.0, 3.0]> () "
    "f = Resize <coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, \"\", s) "
    "g = Resize <mode = \"linear\", coordinate_transformation_mode = \"half_pixel\"> (x, \"\", s) y = Sub (f, g)",
    "r = com.microsoft.nchwc.ReorderInput (x) p = com.microsoft.nchwc.Upsample <scales = [1, 1, 2, 3]> (r) "
    "q = com.microsoft.nchwc.Upsample <scales = [1, 1, 2, 3], mode = \"linear\", coordinate_transformation_mode = \"half_pixel\"> (r) "
    "u = Sub (p, q) z = com.microsoft.nchwc.ReorderOutput <channels = $x> (u)" },
};
/* clang-format on */

static void
test_same (gconstpointer data)
{
  const Case *c = data;
  const gint64 block = ph_nchwc_block ();
  const gint64 x_dims[] = { 2, c->channels.blocks * block + c->channels.more, 6, 5 };
  const gint64 w_dims[] = { c->out.blocks * block + c->out.more, c->in.blocks * block + c->in.more, c->kernel, c->kernel };
  g_autoptr (GString) text = g_string_new ("<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft.nchwc\" : 1]> g (");
  g_autofree char *channels = g_strdup_printf ("%" G_GINT64_FORMAT, x_dims[1]),
                  *out = g_strdup_printf ("%" G_GINT64_FORMAT, w_dims[0]);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;
  g_auto (PhComparison) comparison = { 0 };
  PhTensor *w = random_tensor (4, w_dims, 2);

  g_string_append_printf (
      text, "float[2,%s,6,5] x, float[%s,%d,%d,%d] w, float[%s,%d,%d,%d] wp, float[%s] c) => (y, z) { %s %s }", channels, out,
      (int) w_dims[1], c->kernel, c->kernel, out, (int) w_dims[1], c->kernel, c->kernel, out, c->plain, c->blocked);
  g_string_replace (text, "$x", channels, 0);
  g_string_replace (text, "$o", out, 0);
  model = ph_onnx_text_read (text->str, -1, c->name, &error);
  g_assert_no_error (error);
  g_hash_table_insert (feeds, ph_model_find_value_named (model, "x"), random_tensor (4, x_dims, 1));
  g_hash_table_insert (feeds, ph_model_find_value_named (model, "w"), w);
  g_hash_table_insert (feeds, ph_model_find_value_named (model, "wp"), pack_weights (w, w_dims));
  g_hash_table_insert (feeds, ph_model_find_value_named (model, "c"), random_tensor (1, w_dims, 3));
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  comparison = ph_tensor_compare (g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (model, "y")->id)),
                                  g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (model, "z")->id)),
                                  (PhTolerance) { 1e-5, 1e-5 });
  if (!comparison.close)
    g_error ("%s: %s", c->name, comparison.why);
}

/* Blocks of another machine, or ones that are not whole, are an error that says so. */
static void
test_refused (void)
{
  static const char text[]
      = "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft.nchwc\" : 1]> g (float[1,6,2,2] x) => (y) "
        "{ y = com.microsoft.nchwc.GlobalMaxPool (x) }";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "refused", &error);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;

  g_assert_no_error (error);
  g_hash_table_insert (feeds, ph_model_find_value_named (model, "x"), random_tensor (4, (gint64[]) { 1, 6, 2, 2 }, 1));
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_null (results);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "the block of channels of this machine"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/nchwc/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_same);
    }
  g_test_add_func ("/nchwc/refused", test_refused);
  return g_test_run ();
}
