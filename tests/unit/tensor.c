/* tensor.c: tests of tensors, their comparison, and broadcasting.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/broadcast.h"
#include "core/tensor/compare.h"
#include "core/tensor/origin.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
test_make (void)
{
  g_autoptr (PhTensor) zeros = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 2, 3 });
  g_autoptr (PhTensor) empty = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { G_MAXINT64, 0 });
  g_autoptr (PhTensor) flat = ph_tensor_reshaped (zeros, 1, (gint64[]) { 6 });
  g_autofree char *text = NULL;

  g_assert_cmpint (ph_tensor_count (zeros), ==, 6);
  g_assert_cmpint (ph_tensor_bytes (zeros), ==, 24);
  g_assert_cmpint (ph_tensor_count (empty), ==, 0);
  g_assert_nonnull (ph_tensor_data (empty));
  g_assert_true (ph_tensor_data (flat) == ph_tensor_data (zeros));
  g_assert_null (ph_tensor_new (PH_FLOAT, 2, (gint64[]) { G_MAXINT64, 2 }));
  g_assert_null (ph_tensor_new (PH_FLOAT, 1, (gint64[]) { -1 }));
  text = ph_tensor_to_string (zeros, 2);
  g_assert_cmpstr (text, ==, "float[2,3] {0, 0, ...}");
}

static void
test_bytes (void)
{
  static const guint8 raw[] = { 9, 1, 0, 0, 0, 2, 0, 0, 0, 0 };
  g_autoptr (GBytes) bytes = g_bytes_new (raw, sizeof raw), odd = g_bytes_new_from_bytes (bytes, 1, 8);
  g_autoptr (PhTensor) borrowed = ph_tensor_new_from_bytes (PH_UINT8, 1, (gint64[]) { 10 }, bytes);
  g_autoptr (PhTensor) copied = ph_tensor_new_from_bytes (PH_INT32, 1, (gint64[]) { 2 }, odd);

  g_assert_true (ph_tensor_data (borrowed) == g_bytes_get_data (bytes, NULL));
  g_assert_cmpint (ph_tensor_get_int (copied, 0), ==, 1);
  g_assert_cmpint (ph_tensor_get_int (copied, 1), ==, 2);
}

/* True is 1 in memory, whatever byte a file has for it, also in a file that is read later. */
static void
test_bools (void)
{
  const gint64 n = 100000;
  g_autofree guint8 *raw = g_malloc0 ((gsize) n);
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PhTensor) borrowed = NULL, read = NULL;
  g_autoptr (PhFile) file = NULL;

  raw[1] = 1;
  raw[2] = 3;
  raw[n - 1] = 255;
  bytes = g_bytes_new (raw, (gsize) n);
  borrowed = ph_tensor_new_from_bytes (PH_BOOL, 1, &n, bytes);
  g_close (g_file_open_tmp ("bools-XXXXXX", &path, &error), NULL);
  g_assert_true (g_file_set_contents (path, (const char *) raw, n, &error));
  file = ph_file_open (path, &error);
  g_assert_no_error (error);
  read = ph_tensor_new_from_file (PH_BOOL, 1, &n, file, 0, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    raw[i] = raw[i] != 0;
  g_assert_cmpint (ph_tensor_get_int (read, (gsize) n - 1), ==, 1);
  g_assert_cmpmem (ph_tensor_data (borrowed), n, raw, n);
  g_assert_cmpmem (ph_tensor_data (read), n, raw, n);
  g_unlink (path);
}

static gpointer
expand (gpointer data)
{
  return (gpointer) ph_tensor_data (data);
}

static void
test_splat (void)
{
  const float one = 1;
  g_autoptr (PhTensor) huge = ph_tensor_new_splat (PH_FLOAT, 2, (gint64[]) { 1 << 20, 1 << 20 }, &one);
  g_autoptr (PhTensor) splat = ph_tensor_new_splat (PH_FLOAT, 1, (gint64[]) { 1001 }, &one);
  g_autoptr (PhTensor) view = ph_tensor_reshaped (splat, 2, (gint64[]) { 7, 143 });
  g_autoptr (PhTensor) cast = ph_tensor_cast (huge, PH_INT8);
  g_autoptr (PhTensor) dense = ph_tensor_new (PH_FLOAT, 1, (gint64[]) { 1001 });
  const char *word = "word";
  g_autoptr (PhTensor) words = ph_tensor_new_splat (PH_STRING, 1, (gint64[]) { 3 }, &word);
  GThread *threads[4];
  PhTensorStats stats;
  float copy[1001];

  g_assert_true (ph_tensor_is_splat (cast));
  g_assert_cmpint (ph_tensor_get_int (cast, 1 << 30), ==, 1);
  g_assert_true (ph_tensor_stats (huge, &stats));
  g_assert_cmpfloat (stats.mean, ==, 1);
  g_assert_true (ph_tensor_is_splat (view));
  for (int i = 0; i < 1001; i++)
    ((float *) ph_tensor_writable (dense))[i] = 1;
  g_assert_true (ph_tensor_equal (splat, dense));
  g_assert_cmpuint (ph_tensor_hash (splat), ==, ph_tensor_hash (dense));
  ph_tensor_copy_data (splat, copy);
  g_assert_cmpfloat (copy[1000], ==, 1);
  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new ("expand", expand, splat);
  for (int i = 0; i < 4; i++)
    g_assert_true (g_thread_join (threads[i]) == ph_tensor_data (splat));
  g_assert_cmpmem (ph_tensor_data (splat), 4004, ph_tensor_data (dense), 4004);
  ((float *) ph_tensor_writable (dense))[1000] = 2;
  g_assert_false (ph_tensor_equal (splat, dense));
  g_assert_cmpstr (ph_tensor_get_string (words, 2), ==, "word");
  g_assert_nonnull (ph_tensor_data (words));
}

/* They are compared part by part: a difference is found in each. */
static void
test_long_splat (void)
{
  const gint64 n = 40001;
  const double third = 1.0 / 3;
  g_autoptr (PhTensor) splat = ph_tensor_new_splat (PH_DOUBLE, 1, &n, &third);
  g_autoptr (PhTensor) dense = ph_tensor_new (PH_DOUBLE, 1, &n);
  double *numbers = ph_tensor_writable (dense);
  static const int places[] = { 0, 8191, 8192, 20000, 40000 };

  for (int i = 0; i < n; i++)
    numbers[i] = third;
  g_assert_true (ph_tensor_equal (splat, dense));
  g_assert_true (ph_tensor_equal (dense, splat));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      numbers[places[i]] = nextafter (third, 1);
      g_assert_false (ph_tensor_equal (splat, dense));
      numbers[places[i]] = third;
    }
}

static void
test_equal (void)
{
  g_autoptr (PhTensor) plus = ph_tensor_new_scalar (PH_FLOAT, 0.0), minus = ph_tensor_new_scalar (PH_FLOAT, -0.0);
  g_autoptr (PhTensor) nan = ph_tensor_new_scalar (PH_FLOAT, NAN), again = ph_tensor_new_scalar (PH_FLOAT, NAN);
  g_autoptr (PhTensor) strings = ph_tensor_new (PH_STRING, 1, (gint64[]) { 2 });
  g_autoptr (PhTensor) same = ph_tensor_new (PH_STRING, 1, (gint64[]) { 2 });
  g_autoptr (PhTensor) pair = ph_tensor_new_sequence (PH_KIND_SEQUENCE, (PhTensor *[]) { plus, nan }, 2);
  g_autoptr (PhTensor) twin = ph_tensor_new_sequence (PH_KIND_SEQUENCE, (PhTensor *[]) { plus, again }, 2);
  g_autofree char *text = ph_tensor_to_string (pair, 8);

  g_assert_false (ph_tensor_equal (plus, minus));
  g_assert_true (ph_tensor_equal (nan, again));
  ph_tensor_set_string (strings, 0, "");
  g_assert_true (ph_tensor_equal (strings, same));
  g_assert_cmpuint (ph_tensor_hash (strings), ==, ph_tensor_hash (same));
  ph_tensor_set_string (strings, 1, "x");
  g_assert_false (ph_tensor_equal (strings, same));
  g_assert_true (ph_tensor_equal (pair, twin));
  g_assert_cmpstr (text, ==, "seq {float {0}, float {nan}}");
}

static void
test_compare (void)
{
  g_autoptr (PhTensor) a = ph_tensor_new_floats ((float[]) { 1, NAN, INFINITY, 0 }, 4);
  g_autoptr (PhTensor) b = ph_tensor_new_floats ((float[]) { 1 + 0x1p-22f, NAN, INFINITY, -0.0f }, 4);
  g_autoptr (PhTensor) c = ph_tensor_new_floats ((float[]) { 1, NAN, 7, 0 }, 4);
  g_autoptr (PhTensor) wide = ph_tensor_cast (a, PH_DOUBLE);
  g_autoptr (PhTensor) shape = ph_tensor_reshaped (a, 2, (gint64[]) { 2, 2 });
  g_auto (PhComparison) close = ph_tensor_compare (a, b, PH_TOLERANCE_ONNX), exact = ph_tensor_compare (a, b, PH_TOLERANCE_EXACT);
  g_auto (PhComparison) far = ph_tensor_compare (a, c, PH_TOLERANCE_ONNX), type = ph_tensor_compare (a, wide, PH_TOLERANCE_ONNX);
  g_auto (PhComparison) shapes = ph_tensor_compare (a, shape, PH_TOLERANCE_ONNX);

  g_assert_true (close.close);
  g_assert_cmpint (close.max_ulp, ==, 2);
  g_assert_false (exact.close);
  g_assert_cmpint (exact.n_different, ==, 1);
  g_assert_true (isinf (far.max_abs_error));
  g_assert_cmpint (far.first_different, ==, 2);
  g_assert_cmpstr (far.why, ==, "element 2: inf is not 7");
  g_assert_cmpstr (type.why, ==, "element type float is not double");
  g_assert_cmpstr (shapes.why, ==, "shape [4] is not [2,2]");
}

static void
test_broadcast (void)
{
  const gint64 a[] = { 2, 1, 3 }, b[] = { 4, 1 };
  static const gint64 expected_a[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5 };
  static const gint64 expected_b[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 };
  gint64 dims[PH_MAX_RANK];
  PhWalk walk;
  guint rank;

  g_assert_true (ph_broadcast_dims (3, a, 2, b, &rank, dims));
  g_assert_cmpint (rank, ==, 3);
  g_assert_cmpint (dims[1], ==, 4);
  ph_walk_init (&walk, rank, dims);
  ph_walk_add (&walk, 3, a);
  ph_walk_add (&walk, 2, b);
  g_assert_cmpint (walk.count, ==, 24);
  do
    {
      g_assert_cmpint (walk.offset[0], ==, expected_a[walk.index]);
      g_assert_cmpint (walk.offset[1], ==, expected_b[walk.index]);
    }
  while (ph_walk_next (&walk));
  g_assert_false (ph_broadcast_dims (1, (gint64[]) { 2 }, 1, (gint64[]) { 3 }, &rank, dims));
  ph_walk_init (&walk, 0, NULL);
  g_assert_cmpint (walk.count, ==, 1);
  g_assert_false (ph_walk_next (&walk));
}

static void
test_print (void)
{
  g_autoptr (PhTensor) floats = ph_tensor_new_floats ((float[]) { 0.1f, 1e20f, -3, 16777216 }, 4);
  g_autoptr (PhTensor) big = ph_tensor_new_scalar (PH_UINT64, 0x1p63);
  g_autofree char *text = ph_tensor_to_string (floats, 8), *number = ph_tensor_to_string (big, 8);

  g_assert_cmpstr (text, ==, "float[4] {0.1, 1e+20, -3, 16777216}");
  g_assert_cmpstr (number, ==, "uint64 {9223372036854775808}");
}

static PhTensor *
count_up (const PhTensor *tensor, GError **error)
{
  PhTensor *result = ph_tensor_new (ph_tensor_dtype (tensor), 1, (gint64[]) { ph_tensor_count (tensor) });

  (*(guint *) ph_tensor_get_origin (tensor))++;
  for (guint i = 0; i < ph_tensor_count (tensor); i++)
    ((float *) ph_tensor_writable (result))[i] = (float) i;
  return result;
}

/* Elements that wait for the first to ask, and then stay; a copy keeps nothing. */
static void
test_deferred (void)
{
  const gint64 dims[] = { 10, 100 };
  guint *asked = g_new0 (guint, 1);
  g_autoptr (PhTensor) tensor = ph_tensor_new_deferred (PH_FLOAT, 2, dims, asked, count_up, g_free);
  g_autoptr (PhTensor) view = ph_tensor_reshaped (tensor, 1, (gint64[]) { 1000 });
  g_autofree float *copy = g_new (float, 1000);

  g_assert_cmpuint (*asked, ==, 0);
  g_assert_true (ph_tensor_is_deferred (tensor));
  g_assert_true (ph_tensor_copy_data (view, copy));
  g_assert_cmpfloat (copy[999], ==, 999);
  g_assert_cmpuint (*asked, ==, 1);
  g_assert_true (ph_tensor_is_deferred (tensor));
  g_assert_cmpfloat (ph_tensor_get (tensor, 7), ==, 7);
  g_assert_cmpfloat (((const float *) ph_tensor_data (view))[501], ==, 501);
  g_assert_cmpuint (*asked, ==, 2);
  g_assert_false (ph_tensor_is_deferred (tensor));
}

/* A hash samples, of a splat the same as of its elements written out, and of any number of them. */
static void
test_hash (void)
{
  const float one = 1;

  for (gint64 n = 0; n < 400; n++)
    {
      g_autoptr (PhTensor) splat = ph_tensor_new_splat (PH_FLOAT, 1, &n, &one), dense = ph_tensor_new (PH_FLOAT, 1, &n);

      for (gint64 i = 0; i < n; i++)
        ((float *) ph_tensor_writable (dense))[i] = 1;
      g_assert_cmpuint (ph_tensor_hash (splat), ==, ph_tensor_hash (dense));
      if (n > 0)
        {
          ((float *) ph_tensor_writable (dense))[n - 1] = 2;
          g_assert_cmpuint (ph_tensor_hash (splat), !=, ph_tensor_hash (dense));
        }
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor/make", test_make);
  g_test_add_func ("/tensor/bytes", test_bytes);
  g_test_add_func ("/tensor/bools", test_bools);
  g_test_add_func ("/tensor/splat", test_splat);
  g_test_add_func ("/tensor/long-splat", test_long_splat);
  g_test_add_func ("/tensor/deferred", test_deferred);
  g_test_add_func ("/tensor/hash", test_hash);
  g_test_add_func ("/tensor/equal", test_equal);
  g_test_add_func ("/tensor/compare", test_compare);
  g_test_add_func ("/tensor/broadcast", test_broadcast);
  g_test_add_func ("/tensor/print", test_print);
  return g_test_run ();
}
