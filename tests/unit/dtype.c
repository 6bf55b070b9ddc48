/* dtype.c: tests of element types and of the conversions between them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/dtype.h"

#include <math.h>
#include <string.h>

static void
test_names (void)
{
  for (int i = 1; i < PH_N_DTYPES; i++)
    {
      g_assert_cmpint (ph_dtype_from_name (ph_dtype_name (i)), ==, i);
      g_assert_cmpint (ph_dtype_size (i), >, 0);
    }
  g_assert_cmpint (ph_dtype_from_name ("float128"), ==, PH_UNDEFINED);
  g_assert_cmpint (ph_dtype_size (PH_UNDEFINED), ==, 0);
  g_assert_cmpint (ph_dtype_file_bits (PH_INT4), ==, 4);
}

/* Every pattern of every float of up to 16 bits survives the way to double and back. */
static void
test_round_trips (void)
{
  static const PhDType types[] = { PH_FLOAT16,    PH_BFLOAT16,       PH_FLOAT8E4M3FN, PH_FLOAT8E4M3FNUZ,
                                   PH_FLOAT8E5M2, PH_FLOAT8E5M2FNUZ, PH_FLOAT4E2M1,   PH_FLOAT8E8M0 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint bits = 0; bits < 1u << ph_dtype_file_bits (types[t]); bits++)
      {
        guint16 pattern = bits, back = 0;
        const double value = ph_dtype_load (types[t], &pattern, 0);

        ph_dtype_store (types[t], &back, 0, value);
        if (isnan (value))
          g_assert_true (isnan (ph_dtype_load (types[t], &back, 0)));
        else if (!(types[t] == PH_FLOAT8E5M2 && isinf (value))) /* float8 saturates */
          g_assert_cmphex (back, ==, bits);
      }
}

static guint
stored (PhDType dtype, double value)
{
  guint64 out = 0;

  ph_dtype_store (dtype, &out, 0, value);
  return (guint) out;
}

static void
test_half (void)
{
  g_assert_cmphex (stored (PH_FLOAT16, 1), ==, 0x3c00);
  g_assert_cmphex (stored (PH_FLOAT16, -0.0), ==, 0x8000);
  g_assert_cmphex (stored (PH_FLOAT16, 65504), ==, 0x7bff);
  g_assert_cmphex (stored (PH_FLOAT16, 65519), ==, 0x7bff);
  g_assert_cmphex (stored (PH_FLOAT16, 65520), ==, 0x7c00);
  g_assert_cmphex (stored (PH_FLOAT16, -INFINITY), ==, 0xfc00);
  g_assert_cmphex (stored (PH_FLOAT16, NAN) & 0x7c00, ==, 0x7c00);
  g_assert_cmphex (stored (PH_FLOAT16, 0x1p-24), ==, 1);
  g_assert_cmphex (stored (PH_FLOAT16, 0x1p-25), ==, 0);   /* a tie, to even */
  g_assert_cmphex (stored (PH_FLOAT16, 0x1.8p-24), ==, 2); /* a tie, to even */
  g_assert_cmphex (stored (PH_FLOAT16, 0x1.ff8p-15), ==, 0x3ff);
  g_assert_cmphex (stored (PH_FLOAT16, 0x1.ffep-15), ==, 0x400); /* rounds up into the normal numbers */
  g_assert_cmphex (stored (PH_FLOAT16, 1 + 0x1p-11), ==, 0x3c00);
  g_assert_cmphex (stored (PH_FLOAT16, 1 + 0x3p-11), ==, 0x3c02);
  /* A double must not be rounded twice, by way of float. */
  g_assert_cmphex (stored (PH_FLOAT16, 1 + 0x1p-11 + 0x1p-40), ==, 0x3c01);
  g_assert_cmphex (ph_half_from_float (1 + 0x1p-11f), ==, 0x3c00);
}

static void
test_bfloat (void)
{
  g_assert_cmphex (stored (PH_BFLOAT16, 1), ==, 0x3f80);
  g_assert_cmphex (stored (PH_BFLOAT16, 1 + 0x1p-8), ==, 0x3f80);
  g_assert_cmphex (stored (PH_BFLOAT16, 1 + 0x3p-8), ==, 0x3f82);
  g_assert_cmphex (stored (PH_BFLOAT16, INFINITY), ==, 0x7f80);
  g_assert_cmphex (stored (PH_BFLOAT16, 3.4e38), ==, 0x7f80);
  g_assert_true (isnan (ph_bfloat_to_float (stored (PH_BFLOAT16, NAN))));
  g_assert_cmphex (stored (PH_BFLOAT16, 0x1p-133), ==, 1);
}

static void
test_float8 (void)
{
  g_assert_cmphex (stored (PH_FLOAT8E4M3FN, 448), ==, 0x7e);
  g_assert_cmphex (stored (PH_FLOAT8E4M3FN, 1e9), ==, 0x7e);
  g_assert_cmphex (ph_float8_from_double (PH_FLOAT8E4M3FN, 1e9, FALSE), ==, 0x7f);
  g_assert_cmphex (ph_float8_from_double (PH_FLOAT8E5M2, -1e9, FALSE), ==, 0xfc);
  g_assert_cmphex (ph_float8_from_double (PH_FLOAT8E5M2, INFINITY, TRUE), ==, 0x7b);
  g_assert_cmphex (stored (PH_FLOAT8E4M3FNUZ, -0.0), ==, 0);
  g_assert_cmphex (stored (PH_FLOAT8E4M3FNUZ, -1e-9), ==, 0);
  g_assert_cmphex (stored (PH_FLOAT8E4M3FNUZ, NAN), ==, 0x80);
  g_assert_cmphex (stored (PH_FLOAT8E4M3FNUZ, 300), ==, 0x7f);
  g_assert_cmphex (stored (PH_FLOAT4E2M1, 2.5), ==, 4); /* a tie between 2 and 3 */
  g_assert_cmphex (stored (PH_FLOAT4E2M1, -100), ==, 0xf);
  g_assert_cmphex (ph_e8m0_from_double (3, PH_ROUND_UP), ==, 129);
  g_assert_cmphex (ph_e8m0_from_double (3, PH_ROUND_DOWN), ==, 128);
  g_assert_cmphex (ph_e8m0_from_double (2.9, PH_ROUND_NEAREST), ==, 128);
}

static void
test_integers (void)
{
  gint64 wide;

  g_assert_cmpint (stored (PH_UINT8, 257), ==, 1);
  g_assert_cmpint (stored (PH_UINT8, -1), ==, 255);
  g_assert_cmpint ((gint8) stored (PH_INT8, -1.9), ==, -1);
  g_assert_cmpint (stored (PH_UINT4, 17), ==, 1);
  g_assert_cmpint ((gint8) stored (PH_INT4, 8), ==, -8);
  g_assert_cmpint ((gint8) stored (PH_INT2, 3), ==, -1);
  g_assert_cmpint (stored (PH_BOOL, 0.5), ==, 1);
  ph_dtype_store (PH_INT64, &wide, 0, NAN);
  g_assert_cmpint (wide, ==, 0);
  ph_dtype_store (PH_UINT64, &wide, 0, 0x1p63);
  g_assert_cmphex ((guint64) wide, ==, G_GUINT64_CONSTANT (1) << 63);
  g_assert_cmpfloat (ph_dtype_load (PH_UINT64, &wide, 0), ==, 0x1p63);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dtype/names", test_names);
  g_test_add_func ("/dtype/round-trips", test_round_trips);
  g_test_add_func ("/dtype/half", test_half);
  g_test_add_func ("/dtype/bfloat", test_bfloat);
  g_test_add_func ("/dtype/float8", test_float8);
  g_test_add_func ("/dtype/integers", test_integers);
  return g_test_run ();
}
