/* compare.c: the differences between two results, and whether they are close enough.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/compare.h"

#include <math.h>
#include <string.h>

static char *
shape_to_string (PhTensor *tensor)
{
  GString *out = g_string_new ("[");

  for (guint i = 0; i < ph_tensor_rank (tensor); i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", ph_tensor_dims (tensor)[i]);
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

/* Returns a float's bits, mapped so that neighbouring numbers differ by one and both zeros are 0. */
static gint64
ordered_bits (PhDType dtype, gconstpointer data, gsize index)
{
  const gsize size = ph_dtype_size (dtype);
  const guint bits = dtype == PH_FLOAT4E2M1 ? 4 : 8 * size;
  guint64 raw = 0, sign;

  memcpy (&raw, (const guint8 *) data + index * size, size); /* little-endian, as all of ONNX */
  if (dtype == PH_FLOAT8E8M0)
    return raw;
  sign = G_GUINT64_CONSTANT (1) << (bits - 1);
  return raw & sign ? -(gint64) (raw & (sign - 1)) : (gint64) raw;
}

static guint64
ulps_between (gint64 a, gint64 b)
{
  return a > b ? (guint64) a - (guint64) b : (guint64) b - (guint64) a;
}

static void
note_different (PhComparison *result, gsize index, const char *actual, const char *expected)
{
  if (result->n_different++ == 0)
    {
      result->first_different = index;
      result->why = g_strdup_printf ("element %" G_GSIZE_FORMAT ": %s is not %s", index, actual, expected);
    }
}

static void
note_different_number (PhComparison *result, gsize index, double actual, double expected)
{
  char a[G_ASCII_DTOSTR_BUF_SIZE] = "", b[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (result->n_different == 0)
    {
      g_ascii_formatd (a, sizeof a, "%.9g", actual);
      g_ascii_formatd (b, sizeof b, "%.9g", expected);
    }
  note_different (result, index, a, b);
}

static void
compare_pair (PhComparison *result, gsize index, double x, double y, double error, PhTolerance tolerance)
{
  if (isnan (x) || isnan (y))
    {
      if (!(isnan (x) && isnan (y)))
        {
          result->max_abs_error = result->max_rel_error = INFINITY;
          note_different_number (result, index, x, y);
        }
      return;
    }
  if (isinf (x) || isinf (y))
    {
      if (x != y)
        {
          result->max_abs_error = result->max_rel_error = INFINITY;
          note_different_number (result, index, x, y);
        }
      return;
    }
  if (error > result->max_abs_error)
    result->max_abs_error = error;
  if (y != 0 && error / fabs (y) > result->max_rel_error)
    result->max_rel_error = error / fabs (y);
  if (error > tolerance.atol + tolerance.rtol * fabs (y))
    note_different_number (result, index, x, y);
}

static void
compare_floats (PhComparison *result, PhTensor *actual, PhTensor *expected, PhTolerance tolerance)
{
  const PhDType dtype = ph_tensor_dtype (actual);
  gconstpointer a = ph_tensor_data (actual), b = ph_tensor_data (expected);

  for (gsize i = 0; i < ph_tensor_count (actual); i++)
    {
      const double x = ph_dtype_load (dtype, a, i), y = ph_dtype_load (dtype, b, i);

      compare_pair (result, i, x, y, fabs (x - y), tolerance);
      if (!isnan (x) && !isnan (y))
        {
          const guint64 ulps = ulps_between (ordered_bits (dtype, a, i), ordered_bits (dtype, b, i));

          result->max_ulp = MAX (result->max_ulp, ulps);
        }
    }
}

static void
compare_complex (PhComparison *result, PhTensor *actual, PhTensor *expected, PhTolerance tolerance)
{
  const PhDType part = ph_tensor_dtype (actual) == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE;
  gconstpointer a = ph_tensor_data (actual), b = ph_tensor_data (expected);

  for (gsize i = 0; i < ph_tensor_count (actual); i++)
    {
      const double re = ph_dtype_load (part, a, 2 * i), im = ph_dtype_load (part, a, 2 * i + 1);
      const double re2 = ph_dtype_load (part, b, 2 * i), im2 = ph_dtype_load (part, b, 2 * i + 1);

      compare_pair (result, i, hypot (re, im), hypot (re2, im2), hypot (re - re2, im - im2), tolerance);
    }
}

/* All digits, since integers beyond 2^53 that differ may be the same double. */
static void
note_different_integer (PhComparison *result, gsize index, PhDType dtype, gint64 actual, gint64 expected)
{
  char a[24] = "", b[24] = "";

  if (result->n_different == 0)
    {
      g_snprintf (a, sizeof a, dtype == PH_UINT64 ? "%" G_GUINT64_FORMAT : "%" G_GINT64_FORMAT, actual);
      g_snprintf (b, sizeof b, dtype == PH_UINT64 ? "%" G_GUINT64_FORMAT : "%" G_GINT64_FORMAT, expected);
    }
  note_different (result, index, a, b);
}

static void
compare_exact (PhComparison *result, PhTensor *actual, PhTensor *expected)
{
  for (gsize i = 0; i < ph_tensor_count (actual); i++)
    if (ph_tensor_dtype (actual) == PH_STRING)
      {
        const char *a = ph_tensor_get_string (actual, i), *b = ph_tensor_get_string (expected, i);

        if (!g_str_equal (a, b))
          note_different (result, i, a, b);
      }
    else if (ph_tensor_get_int (actual, i) != ph_tensor_get_int (expected, i))
      {
        result->max_abs_error = fmax (result->max_abs_error, fabs (ph_tensor_get (actual, i) - ph_tensor_get (expected, i)));
        note_different_integer (result, i, ph_tensor_dtype (actual), ph_tensor_get_int (actual, i),
                                ph_tensor_get_int (expected, i));
      }
}

static void
compare_items (PhComparison *result, PhTensor *actual, PhTensor *expected, PhTolerance tolerance)
{
  for (gsize i = 0; i < ph_tensor_count (actual); i++)
    {
      g_auto (PhComparison) item = ph_tensor_compare (ph_tensor_item (actual, i), ph_tensor_item (expected, i), tolerance);

      result->max_abs_error = fmax (result->max_abs_error, item.max_abs_error);
      result->max_rel_error = fmax (result->max_rel_error, item.max_rel_error);
      result->max_ulp = MAX (result->max_ulp, item.max_ulp);
      result->n_different += item.close ? 0 : 1;
      if (!item.close && result->why == NULL)
        {
          result->first_different = i;
          result->why = g_strdup_printf ("item %" G_GSIZE_FORMAT ": %s", i, item.why);
        }
    }
}

/* (nullable) why the two cannot even be compared element by element */
static char *
compare_headers (PhTensor *actual, PhTensor *expected)
{
  static const char *const kinds[] = { "a tensor", "a sequence", "an optional" };
  g_autofree char *a = NULL, *b = NULL;

  if (ph_tensor_kind (actual) != ph_tensor_kind (expected))
    return g_strdup_printf ("%s is not %s", kinds[ph_tensor_kind (actual)], kinds[ph_tensor_kind (expected)]);
  if (ph_tensor_kind (actual) != PH_KIND_TENSOR)
    return ph_tensor_count (actual) == ph_tensor_count (expected)
               ? NULL
               : g_strdup_printf ("%" G_GSIZE_FORMAT " items are not %" G_GSIZE_FORMAT, ph_tensor_count (actual),
                                  ph_tensor_count (expected));
  if (ph_tensor_dtype (actual) != ph_tensor_dtype (expected))
    return g_strdup_printf ("element type %s is not %s", ph_dtype_name (ph_tensor_dtype (actual)),
                            ph_dtype_name (ph_tensor_dtype (expected)));
  a = shape_to_string (actual);
  b = shape_to_string (expected);
  return g_str_equal (a, b) ? NULL : g_strdup_printf ("shape %s is not %s", a, b);
}

PhComparison
ph_tensor_compare (PhTensor *actual, PhTensor *expected, PhTolerance tolerance)
{
  PhComparison result = { 0 };

  result.why = compare_headers (actual, expected);
  if (result.why != NULL)
    {
      result.max_abs_error = result.max_rel_error = INFINITY;
      result.n_different = MAX (ph_tensor_count (expected), 1);
      return result;
    }
  if (ph_tensor_kind (actual) != PH_KIND_TENSOR)
    compare_items (&result, actual, expected, tolerance);
  else if (ph_dtype_is_float (ph_tensor_dtype (actual)))
    compare_floats (&result, actual, expected, tolerance);
  else if (ph_tensor_dtype (actual) == PH_COMPLEX64 || ph_tensor_dtype (actual) == PH_COMPLEX128)
    compare_complex (&result, actual, expected, tolerance);
  else
    compare_exact (&result, actual, expected);
  result.close = result.n_different == 0;
  return result;
}

void
ph_comparison_clear (PhComparison *comparison)
{
  g_clear_pointer (&comparison->why, g_free);
}
