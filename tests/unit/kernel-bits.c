/* kernel-bits.c: kernels with fast paths beside plain loops in this file: results agree to the bit.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/run/inputs.h"

/* A model with the input x and the output y. */
typedef struct
{
  PhModel *model;
  GHashTable *feeds;
  PhTensor *x, *y;
} Run;

static void
run_clear (Run *run)
{
  g_clear_pointer (&run->y, ph_tensor_unref);
  g_clear_pointer (&run->feeds, g_hash_table_unref);
  g_clear_pointer (&run->model, ph_model_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static void
run_body (Run *run, const char *inputs, const char *body, const PhRunOptions *options, guint seed)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 24]> g (%s) => (y) { %s }", inputs, body);
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) results = NULL;

  run->model = ph_onnx_text_read (text, -1, "bits", &error);
  g_assert_no_error (error);
  run->feeds = ph_inputs_collect (run->model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
  g_assert_no_error (error);
  run->x = g_hash_table_lookup (run->feeds, ph_model_find_value_named (run->model, "x"));
  results = ph_run_model (run->model, run->feeds, NULL, options, &error);
  g_assert_no_error (error);
  run->y = ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (run->model, "y")->id)));
}

/* ── Col2Im ── */

/* Of one of two dimensions in space. */
typedef struct
{
  int in, kernel, stride, dilation, begin, end, out;
} Axis;

static Axis
random_axis (GRand *random)
{
  Axis a = { .out = 0 };

  while (a.out < 1)
    {
      int room;

      a = (Axis) { .in = g_rand_int_range (random, 1, 20),
                   .kernel = g_rand_int_range (random, 1, 4),
                   .stride = g_rand_int_range (random, 1, 4),
                   .dilation = g_rand_int_range (random, 1, 3),
                   .begin = g_rand_int_range (random, -1, 5),
                   .end = g_rand_int_range (random, -1, 5) };
      room = a.in + a.begin + a.end - (a.kernel - 1) * a.dilation - 1;
      a.out = room < 0 ? 0 : room / a.stride + 1;
    }
  return a;
}

static void
test_col2im (void)
{
  static const char *const types[] = { "float", "double", "float16", "int32" };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  for (guint turn = 0; turn < 80; turn++)
    {
      const Axis a = random_axis (random), b = random_axis (random);
      const int channels = 3, columns = a.out * b.out, taps = a.kernel * b.kernel;
      g_auto (Run) run = { NULL };
      g_autoptr (PhTensor) expected = NULL;
      g_autofree char *inputs = g_strdup_printf ("%s[2,%d,%d] x", types[turn % 4], channels * taps, columns), *body = NULL;
      gpointer image;

      body = g_strdup_printf ("s = Constant <value_ints = [%d, %d]> () k = Constant <value_ints = [%d, %d]> () "
                              "y = Col2Im <strides = [%d, %d], dilations = [%d, %d], pads = [%d, %d, %d, %d]> (x, s, k)",
                              a.in, b.in, a.kernel, b.kernel, a.stride, b.stride, a.dilation, b.dilation, a.begin, b.begin, a.end,
                              b.end);
      run_body (&run, inputs, body, NULL, turn);
      expected = ph_tensor_new (ph_tensor_dtype (run.y), 4, (gint64[]) { 2, channels, a.in, b.in });
      image = ph_tensor_writable (expected);
      for (int i = 0; i < (int) ph_tensor_count (run.x); i++)
        {
          const int place = i % columns, tap = i / columns % taps, plane = i / columns / taps;
          const int row = place / b.out * a.stride + tap / b.kernel * a.dilation - a.begin;
          const int column = place % b.out * b.stride + tap % b.kernel * b.dilation - b.begin;
          const gsize at = (gsize) ((plane * a.in + row) * b.in + column);

          if (row >= 0 && row < a.in && column >= 0 && column < b.in)
            ph_dtype_store (ph_tensor_dtype (run.y), image, at,
                            ph_dtype_load (ph_tensor_dtype (run.y), image, at) + ph_tensor_get (run.x, (gsize) i));
        }
      g_assert_true (ph_tensor_equal (run.y, expected));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-bits/col2im", test_col2im);
  return g_test_run ();
}
