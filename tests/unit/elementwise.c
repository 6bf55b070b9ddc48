/* elementwise.c: tests of the elementwise loops against one element at a time: broadcasting, repeated elements, narrow types.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/ops/onnx/elementwise.h"
#include "core/ops/op-list.h"
#include "core/run/executor.h"
#include "core/tensor/broadcast.h"

static PhTensor *
apply (const PhOp *op, PhTensor *const *inputs, guint n, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  PhValue *values[3];
  PhNodeSpec spec = { .op = op, .op_type = op->name, .domain = "", .inputs = values, .n_inputs = n, .n_outputs = 1 };
  PhTensor *output = NULL;
  PhNode *node;

  for (guint i = 0; i < n; i++)
    values[i] = ph_graph_add_input (model->graph,
                                    i == 0   ? "a"
                                    : i == 1 ? "b"
                                             : "c",
                                    ph_type_of_tensor (inputs[i]), NULL, G_MAXUINT, NULL);
  node = ph_graph_add_node (model->graph, &spec, error);
  g_assert_nonnull (node);
  ph_run_node (node, inputs, &output, &(PhRunOptions) { .reference = TRUE }, error);
  return output;
}

static PhTensor *
random_tensor (GRand *random, PhDType dtype, guint rank, const gint64 *dims)
{
  PhTensor *tensor;

  if (g_rand_int_range (random, 0, 5) == 0)
    {
      guint8 element[16] = {
        0,
      };

      ph_dtype_store_int (dtype, element, 0, g_rand_int_range (random, 1, 7));
      if (ph_dtype_is_float (dtype))
        ph_dtype_store (dtype, element, 0, g_rand_int_range (random, -20, 20) / 4.0);
      return ph_tensor_new_splat (dtype, rank, dims, element);
    }
  tensor = ph_tensor_new (dtype, rank, dims);
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if (ph_dtype_is_float (dtype))
      ph_dtype_store (dtype, ph_tensor_writable (tensor), i, g_rand_int_range (random, -20, 20) / 4.0);
    else
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, g_rand_int_range (random, -300, 300));
  return tensor;
}

/* What the operators mean for two numbers; integers wrap when they are stored. */
static double
real_sum (double x, double z)
{
  return x + z;
}
static double
real_product (double x, double z)
{
  return x * z;
}
static double
real_max (double x, double z)
{
  return MAX (x, z);
}
static gint64
whole_sum (gint64 x, gint64 z)
{
  return (gint64) ((guint64) x + (guint64) z);
}
static gint64
whole_product (gint64 x, gint64 z)
{
  return (gint64) ((guint64) x * (guint64) z);
}
static gint64
whole_max (gint64 x, gint64 z)
{
  return MAX (x, z);
}

static const struct
{
  const PhOp *op;
  double (*real) (double, double);
  gint64 (*whole) (gint64, gint64);
} meanings[] = {
  { &ph_op_Add, real_sum, whole_sum },
  { &ph_op_Mul, real_product, whole_product },
  { &ph_op_Max, real_max, whole_max },
};

static void
check_one (GRand *random)
{
  static const PhDType dtypes[] = { PH_FLOAT, PH_DOUBLE, PH_FLOAT16, PH_BFLOAT16, PH_INT8,  PH_INT16,
                                    PH_INT32, PH_INT64,  PH_UINT8,   PH_UINT16,   PH_UINT32 };
  PhDType dtype = dtypes[g_rand_int_range (random, 0, G_N_ELEMENTS (dtypes))];
  guint which = g_rand_int_range (random, 0, G_N_ELEMENTS (meanings)), full = g_rand_int_range (random, 0, 5);
  guint rank[2], common_rank;
  gint64 size[5], dims[2][5], common[5];
  g_autoptr (PhTensor) a = NULL, b = NULL, actual = NULL, expected = NULL;
  g_autoptr (GError) error = NULL;
  PhWalk walk;

  for (guint i = 0; i < full; i++)
    size[i] = g_rand_int_range (random, 0, 12) == 0 ? 0 : g_rand_int_range (random, 1, 5);
  for (guint k = 0; k < 2; k++)
    {
      rank[k] = g_rand_int_range (random, 0, full + 1);
      for (guint i = 0; i < rank[k]; i++)
        dims[k][i] = g_rand_int_range (random, 0, 3) == 0 ? 1 : size[full - rank[k] + i];
    }
  a = random_tensor (random, dtype, rank[0], dims[0]);
  b = random_tensor (random, dtype, rank[1], dims[1]);
  g_assert_true (ph_broadcast_dims (rank[0], dims[0], rank[1], dims[1], &common_rank, common));
  actual = apply (meanings[which].op, (PhTensor *[]) { a, b }, 2, &error);
  g_assert_no_error (error);

  expected = ph_tensor_new (dtype, common_rank, common);
  ph_walk_init (&walk, common_rank, common);
  ph_walk_add (&walk, rank[0], dims[0]);
  ph_walk_add (&walk, rank[1], dims[1]);
  for (gsize i = 0; i < walk.count; i++, ph_walk_next (&walk))
    if (ph_dtype_is_float (dtype))
      ph_dtype_store (dtype, ph_tensor_writable (expected), i,
                      meanings[which].real (ph_tensor_get (a, walk.offset[0]), ph_tensor_get (b, walk.offset[1])));
    else
      ph_dtype_store_int (dtype, ph_tensor_writable (expected), i,
                          meanings[which].whole (ph_tensor_get_int (a, walk.offset[0]), ph_tensor_get_int (b, walk.offset[1])));
  if (!ph_tensor_equal (actual, expected))
    {
      g_autofree char *x = ph_tensor_to_string (a, 20), *z = ph_tensor_to_string (b, 20);
      g_autofree char *is = ph_tensor_to_string (actual, 20), *should = ph_tensor_to_string (expected, 20);

      g_error ("%s (%s, %s) is %s, should be %s", meanings[which].op->name, x, z, is, should);
    }
}

static void
test_broadcasting (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  for (guint i = 0; i < 3000; i++)
    check_one (random);
}

static void
test_splats_stay (void)
{
  const gint64 dims[] = { 1000, 1000 };
  const float two = 2, three = 3;
  g_autoptr (PhTensor) a = ph_tensor_new_splat (PH_FLOAT, 2, dims, &two), b = ph_tensor_new_splat (PH_FLOAT, 1, dims, &three);
  g_autoptr (PhTensor) sum = apply (&ph_op_Add, (PhTensor *[]) { a, b }, 2, NULL), root = apply (&ph_op_Sqrt, &a, 1, NULL);

  g_assert_true (ph_tensor_is_splat (sum) && ph_tensor_is_splat (root));
  g_assert_cmpfloat (ph_tensor_get (sum, 999999), ==, 5);
  g_assert_cmpfloat (ph_tensor_get (root, 0), ==, sqrtf (2));
  g_assert_cmpint (ph_tensor_count (sum), ==, 1000000);
}

/* Where C says nothing or traps. */
static void
test_integer_corners (void)
{
  const gint64 least[] = { G_MININT64, G_MININT64, 7, -7 }, by[] = { -1, 0, 0, 2 };
  g_autoptr (PhTensor) a = ph_tensor_new_int64s (least, 4), b = ph_tensor_new_int64s (by, 4);
  g_autoptr (PhTensor) quotient = apply (&ph_op_Div, (PhTensor *[]) { a, b }, 2, NULL);
  g_autoptr (PhTensor) rest = apply (&ph_op_Mod, (PhTensor *[]) { a, b }, 2, NULL), size = apply (&ph_op_Abs, &a, 1, NULL);
  g_autoptr (PhTensor) power = apply (&ph_op_Pow, (PhTensor *[]) { b, a }, 2, NULL);

  g_assert_cmpint (ph_tensor_get_int (quotient, 0), ==, G_MININT64);
  g_assert_cmpint (ph_tensor_get_int (quotient, 1), ==, 0);
  g_assert_cmpint (ph_tensor_get_int (quotient, 3), ==, -3);
  g_assert_cmpint (ph_tensor_get_int (rest, 0), ==, 0);
  g_assert_cmpint (ph_tensor_get_int (rest, 3), ==, 1);
  g_assert_cmpint (ph_tensor_get_int (size, 0), ==, G_MININT64);
  g_assert_cmpint (ph_tensor_get_int (power, 0), ==, 1);
  g_assert_cmpint (ph_tensor_get_int (power, 3), ==, 0);
}

static void
test_nan (void)
{
  const float x[] = { NAN, 1, NAN, -0.0f, 0.0f }, z[] = { 1, NAN, NAN, 0.0f, -0.0f };
  g_autoptr (PhTensor) a = ph_tensor_new_floats (x, 5), b = ph_tensor_new_floats (z, 5);
  g_autoptr (PhTensor) most = apply (&ph_op_Max, (PhTensor *[]) { a, b }, 2, NULL);
  g_autoptr (PhTensor) least = apply (&ph_op_Min, (PhTensor *[]) { a, b }, 2, NULL);
  g_autoptr (PhTensor) relu = apply (&ph_op_Relu, &a, 1, NULL), sign = apply (&ph_op_Sign, &a, 1, NULL);

  for (guint i = 0; i < 3; i++)
    {
      g_assert_true (isnan (ph_tensor_get (most, i)));
      g_assert_true (isnan (ph_tensor_get (least, i)));
    }
  g_assert_true (isnan (ph_tensor_get (relu, 0)));
  g_assert_true (isnan (ph_tensor_get (sign, 0)));
  g_assert_false (signbit (ph_tensor_get (sign, 3)));
}

static void
test_refuses (void)
{
  g_autoptr (PhTensor) a = ph_tensor_new (PH_FLOAT, 1, (gint64[]) { 2 }), b = ph_tensor_new (PH_FLOAT, 1, (gint64[]) { 3 });
  g_autoptr (PhTensor) c = NULL;
  g_autoptr (GError) error = NULL;

  c = apply (&ph_op_Add, (PhTensor *[]) { a, b }, 2, &error);
  g_assert_null (c);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "Add"));
}

static const PhDType narrow[] = { PH_INT8, PH_UINT8, PH_INT16, PH_UINT16, PH_INT32, PH_UINT32, PH_FLOAT16, PH_BFLOAT16 };

/* What loops do not work in is converted a part at a time: many elements, and one for all of them on either side. */
static void
test_parts (void)
{
  const gint64 many = 3 * 1024 + 5;

  for (guint t = 0; t < G_N_ELEMENTS (narrow); t++)
    for (guint way = 0; way < 3; way++)
      {
        const PhDType dtype = narrow[t];
        g_autoptr (PhTensor) a = ph_tensor_new (dtype, way != 1, &many), b = ph_tensor_new (dtype, way != 2, &many), c = NULL,
                             expected = ph_tensor_new (dtype, 1, &many);
        PhTensor *const operands[] = { a, b };

        for (guint k = 0; k < 2; k++)
          for (gsize i = 0; i < ph_tensor_count (operands[k]); i++)
            ph_dtype_store_int (dtype, ph_tensor_writable (operands[k]), i, (gint64) (i * 7 + k * 3) % 100 - 40 * (gint64) k);
        for (gsize i = 0; i < (gsize) many; i++)
          {
            const gsize x = way != 1 ? i : 0, z = way != 2 ? i : 0;

            if (ph_dtype_is_float (dtype))
              ph_dtype_store (dtype, ph_tensor_writable (expected), i, ph_tensor_get (a, x) + ph_tensor_get (b, z));
            else
              ph_dtype_store_int (dtype, ph_tensor_writable (expected), i, ph_tensor_get_int (a, x) + ph_tensor_get_int (b, z));
          }
        c = apply (&ph_op_Add, operands, 2, NULL);
        g_assert_cmpmem (ph_tensor_data (c), ph_tensor_bytes (c), ph_tensor_data (expected), ph_tensor_bytes (expected));
      }
}

/* Each kind of integer becomes each other one, and the floats that have loops, as one element after the other does. */
static void
test_conversions (void)
{
  static const PhDType types[] = { PH_INT64, PH_UINT64, PH_INT32, PH_UINT32, PH_INT16, PH_UINT16,
                                   PH_INT8,  PH_UINT8,  PH_BOOL,  PH_FLOAT,  PH_DOUBLE };
  static const gint64 values[] = { 0, 1, -1, 127, 128, 255, 256, -129, 32768, 65537, G_MAXINT32, G_MININT32, 5000000000, -7 };
  const gint64 n = G_N_ELEMENTS (values);

  for (guint f = 0; f + 2 < G_N_ELEMENTS (types); f++)
    for (guint t = 0; t < G_N_ELEMENTS (types); t++)
      {
        g_autoptr (PhTensor) from = ph_tensor_new (types[f], 1, &n), fast = NULL, slow = NULL;

        for (gsize i = 0; i < (gsize) n; i++)
          ph_dtype_store_int (types[f], ph_tensor_writable (from), i, values[i]);
        fast = ph_convert (from, types[t]);
        slow = ph_tensor_cast (from, types[t]);
        g_assert_cmpmem (ph_tensor_data (fast), ph_tensor_bytes (fast), ph_tensor_data (slow), ph_tensor_bytes (slow));
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/elementwise/broadcasting", test_broadcasting);
  g_test_add_func ("/elementwise/splats-stay", test_splats_stay);
  g_test_add_func ("/elementwise/integer-corners", test_integer_corners);
  g_test_add_func ("/elementwise/parts", test_parts);
  g_test_add_func ("/elementwise/conversions", test_conversions);
  g_test_add_func ("/elementwise/nan", test_nan);
  g_test_add_func ("/elementwise/refuses", test_refuses);
  return g_test_run ();
}
