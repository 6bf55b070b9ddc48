/* kernel-bits.c: kernels with fast paths beside plain loops in this file: results agree to the bit.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/run/inputs.h"

typedef struct
{
  PhModel *model;
  GHashTable *feeds;
} Net;

static void
net_clear (Net *net)
{
  g_clear_pointer (&net->feeds, g_hash_table_unref);
  g_clear_pointer (&net->model, ph_model_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Net, net_clear)

static PhTensor *
feed_of (const Net *net, guint input)
{
  return g_hash_table_lookup (net->feeds, net->model->graph->inputs->pdata[input]);
}

/* Reads a graph whose output is y. Inputs of bytes are any bytes. */
static void
net_init (Net *net, const char *inputs, const char *body, guint seed)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 24]> g (%s) => (y) { %s }", inputs, body);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;

  net->model = ph_onnx_text_read (text, -1, "bits", &error);
  g_assert_no_error (error);
  net->feeds = ph_inputs_collect (net->model, NULL, PH_INPUTS_NORMAL, seed, 4, 1, NULL, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < net->model->graph->inputs->len; k++)
    {
      PhTensor *tensor = feed_of (net, k);

      for (gsize i = 0; ph_dtype_size (ph_tensor_dtype (tensor)) == 1 && i < ph_tensor_count (tensor); i++)
        ((guint8 *) ph_tensor_writable (tensor))[i] = (guint8) g_rand_int (random);
    }
}

static PhTensor *
net_run (const Net *net, const PhRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) results = ph_run_model (net->model, net->feeds, NULL, options, &error);

  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (net->model, "y")->id)));
}

/* ── Col2Im ── */

/* Of one of two dimensions in space. */
typedef struct
{
  int in, kernel, stride, dilation, begin, end, out;
} Axis;

static Axis
random_axis (GRand *random, int least_pad)
{
  Axis a = { .out = 0 };

  while (a.out < 1)
    {
      int room;

      a = (Axis) { .in = g_rand_int_range (random, 1, 20),
                   .kernel = g_rand_int_range (random, 1, 4),
                   .stride = g_rand_int_range (random, 1, 4),
                   .dilation = g_rand_int_range (random, 1, 3),
                   .begin = g_rand_int_range (random, least_pad, 5),
                   .end = g_rand_int_range (random, least_pad, 5) };
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
      const Axis a = random_axis (random, -1), b = random_axis (random, -1);
      const int channels = 3, columns = a.out * b.out, taps = a.kernel * b.kernel;
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL, expected = NULL;
      g_autofree char *inputs = g_strdup_printf ("%s[2,%d,%d] x", types[turn % 4], channels * taps, columns), *body = NULL;
      PhTensor *x;
      gpointer image;

      body = g_strdup_printf ("s = Constant <value_ints = [%d, %d]> () k = Constant <value_ints = [%d, %d]> () "
                              "y = Col2Im <strides = [%d, %d], dilations = [%d, %d], pads = [%d, %d, %d, %d]> (x, s, k)",
                              a.in, b.in, a.kernel, b.kernel, a.stride, b.stride, a.dilation, b.dilation, a.begin, b.begin, a.end,
                              b.end);
      net_init (&net, inputs, body, turn);
      x = feed_of (&net, 0);
      y = net_run (&net, NULL);
      expected = ph_tensor_new (ph_tensor_dtype (y), 4, (gint64[]) { 2, channels, a.in, b.in });
      image = ph_tensor_writable (expected);
      for (int i = 0; i < (int) ph_tensor_count (x); i++)
        {
          const int place = i % columns, tap = i / columns % taps, plane = i / columns / taps;
          const int row = place / b.out * a.stride + tap / b.kernel * a.dilation - a.begin;
          const int column = place % b.out * b.stride + tap % b.kernel * b.dilation - b.begin;
          const gsize at = (gsize) ((plane * a.in + row) * b.in + column);

          if (row >= 0 && row < a.in && column >= 0 && column < b.in)
            ph_dtype_store (ph_tensor_dtype (y), image, at,
                            ph_dtype_load (ph_tensor_dtype (y), image, at) + ph_tensor_get (x, (gsize) i));
        }
      g_assert_true (ph_tensor_equal (y, expected));
    }
}

/* ── integers of 32 bits ── */

static gint32
divide (const char *op, gint64 x, gint64 z)
{
  const gint64 rest = z != 0 ? x % z : 0;

  if (g_str_has_prefix (op, "Div"))
    return (gint32) (z != 0 ? x / z : 0);
  return (gint32) (strcmp (op, "Mod") == 0 && rest != 0 && (rest < 0) != (z < 0) ? rest + z : rest);
}

static void
test_integers (void)
{
  static const gint32 ends[] = { 0,       1,     -1,    2, -2, 7, G_MAXINT32, G_MININT32, G_MAXINT32 - 1, G_MININT32 + 1,
                                 1 << 30, 46341, -46341 };
  static const char *const ops[] = { "Div", "Mod", "Mod <fmod = 1>" };
  const guint n = G_N_ELEMENTS (ends), count = n * n + 1000;
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  for (guint turn = 0; turn < 9 * 4; turn++)
    {
      const char *op = ops[turn % 3];
      const gboolean one_x = turn / 3 % 3 == 1, one_z = turn / 3 % 3 == 2;
      g_autofree char *inputs = g_strdup_printf ("int32[%u] x, int32[%u] z", one_x ? 1 : count, one_z ? 1 : count),
                      *body = g_strdup_printf ("y = %s (x, z)", op);
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL;
      gint32 *x, *z;

      net_init (&net, inputs, body, turn);
      x = ph_tensor_writable (feed_of (&net, 0));
      z = ph_tensor_writable (feed_of (&net, 1));
      for (guint i = 0; i < count; i++)
        {
          x[one_x ? 0 : i] = i < n * n && !one_x ? ends[i / n] : (gint32) g_rand_int (random) >> i % 31;
          z[one_z ? 0 : i] = i < n * n && !one_z ? ends[i % n] : (gint32) g_rand_int (random) >> i / 31 % 31;
        }
      y = net_run (&net, NULL);
      for (guint i = 0; i < count; i++)
        g_assert_cmpint (ph_tensor_get_int (y, i), ==, divide (op, x[one_x ? 0 : i], z[one_z ? 0 : i]));
    }
}

/* Reductions in 32 bits are those in 64 of which the upper bits are dropped. */
static void
test_reductions (void)
{
  static const char *const ops[] = { "Sum", "Prod", "SumSquare", "Max", "Min", "L1", "Mean" };
  static const char *const axes[] = { "[0]", "[1]", "[2]", "[0, 2]", "[1, 2]", "[0, 1, 2]" };
  g_autoptr (GRand) random = g_rand_new_with_seed (17);

  for (guint turn = 0; turn < G_N_ELEMENTS (ops) * G_N_ELEMENTS (axes); turn++)
    {
      const char *op = ops[turn / G_N_ELEMENTS (axes)];
      const gboolean is_narrow = g_str_has_prefix (op, "M") && op[1] != 'e' && turn % 2 != 0;
      g_autofree char *body = g_strdup_printf ("a = Constant <value_ints = %s> () n = Reduce%s (x, a) v = Cast <to = 7> (x) "
                                               "w = Reduce%s (v, a) u = Cast <to = %d> (w) y = Equal (n, u)",
                                               axes[turn % G_N_ELEMENTS (axes)], op, op, is_narrow ? PH_UINT8 : PH_INT32);
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL;
      PhTensor *x;

      net_init (&net, is_narrow ? "uint8[5,7,37] x" : "int32[5,7,37] x", body, turn);
      x = feed_of (&net, 0);
      for (gsize i = 0; !is_narrow && i < ph_tensor_count (x); i++)
        ((gint32 *) ph_tensor_writable (x))[i] = i % 50 == 7 ? G_MININT32 : (gint32) (g_rand_int (random) | 1) >> i % 31;
      y = net_run (&net, NULL);
      for (gsize i = 0; i < ph_tensor_count (y); i++)
        if (ph_tensor_get_int (y, i) != 1)
          g_error ("%s: element %zu differs", body, i);
    }
}

/* What holds of integers: a running sum and those after it are the whole sum, and the greatest stands first or last where Arg says. */
static void
test_running (void)
{
  static const char *const types[] = { "int32", "int64", "uint8" };

  for (guint turn = 0; turn < 9; turn++)
    {
      const char *type = types[turn % 3];
      const guint axis = turn / 3;
      g_autofree char *inputs = g_strdup_printf ("%s[5,7,37] x", type);
      g_autofree char *body = g_strdup_printf (
          "k = Constant <value_int = %u> () a = Constant <value_ints = [%u]> () w = Cast <to = 7> (x) c = CumSum (w, k) "
          "r = CumSum <exclusive = 1, reverse = 1> (w, k) e = CumSum <exclusive = 1> (w, k) f = CumSum <reverse = 1> (w, k) t = ReduceSum (w, a) "
          "cr = Add (c, r) ef = Add (e, f) ew = Add (e, w) m = ReduceMax (x, a) i = ArgMax <axis = %u> (x) "
          "j = ArgMax <axis = %u, select_last_index = 1> (x) h = Equal (x, m) b = Cast <to = 7> (h) "
          "u = CumSum (b, k) o = ArgMax <axis = %u> (b) p = ArgMax <axis = %u> (u) y1 = Equal (cr, t) y2 = Equal (ef, t) y3 = Equal (ew, c) "
          "y4 = Equal (i, o) y5 = Equal (j, p) y6 = And (y1, y2) y7 = And (y6, y3) y8 = And (y7, y4) y = And (y8, y5)",
          axis, axis, axis, axis, axis, axis);
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL;

      net_init (&net, inputs, body, turn);
      y = net_run (&net, NULL);
      for (gsize i = 0; i < ph_tensor_count (y); i++)
        if (ph_tensor_get_int (y, i) != 1)
          g_error ("%s along axis %u: element %zu differs", type, axis, i);
    }
}

/* int64 is compared by itself, int32 as all other types are. */
static void
test_order (void)
{
  for (guint turn = 0; turn < 8; turn++)
    {
      g_autofree char *body = g_strdup_printf (
          "k = Constant <value_ints = [%u]> () w = Cast <to = 6> (x) v, i = TopK <axis = %u, largest = %u> (x, k) "
          "u, j = TopK <axis = %u, largest = %u> (w, k) y = Equal (i, j)",
          turn / 4 == 0 ? 3 : 20, turn % 2, turn / 2 % 2, turn % 2, turn / 2 % 2);
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL;

      net_init (&net, "int64[30,40] x", body, turn);
      y = net_run (&net, NULL);
      for (gsize i = 0; i < ph_tensor_count (y); i++)
        g_assert_cmpint (ph_tensor_get_int (y, i), ==, 1);
    }
}

/* ── NonZero ── */

static void
test_non_zero (void)
{
  static const char *const types[] = { "float", "bool", "int32", "double" };
  static const char *const shapes[] = { "", "1", "37", "5,7", "3,1,5", "2,3,4,5", "4,0,3" };

  for (guint turn = 0; turn < 12 * G_N_ELEMENTS (shapes); turn++)
    {
      g_autofree char *inputs = g_strdup_printf ("%s[%s] x", types[turn % 4], shapes[turn / 12]);
      const guint every = turn / 4 % 3; /* 0: all are zero */
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL;
      PhTensor *x;
      gsize found = 0, n;
      guint rank;

      net_init (&net, *shapes[turn / 12] != '\0' ? inputs : "float x", "y = NonZero (x)", turn);
      x = feed_of (&net, 0);
      rank = ph_tensor_rank (x);
      for (gsize i = 0; i < ph_tensor_count (x); i++)
        ph_dtype_store (ph_tensor_dtype (x), ph_tensor_writable (x), i,
                        every == 0 || i % (every + 1) != 0 ? -0.
                        : i % 4 == 0                       ? NAN
                                                           : 1);
      y = net_run (&net, NULL);
      g_assert_cmpint (ph_tensor_dims (y)[0], ==, rank);
      n = (gsize) ph_tensor_dims (y)[1];
      for (gsize i = 0; i < ph_tensor_count (x); i++)
        if (ph_tensor_get (x, i) != 0)
          {
            gsize at = i;

            g_assert_cmpuint (found, <, n);
            for (guint k = rank; k-- > 0; at /= (gsize) ph_tensor_dims (x)[k])
              g_assert_cmpint (ph_tensor_get_int (y, k * n + found), ==, (gint64) at % ph_tensor_dims (x)[k]);
            found++;
          }
      g_assert_cmpuint (found, ==, n);
    }
}

/* ── kernels of bytes ── */

static void
put_odd_floats (PhTensor *x)
{
  static const float odd[] = { NAN, INFINITY, -INFINITY, -0.f, 0, 3e38f };

  for (gsize i = 0; ph_tensor_dtype (x) == PH_FLOAT && i < G_N_ELEMENTS (odd) && i * 5 < ph_tensor_count (x); i++)
    ((float *) ph_tensor_writable (x))[i * 5] = odd[i];
}

/* Runs @body by the kernel @name and by the reference kernel. Returns FALSE if @name did not take it. */
static gboolean
check_kernel (const char *name, const char *inputs, const char *body, guint seed)
{
  guint took = 0;
  g_auto (Net) net = { NULL };
  g_autoptr (PhTensor) fast = NULL, reference = NULL;

  net_init (&net, inputs, body, seed);
  put_odd_floats (feed_of (&net, 0));
  fast = net_run (&net, &(PhRunOptions) { .kernel = name, .took = &took });
  reference = net_run (&net, &(PhRunOptions) { .reference = TRUE });
  if (!ph_tensor_equal (fast, reference))
    g_error ("%s: %s makes another result of seed %u", body, name, seed);
  return took > 0;
}

/* Returns FALSE if the windows read padding alone, as the first ones may. */
static gboolean
reads_image (Axis a)
{
  return (a.out - 1) * a.stride + (a.kernel - 1) * a.dilation >= a.begin;
}

/* The zero points of the weights are anywhere, one for all or one for each channel. */
static void
test_convolutions (void)
{
  const gboolean has_kernel = check_kernel ("dnnl", "uint8[1,2,5,5] x, int8[3,2,2,2] w", "y = ConvInteger (x, w)", 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (guint turn = 0; turn < 60; turn++)
    {
      const Axis a = random_axis (random, 0), b = turn % 5 == 0 ? (Axis) { 1, 1, 1, 1, 0, 0, 1 } : random_axis (random, 0);
      const int groups = g_rand_int_range (random, 1, 4), each = g_rand_int_range (random, 1, 4),
                from = g_rand_int_range (random, 1, 4);
      const gboolean is_single = turn % 4 == 0, is_linear = turn % 3 == 0;
      const char *x = turn % 2 != 0 ? "uint8" : "int8", *w = turn / 2 % 2 != 0 ? "uint8" : "int8";
      g_autofree char *inputs = NULL, *body = NULL, *size = is_single ? g_strdup ("") : g_strdup_printf ("[%d]", groups * each);
      g_autoptr (GString) zeros = g_string_new ("3");

      for (int c = 1; c < (is_single ? 1 : groups * each); c++)
        g_string_append_printf (zeros, ", %d", g_rand_int_range (random, 0, 128));
      inputs = g_strdup_printf ("%s[2,%d,%d,%d] x, %s[%d,%d,%d,%d] w", x, groups * from, a.in, b.in, w, groups * each, from,
                                a.kernel, b.kernel);
      body = g_strdup_printf (
          "s = Constant <value = float {0.5}> () t = Constant <value = float {50.0}> () z = Constant <value = %s {7}> () "
          "u = Constant <value = %s%s {%s}> () y = %s <group = %d, strides = [%d, %d], dilations = [%d, %d], pads = [%d, %d, %d, %d]> (%s)",
          x, w, size, zeros->str, is_linear ? "QLinearConv" : "ConvInteger", groups, a.stride, b.stride, a.dilation, b.dilation,
          a.begin, b.begin, a.end, b.end, is_linear ? "x, s, z, w, s, u, t, z" : "x, w, z, u");
      if (check_kernel ("dnnl", inputs, body, turn) != (has_kernel && reads_image (a) && reads_image (b)))
        g_error ("%s: not run by oneDNN", body);
    }
}

/* Stacks of rows by one matrix, and of matrices; zero points anywhere, those of the right factor and its scales one for each column, too. */
static void
test_products (void)
{
  static const char *const shapes[][3]
      = { { "5,37", "37,9", "9" },         { "1,299", "299,33", "33" },     { "2,3,4,64", "64,65", "65" },
          { "3,5,8", "3,8,7", "7" },       { "2,3,5,17", "2,3,17,4", "4" }, { "1,1", "1,1", "1" },
          { "2,1,4,8", "2,1,8,16", "16" }, { "0,5", "5,3", "3" },           { "3,0", "0,4", "4" } };
  const gboolean has_kernel = check_kernel ("bytes", "uint8[3,5] x, int8[5,2] w", "y = MatMulInteger (x, w)", 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (13);

  for (guint turn = 0; turn < 16 * G_N_ELEMENTS (shapes); turn++)
    {
      const char *const *shape = shapes[turn / 16];
      const char *x = turn % 2 != 0 ? "uint8" : "int8", *w = turn / 2 % 2 != 0 ? "uint8" : "int8";
      const gboolean is_single = turn / 4 % 2 == 0, is_linear = turn / 8 % 2 == 0;
      g_autofree char *inputs = g_strdup_printf ("%s[%s] x, %s[%s] w", x, shape[0], w, shape[1]), *body = NULL;
      const char *size = is_single ? "1" : shape[2];
      g_autoptr (GString) zeros = g_string_new (turn % 3 != 0 ? "5" : "0"), scales = g_string_new ("0.5");

      for (int i = 1; i < atoi (size); i++)
        {
          g_string_append_printf (zeros, ", %d", turn % 3 != 0 ? g_rand_int_range (random, 0, 128) : 0);
          g_string_append_printf (scales, ", 0.%d", g_rand_int_range (random, 1, 10));
        }
      body = g_strdup_printf (
          "s = Constant <value = float {0.5}> () t = Constant <value = float {50.0}> () z = Constant <value = %s {7}> () "
          "u = Constant <value = %s[%s] {%s}> () v = Constant <value = float[%s] {%s}> () y = %s",
          x, w, size, zeros->str, size, scales->str,
          is_linear ? "QLinearMatMul (x, s, z, w, v, u, t, z)" : "MatMulInteger (x, w, z, u)");
      if (check_kernel ("bytes", inputs, body, turn) != (has_kernel && strchr (shape[0], '0') == NULL))
        g_error ("%s: not run by the kernel of bytes", body);
    }
}

/* One scale for each place on an axis, with short lines behind it and with long ones. */
static void
test_lines (void)
{
  static const int sizes[][3]
      = { { 1, 7, 1 }, { 40, 3, 1 }, { 9, 300, 1 }, { 5, 3, 2 }, { 2, 70, 9 }, { 3, 5, 33 }, { 0, 3, 1 } };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint turn = 0; turn < 4 * G_N_ELEMENTS (sizes); turn++)
    {
      const int *size = sizes[turn / 4];
      const char *type = turn % 2 != 0 ? "uint8" : "int8", *input = turn / 2 % 2 != 0 ? "float" : type;
      g_autoptr (GString) scales = g_string_new ("0.01"), zeros = g_string_new ("0");
      g_autofree char *inputs = g_strdup_printf ("%s[%d,%d,%d] x", input, size[0], size[1], size[2]), *body = NULL;

      for (int i = 1; i < size[1]; i++)
        {
          g_string_append_printf (scales, ", 0.%03d", g_rand_int_range (random, 1, 1000));
          g_string_append_printf (zeros, ", %d", g_rand_int_range (random, 0, 128));
        }
      body = g_strdup_printf ("s = Constant <value = float[%d] {%s}> () z = Constant <value = %s[%d] {%s}> () y = %s (x, s, z)",
                              size[1], scales->str, type, size[1], zeros->str,
                              input == type ? "DequantizeLinear" : "QuantizeLinear");
      g_assert_cmpint (check_kernel ("bytes", inputs, body, turn), ==, size[0] > 0);
    }
}

/* Wider integers: less the zero point and times the scale in double, rounded once; and back. */
static void
test_wide_integers (void)
{
  static const char *const types[] = { "int32", "int16", "uint16" };

  for (guint turn = 0; turn < G_N_ELEMENTS (types); turn++)
    {
      g_autofree char *inputs = g_strdup_printf ("%s[5,37] x", types[turn]);
      g_autofree char *body = g_strdup_printf (
          "s = Constant <value = float {0.37}> () z = Constant <value = %s {%u}> () q = DequantizeLinear (x, s, z) d = Cast <to = 11> (x) "
          "e = Cast <to = 11> (z) f = Cast <to = 11> (s) g = Sub (d, e) h = Mul (g, f) i = Cast <to = 1> (h) a = Equal (q, i) %s",
          types[turn], turn * 9, turn > 0 ? "b = QuantizeLinear (q, s, z) c = Equal (b, x) y = And (a, c)" : "y = Not (a)");
      g_auto (Net) net = { NULL };
      g_autoptr (PhTensor) y = NULL;
      PhTensor *x;

      net_init (&net, inputs, body, turn);
      x = feed_of (&net, 0);
      for (gsize i = 0; i < ph_tensor_count (x); i++)
        ph_dtype_store_int (ph_tensor_dtype (x), ph_tensor_writable (x), i,
                            turn == 0 ? (gint64) i * 11618221 - G_MAXINT32 : (gint64) i * 352 - (turn == 1 ? 32768 : 0));
      y = net_run (&net, NULL);
      for (gsize i = 0; i < ph_tensor_count (y); i++)
        if (ph_tensor_get_int (y, i) != (turn > 0))
          g_error ("%s: element %zu differs", types[turn], i);
    }
}

/* Zeros of the padding are multiplied, which shows where a weight is infinite. */
static void
test_padding (void)
{
  g_assert_true (
      check_kernel ("lines", "float[4,1,5] w, float[1,4,33] x",
                    "a = Conv <group = 4, pads = [4, 3]> (x, w) b = IsNaN (a) c = IsInf (a) y = Concat <axis = 0> (b, c)", 1));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-bits/col2im", test_col2im);
  g_test_add_func ("/kernel-bits/integers", test_integers);
  g_test_add_func ("/kernel-bits/reductions", test_reductions);
  g_test_add_func ("/kernel-bits/running", test_running);
  g_test_add_func ("/kernel-bits/order", test_order);
  g_test_add_func ("/kernel-bits/non-zero", test_non_zero);
  g_test_add_func ("/kernel-bits/convolutions", test_convolutions);
  g_test_add_func ("/kernel-bits/products", test_products);
  g_test_add_func ("/kernel-bits/lines", test_lines);
  g_test_add_func ("/kernel-bits/wide-integers", test_wide_integers);
  g_test_add_func ("/kernel-bits/padding", test_padding);
  return g_test_run ();
}
