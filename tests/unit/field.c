/* field.c: tests of the evaluation over a finite field: what is equal is proved, what differs never is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/history.h"
#include "core/io/io.h"
#include "core/ops/builder.h"
#include "core/ops/infer.h"
#include "core/prove/field/field.h"
#include "core/run/recipe.h"
#include "core/tensor/origin.h"

static PhModel *
read_model (const char *inputs, const char *body)
{
  g_autofree char *text = g_strdup_printf (
      "<ir_version: 10, opset_import: [\"\" : 23, \"com.microsoft\" : 1]> g (%s) => (y) { %s }", inputs, body);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);

  if (model == NULL)
    g_error ("%s: %s", body, error->message);
  ph_infer_model (model, FALSE, NULL, &error);
  g_assert_no_error (error);
  return model;
}

static const char *
name_of (PhFieldResult result)
{
  return result == PH_FIELD_EQUAL ? "equal" : result == PH_FIELD_UNEQUAL ? "unequal" : "unknown";
}

/* With three seeds. @expected: NULL: anything but equal. */
static PhFieldReport *
compare (const char *inputs, const char *before, const char *after, const char *expected)
{
  g_autoptr (PhModel) a = read_model (inputs, before), b = read_model (inputs, after);
  PhFieldReport *report = NULL;

  for (guint seed = 0; seed < 3; seed++)
    {
      g_clear_pointer (&report, ph_field_report_free);
      report = ph_field_compare (a, b, NULL, NULL, seed, NULL, NULL);
      if (expected != NULL ? !g_str_equal (name_of (report->result), expected) : report->result == PH_FIELD_EQUAL)
        g_error ("%s\n -> %s\nis %s (%s), not %s", before, after, name_of (report->result), report->why, expected);
      if (report->result == PH_FIELD_EQUAL)
        g_assert_cmpfloat (report->log2_bound, <=, -20);
      else
        g_assert_nonnull (report->why);
    }
  return report;
}

static void
check (const char *inputs, const char *before, const char *after, const char *expected)
{
  ph_field_report_free (compare (inputs, before, after, expected));
}

#define EQUAL(inputs_, before_, after_)   check (inputs_, before_, after_, "equal")
#define UNEQUAL(inputs_, before_, after_) check (inputs_, before_, after_, NULL)

#define NUM(name_, number_) name_ " = Constant <value_float = " number_ "> () "
#define INTS(name_, ints_)  name_ " = Constant <value_ints = [" ints_ "]> () "
#define AB                  "float[2,3] a, float[2,3] b"

static void
test_arithmetic (void)
{
  EQUAL (AB, "y = Add (a, b)", "y = Add (b, a)");
  EQUAL (AB, "s = Add (a, b) d = Sub (a, b) y = Mul (s, d)", "p = Mul (a, a) q = Mul (b, b) y = Sub (p, q)");
  EQUAL (AB, "s = Add (a, b) y = Div (s, s) ", NUM ("one", "1.0") "z = Sub (a, a) y = Add (z, one)");
  EQUAL (AB, "y = Div (a, b)", "r = Reciprocal (b) y = Mul (r, a)");
  EQUAL (AB, NUM ("c", "4.0") "y = Div (a, c)", NUM ("c", "0.25") "y = Mul (a, c)");
  EQUAL (AB, NUM ("two", "2.0") "y = Pow (a, two)", "y = Mul (a, a)");
  EQUAL (AB, "y = Sum (a, b, a)", "s = Add (a, a) y = Add (b, s)");
  EQUAL ("float[3] a, float[4,2,3] b", "y = Add (a, b)", "y = Add (b, a)");
  EQUAL ("float[3] a, float[4,1,3] b, bool[2,1] c", "y = Where (c, a, b)", "n = Not (c) y = Where (n, b, a)");
  UNEQUAL (AB, "y = Sub (a, b)", "y = Sub (b, a)");
  UNEQUAL (AB, NUM ("c", "3.0") "y = Div (a, c)", NUM ("c", "0.3333333") "y = Mul (a, c)");
  UNEQUAL (AB, NUM ("c", "0.70710677") "y = Mul (a, c)", NUM ("c", "0.70710671") "y = Mul (a, c)");
  UNEQUAL (AB, "y = Mul (a, a)", "y = Mul (a, b)");
  UNEQUAL (AB, "y = Identity (a)", INTS ("s", "3, 2") "y = Reshape (a, s)");
}

static void
test_movement (void)
{
  EQUAL (AB, "t = Transpose (a) u = Transpose (t) y = Add (u, b)", "y = Add (a, b)");
  EQUAL (AB, "c = Concat <axis = 0> (a, b) " INTS ("s", "2") INTS ("e", "4") INTS ("x", "0") "y = Slice (c, s, e, x)",
         "y = Identity (b)");
  EQUAL ("float[2,3,4] a", INTS ("s", "6, 4") "r = Reshape (a, s) " INTS ("t", "2, 3, 4") "y = Reshape (r, t)",
         "y = Identity (a)");
  EQUAL (AB, INTS ("p", "1, 0, 0, 2") "q = Pad (a, p) " INTS ("s", "1, 0") INTS ("e", "3, 3") "y = Slice (q, s, e)",
         "y = Identity (a)");
  EQUAL (AB, "s = Shape (a) " NUM ("one", "1.0") "e = Expand (one, s) y = Mul (b, e)", "y = Identity (b)");
  UNEQUAL ("float[3,3] a", "y = Transpose (a)", "y = Identity (a)");
  UNEQUAL ("float[2,2,2] a", "y = Transpose <perm = [0, 2, 1]> (a)", "y = Transpose <perm = [2, 0, 1]> (a)");
  UNEQUAL ("float[4] a", INTS ("s", "0") INTS ("e", "3") "y = Slice (a, s, e)",
           INTS ("s", "1") INTS ("e", "4") "y = Slice (a, s, e)");
  UNEQUAL ("float[4] a", INTS ("p", "1, 0") "y = Pad (a, p)", INTS ("p", "0, 1") "y = Pad (a, p)");
}

#define QUANTISED "float[3,3] x, float[3] s, int8[3] z, float u, int8 o"
#define READ      "int8[3,3] x, float[3] s, int8[3] z, float u, int8 o, float c"

static void
test_quantised (void)
{
  EQUAL (QUANTISED, "t = Transpose (x) q = QuantizeLinear (t, u, o) y = Transpose (q)", "y = QuantizeLinear (x, u, o)");
  EQUAL (QUANTISED, "t = Transpose (x) q = QuantizeLinear <axis = 0> (t, s, z) y = Transpose (q)",
         "y = QuantizeLinear (x, s, z)");
  EQUAL (QUANTISED, "y = QuantizeLinear <axis = 0> (x, u, o)", "y = QuantizeLinear <axis = 1> (x, u, o)");
  EQUAL (READ, "t = Transpose (x) q = DequantizeLinear <axis = -2> (t, s, z) y = Transpose (q)",
         "y = DequantizeLinear (x, s, z)");
  EQUAL (READ, "d = DequantizeLinear (x, u, o) y = Mul (d, c)", "v = Mul (u, c) y = DequantizeLinear (x, v, o)");
  EQUAL (READ, "y = DequantizeLinear (x, u)", "n = Constant <value = int8 {0}> () y = DequantizeLinear (x, u, n)");
  UNEQUAL (QUANTISED, "y = QuantizeLinear <axis = 0> (x, s, z)", "y = QuantizeLinear (x, s, z)");
  UNEQUAL (QUANTISED, "y = QuantizeLinear (x, u, o)", "n = Neg (x) y = QuantizeLinear (n, u, o)");
  UNEQUAL ("float[2] x, float u, float8e4m3fn o", "y = QuantizeLinear (x, u, o)", "y = QuantizeLinear <saturate = 0> (x, u, o)");
  UNEQUAL ("float[4] x, float[2] s", "y = QuantizeLinear <axis = 0, block_size = 2> (x, s)",
           "y = QuantizeLinear <axis = 0, block_size = 3> (x, s)");
  UNEQUAL (READ, "y = DequantizeLinear <axis = 0> (x, s, z)", "y = DequantizeLinear (x, s, z)");
  UNEQUAL (READ, "y = DequantizeLinear (x, u, o)", "y = DequantizeLinear (x, u)");
  UNEQUAL (READ, "y = DequantizeLinear (x, s)", "y = DequantizeLinear (x, u)");
}

static void
test_products (void)
{
  EQUAL ("float[2,3] a, float[3,4] b", "p = MatMul (a, b) y = Transpose (p)",
         "s = Transpose (a) t = Transpose (b) y = MatMul (t, s)");
  EQUAL ("float[2,3] a, float[4,3] b, float[4] c", "y = Gemm <transB = 1> (a, b, c)",
         "t = Transpose (b) p = MatMul (a, t) y = Add (p, c)");
  EQUAL ("float[2,5,3] a, float[2,3,4] b", "y = Einsum <equation = \"bij,bjk->bik\"> (a, b)", "y = MatMul (a, b)");
  EQUAL ("float[1,4,5,5] x, float[6,4,1,1] w, float[6] b", "y = Conv (x, w, b)",
         INTS ("s", "4, 25") INTS ("v", "6, 4") INTS ("o", "1, 6, 5, 5")
             INTS ("k", "6, 1") "r = Reshape (x, s) u = Reshape (w, v) "
                                "p = MatMul (u, r) c = Reshape (b, k) q = Add (p, c) y = Reshape (q, o)");
  EQUAL ("float[1,4,6,6] x, float[4,2,3,3] w",
         NUM ("c", "2.0") "z = Conv <group = 2, strides = [2, 2], pads = [1, 1, 1, 1]> (x, w) y = Mul (z, c)",
         NUM ("c", "2.0") "v = Mul (w, c) y = Conv <group = 2, strides = [2, 2], pads = [1, 1, 1, 1]> (x, v)");
  EQUAL ("float[1,2,4] x, float[2,3,2] w", NUM ("c", "2.0") "z = ConvTranspose <strides = [2]> (x, w) y = Mul (z, c)",
         NUM ("c", "2.0") "v = Mul (x, c) y = ConvTranspose <strides = [2]> (v, w)");
  UNEQUAL ("float[3,3] a, float[3,3] b", "y = MatMul (a, b)", "y = MatMul (b, a)");
  UNEQUAL (AB, NUM ("z", "0.0") NUM ("s", "6.0") "y = Clip (a, z, s)", NUM ("z", "0.0") NUM ("s", "6.0") "y = Clip (z, a, s)");
  UNEQUAL ("float[1,4,6,6] x, float[4,4,3,3] w", "y = Conv <pads = [1, 1, 1, 1]> (x, w)",
           "y = Conv <pads = [0, 0, 2, 2]> (x, w)");
  UNEQUAL ("float[1,4,6,6] x, float[4,4,3,3] w", "y = Conv <pads = [2, 2, 2, 2], dilations = [2, 2]> (x, w)",
           "y = Conv <pads = [1, 1, 1, 1]> (x, w)");
}

static void
test_reductions (void)
{
  EQUAL ("float[2,3,4] a", INTS ("x", "1") INTS ("z", "2") "s = ReduceSum (a, x) y = ReduceSum (s, z)",
         INTS ("x", "1, 2") "y = ReduceSum (a, x)");
  EQUAL ("float[2,3,4,5] a", "y = GlobalAveragePool (a)", INTS ("x", "2, 3") "y = ReduceMean (a, x)");
  EQUAL ("float[2,6] a", INTS ("x", "1") "y = ReduceMax (a, x)", INTS ("x", "-1") "y = ReduceMax (a, x)");
  EQUAL ("float[2,6] a", INTS ("s", "3, 2, 2") INTS ("x", "1") "y = ReduceMax <keepdims = 0> (a, x)",
         INTS ("x", "0") "t = Transpose (a) y = ReduceMax <keepdims = 0> (t, x)");
  EQUAL ("float[2,5] a", "y = Softmax (a)", INTS ("x", "1") "e = Exp (a) s = ReduceSum (e, x) y = Div (e, s)");
  EQUAL ("float[2,5] a", "y = Softmax (a)", INTS ("x", "1") "m = ReduceMax (a, x) d = Sub (a, m) y = Softmax (d)");
  EQUAL ("float[2,5] a",
         INTS ("x", "1") "m = ReduceMean (a, x) d = Sub (a, m) s = Mul (d, d) v = ReduceMean (s, x) " NUM (
             "e", "1e-5") "w = Add (v, e) r = Sqrt (w) n = Div (d, r) y = Add (n, a)",
         "one = ConstantOfShape <value = float[1] {1.0}> (f) f = Constant <value_ints = [5]> () "
         "n = LayerNormalization (a, one) y = Add (n, a)");
  UNEQUAL ("float[3,3] a", INTS ("x", "0") "y = ReduceSum <keepdims = 0> (a, x)",
           INTS ("x", "1") "y = ReduceSum <keepdims = 0> (a, x)");
  UNEQUAL ("float[1,2,6,6] a", "y = MaxPool <kernel_shape = [2, 2]> (a)",
           INTS ("s", "0, 0") INTS ("e", "5, 5") INTS ("x", "2, 3") "y = Slice (a, s, e, x)");
  UNEQUAL ("float[1,1,4,4] a", "y = AveragePool <kernel_shape = [2, 2], pads = [1, 1, 0, 0], count_include_pad = 1> (a)",
           "y = AveragePool <kernel_shape = [2, 2], pads = [1, 1, 0, 0]> (a)");
  UNEQUAL ("float[2,5] a", "y = Softmax <axis = 0> (a)", "y = Softmax <axis = 1> (a)");
  UNEQUAL ("float[2,6] a", INTS ("x", "1") "y = ReduceMax (a, x)", INTS ("x", "1") "y = ReduceMin (a, x)");
}

static void
test_functions (void)
{
  EQUAL (AB, "p = Exp (a) q = Exp (b) y = Mul (p, q)", "s = Add (a, b) y = Exp (s)");
  EQUAL (AB, "s = Sigmoid (a) y = Mul (a, s)", "y = Swish (a)");
  EQUAL (AB, "n = Neg (a) e = Exp (n) " NUM ("o", "1.0") "s = Add (e, o) y = Reciprocal (s)", "y = Sigmoid (a)");
  EQUAL (AB,
         NUM ("r", "1.41421354") "d = Div (a, r) e = Erf (d) " NUM ("o", "1.0") "p = Add (e, o) m = Mul (a, p) " NUM (
             "h", "0.5") "y = Mul (m, h)",
         "y = Gelu (a)");
  EQUAL (AB, "y = Sqrt (a)", NUM ("h", "0.5") "y = Pow (a, h)");
  EQUAL (AB, "y = Tanh (a)", "n = Neg (a) t = Tanh (n) y = Neg (t)");
  UNEQUAL (AB, "y = Exp (a)", "y = Exp (b)");
  UNEQUAL (AB, "y = Sigmoid (a)", "y = Tanh (a)");
  UNEQUAL (AB,
           NUM ("r", "1.4142134") "d = Div (a, r) e = Erf (d) " NUM ("o", "1.0") "p = Add (e, o) m = Mul (a, p) " NUM (
               "h", "0.5") "y = Mul (m, h)",
           "y = Gelu (a)");
  UNEQUAL (AB, "y = Gelu (a)", "y = Gelu <approximate = \"tanh\"> (a)");
  UNEQUAL (AB, "p = Exp (a) q = Exp (b) y = Add (p, q)", "s = Add (a, b) y = Exp (s)");
  UNEQUAL (AB, "q = Mul (a, a) y = Sqrt (q)", "y = Identity (a)");
}

static void
test_signs (void)
{
  EQUAL (AB, "y = Max (a, b)", "y = Max (b, a)");
  EQUAL (AB, "y = Relu (a)", NUM ("z", "0.0") "y = Max (z, a)");
  EQUAL (AB, "r = Relu (a) y = Relu (r)", "y = Relu (a)");
  EQUAL (AB, NUM ("t", "3.0") NUM ("z", "0.0") NUM ("s", "6.0") "p = Add (a, t) c = Clip (p, z, s) d = Div (c, s) y = Mul (a, d)",
         "y = HardSwish (a)");
  EQUAL (AB, "n = Neg (a) y = Abs (n)", "y = Abs (a)");
  EQUAL (AB, "l = Max (a, b) s = Min (a, b) y = Add (l, s)", "y = Add (a, b)");
  EQUAL (AB, "c = Greater (a, b) y = Where (c, a, b)", "c = Less (b, a) y = Where (c, a, b)");
  EQUAL (AB, "c = Greater (a, b) d = Not (c) y = Where (d, a, b)", "c = LessOrEqual (a, b) y = Where (c, a, b)");
  UNEQUAL (AB, "c = Greater (a, b) y = Where (c, a, b)", "c = GreaterOrEqual (a, b) y = Where (c, a, b)");
  UNEQUAL (AB, "y = Greater (a, b)", "y = GreaterOrEqual (a, b)");
  EQUAL (AB, "c = Less (a, a) y = Where (c, a, b)", "y = Identity (b)");
  /* 2 / a * a is 2, but rounding decides whether it is less. */
  UNEQUAL (AB, NUM ("t", "2.0") "d = Div (t, a) m = Mul (d, a) c = Less (m, t) y = Where (c, a, b)", "y = Identity (b)");
  UNEQUAL (AB, "y = Max (a, b)", "y = Min (a, b)");
  UNEQUAL (AB, "y = Relu (a)", "y = Identity (a)");
  UNEQUAL ("float[1] a", "y = Relu (a)", "y = Identity (a)");
  UNEQUAL (AB, NUM ("m", "-3.0") "p = Mul (a, m) y = Relu (p)", NUM ("m", "-3.0") "r = Relu (a) y = Mul (r, m)");
  /* 5 is no square modulo p: Euler's criterion alone would take it for negative. */
  UNEQUAL (AB, NUM ("m", "5.0") "p = Mul (a, m) y = Relu (p)", NUM ("m", "5.0") NUM ("z", "0.0") "r = Min (a, z) y = Mul (r, m)");
  UNEQUAL (AB, NUM ("m", "7.0") "p = Mul (a, m) y = Relu (p)", NUM ("m", "7.0") NUM ("z", "0.0") "r = Min (a, z) y = Mul (r, m)");
  EQUAL (AB, NUM ("m", "5.0") "p = Mul (a, m) y = Relu (p)", NUM ("m", "5.0") "r = Relu (a) y = Mul (r, m)");
  EQUAL (AB, NUM ("m", "0.3") "p = Mul (a, m) q = Mul (b, m) y = Max (p, q)", NUM ("m", "0.3") "r = Max (a, b) y = Mul (r, m)");
  /* Modulo the usual prime 2 x + 3 x has the sign of -x. */
  UNEQUAL (AB, NUM ("m", "2.0") NUM ("n", "3.0") "p = Mul (a, m) q = Mul (a, n) s = Add (p, q) y = Relu (s)",
           NUM ("m", "2.0") NUM ("n", "3.0")
               NUM ("z", "0.0") "p = Mul (a, m) q = Mul (a, n) u = Min (p, z) v = Min (q, z) y = Add (u, v)");
  UNEQUAL (AB, NUM ("z", "0.0") NUM ("s", "6.0") "y = Clip (a, z, s)", NUM ("z", "0.0") NUM ("s", "5.5") "y = Clip (a, z, s)");
  UNEQUAL (AB, "y = LeakyRelu <alpha = 0.1> (a)", "y = LeakyRelu <alpha = 0.2> (a)");
  UNEQUAL ("float[1] a", "r = Relu (a) y = Div (r, r)", NUM ("z", "0.0") NUM ("o", "1.0") "p = Mul (a, z) y = Add (p, o)");
  UNEQUAL (AB, "c = Equal (a, b) y = Where (c, a, b)", "y = Identity (b)");
}

static void
test_casts (void)
{
  EQUAL (AB, "d = Cast <to = 11> (a) y = Cast <to = 1> (d)", "d = Cast <to = 11> (a) y = Cast <to = 1> (d)");
  UNEQUAL (AB, "h = Cast <to = 10> (a) y = Cast <to = 1> (h)", "y = Identity (a)");
  UNEQUAL (AB, "h = Cast <to = 6> (a) y = Cast <to = 1> (h)", "y = Identity (a)");
  UNEQUAL ("int64[4] a", "y = Cast <to = 1> (a)", "d = Cast <to = 3> (a) y = Cast <to = 1> (d)");
  UNEQUAL ("float[4] a", "y = Floor (a)", "y = Ceil (a)");
  UNEQUAL ("int64[4] a", INTS ("m", "2") "p = Mul (a, m) y = Div (p, m)", "y = Identity (a)");
  UNEQUAL ("float[4] a", "y = RandomNormalLike (a)", "y = RandomNormalLike (a)");
}

static void
test_infinities (void)
{
  g_autofree char *with = g_strdup ("m = Constant <value_float = -inf> () "), *plain = NULL;

  EQUAL ("float[2,3] a, bool[2,3] c", "m = Constant <value_float = -inf> () y = Where (c, a, m)",
         "m = Constant <value_float = -inf> () n = Not (c) y = Where (n, m, a)");
  plain = g_strconcat (with, "s = Add (a, m) y = Sub (s, m)", NULL);
  UNEQUAL (AB, plain, "y = Identity (a)");
}

static void
test_constants (void)
{
  g_autoptr (PhFieldReport) report = compare (AB, NUM ("c", "3.0") NUM ("d", "7.0") "q = Div (c, d) y = Mul (a, q)",
                                              "q = Constant <value_float = 0.428571433> () y = Mul (a, q)", "equal");

  EQUAL (AB, NUM ("c", "0.1") NUM ("d", "0.7") "p = Mul (a, c) y = Mul (p, d)",
         NUM ("c", "0.1") NUM ("d", "0.7") "q = Mul (c, d) y = Mul (a, q)");
  EQUAL ("float[2] a", NUM ("c", "0.123456789") "y = Add (c, c)", NUM ("c", "0.246913578") "y = Identity (c)");
  UNEQUAL ("float[2] a", INTS ("c", "3") "y = Add (c, c)", INTS ("c", "5") "y = Identity (c)");
  EQUAL ("float[2] a", INTS ("c", "3") "y = Add (c, c)", INTS ("c", "6") "y = Identity (c)");
}

/* Integers are variables where that is enough, and what was fed where it is not. */
static void
test_fixed (void)
{
  static const char inputs[] = "int64[3] i, float[3] a", gather[] = "y = Gather (a, i)";
  g_autoptr (PhModel) same = read_model (inputs, "c = Cast <to = 1> (i) y = Mul (a, c)"),
                      swapped = read_model (inputs, "c = Cast <to = 1> (i) y = Mul (c, a)");
  g_autoptr (PhModel) picks = read_model (inputs, gather), keeps = read_model (inputs, "y = Identity (a)");
  g_autoptr (PhTensor) order = ph_tensor_new_int64s ((gint64[]) { 0, 1, 2 }, 3);
  g_autoptr (GHashTable) fixed = g_hash_table_new (NULL, NULL);
  PhFieldReport *report;

  g_hash_table_insert (fixed, GUINT_TO_POINTER (0), order);
  report = ph_field_compare (same, swapped, fixed, NULL, 1, NULL, NULL);
  g_assert_cmpint (report->result, ==, PH_FIELD_EQUAL);
  g_assert_false (report->used_fixed);
  ph_field_report_free (report);
  report = ph_field_compare (picks, keeps, fixed, NULL, 1, NULL, NULL);
  g_assert_cmpint (report->result, ==, PH_FIELD_EQUAL);
  g_assert_true (report->used_fixed);
  ph_field_report_free (report);
  report = ph_field_compare (picks, keeps, NULL, NULL, 1, NULL, NULL);
  g_assert_cmpint (report->result, !=, PH_FIELD_EQUAL);
  ph_field_report_free (report);
}

/* ── recipes ── */

static PhTensor *
thirds (PhRecipe *recipe)
{
  g_autoptr (PhTensor) three = ph_tensor_new_floats ((float[]) { 3, 7, 5 }, 3);
  g_autoptr (GError) error = NULL;
  PhTensor *inverse = ph_recipe_tensor (
      recipe, PH_BUILD (ph_recipe_builder (recipe), Div, ph_recipe_number (recipe, 1), ph_recipe_wide (recipe, three)), PH_FLOAT,
      &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (ph_tensor_get (inverse, 1), ==, (float) (1.0 / 7.0));
  return inverse;
}

/* The product of a and a constant. */
static PhModel *
product (PhTensor *factor)
{
  PhModel *model = ph_model_new ();
  PhBuilder b = { .graph = model->graph };
  PhValue *a;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  a = ph_graph_add_input (model->graph, "a", ph_type_static (PH_FLOAT, 1, (gint64[]) { 3 }), NULL, 0, &b.error);
  ph_graph_set_output (model->graph, 0, PH_BUILD (&b, Mul, a, ph_build_tensor (&b, ph_tensor_ref (factor))), &b.error);
  g_assert_no_error (b.error);
  return model;
}

static void
test_recipes (void)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new (), spare = ph_recipe_new ();
  g_autoptr (PhTensor) inverse = thirds (recipe), plain = ph_tensor_new_floats ((float[]) { 1 / 3.f, 1 / 7.f, 1 / 5.f }, 3);
  g_autoptr (PhTensor) wrong = ph_tensor_new_floats ((float[]) { 1 / 3.f, 1 / 7.f, 0.2000001f }, 3), source = thirds (spare);
  g_autoptr (PhModel) before = read_model ("float[3] a", "c = Constant <value_floats = [3.0, 7.0, 5.0]> () y = Div (a, c)");
  g_autoptr (PhModel) with = product (inverse), lies = NULL;
  g_autoptr (PhFieldReport) report = ph_field_compare (before, with, NULL, NULL, 1, NULL, NULL);

  g_assert_nonnull (ph_recipe_of (inverse));
  g_assert_true (ph_tensor_equal (inverse, plain));
  g_assert_cmpint (report->result, ==, PH_FIELD_EQUAL);
  g_assert_true (report->rounded_constants);
  ph_field_report_free (report);

  /* What both sides have is what it holds. */
  report = ph_field_compare (with, with, NULL, NULL, 1, NULL, NULL);
  g_assert_cmpint (report->result, ==, PH_FIELD_EQUAL);
  g_assert_false (report->rounded_constants);
  ph_field_report_free (report);

  /* A constant that is not what its recipe gives. */
  ph_tensor_set_origin (wrong, ph_model_clone (ph_recipe_of (source)), (GDestroyNotify) ph_model_free);
  g_assert_false (ph_recipe_holds (wrong, NULL));
  lies = product (wrong);
  report = ph_field_compare (before, lies, NULL, NULL, 1, NULL, NULL);
  g_assert_cmpint (report->result, !=, PH_FIELD_EQUAL);
}

/* Weights of a product that takes too many multiplications are not read first. */
static void
test_large (void)
{
  g_autoptr (PhTensor) weights = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 4096, 4096 }),
                       rows = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 24, 4096 }),
                       row = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 1, 4096 });
  g_autoptr (PhModel) model = ph_model_new ();
  PhBuilder b = { .graph = model->graph };
  PhValue *a;
  g_autoptr (PhFieldImages) images = ph_field_images_new ();
  g_autoptr (PhFieldReport) report = NULL;

  ((float *) ph_tensor_writable (weights))[5] = 1.5f;
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  a = ph_graph_add_input (model->graph, "a", ph_type_tensor (PH_FLOAT, 2, (PhDim[]) { PH_DIM_UNKNOWN, PH_DIM (4096) }), NULL, 0,
                          &b.error);
  ph_graph_set_output (model->graph, 0, PH_BUILD (&b, MatMul, a, ph_build_tensor (&b, ph_tensor_ref (weights))), &b.error);
  g_assert_no_error (b.error);
  report = ph_field_compare (model, model, NULL, &rows, 1, images, NULL);
  g_assert_cmpint (report->result, ==, PH_FIELD_UNKNOWN);
  g_assert_cmpuint (ph_field_images_n_made (images), ==, 0);
  ph_field_report_free (report);

  report = ph_field_compare (model, model, NULL, &row, 1, images, NULL);
  g_assert_cmpint (report->result, ==, PH_FIELD_EQUAL);
  g_assert_cmpuint (ph_field_images_n_made (images), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field/arithmetic", test_arithmetic);
  g_test_add_func ("/field/movement", test_movement);
  g_test_add_func ("/field/quantised", test_quantised);
  g_test_add_func ("/field/products", test_products);
  g_test_add_func ("/field/reductions", test_reductions);
  g_test_add_func ("/field/functions", test_functions);
  g_test_add_func ("/field/signs", test_signs);
  g_test_add_func ("/field/casts", test_casts);
  g_test_add_func ("/field/infinities", test_infinities);
  g_test_add_func ("/field/constants", test_constants);
  g_test_add_func ("/field/fixed", test_fixed);
  g_test_add_func ("/field/large", test_large);
  g_test_add_func ("/field/recipes", test_recipes);
  return g_test_run ();
}
